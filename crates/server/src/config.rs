//! How a server is set up: a TOML file, with what the command line says before it.

use crate::engines;
use crate::http::hosts;
use crate::limits::Limits;
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
            let expected = format!("2 to {MAX_THREADS}; one never analyses, so that games go on");
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
            let expected = "a host's name without a port, as \"play.example.org\"";
            host(text).ok_or_else(|| wrong("hosts", format!("{text:?}"), expected.into()))
        });
        Ok(Config {
            origins: origins.collect::<Result<_, _>>()?,
            hosts: hosts.collect::<Result<_, _>>()?,
            ..self.clone()
        })
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

#[cfg(test)]
mod tests {
    use super::*;

    type Tested = Result<(), Box<dyn std::error::Error>>;

    fn told(change: impl FnOnce(&mut Config)) -> Result<String, &'static str> {
        let mut config = Config::default();
        change(&mut config);
        let error = config.checked().err().ok_or("taken")?;
        Ok(error.to_string())
    }

    #[test]
    fn what_makes_no_sense_is_told_at_the_start() -> Tested {
        Config::default().checked()?;
        for (text, word) in [
            (
                told(|c| c.engine_hash = 0)?,
                "engine_hash = 0: expected 1 to ",
            ),
            (
                told(|c| c.engine_hash = 1 << 40)?,
                "memory must hold them all",
            ),
            (
                told(|c| c.engine_hash = usize::MAX)?,
                "memory must hold them all",
            ),
            (
                told(|c| c.engine_threads = 0)?,
                "engine_threads = 0: expected 2 to 1024",
            ),
            (
                told(|c| c.engine_threads = 1_000_000)?,
                "expected 2 to 1024",
            ),
            (
                told(|c| c.limits.requests_per_second = u32::MAX)?,
                "limits.requests_per_second = 4294967295: expected at most 10000000, or 0",
            ),
            (
                told(|c| c.limits.live_games = 1 << 31)?,
                "limits.live_games",
            ),
            (
                told(|c| c.origins = vec!["play.example.org".into()])?,
                "an origin, as",
            ),
            (
                told(|c| c.origins = vec!["https://a.example/x".into()])?,
                "an origin, as",
            ),
            (
                told(|c| c.origins = vec!["ftp://a.example".into()])?,
                "an origin, as",
            ),
            (told(|c| c.origins = vec!["*".into()])?, "origins = \"*\""),
            (
                told(|c| c.hosts = vec!["https://a.example".into()])?,
                "a host's name",
            ),
            (
                told(|c| c.hosts = vec!["a.example:80".into()])?,
                "without a port",
            ),
            (told(|c| c.hosts = vec!["".into()])?, "a host's name"),
        ] {
            assert!(text.contains(word), "{text}");
        }
        Ok(())
    }

    #[test]
    fn origins_and_hosts_are_written_as_browsers_do() -> Tested {
        let config = Config {
            origins: [
                "https://Play.Example.org/",
                "http://a.example:80",
                "http://a.example:8080",
            ]
            .map(Into::into)
            .into(),
            hosts: ["Play.Example.org", "[2001:DB8::1]"].map(Into::into).into(),
            ..Config::default()
        };
        let config = config.checked()?;
        let origins = [
            "https://play.example.org",
            "http://a.example",
            "http://a.example:8080",
        ];
        assert_eq!(config.origins, origins);
        assert_eq!(config.hosts, ["play.example.org", "[2001:db8::1]"]);
        Ok(())
    }
}
