//! Challenges from one person to another, and with whom one does not play.

use super::address::Address;
use super::games::may_make;
use super::ratings::person;
use super::{Failure, Json};
use crate::state::App;
use crate::visitor::Visitor;
use crate::wire::{BlockedPerson, Challenge, Challenges, Decline, NewChallenge, Paired, Refusal};
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use play::notice::Kind;

/// Challenges a person with an account. For those who are signed in.
#[utoipa::path(post, path = "/api/people/{name}/challenges", request_body = NewChallenge,
    params(("name" = String, Path, description = "Name of the account")),
    responses((status = 201, body = Challenge), (status = 401, body = Refusal), (status = 404, body = Refusal), (status = 409, body = Refusal),
        (status = 422, body = Refusal), (status = 400, body = Refusal), (status = 413, body = Refusal), (status = 415, body = Refusal),
        (status = 429, body = Refusal), (status = 503, body = Refusal)))]
pub async fn challenge(
    State(app): State<App>,
    Address(address): Address,
    visitor: Visitor,
    Path(name): Path<String>,
    Json(wish): Json<NewChallenge>,
) -> Result<Response, Failure> {
    visitor.player()?;
    may_make(&app.guard, address)?;
    let to = person(&app, &name).await?;
    let made = app.lobby.challenge(&visitor.person, &to, &wish).await?;
    Ok((StatusCode::CREATED, axum::Json(made)).into_response())
}

/// Challenges from and to the one who asks, the newest first.
#[utoipa::path(get, path = "/api/me/challenges", responses((status = 200, body = Challenges), (status = 503, body = Refusal)))]
pub async fn own(
    State(app): State<App>,
    visitor: Visitor,
) -> Result<axum::Json<Challenges>, Failure> {
    let mut all = app.lobby.challenges(&visitor.person).await?;
    if visitor.person.account {
        let wishes = app.notices.wishes(&visitor.person.guest).await?;
        let quiet = Kind::ALL.into_iter().filter(|kind| !wishes.of(*kind).page);
        all.quiet = quiet.map(Into::into).collect();
    }
    Ok(axum::Json(all))
}

/// Accepts a challenge: the game begins.
#[utoipa::path(post, path = "/api/challenges/{id}/accept", params(("id" = String, Path, description = "Id of the challenge")),
    responses((status = 201, body = Paired), (status = 404, body = Refusal), (status = 410, body = Refusal), (status = 429, body = Refusal),
        (status = 503, body = Refusal)))]
pub async fn accept(
    State(app): State<App>,
    Address(address): Address,
    visitor: Visitor,
    Path(id): Path<String>,
) -> Result<Response, Failure> {
    may_make(&app.guard, address)?;
    let paired = app.lobby.accept_challenge(&id, &visitor.person).await?;
    Ok((StatusCode::CREATED, axum::Json(paired)).into_response())
}

/// Declines a challenge, with a reason that its maker is told.
#[utoipa::path(post, path = "/api/challenges/{id}/decline", request_body = Decline,
    params(("id" = String, Path, description = "Id of the challenge")),
    responses((status = 204), (status = 404, body = Refusal), (status = 410, body = Refusal), (status = 422, body = Refusal),
        (status = 400, body = Refusal), (status = 413, body = Refusal), (status = 415, body = Refusal), (status = 503, body = Refusal)))]
pub async fn decline(
    State(app): State<App>,
    visitor: Visitor,
    Path(id): Path<String>,
    Json(answer): Json<Decline>,
) -> Result<StatusCode, Failure> {
    let lobby = &app.lobby;
    lobby.decline(&id, &visitor.person, answer.reason).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Takes a challenge of one's own back; one that was declined is forgotten.
#[utoipa::path(delete, path = "/api/challenges/{id}", params(("id" = String, Path, description = "Id of the challenge")),
    responses((status = 204), (status = 404, body = Refusal), (status = 410, body = Refusal), (status = 503, body = Refusal)))]
pub async fn withdraw(
    State(app): State<App>,
    visitor: Visitor,
    Path(id): Path<String>,
) -> Result<StatusCode, Failure> {
    app.lobby.withdraw_challenge(&id, &visitor.person).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Those with whom the one who asks does not play.
#[utoipa::path(get, path = "/api/me/blocked", responses((status = 200, body = Vec<BlockedPerson>), (status = 401, body = Refusal),
        (status = 503, body = Refusal)))]
pub async fn blocked(
    State(app): State<App>,
    visitor: Visitor,
) -> Result<axum::Json<Vec<BlockedPerson>>, Failure> {
    visitor.player()?;
    Ok(axum::Json(app.lobby.blocked(&visitor.person).await?))
}

/// Does not play with a person any more: no challenges, no pairing.
#[utoipa::path(put, path = "/api/me/blocked/{name}", params(("name" = String, Path, description = "Name of the account")),
    responses((status = 204), (status = 401, body = Refusal), (status = 404, body = Refusal), (status = 409, body = Refusal),
        (status = 503, body = Refusal)))]
pub async fn block(
    State(app): State<App>,
    visitor: Visitor,
    Path(name): Path<String>,
) -> Result<StatusCode, Failure> {
    visitor.player()?;
    let other = person(&app, &name).await?;
    app.lobby.block(&visitor.person, &other).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Takes that back.
#[utoipa::path(delete, path = "/api/me/blocked/{name}", params(("name" = String, Path, description = "Name of the account")),
    responses((status = 204), (status = 401, body = Refusal), (status = 404, body = Refusal), (status = 503, body = Refusal)))]
pub async fn unblock(
    State(app): State<App>,
    visitor: Visitor,
    Path(name): Path<String>,
) -> Result<StatusCode, Failure> {
    visitor.player()?;
    let other = person(&app, &name).await?;
    app.lobby.unblock(&visitor.person, &other).await?;
    Ok(StatusCode::NO_CONTENT)
}
