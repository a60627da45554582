//! The host that programs use: the built-in games, the user's own files, and this engine with a game's tuned values
//! and its network, if it has them.

use crate::host::{Host, HostError, Thinker};
use engine::network::Network;
use engine::values::Values;
use engine::{Engine, Options};
use games::{Catalogue, LoadError, network_path, values_path};
use husun::Variant;
use std::path::Path;
use std::sync::Arc;
use tablebase::{TableError, Tablebase, Tablebases};

/// Reads a game's file, with the tuned values and the network beside it or inherited, into a catalogue, where a later one with the
/// same id replaces an earlier one. Values or a network that do not fit the game are refused.
pub fn load_game(games: &mut Catalogue, file: &Path) -> Result<Arc<Variant>, HostError> {
    let game = games.read(file).map_err(|e| told(file, e))?;
    if let Some(text) = game.values() {
        Values::parse(game.variant(), text).map_err(|e| HostError {
            file: values_path(file).display().to_string(),
            reason: format!("{e} (values of {})", game.variant().id()),
        })?;
    }
    if let Some(bytes) = game.network() {
        Network::read(game.variant(), bytes).map_err(|e| HostError {
            file: network_path(file).display().to_string(),
            reason: format!("{e} (network of {})", game.variant().id()),
        })?;
    }
    let variant = game.variant().clone();
    games.insert(game);
    Ok(variant)
}

/// A refusal that names its file once, with the line if there is one.
fn told(game_file: &Path, error: LoadError) -> HostError {
    match error {
        LoadError::Game(error) => HostError {
            file: format!("{}:{}", error.file, error.line),
            reason: format!("{}: {}", error.key, error.problem),
        },
        LoadError::Read { file, error } => HostError {
            reason: match file == game_file.display().to_string() {
                true => format!("cannot read the game file: {error}"),
                false => format!("cannot be read: {error}"),
            },
            file,
        },
    }
}

/// The file, or folder, of tables that is refused, and why.
fn refused(error: &TableError) -> HostError {
    HostError {
        file: error.path.display().to_string(),
        reason: error.problem.to_string(),
    }
}

/// Games built in and read from files.
///
/// ```
/// use husun_protocol::{StandardHost, Host};
/// let mut host = StandardHost::default();
/// assert!(host.variant("citadel8").is_some());
/// let error = host.load("/no/such/file.toml").unwrap_err();
/// assert!(error.to_string().starts_with("/no/such/file.toml: "));
/// ```
#[derive(Clone, Default)]
pub struct StandardHost {
    games: Catalogue,
    tables: Option<Arc<Tablebases>>,
    remarks: Option<Remarks>,
}

/// What a program has to say about a game that is read from a file.
pub type Remarks = fn(&Variant) -> Vec<String>;

impl StandardHost {
    /// The host of a catalogue of games.
    pub fn new(games: Catalogue) -> StandardHost {
        StandardHost {
            games,
            tables: None,
            remarks: None,
        }
    }

    /// The same host, whose engines ask tables of perfect play.
    pub fn with_tables(self, tables: Option<Arc<Tablebases>>) -> StandardHost {
        StandardHost { tables, ..self }
    }

    /// The tables of perfect play of a game, if there are some.
    fn tables_of(&self, variant: &Arc<Variant>) -> Result<Option<Arc<Tablebase>>, HostError> {
        let opened = self.tables.as_ref().map(|tables| tables.of(variant));
        opened.unwrap_or(Ok(None)).map_err(|error| refused(&error))
    }

    /// The same host, with remarks about the games that it reads.
    pub fn remarking(self, remarks: Remarks) -> StandardHost {
        StandardHost {
            remarks: Some(remarks),
            ..self
        }
    }
}

impl Host for StandardHost {
    fn ids(&self) -> Vec<String> {
        let mut all: Vec<String> = self.games.ids().map(String::from).collect();
        all.sort();
        all
    }

    fn variant(&self, id: &str) -> Option<Arc<Variant>> {
        self.games.variant(id)
    }

    fn load(&mut self, paths: &str) -> Result<Vec<String>, HostError> {
        let paths = std::env::split_paths(paths).filter(|p| !p.as_os_str().is_empty());
        paths
            .map(|path| Ok(load_game(&mut self.games, &path)?.id().to_owned()))
            .collect()
    }

    fn remarks(&self, id: &str) -> Vec<String> {
        let own = self.games.own().find(|own| own.variant().id() == id);
        let told = own.zip(self.remarks);
        told.map_or_else(Vec::new, |(own, remarks)| remarks(own.variant()))
    }

    fn open_tables(&mut self, folder: &str) -> Result<(), HostError> {
        self.tables = match folder {
            "" => None,
            _ => {
                let tables = Tablebases::new(Path::new(folder)).map_err(|error| refused(&error))?;
                Some(Arc::new(tables))
            }
        };
        Ok(())
    }

    fn check_tables(&self, variant: &Arc<Variant>) -> Result<(), HostError> {
        self.tables_of(variant).map(drop)
    }

    fn lacking_tables(&self, variant: &Arc<Variant>) -> Option<String> {
        let none = self.tables.as_ref()?.lacks(variant)?;
        Some(none.to_string())
    }

    fn thinker(&self, variant: &Arc<Variant>, options: &Options) -> Box<dyn Thinker> {
        let (values, network) = (self.games.values(variant), self.games.network(variant));
        let options = options.clone();
        let mut engine = Engine::tuned(variant.clone(), values, network, options);
        // Tables that cannot be used have been complained about.
        if let Ok(Some(tables)) = self.tables_of(variant) {
            engine.set_endings(Some(tables));
        }
        Box::new(engine)
    }

    /// Three quarters of the memory, if the system tells how much there is.
    fn max_hash(&self) -> usize {
        let told = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
        let total = told.lines().find_map(|line| line.strip_prefix("MemTotal:"));
        let kilobytes = total.and_then(|rest| rest.split_whitespace().next()?.parse().ok());
        let mebibytes = kilobytes.map_or(1 << 14, |k: usize| k / 1024 / 4 * 3);
        mebibytes.clamp(16, engine::MAX_HASH)
    }
}
