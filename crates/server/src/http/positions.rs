//! Positions and PGN texts for the analysis board.

use super::address::Address;
use super::chunks::Chunks;
use super::long::LongJson;
use super::{Failure, Json};
use crate::pgn::{self, PgnError};
use crate::refusal::Reason;
use crate::state::App;
use crate::wire::{PgnAnswer, PgnRequest, PositionAnswer, PositionRequest, Refusal};
use crate::work::Weight;
use axum::extract::State;

/// A position, from a start and moves.
#[utoipa::path(
    post, path = "/api/position", request_body = PositionRequest,
    responses((status = 200, body = PositionAnswer), (status = 422, body = Refusal), (status = 400, body = Refusal),
        (status = 413, body = Refusal), (status = 415, body = Refusal), (status = 429, body = Refusal),
        (status = 503, body = Refusal))
)]
pub async fn describe(
    State(app): State<App>,
    Address(address): Address,
    Json(request): Json<PositionRequest>,
) -> Result<Chunks, Failure> {
    super::charge(&app, address, 1 + request.moves.len())?;
    let memory = app.memory.clone();
    let services = app.directory.services().clone();
    let job = move || {
        let described = crate::positions::describe(&services.lines, &request)?;
        Chunks::json(&described, &memory)
    };
    app.directory.work().run(Weight::Light, job).await?
}

/// The first game of a PGN text.
#[utoipa::path(
    post, path = "/api/pgn", request_body = PgnRequest,
    responses((status = 200, body = PgnAnswer), (status = 422, body = Refusal), (status = 400, body = Refusal),
        (status = 413, body = Refusal), (status = 415, body = Refusal), (status = 429, body = Refusal),
        (status = 503, body = Refusal))
)]
pub async fn pgn(
    State(app): State<App>,
    Address(address): Address,
    body: LongJson,
) -> Result<Chunks, Failure> {
    let (guard, memory) = (app.guard.clone(), app.memory.clone());
    let services = app.directory.services().clone();
    let job = move || {
        let request: PgnRequest = body.read()?;
        let charge = |moves| guard.positions(address, moves);
        let answer = pgn::read(&request.text, &services.games, charge).map_err(failure)?;
        drop((request, body));
        Chunks::json(&answer, &memory)
    };
    app.directory.work().run(Weight::Heavy, job).await?
}

pub(super) fn failure(error: PgnError) -> Failure {
    match error {
        PgnError::Rate => super::too_much(),
        error => Failure::of(Reason::Pgn, error.to_string()),
    }
}
