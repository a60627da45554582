//! Games that nobody owns any more: those that were given back, and those of nodes whose leases are over.

use super::super::StoreError;
use super::super::sql::SqlStore;
use sqlx::Row;

/// Boots whose leases have been over for so long.
pub(super) async fn dead(
    connection: impl sqlx::Executor<'_, Database = sqlx::Any>,
    time: &str,
    since_ms: i64,
) -> Result<Vec<i64>, StoreError> {
    let sql = format!("SELECT boot FROM nodes WHERE expires_ms <= {time} - {since_ms}");
    let rows = sqlx::query(sqlx::AssertSqlSafe(sql))
        .fetch_all(connection)
        .await?;
    let boots: Result<Vec<i64>, sqlx::Error> = rows.iter().map(|row| row.try_get(0)).collect();
    Ok(boots?)
}

impl SqlStore {
    /// The games of each dead node are asked for by themselves: in one statement both databases would rather look at all
    /// games that have owners, and mostly nobody is dead.
    pub(super) async fn orphans_now(
        &self,
        protocol: i64,
        limit: u32,
    ) -> Result<Vec<String>, StoreError> {
        let mut found = Vec::new();
        let mut boots = dead(self.readers(), &self.time(), 0).await?.into_iter();
        let mut sql = "SELECT id FROM games WHERE over = 0 AND owner = 0 AND due IS NOT NULL AND $1 = 0 AND protocol <= $3 ORDER BY due LIMIT $2";
        let mut boot = Some(0);
        while let Some(asked) = boot.filter(|_| found.len() < limit as usize) {
            let rows = sqlx::query(sql)
                .bind(asked)
                .bind(i64::from(limit) - found.len() as i64)
                .bind(protocol)
                .fetch_all(self.readers())
                .await?;
            for row in &rows {
                found.push(row.try_get(0)?);
            }
            sql = "SELECT id FROM games WHERE over = 0 AND owner <> 0 AND owner = $1 AND due IS NOT NULL AND protocol <= $3 ORDER BY due LIMIT $2";
            boot = boots.next();
        }
        Ok(found)
    }
}
