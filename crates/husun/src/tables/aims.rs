//! The lines on which riders may attack a square, listed by square for all riders together: asking way by way who has it and
//! where its table lies takes longer.

use super::rider::Lines;
use super::{Needs, Tables};
use crate::cpu::Cpu;
use crate::frame::Square;
use crate::pos::{Group, Pos};
use crate::set::Set;
use crate::side::Side;

/// Lines to a square, at most one from each origin.
#[derive(Clone, Debug)]
struct Aim<S> {
    origins: S,
    /// Number of the squares between it and the first origin.
    first: u32,
    /// The plane of the riders.
    plane: u8,
    /// How many pieces must stand between.
    needed: u8,
}

/// The lines to all squares; those of a square are found by [`super::Spot`].
#[derive(Clone, Debug, Default)]
pub(super) struct Aims<S> {
    list: Vec<Aim<S>>,
    /// The squares between, by aim in the order of its origins.
    between: Vec<S>,
}

impl<S: Set> Aims<S> {
    pub fn bytes(&self) -> usize {
        size_of_val(&self.list[..]) + size_of_val(&self.between[..])
    }

    /// Adds a rider's lines to a square.
    fn add(&mut self, mut lines: Vec<(Square, S)>, kinds: &Group, needed: u8) {
        lines.sort_by_key(|l| l.0);
        // More than once where two paths lead from an origin.
        while !lines.is_empty() {
            let (mut origins, first) = (S::EMPTY, self.between.len() as u32);
            lines.retain(|&(origin, between)| {
                let again = origins.has(origin);
                if !again {
                    origins |= S::bit(origin);
                    self.between.push(between);
                }
                again
            });
            let planes = std::iter::once(kinds.plane).chain(kinds.rest.iter().copied());
            self.list.extend(planes.map(|plane| Aim {
                origins,
                first,
                plane,
                needed,
            }));
        }
    }
}

impl<S: Set> Tables<S> {
    /// Lists the lines of all riders, once planes are chosen.
    pub(super) fn list_aims(&mut self, lines: &[Lines<S>]) {
        for square in 0..self.squares {
            for side in [0, 1] {
                let first = self.aims.list.len() as u32;
                for (rider, lines) in self.riders.iter().zip(lines) {
                    if rider.mode.captures() {
                        let lines = lines.of_side(side)[square].clone();
                        self.aims.add(lines, &rider.kinds, u8::from(rider.hop));
                    }
                }
                self.spots[square].aims[side] = [first, self.aims.list.len() as u32];
            }
        }
    }

    /// Calls `f(between, origin, pieces needed)` for every line on which one of the side's `riders` aims at the square.
    #[inline(always)]
    pub(crate) fn riders_to<C: Cpu>(
        &self,
        pos: &Pos<S>,
        side: Side,
        square: Square,
        riders: S,
        mut f: impl FnMut(S, Square, u32),
    ) {
        if !C::NEEDS.has(Needs::RIDERS) {
            return;
        }
        let [first, end] = self.spots[usize::from(square)].aims[side.index()];
        for aim in &self.aims.list[first as usize..end as usize] {
            let aiming = aim.origins & pos.kinds.as_ref()[usize::from(aim.plane)] & riders;
            for origin in aiming.iter() {
                // The origins below this one come first.
                let below = S::bit(origin).through_first() ^ S::bit(origin);
                let number = aim.first + (aim.origins & below).count();
                let between = self.aims.between[number as usize];
                f(between, origin, u32::from(aim.needed));
            }
        }
    }
}
