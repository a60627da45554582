//! The computer's thinking, in a thread of its own so that the interface stays live. Whoever asks gets
//! answers with the number of the question; an answer to an older question is to be passed over.

use super::timed_game::TimedGame;
use engine::{ClockSituation, Engine, Info, Level, Limits, Options, SearchResult};
use husun::Position;
use husun::clock::TimeControl;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::Duration;

/// Stack of the thread in bytes: a search goes deep.
const STACK: usize = 16 << 20;
/// Time for a hint.
const HINT: Duration = Duration::from_millis(1500);
/// Most time for a move without a clock, by level.
const WITHOUT_CLOCK: [Duration; 2] = [Duration::from_millis(1900), Duration::from_secs(4)];

/// What is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// A move to be made.
    Move(Level),
    /// A move to be proposed.
    Hint,
}

/// What the computer says.
#[derive(Clone, Debug)]
pub enum Answer {
    /// How far it is.
    Progress(Info),
    /// What it has found.
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
}

/// The computer.
pub struct EngineThread {
    questions: Sender<Question>,
    answers: Receiver<(u64, Answer)>,
    asked: u64,
    stop: Arc<AtomicBool>,
    /// What the choices of the lower levels are drawn from, the same throughout.
    seed: u64,
}

impl EngineThread {
    /// A computer that waits for questions about the engine's game.
    pub fn new(mut engine: Engine) -> io::Result<EngineThread> {
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
        };
        // If the thread is gone, no answer comes, and the game can still be saved.
        let _ = self.questions.send(question);
    }

    /// Drops the question.
    pub fn stop(&mut self) {
        self.stop.store(true, Relaxed);
        self.asked += 1;
    }

    /// The next answer to the last question, if there is one by now.
    pub fn answer(&self) -> Option<Answer> {
        let mut all = self.answers.try_iter();
        all.find(|(number, _)| *number == self.asked)
            .map(|(_, answer)| answer)
    }

    /// Waits until the last question is answered; none if nobody answers.
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
    let _ = outbox.send((question.number, Answer::Done(outcome)));
}
