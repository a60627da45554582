//! Games of a PGN file with the engine's opinion: a score after every move, a sign after a move that gives something
//! away, and the line that would have been better.

use super::{history, text};
use crate::progress::Progress;
use crate::whole;
use anyhow::{Context, Result, anyhow, bail, ensure};
use engine::{Engine, Limits, Score, Wdl};
use husun::pgn::{Command, Comment, Nag, Reader};
use husun::record::{Branch, Ply, Record};
use husun::{Game, Move, Position, Side, Variant};
use std::fs::File;
use std::io::{self, BufReader, Read, Write};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// How much of the expected points, from 0 to 1, a move may lose before it gets a sign; the worst first.
const SIGNS: [(f64, &str); 3] = [(0.25, "??"), (0.12, "?"), (0.06, "?!")];
/// The most moves of a better line.
const LINE: usize = 12;
/// Annotations that judge a move: `!` to `?!`. A game that has one keeps it.
const JUDGEMENTS: std::ops::RangeInclusive<u8> = 1..=6;

/// What the engine thinks of a position.
struct Opinion {
    /// White's score.
    score: Score,
    /// White's expected points, 0 to 1.
    expected: f64,
    depth: u32,
    line: Vec<Move>,
}

fn input(path: &Path) -> Result<Box<dyn Read>> {
    if path == Path::new("-") {
        return Ok(Box::new(io::stdin()));
    }
    let file = File::open(path).with_context(|| format!("{}: cannot be read", path.display()))?;
    Ok(Box::new(file))
}

/// Reads the moves of a game, which must be of the variant.
fn read(raw: &husun::pgn::RawGame, variant: &Arc<Variant>) -> Result<Record> {
    let is_it = |name: &str| {
        let alike = |known: &str| known.eq_ignore_ascii_case(name);
        let tacit = name.is_empty();
        (tacit || alike(variant.id()) || alike(variant.name())).then(|| variant.clone())
    };
    Ok(Record::from_raw(raw, is_it, || variant.id().to_owned())?)
}

/// The first game of a file, up to its last move.
pub fn first_game(variant: &Arc<Variant>, path: &Path) -> Result<Game> {
    let mut reader = Reader::new(BufReader::new(input(path)?));
    let name = path.display();
    let Some(raw) = reader.next_game() else {
        bail!("{name}: there is no game in it");
    };
    let raw = raw.map_err(|e| anyhow!("{name}:{}:{}: {}", e.at.line, e.at.column, e.reason))?;
    let record = read(&raw, variant).with_context(|| format!("{name}: game 1"))?;
    let mut game = Game::new(record.start.clone());
    for ply in &record.main.plies {
        game.play_on(ply.m)?;
    }
    Ok(game)
}

/// Annotates all games of a file. Unreadable games are reported and left out; what stood in the file for the others
/// stays until there is one.
pub fn run(
    engine: &mut Engine,
    limits: &Limits,
    from: &Path,
    to: Option<&Path>,
) -> Result<ExitCode> {
    if let Some(to) = to {
        let same = whole::same(to, from);
        ensure!(!same, "--out: {} is the input file", to.display());
    }
    let variant = engine.variant().clone();
    let mut reader = Reader::new(BufReader::new(input(from)?));
    let opened = || -> Result<Box<dyn Write>> {
        let Some(path) = to else {
            return Ok(Box::new(io::stdout().lock()));
        };
        let file = File::create(path);
        let file = file.with_context(|| format!("{}: cannot write", path.display()))?;
        Ok(Box::new(file))
    };
    let mut out = None;
    let name = from.display().to_string();
    let mut code = ExitCode::SUCCESS;
    let mut number = 0;
    while let Some(raw) = reader.next_game() {
        number += 1;
        let record = match raw {
            Ok(raw) => read(&raw, &variant).map_err(|e| format!("{name}: game {number}: {e}")),
            Err(error) => Err(format!(
                "{name}:{}:{}: game {number}: {}",
                error.at.line, error.at.column, error.reason
            )),
        };
        match record {
            Ok(mut record) => {
                let out = match &mut out {
                    Some(out) => out,
                    None => out.insert(opened()?),
                };
                annotate(engine, limits, &mut record, number)?;
                writeln!(out, "{}", record.to_raw()?.to_pgn()?)?;
                out.flush()?;
            }
            Err(reason) => {
                writeln!(io::stderr(), "{reason}")?;
                code = ExitCode::from(1);
            }
        }
    }
    if number == 0 {
        writeln!(io::stderr(), "{name}: there is no game in it")?;
        code = ExitCode::from(1);
    }
    Ok(code)
}

/// Puts the engine's opinion into a game. The last position is searched first, so that what is found there is known
/// when the earlier ones are searched.
fn annotate(engine: &mut Engine, limits: &Limits, record: &mut Record, number: u32) -> Result<()> {
    let mut game = Game::new(record.start.clone());
    for ply in &record.main.plies {
        game.play_on(ply.m)?;
    }
    engine.clear();
    let positions = record.main.plies.len() as u64 + 1;
    let mut progress = Progress::new(format!("game {number}"), "positions", positions, 0);
    let mut after = opinion(engine, limits, &game);
    progress.step(text::score(after.score));
    while let Ok(m) = game.take_back() {
        let before = opinion(engine, limits, &game);
        let ply = game.moves().len();
        progress.step(text::score(before.score));
        judge(
            &mut record.main.plies[ply],
            game.position(),
            m,
            &before,
            &after,
        );
        after = before;
    }
    progress.finish();
    record.set_tag("Annotator", concat!("Husun ", env!("CARGO_PKG_VERSION")));
    Ok(())
}

/// What the engine thinks of the present position; if the game is over, what the rules say.
fn opinion(engine: &mut Engine, limits: &Limits, game: &Game) -> Opinion {
    let position = game.position();
    let turn = position.turn();
    let ended = game.outcome().map(|outcome| match outcome.winner {
        None => Score::Cp(0),
        Some(winner) if winner == turn => Score::Mate(1),
        Some(_) => Score::Mate(0),
    });
    let (score, depth, line) = match ended {
        Some(score) => (score, 0, Vec::new()),
        None => {
            let stop = AtomicBool::new(false);
            let found = engine.search(position, &history(game), limits, &stop, &mut |_| {});
            (found.score, found.depth, found.pv)
        }
    };
    let wdl = Wdl::of(score);
    let own = f64::from(wdl.win) / 1000.0 + f64::from(wdl.draw) / 2000.0;
    Opinion {
        score: text::for_white(turn, score),
        expected: match turn {
            Side::White => own,
            Side::Black => 1.0 - own,
        },
        depth,
        line,
    }
}

/// Writes after a move what it led to, and what would have been better.
fn judge(ply: &mut Ply, position: &Position, m: Move, before: &Opinion, after: &Opinion) {
    for comment in &mut ply.after {
        comment.commands.retain(|command| command.name != "eval");
    }
    ply.after.retain(|comment| *comment != Comment::default());
    // A mate on the board needs no score.
    if after.score != Score::Mate(0) {
        match ply.after.first_mut() {
            Some(comment) => comment.commands.push(eval(after)),
            None => ply.after.push(evaluated(after)),
        }
    }
    let lost = match position.turn() {
        Side::White => before.expected - after.expected,
        Side::Black => after.expected - before.expected,
    };
    let sign = SIGNS.iter().find(|(least, _)| lost >= *least);
    let judged = ply.nags.iter().any(|nag| JUDGEMENTS.contains(&nag.0));
    let Some((_, sign)) = sign.filter(|_| before.line.first() != Some(&m)) else {
        return;
    };
    if !judged {
        ply.nags.extend(Nag::from_glyph(sign));
    }
    let mut plies: Vec<Ply> = before
        .line
        .iter()
        .take(LINE)
        .map(|&m| Ply::new(m))
        .collect();
    let is_known =
        |branch: &Branch| branch.plies.first().map(|p| p.m) == before.line.first().copied();
    if ply.variations.iter().any(is_known) {
        return;
    }
    if let Some(first) = plies.first_mut() {
        first.after.push(evaluated(before));
        ply.variations.push(Branch {
            plies,
            ..Branch::default()
        });
    }
}

/// A comment with only the evaluation of a position.
fn evaluated(opinion: &Opinion) -> Comment {
    Comment {
        commands: vec![eval(opinion)],
        ..Comment::default()
    }
}

fn eval(opinion: &Opinion) -> Command {
    Command {
        name: "eval".into(),
        value: match opinion.depth {
            0 => text::score(opinion.score),
            depth => format!("{},{depth}", text::score(opinion.score)),
        },
    }
}
