//! What a server plays and knows with: its engines, own and those of workers, and the tables of perfect play.

use super::ServeError;
use crate::config::Config;
use crate::engines::{LocalEngines, RemoteEngines};
use bus::{NatsBus, NatsError, NatsOptions};
use play::Games;
use std::sync::{Arc, Weak};
use std::time::Duration;
use tablebase::Tablebases;

/// Pause between attempts to reach workers.
const WORKERS: Duration = Duration::from_secs(2);

/// Opens the tables of perfect play of all games, and says which there are. A game whose tables cannot be used is played
/// without.
pub(super) fn tables(
    config: &Config,
    games: &Games,
) -> Result<Option<Arc<Tablebases>>, ServeError> {
    let Some(folder) = &config.tablebases else {
        return Ok(None);
    };
    let tables = Tablebases::new(folder)?;
    let mut none = true;
    for variant in games.catalogue().games() {
        none &= tables.lacks(&variant).is_some();
        match tables.of(&variant) {
            Ok(Some(_)) => tracing::info!(game = %variant.id(), "tables of perfect play"),
            Ok(None) => {}
            Err(error) => {
                tracing::warn!(game = %variant.id(), %error, "no tables of perfect play");
            }
        }
    }
    if none {
        let folder = folder.display();
        tracing::warn!(%folder, "no tables of perfect play of any game: expected a folder for each, named by its id");
    }
    Ok(Some(Arc::new(tables)))
}

/// The engine's threads: the own ones, and those of workers where a server that runs alone has some.
pub(super) async fn engines(
    config: &Config,
    games: &Arc<Games>,
    tables: Option<Arc<Tablebases>>,
) -> Result<Arc<RemoteEngines>, ServeError> {
    let (threads, hash) = (config.engine_threads, config.engine_hash);
    let local =
        LocalEngines::with_tables(threads, hash, games, tables).map_err(ServeError::Threads)?;
    let engines = RemoteEngines::new(local, games.clone()).map_err(ServeError::Threads)?;
    let engines = Arc::new(engines);
    let Some(mut options) = config.workers.options().filter(|_| config.node.is_none()) else {
        return Ok(engines);
    };
    options.name = "husun server".into();
    match NatsBus::connect(options.clone()).await {
        Ok(bus) => engines.attach(Arc::new(bus)).await?,
        Err(error @ NatsError::Connect { .. }) => {
            tracing::warn!(%error, "workers cannot be reached yet");
            tokio::spawn(reach_workers(Arc::downgrade(&engines), options));
        }
        Err(error) => return Err(error.into()),
    }
    Ok(engines)
}

/// Waits for the NATS server by which workers are reached; players do not.
async fn reach_workers(engines: Weak<RemoteEngines>, options: NatsOptions) {
    loop {
        tokio::time::sleep(WORKERS).await;
        let Some(engines) = engines.upgrade() else {
            return;
        };
        let Ok(bus) = NatsBus::connect(options.clone()).await else {
            continue;
        };
        match engines.attach(Arc::new(bus)).await {
            Ok(()) => return tracing::info!("workers can be reached"),
            Err(error) => tracing::warn!(%error, "workers cannot be reached yet"),
        }
    }
}
