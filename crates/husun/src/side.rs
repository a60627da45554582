//! The two sides and the two wings of the board: two-way choices with names.

#[cfg(feature = "serde")]
use serde::{Deserialize, Serialize};

/// A player's side. White (South) starts on the low ranks and moves first.
///
/// ```
/// use husun::Side;
/// assert_eq!(Side::White.opponent(), Side::Black);
/// assert_eq!(Side::Black.letter(), 'b');
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
pub enum Side {
    /// South, Pure-White.
    White,
    /// North, Blue-Stripe.
    Black,
}

impl Side {
    /// Both sides, White first.
    pub const ALL: [Side; 2] = [Side::White, Side::Black];

    /// The other side.
    #[inline(always)]
    pub const fn opponent(self) -> Side {
        match self {
            Side::White => Side::Black,
            Side::Black => Side::White,
        }
    }

    /// 0 for White, 1 for Black.
    #[inline(always)]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// `w` or `b`, as in position text.
    pub const fn letter(self) -> char {
        match self {
            Side::White => 'w',
            Side::Black => 'b',
        }
    }

    /// `White` or `Black`.
    pub const fn name(self) -> &'static str {
        match self {
            Side::White => "White",
            Side::Black => "Black",
        }
    }

    /// The letter of a piece as this side writes it in position text: capital for White.
    pub const fn cased(self, letter: char) -> char {
        match self {
            Side::White => letter.to_ascii_uppercase(),
            Side::Black => letter.to_ascii_lowercase(),
        }
    }
}

/// A direction of castling.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Wing {
    /// Towards the last file; `O-O`.
    East,
    /// Towards file a; `O-O-O`.
    West,
}

impl Wing {
    /// Both wings, east first.
    pub const ALL: [Wing; 2] = [Wing::East, Wing::West];

    /// 0 for east, 1 for west.
    #[inline(always)]
    pub const fn index(self) -> usize {
        self as usize
    }
}
