//! What servers and workers say to each other, as JSON. The subjects, `NODE` and `WORKER` being names by chance:
//!
//! | subject | who tells or serves it | what |
//! | --- | --- | --- |
//! | `engines.call` | servers tell | [`Call`]: so many jobs wait here |
//! | `engines.beat` | workers tell | [`Beat`]: I am here and at these jobs |
//! | `engines.NODE` | a server serves | [`Ask`], answered by [`Reply`]: jobs are taken and answered |
//! | `engines.NODE.lines` | workers tell | [`Told`]: the lines of an analysis so far |
//! | `engines.WORKER.stop` | servers tell | [`JobId`]: end that search |

use crate::engines::queue::Waiting;
use crate::engines::{Job, Thought, ThoughtLine};
use bytes::Bytes;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// What both sides must agree on. A worker asks no server that says another number.
pub const PROTOCOL: u32 = 1;
/// How often workers say that they are there.
pub const BEAT: Duration = Duration::from_millis(250);
/// How often servers say that they are there.
pub const CALL: Duration = Duration::from_secs(1);
/// The longest message that is read.
pub const MOST: usize = 2 << 20;
/// Bytes of a network in one message: NATS servers carry 1 MiB if nobody says otherwise.
pub const PART: usize = 256 << 10;
/// Bytes of a network at most: what the engine reads is less.
pub const MOST_OF_A_NETWORK: usize = 4 << 20;

/// Where servers call.
pub const CALLS: &str = "engines.call";
/// Where workers say that they are there.
pub const BEATS: &str = "engines.beat";

/// Where a server is asked.
pub fn asked(node: &str) -> String {
    format!("engines.{node}")
}

/// Where a server is told lines.
pub fn lines(node: &str) -> String {
    format!("engines.{node}.lines")
}

/// Where a worker is told to end a search.
pub fn stop(worker: &str) -> String {
    format!("engines.{worker}.stop")
}

/// A job of a server.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct JobId {
    /// The server.
    pub node: String,
    /// Its number there.
    pub number: u64,
}

/// A server is there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Call {
    /// Which.
    pub node: String,
    /// What it speaks.
    pub protocol: u32,
    /// What waits there.
    pub waiting: Waiting,
}

/// A worker is there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Beat {
    /// Which.
    pub worker: String,
    /// How people call it.
    pub name: String,
    /// How many threads it has.
    pub threads: usize,
    /// What it is at.
    pub jobs: Vec<JobId>,
    /// It goes and is at nothing any more.
    pub goes: bool,
}

/// What a worker asks a server.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ask {
    /// A job for a free thread.
    Take {
        /// Who asks.
        worker: String,
        /// How people call it.
        name: String,
        /// How many threads it has.
        threads: usize,
        /// Whether the thread does more than games.
        analyses: bool,
        /// Ids of the games that it does; all if missing.
        games: Option<Vec<String>>,
    },
    /// A job has ended.
    Give {
        /// Whose it was.
        worker: String,
        /// Its number.
        number: u64,
        /// How.
        outcome: Ended,
    },
    /// The definition of a game from a file.
    Definition {
        /// Its stored name.
        name: String,
    },
    /// What the engine plays the game of a file by, in parts.
    Tuning {
        /// Its stored name.
        name: String,
        /// From which byte of the network on.
        from: usize,
    },
}

/// How a job has ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ended {
    /// There is an answer.
    Done {
        /// What was found.
        thought: Thought,
        /// The last lines.
        lines: Option<Lines>,
    },
    /// It cannot be done there.
    Unfit(Unfit),
    /// It was not done: the worker goes, or its engine ended in a fault.
    Undone,
}

/// Why a worker cannot do a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum Unfit {
    /// It does not know the game and cannot read its definition.
    #[error("the game is not known there")]
    Game,
    /// Its game of that name has another definition.
    #[error("the game of that name has other rules there")]
    Definition,
    /// Its program does not read the position, or has another key for it.
    #[error("the program there reads the position in another way")]
    Position,
}

/// What a server answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reply {
    /// A job.
    Job(Box<Assignment>),
    /// No job that fits.
    Nothing,
    /// An answer is here.
    Noted,
    /// The worker has given a wrong answer and gets no more jobs.
    Distrusted {
        /// What was wrong.
        why: String,
    },
    /// The definition of a game, if it is known.
    Definition(Option<Definition>),
    /// What the engine plays it by, if there is something.
    Tuning(Option<TuningPart>),
}

/// A part of what the engine plays the game of a file by.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TuningPart {
    /// The text of its values; with the first part.
    pub values: Option<String>,
    /// Bytes of its network, if it has one.
    pub length: Option<usize>,
    /// Those of this part, in base 64.
    pub network: String,
}

/// A job for a worker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Assignment {
    /// Its number.
    pub number: u64,
    /// How long it has waited.
    pub waited: Duration,
    /// What to do.
    pub job: Job,
    /// What waits besides.
    pub waiting: Waiting,
}

/// A game from a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Definition {
    /// Its stored name.
    pub name: String,
    /// Its texts ([`play::Definition::texts`]).
    pub texts: String,
}

/// The lines of a depth.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Lines {
    /// Depth in half-moves.
    pub depth: u32,
    /// Positions searched.
    pub nodes: u64,
    /// The lines, best first.
    pub lines: Vec<ThoughtLine>,
}

/// The lines of a job so far.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Told {
    /// Who tells.
    pub worker: String,
    /// The job's number.
    pub number: u64,
    /// What was found.
    pub lines: Lines,
}

/// As it is sent.
pub fn write<T: Serialize>(message: &T) -> Bytes {
    // Plain data: all of it can be written.
    serde_json::to_vec(message).unwrap_or_default().into()
}

/// As it was meant; nothing if it is too long or not that.
pub fn read<T: DeserializeOwned>(message: &[u8]) -> Option<T> {
    if message.len() > MOST {
        return None;
    }
    serde_json::from_slice(message).ok()
}

#[cfg(test)]
#[test]
fn messages_are_understood_as_they_were_ever_sent() {
    use crate::forms::keep;
    keep::<Call>(
        include_str!("../../../tests/data/messages/engine-calls.jsonl"),
        None,
    );
    keep::<Beat>(
        include_str!("../../../tests/data/messages/engine-beats.jsonl"),
        None,
    );
    keep::<JobId>(
        include_str!("../../../tests/data/messages/engine-stops.jsonl"),
        None,
    );
    keep::<Ask>(
        include_str!("../../../tests/data/messages/engine-asks.jsonl"),
        None,
    );
    keep::<Reply>(
        include_str!("../../../tests/data/messages/engine-replies.jsonl"),
        None,
    );
    keep::<Told>(
        include_str!("../../../tests/data/messages/engine-told.jsonl"),
        None,
    );
}
