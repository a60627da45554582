//! Games looked back at: begun, asked about, and moves tried in them.

use super::address::Address;
use super::chunks::Chunks;
use super::long::LongJson;
use super::{Failure, Json, positions};
use crate::directory::{Payer, is_id};
use crate::refusal::{Reason, Refused, refused};
use crate::reviews::kept::Kept;
use crate::reviews::tell::{self, Trial};
use crate::reviews::{Found, Source, none_such};
use crate::state::App;
use crate::visitor::Visitor;
use crate::wire::{Refusal, ReviewRequest, ReviewStage, ReviewState, TryAnswer, TryRequest};
use crate::work::Weight;
use axum::extract::{Path, State};
use axum::response::IntoResponse;
use play::Both;
use std::net::IpAddr;

/// Positions that a tried move is charged as.
const TRIED: usize = 400;

/// Has a game that is over looked back at: begins it, joins it, or gives what is known.
#[utoipa::path(
    post, path = "/api/games/{id}/review",
    params(("id" = String, Path, description = "Id of the game")),
    responses((status = 200, body = ReviewState), (status = 404, body = Refusal), (status = 409, body = Refusal),
        (status = 422, body = Refusal), (status = 429, body = Refusal), (status = 503, body = Refusal))
)]
pub async fn of_game(
    State(app): State<App>,
    Address(address): Address,
    visitor: Visitor,
    Path(id): Path<String>,
) -> Result<impl IntoResponse, Failure> {
    if !is_id(&id) {
        return Err(super::games::no_game());
    }
    let begun = match app.reviews.find(&id).await? {
        Some(_) => None,
        None => {
            let payer = Payer::Address(&app.guard, address);
            let read = app.directory.read_for(&id, payer).await?;
            let table = read.ok_or_else(super::games::no_game)?.table;
            Some(Source::Game(Box::new(Kept::of_table(&table)?)))
        }
    };
    let answer = begin(&app, address, &visitor, &id, begun).await?;
    Ok((visitor, answer))
}

/// How far the review of a game is, and what it says when all has been looked at.
#[utoipa::path(
    get, path = "/api/games/{id}/review",
    params(("id" = String, Path, description = "Id of the game")),
    responses((status = 200, body = ReviewState), (status = 404, body = Refusal), (status = 429, body = Refusal),
        (status = 503, body = Refusal))
)]
pub async fn look_game(
    app: State<App>,
    address: Address,
    id: Path<String>,
) -> Result<Chunks, Failure> {
    look(app, address, id).await
}

/// Has a game that is given as PGN text looked back at. The same game has the same id.
#[utoipa::path(
    post, path = "/api/reviews", request_body = ReviewRequest,
    responses((status = 200, body = ReviewState), (status = 422, body = Refusal), (status = 400, body = Refusal),
        (status = 413, body = Refusal), (status = 415, body = Refusal), (status = 429, body = Refusal),
        (status = 503, body = Refusal))
)]
pub async fn of_text(
    State(app): State<App>,
    Address(address): Address,
    visitor: Visitor,
    body: LongJson,
) -> Result<impl IntoResponse, Failure> {
    let (guard, games) = (app.guard.clone(), app.directory.variants().clone());
    let read = move || {
        let request: ReviewRequest = body.read()?;
        let charge = |moves| guard.positions(address, moves);
        Kept::of_pgn(&request.text, &games, charge).map_err(positions::failure)
    };
    let kept = app.directory.work().run(Weight::Heavy, read).await??;
    let id = kept.own_id();
    let source = Source::Text(Box::new(kept));
    let answer = begin(&app, address, &visitor, &id, Some(source)).await?;
    Ok((visitor, answer))
}

/// How far a review is, and what it says when all has been looked at.
#[utoipa::path(
    get, path = "/api/reviews/{id}",
    params(("id" = String, Path, description = "Id of the review, or of its game")),
    responses((status = 200, body = ReviewState), (status = 404, body = Refusal), (status = 429, body = Refusal),
        (status = 503, body = Refusal))
)]
pub async fn look(
    State(app): State<App>,
    Address(address): Address,
    Path(id): Path<String>,
) -> Result<Chunks, Failure> {
    super::charge(&app, address, 1)?;
    let found = find(&app, &id).await?;
    told(&app, address, id, found).await
}

/// Goes on with a review that rests.
#[utoipa::path(
    post, path = "/api/reviews/{id}",
    params(("id" = String, Path, description = "Id of the review, or of its game")),
    responses((status = 200, body = ReviewState), (status = 404, body = Refusal), (status = 429, body = Refusal),
        (status = 503, body = Refusal))
)]
pub async fn go_on(
    State(app): State<App>,
    Address(address): Address,
    visitor: Visitor,
    Path(id): Path<String>,
) -> Result<impl IntoResponse, Failure> {
    if !is_id(&id) {
        return Err(none_such().into());
    }
    let answer = begin(&app, address, &visitor, &id, None).await?;
    Ok((visitor, answer))
}

/// What the engine says of a move that was not made.
#[utoipa::path(
    post, path = "/api/reviews/{id}/try", request_body = TryRequest,
    params(("id" = String, Path, description = "Id of the review, or of its game")),
    responses((status = 200, body = TryAnswer), (status = 404, body = Refusal), (status = 422, body = Refusal),
        (status = 400, body = Refusal), (status = 409, body = Refusal), (status = 413, body = Refusal),
        (status = 415, body = Refusal), (status = 429, body = Refusal), (status = 503, body = Refusal))
)]
pub async fn attempt(
    State(app): State<App>,
    Address(address): Address,
    visitor: Visitor,
    Path(id): Path<String>,
    Json(tried): Json<TryRequest>,
) -> Result<impl IntoResponse, Failure> {
    super::charge(&app, address, TRIED)?;
    let Found::Whole(kept, _) = find(&app, &id).await? else {
        let message = "the game is still being reviewed; try again when that is done";
        return Err(Failure::of(Reason::NotOver, message));
    };
    let work = app.directory.work().clone();
    let games = app.directory.variants().clone();
    let make = move || Trial::of(&kept, &games, tried.ply, &tried.uci);
    let trial = work.run(Weight::Light, make).await??;
    let thought = match trial.known() {
        Some(known) => known,
        None => {
            let asker = format!("try {}", visitor.person.guest);
            app.reviews.judge(trial.job(&asker)).await?
        }
    };
    let answer = work
        .run(Weight::Light, move || trial.answer(&thought))
        .await?;
    Ok((visitor, axum::Json(answer)))
}

async fn find(app: &App, id: &str) -> Result<Found, Failure> {
    let found = match is_id(id) {
        true => app.reviews.find(id).await?,
        false => None,
    };
    Ok(found.ok_or_else(none_such)?)
}

async fn begin(
    app: &App,
    address: IpAddr,
    visitor: &Visitor,
    id: &str,
    source: Option<Source>,
) -> Result<Chunks, Failure> {
    super::charge(app, address, 1)?;
    let pays = || -> Result<(), Refused> {
        match app.guard.review(address) {
            true => Ok(()),
            false => Err(refused(
                Reason::Rate,
                "too many games from your address are being reviewed; wait a few minutes",
            )),
        }
    };
    let found = app.reviews.begin(id, source, &visitor.person.guest, pays);
    let found = found.await?;
    told(app, address, id.to_owned(), found).await
}

/// A review as an answer, made in the pool for such work.
async fn told(app: &App, address: IpAddr, id: String, found: Found) -> Result<Chunks, Failure> {
    let memory = app.memory.clone();
    let (mut kept, until_ms) = match found {
        Found::Begun(state) => return Chunks::json(&state, &memory),
        Found::Whole(kept, until_ms) => (kept, until_ms),
    };
    let positions = kept.positions();
    // A stored game is replayed for its players' names, too.
    let games = if until_ms.is_none() { 2 } else { 1 };
    super::charge(app, address, games * positions)?;
    if until_ms.is_none() {
        // Who has left since the game is not named in it any more.
        let read = app.directory.read(&id).await?;
        let table = read.ok_or_else(none_such)?.table;
        kept.players = Both::of(|side| table.player_name(side));
    }
    let games = app.directory.variants().clone();
    let job = move || {
        let state = ReviewState {
            id,
            stage: ReviewStage::Ready,
            done: positions as u32,
            of: positions as u32,
            review: Some(tell::whole(&kept, &games, until_ms)?),
        };
        Chunks::json(&state, &memory)
    };
    app.directory.work().run(Weight::Light, job).await?
}
