//! The way to a socket: what is sent there in order, bounded in messages and bytes.

use crate::wire::ServerMessage;
use axum::extract::ws::Utf8Bytes;
use metrics::counter;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering::Relaxed};
use tokio::sync::{Notify, mpsc, mpsc::error::TrySendError};

/// Why a socket's task is to end it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Ending {
    /// It does not read what it is sent.
    TooSlow = 1,
    /// Its game is not there any more: it comes anew.
    GameGone = 2,
}

/// The way to a socket. One that does not keep up misses a message and is closed by its own task; its client comes
/// anew and is told everything.
#[derive(Clone, Debug)]
pub struct Outbox {
    queue: mpsc::Sender<Utf8Bytes>,
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    /// Bytes that wait.
    waiting: AtomicUsize,
    /// Most of them.
    bound: usize,
    ending: AtomicU8,
    bell: Notify,
}

/// The other end.
#[derive(Debug)]
pub struct Outgoing {
    queue: mpsc::Receiver<Utf8Bytes>,
    shared: Arc<Shared>,
}

impl Outbox {
    /// A way on which so many messages and bytes can wait, and its other end.
    pub fn new(messages: usize, bytes: usize) -> (Outbox, Outgoing) {
        let (queue, outgoing) = mpsc::channel(messages);
        let shared = Arc::new(Shared {
            waiting: AtomicUsize::new(0),
            bound: bytes,
            ending: AtomicU8::new(0),
            bell: Notify::new(),
        });
        let end = Outgoing {
            queue: outgoing,
            shared: shared.clone(),
        };
        (Outbox { queue, shared }, end)
    }

    /// Has the socket ended by its own task.
    pub fn end(&self, why: Ending) {
        let first = self
            .shared
            .ending
            .compare_exchange(0, why as u8, Relaxed, Relaxed);
        if first.is_ok() {
            if why == Ending::TooSlow {
                counter!("husun_slow_sockets_total").increment(1);
            }
            self.shared.bell.notify_one();
        }
    }

    /// Sends a message.
    pub fn tell(&self, message: &ServerMessage) {
        match serde_json::to_string(message) {
            Ok(text) => drop(self.send(text.into())),
            Err(error) => tracing::error!(%error, "a message cannot be written"),
        }
    }

    /// Sends a message that is written already; false if the socket is gone or does not keep up. A message of any
    /// length goes where nothing else waits.
    pub fn send(&self, text: Utf8Bytes) -> bool {
        let length = text.len();
        let before = self.shared.waiting.fetch_add(length, Relaxed);
        let sent = match before > 0 && before + length > self.shared.bound {
            true => Err(TrySendError::Full(text)),
            false => self.queue.try_send(text),
        };
        if sent.is_err() {
            self.shared.waiting.fetch_sub(length, Relaxed);
        }
        if let Err(TrySendError::Full(_)) = sent {
            self.end(Ending::TooSlow);
        }
        sent.is_ok()
    }
}

impl Outgoing {
    /// The next message, or why the socket is to end.
    pub async fn next(&mut self) -> Result<Utf8Bytes, Ending> {
        loop {
            if let Some(ending) = self.ending() {
                return Err(ending);
            }
            tokio::select! {
                text = self.queue.recv() => {
                    let text = text.ok_or(Ending::GameGone)?;
                    self.shared.waiting.fetch_sub(text.len(), Relaxed);
                    return Ok(text);
                }
                () = self.shared.bell.notified() => {}
            }
        }
    }

    /// A message that is there already.
    pub fn try_next(&mut self) -> Option<Utf8Bytes> {
        let text = self.queue.try_recv().ok()?;
        self.shared.waiting.fetch_sub(text.len(), Relaxed);
        Some(text)
    }

    /// Why the socket is to end, if it is.
    pub fn ending(&self) -> Option<Ending> {
        match self.shared.ending.load(Relaxed) {
            1 => Some(Ending::TooSlow),
            2 => Some(Ending::GameGone),
            _ => None,
        }
    }
}
