//! Methods that gather the pieces on lines into a number (pext) and look up what is reached. `G` is how
//! many tables a slider looks into: 2 for its two lines, 1 for both at once.

use super::board::{Bits, Board, Kind, OPPOSITE};
use super::cpu::Bmi2;
use super::scan::Slide;
use std::collections::HashMap;

/// The lines of each look-up.
pub fn groups<const G: usize>(kind: Kind) -> [Vec<usize>; G] {
    let [a, b] = kind.lines();
    std::array::from_fn(|i| match (G, i) {
        (1, _) => vec![a, b],
        (_, 0) => vec![a],
        _ => vec![b],
    })
}

/// All ways in which pieces may stand on a set's squares, counted as [`gather`] does.
pub fn subsets<B: Bits>(set: B) -> impl Iterator<Item = B> {
    let mut next = Some(B::EMPTY);
    std::iter::from_fn(move || {
        let now = next?;
        let after = now.minus(set) & set;
        next = (after != B::EMPTY).then_some(after);
        Some(now)
    })
}

/// Squares of which the pieces are gathered.
#[derive(Clone, Copy)]
struct Inner<B> {
    inner: B,
    /// How many of them lie in the lower word.
    below: u8,
    /// Where the table begins.
    start: u32,
}

impl<B: Bits> Inner<B> {
    fn new(inner: B, start: usize) -> Self {
        Inner {
            inner,
            below: inner.low().count_ones() as u8,
            start: start as u32,
        }
    }

    #[inline(always)]
    fn entry(&self, cpu: Bmi2, occupied: B) -> usize {
        let mut pieces = cpu.gather(occupied.low(), self.inner.low());
        if B::WIDE {
            pieces |= cpu.gather(occupied.high(), self.inner.high()) << (self.below & 63);
        }
        self.start as usize + pieces as usize
    }
}

/// Scatters an entry's bits over the squares.
#[inline(always)]
fn spread<B: Bits>(cpu: Bmi2, reached: u64, full: B, below: u8) -> B {
    let high = if B::WIDE {
        cpu.scatter(reached >> (below & 63), full.high())
    } else {
        0
    };
    B::of(cpu.scatter(reached, full.low()), high)
}

/// Tables of sets, one for each square.
pub struct Sets<B, const G: usize> {
    cpu: Bmi2,
    squares: Vec<[Inner<B>; G]>,
    reached: Vec<B>,
}

impl<B: Bits, const G: usize> Sets<B, G> {
    /// Of a kind.
    pub fn new(cpu: Bmi2, board: &Board, kind: Kind) -> Self {
        let groups = groups::<G>(kind);
        let mut reached = Vec::new();
        let squares = (0..board.squares).map(|s| {
            std::array::from_fn(|i| {
                let inner: B = board.inner(s, &groups[i]);
                let start = reached.len();
                reached.extend(subsets(inner).map(|o| board.reach(s, &groups[i], o)));
                Inner::new(inner, start)
            })
        });
        let squares = squares.collect();
        Sets {
            cpu,
            squares,
            reached,
        }
    }
}

impl<B: Bits, const G: usize> Slide<B> for Sets<B, G> {
    #[inline(always)]
    fn reach(&self, square: usize, occupied: B) -> B {
        let mut all = B::EMPTY;
        for inner in &self.squares[square] {
            all = all | self.reached[inner.entry(self.cpu, occupied)];
        }
        all
    }
    fn bytes(&self) -> usize {
        size_of_val(&self.squares[..]) + size_of_val(&self.reached[..])
    }
}

/// An entry of 32 bits for all squares of both lines, scattered over them (pdep).
pub struct Narrow<B> {
    cpu: Bmi2,
    squares: Vec<(Inner<B>, B, u8)>,
    reached: Vec<u32>,
}

impl<B: Bits> Narrow<B> {
    /// Of a kind.
    pub fn new(cpu: Bmi2, board: &Board, kind: Kind) -> Self {
        let lines = &kind.lines();
        let mut reached = Vec::new();
        let mut square = |s| {
            let (inner, full): (B, B) = (board.inner(s, lines), board.full(s, lines));
            let start = reached.len();
            let below = full.low().count_ones();
            let number = |set: B| {
                let high = cpu.gather(set.high(), full.high()) << below;
                (cpu.gather(set.low(), full.low()) | high) as u32
            };
            reached.extend(subsets(inner).map(|o| number(board.reach(s, lines, o))));
            (Inner::new(inner, start), full, below as u8)
        };
        let squares = (0..board.squares).map(&mut square).collect();
        Narrow {
            cpu,
            squares,
            reached,
        }
    }
}

impl<B: Bits> Slide<B> for Narrow<B> {
    #[inline(always)]
    fn reach(&self, square: usize, occupied: B) -> B {
        let (inner, full, below) = &self.squares[square];
        let reached = self.reached[inner.entry(self.cpu, occupied)];
        spread(self.cpu, reached.into(), *full, *below)
    }
    fn bytes(&self) -> usize {
        size_of_val(&self.squares[..]) + size_of_val(&self.reached[..])
    }
}

/// What the library does: an entry of 16 bits for a line, in a table that all lines of the same shape
/// share, scattered over the line.
pub struct Shapes<B> {
    cpu: Bmi2,
    squares: Vec<[(Inner<B>, B, u8); 2]>,
    reached: Vec<u16>,
}

impl<B: Bits> Shapes<B> {
    /// Of a kind.
    pub fn new(cpu: Bmi2, board: &Board, kind: Kind) -> Self {
        let mut reached = Vec::new();
        let mut known = HashMap::new();
        let mut line = |s, line| {
            let (inner, full): (B, B) = (board.inner(s, &[line]), board.full(s, &[line]));
            let below = full.low().count_ones() as u8;
            let lengths = [line, line + OPPOSITE].map(|d| board.ray(s, d).len());
            let start = *known.entry(lengths).or_insert_with(|| {
                let start = reached.len();
                let number = |set: B| {
                    let high = cpu.gather(set.high(), full.high()) << below;
                    (cpu.gather(set.low(), full.low()) | high) as u16
                };
                reached.extend(subsets(inner).map(|o| number(board.reach(s, &[line], o))));
                start
            });
            (Inner::new(inner, start), full, below)
        };
        let squares = 0..board.squares;
        let squares = squares.map(|s| kind.lines().map(|l| line(s, l))).collect();
        Shapes {
            cpu,
            squares,
            reached,
        }
    }
}

impl<B: Bits> Slide<B> for Shapes<B> {
    #[inline(always)]
    fn reach(&self, square: usize, occupied: B) -> B {
        let mut all = B::EMPTY;
        for (inner, full, below) in &self.squares[square] {
            let reached = self.reached[inner.entry(self.cpu, occupied)];
            all = all | spread(self.cpu, reached.into(), *full, *below);
        }
        all
    }
    fn bytes(&self) -> usize {
        size_of_val(&self.squares[..]) + size_of_val(&self.reached[..])
    }
}
