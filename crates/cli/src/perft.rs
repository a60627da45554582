//! `husun perft`: counts legal move paths, optionally with threads and a table of known counts.

use crate::start::Start;
use anyhow::Result;
use clap::Args;
use games::Catalogue;
use husun::perft::Perft;
use husun::{Move, Position};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::{Map, json};
use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

/// Count the legal move paths of a length
#[derive(Args)]
pub struct Options {
    /// Id of the game
    game: String,
    /// Length of the paths in half-moves
    #[arg(value_parser = clap::value_parser!(u32).range(0..=30))]
    depth: u32,
    #[command(flatten)]
    start: Start,
    /// Print the count below each move
    #[arg(long)]
    divide: bool,
    /// Number of threads
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: u16,
    /// Size of a table of known counts, in mebibytes
    #[arg(long, value_name = "MB", default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..=1 << 20))]
    hash: u32,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Delay before a progress bar is shown.
const PATIENCE: Duration = Duration::from_secs(1);

/// Counts and prints.
pub fn run(games: &Catalogue, options: &Options) -> Result<()> {
    let variant = games.game(&options.game)?;
    let position = options.start.position(&variant)?;
    let perft = Perft {
        threads: options.threads.into(),
        hash_mb: options.hash as usize,
    };
    let began = Instant::now();
    let mut counts = match std::io::stderr().is_terminal() {
        true => with_progress(perft, &position, options.depth),
        false => perft.divide(&position, options.depth),
    };
    let seconds = began.elapsed().as_secs_f64();
    let nodes = match options.depth {
        0 => 1,
        _ => counts.iter().map(|c| c.1).sum(),
    };
    counts.sort_by_key(|&(m, _)| position.uci(m).to_string());
    let speed = nodes as f64 / seconds.max(1e-9);
    let mut out = std::io::stdout().lock();
    if options.json {
        let mut answer = json!({
            "game": variant.id(), "fen": position.fen(), "depth": options.depth, "nodes": nodes,
            "seconds": seconds, "nodes_per_second": speed.round(),
        });
        if options.divide {
            let below: Map<_, _> = counts
                .iter()
                .map(|&(m, n)| (position.uci(m).to_string(), n.into()))
                .collect();
            answer["divide"] = below.into();
        }
        writeln!(out, "{answer}")?;
        return Ok(());
    }
    if options.divide {
        for &(m, n) in &counts {
            writeln!(out, "{}: {n}", position.uci(m))?;
        }
        writeln!(out)?;
    }
    writeln!(
        out,
        "{} depth {}: {nodes} nodes, {seconds:.3} s, {:.1} million nodes/s",
        variant.id(),
        options.depth,
        speed / 1e6
    )?;
    Ok(())
}

/// Counts with a progress bar on standard error that appears after a second: move by move, or as a running clock if
/// all moves share a table.
fn with_progress(perft: Perft, position: &Position, depth: u32) -> Vec<(Move, u64)> {
    if depth < 2 {
        return perft.divide(position, depth);
    }
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
    let began = Instant::now();
    let show = |bar: &ProgressBar| {
        if bar.is_hidden() && began.elapsed() >= PATIENCE {
            bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        bar.tick();
    };
    let counts = if perft.hash_mb > 0 {
        std::thread::scope(|scope| {
            let worker = scope.spawn(|| perft.divide(position, depth));
            while !worker.is_finished() {
                std::thread::sleep(Duration::from_millis(20));
                show(&bar);
            }
            // A panic there continues here.
            worker
                .join()
                .unwrap_or_else(|e| std::panic::resume_unwind(e))
        })
    } else {
        let moves = position.legal_moves();
        bar.set_length(moves.len() as u64);
        let style =
            ProgressStyle::with_template("{elapsed} {bar:40} {pos}/{len} moves, {eta} left");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        let below = |m: Move| {
            let nodes = perft.count(&position.play_unchecked(m), depth - 1);
            bar.inc(1);
            show(&bar);
            (m, nodes)
        };
        moves.into_iter().map(below).collect()
    };
    bar.finish_and_clear();
    counts
}
