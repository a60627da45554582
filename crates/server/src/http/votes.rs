//! Votes: listed, called, looked at, voted in, called off.

use super::address::Address;
use super::games::may_make;
use super::looks::wanted;
use super::tournaments::{Listed, PAGE};
use super::{Failure, Json};
use crate::state::App;
use crate::visitor::Visitor;
use crate::wire::{Ballot, NewVote, Refusal, VoteMade, VoteNow, Votes};
use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};

/// Votes that are open, and those that are over.
#[utoipa::path(get, path = "/api/votes", params(Listed), responses((status = 200, body = Votes), (status = 400, body = Refusal),
        (status = 429, body = Refusal), (status = 503, body = Refusal)))]
pub async fn list(
    State(app): State<App>,
    Address(address): Address,
    visitor: Visitor,
    query: Result<Query<Listed>, QueryRejection>,
) -> Result<impl IntoResponse, Failure> {
    let asked = wanted(query)?;
    super::charge(&app, address, PAGE)?;
    let votes = app.votes.list(&visitor.person, asked.before.as_deref());
    let votes = votes.await?;
    Ok((visitor, axum::Json(votes)))
}

/// Calls a vote: for those who are signed in, if the operator has not named who may.
#[utoipa::path(post, path = "/api/votes", request_body = NewVote,
    responses((status = 201, body = VoteMade), (status = 401, body = Refusal), (status = 403, body = Refusal),
        (status = 422, body = Refusal), (status = 400, body = Refusal), (status = 413, body = Refusal),
        (status = 415, body = Refusal), (status = 429, body = Refusal), (status = 503, body = Refusal)))]
pub async fn call(
    State(app): State<App>,
    Address(address): Address,
    visitor: Visitor,
    Json(wish): Json<NewVote>,
) -> Result<Response, Failure> {
    let account = visitor.account()?;
    may_make(&app.guard, address)?;
    app.directory
        .services()
        .bans
        .may_chat(&account.account.id)?;
    let id = app.votes.call(&wish, &visitor.person).await?;
    Ok((StatusCode::CREATED, axum::Json(VoteMade { id })).into_response())
}

/// A vote: what is asked, the own ballot, and when it has closed what was declared.
#[utoipa::path(get, path = "/api/votes/{id}", params(("id" = String, Path, description = "Id of the vote")),
    responses((status = 200, body = VoteNow), (status = 404, body = Refusal), (status = 429, body = Refusal),
        (status = 503, body = Refusal)))]
pub async fn look(
    State(app): State<App>,
    Address(address): Address,
    visitor: Visitor,
    Path(id): Path<String>,
) -> Result<impl IntoResponse, Failure> {
    super::charge(&app, address, PAGE)?;
    let account = visitor.signed_in.as_ref().map(|s| s.account.clone());
    let now = app.votes.look(&id, account.as_ref()).await?;
    Ok((visitor, axum::Json(now)))
}

/// Casts one's ballot: one tick and one cross, both, either or neither. It takes the place of the one before.
#[utoipa::path(put, path = "/api/votes/{id}/me", request_body = Ballot, params(("id" = String, Path, description = "Id of the vote")),
    responses((status = 204), (status = 401, body = Refusal), (status = 403, body = Refusal), (status = 404, body = Refusal),
        (status = 410, body = Refusal), (status = 422, body = Refusal), (status = 400, body = Refusal), (status = 413, body = Refusal),
        (status = 415, body = Refusal), (status = 429, body = Refusal), (status = 503, body = Refusal)))]
pub async fn cast(
    State(app): State<App>,
    Address(address): Address,
    visitor: Visitor,
    Path(id): Path<String>,
    Json(ballot): Json<Ballot>,
) -> Result<StatusCode, Failure> {
    let account = &visitor.account()?.account;
    super::charge(&app, address, PAGE)?;
    app.votes.cast(&id, account, ballot).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Takes one's ballot back.
#[utoipa::path(delete, path = "/api/votes/{id}/me", params(("id" = String, Path, description = "Id of the vote")),
    responses((status = 204), (status = 401, body = Refusal), (status = 403, body = Refusal), (status = 404, body = Refusal),
        (status = 410, body = Refusal), (status = 429, body = Refusal), (status = 503, body = Refusal)))]
pub async fn uncast(
    State(app): State<App>,
    Address(address): Address,
    visitor: Visitor,
    Path(id): Path<String>,
) -> Result<StatusCode, Failure> {
    let account = &visitor.account()?.account;
    super::charge(&app, address, PAGE)?;
    app.votes.uncast(&id, account).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Calls a vote off that is open, for the one who has called it.
#[utoipa::path(delete, path = "/api/votes/{id}", params(("id" = String, Path, description = "Id of the vote")),
    responses((status = 204), (status = 401, body = Refusal), (status = 403, body = Refusal), (status = 404, body = Refusal),
        (status = 410, body = Refusal), (status = 503, body = Refusal)))]
pub async fn call_off(
    State(app): State<App>,
    visitor: Visitor,
    Path(id): Path<String>,
) -> Result<StatusCode, Failure> {
    let account = &visitor.account()?.account;
    app.votes.call_off(&id, account).await?;
    Ok(StatusCode::NO_CONTENT)
}
