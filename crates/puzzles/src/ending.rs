//! Positions of few men, drawn by lot: where endings are decided, and games saved.

use engine::Random;
use husun::{CastlingRights, Kind, Position, Setup, Side, Status, Variant};
use std::sync::Arc;

/// Arrangements that are drawn until one is a position of the game.
const TRIES: u32 = 1000;

/// A position that goes on, with so many men: a royal piece of each side, if the game has them, and others of the set-up's
/// kinds of either side. None if no arrangement that was drawn is one. The same seed gives the same.
pub(crate) fn draw(variant: &Arc<Variant>, men: u32, seed: u64) -> Option<Position> {
    let mut random = Random::new(seed);
    let mut one_of = |n: usize| random.below(n as u64) as usize;
    let start = variant.start().setup();
    let of = |side: Side, royal: bool| -> Vec<Kind> {
        let standing = start.board.iter().flatten();
        let mut kinds: Vec<Kind> = standing.filter(|m| m.0 == side).map(|m| m.1).collect();
        kinds.retain(|&kind| variant.piece(kind).royal == royal);
        kinds.sort_unstable();
        kinds.dedup();
        kinds
    };
    let royals = Side::ALL.map(|side| of(side, true));
    let others = Side::ALL.map(|side| of(side, false));
    let leaders = royals.iter().filter(|kinds| !kinds.is_empty()).count() as u32;
    if men as usize > start.board.len() {
        return None;
    }
    for _ in 0..TRIES {
        let mut board = vec![None; start.board.len()];
        let mut free: Vec<usize> = (0..board.len()).collect();
        let mut put = |man: (Side, Kind), one_of: &mut dyn FnMut(usize) -> usize| {
            board[free.swap_remove(one_of(free.len()))] = Some(man);
        };
        for side in Side::ALL {
            if let Some(&royal) = royals[side.index()].first() {
                put((side, royal), &mut one_of);
            }
        }
        for _ in leaders..men {
            let side = Side::ALL[one_of(2)];
            let kinds = &others[side.index()];
            if !kinds.is_empty() {
                let kind = kinds[one_of(kinds.len())];
                put((side, kind), &mut one_of);
            }
        }
        if board.iter().flatten().count() != men as usize {
            continue;
        }
        let setup = Setup {
            board,
            turn: Side::ALL[one_of(2)],
            rights: CastlingRights::default(),
            en_passant: vec![],
            state: 0,
            halfmove: 0,
            fullmove: 1,
        };
        let position = Position::from_setup(variant, &setup).ok();
        if let Some(position) = position.filter(|p| p.status() == Status::Ongoing) {
            return Some(position);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_game_has_positions_of_few_men() {
        for id in games::in_order() {
            let variant = games::variant(id).unwrap();
            for seed in 0..20 {
                let drawn = draw(&variant, 5, seed).unwrap_or_else(|| panic!("{id}, {seed}"));
                let men = drawn.setup().board.iter().flatten().count();
                assert_eq!(men, 5, "{id}: {}", drawn.fen());
                assert_eq!(drawn.status(), Status::Ongoing, "{id}: {}", drawn.fen());
                let again = draw(&variant, 5, seed).map(|p| p.fen());
                assert_eq!(again, Some(drawn.fen()), "{id}");
            }
        }
    }
}
