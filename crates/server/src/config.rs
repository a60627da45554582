//! How a server is set up: a TOML file, with what the command line says before it.

#[cfg(test)]
mod tests;

use crate::engines;
use crate::http::hosts;
use crate::limits::Limits;
use crate::node::PROTOCOL;
use crate::telemetry::TelemetryConfig;
use serde::Deserialize;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

/// A server's settings.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Where to listen. Loopback by default: a proxy with TLS belongs in front of anything else.
    pub listen: SocketAddr,
    /// Folder for the database, the cookies' key and the run's time.
    pub data: PathBuf,
    /// URL of the database, `sqlite://FILE` or `postgres://...`; a file in the data folder if missing.
    pub database: Option<String>,
    /// Threads for the engine, at least two; one a core by default.
    pub engine_threads: usize,
    /// Mebibytes of an engine's table, a thread and game.
    pub engine_hash: usize,
    /// Folder with the tables of perfect play of each game; none are asked if it is missing.
    pub tablebases: Option<PathBuf>,
    /// Whether the lower levels take a natural time to move; without, they move when they have thought, as for measuring.
    pub engine_pause: bool,
    /// Whether a proxy stands in front: addresses are read from `X-Forwarded-For`, cookies go over TLS alone.
    pub behind_proxy: bool,
    /// Origins besides the server's own from which browsers may come, as `https://play.example.org`.
    pub origins: Vec<String>,
    /// Names under which the server may be asked, as `play.example.org`. If there are none: any name, or, where only
    /// this machine can reach the server, numbers, `localhost` and the hosts of `origins`.
    pub hosts: Vec<String>,
    /// Folder with the browser client's files, for those who work on it; the program's own if missing.
    pub client: Option<PathBuf>,
    /// Seconds after a start for which no clock runs: players come back meanwhile.
    pub start_grace_seconds: u32,
    /// Names of the accounts that may make tournaments; all may if it is missing.
    pub tournament_makers: Option<Vec<String>>,
    /// Names of the accounts that may call votes; all may if it is missing.
    pub vote_callers: Option<Vec<String>>,
    /// Whether guests may talk with others who watch a game.
    pub guests_may_chat: bool,
    /// Limits.
    pub limits: Limits,
    /// Notices by push.
    pub push: PushConfig,
    /// Notices by e-mail; none are sent if it is missing.
    pub mail: Option<MailConfig>,
    /// What the server needs to be one of several nodes; it runs alone if it is missing.
    pub node: Option<NodeConfig>,
    /// Workers that do engine jobs on other machines.
    pub workers: WorkersConfig,
    /// Traces.
    pub telemetry: TelemetryConfig,
}

/// Where workers are, for a server that runs alone; those of nodes are where the nodes are.
#[derive(Clone, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct WorkersConfig {
    /// URL of the NATS server, `nats://HOST:PORT`; there are no workers if it is missing.
    pub nats: Option<String>,
    /// What the names of all subjects begin with, so that several clubs can share a NATS server.
    pub prefix: String,
    /// File with the certificates by which the NATS server is known, instead of the system's.
    pub certificates: Option<PathBuf>,
}

impl Default for WorkersConfig {
    fn default() -> WorkersConfig {
        WorkersConfig {
            nats: None,
            prefix: prefix(),
            certificates: None,
        }
    }
}

impl std::fmt::Debug for WorkersConfig {
    /// Without the URL, which may contain a password.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WorkersConfig")
            .field("prefix", &self.prefix)
            .finish_non_exhaustive()
    }
}

impl WorkersConfig {
    /// The way to workers, if there is one.
    pub fn options(&self) -> Option<bus::NatsOptions> {
        let mut options = bus::NatsOptions::new(self.nats.clone()?);
        options.prefix.clone_from(&self.prefix);
        options.certificates.clone_from(&self.certificates);
        Some(options)
    }
}

/// A server as one of several nodes that share a PostgreSQL database and a NATS server.
#[derive(Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NodeConfig {
    /// Its name, which no other node has at the same time.
    pub name: String,
    /// URL of the NATS server, `nats://HOST:PORT`; several of one NATS cluster are separated by commas.
    pub nats: String,
    /// What the names of all subjects begin with, so that several clubs can share a NATS server.
    #[serde(default = "prefix")]
    pub prefix: String,
    /// File with the certificates by which the NATS server is known, instead of the system's.
    #[serde(default)]
    pub certificates: Option<PathBuf>,
    /// Where others find it, for those who operate it; where it listens if missing.
    #[serde(default)]
    pub address: Option<String>,
    /// Folder with the keys that all nodes have in common, `cookie.key` and `push.key`; the data folder if missing.
    #[serde(default)]
    pub keys: Option<PathBuf>,
    /// Seconds after which a node that gives no sign has lost its games.
    #[serde(default = "lease_seconds")]
    pub lease_seconds: u32,
    /// What it speaks with other nodes: in tests a number that is not this program's. No setting.
    #[serde(skip, default = "protocol")]
    pub protocol: i64,
}

impl std::fmt::Debug for NodeConfig {
    /// Without the URL, which may contain a password.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("NodeConfig")
            .field("name", &self.name)
            .field("address", &self.address)
            .field("lease_seconds", &self.lease_seconds)
            .finish_non_exhaustive()
    }
}

fn prefix() -> String {
    "husun".into()
}

fn lease_seconds() -> u32 {
    u32::try_from(store::nodes::LEASE.as_secs()).unwrap_or(3)
}

fn protocol() -> i64 {
    PROTOCOL
}

impl NodeConfig {
    /// A node with a name, and with whatever else is usual.
    pub fn new(name: impl Into<String>, nats: impl Into<String>) -> NodeConfig {
        NodeConfig {
            name: name.into(),
            nats: nats.into(),
            prefix: prefix(),
            certificates: None,
            address: None,
            keys: None,
            lease_seconds: lease_seconds(),
            protocol: PROTOCOL,
        }
    }

    fn check(&self, database: Option<&str>) -> Result<(), ConfigError> {
        let wrong = |key: &str, value: &str, expected: &str| ConfigError::Value {
            key: format!("node.{key}"),
            value: format!("{value:?}"),
            expected: expected.into(),
        };
        let is_name = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        if !(1..=40).contains(&self.name.len()) || !self.name.chars().all(is_name) {
            let expected = "a name of 1 to 40 letters, digits, -, _ and ., which no other node has";
            return Err(wrong("name", &self.name, expected));
        }
        if self.nats.is_empty() {
            let expected = "where the NATS server is, such as \"nats://127.0.0.1:4222\"";
            return Err(wrong("nats", &self.nats, expected));
        }
        if !(2..=60).contains(&self.lease_seconds) {
            let value = self.lease_seconds.to_string();
            return Err(wrong("lease_seconds", &value, "2 to 60"));
        }
        let scheme = database.and_then(|url| url.split(':').next());
        if !matches!(scheme, Some("postgres" | "postgresql")) {
            return Err(ConfigError::NodeDatabase);
        }
        Ok(())
    }
}

/// How notices are pushed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PushConfig {
    /// Whom push services may write to if something is wrong, as `mailto:club@example.org`.
    pub contact: Option<String>,
    /// Whether push services in the own network and without TLS are asked, too: for tests.
    pub allow_private: bool,
}

/// A way to send e-mail.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MailConfig {
    /// The mail server's host.
    pub host: String,
    /// Its port; the usual one of `tls` if missing.
    pub port: Option<u16>,
    /// How the way there is kept secret.
    #[serde(default)]
    pub tls: MailTls,
    /// Name by which it is signed in; it is not if missing.
    pub user: Option<String>,
    /// File with the password.
    pub password_file: Option<PathBuf>,
    /// The sender, as `Chess club <chess@example.org>`.
    pub from: String,
    /// Where people reach this server, as `https://play.example.org`: links in e-mails lead there.
    pub site: String,
    /// E-mails a day for each person.
    #[serde(default = "mails_per_day")]
    pub per_day: u32,
}

fn mails_per_day() -> u32 {
    20
}

/// How the way to a mail server is kept secret.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MailTls {
    /// TLS from the first word on, port 465.
    Tls,
    /// TLS is begun after the greeting, or nothing is sent; port 587.
    #[default]
    Starttls,
    /// Not at all, port 25: for a mail server on the same machine.
    None,
}

impl MailTls {
    /// The usual port.
    pub fn port(self) -> u16 {
        match self {
            MailTls::Tls => 465,
            MailTls::Starttls => 587,
            MailTls::None => 25,
        }
    }
}

impl MailConfig {
    fn checked(&self) -> Result<MailConfig, ConfigError> {
        let wrong = |key: &str, value: &str, expected: &str| ConfigError::Value {
            key: format!("mail.{key}"),
            value: format!("{value:?}"),
            expected: expected.into(),
        };
        if self.host.is_empty() || self.host.contains(char::is_whitespace) {
            return Err(wrong("host", &self.host, "the name of a mail server"));
        }
        if self.from.parse::<lettre::message::Mailbox>().is_err() {
            let expected = "an address, such as \"Chess club <chess@example.org>\"";
            return Err(wrong("from", &self.from, expected));
        }
        let Some(site) = origin(&self.site) else {
            let expected = "where people reach this server, such as \"https://play.example.org\"";
            return Err(wrong("site", &self.site, expected));
        };
        let local = ["localhost", "127.0.0.1", "::1"].contains(&self.host.as_str());
        if self.user.is_some() && self.tls == MailTls::None && !local {
            let expected =
                "\"starttls\" or \"tls\": passwords are never sent unencrypted over a network";
            return Err(wrong("tls", "none", expected));
        }
        if self.user.is_some() != self.password_file.is_some() {
            let user = self.user.clone().unwrap_or_default();
            return Err(wrong("user", &user, "user and password_file, or neither"));
        }
        if !(1..=1000).contains(&self.per_day) {
            return Err(wrong("per_day", &self.per_day.to_string(), "1 to 1000"));
        }
        Ok(MailConfig {
            site,
            ..self.clone()
        })
    }
}

impl Default for Config {
    fn default() -> Config {
        Config {
            listen: SocketAddr::from(([127, 0, 0, 1], 8000)),
            data: PathBuf::from("husun-data"),
            database: None,
            engine_threads: std::thread::available_parallelism()
                .map_or(2, usize::from)
                .max(2),
            engine_hash: 16,
            tablebases: None,
            engine_pause: true,
            behind_proxy: false,
            origins: Vec::new(),
            hosts: Vec::new(),
            client: None,
            start_grace_seconds: 5,
            tournament_makers: None,
            vote_callers: None,
            guests_may_chat: true,
            limits: Limits::default(),
            push: PushConfig::default(),
            mail: None,
            node: None,
            workers: WorkersConfig::default(),
            telemetry: TelemetryConfig::default(),
        }
    }
}

/// Why settings cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("{path}: {error}")]
    Unreadable {
        /// The file.
        path: String,
        /// Why.
        error: std::io::Error,
    },
    /// The file says something that is not understood.
    #[error("{path}: {error}")]
    Wrong {
        /// The file.
        path: String,
        /// What, with its line.
        error: toml::de::Error,
    },
    /// A value that makes no sense.
    #[error("{key} = {value}: expected {expected}")]
    Value {
        /// The key in the file.
        key: String,
        /// What it says.
        value: String,
        /// What it may say.
        expected: String,
    },
    /// A node without a database that several can use.
    #[error(
        "node: several nodes need a PostgreSQL database, which all of them use: expected database = \"postgres://USER@HOST/NAME\""
    )]
    NodeDatabase,
}

/// Whether a name is among those whom the operator has named, if there are such: else everybody's is.
pub(crate) fn is_among(named: &Option<Vec<String>>, name: &str) -> bool {
    let among = |names: &Vec<String>| names.iter().any(|n| n.eq_ignore_ascii_case(name));
    named.as_ref().is_none_or(among)
}

/// Threads of the engine at most: beyond that it is a slip of the keyboard.
const MAX_THREADS: usize = 1024;
/// What a limit may be at most; 0 lifts it.
const MAX_LIMIT: u32 = 10_000_000;

impl Config {
    /// Reads a file.
    pub fn read(path: &Path) -> Result<Config, ConfigError> {
        let name = path.display().to_string();
        let text = std::fs::read_to_string(path).map_err(|error| ConfigError::Unreadable {
            path: name.clone(),
            error,
        })?;
        toml::from_str(&text).map_err(|error| ConfigError::Wrong { path: name, error })
    }

    /// Settings that make sense, with origins and hosts as browsers write them.
    pub fn checked(&self) -> Result<Config, ConfigError> {
        let wrong = |key: &str, value: String, expected: String| ConfigError::Value {
            key: key.into(),
            value,
            expected,
        };
        if !(2..=MAX_THREADS).contains(&self.engine_threads) {
            let expected =
                format!("2 to {MAX_THREADS}; one never analyses, so that games can go on");
            let value = self.engine_threads.to_string();
            return Err(wrong("engine_threads", value, expected));
        }
        let tables = self.engine_threads * engines::KEPT;
        let most = memory_mebibytes() / tables;
        if !(1..=most).contains(&self.engine_hash) {
            let expected = format!(
                "1 to {most} mebibytes: there are {tables} tables, {} for each of {} threads, and this machine's \
                 memory must hold them all",
                engines::KEPT,
                self.engine_threads
            );
            return Err(wrong("engine_hash", self.engine_hash.to_string(), expected));
        }
        let percent = self.telemetry.percent;
        if !(1..=100).contains(&percent) {
            return Err(wrong(
                "telemetry.percent",
                percent.to_string(),
                "1 to 100".into(),
            ));
        }
        for (key, value) in self.limits.named() {
            if value > MAX_LIMIT {
                let expected = format!("at most {MAX_LIMIT}, or 0 for no limit");
                return Err(wrong(&format!("limits.{key}"), value.to_string(), expected));
            }
        }
        let origins = self.origins.iter().map(|text| {
            let expected = "an origin, as \"https://play.example.org\": a scheme, a host, a port if it is \
                not the usual one, and nothing else";
            origin(text).ok_or_else(|| wrong("origins", format!("{text:?}"), expected.into()))
        });
        let hosts = self.hosts.iter().map(|text| {
            let expected = "a host name without a port, such as \"play.example.org\"";
            host(text).ok_or_else(|| wrong("hosts", format!("{text:?}"), expected.into()))
        });
        if let Some(contact) = &self.push.contact
            && !(contact.starts_with("mailto:") || contact.starts_with("https://"))
        {
            let expected = "an address for push services, such as \"mailto:club@example.org\"";
            return Err(wrong(
                "push.contact",
                format!("{contact:?}"),
                expected.into(),
            ));
        }
        if let Some(node) = &self.node {
            node.check(self.database.as_deref())?;
            if self.workers.nats.is_some() {
                let expected = "no such key beside [node]: the nodes' own NATS server is where their workers are";
                return Err(wrong("workers.nats", "...".into(), expected.into()));
            }
        }
        Ok(Config {
            mail: self.mail.as_ref().map(MailConfig::checked).transpose()?,
            origins: origins.collect::<Result<_, _>>()?,
            hosts: hosts.collect::<Result<_, _>>()?,
            ..self.clone()
        })
    }

    /// Folder with the keys that sign cookies and notices.
    pub fn keys(&self) -> &Path {
        let own = self.node.as_ref().and_then(|node| node.keys.as_deref());
        own.unwrap_or(&self.data)
    }

    /// URL of the database.
    pub fn database_url(&self) -> String {
        match &self.database {
            Some(url) => url.clone(),
            None => format!(
                "sqlite://{}?mode=rwc",
                self.data.join(store::backup::DATABASE).display()
            ),
        }
    }
}

/// Memory of the machine, or what of it this process may use, in mebibytes. A system that does not tell is trusted.
fn memory_mebibytes() -> usize {
    let kind = sysinfo::MemoryRefreshKind::nothing().with_ram();
    let kinds = sysinfo::RefreshKind::nothing().with_memory(kind);
    let Ok(system) = sysinfo::System::new_with_specifics(kinds) else {
        return usize::MAX;
    };
    let all = system.total_memory();
    let limits = system.cgroup_limits();
    let bytes = limits.map_or(all, |limits| limits.total_memory.min(all));
    match usize::try_from(bytes >> 20) {
        Ok(mebibytes) if mebibytes > 0 => mebibytes,
        _ => usize::MAX,
    }
}

/// An origin as browsers write it.
fn origin(text: &str) -> Option<String> {
    let url = url::Url::parse(text).ok()?;
    let bare = matches!(url.scheme(), "http" | "https")
        && url.path() == "/"
        && url.query().is_none()
        && url.fragment().is_none()
        && url.username().is_empty()
        && url.password().is_none();
    bare.then(|| url.origin().ascii_serialization())
}

/// A host's name as browsers write it.
fn host(text: &str) -> Option<String> {
    let url = url::Url::parse(&format!("http://{text}/")).ok()?;
    let bare = url.port().is_none()
        && url.path() == "/"
        && url.username().is_empty()
        && !text.contains([':', '/', '?', '#', '@'])
        || text.starts_with('[');
    let name = hosts::bare(url.host_str()?)?.0;
    bare.then_some(name)
}
