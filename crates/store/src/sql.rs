//! Games in SQLite or PostgreSQL: the same SQL for both. One connection writes, in transactions that it begins and
//! ends itself; others read. A connection that met an error is closed, and no other takes its place before it
//! holds the database for this server alone.

use super::append;
use super::file::DatabaseFile;
use super::reviews;
use super::{
    Answer, DefinitionRow, EventRow, GameWrite, ListedGame, ReviewRow, RunRow, Store, StoreError,
    StoredGame,
};
use sqlx::any::{AnyConnectOptions, AnyPoolOptions, AnyRow};
use sqlx::migrate::{MigrateError, Migrator};
use sqlx::{AnyConnection, AnyPool, ConnectOptions, Connection, Row};
use std::path::Path;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Mutex, MutexGuard};

static MIGRATIONS: Migrator = sqlx::migrate!();

/// Key of the lock by which a server holds a PostgreSQL database for itself.
const LOCK: i64 = 0x4855_5355_4e00_0001;
/// Connections that read.
const READERS: u32 = 4;
/// Ids that are looked for in one statement at most.
const IDS: usize = 100;
/// Longest wait for one of them, and for its answer.
const ACQUIRE: Duration = Duration::from_secs(10);

/// Which database it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dialect {
    Sqlite,
    Postgres,
}

/// Games in a database.
#[derive(Clone, Debug)]
pub struct SqlStore {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    dialect: Dialect,
    options: AnyConnectOptions,
    readers: AnyPool,
    writer: Mutex<Writing>,
    /// The file of an SQLite database.
    file: Option<DatabaseFile>,
    /// The database as it is named to people.
    name: String,
}

/// The connection that writes.
#[derive(Debug, Default)]
pub(super) struct Writing {
    connection: Option<AnyConnection>,
    /// Number of PostgreSQL's process behind the last one, which may hold the lock still when its network is gone.
    backend: Option<i64>,
}

impl SqlStore {
    /// The database of a URL, `sqlite://FILE` or `postgres://...`, with its tables made or brought to this version.
    pub async fn open(url: &str) -> Result<SqlStore, StoreError> {
        sqlx::any::install_default_drivers();
        let (dialect, file) = match url.split(':').next() {
            Some("sqlite") => {
                let options = sqlx::sqlite::SqliteConnectOptions::from_str(url)?;
                let path = options.get_filename();
                if path.as_os_str().is_empty() || path.to_string_lossy().contains(":memory:") {
                    let text = format!("database {url:?}: a database in memory keeps nothing");
                    return Err(StoreError::Unusable(text));
                }
                (Dialect::Sqlite, Some(DatabaseFile::take(path)?))
            }
            Some("postgres" | "postgresql") => (Dialect::Postgres, None),
            _ => {
                let text = "database: expected a URL as sqlite://FILE or postgres://USER@HOST/NAME";
                return Err(StoreError::Unusable(text.into()));
            }
        };
        let options = AnyConnectOptions::from_str(url)?.disable_statement_logging();
        let readers = AnyPoolOptions::new()
            .max_connections(READERS)
            .acquire_timeout(ACQUIRE)
            .after_connect(move |connection, _| {
                Box::pin(async move {
                    if dialect == Dialect::Sqlite {
                        sqlx::raw_sql("PRAGMA busy_timeout = 5000; PRAGMA query_only = 1")
                            .execute(&mut *connection)
                            .await?;
                    }
                    Ok(())
                })
            })
            .connect_lazy_with(options.clone());
        let name = match &file {
            Some(file) => file.path().display().to_string(),
            None => "the PostgreSQL database".into(),
        };
        let store = SqlStore {
            inner: Arc::new(Inner {
                dialect,
                options,
                readers,
                writer: Mutex::default(),
                file,
                name,
            }),
        };
        store.prepare().await?;
        Ok(store)
    }

    /// The SQLite database in a file, which is made if it is missing.
    pub async fn file(path: &Path) -> Result<SqlStore, StoreError> {
        Self::open(&format!("sqlite://{}?mode=rwc", path.display())).await
    }

    async fn prepare(&self) -> Result<(), StoreError> {
        let mut writing = self.inner.writer.lock().await;
        let mut connection = self.connect(&mut writing).await?;
        // `run` itself gives a future that no task can own (sqlx's note at this function).
        MIGRATIONS
            .run_direct(None, &mut connection, false)
            .await
            .map_err(|error| match error {
                MigrateError::VersionMissing(version) => StoreError::Unusable(format!(
                    "{} was written by a newer version of this program (migration {version})",
                    self.inner.name
                )),
                MigrateError::Execute(error) | MigrateError::ExecuteMigration(error, _) => {
                    error.into()
                }
                other => StoreError::Unusable(format!("{}: {other}", self.inner.name)),
            })?;
        if let Some(file) = &self.inner.file {
            file.check()?;
        }
        writing.connection = Some(connection);
        Ok(())
    }

    /// A connection that may write: it holds the database for this server for as long as it lives.
    async fn connect(&self, writing: &mut Writing) -> Result<AnyConnection, StoreError> {
        let mut connection = self.inner.options.connect().await?;
        match self.inner.dialect {
            Dialect::Sqlite => {
                // Every commit reaches the disk; readers do not wait for the writer. Another program that holds the
                // file is waited for here, within one attempt. What is deleted is overwritten in the pages that are
                // written anyway.
                sqlx::raw_sql(
                    "PRAGMA busy_timeout = 5000; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; \
                     PRAGMA secure_delete = FAST",
                )
                .execute(&mut connection)
                .await?;
            }
            Dialect::Postgres => self.hold(&mut connection, writing).await?,
        }
        Ok(connection)
    }

    async fn hold(
        &self,
        connection: &mut AnyConnection,
        writing: &mut Writing,
    ) -> Result<(), StoreError> {
        let mut attempts = 0;
        loop {
            let row = sqlx::query(
                "SELECT pg_try_advisory_lock($1), CAST(pg_backend_pid() AS BIGINT), \
                 current_setting('synchronous_commit')",
            )
            .bind(LOCK)
            .fetch_one(&mut *connection)
            .await?;
            if row.try_get::<bool, _>(0)? {
                writing.backend = Some(row.try_get(1)?);
                if row.try_get::<String, _>(2)? == "off" {
                    sqlx::raw_sql("SET synchronous_commit TO on")
                        .execute(&mut *connection)
                        .await?;
                }
                return Ok(());
            }
            // It may be our own former connection, of whose end PostgreSQL has not heard.
            let Some(own) = writing.backend.filter(|_| attempts < 3) else {
                return Err(StoreError::InUse(self.inner.name.clone()));
            };
            attempts += 1;
            sqlx::query(
                "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' \
                 AND pid = CAST($1 AS INTEGER)",
            )
            .bind(own)
            .fetch_all(&mut *connection)
            .await?;
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
    }

    /// The connection that writes, taken out of its place: one whose use is given up in the midst does not come back,
    /// and whatever it was in is rolled back by the database.
    pub(super) async fn take(
        &self,
    ) -> Result<(MutexGuard<'_, Writing>, AnyConnection), StoreError> {
        let mut writing = self.inner.writer.lock().await;
        if let Some(file) = &self.inner.file {
            file.check()?;
        }
        let connection = match writing.connection.take() {
            Some(connection) => connection,
            None => self.connect(&mut writing).await?,
        };
        Ok((writing, connection))
    }

    /// The connections that read.
    pub(super) fn readers(&self) -> &AnyPool {
        &self.inner.readers
    }

    /// Which database it is.
    pub(super) fn dialect(&self) -> Dialect {
        self.inner.dialect
    }

    /// Closes all connections.
    pub async fn close(&self) {
        if let Some(connection) = self.inner.writer.lock().await.connection.take() {
            let _ = connection.close().await;
        }
        self.inner.readers.close().await;
    }

    /// Reads the rows of ids: the statement ends where their list begins.
    pub(super) async fn among<T>(
        &self,
        sql: &str,
        ids: &[String],
        read: impl Fn(&AnyRow) -> Result<T, sqlx::Error>,
    ) -> Result<Vec<T>, StoreError> {
        within(async {
            let mut found = Vec::new();
            for part in ids.chunks(IDS) {
                // The text holds placeholders alone.
                let sql = format!("{sql} {}", append::places(1, part.len()));
                let mut query = sqlx::query(sqlx::AssertSqlSafe(sql));
                for id in part {
                    query = query.bind(id);
                }
                let rows = query.fetch_all(self.readers()).await?;
                for row in &rows {
                    found.push(read(row)?);
                }
            }
            Ok(found)
        })
        .await
    }

    async fn load_now(&self, id: &str) -> Result<Option<StoredGame>, StoreError> {
        let row = sqlx::query("SELECT spec, made_ms, over, epoch, due FROM games WHERE id = $1")
            .bind(id)
            .fetch_optional(&self.inner.readers)
            .await?;
        let Some(row) = row else { return Ok(None) };
        let rows = sqlx::query(
            "SELECT seq, at_ms, run, run_ms, wall_ms, body FROM events WHERE game = $1 ORDER BY seq",
        )
        .bind(id)
        .fetch_all(&self.inner.readers)
        .await?;
        Ok(Some(StoredGame {
            id: id.into(),
            spec: row.try_get(0)?,
            made_ms: row.try_get(1)?,
            over: row.try_get::<i64, _>(2)? != 0,
            epoch: row.try_get(3)?,
            due: row.try_get(4)?,
            events: rows.iter().map(event).collect::<Result<_, _>>()?,
        }))
    }

    async fn definition_now(&self, name: &str) -> Result<Option<DefinitionRow>, StoreError> {
        let row = sqlx::query("SELECT texts FROM definitions WHERE name = $1")
            .bind(name)
            .fetch_optional(&self.inner.readers)
            .await?;
        let Some(row) = row else { return Ok(None) };
        Ok(Some(DefinitionRow {
            name: name.into(),
            texts: row.try_get(0)?,
        }))
    }

    async fn due_now(&self, now_ms: i64, limit: u32) -> Result<Vec<String>, StoreError> {
        let rows = sqlx::query("SELECT id FROM games WHERE due <= $1 ORDER BY due LIMIT $2")
            .bind(now_ms)
            .bind(i64::from(limit))
            .fetch_all(&self.inner.readers)
            .await?;
        Ok(rows
            .iter()
            .map(|row| row.try_get(0))
            .collect::<Result<_, _>>()?)
    }

    async fn of_guest_now(&self, guest: &str, limit: u32) -> Result<Vec<ListedGame>, StoreError> {
        let rows = sqlx::query(
            "SELECT g.id, CASE WHEN g.card_seq = (SELECT COALESCE(MAX(e.seq), 0) FROM events e WHERE e.game = g.id) \
             THEN g.card END FROM seats s JOIN games g ON g.id = s.game WHERE s.guest = $1 \
             ORDER BY s.made_ms DESC, s.game LIMIT $2",
        )
        .bind(guest)
        .bind(i64::from(limit))
        .fetch_all(&self.inner.readers)
        .await?;
        let listed = |row: &AnyRow| {
            Ok(ListedGame {
                id: row.try_get(0)?,
                card: row.try_get(1)?,
            })
        };
        Ok(rows
            .iter()
            .map(listed)
            .collect::<Result<_, sqlx::Error>>()?)
    }

    async fn begin_run_now(&self, wall_ms: i64, known: Option<i64>) -> Result<RunRow, StoreError> {
        let (mut writing, mut connection) = self.take().await?;
        let begun = self.begin_run_on(&mut connection, wall_ms, known).await;
        give_back(&mut writing, connection, begun).await
    }

    async fn begin_run_on(
        &self,
        connection: &mut AnyConnection,
        wall_ms: i64,
        known: Option<i64>,
    ) -> Result<RunRow, StoreError> {
        let dialect = self.inner.dialect;
        append::begin(connection, dialect).await?;
        let row = sqlx::query(
            "SELECT CAST(COALESCE(MAX(run), 0) AS BIGINT), CAST(COALESCE(MAX(ms), 0) AS BIGINT), \
                 (SELECT value FROM meta WHERE name = 'counted_from') FROM runs",
        )
        .fetch_one(&mut *connection)
        .await?;
        let run = row.try_get::<i64, _>(0)? + 1;
        if let Some(known) = known.filter(|_| run == 1) {
            return Err(StoreError::Unusable(format!(
                "{} is empty, but its data folder was used before, in run {known}: restore the database, or \
                     remove the file `alive` from the data folder to begin anew",
                self.inner.name
            )));
        }
        let last_ms: i64 = row.try_get(1)?;
        let counted_from: String = row.try_get(2)?;
        sqlx::query("INSERT INTO runs (run, wall_ms, ms) VALUES ($1, $2, $3)")
            .bind(run)
            .bind(wall_ms)
            .bind(last_ms)
            .execute(&mut *connection)
            .await?;
        append::commit(connection, dialect).await?;
        Ok(RunRow {
            run,
            last_ms,
            counted_from: counted_from.parse().map_err(|_| {
                let text = format!("{}: counted_from is {counted_from:?}", self.inner.name);
                StoreError::Unusable(text)
            })?,
        })
    }

    async fn write_now(
        &self,
        writes: &[GameWrite],
    ) -> Result<Vec<Result<(), StoreError>>, StoreError> {
        let (mut writing, mut connection) = self.take().await?;
        let written = append::all(&mut connection, self.inner.dialect, writes).await;
        give_back(&mut writing, connection, written).await
    }
}

/// What is read has a deadline: a database that is gone without a word is not waited for.
pub(super) async fn within<T>(
    answer: impl Future<Output = Result<T, StoreError>>,
) -> Result<T, StoreError> {
    match tokio::time::timeout(ACQUIRE, answer).await {
        Ok(answer) => answer,
        Err(_) => Err(StoreError::Unavailable(
            "the database does not answer".into(),
        )),
    }
}

/// Puts a connection back, unless it met an error: then it is closed.
pub(super) async fn give_back<T>(
    writing: &mut Writing,
    connection: AnyConnection,
    result: Result<T, StoreError>,
) -> Result<T, StoreError> {
    match &result {
        Ok(_) => writing.connection = Some(connection),
        Err(_) => drop(connection.close_hard().await),
    }
    result
}

fn event(row: &AnyRow) -> Result<EventRow, sqlx::Error> {
    Ok(EventRow {
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
    fn write<'a>(&'a self, writes: &'a [GameWrite]) -> Answer<'a, Vec<Result<(), StoreError>>> {
        Box::pin(self.write_now(writes))
    }

    fn load<'a>(&'a self, id: &'a str) -> Answer<'a, Option<StoredGame>> {
        Box::pin(within(self.load_now(id)))
    }

    fn definition<'a>(&'a self, name: &'a str) -> Answer<'a, Option<DefinitionRow>> {
        Box::pin(within(self.definition_now(name)))
    }

    fn due(&self, now_ms: i64, limit: u32) -> Answer<'_, Vec<String>> {
        Box::pin(within(self.due_now(now_ms, limit)))
    }

    fn of_guest<'a>(&'a self, guest: &'a str, limit: u32) -> Answer<'a, Vec<ListedGame>> {
        Box::pin(within(self.of_guest_now(guest, limit)))
    }

    fn keep_review<'a>(&'a self, review: &'a ReviewRow) -> Answer<'a, ()> {
        Box::pin(async {
            let (mut writing, mut connection) = self.take().await?;
            let kept = reviews::keep(&mut connection, review).await;
            give_back(&mut writing, connection, kept).await
        })
    }

    fn review<'a>(&'a self, id: &'a str) -> Answer<'a, Option<ReviewRow>> {
        Box::pin(within(reviews::find(&self.inner.readers, id)))
    }

    fn forget_reviews(&self, now_ms: i64) -> Answer<'_, u64> {
        Box::pin(async move {
            let (mut writing, mut connection) = self.take().await?;
            let forgotten = reviews::forget(&mut connection, now_ms).await;
            give_back(&mut writing, connection, forgotten).await
        })
    }

    fn begin_run(&self, wall_ms: i64, known: Option<i64>) -> Answer<'_, RunRow> {
        Box::pin(self.begin_run_now(wall_ms, known))
    }

    fn ping(&self) -> Answer<'_, ()> {
        Box::pin(within(async {
            if let Some(file) = &self.inner.file {
                file.check()?;
            }
            sqlx::query("SELECT 1").execute(&self.inner.readers).await?;
            Ok(())
        }))
    }
}

/// Faults for tests.
#[cfg(test)]
impl SqlStore {
    /// Lets the file of the connection that writes grow no further than it is, by so many pages.
    pub(super) async fn bound_pages(&self, more: i64) -> Result<(), StoreError> {
        let (mut writing, mut connection) = self.take().await?;
        let row = sqlx::query("PRAGMA page_count")
            .fetch_one(&mut connection)
            .await?;
        let pages: i64 = row.try_get(0)?;
        let sql = format!("PRAGMA max_page_count = {}", pages + more);
        sqlx::raw_sql(sqlx::AssertSqlSafe(sql))
            .execute(&mut connection)
            .await?;
        give_back(&mut writing, connection, Ok(())).await
    }

    /// Cuts the connection that writes to a PostgreSQL database; tells how many were cut.
    pub(super) async fn cut_writer(url: &str) -> Result<usize, StoreError> {
        let mut connection = AnyConnectOptions::from_str(url)?.connect().await?;
        let rows = sqlx::query(
            "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory'",
        )
        .fetch_all(&mut connection)
        .await?;
        Ok(rows.len())
    }
}
