//! What waits for the engine's threads: a queue for each purpose, in which those who ask take turns, and which of them
//! comes next.

use super::{Busy, Job, Purpose, Report};
use metrics::gauge;
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::mpsc;

/// Jobs waiting at most, of each kind.
pub(super) const QUEUE: usize = 1000;
/// Positions of reviews, which take a moment each, between two analyses, which take seconds.
const STREAK: usize = 8;
/// How long own threads leave a job to a worker that has a free thread.
pub(super) const HOLD: Duration = Duration::from_millis(100);
/// With less time than this on its clock a game waits for no worker.
const SHORT_OF_TIME: Duration = Duration::from_secs(3);
/// A job that so many workers have taken without an answer is left to own threads.
const TRIES: u8 = 2;

/// A job that waits or is done, with the way back.
pub(super) struct Task {
    pub job: Job,
    pub since: Instant,
    pub reports: mpsc::UnboundedSender<Report>,
    pub stop: Arc<AtomicBool>,
    /// Workers that took it and gave no answer.
    pub lost: u8,
    /// It is for own threads.
    pub own: bool,
}

impl Task {
    pub fn new(job: Job, reports: mpsc::UnboundedSender<Report>) -> Task {
        let left = job
            .clock
            .and_then(|clock| clock.remaining.total(clock.control));
        Task {
            own: left.is_some_and(|left| left < SHORT_OF_TIME),
            job,
            since: Instant::now(),
            reports,
            stop: Arc::default(),
            lost: 0,
        }
    }

    /// A worker has taken it and gives no answer.
    pub fn note_lost(&mut self) {
        self.lost += 1;
        self.own |= self.lost >= TRIES;
    }

    /// Whether own threads leave it to workers for now.
    fn is_held(&self) -> bool {
        !self.own && self.lost == 0 && self.since.elapsed() < HOLD
    }
}

/// How many jobs wait.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Waiting {
    /// Moves of games.
    pub play: usize,
    /// Analyses.
    pub analysis: usize,
    /// Positions of reviews.
    pub review: usize,
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

    /// Puts a job back whose turn it was.
    pub fn push_front(&mut self, task: Task) {
        let asker = task.job.asker.clone();
        self.askers.retain(|a| *a != asker);
        self.askers.push_front(asker.clone());
        self.waiting.entry(asker).or_default().push_front(task);
        self.len += 1;
    }

    /// The next job of those that fit. Those that nobody wants any more are forgotten on the way.
    pub fn pop(&mut self, fits: &dyn Fn(&Task) -> bool) -> Option<Task> {
        let mut at = 0;
        while let Some(asker) = self.askers.get(at) {
            let Some(queue) = self.waiting.get_mut(asker) else {
                self.askers.remove(at);
                continue;
            };
            while queue.pop_front_if(|task| task.stop.load(Relaxed)).is_some() {
                self.len -= 1;
            }
            let task = queue.pop_front_if(|task| fits(task));
            if queue.is_empty() {
                self.waiting.remove(asker);
                self.askers.remove(at);
            } else if task.is_some() {
                let asker = self.askers.remove(at);
                self.askers.extend(asker);
            } else {
                at += 1;
            }
            if let Some(task) = task {
                self.len -= 1;
                return Some(task);
            }
        }
        None
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

    /// The next of the jobs that fit a thread: games first, then reviews, with an analysis now and then.
    pub fn pop(&mut self, analyses: bool, fits: &dyn Fn(&Task) -> bool) -> Option<Task> {
        let mut next = self.play.pop(fits);
        if next.is_none() && analyses {
            let waits = self.streak < STREAK;
            next = waits.then(|| self.review.pop(fits)).flatten();
            self.streak = match next {
                Some(_) => self.streak + 1,
                None => 0,
            };
            next = next
                .or_else(|| self.analysis.pop(fits))
                .or_else(|| self.review.pop(fits));
        }
        self.note();
        next
    }

    fn waiting(&self) -> Waiting {
        Waiting {
            play: self.play.len,
            analysis: self.analysis.len,
            review: self.review.len,
        }
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
    /// A worker has a free thread, to which own threads leave what can wait a moment.
    held: AtomicBool,
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
            let held = self.held.load(Relaxed);
            if let Some(next) = queues.pop(analyses, &|task| !held || !task.is_held()) {
                return Some(next);
            }
            queues = match held && queues.waiting() != Waiting::default() {
                true => {
                    let waited = self.more.wait_timeout(queues, HOLD / 4);
                    waited.unwrap_or_else(PoisonError::into_inner).0
                }
                false => self
                    .more
                    .wait(queues)
                    .unwrap_or_else(PoisonError::into_inner),
            };
        }
    }

    /// The next of the jobs that fit a worker's thread, if there is one now.
    pub fn take(&self, analyses: bool, fits: &dyn Fn(&Task) -> bool) -> Option<Task> {
        self.queues().pop(analyses, &|task| !task.own && fits(task))
    }

    /// Puts a job back that a worker has not done.
    pub fn put_back(&self, task: Task) {
        let mut queues = self.queues();
        let purpose = task.job.purpose;
        queues.of(purpose).push_front(task);
        queues.note();
        drop(queues);
        self.more.notify_all();
    }

    /// Has own threads leave jobs to workers for a moment, or no longer.
    pub fn hold(&self, held: bool) {
        if self.held.swap(held, Relaxed) != held {
            self.more.notify_all();
        }
    }

    /// How many jobs wait.
    pub fn waiting(&self) -> Waiting {
        self.queues().waiting()
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
