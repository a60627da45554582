//! How a server is set up: a TOML file, with what the command line says before it.

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
    /// Whether a proxy stands in front: addresses are read from `X-Forwarded-For`, cookies go over TLS alone.
    pub behind_proxy: bool,
    /// Origins besides the server's own from which browsers may come, as `https://play.example.org`.
    pub origins: Vec<String>,
    /// Folder with the browser client's files, for those who work on it; the program's own if missing.
    pub client: Option<PathBuf>,
    /// Seconds after a start for which no clock runs: players come back meanwhile.
    pub start_grace_seconds: u32,
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
            behind_proxy: false,
            origins: Vec::new(),
            client: None,
            start_grace_seconds: 5,
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
}

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

    /// URL of the database.
    pub fn database_url(&self) -> String {
        match &self.database {
            Some(url) => url.clone(),
            None => format!(
                "sqlite://{}?mode=rwc",
                self.data.join(crate::backup::DATABASE).display()
            ),
        }
    }
}
