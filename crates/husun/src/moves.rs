//! A move as a value: squares, the kind that moves, the kind that stands there afterwards, and what
//! kind of move it is. Whether it is legal is not known here.

use crate::frame::Square;
use crate::variant::Kind;

/// What happens besides a piece going from one square to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Special {
    /// Nothing but a capture of what stands on the target, if anything does.
    None = 0,
    /// An initial step of two or three squares.
    InitialStep = 1,
    /// An en-passant capture.
    EnPassant = 2,
    /// Castling towards the last file.
    CastleEast = 3,
    /// Castling towards file a.
    CastleWest = 4,
    /// No piece moves: all pieces of the crowning's kind are promoted.
    Crowning = 5,
}

const SPECIALS: [Special; 6] = [
    Special::None,
    Special::InitialStep,
    Special::EnPassant,
    Special::CastleEast,
    Special::CastleWest,
    Special::Crowning,
];

/// A move of some position. Made by a position's move generator alone.
///
/// ```
/// # let chess = husun::Variant::parse("t.toml", husun::doctest::MINI).unwrap();
/// let start = chess.start();
/// let m = start.parse_uci("a1a4").unwrap();
/// assert_eq!(start.uci(m).to_string(), "a1a4");
/// assert_eq!(chess.frame.name(m.from()).to_string(), "a1");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Move(u32);

impl Move {
    #[inline(always)]
    pub(crate) const fn new(from: u8, to: u8, piece: u8, placed: u8, special: Special) -> Move {
        Move(
            from as u32
                | (to as u32) << 8
                | (piece as u32) << 16
                | (placed as u32) << 21
                | (special as u32) << 26,
        )
    }

    #[inline(always)]
    #[allow(clippy::wrong_self_convention)] // the square it comes from
    pub(crate) const fn from_index(self) -> u8 {
        self.0 as u8
    }

    #[inline(always)]
    pub(crate) const fn to_index(self) -> u8 {
        (self.0 >> 8) as u8
    }

    #[inline(always)]
    pub(crate) const fn piece_index(self) -> u8 {
        (self.0 >> 16) as u8 & 31
    }

    #[inline(always)]
    pub(crate) const fn placed_index(self) -> u8 {
        (self.0 >> 21) as u8 & 31
    }

    /// The square that the piece leaves.
    #[inline(always)]
    pub const fn from(self) -> Square {
        Square(self.from_index())
    }

    /// The square that it arrives on; for a crowning the same.
    #[inline(always)]
    pub const fn to(self) -> Square {
        Square(self.to_index())
    }

    /// The kind that moves.
    #[inline(always)]
    pub const fn piece(self) -> Kind {
        Kind(self.piece_index())
    }

    /// The kind that stands on the target afterwards.
    #[inline(always)]
    pub const fn placed(self) -> Kind {
        Kind(self.placed_index())
    }

    /// What happens besides.
    #[inline(always)]
    pub const fn special(self) -> Special {
        SPECIALS[(self.0 >> 26) as usize % SPECIALS.len()]
    }

    /// Whether another kind stands on the target afterwards than the one that moved.
    #[inline(always)]
    pub const fn changes_kind(self) -> bool {
        self.piece_index() != self.placed_index()
    }

    /// The move as a number that [`Move::from_bits`] reads, for tables.
    #[inline(always)]
    pub const fn bits(self) -> u32 {
        self.0
    }

    /// The move of a number that [`Move::bits`] gave. A number from elsewhere gives a move that is
    /// legal nowhere; look it up among the legal ones before making it.
    #[inline(always)]
    pub const fn from_bits(bits: u32) -> Move {
        Move(bits)
    }
}

impl std::fmt::Debug for Move {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "Move({}->{} kind {} placed {} {:?})",
            self.from_index(),
            self.to_index(),
            self.piece_index(),
            self.placed_index(),
            self.special()
        )
    }
}
