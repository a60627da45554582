//! Long bodies: they count as memory while they come, and are read where that delays nobody.

use super::{Failure, MAX_PGN};
use crate::refusal::Reason;
use crate::state::App;
use crate::work::Share;
use axum::body::{Body, Bytes};
use axum::extract::{FromRequest, Request};
use axum::http::{StatusCode, header};
use futures_util::StreamExt;
use serde::de::DeserializeOwned;

/// A long JSON body that has come and has not been read.
pub struct LongJson {
    bytes: Bytes,
    _held: Share,
}

impl FromRequest<App> for LongJson {
    type Rejection = Failure;

    async fn from_request(request: Request, app: &App) -> Result<LongJson, Failure> {
        let headers = request.headers();
        let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
        let kind = text(header::CONTENT_TYPE).unwrap_or_default();
        let kind = kind.split(';').next().unwrap_or_default().trim();
        if !kind.eq_ignore_ascii_case("application/json") {
            return Err(Failure::unread(
                Reason::Malformed,
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                format!("the body is of type {kind:?}, expected application/json"),
            ));
        }
        let declared = text(header::CONTENT_LENGTH).and_then(|n| n.parse().ok());
        // Texts under way count too: many that come slowly would fill the memory just as well.
        let held = app.memory.take(declared.unwrap_or(MAX_PGN).min(MAX_PGN))?;
        match Bytes::from_request(request.map(in_turns), app).await {
            Ok(bytes) => Ok(LongJson { bytes, _held: held }),
            Err(rejection) => Err(Failure::unread(
                Reason::Malformed,
                rejection.status(),
                rejection.body_text(),
            )),
        }
    }
}

/// A body of which others have their turn between two parts: copying one out of the connection takes a while.
fn in_turns(body: Body) -> Body {
    let parts = body.into_data_stream().then(|part| async move {
        tokio::task::yield_now().await;
        part
    });
    Body::from_stream(parts)
}

impl LongJson {
    /// What it says. This takes a while.
    pub fn read<T: DeserializeOwned>(&self) -> Result<T, Failure> {
        axum::Json::from_bytes(&self.bytes)
            .map(|axum::Json(value)| value)
            .map_err(|rejection| {
                Failure::unread(Reason::Malformed, rejection.status(), rejection.body_text())
            })
    }
}
