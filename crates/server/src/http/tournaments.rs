//! Tournaments: listed, made, looked at, joined, left, called off.

use super::address::Address;
use super::games::may_make;
use super::looks::wanted;
use super::{Failure, Json};
use crate::state::App;
use crate::visitor::Visitor;
use crate::wire::{
    NewTournament, Refusal, TournamentGames, TournamentMade, TournamentNow, Tournaments,
};
use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use utoipa::IntoParams;

/// What a page of a tournament costs, in positions.
pub(super) const PAGE: usize = 20;

/// Which of those that are over.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(default, deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct Listed {
    /// Those that are over from a page on: `next` of the page before.
    pub(super) before: Option<String>,
}

/// Which page of the standings.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(default, deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct Paged {
    /// From 1.
    page: Option<u32>,
}

/// Which games.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(default, deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct Which {
    /// Of this round.
    round: Option<u32>,
    /// Of the player of this name.
    player: Option<String>,
    /// From a page on: `next` of the page before.
    before: Option<u32>,
}

/// Tournaments that are open, running and over.
#[utoipa::path(get, path = "/api/tournaments", params(Listed), responses((status = 200, body = Tournaments),
        (status = 400, body = Refusal), (status = 429, body = Refusal), (status = 503, body = Refusal)))]
pub async fn list(
    State(app): State<App>,
    Address(address): Address,
    visitor: Visitor,
    query: Result<Query<Listed>, QueryRejection>,
) -> Result<impl IntoResponse, Failure> {
    let asked = wanted(query)?;
    super::charge(&app, address, PAGE)?;
    let list = app
        .tournaments
        .list(&visitor.person, asked.before.as_deref());
    let list = list.await?;
    Ok((visitor, axum::Json(list)))
}

/// Makes a tournament: for those who are signed in, if the operator has not named who may.
#[utoipa::path(post, path = "/api/tournaments", request_body = NewTournament,
    responses((status = 201, body = TournamentMade), (status = 401, body = Refusal), (status = 403, body = Refusal),
        (status = 422, body = Refusal), (status = 400, body = Refusal), (status = 413, body = Refusal),
        (status = 415, body = Refusal), (status = 429, body = Refusal), (status = 503, body = Refusal)))]
pub async fn make(
    State(app): State<App>,
    Address(address): Address,
    visitor: Visitor,
    Json(wish): Json<NewTournament>,
) -> Result<Response, Failure> {
    may_make(&app.guard, address)?;
    let id = app.tournaments.make(&wish, &visitor.person).await?;
    Ok((StatusCode::CREATED, axum::Json(TournamentMade { id })).into_response())
}

/// A tournament with a page of its standings.
#[utoipa::path(get, path = "/api/tournaments/{id}", params(("id" = String, Path, description = "Id of the tournament"), Paged),
    responses((status = 200, body = TournamentNow), (status = 400, body = Refusal), (status = 404, body = Refusal),
        (status = 429, body = Refusal), (status = 503, body = Refusal)))]
pub async fn look(
    State(app): State<App>,
    Address(address): Address,
    visitor: Visitor,
    Path(id): Path<String>,
    query: Result<Query<Paged>, QueryRejection>,
) -> Result<impl IntoResponse, Failure> {
    let page = wanted(query)?.page.unwrap_or(1);
    super::charge(&app, address, PAGE)?;
    let now = app.tournaments.look(&id, &visitor.person, page).await?;
    Ok((visitor, axum::Json(now)))
}

/// Games of a tournament, the last first.
#[utoipa::path(get, path = "/api/tournaments/{id}/games", params(("id" = String, Path, description = "Id of the tournament"), Which),
    responses((status = 200, body = TournamentGames), (status = 400, body = Refusal), (status = 404, body = Refusal),
        (status = 429, body = Refusal), (status = 503, body = Refusal)))]
pub async fn games(
    State(app): State<App>,
    Address(address): Address,
    Path(id): Path<String>,
    query: Result<Query<Which>, QueryRejection>,
) -> Result<axum::Json<TournamentGames>, Failure> {
    let which = wanted(query)?;
    super::charge(&app, address, PAGE)?;
    let player = which.player.as_deref();
    let games = app
        .tournaments
        .games(&id, which.round, player, which.before);
    Ok(axum::Json(games.await?))
}

/// Joins a tournament, or comes back to it.
#[utoipa::path(put, path = "/api/tournaments/{id}/me", params(("id" = String, Path, description = "Id of the tournament")),
    responses((status = 204), (status = 401, body = Refusal), (status = 404, body = Refusal), (status = 422, body = Refusal),
        (status = 429, body = Refusal), (status = 503, body = Refusal)))]
pub async fn join(
    State(app): State<App>,
    Address(address): Address,
    visitor: Visitor,
    Path(id): Path<String>,
) -> Result<StatusCode, Failure> {
    may_make(&app.guard, address)?;
    app.tournaments.join(&id, &visitor.person).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Leaves a tournament: one is not paired any more. A game that is played goes on.
#[utoipa::path(delete, path = "/api/tournaments/{id}/me", params(("id" = String, Path, description = "Id of the tournament")),
    responses((status = 204), (status = 404, body = Refusal), (status = 422, body = Refusal), (status = 429, body = Refusal),
        (status = 503, body = Refusal)))]
pub async fn leave(
    State(app): State<App>,
    Address(address): Address,
    visitor: Visitor,
    Path(id): Path<String>,
) -> Result<StatusCode, Failure> {
    may_make(&app.guard, address)?;
    app.tournaments.leave(&id, &visitor.person).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Calls a tournament off that has not begun, for its maker.
#[utoipa::path(delete, path = "/api/tournaments/{id}", params(("id" = String, Path, description = "Id of the tournament")),
    responses((status = 204), (status = 403, body = Refusal), (status = 404, body = Refusal), (status = 422, body = Refusal),
        (status = 503, body = Refusal)))]
pub async fn cancel(
    State(app): State<App>,
    visitor: Visitor,
    Path(id): Path<String>,
) -> Result<StatusCode, Failure> {
    app.tournaments.cancel(&id, &visitor.person).await?;
    Ok(StatusCode::NO_CONTENT)
}
