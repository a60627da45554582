//! Games that are played and that everybody may watch: one row each, so that lists and small boards are read from storage
//! and wake no game. A row is written in the commit that begins its game, changed with every move, and gone with the commit
//! that ends it.

use super::sql::SqlStore;
use super::{Answer, GameWrite, StoreError, append};
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, Row};

/// The speed of games without a clock.
pub const UNTIMED: &str = "none";

/// People's games stand before those against the engine, whatever the ratings: this is more than any rating.
const PEOPLE: i64 = 100_000;

/// A player of a game as it begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunningSeat {
    /// Id of the account or guest, or what stands for a level of the engine.
    pub person: String,
    /// Name to show.
    pub name: String,
    /// Whether the name is an account's, which may change.
    pub account: bool,
    /// Level of the engine.
    pub level: Option<i64>,
    /// The rating that is taken for one who has none.
    pub first: i64,
}

/// A game as it begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunningRow {
    /// Name of the variant.
    pub variant: String,
    /// Its clock.
    pub clock: String,
    /// Class of its clock.
    pub speed: String,
    /// Whether it counts for ratings.
    pub rated: bool,
    /// White and Black.
    pub seats: [RunningSeat; 2],
    /// When it began, in milliseconds of Unix time.
    pub began_ms: i64,
}

/// A position as it stands on the board.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BoardRow {
    /// Number of the game's last event.
    pub seq: i64,
    /// Half-moves played.
    pub ply: i64,
    /// Position text.
    pub fen: String,
    /// The last move in UCI form; empty before the first.
    pub last: String,
    /// When it came to be, in milliseconds of Unix time.
    pub at_ms: i64,
}

/// What a game's write changes of its row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Running {
    /// It begins: it has a row from now on.
    Begins(Box<RunningRow>, BoardRow),
    /// Another position stands on the board.
    Moves(BoardRow),
    /// Both players have left, or one is back.
    Rests(bool),
}

/// Where the page before has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct After {
    /// Rank of its last game.
    pub rank: i64,
    /// Id of that.
    pub game: String,
}

/// A player of a game in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunningPlayer {
    /// The name as it is now.
    pub name: String,
    /// Whether it is an account's.
    pub account: bool,
    /// Whether the account is a program's.
    pub bot: bool,
    /// Level of the engine.
    pub level: Option<i64>,
    /// The rating at the beginning.
    pub rating: Option<i64>,
}

/// A game of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunningGame {
    /// Its id.
    pub game: String,
    /// Name of the variant.
    pub variant: String,
    /// Its clock.
    pub clock: String,
    /// Class of its clock.
    pub speed: String,
    /// Whether it counts for ratings.
    pub rated: bool,
    /// Its place in the order, the greatest first.
    pub rank: i64,
    /// When it began, in milliseconds of Unix time.
    pub began_ms: i64,
    /// White and Black.
    pub players: [RunningPlayer; 2],
    /// What stands on the board.
    pub board: BoardRow,
}

/// A small board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunningBoard {
    /// The game.
    pub game: String,
    /// What stands on it.
    pub board: BoardRow,
}

/// Reads games that are played.
pub trait RunningStore: std::fmt::Debug + Send + Sync + 'static {
    /// Games that do not rest, the best first: of these variants, or of all if there are none of them.
    fn running<'a>(
        &'a self,
        variants: &'a [String],
        after: Option<&'a After>,
        limit: u32,
    ) -> Answer<'a, Vec<RunningGame>>;
    /// How many games of each variant do not rest.
    fn running_counts(&self) -> Answer<'_, Vec<(String, i64)>>;
    /// Boards of these games, as far as they are played and everybody may watch.
    fn running_boards<'a>(&'a self, games: &'a [String]) -> Answer<'a, Vec<RunningBoard>>;
    /// Has games of a class of clocks rest, whoever is there: the server has just started.
    fn rest_all<'a>(&'a self, speed: &'a str) -> Answer<'a, u64>;
    /// Games of the version before that may want a row.
    fn to_watch(&self, limit: u32) -> Answer<'_, Vec<String>>;
    /// Gives such games their rows, as far as they have one and are not over meanwhile.
    fn begin_watching<'a>(
        &'a self,
        games: &'a [(String, Option<(RunningRow, BoardRow)>)],
    ) -> Answer<'a, ()>;
}

/// Writes what games change of their rows: part of their commit.
pub(super) async fn note(
    connection: &mut AnyConnection,
    writes: &[&GameWrite],
) -> Result<(), StoreError> {
    let mut moved: Vec<(&str, &BoardRow)> = Vec::new();
    for write in writes.iter().filter(|write| !write.over) {
        match &write.running {
            None => {}
            Some(Running::Begins(row, board)) => {
                begin(connection, &write.game, row, board).await?;
            }
            Some(Running::Moves(board)) => moved.push((&write.game, board)),
            Some(Running::Rests(rests)) => {
                sqlx::query("UPDATE running SET rests = $1 WHERE game = $2")
                    .bind(i64::from(*rests))
                    .bind(&write.game)
                    .execute(&mut *connection)
                    .await?;
            }
        }
    }
    for part in moved.chunks(append::ROWS) {
        let sql = format!(
            "UPDATE running SET seq = v.column2, ply = v.column3, fen = v.column4, last = v.column5, moved_ms = v.column6 \
             FROM (VALUES {}) AS v WHERE running.game = v.column1",
            append::places(append::rounded(part.len()), 6)
        );
        // The text holds placeholders alone.
        let mut query = sqlx::query(sqlx::AssertSqlSafe(sql));
        for (game, board) in part {
            query = query
                .bind(*game)
                .bind(board.seq)
                .bind(board.ply)
                .bind(&board.fen)
                .bind(&board.last)
                .bind(board.at_ms);
        }
        for _ in part.len()..append::rounded(part.len()) {
            query = query.bind("").bind(0_i64).bind(0_i64);
            query = query.bind("").bind("").bind(0_i64);
        }
        query.execute(&mut *connection).await?;
    }
    let over: Vec<&str> = writes
        .iter()
        .filter(|write| write.over)
        .map(|write| write.game.as_str())
        .collect();
    for part in over.chunks(append::ROWS) {
        let sql = format!(
            "DELETE FROM running WHERE game IN {}",
            append::places(1, append::rounded(part.len()))
        );
        let mut query = sqlx::query(sqlx::AssertSqlSafe(sql));
        for game in part {
            query = query.bind(*game);
        }
        for _ in part.len()..append::rounded(part.len()) {
            query = query.bind("");
        }
        query.execute(&mut *connection).await?;
    }
    Ok(())
}

/// Gives a game its row, unless it has one or is over.
async fn begin(
    connection: &mut AnyConnection,
    game: &str,
    row: &RunningRow,
    board: &BoardRow,
) -> Result<(), StoreError> {
    let [white, black] = &row.seats;
    let ratings = [
        rating(connection, row, white).await?,
        rating(connection, row, black).await?,
    ];
    let strength = |n: usize| ratings[n].unwrap_or(row.seats[n].first);
    let people = white.level.is_none() && black.level.is_none();
    let rank = (strength(0) + strength(1)) / 2 + if people { PEOPLE } else { 0 };
    sqlx::query(
        "INSERT INTO running (game, variant, clock, speed, rated, white, white_name, white_account, white_level, white_rating, \
         black, black_name, black_account, black_level, black_rating, rank, began_ms, moved_ms, rests, seq, ply, fen, last) \
         SELECT g.id, $2, $3, $4, $5, $6, $7, $8, CAST($9 AS BIGINT), CAST($10 AS BIGINT), \
         $11, $12, $13, CAST($14 AS BIGINT), CAST($15 AS BIGINT), $16, $17, $18, 0, $19, $20, $21, $22 \
         FROM games g WHERE g.id = $1 AND g.over = 0 ON CONFLICT (game) DO NOTHING",
    )
    .bind(game)
    .bind(&row.variant)
    .bind(&row.clock)
    .bind(&row.speed)
    .bind(i64::from(row.rated))
    .bind(&white.person)
    .bind(&white.name)
    .bind(i64::from(white.account))
    .bind(white.level)
    .bind(ratings[0])
    .bind(&black.person)
    .bind(&black.name)
    .bind(i64::from(black.account))
    .bind(black.level)
    .bind(ratings[1])
    .bind(rank)
    .bind(row.began_ms)
    .bind(board.at_ms)
    .bind(board.seq)
    .bind(board.ply)
    .bind(&board.fen)
    .bind(&board.last)
    .execute(connection)
    .await?;
    Ok(())
}

/// The rating of a player; what a level is taken for stands for its own.
async fn rating(
    connection: &mut AnyConnection,
    row: &RunningRow,
    seat: &RunningSeat,
) -> Result<Option<i64>, StoreError> {
    let sql = "SELECT rating FROM ratings WHERE person = $1 AND variant = $2 AND speed = $3";
    let found = sqlx::query(sql)
        .bind(&seat.person)
        .bind(&row.variant)
        .bind(&row.speed)
        .fetch_optional(connection)
        .await?;
    let kept: Option<f64> = found.map(|row| row.try_get(0)).transpose()?;
    Ok(kept
        .map(|rating| rating.round() as i64)
        .or(seat.level.map(|_| seat.first)))
}

/// Columns of a seat: the name as it is now, whether it is an account's, a program's, level and rating.
fn seat(color: &str, account: &str) -> String {
    format!(
        "COALESCE({account}.name, r.{color}_name), CAST(CASE WHEN {account}.deleted = 0 THEN 1 ELSE 0 END AS BIGINT), \
         CAST(COALESCE({account}.bot, 0) AS BIGINT), r.{color}_level, r.{color}_rating"
    )
}

fn player(row: &AnyRow, at: usize) -> Result<RunningPlayer, sqlx::Error> {
    Ok(RunningPlayer {
        name: row.try_get(at)?,
        account: row.try_get::<i64, _>(at + 1)? != 0,
        bot: row.try_get::<i64, _>(at + 2)? != 0,
        level: row.try_get(at + 3)?,
        rating: row.try_get(at + 4)?,
    })
}

const BOARD: &str = "r.seq, r.ply, r.fen, r.last, r.moved_ms";

fn board(row: &AnyRow, at: usize) -> Result<BoardRow, sqlx::Error> {
    Ok(BoardRow {
        seq: row.try_get(at)?,
        ply: row.try_get(at + 1)?,
        fen: row.try_get(at + 2)?,
        last: row.try_get(at + 3)?,
        at_ms: row.try_get(at + 4)?,
    })
}

fn game(row: &AnyRow) -> Result<RunningGame, sqlx::Error> {
    Ok(RunningGame {
        game: row.try_get(0)?,
        variant: row.try_get(1)?,
        clock: row.try_get(2)?,
        speed: row.try_get(3)?,
        rated: row.try_get::<i64, _>(4)? != 0,
        rank: row.try_get(5)?,
        began_ms: row.try_get(6)?,
        board: board(row, 7)?,
        players: [player(row, 12)?, player(row, 17)?],
    })
}

impl SqlStore {
    async fn running_now(
        &self,
        variants: &[String],
        after: Option<&After>,
        limit: u32,
    ) -> Result<Vec<RunningGame>, StoreError> {
        let mut sql = format!(
            "SELECT r.game, r.variant, r.clock, r.speed, r.rated, r.rank, r.began_ms, {BOARD}, {}, {} FROM running r \
             LEFT JOIN accounts a ON r.white_account = 1 AND a.id = r.white \
             LEFT JOIN accounts b ON r.black_account = 1 AND b.id = r.black WHERE r.rests = 0 AND (r.rank, r.game) < ($1, $2)",
            seat("white", "a"),
            seat("black", "b")
        );
        if !variants.is_empty() {
            let places: Vec<String> = (3..3 + variants.len()).map(|n| format!("${n}")).collect();
            sql.push_str(&format!(" AND r.variant IN ({})", places.join(", ")));
        }
        sql.push_str(&format!(
            " ORDER BY r.rank DESC, r.game DESC LIMIT ${}",
            variants.len() + 3
        ));
        // The text holds placeholders alone.
        let mut query = sqlx::query(sqlx::AssertSqlSafe(sql))
            .bind(after.map_or(i64::MAX, |after| after.rank))
            .bind(after.map_or("", |after| after.game.as_str()));
        for variant in variants {
            query = query.bind(variant);
        }
        let rows = query
            .bind(i64::from(limit))
            .fetch_all(self.readers())
            .await?;
        Ok(rows.iter().map(game).collect::<Result<_, _>>()?)
    }
}

/// Takes games without a clock off the list to watch: whoever is there comes again, and they are on it again.
pub(crate) async fn rest(
    connection: &mut AnyConnection,
    games: &[String],
) -> Result<(), sqlx::Error> {
    if games.is_empty() {
        return Ok(());
    }
    let asked = format!("${}", games.len() + 1);
    let sql = format!(
        "UPDATE running SET rests = 1 WHERE game IN {} AND speed = {asked} AND rests = 0",
        append::places(1, games.len())
    );
    let mut query = sqlx::query(sqlx::AssertSqlSafe(sql));
    for game in games {
        query = query.bind(game);
    }
    query.bind(UNTIMED).execute(connection).await?;
    Ok(())
}

impl RunningStore for SqlStore {
    fn running<'a>(
        &'a self,
        variants: &'a [String],
        after: Option<&'a After>,
        limit: u32,
    ) -> Answer<'a, Vec<RunningGame>> {
        Box::pin(super::sql::within(self.running_now(variants, after, limit)))
    }

    fn running_counts(&self) -> Answer<'_, Vec<(String, i64)>> {
        let sql = "SELECT variant, COUNT(*) FROM running WHERE rests = 0 GROUP BY variant ORDER BY variant";
        reading!(self, sql, [], |row| Ok((row.try_get(0)?, row.try_get(1)?)))
    }

    fn running_boards<'a>(&'a self, games: &'a [String]) -> Answer<'a, Vec<RunningBoard>> {
        Box::pin(async move {
            let sql = format!("SELECT r.game, {BOARD} FROM running r WHERE r.game IN");
            self.among(&sql, games, |row| {
                Ok(RunningBoard {
                    game: row.try_get(0)?,
                    board: board(row, 1)?,
                })
            })
            .await
        })
    }

    fn rest_all<'a>(&'a self, speed: &'a str) -> Answer<'a, u64> {
        writing!(self, |connection| {
            let done = sqlx::query("UPDATE running SET rests = 1 WHERE speed = $1 AND rests = 0")
                .bind(speed)
                .execute(connection)
                .await?;
            Ok(done.rows_affected())
        })
    }

    fn to_watch(&self, limit: u32) -> Answer<'_, Vec<String>> {
        let sql = "SELECT game FROM to_watch ORDER BY game LIMIT $1";
        reading!(self, sql, [i64::from(limit)], |row| row.try_get(0))
    }

    fn begin_watching<'a>(
        &'a self,
        games: &'a [(String, Option<(RunningRow, BoardRow)>)],
    ) -> Answer<'a, ()> {
        writing!(self, |connection| {
            append::begin(connection, self.dialect()).await?;
            for (game, rows) in games {
                if let Some((row, board)) = rows {
                    begin(connection, game, row, board).await?;
                }
                sqlx::query("DELETE FROM to_watch WHERE game = $1")
                    .bind(game)
                    .execute(&mut *connection)
                    .await?;
            }
            append::commit(connection, self.dialect()).await
        })
    }
}
