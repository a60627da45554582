//! Votes, their ballots while they are open, and what was declared. A ballot is taken and changed only before its vote
//! closes, in the statement itself; with what is declared the ballots go. How they are counted is not known here.

use super::sql::{Dialect, SqlStore};
use super::{Answer, StoreError, append};
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, Row};

/// A vote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VoteRow {
    /// Its id.
    pub id: String,
    /// What is voted on, as JSON.
    pub body: String,
    /// Id of the account that has called it.
    pub caller: String,
    /// When, in milliseconds of Unix time.
    pub made_ms: i64,
    /// When it closes: ballots are taken before.
    pub closes_ms: i64,
    /// What was declared, as JSON.
    pub declared: Option<String>,
    /// When it was called off.
    pub off_ms: Option<i64>,
}

/// Numbers of the candidates that a voter has marked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Marks {
    /// The tick.
    pub tick: Option<i64>,
    /// The cross.
    pub cross: Option<i64>,
}

/// What is declared of ballots: those that are alike, and how many there are of each.
pub type CountBallots<'a> = &'a (dyn Fn(&[(Marks, i64)]) -> String + Send + Sync);

/// Keeps votes.
pub trait VoteStore: std::fmt::Debug + Send + Sync + 'static {
    /// Keeps a vote, unless its caller has `most[0]` open ones already, or all have `most[1]`; false then.
    fn call_vote<'a>(&'a self, row: &'a VoteRow, most: [u32; 2]) -> Answer<'a, bool>;
    /// A vote.
    fn vote<'a>(&'a self, id: &'a str) -> Answer<'a, Option<VoteRow>>;
    /// Votes of which nothing was declared, the one that closes first first.
    fn open_votes(&self) -> Answer<'_, Vec<VoteRow>>;
    /// Votes that were declared or called off, the one that closed last first, from those on that close before a time
    /// and id.
    fn past_votes<'a>(&'a self, before: (i64, &'a str), limit: u32) -> Answer<'a, Vec<VoteRow>>;
    /// Votes that closed before a time and of which nothing is declared.
    fn votes_to_declare(&self, now_ms: i64) -> Answer<'_, Vec<VoteRow>>;
    /// Takes a person's ballot in the place of the one before; false if the vote is closed, off or not there.
    fn cast<'a>(
        &'a self,
        vote: &'a str,
        person: &'a str,
        marks: Marks,
        now_ms: i64,
    ) -> Answer<'a, bool>;
    /// Takes a person's ballot back; false if there is none, or the vote is closed.
    fn uncast<'a>(&'a self, vote: &'a str, person: &'a str, now_ms: i64) -> Answer<'a, bool>;
    /// A person's ballot.
    fn ballot<'a>(&'a self, vote: &'a str, person: &'a str) -> Answer<'a, Option<Marks>>;
    /// A person's ballots of votes of which nothing is declared: the vote's id and what is voted on with it.
    fn ballots_of<'a>(&'a self, person: &'a str) -> Answer<'a, Vec<(VoteRow, Marks)>>;
    /// How many have voted in a vote of which nothing is declared.
    fn voters<'a>(&'a self, vote: &'a str) -> Answer<'a, i64>;
    /// Keeps what `count` makes of the ballots of a vote that has closed, and drops them. What was declared before stays.
    fn declare<'a>(&'a self, vote: &'a str, now_ms: i64, count: CountBallots<'a>)
    -> Answer<'a, ()>;
    /// Calls a vote off that is open, and drops its ballots; false if it is closed or off.
    fn call_off<'a>(&'a self, vote: &'a str, now_ms: i64) -> Answer<'a, bool>;
}

const VOTE: &str = "SELECT id, body, caller, made_ms, closes_ms, declared, off_ms FROM votes";

fn vote(row: &AnyRow) -> Result<VoteRow, sqlx::Error> {
    Ok(VoteRow {
        id: row.try_get(0)?,
        body: row.try_get(1)?,
        caller: row.try_get(2)?,
        made_ms: row.try_get(3)?,
        closes_ms: row.try_get(4)?,
        declared: row.try_get(5)?,
        off_ms: row.try_get(6)?,
    })
}

fn marks(row: &AnyRow, from: usize) -> Result<Marks, sqlx::Error> {
    Ok(Marks {
        tick: row.try_get(from)?,
        cross: row.try_get(from + 1)?,
    })
}

/// Holds a vote until the transaction is over: nothing is cast while it is counted. SQLite has one who writes at a time anyway.
async fn hold(
    connection: &mut AnyConnection,
    dialect: Dialect,
    vote: &str,
    how: &str,
) -> Result<(), StoreError> {
    if dialect == Dialect::Postgres {
        let sql = format!("SELECT 1 FROM votes WHERE id = $1 {how}");
        sqlx::query(sqlx::AssertSqlSafe(sql))
            .bind(vote)
            .fetch_optional(connection)
            .await?;
    }
    Ok(())
}

async fn drop_ballots(connection: &mut AnyConnection, vote: &str) -> Result<(), StoreError> {
    sqlx::query("DELETE FROM ballots WHERE vote = $1")
        .bind(vote)
        .execute(connection)
        .await?;
    Ok(())
}

/// Calls a vote off that is open, and drops its ballots: part of a commit.
pub(super) async fn call_off(
    connection: &mut AnyConnection,
    vote: &str,
    now_ms: i64,
) -> Result<bool, StoreError> {
    let done = sqlx::query(
        "UPDATE votes SET off_ms = $1 WHERE id = $2 AND off_ms IS NULL AND declared IS NULL AND closes_ms > $1",
    )
    .bind(now_ms)
    .bind(vote)
    .execute(&mut *connection)
    .await?;
    let open = done.rows_affected() == 1;
    if open {
        drop_ballots(connection, vote).await?;
    }
    Ok(open)
}

impl VoteStore for SqlStore {
    fn call_vote<'a>(&'a self, row: &'a VoteRow, [of_one, of_all]: [u32; 2]) -> Answer<'a, bool> {
        writing!(self, |connection| {
            let open = "declared IS NULL AND off_ms IS NULL";
            let sql = format!(
                "INSERT INTO votes (id, body, caller, made_ms, closes_ms) \
                 SELECT CAST($1 AS TEXT), CAST($2 AS TEXT), CAST($3 AS TEXT), $4, $5 \
                 WHERE (SELECT COUNT(*) FROM votes WHERE caller = $3 AND {open}) < $6 \
                 AND (SELECT COUNT(*) FROM votes WHERE {open}) < $7"
            );
            let done = sqlx::query(sqlx::AssertSqlSafe(sql))
                .bind(&row.id)
                .bind(&row.body)
                .bind(&row.caller)
                .bind(row.made_ms)
                .bind(row.closes_ms)
                .bind(i64::from(of_one))
                .bind(i64::from(of_all))
                .execute(connection)
                .await?;
            Ok(done.rows_affected() == 1)
        })
    }

    fn vote<'a>(&'a self, id: &'a str) -> Answer<'a, Option<VoteRow>> {
        reading_one!(self, format!("{VOTE} WHERE id = $1"), [id], vote)
    }

    fn open_votes(&self) -> Answer<'_, Vec<VoteRow>> {
        let sql =
            format!("{VOTE} WHERE declared IS NULL AND off_ms IS NULL ORDER BY closes_ms, id");
        reading!(self, sql, [], vote)
    }

    fn past_votes<'a>(
        &'a self,
        (before_ms, before): (i64, &'a str),
        limit: u32,
    ) -> Answer<'a, Vec<VoteRow>> {
        let sql = format!(
            "{VOTE} WHERE (declared IS NOT NULL OR off_ms IS NOT NULL) \
             AND (closes_ms < $1 OR (closes_ms = $1 AND id < $2)) ORDER BY closes_ms DESC, id DESC LIMIT $3"
        );
        reading!(self, sql, [before_ms, before, i64::from(limit)], vote)
    }

    fn votes_to_declare(&self, now_ms: i64) -> Answer<'_, Vec<VoteRow>> {
        let sql = format!("{VOTE} WHERE declared IS NULL AND off_ms IS NULL AND closes_ms <= $1");
        reading!(self, sql, [now_ms], vote)
    }

    fn cast<'a>(
        &'a self,
        vote: &'a str,
        person: &'a str,
        marks: Marks,
        now_ms: i64,
    ) -> Answer<'a, bool> {
        writing!(self, |connection| {
            append::begin(connection, self.dialect()).await?;
            hold(connection, self.dialect(), vote, "FOR SHARE").await?;
            let done = sqlx::query(
                "INSERT INTO ballots (vote, person, ticked, crossed, at_ms) \
                 SELECT CAST($1 AS TEXT), CAST($2 AS TEXT), CAST($3 AS BIGINT), CAST($4 AS BIGINT), $5 \
                 WHERE EXISTS (SELECT 1 FROM votes WHERE id = $1 AND closes_ms > $5 AND declared IS NULL AND off_ms IS NULL) \
                 ON CONFLICT (vote, person) DO UPDATE SET ticked = excluded.ticked, crossed = excluded.crossed, \
                 at_ms = excluded.at_ms",
            )
            .bind(vote)
            .bind(person)
            .bind(marks.tick)
            .bind(marks.cross)
            .bind(now_ms)
            .execute(&mut *connection)
            .await?;
            append::commit(connection, self.dialect()).await?;
            Ok(done.rows_affected() == 1)
        })
    }

    fn uncast<'a>(&'a self, vote: &'a str, person: &'a str, now_ms: i64) -> Answer<'a, bool> {
        writing!(self, |connection| {
            append::begin(connection, self.dialect()).await?;
            hold(connection, self.dialect(), vote, "FOR SHARE").await?;
            let done = sqlx::query(
                "DELETE FROM ballots WHERE vote = $1 AND person = $2 \
                 AND EXISTS (SELECT 1 FROM votes WHERE id = $1 AND closes_ms > $3 AND declared IS NULL)",
            )
            .bind(vote)
            .bind(person)
            .bind(now_ms)
            .execute(&mut *connection)
            .await?;
            append::commit(connection, self.dialect()).await?;
            Ok(done.rows_affected() == 1)
        })
    }

    fn ballot<'a>(&'a self, vote: &'a str, person: &'a str) -> Answer<'a, Option<Marks>> {
        let sql = "SELECT ticked, crossed FROM ballots WHERE vote = $1 AND person = $2";
        reading_one!(self, sql, [vote, person], |row| marks(row, 0))
    }

    fn ballots_of<'a>(&'a self, person: &'a str) -> Answer<'a, Vec<(VoteRow, Marks)>> {
        let sql = "SELECT v.id, v.body, v.caller, v.made_ms, v.closes_ms, v.declared, v.off_ms, b.ticked, b.crossed \
                   FROM ballots b JOIN votes v ON v.id = b.vote WHERE b.person = $1 ORDER BY v.closes_ms, v.id";
        reading!(self, sql, [person], |row| Ok((vote(row)?, marks(row, 7)?)))
    }

    fn voters<'a>(&'a self, vote: &'a str) -> Answer<'a, i64> {
        let sql = "SELECT COUNT(*) FROM ballots WHERE vote = $1";
        let rows: Answer<'_, Vec<i64>> = reading!(self, sql, [vote], |row| row.try_get(0));
        Box::pin(async move { Ok(rows.await?.pop().unwrap_or(0)) })
    }

    fn declare<'a>(
        &'a self,
        vote: &'a str,
        now_ms: i64,
        count: CountBallots<'a>,
    ) -> Answer<'a, ()> {
        writing!(self, |connection| {
            append::begin(connection, self.dialect()).await?;
            hold(connection, self.dialect(), vote, "FOR UPDATE").await?;
            let rows = sqlx::query(
                "SELECT ticked, crossed, COUNT(*) FROM ballots WHERE vote = $1 GROUP BY ticked, crossed",
            )
            .bind(vote)
            .fetch_all(&mut *connection)
            .await?;
            let alike = |row: &AnyRow| Ok((marks(row, 0)?, row.try_get(2)?));
            let ballots: Result<Vec<(Marks, i64)>, sqlx::Error> = rows.iter().map(alike).collect();
            let done = sqlx::query(
                "UPDATE votes SET declared = $1 WHERE id = $2 AND declared IS NULL AND off_ms IS NULL AND closes_ms <= $3",
            )
            .bind(count(&ballots?))
            .bind(vote)
            .bind(now_ms)
            .execute(&mut *connection)
            .await?;
            if done.rows_affected() == 1 {
                drop_ballots(connection, vote).await?;
            }
            append::commit(connection, self.dialect()).await
        })
    }

    fn call_off<'a>(&'a self, vote: &'a str, now_ms: i64) -> Answer<'a, bool> {
        writing!(self, |connection| {
            append::begin(connection, self.dialect()).await?;
            let open = call_off(connection, vote, now_ms).await?;
            append::commit(connection, self.dialect()).await?;
            Ok(open)
        })
    }
}
