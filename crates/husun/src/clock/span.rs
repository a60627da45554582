//! Lengths of time as text: `90s`, `5m`, `1h30m`, `1.5s`, `250ms`, read strictly and printed canonically.
//! What the lengths are for, and which of them make sense together, is the time control's business.

use std::fmt;
use std::time::Duration;

/// The longest that any one countdown may be set to: a week. Slower games are correspondence.
pub const MAX_TIME: Duration = Duration::from_hours(168);

/// The units, longest first, with their length in milliseconds.
const UNITS: [(&str, u64); 4] = [("h", 3_600_000), ("m", 60_000), ("s", 1000), ("ms", 1)];

/// Why a text is not a length of time. Columns count characters from 1 within the text given.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DurationError {
    /// A number was expected.
    #[error(
        "column {column}: found {found:?}, expected a number with a unit, as in 1h30m, 90s or 250ms"
    )]
    Number {
        /// Where.
        column: usize,
        /// The text from there on, cut short.
        found: String,
    },
    /// A number is not followed by a known unit.
    #[error(
        "column {column}: found {found:?} after a number, expected one of the units h, m, s, ms"
    )]
    Unit {
        /// Where.
        column: usize,
        /// The unit as written, cut short; empty if it is missing.
        found: String,
    },
    /// Units do not go from the longest to the shortest.
    #[error(
        "column {column}: unit {unit:?} out of order, expected h, m, s, ms in this order, each at most once"
    )]
    Order {
        /// Where.
        column: usize,
        /// The unit that comes too late.
        unit: &'static str,
    },
    /// A fraction of a unit other than seconds, or one finer than a millisecond.
    #[error(
        "column {column}: fraction {found:?}, expected one to three digits, and only of seconds"
    )]
    Fraction {
        /// Where.
        column: usize,
        /// The digits after the decimal point, cut short.
        found: String,
    },
    /// More than [`MAX_TIME`].
    #[error("column {column}: more than the limit of {}h", MAX_TIME.as_secs() / 3600)]
    TooLong {
        /// Where the limit is passed.
        column: usize,
    },
}

impl DurationError {
    /// This error for a text that begins `by` characters into a longer one.
    pub(super) fn shifted(mut self, by: usize) -> Self {
        let (Self::Number { column, .. }
        | Self::Unit { column, .. }
        | Self::Order { column, .. }
        | Self::Fraction { column, .. }
        | Self::TooLong { column }) = &mut self;
        *column = column.saturating_add(by);
        self
    }
}

/// Reads a length of time: numbers with the units `h`, `m`, `s`, `ms`, longest first, each at most once,
/// without spaces or signs. Seconds may have a fraction of up to three digits. At most [`MAX_TIME`].
///
/// ```
/// use std::time::Duration;
/// use husun::clock::parse_duration;
///
/// assert_eq!(parse_duration("1h30m"), Ok(Duration::from_secs(5400)));
/// assert_eq!(parse_duration("120m"), Ok(Duration::from_secs(7200)));
/// assert_eq!(parse_duration("1.5s"), Ok(Duration::from_millis(1500)));
/// assert!(parse_duration("5").is_err());
/// assert!(parse_duration("30s1m").is_err());
/// ```
///
/// # Errors
///
/// A [`DurationError`] with the column of the first thing that is wrong.
pub fn parse_duration(text: &str) -> Result<Duration, DurationError> {
    let mut rest = text;
    let mut millis: u64 = 0;
    let mut units = UNITS.iter();
    loop {
        // only ASCII lies behind us, so bytes are characters
        let column = text.len() - rest.len() + 1;
        let (whole, after) = split_while(rest, |c| c.is_ascii_digit());
        if whole.is_empty() {
            return Err(DurationError::Number {
                column,
                found: excerpt(rest),
            });
        }
        let (fraction, after) = match after.strip_prefix('.') {
            Some(after) => {
                let (digits, after) = split_while(after, |c| c.is_ascii_digit());
                (Some(digits), after)
            }
            None => (None, after),
        };
        let (written, after) = split_while(after, char::is_alphabetic);
        let unit_column = text.len() - after.len() - written.len() + 1;
        let &(unit, size) = UNITS
            .iter()
            .find(|(unit, _)| *unit == written)
            .ok_or_else(|| DurationError::Unit {
                column: unit_column,
                found: excerpt(written),
            })?;
        if !units.any(|(next, _)| *next == unit) {
            return Err(DurationError::Order {
                column: unit_column,
                unit,
            });
        }
        let thousandths = match fraction {
            None => 0,
            Some(digits) if unit == "s" && (1..=3).contains(&digits.len()) => {
                format!("{digits:0<3}").parse().unwrap_or(0)
            }
            Some(digits) => {
                return Err(DurationError::Fraction {
                    column: column + whole.len(),
                    found: excerpt(digits),
                });
            }
        };
        millis = whole
            .parse::<u64>()
            .ok()
            .and_then(|n| {
                n.checked_mul(size)?
                    .checked_add(thousandths)?
                    .checked_add(millis)
            })
            .filter(|&sum| Duration::from_millis(sum) <= MAX_TIME)
            .ok_or(DurationError::TooLong { column })?;
        if after.is_empty() {
            return Ok(Duration::from_millis(millis));
        }
        rest = after;
    }
}

/// How a length of time is printed.
#[derive(Clone, Copy)]
pub(super) enum Shown {
    /// `120m`, `1m30s`, `45s`: for what a player starts with.
    Minutes(Duration),
    /// `60s`, `1.5s`: for what one move gets.
    Seconds(Duration),
}

impl fmt::Display for Shown {
    /// Exact down to the nanosecond, though only whole milliseconds are read back.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (minutes, time) = match *self {
            Self::Seconds(time) => (0, time),
            Self::Minutes(time) => {
                let minutes = time.as_secs() / 60;
                (
                    minutes,
                    time.saturating_sub(Duration::from_secs(minutes * 60)),
                )
            }
        };
        if minutes > 0 {
            write!(f, "{minutes}m")?;
        }
        match time.subsec_nanos() {
            0 if minutes > 0 && time.is_zero() => Ok(()),
            0 => write!(f, "{}s", time.as_secs()),
            nanos => {
                let digits = format!("{nanos:09}");
                write!(f, "{}.{}s", time.as_secs(), digits.trim_end_matches('0'))
            }
        }
    }
}

/// Splits off the longest prefix whose characters all satisfy `keep`.
pub(super) fn split_while(text: &str, keep: impl Fn(char) -> bool) -> (&str, &str) {
    text.split_at(text.find(|c| !keep(c)).unwrap_or(text.len()))
}

/// The start of a text, short enough for an error message.
pub(super) fn excerpt(text: &str) -> String {
    text.chars().take(24).collect()
}
