//! What people report, and what is announced to them.

use super::address::Address;
use super::games::no_game;
use super::ratings::person;
use super::{Failure, Json};
use crate::directory::Payer;
use crate::moderation::About;
use crate::refusal::Reason;
use crate::state::App;
use crate::visitor::Visitor;
use crate::wire::{Announcement, NewReport, OwnReport, Refusal};
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use play::Who;

/// What is announced now: lines for the top of every page.
#[utoipa::path(get, path = "/api/announcements", responses((status = 200, body = Vec<Announcement>), (status = 503, body = Refusal)))]
pub async fn announcements(State(app): State<App>) -> Response {
    let announced = app.moderation.bans().announced();
    let head = [(axum::http::header::CACHE_CONTROL, super::ASK)];
    (head, axum::Json(announced.list.to_vec())).into_response()
}

/// Reports a person, or a game with what is wrong in it, to those who moderate.
#[utoipa::path(post, path = "/api/reports", request_body = NewReport, responses((status = 201), (status = 400, body = Refusal),
        (status = 403, body = Refusal), (status = 404, body = Refusal), (status = 409, body = Refusal), (status = 413, body = Refusal),
        (status = 415, body = Refusal), (status = 422, body = Refusal), (status = 429, body = Refusal), (status = 500, body = Refusal),
        (status = 503, body = Refusal)))]
pub async fn report(
    State(app): State<App>,
    Address(address): Address,
    visitor: Visitor,
    Json(wish): Json<NewReport>,
) -> Result<impl IntoResponse, Failure> {
    if !app.guard.report(address) {
        let message = "too many reports from your address today; try again tomorrow";
        return Err(Failure::of(Reason::Rate, message).after(3600));
    }
    let about = match (&wish.person, &wish.game) {
        (Some(name), None) if wish.side.is_none() && wish.line.is_none() => {
            About::Account(Box::new(person(&app, name).await?))
        }
        (None, Some(id)) => {
            let payer = Payer::Address(&app.guard, address);
            let read = app.directory.read_for(id, payer).await?;
            let table = Box::new(read.ok_or_else(no_game)?.table);
            let keys = &app.directory.services().keys;
            let seat = wish.seat.as_deref();
            let who = keys.seat_of(&table, seat, &visitor.person.guest);
            About::Game {
                id: id.clone(),
                table,
                who: who.unwrap_or(Who::Watcher),
            }
        }
        _ => {
            let message = "exactly one of person and game is needed; side and line go with a game";
            return Err(Failure::of(Reason::Malformed, message));
        }
    };
    let reported = app.moderation.report(&visitor.person, about, &wish);
    reported.await?;
    Ok((visitor, StatusCode::CREATED))
}

/// Reports that one has made, the newest first, with their answers.
#[utoipa::path(get, path = "/api/me/reports", responses((status = 200, body = Vec<OwnReport>), (status = 503, body = Refusal)))]
pub async fn own(
    State(app): State<App>,
    visitor: Visitor,
) -> Result<axum::Json<Vec<OwnReport>>, Failure> {
    let own = app.moderation.own_reports(&visitor.person.guest);
    Ok(axum::Json(own.await?))
}
