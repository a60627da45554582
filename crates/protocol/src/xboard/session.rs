//! An XBoard session: the current game, the clocks, the engine and what it is doing.

mod play;

use super::command::{Command, parse, quote};
use super::describe::{NORMAL, describe, id_of, name_of};
use super::highlight;
use super::notation::{from_xboard, move_text, read_move};
use super::setboard::read_position;
use super::think::{Clock, Purpose, Work};
use crate::events::Event;
use crate::host::Host;
use crate::lines::InputLine;
use crate::session_core::SessionCore;
use crate::settings::{Effect, Name, Shape};
use engine::Score;
use husun::{Game, Move, Position, Reason, Side, Square, Variant};
use std::io::{self, Read, Write};
use std::sync::Arc;
use std::time::Instant;

/// Options that XBoard sets by separate commands, or that are not for it.
const NOT_OFFERED: [Name; 6] = [
    Name::Clock,
    Name::Variant,
    Name::Hash,
    Name::Threads,
    Name::Ponder,
    Name::ShowWdl,
];

/// What `egtpath` calls this program's tables of perfect play.
const TABLES: &str = "husun";

/// Endings that XBoard knows by itself.
const KNOWN: [Reason; 5] = [
    Reason::Checkmate,
    Reason::GreenGem,
    Reason::Repetition,
    Reason::MoveRule,
    Reason::BareRoyals,
];

/// A draw offer is accepted if the engine thinks it is this much worse, in centipawns.
const WORSE: i32 = -50;

/// Reads commands and answers them until `quit` or the end of the input.
pub fn run<H: Host>(host: H, input: impl Read + Send + 'static, out: impl Write) -> io::Result<()> {
    let ids = host.ids();
    let first = ids.first().and_then(|id| host.variant(id));
    let Some(variant) = host.variant(id_of(NORMAL)).or(first) else {
        return Ok(());
    };
    let mut session = Session {
        core: SessionCore::new(host, input),
        out,
        game: Game::new(variant.start()),
        variant,
        impossible: false,
        clock: Clock::default(),
        mode: Mode::Play(Side::Black),
        posts: false,
        ponders: false,
        work: None,
        pongs: Vec::new(),
        expected: None,
        score: None,
        lifted: None,
        machine: false,
    };
    session.serve()
}

/// What the engine does unasked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Force,
    Play(Side),
    Analyze,
}

struct Session<H, W> {
    core: SessionCore<H>,
    out: W,
    variant: Arc<Variant>,
    game: Game,
    /// The last position given is not one of the game: every move in it is illegal.
    impossible: bool,
    clock: Clock,
    mode: Mode,
    posts: bool,
    ponders: bool,
    work: Option<Work>,
    /// Answers to `ping` that wait for the engine's move.
    pongs: Vec<String>,
    /// The move that the opponent is expected to play.
    expected: Option<Move>,
    /// What the engine thought of its last move.
    score: Option<Score>,
    /// The square of the piece that the user holds.
    lifted: Option<Square>,
    /// The opponent is a program, so that XBoard judges every claim.
    machine: bool,
}

impl<H: Host, W: Write> Session<H, W> {
    fn serve(&mut self) -> io::Result<()> {
        loop {
            match self.core.next() {
                Event::Line(InputLine::Text(line)) => match parse(&line) {
                    Ok(Command::Quit) => return self.settle(),
                    Ok(command) => self.obey(command)?,
                    Err(error) => self.print(&error.to_string())?,
                },
                Event::Line(InputLine::TooLong) => self.print("Error (too long): a line")?,
                Event::Eof => return self.settle(),
                other => self.heard(other)?,
            }
        }
    }

    fn print(&mut self, line: &str) -> io::Result<()> {
        writeln!(self.out, "{line}")?;
        self.out.flush()
    }

    fn position(&self) -> &Position {
        self.game.position()
    }

    fn obey(&mut self, command: Command) -> io::Result<()> {
        match command {
            Command::Protover => self.introduce(),
            Command::New => {
                self.settle()?;
                self.clock.depth = None;
                self.machine = false;
                self.switch(NORMAL)?;
                if self.mode != Mode::Analyze {
                    self.mode = Mode::Play(Side::Black);
                }
                self.restart()
            }
            Command::Variant(name) => {
                self.settle()?;
                if self.switch(&name)? && name != NORMAL {
                    for line in describe(&self.variant) {
                        self.print(&line)?;
                    }
                }
                self.restart()
            }
            Command::Force => {
                self.mode = Mode::Force;
                self.settle()
            }
            Command::Go => {
                self.settle()?;
                self.mode = Mode::Play(self.game.turn());
                self.restart()
            }
            Command::PlayOther => {
                self.settle()?;
                self.mode = Mode::Play(self.game.turn().opponent());
                Ok(())
            }
            Command::Level {
                moves,
                base,
                increment,
            } => {
                self.clock = Clock {
                    moves,
                    base,
                    increment,
                    each: None,
                    left: base,
                    depth: self.clock.depth,
                };
                Ok(())
            }
            Command::St(time) => {
                self.clock.each = Some(time);
                Ok(())
            }
            Command::Sd(depth) => {
                self.clock.depth = Some(depth);
                Ok(())
            }
            Command::Time(left) => {
                self.clock.left = left;
                Ok(())
            }
            Command::Move(text) => self.opponent(&text),
            Command::MoveNow => {
                if let Some(work) = self.work.as_ref().filter(|w| w.purpose == Purpose::Move) {
                    work.job.stop();
                }
                Ok(())
            }
            Command::Ping(number) => match self.work.as_ref().map(|w| w.purpose) {
                Some(Purpose::Move) => {
                    self.pongs.push(number);
                    Ok(())
                }
                Some(_) => self.print(&format!("pong {number}")),
                None => {
                    // An engine made only when a search begins would keep it from stopping at once.
                    self.core.prepare(&self.variant);
                    self.print(&format!("pong {number}"))
                }
            },
            Command::Draw => self.consider_draw(),
            Command::Result => {
                self.settle()?;
                self.mode = Mode::Force;
                Ok(())
            }
            Command::SetBoard(fen) => self.set_board(&fen),
            Command::Hint => self.hint(),
            Command::Book => self.print(" There is no book.\n"),
            Command::Undo => self.take_back(1),
            Command::Remove => self.take_back(2),
            Command::Ponder(on) => {
                self.ponders = on;
                match self.work.as_ref().map(|w| w.purpose) {
                    Some(Purpose::Ponder(_)) if !on => self.settle(),
                    _ => Ok(()),
                }
            }
            Command::Post(on) => {
                self.posts = on;
                Ok(())
            }
            Command::Analyze => {
                self.settle()?;
                self.mode = Mode::Analyze;
                self.restart()
            }
            Command::Exit => {
                self.settle()?;
                self.mode = Mode::Force;
                Ok(())
            }
            Command::Status => self.status(),
            Command::Memory(text) => self.set(Name::Hash, Some(&text)),
            Command::Cores(text) => self.set(Name::Threads, Some(&text)),
            Command::Tables { kind, folder } => match kind == TABLES {
                true => self.set(Name::TablebasePath, Some(&folder)),
                false => self.print(&format!("Error (no such tables): {kind}")),
            },
            Command::Option { name, value } => match Name::find(&name) {
                Some(option) => self.set(option, value.as_deref()),
                None => {
                    let name = quote(&name);
                    self.print(&format!("Error (no such option): {name}"))
                }
            },
            Command::Lift(square) => {
                self.lifted = self.square(&square);
                let answer = self
                    .lifted
                    .map(|from| highlight::lifted(self.position(), from));
                self.print_all(answer)
            }
            Command::Hover(square) => {
                let pair = self.lifted.zip(self.square(&square));
                let answer = pair.map(|(from, to)| highlight::hovered(self.position(), from, to));
                self.print_all(answer)
            }
            Command::Put(square) => {
                let pair = self.lifted.zip(self.square(&square));
                let answer = pair.map(|(from, to)| highlight::put(self.position(), from, to));
                self.print_all(answer)
            }
            Command::Computer => {
                self.machine = true;
                Ok(())
            }
            Command::OpponentTime(_) | Command::Quit | Command::Nothing => Ok(()),
        }
    }

    fn print_all(&mut self, lines: Option<Vec<String>>) -> io::Result<()> {
        for line in lines.unwrap_or_default() {
            self.print(&line)?;
        }
        Ok(())
    }

    fn square(&self, text: &str) -> Option<Square> {
        let frame = self.variant.frame();
        let ours = from_xboard(text, frame.ranks())?;
        frame.parse(&ours).ok()
    }

    fn introduce(&mut self) -> io::Result<()> {
        self.print("feature done=0")?;
        self.print(concat!(
            "feature myname=\"Husun ",
            env!("CARGO_PKG_VERSION"),
            "\" ping=1 setboard=1 playother=1 usermove=1 san=0 time=1 draw=1 reuse=1"
        ))?;
        self.print(
            "feature analyze=1 colors=0 sigint=0 sigterm=0 nps=0 memory=1 smp=1 highlight=1 debug=1",
        )?;
        self.print(&format!("feature egt=\"{TABLES}\""))?;
        let ids = self.core.host.ids();
        let mut names: Vec<&str> = ids.iter().map(|id| name_of(id)).collect();
        names.sort_by_key(|&name| name != NORMAL);
        self.print(&format!("feature variants=\"{}\"", names.join(",")))?;
        for (name, text) in Name::ALL {
            if NOT_OFFERED.contains(&name) {
                continue;
            }
            let shape = match self.core.settings.shape(name, &ids) {
                Shape::Check(on) => format!("check {}", i32::from(on)),
                Shape::Spin { value, min, max } => format!("spin {value} {min} {max}"),
                Shape::Button => "button".into(),
                Shape::Text => "file ".into(),
                Shape::Folder => "path ".into(),
                Shape::Combo { choices, .. } => format!("combo {}", choices.join(" /// ")),
            };
            self.print(&format!("feature option=\"{text} -{shape}\""))?;
        }
        self.print("feature done=1")
    }

    fn set(&mut self, name: Name, value: Option<&str>) -> io::Result<()> {
        self.settle()?;
        match self.core.set(name, value) {
            Err(error) => self.print(&format!("# {error}"))?,
            Ok(Effect::Configure | Effect::Clear) => {}
            Ok(Effect::Variant(_)) => {}
            Ok(Effect::Tables(folder)) => {
                if let Err(error) = self.core.open_tables(&folder, &self.variant) {
                    self.print(&format!("telluser {error}"))?;
                }
            }
            Ok(Effect::Files(paths)) => match self.core.host.load(&paths) {
                Ok(ids) => {
                    self.print(&format!("# games read: {}", ids.join(", ")))?;
                    for id in &ids {
                        for remark in self.core.host.remarks(id) {
                            self.print(&format!("# {id}: {remark}"))?;
                        }
                    }
                }
                Err(error) => self.print(&format!("telluser {error}"))?,
            },
        }
        self.restart()
    }

    /// Switches to a game at its set-up; false if there is none with that name.
    fn switch(&mut self, name: &str) -> io::Result<bool> {
        let Some(variant) = self.core.host.variant(id_of(name)) else {
            let name = quote(name);
            self.print(&format!("Error (unsupported variant): {name}"))?;
            return Ok(false);
        };
        match Arc::ptr_eq(&variant, &self.variant) {
            true => self.core.forget(),
            false => {
                self.core.leave();
                if let Err(error) = self.core.host.check_tables(&variant) {
                    self.print(&format!("telluser {error}"))?;
                }
            }
        }
        self.begin(variant.start());
        self.variant = variant;
        self.clock.left = self.clock.base;
        Ok(true)
    }

    fn begin(&mut self, position: Position) {
        self.game = Game::new(position);
        self.impossible = false;
        self.expected = None;
        self.score = None;
        self.lifted = None;
    }

    fn set_board(&mut self, fen: &str) -> io::Result<()> {
        self.settle()?;
        match read_position(&self.variant, fen) {
            Ok(position) => self.begin(position),
            Err(error) => {
                self.impossible = true;
                self.print(&format!("tellusererror Illegal position: {error}"))?;
            }
        }
        self.restart()
    }

    fn take_back(&mut self, times: usize) -> io::Result<()> {
        self.settle()?;
        for _ in 0..times {
            if self.game.take_back().is_err() {
                self.print("Error (command not legal now): no move to take back")?;
                break;
            }
        }
        self.expected = None;
        self.restart()
    }

    fn line(position: &Position, line: &[Move]) -> String {
        let texts = line.iter().map(|&m| move_text(position, m));
        texts.collect::<Vec<_>>().join(" ")
    }

    fn read(&self, text: &str) -> Option<Move> {
        read_move(self.position(), text).filter(|_| !self.impossible)
    }

    /// The opponent moves, or a move of a game is entered.
    fn opponent(&mut self, text: &str) -> io::Result<()> {
        let thinking = self.work.as_ref().filter(|w| !w.dropped).map(|w| w.purpose);
        if thinking == Some(Purpose::Move) {
            let text = quote(text);
            return self.print(&format!("Illegal move (not your turn): {text}"));
        }
        let Some(m) = self.read(text) else {
            let text = quote(text);
            return self.print(&format!("Illegal move: {text}"));
        };
        let hit = thinking == Some(Purpose::Ponder(m));
        if !hit {
            self.settle()?;
        }
        let _ = self.game.play_on(m);
        self.expected = None;
        if self.mode != Mode::Analyze && self.tell_result()? {
            return self.settle();
        }
        match &mut self.work {
            Some(work) if hit => {
                work.purpose = Purpose::Move;
                work.since = Instant::now();
                work.job.ponder_hit();
                Ok(())
            }
            _ => self.restart(),
        }
    }

    /// Reports how the game has ended, if it has. Between programs, XBoard treats a claim by a rule that it does not
    /// know as a false one, which loses; there both sides agree on the draw, or the loser resigns.
    fn tell_result(&mut self) -> io::Result<bool> {
        let Some(outcome) = self.game.outcome() else {
            return Ok(false);
        };
        let Mode::Play(own) = self.mode else {
            return Ok(true);
        };
        let known = !self.machine || KNOWN.contains(&outcome.reason);
        let result = match outcome.winner {
            None if !known => return self.print("offer draw").map(|()| true),
            Some(winner) if !known && winner == own => return Ok(true),
            Some(_) if !known => return self.print("resign").map(|()| true),
            Some(Side::White) => "1-0",
            Some(Side::Black) => "0-1",
            None => "1/2-1/2",
        };
        self.print(&format!("{result} {{{}}}", outcome.reason.name()))?;
        Ok(true)
    }

    fn consider_draw(&mut self) -> io::Result<()> {
        let gladly = self.score.is_some_and(|score| score < Score::Cp(WORSE));
        match self.mode {
            Mode::Play(_) if gladly => self.print("offer draw"),
            _ => Ok(()),
        }
    }

    fn hint(&mut self) -> io::Result<()> {
        if let Some(m) = self.expected {
            let text = move_text(self.position(), m);
            return self.print(&format!("Hint: {text}"));
        }
        match self.work {
            None => self.think(Purpose::Hint),
            Some(_) => Ok(()),
        }
    }

    fn status(&mut self) -> io::Result<()> {
        let Some(work) = self.work.as_ref().filter(|w| w.purpose == Purpose::Analyze) else {
            return Ok(());
        };
        let all = self.position().count_moves();
        let hundredths = work.since.elapsed().as_millis() / 10;
        let (nodes, depth) = work.last.as_ref().map_or((0, 0), |i| (i.nodes, i.depth));
        self.print(&format!("stat01: {hundredths} {nodes} {depth} 0 {all}"))
    }
}
