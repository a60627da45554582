//! What moderation keeps, in SQLite and PostgreSQL.

use super::{
    ActRow, AnnouncementRow, BanRow, Before, Lifted, LoggedAct, ModerationStore, NewName,
    ReportRow, Resign, Role, Settled,
};
use crate::accounts::{self, ACCOUNT, AccountRow, Ended, end_sessions};
use crate::append::{begin, commit, rollback};
use crate::sql::{SqlStore, within};
use crate::{Answer, StoreError, votes};
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, Row};

const BAN: &str = "SELECT id, person, addresses, kind, only_new, reason, by_person, made_ms, until_ms, lifted_ms, resign FROM bans";
const REPORT: &str = "SELECT id, by_person, by_name, about, about_name, game, line, quoted, reason, text, made_ms, settled_ms, \
    settled_by, answer FROM reports";
const ANNOUNCEMENT: &str = "SELECT id, text, from_ms, until_ms FROM announcements";
/// What comes after a place in a list, the newest first, by the columns that the indices have.
const OLDER: &str =
    "(made_ms < $1 OR (made_ms = $1 AND id < $2)) ORDER BY made_ms DESC, id DESC LIMIT $3";

fn ban(row: &AnyRow) -> Result<BanRow, sqlx::Error> {
    Ok(BanRow {
        id: row.try_get(0)?,
        person: row.try_get(1)?,
        addresses: row.try_get(2)?,
        kind: row.try_get(3)?,
        only_new: row.try_get::<i64, _>(4)? != 0,
        reason: row.try_get(5)?,
        by_person: row.try_get(6)?,
        made_ms: row.try_get(7)?,
        until_ms: row.try_get(8)?,
        lifted_ms: row.try_get(9)?,
        resign: Resign::read(row.try_get(10)?),
    })
}

fn report(row: &AnyRow) -> Result<ReportRow, sqlx::Error> {
    let settled_ms: Option<i64> = row.try_get(11)?;
    let by_person: Option<String> = row.try_get(12)?;
    let answer: Option<String> = row.try_get(13)?;
    Ok(ReportRow {
        id: row.try_get(0)?,
        by_person: row.try_get(1)?,
        by_name: row.try_get(2)?,
        about: row.try_get(3)?,
        about_name: row.try_get(4)?,
        game: row.try_get(5)?,
        line: row.try_get(6)?,
        quoted: row.try_get(7)?,
        reason: row.try_get(8)?,
        text: row.try_get(9)?,
        made_ms: row.try_get(10)?,
        settled: settled_ms.map(|at_ms| Settled {
            at_ms,
            by_person: by_person.unwrap_or_default(),
            answer: answer.unwrap_or_default(),
        }),
    })
}

fn announcement(row: &AnyRow) -> Result<AnnouncementRow, sqlx::Error> {
    Ok(AnnouncementRow {
        id: row.try_get(0)?,
        text: row.try_get(1)?,
        from_ms: row.try_get(2)?,
        until_ms: row.try_get(3)?,
    })
}

fn logged(row: &AnyRow) -> Result<LoggedAct, sqlx::Error> {
    Ok(LoggedAct {
        no: row.try_get(0)?,
        act: ActRow {
            at_ms: row.try_get(1)?,
            by_person: row.try_get(2)?,
            act: row.try_get(3)?,
            about: row.try_get(4)?,
            detail: row.try_get(5)?,
            reason: row.try_get(6)?,
        },
    })
}

/// Enters an act: part of the commit of what it does. One connection writes, so that numbers have no gap.
async fn log(connection: &mut AnyConnection, act: &ActRow) -> Result<(), StoreError> {
    sqlx::query(
        "INSERT INTO acts (no, at_ms, by_person, act, about, detail, reason) \
         SELECT COALESCE(MAX(no), 0) + 1, CAST($1 AS BIGINT), CAST($2 AS TEXT), CAST($3 AS TEXT), CAST($4 AS TEXT), \
         CAST($5 AS TEXT), CAST($6 AS TEXT) FROM acts",
    )
    .bind(act.at_ms)
    .bind(&act.by_person)
    .bind(&act.act)
    .bind(&act.about)
    .bind(&act.detail)
    .bind(&act.reason)
    .execute(connection)
    .await?;
    Ok(())
}

/// Ends a transaction: with the act if something was done, without a trace if not.
async fn finish(
    store: &SqlStore,
    connection: &mut AnyConnection,
    done: bool,
    act: &ActRow,
) -> Result<bool, StoreError> {
    match done {
        true => {
            log(connection, act).await?;
            commit(connection, store.dialect()).await?;
        }
        false => rollback(connection).await?,
    }
    Ok(done)
}

async fn keep_ban(connection: &mut AnyConnection, ban: &BanRow) -> Result<(), StoreError> {
    sqlx::query(
        "INSERT INTO bans (id, person, addresses, kind, only_new, reason, by_person, made_ms, until_ms, resign) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
    )
    .bind(&ban.id)
    .bind(&ban.person)
    .bind(&ban.addresses)
    .bind(&ban.kind)
    .bind(i64::from(ban.only_new))
    .bind(&ban.reason)
    .bind(&ban.by_person)
    .bind(ban.made_ms)
    .bind(ban.until_ms)
    .bind(ban.resign.number())
    .execute(connection)
    .await?;
    Ok(())
}

/// Takes back what a person has offered and was offered.
async fn withdraw_offers(connection: &mut AnyConnection, person: &str) -> Result<(), StoreError> {
    sqlx::query("DELETE FROM offers WHERE (person = $1 OR target = $1) AND game IS NULL")
        .bind(person)
        .execute(connection)
        .await?;
    Ok(())
}

/// Whether an account could be given another name; else nothing is left of it when the transaction is rolled back.
async fn rename(connection: &mut AnyConnection, new: &NewName<'_>) -> Result<bool, StoreError> {
    sqlx::query("DELETE FROM account_names WHERE account = $1 AND until_ms IS NULL")
        .bind(new.account)
        .execute(&mut *connection)
        .await?;
    for digest in new.former {
        sqlx::query(
            "INSERT INTO account_names (reading, account, until_ms) VALUES ($1, $2, $3) \
             ON CONFLICT (reading) DO UPDATE SET until_ms = excluded.until_ms",
        )
        .bind(digest)
        .bind(new.account)
        .bind(new.until_ms)
        .execute(&mut *connection)
        .await?;
    }
    // A name that the account had before it may have again.
    for digest in new.digests {
        let row = sqlx::query("SELECT 1 FROM account_names WHERE reading = $1 AND account <> $2")
            .bind(digest)
            .bind(new.account)
            .fetch_optional(&mut *connection)
            .await?;
        if row.is_some() {
            return Ok(false);
        }
    }
    for reading in new.readings {
        let done = sqlx::query(
            "INSERT INTO account_names (reading, account) VALUES ($1, $2) ON CONFLICT (reading) DO NOTHING",
        )
        .bind(reading)
        .bind(new.account)
        .execute(&mut *connection)
        .await?;
        if done.rows_affected() == 0 {
            return Ok(false);
        }
    }
    let done = sqlx::query("UPDATE accounts SET name = $1 WHERE id = $2 AND deleted = 0")
        .bind(new.name)
        .bind(new.account)
        .execute(&mut *connection)
        .await?;
    if done.rows_affected() == 0 {
        return Ok(false);
    }
    // They bear the name of before.
    withdraw_offers(connection, new.account).await?;
    sqlx::query("INSERT INTO renamed (account) VALUES ($1) ON CONFLICT (account) DO NOTHING")
        .bind(new.account)
        .execute(connection)
        .await?;
    Ok(true)
}

async fn keep_report(
    connection: &mut AnyConnection,
    report: &ReportRow,
    most: u32,
    since_ms: i64,
) -> Result<bool, StoreError> {
    let row = sqlx::query("SELECT COUNT(*) FROM reports WHERE by_person = $1 AND made_ms > $2")
        .bind(&report.by_person)
        .bind(since_ms)
        .fetch_one(&mut *connection)
        .await?;
    if row.try_get::<i64, _>(0)? >= i64::from(most) {
        return Ok(false);
    }
    sqlx::query(
        "INSERT INTO reports (id, by_person, by_name, about, about_name, game, line, quoted, reason, text, made_ms) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
    )
    .bind(&report.id)
    .bind(&report.by_person)
    .bind(&report.by_name)
    .bind(&report.about)
    .bind(&report.about_name)
    .bind(&report.game)
    .bind(report.line)
    .bind(&report.quoted)
    .bind(&report.reason)
    .bind(&report.text)
    .bind(report.made_ms)
    .execute(connection)
    .await?;
    Ok(true)
}

/// Where a list goes on: at its beginning, without a place.
fn place(before: Option<&Before>) -> (i64, &str) {
    before.map_or((i64::MAX, ""), |b| (b.made_ms, &b.id))
}

/// A text as a part of others for LIKE, in which it has no special sign.
fn part(text: &str) -> String {
    let mut pattern = String::from("%");
    for c in text.chars() {
        if matches!(c, '%' | '_' | '\\') {
            pattern.push('\\');
        }
        pattern.push(c);
    }
    pattern + "%"
}

impl ModerationStore for SqlStore {
    fn ban<'a>(
        &'a self,
        ban: &'a BanRow,
        ends_sessions: bool,
        act: &'a ActRow,
    ) -> Answer<'a, Vec<String>> {
        writing!(self, |connection| {
            begin(connection, self.dialect()).await?;
            keep_ban(connection, ban).await?;
            let ended = match ban.person.as_deref().filter(|_| ends_sessions) {
                Some(person) => {
                    withdraw_offers(connection, person).await?;
                    end_sessions(connection, person, Ended::AllBut(None)).await?
                }
                None => Vec::new(),
            };
            finish(self, connection, true, act).await?;
            Ok(ended)
        })
    }

    fn lift_bans<'a>(&'a self, which: Lifted<'a>, now_ms: i64, act: &'a ActRow) -> Answer<'a, u64> {
        let (column, value) = match which {
            Lifted::One(id) => ("id", id),
            Lifted::Person(person) => ("person", person),
            Lifted::Addresses(addresses) => ("addresses", addresses),
        };
        let sql = format!(
            "UPDATE bans SET lifted_ms = $1, resign = CASE WHEN resign = 1 THEN 0 ELSE resign END \
             WHERE {column} = $2 AND lifted_ms IS NULL AND (until_ms IS NULL OR until_ms > $1)"
        );
        writing!(self, |connection| {
            begin(connection, self.dialect()).await?;
            let done = sqlx::query(sqlx::AssertSqlSafe(sql))
                .bind(now_ms)
                .bind(value)
                .execute(&mut *connection)
                .await?;
            let lifted = done.rows_affected();
            finish(self, connection, lifted > 0, act).await?;
            Ok(lifted)
        })
    }

    fn find_ban<'a>(&'a self, id: &'a str) -> Answer<'a, Option<BanRow>> {
        reading_one!(self, format!("{BAN} WHERE id = $1"), [id], ban)
    }

    fn bans_in_force(&self, now_ms: i64) -> Answer<'_, Vec<BanRow>> {
        let sql = format!(
            "{BAN} WHERE lifted_ms IS NULL AND (until_ms IS NULL OR until_ms > $1) ORDER BY made_ms, id"
        );
        reading!(self, sql, [now_ms], ban)
    }

    fn bans<'a>(&'a self, before: Option<&'a Before>, limit: u32) -> Answer<'a, Vec<BanRow>> {
        let sql = format!("{BAN} WHERE {OLDER}");
        let (made_ms, id) = place(before);
        reading!(self, sql, [made_ms, id, i64::from(limit)], ban)
    }

    fn bans_of<'a>(&'a self, person: &'a str) -> Answer<'a, Vec<BanRow>> {
        let sql = format!("{BAN} WHERE person = $1 ORDER BY made_ms DESC, id DESC");
        reading!(self, sql, [person], ban)
    }

    fn resigned<'a>(&'a self, ban: &'a str) -> Answer<'a, ()> {
        writing!(self, |connection| {
            sqlx::query("UPDATE bans SET resign = 2 WHERE id = $1 AND resign = 1")
                .bind(ban)
                .execute(connection)
                .await?;
            Ok(())
        })
    }

    fn rename<'a>(&'a self, name: NewName<'a>, act: &'a ActRow) -> Answer<'a, bool> {
        writing!(self, |connection| {
            begin(connection, self.dialect()).await?;
            let done = rename(connection, &name).await?;
            finish(self, connection, done, act).await
        })
    }

    fn account_formerly<'a>(
        &'a self,
        digest: &'a str,
        now_ms: i64,
    ) -> Answer<'a, Option<AccountRow>> {
        let sql = format!(
            "SELECT {ACCOUNT} FROM account_names n JOIN accounts a ON a.id = n.account \
             WHERE n.reading = $1 AND n.until_ms > $2 AND a.deleted = 0"
        );
        reading_one!(self, sql, [digest, now_ms], |row| accounts::account(row, 0))
    }

    fn free_names(&self, now_ms: i64) -> Answer<'_, u64> {
        writing!(self, |connection| {
            let done = sqlx::query("DELETE FROM account_names WHERE until_ms <= $1")
                .bind(now_ms)
                .execute(connection)
                .await?;
            Ok(done.rows_affected())
        })
    }

    fn renamed(&self) -> Answer<'_, Vec<String>> {
        let sql = "SELECT account FROM renamed";
        reading!(self, sql, [], |row| row.try_get(0))
    }

    fn rename_told<'a>(&'a self, account: &'a str) -> Answer<'a, ()> {
        writing!(self, |connection| {
            sqlx::query("DELETE FROM renamed WHERE account = $1")
                .bind(account)
                .execute(connection)
                .await?;
            Ok(())
        })
    }

    fn rewrite_event<'a>(
        &'a self,
        game: &'a str,
        seq: i64,
        body: &'a str,
        act: &'a ActRow,
    ) -> Answer<'a, bool> {
        writing!(self, |connection| {
            begin(connection, self.dialect()).await?;
            let done = sqlx::query("UPDATE events SET body = $1 WHERE game = $2 AND seq = $3")
                .bind(body)
                .bind(game)
                .bind(seq)
                .execute(&mut *connection)
                .await?;
            finish(self, connection, done.rows_affected() == 1, act).await
        })
    }

    fn announce<'a>(&'a self, row: &'a AnnouncementRow, act: &'a ActRow) -> Answer<'a, ()> {
        writing!(self, |connection| {
            begin(connection, self.dialect()).await?;
            sqlx::query(
                "INSERT INTO announcements (id, text, from_ms, until_ms) VALUES ($1, $2, $3, $4)",
            )
            .bind(&row.id)
            .bind(&row.text)
            .bind(row.from_ms)
            .bind(row.until_ms)
            .execute(&mut *connection)
            .await?;
            finish(self, connection, true, act).await?;
            Ok(())
        })
    }

    fn end_announcement<'a>(
        &'a self,
        id: &'a str,
        now_ms: i64,
        act: &'a ActRow,
    ) -> Answer<'a, bool> {
        let sql = "UPDATE announcements SET until_ms = $1 WHERE id = $2 AND until_ms > $1";
        writing!(self, |connection| {
            begin(connection, self.dialect()).await?;
            let done = sqlx::query(sql)
                .bind(now_ms)
                .bind(id)
                .execute(&mut *connection)
                .await?;
            finish(self, connection, done.rows_affected() == 1, act).await
        })
    }

    fn note_act<'a>(&'a self, act: &'a ActRow) -> Answer<'a, ()> {
        writing!(self, |connection| {
            begin(connection, self.dialect()).await?;
            finish(self, connection, true, act).await.map(drop)
        })
    }

    fn call_off_vote<'a>(&'a self, id: &'a str, now_ms: i64, act: &'a ActRow) -> Answer<'a, bool> {
        writing!(self, |connection| {
            begin(connection, self.dialect()).await?;
            let done = votes::call_off(connection, id, now_ms).await?;
            finish(self, connection, done, act).await
        })
    }

    fn announcements(&self, now_ms: i64) -> Answer<'_, Vec<AnnouncementRow>> {
        let sql = format!("{ANNOUNCEMENT} WHERE until_ms > $1 ORDER BY from_ms, id");
        reading!(self, sql, [now_ms], announcement)
    }

    fn keep_report<'a>(
        &'a self,
        report: &'a ReportRow,
        most: u32,
        since_ms: i64,
    ) -> Answer<'a, bool> {
        // One connection writes: nothing comes between the count and the report.
        writing!(self, |connection| keep_report(
            connection, report, most, since_ms
        )
        .await)
    }

    fn report<'a>(&'a self, id: &'a str) -> Answer<'a, Option<ReportRow>> {
        reading_one!(self, format!("{REPORT} WHERE id = $1"), [id], report)
    }

    fn reports<'a>(
        &'a self,
        open: bool,
        before: Option<&'a Before>,
        limit: u32,
    ) -> Answer<'a, Vec<ReportRow>> {
        let settled = match open {
            true => "settled_ms IS NULL",
            false => "settled_ms IS NOT NULL",
        };
        let sql = format!("{REPORT} WHERE {settled} AND {OLDER}");
        let (made_ms, id) = place(before);
        reading!(self, sql, [made_ms, id, i64::from(limit)], report)
    }

    fn open_reports(&self) -> Answer<'_, i64> {
        Box::pin(within(async move {
            let sql = "SELECT COUNT(*) FROM reports WHERE settled_ms IS NULL";
            let row = sqlx::query(sql).fetch_one(self.readers()).await?;
            Ok(row.try_get(0)?)
        }))
    }

    fn reports_with<'a>(
        &'a self,
        person: &'a str,
        role: Role,
        limit: u32,
    ) -> Answer<'a, Vec<ReportRow>> {
        let column = match role {
            Role::About => "about",
            Role::By => "by_person",
        };
        let sql = format!("{REPORT} WHERE {column} = $1 ORDER BY made_ms DESC, id DESC LIMIT $2");
        reading!(self, sql, [person, i64::from(limit)], report)
    }

    fn settle<'a>(
        &'a self,
        id: &'a str,
        settled: &'a Settled,
        act: &'a ActRow,
    ) -> Answer<'a, bool> {
        let sql = "UPDATE reports SET settled_ms = $1, settled_by = $2, answer = $3 WHERE id = $4 AND settled_ms IS NULL";
        writing!(self, |connection| {
            begin(connection, self.dialect()).await?;
            let done = sqlx::query(sql)
                .bind(settled.at_ms)
                .bind(&settled.by_person)
                .bind(&settled.answer)
                .bind(id)
                .execute(&mut *connection)
                .await?;
            finish(self, connection, done.rows_affected() == 1, act).await
        })
    }

    fn set_moderator<'a>(
        &'a self,
        account: &'a str,
        on: bool,
        act: &'a ActRow,
    ) -> Answer<'a, bool> {
        let make = "INSERT INTO moderators (account, made_ms) VALUES ($1, $2) ON CONFLICT (account) DO NOTHING";
        writing!(self, |connection| {
            begin(connection, self.dialect()).await?;
            let query = match on {
                true => sqlx::query(make).bind(account).bind(act.at_ms),
                false => sqlx::query("DELETE FROM moderators WHERE account = $1").bind(account),
            };
            let done = query.execute(&mut *connection).await?;
            finish(self, connection, done.rows_affected() == 1, act).await
        })
    }

    fn moderators(&self) -> Answer<'_, Vec<String>> {
        let sql = "SELECT account FROM moderators ORDER BY made_ms, account";
        reading!(self, sql, [], |row| row.try_get(0))
    }

    fn log<'a>(
        &'a self,
        about: Option<&'a str>,
        before: i64,
        limit: u32,
    ) -> Answer<'a, Vec<LoggedAct>> {
        let only = match about {
            Some(_) => "about = $3",
            None => "$3 = ''",
        };
        let sql = format!(
            "SELECT no, at_ms, by_person, act, about, detail, reason FROM acts WHERE no < $1 AND {only} \
             ORDER BY no DESC LIMIT $2"
        );
        let about = about.unwrap_or_default();
        reading!(self, sql, [before, i64::from(limit), about], logged)
    }

    fn accounts_like<'a>(
        &'a self,
        text: &'a str,
        after: &'a str,
        limit: u32,
    ) -> Answer<'a, Vec<AccountRow>> {
        // SQLite makes the letters of ASCII small, and no others.
        let sql = format!(
            "SELECT {ACCOUNT} FROM accounts a WHERE a.deleted = 0 AND a.id > $1 \
             AND (LOWER(a.name) LIKE $2 ESCAPE '\\' OR a.name LIKE $3 ESCAPE '\\') ORDER BY a.id LIMIT $4"
        );
        let (small, as_is) = (part(&text.to_lowercase()), part(text));
        reading!(self, sql, [after, small, as_is, i64::from(limit)], |row| {
            accounts::account(row, 0)
        })
    }
}
