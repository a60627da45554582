//! A player that speaks UCI.

use super::player::{Answer, Clocks, GRACE, PATIENCE, Player, Reply, Terms, is_setup, mate};
use super::process::{Fault, Process};
use super::spec::{Control, Spec};
use husun::{Game, Move, Position};
use std::time::Instant;

/// A player that speaks UCI.
pub struct Uci {
    process: Process,
    start: String,
}

impl Uci {
    /// Shakes hands with an engine and sets its options.
    pub fn new(mut process: Process, spec: &Spec, terms: &Terms) -> Result<Uci, Fault> {
        process.say("uci")?;
        let mut options = Vec::new();
        process.wait("uci", PATIENCE, |line| {
            if let Some(option) = line.strip_prefix("option name ") {
                options.push(option.to_owned());
            }
            line == "uciok"
        })?;
        let find = |name: &str| {
            let mut all = options.iter();
            all.find(|o| o.split(" type ").next() == Some(name))
        };
        match find("UCI_Variant") {
            Some(combo) if !combo.split(' ').any(|word| word == spec.variant) => {
                return Err(Fault::Unfit(format!(
                    "does not know the game `{}`",
                    spec.variant
                )));
            }
            None if spec.variant != games::ORTHODOX => {
                return Err(Fault::Unfit("plays no variants".into()));
            }
            Some(_) => {
                process.say(&format!(
                    "setoption name UCI_Variant value {}",
                    spec.variant
                ))?;
            }
            None => {}
        }
        let common = [("Hash", terms.hash), ("Threads", terms.threads)];
        for (name, value) in common {
            if find(name).is_some() {
                process.say(&format!("setoption name {name} value {value}"))?;
            }
        }
        for (name, value) in &spec.options {
            if find(name).is_none() {
                return Err(Fault::Unfit(format!("has no option `{name}`")));
            }
            process.say(&format!("setoption name {name} value {value}"))?;
        }
        let mut uci = Uci {
            process,
            start: String::new(),
        };
        uci.be_ready()?;
        Ok(uci)
    }

    fn be_ready(&mut self) -> Result<(), Fault> {
        self.process.say("isready")?;
        let process = &mut self.process;
        process.wait("isready", PATIENCE, |line| line == "readyok")
    }
}

fn go(clocks: &Clocks, terms: &Terms) -> String {
    match terms.control {
        Control::Clock { increment, .. } => {
            let [white, black] = clocks.map(|c| c.as_millis().max(1));
            let increment = increment.as_millis();
            format!("go wtime {white} btime {black} winc {increment} binc {increment}")
        }
        Control::MoveTime(time) => format!("go movetime {}", time.as_millis()),
        Control::Nodes(n) => format!("go nodes {n}"),
        Control::Depth(n) => format!("go depth {n}"),
    }
}

/// Score and depth of an `info` line, of the first line only.
fn score(line: &str) -> Option<(i32, u32)> {
    let words: Vec<&str> = line.split(' ').collect();
    let after = |word: &str| {
        let at = words.iter().position(|w| *w == word)?;
        words.get(at + 1).copied()
    };
    if after("multipv").is_some_and(|n| n != "1") {
        return None;
    }
    let depth = after("depth")?.parse().ok()?;
    let at = words.iter().position(|w| *w == "score")?;
    let number: i32 = words.get(at + 2)?.parse().ok()?;
    match words[at + 1] {
        "cp" => Some((number, depth)),
        "mate" => Some((mate(number), depth)),
        _ => None,
    }
}

impl Player for Uci {
    fn begin(&mut self, start: &Position, _: &Terms) -> Result<(), Fault> {
        self.start = match is_setup(start) {
            true => "position startpos".into(),
            false => format!("position fen {}", start.fen()),
        };
        self.process.say("ucinewgame")?;
        self.be_ready()
    }

    fn think(&mut self, game: &Game, clocks: &Clocks, terms: &Terms) -> Result<Reply, Fault> {
        let mut position = self.start.clone();
        for (i, &m) in game.moves().iter().enumerate() {
            position += if i == 0 { " moves " } else { " " };
            position += &game.position().uci(m).to_string();
        }
        self.process.say(&position)?;
        let asked = Instant::now();
        self.process.say(&go(clocks, terms))?;
        let left = clocks[game.turn().index()];
        let mut until = terms.deadline(asked, left);
        let mut told = false;
        let mut last = None;
        let mut accepts = false;
        loop {
            let Some((at, line)) = self.process.hear(until)? else {
                if told {
                    return Err(Fault::Silent("stop"));
                }
                told = true;
                self.process.say("stop")?;
                until = Instant::now() + GRACE;
                continue;
            };
            if let Some(best) = line.strip_prefix("bestmove") {
                let word = best.split_whitespace().next().unwrap_or("").to_owned();
                let answer = match accepts {
                    true => Answer::Accept,
                    false => Answer::Move(word),
                };
                return Ok(Reply {
                    answer: (!told).then_some(answer),
                    spent: at.saturating_duration_since(asked),
                    score: last,
                });
            }
            accepts |= line == "info string accept";
            last = score(&line).or(last);
        }
    }

    fn read(&self, position: &Position, text: &str) -> Option<Move> {
        position.parse_uci(text).ok()
    }

    fn end(&mut self, _: &Game) -> Result<(), Fault> {
        Ok(())
    }
}
