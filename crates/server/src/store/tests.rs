//! One contract for all storages. `./test` starts a PostgreSQL for its part.

use super::*;
use std::sync::Arc;

type Tested = Result<(), Box<dyn std::error::Error>>;

fn made(id: &str) -> NewGameRow {
    NewGameRow {
        id: id.into(),
        spec: "{}".into(),
        made_ms: 1000,
        guests: vec!["ann".into()],
    }
}

fn event(game: &str, seq: i64) -> EventRow {
    EventRow {
        game: game.into(),
        seq,
        at_ms: seq * 10,
        run: 1,
        run_ms: seq * 10,
        wall_ms: 1000 + seq,
        body: format!("event {seq} 'quoted'"),
        guest: (seq == 1).then(|| "bob".into()),
    }
}

async fn contract(store: Arc<dyn Store>, tag: &str) -> Tested {
    let (a, b) = (format!("{tag}a"), format!("{tag}b"));
    let ann = format!("{tag}ann");
    let mut game = made(&a);
    game.guests = vec![ann.clone()];
    store.create(&game).await?;
    store.create(&game).await?;
    let mut other = made(&b);
    other.guests.clear();
    store.create(&other).await?;
    assert_eq!(store.load("nothing").await?, None);
    store
        .append(&[event(&a, 1), event(&a, 2), event(&b, 1)])
        .await?;
    // The same again, with one more: nothing is doubled.
    store.append(&[event(&a, 2), event(&a, 3)]).await?;
    let stored = store.load(&a).await?.ok_or("the game is not there")?;
    let expected: Vec<EventRow> = (1..=3)
        .map(|seq| EventRow {
            guest: None,
            ..event(&a, seq)
        })
        .collect();
    assert_eq!(stored.events, expected);
    assert!(!stored.over);
    assert_eq!(store.of_guest(&ann, 10).await?, std::slice::from_ref(&a));
    assert!(store.of_guest("bob", 1000).await?.contains(&a));
    assert!(store.running().await?.contains(&a));
    assert!(store.idle_since(1004).await?.contains(&a));
    assert!(!store.idle_since(1003).await?.contains(&a));
    store.finish(&a).await?;
    assert!(!store.running().await?.contains(&a));
    assert!(store.load(&a).await?.is_some_and(|g| g.over));
    // More rows than fit into one statement.
    let many: Vec<EventRow> = (10..2510).map(|seq| event(&b, seq)).collect();
    store.append(&many).await?;
    assert_eq!(store.load(&b).await?.ok_or("gone")?.events.len(), 2501);
    let (first, second) = (store.begin_run(1).await?, store.begin_run(2).await?);
    assert_eq!(second, first + 1);
    store.ping().await?;
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
    store.close().await;
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
    let tag = crate::world::secret(6);
    contract(Arc::new(store), &tag).await
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
    store.create(&made("game")).await?;
    store.append(&[event("game", 1)]).await?;
    std::fs::write(data.join("cookie.key"), [7; 64])?;
    // While the server goes on.
    crate::backup::backup(&data, &safe).await?;
    store.append(&[event("game", 2)]).await?;
    let error = crate::backup::backup(&data, &safe)
        .await
        .err()
        .ok_or("written over")?;
    assert!(error.to_string().contains("is there already"), "{error}");
    crate::backup::restore(&safe, &other).await?;
    let restored = SqlStore::file(&other.join("husun.sqlite")).await?;
    assert_eq!(restored.load("game").await?.ok_or("gone")?.events.len(), 1);
    assert_eq!(std::fs::read(other.join("cookie.key"))?, [7; 64]);
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
