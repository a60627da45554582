//! The engine's threads: a bounded pool that takes turns between those who ask. Games come before analysis,
//! and one thread never analyses, so that nobody's analysis delays anybody's game.

#[cfg(test)]
mod tests;

use engine::{ClockSituation, Engine, Info, Level, Limits, Options, Outcome};
use husun::{Position, Variant};
use metrics::{counter, gauge, histogram};
use std::collections::{HashMap, VecDeque};
use std::io;
use std::panic::{self, AssertUnwindSafe};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Stack of a thread in bytes: a search goes deep.
const STACK: usize = 16 << 20;
/// Engines that a thread keeps, each for one game.
pub(crate) const KEPT: usize = 4;
/// Questions waiting at most, of each kind.
const QUEUE: usize = 1000;
/// Longest thought about a move: others wait.
const LONGEST: Duration = Duration::from_secs(5);
/// Time for a move without a clock, by whether it is full strength.
const WITHOUT_CLOCK: [Duration; 2] = [Duration::from_millis(900), Duration::from_millis(2500)];
/// Time that a move needs besides thinking.
const OVERHEAD: Duration = Duration::from_millis(30);

/// What a question is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// A move of a game.
    Play,
    /// Someone looks at a position.
    Analysis,
}

/// What is asked.
pub struct Question {
    /// Who asks: a game or a socket. Those who ask take turns.
    pub owner: String,
    /// What for.
    pub purpose: Purpose,
    /// The position.
    pub position: Position,
    /// Keys of the positions before it.
    pub history: Vec<u64>,
    /// How strong.
    pub level: Level,
    /// How long.
    pub limits: Limits,
    /// How many lines.
    pub lines: usize,
    /// What the choices of lower levels are drawn from.
    pub seed: u64,
    /// Ends the search, or keeps it from beginning.
    pub stop: Arc<AtomicBool>,
    /// Is told each line.
    pub report: Box<dyn FnMut(&Info) + Send>,
    /// Is told the end; dropped if the question was not asked.
    pub done: Box<dyn FnOnce(Result<Outcome, Fault>) + Send>,
}

/// The engine ended in a fault: there is no answer, and asking again may bring one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the engine ended in a fault")]
pub struct Fault;

/// The pool is full.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the engine is busy with others; try again later")]
pub struct Busy;

/// Questions of one purpose, those who ask taking turns.
#[derive(Default)]
struct Line {
    owners: VecDeque<String>,
    waiting: HashMap<String, VecDeque<(Instant, Question)>>,
    len: usize,
}

impl Line {
    fn push(&mut self, question: Question) -> Result<(), Busy> {
        if self.len >= QUEUE {
            return Err(Busy);
        }
        let queue = self.waiting.entry(question.owner.clone()).or_default();
        if queue.is_empty() {
            self.owners.push_back(question.owner.clone());
        }
        queue.push_back((Instant::now(), question));
        self.len += 1;
        Ok(())
    }

    fn pop(&mut self) -> Option<(Instant, Question)> {
        let owner = self.owners.pop_front()?;
        let queue = self.waiting.get_mut(&owner)?;
        let question = queue.pop_front()?;
        match queue.is_empty() {
            true => {
                self.waiting.remove(&owner);
            }
            false => self.owners.push_back(owner),
        }
        self.len -= 1;
        Some(question)
    }

    /// How many come before the next question of one who asks.
    fn before(&self, owner: &str) -> Option<usize> {
        self.owners.iter().position(|o| o == owner)
    }
}

#[derive(Default)]
struct Lines {
    play: Line,
    analysis: Line,
    closing: bool,
}

impl Lines {
    /// The next question for a thread.
    fn pop(&mut self, analyses: bool) -> Option<(Instant, Question)> {
        let next = match analyses {
            true => self.play.pop().or_else(|| self.analysis.pop()),
            false => self.play.pop(),
        };
        self.note();
        next
    }

    fn note(&self) {
        gauge!("husun_engine_waiting", "for" => "play").set(self.play.len as f64);
        gauge!("husun_engine_waiting", "for" => "analysis").set(self.analysis.len as f64);
    }
}

#[derive(Default)]
struct Shared {
    lines: Mutex<Lines>,
    bell: Condvar,
}

/// The pool.
#[derive(Clone)]
pub struct Brains {
    shared: Arc<Shared>,
    hash: usize,
}

impl std::fmt::Debug for Brains {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Brains").finish_non_exhaustive()
    }
}

impl Brains {
    /// A pool of `threads` threads, at least two, each with tables of `hash` mebibytes a game.
    pub fn new(threads: usize, hash: usize) -> io::Result<Brains> {
        let brains = Brains {
            shared: Arc::default(),
            hash: hash.max(1),
        };
        for number in 0..threads.max(2) {
            let (shared, hash) = (brains.shared.clone(), brains.hash);
            thread::Builder::new()
                .name(format!("engine-{number}"))
                .stack_size(STACK)
                .spawn(move || work(&shared, hash, number > 0))?;
        }
        Ok(brains)
    }

    /// Puts a question in its line.
    pub fn ask(&self, question: Question) -> Result<(), Busy> {
        let mut lines = self
            .shared
            .lines
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        match question.purpose {
            Purpose::Play => lines.play.push(question)?,
            Purpose::Analysis => lines.analysis.push(question)?,
        }
        lines.note();
        drop(lines);
        self.shared.bell.notify_all();
        Ok(())
    }

    /// How many questions are taken up before the next one of `owner`; none if no question of that one waits.
    pub fn before(&self, purpose: Purpose, owner: &str) -> Option<usize> {
        let lines = self
            .shared
            .lines
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        match purpose {
            Purpose::Play => lines.play.before(owner),
            Purpose::Analysis => Some(lines.analysis.before(owner)? + lines.play.len),
        }
    }

    /// Ends all threads when they have done what they are at.
    pub fn close(&self) {
        let mut lines = self
            .shared
            .lines
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        lines.closing = true;
        drop(lines);
        self.shared.bell.notify_all();
    }
}

/// How long to think about a move of a game: as its clock allows, but never so long that others wait.
pub fn limits(level: Level, clock: Option<ClockSituation>) -> Limits {
    let most = match clock {
        Some(_) => LONGEST,
        None => WITHOUT_CLOCK[usize::from(level == Level::FULL)],
    };
    Limits {
        clock,
        ..Limits::movetime(most)
    }
}

fn work(shared: &Shared, hash: usize, analyses: bool) {
    let mut engines: Vec<Engine> = Vec::new();
    loop {
        let (asked, question) = {
            let mut lines = shared.lines.lock().unwrap_or_else(PoisonError::into_inner);
            loop {
                if lines.closing {
                    return;
                }
                match lines.pop(analyses) {
                    Some(next) => break next,
                    None => {
                        lines = shared
                            .bell
                            .wait(lines)
                            .unwrap_or_else(PoisonError::into_inner);
                    }
                }
            }
        };
        if question.stop.load(Relaxed) {
            continue;
        }
        let waited = asked.elapsed();
        histogram!("husun_engine_wait_seconds").record(waited.as_secs_f64());
        answer(&mut engines, question, hash, waited);
    }
}

/// Answers a question. A fault of the engine costs that engine, not its thread.
fn answer(engines: &mut Vec<Engine>, question: Question, hash: usize, waited: Duration) {
    let Question {
        position,
        history,
        level,
        limits,
        lines,
        seed,
        stop,
        mut report,
        done,
        ..
    } = question;
    // While a game with a clock waits its clock runs; a time for thinking alone begins with the thinking.
    let overhead = match limits.clock {
        Some(_) => OVERHEAD + waited,
        None => OVERHEAD,
    };
    let search = || {
        let engine = engine_for(engines, position.variant(), hash);
        engine.set_options(Options {
            hash,
            lines,
            level,
            points: true,
            overhead,
            seed,
            ..Options::default()
        });
        engine.search(&position, &history, &limits, &stop, &mut |info| {
            report(info);
        })
    };
    let outcome = panic::catch_unwind(AssertUnwindSafe(search)).map_err(|_| {
        counter!("husun_faults_total").increment(1);
        let (variant, fen) = (position.variant().id(), position.fen());
        tracing::error!(%variant, %fen, "the engine ended in a fault of ours");
        // The one that was searching is the last; what it holds may be half done.
        engines.retain(|e| !Arc::ptr_eq(e.variant(), position.variant()));
        Fault
    });
    if panic::catch_unwind(AssertUnwindSafe(|| done(outcome))).is_err() {
        counter!("husun_faults_total").increment(1);
        tracing::error!("an answer of the engine was taken with a fault of ours");
    }
}

/// The engine of a game: one of those kept, the least used of which makes way for a new one.
fn engine_for<'a>(
    engines: &'a mut Vec<Engine>,
    variant: &Arc<Variant>,
    hash: usize,
) -> &'a mut Engine {
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
                hash,
                ..Options::default()
            };
            Engine::tuned(variant.clone(), games::values_of(variant), options)
        }
    };
    engines.push(engine);
    let last = engines.len() - 1;
    &mut engines[last]
}
