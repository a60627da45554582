//! Accounts of programs and their tokens, for the people who look after them.

use super::account::confirmed;
use super::address::Address;
use super::{Failure, Json};
use crate::refusal::Reason;
use crate::state::App;
use crate::visitor::Visitor;
use crate::wire::{Confirmation, NewToken, Refusal, TokenMade};
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};

/// Marks one's own account as a program's, for good: only while it has finished no rated game.
#[utoipa::path(put, path = "/api/account/bot", request_body = Confirmation, responses((status = 204), (status = 401, body = Refusal),
        (status = 403, body = Refusal), (status = 409, body = Refusal), (status = 400, body = Refusal), (status = 413, body = Refusal),
        (status = 415, body = Refusal), (status = 422, body = Refusal), (status = 429, body = Refusal), (status = 503, body = Refusal)))]
pub async fn make_bot(
    State(app): State<App>,
    Address(address): Address,
    visitor: Visitor,
    Json(given): Json<Confirmation>,
) -> Result<StatusCode, Failure> {
    let signed_in = confirmed(&app, address, &visitor, given.password).await?;
    app.accounts.make_bot(&signed_in.account).await?;
    // What it has offered until now was a person's offer.
    app.lobby.withdraw_all(&visitor.person).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Makes a token for one's own program. Its word is told this once.
#[utoipa::path(post, path = "/api/account/tokens", request_body = NewToken, responses((status = 201, body = TokenMade),
        (status = 401, body = Refusal), (status = 403, body = Refusal), (status = 409, body = Refusal), (status = 400, body = Refusal),
        (status = 413, body = Refusal), (status = 415, body = Refusal), (status = 422, body = Refusal), (status = 429, body = Refusal),
        (status = 503, body = Refusal)))]
pub async fn make(
    State(app): State<App>,
    visitor: Visitor,
    Json(wish): Json<NewToken>,
) -> Result<Response, Failure> {
    let made = app.accounts.new_token(visitor.account()?, &wish.name);
    let (row, token) = made.await?;
    let answer = TokenMade {
        id: row.id,
        name: row.name,
        token,
    };
    Ok((StatusCode::CREATED, axum::Json(answer)).into_response())
}

/// Takes a token of one's own back: it opens nothing any more.
#[utoipa::path(delete, path = "/api/account/tokens/{id}", params(("id" = String, Path, description = "Id of the token")),
    responses((status = 204), (status = 401, body = Refusal), (status = 403, body = Refusal), (status = 404, body = Refusal),
        (status = 503, body = Refusal)))]
pub async fn take_back(
    State(app): State<App>,
    visitor: Visitor,
    Path(id): Path<String>,
) -> Result<StatusCode, Failure> {
    match app
        .accounts
        .take_token_back(visitor.account()?, &id)
        .await?
    {
        true => Ok(StatusCode::NO_CONTENT),
        false => Err(Failure::of(Reason::NoSuchToken, "you have no such token")),
    }
}
