//! `husun puzzles`: mines puzzles of a game from engine games (`docs/puzzles.md`), or shows those that it has.

use crate::progress::Progress;
use crate::whole;
use anyhow::{Context, Result, bail};
use clap::Args;
use games::Catalogue;
use husun::Variant;
use puzzles::{Goal, Mined, Puzzle, Solver, Wanted};
use std::fs;
use std::io::{ErrorKind, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Mebibytes of each engine's table, which every game empties.
const HASH: usize = 2;
/// How every file that this command has written begins; its whole first line names the command.
const BEGIN: &str = "Puzzles of this game (docs/puzzles.md), mined by `husun puzzles ";

/// Mine puzzles of a game from engine games: one move wins by force, or saves the game, and every other does not
///
/// The same seed gives the same puzzles. The file is written as they are found; the same command goes on where it was
/// interrupted. A file that this command has not written is refused.
#[derive(Args)]
pub struct Options {
    /// Id of the game
    game: String,
    /// How many puzzles
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u16).range(1..=5000))]
    count: u16,
    /// The file of puzzles; if not given, they are written to standard output
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Positions that the engine visits for each move of its games: few, so that it makes mistakes
    #[arg(long, default_value_t = 300, value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    nodes: u64,
    /// The most moves of a solution
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u8).range(1..=8))]
    moves: u8,
    /// Moves within which every position is searched for a win; longer ones only where the engine sees one
    #[arg(long, value_name = "MOVES", default_value_t = 2, value_parser = clap::value_parser!(u8).range(0..=8))]
    always: u8,
    /// A win is no puzzle for a side whose army is worth more than so many times the opponent's
    #[arg(long, value_name = "TIMES", default_value_t = 2, value_parser = clap::value_parser!(u8).range(1..=100))]
    ahead: u8,
    /// The most positions that the proof of a puzzle may take
    #[arg(long, value_name = "POSITIONS", default_value_t = 200_000, value_parser = clap::value_parser!(u64).range(1..=1_000_000_000_000))]
    proof: u64,
    /// Saves alone: one move draws, and every other loses by force
    #[arg(long)]
    saves: bool,
    /// Games begin with so many men on squares drawn by lot instead of the set-up: in endings more is saved
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(3..=32))]
    men: Option<u8>,
    /// The most games played for them
    #[arg(long, default_value_t = 20_000, value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    games: u64,
    /// Seed of the games
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Threads
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: u16,
    /// Instead of mining, list the puzzles that the game has and prove each anew
    #[arg(long, conflicts_with_all = ["count", "out", "nodes", "moves", "always", "ahead", "saves", "men", "games", "seed", "threads"])]
    list: bool,
}

/// Mines, or lists.
pub fn run(games: &Catalogue, options: &Options) -> Result<()> {
    let variant = games.game(&options.game)?;
    match options.list {
        true => list(games, &variant, options.proof),
        false => mine(games, &variant, options),
    }
}

fn mine(games: &Catalogue, variant: &Arc<Variant>, options: &Options) -> Result<()> {
    let wanted = Wanted {
        count: options.count.into(),
        seed: options.seed,
        nodes: options.nodes,
        moves: options.moves.into(),
        always: options.always.into(),
        ahead: options.ahead.into(),
        proof: options.proof,
        saves: options.saves,
        men: options.men.map(u32::from),
        games: options.games,
        threads: options.threads.into(),
    };
    if let Some(men) = options.men.filter(|_| !wanted.can_begin(variant)) {
        bail!(
            "{}: no game begins with {men} men on squares drawn by lot; expected another number (--men)",
            variant.id()
        );
    }
    let ready = engine::Options {
        hash: HASH,
        ..engine::Options::default()
    };
    let men = options.men.map(|men| format!(" --men {men}"));
    let head = format!(
        "{BEGIN}{} --count {} --seed {} --nodes {} --moves {} --always {} --ahead {}{}{}`.",
        variant.id(),
        options.count,
        options.seed,
        options.nodes,
        options.moves,
        options.always,
        options.ahead,
        if options.saves { " --saves" } else { "" },
        men.unwrap_or_default()
    );
    let before = match &options.out {
        Some(path) => written(variant, path, &head)?,
        None => Mined::default(),
    };
    let make = || crate::catalogue::engine(games, variant, ready.clone());
    let done = before.puzzles.len();
    let mut progress = Progress::new(variant.id(), "puzzles", options.count.into(), done as u64);
    let (mut kept, mut failed) = (done, None);
    let mined = puzzles::mine(wanted, before, make, &mut |mined: &Mined| {
        progress.reach(mined.puzzles.len() as u64, format!("{} games", mined.games));
        if let Some(path) = options.out.as_ref().filter(|_| mined.puzzles.len() > kept) {
            kept = mined.puzzles.len();
            let text = puzzles::write(&head, &mined.puzzles);
            if let Err(error) = whole::write(path, text.as_bytes()) {
                failed = Some(error);
                return ControlFlow::Break(());
            }
        }
        ControlFlow::Continue(())
    });
    progress.finish();
    if let Some(error) = failed {
        return Err(error);
    }
    let (found, played) = (mined.puzzles.len(), mined.games);
    let text = puzzles::write(&head, &mined.puzzles);
    match &options.out {
        None => write!(std::io::stdout(), "{text}")?,
        Some(path) => {
            whole::write(path, text.as_bytes())?;
            let path = path.display();
            let mut out = std::io::stdout();
            writeln!(out, "{path}: {found} puzzles of {played} games")?;
        }
    }
    if found < wanted.count {
        bail!(
            "{found} puzzles in {played} games: expected {}; more games (--games) have more",
            wanted.count
        );
    }
    Ok(())
}

/// What the same command has found before, if it has written this file. A file with anything but mined puzzles is refused.
fn written(variant: &Arc<Variant>, path: &Path, head: &str) -> Result<Mined> {
    let name = path.display().to_string();
    let bytes = match fs::read(path) {
        Ok(bytes) if bytes.is_empty() => return Ok(Mined::default()),
        Ok(bytes) => bytes,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Mined::default()),
        Err(error) => return Err(error).context(name),
    };
    let text = String::from_utf8(bytes).unwrap_or_default();
    let first = text.lines().next().and_then(|line| line.strip_prefix("# "));
    let Some(first) = first.filter(|line| line.starts_with(BEGIN)) else {
        bail!(
            "{name}: it is no file of mined puzzles: expected one written by `husun puzzles`, or a new one"
        );
    };
    if first != head {
        return Ok(Mined::default());
    }
    Ok(Mined::before(puzzles::read(variant, &name, &text)?))
}

fn list(games: &Catalogue, variant: &Arc<Variant>, most: u64) -> Result<()> {
    let id = variant.id();
    let Some(text) = games.puzzles(variant) else {
        bail!(
            "{id} has no puzzles: expected a built-in game that has some, or GAME.puzzles.toml beside the game's file"
        );
    };
    let file = match games.own_of(variant) {
        Some(own) => games::puzzles_path(own.file()).display().to_string(),
        None => format!("{id}/puzzles.toml"),
    };
    let puzzles = puzzles::read(variant, &file, text)?;
    let values = crate::catalogue::engine(games, variant, engine::Options::default());
    let values = values.values();
    let mut out = std::io::stdout().lock();
    for puzzle in &puzzles {
        let proved = puzzle.prove(&mut Solver::new(most));
        proved.with_context(|| format!("{file}: puzzle {}", puzzle.id()))?;
        let themes = puzzle.themes(values).into_iter();
        let themes: Vec<String> = themes.map(|theme| theme.name(variant)).collect();
        writeln!(
            out,
            "{:8} {:40} {}",
            puzzle.id(),
            task(puzzle),
            themes.join(", ")
        )?;
    }
    Ok(())
}

/// What is to be done, as `Pure-White wins in 2 moves`.
fn task(puzzle: &Puzzle) -> String {
    let side = &puzzle.variant().looks()[puzzle.side().index()].name;
    let moves = match puzzle.moves() {
        1 => "1 move".into(),
        n => format!("{n} moves"),
    };
    match puzzle.goal() {
        Goal::Win => format!("{side} wins in {moves}"),
        Goal::Draw => format!("{side} draws in {moves}"),
    }
}
