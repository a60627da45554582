//! Votes: called, voted in, declared.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A candidate of a vote.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Candidate {
    /// What voters read: 1 to 60 characters. May be missing with a game, whose name it is then.
    #[serde(default)]
    pub text: String,
    /// Id of the game that it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub game: Option<String>,
}

/// A vote as its caller wishes it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewVote {
    /// What is asked: 2 to 120 characters.
    pub question: String,
    /// More about it: 1000 characters at most.
    #[serde(default)]
    pub text: String,
    /// 2 to 20, each another.
    pub candidates: Vec<Candidate>,
    /// When it closes, in milliseconds of Unix time: from a few seconds to a year ahead.
    pub closes_ms: i64,
    /// Whether accounts that are made after the vote was called may vote.
    #[serde(default)]
    pub newcomers: bool,
}

/// A vote called.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct VoteMade {
    /// Its id.
    pub id: String,
}

/// How far a vote is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum VotePhase {
    /// Ballots are taken.
    Open,
    /// It has closed and is counted.
    Counting,
    /// It was declared.
    Declared,
    /// It was called off.
    Off,
}

/// A vote in a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct VoteCard {
    /// Its id.
    pub id: String,
    /// What is asked.
    pub question: String,
    /// How far it is.
    pub phase: VotePhase,
    /// When it closes or has closed, in milliseconds of Unix time.
    pub closes_ms: i64,
    /// Who has won, once it is declared: several if it is a tie.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub winners: Vec<String>,
}

/// Votes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Votes {
    /// Those that are open, the one that closes first first.
    pub open: Vec<VoteCard>,
    /// Those that are not, the last first.
    pub past: Vec<VoteCard>,
    /// What to ask with for the page of `past` that follows, as `before`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
    /// Whether the one who asks may call votes.
    pub may_call: bool,
}

/// A voter's marks, as numbers of candidates from 0: both, either or neither.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Ballot {
    /// The one tick.
    #[serde(default)]
    pub tick: Option<u32>,
    /// The one cross, for another candidate.
    #[serde(default)]
    pub cross: Option<u32>,
}

/// What was declared of a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CandidateCount {
    /// Votes for.
    pub ticks: u64,
    /// Votes against.
    pub crosses: u64,
    /// For less against.
    pub net: i64,
    /// Whether nobody has a greater net.
    pub won: bool,
}

/// A vote as it is now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct VoteNow {
    /// What lists show.
    #[serde(flatten)]
    pub card: VoteCard,
    /// More about it.
    pub text: String,
    /// Who or what can be chosen.
    pub candidates: Vec<Candidate>,
    /// Name of the one who has called it.
    pub caller: String,
    /// When, in milliseconds of Unix time.
    pub made_ms: i64,
    /// Whether accounts that were made after that may vote.
    pub newcomers: bool,
    /// How many have voted.
    pub voters: u64,
    /// What was declared of each candidate. Nobody is told before it closes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counts: Option<Vec<CandidateCount>>,
    /// The ballot of the one who asks, until it is counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub own: Option<Ballot>,
    /// Whether the one who asks may vote.
    pub may_vote: bool,
    /// Whether the one who asks may call it off.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub may_call_off: bool,
    /// The server's time, in milliseconds of Unix time.
    pub now_ms: i64,
}

/// A ballot in an account's data.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct OwnBallot {
    /// Id of the vote.
    pub vote: String,
    /// What is asked.
    pub question: String,
    /// Who has the tick.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tick: Option<String>,
    /// Who has the cross.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cross: Option<String>,
}
