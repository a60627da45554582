//! The part of the evaluation that is updated move by move, and the hand-made evaluation as a judge.

use super::{Evaluation, Evaluator};
use crate::judge::Judge;
use crate::pair::Pair;
use crate::score::MAX_PLY;
use husun::pos::Pos;
use husun::set::Set;
use husun::{Kind, Move, Side, Special};
use std::sync::Arc;

/// The part of an evaluation that is updated move by move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Running {
    /// Pieces and squares, White's less Black's.
    pub squares: Pair,
    /// Sum of the phase weights on the board.
    pub phase: i32,
}

impl<S: Set> Evaluator<S> {
    #[inline(always)]
    fn psq(&self, side: Side, kind: Kind, square: usize) -> Pair {
        self.psq[(2 * kind.index() + side.index()) * self.tables.square_count() + square]
    }

    /// The running part computed anew.
    fn running(&self, pos: &Pos<S>) -> Running {
        let mut running = Running::default();
        for worth in &self.kinds {
            for side in Side::ALL {
                for square in pos.pieces(side, worth.kind).iter() {
                    running.squares += self.psq(side, worth.kind, usize::from(square));
                    running.phase += worth.phase;
                }
            }
        }
        running
    }

    /// The running part after a legal move, which led from `pos` to `next`.
    #[inline]
    fn after(&self, running: Running, pos: &Pos<S>, m: Move, next: &Pos<S>) -> Running {
        if m.is_whole_act() || matches!(m.special(), Special::CastleEast | Special::CastleWest) {
            return self.running(next);
        }
        let us = pos.turn();
        let mut after = running;
        if let Some((square, kind)) = pos.captured(m) {
            after.squares -= self.psq(us.opponent(), kind, usize::from(square));
            after.phase -= self.kinds[kind.index()].phase;
        }
        after.squares -= self.psq(us, m.piece(), m.from().index());
        after.squares += self.psq(us, m.placed(), m.to().index());
        if m.changes_kind() {
            after.phase +=
                self.kinds[m.placed().index()].phase - self.kinds[m.piece().index()].phase;
        }
        debug_assert_eq!(after, self.running(next));
        after
    }
}

/// The hand-made evaluation along a line.
#[derive(Clone)]
pub(crate) struct Handmade<S: Set> {
    eval: Arc<Evaluator<S>>,
    /// The running part of each position of the line, the last one's on top.
    line: Vec<Running>,
}

impl<S: Set> Handmade<S> {
    pub fn new(eval: Arc<Evaluator<S>>) -> Handmade<S> {
        Handmade {
            eval,
            line: Vec::with_capacity(MAX_PLY + 1),
        }
    }

    #[inline(always)]
    fn last(&self) -> Running {
        self.line.last().copied().unwrap_or_default()
    }
}

impl<S: Set> Judge<S> for Handmade<S> {
    fn reset(&mut self, pos: &Pos<S>) {
        self.line.clear();
        self.line.push(self.eval.running(pos));
    }

    #[inline(always)]
    fn push(&mut self, pos: &Pos<S>, m: Move, next: &Pos<S>) {
        let running = self.eval.after(self.last(), pos, m, next);
        self.line.push(running);
    }

    #[inline(always)]
    fn push_null(&mut self, _next: &Pos<S>) {
        self.line.push(self.last());
    }

    #[inline(always)]
    fn pop(&mut self) {
        self.line.pop();
    }

    #[inline]
    fn evaluate(&mut self, pos: &Pos<S>) -> i32 {
        self.eval.parts(pos, self.last()).total
    }

    fn explain(&self, pos: &Pos<S>) -> Evaluation {
        self.eval.parts(pos, self.eval.running(pos))
    }
}
