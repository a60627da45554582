//! A line of UCI as a command. What its words mean in a position is not decided here.

use engine::ClockSituation;
use husun::Side;
use husun::clock::{Remaining, TimeControl};
use std::time::Duration;

/// The longest time that is accepted; a longer one is cut to this.
const LONGEST: i64 = 1000 * 60 * 60 * 24 * 365;

/// The position from which the moves of `position` start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Start {
    /// The set-up.
    Setup,
    /// A position text.
    Fen(String),
}

/// What `go` asks for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Go {
    /// Depth in half-moves.
    pub depth: Option<u32>,
    /// Positions.
    pub nodes: Option<u64>,
    /// Time for the move.
    pub movetime: Option<Duration>,
    /// Time left of White and Black.
    pub time: [Option<Duration>; 2],
    /// Reserves of White and Black, on a Tiger clock.
    pub reserve: [Duration; 2],
    /// Byoyomi periods left of White and Black, including the current one.
    pub periods: [Option<u16>; 2],
    /// Increments of White and Black.
    pub increment: [Duration; 2],
    /// Moves to the next time control.
    pub moves_to_go: Option<u32>,
    /// Search until `stop`.
    pub infinite: bool,
    /// The opponent is to move: search until `stop` or, after `ponderhit`, as the clock demands.
    pub ponder: bool,
    /// A win in this many moves is enough.
    pub mate: Option<u32>,
    /// Moves to choose from; all if empty.
    pub searchmoves: Vec<String>,
    /// Count moves to this depth instead of searching.
    pub perft: Option<u32>,
    /// What could not be read and was left out.
    pub faults: Vec<CommandError>,
}

impl Go {
    /// The clock of a side: the named one, or time left and an increment.
    pub(crate) fn clock(&self, side: Side, named: Option<TimeControl>) -> Option<ClockSituation> {
        let i = side.index();
        let time = self.time[i]?;
        let Some(control) = named else {
            let (increment, moves) = (self.increment[i], self.moves_to_go);
            return Some(ClockSituation::fischer(time, increment, moves));
        };
        let remaining = match control {
            TimeControl::Tiger { .. } => Remaining::Tiger {
                engagement: time,
                reserve: self.reserve[i],
            },
            TimeControl::Fischer { .. } => Remaining::Fischer { time },
            TimeControl::Delay { delay, .. } => Remaining::Delay { time, delay },
            TimeControl::Byoyomi {
                periods, period, ..
            } => {
                let periods = self.periods[i].unwrap_or(periods).min(periods);
                Remaining::Byoyomi {
                    main: time,
                    period: if periods > 0 { period } else { Duration::ZERO },
                    periods,
                }
            }
            TimeControl::Correspondence { .. } => Remaining::Correspondence { time },
            TimeControl::None => Remaining::Unlimited,
        };
        Some(ClockSituation {
            control,
            remaining,
            moves_to_go: self.moves_to_go,
        })
    }

    /// Whether a limit is named, even a useless one: the other side's time, a word that cannot be read.
    pub(crate) fn names_a_limit(&self) -> bool {
        !self.faults.is_empty() || self.time.iter().any(Option::is_some)
    }
}

/// A command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Say who you are.
    Uci,
    /// Say when you are ready.
    IsReady,
    /// Another game begins.
    NewGame,
    /// Set an option.
    SetOption {
        /// Its name.
        name: String,
        /// Its value.
        value: Option<String>,
    },
    /// Set a position up and make moves.
    Position {
        /// From where.
        start: Start,
        /// The moves.
        moves: Vec<String>,
    },
    /// Search.
    Go(Box<Go>),
    /// The move pondered on was played.
    PonderHit,
    /// End the search.
    Stop,
    /// Show the position.
    Display,
    /// Judge the position without looking ahead.
    Eval,
    /// Search fixed positions to a depth.
    Bench(Option<u32>),
    /// Nothing to do: an empty line, or a command that needs no answer.
    Nothing,
    /// End.
    Quit,
}

/// Why a line is not a command.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CommandError {
    /// The first word is not a command.
    #[error("unknown command `{0}`")]
    Unknown(String),
    /// A number is missing or wrong.
    #[error("{command} {word}: `{found}`: expected a number from {low} to {high}")]
    Number {
        /// Which command.
        command: &'static str,
        /// Which word of it.
        word: String,
        /// What was read.
        found: String,
        /// Lowest.
        low: i64,
        /// Highest.
        high: i64,
    },
    /// A word that the command does not have.
    #[error("{command}: unknown word `{found}`: expected {expected}")]
    Word {
        /// Which command.
        command: &'static str,
        /// What was read.
        found: String,
        /// What was expected.
        expected: &'static str,
    },
    /// Something is missing.
    #[error("{command}: {expected} is missing")]
    Missing {
        /// Which command.
        command: &'static str,
        /// What is missing.
        expected: &'static str,
    },
}

impl CommandError {
    /// The command it is about, if it is a known one.
    pub(crate) fn command(&self) -> Option<&'static str> {
        match self {
            CommandError::Unknown(_) => None,
            CommandError::Number { command, .. }
            | CommandError::Word { command, .. }
            | CommandError::Missing { command, .. } => command.split(' ').next(),
        }
    }
}

/// Shortens what was read for a message, and keeps control characters out of it.
fn quote(text: &str) -> String {
    let shown = text.chars().map(|c| if c.is_control() { '?' } else { c });
    shown.take(40).collect()
}

/// Reads a line. `go` always gives a `go`, as its sender waits for a move: what is wrong with it is in its
/// [`Go::faults`].
///
/// ```
/// use husun_protocol::uci::{Command, parse};
/// let Command::Go(go) = parse("go depth 8 searchmoves e2e4 d2d4").unwrap() else {
///     panic!("another command");
/// };
/// assert_eq!((go.depth, go.searchmoves.len()), (Some(8), 2));
/// let error = parse("bench x").unwrap_err();
/// assert_eq!(error.to_string(), "bench depth: `x`: expected a number from 1 to 30");
/// ```
pub fn parse(line: &str) -> Result<Command, CommandError> {
    let mut words = line.split_whitespace();
    let Some(first) = words.next() else {
        return Ok(Command::Nothing);
    };
    let rest: Vec<&str> = words.collect();
    Ok(match first {
        "uci" => Command::Uci,
        "isready" => Command::IsReady,
        "ucinewgame" => Command::NewGame,
        "setoption" => set_option(&rest)?,
        "position" => position(&rest)?,
        "go" => Command::Go(Box::new(go(&rest))),
        "ponderhit" => Command::PonderHit,
        "stop" => Command::Stop,
        "d" => Command::Display,
        "eval" => Command::Eval,
        "bench" => {
            let mut words = Words::new("bench", &rest);
            Command::Bench(match rest.is_empty() {
                true => None,
                false => Some(words.number("depth", 1, 30)? as u32),
            })
        }
        "debug" | "register" => Command::Nothing,
        "quit" => Command::Quit,
        _ => return Err(CommandError::Unknown(quote(first))),
    })
}

fn set_option(words: &[&str]) -> Result<Command, CommandError> {
    let missing = |expected| CommandError::Missing {
        command: "setoption",
        expected,
    };
    let [word, rest @ ..] = words else {
        return Err(missing("`name` with a name"));
    };
    if *word != "name" {
        return Err(CommandError::Word {
            command: "setoption",
            found: quote(word),
            expected: "`name`",
        });
    }
    let value = rest.iter().position(|&w| w == "value");
    let name = rest[..value.unwrap_or(rest.len())].join(" ");
    if name.is_empty() {
        return Err(missing("the name"));
    }
    Ok(Command::SetOption {
        name,
        value: value.map(|i| rest[i + 1..].join(" ")),
    })
}

fn position(words: &[&str]) -> Result<Command, CommandError> {
    let moves = words.iter().position(|&w| w == "moves");
    let (start, moves) = match moves {
        Some(i) => (&words[..i], &words[i + 1..]),
        None => (words, &words[words.len()..]),
    };
    let start = match start {
        ["startpos"] => Start::Setup,
        ["startpos", word, ..] => {
            return Err(CommandError::Word {
                command: "position startpos",
                found: quote(word),
                expected: "`moves`",
            });
        }
        ["fen"] => {
            return Err(CommandError::Missing {
                command: "position fen",
                expected: "the position text",
            });
        }
        ["fen", fen @ ..] => Start::Fen(fen.join(" ")),
        [word, ..] => {
            return Err(CommandError::Word {
                command: "position",
                found: quote(word),
                expected: "`startpos` or `fen`",
            });
        }
        [] => {
            return Err(CommandError::Missing {
                command: "position",
                expected: "`startpos` or `fen`",
            });
        }
    };
    Ok(Command::Position {
        start,
        moves: moves.iter().map(|&m| m.into()).collect(),
    })
}

/// The words of a command, read one by one.
struct Words<'a> {
    command: &'static str,
    rest: &'a [&'a str],
}

impl<'a> Words<'a> {
    fn new(command: &'static str, rest: &'a [&'a str]) -> Words<'a> {
        Words { command, rest }
    }

    fn next(&mut self) -> Option<&'a str> {
        let (first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(first)
    }

    fn number(&mut self, word: &str, low: i64, high: i64) -> Result<i64, CommandError> {
        let next = self.rest.first().filter(|w| !GO_WORDS.contains(w));
        let found = next.and_then(|_| self.next()).unwrap_or("");
        let number = found.parse().ok().filter(|n| (low..=high).contains(n));
        number.ok_or_else(|| CommandError::Number {
            command: self.command,
            word: word.into(),
            found: quote(found),
            low,
            high,
        })
    }

    /// A time in milliseconds. A clock may be below zero.
    fn time(&mut self, word: &str) -> Result<Duration, CommandError> {
        let number = self.number(word, i64::MIN, i64::MAX)?;
        Ok(Duration::from_millis(number.clamp(0, LONGEST) as u64))
    }
}

const GO_WORDS: [&str; 17] = [
    "searchmoves",
    "ponder",
    "wtime",
    "btime",
    "winc",
    "binc",
    "wreserve",
    "breserve",
    "wperiods",
    "bperiods",
    "movestogo",
    "depth",
    "nodes",
    "mate",
    "movetime",
    "infinite",
    "perft",
];

fn go(rest: &[&str]) -> Go {
    let mut go = Go::default();
    let mut words = Words::new("go", rest);
    while let Some(word) = words.next() {
        if let Err(fault) = go_word(&mut go, word, &mut words) {
            go.faults.push(fault);
        }
    }
    go
}

fn go_word(go: &mut Go, word: &str, words: &mut Words) -> Result<(), CommandError> {
    match word {
        "infinite" => go.infinite = true,
        "ponder" => go.ponder = true,
        "depth" => go.depth = Some(words.number(word, 1, 1000)? as u32),
        "perft" => go.perft = Some(words.number(word, 0, 30)? as u32),
        "mate" => go.mate = Some(words.number(word, 1, 1000)? as u32),
        "nodes" => go.nodes = Some(words.number(word, 1, i64::MAX)? as u64),
        "movestogo" => {
            let number = words.number(word, 0, 100_000)? as u32;
            // Some programs say 0 where there is no further time control.
            go.moves_to_go = (number > 0).then_some(number);
        }
        "movetime" => go.movetime = Some(words.time(word)?),
        "wtime" => go.time[0] = Some(words.time(word)?),
        "btime" => go.time[1] = Some(words.time(word)?),
        "wreserve" => go.reserve[0] = words.time(word)?,
        "breserve" => go.reserve[1] = words.time(word)?,
        "wperiods" => go.periods[0] = Some(words.number(word, 0, 65_535)? as u16),
        "bperiods" => go.periods[1] = Some(words.number(word, 0, 65_535)? as u16),
        "winc" => go.increment[0] = words.time(word)?,
        "binc" => go.increment[1] = words.time(word)?,
        "searchmoves" => {
            let rest = words.rest;
            let end = rest.iter().position(|w| GO_WORDS.contains(w));
            let (moves, rest) = rest.split_at(end.unwrap_or(rest.len()));
            go.searchmoves = moves.iter().map(|&m| m.into()).collect();
            words.rest = rest;
        }
        _ => {
            return Err(CommandError::Word {
                command: "go",
                found: quote(word),
                expected: "depth, nodes, movetime, wtime, btime, winc, binc, wreserve, breserve, \
                           wperiods, bperiods, movestogo, infinite, ponder, mate, searchmoves or perft",
            });
        }
    }
    Ok(())
}
