//! A value early and late in the game, with its arithmetic.

use serde::{Deserialize, Serialize};

/// A value early and late in the game, in centipawns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "[i32; 2]", into = "[i32; 2]")]
pub struct Pair {
    /// With all pieces on the board.
    pub mg: i32,
    /// With few pieces left.
    pub eg: i32,
}

/// A pair of values.
pub(crate) const fn pair(mg: i32, eg: i32) -> Pair {
    Pair { mg, eg }
}

impl From<[i32; 2]> for Pair {
    fn from([mg, eg]: [i32; 2]) -> Pair {
        Pair { mg, eg }
    }
}

impl From<Pair> for [i32; 2] {
    fn from(pair: Pair) -> [i32; 2] {
        [pair.mg, pair.eg]
    }
}

impl std::ops::Add for Pair {
    type Output = Pair;
    #[inline(always)]
    fn add(self, other: Pair) -> Pair {
        pair(self.mg + other.mg, self.eg + other.eg)
    }
}

impl std::ops::Sub for Pair {
    type Output = Pair;
    #[inline(always)]
    fn sub(self, other: Pair) -> Pair {
        pair(self.mg - other.mg, self.eg - other.eg)
    }
}

impl std::ops::AddAssign for Pair {
    #[inline(always)]
    fn add_assign(&mut self, other: Pair) {
        *self = *self + other;
    }
}

impl std::ops::SubAssign for Pair {
    #[inline(always)]
    fn sub_assign(&mut self, other: Pair) {
        *self = *self - other;
    }
}

impl std::ops::Mul<i32> for Pair {
    type Output = Pair;
    #[inline(always)]
    fn mul(self, by: i32) -> Pair {
        pair(self.mg * by, self.eg * by)
    }
}
