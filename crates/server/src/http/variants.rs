//! Games as they are offered.

use super::Failure;
use super::cache::AnswerCache;
use crate::directory::Directory;
use crate::refusal::Reason;
use crate::wire::{
    About, Both, Choice, Customs, Family, HeldPiece, LastingAct, Looks, PieceInfo, Refusal, Region,
    SetupInfo, StateLetter, VariantCard, VariantDetail, WholeAct,
};
use axum::extract::{Path, State};
use axum::http::HeaderMap;
use axum::response::Response;
use engine::Endings;
use engine::values::{Values, estimate};
use husun::{Kind, Square, Variant};
use play::{Games, customs};
use std::sync::Arc;

/// The game of an id in a path.
pub fn find(games: &Games, id: &str) -> Result<Arc<Variant>, Failure> {
    games
        .find(id)
        .map_err(|e| Failure::of(Reason::NoSuchVariant, e.to_string()))
}

/// The id under which clients find a game.
pub fn id_of(games: &Games, variant: &Arc<Variant>) -> String {
    games.shown(&games.name(variant))
}

fn card(games: &Games, variant: &Arc<Variant>) -> VariantCard {
    VariantCard {
        id: id_of(games, variant),
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
            first_lesson: variant.about().first_lesson.clone(),
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
    let games = directory.variants().clone();
    let make = move || {
        let all = games.catalogue().games();
        super::cached_json(&all.map(|v| card(&games, &v)).collect::<Vec<_>>())
    };
    let kept = answers.get("variants", directory.work(), make).await?;
    Ok(kept.answer(&headers))
}

/// Families of games between which players choose by match customs.
#[utoipa::path(get, path = "/api/families", responses((status = 200, body = Vec<Family>)))]
pub async fn families(State(directory): State<Directory>) -> axum::Json<Vec<Family>> {
    let families = directory.variants().families().iter();
    axum::Json(families.map(|family| (&**family).into()).collect())
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
    let games = directory.variants().clone();
    let variant = find(&games, &id)?;
    let place = format!("variants/{}", id_of(&games, &variant));
    let services = directory.services().clone();
    let make = move || {
        let tables = services.tables_of(&variant);
        let table_men = tables.map_or(0, |tables| tables.most_men());
        super::cached_json(&described(&games, &variant, table_men))
    };
    let kept = answers.get(&place, directory.work(), make).await?;
    Ok(kept.answer(&headers))
}

fn described(games: &Games, variant: &Arc<Variant>, table_men: u32) -> VariantDetail {
    let name = |square: &Square| variant.frame().name(*square).to_string();
    let worth = Worth::of(games, variant);
    VariantDetail {
        card: card(games, variant),
        missing: missing(variant),
        pieces: variant
            .kinds()
            .map(|kind| {
                let piece = variant.piece(kind);
                PieceInfo {
                    letter: piece.letter.to_string(),
                    name: piece.name.clone(),
                    betza: piece.betza.clone(),
                    royal: piece.royal,
                    pawn: piece.pawn,
                    sentence: variant.sentence(kind),
                    worth: worth.in_pawns(variant, kind),
                }
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
        castling: variant.rules().castling.as_ref().map(|c| c.name.clone()),
        lasting: lasting(variant),
        state: variant
            .state_letters()
            .into_iter()
            .map(|l| state(variant, l))
            .collect(),
        whole_act: variant.whole_act().map(|act| WholeAct {
            offer: act.offer,
            question: act.question,
            agree: act.agree,
        }),
        accept: variant.rules().traverse.is_some() || variant.rules().crowning.is_some(),
        table_men,
    }
}

/// What the engine holds pieces to be worth.
struct Worth {
    values: Values,
    pawn: f64,
}

impl Worth {
    fn of(games: &Games, variant: &Arc<Variant>) -> Worth {
        let tuned = games
            .catalogue()
            .values(variant)
            .and_then(|text| Values::parse(variant, text).ok());
        let values = tuned.unwrap_or_else(|| estimate(variant));
        let pawn = variant.kinds().find(|&k| variant.piece(k).pawn);
        let pawn = pawn.map_or(100.0, |kind| mean(&values, variant, kind));
        Worth { values, pawn }
    }

    fn in_pawns(&self, variant: &Variant, kind: Kind) -> Option<f64> {
        let piece = variant.piece(kind);
        if piece.royal && !variant.rules().several_royals {
            return None;
        }
        let worth = mean(&self.values, variant, kind) / self.pawn.max(1.0);
        Some((worth * 2.0).round() / 2.0).filter(|w| *w > 0.0)
    }
}

/// Between the beginning and the end of a game.
fn mean(values: &Values, variant: &Variant, kind: Kind) -> f64 {
    let value = values.piece(variant, kind);
    f64::from(value.mg + value.eg) / 2.0
}

fn state(variant: &Variant, letter: husun::variant::StateLetter) -> StateLetter {
    StateLetter {
        letter: letter.letter.to_string(),
        held: letter.held.map(|(side, kind)| HeldPiece {
            side: side.into(),
            piece: variant.piece(kind).letter.to_string(),
        }),
        stands: letter.stands,
        comes: letter.comes,
        goes: letter.goes,
    }
}

fn lasting(variant: &Variant) -> Vec<LastingAct> {
    let letter = |kind: Kind| variant.piece(kind).letter.to_string();
    let traverse = variant.rules().traverse.iter();
    traverse
        .map(|traverse| LastingAct {
            piece: letter(traverse.piece),
            becomes: letter(traverse.becomes),
            name: traverse.name.clone(),
            warning: variant.traverse_warning().unwrap_or_default(),
        })
        .collect()
}
