//! Games that are played and that everybody may watch; how a person's games have ended; people whom one follows or does not
//! want to read.

use super::Failure;
use super::address::Address;
use super::looks::wanted;
use super::ratings::person;
use crate::directory::is_id;
use crate::refusal::Reason;
use crate::state::App;
use crate::visitor::Visitor;
use crate::wire::{FollowedPerson, MutedPerson, Refusal, ResultsOfGame, RunningPage};
use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use serde::Deserialize;
use store::people::PeopleList;
use store::running::After;
use utoipa::IntoParams;

/// What a page costs, in positions.
const PAGE: usize = 20;
/// Games that can be asked for at once: all that one family has, and more.
const GAMES: usize = 32;
/// Bytes of what is asked for at most.
const LONGEST: usize = 1000;

/// Which games that are played are asked for.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(default, deny_unknown_fields)]
pub struct Asked {
    /// Ids of the games that are welcome, with commas between, 32 at most; any if missing.
    game: Option<String>,
    /// `next` of the page before.
    after: Option<String>,
}

fn wrong(message: impl Into<String>) -> Failure {
    Failure::of(Reason::Query, message)
}

/// Stored names of the games that are asked for.
fn variants(app: &App, text: &str) -> Result<Vec<String>, Failure> {
    if text.len() > LONGEST {
        return Err(wrong(format!(
            "game: {} bytes, expected at most {LONGEST}",
            text.len()
        )));
    }
    let ids: Vec<&str> = text
        .split(',')
        .map(str::trim)
        .filter(|id| !id.is_empty())
        .collect();
    if ids.len() > GAMES {
        return Err(wrong(format!(
            "game: {} games, expected at most {GAMES}",
            ids.len()
        )));
    }
    let games = app.directory.variants();
    let name = |id: &&str| {
        let found = games.find(id);
        let found = found.map_err(|e| Failure::of(Reason::Variant, format!("game: {e}")))?;
        Ok(games.name(&found))
    };
    ids.iter().map(name).collect()
}

/// Where the page before has ended.
fn after(text: &str) -> Result<After, Failure> {
    let read = || {
        let (rank, game) = text.split_once('.')?;
        let rank = rank.parse().ok().filter(|_| is_id(game))?;
        Some(After {
            rank,
            game: game.into(),
        })
    };
    let shown: String = text.chars().take(60).collect();
    read().ok_or_else(|| {
        wrong(format!(
            "after: {shown:?}, expected `next` of the previous page"
        ))
    })
}

/// Games that are played and that everybody may watch, the best first, a page of 24. Those at the board that both players
/// have left are not among them.
#[utoipa::path(get, path = "/api/running", params(Asked),
    responses((status = 200, body = RunningPage), (status = 400, body = Refusal), (status = 422, body = Refusal),
        (status = 429, body = Refusal), (status = 503, body = Refusal)))]
pub async fn running(
    State(app): State<App>,
    Address(address): Address,
    query: Result<Query<Asked>, QueryRejection>,
) -> Result<axum::Json<RunningPage>, Failure> {
    let asked = wanted(query)?;
    super::charge(&app, address, PAGE)?;
    let games = variants(&app, asked.game.as_deref().unwrap_or_default())?;
    let place = asked.after.as_deref().filter(|text| !text.is_empty());
    let place = place.map(after).transpose()?;
    let page = app.watching.page(&games, place.as_ref()).await?;
    Ok(axum::Json(page))
}

/// How a person's finished games have ended that everybody may find, by game and side, what was played most first.
#[utoipa::path(get, path = "/api/people/{name}/results", params(("name" = String, Path, description = "Name of the account")),
    responses((status = 200, body = Vec<ResultsOfGame>), (status = 404, body = Refusal), (status = 429, body = Refusal),
        (status = 503, body = Refusal)))]
pub async fn results(
    State(app): State<App>,
    Address(address): Address,
    Path(name): Path<String>,
) -> Result<axum::Json<Vec<ResultsOfGame>>, Failure> {
    super::charge(&app, address, PAGE)?;
    let account = person(&app, &name).await?;
    Ok(axum::Json(app.watching.results(&account.id).await?))
}

async fn set(
    app: &App,
    visitor: &Visitor,
    name: &str,
    list: PeopleList,
    on: bool,
) -> Result<StatusCode, Failure> {
    visitor.player()?;
    let other = person(app, name).await?;
    match on {
        true => app.watching.add(list, &visitor.person, &other).await?,
        false => app.watching.remove(list, &visitor.person, &other).await?,
    }
    Ok(StatusCode::NO_CONTENT)
}

/// Follows a person: what that one plays stands among those whom one follows. 200 people at most. For those who are signed in.
#[utoipa::path(put, path = "/api/people/{name}/follow", params(("name" = String, Path, description = "Name of the account")),
    responses((status = 204), (status = 401, body = Refusal), (status = 404, body = Refusal), (status = 409, body = Refusal),
        (status = 429, body = Refusal), (status = 503, body = Refusal)))]
pub async fn follow(
    State(app): State<App>,
    visitor: Visitor,
    Path(name): Path<String>,
) -> Result<StatusCode, Failure> {
    set(&app, &visitor, &name, PeopleList::Followed, true).await
}

/// Takes that back.
#[utoipa::path(delete, path = "/api/people/{name}/follow", params(("name" = String, Path, description = "Name of the account")),
    responses((status = 204), (status = 401, body = Refusal), (status = 404, body = Refusal), (status = 503, body = Refusal)))]
pub async fn unfollow(
    State(app): State<App>,
    visitor: Visitor,
    Path(name): Path<String>,
) -> Result<StatusCode, Failure> {
    set(&app, &visitor, &name, PeopleList::Followed, false).await
}

/// Those whom the one who asks follows, who plays just now first.
#[utoipa::path(get, path = "/api/me/followed", responses((status = 200, body = Vec<FollowedPerson>), (status = 401, body = Refusal),
        (status = 503, body = Refusal)))]
pub async fn followed(
    State(app): State<App>,
    visitor: Visitor,
) -> Result<axum::Json<Vec<FollowedPerson>>, Failure> {
    let account = visitor.player()?;
    Ok(axum::Json(app.watching.followed(&account.id).await?))
}

/// Is not told what a person says in chat, in any game, from now on. 200 people at most. For those who are signed in.
#[utoipa::path(put, path = "/api/me/muted/{name}", params(("name" = String, Path, description = "Name of the account")),
    responses((status = 204), (status = 401, body = Refusal), (status = 404, body = Refusal), (status = 409, body = Refusal),
        (status = 429, body = Refusal), (status = 503, body = Refusal)))]
pub async fn mute(
    State(app): State<App>,
    visitor: Visitor,
    Path(name): Path<String>,
) -> Result<StatusCode, Failure> {
    set(&app, &visitor, &name, PeopleList::Muted, true).await
}

/// Takes that back.
#[utoipa::path(delete, path = "/api/me/muted/{name}", params(("name" = String, Path, description = "Name of the account")),
    responses((status = 204), (status = 401, body = Refusal), (status = 404, body = Refusal), (status = 503, body = Refusal)))]
pub async fn unmute(
    State(app): State<App>,
    visitor: Visitor,
    Path(name): Path<String>,
) -> Result<StatusCode, Failure> {
    set(&app, &visitor, &name, PeopleList::Muted, false).await
}

/// Those whose words in chat the one who asks is not told.
#[utoipa::path(get, path = "/api/me/muted", responses((status = 200, body = Vec<MutedPerson>), (status = 401, body = Refusal),
        (status = 503, body = Refusal)))]
pub async fn muted(
    State(app): State<App>,
    visitor: Visitor,
) -> Result<axum::Json<Vec<MutedPerson>>, Failure> {
    let account = visitor.player()?;
    Ok(axum::Json(app.watching.muted(&account.id).await?))
}
