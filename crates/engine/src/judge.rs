//! How positions are judged: what the search asks of any evaluation. The hand-made one is in `eval`; which one a
//! game is played with is decided in `engine`, once.

use crate::eval::{Evaluation, Handmade};
use crate::network::NetworkJudge;
use husun::Move;
use husun::pos::Pos;
use husun::set::Set;

/// Judges the positions of a line as the search goes down and back up.
///
/// A judge keeps a stack, one entry for each position from the root on, so that what it knows of a position can be
/// derived from what it knows of the one before (piece-square sums, the first layer of a network) and is at hand
/// again when a move is taken back. Every thread has its own clone.
pub(crate) trait Judge<S: Set>: Clone + Send + Sync {
    /// Begins at a root; anything on the stack is forgotten.
    fn reset(&mut self, pos: &Pos<S>);

    /// A legal move was made, from the position last pushed to `next`.
    fn push(&mut self, pos: &Pos<S>, m: Move, next: &Pos<S>);

    /// The side to move has passed, which led to `next`.
    fn push_null(&mut self, next: &Pos<S>);

    /// The last move, or pass, is taken back.
    fn pop(&mut self);

    /// How good the position last pushed, which is also given, is for the side to move, in centipawns and
    /// outside the range of mate scores. Deep in quiescence, it is asked about a side in check too.
    fn evaluate(&mut self, pos: &Pos<S>) -> i32;

    /// The evaluation of any position by itself, with its parts.
    fn explain(&self, pos: &Pos<S>) -> Evaluation;
}

/// The judge that a game has. The search is compiled once for both kinds: for each by itself it is no faster, and takes
/// half as long again to build.
#[derive(Clone)]
pub(crate) enum AnyJudge<S: Set> {
    Handmade(Handmade<S>),
    Network(NetworkJudge<S>),
}

/// The same of whichever it is.
macro_rules! either {
    ($any:expr, $judge:ident => $what:expr) => {
        match $any {
            AnyJudge::Handmade($judge) => $what,
            AnyJudge::Network($judge) => $what,
        }
    };
}

impl<S: Set> Judge<S> for AnyJudge<S> {
    fn reset(&mut self, pos: &Pos<S>) {
        either!(self, judge => judge.reset(pos));
    }

    #[inline(always)]
    fn push(&mut self, pos: &Pos<S>, m: Move, next: &Pos<S>) {
        either!(self, judge => judge.push(pos, m, next));
    }

    #[inline(always)]
    fn push_null(&mut self, next: &Pos<S>) {
        either!(self, judge => judge.push_null(next));
    }

    #[inline(always)]
    fn pop(&mut self) {
        either!(self, judge => judge.pop());
    }

    #[inline(always)]
    fn evaluate(&mut self, pos: &Pos<S>) -> i32 {
        either!(self, judge => judge.evaluate(pos))
    }

    fn explain(&self, pos: &Pos<S>) -> Evaluation {
        either!(self, judge => judge.explain(pos))
    }
}
