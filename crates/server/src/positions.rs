//! Positions described for the analysis board: nothing is kept of them.

use crate::hall::refusal;
use crate::table::show::{captured, check, result};
use crate::wire::{LegalMove, Played, PositionAnswer, PositionRequest, Refusal};
use husun::{Game, Move, Position, UciError};

/// Moves of a line at most.
pub const MAX_MOVES: usize = 2000;

/// Reads a move in UCI form or algebraic notation. What is neither is told as the former would be.
pub fn read_move(position: &Position, text: &str) -> Result<Move, UciError> {
    position
        .parse_uci(text)
        .or_else(|error| position.parse_san(text).map_err(|_| error))
}

/// The game that a start and moves make. It goes on past draws, as analysis does.
pub fn game(variant: &str, fen: Option<&str>, moves: &[String]) -> Result<Game, Refusal> {
    let variant = games::variant(variant).ok_or_else(|| {
        let known: Vec<&str> = games::ids().collect();
        let found: String = variant.chars().take(40).collect();
        refusal(
            "variant",
            format!("no game {found:?}, expected one of {}", known.join(", ")),
        )
    })?;
    let start = match fen {
        Some(fen) => variant
            .position(fen)
            .map_err(|e| refusal("fen", e.to_string()))?,
        None => variant.start(),
    };
    if moves.len() > MAX_MOVES {
        let message = format!("{} moves, expected at most {MAX_MOVES}", moves.len());
        return Err(refusal("moves", message));
    }
    let mut game = Game::new(start);
    for (at, text) in moves.iter().enumerate() {
        let position = game.position();
        let bad = |e: String| refusal("illegal_move", format!("move {}: {e}", at + 1));
        let m = read_move(position, text).map_err(|e| bad(e.to_string()))?;
        game.play_on(m).map_err(|e| bad(e.to_string()))?;
    }
    Ok(game)
}

/// Describes a position.
pub fn describe(request: &PositionRequest) -> Result<PositionAnswer, Refusal> {
    let game = game(&request.variant, request.fen.as_deref(), &request.moves)?;
    let position = game.position();
    let legal = position.legal_moves();
    let played = game.moves().iter().enumerate().filter_map(|(ply, &m)| {
        let (before, after) = (game.position_at(ply)?, game.position_at(ply + 1)?);
        Some(Played {
            uci: before.uci(m).to_string(),
            san: before.san(m),
            fen: after.fen(),
            check: check(after),
            spent_ms: None,
        })
    });
    Ok(PositionAnswer {
        start: game.start().fen(),
        played: played.collect(),
        fen: position.fen(),
        turn: position.turn().into(),
        legal: legal
            .iter()
            .map(|&m| LegalMove {
                uci: position.uci(m).to_string(),
                san: position.san_among(m, &legal),
            })
            .collect(),
        check: check(position),
        can_accept: position.can_accept(),
        result: game.outcome().as_ref().map(result),
        captured: captured(&game),
    })
}
