//! Time controls: the kinds of clock, their parameters and their text form (`tiger:120m+60s`, also read from
//! `tiger 120+60`).
//! How time runs under them is in `remaining.rs`.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

#[cfg(feature = "serde")]
use serde::{Deserialize, Serialize};

use super::span::{DurationError, MAX_TIME, Shown, excerpt, parse_duration, split_while};

/// The most byoyomi periods.
pub const MAX_PERIODS: u16 = 100;

/// The most days for a correspondence move.
pub const MAX_DAYS: u16 = 365;

/// How much time the players get (the Tiger clock: games/citadel9/rules.md; all forms: docs/game-file.md).
///
/// Times are whole milliseconds, at most [`MAX_TIME`] each, and a player has some time at the start. The
/// text form, which is also the serde form, is strict:
///
/// | text | clock |
/// | --- | --- |
/// | `tiger:120m+60s` | engagement, then reserve for each move completed in engagement time |
/// | `fischer:5m+3s` | time, then increment for each completed move |
/// | `delay:5m+2s` | time, then delay before it runs in each move |
/// | `byoyomi:10m+5x30s` | time, then periods and the length of one |
/// | `days:3` | days for each move |
/// | `none` | no clock |
///
/// Lengths are read by [`parse_duration`](super::parse_duration). The short form that players write has no units:
/// `tiger 120+60` or `byoyomi 10+5x30` give minutes for the game and seconds for a move, and a space may stand for the
/// colon. What a player starts with is printed in minutes and seconds, what a move gets in seconds, so
/// `fischer:1h30m+1m` prints as `fischer:90m+60s`.
///
/// ```
/// use husun::clock::TimeControl;
///
/// let control: TimeControl = "tiger:120m+60s".parse()?;
/// assert_eq!(control, TimeControl::TIGER_STANDARD);
/// assert_eq!(control.to_string(), "tiger:120m+60s");
/// let error = "fischer:5m+3".parse::<TimeControl>().unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "increment: column 13: found \"\" after a number, expected one of the units h, m, s, ms"
/// );
/// # Ok::<(), husun::clock::TimeControlError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "serde", serde(into = "String", try_from = "String"))]
pub enum TimeControl {
    /// Tiger clock, a double countdown.
    Tiger {
        /// Engagement time for the game.
        engagement: Duration,
        /// What each move completed in engagement time adds to the reserve, which starts empty.
        reserve_per_move: Duration,
    },
    /// Fischer: an increment after each move.
    Fischer {
        /// Time for the game.
        base: Duration,
        /// Added after each completed move.
        increment: Duration,
    },
    /// Simple delay: in each move the time runs only after the delay. Unused delay is not kept.
    Delay {
        /// Time for the game.
        base: Duration,
        /// Free time in each move.
        delay: Duration,
    },
    /// Byoyomi: main time, then a stock of periods; a move uses up only the periods it outlasts.
    Byoyomi {
        /// Main time.
        base: Duration,
        /// How many periods, 1 to [`MAX_PERIODS`].
        periods: u16,
        /// Length of a period.
        period: Duration,
    },
    /// A number of days for each move.
    Correspondence {
        /// 1 to [`MAX_DAYS`].
        days: u16,
    },
    /// No clock.
    None,
}

/// Why a text is not a time control, or why its figures make no sense. Columns count characters from 1.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TimeControlError {
    /// The word before the colon is not the name of a clock.
    #[error(
        "column 1: unknown clock {found:?}, expected tiger, fischer, delay, byoyomi, days or none"
    )]
    UnknownClock {
        /// The word, cut short.
        found: String,
    },
    /// Something else stands where the form requires a certain sign.
    #[error("column {column}: found {found:?}, expected {expected}, as in {example}")]
    Form {
        /// Where.
        column: usize,
        /// The text from there on, cut short.
        found: String,
        /// What was expected there.
        expected: &'static str,
        /// A correct time control of this kind.
        example: &'static str,
    },
    /// One of the lengths of time cannot be read.
    #[error("{part}: {reason}")]
    Duration {
        /// Which one.
        part: &'static str,
        /// What is wrong with it, with the column in the whole text.
        reason: DurationError,
    },
    /// A count is out of its range.
    #[error("{given} {part}, expected 1 to {max}")]
    Count {
        /// `days` or `periods`.
        part: &'static str,
        /// As given.
        given: String,
        /// The most.
        max: u16,
    },
    /// A length of time is zero but must not be.
    #[error("{part} is zero, expected some time")]
    Zero {
        /// Which one.
        part: &'static str,
    },
    /// A length of time is above the limit.
    #[error("{part} is {}s, the limit is {}s", .given.as_secs(), MAX_TIME.as_secs())]
    TooLong {
        /// Which one.
        part: &'static str,
        /// As given.
        given: Duration,
    },
    /// A length of time is not a whole number of milliseconds.
    #[error("{part} is {given:?}, expected whole milliseconds")]
    TooFine {
        /// Which one.
        part: &'static str,
        /// As given.
        given: Duration,
    },
}

/// The kinds of clock without their parameters.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Tiger,
    Fischer,
    Delay,
    Byoyomi,
    Correspondence,
    None,
}

/// Every clock with its name in the text form and an example for messages.
const KINDS: [(Kind, &str, &str); 6] = [
    (Kind::Tiger, "tiger", "tiger:120m+60s"),
    (Kind::Fischer, "fischer", "fischer:5m+3s"),
    (Kind::Delay, "delay", "delay:5m+2s"),
    (Kind::Byoyomi, "byoyomi", "byoyomi:10m+5x30s"),
    (Kind::Correspondence, "days", "days:3"),
    (Kind::None, "none", "none"),
];

impl TimeControl {
    /// The standard Tiger clock: 120 minutes and 60 seconds a move.
    pub const TIGER_STANDARD: Self = Self::Tiger {
        engagement: Duration::from_hours(2),
        reserve_per_move: Duration::from_mins(1),
    };

    /// Whether the figures make sense. A control read from text has been checked already.
    ///
    /// # Errors
    ///
    /// [`TimeControlError::Count`], [`Zero`](TimeControlError::Zero),
    /// [`TooLong`](TimeControlError::TooLong) or [`TooFine`](TimeControlError::TooFine).
    pub fn check(&self) -> Result<(), TimeControlError> {
        match *self {
            Self::Tiger {
                engagement,
                reserve_per_move,
            } => {
                needed("engagement", engagement)?;
                length("reserve", reserve_per_move)
            }
            Self::Fischer { base, increment } => {
                needed("base", base)?;
                length("increment", increment)
            }
            Self::Delay { base, delay } => {
                length("base", base)?;
                length("delay", delay)?;
                // a delay alone is a fixed time for each move
                needed("base and delay together", base.max(delay))
            }
            Self::Byoyomi {
                base,
                periods,
                period,
            } => {
                length("base", base)?;
                count("periods", periods, MAX_PERIODS)?;
                needed("period", period)
            }
            Self::Correspondence { days } => count("days", days, MAX_DAYS),
            Self::None => Ok(()),
        }
    }

    const fn kind(self) -> Kind {
        match self {
            Self::Tiger { .. } => Kind::Tiger,
            Self::Fischer { .. } => Kind::Fischer,
            Self::Delay { .. } => Kind::Delay,
            Self::Byoyomi { .. } => Kind::Byoyomi,
            Self::Correspondence { .. } => Kind::Correspondence,
            Self::None => Kind::None,
        }
    }

    /// The name of the clock in the text form: `tiger`, `fischer`, `delay`, `byoyomi`, `days`, `none`.
    #[must_use]
    pub fn name(self) -> &'static str {
        let row = KINDS.iter().find(|(kind, ..)| *kind == self.kind());
        row.map_or("none", |(_, name, _)| name)
    }
}

fn length(part: &'static str, given: Duration) -> Result<(), TimeControlError> {
    if given > MAX_TIME {
        return Err(TimeControlError::TooLong { part, given });
    }
    if !given.subsec_nanos().is_multiple_of(1_000_000) {
        return Err(TimeControlError::TooFine { part, given });
    }
    Ok(())
}

fn needed(part: &'static str, given: Duration) -> Result<(), TimeControlError> {
    if given.is_zero() {
        return Err(TimeControlError::Zero { part });
    }
    length(part, given)
}

fn count(part: &'static str, given: u16, max: u16) -> Result<(), TimeControlError> {
    if (1..=max).contains(&given) {
        return Ok(());
    }
    Err(TimeControlError::Count {
        part,
        given: given.to_string(),
        max,
    })
}

impl fmt::Display for TimeControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use Shown::{Minutes, Seconds};
        f.write_str(self.name())?;
        match *self {
            Self::Tiger {
                engagement: base,
                reserve_per_move: each,
            }
            | Self::Fischer {
                base,
                increment: each,
            }
            | Self::Delay { base, delay: each } => {
                write!(f, ":{}+{}", Minutes(base), Seconds(each))
            }
            Self::Byoyomi {
                base,
                periods,
                period,
            } => write!(f, ":{}+{periods}x{}", Minutes(base), Seconds(period)),
            Self::Correspondence { days } => write!(f, ":{days}"),
            Self::None => Ok(()),
        }
    }
}

impl From<TimeControl> for String {
    fn from(control: TimeControl) -> Self {
        control.to_string()
    }
}

impl TryFrom<String> for TimeControl {
    type Error = TimeControlError;

    fn try_from(text: String) -> Result<Self, TimeControlError> {
        text.parse()
    }
}

impl FromStr for TimeControl {
    type Err = TimeControlError;

    fn from_str(text: &str) -> Result<Self, TimeControlError> {
        let (word, _) = split_while(text, |c| c != ':');
        let word = match word.split_once(' ') {
            Some((name, figures)) if figures.starts_with(|c: char| c.is_ascii_digit()) => name,
            _ => word,
        };
        let &(kind, name, example) =
            KINDS
                .iter()
                .find(|(_, name, _)| *name == word)
                .ok_or_else(|| TimeControlError::UnknownClock {
                    found: excerpt(word),
                })?;
        let figures = text.get(name.len()..).unwrap_or_default();
        let mut parts = Parts {
            text,
            at: name.len(),
            example,
            bare: !figures.contains(|c: char| c.is_alphabetic() && c != 'x'),
        };
        let control = match kind {
            Kind::Tiger => Self::Tiger {
                engagement: parts.duration(":", "engagement")?,
                reserve_per_move: parts.duration("+", "reserve")?,
            },
            Kind::Fischer => Self::Fischer {
                base: parts.duration(":", "base")?,
                increment: parts.duration("+", "increment")?,
            },
            Kind::Delay => Self::Delay {
                base: parts.duration(":", "base")?,
                delay: parts.duration("+", "delay")?,
            },
            Kind::Byoyomi => Self::Byoyomi {
                base: parts.duration(":", "base")?,
                periods: parts.count("+", "periods", MAX_PERIODS)?,
                period: parts.duration("x", "period")?,
            },
            Kind::Correspondence => Self::Correspondence {
                days: parts.count(":", "days", MAX_DAYS)?,
            },
            Kind::None => Self::None,
        };
        parts.end()?;
        control.check()?;
        Ok(control)
    }
}

/// The text of a time control, read from `at` on. Everything before `at` is ASCII, so bytes are characters.
struct Parts<'a> {
    text: &'a str,
    at: usize,
    example: &'static str,
    /// Whether no length has a unit.
    bare: bool,
}

impl<'a> Parts<'a> {
    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn form(&self, expected: &'static str) -> TimeControlError {
        TimeControlError::Form {
            column: self.at + 1,
            found: excerpt(self.rest()),
            expected,
            example: self.example,
        }
    }

    fn sign(&mut self, sign: &'static str) -> Result<(), TimeControlError> {
        let spaced = sign == ":" && self.rest().starts_with(' ');
        if !spaced && !self.rest().starts_with(sign) {
            return Err(self.form(sign));
        }
        self.at += sign.len();
        Ok(())
    }

    fn duration(
        &mut self,
        sign: &'static str,
        part: &'static str,
    ) -> Result<Duration, TimeControlError> {
        self.sign(sign)?;
        let (word, _) = split_while(self.rest(), |c| c != '+');
        let unit = match sign {
            _ if !self.bare || word.is_empty() => "",
            ":" => "m",
            _ => "s",
        };
        let time = parse_duration(&format!("{word}{unit}")).map_err(|reason| {
            TimeControlError::Duration {
                part,
                reason: reason.shifted(self.at),
            }
        })?;
        self.at += word.len();
        Ok(time)
    }

    fn count(
        &mut self,
        sign: &'static str,
        part: &'static str,
        max: u16,
    ) -> Result<u16, TimeControlError> {
        self.sign(sign)?;
        let (digits, _) = split_while(self.rest(), |c| c.is_ascii_digit());
        if digits.is_empty() {
            return Err(self.form("a whole number"));
        }
        self.at += digits.len();
        digits.parse().map_err(|_| TimeControlError::Count {
            part,
            given: excerpt(digits),
            max,
        })
    }

    fn end(&self) -> Result<(), TimeControlError> {
        if self.rest().is_empty() {
            return Ok(());
        }
        Err(self.form("nothing more"))
    }
}
