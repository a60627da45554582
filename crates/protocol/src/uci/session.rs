//! A UCI session: the current game and position, the engine, and the search under way.

use super::command::{Command, CommandError, Go, Start, parse};
use super::reply;
use crate::board::{checkers, diagram};
use crate::events::{Event, Job, JobContext};
use crate::host::{Host, SearchRequest};
use crate::lines::{InputLine, MAX_LINE};
use crate::session_core::SessionCore;
use crate::settings::{Effect, Name};
use engine::{Limits, SearchResult};
use husun::{Move, Position, PositionError, Status, UciError, Variant};
use std::io::{self, Read, Write};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Reads commands and answers them until `quit` or the end of the input.
pub fn run<H: Host>(host: H, input: impl Read + Send + 'static, out: impl Write) -> io::Result<()> {
    let Some(variant) = first_variant(&host) else {
        return Ok(());
    };
    let mut session = Session {
        core: SessionCore::new(host, input),
        out,
        placed: Ok(Placed::start(&variant)),
        variant,
        work: None,
    };
    session.serve()
}

/// Chess, or else the first game there is.
fn first_variant(host: &impl Host) -> Option<Arc<Variant>> {
    let chess = host.variant(games::ORTHODOX);
    chess.or_else(|| host.variant(host.ids().first()?))
}

/// What the engine's thread is doing.
struct Work {
    job: Job,
    /// The position searched, if it is a search.
    search: Option<Position>,
}

/// The current position.
#[derive(Clone)]
struct Placed {
    position: Position,
    /// Keys of the positions before it, the oldest first.
    history: Vec<u64>,
}

impl Placed {
    fn start(variant: &Arc<Variant>) -> Placed {
        Placed {
            position: variant.start(),
            history: Vec::new(),
        }
    }
}

/// Why there is no current position. The previous one is not kept: a program that ignores the message would be given
/// moves for another position.
#[derive(Clone, Debug, thiserror::Error)]
enum Refusal {
    #[error("{0}")]
    Command(#[from] CommandError),
    #[error("position: {0}")]
    Position(#[from] PositionError),
    #[error("position: move {number}: {error}")]
    Move { number: usize, error: UciError },
    #[error("a line is longer than {MAX_LINE} bytes")]
    TooLong,
}

/// How long a search takes if its only limit is useless.
const UNREADABLE: Duration = Duration::from_secs(1);

struct Session<H, W> {
    core: SessionCore<H>,
    out: W,
    variant: Arc<Variant>,
    placed: Result<Placed, Refusal>,
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
            let flow = match self.core.next() {
                Event::Line(InputLine::Text(line)) => self.line(&line)?,
                Event::Line(InputLine::TooLong) => {
                    // Nothing but a position is that long.
                    self.refuse(Refusal::TooLong)?;
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

    fn refuse(&mut self, refusal: Refusal) -> io::Result<()> {
        self.inform(&refusal.to_string())?;
        self.placed = Err(refusal);
        Ok(())
    }

    /// The current position; if there is none, says why.
    fn in_hand(&mut self) -> io::Result<Option<Placed>> {
        match &self.placed {
            Ok(placed) => Ok(Some(placed.clone())),
            Err(refusal) => {
                let text = format!("no position: the last one was refused: {refusal}");
                self.inform(&text)?;
                Ok(None)
            }
        }
    }

    /// Handles an event of the engine's thread.
    fn heard(&mut self, event: Event) -> io::Result<()> {
        match event {
            Event::Info(info) => {
                let Some(Work {
                    search: Some(position),
                    ..
                }) = &self.work
                else {
                    return Ok(());
                };
                let line = reply::info(&info, position, self.core.settings.show_wdl);
                self.print(&line)
            }
            Event::Say(line) => self.print(&line),
            Event::Done(thinker, found) => {
                // An engine for a game that was left in the meantime is of no use.
                self.core.take_in(thinker);
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
    fn finish(&mut self, found: Option<&SearchResult>) -> io::Result<()> {
        let Some(work) = self.work.take() else {
            return Ok(());
        };
        let Some(position) = work.search else {
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
        let mut line = format!("bestmove {}", position.uci(best));
        if let Some(ponder) = found.and_then(|f| f.ponder) {
            let after = position.play_unchecked(best);
            line += &format!(" ponder {}", after.uci(ponder));
        }
        self.print(&line)
    }

    /// Waits for the engine's work to end, if there is any. A search is stopped; counting and measuring are not, so
    /// that `go perft 5` and `quit` may come together.
    fn settle(&mut self) -> io::Result<()> {
        if let Some(work) = self.work.as_ref().filter(|w| w.search.is_some()) {
            work.job.stop();
        }
        while let Some(work) = &self.work {
            match self.core.next_new() {
                Event::Line(InputLine::Text(line)) if line.trim() == "stop" => {
                    work.job.stop();
                    // It may be meant for a search that is asked for by now.
                    self.core.put_off(Event::Line(InputLine::Text(line)));
                }
                event @ (Event::Line(_) | Event::Eof) => self.core.put_off(event),
                event => self.heard(event)?,
            }
        }
        Ok(())
    }

    fn line(&mut self, line: &str) -> io::Result<Flow> {
        let command = match parse(line) {
            Ok(command) => command,
            Err(error) => {
                match error.command() {
                    Some("position") => self.refuse(error.into())?,
                    _ => self.inform(&error.to_string())?,
                }
                return Ok(Flow::On);
            }
        };
        match command {
            Command::Uci => self.introduce()?,
            Command::IsReady => {
                // An engine made only when a search begins would keep that search from stopping at once.
                if self.work.is_none() {
                    self.core.prepare(&self.variant);
                }
                self.print("readyok")?;
            }
            Command::NewGame => {
                self.settle()?;
                self.core.forget();
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
                if let Some(placed) = self.in_hand()? {
                    let text = self.core.prepare(&self.variant).assess(&placed.position);
                    self.print(&text)?;
                }
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
        let ids = self.core.host.ids();
        for (name, text) in Name::ALL {
            let shape = self.core.settings.shape(name, &ids);
            self.print(&reply::option(text, &shape))?;
        }
        self.print("uciok")?;
        self.remark(&ids)
    }

    fn set_option(&mut self, name: &str, value: Option<&str>) -> io::Result<()> {
        self.settle()?;
        let Some(option) = Name::find(name) else {
            let name: String = name.chars().take(40).collect();
            return self.inform(&format!("no option `{name}`"));
        };
        match self.core.set(option, value) {
            Err(error) => self.inform(&error.to_string()),
            Ok(Effect::Configure | Effect::Clear) => Ok(()),
            Ok(Effect::Variant(id)) => self.choose(&id),
            Ok(Effect::Tables(folder)) => match self.core.open_tables(&folder, &self.variant) {
                Ok(()) => Ok(()),
                Err(error) => self.inform(&error.to_string()),
            },
            Ok(Effect::Files(paths)) => match self.core.host.load(&paths) {
                Ok(ids) if ids.is_empty() => Ok(()),
                Ok(ids) => {
                    self.inform(&format!("games read: {}", ids.join(", ")))?;
                    self.remark(&ids)
                }
                Err(error) => self.inform(&error.to_string()),
            },
        }
    }

    /// Prints the remarks on games that were read.
    fn remark(&mut self, ids: &[String]) -> io::Result<()> {
        for id in ids {
            for remark in self.core.host.remarks(id) {
                self.inform(&format!("{id}: {remark}"))?;
            }
        }
        Ok(())
    }

    /// Switches to a game, with its set-up.
    fn choose(&mut self, id: &str) -> io::Result<()> {
        let Some(variant) = self.core.host.variant(id) else {
            return self.inform(&format!("no game `{id}`"));
        };
        if !Arc::ptr_eq(&variant, &self.variant) {
            self.placed = Ok(Placed::start(&variant));
            self.core.leave();
            self.variant = variant;
        }
        let line = reply::variant(&self.variant);
        self.print(&line)?;
        match self.core.host.check_tables(&self.variant) {
            Ok(()) => Ok(()),
            Err(error) => self.inform(&error.to_string()),
        }
    }

    /// Sets a position up; if anything is wrong there is none until the next.
    fn set_position(&mut self, start: Start, moves: &[String]) -> io::Result<()> {
        match placed(&self.variant, start, moves) {
            Ok(placed) => self.placed = Ok(placed),
            Err(refusal) => self.refuse(refusal)?,
        }
        Ok(())
    }

    fn go(&mut self, go: &Go) -> io::Result<()> {
        self.settle()?;
        for fault in &go.faults {
            self.inform(&fault.to_string())?;
        }
        let Some(Placed { position, history }) = self.in_hand()? else {
            return match go.perft {
                Some(_) => Ok(()),
                None => self.print("bestmove 0000"),
            };
        };
        if let Some(depth) = go.perft {
            return self.start(move |context| count(&position, depth, context));
        }
        if let Some(told) = self.core.lacking_tables(&self.variant) {
            self.inform(&told)?;
        }
        let limits = self.limits(go, &position)?;
        let request = SearchRequest {
            position: position.clone(),
            history,
            limits,
        };
        let options = self.core.settings.options();
        self.work = Some(Work {
            search: Some(position),
            job: self.core.search(&self.variant, request, &options),
        });
        Ok(())
    }

    fn limits(&mut self, go: &Go, position: &Position) -> io::Result<Limits> {
        let searchmoves = self.searchmoves(go, position)?;
        let clock = go.clock(position.turn(), self.core.settings.clock);
        let bounded = go.depth.is_some()
            || go.nodes.is_some()
            || go.movetime.is_some()
            || go.mate.is_some()
            || clock.is_some();
        // A program that names a limit expects a move, even if the limit is useless.
        let unreadable = !bounded && !go.infinite && go.names_a_limit();
        Ok(Limits {
            depth: go.depth,
            nodes: go.nodes,
            movetime: go.movetime.or(unreadable.then_some(UNREADABLE)),
            clock,
            mate: go.mate,
            infinite: go.infinite || !(bounded || unreadable),
            searchmoves,
            ponder: go.ponder.then(|| Arc::new(AtomicBool::new(true))),
        })
    }

    /// The moves to choose from, leaving out those that are not legal here.
    fn searchmoves(&mut self, go: &Go, position: &Position) -> io::Result<Vec<Move>> {
        let mut moves = Vec::new();
        for text in &go.searchmoves {
            match position.parse_uci(text) {
                Ok(m) => moves.push(m),
                Err(error) => self.inform(&format!("go searchmoves: {error}"))?,
            }
        }
        if moves.is_empty() && !go.searchmoves.is_empty() {
            self.inform("go searchmoves: none of the moves is legal: all moves are searched")?;
        }
        Ok(moves)
    }

    /// Starts work that prints and does not find a move.
    fn start(&mut self, work: impl FnOnce(&JobContext) + Send + 'static) -> io::Result<()> {
        let job = self.core.work(&self.variant, work);
        self.work = Some(Work { job, search: None });
        Ok(())
    }

    fn display(&mut self) -> io::Result<()> {
        let Some(Placed { position, .. }) = self.in_hand()? else {
            return Ok(());
        };
        self.print(&diagram(&position))?;
        self.print("")?;
        self.print(&format!("Fen: {}", position.fen()))?;
        self.print(&format!("Key: {:016X}", position.key()))?;
        let frame = position.variant().frame();
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
        self.start(move |context| bench(&games, depth, context))
    }
}

/// A position with the moves that lead to it.
fn placed(variant: &Arc<Variant>, start: Start, moves: &[String]) -> Result<Placed, Refusal> {
    let mut position = match start {
        Start::Setup => variant.start(),
        Start::Fen(fen) => variant.position(&fen)?,
    };
    let mut history = Vec::with_capacity(moves.len());
    for (i, text) in moves.iter().enumerate() {
        let number = i + 1;
        let found = position.parse_uci(text);
        let m = found.map_err(|error| Refusal::Move { number, error })?;
        history.push(position.key());
        position = position.play_unchecked(m);
    }
    Ok(Placed { position, history })
}

/// Counts and prints, checking now and then whether to stop.
fn count(position: &Position, depth: u32, context: &JobContext) {
    let mut all = 0;
    if depth == 0 {
        all = 1;
    } else {
        let mut moves = position.legal_moves();
        moves.sort_by_key(|&m| position.uci(m).to_string());
        for m in moves {
            let Some(n) = count_below(&position.play_unchecked(m), depth - 1, context) else {
                context.say("info string perft stopped".into());
                return;
            };
            context.say(format!("{}: {n}", position.uci(m)));
            all += n;
        }
    }
    context.say(format!("\nNodes searched: {all}\n"));
}

/// At greater depths the count checks whether to stop.
const BULK: u32 = 3;

fn count_below(position: &Position, depth: u32, context: &JobContext) -> Option<u64> {
    if depth <= BULK {
        return (!context.stopped()).then(|| position.perft(depth));
    }
    let mut all = 0;
    for m in position.legal_moves() {
        all += count_below(&position.play_unchecked(m), depth - 1, context)?;
    }
    Some(all)
}

fn bench(games: &[Arc<Variant>], depth: u32, context: &JobContext) {
    let (mut nodes, mut time) = (0, Duration::ZERO);
    for game in games {
        if context.stopped() {
            context.say("info string bench stopped".into());
            return;
        }
        let one = std::slice::from_ref(game);
        let found = engine::bench(one, depth, &mut |_, _| {});
        context.say(format!("{}: {} nodes", game.id(), found.nodes));
        nodes += found.nodes;
        time += found.time;
    }
    let speed = nodes as f64 / time.as_secs_f64().max(1e-6);
    context.say(format!("Total time (ms) : {}", time.as_millis()));
    context.say(format!("Nodes searched  : {nodes}"));
    context.say(format!("Nodes/second    : {speed:.0}"));
}
