//! Ratings, and the games that wait to be rated: such a game is noted in the commit of its last event, and taken off
//! in the commit that changes the ratings, so that each is rated once, whatever happens in between. How a rating
//! changes is not known here.

use super::sql::SqlStore;
use super::{Answer, StoreError, append};
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, Row};

/// A rating as it is kept.
#[derive(Clone, Debug, PartialEq)]
pub struct RatingRow {
    /// Id of the account, or what stands for a level of the engine.
    pub person: String,
    /// Id of the game.
    pub variant: String,
    /// Class of the clock.
    pub speed: String,
    /// The rating.
    pub rating: f64,
    /// How uncertain it is.
    pub deviation: f64,
    /// How much results vary.
    pub volatility: f64,
    /// When it was set, in milliseconds of Unix time.
    pub at_ms: i64,
    /// Games that have made it.
    pub games: i64,
}

/// What a game has changed for one person.
#[derive(Clone, Debug, PartialEq)]
pub struct RatedRow {
    /// Id of the game.
    pub game: String,
    /// Whose rating.
    pub person: String,
    /// Id of the game's rules.
    pub variant: String,
    /// Class of the clock.
    pub speed: String,
    /// When, in milliseconds of Unix time.
    pub at_ms: i64,
    /// The rating before.
    pub before: f64,
    /// The rating after.
    pub after: f64,
    /// How uncertain that is.
    pub deviation: f64,
}

/// A game that waits to be rated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToRate {
    /// Its id.
    pub game: String,
    /// Who has played what with which result, as JSON.
    pub body: String,
}

/// A person with a rating, in a list.
#[derive(Clone, Debug, PartialEq)]
pub struct Ranked {
    /// The account's name; nothing for a level of the engine.
    pub name: Option<String>,
    /// Whether the account is a program's.
    pub bot: bool,
    /// The rating.
    pub rating: RatingRow,
}

/// Keeps ratings.
pub trait RatingStore: std::fmt::Debug + Send + Sync + 'static {
    /// Games that wait to be rated.
    fn to_rate(&self, limit: u32) -> Answer<'_, Vec<ToRate>>;
    /// A rating.
    fn rating<'a>(
        &'a self,
        person: &'a str,
        variant: &'a str,
        speed: &'a str,
    ) -> Answer<'a, Option<RatingRow>>;
    /// All ratings of a person.
    fn ratings<'a>(&'a self, person: &'a str) -> Answer<'a, Vec<RatingRow>>;
    /// Keeps both ratings after a game with what it has changed. False if the game does not wait (any more), or if
    /// another game of one of them was rated since its rating was read: then nothing changes.
    fn rate<'a>(
        &'a self,
        game: &'a str,
        ratings: &'a [RatingRow; 2],
        changes: &'a [RatedRow; 2],
    ) -> Answer<'a, bool>;
    /// Takes a game off that cannot be rated.
    fn leave_unrated<'a>(&'a self, game: &'a str) -> Answer<'a, ()>;
    /// What a game has changed: none or two.
    fn changes_by<'a>(&'a self, game: &'a str) -> Answer<'a, Vec<RatedRow>>;
    /// What games of a person have changed in one game and speed, the newest first.
    fn history<'a>(
        &'a self,
        person: &'a str,
        variant: &'a str,
        speed: &'a str,
        limit: u32,
    ) -> Answer<'a, Vec<RatedRow>>;
    /// The best of a game and speed with a deviation below a bound.
    fn best<'a>(
        &'a self,
        variant: &'a str,
        speed: &'a str,
        below: f64,
        limit: u32,
    ) -> Answer<'a, Vec<Ranked>>;
}

const RATING: &str =
    "r.person, r.variant, r.speed, r.rating, r.deviation, r.volatility, r.at_ms, r.games";
const RATED: &str =
    "SELECT game, person, variant, speed, at_ms, before, after, deviation FROM rated";

fn rating(row: &AnyRow) -> Result<RatingRow, sqlx::Error> {
    Ok(RatingRow {
        person: row.try_get(0)?,
        variant: row.try_get(1)?,
        speed: row.try_get(2)?,
        rating: row.try_get(3)?,
        deviation: row.try_get(4)?,
        volatility: row.try_get(5)?,
        at_ms: row.try_get(6)?,
        games: row.try_get(7)?,
    })
}

fn rated(row: &AnyRow) -> Result<RatedRow, sqlx::Error> {
    Ok(RatedRow {
        game: row.try_get(0)?,
        person: row.try_get(1)?,
        variant: row.try_get(2)?,
        speed: row.try_get(3)?,
        at_ms: row.try_get(4)?,
        before: row.try_get(5)?,
        after: row.try_get(6)?,
        deviation: row.try_get(7)?,
    })
}

/// Notes games that are to be rated; part of the commit of their last events.
pub(super) async fn note(
    connection: &mut AnyConnection,
    game: &str,
    body: &str,
) -> Result<(), StoreError> {
    // The last event may be written again when its answer was lost, after the game was rated.
    sqlx::query(
        "INSERT INTO to_rate (game, body) SELECT CAST($1 AS TEXT), CAST($2 AS TEXT) \
         WHERE NOT EXISTS (SELECT 1 FROM rated WHERE rated.game = $1) ON CONFLICT (game) DO NOTHING",
    )
    .bind(game)
    .bind(body)
    .execute(connection)
    .await?;
    Ok(())
}

async fn take_off(connection: &mut AnyConnection, game: &str) -> Result<bool, StoreError> {
    let done = sqlx::query("DELETE FROM to_rate WHERE game = $1")
        .bind(game)
        .execute(connection)
        .await?;
    Ok(done.rows_affected() == 1)
}

/// Keeps a rating after another game; false if it is not the one after the game before.
async fn keep(connection: &mut AnyConnection, row: &RatingRow) -> Result<bool, StoreError> {
    let done = sqlx::query(
        "INSERT INTO ratings (person, variant, speed, rating, deviation, volatility, at_ms, games) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (person, variant, speed) DO UPDATE SET \
         rating = excluded.rating, deviation = excluded.deviation, volatility = excluded.volatility, \
         at_ms = excluded.at_ms, games = excluded.games WHERE ratings.games = excluded.games - 1",
    )
    .bind(&row.person)
    .bind(&row.variant)
    .bind(&row.speed)
    .bind(row.rating)
    .bind(row.deviation)
    .bind(row.volatility)
    .bind(row.at_ms)
    .bind(row.games)
    .execute(connection)
    .await?;
    Ok(done.rows_affected() == 1)
}

async fn log(connection: &mut AnyConnection, row: &RatedRow) -> Result<(), StoreError> {
    sqlx::query(
        "INSERT INTO rated (game, person, variant, speed, at_ms, before, after, deviation) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
    )
    .bind(&row.game)
    .bind(&row.person)
    .bind(&row.variant)
    .bind(&row.speed)
    .bind(row.at_ms)
    .bind(row.before)
    .bind(row.after)
    .bind(row.deviation)
    .execute(connection)
    .await?;
    Ok(())
}

impl RatingStore for SqlStore {
    fn to_rate(&self, limit: u32) -> Answer<'_, Vec<ToRate>> {
        let sql = "SELECT game, body FROM to_rate ORDER BY game LIMIT $1";
        reading!(self, sql, [i64::from(limit)], |row| Ok(ToRate {
            game: row.try_get(0)?,
            body: row.try_get(1)?,
        }))
    }

    fn rating<'a>(
        &'a self,
        person: &'a str,
        variant: &'a str,
        speed: &'a str,
    ) -> Answer<'a, Option<RatingRow>> {
        let sql = format!(
            "SELECT {RATING} FROM ratings r WHERE r.person = $1 AND r.variant = $2 AND r.speed = $3"
        );
        reading_one!(self, sql, [person, variant, speed], rating)
    }

    fn ratings<'a>(&'a self, person: &'a str) -> Answer<'a, Vec<RatingRow>> {
        let sql = format!(
            "SELECT {RATING} FROM ratings r WHERE r.person = $1 ORDER BY r.games DESC, r.variant, r.speed"
        );
        reading!(self, sql, [person], rating)
    }

    fn rate<'a>(
        &'a self,
        game: &'a str,
        ratings: &'a [RatingRow; 2],
        changes: &'a [RatedRow; 2],
    ) -> Answer<'a, bool> {
        writing!(self, |connection| {
            append::begin(connection, self.dialect()).await?;
            if !take_off(connection, game).await? {
                append::rollback(connection).await?;
                return Ok(false);
            }
            for row in ratings {
                // Another node has rated another game of this player in between.
                if !keep(connection, row).await? {
                    append::rollback(connection).await?;
                    return Ok(false);
                }
            }
            for row in changes {
                log(connection, row).await?;
            }
            append::commit(connection, self.dialect()).await?;
            Ok(true)
        })
    }

    fn leave_unrated<'a>(&'a self, game: &'a str) -> Answer<'a, ()> {
        writing!(self, |connection| take_off(connection, game)
            .await
            .map(drop))
    }

    fn changes_by<'a>(&'a self, game: &'a str) -> Answer<'a, Vec<RatedRow>> {
        reading!(
            self,
            format!("{RATED} WHERE game = $1 ORDER BY person"),
            [game],
            rated
        )
    }

    fn history<'a>(
        &'a self,
        person: &'a str,
        variant: &'a str,
        speed: &'a str,
        limit: u32,
    ) -> Answer<'a, Vec<RatedRow>> {
        let sql = format!(
            "{RATED} WHERE person = $1 AND variant = $2 AND speed = $3 ORDER BY at_ms DESC LIMIT $4"
        );
        let limit = i64::from(limit);
        reading!(self, sql, [person, variant, speed, limit], rated)
    }

    fn best<'a>(
        &'a self,
        variant: &'a str,
        speed: &'a str,
        below: f64,
        limit: u32,
    ) -> Answer<'a, Vec<Ranked>> {
        let sql = format!(
            "SELECT {RATING}, a.name, COALESCE(a.bot, 0) FROM ratings r LEFT JOIN accounts a ON a.id = r.person \
             WHERE r.variant = $1 AND r.speed = $2 AND r.deviation < $3 AND COALESCE(a.deleted, 0) = 0 \
             ORDER BY r.rating DESC, r.person LIMIT $4"
        );
        let limit = i64::from(limit);
        reading!(self, sql, [variant, speed, below, limit], |row| Ok(
            Ranked {
                name: row.try_get(8)?,
                bot: row.try_get::<i64, _>(9)? != 0,
                rating: rating(row)?,
            }
        ))
    }
}
