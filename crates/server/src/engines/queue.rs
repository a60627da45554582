//! What waits for the engine's threads: a queue for each purpose, in which those who ask take turns, and which of them
//! comes next.

use super::{Busy, Job, Purpose, Report};
use metrics::gauge;
use std::collections::{HashMap, VecDeque};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;
use tokio::sync::mpsc;

/// Jobs waiting at most, of each kind.
pub(super) const QUEUE: usize = 1000;
/// Positions of reviews, which take a moment each, between two analyses, which take seconds.
const STREAK: usize = 8;

/// A job that waits or is done, with the way back.
pub(super) struct Task {
    pub job: Job,
    pub since: Instant,
    pub reports: mpsc::UnboundedSender<Report>,
    pub stop: Arc<AtomicBool>,
}

/// Jobs of one purpose, those who ask taking turns.
#[derive(Default)]
pub(super) struct Queue {
    pub askers: VecDeque<String>,
    pub waiting: HashMap<String, VecDeque<Task>>,
    pub len: usize,
}

impl Queue {
    pub fn push(&mut self, task: Task) -> Result<(), Busy> {
        if self.len >= QUEUE {
            return Err(Busy);
        }
        let asker = task.job.asker.clone();
        let queue = self.waiting.entry(asker.clone()).or_default();
        if queue.is_empty() {
            self.askers.push_back(asker);
        }
        queue.push_back(task);
        self.len += 1;
        Ok(())
    }

    pub fn pop(&mut self) -> Option<Task> {
        let asker = self.askers.pop_front()?;
        let queue = self.waiting.get_mut(&asker)?;
        let task = queue.pop_front()?;
        match queue.is_empty() {
            true => {
                self.waiting.remove(&asker);
            }
            false => self.askers.push_back(asker),
        }
        self.len -= 1;
        Some(task)
    }

    /// How many come before the next job of one who asks.
    pub fn before(&self, asker: &str) -> Option<usize> {
        self.askers.iter().position(|a| a == asker)
    }
}

#[derive(Default)]
pub(super) struct Queues {
    play: Queue,
    analysis: Queue,
    review: Queue,
    /// Positions of reviews taken since the last analysis.
    streak: usize,
    closing: bool,
}

impl Queues {
    pub fn of(&mut self, purpose: Purpose) -> &mut Queue {
        match purpose {
            Purpose::Play => &mut self.play,
            Purpose::Analysis => &mut self.analysis,
            Purpose::Review => &mut self.review,
        }
    }

    /// The next job for a thread: games first, then reviews, with an analysis now and then.
    pub fn pop(&mut self, analyses: bool) -> Option<Task> {
        let mut next = self.play.pop();
        if next.is_none() && analyses {
            let waits = self.streak < STREAK;
            next = waits.then(|| self.review.pop()).flatten();
            self.streak = match next {
                Some(_) => self.streak + 1,
                None => 0,
            };
            next = next
                .or_else(|| self.analysis.pop())
                .or_else(|| self.review.pop());
        }
        self.note();
        next
    }

    fn note(&self) {
        gauge!("husun_engine_waiting", "for" => "play").set(self.play.len as f64);
        gauge!("husun_engine_waiting", "for" => "analysis").set(self.analysis.len as f64);
        gauge!("husun_engine_waiting", "for" => "review").set(self.review.len as f64);
    }
}

#[derive(Default)]
pub(super) struct Shared {
    queues: Mutex<Queues>,
    more: Condvar,
}

impl Shared {
    fn queues(&self) -> MutexGuard<'_, Queues> {
        self.queues.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn push(&self, task: Task) -> Result<(), Busy> {
        let mut queues = self.queues();
        let purpose = task.job.purpose;
        queues.of(purpose).push(task)?;
        queues.note();
        drop(queues);
        self.more.notify_all();
        Ok(())
    }

    /// The next job for a thread, waited for; none when the pool is closed.
    pub fn next(&self, analyses: bool) -> Option<Task> {
        let mut queues = self.queues();
        loop {
            if queues.closing {
                return None;
            }
            if let Some(next) = queues.pop(analyses) {
                return Some(next);
            }
            queues = self
                .more
                .wait(queues)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// How many jobs are taken up before the next one of `asker`; none if no job of that one waits.
    pub fn before(&self, purpose: Purpose, asker: &str) -> Option<usize> {
        let mut queues = self.queues();
        let games = match purpose {
            Purpose::Play => 0,
            Purpose::Analysis | Purpose::Review => queues.play.len,
        };
        Some(queues.of(purpose).before(asker)? + games)
    }

    /// Whether anybody else waits for a thread that does more than games.
    pub fn others_wait(&self) -> bool {
        let queues = self.queues();
        queues.analysis.len + queues.review.len > 0
    }

    /// Ends all threads when they have done what they are at.
    pub fn close(&self) {
        self.queues().closing = true;
        self.more.notify_all();
    }
}
