//! Reviews of games: one row each, written over as more of it is known.

use super::{ReviewRow, StoreError};
use sqlx::{AnyConnection, AnyPool, Row};

pub(super) async fn keep(
    connection: &mut AnyConnection,
    review: &ReviewRow,
) -> Result<(), StoreError> {
    sqlx::query(
        "INSERT INTO reviews (id, body, until_ms) VALUES ($1, $2, $3) \
         ON CONFLICT (id) DO UPDATE SET body = excluded.body, until_ms = excluded.until_ms",
    )
    .bind(&review.id)
    .bind(&review.body)
    .bind(review.until_ms)
    .execute(connection)
    .await?;
    Ok(())
}

pub(super) async fn find(readers: &AnyPool, id: &str) -> Result<Option<ReviewRow>, StoreError> {
    let row = sqlx::query("SELECT body, until_ms FROM reviews WHERE id = $1")
        .bind(id)
        .fetch_optional(readers)
        .await?;
    let Some(row) = row else { return Ok(None) };
    Ok(Some(ReviewRow {
        id: id.into(),
        body: row.try_get(0)?,
        until_ms: row.try_get(1)?,
    }))
}

pub(super) async fn forget(connection: &mut AnyConnection, now_ms: i64) -> Result<u64, StoreError> {
    let done = sqlx::query("DELETE FROM reviews WHERE until_ms <= $1")
        .bind(now_ms)
        .execute(connection)
        .await?;
    Ok(done.rows_affected())
}
