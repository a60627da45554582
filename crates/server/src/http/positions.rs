//! Positions and PGN texts for the analysis board.

use super::{Failure, Json};
use crate::directory::Directory;
use crate::wire::{PgnAnswer, PgnRequest, PositionAnswer, PositionRequest, Refusal};
use axum::extract::State;
use axum::http::StatusCode;

/// A position, from a start and moves.
#[utoipa::path(
    post, path = "/api/position", request_body = PositionRequest,
    responses((status = 200, body = PositionAnswer), (status = 422, body = Refusal), (status = 400, body = Refusal),
        (status = 413, body = Refusal), (status = 415, body = Refusal))
)]
pub async fn describe(
    State(directory): State<Directory>,
    Json(request): Json<PositionRequest>,
) -> Result<axum::Json<PositionAnswer>, Failure> {
    let services = directory.services().clone();
    let described =
        tokio::task::spawn_blocking(move || crate::positions::describe(&services.lines, &request));
    Ok(axum::Json(joined(described.await)??))
}

/// The first game of a PGN text.
#[utoipa::path(
    post, path = "/api/pgn", request_body = PgnRequest,
    responses((status = 200, body = PgnAnswer), (status = 422, body = Refusal), (status = 400, body = Refusal),
        (status = 413, body = Refusal), (status = 415, body = Refusal))
)]
pub async fn pgn(Json(request): Json<PgnRequest>) -> Result<axum::Json<PgnAnswer>, Failure> {
    let read = tokio::task::spawn_blocking(move || crate::pgn::read(&request.text));
    let answer = joined(read.await)?;
    answer
        .map(axum::Json)
        .map_err(|e| Failure::of(StatusCode::UNPROCESSABLE_ENTITY, "pgn", e))
}

fn joined<T>(result: Result<T, tokio::task::JoinError>) -> Result<T, Failure> {
    result.map_err(|error| {
        tracing::error!(%error, "a request's work ended in a fault of ours");
        Failure::of(
            StatusCode::INTERNAL_SERVER_ERROR,
            "fault",
            "a fault of the server",
        )
    })
}
