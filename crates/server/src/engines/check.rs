//! Whether an answer can be one: engines elsewhere are not trusted. Moves must be legal and numbers possible; texts are
//! made here, from the moves.

use super::think::SHOWN;
use super::{Job, Thought, ThoughtLine};
use husun::Position;

/// The highest score in centipawns, mates included.
const MOST_SCORE: i32 = 40_000;
/// The longest mate.
const MOST_MATE: i32 = 1000;
/// The deepest search.
const MOST_DEPTH: u32 = 1000;
/// Characters of a wrong move that are repeated.
const SAID: usize = 20;

/// What is wrong with an answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Nonsense {
    /// No move though there is one.
    #[error("no move where there are {0}")]
    NoMove(usize),
    /// A move that is not legal.
    #[error("{0:?} is no legal move")]
    Illegal(String),
    /// A draw is accepted where none can be.
    #[error("a draw is accepted that nobody can accept")]
    Accepts,
    /// More good moves than moves.
    #[error("{found} moves to choose from, of {limit} legal ones")]
    Sensible {
        /// What was said.
        found: usize,
        /// How many there are.
        limit: usize,
    },
    /// A number that none can be.
    #[error("{what} = {found}")]
    Number {
        /// Which.
        what: &'static str,
        /// What was said.
        found: String,
    },
    /// More lines than were asked for.
    #[error("{found} lines, asked for {limit}")]
    Lines {
        /// What was said.
        found: usize,
        /// What was asked for.
        limit: usize,
    },
}

fn number(what: &'static str, found: impl ToString) -> Nonsense {
    Nonsense::Number {
        what,
        found: found.to_string(),
    }
}

fn illegal(text: &str) -> Nonsense {
    Nonsense::Illegal(text.chars().take(SAID).collect())
}

/// Whether what was found can be the answer in a position.
pub fn thought(position: &Position, found: &Thought) -> Result<(), Nonsense> {
    let legal = position.legal_moves();
    match &found.best {
        Some(text) => {
            let m = position.parse_uci(text).map_err(|_| illegal(text))?;
            if !legal.contains(&m) {
                return Err(illegal(text));
            }
        }
        None if !legal.is_empty() => return Err(Nonsense::NoMove(legal.len())),
        None => {}
    }
    if found.accept && !position.can_accept() {
        return Err(Nonsense::Accepts);
    }
    if found.sensible > legal.len() {
        return Err(Nonsense::Sensible {
            found: found.sensible,
            limit: legal.len(),
        });
    }
    match (-MOST_SCORE..=MOST_SCORE).contains(&found.score) {
        true => Ok(()),
        false => Err(number("score", found.score)),
    }
}

/// Lines with their texts made anew, if they can be what was found in a position.
pub fn lines(
    job: &Job,
    position: &Position,
    depth: u32,
    found: Vec<ThoughtLine>,
) -> Result<Vec<ThoughtLine>, Nonsense> {
    if depth > MOST_DEPTH {
        return Err(number("depth", depth));
    }
    if found.len() > job.lines {
        return Err(Nonsense::Lines {
            found: found.len(),
            limit: job.lines,
        });
    }
    found
        .into_iter()
        .map(|found| line(position, found))
        .collect()
}

fn line(position: &Position, found: ThoughtLine) -> Result<ThoughtLine, Nonsense> {
    if let Some(cp) = found.cp.filter(|cp| cp.unsigned_abs() > MOST_SCORE as u32) {
        return Err(number("cp", cp));
    }
    let mate = found.mate;
    if let Some(mate) = mate.filter(|mate| mate.unsigned_abs() > MOST_MATE as u32) {
        return Err(number("mate", mate));
    }
    if !(0.0..=1.0).contains(&found.expect) {
        return Err(number("expect", found.expect));
    }
    if found.uci.len() > SHOWN {
        return Err(number("moves of a line", found.uci.len()));
    }
    let mut position = position.clone();
    let mut san = Vec::new();
    for text in &found.uci {
        let m = position.parse_uci(text).map_err(|_| illegal(text))?;
        let (told, after) = (position.san(m), position.play(m));
        let (Ok(told), Ok(after)) = (told, after) else {
            return Err(illegal(text));
        };
        san.push(told);
        position = after;
    }
    Ok(ThoughtLine { san, ..found })
}
