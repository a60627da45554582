//! Boards as pictures, and style sheets with the pieces.

use super::Failure;
use super::address::Address;
use super::cache::{AnswerCache, CachedAnswer};
use super::variants::{find, id_of};
use crate::directory::Directory;
use crate::refusal::Reason;
use crate::state::App;
use crate::work::Weight;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};
use husun::{Kind, Side, Variant};
use render::{BoardColors, Picture, PieceSet, Style, Theme};
use serde::Deserialize;
use std::fmt::Write;
use std::net::IpAddr;
use utoipa::IntoParams;

/// For how long browsers may keep pictures, in seconds: a new version may paint anew.
pub(super) const KEEP: &str = "public, max-age=3600";

/// What a picture costs, in positions.
const PICTURE: usize = 10;

/// How a picture is to look.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct Wanted {
    /// `light` or `dark`.
    #[serde(default)]
    theme: Option<String>,
    /// Colours of the squares: `green`, `wood`, `blue`, `stone` or `contrast`.
    #[serde(default)]
    board: Option<String>,
    /// A named set-up.
    #[serde(default)]
    setup: Option<String>,
    /// Position text.
    #[serde(default)]
    fen: Option<String>,
    /// Piece set: `themed` or `letters`.
    #[serde(default)]
    set: Option<String>,
}

pub(super) fn theme_of(name: Option<&str>) -> Result<Theme, Failure> {
    match name {
        None => Ok(Theme::Light),
        Some(name) => Theme::parse(name)
            .ok_or_else(|| Failure::of(Reason::Theme, "unknown theme, expected light or dark")),
    }
}

pub(super) fn board_of(name: Option<&str>) -> Result<BoardColors, Failure> {
    let Some(name) = name else {
        return Ok(BoardColors::default());
    };
    BoardColors::parse(name).ok_or_else(|| {
        let known: Vec<&str> = BoardColors::NAMES.iter().map(|(_, name)| *name).collect();
        let message = format!(
            "unknown colours of the board, expected {}",
            known.join(" or ")
        );
        Failure::of(Reason::Theme, message)
    })
}

pub(super) fn set_of(name: Option<&str>) -> Result<PieceSet, Failure> {
    match name {
        None | Some("themed") => Ok(PieceSet::Themed),
        Some("letters") => Ok(PieceSet::Letters),
        Some(_) => Err(Failure::of(
            Reason::Set,
            "unknown piece set, expected themed or letters",
        )),
    }
}

/// Draws off the threads that serve everybody, and charges for it.
pub(super) async fn picture(
    app: &App,
    address: IpAddr,
    draw: impl FnOnce() -> Result<String, Failure> + Send + 'static,
) -> Result<Response, Failure> {
    super::charge(app, address, PICTURE)?;
    let svg = app.directory.work().run(Weight::Light, draw).await??;
    let headers = [
        (header::CONTENT_TYPE, "image/svg+xml"),
        (header::CACHE_CONTROL, KEEP),
    ];
    Ok((headers, svg).into_response())
}

type Wish = Result<Query<Wanted>, QueryRejection>;

/// What a query asks for, or why it is none.
pub(super) fn wanted<T>(query: Result<Query<T>, QueryRejection>) -> Result<T, Failure> {
    match query {
        Ok(Query(wanted)) => Ok(wanted),
        Err(rejection) => Err(Failure::unread(
            Reason::Query,
            rejection.status(),
            rejection.body_text(),
        )),
    }
}

/// A position of a game, drawn with coordinates.
#[utoipa::path(
    get, path = "/api/variants/{id}/board.svg",
    params(("id" = String, Path, description = "Id of the game"), Wanted),
    responses((status = 200, content_type = "image/svg+xml", body = String), (status = 400, body = crate::wire::Refusal),
        (status = 404, body = crate::wire::Refusal), (status = 422, body = crate::wire::Refusal),
        (status = 429, body = crate::wire::Refusal), (status = 503, body = crate::wire::Refusal))
)]
pub async fn board(
    State(app): State<App>,
    Address(address): Address,
    Path(id): Path<String>,
    query: Wish,
) -> Result<Response, Failure> {
    let (variant, wanted) = (find(app.directory.variants(), &id)?, wanted(query)?);
    let style = Style {
        theme: theme_of(wanted.theme.as_deref())?,
        board: board_of(wanted.board.as_deref())?,
        set: set_of(wanted.set.as_deref())?,
        page: false,
        ..Style::default()
    };
    let draw = move || {
        let position = match (&wanted.fen, &wanted.setup) {
            (Some(fen), _) => variant
                .position(fen)
                .map_err(|e| Failure::of(Reason::Fen, e.to_string()))?,
            (None, Some(name)) => variant
                .start_of(name)
                .ok_or_else(|| Failure::of(Reason::Setup, "no such set-up"))?,
            (None, None) => variant.start(),
        };
        Ok(render::svg::board(&Picture::of(&position), &style))
    };
    picture(&app, address, draw).await
}

/// The empty board alone, exactly its squares.
#[utoipa::path(
    get, path = "/api/variants/{id}/empty.svg",
    params(("id" = String, Path, description = "Id of the game"), Wanted),
    responses((status = 200, content_type = "image/svg+xml", body = String), (status = 400, body = crate::wire::Refusal),
        (status = 404, body = crate::wire::Refusal), (status = 422, body = crate::wire::Refusal),
        (status = 429, body = crate::wire::Refusal), (status = 503, body = crate::wire::Refusal))
)]
pub async fn empty(
    State(app): State<App>,
    Address(address): Address,
    Path(id): Path<String>,
    query: Wish,
) -> Result<Response, Failure> {
    let (variant, wanted) = (find(app.directory.variants(), &id)?, wanted(query)?);
    let style = Style {
        theme: theme_of(wanted.theme.as_deref())?,
        board: board_of(wanted.board.as_deref())?,
        page: false,
        ..Style::default()
    };
    let draw = move || Ok(render::svg::squares(&Picture::empty(&variant), &style));
    picture(&app, address, draw).await
}

/// A style sheet with the pictures of a game's pieces; `set` is `themed.css` or `letters.css`.
#[utoipa::path(
    get, path = "/api/variants/{id}/pieces/{set}",
    params(("id" = String, Path, description = "Id of the game"), ("set" = String, Path, description = "themed.css or letters.css")),
    responses((status = 200, content_type = "text/css", body = String), (status = 404, body = crate::wire::Refusal))
)]
pub async fn pieces(
    State(answers): State<AnswerCache>,
    State(directory): State<Directory>,
    Path((id, file)): Path<(String, String)>,
    headers: HeaderMap,
) -> Result<Response, Failure> {
    let games = directory.variants();
    let variant = find(games, &id)?;
    let name = file
        .strip_suffix(".css")
        .filter(|n| matches!(*n, "themed" | "letters"));
    let Some(name) = name else {
        let message = "no such piece set, expected themed.css or letters.css";
        return Err(Failure::of(Reason::NoSuchSet, message));
    };
    let set = set_of(Some(name))?;
    let id = id_of(games, &variant);
    let (place, scope) = (
        format!("pieces/{id}/{name}"),
        format!(".pieces-{name}-{id}"),
    );
    let make = move || {
        CachedAnswer::new(
            "text/css; charset=utf-8",
            KEEP,
            sheet(&variant, &scope, set),
        )
    };
    let kept = answers.get(&place, directory.work(), make).await?;
    Ok(kept.answer(&headers))
}

fn sheet(variant: &Variant, scope: &str, set: PieceSet) -> String {
    let style = Style {
        set,
        ..Style::default()
    };
    let mut css = String::new();
    for side in Side::ALL {
        for kind in variant.kinds() {
            rule(&mut css, variant, side, kind, 2, scope, &style);
            if variant.rules().several_royals && variant.piece(kind).royal {
                let scope = format!("{scope}.lone-{}", word(side));
                rule(&mut css, variant, side, kind, 1, &scope, &style);
            }
        }
    }
    css
}

fn word(side: Side) -> &'static str {
    match side {
        Side::White => "white",
        Side::Black => "black",
    }
}

fn rule(
    css: &mut String,
    variant: &Variant,
    side: Side,
    kind: Kind,
    royals: usize,
    scope: &str,
    style: &Style,
) {
    let svg = render::svg::piece(variant, side, kind, royals, style);
    let letter = variant.piece(kind).letter.to_ascii_lowercase();
    let own = format!(".{}.{letter}-piece", word(side));
    let data = in_url(&svg);
    // Writing to a text cannot fail.
    let _ = writeln!(
        css,
        "{scope} piece{own},{scope} .piece-icon{own}{{background-image:url(\"data:image/svg+xml,{data}\")}}"
    );
}

/// A text as it stands in a data URL within double quotes.
fn in_url(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 8);
    for c in text.chars() {
        match c {
            '"' => out.push('\''),
            '\n' => out.push(' '),
            '%' | '#' | '<' | '>' | '&' | '\\' | '{' | '}' => {
                let _ = write!(out, "%{:02X}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out
}
