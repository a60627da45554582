//! Messages between the parts of the server: told to all who listen to a subject, or asked of whoever serves it. One
//! trait, so that the parts may live in one process or in many. A bus is never authoritative: a message may be lost,
//! so a part that must not miss any numbers them and asks again after a gap.

mod local;
mod nats;
#[cfg(test)]
mod tests;

pub use local::LocalBus;
pub use nats::{Health, NatsBus, NatsError, NatsOptions, NatsRole};

use bytes::Bytes;
use futures_util::future::BoxFuture;
use std::fmt::Debug;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::{mpsc, oneshot};

/// Why a question got no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BusError {
    /// Nobody serves the subject.
    #[error("nobody serves the subject")]
    Nobody,
    /// Somebody serves the subject already.
    #[error("the subject is served already")]
    Taken,
    /// Too many questions are waiting, or the answer did not come in time. It may still be carried out.
    #[error("no answer came in time")]
    Late,
    /// Whoever was asked has gone without answering.
    #[error("whoever was asked has gone")]
    Gone,
    /// A question or an answer is longer than the way to another process allows.
    #[error("{bytes} bytes are more than the {limit} that the bus carries at once")]
    TooLong {
        /// How many there are.
        bytes: usize,
        /// How many there may be.
        limit: usize,
    },
    /// A subject is longer than [`SUBJECT`].
    #[error("a subject of {0} bytes: it has at most {SUBJECT}")]
    Subject(usize),
}

/// The longest subject, in bytes.
pub const SUBJECT: usize = 255;

fn check(subject: &str) -> Result<(), BusError> {
    match subject.len() {
        0..=SUBJECT => Ok(()),
        long => Err(BusError::Subject(long)),
    }
}

/// The result of something asked of a bus.
pub type Answer<'a, T> = BoxFuture<'a, Result<T, BusError>>;

/// A listener. Called by the sender, so it must not wait for long; it may take a lock that others hold
/// while they speak.
pub trait Listener: Send + Sync {
    /// Receives a message; false if it wants no more.
    fn hear(&self, message: &Bytes) -> bool;
    /// Messages may have been lost: between processes that happens when a connection breaks or somebody is too slow.
    /// Whoever needs all of them asks anew, and not all at the same moment.
    fn missed(&self) {}
}

/// Subjects are words with dots between, such as `game.k3x9.told`; they mean nothing to the bus. Any text of up to
/// [`SUBJECT`] bytes is one.
pub trait Bus: Debug + Send + Sync + 'static {
    /// Tells all listeners of a subject, in the order of this caller's messages. Never waits.
    fn publish(&self, subject: &str, message: Bytes);
    /// Adds a listener to a subject, from the moment this resolves until the subscription is dropped. What others tell at the
    /// moment of its end may still be heard.
    fn subscribe<'a>(
        &'a self,
        subject: &'a str,
        listener: Arc<dyn Listener>,
    ) -> Answer<'a, Subscription>;
    /// Asks whoever serves a subject, and waits at most `patience` for the answer.
    fn request<'a>(
        &'a self,
        subject: &'a str,
        message: Bytes,
        patience: Duration,
    ) -> Answer<'a, Bytes>;
    /// Serves a subject, with up to `waiting` questions in the queue. One at a time does; between processes that is
    /// seen to as well as it can be, and whoever must be alone needs a lease besides.
    fn serve<'a>(&'a self, subject: &'a str, waiting: usize) -> Answer<'a, Requests>;
}

/// Something that ends when it is dropped.
struct Guard(Option<Box<dyn FnOnce() + Send>>);

impl Guard {
    fn new(end: impl FnOnce() + Send + 'static) -> Guard {
        Guard(Some(Box::new(end)))
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        if let Some(end) = self.0.take() {
            end();
        }
    }
}

/// A listener's registration, which lasts until this is dropped.
#[must_use = "listening ends when this is dropped"]
pub struct Subscription {
    _place: Guard,
}

/// A question, with the way to answer it.
#[derive(Debug)]
pub struct Request {
    /// The question.
    pub message: Bytes,
    /// When it came to this process.
    pub received: Instant,
    asker: Asker,
}

/// Who waits for an answer. Dropped without one, it learns that whoever was asked has gone.
#[derive(Debug)]
enum Asker {
    /// Somebody in this process.
    Here(oneshot::Sender<Bytes>),
    /// Somebody in another one.
    There(nats::Asker),
}

impl Request {
    fn new(message: Bytes, asker: Asker) -> Box<Request> {
        Box::new(Request {
            message,
            received: Instant::now(),
            asker,
        })
    }

    /// Answers it. An asker who no longer waits misses the answer.
    pub fn answer(self, message: Bytes) {
        match self.asker {
            Asker::Here(asker) => drop(asker.send(message)),
            Asker::There(asker) => asker.answer(Ok(message)),
        }
    }

    /// Tells an asker in another process why there is no answer; one in this process knows it.
    fn refuse(self, error: BusError) {
        if let Asker::There(asker) = self.asker {
            asker.answer(Err(error));
        }
    }
}

/// The questions of a served subject, which is served until this is dropped.
pub struct Requests {
    /// Boxed: the channel reserves room for many, and most subjects are seldom asked.
    queue: mpsc::Receiver<Box<Request>>,
    _place: Guard,
}

impl Requests {
    /// The next question.
    pub async fn next(&mut self) -> Option<Request> {
        self.queue.recv().await.map(|request| *request)
    }
}

impl Debug for Subscription {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Subscription")
    }
}

impl Debug for Requests {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Requests")
    }
}
