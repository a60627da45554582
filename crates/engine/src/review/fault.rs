//! What was wrong with a move: how much it gave away, and what.

use super::{Opinion, win_chance};
use crate::score::Score;
use crate::values::Values;
use husun::{Kind, Move, Position, Side, Status};

/// How bad a move was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Size {
    /// Five percentage points of the chance of winning or more.
    Inaccuracy,
    /// Ten or more.
    Mistake,
    /// Fifteen or more.
    Blunder,
}

impl Size {
    /// Each size with the least loss for it, in percentage points, the worst first.
    pub const LEAST: [(f64, Size); 3] = [
        (15.0, Size::Blunder),
        (10.0, Size::Mistake),
        (5.0, Size::Inaccuracy),
    ];

    /// The size of a loss.
    pub fn of(loss: f64) -> Option<Size> {
        let size = Self::LEAST.iter().find(|(least, _)| loss >= *least);
        size.map(|(_, size)| *size)
    }
}

/// What a move gave away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// The opponent can force a win in this many moves.
    AllowedWin(u32),
    /// A win could have been forced in this many moves.
    MissedWin(u32),
    /// The game could have been drawn at once, by this ending, but is being lost.
    MissedDraw(Status),
    /// The opponent can take a piece.
    LostPiece(Kind),
    /// A piece could have been taken.
    MissedPiece(Kind),
    /// A winning position is no longer winning.
    LetSlip,
    /// A position that could be held is being lost.
    LostHold,
    /// The position is worse than it had to be.
    Worse,
}

/// What was wrong with a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// How bad it was.
    pub size: Size,
    /// What it gave away.
    pub kind: FaultKind,
}

/// A side is winning from this chance on, and losing below the rest of a hundred.
const WINNING: f64 = 70.0;
/// Moves of a line that are searched for a draw that ends the game.
const DRAW: usize = 4;

/// A move with the opinions of the positions before and after it.
pub(super) struct Judged<'a> {
    pub position: &'a Position,
    pub m: Move,
    pub before: &'a Opinion,
    pub after: &'a Opinion,
    pub values: &'a Values,
}

impl Judged<'_> {
    pub fn is_best(&self) -> bool {
        self.before.line.first() == Some(&self.m)
    }

    /// The mover's chances before and after.
    fn chances(&self) -> (f64, f64) {
        (
            win_chance(self.before.score),
            100.0 - win_chance(self.after.score),
        )
    }

    /// What it gave away, in percentage points. The engine's own choice gives nothing away: if it turns out worse,
    /// that could not be seen when it was made.
    pub fn loss(&self) -> f64 {
        let (before, after) = self.chances();
        match self.is_best() {
            true => 0.0,
            false => (before - after).max(0.0),
        }
    }

    pub fn fault(&self) -> Option<Fault> {
        let size = Size::of(self.loss())?;
        let kind = self
            .forced()
            .or_else(|| self.missed_draw())
            .or_else(|| self.lost_piece())
            .or_else(|| self.missed_piece())
            .unwrap_or_else(|| self.balance());
        Some(Fault { size, kind })
    }

    fn forced(&self) -> Option<FaultKind> {
        let own = match self.before.score {
            Score::Mate(n) => n,
            Score::Cp(_) => 0,
        };
        match self.after.score {
            Score::Mate(n) if n > 0 && own >= 0 => Some(FaultKind::AllowedWin(n.unsigned_abs())),
            // The mover has not kept a forced win of its own.
            Score::Cp(_) if own > 0 => Some(FaultKind::MissedWin(own.unsigned_abs())),
            _ => None,
        }
    }

    /// A draw with which the better line ends the game, while the mover is losing now.
    fn missed_draw(&self) -> Option<FaultKind> {
        let (before, after) = self.chances();
        if after > 100.0 - WINNING || !(100.0 - WINNING..=WINNING).contains(&before) {
            return None;
        }
        let mut position = self.position.clone();
        for &m in self.before.line.iter().take(DRAW) {
            position = position.play(m).ok()?;
            let status = position.status();
            if !matches!(status, Status::Ongoing | Status::MoveRule) {
                let drawn = position.winner(status).is_none();
                return drawn.then_some(FaultKind::MissedDraw(status));
            }
        }
        None
    }

    /// What the opponent's best answer wins and keeps, if it is more than this move took.
    fn lost_piece(&self) -> Option<FaultKind> {
        let next = self.position.play(self.m).ok()?;
        let (kind, gain) = self.gain(&next, &self.after.line)?;
        let taken = self.position.captured(self.m);
        let had = taken.map_or(0, |(_, _, kind)| self.worth(kind));
        (gain - had >= self.pawn()).then_some(FaultKind::LostPiece(kind))
    }

    /// What the better move would have won and kept, if it is more than this move took.
    fn missed_piece(&self) -> Option<FaultKind> {
        let (kind, gain) = self.gain(self.position, &self.before.line)?;
        let taken = self.position.captured(self.m);
        let had = taken.map_or(0, |(_, _, kind)| self.worth(kind));
        (gain - had >= self.pawn()).then_some(FaultKind::MissedPiece(kind))
    }

    /// The piece that the first move of a line takes, and what remains of that gain after a recapture.
    fn gain(&self, position: &Position, line: &[Move]) -> Option<(Kind, i32)> {
        let &first = line.first()?;
        let next = position.play(first).ok()?;
        let (_, _, kind) = position.captured(first)?;
        let answer = line.get(1).and_then(|&m| next.captured(m));
        let back = answer.filter(|(square, _, _)| *square == first.to());
        let given = back.map_or(0, |(_, _, kind)| self.worth(kind));
        Some((kind, self.worth(kind) - given))
    }

    fn worth(&self, kind: Kind) -> i32 {
        let value = self.values.piece(self.position.variant(), kind);
        (value.mg + value.eg) / 2
    }

    /// The worth of a pawn-type piece: a gain counts from there.
    fn pawn(&self) -> i32 {
        let variant = self.position.variant();
        let pawn = variant.kinds().find(|&k| variant.piece(k).pawn);
        pawn.map_or(100, |kind| self.worth(kind)).max(50)
    }

    fn balance(&self) -> FaultKind {
        let (before, after) = self.chances();
        match () {
            () if before >= WINNING && after < WINNING => FaultKind::LetSlip,
            () if before > 100.0 - WINNING && after <= 100.0 - WINNING => FaultKind::LostHold,
            () => FaultKind::Worse,
        }
    }
}

impl Opinion {
    /// The opinion of a position in which the rules have ended the game.
    pub fn of_end(turn: Side, winner: Option<Side>) -> Opinion {
        let score = match winner {
            None => Score::Cp(0),
            Some(winner) if winner == turn => Score::Mate(1),
            Some(_) => Score::Mate(0),
        };
        Opinion {
            score,
            line: Vec::new(),
        }
    }
}
