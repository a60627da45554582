//! The time that a search has taken.

use std::time::{Duration, Instant};

/// Runs from the start of a search.
#[derive(Clone)]
pub(crate) struct Stopwatch(Instant);

impl Stopwatch {
    /// Begins now.
    pub fn start() -> Stopwatch {
        Stopwatch(Instant::now())
    }

    /// How long it has been running.
    pub fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }
}
