//! Setwise: all sliders of a side at once, direction by direction, by Kogge and Stone's parallel prefix.
//! No set of a single slider comes out, but their number of moves: in one direction no two sliders
//! reach the same square.

use super::board::{Bits, Board};
use super::cpu::Lanes;

/// A position to count.
#[derive(Clone, Copy, Debug)]
pub struct Scene<B> {
    /// Pieces of the side to move.
    pub own: B,
    /// All pieces.
    pub occupied: B,
    /// Those of the side to move that slide as [`super::board::Kind`] 0.
    pub rooks: B,
    /// And as 1.
    pub bishops: B,
}

/// A method for all sliders together.
pub trait Setwise<B> {
    /// Number of squares that rooks and bishops reach, own pieces left out.
    fn count(&self, scene: &Scene<B>) -> u32;
}

/// One direction after the other, in plain integers. `FILES` is the board's width; `LONG` is true if
/// a slider may go more than eight squares.
pub struct Plain<B, const FILES: u32, const LONG: bool> {
    onto: [B; 8],
}

impl<B: Bits, const FILES: u32, const LONG: bool> Plain<B, FILES, LONG> {
    /// Of a board.
    pub fn new(board: &Board) -> Self {
        Plain {
            onto: std::array::from_fn(|d| board.onto(d)),
        }
    }

    #[inline(always)]
    fn fill<const UP: bool>(&self, scene: &Scene<B>, sliders: B, d: usize, stride: u32) -> u32 {
        let by = |set: B, n: u32| if UP { set << n } else { set >> n };
        let onto = self.onto[d];
        let empty = onto & !scene.occupied;
        let (mut filled, mut open) = (sliders, empty);
        filled = filled | (open & by(filled, stride));
        open = open & by(open, stride);
        filled = filled | (open & by(filled, 2 * stride));
        open = open & by(open, 2 * stride);
        filled = filled | (open & by(filled, 4 * stride));
        if LONG {
            filled = filled | (empty & by(filled, stride));
        }
        (by(filled, stride) & onto & !scene.own).count()
    }
}

impl<B: Bits, const FILES: u32, const LONG: bool> Setwise<B> for Plain<B, FILES, LONG> {
    #[inline(always)]
    fn count(&self, s: &Scene<B>) -> u32 {
        self.fill::<true>(s, s.rooks, 0, FILES)
            + self.fill::<true>(s, s.rooks, 1, 1)
            + self.fill::<true>(s, s.bishops, 2, FILES + 1)
            + self.fill::<true>(s, s.bishops, 3, FILES - 1)
            + self.fill::<false>(s, s.rooks, 4, FILES)
            + self.fill::<false>(s, s.rooks, 5, 1)
            + self.fill::<false>(s, s.bishops, 6, FILES + 1)
            + self.fill::<false>(s, s.bishops, 7, FILES - 1)
    }
}

/// All directions at once, in eight lanes of `W` words.
pub struct Parallel<V: Lanes, const W: usize, const LONG: bool> {
    cpu: V::Cpu,
    onto: [V; W],
    /// By one, two and four squares.
    by: [V::By; 3],
}

impl<V: Lanes, const W: usize, const LONG: bool> Parallel<V, W, LONG> {
    /// Of a board.
    pub fn new<B: Bits>(cpu: V::Cpu, board: &Board) -> Self {
        let onto: [B; 8] = std::array::from_fn(|d| board.onto(d));
        Parallel {
            cpu,
            onto: std::array::from_fn(|i| V::new(cpu, onto.map(|o| word(o, i)))),
            by: [1, 2, 4].map(|n| V::by(cpu, board.strides().map(|s| n * s))),
        }
    }
}

#[inline(always)]
fn word<B: Bits>(set: B, i: usize) -> u64 {
    if i == 0 { set.low() } else { set.high() }
}

#[inline(always)]
fn and<V: Lanes, const W: usize>(mut a: [V; W], b: [V; W]) -> [V; W] {
    for i in 0..W {
        a[i] = a[i].and(b[i]);
    }
    a
}

#[inline(always)]
fn or<V: Lanes, const W: usize>(mut a: [V; W], b: [V; W]) -> [V; W] {
    for i in 0..W {
        a[i] = a[i].or(b[i]);
    }
    a
}

impl<B: Bits, V: Lanes, const W: usize, const LONG: bool> Setwise<B> for Parallel<V, W, LONG> {
    #[inline(always)]
    fn count(&self, s: &Scene<B>) -> u32 {
        let [mut empty, mut open_to] = [self.onto; 2];
        let mut filled = self.onto;
        for i in 0..W {
            let (r, b) = (word(s.rooks, i), word(s.bishops, i));
            filled[i] = V::new(self.cpu, [r, r, b, b, r, r, b, b]);
            empty[i] = empty[i].and(V::new(self.cpu, [!word(s.occupied, i); 8]));
            open_to[i] = open_to[i].and(V::new(self.cpu, [!word(s.own, i); 8]));
        }
        let [one, two, four] = self.by;
        let mut open = empty;
        filled = or(filled, and(open, V::shift(filled, one)));
        open = and(open, V::shift(open, one));
        filled = or(filled, and(open, V::shift(filled, two)));
        open = and(open, V::shift(open, two));
        filled = or(filled, and(open, V::shift(filled, four)));
        if LONG {
            filled = or(filled, and(empty, V::shift(filled, one)));
        }
        let reached = and(V::shift(filled, one), open_to);
        let mut n = 0;
        for words in reached {
            n += words.count();
        }
        n
    }
}
