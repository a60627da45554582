//! The engine as programs use it: made for a game, keeps its memory between searches, reports while it
//! searches.

use crate::eval::{Evaluation, Evaluator};
use crate::level::Level;
use crate::limits::Limits;
use crate::root::{Front, Report, Root, RootMove, Task};
use crate::score::{MAX_PLY, Score, Wdl};
use crate::search::rules::RuleFacts;
use crate::search::{Run, Worker};
use crate::tt::Table;
use crate::values::{Values, estimate};
use husun::pos::Pos;
use husun::set::Set;
use husun::tables::Tables;
use husun::{Move, Position, Variant, VisitTables};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// Highest size of the transposition table, in mebibytes.
pub const MAX_HASH: usize = 1 << 18;
/// Highest number of threads.
pub const MAX_THREADS: usize = 256;
/// Highest number of lines reported at once.
pub const MAX_LINES: usize = 256;

/// How an engine plays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Size of the transposition table in mebibytes, 1 to [`MAX_HASH`].
    pub hash: usize,
    /// Threads, 1 to [`MAX_THREADS`].
    pub threads: usize,
    /// Best lines to report, 1 to [`MAX_LINES`].
    pub lines: usize,
    /// Strength.
    pub level: Level,
    /// Whether a win that scores more points (a Green Gem) is worth more than a mate.
    pub points: bool,
    /// Time that a move loses on its way to the clock. Besides it, a search leaves what a late scheduler may take.
    pub overhead: Duration,
    /// What the choices of the lower levels are drawn from, with the position.
    pub seed: u64,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            hash: 16,
            threads: 1,
            lines: 1,
            level: Level::FULL,
            points: false,
            overhead: Duration::from_millis(30),
            seed: 0,
        }
    }
}

/// What a search has found so far, of one line.
#[derive(Clone, Debug, PartialEq)]
pub struct Info {
    /// Depth in half-moves.
    pub depth: u32,
    /// Longest line looked at.
    pub seldepth: u32,
    /// Number of the line, from 1.
    pub line: usize,
    /// For the side to move.
    pub score: Score,
    /// For the side to move.
    pub wdl: Wdl,
    /// Positions visited by all threads.
    pub nodes: u64,
    /// Time since the start.
    pub time: Duration,
    /// Thousandths of the transposition table filled.
    pub hashfull: u32,
    /// The line, from the position searched.
    pub pv: Vec<Move>,
}

/// What a search has found.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// The move to make; none if there is no legal move (or none of those asked for is legal).
    pub best: Option<Move>,
    /// What the opponent is expected to answer.
    pub ponder: Option<Move>,
    /// For the side to move.
    pub score: Score,
    /// The expected line.
    pub pv: Vec<Move>,
    /// Whether to accept a draw instead of moving is better (`Position::can_accept`).
    pub accept: bool,
    /// Depth that was completed.
    pub depth: u32,
    /// Positions visited.
    pub nodes: u64,
}

impl Outcome {
    fn none() -> Outcome {
        Outcome {
            best: None,
            ponder: None,
            score: Score::Cp(0),
            pv: Vec::new(),
            accept: false,
            depth: 0,
            nodes: 0,
        }
    }
}

/// One width's part of an engine.
struct Core<S: Set> {
    eval: Arc<Evaluator<S>>,
    workers: Vec<Worker<S>>,
}

/// A [`Core`] of the width that the engine's game has.
trait AnyCore: Send + Sync {
    fn prepare(&mut self, threads: usize, rules: &RuleFacts);
    fn clear(&mut self);
    /// None for a position of another width.
    fn search(&mut self, ask: &Ask, report: &mut dyn FnMut(&Info)) -> Option<Outcome>;
    /// None for a position of another width.
    fn evaluate(&self, position: &Position) -> Option<Evaluation>;
}

impl<S: Set> AnyCore for Core<S> {
    fn prepare(&mut self, threads: usize, rules: &RuleFacts) {
        Core::prepare(self, threads, rules);
    }

    fn clear(&mut self) {
        Core::clear(self);
    }

    fn search(&mut self, ask: &Ask, report: &mut dyn FnMut(&Info)) -> Option<Outcome> {
        let pos = ask.position.at_width()?;
        Some(Core::search(self, ask, pos, report))
    }

    fn evaluate(&self, position: &Position) -> Option<Evaluation> {
        Some(Core::evaluate(self, position.at_width()?))
    }
}

/// Makes the core of a game.
struct NewCore<'a> {
    variant: &'a Arc<Variant>,
    values: &'a Values,
}

impl VisitTables for NewCore<'_> {
    type Output = Box<dyn AnyCore>;

    fn visit<S: Set>(self, tables: &Arc<Tables<S>>) -> Box<dyn AnyCore> {
        Box::new(Core::new(self.variant, tables, self.values))
    }
}

/// An engine for one game.
///
/// ```
/// use husun_engine::{Engine, Limits, Options};
/// use std::sync::atomic::AtomicBool;
///
/// let chess = games::variant("chess").unwrap();
/// let mut engine = Engine::new(chess.clone(), Options::default());
/// let position = chess.position("6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1").unwrap();
/// let stop = AtomicBool::new(false);
/// let found = engine.search(&position, &[], &Limits::depth(4), &stop, &mut |_| {});
/// assert_eq!(found.best, Some(position.parse_uci("a1a8").unwrap()));
/// assert_eq!(found.score, husun_engine::Score::Mate(1));
/// ```
pub struct Engine {
    variant: Arc<Variant>,
    values: Values,
    options: Options,
    table: Table,
    rules: RuleFacts,
    core: Box<dyn AnyCore>,
}

impl Engine {
    /// An engine that plays from estimated values.
    pub fn new(variant: Arc<Variant>, options: Options) -> Engine {
        let values = estimate(&variant);
        Engine::with_values(variant, values, options)
    }

    /// An engine that plays from a text of tuned values, or from estimates where there is none that fits the game.
    pub fn tuned(variant: Arc<Variant>, values: Option<&str>, options: Options) -> Engine {
        match values.and_then(|text| Values::parse(&variant, text).ok()) {
            Some(values) => Engine::with_values(variant, values, options),
            None => Engine::new(variant, options),
        }
    }

    /// An engine that plays from given values, as [`Values::parse`] reads them.
    pub fn with_values(variant: Arc<Variant>, values: Values, options: Options) -> Engine {
        let options = within(options);
        let rules = RuleFacts::new(&variant);
        let core = variant.visit(NewCore {
            variant: &variant,
            values: &values,
        });
        Engine {
            table: Table::new(options.hash),
            variant,
            values,
            options,
            rules,
            core,
        }
    }

    /// The game.
    pub fn variant(&self) -> &Arc<Variant> {
        &self.variant
    }

    /// The values that it plays from.
    pub fn values(&self) -> &Values {
        &self.values
    }

    /// The options, within their bounds.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Changes the options, which are brought within their bounds; another hash size forgets what the
    /// table holds.
    pub fn set_options(&mut self, options: Options) {
        let options = within(options);
        if options.hash != self.options.hash {
            self.table = Table::new(options.hash);
        }
        self.options = options;
    }

    /// Makes all that a search needs, so that the next one begins, and ends, at once. Not needed otherwise: a search
    /// makes what it lacks, which takes up to a tenth of a second on a large board.
    pub fn prepare(&mut self) {
        let threads = self.options.threads;
        self.core.prepare(threads, &self.rules);
    }

    /// Forgets all earlier searches, as for a new game.
    pub fn clear(&mut self) {
        self.table.clear();
        self.core.clear();
    }

    /// Finds the best move of a position of the engine's game. `history` holds the keys of the
    /// positions before it, the oldest first, so that repetitions are seen. `stop` ends the search when
    /// it becomes true; `report` is called after each iteration with what is known then.
    pub fn search(
        &mut self,
        position: &Position,
        history: &[u64],
        limits: &Limits,
        stop: &AtomicBool,
        report: &mut dyn FnMut(&Info),
    ) -> Outcome {
        self.table.next_search();
        let ask = Ask {
            position,
            history,
            limits,
            stop,
            options: &self.options,
            table: &self.table,
            rules: &self.rules,
        };
        let found = self.core.search(&ask, report);
        found.unwrap_or_else(Outcome::none)
    }

    /// How good a position of the engine's game is without looking ahead; none for another game's.
    pub fn evaluate(&self, position: &Position) -> Option<Evaluation> {
        self.core.evaluate(position)
    }
}

fn within(options: Options) -> Options {
    Options {
        hash: options.hash.clamp(1, MAX_HASH),
        threads: options.threads.clamp(1, MAX_THREADS),
        lines: options.lines.clamp(1, MAX_LINES),
        ..options
    }
}

/// What is asked of a core.
struct Ask<'a> {
    position: &'a Position,
    history: &'a [u64],
    limits: &'a Limits,
    stop: &'a AtomicBool,
    options: &'a Options,
    table: &'a Table,
    rules: &'a RuleFacts,
}

impl<S: Set> Core<S> {
    fn new(variant: &Arc<Variant>, tables: &Arc<Tables<S>>, values: &Values) -> Core<S> {
        Core {
            eval: Arc::new(Evaluator::new(variant, tables, values)),
            workers: Vec::new(),
        }
    }

    fn clear(&mut self) {
        for worker in &mut self.workers {
            worker.history.clear();
        }
    }

    fn evaluate(&self, pos: &Pos<S>) -> Evaluation {
        self.eval.parts(pos, self.eval.running(pos))
    }

    /// As many workers as there are threads.
    fn staff(&mut self, threads: usize, rules: &RuleFacts) {
        self.workers.truncate(threads);
        while self.workers.len() < threads {
            let main = self.workers.is_empty();
            let worker = Worker::new(self.eval.clone(), rules.clone(), main);
            self.workers.push(worker);
        }
    }

    /// The same, with their memory at hand: the system gives it only when it is written to, which would otherwise fall
    /// into the search.
    fn prepare(&mut self, threads: usize, rules: &RuleFacts) {
        let old = self.workers.len();
        self.staff(threads, rules);
        for worker in self.workers.iter_mut().skip(old) {
            worker.history.clear();
        }
    }

    fn search(&mut self, ask: &Ask, pos: &Pos<S>, report: &mut dyn FnMut(&Info)) -> Outcome {
        self.staff(ask.options.threads, ask.rules);
        let mut all = Vec::new();
        self.eval.tables.legal_moves(pos, &mut all);
        let accept = ask.position.can_accept() && !ask.position.in_check();
        let wanted = &ask.limits.searchmoves;
        all.retain(|m| wanted.is_empty() || wanted.contains(m));
        let root = Root {
            pos: *pos,
            running: self.eval.running(pos),
            in_check: self.eval.tables.in_check(pos, pos.turn()),
            path: ask.history.to_vec(),
        };
        let level = ask.options.level;
        let limits = level.limit(ask.limits);
        let lines = level.lines(all.len()).unwrap_or(ask.options.lines);
        let run = Run {
            table: ask.table,
            stop: ask.stop,
            over: AtomicBool::new(false),
            nodes: AtomicU64::new(0),
            front: Front::default(),
            start: Instant::now(),
            hard: limits.budget(ask.options.overhead).hard,
            limits: &limits,
            points: ask.options.points,
        };
        let task = Task {
            depth: limits.depth.unwrap_or(MAX_PLY as u32),
            lines,
            budget: limits.budget(ask.options.overhead),
            thread: 0,
        };
        let fresh: Vec<RootMove> = all.iter().map(|&m| RootMove::new(m)).collect();
        let mut done = 0;
        let mut moves = fresh.clone();
        if !moves.is_empty() {
            self.together(
                &run,
                &root,
                &mut moves,
                task,
                &mut |worker, moves, depth, n| {
                    done = depth;
                    let shown = n.min(ask.options.lines);
                    tell(&run, worker, &moves[..shown], depth, report);
                },
            );
        }
        if done == 0 && !moves.is_empty() {
            report(&self.at_once(&run, pos, &mut moves));
        }
        wait(&run);
        let mut outcome = outcome(&run, &moves, done);
        if let Some(i) = level.choose(&moves, pos.key() ^ ask.options.seed) {
            outcome = outcome_of(&run, &moves[i], done);
        }
        outcome.accept = accept && outcome.score < Score::Cp(0);
        outcome
    }

    /// What there is to say where the limits end the first iteration: the move that leads, and unless it was looked at
    /// the evaluation of the position.
    fn at_once(&self, run: &Run, pos: &Pos<S>, moves: &mut [RootMove]) -> Info {
        let best = &mut moves[0];
        if best.known().is_none() {
            best.score = self.evaluate(pos).total;
        }
        let score = Score::of(best.score);
        Info {
            depth: 1,
            seldepth: 1,
            line: 1,
            score,
            wdl: Wdl::of(score),
            nodes: run.nodes.load(Relaxed),
            time: run.start.elapsed(),
            hashfull: run.table.full(),
            pv: best.line.clone(),
        }
    }

    /// Runs all workers; the first one decides when it is over.
    fn together(
        &mut self,
        run: &Run,
        root: &Root<S>,
        moves: &mut [RootMove],
        task: Task,
        report: Report<S>,
    ) {
        let Some((main, helpers)) = self.workers.split_first_mut() else {
            return;
        };
        std::thread::scope(|scope| {
            for (i, helper) in helpers.iter_mut().enumerate() {
                let mut moves = moves.to_vec();
                let task = Task {
                    thread: i + 1,
                    ..task
                };
                scope.spawn(move || {
                    helper.deepen(run, root, &mut moves, task, &mut |_, _, _, _| {});
                    helper.settle(run);
                });
            }
            main.deepen(run, root, moves, task, report);
            main.settle(run);
            run.over.store(true, Relaxed);
        });
    }
}

/// Waits where only a stop may end the search.
fn wait(run: &Run) {
    while (run.limits.infinite || run.limits.pondering()) && !run.stop.load(Relaxed) {
        std::thread::sleep(Duration::from_millis(1));
    }
}

fn tell<S: Set>(
    run: &Run,
    worker: &Worker<S>,
    moves: &[RootMove],
    depth: u32,
    report: &mut dyn FnMut(&Info),
) {
    for (i, r) in moves.iter().enumerate() {
        let score = Score::of(r.score);
        report(&Info {
            depth,
            seldepth: (r.seldepth as u32).max(depth),
            line: i + 1,
            score,
            wdl: Wdl::of(score),
            nodes: run.nodes.load(Relaxed) + worker.nodes - worker.counted,
            time: run.start.elapsed(),
            hashfull: run.table.full(),
            pv: r.line.clone(),
        });
    }
}

fn outcome(run: &Run, moves: &[RootMove], depth: u32) -> Outcome {
    match moves.first() {
        Some(best) => outcome_of(run, best, depth),
        None => Outcome::none(),
    }
}

fn outcome_of(run: &Run, r: &RootMove, depth: u32) -> Outcome {
    let score = r.known().unwrap_or(0);
    Outcome {
        best: Some(r.m),
        ponder: r.line.get(1).copied(),
        score: Score::of(score),
        pv: r.line.clone(),
        accept: false,
        depth,
        nodes: run.nodes.load(Relaxed),
    }
}
