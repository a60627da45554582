//! Which moves come first: the one that the table remembers, captures that pay, killers, quiet moves by
//! what earlier parts of the search say of them, captures that lose.

use crate::search::{BEFORE, Node, Worker};
use husun::pos::Pos;
use husun::set::Set;
use husun::{Move, PackedMove};

/// A move with its rank.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scored {
    pub m: Move,
    pub score: i32,
}

const FIRST: i32 = i32::MAX;
const GOOD: i32 = 10_000_000;
const KILLER: i32 = 1_000_000;
const BAD: i32 = -20_000_000;

impl<S: Set> Worker<S> {
    /// The moves of a node with their ranks, or only those that change much, and whether the side may accept
    /// a draw instead of them. The list is that of a place, to be put back there when it is done with.
    #[inline(always)]
    pub(crate) fn ordered(
        &mut self,
        node: &Node<S>,
        tt_move: Option<PackedMove>,
        ply: usize,
        place: usize,
        noisy: bool,
    ) -> (Vec<Scored>, bool) {
        let mut raw = std::mem::take(&mut self.raw);
        raw.clear();
        if noisy {
            self.eval.tables.noisy_moves(node.pos, &mut raw);
        } else {
            self.eval.tables.legal_moves(node.pos, &mut raw);
        }
        let accepted = !noisy && self.may_accept(node.in_check, &raw);
        let mut list = std::mem::take(&mut self.lists[place]);
        self.rank(node.pos, &raw, tt_move, ply, &mut list);
        self.raw = raw;
        (list, accepted)
    }

    /// Fills the list with the moves and their ranks.
    pub(crate) fn rank(
        &self,
        pos: &Pos<S>,
        moves: &[Move],
        tt_move: Option<PackedMove>,
        ply: usize,
        list: &mut Vec<Scored>,
    ) {
        list.clear();
        let us = pos.turn();
        let before = self.before(ply);
        let killers = self.frames[ply + BEFORE].killers;
        let counter = self.history.counter(us, before[0]);
        for &m in moves {
            let score = if Some(m.packed()) == tt_move {
                FIRST
            } else if pos.is_noisy(m) {
                let taken = Self::taken(pos, m);
                GOOD + 16 * self.eval.gain_of(pos, m) + self.history.capture(m, taken)
            } else if Some(m) == killers[0] {
                KILLER + 2
            } else if Some(m) == killers[1] {
                KILLER + 1
            } else if Some(m) == counter {
                KILLER
            } else {
                self.history.quiet_after(us, m, before)
            };
            list.push(Scored { m, score });
        }
    }

    /// Brings the best of the moves from `i` on to `i`.
    #[inline(always)]
    pub(crate) fn pick(list: &mut [Scored], i: usize) -> Move {
        let mut best = i;
        for j in i + 1..list.len() {
            if list[j].score > list[best].score {
                best = j;
            }
        }
        list.swap(i, best);
        list[i].m
    }

    /// The same, with captures that lose put behind all quiet moves. Tells too whether the move is a
    /// capture that loses.
    #[inline(always)]
    pub(crate) fn pick_sound(&self, pos: &Pos<S>, list: &mut [Scored], i: usize) -> (Move, bool) {
        loop {
            let m = Self::pick(list, i);
            let score = list[i].score;
            if score < GOOD / 2 || score == FIRST {
                return (m, score < BAD / 2);
            }
            if self
                .eval
                .see(pos, m, -self.history.capture(m, Self::taken(pos, m)) / 64)
            {
                return (m, false);
            }
            list[i].score = score - GOOD + BAD;
        }
    }
}
