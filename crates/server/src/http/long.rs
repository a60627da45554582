//! Long bodies: they count as memory while they come, and are read where that delays nobody.

use super::Failure;
use crate::refusal::{Reason, Refused};
use crate::state::App;
use crate::work::{Budget, Share};
use axum::body::{Body, Bytes};
use axum::extract::{FromRequest, Request};
use axum::http::{StatusCode, header};
use futures_util::StreamExt;
use serde::de::DeserializeOwned;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A long JSON body that has come and has not been read.
pub struct LongJson {
    bytes: Bytes,
    _held: Vec<Share>,
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
        let held = Arc::new(Mutex::new(Held::default()));
        let body = request.map(|body| held_in_turns(body, app.memory.clone(), held.clone()));
        let read = Bytes::from_request(body, app).await;
        let mut held = std::mem::take(&mut *locked(&held));
        match (read, held.refused.take()) {
            (Ok(bytes), None) => Ok(LongJson {
                bytes,
                _held: held.shares,
            }),
            (_, Some(refused)) => Err(refused.into()),
            (Err(rejection), None) => Err(Failure::unread(
                Reason::Malformed,
                rejection.status(),
                rejection.body_text(),
            )),
        }
    }
}

/// The memory of a body that comes.
#[derive(Default)]
struct Held {
    shares: Vec<Share>,
    refused: Option<Refused>,
}

fn locked(held: &Mutex<Held>) -> MutexGuard<'_, Held> {
    held.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A body of which each part counts as memory from when it has come: what was announced and does not come takes nobody's
/// place. Others have their turn between two parts: copying one out of the connection takes a while.
fn held_in_turns(body: Body, memory: Budget, held: Arc<Mutex<Held>>) -> Body {
    let parts = body.into_data_stream().then(move |part| {
        let (memory, held) = (memory.clone(), held.clone());
        async move {
            tokio::task::yield_now().await;
            let part = part?;
            match memory.take(part.len()) {
                Ok(share) => {
                    locked(&held).shares.push(share);
                    Ok(part)
                }
                Err(full) => {
                    let refused = Refused::from(full);
                    let error = axum::Error::new(std::io::Error::other(refused.message.clone()));
                    locked(&held).refused = Some(refused);
                    Err(error)
                }
            }
        }
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
