//! What the fuzz targets share: a game and a text from the fuzzer's bytes.

use husun::{Position, Variant};
use std::sync::{Arc, OnceLock};

/// All games.
pub fn variants() -> &'static [Arc<Variant>] {
    static ALL: OnceLock<Vec<Arc<Variant>>> = OnceLock::new();
    ALL.get_or_init(|| games::ids().filter_map(games::variant).collect())
}

/// A game by the first byte, the rest as text if it is one.
pub fn game_and_text(data: &[u8]) -> Option<(&'static Arc<Variant>, &str)> {
    let (&first, rest) = data.split_first()?;
    let all = variants();
    let variant = &all[usize::from(first) % all.len()];
    Some((variant, std::str::from_utf8(rest).ok()?))
}

/// A position some random moves into a game: the second byte tells how many, the next ones which.
pub fn position_and_text(data: &[u8]) -> Option<(Position, &str)> {
    let (&first, rest) = data.split_first()?;
    let (&count, rest) = rest.split_first()?;
    let all = variants();
    let mut position = all[usize::from(first) % all.len()].start();
    let choices = usize::from(count % 64).min(rest.len());
    let (choices, text) = rest.split_at(choices);
    for &choice in choices {
        let moves = position.legal_moves();
        if moves.is_empty() {
            break;
        }
        position = position.play(moves[usize::from(choice) % moves.len()]);
    }
    Some((position, std::str::from_utf8(text).ok()?))
}
