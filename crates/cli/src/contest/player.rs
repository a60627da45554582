//! An engine as a player of one game after another, whatever protocol it speaks.

use super::process::{Fault, Process};
use super::spec::{Control, Protocol, Spec};
use super::uci::Uci;
use super::xboard::XBoard;
use husun::{Game, Move, Position};
use std::time::{Duration, Instant};

/// How long an engine may take for everything but its moves.
pub const PATIENCE: Duration = Duration::from_secs(20);
/// How long a move may take where no clock runs.
const NO_CLOCK: Duration = Duration::from_secs(600);
/// How long an engine has to answer once it was told to stop.
pub const GRACE: Duration = Duration::from_secs(2);

/// What a match is like for all its games.
#[derive(Clone, Debug)]
pub struct Terms {
    pub control: Control,
    /// Mebibytes of each engine's table.
    pub hash: usize,
    pub threads: usize,
    /// How much later than its time a move may come.
    pub margin: Duration,
}

/// Time left of White and Black.
pub type Clocks = [Duration; 2];

impl Terms {
    /// How long the side to move may take.
    pub fn allowed(&self, left: Duration) -> Option<Duration> {
        match self.control {
            Control::Clock { .. } => Some(left + self.margin),
            Control::MoveTime(time) => Some(time + self.margin),
            Control::Nodes(_) | Control::Depth(_) => None,
        }
    }

    /// Until when an answer is waited for.
    pub fn deadline(&self, asked: Instant, left: Duration) -> Instant {
        asked + self.allowed(left).unwrap_or(NO_CLOCK)
    }
}

/// What an engine answers when it is its turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// A move, as it was written.
    Move(String),
    /// It gives up.
    Resign,
    /// It takes the end of the game rather than move.
    Accept,
    /// It says that the game is over, in the words of its claim.
    Claim(String),
}

/// An answer with what came along.
#[derive(Clone, Debug)]
pub struct Reply {
    /// None if time ran out.
    pub answer: Option<Answer>,
    pub spent: Duration,
    /// Its score for itself in centipawns, mates beyond 30,000, and its depth.
    pub score: Option<(i32, u32)>,
}

/// A player.
pub trait Player: Send {
    /// Begins a game, from the set-up or another position.
    fn begin(&mut self, start: &Position, terms: &Terms) -> Result<(), Fault>;
    /// Asks for a move.
    fn think(&mut self, game: &Game, clocks: &Clocks, terms: &Terms) -> Result<Reply, Fault>;
    /// Reads a move that it has written.
    fn read(&self, position: &Position, text: &str) -> Option<Move>;
    /// Tells it that the game is over.
    fn end(&mut self, game: &Game) -> Result<(), Fault>;
}

/// Starts an engine.
pub fn start(spec: &Spec, terms: &Terms) -> Result<Box<dyn Player>, Fault> {
    let process = Process::start(&spec.command)?;
    Ok(match spec.protocol {
        Protocol::Uci => Box::new(Uci::new(process, spec, terms)?),
        Protocol::XBoard => Box::new(XBoard::new(process, spec, terms)?),
    })
}

/// Whether a position is the game's set-up.
pub fn is_setup(position: &Position) -> bool {
    *position == position.variant().start()
}

/// A score of a mate in so many moves, as one number.
pub fn mate(moves: i32) -> i32 {
    let distance = moves.saturating_abs().min(500);
    moves.signum() * (31_000 - distance)
}
