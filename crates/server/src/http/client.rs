//! The browser client's files, embedded. A path without a file is a page of the client, which reads it itself.

use super::Failure;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, Uri, header};
use axum::response::{Html, IntoResponse, Response};
use rust_embed::Embed;
use std::borrow::Cow;
use std::path::PathBuf;

#[derive(Embed)]
#[folder = "../../web/dist"]
#[allow_missing = true]
struct Files;

/// Files whose names hold a sum of what is in them never change.
const FOR_EVER: &str = "public, max-age=31536000, immutable";
/// All others are asked for anew each time.
const ASK: &str = "no-cache";

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

impl Client {
    async fn get(&self, path: &str) -> Option<(Cow<'static, [u8]>, String)> {
        match self {
            Client::Embedded => {
                let file = Files::get(path)?;
                let sum = file.metadata.sha256_hash();
                let tag = sum.iter().take(16).map(|b| format!("{b:02x}")).collect();
                Some((file.data, tag))
            }
            Client::Folder(folder) => {
                let plain = |part: &str| !part.is_empty() && !part.starts_with('.');
                if !path.split('/').all(plain) {
                    return None;
                }
                let data = tokio::fs::read(folder.join(path)).await.ok()?;
                Some((data.into(), format!("w{}", crate::services::wall_ms())))
            }
        }
    }
}

/// A file, or the client's page.
pub async fn file(State(client): State<Client>, uri: Uri, headers: HeaderMap) -> Response {
    let path = uri.path().trim_start_matches('/');
    if let Some(file) = client.get(path).await.filter(|_| !path.is_empty()) {
        return answer(path, file, &headers);
    }
    let last = path.rsplit('/').next().unwrap_or_default();
    if path.starts_with("assets/") || (last.contains('.') && !path.starts_with("analysis")) {
        return Failure::of(
            StatusCode::NOT_FOUND,
            "no_such_path",
            "there is no such file",
        )
        .into_response();
    }
    match client.get("index.html").await {
        Some(file) => answer("index.html", file, &headers),
        None => (StatusCode::SERVICE_UNAVAILABLE, Html(UNBUILT)).into_response(),
    }
}

fn answer(path: &str, file: (Cow<'static, [u8]>, String), headers: &HeaderMap) -> Response {
    let (data, sum) = file;
    let tag = format!("\"{sum}\"");
    let known = headers
        .get(header::IF_NONE_MATCH)
        .and_then(|v| v.to_str().ok());
    let keep = match path.starts_with("assets/") {
        true => FOR_EVER,
        false => ASK,
    };
    let common = [
        (header::ETAG, tag.clone()),
        (header::CACHE_CONTROL, keep.into()),
    ];
    if known == Some(&tag) {
        return (StatusCode::NOT_MODIFIED, common).into_response();
    }
    let kind = [(header::CONTENT_TYPE, kind_of(path))];
    (common, kind, data).into_response()
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
