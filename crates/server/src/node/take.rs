//! Who owns a game is asked, and games that nobody owns are taken, many at a time: when a node has died, hundreds are come to at
//! the same moment, again and again until they can be had, and each by itself would wait for the questions of all others.

use super::Node;
use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use store::nodes::Nodes;
use store::{StoreError, millis};
use tokio::sync::oneshot::{self, error::TryRecvError};

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

/// A game of which something is asked, and who is told.
type Wanted<T> = (String, oneshot::Sender<T>);

/// What is asked of games, many at a time: while some are asked all others wait, and come next.
#[derive(Debug)]
pub struct Together<T> {
    wanted: Mutex<Vec<Wanted<T>>>,
    /// Held while some are asked.
    turn: tokio::sync::Mutex<()>,
}

impl<T> Default for Together<T> {
    fn default() -> Together<T> {
        Together {
            wanted: Mutex::default(),
            turn: tokio::sync::Mutex::default(),
        }
    }
}

impl<T> Together<T> {
    fn wanted(&self) -> MutexGuard<'_, Vec<Wanted<T>>> {
        self.wanted.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Asks of a game, with all that came while the last were asked; nothing if the one who asked for all was cancelled, or does
    /// not know.
    async fn ask<F: Future<Output = ()>>(
        &self,
        game: &str,
        ask: impl FnOnce(Vec<Wanted<T>>) -> F,
    ) -> Option<T> {
        let (tell, mut told) = oneshot::channel();
        self.wanted().push((game.into(), tell));
        let _turn = self.turn.lock().await;
        match told.try_recv() {
            Ok(answer) => return Some(answer),
            // The one who asked was cancelled: what he asked for is not asked again.
            Err(TryRecvError::Closed) => return None,
            Err(TryRecvError::Empty) => {}
        }
        let wanted = std::mem::take(&mut *self.wanted());
        if !wanted.is_empty() {
            ask(wanted).await;
        }
        told.await.ok()
    }
}

fn ids<T>(wanted: &[Wanted<T>]) -> Vec<String> {
    wanted.iter().map(|(game, _)| game.clone()).collect()
}

impl Node {
    /// The boot that owns a game, as [`Nodes::owner`] tells it, asked together with all others that are asked for.
    pub async fn owner_of(&self, game: &str) -> Result<Option<i64>, StoreError> {
        let Some(leases) = &self.nodes else {
            return Ok(None);
        };
        let all = |wanted: Vec<Wanted<_>>| async move {
            let owners = leases.owners(&ids(&wanted)).await;
            let owners = owners.map(|all| all.into_iter().collect::<HashMap<_, _>>());
            for (game, tell) in wanted {
                let owner = owners.as_ref().map(|all| all.get(&game).copied());
                // One that does not wait any more needs no answer.
                let _ = tell.send(owner.map_err(StoreError::clone));
            }
        };
        match self.owners.ask(game, all).await {
            Some(owner) => owner,
            None => leases.owner(game).await,
        }
    }

    /// Takes a game that nobody owns, in one transaction with all that were wanted while the last were taken.
    pub async fn take(&self, game: &str) -> Taken {
        let Some(leases) = &self.nodes else {
            return Taken::Unknown;
        };
        let all = |wanted| self.take_all(&**leases, wanted);
        let taken = self.takes.ask(game, all).await;
        taken.unwrap_or(Taken::Unknown)
    }

    /// When a node has died all others want its games at the same moment. Those that another has taken are found out together,
    /// too: each by itself would wait for its turn to be refused.
    async fn take_all(&self, leases: &dyn Nodes, mut wanted: Vec<Wanted<Taken>>) {
        let boot = self.boot();
        for _ in 0..TRIES {
            let Ok(taken) = leases
                .adopt(&ids(&wanted), boot, millis(self.clock.now()))
                .await
            else {
                return;
            };
            let taken: HashSet<String> = taken.into_iter().collect();
            wanted = answered(wanted, |game| taken.contains(game).then_some(Taken::Ours));
            if wanted.is_empty() {
                return;
            }
            let Ok(owners) = leases.owners(&ids(&wanted)).await else {
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
fn answered(
    wanted: Vec<Wanted<Taken>>,
    known: impl Fn(&str) -> Option<Taken>,
) -> Vec<Wanted<Taken>> {
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
