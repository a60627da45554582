//! The search of one thread: principal variation search with quiescence, over positions of one width.
//! Iterative deepening is in [`crate::root`].

use crate::correction::{Corrections, Places};
use crate::endings::{self, Endings};
use crate::exchange::Exchanges;
use crate::facts::Facts;
use crate::history::{History, PieceTo};
use crate::judge::Judge;
use crate::root::Front;
use crate::score::{GEM, INFINITE, MATE, MAX_PLY, NONE};
use crate::stopwatch::Stopwatch;
use crate::tt::{Bound, Entry, Table};
use husun::pos::Pos;
use husun::set::Set;
use husun::tables::Tables;
use husun::{Move, PackedMove};
use parameters::{Reductions, SearchParameters};
use picker::{Hints, MovePicker};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::Duration;

mod early;
pub(crate) mod glance;
mod moves;
pub(crate) mod parameters;
pub(crate) mod picker;
mod quiescence;
mod rules;

/// What all threads of a search share.
pub(crate) struct Run<'a> {
    pub table: &'a Table,
    pub stop: &'a AtomicBool,
    /// Set when the search is over for whatever reason.
    pub over: AtomicBool,
    /// Nodes of all threads, brought up to date now and then.
    pub nodes: AtomicU64,
    /// Positions that threads have found in the tables of perfect play.
    pub table_hits: AtomicU64,
    /// The deepest iteration that any thread has completed.
    pub front: Front,
    pub watch: Stopwatch,
    pub hard: Option<Duration>,
    pub limits: &'a crate::limits::Limits,
    /// Whether a win by a Green Gem is worth more than a mate.
    pub points: bool,
    /// Tables of perfect play, if there are any and they are asked.
    pub endings: Option<&'a dyn Endings>,
}

impl Run<'_> {
    /// Whether it visits so few positions that the order of the root's moves decides which one is made: in the generator's
    /// order games of such searches have more variety, from which tiny networks learn more.
    #[inline(always)]
    pub fn is_brief(&self) -> bool {
        self.limits.nodes.is_some_and(|nodes| nodes < BRIEF)
    }

    /// Whether the search is to end for a reason other than its limits.
    #[inline(always)]
    fn is_called_off(&self) -> bool {
        self.stop.load(Relaxed) || self.over.load(Relaxed)
    }
}

/// After this many nodes a thread checks whether to stop: few, as a search that has just begun touches memory for
/// the first time at each of them.
const FLAGS: u64 = 16;
/// After this many it adds its nodes to the total and checks the limits.
const LIMITS: u64 = 256;

/// A search that may visit fewer positions is brief. (Self-play allows itself four times what is wanted.)
const BRIEF: u64 = 500;

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

/// From this depth on, a node of which the table knows no move is searched a ply less deep.
const UNKNOWN: i32 = 6;

/// Up to this depth a score of the table ends a node only if it is what was expected of the node: whether it is one that
/// is cut off.
const EXPECTED: i32 = 5;

/// This many half-moves before the move rule draws, table scores are not believed: they do not know the counter.
const NEARLY_IDLE: u32 = 10;

/// Frames before the root, so that looking back needs no test.
pub(crate) const BEFORE: usize = 4;

/// A thread's memory.
pub(crate) struct Worker<S: Set, J> {
    pub facts: Arc<Facts<S>>,
    pub tables: Arc<Tables<S>>,
    pub exchanges: Arc<Exchanges<S>>,
    pub judge: J,
    pub history: History,
    pub corrections: Corrections,
    pub frames: Vec<Frame>,
    /// Unused pickers, kept for the memory that they hold.
    spare: Vec<MovePicker>,
    /// The moves of the node being entered.
    generated: Vec<Move>,
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
    pub points: bool,
    pub root_depth: i32,
    pub parameters: SearchParameters,
    pub reductions: Reductions,
}

/// A position with what is known of it on entry.
pub(crate) struct Node<'a, S: Set> {
    pub pos: &'a Pos<S>,
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

    /// A window that only tells whether the opponent can hold us to alpha.
    pub fn null(alpha: i32) -> Window {
        Window::new(-alpha - 1, -alpha)
    }
}

impl<S: Set, J: Judge<S>> Worker<S, J> {
    pub fn new(
        facts: Arc<Facts<S>>,
        exchanges: Arc<Exchanges<S>>,
        judge: J,
        main: bool,
    ) -> Worker<S, J> {
        Worker {
            history: History::new(facts.squares(), facts.kinds.len()),
            corrections: Corrections::new(),
            tables: facts.tables.clone(),
            facts,
            exchanges,
            judge,
            frames: vec![Frame::default(); MAX_PLY + BEFORE + 4],
            spare: Vec::new(),
            generated: Vec::with_capacity(256),
            lines: vec![Vec::new(); MAX_PLY + 4],
            path: Vec::new(),
            root_at: 0,
            floor: 0,
            nodes: 0,
            counted: 0,
            seldepth: 0,
            stopped: false,
            main,
            points: false,
            root_depth: 0,
            parameters: SearchParameters::default(),
            reductions: Reductions::new(&SearchParameters::default()),
        }
    }

    /// Sets the numbers that it searches by.
    pub fn set_parameters(&mut self, parameters: &SearchParameters) {
        self.parameters = *parameters;
        if !self.reductions.fit(parameters) {
            self.reductions = Reductions::new(parameters);
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

    /// Counts a node and checks now and then whether to stop.
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
            let late = run.hard.is_some_and(|hard| run.watch.elapsed() >= hard);
            if late && !run.limits.pondering() {
                self.stopped = true;
            }
        }
    }

    /// Score of a side to move that has lost on the board.
    #[inline(always)]
    pub fn lost(&self, ply: usize) -> i32 {
        let top = if self.points && self.frames[ply + BEFORE].royal_taken {
            GEM
        } else {
            MATE
        };
        ply as i32 - top
    }

    /// Makes a move at a ply, in a copy of the node's position; tells whether that is check.
    #[inline(always)]
    pub fn make(
        &mut self,
        run: &Run,
        node: &Node<S>,
        m: Move,
        ply: usize,
        next: &mut Pos<S>,
    ) -> bool {
        let pos = node.pos;
        self.tables.play_in_copy(pos, m, next);
        run.table.prefetch(next.key());
        self.judge.push(pos, m, next);
        let in_check = self.tables.in_check(next, next.turn());
        let taken = pos.captured(m);
        let royal_taken = taken.is_some_and(|(_, k)| self.exchanges.is_royal(k));
        self.frame(ply).moved = Some(self.history.piece_to(m));
        self.frame(ply + 1).royal_taken = royal_taken;
        self.path.push(pos.key());
        in_check
    }

    /// Begins to fetch what is known of the position that a move most likely leads to.
    #[inline(always)]
    fn fetch(&self, run: &Run, pos: &Pos<S>, m: PackedMove) {
        if let Some(key) = self.tables.likely_key(pos, m) {
            run.table.prefetch(key);
        }
    }

    #[inline(always)]
    pub fn unmake(&mut self) {
        self.judge.pop();
        self.path.pop();
    }

    /// Searches a position below the root to a depth; the score is for the side to move.
    pub fn search<const PV: bool>(
        &mut self,
        run: &Run,
        node: &Node<S>,
        window: Window,
        depth: i32,
        ply: usize,
        cut: bool,
    ) -> i32 {
        if depth <= 0 {
            return self.quiescence::<PV>(run, node, window, ply, 0);
        }
        if let Some(score) = self.enter::<PV>(run, node, ply) {
            return score;
        }
        let top = if self.points { GEM } else { MATE };
        let window = Window {
            alpha: window.alpha.max(ply as i32 - top),
            beta: window.beta.min(top - ply as i32 - 1),
        };
        if window.alpha >= window.beta {
            return window.alpha;
        }
        let excluded = self.frame(ply).excluded;
        let known = match excluded {
            Some(_) => None,
            None => run.table.get(node.pos.key(), ply),
        };
        if let Some(entry) = known.filter(|e| !PV && e.depth >= depth)
            && !self.facts.is_idle(node.pos.halfmove() + NEARLY_IDLE)
            && let Some(score) = entry.cuts(window)
            && (depth > EXPECTED || cut == (score >= window.beta))
        {
            return score;
        }
        if let Some(m) = known.and_then(|e| e.m) {
            self.fetch(run, node.pos, m);
        }
        let mut plan = self.plan::<PV>(run, node, window, known, ply);
        plan.depth = depth;
        plan.cut = cut;
        if !PV
            && !node.in_check
            && excluded.is_none()
            && run.limits.mate.is_none()
            && let Some(score) = self.cut_early(run, node, &plan)
        {
            return score;
        }
        if depth >= UNKNOWN && plan.table_move().is_none() && (PV || cut) && excluded.is_none() {
            plan.depth -= 1;
        }
        self.moves::<PV>(run, node, &plan)
    }

    /// The beginning of every node: it is counted, and has a score at once if the search is stopped, the rules
    /// end the game, tables of perfect play know it or the line is too long.
    #[inline(always)]
    fn enter<const PV: bool>(&mut self, run: &Run, node: &Node<S>, ply: usize) -> Option<i32> {
        if self.tick(run) {
            return Some(0);
        }
        if PV {
            self.lines[ply].clear();
            self.seldepth = self.seldepth.max(ply);
        }
        let ended = self.ended(node.pos, ply, node.in_check);
        if ended.is_some() {
            return ended;
        }
        if let Some(endings) = run.endings
            && let Some(score) = endings::score(endings, &self.facts, node.pos, ply)
        {
            run.table_hits.fetch_add(1, Relaxed);
            // What a mate on the board is worth, a table does not say.
            let over = score == ply as i32 - MATE;
            return Some(if over { self.lost(ply) } else { score });
        }
        (ply >= MAX_PLY).then(|| self.judge.evaluate(node.pos))
    }

    /// Collects what the search of a node depends on, and prepares the frames below it. Depth and kind of node
    /// are for the caller to fill in.
    #[inline(always)]
    fn plan<const PV: bool>(
        &mut self,
        run: &Run,
        node: &Node<S>,
        window: Window,
        known: Option<Entry>,
        ply: usize,
    ) -> Plan {
        let excluded = self.frame(ply).excluded;
        let was_pv = PV || known.is_some_and(|e| e.pv);
        let judged = if node.in_check {
            Judged::NOT
        } else if excluded.is_some() {
            Judged {
                corrected: self.frame(ply).eval,
                ..Judged::NOT
            }
        } else {
            let judged = self.judged(node, known, ply);
            if known.is_none() {
                let entry = Entry::of_eval(judged.eval, was_pv);
                run.table.put(node.pos.key(), ply, entry);
            }
            judged
        };
        self.frame(ply).eval = judged.corrected;
        let improving = !node.in_check && judged.corrected > self.eval_before(ply);
        self.frame(ply + 1).killers = [None; 2];
        self.frame(ply + 1).excluded = None;
        self.frame(ply + 2).cuts = 0;
        Plan {
            window,
            depth: 0,
            ply,
            cut: false,
            known,
            judged,
            improving,
            was_pv,
            excluded,
        }
    }

    /// The static evaluation of one's own last position; where there was none, it counts as having been worse.
    #[inline(always)]
    fn eval_before(&self, ply: usize) -> i32 {
        let two = self.frames[ply + BEFORE - 2].eval;
        if two != NONE {
            return two;
        }
        let four = self.frames[ply + BEFORE - 4].eval;
        if four == NONE { -INFINITE } else { four }
    }

    /// The static evaluation, which the table may remember, and corrected.
    #[inline(always)]
    pub fn judged(&mut self, node: &Node<S>, known: Option<Entry>, ply: usize) -> Judged {
        let eval = match known {
            Some(entry) if entry.eval != NONE => entry.eval,
            _ => self.judge.evaluate(node.pos),
        };
        let places = Places::of(&self.facts, node.pos, self.before(ply));
        Judged {
            eval,
            corrected: self.corrections.apply(places, eval),
            places: Some(places),
        }
    }

    /// Stores a result in the transposition table.
    #[inline(always)]
    fn note(&self, run: &Run, pos: &Pos<S>, plan: &Plan, best: i32, m: Option<Move>, bound: Bound) {
        run.table.put(
            pos.key(),
            plan.ply,
            Entry {
                m: m.map(Move::packed),
                score: best,
                eval: plan.judged.eval,
                depth: plan.depth,
                bound,
                pv: plan.was_pv,
            },
        );
    }

    /// The moves of a node, or only the noisy ones, and whether the side may accept a draw instead of them. The
    /// picker must be put back.
    #[inline(always)]
    fn picker(
        &mut self,
        node: &Node<S>,
        table_move: Option<PackedMove>,
        ply: usize,
        wanted: Wanted,
    ) -> (MovePicker, bool) {
        self.generated.clear();
        let moves = &mut self.generated;
        match wanted {
            Wanted::All => self.tables.legal_moves(node.pos, moves),
            Wanted::Noisy => self.tables.noisy_moves(node.pos, moves),
        }
        let accepted = wanted == Wanted::All && self.may_accept(node.in_check, &self.generated);
        let before = self.before(ply);
        let hints = Hints {
            table: table_move,
            killers: self.frames[ply + BEFORE].killers,
            counter: self.history.counter(node.pos.turn(), before[0]),
            before,
        };
        let mut picker = self.spare.pop().unwrap_or_default();
        picker.fill(&self.generated, hints);
        (picker, accepted)
    }

    #[inline(always)]
    fn put_back(&mut self, picker: MovePicker) {
        self.spare.push(picker);
    }
}

/// Which moves of a node are searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wanted {
    All,
    /// Captures and promotions.
    Noisy,
}

/// The static evaluation of a position, [`NONE`] in check.
#[derive(Clone, Copy)]
pub(crate) struct Judged {
    /// As the judge says.
    pub eval: i32,
    /// As the search takes it.
    pub corrected: i32,
    /// Where the corrections are, if it can be learned from.
    pub places: Option<Places>,
}

impl Judged {
    const NOT: Judged = Judged {
        eval: NONE,
        corrected: NONE,
        places: None,
    };
}

/// What is known of a node before its moves are searched.
pub(crate) struct Plan {
    pub window: Window,
    pub depth: i32,
    pub ply: usize,
    pub cut: bool,
    pub known: Option<Entry>,
    pub judged: Judged,
    pub improving: bool,
    pub was_pv: bool,
    pub excluded: Option<Move>,
}

impl Plan {
    /// The static evaluation, or what the table says if that says more.
    #[inline(always)]
    pub fn eval(&self) -> i32 {
        let eval = self.judged.corrected;
        self.known.map_or(eval, |entry| entry.sharpen(eval))
    }

    /// The transposition table's move.
    #[inline(always)]
    pub fn table_move(&self) -> Option<PackedMove> {
        self.known.and_then(|e| e.m)
    }
}
