//! What the engine does besides moving: when it accepts a draw, offers one, or resigns. It decides by what it
//! thought of its position at its last turns.

/// Half-moves after which a game is late.
const LATE: usize = 60;
/// Half-moves without a capture or a pawn's move after which a position is quiet.
const QUIET: u32 = 10;
/// Centipawns within which a position is even.
const EVEN: i32 = 30;
/// Turns in a row at which it was even before the engine offers a draw.
const EVEN_TURNS: usize = 5;
/// Half-moves after which it offers a draw again.
const AGAIN: usize = 30;
/// Half-moves before which it accepts no draw, however it stands.
const EARLY: usize = 20;
/// Centipawns by which it stands worse, two turns in a row, when it accepts any draw after that.
const WORSE: i32 = -100;
/// Centipawns at which it has lost ...
const LOST: i32 = -1000;
/// ... if that was so for this many turns in a row.
const LOST_TURNS: usize = 4;

/// What the engine thought of its position at its last turns, in centipawns for its own side.
///
/// ```
/// let mut thoughts = husun_engine::Thoughts::default();
/// for ply in [60, 62, 64, 66, 68] {
///     thoughts.note(ply, -8);
/// }
/// // Late and even, but something has just been taken; then it is quiet.
/// assert!(!thoughts.takes_draw(69, 0));
/// assert!(thoughts.takes_draw(69, 12));
/// assert!(thoughts.offers_draw(69, 12));
/// assert!(!thoughts.resigns());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Thoughts {
    /// Half-moves played, with the score.
    last: Vec<(usize, i32)>,
    offered: Option<usize>,
}

impl Thoughts {
    /// Notes what it thinks after `ply` half-moves. Thoughts about later positions are dropped: their moves
    /// were taken back.
    pub fn note(&mut self, ply: usize, score: i32) {
        self.last.retain(|&(at, _)| at < ply);
        self.offered = self.offered.filter(|&at| at <= ply);
        self.last.push((ply, score));
        if self.last.len() > EVEN_TURNS.max(LOST_TURNS) {
            self.last.remove(0);
        }
    }

    /// Notes that it has offered a draw after `ply` half-moves.
    pub fn note_offer(&mut self, ply: usize) {
        self.offered = Some(ply);
    }

    /// Whether its last turns, at least `turns` of them, were all as wanted.
    fn were(&self, turns: usize, wanted: impl Fn(i32) -> bool) -> bool {
        let last = self.last.iter().rev().take(turns);
        self.last.len() >= turns && last.map(|&(_, score)| score).all(wanted)
    }

    /// Whether it accepts a draw after `ply` half-moves, the last `idle` of them without a capture or a pawn's move:
    /// in a late and quiet game in which it stood no better for some turns, and when it stands worse.
    pub fn takes_draw(&self, ply: usize, idle: u32) -> bool {
        let even = ply >= LATE && idle >= QUIET && self.were(EVEN_TURNS, |score| score <= EVEN);
        even || ply >= EARLY && self.were(2, |score| score <= WORSE)
    }

    /// Whether it offers a draw: in a late and quiet game that was even for some turns, now and then.
    pub fn offers_draw(&self, ply: usize, idle: u32) -> bool {
        ply >= LATE
            && idle >= QUIET
            && self.were(EVEN_TURNS, |score| score.abs() <= EVEN)
            && self.offered.is_none_or(|at| at + AGAIN <= ply)
    }

    /// Whether it resigns, if it may: it has been lost for some turns.
    pub fn resigns(&self) -> bool {
        self.were(LOST_TURNS, |score| score <= LOST)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn thoughts(scores: &[i32], from: usize) -> Thoughts {
        let mut thoughts = Thoughts::default();
        for (n, &score) in scores.iter().enumerate() {
            thoughts.note(from + 2 * n, score);
        }
        thoughts
    }

    #[test]
    fn draws_have_reasons() {
        for (scores, from, idle, takes, offers) in [
            // Even, late and quiet.
            (&[5, -10, 0, 12, -30][..], 60, 20, true, true),
            // Too early, too lively, too short a time, and better.
            (&[0; 5], 20, 20, false, false),
            (&[0; 5], 80, 3, false, false),
            (&[0; 4], 80, 20, false, false),
            (&[0, 0, 0, 0, 40], 80, 20, false, false),
            // Worse: it takes what it would not offer, but not in the opening.
            (&[0, 0, -140, -150], 40, 0, true, false),
            (&[-40; 5], 80, 20, true, false),
            (&[-140, -150], 4, 0, false, false),
            (&[], 0, 0, false, false),
        ] {
            let thoughts = thoughts(scores, from);
            let ply = from + 2 * scores.len();
            assert_eq!(thoughts.takes_draw(ply, idle), takes, "{scores:?} {from}");
            assert_eq!(thoughts.offers_draw(ply, idle), offers, "{scores:?} {from}");
        }
    }

    #[test]
    fn it_does_not_offer_again_and_again() {
        let mut thoughts = thoughts(&[0; 5], 60);
        thoughts.note_offer(70);
        assert!(!thoughts.offers_draw(72, 20));
        assert!(thoughts.offers_draw(100, 20));
        // The offer was taken back with the moves.
        for ply in [50, 52, 54, 56, 60] {
            thoughts.note(ply, 0);
        }
        assert!(thoughts.offers_draw(62, 20));
    }

    #[test]
    fn it_gives_up_only_what_stays_lost() {
        assert!(thoughts(&[-1000, -1200, -29_000, -1100], 40).resigns());
        assert!(!thoughts(&[-1200, -900, -1200, -1200], 40).resigns());
        assert!(!thoughts(&[-1200; 3], 40).resigns());
    }
}
