//! A player that speaks UCI.

use super::player::{Answer, Clocks, GRACE, PATIENCE, Plain, Player, Reply, Terms, is_setup, mate};
use super::process::{Fault, Process};
use super::spec::{Control, Spec};
use husun::clock::{Remaining, TimeControl};
use husun::{Game, Move, Position, Side};
use std::time::Instant;

/// A player that speaks UCI.
pub struct Uci {
    process: Process,
    start: String,
    /// Whether it was told which clock runs, so that it understands all of it.
    knows_clock: bool,
}

/// Performs the handshake with an engine; returns its options.
fn shake_hands(process: &mut Process) -> Result<Vec<String>, Fault> {
    process.say("uci")?;
    let mut options = Vec::new();
    process.wait("uci", PATIENCE, |line| {
        if let Some(option) = line.strip_prefix("option name ") {
            options.push(option.to_owned());
        }
        line == "uciok"
    })?;
    Ok(options)
}

/// The games that an engine says it plays, by its own names.
pub fn games(process: &mut Process) -> Result<Vec<String>, Fault> {
    let options = shake_hands(process)?;
    let mut options = options.iter().filter_map(|o| o.split_once(" type "));
    let Some((_, combo)) = options.find(|(name, _)| *name == "UCI_Variant") else {
        return Ok(vec![games::ORTHODOX.into()]);
    };
    let words = combo.split(" var ").skip(1);
    Ok(words.map(|word| word.trim().to_owned()).collect())
}

impl Uci {
    /// Performs the handshake with an engine and sets its options.
    pub fn new(mut process: Process, spec: &Spec, terms: &Terms) -> Result<Uci, Fault> {
        let options = shake_hands(&mut process)?;
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
        let strange = terms
            .clock()
            .filter(|clock| !matches!(clock, TimeControl::Fischer { .. }));
        let mut knows_clock = false;
        if let Some(clock) = strange.filter(|_| find("Clock").is_some()) {
            process.say(&format!("setoption name Clock value {clock}"))?;
            knows_clock = true;
        }
        let mut uci = Uci {
            process,
            start: String::new(),
            knows_clock,
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

fn go(clocks: &Clocks, terms: &Terms, turn: Side, knows_clock: bool) -> String {
    let control = match terms.control {
        Control::Clock(control) => control,
        Control::MoveTime(time) => return format!("go movetime {}", time.as_millis()),
        Control::Nodes(n) => return format!("go nodes {n}"),
        Control::Depth(n) => return format!("go depth {n}"),
    };
    if knows_clock {
        let [white, black] = clocks.map(words);
        return format!("go w{} b{}", white.join(" w"), black.join(" b"));
    }
    let [white, black] = clocks.map(|left| Plain::of(control, left));
    let own = if turn == Side::White { white } else { black };
    let ms = |plain: Plain| plain.left.as_millis().max(1);
    let mut text = format!(
        "go wtime {} btime {} winc {} binc {}",
        ms(white),
        ms(black),
        white.increment.as_millis(),
        black.increment.as_millis()
    );
    if own.one_move {
        text += " movestogo 1";
    }
    text
}

/// What a side has left in the words of `go`, without the side's letter.
fn words(left: Remaining) -> Vec<String> {
    let word = |name: &str, ms: u128| format!("{name} {ms}");
    match left {
        Remaining::Tiger {
            engagement,
            reserve,
        } => vec![
            word("time", engagement.as_millis()),
            word("reserve", reserve.as_millis()),
        ],
        Remaining::Fischer { time }
        | Remaining::Delay { time, .. }
        | Remaining::Correspondence { time } => vec![word("time", time.as_millis())],
        Remaining::Byoyomi { main, periods, .. } => vec![
            word("time", main.as_millis()),
            word("periods", periods.into()),
        ],
        Remaining::Unlimited => Vec::new(),
    }
}

/// Score and depth of an `info` line, if it is for the first line.
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
        let go = go(clocks, terms, game.turn(), self.knows_clock);
        self.process.say(&go)?;
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn clocks_in_words() {
        let rows = [
            ("2+0.02", "", "go wtime 2000 btime 2000 winc 20 binc 20"),
            (
                "tiger:3s+1s",
                "go wtime 3000 wreserve 0 btime 3000 breserve 0",
                "go wtime 3000 btime 3000 winc 1000 binc 1000",
            ),
            (
                "delay:4s+1s",
                "go wtime 4000 btime 4000",
                "go wtime 5000 btime 5000 winc 1000 binc 1000",
            ),
            (
                "byoyomi:0s+3x2s",
                "go wtime 0 wperiods 3 btime 0 bperiods 3",
                "go wtime 2000 btime 2000 winc 0 binc 0 movestogo 1",
            ),
            (
                "days:1",
                "go wtime 86400000 btime 86400000",
                "go wtime 86400000 btime 86400000 winc 0 binc 0 movestogo 1",
            ),
        ];
        for (text, whole, plain) in rows {
            let terms = Terms {
                control: text.parse().unwrap(),
                hash: 1,
                threads: 1,
                margin: Duration::ZERO,
            };
            let clocks = [Remaining::full(terms.clock().unwrap()); 2];
            let said = |knows| go(&clocks, &terms, Side::White, knows);
            assert_eq!(said(false), plain, "{text}");
            if !whole.is_empty() {
                assert_eq!(said(true), whole, "{text}");
            }
        }
    }
}
