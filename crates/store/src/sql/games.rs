//! What is read of games and their definitions; what is written of them is in `append`.

use super::SqlStore;
use crate::nodes;
use crate::{DefinitionRow, EventRow, ListedGame, StoreError, StoredGame};
use sqlx::Row;
use sqlx::any::AnyRow;

impl SqlStore {
    pub(super) async fn load_now(&self, id: &str) -> Result<Option<StoredGame>, StoreError> {
        let row = sqlx::query(
            "SELECT spec, made_ms, over, epoch, due, owner, time_of, held_ms, carried_ms FROM games WHERE id = $1",
        )
        .bind(id)
        .fetch_optional(&self.inner.readers)
        .await?;
        let Some(row) = row else { return Ok(None) };
        let rows = sqlx::query(
            "SELECT seq, at_ms, run, run_ms, wall_ms, body, epoch FROM events WHERE game = $1 ORDER BY seq",
        )
        .bind(id)
        .fetch_all(&self.inner.readers)
        .await?;
        let epoch = row.try_get(3)?;
        let last: Option<(i64, i64)> = match rows.last() {
            Some(last) => Some((last.try_get(6)?, last.try_get(3)?)),
            None => None,
        };
        let since = nodes::since(
            &row,
            6,
            last.filter(|(of, _)| *of == epoch).map(|(_, ms)| ms),
        )?;
        Ok(Some(StoredGame {
            id: id.into(),
            spec: row.try_get(0)?,
            made_ms: row.try_get(1)?,
            over: row.try_get::<i64, _>(2)? != 0,
            epoch,
            due: row.try_get(4)?,
            owner: row.try_get(5)?,
            since,
            events: rows.iter().map(event).collect::<Result<_, _>>()?,
        }))
    }

    pub(super) async fn definition_now(
        &self,
        name: &str,
    ) -> Result<Option<DefinitionRow>, StoreError> {
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

    pub(super) async fn due_now(&self, now_ms: i64, limit: u32) -> Result<Vec<String>, StoreError> {
        let rows = sqlx::query(
            "SELECT id FROM games WHERE over = 0 AND owner = 0 AND due <= $1 ORDER BY due LIMIT $2",
        )
        .bind(now_ms)
        .bind(i64::from(limit))
        .fetch_all(&self.inner.readers)
        .await?;
        Ok(rows
            .iter()
            .map(|row| row.try_get(0))
            .collect::<Result<_, _>>()?)
    }

    pub(super) async fn of_guest_now(
        &self,
        guest: &str,
        limit: u32,
    ) -> Result<Vec<ListedGame>, StoreError> {
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
