//! Lines through a square, looked up: the pieces on a line are gathered into a number, a small table
//! that all lines of the same shape share tells which of the line's squares are reached, and its bits
//! are scattered back onto the board (pext and pdep of BMI2). A line is a pair of paths from the square:
//! one falls and one rises in square numbers, and all squares of the first lie below those of the second.
//! The two halves of a file make one, but two legs of a bent rider do as well.

use crate::cpu::{Cpu, Portable};
use crate::frame::Square;
use crate::set::Set;
use std::collections::HashMap;

/// Most squares that a line may have.
const MOST: usize = 16;
/// Words of the widest set.
const WORDS: usize = 3;

/// A line through a square.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SliderLine<S> {
    /// Squares on which a piece matters: all but the last of each path.
    inner: S,
    /// All squares.
    full: S,
    /// How many of the squares lie in lower words than each word.
    inner_below: [u8; WORDS],
    full_below: [u8; WORDS],
    /// Where the table of the line's shape begins.
    shape: u32,
}

impl<S: Set> SliderLine<S> {
    /// The entry of the pieces on the line in its shape's table.
    #[inline(always)]
    fn entry<C: Cpu>(&self, cpu: C, occupied: S) -> usize {
        let mut pieces = cpu.gather(occupied.word(0), self.inner.word(0));
        for i in 1..S::WORDS {
            let here = cpu.gather(occupied.word(i), self.inner.word(i));
            pieces |= here << (self.inner_below[i] & 63);
        }
        self.shape as usize + pieces as usize
    }

    /// What [`SliderLine::attacks`] gives, for a line whose shape is its own.
    #[inline(always)]
    pub fn whole<C: Cpu>(&self, cpu: C, occupied: S, reached: &[S]) -> S {
        reached[self.entry(cpu, occupied)]
    }

    /// Squares that are reached, including the first blockers.
    #[inline(always)]
    pub fn attacks<C: Cpu>(&self, cpu: C, occupied: S, shapes: &Shapes) -> S {
        let reached = u64::from(shapes.reached[self.entry(cpu, occupied)]);
        S::from_words(|i| {
            let here = if i == 0 {
                reached
            } else {
                reached >> (self.full_below[i] & 63)
            };
            cpu.scatter(here, self.full.word(i))
        })
    }
}

/// The tables of all shapes of lines: how long the two paths are, and whether a piece must be jumped.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shapes {
    reached: Vec<u16>,
}

impl<S: Set> SliderLine<S> {
    /// Number of entries that the line would have in a table of its own, with another.
    pub fn entries_with(&self, other: &SliderLine<S>) -> u64 {
        1u64.checked_shl((self.inner | other.inner).count())
            .unwrap_or(u64::MAX)
    }
}

impl Shapes {
    pub fn bytes(&self) -> usize {
        self.reached.len() * 2
    }
}

/// Two lines as one with a table of its own, which begins at `start`, and that table.
pub(super) fn cross<S: Set>(
    lines: [&SliderLine<S>; 2],
    shapes: &Shapes,
    start: u32,
) -> (SliderLine<S>, Vec<S>) {
    let inner = lines[0].inner | lines[1].inner;
    let full = lines[0].full | lines[1].full;
    let cross = SliderLine {
        inner,
        full,
        inner_below: below(inner),
        full_below: below(full),
        shape: start,
    };
    let reached = |pieces: u64| {
        let occupied =
            S::from_words(|i| Portable.scatter(pieces >> cross.inner_below[i], inner.word(i)));
        lines[0].attacks(Portable, occupied, shapes) | lines[1].attacks(Portable, occupied, shapes)
    };
    (cross, (0..1 << inner.count()).map(reached).collect())
}

/// How many of the squares lie in lower words than each word.
fn below<S: Set>(set: S) -> [u8; WORDS] {
    std::array::from_fn(|i| {
        let lower = 0..i.min(S::WORDS);
        lower.map(|w| set.word(w).count_ones() as u8).sum()
    })
}

/// Builds lines and the shapes that they need.
#[derive(Default)]
pub(super) struct Builder {
    pub shapes: Shapes,
    known: HashMap<(usize, usize, bool), u32>,
}

impl Builder {
    /// The line of two paths, whose squares are given in the order in which they are walked.
    pub fn line<S: Set>(
        &mut self,
        falling: &[Square],
        rising: &[Square],
        hop: bool,
    ) -> SliderLine<S> {
        let set = |squares: &[Square]| S::from_squares(squares.iter().copied());
        let but_last = |squares: &[Square]| set(&squares[..squares.len().saturating_sub(1)]);
        let full = set(falling) | set(rising);
        let inner = but_last(falling) | but_last(rising);
        SliderLine {
            inner,
            full,
            inner_below: below(inner),
            full_below: below(full),
            shape: self.shape(falling.len(), rising.len(), hop),
        }
    }

    fn shape(&mut self, falling: usize, rising: usize, hop: bool) -> u32 {
        let reached = &mut self.shapes.reached;
        *self.known.entry((falling, rising, hop)).or_insert_with(|| {
            let start = reached.len() as u32;
            let inner = falling.saturating_sub(1) + rising.saturating_sub(1);
            for pieces in 0..1u32 << inner {
                // The last square of the falling path comes first and is left out.
                let occupied = pieces << u32::from(falling > 0);
                let walk = |way: &mut dyn Iterator<Item = usize>| {
                    let (mut squares, mut jumped) = (0, !hop);
                    for i in way {
                        let piece = occupied >> i & 1 != 0;
                        if jumped {
                            squares |= 1 << i;
                        }
                        if piece && jumped {
                            break;
                        }
                        jumped |= piece;
                    }
                    squares
                };
                let down: u16 = walk(&mut (0..falling).rev());
                reached.push(down | walk(&mut (falling..falling + rising)));
            }
            start
        })
    }

    /// The lines of paths from a square, each of which falls or rises: as few as pairs allow.
    pub fn lines<S: Set>(
        &mut self,
        from: Square,
        paths: &[Vec<Square>],
        hop: bool,
    ) -> Vec<SliderLine<S>> {
        let rises = |path: &&Vec<Square>| match path[..] {
            [only] => only > from,
            [first, second, ..] => first < second,
            [] => false,
        };
        let mut rising: Vec<&Vec<Square>> = paths.iter().filter(rises).collect();
        let mut falling: Vec<&Vec<Square>> = paths
            .iter()
            .filter(|p| !p.is_empty() && !rises(p))
            .collect();
        // The highest of the falling paths fits the fewest rising ones and chooses first.
        falling.sort_by_key(|p| std::cmp::Reverse(p[0]));
        let mut lines = Vec::new();
        for down in falling {
            let fits = |up: &&Vec<Square>| up[0] > down[0] && up.len() + down.len() <= MOST;
            match rising.iter().position(fits) {
                Some(i) => lines.push(self.line(down, rising.remove(i), hop)),
                None => lines.push(self.line(down, &[], hop)),
            }
        }
        lines.extend(rising.iter().map(|up| self.line(&[], up, hop)));
        lines
    }
}
