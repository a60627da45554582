//! Play line by line, for pipes and for terminals that can do no more: the board after each move,
//! moves and words from standard input until it ends.

use super::brain::{Brain, Purpose};
use super::command::{self, Command, Entry, WORDS};
use super::store::{self, Store};
use super::table::{Table, prisoners, result_line};
use super::{Beginning, Look, Terms};
use crate::show::text_style;
use crate::source::Source;
use anyhow::Result;
use engine::Level;
use husun::clock::TimeControl;
use husun::{Outcome, Side, Special};
use protocol::{Line, Lines, MAX_LINE};
use render::Picture;
use render::text::TextStyle;
use std::io::{self, Write};
use std::path::Path;
use std::time::{Duration, Instant};

/// Whether to go on reading.
enum Next {
    More,
    End,
}

struct Talk<'a> {
    source: &'a Source,
    table: Table,
    brain: Brain,
    store: Store,
    style: TextStyle,
    view: Side,
    began: Instant,
    /// What the computer last thought of its own position, in centipawns.
    score: Option<i32>,
    prompt: bool,
}

/// Plays until standard input ends or the player quits.
pub fn run(source: &Source, beginning: Beginning, terms: Terms, look: Look) -> Result<()> {
    let table = beginning.table(terms, Duration::ZERO)?;
    let mut talk = Talk {
        source,
        brain: Brain::new(table.game().variant().clone())?,
        view: table.actor(),
        table,
        store: Store::default(),
        style: text_style(look.signs, look.theme),
        began: Instant::now(),
        score: None,
        prompt: super::at_terminal(),
    };
    let mut out = io::stdout().lock();
    let variant = talk.table.game().variant().clone();
    writeln!(out, "{}. Type a move, `moves` or `help`.\n", variant.name)?;
    talk.board(&mut out)?;
    talk.answer(&mut out)?;
    let mut lines = Lines::new(io::stdin().lock());
    loop {
        if talk.prompt && talk.table.human_to_move() {
            write!(out, "{}> ", talk.table.game().turn().name())?;
        }
        out.flush()?;
        let Some(line) = lines.next() else { break };
        let line = match line {
            Line::Text(line) => line,
            Line::TooLong => {
                writeln!(out, "a line is longer than {MAX_LINE} bytes")?;
                continue;
            }
        };
        if line.trim().is_empty() {
            continue;
        }
        if let Next::End = talk.take(&line, &mut out)? {
            break;
        }
        talk.answer(&mut out)?;
    }
    Ok(out.flush()?)
}

impl Talk<'_> {
    fn now(&self) -> Duration {
        self.began.elapsed()
    }

    /// Takes a line of the player's.
    fn take(&mut self, line: &str, out: &mut impl Write) -> Result<Next> {
        if let Some(outcome) = self.table.look_at_clock(self.now()) {
            self.result(&outcome, out)?;
        }
        match command::read(line, self.table.position()) {
            Err(error) => writeln!(out, "{error}; `help` lists what can be typed")?,
            Ok(Entry::Command(Command::Quit)) => return Ok(Next::End),
            Ok(Entry::Command(command)) => self.carry_out(command, out)?,
            Ok(Entry::Move(m)) => self.make(m, out)?,
        }
        Ok(Next::More)
    }

    /// Makes a move and shows what has become of it.
    fn make(&mut self, m: husun::Move, out: &mut impl Write) -> Result<()> {
        let before = self.table.position().clone();
        let now = self.now();
        match self.table.play(m, now) {
            Err(error) => writeln!(out, "{error}")?,
            Ok(outcome) => {
                let number = before.fullmove();
                let dots = if before.turn() == Side::White {
                    "."
                } else {
                    "..."
                };
                writeln!(out, "\n{number}{dots} {}\n", before.san(m)?)?;
                self.board(out)?;
                if let Some(outcome) = outcome {
                    self.result(&outcome, out)?;
                }
            }
        }
        Ok(())
    }

    /// Lets the computer move for as long as it is its turn.
    fn answer(&mut self, out: &mut impl Write) -> Result<()> {
        while let Some(level) = self.table.computer_to_move() {
            out.flush()?;
            if !self.computer_moves(level, out)? {
                writeln!(out, "The computer has no answer.")?;
                break;
            }
        }
        Ok(())
    }

    /// The computer makes a move for the side to move; tells whether it did.
    fn computer_moves(&mut self, level: Level, out: &mut impl Write) -> Result<bool> {
        let (now, seed) = (self.now(), seed());
        self.brain.ask(&self.table, Purpose::Move(level), now, seed);
        let Some(found) = self.brain.wait() else {
            return Ok(false);
        };
        if self.table.computer_to_move().is_some() {
            self.score = Some(found.score.value());
        }
        match found.best {
            _ if found.accept && self.table.position().can_accept() => {
                let outcome = self.table.accept(self.now())?;
                self.result(&outcome, out)?;
            }
            Some(m) => self.make(m, out)?,
            None => return Ok(false),
        }
        Ok(true)
    }

    fn carry_out(&mut self, command: Command, out: &mut impl Write) -> Result<()> {
        let now = self.now();
        match command {
            Command::Help => help(out)?,
            Command::Board => self.board(out)?,
            Command::Moves => {
                let position = self.table.position();
                let mut moves: Vec<String> = position
                    .legal_moves()
                    .iter()
                    .map(|&m| position.san(m))
                    .collect::<Result<_, _>>()?;
                moves.sort();
                writeln!(out, "{} moves: {}", moves.len(), moves.join(" "))?;
                if position.can_accept() {
                    writeln!(out, "You may also `accept`.")?;
                }
            }
            Command::Hint => self.hint(out)?,
            Command::Go if self.table.game().outcome().is_some() => self.over(out)?,
            Command::Go => {
                let level = Side::ALL.iter().find_map(|&s| match self.table.player(s) {
                    super::table::Player::Computer(level) => Some(level),
                    super::table::Player::Human => None,
                });
                self.computer_moves(level.unwrap_or(Level::FULL), out)?;
            }
            Command::Undo => match self.table.undo(now) {
                Ok(()) => {
                    self.score = None;
                    self.board(out)?;
                }
                Err(error) => writeln!(out, "{error}")?,
            },
            Command::Resign => match self.table.resign(now) {
                Ok(outcome) => self.result(&outcome, out)?,
                Err(error) => writeln!(out, "{error}")?,
            },
            Command::Draw => {
                let agrees = engine::agrees_to_draw(self.score, self.table.ply());
                match self.table.draw(agrees, now) {
                    Ok(Some(outcome)) => self.result(&outcome, out)?,
                    Ok(None) if self.table.game().draw_offer().is_some() => {
                        writeln!(out, "A draw is offered.")?;
                    }
                    Ok(None) => writeln!(out, "The computer declines the draw.")?,
                    Err(error) => writeln!(out, "{error}")?,
                }
            }
            Command::Accept => match self.table.accept(now) {
                Ok(outcome) => self.result(&outcome, out)?,
                Err(error) => writeln!(out, "{error}")?,
            },
            Command::Crown => {
                let moves = self.table.position().legal_moves();
                match moves.iter().find(|m| m.special() == Special::Crowning) {
                    Some(&m) => self.make(m, out)?,
                    None => writeln!(out, "there is nobody to crown now")?,
                }
            }
            Command::Flip => {
                self.view = self.view.opponent();
                self.board(out)?;
            }
            Command::Fen => writeln!(out, "{}", self.table.position().fen())?,
            Command::Save(path) => match self.store.save(&self.table, Path::new(&path)) {
                Ok(()) => writeln!(out, "Saved as {path}.")?,
                Err(error) => writeln!(out, "{error:#}")?,
            },
            Command::Load(path) => match self.load(&path) {
                Ok(()) => self.board(out)?,
                Err(error) => writeln!(out, "{error:#}")?,
            },
            Command::New => {
                let start = self.table.game().start().clone();
                self.table = Table::new(start, self.table.terms(), now)?;
                self.board(out)?;
            }
            Command::Quit => {}
        }
        Ok(())
    }

    fn load(&mut self, path: &str) -> Result<()> {
        let record = store::load(self.source, Path::new(path))?;
        self.table = Table::go_on(&record, self.table.terms(), self.now())?;
        self.brain = Brain::new(self.table.game().variant().clone())?;
        Ok(())
    }

    fn hint(&mut self, out: &mut impl Write) -> Result<()> {
        if self.table.game().outcome().is_some() {
            return self.over(out);
        }
        let (now, seed) = (self.now(), seed());
        self.brain.ask(&self.table, Purpose::Hint, now, seed);
        match self.brain.wait().and_then(|found| found.best) {
            Some(m) => writeln!(
                out,
                "The computer would play {}.",
                self.table.position().san(m)?
            )?,
            None => writeln!(out, "The computer has no answer.")?,
        }
        Ok(())
    }

    fn over(&self, out: &mut impl Write) -> Result<()> {
        writeln!(
            out,
            "The game is over; `undo`, `new`, `save` and `quit` are left."
        )?;
        Ok(())
    }

    fn board(&self, out: &mut impl Write) -> Result<()> {
        let mut picture = Picture::of(self.table.position()).view(self.view);
        if let Some(&m) = self.table.game().moves().last() {
            picture = picture.last_move(m);
        }
        writeln!(out, "{}", render::text::board(&picture, &self.style))?;
        if self.table.control() != TimeControl::None {
            let now = self.now();
            for side in Side::ALL {
                let left = crate::tui::clock_text(self.table.remaining(side, now));
                writeln!(out, "{}: {left}", side.name())?;
            }
        }
        for side in Side::ALL {
            let held = prisoners(self.table.position(), side);
            let variant = self.table.game().variant();
            let names: Vec<&str> = held
                .iter()
                .map(|&k| variant.piece(k).name.as_str())
                .collect();
            if !names.is_empty() {
                writeln!(out, "{}'s in prison: {}", side.name(), names.join("; "))?;
            }
        }
        if self.table.game().outcome().is_none() {
            let position = self.table.position();
            let check = if position.in_check() {
                ", in check"
            } else {
                ""
            };
            writeln!(out, "{} to move{check}.", position.turn().name())?;
        }
        Ok(())
    }

    fn result(&self, outcome: &Outcome, out: &mut impl Write) -> Result<()> {
        writeln!(out, "{}", result_line(outcome))?;
        Ok(())
    }
}

fn help(out: &mut impl Write) -> Result<()> {
    writeln!(
        out,
        "A move, as Nf3, e4, b8=Q, O-O or in the form e2e4, b7b8q; or one of"
    )?;
    for (word, file, what) in WORDS {
        writeln!(out, "  {:12} {what}", format!("{word} {file}"))?;
    }
    Ok(())
}

/// Something that is different each time, for the choices of the lower levels.
pub fn seed() -> u64 {
    let now = std::time::SystemTime::now();
    let since = now.duration_since(std::time::SystemTime::UNIX_EPOCH);
    since.map_or(0, |d| d.as_nanos() as u64)
}
