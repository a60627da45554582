//! Games in SQLite or PostgreSQL: the same SQL for both.

use super::{Answer, EventRow, NewGameRow, Store, StoreError, StoredGame};
use sqlx::any::{AnyConnectOptions, AnyPoolOptions, AnyRow};
use sqlx::{AnyPool, ConnectOptions, Connection, Row};
use std::path::Path;
use std::str::FromStr;
use std::time::Duration;

/// Most rows in one statement: nine values each, well below what both databases take.
const ROWS: usize = 500;

/// The tables, in the dialect that both have.
const SCHEMA: &[&str] = &[
    "CREATE TABLE IF NOT EXISTS games (id TEXT PRIMARY KEY, spec TEXT NOT NULL, made_ms BIGINT NOT NULL, \
     over BIGINT NOT NULL DEFAULT 0)",
    "CREATE INDEX IF NOT EXISTS games_running ON games (over, made_ms)",
    "CREATE TABLE IF NOT EXISTS events (game TEXT NOT NULL, seq BIGINT NOT NULL, at_ms BIGINT NOT NULL, \
     run BIGINT NOT NULL, run_ms BIGINT NOT NULL, wall_ms BIGINT NOT NULL, body TEXT NOT NULL, \
     PRIMARY KEY (game, seq))",
    "CREATE TABLE IF NOT EXISTS seats (guest TEXT NOT NULL, game TEXT NOT NULL, made_ms BIGINT NOT NULL, \
     PRIMARY KEY (guest, game))",
    "CREATE TABLE IF NOT EXISTS runs (run BIGINT PRIMARY KEY, wall_ms BIGINT NOT NULL)",
    "CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value TEXT NOT NULL)",
];

/// Version of the tables.
const VERSION: &str = "1";

/// Games in a database.
#[derive(Clone, Debug)]
pub struct SqlStore {
    pool: AnyPool,
}

impl SqlStore {
    /// The database of a URL, `sqlite://FILE` or `postgres://...`, with its tables made if they are missing.
    pub async fn open(url: &str) -> Result<SqlStore, StoreError> {
        sqlx::any::install_default_drivers();
        let options = AnyConnectOptions::from_str(url)?.disable_statement_logging();
        let sqlite = url.starts_with("sqlite:");
        // A pool tries again and again; what is wrong with the database is told by a single connection.
        let mut first = options.connect().await?;
        let probe = match sqlite {
            true => "PRAGMA schema_version",
            false => "SELECT 1",
        };
        sqlx::query(probe).execute(&mut first).await?;
        first.close().await?;
        let pool = AnyPoolOptions::new()
            .max_connections(4)
            .acquire_timeout(Duration::from_secs(10))
            .after_connect(move |connection, _| {
                Box::pin(async move {
                    if sqlite {
                        // Every commit reaches the disk; readers do not wait for the writer.
                        for pragma in [
                            "journal_mode = WAL",
                            "synchronous = FULL",
                            "busy_timeout = 5000",
                        ] {
                            sqlx::query(sqlx::AssertSqlSafe(format!("PRAGMA {pragma}")))
                                .execute(&mut *connection)
                                .await?;
                        }
                    }
                    Ok(())
                })
            })
            .connect_with(options)
            .await?;
        let store = SqlStore { pool };
        store.prepare().await?;
        Ok(store)
    }

    /// The SQLite database in a file, which is made if it is missing.
    pub async fn file(path: &Path) -> Result<SqlStore, StoreError> {
        Self::open(&format!("sqlite://{}?mode=rwc", path.display())).await
    }

    async fn prepare(&self) -> Result<(), StoreError> {
        for statement in SCHEMA {
            sqlx::query(*statement).execute(&self.pool).await?;
        }
        sqlx::query("INSERT INTO meta (name, value) VALUES ('version', $1) ON CONFLICT DO NOTHING")
            .bind(VERSION)
            .execute(&self.pool)
            .await?;
        let row = sqlx::query("SELECT value FROM meta WHERE name = 'version'")
            .fetch_one(&self.pool)
            .await?;
        let found: String = row.try_get(0)?;
        match found == VERSION {
            true => Ok(()),
            false => Err(StoreError(format!(
                "the database has version {found}, this program reads version {VERSION}"
            ))),
        }
    }

    /// Closes all connections.
    pub async fn close(&self) {
        self.pool.close().await;
    }

    async fn create_now(&self, game: &NewGameRow) -> Result<(), StoreError> {
        let mut transaction = self.pool.begin().await?;
        sqlx::query(
            "INSERT INTO games (id, spec, made_ms) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
        )
        .bind(&game.id)
        .bind(&game.spec)
        .bind(game.made_ms)
        .execute(&mut *transaction)
        .await?;
        for guest in &game.guests {
            sqlx::query(SEAT)
                .bind(guest)
                .bind(&game.id)
                .bind(game.made_ms)
                .execute(&mut *transaction)
                .await?;
        }
        transaction.commit().await?;
        Ok(())
    }

    async fn append_now(&self, events: &[EventRow]) -> Result<(), StoreError> {
        let mut transaction = self.pool.begin().await?;
        for part in events.chunks(ROWS) {
            let mut sql = String::from(
                "INSERT INTO events (game, seq, at_ms, run, run_ms, wall_ms, body) VALUES ",
            );
            for row in 0..part.len() {
                let n = row * 7;
                let comma = if row == 0 { "" } else { ", " };
                sql.push_str(&format!(
                    "{comma}(${}, ${}, ${}, ${}, ${}, ${}, ${})",
                    n + 1,
                    n + 2,
                    n + 3,
                    n + 4,
                    n + 5,
                    n + 6,
                    n + 7
                ));
            }
            sql.push_str(" ON CONFLICT DO NOTHING");
            // The text holds placeholders alone.
            let mut query = sqlx::query(sqlx::AssertSqlSafe(sql));
            for event in part {
                query = query
                    .bind(&event.game)
                    .bind(event.seq)
                    .bind(event.at_ms)
                    .bind(event.run)
                    .bind(event.run_ms)
                    .bind(event.wall_ms)
                    .bind(&event.body);
            }
            query.execute(&mut *transaction).await?;
        }
        for event in events {
            if let Some(guest) = &event.guest {
                sqlx::query(SEAT)
                    .bind(guest)
                    .bind(&event.game)
                    .bind(event.wall_ms)
                    .execute(&mut *transaction)
                    .await?;
            }
        }
        transaction.commit().await?;
        Ok(())
    }

    async fn load_now(&self, id: &str) -> Result<Option<StoredGame>, StoreError> {
        let row = sqlx::query("SELECT spec, made_ms, over FROM games WHERE id = $1")
            .bind(id)
            .fetch_optional(&self.pool)
            .await?;
        let Some(row) = row else { return Ok(None) };
        let made = NewGameRow {
            id: id.into(),
            spec: row.try_get(0)?,
            made_ms: row.try_get(1)?,
            guests: Vec::new(),
        };
        let over: i64 = row.try_get(2)?;
        let rows = sqlx::query(
            "SELECT seq, at_ms, run, run_ms, wall_ms, body FROM events WHERE game = $1 ORDER BY seq",
        )
        .bind(id)
        .fetch_all(&self.pool)
        .await?;
        let events = rows.iter().map(|row| event(id, row));
        Ok(Some(StoredGame {
            made,
            over: over != 0,
            events: events.collect::<Result<_, _>>()?,
        }))
    }

    async fn ids(&self, sql: &'static str, bind: Option<i64>) -> Result<Vec<String>, StoreError> {
        let mut query = sqlx::query(sql);
        if let Some(bind) = bind {
            query = query.bind(bind);
        }
        let rows = query.fetch_all(&self.pool).await?;
        Ok(rows
            .iter()
            .map(|row| row.try_get(0))
            .collect::<Result<_, _>>()?)
    }

    async fn of_guest_now(&self, guest: &str, limit: u32) -> Result<Vec<String>, StoreError> {
        let rows = sqlx::query(
            "SELECT game FROM seats WHERE guest = $1 ORDER BY made_ms DESC, game LIMIT $2",
        )
        .bind(guest)
        .bind(i64::from(limit))
        .fetch_all(&self.pool)
        .await?;
        Ok(rows
            .iter()
            .map(|row| row.try_get(0))
            .collect::<Result<_, _>>()?)
    }

    async fn begin_run_now(&self, wall_ms: i64) -> Result<i64, StoreError> {
        let mut transaction = self.pool.begin().await?;
        let row = sqlx::query("SELECT CAST(COALESCE(MAX(run), 0) AS BIGINT) FROM runs")
            .fetch_one(&mut *transaction)
            .await?;
        let run = row.try_get::<i64, _>(0)? + 1;
        sqlx::query("INSERT INTO runs (run, wall_ms) VALUES ($1, $2)")
            .bind(run)
            .bind(wall_ms)
            .execute(&mut *transaction)
            .await?;
        transaction.commit().await?;
        Ok(run)
    }
}

const SEAT: &str =
    "INSERT INTO seats (guest, game, made_ms) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING";

fn event(game: &str, row: &AnyRow) -> Result<EventRow, sqlx::Error> {
    Ok(EventRow {
        game: game.into(),
        seq: row.try_get(0)?,
        at_ms: row.try_get(1)?,
        run: row.try_get(2)?,
        run_ms: row.try_get(3)?,
        wall_ms: row.try_get(4)?,
        body: row.try_get(5)?,
        guest: None,
    })
}

impl Store for SqlStore {
    fn create<'a>(&'a self, game: &'a NewGameRow) -> Answer<'a, ()> {
        Box::pin(self.create_now(game))
    }

    fn append<'a>(&'a self, events: &'a [EventRow]) -> Answer<'a, ()> {
        Box::pin(self.append_now(events))
    }

    fn finish<'a>(&'a self, id: &'a str) -> Answer<'a, ()> {
        Box::pin(async move {
            sqlx::query("UPDATE games SET over = 1 WHERE id = $1")
                .bind(id)
                .execute(&self.pool)
                .await?;
            Ok(())
        })
    }

    fn load<'a>(&'a self, id: &'a str) -> Answer<'a, Option<StoredGame>> {
        Box::pin(self.load_now(id))
    }

    fn running(&self) -> Answer<'_, Vec<String>> {
        Box::pin(self.ids("SELECT id FROM games WHERE over = 0 ORDER BY id", None))
    }

    fn of_guest<'a>(&'a self, guest: &'a str, limit: u32) -> Answer<'a, Vec<String>> {
        Box::pin(self.of_guest_now(guest, limit))
    }

    fn idle_since(&self, wall_ms: i64) -> Answer<'_, Vec<String>> {
        Box::pin(self.ids(
            "SELECT id FROM games WHERE over = 0 AND made_ms < $1 AND NOT EXISTS \
             (SELECT 1 FROM events WHERE game = id AND wall_ms >= $1)",
            Some(wall_ms),
        ))
    }

    fn begin_run(&self, wall_ms: i64) -> Answer<'_, i64> {
        Box::pin(self.begin_run_now(wall_ms))
    }

    fn ping(&self) -> Answer<'_, ()> {
        Box::pin(async {
            sqlx::query("SELECT 1").execute(&self.pool).await?;
            Ok(())
        })
    }
}
