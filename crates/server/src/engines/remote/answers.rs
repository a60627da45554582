//! What workers answer is checked and told on a thread of its own: to play a line takes longer than those may wait who
//! serve everybody.

use super::Inner;
use super::messages::{self, Lines, Reply};
use crate::engines::check::{self, Nonsense};
use crate::engines::{Job, Report, Thought};
use bus::Request;
use husun::Position;
use metrics::counter;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

/// What has come from a worker.
pub(super) enum Item {
    Lines {
        worker: String,
        number: u64,
        lines: Lines,
    },
    Done {
        worker: String,
        number: u64,
        thought: Thought,
        lines: Option<Lines>,
        request: Request,
    },
}

/// The way to the thread. Bounded by what is lent, and how often its lines are heard.
pub(super) struct Answers(Mutex<Option<Sender<Item>>>);

impl Answers {
    pub fn new() -> (Answers, Receiver<Item>) {
        let (sender, items) = channel();
        (Answers(Mutex::new(Some(sender))), items)
    }

    pub fn check(&self, item: Item) {
        let sender = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(sender) = &*sender {
            let _ = sender.send(item);
        }
    }

    /// Ends the thread.
    pub fn close(&self) {
        let mut sender = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *sender = None;
    }
}

/// Begins the thread.
pub(super) fn spawn(inner: Arc<Inner>, items: Receiver<Item>) -> std::io::Result<()> {
    let thread = thread::Builder::new().name("answers".into());
    let checks = move || {
        for item in items {
            inner.check(item);
        }
    };
    thread.spawn(checks).map(drop)
}

impl Inner {
    fn check(&self, item: Item) {
        match item {
            Item::Lines {
                worker,
                number,
                lines,
            } => {
                let Some((job, position)) = self.lent_job(&worker, number) else {
                    return;
                };
                match report(&job, &position, lines) {
                    Ok(report) => {
                        if let Some(task) = self.lent().task(&worker, number) {
                            let _ = task.reports.send(report);
                        }
                    }
                    Err(wrong) => self.distrust(&worker, &wrong.to_string()),
                }
            }
            Item::Done {
                worker,
                number,
                thought,
                lines,
                request,
            } => {
                let reply = self.done(&worker, number, thought, lines);
                request.answer(messages::write(&reply));
            }
        }
    }

    fn lent_job(&self, worker: &str, number: u64) -> Option<(Job, Position)> {
        let job = self.lent().task(worker, number)?.job.clone();
        let variant = self.games.stored(&job.variant)?;
        let position = variant.position(&job.fen).ok()?;
        Some((job, position))
    }

    fn done(&self, worker: &str, number: u64, thought: Thought, lines: Option<Lines>) -> Reply {
        let Some((job, position)) = self.lent_job(worker, number) else {
            return Reply::Noted;
        };
        let lines = lines.map(|lines| report(&job, &position, lines));
        let checked = check::thought(&position, &thought);
        let checked = checked.and_then(|()| lines.transpose());
        let lines = match checked {
            Ok(lines) => lines,
            Err(wrong) => {
                let why = wrong.to_string();
                tracing::error!(game = %job.variant, fen = %job.fen, %why, "a worker's answer cannot be one");
                self.distrust(worker, &why);
                return Reply::Distrusted { why };
            }
        };
        let mut lent = self.lent();
        if let Some(task) = lent.end(worker, number) {
            lent.note_good(worker);
            counter!("husun_engine_jobs_total", "for" => job.purpose.name(), "by" => "worker")
                .increment(1);
            for report in lines.into_iter().chain([Report::Done(thought)]) {
                let _ = task.reports.send(report);
            }
        }
        Reply::Noted
    }
}

fn report(job: &Job, position: &Position, told: Lines) -> Result<Report, Nonsense> {
    let Lines {
        depth,
        nodes,
        lines,
    } = told;
    Ok(Report::Lines {
        depth,
        nodes,
        lines: check::lines(job, position, depth, lines)?,
    })
}
