//! Work that takes more than a moment, kept off the threads that serve everybody: a few pieces at once, a bounded
//! number waiting, and bounds for what is held in memory meanwhile.

#[cfg(test)]
mod tests;

use crate::refusal::{Reason, Refused, refused};
use metrics::{counter, gauge};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// How long a piece of work takes, which tells the line that it waits in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weight {
    /// Milliseconds: a position, a picture, a stored game played through.
    Light,
    /// Up to seconds: a text with many games' worth of moves.
    Heavy,
    /// A tenth of a second and much memory: a password. No flood of texts keeps people from signing in.
    Password,
}

/// Pieces of heavy work at once, and waiting at most.
const HEAVY: (usize, usize) = (2, 16);
/// Passwords at once, and waiting at most.
const PASSWORDS: (usize, usize) = (2, 64);
/// Pieces of light work waiting at most.
const LIGHT: usize = 1000;

/// Why work was not done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WorkError {
    /// Too much is waiting.
    #[error("the server has too much of this to do at the moment; try again in a few seconds")]
    Busy,
    /// The work ended in a fault.
    #[error("a fault of the server; it has been noted")]
    Fault,
}

impl From<WorkError> for Refused {
    fn from(error: WorkError) -> Refused {
        let reason = match error {
            WorkError::Busy => Reason::Busy,
            WorkError::Fault => Reason::Fault,
        };
        refused(reason, error.to_string())
    }
}

/// Those who work and those who wait.
#[derive(Clone, Debug)]
pub struct Work {
    light: Lane,
    heavy: Lane,
    passwords: Lane,
}

#[derive(Clone, Debug)]
struct Lane {
    name: &'static str,
    places: Arc<Semaphore>,
    waiting: Arc<AtomicUsize>,
    most: usize,
}

impl Default for Work {
    fn default() -> Work {
        Work::new()
    }
}

impl Work {
    /// As many light pieces at once as there are cores, at least two; work of one kind does not wait for another's.
    pub fn new() -> Work {
        let cores = std::thread::available_parallelism().map_or(2, usize::from);
        Work {
            light: Lane::new("light", cores.max(2), LIGHT),
            heavy: Lane::new("heavy", HEAVY.0, HEAVY.1),
            passwords: Lane::new("passwords", PASSWORDS.0, PASSWORDS.1),
        }
    }

    /// Has `job` done on a thread where it delays nobody, after those that came before. Refused at once if too many
    /// wait. One who does not wait for the end any more does not end a job that has begun.
    pub async fn run<T: Send + 'static>(
        &self,
        weight: Weight,
        job: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, WorkError> {
        let lane = match weight {
            Weight::Light => &self.light,
            Weight::Heavy => &self.heavy,
            Weight::Password => &self.passwords,
        };
        let place = lane.place().await?;
        let done = tokio::task::spawn_blocking(move || {
            // Free again when the job is done, whoever still waits for it.
            let _place = place;
            job()
        });
        done.await.map_err(|error| {
            counter!("husun_faults_total").increment(1);
            tracing::error!(%error, work = lane.name, "work ended in a fault of ours");
            WorkError::Fault
        })
    }
}

impl Lane {
    fn new(name: &'static str, at_once: usize, most: usize) -> Lane {
        Lane {
            name,
            places: Arc::new(Semaphore::new(at_once)),
            waiting: Arc::default(),
            most,
        }
    }

    async fn place(&self) -> Result<OwnedSemaphorePermit, WorkError> {
        if let Ok(place) = self.places.clone().try_acquire_owned() {
            return Ok(place);
        }
        let waits = Waits::of(self);
        if waits.before >= self.most {
            counter!("husun_limited_total", "what" => self.name).increment(1);
            return Err(WorkError::Busy);
        }
        let place = self.places.clone().acquire_owned().await;
        place.map_err(|_| WorkError::Busy)
    }
}

/// One who waits, counted for as long as this lives.
struct Waits<'a> {
    lane: &'a Lane,
    before: usize,
}

impl<'a> Waits<'a> {
    fn of(lane: &'a Lane) -> Waits<'a> {
        let before = lane.waiting.fetch_add(1, Relaxed);
        gauge!("husun_work_waiting", "weight" => lane.name).set(before as f64 + 1.0);
        Waits { lane, before }
    }
}

impl Drop for Waits<'_> {
    fn drop(&mut self) {
        let before = self.lane.waiting.fetch_sub(1, Relaxed);
        gauge!("husun_work_waiting", "weight" => self.lane.name).set(before as f64 - 1.0);
    }
}

/// Memory that may be held at once, by all together.
#[derive(Clone, Debug)]
pub struct Budget {
    blocks: Arc<Semaphore>,
    all: usize,
}

/// Bytes of a block, in which memory is counted.
const BLOCK: usize = 1024;

/// Memory of a budget, given back when this is dropped.
#[derive(Debug)]
pub struct Share {
    _blocks: OwnedSemaphorePermit,
}

impl Budget {
    /// A budget of so many bytes.
    pub fn new(bytes: usize) -> Budget {
        let all = bytes.div_ceil(BLOCK).min(Semaphore::MAX_PERMITS);
        Budget {
            blocks: Arc::new(Semaphore::new(all)),
            all,
        }
    }

    /// A share, unless others hold too much.
    pub fn take(&self, bytes: usize) -> Result<Share, WorkError> {
        let blocks = u32::try_from(bytes.div_ceil(BLOCK)).unwrap_or(u32::MAX);
        match self.blocks.clone().try_acquire_many_owned(blocks) {
            Ok(blocks) => Ok(Share { _blocks: blocks }),
            Err(_) => {
                counter!("husun_limited_total", "what" => "memory").increment(1);
                Err(WorkError::Busy)
            }
        }
    }

    /// Bytes that are free.
    pub fn free(&self) -> usize {
        self.blocks.available_permits().min(self.all) * BLOCK
    }
}
