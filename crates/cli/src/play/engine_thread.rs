//! The computer's thinking, in a thread of its own so that the interface stays responsive. Answers carry the number of
//! their question; an answer to an older question must be ignored.

use super::timed_game::TimedGame;
use engine::pace::{Choice, natural};
use engine::{ClockSituation, Engine, Info, Level, Limits, Options, SearchResult};
use husun::clock::TimeControl;
use husun::{Position, Square};
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

/// Stack of the thread in bytes: a search recurses deeply.
const STACK: usize = 16 << 20;
/// Time for a hint.
const HINT: Duration = Duration::from_millis(1500);
/// Most time for a move without a clock: at a lower level, and at full strength.
const WITHOUT_CLOCK: [Duration; 2] = [Duration::from_millis(1900), Duration::from_secs(4)];

/// What the computer is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// A move to be made.
    Move(Level),
    /// A move to be suggested.
    Hint,
}

/// What the computer says.
#[derive(Clone, Debug)]
pub enum Answer {
    /// Progress of the search.
    Progress(Info),
    /// The result.
    Done(SearchResult),
}

struct Question {
    number: u64,
    position: Position,
    history: Vec<u64>,
    level: Level,
    limits: Limits,
    stop: Arc<AtomicBool>,
    seed: u64,
    manner: Option<Manner>,
}

/// How the computer paces a move that it is to make.
struct Manner {
    ply: usize,
    /// Square on which the opponent has just captured something.
    taken_on: Option<Square>,
    /// What is left on its clock.
    left: Option<Duration>,
}

/// How often to check, while the computer takes its time, whether the question still stands.
const NAP: Duration = Duration::from_millis(20);

/// The computer.
pub struct EngineThread {
    questions: Sender<Question>,
    answers: Receiver<(u64, Answer)>,
    asked: u64,
    stop: Arc<AtomicBool>,
    /// Seed for the choices of the lower levels, the same throughout.
    seed: u64,
    /// Whether the lower levels take a natural time over a move.
    pause: bool,
}

impl EngineThread {
    /// A computer that waits for questions about the engine's game. With `pause` it takes a natural time to move, for
    /// somebody looking on; at full strength it moves when it has finished thinking.
    pub fn new(mut engine: Engine, pause: bool) -> io::Result<EngineThread> {
        let (questions, inbox) = mpsc::channel::<Question>();
        let (outbox, answers) = mpsc::channel();
        let thread = thread::Builder::new().stack_size(STACK);
        thread.spawn(move || {
            for question in inbox {
                think(&mut engine, &question, &outbox);
            }
        })?;
        Ok(EngineThread {
            questions,
            answers,
            asked: 0,
            seed: super::plain::seed(),
            stop: Arc::default(),
            pause,
        })
    }

    /// Asks about the position of a game; an earlier question is dropped.
    pub fn ask(&mut self, timed: &TimedGame, purpose: Purpose, now: Duration) {
        self.stop();
        self.asked += 1;
        self.stop = Arc::default();
        let game = timed.game();
        let history = (0..timed.ply()).filter_map(|ply| game.position_at(ply));
        let question = Question {
            number: self.asked,
            position: game.position().clone(),
            history: history.map(Position::key).collect(),
            level: match purpose {
                Purpose::Move(level) => level,
                Purpose::Hint => Level::FULL,
            },
            limits: limits(timed, purpose, now),
            stop: self.stop.clone(),
            seed: self.seed,
            manner: match purpose {
                Purpose::Move(level) if self.pause && level < Level::FULL => {
                    Some(manner(timed, now))
                }
                _ => None,
            },
        };
        // If the thread is gone, no answer comes, but the game can still be saved.
        let _ = self.questions.send(question);
    }

    /// Drops the question.
    pub fn stop(&mut self) {
        self.stop.store(true, Relaxed);
        self.asked += 1;
    }

    /// The next answer to the last question, if there is one yet.
    pub fn answer(&self) -> Option<Answer> {
        let mut all = self.answers.try_iter();
        all.find(|(number, _)| *number == self.asked)
            .map(|(_, answer)| answer)
    }

    /// Waits until the last question is answered; none if the thread is gone.
    pub fn wait(&self) -> Option<SearchResult> {
        loop {
            match self.answers.recv_timeout(Duration::from_secs(600)) {
                Ok((number, Answer::Done(outcome))) if number == self.asked => {
                    return Some(outcome);
                }
                Ok(_) => {}
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => return None,
            }
        }
    }
}

impl Drop for EngineThread {
    fn drop(&mut self) {
        self.stop();
    }
}

fn manner(timed: &TimedGame, now: Duration) -> Manner {
    let (game, ply) = (timed.game(), timed.ply());
    let last = game.moves().last().zip(ply.checked_sub(1));
    Manner {
        ply,
        taken_on: last.and_then(|(&m, before)| {
            let taken = game.position_at(before)?.captured(m);
            taken.map(|_| m.to())
        }),
        left: timed.remaining(game.turn(), now).total(timed.control()),
    }
}

fn limits(timed: &TimedGame, purpose: Purpose, now: Duration) -> Limits {
    match (purpose, timed.control()) {
        (Purpose::Hint, _) => Limits::movetime(HINT),
        (Purpose::Move(level), TimeControl::None) => {
            Limits::movetime(WITHOUT_CLOCK[usize::from(level == Level::FULL)])
        }
        (Purpose::Move(_), control) => Limits {
            clock: Some(ClockSituation {
                control,
                remaining: timed.remaining(timed.game().turn(), now),
                moves_to_go: None,
            }),
            ..Limits::default()
        },
    }
}

fn think(engine: &mut Engine, question: &Question, outbox: &Sender<(u64, Answer)>) {
    if question.stop.load(Relaxed) {
        return;
    }
    let since = Instant::now();
    engine.set_options(Options {
        level: question.level,
        seed: question.seed,
        ..Options::default()
    });
    let mut report = |info: &Info| {
        let _ = outbox.send((question.number, Answer::Progress(info.clone())));
    };
    let outcome = engine.search(
        &question.position,
        &question.history,
        &question.limits,
        &question.stop,
        &mut report,
    );
    if let Some(manner) = &question.manner {
        let time = natural(Choice {
            sensible: engine.sensible_moves(&question.position),
            recapture: outcome
                .best
                .is_some_and(|m| Some(m.to()) == manner.taken_on),
            ply: manner.ply,
            left: manner.left,
            seed: question.seed.wrapping_add(manner.ply as u64),
        });
        while since.elapsed() < time && !question.stop.load(Relaxed) {
            thread::sleep(NAP.min(time.saturating_sub(since.elapsed())));
        }
    }
    let _ = outbox.send((question.number, Answer::Done(outcome)));
}
