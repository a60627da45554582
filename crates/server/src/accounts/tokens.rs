//! Accounts of programs, and the tokens that these show in the place of a session. The storage knows the digest of a
//! token's word alone.

use super::{Accounts, SignedIn, digest, person_of};
use crate::refusal::{Reason, Refused, refused};
use crate::services::{secret, wall_ms};
use play::table::Person;
use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};
use store::accounts::AccountRow;
use store::tokens::{TokenKept, TokenRow, TokenStore};

/// What each token begins with, so that one is known for what it is wherever it is found.
const PREFIX: &str = "husun_";
/// Bytes of chance in a token.
const WORD: usize = 20;
/// Characters of a token at most: what is longer is none.
const LONGEST: usize = 64;
/// Tokens of an account at most.
const MOST: u32 = 20;
/// Characters of a token's name at most.
const NAME: usize = 40;
/// A token's last use is noted anew after so long, in milliseconds.
const TOUCH: i64 = 10 * 60_000;
/// Tokens that are remembered as right.
const KNOWN: usize = 10_000;

/// A program that shows a token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// The token.
    pub token: TokenRow,
    /// Whose it is.
    pub account: AccountRow,
}

impl Program {
    /// As games know the one who asks.
    pub fn person(&self) -> Person {
        person_of(&self.account)
    }
}

/// The tokens.
#[derive(Clone, Debug)]
pub(super) struct Tokens {
    store: Arc<dyn TokenStore>,
    /// Digests of those that were right once: only what is shown for the first time is a guess.
    known: Arc<Mutex<HashSet<String>>>,
}

impl Tokens {
    pub(super) fn new(store: Arc<dyn TokenStore>) -> Tokens {
        Tokens {
            store,
            known: Arc::default(),
        }
    }

    fn known<T>(&self, act: impl FnOnce(&mut HashSet<String>) -> T) -> T {
        act(&mut self.known.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Accounts {
    /// The program that shows a word. `may_try` is asked before a word is looked for that was not right before.
    pub async fn program(
        &self,
        word: &str,
        may_try: impl FnOnce() -> bool,
    ) -> Result<Program, Refused> {
        let digest = digest(word);
        let tokens = &self.tokens;
        if !tokens.known(|known| known.contains(&digest)) && !may_try() {
            let text = "too many unknown tokens; wait a minute";
            return Err(refused(Reason::Rate, text));
        }
        let found = match word.len() <= LONGEST {
            true => tokens.store.token(&digest).await?,
            false => None,
        };
        let found = found.filter(|(_, account)| account.bot && !account.deleted);
        let Some((token, account)) = found else {
            tokens.known(|known| known.remove(&digest));
            let text = "this token opens nothing; it may have been taken back";
            return Err(refused(Reason::Token, text));
        };
        tokens.known(|known| {
            if known.len() >= KNOWN {
                known.clear();
            }
            known.insert(digest);
        });
        let now_ms = wall_ms();
        if now_ms - token.used_ms.unwrap_or(0) > TOUCH {
            let (store, id) = (tokens.store.clone(), token.id.clone());
            tokio::spawn(async move {
                if let Err(error) = store.touch_token(&id, now_ms).await {
                    tracing::warn!(%error, "the use of a token is not noted");
                }
            });
        }
        Ok(Program { token, account })
    }

    /// Marks an account as a program's, for good. Its open pages come anew.
    pub async fn make_bot(&self, account: &AccountRow) -> Result<(), Refused> {
        if !self.tokens.store.make_bot(&account.id).await? {
            let text = "this account has finished rated games; only an account without any can become a program's";
            return Err(refused(Reason::Rated, text));
        }
        let sessions = self.store.sessions(&account.id).await?;
        self.tell_ended(sessions.into_iter().map(|s| s.digest).collect());
        Ok(())
    }

    /// Makes a token; tells its word, which is not kept.
    pub async fn new_token(
        &self,
        signed_in: &SignedIn,
        name: &str,
    ) -> Result<(TokenRow, String), Refused> {
        let name = name.trim();
        let length = name.chars().count();
        if !(1..=NAME).contains(&length) || name.chars().any(char::is_control) {
            let text = format!("name: {length} characters, expected 1 to {NAME} that can be shown");
            return Err(refused(Reason::Name, text));
        }
        let word = format!("{PREFIX}{}", secret(WORD));
        let row = TokenRow {
            id: secret(7),
            digest: digest(&word),
            account: signed_in.account.id.clone(),
            name: name.into(),
            made_ms: wall_ms(),
            used_ms: None,
        };
        match self.tokens.store.keep_token(&row, MOST).await? {
            TokenKept::Kept => Ok((row, word)),
            TokenKept::NoBot => {
                let text = "tokens are for programs: first mark the account as a program's";
                Err(refused(Reason::NotBot, text))
            }
            TokenKept::Enough => {
                let text =
                    format!("an account can have at most {MOST} tokens; take one back first");
                Err(refused(Reason::Limit, text))
            }
        }
    }

    /// An account's tokens.
    pub async fn tokens(&self, account: &str) -> Result<Vec<TokenRow>, Refused> {
        Ok(self.tokens.store.tokens(account).await?)
    }

    /// Whether there is a token of this digest.
    pub(super) async fn is_token(&self, digest: &str) -> Result<bool, Refused> {
        Ok(self.tokens.store.token(digest).await?.is_some())
    }

    /// Takes a token back: it opens nothing any more, and what it has opened ends. False if there is none.
    pub async fn take_token_back(&self, signed_in: &SignedIn, id: &str) -> Result<bool, Refused> {
        let account = &signed_in.account.id;
        let digest = self.tokens.store.remove_token(account, id).await?;
        let found = digest.is_some();
        self.tell_ended(digest.into_iter().collect());
        Ok(found)
    }
}
