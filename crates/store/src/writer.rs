//! Gathers what many games want stored at the same moment into one commit: the disk is waited for once. While the
//! storage is out of order it tries again and tells so; whoever waits goes on waiting. What nobody waits for any more is not
//! stored when it is back: whoever asked was told that nothing was done.

use super::sql::HANGING;
use super::{GameWrite, Store, StoreError};
use futures_util::FutureExt;
use metrics::{counter, gauge, histogram};
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::{mpsc, oneshot, watch};

/// Requests waiting at most; games wait beyond that.
const QUEUE: usize = 4096;
/// Events in one commit at most.
const BATCH: usize = 2000;
/// Games in one commit at most.
const GAMES: usize = 500;
/// Commits begin at least so far apart: what comes meanwhile goes into one. A move that comes alone does not wait, and many
/// share what a commit costs.
const APART: Duration = Duration::from_millis(10);
/// A commit that takes longer is told as trouble.
const SLOW: Duration = Duration::from_millis(500);
/// Shortest and longest wait between attempts.
const RETRY: [Duration; 2] = [Duration::from_millis(20), Duration::from_millis(500)];

/// How the storage is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Health {
    /// It takes what it is given.
    Well,
    /// It does not, for a reason.
    Ill(String),
}

/// Where whoever asked hears what has come of it; closed when nobody waits any more.
type Waiting = oneshot::Sender<Result<(), StoreError>>;

struct Request {
    write: GameWrite,
    done: Waiting,
}

/// The way to store.
#[derive(Clone, Debug)]
pub struct Writer {
    requests: mpsc::Sender<Request>,
    health: watch::Receiver<Health>,
}

impl Writer {
    /// A writer with its task, which ends when the last writer is dropped.
    pub fn new(store: Arc<dyn Store>) -> Writer {
        let (requests, mut inbox) = mpsc::channel(QUEUE);
        let (tell, health) = watch::channel(Health::Well);
        tokio::spawn(async move {
            // Without it nothing could be stored any more. Games whose writes were under way are read anew.
            while let Err(_fault) = AssertUnwindSafe(serve(&*store, &mut inbox, &tell))
                .catch_unwind()
                .await
            {
                counter!("husun_faults_total").increment(1);
                tracing::error!("storing has ended in a fault of ours; it begins anew");
            }
        });
        Writer { requests, health }
    }

    /// Stores what a game asks for; it is there for good when this returns. Waits while the storage is out of order.
    pub async fn write(&self, write: GameWrite) -> Result<(), StoreError> {
        let (done, answer) = oneshot::channel();
        let gone = || StoreError::Unavailable("the server goes down".into());
        let sent = self.requests.send(Request { write, done }).await;
        sent.map_err(|_| gone())?;
        answer.await.map_err(|_| gone())?
    }

    /// How the storage is, told anew when it changes.
    pub fn health(&self) -> watch::Receiver<Health> {
        self.health.clone()
    }
}

async fn serve(
    store: &dyn Store,
    inbox: &mut mpsc::Receiver<Request>,
    health: &watch::Sender<Health>,
) {
    let mut begun: Option<Instant> = None;
    // Their room is kept from one commit to the next.
    let (mut writes, mut waiting) = (Vec::new(), Vec::new());
    while let Some(first) = inbox.recv().await {
        if let Some(begun) = begun {
            tokio::time::sleep_until((begun + APART).into()).await;
        }
        begun = Some(Instant::now());
        let mut events = first.write.events.len();
        writes.push(first.write);
        waiting.push(first.done);
        while events < BATCH
            && writes.len() < GAMES
            && let Ok(next) = inbox.try_recv()
        {
            events += next.write.events.len();
            writes.push(next.write);
            waiting.push(next.done);
        }
        let results = write(store, &mut writes, &mut waiting, health).await;
        let taken = writes.iter().zip(&results).filter(|(_, r)| r.is_ok());
        let stored: usize = taken.map(|(write, _)| write.events.len()).sum();
        counter!("husun_events_stored_total").increment(stored as u64);
        writes.clear();
        for (done, result) in waiting.drain(..).zip(results) {
            // Who has gone in this very moment will read what is stored.
            let _ = done.send(result);
        }
    }
}

/// Writes what is waited for of a batch, however long it takes.
async fn write(
    store: &dyn Store,
    writes: &mut Vec<GameWrite>,
    waiting: &mut Vec<Waiting>,
    health: &watch::Sender<Health>,
) -> Vec<Result<(), StoreError>> {
    let mut wait = RETRY[0];
    loop {
        forget_abandoned(writes, waiting);
        if writes.is_empty() && *health.borrow() == Health::Well {
            return Vec::new();
        }
        let start = Instant::now();
        let attempt = async {
            match writes.is_empty() {
                // It is found out still when the storage is back.
                true => store.ping().await.map(|()| Vec::new()),
                false => store.write(writes).await,
            }
        };
        let attempt = tokio::time::timeout(HANGING, attempt);
        tokio::pin!(attempt);
        let attempt = tokio::select! {
            biased;
            attempt = &mut attempt => attempt,
            () = tokio::time::sleep(SLOW) => {
                tell(health, Health::Ill("the storage does not answer".into()));
                attempt.await
            }
        };
        histogram!("husun_store_seconds").record(start.elapsed().as_secs_f64());
        let error = match attempt {
            Ok(Ok(results)) => {
                tell(health, Health::Well);
                return results;
            }
            Ok(Err(error)) => error,
            Err(_) => StoreError::Unavailable("the storage does not answer".into()),
        };
        counter!("husun_store_errors_total").increment(1);
        if !error.is_passing() {
            tracing::error!(%error, games = writes.len(), "what games have stored is refused");
            return writes.iter().map(|_| Err(error.clone())).collect();
        }
        tell(health, Health::Ill(error.to_string()));
        tokio::time::sleep(wait).await;
        wait = (wait * 2).min(RETRY[1]);
    }
}

fn forget_abandoned(writes: &mut Vec<GameWrite>, waiting: &mut Vec<Waiting>) {
    let open: Vec<bool> = waiting.iter().map(|done| !done.is_closed()).collect();
    if open.iter().all(|open| *open) {
        return;
    }
    let (mut of_writes, mut of_waiting) = (open.iter(), open.iter());
    writes.retain(|_| of_writes.next().is_some_and(|open| *open));
    waiting.retain(|_| of_waiting.next().is_some_and(|open| *open));
}

/// Tells a change of health, and logs it once.
fn tell(health: &watch::Sender<Health>, now: Health) {
    let mut begins = false;
    health.send_if_modified(|was| {
        let changes = *was != now;
        begins = (*was == Health::Well) != (now == Health::Well);
        if changes {
            was.clone_from(&now);
        }
        changes
    });
    if begins {
        match now {
            Health::Well => tracing::info!("the storage is back"),
            Health::Ill(error) => {
                tracing::error!(%error, "the storage cannot be written; all clocks stand still");
            }
        }
        gauge!("husun_store_ill").set(f64::from(u8::from(*health.borrow() != Health::Well)));
    }
}
