//! The host that programs use: the games built in, the user's own files, and this engine with the tuned
//! values of a game that has some.

use crate::host::{Host, HostError, Thinker};
use engine::values::Values;
use engine::{Engine, Options};
use games::Builtin;
use husun::Variant;
use husun::doc::Library;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The file of tuned values that belongs to a game file: beside it, with its name, ending in `.values.toml`.
///
/// ```
/// use std::path::Path;
/// let values = husun_protocol::values_path(Path::new("games/lagoon.toml"));
/// assert_eq!(values, Path::new("games/lagoon.values.toml"));
/// ```
pub fn values_path(game_file: &Path) -> PathBuf {
    game_file.with_extension("values.toml")
}

/// The tuned values of a game read from a file: those of [`values_path`], if that file exists. Values that do not fit
/// the game are refused.
pub fn own_values(variant: &Variant, game_file: &Path) -> Result<Option<Values>, HostError> {
    let path = values_path(game_file);
    let error = |reason: String| HostError {
        file: path.display().to_string(),
        reason,
    };
    match std::fs::read_to_string(&path) {
        Err(e) if e.kind() == ErrorKind::NotFound => Ok(None),
        Err(e) => Err(error(e.to_string())),
        Ok(text) => match Values::parse(variant, &text) {
            Ok(values) => Ok(Some(values)),
            Err(e) => Err(error(format!("{e} (values of {})", variant.id()))),
        },
    }
}

/// A game of the user's own.
#[derive(Clone)]
struct Own {
    variant: Arc<Variant>,
    text: String,
    values: Option<Values>,
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
    own: Vec<Own>,
}

impl Library for StandardHost {
    fn game_text(&self, id: &str) -> Option<String> {
        let own = self.own.iter().find(|own| own.variant.id() == id);
        own.map(|own| own.text.clone())
            .or_else(|| Builtin.game_text(id))
    }

    fn ids(&self) -> Vec<String> {
        Host::ids(self)
    }

    fn reserved(&self, id: &str) -> Option<String> {
        Builtin.game_text(id)
    }
}

impl StandardHost {
    /// Reads a game file, which may inherit from those read before, and the values beside it; a later one of the same
    /// id replaces the earlier.
    pub fn load_file(&mut self, path: &Path) -> Result<String, HostError> {
        let file = path.display().to_string();
        let error = |reason: String| HostError {
            file: file.clone(),
            reason,
        };
        let text = std::fs::read_to_string(path).map_err(|e| error(e.to_string()))?;
        let variant = Variant::parse_with(&file, &text, self).map_err(|e| error(e.to_string()))?;
        let values = own_values(&variant, path)?;
        let id = variant.id().to_owned();
        self.own.retain(|own| own.variant.id() != id);
        self.own.push(Own {
            variant,
            text,
            values,
        });
        Ok(id)
    }
}

impl Host for StandardHost {
    fn ids(&self) -> Vec<String> {
        let own = self.own.iter().map(|own| own.variant.id().to_owned());
        let builtin = games::ids().filter(|&id| !self.own.iter().any(|own| own.variant.id() == id));
        let mut all: Vec<String> = builtin.map(String::from).chain(own).collect();
        all.sort();
        all
    }

    fn variant(&self, id: &str) -> Option<Arc<Variant>> {
        let own = self.own.iter().find(|own| own.variant.id() == id);
        own.map(|own| own.variant.clone())
            .or_else(|| games::variant(id))
    }

    fn load(&mut self, paths: &str) -> Result<Vec<String>, HostError> {
        let paths = std::env::split_paths(paths).filter(|p| !p.as_os_str().is_empty());
        paths.map(|path| self.load_file(&path)).collect()
    }

    fn thinker(&self, variant: &Arc<Variant>, options: &Options) -> Box<dyn Thinker> {
        let own = self.own.iter().find(|o| Arc::ptr_eq(&o.variant, variant));
        let (variant, options) = (variant.clone(), options.clone());
        Box::new(match own.and_then(|own| own.values.clone()) {
            Some(values) => Engine::with_values(variant, values, options),
            None => {
                let built_in = games::values_of(&variant);
                Engine::tuned(variant, built_in, options)
            }
        })
    }

    /// Three quarters of the memory, where the system tells how much there is.
    fn max_hash(&self) -> usize {
        let told = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
        let total = told.lines().find_map(|line| line.strip_prefix("MemTotal:"));
        let kilobytes = total.and_then(|rest| rest.split_whitespace().next()?.parse().ok());
        let mebibytes = kilobytes.map_or(1 << 14, |k: usize| k / 1024 / 4 * 3);
        mebibytes.clamp(16, engine::MAX_HASH)
    }
}
