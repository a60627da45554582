//! What a game is asked and what it tells over the bus: a line of JSON for the server's parts, and after it the text
//! for a browser, made once and passed on as it is.

use crate::wire::WatchersLine;
use axum::extract::ws::Utf8Bytes;
use bytes::Bytes;
use play::table::Person;
use play::{Deed, Who};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Where a game is asked.
pub fn asked_at(game: &str) -> String {
    format!("game.{game}")
}

/// Where a game tells.
pub fn told_at(game: &str) -> String {
    format!("game.{game}.told")
}

/// What a game is asked. A socket is known by a number of its own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "ask", rename_all = "snake_case")]
pub enum Ask {
    /// A socket comes. Answered by [`Answered`], with a snapshot as text.
    Join {
        /// Its number.
        socket: u64,
        /// Boot of the node at which it is: it is gone when that is; 0 where a server runs alone.
        #[serde(default)]
        node: i64,
        /// Who it is.
        person: Person,
        /// The word that opens a seat.
        seat: Option<String>,
        /// Ids of those whose words in chat it is not to be told.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        muted: Vec<String>,
    },
    /// A socket goes.
    Leave {
        /// Its number.
        socket: u64,
    },
    /// A socket acts. Answered by what it alone is told, if anything.
    Act {
        /// Its number.
        socket: u64,
        /// What.
        deed: Deed,
        /// How long ago it came, when it was asked: on its way over the bus it is not measured.
        waited: Duration,
        /// Time on the way to the server, as measured by the server.
        lag: Duration,
        /// From when its browser was handed the turn until it came, if that is known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        thought: Option<Duration>,
        /// Where it is followed, if it is ([`crate::telemetry::parent_of`]).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        trace: Option<String>,
    },
    /// The whole game is wanted, for a guest. Answered by a snapshot as text.
    Look {
        /// By whom.
        guest: String,
        /// Ids of those whose words in chat that one is not to be told.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        muted: Vec<String>,
    },
    /// What those say who watch is wanted. Answered by a list of [`Heard`] as JSON.
    Watchers,
    /// A line of those who watch is removed by those who moderate. Answered by the same list without it.
    RemoveWatchersLine {
        /// Its number.
        n: u64,
    },
    /// Somebody goes on vacation or comes back. Answered when what follows is stored.
    Vacation {
        /// Id of the account.
        person: String,
        /// Whether it begins.
        on: bool,
    },
    /// Somebody may play no more: the game is given up. Answered when what follows is stored.
    Expel {
        /// Id of the account, or number of the guest.
        person: String,
    },
    /// A line of chat was removed from the storage. Answered when the game knows.
    ChatRemoved {
        /// Which, counted from 0.
        line: usize,
    },
    /// What is stored was changed by others: it is read anew. Not answered.
    ReadAnew,
    /// The game's card is wanted. Answered by it as text.
    Card {
        /// For whose list of own games.
        guest: Option<String>,
    },
}

/// A line of those who watch, for those who moderate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Heard {
    /// Id of who wrote it.
    pub by: String,
    /// The line.
    pub line: WatchersLine,
}

/// A socket that has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Joined {
    /// Who it is to the game.
    pub who: Who,
    /// Which life of the game in memory it is: numbers of what is told begin anew in each.
    pub life: u64,
    /// Number of what was told last before the answer.
    pub told: u64,
    /// Half-moves played by then.
    #[serde(default)]
    pub ply: u32,
}

/// The head of an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answered {
    /// A socket that has come, if it was let in.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub joined: Option<Joined>,
    /// Whether the socket that acts is not known (any more): it comes anew, and nothing was done.
    #[serde(skip_serializing_if = "is_false", default)]
    pub unknown: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "asked by serde")]
fn is_false(is: &bool) -> bool {
    !is
}

/// For whom something is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Audience {
    /// All who are there.
    All,
    /// Both players.
    Players,
    /// All who only watch.
    Watchers,
    /// All who are this.
    Who(Who),
    /// One socket, which from now on is this.
    Socket(u64, Who),
    /// The game leaves memory: all come anew.
    Gone,
}

impl Audience {
    /// Whether a socket is meant.
    pub fn has(self, socket: u64, who: Who) -> bool {
        match self {
            Audience::All => true,
            Audience::Players => matches!(who, Who::Player(_)),
            Audience::Watchers => who == Who::Watcher,
            Audience::Who(of) => of == who,
            Audience::Socket(number, _) => number == socket,
            Audience::Gone => false,
        }
    }
}

/// The head of what is told.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Told {
    /// The life of the game in memory.
    pub life: u64,
    /// Number in it, from 1 without a gap.
    pub n: u64,
    /// Half-moves played by then.
    #[serde(default)]
    pub ply: u32,
    /// For whom.
    pub to: Audience,
    /// Sockets that are not meant, though they are of those.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub but: Vec<u64>,
}

/// A head and a text as one message.
pub fn write(head: &impl Serialize, text: &str) -> Bytes {
    // Names and numbers alone: there is nothing in a head that JSON cannot say.
    let mut message = serde_json::to_vec(head).unwrap_or_default();
    message.push(b'\n');
    message.extend_from_slice(text.as_bytes());
    message.into()
}

/// The head and the text of a message, which is not copied; nothing if it is of another make.
pub fn read<T: DeserializeOwned>(message: &Bytes) -> Option<(T, Utf8Bytes)> {
    let end = message.iter().position(|&b| b == b'\n')?;
    let head = serde_json::from_slice(&message[..end]).ok()?;
    let text = Utf8Bytes::try_from(message.slice(end + 1..)).ok()?;
    Some((head, text))
}

#[cfg(test)]
#[test]
fn messages_are_understood_as_they_were_ever_sent() {
    use crate::forms::keep;
    keep::<Ask>(
        include_str!("../../tests/data/messages/game-asks.jsonl"),
        Some("ask"),
    );
    keep::<Answered>(
        include_str!("../../tests/data/messages/game-answers.jsonl"),
        None,
    );
    keep::<Told>(
        include_str!("../../tests/data/messages/game-told.jsonl"),
        None,
    );
    keep::<Heard>(
        include_str!("../../tests/data/messages/game-heard.jsonl"),
        None,
    );
}
