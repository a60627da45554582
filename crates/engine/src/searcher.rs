//! The search over positions of one width: its threads, what they share, and what is reported of it. Iterative
//! deepening, which each thread does, is in `root`.

use crate::endings::{self, Endings};
use crate::engine::{Info, Options, SearchResult};
use crate::eval::Evaluation;
use crate::exchange::Exchanges;
use crate::facts::Facts;
use crate::judge::Judge;
use crate::level::Turn;
use crate::limits::Limits;
use crate::root::{Front, Iteration, Report, Root, RootMove, Task};
use crate::score::{MAX_PLY, Score, Wdl};
use crate::search::glance::Glance;
use crate::search::{Run, Worker};
use crate::stopwatch::Stopwatch;
use crate::tt::Table;
use husun::pos::Pos;
use husun::set::Set;
use husun::{Move, Position};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::Duration;

/// What a search is asked to do.
pub(crate) struct Ask<'a> {
    pub position: &'a Position,
    pub history: &'a [u64],
    pub limits: &'a Limits,
    pub stop: &'a AtomicBool,
    pub options: &'a Options,
    pub table: &'a Table,
    pub endings: Option<&'a dyn Endings>,
    pub watch: Stopwatch,
}

/// The search over positions of whatever width, judged by whatever judge.
pub(crate) trait AnySearcher: Send + Sync {
    /// Allocates what this many threads need.
    fn prepare(&mut self, threads: usize);
    /// Forgets what earlier searches learned.
    fn clear(&mut self);
    /// Searches a position; nothing is found in one of another width.
    fn search(&mut self, ask: &Ask, report: &mut dyn FnMut(&Info)) -> SearchResult;
    /// How many legal moves lose nothing at once.
    fn sensible_moves(&self, position: &Position) -> usize;
    /// Evaluates a position without looking ahead; none for a position of another width.
    fn evaluate(&self, position: &Position) -> Option<Evaluation>;
}

/// The search over positions of one width.
pub(crate) struct Searcher<S: Set, J> {
    facts: Arc<Facts<S>>,
    exchanges: Arc<Exchanges<S>>,
    /// Every worker has a clone.
    judge: J,
    workers: Vec<Worker<S, J>>,
}

impl<S: Set, J: Judge<S>> AnySearcher for Searcher<S, J> {
    /// Touches the memory: the system provides it only when it is written to, which would otherwise slow the search.
    fn prepare(&mut self, threads: usize) {
        let old = self.workers.len();
        self.set_threads(threads);
        for worker in self.workers.iter_mut().skip(old) {
            worker.history.clear();
            worker.corrections.clear();
        }
    }

    fn clear(&mut self) {
        for worker in &mut self.workers {
            worker.history.clear();
            worker.corrections.clear();
        }
    }

    fn search(&mut self, ask: &Ask, report: &mut dyn FnMut(&Info)) -> SearchResult {
        match ask.position.at_width() {
            Some(pos) => self.search_pos(ask, pos, report),
            None => SearchResult::none(),
        }
    }

    fn sensible_moves(&self, position: &Position) -> usize {
        let Some(pos) = position.at_width() else {
            return 0;
        };
        let mut moves = Vec::new();
        self.facts.tables.legal_moves(pos, &mut moves);
        moves.retain(|&m| self.exchanges.see(pos, m, 0));
        moves.len()
    }

    fn evaluate(&self, position: &Position) -> Option<Evaluation> {
        position.at_width().map(|pos| self.judge.explain(pos))
    }
}

impl<S: Set, J: Judge<S>> Searcher<S, J> {
    pub fn new(facts: Arc<Facts<S>>, exchanges: Arc<Exchanges<S>>, judge: J) -> Self {
        Searcher {
            facts,
            exchanges,
            judge,
            workers: Vec::new(),
        }
    }

    /// Brings the workers to the number of threads.
    fn set_threads(&mut self, threads: usize) {
        self.workers.truncate(threads);
        while self.workers.len() < threads {
            let main = self.workers.is_empty();
            let (facts, exchanges) = (self.facts.clone(), self.exchanges.clone());
            let worker = Worker::new(facts, exchanges, self.judge.clone(), main);
            self.workers.push(worker);
        }
    }

    fn search_pos(
        &mut self,
        ask: &Ask,
        pos: &Pos<S>,
        report: &mut dyn FnMut(&Info),
    ) -> SearchResult {
        self.set_threads(ask.options.threads);
        for worker in &mut self.workers {
            worker.set_parameters(&ask.options.search);
        }
        let tables = self.facts.tables.clone();
        let mut all = Vec::new();
        tables.legal_moves(pos, &mut all);
        let draws = !ask.position.in_check() && !tables.stalemate_wins();
        let accept = draws && ask.position.can_accept();
        let wanted = &ask.limits.searchmoves;
        all.retain(|m| wanted.is_empty() || wanted.contains(m));
        let root = Root {
            pos: *pos,
            in_check: tables.in_check(pos, pos.turn()),
            path: ask.history.to_vec(),
        };
        let turn = ask
            .options
            .level
            .turn(pos.key(), ask.history, ask.options.seed);
        let limits = turn
            .as_ref()
            .map_or_else(|| ask.limits.clone(), |turn| turn.limit(ask.limits));
        let lines = turn
            .as_ref()
            .map_or(ask.options.lines, |turn| turn.lines(all.len()));
        let budget = limits.budget(ask.options.overhead);
        let run = Run {
            table: ask.table,
            stop: ask.stop,
            over: AtomicBool::new(false),
            nodes: AtomicU64::new(0),
            table_hits: AtomicU64::new(0),
            front: Front::default(),
            watch: ask.watch.clone(),
            hard: budget.hard,
            limits: &limits,
            points: ask.options.points,
            // A lower level knows no more of endings than of anything else.
            endings: ask.endings.filter(|_| turn.is_none()),
        };
        let task = Task {
            depth: limits.depth.unwrap_or(MAX_PLY as u32),
            lines,
            budget,
            thread: 0,
        };
        let mut moves: Vec<RootMove> = all.iter().map(|&m| RootMove::new(m)).collect();
        let mut done = 0;
        // A line that leads into the tables goes on to the end.
        let finish = |r: &RootMove| {
            let mut line = r.line.clone();
            if let Some(endings) = run.endings {
                endings::lengthen(endings, &tables, pos, &mut line);
            }
            line
        };
        let mut note = |iteration: &Iteration| {
            done = iteration.depth;
            let shown = iteration.lines.min(ask.options.lines);
            tell(&run, iteration, shown, &finish, report);
        };
        match turn.as_ref().and_then(Turn::glance) {
            _ if moves.is_empty() => {}
            Some(glance) => self.glance(&run, &root, &mut moves, glance, &mut note),
            None => self.run_threads(&run, &root, &mut moves, task, &mut note),
        }
        if done == 0 && !moves.is_empty() {
            report(&self.at_once(&run, pos, &mut moves));
        }
        wait(&run);
        let chosen = turn.and_then(|mut turn| turn.choose(&moves)).unwrap_or(0);
        let mut outcome = match moves.get(chosen) {
            Some(r) => outcome_of(&run, r, finish(r), done),
            None => SearchResult::none(),
        };
        outcome.accept = accept && outcome.score < Score::Cp(0);
        outcome
    }

    /// What to report if the limits end the first iteration: the leading move and, unless it was searched, the
    /// evaluation of the position.
    fn at_once(&self, run: &Run, pos: &Pos<S>, moves: &mut [RootMove]) -> Info {
        let best = &mut moves[0];
        if best.known().is_none() {
            best.score = self.judge.explain(pos).total;
        }
        let score = Score::of(best.score);
        Info {
            depth: 1,
            seldepth: 1,
            line: 1,
            score,
            wdl: Wdl::of(score),
            nodes: run.nodes.load(Relaxed),
            time: run.watch.elapsed(),
            hashfull: run.table.full(),
            table_hits: run.table_hits.load(Relaxed),
            pv: best.line.clone(),
        }
    }

    /// Has one worker look as an unskilled player does.
    fn glance(
        &mut self,
        run: &Run,
        root: &Root<S>,
        moves: &mut [RootMove],
        glance: &Glance,
        report: Report,
    ) {
        let Some(worker) = self.workers.first_mut() else {
            return;
        };
        let depth = worker.glance(run, root, moves, glance);
        let uncounted = worker.nodes - worker.counted;
        if depth > 0 {
            report(&Iteration {
                moves,
                depth,
                lines: 1,
                uncounted,
            });
        }
        worker.settle(run);
    }

    /// Runs all workers; the first one decides when it is over.
    fn run_threads(
        &mut self,
        run: &Run,
        root: &Root<S>,
        moves: &mut [RootMove],
        task: Task,
        report: Report,
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
                    helper.deepen(run, root, &mut moves, task, &mut |_| {});
                    helper.settle(run);
                });
            }
            main.deepen(run, root, moves, task, report);
            main.settle(run);
            run.over.store(true, Relaxed);
        });
    }
}

/// Waits when only a stop may end the search.
fn wait(run: &Run) {
    while (run.limits.infinite || run.limits.pondering()) && !run.stop.load(Relaxed) {
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Reports the best lines of an iteration.
fn tell(
    run: &Run,
    iteration: &Iteration,
    shown: usize,
    finish: &dyn Fn(&RootMove) -> Vec<Move>,
    report: &mut dyn FnMut(&Info),
) {
    let depth = iteration.depth;
    for (i, r) in iteration.moves.iter().take(shown).enumerate() {
        let score = Score::of(r.score);
        report(&Info {
            depth,
            seldepth: (r.seldepth as u32).max(depth),
            line: i + 1,
            score,
            wdl: Wdl::of(score),
            nodes: run.nodes.load(Relaxed) + iteration.uncounted,
            time: run.watch.elapsed(),
            hashfull: run.table.full(),
            table_hits: run.table_hits.load(Relaxed),
            pv: finish(r),
        });
    }
}

fn outcome_of(run: &Run, r: &RootMove, line: Vec<Move>, depth: u32) -> SearchResult {
    let score = r.known().unwrap_or(0);
    SearchResult {
        best: Some(r.m),
        ponder: line.get(1).copied(),
        score: Score::of(score),
        pv: line,
        accept: false,
        depth,
        nodes: run.nodes.load(Relaxed),
    }
}
