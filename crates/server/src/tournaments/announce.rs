//! That a tournament is about to start, told to those who have joined it.

use super::Tournaments;
use super::live::Live;
use crate::notices::{BEFORE_START, words};
use crate::services::wall_ms;
use play::tournament::Phase;
use std::time::Duration;

impl Tournaments {
    /// Tells those who have joined, once, whatever happens to the server.
    pub(super) async fn announce(&self, live: &Live) {
        let tournament = live.now();
        let plan = tournament.plan();
        let left = Duration::from_millis((plan.starts_ms - wall_ms()).max(0) as u64);
        if tournament.phase() != Phase::Open || left > BEFORE_START || live.is_announced() {
            return;
        }
        let people = tournament.entrants().iter();
        let people: Vec<_> = people.filter(|e| e.level.is_none() && !e.away).collect();
        if people.is_empty() {
            return;
        }
        let first = match self.inner.store.announce_tournament(&live.id).await {
            Ok(first) => first,
            Err(error) => {
                tracing::warn!(tournament = live.id, %error, "that it starts is told later");
                return;
            }
        };
        live.announced();
        if first {
            let happenings = &self.inner.directory.services().happenings;
            for one in people {
                let told = words::starting(&live.id, &plan.name, &one.id, plan.is_slow(), left);
                happenings.tell(told);
            }
        }
    }
}
