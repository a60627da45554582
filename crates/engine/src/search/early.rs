//! Nodes cut off before their moves are searched: the evaluation is far above or below, or the opponent may move
//! twice.

use super::parameters::SearchParameters;
use super::{BEFORE, Node, Plan, Run, Window, Worker};
use crate::judge::Judge;
use crate::score::MATE_BOUND;
use husun::set::Set;

impl<S: Set, J: Judge<S>> Worker<S, J> {
    /// Cuts a node off before its moves are searched, if the evaluation is far above or below.
    #[inline(always)]
    pub(super) fn cut_early(&mut self, run: &Run, node: &Node<S>, plan: &Plan) -> Option<i32> {
        let Window { alpha, beta } = plan.window;
        let (depth, ply) = (plan.depth, plan.ply);
        let SearchParameters {
            above_margin,
            below_margin,
            null_margin,
            null_slope,
            ..
        } = self.parameters;
        let eval = plan.eval();
        // Far above: whatever the opponent does.
        if depth <= 11
            && eval - above_margin * (depth - i32::from(plan.improving)) >= beta
            && eval < MATE_BOUND
            && beta > -MATE_BOUND
        {
            return Some((eval + beta) / 2);
        }
        // Far below: only captures could help.
        if depth <= 3 && eval + below_margin * depth < alpha {
            let score = self.quiescence::<false>(run, node, plan.window, ply, 0);
            if score <= alpha {
                return Some(score);
            }
        }
        // Above even if the opponent moves twice.
        let own_turn = self.frames[ply + BEFORE - 1].moved.is_some();
        if depth >= 3
            && own_turn
            && plan.cut
            && eval >= beta
            && plan.judged.corrected + null_slope * depth >= beta + null_margin
            && beta > -MATE_BOUND
            && self.may_pass(node.pos)
        {
            return self.null_move(run, node, plan, eval);
        }
        None
    }

    fn null_move(&mut self, run: &Run, node: &Node<S>, plan: &Plan, eval: i32) -> Option<i32> {
        let (depth, ply, beta) = (plan.depth, plan.ply, plan.window.beta);
        let numbers = &self.parameters;
        let reduction = (numbers.null_base + numbers.null_depth * depth) / 1024;
        let reduction = reduction + ((eval - beta) / numbers.null_above).min(3);
        let next = self.tables.pass(node.pos);
        run.table.prefetch(next.key());
        self.judge.push_null(&next);
        self.frame(ply).moved = None;
        self.frame(ply + 1).royal_taken = false;
        let floor = self.floor;
        self.path.push(node.pos.key());
        self.floor = self.path.len();
        let child = Node {
            pos: &next,
            in_check: false,
        };
        let w = Window::null(beta - 1);
        let score = -self.search::<false>(run, &child, w, depth - reduction, ply + 1, false);
        self.floor = floor;
        self.unmake();
        if self.stopped {
            return Some(0);
        }
        if score < beta {
            return None;
        }
        let score = if score > MATE_BOUND { beta } else { score };
        if depth < 12 {
            return Some(score);
        }
        // Deep enough to verify: again without passing.
        let w = Window::new(beta - 1, beta);
        let checked = self.search::<false>(run, node, w, depth - reduction, ply, false);
        (checked >= beta).then_some(score)
    }
}
