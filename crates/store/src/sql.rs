//! Games in SQLite or PostgreSQL: the same SQL for both. One connection writes, in transactions that it begins and
//! ends itself; others read.

mod games;

use super::append::{self, Fence};
use super::file::DatabaseFile;
use super::hold::{Mode, Writing};
use super::migrations::migrator;
use super::{
    Answer, DefinitionRow, GameWrite, ListedGame, ReviewRow, RunRow, Store, StoreError, StoredGame,
};
use super::{nodes, reviews};
use sqlx::any::{AnyConnectOptions, AnyPoolOptions, AnyRow};
use sqlx::migrate::MigrateError;
use sqlx::{AnyConnection, AnyPool, ConnectOptions, Connection, Row};
use std::path::Path;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Mutex;

/// Connections that read.
const READERS: u32 = 4;
/// Ids that are looked for in one statement at most.
const IDS: usize = 100;
/// Longest wait for one of them, and for its answer.
pub(super) const ACQUIRE: Duration = Duration::from_secs(10);
/// What changes something may take this long: a connection that hangs is given up. Tests do not wait so long.
pub(super) const HANGING: Duration = Duration::from_secs(if cfg!(test) { 8 } else { 60 });
/// The same for one of several nodes, whose other connection may hold its lease meanwhile: nobody takes its games, and their
/// players wait. What goes through many games may take longer.
pub(super) const NODE_HANGING: Duration = Duration::from_secs(if cfg!(test) { 3 } else { 10 });

/// How long a connection may take to be closed before it is let go.
const CLOSING: Duration = Duration::from_secs(2);

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
    mode: Mode,
    options: AnyConnectOptions,
    readers: AnyPool,
    writer: Mutex<Writing>,
    /// A node's connection for leases.
    leases: Mutex<Writing>,
    /// The file of an SQLite database.
    file: Option<Arc<DatabaseFile>>,
    /// The database as it is named to people.
    name: String,
    /// The database's time in tests; its own if zero.
    #[cfg(test)]
    time: std::sync::atomic::AtomicI64,
}

impl SqlStore {
    /// The database of a URL, `sqlite://FILE` or `postgres://...`, with its tables made or brought to this version.
    pub async fn open(url: &str) -> Result<SqlStore, StoreError> {
        Self::open_as(url, Mode::Single).await
    }

    /// The same for a node that may share it with others, which only PostgreSQL allows.
    pub async fn open_as(url: &str, mode: Mode) -> Result<SqlStore, StoreError> {
        sqlx::any::install_default_drivers();
        let (dialect, file) = match url.split(':').next() {
            Some("sqlite") if mode == Mode::Cluster => {
                let text = format!(
                    "database {url:?}: several nodes need a PostgreSQL database, expected postgres://USER@HOST/NAME"
                );
                return Err(StoreError::Unusable(text));
            }
            Some("sqlite") => {
                let options = sqlx::sqlite::SqliteConnectOptions::from_str(url)?;
                let path = options.get_filename();
                if path.as_os_str().is_empty() || path.to_string_lossy().contains(":memory:") {
                    let text = format!("database {url:?}: a database in memory keeps nothing");
                    return Err(StoreError::Unusable(text));
                }
                (Dialect::Sqlite, Some(Arc::new(DatabaseFile::take(path)?)))
            }
            Some("postgres" | "postgresql") => (Dialect::Postgres, None),
            _ => {
                let text = "database: expected a URL as sqlite://FILE or postgres://USER@HOST/NAME";
                return Err(StoreError::Unusable(text.into()));
            }
        };
        let options = AnyConnectOptions::from_str(url)?.disable_statement_logging();
        let readers = readers(dialect, &options, READERS);
        let name = match &file {
            Some(file) => file.path().display().to_string(),
            None => "the PostgreSQL database".into(),
        };
        let store = SqlStore {
            inner: Arc::new(Inner {
                dialect,
                mode,
                options,
                readers,
                writer: Mutex::default(),
                leases: Mutex::default(),
                file,
                name,
                #[cfg(test)]
                time: std::sync::atomic::AtomicI64::new(0),
            }),
        };
        store.prepare().await?;
        Ok(store)
    }

    /// The SQLite database in a file, which is made if it is missing.
    pub async fn file(path: &Path) -> Result<SqlStore, StoreError> {
        Self::open(&format!("sqlite://{}?mode=rwc", path.display())).await
    }

    /// The same database by connections of its own, which are made when they are needed, on the runtime that needs them: what
    /// asks by them does not wait for others who ask.
    pub fn apart(&self) -> SqlStore {
        let inner = &self.inner;
        SqlStore {
            inner: Arc::new(Inner {
                dialect: inner.dialect,
                mode: inner.mode,
                options: inner.options.clone(),
                readers: readers(inner.dialect, &inner.options, 1),
                writer: Mutex::default(),
                leases: Mutex::default(),
                file: inner.file.clone(),
                name: inner.name.clone(),
                #[cfg(test)]
                time: std::sync::atomic::AtomicI64::new(0),
            }),
        }
    }

    async fn prepare(&self) -> Result<(), StoreError> {
        let mut writing = self.inner.writer.lock().await;
        let mut connection = self.connect(&mut writing).await?;
        // `run` itself gives a future that no task can own (sqlx's note at this function).
        migrator()
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
        self.check_file()?;
        if self.inner.mode == Mode::Single {
            nodes::run_alone(&mut connection, self.inner.dialect).await?;
        }
        writing.connection = Some(connection);
        Ok(())
    }

    /// The connections that read.
    pub(super) fn readers(&self) -> &AnyPool {
        &self.inner.readers
    }

    /// Which database it is.
    pub(super) fn dialect(&self) -> Dialect {
        self.inner.dialect
    }

    pub(super) fn mode(&self) -> Mode {
        self.inner.mode
    }

    pub(super) fn options(&self) -> &AnyConnectOptions {
        &self.inner.options
    }

    pub(super) fn name(&self) -> &str {
        &self.inner.name
    }

    pub(super) fn writer(&self) -> &Mutex<Writing> {
        &self.inner.writer
    }

    pub(super) fn leases(&self) -> &Mutex<Writing> {
        &self.inner.leases
    }

    /// Whether the file of an SQLite database still is the one that was opened.
    pub(super) fn check_file(&self) -> Result<(), StoreError> {
        let file = self.inner.file.as_ref();
        file.map_or(Ok(()), |file| file.check())
    }

    /// The time of the database, in milliseconds: what leases are over by. It is that of the statement's beginning, so
    /// that no row is judged by a later time than the one at which it was seen.
    pub(super) fn time(&self) -> String {
        #[cfg(test)]
        match self.inner.time.load(std::sync::atomic::Ordering::Relaxed) {
            0 => {}
            ms => return ms.to_string(),
        }
        match self.inner.dialect {
            Dialect::Sqlite => {
                "CAST(ROUND((julianday('now') - 2440587.5) * 86400000.0) AS INTEGER)"
            }
            Dialect::Postgres => "CAST(EXTRACT(EPOCH FROM statement_timestamp()) * 1000 AS BIGINT)",
        }
        .into()
    }

    /// What keeps writes apart from those of other nodes.
    pub(super) fn fence(&self) -> Fence {
        Fence {
            dialect: self.inner.dialect,
            lock: match (self.inner.dialect, self.inner.mode) {
                (Dialect::Postgres, Mode::Cluster) => "FOR NO KEY UPDATE OF games",
                _ => "",
            },
            time: self.time(),
        }
    }

    /// Closes all connections. A database that does not answer is not waited for.
    pub async fn close(&self) {
        let closed = tokio::time::timeout(ACQUIRE, async {
            for writing in [&self.inner.writer, &self.inner.leases] {
                if let Some(connection) = writing.lock().await.connection.take() {
                    let _ = connection.close().await;
                }
            }
            self.inner.readers.close().await;
        });
        if closed.await.is_err() {
            tracing::warn!("the connections to the database are left open: it does not answer");
        }
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

    async fn begin_run_on(
        &self,
        connection: &mut AnyConnection,
        wall_ms: i64,
        known: Option<i64>,
    ) -> Result<RunRow, StoreError> {
        let dialect = self.inner.dialect;
        append::begin(connection, dialect).await?;
        if dialect == Dialect::Postgres {
            // Two nodes that begin at once get two numbers.
            sqlx::raw_sql("LOCK TABLE runs IN SHARE ROW EXCLUSIVE MODE")
                .execute(&mut *connection)
                .await?;
        }
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
        let fence = self.fence();
        let written = append::all(&mut connection, &fence, writes);
        let written = self.within_writing(written).await;
        give_back(&mut writing, connection, written).await
    }

    /// What changes something has a later deadline than what is read.
    pub(super) async fn within_writing<T>(
        &self,
        answer: impl Future<Output = Result<T, StoreError>>,
    ) -> Result<T, StoreError> {
        let most = match self.mode() {
            Mode::Single => HANGING,
            Mode::Cluster => NODE_HANGING,
        };
        in_time(most, answer).await
    }
}

/// A pool of connections that read, which are made when they are needed.
fn readers(dialect: Dialect, options: &AnyConnectOptions, most: u32) -> AnyPool {
    AnyPoolOptions::new()
        .max_connections(most)
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
        .after_release(move |connection, _| {
            Box::pin(async move {
                if dialect == Dialect::Postgres {
                    // One whose way is cut without a word would keep its place until the system gives it up.
                    tokio::time::timeout(CLOSING, connection.ping())
                        .await
                        .map_err(|_| sqlx::Error::PoolTimedOut)??;
                }
                Ok(true)
            })
        })
        .connect_lazy_with(options.clone())
}

/// What is read has a deadline: a database that is gone without a word is not waited for.
pub(super) async fn within<T>(
    answer: impl Future<Output = Result<T, StoreError>>,
) -> Result<T, StoreError> {
    in_time(ACQUIRE, answer).await
}

pub(super) async fn in_time<T>(
    most: Duration,
    answer: impl Future<Output = Result<T, StoreError>>,
) -> Result<T, StoreError> {
    match tokio::time::timeout(most, answer).await {
        Ok(answer) => answer,
        Err(_) => Err(StoreError::Unavailable(
            "the database does not answer".into(),
        )),
    }
}

/// Puts a connection back, unless it met an error: then it is closed. One that hangs may hang in that, too.
pub(super) async fn give_back<T>(
    writing: &mut Writing,
    connection: AnyConnection,
    result: Result<T, StoreError>,
) -> Result<T, StoreError> {
    match &result {
        Ok(_) => writing.connection = Some(connection),
        Err(_) => drop(tokio::time::timeout(CLOSING, connection.close_hard()).await),
    }
    result
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

    fn keep_definition<'a>(&'a self, definition: &'a DefinitionRow) -> Answer<'a, ()> {
        writing!(self, |connection| Ok(append::define(
            connection, definition
        )
        .await?))
    }

    fn due(&self, now_ms: i64, limit: u32) -> Answer<'_, Vec<String>> {
        Box::pin(within(self.due_now(now_ms, limit)))
    }

    fn of_guest<'a>(&'a self, guest: &'a str, limit: u32) -> Answer<'a, Vec<ListedGame>> {
        Box::pin(within(self.of_guest_now(guest, limit)))
    }

    fn keep_review<'a>(&'a self, review: &'a ReviewRow) -> Answer<'a, ()> {
        writing!(self, |connection| reviews::keep(connection, review).await)
    }

    fn review<'a>(&'a self, id: &'a str) -> Answer<'a, Option<ReviewRow>> {
        Box::pin(within(reviews::find(&self.inner.readers, id)))
    }

    fn forget_reviews(&self, now_ms: i64) -> Answer<'_, u64> {
        writing!(self, |connection| reviews::forget(connection, now_ms).await)
    }

    fn begin_run(&self, wall_ms: i64, known: Option<i64>) -> Answer<'_, RunRow> {
        writing!(self, |connection| self
            .begin_run_on(connection, wall_ms, known)
            .await)
    }

    fn ping(&self) -> Answer<'_, ()> {
        Box::pin(within(async {
            self.check_file()?;
            sqlx::query("SELECT 1").execute(&self.inner.readers).await?;
            Ok(())
        }))
    }
}

/// Faults for tests.
#[cfg(test)]
impl SqlStore {
    /// Sets the database's time, by which leases are over.
    pub(super) fn set_time(&self, ms: i64) {
        self.inner
            .time
            .store(ms, std::sync::atomic::Ordering::Relaxed);
    }

    /// Has SQLite not wait for the disk.
    pub(super) async fn be_careless(&self) -> Result<(), StoreError> {
        let (mut writing, mut connection) = self.take().await?;
        sqlx::raw_sql("PRAGMA synchronous = OFF")
            .execute(&mut connection)
            .await?;
        give_back(&mut writing, connection, Ok(())).await
    }

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
            "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' \
             AND database = (SELECT oid FROM pg_database WHERE datname = current_database())",
        )
        .fetch_all(&mut connection)
        .await?;
        Ok(rows.len())
    }
}
