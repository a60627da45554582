//! A small pseudo-random number generator (splitmix64), the same in every run from the same seed.

use husun::{Position, Status};

/// The generator.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// Numbers that follow from a seed.
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    /// The next 64 bits.
    #[allow(clippy::should_implement_trait)] // no iterator: it never ends, and is asked for several kinds of numbers
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below the bound, which is not 0.
    pub fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(bound)) >> 64) as u64
    }

    /// One of some, if there are any.
    pub fn of<'a, T>(&mut self, some: &'a [T]) -> Option<&'a T> {
        match some.len() {
            0 => None,
            len => some.get(self.below(len as u64) as usize),
        }
    }

    /// A number from 0 to 1.
    pub fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// About normally distributed, with deviation 1: a sum of twelve uniform numbers.
    pub fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.unit()).sum::<f64>() - 6.0
    }

    /// The position after so many moves drawn by lot, which stop before the game would end; each one left behind is told.
    pub fn walk(
        &mut self,
        from: Position,
        plies: u64,
        left: &mut dyn FnMut(&Position),
    ) -> Position {
        let mut position = from;
        for _ in 0..plies {
            let moves = position.legal_moves();
            let Some(&m) = self.of(&moves) else {
                break;
            };
            let next = position.play_unchecked(m);
            if next.status() != Status::Ongoing {
                break;
            }
            left(&position);
            position = next;
        }
        position
    }
}
