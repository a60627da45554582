//! A table in memory: what is known of every arrangement of some men.

use crate::men::Men;
use engine::{Outcome, Verdict};
use husun::Side;

/// A number that is no position.
pub(crate) const NONE: u16 = 0;
/// A draw.
pub(crate) const DRAWN: u16 = 1;
/// The highest distance.
pub(crate) const FURTHEST: u16 = (u16::MAX - 4) / 2;

/// The number kept for a loss or a win at a distance.
pub(crate) fn decided(won: bool, distance: u16) -> u16 {
    2 + 2 * distance + u16::from(won)
}

/// What a number that is kept stands for, if it is a position.
pub(crate) fn verdict(kept: u16) -> Option<Verdict> {
    let (outcome, distance) = match kept {
        NONE => return None,
        DRAWN => (Outcome::Drawn, 0),
        lost if lost.is_multiple_of(2) => (Outcome::Lost, (lost - 2) / 2),
        won => (Outcome::Won, (won - 2) / 2),
    };
    Some(Verdict { outcome, distance })
}

/// How many positions are what for a side to move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Wins.
    pub won: u64,
    /// Draws.
    pub drawn: u64,
    /// Losses.
    pub lost: u64,
    /// The longest win in half-moves; 0 if there is none.
    pub longest: u16,
}

impl Counts {
    /// All positions.
    pub fn all(&self) -> u64 {
        self.won + self.drawn + self.lost
    }
}

/// The table of some men.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    pub(crate) men: Men,
    pub(crate) kept: Vec<u16>,
}

impl Table {
    /// Whose table it is.
    pub fn men(&self) -> &Men {
        &self.men
    }

    /// How many positions with the side to move are won, drawn and lost for it.
    pub fn counts(&self, turn: Side) -> Counts {
        let half = self.kept.len() / 2;
        let own = &self.kept[turn.index() * half..][..half];
        let mut counts = Counts::default();
        for verdict in own.iter().filter_map(|&kept| verdict(kept)) {
            match verdict.outcome {
                Outcome::Won => {
                    counts.won += 1;
                    counts.longest = counts.longest.max(verdict.distance);
                }
                Outcome::Drawn => counts.drawn += 1,
                Outcome::Lost => counts.lost += 1,
            }
        }
        counts
    }
}
