//! The way to a socket: what comes for it in order, bounded in messages and bytes.

use crate::wire::ServerMessage;
use axum::extract::ws::Utf8Bytes;
use bus::Listener;
use bytes::Bytes;
use metrics::counter;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::time::Instant;
use tokio::sync::{Notify, mpsc, mpsc::error::TrySendError};

/// It does not read what it is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooSlow;

/// What comes for a socket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item {
    /// To be sent as it is.
    Text(Utf8Bytes),
    /// What its game tells all who are there, over the bus, and when it came: from then on only who reads is waited for.
    Told(Bytes, Instant),
    /// Something of that may have been lost.
    Missed,
}

impl Item {
    fn len(&self) -> usize {
        match self {
            Item::Text(text) => text.len(),
            Item::Told(message, _) => message.len(),
            Item::Missed => 0,
        }
    }
}

/// The way to a socket. One that does not keep up misses a message and is closed by its own task; its client comes
/// anew and is told everything.
#[derive(Clone, Debug)]
pub struct Outbox {
    /// In boxes: the channel keeps room for many, and mostly none waits.
    queue: mpsc::Sender<Box<Item>>,
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    /// Bytes that wait.
    waiting: AtomicUsize,
    /// Most of them.
    bound: usize,
    too_slow: AtomicBool,
    bell: Notify,
}

/// The other end.
#[derive(Debug)]
pub struct Outgoing {
    queue: mpsc::Receiver<Box<Item>>,
    shared: Arc<Shared>,
}

impl Outbox {
    /// A way on which so many messages and bytes can wait, and its other end.
    pub fn new(messages: usize, bytes: usize) -> (Outbox, Outgoing) {
        let (queue, outgoing) = mpsc::channel(messages);
        let shared = Arc::new(Shared {
            waiting: AtomicUsize::new(0),
            bound: bytes,
            too_slow: AtomicBool::new(false),
            bell: Notify::new(),
        });
        let end = Outgoing {
            queue: outgoing,
            shared: shared.clone(),
        };
        (Outbox { queue, shared }, end)
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
        self.put(Item::Text(text))
    }

    fn put(&self, item: Item) -> bool {
        let length = item.len();
        let before = self.shared.waiting.fetch_add(length, Relaxed);
        let sent = match before > 0 && before + length > self.shared.bound {
            true => Err(TrySendError::Full(())),
            false => self
                .queue
                .try_send(Box::new(item))
                .map_err(|error| match error {
                    TrySendError::Full(_) => TrySendError::Full(()),
                    TrySendError::Closed(_) => TrySendError::Closed(()),
                }),
        };
        if sent.is_err() {
            self.shared.waiting.fetch_sub(length, Relaxed);
        }
        if let Err(TrySendError::Full(_)) = sent
            && !self.shared.too_slow.swap(true, Relaxed)
        {
            counter!("husun_slow_sockets_total").increment(1);
            self.shared.bell.notify_one();
        }
        sent.is_ok()
    }
}

impl Listener for Outbox {
    fn hear(&self, message: &Bytes) -> bool {
        self.put(Item::Told(message.clone(), Instant::now()))
    }

    fn missed(&self) {
        self.put(Item::Missed);
    }
}

impl Outgoing {
    /// What comes next.
    pub async fn next(&mut self) -> Result<Item, TooSlow> {
        loop {
            if self.is_too_slow() {
                return Err(TooSlow);
            }
            tokio::select! {
                item = self.queue.recv() => {
                    let item = item.ok_or(TooSlow)?;
                    self.shared.waiting.fetch_sub(item.len(), Relaxed);
                    return Ok(*item);
                }
                () = self.shared.bell.notified() => {}
            }
        }
    }

    /// What is there already.
    pub fn try_next(&mut self) -> Option<Item> {
        let item = self.queue.try_recv().ok()?;
        self.shared.waiting.fetch_sub(item.len(), Relaxed);
        Some(*item)
    }

    /// Whether something was lost.
    pub fn is_too_slow(&self) -> bool {
        self.shared.too_slow.load(Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_socket_that_does_not_keep_up_is_known() {
        let (outbox, mut outgoing) = Outbox::new(2, 1000);
        for n in 0..2 {
            outbox.tell(&ServerMessage::Pong { n });
        }
        assert!(!outgoing.is_too_slow());
        outbox.tell(&ServerMessage::Pong { n: 2 });
        assert!(outgoing.is_too_slow());
        // Room again does not bring back what was lost.
        assert!(outgoing.try_next().is_some());
        assert_eq!(outgoing.next().await, Err(TooSlow));
        // Bytes are bounded too, but for a message that waits alone.
        let (outbox, mut outgoing) = Outbox::new(64, 1000);
        assert!(outbox.send("x".repeat(5000).into()));
        assert!(!outbox.hear(&"x".into()), "more waits than may");
        assert_eq!(outgoing.try_next().map(|item| item.len()), Some(5000));
    }
}
