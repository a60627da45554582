//! Positions with few men of which it is known who wins: what the search asks of tables of perfect play. How they are
//! made and kept is not its business.

use crate::facts::Facts;
use crate::score::{MATE, MATE_BOUND, MAX_PLY};
use husun::pos::Pos;
use husun::set::Set;
use husun::tables::Tables;
use husun::{Kind, Move, Side, Square};

/// What perfect play leads to, for the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// It wins.
    Won,
    /// Neither side can win.
    Drawn,
    /// It loses.
    Lost,
}

impl Outcome {
    /// The same for the other side.
    pub const fn turned(self) -> Outcome {
        match self {
            Outcome::Won => Outcome::Lost,
            Outcome::Drawn => Outcome::Drawn,
            Outcome::Lost => Outcome::Won,
        }
    }
}

/// What is known of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Verdict {
    /// For the side to move.
    pub outcome: Outcome,
    /// Half-moves to the end of the game if the winner hurries and the loser delays; 0 for a draw.
    pub distance: u16,
}

impl Verdict {
    /// What is known after a best move, for the side that is to move then; none if the game is over or drawn.
    pub fn after_best(self) -> Option<Verdict> {
        if self.outcome == Outcome::Drawn {
            return None;
        }
        Some(Verdict {
            outcome: self.outcome.turned(),
            distance: self.distance.checked_sub(1)?,
        })
    }
}

/// Tables of perfect play with few men, of one game.
pub trait Endings: Send + Sync {
    /// The most men that a position in the tables has; kings are men.
    fn most_men(&self) -> u32;

    /// What perfect play leads to with these men, in any order, and these letters of state (bits as in
    /// [`husun::Setup`]), if nothing but them and the side to move matters, as if the half-move clock were 0 and the
    /// position had occurred for the first time. None if it is not in the tables.
    fn verdict(&self, turn: Side, men: &[(Side, Kind, Square)], state: u16) -> Option<Verdict>;
}

/// What tables know of a position; none if it has castling rights or an en-passant capture.
pub(crate) fn verdict<S: Set>(endings: &dyn Endings, pos: &Pos<S>) -> Option<Verdict> {
    if pos.occupied().count() > endings.most_men() {
        return None;
    }
    if !pos.rights().is_empty() || pos.en_passant().next().is_some() {
        return None;
    }
    let men = pos.occupied().iter().filter_map(|square| {
        let (side, kind) = pos.piece_on(square)?;
        Some((side, kind, square))
    });
    endings.verdict(pos.turn(), &men.collect::<Vec<_>>(), pos.state())
}

/// The score of a position at a ply, if tables know it. They know no half-move clock: a win that may come too late for
/// the move rule is left to the search.
pub(crate) fn score<S: Set>(
    endings: &dyn Endings,
    facts: &Facts<S>,
    pos: &Pos<S>,
    ply: usize,
) -> Option<i32> {
    let Verdict { outcome, distance } = verdict(endings, pos)?;
    let plies = ply as i32 + i32::from(distance);
    let in_time = !facts.is_idle(pos.halfmove() + u32::from(distance));
    match outcome {
        Outcome::Drawn => Some(0),
        _ if !in_time || MATE - plies <= MATE_BOUND => None,
        Outcome::Won => Some(MATE - plies),
        Outcome::Lost => Some(plies - MATE),
    }
}

/// Lengthens a line of legal moves that leads into the tables by best moves of both sides.
pub(crate) fn lengthen<S: Set>(
    endings: &dyn Endings,
    tables: &Tables<S>,
    pos: &Pos<S>,
    line: &mut Vec<Move>,
) {
    let mut pos = *pos;
    for &m in line.iter() {
        pos = tables.play_unchecked(&pos, m);
    }
    let mut left = verdict(endings, &pos).and_then(Verdict::after_best);
    let mut moves = Vec::new();
    while let Some(wanted) = left
        && line.len() < MAX_PLY
    {
        moves.clear();
        tables.legal_moves(&pos, &mut moves);
        moves.sort_unstable();
        let best = moves.iter().find_map(|&m| {
            let next = tables.play_unchecked(&pos, m);
            (verdict(endings, &next) == Some(wanted)).then_some((m, next))
        });
        let Some((m, next)) = best else {
            return;
        };
        line.push(m);
        pos = next;
        left = wanted.after_best();
    }
}
