//! `husun bench`: fixed positions of all games to a fixed depth. The number of positions visited shows whether the
//! engine plays as before.

use anyhow::Result;
use clap::Args;
use engine::{BENCH_DEPTH, Bench};
use games::Catalogue;
use serde_json::{Map, json};
use std::io::Write;

/// Search fixed positions; the same program always visits the same number of positions
#[derive(Args)]
pub struct Options {
    /// Ids of games; all built-in games if none is given
    games: Vec<String>,
    /// Half-moves to look ahead
    #[arg(long, default_value_t = BENCH_DEPTH, value_parser = clap::value_parser!(u32).range(1..=30))]
    depth: u32,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

fn speed(bench: Bench) -> f64 {
    bench.nodes as f64 / bench.time.as_secs_f64().max(1e-9)
}

/// Searches and prints.
pub fn run(games: &Catalogue, options: &Options) -> Result<()> {
    let games: Vec<_> = match options.games.is_empty() {
        true => games::ids().filter_map(games::variant).collect(),
        false => {
            let ids = options.games.iter();
            ids.map(|id| games.game(id)).collect::<Result<_, _>>()?
        }
    };
    let mut out = std::io::stdout().lock();
    let mut failed = Ok(());
    let mut each = Map::new();
    let all = engine::bench(&games, options.depth, &mut |game, bench| {
        if options.json {
            each.insert(game.id().to_owned(), bench.nodes.into());
        } else if failed.is_ok() {
            failed = line(&mut out, game.id(), bench);
        }
    });
    failed?;
    if options.json {
        let answer = json!({
            "depth": options.depth, "games": each, "nodes": all.nodes,
            "seconds": all.time.as_secs_f64(), "nodes_per_second": speed(all).round(),
        });
        writeln!(out, "{answer}")?;
    } else {
        line(&mut out, "all", all)?;
    }
    Ok(())
}

fn line(out: &mut impl Write, name: &str, bench: Bench) -> std::io::Result<()> {
    let speed = speed(bench);
    writeln!(
        out,
        "{name:20} {:>10} nodes {speed:>10.0} nodes/s",
        bench.nodes
    )
}
