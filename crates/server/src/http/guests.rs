//! Who asks, and that one's games.

use super::{Failure, Json};
use crate::guest::Guest;
use crate::refusal::Reason;
use crate::state::App;
use crate::wire::{GameCard, Me, Refusal};
use axum::extract::State;
use axum::response::IntoResponse;
use play::names::name_of;

/// The guest who asks. Sets the cookie that knows the guest again.
#[utoipa::path(get, path = "/api/me", responses((status = 200, body = Me)))]
pub async fn me(guest: Guest) -> impl IntoResponse {
    let name = guest.person.name.clone();
    (guest, axum::Json(Me { name }))
}

/// Takes another name, for games to come.
#[utoipa::path(put, path = "/api/me", request_body = Me, responses((status = 200, body = Me), (status = 422, body = Refusal), (status = 400, body = Refusal),
        (status = 413, body = Refusal), (status = 415, body = Refusal)))]
pub async fn rename(
    State(app): State<App>,
    guest: Guest,
    Json(me): Json<Me>,
) -> Result<impl IntoResponse, Failure> {
    let Some(name) = name_of(&me.name) else {
        let message =
            "a name has 1 to 30 characters, letters or digits among them, and is not the engine's";
        return Err(Failure::of(Reason::Name, message));
    };
    let guest = guest.renamed(name.clone(), app.secure_cookies);
    Ok((guest, axum::Json(Me { name })))
}

/// The guest's own games, the newest first.
#[utoipa::path(get, path = "/api/me/games", responses((status = 200, body = Vec<GameCard>), (status = 503, body = Refusal)))]
pub async fn own(State(app): State<App>, guest: Guest) -> Result<impl IntoResponse, Failure> {
    let cards = app.directory.own(&guest.person.guest).await?;
    Ok((guest, axum::Json(cards)))
}
