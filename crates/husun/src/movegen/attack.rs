//! Who attacks what, and what the enemy lines aimed at a royal square allow. An enemy line matters if the
//! number of pieces between is within one of the number that would give check.

use super::Scene;
use crate::cpu::{Cpu, Kernel};
use crate::frame::Square;
use crate::pos::{NO_SQUARE, Pos};
use crate::set::Set;
use crate::side::Side;
use crate::tables::{Castle, Needs, Tables};

/// What the lines aimed at a side's royal piece allow its other pieces.
pub(super) struct Guard<S> {
    pub royal: Square,
    pub in_check: bool,
    /// Targets that answer checks by leaps: all if there are none.
    pub leaps: S,
    /// Targets open to pieces on no line that matters.
    pub open: S,
    /// Pieces on lines that matter.
    pub tied: S,
}

impl<S: Set> Guard<S> {
    /// Without a royal piece.
    #[inline(always)]
    pub fn none(board: S) -> Self {
        Guard {
            royal: NO_SQUARE,
            in_check: false,
            leaps: board,
            open: board,
            tied: S::EMPTY,
        }
    }
}

impl<S: Set> Tables<S> {
    /// The square of the side's royal piece; none if it has several, as then none is royal.
    #[inline(always)]
    pub fn royal_square(&self, pos: &Pos<S>, side: Side) -> Option<Square> {
        let royals = pos.of_kinds(&self.royals) & pos.side(side);
        let first = royals.first()?;
        (!self.several_royals || royals == S::bit(first)).then_some(first)
    }

    /// The same for the side to move.
    #[inline(always)]
    pub(super) fn royal_on<C: Cpu>(&self, pos: &Pos<S>, scene: &Scene<S, C>) -> Option<Square> {
        if C::NEEDS.has(Needs::ROYALS) {
            return self.royal_square(pos, scene.us);
        }
        (pos.of::<C>(&self.royals) & scene.own).first()
    }

    /// Whether one of the `attackers` (a subset of the side's pieces) attacks the square on a board
    /// with these squares occupied.
    #[inline(always)]
    pub(crate) fn attacked<C: Cpu>(
        &self,
        cpu: C,
        pos: &Pos<S>,
        square: Square,
        side: Side,
        attackers: S,
        occupied: S,
    ) -> bool {
        for group in &self.leap_attacks {
            let from = self.leap(group.from[side.index()], square);
            if (from & pos.of::<C>(&group.kinds) & attackers).any() {
                return true;
            }
        }
        self.attacked_on_line(cpu, pos, square, side, attackers, occupied)
    }

    /// Whether one of the attackers attacks the square along a line or from within its castle.
    #[inline(always)]
    pub(super) fn attacked_on_line<C: Cpu>(
        &self,
        cpu: C,
        pos: &Pos<S>,
        square: Square,
        side: Side,
        attackers: S,
        occupied: S,
    ) -> bool {
        if self.attacked_by_slide(cpu, pos, square, attackers, occupied) {
            return true;
        }
        let mut hit = false;
        self.riders_to::<C>(pos, side, square, attackers, |between, _, needed| {
            hit |= (between & occupied).count() == needed;
        });
        if hit {
            return true;
        }
        match self.castle::<C>() {
            Some(castle) => (self.castle_attackers(castle, pos, square, side) & attackers).any(),
            None => false,
        }
    }

    /// Whether one of the attackers attacks the square as a rook or bishop.
    #[inline(always)]
    pub(super) fn attacked_by_slide<C: Cpu>(
        &self,
        cpu: C,
        pos: &Pos<S>,
        square: Square,
        attackers: S,
        occupied: S,
    ) -> bool {
        let i = usize::from(square);
        let orthogonal = pos.of::<C>(&self.orthogonal) & attackers & self.spots[i].orthogonal;
        if orthogonal.any() && (self.orthogonal(cpu, square, occupied) & orthogonal).any() {
            return true;
        }
        let diagonal = pos.of::<C>(&self.diagonal) & attackers & self.spots[i].diagonal;
        diagonal.any() && (self.diagonal(cpu, square, occupied) & diagonal).any()
    }

    /// The squares among these that no enemy rider attacks with the given squares occupied.
    #[inline(always)]
    pub(super) fn out_of_riders<C: Cpu>(
        &self,
        pos: &Pos<S>,
        mut squares: S,
        occupied: S,
        scene: &Scene<S, C>,
    ) -> S {
        let them = scene.us.opponent();
        for rider in self.riders::<C>().iter().filter(|r| r.mode.captures()) {
            for from in (pos.of::<C>(&rider.kinds) & scene.enemy).iter() {
                if (rider.destinations(them, from) & squares).any() {
                    squares &= !self.rider(scene.cpu, rider, them, from, occupied);
                }
            }
        }
        squares
    }

    /// The squares among these that no enemy slider attacks with the given squares occupied.
    #[inline(always)]
    pub(super) fn out_of_slides<C: Cpu>(
        &self,
        pos: &Pos<S>,
        mut squares: S,
        occupied: S,
        scene: &Scene<S, C>,
    ) -> S {
        for from in (pos.of::<C>(&self.orthogonal) & scene.enemy).iter() {
            if (self.spots[usize::from(from)].orthogonal & squares).any() {
                squares &= !self.orthogonal(scene.cpu, from, occupied);
            }
        }
        for from in (pos.of::<C>(&self.diagonal) & scene.enemy).iter() {
            if (self.spots[usize::from(from)].diagonal & squares).any() {
                squares &= !self.diagonal(scene.cpu, from, occupied);
            }
        }
        squares
    }

    /// The side's royal pieces that attack a square of their castle.
    #[inline(always)]
    pub(super) fn castle_attackers(
        &self,
        castle: &Castle<S>,
        pos: &Pos<S>,
        square: Square,
        side: Side,
    ) -> S {
        let inside = castle.squares[side.index()];
        if !inside.has(square) {
            return S::EMPTY;
        }
        let planes = pos.kinds.as_ref();
        let mut kinds = planes[usize::from(castle.becomes)];
        if pos.state & castle.castled[side.index()] == 0 {
            kinds |= planes[usize::from(castle.piece)];
        }
        (kinds & inside & pos.side(side)).without(S::bit(square))
    }

    /// Whether the side has a royal piece and it is attacked.
    pub fn in_check(&self, pos: &Pos<S>, side: Side) -> bool {
        S::in_check(self, pos, side)
    }

    /// Calls `f(between, origin, pieces between, pieces needed)` for all enemy lines aimed at a square.
    #[inline(always)]
    fn lines_to<C: Cpu>(
        &self,
        pos: &Pos<S>,
        square: Square,
        scene: &Scene<S, C>,
        mut f: impl FnMut(S, Square, u32, u32),
    ) {
        let i = usize::from(square);
        let orthogonal = pos.of::<C>(&self.orthogonal) & self.spots[i].orthogonal;
        let diagonal = pos.of::<C>(&self.diagonal) & self.spots[i].diagonal;
        for origin in ((orthogonal | diagonal) & scene.enemy).iter() {
            let between = self.between(square, origin);
            f(between, origin, (between & scene.occupied).count(), 0);
        }
        let them = scene.us.opponent();
        self.riders_to::<C>(pos, them, square, scene.enemy, |between, origin, needed| {
            f(between, origin, (between & scene.occupied).count(), needed);
        });
    }

    /// Enemy leapers that attack the royal square, and squares that these and others attack: if royal pieces
    /// only leap, all such squares that the royal piece may go to are among them.
    #[inline(always)]
    pub(super) fn leapers<C: Cpu>(
        &self,
        pos: &Pos<S>,
        royal: Square,
        scene: &Scene<S, C>,
    ) -> (S, S) {
        let them = scene.us.opponent();
        let (mut checkers, mut struck) = (S::EMPTY, S::EMPTY);
        let spot = &self.spots[usize::from(royal)];
        if (spot.near[them.index()] & scene.enemy).any() {
            for group in &self.leap_attacks {
                let near = group.near[them.index()][usize::from(royal)];
                let near = near & pos.of::<C>(&group.kinds) & scene.enemy;
                checkers |= self.leap(group.from[them.index()], royal) & near;
                for from in near.iter() {
                    struck |= self.leap(group.to[them.index()], from);
                }
            }
        }
        if let Some(castle) = self.castle::<C>() {
            checkers |= self.castle_attackers(castle, pos, royal, them);
        }
        (checkers, struck)
    }

    #[inline(always)]
    pub(super) fn guard<C: Cpu>(
        &self,
        pos: &Pos<S>,
        royal: Square,
        checkers: S,
        scene: &Scene<S, C>,
    ) -> Guard<S> {
        let leaps = match checkers.count() {
            0 => self.board,
            1 => checkers,
            _ => S::EMPTY,
        };
        let mut guard = Guard {
            royal,
            in_check: checkers.any(),
            leaps,
            open: leaps,
            tied: S::EMPTY,
        };
        self.lines_to(pos, royal, scene, |between, origin, pieces, needed| {
            if pieces + 1 == needed {
                guard.open &= !between;
            } else if pieces == needed {
                guard.in_check = true;
                guard.open &= (between & scene.empty) | S::bit(origin);
                guard.tied |= between & scene.own;
            } else if pieces == needed + 1 {
                guard.tied |= between & scene.own;
            }
        });
        guard
    }

    /// Where a tied piece may go.
    #[inline(always)]
    pub(super) fn tied_targets<C: Cpu>(
        &self,
        pos: &Pos<S>,
        guard: &Guard<S>,
        from: Square,
        scene: &Scene<S, C>,
    ) -> S {
        let mut open = guard.leaps;
        self.lines_to(
            pos,
            guard.royal,
            scene,
            |between, origin, pieces, needed| {
                let on_line = between.has(from);
                if pieces + 1 == needed {
                    open &= !between;
                } else if pieces == needed {
                    open &= if on_line {
                        !between
                    } else {
                        (between & scene.empty) | S::bit(origin)
                    };
                } else if pieces == needed + 1 && on_line {
                    open &= (between & scene.empty) | S::bit(origin);
                }
            },
        );
        open
    }
}

/// Whether a side's royal piece is attacked.
pub(super) struct InCheck<'a, S: Set> {
    pub tables: &'a Tables<S>,
    pub pos: &'a Pos<S>,
    pub side: Side,
}

impl<S: Set> Kernel for InCheck<'_, S> {
    type Out = bool;
    #[inline(always)]
    fn run<C: Cpu>(self, cpu: C) -> bool {
        let (tables, pos, them) = (self.tables, self.pos, self.side.opponent());
        tables.royal_square(pos, self.side).is_some_and(|royal| {
            tables.attacked(cpu, pos, royal, them, pos.side(them), pos.occupied())
        })
    }
}
