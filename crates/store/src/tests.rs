//! One contract for all storages. `./test` starts a PostgreSQL for its part.

mod accounts;
mod archive;
mod batches;
mod hanging;
mod model;
mod moderation;
mod nodes;
mod nodes_postgres;
mod nodes_protocol;
mod nodes_time;
mod notices;
mod offers;
mod people;
mod ratings;
mod tokens;
mod tournaments;
mod votes;

use super::*;
use std::sync::Arc;

type Tested = Result<(), Box<dyn std::error::Error>>;

fn made(id: &str) -> GameWrite {
    GameWrite {
        game: id.into(),
        made: Some(NewGameRow {
            spec: "{}".into(),
            made_ms: 1000,
            guests: vec!["ann".into()],
        }),
        due: Some(Due::At(500)),
        ..GameWrite::default()
    }
}

fn event(seq: i64) -> EventRow {
    EventRow {
        seq,
        at_ms: seq * 10,
        run: 1,
        run_ms: seq * 10,
        wall_ms: 1000 + seq,
        body: format!("event {seq} 'quoted'"),
        guest: (seq == 1).then(|| "bob".into()),
    }
}

fn events(game: &str, seqs: impl IntoIterator<Item = i64>) -> GameWrite {
    GameWrite {
        game: game.into(),
        events: seqs.into_iter().map(event).collect(),
        ..GameWrite::default()
    }
}

/// Writes for one game, and its own answer.
async fn one(store: &dyn Store, write: GameWrite) -> Result<Result<(), StoreError>, StoreError> {
    let mut results = store.write(&[write]).await?;
    Ok(results.remove(0))
}

/// The texts of a game's variant come with the game; the first that are kept under a name stay.
async fn texts_are_kept_once(store: &dyn Store, tag: &str) -> Tested {
    let name = format!("{tag}lagoon_00");
    assert_eq!(store.definition(&name).await?, None);
    let with = |game: &str, texts: &str| GameWrite {
        definition: Some(DefinitionRow {
            name: name.clone(),
            texts: texts.into(),
        }),
        ..made(game)
    };
    one(store, with(&format!("{tag}x"), "{\"game\":\"'\"}")).await??;
    one(store, with(&format!("{tag}y"), "other")).await??;
    let kept = store.definition(&name).await?.ok_or("not kept")?;
    assert_eq!((kept.name, kept.texts.as_str()), (name, "{\"game\":\"'\"}"));
    Ok(())
}

async fn contract(store: Arc<dyn Store>, tag: &str) -> Tested {
    let (a, b) = (format!("{tag}a"), format!("{tag}b"));
    let (ann, bob) = (format!("{tag}ann"), format!("{tag}bob"));
    let store = store.as_ref();
    let mut game = made(&a);
    if let Some(made) = &mut game.made {
        made.guests = vec![ann.clone()];
    }
    one(store, game.clone()).await??;
    one(store, game.clone()).await??;
    // Another game under the same id is refused.
    let mut foreign = game;
    if let Some(made) = &mut foreign.made {
        made.spec = "{\"other\":1}".into();
    }
    let refused = one(store, foreign).await?;
    assert!(
        matches!(refused, Err(StoreError::Conflict { seq: 0, .. })),
        "{refused:?}"
    );
    let mut other = made(&b);
    if let Some(made) = &mut other.made {
        made.guests.clear();
    }
    one(store, other).await??;
    assert_eq!(store.load("nothing").await?, None);
    let results = store.write(&[events(&a, [1, 2]), events(&b, [1])]).await?;
    assert!(results.iter().all(Result::is_ok));
    // The same again, with one more: nothing is doubled.
    let mut again = events(&a, [2, 3]);
    again.events[1].guest = Some(bob.clone());
    one(store, again).await??;
    let stored = store.load(&a).await?.ok_or("the game is not there")?;
    let expected: Vec<EventRow> = (1..=3)
        .map(|seq| EventRow {
            guest: None,
            ..event(seq)
        })
        .collect();
    assert_eq!((&stored.events, stored.over), (&expected, false));
    the_log_is_fenced(store, &a, &b).await?;
    reviews_are_kept(store, tag).await?;
    assert_eq!(store.load(&a).await?.ok_or("gone")?.events, expected);
    // Lists, with cards as long as they are of the last event.
    let listed = |card: Option<&str>| ListedGame {
        id: a.clone(),
        card: card.map(Into::into),
    };
    assert_eq!(store.of_guest(&ann, 10).await?, [listed(None)]);
    let card = |seq| GameWrite {
        game: a.clone(),
        card: Some(CardRow {
            seq,
            text: "card".into(),
        }),
        ..GameWrite::default()
    };
    one(store, card(2)).await??;
    assert_eq!(store.of_guest(&ann, 10).await?, [listed(None)]);
    one(store, card(3)).await??;
    assert!(
        store
            .of_guest(&bob, 10)
            .await?
            .contains(&listed(Some("card")))
    );
    texts_are_kept_once(store, tag).await?;
    // What is due, and what is over.
    assert!(store.due(500, 100_000).await?.contains(&a));
    assert!(!store.due(499, 100_000).await?.contains(&a));
    let due = |due| GameWrite {
        game: a.clone(),
        due: Some(due),
        ..GameWrite::default()
    };
    one(store, due(Due::At(700))).await??;
    assert!(!store.due(699, 100_000).await?.contains(&a));
    one(store, due(Due::Never)).await??;
    assert!(!store.due(i64::MAX, 100_000).await?.contains(&a));
    let end = GameWrite {
        due: Some(Due::At(1)),
        over: true,
        ..events(&a, [4])
    };
    one(store, end).await??;
    let stored = store.load(&a).await?.ok_or("gone")?;
    assert_eq!(
        (stored.over, stored.due, stored.events.len()),
        (true, None, 4)
    );
    // More rows than fit into one statement.
    one(store, events(&b, 2..2502)).await??;
    assert_eq!(store.load(&b).await?.ok_or("gone")?.events.len(), 2501);
    let (first, second) = (
        store.begin_run(1, None).await?,
        store.begin_run(2, None).await?,
    );
    assert_eq!(second.run, first.run + 1);
    store.ping().await?;
    Ok(())
}

/// One row a review, written over; those with a time are forgotten when it is over.
async fn reviews_are_kept(store: &dyn Store, tag: &str) -> Tested {
    let row = |id: &str, body: &str, until_ms| ReviewRow {
        id: format!("{tag}{id}"),
        body: body.into(),
        until_ms,
    };
    let (of_game, brought) = (
        row("game", "{\"done\":1}", None),
        row("text", "'}", Some(-500)),
    );
    assert_eq!(store.review(&of_game.id).await?, None);
    store.keep_review(&of_game).await?;
    store.keep_review(&brought).await?;
    let more = row("game", "{\"done\":2}", None);
    store.keep_review(&more).await?;
    assert_eq!(store.review(&more.id).await?, Some(more.clone()));
    store.forget_reviews(-501).await?;
    assert_eq!(store.review(&brought.id).await?, Some(brought.clone()));
    assert_eq!(store.forget_reviews(-500).await?, 1);
    assert_eq!(store.review(&brought.id).await?, None);
    assert_eq!(store.review(&more.id).await?, Some(more));
    Ok(())
}

/// An event that differs at a taken number is refused, and so is one of another epoch; what others write in the same
/// commit is taken.
async fn the_log_is_fenced(store: &dyn Store, a: &str, b: &str) -> Tested {
    let mut differs = events(a, [3]);
    differs.events[0].body = "another".into();
    let results = store.write(&[differs, events(b, [1])]).await?;
    let expected = StoreError::Conflict {
        game: a.into(),
        seq: 3,
    };
    assert_eq!(results, [Err(expected), Ok(())]);
    let foreign = GameWrite {
        epoch: 7,
        ..events(a, [4])
    };
    let expected = StoreError::Fenced {
        game: a.into(),
        epoch: 7,
    };
    assert_eq!(one(store, foreign).await?, Err(expected));
    let nowhere = one(store, events("nowhere", [1])).await?;
    assert!(
        matches!(nowhere, Err(StoreError::Fenced { .. })),
        "{nowhere:?}"
    );
    Ok(())
}

fn folder(name: &str) -> std::io::Result<std::path::PathBuf> {
    let folder = std::env::temp_dir().join(format!("husun-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    Ok(folder)
}

#[tokio::test]
async fn sqlite_keeps_the_contract() -> Tested {
    let folder = folder("contract")?;
    let path = folder.join("games.sqlite");
    let store = SqlStore::file(&path).await?;
    contract(Arc::new(store.clone()), "").await?;
    batches::contract(&store, "").await?;
    accounts::contract(&store, "").await?;
    tokens::contract(&store, "").await?;
    ratings::contract(&store, "").await?;
    offers::contract(&store, "").await?;
    people::contract(&store, "").await?;
    tournaments::contract(&store, "").await?;
    votes::contract(&store, "").await?;
    archive::contract(&store, "").await?;
    moderation::contract(&store, "").await?;
    notices::contract(&store, "").await?;
    nodes::contract(&store, "").await?;
    store.close().await;
    drop(store);
    // It is all there when it is opened again.
    let again = SqlStore::file(&path).await?;
    assert!(again.load("a").await?.is_some());
    again.close().await;
    std::fs::remove_dir_all(&folder)?;
    Ok(())
}

#[tokio::test]
#[ignore = "wants a PostgreSQL at the URL in HUSUN_TEST_POSTGRES; ./test starts one"]
async fn postgres_keeps_the_contract() -> Tested {
    let url = std::env::var("HUSUN_TEST_POSTGRES")?;
    let store = SqlStore::open(&url).await?;
    let tag = format!("{:x}-", std::process::id());
    contract(Arc::new(store.clone()), &tag).await?;
    batches::contract(&store, &tag).await?;
    accounts::contract(&store, &tag).await?;
    tokens::contract(&store, &tag).await?;
    ratings::contract(&store, &tag).await?;
    offers::contract(&store, &tag).await?;
    people::contract(&store, &tag).await?;
    tournaments::contract(&store, &tag).await?;
    votes::contract(&store, &tag).await?;
    archive::contract(&store, &tag).await?;
    moderation::contract(&store, &tag).await?;
    notices::contract(&store, &tag).await?;
    nodes::contract(&store, &tag).await?;
    // A second server on the database is refused, and may have it when the first is gone.
    let second = SqlStore::open(&url).await.err().ok_or("opened twice")?;
    assert!(matches!(second, StoreError::InUse(_)), "{second}");
    // The connection that writes is cut: the next takes its place, and nothing is lost.
    let game = format!("{tag}cut");
    one(&store, made(&game)).await??;
    for seq in 1..=3 {
        let cut = SqlStore::cut_writer(&url).await?;
        assert!(cut > 0, "no connection was cut");
        let first = store.write(&[events(&game, [seq])]).await;
        if first.is_err() {
            one(&store, events(&game, [seq])).await??;
        }
    }
    assert_eq!(store.load(&game).await?.ok_or("gone")?.events.len(), 3);
    store.close().await;
    tokio::time::sleep(std::time::Duration::from_millis(200)).await;
    SqlStore::open(&url).await?.close().await;
    Ok(())
}

#[tokio::test]
#[ignore = "wants a PostgreSQL with TLS at the URL in HUSUN_TEST_POSTGRES; ./test starts one"]
async fn postgres_is_reached_over_tls() -> Tested {
    use sqlx::{AnyConnection, Connection, Row};
    let url = std::env::var("HUSUN_TEST_POSTGRES")?;
    sqlx::any::install_default_drivers();
    let mut connection = AnyConnection::connect(&format!("{url}?sslmode=require")).await?;
    let question =
        "SELECT CASE WHEN ssl THEN 1 ELSE 0 END FROM pg_stat_ssl WHERE pid = pg_backend_pid()";
    let row = sqlx::query(question).fetch_one(&mut connection).await?;
    assert_eq!(row.try_get::<i32, _>(0)?, 1);
    // A certificate that nobody vouches for is found out by those who ask.
    let checked = format!("{url}?sslmode=verify-full");
    assert!(AnyConnection::connect(&checked).await.is_err());
    Ok(())
}

#[tokio::test]
async fn a_file_that_is_no_database_is_told() -> Tested {
    let folder = folder("damaged")?;
    let path = folder.join("games.sqlite");
    std::fs::write(
        &path,
        "this is no database, whatever its name says".repeat(100),
    )?;
    let error = SqlStore::file(&path).await.err().ok_or("opened")?;
    assert!(error.to_string().contains("not a database"), "{error}");
    std::fs::remove_dir_all(&folder)?;
    Ok(())
}

#[tokio::test]
async fn a_backup_is_restored_elsewhere() -> Tested {
    let folder = folder("backup")?;
    let (data, safe, other) = (
        folder.join("data"),
        folder.join("safe"),
        folder.join("other"),
    );
    std::fs::create_dir_all(&data)?;
    let store = SqlStore::file(&data.join("husun.sqlite")).await?;
    one(&store, made("game")).await??;
    one(&store, events("game", [1])).await??;
    std::fs::write(data.join("cookie.key"), [7; 64])?;
    std::fs::write(data.join("push.key"), [8; 43])?;
    // While the server goes on.
    crate::backup::backup(&data, &safe).await?;
    one(&store, events("game", [2])).await??;
    let error = crate::backup::backup(&data, &safe)
        .await
        .err()
        .ok_or("written over")?;
    assert!(error.to_string().contains("is there already"), "{error}");
    crate::backup::restore(&safe, &other).await?;
    let restored = SqlStore::file(&other.join("husun.sqlite")).await?;
    assert_eq!(restored.load("game").await?.ok_or("gone")?.events.len(), 1);
    assert_eq!(std::fs::read(other.join("cookie.key"))?, [7; 64]);
    assert_eq!(std::fs::read(other.join("push.key"))?, [8; 43]);
    let error = crate::backup::restore(&safe, &other)
        .await
        .err()
        .ok_or("written over")?;
    assert!(error.to_string().contains("is there already"), "{error}");
    std::fs::write(safe.join("husun.sqlite"), "damaged".repeat(1000))?;
    let third = folder.join("third");
    let error = crate::backup::restore(&safe, &third)
        .await
        .err()
        .ok_or("restored")?;
    assert!(error.to_string().contains("not a database"), "{error}");
    assert!(!third.join("husun.sqlite").exists());
    std::fs::remove_dir_all(&folder)?;
    Ok(())
}

#[tokio::test]
async fn a_file_is_used_by_one_server_and_seen_by_its_owner_alone() -> Tested {
    let folder = folder("one")?;
    let path = folder.join("games.sqlite");
    let store = SqlStore::file(&path).await?;
    let link = folder.join("link.sqlite");
    std::os::unix::fs::symlink(&path, &link)?;
    for other in [&path, &link] {
        let error = SqlStore::file(other).await.err().ok_or("opened twice")?;
        assert!(matches!(error, StoreError::InUse(_)), "{error}");
    }
    use std::os::unix::fs::PermissionsExt;
    one(&store, made("game")).await??;
    for entry in std::fs::read_dir(&folder)? {
        let entry = entry?;
        if !entry.file_type()?.is_symlink() {
            let mode = entry.metadata()?.permissions().mode() & 0o777;
            assert_eq!(mode, 0o600, "{:?}", entry.file_name());
        }
    }
    store.close().await;
    drop(store);
    SqlStore::file(&link).await?;
    std::fs::remove_dir_all(&folder)?;
    Ok(())
}

#[tokio::test]
async fn a_file_that_is_gone_takes_no_event() -> Tested {
    let folder = folder("gone")?;
    let path = folder.join("games.sqlite");
    let store = SqlStore::file(&path).await?;
    one(&store, made("game")).await??;
    let aside = folder.join("aside.sqlite");
    std::fs::rename(&path, &aside)?;
    let error = store
        .write(&[events("game", [1])])
        .await
        .err()
        .ok_or("written")?;
    assert!(matches!(error, StoreError::Replaced(_)), "{error}");
    assert!(store.ping().await.is_err());
    // Another file in its place is another database.
    std::fs::write(&path, "")?;
    assert!(store.write(&[events("game", [1])]).await.is_err());
    std::fs::rename(&aside, &path)?;
    one(&store, events("game", [1])).await??;
    std::fs::remove_dir_all(&folder)?;
    Ok(())
}

#[tokio::test]
async fn an_empty_database_is_not_taken_for_the_one_that_was_used() -> Tested {
    let folder = folder("empty")?;
    let store = SqlStore::file(&folder.join("games.sqlite")).await?;
    for _ in 0..2 {
        let error = store.begin_run(1, Some(12)).await.err().ok_or("begun")?;
        assert!(error.to_string().contains("run 12"), "{error}");
    }
    assert_eq!(store.begin_run(1, None).await?.run, 1);
    assert_eq!(store.begin_run(2, Some(1)).await?.run, 2);
    std::fs::remove_dir_all(&folder)?;
    Ok(())
}

/// A storage in which another program holds the file, as a backup tool or an operator's shell may.
#[tokio::test(flavor = "multi_thread")]
async fn a_file_held_by_another_is_waited_for() -> Tested {
    use sqlx::{ConnectOptions, Connection};
    let folder = folder("held")?;
    let path = folder.join("games.sqlite");
    let store = SqlStore::file(&path).await?;
    let writer = Writer::new(Arc::new(store.clone()));
    writer.write(made("game")).await?;
    let options = sqlx::sqlite::SqliteConnectOptions::new().filename(&path);
    let mut other = options.connect().await?;
    sqlx::raw_sql("BEGIN IMMEDIATE").execute(&mut other).await?;
    let mut health = writer.health();
    let write = tokio::spawn({
        let writer = writer.clone();
        async move { writer.write(events("game", [1])).await }
    });
    health.wait_for(|health| *health != Health::Well).await?;
    // Longer than the database itself waits: the attempt fails and is made again. `HUSUN_HELD_SECONDS=30` asks for more.
    let seconds = std::env::var("HUSUN_HELD_SECONDS").ok();
    let seconds = seconds.and_then(|text| text.parse().ok()).unwrap_or(6);
    tokio::time::sleep(std::time::Duration::from_secs(seconds)).await;
    assert!(!write.is_finished(), "nothing is told before it is stored");
    sqlx::raw_sql("ROLLBACK").execute(&mut other).await?;
    write.await??;
    health.wait_for(|health| *health == Health::Well).await?;
    other.close().await?;
    assert_eq!(store.load("game").await?.ok_or("gone")?.events.len(), 1);
    std::fs::remove_dir_all(&folder)?;
    Ok(())
}

/// A transaction that stays open after an error must not swallow what is written later.
#[tokio::test]
async fn an_error_in_the_midst_loses_nothing_that_comes_after() -> Tested {
    use sqlx::ConnectOptions;
    let folder = folder("midst")?;
    let path = folder.join("games.sqlite");
    let store = SqlStore::file(&path).await?;
    one(&store, made("game")).await??;
    // The database's own bound makes it full, and it rolls back by itself, as on a full disk.
    store.bound_pages(1).await?;
    let large = GameWrite {
        events: vec![EventRow {
            body: "x".repeat(1 << 20),
            ..event(1)
        }],
        ..events("game", [])
    };
    let error = store.write(std::slice::from_ref(&large)).await;
    let error = error.err().ok_or("written on a full disk")?;
    assert!(
        error.is_passing() && error.to_string().contains("full"),
        "{error}"
    );
    for seq in 1..=20 {
        one(&store, events("game", [seq])).await??;
        // As another program sees it: what hangs in a transaction is not there.
        let options = sqlx::sqlite::SqliteConnectOptions::new().filename(&path);
        let mut other = options.connect().await?;
        let row = sqlx::query("SELECT COUNT(*) FROM events")
            .fetch_one(&mut other)
            .await?;
        assert_eq!(sqlx::Row::try_get::<i64, _>(&row, 0)?, seq);
    }
    std::fs::remove_dir_all(&folder)?;
    Ok(())
}
