//! Positions of all games that tests go through: from random play, and reflected. The tests outside of the crate have
//! them, too.

use super::{Random, Result};
use husun::variant::StateFlag;
use husun::{CastlingRights, Position, Setup, Status, Variant};
use std::sync::Arc;

pub fn all_games() -> impl Iterator<Item = Arc<Variant>> {
    games::ids().filter_map(games::variant)
}

/// Positions at most `plies` random moves after the set-up; the same in every run.
pub fn random_positions(game: &Arc<Variant>, count: usize, plies: u64) -> Vec<Position> {
    let mut random = Random::new(0x0070_6172_7473);
    let walk = |_| {
        let mut position = game.start();
        for _ in 0..random.below(plies) {
            let moves = position.legal_moves();
            let next = position.play_unchecked(moves[random.below(moves.len() as u64) as usize]);
            if next.status() != Status::Ongoing {
                break;
            }
            position = next;
        }
        position
    };
    (0..count).map(walk).collect()
}

/// The position reflected top to bottom, with the colours exchanged.
pub fn reflected(position: &Position) -> Result<Position> {
    let variant = position.variant();
    let old = position.setup();
    let mirror = |s| {
        variant
            .frame()
            .mirror(s)
            .ok_or("a board that has no mirror")
    };
    let mut board = vec![None; old.board.len()];
    for square in variant.frame().squares() {
        let piece = old.piece_on(square);
        board[mirror(square)?.index()] = piece.map(|(side, kind)| (side.opponent(), kind));
    }
    let mut rights = CastlingRights::default();
    for (_, side, wing) in CastlingRights::LETTERS {
        if old.rights.has(side, wing) {
            rights.add(side.opponent(), wing);
        }
    }
    let mut state = 0;
    let flags = variant.state_flags();
    for (i, (_, flag)) in flags.iter().enumerate() {
        let other = match *flag {
            StateFlag::InPrison(side, kind) => StateFlag::InPrison(side.opponent(), kind),
            StateFlag::Castled(side) => StateFlag::Castled(side.opponent()),
            both => both,
        };
        let at = flags.iter().position(|(_, flag)| *flag == other);
        state |= (old.state >> i & 1) << at.ok_or("a flag of one side alone")?;
    }
    let en_passant = old.en_passant.iter().map(|&s| mirror(s));
    let setup = Setup {
        board,
        turn: old.turn.opponent(),
        rights,
        en_passant: en_passant.collect::<std::result::Result<_, _>>()?,
        state,
        ..old
    };
    Ok(Position::from_setup(variant, &setup)?)
}
