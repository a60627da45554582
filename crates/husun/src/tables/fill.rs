//! Counting what all sliders of a side reach at once: each direction is filled from all of them in steps of one,
//! two and four squares (Kogge and Stone's parallel prefix), the eight directions side by side. In one direction no
//! two sliders reach the same square, so the squares reached are the moves. It knows no single slider's moves.

use crate::cpu::{Cpu, Kernel, Lanes};
use crate::frame::Frame;
use crate::set::Set;
use crate::ways::{DIAGONAL, ORTHOGONAL};

/// Widest set that is filled, in words: with three, looking up is faster.
pub(crate) const WORDS: usize = 2;
/// Fewest sliders that are worth filling for, by words of a set.
pub(crate) const LEAST: [u32; 4] = [u32::MAX, 3, 4, u32::MAX];

/// A board on which a step in a direction always changes the square number by the same amount, and on which no
/// way is longer than [`LONGEST`].
#[derive(Clone, Debug)]
pub(crate) struct Fill {
    /// By word and direction: the squares that a step leads to.
    onto: [[u64; 8]; WORDS],
    /// By how much the square number rises or falls in a step, two steps and four.
    by: [[u64; 4]; 3],
    /// Whether a way may be longer than the three fills and the last step reach.
    long: bool,
}

/// Squares of the longest way that can be filled.
const LONGEST: u8 = 9;

impl Fill {
    /// The fill of a board, if it is such a board.
    pub fn new<S: Set>(frame: &Frame) -> Option<Fill> {
        // Those that rise in square numbers first, those that fall against them in the same order.
        let up = [ORTHOGONAL[0], ORTHOGONAL[1], DIAGONAL[0], DIAGONAL[1]];
        let strides = up.map(|(dx, dy)| i32::from(dy) * i32::from(frame.files()) + i32::from(dx));
        let mut onto = [S::EMPTY; 8];
        for from in frame.squares() {
            for (i, &(dx, dy)) in up.iter().enumerate() {
                for (way, sign) in [(i, 1), (i + 4, -1)] {
                    let (dx, dy) = (sign * i32::from(dx), sign * i32::from(dy));
                    let Some(to) = frame.step(from, dx, dy) else {
                        continue;
                    };
                    if i32::from(to.0) - i32::from(from.0) != sign * strides[i] {
                        return None;
                    }
                    onto[way] |= S::bit(to);
                }
            }
        }
        let way = frame.files().max(frame.ranks()) - 1;
        let fits =
            S::WORDS <= WORDS && way <= LONGEST && strides.iter().all(|s| (1..16).contains(s));
        fits.then(|| Fill {
            onto: std::array::from_fn(|i| match i < S::WORDS {
                true => onto.map(|set| set.word(i)),
                false => [0; 8],
            }),
            by: [1, 2, 4].map(|n| strides.map(|stride| n * stride as u64)),
            long: way == LONGEST,
        })
    }

    /// Number of moves of sliders along files and ranks and of sliders along diagonals, to squares that are
    /// open to them.
    #[inline(always)]
    pub fn count<S: Set, C: Cpu>(&self, cpu: C, sliders: [S; 2], occupied: S, open: S) -> u32 {
        cpu.apart(Counting {
            fill: self,
            sliders,
            occupied,
            open,
        })
    }

    #[inline(always)]
    fn fill<S: Set, C: Cpu, const W: usize>(
        &self,
        cpu: C,
        [orthogonal, diagonal]: [S; 2],
        occupied: S,
        open: S,
    ) -> u32 {
        let mut empty = [cpu.lanes(&[0; 8]); W];
        let mut targets = empty;
        let mut filled = empty;
        for i in 0..W {
            let onto = cpu.lanes(&self.onto[i]);
            let (o, d) = (orthogonal.word(i), diagonal.word(i));
            filled[i] = cpu.lanes(&[o, o, d, d, o, o, d, d]);
            empty[i] = onto.and(cpu.lanes(&[!occupied.word(i); 8]));
            targets[i] = onto.and(cpu.lanes(&[open.word(i); 8]));
        }
        let [one, two, four] = self.by;
        let (one, two, four) = (cpu.by(&one), cpu.by(&two), cpu.by(&four));
        let mut through = empty;
        filled = grown(filled, through, C::Lanes::shift(filled, one));
        through = both(through, C::Lanes::shift(through, one));
        filled = grown(filled, through, C::Lanes::shift(filled, two));
        through = both(through, C::Lanes::shift(through, two));
        filled = grown(filled, through, C::Lanes::shift(filled, four));
        if self.long {
            filled = grown(filled, empty, C::Lanes::shift(filled, one));
        }
        let reached = both(C::Lanes::shift(filled, one), targets);
        let mut n = 0;
        for words in reached {
            n += words.count();
        }
        n
    }
}

struct Counting<'a, S> {
    fill: &'a Fill,
    sliders: [S; 2],
    occupied: S,
    open: S,
}

impl<S: Set> Kernel for Counting<'_, S> {
    type Out = u32;
    #[inline(always)]
    fn run<C: Cpu>(self, cpu: C) -> u32 {
        let Counting {
            fill,
            sliders,
            occupied,
            open,
        } = self;
        match S::WORDS {
            1 => fill.fill::<S, C, 1>(cpu, sliders, occupied, open),
            _ => fill.fill::<S, C, WORDS>(cpu, sliders, occupied, open),
        }
    }
}

#[inline(always)]
fn both<V: Lanes, const W: usize>(mut a: [V; W], b: [V; W]) -> [V; W] {
    for i in 0..W {
        a[i] = a[i].and(b[i]);
    }
    a
}

/// What was filled, and what it moved to where the way is open.
#[inline(always)]
fn grown<V: Lanes, const W: usize>(mut filled: [V; W], way: [V; W], moved: [V; W]) -> [V; W] {
    for i in 0..W {
        filled[i] = filled[i].or(way[i].and(moved[i]));
    }
    filled
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::Level;
    use crate::set::Words;

    /// Counted by walking square by square.
    fn walked<S: Set>(frame: &Frame, sliders: [S; 2], occupied: S, open: S) -> u32 {
        let mut n = 0;
        for (set, directions) in sliders.iter().zip([ORTHOGONAL, DIAGONAL]) {
            for from in frame.squares().filter(|s| set.has(*s)) {
                for (dx, dy) in directions {
                    let mut at = from;
                    while let Some(to) = frame.step(at, dx.into(), dy.into()) {
                        n += u32::from(open.has(to));
                        if occupied.has(to) {
                            break;
                        }
                        at = to;
                    }
                }
            }
        }
        n
    }

    fn on_board<S: Set>(files: u8, ranks: u8) -> Result<(), Box<dyn std::error::Error>> {
        let frame = Frame::new(files, ranks, |_, _| false).ok_or("no such board")?;
        let fill = Fill::new::<S>(&frame).ok_or("this board can be filled")?;
        let mut x = 0x9e37_79b9_7f4a_7c15_u64;
        let mut random = |density: u32| {
            let chosen = frame.squares().filter(|_| {
                x ^= x << 13;
                x ^= x >> 7;
                x ^= x << 17;
                x >> 32 & 15 < u64::from(density)
            });
            S::from_squares(chosen)
        };
        for density in 0..=8 {
            for _ in 0..100 {
                let (own, enemy) = (random(density), random(density));
                let occupied = own | enemy;
                let sliders = [random(6) & own, random(6) & own];
                let open = random(12).without(own);
                let task = || Counting {
                    fill: &fill,
                    sliders,
                    occupied,
                    open,
                };
                let slow = walked(&frame, sliders, occupied, open);
                assert_eq!(Level::Portable.run(task()), slow, "{files}x{ranks}, any");
                assert_eq!(Level::detect().run(task()), slow, "{files}x{ranks}, this");
            }
        }
        Ok(())
    }

    #[test]
    fn filled_is_what_is_walked() -> Result<(), Box<dyn std::error::Error>> {
        on_board::<Words<1>>(8, 8)?;
        on_board::<Words<1>>(5, 6)?;
        on_board::<Words<1>>(10, 6)?;
        on_board::<Words<2>>(9, 8)?;
        on_board::<Words<2>>(10, 8)?;
        on_board::<Words<2>>(10, 10)?;
        Ok(())
    }

    #[test]
    fn other_boards_are_left_to_look_ups() -> Result<(), Box<dyn std::error::Error>> {
        let larger = Frame::new(12, 10, |_, _| false).ok_or("no such board")?;
        assert!(Fill::new::<Words<2>>(&larger).is_none(), "eleven squares");
        let larger = Frame::new(10, 10, |_, _| false).ok_or("no such board")?;
        assert!(Fill::new::<Words<3>>(&larger).is_none(), "three words");
        let holed = Frame::new(8, 8, |file, rank| (file, rank) == (0, 0)).ok_or("no such board")?;
        assert!(
            Fill::new::<Words<1>>(&holed).is_some(),
            "numbers go on evenly"
        );
        let holed = Frame::new(8, 8, |file, rank| (file, rank) == (3, 3)).ok_or("no such board")?;
        assert!(Fill::new::<Words<1>>(&holed).is_none(), "numbers jump");
        Ok(())
    }
}
