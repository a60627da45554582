//! The bus within one process: nothing is copied, nothing waits, nothing is lost.

use super::{
    Answer, Asker, Bus, BusError, Guard, Listener, Request, Requests, Subscription, check,
};
use bytes::Bytes;
use std::collections::HashMap;
use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};

/// Parts with a lock each, so that subjects seldom wait for each other.
const PARTS: usize = 32;

/// The listeners of a subject, with the numbers of their registrations. They are called while nothing is locked: what they do,
/// and what whoever speaks holds meanwhile, is their own.
type Listeners = Arc<Vec<(u64, Arc<dyn Listener>)>>;

/// The way to whoever serves a subject.
pub(crate) type Server = mpsc::Sender<Box<Request>>;

#[derive(Default)]
struct Part {
    listeners: HashMap<String, Listeners>,
    servers: HashMap<String, (u64, Server)>,
}

struct Shared {
    parts: Vec<Mutex<Part>>,
    hasher: RandomState,
    next: AtomicU64,
}

impl Shared {
    fn part(&self, subject: &str) -> MutexGuard<'_, Part> {
        let at = self.hasher.hash_one(subject) as usize % PARTS;
        self.parts[at]
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn number(&self) -> u64 {
        self.next.fetch_add(1, Relaxed)
    }

    fn listeners(&self, subject: &str) -> Option<Listeners> {
        self.part(subject).listeners.get(subject).cloned()
    }

    fn end_listening(&self, subject: &str, number: u64) {
        let mut part = self.part(subject);
        let Some(listeners) = part.listeners.get_mut(subject) else {
            return;
        };
        let Some(at) = listeners.iter().position(|(n, _)| *n == number) else {
            return;
        };
        let ended = Arc::make_mut(listeners).remove(at);
        if listeners.is_empty() {
            part.listeners.remove(subject);
        }
        drop(part);
        // What a listener holds ends with it.
        drop(ended);
    }

    fn end_serving(&self, subject: &str, number: u64) {
        let mut part = self.part(subject);
        if part.servers.get(subject).is_some_and(|(n, _)| *n == number) {
            part.servers.remove(subject);
        }
    }
}

/// The bus within one process.
#[derive(Clone)]
pub struct LocalBus {
    shared: Arc<Shared>,
}

impl LocalBus {
    /// A bus without users so far.
    pub fn new() -> LocalBus {
        LocalBus {
            shared: Arc::new(Shared {
                parts: (0..PARTS).map(|_| Mutex::default()).collect(),
                hasher: RandomState::new(),
                next: AtomicU64::new(0),
            }),
        }
    }

    /// Whoever serves a subject.
    pub(crate) fn server(&self, subject: &str) -> Option<Server> {
        let part = self.shared.part(subject);
        part.servers.get(subject).map(|(_, server)| server.clone())
    }

    /// Tells the listeners of a subject that messages may have been lost.
    pub(crate) fn missed(&self, subject: &str) {
        let listeners = self.shared.listeners(subject).unwrap_or_default();
        for (_, listener) in listeners.iter() {
            listener.missed();
        }
    }

    /// Tells all listeners that messages may have been lost.
    pub(crate) fn all_missed(&self) {
        for part in &self.shared.parts {
            let part = part.lock().unwrap_or_else(PoisonError::into_inner);
            let all: Vec<Listeners> = part.listeners.values().cloned().collect();
            drop(part);
            for (_, listener) in all.iter().flat_map(|listeners| listeners.iter()) {
                listener.missed();
            }
        }
    }
}

impl Default for LocalBus {
    fn default() -> LocalBus {
        LocalBus::new()
    }
}

impl fmt::Debug for LocalBus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("LocalBus")
    }
}

impl Bus for LocalBus {
    fn publish(&self, subject: &str, message: Bytes) {
        let Some(listeners) = self.shared.listeners(subject) else {
            return;
        };
        let mut ended = Vec::new();
        for (number, listener) in listeners.iter() {
            if !listener.hear(&message) {
                ended.push(*number);
            }
        }
        drop(listeners);
        for number in ended {
            self.shared.end_listening(subject, number);
        }
    }

    fn subscribe<'a>(
        &'a self,
        subject: &'a str,
        listener: Arc<dyn Listener>,
    ) -> Answer<'a, Subscription> {
        Box::pin(async move {
            check(subject)?;
            let number = self.shared.number();
            let mut part = self.shared.part(subject);
            let listeners = part.listeners.entry(subject.into()).or_default();
            Arc::make_mut(listeners).push((number, listener));
            drop(part);
            let (shared, subject) = (self.shared.clone(), subject.to_owned());
            let end = move || shared.end_listening(&subject, number);
            Ok(Subscription {
                _place: Guard::new(end),
            })
        })
    }

    fn request<'a>(
        &'a self,
        subject: &'a str,
        message: Bytes,
        patience: Duration,
    ) -> Answer<'a, Bytes> {
        Box::pin(async move {
            check(subject)?;
            let (asker, told) = oneshot::channel();
            let request = Request::new(message, Asker::Here(asker));
            let server = self.server(subject).ok_or(BusError::Nobody)?;
            let asked = async {
                server.send(request).await.map_err(|_| BusError::Nobody)?;
                // It may end while questions wait: they are dropped with it.
                drop(server);
                told.await.map_err(|_| BusError::Gone)
            };
            match tokio::time::timeout(patience, asked).await {
                Ok(answer) => answer,
                Err(_) => Err(BusError::Late),
            }
        })
    }

    fn serve<'a>(&'a self, subject: &'a str, waiting: usize) -> Answer<'a, Requests> {
        Box::pin(async move {
            check(subject)?;
            let number = self.shared.number();
            let (asks, queue) = mpsc::channel(waiting.max(1));
            let mut part = self.shared.part(subject);
            if part.servers.contains_key(subject) {
                return Err(BusError::Taken);
            }
            part.servers.insert(subject.into(), (number, asks));
            drop(part);
            let (shared, subject) = (self.shared.clone(), subject.to_owned());
            let end = move || shared.end_serving(&subject, number);
            Ok(Requests {
                queue,
                _place: Guard::new(end),
            })
        })
    }
}
