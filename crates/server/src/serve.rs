//! Starts a server: storage, engine, games under way, routes; and ends it.

use crate::brains::Brains;
use crate::config::{Config, ConfigError};
use crate::files;
use crate::guest;
use crate::hall::Hall;
use crate::http::{self, client::Client, hosts::Hosts, kept::Shelf, operate::Wellness};
use crate::limits::Guard;
use crate::net::{self, Bounds};
use crate::state::{App, MEMORY};
use crate::store::{SqlStore, Store, StoreError, Writer};
use crate::work::{Budget, Work};
use crate::world::{BEAT, Heart, World, wall_ms};
use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};
use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};
use tokio::net::TcpListener;

/// How often idle games and quiet addresses are looked for.
const SWEEP: Duration = Duration::from_secs(600);
/// How long games may take to store what they are at when the server goes down.
const PATIENCE: Duration = Duration::from_secs(5);

/// Upper bounds of the histograms' buckets in seconds: all of them hold times, from a commit to a long thought.
const BUCKETS: [f64; 14] = [
    0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0,
];

/// Why a server does not start.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// A setting makes no sense.
    #[error("settings: {0}")]
    Config(#[from] ConfigError),
    /// The data folder cannot be used.
    #[error("data folder {folder}: {error}")]
    Data {
        /// The folder.
        folder: String,
        /// Why.
        error: io::Error,
    },
    /// Another server uses the data folder.
    #[error("data folder {0}: another server is using it")]
    InUse(String),
    /// The database cannot be used.
    #[error("database: {0}")]
    Store(#[from] StoreError),
    /// The address cannot be listened at.
    #[error("cannot listen at {address}: {error}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// Why.
        error: io::Error,
    },
    /// Threads cannot be started.
    #[error("engine threads: {0}")]
    Threads(io::Error),
}

/// A server that is bound to its address and has not begun to serve.
pub struct Running {
    listener: TcpListener,
    app: App,
    heart: Heart,
    brains: Brains,
    store: SqlStore,
    bounds: Bounds,
    /// Held for as long as the data folder is in use.
    _lock: std::fs::File,
}

/// One recorder a process, however many servers it runs.
fn recorder() -> PrometheusHandle {
    static RECORDER: OnceLock<PrometheusHandle> = OnceLock::new();
    let install = || {
        let builder = PrometheusBuilder::new();
        let builder = match builder.set_buckets(&BUCKETS) {
            Ok(builder) => builder,
            Err(error) => {
                tracing::warn!(%error, "metrics are without histograms");
                PrometheusBuilder::new()
            }
        };
        let recorder = builder.build_recorder();
        let handle = recorder.handle();
        if metrics::set_global_recorder(recorder).is_err() {
            tracing::warn!("metrics are recorded elsewhere");
        }
        handle
    };
    RECORDER.get_or_init(install).clone()
}

fn lock(folder: &Path) -> Result<std::fs::File, ServeError> {
    let name = || folder.display().to_string();
    let data = |error| ServeError::Data {
        folder: name(),
        error,
    };
    files::own_folder(folder).map_err(data)?;
    let file = std::fs::OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .open(folder.join("lock"))
        .map_err(data)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(std::fs::TryLockError::WouldBlock) => Err(ServeError::InUse(name())),
        Err(std::fs::TryLockError::Error(error)) => Err(data(error)),
    }
}

/// Opens the storage and binds the address.
pub async fn bind(config: &Config) -> Result<Running, ServeError> {
    let config = &config.checked()?;
    let folder_lock = lock(&config.data)?;
    let data = |error| ServeError::Data {
        folder: config.data.display().to_string(),
        error,
    };
    let key = guest::key_of(&config.data).map_err(data)?;
    if let Some(file) = config.database_file() {
        files::own_database(&file).map_err(data)?;
    }
    let store = SqlStore::open(&config.database_url()).await?;
    let listener = TcpListener::bind(config.listen)
        .await
        .map_err(|error| ServeError::Listen {
            address: config.listen,
            error,
        })?;
    let brains =
        Brains::new(config.engine_threads, config.engine_hash).map_err(ServeError::Threads)?;
    let metrics = recorder();
    let run = store.begin_run(wall_ms()).await?;
    let shared: Arc<dyn Store> = Arc::new(store.clone());
    let world = Arc::new(World {
        writer: Writer::new(shared.clone()),
        store: shared.clone(),
        brains: brains.clone(),
        work: Work::new(),
        run,
        start: Instant::now(),
    });
    let hall = Hall::new(world, config.limits.live_games as usize);
    let app = App {
        hall,
        key,
        secure_cookies: config.behind_proxy,
        guard: Arc::new(Guard::new(config.limits)),
        metrics,
        ready: Arc::new(AtomicBool::new(false)),
        sockets: Arc::default(),
        behind_proxy: config.behind_proxy,
        origins: config.origins.clone().into(),
        hosts: Hosts::of(config),
        client: config
            .client
            .clone()
            .map_or(Client::Embedded, Client::Folder),
        shelf: Shelf::default(),
        memory: Budget::new(MEMORY),
        wellness: Wellness::default(),
    };
    Ok(Running {
        listener,
        app,
        heart: Heart::of(&config.data),
        brains,
        store,
        bounds: Bounds::of(&config.limits, config.behind_proxy),
        _lock: folder_lock,
    })
}

impl Running {
    /// Where it listens.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Reads the games under way, then serves until `stop` is done. `progress` is told how many of how many
    /// games are read.
    pub async fn serve(
        self,
        progress: impl FnMut(usize, usize),
        stop: impl Future<Output = ()> + Send + 'static,
    ) -> Result<(), ServeError> {
        let hall = self.app.hall.clone();
        let resumed = hall.resume(&self.heart, progress).await?;
        tracing::info!(resumed, run = hall.world().run, "games are read");
        let beat = tokio::spawn(beat(self.heart, hall.clone()));
        let sweep = tokio::spawn(sweep(
            hall.clone(),
            self.app.guard.clone(),
            self.app.metrics.clone(),
        ));
        self.app.ready.store(true, Relaxed);
        let ready = self.app.ready.clone();
        let router = http::router(self.app);
        let ending = hall.clone();
        let shutdown = async move {
            stop.await;
            ready.store(false, Relaxed);
            tracing::info!("going down");
            ending.close(PATIENCE).await;
        };
        net::serve(self.listener, router, self.bounds, shutdown).await;
        beat.abort();
        sweep.abort();
        self.brains.close();
        self.store.close().await;
        Ok(())
    }
}

async fn beat(heart: Heart, hall: Hall) {
    let mut beats = tokio::time::interval(BEAT);
    beats.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Skip);
    let mut ill = false;
    loop {
        beats.tick().await;
        let (run, ms) = hall.world().run_time();
        match heart.beat(run, ms) {
            Ok(()) => ill = false,
            Err(error) if !ill => {
                ill = true;
                tracing::error!(%error, "the run's time cannot be noted");
            }
            Err(_) => {}
        }
    }
}

async fn sweep(hall: Hall, guard: Arc<Guard>, metrics: PrometheusHandle) {
    let mut sweeps = tokio::time::interval(SWEEP);
    loop {
        sweeps.tick().await;
        guard.tidy();
        metrics.run_upkeep();
        match hall.sweep().await {
            Ok(0) => {}
            Ok(closed) => tracing::info!(closed, "idle games are closed"),
            Err(refused) => tracing::warn!(message = %refused.message, "idle games are not closed"),
        }
    }
}
