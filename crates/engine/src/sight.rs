//! What people overlook: how hard each move of a game is to see, from the ways of moving of its kinds, and which
//! moves an unskilled player does not think of in a turn. Full strength uses none of it.

use husun::betza::{Part, Vector, Way};
use husun::set::Set;
use husun::{Move, Side, Special, Variant};

use crate::facts::Facts;
use crate::random::Random;

/// How hard a move is to see, in quarters: nothing for a step, more the farther a piece goes.
type Hardness = u8;

/// For every square passed along a file or rank.
const STRAIGHT: i32 = 4;
/// For every square passed along a diagonal.
const DIAGONAL: i32 = 6;
/// For every step beyond the first of a rider that goes by leaps.
const OBLIQUE: i32 = 8;
/// For a leap that is not a step, such as a knight's.
const LEAP: i32 = 6;
/// For a bend on the way.
const BEND: i32 = 12;
/// For a piece that is jumped.
const HOP: i32 = 12;
/// For going back.
const BACK: i32 = 2;

/// How hard moves are to see, by kind and by offset as White sees it.
#[derive(Clone, Debug)]
pub(crate) struct Hardnesses {
    /// Offsets go from minus this to plus this, in files and in ranks.
    reach: i32,
    /// By kind, ranks and files of the offset; nothing where no way of the kind leads.
    of: Vec<Hardness>,
}

impl Hardnesses {
    pub fn new(variant: &Variant) -> Hardnesses {
        let frame = variant.frame();
        let reach = i32::from(frame.files().max(frame.ranks())) - 1;
        let width = (2 * reach + 1) as usize;
        let mut of = vec![Hardness::MAX; variant.pieces().len() * width * width];
        for (kind, piece) in variant.pieces().iter().enumerate() {
            for part in &piece.parts {
                each_offset(part, reach, &mut |(x, y), hard| {
                    let back = if y < 0 { BACK } else { 0 };
                    let hard = (hard + back).clamp(0, i32::from(Hardness::MAX) - 1) as Hardness;
                    let at = (kind * width + (y + reach) as usize) * width + (x + reach) as usize;
                    of[at] = of[at].min(hard);
                });
            }
        }
        // Castling and anything else that the rules add is done on purpose.
        for hard in of.iter_mut().filter(|h| **h == Hardness::MAX) {
            *hard = 0;
        }
        Hardnesses { reach, of }
    }

    fn get(&self, kind: usize, (x, y): (i32, i32)) -> Hardness {
        let width = 2 * self.reach + 1;
        let at = (kind as i32 * width + y + self.reach) * width + x + self.reach;
        self.of.get(at as usize).copied().unwrap_or(0)
    }
}

/// Calls `f` with every offset within the reach to which a part may lead, and how hard it is to see.
fn each_offset(part: &Part, reach: i32, f: &mut dyn FnMut((i32, i32), i32)) {
    let wide = |(x, y): Vector| (i32::from(x), i32::from(y));
    let within = |(x, y): (i32, i32)| x.abs() <= reach && y.abs() <= reach;
    let far = |max: u8| match max {
        0 => reach,
        max => i32::from(max),
    };
    match part.way {
        Way::Leap(to) => f(wide(to), leap(wide(to))),
        Way::Ride {
            step,
            max,
            hop,
            skip,
        } => {
            let (x, y) = wide(step);
            for n in 1 + i32::from(skip)..=far(max) {
                let to = (n * x, n * y);
                if within(to) {
                    let hopped = if hop { HOP } else { 0 };
                    f(to, leap((x, y)) + (n - 1) * passed((x, y)) + hopped);
                }
            }
        }
        Way::Bent {
            first,
            stop,
            step,
            max,
        } => {
            let ((a, b), (x, y)) = (wide(first), wide(step));
            if stop && within((a, b)) {
                f((a, b), leap((a, b)));
            }
            for n in 1..=far(max) {
                let to = (a + n * x, b + n * y);
                if within(to) {
                    f(to, leap((a, b)) + BEND + n * passed((x, y)));
                }
            }
        }
    }
}

/// Hardness of a single step or leap.
fn leap((x, y): (i32, i32)) -> i32 {
    match x.abs().max(y.abs()) {
        0 | 1 => 0,
        _ => LEAP,
    }
}

/// Hardness of each further step in a direction.
fn passed((x, y): (i32, i32)) -> i32 {
    match (x.abs(), y.abs()) {
        (0, _) | (_, 0) => STRAIGHT,
        (x, y) if x == y => DIAGONAL,
        _ => OBLIQUE,
    }
}

/// How well a level sees.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Eyes {
    /// Share of the moves next to a piece that are overlooked.
    pub near: f64,
    /// How fast that share grows with hardness, per quarter.
    pub far: f64,
}

/// Which moves a player does not think of in one turn. The same move is overlooked wherever it comes up, so that a
/// piece is left where an enemy's long move reaches it.
#[derive(Clone, Debug)]
pub(crate) struct Sight {
    seed: u64,
    /// By hardness: share of overlooked moves, in 65536ths.
    missed: Vec<u32>,
}

/// Whose moves, and of what sort.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Look {
    /// One's own moves.
    Own,
    /// The opponent's.
    Other,
    /// Either side's capture on the square that the last move went to, where everybody looks.
    Recapture,
}

impl Sight {
    pub fn new(eyes: Eyes, seed: u64) -> Sight {
        let missed = (0..=Hardness::MAX).map(|hard| {
            let seen = (1.0 - eyes.near) * (-eyes.far * f64::from(hard)).exp();
            ((1.0 - seen) * 65536.0) as u32
        });
        Sight {
            seed,
            missed: missed.collect(),
        }
    }

    /// Whether a move of the side is overlooked.
    pub fn overlooks<S: Set>(&self, facts: &Facts<S>, side: Side, m: Move, look: Look) -> bool {
        let missed = self.missed[usize::from(hardness(facts, side, m))];
        let missed = match look {
            Look::Own => missed * 3 / 4,
            Look::Other => missed,
            Look::Recapture => missed / 2,
        };
        let whose = side.index() as u64 + 1;
        let move_bits = u64::from(m.packed().bits()) << 2 | whose;
        let drawn = Random::new(self.seed ^ move_bits.wrapping_mul(0x9e37_79b9_7f4a_7c15)).next();
        ((drawn >> 48) as u32) < missed
    }
}

/// How hard a move is to see.
fn hardness<S: Set>(facts: &Facts<S>, side: Side, m: Move) -> Hardness {
    if !matches!(m.special(), Special::None | Special::EnPassant) {
        return 0;
    }
    let places = &facts.geometry.places;
    let ((x, y), (u, v)) = (places[m.from().index()], places[m.to().index()]);
    let ahead = if side == Side::White { v - y } else { y - v };
    facts.hardnesses.get(m.piece().index(), (u - x, ahead))
}
