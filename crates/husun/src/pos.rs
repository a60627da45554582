//! A position at one width of set: where the pieces stand, whose turn it is, rights, state flags,
//! counters and key. It knows no rules; [`crate::tables::Tables`] makes and generates its moves.

use crate::cpu::Cpu;
use crate::frame::Square;
use crate::piece::Kind;
use crate::set::Set;
use crate::setup::CastlingRights;
use crate::side::Side;
use crate::tables::Needs;

/// No square.
pub(crate) const NO_SQUARE: Square = Square(u8::MAX);

/// Bytes that are copied at a time without a call of a function, a multiple of 32.
const PART: usize = 256;

/// Kinds that are queried together. For the most important groups a position keeps a set of all their pieces.
#[derive(Clone, Debug, Default)]
pub(crate) struct Group {
    pub kinds: Vec<u8>,
    /// The plane of the whole group, or of its first kind, or one that stays empty.
    pub plane: u8,
    /// Planes of the others.
    pub rest: Vec<u8>,
}

impl Group {
    /// Without a plane of its own.
    pub fn new(kinds: Vec<u8>) -> Group {
        Group {
            plane: kinds.first().copied().unwrap_or(0),
            rest: kinds.iter().skip(1).copied().collect(),
            kinds,
        }
    }
}

/// A position; copied to make a move. In this order, and aligned so that no vector with which it is copied lies across two
/// lines of the cache: what is read right after the copy would wait for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(32))]
pub struct Pos<S: Set> {
    /// By kind; then of the groups of kinds that the tables chose.
    pub(crate) kinds: S::Planes,
    pub(crate) sides: [S; 2],
    pub(crate) key: u64,
    pub(crate) halfmove: u32,
    pub(crate) fullmove: u32,
    /// Squares on which a legal en-passant capture exists, lowest first.
    pub(crate) passed: [Square; 2],
    /// The piece that such a capture takes.
    pub(crate) victim: Square,
    pub(crate) rights: CastlingRights,
    pub(crate) state: u16,
    pub(crate) turn: Side,
}

impl<S: Set> Pos<S> {
    /// An empty board.
    pub(crate) fn empty() -> Self {
        Pos {
            kinds: S::no_planes(),
            sides: [S::EMPTY; 2],
            key: 0,
            halfmove: 0,
            fullmove: 1,
            passed: [NO_SQUARE; 2],
            victim: NO_SQUARE,
            rights: CastlingRights::default(),
            state: 0,
            turn: Side::White,
        }
    }

    /// Makes it a copy of another by moves of a few vectors, part by part: as a whole, the larger widths are copied by a
    /// call of `memcpy`.
    #[inline(always)]
    pub(crate) fn copy_from(&mut self, other: &Self) {
        let (to, from) = (self.kinds.as_mut(), other.kinds.as_ref());
        let most = PART / size_of::<S>();
        let [a, b, c] = [0, 1, 2].map(|i| (i * most).min(from.len()));
        to[a..b].copy_from_slice(&from[a..b]);
        to[b..c].copy_from_slice(&from[b..c]);
        to[c..].copy_from_slice(&from[c..]);
        self.sides = other.sides;
        self.key = other.key;
        self.halfmove = other.halfmove;
        self.fullmove = other.fullmove;
        self.passed = other.passed;
        self.victim = other.victim;
        self.rights = other.rights;
        self.state = other.state;
        self.turn = other.turn;
    }

    /// Who is to move.
    #[inline(always)]
    pub fn turn(&self) -> Side {
        self.turn
    }

    /// All squares with a piece of the side.
    #[inline(always)]
    pub fn side(&self, side: Side) -> S {
        self.sides[side.index()]
    }

    /// All squares with a piece of the kind, of either side.
    ///
    /// # Panics
    ///
    /// If the kind is of a game with more kinds than the width has room for.
    #[inline(always)]
    pub fn kind(&self, kind: Kind) -> S {
        self.kinds.as_ref()[kind.index()]
    }

    /// All squares with a piece of the kind and side.
    ///
    /// # Panics
    ///
    /// If the kind is of a game with more kinds than the width has room for.
    #[inline(always)]
    pub fn pieces(&self, side: Side, kind: Kind) -> S {
        self.kind(kind) & self.side(side)
    }

    /// All squares with a piece.
    #[inline(always)]
    pub fn occupied(&self) -> S {
        self.sides[0] | self.sides[1]
    }

    /// What stands on a square.
    #[inline(always)]
    pub fn piece_on(&self, square: Square) -> Option<(Side, Kind)> {
        let side = if square.index() >= S::CAPACITY {
            return None;
        } else if self.sides[0].has(square) {
            Side::White
        } else if self.sides[1].has(square) {
            Side::Black
        } else {
            return None;
        };
        Some((side, Kind(self.kind_at(square))))
    }

    /// The kind on an occupied square.
    #[inline(always)]
    pub(crate) fn kind_at(&self, square: Square) -> u8 {
        // Pawns are mostly listed last, and taken most often.
        let planes = &self.kinds.as_ref()[..S::KINDS];
        planes.iter().rposition(|p| p.has(square)).unwrap_or(0) as u8
    }

    /// Castling rights.
    #[inline(always)]
    pub fn rights(&self) -> CastlingRights {
        self.rights
    }

    /// Half-moves since the last capture, pawn move or promotion.
    #[inline(always)]
    pub fn halfmove(&self) -> u32 {
        self.halfmove
    }

    /// Number of the full move, from 1.
    #[inline(always)]
    pub fn fullmove(&self) -> u32 {
        self.fullmove
    }

    /// Zobrist key of all but the two counters.
    #[inline(always)]
    pub fn key(&self) -> u64 {
        self.key
    }

    /// Squares on which a legal en-passant capture exists, lowest first.
    pub fn en_passant(&self) -> impl Iterator<Item = Square> + use<S> {
        self.passed.into_iter().filter(|&s| s != NO_SQUARE)
    }

    /// State flags: bit `i` for number `i` of [`crate::definition::Definition::state_flags`].
    #[inline(always)]
    pub fn state(&self) -> u16 {
        self.state
    }

    /// Whether the two are the same position in all but the two counters.
    pub fn same_position(&self, other: &Self) -> bool {
        let counters = |p: &Self| Pos {
            halfmove: 0,
            fullmove: 0,
            ..*p
        };
        self.key == other.key && counters(self) == counters(other)
    }

    /// All squares with a piece of one of the kinds.
    #[inline(always)]
    pub(crate) fn of_kinds(&self, group: &Group) -> S {
        let planes = self.kinds.as_ref();
        let first = planes[usize::from(group.plane)];
        group
            .rest
            .iter()
            .fold(first, |set, &k| set | planes[usize::from(k)])
    }

    /// The same in a copy of what generates moves: only some games have groups without a plane of their own.
    #[inline(always)]
    pub(crate) fn of<C: Cpu>(&self, group: &Group) -> S {
        if C::NEEDS.has(Needs::SPLIT) {
            return self.of_kinds(group);
        }
        self.kinds.as_ref()[usize::from(group.plane)]
    }
}
