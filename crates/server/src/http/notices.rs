//! How notices come to those who have an account: what they wish, browsers that take pushes, an address for e-mail.

use super::address::Address;
use super::{Failure, Json};
use crate::accounts::SignedIn;
use crate::notices::mail::Mail;
use crate::refusal::{Reason, Refused};
use crate::state::App;
use crate::visitor::Visitor;
use crate::wire::{
    MailWord, NewMail, NewPush, NoticeMail, NoticeSettings, NoticeWishes, PushBrowser, Refusal,
};
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};

/// How notices come to an account.
pub(super) async fn settings(app: &App, signed_in: &SignedIn) -> Result<NoticeSettings, Failure> {
    let SignedIn { session, account } = signed_in;
    let notices = &app.notices;
    let browsers = notices.store().pushes(&account.id).await;
    let browsers = browsers.map_err(Refused::from)?;
    // What was given before is told even where nothing is sent any more.
    let kept = notices.store().mail(&account.id).await;
    let kept = kept.map_err(Refused::from)?;
    let mail = kept.map(|row| NoticeMail {
        confirmed: row.digest.is_none(),
        address: Some(row.address),
    });
    Ok(NoticeSettings {
        wishes: notices.wishes(&account.id).await?.into(),
        push_key: notices.push().public_key().into(),
        browsers: browsers
            .into_iter()
            .map(|row| PushBrowser {
                current: row.session == session.digest,
                id: row.id,
                agent: row.agent,
                made_ms: row.made_ms,
            })
            .collect(),
        mail: match notices.mail() {
            Some(_) => Some(mail.unwrap_or_default()),
            None => mail,
        },
    })
}

fn gone() -> Failure {
    Failure::of(Reason::SignIn, "you are no longer signed in")
}

fn mail_of(app: &App) -> Result<&Mail, Failure> {
    let none = || Failure::of(Reason::NoMail, "this server sends no e-mail");
    app.notices.mail().ok_or_else(none)
}

fn may_try(app: &App, address: std::net::IpAddr) -> Result<(), Failure> {
    match app.attempts.by_address(address) {
        true => Ok(()),
        false => Err(Failure::of(
            Reason::Rate,
            "too many attempts from your address; wait a minute",
        )),
    }
}

/// How notices come to the one who asks.
#[utoipa::path(get, path = "/api/account/notices", responses((status = 200, body = NoticeSettings), (status = 401, body = Refusal),
        (status = 403, body = Refusal), (status = 503, body = Refusal)))]
pub async fn look(State(app): State<App>, visitor: Visitor) -> Result<Response, Failure> {
    let settings = settings(&app, visitor.account()?).await?;
    Ok((visitor, axum::Json(settings)).into_response())
}

/// Puts other wishes in the place of those before.
#[utoipa::path(put, path = "/api/account/notices", request_body = NoticeWishes, responses((status = 204), (status = 401, body = Refusal),
        (status = 403, body = Refusal), (status = 422, body = Refusal), (status = 400, body = Refusal), (status = 413, body = Refusal),
        (status = 415, body = Refusal), (status = 503, body = Refusal)))]
pub async fn wish(
    State(app): State<App>,
    visitor: Visitor,
    Json(wishes): Json<NoticeWishes>,
) -> Result<StatusCode, Failure> {
    let account = &visitor.account()?.account;
    let wishes = play::notice::Wishes::from(wishes);
    // Words and truth values alone: there is nothing in it that JSON cannot say.
    let text = serde_json::to_string(&wishes).unwrap_or_default();
    let kept = app.notices.store().keep_wishes(&account.id, &text).await;
    match kept.map_err(Refused::from)? {
        true => Ok(StatusCode::NO_CONTENT),
        false => Err(gone()),
    }
}

/// Turns pushes on in the browser that asks, for as long as its session lasts. Beyond ten browsers the oldest is turned off.
#[utoipa::path(put, path = "/api/account/notices/push", request_body = NewPush, responses((status = 204), (status = 401, body = Refusal),
        (status = 403, body = Refusal), (status = 422, body = Refusal), (status = 400, body = Refusal), (status = 413, body = Refusal),
        (status = 415, body = Refusal), (status = 429, body = Refusal), (status = 503, body = Refusal)))]
pub async fn turn_on(
    State(app): State<App>,
    Address(address): Address,
    visitor: Visitor,
    Json(new): Json<NewPush>,
) -> Result<StatusCode, Failure> {
    let SignedIn { session, account } = visitor.account()?;
    may_try(&app, address)?;
    let push = app.notices.push();
    let row = push.browser(&new, &account.id, &session.digest, &session.agent)?;
    let most = crate::notices::push::BROWSERS;
    let kept = app.notices.store().keep_push(&row, most).await;
    match kept.map_err(Refused::from)? {
        true => Ok(StatusCode::NO_CONTENT),
        false => Err(gone()),
    }
}

/// Turns pushes off in a browser of one's own.
#[utoipa::path(delete, path = "/api/account/notices/push/{id}", params(("id" = String, Path, description = "Id of the browser")),
    responses((status = 204), (status = 401, body = Refusal), (status = 403, body = Refusal), (status = 404, body = Refusal),
        (status = 503, body = Refusal)))]
pub async fn turn_off(
    State(app): State<App>,
    visitor: Visitor,
    Path(id): Path<String>,
) -> Result<StatusCode, Failure> {
    let account = &visitor.account()?.account;
    let removed = app.notices.store().remove_push(&account.id, &id).await;
    match removed.map_err(Refused::from)? {
        true => Ok(StatusCode::NO_CONTENT),
        false => Err(Failure::of(
            Reason::NoSuchPush,
            "you have no such browser with push notices",
        )),
    }
}

/// Gives an address for e-mails. Nothing but a link to confirm it, which holds for a day, is sent there before it is confirmed.
#[utoipa::path(put, path = "/api/account/notices/mail", request_body = NewMail, responses((status = 204), (status = 401, body = Refusal),
        (status = 403, body = Refusal), (status = 404, body = Refusal), (status = 422, body = Refusal), (status = 400, body = Refusal),
        (status = 413, body = Refusal), (status = 415, body = Refusal), (status = 429, body = Refusal), (status = 503, body = Refusal)))]
pub async fn give_mail(
    State(app): State<App>,
    Address(address): Address,
    visitor: Visitor,
    Json(new): Json<NewMail>,
) -> Result<StatusCode, Failure> {
    let account = &visitor.account()?.account;
    let mail = mail_of(&app)?;
    may_try(&app, address)?;
    let store = app.notices.store();
    mail.give(store, &account.id, &account.name, &new.address)
        .await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Forgets the address.
#[utoipa::path(delete, path = "/api/account/notices/mail", responses((status = 204), (status = 401, body = Refusal),
        (status = 403, body = Refusal), (status = 503, body = Refusal)))]
pub async fn forget_mail(State(app): State<App>, visitor: Visitor) -> Result<StatusCode, Failure> {
    let account = &visitor.account()?.account;
    let removed = app.notices.store().remove_mail(&account.id).await;
    removed.map_err(Refused::from)?;
    Ok(StatusCode::NO_CONTENT)
}

/// Confirms an address by the word of the link that was sent there. Whoever has the link may.
#[utoipa::path(post, path = "/api/mail/confirm", request_body = MailWord, responses((status = 204), (status = 404, body = Refusal),
        (status = 422, body = Refusal), (status = 400, body = Refusal), (status = 413, body = Refusal), (status = 415, body = Refusal),
        (status = 429, body = Refusal), (status = 503, body = Refusal)))]
pub async fn confirm_mail(
    State(app): State<App>,
    Address(address): Address,
    Json(given): Json<MailWord>,
) -> Result<StatusCode, Failure> {
    may_try(&app, address)?;
    let store = app.notices.store();
    mail_of(&app)?.confirm(store, &given.word).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Ends e-mails, by the link in each of them: mail programs ask so with one click (RFC 8058), and the page that the same
/// address shows.
#[utoipa::path(post, path = "/mail/stop/{word}", params(("word" = String, Path, description = "The link's word")),
    responses((status = 204), (status = 404, body = Refusal), (status = 422, body = Refusal), (status = 429, body = Refusal),
        (status = 503, body = Refusal)))]
pub async fn stop_mail(
    State(app): State<App>,
    Address(address): Address,
    Path(word): Path<String>,
) -> Result<StatusCode, Failure> {
    may_try(&app, address)?;
    let store = app.notices.store();
    mail_of(&app)?.stop(store, &word).await?;
    Ok(StatusCode::NO_CONTENT)
}
