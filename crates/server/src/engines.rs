//! Engine jobs: a bounded queue that takes turns between those who ask, and the threads that do them. Games come before
//! analysis, and one thread never analyses, so that nobody's analysis delays anybody's game. What is asked is data and
//! answers come by a channel, so that the threads may be in this process (`local.rs`) or on other machines
//! (`remote.rs` hands the jobs out, `worker.rs` does them there).

mod check;
mod local;
mod queue;
pub mod remote;
#[cfg(test)]
mod tests;
mod think;
pub mod worker;

pub use local::LocalEngines;
pub use remote::RemoteEngines;

use engine::Level;
use husun::clock::{Remaining, TimeControl};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;
use tokio::sync::{Notify, mpsc};

/// Engines that a thread keeps, each for one game.
pub(crate) const KEPT: usize = 4;
/// Longest thought about a move: others wait.
const LONGEST: Duration = Duration::from_secs(5);
/// Time for a move without a clock, by whether it is full strength.
const WITHOUT_CLOCK: [Duration; 2] = [Duration::from_millis(900), Duration::from_millis(2500)];
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

impl Purpose {
    /// Its name in figures.
    pub fn name(self) -> &'static str {
        match self {
            Purpose::Play => "play",
            Purpose::Analysis => "analysis",
            Purpose::Review => "review",
        }
    }
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
    /// Name under which the game is stored ([`play::Games::name`]).
    pub variant: String,
    /// Hash of the game's definition ([`play::Games::hash`]): whoever has another game of that name does not do the job.
    pub definition: String,
    /// Position text.
    pub fen: String,
    /// The position's key. Programs that compute other keys cannot use those of `history`.
    pub key: u64,
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
    /// Woken when it is dropped.
    gone: Option<Arc<Notify>>,
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
        if let Some(gone) = &self.gone {
            gone.notify_one();
        }
    }
}

/// Who does engine jobs.
pub trait Engines: fmt::Debug + Send + Sync + 'static {
    /// Puts a job in its queue.
    fn ask(&self, job: Job) -> Result<Asked, Busy>;
    /// How many jobs are taken up before the next one of `asker`; none if no job of that one waits.
    fn before(&self, purpose: Purpose, asker: &str) -> Option<usize>;
    /// Machines elsewhere that lend their cores, by their names.
    fn workers(&self) -> Vec<WorkerSeen> {
        Vec::new()
    }
    /// Ends all threads when they have done what they are at.
    fn close(&self);
}

/// A worker as its servers see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkerSeen {
    /// How people call it.
    pub name: String,
    /// How many threads it has.
    pub threads: usize,
    /// How many of them are at work, for any server.
    pub busy: usize,
}

/// Longest thought about a move of a game: as its clock allows, but never so long that others wait.
pub fn longest(level: Level, clock: Option<&JobClock>) -> Duration {
    match clock {
        Some(_) => LONGEST,
        None => WITHOUT_CLOCK[usize::from(level == Level::FULL)],
    }
}
