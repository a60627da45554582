//! Husun's speed beside that of its peers, all measured in one run: see `docs/speed.md`. Prints the tables
//! and writes them with plots into a folder.

mod figures;
mod growth;
#[cfg(target_arch = "x86_64")]
mod lines;
mod paths;
mod peers;
mod plot;
mod search;
mod stats;
mod uci;
mod work;

use anyhow::{Context, Result};
use clap::Parser;
use std::fs;
use std::path::PathBuf;

/// Measures Husun beside cozy-chess, shakmaty and Fairy-Stockfish.
#[derive(Parser)]
struct Args {
    /// Runs of each measurement, interleaved; the median counts.
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// Only perft of games whose id begins so; nothing is written.
    #[arg(long)]
    only: Option<String>,
    /// Instead of all else, ways to find what sliders reach: `docs/speed/lines.md`.
    #[arg(long)]
    lines: bool,
    /// Instead of all else, the engine's search beside Fairy-Stockfish's and on two threads: `docs/engine-record.md`.
    #[arg(long)]
    search: bool,
    /// The program `husun`, for the search.
    #[arg(long, default_value = "target/release/husun")]
    husun: PathBuf,
    /// Folder for the tables and plots.
    #[arg(long, default_value = "docs/speed")]
    out: PathBuf,
    /// Debian's Fairy-Stockfish, if it is there.
    #[arg(long, default_value = "/usr/games/fairy-stockfish")]
    fairy: PathBuf,
    /// The example `peer` built for the processor, shown beside the libraries as they are built here.
    #[arg(long, value_name = "PATH")]
    peers: Option<PathBuf>,
    /// Another build of Fairy-Stockfish, shown beside Debian's; the search is compared with it.
    #[arg(long, value_name = "PATH")]
    fairy_stockfish: Option<PathBuf>,
}

fn main() -> Result<()> {
    let args = Args::parse();
    let rounds = args.rounds.max(1);
    #[cfg(target_arch = "x86_64")]
    if args.lines {
        return lines::measure(rounds, &args.out);
    }
    anyhow::ensure!(
        !args.lines,
        "the ways of sliders are measured on x86-64 only"
    );
    for (option, path) in [
        ("fairy-stockfish", &args.fairy_stockfish),
        ("peers", &args.peers),
    ] {
        if let Some(path) = path.as_ref().filter(|p| !p.is_file()) {
            anyhow::bail!("--{option} {}: no such file", path.display());
        }
    }
    if args.search {
        let fairy = args.fairy_stockfish.as_ref().unwrap_or(&args.fairy);
        return search::measure(rounds, &args.husun, fairy, &args.out);
    }
    let loading = work::loading()?;
    let programs = paths::Programs {
        libraries: args.peers.as_deref(),
        fairy: &args.fairy,
        build: args.fairy_stockfish.as_deref(),
    };
    let rows = paths::measure(rounds, args.only.as_deref(), &programs)?;
    let table = paths::table(&rows);
    println!("{table}");
    if args.only.is_some() {
        return Ok(());
    }
    let growth = growth::measure(rounds)?;
    let work = work::table(rounds, &loading)?;
    println!("{}\n{work}", growth::table(&growth));
    fs::create_dir_all(&args.out).context("the folder for the tables")?;
    let write = |name: &str, text: String| {
        let path = args.out.join(name);
        fs::write(&path, text).with_context(|| path.display().to_string())
    };
    let page = format!(
        "# Figures of one run\n\nWritten by the benchmark; what they mean is in [speed.md](../speed.md).\n\n\
         {table}\n{}\n{work}",
        growth::table(&growth)
    );
    write("table.md", page)?;
    write("perft.csv", paths::csv(&rows))?;
    write("perft.svg", paths::plot(&rows))?;
    write("growth.svg", growth::plot(&growth))?;
    Ok(())
}
