//! Games made, listed and looked at. What happens in them goes over the socket.

use super::address::Address;
use super::{Failure, Json};
use crate::guest::Guest;
use crate::hall::Hall;
use crate::live::Command;
use crate::names::name_of;
use crate::state::App;
use crate::wire::{GameCard, GameMade, NewGame, Refusal, Snapshot};
use axum::extract::{Path, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};

fn no_game() -> Failure {
    Failure::of(
        StatusCode::NOT_FOUND,
        "no_such_game",
        "there is no such game",
    )
}

/// Games that can be watched, those moved last first.
#[utoipa::path(get, path = "/api/games", responses((status = 200, body = Vec<GameCard>), (status = 503, body = Refusal)))]
pub async fn watchable(State(hall): State<Hall>) -> Result<axum::Json<Vec<GameCard>>, Failure> {
    Ok(axum::Json(hall.watchable().await?))
}

/// Makes a game.
#[utoipa::path(
    post, path = "/api/games", request_body = NewGame,
    responses((status = 201, body = GameMade), (status = 422, body = Refusal), (status = 400, body = Refusal),
        (status = 413, body = Refusal), (status = 415, body = Refusal), (status = 429, body = Refusal),
        (status = 503, body = Refusal))
)]
pub async fn make(
    State(app): State<App>,
    Address(address): Address,
    guest: Guest,
    Json(wishes): Json<NewGame>,
) -> Result<Response, Failure> {
    if !app.guard.game(address) {
        let message = "too many games from your address; wait a minute";
        let refused = Failure::of(StatusCode::TOO_MANY_REQUESTS, "rate", message);
        return Ok(([(header::RETRY_AFTER, "60")], refused).into_response());
    }
    let mut person = guest.person.clone();
    if let Some(name) = wishes.name.as_deref().and_then(name_of) {
        person.name = name;
    }
    let (made, side) = app.hall.make(&wishes, &person).await?;
    let seat = |side| made.seats.get(side).clone();
    let answer = GameMade {
        side: side.into(),
        seat: seat(side),
        friend_seat: wishes.level.is_none().then(|| seat(side.opponent())),
        id: made.id.clone(),
    };
    Ok((guest, (StatusCode::CREATED, axum::Json(answer))).into_response())
}

/// A game as it is now.
#[utoipa::path(
    get, path = "/api/games/{id}",
    params(("id" = String, Path, description = "Id of the game")),
    responses((status = 200, body = Snapshot), (status = 404, body = Refusal), (status = 503, body = Refusal))
)]
pub async fn look(
    State(hall): State<Hall>,
    guest: Guest,
    Path(id): Path<String>,
) -> Result<axum::Json<Snapshot>, Failure> {
    let asks = guest.person.guest.as_str();
    let snapshot = hall.ask(&id, |answer| Command::Look {
        guest: asks.into(),
        answer,
    });
    let snapshot = snapshot.await?.ok_or_else(no_game)?;
    Ok(axum::Json(*snapshot))
}

/// A game as PGN text.
#[utoipa::path(
    get, path = "/api/games/{id}/pgn",
    params(("id" = String, Path, description = "Id of the game")),
    responses((status = 200, content_type = "application/x-chess-pgn", body = String), (status = 404, body = Refusal),
        (status = 409, body = Refusal), (status = 503, body = Refusal))
)]
pub async fn pgn(
    State(hall): State<Hall>,
    Path(id): Path<String>,
) -> Result<impl IntoResponse, Failure> {
    let text = hall.ask(&id, |answer| Command::Pgn { answer }).await?;
    let text = text.ok_or_else(no_game)?;
    let text = text.map_err(|e| Failure::of(StatusCode::CONFLICT, "not_begun", e))?;
    let name = format!("attachment; filename=\"husun-{id}.pgn\"");
    let headers = [
        (
            header::CONTENT_TYPE,
            "application/x-chess-pgn; charset=utf-8".to_owned(),
        ),
        (header::CONTENT_DISPOSITION, name),
    ];
    Ok((headers, text))
}
