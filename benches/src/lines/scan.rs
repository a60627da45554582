//! Methods that calculate: with small tables of rays and lines, for any processor.

use super::board::{Bits, Board, Kind, OPPOSITE};

/// A method for one slider at a time.
pub trait Slide<B: Bits> {
    /// What the slider reaches, up to and with the first pieces.
    fn reach(&self, square: usize, occupied: B) -> B;
    /// Size of the tables.
    fn bytes(&self) -> usize;
}

/// By square something for each of the two lines.
fn by_lines<T>(board: &Board, kind: Kind, of: impl Fn(u8, usize) -> T) -> Vec<[T; 2]> {
    let squares = 0..board.squares;
    squares
        .map(|s| kind.lines().map(|line| of(s, line)))
        .collect()
}

/// Classical rays: the ray from the first piece on is taken away.
pub struct Rays<B> {
    /// By square, beyond the board too, and line: the ray that goes up, the ray that goes down.
    rays: Vec<[[B; 2]; 2]>,
}

impl<B: Bits> Rays<B> {
    /// Of a kind.
    pub fn new(board: &Board, kind: Kind) -> Self {
        let both = |s, line| [board.ray_set(s, line), board.ray_set(s, line + OPPOSITE)];
        let mut rays = by_lines(board, kind, both);
        rays.resize(B::SIZE, [[B::EMPTY; 2]; 2]);
        Rays { rays }
    }
}

impl<B: Bits> Slide<B> for Rays<B> {
    #[inline(always)]
    fn reach(&self, square: usize, occupied: B) -> B {
        let mut reached = B::EMPTY;
        for line in 0..2 {
            let [up, down] = self.rays[square][line];
            // No ray goes up from the last square nor down from the first, which stand for no piece.
            let first = ((up & occupied) | B::bit(B::SIZE as u8 - 1)).first();
            let last = ((down & occupied) | B::bit(0)).last();
            reached =
                reached | (up ^ self.rays[first][line][0]) | (down ^ self.rays[last][line][1]);
        }
        reached
    }
    fn bytes(&self) -> usize {
        size_of_val(&self.rays[..])
    }
}

/// The library's portable twin: half lines, met with all squares up to the first piece.
pub struct Halves<B> {
    halves: Vec<[[B; 2]; 2]>,
}

impl<B: Bits> Halves<B> {
    /// Of a kind.
    pub fn new(board: &Board, kind: Kind) -> Self {
        let both = |s, line| [board.ray_set(s, line), board.ray_set(s, line + OPPOSITE)];
        Halves {
            halves: by_lines(board, kind, both),
        }
    }
}

impl<B: Bits> Slide<B> for Halves<B> {
    #[inline(always)]
    fn reach(&self, square: usize, occupied: B) -> B {
        let mut reached = B::EMPTY;
        for [up, down] in self.halves[square] {
            reached = reached
                | (up & (up & occupied).through_first())
                | (down & (down & occupied).since_last());
        }
        reached
    }
    fn bytes(&self) -> usize {
        size_of_val(&self.halves[..])
    }
}

/// Obstruction difference (Michael Hoffmann): the highest piece below taken from the pieces above
/// leaves all squares between the two changed.
pub struct Obstruction<B> {
    halves: Vec<[[B; 2]; 2]>,
}

impl<B: Bits> Obstruction<B> {
    /// Of a kind.
    pub fn new(board: &Board, kind: Kind) -> Self {
        let both = |s, line| [board.ray_set(s, line), board.ray_set(s, line + OPPOSITE)];
        Obstruction {
            halves: by_lines(board, kind, both),
        }
    }
}

#[inline(always)]
fn difference<B: Bits>([up, down]: [B; 2], occupied: B) -> B {
    let above = up & occupied;
    let below = B::bit(((down & occupied) | B::bit(0)).last() as u8);
    (up | down) & (above ^ above.minus(below))
}

impl<B: Bits> Slide<B> for Obstruction<B> {
    #[inline(always)]
    fn reach(&self, square: usize, occupied: B) -> B {
        let [a, b] = self.halves[square];
        difference(a, occupied) | difference(b, occupied)
    }
    fn bytes(&self) -> usize {
        size_of_val(&self.halves[..])
    }
}

/// Hyperbola quintessence (Aleks Peshkov, Gerd Isenberg): the slider is taken from the pieces in both
/// orders of bytes. The squares of a rank share bytes, so ranks go by obstruction difference.
pub struct Hyperbola<B> {
    /// By square: lines without the square.
    lines: Vec<[B; 2]>,
    ranks: Vec<[B; 2]>,
    rook: bool,
}

impl<B: Bits> Hyperbola<B> {
    /// Of a kind.
    pub fn new(board: &Board, kind: Kind) -> Self {
        let rank = |s| [board.ray_set(s, 1), board.ray_set(s, 1 + OPPOSITE)];
        Hyperbola {
            lines: by_lines(board, kind, |s, line| board.full(s, &[line])),
            ranks: (0..board.squares).map(rank).collect(),
            rook: kind == Kind::Rook,
        }
    }
}

#[inline(always)]
fn quintessence<B: Bits>(line: B, from: B, occupied: B) -> B {
    let pieces = line & occupied;
    let back = pieces.swapped().minus(from.swapped()).swapped();
    (pieces.minus(from) ^ back) & line
}

impl<B: Bits> Slide<B> for Hyperbola<B> {
    #[inline(always)]
    fn reach(&self, square: usize, occupied: B) -> B {
        let from = B::bit(square as u8);
        let [a, b] = self.lines[square];
        let other = if self.rook {
            difference(self.ranks[square], occupied)
        } else {
            quintessence(b, from, occupied)
        };
        quintessence(a, from, occupied) | other
    }
    fn bytes(&self) -> usize {
        size_of_val(&self.lines[..])
            + if self.rook {
                size_of_val(&self.ranks[..])
            } else {
                0
            }
    }
}
