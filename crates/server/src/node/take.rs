//! Games that nobody owns are taken many at a time: when a node has died, hundreds are come to at the same moment, and each by
//! itself would wait for the transactions of all others.

use super::Node;
use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use store::millis;
use store::nodes::Nodes;
use tokio::sync::oneshot;

/// How often games are asked for that another node takes at the same moment, and the pause between.
const TRIES: usize = 5;
const AGAIN: Duration = Duration::from_millis(20);

/// What has come of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Taken {
    /// It was taken.
    Ours,
    /// Another node, which lives, has it.
    Of(i64),
    /// Neither, for whatever reason: one who wants to know it claims the game.
    Unknown,
}

/// A game that is wanted, and who is told what has come of it.
type Wanted = (String, oneshot::Sender<Taken>);

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
    /// Takes a game that nobody owns, in one transaction with all that were wanted while the last were taken.
    pub async fn take(&self, game: &str) -> Taken {
        let Some(leases) = &self.nodes else {
            return Taken::Unknown;
        };
        let (tell, mut told) = oneshot::channel();
        self.takes.wanted().push((game.into(), tell));
        let _turn = self.takes.turn.lock().await;
        if let Ok(taken) = told.try_recv() {
            return taken;
        }
        let wanted = std::mem::take(&mut *self.takes.wanted());
        self.take_all(&**leases, wanted).await;
        // If the one who took it was cancelled, nobody answers.
        told.await.unwrap_or(Taken::Unknown)
    }

    /// When a node has died all others want its games at the same moment. Those that another has taken are found out together,
    /// too: each by itself would wait for its turn to be refused.
    async fn take_all(&self, leases: &dyn Nodes, mut wanted: Vec<Wanted>) {
        let boot = self.boot();
        for _ in 0..TRIES {
            let games: Vec<String> = wanted.iter().map(|(game, _)| game.clone()).collect();
            let Ok(taken) = leases.adopt(&games, boot, millis(self.clock.now())).await else {
                return;
            };
            let taken: HashSet<String> = taken.into_iter().collect();
            wanted = answered(wanted, |game| taken.contains(game).then_some(Taken::Ours));
            if wanted.is_empty() {
                return;
            }
            let games: Vec<String> = wanted.iter().map(|(game, _)| game.clone()).collect();
            let Ok(owners) = leases.owners(&games).await else {
                return;
            };
            let owners: HashMap<String, i64> = owners.into_iter().collect();
            wanted = answered(wanted, |game| match owners.get(game) {
                Some(owner) if *owner == boot => Some(Taken::Ours),
                Some(owner) if self.surely_lives(*owner) => Some(Taken::Of(*owner)),
                Some(_) => None,
                None => Some(Taken::Unknown),
            });
            if wanted.is_empty() {
                return;
            }
            tokio::time::sleep(AGAIN).await;
        }
        // Who hears nothing knows as much.
    }
}

/// Answers those of which something is known; the others.
fn answered(wanted: Vec<Wanted>, known: impl Fn(&str) -> Option<Taken>) -> Vec<Wanted> {
    let mut left = Vec::new();
    for (game, tell) in wanted {
        match known(&game) {
            // One that does not wait any more needs no answer.
            Some(taken) => drop(tell.send(taken)),
            None => left.push((game, tell)),
        }
    }
    left
}
