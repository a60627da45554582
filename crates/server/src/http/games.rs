//! Games made, listed and looked at. What happens in them goes over the socket.

use super::address::Address;
use super::{Failure, Json};
use crate::directory::Payer;
use crate::limits::Guard;
use crate::refusal::Reason;
use crate::state::App;
use crate::visitor::Visitor;
use crate::wire::{GameMade, NewGame, Refusal, Snapshot};
use crate::work::Weight;
use axum::extract::{Path, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use std::net::IpAddr;

pub(super) fn no_game() -> Failure {
    Failure::of(Reason::NoSuchGame, "there is no such game")
}

/// Counts a game, or an offer of which one may come, against the address that asks.
pub(super) fn may_make(guard: &Guard, address: IpAddr) -> Result<(), Failure> {
    match guard.game(address) {
        true => Ok(()),
        false => {
            let message = "too many games and offers from your address; wait a minute";
            Err(Failure::of(Reason::Rate, message).after(60))
        }
    }
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
    visitor: Visitor,
    Json(wishes): Json<NewGame>,
) -> Result<Response, Failure> {
    may_make(&app.guard, address)?;
    let person = visitor.person.named(wishes.name.as_deref());
    let (made, side) = app.directory.make(&wishes, &person).await?;
    let seat = |side| made.seats.get(side).clone();
    let answer = GameMade {
        side: side.into(),
        seat: seat(side),
        friend_seat: wishes.level.is_none().then(|| seat(side.opponent())),
        id: made.id.clone(),
    };
    Ok((visitor, (StatusCode::CREATED, axum::Json(answer))).into_response())
}

/// A game as it is now.
#[utoipa::path(
    get, path = "/api/games/{id}",
    params(("id" = String, Path, description = "Id of the game")),
    responses((status = 200, body = Snapshot), (status = 404, body = Refusal), (status = 429, body = Refusal),
        (status = 503, body = Refusal))
)]
pub async fn look(
    State(app): State<App>,
    Address(address): Address,
    visitor: Visitor,
    Path(id): Path<String>,
) -> Result<impl IntoResponse, Failure> {
    let payer = Payer::Address(&app.guard, address);
    let muted = app.watching.muted_ids(&visitor.person).await?;
    let directory = &app.directory;
    let told = directory.look(&id, &visitor.person.guest, muted, payer);
    let told = told.await?;
    let json = [(header::CONTENT_TYPE, "application/json")];
    Ok((json, told.ok_or_else(no_game)?))
}

/// A game as PGN text.
#[utoipa::path(
    get, path = "/api/games/{id}/pgn",
    params(("id" = String, Path, description = "Id of the game")),
    responses((status = 200, content_type = "application/x-chess-pgn", body = String), (status = 404, body = Refusal),
        (status = 409, body = Refusal), (status = 429, body = Refusal), (status = 503, body = Refusal))
)]
pub async fn pgn(
    State(app): State<App>,
    Address(address): Address,
    Path(id): Path<String>,
) -> Result<impl IntoResponse, Failure> {
    let payer = Payer::Address(&app.guard, address);
    let read = app.directory.read_for(&id, payer).await?;
    let read = read.ok_or_else(no_game)?;
    let of = id.clone();
    let write = move || crate::pgn::of_table(&of, &read.table, read.began_ms);
    let text = app.directory.work().run(Weight::Light, write).await?;
    let text = text.map_err(|e| Failure::of(Reason::NotBegun, e))?;
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
