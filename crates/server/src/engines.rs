//! The engine's threads: a bounded pool that takes turns between those who ask. Games come before analysis,
//! and one thread never analyses, so that nobody's analysis delays anybody's game. What is asked is data and answers
//! come by a channel, so that another pool may have its threads elsewhere.

mod queue;
#[cfg(test)]
mod tests;

use engine::{ClockSituation, Engine, Info, Level, Limits, Options, Score};
use husun::clock::{Remaining, TimeControl};
use husun::{Move, Position, Variant};
use metrics::{counter, histogram};
use play::Games;
use queue::{Shared, Task};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::io;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};
use tokio::sync::mpsc;

/// Stack of a thread in bytes: a search goes deep.
const STACK: usize = 16 << 20;
/// Engines that a thread keeps, each for one game.
pub(crate) const KEPT: usize = 4;
/// Longest thought about a move: others wait.
const LONGEST: Duration = Duration::from_secs(5);
/// Time for a move without a clock, by whether it is full strength.
const WITHOUT_CLOCK: [Duration; 2] = [Duration::from_millis(900), Duration::from_millis(2500)];
/// Time that a move needs besides thinking.
const OVERHEAD: Duration = Duration::from_millis(30);
/// Lines are told at most so often.
const PAUSE: Duration = Duration::from_millis(100);
/// Moves told of a line.
const SHOWN: usize = 24;
/// An analysis that others wait for ends after this, as soon as a depth is complete.
const SLICE: Duration = Duration::from_secs(3);

/// What a job is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Purpose {
    /// A move of a game.
    Play,
    /// Someone looks at a position.
    Analysis,
    /// A position of a game that is looked back at.
    Review,
}

/// How the clock of the side to move stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobClock {
    /// The time control.
    pub control: TimeControl,
    /// What the side to move has left.
    pub remaining: Remaining,
}

/// What is asked of an engine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Job {
    /// Who asks: a game or a socket. Those who ask take turns.
    pub asker: String,
    /// What for.
    pub purpose: Purpose,
    /// Id of the game.
    pub variant: String,
    /// Position text.
    pub fen: String,
    /// Keys of the positions before it.
    pub history: Vec<u64>,
    /// How strong, 1 to 8.
    pub level: u8,
    /// The clock, if there is one.
    pub clock: Option<JobClock>,
    /// Longest thought.
    pub most: Duration,
    /// Positions to search at most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
    /// How many lines.
    pub lines: usize,
    /// What the choices of lower levels are drawn from.
    pub seed: u64,
}

/// A line as it is told while the engine thinks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ThoughtLine {
    /// Centipawns for the side to move; missing where a mate is seen.
    pub cp: Option<i32>,
    /// Moves to mate for the side to move, negative if it is mated.
    pub mate: Option<i32>,
    /// Expected share of the points for the side to move, 0 to 1.
    pub expect: f64,
    /// The moves in UCI form.
    pub uci: Vec<String>,
    /// The moves in algebraic notation.
    pub san: Vec<String>,
}

/// What was found in the end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Thought {
    /// The move to make in UCI form; none if there is no legal move.
    pub best: Option<String>,
    /// Whether to accept a draw instead of moving is better.
    pub accept: bool,
    /// Score in centipawns for the side to move.
    pub score: i32,
    /// How many moves there were to choose from that lose nothing at once.
    pub sensible: usize,
}

/// What comes back of a job.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Report {
    /// The lines of a depth, best first.
    Lines {
        /// Depth in half-moves.
        depth: u32,
        /// Positions searched.
        nodes: u64,
        /// The lines.
        lines: Vec<ThoughtLine>,
    },
    /// The end.
    Done(Thought),
}

/// Why there is no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the engine is busy with others; try again later")]
pub struct Busy;

/// A job under way. It ends, or is not begun, when this is dropped.
#[derive(Debug)]
pub struct Asked {
    reports: mpsc::UnboundedReceiver<Report>,
    stop: Arc<AtomicBool>,
}

impl Asked {
    /// What comes back next; nothing after the end. Without an end the engine ended in a fault, and asking again may
    /// bring an answer.
    pub async fn next(&mut self) -> Option<Report> {
        self.reports.recv().await
    }

    /// The end alone.
    pub async fn end(&mut self) -> Option<Thought> {
        loop {
            if let Report::Done(thought) = self.next().await? {
                return Some(thought);
            }
        }
    }
}

impl Drop for Asked {
    fn drop(&mut self) {
        self.stop.store(true, Relaxed);
    }
}

/// Who does engine jobs.
pub trait Engines: fmt::Debug + Send + Sync + 'static {
    /// Puts a job in its queue.
    fn ask(&self, job: Job) -> Result<Asked, Busy>;
    /// How many jobs are taken up before the next one of `asker`; none if no job of that one waits.
    fn before(&self, purpose: Purpose, asker: &str) -> Option<usize>;
    /// Ends all threads when they have done what they are at.
    fn close(&self);
}

/// Threads of this process.
#[derive(Clone)]
pub struct LocalEngines {
    shared: Arc<Shared>,
}

impl fmt::Debug for LocalEngines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("LocalEngines")
    }
}

impl LocalEngines {
    /// A pool of `threads` threads, at least two, each with tables of `hash` mebibytes a game.
    pub fn new(threads: usize, hash: usize, games: &Arc<Games>) -> io::Result<LocalEngines> {
        let engines = LocalEngines {
            shared: Arc::default(),
        };
        for number in 0..threads.max(2) {
            let shared = engines.shared.clone();
            let mut worker = Worker {
                engines: Vec::new(),
                games: games.clone(),
                hash: hash.max(1),
                shared: shared.clone(),
            };
            thread::Builder::new()
                .name(format!("engine-{number}"))
                .stack_size(STACK)
                .spawn(move || {
                    while let Some(task) = shared.next(number > 0) {
                        worker.take(task);
                    }
                })?;
        }
        Ok(engines)
    }
}

impl Engines for LocalEngines {
    fn ask(&self, job: Job) -> Result<Asked, Busy> {
        // Bounded by how often lines are told and how long an engine thinks.
        let (reports, told) = mpsc::unbounded_channel();
        let stop: Arc<AtomicBool> = Arc::default();
        let asked = Asked {
            reports: told,
            stop: stop.clone(),
        };
        self.shared.push(Task {
            job,
            since: Instant::now(),
            reports,
            stop,
        })?;
        Ok(asked)
    }

    fn before(&self, purpose: Purpose, asker: &str) -> Option<usize> {
        self.shared.before(purpose, asker)
    }

    fn close(&self) {
        self.shared.close();
    }
}

/// Longest thought about a move of a game: as its clock allows, but never so long that others wait.
pub fn longest(level: Level, clock: Option<&JobClock>) -> Duration {
    match clock {
        Some(_) => LONGEST,
        None => WITHOUT_CLOCK[usize::from(level == Level::FULL)],
    }
}

/// What one thread keeps.
struct Worker {
    /// The one used last at the end.
    engines: Vec<Engine>,
    games: Arc<Games>,
    hash: usize,
    shared: Arc<Shared>,
}

impl Worker {
    /// Does a job. A fault of the engine costs that engine, not its thread.
    fn take(&mut self, task: Task) {
        if task.stop.load(Relaxed) {
            return;
        }
        let waited = task.since.elapsed();
        histogram!("husun_engine_wait_seconds").record(waited.as_secs_f64());
        let Task {
            job, reports, stop, ..
        } = task;
        let variant = self.games.stored(&job.variant);
        let Some(position) = variant.and_then(|v| v.position(&job.fen).ok()) else {
            counter!("husun_faults_total").increment(1);
            tracing::error!(variant = %job.variant, fen = %job.fen, "a job for the engine is no position");
            return;
        };
        let done = panic::catch_unwind(AssertUnwindSafe(|| {
            let mut telling = Telling::new(&position, job.lines, &reports);
            self.think(&job, &position, waited, &stop, &mut telling)
        }));
        match done {
            Ok(thought) => drop(reports.send(Report::Done(thought))),
            Err(_) => {
                counter!("husun_faults_total").increment(1);
                tracing::error!(variant = %job.variant, fen = %job.fen, "the engine ended in a fault of ours");
                // What the one that was searching holds may be half done.
                self.engines
                    .retain(|e| !Arc::ptr_eq(e.variant(), position.variant()));
            }
        }
    }

    fn think(
        &mut self,
        job: &Job,
        position: &Position,
        waited: Duration,
        stop: &AtomicBool,
        telling: &mut Telling<'_>,
    ) -> Thought {
        #[cfg(test)]
        assert_ne!(job.asker, tests::FAULTY, "on purpose");
        // While a game with a clock waits its clock runs; a time for thinking alone begins with the thinking.
        let overhead = match job.clock {
            Some(_) => OVERHEAD + waited,
            None => OVERHEAD,
        };
        let limits = Limits {
            clock: job.clock.map(|clock| ClockSituation {
                control: clock.control,
                remaining: clock.remaining,
                moves_to_go: None,
            }),
            nodes: job.nodes,
            ..Limits::movetime(job.most)
        };
        let shared = self.shared.clone();
        let begun = Instant::now();
        // Who looks at a position for long makes way for others when there are some.
        let makes_way =
            || job.purpose == Purpose::Analysis && begun.elapsed() >= SLICE && shared.others_wait();
        let hash = self.hash;
        let engine = self.engine_for(position.variant());
        engine.set_options(Options {
            hash,
            lines: job.lines,
            level: Level::new(job.level).unwrap_or(Level::FULL),
            points: true,
            overhead,
            seed: job.seed,
            ..Options::default()
        });
        let outcome = engine.search(position, &job.history, &limits, stop, &mut |info| {
            telling.note(info);
            if makes_way() {
                stop.store(true, Relaxed);
            }
        });
        telling.tell_rest();
        Thought {
            best: outcome.best.map(|m| position.uci(m).to_string()),
            accept: outcome.accept,
            score: outcome.score.value(),
            sensible: engine.sensible_moves(position),
        }
    }

    /// The engine of a game: one of those kept, the least used of which makes way for a new one.
    fn engine_for(&mut self, variant: &Arc<Variant>) -> &mut Engine {
        let engines = &mut self.engines;
        let at = engines
            .iter()
            .position(|e| Arc::ptr_eq(e.variant(), variant));
        let engine = match at {
            Some(at) => engines.remove(at),
            None => {
                if engines.len() >= KEPT {
                    engines.remove(0);
                }
                let options = Options {
                    hash: self.hash,
                    ..Options::default()
                };
                let games = self.games.catalogue();
                let (values, network) = (games.values(variant), games.network(variant));
                Engine::tuned(variant.clone(), values, network, options)
            }
        };
        engines.push(engine);
        let last = engines.len() - 1;
        &mut engines[last]
    }
}

/// Lines as they are found, told now and then.
struct Telling<'a> {
    position: &'a Position,
    wanted: usize,
    lines: Vec<ThoughtLine>,
    depth: u32,
    nodes: u64,
    told: Option<Instant>,
    fresh: bool,
    reports: &'a mpsc::UnboundedSender<Report>,
}

impl<'a> Telling<'a> {
    fn new(
        position: &'a Position,
        wanted: usize,
        reports: &'a mpsc::UnboundedSender<Report>,
    ) -> Telling<'a> {
        Telling {
            position,
            wanted,
            lines: Vec::new(),
            depth: 0,
            nodes: 0,
            told: None,
            fresh: false,
            reports,
        }
    }

    fn note(&mut self, info: &Info) {
        let line = line(self.position, info);
        match self.lines.get_mut(info.line - 1) {
            Some(place) => *place = line,
            None => self.lines.push(line),
        }
        (self.depth, self.nodes, self.fresh) = (info.depth, info.nodes, true);
        if info.line == self.wanted && self.told.is_none_or(|told| told.elapsed() >= PAUSE) {
            self.tell_rest();
        }
    }

    fn tell_rest(&mut self) {
        if !std::mem::take(&mut self.fresh) {
            return;
        }
        self.told = Some(Instant::now());
        // One who does not listen any more has the search ended.
        let _ = self.reports.send(Report::Lines {
            depth: self.depth,
            nodes: self.nodes,
            lines: self.lines.clone(),
        });
    }
}

fn line(position: &Position, info: &Info) -> ThoughtLine {
    let (cp, mate) = match info.score {
        Score::Cp(cp) => (Some(cp), None),
        Score::Mate(n) => (None, Some(n)),
    };
    let (uci, san) = texts(position, &info.pv);
    ThoughtLine {
        cp,
        mate,
        expect: (f64::from(info.wdl.win) + f64::from(info.wdl.draw) / 2.0) / 1000.0,
        uci,
        san,
    }
}

fn texts(position: &Position, line: &[Move]) -> (Vec<String>, Vec<String>) {
    let mut position = position.clone();
    let (mut uci, mut san) = (Vec::new(), Vec::new());
    for &m in line.iter().take(SHOWN) {
        // A line that a worn table has spoilt ends where it is not legal any more.
        let (Ok(text), Ok(after)) = (position.san(m), position.play(m)) else {
            break;
        };
        uci.push(position.uci(m).to_string());
        san.push(text);
        position = after;
    }
    (uci, san)
}
