//! Games looked back at: how far a review is, and what it says.

use super::{Both, GameResult, Played, Side};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// How far a review is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ReviewStage {
    /// The engine is at it.
    Running,
    /// It was begun and is not gone on with, since nobody asks for it.
    Paused,
    /// All has been looked at.
    Ready,
}

/// A review, as far as it is.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct ReviewState {
    /// Its id: that of its game, or one of its own.
    pub id: String,
    /// How far it is.
    pub stage: ReviewStage,
    /// Positions looked at.
    pub done: u32,
    /// Positions in all.
    pub of: u32,
    /// What was found, once all has been looked at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub review: Option<Review>,
}

/// What is said of a game that was looked back at. Chances are those of White, in percent.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct Review {
    /// Id of the variant.
    pub variant: String,
    /// Position text of the start.
    pub start: String,
    /// Square of the royal piece in check at the start.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub check: Option<String>,
    /// Names of the players.
    pub players: Both<String>,
    /// How it ended, if that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<GameResult>,
    /// Chance at the start.
    pub chance: f64,
    /// The moves.
    pub moves: Vec<ReviewMove>,
    /// Each side's accuracy from 0 to 100; missing for a side that has not moved.
    pub accuracy: Both<Option<f64>>,
    /// Half-moves, from 0, at which the game turned and a better move is to be found, in order.
    pub turning: Vec<u32>,
    /// What the game is remembered by, in order.
    pub moments: Vec<ReviewMoment>,
    /// Until when a game that was brought in as text is kept at least, in milliseconds of Unix time; missing where it is
    /// kept for good.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until_ms: Option<i64>,
}

/// A move that was looked back at.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct ReviewMove {
    /// The move.
    #[serde(flatten)]
    pub played: Played,
    /// White's chance after it.
    pub chance: f64,
    /// Score after it in centipawns from White's side; missing where a forced win is seen and where the game is over.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cp: Option<i32>,
    /// Moves to a forced win: above 0 White's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mate: Option<i32>,
    /// Percentage points of the mover's chance that it gave away.
    pub loss: f64,
    /// Whether the engine would have made it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub best: bool,
    /// What was wrong with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fault: Option<ReviewFault>,
    /// What would have been better, where something was wrong with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub better: Option<ReviewLine>,
}

/// A line of moves.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
pub struct ReviewLine {
    /// In UCI form.
    pub uci: Vec<String>,
    /// In algebraic notation.
    pub san: Vec<String>,
}

/// How bad a move was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum FaultSize {
    /// It gave away 5 percentage points or more.
    Inaccuracy,
    /// 10 or more.
    Mistake,
    /// 15 or more.
    Blunder,
}

/// What a move gave away.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum FaultKind {
    /// The opponent can force a win in `moves` moves.
    AllowedWin,
    /// A win could have been forced in `moves` moves.
    MissedWin,
    /// The game could have been drawn at once by `ending`.
    MissedDraw,
    /// The opponent can take `piece`.
    LostPiece,
    /// `piece` could have been taken.
    MissedPiece,
    /// A winning position is none any more.
    LetSlip,
    /// A position that could be held is being lost.
    LostHold,
    /// The position is worse than it had to be.
    Worse,
}

/// What was wrong with a move.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ReviewFault {
    /// How bad it was.
    pub size: FaultSize,
    /// What it gave away.
    pub kind: FaultKind,
    /// Moves to the win that is spoken of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moves: Option<u32>,
    /// Letter of the piece that is spoken of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub piece: Option<String>,
    /// The ending that is spoken of, as `citadel`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ending: Option<String>,
}

/// What a game is remembered by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum MomentKind {
    /// `piece` is free.
    Released,
    /// `piece` has traversed its castle and is `becomes` from now on.
    Traversed,
    /// All of `piece`, of both sides, are `becomes`.
    Crowned,
    /// `piece` has become `becomes`.
    Promoted,
    /// `piece` has castled.
    Castled,
    /// `piece`, one of several royal ones, was captured.
    RoyalTaken,
}

/// What a game is remembered by.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ReviewMoment {
    /// Half-move, from 0, that brought it about.
    pub ply: u32,
    /// What it is.
    pub kind: MomentKind,
    /// Whose piece, or who did it.
    pub side: Side,
    /// Letter of the piece.
    pub piece: String,
    /// Letter of what it became.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub becomes: Option<String>,
    /// What the game calls it, as `Safeguarding`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

/// A game to be looked back at, as text.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ReviewRequest {
    /// PGN text of one game.
    pub text: String,
}

/// A move tried at a turning point.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct TryRequest {
    /// Half-move, from 0, instead of which it is tried.
    pub ply: u32,
    /// The move in UCI form.
    pub uci: String,
}

/// How good a move that was tried is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum TryVerdict {
    /// The engine's own choice.
    Best,
    /// As good within a margin of 5 percentage points.
    Good,
    /// It gives more away than that.
    Worse,
}

/// What the engine says of a move that was tried.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct TryAnswer {
    /// The move.
    #[serde(flatten)]
    pub played: Played,
    /// How good it is.
    pub verdict: TryVerdict,
    /// Percentage points of the mover's chance that it gives away.
    pub loss: f64,
    /// White's chance after it.
    pub chance: f64,
    /// What the opponent would answer.
    pub answer: ReviewLine,
}
