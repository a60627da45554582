//! `husun tablebase`: tables of perfect play with few men (`docs/tablebases.md`).

use crate::progress::Progress;
use ::tablebase::{Builder, Counts, MOST_MEN, Men, Outcome, Table, Tablebase, Told};
use anyhow::Result;
use clap::{Args, Subcommand};
use games::Catalogue;
use husun::{Side, Variant};
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

/// Tables of perfect play with few men: make them, look at them, ask them
#[derive(Args)]
pub struct Options {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Make the tables of all sets of men
    ///
    /// Each is written when it is done; the same command goes on where it was interrupted.
    Build(BuildOptions),
    /// Show what the tables of a game say of each set of men
    Show(ShowOptions),
    /// Say who wins a position, how far the end is, and how it is reached
    Probe(ProbeOptions),
}

#[derive(Args)]
struct BuildOptions {
    /// Id of the game
    game: String,
    /// The most men, kings among them
    #[arg(long, value_name = "N", default_value_t = MOST_MEN as u8, value_parser = clap::value_parser!(u8).range(2..=MOST_MEN as i64))]
    men: u8,
    /// The folder of the tables; if not given, tablebases/ID
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Threads
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: u16,
}

#[derive(Args)]
struct ShowOptions {
    /// Id of the game
    game: String,
    /// The folder of the tables; if not given, tablebases/ID
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
}

#[derive(Args)]
struct ProbeOptions {
    /// Id of the game
    game: String,
    /// The position
    fen: String,
    /// The folder of the tables; if not given, tablebases/ID
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
}

/// Carries the command out.
pub fn run(games: &Catalogue, options: &Options) -> Result<()> {
    match &options.command {
        Command::Build(options) => build(games, options),
        Command::Show(options) => show(games, options),
        Command::Probe(options) => probe(games, options),
    }
}

fn folder(given: Option<&PathBuf>, variant: &Variant) -> PathBuf {
    let usual = || ["tablebases", variant.id()].iter().collect();
    given.cloned().unwrap_or_else(usual)
}

fn build(games: &Catalogue, options: &BuildOptions) -> Result<()> {
    let variant = games.game(&options.game)?;
    let folder = folder(options.out.as_ref(), &variant);
    let most = usize::from(options.men);
    let builder = Builder::new(&variant, options.threads.into())?.kept_in(&folder);
    let all = Men::all(&variant, most).len() as u64;
    let mut progress = Progress::new(variant.id(), "tables", all, 0);
    let (mut tables, mut bytes, mut read) = (0, 0, 0);
    let built = builder.all(most, &mut |told: Told| {
        tables += 1;
        bytes += told.bytes.unwrap_or(0);
        read += u64::from(told.read);
        progress.step(told.table.men().name(&variant));
    });
    progress.finish();
    built?;
    writeln!(
        std::io::stdout(),
        "{}: {tables} tables of up to {most} men, {bytes} bytes{}",
        folder.display(),
        match read {
            0 => String::new(),
            read => format!("; {read} of them were there before"),
        }
    )?;
    Ok(())
}

fn show(games: &Catalogue, options: &ShowOptions) -> Result<()> {
    let variant = games.game(&options.game)?;
    let folder = folder(options.dir.as_ref(), &variant);
    let tables = Tablebase::open(&variant, &folder);
    let mut out = std::io::stdout().lock();
    writeln!(
        out,
        "{:8} {:5} {:>9} {:>6} {:>6} {:>6} {:>12}",
        "men", "moves", "positions", "won", "drawn", "lost", "longest win"
    )?;
    for men in Men::all(&variant, MOST_MEN) {
        if tables.has(&men) {
            rows(&mut out, &variant, &*tables.table(&men)?)?;
        }
    }
    Ok(())
}

/// A row for each side to move; shares in percent of the positions.
fn rows(out: &mut impl Write, variant: &Arc<Variant>, table: &Table) -> Result<()> {
    for side in Side::ALL {
        let counts: Counts = table.counts(side);
        let share = |n: u64| format!("{:.1}%", 100.0 * n as f64 / counts.all().max(1) as f64);
        writeln!(
            out,
            "{:8} {:5} {:>9} {:>6} {:>6} {:>6} {:>12}",
            table.men().name(variant),
            side.name(),
            counts.all(),
            share(counts.won),
            share(counts.drawn),
            share(counts.lost),
            match counts.won {
                0 => "-".into(),
                _ => counts.longest.to_string(),
            }
        )?;
    }
    Ok(())
}

fn probe(games: &Catalogue, options: &ProbeOptions) -> Result<()> {
    let variant = games.game(&options.game)?;
    let folder = folder(options.dir.as_ref(), &variant);
    let tables = Tablebase::open(&variant, &folder);
    let position = variant.position(&options.fen)?;
    let verdict = tables.probe(&position)?;
    let mover = position.turn();
    let winner = match verdict.outcome {
        Outcome::Won => Some(mover),
        Outcome::Lost => Some(mover.opponent()),
        Outcome::Drawn => None,
    };
    let mut out = std::io::stdout().lock();
    let Some(winner) = winner else {
        writeln!(out, "draw")?;
        return Ok(());
    };
    let line = tables.line(&position)?;
    writeln!(
        out,
        "{} wins; the game ends in {} half-moves",
        winner.name(),
        verdict.distance
    )?;
    let mut game = husun::Game::new(position);
    for m in line {
        game.play_on(m)?;
    }
    writeln!(out, "{}", game.san_moves().join(" "))?;
    Ok(())
}
