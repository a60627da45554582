//! Chess clocks for two players as pure values: Tiger clock, Fischer, simple delay, byoyomi, correspondence.
//! An instant is the [`Duration`] since an origin that the caller chooses once (the Unix epoch, a test's zero).
//! No timers, no system time, no result of the game here: callers bring the instants and judge the flag.

mod control;
mod remaining;
mod span;
#[cfg(test)]
mod tests;

use std::time::Duration;

#[cfg(feature = "serde")]
use serde::{Deserialize, Serialize};

pub use self::control::{MAX_DAYS, MAX_PERIODS, TimeControl, TimeControlError};
pub use self::remaining::{Misfit, Remaining};
pub use self::span::{DurationError, MAX_TIME, parse_duration};
use crate::Side;

/// Why a clock refused what it was asked. The clock is then unchanged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ClockError {
    /// The side to move had no time left at the given instant.
    #[error("the flag of {side:?} fell at {}s on the caller's time line", .at.as_secs_f64())]
    Flagged {
        /// Whose flag it is.
        side: Side,
        /// The instant at which it fell.
        at: Duration,
    },
    /// The clock was asked to press or pause but nobody's time is running.
    #[error("the clock is {state}: expected a running clock")]
    NotRunning {
        /// `stopped` or `paused`.
        state: &'static str,
    },
    /// The clock was started a second time.
    #[error("the clock already stands at {side:?}'s move: expected a stopped clock")]
    AlreadyStarted {
        /// Whose turn it is.
        side: Side,
    },
    /// The clock was resumed while it was not paused.
    #[error("the clock is {state}: expected a paused clock")]
    NotPaused {
        /// `stopped` or `running`.
        state: &'static str,
    },
    /// The times given for a side are not possible under the time control.
    #[error("times for {side:?}: {reason}")]
    Misfit {
        /// The side they were given for.
        side: Side,
        /// What does not fit.
        reason: Misfit,
    },
}

/// What a completed move did to its mover's time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pressed {
    /// Who moved.
    pub side: Side,
    /// Time used for the move, pauses left out (what PGN writes as `[%emt]`).
    pub spent: Duration,
    /// Time that the completed move earned: a Fischer increment, or an addition to the Tiger reserve.
    pub added: Duration,
    /// What the mover has left for the next move, `added` included (`[%clk]` is its [`Remaining::total`]).
    pub left: Remaining,
}

/// The state of the clock in the game. Times in [`Clock::white`] and [`Clock::black`] are as of `since`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(
    feature = "serde",
    serde(rename_all = "snake_case", deny_unknown_fields)
)]
enum Phase {
    Stopped,
    Running {
        side: Side,
        since: Duration,
        spent: Duration,
    },
    Paused {
        side: Side,
        since: Duration,
        spent: Duration,
    },
}

impl Phase {
    const fn name(self) -> &'static str {
        match self {
            Self::Stopped => "stopped",
            Self::Running { .. } => "running",
            Self::Paused { .. } => "paused",
        }
    }
}

/// A clock for two players under one [`TimeControl`].
///
/// The clock is a plain value. Restoring a copy kept from before a move takes that move's time back
/// ([`Clock::restart_turn`] sets such a copy going again), and its serde form, which holds the control in its
/// text form and all times to the nanosecond, restores it after a restart of the program.
///
/// A flag falls at the instant at which all time is used up: [`Clock::deadline`] is that instant, and a
/// press exactly then is too late. An instant that lies before one the clock has already seen counts as no
/// time passed.
///
/// ```
/// use std::time::Duration;
/// use husun::Side;
/// use husun::clock::{Clock, Remaining, TimeControl};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let secs = Duration::from_secs;
/// let mut clock = Clock::new("tiger:120m+60s".parse()?)?;
/// clock.start(Side::White, secs(1000))?;
/// let pressed = clock.press(secs(1010))?;
/// assert_eq!(pressed.added, secs(60));
/// assert_eq!(pressed.left, Remaining::Tiger { engagement: secs(7190), reserve: secs(60) });
///
/// // Black has the two hours of engagement and no reserve yet.
/// assert_eq!(clock.deadline(), Some(secs(1010 + 7200)));
/// assert_eq!(clock.flagged(secs(1010 + 7200)), Some(Side::Black));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Record"))]
pub struct Clock {
    control: TimeControl,
    white: Remaining,
    black: Remaining,
    phase: Phase,
}

impl Clock {
    /// A stopped clock with full times on both sides.
    ///
    /// # Errors
    ///
    /// The reasons of [`TimeControl::check`].
    pub fn new(control: TimeControl) -> Result<Self, TimeControlError> {
        control.check()?;
        let full = Remaining::full(control);
        Ok(Self {
            control,
            white: full,
            black: full,
            phase: Phase::Stopped,
        })
    }

    /// The time control that the clock keeps.
    #[must_use]
    pub const fn control(&self) -> TimeControl {
        self.control
    }

    /// Whose move it is: the side whose time runs or is paused.
    #[must_use]
    pub const fn turn(&self) -> Option<Side> {
        match self.phase {
            Phase::Stopped => None,
            Phase::Running { side, .. } | Phase::Paused { side, .. } => Some(side),
        }
    }

    /// Whether the clock is paused within somebody's move.
    #[must_use]
    pub const fn is_paused(&self) -> bool {
        matches!(self.phase, Phase::Paused { .. })
    }

    /// Since when the time of the side to move has been running: its turn's beginning, or when it went on or was counted
    /// anew. `None` on a stopped or paused clock.
    #[must_use]
    pub const fn since(&self) -> Option<Duration> {
        match self.phase {
            Phase::Running { since, .. } => Some(since),
            Phase::Stopped | Phase::Paused { .. } => None,
        }
    }

    /// Sets the time of `side` running from `at`.
    ///
    /// # Errors
    ///
    /// [`ClockError::AlreadyStarted`] unless the clock is new or was stopped.
    pub fn start(&mut self, side: Side, at: Duration) -> Result<(), ClockError> {
        if let Some(side) = self.turn() {
            return Err(ClockError::AlreadyStarted { side });
        }
        self.phase = Phase::Running {
            side,
            since: at,
            spent: Duration::ZERO,
        };
        Ok(())
    }

    /// Records that the side to move completed its move at `at`, and sets the opponent's time running.
    ///
    /// # Errors
    ///
    /// [`ClockError::Flagged`] if the move came at or after the deadline, [`ClockError::NotRunning`] on a
    /// stopped or paused clock.
    pub fn press(&mut self, at: Duration) -> Result<Pressed, ClockError> {
        let (side, since, spent) = self.running(at)?;
        let elapsed = at.saturating_sub(since);
        let (left, added) = self
            .times(side)
            .run(elapsed, self.control)
            .complete(self.control);
        *self.times_mut(side) = left;
        self.phase = Phase::Running {
            side: side.opponent(),
            since: since.max(at),
            spent: Duration::ZERO,
        };
        Ok(Pressed {
            side,
            spent: spent.saturating_add(elapsed),
            added,
            left,
        })
    }

    /// Pauses the clock at `at`, within the move: what the move has used so far is kept.
    ///
    /// # Errors
    ///
    /// As [`Clock::press`].
    pub fn pause(&mut self, at: Duration) -> Result<(), ClockError> {
        let (side, since, spent) = self.running(at)?;
        let elapsed = at.saturating_sub(since);
        *self.times_mut(side) = self.times(side).run(elapsed, self.control);
        self.phase = Phase::Paused {
            side,
            since: since.max(at),
            spent: spent.saturating_add(elapsed),
        };
        Ok(())
    }

    /// Lets a paused clock run on from `at`.
    ///
    /// # Errors
    ///
    /// [`ClockError::NotPaused`] on a running or stopped clock.
    pub fn resume(&mut self, at: Duration) -> Result<(), ClockError> {
        let Phase::Paused { side, since, spent } = self.phase else {
            return Err(ClockError::NotPaused {
                state: self.phase.name(),
            });
        };
        self.phase = Phase::Running {
            side,
            since: since.max(at),
            spent,
        };
        Ok(())
    }

    /// Stops the clock at `at`, the end of the game. Both sides keep showing what they had left then.
    pub fn stop(&mut self, at: Duration) {
        if let Some(side) = self.turn() {
            *self.times_mut(side) = self.remaining(side, at);
        }
        self.phase = Phase::Stopped;
    }

    /// Counts the current turn from `at` on instead of from when it began (or was resumed).
    ///
    /// For a copy kept from before a move that is taken back: the time between then and `at` is charged to
    /// nobody. A paused clock stays paused, a stopped one stopped.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use husun::Side;
    /// # use husun::clock::{Clock, TimeControl};
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let secs = Duration::from_secs;
    /// let mut clock = Clock::new("fischer:5m+3s".parse()?)?;
    /// clock.start(Side::White, secs(0))?;
    /// let before = clock.clone();
    /// clock.press(secs(100))?;
    /// clock = before;
    /// clock.restart_turn(secs(120));
    /// assert_eq!(clock.turn(), Some(Side::White));
    /// assert_eq!(clock.deadline(), Some(secs(420)));
    /// # Ok(())
    /// # }
    /// ```
    pub const fn restart_turn(&mut self, at: Duration) {
        if let Phase::Running { since, .. } | Phase::Paused { since, .. } = &mut self.phase {
            *since = at;
        }
    }

    /// What `side` has left at `at`.
    #[must_use]
    pub fn remaining(&self, side: Side, at: Duration) -> Remaining {
        match self.phase {
            Phase::Running {
                side: turn, since, ..
            } if turn == side => self.times(side).run(at.saturating_sub(since), self.control),
            _ => self.times(side),
        }
    }

    /// Sets by hand what `side` has left, as of `at` if its time is running.
    ///
    /// # Errors
    ///
    /// [`ClockError::Misfit`] if the time control cannot show such times.
    pub fn set_remaining(
        &mut self,
        side: Side,
        left: Remaining,
        at: Duration,
    ) -> Result<(), ClockError> {
        left.fits(self.control)
            .map_err(|reason| ClockError::Misfit { side, reason })?;
        *self.times_mut(side) = left;
        if let Phase::Running {
            side: turn, since, ..
        } = &mut self.phase
            && *turn == side
        {
            *since = at.max(*since);
        }
        Ok(())
    }

    /// The instant at which the flag of the side whose time runs will fall, if nothing happens before.
    ///
    /// `None` on a stopped or paused clock and where there is no time limit.
    #[must_use]
    pub fn deadline(&self) -> Option<Duration> {
        let Phase::Running { side, since, .. } = self.phase else {
            return None;
        };
        let total = self.times(side).total(self.control)?;
        Some(since.saturating_add(total))
    }

    /// The side whose flag has fallen by `at`: only ever the side to move.
    #[must_use]
    pub fn flagged(&self, at: Duration) -> Option<Side> {
        self.turn()
            .filter(|&side| self.remaining(side, at).total(self.control) == Some(Duration::ZERO))
    }

    /// Side, since and spent of a running clock whose flag has not fallen.
    fn running(&self, at: Duration) -> Result<(Side, Duration, Duration), ClockError> {
        let Phase::Running { side, since, spent } = self.phase else {
            return Err(ClockError::NotRunning {
                state: self.phase.name(),
            });
        };
        match self.deadline() {
            Some(deadline) if self.flagged(at).is_some() => {
                Err(ClockError::Flagged { side, at: deadline })
            }
            _ => Ok((side, since, spent)),
        }
    }

    const fn times(&self, side: Side) -> Remaining {
        match side {
            Side::White => self.white,
            Side::Black => self.black,
        }
    }

    fn times_mut(&mut self, side: Side) -> &mut Remaining {
        match side {
            Side::White => &mut self.white,
            Side::Black => &mut self.black,
        }
    }
}

/// A [`Clock`] as stored, before its parts are checked against each other.
#[cfg(feature = "serde")]
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Record {
    control: TimeControl,
    white: Remaining,
    black: Remaining,
    phase: Phase,
}

#[cfg(feature = "serde")]
impl TryFrom<Record> for Clock {
    type Error = ClockError;

    fn try_from(record: Record) -> Result<Self, ClockError> {
        let Record {
            control,
            white,
            black,
            phase,
        } = record;
        for (side, left) in [(Side::White, white), (Side::Black, black)] {
            left.fits(control)
                .map_err(|reason| ClockError::Misfit { side, reason })?;
        }
        Ok(Self {
            control,
            white,
            black,
            phase,
        })
    }
}
