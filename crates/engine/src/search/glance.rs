//! How an unskilled player looks: a plain search of a few plies over the moves that it thinks of, without the memory
//! and the pruning of the full search. What is overlooked is overlooked for both sides.

use super::{Node, Run, Window, Worker};
use crate::judge::Judge;
use crate::root::{Root, RootMove};
use crate::score::INFINITE;
use crate::sight::{Look, Sight};
use husun::Move;
use husun::set::Set;

/// A look at a position.
pub(crate) struct Glance {
    /// What it thinks of.
    pub sight: Sight,
    /// Half-moves searched before captures alone; with 0 not even the opponent's answer is.
    pub depth: u32,
    /// Captures searched after that.
    pub captures: u32,
    /// Moves worse than the best by this much need no score of their own.
    pub margin: i32,
}

impl<S: Set, J: Judge<S>> Worker<S, J> {
    /// Looks at the root moves, one ply deeper after the other, the best first in the end. Overlooked moves get no
    /// score. Returns the depth that was completed.
    pub fn glance(
        &mut self,
        run: &Run,
        root: &Root<S>,
        moves: &mut [RootMove],
        at: &Glance,
    ) -> u32 {
        self.begin(run, root);
        let node = Node {
            pos: &root.pos,
            in_check: root.in_check,
        };
        let mut seen: Vec<Move> = moves.iter().map(|r| r.m).collect();
        self.retain_seen(&node, &mut seen, at, 0);
        // Those seen come first.
        moves.sort_by_key(|r| !seen.contains(&r.m));
        let seen = &mut moves[..seen.len()];
        for depth in 1..=at.depth.max(1) {
            self.root_depth = depth as i32;
            for r in seen.iter_mut() {
                (r.before, r.score) = (r.score, -INFINITE);
            }
            let mut best = -INFINITE;
            for r in seen.iter_mut() {
                let alpha = (best - at.margin).max(-INFINITE);
                let mut next = root.pos;
                let in_check = self.make(run, &node, r.m, 0, &mut next);
                let child = Node {
                    pos: &next,
                    in_check,
                };
                let window = Window::new(alpha, INFINITE).flipped();
                let left = depth as i32 - 1 - i32::from(at.depth == 0);
                let score = -self.glance_below(run, &child, window, left, 1, at);
                self.unmake();
                if self.stopped {
                    return depth - 1;
                }
                r.seldepth = depth as usize;
                r.score = score;
                best = best.max(score);
            }
            seen.sort_by_key(|r| (-r.score, -r.before));
        }
        at.depth.max(1)
    }

    fn glance_below(
        &mut self,
        run: &Run,
        node: &Node<S>,
        window: Window,
        depth: i32,
        ply: usize,
        at: &Glance,
    ) -> i32 {
        if self.tick(run) {
            return 0;
        }
        if let Some(score) = self.ended(node.pos, ply, node.in_check) {
            return score;
        }
        // Nobody overlooks an attack on a king once it is there: mates are seen.
        let all = depth > 0 || (node.in_check && ply <= 2);
        let deepest = depth <= -(at.captures as i32) || depth < 0 && at.depth == 0;
        let mut moves = Vec::new();
        match all {
            true => self.tables.legal_moves(node.pos, &mut moves),
            false if deepest => {}
            false => self.tables.noisy_moves(node.pos, &mut moves),
        }
        if all && moves.is_empty() {
            return self.no_moves(ply, node.in_check);
        }
        let mut best = match all {
            true if self.may_accept(node.in_check, &moves) => 0,
            true => -INFINITE,
            false => self.judge.evaluate(node.pos),
        };
        let Window { mut alpha, beta } = window;
        alpha = alpha.max(best);
        let last = self.last_target(ply);
        if !all {
            moves.retain(|m| depth == 0 || Some(m.to().index()) == last);
        }
        self.retain_seen(node, &mut moves, at, ply);
        if all && moves.is_empty() {
            return self.judge.evaluate(node.pos);
        }
        moves.sort_by_cached_key(|&m| -self.exchanges.gain_of(node.pos, m));
        for m in moves {
            if alpha >= beta {
                break;
            }
            let mut next = *node.pos;
            let in_check = self.make(run, node, m, ply, &mut next);
            let child = Node {
                pos: &next,
                in_check,
            };
            let below = Window::new(alpha, beta).flipped();
            let score = -self.glance_below(run, &child, below, depth - 1, ply + 1, at);
            self.unmake();
            if self.stopped {
                return 0;
            }
            best = best.max(score);
            alpha = alpha.max(score);
        }
        best
    }

    /// Where the last move of the line went.
    fn last_target(&self, ply: usize) -> Option<usize> {
        let moved = self.before(ply)[0]?;
        Some(self.history.target(moved))
    }

    /// Leaves out overlooked moves: none if the side is in check, and never all of them.
    fn retain_seen(&self, node: &Node<S>, moves: &mut Vec<Move>, at: &Glance, ply: usize) {
        if node.in_check {
            return;
        }
        let (side, last) = (node.pos.turn(), self.last_target(ply));
        let overlooked = |m: &Move| {
            let look = match ply % 2 {
                _ if Some(m.to().index()) == last => Look::Recapture,
                0 => Look::Own,
                _ => Look::Other,
            };
            at.sight.overlooks(&self.facts, side, *m, look)
        };
        if ply > 0 || !moves.iter().all(overlooked) {
            moves.retain(|m| !overlooked(m));
        }
    }
}
