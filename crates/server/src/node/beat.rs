//! The heartbeat of a node: on a thread and a connection of its own, so that nothing that keeps the server busy costs it its
//! lease, and nothing that is given up on the way cancels it.

use super::{Members, Node};
use crate::lasting::lasting;
use metrics::{counter, gauge};
use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};
use store::nodes::{Beat, NewNode, NodeRow, Nodes, Sign};
use store::{SqlStore, StoreError, millis};
use tokio::sync::oneshot;

/// How often the lease is extended.
const BEAT: Duration = Duration::from_secs(1);
/// Pause after a heartbeat that was not answered.
const AGAIN: Duration = Duration::from_millis(200);
/// So long after another's lease has ended the next heartbeat finds it over, and not while it ends.
const OVER: Duration = Duration::from_millis(20);

/// What a node says of itself when it arrives.
#[derive(Clone, Debug)]
pub struct Heartbeat {
    /// The node.
    pub node: Arc<Node>,
    /// Where it is found.
    pub address: String,
    /// Number of the server's run.
    pub run: i64,
}

impl Heartbeat {
    /// Arrives for the first time, and beats from then on until the sender of `ends` is gone or speaks.
    pub async fn begin(
        self,
        store: &SqlStore,
        ends: oneshot::Receiver<()>,
    ) -> Result<(), StoreError> {
        let sent = Instant::now();
        let boot = store.arrive(&self.arrival()).await?;
        self.node.arrived(boot, sent);
        // Who else is there is known before anything is done.
        let sent = Instant::now();
        if let Beat::Alive(rows) = store.beat(boot, self.node.sign()).await? {
            self.node.heard_of(boot, rows, sent);
        }
        let store = store.apart();
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build();
        let thread = std::thread::Builder::new().name("heartbeat".into());
        let started = runtime.and_then(|runtime| {
            thread.spawn(move || {
                runtime.block_on(async {
                    tokio::select! {
                        biased;
                        // Once it ends it does not arrive anew.
                        _ = ends => {}
                        () = lasting("heartbeat", || self.beat(&store)) => {}
                    }
                    store.close().await;
                });
            })
        });
        started
            .map(drop)
            .map_err(|error: io::Error| StoreError::Unusable(format!("no heartbeat: {error}")))
    }

    fn arrival(&self) -> NewNode {
        NewNode {
            id: self.node.name.clone(),
            address: self.address.clone(),
            version: env!("CARGO_PKG_VERSION").into(),
            protocol: self.node.protocol,
            run: self.run,
            sign: self.node.sign(),
        }
    }

    /// Beats until another process has the node's name.
    async fn beat(&self, store: &SqlStore) {
        let node = &self.node;
        let mut told = false;
        loop {
            let sent = Instant::now();
            let beaten = self.once(store, sent).await;
            node.unanswered.store(beaten.is_err(), Relaxed);
            match &beaten {
                Ok(true) if told => {
                    told = false;
                    tracing::info!("the database answers the node's heartbeat again");
                }
                Ok(_) => {}
                Err(error) => {
                    counter!("husun_heartbeats_missed_total").increment(1);
                    if !std::mem::replace(&mut told, true) {
                        tracing::error!(%error, "the node's lease is not extended");
                    }
                }
            }
            if *node.replaced.borrow() {
                return;
            }
            let wait = match beaten {
                Ok(true) => BEAT.saturating_sub(sent.elapsed()),
                _ => AGAIN,
            };
            let mut next = tokio::time::Instant::now() + wait;
            // What another had that has died is free when its lease ends: those who wait for it need not wait for a heartbeat.
            if matches!(beaten, Ok(true))
                && let Some(end) = node.first_end()
            {
                let soonest = tokio::time::Instant::now() + OVER;
                next = next.min(soonest.max((end + OVER).into()));
            }
            // A lease that ends before the next heartbeat is noticed when it ends.
            loop {
                let left = node.lease_left();
                let until = match node.boot() {
                    0 => next,
                    _ => next.min(tokio::time::Instant::now() + left),
                };
                tokio::select! {
                    () = tokio::time::sleep_until(until) => {}
                    () = node.nudge.notified() => next = tokio::time::Instant::now(),
                }
                self.notice_end();
                if tokio::time::Instant::now() >= next {
                    break;
                }
            }
        }
    }

    /// Drops what the node owned if its lease may be over.
    fn notice_end(&self) {
        let node = &self.node;
        if node.boot() != 0 && node.lease_left() == Duration::ZERO {
            tracing::error!(
                boot = node.boot(),
                "the node's lease is over: its games are given up"
            );
            counter!("husun_leases_lost_total").increment(1);
            node.lose();
        }
    }

    /// One heartbeat, or an arrival where there is no lease; whether it was answered. It is given up when the next is due.
    async fn once(&self, store: &SqlStore, sent: Instant) -> Result<bool, StoreError> {
        let node = &self.node;
        let late = || StoreError::Unavailable("the database does not answer in time".into());
        let boot = node.boot();
        if boot == 0 {
            let arrival = self.arrival();
            let arrived = tokio::time::timeout(BEAT, store.arrive(&arrival)).await;
            let boot = arrived.map_err(|_| late())??;
            tracing::info!(boot, "the node has arrived anew");
            node.arrived(boot, sent);
            return Ok(true);
        }
        let beaten = store.beat(boot, node.sign());
        let beaten = match tokio::time::timeout(BEAT, beaten).await {
            Ok(beaten) => beaten,
            Err(_) => {
                self.notice_end();
                return Err(late());
            }
        };
        match beaten {
            Ok(Beat::Alive(rows)) => {
                node.heard_of(boot, rows, sent);
                // It may have been stopped for longer than its lease runs.
                self.notice_end();
                Ok(true)
            }
            Ok(Beat::Lost) => {
                tracing::error!(boot, "the node's lease was over: its games are given up");
                counter!("husun_leases_lost_total").increment(1);
                node.lose();
                Ok(false)
            }
            Ok(Beat::Replaced) => {
                node.lose();
                node.replaced.send_replace(true);
                Ok(false)
            }
            Err(error) => {
                self.notice_end();
                Err(error)
            }
        }
    }
}

impl Node {
    fn sign(&self) -> Sign {
        Sign {
            run_ms: millis(self.clock.now()),
            load: self.load.load(Relaxed),
            leaving: self.wants_none(),
            lease_ms: millis(self.lease),
        }
    }

    /// Has a new lease, and knows of nobody else yet.
    fn arrived(&self, boot: i64, sent: Instant) {
        let mut heard = self.heard();
        heard.until = Some(sent + self.lease);
        self.took.store(false, Relaxed);
        // Nobody leads before it has heard who else is there.
        heard.rows = Arc::default();
        drop(heard);
        self.members.send_modify(|members| {
            let mut alive = members.alive.clone();
            alive.retain(|(other, _)| *other != boot);
            alive.push((boot, false));
            *members = Arc::new(Members { boot, alive });
        });
        self.nudge.notify_one();
    }

    fn heard_of(&self, boot: i64, rows: Vec<NodeRow>, sent: Instant) {
        let mut heard = self.heard();
        heard.until = Some(sent + self.lease);
        heard.at = Some(Instant::now());
        heard.given.clear();
        let was_leaving = |rows: &[NodeRow]| rows.iter().any(|r| r.boot == boot && r.leaving);
        if was_leaving(&heard.rows) && !was_leaving(&rows) {
            // Others believe that they lead until they have heard of it.
            heard.leads_from = Some(Instant::now() + self.lease);
        }
        let alive = rows.iter().map(|row| (row.boot, row.leaving)).collect();
        heard.rows = rows.into();
        drop(heard);
        gauge!("husun_nodes").set(self.alive().len() as f64);
        let now = Members { boot, alive };
        self.members.send_if_modified(|members| {
            let changes = **members != now;
            if changes {
                *members = Arc::new(now);
            }
            changes
        });
    }
}

/// Used by those who make a node for tests.
#[cfg(test)]
impl Node {
    pub(crate) fn hear(&self, boot: i64, rows: Vec<NodeRow>, sent: Instant) {
        self.heard_of(boot, rows, sent);
    }
}
