//! Accounts, where they are signed in, and their passkeys. What a name may be and how a password is kept is not known
//! here.

mod rewrite;

use super::append;
use super::sql::SqlStore;
use super::{Answer, StoreError, notices, offers, people, tokens};
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, Row};

/// An account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccountRow {
    /// Its id, which stands in games in the place of a guest's number.
    pub id: String,
    /// Its name as it is shown.
    pub name: String,
    /// The password's digest with its salt; none if there is no password.
    pub password: Option<String>,
    /// Digests of the recovery codes that are left, as JSON.
    pub recovery: String,
    /// When it was made, in milliseconds of Unix time.
    pub made_ms: i64,
    /// When its owner was seen last.
    pub seen_ms: i64,
    /// Whether it was deleted: its games stay, it cannot be used.
    pub deleted: bool,
    /// Whether it is a program's.
    pub bot: bool,
}

/// A place where somebody is signed in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionRow {
    /// Digest of the word that the browser keeps.
    pub digest: String,
    /// The account.
    pub account: String,
    /// What the browser says it is.
    pub agent: String,
    /// Since when, in milliseconds of Unix time.
    pub made_ms: i64,
    /// When it was used last.
    pub seen_ms: i64,
}

/// A passkey.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PasskeyRow {
    /// The credential's id.
    pub id: String,
    /// The account that it opens.
    pub account: String,
    /// What its owner calls it.
    pub name: String,
    /// The credential, as JSON.
    pub body: String,
    /// When it was made, in milliseconds of Unix time.
    pub made_ms: i64,
    /// When it was used last.
    pub used_ms: Option<i64>,
}

/// An account as it is made: all of it or nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewAccount {
    /// The account.
    pub account: AccountRow,
    /// Readings of its name: none of them may be another's.
    pub readings: Vec<String>,
    /// A passkey that it is made with.
    pub passkey: Option<PasskeyRow>,
    /// Where its owner is signed in from now on.
    pub session: SessionRow,
}

/// How the attempt to make an account ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Registered {
    /// It is made.
    Made,
    /// The name, or one that reads like it, is another's.
    Taken,
    /// The id is an account's already: the browser's games belong to it.
    Known,
}

/// Keeps accounts. All is written when an answer comes.
pub trait AccountStore: std::fmt::Debug + Send + Sync + 'static {
    /// Makes an account.
    fn register<'a>(&'a self, new: &'a NewAccount) -> Answer<'a, Registered>;
    /// An account by its id, deleted ones too.
    fn account<'a>(&'a self, id: &'a str) -> Answer<'a, Option<AccountRow>>;
    /// An account by a reading of its name, unless it was deleted.
    fn account_named<'a>(&'a self, reading: &'a str) -> Answer<'a, Option<AccountRow>>;
    /// Puts a password in the place of the one before, and ends all sessions but the one kept; tells which.
    fn set_password<'a>(
        &'a self,
        account: &'a str,
        password: &'a str,
        keep: Option<&'a str>,
    ) -> Answer<'a, Vec<String>>;
    /// Puts recovery codes in the place of others; false if those are not there (any more).
    fn set_recovery<'a>(
        &'a self,
        account: &'a str,
        before: &'a str,
        after: &'a str,
    ) -> Answer<'a, bool>;
    /// Empties an account for good: what it was opened with, where it was open, its name. `digests` are kept so
    /// that nobody takes the name. Tells which sessions have ended, and which tokens.
    fn delete_account<'a>(
        &'a self,
        account: &'a str,
        name: &'a str,
        digests: &'a [String],
    ) -> Answer<'a, Vec<String>>;
    /// Games of an account after one, in the order of their ids.
    fn games_of<'a>(
        &'a self,
        account: &'a str,
        after: &'a str,
        limit: u32,
    ) -> Answer<'a, Vec<String>>;
    /// Accounts that were deleted and whose games have not been rewritten since.
    fn deleted_accounts(&self) -> Answer<'_, Vec<String>>;
    /// Writes the games of a deleted account anew, where `change` gives another text for what was settled or has
    /// happened; tells which games were. They are done with when an answer comes.
    fn rewrite_games<'a>(&'a self, account: &'a str, change: Change<'a>)
    -> Answer<'a, Vec<String>>;
    /// Keeps a session.
    fn begin_session<'a>(&'a self, session: &'a SessionRow) -> Answer<'a, ()>;
    /// A session with its account.
    fn session<'a>(&'a self, digest: &'a str) -> Answer<'a, Option<(SessionRow, AccountRow)>>;
    /// Notes that a session was used.
    fn touch_session<'a>(&'a self, digest: &'a str, now_ms: i64) -> Answer<'a, ()>;
    /// An account's sessions, those used last first.
    fn sessions<'a>(&'a self, account: &'a str) -> Answer<'a, Vec<SessionRow>>;
    /// Ends sessions of an account: one, or all but one; tells which.
    fn end_sessions<'a>(&'a self, account: &'a str, which: Ended<'a>) -> Answer<'a, Vec<String>>;
    /// Accounts that were seen last, the latest first, since a time.
    fn seen_last(&self, since_ms: i64, limit: u32) -> Answer<'_, Vec<AccountRow>>;
    /// The names of accounts, with their ids.
    fn names_of<'a>(&'a self, ids: &'a [String]) -> Answer<'a, Vec<(String, String)>>;
    /// Forgets sessions that were not used since.
    fn forget_sessions(&self, before_ms: i64) -> Answer<'_, u64>;
    /// Keeps a passkey; false if it is known already.
    fn add_passkey<'a>(&'a self, passkey: &'a PasskeyRow) -> Answer<'a, bool>;
    /// A passkey by its id.
    fn passkey<'a>(&'a self, id: &'a str) -> Answer<'a, Option<PasskeyRow>>;
    /// An account's passkeys, the oldest first.
    fn passkeys<'a>(&'a self, account: &'a str) -> Answer<'a, Vec<PasskeyRow>>;
    /// Notes what has changed by the use of a passkey.
    fn use_passkey<'a>(&'a self, id: &'a str, body: &'a str, now_ms: i64) -> Answer<'a, ()>;
    /// Forgets a passkey of an account; false if it has none of that id.
    fn remove_passkey<'a>(&'a self, account: &'a str, id: &'a str) -> Answer<'a, bool>;
}

/// Gives a text that takes the place of another; nothing if that stays.
pub type Change<'a> = &'a (dyn Fn(&str) -> Option<String> + Sync);

/// Which sessions are ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended<'a> {
    /// This one.
    One(&'a str),
    /// All but this one.
    AllBut(Option<&'a str>),
}

pub(super) const ACCOUNT: &str =
    "a.id, a.name, a.password, a.recovery, a.made_ms, a.seen_ms, a.deleted, a.bot";
const SESSION: &str = "s.digest, s.account, s.agent, s.made_ms, s.seen_ms";
const PASSKEY: &str = "SELECT id, account, name, body, made_ms, used_ms FROM passkeys";

/// An account from the columns that begin at `at`.
pub(super) fn account(row: &AnyRow, at: usize) -> Result<AccountRow, sqlx::Error> {
    Ok(AccountRow {
        id: row.try_get(at)?,
        name: row.try_get(at + 1)?,
        password: row.try_get(at + 2)?,
        recovery: row.try_get(at + 3)?,
        made_ms: row.try_get(at + 4)?,
        seen_ms: row.try_get(at + 5)?,
        deleted: row.try_get::<i64, _>(at + 6)? != 0,
        bot: row.try_get::<i64, _>(at + 7)? != 0,
    })
}

fn session(row: &AnyRow) -> Result<SessionRow, sqlx::Error> {
    Ok(SessionRow {
        digest: row.try_get(0)?,
        account: row.try_get(1)?,
        agent: row.try_get(2)?,
        made_ms: row.try_get(3)?,
        seen_ms: row.try_get(4)?,
    })
}

fn passkey(row: &AnyRow) -> Result<PasskeyRow, sqlx::Error> {
    Ok(PasskeyRow {
        id: row.try_get(0)?,
        account: row.try_get(1)?,
        name: row.try_get(2)?,
        body: row.try_get(3)?,
        made_ms: row.try_get(4)?,
        used_ms: row.try_get(5)?,
    })
}

async fn begin_session(
    connection: &mut AnyConnection,
    session: &SessionRow,
) -> Result<(), StoreError> {
    sqlx::query(
        "INSERT INTO sessions (digest, account, agent, made_ms, seen_ms) VALUES ($1, $2, $3, $4, $5)",
    )
    .bind(&session.digest)
    .bind(&session.account)
    .bind(&session.agent)
    .bind(session.made_ms)
    .bind(session.seen_ms)
    .execute(connection)
    .await?;
    Ok(())
}

async fn add_passkey(
    connection: &mut AnyConnection,
    passkey: &PasskeyRow,
) -> Result<bool, StoreError> {
    let done = sqlx::query(
        "INSERT INTO passkeys (id, account, name, body, made_ms, used_ms) VALUES ($1, $2, $3, $4, $5, $6) \
         ON CONFLICT (id) DO NOTHING",
    )
    .bind(&passkey.id)
    .bind(&passkey.account)
    .bind(&passkey.name)
    .bind(&passkey.body)
    .bind(passkey.made_ms)
    .bind(passkey.used_ms)
    .execute(connection)
    .await?;
    Ok(done.rows_affected() == 1)
}

pub(super) async fn end_sessions(
    connection: &mut AnyConnection,
    account: &str,
    which: Ended<'_>,
) -> Result<Vec<String>, StoreError> {
    let (sql, digest) = match which {
        Ended::One(digest) => (
            "DELETE FROM sessions WHERE account = $1 AND digest = $2 RETURNING digest",
            digest,
        ),
        Ended::AllBut(digest) => (
            "DELETE FROM sessions WHERE account = $1 AND digest <> $2 RETURNING digest",
            digest.unwrap_or_default(),
        ),
    };
    let rows = sqlx::query(sql)
        .bind(account)
        .bind(digest)
        .fetch_all(connection)
        .await?;
    let digests = rows.iter().map(|row| row.try_get(0));
    Ok(digests.collect::<Result<_, sqlx::Error>>()?)
}

/// Whether the account could be made; else nothing of it is left when the transaction is rolled back.
async fn make(connection: &mut AnyConnection, new: &NewAccount) -> Result<Registered, StoreError> {
    let account = &new.account;
    for reading in &new.readings {
        let done = sqlx::query(
            "INSERT INTO account_names (reading, account) VALUES ($1, $2) ON CONFLICT (reading) DO NOTHING",
        )
        .bind(reading)
        .bind(&account.id)
        .execute(&mut *connection)
        .await?;
        if done.rows_affected() == 0 {
            return Ok(Registered::Taken);
        }
    }
    let done = sqlx::query(
        "INSERT INTO accounts (id, name, password, recovery, made_ms, seen_ms) VALUES ($1, $2, $3, $4, $5, $6) \
         ON CONFLICT (id) DO NOTHING",
    )
    .bind(&account.id)
    .bind(&account.name)
    .bind(&account.password)
    .bind(&account.recovery)
    .bind(account.made_ms)
    .bind(account.seen_ms)
    .execute(&mut *connection)
    .await?;
    if done.rows_affected() == 0 {
        return Ok(Registered::Known);
    }
    if let Some(passkey) = &new.passkey
        && !add_passkey(connection, passkey).await?
    {
        return Ok(Registered::Known);
    }
    begin_session(connection, &new.session).await?;
    Ok(Registered::Made)
}

async fn empty(
    connection: &mut AnyConnection,
    account: &str,
    name: &str,
    digests: &[String],
) -> Result<Vec<String>, StoreError> {
    let mut ended = end_sessions(connection, account, Ended::AllBut(None)).await?;
    ended.extend(tokens::forget(connection, account).await?);
    offers::forget_person(connection, account).await?;
    notices::forget_person(connection, account).await?;
    people::forget_person(connection, account, name).await?;
    for sql in [
        "DELETE FROM account_names WHERE account = $1",
        "DELETE FROM passkeys WHERE account = $1",
        "DELETE FROM notes WHERE person = $1",
        "DELETE FROM vacations WHERE person = $1 AND applied = 2",
        // Games that stand still for one are told first that it is over.
        "UPDATE vacations SET ended_ms = begun_ms WHERE person = $1 AND ended_ms IS NULL",
        "DELETE FROM titles WHERE person = $1",
        "DELETE FROM ballots WHERE person = $1",
        "DELETE FROM moderators WHERE account = $1",
        "DELETE FROM renamed WHERE account = $1",
    ] {
        sqlx::query(sql)
            .bind(account)
            .execute(&mut *connection)
            .await?;
    }
    for digest in digests {
        sqlx::query("INSERT INTO account_names (reading, account) VALUES ($1, $2) ON CONFLICT (reading) DO NOTHING")
            .bind(digest)
            .bind(account)
            .execute(&mut *connection)
            .await?;
    }
    sqlx::query(
        "UPDATE accounts SET name = $1, password = NULL, recovery = '[]', deleted = 1 WHERE id = $2",
    )
    .bind(name)
    .bind(account)
    .execute(connection)
    .await?;
    Ok(ended)
}

impl AccountStore for SqlStore {
    fn register<'a>(&'a self, new: &'a NewAccount) -> Answer<'a, Registered> {
        writing!(self, |connection| {
            append::begin(connection, self.dialect()).await?;
            let made = make(connection, new).await?;
            match made {
                Registered::Made => append::commit(connection, self.dialect()).await?,
                _ => append::rollback(connection).await?,
            }
            Ok(made)
        })
    }

    fn account<'a>(&'a self, id: &'a str) -> Answer<'a, Option<AccountRow>> {
        let sql = format!("SELECT {ACCOUNT} FROM accounts a WHERE a.id = $1");
        reading_one!(self, sql, [id], |row| account(row, 0))
    }

    fn account_named<'a>(&'a self, reading: &'a str) -> Answer<'a, Option<AccountRow>> {
        let sql = format!(
            "SELECT {ACCOUNT} FROM account_names n JOIN accounts a ON a.id = n.account \
             WHERE n.reading = $1 AND a.deleted = 0"
        );
        reading_one!(self, sql, [reading], |row| account(row, 0))
    }

    fn set_password<'a>(
        &'a self,
        account: &'a str,
        password: &'a str,
        keep: Option<&'a str>,
    ) -> Answer<'a, Vec<String>> {
        writing!(self, |connection| {
            append::begin(connection, self.dialect()).await?;
            sqlx::query("UPDATE accounts SET password = $1 WHERE id = $2 AND deleted = 0")
                .bind(password)
                .bind(account)
                .execute(&mut *connection)
                .await?;
            let ended = end_sessions(connection, account, Ended::AllBut(keep)).await?;
            append::commit(connection, self.dialect()).await?;
            Ok(ended)
        })
    }

    fn set_recovery<'a>(
        &'a self,
        account: &'a str,
        before: &'a str,
        after: &'a str,
    ) -> Answer<'a, bool> {
        writing!(self, |connection| {
            let done = sqlx::query(
                "UPDATE accounts SET recovery = $1 WHERE id = $2 AND recovery = $3 AND deleted = 0",
            )
            .bind(after)
            .bind(account)
            .bind(before)
            .execute(connection)
            .await?;
            Ok(done.rows_affected() == 1)
        })
    }

    fn delete_account<'a>(
        &'a self,
        account: &'a str,
        name: &'a str,
        digests: &'a [String],
    ) -> Answer<'a, Vec<String>> {
        writing!(self, |connection| {
            append::begin(connection, self.dialect()).await?;
            let ended = empty(connection, account, name, digests).await?;
            append::commit(connection, self.dialect()).await?;
            Ok(ended)
        })
    }

    fn games_of<'a>(
        &'a self,
        account: &'a str,
        after: &'a str,
        limit: u32,
    ) -> Answer<'a, Vec<String>> {
        let values = (account, after, i64::from(limit));
        reading!(
            self,
            rewrite::GAMES,
            [values.0, values.1, values.2],
            |row| row.try_get(0)
        )
    }

    fn deleted_accounts(&self) -> Answer<'_, Vec<String>> {
        let sql = "SELECT id FROM accounts WHERE deleted = 1";
        reading!(self, sql, [], |row| row.try_get(0))
    }

    fn rewrite_games<'a>(
        &'a self,
        account: &'a str,
        change: Change<'a>,
    ) -> Answer<'a, Vec<String>> {
        Box::pin(self.rewrite_now(account, change))
    }

    fn begin_session<'a>(&'a self, session: &'a SessionRow) -> Answer<'a, ()> {
        writing!(self, |connection| begin_session(connection, session).await)
    }

    fn session<'a>(&'a self, digest: &'a str) -> Answer<'a, Option<(SessionRow, AccountRow)>> {
        let sql = format!(
            "SELECT {SESSION}, {ACCOUNT} FROM sessions s JOIN accounts a ON a.id = s.account WHERE s.digest = $1"
        );
        reading_one!(self, sql, [digest], |row| Ok((
            session(row)?,
            account(row, 5)?
        )))
    }

    fn touch_session<'a>(&'a self, digest: &'a str, now_ms: i64) -> Answer<'a, ()> {
        writing!(self, |connection| {
            append::begin(connection, self.dialect()).await?;
            for sql in [
                "UPDATE sessions SET seen_ms = $1 WHERE digest = $2",
                "UPDATE accounts SET seen_ms = $1 WHERE id = (SELECT account FROM sessions WHERE digest = $2)",
            ] {
                sqlx::query(sql)
                    .bind(now_ms)
                    .bind(digest)
                    .execute(&mut *connection)
                    .await?;
            }
            append::commit(connection, self.dialect()).await
        })
    }

    fn sessions<'a>(&'a self, account: &'a str) -> Answer<'a, Vec<SessionRow>> {
        let sql = format!(
            "SELECT {SESSION} FROM sessions s WHERE s.account = $1 ORDER BY s.seen_ms DESC, s.digest"
        );
        reading!(self, sql, [account], session)
    }

    fn end_sessions<'a>(&'a self, account: &'a str, which: Ended<'a>) -> Answer<'a, Vec<String>> {
        writing!(self, |connection| end_sessions(connection, account, which)
            .await)
    }

    fn seen_last(&self, since_ms: i64, limit: u32) -> Answer<'_, Vec<AccountRow>> {
        let sql = format!(
            "SELECT {ACCOUNT} FROM accounts a WHERE a.deleted = 0 AND a.seen_ms > $1 ORDER BY a.seen_ms DESC LIMIT $2"
        );
        reading!(self, sql, [since_ms, i64::from(limit)], |row| account(
            row, 0
        ))
    }

    fn names_of<'a>(&'a self, ids: &'a [String]) -> Answer<'a, Vec<(String, String)>> {
        Box::pin(
            self.among("SELECT id, name FROM accounts WHERE id IN", ids, |row| {
                Ok((row.try_get(0)?, row.try_get(1)?))
            }),
        )
    }

    fn forget_sessions(&self, before_ms: i64) -> Answer<'_, u64> {
        writing!(self, |connection| {
            let done = sqlx::query("DELETE FROM sessions WHERE seen_ms < $1")
                .bind(before_ms)
                .execute(connection)
                .await?;
            Ok(done.rows_affected())
        })
    }

    fn add_passkey<'a>(&'a self, passkey: &'a PasskeyRow) -> Answer<'a, bool> {
        writing!(self, |connection| add_passkey(connection, passkey).await)
    }

    fn passkey<'a>(&'a self, id: &'a str) -> Answer<'a, Option<PasskeyRow>> {
        reading_one!(self, format!("{PASSKEY} WHERE id = $1"), [id], passkey)
    }

    fn passkeys<'a>(&'a self, account: &'a str) -> Answer<'a, Vec<PasskeyRow>> {
        let sql = format!("{PASSKEY} WHERE account = $1 ORDER BY made_ms, id");
        reading!(self, sql, [account], passkey)
    }

    fn use_passkey<'a>(&'a self, id: &'a str, body: &'a str, now_ms: i64) -> Answer<'a, ()> {
        writing!(self, |connection| {
            sqlx::query("UPDATE passkeys SET body = $1, used_ms = $2 WHERE id = $3")
                .bind(body)
                .bind(now_ms)
                .bind(id)
                .execute(connection)
                .await?;
            Ok(())
        })
    }

    fn remove_passkey<'a>(&'a self, account: &'a str, id: &'a str) -> Answer<'a, bool> {
        writing!(self, |connection| {
            let done = sqlx::query("DELETE FROM passkeys WHERE account = $1 AND id = $2")
                .bind(account)
                .bind(id)
                .execute(connection)
                .await?;
            Ok(done.rows_affected() == 1)
        })
    }
}
