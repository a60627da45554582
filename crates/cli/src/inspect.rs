//! `husun inspect`: JSON lines in, JSON lines out; one answer for every line, whatever it contains. The form of both
//! is in docs/inspect.md and docs/inspect.schema.json.

use anyhow::Result;
use husun::{Game, Move, Position, Side, UciError, Variant};
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;
use std::fmt;
use std::io::{BufRead, BufReader, BufWriter, Read, Write};
use std::sync::Arc;

use games::Catalogue;

/// Longest line that is read, in bytes.
const LONGEST_LINE: u64 = 1 << 20;

/// One answer.
#[derive(Serialize)]
struct Answer {
    variant: String,
    fen: String,
    moves: Vec<String>,
    check: bool,
    accept: bool,
    status: &'static str,
    winner: Option<char>,
    #[serde(skip_serializing_if = "Option::is_none")]
    children: Option<Vec<String>>,
    /// Present if moves were to be played: `null` while the game goes on.
    #[serde(skip_serializing_if = "Option::is_none")]
    ended: Option<Option<Ended>>,
}

#[derive(Serialize)]
struct Ended {
    winner: Option<char>,
    reason: &'static str,
    points: [Points; 2],
}

/// Game points, whole numbers written without a fraction.
struct Points(f64);

impl Serialize for Points {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0.fract() == 0.0 {
            serializer.serialize_i64(self.0 as i64)
        } else {
            serializer.serialize_f64(self.0)
        }
    }
}

/// What is wrong with a line.
#[derive(Serialize)]
struct Refusal {
    field: String,
    reason: String,
}

fn refuse(field: &str, reason: impl ToString) -> Refusal {
    Refusal {
        field: field.chars().take(40).collect(),
        reason: reason.to_string(),
    }
}

/// What stands under `children`: whether they are asked for, or those of an answer.
#[derive(Deserialize)]
#[serde(untagged)]
enum Children {
    Asked(bool),
    Told(#[expect(dead_code)] Vec<String>),
}

/// Keys of a question.
const ASKED: [&str; 4] = ["variant", "fen", "children", "play"];
/// Other keys of an answer: ignored, as is a list of `children`, so that an answer can be used as a question.
const ANSWERED: [&str; 6] = ["moves", "check", "accept", "status", "winner", "ended"];

/// A line's keys in order with their values, each still as text so that an error can name its field.
struct Request<'a>(Vec<(String, &'a RawValue)>);

impl<'de: 'a, 'a> Deserialize<'de> for Request<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Pairs;
        impl<'de> Visitor<'de> for Pairs {
            type Value = Vec<(String, &'de RawValue)>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut pairs = Vec::new();
                while let Some(pair) = map.next_entry()? {
                    pairs.push(pair);
                }
                Ok(pairs)
            }
        }
        deserializer.deserialize_map(Pairs).map(Request)
    }
}

impl<'a> Request<'a> {
    /// Refuses unknown keys, and those given twice.
    fn check(&self) -> Result<(), Refusal> {
        for (i, (key, _)) in self.0.iter().enumerate() {
            if !ASKED.contains(&key.as_str()) && !ANSWERED.contains(&key.as_str()) {
                let reason = format!("unknown: expected one of {}", ASKED.join(", "));
                return Err(refuse(key, reason));
            }
            if self.0[..i].iter().any(|(before, _)| before == key) {
                return Err(refuse(key, "is given twice"));
            }
        }
        Ok(())
    }

    /// The value of a key; `null` counts as none.
    fn field<T: Deserialize<'a>>(&self, name: &str, expected: &str) -> Result<Option<T>, Refusal> {
        let value = self.0.iter().find(|(key, _)| key == name);
        let Some((_, value)) = value else {
            return Ok(None);
        };
        let read: Result<Option<T>, _> = serde_json::from_str(value.get());
        read.map_err(|_| refuse(name, format!("expected {expected}")))
    }
}

fn answer(line: &str, find: &dyn Fn(&str) -> Result<Arc<Variant>>) -> Result<Answer, Refusal> {
    let request: Request = serde_json::from_str(line).map_err(|e| {
        let reason = format!("not a JSON object with variant: {e}");
        refuse("line", reason)
    })?;
    request.check()?;
    let id: Option<String> = request.field("variant", "a string")?;
    let id = id.ok_or_else(|| refuse("variant", "missing: expected the id of a game"))?;
    let fen: Option<String> = request.field("fen", "a string")?;
    let children: Option<Children> = request.field("children", "true or false")?;
    let play: Option<Vec<String>> = request.field("play", "a list of moves in UCI form")?;
    let variant = find(&id).map_err(|e| refuse("variant", e))?;
    let start = match fen {
        Some(fen) => variant.position(&fen).map_err(|e| refuse("fen", e))?,
        None => variant.start(),
    };
    let game = played(start, play.as_deref().unwrap_or_default())?;
    let ended = play.map(|_| {
        game.outcome().map(|outcome| Ended {
            winner: outcome.winner.map(Side::letter),
            reason: outcome.reason.name(),
            points: outcome.points.map(Points),
        })
    });
    Ok(describe(
        game.position(),
        matches!(children, Some(Children::Asked(true))),
        ended,
    ))
}

/// The game made by the moves from a position. Moves are made even after a draw: what is described is the position
/// reached.
fn played(start: Position, moves: &[String]) -> Result<Game, Refusal> {
    let mut game = Game::new(start);
    for (index, text) in moves.iter().enumerate() {
        let parsed = game.position().parse_uci(text);
        let m = parsed.map_err(|e: UciError| refuse("play", format!("move {index}: {e}")))?;
        game.play_on(m)
            .map_err(|e| refuse("play", format!("move {index}: {e}")))?;
    }
    Ok(game)
}

fn describe(position: &Position, children: bool, ended: Option<Option<Ended>>) -> Answer {
    let legal = position.legal_moves();
    let mut moves: Vec<(String, Move)> = legal
        .iter()
        .map(|&m| (position.uci(m).to_string(), m))
        .collect();
    moves.sort();
    let status = position.status();
    Answer {
        variant: position.variant().id().to_owned(),
        fen: position.fen(),
        check: position.in_check(),
        accept: position.can_accept(),
        status: status.name(),
        winner: position.winner(status).map(Side::letter),
        children: children.then(|| {
            moves
                .iter()
                .map(|&(_, m)| position.play_unchecked(m).fen())
                .collect()
        }),
        moves: moves.into_iter().map(|(text, _)| text).collect(),
        ended,
    }
}

/// Answers standard input line by line until it ends.
pub fn run(games: &Catalogue) -> Result<()> {
    let mut input = BufReader::with_capacity(1 << 16, std::io::stdin().lock());
    let mut output = BufWriter::with_capacity(1 << 16, std::io::stdout().lock());
    serve(&mut input, &mut output, &|id| Ok(games.game(id)?))
}

fn serve<R: Read>(
    input: &mut BufReader<R>,
    output: &mut impl Write,
    find: &dyn Fn(&str) -> Result<Arc<Variant>>,
) -> Result<()> {
    let mut line = Vec::new();
    loop {
        line.clear();
        let read = input
            .by_ref()
            .take(LONGEST_LINE)
            .read_until(b'\n', &mut line)?;
        if read == 0 {
            return Ok(output.flush()?);
        }
        let too_long = line.len() as u64 == LONGEST_LINE && line.last() != Some(&b'\n');
        if too_long {
            input.skip_until(b'\n')?;
        }
        let result = match std::str::from_utf8(&line) {
            _ if too_long => Err(refuse("line", format!("longer than {LONGEST_LINE} bytes"))),
            Err(e) => Err(refuse("line", format!("not UTF-8: {e}"))),
            Ok(text) if text.trim().is_empty() => continue,
            Ok(text) => answer(text.trim(), find),
        };
        match result {
            Ok(answer) => serde_json::to_writer(&mut *output, &answer)?,
            Err(error) => {
                serde_json::to_writer(&mut *output, &serde_json::json!({ "error": error }))?;
            }
        }
        output.write_all(b"\n")?;
        // A client waiting for the answer gets it at once; a file is answered in large pieces.
        if input.buffer().is_empty() {
            output.flush()?;
        }
    }
}
