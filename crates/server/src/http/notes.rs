//! What players write to themselves about their games: seen by nobody else.

use super::games::no_game;
use super::{Failure, Json};
use crate::refusal::Reason;
use crate::services::wall_ms;
use crate::state::App;
use crate::visitor::Visitor;
use crate::wire::{Note, Refusal};
use axum::extract::{Path, State};
use axum::http::StatusCode;

/// Characters of a note at most.
const LONGEST: usize = 4000;

/// One's own note about a game; empty if there is none.
#[utoipa::path(get, path = "/api/games/{id}/note", params(("id" = String, Path, description = "Id of the game")),
    responses((status = 200, body = Note), (status = 404, body = Refusal), (status = 503, body = Refusal)))]
pub async fn read(
    State(app): State<App>,
    visitor: Visitor,
    Path(id): Path<String>,
) -> Result<axum::Json<Note>, Failure> {
    let notes = &app.directory.services().notes;
    let text = notes.note(&visitor.person.guest, &id).await;
    let text = text.map_err(crate::refusal::Refused::from)?;
    Ok(axum::Json(Note {
        text: text.unwrap_or_default(),
    }))
}

/// Puts another note in its place. For players of the game.
#[utoipa::path(put, path = "/api/games/{id}/note", request_body = Note, params(("id" = String, Path, description = "Id of the game")),
    responses((status = 204), (status = 404, body = Refusal), (status = 422, body = Refusal), (status = 400, body = Refusal),
        (status = 413, body = Refusal), (status = 415, body = Refusal), (status = 503, body = Refusal)))]
pub async fn keep(
    State(app): State<App>,
    visitor: Visitor,
    Path(id): Path<String>,
    Json(note): Json<Note>,
) -> Result<StatusCode, Failure> {
    let text = note.text.trim();
    let characters = text.chars().count();
    if characters > LONGEST {
        let message = format!("text: {characters} characters, expected at most {LONGEST}");
        return Err(Failure::of(Reason::Malformed, message));
    }
    let notes = &app.directory.services().notes;
    let kept = notes.keep_note(&visitor.person.guest, &id, text, wall_ms());
    match kept.await.map_err(crate::refusal::Refused::from)? {
        true => Ok(StatusCode::NO_CONTENT),
        false => Err(no_game()),
    }
}
