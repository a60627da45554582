//! Leases, owners and epochs, on both databases. The database's time stands still unless a test moves it.

use super::{Tested, event, events, made, one};
use crate::nodes::{Beat, Claimed, LEASE, NewNode, Nodes, Owned, Sign, Since};
use crate::running::{BoardRow, Running, RunningRow, RunningSeat, RunningStore, UNTIMED};
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
        protocol: 1,
        run,
        sign: sign(run_ms),
    }
}

pub fn owned(game: &str, epoch: i64) -> Owned {
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

pub fn fenced(result: Result<(), StoreError>, game: &str, epoch: i64) {
    let game = game.into();
    assert_eq!(result, Err(StoreError::Fenced { game, epoch }));
}

pub async fn contract(store: &SqlStore, tag: &str) -> Tested {
    store.set_time(START);
    leases_run_by_the_databases_time(store, tag).await?;
    store.set_time(START);
    one_owner_at_a_time(store, tag).await?;
    store.set_time(START);
    the_lease_of_a_silent_node_is_ended(store, tag).await?;
    store.set_time(START);
    what_nobody_owns_is_taken_at_once(store, tag).await?;
    store.set_time(START);
    all_that_a_game_has_stored_is_fenced(store, tag).await?;
    store.set_time(START);
    what_was_stored_before_is_not_refused(store, tag).await?;
    store.set_time(START);
    new_games_are_their_makers(store, tag).await?;
    store.set_time(START);
    games_are_given_back_and_handed_over(store, tag).await?;
    store.set_time(START);
    super::nodes_time::gaps_are_charged_to_nobody(store, tag).await?;
    store.set_time(START);
    super::nodes_protocol::games_stay_with_those_who_understand_them(store, tag).await?;
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

async fn the_lease_of_a_silent_node_is_ended(store: &SqlStore, tag: &str) -> Tested {
    let game = format!("{tag}silent");
    let a = store.arrive(&node(&format!("{tag}a"), 1, 0)).await?;
    let b = store.arrive(&node(&format!("{tag}b"), 2, 0)).await?;
    one(store, made(&game)).await??;
    assert_eq!(store.claim(&game, a, 0).await?, Claimed::Yours { epoch: 1 });
    store.set_time(START + 1000);
    assert!(
        !store.expire(a, lease_ms() - 1001).await?,
        "it was heard lately"
    );
    one(store, of(a, 1, events(&game, [1]))).await??;
    assert!(store.expire(a, lease_ms() - 1000).await?);
    assert!(store.expire(a, 0).await?, "it is over already");
    assert!(store.expire(i64::MAX, 0).await?, "nobody has had it");
    assert_eq!(store.beat(a, sign(0)).await?, Beat::Lost);
    fenced(one(store, of(a, 1, events(&game, [2]))).await?, &game, 1);
    assert!(matches!(store.beat(b, sign(0)).await?, Beat::Alive(_)));
    assert_eq!(store.claim(&game, b, 0).await?, Claimed::Yours { epoch: 2 });
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
    begins_at("chess", "rapid")
}

fn begins_at(variant: &str, speed: &str) -> Running {
    let seat = || RunningSeat {
        person: "nobody".into(),
        name: "Nobody".into(),
        account: false,
        level: None,
        first: 1500,
    };
    let row = RunningRow {
        variant: variant.into(),
        clock: "10+5".into(),
        speed: speed.into(),
        rated: false,
        seats: [seat(), seat()],
        began_ms: 0,
    };
    Running::Begins(Box::new(row), board(0))
}

/// One who has lost a game changes nothing of it, with events or without, and is told so.
async fn what_nobody_owns_is_taken_at_once(store: &SqlStore, tag: &str) -> Tested {
    // PostgreSQL has no text with NUL, and says so; it is not away for that.
    let odd = store.load("nul \0").await;
    assert!(
        matches!(odd, Ok(None) | Err(StoreError::Unheld(_))),
        "{odd:?}"
    );
    let dead = store.arrive(&node(&format!("{tag}dead"), 1, 0)).await?;
    let games: Vec<String> = ["dead", "free", "other", "own", "none"]
        .map(|name| format!("{tag}taken-{name}"))
        .into();
    let variant = format!("{tag}untimed");
    for (game, speed) in games[..4].iter().zip([UNTIMED, "rapid", UNTIMED, UNTIMED]) {
        let write = GameWrite {
            running: Some(begins_at(&variant, speed)),
            ..made(game)
        };
        one(store, write).await??;
    }
    let due = GameWrite {
        due: Some(Due::At(500)),
        ..events(&games[0], [1])
    };
    store.claim(&games[0], dead, 100).await?;
    one(store, of(dead, 1, due)).await??;
    store.set_time(START + lease_ms());
    let a = store.arrive(&node(&format!("{tag}a"), 2, 0)).await?;
    let b = store.arrive(&node(&format!("{tag}b"), 3, 0)).await?;
    store.claim(&games[2], a, 0).await?;
    store.claim(&games[3], b, 0).await?;
    let mut taken = store.adopt(&games, b, 1000).await?;
    taken.sort();
    assert_eq!(taken, games[..2]);
    let mut seen = Vec::new();
    for game in &games[..4] {
        let stored = store.load(game).await?.ok_or("gone")?;
        seen.push((stored.owner, stored.epoch));
    }
    assert_eq!(seen, [(b, 2), (b, 1), (a, 1), (b, 1)]);
    // Whoever was at one without a clock has gone with the node, or comes again: only then is it to be watched.
    let page = store.running(&[variant], None, 100).await?;
    let shown = |n: usize| page.iter().any(|row| row.game == games[n]);
    assert_eq!([0, 1, 2, 3].map(shown), [false, true, true, true]);
    // The former owner writes no more, and what is due is so by the new one's time.
    fenced(
        one(store, of(dead, 1, events(&games[0], [2]))).await?,
        &games[0],
        1,
    );
    assert!(!store.due_of(b, 1000, 9).await?.contains(&games[0]));
    assert!(store.due_of(b, 2000, 9).await?.contains(&games[0]));
    assert!(store.adopt(&games, b, 2000).await?.is_empty());
    // One whose own lease is over takes nothing.
    store.set_time(START + 3 * lease_ms());
    assert!(store.adopt(&games, b, 3000).await?.is_empty());
    let a = store.arrive(&node(&format!("{tag}a"), 4, 0)).await?;
    assert_eq!(store.adopt(&games, a, 0).await?.len(), 4);
    store.leave(a, 0).await?;
    Ok(())
}

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
    assert_eq!(store.due_of(a, 500, 10).await?, std::slice::from_ref(&game));
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
        let mut found = store.orphans(1, 100_000).await?;
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
    assert_eq!(store.owner(&ids[0]).await?, Some(a));
    assert_eq!(store.release(&back, a, 0).await?, [ids[0].clone()]);
    assert_eq!(store.owner(&ids[0]).await?, Some(0));
    assert_eq!(store.owner("nothing").await?, None);
    let asked = [ids[0].clone(), "nothing".into(), ids[1].clone()];
    let mut owners = store.owners(&asked).await?;
    owners.sort();
    let mut expected = vec![
        (ids[0].clone(), 0),
        (ids[1].clone(), store.owner(&ids[1]).await?.ok_or("gone")?),
    ];
    expected.sort();
    assert_eq!(owners, expected);
    assert!(store.owners(&[]).await?.is_empty());
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
