//! All that is kept of an account, as one JSON file that is written while it is sent.

use super::Failure;
use super::account::describe;
use super::notices::settings;
use crate::directory::Directory;
use crate::limits::places::Place;
use crate::state::App;
use crate::visitor::Visitor;
use crate::wire::{Exported, Refusal};
use crate::work::Weight;
use axum::body::Body;
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures_util::stream::{self, StreamExt};
use std::collections::VecDeque;
use std::sync::Arc;
use store::accounts::AccountStore;
use store::people::PeopleList;

/// All that is kept of the one who asks: the account, what it has reported, its ballots that are not counted yet, whom it follows and mutes, how notices come, and the games with their moves.
#[utoipa::path(get, path = "/api/account/export", responses((status = 200, body = Exported), (status = 401, body = Refusal),
        (status = 429, body = Refusal), (status = 503, body = Refusal)))]
pub async fn export(State(app): State<App>, visitor: Visitor) -> Result<Response, Failure> {
    let signed_in = visitor.account()?;
    let place = app.accounts.may_export(&signed_in.account.id)?;
    let account = describe(&app.accounts, signed_in).await?;
    // Numbers and texts alone: there is nothing in it that JSON cannot say.
    let account = serde_json::to_string(&account).unwrap_or_default();
    let reports = app.moderation.own_reports(&signed_in.account.id).await?;
    let reports = serde_json::to_string(&reports).unwrap_or_else(|_| "[]".into());
    let notices = settings(&app, signed_in).await?;
    let notices = serde_json::to_string(&notices).unwrap_or_default();
    let ballots = app.votes.own_ballots(&signed_in.account.id).await?;
    let ballots = serde_json::to_string(&ballots).unwrap_or_else(|_| "[]".into());
    let listed = async |list| {
        let id = &signed_in.account.id;
        let names = app.watching.names(list, id).await?;
        Ok::<String, Failure>(serde_json::to_string(&names).unwrap_or_else(|_| "[]".into()))
    };
    let followed = listed(PeopleList::Followed).await?;
    let muted = listed(PeopleList::Muted).await?;
    let writing = Writing {
        directory: app.directory.clone(),
        store: app.accounts.store(),
        account: signed_in.account.id.clone(),
        head: Some(format!(
            "{{\"account\":{account},\"reports\":{reports},\"ballots\":{ballots},\"notices\":{notices},\"followed\":{followed},\"muted\":{muted},\"games\":["
        )),
        last: String::new(),
        page: VecDeque::new(),
        is_first: true,
        ended: false,
        _place: place,
    };
    // What compresses it asks once more after the end.
    let body = Body::from_stream(stream::unfold(writing, Writing::next).fuse());
    let name = format!(
        "attachment; filename=\"husun-{}.json\"",
        signed_in.account.name
    );
    let headers = [
        (header::CONTENT_TYPE, "application/json".to_owned()),
        (header::CONTENT_DISPOSITION, ascii(name)),
    ];
    Ok((headers, body).into_response())
}

/// A header holds no other signs.
fn ascii(text: String) -> String {
    let plain = |c: char| if c.is_ascii() { c } else { '_' };
    text.chars().map(plain).collect()
}

/// Games of a page.
const PAGE: u32 = 100;

struct Writing {
    directory: Directory,
    store: Arc<dyn AccountStore>,
    account: String,
    head: Option<String>,
    last: String,
    page: VecDeque<String>,
    is_first: bool,
    ended: bool,
    _place: Place<String>,
}

impl Writing {
    /// The next part. What cannot be read breaks the answer off, so that nobody takes it for whole.
    async fn next(mut self) -> Option<(std::io::Result<Bytes>, Writing)> {
        if self.ended {
            return None;
        }
        if let Some(head) = self.head.take() {
            return Some((Ok(head.into()), self));
        }
        if self.page.is_empty() {
            match self.store.games_of(&self.account, &self.last, PAGE).await {
                Ok(page) => self.page = page.into(),
                Err(error) => {
                    self.ended = true;
                    return Some((Err(std::io::Error::other(error)), self));
                }
            }
        }
        let Some(id) = self.page.pop_front() else {
            self.ended = true;
            return Some((Ok(Bytes::from_static(b"]}\n")), self));
        };
        let comma = if std::mem::take(&mut self.is_first) {
            ""
        } else {
            ","
        };
        let mut game = self.game(&id).await;
        let notes = &self.directory.services().notes;
        match notes.note(&self.account, &id).await {
            Ok(Some(note)) => game["note"] = note.into(),
            Ok(None) => {}
            Err(error) => {
                self.ended = true;
                return Some((Err(std::io::Error::other(error)), self));
            }
        }
        self.last = id;
        Some((Ok(format!("{comma}\n{game}").into()), self))
    }

    /// A game; one that is damaged is told with its reason.
    async fn game(&self, id: &str) -> serde_json::Value {
        let read = match self.directory.read(id).await {
            Ok(Some(read)) => read,
            Ok(None) => return serde_json::json!({ "id": id }),
            Err(refused) => return serde_json::json!({ "id": id, "problem": refused.message }),
        };
        let of = id.to_owned();
        let write = move || crate::pgn::of_table(&of, &read.table, read.began_ms);
        match self.directory.work().run(Weight::Light, write).await {
            Ok(Ok(pgn)) => serde_json::json!({ "id": id, "pgn": pgn }),
            Ok(Err(problem)) => serde_json::json!({ "id": id, "problem": problem }),
            Err(error) => serde_json::json!({ "id": id, "problem": error.to_string() }),
        }
    }
}
