//! The time of games that change hands. The database's time stands still unless a test moves it.

use super::nodes::{START, fenced, lease_ms, node, of, owned, sign};
use super::{Tested, event, events, folder, made, one};
use crate::nodes::{Nodes, Since};
use crate::{Due, EventRow, GameWrite, SqlStore, Store};

/// An event of a run at its server's time.
fn at(game: &str, seq: i64, run: i64, run_ms: i64) -> GameWrite {
    let event = EventRow {
        run,
        run_ms,
        ..event(seq)
    };
    GameWrite {
        events: vec![event],
        ..events(game, [])
    }
}

pub async fn gaps_are_charged_to_nobody(store: &SqlStore, tag: &str) -> Tested {
    let (game, other) = (format!("{tag}time-a"), format!("{tag}time-b"));
    let since = async |id: &str| -> Result<_, Box<dyn std::error::Error>> {
        let stored = store.load(id).await?.ok_or("gone")?;
        Ok((stored.since, stored.due))
    };
    let runs = [
        store.begin_run(1, None).await?.run,
        store.begin_run(2, None).await?.run,
        store.begin_run(3, None).await?.run,
    ];
    let a = store
        .arrive(&node(&format!("{tag}a"), runs[0], 4000))
        .await?;
    for id in [&game, &other] {
        one(store, of(a, 1, made(id))).await??;
        let write = GameWrite {
            due: Some(Due::At(9000)),
            ..at(id, 1, runs[0], 5000)
        };
        one(store, of(a, 1, write)).await??;
    }
    assert_eq!(since(&game).await?, (Some(Since::At(5000)), Some(9000)));
    // It is claimed anew, and looked at by the same node: nothing has gone by.
    store.claim(&other, a, 5300).await?;
    assert_eq!(since(&other).await?, (Some(Since::At(5000)), Some(9000)));
    // 600 ms after the event is the node's last sign: its heartbeat.
    store.set_time(START + 1000);
    store.beat(a, sign(5600)).await?;
    store.set_time(START + 1000 + lease_ms());
    let b = store
        .arrive(&node(&format!("{tag}b"), runs[1], 90_000))
        .await?;
    store.claim(&game, b, 90_050).await?;
    let expected = (Some(Since::At(90_050 - 600)), Some(90_050 + 3400));
    assert_eq!(since(&game).await?, expected);
    // The heartbeat is older than what it has stored in another game: that is a sign of life, too.
    store.claim(&other, b, 90_100).await?;
    assert_eq!(since(&other).await?.0, Some(Since::At(90_100 - 600)));
    // Without an event it goes to a third, and again without one.
    let c = store.arrive(&node(&format!("{tag}c"), runs[2], 0)).await?;
    assert!(store.hand_over(&owned(&game, 2), b, c, 90_450).await?);
    assert_eq!(since(&game).await?.0, Some(Since::Still(1000)));
    store.claim(&game, c, 7).await?;
    assert_eq!(
        since(&game).await?,
        (Some(Since::At(7 - 1000)), Some(7 + 3000))
    );
    let back = owned(&game, 4);
    assert_eq!(
        store.release(&[back], c, 207).await?,
        std::slice::from_ref(&game)
    );
    assert_eq!(since(&game).await?, (Some(Since::Still(1200)), Some(3007)));
    store.claim(&game, b, 95_000).await?;
    assert_eq!(
        since(&game).await?,
        (Some(Since::At(95_000 - 1200)), Some(95_000 + 2800))
    );
    // An event begins anew.
    one(store, of(b, 6, at(&game, 2, runs[1], 95_010))).await??;
    assert_eq!(since(&game).await?.0, Some(Since::At(95_010)));
    // Dead again, without a heartbeat since: the last event of its run in any game is the last sign.
    one(store, of(b, 3, at(&other, 2, runs[1], 95_400))).await??;
    // The same process comes again; what it stores from now on is no sign of its former life.
    let again = store
        .arrive(&node(&format!("{tag}b"), runs[1], 99_000))
        .await?;
    store.claim(&other, again, 99_000).await?;
    one(store, of(again, 4, at(&other, 3, runs[1], 99_500))).await??;
    store.claim(&game, again, 99_600).await?;
    assert_eq!(
        since(&game).await?.0,
        Some(Since::At(99_600 - (95_400 - 95_010)))
    );
    for boot in [c, again] {
        store.leave(boot, 100_000).await?;
    }
    Ok(())
}

/// A server that has its database for itself again goes on with what nodes have left, and the other way round.
#[tokio::test]
async fn a_server_alone_takes_what_nodes_have_left() -> Tested {
    let folder = folder("alone")?;
    let path = folder.join("games.sqlite");
    let store = SqlStore::file(&path).await?;
    let run = store.begin_run(1, None).await?.run;
    for id in ["before", "dead", "left", "over"] {
        one(&store, made(id)).await??;
        one(&store, at(id, 1, run, 100)).await??;
    }
    assert_eq!(store.load("before").await?.ok_or("gone")?.since, None);
    let nodes = store.begin_run(2, None).await?;
    assert_eq!(nodes.last_ms, 100);
    let a = store.arrive(&node("a", nodes.run, 100)).await?;
    let b = store.arrive(&node("b", nodes.run, 100)).await?;
    for id in ["dead", "over"] {
        store.claim(id, a, 150).await?;
    }
    // Its time has run on from that of the server alone.
    let stored = store.load("dead").await?.ok_or("gone")?;
    assert_eq!(stored.since, Some(Since::At(100)));
    let end = GameWrite {
        over: true,
        ..at("over", 2, nodes.run, 160)
    };
    one(&store, of(a, 1, end)).await??;
    store.claim("left", b, 170).await?;
    one(&store, of(b, 1, at("left", 2, nodes.run, 180))).await??;
    store.leave(b, 280).await?;
    store.close().await;
    drop(store);
    let store = SqlStore::file(&path).await?;
    let begun = store.begin_run(3, None).await?;
    // What was noted in the last run of a node is of another time.
    assert_eq!((begun.last_ms, begun.run), (180, nodes.run + 2));
    for (id, since, epoch) in [
        ("before", None, 0),
        // From the last sign of the node on, nothing was charged; 80 ms had gone since the event.
        ("dead", Some(Since::At(180 - 80)), 2),
        ("left", Some(Since::At(180 - 100)), 3),
    ] {
        let stored = store.load(id).await?.ok_or("gone")?;
        assert_eq!((stored.since, stored.epoch), (since, epoch), "{id}");
        assert_eq!(stored.owner, 0);
        let seq = stored.events.len() as i64 + 1;
        fenced(
            one(&store, of(a, epoch, at(id, seq, 9, 999))).await?,
            id,
            epoch,
        );
        let write = of(0, epoch, at(id, seq, begun.run, 190));
        one(&store, write).await??;
        let now = store.load(id).await?.ok_or("gone")?.since;
        assert_eq!(now, since.map(|_| Since::At(190)), "{id}");
    }
    one(&store, of(0, 1, at("over", 3, begun.run, 190))).await??;
    assert_eq!(store.owned().await?.nodes, []);
    store.close().await;
    std::fs::remove_dir_all(&folder)?;
    Ok(())
}
