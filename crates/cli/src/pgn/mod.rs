//! `husun pgn`: checks or rewrites the games of files of any size, one after the other.

mod convert;
mod locate;
mod page;
mod tape;

use crate::term;
use anyhow::{Context, Result};
use clap::{Args, Subcommand};
use games::Catalogue;
use husun::pgn::{Location, RawGame, Reader};
use husun::record::{Record, RecordError, marker};
use husun::{Reason, Variant};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use page::Page;
use serde_json::json;
use std::fs::File;
use std::io::{self, BufReader, IsTerminal, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use tape::Tape;

/// Check or rewrite games in PGN
#[derive(Args)]
pub struct Options {
    #[command(subcommand)]
    check_or_convert: CheckOrConvert,
}

#[derive(Subcommand)]
enum CheckOrConvert {
    /// Read all games, play their moves and report the faulty ones
    Check(Check),
    /// Read all games and write them again in the standard form
    Convert(Convert),
}

#[derive(Args)]
struct Check {
    #[command(flatten)]
    input: Input,
    /// Print one JSON object for each bad game, and one with the totals
    #[arg(long)]
    json: bool,
}

#[derive(Args)]
struct Convert {
    #[command(flatten)]
    input: Input,
    #[command(flatten)]
    form: convert::Form,
}

#[derive(Args)]
struct Input {
    /// Files to read; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Treat all games as this game, whatever their Variant tag says
    #[arg(long, value_name = "ID")]
    game: Option<String>,
}

/// What is wrong with a game.
struct Fault {
    file: String,
    /// Number of the game in the file, from 1.
    number: u64,
    at: Location,
    reason: String,
}

/// A readable game, with its number in its file.
struct Good<'a> {
    file: &'a str,
    number: u64,
    record: Record,
}

#[derive(Default)]
struct Totals {
    games: u64,
    moves: u64,
    bad: u64,
}

/// Carries out the task.
pub fn run(games: &Catalogue, options: &Options) -> Result<ExitCode> {
    let mut page = Page::new();
    let totals = match &options.check_or_convert {
        CheckOrConvert::Check(check) => {
            let totals = check
                .input
                .each(games, &mut page, |page, game| match game {
                    Err(fault) if check.json => fault.write_json(&mut page.out),
                    Err(fault) => fault.write(&mut page.out),
                    Ok(good) if check.json => good.doubt_json(&mut page.out),
                    Ok(good) => good.doubt(&mut page.out),
                })?;
            check.summary(&mut page.out, &totals)?;
            totals
        }
        CheckOrConvert::Convert(convert) => {
            convert
                .input
                .each(games, &mut page, |page, game| match game {
                    Err(fault) => fault.write(&mut page.err),
                    Ok(good) => convert.form.write(&mut page.out, &good.record),
                })?
        }
    };
    page.flush()?;
    Ok(match totals.bad {
        0 => ExitCode::SUCCESS,
        _ => ExitCode::from(1),
    })
}

impl Check {
    fn summary(&self, out: &mut impl Write, totals: &Totals) -> Result<()> {
        let Totals { games, moves, bad } = totals;
        match self.json {
            true => writeln!(
                out,
                "{}",
                json!({ "games": games, "moves": moves, "bad": bad })
            )?,
            false => writeln!(out, "{games} games, {moves} moves, {bad} bad")?,
        }
        Ok(())
    }
}

impl Fault {
    fn write(&self, out: &mut impl Write) -> Result<()> {
        let Fault {
            file,
            number,
            at,
            reason,
        } = self;
        writeln!(
            out,
            "{file}:{}:{}: game {number}: {reason}",
            at.line, at.column
        )?;
        Ok(())
    }

    fn write_json(&self, out: &mut impl Write) -> Result<()> {
        let line = json!({
            "file": self.file, "game": self.number, "line": self.at.line, "column": self.at.column,
            "reason": self.reason,
        });
        writeln!(out, "{line}")?;
        Ok(())
    }
}

impl Good<'_> {
    /// A remark on a game that can be read: its result does not match its moves.
    fn strange(&self) -> Option<String> {
        let game = self.record.game();
        if game.moves().len() < self.record.main.plies.len() {
            let reason = game.outcome()?.reason.name();
            let over = game.moves().len();
            return Some(format!(
                "the moves go on after the end by {reason} at half-move {over}"
            ));
        }
        let outcome = game.outcome()?;
        // Players need not know about draws that an arbiter would declare.
        let plain = !matches!(outcome.reason, Reason::Repetition | Reason::MoveRule);
        let expected = marker(&outcome);
        (plain && expected != self.record.result).then(|| {
            let reason = outcome.reason.name();
            format!(
                "the result is {}, but the moves end in {reason}: {expected}",
                self.record.result
            )
        })
    }

    fn doubt(&self, out: &mut impl Write) -> Result<()> {
        if let Some(strange) = self.strange() {
            writeln!(out, "{}: game {}: note: {strange}", self.file, self.number)?;
        }
        Ok(())
    }

    fn doubt_json(&self, out: &mut impl Write) -> Result<()> {
        if let Some(note) = self.strange() {
            let line = json!({ "file": self.file, "game": self.number, "note": note });
            writeln!(out, "{line}")?;
        }
        Ok(())
    }
}

impl Input {
    /// Reads every game of every file and hands it over, or its fault.
    fn each(
        &self,
        games: &Catalogue,
        page: &mut Page,
        mut with: impl FnMut(&mut Page, Result<Good<'_>, Fault>) -> Result<()>,
    ) -> Result<Totals> {
        let mut totals = Totals::default();
        let forced = self.game.as_deref().map(|id| games.game(id));
        let forced = forced.transpose()?;
        let find = |name: &str| forced.clone().or_else(|| games.named(name));
        let known = || games.ids().collect::<Vec<_>>().join(", ");
        for path in &self.files {
            let (file, bar, input) = open(path)?;
            let tape = Tape::new(BufReader::with_capacity(1 << 16, bar.wrap_read(input)));
            let recording = tape.recording();
            let mut reader = Reader::new(tape);
            for number in 1.. {
                recording.forget_before(reader.location().line);
                let Some(raw) = reader.next_game() else { break };
                let record = match raw {
                    Err(error) => Err((error.at, error.reason.to_string())),
                    Ok(raw) => Record::from_raw(&raw, find, known).map_err(|error| {
                        let at = recording.with(|text, line| place(&raw, &error, find, text, line));
                        (at, error.to_string())
                    }),
                };
                let game = totals.count(&file, number, record);
                with(page, game)?;
                page.send(&bar)?;
            }
            bar.finish_and_clear();
        }
        Ok(totals)
    }
}

impl Totals {
    /// Counts a game and returns its number.
    fn count<'a>(
        &mut self,
        file: &'a str,
        number: u64,
        record: Result<Record, (Location, String)>,
    ) -> Result<Good<'a>, Fault> {
        self.games += 1;
        match record {
            Ok(record) => {
                self.moves += record.main.plies.len() as u64;
                Ok(Good {
                    file,
                    number,
                    record,
                })
            }
            Err((at, reason)) => {
                self.bad += 1;
                let file = file.to_string();
                Err(Fault {
                    file,
                    number,
                    at,
                    reason,
                })
            }
        }
    }
}

/// Where in its text a game's fault is.
fn place(
    raw: &RawGame,
    error: &RecordError,
    find: impl Fn(&str) -> Option<Arc<Variant>>,
    text: &[u8],
    line: u64,
) -> Location {
    let start = || {
        let variant = find(raw.tag("Variant").unwrap_or_default())?;
        match raw.tag("FEN") {
            Some(fen) => variant.position(fen).ok(),
            None => Some(variant.start()),
        }
    };
    match (error, start()) {
        (RecordError::Variant { .. }, _) => locate::tag("Variant", text, line),
        (RecordError::Move { .. }, Some(start)) => locate::wrong_move(raw, &start, text, line),
        _ => locate::tag("FEN", text, line),
    }
}

/// A file or standard input with its name and a progress bar, which is hidden if nobody would see it.
fn open(path: &Path) -> Result<(String, ProgressBar, Box<dyn Read>)> {
    let hidden = || ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
    if path == Path::new("-") {
        return Ok(("standard input".into(), hidden(), Box::new(io::stdin())));
    }
    let name = path.display().to_string();
    let file = File::open(path).with_context(|| format!("{name}: cannot be read"))?;
    let length = file.metadata().map(|m| m.len()).unwrap_or(0);
    let bar = match io::stderr().is_terminal() && length > 1 << 20 {
        true => ProgressBar::new(length),
        false => hidden(),
    };
    let style = format!(
        "{{elapsed}} {{bar:{}}} {{bytes}}/{{total_bytes}}, {{eta}} left",
        term::width() / 3
    );
    bar.set_style(
        ProgressStyle::with_template(&style).unwrap_or_else(|_| ProgressStyle::default_bar()),
    );
    Ok((name, bar, Box::new(file)))
}
