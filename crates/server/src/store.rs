//! Where games are kept: one trait, one implementation for SQLite and PostgreSQL, and the writer that gathers
//! what many games store at once. What the events mean is not known here.

mod sql;
#[cfg(test)]
mod tests;
mod writer;

pub use sql::SqlStore;
pub use writer::Writer;

use futures_util::future::BoxFuture;
use std::time::Duration;

/// A game as it was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewGameRow {
    /// Its id.
    pub id: String,
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
    /// The game's id.
    pub game: String,
    /// Number in the game, from 1.
    pub seq: i64,
    /// Time of the game in milliseconds.
    pub at_ms: i64,
    /// Number of the server's run that stored it.
    pub run: i64,
    /// Milliseconds of that run when it happened.
    pub run_ms: i64,
    /// Milliseconds of Unix time.
    pub wall_ms: i64,
    /// What has happened, as JSON.
    pub body: String,
    /// A guest in whose list the game now stands.
    pub guest: Option<String>,
}

/// A game as it is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredGame {
    /// As it was made.
    pub made: NewGameRow,
    /// Whether it is over.
    pub over: bool,
    /// What has happened, in order.
    pub events: Vec<EventRow>,
}

/// What went wrong with the storage.
#[derive(Debug, Clone, thiserror::Error)]
#[error("storage: {0}")]
pub struct StoreError(pub String);

impl From<sqlx::Error> for StoreError {
    fn from(error: sqlx::Error) -> StoreError {
        StoreError(error.to_string())
    }
}

/// An answer of the storage.
pub type Answer<'a, T> = BoxFuture<'a, Result<T, StoreError>>;

/// Keeps games. All is written when an answer comes; what was written stays, whatever happens to the process.
pub trait Store: std::fmt::Debug + Send + Sync + 'static {
    /// Keeps a new game. The same game again changes nothing.
    fn create<'a>(&'a self, game: &'a NewGameRow) -> Answer<'a, ()>;
    /// Keeps events, all or none. An event that is there already changes nothing.
    fn append<'a>(&'a self, events: &'a [EventRow]) -> Answer<'a, ()>;
    /// Notes that a game is over.
    fn finish<'a>(&'a self, id: &'a str) -> Answer<'a, ()>;
    /// A game.
    fn load<'a>(&'a self, id: &'a str) -> Answer<'a, Option<StoredGame>>;
    /// Ids of all games that are not over.
    fn running(&self) -> Answer<'_, Vec<String>>;
    /// Ids of a guest's games, the newest first.
    fn of_guest<'a>(&'a self, guest: &'a str, limit: u32) -> Answer<'a, Vec<String>>;
    /// Ids of games not over in which nothing has happened since a time of Unix time in milliseconds.
    fn idle_since(&self, wall_ms: i64) -> Answer<'_, Vec<String>>;
    /// Begins a run of the server and tells its number.
    fn begin_run(&self, wall_ms: i64) -> Answer<'_, i64>;
    /// Whether it answers.
    fn ping(&self) -> Answer<'_, ()>;
}

/// Milliseconds as they are stored.
pub fn millis(time: Duration) -> i64 {
    i64::try_from(time.as_millis()).unwrap_or(i64::MAX)
}
