//! Connections that write, and how they hold the database: for one server alone, or for one of several nodes. A
//! connection that met an error is closed, and no other takes its place before it holds the database again.

use super::StoreError;
use super::sql::{Dialect, SqlStore, within};
use sqlx::{AnyConnection, ConnectOptions, Row};
use std::time::Duration;
use tokio::sync::MutexGuard;

/// Key of the lock by which servers hold a PostgreSQL database.
const LOCK: i64 = 0x4855_5355_4e00_0001;
/// What a node sets for its connections: one that has fallen silent must not keep others from its games. A transaction of a
/// node that was stopped or cut off is given up after two seconds, and no lock is waited for longer.
const SHARED: &str = "SET idle_in_transaction_session_timeout TO 2000; SET tcp_user_timeout TO 3000; \
                      SET lock_timeout TO 2000";

/// How a server uses a PostgreSQL database. An SQLite database always is used by one process alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// Alone: another server is refused.
    #[default]
    Single,
    /// Together with other nodes: a server that wants it alone is refused.
    Cluster,
}

/// A connection that writes.
#[derive(Debug, Default)]
pub(super) struct Writing {
    pub connection: Option<AnyConnection>,
    /// PostgreSQL's process behind the last one, which may hold locks still when its network is gone: its number, and when
    /// it began.
    backend: Option<[i64; 2]>,
}

impl SqlStore {
    /// A connection that may write: it holds the database for this server for as long as it lives.
    pub(super) async fn connect(&self, writing: &mut Writing) -> Result<AnyConnection, StoreError> {
        let mut connection = self.options().connect().await?;
        match (self.dialect(), self.mode()) {
            (Dialect::Sqlite, _) => {
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
            (Dialect::Postgres, Mode::Single) => self.hold_alone(&mut connection, writing).await?,
            (Dialect::Postgres, Mode::Cluster) => {
                self.hold_shared(&mut connection, writing).await?;
            }
        }
        Ok(connection)
    }

    async fn hold_alone(
        &self,
        connection: &mut AnyConnection,
        writing: &mut Writing,
    ) -> Result<(), StoreError> {
        let mut attempts = 0;
        while !lock(connection, "pg_try_advisory_lock", writing).await? {
            // It may be our own former connection, of whose end PostgreSQL has not heard.
            let Some(former) = writing.backend.filter(|_| attempts < 3) else {
                return Err(match shared(connection).await? {
                    true => StoreError::InUseByNodes(self.name().into()),
                    false => StoreError::InUse(self.name().into()),
                });
            };
            attempts += 1;
            end(connection, former).await?;
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
        Ok(())
    }

    async fn hold_shared(
        &self,
        connection: &mut AnyConnection,
        writing: &mut Writing,
    ) -> Result<(), StoreError> {
        // Our own former connection may hold locks on games: the next would wait for it.
        if let Some(former) = writing.backend.take() {
            end(connection, former).await?;
        }
        sqlx::raw_sql(SHARED).execute(&mut *connection).await?;
        match lock(connection, "pg_try_advisory_lock_shared", writing).await? {
            true => Ok(()),
            false => Err(StoreError::InUseAlone(self.name().into())),
        }
    }

    /// The connection that writes, taken out of its place: one whose use is given up in the midst does not come back,
    /// and whatever it was in is rolled back by the database.
    pub(super) async fn take(
        &self,
    ) -> Result<(MutexGuard<'_, Writing>, AnyConnection), StoreError> {
        self.take_of(self.writer().lock().await).await
    }

    /// The same for leases. A node has a connection for them alone, so that its heartbeat does not wait for a long
    /// commit.
    pub(super) async fn take_for_leases(
        &self,
    ) -> Result<(MutexGuard<'_, Writing>, AnyConnection), StoreError> {
        match self.mode() {
            Mode::Single => self.take().await,
            Mode::Cluster => self.take_of(self.leases().lock().await).await,
        }
    }

    async fn take_of<'a>(
        &'a self,
        mut writing: MutexGuard<'a, Writing>,
    ) -> Result<(MutexGuard<'a, Writing>, AnyConnection), StoreError> {
        self.check_file()?;
        let connection = match writing.connection.take() {
            Some(connection) => connection,
            // All others wait for it: one that is not made in time is given up.
            None => within(self.connect(&mut writing)).await?,
        };
        Ok((writing, connection))
    }
}

/// Tries to get the lock in one of its forms; notes the process that has it.
async fn lock(
    connection: &mut AnyConnection,
    how: &'static str,
    writing: &mut Writing,
) -> Result<bool, StoreError> {
    let sql = format!(
        "SELECT {how}($1), CAST(pid AS BIGINT), CAST(EXTRACT(EPOCH FROM backend_start) * 1000000 AS BIGINT), \
         current_setting('synchronous_commit') FROM pg_stat_activity WHERE pid = pg_backend_pid()"
    );
    // The text is one of two of this file.
    let row = sqlx::query(sqlx::AssertSqlSafe(sql))
        .bind(LOCK)
        .fetch_one(&mut *connection)
        .await?;
    if !row.try_get::<bool, _>(0)? {
        return Ok(false);
    }
    writing.backend = Some([row.try_get(1)?, row.try_get(2)?]);
    if row.try_get::<String, _>(3)? == "off" {
        sqlx::raw_sql("SET synchronous_commit TO on")
            .execute(connection)
            .await?;
    }
    Ok(true)
}

/// Whether nodes hold the database.
async fn shared(connection: &mut AnyConnection) -> Result<bool, StoreError> {
    let row = sqlx::query(
        "SELECT COUNT(*) FROM pg_locks WHERE locktype = 'advisory' AND mode = 'ShareLock' AND granted \
         AND database = (SELECT oid FROM pg_database WHERE datname = current_database()) \
         AND CAST(classid AS BIGINT) = $1 AND CAST(objid AS BIGINT) = $2",
    )
    .bind(LOCK >> 32)
    .bind(LOCK & 0xffff_ffff)
    .fetch_one(connection)
    .await?;
    Ok(row.try_get::<i64, _>(0)? > 0)
}

/// Ends a former connection of this server. Another may have got its process's number since, but has begun later.
async fn end(connection: &mut AnyConnection, [pid, began]: [i64; 2]) -> Result<(), StoreError> {
    sqlx::query(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid = CAST($1 AS INTEGER) \
         AND CAST(EXTRACT(EPOCH FROM backend_start) * 1000000 AS BIGINT) = $2",
    )
    .bind(pid)
    .bind(began)
    .fetch_all(connection)
    .await?;
    Ok(())
}
