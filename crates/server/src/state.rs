//! What handlers share. Each handler asks for the part it needs.

use crate::accounts::{Accounts, Attempts};
use crate::directory::Directory;
use crate::http::cache::AnswerCache;
use crate::http::client::Client;
use crate::http::hosts::Hosts;
use crate::http::operate::StorageHealth;
use crate::limits::Guard;
use crate::lobby::Lobby;
use crate::moderation::Moderation;
use crate::notices::Notices;
use crate::operator::OperatorWord;
use crate::reviews::Reviews;
use crate::tournaments::Tournaments;
use crate::vacations::Vacations;
use crate::votes::Votes;
use crate::watching::Watching;
use crate::work::Budget;
use axum::extract::FromRef;
use axum_extra::extract::cookie::Key;
use metrics_exporter_prometheus::PrometheusHandle;
use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64};

/// The server's state, which every request and every socket has: one pointer.
#[derive(Clone)]
pub struct App(Arc<AppParts>);

impl App {
    /// What is made of its parts.
    pub fn new(parts: AppParts) -> App {
        App(Arc::new(parts))
    }
}

impl Deref for App {
    type Target = AppParts;

    fn deref(&self) -> &AppParts {
        &self.0
    }
}

/// What it consists of.
pub struct AppParts {
    /// All games.
    pub directory: Directory,
    /// Who waits for an opponent.
    pub lobby: Lobby,
    /// Tournaments.
    pub tournaments: Tournaments,
    /// Votes.
    pub votes: Votes,
    /// What is watched, and by whom it is followed.
    pub watching: Watching,
    /// Whether guests may talk with others who watch a game.
    pub guests_may_chat: bool,
    /// Those who moderate.
    pub moderation: Moderation,
    /// By which who runs the server is known.
    pub operator: OperatorWord,
    /// Who is on vacation.
    pub vacations: Vacations,
    /// What people are told of while they do not look.
    pub notices: Notices,
    /// Games looked back at.
    pub reviews: Reviews,
    /// People with an account.
    pub accounts: Accounts,
    /// How often one may try to sign in.
    pub attempts: Arc<Attempts>,
    /// Signs cookies.
    pub key: Key,
    /// Whether cookies go over TLS alone.
    pub secure_cookies: bool,
    /// Limits.
    pub guard: Arc<Guard>,
    /// Where metrics are read.
    pub metrics: PrometheusHandle,
    /// Whether all games have been read after the start, and the server does not go down.
    pub ready: Arc<AtomicBool>,
    /// Number of the next socket.
    pub sockets: Arc<AtomicU64>,
    /// Whether the address of who asks is read from the proxy's header.
    pub behind_proxy: bool,
    /// Origins besides the server's own from which sockets and requests may come.
    pub origins: Arc<[String]>,
    /// Names under which the server may be asked.
    pub hosts: Hosts,
    /// Where the client's files are.
    pub client: Client,
    /// Answers that are the same for everybody.
    pub answers: AnswerCache,
    /// Memory for large texts and answers under way.
    pub memory: Budget,
    /// Whether the storage answers.
    pub storage_health: StorageHealth,
}

/// Memory for large texts and answers under way, in bytes.
pub const MEMORY: usize = 64 << 20;

impl FromRef<App> for AnswerCache {
    fn from_ref(app: &App) -> AnswerCache {
        app.answers.clone()
    }
}

impl FromRef<App> for PrometheusHandle {
    fn from_ref(app: &App) -> PrometheusHandle {
        app.metrics.clone()
    }
}

impl FromRef<App> for Client {
    fn from_ref(app: &App) -> Client {
        app.client.clone()
    }
}

impl FromRef<App> for Directory {
    fn from_ref(app: &App) -> Directory {
        app.directory.clone()
    }
}
