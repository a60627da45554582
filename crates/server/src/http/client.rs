//! The browser client's files, embedded. A path without a file is a page of the client, which reads it itself.

use super::Failure;
use super::cache::{AnswerCache, CachedAnswer};
use crate::directory::Directory;
use crate::refusal::Reason;
use crate::work::{Weight, Work};
use axum::extract::State;
use axum::http::{HeaderMap, Method, StatusCode, Uri, header};
use axum::response::{Html, IntoResponse, Response};
use bytes::Bytes;
use rust_embed::Embed;
use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::Arc;

#[derive(Embed)]
#[folder = "../../web/dist"]
#[allow_missing = true]
struct Files;

/// Files whose names hold a sum of what is in them never change.
const FOR_EVER: &str = "public, max-age=31536000, immutable";

/// Ending of the Brotli form of a file, made with it.
const PACKED: &str = ".br";

/// Shown by a build without the client.
const UNBUILT: &str = "<!doctype html><title>Husun</title><p>This build of Husun is without its browser client. \
    Run <code>./play</code> in the project's folder, which builds both.</p>";

/// Where the client's files are.
#[derive(Clone, Debug, Default)]
pub enum Client {
    /// In the program.
    #[default]
    Embedded,
    /// In a folder, for those who work on the client.
    Folder(PathBuf),
}

/// A file; those of a folder are read anew each time.
type Found = Option<Arc<CachedAnswer>>;

impl Client {
    async fn get(&self, path: &str, answers: &AnswerCache, work: &Work) -> Result<Found, Failure> {
        match self {
            Client::Embedded => {
                let Some(file) = Files::get(path) else {
                    return Ok(None);
                };
                let packed = Files::get(&format!("{path}{PACKED}"));
                let name = format!("client/{path}");
                let (kind, keep) = (kind_of(path), keep_of(path));
                let make = move || {
                    let sum = file.metadata.sha256_hash();
                    let tag: String = sum.iter().take(16).map(|b| format!("{b:02x}")).collect();
                    let packed = packed.map(|file| bytes_of(file.data));
                    CachedAnswer::tagged(kind, keep, bytes_of(file.data), &tag, packed)
                };
                answers.get(&name, work, make).await.map(Some)
            }
            Client::Folder(folder) => {
                let plain = |part: &str| !part.is_empty() && !part.starts_with('.');
                if !path.split('/').all(plain) {
                    return Ok(None);
                }
                let Ok(data) = tokio::fs::read(folder.join(path)).await else {
                    return Ok(None);
                };
                let (kind, keep) = (kind_of(path), keep_of(path));
                let make = move || CachedAnswer::new(kind, keep, data);
                Ok(Some(Arc::new(work.run(Weight::Light, make).await?)))
            }
        }
    }
}

/// A file, or the client's page.
pub async fn file(
    State(client): State<Client>,
    State(answers): State<AnswerCache>,
    State(directory): State<Directory>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response, Failure> {
    if !matches!(method, Method::GET | Method::HEAD) {
        let allow = [(header::ALLOW, "GET, HEAD")];
        return Ok((allow, super::wrong_method().await).into_response());
    }
    let work = directory.work();
    let path = uri.path().trim_start_matches('/');
    if !path.is_empty()
        && !path.ends_with(PACKED)
        && let Some(file) = client.get(path, &answers, work).await?
    {
        return Ok(file.answer(&headers));
    }
    let last = path.rsplit('/').next().unwrap_or_default();
    if path.starts_with("assets/") || (last.contains('.') && !path.starts_with("analysis")) {
        return Err(Failure::of(Reason::NoSuchPath, "there is no such file"));
    }
    Ok(match client.get("index.html", &answers, work).await? {
        Some(file) => file.answer(&headers),
        None => (StatusCode::SERVICE_UNAVAILABLE, Html(UNBUILT)).into_response(),
    })
}

fn bytes_of(data: Cow<'static, [u8]>) -> Bytes {
    match data {
        Cow::Borrowed(data) => Bytes::from_static(data),
        Cow::Owned(data) => data.into(),
    }
}

fn keep_of(path: &str) -> &'static str {
    match path.starts_with("assets/") {
        true => FOR_EVER,
        false => super::ASK,
    }
}

/// Kinds of file that the client has.
const KINDS: [(&str, &str); 10] = [
    ("html", "text/html; charset=utf-8"),
    ("js", "text/javascript; charset=utf-8"),
    ("css", "text/css; charset=utf-8"),
    ("svg", "image/svg+xml"),
    ("png", "image/png"),
    ("ico", "image/x-icon"),
    ("json", "application/json"),
    ("webmanifest", "application/manifest+json"),
    ("txt", "text/plain; charset=utf-8"),
    ("woff2", "font/woff2"),
];

fn kind_of(path: &str) -> &'static str {
    let ending = path.rsplit('.').next().unwrap_or_default();
    let kind = KINDS.iter().find(|(e, _)| *e == ending);
    kind.map_or("application/octet-stream", |(_, kind)| kind)
}
