//! People with an account: a name and what opens it. Where they are signed in is a word in a cookie, of which the
//! storage knows the digest alone; so it is with recovery codes. Passwords are kept as argon2id.

mod attempts;
pub mod names;
pub mod passkeys;
mod password;
mod recovery;
#[cfg(test)]
mod tests;
pub mod tokens;

pub use attempts::Attempts;

use crate::limits::places::{Place, Places};
use crate::moderation::Bans;
use crate::refusal::{Reason, Refused, refused};
use crate::services::{Services, secret, wall_ms};
use crate::work::{Weight, Work};
use bus::{Bus, Listener};
use bytes::Bytes;
use names::Names;
use passkeys::{Ceremonies, NewPasskey};
use play::names::account::{AccountName, reading};
use play::table::{DELETED, Person};
use recovery::Codes;
use sha2::{Digest, Sha256};
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use store::SqlStore;
use store::accounts::{
    AccountRow, AccountStore, Ended, NewAccount, PasskeyRow, Registered, SessionRow,
};
use store::moderation::ModerationStore;
use tokens::Tokens;
use tokio::sync::broadcast;

/// Bytes of chance in the word that stands for a session.
const WORD: usize = 20;
/// Characters of what a browser says of itself that are kept.
const AGENT: usize = 200;
/// A session's last use is noted anew after so long, in milliseconds.
const TOUCH: i64 = 10 * 60_000;
/// A session that was not used for so long is forgotten.
const FORGOTTEN: i64 = 400 * 24 * 3_600_000;
/// What needs no password can be done in a session that has begun so shortly before.
const FRESH: i64 = 10 * 60_000;
/// Ends of sessions that a socket may have missed before it looks itself.
const ENDS: usize = 256;
/// Pause after other nodes could not be listened to.
const AGAIN: Duration = Duration::from_secs(1);
/// People who save their data at once.
const EXPORTS: usize = 2;
/// Passkeys of an account at most.
const PASSKEYS: usize = 20;

/// Where nodes tell each other which sessions have ended.
const ENDS_TOLD: &str = "accounts.ended";

/// What sockets are told of sessions and tokens.
#[derive(Clone, Debug)]
pub enum Ends {
    /// These have ended, by their digests.
    Of(Arc<[String]>),
    /// Some may have ended on other nodes that nobody has heard of.
    Missed,
}

/// Where somebody is signed in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignedIn {
    /// The session, as the storage knows it.
    pub session: SessionRow,
    /// Whose.
    pub account: AccountRow,
}

impl SignedIn {
    /// As games know the one who is signed in.
    pub fn person(&self) -> Person {
        person_of(&self.account)
    }
}

/// As games know the owner of an account.
pub fn person_of(account: &AccountRow) -> Person {
    Person {
        guest: account.id.clone(),
        name: account.name.clone(),
        account: true,
        bot: account.bot,
    }
}

/// A session that has begun, with the word that is told once.
#[derive(Debug)]
pub struct Begun {
    /// The session.
    pub signed_in: SignedIn,
    /// What the browser keeps.
    pub word: String,
}

/// An account that was made.
#[derive(Debug)]
pub struct Made {
    /// Its first session.
    pub begun: Begun,
    /// Its recovery codes, which are told once.
    pub codes: Vec<String>,
}

/// What opens a new account.
#[derive(Debug)]
pub enum Opening {
    /// A password.
    Password(String),
    /// A passkey.
    Passkey(Box<NewPasskey>),
}

/// All accounts.
#[derive(Clone, Debug)]
pub struct Accounts {
    store: Arc<dyn AccountStore>,
    tokens: Tokens,
    moderation: Arc<dyn ModerationStore>,
    bans: Arc<Bans>,
    work: Work,
    names: Names,
    ceremonies: Arc<Ceremonies>,
    ended: broadcast::Sender<Ends>,
    /// By which other nodes are told.
    bus: Arc<OnceLock<Arc<dyn Bus>>>,
    exports: Places<String>,
}

impl Accounts {
    /// Accounts in a storage.
    pub fn new(store: &SqlStore, work: Work, names: Names, bans: Arc<Bans>) -> Accounts {
        Accounts {
            store: Arc::new(store.clone()),
            tokens: Tokens::new(Arc::new(store.clone())),
            moderation: Arc::new(store.clone()),
            bans,
            work,
            names,
            ceremonies: Arc::default(),
            ended: broadcast::channel(ENDS).0,
            bus: Arc::default(),
            exports: Places::new(EXPORTS),
        }
    }

    /// What is forbidden to whom.
    pub fn bans(&self) -> &Arc<Bans> {
        &self.bans
    }

    /// Where accounts are kept.
    pub fn store(&self) -> Arc<dyn AccountStore> {
        self.store.clone()
    }

    /// A place among those who save their data, for as long as it is held.
    pub fn may_export(&self, account: &str) -> Result<Place<String>, Refused> {
        self.exports.take(account.to_owned(), "saving data")
    }

    /// Sessions that end and tokens that are taken back from now on, by their digests.
    pub fn endings(&self) -> broadcast::Receiver<Ends> {
        self.ended.subscribe()
    }

    /// A name that may be had, as it stands; nothing is said of who has it.
    pub async fn name(&self, text: &str) -> Result<AccountName, Refused> {
        let (names, text) = (self.names.clone(), text.to_owned());
        let read = move || AccountName::new(&text, &names.refused());
        let name = self.work.run(Weight::Light, read).await?;
        name.map_err(|fault| refused(Reason::Name, fault.to_string()))
    }

    /// Makes an account of a guest, who keeps all games.
    pub async fn register(
        &self,
        guest: &str,
        name: AccountName,
        opening: Opening,
        agent: &str,
    ) -> Result<Made, Refused> {
        let now_ms = wall_ms();
        let (password, passkey) = match opening {
            Opening::Password(text) => (
                Some(password::hash(&self.work, name.name(), text).await?),
                None,
            ),
            Opening::Passkey(new) => (None, Some(new.row(guest, now_ms))),
        };
        let (codes, kept) = Codes::make();
        let account = AccountRow {
            id: guest.into(),
            name: name.name().into(),
            password,
            recovery: kept.to_text(),
            made_ms: now_ms,
            seen_ms: now_ms,
            deleted: false,
            bot: false,
        };
        let (word, session) = new_session(guest, agent, now_ms);
        let mut readings = name.readings().to_vec();
        // The names of deleted accounts are known by their digests.
        readings.extend(name.readings().iter().map(|r| gone(r)));
        let new = NewAccount {
            account,
            readings,
            passkey,
            session,
        };
        match self.store.register(&new).await? {
            Registered::Made => {}
            Registered::Taken => {
                let text = format!(
                    "{}, or a name that reads like it, is taken; please choose another",
                    name.name()
                );
                return Err(refused(Reason::Taken, text));
            }
            Registered::Known => {
                let text =
                    "this browser's games, or this passkey, belong to an account already; sign in";
                return Err(refused(Reason::Taken, text));
            }
        }
        Ok(Made {
            begun: Begun {
                signed_in: SignedIn {
                    session: new.session,
                    account: new.account,
                },
                word,
            },
            codes,
        })
    }

    /// Begins a session by name and password.
    pub async fn sign_in(
        &self,
        name: &str,
        password: String,
        agent: &str,
    ) -> Result<Begun, Refused> {
        let account = self.opened_by(name).await?;
        let kept = account.as_ref().and_then(|a| a.password.clone());
        let right = password::verify(&self.work, kept, password).await?;
        let account = account.filter(|_| right).ok_or_else(|| {
            refused(
                Reason::Password,
                "there is no account of this name with this password",
            )
        })?;
        self.begin(account, agent).await
    }

    /// Begins a session by a recovery code, which is used up, and sets another password. All other sessions end.
    pub async fn recover(
        &self,
        name: &str,
        code: &str,
        password: String,
        agent: &str,
    ) -> Result<Begun, Refused> {
        let wrong = || {
            let text = "there is no account of this name with this recovery code; each code can be used once";
            refused(Reason::Code, text)
        };
        let account = self.opened_by(name).await?.ok_or_else(wrong)?;
        let left = Codes::read(&account.recovery)
            .without(code)
            .ok_or_else(wrong)?;
        // Told to the owner alone, and before the code is used up.
        self.bans.may_play(&account.id)?;
        let digest = password::hash(&self.work, &account.name, password).await?;
        let (before, after) = (&account.recovery, left.to_text());
        if !self.store.set_recovery(&account.id, before, &after).await? {
            return Err(wrong());
        }
        self.change(&account.id, &digest, None).await?;
        let account = AccountRow {
            password: Some(digest),
            recovery: after,
            ..account
        };
        self.begin(account, agent).await
    }

    async fn begin(&self, account: AccountRow, agent: &str) -> Result<Begun, Refused> {
        self.bans.may_play(&account.id)?;
        let (word, session) = new_session(&account.id, agent, wall_ms());
        self.store.begin_session(&session).await?;
        Ok(Begun {
            signed_in: SignedIn { session, account },
            word,
        })
    }

    /// Who keeps this word. Notes now and then that the session is used.
    pub async fn who(&self, word: &str) -> Result<Option<SignedIn>, Refused> {
        let Some((session, account)) = self.store.session(&digest(word)).await? else {
            return Ok(None);
        };
        let now_ms = wall_ms();
        if now_ms - session.seen_ms > TOUCH {
            let (store, digest) = (self.store.clone(), session.digest.clone());
            tokio::spawn(async move {
                if let Err(error) = store.touch_session(&digest, now_ms).await {
                    tracing::warn!(%error, "the use of a session is not noted");
                }
            });
        }
        // A session that was begun while the account was banned is none.
        let open = !account.deleted && self.bans.may_play(&account.id).is_ok();
        Ok(open.then_some(SignedIn { session, account }))
    }

    /// The account of a name as it was typed.
    pub async fn named(&self, name: &str) -> Result<Option<AccountRow>, Refused> {
        Ok(self.store.account_named(&reading(name)).await?)
    }

    /// The account of a name as its owner typed it, who may know it by a name that it had before.
    async fn opened_by(&self, name: &str) -> Result<Option<AccountRow>, Refused> {
        let reading = reading(name);
        if let Some(account) = self.store.account_named(&reading).await? {
            return Ok(Some(account));
        }
        let digest = gone(&reading);
        Ok(self.moderation.account_formerly(&digest, wall_ms()).await?)
    }

    /// Whether a guest's number is an account's: then no guest may use it.
    pub async fn is_account(&self, id: &str) -> Result<bool, Refused> {
        Ok(self.store.account(id).await?.is_some())
    }

    /// Where an account is signed in, and its passkeys.
    pub async fn detail(
        &self,
        account: &str,
    ) -> Result<(Vec<SessionRow>, Vec<PasskeyRow>), Refused> {
        let sessions = self.store.sessions(account).await?;
        Ok((sessions, self.store.passkeys(account).await?))
    }

    /// Ends sessions of an account.
    pub async fn end(&self, account: &str, which: Ended<'_>) -> Result<usize, Refused> {
        let ended = self.store.end_sessions(account, which).await?;
        let count = ended.len();
        self.tell_ended(ended);
        Ok(count)
    }

    pub(crate) fn tell_ended(&self, digests: Vec<String>) {
        if digests.is_empty() {
            return;
        }
        if let Some(bus) = self.bus.get() {
            // Digests alone: there is nothing in them that JSON cannot say.
            let text = serde_json::to_vec(&digests).unwrap_or_default();
            bus.publish(ENDS_TOLD, text.into());
        }
        // Nobody listens where no socket is open.
        let _ = self.ended.send(Ends::Of(digests.into()));
    }

    /// Tells other nodes which sessions end, and hears it of them, for as long as the server runs.
    pub async fn follow(self, services: Arc<Services>) {
        if services.is_alone() {
            return;
        }
        let bus = self.bus.get_or_init(|| services.bus.clone());
        let listener: Arc<dyn Listener> = Arc::new(Heard(self.ended.clone()));
        let _hears = loop {
            match bus.subscribe(ENDS_TOLD, listener.clone()).await {
                Ok(hears) => break hears,
                Err(error) => {
                    tracing::warn!(%error, "ends of sessions are not heard of yet");
                    tokio::time::sleep(AGAIN).await;
                }
            }
        };
        // Some may have ended before it was listened.
        let _ = self.ended.send(Ends::Missed);
        std::future::pending().await
    }

    /// Whether a session or a token of this digest opens anything.
    pub async fn is_open(&self, digest: &str) -> Result<bool, Refused> {
        let session = self.store.session(digest).await?.is_some();
        Ok(session || self.is_token(digest).await?)
    }

    /// Whether it is really the owner who asks for what cannot be undone: by the password, or, where there is none,
    /// by having signed in just now.
    pub async fn confirm(
        &self,
        signed_in: &SignedIn,
        password: Option<String>,
    ) -> Result<(), Refused> {
        let Some(kept) = signed_in.account.password.clone() else {
            let text = "for this, sign in again with your passkey first";
            return match wall_ms() - signed_in.session.made_ms <= FRESH {
                true => Ok(()),
                false => Err(refused(Reason::SignIn, text)),
            };
        };
        let given = password.unwrap_or_default();
        match password::verify(&self.work, Some(kept), given).await? {
            true => Ok(()),
            false => Err(refused(
                Reason::Password,
                "this is not the password of your account",
            )),
        }
    }

    /// Sets another password. All other sessions end.
    pub async fn set_password(&self, signed_in: &SignedIn, text: String) -> Result<(), Refused> {
        let account = &signed_in.account;
        let digest = password::hash(&self.work, &account.name, text).await?;
        self.change(&account.id, &digest, Some(&signed_in.session.digest))
            .await
    }

    async fn change(&self, account: &str, digest: &str, keep: Option<&str>) -> Result<(), Refused> {
        let ended = self.store.set_password(account, digest, keep).await?;
        self.tell_ended(ended);
        Ok(())
    }

    /// Makes new recovery codes in the place of those before.
    pub async fn new_codes(&self, signed_in: &SignedIn) -> Result<Vec<String>, Refused> {
        let (codes, kept) = Codes::make();
        let account = &signed_in.account;
        let (before, after) = (&account.recovery, kept.to_text());
        let set = self.store.set_recovery(&account.id, before, &after);
        match set.await? {
            true => Ok(codes),
            false => Err(refused(
                Reason::Busy,
                "your recovery codes were changed elsewhere at this moment; try again",
            )),
        }
    }

    /// Recovery codes that are left.
    pub fn codes_left(account: &AccountRow) -> usize {
        Codes::read(&account.recovery).left()
    }

    /// Deletes an account. What it has played stays, under no name; the name is nobody's any more. Whose games they
    /// were is taken out of the storage by [`Accounts::forget_deleted`].
    pub async fn delete(&self, signed_in: &SignedIn) -> Result<(), Refused> {
        let account = &signed_in.account;
        let name = AccountName::new(&account.name, "");
        let readings = name.map_or_else(
            |_| vec![reading(&account.name)],
            |name| name.readings().to_vec(),
        );
        let digests: Vec<String> = readings.iter().map(|r| gone(r)).collect();
        let ended = self
            .store
            .delete_account(&account.id, DELETED, &digests)
            .await?;
        self.tell_ended(ended);
        Ok(())
    }

    /// Takes the names of deleted accounts out of their games; tells which games have changed.
    pub async fn forget_deleted(&self) -> Result<Vec<String>, Refused> {
        let mut changed = Vec::new();
        for account in self.store.deleted_accounts().await? {
            let nameless = |text: &str| play::table::without_name(text, &account);
            changed.extend(self.store.rewrite_games(&account, &nameless).await?);
        }
        Ok(changed)
    }

    /// Forgets sessions that nobody uses.
    pub async fn forget_sessions(&self) {
        if let Err(error) = self.store.forget_sessions(wall_ms() - FORGOTTEN).await {
            tracing::warn!(%error, "old sessions are not forgotten");
        }
    }
}

/// Hears of other nodes which sessions have ended.
struct Heard(broadcast::Sender<Ends>);

impl Listener for Heard {
    fn hear(&self, message: &Bytes) -> bool {
        if let Ok(digests) = serde_json::from_slice::<Vec<String>>(message) {
            let _ = self.0.send(Ends::Of(digests.into()));
        }
        true
    }

    fn missed(&self) {
        let _ = self.0.send(Ends::Missed);
    }
}

fn new_session(account: &str, agent: &str, now_ms: i64) -> (String, SessionRow) {
    let word = secret(WORD);
    let session = SessionRow {
        digest: digest(&word),
        account: account.into(),
        agent: agent
            .chars()
            .filter(|c| !c.is_control())
            .take(AGENT)
            .collect(),
        made_ms: now_ms,
        seen_ms: now_ms,
    };
    (word, session)
}

/// What the storage keeps of a word that nobody can guess.
pub(crate) fn digest(word: &str) -> String {
    let digest = Sha256::digest(word.as_bytes());
    digest.iter().map(|b| format!("{b:02x}")).collect()
}

/// What is kept of the reading of a deleted account's name.
pub(crate) fn gone(reading: &str) -> String {
    format!("#{}", digest(reading))
}
