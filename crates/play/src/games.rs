//! The games that a server plays: those of its catalogue, and those from earlier files whose games are still going on.
//! A game from a file is named by its id and a hash of its text, `lagoon_0f1e2d3c4b5a6978`, so that a game under way
//! keeps the rules with which it began.

use crate::customs::{self, Family};
use ::games::{Catalogue, UnknownGame};
use husun::Variant;
use husun::doc::{GameError, Library};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;
use std::sync::{Arc, LazyLock, PoisonError, RwLock};

/// Separates an id from the hash of the text; no id contains it.
const PARTS: char = '_';

/// Replaces the hash for a built-in game if a file has taken its id.
const BUILT_IN: &str = "builtin";

/// Bytes of the text's hash that the name shows.
const SHOWN: usize = 8;

/// The text of a game read from a file, with everything it inherits from: what must be kept so that its games can go
/// on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition {
    /// The game's name, such as `lagoon_0f1e2d3c4b5a6978`.
    pub name: String,
    /// The texts, as JSON.
    pub texts: String,
}

/// What the engine plays a game of a file by, besides its rules. Neither is checked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tuning {
    /// The text of its values.
    pub values: Option<String>,
    /// Its network.
    pub network: Option<Vec<u8>>,
}

/// The contents of [`Definition::texts`].
#[derive(Serialize, Deserialize)]
struct Texts {
    game: String,
    parents: BTreeMap<String, String>,
}

impl Texts {
    fn to_text(&self) -> String {
        // Only texts: everything in them can be written as JSON.
        serde_json::to_string(self).unwrap_or_default()
    }
}

impl Library for Texts {
    fn game_text(&self, id: &str) -> Option<String> {
        self.parents.get(id).cloned()
    }

    fn ids(&self) -> Vec<String> {
        self.parents.keys().cloned().collect()
    }
}

/// Why a stored definition cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum KeptError {
    /// Its texts do not match its name.
    #[error("definition {0}: its texts are not those that it was kept with")]
    Sum(String),
    /// Not JSON, or with other keys.
    #[error("definition {0}: {1}")]
    Json(String, serde_json::Error),
    /// This version of the program does not understand it.
    #[error("definition {0}: {1}")]
    Game(String, Box<GameError>),
}

/// The games that can be played.
#[derive(Debug)]
pub struct Games {
    catalogue: Catalogue,
    families: Vec<Arc<Family>>,
    /// Those of the catalogue that were read from files.
    own: Vec<(Definition, Arc<Variant>)>,
    /// Those loaded from storage.
    kept: RwLock<HashMap<String, (Definition, Arc<Variant>)>>,
    /// What the engine plays games of files by, as far as they have something, by their names.
    tunings: RwLock<HashMap<String, Arc<Tuning>>>,
}

impl Default for Games {
    fn default() -> Games {
        Games::new(Catalogue::default())
    }
}

impl Games {
    /// The games of a catalogue.
    pub fn new(catalogue: Catalogue) -> Games {
        let own = catalogue.own().map(|own| {
            let texts = Texts {
                game: own.text().to_owned(),
                parents: own.parents().clone(),
            };
            let texts = texts.to_text();
            let name = format!("{}{PARTS}{}", own.variant().id(), sum(&texts));
            (Definition { name, texts }, own.variant().clone())
        });
        let own: Vec<(Definition, Arc<Variant>)> = own.collect();
        let tuned = own.iter().filter_map(|(definition, variant)| {
            let own = catalogue.own_of(variant)?;
            let tuning = Tuning {
                values: own.values().map(Into::into),
                network: own.network().map(Into::into),
            };
            (tuning != Tuning::default()).then(|| (definition.name.clone(), Arc::new(tuning)))
        });
        Games {
            tunings: RwLock::new(tuned.collect()),
            own,
            families: customs::families(),
            kept: RwLock::default(),
            catalogue,
        }
    }

    /// What the engine plays the game of a file by, by its stored name.
    pub fn tuning(&self, name: &str) -> Option<Arc<Tuning>> {
        let tunings = self.tunings.read().unwrap_or_else(PoisonError::into_inner);
        tunings.get(name).cloned()
    }

    /// Has the engine play a known game of a file by this, unless it has something already.
    pub fn tune(&self, name: &str, tuning: Tuning) {
        if name.contains(PARTS) && self.stored(name).is_some() {
            let mut tunings = self.tunings.write().unwrap_or_else(PoisonError::into_inner);
            tunings
                .entry(name.into())
                .or_insert_with(|| Arc::new(tuning));
        }
    }

    /// The catalogue.
    pub fn catalogue(&self) -> &Catalogue {
        &self.catalogue
    }

    /// Families of games among which players choose by customs.
    pub fn families(&self) -> &[Arc<Family>] {
        &self.families
    }

    /// The family with a name.
    pub fn family(&self, name: &str) -> Option<&Arc<Family>> {
        self.families.iter().find(|f| f.name == name)
    }

    /// The game that someone names, by its id or its [`Games::shown`] name.
    pub fn find(&self, name: &str) -> Result<Arc<Variant>, UnknownGame> {
        match name.contains(PARTS).then(|| self.stored(name)).flatten() {
            Some(variant) => Ok(variant),
            None => self.catalogue.game(name),
        }
    }

    /// The game with a stored name ([`Games::name`]): a built-in one, or a known one from a file.
    pub fn stored(&self, name: &str) -> Option<Arc<Variant>> {
        let Some((id, text)) = name.split_once(PARTS) else {
            return ::games::variant(name);
        };
        if text == BUILT_IN {
            return ::games::variant(id);
        }
        let own = self.own.iter().find(|(d, _)| d.name == name);
        own.map(|(_, variant)| variant.clone()).or_else(|| {
            let kept = self.kept.read().unwrap_or_else(PoisonError::into_inner);
            kept.get(name).map(|(_, variant)| variant.clone())
        })
    }

    /// The name under which a game is stored: its id, and the hash of its text for one from a file.
    pub fn name(&self, variant: &Arc<Variant>) -> String {
        if let Some(definition) = self.definition(variant) {
            return definition.name.clone();
        }
        let kept = self.kept.read().unwrap_or_else(PoisonError::into_inner);
        let kept = kept.iter().find(|(_, (_, v))| Arc::ptr_eq(v, variant));
        kept.map_or(variant.id().to_owned(), |(name, _)| name.clone())
    }

    /// The name by which people find a game: its id, as long as that still refers to this game.
    pub fn shown(&self, name: &str) -> String {
        let id = name.split(PARTS).next().unwrap_or(name);
        let (meant, known) = (self.catalogue.variant(id), self.stored(name));
        match (meant, known) {
            (Some(meant), Some(known)) if Arc::ptr_eq(&meant, &known) => id.to_owned(),
            // The file that took the id does not count.
            (Some(_), _) if name == id => format!("{id}{PARTS}{BUILT_IN}"),
            _ => name.to_owned(),
        }
    }

    /// What must be stored of a game that was read from a file.
    pub fn definition(&self, variant: &Arc<Variant>) -> Option<&Definition> {
        let own = self.own.iter().find(|(_, v)| Arc::ptr_eq(v, variant));
        own.map(|(definition, _)| definition)
    }

    /// The definition with a stored name, of a known game that was read from a file.
    pub fn defined(&self, name: &str) -> Option<Definition> {
        let own = self.own.iter().find(|(d, _)| d.name == name);
        own.map(|(definition, _)| definition.clone()).or_else(|| {
            let kept = self.kept.read().unwrap_or_else(PoisonError::into_inner);
            kept.get(name).map(|(definition, _)| definition.clone())
        })
    }

    /// The hash of what a stored name's game is defined by, its text and what it inherits from: programs that agree on
    /// it have the same rules.
    pub fn hash(&self, name: &str) -> Option<String> {
        static BUILT_IN_SUMS: LazyLock<RwLock<HashMap<String, String>>> =
            LazyLock::new(RwLock::default);
        let id = match name.split_once(PARTS) {
            Some((id, BUILT_IN)) => id,
            Some((_, sum)) => return self.stored(name).map(|_| sum.to_owned()),
            None => name,
        };
        let known = BUILT_IN_SUMS.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(sum) = known.get(id) {
            return Some(sum.clone());
        }
        drop(known);
        let (game, parents) = ::games::texts(id)?;
        let texts = Texts {
            game: game.to_owned(),
            parents: BTreeMap::clone(&parents),
        };
        let sum = sum(&texts.to_text());
        let mut known = BUILT_IN_SUMS
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        known.insert(id.to_owned(), sum.clone());
        Some(sum)
    }

    /// Whether a stored name belongs to a game that must be fetched from storage first.
    pub fn is_missing(&self, name: &str) -> bool {
        name.contains(PARTS) && self.stored(name).is_none()
    }

    /// Loads a game from its stored definition.
    pub fn keep(&self, definition: &Definition) -> Result<Arc<Variant>, KeptError> {
        let name = || definition.name.clone();
        let said = definition.name.split_once(PARTS).map(|(_, sum)| sum);
        if said != Some(sum(&definition.texts).as_str()) {
            return Err(KeptError::Sum(name()));
        }
        let texts: Texts =
            serde_json::from_str(&definition.texts).map_err(|e| KeptError::Json(name(), e))?;
        let variant = Variant::parse_with(&definition.name, &texts.game, &texts);
        let variant = variant.map_err(|e| KeptError::Game(name(), Box::new(e)))?;
        let mut kept = self.kept.write().unwrap_or_else(PoisonError::into_inner);
        let kept = kept.entry(name());
        let (_, variant) = kept.or_insert_with(|| (definition.clone(), variant));
        Ok(variant.clone())
    }
}

/// The beginning of a text's SHA-256, in hexadecimal.
fn sum(text: &str) -> String {
    let sum = Sha256::digest(text);
    sum[..SHOWN].iter().fold(String::new(), |mut text, byte| {
        // Writing to a string does not fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::error::Error;
    use std::path::Path;

    fn examples() -> Result<Catalogue, Box<dyn Error>> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/examples");
        let mut games = Catalogue::default();
        for file in ["lagoon.toml", "citadel-mirror.toml"] {
            games.insert(games.read(&folder.join(file))?);
        }
        Ok(games)
    }

    #[test]
    fn a_game_of_a_file_goes_on_without_its_file() -> Result<(), Box<dyn Error>> {
        let with = Games::new(examples()?);
        let without = Games::default();
        for own in with.catalogue().own() {
            let variant = own.variant();
            let name = with.name(variant);
            assert_eq!(with.shown(&name), variant.id());
            assert!(Arc::ptr_eq(&with.find(variant.id())?, variant));
            assert!(!with.is_missing(&name) && without.is_missing(&name));
            assert!(without.find(&name).is_err());

            let definition = with.definition(variant).ok_or("no definition")?;
            let again = without.keep(definition)?;
            assert_eq!(without.defined(&name).as_ref(), Some(definition));
            assert_eq!(again.start().fen(), variant.start().fen());
            assert_eq!(without.name(&again), name);
            assert_eq!(without.shown(&name), name);
            assert!(Arc::ptr_eq(&without.find(&name)?, &again));
        }
        Ok(())
    }

    #[test]
    fn what_was_kept_is_what_was_meant() -> Result<(), Box<dyn Error>> {
        let games = Games::new(examples()?);
        let own = games.catalogue().own().next().ok_or("no game")?;
        let mut definition = games.definition(own.variant()).ok_or("none")?.clone();
        definition.texts = definition.texts.replacen("ranks", "ranks ", 1);
        let error = Games::default().keep(&definition);
        assert!(matches!(error, Err(KeptError::Sum(_))));
        Ok(())
    }

    #[test]
    fn a_hash_says_which_rules_a_name_stands_for() -> Result<(), Box<dyn Error>> {
        let games = Games::new(examples()?);
        let mut seen = HashMap::new();
        for id in ::games::ids() {
            let hash = games.hash(id).ok_or("no hash")?;
            assert_eq!(games.hash(id).as_ref(), Some(&hash));
            assert_eq!(
                games.hash(&format!("{id}{PARTS}{BUILT_IN}")).as_ref(),
                Some(&hash)
            );
            assert_eq!(seen.insert(hash, id), None, "{id}");
        }
        let own = games.find("lagoon")?;
        let name = games.name(&own);
        assert!(games.hash(&name).is_some_and(|hash| name.ends_with(&hash)));
        assert_eq!(Games::default().hash(&name), None, "its text is not there");
        assert_eq!(games.hash("checkers"), None);
        // What a game inherits from belongs to what it is.
        let (game, parents) = ::games::texts("citadelir2020-drawn").ok_or("no game")?;
        assert!(!parents.is_empty(), "{game}");
        Ok(())
    }

    /// A definition whose name matches its texts, whatever they say.
    fn sound(texts: &str) -> Definition {
        Definition {
            name: format!("own{PARTS}{}", sum(texts)),
            texts: texts.to_owned(),
        }
    }

    #[test]
    fn what_is_no_game_any_more_is_told_with_its_place() {
        let texts = r#"{"game": "id = \"own\"\n[board]\nfiles = 99\n", "parents": {}}"#;
        let error = Games::default().keep(&sound(texts));
        assert!(matches!(error, Err(KeptError::Game(..))), "{error:?}");
        let told = error.map(|_| ()).map_err(|e| e.to_string());
        let name = sound(texts).name;
        let wanted = format!("definition {name}: {name}:2: [board]: the key `ranks` is missing");
        assert_eq!(told, Err(wanted));
        let error = Games::default().keep(&sound("{}"));
        assert!(matches!(error, Err(KeptError::Json(..))), "{error:?}");
    }

    #[test]
    fn a_picture_is_kept_with_its_game() -> Result<(), Box<dyn Error>> {
        let folder = std::env::temp_dir().join(format!("husun-picture-{}", std::process::id()));
        std::fs::create_dir_all(&folder)?;
        let file = folder.join("own.toml");
        let text = "id = \"own\"\ninherits = \"chess\"\n[[pieces]]\nletter = \"Q\"\npicture = \"queen.svg\"\n";
        std::fs::write(&file, text)?;
        let svg = "<svg viewBox='0 0 100 100'>\n<path class='body' d='M1 2L3 4Z'/></svg>";
        std::fs::write(folder.join("queen.svg"), svg)?;
        let mut catalogue = Catalogue::default();
        catalogue.insert(catalogue.read(&file)?);
        std::fs::remove_dir_all(&folder)?;
        let with = Games::new(catalogue);
        let own = with.find("own")?;
        let definition = with.definition(&own).ok_or("no definition")?;
        let again = Games::default().keep(definition)?;
        let queen = again.piece(again.kind('Q').ok_or("no Queen")?);
        assert_eq!(
            queen.drawing.as_ref().map(|d| d.body.as_str()),
            Some("M1 2L3 4Z")
        );
        Ok(())
    }

    #[test]
    fn a_file_that_replaces_a_built_in_game_leaves_its_games_alone() -> Result<(), Box<dyn Error>> {
        let folder = std::env::temp_dir().join(format!("husun-replaces-{}", std::process::id()));
        std::fs::create_dir_all(&folder)?;
        let file = folder.join("chess.toml");
        let text = "id = \"chess\"\nreplaces = true\ninherits = \"chess\"\nname = \"My chess\"\n";
        std::fs::write(&file, text)?;
        let mut catalogue = Catalogue::default();
        catalogue.insert(catalogue.read(&file)?);
        std::fs::remove_dir_all(&folder)?;
        let games = Games::new(catalogue);
        assert_eq!(games.find("chess")?.name(), "My chess");
        let built_in = games.stored("chess").ok_or("no chess")?;
        assert_ne!(built_in.name(), "My chess");
        let shown = games.shown("chess");
        assert!(Arc::ptr_eq(&games.find(&shown)?, &built_in), "{shown}");
        Ok(())
    }
}
