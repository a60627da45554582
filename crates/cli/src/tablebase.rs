//! `husun tablebase`: tables of perfect play with few men (`docs/tablebases.md`).

use crate::progress::Progress;
use crate::tables::sentence;
use ::tablebase::{BuildError, Builder, Counts, MOST_MEN, Men, Outcome, Table, Tablebase, Told};
use anyhow::{Context, Result};
use clap::{Args, Subcommand};
use games::Catalogue;
use husun::{Side, Variant};
use std::io::Write;
use std::path::{Path, PathBuf};
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
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u8).range(2..=MOST_MEN as i64))]
    men: u8,
    /// Only these sets of men, and those that their moves lead to: White's letters, v, Black's letters; after a side's, + and letters of state
    #[arg(
        long,
        value_name = "MEN",
        value_delimiter = ',',
        conflicts_with = "men"
    )]
    only: Vec<String>,
    /// The most memory that a table may need while it is made, in MiB
    #[arg(long, value_name = "MIB", default_value_t = 2048, value_parser = clap::value_parser!(u64).range(1..=1 << 20))]
    memory: u64,
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
    let builder = Builder::new(&variant, options.threads.into())
        .kept_in(&folder)
        .within(options.memory << 20);
    let sets = match options.only.is_empty() {
        true => Men::all(&variant, most),
        false => named(&variant, &options.only)?,
    };
    let mut progress = Progress::new(variant.id(), "tables", sets.len() as u64, 0);
    let (mut tables, mut bytes, mut read) = (0, 0, 0);
    let built = builder.these(&sets, &mut |told: Told| match told {
        Told::Looked { men, done, all } => {
            let men = men.name(&variant);
            progress.say(format!("{men}: {}% looked at", 100 * done / all.max(1)));
        }
        Told::Decided { men, distance } => {
            let men = men.name(&variant);
            progress.say(format!("{men}: ends in {distance} half-moves"));
        }
        Told::Made {
            men,
            bytes: of_file,
            read: before,
        } => {
            tables += 1;
            bytes += of_file.unwrap_or(0);
            read += u64::from(before);
            let asked = sets.contains(men);
            progress.ahead(u64::from(asked), men.name(&variant));
        }
    });
    progress.finish();
    built.map_err(|error| match error {
        BuildError::Memory { .. } => anyhow::anyhow!("{error} (--memory)"),
        error => error.into(),
    })?;
    writeln!(
        std::io::stdout(),
        "{}: {tables} tables{}, {bytes} bytes{}",
        folder.display(),
        match options.only.is_empty() {
            true => format!(" of up to {most} men"),
            false => String::new(),
        },
        match read {
            0 => String::new(),
            read => format!("; {read} of them were there before"),
        }
    )?;
    Ok(())
}

/// Sets of men by their names.
fn named(variant: &Variant, names: &[String]) -> Result<Vec<Men>> {
    let set = |name: &String| {
        Men::named(variant, name).with_context(|| {
            let id = variant.id();
            format!(
                "--only: `{name}` is no set of up to {MOST_MEN} men of {id}: expected letters of White's men, `v` and letters of Black's, and after a side's men perhaps `+` and letters of the state field"
            )
        })
    };
    names.iter().map(set).collect()
}

fn show(games: &Catalogue, options: &ShowOptions) -> Result<()> {
    let variant = games.game(&options.game)?;
    let folder = folder(options.dir.as_ref(), &variant);
    let tables = opened(&variant, &folder)?;
    let mut out = std::io::stdout().lock();
    let mut sets = Men::all(&variant, MOST_MEN);
    sets.retain(|men| tables.has(men));
    let widths = widths(&variant, &sets);
    let [men, moves] = widths;
    writeln!(
        out,
        "{:men$} {:moves$} {:>9} {:>6} {:>6} {:>6} {:>12}",
        "men", "moves", "positions", "won", "drawn", "lost", "longest win"
    )?;
    for men in &sets {
        rows(&mut out, &variant, widths, &*tables.table(men)?)?;
    }
    Ok(())
}

/// Characters of the columns with the men and with the sides' names.
fn widths(variant: &Variant, sets: &[Men]) -> [usize; 2] {
    let most = |least: usize, all: &mut dyn Iterator<Item = usize>| all.fold(least, usize::max);
    let sides = variant.looks().iter();
    [
        most(8, &mut sets.iter().map(|men| men.name(variant).len())),
        most(
            "moves".len(),
            &mut sides.map(|looks| looks.name.chars().count()),
        ),
    ]
}

/// A row for each side to move; shares in percent of the positions.
fn rows(
    out: &mut impl Write,
    variant: &Arc<Variant>,
    [men, moves]: [usize; 2],
    table: &Table,
) -> Result<()> {
    for side in Side::ALL {
        let counts: Counts = table.counts(side);
        let share = |n: u64| format!("{:.1}%", 100.0 * n as f64 / counts.all().max(1) as f64);
        writeln!(
            out,
            "{:men$} {:moves$} {:>9} {:>6} {:>6} {:>6} {:>12}",
            table.men().name(variant),
            variant.looks()[side.index()].name,
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
    let tables = opened(&variant, &folder)?;
    let position = variant.position(&options.fen)?;
    let verdict = tables.probe(&position)?;
    let mut out = std::io::stdout().lock();
    writeln!(out, "{}", sentence(&tables, &position, verdict))?;
    if verdict.outcome == Outcome::Drawn {
        return Ok(());
    }
    let mut game = husun::Game::new(position.clone());
    for m in tables.line(&position)? {
        game.play_on(m)?;
    }
    writeln!(out, "{}", game.san_moves().join(" "))?;
    Ok(())
}

/// The tables of a folder, which must be there.
fn opened(variant: &Arc<Variant>, folder: &Path) -> Result<Tablebase> {
    Tablebase::open(variant, folder).with_context(|| {
        let id = variant.id();
        format!("no tables of {id}: expected those that `husun tablebase build {id}` makes")
    })
}
