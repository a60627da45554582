//! Games as they are offered.

use super::address::Address;
use super::cache::AnswerCache;
use super::{Failure, Json};
use crate::directory::Directory;
use crate::refusal::Reason;
use crate::state::App;
use crate::wire::{
    About, Both, Choice, Customs, Family, Looks, PieceInfo, ReachAnswer, ReachRequest, Refusal,
    Region, SetupInfo, VariantCard, VariantDetail,
};
use crate::work::Weight;
use axum::extract::{Path, State};
use axum::http::HeaderMap;
use axum::response::Response;
use husun::{Side, Square, Variant};
use play::customs;
use std::sync::Arc;

/// The game of an id in a path.
pub fn find(id: &str) -> Result<Arc<Variant>, Failure> {
    games::variant(id).ok_or_else(|| {
        let known: Vec<&str> = games::ids().collect();
        let message = format!("no such game; there are {}", known.join(", "));
        Failure::of(Reason::NoSuchVariant, message)
    })
}

fn card(variant: &Variant) -> VariantCard {
    VariantCard {
        id: variant.id().to_owned(),
        name: variant.name().to_owned(),
        summary: variant.summary().to_owned(),
        origin: variant.origin().to_owned(),
        files: variant.frame().files(),
        ranks: variant.frame().ranks(),
        clock: variant.clock().to_string(),
        sides: Both::of(|side| variant.looks()[side.index()].name.clone()),
        about: About {
            family: variant.about().family.clone(),
            difficulty: variant.about().difficulty,
            minutes: variant.about().minutes,
            from_chess: variant.about().from_chess.clone(),
        },
        customs: variant.customs().as_ref().map(|c| Customs {
            family: c.family.clone(),
            method: customs::method(c).into(),
            choice: c
                .choice
                .iter()
                .map(|(name, value)| Choice {
                    name: name.clone(),
                    value: value.clone(),
                })
                .collect(),
            counsellor: c.counsellor,
        }),
    }
}

fn missing(variant: &Variant) -> Vec<String> {
    let frame = variant.frame();
    let mut names = Vec::new();
    for rank in 0..frame.ranks() {
        for file in 0..frame.files() {
            if frame.at(i32::from(file), i32::from(rank)).is_none() {
                names.push(format!("{}{}", husun::Frame::file_letter(file), rank + 1));
            }
        }
    }
    names
}

/// All games.
#[utoipa::path(get, path = "/api/variants", responses((status = 200, body = Vec<VariantCard>)))]
pub async fn list(
    State(answers): State<AnswerCache>,
    State(directory): State<Directory>,
    headers: HeaderMap,
) -> Result<Response, Failure> {
    let make = || {
        let all = games::in_order().filter_map(games::variant);
        super::cached_json(&all.map(|v| card(&v)).collect::<Vec<_>>())
    };
    let kept = answers.get("variants", directory.work(), make).await?;
    Ok(kept.answer(&headers))
}

/// Families of games between which players choose by match customs.
#[utoipa::path(get, path = "/api/families", responses((status = 200, body = Vec<Family>)))]
pub async fn families() -> axum::Json<Vec<Family>> {
    axum::Json(customs::families().iter().map(Into::into).collect())
}

/// One game with everything needed to show it.
#[utoipa::path(
    get, path = "/api/variants/{id}",
    params(("id" = String, Path, description = "Id of the game")),
    responses((status = 200, body = VariantDetail), (status = 404, body = Refusal))
)]
pub async fn detail(
    State(answers): State<AnswerCache>,
    State(directory): State<Directory>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Failure> {
    let variant = find(&id)?;
    let place = format!("variants/{}", variant.id());
    let make = move || super::cached_json(&described(&variant));
    let kept = answers.get(&place, directory.work(), make).await?;
    Ok(kept.answer(&headers))
}

fn described(variant: &Arc<Variant>) -> VariantDetail {
    let name = |square: &Square| variant.frame().name(*square).to_string();
    let markdown = games::rules(variant.id()).unwrap_or_default();
    VariantDetail {
        card: card(variant),
        missing: missing(variant),
        pieces: variant
            .pieces()
            .iter()
            .map(|p| PieceInfo {
                letter: p.letter.to_string(),
                name: p.name.clone(),
                betza: p.betza.clone(),
                royal: p.royal,
                pawn: p.pawn,
            })
            .collect(),
        regions: variant
            .regions()
            .iter()
            .map(|r| Region {
                id: r.id.clone(),
                name: r.name.clone(),
                squares: r.squares.iter().map(name).collect(),
                color: r.color.clone(),
            })
            .collect(),
        setups: variant
            .setups()
            .iter()
            .filter_map(|s| {
                Some(SetupInfo {
                    name: s.name.clone(),
                    fen: variant.start_of(&s.name)?.fen(),
                })
            })
            .collect(),
        looks: Both::of(|side| {
            let looks = &variant.looks()[side.index()];
            Looks {
                fill: looks.fill.clone(),
                detail: looks.detail.clone(),
                stripes: looks.stripes,
            }
        }),
        accept: variant.rules().traverse.is_some() || variant.rules().crowning.is_some(),
        rules_html: html(markdown),
    }
}

/// Markdown of our own as HTML. HTML within it is shown as text.
fn html(markdown: &str) -> String {
    use pulldown_cmark::{Event, Options, Parser};
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH;
    let events = Parser::new_ext(markdown, options).map(|event| match event {
        Event::Html(text) | Event::InlineHtml(text) => Event::Text(text),
        other => other,
    });
    let mut html = String::new();
    pulldown_cmark::html::push_html(&mut html, events);
    html
}

/// Where a piece could go on a board with blockers.
#[utoipa::path(
    post, path = "/api/variants/{id}/reach",
    params(("id" = String, Path, description = "Id of the game")),
    request_body = ReachRequest,
    responses((status = 200, body = ReachAnswer), (status = 404, body = Refusal), (status = 422, body = Refusal), (status = 400, body = Refusal),
        (status = 413, body = Refusal), (status = 415, body = Refusal), (status = 429, body = Refusal),
        (status = 503, body = Refusal))
)]
pub async fn reach(
    State(app): State<App>,
    Address(address): Address,
    Path(id): Path<String>,
    Json(request): Json<ReachRequest>,
) -> Result<axum::Json<ReachAnswer>, Failure> {
    let variant = find(&id)?;
    super::charge(&app, address, 1)?;
    let work = app.directory.work();
    let job = move || reached(&variant, &request);
    work.run(Weight::Light, job).await?.map(axum::Json)
}

fn reached(variant: &Variant, request: &ReachRequest) -> Result<ReachAnswer, Failure> {
    let mut letters = request.letter.chars();
    let kind = letters
        .next()
        .filter(|_| letters.next().is_none())
        .and_then(|c| variant.kind(c))
        .ok_or_else(|| {
            let known: Vec<String> = variant
                .pieces()
                .iter()
                .map(|p| p.letter.to_string())
                .collect();
            let found: String = request.letter.chars().take(10).collect();
            Failure::of(
                Reason::Letter,
                format!("no piece {found:?}, expected one of {}", known.join(" ")),
            )
        })?;
    let square = |text: &String| {
        variant
            .frame()
            .parse(text)
            .map_err(|e| Failure::of(Reason::Square, e.to_string()))
    };
    let from = square(&request.from)?;
    let squares = |texts: &[String]| texts.iter().map(square).collect::<Result<Vec<_>, _>>();
    let most = variant.frame().len();
    if request.own.len().max(request.enemy.len()) > most {
        let message = format!("more squares than the board's {most}");
        return Err(Failure::of(Reason::Square, message));
    }
    let (own, enemy) = (squares(&request.own)?, squares(&request.enemy)?);
    let side = Side::from(request.side);
    let reach = variant.reach(side, kind, from, |s| {
        let is_own = own.contains(&s).then_some(side);
        is_own.or(enemy.contains(&s).then_some(side.opponent()))
    });
    let names = |squares: &[Square]| {
        squares
            .iter()
            .map(|s| variant.frame().name(*s).to_string())
            .collect()
    };
    Ok(ReachAnswer {
        moves: names(&reach.moves),
        captures: names(&reach.captures),
    })
}
