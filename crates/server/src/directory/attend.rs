//! Looks after games that nobody looks at: flags that fall, questions that are met with silence, games that nobody comes
//! to, the engine's move after a sudden end. Storage knows when; a game is taken into memory for that moment.

use super::{Directory, Payer, is_id};
use crate::clock::Halt;
use crate::refusal::Reason;
use crate::task::Command;
use metrics::counter;
use rand::seq::SliceRandom;
use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;
use store::{Due, GameWrite, millis};

/// How often storage is asked.
const PAUSE: Duration = Duration::from_millis(250);
/// How often it is looked for games that nobody owns, and how many are asked for at once.
const ORPHANS: Duration = Duration::from_millis(300);
const ADOPTED: u32 = 1000;
/// Games taken in one transaction.
const TAKEN: usize = 50;
/// Games taken at once: in portions, so that players are not kept waiting.
const PORTION: u32 = 50;
/// Pause between portions.
const BREATH: Duration = Duration::from_millis(10);
/// Longest wait for a portion.
const PATIENCE: Duration = Duration::from_secs(2);
/// A live game whose engine thinks is looked after by its task; storage has it looked at after this.
pub(crate) const AHEAD: Duration = Duration::from_secs(30);
/// A game that cannot be read is tried again after this.
const AGAIN: Duration = Duration::from_secs(24 * 3600);

impl Directory {
    /// Looks after games for as long as the server runs.
    pub async fn attend(self) {
        // After a sudden end engines may owe moves; so may those of games that were another node's.
        let owes = AtomicBool::new(true);
        tokio::join!(self.look_after(&owes), self.take_orphans(&owes));
    }

    /// Whether storage can be asked what is to be done here.
    fn can_attend(&self) -> bool {
        let services = self.services();
        *services.clock.halted().borrow() != Some(Halt::Storage) && services.node.has_lease()
    }

    async fn look_after(&self, owes: &AtomicBool) {
        loop {
            tokio::time::sleep(PAUSE).await;
            if !self.can_attend() {
                continue;
            }
            let owed = owes.swap(false, Relaxed);
            let ahead = if owed { AHEAD } else { Duration::ZERO };
            let until = millis(self.services().clock.now() + ahead);
            if !self.sweep(until).await && owed {
                owes.store(true, Relaxed);
            }
        }
    }

    /// Takes what nobody owns, which waits for nothing that is being looked after.
    async fn take_orphans(&self, owes: &AtomicBool) {
        while !self.services().node.is_alone() {
            tokio::time::sleep(ORPHANS).await;
            if self.can_attend() && self.adopt().await > 0 {
                owes.store(true, Relaxed);
            }
        }
    }

    /// Looks after all games that are due until a time, each once. Whether it came to the end.
    async fn sweep(&self, until: i64) -> bool {
        let services = self.services();
        let mut seen = HashSet::new();
        loop {
            // Those that were looked at may be due still: beyond them there are others.
            let most = PORTION + u32::try_from(seen.len()).unwrap_or(u32::MAX - PORTION);
            let due = match services.node.leases() {
                Some(leases) => leases.due_of(services.node.boot(), until, most).await,
                None => services.store.due(until, most).await,
            };
            let mut ids = match due {
                Ok(ids) => ids,
                Err(error) => {
                    tracing::warn!(%error, "games that are due cannot be found");
                    return false;
                }
            };
            ids.retain(|id| seen.insert(id.clone()));
            if ids.is_empty() {
                return true;
            }
            if *services.clock.halted().borrow() == Some(Halt::Storage) {
                return false;
            }
            self.attend_to(ids).await;
            tokio::time::sleep(BREATH).await;
        }
    }

    /// Takes games that want to be looked at and that nobody owns; tells how many.
    async fn adopt(&self) -> usize {
        let services = self.services();
        let Some(leases) = services
            .node
            .leases()
            .filter(|_| services.node.takes_games())
        else {
            return 0;
        };
        let protocol = services.node.protocol();
        let mut ids = match leases.orphans(protocol, ADOPTED).await {
            Ok(ids) => ids,
            Err(error) => {
                tracing::warn!(%error, "games that nobody owns cannot be found");
                return 0;
            }
        };
        // Other nodes look at the same time and begin elsewhere: each takes its share, and what is left a moment later.
        ids.shuffle(&mut rand::rng());
        ids.truncate(ids.len().div_ceil(services.node.takers()));
        let mut adopted = 0;
        for some in ids.chunks(TAKEN) {
            let (boot, now) = (services.node.boot(), services.clock.now());
            match leases.adopt(some, boot, millis(now)).await {
                Ok(taken) => adopted += taken.len(),
                Err(error) => {
                    tracing::warn!(%error, "games that nobody owns cannot be taken");
                    break;
                }
            }
        }
        if adopted > 0 {
            counter!("husun_games_adopted_total").increment(adopted as u64);
            tracing::info!(
                games = adopted,
                "games that nobody owned are this node's now"
            );
        }
        adopted
    }

    async fn attend_to(&self, ids: Vec<String>) {
        let mut woken = Vec::new();
        for id in ids {
            if let Some(handle) = self.find_live(&id) {
                let _ = handle.commands.try_send(Box::new(Command::Attend));
                continue;
            }
            match self.get(&id, Payer::Server).await {
                Ok(Some(_)) => woken.push(id),
                Ok(None) => self.leave_aside(&id, "it has no fitting id").await,
                Err(refused) if refused.reason == Reason::Damaged => {
                    self.leave_aside(&id, &refused.message).await;
                }
                Err(refused) => {
                    tracing::warn!(game = %id, message = %refused.message, "not attended to")
                }
            }
        }
        // They leave when they have done what was due.
        let start = tokio::time::Instant::now();
        while start.elapsed() < PATIENCE && woken.iter().any(|id| self.find_live(id).is_some()) {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    async fn leave_aside(&self, id: &str, why: &str) {
        tracing::error!(game = %id, why, "a game cannot be read; it is left aside");
        metrics::counter!("husun_faults_total").increment(1);
        let stored = self.services().store.load(id).await;
        let epoch = stored.ok().flatten().map_or(0, |stored| stored.epoch);
        let again = self.services().clock.now() + AGAIN;
        let write = GameWrite {
            game: id.into(),
            epoch,
            due: Some(match is_id(id) {
                true => Due::At(millis(again)),
                false => Due::Never,
            }),
            ..GameWrite::default()
        };
        if let Err(refused) = self.store(write).await {
            tracing::warn!(game = %id, message = %refused.message, "it will be tried again");
        }
    }
}
