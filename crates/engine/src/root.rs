//! The root: iterative deepening with aspiration windows over the root moves, several lines if requested, and
//! when to stop.

use crate::judge::Judge;
use crate::limits::Budget;
use crate::score::{INFINITE, MATE_BOUND, MAX_PLY, Score, is_mate};
use crate::search::{Frame, Node, Run, Window, Worker};
use husun::Move;
use husun::pos::Pos;
use husun::set::Set;
use std::cmp::Reverse;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

/// A move at the root with what is known of it.
#[derive(Clone, Debug)]
pub(crate) struct RootMove {
    pub m: Move,
    /// Score in this iteration, or the lowest.
    pub score: i32,
    /// Score of the last iteration.
    pub before: i32,
    pub line: Vec<Move>,
    pub nodes: u64,
    pub seldepth: usize,
}

impl RootMove {
    pub fn new(m: Move) -> RootMove {
        RootMove {
            m,
            score: -INFINITE,
            before: -INFINITE,
            line: vec![m],
            nodes: 0,
            seldepth: 0,
        }
    }

    /// Its place among others: by score, by that of the last iteration and, unless the search is a brief one, by what was
    /// spent on it.
    fn place(&self, run: &Run) -> impl Ord + use<> {
        let spent = if run.is_brief() { 0 } else { self.nodes };
        (-self.score, -self.before, Reverse(spent))
    }

    /// The score from the last iteration that searched it.
    pub fn known(&self) -> Option<i32> {
        let scores = [self.score, self.before];
        scores.into_iter().find(|&s| s != -INFINITE)
    }
}

/// A finished iteration.
pub(crate) struct Iteration<'a> {
    /// The best first.
    pub moves: &'a [RootMove],
    pub depth: u32,
    /// How many of the moves have a score of their own.
    pub lines: usize,
    /// Nodes of this thread that are not yet counted for all.
    pub uncounted: u64,
}

/// Called after each iteration.
pub(crate) type Report<'a> = &'a mut dyn FnMut(&Iteration);

/// The position to search.
pub(crate) struct Root<S: Set> {
    pub pos: Pos<S>,
    pub in_check: bool,
    /// Keys of the positions before it.
    pub path: Vec<u64>,
}

/// The deepest iteration that any thread has completed. The others drop theirs if it is no deeper and continue from
/// there: the time of an iteration varies a lot, and the first result counts.
#[derive(Default)]
pub(crate) struct Front {
    depth: AtomicU32,
    moves: Mutex<Vec<RootMove>>,
}

impl Front {
    /// Whether a thread has completed this depth.
    #[inline(always)]
    pub fn has(&self, depth: i32) -> bool {
        self.depth.load(Relaxed) as i32 >= depth
    }

    /// At the end of a thread's iteration: takes over the deepest one if that is at least as deep, and returns its
    /// depth; otherwise publishes this one, if it is complete.
    fn meet(&self, depth: u32, complete: bool, moves: &mut [RootMove]) -> Option<u32> {
        let mut deepest = self.moves.lock().unwrap_or_else(PoisonError::into_inner);
        let reached = self.depth.load(Relaxed);
        if reached >= depth {
            moves.clone_from_slice(&deepest);
            return Some(reached);
        }
        if complete {
            *deepest = moves.to_vec();
            self.depth.store(depth, Relaxed);
        }
        None
    }
}

/// How deep and how wide to search.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Task {
    pub depth: u32,
    pub lines: usize,
    pub budget: Budget,
    /// Number of the thread: helpers skip some depths.
    pub thread: usize,
}

/// How many depths each thread skips before an iteration, so that they differ in what they look at and one may reach
/// a depth long before the others.
const LEAPS: [u32; 4] = [0, 2, 1, 3];

/// Captures at the root that lose nothing are tried before quiet moves, others after them.
const SOUND: i32 = 1 << 20;

impl<S: Set, J: Judge<S>> Worker<S, J> {
    /// Deepens until a limit is reached; `report` is called after each iteration of each line.
    pub fn deepen(
        &mut self,
        run: &Run,
        root: &Root<S>,
        moves: &mut [RootMove],
        task: Task,
        report: Report,
    ) {
        self.begin(run, root);
        self.order(run, root, moves);
        let lines = task.lines.min(moves.len());
        let mut steady = 0;
        let mut last_best = moves.first().map(|r| r.m);
        let mut last_score = None;
        let last = task.depth.min(MAX_PLY as u32 / 2);
        let mut depth = 0;
        while depth < last {
            depth = (depth + 1 + LEAPS[task.thread % LEAPS.len()]).min(last);
            self.iterate(run, root, moves, depth, lines);
            if let Some(reached) = run.front.meet(depth, !self.stopped, moves) {
                depth = reached;
                self.stopped = false;
                self.at_root(root);
            }
            if self.stopped {
                return;
            }
            report(&Iteration {
                moves,
                depth,
                lines,
                uncounted: self.nodes - self.counted,
            });
            let best = &moves[0];
            steady = if last_best == Some(best.m) {
                steady + 1
            } else {
                0
            };
            last_best = Some(best.m);
            let fell = last_score.map_or(0, |before: i32| before - best.score);
            last_score = Some(best.score);
            if self.main && self.enough(run, moves, task, steady, depth, fell) {
                return;
            }
        }
    }

    pub fn begin(&mut self, run: &Run, root: &Root<S>) {
        self.nodes = 0;
        self.counted = 0;
        self.stopped = false;
        self.points = run.points;
        self.at_root(root);
    }

    /// Orders the moves by what is known of them before any is searched, unless the search is a brief one.
    fn order(&self, run: &Run, root: &Root<S>, moves: &mut [RootMove]) {
        if run.is_brief() {
            return;
        }
        let pos = &root.pos;
        let table = run.table.get(pos.key(), 0).and_then(|e| e.m);
        moves.sort_by_cached_key(|r| {
            let rank = if Some(r.m.packed()) == table {
                i32::MAX
            } else if pos.is_noisy(r.m) {
                let gain = self.exchanges.gain_of(pos, r.m);
                match self.exchanges.see(pos, r.m, 0) {
                    true => gain + SOUND,
                    false => gain - SOUND,
                }
            } else {
                self.history.quiet(pos.turn(), r.m)
            };
            Reverse(rank)
        });
    }

    /// Goes back to the root, no matter how the search below it ended.
    fn at_root(&mut self, root: &Root<S>) {
        self.judge.reset(&root.pos);
        self.floor = 0;
        self.path.clear();
        self.path.extend_from_slice(&root.path);
        self.root_at = self.path.len();
        for frame in &mut self.frames {
            *frame = Frame {
                eval: crate::score::NONE,
                ..Frame::default()
            };
        }
    }

    /// One iteration: the moves with their scores, best first, unless it was stopped.
    fn iterate(
        &mut self,
        run: &Run,
        root: &Root<S>,
        moves: &mut [RootMove],
        depth: u32,
        lines: usize,
    ) {
        self.root_depth = depth as i32;
        for r in moves.iter_mut() {
            r.before = r.score;
            r.score = -INFINITE;
        }
        for line in 0..lines {
            self.seldepth = 0;
            self.aspire(run, root, moves, depth as i32, line);
            if self.stopped {
                break;
            }
        }
        moves[..lines].sort_by_key(|r| r.place(run));
    }

    /// Whether another iteration is not worth its time. The score fell by so much in the last one.
    fn enough(
        &self,
        run: &Run,
        moves: &[RootMove],
        task: Task,
        steady: u32,
        depth: u32,
        fell: i32,
    ) -> bool {
        let best = &moves[0];
        if let Some(mate) = run.limits.mate
            && Score::of(best.score) >= Score::Mate(mate as i32)
        {
            return true;
        }
        let Some(soft) = task.budget.soft else {
            return false;
        };
        if run.limits.infinite || run.limits.pondering() {
            return false;
        }
        if moves.len() == 1 && depth >= 6 {
            return true;
        }
        // A mate that is surely the shortest.
        if is_mate(best.score) && depth >= 12 && steady > 4 {
            return true;
        }
        let spent = run.watch.elapsed();
        let nodes: u64 = moves.iter().map(|r| r.nodes).sum();
        let share = best.nodes as f64 / nodes.max(1) as f64;
        let factor = (1.5 - 0.08 * f64::from(steady.min(8)))
            * (1.6 - share).clamp(0.6, 1.5)
            * (1.0 + f64::from(fell.clamp(-30, 100)) / 150.0);
        spent >= soft.mul_f64((0.75 * factor).clamp(0.3, 3.0))
    }

    /// Searches the moves from number `line` on within a window around the last score, widened if that fails.
    fn aspire(
        &mut self,
        run: &Run,
        root: &Root<S>,
        moves: &mut [RootMove],
        depth: i32,
        line: usize,
    ) {
        let guess = moves[line].before;
        let mut delta = self.parameters.window + guess.abs().min(2000) / 60;
        let mut window = Window::new(-INFINITE, INFINITE);
        if depth >= 4 && guess.abs() < MATE_BOUND {
            window = Window::new(guess - delta, guess + delta);
        }
        let mut reduced = 0;
        loop {
            let depth = (depth - reduced).max(1);
            let score = self.root_moves(run, root, moves, window, depth, line);
            moves[line..].sort_by_key(|r| r.place(run));
            if self.stopped {
                return;
            }
            if score <= window.alpha && window.alpha > -INFINITE {
                window.beta = (window.alpha + window.beta) / 2;
                window.alpha = (score - delta).max(-INFINITE);
                reduced = 0;
            } else if score >= window.beta && window.beta < INFINITE {
                window.beta = (score + delta).min(INFINITE);
                reduced = (reduced + 1).min(3);
            } else {
                return;
            }
            delta += delta / 2;
            if delta > 600 || score.abs() > MATE_BOUND {
                window = Window::new(-INFINITE, INFINITE);
            }
        }
    }

    fn root_moves(
        &mut self,
        run: &Run,
        root: &Root<S>,
        moves: &mut [RootMove],
        window: Window,
        depth: i32,
        line: usize,
    ) -> i32 {
        let node = Node {
            pos: &root.pos,
            in_check: root.in_check,
        };
        self.frame(0).eval = if root.in_check {
            crate::score::NONE
        } else {
            self.judged(&node, None, 0).corrected
        };
        self.frame(1).killers = [None; 2];
        self.frame(2).cuts = 0;
        let Window { mut alpha, beta } = window;
        let mut best = -INFINITE;
        for (n, r) in moves[line..].iter_mut().enumerate() {
            let before = self.nodes;
            let mut next = root.pos;
            let in_check = self.make(run, &node, r.m, 0, &mut next);
            let child = Node {
                pos: &next,
                in_check,
            };
            let null = Window::null(alpha);
            let mut score = -INFINITE;
            let first = n == 0;
            if !first {
                // Whether a mate can be escaped, or there is a better one, is not left to shallow searches.
                let late = depth >= 3 && n >= 2 && !root.pos.is_noisy(r.m) && !is_mate(alpha);
                let less = match late {
                    true => self.less_at_root(root, r.m, n, depth, in_check),
                    false => 0,
                };
                score = -self.search::<false>(run, &child, null, depth - 1 - less, 1, true);
                if less > 0 && score > alpha && !self.stopped {
                    score = -self.search::<false>(run, &child, null, depth - 1, 1, true);
                }
            }
            if (first || score > alpha) && !self.stopped {
                let full = Window::new(alpha, beta).flipped();
                score = -self.search::<true>(run, &child, full, depth - 1, 1, false);
            }
            self.unmake();
            r.nodes += self.nodes - before;
            if self.stopped {
                return best;
            }
            if first || score > alpha {
                r.score = score;
                r.seldepth = self.seldepth;
                r.line.clear();
                r.line.push(r.m);
                r.line.extend_from_slice(&self.lines[1]);
            } else {
                r.score = -INFINITE;
            }
            if score > best {
                best = score;
                if score >= beta {
                    break;
                }
                alpha = alpha.max(score);
            }
        }
        best
    }

    /// How much less deep a late quiet move is searched first.
    fn less_at_root(&self, root: &Root<S>, m: Move, n: usize, depth: i32, in_check: bool) -> i32 {
        let numbers = &self.parameters;
        let history = self.history.quiet(root.pos.turn(), m);
        let r = self.reductions.of(depth, n + 1)
            - numbers.late_principal
            - numbers.late_check * i32::from(in_check)
            - history * numbers.late_history / 4096;
        (r / 1024).clamp(0, depth - 2)
    }

    /// Adds the nodes not yet counted to those of all threads.
    pub fn settle(&mut self, run: &Run) {
        run.nodes.fetch_add(self.nodes - self.counted, Relaxed);
        self.counted = self.nodes;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_deepest_iteration_leads() {
        let start = games::variant("chess").unwrap().start();
        let first = start.legal_moves()[0];
        let moves = |score: i32| {
            let mut r = RootMove::new(first);
            r.score = score;
            vec![r]
        };
        let front = Front::default();
        let (mut deep, mut late, mut cut) = (moves(50), moves(30), moves(10));
        assert_eq!(front.meet(3, true, &mut deep), None);
        assert!(front.has(3) && !front.has(4));
        // As deep, but later: the first result counts.
        assert_eq!(front.meet(3, true, &mut late), Some(3));
        assert_eq!(late[0].score, 50);
        // Deeper, but not complete.
        assert_eq!(front.meet(4, false, &mut cut), None);
        assert!(!front.has(4));
        assert_eq!(cut[0].score, 10);
        // Overtaken.
        assert_eq!(front.meet(2, false, &mut cut), Some(3));
        assert_eq!(cut[0].score, 50);
    }
}
