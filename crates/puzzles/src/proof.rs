//! The proof that a position has a single solution: at each of the solver's turns but the last exactly one move keeps the goal
//! within reach, against every defence that lasts as long as any.

use crate::puzzle::Puzzle;
use crate::solve::{Goal, Solver, TooMany};
use husun::{Move, Position, Status};

/// Moves within which every other move must lose by force where a puzzle is a save.
const LOST_WITHIN: u32 = 3;

/// Why a puzzle is not proved.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unproved {
    /// Nothing is forced within its moves, or by more than one move.
    #[error("no single solution in {moves} moves")]
    NotSingle {
        /// The moves of the solver's side.
        moves: u32,
    },
    /// The solution is another.
    #[error("the solution is {found}: expected {written}")]
    Another {
        /// The line that was found.
        found: String,
        /// That of the puzzle.
        written: String,
    },
    /// It takes too long.
    #[error(transparent)]
    TooMany(#[from] TooMany),
}

impl Puzzle {
    /// Proves anew that its line is the single solution, and as short as any.
    pub fn prove(&self, solver: &mut Solver) -> Result<(), Unproved> {
        let found = match self.goal() {
            Goal::Win => win(self.position(), self.moves(), solver)?,
            Goal::Draw => save(self.position(), self.moves(), solver)?,
        };
        let moves = self.moves();
        let found = found.ok_or(Unproved::NotSingle { moves })?;
        if found == self.line() {
            return Ok(());
        }
        let text = |line| text_of(self.position(), line);
        Err(Unproved::Another {
            found: text(&found),
            written: text(self.line()),
        })
    }
}

/// The line of the single solution of a position, if it has one in at most so many moves: a win, or a save.
///
/// ```
/// let chess = games::variant("chess").unwrap();
/// let position = chess.position("k7/8/8/1K6/8/8/8/6RR w - - 0 1").unwrap();
/// let line = puzzles::solve(&position, 2, &mut puzzles::Solver::new(100_000)).unwrap();
/// assert_eq!(line, None, "Kb6 and either Rook to the seventh rank mate in two");
/// ```
pub fn solve(
    position: &Position,
    moves: u32,
    solver: &mut Solver,
) -> Result<Option<Vec<Move>>, TooMany> {
    let found = win(position, moves, solver)?;
    match found {
        None => save(position, moves, solver),
        found => Ok(found),
    }
}

/// The single way to win in at most so many moves, and as few as possible.
pub(crate) fn win(
    position: &Position,
    moves: u32,
    solver: &mut Solver,
) -> Result<Option<Vec<Move>>, TooMany> {
    for n in 1..=moves {
        match solver.forcing(position, Goal::Win, n)?[..] {
            [] => {}
            [only] => return line(position, only, Goal::Win, n - 1, solver),
            _ => return Ok(None),
        }
    }
    Ok(None)
}

/// The single way to a draw by the rules in at most so many moves, where every other move loses by force. Where the side to move
/// may accept a stalemate there is none.
pub(crate) fn save(
    position: &Position,
    moves: u32,
    solver: &mut Solver,
) -> Result<Option<Vec<Move>>, TooMany> {
    if position.can_accept() {
        return Ok(None);
    }
    for n in 1..=moves {
        match solver.forcing(position, Goal::Draw, n)?[..] {
            [] => {}
            [only] => {
                return match others_lose(position, only, solver)? {
                    true => line(position, only, Goal::Draw, n - 1, solver),
                    false => Ok(None),
                };
            }
            _ => return Ok(None),
        }
    }
    Ok(None)
}

/// Whether all moves but one lose by force, and there are such moves.
fn others_lose(position: &Position, only: Move, solver: &mut Solver) -> Result<bool, TooMany> {
    let mut others = position.legal_moves();
    others.retain(|&m| m != only);
    for &m in &others {
        if !loses(&position.play_unchecked(m), solver)? {
            return Ok(false);
        }
    }
    Ok(!others.is_empty())
}

/// Whether the side to move wins by force; short wins are looked for first.
fn loses(after: &Position, solver: &mut Solver) -> Result<bool, TooMany> {
    for n in 1..=LOST_WITHIN {
        if solver.forces(after, Goal::Win, n)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The line after a first move: the defence that lasts longest, and its only answer. None if some such defence has several
/// answers, except to the last.
fn line(
    start: &Position,
    first: Move,
    goal: Goal,
    left: u32,
    solver: &mut Solver,
) -> Result<Option<Vec<Move>>, TooMany> {
    let mut line = vec![first];
    let mut position = start.play_unchecked(first);
    let mut left = left;
    while position.status() == Status::Ongoing {
        let Some((defence, answer, needed)) = defend(&position, goal, left, solver)? else {
            return Ok(None);
        };
        line.extend([defence, answer]);
        position = position.play_unchecked(defence).play_unchecked(answer);
        left = needed - 1;
    }
    Ok(Some(line))
}

/// The defence to be shown, its answer, and how many moves the solver's side needs after it.
fn defend(
    position: &Position,
    goal: Goal,
    left: u32,
    solver: &mut Solver,
) -> Result<Option<(Move, Move, u32)>, TooMany> {
    let mut longest = Vec::new();
    let mut most = 0;
    for reply in position.legal_moves() {
        let after = position.play_unchecked(reply);
        let mut needed = 0;
        while !solver.forces(&after, goal, needed)? {
            needed += 1;
            if needed > left {
                return Ok(None);
            }
        }
        if needed > most {
            most = needed;
            longest.clear();
        }
        if needed == most {
            longest.push(reply);
        }
    }
    let mut shown: Option<(bool, bool, String, Move, Move)> = None;
    for reply in longest.into_iter().filter(|_| most > 0) {
        let after = position.play_unchecked(reply);
        let mut answers = solver.forcing(&after, goal, most)?;
        if most > 1 && answers.len() != 1 {
            return Ok(None);
        }
        answers.sort_by_cached_key(|&m| after.uci(m).to_string());
        let Some(&answer) = answers.first() else {
            return Ok(None);
        };
        // Defences with one answer are shown rather than others, and among them captures.
        let several = answers.len() != 1;
        let quiet = !position.is_capture(reply);
        let one = (several, quiet, position.uci(reply).to_string());
        let better = |(a, b, text, ..): &(bool, bool, String, Move, Move)| {
            (one.0, one.1, &one.2) < (*a, *b, text)
        };
        if shown.as_ref().is_none_or(better) {
            shown = Some((one.0, one.1, one.2, reply, answer));
        }
    }
    Ok(shown.map(|(_, _, _, reply, answer)| (reply, answer, most)))
}

/// A line in UCI form.
pub(crate) fn text_of(start: &Position, line: &[Move]) -> String {
    let mut position = start.clone();
    let mut words = Vec::new();
    for &m in line {
        words.push(position.uci(m).to_string());
        position = position.play_unchecked(m);
    }
    words.join(" ")
}
