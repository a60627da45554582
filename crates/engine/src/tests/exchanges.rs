//! Exchanges as rows of data (`tests/data/exchanges.csv`): what a move wins, in pieces of the game.

use super::{Parts, Result, at_width};
use crate::values::Values;
use husun::set::Set;
use husun::tables::Tables;
use husun::{Move, Position, Variant};
use std::sync::Arc;

const ROWS: &str = include_str!("../../tests/data/exchanges.csv");

/// A sum of pieces, such as `P-N+R`.
fn sum(values: &Values, text: &str) -> Result<i32> {
    let (mut total, mut sign) = (0, 1);
    for letter in text.chars() {
        match letter {
            '+' => sign = 1,
            '-' => sign = -1,
            '0' => {}
            letter => {
                let piece = values.pieces.get(&letter.to_string());
                total += sign * piece.ok_or("no such piece")?.mg;
            }
        }
    }
    Ok(total)
}

/// Whether the move wins exactly that much.
fn wins<S: Set>(
    variant: &Arc<Variant>,
    tables: &Arc<Tables<S>>,
    position: &Position,
    m: Move,
    value: &str,
) -> Result<(bool, i32)> {
    let parts = Parts::new(variant, tables);
    let pos = position.at_width().ok_or("another width")?;
    let expected = sum(&parts.values, value)?;
    let wins = |threshold| parts.exchanges.see(pos, m, threshold);
    let limits = -4000..4000;
    let found = limits.clone().rev().find(|&threshold| wins(threshold));
    // Any lesser threshold is reached too.
    let falls = limits.step_by(50).all(|t| wins(t) == (t <= expected));
    Ok((
        falls && found == Some(expected),
        found.unwrap_or(i32::MIN) - expected,
    ))
}

#[test]
fn exchanges_win_what_they_win() -> Result<()> {
    let mut wrong = Vec::new();
    for row in ROWS.lines().skip(1) {
        let fields: Vec<&str> = row.splitn(5, ',').collect();
        let [id, fen, uci, value, _why] = fields[..] else {
            return Err(format!("not a row: {row}").into());
        };
        let game = games::variant(id).ok_or("no such game")?;
        let position = game.position(fen).map_err(|e| format!("{row}: {e}"))?;
        let m = position.parse_uci(uci).map_err(|e| format!("{row}: {e}"))?;
        let (right, off) = at_width!(wins, game, &position, m, value)?;
        if !right {
            wrong.push(format!("{row}: {off} more"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    Ok(())
}
