//! The bus between processes, over core subjects of a NATS server: nothing is stored there, and what nobody listens to is
//! gone. Within the process it is the [`LocalBus`], so nothing that stays here waits for NATS, and while there is no
//! connection it is that alone.
//!
//! Subjects of a cluster begin with its prefix: `husun.t.SUBJECT` is told, `husun.a.SUBJECT` asked, answers go to
//! `husun.r.PROCESS.a.NUMBER.MILLISECONDS` (`husun.w...` where a worker asks), and `husun.lost` says that anything may
//! have been lost.
//!
//! What came before a round trip to NATS and back has been read there. So a subscription is known, and what was told has
//! arrived, when one that began later has ended. With several NATS servers that holds for the one asked; the others learn
//! of a subscription a little later.

mod interests;
mod link;
mod lost;
mod names;
mod questions;
mod watch;

use crate::{Answer, Bus, BusError, Guard, Listener, Requests, Subscription};
use async_nats::{ConnectErrorKind, ConnectOptions, ServerAddr, Subject};
use bytes::Bytes;
use interests::{Kind, Serving};
use link::{Link, Phase, lock};
use names::Names;
use percent_encoding::percent_decode_str;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;
use tokio::sync::watch as channel;
use tokio::task::AbortHandle;
use url::Url;
use watch::{Events, Watch};

/// What may wait in the connection itself. It is sent even if the connection breaks before, so it is little.
const AT_HAND: usize = 64;
/// Messages of one subject that may wait to be heard.
const UNHEARD: usize = 8192;
/// A connection that has been silent for this long is asked whether it lives, and three times this long it may not answer.
const PING: Duration = Duration::from_secs(1);
/// How long making a connection may take.
const CONNECT: Duration = Duration::from_secs(3);
/// How long the next attempt to connect waits at most.
const AGAIN: Duration = Duration::from_millis(500);

/// Where the NATS server is, and which part of it is ours.
#[derive(Clone)]
pub struct NatsOptions {
    /// `nats://HOST:PORT`, or `tls://` so that all of it is encrypted; `USER:PASSWORD@` or `TOKEN@` before the host.
    /// Several servers of one NATS cluster are separated by commas.
    pub url: String,
    /// What the names of all subjects begin with, so that clusters can share a server: words of letters, digits, `-`
    /// and `_`, with dots between.
    pub prefix: String,
    /// A file with the certificates by which the server is known, instead of the system's.
    pub certificates: Option<PathBuf>,
    /// How the connection is called in the server's lists.
    pub name: String,
    /// Who connects.
    pub role: NatsRole,
}

/// Who connects: answers come to servers and to others under different names, so that NATS can be told to let the others
/// hear only their own kind's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NatsRole {
    /// One of those who serve and are all of them trusted with everything.
    Server,
    /// One that asks them and listens to them: a worker.
    Worker,
}

impl NatsRole {
    /// The word before the names of answers.
    fn answers(self) -> char {
        match self {
            NatsRole::Server => 'r',
            NatsRole::Worker => 'w',
        }
    }
}

impl NatsOptions {
    /// A server's, with the prefix `husun`.
    pub fn new(url: impl Into<String>) -> NatsOptions {
        NatsOptions {
            url: url.into(),
            prefix: "husun".into(),
            certificates: None,
            name: "husun".into(),
            role: NatsRole::Server,
        }
    }
}

impl fmt::Debug for NatsOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The address may contain a password.
        f.debug_struct("NatsOptions")
            .field("prefix", &self.prefix)
            .field("certificates", &self.certificates)
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

/// Why there is no bus. None of them shows a password.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NatsError {
    /// The address is none.
    #[error("the address of the NATS server: {0}; expected nats://HOST:PORT or tls://HOST:PORT")]
    Address(String),
    /// The prefix can't be one.
    #[error(
        "the prefix of subjects is {0:?}: expected words of letters, digits, - and _, with dots between"
    )]
    Prefix(String),
    /// The server can't be reached, or refuses.
    #[error("the NATS server {server}: {why}")]
    Connect {
        /// Host and port.
        server: String,
        /// What happened.
        why: String,
    },
}

/// How the bus is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Health {
    /// NATS answers.
    pub connected: bool,
    /// The last time to NATS and back, through the queue.
    pub round_trip: Duration,
    /// Connections since the start after the first.
    pub reconnects: u64,
    /// Messages that were lost on their way out since the start, as far as that is known.
    pub dropped: u64,
    /// What is listened to or served here.
    pub subjects: usize,
}

/// The bus between processes. The connection ends when this and all its subscriptions are dropped.
pub struct NatsBus {
    link: Arc<Link>,
    health: channel::Receiver<Health>,
    tasks: Vec<AbortHandle>,
}

impl NatsBus {
    /// Connects. A server that is not there now is an error; one that goes later is waited for.
    pub async fn connect(options: NatsOptions) -> Result<NatsBus, NatsError> {
        let names = Names::new(&options.prefix, options.role)
            .ok_or_else(|| NatsError::Prefix(options.prefix.clone()))?;
        let address = Address::read(&options.url)?;
        let server = address.server.clone();
        let failed = |why: String| NatsError::Connect {
            server: server.clone(),
            why,
        };
        let events = Events::default();
        let mut connect = ConnectOptions::new()
            .name(options.name)
            .no_echo()
            .client_capacity(AT_HAND)
            .subscription_capacity(UNHEARD)
            .ping_interval(PING)
            .connection_timeout(CONNECT)
            .reconnect_delay_callback(|attempt| match attempt {
                0 | 1 => Duration::ZERO,
                more => AGAIN.min(Duration::from_millis(10 * more as u64)),
            })
            // All names are made by us.
            .skip_subject_validation(true)
            .event_callback(events.callback());
        connect = match (address.user, address.password) {
            (Some(user), Some(password)) => connect.user_and_password(user, password),
            (Some(token), None) => connect.token(token),
            (None, _) => connect,
        };
        if let Some(file) = options.certificates {
            connect = connect.add_root_certificates(file);
        }
        let client = connect
            .connect(address.servers)
            .await
            .map_err(|error| failed(why(&error)))?;
        let answers = client.subscribe(names.answers()).await;
        let lost = client.subscribe(names.lost()).await;
        let (Ok(answers), Ok(lost)) = (answers, lost) else {
            return Err(failed("the connection has ended".into()));
        };
        let (link, outs) = Link::new(client, names);
        let (watch, health) = Watch::new(link.clone(), events);
        let answered = link.clone().listen(answers, |link, message| {
            link.answered(&message);
        });
        let lost = link.clone().listen(lost, |link, _| {
            link.all_missed.store(true, Relaxed);
        });
        let tasks = vec![
            tokio::spawn(link.clone().pump(outs)).abort_handle(),
            tokio::spawn(answered).abort_handle(),
            tokio::spawn(lost).abort_handle(),
            tokio::spawn(watch.run()).abort_handle(),
        ];
        let mut bus = NatsBus {
            link,
            health,
            tasks,
        };
        let up = bus.health.wait_for(|health| health.connected);
        match tokio::time::timeout(CONNECT, up).await {
            Ok(Ok(_)) => {}
            Ok(Err(_)) | Err(_) => {
                let why = "it does not answer; may the user publish and subscribe to the subjects of the prefix?";
                return Err(failed(why.into()));
            }
        }
        Ok(bus)
    }

    /// How the bus is now.
    pub fn health(&self) -> Health {
        Health {
            dropped: self.link.dropped.load(Relaxed),
            subjects: lock(&self.link.interests).len(),
            ..*self.health.borrow()
        }
    }

    /// How the bus is, from now on. It changes once a second at least while NATS answers.
    pub fn watch(&self) -> channel::Receiver<Health> {
        self.health.clone()
    }
}

impl Drop for NatsBus {
    fn drop(&mut self) {
        for task in &self.tasks {
            task.abort();
        }
        self.link.end_all();
        // Whoever still waits for an answer or a subscription does not wait for ever.
        self.link
            .state
            .send_modify(|state| state.phase = Phase::Down);
    }
}

impl fmt::Debug for NatsBus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NatsBus").finish_non_exhaustive()
    }
}

impl Bus for NatsBus {
    fn publish(&self, subject: &str, message: Bytes) {
        self.link.local.publish(subject, message.clone());
        self.link.tell(subject, message);
    }

    fn subscribe<'a>(
        &'a self,
        subject: &'a str,
        listener: Arc<dyn Listener>,
    ) -> Answer<'a, Subscription> {
        Box::pin(async move {
            let here = self.link.local.subscribe(subject, listener).await?;
            let want = self.link.want(Kind::Told, subject);
            if !want.is_known() {
                self.link.settle().await;
                want.confirm();
            }
            Ok(Subscription {
                _place: Guard::new(move || drop((here, want))),
            })
        })
    }

    fn request<'a>(
        &'a self,
        subject: &'a str,
        message: Bytes,
        patience: Duration,
    ) -> Answer<'a, Bytes> {
        Box::pin(async move {
            let here = self.link.local.request(subject, message.clone(), patience);
            match here.await {
                Err(BusError::Nobody) => self.link.ask(subject, message, patience).await,
                answer => answer,
            }
        })
    }

    fn serve<'a>(&'a self, subject: &'a str, waiting: usize) -> Answer<'a, Requests> {
        Box::pin(async move {
            let Requests { queue, _place } = self.link.local.serve(subject, waiting).await?;
            let want = self.link.want(Kind::Asked, subject);
            let (taken, ()) = tokio::join!(self.link.is_served(subject), self.link.settle());
            if taken || !want.confirm() {
                return Err(BusError::Taken);
            }
            Ok(Requests {
                queue,
                _place: Guard::new(move || drop((_place, want))),
            })
        })
    }
}

/// Someone in another process who waits for an answer.
pub struct Asker {
    link: Arc<Link>,
    serving: Arc<Serving>,
    to: Subject,
    answered: bool,
}

impl Asker {
    fn new(link: Arc<Link>, serving: Arc<Serving>, to: Subject) -> Asker {
        serving.hold(&to);
        Asker {
            link,
            serving,
            to,
            answered: false,
        }
    }

    pub(crate) fn answer(mut self, answer: Result<Bytes, BusError>) {
        self.answered = true;
        self.link.answer(self.to.clone(), answer);
    }
}

impl Drop for Asker {
    fn drop(&mut self) {
        if !self.answered {
            self.link.answer(self.to.clone(), Err(BusError::Gone));
        }
        self.serving.let_go(&self.to);
    }
}

impl fmt::Debug for Asker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Asker")
    }
}

/// What an address says.
struct Address {
    servers: Vec<ServerAddr>,
    /// Host and port of all of them, to be shown.
    server: String,
    user: Option<String>,
    password: Option<String>,
}

impl Address {
    /// Secrets are taken out of the addresses, which the client may write to logs.
    fn read(text: &str) -> Result<Address, NatsError> {
        let wrong = |why: &str| NatsError::Address(why.into());
        let mut address = Address {
            servers: Vec::new(),
            server: String::new(),
            user: None,
            password: None,
        };
        for text in text.split(',').map(str::trim) {
            let mut url =
                Url::parse(text).map_err(|error| NatsError::Address(error.to_string()))?;
            if !matches!(url.scheme(), "nats" | "tls") {
                return Err(wrong("it begins neither with nats:// nor with tls://"));
            }
            let host = url.host_str().filter(|host| !host.is_empty());
            let host = host.ok_or_else(|| wrong("it names no host"))?;
            let server = format!("{host}:{}", url.port().unwrap_or(4222));
            if !address.server.is_empty() {
                address.server.push_str(", ");
            }
            address.server.push_str(&server);
            let plain = |text: &str| {
                let text = percent_decode_str(text).decode_utf8();
                text.map(Into::into)
                    .map_err(|_| wrong("user or password are not UTF-8"))
            };
            if !url.username().is_empty() {
                address.user = Some(plain(url.username())?);
                address.password = url.password().map(plain).transpose()?;
            }
            url.set_username("")
                .and_then(|()| url.set_password(None))
                .map_err(|()| wrong("user and password can't be read"))?;
            let parsed = ServerAddr::from_url(url);
            address
                .servers
                .push(parsed.map_err(|error| NatsError::Address(error.to_string()))?);
        }
        Ok(address)
    }
}

/// What went wrong with a connection.
fn why(error: &async_nats::ConnectError) -> String {
    let plain = match error.kind() {
        ConnectErrorKind::AuthorizationViolation => {
            "it does not accept user and password, or token"
        }
        ConnectErrorKind::TimedOut => "it does not answer in time",
        ConnectErrorKind::Dns => "its name is not known",
        ConnectErrorKind::Tls => "no connection by TLS",
        _ => "no connection",
    };
    match std::error::Error::source(error) {
        Some(source) => format!("{plain} ({source})"),
        None => plain.into(),
    }
}
