//! Games that nobody owns are taken many at a time: when a node has died, hundreds are come to at the same moment, and each by
//! itself would wait for the transactions of all others.

use super::Node;
use std::sync::{Mutex, MutexGuard, PoisonError};
use store::millis;
use tokio::sync::oneshot;

/// A game that is wanted, and who is told whether it was taken.
type Wanted = (String, oneshot::Sender<bool>);

/// The games that wait to be taken.
#[derive(Debug, Default)]
pub struct Takes {
    wanted: Mutex<Vec<Wanted>>,
    /// Held while some are taken.
    turn: tokio::sync::Mutex<()>,
}

impl Takes {
    fn wanted(&self) -> MutexGuard<'_, Vec<Wanted>> {
        self.wanted.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Node {
    /// Takes a game that nobody owns, in one transaction with all that were wanted while the last were taken. False if that was
    /// not done, for whatever reason: one who wants to know it claims the game.
    pub async fn take(&self, game: &str) -> bool {
        let Some(leases) = &self.nodes else {
            return false;
        };
        let (tell, mut told) = oneshot::channel();
        self.takes.wanted().push((game.into(), tell));
        let _turn = self.takes.turn.lock().await;
        if let Ok(taken) = told.try_recv() {
            return taken;
        }
        let wanted = std::mem::take(&mut *self.takes.wanted());
        let games: Vec<String> = wanted.iter().map(|(game, _)| game.clone()).collect();
        if !games.is_empty() {
            let now_ms = millis(self.clock.now());
            let taken = leases.adopt(&games, self.boot(), now_ms).await;
            let taken = taken.unwrap_or_default();
            for (game, tell) in wanted {
                // One that does not wait any more needs no answer.
                let _ = tell.send(taken.contains(&game));
            }
        }
        // If the one who took it was cancelled, nobody answers.
        told.await.unwrap_or(false)
    }
}
