//! The contract of accounts.

use super::Tested;
use crate::accounts::*;
use crate::vacations::{Applied, VacationRow, VacationStore};
use crate::{EventRow, GameWrite, NewGameRow, ReviewRow, SqlStore, Store};

pub(super) fn account(tag: &str, name: &str) -> NewAccount {
    let id = format!("{tag}{name}");
    NewAccount {
        account: AccountRow {
            id: id.clone(),
            name: name.into(),
            password: Some("digest".into()),
            recovery: "[\"a\",\"b\"]".into(),
            made_ms: 1000,
            seen_ms: 1000,
            deleted: false,
            bot: false,
        },
        readings: vec![format!("{tag}{name}1"), format!("{tag}{name}2")],
        passkey: None,
        session: session(&id, "first", 1000),
    }
}

fn session(account: &str, digest: &str, seen_ms: i64) -> SessionRow {
    SessionRow {
        digest: format!("{account} {digest}"),
        account: account.into(),
        agent: "Firefox 'on' Linux".into(),
        made_ms: 1000,
        seen_ms,
    }
}

fn passkey(account: &str, id: &str) -> PasskeyRow {
    PasskeyRow {
        id: format!("{account} {id}"),
        account: account.into(),
        name: "Phone".into(),
        body: "{}".into(),
        made_ms: 1000,
        used_ms: None,
    }
}

/// What both databases must do.
pub(super) async fn contract(games: &SqlStore, tag: &str) -> Tested {
    let store: &dyn AccountStore = games;
    names_are_one_persons(store, tag).await?;
    sessions_begin_and_end(store, tag).await?;
    passkeys_come_and_go(store, tag).await?;
    a_deleted_account_leaves_no_name(store, tag).await?;
    games_of_the_deleted_are_rewritten(games, store, tag).await?;
    a_vacation_is_over_with_its_account(games, tag).await
}

async fn names_are_one_persons(store: &dyn AccountStore, tag: &str) -> Tested {
    let ann = account(tag, "ann");
    assert_eq!(store.register(&ann).await?, Registered::Made);
    assert_eq!(store.register(&ann).await?, Registered::Taken);
    // One reading that is taken is enough, and nothing of the attempt stays.
    let mut like = account(tag, "anna");
    like.readings[1].clone_from(&ann.readings[0]);
    assert_eq!(store.register(&like).await?, Registered::Taken);
    assert_eq!(store.account(&like.account.id).await?, None);
    assert_eq!(store.account_named(&like.readings[0]).await?, None);
    // One browser's games are one account's.
    let mut second = account(tag, "bea");
    second.account.id.clone_from(&ann.account.id);
    assert_eq!(store.register(&second).await?, Registered::Known);
    assert_eq!(store.account_named(&second.readings[0]).await?, None);
    // Two at the same moment: one gets it.
    let (mut one, mut other) = (account(tag, "cid"), account(tag, "CID"));
    other.readings.clone_from(&one.readings);
    one.session.agent = "one".into();
    other.session.agent = "other".into();
    let (one, other) = tokio::try_join!(store.register(&one), store.register(&other))?;
    let made = [one, other].into_iter().filter(|r| *r == Registered::Made);
    assert_eq!(made.count(), 1);
    let found = store.account(&ann.account.id).await?;
    assert_eq!(found.as_ref(), Some(&ann.account));
    assert_eq!(store.account_named(&ann.readings[1]).await?, found);
    Ok(())
}

async fn sessions_begin_and_end(store: &dyn AccountStore, tag: &str) -> Tested {
    let ann = account(tag, "ann").account.id;
    let (first, second, third) = (
        session(&ann, "first", 1000),
        session(&ann, "second", 3000),
        session(&ann, "third", 2000),
    );
    store.begin_session(&second).await?;
    store.begin_session(&third).await?;
    let known = store.sessions(&ann).await?;
    assert_eq!(known, [second.clone(), third.clone(), first.clone()]);
    store.touch_session(&first.digest, 5000).await?;
    let (found, account) = store.session(&first.digest).await?.ok_or("no session")?;
    assert_eq!((found.seen_ms, account.seen_ms), (5000, 5000));
    // Only the owner's are ended.
    let ended = store
        .end_sessions("nobody", Ended::One(&first.digest))
        .await?;
    assert_eq!(ended, [""; 0]);
    let ended = store.end_sessions(&ann, Ended::One(&third.digest)).await?;
    assert_eq!(ended, [third.digest]);
    let kept = Some(first.digest.as_str());
    let ended = store.end_sessions(&ann, Ended::AllBut(kept)).await?;
    assert_eq!(ended, [second.digest.as_str()]);
    // Another password ends all sessions but the one in which it was set.
    store.begin_session(&second).await?;
    let ended = store.set_password(&ann, "new", kept).await?;
    assert_eq!(ended, [second.digest.as_str()]);
    assert_eq!(store.session(&second.digest).await?, None);
    let (_, account) = store.session(&first.digest).await?.ok_or("ended")?;
    assert_eq!(account.password.as_deref(), Some("new"));
    // A code is used once, whoever is faster.
    let (before, after) = (account.recovery.as_str(), "[\"b\"]");
    assert!(store.set_recovery(&ann, before, after).await?);
    assert!(!store.set_recovery(&ann, before, after).await?);
    store.begin_session(&session(&ann, "old", -10)).await?;
    assert_eq!(store.forget_sessions(-5).await?, 1);
    Ok(())
}

async fn passkeys_come_and_go(store: &dyn AccountStore, tag: &str) -> Tested {
    let (ann, dan) = (account(tag, "ann").account.id, account(tag, "dan"));
    let phone = passkey(&dan.account.id, "phone");
    let with = NewAccount {
        passkey: Some(phone.clone()),
        ..dan.clone()
    };
    assert_eq!(store.register(&with).await?, Registered::Made);
    assert!(!store.add_passkey(&phone).await?);
    let key = passkey(&ann, "key");
    assert!(store.add_passkey(&key).await?);
    assert_eq!(store.passkeys(&ann).await?, std::slice::from_ref(&key));
    store.use_passkey(&key.id, "{\"counter\":1}", 7000).await?;
    let used = store.passkey(&key.id).await?.ok_or("gone")?;
    assert_eq!(
        (used.body.as_str(), used.used_ms),
        ("{\"counter\":1}", Some(7000))
    );
    assert!(!store.remove_passkey(&dan.account.id, &key.id).await?);
    assert!(store.remove_passkey(&ann, &key.id).await?);
    assert_eq!(store.passkey(&key.id).await?, None);
    Ok(())
}

async fn a_deleted_account_leaves_no_name(store: &dyn AccountStore, tag: &str) -> Tested {
    let dan = account(tag, "dan");
    let id = &dan.account.id;
    let digests = [format!("{tag}digest")];
    let ended = store.delete_account(id, "deleted", &digests).await?;
    assert_eq!(ended, [dan.session.digest.as_str()]);
    let left = store.account(id).await?.ok_or("its games stay")?;
    assert_eq!((left.name.as_str(), left.deleted), ("deleted", true));
    assert_eq!((left.password, left.recovery.as_str()), (None, "[]"));
    assert!(store.sessions(id).await?.is_empty());
    assert!(store.passkeys(id).await?.is_empty());
    for reading in dan.readings.iter().chain(&digests) {
        assert_eq!(store.account_named(reading).await?, None);
    }
    // The name stays taken by its digest.
    let mut next = account(tag, "eve");
    next.readings.push(digests[0].clone());
    assert_eq!(store.register(&next).await?, Registered::Taken);
    Ok(())
}

async fn games_of_the_deleted_are_rewritten(
    games: &SqlStore,
    store: &dyn AccountStore,
    tag: &str,
) -> Tested {
    let dan = account(tag, "dan").account.id;
    let event = |seq, body: &str| EventRow {
        seq,
        at_ms: 0,
        run: 1,
        run_ms: 0,
        wall_ms: 0,
        body: body.into(),
        guest: None,
    };
    // More than a page, and one of somebody else.
    let ids: Vec<String> = (0..130).map(|n| format!("{tag}dans{n:03}")).collect();
    let write = |game: &String, guest: &str| GameWrite {
        game: game.clone(),
        made: Some(NewGameRow {
            spec: "for Dan".into(),
            made_ms: 1000,
            guests: vec![guest.into()],
        }),
        events: vec![event(1, "Dan came"), event(2, "e2e4")],
        ..GameWrite::default()
    };
    let mut writes: Vec<GameWrite> = ids.iter().map(|id| write(id, &dan)).collect();
    let other = format!("{tag}other");
    writes.push(write(&other, "nobody"));
    for result in games.write(&writes).await? {
        result?;
    }
    let review = |id: &String| ReviewRow {
        id: id.clone(),
        body: "by Dan".into(),
        until_ms: None,
    };
    for id in [&ids[0], &other] {
        games.keep_review(&review(id)).await?;
    }
    assert!(store.deleted_accounts().await?.contains(&dan));
    let change = |text: &str| text.contains("Dan").then(|| text.replace("Dan", "deleted"));
    let mut changed = store.rewrite_games(&dan, &change).await?;
    changed.sort();
    assert_eq!(changed, ids);
    assert!(!store.deleted_accounts().await?.contains(&dan));
    let game = games.load(&ids[129]).await?.ok_or("gone")?;
    assert_eq!(game.spec, "for deleted");
    let bodies: Vec<&str> = game.events.iter().map(|e| e.body.as_str()).collect();
    assert_eq!(bodies, ["deleted came", "e2e4"]);
    // What is kept of looking back at it has the name, too.
    assert_eq!(games.review(&ids[0]).await?, None);
    assert!(games.review(&other).await?.is_some());
    let game = games.load(&other).await?.ok_or("gone")?;
    assert_eq!(game.spec, "for Dan");
    Ok(())
}

async fn a_vacation_is_over_with_its_account(store: &SqlStore, tag: &str) -> Tested {
    let fay = account(tag, "fay");
    store.register(&fay).await?;
    let id = &fay.account.id;
    let away = |n: u32| VacationRow {
        id: format!("{tag}away{n}"),
        person: id.clone(),
        begun_ms: 1000,
        until_ms: 9000,
        ended_ms: None,
    };
    assert!(store.begin_vacation(&away(1)).await?);
    assert!(store.end_vacation(id, 2000).await?);
    store.vacation_told(&away(1).id, Applied::Ended).await?;
    assert!(store.begin_vacation(&away(2)).await?);
    store.vacation_told(&away(2).id, Applied::Begun).await?;
    store.delete_account(id, "deleted", &[]).await?;
    // The games that stand still are told, and then nothing is left of it.
    let told = store.vacations_to_tell().await?;
    let over: Vec<_> = told.iter().filter(|row| row.person == *id).collect();
    assert_eq!(over.len(), 1);
    assert_eq!((&over[0].id, over[0].ended_ms), (&away(2).id, Some(1000)));
    assert_eq!(store.vacations(id, 0).await?.len(), 1);
    store.vacation_told(&away(2).id, Applied::Ended).await?;
    assert!(store.vacations(id, 0).await?.is_empty());
    assert!(
        !store
            .vacations_to_tell()
            .await?
            .iter()
            .any(|row| row.person == *id)
    );
    Ok(())
}
