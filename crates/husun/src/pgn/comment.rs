//! Comments: their words, and the commands in them (`[%clk 1:02:03]`) split off.
//! Where comments stand in a game, and how their lines are broken, is elsewhere.

use std::fmt;
use std::time::Duration;

/// A comment, `{...}` or `;...`, with its commands taken out of the text.
///
/// Runs of spaces and line breaks count as one space. From the first `[%` that is not a well-formed command
/// (`[%name value]`) on, everything is text.
///
/// ```
/// use std::time::Duration;
/// use husun::pgn::Comment;
///
/// let comment = Comment::new("[%clk 1:02:03.5] [%eval -0.7,18] Too slow.");
/// assert_eq!(comment.text, "Too slow.");
/// assert_eq!(comment.clk, Some(Duration::from_millis(3_723_500)));
/// assert_eq!(comment.commands[0].value, "-0.7,18");
/// assert_eq!(comment.to_string(), "[%clk 1:02:03.5] [%eval -0.7,18] Too slow.");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Comment {
    /// The text without commands, words separated by single spaces.
    pub text: String,
    /// `[%clk ...]`: what the player had left after the move.
    pub clk: Option<Duration>,
    /// `[%emt ...]`: what the move took.
    pub emt: Option<Duration>,
    /// All other commands in order, and any `clk` or `emt` that is not a time or comes a second time.
    pub commands: Vec<Command>,
}

/// A command in a comment that is kept as it is: `[%eval -0.7,18]`, `[%cal Ga1b2]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    /// Letters, digits and underscores: `eval`.
    pub name: String,
    /// What follows the name: `-0.7,18`. May be empty.
    pub value: String,
}

impl Comment {
    /// The comment that stands as `raw` in a PGN text, between the braces.
    #[must_use]
    pub fn new(raw: &str) -> Self {
        let mut comment = Self::default();
        let mut words: Vec<&str> = Vec::new();
        let mut rest = raw;
        while let Some((before, name, value, after)) = next_command(rest) {
            words.extend(before.split_ascii_whitespace());
            comment.add_command(name, value);
            rest = after;
        }
        words.extend(rest.split_ascii_whitespace());
        comment.text = words.join(" ");
        comment
    }

    /// A comment that says only what was left on the clock after the move.
    #[must_use]
    pub fn with_clk(left: Duration) -> Self {
        Self {
            clk: Some(left),
            ..Self::default()
        }
    }

    fn add_command(&mut self, name: &str, value: &str) {
        let slot = match name {
            "clk" => Some(&mut self.clk),
            "emt" => Some(&mut self.emt),
            _ => None,
        };
        if let Some(slot @ None) = slot
            && let Some(time) = read_time(value)
        {
            *slot = Some(time);
            return;
        }
        let words: Vec<_> = value.split_ascii_whitespace().collect();
        self.commands.push(Command {
            name: name.to_owned(),
            value: words.join(" "),
        });
    }

    /// The commands and then the words, each to stay unbroken when the comment spans several lines.
    pub(super) fn units(&self) -> Vec<String> {
        let times = [("clk", self.clk), ("emt", self.emt)];
        let times = times
            .iter()
            .filter_map(|&(name, time)| Some(format!("[%{name} {}]", ShownTime(time?))));
        let commands = self.commands.iter().map(Command::to_string);
        let words = self.text.split_ascii_whitespace().map(str::to_owned);
        times.chain(commands).chain(words).collect()
    }
}

impl fmt::Display for Comment {
    /// What stands between the braces.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.units().join(" "))
    }
}

impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.value.as_str() {
            "" => write!(f, "[%{}]", self.name),
            value => write!(f, "[%{} {value}]", self.name),
        }
    }
}

/// Splits a text at its next command: what is before it, name, value, what is after it. `None` if there is
/// none, or if something that is not a command comes first: if the search went on past that, taking a later
/// command out could make a new one of what is around it.
fn next_command(text: &str) -> Option<(&str, &str, &str, &str)> {
    let (before, inside) = text.split_once("[%")?;
    let end = inside
        .find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
        .filter(|&end| end > 0)?;
    let (name, rest) = inside.split_at(end);
    if !rest.starts_with(|c: char| c == ']' || c.is_ascii_whitespace()) {
        return None;
    }
    let (value, after) = rest.split_once(']')?;
    Some((before, name, value, after))
}

/// Reads `h:mm:ss` or `m:ss`, seconds with a fraction of up to nine digits if need be.
fn read_time(text: &str) -> Option<Duration> {
    let (clock, fraction) = match text.trim_ascii().split_once('.') {
        Some((clock, fraction)) => (clock, fraction),
        None => (text.trim_ascii(), ""),
    };
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if fraction.len() > 9 || !digits(fraction) {
        return None;
    }
    let mut seconds: u64 = 0;
    let mut parts = 0;
    for part in clock.split(':') {
        let figure = Some(part)
            .filter(|part| digits(part))?
            .parse::<u64>()
            .ok()?;
        // only the leading figure may be any number and any length
        if parts > 0 && (part.len() != 2 || figure > 59) {
            return None;
        }
        seconds = seconds.checked_mul(60)?.checked_add(figure)?;
        parts += 1;
    }
    let nanos = format!("{fraction:0<9}").parse().ok()?;
    (2..=3)
        .contains(&parts)
        .then(|| Duration::new(seconds, nanos))
}

/// A time as `h:mm:ss`, with as many digits of a fraction as it needs.
struct ShownTime(Duration);

impl fmt::Display for ShownTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.0.as_secs();
        let (hours, minutes) = (seconds / 3600, seconds / 60 % 60);
        write!(f, "{hours}:{minutes:02}:{:02}", seconds % 60)?;
        match self.0.subsec_nanos() {
            0 => Ok(()),
            nanos => {
                let digits = format!("{nanos:09}");
                write!(f, ".{}", digits.trim_end_matches('0'))
            }
        }
    }
}
