//! What is lent to whom, and which workers are there.

use crate::engines::queue::{Task, Waiting};
use crate::engines::think::{self, PAUSE};
use crate::engines::{Purpose, SLICE, WorkerSeen};
use std::collections::{HashMap, HashSet, VecDeque};
use std::time::{Duration, Instant};

/// A worker that has been silent for so long is gone.
pub(super) const SILENT: Duration = Duration::from_secs(1);
/// What a job may take besides its thinking: the ways there and back, and a machine that does other things, too.
const SLACK: Duration = Duration::from_millis(400);
/// A job that its worker does not name among those that it is at is lost, if it has had it for so long.
const UNNAMED: Duration = Duration::from_secs(2);
/// A worker that is late so often in a row gets no more jobs.
const LATE: u32 = 3;
/// Threads that a worker is believed to have at most.
const THREADS: usize = 1024;
/// Workers that are remembered as wrong.
const WRONG: usize = 1000;

/// Why somebody else does a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Loss {
    /// The worker is gone.
    Gone,
    /// There was no answer in time.
    Late,
    /// The worker has given it back.
    Undone,
    /// The worker cannot do it.
    Unfit,
    /// The worker is not trusted.
    Distrust,
}

impl Loss {
    /// Its name in figures.
    pub fn name(self) -> &'static str {
        match self {
            Loss::Gone => "gone",
            Loss::Late => "late",
            Loss::Undone => "given back",
            Loss::Unfit => "unfit",
            Loss::Distrust => "wrong answer",
        }
    }
}

/// A worker that is there.
struct Known {
    name: String,
    threads: usize,
    /// How many of its threads are at jobs, of this server and others.
    busy: usize,
    seen: Instant,
    /// Definitions of games that it cannot play.
    unfit: HashSet<String>,
    late: u32,
    late_at: Option<Instant>,
}

/// A job that a worker is at.
struct Loan {
    worker: String,
    task: Task,
    since: Instant,
    until: Instant,
    stopped: bool,
    told: Option<Instant>,
}

/// What is lent.
#[derive(Default)]
pub(super) struct Lent {
    workers: HashMap<String, Known>,
    wrong: VecDeque<(String, String)>,
    loans: HashMap<u64, Loan>,
    next: u64,
}

/// What is to be done about what is lent.
#[derive(Default)]
pub(super) struct Looked {
    /// Searches to end.
    pub stop: Vec<(String, u64)>,
    /// Jobs to be done by others.
    pub lost: Vec<(Task, Loss)>,
    /// Workers that were late too often.
    pub late: Vec<String>,
}

/// What a worker says that it is at, beside what it should be at.
pub(super) struct Compared {
    /// Jobs that nobody waits for.
    pub unknown: Vec<u64>,
    /// Jobs that it does not know of.
    pub lost: Vec<Task>,
}

impl Lent {
    /// A worker shows itself, and says how many of its threads are busy.
    pub fn note(&mut self, worker: &str, name: &str, threads: usize, busy: Option<usize>) {
        if self.distrusted(worker).is_some() {
            return;
        }
        let threads = threads.min(THREADS);
        let known = self.workers.entry(worker.into()).or_insert_with(|| {
            tracing::info!(worker = name, threads, "a worker is there");
            Known {
                name: name.chars().take(100).collect(),
                threads,
                busy: 0,
                seen: Instant::now(),
                unfit: HashSet::new(),
                late: 0,
                late_at: None,
            }
        });
        (known.seen, known.threads) = (Instant::now(), threads);
        known.busy = busy.unwrap_or(known.busy);
    }

    pub fn has_workers(&self) -> bool {
        !self.workers.is_empty()
    }

    pub fn workers(&self) -> usize {
        self.workers.len()
    }

    pub fn threads(&self) -> usize {
        self.workers.values().map(|known| known.threads).sum()
    }

    /// The workers as people are shown them.
    pub fn seen(&self) -> Vec<WorkerSeen> {
        let seen = self.workers.values().map(|known| WorkerSeen {
            name: known.name.clone(),
            threads: known.threads,
            busy: known.busy.min(known.threads),
        });
        let mut seen: Vec<WorkerSeen> = seen.collect();
        seen.sort_by(|a, b| a.name.cmp(&b.name));
        seen
    }

    pub fn jobs(&self) -> usize {
        self.loans.len()
    }

    pub fn has_free_threads(&self) -> bool {
        self.workers
            .values()
            .any(|known| known.busy < known.threads)
    }

    /// How people call a worker.
    pub fn name(&self, worker: &str) -> &str {
        self.workers.get(worker).map_or("", |known| &known.name)
    }

    /// What a worker did wrong.
    pub fn distrusted(&self, worker: &str) -> Option<String> {
        let found = self.wrong.iter().find(|(wrong, _)| wrong == worker);
        found.map(|(_, why)| why.clone())
    }

    /// Whether nothing is known against a worker's playing a game.
    pub fn can_do(&self, worker: &str, definition: &str) -> bool {
        let known = self.workers.get(worker);
        known.is_none_or(|known| !known.unfit.contains(definition))
    }

    pub fn note_unfit(&mut self, worker: &str, definition: &str) {
        if let Some(known) = self.workers.get_mut(worker) {
            known.unfit.insert(definition.into());
        }
    }

    /// Lends a job, which has a number from then on.
    pub fn lend(&mut self, worker: &str, task: Task, waited: Duration) -> u64 {
        self.next += 1;
        if let Some(known) = self.workers.get_mut(worker) {
            known.busy += 1;
        }
        let overhead = think::overhead(&task.job, waited);
        let longest = think::limits(&task.job).longest(overhead);
        let now = Instant::now();
        let loan = Loan {
            worker: worker.into(),
            since: now,
            until: now + longest.unwrap_or(task.job.most) + SLACK,
            stopped: false,
            told: None,
            task,
        };
        self.loans.insert(self.next, loan);
        self.next
    }

    pub fn is_lent(&self, worker: &str, number: u64) -> bool {
        let loan = self.loans.get(&number);
        loan.is_some_and(|loan| loan.worker == worker)
    }

    /// A job that is lent.
    pub fn task(&self, worker: &str, number: u64) -> Option<&Task> {
        let loan = self.loans.get(&number);
        loan.filter(|loan| loan.worker == worker)
            .map(|loan| &loan.task)
    }

    /// A worker has ended with a job.
    pub fn end(&mut self, worker: &str, number: u64) -> Option<Task> {
        let at = self.loans.get(&number)?;
        if at.worker != worker {
            return None;
        }
        if let Some(known) = self.workers.get_mut(worker) {
            known.busy = known.busy.saturating_sub(1);
        }
        self.loans.remove(&number).map(|loan| loan.task)
    }

    /// A worker's answer was in order.
    pub fn note_good(&mut self, worker: &str) {
        if let Some(known) = self.workers.get_mut(worker) {
            known.late = 0;
        }
    }

    /// Whether lines of a job are wanted now.
    pub fn may_tell(&mut self, worker: &str, number: u64) -> bool {
        let Some(loan) = self.loans.get_mut(&number) else {
            return false;
        };
        let early = loan.told.is_some_and(|told| told.elapsed() < PAUSE / 2);
        if loan.worker != worker || early {
            return false;
        }
        loan.told = Some(Instant::now());
        true
    }

    /// Forgets a worker; what it was at is returned.
    pub fn forget(&mut self, worker: &str) -> Vec<(u64, Task)> {
        if let Some(known) = self.workers.remove(worker) {
            tracing::info!(worker = known.name, "a worker is gone");
        }
        let theirs = self.loans.extract_if(|_, loan| loan.worker == worker);
        theirs.map(|(number, loan)| (number, loan.task)).collect()
    }

    /// Gives a worker no more jobs; what it was at is returned.
    pub fn distrust(&mut self, worker: &str, why: &str) -> Vec<(u64, Task)> {
        let lost = self.forget(worker);
        if self.wrong.len() >= WRONG {
            self.wrong.pop_front();
        }
        self.wrong.push_back((worker.into(), why.into()));
        lost
    }

    /// Compares what a worker says that it is at with what it should be at.
    pub fn compare(&mut self, worker: &str, numbers: &[u64]) -> Compared {
        let unknown = numbers.iter().copied();
        let unknown = unknown.filter(|number| !self.is_lent(worker, *number));
        let unknown = unknown.collect();
        let lost = self.loans.extract_if(|number, loan| {
            loan.worker == worker && loan.since.elapsed() > UNNAMED && !numbers.contains(number)
        });
        Compared {
            unknown,
            lost: lost.map(|(_, loan)| loan.task).collect(),
        }
    }

    /// Looks after what is lent while so much waits.
    pub fn look(&mut self, waiting: Waiting) -> Looked {
        let mut looked = Looked::default();
        let silent = self.workers.iter();
        let silent = silent.filter(|(_, known)| known.seen.elapsed() > SILENT);
        let silent: Vec<String> = silent.map(|(worker, _)| worker.clone()).collect();
        for worker in silent {
            let theirs = self.forget(&worker).into_iter();
            looked
                .lost
                .extend(theirs.map(|(_, task)| (task, Loss::Gone)));
        }
        let now = Instant::now();
        let mut ended = Vec::new();
        for (number, loan) in &mut self.loans {
            let unwanted = loan.task.stop.load(std::sync::atomic::Ordering::Relaxed);
            if unwanted || now > loan.until {
                looked.stop.push((loan.worker.clone(), *number));
                ended.push((*number, unwanted));
            } else if !loan.stopped
                && waiting != Waiting::default()
                && loan.task.job.purpose == Purpose::Analysis
                && loan.since.elapsed() >= SLICE
            {
                // Who looks at a position for long makes way for others; what was found so far is the answer.
                loan.stopped = true;
                loan.until = now + SLACK;
                looked.stop.push((loan.worker.clone(), *number));
            }
        }
        for (number, unwanted) in ended {
            let Some(loan) = self.loans.remove(&number) else {
                continue;
            };
            let known = self.workers.get_mut(&loan.worker);
            match known {
                // It is told to end the search, and does so at once: its thread is free for the next job.
                Some(known) if unwanted => known.busy = known.busy.saturating_sub(1),
                // What was lent when it was late the last time tells nothing new.
                Some(known) if known.late_at.is_some_and(|at| loan.since <= at) => {}
                Some(known) => {
                    known.late_at = Some(now);
                    known.late += 1;
                    if known.late == LATE {
                        looked.late.push(loan.worker.clone());
                    }
                }
                None => {}
            }
            if !unwanted {
                looked.lost.push((loan.task, Loss::Late));
            }
        }
        looked
    }

    /// Forgets all that is lent; the searches are to be ended.
    pub fn clear(&mut self) -> Vec<(String, u64)> {
        let loans = self.loans.drain();
        loans.map(|(number, loan)| (loan.worker, number)).collect()
    }
}
