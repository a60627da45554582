//! Opens what a server works with: the storage, a run in it, and, where it is one of several nodes, the way to the others and
//! its lease.

use super::ServeError;
use crate::clock::{ServerClock, TimeNote};
use crate::config::{Config, NodeConfig};
use crate::http::gate::Gate;
use crate::node::{Heartbeat, Node, speaking};
use crate::services::wall_ms;
use bus::{Bus, Health, LocalBus, NatsBus, NatsError, NatsOptions};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};
use store::{Mode, RunRow, SqlStore, Store, StoreError};
use tokio::sync::oneshot;

/// Pause between attempts to open a storage that is out of order.
const AGAIN: Duration = Duration::from_millis(500);
/// How long a database that another server uses is waited for: one that is just ending.
const HANDOVER: Duration = Duration::from_secs(3);

/// What a server works with.
pub(super) struct Opened {
    pub store: SqlStore,
    pub run: i64,
    pub counted_from: i64,
    pub clock: ServerClock,
    pub node: Arc<Node>,
    pub bus: Arc<dyn Bus>,
    /// `bus`, where it goes to other nodes.
    pub nats: Option<Arc<NatsBus>>,
    /// The heartbeat stops when this is dropped.
    pub heartbeat: Option<oneshot::Sender<()>>,
}

/// What all nodes must have in common: the name of its file, and what it is known by.
pub(super) type Fingerprints = [(&'static str, String); 2];

/// Opens everything. What may pass, as a full disk or a database that is still starting, is waited for, and told.
pub(super) async fn open(
    config: &Config,
    listens: SocketAddr,
    keys: &Fingerprints,
    gate: &Gate,
    note: &TimeNote,
) -> Result<Opened, ServeError> {
    let start = Instant::now();
    let mut told = String::new();
    let mut nats = None;
    loop {
        let error = match begin(config, listens, keys, note, &mut nats).await {
            Ok(opened) => return Ok(opened),
            Err(error) => error,
        };
        let passing = match &error {
            ServeError::Store(
                StoreError::InUse(_) | StoreError::InUseByNodes(_) | StoreError::InUseAlone(_),
            ) => start.elapsed() < HANDOVER,
            ServeError::Store(StoreError::Unavailable(_))
            | ServeError::Nats(NatsError::Connect { .. }) => true,
            _ => false,
        };
        if !passing {
            return Err(error);
        }
        let text = error.to_string();
        if text != told {
            tracing::error!(%error, "the server cannot begin yet");
            gate.tell(&text);
            told = text;
        }
        tokio::time::sleep(AGAIN).await;
    }
}

async fn begin(
    config: &Config,
    listens: SocketAddr,
    keys: &Fingerprints,
    note: &TimeNote,
    nats: &mut Option<Arc<NatsBus>>,
) -> Result<Opened, ServeError> {
    if let (Some(node), None) = (&config.node, &nats) {
        *nats = Some(Arc::new(NatsBus::connect(nats_options(node)).await?));
    }
    let mode = match config.node {
        Some(_) => Mode::Cluster,
        None => Mode::Single,
    };
    let store = SqlStore::open_as(&config.database_url(), mode).await?;
    let begun = async {
        if config.node.is_some() {
            agree(&store, keys).await?;
        }
        let noted = note.last();
        let begun = store.begin_run(wall_ms(), noted.map(|(run, _)| run));
        let begun = begun.await?;
        let clock = ServerClock::starting_at(time_of(&begun, noted));
        let (node, heartbeat) = match &config.node {
            Some(settings) => {
                let node = Arc::new(Node::among(&store, settings, clock.clone()));
                let heartbeat = Heartbeat {
                    node: node.clone(),
                    address: settings.address.clone().unwrap_or(listens.to_string()),
                    run: begun.run,
                };
                let (beats, ends) = oneshot::channel();
                heartbeat.begin(&store, ends).await?;
                (node, Some(beats))
            }
            None => (Arc::new(Node::alone(clock.clone())), None),
        };
        Ok((begun, clock, node, heartbeat))
    };
    let (begun, clock, node, heartbeat) = match begun.await {
        Ok(begun) => begun,
        Err(error) => {
            store.close().await;
            return Err(error);
        }
    };
    let bus: Arc<dyn Bus> = match &nats {
        Some(nats) => speaking(node.protocol(), nats.clone()),
        None => Arc::new(LocalBus::new()),
    };
    Ok(Opened {
        store,
        run: begun.run,
        counted_from: begun.counted_from,
        clock,
        node,
        bus,
        nats: nats.clone(),
        heartbeat,
    })
}

fn nats_options(node: &NodeConfig) -> NatsOptions {
    NatsOptions {
        prefix: node.prefix.clone(),
        certificates: node.certificates.clone(),
        name: format!("husun {}", node.name),
        ..NatsOptions::new(&node.nats)
    }
}

/// Refuses keys that are not those of the other nodes: cookies and links of one would be nothing to another.
async fn agree(store: &SqlStore, keys: &Fingerprints) -> Result<(), ServeError> {
    for (file, fingerprint) in keys {
        if store.agree(file, fingerprint).await? != *fingerprint {
            return Err(ServeError::OtherKey(file));
        }
    }
    Ok(())
}

/// The server's time at which a run begins.
fn time_of(begun: &RunRow, noted: Option<(i64, i64)>) -> Duration {
    let last = begun.run - 1;
    if let Some((run, _)) = noted.filter(|(run, _)| *run > last) {
        tracing::warn!(
            run,
            last,
            "the database is older than its data folder; what happened since is not in it"
        );
    }
    let noted = noted.filter(|(run, _)| *run == last).map(|(_, ms)| ms);
    let ms = noted.unwrap_or_default().max(begun.last_ms).max(0);
    Duration::from_millis(ms as u64)
}

/// How often it is looked how the bus is.
const LOOK: Duration = Duration::from_millis(100);
/// How long NATS may give no sign before the node wants no more games: one that restarts is back by then, and gives two a second.
const SILENT: Duration = Duration::from_millis(1300);
/// How long after that the node gives up its games, if others can speak with each other. If NATS itself is gone they have said
/// by then that they cannot: they heard of it half a second later at most, and write it down at once.
const GIVES_UP: Duration = Duration::from_millis(1100);

/// Has the node know whether it can speak with the others. If it cannot while they can, it gives up its games: their players
/// come again elsewhere.
pub(super) async fn follow_bus(nats: Option<Arc<NatsBus>>, node: Arc<Node>) {
    let Some(nats) = nats else { return };
    let mut health = nats.watch();
    let mut heard = Instant::now();
    let mut asked = None;
    loop {
        let is_up = |health: &Health| health.connected;
        match tokio::time::timeout(LOOK, health.changed()).await {
            Ok(Err(_)) => {
                // Nothing is known of NATS any more, by a fault of ours or since the server ends.
                node.set_cut_off(true);
                return;
            }
            Ok(Ok(())) if is_up(&health.borrow_and_update()) => heard = Instant::now(),
            Ok(Ok(())) | Err(_) => {}
        }
        let silent = heard.elapsed();
        if node.is_cut_off() != (silent > SILENT) {
            match silent > SILENT {
                true => tracing::error!("NATS cannot be reached: the node takes no more games"),
                false => tracing::info!("NATS answers again"),
            }
            node.set_cut_off(silent > SILENT);
        }
        if silent <= SILENT + GIVES_UP {
            asked = None;
            continue;
        }
        // What the others said before may be old: they are asked anew.
        let asked = *asked.get_or_insert_with(|| node.ask_of_others());
        if node.heard_since(asked) && node.others_stay() && node.owns_something() {
            tracing::error!(
                "the other nodes can be reached by each other alone: all games are given up"
            );
            if let Err(error) = node.leave().await {
                tracing::warn!(%error, "the other nodes have to wait for the end of the lease");
            }
        }
    }
}

/// Lets the clocks run when players have had time to come back. Where other nodes are alive their players are there.
pub(super) async fn end_of_start(clock: ServerClock, node: Arc<Node>, grace: Duration) {
    use crate::clock::Halt;
    if node.is_alone() || node.alive().len() < 2 {
        tokio::time::sleep(grace).await;
    }
    clock.resume(&Halt::Starting);
}
