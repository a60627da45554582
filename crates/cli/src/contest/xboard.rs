//! A player that speaks XBoard, version 2.

use super::player::{Answer, Clocks, GRACE, PATIENCE, Plain, Player, Reply, Terms, is_setup, mate};
use super::process::{Fault, Process};
use super::spec::{Control, Spec};
use husun::clock::{Remaining, TimeControl};
use husun::{Game, Move, Position, Side, game::Outcome};
use protocol::xboard::{Features, move_text, read_move};
use std::time::{Duration, Instant};

/// How long to wait for features after the engine has asked for time.
const FEATURES: Duration = Duration::from_secs(10);
/// How long to wait for them before that.
const FIRST_FEATURE: Duration = Duration::from_secs(3);

/// A player that speaks XBoard.
pub struct XBoard {
    process: Process,
    features: Features,
    variant: String,
    /// Whether it answers moves on its own.
    playing: bool,
    /// Number of moves of the game that it knows.
    known: usize,
    pings: u32,
}

impl XBoard {
    /// Performs the handshake with an engine and sets its options.
    pub fn new(mut process: Process, spec: &Spec, terms: &Terms) -> Result<XBoard, Fault> {
        if let Control::Nodes(_) = terms.control {
            return Err(Fault::Unfit(
                "XBoard engines cannot be told a number of nodes".into(),
            ));
        }
        process.say("xboard\nprotover 2")?;
        let mut features = Features::default();
        let mut until = Instant::now() + FIRST_FEATURE;
        while let Some((_, line)) = process.hear(until)? {
            for name in features.read(&line) {
                process.say(&format!("accepted {name}"))?;
            }
            match features.text("done") {
                Some("1") => break,
                Some(_) => until = until.max(Instant::now() + FEATURES),
                None => {}
            }
        }
        let variant = spec.variant.clone();
        if !features.plays(&variant) {
            return Err(Fault::Unfit(format!("does not know the game `{variant}`")));
        }
        if features.has("memory") {
            process.say(&format!("memory {}", terms.hash))?;
        }
        for (name, value) in &spec.options {
            if !features.has_option(name) {
                return Err(Fault::Unfit(format!("has no option `{name}`")));
            }
            process.say(&format!("option {name}={value}"))?;
        }
        if features.has("smp") {
            process.say(&format!("cores {}", terms.threads))?;
        }
        Ok(XBoard {
            process,
            features,
            variant,
            playing: false,
            known: 0,
            pings: 0,
        })
    }

    fn be_ready(&mut self) -> Result<(), Fault> {
        if !self.features.has("ping") {
            return Ok(());
        }
        self.pings += 1;
        let pong = format!("pong {}", self.pings);
        self.process.say(&format!("ping {}", self.pings))?;
        self.process.wait("ping", PATIENCE, |line| line == pong)
    }

    /// A move as the engine reads it.
    fn written(&self, position: &Position, m: Move) -> String {
        let text = match self.features.has("san") {
            true => position.san(m).unwrap_or_default(),
            false => move_text(position, m),
        };
        match self.features.has("usermove") {
            true => format!("usermove {text}"),
            false => text,
        }
    }

    /// Sends it the moves that it does not know yet, the last of them after `before_last`.
    fn tell(&mut self, game: &Game, before_last: &str) -> Result<(), Fault> {
        let moves = game.moves();
        let mut told = before_last.is_empty();
        for (i, &m) in moves.iter().enumerate().skip(self.known) {
            if i + 1 == moves.len() && !told {
                self.process.say(before_last)?;
                told = true;
            }
            if let Some(position) = game.position_at(i) {
                let line = self.written(position, m);
                self.process.say(&line)?;
            }
        }
        self.known = moves.len();
        if !told {
            self.process.say(before_last)?;
        }
        Ok(())
    }

    /// What a line means as an answer.
    fn answer(&self, line: &str, turn: Side) -> Result<Option<Answer>, Fault> {
        if let Some(text) = line.strip_prefix("move ") {
            return Ok(Some(Answer::Move(text.trim().into())));
        }
        if line == "resign" || line.starts_with("resign ") {
            return Ok(Some(Answer::Resign));
        }
        if line.starts_with("Illegal move") {
            return Err(Fault::Unfit(format!("refuses a legal move: {line}")));
        }
        let lost = match turn {
            Side::White => "0-1",
            Side::Black => "1-0",
        };
        let word = line.split_whitespace().next().unwrap_or("");
        Ok(match word {
            "1-0" | "0-1" | "1/2-1/2" if word == lost => Some(Answer::Resign),
            "1-0" | "0-1" | "1/2-1/2" => Some(Answer::Claim(line.into())),
            _ => None,
        })
    }
}

/// The time control; only seconds below a minute, as XBoard writes it.
fn level(control: Control) -> String {
    match control {
        Control::Clock(TimeControl::Correspondence { days }) => {
            format!("st {}", u64::from(days) * 24 * 60 * 60)
        }
        Control::Clock(control) => {
            let plain = Plain::of(control, Remaining::full(control));
            let seconds = plain.left.as_secs().max(1);
            let increment = plain.increment.as_secs_f64();
            format!("level 0 {}:{:02} {increment}", seconds / 60, seconds % 60)
        }
        Control::MoveTime(time) => format!("st {}", time.as_secs_f64().max(0.01)),
        Control::Depth(depth) => format!("level 0 60 0\nsd {depth}"),
        Control::Nodes(_) => String::new(),
    }
}

/// Score and depth of a line of thinking.
fn score(line: &str) -> Option<(i32, u32)> {
    let mut words = line.split_whitespace();
    let depth = words.next()?.trim_end_matches(['.', '&', '+']);
    let depth = depth.parse().ok()?;
    let score: i32 = words.next()?.parse().ok()?;
    let _time: u64 = words.next()?.parse().ok()?;
    let _nodes: u64 = words.next()?.parse().ok()?;
    Some(match score {
        100_000.. => (mate(score - 100_000), depth),
        ..=-100_000 => (mate(score + 100_000), depth),
        _ => (score.clamp(-30_000, 30_000), depth),
    })
}

impl Player for XBoard {
    fn begin(&mut self, start: &Position, terms: &Terms) -> Result<(), Fault> {
        self.process.say("new")?;
        if self.variant != "normal" {
            self.process.say(&format!("variant {}", self.variant))?;
        }
        let level = level(terms.control);
        self.process.say(&format!("{level}\npost\neasy\nforce"))?;
        if !is_setup(start) {
            if !self.features.has("setboard") {
                return Err(Fault::Unfit("takes no position but the set-up".into()));
            }
            self.process.say(&format!("setboard {}", start.fen()))?;
        }
        self.playing = false;
        self.known = 0;
        self.be_ready()
    }

    fn think(&mut self, game: &Game, clocks: &Clocks, terms: &Terms) -> Result<Reply, Fault> {
        let turn = game.turn();
        let own = clocks[turn.index()];
        let other = clocks[turn.opponent().index()];
        let times = match terms.control {
            Control::Clock(control) => {
                let hundredths = |left| Plain::of(control, left).left.as_millis() / 10;
                let (own, other) = (hundredths(own), hundredths(other));
                format!("time {}\notim {}", own.max(1), other.max(1))
            }
            _ => String::new(),
        };
        if !self.playing {
            self.tell(game, "")?;
            if !times.is_empty() {
                self.process.say(&times)?;
            }
        }
        let asked = Instant::now();
        if self.playing {
            self.tell(game, &times)?;
        } else {
            self.process.say("go")?;
            self.playing = true;
        }
        let mut until = terms.deadline(asked, own);
        let mut told = false;
        let mut last = None;
        loop {
            let Some((at, line)) = self.process.hear(until)? else {
                if told {
                    return Err(Fault::Silent("?"));
                }
                told = true;
                self.process.say("?")?;
                until = Instant::now() + GRACE;
                continue;
            };
            if let Some(answer) = self.answer(&line, turn)? {
                self.known += usize::from(matches!(answer, Answer::Move(_)));
                return Ok(Reply {
                    answer: (!told).then_some(answer),
                    spent: at.saturating_duration_since(asked),
                    score: last,
                });
            }
            last = score(&line).or(last);
        }
    }

    fn read(&self, position: &Position, text: &str) -> Option<Move> {
        read_move(position, text)
    }

    fn end(&mut self, game: &Game) -> Result<(), Fault> {
        let result = match game.outcome() {
            None => "*",
            Some(Outcome { winner: None, .. }) => "1/2-1/2",
            Some(Outcome {
                winner: Some(Side::White),
                ..
            }) => "1-0",
            Some(_) => "0-1",
        };
        let reason = game.outcome().map_or("", |o| o.reason.name());
        self.process
            .say(&format!("force\nresult {result} {{{reason}}}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_as_levels() {
        for (text, said) in [
            ("2+0.02", "level 0 0:02 0.02"),
            ("tiger:2m+1s", "level 0 2:00 1"),
            ("delay:5m+2s", "level 0 5:02 2"),
            ("byoyomi:0s+3x5s", "level 0 0:05 0"),
            ("days:1", "st 86400"),
            ("movetime:0.5", "st 0.5"),
            ("depth:4", "level 0 60 0\nsd 4"),
        ] {
            assert_eq!(level(text.parse().unwrap()), said, "{text}");
        }
    }
}
