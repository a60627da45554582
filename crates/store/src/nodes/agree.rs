//! What all nodes of a database must have in common, such as the key that signs cookies: the first one writes it down, and the
//! others compare.

use super::super::sql::SqlStore;
use super::super::{Answer, StoreError};
use super::{AnyConnection, Row};

impl SqlStore {
    /// Has the nodes agree on a value, of which only a fingerprint should be given: what the first one said is answered. A
    /// server that takes the database for itself ends all agreements.
    pub fn agree<'a>(&'a self, name: &'a str, value: &'a str) -> Answer<'a, String> {
        leasing!(self, |connection| agree(connection, name, value).await)
    }
}

async fn agree(
    connection: &mut AnyConnection,
    name: &str,
    value: &str,
) -> Result<String, StoreError> {
    let name = format!("{PREFIX}{name}");
    sqlx::query("INSERT INTO meta (name, value) VALUES ($1, $2) ON CONFLICT DO NOTHING")
        .bind(&name)
        .bind(value)
        .execute(&mut *connection)
        .await?;
    // So that a server that takes it for itself finds that there is something to end.
    sqlx::query("UPDATE meta SET value = '1' WHERE name = 'shared' AND value <> '1'")
        .execute(&mut *connection)
        .await?;
    let row = sqlx::query("SELECT value FROM meta WHERE name = $1")
        .bind(&name)
        .fetch_one(connection)
        .await?;
    Ok(row.try_get(0)?)
}

/// What the names of agreements begin with.
const PREFIX: &str = "agreed ";
/// Ends them all.
pub const FORGET: &str = "DELETE FROM meta WHERE name LIKE 'agreed %'";
