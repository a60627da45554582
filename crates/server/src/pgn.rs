//! Games as PGN text, and PGN texts as lines of moves for the analysis board.

use crate::wire::{PgnAnswer, PgnMove, Played};
use husun::pgn::{Glyph, Movetext, Nag, Node, RawGame, date_tags};
use husun::record::{Branch, Record};
use husun::{Position, Side};
use play::table::Table;
use play::{Games, check};

/// A game as PGN text. `began` is when it began, in milliseconds of Unix time.
pub fn of_table(id: &str, table: &Table, began: i64) -> Result<String, String> {
    let game = table
        .game()
        .ok_or("the players have not settled on a game yet")?;
    let mut record = Record::of_game(game);
    let name = |side| table.player_name(side);
    record.set_tag("Event", table.name());
    record.set_tag("Site", &format!("husun/game/{id}"));
    for (name, value) in date_tags(began.max(0) as u64 / 1000) {
        record.set_tag(name, &value);
    }
    record.set_tag("White", &name(Side::White));
    record.set_tag("Black", &name(Side::Black));
    record.set_tag("TimeControl", &table.spec().control.to_string());
    let raw = record.to_raw().map_err(|e| e.to_string())?;
    raw.to_pgn().map_err(|e| e.to_string())
}

/// Bytes of a text at most.
pub const MAX_TEXT: usize = 1_000_000;
/// Moves of a text at most, those of variations included.
pub const MAX_MOVES: usize = 5000;

/// Why a text is not read.
#[derive(Debug, thiserror::Error)]
pub enum PgnError {
    /// It is too long.
    #[error("the text has {0} bytes, expected at most {MAX_TEXT}")]
    Long(usize),
    /// It has too many moves.
    #[error("the game has {0} moves with its variations, expected at most {MAX_MOVES}")]
    Moves(usize),
    /// It is no PGN, or no game of ours, or its moves are not legal.
    #[error("{0}")]
    Wrong(String),
    /// Who asks has had too much computed.
    #[error("too many moves from your address; wait a little")]
    Rate,
}

/// Reads the first game of a text. `charge` is told how many moves there are before any is played, and may refuse.
pub fn read(
    text: &str,
    games: &Games,
    charge: impl FnOnce(u32) -> bool,
) -> Result<PgnAnswer, PgnError> {
    let record = record(text, games, charge)?;
    Ok(PgnAnswer {
        variant: games.shown(&games.name(record.start.variant())),
        start: record.start.fen(),
        line: line(&record.main, &record.start),
        tags: record.tags,
    })
}

/// The first game of a text with its moves understood; `charge` as for [`read`].
pub fn record(
    text: &str,
    games: &Games,
    charge: impl FnOnce(u32) -> bool,
) -> Result<Record, PgnError> {
    if text.len() > MAX_TEXT {
        return Err(PgnError::Long(text.len()));
    }
    let wrong = |error: String| PgnError::Wrong(error);
    let raw: RawGame = text.parse().map_err(|e| wrong(format!("PGN: {e}")))?;
    let moves = count(&raw.line);
    if moves > MAX_MOVES {
        return Err(PgnError::Moves(moves));
    }
    if !charge(1 + moves as u32) {
        return Err(PgnError::Rate);
    }
    let games = games.catalogue();
    let (named, known) = (
        |name: &str| games.named(name),
        || games.ids().collect::<Vec<_>>().join(", "),
    );
    Record::from_raw(&raw, named, known).map_err(|e| wrong(e.to_string()))
}

fn count(line: &Movetext) -> usize {
    let of = |node: &Node| 1 + node.variations.iter().map(count).sum::<usize>();
    line.moves.iter().map(of).sum()
}

/// An annotation as it stands after a move. The signs that most fonts lack are written in letters that all have.
fn sign(nag: &Nag) -> String {
    match nag.glyph() {
        _ if nag.0 == 14 => " +/=".into(),
        _ if nag.0 == 15 => " =/+".into(),
        _ if nag.0 == 22 => " zugzwang".into(),
        Some(Glyph::Suffix(text)) => text.into(),
        Some(Glyph::Word(text)) => format!(" {text}"),
        None => format!(" {nag}"),
    }
}

// The reader of the text limits how deep variations nest, so recursion is bounded.
fn line(branch: &Branch, start: &Position) -> Vec<PgnMove> {
    let mut position = start.clone();
    let mut moves = Vec::with_capacity(branch.plies.len());
    for ply in &branch.plies {
        let after = position.play_unchecked(ply.m);
        moves.push(PgnMove {
            played: Played {
                uci: position.uci(ply.m).to_string(),
                san: position.san(ply.m).unwrap_or_default(),
                fen: after.fen(),
                check: check(&after),
                spent_ms: None,
            },
            before: ply.before.iter().map(|c| c.to_string()).collect(),
            nags: ply.nags.iter().map(|nag| nag.0).collect(),
            signs: ply.nags.iter().map(sign).collect(),
            comments: ply.after.iter().map(|c| c.to_string()).collect(),
            variations: ply.variations.iter().map(|v| line(v, &position)).collect(),
        });
        position = after;
    }
    moves
}
