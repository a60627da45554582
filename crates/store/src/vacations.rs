//! Vacations from games over days: begun, ended, and how far their games know.

use super::Answer;
use super::sql::SqlStore;
use sqlx::Row;
use sqlx::any::AnyRow;

/// How far a vacation's games know of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Applied {
    /// Not all know that it has begun.
    No,
    /// All know that it has begun.
    Begun,
    /// All know that it is over.
    Ended,
}

impl Applied {
    fn number(self) -> i64 {
        match self {
            Applied::No => 0,
            Applied::Begun => 1,
            Applied::Ended => 2,
        }
    }
}

/// A vacation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VacationRow {
    /// Its id.
    pub id: String,
    /// Whose.
    pub person: String,
    /// When it began, in milliseconds of Unix time.
    pub begun_ms: i64,
    /// When it is over at the latest.
    pub until_ms: i64,
    /// When it was ended.
    pub ended_ms: Option<i64>,
}

/// Keeps vacations.
pub trait VacationStore: std::fmt::Debug + Send + Sync + 'static {
    /// Begins a vacation; false if the person is on one already.
    fn begin_vacation<'a>(&'a self, row: &'a VacationRow) -> Answer<'a, bool>;
    /// Ends a person's vacation, if it is on one.
    fn end_vacation<'a>(&'a self, person: &'a str, now_ms: i64) -> Answer<'a, bool>;
    /// Ends those whose time is over, at that time.
    fn end_vacations(&self, now_ms: i64) -> Answer<'_, u64>;
    /// Vacations of a person that were not over before a time, the oldest first.
    fn vacations<'a>(&'a self, person: &'a str, since_ms: i64) -> Answer<'a, Vec<VacationRow>>;
    /// Vacations of which not all games know as it is now.
    fn vacations_to_tell(&self) -> Answer<'_, Vec<VacationRow>>;
    /// Notes that all games know.
    fn vacation_told<'a>(&'a self, id: &'a str, applied: Applied) -> Answer<'a, ()>;
    /// A person's games that are not over.
    fn running_games<'a>(&'a self, person: &'a str) -> Answer<'a, Vec<String>>;
}

const VACATION: &str = "SELECT id, person, begun_ms, until_ms, ended_ms FROM vacations";

fn vacation(row: &AnyRow) -> Result<VacationRow, sqlx::Error> {
    Ok(VacationRow {
        id: row.try_get(0)?,
        person: row.try_get(1)?,
        begun_ms: row.try_get(2)?,
        until_ms: row.try_get(3)?,
        ended_ms: row.try_get(4)?,
    })
}

impl VacationStore for SqlStore {
    fn begin_vacation<'a>(&'a self, row: &'a VacationRow) -> Answer<'a, bool> {
        writing!(self, |connection| {
            let done = sqlx::query(
                "INSERT INTO vacations (id, person, begun_ms, until_ms, applied) \
                 SELECT CAST($1 AS TEXT), CAST($2 AS TEXT), $3, $4, 0 \
                 WHERE NOT EXISTS (SELECT 1 FROM vacations WHERE person = $2 AND ended_ms IS NULL)",
            )
            .bind(&row.id)
            .bind(&row.person)
            .bind(row.begun_ms)
            .bind(row.until_ms)
            .execute(connection)
            .await?;
            Ok(done.rows_affected() == 1)
        })
    }

    fn end_vacation<'a>(&'a self, person: &'a str, now_ms: i64) -> Answer<'a, bool> {
        writing!(self, |connection| {
            let done = sqlx::query(
                "UPDATE vacations SET ended_ms = $1 WHERE person = $2 AND ended_ms IS NULL",
            )
            .bind(now_ms)
            .bind(person)
            .execute(connection)
            .await?;
            Ok(done.rows_affected() == 1)
        })
    }

    fn end_vacations(&self, now_ms: i64) -> Answer<'_, u64> {
        writing!(self, |connection| {
            let done = sqlx::query(
                "UPDATE vacations SET ended_ms = until_ms WHERE ended_ms IS NULL AND until_ms <= $1",
            )
            .bind(now_ms)
            .execute(connection)
            .await?;
            Ok(done.rows_affected())
        })
    }

    fn vacations<'a>(&'a self, person: &'a str, since_ms: i64) -> Answer<'a, Vec<VacationRow>> {
        let sql = format!(
            "{VACATION} WHERE person = $1 AND COALESCE(ended_ms, until_ms) > $2 ORDER BY begun_ms"
        );
        reading!(self, sql, [person, since_ms], vacation)
    }

    fn vacations_to_tell(&self) -> Answer<'_, Vec<VacationRow>> {
        let sql = format!(
            "{VACATION} WHERE applied = 0 OR (applied = 1 AND ended_ms IS NOT NULL) ORDER BY begun_ms"
        );
        reading!(self, sql, [], vacation)
    }

    fn vacation_told<'a>(&'a self, id: &'a str, applied: Applied) -> Answer<'a, ()> {
        writing!(self, |connection| {
            sqlx::query("UPDATE vacations SET applied = $1 WHERE id = $2")
                .bind(applied.number())
                .bind(id)
                .execute(&mut *connection)
                .await?;
            // Nobody asks for what a deleted account has had.
            sqlx::query(
                "DELETE FROM vacations WHERE id = $1 AND applied = 2 AND person IN (SELECT id FROM accounts WHERE deleted <> 0)",
            )
            .bind(id)
            .execute(connection)
            .await?;
            Ok(())
        })
    }

    fn running_games<'a>(&'a self, person: &'a str) -> Answer<'a, Vec<String>> {
        let sql = "SELECT s.game FROM seats s JOIN games g ON g.id = s.game WHERE s.guest = $1 AND g.over = 0 ORDER BY s.game";
        reading!(self, sql, [person], |row| row.try_get(0))
    }
}
