//! What the command line says about the engines and their time.

use anyhow::{Context, Result, anyhow, ensure};
use husun::clock::TimeControl;
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

/// The protocol that an engine speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    Uci,
    XBoard,
}

impl Protocol {
    pub const NAMES: [(Protocol, &'static str); 2] =
        [(Protocol::Uci, "uci"), (Protocol::XBoard, "xboard")];

    /// Its name before a command.
    pub fn name(self) -> &'static str {
        let named = Protocol::NAMES.iter().find(|(other, _)| *other == self);
        named.map_or("", |(_, name)| name)
    }
}

/// An engine: how it is started, which protocol it speaks, its options.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spec {
    pub name: String,
    pub command: Vec<String>,
    pub protocol: Protocol,
    pub options: Vec<(String, String)>,
    /// What the engine calls the game.
    pub variant: String,
}

impl Spec {
    /// Reads `husun`, `uci:COMMAND` or `xboard:COMMAND`.
    pub fn parse(text: &str, own: &str) -> Result<Spec> {
        let (protocol, command) = match text {
            "husun" => (Protocol::Uci, vec![own.to_owned(), "uci".into()]),
            "husun-xboard" => (Protocol::XBoard, vec![own.to_owned(), "xboard".into()]),
            _ => {
                let named = text.split_once(':').and_then(|(protocol, command)| {
                    let mut all = Protocol::NAMES.iter();
                    let (protocol, _) = all.find(|(_, name)| *name == protocol)?;
                    Some((*protocol, words(command)))
                });
                named.with_context(|| {
                    format!("`{text}`: expected husun, uci:COMMAND or xboard:COMMAND")
                })?
            }
        };
        ensure!(!command.is_empty(), "`{text}`: the command is missing");
        let program = command[0].rsplit(['/', '\\']).next().unwrap_or("engine");
        Ok(Spec {
            name: program.to_owned(),
            command,
            protocol,
            options: Vec::new(),
            variant: String::new(),
        })
    }
}

/// Splits a command at spaces, except between double quotes.
fn words(command: &str) -> Vec<String> {
    let mut all = Vec::new();
    let mut word: Option<String> = None;
    let mut quoted = false;
    for c in command.chars() {
        match c {
            '"' => {
                quoted = !quoted;
                word.get_or_insert_default();
            }
            ' ' if !quoted => all.extend(word.take()),
            _ => word.get_or_insert_default().push(c),
        }
    }
    all.extend(word);
    all
}

/// What an engine gets for its moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Control {
    Clock(TimeControl),
    MoveTime(Duration),
    Nodes(u64),
    Depth(u32),
}

impl FromStr for Control {
    type Err = anyhow::Error;

    /// `2+0.02` (seconds and increment), a clock such as `tiger:2m+1s`, `movetime:0.1`, `nodes:20000`, `depth:4`.
    fn from_str(text: &str) -> Result<Control> {
        let expected = || {
            anyhow!(
                "`{text}`: expected SECONDS+INCREMENT, a clock such as tiger:2m+1s, fischer:2m+1s, delay:2m+1s, \
                 byoyomi:1m+3x5s or days:1, movetime:SECONDS, nodes:N or depth:N"
            )
        };
        let clock = |control: TimeControl| {
            let sound = control.check().is_ok() && control != TimeControl::None;
            sound
                .then_some(Control::Clock(control))
                .ok_or_else(expected)
        };
        let seconds = |text: &str| {
            let number: Option<f64> = text.parse().ok();
            let number = number.filter(|s| (0.0..=1e6).contains(s));
            let time = number.map(|s| Duration::from_millis((1000.0 * s).round() as u64));
            time.ok_or_else(expected)
        };
        Ok(match text.split_once(':') {
            Some(("movetime", time)) => Control::MoveTime(seconds(time)?),
            Some(("nodes", n)) => {
                Control::Nodes(n.parse().ok().filter(|&n| n > 0).ok_or_else(expected)?)
            }
            Some(("depth", n)) => {
                Control::Depth(n.parse().ok().filter(|&n| n > 0).ok_or_else(expected)?)
            }
            Some(_) => clock(text.parse().map_err(|_| expected())?)?,
            None => {
                let (base, increment) = text.split_once('+').unwrap_or((text, "0"));
                clock(TimeControl::Fischer {
                    base: seconds(base)?,
                    increment: seconds(increment)?,
                })?
            }
        })
    }
}

impl fmt::Display for Control {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Control::Clock(TimeControl::Fischer { base, increment }) => {
                write!(f, "{}+{}", base.as_secs_f64(), increment.as_secs_f64())
            }
            Control::Clock(control) => write!(f, "{control}"),
            Control::MoveTime(time) => write!(f, "movetime:{}", time.as_secs_f64()),
            Control::Nodes(n) => write!(f, "nodes:{n}"),
            Control::Depth(n) => write!(f, "depth:{n}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn controls_and_engines() {
        for text in [
            "2+0.02",
            "60+0",
            "tiger:2m+1s",
            "delay:1m+2s",
            "byoyomi:1m+3x5s",
            "days:1",
            "movetime:0.1",
            "nodes:20000",
            "depth:4",
        ] {
            let control: Control = text.parse().unwrap();
            assert_eq!(control.to_string(), text);
        }
        let same: Control = "fischer:2s+20ms".parse().unwrap();
        assert_eq!(same, "2+0.02".parse().unwrap());
        for text in [
            "", "x", "-1+0", "0+0", "nodes:0", "depth:x", "hours:3", "none", "tiger:2",
        ] {
            assert!(text.parse::<Control>().is_err(), "{text}");
        }
        let spec = Spec::parse("xboard:/usr/games/fairymax \"a b\" c", "me").unwrap();
        assert_eq!(spec.name, "fairymax");
        assert_eq!(spec.command, ["/usr/games/fairymax", "a b", "c"]);
        assert_eq!(spec.protocol, Protocol::XBoard);
        let own = Spec::parse("husun", "/bin/husun").unwrap();
        assert_eq!(own.command, ["/bin/husun", "uci"]);
        for text in ["", "uci:", "cecp:x", "stockfish"] {
            assert!(Spec::parse(text, "me").is_err(), "{text}");
        }
    }
}
