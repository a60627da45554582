//! Any arrangement of a game's pieces with side, rights, state and counters, legal or not. The gate
//! from here to a position that the rules allow is [`crate::position::Position::from_setup`].

use crate::frame::Square;
use crate::piece::Kind;
use crate::side::{Side, Wing};

/// Castling rights of both sides.
///
/// ```
/// use husun::{CastlingRights, Side, Wing};
/// let mut rights = CastlingRights::default();
/// rights.add(Side::White, Wing::East);
/// assert!(rights.has(Side::White, Wing::East) && !rights.has(Side::Black, Wing::East));
/// rights.remove(Side::White, Wing::East);
/// assert!(rights.is_empty());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct CastlingRights(pub(crate) u8);

impl CastlingRights {
    /// The letters of position text with what they stand for, in order.
    pub const LETTERS: [(char, Side, Wing); 4] = [
        ('K', Side::White, Wing::East),
        ('Q', Side::White, Wing::West),
        ('k', Side::Black, Wing::East),
        ('q', Side::Black, Wing::West),
    ];

    #[inline(always)]
    pub(crate) const fn bit(side: Side, wing: Wing) -> u8 {
        1 << (2 * side.index() + wing.index())
    }

    /// Whether the side has the right.
    #[inline(always)]
    pub const fn has(self, side: Side, wing: Wing) -> bool {
        self.0 & Self::bit(side, wing) != 0
    }

    /// Gives a right.
    pub fn add(&mut self, side: Side, wing: Wing) {
        self.0 |= Self::bit(side, wing);
    }

    /// Takes a right away.
    pub fn remove(&mut self, side: Side, wing: Wing) {
        self.0 &= !Self::bit(side, wing);
    }

    /// Whether there are no rights.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }
}

/// An arrangement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setup {
    /// What stands on each square, by [`Square`].
    pub board: Vec<Option<(Side, Kind)>>,
    /// Who is to move.
    pub turn: Side,
    /// Castling rights.
    pub rights: CastlingRights,
    /// Squares on which an en-passant capture may exist.
    pub en_passant: Vec<Square>,
    /// State flags, bit `i` for number `i` of [`crate::definition::Definition::state_flags`].
    pub state: u16,
    /// Half-moves since the last capture, pawn move or promotion.
    pub halfmove: u32,
    /// Number of the full move.
    pub fullmove: u32,
}

impl Setup {
    /// What stands on a square.
    pub fn piece_on(&self, square: Square) -> Option<(Side, Kind)> {
        self.board.get(square.index()).copied().flatten()
    }
}
