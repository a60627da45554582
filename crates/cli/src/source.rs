//! Where games come from: those built in, and the user's own files, which are known by their ids in
//! the same way and may inherit from both.

use anyhow::{Context, Result, anyhow};
use engine::values::Values;
use engine::{Engine, Options};
use games::Builtin;
use husun::Variant;
use husun::doc::Library;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// All games that this run of the program knows.
#[derive(Default)]
pub struct Source {
    user: Vec<Own>,
}

/// A game of the user's own.
struct Own {
    variant: Arc<Variant>,
    text: String,
    file: PathBuf,
    /// Tuned values, where there is a file of them beside the game's.
    values: Option<Values>,
}

/// The likeness of two words from which on one is offered for the other.
const ALIKE: f64 = 0.75;

impl Library for Source {
    fn game_text(&self, id: &str) -> Option<String> {
        let own = self.user.iter().find(|own| own.variant.id() == id);
        own.map(|own| own.text.clone())
            .or_else(|| Builtin.game_text(id))
    }

    fn ids(&self) -> Vec<String> {
        Source::ids(self)
    }

    fn reserved(&self, id: &str) -> Option<String> {
        Builtin.game_text(id)
    }
}

impl Source {
    /// The games built in alone.
    #[cfg(test)]
    pub const NONE: Source = Source { user: Vec::new() };

    /// Reads the user's own games, each of which may inherit from those before it, with the values beside them.
    pub fn load(files: &[PathBuf]) -> Result<Source> {
        let mut source = Source::default();
        for file in files {
            let name = file.display().to_string();
            let text = fs::read_to_string(file)
                .with_context(|| format!("{name}: cannot read the game file"))?;
            let variant = Variant::parse_with(&name, &text, &source)?;
            if source
                .user
                .iter()
                .any(|own| own.variant.id() == variant.id())
            {
                return Err(anyhow!(
                    "{name}: a second game with the id `{}`",
                    variant.id()
                ));
            }
            for warning in missing_pictures(&variant) {
                eprintln!("husun: {name}: {warning}");
            }
            source.user.push(Own {
                values: protocol::own_values(&variant, file)?,
                variant,
                text,
                file: file.clone(),
            });
        }
        Ok(source)
    }

    /// Ids of all games, the user's own first.
    pub fn ids(&self) -> Vec<String> {
        let own = self.user.iter().map(|own| own.variant.id().to_owned());
        let builtin = games::ids().filter(|id| !self.is_own(id)).map(String::from);
        own.chain(builtin).collect()
    }

    /// All games, the user's own first.
    pub fn games(&self) -> Vec<Arc<Variant>> {
        let ids = self.ids();
        ids.iter().filter_map(|id| self.by_id(id)).collect()
    }

    /// Whether the id is that of a game of the user's own.
    pub fn is_own(&self, id: &str) -> bool {
        self.user.iter().any(|own| own.variant.id() == id)
    }

    /// A game of the user's own, if it is one.
    fn own(&self, variant: &Arc<Variant>) -> Option<&Own> {
        let mut all = self.user.iter();
        all.find(|own| Arc::ptr_eq(&own.variant, variant))
    }

    /// The file that a game of the user's own was read from.
    pub fn file(&self, variant: &Arc<Variant>) -> Option<&Path> {
        self.own(variant).map(|own| own.file.as_path())
    }

    /// An engine for a game, with its tuned values if it has some.
    pub fn engine(&self, variant: &Arc<Variant>, options: Options) -> Engine {
        match self.own(variant).and_then(|own| own.values.clone()) {
            Some(values) => Engine::with_values(variant.clone(), values, options),
            None => Engine::tuned(variant.clone(), games::values_of(variant), options),
        }
    }

    fn by_id(&self, id: &str) -> Option<Arc<Variant>> {
        let own = self.user.iter().find(|own| own.variant.id() == id);
        own.map(|own| own.variant.clone())
            .or_else(|| games::variant(id))
    }

    /// The game of an id.
    pub fn variant(&self, id: &str) -> Result<Arc<Variant>> {
        self.by_id(id).ok_or_else(|| {
            let ids = self.ids();
            let guess = closest(id, ids.iter().map(String::as_str));
            let guess = guess.map_or(String::new(), |g| format!("did you mean `{g}`? "));
            let id: String = id.chars().take(40).collect();
            anyhow!(
                "unknown game `{id}`: {guess}expected one of {}",
                ids.join(", ")
            )
        })
    }

    /// The game of an id, a name or an alias, whatever its capitals: what a PGN's `Variant` tag says. An empty text
    /// stands for the orthodox game.
    pub fn find(&self, name: &str) -> Option<Arc<Variant>> {
        let name = match name.trim() {
            "" => games::ORTHODOX,
            name => name,
        };
        let own = self.by_id(name);
        own.or_else(|| self.games().into_iter().find(|v| v.is_called(name)))
    }
}

/// Pieces whose picture there is none: a letter is drawn instead.
fn missing_pictures(variant: &Variant) -> Vec<String> {
    let is_missing = |image: &str| !image.is_empty() && render::images::find(image).is_none();
    let pieces = variant.pieces().iter().filter(|p| is_missing(&p.image));
    let names: Vec<&str> = render::images::all().iter().map(|i| i.name).collect();
    let names = names.join(", ");
    pieces
        .map(|p| {
            let (letter, image) = (p.letter, &p.image);
            format!("pieces.{letter}.image: there is no picture `{image}`, a letter is drawn: expected one of {names}")
        })
        .collect()
}

/// The word of a list that is most like the given one, if it is alike enough.
pub fn closest<'a>(word: &str, list: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let word = word.to_lowercase();
    list.map(|known| (strsim::jaro_winkler(&word, known), known))
        .filter(|(likeness, _)| *likeness >= ALIKE)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, known)| known)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_all_kinds() {
        let source = Source::default();
        for (name, id) in [
            ("Capablanca", Some("capablanca")),
            ("citadel - 8 ranks", Some("citadel8")),
            ("CITADEL8", Some("citadel8")),
            ("Shatranj al-husun", Some("alhusun")),
            ("Standard", Some("chess")),
            ("From Position", Some("chess")),
            ("Chess", Some("chess")),
            ("Capablanca Chess", Some("capablanca")),
            ("grand chess", Some("grand")),
            ("Shatranj", Some("shatranj")),
            ("checkers", None),
        ] {
            assert_eq!(source.find(name).map(|v| v.id().to_owned()).as_deref(), id);
        }
    }

    #[test]
    fn an_unknown_game_is_answered_with_a_guess() {
        let error = Source::default()
            .variant("citadl8")
            .unwrap_err()
            .to_string();
        assert!(error.starts_with("unknown game `citadl8`: did you mean `citadel8`? expected"));
    }
}
