//! Nodes that speak differently, on both databases: a game never goes back to one that speaks less than an owner did.

use super::nodes::{START, lease_ms, node, of, owned, sign};
use super::{Tested, made, one};
use crate::nodes::{Claimed, NewNode, Nodes};
use crate::{Due, GameWrite, SqlStore};

pub async fn games_stay_with_those_who_understand_them(store: &SqlStore, tag: &str) -> Tested {
    let speaks = |name: &str, run, protocol| NewNode {
        protocol,
        ..node(&format!("{tag}speaks-{name}"), run, 0)
    };
    let a = store.arrive(&speaks("a", 1, 1)).await?;
    let b = store.arrive(&speaks("b", 2, 2)).await?;
    let c = store.arrive(&speaks("c", 3, 1)).await?;
    let (game, new) = (format!("{tag}spoken"), format!("{tag}spoken-new"));
    let due = |game: &str| GameWrite {
        due: Some(Due::At(0)),
        ..made(game)
    };
    one(store, due(&game)).await??;
    let yours = |epoch| Claimed::Yours { epoch };
    let beyond = Claimed::Beyond { protocol: 2 };

    // Among those who speak the same it goes to and fro, and once to one that speaks more.
    assert_eq!(store.claim(&game, a, 0).await?, yours(1));
    assert!(store.hand_over(&owned(&game, 1), a, c, 0).await?);
    assert!(store.hand_over(&owned(&game, 2), c, a, 0).await?);
    assert!(store.hand_over(&owned(&game, 3), a, b, 0).await?);
    assert_eq!(store.claim(&game, b, 0).await?, yours(5));
    // Not back.
    assert!(!store.hand_over(&owned(&game, 5), b, a, 0).await?);
    assert!(matches!(store.claim(&game, a, 0).await?, Claimed::Of { boot, .. } if boot == b));
    store.release(&[owned(&game, 5)], b, 0).await?;
    assert_eq!(store.claim(&game, a, 0).await?, beyond);
    // One that it has made is its own from the first.
    one(store, of(b, 0, due(&new))).await??;
    let has = |found: Vec<String>, id: &String| found.contains(id);
    assert!(!has(store.orphans(1, 100_000).await?, &game));
    assert!(has(store.orphans(2, 100_000).await?, &game));

    // When its node is gone it waits for another that understands it.
    store.set_time(START + lease_ms() - 1);
    store.beat(a, sign(0)).await?;
    store.set_time(START + lease_ms());
    for id in [&game, &new] {
        assert_eq!(store.claim(id, a, 0).await?, beyond);
        assert!(!has(store.orphans(1, 100_000).await?, id));
        assert!(has(store.orphans(2, 100_000).await?, id));
    }
    let d = store.arrive(&speaks("d", 4, 3)).await?;
    assert_eq!(store.claim(&new, d, 0).await?, yours(1));
    let again = store.arrive(&speaks("b", 5, 2)).await?;
    assert_eq!(store.claim(&game, again, 0).await?, yours(7));
    store.release(&[owned(&new, 1)], d, 0).await?;
    let three = Claimed::Beyond { protocol: 3 };
    assert_eq!(store.claim(&new, again, 0).await?, three);
    assert_eq!(
        store.claim(&format!("{tag}none"), a, 0).await?,
        Claimed::NoSuchGame
    );
    Ok(())
}
