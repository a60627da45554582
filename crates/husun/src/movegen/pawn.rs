//! Moves of pawn-type pieces, all of a kind at once: steps, captures, initial steps, en passant, and what
//! they become where they arrive.

use super::{Scene, Sink};
use crate::cpu::{Cpu, Portable};
use crate::frame::Square;
use crate::moves::{Move, Special};
use crate::pos::{NO_SQUARE, Pos};
use crate::set::Set;
use crate::side::Side;
use crate::tables::{Needs, Pawn, Shift, Tables};

impl<S: Set> Tables<S> {
    /// Calls `f(kind, squares)` for every kind that a piece of kind `from` may become now, with those of the squares
    /// `changing` on which it may.
    #[inline(always)]
    pub(super) fn promotions(&self, pos: &Pos<S>, from: u8, changing: S, mut f: impl FnMut(u8, S)) {
        let Some(zones) = &self.zones else { return };
        for &kind in &zones.to {
            f(kind, changing);
        }
        let us = pos.turn;
        let fewer = |kind: u8, placed: u8| {
            let standing = (pos.kinds.as_ref()[usize::from(placed)] & pos.side(us)).count();
            standing < self.setup_counts[us.index()][usize::from(kind)]
        };
        for &kind in &zones.captured {
            let placed = self.crowned_kind(pos, kind);
            if fewer(kind, placed) {
                f(placed, changing);
            }
        }
        let optional = changing & zones.optional[us.index()];
        for &kind in &zones.captured_optional {
            let placed = self.crowned_kind(pos, kind);
            if placed != from && optional.any() && fewer(kind, placed) {
                f(placed, optional);
            }
        }
    }

    /// Moves of a piece that is not of pawn type but promotes.
    pub(super) fn promoting_piece<K: Sink<S>>(
        &self,
        pos: &Pos<S>,
        from: Square,
        kind: u8,
        targets: S,
        sink: &mut K,
    ) {
        let Some(zones) = &self.zones else { return };
        let us = pos.turn.index();
        sink.piece(from, kind, targets.without(zones.mandatory[us]), kind);
        let changing = targets & (zones.mandatory[us] | zones.optional[us]);
        if changing.any() {
            self.promotions(pos, kind, changing, |placed, on| {
                sink.piece(from, kind, on, placed)
            });
        }
    }

    /// Moves of pawn-type pieces of a kind to the open squares, without en passant; `change` tells
    /// whether one of them could become something else.
    #[inline(always)]
    pub(super) fn pawn_moves<C: Cpu, K: Sink<S>>(
        &self,
        pos: &Pos<S>,
        pawn: &Pawn<S>,
        (pieces, change): (S, bool),
        open: S,
        scene: &Scene<S, C>,
        sink: &mut K,
    ) {
        let us = scene.us.index();
        let kind = (pawn.kind, change);
        for shift in &pawn.quiet[us] {
            let one = shift.apply::<C>(pieces) & scene.empty;
            self.pawns_arrive(pos, shift, 1, kind, one & open, sink);
            let mut far = one & shift.initial;
            // Where there are initial squares, two steps are allowed; a range takes longer to walk.
            let mut hops = 1;
            while far.any() {
                hops += 1;
                far = shift.apply::<C>(far) & scene.empty;
                self.pawns_arrive(pos, shift, hops, kind, far & open, sink);
                if hops == self.initial_steps {
                    break;
                }
                far &= shift.further;
            }
        }
        for shift in &pawn.take[us] {
            let taken = shift.apply::<C>(pieces) & scene.enemy & open;
            self.pawns_arrive(pos, shift, 1, kind, taken, sink);
        }
        if C::NEEDS.has(Needs::ODD) && pawn.rides {
            sink.apart(|sink| self.pawns_ride(pos, pawn, pieces, open, scene, sink));
        }
    }

    /// Squares that a pawn-type piece steps to, including initial steps, and those that it attacks by a step.
    pub(crate) fn pawn_reach<C: Cpu>(
        &self,
        pawn: &Pawn<S>,
        piece: S,
        side: Side,
        scene: &Scene<S, C>,
    ) -> (S, S) {
        let us = side.index();
        let (mut quiet, mut takes) = (S::EMPTY, S::EMPTY);
        for shift in &pawn.quiet[us] {
            let one = shift.apply::<C>(piece) & scene.empty;
            quiet |= one;
            let mut far = one & shift.initial;
            for _ in 2..=self.initial_steps {
                far = shift.apply::<C>(far) & scene.empty;
                quiet |= far;
                far &= shift.further;
            }
        }
        for shift in &pawn.take[us] {
            takes |= shift.apply::<C>(piece);
        }
        (quiet, takes)
    }

    /// Slides and the like of pawn-type pieces, to squares that none of their steps reaches.
    #[inline(never)]
    fn pawns_ride<C: Cpu, K: Sink<S>>(
        &self,
        pos: &Pos<S>,
        pawn: &Pawn<S>,
        pieces: S,
        open: S,
        scene: &Scene<S, C>,
        sink: &mut K,
    ) {
        let kind = pawn.kind;
        for from in pieces.iter() {
            let (quiet, takes) = self.pawn_reach(pawn, S::bit(from), scene.us, scene);
            let stepped = quiet | (takes & scene.enemy);
            let targets = self.targets(kind, scene.us, from, scene).without(stepped) & open;
            let plain = targets.without(self.changes[scene.us.index()]);
            sink.piece(from, kind, plain, kind);
            for to in (targets ^ plain).iter() {
                self.changes_at(pos, kind, to, |placed| {
                    sink.one(Move::new(from, to, kind, placed, Special::None));
                });
            }
        }
    }

    /// Pawn-type pieces arrive on the targets, where they may become something else.
    #[inline(always)]
    fn pawns_arrive<K: Sink<S>>(
        &self,
        pos: &Pos<S>,
        shift: &Shift<S>,
        hops: u8,
        (kind, change): (u8, bool),
        targets: S,
        sink: &mut K,
    ) {
        if !change {
            return sink.pawns(shift, hops, kind, targets, kind);
        }
        let changing = targets & self.changes[pos.turn.index()];
        sink.pawns(shift, hops, kind, targets ^ changing, kind);
        if changing.any() {
            sink.apart(|sink| self.pawns_change(pos, shift, hops, kind, changing, sink));
        }
    }

    #[inline(never)]
    fn pawns_change<K: Sink<S>>(
        &self,
        pos: &Pos<S>,
        shift: &Shift<S>,
        hops: u8,
        kind: u8,
        changing: S,
        sink: &mut K,
    ) {
        if self.places.is_empty()
            && let Some(zones) = &self.zones
            && zones.kinds >> kind & 1 != 0
        {
            let declined = changing.without(zones.mandatory[pos.turn.index()]);
            sink.pawns(shift, hops, kind, declined, kind);
            self.promotions(pos, kind, changing, |placed, on| {
                sink.pawns(shift, hops, kind, on, placed)
            });
            return;
        }
        for to in changing.iter() {
            self.changes_at(pos, kind, to, |placed| {
                sink.pawns(shift, hops, kind, S::bit(to), placed);
            });
        }
    }

    /// Calls `f(placed)` for everything that a pawn-type piece may be after arriving on a square.
    pub(crate) fn changes_at(&self, pos: &Pos<S>, kind: u8, to: Square, mut f: impl FnMut(u8)) {
        let us = pos.turn.index();
        if let Some(zones) = &self.zones
            && zones.kinds >> kind & 1 != 0
            && (zones.mandatory[us] | zones.optional[us]).has(to)
        {
            if !zones.mandatory[us].has(to) {
                f(kind);
            }
            self.promotions(pos, kind, S::bit(to), |placed, _| f(placed));
            return;
        }
        for place in self.places.iter().filter(|p| p.squares[us].has(to)) {
            let flag = place.flag[us];
            if flag == 0 {
                return f(place.kind);
            }
            if pos.state & flag == 0 {
                continue;
            }
            // games/citadel9/rules.md: no release next to an opposing royal piece, after any capture.
            if self.apart && self.is_royal(place.kind) {
                let enemy = pos.of_kinds(&self.royals) & pos.sides[us ^ 1];
                if (self.ring(to) & enemy).any() {
                    return;
                }
            }
            return f(place.kind);
        }
        f(kind);
    }

    /// En-passant captures, each tested on the board after it.
    pub(super) fn en_passant<C: Cpu, K: Sink<S>>(
        &self,
        pos: &Pos<S>,
        scene: &Scene<S, C>,
        sink: &mut K,
    ) {
        for &to in pos.passed.iter().filter(|&&s| s != NO_SQUARE) {
            for pawn in &self.pawns {
                let from = self.leap(pawn.take_from[scene.us.index()], to);
                for from in (from & pos.kinds.as_ref()[usize::from(pawn.kind)] & scene.own).iter() {
                    if self.en_passant_is_legal(pos, from, to, scene) {
                        self.changes_at(pos, pawn.kind, to, |placed| {
                            sink.one(Move::new(from, to, pawn.kind, placed, Special::EnPassant));
                        });
                    }
                }
            }
        }
    }

    fn en_passant_is_legal<C: Cpu>(
        &self,
        pos: &Pos<S>,
        from: Square,
        to: Square,
        scene: &Scene<S, C>,
    ) -> bool {
        let victim = S::bit(pos.victim);
        let occupied = (scene.occupied ^ S::bit(from) ^ victim) | S::bit(to);
        self.royal_square(pos, scene.us).is_none_or(|royal| {
            let attackers = scene.enemy ^ victim;
            !self.attacked(
                scene.cpu,
                pos,
                royal,
                scene.us.opponent(),
                attackers,
                occupied,
            )
        })
    }

    /// Whether a pawn-type piece of the side to move could capture on a passed square now.
    #[inline(always)]
    pub(crate) fn can_capture_passed(&self, pos: &Pos<S>, to: Square) -> bool {
        let own = pos.side(pos.turn);
        self.pawns.iter().any(|pawn| {
            let from = self.leap(pawn.take_from[pos.turn.index()], to);
            let from = from & pos.kinds.as_ref()[usize::from(pawn.kind)] & own;
            from.any() && self.some_may_capture_passed(pos, pawn.kind, from, to)
        })
    }

    #[cold]
    #[inline(never)]
    fn some_may_capture_passed(&self, pos: &Pos<S>, kind: u8, mut from: S, to: Square) -> bool {
        let mut possible = false;
        self.changes_at(pos, kind, to, |_| possible = true);
        let scene = Scene::new(self, Portable, pos);
        while let Some(from) = from.pop_first() {
            if possible && self.en_passant_is_legal(pos, from, to, &scene) {
                return true;
            }
        }
        false
    }
}
