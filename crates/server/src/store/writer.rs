//! Gathers what many games want stored at the same moment into one commit: the disk is waited for once.

use super::{EventRow, Store, StoreError};
use metrics::{counter, histogram};
use std::sync::Arc;
use std::time::Instant;
use tokio::sync::{mpsc, oneshot};

/// Requests waiting at most; games wait beyond that.
const QUEUE: usize = 4096;
/// Events in one commit at most.
const BATCH: usize = 2000;

struct Request {
    events: Vec<EventRow>,
    done: oneshot::Sender<Result<(), StoreError>>,
}

/// The way to store events.
#[derive(Clone, Debug)]
pub struct Writer {
    requests: mpsc::Sender<Request>,
}

impl Writer {
    /// A writer with its task, which ends when the last writer is dropped.
    pub fn new(store: Arc<dyn Store>) -> Writer {
        let (requests, inbox) = mpsc::channel(QUEUE);
        tokio::spawn(write(store, inbox));
        Writer { requests }
    }

    /// Stores events; they are there for good when this returns.
    pub async fn append(&self, events: Vec<EventRow>) -> Result<(), StoreError> {
        let (done, answer) = oneshot::channel();
        let gone = || StoreError("the writer is gone".into());
        let sent = self.requests.send(Request { events, done }).await;
        sent.map_err(|_| gone())?;
        answer.await.map_err(|_| gone())?
    }
}

async fn write(store: Arc<dyn Store>, mut inbox: mpsc::Receiver<Request>) {
    let mut requests = Vec::new();
    while let Some(first) = inbox.recv().await {
        let mut events = first.events;
        requests.push(first.done);
        while events.len() < BATCH
            && let Ok(next) = inbox.try_recv()
        {
            events.extend(next.events);
            requests.push(next.done);
        }
        let start = Instant::now();
        let result = store.append(&events).await;
        histogram!("husun_store_seconds").record(start.elapsed().as_secs_f64());
        match &result {
            Ok(()) => counter!("husun_events_stored_total").increment(events.len() as u64),
            Err(error) => {
                counter!("husun_store_errors_total").increment(1);
                tracing::error!(%error, events = events.len(), "events could not be stored");
            }
        }
        for done in requests.drain(..) {
            // A game that does not wait any more will read what is stored.
            let _ = done.send(result.clone());
        }
    }
}
