//! Jobs for workers on other machines. The queue stays here: whoever there has a free thread asks for a job, and what is
//! lent comes back as an answer, or when the worker falls silent, or when its time is over. Then another does it, or the
//! own threads do. Answers are checked before anybody is told; a worker with a wrong one gets no more jobs.

mod answers;
mod lent;
pub mod messages;
#[cfg(test)]
mod tests;
pub mod tuning;

use super::queue::Task;
use super::{Asked, Busy, Engines, Job, LocalEngines, Purpose, WorkerSeen};
use answers::{Answers, Item};
use bus::{Bus, BusError, Listener, Request, Requests, Subscription};
use bytes::Bytes;
use lent::{Lent, Loss};
use messages::{Ask, Assignment, Beat, CALL, Call, Ended, JobId, PROTOCOL, Reply, Told};
use metrics::{counter, gauge, histogram};
use play::Games;
use std::fmt;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::{Notify, mpsc};
use tokio::task::JoinHandle;

/// How often it is looked at what is lent.
const LOOK: Duration = Duration::from_millis(50);
/// Questions of workers that may wait.
const ASKED: usize = 256;
/// And what they have told.
const HEARD: usize = 1024;

/// The threads of this process and those of workers.
pub struct RemoteEngines {
    local: LocalEngines,
    inner: Arc<Inner>,
    tasks: Mutex<Vec<JoinHandle<()>>>,
}

struct Inner {
    node: String,
    /// The way to workers.
    bus: OnceLock<Arc<dyn Bus>>,
    games: Arc<Games>,
    local: LocalEngines,
    lent: Mutex<Lent>,
    answers: Answers,
    /// A job has come, or somebody does not want his any more.
    wake: Arc<Notify>,
}

impl fmt::Debug for RemoteEngines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RemoteEngines")
    }
}

impl RemoteEngines {
    /// The threads of a pool, and those of workers as soon as there is a way to them.
    pub fn new(local: LocalEngines, games: Arc<Games>) -> io::Result<RemoteEngines> {
        let (answers, checks) = Answers::new();
        let inner = Arc::new(Inner {
            node: crate::services::secret(10),
            bus: OnceLock::new(),
            games,
            local: local.clone(),
            lent: Mutex::default(),
            answers,
            wake: Arc::default(),
        });
        answers::spawn(inner.clone(), checks)?;
        Ok(RemoteEngines {
            local,
            inner,
            tasks: Mutex::default(),
        })
    }

    /// Lends jobs to the workers on a bus from now on. There is one bus: what comes second is passed over.
    pub async fn attach(&self, bus: Arc<dyn Bus>) -> Result<(), BusError> {
        let (sender, heard) = mpsc::channel(HEARD);
        let ear = |read| {
            let heard = sender.clone();
            Arc::new(Ear { heard, read })
        };
        let beats = ear(|message| messages::read(message).map(Heard::Beat));
        let lines = ear(|message| messages::read(message).map(Heard::Told));
        let node = &self.inner.node;
        let places = [
            bus.subscribe(messages::BEATS, beats).await?,
            bus.subscribe(&messages::lines(node), lines).await?,
        ];
        let requests = bus.serve(&messages::asked(node), ASKED).await?;
        if self.inner.bus.set(bus).is_err() {
            return Ok(());
        }
        let inner = &self.inner;
        self.tasks().extend([
            tokio::spawn(inner.clone().serve(requests)),
            tokio::spawn(inner.clone().listen(heard, places)),
            tokio::spawn(inner.clone().look()),
        ]);
        Ok(())
    }

    fn tasks(&self) -> MutexGuard<'_, Vec<JoinHandle<()>>> {
        self.tasks.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Engines for RemoteEngines {
    fn ask(&self, job: Job) -> Result<Asked, Busy> {
        let mut asked = self.local.ask(job)?;
        asked.gone = Some(self.inner.wake.clone());
        if self.inner.lent().has_workers() {
            self.inner.call();
        }
        Ok(asked)
    }

    fn before(&self, purpose: Purpose, asker: &str) -> Option<usize> {
        self.local.before(purpose, asker)
    }

    fn workers(&self) -> Vec<WorkerSeen> {
        self.inner.lent().seen()
    }

    fn close(&self) {
        for task in self.tasks().drain(..) {
            task.abort();
        }
        self.inner.answers.close();
        // What is lent is done by nobody any more; who asked sees that the engine has ended.
        for id in self.inner.lent().clear() {
            self.inner.stop(&id.0, id.1);
        }
        self.local.close();
    }
}

impl Inner {
    fn lent(&self) -> MutexGuard<'_, Lent> {
        self.lent.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Says that this server is there, and what waits.
    fn call(&self) {
        let call = Call {
            node: self.node.clone(),
            protocol: PROTOCOL,
            waiting: self.local.shared.waiting(),
        };
        self.publish(messages::CALLS, messages::write(&call));
    }

    /// Has a worker end a search.
    fn stop(&self, worker: &str, number: u64) {
        let id = JobId {
            node: self.node.clone(),
            number,
        };
        self.publish(&messages::stop(worker), messages::write(&id));
    }

    fn publish(&self, subject: &str, message: Bytes) {
        if let Some(bus) = self.bus.get() {
            bus.publish(subject, message);
        }
    }

    async fn serve(self: Arc<Self>, mut requests: Requests) {
        while let Some(request) = requests.next().await {
            match messages::read(&request.message) {
                Some(Ask::Take {
                    worker,
                    name,
                    threads,
                    analyses,
                    games,
                }) => {
                    self.lent().note(&worker, &name, threads, None);
                    let reply = self.take(&worker, analyses, games.as_deref());
                    request.answer(messages::write(&reply));
                }
                Some(Ask::Give {
                    worker,
                    number,
                    outcome,
                }) => self.give(worker, number, outcome, request),
                Some(Ask::Definition { name }) => {
                    let known = self.games.defined(&name);
                    let known = known.map(|known| messages::Definition {
                        name: known.name,
                        texts: known.texts,
                    });
                    request.answer(messages::write(&Reply::Definition(known)));
                }
                Some(Ask::Tuning { name, from }) => {
                    let tuning = self.games.tuning(&name);
                    let part = tuning.map(|tuning| tuning::part(&tuning, from));
                    request.answer(messages::write(&Reply::Tuning(part)));
                }
                // Whoever asks what is not understood learns that nobody answers.
                None => wrong_message(),
            }
            self.hold();
        }
    }

    /// A job for a worker's free thread.
    fn take(&self, worker: &str, analyses: bool, games: Option<&[String]>) -> Reply {
        let mut lent = self.lent();
        if let Some(why) = lent.distrusted(worker) {
            return Reply::Distrusted { why };
        }
        let shared = &self.local.shared;
        let fits = |task: &Task| {
            let id = task.job.variant.split('_').next().unwrap_or_default();
            games.is_none_or(|games| games.iter().any(|game| game == id))
                && lent.can_do(worker, &task.job.definition)
        };
        let Some(task) = shared.take(analyses, &fits) else {
            return Reply::Nothing;
        };
        let waited = task.since.elapsed();
        histogram!("husun_engine_wait_seconds").record(waited.as_secs_f64());
        let job = task.job.clone();
        let number = lent.lend(worker, task, waited);
        Reply::Job(Box::new(Assignment {
            number,
            waited,
            job,
            waiting: shared.waiting(),
        }))
    }

    /// A job has ended.
    fn give(&self, worker: String, number: u64, outcome: Ended, request: Request) {
        let mut lent = self.lent();
        let reply = match outcome {
            Ended::Done { thought, lines } => {
                // A late answer: another does it already, or has done it.
                if !lent.is_lent(&worker, number) {
                    Reply::Noted
                } else {
                    drop(lent);
                    return self.answers.check(Item::Done {
                        worker,
                        number,
                        thought,
                        lines,
                        request,
                    });
                }
            }
            Ended::Unfit(why) => {
                if let Some(task) = lent.end(&worker, number) {
                    tracing::warn!(game = %task.job.variant, worker = lent.name(&worker), %why, "a worker cannot do a job");
                    lent.note_unfit(&worker, &task.job.definition);
                    self.again(task, Loss::Unfit);
                }
                Reply::Noted
            }
            Ended::Undone => {
                if let Some(task) = lent.end(&worker, number) {
                    self.again(task, Loss::Undone);
                }
                Reply::Noted
            }
        };
        request.answer(messages::write(&reply));
    }

    /// A job that was lent is done by somebody else.
    fn again(&self, mut task: Task, why: Loss) {
        counter!("husun_worker_redone_total", "why" => why.name()).increment(1);
        task.note_lost();
        self.local.shared.put_back(task);
        self.call();
    }

    /// A worker that is not trusted any more; all that it has is done by others.
    fn distrust(&self, worker: &str, why: &str) {
        let mut lent = self.lent();
        let name = lent.name(worker).to_owned();
        tracing::error!(worker = %name, %why, "a worker gets no more jobs");
        counter!("husun_worker_refused_total").increment(1);
        for (number, task) in lent.distrust(worker, why) {
            self.stop(worker, number);
            self.again(task, Loss::Distrust);
        }
    }

    async fn listen(self: Arc<Self>, mut heard: mpsc::Receiver<Heard>, _places: [Subscription; 2]) {
        while let Some(heard) = heard.recv().await {
            match heard {
                Heard::Beat(beat) => self.beat(&beat),
                Heard::Told(told) => self.told(told),
            }
        }
    }

    /// A worker says that it is there.
    fn beat(&self, beat: &Beat) {
        let mut lent = self.lent();
        if beat.goes {
            for (_, task) in lent.forget(&beat.worker) {
                self.again(task, Loss::Undone);
            }
            return;
        }
        let here = beat.jobs.iter().filter(|id| id.node == self.node);
        let numbers: Vec<u64> = here.map(|id| id.number).collect();
        let busy = beat.jobs.len();
        lent.note(&beat.worker, &beat.name, beat.threads, Some(busy));
        let compared = lent.compare(&beat.worker, &numbers);
        for number in compared.unknown {
            self.stop(&beat.worker, number);
        }
        for task in compared.lost {
            self.again(task, Loss::Gone);
        }
        drop(lent);
        self.hold();
    }

    /// The lines of an analysis. Those that come too fast are passed over.
    fn told(&self, told: Told) {
        let Told {
            worker,
            number,
            lines,
        } = told;
        if self.lent().may_tell(&worker, number) {
            self.answers.check(Item::Lines {
                worker,
                number,
                lines,
            });
        }
    }

    /// Whether own threads leave jobs to workers for a moment.
    fn hold(&self) {
        self.local.shared.hold(self.lent().has_free_threads());
    }

    /// Looks after what is lent.
    async fn look(self: Arc<Self>) {
        let mut called = Instant::now();
        self.call();
        loop {
            tokio::select! {
                () = tokio::time::sleep(LOOK) => {}
                () = self.wake.notified() => {}
            }
            self.look_once();
            if called.elapsed() >= CALL {
                called = Instant::now();
                self.call();
            }
        }
    }

    fn look_once(&self) {
        let mut lent = self.lent();
        let others_wait = self.local.shared.waiting();
        let looked = lent.look(others_wait);
        for (worker, number) in &looked.stop {
            self.stop(worker, *number);
        }
        for (task, why) in looked.lost {
            self.again(task, why);
        }
        gauge!("husun_workers").set(lent.workers() as f64);
        gauge!("husun_worker_threads").set(lent.threads() as f64);
        gauge!("husun_worker_jobs").set(lent.jobs() as f64);
        drop(lent);
        for worker in looked.late {
            self.distrust(&worker, "it gave no answer in time, three times in a row");
        }
        self.hold();
    }
}

/// What workers tell without being asked.
enum Heard {
    Beat(Beat),
    Told(Told),
}

/// Hears what workers tell. It is called by the bus, so it only passes on: what comes too fast is lost, and comes again.
struct Ear {
    heard: mpsc::Sender<Heard>,
    read: fn(&[u8]) -> Option<Heard>,
}

impl Listener for Ear {
    fn hear(&self, message: &Bytes) -> bool {
        match (self.read)(message) {
            Some(heard) => drop(self.heard.try_send(heard)),
            None => wrong_message(),
        }
        true
    }
}

fn wrong_message() {
    counter!("husun_worker_messages_wrong_total").increment(1);
}
