//! Games as PGN text, and PGN texts as lines of moves for the analysis board.

use crate::table::Table;
use crate::table::show::check;
use crate::wire::{PgnAnswer, PgnMove, Played};
use husun::pgn::RawGame;
use husun::record::{Branch, Record};
use husun::{Position, Side};

/// A game as PGN text.
pub fn of_table(id: &str, table: &Table) -> Result<String, String> {
    let game = table
        .game()
        .ok_or("the players have not settled on a game yet")?;
    let mut record = Record::of_game(game);
    let name = |side| table.player_name(side);
    record.set_tag("Event", &table.name());
    record.set_tag("Site", &format!("husun/game/{id}"));
    record.set_tag("White", &name(Side::White));
    record.set_tag("Black", &name(Side::Black));
    record.set_tag("TimeControl", &table.spec().control.to_string());
    record.to_raw().to_pgn().map_err(|e| e.to_string())
}

/// Reads the first game of a text.
pub fn read(text: &str) -> Result<PgnAnswer, String> {
    let raw: RawGame = text.parse().map_err(|e| format!("PGN: {e}"))?;
    let known = || games::ids().collect::<Vec<_>>().join(", ");
    let find = |id: &str| games::variant(if id.is_empty() { games::ORTHODOX } else { id });
    let record = Record::from_raw(&raw, find, known).map_err(|e| e.to_string())?;
    Ok(PgnAnswer {
        variant: record.start.variant().id.clone(),
        start: record.start.fen(),
        line: line(&record.main, &record.start),
        tags: record.tags,
    })
}

// The reader of the text limits how deep variations nest, so recursion is bounded.
fn line(branch: &Branch, start: &Position) -> Vec<PgnMove> {
    let mut position = start.clone();
    let mut moves = Vec::with_capacity(branch.plies.len());
    for ply in &branch.plies {
        let after = position.play(ply.m);
        moves.push(PgnMove {
            played: Played {
                uci: position.uci(ply.m).to_string(),
                san: position.san(ply.m),
                fen: after.fen(),
                check: check(&after),
                spent_ms: None,
            },
            comments: ply.after.iter().map(|c| c.to_string()).collect(),
            variations: ply.variations.iter().map(|v| line(v, &position)).collect(),
        });
        position = after;
    }
    moves
}
