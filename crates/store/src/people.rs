//! Whom a person follows, whom that one does not want to read, and what the followed ones play just now.

use super::sql::SqlStore;
use super::{Answer, StoreError};
use sqlx::{AnyConnection, Row};

/// A list of other people that somebody keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PeopleList {
    /// Those who are followed.
    Followed,
    /// Those whose words in chat are not shown.
    Muted,
}

impl PeopleList {
    /// Both.
    pub const ALL: [PeopleList; 2] = [PeopleList::Followed, PeopleList::Muted];

    const fn table(self) -> &'static str {
        match self {
            PeopleList::Followed => "follows",
            PeopleList::Muted => "mutes",
        }
    }
}

/// Somebody of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedPerson {
    /// Id of the account.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Whether it is a program's.
    pub bot: bool,
    /// When it was last used, in milliseconds of Unix time.
    pub seen_ms: i64,
}

/// A game that somebody plays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlayingNow {
    /// Who.
    pub person: String,
    /// The game.
    pub game: String,
    /// Name of the variant.
    pub variant: String,
    /// Its clock.
    pub clock: String,
}

/// Keeps lists of people.
pub trait PeopleStore: std::fmt::Debug + Send + Sync + 'static {
    /// Puts somebody on a person's list, unless that has so many already; false then.
    fn list_person<'a>(
        &'a self,
        list: PeopleList,
        person: &'a str,
        other: &'a str,
        now_ms: i64,
        most: u32,
    ) -> Answer<'a, bool>;
    /// Takes somebody off it.
    fn unlist_person<'a>(
        &'a self,
        list: PeopleList,
        person: &'a str,
        other: &'a str,
    ) -> Answer<'a, ()>;
    /// Those on a person's list, by their names.
    fn listed_people<'a>(
        &'a self,
        list: PeopleList,
        person: &'a str,
    ) -> Answer<'a, Vec<ListedPerson>>;
    /// What those play whom a person follows, as far as everybody may watch and the game does not rest: one game each, one at
    /// the board before one over days, the one moved last.
    fn followed_playing<'a>(&'a self, person: &'a str) -> Answer<'a, Vec<PlayingNow>>;
}

/// Takes a deleted account off all lists, and its name out of games that everybody may watch: part of the commit that
/// deletes it.
pub(super) async fn forget_person(
    connection: &mut AnyConnection,
    person: &str,
    name: &str,
) -> Result<(), StoreError> {
    for sql in [
        "DELETE FROM follows WHERE person = $1 OR other = $1",
        "DELETE FROM mutes WHERE person = $1 OR other = $1",
    ] {
        sqlx::query(sql)
            .bind(person)
            .execute(&mut *connection)
            .await?;
    }
    for sql in [
        "UPDATE running SET white_name = $1, white_account = 0 WHERE white = $2",
        "UPDATE running SET black_name = $1, black_account = 0 WHERE black = $2",
    ] {
        sqlx::query(sql)
            .bind(name)
            .bind(person)
            .execute(&mut *connection)
            .await?;
    }
    Ok(())
}

impl PeopleStore for SqlStore {
    fn list_person<'a>(
        &'a self,
        list: PeopleList,
        person: &'a str,
        other: &'a str,
        now_ms: i64,
        most: u32,
    ) -> Answer<'a, bool> {
        let table = list.table();
        writing!(self, |connection| {
            // The texts hold placeholders and our own names alone.
            let sql = format!(
                "INSERT INTO {table} (person, other, made_ms) SELECT CAST($1 AS TEXT), CAST($2 AS TEXT), $3 \
                 WHERE (SELECT COUNT(*) FROM {table} WHERE person = $1) < $4 ON CONFLICT DO NOTHING"
            );
            let done = sqlx::query(sqlx::AssertSqlSafe(sql))
                .bind(person)
                .bind(other)
                .bind(now_ms)
                .bind(i64::from(most))
                .execute(&mut *connection)
                .await?;
            if done.rows_affected() == 1 {
                return Ok(true);
            }
            let sql = format!("SELECT 1 FROM {table} WHERE person = $1 AND other = $2");
            let there = sqlx::query(sqlx::AssertSqlSafe(sql))
                .bind(person)
                .bind(other)
                .fetch_optional(connection)
                .await?;
            Ok(there.is_some())
        })
    }

    fn unlist_person<'a>(
        &'a self,
        list: PeopleList,
        person: &'a str,
        other: &'a str,
    ) -> Answer<'a, ()> {
        writing!(self, |connection| {
            let sql = format!(
                "DELETE FROM {} WHERE person = $1 AND other = $2",
                list.table()
            );
            sqlx::query(sqlx::AssertSqlSafe(sql))
                .bind(person)
                .bind(other)
                .execute(connection)
                .await?;
            Ok(())
        })
    }

    fn listed_people<'a>(
        &'a self,
        list: PeopleList,
        person: &'a str,
    ) -> Answer<'a, Vec<ListedPerson>> {
        let sql = format!(
            "SELECT a.id, a.name, a.bot, a.seen_ms FROM {} l JOIN accounts a ON a.id = l.other \
             WHERE l.person = $1 AND a.deleted = 0 ORDER BY a.name",
            list.table()
        );
        reading!(self, sql, [person], |row| Ok(ListedPerson {
            id: row.try_get(0)?,
            name: row.try_get(1)?,
            bot: row.try_get::<i64, _>(2)? != 0,
            seen_ms: row.try_get(3)?,
        }))
    }

    fn followed_playing<'a>(&'a self, person: &'a str) -> Answer<'a, Vec<PlayingNow>> {
        const SQL: &str = "SELECT other, game, variant, clock FROM (SELECT p.other, p.game, p.variant, p.clock, \
            ROW_NUMBER() OVER (PARTITION BY p.other ORDER BY CASE WHEN p.speed = 'correspondence' THEN 1 ELSE 0 END, \
            p.moved_ms DESC, p.game) AS place FROM (\
            SELECT f.other, r.game, r.variant, r.clock, r.speed, r.moved_ms FROM follows f \
            JOIN running r ON r.white = f.other WHERE f.person = $1 AND r.rests = 0 UNION ALL \
            SELECT f.other, r.game, r.variant, r.clock, r.speed, r.moved_ms FROM follows f \
            JOIN running r ON r.black = f.other WHERE f.person = $1 AND r.rests = 0) AS p) AS q WHERE place = 1";
        reading!(self, SQL, [person], |row| Ok(PlayingNow {
            person: row.try_get(0)?,
            game: row.try_get(1)?,
            variant: row.try_get(2)?,
            clock: row.try_get(3)?,
        }))
    }
}
