//! The nodes of a server, for those who run it.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The nodes that share the database, and who owns how many games.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct NodesNow {
    /// Name of the node that answers; missing where the server runs alone.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub asked: Option<String>,
    /// The nodes, those that have lost their games as long as somebody may want to know.
    pub nodes: Vec<NodeNow>,
    /// Games under way that wait for an owner.
    pub unowned: u64,
    /// The workers that are there, as the node that answers knows them.
    #[serde(default)]
    pub workers: Vec<WorkerNow>,
}

/// A worker: a machine that lends its cores.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct WorkerNow {
    /// How people call it.
    pub name: String,
    /// How many threads it has.
    pub threads: u64,
    /// How many of them are at work, for any server.
    pub busy: u64,
}

/// A node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct NodeNow {
    /// Its name.
    pub name: String,
    /// Number of its life: another each time it arrives.
    pub boot: u64,
    /// Where it is found.
    pub address: String,
    /// Version of the program.
    pub version: String,
    /// What it speaks with the others: those of another number have no part in its games.
    #[serde(default = "first")]
    pub protocol: u64,
    /// How it is.
    pub state: NodeState,
    /// Whether it does what is done once for all.
    pub leads: bool,
    /// For how many milliseconds its lease still runs.
    pub lease_ms: u64,
    /// Games in its memory.
    pub live: u64,
    /// Games under way that it owns.
    pub owned: u64,
}

/// What those speak that do not say it.
fn first() -> u64 {
    1
}

/// How a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum NodeState {
    /// It takes games.
    Alive,
    /// It is about to end, or cannot speak with the others: it takes no more games.
    Leaving,
    /// Its lease is over: others take its games.
    Gone,
}
