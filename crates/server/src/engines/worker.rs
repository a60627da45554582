//! A worker: threads of this process that do the engine jobs of servers elsewhere (`remote.rs`). It asks for a job whenever
//! a thread is free, games first, and servers in turn; what it is at is given back when it ends.

mod threads;

use super::remote::messages::{
    self, Ask, Assignment, BEAT, Beat, CALL, Call, Ended, JobId, PROTOCOL, Reply, Told, Unfit,
};
use super::remote::tuning;
use super::{Job, Purpose, Report};
use bus::{Bus, BusError, Listener, Subscription};
use bytes::Bytes;
use husun::Position;
use play::{Definition, Games};
use std::collections::{HashMap, HashSet};
use std::future::Future;
use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tablebase::Tablebases;
use threads::{Order, Threads};
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore, mpsc, oneshot};

/// How long a server may take to answer.
const PATIENCE: Duration = Duration::from_millis(500);
/// How often an answer is brought before it is given up: by then somebody else does the job.
const TRIES: usize = 3;
/// A server that has been silent for so long is gone.
const SILENT: Duration = Duration::from_secs(4);
/// What servers have called and not been heard yet.
const HEARD: usize = 1024;
/// How long the end may take, so that jobs are given back.
const END: Duration = Duration::from_secs(2);

/// What a worker offers.
#[derive(Clone, Debug)]
pub struct WorkerOptions {
    /// How people call it.
    pub name: String,
    /// How many jobs it does at once.
    pub threads: usize,
    /// Mebibytes of a table, for each thread and game.
    pub hash: usize,
    /// Tables of perfect play, if there are some.
    pub tables: Option<Arc<Tablebases>>,
    /// Ids of the games that it does; all if missing.
    pub games: Option<Vec<String>>,
}

/// What a worker has done so far.
#[derive(Debug, Default)]
pub struct Tally {
    /// Moves of games found.
    pub moves: AtomicU64,
    /// Analyses done.
    pub analyses: AtomicU64,
    /// Positions of reviews done.
    pub reviews: AtomicU64,
    /// Positions searched.
    pub nodes: AtomicU64,
    /// Jobs that were ended by those who had asked.
    pub cancelled: AtomicU64,
    /// Threads that are at a job.
    pub busy: AtomicUsize,
    /// Servers that are there.
    pub servers: AtomicUsize,
    /// Servers of another version among them, whose jobs this program cannot do.
    pub strange: AtomicUsize,
}

impl Tally {
    /// Jobs done.
    pub fn jobs(&self) -> u64 {
        [&self.moves, &self.analyses, &self.reviews]
            .map(|count| count.load(Relaxed))
            .iter()
            .sum()
    }

    fn of(&self, purpose: Purpose) -> &AtomicU64 {
        match purpose {
            Purpose::Play => &self.moves,
            Purpose::Analysis => &self.analyses,
            Purpose::Review => &self.reviews,
        }
    }
}

/// Why a worker has ended.
#[derive(Debug, thiserror::Error)]
pub enum WorkerError {
    /// The bus does not carry it.
    #[error("no messages can be exchanged with servers: {0}")]
    Bus(#[from] BusError),
    /// A thread cannot be started.
    #[error("threads cannot be started: {0}")]
    Threads(#[from] io::Error),
    /// A server has found a wrong answer.
    #[error(
        "a server found an answer of this worker to be wrong and gives it no more jobs: {0}; is it the same program as the server's?"
    )]
    Distrusted(String),
}

/// Does jobs until `stop` is done.
pub async fn work(
    bus: Arc<dyn Bus>,
    games: Arc<Games>,
    options: WorkerOptions,
    tally: Arc<Tally>,
    stop: impl Future<Output = ()>,
) -> Result<(), WorkerError> {
    let id = crate::services::secret(10);
    let threads = Threads::start(&options, &games)?;
    let (sender, heard) = mpsc::channel(HEARD);
    let places = listen(&*bus, &id, sender).await?;
    let worker = Arc::new(Worker {
        id,
        bus,
        games,
        free: Arc::new(Semaphore::new(options.threads)),
        options,
        tally,
        threads,
        nodes: Mutex::default(),
        called: Notify::new(),
        jobs: Mutex::default(),
        untuned: Mutex::default(),
        wrong: Mutex::default(),
        ends: Notify::new(),
    });
    let hears = tokio::spawn(worker.clone().hear(heard));
    let beats = tokio::spawn(worker.clone().beat());
    let takes = tokio::spawn(worker.clone().take_jobs());
    let ended = tokio::select! {
        () = stop => Ok(()),
        () = worker.ends.notified() => Err(WorkerError::Distrusted(worker.why())),
    };
    takes.abort();
    let _ = takes.await;
    // From here on it does nothing but bring its jobs back.
    let given_back = tokio::time::timeout(END, worker.clone().give_back());
    let _ = given_back.await;
    beats.abort();
    let _ = beats.await;
    worker.tell_beat(true);
    hears.abort();
    // What was told last is on its way when a question has been answered, or nobody is there.
    let last = worker.bus.request("engines.none", Bytes::new(), PATIENCE);
    let _ = last.await;
    drop(places);
    ended
}

/// What servers tell.
enum Heard {
    Call(Call),
    Stop(JobId),
}

/// Called by the bus, so it only passes on.
struct Ear {
    heard: mpsc::Sender<Heard>,
    read: fn(&[u8]) -> Option<Heard>,
}

impl Listener for Ear {
    fn hear(&self, message: &Bytes) -> bool {
        if let Some(heard) = (self.read)(message) {
            // Servers say it again.
            let _ = self.heard.try_send(heard);
        }
        true
    }
}

async fn listen(
    bus: &dyn Bus,
    id: &str,
    heard: mpsc::Sender<Heard>,
) -> Result<[Subscription; 2], BusError> {
    let calls = Arc::new(Ear {
        heard: heard.clone(),
        read: |message| messages::read(message).map(Heard::Call),
    });
    let stops = Arc::new(Ear {
        heard,
        read: |message| messages::read(message).map(Heard::Stop),
    });
    Ok([
        bus.subscribe(messages::CALLS, calls).await?,
        bus.subscribe(&messages::stop(id), stops).await?,
    ])
}

/// A server that is there.
struct Node {
    call: Call,
    seen: Instant,
    /// When it was asked last: those asked long ago come first.
    asked: Instant,
}

/// A job that is under way.
struct UnderWay {
    stop: Arc<AtomicBool>,
    purpose: Purpose,
}

struct Worker {
    id: String,
    bus: Arc<dyn Bus>,
    games: Arc<Games>,
    options: WorkerOptions,
    tally: Arc<Tally>,
    threads: Threads,
    free: Arc<Semaphore>,
    nodes: Mutex<HashMap<String, Node>>,
    /// A server has called.
    called: Notify,
    jobs: Mutex<HashMap<JobId, UnderWay>>,
    /// Servers that have nothing by which to play a game of a file.
    untuned: Mutex<HashSet<(String, String)>>,
    /// Why it is not trusted any more.
    wrong: Mutex<String>,
    ends: Notify,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Worker {
    fn why(&self) -> String {
        lock(&self.wrong).clone()
    }

    fn distrusted(&self, why: String) {
        *lock(&self.wrong) = why;
        self.ends.notify_one();
    }

    async fn hear(self: Arc<Self>, mut heard: mpsc::Receiver<Heard>) {
        while let Some(heard) = heard.recv().await {
            match heard {
                Heard::Call(call) => self.note(call),
                Heard::Stop(id) => {
                    if let Some(job) = lock(&self.jobs).get(&id) {
                        job.stop.store(true, Relaxed);
                    }
                }
            }
        }
    }

    fn note(&self, call: Call) {
        let now = Instant::now();
        let mut nodes = lock(&self.nodes);
        match nodes.get_mut(&call.node) {
            Some(node) => (node.call, node.seen) = (call, now),
            None => {
                let node = Node {
                    seen: now,
                    asked: now,
                    call,
                };
                nodes.insert(node.call.node.clone(), node);
            }
        }
        drop(nodes);
        self.called.notify_one();
    }

    /// Says what it is at, again and again, and sees which servers are there.
    async fn beat(self: Arc<Self>) {
        let mut beats = tokio::time::interval(BEAT);
        beats.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            beats.tick().await;
            self.tell_beat(false);
            let mut nodes = lock(&self.nodes);
            nodes.retain(|_, node| node.seen.elapsed() < SILENT);
            let strange = nodes.values().filter(|n| n.call.protocol != PROTOCOL);
            self.tally.strange.store(strange.count(), Relaxed);
            self.tally.servers.store(nodes.len(), Relaxed);
            // Nobody waits for what was asked by one that is gone.
            for (id, job) in &*lock(&self.jobs) {
                if !nodes.contains_key(&id.node) {
                    job.stop.store(true, Relaxed);
                }
            }
        }
    }

    fn tell_beat(&self, goes: bool) {
        let beat = Beat {
            worker: self.id.clone(),
            name: self.options.name.clone(),
            threads: self.options.threads,
            jobs: lock(&self.jobs).keys().cloned().collect(),
            goes,
        };
        self.bus.publish(messages::BEATS, messages::write(&beat));
    }

    /// Takes a job whenever a thread is free.
    async fn take_jobs(self: Arc<Self>) {
        loop {
            // It is never closed.
            let Ok(thread) = self.free.clone().acquire_owned().await else {
                return;
            };
            let (node, assignment) = self.take().await;
            let id = JobId {
                node,
                number: assignment.number,
            };
            let under_way = UnderWay {
                stop: Arc::default(),
                purpose: assignment.job.purpose,
            };
            let stop = under_way.stop.clone();
            lock(&self.jobs).insert(id.clone(), under_way);
            tokio::spawn(self.clone().carry_out(id, assignment, stop, thread));
        }
    }

    /// The next job of any server.
    async fn take(&self) -> (String, Assignment) {
        loop {
            let analyses = self.may_analyse();
            for node in self.to_ask(analyses) {
                if let Some(assignment) = self.ask(&node, analyses).await {
                    return (node, assignment);
                }
            }
            // A call may be lost.
            let _ = tokio::time::timeout(CALL, self.called.notified()).await;
        }
    }

    /// Whether the next job may be more than a game: one of several threads serves games alone.
    fn may_analyse(&self) -> bool {
        let jobs = lock(&self.jobs);
        let analysing = jobs.values().filter(|job| job.purpose != Purpose::Play);
        self.options.threads == 1 || analysing.count() + 1 < self.options.threads
    }

    /// Servers where something waits: games first, and those asked long ago first.
    fn to_ask(&self, analyses: bool) -> Vec<String> {
        let nodes = lock(&self.nodes);
        let waits = |node: &&Node| {
            let waiting = node.call.waiting;
            node.call.protocol == PROTOCOL
                && (waiting.play > 0 || analyses && waiting.analysis + waiting.review > 0)
        };
        let mut nodes: Vec<&Node> = nodes.values().filter(waits).collect();
        nodes.sort_by_key(|node| (node.call.waiting.play == 0, node.asked));
        nodes.iter().map(|node| node.call.node.clone()).collect()
    }

    async fn ask(&self, node: &str, analyses: bool) -> Option<Assignment> {
        let ask = Ask::Take {
            worker: self.id.clone(),
            name: self.options.name.clone(),
            threads: self.options.threads,
            analyses,
            games: self.options.games.clone(),
        };
        let reply = self.request(node, &ask).await.ok().flatten();
        let waiting = match &reply {
            Some(Reply::Job(assignment)) => assignment.waiting,
            _ => Default::default(),
        };
        if let Some(node) = lock(&self.nodes).get_mut(node) {
            (node.call.waiting, node.asked) = (waiting, Instant::now());
        }
        match reply? {
            Reply::Job(assignment) => Some(*assignment),
            Reply::Distrusted { why } => {
                self.distrusted(why);
                None
            }
            _ => None,
        }
    }

    async fn request(&self, node: &str, ask: &Ask) -> Result<Option<Reply>, BusError> {
        let subject = messages::asked(node);
        let asked = self.bus.request(&subject, messages::write(ask), PATIENCE);
        asked.await.map(|answer| messages::read(&answer))
    }

    async fn carry_out(
        self: Arc<Self>,
        id: JobId,
        assignment: Assignment,
        stop: Arc<AtomicBool>,
        thread: OwnedSemaphorePermit,
    ) {
        self.tally.busy.fetch_add(1, Relaxed);
        let begun = Instant::now();
        let outcome = match self.position(&id.node, &assignment.job).await {
            Ok(position) => {
                let waited = assignment.waited.saturating_add(begun.elapsed());
                self.think(&id, assignment.job, position, waited, &stop)
                    .await
            }
            Err(unfit) => Ended::Unfit(unfit),
        };
        // Whoever is to give his jobs back has done so.
        let ours = lock(&self.jobs).contains_key(&id);
        if ours {
            self.give(&id, outcome).await;
            lock(&self.jobs).remove(&id);
        }
        self.tally.busy.fetch_sub(1, Relaxed);
        drop(thread);
    }

    /// The position of a job, if this program has the same game.
    async fn position(&self, node: &str, job: &Job) -> Result<Position, Unfit> {
        if self.games.is_missing(&job.variant) {
            self.learn(node, &job.variant).await.ok_or(Unfit::Game)?;
        }
        let variant = self.games.stored(&job.variant).ok_or(Unfit::Game)?;
        if self.games.hash(&job.variant).as_ref() != Some(&job.definition) {
            return Err(Unfit::Definition);
        }
        let position = variant.position(&job.fen).map_err(|_| Unfit::Position)?;
        if position.key() != job.key {
            return Err(Unfit::Position);
        }
        if self.games.defined(&job.variant).is_some() && self.games.tuning(&job.variant).is_none() {
            self.tune(node, &job.variant).await;
        }
        Ok(position)
    }

    /// Asks a server once what the engine plays a game of a file by. Without it estimates will do.
    async fn tune(&self, node: &str, name: &str) {
        let question = (node.to_owned(), name.to_owned());
        if lock(&self.untuned).contains(&question) {
            return;
        }
        match tuning::fetch(self.bus.as_ref(), node, name, PATIENCE).await {
            Ok(Some(tuning)) => self.games.tune(name, tuning),
            // One of a version before does not answer.
            Ok(None) | Err(BusError::Gone) => {
                lock(&self.untuned).insert(question);
            }
            Err(_) => {}
        }
    }

    /// Fetches the definition of a game from a file. Its name contains the hash of its texts, so they are the right ones.
    async fn learn(&self, node: &str, name: &str) -> Option<()> {
        let ask = Ask::Definition { name: name.into() };
        let Some(Reply::Definition(Some(messages::Definition { texts, .. }))) =
            self.request(node, &ask).await.ok()?
        else {
            return None;
        };
        let definition = Definition {
            name: name.into(),
            texts,
        };
        let games = self.games.clone();
        let kept = tokio::task::spawn_blocking(move || games.keep(&definition));
        match kept.await.ok()? {
            Ok(_) => Some(()),
            Err(error) => {
                tracing::warn!(%error, "a game cannot be read");
                None
            }
        }
    }

    async fn think(
        &self,
        id: &JobId,
        job: Job,
        position: Position,
        waited: Duration,
        stop: &Arc<AtomicBool>,
    ) -> Ended {
        let purpose = job.purpose;
        let (reports, mut told) = mpsc::unbounded_channel();
        let (done, found) = oneshot::channel();
        self.threads.order(Order {
            job,
            position,
            waited,
            stop: stop.clone(),
            reports,
            done,
        });
        let mut last = None;
        while let Some(report) = told.recv().await {
            let Report::Lines {
                depth,
                nodes,
                lines,
            } = report
            else {
                continue;
            };
            let lines = messages::Lines {
                depth,
                nodes,
                lines,
            };
            if purpose == Purpose::Analysis {
                let told = Told {
                    worker: self.id.clone(),
                    number: id.number,
                    lines: lines.clone(),
                };
                let subject = messages::lines(&id.node);
                self.bus.publish(&subject, messages::write(&told));
            }
            last = Some(lines);
        }
        let Ok(Some(found)) = found.await else {
            return Ended::Undone;
        };
        self.tally.nodes.fetch_add(found.nodes, Relaxed);
        Ended::Done {
            thought: found.thought,
            lines: last.filter(|_| purpose != Purpose::Play),
        }
    }

    /// Brings a server what came of a job.
    async fn give(&self, id: &JobId, outcome: Ended) {
        let purpose = lock(&self.jobs).get(id).map(|job| job.purpose);
        let done = purpose.filter(|_| matches!(outcome, Ended::Done { .. }));
        let give = Ask::Give {
            worker: self.id.clone(),
            number: id.number,
            outcome,
        };
        for _ in 0..TRIES {
            match self.request(&id.node, &give).await {
                Ok(Some(Reply::Distrusted { why })) => return self.distrusted(why),
                Ok(_) => {
                    if let Some(purpose) = done {
                        self.tally.of(purpose).fetch_add(1, Relaxed);
                    }
                    return;
                }
                // A server that is gone does not wait for it.
                Err(BusError::Nobody | BusError::TooLong { .. } | BusError::Subject(_)) => return,
                Err(BusError::Late | BusError::Gone | BusError::Taken) => {}
            }
        }
    }

    /// Gives back what it is at.
    async fn give_back(self: Arc<Self>) {
        let jobs: Vec<(JobId, UnderWay)> = lock(&self.jobs).drain().collect();
        let gives = jobs.into_iter().map(|(id, job)| {
            job.stop.store(true, Relaxed);
            let worker = self.clone();
            async move { worker.give(&id, Ended::Undone).await }
        });
        futures_util::future::join_all(gives).await;
    }
}
