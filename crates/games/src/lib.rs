//! The games of Husun, embedded: every folder of `games/` with its definition and, where it has them, its rules for
//! players, lessons, puzzles, and the engine's values and network. Nothing else in the code names a game.

use husun::doc::{GameError, Library};
use husun::variant::Variant;
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

mod catalogue;

use catalogue::Listening;

pub use catalogue::{
    Catalogue, LoadError, OwnGame, UnknownGame, lessons_path, network_path, puzzles_path,
    rules_path, values_path,
};

struct Text {
    id: &'static str,
    game: &'static str,
    rules: Option<&'static str>,
    values: Option<&'static str>,
    network: Option<&'static [u8]>,
    lessons: Option<&'static str>,
    puzzles: Option<&'static str>,
}

const TEXTS: &[Text] = include!(concat!(env!("OUT_DIR"), "/list.rs"));

const ORDER: &str = include_str!("../games/order.txt");

/// The game to play if none is named.
pub const FIRST: &str = "alhusun";

/// The game that other programs mean if they name none.
pub const ORTHODOX: &str = "chess";

/// The built-in games as a library that other games may inherit from.
#[derive(Clone, Copy, Debug, Default)]
pub struct Builtin;

impl Library for Builtin {
    fn game_text(&self, id: &str) -> Option<String> {
        text(id).map(|t| t.game.into())
    }

    fn ids(&self) -> Vec<String> {
        ids().map(String::from).collect()
    }
}

fn text(id: &str) -> Option<&'static Text> {
    TEXTS.iter().find(|t| t.id == id)
}

/// The ids of all built-in games, in alphabetical order.
///
/// ```
/// assert!(husun_games::ids().any(|id| id == "chess"));
/// ```
pub fn ids() -> impl Iterator<Item = &'static str> {
    TEXTS.iter().map(|t| t.id)
}

/// The ids of all built-in games in the order in which people are offered them (`games/order.txt`); games that
/// it leaves out follow.
///
/// ```
/// assert_eq!(husun_games::in_order().next(), Some(husun_games::FIRST));
/// assert_eq!(husun_games::in_order().count(), husun_games::ids().count());
/// ```
pub fn in_order() -> impl Iterator<Item = &'static str> {
    let listed = || ORDER.lines().filter_map(text).map(|t| t.id);
    let others = ids().filter(move |id| !listed().any(|l| l == *id));
    listed().chain(others)
}

/// The built-in game with an id, loaded once.
///
/// ```
/// let chess = husun_games::variant("chess").unwrap();
/// assert_eq!(chess.start().legal_moves().len(), 20);
/// assert!(husun_games::variant("checkers").is_none());
/// ```
pub fn variant(id: &str) -> Option<Arc<Variant>> {
    loaded(id).map(|loaded| loaded.variant)
}

/// The texts of a built-in game: its own, and by id those of the games that it inherits from.
///
/// ```
/// let (text, parents) = husun_games::texts("citadel9").unwrap();
/// assert!(text.contains("citadel9") && parents.values().all(|text| !text.is_empty()));
/// assert!(husun_games::texts("checkers").is_none());
/// ```
pub fn texts(id: &str) -> Option<(&'static str, Arc<BTreeMap<String, String>>)> {
    Some((text(id)?.game, loaded(id)?.parents))
}

#[derive(Clone)]
struct Loaded {
    variant: Arc<Variant>,
    parents: Arc<BTreeMap<String, String>>,
}

fn loaded(id: &str) -> Option<Loaded> {
    static LOADED: LazyLock<Mutex<HashMap<&'static str, Loaded>>> = LazyLock::new(Mutex::default);
    let text = text(id)?;
    let mut all = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(loaded) = all.get(text.id) {
        return Some(loaded.clone());
    }
    let file = format!("{id}/game.toml");
    let library = Listening::new(&Builtin);
    match Variant::parse_with(&file, text.game, &library) {
        Ok(variant) => {
            let parents = Arc::new(library.heard().into_iter().collect());
            let loaded = Loaded { variant, parents };
            all.insert(text.id, loaded.clone());
            Some(loaded)
        }
        // A test loads every game.
        Err(error) => unreachable!("{error}"),
    }
}

/// Reads a user's own game file, which may inherit from a built-in game.
pub fn parse(file: &str, text: &str) -> Result<Arc<Variant>, GameError> {
    Variant::parse_with(file, text, &Builtin)
}

/// The rules of a built-in game for players, in Markdown, if it has some.
pub fn rules(id: &str) -> Option<&'static str> {
    text(id)?.rules
}

/// The lessons of a built-in game about its special rules (`lessons.toml`), if it has some.
pub fn lessons(id: &str) -> Option<&'static str> {
    text(id)?.lessons
}

/// The puzzles of a built-in game (`puzzles.toml`), if it has some.
pub fn puzzles(id: &str) -> Option<&'static str> {
    text(id)?.puzzles
}

/// The texts of a variant, if it is a built-in game and not one from a file with the same id.
fn built_in(variant: &Arc<Variant>) -> Option<&'static Text> {
    let own = self::variant(variant.id())?;
    text(own.id()).filter(|_| Arc::ptr_eq(&own, variant))
}

/// The engine's network for a built-in game, if it has one.
pub fn network(id: &str) -> Option<&'static [u8]> {
    text(id)?.network
}

/// The engine's tuned values for a built-in game, if it has some.
pub fn values(id: &str) -> Option<&'static str> {
    text(id)?.values
}
