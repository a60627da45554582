//! A move as a value: squares, the kind that moves, the kind that stands there afterwards, and what
//! kind of move it is. Whether it is legal is not known here.

use crate::frame::Square;
use crate::piece::Kind;
use std::num::NonZeroU32;

/// What happens besides a piece going from one square to another. A mechanism may add to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[repr(u8)]
pub enum Special {
    /// Nothing but a capture of what stands on the target, if anything does. Whoever follows a position move by move may
    /// rely on that.
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

/// The move is not one of the legal moves of the position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the move is not legal here")]
pub struct IllegalMove;

/// A move of some position. Only a position's move generator makes moves, but a move of one position may well be shown
/// to another, which then refuses it.
///
/// ```
/// # let chess = husun::Variant::parse("t.toml", husun::doctest::MINI).unwrap();
/// let start = chess.start();
/// let m = start.parse_uci("a1a4").unwrap();
/// assert_eq!(start.uci(m).to_string(), "a1a4");
/// assert_eq!(chess.frame().name(m.from()).to_string(), "a1");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Move(NonZeroU32);

/// Keeps every move's number from being 0, so that `Option<Move>` takes no more room than a move.
const MARK: NonZeroU32 = match NonZeroU32::new(1 << 31) {
    Some(mark) => mark,
    None => NonZeroU32::MIN,
};

impl Move {
    #[inline(always)]
    pub(crate) fn new(from: Square, to: Square, piece: u8, placed: u8, special: Special) -> Move {
        let squares = u32::from(from.0) | u32::from(to.0) << 8;
        let kinds = u32::from(piece) << 16 | u32::from(placed) << 21;
        Move(MARK | squares | kinds | (special as u32) << 26)
    }

    #[inline(always)]
    pub(crate) const fn piece_index(self) -> u8 {
        (self.0.get() >> 16) as u8 & 31
    }

    #[inline(always)]
    pub(crate) const fn placed_index(self) -> u8 {
        (self.0.get() >> 21) as u8 & 31
    }

    /// The square that the piece leaves.
    #[inline(always)]
    pub const fn from(self) -> Square {
        Square(self.0.get() as u8)
    }

    /// The square that it arrives on; for a crowning the same.
    #[inline(always)]
    pub const fn to(self) -> Square {
        Square((self.0.get() >> 8) as u8)
    }

    /// Whether no piece moves: the move acts on the whole board, and is written as a square twice.
    #[inline(always)]
    pub const fn is_whole_act(self) -> bool {
        matches!(self.special(), Special::Crowning)
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
        SPECIALS[(self.0.get() >> 26 & 7) as usize % SPECIALS.len()]
    }

    /// Whether a kind other than the one that moved stands on the target afterwards.
    #[inline(always)]
    pub const fn changes_kind(self) -> bool {
        self.piece_index() != self.placed_index()
    }

    /// The form of the move kept in a table of positions.
    #[inline(always)]
    pub const fn packed(self) -> PackedMove {
        PackedMove(self.0.get() ^ MARK.get())
    }
}

/// A move as kept in a table of positions: a number that may be stored anywhere and that proves nothing when it comes
/// back. [`Position::unpack`](crate::Position::unpack) and [`Tables::unpack`](crate::tables::Tables::unpack) find the
/// legal move that it stands for, if any; a search compares it with the moves that it has.
///
/// ```
/// # let chess = husun::Variant::parse("t.toml", husun::doctest::MINI).unwrap();
/// use husun::PackedMove;
/// let start = chess.start();
/// let m = start.parse_uci("a1a4").unwrap();
/// let stored = m.packed().bits();
/// assert_eq!(start.unpack(PackedMove::from_bits(stored)), Some(m));
/// assert_eq!(start.unpack(PackedMove::from_bits(12345)), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PackedMove(u32);

impl PackedMove {
    /// How many bits the number has at most.
    pub const BITS: u32 = 29;

    /// The number; 0 stands for no move.
    #[inline(always)]
    pub const fn bits(self) -> u32 {
        self.0
    }

    /// A move with these squares and kinds, which may be of no game at all.
    #[inline(always)]
    pub(crate) fn unchecked(self) -> Move {
        Move(MARK | self.0)
    }

    /// From any number.
    #[inline(always)]
    pub const fn from_bits(bits: u32) -> PackedMove {
        PackedMove(bits)
    }
}

impl std::fmt::Debug for Move {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "Move({}->{} kind {} placed {} {:?})",
            self.from().index(),
            self.to().index(),
            self.piece_index(),
            self.placed_index(),
            self.special()
        )
    }
}
