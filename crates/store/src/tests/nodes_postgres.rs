//! Nodes that share a PostgreSQL, each with connections of its own, at the same time. Every test has a database for itself.

use super::nodes::{lease_ms, node, of, sign};
use super::{Tested, events, made, one};
use crate::append;
use crate::nodes::{Beat, Claimed, Nodes, Owned};
use crate::votes::{Marks, VoteRow, VoteStore};
use crate::{Mode, SqlStore, Store, StoreError};
use sqlx::{AnyConnection, Connection, Row};
use std::sync::Arc;
use std::time::Duration;

/// A database with a name of its own on the server of the tests.
pub(super) async fn database(name: &str) -> Result<String, Box<dyn std::error::Error>> {
    let url = std::env::var("HUSUN_TEST_POSTGRES")?;
    sqlx::any::install_default_drivers();
    let name = format!("{name}_{}", std::process::id());
    let mut connection = AnyConnection::connect(&url).await?;
    let sql = format!("CREATE DATABASE {name}");
    sqlx::raw_sql(sqlx::AssertSqlSafe(sql))
        .execute(&mut connection)
        .await?;
    let (server, _) = url.rsplit_once('/').ok_or("the URL names no database")?;
    Ok(format!("{server}/{name}"))
}

async fn nodes(url: &str, number: usize) -> Result<Vec<SqlStore>, StoreError> {
    let mut stores = Vec::new();
    for _ in 0..number {
        stores.push(SqlStore::open_as(url, Mode::Cluster).await?);
    }
    Ok(stores)
}

/// Eight nodes whose leases outlast any test, with their boots.
async fn eight(url: &str) -> Result<(Vec<SqlStore>, Vec<i64>), StoreError> {
    let stores = nodes(url, 8).await?;
    let mut boots = Vec::new();
    for (n, store) in stores.iter().enumerate() {
        let mut new = node(&format!("node{n}"), 1, 0);
        new.sign.lease_ms = 600_000;
        boots.push(store.arrive(&new).await?);
    }
    Ok((stores, boots))
}

async fn connect(url: &str) -> Result<AnyConnection, sqlx::Error> {
    let mut connection = AnyConnection::connect(url).await?;
    sqlx::raw_sql("SET application_name TO 'aside'")
        .execute(&mut connection)
        .await?;
    Ok(connection)
}

/// Waits until a statement of this database waits for a lock.
async fn until_one_waits(url: &str) -> Tested {
    let mut connection = connect(url).await?;
    for _ in 0..500 {
        let row = sqlx::query(
            "SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
        )
        .fetch_one(&mut connection)
        .await?;
        if row.try_get::<i64, _>(0)? > 0 {
            return Ok(());
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    Err("nothing has waited for a lock in five seconds".into())
}

#[tokio::test]
#[ignore = "wants a PostgreSQL at the URL in HUSUN_TEST_POSTGRES; ./test starts one"]
async fn postgres_is_shared_by_nodes_or_used_alone() -> Tested {
    let url = database("husun_modes").await?;
    let alone = SqlStore::open(&url).await?;
    let refused = SqlStore::open_as(&url, Mode::Cluster).await;
    let refused = refused.err().ok_or("opened beside a server alone")?;
    assert!(matches!(refused, StoreError::InUseAlone(_)), "{refused}");
    alone.close().await;
    drop(alone);
    tokio::time::sleep(Duration::from_millis(200)).await;
    let stores = nodes(&url, 2).await?;
    let refused = SqlStore::open(&url).await.err().ok_or("opened alone")?;
    assert!(matches!(refused, StoreError::InUseByNodes(_)), "{refused}");
    // Runs that begin at once have numbers of their own.
    let (first, second) = tokio::join!(stores[0].begin_run(1, None), stores[1].begin_run(1, None));
    assert_ne!(first?.run, second?.run);
    // All connections are cut: each node goes on with new ones.
    let boot = stores[0].arrive(&node("a", 1, 0)).await?;
    one(&stores[0], of(boot, 1, made("game"))).await??;
    for seq in 1..=3 {
        assert!(SqlStore::cut_writer(&url).await? >= 2);
        let write = of(boot, 1, events("game", [seq]));
        if one(&stores[0], write.clone()).await.is_err() {
            one(&stores[0], write).await??;
        }
        let mut beat = stores[0].beat(boot, sign(seq)).await;
        if beat.is_err() {
            beat = stores[0].beat(boot, sign(seq)).await;
        }
        assert!(matches!(beat?, Beat::Alive(_)));
    }
    for store in &stores {
        store.close().await;
    }
    tokio::time::sleep(Duration::from_millis(200)).await;
    // The server that has it alone again has the games, too.
    let alone = SqlStore::open(&url).await?;
    let stored = alone.load("game").await?.ok_or("gone")?;
    assert_eq!((stored.owner, stored.events.len()), (0, 3));
    one(&alone, of(0, stored.epoch, events("game", [4]))).await??;
    let error = SqlStore::open_as("sqlite://nodes.sqlite", Mode::Cluster).await;
    let error = error.err().ok_or("opened")?;
    assert!(error.to_string().contains("PostgreSQL"), "{error}");
    Ok(())
}

/// Eight nodes take what nobody owns at once, while a write to one of the games is under way: none waits for another, each game
/// is one node's, and that one is left for later.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
#[ignore = "wants a PostgreSQL at the URL in HUSUN_TEST_POSTGRES; ./test starts one"]
async fn postgres_shares_what_nobody_owns() -> Tested {
    let url = database("husun_adopt").await?;
    let (stores, boots) = eight(&url).await?;
    let games: Vec<String> = (0..200).map(|n| format!("game{n}")).collect();
    for game in &games {
        one(&stores[0], made(game)).await??;
    }
    let mut aside = connect(&url).await?;
    sqlx::raw_sql("BEGIN; UPDATE games SET epoch = epoch WHERE id = 'game7'")
        .execute(&mut aside)
        .await?;
    let takes = stores
        .iter()
        .zip(&boots)
        .enumerate()
        .map(|(n, (store, boot))| {
            let (store, boot, mut games) = (store.clone(), *boot, games.clone());
            // Each begins elsewhere, and goes the other way than the one before.
            games.rotate_left(n * 23);
            if n % 2 == 1 {
                games.reverse();
            }
            tokio::spawn(async move {
                let mut taken = Vec::new();
                for some in games.chunks(40) {
                    taken.extend(store.adopt(some, boot, 0).await?);
                }
                Ok::<_, StoreError>((boot, taken))
            })
        });
    let mut owners = std::collections::BTreeMap::new();
    for taken in takes.collect::<Vec<_>>() {
        let (boot, taken) = taken.await??;
        for game in taken {
            assert_eq!(owners.insert(game.clone(), boot), None, "{game}");
        }
    }
    assert!(!owners.contains_key("game7"));
    sqlx::raw_sql("ROLLBACK").execute(&mut aside).await?;
    let left: Vec<String> = games
        .iter()
        .filter(|g| !owners.contains_key(*g))
        .cloned()
        .collect();
    for game in stores[0].adopt(&left, boots[0], 0).await? {
        owners.insert(game, boots[0]);
    }
    assert_eq!(owners.len(), games.len());
    for (game, boot) in owners {
        let stored = stores[0].load(&game).await?.ok_or("gone")?;
        assert_eq!((stored.owner, stored.epoch), (boot, 1), "{game}");
    }
    Ok(())
}

/// Eight nodes want one game at once: each epoch is one node's, and exactly one has it in the end.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
#[ignore = "wants a PostgreSQL at the URL in HUSUN_TEST_POSTGRES; ./test starts one"]
async fn postgres_gives_a_game_to_one_of_eight() -> Tested {
    let url = database("husun_race").await?;
    let (stores, boots) = eight(&url).await?;
    one(&stores[0], made("game")).await??;
    let mut epoch = 0;
    for round in 0..40 {
        let claims = stores.iter().zip(&boots).map(|(store, boot)| {
            let (store, boot) = (store.clone(), *boot);
            tokio::spawn(async move { (boot, store.claim("game", boot, 0).await) })
        });
        let mut won = Vec::new();
        for claim in claims.collect::<Vec<_>>() {
            match claim.await? {
                (boot, Ok(Claimed::Yours { epoch })) => won.push((boot, epoch)),
                (_, Ok(Claimed::Of { .. })) => {}
                other => return Err(format!("round {round}: {other:?}").into()),
            }
        }
        assert_eq!(won.len(), 1, "round {round}: {won:?}");
        let (winner, next) = won[0];
        assert_eq!(next, epoch + 1, "round {round}");
        let stored = stores[0].load("game").await?.ok_or("gone")?;
        assert_eq!((stored.owner, stored.epoch), (winner, next));
        // The next round begins without an owner, which is one more change of hands.
        let game = Owned {
            game: "game".into(),
            epoch: next,
        };
        let n = boots.iter().position(|boot| *boot == winner).ok_or("?")?;
        let back = stores[n].release(&[game], winner, 0).await?;
        assert_eq!(back, ["game"]);
        epoch = next + 1;
    }
    Ok(())
}

/// A transaction that has written an event is held open: whoever takes the game over waits for it, and then reads the event.
/// Without the lock it would not: that is shown, too.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
#[ignore = "wants a PostgreSQL at the URL in HUSUN_TEST_POSTGRES; ./test starts one"]
async fn postgres_takes_a_game_over_after_an_open_write() -> Tested {
    let url = database("husun_open").await?;
    let stores = nodes(&url, 2).await?;
    let (a, b) = (&stores[0], &stores[1]);
    let boots = [
        a.arrive(&node("a", 1, 0)).await?,
        b.arrive(&node("b", 1, 0)).await?,
    ];
    // The lease of the first is short, so that the other may have its games at once.
    for (game, lock) in [("locked", true), ("open", false)] {
        let long = crate::nodes::Sign {
            lease_ms: 60_000,
            ..sign(0)
        };
        let mut new = node("a", 1, 0);
        new.sign = long;
        let owner = a.arrive(&new).await?;
        b.beat(boots[1], long).await?;
        one(a, of(owner, 1, made(game))).await??;
        let mut fence = a.fence();
        assert!(!fence.lock.is_empty());
        if !lock {
            fence.lock = "";
        }
        let mut aside = connect(&url).await?;
        append::enter(&mut aside, &fence, &[of(owner, 1, events(game, [1]))]).await?;
        // Its next life makes an end of this one: the game may be taken.
        a.arrive(&node("a", 2, 0)).await?;
        let (b, boot) = (b.clone(), boots[1]);
        let claim = tokio::spawn(async move {
            let claimed = b.claim(game, boot, 0).await?;
            let seen = b.load(game).await?.map(|stored| stored.events.len());
            Ok::<_, StoreError>((claimed, seen))
        });
        if lock {
            until_one_waits(&url).await?;
            assert!(!claim.is_finished());
            append::commit(&mut aside, fence.dialect).await?;
            let (claimed, seen) = claim.await??;
            assert_eq!((claimed, seen), (Claimed::Yours { epoch: 2 }, Some(1)));
        } else {
            let (claimed, seen) = claim.await??;
            assert_eq!((claimed, seen), (Claimed::Yours { epoch: 2 }, Some(0)));
            // Acknowledged now, and missing in what the new owner has read.
            append::commit(&mut aside, fence.dialect).await?;
            assert_eq!(a.load(game).await?.ok_or("gone")?.events.len(), 1);
        }
        aside.close().await?;
    }
    Ok(())
}

/// The other way round: a write meets a take-over that is not committed, waits for it, and is refused.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
#[ignore = "wants a PostgreSQL at the URL in HUSUN_TEST_POSTGRES; ./test starts one"]
async fn postgres_refuses_a_write_that_meets_a_take_over() -> Tested {
    let url = database("husun_meets").await?;
    let stores = nodes(&url, 1).await?;
    let a = &stores[0];
    let mut new = node("a", 1, 0);
    new.sign.lease_ms = 60_000;
    let boot = a.arrive(&new).await?;
    one(a, of(boot, 1, made("game"))).await??;
    for (n, commits) in [(1, false), (2, true)] {
        let mut aside = connect(&url).await?;
        append::begin(&mut aside, a.dialect()).await?;
        sqlx::query("UPDATE games SET epoch = epoch + 1 WHERE id = 'game'")
            .execute(&mut aside)
            .await?;
        let write = tokio::spawn({
            let a = a.clone();
            async move { one(&a, of(boot, 1, events("game", [n]))).await }
        });
        until_one_waits(&url).await?;
        assert!(!write.is_finished());
        match commits {
            true => append::commit(&mut aside, a.dialect()).await?,
            false => append::rollback(&mut aside).await?,
        }
        let written = write.await??;
        match commits {
            true => assert!(
                matches!(written, Err(StoreError::Fenced { epoch: 1, .. })),
                "{written:?}"
            ),
            false => written?,
        }
    }
    assert_eq!(a.load("game").await?.ok_or("gone")?.events.len(), 1);
    // One that has fallen silent in the midst of a transaction keeps nobody from its games.
    let mut aside = a.connect(&mut crate::hold::Writing::default()).await?;
    append::enter(&mut aside, &a.fence(), &[of(boot, 2, events("game", [2]))]).await?;
    let start = std::time::Instant::now();
    let claimed = loop {
        match a.claim("game", boot, 0).await {
            Err(error) if error.is_passing() && start.elapsed().as_secs() < 10 => {}
            claimed => break claimed?,
        }
    };
    assert_eq!(claimed, Claimed::Yours { epoch: 3 });
    assert!(
        start.elapsed() < Duration::from_secs(5),
        "{:?}",
        start.elapsed()
    );
    assert_eq!(a.load("game").await?.ok_or("gone")?.events.len(), 1);
    Ok(())
}

/// A write and a take-over at the same moment, hundreds of times at other moments: what was acknowledged is in what the new
/// owner reads, and what it does not read was refused. `HUSUN_RACES=5000` asks for more.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
#[ignore = "wants a PostgreSQL at the URL in HUSUN_TEST_POSTGRES; ./test starts one"]
async fn postgres_never_loses_what_it_has_acknowledged() -> Tested {
    let url = database("husun_races").await?;
    let stores = nodes(&url, 2).await?;
    let mut boots = Vec::new();
    for (n, store) in stores.iter().enumerate() {
        let mut new = node(&format!("node{n}"), 1, 0);
        new.sign.lease_ms = 600_000;
        boots.push(store.arrive(&new).await?);
    }
    let races = std::env::var("HUSUN_RACES").ok();
    let races: u64 = races.and_then(|text| text.parse().ok()).unwrap_or(300);
    one(&stores[0], of(boots[0], 1, made("game"))).await??;
    let stores = Arc::new(stores);
    let (mut owner, mut epoch, mut seq) = (0, 1, 0);
    let (mut taken, mut refused) = (0, 0);
    for race in 0..races {
        let other = 1 - owner;
        let [from, to] = [boots[owner], boots[other]];
        // Up to two milliseconds between the two, either way.
        let wait = race.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40;
        let [late_write, late_claim] = match race % 2 {
            0 => [wait % 2000, 0],
            _ => [0, wait % 2000],
        };
        let write = tokio::spawn({
            let stores = stores.clone();
            async move {
                tokio::time::sleep(Duration::from_micros(late_write)).await;
                one(&stores[owner], of(from, epoch, events("game", [seq + 1]))).await
            }
        });
        let take = tokio::spawn({
            let stores = stores.clone();
            async move {
                tokio::time::sleep(Duration::from_micros(late_claim)).await;
                let game = Owned {
                    game: "game".into(),
                    epoch,
                };
                assert!(stores[other].hand_over(&game, from, to, 0).await?);
                let claimed = stores[other].claim("game", to, 0).await?;
                let read = stores[other].load("game").await?;
                Ok::<_, StoreError>((claimed, read))
            }
        });
        let (written, taken_over) = (write.await??, take.await??);
        let (claimed, read) = taken_over;
        assert_eq!(claimed, Claimed::Yours { epoch: epoch + 2 }, "race {race}");
        let read = read.ok_or("gone")?.events.len() as i64;
        match written {
            Ok(()) => {
                assert_eq!(read, seq + 1, "race {race}: acknowledged and missing");
                (seq, taken) = (seq + 1, taken + 1);
            }
            Err(StoreError::Fenced { .. }) => {
                assert_eq!(read, seq, "race {race}: refused and there");
                refused += 1;
            }
            Err(error) => return Err(error.into()),
        }
        // The new owner goes on with what it has read.
        one(&stores[other], of(to, epoch + 2, events("game", [seq + 1]))).await??;
        (owner, epoch, seq) = (other, epoch + 2, seq + 1);
    }
    println!("{taken} taken, {refused} refused");
    assert!(taken > 0 && refused > 0, "{taken} taken, {refused} refused");
    Ok(())
}

/// Games of many that end in the same millisecond on several nodes get places of their own in the archive.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
#[ignore = "wants a PostgreSQL at the URL in HUSUN_TEST_POSTGRES; ./test starts one"]
async fn postgres_archives_what_ends_on_several_nodes_at_once() -> Tested {
    use crate::archive::ArchiveStore;
    let url = database("husun_ends").await?;
    let stores = nodes(&url, 4).await?;
    let ends = stores.into_iter().enumerate().map(|(n, store)| {
        tokio::spawn(async move {
            let mut new = node(&format!("node{n}"), 1, 0);
            new.sign.lease_ms = 600_000;
            let boot = store.arrive(&new).await?;
            for game in 0..25 {
                let id = format!("game-{n}-{game}");
                one(&store, of(boot, 1, made(&id))).await??;
                let end = crate::GameWrite {
                    over: true,
                    archive: Some(super::archive::row("white", "black", 5)),
                    ..of(boot, 1, events(&id, [1]))
                };
                one(&store, end).await??;
            }
            store.waiting().await
        })
    });
    let mut waiting = 0;
    for end in ends.collect::<Vec<_>>() {
        waiting = waiting.max(end.await??);
    }
    assert_eq!(waiting, 100);
    Ok(())
}

/// The lease is over by the database's own time.
#[tokio::test]
#[ignore = "wants a PostgreSQL at the URL in HUSUN_TEST_POSTGRES; ./test starts one"]
async fn postgres_ends_leases_by_its_own_time() -> Tested {
    let url = database("husun_leases").await?;
    let stores = nodes(&url, 2).await?;
    let start = std::time::Instant::now();
    let [a, b] = [
        stores[0].arrive(&node("a", 1, 0)).await?,
        stores[1].arrive(&node("b", 2, 0)).await?,
    ];
    one(&stores[0], of(a, 1, made("game"))).await??;
    loop {
        stores[1].beat(b, sign(0)).await?;
        if stores[1].orphans(1, 10).await? == ["game"] {
            break;
        }
        assert!(start.elapsed() < Duration::from_secs(10), "never an orphan");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    let late = start.elapsed().as_millis() as i64 - lease_ms();
    assert!((0..2000).contains(&late), "{late} ms after the lease");
    assert_eq!(
        stores[1].claim("game", b, 0).await?,
        Claimed::Yours { epoch: 2 }
    );
    assert_eq!(stores[0].beat(a, sign(1)).await?, Beat::Lost);
    Ok(())
}

/// A vote is counted by one node while others still take ballots, by clocks that are behind: each that is acknowledged is counted,
/// and none is left.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
#[ignore = "wants a PostgreSQL at the URL in HUSUN_TEST_POSTGRES; ./test starts one"]
async fn postgres_counts_every_ballot_that_was_taken() -> Tested {
    let url = database("husun_ballots").await?;
    let stores: Vec<Arc<SqlStore>> = nodes(&url, 4).await?.into_iter().map(Arc::new).collect();
    for round in 0..10 {
        let vote = VoteRow {
            id: format!("vote{round}"),
            body: "{}".into(),
            caller: "ann".into(),
            made_ms: 0,
            closes_ms: 5000,
            declared: None,
            off_ms: None,
        };
        assert!(stores[0].call_vote(&vote, [100, 100]).await?);
        let voters = stores[1..].iter().enumerate().map(|(n, store)| {
            let (store, id) = (store.clone(), vote.id.clone());
            tokio::spawn(async move {
                let mut taken = 0;
                for voter in 0..200 {
                    let person = format!("{n}-{voter}");
                    if !store.cast(&id, &person, Marks::default(), 4999).await? {
                        break;
                    }
                    taken += 1;
                }
                Ok::<i64, StoreError>(taken)
            })
        });
        let voters: Vec<_> = voters.collect();
        while stores[0].voters(&vote.id).await? < 10 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        let count = |ballots: &[(Marks, i64)]| {
            let all: i64 = ballots.iter().map(|(_, n)| n).sum();
            all.to_string()
        };
        stores[0].declare(&vote.id, 5000, &count).await?;
        let mut taken = 0;
        for voter in voters {
            taken += voter.await??;
        }
        let declared = stores[0].vote(&vote.id).await?.ok_or("gone")?.declared;
        assert_eq!(declared, Some(taken.to_string()), "round {round}");
        assert_eq!(stores[0].voters(&vote.id).await?, 0, "round {round}");
    }
    Ok(())
}

/// PostgreSQL answers the model's questions as SQLite does.
#[tokio::test]
#[ignore = "wants a PostgreSQL at the URL in HUSUN_TEST_POSTGRES; ./test starts one"]
async fn postgres_answers_as_the_model() -> Tested {
    let url = database("husun_model").await?;
    super::model::replay(&nodes(&url, 1).await?[0], 1, 20).await
}
