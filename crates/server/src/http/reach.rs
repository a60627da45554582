//! Where pieces can go: on boards with blockers, for move diagrams, and in positions, for people who ask about a piece.

use super::address::Address;
use super::variants::find;
use super::{Failure, Json};
use crate::refusal::Reason;
use crate::state::App;
use crate::wire::{ReachAnswer, ReachRequest, Refusal, Target, TargetsAnswer, TargetsRequest};
use crate::work::Weight;
use axum::extract::{Path, State};
use husun::{Kind, Position, Side, Square, Variant};
use std::sync::Arc;

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
    let variant = find(app.directory.variants(), &id)?;
    super::charge(&app, address, 1)?;
    let work = app.directory.work();
    let job = move || reached(&variant, &request);
    work.run(Weight::Light, job).await?.map(axum::Json)
}

/// What the piece on a square can do in a position, whoever is to move. In an arrangement that is no position of the game its way of
/// moving alone decides.
#[utoipa::path(
    post, path = "/api/variants/{id}/targets",
    params(("id" = String, Path, description = "Id of the game")),
    request_body = TargetsRequest,
    responses((status = 200, body = TargetsAnswer), (status = 404, body = Refusal), (status = 422, body = Refusal), (status = 400, body = Refusal),
        (status = 413, body = Refusal), (status = 415, body = Refusal), (status = 429, body = Refusal),
        (status = 503, body = Refusal))
)]
pub async fn targets(
    State(app): State<App>,
    Address(address): Address,
    Path(id): Path<String>,
    Json(request): Json<TargetsRequest>,
) -> Result<axum::Json<TargetsAnswer>, Failure> {
    let variant = find(app.directory.variants(), &id)?;
    super::charge(&app, address, 1)?;
    let work = app.directory.work();
    let job = move || on_board(&variant, &request);
    work.run(Weight::Light, job).await?.map(axum::Json)
}

fn square(variant: &Variant, text: &str) -> Result<Square, Failure> {
    let read = variant.frame().parse(text);
    read.map_err(|e| Failure::of(Reason::Square, e.to_string()))
}

fn on_board(variant: &Arc<Variant>, request: &TargetsRequest) -> Result<TargetsAnswer, Failure> {
    // Practice boards of lessons are no positions of the game: there the way of moving alone decides.
    let bad = |e: String| Failure::of(Reason::Fen, e);
    let setup = variant.read_arrangement(&request.fen);
    let setup = setup.map_err(|e| bad(e.to_string()))?;
    let from = square(variant, &request.from)?;
    let piece = setup.piece_on(from);
    let targets = match (Position::from_setup(variant, &setup), piece) {
        (Ok(position), _) => position.targets(from),
        (Err(_), Some((side, kind))) => {
            let standing = |s: Square| setup.piece_on(s).map(|(side, _)| side);
            variant.targets(side, kind, from, standing)
        }
        (Err(_), None) => Vec::new(),
    };
    Ok(TargetsAnswer {
        targets: named(variant, &targets),
        acts: piece.map_or_else(Vec::new, |(side, kind)| variant.acts(side, kind)),
    })
}

fn named(variant: &Variant, targets: &[husun::Target]) -> Vec<Target> {
    let name = |square: Square| variant.frame().name(square).to_string();
    let letter = |kind: &Kind| variant.piece(*kind).letter.to_string();
    let target = |target: &husun::Target| Target {
        to: name(target.to),
        path: target.path.iter().map(|&s| name(s)).collect(),
        over: target.over.map(name),
        capture: target.capture,
        legal: target.legal,
        act: target.act.map(Into::into),
        becomes: target.becomes.iter().map(letter).collect(),
    };
    targets.iter().map(target).collect()
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
    let from = square(variant, &request.from)?;
    let squares = |texts: &[String]| {
        let read = texts.iter().map(|text| square(variant, text));
        read.collect::<Result<Vec<_>, _>>()
    };
    let most = variant.frame().len();
    if request.own.len().max(request.enemy.len()) > most {
        let message = format!("more squares than the board's {most}");
        return Err(Failure::of(Reason::Square, message));
    }
    let (own, enemy) = (squares(&request.own)?, squares(&request.enemy)?);
    let side = Side::from(request.side);
    let targets = variant.targets(side, kind, from, |s| {
        let is_own = own.contains(&s).then_some(side);
        is_own.or(enemy.contains(&s).then_some(side.opponent()))
    });
    let names = |capture: bool| {
        let own = targets
            .iter()
            .filter(|t| t.act.is_none() && t.capture == capture);
        own.map(|t| variant.frame().name(t.to).to_string())
            .collect()
    };
    Ok(ReachAnswer {
        moves: names(false),
        captures: names(true),
        targets: named(variant, &targets),
        acts: variant.acts(side, kind),
    })
}
