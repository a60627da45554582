//! The search of one thread: principal variation search with quiescence, over positions of one width.
//! Iterative deepening is in [`crate::root`], what moves come first in [`crate::order`].

use crate::eval::{Evaluator, Running};
use crate::history::{History, PieceTo};
use crate::order::Scored;
use crate::root::Front;
use crate::score::{GEM, INFINITE, MATE, MATE_BOUND, MAX_PLY, NONE, from_table, to_table};
use crate::tt::{Bound, Entry, Table};
use husun::pos::Pos;
use husun::set::Set;
use husun::{Kind, Move};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

mod moves;
mod quiescence;
pub(crate) mod rules;

/// What all threads of a search share.
pub(crate) struct Run<'a> {
    pub table: &'a Table,
    pub stop: &'a AtomicBool,
    /// Set when the search is over for whatever reason.
    pub over: AtomicBool,
    /// Nodes of all threads, brought up to date now and then.
    pub nodes: AtomicU64,
    /// How far the threads have come together.
    pub front: Front,
    pub start: Instant,
    pub hard: Option<Duration>,
    pub limits: &'a crate::limits::Limits,
    /// Whether a win by a Green Gem is worth more than a mate.
    pub points: bool,
}

impl Run<'_> {
    /// Whether the search is to end for another reason than its limits.
    #[inline(always)]
    fn is_called_off(&self) -> bool {
        self.stop.load(Relaxed) || self.over.load(Relaxed)
    }
}

/// After so many nodes a thread looks whether it is to stop: few, as a search that has just begun touches memory for
/// the first time at each of them.
const FLAGS: u64 = 16;
/// After so many it counts its nodes for all and looks at the limits.
const LIMITS: u64 = 256;

/// What is known at a ply of the line being searched.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Frame {
    pub eval: i32,
    /// The move made here.
    pub moved: Option<PieceTo>,
    pub killers: [Option<Move>; 2],
    pub excluded: Option<Move>,
    /// Whether the move that led here took a royal piece.
    pub royal_taken: bool,
    /// Cutoffs below.
    pub cuts: u32,
}

/// Frames before the root, so that looking back needs no test.
pub(crate) const BEFORE: usize = 4;

/// A thread's memory.
pub(crate) struct Worker<S: Set> {
    pub eval: Arc<Evaluator<S>>,
    pub history: History,
    pub frames: Vec<Frame>,
    pub lists: Vec<Vec<Scored>>,
    pub raw: Vec<Move>,
    pub lines: Vec<Vec<Move>>,
    /// Keys of the positions before this one, of the game and of the line.
    pub path: Vec<u64>,
    /// Where in the path the root is, and where the last null move.
    pub root_at: usize,
    pub floor: usize,
    pub nodes: u64,
    pub counted: u64,
    pub seldepth: usize,
    pub stopped: bool,
    pub main: bool,
    pub rules: rules::RuleFacts,
    pub points: bool,
    pub root_depth: i32,
}

/// A position with what moves keep up to date beside it.
pub(crate) struct Node<'a, S: Set> {
    pub pos: &'a Pos<S>,
    pub running: Running,
    pub in_check: bool,
}

/// Bounds of a search.
#[derive(Clone, Copy)]
pub(crate) struct Window {
    pub alpha: i32,
    pub beta: i32,
}

impl Window {
    pub fn new(alpha: i32, beta: i32) -> Window {
        Window { alpha, beta }
    }

    /// The window as the opponent sees it.
    pub fn flipped(self) -> Window {
        Window::new(-self.beta, -self.alpha)
    }

    /// A window that only tells whether the opponent can keep us to alpha.
    pub fn null(alpha: i32) -> Window {
        Window::new(-alpha - 1, -alpha)
    }
}

impl<S: Set> Worker<S> {
    pub fn new(eval: Arc<Evaluator<S>>, rules: rules::RuleFacts, main: bool) -> Worker<S> {
        let history = History::new(eval.squares, eval.kinds.len());
        Worker {
            eval,
            history,
            frames: vec![Frame::default(); MAX_PLY + BEFORE + 4],
            lists: vec![Vec::new(); 2 * MAX_PLY + 8],
            raw: Vec::with_capacity(256),
            lines: vec![Vec::new(); MAX_PLY + 4],
            path: Vec::new(),
            root_at: 0,
            floor: 0,
            nodes: 0,
            counted: 0,
            seldepth: 0,
            stopped: false,
            main,
            rules,
            points: false,
            root_depth: 0,
        }
    }

    #[inline(always)]
    pub fn frame(&mut self, ply: usize) -> &mut Frame {
        &mut self.frames[ply + BEFORE]
    }

    /// The moves before the one at this ply: the opponent's last and one's own last.
    #[inline(always)]
    pub fn before(&self, ply: usize) -> [Option<PieceTo>; 2] {
        [
            self.frames[ply + BEFORE - 1].moved,
            self.frames[ply + BEFORE - 2].moved,
        ]
    }

    /// Counts a node and looks now and then whether to stop.
    #[inline(always)]
    fn tick(&mut self, run: &Run) -> bool {
        self.nodes += 1;
        if self.nodes.is_multiple_of(FLAGS)
            && (run.is_called_off() || run.front.has(self.root_depth))
        {
            self.stopped = true;
        }
        if self.nodes.is_multiple_of(LIMITS) {
            self.look(run);
        }
        if self.main
            && let Some(limit) = run.limits.nodes
            && self.nodes >= limit
        {
            self.stopped = true;
        }
        self.stopped
    }

    #[cold]
    fn look(&mut self, run: &Run) {
        let nodes = run.nodes.fetch_add(self.nodes - self.counted, Relaxed);
        self.counted = self.nodes;
        if self.main {
            if run.limits.nodes.is_some_and(|limit| nodes >= limit) {
                self.stopped = true;
            }
            let late = run.hard.is_some_and(|hard| run.start.elapsed() >= hard);
            if late && !run.limits.pondering() {
                self.stopped = true;
            }
        }
    }

    /// Score of the side to move that has lost on the board.
    #[inline(always)]
    pub fn lost(&self, ply: usize) -> i32 {
        let top = if self.points && self.frames[ply + BEFORE].royal_taken {
            GEM
        } else {
            MATE
        };
        ply as i32 - top
    }

    /// Makes a move at a ply: what it leads to.
    #[inline(always)]
    pub fn make(&mut self, node: &Node<S>, m: Move, ply: usize) -> (Pos<S>, Running, bool) {
        let pos = node.pos;
        let next = self.eval.tables.play_unchecked(pos, m);
        let running = self.eval.after(node.running, pos, m, &next);
        let in_check = self.eval.tables.in_check(&next, next.turn());
        let taken = pos.captured(m);
        let royal_taken = taken.is_some_and(|(_, k)| self.eval.kinds[k.index()].royal);
        self.frame(ply).moved = Some(self.history.piece_to(m));
        self.frame(ply + 1).royal_taken = royal_taken;
        self.path.push(pos.key());
        (next, running, in_check)
    }

    #[inline(always)]
    pub fn unmake(&mut self) {
        self.path.pop();
    }

    /// Searches a position below the root to a depth; the score is for the side to move.
    pub fn search<const PV: bool>(
        &mut self,
        run: &Run,
        node: &Node<S>,
        window: Window,
        mut depth: i32,
        ply: usize,
        cut: bool,
    ) -> i32 {
        if depth <= 0 {
            return self.quiescence::<PV>(run, node, window, ply, 0);
        }
        if self.tick(run) {
            return 0;
        }
        let Window {
            mut alpha,
            mut beta,
        } = window;
        let (pos, in_check) = (node.pos, node.in_check);
        if PV {
            self.lines[ply].clear();
            self.seldepth = self.seldepth.max(ply);
        }
        if let Some(score) = self.ended(pos, ply, in_check) {
            return score;
        }
        if ply >= MAX_PLY {
            return self.eval.evaluate(pos, node.running);
        }
        let top = if self.points { GEM } else { MATE };
        alpha = alpha.max(ply as i32 - top);
        beta = beta.min(top - ply as i32 - 1);
        if alpha >= beta {
            return alpha;
        }
        let excluded = self.frame(ply).excluded;
        let known = if excluded.is_some() {
            None
        } else {
            run.table.get(pos.key())
        };
        let was_pv = PV || known.is_some_and(|e| e.pv);
        if let Some(entry) = known
            && !PV
            && entry.depth >= depth
            && pos.halfmove() + 10 < self.rules.move_rule
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
        let static_eval = self.static_eval(run, node, known, ply, was_pv, excluded.is_some());
        let improving = !in_check && static_eval > self.eval_before(ply);
        self.frame(ply + 1).killers = [None; 2];
        self.frame(ply + 1).excluded = None;
        self.frame(ply + 2).cuts = 0;
        if !PV && !in_check && excluded.is_none() && run.limits.mate.is_none() {
            let better = sharper(static_eval, known, ply);
            let w = Window::new(alpha, beta);
            if let Some(score) = self.cut_early(run, node, w, depth, ply, better, improving, cut) {
                return score;
            }
        }
        let tt_move = known.and_then(|e| e.m);
        if depth >= 4 && tt_move.is_none() && (PV || cut) && excluded.is_none() {
            depth -= 1;
        }
        self.moves::<PV>(
            run,
            node,
            Window::new(alpha, beta),
            &Plan {
                depth,
                ply,
                cut,
                known,
                static_eval,
                improving,
                was_pv,
                excluded,
            },
        )
    }

    /// The static evaluation of one's own last position, where there was one.
    #[inline(always)]
    fn eval_before(&self, ply: usize) -> i32 {
        let two = self.frames[ply + BEFORE - 2].eval;
        if two != NONE {
            return two;
        }
        let four = self.frames[ply + BEFORE - 4].eval;
        if four == NONE { INFINITE } else { four }
    }

    #[inline(always)]
    fn static_eval(
        &mut self,
        run: &Run,
        node: &Node<S>,
        known: Option<Entry>,
        ply: usize,
        pv: bool,
        again: bool,
    ) -> i32 {
        let eval = if node.in_check {
            NONE
        } else if again {
            self.frame(ply).eval
        } else {
            match known {
                Some(entry) if entry.eval != NONE => entry.eval,
                _ => {
                    let eval = self.eval.evaluate(node.pos, node.running);
                    if known.is_none() {
                        run.table.put(node.pos.key(), Entry::of_eval(eval, pv));
                    }
                    eval
                }
            }
        };
        self.frame(ply).eval = eval;
        eval
    }

    /// Ends a node before its moves are looked at, where the evaluation is far above or below.
    #[allow(clippy::too_many_arguments)]
    #[inline(always)]
    fn cut_early(
        &mut self,
        run: &Run,
        node: &Node<S>,
        window: Window,
        depth: i32,
        ply: usize,
        eval: i32,
        improving: bool,
        cut: bool,
    ) -> Option<i32> {
        let Window { alpha, beta } = window;
        // Far above: whatever the opponent does.
        if depth <= 8
            && eval - 75 * (depth - i32::from(improving)) >= beta
            && eval < MATE_BOUND
            && beta > -MATE_BOUND
        {
            return Some((eval + beta) / 2);
        }
        // Far below: only captures could help.
        if depth <= 3 && eval + 220 * depth < alpha {
            let score = self.quiescence::<false>(run, node, window, ply, 0);
            if score <= alpha {
                return Some(score);
            }
        }
        // Above even if the opponent moves twice.
        let own_turn = self.frames[ply + BEFORE - 1].moved.is_some();
        if depth >= 3
            && own_turn
            && cut
            && eval >= beta
            && self.frame(ply).eval + 20 * depth >= beta + 100
            && beta > -MATE_BOUND
            && self.may_pass(node.pos)
        {
            return self.null_move(run, node, beta, depth, ply, eval);
        }
        None
    }

    fn null_move(
        &mut self,
        run: &Run,
        node: &Node<S>,
        beta: i32,
        depth: i32,
        ply: usize,
        eval: i32,
    ) -> Option<i32> {
        let reduction = 3 + depth / 3 + ((eval - beta) / 200).min(3);
        let next = self.eval.tables.pass(node.pos);
        self.frame(ply).moved = None;
        self.frame(ply + 1).royal_taken = false;
        let floor = self.floor;
        self.path.push(node.pos.key());
        self.floor = self.path.len();
        let child = Node {
            pos: &next,
            running: node.running,
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
        // Deep enough for the truth: again without passing.
        let w = Window::new(beta - 1, beta);
        let checked = self.search::<false>(run, node, w, depth - reduction, ply, false);
        (checked >= beta).then_some(score)
    }

    /// Notes a result in the transposition table.
    #[inline(always)]
    fn note(&self, run: &Run, pos: &Pos<S>, plan: &Plan, best: i32, m: Option<Move>, bound: Bound) {
        run.table.put(
            pos.key(),
            Entry {
                m: m.map(Move::packed),
                score: to_table(best, plan.ply),
                eval: plan.static_eval,
                depth: plan.depth,
                bound,
                pv: plan.was_pv,
            },
        );
    }

    /// Kind taken by a move, for histories.
    #[inline(always)]
    pub fn taken(pos: &Pos<S>, m: Move) -> Option<Kind> {
        pos.captured(m).map(|(_, kind)| kind)
    }
}

/// What has been found out of a node before its moves are searched.
pub(crate) struct Plan {
    pub depth: i32,
    pub ply: usize,
    pub cut: bool,
    pub known: Option<Entry>,
    pub static_eval: i32,
    pub improving: bool,
    pub was_pv: bool,
    pub excluded: Option<Move>,
}

/// The evaluation, or a better bound from an earlier search.
#[inline(always)]
fn sharper(eval: i32, known: Option<Entry>, ply: usize) -> i32 {
    let Some(entry) = known else { return eval };
    let score = from_table(entry.score, ply);
    let better = match entry.bound {
        Bound::Exact => true,
        Bound::Lower => score > eval,
        Bound::Upper => score < eval,
        Bound::None => false,
    };
    if better { score } else { eval }
}
