//! The solver: which moves force a win, or at least a draw, within so many moves, found by trying everything. It knows the rules
//! and nothing else: no evaluation, no table, no rule of thumb.

use husun::pos::Pos;
use husun::set::Set;
use husun::tables::Tables;
use husun::variant::{Stalemate, Traverse};
use husun::{Move, Position, Side, Status, VisitPosition};
use std::sync::Arc;

/// What a side forces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Goal {
    /// The game ends with its win.
    Win,
    /// The game ends by a rule without its loss.
    Draw,
}

/// More positions would have to be looked at than is allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("more than {most} positions: expected a position that is solved within them")]
pub struct TooMany {
    /// How many are allowed.
    pub most: u64,
}

/// Tries everything, and counts the positions that it reaches.
///
/// ```
/// use puzzles::{Goal, Solver};
/// let chess = games::variant("chess").unwrap();
/// let position = chess.position("6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1").unwrap();
/// let mut solver = Solver::new(10_000);
/// let mates = solver.forcing(&position, Goal::Win, 1).unwrap();
/// assert_eq!(mates, [position.parse_uci("a1a8").unwrap()]);
/// assert!(!solver.forces(&position, Goal::Draw, 0).unwrap());
/// ```
#[derive(Clone, Debug)]
pub struct Solver {
    visited: u64,
    most: u64,
}

impl Solver {
    /// A solver that reaches at most so many positions, all questions together.
    pub fn new(most: u64) -> Solver {
        Solver { visited: 0, most }
    }

    /// Positions reached so far.
    pub fn visited(&self) -> u64 {
        self.visited
    }

    /// The moves of the side to move after which it brings about the goal whatever the opponent plays, with the last of so
    /// many moves of its own at the latest, that one counted; sorted.
    pub fn forcing(
        &mut self,
        position: &Position,
        goal: Goal,
        moves: u32,
    ) -> Result<Vec<Move>, TooMany> {
        self.ask(position, goal, moves, true)
    }

    /// Whether the side to move brings about the goal within so many moves, whatever the opponent plays; with 0, whether
    /// the game has ended so.
    pub fn forces(&mut self, position: &Position, goal: Goal, moves: u32) -> Result<bool, TooMany> {
        let status = position.status();
        if status != Status::Ongoing {
            return Ok(reached(goal, position.turn(), position.winner(status)));
        }
        Ok(!self.ask(position, goal, moves, false)?.is_empty())
    }

    /// All moves that force the goal, or the first of them.
    fn ask(
        &mut self,
        position: &Position,
        goal: Goal,
        moves: u32,
        all: bool,
    ) -> Result<Vec<Move>, TooMany> {
        if moves == 0 || position.status() != Status::Ongoing {
            return Ok(Vec::new());
        }
        let rules = position.variant().rules();
        let (found, visited) = position.visit(Question {
            goal,
            moves,
            all,
            traverse: rules.traverse.as_ref(),
            stalemate: rules.endings.stalemate,
            left: self.most.saturating_sub(self.visited),
        });
        self.visited += visited;
        found.ok_or(TooMany { most: self.most })
    }
}

/// Whether an ending is what the side wanted.
fn reached(goal: Goal, side: Side, winner: Option<Side>) -> bool {
    match goal {
        Goal::Win => winner == Some(side),
        Goal::Draw => winner != Some(side.opponent()),
    }
}

/// What is asked, on its way to code that knows the width of sets.
struct Question<'a> {
    goal: Goal,
    moves: u32,
    all: bool,
    traverse: Option<&'a Traverse>,
    stalemate: Stalemate,
    left: u64,
}

impl VisitPosition for Question<'_> {
    /// The moves, none if there were too many positions, and how many there were.
    type Output = (Option<Vec<Move>>, u64);

    fn visit<S: Set>(self, tables: &Arc<Tables<S>>, pos: &Pos<S>) -> Self::Output {
        let mut search = Search {
            tables,
            side: pos.turn(),
            goal: self.goal,
            traverse: self.traverse,
            stalemate_wins: self.stalemate == Stalemate::Win,
            visited: 0,
            most: self.left,
            refuting: vec![None; self.moves as usize + 1],
            forcing: vec![None; self.moves as usize + 1],
        };
        let mut moves = Vec::new();
        tables.legal_moves(pos, &mut moves);
        moves.sort_unstable();
        let mut found = Vec::new();
        for m in moves {
            let after = search.after(pos, m);
            if search.answers(&after, self.moves - 1) {
                found.push(m);
                if !self.all {
                    break;
                }
            }
            if search.visited > search.most {
                return (None, search.visited);
            }
        }
        let within = search.visited <= search.most;
        (within.then_some(found), search.visited)
    }
}

/// One question being answered.
struct Search<'a, S: Set> {
    tables: &'a Tables<S>,
    /// Who forces.
    side: Side,
    goal: Goal,
    traverse: Option<&'a Traverse>,
    stalemate_wins: bool,
    visited: u64,
    most: u64,
    /// The last defence that refuted a move, and the last move that reached the goal, by the moves left: tried first.
    refuting: Vec<Option<Move>>,
    forcing: Vec<Option<Move>>,
}

impl<S: Set> Search<'_, S> {
    fn after(&self, pos: &Pos<S>, m: Move) -> Pos<S> {
        self.tables.play_unchecked(pos, m)
    }

    /// Who has won by a status in a position with that side to move.
    fn winner(&self, turn: Side, status: Status) -> Option<Side> {
        match status {
            Status::Checkmate => Some(turn.opponent()),
            Status::Stalemate if self.stalemate_wins => Some(turn.opponent()),
            Status::BareKing => Some(turn),
            _ => None,
        }
    }

    /// Whether the game is over, and then whether the goal is reached.
    fn over(&self, pos: &Pos<S>) -> Option<bool> {
        let status = self.tables.status(pos);
        let winner = self.winner(pos.turn(), status);
        (status != Status::Ongoing).then(|| reached(self.goal, self.side, winner))
    }

    /// The legal moves, one of them first if it is there.
    fn moves(&self, pos: &Pos<S>, first: Option<Move>) -> Vec<Move> {
        let mut moves = Vec::with_capacity(64);
        self.tables.legal_moves(pos, &mut moves);
        let place = first.and_then(|first| moves.iter().position(|&m| m == first));
        if let Some(place) = place {
            moves.swap(0, place);
        }
        moves
    }

    /// Whether the side, which is to move, reaches the goal within so many moves.
    fn reaches(&mut self, pos: &Pos<S>, left: u32) -> bool {
        if let Some(good) = self.over(pos) {
            return good;
        }
        if left == 0 {
            return false;
        }
        let moves = self.moves(pos, self.forcing[left as usize]);
        if self.goal == Goal::Draw && self.accepts_stalemate(pos, &moves) {
            return true;
        }
        for m in moves {
            let after = self.after(pos, m);
            if self.answers(&after, left - 1) {
                self.forcing[left as usize] = Some(m);
                return true;
            }
        }
        false
    }

    /// Whether the side has an answer to every defence in this position, in which its opponent is to move.
    fn answers(&mut self, pos: &Pos<S>, left: u32) -> bool {
        self.visited += 1;
        if self.visited > self.most {
            return false;
        }
        // The last move wins by leaving the opponent without a move, in check unless stalemate wins.
        let last = left == 0 && self.goal == Goal::Win;
        if last && !self.stalemate_wins && !self.tables.in_check(pos, pos.turn()) {
            return false;
        }
        if let Some(good) = self.over(pos) {
            return good;
        }
        if left == 0 {
            return false;
        }
        let moves = self.moves(pos, self.refuting[left as usize]);
        if self.goal == Goal::Win && self.accepts_stalemate(pos, &moves) {
            return false;
        }
        for m in moves {
            self.visited += 1;
            let after = self.after(pos, m);
            if !self.reaches(&after, left) {
                self.refuting[left as usize] = Some(m);
                return false;
            }
        }
        true
    }

    /// Whether the side to move may accept a stalemate that draws, instead of its optional moves.
    fn accepts_stalemate(&self, pos: &Pos<S>, moves: &[Move]) -> bool {
        let Some(traverse) = self.traverse.filter(|_| !self.stalemate_wins) else {
            return false;
        };
        let optional = |m: &Move| {
            m.is_whole_act() || (m.piece() == traverse.piece && m.placed() == traverse.becomes)
        };
        moves.iter().all(optional) && !self.tables.in_check(pos, pos.turn())
    }
}
