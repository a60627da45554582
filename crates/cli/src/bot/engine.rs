//! The engine of a bot: which games it plays, and a thread for each game with its own engine process. A process that
//! fails is restarted.

use super::clock::clocks;
use super::say;
use crate::contest::player::{Answer, Clocks, PATIENCE, Player, Terms};
use crate::contest::process::{Fault, Process};
use crate::contest::spec::{Control, Protocol, Spec};
use crate::contest::uci::{self, Uci};
use anyhow::{Context, Result, ensure};
use clap::Args;
use husun::clock::{Remaining, TimeControl};
use husun::{Game, Position, Side};
use server::wire;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// The longest pause before a failed engine is restarted.
const PAUSE: Duration = Duration::from_secs(15);
/// A pause is waited for in slices, so that it ends with the game.
const SLICE: Duration = Duration::from_millis(50);

/// How the engine is run.
#[derive(Args)]
pub struct EngineOptions {
    /// The engine: `husun`, or `uci:COMMAND` for one that speaks UCI
    #[arg(long, value_name = "ENGINE", default_value = "husun")]
    engine: String,
    /// An option of the engine, such as "Skill Level=3"; may be repeated
    #[arg(long, value_name = "NAME=VALUE")]
    option: Vec<String>,
    /// What the engine calls a game, such as capablanca=capa; may be repeated
    #[arg(long, value_name = "ID=NAME")]
    called: Vec<String>,
    /// Hash table of each engine, in mebibytes
    #[arg(long, value_name = "MB", default_value_t = 16)]
    hash: usize,
    /// Threads of each engine
    #[arg(long, default_value_t = 1)]
    threads: usize,
    /// Seconds for a move if the clock gives days, or if there is none
    #[arg(long, value_name = "SECONDS", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    think: u64,
    /// Time reserved in each move for network delay, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 150, value_parser = clap::value_parser!(u64).range(0..=60_000))]
    lag: u64,
}

/// An engine that can be started.
pub struct Engine {
    spec: Spec,
    called: Vec<(String, String)>,
    offered: Vec<String>,
    terms: Terms,
    think: Duration,
}

fn pair(text: &str, form: &str) -> Result<(String, String)> {
    let pair = text.split_once('=');
    let (name, value) = pair.with_context(|| format!("`{text}`: expected {form}"))?;
    Ok((name.trim().into(), value.trim().into()))
}

impl Engine {
    /// The engine named on the command line, asked which games it plays. `files` are those of the user's own games.
    pub fn find(options: &EngineOptions, files: &[PathBuf]) -> Result<Engine> {
        let own = std::env::current_exe()?.display().to_string();
        let mut spec = Spec::parse(&options.engine, &own)?;
        ensure!(
            spec.protocol == Protocol::Uci,
            "`{}`: expected husun or uci:COMMAND",
            options.engine
        );
        if options.engine == "husun" {
            for file in files {
                let args = ["--game-file".into(), file.display().to_string()];
                spec.command.splice(1..1, args);
            }
        }
        for text in &options.option {
            spec.options.push(pair(text, "NAME=VALUE")?);
        }
        let called = options.called.iter().map(|text| pair(text, "ID=NAME"));
        let failed = |fault: Fault| anyhow::anyhow!("the engine {} {fault}", spec.name);
        let mut process = Process::start(&spec.command).map_err(failed)?;
        let offered = uci::games(&mut process).map_err(failed)?;
        Ok(Engine {
            called: called.collect::<Result<_>>()?,
            offered,
            terms: Terms {
                control: Control::Depth(1),
                hash: options.hash,
                threads: options.threads,
                margin: Duration::from_millis(options.lag),
            },
            think: Duration::from_secs(options.think),
            spec,
        })
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.spec.name
    }

    fn called<'a>(&'a self, id: &'a str) -> &'a str {
        let own = self.called.iter().find(|(game, _)| game == id);
        own.map_or(id, |(_, name)| name)
    }

    /// Whether the engine says that it plays a game.
    pub fn plays(&self, id: &str) -> bool {
        let name = self.called(id);
        self.offered.iter().any(|offered| offered == name)
    }

    /// The conditions for thinking about a move.
    fn terms(&self, control: TimeControl, left: Option<Remaining>) -> Terms {
        let control = match control {
            TimeControl::Correspondence { .. } | TimeControl::None => {
                let left = left.and_then(|left| left.total(control));
                Control::MoveTime(left.map_or(self.think, |left| self.think.min(left / 4)))
            }
            control => Control::Clock(control),
        };
        let margin = match control {
            // There is no hurry.
            Control::MoveTime(_) => PATIENCE,
            _ => self.terms.margin,
        };
        Terms {
            control,
            margin,
            ..self.terms.clone()
        }
    }

    fn start(&self, seat: &Seat, over: &Arc<AtomicBool>) -> Result<Box<dyn Player>, Fault> {
        let mut process = Process::start(&self.spec.command)?;
        process.give_up_by(over.clone());
        let spec = Spec {
            variant: self.called(seat.start.variant().id()).into(),
            ..self.spec.clone()
        };
        let terms = self.terms(seat.control, None);
        let mut player = Box::new(Uci::new(process, &spec, &terms)?);
        player.begin(&seat.start, &terms)?;
        Ok(player)
    }
}

/// The game an engine plays.
pub struct Seat {
    /// Id of the game at the server.
    pub game: String,
    pub start: Position,
    pub own: Side,
    pub control: TimeControl,
}

/// A position to think about.
pub struct Question {
    /// The moves that have led to it, in UCI form.
    pub moves: Vec<String>,
    /// The clocks, and when they were reported.
    pub clocks: Option<(wire::Clocks, Instant)>,
}

/// The result.
#[derive(Clone, Debug)]
pub enum Thought {
    /// A move in UCI form, and what the engine thinks of the position for itself, in centipawns.
    Move(String, Option<i32>),
    /// Mate or stalemate is accepted.
    Accept,
    /// The engine resigns.
    Resign,
}

/// An engine at work on a game, which it stops when this is dropped.
pub struct Thinker {
    questions: Sender<Question>,
    /// What it has found, with the moves that it was asked about; closed if the game cannot be played.
    pub thoughts: UnboundedReceiver<(Vec<String>, Thought)>,
    over: Arc<AtomicBool>,
}

impl Drop for Thinker {
    fn drop(&mut self) {
        self.over.store(true, Relaxed);
    }
}

impl Thinker {
    /// Starts working on a game.
    pub fn begin(engine: Arc<Engine>, seat: Seat) -> Thinker {
        let (questions, asked) = channel();
        let (answers, thoughts) = unbounded_channel();
        let over = Arc::new(AtomicBool::new(false));
        let ended = over.clone();
        std::thread::spawn(move || Work::new(&engine, seat, ended).run(&asked, &answers));
        Thinker {
            questions,
            thoughts,
            over,
        }
    }

    /// Asks about a position; only the last question is answered.
    pub fn ask(&self, question: Question) {
        // A thread that has ended has reported why.
        let _ = self.questions.send(question);
    }
}

/// Why there is no answer.
enum Trouble {
    /// The engine has failed.
    Fault(Fault),
    /// It did not answer, or not with a legal move.
    Answer(String),
    /// The server's rules for the game differ from this program's.
    Rules(String),
}

impl From<Fault> for Trouble {
    fn from(fault: Fault) -> Trouble {
        Trouble::Fault(fault)
    }
}

struct Work<'a> {
    engine: &'a Engine,
    seat: Seat,
    player: Option<Box<dyn Player>>,
    over: Arc<AtomicBool>,
}

impl Work<'_> {
    fn new(engine: &Engine, seat: Seat, over: Arc<AtomicBool>) -> Work<'_> {
        Work {
            engine,
            seat,
            player: None,
            over,
        }
    }

    fn run(
        mut self,
        asked: &Receiver<Question>,
        answers: &UnboundedSender<(Vec<String>, Thought)>,
    ) {
        while let Ok(mut question) = asked.recv() {
            let mut pause = Duration::from_secs(1);
            loop {
                question = asked.try_iter().last().unwrap_or(question);
                let name = self.engine.name();
                let problem = match self.think(&question) {
                    Ok(thought) => {
                        let _ = answers.send((question.moves, thought));
                        break;
                    }
                    Err(Trouble::Fault(Fault::Over)) => return,
                    Err(Trouble::Rules(problem)) => {
                        say(&format!("game {}: {problem}", self.seat.game));
                        return;
                    }
                    Err(Trouble::Fault(fault)) => fault.to_string(),
                    Err(Trouble::Answer(problem)) => problem,
                };
                self.player = None;
                say(&format!(
                    "game {}: the engine {name} {problem}; it is started again in {} s",
                    self.seat.game,
                    pause.as_secs()
                ));
                let until = Instant::now() + pause;
                while Instant::now() < until {
                    if self.over.load(Relaxed) {
                        return;
                    }
                    std::thread::sleep(SLICE);
                }
                pause = (pause * 2).min(PAUSE);
            }
        }
    }

    fn think(&mut self, question: &Question) -> Result<Thought, Trouble> {
        let game = self.game(question)?;
        let player = match &mut self.player {
            Some(player) => player,
            none => none.insert(self.engine.start(&self.seat, &self.over)?),
        };
        let (control, own) = (self.seat.control, self.seat.own);
        let left: Clocks = match &question.clocks {
            Some((told, at)) => {
                let lag = self.engine.terms.margin;
                clocks(control, told, own, at.elapsed() + lag)
            }
            None => [Remaining::Unlimited; 2],
        };
        let terms = self.engine.terms(control, Some(left[own.index()]));
        let reply = player.think(&game, &left, &terms)?;
        let score = reply.score.map(|(score, _)| score);
        match reply.answer {
            Some(Answer::Move(text)) => match player.read(game.position(), &text) {
                Some(found) => {
                    let text = game.position().uci(found).to_string();
                    Ok(Thought::Move(text, score))
                }
                None => Err(Trouble::Answer(format!(
                    "plays `{text}`, which is not legal"
                ))),
            },
            Some(Answer::Accept) => Ok(Thought::Accept),
            Some(Answer::Resign) => Ok(Thought::Resign),
            Some(Answer::Claim(claim)) => Err(Trouble::Answer(format!("says `{claim}`"))),
            None => Err(Trouble::Answer("has taken more time than it had".into())),
        }
    }

    /// The game as this program knows it.
    fn game(&self, question: &Question) -> Result<Game, Trouble> {
        let mut game = Game::new(self.seat.start.clone());
        for text in &question.moves {
            let played = game.position().parse_uci(text).map_err(|e| e.to_string());
            let played = played.and_then(|m| game.play_on(m).map_err(|e| e.to_string()));
            if let Err(problem) = played {
                let id = self.seat.start.variant().id();
                return Err(Trouble::Rules(format!(
                    "the server plays `{id}` by other rules than this program ({problem}); it is left to people"
                )));
            }
        }
        Ok(game)
    }
}
