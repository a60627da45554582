//! Who asks, and that one's games.

use super::{Failure, Json};
use crate::refusal::Reason;
use crate::state::App;
use crate::visitor::Visitor;
use crate::wire::{GameCard, Me, Refusal, Rename};
use axum::extract::State;
use axum::response::IntoResponse;
use play::names::name_of;

/// Who asks, as that one is told.
pub(super) fn me_of(visitor: &Visitor) -> Me {
    let person = &visitor.person;
    Me {
        name: person.name.clone(),
        account: person.account,
        bot: person.bot,
    }
}

fn answer(visitor: Visitor) -> impl IntoResponse {
    let me = me_of(&visitor);
    (visitor, axum::Json(me))
}

/// Who asks. Sets the cookie that knows a guest again.
#[utoipa::path(get, path = "/api/me", responses((status = 200, body = Me), (status = 503, body = Refusal)))]
pub async fn me(visitor: Visitor) -> impl IntoResponse {
    answer(visitor)
}

/// Takes another name as a guest, for games to come. An account's name stays.
#[utoipa::path(put, path = "/api/me", request_body = Rename, responses((status = 200, body = Me), (status = 409, body = Refusal),
        (status = 422, body = Refusal), (status = 400, body = Refusal), (status = 413, body = Refusal), (status = 415, body = Refusal),
        (status = 503, body = Refusal)))]
pub async fn rename(
    visitor: Visitor,
    Json(wish): Json<Rename>,
) -> Result<impl IntoResponse, Failure> {
    if visitor.person.account {
        let message = "you play under your account's name; sign out to play under another";
        return Err(Failure::of(Reason::SignedIn, message));
    }
    let Some(name) = name_of(&wish.name) else {
        let message = "a name has 1 to 30 characters, with letters or digits among them, and is not the engine's";
        return Err(Failure::of(Reason::Name, message));
    };
    Ok(answer(visitor.renamed(name)))
}

/// One's own games, the newest first.
#[utoipa::path(get, path = "/api/me/games", responses((status = 200, body = Vec<GameCard>), (status = 503, body = Refusal)))]
pub async fn own(State(app): State<App>, visitor: Visitor) -> Result<impl IntoResponse, Failure> {
    let cards = app.directory.own(&visitor.person.guest).await?;
    Ok((visitor, axum::Json(cards)))
}
