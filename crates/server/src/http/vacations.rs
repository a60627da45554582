//! Vacations of those who are signed in.

use super::{Failure, Json};
use crate::state::App;
use crate::visitor::Visitor;
use crate::wire::{NewVacation, Refusal, Vacation};
use axum::extract::State;
use axum::http::StatusCode;

/// Whether one is on vacation, and how many days are left this year.
#[utoipa::path(get, path = "/api/account/vacation", responses((status = 200, body = Vacation), (status = 401, body = Refusal),
        (status = 503, body = Refusal)))]
pub async fn look(
    State(app): State<App>,
    visitor: Visitor,
) -> Result<axum::Json<Vacation>, Failure> {
    let account = visitor.player()?;
    Ok(axum::Json(app.vacations.of(&account.id).await?))
}

/// Begins a vacation: in games over days one's clock stands still.
#[utoipa::path(put, path = "/api/account/vacation", request_body = NewVacation, responses((status = 200, body = Vacation),
        (status = 401, body = Refusal), (status = 409, body = Refusal), (status = 422, body = Refusal), (status = 400, body = Refusal),
        (status = 413, body = Refusal), (status = 415, body = Refusal), (status = 503, body = Refusal)))]
pub async fn begin(
    State(app): State<App>,
    visitor: Visitor,
    Json(wish): Json<NewVacation>,
) -> Result<axum::Json<Vacation>, Failure> {
    let account = visitor.player()?;
    let begun = app.vacations.begin(&account.id, wish.days).await?;
    Ok(axum::Json(begun))
}

/// Ends it.
#[utoipa::path(delete, path = "/api/account/vacation", responses((status = 204), (status = 401, body = Refusal), (status = 409, body = Refusal),
        (status = 503, body = Refusal)))]
pub async fn end(State(app): State<App>, visitor: Visitor) -> Result<StatusCode, Failure> {
    app.vacations.end(&visitor.player()?.id).await?;
    Ok(StatusCode::NO_CONTENT)
}
