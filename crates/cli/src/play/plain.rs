//! Play line by line, for pipes and for simple terminals: the board after each move, moves and words from standard
//! input until it ends.

use super::command::{self, Command, Entry, WORDS};
use super::engine_thread::{EngineThread, Purpose};
use super::store::{self, Store};
use super::timed_game::{TimedGame, prisoners, result_line};
use super::{Beginning, Computer, Look, Terms};
use crate::show::text_style;
use anyhow::Result;
use engine::{Level, Thoughts};
use husun::clock::TimeControl;
use husun::{Outcome, Side};
use protocol::{InputLine, Lines, MAX_LINE};
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

struct LineSession<'a> {
    computer: Computer<'a>,
    timed: TimedGame,
    engine: EngineThread,
    store: Store,
    style: TextStyle,
    view: Side,
    began: Instant,
    /// What the computer thought of its own position at its last turns.
    thoughts: Thoughts,
    prompt: bool,
}

/// Plays until standard input ends or the player quits.
pub fn run(computer: Computer, beginning: Beginning, terms: Terms, look: Look) -> Result<()> {
    let timed = beginning.timed(terms, Duration::ZERO)?;
    let mut session = LineSession {
        computer,
        engine: EngineThread::new(
            computer.engine(timed.game().variant())?,
            super::at_terminal(),
        )?,
        view: timed.actor(),
        timed,
        store: Store::default(),
        style: text_style(look.signs, look.theme),
        began: Instant::now(),
        thoughts: Thoughts::default(),
        prompt: super::at_terminal(),
    };
    let mut out = io::stdout().lock();
    let variant = session.timed.game().variant().clone();
    writeln!(out, "{}. Type a move, `moves` or `help`.\n", variant.name())?;
    session.board(&mut out)?;
    session.answer(&mut out)?;
    let mut lines = Lines::new(io::stdin().lock());
    loop {
        if session.prompt && session.timed.human_to_move() {
            write!(out, "{}> ", session.timed.game().turn().name())?;
        }
        out.flush()?;
        let Some(line) = lines.next() else { break };
        let line = match line {
            InputLine::Text(line) => line,
            InputLine::TooLong => {
                writeln!(out, "a line is longer than {MAX_LINE} bytes")?;
                continue;
            }
        };
        if line.trim().is_empty() {
            continue;
        }
        if let Next::End = session.take(&line, &mut out)? {
            break;
        }
        session.answer(&mut out)?;
    }
    Ok(out.flush()?)
}

impl LineSession<'_> {
    fn now(&self) -> Duration {
        self.began.elapsed()
    }

    /// Handles a line typed by the player.
    fn take(&mut self, line: &str, out: &mut impl Write) -> Result<Next> {
        if let Some(outcome) = self.timed.look_at_clock(self.now()) {
            self.result(&outcome, out)?;
        }
        match command::read(line, self.timed.position()) {
            Err(error) => writeln!(out, "{error}; `help` lists what can be typed")?,
            Ok(Entry::Command(Command::Quit)) => return Ok(Next::End),
            Ok(Entry::Command(command)) => self.carry_out(command, out)?,
            Ok(Entry::Move(m)) => self.make(m, out)?,
        }
        Ok(Next::More)
    }

    /// Makes a move and shows the result.
    fn make(&mut self, m: husun::Move, out: &mut impl Write) -> Result<()> {
        let before = self.timed.position().clone();
        let now = self.now();
        match self.timed.play(m, now) {
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
        while let Some(level) = self.timed.computer_to_move() {
            out.flush()?;
            if !self.computer_moves(level, out)? {
                writeln!(out, "The computer has no answer.")?;
                break;
            }
        }
        Ok(())
    }

    /// The computer makes a move for the side to move; returns whether it did.
    fn computer_moves(&mut self, level: Level, out: &mut impl Write) -> Result<bool> {
        let now = self.now();
        self.engine.ask(&self.timed, Purpose::Move(level), now);
        let Some(found) = self.engine.wait() else {
            return Ok(false);
        };
        if self.timed.computer_to_move().is_some() {
            self.thoughts.note(self.timed.ply(), found.score.value());
        }
        match found.best {
            _ if found.accept && self.timed.position().can_accept() => {
                let outcome = self.timed.accept(self.now())?;
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
                let position = self.timed.position();
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
            Command::Go if self.timed.game().outcome().is_some() => self.over(out)?,
            Command::Go => {
                let level = Side::ALL.iter().find_map(|&s| match self.timed.player(s) {
                    super::timed_game::Player::Computer(level) => Some(level),
                    super::timed_game::Player::Human => None,
                });
                self.computer_moves(level.unwrap_or(Level::FULL), out)?;
            }
            Command::Undo => match self.timed.undo(now) {
                Ok(()) => {
                    self.thoughts = Thoughts::default();
                    self.board(out)?;
                }
                Err(error) => writeln!(out, "{error}")?,
            },
            Command::Resign => match self.timed.resign(now) {
                Ok(outcome) => self.result(&outcome, out)?,
                Err(error) => writeln!(out, "{error}")?,
            },
            Command::Draw => {
                let idle = self.timed.position().halfmove();
                let agrees = self.thoughts.takes_draw(self.timed.ply(), idle);
                match self.timed.draw(agrees, now) {
                    Ok(Some(outcome)) => self.result(&outcome, out)?,
                    Ok(None) if self.timed.game().draw_offer().is_some() => {
                        writeln!(out, "A draw is offered.")?;
                    }
                    Ok(None) => writeln!(out, "The computer declines the draw.")?,
                    Err(error) => writeln!(out, "{error}")?,
                }
            }
            Command::Accept => match self.timed.accept(now) {
                Ok(outcome) => self.result(&outcome, out)?,
                Err(error) => writeln!(out, "{error}")?,
            },
            Command::Crown => {
                let moves = self.timed.position().legal_moves();
                match moves.iter().find(|m| m.is_whole_act()) {
                    Some(&m) => self.make(m, out)?,
                    None => writeln!(out, "there is nobody to crown now")?,
                }
            }
            Command::Flip => {
                self.view = self.view.opponent();
                self.board(out)?;
            }
            Command::Fen => writeln!(out, "{}", self.timed.position().fen())?,
            Command::Save(path) => match self.store.save(&self.timed, Path::new(&path)) {
                Ok(()) => writeln!(out, "Saved as {path}.")?,
                Err(error) => writeln!(out, "{error:#}")?,
            },
            Command::Load(path) => match self.load(&path) {
                Ok(()) => self.board(out)?,
                Err(error) => writeln!(out, "{error:#}")?,
            },
            Command::New => {
                let start = self.timed.game().start().clone();
                self.timed = TimedGame::new(start, self.timed.terms(), now)?;
                self.board(out)?;
            }
            Command::Quit => {}
        }
        Ok(())
    }

    fn load(&mut self, path: &str) -> Result<()> {
        let record = store::load(self.computer.games, Path::new(path))?;
        let timed = TimedGame::go_on(&record, self.timed.terms(), self.now())?;
        let engine = self.computer.engine(timed.game().variant())?;
        self.engine = EngineThread::new(engine, super::at_terminal())?;
        self.timed = timed;
        Ok(())
    }

    fn hint(&mut self, out: &mut impl Write) -> Result<()> {
        if self.timed.game().outcome().is_some() {
            return self.over(out);
        }
        let now = self.now();
        self.engine.ask(&self.timed, Purpose::Hint, now);
        match self.engine.wait().and_then(|found| found.best) {
            Some(m) => writeln!(
                out,
                "The computer would play {}.",
                self.timed.position().san(m)?
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
        let mut picture = Picture::of(self.timed.position()).view(self.view);
        if let Some(&m) = self.timed.game().moves().last() {
            picture = picture.last_move(m);
        }
        writeln!(out, "{}", render::text::board(&picture, &self.style))?;
        if self.timed.control() != TimeControl::None {
            let now = self.now();
            for side in Side::ALL {
                let left = crate::tui::clock_text(self.timed.remaining(side, now));
                writeln!(out, "{}: {left}", side.name())?;
            }
        }
        for side in Side::ALL {
            let held = prisoners(self.timed.position(), side);
            let variant = self.timed.game().variant();
            let names: Vec<&str> = held
                .iter()
                .map(|&k| variant.piece(k).name.as_str())
                .collect();
            if !names.is_empty() {
                writeln!(out, "{}'s in prison: {}", side.name(), names.join("; "))?;
            }
        }
        if self.timed.game().outcome().is_none() {
            let position = self.timed.position();
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
        "A move, such as Nf3, e4, b8=Q, O-O or in the form e2e4, b7b8q; or one of"
    )?;
    for (word, file, what) in WORDS {
        writeln!(out, "  {:12} {what}", format!("{word} {file}"))?;
    }
    Ok(())
}

/// Something different each time, for the choices of the lower levels.
pub fn seed() -> u64 {
    let now = std::time::SystemTime::now();
    let since = now.duration_since(std::time::SystemTime::UNIX_EPOCH);
    since.map_or(0, |d| d.as_nanos() as u64)
}
