//! PGN with its moves understood: a tree of legal moves with comments, read from and written to the text form
//! of [`crate::pgn`]. The result of the game is taken from the text as it is.

use crate::game::{Game, Outcome};
use crate::moves::{IllegalMove, Move};
use crate::pgn::{Comment, GameResult, Movetext, Nag, Node, RawGame};
use crate::position::{Position, PositionError};
use crate::san::SanError;
use crate::side::Side;
use crate::variant::Variant;
use std::sync::Arc;

/// Why the text of a game makes no sense in its variant.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RecordError {
    /// The `Variant` tag names no known game.
    #[error("tag Variant: `{found}` is unknown: expected one of {expected}")]
    Variant {
        /// What was read.
        found: String,
        /// Ids that are known.
        expected: String,
    },
    /// The `FEN` tag holds no position.
    #[error("tag FEN: {0}")]
    Fen(#[from] PositionError),
    /// A move that cannot be read.
    #[error("move {number}{dots} {error}")]
    Move {
        /// Number of the full move.
        number: u32,
        /// `.` for White's move, `...` for Black's.
        dots: &'static str,
        /// What is wrong with it.
        error: SanError,
    },
}

/// A move with what is said about it and what could have been played instead.
#[derive(Clone, Debug, PartialEq)]
pub struct Ply {
    /// The move.
    pub m: Move,
    /// Annotations.
    pub nags: Vec<Nag>,
    /// Comments before the move.
    pub before: Vec<Comment>,
    /// Comments after the move.
    pub after: Vec<Comment>,
    /// Other lines from the position before the move.
    pub variations: Vec<Branch>,
}

impl Ply {
    /// A move with nothing said about it.
    pub fn new(m: Move) -> Ply {
        Ply {
            m,
            nags: Vec::new(),
            before: Vec::new(),
            after: Vec::new(),
            variations: Vec::new(),
        }
    }
}

/// A sequence of moves.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Branch {
    /// The moves in order.
    pub plies: Vec<Ply>,
    /// In a variation, everything from a null move on (`--`, `Z0`): kept as text, as no position has such a move.
    pub rest: Vec<Node>,
    /// Comments at the end that belong to no move.
    pub tail: Vec<Comment>,
}

/// A game from a PGN text, with its moves understood.
///
/// ```
/// use husun::record::Record;
/// # let mini = husun::Variant::parse("t.toml", husun::doctest::MINI).unwrap();
/// let text = "[Variant \"mini\"]\n\n1. Ra3 {safe} (1. Ra2) 1... Rd1+ *";
/// let raw: husun::pgn::RawGame = text.parse().unwrap();
/// let record = Record::from_raw(&raw, |id| (id == "mini").then(|| mini.clone()), || String::new()).unwrap();
/// assert_eq!(record.game().moves().len(), 2);
/// assert!(record.to_raw().unwrap().to_pgn().unwrap().contains("1. Ra3 {safe} (1. Ra2) 1... Rd1+ *"));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// Tags in order, without `Variant`, `SetUp` and `FEN`.
    pub tags: Vec<(String, String)>,
    /// Where the game starts.
    pub start: Position,
    /// The moves.
    pub main: Branch,
    /// The result as the text has it.
    pub result: GameResult,
}

/// Tags that a record's other fields hold.
const OWN_TAGS: [&str; 3] = ["Variant", "SetUp", "FEN"];

impl Record {
    /// The record of a game played here, with its result in the tags `Result` and `Termination`.
    pub fn of_game(game: &Game) -> Record {
        let plies = game.moves().iter().map(|&m| Ply::new(m)).collect();
        let mut record = Record {
            tags: Vec::new(),
            start: game.start().clone(),
            main: Branch {
                plies,
                ..Branch::default()
            },
            result: game.outcome().map_or(GameResult::Unknown, |o| marker(&o)),
        };
        if let Some(outcome) = game.outcome() {
            record.set_tag("Termination", outcome.reason.name());
            let [white, black] = outcome.points;
            record.set_tag("WhitePoints", &white.to_string());
            record.set_tag("BlackPoints", &black.to_string());
        }
        record
    }

    /// Reads the moves of a game's text. `find` gives the variant of the `Variant` tag, or of an empty text if
    /// there is none; `known` lists the ids for the message.
    pub fn from_raw(
        raw: &RawGame,
        find: impl Fn(&str) -> Option<Arc<Variant>>,
        known: impl Fn() -> String,
    ) -> Result<Record, RecordError> {
        let id = raw.tag("Variant").unwrap_or_default();
        let variant = find(id)
            .or_else(|| find(&id.to_lowercase()))
            .ok_or_else(|| RecordError::Variant {
                found: id.chars().take(40).collect(),
                expected: known(),
            })?;
        let start = match raw.tag("FEN") {
            Some(fen) => variant.position(fen)?,
            None => variant.start(),
        };
        let main = read_line(&raw.line, &start, NullMoves::Refused)?;
        let tags = raw.tags.iter();
        Ok(Record {
            tags: tags
                .filter(|(name, _)| !OWN_TAGS.contains(&name.as_str()))
                .cloned()
                .collect(),
            start,
            main,
            result: raw.result,
        })
    }

    /// The game's text form; an error if a move is not legal where it stands.
    pub fn to_raw(&self) -> Result<RawGame, IllegalMove> {
        let mut raw = RawGame {
            tags: self.tags.clone(),
            line: write_line(&self.main, &self.start)?,
            result: self.result,
        };
        let variant = self.start.variant();
        raw.set_tag("Variant", variant.id());
        if self.start != variant.start() {
            raw.set_tag("SetUp", "1");
            raw.set_tag("FEN", self.start.fen());
        }
        raw.set_tag("Result", self.result.marker());
        Ok(raw)
    }

    /// The value of a tag.
    pub fn tag(&self, name: &str) -> Option<&str> {
        let found = self.tags.iter().find(|(n, _)| n == name);
        found.map(|(_, value)| value.as_str())
    }

    /// Sets a tag.
    pub fn set_tag(&mut self, name: &str, value: &str) {
        match self.tags.iter_mut().find(|(n, _)| n == name) {
            Some((_, old)) => *old = value.into(),
            None => self.tags.push((name.into(), value.into())),
        }
    }

    /// The main line played as a game, as far as the rules allow: if the players went on after its end by the
    /// rules, it stops there.
    pub fn game(&self) -> Game {
        let mut game = Game::new(self.start.clone());
        for ply in &self.main.plies {
            if game.play(ply.m).is_err() {
                break;
            }
        }
        game
    }
}

/// The result marker of an outcome.
pub fn marker(outcome: &Outcome) -> GameResult {
    match outcome.winner {
        Some(Side::White) => GameResult::WhiteWins,
        Some(Side::Black) => GameResult::BlackWins,
        None => GameResult::Draw,
    }
}

/// Null moves as common programs write them.
const NULL_MOVES: [&str; 3] = ["--", "Z0", "@@@@"];

/// Whether a move as written is a null move: it says what would be threatened if a side could pass.
pub fn is_null_move(san: &str) -> bool {
    NULL_MOVES.contains(&san)
}

/// How null moves are treated: a game has none, a variation may.
#[derive(Clone, Copy, PartialEq, Eq)]
enum NullMoves {
    Refused,
    Kept,
}

// The reader of the text limits how deep variations nest, so recursion is bounded here.
fn read_line(line: &Movetext, start: &Position, nulls: NullMoves) -> Result<Branch, RecordError> {
    let mut position = start.clone();
    let mut plies = Vec::with_capacity(line.moves.len());
    let mut rest = Vec::new();
    for (i, node) in line.moves.iter().enumerate() {
        if nulls == NullMoves::Kept && is_null_move(&node.san) {
            rest = line.moves[i..].to_vec();
            break;
        }
        let m = position
            .parse_san(&node.san)
            .map_err(|error| RecordError::Move {
                number: position.fullmove(),
                dots: if position.turn() == Side::White {
                    "."
                } else {
                    "..."
                },
                error,
            })?;
        let variations = node.variations.iter();
        let variations = variations.map(|v| read_line(v, &position, NullMoves::Kept));
        plies.push(Ply {
            m,
            nags: node.nags.clone(),
            before: node.before.clone(),
            after: node.after.clone(),
            variations: variations.collect::<Result<_, _>>()?,
        });
        position = position.play_unchecked(m);
    }
    Ok(Branch {
        plies,
        rest,
        tail: line.tail.clone(),
    })
}

fn write_line(branch: &Branch, start: &Position) -> Result<Movetext, IllegalMove> {
    let mut position = start.clone();
    let mut moves = Vec::with_capacity(branch.plies.len());
    for ply in &branch.plies {
        let variations = ply.variations.iter();
        moves.push(Node {
            san: position.san(ply.m)?,
            nags: ply.nags.clone(),
            before: ply.before.clone(),
            after: ply.after.clone(),
            variations: variations
                .map(|v| write_line(v, &position))
                .collect::<Result<_, _>>()?,
        });
        position = position.play_unchecked(ply.m);
    }
    moves.extend(branch.rest.iter().cloned());
    Ok(Movetext {
        moves,
        tail: branch.tail.clone(),
    })
}
