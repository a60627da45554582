//! The way to the other processes: a bounded queue, and one task that hands it on to the connection. Nobody who puts
//! something into it waits; what does not fit is counted, and those who listen to it are told that something is missing.

use super::interests::Interests;
use super::lost::{Lost, Sent};
use super::names::{self, Names, Reply, Wants};
use crate::{BusError, LocalBus};
use async_nats::client::traits::Publisher;
use async_nats::message::OutboundMessage;
use async_nats::{Client, HeaderMap, Subject};
use bytes::Bytes;
use std::collections::{BTreeSet, HashMap};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::{Notify, mpsc, oneshot, watch};

/// Messages in the queue.
const QUEUE: usize = 8192;
/// Of which what is told leaves some for questions and answers.
const KEPT: usize = 1024;
/// Bytes of messages in the queue.
const BYTES: usize = 32 << 20;
/// Messages that are handed on between two looks at anything else.
const BATCH: usize = 64;

/// How the connection is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// There is none.
    Down,
    /// There is one, and NATS has not yet answered that it knows what is listened to.
    Joining,
    /// It works.
    Up,
}

/// How the connection is, and which one of those made so far it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct State {
    /// How it is.
    pub phase: Phase,
    /// Each connection has another.
    pub generation: u64,
}

/// Something on its way to the connection.
pub struct Out {
    /// What was meant for a connection that has gone is not sent over the next, which may come much later.
    generation: u64,
    what: What,
}

/// What is on its way.
pub enum What {
    Tell {
        to: Subject,
        message: Bytes,
    },
    Ask {
        to: Subject,
        number: u64,
        wants: Wants,
        message: Bytes,
    },
    Answer {
        to: Subject,
        message: Bytes,
        headers: Option<HeaderMap>,
    },
    /// Is told when NATS has read all that came before.
    Settle(oneshot::Sender<()>),
    /// Is told when NATS has read all that came before; sent once a second, which tells what must have arrived.
    Trip(oneshot::Sender<()>),
}

impl Out {
    fn bytes(&self) -> usize {
        match &self.what {
            What::Tell { message, .. }
            | What::Ask { message, .. }
            | What::Answer { message, .. } => message.len(),
            What::Settle(_) | What::Trip(_) => 0,
        }
    }
}

/// Who waits for something from NATS.
pub enum Waiter {
    Answer {
        answer: oneshot::Sender<Reply>,
        /// Somebody has said that he no longer serves the subject.
        nobody: Arc<Notify>,
    },
    Settled(Vec<oneshot::Sender<()>>),
}

/// What all parts of the bus have in common.
pub struct Link {
    pub local: LocalBus,
    pub names: Names,
    pub client: Client,
    pub interests: Mutex<Interests>,
    /// The pump has something to see to besides the queue.
    pub changed: Notify,
    pub state: watch::Sender<State>,
    /// Something may have been lost, nobody knows where.
    pub all_missed: AtomicBool,
    /// What was lost on its way out, since the start.
    pub dropped: AtomicU64,
    out: mpsc::Sender<Out>,
    queued: AtomicUsize,
    pub waiters: Mutex<HashMap<u64, Waiter>>,
    pub next: AtomicU64,
    lost: Mutex<Lost>,
    tell_lost: AtomicBool,
}

/// The other end of the queue.
pub type Outs = mpsc::Receiver<Out>;

pub fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Link {
    pub fn new(client: Client, names: Names) -> (Arc<Link>, Outs) {
        let (out, outs) = mpsc::channel(QUEUE);
        let link = Link {
            local: LocalBus::new(),
            names,
            client,
            interests: Mutex::default(),
            changed: Notify::new(),
            state: watch::Sender::new(State {
                phase: Phase::Joining,
                generation: 1,
            }),
            all_missed: AtomicBool::new(false),
            dropped: AtomicU64::new(0),
            out,
            queued: AtomicUsize::new(0),
            waiters: Mutex::default(),
            next: AtomicU64::new(0),
            lost: Mutex::default(),
            tell_lost: AtomicBool::new(false),
        };
        (Arc::new(link), outs)
    }

    pub fn now(&self) -> State {
        *self.state.borrow()
    }

    /// Returns when this connection has gone.
    pub async fn gone(&self, generation: u64) {
        let mut state = self.state.subscribe();
        let other = |s: &State| s.generation != generation || s.phase == Phase::Down;
        let _ = state.wait_for(other).await;
    }

    pub fn limit(&self, message: &Bytes) -> Result<(), BusError> {
        let (bytes, limit) = (message.len(), self.client.max_payload());
        match bytes > limit {
            true => Err(BusError::TooLong { bytes, limit }),
            false => Ok(()),
        }
    }

    /// Puts something into the queue, or not if it is full.
    pub fn put(&self, generation: u64, what: What, kept: usize) -> bool {
        let out = Out { generation, what };
        let bytes = out.bytes();
        let queued = self.queued.fetch_add(bytes, Relaxed) + bytes;
        let fits = (queued <= BYTES || queued == bytes) && self.out.capacity() > kept;
        if fits && self.out.try_send(out).is_ok() {
            return true;
        }
        self.queued.fetch_sub(bytes, Relaxed);
        false
    }

    /// Tells the other processes.
    pub fn tell(&self, subject: &str, message: Bytes) {
        let now = self.now();
        let to = self.names.told(subject);
        let goes = now.phase != Phase::Down && self.limit(&message).is_ok();
        let what = What::Tell {
            to: to.clone(),
            message,
        };
        if !goes || !self.put(now.generation, what, KEPT) {
            self.drop_told(to);
        }
    }

    fn drop_told(&self, subject: Subject) {
        self.count_dropped();
        lock(&self.lost).add(subject);
    }

    pub fn count_dropped(&self) {
        self.dropped.fetch_add(1, Relaxed);
        metrics::counter!("husun_bus_dropped_total").increment(1);
    }

    /// Returns when NATS knows all that is listened to, or when the connection has gone: then all listeners will be
    /// told that they may have missed something.
    pub async fn settle(&self) {
        let generation = match self.now() {
            state if state.phase == Phase::Down => return,
            state => state.generation,
        };
        let settled = async {
            let (waiter, told) = oneshot::channel();
            let what = What::Settle(waiter);
            if self.out.send(Out { generation, what }).await.is_ok() {
                let _ = told.await;
            }
        };
        tokio::select! {
            () = settled => {}
            () = self.gone(generation) => {}
        }
    }

    /// One round trip to NATS and back, through the queue; false if the connection went meanwhile.
    pub async fn trip(&self) -> bool {
        let (waiter, told) = oneshot::channel();
        let generation = self.now().generation;
        let what = What::Trip(waiter);
        self.out.send(Out { generation, what }).await.is_ok() && told.await.is_ok()
    }

    /// Has those told who listen to what was lost on its way out, if anything was.
    pub fn tell_lost(&self) {
        if !lock(&self.lost).is_empty() {
            self.tell_lost.store(true, Relaxed);
            self.changed.notify_one();
        }
    }

    /// Hands on what is in the queue, until the bus ends.
    pub async fn pump(self: Arc<Link>, mut outs: Outs) {
        let mut batch = Vec::with_capacity(BATCH);
        let mut sent = Sent::default();
        loop {
            tokio::select! {
                n = outs.recv_many(&mut batch, BATCH) => {
                    if n == 0 {
                        return;
                    }
                }
                () = self.changed.notified() => {}
            }
            let now = self.now();
            if sent.generation != now.generation {
                lock(&self.lost).add_all(sent.gone(now.generation));
            }
            if now.phase != Phase::Down {
                self.reconcile(now.generation).await;
            }
            let mut settled = Vec::new();
            for out in batch.drain(..) {
                self.queued.fetch_sub(out.bytes(), Relaxed);
                self.send(out, now.generation, &mut sent, &mut settled)
                    .await;
            }
            if !settled.is_empty() {
                self.ask_settled(settled, now.generation).await;
            }
            if self.tell_lost.swap(false, Relaxed) {
                self.send_lost(now.generation).await;
            }
        }
    }

    /// Hands something to the connection; false if that has gone.
    pub async fn handed<T>(&self, generation: u64, work: impl Future<Output = T>) -> Option<T> {
        tokio::select! {
            biased;
            done = work => Some(done),
            () = self.gone(generation) => None,
        }
    }

    async fn publish(&self, generation: u64, message: OutboundMessage) -> bool {
        let now = self.now();
        if now.generation != generation || now.phase == Phase::Down {
            return false;
        }
        let published = self.handed(generation, self.client.publish_message(message));
        matches!(published.await, Some(Ok(())))
    }

    async fn send(
        &self,
        out: Out,
        generation: u64,
        sent: &mut Sent,
        settled: &mut Vec<oneshot::Sender<()>>,
    ) {
        let meant = out.generation == generation;
        match out.what {
            What::Tell { to, message } => {
                if meant && self.publish(generation, plain(to.clone(), message)).await {
                    sent.fresh.add(to);
                } else {
                    self.drop_told(to);
                }
            }
            What::Ask {
                to,
                number,
                wants,
                message,
            } => {
                let mut question = plain(to, message);
                question.reply = Some(self.names.answer(number, wants));
                if !meant || !self.publish(generation, question).await {
                    lock(&self.waiters).remove(&number);
                }
            }
            What::Answer {
                to,
                message,
                headers,
            } => {
                let mut answer = plain(to, message);
                answer.headers = headers;
                if !meant || !self.publish(generation, answer).await {
                    self.count_dropped();
                }
            }
            What::Settle(waiter) => settled.push(waiter),
            What::Trip(waiter) if meant => {
                sent.trip();
                let (answered, told) = oneshot::channel();
                sent.answered = Some(told);
                // Two are told: the one who asked, and the next trip, that this one has come to its end.
                settled.push(waiter);
                settled.push(answered);
            }
            What::Trip(_) => {}
        }
    }

    async fn ask_settled(&self, waiters: Vec<oneshot::Sender<()>>, generation: u64) {
        let number = self.next.fetch_add(1, Relaxed);
        lock(&self.waiters).insert(number, Waiter::Settled(waiters));
        let mut question = plain(self.names.nowhere(), Bytes::new());
        question.reply = Some(self.names.answer(number, Wants::Server));
        if !self.publish(generation, question).await {
            lock(&self.waiters).remove(&number);
        }
    }

    /// Nobody is told any more over a connection that has gone.
    pub fn forget_settled(&self) {
        lock(&self.waiters).retain(|_, waiter| matches!(waiter, Waiter::Answer { .. }));
    }

    async fn send_lost(&self, generation: u64) {
        let mut lost = std::mem::take(&mut *lock(&self.lost));
        let everywhere = lost.all.then(|| self.names.lost());
        let subjects = match everywhere {
            Some(everywhere) => {
                lost.subjects.clear();
                BTreeSet::from([everywhere])
            }
            None => std::mem::take(&mut lost.subjects),
        };
        lost.all = false;
        for subject in subjects {
            let mut notice = plain(subject.clone(), Bytes::new());
            notice.headers = Some(names::lost());
            if !self.publish(generation, notice).await {
                match subject == self.names.lost() {
                    true => lost.all = true,
                    false => lost.add(subject),
                }
            }
        }
        if !lost.is_empty() {
            lock(&self.lost).add_all(lost);
        }
    }
}

fn plain(subject: Subject, payload: Bytes) -> OutboundMessage {
    OutboundMessage {
        subject,
        reply: None,
        payload,
        headers: None,
    }
}
