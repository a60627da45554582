//! Reviews that the engine of another node is at: whoever is asked for one asks that node how far it is, and that somebody
//! waits for it is known there.

use super::Reviews;
use crate::wire::ReviewState;
use bus::{BusError, Requests};
use bytes::Bytes;
use std::time::Duration;

/// Longest wait for the answer of another node.
const ANSWER: Duration = Duration::from_secs(1);
/// Questions that wait.
const WAITING: usize = 64;

fn asked_at(id: &str) -> String {
    format!("review.{id}")
}

/// Where other nodes ask for a review that is made here; nothing where the server runs alone, or cannot reach them.
pub(super) struct Tells(Option<Requests>);

impl Reviews {
    /// The state of one that another node is at.
    pub(super) async fn running_elsewhere(&self, id: &str) -> Option<Box<ReviewState>> {
        let services = &self.inner.services;
        if services.is_alone() {
            return None;
        }
        let subject = asked_at(id);
        let answer = services.bus.request(&subject, Bytes::new(), ANSWER).await;
        serde_json::from_slice(&answer.ok()?).ok()
    }

    /// Has other nodes ask here for a review; nothing if another one is at it.
    pub(super) async fn tells_others(&self, id: &str) -> Option<Tells> {
        let services = &self.inner.services;
        if services.is_alone() {
            return Some(Tells(None));
        }
        match services.bus.serve(&asked_at(id), WAITING).await {
            Ok(asked) => Some(Tells(Some(asked))),
            Err(BusError::Taken) => None,
            Err(_) => Some(Tells(None)),
        }
    }

    /// Tells who asks how far it is, for as long as it is called.
    pub(super) async fn answer(&self, id: &str, tells: Tells) {
        let Some(mut asked) = tells.0 else {
            return std::future::pending().await;
        };
        while let Some(request) = asked.next().await {
            // One that has just ended is found in storage.
            if let Some(state) = self.running(id)
                && let Ok(text) = serde_json::to_vec(&state)
            {
                request.answer(text.into());
            }
        }
        std::future::pending().await
    }
}
