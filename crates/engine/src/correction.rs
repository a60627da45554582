//! Correction history: what searches have found positions to be worth beyond what the judge says of them, by what such positions
//! have in common: where the pawns are, where the other men of a side are, the last two moves. A position that shares some of
//! this is judged by as much better or worse.

use crate::facts::Facts;
use crate::history::{self, PieceTo};
use crate::score::clamp_eval;
use husun::Side;
use husun::pos::Pos;
use husun::set::Set;
use std::hint::black_box;

/// Logarithm of the number of entries of a table for a side to move. Positions that fall on the same one share it.
const BITS: u32 = 14;
/// What positions can have in common: the pawns, White's other men, Black's, the last two moves.
const TABLES: usize = 4;
/// Bound of all entries.
const BOUND: i32 = 4096;
/// The most that one result teaches.
const MOST: i32 = 1024;
/// What is learned from each centipawn and ply.
const SLOPE: i32 = 4;
/// Centipawns of an entry at its bound.
const CENTIPAWNS: i32 = 12;

/// The tables of one thread.
pub(crate) struct Corrections {
    /// By table, side to move and what is in common.
    entries: Vec<i16>,
}

/// Where the entries of a position are, one in each table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Places([u32; TABLES]);

/// Odd numbers by which words are multiplied, so that the highest bits of the product depend on all of theirs.
const FACTORS: [u64; 4] = [
    0x9e37_79b9_7f4a_7c15,
    0xbf58_476d_1ce4_e5b9,
    0x94d0_49bb_1331_11eb,
    0xd6e8_feb8_6659_fd93,
];

/// A number for the squares of a set, of which the highest bits count.
#[inline(always)]
fn key<S: Set>(set: S) -> u64 {
    const { assert!(S::WORDS <= FACTORS.len()) };
    (0..S::WORDS).fold(0, |key: u64, i| {
        let word = set.word(i);
        key.wrapping_add((word ^ (word >> 29)).wrapping_mul(FACTORS[i]))
    })
}

impl Places {
    /// Those of a position to which two moves have led, the last one first.
    #[inline(always)]
    pub fn of<S: Set>(facts: &Facts<S>, pos: &Pos<S>, moves: [Option<PieceTo>; 2]) -> Places {
        let pawns = facts
            .pawns
            .iter()
            .fold(S::EMPTY, |all, &kind| all | pos.kind(kind));
        let [white, black] = [Side::White, Side::Black].map(|side| pos.side(side));
        let [last, own] = moves.map(|m| m.map_or(0, |m| u64::from(m) + 1));
        let keys = [
            key(white & pawns).wrapping_sub(key(black & pawns).wrapping_mul(FACTORS[3])),
            key(white.without(pawns)),
            key(black.without(pawns)),
            (last << 16 ^ own).wrapping_mul(FACTORS[0]),
        ];
        let turn = pos.turn().index();
        Places(std::array::from_fn(|table| {
            let place = (keys[table] >> (u64::BITS - BITS)) as usize;
            (((2 * table + turn) << BITS) + place) as u32
        }))
    }
}

impl Corrections {
    pub fn new() -> Corrections {
        Corrections {
            entries: vec![0; (2 * TABLES) << BITS],
        }
    }

    pub fn clear(&mut self) {
        // As in the history: so that the memory is touched.
        black_box(&mut self.entries).fill(0);
    }

    /// What the judge says, corrected.
    #[inline(always)]
    pub fn apply(&self, places: Places, eval: i32) -> i32 {
        let sum = places.0.map(|at| i32::from(self.entries[at as usize]));
        clamp_eval(eval + sum.iter().sum::<i32>() * CENTIPAWNS / BOUND)
    }

    /// Learns that a search of so many plies has found a position to be better by so many centipawns than was said.
    pub fn learn(&mut self, places: Places, better: i32, depth: i32) {
        let bonus = (better * depth * SLOPE).clamp(-MOST, MOST);
        for at in places.0 {
            history::update::<BOUND>(&mut self.entries[at as usize], bonus);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_learned_stays_within_bounds() {
        let mut corrections = Corrections::new();
        let places = Places([3, 40_000, 70_000, 110_000]);
        let mut before = 0;
        for _ in 0..100 {
            corrections.learn(places, 60, 7);
            let now = corrections.apply(places, 0);
            assert!(now >= before && now <= CENTIPAWNS * TABLES as i32, "{now}");
            before = now;
        }
        assert!(before > CENTIPAWNS * TABLES as i32 * 9 / 10, "{before}");
        // A position that has one thing in common is corrected by a quarter; one that has nothing not at all.
        let other = Places([3, 1, 2, 4]);
        assert_eq!(corrections.apply(other, -100), -100 + before / 4);
        assert_eq!(corrections.apply(Places([5, 6, 7, 8]), 77), 77);
        // New results outweigh old ones.
        for _ in 0..20 {
            corrections.learn(places, -60, 7);
        }
        assert!(corrections.apply(places, 0) < 0);
        corrections.clear();
        assert_eq!(corrections.apply(places, 5), 5);
        let far = crate::score::MATE_BOUND - 1;
        corrections.learn(places, 1000, 10);
        assert_eq!(corrections.apply(places, far), far);
    }
}
