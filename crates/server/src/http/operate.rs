//! For those who run the server: is it well, what does it do, what does it understand.

use super::Failure;
use super::cache::AnswerCache;
use crate::directory::Directory;
use crate::refusal::{Reason, Refused, refused};
use crate::state::App;
use crate::wire::Refusal;
use axum::extract::State;
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};
use metrics_exporter_prometheus::PrometheusHandle;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};
use store::{Health, Store};
use tokio::sync::Mutex;

/// How long it holds what the storage has answered: it is not asked more often, however many want to know.
const HOLDS: Duration = Duration::from_secs(1);
/// How long the storage may take to answer.
const PATIENCE: Duration = Duration::from_secs(5);

/// Whether the storage answers, as it was last asked.
#[derive(Clone, Debug, Default)]
pub struct StorageHealth {
    last: Arc<Mutex<Option<Answered>>>,
}

/// When the storage was asked, and what came of it.
type Answered = (Instant, Result<(), Refused>);

impl StorageHealth {
    async fn of(&self, store: &dyn Store) -> Result<(), Refused> {
        let mut last = self.last.lock().await;
        if let Some((at, answer)) = &*last
            && at.elapsed() < HOLDS
        {
            return answer.clone();
        }
        let answer = match tokio::time::timeout(PATIENCE, store.ping()).await {
            Ok(answer) => answer.map_err(Refused::from),
            Err(_) => {
                let message = format!("the storage has not answered within {PATIENCE:?}");
                Err(refused(Reason::Storage, message))
            }
        };
        *last = Some((Instant::now(), answer.clone()));
        answer
    }
}

/// The process is alive.
#[utoipa::path(get, path = "/healthz", responses((status = 200, content_type = "text/plain", body = String), (status = 429, body = Refusal)))]
pub async fn health() -> &'static str {
    "alive\n"
}

/// The server takes players: it has started and does not go down, and its storage takes what it is given.
#[utoipa::path(get, path = "/readyz", responses((status = 200, content_type = "text/plain", body = String),
        (status = 429, body = Refusal), (status = 503, body = Refusal)))]
pub async fn ready(State(app): State<App>) -> Result<&'static str, Failure> {
    if !app.ready.load(Relaxed) {
        return Err(Failure::of(Reason::Busy, "the server is shutting down"));
    }
    let services = app.directory.services();
    if !services.node.has_lease() || services.node.is_cut_off() {
        let message = "this node cannot speak with the others at the moment";
        return Err(Failure::of(Reason::Busy, message));
    }
    if let Health::Ill(trouble) = &*services.writer.health().borrow() {
        let message = format!("nothing can be stored: {trouble}");
        return Err(Failure::of(Reason::Storage, message));
    }
    let store = &*services.store;
    app.storage_health.of(store).await?;
    Ok("ready\n")
}

/// Figures for Prometheus.
#[utoipa::path(get, path = "/metrics", responses((status = 200, content_type = "text/plain", body = String), (status = 429, body = Refusal)))]
pub async fn metrics(State(metrics): State<PrometheusHandle>) -> impl IntoResponse {
    let headers = [(header::CONTENT_TYPE, "text/plain; version=0.0.4")];
    (headers, metrics.render())
}

/// This description.
#[utoipa::path(get, path = "/api/openapi.json", responses((status = 200, content_type = "application/json", body = String)))]
pub async fn openapi(
    State(answers): State<AnswerCache>,
    State(directory): State<Directory>,
    headers: HeaderMap,
) -> Result<Response, Failure> {
    let make = || super::cached_json(&super::document());
    let kept = answers.get("openapi", directory.work(), make).await?;
    Ok(kept.answer(&headers))
}
