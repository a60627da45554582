//! Who owns a game is asked, and games that nobody owns are taken, many at a time: when a node has died, hundreds are come to at
//! the same moment, again and again until they can be had, and each by itself would wait for the questions of all others.

use super::Node;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use store::nodes::Nodes;
use store::{StoreError, millis};
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

/// A game of which something is asked, and who is told.
type Wanted<T> = (String, oneshot::Sender<T>);

/// What is asked of games, many at a time: while some are asked all others wait, and come next. A task of its own asks, so that
/// nobody waits for one who has something else to do first.
#[derive(Debug)]
pub struct Together<T> {
    waiting: Mutex<Waiting<T>>,
}

#[derive(Debug)]
struct Waiting<T> {
    wanted: Vec<Wanted<T>>,
    /// Whether the task runs, which takes them.
    is_asked: bool,
}

impl<T> Default for Together<T> {
    fn default() -> Together<T> {
        Together {
            waiting: Mutex::new(Waiting {
                wanted: Vec::new(),
                is_asked: false,
            }),
        }
    }
}

impl<T> Together<T> {
    fn waiting(&self) -> MutexGuard<'_, Waiting<T>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a game to those that are asked next, by the task that runs or by one that is to be begun.
    fn is_asked_with(&self, wanted: Wanted<T>) -> bool {
        let mut waiting = self.waiting();
        waiting.wanted.push(wanted);
        std::mem::replace(&mut waiting.is_asked, true)
    }

    /// Asks of a game, with all that came while the last were asked; nothing if it is not known.
    async fn ask<F: Future<Output = ()> + Send>(
        self: &Arc<Self>,
        game: &str,
        ask: impl Fn(Vec<Wanted<T>>) -> F + Send + 'static,
    ) -> Option<T>
    where
        T: Send + 'static,
    {
        let (tell, told) = oneshot::channel();
        if !self.is_asked_with((game.into(), tell)) {
            let asks = Asks(self.clone());
            tokio::spawn(async move {
                while let Some(wanted) = asks.next() {
                    ask(wanted).await;
                }
            });
        }
        told.await.ok()
    }
}

/// The task that asks.
struct Asks<T>(Arc<Together<T>>);

impl<T> Asks<T> {
    /// Those that are asked next, if somebody still waits for one.
    fn next(&self) -> Option<Vec<Wanted<T>>> {
        let mut waiting = self.0.waiting();
        waiting.wanted.retain(|(_, tell)| !tell.is_closed());
        waiting.is_asked = !waiting.wanted.is_empty();
        waiting
            .is_asked
            .then(|| std::mem::take(&mut waiting.wanted))
    }
}

impl<T> Drop for Asks<T> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            // Those who wait do not know, and the next one begins anew.
            let mut waiting = self.0.waiting();
            waiting.is_asked = false;
            waiting.wanted.clear();
        }
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
        let asked = leases.clone();
        let all = move |wanted| tell_owners(asked.clone(), wanted);
        match self.owners.ask(game, all).await {
            Some(owner) => owner,
            None => leases.owner(game).await,
        }
    }

    /// Takes a game that nobody owns, in one transaction with all that were wanted while the last were taken.
    pub async fn take(self: &Arc<Self>, game: &str) -> Taken {
        let node = self.clone();
        let all = move |wanted| node.clone().take_all(wanted);
        let taken = self.takes.ask(game, all).await;
        taken.unwrap_or(Taken::Unknown)
    }

    /// When a node has died all others want its games at the same moment. Those that another has taken are found out together,
    /// too: each by itself would wait for its turn to be refused.
    async fn take_all(self: Arc<Self>, mut wanted: Vec<Wanted<Taken>>) {
        let Some(leases) = &self.nodes else {
            return;
        };
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

async fn tell_owners(leases: Arc<dyn Nodes>, wanted: Vec<Wanted<Result<Option<i64>, StoreError>>>) {
    let owners = leases.owners(&ids(&wanted)).await;
    let owners = owners.map(|all| all.into_iter().collect::<HashMap<_, _>>());
    for (game, tell) in wanted {
        let owner = owners.as_ref().map(|all| all.get(&game).copied());
        // One that does not wait any more needs no answer.
        let _ = tell.send(owner.map_err(StoreError::clone));
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
