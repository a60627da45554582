//! Positions with known perft, from the tests of the games.

use anyhow::{Context, Result};

const FIGURES: &str = include_str!("../../crates/games/tests/data/perft.csv");

/// A count that is known.
pub struct Figure {
    /// The position.
    pub fen: String,
    /// Half-moves.
    pub depth: u32,
    /// Paths of that length.
    pub nodes: u64,
}

/// Those of a game's set-up, or of its positions from play; several depths of a position follow each other.
pub fn figures(id: &str, of_start: bool) -> Result<Vec<Figure>> {
    let game = games::variant(id).with_context(|| format!("no game {id}"))?;
    let start = game.start().fen();
    let mut figures = Vec::new();
    for line in FIGURES.lines().skip(1) {
        let fields: Vec<&str> = line.split('"').collect();
        let [variant, fen, rest] = fields[..] else {
            continue;
        };
        if variant.trim_end_matches(',') != id || (fen == start) != of_start {
            continue;
        }
        let mut numbers = rest.trim_start_matches(',').split(',');
        let mut number = || numbers.next().with_context(|| line.to_owned());
        figures.push(Figure {
            fen: fen.into(),
            depth: number()?.parse()?,
            nodes: number()?.parse()?,
        });
    }
    Ok(figures)
}
