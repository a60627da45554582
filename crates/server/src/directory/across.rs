//! Games of several nodes: who owns a game is asked of storage, and its owner is asked over the bus to take it into memory.
//! New games are made at the node that has least to do.

use super::make::Making;
use super::{Directory, Failure, Payer};
use crate::node::Taken;
use crate::refusal::{Reason, Refused, refused};
use crate::services::Services;
use crate::slow::watched;
use crate::task::messages::{Ask, asked_at};
use crate::task::{Command, Handle};
use bus::BusError;
use bytes::Bytes;
use futures_util::StreamExt;
use metrics::{counter, histogram};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::time::{Duration, Instant};
use store::nodes::{Claimed, Nodes, Since};
use store::{StoredGame, millis};
use tokio::sync::oneshot;
use tokio::time::sleep;

/// Questions that may wait for a node.
const QUEUE: usize = 1024;
/// Longest wait for another node's answer: it may have to wait for the storage.
const PATIENCE: Duration = Duration::from_secs(10);
/// How often an owner is looked for anew, and the pause between.
const TRIES: u32 = 4;
const AGAIN: Duration = Duration::from_millis(50);
/// How often a node looks how the others are, and how long it waits for their answer.
const LOOK: Duration = Duration::from_millis(300);
/// Games that are handed over at once.
const AT_ONCE: usize = 8;
/// How long a game stays in memory that another node wants, until it is come to.
const HELD: Duration = Duration::from_secs(5);

/// Where a game lives.
#[derive(Debug)]
pub enum Place {
    /// Here, for as long as the handle is held.
    Here(Handle),
    /// At the node with this boot.
    There(i64),
}

impl Place {
    /// Boot of its owner.
    pub fn owner(&self) -> i64 {
        match self {
            Place::Here(handle) => handle.owner,
            Place::There(boot) => *boot,
        }
    }

    /// What holds it in memory, if it lives here.
    pub fn here(self) -> Option<Handle> {
        match self {
            Place::Here(handle) => Some(handle),
            Place::There(_) => None,
        }
    }
}

/// What one node asks of another.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "ask", rename_all = "snake_case")]
enum NodeAsk {
    /// To take a game into memory.
    Wake {
        /// Its id.
        game: String,
        /// Whether somebody comes to it: then it must have room. What is handed over or due is taken anyway.
        #[serde(default)]
        visited: bool,
    },
    /// Whether it has a lease.
    Well,
    /// To end the lease of the one who asks, who cannot reach the storage.
    Leave {
        /// Its boot.
        boot: i64,
    },
    /// To make a game.
    Make(Box<Making>),
}

/// What it is answered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "answer", rename_all = "snake_case")]
enum NodeAnswer {
    /// It is done.
    Done,
    /// There is no such game.
    NoSuchGame,
    /// Another node owns the game.
    NotMine,
    /// It is refused.
    Refused {
        /// The reason's word.
        code: String,
        /// What people are told.
        message: String,
    },
}

impl NodeAnswer {
    fn refused(refused: Refused) -> NodeAnswer {
        NodeAnswer::Refused {
            code: refused.reason.code().into(),
            message: refused.message,
        }
    }
}

/// Who pays for what was paid for at another node.
fn payer_of(visited: bool) -> Payer<'static> {
    match visited {
        true => Payer::Elsewhere,
        false => Payer::Server,
    }
}

/// Where a node is asked.
fn node_at(boot: i64) -> String {
    format!("node.{boot}")
}

fn looks_for_owner() -> Refused {
    refused(
        Reason::Busy,
        "the game moves to another part of the server; try again in a moment",
    )
}

impl Directory {
    /// Where a game lives, after it was brought to life if it was not live: here if nobody owned it.
    pub async fn find(&self, id: &str, payer: Payer<'_>) -> Result<Option<Place>, Refused> {
        let mut payer = payer;
        let visited = !matches!(payer, Payer::Server);
        for _ in 0..TRIES {
            let owner = match self.here(id, payer).await {
                Ok(handle) => return Ok(handle.map(Place::Here)),
                Err(Failure::Refused(refused)) => return Err(refused),
                Err(Failure::NoSuchGame) => return Ok(None),
                Err(Failure::Of(boot)) => boot,
            };
            // It was paid for.
            payer = payer_of(visited);
            let game = id.into();
            let ask = NodeAsk::Wake { game, visited };
            match self.ask_node(owner, &ask).await {
                Ok(NodeAnswer::Done) => return Ok(Some(Place::There(owner))),
                Ok(NodeAnswer::NoSuchGame) => return Ok(None),
                Ok(NodeAnswer::Refused { code, message }) => {
                    return Err(refused(Reason::of(&code), message));
                }
                // Its owner goes, or has just gone.
                Ok(NodeAnswer::NotMine) | Err(_) => sleep(AGAIN).await,
            }
        }
        Err(looks_for_owner())
    }

    /// Asks a game something that it answers when what follows is stored, wherever it lives; nothing if there is no such
    /// game. If it is refused for the moment, it may have been done.
    pub async fn ask_game(&self, id: &str, ask: &Ask) -> Result<Option<Bytes>, Refused> {
        let Some(_place) = self.find(id, Payer::Server).await? else {
            return Ok(None);
        };
        let busy = || refused(Reason::Busy, "a game does not answer");
        let message = serde_json::to_vec(ask).map_err(|_| busy())?;
        let bus = &self.services().bus;
        let answer = bus.request(&asked_at(id), message.into(), PATIENCE).await;
        answer.map(Some).map_err(|_| busy())
    }

    async fn ask_node(&self, boot: i64, ask: &NodeAsk) -> Result<NodeAnswer, BusError> {
        let message = serde_json::to_vec(ask).map_err(|_| BusError::Nobody)?;
        let bus = &self.services().bus;
        let mut members = self.services().node.members();
        let subject = node_at(boot);
        let answer = tokio::select! {
            answer = bus.request(&subject, message.into(), PATIENCE) => answer?,
            // One that has gone does not answer any more.
            _ = members.wait_for(|members| !members.has(boot)) => return Err(BusError::Gone),
        };
        serde_json::from_slice(&answer).map_err(|_| BusError::Gone)
    }

    /// While this node has no lease, asks whether others have one, for as long as the server runs. While it has one but cannot
    /// reach the storage, it has others end it: its players need not wait for its end. It ends those of nodes that have died.
    pub async fn look_at_others(self) {
        let node = self.services().node.clone();
        if node.is_alone() {
            return;
        }
        loop {
            sleep(LOOK).await;
            if node.is_unanswered() {
                self.leave_by_others().await;
            }
            if node.has_lease() {
                node.set_stranded(false);
                self.bury_the_dead().await;
                continue;
            }
            let asks = self.others().into_iter();
            let asks = asks.map(|other| self.is_done(other, &NodeAsk::Well, LOOK));
            let well = futures_util::future::join_all(asks).await;
            node.set_stranded(well.contains(&true));
        }
    }

    /// Ends the leases of nodes that give no sign any more, neither to the storage nor to this one: their players need not wait for
    /// their end. One that has merely stopped drops its games when it goes on.
    async fn bury_the_dead(&self) {
        let services = self.services();
        for boot in services.node.silent_others() {
            if services.node.is_cut_off() || self.hear(boot, &NodeAsk::Well, LOOK).await.is_some() {
                continue;
            }
            match services.node.end_of_another(boot).await {
                Ok(true) => {
                    tracing::warn!(boot, "a node gives no sign any more: its lease is ended");
                    counter!("husun_leases_of_others_ended_total").increment(1);
                }
                Ok(false) => {}
                Err(error) => tracing::warn!(boot, %error, "a silent node's lease cannot be ended"),
            }
        }
    }

    /// The boots of the other nodes that are known.
    fn others(&self) -> Vec<i64> {
        let node = &self.services().node;
        let (name, alive) = (node.name(), node.alive());
        let others = alive.iter().filter(|row| row.id != name);
        others.map(|row| row.boot).collect()
    }

    /// What another node answers within a time.
    async fn hear(&self, other: i64, ask: &NodeAsk, within: Duration) -> Option<Bytes> {
        let message = serde_json::to_vec(ask).ok()?;
        let (bus, subject) = (&self.services().bus, node_at(other));
        bus.request(&subject, message.into(), within).await.ok()
    }

    /// Whether another node does something within a time.
    async fn is_done(&self, other: i64, ask: &NodeAsk, within: Duration) -> bool {
        let answer = self.hear(other, ask, within).await;
        let answer = answer.map(|answer| serde_json::from_slice(&answer));
        matches!(answer, Some(Ok(NodeAnswer::Done)))
    }

    /// Has another node end this one's lease, unless a heartbeat has come after all. The storage refuses what this one may still write
    /// from then on; where the others cannot reach the storage either, nothing happens.
    async fn leave_by_others(&self) {
        let services = self.services();
        let node = &services.node;
        let boot = node.boot();
        let leave = NodeAsk::Leave { boot };
        let mut ended = false;
        // The last ones learn of it.
        let others = self.others();
        for (left, other) in (1..=others.len() as u32).rev().zip(others) {
            // One that has stopped leaves time for the next.
            let within = match ended {
                false => node.lease_left() / left,
                true => LOOK,
            };
            if self.is_done(other, &leave, within).await && !ended {
                ended = true;
                tracing::error!(
                    boot,
                    "the database can be reached by other nodes alone: all games are given up"
                );
                counter!("husun_leases_given_up_total").increment(1);
                // Known first, so that sockets which hear of the end go at once.
                node.set_stranded(true);
                node.was_ended(boot);
            }
        }
    }

    /// Answers what other nodes ask, for as long as the server runs.
    pub async fn serve_nodes(self) {
        let services = self.services().clone();
        if services.node.is_alone() {
            return;
        }
        let mut members = services.node.members();
        loop {
            let boot = members.borrow_and_update().boot;
            let served = match boot {
                0 => None,
                boot => services.bus.serve(&node_at(boot), QUEUE).await.ok(),
            };
            if boot != 0 && served.is_none() {
                sleep(AGAIN).await;
                continue;
            }
            let asked = async {
                let Some(mut requests) = served else {
                    return std::future::pending().await;
                };
                while let Some(request) = requests.next().await {
                    let directory = self.clone();
                    let answers = async move {
                        let Ok(ask) = serde_json::from_slice(&request.message) else {
                            return tracing::warn!("no question to a node");
                        };
                        let answer = directory.asked_by_node(ask).await;
                        request.answer(serde_json::to_vec(&answer).unwrap_or_default().into());
                    };
                    tokio::spawn(watched("asked", answers));
                }
            };
            tokio::select! {
                () = asked => {}
                changed = members.wait_for(|members| members.boot != boot) => {
                    if changed.is_err() {
                        return;
                    }
                }
            }
        }
    }

    /// Gives all games that live here to other nodes, each to the one that has least to do, a few at a time: each stops for a
    /// moment. What cannot be given stays.
    pub async fn hand_over_all(&self) {
        let start = Instant::now();
        let games: Vec<String> = self.games().keys().cloned().collect();
        let took: Vec<Option<Duration>> = futures_util::stream::iter(games)
            .map(|game| async move {
                let node = &self.services().node;
                let to = node.heir();
                if to == node.boot() {
                    return None;
                }
                self.hand_over(&game, to).await
            })
            .buffer_unordered(AT_ONCE)
            .collect()
            .await;
        let all = took.len();
        let mut took: Vec<Duration> = took.into_iter().flatten().collect();
        took.sort_unstable();
        if let (Some(longest), Some(median)) = (took.last(), took.get(took.len() / 2)) {
            let (given, all_took) = (took.len(), start.elapsed());
            tracing::info!(
                given,
                of = all,
                ?median,
                ?longest,
                ?all_took,
                "games were handed over"
            );
        }
    }

    /// Gives a game to a node; how long the game stood still, if it was given.
    async fn hand_over(&self, game: &str, to: i64) -> Option<Duration> {
        let start = Instant::now();
        let handle = self.find_live(game)?;
        let (done, given) = oneshot::channel();
        let command = Box::new(Command::HandOver { to, done });
        handle.commands.send(command).await.ok()?;
        drop(handle);
        if given.await != Ok(true) {
            return None;
        }
        counter!("husun_games_handed_over_total").increment(1);
        let ask = NodeAsk::Wake {
            game: game.into(),
            visited: false,
        };
        // If it does not take it now it does when somebody comes.
        let _ = self.ask_node(to, &ask).await;
        let took = start.elapsed();
        histogram!("husun_hand_over_seconds").record(took.as_secs_f64());
        tracing::debug!(game, to, ?took, "handed over");
        Some(took)
    }

    async fn asked_by_node(&self, ask: NodeAsk) -> NodeAnswer {
        match ask {
            NodeAsk::Wake { game, visited } => match self.here(&game, payer_of(visited)).await {
                Ok(Some(handle)) => {
                    tokio::spawn(async move {
                        sleep(HELD).await;
                        drop(handle);
                    });
                    NodeAnswer::Done
                }
                Ok(None) | Err(Failure::NoSuchGame) => NodeAnswer::NoSuchGame,
                Err(Failure::Of(_)) => NodeAnswer::NotMine,
                Err(Failure::Refused(refused)) => NodeAnswer::refused(refused),
            },
            NodeAsk::Well => match self.services().node.has_lease() {
                true => NodeAnswer::Done,
                false => NodeAnswer::refused(looks_for_owner()),
            },
            NodeAsk::Leave { boot } => match self.services().node.end_of_another(boot).await {
                Ok(true) => NodeAnswer::Done,
                Ok(false) => NodeAnswer::NotMine,
                Err(error) => NodeAnswer::refused(error.into()),
            },
            NodeAsk::Make(making) => match self.make_here(&making).await {
                Ok(()) => NodeAnswer::Done,
                Err(refused) => NodeAnswer::refused(refused),
            },
        }
    }

    /// Makes a game at the node that has least to do. If that does not answer it is made here, unless it was made there.
    pub(super) async fn make_somewhere(&self, making: Making) -> Result<(), Refused> {
        let services = self.services();
        let owner = services.node.least_busy();
        if services.node.is_alone() || owner == services.node.boot() {
            return self.make_here(&making).await;
        }
        let id = making.id.clone();
        let ask = NodeAsk::Make(Box::new(making));
        let answer = self.ask_node(owner, &ask).await;
        match answer {
            Ok(NodeAnswer::Done) => return Ok(()),
            Ok(NodeAnswer::Refused { code, message }) => {
                return Err(refused(Reason::of(&code), message));
            }
            Ok(_) | Err(_) => {}
        }
        if services.store.load(&id).await?.is_some() {
            return Ok(());
        }
        let NodeAsk::Make(making) = ask else {
            return Err(looks_for_owner());
        };
        match self.make_here(&making).await {
            // It has come late.
            Err(_) if services.store.load(&id).await?.is_some() => Ok(()),
            made => made,
        }
    }
}

/// The game as its owner has it: this node takes it if nobody else owns it.
pub(super) async fn own(services: &Services, id: &str) -> Result<StoredGame, Failure> {
    services.while_leased(own_it(services, id)).await
}

async fn own_it(services: &Services, id: &str) -> Result<StoredGame, Failure> {
    let boot = services.node.boot();
    if !services.node.has_lease() {
        return Err(looks_for_owner().into());
    }
    let Some(leases) = services.node.leases() else {
        return services.store.load(id).await?.ok_or(Failure::NoSuchGame);
    };
    // Many come at once, and again and again, to the games of one that has just died: none is read until it can be had.
    let owner = services.node.owner_of(id).await?;
    let owner = owner.ok_or(Failure::NoSuchGame)?;
    services.node.took_game();
    if owner == boot {
        let stored = services.store.load(id).await?.ok_or(Failure::NoSuchGame)?;
        // Nobody else writes to a game of ours, so nothing is missing. The time of one that was handed over stands still until
        // it is claimed.
        if stored.owner == boot && !matches!(stored.since, Some(Since::Still(_))) {
            return Ok(stored);
        }
    } else if services.node.surely_lives(owner) {
        return Err(Failure::Of(owner));
    } else if !services.node.takes_games() {
        let others: Arc<[_]> = services.node.alive();
        return Err(match others.iter().any(|row| row.boot == owner) {
            true => Failure::Of(owner),
            false => looks_for_owner().into(),
        });
    }
    let taken = match owner == boot {
        true => Taken::Unknown,
        false => services.node.take(id).await,
    };
    match taken {
        Taken::Ours => {}
        Taken::Of(other) => return Err(Failure::Of(other)),
        Taken::Unknown => claim(services, leases.as_ref(), id, boot).await?,
    }
    match services.store.load(id).await? {
        Some(stored) if stored.owner == boot => Ok(stored),
        Some(_) => Err(looks_for_owner().into()),
        None => Err(Failure::NoSuchGame),
    }
}

async fn claim(
    services: &Services,
    leases: &dyn Nodes,
    id: &str,
    boot: i64,
) -> Result<(), Failure> {
    let now_ms = millis(services.clock.now());
    match leases.claim(id, boot, now_ms).await? {
        Claimed::Yours { .. } => Ok(()),
        Claimed::Of { boot, .. } => Err(Failure::Of(boot)),
        Claimed::NoSuchGame => Err(Failure::NoSuchGame),
        Claimed::Beyond { .. } | Claimed::Lost => Err(looks_for_owner().into()),
    }
}

#[cfg(test)]
#[test]
fn messages_are_understood_as_they_were_ever_sent() {
    use crate::forms::keep;
    keep::<NodeAsk>(
        include_str!("../../tests/data/messages/node-asks.jsonl"),
        Some("ask"),
    );
    keep::<NodeAnswer>(
        include_str!("../../tests/data/messages/node-answers.jsonl"),
        Some("answer"),
    );
}
