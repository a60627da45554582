//! Scores: whole numbers inside the search, centipawns or moves to mate outside. Mates keep their
//! exact distance; a win that is worth more points than a mate lies above it.

/// Bound of all scores.
pub(crate) const INFINITE: i32 = 32_500;
/// Stands for no score, such as the static evaluation of a side in check.
pub(crate) const NONE: i32 = 32_600;
/// A mate by a Green Gem on the board, where points count.
pub(crate) const GEM: i32 = 32_000;
/// A mate on the board.
pub(crate) const MATE: i32 = 31_000;
/// Scores beyond this stand for mates.
pub(crate) const MATE_BOUND: i32 = 30_000;
/// Highest number of plies from the root.
pub(crate) const MAX_PLY: usize = 240;

/// Whether the score stands for a mate for either side.
#[inline(always)]
pub(crate) fn is_mate(score: i32) -> bool {
    score.abs() > MATE_BOUND
}

/// A static evaluation, kept outside the range of mate scores.
#[inline(always)]
pub(crate) fn clamp_eval(score: i32) -> i32 {
    score.clamp(-MATE_BOUND + 1, MATE_BOUND - 1)
}

/// A score as the transposition table keeps it: a mate counted from the position, not from the root.
#[inline(always)]
pub(crate) fn to_table(score: i32, ply: usize) -> i32 {
    if score > MATE_BOUND {
        score + ply as i32
    } else if score < -MATE_BOUND {
        score - ply as i32
    } else {
        score
    }
}

/// The reverse of [`to_table`].
#[inline(always)]
pub(crate) fn from_table(score: i32, ply: usize) -> i32 {
    if score > MATE_BOUND {
        score - ply as i32
    } else if score < -MATE_BOUND {
        score + ply as i32
    } else {
        score
    }
}

/// A score for the side to move.
///
/// ```
/// use husun_engine::Score;
/// assert!(Score::Mate(3) > Score::Cp(900) && Score::Cp(0) > Score::Mate(-1));
/// assert!(Score::Mate(1) > Score::Mate(2) && Score::Mate(-2) > Score::Mate(-1));
/// assert_eq!(Score::Mate(-2).to_string(), "mate -2");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Score {
    /// Hundredths of a pawn.
    Cp(i32),
    /// A forced win in this many own moves; negative: a forced loss; 0: lost on the board. A win by any rule
    /// that ends the game counts.
    Mate(i32),
}

impl Score {
    pub(crate) fn of(score: i32) -> Score {
        if !is_mate(score) {
            return Score::Cp(score);
        }
        let top = if score.abs() > MATE + 500 { GEM } else { MATE };
        let plies = top - score.abs();
        if score > 0 {
            Score::Mate((plies + 1) / 2)
        } else {
            Score::Mate(-(plies / 2))
        }
    }

    /// One number that orders scores: centipawns, with mates beyond 30,000.
    pub fn value(self) -> i32 {
        match self {
            Score::Cp(cp) => cp,
            Score::Mate(n) if n > 0 => MATE - (2 * n - 1),
            Score::Mate(n) => -MATE - 2 * n,
        }
    }
}

impl PartialOrd for Score {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Score {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.value().cmp(&other.value())
    }
}

impl std::fmt::Display for Score {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Score::Cp(cp) => write!(f, "cp {cp}"),
            Score::Mate(n) => write!(f, "mate {n}"),
        }
    }
}

/// Chances of a win, a draw and a loss for the side to move, in thousandths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wdl {
    /// Wins.
    pub win: u16,
    /// Draws.
    pub draw: u16,
    /// Losses.
    pub loss: u16,
}

impl Wdl {
    /// The chances that a score stands for.
    ///
    /// ```
    /// use husun_engine::{Score, Wdl};
    /// let even = Wdl::of(Score::Cp(0));
    /// assert_eq!(even.win, even.loss);
    /// assert_eq!(Wdl::of(Score::Mate(2)).win, 1000);
    /// ```
    pub fn of(score: Score) -> Wdl {
        let cp = match score {
            Score::Mate(n) if n > 0 => return Wdl::certain(1000),
            Score::Mate(_) => return Wdl::certain(0),
            Score::Cp(cp) => f64::from(cp),
        };
        // A logistic curve for each end; an advantage of 150 wins half of the games.
        let chance = |x: f64| 1000.0 / (1.0 + (-(x - 150.0) / 100.0).exp());
        let (win, loss) = (chance(cp).round() as u16, chance(-cp).round() as u16);
        Wdl {
            win,
            draw: 1000_u16.saturating_sub(win + loss),
            loss,
        }
    }

    fn certain(win: u16) -> Wdl {
        Wdl {
            win,
            draw: 0,
            loss: 1000 - win,
        }
    }
}
