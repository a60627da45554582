//! Passkeys (WebAuthn): a browser's question and its answer are two requests; what was asked is kept in between, for
//! a few minutes and a bounded number, by the node that has asked. An answer that comes to another node is checked there.

use super::{Accounts, Begun, PASSKEYS, SignedIn};
use crate::leading::{read_answer, write_answer};
use crate::refusal::{Reason, Refused, refused};
use crate::services::{Services, secret, wall_ms};
use bus::BusError;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use store::accounts::PasskeyRow;
use url::Url;
use webauthn_rs::prelude::{
    CreationChallengeResponse, DiscoverableAuthentication, DiscoverableKey, Passkey,
    PasskeyRegistration, PublicKeyCredential, RegisterPublicKeyCredential,
    RequestChallengeResponse, Uuid, Webauthn, WebauthnBuilder, WebauthnError,
};
use webauthn_rs_proto::ResidentKeyRequirement;

/// Longest wait for another node.
const PATIENCE: Duration = Duration::from_secs(5);
/// Pause after what other nodes ask could not be listened to.
const AGAIN: Duration = Duration::from_secs(1);
/// Time for a browser's answer.
const ANSWER: Duration = Duration::from_secs(300);
/// Answers that other nodes have for this one at most.
const WAITING_OF_OTHERS: usize = 256;
/// Questions that wait for their answers at most.
const WAITING: usize = 10_000;
/// Characters of a passkey's name at most.
const NAME: usize = 40;

/// A passkey that was made and belongs to nobody yet.
#[derive(Debug, Serialize, Deserialize)]
pub struct NewPasskey {
    passkey: Passkey,
    name: String,
}

impl NewPasskey {
    /// As it is kept for an account.
    pub fn row(&self, account: &str, now_ms: i64) -> PasskeyRow {
        PasskeyRow {
            id: id_of(self.passkey.cred_id().as_ref()),
            account: account.into(),
            name: self.name.clone(),
            // Numbers and texts alone: there is nothing in it that JSON cannot say.
            body: serde_json::to_string(&self.passkey).unwrap_or_default(),
            made_ms: now_ms,
            used_ms: None,
        }
    }
}

fn id_of(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

/// What a browser was asked.
#[derive(Debug)]
enum Asked {
    /// To make a passkey: for a new account of this name, or for the account of this id.
    Make(Box<PasskeyRegistration>, For),
    /// To show one.
    Show(Box<DiscoverableAuthentication>),
}

/// Whom a passkey is made for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum For {
    /// A new account of this name.
    Name(String),
    /// The account of this id.
    Account(String),
}

/// What browsers were asked and have not answered.
#[derive(Debug)]
pub struct Ceremonies {
    /// By which the tokens of this process are known.
    home: String,
    waiting: Mutex<HashMap<String, (Instant, Asked)>>,
}

impl Default for Ceremonies {
    fn default() -> Ceremonies {
        Ceremonies {
            home: secret(5),
            waiting: Mutex::default(),
        }
    }
}

/// Where the process is asked whose tokens begin so.
fn asked_at(home: &str) -> String {
    format!("passkeys.{home}")
}

/// An answer of a browser that another node is to check.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum ToCheck {
    Made {
        origin: String,
        token: String,
        answer: RegisterPublicKeyCredential,
        name: String,
    },
    Shown {
        origin: String,
        token: String,
        answer: PublicKeyCredential,
    },
}

impl Ceremonies {
    fn keep(&self, asked: Asked) -> Result<String, Refused> {
        let mut all = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() >= WAITING {
            all.retain(|_, (since, _)| since.elapsed() < ANSWER);
        }
        if all.len() >= WAITING {
            let text = "too many people are signing in at the moment; try again in a minute";
            return Err(refused(Reason::Busy, text));
        }
        let token = format!("{}.{}", self.home, secret(16));
        all.insert(token.clone(), (Instant::now(), asked));
        Ok(token)
    }

    fn take(&self, token: &str) -> Result<Asked, Refused> {
        let mut all = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        match all.remove(token) {
            Some((since, asked)) if since.elapsed() < ANSWER => Ok(asked),
            _ => Err(late()),
        }
    }

    /// The process that has asked, if it is another one.
    fn elsewhere<'a>(&self, token: &'a str) -> Option<&'a str> {
        let (home, _) = token.split_once('.')?;
        let known = !home.is_empty() && home.bytes().all(|b| b.is_ascii_alphanumeric());
        (known && home != self.home).then_some(home)
    }
}

fn late() -> Refused {
    let text = "this took too long, or has already been answered; start again";
    refused(Reason::Passkey, text)
}

fn unfit(error: &WebauthnError) -> Refused {
    refused(
        Reason::Passkey,
        format!("the passkey cannot be used here: {error}"),
    )
}

/// A site as browsers know it: passkeys belong to its name.
#[derive(Debug)]
pub struct Site {
    origin: String,
    webauthn: Webauthn,
}

impl Site {
    /// The site of an origin, as `https://play.example.org`.
    pub fn of(origin: Option<&str>) -> Result<Site, Refused> {
        let url = origin.and_then(|text| Some((text, Url::parse(text).ok()?)));
        let (origin, url) = url.ok_or_else(|| {
            refused(
                Reason::Passkey,
                "passkeys only work in browsers: the request has no origin",
            )
        })?;
        let Some(name) = url.domain() else {
            let port = url.port().map(|p| format!(":{p}")).unwrap_or_default();
            let text = format!(
                "passkeys belong to a site's name, but {} is a number; on this machine use http://localhost{port}",
                url.host_str().unwrap_or("this")
            );
            return Err(refused(Reason::Passkey, text));
        };
        let builder = WebauthnBuilder::new(name, &url).map_err(|e| unfit(&e))?;
        let site = builder.rp_name("Husun").timeout(ANSWER).build();
        Ok(Site {
            origin: origin.into(),
            webauthn: site.map_err(|e| unfit(&e))?,
        })
    }
}

impl Accounts {
    /// Asks a browser to make a passkey.
    pub async fn ask_to_make(
        &self,
        site: &Site,
        whom: For,
        name: &str,
    ) -> Result<(String, CreationChallengeResponse), Refused> {
        let mut known = Vec::new();
        if let For::Account(id) = &whom {
            let rows = self.store.passkeys(id).await?;
            if rows.len() >= PASSKEYS {
                let text = format!("an account has at most {PASSKEYS} passkeys; remove one first");
                return Err(refused(Reason::Passkey, text));
            }
            let ids = rows
                .iter()
                .filter_map(|row| Some(read(row)?.cred_id().clone()));
            known.extend(ids);
        }
        let asked =
            site.webauthn
                .start_passkey_registration(Uuid::new_v4(), name, name, Some(known));
        let (mut question, state) = asked.map_err(|e| unfit(&e))?;
        // It shall open the account without a name being typed.
        if let Some(selection) = &mut question.public_key.authenticator_selection {
            selection.resident_key = Some(ResidentKeyRequirement::Required);
            selection.require_resident_key = true;
        }
        let token = self.ceremonies.keep(Asked::Make(Box::new(state), whom))?;
        Ok((token, question))
    }

    /// Takes a passkey that a browser has made, and tells whom it was made for.
    pub async fn take_made(
        &self,
        site: &Site,
        token: &str,
        answer: &RegisterPublicKeyCredential,
        name: &str,
    ) -> Result<(NewPasskey, For), Refused> {
        match self.ceremonies.elsewhere(token) {
            None => self.take_made_here(site, token, answer, name),
            Some(home) => {
                let asked = ToCheck::Made {
                    origin: site.origin.clone(),
                    token: token.into(),
                    answer: answer.clone(),
                    name: name.into(),
                };
                self.ask_home(home, &asked).await
            }
        }
    }

    /// Has an answer checked by the node that has asked for it.
    async fn ask_home<T: DeserializeOwned>(
        &self,
        home: &str,
        asked: &ToCheck,
    ) -> Result<T, Refused> {
        let bus = self.bus.get().ok_or_else(late)?;
        let text = serde_json::to_vec(asked).map_err(|_| late())?;
        match bus.request(&asked_at(home), text.into(), PATIENCE).await {
            Ok(answer) => read_answer("passkeys", &answer)?.ok_or_else(late),
            // It has ended, and with it what it has asked.
            Err(BusError::Nobody | BusError::Gone) => Err(late()),
            Err(_) => {
                let text = "the server cannot check the passkey at the moment; start again";
                Err(refused(Reason::Busy, text))
            }
        }
    }

    /// Checks answers that come to other nodes, for as long as the server runs.
    pub async fn check_for_others(self, services: Arc<Services>) {
        if services.is_alone() {
            return;
        }
        loop {
            let subject = asked_at(&self.ceremonies.home);
            let Ok(mut asked) = services.bus.serve(&subject, WAITING_OF_OTHERS).await else {
                tokio::time::sleep(AGAIN).await;
                continue;
            };
            while let Some(request) = asked.next().await {
                let answer = match serde_json::from_slice(&request.message) {
                    Ok(ToCheck::Made {
                        origin,
                        token,
                        answer,
                        name,
                    }) => write_answer(
                        Site::of(Some(&origin))
                            .and_then(|site| self.take_made_here(&site, &token, &answer, &name)),
                    ),
                    Ok(ToCheck::Shown {
                        origin,
                        token,
                        answer,
                    }) => match Site::of(Some(&origin)) {
                        Ok(site) => write_answer(self.shown_here(&site, &token, &answer).await),
                        Err(refused) => write_answer::<()>(Err(refused)),
                    },
                    Err(_) => write_answer::<()>(Err(late())),
                };
                request.answer(answer);
            }
        }
    }

    fn take_made_here(
        &self,
        site: &Site,
        token: &str,
        answer: &RegisterPublicKeyCredential,
        name: &str,
    ) -> Result<(NewPasskey, For), Refused> {
        let Asked::Make(state, whom) = self.ceremonies.take(token)? else {
            return Err(late());
        };
        let passkey = site.webauthn.finish_passkey_registration(answer, &state);
        let passkey = passkey.map_err(|e| unfit(&e))?;
        let name: String = name
            .chars()
            .filter(|c| !c.is_control())
            .take(NAME)
            .collect();
        let name = match name.trim() {
            "" => "Passkey".into(),
            name => name.into(),
        };
        Ok((NewPasskey { passkey, name }, whom))
    }

    /// Adds a passkey to an account.
    pub async fn add_passkey(&self, signed_in: &SignedIn, new: &NewPasskey) -> Result<(), Refused> {
        let row = new.row(&signed_in.account.id, wall_ms());
        match self.store.add_passkey(&row).await? {
            true => Ok(()),
            false => Err(refused(Reason::Passkey, "this passkey is already in use")),
        }
    }

    /// Removes a passkey, unless nothing else opens the account.
    pub async fn remove_passkey(&self, signed_in: &SignedIn, id: &str) -> Result<bool, Refused> {
        let account = &signed_in.account;
        let all = self.store.passkeys(&account.id).await?;
        if account.password.is_none() && all.len() == 1 && all.iter().any(|p| p.id == id) {
            let text = "this passkey is all that opens your account; set a password or add another passkey first";
            return Err(refused(Reason::Passkey, text));
        }
        Ok(self.store.remove_passkey(&account.id, id).await?)
    }

    /// Asks a browser to show a passkey of this site, whosever it is.
    pub fn ask_to_show(&self, site: &Site) -> Result<(String, RequestChallengeResponse), Refused> {
        let asked = site.webauthn.start_discoverable_authentication();
        let (mut question, state) = asked.map_err(|e| unfit(&e))?;
        // A button asks for it, not a field that is being filled in.
        question.mediation = None;
        let token = self.ceremonies.keep(Asked::Show(Box::new(state)))?;
        Ok((token, question))
    }

    /// Begins a session by the passkey that a browser shows.
    pub async fn sign_in_by_passkey(
        &self,
        site: &Site,
        token: &str,
        answer: &PublicKeyCredential,
        agent: &str,
    ) -> Result<Begun, Refused> {
        let account = match self.ceremonies.elsewhere(token) {
            None => self.shown_here(site, token, answer).await?,
            Some(home) => {
                let asked = ToCheck::Shown {
                    origin: site.origin.clone(),
                    token: token.into(),
                    answer: answer.clone(),
                };
                self.ask_home::<String>(home, &asked).await?
            }
        };
        let account = self.store.account(&account).await?;
        let account = account.filter(|a| !a.deleted).ok_or_else(unknown)?;
        self.begin(account, agent).await
    }

    /// The account that the passkey opens which a browser shows.
    async fn shown_here(
        &self,
        site: &Site,
        token: &str,
        answer: &PublicKeyCredential,
    ) -> Result<String, Refused> {
        let Asked::Show(state) = self.ceremonies.take(token)? else {
            return Err(late());
        };
        let row = self
            .store
            .passkey(&id_of(answer.get_credential_id()))
            .await?;
        let row = row.ok_or_else(unknown)?;
        let mut passkey = read(&row).ok_or_else(unknown)?;
        let shown = site.webauthn.finish_discoverable_authentication_v2(
            answer,
            *state,
            DiscoverableKey::from(&passkey),
        );
        let shown = shown.map_err(|e| unfit(&e))?;
        passkey.update_credential(&shown);
        let body = serde_json::to_string(&passkey).unwrap_or(row.body);
        self.store.use_passkey(&row.id, &body, wall_ms()).await?;
        Ok(row.account)
    }
}

fn unknown() -> Refused {
    let text = "this passkey opens no account here; it may have been removed";
    refused(Reason::Passkey, text)
}

fn read(row: &PasskeyRow) -> Option<Passkey> {
    let read = serde_json::from_str(&row.body);
    if let Err(error) = &read {
        tracing::error!(%error, id = row.id, "a passkey that is kept cannot be read");
    }
    read.ok()
}
