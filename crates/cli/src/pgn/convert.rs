//! The formats in which `husun pgn convert` writes a game.

use anyhow::Result;
use clap::Args;
use husun::record::Record;
use serde_json::{Map, Value, json};
use std::io::Write;

/// How games are written; PGN by default.
#[derive(Args)]
#[group(multiple = false)]
pub struct Form {
    /// One JSON object per game: tags, start, moves in both notations, result, last position
    #[arg(long)]
    json: bool,
    /// One line per game: its moves in UCI form
    #[arg(long)]
    uci: bool,
    /// One line per game: its last position
    #[arg(long)]
    fen: bool,
}

impl Form {
    /// Writes a game.
    pub fn write(&self, out: &mut impl Write, record: &Record) -> Result<()> {
        if self.json {
            writeln!(out, "{}", value(record))?;
        } else if self.uci {
            writeln!(out, "{}", Moves::of(record).uci.join(" "))?;
        } else if self.fen {
            writeln!(out, "{}", Moves::of(record).last)?;
        } else {
            out.write_all(record.to_raw()?.to_pgn()?.as_bytes())?;
            writeln!(out)?;
        }
        Ok(())
    }
}

/// The main line in both notations, with the position that it leads to.
struct Moves {
    uci: Vec<String>,
    san: Vec<String>,
    last: String,
}

impl Moves {
    fn of(record: &Record) -> Moves {
        let mut position = record.start.clone();
        let (mut uci, mut san) = (Vec::new(), Vec::new());
        for ply in &record.main.plies {
            uci.push(position.uci(ply.m).to_string());
            san.push(position.san(ply.m).unwrap_or_default());
            position = position.play_unchecked(ply.m);
        }
        Moves {
            uci,
            san,
            last: position.fen(),
        }
    }
}

fn value(record: &Record) -> Value {
    let moves = Moves::of(record);
    let tags: Map<String, Value> = record
        .tags
        .iter()
        .map(|(name, value)| (name.clone(), value.clone().into()))
        .collect();
    json!({
        "variant": record.start.variant().id(),
        "tags": tags,
        "start": record.start.fen(),
        "uci": moves.uci,
        "san": moves.san,
        "fen": moves.last,
        "result": record.result.marker(),
    })
}
