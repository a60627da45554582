//! What holds for every request: the rate, the host, the origin, headers that keep pages safe, and that every refusal
//! of the interface has the same shape.

use super::{Failure, address};
use crate::refusal::{Reason, refused};
use crate::state::App;
use crate::visitor::token_of;
use crate::wire::Refusal;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

/// Nothing but the server's own scripts, styles and sockets; pictures also from style sheets' data.
const POLICY: &str = "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; \
     form-action 'self'; frame-ancestors 'none'";

const HEADERS: [(HeaderName, &str); 5] = [
    (header::CONTENT_SECURITY_POLICY, POLICY),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "same-origin"),
    (header::X_FRAME_OPTIONS, "DENY"),
    (
        HeaderName::from_static("cross-origin-opener-policy"),
        "same-origin",
    ),
];

/// Seconds after which to try again, where nothing better is known.
const AGAIN: &str = "5";
/// Bytes of a refusal in other words that are passed on.
const WORDS: usize = 1000;

/// Checks a request and completes its answer.
pub async fn guard(State(app): State<App>, request: Request, next: Next) -> Response {
    let (parts, body) = request.into_parts();
    let path = parts.uri.path();
    let operates = matches!(path, "/healthz" | "/readyz" | "/metrics");
    let of_interface =
        operates || path == "/api" || path.starts_with("/api/") || path.starts_with("/mail/stop/");
    // Who may see what depends on the cookie, and some answers hold the secret of a seat.
    let private = [
        "/api/games",
        "/api/me",
        "/api/account",
        "/api/session",
        "/api/reports",
        "/api/moderate",
    ]
    .iter()
    .any(|private| path.starts_with(private));
    let response = match refusal(&app, &parts, operates) {
        Some(failure) => failure.into_response(),
        None => run(Request::from_parts(parts, body), next).await,
    };
    let mut response = match of_interface && is_bare_refusal(&response) {
        true => in_shape(response).await,
        false => response,
    };
    let refused = matches!(
        response.status(),
        StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE
    );
    let headers = response.headers_mut();
    for (name, value) in HEADERS {
        headers
            .entry(name)
            .or_insert(HeaderValue::from_static(value));
    }
    if refused {
        let after = headers.entry(header::RETRY_AFTER);
        after.or_insert(HeaderValue::from_static(AGAIN));
    }
    if private || headers.contains_key(header::SET_COOKIE) {
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
    response
}

/// Has a request done. One who hangs up meanwhile does not end in the midst what changes something: others would wait for a new
/// connection to the storage, or be left without what was taken for him.
async fn run(request: Request, next: Next) -> Response {
    if is_reading(request.method()) {
        return next.run(request).await;
    }
    let done = tokio::spawn(next.run(request)).await;
    done.unwrap_or_else(|error| {
        tracing::error!(%error, "a request has ended in a fault of ours");
        Failure::of(Reason::Fault, "a fault of the server; it has been noted").into_response()
    })
}

/// Why a request is not even looked at.
fn refusal(app: &App, parts: &Parts, operates: bool) -> Option<Failure> {
    let address = address::of(parts, app.behind_proxy);
    let within_rate = match parts.uri.path() {
        "/healthz" => app.guard.health(address),
        _ => app.guard.request(address),
    };
    if !within_rate {
        return Some(Failure::of(
            Reason::Rate,
            "too many requests from your address; wait a little",
        ));
    }
    // The operator asks by number; a page of another site has no such word.
    let moderates = parts.uri.path().starts_with("/api/moderate");
    let operates = operates || moderates && token_of(&parts.headers).is_some();
    if !app.hosts.admit(parts, operates) {
        return Some(Failure::of(
            Reason::Host,
            "this server does not answer to the host name in the request; its operator can set `hosts`",
        ));
    }
    // A page of another site is kept from using what the browser sends by itself. A token is no such thing.
    let foreign = changes(&parts.method, &parts.headers)
        && token_of(&parts.headers).is_none()
        && !is_own(&parts.headers, &app.origins);
    foreign.then(|| {
        Failure::of(
            Reason::Origin,
            "this comes from a page of another site, which is not allowed",
        )
    })
}

/// Whether a request can change something or opens a socket.
fn changes(method: &Method, headers: &HeaderMap) -> bool {
    !is_reading(method) || headers.contains_key(header::UPGRADE)
}

fn is_reading(method: &Method) -> bool {
    matches!(*method, Method::GET | Method::HEAD | Method::OPTIONS)
}

/// Whether a request comes from a page of this server, or from no page at all.
fn is_own(headers: &HeaderMap, origins: &[String]) -> bool {
    let text = |name: HeaderName| headers.get(name).map(|v| v.to_str().unwrap_or("?"));
    let Some(origin) = text(header::ORIGIN) else {
        // Programs send no origin; browsers do for everything that is asked about here.
        return text(HeaderName::from_static("sec-fetch-site"))
            .is_none_or(|site| matches!(site, "same-origin" | "none"));
    };
    if origins.iter().any(|o| o == origin) {
        return true;
    }
    let host = origin.split_once("://").map(|(_, host)| host);
    host.is_some() && host == text(header::HOST)
}

/// Whether an answer is a refusal that does not have the shape of ours: one made by a library.
fn is_bare_refusal(response: &Response) -> bool {
    let status = response.status();
    let kind = response.headers().get(header::CONTENT_TYPE);
    (status.is_client_error() || status.is_server_error())
        && kind.is_none_or(|kind| !kind.as_bytes().starts_with(b"application/json"))
}

async fn in_shape(response: Response) -> Response {
    let (mut parts, body) = response.into_parts();
    let words = axum::body::to_bytes(body, WORDS).await.unwrap_or_default();
    let words = String::from_utf8_lossy(&words);
    let words = words.trim();
    let (reason, otherwise) = match parts.status {
        StatusCode::METHOD_NOT_ALLOWED => {
            (Reason::Method, "this path does not support that method")
        }
        StatusCode::PAYLOAD_TOO_LARGE => (Reason::Malformed, "the request is too long"),
        StatusCode::GATEWAY_TIMEOUT => (
            Reason::Timeout,
            "this took too long, or the request was incomplete; try again",
        ),
        StatusCode::UPGRADE_REQUIRED => (Reason::Upgrade, "this path is for WebSockets"),
        status if status.is_server_error() => (Reason::Fault, "a fault of the server"),
        _ => (Reason::Malformed, "the request cannot be understood"),
    };
    let message = match words {
        "" => otherwise,
        words => words,
    };
    for name in [
        header::CONTENT_TYPE,
        header::CONTENT_LENGTH,
        header::CONTENT_ENCODING,
    ] {
        parts.headers.remove(name);
    }
    let refusal = axum::Json(Refusal::from(refused(reason, message)));
    let (shaped, body) = refusal.into_response().into_parts();
    parts.headers.extend(shaped.headers);
    Response::from_parts(parts, Body::new(body))
}
