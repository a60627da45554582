//! Positions described, games read from text, lines of the engine.

use super::{Both, GameResult, Played, Side};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A position to be described.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PositionRequest {
    /// Id of the game.
    pub variant: String,
    /// Position text to start from; the standard set-up if missing.
    #[serde(default)]
    pub fen: Option<String>,
    /// Moves from there, in UCI form or algebraic notation; at most 2000.
    #[serde(default)]
    pub moves: Vec<String>,
}

/// A position described.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct PositionAnswer {
    /// Position text of the start.
    pub start: String,
    /// The moves played from there.
    pub played: Vec<Played>,
    /// Position text.
    pub fen: String,
    /// Whose turn it is.
    pub turn: Side,
    /// Legal moves.
    pub legal: Vec<LegalMove>,
    /// Square of the royal piece in check.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub check: Option<String>,
    /// Whether the side to move may accept mate or stalemate.
    pub can_accept: bool,
    /// How the game has ended there, by the rules of the board and the moves given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<GameResult>,
    /// Letters of captured pieces of each side.
    pub captured: Both<String>,
}

/// A legal move.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct LegalMove {
    /// UCI form.
    pub uci: String,
    /// Algebraic notation.
    pub san: String,
}

/// A text with a game.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PgnRequest {
    /// PGN text of one game, at most 1 MB.
    pub text: String,
}

/// A game read from PGN.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct PgnAnswer {
    /// Id of the game.
    pub variant: String,
    /// Position text of the start.
    pub start: String,
    /// Tags as name and value.
    pub tags: Vec<(String, String)>,
    /// The main line.
    pub line: Vec<PgnMove>,
}

/// A move of a PGN text with what could have been played instead.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct PgnMove {
    /// The move.
    #[serde(flatten)]
    pub played: Played,
    /// Comments before it.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub before: Vec<String>,
    /// Annotations by their numbers in the PGN standard, such as 1 for a good move.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub nags: Vec<u8>,
    /// The annotations as they stand after the move, such as `!`.
    #[serde(skip_serializing_if = "String::is_empty", default)]
    pub signs: String,
    /// Comments after it.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub comments: Vec<String>,
    /// Other lines from before it.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    #[schema(no_recursion)]
    pub variations: Vec<Vec<PgnMove>>,
}

/// A line of the engine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct AnalysisLine {
    /// Score in centipawns from White's side; missing where a mate is seen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cp: Option<i32>,
    /// Moves to mate: above 0 White mates.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mate: Option<i32>,
    /// Expected share of the points for White, 0 to 1.
    pub expect: f64,
    /// The moves in UCI form.
    pub uci: Vec<String>,
    /// The moves in algebraic notation.
    pub san: Vec<String>,
}
