//! Games that are over, as they are searched for. The row of a game is written in the commit of its last event, which
//! notes it as one whose positions are still to be written; that is done later, in commits of its own, and so are the
//! rows of games that ended before there was an archive. What a position or an ending is, is not known here.

mod search;

pub use search::{Found, FoundGame, IN_ORDER, Search, Wanted};

use super::sql::SqlStore;
use super::{Answer, StoreError, append};
use sqlx::{AnyConnection, Row};

/// Numbers for games that ended in the same millisecond.
const SAME: i64 = 1024;

/// Rows in one statement, of three values each.
const ROWS: usize = 100;

/// A seat at a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seat {
    /// Moves first.
    White,
    /// Moves second.
    Black,
}

/// A game that is over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArchiveRow {
    /// Name of the variant.
    pub variant: String,
    /// Id of the account or guest, or what stands for a level of the engine.
    pub white: String,
    /// The same for the other side.
    pub black: String,
    /// Who has won; nobody after a draw.
    pub winner: Option<Seat>,
    /// Why it ended.
    pub ending: String,
    /// Half-moves played.
    pub plies: i64,
    /// When it ended, in milliseconds of Unix time.
    pub ended_ms: i64,
    /// Whether it counts for ratings.
    pub rated: bool,
    /// Class of its clock.
    pub speed: String,
    /// Whether all may find it; else its players alone.
    pub open: bool,
}

/// What is written of a game that waits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Filled {
    /// Its id.
    pub game: String,
    /// Its row; nothing if it has no place in the archive, as one that was called off.
    pub row: Option<ArchiveRow>,
    /// The ratings of White and Black when it ended, as far as they had one.
    pub ratings: [Option<i64>; 2],
    /// What stands for the positions that it has reached, each with the half-moves before it.
    pub positions: Vec<(i64, i64)>,
}

/// How often a person has ended a game of one kind in one way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResultRow {
    /// Name of the variant.
    pub variant: String,
    /// Where that one sat.
    pub seat: Seat,
    /// Who has won; nobody after a draw.
    pub winner: Option<Seat>,
    /// In how many games.
    pub games: i64,
}

/// Keeps what is searched for.
pub trait ArchiveStore: std::fmt::Debug + Send + Sync + 'static {
    /// Games that wait to be written.
    fn to_archive(&self, limit: u32) -> Answer<'_, Vec<String>>;
    /// How many wait.
    fn waiting(&self) -> Answer<'_, i64>;
    /// Writes what waits, all in one commit. What is there already stays.
    fn fill<'a>(&'a self, games: &'a [Filled]) -> Answer<'a, ()>;
    /// A person's rating at a time, as games before had left it.
    fn rating_at<'a>(
        &'a self,
        person: &'a str,
        variant: &'a str,
        speed: &'a str,
        at_ms: i64,
    ) -> Answer<'a, Option<f64>>;
    /// How a person's games have ended that everybody may find, by game and seat.
    fn results<'a>(&'a self, person: &'a str) -> Answer<'a, Vec<ResultRow>>;
    /// Looks for games.
    fn search<'a>(&'a self, search: &'a Search) -> Answer<'a, Found>;
}

/// Notes a game with its end; part of the commit of its last event.
pub(super) async fn note(
    connection: &mut AnyConnection,
    game: &str,
    row: &ArchiveRow,
) -> Result<(), StoreError> {
    // The last event may be written again when its answer was lost.
    if enter(connection, game, row).await? {
        sqlx::query("INSERT INTO to_archive (game) VALUES ($1) ON CONFLICT DO NOTHING")
            .bind(game)
            .execute(connection)
            .await?;
    }
    Ok(())
}

/// Writes a game's row; false if it is there.
async fn enter(
    connection: &mut AnyConnection,
    game: &str,
    row: &ArchiveRow,
) -> Result<bool, StoreError> {
    let winner: i64 = match row.winner {
        None => 0,
        Some(Seat::White) => 1,
        Some(Seat::Black) => 2,
    };
    // Another node may have taken the number meanwhile, or have written the row.
    while number(connection, game).await?.is_none() {
        let no = free(connection, row.ended_ms).await?;
        let done = sqlx::query(
            "INSERT INTO archive (no, game, variant, white, black, winner, ending, plies, rated, speed, open) \
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) ON CONFLICT DO NOTHING",
        )
        .bind(no)
        .bind(game)
        .bind(&row.variant)
        .bind(&row.white)
        .bind(&row.black)
        .bind(winner)
        .bind(&row.ending)
        .bind(row.plies)
        .bind(i64::from(row.rated))
        .bind(&row.speed)
        .bind(i64::from(row.open))
        .execute(&mut *connection)
        .await?;
        if done.rows_affected() == 1 {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The seat that a number stands for.
fn seat_of(number: i64) -> Option<Seat> {
    match number {
        1 => Some(Seat::White),
        2 => Some(Seat::Black),
        _ => None,
    }
}

async fn number(connection: &mut AnyConnection, game: &str) -> Result<Option<i64>, StoreError> {
    let row = sqlx::query("SELECT no FROM archive WHERE game = $1")
        .bind(game)
        .fetch_optional(connection)
        .await?;
    Ok(row.map(|row| row.try_get(0)).transpose()?)
}

/// The first free number of a millisecond, or of one of those after it.
async fn free(connection: &mut AnyConnection, ended_ms: i64) -> Result<i64, StoreError> {
    let mut first = first_of(ended_ms);
    loop {
        let end = first.saturating_add(SAME);
        let row = sqlx::query("SELECT MAX(no) FROM archive WHERE no >= $1 AND no < $2")
            .bind(first)
            .bind(end)
            .fetch_one(&mut *connection)
            .await?;
        match row.try_get::<Option<i64>, _>(0)? {
            None => return Ok(first),
            Some(last) if last + 1 < end => return Ok(last + 1),
            Some(_) => first = end,
        }
    }
}

/// The first number of a game that ended at a time; times before 1970 and after the year 200,000 are not told apart.
fn first_of(ended_ms: i64) -> i64 {
    ended_ms.clamp(0, i64::MAX / SAME / 2) * SAME
}

async fn fill(connection: &mut AnyConnection, filled: &Filled) -> Result<(), StoreError> {
    if let Some(row) = &filled.row {
        enter(connection, &filled.game, row).await?;
    }
    if let Some(no) = number(connection, &filled.game).await? {
        sqlx::query("UPDATE archive SET white_rating = $1, black_rating = $2 WHERE no = $3")
            .bind(filled.ratings[0])
            .bind(filled.ratings[1])
            .bind(no)
            .execute(&mut *connection)
            .await?;
        for part in filled.positions.chunks(ROWS) {
            let sql = format!(
                "INSERT INTO archive_positions (hash, no, ply) VALUES {} ON CONFLICT DO NOTHING",
                append::places(part.len(), 3)
            );
            // The text holds placeholders alone.
            let mut query = sqlx::query(sqlx::AssertSqlSafe(sql));
            for (hash, ply) in part {
                query = query.bind(*hash).bind(no).bind(*ply);
            }
            query.execute(&mut *connection).await?;
        }
    }
    sqlx::query("DELETE FROM to_archive WHERE game = $1")
        .bind(&filled.game)
        .execute(connection)
        .await?;
    Ok(())
}

impl ArchiveStore for SqlStore {
    fn to_archive(&self, limit: u32) -> Answer<'_, Vec<String>> {
        let sql = "SELECT game FROM to_archive ORDER BY game LIMIT $1";
        reading!(self, sql, [i64::from(limit)], |row| row.try_get(0))
    }

    fn waiting(&self) -> Answer<'_, i64> {
        let sql = "SELECT COUNT(*) FROM to_archive";
        let rows: Answer<'_, Vec<i64>> = reading!(self, sql, [], |row| row.try_get(0));
        Box::pin(async move { Ok(rows.await?.first().copied().unwrap_or_default()) })
    }

    fn fill<'a>(&'a self, games: &'a [Filled]) -> Answer<'a, ()> {
        writing!(self, |connection| {
            append::begin(connection, self.dialect()).await?;
            for filled in games {
                fill(connection, filled).await?;
            }
            append::commit(connection, self.dialect()).await
        })
    }

    fn rating_at<'a>(
        &'a self,
        person: &'a str,
        variant: &'a str,
        speed: &'a str,
        at_ms: i64,
    ) -> Answer<'a, Option<f64>> {
        let sql = "SELECT after FROM rated WHERE person = $1 AND variant = $2 AND speed = $3 AND at_ms <= $4 \
             ORDER BY at_ms DESC LIMIT 1";
        reading_one!(self, sql, [person, variant, speed, at_ms], |row| row
            .try_get(0))
    }

    fn results<'a>(&'a self, person: &'a str) -> Answer<'a, Vec<ResultRow>> {
        // Each part goes along the rows of one index, which has all that is asked for.
        let sql = "SELECT variant, CAST(1 AS BIGINT), winner, COUNT(*) FROM archive WHERE white = $1 AND open = 1 GROUP BY variant, winner \
             UNION ALL SELECT variant, CAST(2 AS BIGINT), winner, COUNT(*) FROM archive WHERE black = $1 AND open = 1 GROUP BY variant, winner";
        reading!(self, sql, [person], |row| Ok(ResultRow {
            variant: row.try_get(0)?,
            seat: seat_of(row.try_get(1)?).unwrap_or(Seat::White),
            winner: seat_of(row.try_get(2)?),
            games: row.try_get(3)?,
        }))
    }

    fn search<'a>(&'a self, search: &'a Search) -> Answer<'a, Found> {
        Box::pin(super::sql::within(search::search(self.readers(), search)))
    }
}
