//! For those who run the server: is it well, what does it do, what does it understand.

use super::Failure;
use crate::state::App;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::IntoResponse;
use std::sync::atomic::Ordering::Relaxed;

/// The process is alive.
#[utoipa::path(get, path = "/healthz", responses((status = 200, content_type = "text/plain", body = String)))]
pub async fn health() -> &'static str {
    "alive\n"
}

/// The server takes players: games are read, the storage answers.
#[utoipa::path(get, path = "/readyz", responses((status = 200, content_type = "text/plain", body = String), (status = 503, body = crate::wire::Refusal)))]
pub async fn ready(State(app): State<App>) -> Result<&'static str, Failure> {
    if !app.ready.load(Relaxed) {
        return Err(Failure::of(
            StatusCode::SERVICE_UNAVAILABLE,
            "starting",
            "games are being read, or the server goes down",
        ));
    }
    let store = app.directory.services().store.ping().await;
    store
        .map(|()| "ready\n")
        .map_err(|e| Failure::from(crate::wire::Refusal::from(e)))
}

/// Figures for Prometheus.
#[utoipa::path(get, path = "/metrics", responses((status = 200, content_type = "text/plain", body = String)))]
pub async fn metrics(State(app): State<App>) -> impl IntoResponse {
    let headers = [(header::CONTENT_TYPE, "text/plain; version=0.0.4")];
    (headers, app.metrics.render())
}

/// This description.
#[utoipa::path(get, path = "/api/openapi.json", responses((status = 200, content_type = "application/json", body = String)))]
pub async fn openapi() -> impl IntoResponse {
    axum::Json(super::document())
}
