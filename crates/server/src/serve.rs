//! Starts a server: storage, engine, games under way, routes; and ends it.

mod chores;
mod engines;
mod figures;
mod open;
mod recorder;

use crate::accounts::names::Names;
use crate::accounts::{Accounts, Attempts};
use crate::archive::Archive;
use crate::clock::TimeNote;
use crate::config::{Config, ConfigError};
use crate::directory::Directory;
use crate::engines::{Engines, RemoteEngines};
use crate::http::gate::Gate;
use crate::http::{self, cache::AnswerCache, client::Client, hosts::Hosts, operate::StorageHealth};
use crate::lasting::begin;
use crate::limits::{self, Guard};
use crate::lobby::Lobby;
use crate::moderation::Moderation;
use crate::net::{self, Bounds};
use crate::notices::mail::Mail;
use crate::notices::push::Push;
use crate::notices::vapid::VapidKey;
use crate::notices::{Happenings, Means, Notices};
use crate::operator::{OperatorWord, PassFile};
use crate::outgoing::Outgoing;
use crate::positions::LineCache;
use crate::presence::Presence;
use crate::ratings::Ratings;
use crate::reviews::Reviews;
use crate::seats::SeatKeys;
use crate::services::Services;
use crate::state::{App, AppParts, MEMORY};
use crate::tournaments::Tournaments;
use crate::vacations::Vacations;
use crate::visitor;
use crate::votes::Votes;
use crate::watching::Watching;
use crate::work::{Budget, Work};
use axum_extra::extract::cookie::Key;
use bus::{BusError, NatsError};
use chores::{beat, follow_health, forget, sweep, watch_storage};
use engines::{engines, tables};
use futures_util::future::BoxFuture;
use games::Catalogue;
use lessons::Courses;
use metrics_exporter_prometheus::PrometheusHandle;
use open::{Opened, end_of_start, follow_bus, open};
use play::Games;
use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::Duration;
use store::{Store, StoreError, Writer};
use tablebase::{TableError, Tablebases};
use tokio::net::TcpListener;

/// How long games may take to store what they are at when the server goes down.
const PATIENCE: Duration = Duration::from_secs(5);

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
    #[error("{0}")]
    Store(#[from] StoreError),
    /// There is no way to the other nodes.
    #[error("{0}")]
    Nats(#[from] NatsError),
    /// A key is not that of the other nodes.
    #[error(
        "{0} is not that of the other nodes: cookies and links of one would mean nothing to another. Copy the file from one \
         of them; to change it, end all nodes and start one server alone"
    )]
    OtherKey(&'static str),
    /// Another process has taken this node's name.
    #[error("another node named {0} has started: this one has given up its games and ends")]
    Replaced(String),
    /// The address cannot be listened at.
    #[error("cannot listen at {address}: {error}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// Why.
        error: io::Error,
    },
    /// The folder of the tables of perfect play cannot be read.
    #[error("settings: tablebases: {0}")]
    Tables(#[from] TableError),
    /// Threads cannot be started.
    #[error("threads cannot be started: {0}")]
    Threads(io::Error),
    /// The way to workers does not carry what it must.
    #[error("workers: {0}")]
    Workers(#[from] BusError),
}

/// A server that is bound to its address and has not begun to serve.
pub struct Running {
    config: Config,
    listener: TcpListener,
    key: Key,
    games: Arc<Games>,
    /// Tables of perfect play.
    tables: Option<Arc<Tablebases>>,
    engines: Arc<RemoteEngines>,
    metrics: PrometheusHandle,
    /// By which the operator is known.
    pass: PassFile,
    /// By which push services know the server.
    push_key: VapidKey,
    /// A way to send e-mail.
    mail: Option<Mail>,
    /// Held for as long as the data folder is in use.
    _lock: std::fs::File,
}

/// Takes a data folder for this process alone, for as long as the file is held.
pub fn take_folder(folder: &Path) -> Result<std::fs::File, ServeError> {
    let name = || folder.display().to_string();
    let data = |error| ServeError::Data {
        folder: name(),
        error,
    };
    store::files::own_folder(folder).map_err(data)?;
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

/// Takes the data folder and the address for a server of these games. The storage is opened when it serves, so that it can be asked how far it is.
pub fn bind(config: &Config, games: Catalogue) -> BoxFuture<'_, Result<Running, ServeError>> {
    // In a box for the reason that all that serves is: see `Running::boxed`.
    Box::pin(bound(config, games))
}

async fn bound(config: &Config, games: Catalogue) -> Result<Running, ServeError> {
    let config = config.checked()?;
    let folder_lock = take_folder(&config.data)?;
    let data = |error| ServeError::Data {
        folder: config.data.display().to_string(),
        error,
    };
    let keys = |error| ServeError::Data {
        folder: config.keys().display().to_string(),
        error,
    };
    let key = visitor::key_of(config.keys()).map_err(keys)?;
    let push_key = VapidKey::of(config.keys(), config.push.contact.clone()).map_err(keys)?;
    let mail = config.mail.as_ref();
    let mail = mail.map(|mail| Mail::of(mail, SeatKeys::new(&key)));
    let mail = mail.transpose()?;
    let listener = TcpListener::bind(config.listen)
        .await
        .map_err(|error| ServeError::Listen {
            address: config.listen,
            error,
        })?;
    let address = listener.local_addr().map_err(data)?;
    let pass = PassFile::write(&config.data, address).map_err(data)?;
    let games = Arc::new(Games::new(games));
    let tables = tables(&config, &games)?;
    let engines = engines(&config, &games, tables.clone()).await?;
    Ok(Running {
        config,
        listener,
        key,
        games,
        tables,
        engines,
        metrics: recorder::recorder(),
        pass,
        push_key,
        mail,
        _lock: folder_lock,
    })
}

impl Running {
    /// Where it listens.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Serves until `stop` is done: from the first moment it tells that it starts, and when the storage is open it
    /// takes players and calls `ready`.
    pub fn serve(
        self,
        ready: impl FnOnce() + Send + 'static,
        stop: impl Future<Output = ()> + Send + 'static,
    ) -> BoxFuture<'static, Result<(), ServeError>> {
        self.boxed(Box::new(ready), Box::pin(stop))
    }

    /// Not generic and in a box, so that all that serves is compiled here, and not again by what calls it.
    fn boxed(
        self,
        ready: Box<dyn FnOnce() + Send>,
        stop: BoxFuture<'static, ()>,
    ) -> BoxFuture<'static, Result<(), ServeError>> {
        Box::pin(self.served(ready, stop))
    }

    async fn served(
        self,
        ready: Box<dyn FnOnce() + Send>,
        mut stop: BoxFuture<'static, ()>,
    ) -> Result<(), ServeError> {
        let address = self.address().map_err(ServeError::Threads)?;
        let gate = Gate::new();
        let (hush, quiet) = tokio::sync::oneshot::channel::<()>();
        let bounds = Bounds::of(&self.config.limits, self.config.behind_proxy);
        let router = gate.router();
        let serving = tokio::spawn(net::serve(self.listener, router, bounds, async move {
            let _ = quiet.await;
        }));
        let note = TimeNote::of(&self.config.data);
        let fingerprints = [
            (
                store::backup::KEY,
                SeatKeys::new(&self.key).derived("fingerprint", ""),
            ),
            (store::backup::PUSH_KEY, self.push_key.public().to_owned()),
        ];
        let opened = tokio::select! {
            opened = open(&self.config, address, &fingerprints, &gate, &note) => opened,
            () = &mut stop => {
                serving.abort();
                return Ok(());
            }
        };
        let opened = match opened {
            Ok(opened) => opened,
            Err(error) => {
                serving.abort();
                return Err(error);
            }
        };
        if let Some(nats) = &opened.nats
            && let Err(error) = self.engines.attach(nats.clone()).await
        {
            serving.abort();
            return Err(error.into());
        }
        let services = opened.services(
            &self.key,
            self.games.clone(),
            self.engines.clone(),
            self.tables.clone(),
            &self.config,
        );
        let (store, node) = (opened.store.clone(), opened.node.clone());
        let directory = Directory::new(services.clone(), self.config.limits.live_games as usize);
        let names = Names::of(&self.config.data).map_err(|error| ServeError::Data {
            folder: self.config.data.display().to_string(),
            error,
        })?;
        let accounts = Accounts::new(&store, services.work.clone(), names, services.bans.clone());
        directory.forget_deleted(&accounts);
        let vacations = Vacations::new(Arc::new(store.clone()), directory.clone());
        let presence = Presence::new(services.clone());
        let lobby = Lobby::new(
            directory.clone(),
            vacations.clone(),
            accounts.clone(),
            presence.clone(),
            Arc::new(store.clone()),
        );
        let tournaments = Tournaments::new(
            directory.clone(),
            accounts.clone(),
            vacations.clone(),
            presence.clone(),
            Arc::new(store.clone()),
            self.config.tournament_makers.clone(),
            self.config.limits.tournaments as usize,
        );
        let votes = Votes::new(
            directory.clone(),
            accounts.clone(),
            Arc::new(store.clone()),
            self.config.vote_callers.clone(),
        );
        let moderation = Moderation::new(
            &store,
            accounts.clone(),
            directory.clone(),
            lobby.clone(),
            tournaments.clone(),
        );
        let watching = Watching::new(&store, directory.clone());
        let prepared = async {
            moderation.read().await?;
            match node.is_alone() {
                true => watching.rest().await,
                // Games go on at other nodes.
                false => Ok(()),
            }
        };
        if let Err(refused) = prepared.await {
            serving.abort();
            return Err(StoreError::Unavailable(refused.message).into());
        }
        let outgoing = Outgoing::new(self.config.push.allow_private);
        let means = Means {
            push: Push::new(self.push_key, outgoing, services.work.clone()),
            mail: self.mail,
        };
        let notices = Notices::new(
            directory.clone(),
            accounts.clone(),
            lobby.clone(),
            &store,
            means,
        );
        let people = People {
            accounts: accounts.clone(),
            lobby: lobby.clone(),
            tournaments: tournaments.clone(),
            votes: votes.clone(),
            vacations: vacations.clone(),
            moderation: moderation.clone(),
            notices: notices.clone(),
            watching: watching.clone(),
        };
        let app = app(
            &self.config,
            directory.clone(),
            people,
            self.pass.word(),
            self.key,
            self.metrics.clone(),
        );
        let (guard, open_to_players) = (app.guard.clone(), app.ready.clone());
        let attempts = app.attempts.clone();
        let reviews = app.reviews.clone();
        gate.open(http::router(app));
        let (_alive, server) = std::sync::mpsc::channel();
        let (run, clock) = (services.run, services.clock.clone());
        let beating = std::thread::Builder::new().name("time".into());
        let beating = beating.spawn(move || beat(note, run, clock, server));
        beating.map_err(ServeError::Threads)?;
        let grace = Duration::from_secs(self.config.start_grace_seconds.into());
        let tasks = [
            begin("health", services.clone(), follow_health),
            begin("storage", store.clone(), watch_storage),
            begin("ratings", services.clone(), |services| {
                services.ratings.clone().follow(services)
            }),
            begin("presence", presence, |presence| presence.follow()),
            begin(
                "sessions",
                (accounts.clone(), services.clone()),
                |(accounts, services)| accounts.follow(services),
            ),
            begin(
                "passkeys",
                (accounts.clone(), services.clone()),
                |(accounts, services)| accounts.check_for_others(services),
            ),
            begin("lobby", lobby, |lobby| lobby.keep()),
            begin("vacations", vacations, |vacations| vacations.keep()),
            begin("tournaments", tournaments.clone(), |all| all.follow()),
            begin("tournaments", tournaments, |all| all.keep()),
            begin("votes", votes, |votes| votes.keep()),
            begin("moderation", moderation, |moderation| moderation.keep()),
            begin("notices", notices.clone(), |notices| notices.keep()),
            begin("watching", watching, |watching| watching.begin()),
            begin(
                "archive",
                (services.archive.clone(), directory.clone()),
                |(archive, directory)| archive.follow(directory),
            ),
            begin("attendance", directory.clone(), |all| all.attend()),
            begin("nodes", directory.clone(), |all| all.serve_nodes()),
            begin("others", directory.clone(), |all| all.look_at_others()),
            begin(
                "limits",
                (services.clone(), guard.clone(), attempts.clone()),
                |(services, guard, attempts)| limits::shared::follow(services, guard, attempts),
            ),
            begin(
                "sweep",
                (guard, attempts, self.metrics),
                |(guard, attempts, metrics)| sweep(guard, attempts, metrics),
            ),
            begin(
                "forget",
                (directory.clone(), reviews.clone(), accounts, notices),
                |(directory, reviews, accounts, notices)| {
                    forget(directory, reviews, accounts, notices)
                },
            ),
            begin(
                "bus",
                (opened.nats.clone(), node.clone()),
                |(nats, node)| follow_bus(nats, node),
            ),
            begin(
                "start",
                (services.clock.clone(), node.clone()),
                move |(clock, node)| end_of_start(clock, node, grace),
            ),
        ];
        tracing::info!(run = services.run, "serving");
        ready();
        let replaced = tokio::select! {
            () = stop => false,
            () = node.replaced() => true,
        };
        open_to_players.store(false, Relaxed);
        node.end();
        tracing::info!("going down");
        directory.close(PATIENCE).await;
        // The heartbeat stops, so that the node does not arrive anew.
        drop(opened.heartbeat);
        if let Ok(Err(error)) = tokio::time::timeout(PATIENCE, node.leave()).await {
            tracing::warn!(%error, "the other nodes have to wait for the end of the lease");
        }
        reviews.close(PATIENCE).await;
        let _ = hush.send(());
        let served = serving.await;
        for task in tasks {
            task.abort();
            // What it holds of the storage is given back when it is gone.
            let _ = task.await;
        }
        self.engines.close();
        store.close().await;
        if let Err(error) = served {
            tracing::error!(%error, "serving ended in a fault of ours");
        }
        match replaced {
            true => Err(ServeError::Replaced(node.name().into())),
            false => Ok(()),
        }
    }
}

impl Opened {
    /// What all games share.
    fn services(
        &self,
        key: &Key,
        games: Arc<Games>,
        engines: Arc<dyn Engines>,
        tables: Option<Arc<Tablebases>>,
        config: &Config,
    ) -> Arc<Services> {
        let store = &self.store;
        let shared: Arc<dyn Store> = Arc::new(store.clone());
        Arc::new(Services {
            writer: Writer::new(shared.clone()),
            store: shared,
            notes: Arc::new(store.clone()),
            vacations: Arc::new(store.clone()),
            bans: Arc::default(),
            happenings: Happenings::default(),
            node: self.node.clone(),
            bus: self.bus.clone(),
            engines,
            tables,
            engine_pause: config.engine_pause,
            work: Work::new(),
            ratings: Ratings::new(Arc::new(store.clone())),
            archive: Archive::new(Arc::new(store.clone())),
            ended: tokio::sync::Notify::new(),
            courses: Courses::default(),
            lines: LineCache::new(games.clone()),
            games,
            clock: self.clock.clone(),
            keys: SeatKeys::new(key),
            run: self.run,
            counted_from: self.counted_from,
        })
    }
}

/// Those who come, and what they do with each other.
struct People {
    accounts: Accounts,
    lobby: Lobby,
    tournaments: Tournaments,
    votes: Votes,
    vacations: Vacations,
    moderation: Moderation,
    notices: Notices,
    watching: Watching,
}

fn app(
    config: &Config,
    directory: Directory,
    people: People,
    operator: OperatorWord,
    key: Key,
    metrics: PrometheusHandle,
) -> App {
    let limits = &config.limits;
    App::new(AppParts {
        accounts: people.accounts,
        lobby: people.lobby,
        tournaments: people.tournaments,
        votes: people.votes,
        moderation: people.moderation,
        watching: people.watching,
        guests_may_chat: config.guests_may_chat,
        operator,
        vacations: people.vacations,
        notices: people.notices,
        attempts: Arc::new(Attempts::new(
            limits.sign_ins_per_minute,
            limits.accounts_per_hour,
        )),
        reviews: Reviews::new(directory.services().clone()),
        directory,
        key,
        secure_cookies: config.behind_proxy,
        guard: Arc::new(Guard::new(config.limits)),
        metrics,
        ready: Arc::new(AtomicBool::new(true)),
        // Games know sockets of all nodes by their numbers.
        sockets: Arc::new(AtomicU64::new(u64::from(rand::random::<u32>()) << 32)),
        behind_proxy: config.behind_proxy,
        origins: config.origins.clone().into(),
        client: config
            .client
            .clone()
            .map_or(Client::Embedded, Client::Folder),
        hosts: Hosts::of(config),
        answers: AnswerCache::default(),
        memory: Budget::new(MEMORY),
        storage_health: StorageHealth::default(),
    })
}
