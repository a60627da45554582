//! What all sliders of a side reach at once: each direction is filled from all of them in steps of one,
//! two and four squares (Kogge and Stone's parallel prefix), the eight directions side by side. In one direction no
//! two sliders reach the same square, so the squares reached are the moves. It knows no single slider's moves.

use crate::cpu::{Apart, Cpu, Four, Lanes, Level};
use crate::frame::Frame;
use crate::set::Set;
use crate::ways::{DIAGONAL, ORTHOGONAL};
use std::marker::PhantomData;

/// Words of the widest set.
const WORDS: usize = 3;
/// Fewest sliders that are worth filling for, for sets of one word and of more.
const LEAST: [u32; WORDS] = [3, 4, 5];
/// The same with AVX-512.
const LEAST_WIDE: [u32; WORDS] = [4, 3, 3];

/// Fewest squares for which it is worth while to find all that enemy sliders attack.
pub(crate) const AROUND: u32 = 3;

/// A board on which a step in a direction always changes the square number by the same amount, and on which no
/// way is longer than [`LONGEST`].
#[derive(Clone, Debug)]
pub(crate) struct Fill {
    /// By word and direction: the squares that a step leads to.
    onto: [[u64; 8]; WORDS],
    /// By how much the square number rises or falls in a step, two steps and four, and what is left of 64.
    by: [[u64; 8]; 3],
    /// Whether a way may be longer than the three fills and the last step reach.
    long: bool,
    /// Fewest sliders that are worth filling for.
    pub least: u32,
}

/// Squares that three fills and a step reach, and four fills and a step.
const SHORT: u8 = 8;
const LONGEST: u8 = 12;

impl Fill {
    /// The fill of a board, if it is such a board.
    pub fn new<S: Set>(frame: &Frame, level: Level) -> Option<Fill> {
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
        let least = match level.is_wide() {
            true => LEAST_WIDE[S::WORDS - 1],
            false => LEAST[S::WORDS - 1],
        };
        let fits = way <= LONGEST && strides.iter().all(|s| (1..16).contains(s));
        fits.then(|| Fill {
            onto: std::array::from_fn(|i| match i < S::WORDS {
                true => onto.map(|set| set.word(i)),
                false => [0; 8],
            }),
            by: [1, 2, 4].map(|n| {
                let step = |way: usize| n * strides[way % 4] as u64;
                std::array::from_fn(|way| if way < 4 { step(way) } else { 64 - step(way) })
            }),
            long: way > SHORT,
            least,
        })
    }

    /// Number of moves of sliders along files and ranks and of sliders along diagonals, to squares that are
    /// open to them.
    #[inline(always)]
    pub fn count<S: Set, C: Cpu>(&self, cpu: C, sliders: [S; 2], occupied: S, open: S) -> u32 {
        cpu.apart(
            Counting::<S>(self, PhantomData),
            four(sliders, occupied, open),
        )
    }

    /// All squares that sliders along files and ranks and sliders along diagonals attack.
    #[inline(always)]
    pub fn attacked<S: Set, C: Cpu>(&self, cpu: C, sliders: [S; 2], occupied: S) -> S {
        cpu.apart(
            Attacked(self, PhantomData),
            four(sliders, occupied, !S::EMPTY),
        )
    }

    #[inline(always)]
    fn fill<C: Cpu, const W: usize>(&self, cpu: C, sets: Four) -> [C::Lanes; W] {
        let mut empty = [cpu.lanes(&[0; 8]); W];
        let mut targets = empty;
        let mut filled = empty;
        for i in 0..W {
            let onto = cpu.lanes(&self.onto[i]);
            let [o, d, occupied, open] = sets[i];
            filled[i] = cpu.two(o, d);
            empty[i] = onto.and(cpu.lanes(&[!occupied; 8]));
            targets[i] = onto.and(cpu.lanes(&[open; 8]));
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
            filled = grown(filled, through, C::Lanes::shift(filled, four));
        }
        both(C::Lanes::shift(filled, one), targets)
    }
}

/// By word: sliders along files and ranks, sliders along diagonals, what is occupied, what is open.
#[inline(always)]
fn four<S: Set>([orthogonal, diagonal]: [S; 2], occupied: S, open: S) -> Four {
    std::array::from_fn(|i| match i < S::WORDS {
        true => [orthogonal, diagonal, occupied, open].map(|set| set.word(i)),
        false => [0; 4],
    })
}

struct Counting<'a, S>(&'a Fill, PhantomData<S>);

impl<S: Set> Apart for Counting<'_, S> {
    type Out = u32;
    #[inline(always)]
    fn run<C: Cpu>(self, cpu: C, sets: Four) -> u32 {
        let fill = self.0;
        match S::WORDS {
            1 => number(fill.fill::<C, 1>(cpu, sets)),
            2 => number(fill.fill::<C, 2>(cpu, sets)),
            _ => number(fill.fill::<C, WORDS>(cpu, sets)),
        }
    }
}

#[inline(always)]
fn number<V: Lanes, const W: usize>(words: [V; W]) -> u32 {
    let mut n = 0;
    for lanes in words {
        n += lanes.count();
    }
    n
}

struct Attacked<'a, S>(&'a Fill, PhantomData<S>);

impl<S: Set> Apart for Attacked<'_, S> {
    type Out = S;
    #[inline(always)]
    fn run<C: Cpu>(self, cpu: C, sets: Four) -> S {
        let fill = self.0;
        match S::WORDS {
            1 => together(fill.fill::<C, 1>(cpu, sets)),
            2 => together(fill.fill::<C, 2>(cpu, sets)),
            _ => together(fill.fill::<C, WORDS>(cpu, sets)),
        }
    }
}

/// The squares of all lanes.
#[inline(always)]
fn together<S: Set, V: Lanes, const W: usize>(words: [V; W]) -> S {
    let words = words.map(|lanes| lanes.any());
    S::from_words(|i| words[i])
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
    use crate::cpu::Kernel;
    use crate::set::Words;

    /// Counted by walking square by square, with the squares reached.
    fn walked<S: Set>(frame: &Frame, sliders: [S; 2], occupied: S, open: S) -> (u32, S) {
        let (mut n, mut reached) = (0, S::EMPTY);
        for (set, directions) in sliders.iter().zip([ORTHOGONAL, DIAGONAL]) {
            for from in frame.squares().filter(|s| set.has(*s)) {
                for (dx, dy) in directions {
                    let mut at = from;
                    while let Some(to) = frame.step(at, dx.into(), dy.into()) {
                        n += u32::from(open.has(to));
                        reached |= S::bit(to);
                        if occupied.has(to) {
                            break;
                        }
                        at = to;
                    }
                }
            }
        }
        (n, reached)
    }

    /// As the generator runs them: compiled apart.
    struct Both<'a, S> {
        fill: &'a Fill,
        sliders: [S; 2],
        occupied: S,
        open: S,
    }

    impl<S: Set> Kernel for Both<'_, S> {
        type Out = (u32, S);
        fn run<C: Cpu>(self, cpu: C) -> (u32, S) {
            let Both {
                fill,
                sliders,
                occupied,
                open,
            } = self;
            (
                fill.count(cpu, sliders, occupied, open),
                fill.attacked(cpu, sliders, occupied),
            )
        }
    }

    fn on_board<S: Set>(files: u8, ranks: u8) -> Result<(), Box<dyn std::error::Error>> {
        let frame = Frame::new(files, ranks, |_, _| false).ok_or("no such board")?;
        let fill = Fill::new::<S>(&frame, Level::detect()).ok_or("this board can be filled")?;
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
                let (number, reached) = walked(&frame, sliders, occupied, open);
                let best = Level::detect();
                for level in [Level::Portable, best.narrow(), best] {
                    let apart = level.run(Both {
                        fill: &fill,
                        sliders,
                        occupied,
                        open,
                    });
                    assert_eq!(apart, (number, reached), "{files}x{ranks}, {level:?} apart");
                }
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
        on_board::<Words<2>>(12, 10)?;
        on_board::<Words<3>>(12, 12)?;
        on_board::<Words<3>>(13, 13)?;
        Ok(())
    }

    #[test]
    fn other_boards_are_left_to_look_ups() -> Result<(), Box<dyn std::error::Error>> {
        let best = Level::detect();
        let larger = Frame::new(14, 9, |_, _| false).ok_or("no such board")?;
        assert!(Fill::new::<Words<2>>(&larger, best).is_none(), "13 squares");
        let holed = Frame::new(8, 8, |file, rank| (file, rank) == (0, 0)).ok_or("no such board")?;
        assert!(
            Fill::new::<Words<1>>(&holed, best).is_some(),
            "numbers go on evenly"
        );
        let holed = Frame::new(8, 8, |file, rank| (file, rank) == (3, 3)).ok_or("no such board")?;
        assert!(
            Fill::new::<Words<1>>(&holed, best).is_none(),
            "numbers jump"
        );
        Ok(())
    }
}
