//! This server as one of several nodes, or as the only one: its lease, which its heartbeat extends, the nodes that are alive,
//! and which of them leads. Which games it owns is the directory's.

mod beat;
mod speaks;
mod take;
#[cfg(test)]
mod tests;

pub use beat::Heartbeat;
pub use speaks::{PROTOCOL, speaking};
pub use take::Taken;

use crate::clock::ServerClock;
use crate::config::NodeConfig;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use store::nodes::{NodeRow, Nodes};
use store::{SqlStore, StoreError, millis};
use tokio::sync::{Notify, watch};

/// Who is there. Told anew when that changes, not with every heartbeat.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Members {
    /// Boot of this node; 0 where a server runs alone, and while the node has no lease.
    pub boot: i64,
    /// Boots of the nodes that are alive, with whether each is about to end, in order.
    pub alive: Vec<(i64, bool)>,
}

impl Members {
    /// Whether a node is alive.
    pub fn has(&self, boot: i64) -> bool {
        self.alive.iter().any(|(alive, _)| *alive == boot)
    }
}

/// What the last heartbeat was answered.
#[derive(Debug, Default)]
struct Heard {
    rows: Arc<[NodeRow]>,
    /// When the answer came.
    at: Option<Instant>,
    /// Until when the lease surely runs.
    until: Option<Instant>,
    /// Not before this the node leads again, after it wanted no games for a while.
    leads_from: Option<Instant>,
    /// Games that were given to others since.
    given: HashMap<i64, i64>,
}

/// For how long a node's lease still ran when it was told.
fn left(row: &NodeRow) -> Duration {
    Duration::from_millis(row.left_ms.try_into().unwrap_or_default())
}

/// A node from which no heartbeat has come for so long has its lease ended by others, if they can and it does not answer them, or
/// asks for it itself.
const UNANSWERED: Duration = Duration::from_millis(1600);

/// This server as a node.
#[derive(Debug)]
pub struct Node {
    /// The nodes' leases; nothing where a server runs alone.
    nodes: Option<Arc<dyn Nodes>>,
    name: String,
    /// What it speaks.
    protocol: i64,
    lease: Duration,
    clock: ServerClock,
    members: watch::Sender<Arc<Members>>,
    heard: Mutex<Heard>,
    /// How many games live here.
    load: AtomicI64,
    /// Whether it is about to end.
    ending: AtomicBool,
    /// Whether it cannot speak with the others: then it wants no games either.
    cut_off: AtomicBool,
    /// Whether it has no lease while others have.
    stranded: AtomicBool,
    /// Whether its last heartbeat was not answered.
    unanswered: AtomicBool,
    /// Whether it has owned a game since it arrived.
    took: AtomicBool,
    /// Another process has its name.
    replaced: watch::Sender<bool>,
    nudge: Notify,
    takes: Arc<take::Together<Taken>>,
    owners: Arc<take::Together<Result<Option<i64>, StoreError>>>,
}

impl Node {
    /// A server that runs alone.
    pub fn alone(clock: ServerClock) -> Node {
        Node::new(None, String::new(), PROTOCOL, Duration::ZERO, clock)
    }

    /// One of several nodes, which has no lease yet.
    pub fn among(store: &SqlStore, settings: &NodeConfig, clock: ServerClock) -> Node {
        let nodes: Arc<dyn Nodes> = Arc::new(store.clone());
        let lease = Duration::from_secs(settings.lease_seconds.into());
        let name = settings.name.clone();
        Node::new(Some(nodes), name, settings.protocol, lease, clock)
    }

    fn new(
        nodes: Option<Arc<dyn Nodes>>,
        name: String,
        protocol: i64,
        lease: Duration,
        clock: ServerClock,
    ) -> Node {
        Node {
            nodes,
            name,
            protocol,
            lease,
            clock,
            members: watch::Sender::new(Arc::default()),
            heard: Mutex::default(),
            load: AtomicI64::new(0),
            ending: AtomicBool::new(false),
            cut_off: AtomicBool::new(false),
            stranded: AtomicBool::new(false),
            unanswered: AtomicBool::new(false),
            took: AtomicBool::new(false),
            replaced: watch::Sender::new(false),
            nudge: Notify::new(),
            takes: Arc::default(),
            owners: Arc::default(),
        }
    }

    fn heard(&self) -> MutexGuard<'_, Heard> {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the server runs alone: it owns all games, and nobody else uses its database.
    pub fn is_alone(&self) -> bool {
        self.nodes.is_none()
    }

    /// Boot of the node: what it owns games and writes by. 0 where a server runs alone, and for a node that has no lease,
    /// which owns nothing ([`Node::has_lease`] tells these apart).
    pub fn boot(&self) -> i64 {
        self.members.borrow().boot
    }

    /// Whether it may own games: it runs alone, or its lease surely runs.
    pub fn has_lease(&self) -> bool {
        self.is_alone() || self.boot() != 0 && self.lease_left() > Duration::ZERO
    }

    /// When the lease of the first of the others is over that is not known to be extended; nothing while nobody else is known.
    pub fn first_end(&self) -> Option<Instant> {
        let boot = self.boot();
        let heard = self.heard();
        let at = heard.at?;
        let others = heard.rows.iter().filter(|row| row.boot != boot);
        others.map(|row| at + left(row)).min()
    }

    /// For how long the lease surely runs, by this machine's clock from when the heartbeat was sent.
    pub fn lease_left(&self) -> Duration {
        let until = self.heard().until;
        until.map_or(Duration::ZERO, |until| {
            until.saturating_duration_since(Instant::now())
        })
    }

    /// What comes of something, or nothing if the lease is over before: a node without one has no use for what it still waits for.
    pub async fn while_leased<T>(&self, doing: impl Future<Output = T>) -> Option<T> {
        let over = async {
            match self.is_alone() {
                true => std::future::pending().await,
                false => {
                    let mut members = self.members();
                    while self.has_lease() {
                        tokio::select! {
                            () = tokio::time::sleep(self.lease_left()) => {}
                            // It may be ended before its time.
                            _ = members.changed() => {}
                        }
                    }
                }
            }
        };
        tokio::select! {
            biased;
            done = doing => Some(done),
            () = over => None,
        }
    }

    /// Its name among the nodes; empty where a server runs alone.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// All nodes that are alive, as the last heartbeat was told, by their boots; nobody where a server runs alone.
    pub fn alive(&self) -> Arc<[NodeRow]> {
        self.heard().rows.clone()
    }

    /// Who is there, told anew when somebody comes or goes, or when the node's own boot changes.
    pub fn members(&self) -> watch::Receiver<Arc<Members>> {
        self.members.subscribe()
    }

    /// Whether this node is the one that does what must be done once for all of them: of those that are alive and do not
    /// end, the one that came first. Two may lead at no moment; for some seconds after a node has died nobody may. What
    /// leads looks again before each step, and what is stored must not depend on it alone.
    pub fn leads(&self) -> bool {
        if self.is_alone() {
            return true;
        }
        let boot = self.boot();
        let heard = self.heard();
        let now = Instant::now();
        // Others end a lease as soon as no heartbeat has come for so long, and one of them leads then.
        let sure = UNANSWERED.min(self.lease);
        let runs = heard
            .until
            .is_some_and(|until| now + self.lease < until + sure);
        let waits = heard.leads_from.is_some_and(|from| now < from);
        if boot == 0 || !runs || waits || self.wants_none() {
            return false;
        }
        let mut rows = heard.rows.iter().filter(|row| !row.leaving);
        rows.next().is_some_and(|row| row.boot == boot)
    }

    /// Whether it may take games that nobody owns. One that is cut off from the others does not, unless all are.
    pub fn takes_games(&self) -> bool {
        let cut = self.is_cut_off() && self.others_stay();
        self.has_lease() && !self.ending.load(Relaxed) && !cut
    }

    /// Whether there are other nodes that take games.
    pub fn others_stay(&self) -> bool {
        let boot = self.boot();
        let heard = self.heard();
        let mut others = heard.rows.iter().filter(|row| row.boot != boot);
        others.any(|row| !row.leaving)
    }

    /// Has the next heartbeat come at once, to know what the others say now; the time of asking.
    pub fn ask_of_others(&self) -> Instant {
        let asked = Instant::now();
        self.nudge.notify_one();
        asked
    }

    /// Whether a heartbeat that was sent at that time or later has told of the others.
    pub fn heard_since(&self, asked: Instant) -> bool {
        let until = self.heard().until;
        until.is_some_and(|until| until >= asked + self.lease)
    }

    /// How many nodes take games, this one among them.
    pub fn takers(&self) -> usize {
        let heard = self.heard();
        let takers = heard.rows.iter().filter(|row| !row.leaving);
        takers.count().max(1)
    }

    /// Whether it has taken any game since it arrived, as far as it knows.
    pub fn owns_something(&self) -> bool {
        self.has_lease() && self.took.load(Relaxed)
    }

    /// Takes note that it owns a game.
    pub fn took_game(&self) {
        self.took.store(true, Relaxed);
    }

    /// Whether the node should rather have its sockets come again at another one, for it has no lease and others have.
    pub fn is_stranded(&self) -> bool {
        self.stranded.load(Relaxed) && !self.has_lease()
    }

    /// Takes note of whether others have leases while it has none.
    pub fn set_stranded(&self, stranded: bool) {
        self.stranded.store(stranded, Relaxed);
    }

    /// Whether it still has its lease, but its database has not answered for so long that others do better with its games.
    pub fn is_unanswered(&self) -> bool {
        let since = self.lease.saturating_sub(self.lease_left());
        !self.is_alone() && self.unanswered.load(Relaxed) && self.has_lease() && since > UNANSWERED
    }

    /// Takes note that the lease of this boot was ended for it: what it owned is others'.
    pub fn was_ended(&self, boot: i64) {
        if self.boot() == boot {
            self.lose();
        }
    }

    /// The others whose heartbeats have not come for so long that they may have died.
    pub fn silent_others(&self) -> Vec<i64> {
        let (boot, most) = (self.boot(), self.lease.saturating_sub(UNANSWERED));
        let heard = self.heard();
        let Some(at) = heard.at else {
            return Vec::new();
        };
        let others = heard.rows.iter().filter(|row| row.boot != boot);
        let silent = others.filter(|row| {
            let now = left(row).saturating_sub(at.elapsed());
            now > Duration::ZERO && now < most
        });
        silent.map(|row| row.boot).collect()
    }

    /// Ends the lease of another node, unless a heartbeat of it has come lately; whether it is over.
    pub async fn end_of_another(&self, boot: i64) -> Result<bool, StoreError> {
        let Some(nodes) = self.nodes.as_ref().filter(|_| self.has_lease()) else {
            return Ok(false);
        };
        let most = millis(self.lease.saturating_sub(UNANSWERED));
        let over = nodes.expire(boot, most).await?;
        if over {
            // Whoever waits for its games learns of it.
            self.nudge.notify_one();
        }
        Ok(over)
    }

    /// Who keeps the leases; nobody where a server runs alone.
    pub fn leases(&self) -> Option<&Arc<dyn Nodes>> {
        self.nodes.as_ref()
    }

    /// The time of another node now, as far as its last sign tells.
    pub fn time_of(&self, boot: i64) -> Option<Duration> {
        let heard = self.heard();
        let row = heard.rows.iter().find(|row| row.boot == boot)?;
        let lease_ms = i64::try_from(self.lease.as_millis()).unwrap_or(i64::MAX);
        // Its sign is as old as its lease has gone, if its leases are as long as ours.
        let old = (lease_ms - row.left_ms).clamp(0, lease_ms);
        let ms = u64::try_from(row.run_ms + old).unwrap_or_default();
        Some(Duration::from_millis(ms) + heard.at?.elapsed())
    }

    /// Whether another node's lease runs for all that is known here: nobody can have what it owns.
    pub fn surely_lives(&self, boot: i64) -> bool {
        let heard = self.heard();
        let (row, at) = (heard.rows.iter().find(|row| row.boot == boot), heard.at);
        row.zip(at)
            .is_some_and(|(row, at)| at.elapsed() < left(row))
    }

    /// What it speaks.
    pub fn protocol(&self) -> i64 {
        self.protocol
    }

    /// Whether nodes are there that speak otherwise: then there are games that only those can have.
    pub fn is_among_others(&self) -> bool {
        let heard = self.heard();
        heard.rows.iter().any(|row| row.protocol != self.protocol)
    }

    /// The node that has least to do, to which a new game goes; itself if others have as much.
    pub fn least_busy(&self) -> i64 {
        self.least_busy_of(|row| row.protocol == self.protocol)
    }

    /// The node that has least to do of those that can go on with this one's games; itself if there is no other.
    pub fn heir(&self) -> i64 {
        self.least_busy_of(|row| row.protocol >= self.protocol)
    }

    fn least_busy_of(&self, fits: impl Fn(&NodeRow) -> bool) -> i64 {
        let own = self.boot();
        let mut heard = self.heard();
        let load = |row: &NodeRow| row.load + heard.given.get(&row.boot).copied().unwrap_or(0);
        let rows = heard.rows.iter();
        let rows = rows.filter(|row| !row.leaving && fits(row));
        let least = rows.min_by_key(|row| (load(row), row.boot != own));
        let boot = least.map_or(own, |row| row.boot);
        *heard.given.entry(boot).or_default() += 1;
        boot
    }

    /// Takes note of how many games live here.
    pub fn set_load(&self, games: usize) {
        self.load
            .store(i64::try_from(games).unwrap_or(i64::MAX), Relaxed);
    }

    /// Wants no more games: the node is about to end. Others are told at once.
    pub fn end(&self) {
        self.ending.store(true, Relaxed);
        self.nudge.notify_one();
    }

    /// Takes note of whether it can speak with the others. While it cannot it wants no games.
    pub fn set_cut_off(&self, cut_off: bool) {
        if self.cut_off.swap(cut_off, Relaxed) != cut_off {
            self.nudge.notify_one();
        }
    }

    /// Whether it cannot speak with the others.
    pub fn is_cut_off(&self) -> bool {
        self.cut_off.load(Relaxed)
    }

    fn wants_none(&self) -> bool {
        self.ending.load(Relaxed) || self.is_cut_off()
    }

    /// Waits until another process has taken this node's name; for ever where a server runs alone.
    pub async fn replaced(&self) {
        let mut replaced = self.replaced.subscribe();
        if replaced.wait_for(|replaced| *replaced).await.is_err() {
            std::future::pending::<()>().await;
        }
    }

    /// Ends the lease with all that the node still owns: others may have it at once.
    pub async fn leave(&self) -> Result<(), StoreError> {
        let (Some(nodes), boot) = (&self.nodes, self.boot()) else {
            return Ok(());
        };
        self.lose();
        match boot {
            0 => Ok(()),
            boot => nodes.leave(boot, millis(self.clock.now())).await,
        }
    }

    /// Whatever the node owned may be another's.
    fn lose(&self) {
        self.heard().until = None;
        self.members.send_if_modified(|members| {
            let had = members.boot != 0;
            if had {
                *members = Arc::new(Members {
                    boot: 0,
                    alive: members.alive.clone(),
                });
            }
            had
        });
    }
}
