//! An engine as a player of one game after another, whatever protocol it speaks.

use super::process::{Fault, Process};
use super::spec::{Control, Protocol, Spec};
use super::uci::Uci;
use super::xboard::XBoard;
use husun::clock::{Remaining, TimeControl};
use husun::{Game, Move, Position};
use std::time::{Duration, Instant};

/// How long an engine may take for everything but its moves.
pub const PATIENCE: Duration = Duration::from_secs(20);
/// How long a move may take if no clock runs.
const NO_CLOCK: Duration = Duration::from_secs(600);
/// The longest wait for a move, whatever the clock says.
const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);
/// How long an engine has to answer after it was told to stop.
pub const GRACE: Duration = Duration::from_secs(2);

/// The terms of all games of a match.
#[derive(Clone, Debug)]
pub struct Terms {
    pub control: Control,
    /// Mebibytes of each engine's table.
    pub hash: usize,
    pub threads: usize,
    /// How late a move may come.
    pub margin: Duration,
}

/// What White and Black have left; unlimited if no clock runs.
pub type Clocks = [Remaining; 2];

impl Terms {
    /// The clock, if one runs.
    pub fn clock(&self) -> Option<TimeControl> {
        match self.control {
            Control::Clock(control) => Some(control),
            _ => None,
        }
    }

    /// How long the side to move may take, without the allowance for the way to the clock.
    pub fn time(&self, left: Remaining) -> Option<Duration> {
        match self.control {
            Control::Clock(control) => left.total(control),
            Control::MoveTime(time) => Some(time),
            Control::Nodes(_) | Control::Depth(_) => None,
        }
    }

    /// When waiting for an answer ends.
    pub fn deadline(&self, asked: Instant, left: Remaining) -> Instant {
        let time = self.time(left).map(|time| time + self.margin);
        // Correspondence times exceed what an instant can represent.
        let time = time.unwrap_or(NO_CLOCK).min(LONGEST);
        asked + time
    }
}

/// A clock in the form for engines that know only time left and an increment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plain {
    pub left: Duration,
    pub increment: Duration,
    /// Whether all of the time is for a single move.
    pub one_move: bool,
}

impl Plain {
    /// What such an engine is told: never more than it has.
    pub fn of(control: TimeControl, left: Remaining) -> Plain {
        let (left, increment, one_move) = match (left, control) {
            (Remaining::Fischer { time }, TimeControl::Fischer { increment, .. }) => {
                (time, increment, false)
            }
            (
                Remaining::Tiger {
                    engagement,
                    reserve,
                },
                TimeControl::Tiger {
                    reserve_per_move, ..
                },
            ) => {
                let gift = match engagement.is_zero() {
                    true => Duration::ZERO,
                    false => reserve_per_move,
                };
                (engagement + reserve, gift, false)
            }
            // The delay comes anew with every move, so it is as good as an increment.
            (Remaining::Delay { time, delay }, _) => (time + delay, delay, false),
            (Remaining::Byoyomi { main, period, .. }, _) if main.is_zero() => {
                (period, Duration::ZERO, true)
            }
            (Remaining::Byoyomi { main, period, .. }, _) => (main + period, Duration::ZERO, false),
            (Remaining::Correspondence { time }, _) => (time, Duration::ZERO, true),
            // The other side may play by another clock, or none.
            (other, _) => (
                other.total(control).unwrap_or(NO_CLOCK),
                Duration::ZERO,
                false,
            ),
        };
        Plain {
            left,
            increment,
            one_move,
        }
    }
}

/// What an engine answers when it is its turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// A move, as it was written.
    Move(String),
    /// It resigns.
    Resign,
    /// It accepts the end of the game rather than move.
    Accept,
    /// It claims that the game is over, in these words.
    Claim(String),
}

/// An answer and what came with it.
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
    /// Reads a move that the engine has written.
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

/// The score of a mate in `moves` moves, as one number.
pub fn mate(moves: i32) -> i32 {
    let distance = moves.saturating_abs().min(500);
    moves.signum() * (31_000 - distance)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_engine_is_never_told_of_more_than_it_has() {
        for (text, left, increment, one_move) in [
            ("fischer:2s+20ms", 2000, 20, false),
            ("tiger:3s+1s", 3000, 1000, false),
            ("delay:4s+500ms", 4500, 500, false),
            ("byoyomi:5s+3x2s", 7000, 0, false),
            ("byoyomi:0s+3x2s", 2000, 0, true),
            ("days:1", 86_400_000, 0, true),
        ] {
            let control: TimeControl = text.parse().unwrap();
            let full = Remaining::full(control);
            let plain = Plain::of(control, full);
            let ms = Duration::from_millis;
            let expected = Plain {
                left: ms(left),
                increment: ms(increment),
                one_move,
            };
            assert_eq!(plain, expected, "{text}");
            assert!(plain.left <= full.total(control).unwrap(), "{text}");
        }
    }
}
