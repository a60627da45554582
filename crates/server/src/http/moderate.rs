//! For those who moderate, and for who runs the server: accounts with that mark by their cookie, the operator by the word
//! in the data folder. All others are told that there is nothing for them.

use super::{Failure, Json};
use crate::moderation::Actor;
use crate::refusal::Reason;
use crate::state::App;
use crate::visitor::{Visitor, token_of};
use crate::wire::{
    AccountPage, AccountSeen, ActDone, Announcement, BanPage, ChatSeen, LogPage, Moderating,
    ModerationAct, Refusal, Report, ReportPage,
};
use axum::extract::{FromRef, FromRequestParts, Path, Query, State};
use axum::http::request::Parts;
use serde::Deserialize;

/// Who moderates and asks.
#[derive(Debug)]
pub struct Moderates(Actor);

impl<S> FromRequestParts<S> for Moderates
where
    S: Send + Sync,
    App: FromRef<S>,
{
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Moderates, Failure> {
        let app = App::from_ref(state);
        if let Some(word) = token_of(&parts.headers) {
            return match app.operator.is(word) {
                true => Ok(Moderates(Actor::Operator)),
                false => Err(Failure::of(
                    Reason::Operator,
                    "this is not the word of the running server; it is in the data folder",
                )),
            };
        }
        let visitor = Visitor::from_request_parts(parts, state).await?;
        let account = visitor.signed_in.map(|signed_in| signed_in.account);
        let bans = app.moderation.bans();
        match account.filter(|account| bans.is_moderator(&account.id)) {
            Some(account) => Ok(Moderates(Actor::Moderator(Box::new(account)))),
            None => Err(Failure::of(
                Reason::NotModerator,
                "there is nothing here for you: this is for moderators",
            )),
        }
    }
}

/// A query, refused with a reason that says what is wrong.
#[derive(Debug)]
pub struct Asked<T>(T);

impl<T: serde::de::DeserializeOwned, S: Send + Sync> FromRequestParts<S> for Asked<T> {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Asked<T>, Failure> {
        match Query::from_request_parts(parts, state).await {
            Ok(Query(asked)) => Ok(Asked(asked)),
            Err(rejection) => Err(Failure::of(Reason::Query, rejection.body_text())),
        }
    }
}

/// Which part of a list.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Part {
    before: Option<String>,
}

/// Which reports.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Which {
    #[serde(default)]
    settled: bool,
    before: Option<String>,
}

/// Which accounts.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Search {
    #[serde(default)]
    name: String,
    #[serde(default)]
    after: String,
}

/// Which entries of the log.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entries {
    account: Option<String>,
    before: Option<String>,
}

/// Who asks, among those who moderate, and how many reports are open.
#[utoipa::path(get, path = "/api/moderate", responses((status = 200, body = Moderating), (status = 403, body = Refusal),
        (status = 404, body = Refusal), (status = 503, body = Refusal)))]
pub async fn state(
    State(app): State<App>,
    Moderates(actor): Moderates,
) -> Result<axum::Json<Moderating>, Failure> {
    Ok(axum::Json(app.moderation.state(&actor).await?))
}

/// Does something, which is entered in the log.
#[utoipa::path(post, path = "/api/moderate/acts", request_body = ModerationAct, responses((status = 200, body = ActDone),
        (status = 400, body = Refusal), (status = 403, body = Refusal), (status = 404, body = Refusal), (status = 409, body = Refusal),
        (status = 410, body = Refusal), (status = 413, body = Refusal), (status = 415, body = Refusal), (status = 422, body = Refusal),
        (status = 429, body = Refusal), (status = 500, body = Refusal), (status = 503, body = Refusal)))]
pub async fn act(
    State(app): State<App>,
    Moderates(actor): Moderates,
    Json(act): Json<ModerationAct>,
) -> Result<axum::Json<ActDone>, Failure> {
    Ok(axum::Json(app.moderation.act(&actor, act).await?))
}

/// Reports that are open, or those that are settled, the newest first.
#[utoipa::path(get, path = "/api/moderate/reports",
    params(("settled" = Option<bool>, Query, description = "Those that are settled"),
        ("before" = Option<String>, Query, description = "Goes on after a page: its `next`")),
    responses((status = 200, body = ReportPage), (status = 400, body = Refusal), (status = 403, body = Refusal),
        (status = 404, body = Refusal), (status = 503, body = Refusal)))]
pub async fn reports(
    State(app): State<App>,
    Moderates(_): Moderates,
    Asked(which): Asked<Which>,
) -> Result<axum::Json<ReportPage>, Failure> {
    let before = which.before.as_deref();
    let page = app.moderation.reports(!which.settled, before).await?;
    Ok(axum::Json(page))
}

/// A report.
#[utoipa::path(get, path = "/api/moderate/reports/{id}", params(("id" = String, Path, description = "Id of the report")),
    responses((status = 200, body = Report), (status = 403, body = Refusal), (status = 404, body = Refusal), (status = 503, body = Refusal)))]
pub async fn report(
    State(app): State<App>,
    Moderates(_): Moderates,
    Path(id): Path<String>,
) -> Result<axum::Json<Report>, Failure> {
    Ok(axum::Json(app.moderation.report_seen(&id).await?))
}

/// Accounts whose names have a text in them.
#[utoipa::path(get, path = "/api/moderate/accounts",
    params(("name" = Option<String>, Query, description = "What the name has in it; everybody without it"),
        ("after" = Option<String>, Query, description = "Goes on after a page: its `next`")),
    responses((status = 200, body = AccountPage), (status = 400, body = Refusal), (status = 403, body = Refusal),
        (status = 404, body = Refusal), (status = 503, body = Refusal)))]
pub async fn accounts(
    State(app): State<App>,
    Moderates(_): Moderates,
    Asked(search): Asked<Search>,
) -> Result<axum::Json<AccountPage>, Failure> {
    let found = app.moderation.accounts(&search.name, &search.after);
    Ok(axum::Json(found.await?))
}

/// An account with its bans, reports about it, and what was done to it.
#[utoipa::path(get, path = "/api/moderate/accounts/{name}", params(("name" = String, Path, description = "Name of the account")),
    responses((status = 200, body = AccountSeen), (status = 403, body = Refusal), (status = 404, body = Refusal), (status = 503, body = Refusal)))]
pub async fn account(
    State(app): State<App>,
    Moderates(_): Moderates,
    Path(name): Path<String>,
) -> Result<axum::Json<AccountSeen>, Failure> {
    Ok(axum::Json(app.moderation.account_seen(&name).await?))
}

/// Accounts that moderate.
#[utoipa::path(get, path = "/api/moderate/moderators", responses((status = 200, body = AccountPage), (status = 403, body = Refusal),
        (status = 404, body = Refusal), (status = 503, body = Refusal)))]
pub async fn moderators(
    State(app): State<App>,
    Moderates(_): Moderates,
) -> Result<axum::Json<AccountPage>, Failure> {
    Ok(axum::Json(app.moderation.moderators().await?))
}

/// Bans, those made last first.
#[utoipa::path(get, path = "/api/moderate/bans",
    params(("before" = Option<String>, Query, description = "Goes on after a page: its `next`")),
    responses((status = 200, body = BanPage), (status = 400, body = Refusal), (status = 403, body = Refusal),
        (status = 404, body = Refusal), (status = 503, body = Refusal)))]
pub async fn bans(
    State(app): State<App>,
    Moderates(_): Moderates,
    Asked(part): Asked<Part>,
) -> Result<axum::Json<BanPage>, Failure> {
    let before = part.before.as_deref();
    Ok(axum::Json(app.moderation.all_bans(before).await?))
}

/// The chat of a game.
#[utoipa::path(get, path = "/api/moderate/games/{id}/chat", params(("id" = String, Path, description = "Id of the game")),
    responses((status = 200, body = Vec<ChatSeen>), (status = 403, body = Refusal), (status = 404, body = Refusal),
        (status = 500, body = Refusal), (status = 503, body = Refusal)))]
pub async fn chat(
    State(app): State<App>,
    Moderates(_): Moderates,
    Path(id): Path<String>,
) -> Result<axum::Json<Vec<ChatSeen>>, Failure> {
    Ok(axum::Json(app.moderation.chat(&id).await?))
}

/// Announcements that are shown, or will be.
#[utoipa::path(get, path = "/api/moderate/announcements", responses((status = 200, body = Vec<Announcement>), (status = 403, body = Refusal),
        (status = 404, body = Refusal), (status = 503, body = Refusal)))]
pub async fn announcements(
    State(app): State<App>,
    Moderates(_): Moderates,
) -> axum::Json<Vec<Announcement>> {
    axum::Json(app.moderation.announcements())
}

/// What was done, the last first.
#[utoipa::path(get, path = "/api/moderate/log",
    params(("account" = Option<String>, Query, description = "What was done to this account"),
        ("before" = Option<String>, Query, description = "Goes on after a page: its `next`")),
    responses((status = 200, body = LogPage), (status = 400, body = Refusal), (status = 403, body = Refusal),
        (status = 404, body = Refusal), (status = 503, body = Refusal)))]
pub async fn log(
    State(app): State<App>,
    Moderates(_): Moderates,
    Asked(entries): Asked<Entries>,
) -> Result<axum::Json<LogPage>, Failure> {
    let (account, before) = (entries.account.as_deref(), entries.before.as_deref());
    Ok(axum::Json(app.moderation.log(account, before).await?))
}
