//! A line of XBoard as a command. What its words mean in a position is not decided here.

use std::time::Duration;

/// The longest time that is accepted, in seconds.
const LONGEST: f64 = 31_536_000.0;

/// A command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Say what you can do.
    Protover,
    /// A new game of chess.
    New,
    /// The new game is another variant.
    Variant(String),
    /// Play neither side.
    Force,
    /// Play the side to move.
    Go,
    /// Play the side that is not to move.
    PlayOther,
    /// The clocks: moves to a time control (0 for the whole game), its time, the increment.
    Level {
        /// Moves to a time control.
        moves: u32,
        /// Time for them.
        base: Duration,
        /// Added for each move.
        increment: Duration,
    },
    /// Time for each move.
    St(Duration),
    /// Depth of each search.
    Sd(u32),
    /// The engine's clock.
    Time(Duration),
    /// The opponent's clock.
    OpponentTime(Duration),
    /// A move of the opponent's, or one of a game being entered.
    Move(String),
    /// Move at once.
    MoveNow,
    /// Answer when everything before is done.
    Ping(String),
    /// The opponent offers a draw.
    Draw,
    /// The game is over.
    Result,
    /// Set a position up.
    SetBoard(String),
    /// Suggest a move.
    Hint,
    /// Show the book.
    Book,
    /// Take one move back.
    Undo,
    /// Take two moves back.
    Remove,
    /// Think on the opponent's time, or do not.
    Ponder(bool),
    /// Show the engine's thinking, or do not.
    Post(bool),
    /// Analyse.
    Analyze,
    /// End the analysis.
    Exit,
    /// Say how far the analysis has come.
    Status,
    /// Mebibytes that may be used.
    Memory(String),
    /// Threads that may be used.
    Cores(String),
    /// Where tables of perfect play are.
    Tables {
        /// Which kind of tables.
        kind: String,
        /// The folder.
        folder: String,
    },
    /// Set an option.
    Option {
        /// Its name.
        name: String,
        /// Its value.
        value: Option<String>,
    },
    /// A piece is picked up.
    Lift(String),
    /// It is put down.
    Put(String),
    /// It is held over a square that is marked red.
    Hover(String),
    /// End.
    Quit,
    /// The opponent is a program.
    Computer,
    /// Nothing to do.
    Nothing,
}

/// Why a line is not a command.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CommandError {
    /// The first word is not a command.
    #[error("Error (unknown command): {0}")]
    Unknown(String),
    /// Its arguments are wrong.
    #[error("Error (expected {expected}): {line}")]
    Argument {
        /// The line.
        line: String,
        /// What was expected.
        expected: &'static str,
    },
}

/// Commands that other programs send and that need no answer.
const SILENT: [&str; 19] = [
    "xboard", "accepted", "rejected", "random", "name", "rating", "ics", "nps", "pause", "resume",
    "white", "black", "partner", "ptell", "holding", "include", "exclude", "setscore", "debug",
];

/// Commands without arguments.
const PLAIN: [(&str, Command); 19] = [
    ("new", Command::New),
    ("force", Command::Force),
    ("go", Command::Go),
    ("playother", Command::PlayOther),
    ("?", Command::MoveNow),
    ("draw", Command::Draw),
    ("hint", Command::Hint),
    ("undo", Command::Undo),
    ("remove", Command::Remove),
    ("hard", Command::Ponder(true)),
    ("easy", Command::Ponder(false)),
    ("post", Command::Post(true)),
    ("nopost", Command::Post(false)),
    ("analyze", Command::Analyze),
    ("exit", Command::Exit),
    (".", Command::Status),
    ("quit", Command::Quit),
    ("computer", Command::Computer),
    ("bk", Command::Book),
];

/// Shortens what was read for a message, and keeps control characters out of it.
pub(crate) fn quote(text: &str) -> String {
    let shown = text.chars().map(|c| if c.is_control() { '?' } else { c });
    shown.take(60).collect()
}

/// Reads a line.
///
/// ```
/// use husun_protocol::xboard::{Command, parse};
/// use std::time::Duration;
/// let level = Command::Level {
///     moves: 40,
///     base: Duration::from_secs(30),
///     increment: Duration::ZERO,
/// };
/// assert_eq!(parse("level 40 0:30 0"), Ok(level));
/// assert_eq!(parse("e2e4"), Ok(Command::Move("e2e4".into())));
/// let error = parse("hello there").unwrap_err();
/// assert_eq!(error.to_string(), "Error (unknown command): hello there");
/// ```
pub fn parse(line: &str) -> Result<Command, CommandError> {
    let line = line.trim();
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let rest = rest.trim();
    let wrong = |expected| CommandError::Argument {
        line: quote(line),
        expected,
    };
    if let Some((_, command)) = PLAIN.iter().find(|(name, _)| *name == word) {
        return Ok(command.clone());
    }
    if word.is_empty() || SILENT.contains(&word) {
        return Ok(Command::Nothing);
    }
    let clock = || {
        let hundredths: f64 = rest.parse().map_err(|_| wrong("hundredths of a second"))?;
        Ok(seconds(hundredths / 100.0))
    };
    Ok(match word {
        "protover" => Command::Protover,
        "variant" => Command::Variant(rest.into()),
        "level" => level(rest).ok_or_else(|| wrong("moves, minutes and an increment"))?,
        "st" => Command::St(minutes(rest, 1.0).ok_or_else(|| wrong("seconds"))?),
        "sd" => {
            let depth = rest.parse().ok().filter(|d| (1..=1000).contains(d));
            Command::Sd(depth.ok_or_else(|| wrong("a depth from 1 to 1000"))?)
        }
        "time" => Command::Time(clock()?),
        "otim" => Command::OpponentTime(clock()?),
        "usermove" => Command::Move(rest.into()),
        "ping" => Command::Ping(quote(rest)),
        "result" => Command::Result,
        "setboard" => Command::SetBoard(rest.into()),
        "memory" => Command::Memory(rest.into()),
        "cores" => Command::Cores(rest.into()),
        "egtpath" => {
            let (kind, folder) = rest.split_once(' ').unwrap_or((rest, ""));
            Command::Tables {
                kind: quote(kind),
                folder: folder.trim().into(),
            }
        }
        "option" => option(rest),
        "lift" => Command::Lift(rest.into()),
        "put" => Command::Put(rest.into()),
        "hover" => Command::Hover(rest.into()),
        _ if rest.is_empty() && is_move(word) => Command::Move(word.into()),
        _ => return Err(CommandError::Unknown(quote(line))),
    })
}

fn option(rest: &str) -> Command {
    match rest.split_once('=') {
        Some((name, value)) => Command::Option {
            name: name.trim().into(),
            value: Some(value.into()),
        },
        None => Command::Option {
            name: rest.into(),
            value: None,
        },
    }
}

/// Whether a word looks like a move: a file, a rank, a file, a rank and perhaps a letter.
fn is_move(word: &str) -> bool {
    let mut groups = 0;
    let mut last_digit = false;
    for c in word.chars() {
        match c {
            'a'..='z' if !last_digit && groups > 0 => return false,
            'a'..='z' => {
                groups += 1;
                last_digit = false;
            }
            '0'..='9' if groups > 0 => last_digit = true,
            '=' if groups > 1 => {}
            _ => return false,
        }
    }
    (2..=3).contains(&groups) && (groups == 3 || last_digit || word.ends_with('='))
}

fn seconds(number: f64) -> Duration {
    let number = if number.is_finite() { number } else { 0.0 };
    Duration::from_secs_f64(number.clamp(0.0, LONGEST))
}

/// `5`, `0:30` or `2.5`, in a unit given in seconds; after a colon always seconds.
fn minutes(text: &str, unit: f64) -> Option<Duration> {
    let (whole, rest) = text.split_once(':').unwrap_or((text, "0"));
    let whole: f64 = whole.parse().ok()?;
    let rest: f64 = rest.parse().ok()?;
    Some(match text.contains(':') {
        true => seconds(whole * 60.0 + rest),
        false => seconds(whole * unit),
    })
}

fn level(rest: &str) -> Option<Command> {
    let mut words = rest.split_whitespace();
    Some(Command::Level {
        moves: words.next()?.parse().ok().filter(|m| *m <= 10_000)?,
        base: minutes(words.next()?, 60.0)?,
        increment: seconds(words.next().unwrap_or("0").parse().ok()?),
    })
}
