//! Accounts of programs, and the tokens that these show in the place of a session. What a token is and what it allows
//! is not known here.

use super::accounts::{ACCOUNT, AccountRow, account};
use super::sql::SqlStore;
use super::{Answer, StoreError, append};
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, Row};

/// A token of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenRow {
    /// Its id, by which it is taken back.
    pub id: String,
    /// Digest of the word that the program shows.
    pub digest: String,
    /// The account.
    pub account: String,
    /// What its owner calls it.
    pub name: String,
    /// When it was made, in milliseconds of Unix time.
    pub made_ms: i64,
    /// When it was used last.
    pub used_ms: Option<i64>,
}

/// How the attempt to keep a token ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKept {
    /// It is kept.
    Kept,
    /// The account is no program's, or is deleted.
    NoBot,
    /// The account has as many as it may have.
    Enough,
}

/// Keeps the accounts of programs. All is written when an answer comes.
pub trait TokenStore: std::fmt::Debug + Send + Sync + 'static {
    /// Marks an account as a program's for good; false if a rated game of it is over.
    fn make_bot<'a>(&'a self, account: &'a str) -> Answer<'a, bool>;
    /// Keeps a token, if the account is a program's and has fewer than `most`.
    fn keep_token<'a>(&'a self, token: &'a TokenRow, most: u32) -> Answer<'a, TokenKept>;
    /// A token with its account.
    fn token<'a>(&'a self, digest: &'a str) -> Answer<'a, Option<(TokenRow, AccountRow)>>;
    /// Notes that a token was used.
    fn touch_token<'a>(&'a self, id: &'a str, now_ms: i64) -> Answer<'a, ()>;
    /// An account's tokens, the oldest first.
    fn tokens<'a>(&'a self, account: &'a str) -> Answer<'a, Vec<TokenRow>>;
    /// Forgets a token of an account; tells its digest, or nothing if it has none of that id.
    fn remove_token<'a>(&'a self, account: &'a str, id: &'a str) -> Answer<'a, Option<String>>;
}

const TOKEN: &str = "t.id, t.digest, t.account, t.name, t.made_ms, t.used_ms";

fn token(row: &AnyRow) -> Result<TokenRow, sqlx::Error> {
    Ok(TokenRow {
        id: row.try_get(0)?,
        digest: row.try_get(1)?,
        account: row.try_get(2)?,
        name: row.try_get(3)?,
        made_ms: row.try_get(4)?,
        used_ms: row.try_get(5)?,
    })
}

/// Forgets all tokens of an account; tells their digests.
pub(super) async fn forget(
    connection: &mut AnyConnection,
    account: &str,
) -> Result<Vec<String>, StoreError> {
    let rows = sqlx::query("DELETE FROM tokens WHERE account = $1 RETURNING digest")
        .bind(account)
        .fetch_all(connection)
        .await?;
    let digests = rows.iter().map(|row| row.try_get(0));
    Ok(digests.collect::<Result<_, sqlx::Error>>()?)
}

async fn is_bot(connection: &mut AnyConnection, account: &str) -> Result<bool, StoreError> {
    let row = sqlx::query("SELECT 1 FROM accounts WHERE id = $1 AND bot <> 0 AND deleted = 0")
        .bind(account)
        .fetch_optional(connection)
        .await?;
    Ok(row.is_some())
}

impl TokenStore for SqlStore {
    fn make_bot<'a>(&'a self, account: &'a str) -> Answer<'a, bool> {
        writing!(self, |connection| {
            append::begin(connection, self.dialect()).await?;
            // A game that is over and waits to be rated names its players in its text.
            let done = sqlx::query(
                "UPDATE accounts SET bot = 1 WHERE id = $1 AND deleted = 0 \
                 AND NOT EXISTS (SELECT 1 FROM rated r WHERE r.person = $1) \
                 AND NOT EXISTS (SELECT 1 FROM to_rate w WHERE w.body LIKE '%\"' || CAST($1 AS TEXT) || '\"%')",
            )
            .bind(account)
            .execute(&mut *connection)
            .await?;
            // One that is marked already has played as what it is.
            let made = done.rows_affected() == 1 || is_bot(connection, account).await?;
            append::commit(connection, self.dialect()).await?;
            Ok(made)
        })
    }

    fn keep_token<'a>(&'a self, token: &'a TokenRow, most: u32) -> Answer<'a, TokenKept> {
        writing!(self, |connection| {
            append::begin(connection, self.dialect()).await?;
            let kept = keep(connection, token, most).await?;
            append::commit(connection, self.dialect()).await?;
            Ok(kept)
        })
    }

    fn token<'a>(&'a self, digest: &'a str) -> Answer<'a, Option<(TokenRow, AccountRow)>> {
        let sql = format!(
            "SELECT {TOKEN}, {ACCOUNT} FROM tokens t JOIN accounts a ON a.id = t.account WHERE t.digest = $1"
        );
        reading_one!(self, sql, [digest], |row| Ok((
            token(row)?,
            account(row, 6)?
        )))
    }

    fn touch_token<'a>(&'a self, id: &'a str, now_ms: i64) -> Answer<'a, ()> {
        writing!(self, |connection| {
            append::begin(connection, self.dialect()).await?;
            for sql in [
                "UPDATE tokens SET used_ms = $1 WHERE id = $2",
                "UPDATE accounts SET seen_ms = $1 WHERE id = (SELECT account FROM tokens WHERE id = $2)",
            ] {
                sqlx::query(sql)
                    .bind(now_ms)
                    .bind(id)
                    .execute(&mut *connection)
                    .await?;
            }
            append::commit(connection, self.dialect()).await
        })
    }

    fn tokens<'a>(&'a self, account: &'a str) -> Answer<'a, Vec<TokenRow>> {
        let sql =
            format!("SELECT {TOKEN} FROM tokens t WHERE t.account = $1 ORDER BY t.made_ms, t.id");
        reading!(self, sql, [account], token)
    }

    fn remove_token<'a>(&'a self, account: &'a str, id: &'a str) -> Answer<'a, Option<String>> {
        writing!(self, |connection| {
            let sql = "DELETE FROM tokens WHERE account = $1 AND id = $2 RETURNING digest";
            let row = sqlx::query(sql)
                .bind(account)
                .bind(id)
                .fetch_optional(connection)
                .await?;
            Ok(row.map(|row| row.try_get(0)).transpose()?)
        })
    }
}

async fn keep(
    connection: &mut AnyConnection,
    token: &TokenRow,
    most: u32,
) -> Result<TokenKept, StoreError> {
    if !is_bot(connection, &token.account).await? {
        return Ok(TokenKept::NoBot);
    }
    let done = sqlx::query(
        "INSERT INTO tokens (id, digest, account, name, made_ms, used_ms) \
         SELECT CAST($1 AS TEXT), CAST($2 AS TEXT), CAST($3 AS TEXT), CAST($4 AS TEXT), CAST($5 AS BIGINT), CAST($6 AS BIGINT) \
         WHERE (SELECT COUNT(*) FROM tokens t WHERE t.account = $3) < $7",
    )
    .bind(&token.id)
    .bind(&token.digest)
    .bind(&token.account)
    .bind(&token.name)
    .bind(token.made_ms)
    .bind(token.used_ms)
    .bind(i64::from(most))
    .execute(connection)
    .await?;
    Ok(match done.rows_affected() {
        1 => TokenKept::Kept,
        _ => TokenKept::Enough,
    })
}
