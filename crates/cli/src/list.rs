//! `husun games`: all games as a table for people or as JSON.

use crate::term;
use anyhow::Result;
use clap::Args;
use games::Catalogue;
use husun::variant::{SideLooks, Stalemate};
use husun::{Side, Variant};
use serde_json::{Map, Value, json};
use std::io::Write;
use std::sync::Arc;

/// List all games
#[derive(Args)]
pub struct Options {
    /// Print everything known about each game as JSON
    #[arg(long)]
    json: bool,
}

/// Columns that summaries need beside the table, or else they go below.
const LEAST: usize = 27;

/// Prints the list.
pub fn run(games: &Catalogue, options: &Options) -> Result<()> {
    let mut out = std::io::stdout().lock();
    let all: Vec<_> = games.games().collect();
    if options.json {
        let all: Vec<Value> = all.iter().map(|v| value(v, games)).collect();
        serde_json::to_writer_pretty(&mut out, &all)?;
        writeln!(out)?;
        return Ok(());
    }
    let rows: Vec<[String; 4]> = all.iter().map(|v| row(v)).collect();
    let head = ["ID", "NAME", "BOARD"];
    let widths: [usize; 3] = std::array::from_fn(|i| {
        let cells = rows.iter().map(|r| r[i].chars().count());
        cells.chain([head[i].len()]).max().unwrap_or(0)
    });
    let indent = widths.iter().map(|w| w + 2).sum::<usize>();
    let beside = term::width() >= indent + LEAST;
    let indent = if beside { indent } else { 4 };
    let [a, b, c] = widths;
    writeln!(out, "{:a$}  {:b$}  {:c$}  WHAT", head[0], head[1], head[2])?;
    for [id, name, board, summary] in &rows {
        write!(out, "{id:a$}  {name:b$}  {board:c$}")?;
        let room = term::width().saturating_sub(indent);
        let lines = summary.lines().flat_map(|l| term::wrap(l, room));
        for (i, line) in lines.enumerate() {
            match (i, beside) {
                (0, true) => writeln!(out, "  {line}")?,
                (0, false) => writeln!(out, "\n{:indent$}{line}", "")?,
                _ => writeln!(out, "{:indent$}{line}", "")?,
            }
        }
    }
    writeln!(out, "\nhusun play ID plays, husun rules ID explains.")?;
    Ok(())
}

/// Names of the set-ups besides the standard one.
fn other_setups(variant: &Variant) -> Vec<&str> {
    let names = variant.setups().iter().map(|s| s.name.as_str());
    names.filter(|name| *name != "standard").collect()
}

fn row(variant: &Variant) -> [String; 4] {
    let mut summary = match variant.summary() {
        "" => "(no summary)".to_string(),
        text => text.into(),
    };
    let others = other_setups(variant);
    if !others.is_empty() {
        summary.push_str(&format!("\nAlso set-up {}.", others.join(", ")));
    }
    [
        variant.id().to_owned(),
        variant.name().to_owned(),
        render::described::board_size(variant),
        summary,
    ]
}

fn value(variant: &Arc<Variant>, games: &Catalogue) -> Value {
    let frame = variant.frame();
    let missing: Vec<String> = (0..frame.ranks())
        .flat_map(|rank| (0..frame.files()).map(move |file| (file, rank)))
        .filter(|&(file, rank)| frame.at(file.into(), rank.into()).is_none())
        .map(|(file, rank)| format!("{}{}", husun::Frame::file_letter(file), rank + 1))
        .collect();
    let mut setups = Map::new();
    for setup in variant.setups() {
        if let Some(position) = variant.start_of(&setup.name) {
            setups.insert(setup.name.clone(), position.fen().into());
        }
    }
    let names = |squares: &[husun::Square]| -> Vec<String> {
        let squares = squares.iter();
        squares.map(|&s| frame.name(s).to_string()).collect()
    };
    let regions: Vec<Value> = variant
        .regions()
        .iter()
        .map(|r| {
            json!({ "id": r.id, "name": r.name, "squares": names(&r.squares), "color": r.color })
        })
        .collect();
    let pieces: Vec<Value> = variant
        .pieces()
        .iter()
        .map(|p| {
            json!({
                "letter": p.letter.to_string(), "name": p.name, "betza": p.betza,
                "royal": p.royal, "pawn": p.pawn, "image": p.image,
            })
        })
        .collect();
    let customs = variant.customs().as_ref().map(|c| {
        let choice: Map<String, Value> = c
            .choice
            .iter()
            .map(|(name, value)| (name.clone(), value.clone().into()))
            .collect();
        json!({
            "family": c.family, "method": c.method, "choice": choice, "counsellor": c.counsellor,
            "default": c.default,
        })
    });
    json!({
        "id": variant.id(),
        "name": variant.name(),
        "summary": variant.summary(),
        "origin": variant.origin(),
        "builtin": games.own_of(variant).is_none(),
        "clock": variant.clock().to_string(),
        "board": {
            "files": frame.files(), "ranks": frame.ranks(), "squares": frame.len(),
            "missing": missing,
        },
        "setups": setups,
        "pieces": pieces,
        "state": state_letters(variant),
        "endings": endings(variant),
        "points": points(variant),
        "regions": regions,
        "looks": { "white": looks(&variant.looks()[0]), "black": looks(&variant.looks()[1]) },
        "customs": customs,
    })
}

fn state_letters(variant: &Variant) -> Value {
    let mut letters = Map::new();
    for said in variant.state_letters() {
        letters.insert(said.letter.to_string(), said.stands.into());
    }
    letters.into()
}

fn endings(variant: &Variant) -> Value {
    let endings = &variant.rules().endings;
    json!({
        "stalemate": match endings.stalemate {
            Stalemate::Draw => "draw",
            Stalemate::Win => "win",
        },
        "bare_king": endings.bare_king,
        "bare_royals": endings.bare_royals,
        "move_rule": endings.move_rule,
        "repetition": endings.repetition,
        "citadels": endings.citadels.is_some(),
    })
}

fn points(variant: &Variant) -> Value {
    let points = &variant.rules().points;
    let side = |side: Side| {
        let p = points.side[side.index()];
        json!({ "win": p.win, "draw": p.draw, "loss": p.loss })
    };
    json!({
        "white": side(Side::White), "black": side(Side::Black), "green_gem": points.green_gem,
    })
}

fn looks(looks: &SideLooks) -> Value {
    json!({
        "name": looks.name, "fill": looks.fill, "detail": looks.detail, "stripes": looks.stripes,
    })
}
