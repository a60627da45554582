//! Leases, owners and epochs, on both databases. The database's time stands still unless a test moves it.

use super::{Tested, event, events, folder, made, one};
use crate::nodes::{Beat, Claimed, LEASE, NewNode, Nodes, Owned, Sign, Since};
use crate::running::{BoardRow, Running, RunningRow, RunningSeat, RunningStore};
use crate::{CardRow, Due, EventRow, GameWrite, SqlStore, Store, StoreError};

/// The database's time at which the tests begin.
pub const START: i64 = 1_000_000;

pub fn lease_ms() -> i64 {
    crate::millis(LEASE)
}

pub fn sign(run_ms: i64) -> Sign {
    Sign {
        run_ms,
        load: 0,
        leaving: false,
        lease_ms: lease_ms(),
    }
}

pub fn node(id: &str, run: i64, run_ms: i64) -> NewNode {
    NewNode {
        id: id.into(),
        address: format!("http://{id}:8000"),
        version: "1".into(),
        run,
        sign: sign(run_ms),
    }
}

fn owned(game: &str, epoch: i64) -> Owned {
    Owned {
        game: game.into(),
        epoch,
    }
}

/// A write of an owner.
pub fn of(owner: i64, epoch: i64, write: GameWrite) -> GameWrite {
    GameWrite {
        owner,
        epoch,
        ..write
    }
}

fn fenced(result: Result<(), StoreError>, game: &str, epoch: i64) {
    let game = game.into();
    assert_eq!(result, Err(StoreError::Fenced { game, epoch }));
}

pub async fn contract(store: &SqlStore, tag: &str) -> Tested {
    store.set_time(START);
    leases_run_by_the_databases_time(store, tag).await?;
    store.set_time(START);
    one_owner_at_a_time(store, tag).await?;
    store.set_time(START);
    all_that_a_game_has_stored_is_fenced(store, tag).await?;
    store.set_time(START);
    what_was_stored_before_is_not_refused(store, tag).await?;
    store.set_time(START);
    new_games_are_their_makers(store, tag).await?;
    store.set_time(START);
    games_are_given_back_and_handed_over(store, tag).await?;
    store.set_time(START);
    gaps_are_charged_to_nobody(store, tag).await?;
    store.set_time(0);
    Ok(())
}

async fn leases_run_by_the_databases_time(store: &SqlStore, tag: &str) -> Tested {
    let (ann, bob) = (format!("{tag}leases-a"), format!("{tag}leases-b"));
    let a = store.arrive(&node(&ann, 1, 10)).await?;
    let b = store.arrive(&node(&bob, 2, 20)).await?;
    assert!(b > a, "{a} {b}");
    store.set_time(START + lease_ms() - 1);
    let said = Sign {
        load: 7,
        leaving: true,
        ..sign(99)
    };
    let Beat::Alive(nodes) = store.beat(a, said).await? else {
        return Err("lost before its time".into());
    };
    let seen: Vec<_> = nodes
        .iter()
        .map(|n| (n.boot, n.load, n.leaving, n.run_ms, n.left_ms))
        .collect();
    assert!(seen.contains(&(a, 7, true, 99, lease_ms())), "{seen:?}");
    assert!(seen.contains(&(b, 0, false, 20, 1)), "{seen:?}");
    // One that was on its way takes nothing back.
    store.beat(a, sign(50)).await?;
    store.set_time(START + lease_ms());
    assert_eq!(store.beat(b, sign(30)).await?, Beat::Lost);
    let Beat::Alive(nodes) = store.beat(a, sign(60)).await? else {
        return Err("lost before its time".into());
    };
    assert!(nodes.iter().all(|n| n.boot != b) && nodes.iter().any(|n| n.run_ms == 99));
    // A lease that is over never runs again, whatever the clock says then.
    store.set_time(START + 2 * lease_ms());
    assert_eq!(store.beat(b, sign(40)).await?, Beat::Lost);
    assert_eq!(store.beat(i64::MAX, sign(40)).await?, Beat::Lost);
    // The life before is over at once when the next begins.
    let again = store.arrive(&node(&ann, 3, 0)).await?;
    assert_eq!(store.beat(a, sign(100)).await?, Beat::Replaced);
    assert!(matches!(
        store.beat(again, sign(100)).await?,
        Beat::Alive(_)
    ));
    store.leave(again, 100).await?;
    assert_eq!(store.beat(again, sign(100)).await?, Beat::Lost);
    Ok(())
}

async fn one_owner_at_a_time(store: &SqlStore, tag: &str) -> Tested {
    let game = format!("{tag}claimed");
    let a = store.arrive(&node(&format!("{tag}a"), 1, 0)).await?;
    let b = store.arrive(&node(&format!("{tag}b"), 2, 0)).await?;
    assert_eq!(store.claim(&game, a, 0).await?, Claimed::NoSuchGame);
    one(store, made(&game)).await??;
    assert_eq!(store.claim(&game, a, 0).await?, Claimed::Yours { epoch: 1 });
    let of_a = |epoch| Claimed::Of {
        boot: a,
        id: format!("{tag}a"),
        address: format!("http://{tag}a:8000"),
        epoch,
    };
    assert_eq!(store.claim(&game, b, 0).await?, of_a(1));
    // Whoever claims again what it has fences off what it has asked for before.
    assert_eq!(store.claim(&game, a, 0).await?, Claimed::Yours { epoch: 2 });
    let late = one(store, of(a, 1, events(&game, [1]))).await?;
    fenced(late, &game, 1);
    one(store, of(a, 2, events(&game, [1]))).await??;
    store.set_time(START + lease_ms() - 1);
    store.beat(b, sign(0)).await?;
    assert_eq!(store.claim(&game, b, 0).await?, of_a(2));
    store.set_time(START + lease_ms());
    // It may still ask, and learns what has become of it.
    assert_eq!(store.claim(&game, a, 0).await?, Claimed::Lost);
    assert_eq!(store.claim(&game, b, 0).await?, Claimed::Yours { epoch: 3 });
    let stored = store.load(&game).await?.ok_or("gone")?;
    assert_eq!((stored.epoch, stored.owner, stored.events.len()), (3, b, 1));
    store.leave(b, 0).await?;
    Ok(())
}

fn board(seq: i64) -> BoardRow {
    BoardRow {
        seq,
        ply: seq,
        fen: format!("board {seq}"),
        last: String::new(),
        at_ms: 0,
    }
}

fn begins() -> Running {
    let seat = || RunningSeat {
        person: "nobody".into(),
        name: "Nobody".into(),
        account: false,
        level: None,
        first: 1500,
    };
    let row = RunningRow {
        variant: "chess".into(),
        clock: "10+5".into(),
        speed: "rapid".into(),
        rated: false,
        seats: [seat(), seat()],
        began_ms: 0,
    };
    Running::Begins(Box::new(row), board(0))
}

/// One who has lost a game changes nothing of it, with events or without, and is told so.
async fn all_that_a_game_has_stored_is_fenced(store: &SqlStore, tag: &str) -> Tested {
    let game = format!("{tag}fenced");
    let a = store.arrive(&node(&format!("{tag}a"), 1, 0)).await?;
    let b = store.arrive(&node(&format!("{tag}b"), 2, 0)).await?;
    let bare = || GameWrite {
        game: game.clone(),
        ..GameWrite::default()
    };
    one(store, of(a, 1, made(&game))).await??;
    let first = GameWrite {
        running: Some(begins()),
        ..events(&game, [1])
    };
    one(store, of(a, 1, first)).await??;
    // Its lease is over, though nobody has taken the game yet: it writes no more.
    store.set_time(START + lease_ms() - 1);
    store.beat(b, sign(0)).await?;
    store.set_time(START + lease_ms());
    let attempts = |seq| {
        [
            events(&game, [seq]),
            GameWrite {
                due: Some(Due::At(3)),
                ..bare()
            },
            GameWrite {
                warn: Some(Due::At(4)),
                ..bare()
            },
            GameWrite {
                card: Some(CardRow {
                    seq: 1,
                    text: "late".into(),
                }),
                ..bare()
            },
            GameWrite {
                over: true,
                to_rate: Some("late".into()),
                ..bare()
            },
            GameWrite {
                running: Some(Running::Moves(board(9))),
                ..bare()
            },
            GameWrite {
                running: Some(Running::Rests(true)),
                ..bare()
            },
            GameWrite {
                over: true,
                ..events(&game, [seq])
            },
        ]
    };
    let before = store.load(&game).await?.ok_or("gone")?;
    let boards = store.running_boards(std::slice::from_ref(&game)).await?;
    for write in attempts(2) {
        fenced(one(store, of(a, 1, write)).await?, &game, 1);
    }
    assert_eq!(store.load(&game).await?, Some(before));
    // Another has it: neither the former epoch nor a guessed one, nor the right one of another helps.
    assert_eq!(store.claim(&game, b, 0).await?, Claimed::Yours { epoch: 2 });
    one(store, of(b, 2, events(&game, [2]))).await??;
    let before = store.load(&game).await?.ok_or("gone")?;
    let again = store.arrive(&node(&format!("{tag}a"), 3, 0)).await?;
    for write in attempts(3) {
        for (owner, epoch) in [(a, 1), (a, 2), (again, 1), (again, 2), (b, 1), (b, 3)] {
            let other = of(owner, epoch, write.clone());
            // What others write in the same commit is taken.
            let good = events(&game, [2]);
            let results = store.write(&[other, of(b, 2, good)]).await?;
            fenced(results[0].clone(), &game, epoch);
            assert_eq!(results[1], Ok(()));
        }
    }
    // One without a node writes no events to an owned game.
    fenced(one(store, of(0, 2, events(&game, [3]))).await?, &game, 2);
    assert_eq!(store.load(&game).await?, Some(before));
    let now = store.running_boards(std::slice::from_ref(&game)).await?;
    assert_eq!(now, boards);
    assert_eq!(store.warnings_of(b, i64::MAX, 10).await?, []);
    // Who has read it as it is may keep its card.
    let card = GameWrite {
        card: Some(CardRow {
            seq: 2,
            text: "card".into(),
        }),
        ..bare()
    };
    fenced(one(store, of(0, 1, card.clone())).await?, &game, 1);
    one(store, of(0, 2, card)).await??;
    for boot in [b, again] {
        store.leave(boot, 0).await?;
    }
    Ok(())
}

/// The answer was lost, and the game was taken over before it was asked for again: it is acknowledged, since the new owner has
/// read it, and nothing of what the new owner has written since is undone.
async fn what_was_stored_before_is_not_refused(store: &SqlStore, tag: &str) -> Tested {
    let game = format!("{tag}again");
    let a = store.arrive(&node(&format!("{tag}a"), 1, 0)).await?;
    let b = store.arrive(&node(&format!("{tag}b"), 2, 0)).await?;
    let first = GameWrite {
        running: Some(begins()),
        ..made(&game)
    };
    one(store, of(a, 1, first)).await??;
    let write = GameWrite {
        due: Some(Due::At(77)),
        running: Some(Running::Moves(board(1))),
        ..of(a, 1, events(&game, [1, 2]))
    };
    one(store, write.clone()).await??;
    store.leave(a, 0).await?;
    assert_eq!(store.claim(&game, b, 0).await?, Claimed::Yours { epoch: 3 });
    let next = GameWrite {
        due: Some(Due::At(88)),
        running: Some(Running::Moves(board(3))),
        ..of(b, 3, events(&game, [3]))
    };
    one(store, next).await??;
    one(store, write.clone()).await??;
    let stored = store.load(&game).await?.ok_or("gone")?;
    assert_eq!((stored.due, stored.events.len()), (Some(88), 3));
    let boards = store.running_boards(std::slice::from_ref(&game)).await?;
    assert_eq!(boards[0].board.seq, 3);
    // With one more it is refused as a whole.
    let more = GameWrite {
        events: [1, 2, 4].map(event).into(),
        ..write.clone()
    };
    fenced(one(store, more).await?, &game, 1);
    let other = EventRow {
        body: "another".into(),
        ..event(2)
    };
    let differs = one(
        store,
        GameWrite {
            events: vec![other],
            ..write
        },
    );
    assert!(matches!(
        differs.await?,
        Err(StoreError::Conflict { seq: 2, .. })
    ));
    store.leave(b, 0).await?;
    Ok(())
}

async fn new_games_are_their_makers(store: &SqlStore, tag: &str) -> Tested {
    let (game, late) = (format!("{tag}new"), format!("{tag}late"));
    let a = store.arrive(&node(&format!("{tag}a"), 1, 40)).await?;
    let write = of(a, 1, made(&game));
    one(store, write.clone()).await??;
    one(store, write.clone()).await??;
    let stored = store.load(&game).await?.ok_or("not made")?;
    assert_eq!((stored.owner, stored.epoch), (a, 1));
    assert_eq!(stored.since, Some(Since::At(40)));
    assert_eq!(store.due_of(a, 500, 10).await?, [game.clone()]);
    assert_eq!(store.due_of(a, 499, 10).await?, [""; 0]);
    assert!(!store.due(i64::MAX, 100_000).await?.contains(&game));
    store.set_time(START + lease_ms());
    fenced(one(store, of(a, 1, made(&late))).await?, &late, 1);
    assert_eq!(store.load(&late).await?, None);
    // It was made, and may be another's by now.
    fenced(one(store, write).await?, &game, 1);
    Ok(())
}

async fn games_are_given_back_and_handed_over(store: &SqlStore, tag: &str) -> Tested {
    let ids = [0, 1, 2, 3, 4].map(|n| format!("{tag}moves{n}"));
    let a = store.arrive(&node(&format!("{tag}a"), 1, 0)).await?;
    let b = store.arrive(&node(&format!("{tag}b"), 2, 0)).await?;
    for id in &ids {
        one(store, of(a, 1, made(id))).await??;
    }
    let orphans = async || -> Result<Vec<String>, StoreError> {
        let mut found = store.orphans(100_000).await?;
        found.retain(|id| ids.contains(id));
        Ok(found)
    };
    let share = async |boot| -> Result<Option<i64>, StoreError> {
        let shares = store.owned().await?;
        let mut nodes = shares.nodes.into_iter();
        let found = nodes.find(|(n, _)| n.boot == boot);
        Ok(found.map(|(_, games)| games))
    };
    assert_eq!(share(a).await?, Some(5));
    assert_eq!(orphans().await?, [""; 0]);
    // Only the owner gives back, and only what it has.
    let back = [owned(&ids[0], 1), owned(&ids[1], 9), owned("nothing", 1)];
    assert_eq!(store.release(&back, b, 0).await?, [""; 0]);
    assert_eq!(store.release(&back, a, 0).await?, [ids[0].clone()]);
    fenced(
        one(store, of(a, 1, events(&ids[0], [1]))).await?,
        &ids[0],
        1,
    );
    assert_eq!(orphans().await?, [ids[0].clone()]);
    assert!(store.owned().await?.nobody >= 1);
    assert_eq!(
        store.claim(&ids[0], b, 0).await?,
        Claimed::Yours { epoch: 3 }
    );
    // Handed over: the one writes no more, the other may claim it.
    assert!(!store.hand_over(&owned(&ids[1], 2), a, b, 0).await?);
    assert!(!store.hand_over(&owned(&ids[1], 1), b, a, 0).await?);
    assert!(!store.hand_over(&owned(&ids[1], 1), a, i64::MAX, 0).await?);
    assert!(store.hand_over(&owned(&ids[1], 1), a, b, 0).await?);
    assert!(matches!(
        store.claim(&ids[1], a, 0).await?,
        Claimed::Of { boot, epoch: 2, .. } if boot == b
    ));
    for (boot, epoch) in [(a, 1), (a, 2)] {
        let late = one(store, of(boot, epoch, events(&ids[1], [1]))).await?;
        fenced(late, &ids[1], epoch);
    }
    assert_eq!(
        store.claim(&ids[1], b, 0).await?,
        Claimed::Yours { epoch: 3 }
    );
    one(store, of(b, 3, events(&ids[1], [1]))).await??;
    // One that is about to leave gets none.
    let leaves = Sign {
        leaving: true,
        ..sign(0)
    };
    store.beat(b, leaves).await?;
    assert!(!store.hand_over(&owned(&ids[2], 1), a, b, 0).await?);
    assert_eq!([share(a).await?, share(b).await?], [Some(3), Some(2)]);
    // Whoever leaves frees what it has; what is over is nobody's concern.
    let end = GameWrite {
        over: true,
        ..events(&ids[4], [1])
    };
    one(store, of(a, 1, end)).await??;
    store.leave(a, 0).await?;
    let mut free = orphans().await?;
    free.sort();
    assert_eq!(free, [ids[2].clone(), ids[3].clone()]);
    assert_eq!([share(a).await?, share(b).await?], [None, Some(2)]);
    // One that dies leaves orphans behind, and its row for as long as they are.
    store.set_time(START + lease_ms());
    assert_eq!(orphans().await?.len(), 4);
    store.set_time(START + 10 * 60_000);
    let c = store.arrive(&node(&format!("{tag}c"), 3, 0)).await?;
    assert_eq!(share(b).await?, Some(2));
    assert_eq!(orphans().await?.len(), 4);
    for id in orphans().await? {
        assert!(matches!(
            store.claim(&id, c, 0).await?,
            Claimed::Yours { .. }
        ));
    }
    assert_eq!(
        store.claim(&ids[4], c, 0).await?,
        Claimed::Yours { epoch: 2 }
    );
    assert_eq!(orphans().await?, [""; 0]);
    let d = store.arrive(&node(&format!("{tag}d"), 4, 0)).await?;
    assert_eq!([share(b).await?, share(c).await?], [None, Some(4)]);
    for boot in [c, d] {
        store.leave(boot, 0).await?;
    }
    Ok(())
}

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

async fn gaps_are_charged_to_nobody(store: &SqlStore, tag: &str) -> Tested {
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
    assert_eq!(store.release(&[back], c, 207).await?, [game.clone()]);
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
    assert_eq!(begun.last_ms, 180);
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
