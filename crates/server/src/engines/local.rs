//! The engine's threads of this process.

use super::queue::{Shared, Task};
use super::think::{STACK, Thinker};
use super::{Asked, Busy, Engines, Job, Purpose, Report, SLICE};
use metrics::{counter, histogram};
use play::Games;
use std::fmt;
use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::thread;
use std::time::Instant;
use tablebase::Tablebases;
use tokio::sync::mpsc;

/// Threads of this process.
#[derive(Clone)]
pub struct LocalEngines {
    pub(super) shared: Arc<Shared>,
}

impl fmt::Debug for LocalEngines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("LocalEngines")
    }
}

impl LocalEngines {
    /// A pool of `threads` threads, at least two, each with tables of `hash` mebibytes a game.
    pub fn new(threads: usize, hash: usize, games: &Arc<Games>) -> io::Result<LocalEngines> {
        LocalEngines::with_tables(threads, hash, games, None)
    }

    /// The same, whose engines ask tables of perfect play.
    pub fn with_tables(
        threads: usize,
        hash: usize,
        games: &Arc<Games>,
        tables: Option<Arc<Tablebases>>,
    ) -> io::Result<LocalEngines> {
        let engines = LocalEngines {
            shared: Arc::default(),
        };
        engines.start(threads.max(2), hash, games, tables)?;
        Ok(engines)
    }

    /// A queue that no thread of this process serves.
    #[cfg(test)]
    pub(super) fn without_threads() -> LocalEngines {
        LocalEngines {
            shared: Arc::default(),
        }
    }

    pub(super) fn start(
        &self,
        threads: usize,
        hash: usize,
        games: &Arc<Games>,
        tables: Option<Arc<Tablebases>>,
    ) -> io::Result<()> {
        for number in 0..threads {
            let shared = self.shared.clone();
            let mut thinker = Thinker::new(games.clone(), hash, tables.clone());
            thread::Builder::new()
                .name(format!("engine-{number}"))
                .stack_size(STACK)
                .spawn(move || {
                    while let Some(task) = shared.next(number > 0) {
                        take(&mut thinker, &shared, task);
                    }
                })?;
        }
        Ok(())
    }
}

impl Engines for LocalEngines {
    fn ask(&self, job: Job) -> Result<Asked, Busy> {
        // Bounded by how often lines are told and how long an engine thinks.
        let (reports, told) = mpsc::unbounded_channel();
        let task = Task::new(job, reports);
        let asked = Asked {
            reports: told,
            stop: task.stop.clone(),
            gone: None,
        };
        self.shared.push(task)?;
        Ok(asked)
    }

    fn before(&self, purpose: Purpose, asker: &str) -> Option<usize> {
        self.shared.before(purpose, asker)
    }

    fn close(&self) {
        self.shared.close();
    }
}

/// Does a job. A fault of the engine costs that engine, not its thread.
fn take(thinker: &mut Thinker, shared: &Shared, task: Task) {
    if task.stop.load(Relaxed) {
        return;
    }
    let waited = task.since.elapsed();
    histogram!("husun_engine_wait_seconds").record(waited.as_secs_f64());
    let Task {
        job, reports, stop, ..
    } = task;
    let Some(position) = thinker.position(&job) else {
        counter!("husun_faults_total").increment(1);
        tracing::error!(variant = %job.variant, fen = %job.fen, "a job for the engine is no position");
        return;
    };
    let begun = Instant::now();
    // Who looks at a position for long makes way for others when there are some.
    let makes_way =
        || job.purpose == Purpose::Analysis && begun.elapsed() >= SLICE && shared.others_wait();
    let found = thinker.think(&job, &position, waited, &stop, &makes_way, &mut |report| {
        // One who does not listen any more has the search ended.
        let _ = reports.send(report);
    });
    if let Some(found) = found {
        counter!("husun_engine_jobs_total", "for" => job.purpose.name(), "by" => "own")
            .increment(1);
        let _ = reports.send(Report::Done(found.thought));
    }
}
