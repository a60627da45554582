//! The text of a game's puzzles (`puzzles.toml`), read strictly and written. Whether the solutions are single is for
//! [`Puzzle::prove`].

use crate::proof::text_of;
use crate::puzzle::{LONGEST, Problem, Puzzle};
use husun::{Position, Variant};
use serde::Deserialize;
use std::collections::HashSet;
use std::fmt::Write;
use std::sync::Arc;
use toml::Spanned;

/// Most puzzles of a game's text.
const MOST: usize = 5_000;

/// Why a text of puzzles is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PuzzleError {
    /// Not TOML, or an unknown key.
    #[error("{file}: line {line}: {problem}")]
    Toml {
        /// The file as it was named.
        file: String,
        /// The line, from 1.
        line: usize,
        /// What is wrong there.
        problem: String,
    },
    /// Too many puzzles.
    #[error("{file}: {found} puzzles: expected at most {MOST}")]
    TooMany {
        /// The file as it was named.
        file: String,
        /// How many there are.
        found: usize,
    },
    /// A puzzle that is none.
    #[error("{file}: line {line}: {problem}")]
    Puzzle {
        /// The file as it was named.
        file: String,
        /// The line, from 1.
        line: usize,
        /// What is wrong there.
        problem: Problem,
    },
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Doc {
    #[serde(default)]
    puzzles: Vec<PuzzleDoc>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct PuzzleDoc {
    id: Spanned<String>,
    position: Spanned<String>,
    line: Spanned<String>,
}

/// Reads a text of puzzles. `file` names it in errors.
///
/// ```
/// let chess = games::variant("chess").unwrap();
/// let text = "[[puzzles]]\nid = \"one\"\nposition = \"6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1\"\nline = \"a1a7\"";
/// let error = puzzles::read(&chess, "puzzles.toml", text).unwrap_err();
/// let wanted = "puzzles.toml: line 4: line: the game goes on after it: expected that it ends";
/// assert_eq!(error.to_string(), wanted);
/// ```
pub fn read(variant: &Arc<Variant>, file: &str, text: &str) -> Result<Vec<Puzzle>, PuzzleError> {
    let line_of = |at: usize| text[..at.min(text.len())].matches('\n').count() + 1;
    let doc: Doc = toml::from_str(text).map_err(|e| PuzzleError::Toml {
        file: file.into(),
        line: e.span().map_or(1, |span| line_of(span.start)),
        problem: e.message().to_owned(),
    })?;
    if doc.puzzles.len() > MOST {
        return Err(PuzzleError::TooMany {
            file: file.into(),
            found: doc.puzzles.len(),
        });
    }
    let mut ids = HashSet::new();
    let mut all = Vec::with_capacity(doc.puzzles.len());
    for one in &doc.puzzles {
        let puzzle = one.read(variant, &mut ids);
        all.push(puzzle.map_err(|(at, problem)| PuzzleError::Puzzle {
            file: file.into(),
            line: line_of(at),
            problem,
        })?);
    }
    Ok(all)
}

impl PuzzleDoc {
    /// The puzzle, or where in the text something is wrong.
    fn read<'a>(
        &'a self,
        variant: &Arc<Variant>,
        ids: &mut HashSet<&'a str>,
    ) -> Result<Puzzle, (usize, Problem)> {
        let id = self.id.get_ref();
        if !ids.insert(id) {
            return Err((self.id.span().start, Problem::Id(id.clone())));
        }
        let wrong = |e: String| (self.position.span().start, Problem::Position(e));
        let start = variant.position(self.position.get_ref());
        let start = start.map_err(|e| wrong(e.to_string()))?;
        let in_line = |problem| (self.line.span().start, problem);
        let mut line = Vec::new();
        let mut position: Position = start.clone();
        let words = self.line.get_ref().split_whitespace();
        for (number, word) in (1..2 * LONGEST + 1).zip(words) {
            let m = position.parse_uci(word).map_err(|e| {
                in_line(Problem::Move {
                    number,
                    problem: e.to_string(),
                })
            })?;
            position = position.play_unchecked(m);
            line.push(m);
        }
        Puzzle::new(id, start, &line).map_err(|problem| match problem {
            Problem::Id(_) => (self.id.span().start, problem),
            Problem::Position(_) => (self.position.span().start, problem),
            _ => in_line(problem),
        })
    }
}

/// The text of puzzles, which [`read`] reads; `head` goes before them as comments.
pub fn write(head: &str, puzzles: &[Puzzle]) -> String {
    let mut text = String::new();
    for line in head.lines() {
        let _ = writeln!(text, "# {line}");
    }
    for puzzle in puzzles {
        let line = text_of(puzzle.position(), puzzle.line());
        let (id, fen) = (puzzle.id(), puzzle.position().fen());
        let _ = write!(
            text,
            "\n[[puzzles]]\nid = \"{id}\"\nposition = \"{fen}\"\nline = \"{line}\"\n"
        );
    }
    text
}
