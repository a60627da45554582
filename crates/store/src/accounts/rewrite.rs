//! Games of deleted accounts are written anew, a few in each transaction.

use super::Change;
use crate::StoreError;
use crate::append;
use crate::sql::{Dialect, HANGING, SqlStore, give_back, in_time};
use sqlx::{AnyConnection, Row};

/// Writes one game anew; tells whether anything has changed.
async fn rewrite(
    connection: &mut AnyConnection,
    game: &str,
    change: Change<'_>,
) -> Result<bool, StoreError> {
    let mut changed = false;
    let spec = sqlx::query("SELECT spec FROM games WHERE id = $1")
        .bind(game)
        .fetch_one(&mut *connection)
        .await?;
    if let Some(spec) = change(&spec.try_get::<String, _>(0)?) {
        changed = true;
        sqlx::query("UPDATE games SET spec = $1 WHERE id = $2")
            .bind(spec)
            .bind(game)
            .execute(&mut *connection)
            .await?;
    }
    let events = sqlx::query("SELECT seq, body FROM events WHERE game = $1")
        .bind(game)
        .fetch_all(&mut *connection)
        .await?;
    for event in events {
        if let Some(body) = change(&event.try_get::<String, _>(1)?) {
            changed = true;
            sqlx::query("UPDATE events SET body = $1 WHERE game = $2 AND seq = $3")
                .bind(body)
                .bind(game)
                .bind(event.try_get::<i64, _>(0)?)
                .execute(&mut *connection)
                .await?;
        }
    }
    if changed {
        // Its card is made anew when it is asked for.
        sqlx::query("UPDATE games SET card = NULL, card_seq = -1 WHERE id = $1")
            .bind(game)
            .execute(&mut *connection)
            .await?;
        // So is what is kept of looking back at it, which has the names, too.
        sqlx::query("DELETE FROM reviews WHERE id = $1")
            .bind(game)
            .execute(connection)
            .await?;
    }
    Ok(changed)
}

pub(super) const GAMES: &str =
    "SELECT game FROM seats WHERE guest = $1 AND game > $2 ORDER BY game LIMIT $3";
/// Games written anew in one transaction.
const PAGE: i64 = 100;

impl SqlStore {
    pub(super) async fn rewrite_now(
        &self,
        account: &str,
        change: Change<'_>,
    ) -> Result<Vec<String>, StoreError> {
        let mut changed = Vec::new();
        let mut last = String::new();
        loop {
            let (mut writing, mut connection) = self.take().await?;
            let page = rewrite_page(&mut connection, self.dialect(), account, &last, change);
            let page = in_time(HANGING, page).await;
            let page = give_back(&mut writing, connection, page).await?;
            drop(writing);
            changed.extend(
                page.iter()
                    .filter(|(_, is)| *is)
                    .map(|(game, _)| game.clone()),
            );
            match page.into_iter().next_back() {
                Some((game, _)) => last = game,
                None => break,
            }
        }
        Ok(changed)
    }
}

/// The next games, each with whether it has changed, in one transaction; after the last the account is done with.
async fn rewrite_page(
    connection: &mut AnyConnection,
    dialect: Dialect,
    account: &str,
    last: &str,
    change: Change<'_>,
) -> Result<Vec<(String, bool)>, StoreError> {
    append::begin(connection, dialect).await?;
    let rows = sqlx::query(GAMES)
        .bind(account)
        .bind(last)
        .bind(PAGE)
        .fetch_all(&mut *connection)
        .await?;
    let mut page = Vec::new();
    for row in rows {
        let game: String = row.try_get(0)?;
        let changed = rewrite(connection, &game, change).await?;
        page.push((game, changed));
    }
    if page.is_empty() {
        sqlx::query("UPDATE accounts SET deleted = 2 WHERE id = $1 AND deleted = 1")
            .bind(account)
            .execute(&mut *connection)
            .await?;
    }
    append::commit(connection, dialect).await?;
    Ok(page)
}
