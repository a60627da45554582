//! A UCI session: the game and position in hand, the engine, and the search under way.

use super::command::{Command, Go, Start, parse};
use super::reply;
use crate::board::{Castling, checkers, diagram, move_text, read_move};
use crate::events::{Desk, Event, Job};
use crate::host::{Host, Task};
use crate::lines::{Line, MAX_LINE};
use crate::room::Room;
use crate::settings::{Effect, Name};
use engine::{Limits, Outcome};
use husun::{Position, Status, Variant};
use std::io::{self, Read, Write};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Reads commands and answers them until `quit` or the end of the input.
pub fn run<H: Host>(host: H, input: impl Read + Send + 'static, out: impl Write) -> io::Result<()> {
    let Some(variant) = first_variant(&host) else {
        return Ok(());
    };
    let position = variant.start();
    let mut session = Session {
        room: Room::new(host, input),
        out,
        variant,
        position,
        history: Vec::new(),
        work: None,
    };
    session.serve()
}

/// Chess, or the first game there is.
fn first_variant(host: &impl Host) -> Option<Arc<Variant>> {
    let chess = host.variant(games::ORTHODOX);
    chess.or_else(|| host.variant(host.ids().first()?))
}

/// What the engine's thread is at.
struct Work {
    job: Job,
    /// The position searched, if it is a search, and how castling is written.
    search: Option<(Position, Castling)>,
}

struct Session<H, W> {
    room: Room<H>,
    out: W,
    variant: Arc<Variant>,
    position: Position,
    /// Keys of the positions before, the oldest first.
    history: Vec<u64>,
    work: Option<Work>,
}

/// Whether the session goes on.
#[derive(PartialEq, Eq)]
enum Flow {
    On,
    Quit,
}

impl<H: Host, W: Write> Session<H, W> {
    fn serve(&mut self) -> io::Result<()> {
        loop {
            let flow = match self.room.next() {
                Event::Line(Line::Text(line)) => self.line(&line)?,
                Event::Line(Line::TooLong) => {
                    self.inform(&format!("a line is longer than {MAX_LINE} bytes"))?;
                    Flow::On
                }
                Event::Eof => Flow::Quit,
                other => {
                    self.heard(other)?;
                    Flow::On
                }
            };
            if flow == Flow::Quit {
                return self.settle();
            }
        }
    }

    fn print(&mut self, line: &str) -> io::Result<()> {
        writeln!(self.out, "{line}")?;
        self.out.flush()
    }

    fn inform(&mut self, what: &str) -> io::Result<()> {
        for line in what.lines() {
            self.print(&format!("info string {line}"))?;
        }
        Ok(())
    }

    /// Deals with what the engine's thread says.
    fn heard(&mut self, event: Event) -> io::Result<()> {
        match event {
            Event::Info(info) => {
                let Some(Work {
                    search: Some((position, castling)),
                    ..
                }) = &self.work
                else {
                    return Ok(());
                };
                let line = reply::info(&info, position, *castling, self.room.settings.show_wdl);
                self.print(&line)
            }
            Event::Say(line) => self.print(&line),
            Event::Done(thinker, found) => {
                // An engine for a game that was left meanwhile is of no use.
                self.room.take_in(thinker);
                self.finish(found.as_deref())
            }
            Event::Broken => {
                self.inform("the engine has failed and starts anew")?;
                self.finish(None)
            }
            Event::Line(_) | Event::Eof => Ok(()),
        }
    }

    /// Ends a search with its move.
    fn finish(&mut self, found: Option<&Outcome>) -> io::Result<()> {
        let Some(work) = self.work.take() else {
            return Ok(());
        };
        let Some((position, castling)) = work.search else {
            return Ok(());
        };
        let best = match found {
            Some(found) => found.best,
            None => position.legal_moves().first().copied(),
        };
        let Some(best) = best else {
            let score = match position.winner(position.status()) {
                Some(side) if side == position.turn() => "mate 1",
                Some(_) => "mate 0",
                None => "cp 0",
            };
            self.print(&format!("info depth 0 score {score}"))?;
            return self.print("bestmove (none)");
        };
        if found.is_some_and(|f| f.accept) {
            self.inform("accept")?;
        }
        let mut line = format!("bestmove {}", move_text(&position, best, castling));
        if let Some(ponder) = found.and_then(|f| f.ponder) {
            let after = position.play(best);
            line += &format!(" ponder {}", move_text(&after, ponder, castling));
        }
        self.print(&line)
    }

    /// Waits for the end of the engine's work, if it is at any. A search is stopped; what counts or
    /// measures is not, so that `go perft 5` and `quit` may come together.
    fn settle(&mut self) -> io::Result<()> {
        if let Some(work) = self.work.as_ref().filter(|w| w.search.is_some()) {
            work.job.stop();
        }
        while let Some(work) = &self.work {
            match self.room.next_new() {
                Event::Line(Line::Text(line)) if line.trim() == "stop" => work.job.stop(),
                event @ (Event::Line(_) | Event::Eof) => self.room.put_off(event),
                event => self.heard(event)?,
            }
        }
        Ok(())
    }

    fn line(&mut self, line: &str) -> io::Result<Flow> {
        let command = match parse(line) {
            Ok(command) => command,
            Err(error) => {
                self.inform(&error.to_string())?;
                return Ok(Flow::On);
            }
        };
        match command {
            Command::Uci => self.introduce()?,
            Command::IsReady => {
                // An engine that is made when a search begins would keep that search from stopping at once.
                if self.work.is_none() {
                    self.room.prepare(&self.variant);
                }
                self.print("readyok")?;
            }
            Command::NewGame => {
                self.settle()?;
                self.room.forget();
            }
            Command::SetOption { name, value } => self.set_option(&name, value.as_deref())?,
            Command::Position { start, moves } => self.set_position(start, &moves)?,
            Command::Go(go) => self.go(&go)?,
            Command::PonderHit => {
                if let Some(work) = &self.work {
                    work.job.ponder_hit();
                }
            }
            Command::Stop => {
                if let Some(work) = &self.work {
                    work.job.stop();
                }
            }
            Command::Display => self.display()?,
            Command::Eval => {
                self.settle()?;
                let text = self.room.prepare(&self.variant).assess(&self.position);
                self.print(&text)?;
            }
            Command::Bench(depth) => self.bench(depth)?,
            Command::Nothing => {}
            Command::Quit => return Ok(Flow::Quit),
        }
        Ok(Flow::On)
    }

    fn introduce(&mut self) -> io::Result<()> {
        self.print(concat!("id name Husun ", env!("CARGO_PKG_VERSION")))?;
        self.print("id author the Husun authors")?;
        let ids = self.room.host.ids();
        for (name, text) in Name::ALL {
            let shape = self.room.settings.shape(name, &ids);
            self.print(&reply::option(text, &shape))?;
        }
        self.print("uciok")
    }

    fn set_option(&mut self, name: &str, value: Option<&str>) -> io::Result<()> {
        self.settle()?;
        let Some(option) = Name::find(name) else {
            let name: String = name.chars().take(40).collect();
            return self.inform(&format!("no option `{name}`"));
        };
        match self.room.set(option, value) {
            Err(error) => self.inform(&error.to_string()),
            Ok(Effect::Configure | Effect::Clear) => Ok(()),
            Ok(Effect::Variant(id)) => self.choose(&id),
            Ok(Effect::Files(paths)) => match self.room.host.load(&paths) {
                Ok(ids) if ids.is_empty() => Ok(()),
                Ok(ids) => self.inform(&format!("games read: {}", ids.join(", "))),
                Err(error) => self.inform(&error.to_string()),
            },
        }
    }

    /// Goes over to a game, with its set-up.
    fn choose(&mut self, id: &str) -> io::Result<()> {
        let Some(variant) = self.room.host.variant(id) else {
            return self.inform(&format!("no game `{id}`"));
        };
        if !Arc::ptr_eq(&variant, &self.variant) {
            self.position = variant.start();
            self.history.clear();
            self.room.leave();
            self.variant = variant;
        }
        let line = reply::variant(&self.variant);
        self.print(&line)
    }

    /// Sets a position up; where anything is wrong the last one stays.
    fn set_position(&mut self, start: Start, moves: &[String]) -> io::Result<()> {
        let mut position = match start {
            Start::Setup => self.variant.start(),
            Start::Fen(fen) => match self.variant.position(&fen) {
                Ok(position) => position,
                Err(error) => return self.inform(&format!("position: {error}")),
            },
        };
        let mut history = Vec::with_capacity(moves.len());
        for (i, text) in moves.iter().enumerate() {
            match read_move(&position, text, self.room.settings.castling) {
                Ok(m) => {
                    history.push(position.key());
                    position = position.play(m);
                }
                Err(error) => {
                    return self.inform(&format!("position: move {}: {error}", i + 1));
                }
            }
        }
        self.position = position;
        self.history = history;
        Ok(())
    }

    fn go(&mut self, go: &Go) -> io::Result<()> {
        self.settle()?;
        if let Some(depth) = go.perft {
            let position = self.position.clone();
            return self.start(move |desk| count(&position, depth, desk));
        }
        let limits = match self.limits(go) {
            Ok(limits) => limits,
            Err(error) => return self.inform(&format!("go searchmoves: {error}")),
        };
        let task = Task {
            position: self.position.clone(),
            history: self.history.clone(),
            limits,
        };
        let options = self.room.settings.options();
        self.work = Some(Work {
            search: Some((self.position.clone(), self.room.settings.castling)),
            job: self.room.search(&self.variant, task, &options),
        });
        Ok(())
    }

    fn limits(&self, go: &Go) -> Result<Limits, husun::UciError> {
        let moves = go.searchmoves.iter();
        let searchmoves = moves
            .map(|text| read_move(&self.position, text, self.room.settings.castling))
            .collect::<Result<Vec<_>, _>>()?;
        let clock = go.clock(self.position.turn(), self.room.settings.clock);
        let bounded = go.depth.is_some()
            || go.nodes.is_some()
            || go.movetime.is_some()
            || go.mate.is_some()
            || clock.is_some();
        Ok(Limits {
            depth: go.depth,
            nodes: go.nodes,
            movetime: go.movetime,
            clock,
            mate: go.mate,
            infinite: go.infinite || !bounded,
            searchmoves,
            ponder: go.ponder.then(|| Arc::new(AtomicBool::new(true))),
        })
    }

    /// Starts work that prints and finds no move.
    fn start(&mut self, work: impl FnOnce(&Desk) + Send + 'static) -> io::Result<()> {
        let job = self.room.work(&self.variant, work);
        self.work = Some(Work { job, search: None });
        Ok(())
    }

    fn display(&mut self) -> io::Result<()> {
        let position = self.position.clone();
        self.print(&diagram(&position))?;
        self.print("")?;
        self.print(&format!("Fen: {}", position.fen()))?;
        self.print(&format!("Key: {:016X}", position.key()))?;
        let frame = &position.variant().frame;
        let squares = checkers(&position).into_iter();
        let names: String = squares.map(|s| format!(" {}", frame.name(s))).collect();
        self.print(&format!("Checkers:{names}"))?;
        match position.status() {
            Status::Ongoing => Ok(()),
            status => self.print(&format!("Status: {}", status.name())),
        }
    }

    fn bench(&mut self, depth: Option<u32>) -> io::Result<()> {
        self.settle()?;
        let games: Vec<Arc<Variant>> = games::ids().filter_map(games::variant).collect();
        let depth = depth.unwrap_or(engine::BENCH_DEPTH);
        self.start(move |desk| bench(&games, depth, desk))
    }
}

/// Counts and prints, looking now and then whether to stop.
fn count(position: &Position, depth: u32, desk: &Desk) {
    let mut all = 0;
    if depth == 0 {
        all = 1;
    } else {
        let mut moves = position.legal_moves();
        moves.sort_by_key(|&m| position.uci(m).to_string());
        for m in moves {
            let Some(n) = count_below(&position.play(m), depth - 1, desk) else {
                desk.say("info string perft stopped".into());
                return;
            };
            desk.say(format!("{}: {n}", position.uci(m)));
            all += n;
        }
    }
    desk.say(format!("\nNodes searched: {all}\n"));
}

/// Deeper than this the count looks whether to stop.
const BULK: u32 = 3;

fn count_below(position: &Position, depth: u32, desk: &Desk) -> Option<u64> {
    if depth <= BULK {
        return (!desk.stopped()).then(|| position.perft(depth));
    }
    let mut all = 0;
    for m in position.legal_moves() {
        all += count_below(&position.play(m), depth - 1, desk)?;
    }
    Some(all)
}

fn bench(games: &[Arc<Variant>], depth: u32, desk: &Desk) {
    let (mut nodes, mut time) = (0, Duration::ZERO);
    for game in games {
        if desk.stopped() {
            desk.say("info string bench stopped".into());
            return;
        }
        let one = std::slice::from_ref(game);
        let found = engine::bench(one, depth, &mut |_, _| {});
        desk.say(format!("{}: {} nodes", game.id, found.nodes));
        nodes += found.nodes;
        time += found.time;
    }
    let speed = nodes as f64 / time.as_secs_f64().max(1e-6);
    desk.say(format!("Total time (ms) : {}", time.as_millis()));
    desk.say(format!("Nodes searched  : {nodes}"));
    desk.say(format!("Nodes/second    : {speed:.0}"));
}
