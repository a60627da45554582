//! What a game has that takes time to look for. Counting and perft are compiled for a few sets of needs, each without what
//! looks for the rest; a game uses the first with all of its own. Other processors and lists look for everything. Measured gain:
//! `docs/speed.md`.

use super::{Castle, Rider, Tables};
use crate::cpu::Cpu;
use crate::set::Set;
use std::ops::BitOr;

/// A set of needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Needs(pub u8);

impl Needs {
    /// Sliders, leapers, pawns, and one royal piece for each side, which leaps.
    pub const NONE: Needs = Needs(0);
    /// Ways of moving that are neither slides nor leaps.
    pub const RIDERS: Needs = Needs(1);
    /// A castle that a royal piece moves in, and crowning; not castling.
    pub const CASTLE: Needs = Needs(2);
    /// Several royal pieces, such as keep apart, or such as do not only leap.
    pub const ROYALS: Needs = Needs(4);
    /// Squares, steps and pieces unlike the others: citadels, steps that change the square's number otherwise, leaps that
    /// only move or only capture, kinds whose ways overlap or that promote (but for the widest boards), pawns that do not only
    /// leap, royal kinds that leap otherwise than each other (on the smallest), several castlings to a wing, or such whose partner does
    /// not come from the end of the rank to a square that the royal piece passes.
    pub const ODD: Needs = Needs(8);
    /// Groups of kinds without a plane of their own.
    pub const SPLIT: Needs = Needs(16);
    /// Everything.
    pub const ALL: Needs = Needs(31);

    /// As in TigerSquares.
    pub const RIDERS_AND_CASTLE: Needs = Needs(Needs::RIDERS.0 | Needs::CASTLE.0);
    /// As in Citadel.
    pub const RIDERS_AND_ROYALS: Needs = Needs(Needs::RIDERS.0 | Needs::ROYALS.0);

    /// The sets that there are copies for, besides [`Needs::ALL`].
    pub const COPIES: [Needs; 4] = [
        Needs::NONE,
        Needs::RIDERS_AND_CASTLE,
        Needs::RIDERS_AND_ROYALS,
        Needs::ODD,
    ];

    /// The first of the copies that looks for all of these.
    pub fn copy(self, copies: &[Needs]) -> Needs {
        let enough = |c: &&Needs| self.0 & !c.0 == 0;
        copies.iter().find(enough).copied().unwrap_or(Needs::ALL)
    }

    /// Whether all that attacks the squares of castlings is found together with what attacks the royal piece's steps.
    #[inline(always)]
    pub const fn castles_by_steps(self) -> bool {
        self.0 & (Needs::RIDERS.0 | Needs::ROYALS.0 | Needs::ODD.0) == 0
    }

    /// Whether there is such a copy.
    pub const fn among(self, copies: &[Needs]) -> bool {
        let mut i = 0;
        while i < copies.len() {
            if copies[i].0 == self.0 {
                return true;
            }
            i += 1;
        }
        false
    }

    /// Whether it is among them.
    #[inline(always)]
    pub const fn has(self, one: Needs) -> bool {
        self.0 & one.0 != 0
    }

    fn one_if(self, condition: bool) -> Needs {
        if condition { self } else { Needs::NONE }
    }
}

/// The list, or nothing in a copy for games without that need.
#[inline(always)]
pub(crate) fn if_needed<C: Cpu, T>(need: Needs, list: &[T]) -> &[T] {
    if C::NEEDS.has(need) { list } else { &[] }
}

impl BitOr for Needs {
    type Output = Needs;

    fn bitor(self, other: Needs) -> Needs {
        Needs(self.0 | other.0)
    }
}

impl<S: Set> Tables<S> {
    /// The ways of moving that are neither slides nor leaps.
    #[inline(always)]
    pub(crate) fn riders<C: Cpu>(&self) -> &[Rider<S>] {
        if_needed::<C, _>(Needs::RIDERS, &self.riders)
    }

    /// The copies that are worth it at this width.
    pub(crate) const COPIES: &'static [Needs] = match S::WORDS {
        3 => &[Needs::RIDERS_AND_CASTLE],
        _ => &Needs::COPIES,
    };

    /// Whether all copies look for kinds that are taken as a whole: at the widest, most games have some.
    const TAKES_WHOLE: bool = S::WORDS == 3;

    /// The kinds that are taken as a whole.
    #[inline(always)]
    pub(crate) fn whole<C: Cpu>(&self) -> &[u8] {
        if Self::TAKES_WHOLE || C::NEEDS.has(Needs::ODD) {
            &self.atoms.whole
        } else {
            &[]
        }
    }

    /// The castle that a royal piece moves in.
    #[inline(always)]
    pub(crate) fn castle<C: Cpu>(&self) -> Option<&Castle<S>> {
        if C::NEEDS.has(Needs::CASTLE) {
            self.castle.as_ref()
        } else {
            None
        }
    }

    /// Whether royal pieces of both sides keep apart.
    #[inline(always)]
    pub(crate) fn apart<C: Cpu>(&self) -> bool {
        C::NEEDS.has(Needs::ROYALS) && self.apart
    }

    /// Whether all royal kinds only leap.
    #[inline(always)]
    pub(crate) fn royals_leap<C: Cpu>(&self) -> bool {
        !C::NEEDS.has(Needs::ROYALS) || self.royals_leap
    }

    /// Whether it is known that all royal kinds have the same leaps and move in no other way. Larger boards do not ask: it
    /// costs them more than it gains.
    #[inline(always)]
    pub(crate) fn royals_alike<C: Cpu>(&self) -> bool {
        S::WORDS == 1 && !C::NEEDS.has(Needs::ROYALS) && !C::NEEDS.has(Needs::ODD)
    }

    /// What the game has, once all else is known.
    pub(super) fn needs(&self) -> Needs {
        let kinds = self.common.iter().chain(&self.royals.kinds);
        let mut movers = kinds.map(|&kind| &self.movers[usize::from(kind)]);
        let mut steps = self
            .pawns
            .iter()
            .flat_map(|p| p.quiet.iter().chain(&p.take).flatten());
        let odd = self.citadels.is_some()
            || !(self.atoms.whole.is_empty() || Self::TAKES_WHOLE)
            || movers.any(|m| m.quiet != [None; 2] || m.take != [None; 2])
            || steps.any(|s| !s.irregular.is_empty())
            || self.pawns.iter().any(|p| p.rides)
            || (S::WORDS == 1 && !self.royals_alike)
            || !self.castlings_plain;
        let split = self.groups().any(|g| !g.rest.is_empty());
        let royals = self.several_royals || self.apart || !self.royals_leap;
        Needs::RIDERS.one_if(!self.riders.is_empty())
            | Needs::CASTLE.one_if(self.castle.is_some() || self.crown.is_some())
            | Needs::ROYALS.one_if(royals)
            | Needs::ODD.one_if(odd)
            | Needs::SPLIT.one_if(split)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::set::Words;

    /// Each copy has all that a game with these needs has, and is one that is compiled.
    #[test]
    fn copies_are_enough() {
        let widths = [
            Tables::<Words<1>>::COPIES,
            Tables::<Words<2>>::COPIES,
            Tables::<Words<3>>::COPIES,
        ];
        for (bits, copies) in (0..=Needs::ALL.0).flat_map(|bits| widths.map(|w| (bits, w))) {
            let copy = Needs(bits).copy(copies);
            assert_eq!(bits & !copy.0, 0, "{bits}: {copy:?}");
            assert!(
                copy == Needs::ALL || copies.contains(&copy),
                "{bits}: {copy:?}"
            );
        }
        let [_, copies, widest] = widths;
        assert_eq!(Needs::NONE.copy(copies), Needs::NONE);
        assert_eq!(Needs::RIDERS.copy(copies), Needs::RIDERS_AND_CASTLE);
        assert_eq!(Needs::ROYALS.copy(copies), Needs::RIDERS_AND_ROYALS);
        assert_eq!(Needs::ODD.copy(copies), Needs::ODD);
        assert_eq!(Needs::SPLIT.copy(copies), Needs::ALL);
        assert_eq!(Needs::NONE.copy(widest), Needs::RIDERS_AND_CASTLE);
    }
}
