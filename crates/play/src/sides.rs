//! A value for each side.

use husun::Side;
use serde::{Deserialize, Serialize};

/// A value for each side.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Both<T> {
    /// White's.
    pub white: T,
    /// Black's.
    pub black: T,
}

impl<T> Both<T> {
    /// Makes a value for each side.
    pub fn of(mut f: impl FnMut(Side) -> T) -> Both<T> {
        Both {
            white: f(Side::White),
            black: f(Side::Black),
        }
    }

    /// A side's value.
    pub fn get(&self, side: Side) -> &T {
        match side {
            Side::White => &self.white,
            Side::Black => &self.black,
        }
    }

    /// A side's value, mutable.
    pub fn get_mut(&mut self, side: Side) -> &mut T {
        match side {
            Side::White => &mut self.white,
            Side::Black => &mut self.black,
        }
    }
}
