//! What one player has left, and how it runs: a pure function of the time left and the time that passes.
//! Whose turn it is and since when belongs to the clock.

use std::time::Duration;

#[cfg(feature = "serde")]
use serde::{Deserialize, Serialize};

use super::control::TimeControl;

/// What one player has left, with every countdown that the time control has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(
    feature = "serde",
    serde(rename_all = "snake_case", deny_unknown_fields)
)]
pub enum Remaining {
    /// Tiger clock.
    Tiger {
        /// Engagement time, which runs first.
        engagement: Duration,
        /// Reserve, which runs when there is no engagement time left.
        reserve: Duration,
    },
    /// Fischer.
    Fischer {
        /// Time for the game.
        time: Duration,
    },
    /// Simple delay.
    Delay {
        /// Time for the game.
        time: Duration,
        /// What is left of the delay in this move.
        delay: Duration,
    },
    /// Byoyomi.
    Byoyomi {
        /// Main time.
        main: Duration,
        /// What is left of the current period; a whole one while there is main time.
        period: Duration,
        /// Periods left, the current one included.
        periods: u16,
    },
    /// Correspondence.
    Correspondence {
        /// Time for this move.
        time: Duration,
    },
    /// No clock.
    Unlimited,
}

/// Why times are not possible under a time control.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Misfit {
    /// They belong to another kind of clock.
    #[error("they are of another kind of clock, expected those of {expected}")]
    Kind {
        /// The name of the clock in use.
        expected: &'static str,
    },
    /// A part that is refilled is fuller than full.
    #[error("{part} is {given:?}, the time control allows {limit:?}")]
    TooMuch {
        /// Which part.
        part: &'static str,
        /// As given.
        given: Duration,
        /// What it is when full.
        limit: Duration,
    },
    /// More periods than the time control gives.
    #[error("{given} periods, the time control gives {limit}")]
    Periods {
        /// As given.
        given: u16,
        /// What the time control gives.
        limit: u16,
    },
    /// Time in a period that does not exist, or a period without time.
    #[error(
        "{period:?} left of the current of {periods} periods, expected some time exactly when there are periods"
    )]
    EmptyPeriod {
        /// Periods as given.
        periods: u16,
        /// Time in the current one as given.
        period: Duration,
    },
}

impl Remaining {
    /// What a player has before the first move.
    ///
    /// ```
    /// use std::time::Duration;
    /// use husun::clock::{Remaining, TimeControl};
    ///
    /// let full = Remaining::full(TimeControl::TIGER_STANDARD);
    /// let engagement = Duration::from_secs(7200);
    /// assert_eq!(full, Remaining::Tiger { engagement, reserve: Duration::ZERO });
    /// ```
    #[must_use]
    pub const fn full(control: TimeControl) -> Self {
        match control {
            TimeControl::Tiger { engagement, .. } => Self::Tiger {
                engagement,
                reserve: Duration::ZERO,
            },
            TimeControl::Fischer { base, .. } => Self::Fischer { time: base },
            TimeControl::Delay { base, delay } => Self::Delay { time: base, delay },
            TimeControl::Byoyomi {
                base,
                periods,
                period,
            } => Self::Byoyomi {
                main: base,
                period,
                periods,
            },
            TimeControl::Correspondence { days } => Self::Correspondence {
                time: days_long(days),
            },
            TimeControl::None => Self::Unlimited,
        }
    }

    /// How long the player can think about this move before the flag falls; `None` if there is no limit.
    ///
    /// ```
    /// use std::time::Duration;
    /// use husun::clock::Remaining;
    ///
    /// let control = "byoyomi:10m+5x30s".parse()?;
    /// assert_eq!(Remaining::full(control).total(control), Some(Duration::from_secs(600 + 5 * 30)));
    /// # Ok::<(), husun::clock::TimeControlError>(())
    /// ```
    #[must_use]
    pub const fn total(self, control: TimeControl) -> Option<Duration> {
        Some(match self {
            Self::Tiger {
                engagement: first,
                reserve: then,
            }
            | Self::Delay {
                delay: first,
                time: then,
            } => first.saturating_add(then),
            Self::Fischer { time } | Self::Correspondence { time } => time,
            Self::Byoyomi {
                main,
                period,
                periods,
            } => {
                let whole = periods.saturating_sub(1) as u32;
                let later = period_length(control).saturating_mul(whole);
                main.saturating_add(period).saturating_add(later)
            }
            Self::Unlimited => return None,
        })
    }

    /// What is left after the player has thought for `elapsed`. Running in two steps equals running once.
    pub(super) fn run(self, elapsed: Duration, control: TimeControl) -> Self {
        match self {
            Self::Tiger {
                engagement,
                reserve,
            } => {
                // games/citadel9/rules.md: the reserve runs down from there, in the same move
                let (engagement, over) = spend(engagement, elapsed);
                let (reserve, _) = spend(reserve, over);
                Self::Tiger {
                    engagement,
                    reserve,
                }
            }
            Self::Fischer { time } => Self::Fischer {
                time: spend(time, elapsed).0,
            },
            Self::Delay { time, delay } => {
                let (delay, over) = spend(delay, elapsed);
                let (time, _) = spend(time, over);
                Self::Delay { time, delay }
            }
            Self::Byoyomi {
                main,
                mut period,
                mut periods,
            } => {
                let (main, mut over) = spend(main, elapsed);
                while periods > 0 && over >= period {
                    over = over.saturating_sub(period);
                    periods -= 1;
                    period = if periods > 0 {
                        period_length(control)
                    } else {
                        Duration::ZERO
                    };
                }
                let (period, _) = spend(period, over);
                Self::Byoyomi {
                    main,
                    period,
                    periods,
                }
            }
            Self::Correspondence { time } => Self::Correspondence {
                time: spend(time, elapsed).0,
            },
            Self::Unlimited => Self::Unlimited,
        }
    }

    /// What the player has for the next move once this one is completed, and how much of it was earned.
    pub(super) fn complete(self, control: TimeControl) -> (Self, Duration) {
        match (self, control) {
            // games/citadel9/rules.md: only a move completed in engagement time adds to the reserve
            (
                Self::Tiger {
                    engagement,
                    reserve,
                },
                TimeControl::Tiger {
                    reserve_per_move, ..
                },
            ) if !engagement.is_zero() => {
                let reserve = reserve.saturating_add(reserve_per_move);
                (
                    Self::Tiger {
                        engagement,
                        reserve,
                    },
                    reserve_per_move,
                )
            }
            (Self::Fischer { time }, TimeControl::Fischer { increment, .. }) => {
                let time = time.saturating_add(increment);
                (Self::Fischer { time }, increment)
            }
            (Self::Delay { time, .. }, TimeControl::Delay { delay, .. }) => {
                (Self::Delay { time, delay }, Duration::ZERO)
            }
            (Self::Byoyomi { main, periods, .. }, TimeControl::Byoyomi { period, .. })
                if periods > 0 =>
            {
                let left = Self::Byoyomi {
                    main,
                    period,
                    periods,
                };
                (left, Duration::ZERO)
            }
            (Self::Correspondence { .. }, TimeControl::Correspondence { .. }) => {
                (Self::full(control), Duration::ZERO)
            }
            _ => (self, Duration::ZERO),
        }
    }

    /// Whether a clock with this control can show these times.
    pub(super) fn fits(self, control: TimeControl) -> Result<(), Misfit> {
        match (self, control) {
            (Self::Tiger { .. }, TimeControl::Tiger { .. })
            | (Self::Fischer { .. }, TimeControl::Fischer { .. })
            | (Self::Unlimited, TimeControl::None) => Ok(()),
            (Self::Delay { delay, .. }, TimeControl::Delay { delay: limit, .. }) => {
                at_most("delay", delay, limit)
            }
            (
                Self::Byoyomi {
                    period, periods, ..
                },
                TimeControl::Byoyomi {
                    periods: most,
                    period: limit,
                    ..
                },
            ) => {
                if periods > most {
                    let (given, limit) = (periods, most);
                    return Err(Misfit::Periods { given, limit });
                }
                if period.is_zero() != (periods == 0) {
                    return Err(Misfit::EmptyPeriod { periods, period });
                }
                at_most("period", period, limit)
            }
            (Self::Correspondence { time }, TimeControl::Correspondence { days }) => {
                at_most("time for the move", time, days_long(days))
            }
            _ => Err(Misfit::Kind {
                expected: control.name(),
            }),
        }
    }
}

/// What is left of `time`, and how much of `elapsed` it did not cover.
const fn spend(time: Duration, elapsed: Duration) -> (Duration, Duration) {
    (time.saturating_sub(elapsed), elapsed.saturating_sub(time))
}

const fn at_most(part: &'static str, given: Duration, limit: Duration) -> Result<(), Misfit> {
    if given.as_nanos() <= limit.as_nanos() {
        Ok(())
    } else {
        Err(Misfit::TooMuch { part, given, limit })
    }
}

const fn period_length(control: TimeControl) -> Duration {
    match control {
        TimeControl::Byoyomi { period, .. } => period,
        _ => Duration::ZERO,
    }
}

const fn days_long(days: u16) -> Duration {
    Duration::from_secs(days as u64 * 24 * 60 * 60)
}
