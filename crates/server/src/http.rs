//! The HTTP interface: routes, what holds for all of them, and the document that describes them.

mod account;
pub mod address;
mod archive;
pub mod cache;
mod challenges;
mod chunks;
pub mod client;
mod export;
mod games;
pub mod gate;
pub mod hosts;
mod lessons;
mod lobby;
mod long;
mod looks;
mod me;
mod moderate;
mod nodes;
mod notes;
mod notices;
pub mod operate;
mod positions;
mod ratings;
mod reach;
mod reports;
mod reviews;
mod rules;
mod safety;
mod tablebase;
mod tokens;
mod tournaments;
mod vacations;
mod variants;
mod votes;
mod watching;

use crate::refusal::{Reason, Refused, refused};
use crate::state::App;
use crate::wire;
use crate::work::WorkError;
use axum::extract::{DefaultBodyLimit, FromRequest, Request};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{any, delete, get, post, put};
use axum::{Router, middleware};
use serde::de::DeserializeOwned;
use std::net::IpAddr;
use std::time::Duration;
use tower_http::CompressionLevel;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::CompressionLayer;
use tower_http::timeout::TimeoutLayer;
use utoipa::OpenApi;

/// Bytes of a request's body at most.
const MAX_BODY: usize = 64 << 10;
/// Bytes of a PGN text's request at most.
const MAX_PGN: usize = 2 << 20;
/// Longest time for a request; sockets are not counted.
const LONGEST: Duration = Duration::from_secs(20);

/// All routes.
pub fn router(app: App) -> Router {
    let timed = Router::new()
        .route("/api/variants", get(variants::list))
        .route("/api/families", get(variants::families))
        .route("/api/variants/{id}", get(variants::detail))
        .route("/api/variants/{id}/reach", post(reach::reach))
        .route("/api/variants/{id}/targets", post(reach::targets))
        .route("/api/variants/{id}/rules", get(rules::text))
        .route("/api/variants/{id}/diagram/{file}", get(rules::diagram))
        .route("/api/variants/{id}/lessons", get(lessons::list))
        .route("/api/variants/{id}/lessons/{lesson}", get(lessons::detail))
        .route(
            "/api/variants/{id}/lessons/{lesson}/{task}",
            post(lessons::judge),
        )
        .route("/api/variants/{id}/board.svg", get(looks::board))
        .route("/api/variants/{id}/empty.svg", get(looks::empty))
        .route("/api/variants/{id}/pieces/{set}", get(looks::pieces))
        .route("/api/tablebase/{id}", get(tablebase::probe))
        .route("/api/position", post(positions::describe))
        .route(
            "/api/pgn",
            post(positions::pgn).layer(DefaultBodyLimit::max(MAX_PGN)),
        )
        .route("/api/games", post(games::make))
        .route("/api/running", get(watching::running))
        .route("/api/games/{id}", get(games::look))
        .route("/api/games/{id}/pgn", get(games::pgn))
        .route(
            "/api/games/{id}/review",
            get(reviews::look_game).post(reviews::of_game),
        )
        .route(
            "/api/reviews",
            post(reviews::of_text).layer(DefaultBodyLimit::max(MAX_PGN)),
        )
        .route("/api/reviews/{id}", get(reviews::look).post(reviews::go_on))
        .route("/api/reviews/{id}/try", post(reviews::attempt))
        .route("/api/me", get(me::me).put(me::rename))
        .route("/api/me/games", get(me::own))
        .route("/api/games/{id}/note", get(notes::read).put(notes::keep))
        .merge(accounts())
        .merge(people())
        .merge(moderation())
        .route("/api/games/{id}/ratings", get(ratings::of_game))
        .route("/api/archive", get(archive::find))
        .route("/api/archive.pgn", get(archive::pgn))
        .route("/api/openapi.json", get(operate::openapi))
        .route("/api", any(missing))
        .route("/api/", any(missing))
        .route("/api/{*rest}", any(missing))
        .route("/healthz", get(operate::health))
        .route("/readyz", get(operate::ready))
        .route("/metrics", get(operate::metrics))
        .fallback(client::file)
        .method_not_allowed_fallback(wrong_method)
        .layer(TimeoutLayer::with_status_code(
            StatusCode::GATEWAY_TIMEOUT,
            LONGEST,
        ));
    Router::new()
        .merge(timed)
        .route("/api/socket", get(crate::socket::open))
        .layer(DefaultBodyLimit::max(MAX_BODY))
        .layer(CatchPanicLayer::custom(fault))
        .layer(middleware::from_fn_with_state(app.clone(), safety::guard))
        // What is the same for everybody is kept in a form that was compressed well, once; the rest is compressed by
        // the threads that serve everybody, so quickly.
        .layer(CompressionLayer::new().quality(CompressionLevel::Fastest))
        .with_state(app)
}

/// Routes of accounts.
fn accounts() -> Router<App> {
    Router::new()
        .route(
            "/api/account",
            get(account::detail)
                .post(account::register)
                .delete(account::delete),
        )
        .route(
            "/api/account/vacation",
            get(vacations::look)
                .put(vacations::begin)
                .delete(vacations::end),
        )
        .route("/api/account/export", get(export::export))
        .route(
            "/api/account/notices",
            get(notices::look).put(notices::wish),
        )
        .route("/api/account/notices/push", put(notices::turn_on))
        .route("/api/account/notices/push/{id}", delete(notices::turn_off))
        .route(
            "/api/account/notices/mail",
            put(notices::give_mail).delete(notices::forget_mail),
        )
        .route("/api/mail/confirm", post(notices::confirm_mail))
        .route(
            "/mail/stop/{word}",
            get(client::file).post(notices::stop_mail),
        )
        .route("/api/account/password", put(account::set_password))
        .route("/api/account/codes", post(account::new_codes))
        .route("/api/account/bot", put(tokens::make_bot))
        .route("/api/account/tokens", post(tokens::make))
        .route("/api/account/tokens/{id}", delete(tokens::take_back))
        .route("/api/account/sessions", delete(account::end_others))
        .route("/api/account/sessions/{id}", delete(account::end_session))
        .route("/api/account/passkeys/question", post(account::ask_to_make))
        .route("/api/account/passkeys", post(account::take_made))
        .route(
            "/api/account/passkeys/{id}",
            delete(account::remove_passkey),
        )
        .route(
            "/api/session",
            post(account::sign_in).delete(account::sign_out),
        )
        .route("/api/session/recovery", post(account::recover))
        .route("/api/session/passkey/question", post(account::ask_to_show))
        .route("/api/session/passkey", post(account::sign_in_by_passkey))
}

/// Routes of people who look for each other.
fn people() -> Router<App> {
    Router::new()
        .route("/api/people/{name}", get(ratings::profile))
        .route(
            "/api/people/{name}/ratings/{variant}/{speed}",
            get(ratings::history),
        )
        .route("/api/people/{name}/results", get(watching::results))
        .route(
            "/api/people/{name}/follow",
            put(watching::follow).delete(watching::unfollow),
        )
        .route("/api/me/followed", get(watching::followed))
        .route("/api/me/muted", get(watching::muted))
        .route(
            "/api/me/muted/{name}",
            put(watching::mute).delete(watching::unmute),
        )
        .route("/api/people/{name}/challenges", post(challenges::challenge))
        .route("/api/ratings/{variant}/{speed}", get(ratings::best))
        .route(
            "/api/ratings/{variant}/{speed}/levels",
            get(ratings::levels),
        )
        .route(
            "/api/tournaments",
            get(tournaments::list).post(tournaments::make),
        )
        .route(
            "/api/tournaments/{id}",
            get(tournaments::look).delete(tournaments::cancel),
        )
        .route("/api/tournaments/{id}/games", get(tournaments::games))
        .route(
            "/api/tournaments/{id}/me",
            put(tournaments::join).delete(tournaments::leave),
        )
        .route("/api/votes", get(votes::list).post(votes::call))
        .route("/api/votes/{id}", get(votes::look).delete(votes::call_off))
        .route("/api/votes/{id}/me", put(votes::cast).delete(votes::uncast))
        .route("/api/lobby", get(lobby::look))
        .route("/api/lobby/people", get(lobby::people))
        .route("/api/lobby/seeks", post(lobby::seek))
        .route("/api/lobby/seeks/{id}", delete(lobby::withdraw))
        .route("/api/lobby/seeks/{id}/accept", post(lobby::accept))
        .route("/api/me/challenges", get(challenges::own))
        .route("/api/challenges/{id}", delete(challenges::withdraw))
        .route("/api/challenges/{id}/accept", post(challenges::accept))
        .route("/api/challenges/{id}/decline", post(challenges::decline))
        .route("/api/me/blocked", get(challenges::blocked))
        .route(
            "/api/me/blocked/{name}",
            put(challenges::block).delete(challenges::unblock),
        )
}

/// Routes of reports, announcements and those who moderate.
fn moderation() -> Router<App> {
    Router::new()
        .route("/api/announcements", get(reports::announcements))
        .route("/api/reports", post(reports::report))
        .route("/api/me/reports", get(reports::own))
        .route("/api/moderate", get(moderate::state))
        .route("/api/moderate/acts", post(moderate::act))
        .route("/api/moderate/reports", get(moderate::reports))
        .route("/api/moderate/reports/{id}", get(moderate::report))
        .route("/api/moderate/accounts", get(moderate::accounts))
        .route("/api/moderate/accounts/{name}", get(moderate::account))
        .route("/api/moderate/moderators", get(moderate::moderators))
        .route("/api/moderate/bans", get(moderate::bans))
        .route("/api/moderate/games/{id}/chat", get(moderate::chat))
        .route("/api/moderate/announcements", get(moderate::announcements))
        .route("/api/moderate/log", get(moderate::log))
        .route("/api/moderate/nodes", get(nodes::nodes))
}

async fn missing() -> Failure {
    Failure::of(
        Reason::NoSuchPath,
        "there is nothing here; /api/openapi.json lists all paths",
    )
}

async fn wrong_method() -> Failure {
    Failure::of(Reason::Method, "this path does not support that method")
}

fn fault(_: Box<dyn std::any::Any + Send + 'static>) -> Response {
    metrics::counter!("husun_faults_total").increment(1);
    tracing::error!("a request ended in a fault of ours");
    Failure::of(Reason::Fault, "a fault of the server; it has been noted").into_response()
}

/// A refusal as an answer.
#[derive(Debug)]
pub struct Failure {
    status: StatusCode,
    refused: Refused,
    /// Seconds after which to try again, where that is known.
    after: Option<u32>,
}

impl Failure {
    /// Makes one.
    pub fn of(reason: Reason, message: impl Into<String>) -> Failure {
        refused(reason, message).into()
    }

    /// One for what could not be read, with the status that the reader gives it.
    fn unread(reason: Reason, status: StatusCode, message: String) -> Failure {
        Failure {
            status,
            refused: refused(reason, message),
            after: None,
        }
    }

    /// With the seconds after which to try again.
    fn after(self, seconds: u32) -> Failure {
        Failure {
            after: Some(seconds),
            ..self
        }
    }
}

impl From<Refused> for Failure {
    fn from(refused: Refused) -> Failure {
        Failure {
            status: refused.reason.status(),
            refused,
            after: None,
        }
    }
}

impl From<WorkError> for Failure {
    fn from(error: WorkError) -> Failure {
        Refused::from(error).into()
    }
}

/// Charges an address for positions that are computed for it.
fn charge(app: &App, address: IpAddr, positions: usize) -> Result<(), Failure> {
    let positions = u32::try_from(positions).unwrap_or(u32::MAX);
    match app.guard.positions(address, positions) {
        true => Ok(()),
        false => Err(too_much()),
    }
}

fn too_much() -> Failure {
    Failure::of(
        Reason::Rate,
        "too much is being computed for your address; wait a little",
    )
}

/// A value that is the same for everybody, as JSON.
fn cached_json(value: &impl serde::Serialize) -> cache::CachedAnswer {
    let text = serde_json::to_vec(value).unwrap_or_default();
    cache::CachedAnswer::new("application/json", ASK, text)
}

/// What may be kept, but is asked for anew each time.
const ASK: &str = "no-cache";

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        let after = self.after.map(|s| [(header::RETRY_AFTER, s.to_string())]);
        let refusal = axum::Json(wire::Refusal::from(self.refused));
        match after {
            Some(after) => (self.status, after, refusal).into_response(),
            None => (self.status, refusal).into_response(),
        }
    }
}

/// A JSON body, refused with a reason that says what is wrong.
#[derive(Debug)]
pub struct Json<T>(pub T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Json<T> {
    type Rejection = Failure;

    async fn from_request(request: Request, state: &S) -> Result<Self, Failure> {
        match axum::Json::<T>::from_request(request, state).await {
            Ok(axum::Json(value)) => Ok(Json(value)),
            Err(rejection) => Err(Failure::unread(
                Reason::Malformed,
                rejection.status(),
                rejection.body_text(),
            )),
        }
    }
}

/// The description of the interface.
pub fn document() -> utoipa::openapi::OpenApi {
    Document::openapi()
}

/// The description of the interface. The socket's messages are among the schemas.
#[derive(OpenApi)]
#[openapi(
    info(
        title = "Husun",
        description = "Citadel chess and its relatives: games, rules, analysis. Live games go over the socket at \
            `/api/socket`: text frames with one `ClientMessage` or `ServerMessage` each. A program with an account of its \
            own sends its token with every request and when it opens a socket, as `Authorization: Bearer TOKEN`; one that \
            opens nothing is refused with 401 and `token`.",
        license(name = "GPL-3.0-or-later", identifier = "GPL-3.0-or-later")
    ),
    paths(
        variants::list,
        variants::families,
        variants::detail,
        reach::reach,
        reach::targets,
        rules::text,
        rules::diagram,
        lessons::list,
        lessons::detail,
        lessons::judge,
        looks::board,
        looks::empty,
        looks::pieces,
        tablebase::probe,
        positions::describe,
        positions::pgn,
        games::make,
        games::look,
        games::pgn,
        ratings::of_game,
        ratings::profile,
        ratings::history,
        ratings::best,
        ratings::levels,
        tournaments::list,
        tournaments::make,
        tournaments::look,
        tournaments::games,
        tournaments::join,
        tournaments::leave,
        tournaments::cancel,
        votes::list,
        votes::call,
        votes::look,
        votes::cast,
        votes::uncast,
        votes::call_off,
        lobby::look,
        lobby::people,
        lobby::seek,
        lobby::withdraw,
        lobby::accept,
        challenges::challenge,
        challenges::own,
        challenges::accept,
        challenges::decline,
        challenges::withdraw,
        challenges::blocked,
        challenges::block,
        challenges::unblock,
        watching::running,
        watching::results,
        watching::follow,
        watching::unfollow,
        watching::followed,
        watching::mute,
        watching::unmute,
        watching::muted,
        archive::find,
        archive::pgn,
        reviews::of_game,
        reviews::look_game,
        reviews::of_text,
        reviews::look,
        reviews::go_on,
        reviews::attempt,
        me::me,
        me::rename,
        me::own,
        notes::read,
        notes::keep,
        account::register,
        account::detail,
        account::delete,
        export::export,
        notices::look,
        notices::wish,
        notices::turn_on,
        notices::turn_off,
        notices::give_mail,
        notices::forget_mail,
        notices::confirm_mail,
        notices::stop_mail,
        vacations::look,
        vacations::begin,
        vacations::end,
        account::set_password,
        account::new_codes,
        tokens::make_bot,
        tokens::make,
        tokens::take_back,
        account::end_session,
        account::end_others,
        account::ask_to_make,
        account::take_made,
        account::remove_passkey,
        account::sign_in,
        account::sign_out,
        account::recover,
        account::ask_to_show,
        account::sign_in_by_passkey,
        reports::announcements,
        reports::report,
        reports::own,
        moderate::state,
        moderate::act,
        moderate::reports,
        moderate::report,
        moderate::accounts,
        moderate::account,
        moderate::moderators,
        moderate::bans,
        moderate::chat,
        moderate::announcements,
        moderate::log,
        nodes::nodes,
        operate::openapi,
        operate::health,
        operate::ready,
        operate::metrics,
    ),
    components(schemas(wire::ClientMessage, wire::ServerMessage, wire::AnalyseQuestion))
)]
struct Document;
