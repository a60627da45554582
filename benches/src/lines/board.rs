//! Boards, sets of their squares as plain integers, and what a slider reaches, walked square by square.

use std::ops::{BitAnd, BitOr, BitXor, Not, Shl, Shr};

/// A set of squares: `u64` or `u128`.
pub trait Bits:
    Copy
    + Eq
    + std::fmt::Debug
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitXor<Output = Self>
    + Not<Output = Self>
    + Shl<u32, Output = Self>
    + Shr<u32, Output = Self>
    + 'static
{
    /// Whether there are two words.
    const WIDE: bool;
    /// Number of squares that fit.
    const SIZE: usize;
    /// No squares.
    const EMPTY: Self;
    /// One square.
    fn bit(square: u8) -> Self;
    /// Squares 0 to 63.
    fn low(self) -> u64;
    /// Squares from 64 on.
    fn high(self) -> u64;
    /// Of its words.
    fn of(low: u64, high: u64) -> Self;
    /// Number of squares.
    fn count(self) -> u32;
    /// The lowest square of a set that has one.
    fn first(self) -> usize;
    /// The highest square of a set that has one.
    fn last(self) -> usize;
    /// The difference of the two as numbers.
    fn minus(self, other: Self) -> Self;
    /// The bytes in the other order.
    fn swapped(self) -> Self;
    /// All squares from the highest of the set on; all if it is empty.
    fn since_last(self) -> Self;

    /// Whether the square is in the set.
    #[inline(always)]
    fn has(self, square: u8) -> bool {
        self & Self::bit(square) != Self::EMPTY
    }
    /// All squares up to and with the lowest of the set; all if it is empty.
    #[inline(always)]
    fn through_first(self) -> Self {
        self ^ self.minus(Self::bit(0))
    }
}

macro_rules! bits {
    ($type:ty, $wide:literal, $high:expr, $of:expr, $since:expr) => {
        impl Bits for $type {
            const WIDE: bool = $wide;
            const SIZE: usize = <$type>::BITS as usize;
            const EMPTY: Self = 0;
            #[inline(always)]
            fn bit(square: u8) -> Self {
                1 << square
            }
            #[inline(always)]
            fn low(self) -> u64 {
                self as u64
            }
            #[inline(always)]
            fn high(self) -> u64 {
                $high(self)
            }
            #[inline(always)]
            fn of(low: u64, high: u64) -> Self {
                $of(low, high)
            }
            #[inline(always)]
            fn count(self) -> u32 {
                self.count_ones()
            }
            #[inline(always)]
            fn first(self) -> usize {
                self.trailing_zeros() as usize
            }
            #[inline(always)]
            fn last(self) -> usize {
                (<$type>::BITS - 1 - self.leading_zeros()) as usize
            }
            #[inline(always)]
            fn minus(self, other: Self) -> Self {
                self.wrapping_sub(other)
            }
            #[inline(always)]
            fn swapped(self) -> Self {
                self.swap_bytes()
            }
            #[inline(always)]
            fn since_last(self) -> Self {
                $since(self)
            }
        }
    };
}
bits!(u64, false, |_| 0, |low, _| low, since_last);
bits!(
    u128,
    true,
    |set: u128| (set >> 64) as u64,
    |low, high| u128::from(low) | u128::from(high) << 64,
    // Word by word, which is faster than a shift of all 128 bits.
    |set: u128| {
        let (low, high) = (set as u64, (set >> 64) as u64);
        let low = if high == 0 { since_last(low) } else { 0 };
        u128::from(low) | u128::from(since_last(high)) << 64
    }
);

#[inline(always)]
fn since_last(word: u64) -> u64 {
    u64::MAX << (63 - (word | 1).leading_zeros())
}

/// North, east and the diagonals that go up, then their opposites.
const STEPS: [(i32, i32); 8] = [
    (0, 1),
    (1, 0),
    (1, 1),
    (-1, 1),
    (0, -1),
    (-1, 0),
    (-1, -1),
    (1, -1),
];
/// Number of a direction's opposite, less its own.
pub const OPPOSITE: usize = 4;

/// A board without missing squares, numbered rank by rank.
#[derive(Clone)]
pub struct Board {
    /// Its width.
    pub files: u8,
    /// Number of squares.
    pub squares: u8,
    /// By square and direction, the squares of the ray.
    rays: Vec<[Vec<u8>; 8]>,
}

/// Which sliders: their lines are two of file, rank and both diagonals.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Slides along file and rank.
    Rook,
    /// Slides along the diagonals.
    Bishop,
}

impl Kind {
    /// Numbers of its lines, which are those of the directions that go up.
    pub fn lines(self) -> [usize; 2] {
        match self {
            Kind::Rook => [0, 1],
            Kind::Bishop => [2, 3],
        }
    }
}

impl Board {
    /// Of a size.
    pub fn new(files: u8, ranks: u8) -> Board {
        let ray = |square: u8, (dx, dy): (i32, i32)| {
            let mut at = (i32::from(square % files), i32::from(square / files));
            let mut ray = Vec::new();
            loop {
                at = (at.0 + dx, at.1 + dy);
                if !(0..files.into()).contains(&at.0) || !(0..ranks.into()).contains(&at.1) {
                    return ray;
                }
                ray.push((at.1 * i32::from(files) + at.0) as u8);
            }
        };
        let squares = files * ranks;
        let rays = (0..squares)
            .map(|s| STEPS.map(|step| ray(s, step)))
            .collect();
        Board {
            files,
            squares,
            rays,
        }
    }

    /// How many squares each direction steps over, up or down.
    pub fn strides(&self) -> [u64; 8] {
        let stride = |(x, y): (i32, i32)| u64::from((y * i32::from(self.files) + x).unsigned_abs());
        STEPS.map(stride)
    }

    /// The squares of a ray in their order.
    pub fn ray(&self, square: u8, direction: usize) -> &[u8] {
        &self.rays[usize::from(square)][direction]
    }

    /// A ray as a set.
    pub fn ray_set<B: Bits>(&self, square: u8, direction: usize) -> B {
        set(self.ray(square, direction))
    }

    /// All squares of the lines through a square, without itself.
    pub fn full<B: Bits>(&self, square: u8, lines: &[usize]) -> B {
        self.union(square, lines, |ray| set(ray))
    }

    /// Those of them on which a piece matters.
    pub fn inner<B: Bits>(&self, square: u8, lines: &[usize]) -> B {
        self.union(
            square,
            lines,
            |ray| set(&ray[..ray.len().saturating_sub(1)]),
        )
    }

    /// What a slider reaches, up to and with the first pieces: the slow twin of all methods.
    pub fn reach<B: Bits>(&self, square: u8, lines: &[usize], occupied: B) -> B {
        self.union(square, lines, |ray| {
            let stop = ray.iter().position(|&s| occupied.has(s));
            set(&ray[..stop.map_or(ray.len(), |i| i + 1)])
        })
    }

    fn union<B: Bits>(&self, square: u8, lines: &[usize], part: impl Fn(&[u8]) -> B) -> B {
        let rays = lines.iter().flat_map(|&l| [l, l + OPPOSITE]);
        rays.fold(B::EMPTY, |all, d| all | part(self.ray(square, d)))
    }

    /// All squares that a step in the direction leads to.
    pub fn onto<B: Bits>(&self, direction: usize) -> B {
        let steps = (0..self.squares).filter_map(|s| self.ray(s, direction).first());
        steps.fold(B::EMPTY, |all, &s| all | B::bit(s))
    }
}

fn set<B: Bits>(squares: &[u8]) -> B {
    squares.iter().fold(B::EMPTY, |all, &s| all | B::bit(s))
}

/// Numbers that look random, the same each time.
pub struct Random(pub u64);

impl Random {
    /// The next one.
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
}
