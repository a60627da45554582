//! The games that a program offers: the built-in ones and those read from files. Command line, protocols and server
//! use one [`Catalogue`], so that a user's own game is found wherever a built-in one is.

use crate::{Builtin, ORTHODOX};
use husun::doc::{GameError, Library};
use husun::variant::Variant;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs;
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Two words at least this similar are offered for each other.
const ALIKE: f64 = 0.75;

/// The most bytes of a network's file that are read.
const MOST_OF_A_NETWORK: u64 = 2 << 20;

/// The most characters of an unknown name that a message repeats.
const SAID: usize = 40;

/// A game read from a file, with what belongs to it beside the file.
#[derive(Clone, Debug)]
pub struct OwnGame {
    variant: Arc<Variant>,
    text: String,
    /// Texts of the games that it inherits from, by id.
    parents: BTreeMap<String, String>,
    file: PathBuf,
    rules: Option<String>,
    values: Option<String>,
    network: Option<Vec<u8>>,
    lessons: Option<String>,
    puzzles: Option<String>,
}

/// Why a game's file is refused.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The file, or one beside it, cannot be read.
    #[error("{file}: {error}")]
    Read {
        /// The file.
        file: String,
        /// What the system says.
        error: io::Error,
    },
    /// It does not describe a game.
    #[error(transparent)]
    Game(#[from] GameError),
}

/// No game has that id.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown game `{asked}`: {guess}expected one of {known}")]
pub struct UnknownGame {
    /// What was asked for, shortened.
    asked: String,
    guess: String,
    known: String,
}

/// The games of a program. A copy shares the games.
///
/// ```
/// use husun_games::Catalogue;
/// let games = Catalogue::default();
/// assert_eq!(games.game("citadel9").unwrap().name(), "Citadel - 9 ranks");
/// let error = games.game("citadl9").unwrap_err().to_string();
/// assert!(error.starts_with("unknown game `citadl9`: did you mean `citadel9`? expected one of "));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Catalogue {
    own: Vec<Arc<OwnGame>>,
}

impl Library for Catalogue {
    fn game_text(&self, id: &str) -> Option<String> {
        let own = self.own_by_id(id).map(|own| own.text.clone());
        own.or_else(|| Builtin.game_text(id))
    }

    fn ids(&self) -> Vec<String> {
        Catalogue::ids(self).map(String::from).collect()
    }

    fn reserved(&self, id: &str) -> Option<String> {
        Builtin.game_text(id)
    }
}

/// A library that records which texts are asked for.
pub(crate) struct Listening<'a> {
    games: &'a dyn Library,
    heard: RefCell<Vec<(String, String)>>,
}

impl Listening<'_> {
    pub(crate) fn new(games: &dyn Library) -> Listening<'_> {
        Listening {
            games,
            heard: RefCell::default(),
        }
    }

    /// The texts that were asked for, with their ids: of what a game inherits from, the nearest first.
    pub(crate) fn heard(self) -> Vec<(String, String)> {
        self.heard.into_inner()
    }
}

impl Library for Listening<'_> {
    fn game_text(&self, id: &str) -> Option<String> {
        let text = self.games.game_text(id)?;
        let mut heard = self.heard.borrow_mut();
        heard.push((id.to_owned(), text.clone()));
        Some(text)
    }

    fn ids(&self) -> Vec<String> {
        self.games.ids()
    }

    fn reserved(&self, id: &str) -> Option<String> {
        self.games.reserved(id)
    }
}

impl OwnGame {
    /// The game.
    pub fn variant(&self) -> &Arc<Variant> {
        &self.variant
    }

    /// Its text as in the file, with the pictures of its pieces in it.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Texts of the games that it inherits from, by id.
    pub fn parents(&self) -> &BTreeMap<String, String> {
        &self.parents
    }

    /// The file that it was read from.
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// Its rules for players, if there is a file of them ([`rules_path`]).
    pub fn rules(&self) -> Option<&str> {
        self.rules.as_deref()
    }

    /// Its lessons about special rules, if there is a file of them ([`lessons_path`]). They are not checked here.
    pub fn lessons(&self) -> Option<&str> {
        self.lessons.as_deref()
    }

    /// Its puzzles, if there is a file of them ([`puzzles_path`]). They are not checked here.
    pub fn puzzles(&self) -> Option<&str> {
        self.puzzles.as_deref()
    }

    /// The engine's tuned values, if there is a file of them ([`values_path`]), or those of a game that it inherits
    /// from ([`Catalogue::read`]). They are not checked here.
    pub fn values(&self) -> Option<&str> {
        self.values.as_deref()
    }

    /// The engine's network, if there is a file of one ([`network_path`]), or that of a game that it inherits from
    /// ([`Catalogue::read`]). It is not checked here.
    pub fn network(&self) -> Option<&[u8]> {
        self.network.as_deref()
    }
}

impl Catalogue {
    /// Reads a game's file and what belongs to it beside the file. It may inherit from every game of the catalogue,
    /// which does not have it before [`Catalogue::insert`]. Where there are no values beside it, it has those that the
    /// nearest game it inherits from gives to pieces that move alike, and where there is no network, either, that of a
    /// game it inherits from whose play differs at most in the start.
    pub fn read(&self, file: &Path) -> Result<OwnGame, LoadError> {
        let text = husun::doc::with_pictures(&file.display().to_string(), &read(file)?, |name| {
            read_picture(&file.with_file_name(name))
        })?;
        let library = Listening::new(self);
        let variant = Variant::parse_with(&file.display().to_string(), &text, &library)?;
        let parents = library.heard();
        let values = read_beside(&values_path(file))?;
        let network = if_there(read_bytes(&network_path(file)))?;
        // What judges by a file beside the game is not judged by another game's network.
        let network = match values {
            None => network.or_else(|| self.network_of_kin(&variant, &parents)),
            Some(_) => network,
        };
        let values = values.or_else(|| self.values_of_kin(&variant, &parents));
        Ok(OwnGame {
            variant,
            text,
            parents: parents.into_iter().collect(),
            rules: read_beside(&rules_path(file))?,
            values,
            network,
            lessons: read_beside(&lessons_path(file))?,
            puzzles: read_beside(&puzzles_path(file))?,
            file: file.to_owned(),
        })
    }

    /// The network of the first of these games whose play differs from that of the variant at most in the start, if
    /// that game has one.
    fn network_of_kin(&self, variant: &Variant, games: &[(String, String)]) -> Option<Vec<u8>> {
        let rules = variant.canonical(false);
        let mut games = games.iter().filter_map(|(id, _)| self.variant(id));
        let alike = games.find(|game| game.canonical(false) == rules)?;
        self.network(&alike).map(Vec::from)
    }

    /// What the values of the first of these games that has some say about the variant.
    fn values_of_kin(&self, variant: &Variant, games: &[(String, String)]) -> Option<String> {
        let mut games = games.iter().filter_map(|(id, _)| self.variant(id));
        games.find_map(|game| inherited_values(self.values(&game)?, &game, variant))
    }

    /// Adds a game; the one that had its id before is returned, unless it was a built-in one.
    pub fn insert(&mut self, game: OwnGame) -> Option<Arc<OwnGame>> {
        let same = |own: &Arc<OwnGame>| own.variant.id() == game.variant.id();
        let before = self.own.iter().position(same);
        let before = before.map(|at| self.own.remove(at));
        self.own.push(Arc::new(game));
        before
    }

    /// The games read from files, in the order in which they were added.
    pub fn own(&self) -> impl Iterator<Item = &OwnGame> {
        self.own.iter().map(|own| &**own)
    }

    /// Ids of all games: those of files first, then the built-in ones in alphabetical order.
    pub fn ids(&self) -> impl Iterator<Item = &str> {
        let built_in = crate::ids().filter(|id| self.own_by_id(id).is_none());
        let own = self.own.iter().map(|own| own.variant.id());
        own.chain(built_in.map(|id| -> &str { id }))
    }

    /// All games: those of files first, then the built-in ones in the order in which people are offered them.
    pub fn games(&self) -> impl Iterator<Item = Arc<Variant>> {
        let built_in = crate::in_order().filter(|id| self.own_by_id(id).is_none());
        let built_in = built_in.filter_map(crate::variant);
        self.own
            .iter()
            .map(|own| own.variant.clone())
            .chain(built_in)
    }

    /// The game with an id.
    pub fn variant(&self, id: &str) -> Option<Arc<Variant>> {
        let own = self.own_by_id(id).map(|own| own.variant.clone());
        own.or_else(|| crate::variant(id))
    }

    /// The game with an id, or an error that lists the ids and offers the most similar one.
    pub fn game(&self, id: &str) -> Result<Arc<Variant>, UnknownGame> {
        self.variant(id).ok_or_else(|| {
            let ids: Vec<&str> = self.ids().collect();
            UnknownGame {
                asked: id.chars().take(SAID).collect(),
                guess: closest(id, &ids).map_or(String::new(), |g| format!("did you mean `{g}`? ")),
                known: ids.join(", "),
            }
        })
    }

    /// The game with an id, a name or an alias, ignoring case; an empty text stands for the orthodox game. The
    /// `Variant` tag of PGN names games this way.
    ///
    /// ```
    /// let games = husun_games::Catalogue::default();
    /// for (name, id) in [("Capablanca Chess", "capablanca"), ("From Position", "chess"), ("", "chess")] {
    ///     assert_eq!(games.named(name).unwrap().id(), id);
    /// }
    /// assert!(games.named("checkers").is_none());
    /// ```
    pub fn named(&self, name: &str) -> Option<Arc<Variant>> {
        let name = match name.trim() {
            "" => ORTHODOX,
            name => name,
        };
        let by_id = self.variant(name);
        by_id.or_else(|| self.games().find(|v| v.is_called(name)))
    }

    /// The game read from a file behind a variant, if it is one.
    pub fn own_of(&self, variant: &Arc<Variant>) -> Option<&OwnGame> {
        self.own().find(|own| Arc::ptr_eq(&own.variant, variant))
    }

    /// A game's rules for players, in Markdown, if it has some.
    pub fn rules(&self, variant: &Arc<Variant>) -> Option<&str> {
        match self.own_of(variant) {
            Some(own) => own.rules(),
            None => crate::built_in(variant)?.rules,
        }
    }

    /// A game's lessons about its special rules, if it has some.
    pub fn lessons(&self, variant: &Arc<Variant>) -> Option<&str> {
        match self.own_of(variant) {
            Some(own) => own.lessons(),
            None => crate::built_in(variant)?.lessons,
        }
    }

    /// A game's puzzles, if it has some.
    pub fn puzzles(&self, variant: &Arc<Variant>) -> Option<&str> {
        match self.own_of(variant) {
            Some(own) => own.puzzles(),
            None => crate::built_in(variant)?.puzzles,
        }
    }

    /// The engine's tuned values for a game, if it has some.
    pub fn values(&self, variant: &Arc<Variant>) -> Option<&str> {
        match self.own_of(variant) {
            Some(own) => own.values(),
            None => crate::built_in(variant)?.values,
        }
    }

    /// The engine's network for a game, if it has one.
    pub fn network(&self, variant: &Arc<Variant>) -> Option<&[u8]> {
        match self.own_of(variant) {
            Some(own) => own.network(),
            None => crate::built_in(variant)?.network,
        }
    }

    fn own_by_id(&self, id: &str) -> Option<&OwnGame> {
        self.own().find(|own| own.variant.id() == id)
    }
}

/// The file of tuned values that belongs to a game's file: beside it, with its name, ending in `.values.toml`.
///
/// ```
/// use std::path::Path;
/// let values = husun_games::values_path(Path::new("games/lagoon.toml"));
/// assert_eq!(values, Path::new("games/lagoon.values.toml"));
/// ```
pub fn values_path(game_file: &Path) -> PathBuf {
    game_file.with_extension("values.toml")
}

/// The file of the network that belongs to a game's file: beside it, with its name, ending in `.network.bin`.
///
/// ```
/// use std::path::Path;
/// let network = husun_games::network_path(Path::new("games/lagoon.toml"));
/// assert_eq!(network, Path::new("games/lagoon.network.bin"));
/// ```
pub fn network_path(game_file: &Path) -> PathBuf {
    game_file.with_extension("network.bin")
}

/// The file of rules for players that belongs to a game's file: beside it, with its name, ending in `.rules.md`.
pub fn rules_path(game_file: &Path) -> PathBuf {
    game_file.with_extension("rules.md")
}

/// The file of lessons that belongs to a game's file: beside it, with its name, ending in `.lessons.toml`.
pub fn lessons_path(game_file: &Path) -> PathBuf {
    game_file.with_extension("lessons.toml")
}

/// The file of puzzles that belongs to a game's file: beside it, with its name, ending in `.puzzles.toml`.
pub fn puzzles_path(game_file: &Path) -> PathBuf {
    game_file.with_extension("puzzles.toml")
}

fn read(file: &Path) -> Result<String, LoadError> {
    fs::read_to_string(file).map_err(|error| unreadable(file, error))
}

/// A network; of a longer file only a little more than the engine takes, which is enough to refuse it.
fn read_bytes(file: &Path) -> Result<Vec<u8>, LoadError> {
    let mut bytes = Vec::new();
    fs::File::open(file)
        .and_then(|file| file.take(MOST_OF_A_NETWORK).read_to_end(&mut bytes))
        .map_err(|error| unreadable(file, error))?;
    Ok(bytes)
}

fn unreadable(file: &Path, error: io::Error) -> LoadError {
    LoadError::Read {
        file: file.display().to_string(),
        error,
    }
}

/// A picture beside a game's file.
fn read_picture(file: &Path) -> Result<String, String> {
    let most = husun::drawing::MOST_BYTES as u64;
    let about = fs::metadata(file).map_err(|e| e.to_string())?;
    if !about.is_file() || about.len() > most {
        return Err(format!("expected a file of at most {most} bytes"));
    }
    fs::read_to_string(file).map_err(|e| e.to_string())
}

fn read_beside(file: &Path) -> Result<Option<String>, LoadError> {
    if_there(read(file))
}

/// What was read, if the file exists.
fn if_there<T>(read: Result<T, LoadError>) -> Result<Option<T>, LoadError> {
    match read {
        Err(LoadError::Read { error, .. }) if error.kind() == ErrorKind::NotFound => Ok(None),
        content => content.map(Some),
    }
}

/// What values of one game, as a text, say about another: the features, and pieces that have the same letter and move
/// alike; their places only on a board of the same size.
fn inherited_values(values: &str, from: &Variant, to: &Variant) -> Option<String> {
    let mut values: toml::Table = values.parse().ok()?;
    let size = |game: &Variant| (game.frame().files(), game.frame().ranks());
    if size(from) != size(to) {
        values.retain(|table, _| !["passed", "places"].contains(&table));
    }
    let moves = |game: &Variant, letter: &str| {
        let kind = game.kind(letter.parse().ok()?)?;
        let piece = game.piece(kind);
        Some((piece.betza.clone(), piece.royal, piece.pawn))
    };
    for table in ["pieces", "weights", "places"] {
        if let Some(toml::Value::Table(table)) = values.get_mut(table) {
            table.retain(|letter, _| {
                let own = moves(to, letter);
                own.is_some() && own == moves(from, letter)
            });
        }
    }
    toml::to_string(&values).ok()
}

/// The word of a list that is most similar to the given one, if it is similar enough.
fn closest<'a>(word: &str, list: &[&'a str]) -> Option<&'a str> {
    let word = word.to_lowercase();
    let alike = list
        .iter()
        .map(|known| (strsim::jaro_winkler(&word, known), *known));
    alike
        .filter(|(likeness, _)| *likeness >= ALIKE)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, known)| known)
}
