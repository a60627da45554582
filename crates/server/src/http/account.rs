//! Accounts: made, opened, changed, deleted. What opens them is told to nobody and never logged.

use super::address::Address;
use super::me::me_of;
use super::{Failure, Json};
use crate::accounts::passkeys::{For, Site};
use crate::accounts::{Accounts, Begun, Made, Opening, SignedIn};
use crate::refusal::Reason;
use crate::state::App;
use crate::visitor::{Agent, Visitor};
use crate::wire::{
    Account, AccountMade, Codes, Confirmation, Me, NameAndPassword, NewPassword, PasskeyAnswer,
    PasskeyInfo, PasskeyQuestion, PasskeyWish, Recovery, Refusal, SessionInfo, TokenInfo,
};
use axum::extract::{Path, State};
use axum::http::request::Parts;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::net::IpAddr;
use store::accounts::Ended;

fn too_often() -> Failure {
    Failure::of(
        Reason::Rate,
        "too many attempts; wait a minute, or use a passkey or a recovery code",
    )
}

fn may_try(app: &App, address: IpAddr) -> Result<(), Failure> {
    match app.attempts.by_address(address) {
        true => Ok(()),
        false => Err(too_often()),
    }
}

fn begun(visitor: Visitor, begun: Begun) -> Response {
    let visitor = visitor.begins(begun);
    let me = me_of(&visitor);
    (visitor, axum::Json(me)).into_response()
}

fn made(visitor: Visitor, made: Made) -> Response {
    let answer = AccountMade {
        name: made.begun.signed_in.account.name.clone(),
        codes: made.codes,
    };
    let visitor = visitor.begins(made.begun);
    (StatusCode::CREATED, visitor, axum::Json(answer)).into_response()
}

fn is_guest(visitor: &Visitor) -> Result<(), Failure> {
    visitor.no_program()?;
    match visitor.signed_in {
        None => Ok(()),
        Some(_) => Err(Failure::of(
            Reason::SignedIn,
            "you are signed in; sign out before you make another account",
        )),
    }
}

fn may_register(app: &App, visitor: &Visitor, address: IpAddr) -> Result<(), Failure> {
    is_guest(visitor)?;
    match app.attempts.account(address) {
        true => Ok(()),
        false => Err(Failure::of(
            Reason::Rate,
            "too many accounts from your address; wait an hour",
        )),
    }
}

/// Makes an account with a password. The guest who asks keeps all games and is signed in.
#[utoipa::path(post, path = "/api/account", request_body = NameAndPassword, responses((status = 201, body = AccountMade),
        (status = 422, body = Refusal), (status = 409, body = Refusal), (status = 400, body = Refusal), (status = 413, body = Refusal),
        (status = 415, body = Refusal), (status = 429, body = Refusal), (status = 503, body = Refusal)))]
pub async fn register(
    State(app): State<App>,
    Address(address): Address,
    Agent(agent): Agent,
    visitor: Visitor,
    Json(wish): Json<NameAndPassword>,
) -> Result<Response, Failure> {
    may_register(&app, &visitor, address)?;
    let name = app.accounts.name(&wish.name).await?;
    let opening = Opening::Password(wish.password);
    let guest = visitor.person.guest.clone();
    let account = app.accounts.register(&guest, name, opening, &agent).await?;
    Ok(made(visitor, account))
}

/// Signs in with name and password.
#[utoipa::path(post, path = "/api/session", request_body = NameAndPassword, responses((status = 200, body = Me),
        (status = 403, body = Refusal), (status = 400, body = Refusal), (status = 413, body = Refusal), (status = 415, body = Refusal),
        (status = 422, body = Refusal), (status = 429, body = Refusal), (status = 503, body = Refusal)))]
pub async fn sign_in(
    State(app): State<App>,
    Address(address): Address,
    Agent(agent): Agent,
    visitor: Visitor,
    Json(given): Json<NameAndPassword>,
) -> Result<Response, Failure> {
    visitor.no_program()?;
    if !app.attempts.by_name(address, &given.name) {
        return Err(too_often());
    }
    let session = app.accounts.sign_in(&given.name, given.password, &agent);
    Ok(begun(visitor, session.await?))
}

/// Signs in with a recovery code, which is used up, and sets another password. All other sessions end.
#[utoipa::path(post, path = "/api/session/recovery", request_body = Recovery, responses((status = 200, body = Me),
        (status = 403, body = Refusal), (status = 400, body = Refusal), (status = 413, body = Refusal), (status = 415, body = Refusal),
        (status = 422, body = Refusal), (status = 429, body = Refusal), (status = 503, body = Refusal)))]
pub async fn recover(
    State(app): State<App>,
    Address(address): Address,
    Agent(agent): Agent,
    visitor: Visitor,
    Json(given): Json<Recovery>,
) -> Result<Response, Failure> {
    visitor.no_program()?;
    may_try(&app, address)?;
    let session = app
        .accounts
        .recover(&given.name, &given.code, given.password, &agent);
    Ok(begun(visitor, session.await?))
}

/// Signs out.
#[utoipa::path(delete, path = "/api/session", responses((status = 200, body = Me), (status = 503, body = Refusal)))]
pub async fn sign_out(State(app): State<App>, visitor: Visitor) -> Result<Response, Failure> {
    visitor.no_program()?;
    if let Some(SignedIn { session, account }) = visitor.signed_in.as_deref() {
        let which = Ended::One(&session.digest);
        app.accounts.end(&account.id, which).await?;
    }
    let visitor = visitor.leaves();
    let me = me_of(&visitor);
    Ok((visitor, axum::Json(me)).into_response())
}

/// The account of the one who asks.
#[utoipa::path(get, path = "/api/account", responses((status = 200, body = Account), (status = 401, body = Refusal),
        (status = 503, body = Refusal)))]
pub async fn detail(State(app): State<App>, visitor: Visitor) -> Result<Response, Failure> {
    let signed_in = visitor.account()?;
    let account = describe(&app.accounts, signed_in).await?;
    Ok((visitor, axum::Json(account)).into_response())
}

pub(super) async fn describe(
    accounts: &Accounts,
    signed_in: &SignedIn,
) -> Result<Account, Failure> {
    let SignedIn { session, account } = signed_in;
    let (sessions, passkeys) = accounts.detail(&account.id).await?;
    let tokens = accounts.tokens(&account.id).await?;
    Ok(Account {
        name: account.name.clone(),
        bot: account.bot,
        made_ms: account.made_ms,
        password: account.password.is_some(),
        codes: Accounts::codes_left(account) as u32,
        moderator: accounts.bans().is_moderator(&account.id),
        passkeys: passkeys
            .into_iter()
            .map(|key| PasskeyInfo {
                id: key.id,
                name: key.name,
                made_ms: key.made_ms,
                used_ms: key.used_ms,
            })
            .collect(),
        sessions: sessions
            .into_iter()
            .map(|s| SessionInfo {
                current: s.digest == session.digest,
                id: s.digest,
                agent: s.agent,
                made_ms: s.made_ms,
                seen_ms: s.seen_ms,
            })
            .collect(),
        tokens: tokens
            .into_iter()
            .map(|token| TokenInfo {
                id: token.id,
                name: token.name,
                made_ms: token.made_ms,
                used_ms: token.used_ms,
            })
            .collect(),
    })
}

/// Sets another password. All other sessions end.
#[utoipa::path(put, path = "/api/account/password", request_body = NewPassword, responses((status = 204), (status = 401, body = Refusal),
        (status = 403, body = Refusal), (status = 422, body = Refusal), (status = 400, body = Refusal), (status = 413, body = Refusal),
        (status = 415, body = Refusal), (status = 429, body = Refusal), (status = 503, body = Refusal)))]
pub async fn set_password(
    State(app): State<App>,
    Address(address): Address,
    visitor: Visitor,
    Json(given): Json<NewPassword>,
) -> Result<StatusCode, Failure> {
    let signed_in = confirmed(&app, address, &visitor, given.password).await?;
    app.accounts.set_password(signed_in, given.new).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// The one who is signed in, who has shown to be the owner.
pub(super) async fn confirmed<'a>(
    app: &App,
    address: IpAddr,
    visitor: &'a Visitor,
    password: Option<String>,
) -> Result<&'a SignedIn, Failure> {
    let signed_in = visitor.account()?;
    if signed_in.account.password.is_some() {
        may_try(app, address)?;
    }
    app.accounts.confirm(signed_in, password).await?;
    Ok(signed_in)
}

/// Makes new recovery codes; those before open nothing any more.
#[utoipa::path(post, path = "/api/account/codes", request_body = Confirmation, responses((status = 200, body = Codes),
        (status = 401, body = Refusal), (status = 403, body = Refusal), (status = 400, body = Refusal), (status = 413, body = Refusal),
        (status = 415, body = Refusal), (status = 422, body = Refusal), (status = 429, body = Refusal), (status = 503, body = Refusal)))]
pub async fn new_codes(
    State(app): State<App>,
    Address(address): Address,
    visitor: Visitor,
    Json(given): Json<Confirmation>,
) -> Result<axum::Json<Codes>, Failure> {
    let signed_in = confirmed(&app, address, &visitor, given.password).await?;
    let codes = app.accounts.new_codes(signed_in).await?;
    Ok(axum::Json(Codes { codes }))
}

/// Ends a session of one's own.
#[utoipa::path(delete, path = "/api/account/sessions/{id}", params(("id" = String, Path, description = "Id of the session")),
    responses((status = 204), (status = 401, body = Refusal), (status = 404, body = Refusal), (status = 503, body = Refusal)))]
pub async fn end_session(
    State(app): State<App>,
    visitor: Visitor,
    Path(id): Path<String>,
) -> Result<StatusCode, Failure> {
    let account = &visitor.account()?.account;
    match app.accounts.end(&account.id, Ended::One(&id)).await? {
        0 => Err(Failure::of(
            Reason::NoSuchSession,
            "you have no such session",
        )),
        _ => Ok(StatusCode::NO_CONTENT),
    }
}

/// Ends all sessions of one's own but this one.
#[utoipa::path(delete, path = "/api/account/sessions", responses((status = 204), (status = 401, body = Refusal),
        (status = 503, body = Refusal)))]
pub async fn end_others(State(app): State<App>, visitor: Visitor) -> Result<StatusCode, Failure> {
    let SignedIn { session, account } = visitor.account()?;
    let which = Ended::AllBut(Some(&session.digest));
    app.accounts.end(&account.id, which).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Deletes one's own account for good. Its games stay, its name is nobody's any more.
#[utoipa::path(delete, path = "/api/account", request_body = Confirmation, responses((status = 200, body = Me),
        (status = 401, body = Refusal), (status = 403, body = Refusal), (status = 400, body = Refusal), (status = 413, body = Refusal),
        (status = 415, body = Refusal), (status = 422, body = Refusal), (status = 429, body = Refusal), (status = 503, body = Refusal)))]
pub async fn delete(
    State(app): State<App>,
    Address(address): Address,
    visitor: Visitor,
    Json(given): Json<Confirmation>,
) -> Result<Response, Failure> {
    let signed_in = confirmed(&app, address, &visitor, given.password).await?;
    app.accounts.delete(signed_in).await?;
    app.lobby.forget(&visitor.person.guest).await;
    app.tournaments.forget(&visitor.person.guest).await;
    app.directory.forget_deleted(&app.accounts);
    let visitor = visitor.leaves();
    let me = me_of(&visitor);
    Ok((visitor, axum::Json(me)).into_response())
}

/// The site under whose name the browser asks.
fn site(parts: &Parts) -> Result<Site, Failure> {
    let origin = parts.headers.get(header::ORIGIN);
    let origin = origin.and_then(|value| value.to_str().ok());
    Ok(Site::of(origin)?)
}

fn question(token: String, options: &impl Serialize) -> axum::Json<PasskeyQuestion> {
    // Numbers and texts alone: there is nothing in it that JSON cannot say.
    let options = serde_json::to_value(options).unwrap_or_default();
    axum::Json(PasskeyQuestion { token, options })
}

fn credential<T: DeserializeOwned>(answer: &PasskeyAnswer) -> Result<T, Failure> {
    T::deserialize(&answer.credential).map_err(|error| {
        let text = format!("credential: {error}; expected what the browser's toJSON gives");
        Failure::of(Reason::Passkey, text)
    })
}

/// Asks the browser to make a passkey: for a new account, or another one for the account in which one is signed in.
#[utoipa::path(post, path = "/api/account/passkeys/question", request_body = PasskeyWish, responses((status = 200, body = PasskeyQuestion),
        (status = 401, body = Refusal), (status = 409, body = Refusal), (status = 422, body = Refusal), (status = 400, body = Refusal),
        (status = 413, body = Refusal), (status = 415, body = Refusal), (status = 429, body = Refusal), (status = 503, body = Refusal)))]
pub async fn ask_to_make(
    State(app): State<App>,
    Address(address): Address,
    visitor: Visitor,
    parts: Parts,
    Json(wish): Json<PasskeyWish>,
) -> Result<axum::Json<PasskeyQuestion>, Failure> {
    may_try(&app, address)?;
    let (whom, name) = match wish.name {
        Some(name) => {
            is_guest(&visitor)?;
            let name = app.accounts.name(&name).await?.name().to_owned();
            (For::Name(name.clone()), name)
        }
        None => {
            let account = &visitor.account()?.account;
            (For::Account(account.id.clone()), account.name.clone())
        }
    };
    let site = site(&parts)?;
    let (token, options) = app.accounts.ask_to_make(&site, whom, &name).await?;
    Ok(question(token, &options))
}

/// Takes the passkey that a browser has made: an account is made with it, or has it besides.
#[utoipa::path(post, path = "/api/account/passkeys", request_body = PasskeyAnswer, responses((status = 201, body = AccountMade),
        (status = 204), (status = 401, body = Refusal), (status = 409, body = Refusal), (status = 422, body = Refusal), (status = 400, body = Refusal),
        (status = 413, body = Refusal), (status = 415, body = Refusal), (status = 429, body = Refusal), (status = 503, body = Refusal)))]
pub async fn take_made(
    State(app): State<App>,
    Address(address): Address,
    Agent(agent): Agent,
    visitor: Visitor,
    parts: Parts,
    Json(answer): Json<PasskeyAnswer>,
) -> Result<Response, Failure> {
    let given = credential(&answer)?;
    let name = answer.name.as_deref().unwrap_or_default();
    let site = site(&parts)?;
    let taken = app.accounts.take_made(&site, &answer.token, &given, name);
    let (passkey, whom) = taken.await?;
    match whom {
        For::Name(name) => {
            may_register(&app, &visitor, address)?;
            let name = app.accounts.name(&name).await?;
            let opening = Opening::Passkey(Box::new(passkey));
            let guest = visitor.person.guest.clone();
            let account = app.accounts.register(&guest, name, opening, &agent).await?;
            Ok(made(visitor, account))
        }
        For::Account(id) => {
            let signed_in = visitor.account()?;
            if signed_in.account.id != id {
                let text = "the passkey was made for another account; start again";
                return Err(Failure::of(Reason::Passkey, text));
            }
            app.accounts.add_passkey(signed_in, &passkey).await?;
            Ok(StatusCode::NO_CONTENT.into_response())
        }
    }
}

/// Removes a passkey of one's own.
#[utoipa::path(delete, path = "/api/account/passkeys/{id}", params(("id" = String, Path, description = "Id of the passkey")),
    responses((status = 204), (status = 401, body = Refusal), (status = 404, body = Refusal), (status = 422, body = Refusal),
        (status = 503, body = Refusal)))]
pub async fn remove_passkey(
    State(app): State<App>,
    visitor: Visitor,
    Path(id): Path<String>,
) -> Result<StatusCode, Failure> {
    match app.accounts.remove_passkey(visitor.account()?, &id).await? {
        true => Ok(StatusCode::NO_CONTENT),
        false => Err(Failure::of(
            Reason::NoSuchPasskey,
            "you have no such passkey",
        )),
    }
}

/// Asks the browser to show a passkey.
#[utoipa::path(post, path = "/api/session/passkey/question", responses((status = 200, body = PasskeyQuestion),
        (status = 422, body = Refusal), (status = 429, body = Refusal), (status = 503, body = Refusal)))]
pub async fn ask_to_show(
    State(app): State<App>,
    Address(address): Address,
    parts: Parts,
) -> Result<axum::Json<PasskeyQuestion>, Failure> {
    may_try(&app, address)?;
    let (token, options) = app.accounts.ask_to_show(&site(&parts)?)?;
    Ok(question(token, &options))
}

/// Signs in with the passkey that the browser shows.
#[utoipa::path(post, path = "/api/session/passkey", request_body = PasskeyAnswer, responses((status = 200, body = Me),
        (status = 422, body = Refusal), (status = 400, body = Refusal), (status = 413, body = Refusal), (status = 415, body = Refusal),
        (status = 429, body = Refusal), (status = 503, body = Refusal)))]
pub async fn sign_in_by_passkey(
    State(app): State<App>,
    Agent(agent): Agent,
    visitor: Visitor,
    parts: Parts,
    Json(answer): Json<PasskeyAnswer>,
) -> Result<Response, Failure> {
    visitor.no_program()?;
    let given = credential(&answer)?;
    let site = site(&parts)?;
    let session = app
        .accounts
        .sign_in_by_passkey(&site, &answer.token, &given, &agent);
    Ok(begun(visitor, session.await?))
}
