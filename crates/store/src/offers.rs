//! Seeks and challenges that wait for an answer, and who wants nothing to do with whom. An offer is taken by one game,
//! in the commit that makes it; what is offered is not known here.

use super::sql::SqlStore;
use super::{Answer, StoreError};
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, Row};

/// An offer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OfferRow {
    /// Its id.
    pub id: String,
    /// Who has made it.
    pub person: String,
    /// To whom; to everybody if missing.
    pub target: Option<String>,
    /// What is offered, as JSON.
    pub body: String,
    /// When, in milliseconds of Unix time.
    pub made_ms: i64,
    /// Until when it can be taken.
    pub until_ms: i64,
    /// The game that has come of it.
    pub game: Option<String>,
    /// Why it was declined.
    pub answer: Option<String>,
}

/// Keeps offers.
pub trait OfferStore: std::fmt::Debug + Send + Sync + 'static {
    /// Keeps an offer, unless its maker has so many open ones already; false then.
    fn keep_offer<'a>(&'a self, offer: &'a OfferRow, most: u32) -> Answer<'a, bool>;
    /// An offer.
    fn offer<'a>(&'a self, id: &'a str) -> Answer<'a, Option<OfferRow>>;
    /// Open offers to everybody, the oldest first.
    fn open_offers(&self, now_ms: i64) -> Answer<'_, Vec<OfferRow>>;
    /// Offers from and to a person of which no game has come, the newest first; those to everybody are not among them.
    fn offers_of<'a>(&'a self, person: &'a str, now_ms: i64) -> Answer<'a, Vec<OfferRow>>;
    /// Declines an offer that is open; false if it is not (any more).
    fn decline_offer<'a>(&'a self, id: &'a str, answer: &'a str) -> Answer<'a, bool>;
    /// Takes an offer of a person back; false if there is none, or a game has come of it.
    fn withdraw_offer<'a>(&'a self, id: &'a str, person: &'a str) -> Answer<'a, bool>;
    /// Forgets offers whose time was over before then.
    fn forget_offers(&self, before_ms: i64) -> Answer<'_, u64>;
    /// Notes that a person wants nothing to do with another.
    fn block<'a>(&'a self, person: &'a str, other: &'a str, now_ms: i64) -> Answer<'a, ()>;
    /// Takes that back.
    fn unblock<'a>(&'a self, person: &'a str, other: &'a str) -> Answer<'a, ()>;
    /// Whom a person has blocked, the oldest first.
    fn blocked_by<'a>(&'a self, person: &'a str) -> Answer<'a, Vec<String>>;
    /// Those with whom a person does not play, whoever of the two wants it so.
    fn apart_from<'a>(&'a self, person: &'a str) -> Answer<'a, Vec<String>>;
}

const OFFER: &str = "SELECT id, person, target, body, made_ms, until_ms, game, answer FROM offers";

fn offer(row: &AnyRow) -> Result<OfferRow, sqlx::Error> {
    Ok(OfferRow {
        id: row.try_get(0)?,
        person: row.try_get(1)?,
        target: row.try_get(2)?,
        body: row.try_get(3)?,
        made_ms: row.try_get(4)?,
        until_ms: row.try_get(5)?,
        game: row.try_get(6)?,
        answer: row.try_get(7)?,
    })
}

/// Notes that a game has come of offers: part of the commit that makes it. Each is taken by one game, however often
/// that is written.
pub(super) async fn take(
    connection: &mut AnyConnection,
    game: &str,
    offers: &[String],
) -> Result<(), StoreError> {
    for offer in offers {
        let done = sqlx::query(
            "UPDATE offers SET game = $1 WHERE id = $2 AND answer IS NULL AND (game IS NULL OR game = $1)",
        )
        .bind(game)
        .bind(offer)
        .execute(&mut *connection)
        .await?;
        if done.rows_affected() == 0 {
            return Err(StoreError::Taken(offer.clone()));
        }
    }
    Ok(())
}

/// Forgets what a deleted account has offered and was offered: part of the commit that deletes it.
pub(super) async fn forget_person(
    connection: &mut AnyConnection,
    person: &str,
) -> Result<(), StoreError> {
    for sql in [
        "DELETE FROM offers WHERE person = $1 OR target = $1",
        "DELETE FROM blocks WHERE person = $1 OR other = $1",
    ] {
        sqlx::query(sql)
            .bind(person)
            .execute(&mut *connection)
            .await?;
    }
    Ok(())
}

impl OfferStore for SqlStore {
    fn keep_offer<'a>(&'a self, offer: &'a OfferRow, most: u32) -> Answer<'a, bool> {
        writing!(self, |connection| {
            let done = sqlx::query(
                "INSERT INTO offers (id, person, target, body, made_ms, until_ms) \
                 SELECT CAST($1 AS TEXT), CAST($2 AS TEXT), CAST($3 AS TEXT), CAST($4 AS TEXT), $5, $6 \
                 WHERE (SELECT COUNT(*) FROM offers WHERE person = $2 AND game IS NULL AND answer IS NULL \
                 AND until_ms > $5) < $7",
            )
            .bind(&offer.id)
            .bind(&offer.person)
            .bind(&offer.target)
            .bind(&offer.body)
            .bind(offer.made_ms)
            .bind(offer.until_ms)
            .bind(i64::from(most))
            .execute(connection)
            .await?;
            Ok(done.rows_affected() == 1)
        })
    }

    fn offer<'a>(&'a self, id: &'a str) -> Answer<'a, Option<OfferRow>> {
        reading_one!(self, format!("{OFFER} WHERE id = $1"), [id], offer)
    }

    fn open_offers(&self, now_ms: i64) -> Answer<'_, Vec<OfferRow>> {
        let sql = format!(
            "{OFFER} WHERE target IS NULL AND game IS NULL AND answer IS NULL AND until_ms > $1 ORDER BY made_ms"
        );
        reading!(self, sql, [now_ms], offer)
    }

    fn offers_of<'a>(&'a self, person: &'a str, now_ms: i64) -> Answer<'a, Vec<OfferRow>> {
        let sql = format!(
            "{OFFER} WHERE (person = $1 OR target = $1) AND target IS NOT NULL AND game IS NULL AND until_ms > $2 \
             ORDER BY made_ms DESC"
        );
        reading!(self, sql, [person, now_ms], offer)
    }

    fn decline_offer<'a>(&'a self, id: &'a str, answer: &'a str) -> Answer<'a, bool> {
        writing!(self, |connection| {
            let done = sqlx::query(
                "UPDATE offers SET answer = $1 WHERE id = $2 AND game IS NULL AND answer IS NULL",
            )
            .bind(answer)
            .bind(id)
            .execute(connection)
            .await?;
            Ok(done.rows_affected() == 1)
        })
    }

    fn withdraw_offer<'a>(&'a self, id: &'a str, person: &'a str) -> Answer<'a, bool> {
        writing!(self, |connection| {
            let done =
                sqlx::query("DELETE FROM offers WHERE id = $1 AND person = $2 AND game IS NULL")
                    .bind(id)
                    .bind(person)
                    .execute(connection)
                    .await?;
            Ok(done.rows_affected() == 1)
        })
    }

    fn forget_offers(&self, before_ms: i64) -> Answer<'_, u64> {
        writing!(self, |connection| {
            let done = sqlx::query("DELETE FROM offers WHERE until_ms < $1")
                .bind(before_ms)
                .execute(connection)
                .await?;
            Ok(done.rows_affected())
        })
    }

    fn block<'a>(&'a self, person: &'a str, other: &'a str, now_ms: i64) -> Answer<'a, ()> {
        writing!(self, |connection| {
            sqlx::query("INSERT INTO blocks (person, other, made_ms) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING")
                .bind(person)
                .bind(other)
                .bind(now_ms)
                .execute(connection)
                .await?;
            Ok(())
        })
    }

    fn unblock<'a>(&'a self, person: &'a str, other: &'a str) -> Answer<'a, ()> {
        writing!(self, |connection| {
            sqlx::query("DELETE FROM blocks WHERE person = $1 AND other = $2")
                .bind(person)
                .bind(other)
                .execute(connection)
                .await?;
            Ok(())
        })
    }

    fn blocked_by<'a>(&'a self, person: &'a str) -> Answer<'a, Vec<String>> {
        let sql = "SELECT other FROM blocks WHERE person = $1 ORDER BY made_ms";
        reading!(self, sql, [person], |row| row.try_get(0))
    }

    fn apart_from<'a>(&'a self, person: &'a str) -> Answer<'a, Vec<String>> {
        let sql = "SELECT other FROM blocks WHERE person = $1 UNION SELECT person FROM blocks WHERE other = $1";
        reading!(self, sql, [person], |row| row.try_get(0))
    }
}
