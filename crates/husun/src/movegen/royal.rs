//! Moves of royal pieces: steps to squares that are safe once the piece stands there, going anywhere in
//! a castle, castling.

use super::attack::Guard;
use super::{Scene, Sink};
use crate::cpu::Cpu;
use crate::frame::Square;
use crate::moves::{Move, Special};
use crate::pos::{NO_SQUARE, Pos};
use crate::set::Set;
use crate::side::Wing;
use crate::tables::fill::AROUND;
use crate::tables::{Castle, CastlingSquares, Needs, Tables};

/// What is known of squares around the one royal piece once its moves have been made.
#[derive(Default)]
pub(super) struct Safety<S> {
    /// Squares that leapers attack.
    pub struck: S,
    /// Squares on which it could not stand.
    pub attacked: S,
    /// Squares on which it could.
    pub safe: S,
}

impl<S: Set> Tables<S> {
    /// Moves of the one royal piece: to squares that are not attacked once it stands there. Leapers
    /// attack those that are `struck`, and no others if royal pieces only leap.
    #[inline(always)]
    pub(super) fn royal_moves<C: Cpu, K: Sink<S>>(
        &self,
        pos: &Pos<S>,
        (royal, struck): (Square, S),
        scene: &Scene<S, C>,
        sink: &mut K,
    ) -> Safety<S> {
        let kind = match self.royals.kinds[..] {
            [only] => only,
            _ => pos.kind_at(royal),
        };
        let steps = self.targets(kind, scene.us, royal, scene);
        let barred = if self.apart::<C>() {
            self.next_to(pos.of_kinds(&self.royals) & scene.enemy)
        } else {
            S::EMPTY
        };
        let mut safe = steps.without(struck | barred);
        let lifted = scene.occupied ^ S::bit(royal);
        // Riders once for all squares; sliders, most of which the empty-board lines rule out, square by square.
        if C::NEEDS.has(Needs::RIDERS) && self.royals_leap::<C>() && safe.any() {
            safe = self.out_of_riders(pos, safe, lifted, scene);
        }
        // Or from all sliders at once, if there are enough squares.
        let mut unknown = safe;
        if C::FILLS
            && self.royals_leap::<C>()
            && let Some(fill) = &self.fill
            && safe.count() >= AROUND
        {
            let orthogonal = pos.of_kinds(&self.orthogonal) & scene.enemy;
            let diagonal = pos.of_kinds(&self.diagonal) & scene.enemy;
            safe = safe.without(fill.attacked(scene.cpu, [orthogonal, diagonal], lifted));
            unknown = match self.castle::<C>() {
                Some(castle) => safe & castle.squares[scene.us.opponent().index()],
                None => S::EMPTY,
            };
        }
        for to in unknown.iter() {
            let bit = S::bit(to);
            let attacked = if self.royals_leap::<C>() {
                let enemy = scene.enemy.without(bit);
                self.attacked_by_slide(scene.cpu, pos, to, enemy, lifted)
                    || self.attacked_in_castle(pos, to, scene)
            } else {
                self.attacked_but_struck(pos, to, lifted, scene)
            };
            safe ^= bit.if_set(u8::from(attacked));
        }
        sink.piece(royal, kind, safe, kind);
        if let Some(castle) = self.castle::<C>()
            && castle.squares[scene.us.index()].has(royal)
        {
            let steps = steps | barred;
            self.traverses(pos, castle, (royal, kind), steps, scene, sink);
        }
        Safety {
            struck,
            attacked: steps.without(safe),
            safe,
        }
    }

    /// Whether an enemy royal piece attacks the square of its castle.
    #[inline(always)]
    fn attacked_in_castle<C: Cpu>(
        &self,
        pos: &Pos<S>,
        square: Square,
        scene: &Scene<S, C>,
    ) -> bool {
        self.castle::<C>().is_some_and(|castle| {
            self.castle_attackers(castle, pos, square, scene.us.opponent())
                .any()
        })
    }

    /// Moves of the one royal piece within its castle that its own steps do not make.
    #[inline(always)]
    fn traverses<C: Cpu, K: Sink<S>>(
        &self,
        pos: &Pos<S>,
        castle: &Castle<S>,
        (royal, kind): (Square, u8),
        steps: S,
        scene: &Scene<S, C>,
        sink: &mut K,
    ) {
        let us = scene.us.index();
        let may =
            kind == castle.becomes || (kind == castle.piece && pos.state & castle.castled[us] == 0);
        if !may {
            return;
        }
        let far = castle.squares[us].without(scene.own | steps | S::bit(royal));
        let lifted = scene.occupied ^ S::bit(royal);
        let mut safe = far;
        for to in far.iter() {
            let bit = S::bit(to);
            let them = scene.us.opponent();
            let (enemy, occupied) = (scene.enemy.without(bit), lifted | bit);
            if self.attacked(scene.cpu, pos, to, them, enemy, occupied) {
                safe ^= bit;
            }
        }
        sink.piece(royal, kind, safe, castle.becomes);
    }

    /// All squares next to one of the set.
    #[inline(always)]
    fn next_to(&self, set: S) -> S {
        set.iter().fold(S::EMPTY, |all, s| all | self.ring(s))
    }

    /// Moves of several royal pieces, none of which is royal now.
    pub(super) fn several_royal_moves<C: Cpu, K: Sink<S>>(
        &self,
        pos: &Pos<S>,
        scene: &Scene<S, C>,
        sink: &mut K,
    ) {
        let barred = if self.apart::<C>() {
            self.next_to(pos.of_kinds(&self.royals) & scene.enemy)
        } else {
            S::EMPTY
        };
        for &kind in &self.royals.kinds {
            for from in (pos.kinds.as_ref()[usize::from(kind)] & scene.own).iter() {
                let targets = self.targets(kind, scene.us, from, scene).without(barred);
                sink.piece(from, kind, targets, kind);
            }
        }
    }

    #[inline(always)]
    pub(super) fn castlings_of<C: Cpu, K: Sink<S>>(
        &self,
        pos: &Pos<S>,
        guard: &Guard<S>,
        safety: &Safety<S>,
        scene: &Scene<S, C>,
        sink: &mut K,
    ) {
        if guard.in_check {
            return;
        }
        for r in &self.castlings[scene.us.index()] {
            if !pos.rights.has(r.side, r.wing) || (r.empty & scene.occupied).any() {
                continue;
            }
            if guard.royal != NO_SQUARE
                && (((r.through | S::bit(r.path.to)) & safety.struck).any()
                    || (r.through & safety.attacked).any()
                    || !self.castles_safely(pos, r, safety, scene))
            {
                continue;
            }
            let to = r.path.to;
            if self.apart::<C>() && (self.ring(to) & pos.of_kinds(&self.royals) & scene.enemy).any()
            {
                continue;
            }
            let special = match r.wing {
                Wing::East => Special::CastleEast,
                Wing::West => Special::CastleWest,
            };
            sink.one(Move::new(r.path.from, to, r.piece, r.piece, special));
        }
    }

    /// Whether the royal piece is attacked nowhere on its way.
    #[inline(always)]
    fn castles_safely<C: Cpu>(
        &self,
        pos: &Pos<S>,
        r: &CastlingSquares<S>,
        safety: &Safety<S>,
        scene: &Scene<S, C>,
    ) -> bool {
        let lifted = scene.occupied ^ S::bit(r.path.from);
        for square in r.through.without(safety.safe).iter() {
            if self.attacked_but_struck(pos, square, lifted, scene) {
                return false;
            }
        }
        let after = scene.occupied ^ r.moved;
        !self.attacked_but_struck(pos, r.path.to, after, scene)
    }

    /// Whether the enemy attacks a square around the royal piece that is not known to be struck.
    #[inline(always)]
    fn attacked_but_struck<C: Cpu>(
        &self,
        pos: &Pos<S>,
        square: Square,
        occupied: S,
        scene: &Scene<S, C>,
    ) -> bool {
        let them = scene.us.opponent();
        let enemy = scene.enemy.without(S::bit(square));
        if self.royals_leap::<C>() {
            self.attacked_on_line(scene.cpu, pos, square, them, enemy, occupied)
        } else {
            self.attacked(scene.cpu, pos, square, them, enemy, occupied)
        }
    }
}
