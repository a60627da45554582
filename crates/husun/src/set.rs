//! Sets of squares: 64, 128 or 192 bits wide, one type generic over its number of 64-bit words.
//! The width also decides how many kinds of piece a position has room for. No chess is known here,
//! except that each width brings what generates moves, compiled for it.

use crate::frame::Square;
use crate::movegen::Compiled;
use std::fmt::Debug;
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Not};

/// A set of squares in `N` words of 64 bits; bit `i` of the whole stands for square number `i`.
///
/// ```
/// use husun::Frame;
/// use husun::set::{Set, Words};
/// let board = Frame::new(12, 10, |_, _| false).unwrap();
/// let (d1, e9) = (board.parse("d1").unwrap(), board.parse("e9").unwrap());
/// let mut s = Words::<2>::bit(d1) | Words::bit(e9);
/// assert_eq!(s.count(), 2);
/// assert_eq!(s.iter().collect::<Vec<_>>(), [d1, e9]);
/// assert_eq!(s.pop_first(), Some(d1));
/// assert!(!s.has(d1) && s.has(e9));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Words<const N: usize>(pub [u64; N]);

/// How many groups of kinds a position keeps a set for.
pub const EXTRA_PLANES: usize = 4;

/// What the rules need of a set of squares; implemented by the three widths alone.
pub trait Set:
    Copy
    + Eq
    + Debug
    + Default
    + Send
    + Sync
    + 'static
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitXor<Output = Self>
    + Not<Output = Self>
    + BitAndAssign
    + BitOrAssign
    + BitXorAssign
    + Compiled
{
    /// Number of squares that fit.
    const CAPACITY: usize;
    /// Number of 64-bit words.
    const WORDS: usize;
    /// Number of kinds of piece that a position of this width holds.
    const KINDS: usize;
    /// The set without squares.
    const EMPTY: Self;
    /// One set for each kind of piece, and [`EXTRA_PLANES`] for groups of kinds.
    type Planes: Copy + Eq + Debug + AsRef<[Self]> + AsMut<[Self]> + Send + Sync + 'static;

    /// Planes with nothing on them.
    fn no_planes() -> Self::Planes;
    /// The set of one square, which must fit the width; otherwise the result is unspecified.
    fn bit(square: Square) -> Self;
    /// Word number `i`, squares `64 * i` to `64 * i + 63`.
    fn word(self, i: usize) -> u64;
    /// The set made of the given words; those beyond the width are ignored.
    fn from_words(word: impl Fn(usize) -> u64) -> Self;
    /// Whether the square is in the set.
    fn has(self, square: Square) -> bool;
    /// Whether no square is in the set.
    fn is_empty(self) -> bool;
    /// Number of squares in the set.
    fn count(self) -> u32;
    /// The lowest square, if any.
    fn first(self) -> Option<Square>;
    /// The highest square, if any.
    fn last(self) -> Option<Square>;
    /// All squares up to and including the lowest of the set; all squares if it is empty.
    fn through_first(self) -> Self;
    /// All squares from the highest of the set on; all squares if it is empty.
    fn since_last(self) -> Self;
    /// The set itself if the flag is 1, the empty set if it is 0.
    fn if_set(self, flag: u8) -> Self;
    /// Every square moved by `delta`, which lies within -63..=63 and is not 0. What leaves the set at one end may come in at
    /// the other.
    fn shifted(self, delta: i8) -> Self;

    /// Whether at least one square is in the set.
    #[inline(always)]
    fn any(self) -> bool {
        !self.is_empty()
    }

    /// Whether two or more squares are in the set.
    #[inline(always)]
    fn many(self) -> bool {
        self.count() > 1
    }

    /// The squares of this set that are not in the other.
    #[inline(always)]
    fn without(self, other: Self) -> Self {
        self & !other
    }

    /// Removes and returns the lowest square.
    fn pop_first(&mut self) -> Option<Square>;

    /// The squares from the lowest to the highest.
    #[inline(always)]
    fn iter(self) -> Squares<Self> {
        Squares(self)
    }

    /// The lowest `n` squares: all squares of a board that has `n`.
    fn lowest(n: usize) -> Self {
        Self::from_words(|i| match n.saturating_sub(64 * i) {
            64.. => u64::MAX,
            some => (1 << some) - 1,
        })
    }

    /// The set of all given squares.
    fn from_squares(squares: impl IntoIterator<Item = Square>) -> Self {
        squares
            .into_iter()
            .fold(Self::EMPTY, |set, square| set | Self::bit(square))
    }
}

/// Runs a block for each square of a set, lowest first, word by word: in the innermost loops this takes
/// a quarter of the instructions of [`Set::iter`], which has to look for the word each time.
macro_rules! each {
    ($words:expr, $square:ident in $set:expr => $body:block) => {{
        let set = $set;
        for i in 0..$words {
            let mut word = set.word(i);
            while word != 0 {
                let $square = $crate::frame::Square((64 * i as u32 + word.trailing_zeros()) as u8);
                word &= word - 1;
                $body
            }
        }
    }};
}
pub(crate) use each;

/// The squares of a set, lowest first.
#[derive(Clone, Debug)]
pub struct Squares<S>(S);

impl<S: Set> Iterator for Squares<S> {
    type Item = Square;

    #[inline(always)]
    fn next(&mut self) -> Option<Square> {
        self.0.pop_first()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let n = self.0.count() as usize;
        (n, Some(n))
    }
}

/// Ties a width to its room for kinds of piece.
pub trait Width {
    /// See [`Set::KINDS`].
    const KINDS: usize;
    /// See [`Set::Planes`].
    type Planes;
    /// See [`Set::no_planes`].
    fn no_planes() -> Self::Planes;
}

macro_rules! width {
    ($words:literal, $kinds:literal) => {
        impl Width for Words<$words> {
            const KINDS: usize = $kinds;
            type Planes = [Self; $kinds + EXTRA_PLANES];
            #[inline(always)]
            fn no_planes() -> Self::Planes {
                [Words([0; $words]); $kinds + EXTRA_PLANES]
            }
        }
    };
}
width!(1, 8);
width!(2, 16);
width!(3, 24);

impl<const N: usize> Set for Words<N>
where
    Self: Width + Compiled,
    <Self as Width>::Planes: Copy + Eq + Debug + AsRef<[Self]> + AsMut<[Self]> + Send + Sync,
{
    const CAPACITY: usize = 64 * N;
    const WORDS: usize = N;
    const KINDS: usize = <Self as Width>::KINDS;
    const EMPTY: Self = Words([0; N]);
    type Planes = <Self as Width>::Planes;

    #[inline(always)]
    fn no_planes() -> Self::Planes {
        <Self as Width>::no_planes()
    }

    #[inline(always)]
    fn bit(square: Square) -> Self {
        // No index known only at run time, which would send the words through memory.
        let (word, bit) = (usize::from(square.0 >> 6), 1 << (square.0 & 63));
        Words(std::array::from_fn(|i| {
            if N == 1 || i == word { bit } else { 0 }
        }))
    }

    #[inline(always)]
    fn word(self, i: usize) -> u64 {
        self.0[i]
    }

    #[inline(always)]
    fn from_words(word: impl Fn(usize) -> u64) -> Self {
        Words(std::array::from_fn(word))
    }

    #[inline(always)]
    fn has(self, square: Square) -> bool {
        // Again no index known only at run time.
        let at = usize::from(square.0 >> 6);
        let word = (1..N).fold(self.0[0], |word, i| if i == at { self.0[i] } else { word });
        word >> (square.0 & 63) & 1 != 0
    }

    #[inline(always)]
    fn is_empty(self) -> bool {
        self.0.iter().fold(0, |all, w| all | w) == 0
    }

    #[inline(always)]
    fn count(self) -> u32 {
        self.0.iter().map(|w| w.count_ones()).sum()
    }

    #[inline(always)]
    fn first(self) -> Option<Square> {
        for i in 0..N {
            if self.0[i] != 0 {
                return Some(Square((64 * i as u32 + self.0[i].trailing_zeros()) as u8));
            }
        }
        None
    }

    #[inline(always)]
    fn pop_first(&mut self) -> Option<Square> {
        for i in 0..N {
            let word = self.0[i];
            if word != 0 {
                self.0[i] = word & (word - 1);
                return Some(Square((64 * i as u32 + word.trailing_zeros()) as u8));
            }
        }
        None
    }

    #[inline(always)]
    fn last(self) -> Option<Square> {
        for i in (0..N).rev() {
            if self.0[i] != 0 {
                return Some(Square(
                    (64 * i as u32 + 63 - self.0[i].leading_zeros()) as u8,
                ));
            }
        }
        None
    }

    #[inline(always)]
    fn through_first(self) -> Self {
        // x ^ (x - 1), with the borrow carried from word to word.
        let mut borrow = true;
        Words(std::array::from_fn(|i| {
            let (less, under) = self.0[i].overflowing_sub(u64::from(borrow));
            borrow = under;
            self.0[i] ^ less
        }))
    }

    #[inline(always)]
    fn since_last(self) -> Self {
        let mut above = 0;
        let mut words = [0; N];
        for i in (0..N).rev() {
            // Once a higher word holds the last square, the lower ones are left out.
            let here = u64::MAX << (63 - (self.0[i] | 1).leading_zeros());
            words[i] = if above == 0 { here } else { 0 };
            above |= self.0[i];
        }
        // Words under an empty higher word start from their own last square; an empty word counts
        // whole, as `| 1` makes it.
        Words(words)
    }

    #[inline(always)]
    fn if_set(self, flag: u8) -> Self {
        let all = u64::from(flag).wrapping_neg();
        Words(self.0.map(|w| w & all))
    }

    #[inline(always)]
    fn shifted(self, delta: i8) -> Self {
        debug_assert!(delta != 0 && delta.unsigned_abs() < 64);
        if N == 1 {
            return Words(self.0.map(|w| w.rotate_left(delta as u32)));
        }
        let n = u32::from(delta.unsigned_abs());
        if delta > 0 {
            Words(std::array::from_fn(|i| {
                let carried = if i == 0 { 0 } else { self.0[i - 1] >> (64 - n) };
                self.0[i] << n | carried
            }))
        } else {
            Words(std::array::from_fn(|i| {
                let carried = if i + 1 == N {
                    0
                } else {
                    self.0[i + 1] << (64 - n)
                };
                self.0[i] >> n | carried
            }))
        }
    }
}

impl<const N: usize> Default for Words<N> {
    fn default() -> Self {
        Words([0; N])
    }
}

impl<const N: usize> Debug for Words<N> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("{")?;
        for i in 0..64 * N {
            if self.0[i / 64] >> (i % 64) & 1 != 0 {
                write!(f, " {i}")?;
            }
        }
        f.write_str(" }")
    }
}

macro_rules! bitwise {
    ($name:ident, $method:ident, $assign:ident, $assign_method:ident, $op:tt) => {
        impl<const N: usize> $name for Words<N> {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                Words(std::array::from_fn(|i| self.0[i] $op other.0[i]))
            }
        }
        impl<const N: usize> $assign for Words<N> {
            #[inline(always)]
            fn $assign_method(&mut self, other: Self) {
                *self = *self $op other;
            }
        }
    };
}
bitwise!(BitAnd, bitand, BitAndAssign, bitand_assign, &);
bitwise!(BitOr, bitor, BitOrAssign, bitor_assign, |);
bitwise!(BitXor, bitxor, BitXorAssign, bitxor_assign, ^);

impl<const N: usize> Not for Words<N> {
    type Output = Self;
    #[inline(always)]
    fn not(self) -> Self {
        Words(self.0.map(|w| !w))
    }
}

#[cfg(test)]
mod tests;
