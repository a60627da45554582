//! Seeks: made, taken, withdrawn. What changes in the lobby is told over the socket.

use super::address::Address;
use super::games::may_make;
use super::{Failure, Json};
use crate::lobby::{wish_of, wishes};
use crate::state::App;
use crate::visitor::Visitor;
use crate::wire::{Lobby, NewSeek, Paired, Refusal, SeekMade, SeenPerson, TakeSeek};
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};

/// Who waits for an opponent.
#[utoipa::path(get, path = "/api/lobby", responses((status = 200, body = Lobby), (status = 503, body = Refusal)))]
pub async fn look(State(app): State<App>, visitor: Visitor) -> Result<Response, Failure> {
    let lobby = app.lobby.look(&visitor.person.guest).await?;
    Ok((visitor, axum::Json(lobby)).into_response())
}

/// People with an account who were here last, the latest first.
#[utoipa::path(get, path = "/api/lobby/people", responses((status = 200, body = Vec<SeenPerson>), (status = 503, body = Refusal)))]
pub async fn people(State(app): State<App>) -> Result<axum::Json<Vec<SeenPerson>>, Failure> {
    Ok(axum::Json(app.lobby.seen().await?))
}

/// Wishes for an opponent: the game with somebody who waits and whom it fits begins at once, or else the wish waits.
#[utoipa::path(post, path = "/api/lobby/seeks", request_body = NewSeek, responses((status = 201, body = SeekMade),
        (status = 401, body = Refusal), (status = 409, body = Refusal), (status = 422, body = Refusal), (status = 400, body = Refusal),
        (status = 413, body = Refusal), (status = 415, body = Refusal), (status = 429, body = Refusal), (status = 503, body = Refusal)))]
pub async fn seek(
    State(app): State<App>,
    Address(address): Address,
    visitor: Visitor,
    Json(seek): Json<NewSeek>,
) -> Result<Response, Failure> {
    may_make(&app.guard, address)?;
    let wish = wish_of(app.directory.variants(), &seek, &visitor.person)?;
    let made = app.lobby.seek(&visitor.person, wish).await?;
    Ok((visitor, (StatusCode::CREATED, axum::Json(made))).into_response())
}

/// Takes a seek of one's own back.
#[utoipa::path(delete, path = "/api/lobby/seeks/{id}", params(("id" = String, Path, description = "Id of the seek")),
    responses((status = 204), (status = 404, body = Refusal), (status = 410, body = Refusal), (status = 503, body = Refusal)))]
pub async fn withdraw(
    State(app): State<App>,
    visitor: Visitor,
    Path(id): Path<String>,
) -> Result<StatusCode, Failure> {
    app.lobby.withdraw(&id, &visitor.person).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Accepts a seek: the game begins.
#[utoipa::path(post, path = "/api/lobby/seeks/{id}/accept", request_body = TakeSeek,
    params(("id" = String, Path, description = "Id of the seek")),
    responses((status = 201, body = Paired), (status = 401, body = Refusal), (status = 404, body = Refusal), (status = 409, body = Refusal),
        (status = 410, body = Refusal), (status = 422, body = Refusal), (status = 400, body = Refusal), (status = 413, body = Refusal),
        (status = 415, body = Refusal), (status = 429, body = Refusal), (status = 503, body = Refusal)))]
pub async fn accept(
    State(app): State<App>,
    Address(address): Address,
    visitor: Visitor,
    Path(id): Path<String>,
    Json(which): Json<TakeSeek>,
) -> Result<Response, Failure> {
    may_make(&app.guard, address)?;
    let ids: Vec<String> = which.variant.into_iter().collect();
    let game = wishes::games_of(app.directory.variants(), &ids, &[])?.pop();
    let clock = which.clock.as_deref().map(wishes::clock_of).transpose()?;
    let paired = app.lobby.accept(&id, &visitor.person, game, clock).await?;
    Ok((visitor, (StatusCode::CREATED, axum::Json(paired))).into_response())
}
