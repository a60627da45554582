//! What tables of perfect play know of positions with few men.

use super::Failure;
use super::address::Address;
use super::looks::wanted;
use super::variants::find;
use crate::refusal::Reason;
use crate::state::App;
use crate::wire::{Refusal, TableMove, TableOutcome, TableVerdict, TablebaseAnswer};
use crate::work::Weight;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, State};
use engine::{Outcome, Verdict};
use husun::{Position, Variant};
use serde::Deserialize;
use std::sync::Arc;
use tablebase::{ProbeError, Tablebase};
use utoipa::IntoParams;

/// Positions that a question is charged as: as many moves are looked up, some of them in files.
const COST: usize = 20;

/// The position asked about.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Asked {
    /// Position text.
    fen: String,
}

/// What tables of perfect play know of a position and of its moves.
#[utoipa::path(
    get, path = "/api/tablebase/{id}",
    params(("id" = String, Path, description = "Id of the game"), Asked),
    responses((status = 200, body = TablebaseAnswer), (status = 400, body = Refusal), (status = 404, body = Refusal),
        (status = 422, body = Refusal), (status = 429, body = Refusal), (status = 500, body = Refusal),
        (status = 503, body = Refusal))
)]
pub async fn probe(
    State(app): State<App>,
    Address(address): Address,
    Path(id): Path<String>,
    query: Result<Query<Asked>, QueryRejection>,
) -> Result<axum::Json<TablebaseAnswer>, Failure> {
    let Asked { fen } = wanted(query)?;
    let variant = find(app.directory.variants(), &id)?;
    super::charge(&app, address, COST)?;
    let services = app.directory.services().clone();
    let job = move || {
        let tables = services.tables_of(&variant).ok_or_else(|| {
            let message = format!("this server has no tables of {}", variant.id());
            Failure::of(Reason::NoTables, message)
        })?;
        answer(&variant, &tables, &fen)
    };
    let done = app.directory.work().run(Weight::Light, job).await?;
    done.map(axum::Json)
}

fn answer(
    variant: &Arc<Variant>,
    tables: &Tablebase,
    fen: &str,
) -> Result<TablebaseAnswer, Failure> {
    let position = variant.position(fen);
    let position = position.map_err(|e| Failure::of(Reason::Fen, e.to_string()))?;
    let known = tables.find(&position).map_err(failure)?;
    let moves = tables.moves(&position).map_err(failure)?;
    let legal = position.legal_moves();
    let told = moves.into_iter().map(|(m, verdict)| TableMove {
        uci: position.uci(m).to_string(),
        san: position.san_among(m, &legal).unwrap_or_default(),
        outcome: outcome(verdict),
        distance: verdict.distance,
    });
    Ok(TablebaseAnswer {
        position: known.map(|verdict| told_of(tables, &position, verdict)),
        moves: told.collect(),
    })
}

fn told_of(tables: &Tablebase, position: &Position, verdict: Verdict) -> TableVerdict {
    TableVerdict {
        outcome: outcome(verdict),
        distance: verdict.distance,
        late: tables.may_be_late(position, verdict),
    }
}

fn outcome(verdict: Verdict) -> TableOutcome {
    match verdict.outcome {
        Outcome::Won => TableOutcome::Won,
        Outcome::Drawn => TableOutcome::Drawn,
        Outcome::Lost => TableOutcome::Lost,
    }
}

/// A table that cannot be read: what is wrong with it is for those who run the server.
fn failure(error: ProbeError) -> Failure {
    tracing::error!(%error, "a table of perfect play");
    let message = "the tables of this game are damaged; whoever runs the server can read why";
    Failure::of(Reason::Damaged, message)
}
