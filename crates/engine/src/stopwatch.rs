//! The time that a search has taken. Tests set it instead of measuring.

use std::time::{Duration, Instant};

/// Runs from the start of a search.
#[derive(Clone)]
pub(crate) enum Stopwatch {
    /// Since then.
    Since(Instant),
    /// What a test says, asked each time.
    #[cfg(test)]
    Told(std::sync::Arc<dyn Fn() -> Duration + Send + Sync>),
}

impl Stopwatch {
    /// Begins now.
    pub fn start() -> Stopwatch {
        Stopwatch::Since(Instant::now())
    }

    /// How long it has been running.
    pub fn elapsed(&self) -> Duration {
        match self {
            Stopwatch::Since(start) => start.elapsed(),
            #[cfg(test)]
            Stopwatch::Told(told) => told(),
        }
    }
}
