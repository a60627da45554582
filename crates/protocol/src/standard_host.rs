//! The host that programs use: the games built in, the user's own files, and this engine with the tuned
//! values of a game that has some.

use crate::host::{Host, HostError, Thinker};
use engine::{Engine, Options};
use games::Builtin;
use husun::Variant;
use husun::doc::Library;
use std::path::Path;
use std::sync::Arc;

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
    own: Vec<(Arc<Variant>, String)>,
}

impl Library for StandardHost {
    fn game_text(&self, id: &str) -> Option<String> {
        let own = self.own.iter().find(|(variant, _)| variant.id() == id);
        own.map(|(_, text)| text.clone())
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
    /// Reads a game file, which may inherit from those read before; a later one of the same id
    /// replaces the earlier.
    pub fn load_file(&mut self, path: &Path) -> Result<String, HostError> {
        let file = path.display().to_string();
        let error = |reason: String| HostError {
            file: file.clone(),
            reason,
        };
        let text = std::fs::read_to_string(path).map_err(|e| error(e.to_string()))?;
        let variant = Variant::parse_with(&file, &text, self).map_err(|e| error(e.to_string()))?;
        let id = variant.id().to_owned();
        self.own.retain(|(known, _)| known.id() != id);
        self.own.push((variant, text));
        Ok(id)
    }
}

impl Host for StandardHost {
    fn ids(&self) -> Vec<String> {
        let own = self.own.iter().map(|(variant, _)| variant.id().to_owned());
        let builtin = games::ids().filter(|&id| !self.own.iter().any(|(v, _)| v.id() == id));
        let mut all: Vec<String> = builtin.map(String::from).chain(own).collect();
        all.sort();
        all
    }

    fn variant(&self, id: &str) -> Option<Arc<Variant>> {
        let own = self.own.iter().find(|(variant, _)| variant.id() == id);
        own.map(|(variant, _)| variant.clone())
            .or_else(|| games::variant(id))
    }

    fn load(&mut self, paths: &str) -> Result<Vec<String>, HostError> {
        let paths = std::env::split_paths(paths).filter(|p| !p.as_os_str().is_empty());
        paths.map(|path| self.load_file(&path)).collect()
    }

    fn thinker(&self, variant: &Arc<Variant>, options: &Options) -> Box<dyn Thinker> {
        let values = games::values_of(variant);
        Box::new(Engine::tuned(variant.clone(), values, options.clone()))
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
