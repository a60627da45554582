//! Perft by the two chess libraries, counting the last ply in bulk.

use anyhow::{Result, anyhow};
use cozy_chess::Board;
use shakmaty::{CastlingMode, Chess, fen::Fen};

/// A chess position of cozy-chess.
pub fn cozy_board(fen: &str) -> Result<Board> {
    fen.parse().map_err(|e| anyhow!("cozy-chess: {e}"))
}

/// Its perft.
pub fn cozy(board: &Board, depth: u32) -> u64 {
    let mut nodes = 0;
    if depth == 1 {
        board.generate_moves(|moves| {
            nodes += moves.len() as u64;
            false
        });
    } else {
        board.generate_moves(|moves| {
            for m in moves {
                let mut child = board.clone();
                child.play_unchecked(m);
                nodes += cozy(&child, depth - 1);
            }
            false
        });
    }
    nodes
}

/// A chess position of shakmaty, whose own perft counts in bulk.
pub fn shakmaty_position(fen: &str) -> Result<Chess> {
    let fen: Fen = fen.parse()?;
    Ok(fen.into_position(CastlingMode::Standard)?)
}
