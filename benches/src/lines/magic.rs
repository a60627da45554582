//! Magic multiplication: the pieces on lines, multiplied by a number found by trial, have an index of a
//! table in their highest bits. A set of two words takes one multiplication for each, and the sum.

use super::board::{Bits, Board, Kind, Random};
use super::lookup::{groups, subsets};
use super::scan::Slide;

/// Trials before one bit more is allowed.
const TRIALS: usize = 200_000;

#[derive(Clone, Copy)]
struct Magic<B> {
    inner: B,
    low: u64,
    high: u64,
    shift: u32,
    start: u32,
}

impl<B: Bits> Magic<B> {
    #[inline(always)]
    fn index(&self, occupied: B) -> usize {
        let pieces = occupied & self.inner;
        let mut product = pieces.low().wrapping_mul(self.low);
        if B::WIDE {
            product = product.wrapping_add(pieces.high().wrapping_mul(self.high));
        }
        (product >> (self.shift & 63)) as usize
    }
}

/// Tables of sets, found by magic; `G` as in the look-ups by pext.
pub struct Magics<B, const G: usize> {
    squares: Vec<[Magic<B>; G]>,
    reached: Vec<B>,
}

/// Numbers and a table for one square: by trial, the same each time.
fn search<B: Bits>(inner: B, sets: &[(B, B)], random: &mut Random) -> (Magic<B>, Vec<B>) {
    let mut bits = inner.count().max(1);
    loop {
        let mut used = vec![(0, B::EMPTY); 1 << bits];
        for trial in 1..=TRIALS {
            let mut sparse = || random.next() & random.next() & random.next();
            let magic = Magic {
                inner,
                low: sparse(),
                high: sparse(),
                shift: 64 - bits,
                start: 0,
            };
            let fits = sets.iter().all(|&(pieces, reached)| {
                let entry = &mut used[magic.index(pieces)];
                if entry.0 != trial {
                    *entry = (trial, reached);
                }
                entry.1 == reached
            });
            if fits {
                return (magic, used.into_iter().map(|e| e.1).collect());
            }
        }
        bits += 1;
    }
}

impl<B: Bits, const G: usize> Magics<B, G> {
    /// Of a kind; takes a while.
    pub fn new(board: &Board, kind: Kind) -> Self {
        let groups = groups::<G>(kind);
        let mut random = Random(0x9e37_79b9_7f4a_7c15);
        let mut all = Vec::new();
        let mut square = |s| {
            std::array::from_fn(|i| {
                let inner: B = board.inner(s, &groups[i]);
                let with = |pieces| (pieces, board.reach(s, &groups[i], pieces));
                let sets: Vec<(B, B)> = subsets(inner).map(with).collect();
                let (magic, reached) = search(inner, &sets, &mut random);
                let start = all.len() as u32;
                all.extend(reached);
                Magic { start, ..magic }
            })
        };
        let squares = (0..board.squares).map(&mut square).collect();
        Magics {
            squares,
            reached: all,
        }
    }
}

impl<B: Bits, const G: usize> Slide<B> for Magics<B, G> {
    #[inline(always)]
    fn reach(&self, square: usize, occupied: B) -> B {
        let mut all = B::EMPTY;
        for magic in &self.squares[square] {
            all = all | self.reached[magic.start as usize + magic.index(occupied)];
        }
        all
    }
    fn bytes(&self) -> usize {
        size_of_val(&self.squares[..]) + size_of_val(&self.reached[..])
    }
}
