//! A game's row among those that everybody may watch.

use crate::services::wall_ms;
use husun::Side;
use play::archive::UNTIMED;
use play::rating::Speed;
use play::table::{Stage, Table};
use store::running::{BoardRow, RunningRow, RunningSeat};

/// Class of a game's clock.
fn speed(table: &Table) -> &'static str {
    Speed::of(&table.spec().control).map_or(UNTIMED, Speed::name)
}

/// Whether a game has such a row: it is played, and everybody may watch.
pub fn is_shown(table: &Table) -> bool {
    table.stage() == Stage::Playing && table.is_public()
}

/// Whether a game rests when both players have left it: where nobody has to stay at the board none does.
pub fn may_rest(table: &Table) -> bool {
    is_shown(table) && speed(table) != Speed::Correspondence.name()
}

/// What stands on the board.
pub fn board(table: &Table) -> BoardRow {
    BoardRow {
        seq: i64::try_from(table.seq()).unwrap_or(i64::MAX),
        ply: i64::try_from(table.ply()).unwrap_or(i64::MAX),
        fen: table
            .game()
            .map_or_else(String::new, |game| game.position().fen()),
        last: table
            .played()
            .last()
            .map_or_else(String::new, |played| played.uci.clone()),
        at_ms: wall_ms(),
    }
}

/// The row of a game, if it has one, with its board.
pub fn begins(table: &Table, began_ms: i64) -> Option<(RunningRow, BoardRow)> {
    if !is_shown(table) {
        return None;
    }
    let seat = |side: Side| {
        let person = table.player_id(side)?;
        let known = table.person(side).filter(|_| table.level(side).is_none());
        Some(RunningSeat {
            first: crate::ratings::first(&person, 0).rating.round() as i64,
            name: table.player_name(side),
            account: known.is_some_and(|person| person.account),
            level: table.level(side).map(i64::from),
            person,
        })
    };
    let row = RunningRow {
        variant: table.variant_name()?,
        clock: table.spec().control.to_string(),
        speed: speed(table).into(),
        rated: table.spec().rated,
        seats: [seat(Side::White)?, seat(Side::Black)?],
        began_ms,
    };
    Some((row, board(table)))
}
