//! An XBoard session: the game in hand, the clocks, the engine and what it is at.

use super::command::{Command, parse, quote};
use super::describe::{NORMAL, describe, id_of, name_of};
use super::highlight;
use super::notation::{from_xboard, move_text, read_move};
use super::setboard::read_position;
use super::think::{Clock, Purpose, Work, post_text};
use crate::events::{Event, Job, next, read_lines};
use crate::host::{Host, Task, Thinker};
use crate::lines::Line;
use crate::settings::{Effect, Name, Settings, Shape};
use engine::{Info, Outcome, Score};
use husun::{Game, Move, Position, Reason, Side, Special, Square, Variant};
use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Instant;

/// Options that XBoard sets by commands of their own, or that are not for it.
const NOT_OFFERED: [Name; 6] = [
    Name::Variant,
    Name::Hash,
    Name::Threads,
    Name::Ponder,
    Name::Chess960,
    Name::ShowWdl,
];

/// Endings that XBoard knows itself.
const KNOWN: [Reason; 5] = [
    Reason::Checkmate,
    Reason::GreenGem,
    Reason::Repetition,
    Reason::MoveRule,
    Reason::BareRoyals,
];

/// A draw offer is taken when the engine thinks that it is so much worse, in centipawns.
const WORSE: i32 = -50;

/// Reads commands and answers them until `quit` or the end of the input.
pub fn run<H: Host>(host: H, input: impl Read + Send + 'static, out: impl Write) -> io::Result<()> {
    let (sender, events) = channel();
    read_lines(input, sender.clone());
    let ids = host.ids();
    let first = ids.first().and_then(|id| host.variant(id));
    let Some(variant) = host.variant(id_of(NORMAL)).or(first) else {
        return Ok(());
    };
    let mut session = Session {
        settings: Settings::new(host.max_hash()),
        host,
        out,
        events,
        sender,
        waiting: VecDeque::new(),
        game: Game::new(variant.start()),
        variant,
        impossible: false,
        clock: Clock::default(),
        mode: Mode::Play(Side::Black),
        posts: false,
        ponders: false,
        thinker: None,
        work: None,
        pongs: Vec::new(),
        expected: None,
        score: None,
        lifted: None,
        machine: false,
    };
    session.serve()
}

/// What the engine does of its own accord.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Force,
    Play(Side),
    Analyze,
}

struct Session<H, W> {
    host: H,
    out: W,
    events: Receiver<Event>,
    sender: Sender<Event>,
    /// Lines that came while the session waited for the end of a search.
    waiting: VecDeque<Event>,
    settings: Settings,
    variant: Arc<Variant>,
    game: Game,
    /// The last position given is none of the game: every move in it is illegal.
    impossible: bool,
    clock: Clock,
    mode: Mode,
    posts: bool,
    ponders: bool,
    /// The engine while it is at rest; made when it is needed.
    thinker: Option<Box<dyn Thinker>>,
    work: Option<Work>,
    /// Answers to `ping` that wait for the engine's move.
    pongs: Vec<String>,
    /// What the opponent is expected to play.
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
            let event = match self.waiting.pop_front() {
                Some(event) => event,
                None => next(&self.events),
            };
            match event {
                Event::Line(Line::Text(line)) => match parse(&line) {
                    Ok(Command::Quit) => return self.settle(),
                    Ok(command) => self.obey(command)?,
                    Err(error) => self.print(&error.to_string())?,
                },
                Event::Line(Line::TooLong) => self.print("Error (too long): a line")?,
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
                _ => self.print(&format!("pong {number}")),
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
        let frame = &self.variant.frame;
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
        let ids = self.host.ids();
        let mut names: Vec<&str> = ids.iter().map(|id| name_of(id)).collect();
        names.sort_by_key(|&name| name != NORMAL);
        self.print(&format!("feature variants=\"{}\"", names.join(",")))?;
        for (name, text) in Name::ALL {
            if NOT_OFFERED.contains(&name) {
                continue;
            }
            let shape = match self.settings.shape(name, &ids) {
                Shape::Check(on) => format!("check {}", i32::from(on)),
                Shape::Spin { value, min, max } => format!("spin {value} {min} {max}"),
                Shape::Button => "button".into(),
                Shape::Text => "file ".into(),
                Shape::Combo { choices, .. } => format!("combo {}", choices.join(" /// ")),
            };
            self.print(&format!("feature option=\"{text} -{shape}\""))?;
        }
        self.print("feature done=1")
    }

    fn set(&mut self, name: Name, value: Option<&str>) -> io::Result<()> {
        self.settle()?;
        let ids = self.host.ids();
        match self.settings.set(name, value, &ids) {
            Err(error) => self.print(&format!("# {error}"))?,
            Ok(Effect::Configure) => {
                let options = self.settings.options();
                if let Some(thinker) = &mut self.thinker {
                    thinker.configure(&options);
                }
            }
            Ok(Effect::Clear) => {
                if let Some(thinker) = &mut self.thinker {
                    thinker.forget();
                }
            }
            Ok(Effect::Variant(_)) => {}
            Ok(Effect::Files(paths)) => match self.host.load(&paths) {
                Ok(ids) => self.print(&format!("# games read: {}", ids.join(", ")))?,
                Err(error) => self.print(&format!("telluser {error}"))?,
            },
        }
        self.restart()
    }

    /// Goes over to a game at its set-up; false if there is none of that name.
    fn switch(&mut self, name: &str) -> io::Result<bool> {
        let Some(variant) = self.host.variant(id_of(name)) else {
            let name = quote(name);
            self.print(&format!("Error (unsupported variant): {name}"))?;
            return Ok(false);
        };
        if !Arc::ptr_eq(&variant, &self.variant) {
            self.thinker = None;
        } else if let Some(thinker) = &mut self.thinker {
            thinker.forget();
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

    /// The opponent moves, or a move of a game is taken in.
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

    /// Says how the game has ended, if it has. Between programs XBoard takes a claim by a rule that it does
    /// not know for a false one, which loses; there both sides agree on the draw, or the loser resigns.
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

/// The engine's part.
impl<H: Host, W: Write> Session<H, W> {
    /// Has the engine do what its mode asks for.
    fn restart(&mut self) -> io::Result<()> {
        if self.work.is_some() {
            return Ok(());
        }
        match self.mode {
            Mode::Analyze if !self.impossible => self.think(Purpose::Analyze),
            Mode::Play(side) if side == self.game.turn() && self.game.outcome().is_none() => {
                self.think(Purpose::Move)
            }
            _ => Ok(()),
        }
    }

    fn think(&mut self, purpose: Purpose) -> io::Result<()> {
        if self.impossible {
            return Ok(());
        }
        let mut history = Vec::with_capacity(self.game.moves().len() + 1);
        let keys = (0..self.game.moves().len()).filter_map(|i| self.game.position_at(i));
        history.extend(keys.map(Position::key));
        let mut position = self.position().clone();
        if let Purpose::Ponder(m) = purpose {
            history.push(position.key());
            position = position.play(m);
        }
        let made = self.game.moves().len() as u32 / 2;
        let mut limits = self.clock.limits(purpose, made);
        limits.searchmoves = sayable(&position);
        let task = Task {
            limits,
            position,
            history,
        };
        let mut options = self.settings.options();
        if purpose != Purpose::Analyze {
            options.lines = 1;
        }
        let mut thinker = match self.thinker.take() {
            Some(thinker) => thinker,
            None => self.host.thinker(&self.variant, &options),
        };
        thinker.configure(&options);
        self.work = Some(Work {
            job: Job::search(thinker, task, &self.sender),
            purpose,
            dropped: false,
            since: Instant::now(),
            last: None,
        });
        Ok(())
    }

    /// Ends the search under way without a move, and waits for its end.
    fn settle(&mut self) -> io::Result<()> {
        if let Some(work) = &mut self.work {
            work.dropped = true;
            work.job.stop();
        }
        while self.work.is_some() {
            match next(&self.events) {
                event @ (Event::Line(_) | Event::Eof) => self.waiting.push_back(event),
                event => self.heard(event)?,
            }
        }
        Ok(())
    }

    /// Deals with what the engine's thread says.
    fn heard(&mut self, event: Event) -> io::Result<()> {
        match event {
            Event::Info(info) => self.report(&info),
            Event::Done(thinker, found) => {
                self.thinker = Some(thinker);
                self.finish(found.as_deref())
            }
            Event::Broken => {
                self.print("# the engine has failed and starts anew")?;
                self.finish(None)
            }
            Event::Say(_) | Event::Line(_) | Event::Eof => Ok(()),
        }
    }

    fn report(&mut self, info: &Info) -> io::Result<()> {
        let (posts, turn_position) = (self.posts, self.position().clone());
        let Some(work) = self.work.as_mut().filter(|w| !w.dropped) else {
            return Ok(());
        };
        work.last = Some(info.clone());
        let shown = posts && !matches!(work.purpose, Purpose::Hint);
        if !shown {
            return Ok(());
        }
        let mut line = Self::line(&turn_position, &info.pv);
        if let Some(Purpose::Ponder(m)) = self.work.as_ref().map(|w| w.purpose) {
            line = format!("({}) {line}", move_text(&turn_position, m));
        }
        self.print(&post_text(info, &line))
    }

    fn finish(&mut self, found: Option<&Outcome>) -> io::Result<()> {
        let Some(work) = self.work.take() else {
            return Ok(());
        };
        if !work.dropped {
            match work.purpose {
                Purpose::Move => self.make_move(found, &work)?,
                Purpose::Hint => {
                    if let Some(best) = found.and_then(|f| f.best) {
                        let text = move_text(self.position(), best);
                        self.print(&format!("Hint: {text}"))?;
                    }
                }
                Purpose::Ponder(_) | Purpose::Analyze => {}
            }
        }
        for number in std::mem::take(&mut self.pongs) {
            self.print(&format!("pong {number}"))?;
        }
        Ok(())
    }

    fn make_move(&mut self, found: Option<&Outcome>, work: &Work) -> io::Result<()> {
        let made = self.game.moves().len() as u32 / 2 + 1;
        self.clock.used(work.since.elapsed(), made);
        let position = self.position().clone();
        let any = || position.legal_moves().first().copied();
        let Some(best) = found.map_or_else(any, |f| f.best) else {
            return Ok(());
        };
        self.score = found.map(|f| f.score);
        if found.is_some_and(|f| f.accept) && self.game.accept().is_ok() {
            self.tell_result()?;
            return Ok(());
        }
        let text = move_text(&position, best);
        self.print(&format!("move {text}"))?;
        let _ = self.game.play_on(best);
        if self.tell_result()? {
            return Ok(());
        }
        let legal = |m: &Move| self.position().legal_moves().contains(m);
        self.expected = found.and_then(|f| f.ponder).filter(legal);
        match self.expected.filter(|_| self.ponders) {
            Some(m) => self.think(Purpose::Ponder(m)),
            None => Ok(()),
        }
    }
}

/// The moves to choose from where one of them cannot be said: XBoard hands a null move to the other side as
/// a position in which nothing has changed. It is played only where there is no other move.
fn sayable(position: &Position) -> Vec<Move> {
    let mut moves = position.legal_moves();
    let all = moves.len();
    moves.retain(|m| m.special() != Special::Crowning);
    match moves.len() == all {
        true => Vec::new(),
        false => moves,
    }
}
