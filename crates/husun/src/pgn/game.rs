//! A game as PGN text holds it: tags, a tree of moves with their notes, and the result marker.
//! Reading and writing it is elsewhere.

use std::fmt;
use std::str::FromStr;

use super::comment::Comment;
use super::error::{Location, PgnError, SyntaxError};
use super::nag::Nag;
use super::reader::Reader;
use super::writer::WriteError;

/// The seven tag roster, in order, with what the export format writes for an unknown tag. An unknown `Result`
/// is written as the game's result marker.
pub const ROSTER: [(&str, &str); 7] = [
    ("Event", "?"),
    ("Site", "?"),
    ("Date", "????.??.??"),
    ("Round", "?"),
    ("White", "?"),
    ("Black", "?"),
    ("Result", "*"),
];

/// The result marker that ends a game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum GameResult {
    /// `1-0`
    WhiteWins,
    /// `0-1`
    BlackWins,
    /// `1/2-1/2`
    Draw,
    /// `*`: in progress, abandoned or unknown.
    #[default]
    Unknown,
}

/// Every result marker with its text.
pub const RESULTS: [(&str, GameResult); 4] = [
    ("1-0", GameResult::WhiteWins),
    ("0-1", GameResult::BlackWins),
    ("1/2-1/2", GameResult::Draw),
    ("*", GameResult::Unknown),
];

impl GameResult {
    /// The result that a text is the marker of, if any.
    ///
    /// ```
    /// use husun::pgn::GameResult;
    /// assert_eq!(GameResult::from_marker("0-1"), Some(GameResult::BlackWins));
    /// assert_eq!(GameResult::from_marker("0-0"), None);
    /// ```
    #[must_use]
    pub fn from_marker(text: &str) -> Option<Self> {
        let row = RESULTS.iter().find(|(marker, _)| *marker == text);
        row.map(|&(_, result)| result)
    }

    /// The text of the marker.
    #[must_use]
    pub fn marker(self) -> &'static str {
        let row = RESULTS.iter().find(|(_, result)| *result == self);
        row.map_or("*", |(marker, _)| marker)
    }
}

impl fmt::Display for GameResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.marker())
    }
}

/// A game as text: what [`Reader`] gives and [`Writer`](super::Writer) takes.
///
/// ```
/// use husun::pgn::{GameResult, RawGame};
///
/// let mut game: RawGame = r#"[White "Snowmoon"] 1. i6 Sd8! {[%clk 0:59:58] solid} (1... b5) 2. b5 1-0"#.parse()?;
/// assert_eq!(game.tag("White"), Some("Snowmoon"));
/// assert_eq!(game.result, GameResult::WhiteWins);
/// let sans: Vec<_> = game.line.moves.iter().map(|node| node.san.as_str()).collect();
/// assert_eq!(sans, ["i6", "Sd8", "b5"]);
/// assert_eq!(game.line.moves[1].variations[0].moves[0].san, "b5");
/// game.set_tag("Event", "Casual");
/// assert!(game.to_pgn()?.starts_with("[Event \"Casual\"]\n[Site \"?\"]\n"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RawGame {
    /// Name and value of each tag pair in order, escapes undone. A name occurs once.
    pub tags: Vec<(String, String)>,
    /// The moves of the game, with everything attached to them.
    pub line: Movetext,
    /// The result marker after the moves (the `Result` tag is kept apart, and may contradict it).
    pub result: GameResult,
}

/// A sequence of moves: the main line or a variation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Movetext {
    /// The moves in order.
    pub moves: Vec<Node>,
    /// Comments at the end that belong to no move: in a line without moves, after the variations of the last
    /// move, or after the number of a move that does not come.
    pub tail: Vec<Comment>,
}

/// A move in a [`Movetext`], as text, with what is said about it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Node {
    /// The move as written, without suffix annotation: `Nxa5`, `O-O`, `K=X`, `a10xb11=Q+`, `--`.
    pub san: String,
    /// Annotations in order, suffixes such as `!` and `?!` among them.
    pub nags: Vec<Nag>,
    /// Comments before the move: at the start of the line, after a variation or after the move's number.
    pub before: Vec<Comment>,
    /// Comments after the move.
    pub after: Vec<Comment>,
    /// Lines that could have been played instead of this move.
    pub variations: Vec<Movetext>,
}

impl Node {
    /// A move with nothing said about it.
    #[must_use]
    pub fn new(san: impl Into<String>) -> Self {
        Self {
            san: san.into(),
            ..Self::default()
        }
    }
}

impl RawGame {
    /// The value of a tag.
    #[must_use]
    pub fn tag(&self, name: &str) -> Option<&str> {
        let row = self.tags.iter().find(|(known, _)| known == name);
        row.map(|(_, value)| value.as_str())
    }

    /// Sets a tag: in its place if it is there, else at the end. The writer checks name and value.
    pub fn set_tag(&mut self, name: &str, value: impl Into<String>) {
        let value = value.into();
        match self.tags.iter_mut().find(|(known, _)| known == name) {
            Some((_, old)) => *old = value,
            None => self.tags.push((name.to_owned(), value)),
        }
    }

    /// Takes a tag away and gives its value.
    pub fn remove_tag(&mut self, name: &str) -> Option<String> {
        let index = self.tags.iter().position(|(known, _)| known == name)?;
        Some(self.tags.remove(index).1)
    }

    /// Puts the tags in the order of the export format: the seven tag roster, missing ones filled in from
    /// [`ROSTER`], then the others as they were. The writer writes every game as if this had been called.
    pub fn complete_roster(&mut self) {
        let mut tags: Vec<_> = ROSTER
            .iter()
            .map(|&(name, unknown)| {
                let unknown = if name == "Result" {
                    self.result.marker()
                } else {
                    unknown
                };
                let value = self.remove_tag(name);
                (name.to_owned(), value.unwrap_or_else(|| unknown.to_owned()))
            })
            .collect();
        tags.append(&mut self.tags);
        self.tags = tags;
    }

    /// The game in PGN export format, ending in a line break. See [`Writer`](super::Writer).
    ///
    /// # Errors
    ///
    /// If something in the game cannot be written in PGN, such as a move with a space in it.
    pub fn to_pgn(&self) -> Result<String, WriteError> {
        super::writer::game_text(self)
    }
}

impl FromStr for RawGame {
    type Err = PgnError;

    /// Reads a text that is exactly one game.
    fn from_str(text: &str) -> Result<Self, PgnError> {
        let mut reader = Reader::new(text.as_bytes());
        let start = Location { line: 1, column: 1 };
        let game = reader.next_game().unwrap_or_else(|| {
            let reason = SyntaxError::NoGame;
            Err(PgnError { at: start, reason })
        })?;
        let at = reader.location();
        match reader.next_game() {
            None => Ok(game),
            Some(_) => Err(PgnError {
                at,
                reason: SyntaxError::SecondGame,
            }),
        }
    }
}
