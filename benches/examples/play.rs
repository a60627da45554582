//! Perft of a game's positions from play, for profilers: `play GAME ROUNDS`.

use anyhow::{Context, Result};

const FIGURES: &str = include_str!("../../crates/games/tests/data/perft.csv");

fn main() -> Result<()> {
    let mut args = std::env::args().skip(1);
    let id = args.next().context("a game")?;
    let rounds: usize = args.next().context("a number of rounds")?.parse()?;
    let game = games::variant(&id).context("no such game")?;
    let mut nodes = 0;
    for line in FIGURES.lines().skip(1) {
        let fields: Vec<&str> = line.split('"').collect();
        let [variant, fen, rest] = fields[..] else {
            continue;
        };
        if variant.trim_end_matches(',') != id || fen == game.start().fen() {
            continue;
        }
        let depth = rest.trim_start_matches(',').split(',').next();
        let depth: u32 = depth.context("a depth")?.parse()?;
        let position = game.position(fen)?;
        for _ in 0..rounds {
            nodes += position.perft(depth);
        }
    }
    println!("{nodes}");
    Ok(())
}
