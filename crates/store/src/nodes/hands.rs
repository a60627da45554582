//! Games change hands: a node takes those that nobody owns, and gives back what it has.

use super::super::sql::{Dialect, SqlStore};
use super::super::{StoreError, append, running};
use super::time::{self, Clock, Turn};
use super::{Claimed, Owned, PAGE, runs};
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, Row};

/// What the node speaks that claims a game.
const SPOKEN: &str = "(SELECT n.protocol FROM nodes n WHERE n.boot = $2)";

/// What a game's row says to one who cannot have it; nothing if its owner has gone in between.
async fn refusal(
    connection: &mut AnyConnection,
    time: &str,
    game: &str,
    boot: i64,
) -> Result<Option<Claimed>, StoreError> {
    let sql = format!(
        "SELECT g.epoch, n.boot, n.id, n.address, CAST(CASE WHEN {} THEN 1 ELSE 0 END AS BIGINT), g.protocol, \
         (SELECT m.protocol FROM nodes m WHERE m.boot = $2) FROM games g LEFT JOIN nodes n ON n.boot = g.owner AND n.expires_ms > {time} WHERE g.id = $1",
        runs("$2", time)
    );
    let row = sqlx::query(sqlx::AssertSqlSafe(sql))
        .bind(game)
        .bind(boot)
        .fetch_optional(connection)
        .await?;
    let Some(row) = row else {
        return Ok(Some(Claimed::NoSuchGame));
    };
    if row.try_get::<i64, _>(4)? == 0 {
        return Ok(Some(Claimed::Lost));
    }
    let Some(owner) = row.try_get::<Option<i64>, _>(1)? else {
        let protocol: i64 = row.try_get(5)?;
        let spoken: Option<i64> = row.try_get(6)?;
        let is_beyond = spoken.is_some_and(|spoken| spoken < protocol);
        return Ok(is_beyond.then_some(Claimed::Beyond { protocol }));
    };
    Ok(Some(Claimed::Of {
        boot: owner,
        id: row.try_get(2)?,
        address: row.try_get(3)?,
        epoch: row.try_get(0)?,
    }))
}

/// Locks those of some games that nobody else has locked: two nodes that take many at the same time must not wait for each other
/// crosswise. Who owns them is looked at by the next statement, which sees all that has been committed. If one statement did
/// both, PostgreSQL would look at the row that was locked but not anew at the lease of its owner, and give a game twice.
async fn locked(
    connection: &mut AnyConnection,
    games: &[String],
) -> Result<Vec<String>, StoreError> {
    let places = append::places(1, games.len());
    let sql = format!("SELECT id FROM games WHERE id IN {places} FOR UPDATE SKIP LOCKED");
    let mut query = sqlx::query(sqlx::AssertSqlSafe(sql));
    for game in games {
        query = query.bind(game);
    }
    let rows = query.fetch_all(&mut *connection).await?;
    let locked: Result<Vec<String>, sqlx::Error> = rows.iter().map(|row| row.try_get(0)).collect();
    Ok(locked?)
}

impl SqlStore {
    pub(super) async fn claim_on(
        &self,
        connection: &mut AnyConnection,
        game: &str,
        boot: i64,
        now_ms: i64,
    ) -> Result<Claimed, StoreError> {
        let time = self.time();
        // One statement decides. It waits for a write to the game that is under way, and then for nothing more: what is
        // read afterwards has all of that, and no later write of the former owner finds its epoch.
        let sql = format!(
            "UPDATE games SET owner = $2, epoch = epoch + 1, protocol = {SPOKEN} WHERE id = $1 AND {} \
             AND (owner = $2 OR NOT {}) AND games.protocol <= {SPOKEN} RETURNING epoch",
            runs("$2", &time),
            runs("games.owner", &time),
        );
        for _ in 0..3 {
            append::begin(connection, self.dialect()).await?;
            let row = sqlx::query(sqlx::AssertSqlSafe(sql.clone()))
                .bind(game)
                .bind(boot)
                .fetch_optional(&mut *connection)
                .await?;
            let Some(row) = row else {
                append::rollback(connection).await?;
                match refusal(connection, &time, game, boot).await? {
                    Some(refusal) => return Ok(refusal),
                    None => continue,
                }
            };
            let epoch = row.try_get(0)?;
            let turn = Turn {
                ended: Some(Clock { boot, now_ms }),
                begins: Some(Clock { boot, now_ms }),
            };
            time::turn(connection, &[game.to_owned()], turn).await?;
            append::commit(connection, self.dialect()).await?;
            return Ok(Claimed::Yours { epoch });
        }
        Err(StoreError::Unavailable(format!(
            "game {game} changes hands too fast"
        )))
    }

    pub(super) async fn owners_now(
        &self,
        games: &[String],
    ) -> Result<Vec<(String, i64)>, StoreError> {
        let mut found = Vec::new();
        for page in games.chunks(PAGE) {
            // Of few lengths, so that the statement is known: the last is named as often as it takes.
            let length = page.len().next_power_of_two().min(PAGE);
            let places = append::places(1, length);
            let sql = format!("SELECT id, owner FROM games WHERE id IN {places}");
            let mut query = sqlx::query(sqlx::AssertSqlSafe(sql));
            for game in page
                .iter()
                .chain(page.last().into_iter().cycle())
                .take(length)
            {
                query = query.bind(game);
            }
            for row in query.fetch_all(self.readers()).await? {
                found.push((row.try_get(0)?, row.try_get(1)?));
            }
        }
        Ok(found)
    }

    /// Takes games that nobody owns, in one transaction.
    pub(super) async fn adopt_on(
        &self,
        connection: &mut AnyConnection,
        games: &[String],
        boot: i64,
        now_ms: i64,
    ) -> Result<Vec<String>, StoreError> {
        let time = self.time();
        append::begin(connection, self.dialect()).await?;
        let games = match self.dialect() {
            Dialect::Postgres => locked(connection, games).await?,
            Dialect::Sqlite => games.to_vec(),
        };
        if games.is_empty() {
            append::commit(connection, self.dialect()).await?;
            return Ok(games);
        }
        let asked = format!("${}", games.len() + 1);
        let spoken = format!("(SELECT n.protocol FROM nodes n WHERE n.boot = {asked})");
        let sql = format!(
            "UPDATE games SET owner = {asked}, epoch = epoch + 1, protocol = {spoken} WHERE id IN {} AND {} AND NOT {} \
             AND games.protocol <= {spoken} RETURNING id",
            append::places(1, games.len()),
            runs(&asked, &time),
            runs("games.owner", &time),
        );
        let mut query = sqlx::query(sqlx::AssertSqlSafe(sql));
        for game in &games {
            query = query.bind(game);
        }
        let rows = query.bind(boot).fetch_all(&mut *connection).await?;
        let taken: Result<Vec<String>, sqlx::Error> =
            rows.iter().map(|row| row.try_get(0)).collect();
        let taken = taken?;
        running::rest(connection, &taken).await?;
        let clock = Clock { boot, now_ms };
        let turn = Turn {
            ended: Some(clock),
            begins: Some(clock),
        };
        time::turn(connection, &taken, turn).await?;
        append::commit(connection, self.dialect()).await?;
        Ok(taken)
    }

    /// Takes games from their owner in one transaction.
    pub(super) async fn let_go(
        &self,
        connection: &mut AnyConnection,
        games: &[Owned],
        boot: i64,
        now_ms: i64,
    ) -> Result<Vec<String>, StoreError> {
        append::begin(connection, self.dialect()).await?;
        let sql = format!(
            "UPDATE games SET owner = 0, epoch = epoch + 1 FROM (VALUES {}) AS v WHERE games.id = v.column1 \
             AND games.epoch = v.column2 AND games.owner = v.column3 AND {} RETURNING id",
            append::places(games.len(), 3),
            runs("games.owner", &self.time()),
        );
        let mut query = sqlx::query(sqlx::AssertSqlSafe(sql));
        for owned in games {
            query = query.bind(&owned.game).bind(owned.epoch).bind(boot);
        }
        let rows = query.fetch_all(&mut *connection).await?;
        let gone: Result<Vec<String>, sqlx::Error> =
            rows.iter().map(|row| row.try_get(0)).collect();
        let gone = gone?;
        let turn = Turn {
            ended: Some(Clock { boot, now_ms }),
            begins: None,
        };
        time::turn(connection, &gone, turn).await?;
        append::commit(connection, self.dialect()).await?;
        Ok(gone)
    }

    pub(super) async fn leave_on(
        &self,
        connection: &mut AnyConnection,
        boot: i64,
        now_ms: i64,
    ) -> Result<(), StoreError> {
        loop {
            let rows = sqlx::query(
                "SELECT id, epoch FROM games WHERE over = 0 AND owner <> 0 AND owner = $1 LIMIT $2",
            )
            .bind(boot)
            .bind(PAGE as i64)
            .fetch_all(&mut *connection)
            .await?;
            let owned = |row: &AnyRow| {
                Ok(Owned {
                    game: row.try_get(0)?,
                    epoch: row.try_get(1)?,
                })
            };
            let games: Result<Vec<Owned>, sqlx::Error> = rows.iter().map(owned).collect();
            let games = games?;
            if games.is_empty() {
                break;
            }
            let gone = self.let_go(connection, &games, boot, now_ms).await?;
            if gone.is_empty() {
                // Its lease is over: others find them.
                return Ok(());
            }
        }
        sqlx::query("DELETE FROM nodes WHERE boot = $1")
            .bind(boot)
            .execute(connection)
            .await?;
        Ok(())
    }
}
