//! Messages between the parts of the server: told to all who listen to a subject, or asked of the one who serves it.
//! One trait, so that the parts may live in one process or in many. Nothing on a bus is truth: a message may be lost,
//! and who must not miss any numbers them and asks anew at a gap.

mod local;
#[cfg(test)]
mod tests;

pub use local::LocalBus;

use bytes::Bytes;
use futures_util::future::BoxFuture;
use std::fmt::Debug;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::{mpsc, oneshot};

/// Why a question has no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BusError {
    /// Nobody serves the subject.
    #[error("nobody is there to answer")]
    Nobody,
    /// Somebody serves the subject already.
    #[error("the subject is served already")]
    Taken,
    /// Too many questions wait, or the answer has not come in time.
    #[error("no answer has come in time")]
    Late,
    /// Who was asked has gone without an answer.
    #[error("the one who was asked has gone")]
    Gone,
}

/// What comes of something asked of a bus.
pub type Answer<'a, T> = BoxFuture<'a, Result<T, BusError>>;

/// One who listens. Called by whoever tells, so it must not wait.
pub trait Listener: Send + Sync {
    /// Takes a message; false if nothing more is to come.
    fn hear(&self, message: &Bytes) -> bool;
}

/// Subjects are words with dots between, as `game.k3x9.told`; they mean nothing to the bus.
pub trait Bus: Debug + Send + Sync + 'static {
    /// Tells all who listen to a subject, in the order of this caller's messages. Never waits.
    fn publish(&self, subject: &str, message: Bytes);
    /// Has a listener told of a subject, from the answer on until it is dropped.
    fn subscribe<'a>(
        &'a self,
        subject: &'a str,
        listener: Arc<dyn Listener>,
    ) -> Answer<'a, Subscription>;
    /// Asks the one who serves a subject, and waits so long for the answer.
    fn request<'a>(
        &'a self,
        subject: &'a str,
        message: Bytes,
        patience: Duration,
    ) -> Answer<'a, Bytes>;
    /// Serves a subject, of which so many questions may wait.
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

/// A listener's place, which it has until this is dropped.
#[must_use = "listening ends when this is dropped"]
pub struct Subscription {
    _place: Guard,
}

/// A question, with the way of its answer.
#[derive(Debug)]
pub struct Request {
    /// What is asked.
    pub message: Bytes,
    /// When it came to this process.
    pub received: Instant,
    answer: oneshot::Sender<Bytes>,
}

impl Request {
    /// Answers it. One who does not wait any more misses the answer.
    pub fn answer(self, message: Bytes) {
        let _ = self.answer.send(message);
    }
}

/// Questions as they come to the one who serves a subject, until this is dropped.
pub struct Requests {
    /// In boxes: the channel keeps room for many, and most subjects are asked little.
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
