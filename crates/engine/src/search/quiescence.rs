//! Quiescence: captures and promotions until nothing hangs, all moves out of check; deep down only exchanges on the
//! square of the last capture, as on a large board with much hanging the captures of a single position go into millions.

use super::{Node, Run, Window, Worker};
use crate::score::{INFINITE, MATE_BOUND, MAX_PLY, NONE, from_table, to_table};
use crate::tt::{Bound, Entry};
use husun::Move;
use husun::set::Set;

/// Where a side has more captures than this, only the first ply tries them all: in a game of many hoppers even a search
/// of one ply would take minutes.
const CROWDED: usize = 48;
/// Plies of quiescence in which all captures are tried, and checks answered with all moves.
const WIDE: i32 = 6;

impl<S: Set> Worker<S> {
    pub(super) fn quiescence<const PV: bool>(
        &mut self,
        run: &Run,
        node: &Node<S>,
        window: Window,
        ply: usize,
        deep: i32,
    ) -> i32 {
        if self.tick(run) {
            return 0;
        }
        let Window { mut alpha, beta } = window;
        let pos = node.pos;
        if PV {
            self.lines[ply].clear();
            self.seldepth = self.seldepth.max(ply);
        }
        if let Some(score) = self.ended(pos, ply, node.in_check) {
            return score;
        }
        if ply >= MAX_PLY {
            return self.eval.evaluate(pos, node.running);
        }
        let known = run.table.get(pos.key());
        if let Some(entry) = known
            && !PV
        {
            let score = from_table(entry.score, ply);
            let cuts = match entry.bound {
                Bound::Exact => true,
                Bound::Lower => score >= beta,
                Bound::Upper => score <= alpha,
                Bound::None => false,
            };
            if cuts {
                return score;
            }
        }
        let evading = node.in_check && deep < WIDE;
        let mut static_eval = NONE;
        let mut best = -INFINITE;
        if !evading {
            static_eval = match known {
                Some(entry) if entry.eval != NONE => entry.eval,
                _ => self.eval.evaluate(pos, node.running),
            };
            best = match known {
                Some(e)
                    if e.bound == Bound::Exact
                        || (e.bound == Bound::Lower && e.score > static_eval)
                        || (e.bound == Bound::Upper && e.score < static_eval) =>
                {
                    from_table(e.score, ply)
                }
                _ => static_eval,
            };
            if best >= beta {
                if known.is_none() {
                    let entry = Entry::of_eval(static_eval, PV);
                    run.table.put(pos.key(), entry);
                }
                return best;
            }
            alpha = alpha.max(best);
        }
        let futile = best + 170;
        let tt_move = known.and_then(|e| e.m);
        let (mut list, accepted) = self.ordered(node, tt_move, ply, ply, !evading);
        if evading && list.is_empty() {
            self.lists[ply] = list;
            return self.no_moves(ply, node.in_check);
        }
        if accepted {
            best = 0;
        }
        let narrow = deep >= WIDE || (deep > 0 && !evading && list.len() > CROWDED);
        let last = self.before(ply)[0].filter(|_| narrow);
        let only = last.map(|moved| self.history.target(moved));
        let start = window.alpha;
        let mut best_move = None;
        let mut tried = 0;
        for i in 0..list.len() {
            let m = Self::pick(&mut list, i);
            if best > -MATE_BOUND {
                if !evading {
                    if only.is_some_and(|to| to != m.to().index()) {
                        continue;
                    }
                    let gain = self.eval.gain_of(pos, m);
                    if futile + gain <= alpha {
                        best = best.max(futile + gain);
                        continue;
                    }
                    if !self.eval.see(pos, m, 0) {
                        continue;
                    }
                } else if tried > 2 && !pos.is_noisy(m) {
                    // Enough quiet ways out seen.
                    break;
                }
            }
            tried += 1;
            let (next, running, in_check) = self.make(node, m, ply);
            let child = Node {
                pos: &next,
                running,
                in_check,
            };
            let w = Window::new(alpha, beta).flipped();
            let score = -self.quiescence::<PV>(run, &child, w, ply + 1, deep + 1);
            self.unmake();
            if self.stopped {
                self.lists[ply] = list;
                return 0;
            }
            if score > best {
                best = score;
                if score > alpha {
                    best_move = Some(m);
                    if PV {
                        self.extend_line(ply, m);
                    }
                    if score >= beta {
                        break;
                    }
                    alpha = score;
                }
            }
        }
        self.lists[ply] = list;
        let bound = if best >= beta {
            Bound::Lower
        } else if PV && best > start {
            Bound::Exact
        } else {
            Bound::Upper
        };
        let entry = Entry {
            m: best_move.map(Move::packed),
            score: to_table(best, ply),
            eval: static_eval,
            depth: 0,
            bound,
            pv: PV,
        };
        run.table.put(pos.key(), entry);
        best
    }
}
