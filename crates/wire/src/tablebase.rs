//! What tables of perfect play know of a position.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// What perfect play leads to, for the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum TableOutcome {
    /// It wins.
    Won,
    /// Neither side can win.
    Drawn,
    /// It loses.
    Lost,
}

/// What tables of perfect play know of a position and of its moves.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TablebaseAnswer {
    /// The position itself; missing if it is not in the tables.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<TableVerdict>,
    /// The moves that lead to positions in the tables, the best first; none if the game is over.
    pub moves: Vec<TableMove>,
}

/// What is known of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TableVerdict {
    /// For the side to move.
    pub outcome: TableOutcome,
    /// Half-moves to the end of the game if the winner hurries and the loser delays; 0 for a draw.
    pub distance: u16,
    /// Whether the move rule may draw before: tables do not know the half-move clock, nor which positions have occurred.
    pub late: bool,
}

/// What a move leads to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TableMove {
    /// The move in UCI form.
    pub uci: String,
    /// The move in algebraic notation.
    pub san: String,
    /// For the side that makes it.
    pub outcome: TableOutcome,
    /// Half-moves to the end of the game, with this one; 0 for a draw.
    pub distance: u16,
}
