//! Where games are kept: one trait, one implementation for SQLite and PostgreSQL, and the writer that gathers
//! what many games store at once. What the events mean is not known here.

#[macro_use]
mod ask;

pub mod accounts;
mod append;
pub mod archive;
pub mod backup;
mod file;
pub mod files;
mod hold;
mod migrations;
pub mod moderation;
pub mod nodes;
pub mod notes;
pub mod notices;
pub mod offers;
pub mod people;
pub mod ratings;
mod reviews;
pub mod running;
mod sql;
#[cfg(test)]
mod tests;
pub mod tokens;
pub mod tournaments;
pub mod vacations;
pub mod votes;
mod writer;

pub use hold::Mode;
pub use sql::SqlStore;
pub use writer::{Health, Writer};

use futures_util::future::BoxFuture;
use std::time::Duration;

/// A game as it was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewGameRow {
    /// What was settled, as JSON.
    pub spec: String,
    /// When, in milliseconds of Unix time.
    pub made_ms: i64,
    /// Guests in whose lists it stands.
    pub guests: Vec<String>,
}

/// An event to be stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventRow {
    /// Number in the game, from 1.
    pub seq: i64,
    /// Time of the game in milliseconds.
    pub at_ms: i64,
    /// Number of the server's run that stored it.
    pub run: i64,
    /// The server's time when it happened, in milliseconds: it goes on from run to run.
    pub run_ms: i64,
    /// Milliseconds of Unix time.
    pub wall_ms: i64,
    /// What has happened, as JSON.
    pub body: String,
    /// A guest in whose list the game now stands.
    pub guest: Option<String>,
}

/// When a game wants to be looked at though nobody is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Due {
    /// Not before this time of the server, in milliseconds.
    At(i64),
    /// Never: nothing can happen to it of itself.
    Never,
}

/// A game as it is listed, written when it has left memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CardRow {
    /// Number of the last event that it knows.
    pub seq: i64,
    /// What is listed, as JSON.
    pub text: String,
}

/// Texts of a game that was read from a file: what its games need to go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DefinitionRow {
    /// Its name, which stands for its texts.
    pub name: String,
    /// The texts.
    pub texts: String,
}

/// What is written of one game, all of it or nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GameWrite {
    /// The game's id.
    pub game: String,
    /// Epoch of the owner who writes: refused if the game has another.
    pub epoch: i64,
    /// Boot of the node that owns it, which a new game is made with; 0 where a server runs alone. Refused if the game has
    /// another owner, or the node's lease is over. One who has only read the game writes no events and names no owner.
    pub owner: i64,
    /// The game itself, if it is new.
    pub made: Option<NewGameRow>,
    /// Texts that it needs; what is there already under the name stays.
    pub definition: Option<DefinitionRow>,
    /// What has happened, with numbers that follow on what is stored.
    pub events: Vec<EventRow>,
    /// When it wants to be looked at; as before if missing.
    pub due: Option<Due>,
    /// When its mover is to be told that time runs out; as before if missing.
    pub warn: Option<Due>,
    /// Whether it is over: it is not looked at any more.
    pub over: bool,
    /// Its card.
    pub card: Option<CardRow>,
    /// What is to be rated now that it is over, as JSON.
    pub to_rate: Option<String>,
    /// The tournament that waits for its end, and how it ended, as JSON.
    pub tournament: Option<[String; 2]>,
    /// Offers of which it has come: each that is another game's refuses this one.
    pub takes: Vec<String>,
    /// What it is searched by now that it is over.
    pub archive: Option<archive::ArchiveRow>,
    /// What changes where it stands among the games that everybody may watch; an end takes it out of them by itself.
    pub running: Option<running::Running>,
}

/// A game as it is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredGame {
    /// Its id.
    pub id: String,
    /// What was settled, as JSON.
    pub spec: String,
    /// When it was made, in milliseconds of Unix time.
    pub made_ms: i64,
    /// Epoch of its owner.
    pub epoch: i64,
    /// Whether it is over.
    pub over: bool,
    /// When it wants to be looked at, by its owner's time.
    pub due: Option<i64>,
    /// Boot of the node that owns it; 0 if nobody does, as where a server runs alone.
    pub owner: i64,
    /// How far its time has come, where nodes have shared it; else its events say.
    pub since: Option<nodes::Since>,
    /// What has happened, in order.
    pub events: Vec<EventRow>,
}

/// A game of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedGame {
    /// Its id.
    pub id: String,
    /// Its card, unless something has happened since it was written.
    pub card: Option<String>,
}

/// A review as it is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReviewRow {
    /// Its id: that of its game, or one of its own.
    pub id: String,
    /// What was found so far, as JSON.
    pub body: String,
    /// From when on it may be forgotten, in milliseconds of Unix time; never if missing.
    pub until_ms: Option<i64>,
}

/// A run of the server as it begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunRow {
    /// Its number, from 1.
    pub run: i64,
    /// The last run's time as the database knows it: no event has a later one.
    pub last_ms: i64,
    /// The first run whose milliseconds count on from the run before.
    pub counted_from: i64,
}

/// What went wrong with the storage.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// It does not answer or cannot write at the moment. Trying again may help.
    #[error("storage: {0}")]
    Unavailable(String),
    /// The database's file is gone or is another than before.
    #[error(
        "storage: the database file {0} was removed or replaced while the server runs; put it back, or restart the server"
    )]
    Replaced(String),
    /// What is to be written does not fit the database.
    #[error("storage: {0}")]
    Rejected(String),
    /// A text has a character that the database cannot hold.
    #[error("storage: {0}")]
    Unheld(String),
    /// Another event has this number already.
    #[error("storage: game {game} has another event {seq} already")]
    Conflict {
        /// The game.
        game: String,
        /// The number.
        seq: i64,
    },
    /// The game has another owner, or is not there.
    #[error("storage: game {game} is not owned with epoch {epoch}")]
    Fenced {
        /// The game.
        game: String,
        /// The epoch that was claimed.
        epoch: i64,
    },
    /// An offer is open no more.
    #[error("storage: offer {0} was taken or withdrawn")]
    Taken(String),
    /// Another server works with the database.
    #[error("another server uses {0}; two servers cannot share a database")]
    InUse(String),
    /// Nodes work with the database, and a server wants it for itself.
    #[error(
        "several nodes use {0}; a server that runs alone cannot share it with them: end them first, or start this one as a node"
    )]
    InUseByNodes(String),
    /// A server that runs alone works with the database.
    #[error("a server that runs alone uses {0}; nodes cannot share it with that: end it first")]
    InUseAlone(String),
    /// The database is of another version of this program, or none.
    #[error("{0}")]
    Unusable(String),
}

impl StoreError {
    /// Whether the same may succeed later.
    pub fn is_passing(&self) -> bool {
        !matches!(
            self,
            StoreError::Rejected(_)
                | StoreError::Unheld(_)
                | StoreError::Conflict { .. }
                | StoreError::Fenced { .. }
                | StoreError::Taken(_)
        )
    }
}

impl From<sqlx::Error> for StoreError {
    fn from(error: sqlx::Error) -> StoreError {
        let text = error.to_string();
        match &error {
            sqlx::Error::Database(e) if e.code().as_deref() == Some(NO_SUCH_CHARACTER) => {
                StoreError::Unheld(text)
            }
            sqlx::Error::Database(e) if is_unfit(e.code().as_deref()) => StoreError::Rejected(text),
            sqlx::Error::Database(e) if is_unusable(e.code().as_deref()) => {
                StoreError::Unusable(format!("database: {text}"))
            }
            sqlx::Error::Configuration(_) => StoreError::Unusable(format!("database: {text}")),
            sqlx::Error::ColumnDecode { .. } | sqlx::Error::ColumnNotFound(_) => {
                StoreError::Rejected(text)
            }
            _ => StoreError::Unavailable(text),
        }
    }
}

/// PostgreSQL's `character_not_in_repertoire`: NUL, which it has in no text.
const NO_SUCH_CHARACTER: &str = "22021";

/// Whether an error's code says that the data is at fault: PostgreSQL's classes 22 and 23, SQLite's TOOBIG, CONSTRAINT
/// and MISMATCH.
fn is_unfit(code: Option<&str>) -> bool {
    let Some(code) = code else { return false };
    match code.parse::<u32>() {
        Ok(n) if code.len() < 5 => matches!(n & 0xff, 18..=20),
        _ => code.starts_with("22") || code.starts_with("23"),
    }
}

/// Whether an error's code says that the database cannot be used as it is: SQLite's PERM, CORRUPT, CANTOPEN, AUTH and
/// NOTADB; PostgreSQL's classes 28 and 3D and what concerns rights and tables.
fn is_unusable(code: Option<&str>) -> bool {
    let Some(code) = code else { return false };
    match code.parse::<u32>() {
        Ok(n) if code.len() < 5 => matches!(n & 0xff, 3 | 11 | 14 | 23 | 26),
        _ => ["28", "3D", "42"]
            .iter()
            .any(|class| code.starts_with(class)),
    }
}

/// An answer of the storage.
pub type Answer<'a, T> = BoxFuture<'a, Result<T, StoreError>>;

/// Keeps games. All is written when an answer comes; what was written stays, whatever happens to the process.
pub trait Store: std::fmt::Debug + Send + Sync + 'static {
    /// Writes what games ask for: all in one commit, or nothing if it fails as a whole. Each game's own answer tells
    /// whether its part was taken; what is there already in the same words changes nothing.
    fn write<'a>(&'a self, writes: &'a [GameWrite]) -> Answer<'a, Vec<Result<(), StoreError>>>;
    /// A game.
    fn load<'a>(&'a self, id: &'a str) -> Answer<'a, Option<StoredGame>>;
    /// The texts kept under a name.
    fn definition<'a>(&'a self, name: &'a str) -> Answer<'a, Option<DefinitionRow>>;
    /// Keeps texts under a name, for what waits to be played; texts that are there stay.
    fn keep_definition<'a>(&'a self, definition: &'a DefinitionRow) -> Answer<'a, ()>;
    /// Ids of games that want to be looked at, those that have waited longest first: of those that no node owns.
    fn due(&self, now_ms: i64, limit: u32) -> Answer<'_, Vec<String>>;
    /// A guest's games, the newest first.
    fn of_guest<'a>(&'a self, guest: &'a str, limit: u32) -> Answer<'a, Vec<ListedGame>>;
    /// Keeps a review, in the place of what was kept under its id.
    fn keep_review<'a>(&'a self, review: &'a ReviewRow) -> Answer<'a, ()>;
    /// A review.
    fn review<'a>(&'a self, id: &'a str) -> Answer<'a, Option<ReviewRow>>;
    /// Forgets the reviews whose time is over; tells how many.
    fn forget_reviews(&self, now_ms: i64) -> Answer<'_, u64>;
    /// Begins a run of the server. `known` is the last run that the data folder knows of: a database without any is
    /// then not the one that was used.
    fn begin_run(&self, wall_ms: i64, known: Option<i64>) -> Answer<'_, RunRow>;
    /// Whether it answers.
    fn ping(&self) -> Answer<'_, ()>;
}

/// Milliseconds as they are stored.
pub fn millis(time: Duration) -> i64 {
    i64::try_from(time.as_millis()).unwrap_or(i64::MAX)
}
