//! `husun analyse`: what the engine thinks of a position, depth by depth, and of every move of a game.

mod annotate;
mod text;

use crate::start::Start;
use crate::tables::{TableOptions, sentence};
use anyhow::{Context, Result, bail, ensure};
use clap::Args;
use engine::{Engine, Info, Limits, MAX_HASH, MAX_LINES, MAX_THREADS, SearchResult};
use games::Catalogue;
use husun::{Game, Move, Position, Status};
use serde_json::json;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Time for a position if no limit is given.
const USUAL: Duration = Duration::from_secs(5);
/// Time for each position of a game if no limit is given.
const USUAL_EACH: Duration = Duration::from_secs(1);

/// Let the engine search a position, or annotate games
///
/// Scores and chances are from White's side; `#3` is a forced win in three moves, `#-3` a forced loss.
#[derive(Args)]
pub struct Options {
    /// Id of the game
    game: String,
    #[command(flatten)]
    start: Start,
    /// Moves from there on, in either notation: --moves e4 e5 Nf3
    #[arg(long, value_name = "MOVE", num_args = 1..)]
    moves: Vec<String>,
    /// Take the position from a PGN file: the last of its first game
    #[arg(long, value_name = "FILE", conflicts_with_all = ["fen", "setup", "moves"])]
    pgn: Option<PathBuf>,
    /// Annotate all games of the PGN file: scores, better lines, ?! ? and ??
    #[arg(long, requires = "pgn")]
    annotate: bool,
    /// Write the annotated games to a file instead of standard output
    #[arg(long, value_name = "FILE", requires = "annotate")]
    out: Option<PathBuf>,
    #[command(flatten)]
    effort: Effort,
    #[command(flatten)]
    tables: TableOptions,
    /// Print one JSON object a line
    #[arg(long, conflicts_with = "annotate")]
    json: bool,
}

/// How long and how widely the engine searches.
#[derive(Args)]
struct Effort {
    /// Half-moves to look ahead
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=1000))]
    depth: Option<u32>,
    /// Seconds for a position (5, or 1 for each position of a game, if no limit is given)
    #[arg(long, value_name = "SECONDS")]
    time: Option<f64>,
    /// Positions to visit
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// Number of best lines
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=MAX_LINES as i64))]
    multipv: u16,
    /// Number of threads
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=MAX_THREADS as i64))]
    threads: u16,
    /// Size of the engine's table, in mebibytes
    #[arg(long, value_name = "MB", default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..=MAX_HASH as i64))]
    hash: u32,
}

impl Effort {
    fn limits(&self, usual: Duration) -> Result<Limits> {
        let time = self.time.map(|seconds| {
            ensure!(
                seconds > 0.0 && seconds <= 1e6,
                "--time: {seconds} is out of bounds: expected seconds above 0, up to 1000000"
            );
            Ok(Duration::from_secs_f64(seconds))
        });
        let time = time.transpose()?;
        let unlimited = self.depth.is_none() && self.nodes.is_none() && time.is_none();
        Ok(Limits {
            depth: self.depth,
            nodes: self.nodes,
            movetime: time.or(unlimited.then_some(usual)),
            ..Limits::default()
        })
    }

    fn options(&self) -> engine::Options {
        engine::Options {
            hash: self.hash as usize,
            threads: self.threads.into(),
            lines: self.multipv.into(),
            overhead: Duration::ZERO,
            ..engine::Options::default()
        }
    }
}

/// Searches and prints; the exit code is that of `husun pgn` if games are annotated.
pub fn run(games: &Catalogue, options: &Options) -> Result<ExitCode> {
    let variant = games.game(&options.game)?;
    if options.annotate {
        let limits = options.effort.limits(USUAL_EACH)?;
        let mut engine = crate::catalogue::engine(games, &variant, options.effort.options());
        options.tables.give_or_say(&mut engine)?;
        let from = options.pgn.as_deref().context("--pgn is missing")?;
        return annotate::run(&mut engine, &limits, from, options.out.as_deref());
    }
    let game = match &options.pgn {
        Some(path) => annotate::first_game(&variant, path)?,
        None => played(options.start.position(&variant)?, &options.moves)?,
    };
    let limits = options.effort.limits(USUAL)?;
    let mut engine = crate::catalogue::engine(games, &variant, options.effort.options());
    let tables = options.tables.give_or_say(&mut engine)?;
    if let Some(tables) = &tables
        && let Some(verdict) = tables.find(game.position())?
        && !options.json
    {
        let sentence = sentence(tables, game.position(), verdict);
        writeln!(std::io::stdout(), "tables: {sentence}")?;
    }
    look(&mut engine, &game, &limits, options.json)?;
    Ok(ExitCode::SUCCESS)
}

/// The game made by the given moves.
fn played(start: Position, moves: &[String]) -> Result<Game> {
    let mut game = Game::new(start);
    // One argument may hold several moves.
    for text in moves.iter().flat_map(|m| m.split_whitespace()) {
        let position = game.position();
        let number = game.moves().len() + 1;
        let m = match (position.parse_uci(text), position.parse_san(text)) {
            (Ok(m), _) | (_, Ok(m)) => m,
            (_, Err(error)) => bail!("--moves: move {number}: {error}"),
        };
        game.play_on(m)
            .with_context(|| format!("--moves: move {number}: {text}"))?;
    }
    Ok(game)
}

/// Keys of the positions before the present one, the oldest first.
fn history(game: &Game) -> Vec<u64> {
    let before = (0..game.moves().len()).filter_map(|ply| game.position_at(ply));
    before.map(Position::key).collect()
}

/// Searches the present position and prints the result.
fn look(engine: &mut Engine, game: &Game, limits: &Limits, json: bool) -> Result<()> {
    let position = game.position();
    let mut out = std::io::stdout().lock();
    let mut failed = Ok(());
    let report = &mut |info: &Info| {
        let line = match json {
            true => as_json(position, info).to_string(),
            false => text::info(position, info),
        };
        let written = writeln!(out, "{line}").and_then(|()| out.flush());
        failed = std::mem::replace(&mut failed, Ok(())).and(written);
    };
    let stop = AtomicBool::new(false);
    let found = engine.search(position, &history(game), limits, &stop, report);
    failed?;
    let last = match json {
        true => end_json(position, &found).to_string(),
        false => end_text(position, &found),
    };
    writeln!(out, "{last}")?;
    Ok(())
}

fn as_json(position: &Position, info: &Info) -> serde_json::Value {
    let score = text::for_white(position.turn(), info.score);
    let wdl = text::chances_for_white(position.turn(), info.wdl);
    let (uci, san) = both(position, &info.pv);
    json!({
        "depth": info.depth, "seldepth": info.seldepth, "line": info.line, "score": text::score(score),
        "wdl": wdl, "nodes": info.nodes, "table_hits": info.table_hits, "seconds": info.time.as_secs_f64(), "uci": uci, "san": san,
    })
}

/// A line in both notations.
fn both(position: &Position, line: &[Move]) -> (Vec<String>, Vec<String>) {
    let mut position = position.clone();
    let texts = line.iter().map(|&m| {
        let texts = (
            position.uci(m).to_string(),
            position.san(m).unwrap_or_default(),
        );
        position = position.play_unchecked(m);
        texts
    });
    texts.unzip()
}

fn end_json(position: &Position, found: &SearchResult) -> serde_json::Value {
    let best = found.best.map(|m| position.uci(m).to_string());
    let san = found.best.and_then(|m| position.san(m).ok());
    json!({
        "fen": position.fen(), "best": best, "san": san, "accept": found.accept, "depth": found.depth,
        "nodes": found.nodes, "status": position.status().name(),
    })
}

fn end_text(position: &Position, found: &SearchResult) -> String {
    let best = found.best.and_then(|m| position.san(m).ok());
    match (best, position.status()) {
        (Some(san), _) if found.accept => format!("best: accept; to play on, {san}"),
        (Some(san), Status::Ongoing) => format!("best: {san}"),
        (Some(san), status) => {
            format!("over by {}; to go on, best: {san}", status.name())
        }
        (None, status) => format!("no move: {}", status.name()),
    }
}
