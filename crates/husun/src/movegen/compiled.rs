//! What generates moves, for the three widths. Generic, it would be compiled again, for each width and kind of processor, by
//! every crate that calls it, which took such crates half to two thirds of their time.

use super::attack::InCheck;
use super::{Any, Count, List, Walk};
use crate::attacks::Noisy;
use crate::moves::Move;
use crate::play::Perft;
use crate::pos::Pos;
use crate::set::{Set, Words};
use crate::side::Side;
use crate::tables::Tables;

/// Functions of a width, as [`Tables`] offers them for any.
#[doc(hidden)]
pub trait Compiled: Sized {
    fn find_move(
        tables: &Tables<Self>,
        pos: &Pos<Self>,
        wanted: &mut dyn FnMut(Move) -> bool,
    ) -> Option<Move>
    where
        Self: Set;
    fn legal_moves(tables: &Tables<Self>, pos: &Pos<Self>, moves: &mut Vec<Move>)
    where
        Self: Set;
    fn noisy_moves(tables: &Tables<Self>, pos: &Pos<Self>, moves: &mut Vec<Move>)
    where
        Self: Set;
    fn count_moves(tables: &Tables<Self>, pos: &Pos<Self>) -> u64
    where
        Self: Set;
    fn has_moves(tables: &Tables<Self>, pos: &Pos<Self>) -> bool
    where
        Self: Set;
    fn in_check(tables: &Tables<Self>, pos: &Pos<Self>, side: Side) -> bool
    where
        Self: Set;
    fn perft(tables: &Tables<Self>, pos: &Pos<Self>, lists: &mut [Vec<Move>]) -> u64
    where
        Self: Set;
}

macro_rules! compiled {
    ($($words:literal),+) => {$(
        impl Compiled for Words<$words> {
            fn find_move(
                tables: &Tables<Self>,
                pos: &Pos<Self>,
                wanted: &mut dyn FnMut(Move) -> bool,
            ) -> Option<Move> {
                let mut walk = Walk { wanted, found: None };
                tables.generate(pos, &mut walk);
                walk.found
            }
            fn legal_moves(tables: &Tables<Self>, pos: &Pos<Self>, moves: &mut Vec<Move>) {
                tables.generate(pos, &mut List(moves));
            }
            fn noisy_moves(tables: &Tables<Self>, pos: &Pos<Self>, moves: &mut Vec<Move>) {
                let enemy = pos.side(pos.turn.opponent());
                tables.generate(pos, &mut Noisy { moves, enemy });
            }
            fn count_moves(tables: &Tables<Self>, pos: &Pos<Self>) -> u64 {
                let mut count = Count(0);
                tables.generate(pos, &mut count);
                count.0
            }
            fn has_moves(tables: &Tables<Self>, pos: &Pos<Self>) -> bool {
                let mut any = Any(false);
                tables.generate(pos, &mut any);
                any.0
            }
            fn in_check(tables: &Tables<Self>, pos: &Pos<Self>, side: Side) -> bool {
                tables.level.run(InCheck { tables, pos, side })
            }
            fn perft(tables: &Tables<Self>, pos: &Pos<Self>, lists: &mut [Vec<Move>]) -> u64 {
                tables.level.run(Perft { tables, pos, lists })
            }
        }
    )+};
}
compiled!(1, 2, 3);
