//! What holds for every request: the rate, the origin, and headers that keep pages safe.

use super::{Failure, address};
use crate::state::App;
use axum::extract::{Request, State};
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

/// Checks a request and completes its answer.
pub async fn guard(State(app): State<App>, request: Request, next: Next) -> Response {
    let (parts, body) = request.into_parts();
    let address = address::of(&parts, app.behind_proxy);
    let operates = matches!(parts.uri.path(), "/healthz" | "/readyz" | "/metrics");
    let mut response = if !operates && !app.guard.request(address) {
        Failure::of(
            StatusCode::TOO_MANY_REQUESTS,
            "rate",
            "too many requests from your address; wait a little",
        )
        .into_response()
    } else if changes(&parts.method, &parts.headers) && !is_own(&parts.headers, &app.origins) {
        Failure::of(
            StatusCode::FORBIDDEN,
            "origin",
            "this comes from a page of another site, which may not do that",
        )
        .into_response()
    } else {
        next.run(Request::from_parts(parts, body)).await
    };
    let headers = response.headers_mut();
    for (name, value) in HEADERS {
        headers
            .entry(name)
            .or_insert(HeaderValue::from_static(value));
    }
    response
}

/// Whether a request can change something or opens a socket.
fn changes(method: &Method, headers: &HeaderMap) -> bool {
    !matches!(*method, Method::GET | Method::HEAD | Method::OPTIONS)
        || headers.contains_key(header::UPGRADE)
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
