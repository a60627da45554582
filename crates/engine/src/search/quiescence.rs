//! Quiescence: captures and promotions until nothing hangs, all moves when in check; deep down only exchanges on the
//! square of the last capture, as on a large board with much hanging the captures from a single position run into
//! millions.

use super::picker::MovePicker;
use super::{Node, Run, Wanted, Window, Worker};
use crate::judge::Judge;
use crate::score::{INFINITE, MATE_BOUND, NONE};
use crate::tt::{Bound, Entry};
use husun::Move;
use husun::set::Set;

/// If a side has more captures than this, only the first ply tries them all: in a game of many hoppers even a
/// one-ply search would take minutes.
const CROWDED: usize = 48;
/// Plies of quiescence in which all captures are tried, and checks answered with all moves.
const WIDE: i32 = 6;

/// The state of a position's quiescence search.
struct Quiescence {
    alpha: i32,
    beta: i32,
    /// Futility base: a capture is skipped if this plus its gain does not exceed alpha.
    futile: i32,
    best: i32,
    best_move: Option<Move>,
    /// Whether all moves are tried, to get out of check.
    evading: bool,
    /// The only square on which captures are tried.
    only: Option<usize>,
    deep: i32,
}

impl<S: Set, J: Judge<S>> Worker<S, J> {
    pub(super) fn quiescence<const PV: bool>(
        &mut self,
        run: &Run,
        node: &Node<S>,
        window: Window,
        ply: usize,
        deep: i32,
    ) -> i32 {
        if let Some(score) = self.enter::<PV>(run, node, ply) {
            return score;
        }
        let Window { mut alpha, beta } = window;
        let pos = node.pos;
        let known = run.table.get(pos.key(), ply);
        if let Some(score) = known.and_then(|e| e.cuts(window)).filter(|_| !PV) {
            return score;
        }
        if let Some(m) = known.and_then(|e| e.m) {
            self.fetch(run, node.pos, m);
        }
        let evading = node.in_check && deep < WIDE;
        let mut eval = NONE;
        let mut best = -INFINITE;
        if !evading {
            let judged = self.judged(node, known, ply);
            eval = judged.eval;
            best = known.map_or(judged.corrected, |e| e.sharpen(judged.corrected));
            if best >= beta {
                if known.is_none() {
                    let entry = Entry::of_eval(eval, PV);
                    run.table.put(pos.key(), ply, entry);
                }
                return best;
            }
            alpha = alpha.max(best);
        }
        let wanted = if evading { Wanted::All } else { Wanted::Noisy };
        let table_move = known.and_then(|e| e.m);
        let (mut picker, accepted) = self.picker(node, table_move, ply, wanted);
        if evading && picker.is_empty() {
            self.put_back(picker);
            return self.no_moves(ply, node.in_check);
        }
        let narrow = deep >= WIDE || (deep > 0 && !evading && picker.len() > CROWDED);
        let last = self.before(ply)[0].filter(|_| narrow);
        let mut state = Quiescence {
            alpha,
            beta,
            futile: best + self.parameters.futile,
            best: if accepted { 0 } else { best },
            best_move: None,
            evading,
            only: last.map(|moved| self.history.target(moved)),
            deep,
        };
        self.try_captures::<PV>(run, node, ply, &mut picker, &mut state);
        self.put_back(picker);
        if self.stopped {
            return 0;
        }
        let bound = if state.best >= beta {
            Bound::Lower
        } else if PV && state.best > window.alpha {
            Bound::Exact
        } else {
            Bound::Upper
        };
        let entry = Entry {
            m: state.best_move.map(Move::packed),
            score: state.best,
            eval,
            depth: 0,
            bound,
            pv: PV,
        };
        run.table.put(pos.key(), ply, entry);
        state.best
    }

    /// Tries what may still change the score, until there is a cutoff or the search is stopped.
    #[inline(always)]
    fn try_captures<const PV: bool>(
        &mut self,
        run: &Run,
        node: &Node<S>,
        ply: usize,
        picker: &mut MovePicker,
        state: &mut Quiescence,
    ) {
        let pos = node.pos;
        let mut tried = 0;
        while let Some((m, _)) = picker.next(pos, &self.exchanges, &self.history) {
            if state.best > -MATE_BOUND {
                if state.evading {
                    if tried > 1 && !pos.is_noisy(m) {
                        // Enough ways out of check seen.
                        return;
                    }
                } else {
                    if state.only.is_some_and(|to| to != m.to().index()) {
                        continue;
                    }
                    let gain = self.exchanges.gain_of(pos, m);
                    if state.futile + gain <= state.alpha {
                        state.best = state.best.max(state.futile + gain);
                        continue;
                    }
                    if !self.exchanges.see(pos, m, 0) {
                        continue;
                    }
                }
            }
            tried += 1;
            let mut next = *node.pos;
            let in_check = self.make(run, node, m, ply, &mut next);
            let child = Node {
                pos: &next,
                in_check,
            };
            if let Some(m) = picker.ahead() {
                self.fetch(run, pos, m.packed());
            }
            let w = Window::new(state.alpha, state.beta).flipped();
            let score = -self.quiescence::<PV>(run, &child, w, ply + 1, state.deep + 1);
            self.unmake();
            if self.stopped {
                return;
            }
            if score > state.best {
                state.best = score;
                if score > state.alpha {
                    state.best_move = Some(m);
                    if PV {
                        self.extend_line(ply, m);
                    }
                    if score >= state.beta {
                        return;
                    }
                    state.alpha = score;
                }
            }
        }
    }
}
