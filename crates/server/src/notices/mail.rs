//! Notices by e-mail, where who runs the server has set up a way to send it: to addresses that their owners have
//! confirmed, so many a day, each with a link that ends it.

use super::Happening;
use crate::accounts::digest;
use crate::config::{ConfigError, MailConfig, MailTls};
use crate::lasting::Inbox;
use crate::limits::per_day;
use crate::refusal::{Reason, Refused, refused};
use crate::seats::{SeatKeys, same};
use crate::services::{secret, wall_ms};
use crate::wire::Notice;
use governor::RateLimiter;
use governor::clock::DefaultClock;
use governor::state::keyed::DefaultKeyedStateStore;
use lettre::message::header::{ContentType, HeaderName, HeaderValue};
use lettre::message::{Mailbox, Message};
use lettre::transport::smtp::authentication::Credentials;
use lettre::transport::smtp::client::{Tls, TlsParameters};
use lettre::transport::smtp::extension::ClientId;
use lettre::{Address, AsyncSmtpTransport, AsyncTransport, Tokio1Executor};
use metrics::counter;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;
use store::notices::{MailRow, NoticeStore};
use tokio::sync::mpsc;

/// E-mails that wait at most.
const QUEUE: usize = 256;
/// Attempts, and the pause between them.
const ATTEMPTS: u32 = 3;
const PAUSE: Duration = Duration::from_secs(30);
/// Longest wait for the mail server, at each step.
const LONGEST: Duration = Duration::from_secs(20);
/// An address can be confirmed for so long.
const CONFIRM_MS: i64 = 24 * 3_600_000;
/// An address can be given while so few e-mails were sent to a person in a day, so that nobody has strangers flooded.
const CONFIRMATIONS: u32 = 5;
/// E-mails with a link to confirm that go to one mailbox at once, and again over a day, whoever asks for them: many accounts
/// could name the same.
const TO_ONE: NonZeroU32 = NonZeroU32::new(5).expect("not zero");
/// Characters of an address.
const ADDRESS: usize = 254;
/// Bytes of chance in the word that confirms one.
const WORD: usize = 20;
const DAY_MS: i64 = 24 * 3_600_000;

type Transport = AsyncSmtpTransport<Tokio1Executor>;
type Asked = RateLimiter<String, DefaultKeyedStateStore<String>, DefaultClock>;

/// A way to send e-mail.
#[derive(Clone)]
pub struct Mail {
    transport: Transport,
    from: Mailbox,
    /// Where people reach the server, without a stroke at its end.
    site: String,
    per_day: u32,
    keys: SeatKeys,
    queue: mpsc::Sender<Message>,
    inbox: Arc<Inbox<Message>>,
    /// Confirmations by [`mailbox`].
    asked: Arc<Asked>,
}

impl std::fmt::Debug for Mail {
    /// Without the password.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Mail")
            .field("from", &self.from)
            .finish_non_exhaustive()
    }
}

fn wrong(message: impl Into<String>) -> Refused {
    refused(Reason::Mail, message)
}

/// An address as it is kept, or why nothing is sent there.
pub fn address_of(text: &str) -> Result<String, Refused> {
    let text = text.trim();
    if text.len() > ADDRESS || !text.is_ascii() {
        let message =
            format!("address: expected at most {ADDRESS} ASCII letters, digits and signs");
        return Err(wrong(message));
    }
    let address: Address = text
        .parse()
        .map_err(|e| wrong(format!("address: {e}; expected one like ann@example.org")))?;
    let domain = address.domain();
    let named = domain.contains('.') && !domain.starts_with('[') && !domain.ends_with('.');
    match named {
        true => Ok(address.to_string()),
        false => Err(wrong(
            "address: expected a domain, like example.org, after the @",
        )),
    }
}

/// The mailbox behind an address, as far as one can tell: letters of both sizes and what follows a `+` lead to the same.
fn mailbox(address: &str) -> String {
    let (local, domain) = address.rsplit_once('@').unwrap_or((address, ""));
    let local = local.split('+').next().unwrap_or_default();
    format!("{local}@{domain}").to_ascii_lowercase()
}

impl Mail {
    /// The way that the settings describe.
    pub fn of(config: &MailConfig, keys: SeatKeys) -> Result<Mail, ConfigError> {
        let wrong = |key: &str, error: &dyn std::fmt::Display| ConfigError::Value {
            key: format!("mail.{key}"),
            value: String::new(),
            expected: error.to_string(),
        };
        let parameters =
            || TlsParameters::new_rustls(config.host.clone()).map_err(|e| wrong("tls", &e));
        let tls = match config.tls {
            MailTls::Starttls => Tls::Required(parameters()?),
            MailTls::Tls => Tls::Wrapper(parameters()?),
            MailTls::None => Tls::None,
        };
        let site = config.site.trim_end_matches('/').to_owned();
        let host = site.split("://").nth(1).unwrap_or_default();
        let host = host.split(':').next().unwrap_or_default().to_owned();
        let mut transport = Transport::builder_dangerous(&config.host)
            .port(config.port.unwrap_or(config.tls.port()))
            .tls(tls)
            .hello_name(ClientId::Domain(host))
            .timeout(Some(LONGEST));
        if let Some(user) = &config.user {
            let password = match &config.password_file {
                Some(path) => std::fs::read_to_string(path).map_err(|error| {
                    let path = path.display().to_string();
                    ConfigError::Unreadable { path, error }
                })?,
                None => String::new(),
            };
            let password = password.trim_end_matches(['\r', '\n']).to_owned();
            transport = transport.credentials(Credentials::new(user.clone(), password));
        }
        let (queue, inbox) = mpsc::channel(QUEUE);
        Ok(Mail {
            transport: transport.build(),
            from: config.from.parse().map_err(|e| wrong("from", &e))?,
            site,
            per_day: config.per_day,
            keys,
            queue,
            inbox: Arc::new(Inbox::new(inbox)),
            asked: Arc::new(RateLimiter::keyed(per_day(TO_ONE))),
        })
    }

    /// Keeps an address that a person gives, and sends the link that confirms it there.
    pub async fn give(
        &self,
        store: &Arc<dyn NoticeStore>,
        person: &str,
        name: &str,
        text: &str,
    ) -> Result<(), Refused> {
        let address = address_of(text)?;
        let known = store.mail(person).await?;
        let same = |known: &MailRow| known.address == address && known.digest.is_none();
        if known.as_ref().is_some_and(same) {
            return Ok(());
        }
        let enough = || {
            let message = "enough e-mails have been sent for you today; enter an address tomorrow";
            refused(Reason::Limit, message)
        };
        let today = wall_ms() / DAY_MS;
        // Where there is an address, it stays if there can't be another today.
        let counted = known.is_some();
        if counted {
            if !store.count_mail(person, today, CONFIRMATIONS).await? {
                return Err(enough());
            }
            self.may_ask(&address)?;
        }
        let word = secret(WORD);
        let row = MailRow {
            person: person.into(),
            address: address.clone(),
            digest: Some(digest(&word)),
            until_ms: wall_ms() + CONFIRM_MS,
        };
        if !store.keep_mail(&row).await? {
            return Err(refused(Reason::SignIn, "this account no longer exists"));
        }
        if !counted {
            let may = match store.count_mail(person, today, CONFIRMATIONS).await? {
                true => self.may_ask(&address),
                false => Err(enough()),
            };
            if may.is_err() {
                store.remove_mail(person).await?;
            }
            may?;
        }
        let site = &self.site;
        let text = format!(
            "{name} at {site} gives this address for e-mails about games.\n\nIf that is you, open this page within a \
             day and confirm it:\n{site}/mail/confirm/{word}\n\nIf not, there is nothing to do: nothing more will come."
        );
        self.send(&address, person, "Confirm your address", &text)
    }

    /// Counts a link to confirm that goes to an address.
    fn may_ask(&self, address: &str) -> Result<(), Refused> {
        self.asked.retain_recent();
        self.asked.check_key(&mailbox(address)).map_err(|_| {
            let message = "enough e-mails have been sent to this address lately; enter it again in some hours";
            refused(Reason::Limit, message)
        })
    }

    /// Confirms an address by the word that was sent there.
    pub async fn confirm(&self, store: &Arc<dyn NoticeStore>, word: &str) -> Result<(), Refused> {
        match store.confirm_mail(&digest(word), wall_ms()).await? {
            true => Ok(()),
            false => Err(wrong(
                "this link has been used or is older than a day; enter the address again on your account page",
            )),
        }
    }

    /// Ends what is sent to a person, by the word that stands in each e-mail.
    pub async fn stop(&self, store: &Arc<dyn NoticeStore>, word: &str) -> Result<(), Refused> {
        let used = || wrong("this link is no longer needed: no e-mails are sent to that address");
        let (person, _) = word.split_once('-').ok_or_else(used)?;
        let known = store.mail(person).await?.ok_or_else(used)?;
        if !same(&self.stop_word(person, &known.address), word) {
            return Err(used());
        }
        store.remove_mail(person).await?;
        Ok(())
    }

    fn stop_word(&self, person: &str, address: &str) -> String {
        let derived = self
            .keys
            .derived("mail-stop", &format!("{person} {address}"));
        format!("{person}-{derived}")
    }

    /// Sends a notice, if the person has confirmed an address and was not sent too much this day.
    pub(super) async fn tell(
        &self,
        store: &Arc<dyn NoticeStore>,
        happening: &Happening,
        notice: &Notice,
    ) -> Result<(), Refused> {
        let person = &happening.person;
        let known = store.mail(person).await?;
        let Some(known) = known.filter(|known| known.digest.is_none()) else {
            return Ok(());
        };
        let today = wall_ms() / DAY_MS;
        if !store.count_mail(person, today, self.per_day).await? {
            return Ok(());
        }
        let site = &self.site;
        let text = format!("{}\n\n{site}{}", notice.text, notice.address);
        self.send(&known.address, person, &notice.title, &text)
    }

    fn send(&self, to: &str, person: &str, subject: &str, text: &str) -> Result<(), Refused> {
        let message = self.message(to, person, subject, text).map_err(|error| {
            tracing::error!(error, "an e-mail cannot be written");
            refused(Reason::Fault, "a fault of the server; it has been noted")
        })?;
        if self.queue.try_send(message).is_err() {
            counter!("husun_notices_lost_total").increment(1);
            let message = "too many e-mails are waiting to be sent; try again later";
            return Err(refused(Reason::Busy, message));
        }
        Ok(())
    }

    fn message(
        &self,
        to: &str,
        person: &str,
        subject: &str,
        text: &str,
    ) -> Result<Message, String> {
        let said = |error: &dyn std::fmt::Display| error.to_string();
        let to: Address = to.parse().map_err(|e| said(&e))?;
        let stop = format!(
            "{}/mail/stop/{}",
            self.site,
            self.stop_word(person, to.as_ref())
        );
        let host = self.from.email.domain();
        let raw = |name: &'static str, value: String| {
            HeaderValue::new(HeaderName::new_from_ascii_str(name), value)
        };
        let body = format!(
            "{text}\n\n-- \nChoose which e-mails you get: {}/account\nNo more e-mails: {stop}\n",
            self.site
        );
        Message::builder()
            .from(self.from.clone())
            .to(Mailbox::new(None, to))
            .subject(subject)
            .message_id(Some(format!("<{}@{host}>", secret(12))))
            .raw_header(raw("List-Unsubscribe", format!("<{stop}>")))
            .raw_header(raw(
                "List-Unsubscribe-Post",
                "List-Unsubscribe=One-Click".into(),
            ))
            .raw_header(raw("Auto-Submitted", "auto-generated".into()))
            .header(ContentType::TEXT_PLAIN)
            .body(body)
            .map_err(|e| said(&e))
    }

    /// Sends what waits, one after another, for as long as the server runs.
    pub(super) async fn keep(&self) {
        while let Some(message) = self.inbox.next().await {
            for attempt in 1..=ATTEMPTS {
                let error = match self.transport.send(message.clone()).await {
                    Ok(_) => {
                        counter!("husun_notices_total", "way" => "mail").increment(1);
                        break;
                    }
                    Err(error) => error,
                };
                let last = attempt == ATTEMPTS || error.is_permanent();
                tracing::warn!(%error, attempt, "an e-mail is not sent");
                if last {
                    counter!("husun_notices_lost_total").increment(1);
                    break;
                }
                tokio::time::sleep(PAUSE).await;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_strictly() {
        for text in [
            "ann@example.org",
            " ann.b+c@sub.example.org ",
            "o'hara@example.org",
        ] {
            let read = address_of(text).ok();
            assert_eq!(read.as_deref(), Some(text.trim()), "{text}");
        }
        let long = format!("{}@example.org", "a".repeat(300));
        for text in [
            "",
            "ann",
            "ann@",
            "@example.org",
            "ann@localhost",
            "ann@[127.0.0.1]",
            "ann@example.org\r\nBcc: all@example.org",
            "ann@example.org, bob@example.org",
            "Ann <ann@example.org>",
            "änn@example.org",
            "ann@exämple.org",
            "ann@example.org.",
            &long,
        ] {
            let error = address_of(text).err().map(|e| e.reason);
            assert_eq!(error, Some(Reason::Mail), "{text}");
        }
    }
}
