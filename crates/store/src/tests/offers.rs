//! The contract of offers and blocks.

use super::{Tested, made, one};
use crate::notes::NoteStore;
use crate::offers::*;
use crate::{GameWrite, SqlStore, StoreError};

/// What both databases must do.
pub(super) async fn contract(store: &SqlStore, tag: &str) -> Tested {
    let name = |text: &str| format!("{tag}{text}");
    let seek = OfferRow {
        id: name("seek"),
        person: name("oann"),
        target: None,
        body: "{\"a\":'wish'}".into(),
        made_ms: 1000,
        until_ms: 5000,
        game: None,
        answer: None,
    };
    let challenge = OfferRow {
        id: name("challenge"),
        target: Some(name("obob")),
        made_ms: 1001,
        ..seek.clone()
    };
    assert!(store.keep_offer(&seek, 2).await?);
    assert!(store.keep_offer(&challenge, 2).await?);
    let third = OfferRow {
        id: name("third"),
        made_ms: 1002,
        ..seek.clone()
    };
    assert!(!store.keep_offer(&third, 2).await?, "two are open");
    assert_eq!(store.offer(&seek.id).await?.as_ref(), Some(&seek));
    let ours = |all: Vec<OfferRow>| -> Vec<String> {
        let all = all.into_iter().map(|offer| offer.id);
        all.filter(|id| id.starts_with(tag)).collect()
    };
    assert_eq!(ours(store.open_offers(2000).await?), [&*seek.id]);
    assert!(ours(store.open_offers(6000).await?).is_empty());
    for person in [&challenge.person, &name("obob")] {
        let offers = ours(store.offers_of(person, 2000).await?);
        assert_eq!(offers, [&*challenge.id]);
    }

    // A game takes an offer in its own commit, once, however often that is written.
    let game = GameWrite {
        takes: vec![seek.id.clone()],
        ..made(&name("ogame"))
    };
    one(store, game.clone()).await??;
    one(store, game).await??;
    let taken = store.offer(&seek.id).await?;
    assert_eq!(taken.and_then(|o| o.game), Some(name("ogame")));
    let second = GameWrite {
        takes: vec![challenge.id.clone(), seek.id.clone()],
        ..made(&name("osecond"))
    };
    let refused = one(store, second).await?;
    assert_eq!(refused, Err(StoreError::Taken(seek.id.clone())));
    assert_eq!(crate::Store::load(store, &name("osecond")).await?, None);
    let untouched = store.offer(&challenge.id).await?;
    assert_eq!(untouched.and_then(|o| o.game), None);
    assert!(!store.withdraw_offer(&seek.id, &seek.person).await?);

    // What was declined is no game's, and is told to its maker until that one has seen it.
    assert!(store.decline_offer(&challenge.id, "later").await?);
    assert!(!store.decline_offer(&challenge.id, "never").await?);
    let late = GameWrite {
        takes: vec![challenge.id.clone()],
        ..made(&name("olate"))
    };
    assert!(one(store, late).await?.is_err());
    let told = store.offers_of(&challenge.person, 2000).await?;
    assert_eq!(told[0].answer.as_deref(), Some("later"));
    assert!(!store.withdraw_offer(&challenge.id, &name("obob")).await?);
    assert!(
        store
            .withdraw_offer(&challenge.id, &challenge.person)
            .await?
    );
    assert_eq!(store.offer(&challenge.id).await?, None);

    let (ann, bob) = (name("oann"), name("obob"));
    store.block(&ann, &bob, 7).await?;
    store.block(&ann, &bob, 8).await?;
    assert_eq!(store.blocked_by(&ann).await?, [&*bob]);
    assert!(store.blocked_by(&bob).await?.is_empty());
    assert_eq!(store.apart_from(&ann).await?, [&*bob]);
    assert_eq!(store.apart_from(&bob).await?, [&*ann]);
    store.unblock(&ann, &bob).await?;
    assert!(store.apart_from(&bob).await?.is_empty());
    // Notes are their writer's own, about own games.
    let game = name("ogame");
    assert!(!store.keep_note(&ann, &game, "mine", 1).await?);
    assert!(store.keep_note("ann", &game, "a 'note'", 1).await?);
    assert!(store.keep_note("ann", &game, "another", 2).await?);
    assert_eq!(store.note("ann", &game).await?.as_deref(), Some("another"));
    assert_eq!(store.note(&bob, &game).await?, None);
    assert!(store.keep_note("ann", &game, "", 3).await?);
    assert_eq!(store.note("ann", &game).await?, None);
    store.forget_offers(5001).await?;
    assert_eq!(store.offer(&seek.id).await?, None);
    Ok(())
}
