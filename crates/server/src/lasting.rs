//! Tasks that go on for as long as the server runs. A fault in one is noted, and it begins anew: without it the server would go on
//! with a part missing, and nobody would know.

use crate::slow::watched;
use futures_util::FutureExt;
use metrics::counter;
use std::panic::AssertUnwindSafe;
use std::time::Duration;
use tokio::sync::{Mutex, mpsc};
use tokio::task::JoinHandle;

/// Pause before it begins anew.
const AGAIN: Duration = Duration::from_secs(1);

/// Does work until it ends by itself, and begins it anew whenever it ends in a fault. `of` is its kind, for figures and messages.
pub async fn lasting<F: Future<Output = ()>>(of: &'static str, mut begin: impl FnMut() -> F) {
    let work = async {
        // It is begun with what it had shared: nothing of that is left half done where a lock was held.
        while let Err(_fault) = AssertUnwindSafe(begin()).catch_unwind().await {
            counter!("husun_faults_total").increment(1);
            tracing::error!(
                of,
                "what lasts as long as the server has ended in a fault of ours; it begins anew"
            );
            tokio::time::sleep(AGAIN).await;
        }
    };
    watched(of, work).await;
}

/// Begins a task that lasts, of a part of the server that is given to it anew whenever it begins.
pub fn begin<P, F>(
    of: &'static str,
    part: P,
    mut work: impl FnMut(P) -> F + Send + 'static,
) -> JoinHandle<()>
where
    P: Clone + Send + 'static,
    F: Future<Output = ()> + Send + 'static,
{
    tokio::spawn(lasting(of, move || work(part.clone())))
}

/// What waits for a task that lasts: it is there still when the task begins anew.
#[derive(Debug)]
pub struct Inbox<T>(Mutex<mpsc::Receiver<T>>);

impl<T> Inbox<T> {
    pub fn new(queue: mpsc::Receiver<T>) -> Inbox<T> {
        Inbox(Mutex::new(queue))
    }

    /// What comes next; nothing once nobody can send anything any more.
    pub async fn next(&self) -> Option<T> {
        self.0.lock().await.recv().await
    }
}

#[cfg(test)]
#[tokio::test]
async fn what_ends_in_a_fault_begins_anew_with_what_waits_for_it() {
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
    let (queue, inbox) = mpsc::channel(8);
    let (inbox, begun) = (Inbox::new(inbox), AtomicUsize::new(0));
    let done = AtomicUsize::new(0);
    for n in 0..5 {
        assert!(queue.send(n).await.is_ok());
    }
    drop(queue);
    let works = lasting("test", || async {
        begun.fetch_add(1, Relaxed);
        while let Some(n) = inbox.next().await {
            assert_ne!(n, 2, "on purpose");
            done.fetch_add(1, Relaxed);
        }
    });
    works.await;
    assert_eq!((begun.load(Relaxed), done.load(Relaxed)), (2, 4));
}
