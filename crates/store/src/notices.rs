//! What is kept so that people can be told of something when they do not look: what they wish for, browsers that take
//! pushes, addresses for e-mail, and what was told already. What a notice says is not known here.

use super::sql::SqlStore;
use super::{Answer, StoreError, append};
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, Row};

/// A browser that takes notices by push.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PushRow {
    /// Its id.
    pub id: String,
    /// The account.
    pub person: String,
    /// Digest of the session in which it was turned on: with that it ends.
    pub session: String,
    /// Where its push service is asked.
    pub endpoint: String,
    /// The browser's public key, as base64url.
    pub p256dh: String,
    /// The secret by which it knows the sender, as base64url.
    pub auth: String,
    /// What the browser says it is.
    pub agent: String,
    /// When it was turned on, in milliseconds of Unix time.
    pub made_ms: i64,
}

/// An address for e-mail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MailRow {
    /// The account.
    pub person: String,
    /// The address.
    pub address: String,
    /// Digest of the word that confirms it; nothing once it is confirmed.
    pub digest: Option<String>,
    /// Until when it can be confirmed, in milliseconds of Unix time.
    pub until_ms: i64,
}

/// Keeps what notices need. All is written when an answer comes.
pub trait NoticeStore: std::fmt::Debug + Send + Sync + 'static {
    /// What a person wishes, as JSON.
    fn wishes<'a>(&'a self, person: &'a str) -> Answer<'a, Option<String>>;
    /// Keeps that; false if there is no such account.
    fn keep_wishes<'a>(&'a self, person: &'a str, body: &'a str) -> Answer<'a, bool>;
    /// Keeps a browser in the place of what was kept under its endpoint. The oldest of the person give way where there
    /// are more than `most`, and so do those whose session has ended. False if the session has ended meanwhile.
    fn keep_push<'a>(&'a self, row: &'a PushRow, most: u32) -> Answer<'a, bool>;
    /// A person's browsers whose sessions go on, the oldest first.
    fn pushes<'a>(&'a self, person: &'a str) -> Answer<'a, Vec<PushRow>>;
    /// Forgets a browser of a person; false if there is none of that id.
    fn remove_push<'a>(&'a self, person: &'a str, id: &'a str) -> Answer<'a, bool>;
    /// Notes that it worked, or did not: one that did not `most` times in a row is forgotten.
    fn push_done<'a>(&'a self, id: &'a str, worked: bool, most: u32) -> Answer<'a, ()>;
    /// Forgets browsers whose sessions have ended.
    fn forget_pushes(&self) -> Answer<'_, u64>;
    /// Keeps an address that is to be confirmed, in the place of another; false if there is no such account.
    fn keep_mail<'a>(&'a self, row: &'a MailRow) -> Answer<'a, bool>;
    /// A person's address.
    fn mail<'a>(&'a self, person: &'a str) -> Answer<'a, Option<MailRow>>;
    /// Confirms the address of a word's digest; false if there is none (any more).
    fn confirm_mail<'a>(&'a self, digest: &'a str, now_ms: i64) -> Answer<'a, bool>;
    /// Forgets a person's address; false if there is none.
    fn remove_mail<'a>(&'a self, person: &'a str) -> Answer<'a, bool>;
    /// Counts an e-mail to a person in a day; false if `most` went there already, or there is no address.
    fn count_mail<'a>(&'a self, person: &'a str, day: i64, most: u32) -> Answer<'a, bool>;
    /// Games whose mover is to be told that time runs out, with when, those due longest first.
    fn warnings(&self, now_ms: i64, limit: u32) -> Answer<'_, Vec<(String, i64)>>;
    /// Takes a warning off, unless there is another by now. True if it is the first for this half-move.
    fn take_warning<'a>(&'a self, game: &'a str, warn: i64, ply: i64) -> Answer<'a, bool>;
}

const PUSH: &str = "SELECT p.id, p.person, p.session, p.endpoint, p.p256dh, p.auth, p.agent, p.made_ms FROM push_subscriptions p";

fn push(row: &AnyRow) -> Result<PushRow, sqlx::Error> {
    Ok(PushRow {
        id: row.try_get(0)?,
        person: row.try_get(1)?,
        session: row.try_get(2)?,
        endpoint: row.try_get(3)?,
        p256dh: row.try_get(4)?,
        auth: row.try_get(5)?,
        agent: row.try_get(6)?,
        made_ms: row.try_get(7)?,
    })
}

fn mail(row: &AnyRow) -> Result<MailRow, sqlx::Error> {
    Ok(MailRow {
        person: row.try_get(0)?,
        address: row.try_get(1)?,
        digest: row.try_get(2)?,
        until_ms: row.try_get(3)?,
    })
}

/// Forgets what is kept of a deleted account: part of the commit that deletes it.
pub(super) async fn forget_person(
    connection: &mut AnyConnection,
    person: &str,
) -> Result<(), StoreError> {
    for sql in [
        "DELETE FROM notice_wishes WHERE person = $1",
        "DELETE FROM push_subscriptions WHERE person = $1",
        "DELETE FROM mail_addresses WHERE person = $1",
    ] {
        sqlx::query(sql)
            .bind(person)
            .execute(&mut *connection)
            .await?;
    }
    Ok(())
}

async fn keep_push(
    connection: &mut AnyConnection,
    row: &PushRow,
    most: u32,
) -> Result<bool, StoreError> {
    sqlx::query("DELETE FROM push_subscriptions WHERE endpoint = $1")
        .bind(&row.endpoint)
        .execute(&mut *connection)
        .await?;
    let done = sqlx::query(
        "INSERT INTO push_subscriptions (id, person, session, endpoint, p256dh, auth, agent, made_ms) \
         SELECT CAST($1 AS TEXT), CAST($2 AS TEXT), CAST($3 AS TEXT), CAST($4 AS TEXT), CAST($5 AS TEXT), CAST($6 AS TEXT), \
         CAST($7 AS TEXT), CAST($8 AS BIGINT) WHERE EXISTS (SELECT 1 FROM sessions WHERE digest = $3 AND account = $2)",
    )
    .bind(&row.id)
    .bind(&row.person)
    .bind(&row.session)
    .bind(&row.endpoint)
    .bind(&row.p256dh)
    .bind(&row.auth)
    .bind(&row.agent)
    .bind(row.made_ms)
    .execute(&mut *connection)
    .await?;
    if done.rows_affected() == 0 {
        return Ok(false);
    }
    sqlx::query(
        "DELETE FROM push_subscriptions WHERE person = $1 AND (session NOT IN (SELECT digest FROM sessions) \
         OR id NOT IN (SELECT id FROM push_subscriptions WHERE person = $1 ORDER BY made_ms DESC, id DESC LIMIT $2))",
    )
    .bind(&row.person)
    .bind(i64::from(most))
    .execute(connection)
    .await?;
    Ok(true)
}

impl NoticeStore for SqlStore {
    fn wishes<'a>(&'a self, person: &'a str) -> Answer<'a, Option<String>> {
        let sql = "SELECT body FROM notice_wishes WHERE person = $1";
        reading_one!(self, sql, [person], |row| row.try_get(0))
    }

    fn keep_wishes<'a>(&'a self, person: &'a str, body: &'a str) -> Answer<'a, bool> {
        writing!(self, |connection| {
            let done = sqlx::query(
                "INSERT INTO notice_wishes (person, body) SELECT CAST($1 AS TEXT), CAST($2 AS TEXT) \
                 WHERE EXISTS (SELECT 1 FROM accounts WHERE id = $1 AND deleted = 0) \
                 ON CONFLICT (person) DO UPDATE SET body = excluded.body",
            )
            .bind(person)
            .bind(body)
            .execute(connection)
            .await?;
            Ok(done.rows_affected() == 1)
        })
    }

    fn keep_push<'a>(&'a self, row: &'a PushRow, most: u32) -> Answer<'a, bool> {
        writing!(self, |connection| {
            append::begin(connection, self.dialect()).await?;
            let kept = keep_push(connection, row, most).await?;
            append::commit(connection, self.dialect()).await?;
            Ok(kept)
        })
    }

    fn pushes<'a>(&'a self, person: &'a str) -> Answer<'a, Vec<PushRow>> {
        let sql = format!(
            "{PUSH} JOIN sessions s ON s.digest = p.session AND s.account = p.person WHERE p.person = $1 \
             ORDER BY p.made_ms, p.id"
        );
        reading!(self, sql, [person], push)
    }

    fn remove_push<'a>(&'a self, person: &'a str, id: &'a str) -> Answer<'a, bool> {
        writing!(self, |connection| {
            let done = sqlx::query("DELETE FROM push_subscriptions WHERE person = $1 AND id = $2")
                .bind(person)
                .bind(id)
                .execute(connection)
                .await?;
            Ok(done.rows_affected() == 1)
        })
    }

    fn push_done<'a>(&'a self, id: &'a str, worked: bool, most: u32) -> Answer<'a, ()> {
        writing!(self, |connection| {
            if worked {
                sqlx::query(
                    "UPDATE push_subscriptions SET failed = 0 WHERE id = $1 AND failed <> 0",
                )
                .bind(id)
                .execute(connection)
                .await?;
                return Ok(());
            }
            append::begin(connection, self.dialect()).await?;
            sqlx::query("UPDATE push_subscriptions SET failed = failed + 1 WHERE id = $1")
                .bind(id)
                .execute(&mut *connection)
                .await?;
            sqlx::query("DELETE FROM push_subscriptions WHERE id = $1 AND failed >= $2")
                .bind(id)
                .bind(i64::from(most))
                .execute(&mut *connection)
                .await?;
            append::commit(connection, self.dialect()).await
        })
    }

    fn forget_pushes(&self) -> Answer<'_, u64> {
        writing!(self, |connection| {
            let done = sqlx::query(
                "DELETE FROM push_subscriptions WHERE session NOT IN (SELECT digest FROM sessions)",
            )
            .execute(connection)
            .await?;
            Ok(done.rows_affected())
        })
    }

    fn keep_mail<'a>(&'a self, row: &'a MailRow) -> Answer<'a, bool> {
        writing!(self, |connection| {
            // What was sent this day goes on to be counted, whatever the address.
            let done = sqlx::query(
                "INSERT INTO mail_addresses (person, address, digest, until_ms) \
                 SELECT CAST($1 AS TEXT), CAST($2 AS TEXT), CAST($3 AS TEXT), CAST($4 AS BIGINT) \
                 WHERE EXISTS (SELECT 1 FROM accounts WHERE id = $1 AND deleted = 0) \
                 ON CONFLICT (person) DO UPDATE SET address = excluded.address, digest = excluded.digest, \
                 until_ms = excluded.until_ms",
            )
            .bind(&row.person)
            .bind(&row.address)
            .bind(&row.digest)
            .bind(row.until_ms)
            .execute(connection)
            .await?;
            Ok(done.rows_affected() == 1)
        })
    }

    fn mail<'a>(&'a self, person: &'a str) -> Answer<'a, Option<MailRow>> {
        let sql = "SELECT person, address, digest, until_ms FROM mail_addresses WHERE person = $1 AND address <> ''";
        reading_one!(self, sql, [person], mail)
    }

    fn confirm_mail<'a>(&'a self, digest: &'a str, now_ms: i64) -> Answer<'a, bool> {
        writing!(self, |connection| {
            let done = sqlx::query(
                "UPDATE mail_addresses SET digest = NULL WHERE digest = $1 AND until_ms > $2",
            )
            .bind(digest)
            .bind(now_ms)
            .execute(connection)
            .await?;
            Ok(done.rows_affected() == 1)
        })
    }

    fn remove_mail<'a>(&'a self, person: &'a str) -> Answer<'a, bool> {
        writing!(self, |connection| {
            // The row stays without an address, so that giving one again does not begin the day's count anew.
            let done = sqlx::query(
                "UPDATE mail_addresses SET address = '', digest = NULL, until_ms = 0 WHERE person = $1 AND address <> ''",
            )
            .bind(person)
            .execute(connection)
            .await?;
            Ok(done.rows_affected() == 1)
        })
    }

    fn count_mail<'a>(&'a self, person: &'a str, day: i64, most: u32) -> Answer<'a, bool> {
        writing!(self, |connection| {
            let done = sqlx::query(
                "UPDATE mail_addresses SET sent = CASE WHEN day = $2 THEN sent + 1 ELSE 1 END, day = $2 \
                 WHERE person = $1 AND address <> '' AND (day <> $2 OR sent < $3)",
            )
            .bind(person)
            .bind(day)
            .bind(i64::from(most))
            .execute(connection)
            .await?;
            Ok(done.rows_affected() == 1)
        })
    }

    fn warnings(&self, now_ms: i64, limit: u32) -> Answer<'_, Vec<(String, i64)>> {
        let sql =
            "SELECT id, warn FROM games WHERE owner = 0 AND warn <= $1 ORDER BY warn LIMIT $2";
        reading!(self, sql, [now_ms, i64::from(limit)], |row| Ok((
            row.try_get(0)?,
            row.try_get(1)?
        )))
    }

    fn take_warning<'a>(&'a self, game: &'a str, warn: i64, ply: i64) -> Answer<'a, bool> {
        writing!(self, |connection| {
            append::begin(connection, self.dialect()).await?;
            let first = sqlx::query(
                "UPDATE games SET warn = NULL, warned = $3 WHERE id = $1 AND warn = $2 AND warned <> $3",
            )
            .bind(game)
            .bind(warn)
            .bind(ply)
            .execute(&mut *connection)
            .await?;
            sqlx::query("UPDATE games SET warn = NULL WHERE id = $1 AND warn = $2")
                .bind(game)
                .bind(warn)
                .execute(&mut *connection)
                .await?;
            append::commit(connection, self.dialect()).await?;
            Ok(first.rows_affected() == 1)
        })
    }
}
