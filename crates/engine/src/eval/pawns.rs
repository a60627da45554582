//! Pawns: structure, and the way to squares where they become something else.

use super::Evaluator;
use crate::pair::{Pair, pair};
use husun::pos::Pos;
use husun::set::Set;
use husun::{Kind, Side, Square};

/// Steps to a change that are distinguished.
const WAY: usize = 8;
/// Part of the gain, in 256ths, that a pawn has already at that many steps.
const PART: [i32; WAY] = [0, 80, 48, 28, 15, 8, 4, 2];

/// A way to squares where pawns become something without choice.
#[derive(Clone, Debug)]
pub(super) struct Way {
    /// State flag that must be set, 0 for none.
    pub flag: u16,
    /// By square: a pawn's part of the gain there, in centipawns.
    pub worth: Vec<i32>,
}

#[derive(Clone, Debug)]
pub(super) struct PawnFacts<S> {
    /// By side and square: squares before it on its file.
    pub file: [Vec<S>; 2],
    /// By side and square: squares before it on its file and on both beside it.
    pub span: [Vec<S>; 2],
    /// By square: the files beside it.
    pub beside: Vec<S>,
    /// By side: ways to arrivals and releases.
    pub ways: [Vec<Way>; 2],
    /// By side and square: part in 256ths of the gain of promotion by choice.
    pub promotion: [Vec<i32>; 2],
    /// Gain of the best promotion that is always possible.
    pub always: i32,
    /// Promotions that need a captured piece: kind, set-up counts by side, gain; best first.
    pub captured: Vec<(Kind, [u32; 2], i32)>,
    /// By side and square: the worth of being advanced.
    pub step: [Vec<Pair>; 2],
}

/// The part of a gain that is `steps` away.
pub(super) fn part(steps: Option<usize>) -> i32 {
    steps.map_or(0, |s| PART[s.min(WAY - 1)])
}

impl<S: Set> Evaluator<S> {
    /// What the best promotion by choice gains now.
    fn gain(&self, pos: &Pos<S>, side: Side) -> i32 {
        let own = pos.side(side);
        let best = self.pawn_facts.always;
        for &(kind, counts, value) in &self.pawn_facts.captured {
            if value <= best {
                break;
            }
            if (pos.kind(kind) & own).count() < counts[side.index()] {
                return value;
            }
        }
        best
    }

    /// Structure and progress of the side's pawns.
    #[inline(always)]
    pub(super) fn pawns(
        &self,
        pos: &Pos<S>,
        side: Side,
        protected: S,
        royals: [Option<Square>; 2],
    ) -> Pair {
        let facts = &self.pawn_facts;
        let i = side.index();
        let all = self.of(pos, &self.pawn_kinds);
        let (own, enemy) = (all & pos.side(side), all & pos.side(side.opponent()));
        if own.is_empty() {
            return Pair::default();
        }
        let gain = self.gain(pos, side);
        let terms = &self.terms;
        let mut sum = terms.protected * (own & protected).count() as i32;
        let mut progress = Pair::default();
        for square in own.iter() {
            let s = usize::from(square);
            if (facts.beside[s] & own).is_empty() {
                sum += terms.isolated;
            }
            if (facts.file[i][s] & own).any() {
                sum += terms.doubled;
            }
            let mut worth = gain * facts.promotion[i][s] / 256;
            for way in &facts.ways[i] {
                if way.flag == 0 || pos.state() & way.flag != 0 {
                    worth = worth.max(way.worth[s]);
                }
            }
            progress += pair(worth / 3, worth) + facts.step[i][s];
            if (facts.span[i][s] & enemy).is_empty() {
                let free = (facts.file[i][s] & pos.occupied()).is_empty();
                let more = if free { 2 } else { 1 };
                sum += self.passed[i][s];
                progress += terms.passed + pair(worth * more / 4, worth * more / 2);
                if let [Some(ours), Some(theirs)] = [royals[i], royals[i ^ 1]] {
                    let geometry = &self.facts.geometry;
                    let nearer = geometry.apart(theirs, square) - geometry.apart(ours, square);
                    let nearer = nearer.clamp(-5, 5);
                    let part = worth * nearer;
                    progress += pair(part * terms.escort.mg / 100, part * terms.escort.eg / 100);
                }
            }
        }
        sum + pair(
            progress.mg * terms.advance.mg / 100,
            progress.eg * terms.advance.eg / 100,
        )
    }
}
