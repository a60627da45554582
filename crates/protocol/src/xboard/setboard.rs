//! Positions as XBoard writes them: without the state field (prisoners and the like), with ranks counted from 0 if
//! there are ten, with castling rights that it only guesses.

use super::notation::from_xboard;
use husun::position::PositionError;
use husun::{Position, Variant};
use std::sync::Arc;

/// Reads a position text in our form or in XBoard's. What XBoard leaves out is filled in with as many of the game's
/// flags set as possible. A set-up's board without castling rights stands for the set-up: that is how XBoard hands it
/// from one engine to the other.
///
/// ```
/// use husun_protocol::xboard::read_position;
/// let citadel = games::variant("citadel9").unwrap();
/// let fen = "whsbkgshw/ppppppppp/9/9/9/9/9/PPPPPPPPP/WHSTKMSHW w KQkq - 0 1";
/// assert_eq!(read_position(&citadel, fen).unwrap(), citadel.start());
/// let handed_on = fen.replace("KQkq", "-");
/// assert_eq!(read_position(&citadel, &handed_on).unwrap(), citadel.start());
/// assert!(read_position(&citadel, "9/9 w").is_err());
/// ```
pub fn read_position(variant: &Arc<Variant>, fen: &str) -> Result<Position, PositionError> {
    if let Some(setup) = as_setup(variant, fen) {
        return Ok(setup);
    }
    let first = variant.position(fen);
    if first.is_ok() {
        return first;
    }
    let fields: Vec<&str> = fen.split_whitespace().collect();
    let field = |i: usize, otherwise| fields.get(i).copied().unwrap_or(otherwise);
    let (board, side) = (field(0, ""), field(1, "w"));
    let passed = from_xboard(field(3, "-"), variant.frame().ranks()).unwrap_or_default();
    let counters = format!("{} {}", field(4, "0"), field(5, "1"));
    let flags = variant.state_flags();
    let mut states: Vec<u32> = (0..1 << flags.len().min(8)).collect();
    states.sort_by_key(|s| std::cmp::Reverse(s.count_ones()));
    for castling in [field(2, "-"), "-"] {
        for passed in [passed.as_str(), "-"] {
            for &state in &states {
                let chosen = flags.iter().enumerate();
                let chosen = chosen.filter(|(i, _)| state >> i & 1 != 0);
                let mut letters: String = chosen.map(|(_, flag)| flag.0).collect();
                if letters.is_empty() {
                    letters.push('-');
                }
                let state = match flags.is_empty() {
                    true => String::new(),
                    false => format!("{letters} "),
                };
                let text = format!("{board} {side} {castling} {passed} {state}{counters}");
                if let Ok(position) = variant.position(&text) {
                    return Ok(position);
                }
            }
        }
    }
    first
}

/// The set-up whose board, side and counters the text has, if the text gives no castling rights.
fn as_setup(variant: &Arc<Variant>, fen: &str) -> Option<Position> {
    let fields: Vec<&str> = fen.split_whitespace().collect();
    if fields.get(2) != Some(&"-") {
        return None;
    }
    let names = variant.setups().iter();
    let mut starts = names.filter_map(|setup| variant.start_of(&setup.name));
    starts.find(|start| {
        start
            .fen()
            .split(' ')
            .take(2)
            .eq(fields.iter().copied().take(2))
    })
}
