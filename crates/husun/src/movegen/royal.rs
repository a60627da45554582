//! Moves of royal pieces: steps to squares that are safe once the piece stands there, going anywhere in
//! a castle, castling.

use super::attack::Guard;
use super::{Scene, Sink};
use crate::cpu::Cpu;
use crate::frame::Square;
use crate::pos::{NO_SQUARE, Pos};
use crate::set::Set;
use crate::side::Side;
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

/// What is done seldom, as a function of its own but on the smallest boards. Measured gain: `docs/speed.md`.
#[inline(always)]
fn seldom<S: Set, T>(work: impl FnOnce() -> T) -> T {
    #[inline(never)]
    fn apart<T>(work: impl FnOnce() -> T) -> T {
        work()
    }
    if S::WORDS == 1 { work() } else { apart(work) }
}

impl<S: Set> Tables<S> {
    /// Moves of the one royal piece: to squares that are not attacked once it stands there. Leapers
    /// attack those that are `struck`, and no others if royal pieces only leap.
    #[inline(always)]
    pub(super) fn royal_moves<C: Cpu, K: Sink<S>>(
        &self,
        pos: &Pos<S>,
        guard: &Guard<S>,
        struck: S,
        scene: &Scene<S, C>,
        sink: &mut K,
    ) -> Safety<S> {
        let royal = guard.royal;
        let kind = match self.royals.kinds[..] {
            [only] => only,
            [first, second] => {
                if pos.kinds.as_ref()[usize::from(first)].has(royal) {
                    first
                } else {
                    second
                }
            }
            _ => pos.kind_at(royal),
        };
        let steps = if self.royals_alike::<C>() {
            let table = self.royal_leaps[scene.us.index()];
            self.leap(table, royal).without(scene.own)
        } else {
            self.targets(kind, scene.us, royal, scene)
        };
        let barred = if self.apart::<C>() {
            self.next_to(pos.of::<C>(&self.royals) & scene.enemy)
        } else {
            S::EMPTY
        };
        // Squares of castlings along with them, if what attacks those is found in the same way.
        let castles = C::NEEDS.castles_by_steps()
            && (self.doors[scene.us.index()] & scene.empty).any()
            && pos.rights.0 != 0
            && !guard.in_check;
        let (over, open) = if castles {
            seldom::<S, _>(|| self.castled_over(pos, scene.us, scene.occupied))
        } else {
            (S::EMPTY, 0)
        };
        let mut safe = (steps | over).without(struck | barred);
        let lifted = scene.occupied ^ S::bit(royal);
        // Riders once for all squares; sliders, most of which the empty-board lines rule out, square by square.
        if C::NEEDS.has(Needs::RIDERS) && self.royals_leap::<C>() && safe.any() {
            safe = self.out_of_riders(pos, safe, lifted, scene);
        }
        // Or from all sliders, if there are enough squares: at once if the board allows it, as the widest mostly do.
        let mut unknown = safe;
        let fill = self.fill.as_ref().filter(|_| C::FILLS);
        if (S::WORDS < 3 || fill.is_some()) && self.royals_leap::<C>() && safe.count() >= AROUND {
            safe = match fill {
                Some(fill) => {
                    let orthogonal = pos.of::<C>(&self.orthogonal) & scene.enemy;
                    let diagonal = pos.of::<C>(&self.diagonal) & scene.enemy;
                    safe.without(fill.attacked(scene.cpu, [orthogonal, diagonal], lifted))
                }
                None => self.out_of_slides(pos, safe, lifted, scene),
            };
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
        sink.piece(royal, kind, safe & steps, kind);
        if castles && open != 0 {
            sink.apart(|sink| seldom::<S, _>(|| self.castle_over(scene.us, open, safe, sink)));
        }
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

    /// Whether the side to move has the right to a castling and nothing stands in its way.
    #[inline(always)]
    fn may_castle(r: &CastlingSquares<S>, pos: &Pos<S>, occupied: S) -> bool {
        pos.rights.0 & r.right != 0 && !(r.empty & occupied).any()
    }

    /// Squares that the royal piece passes and reaches in castlings that nothing stands in the way of, and the rights to these.
    #[inline(always)]
    fn castled_over(&self, pos: &Pos<S>, us: Side, occupied: S) -> (S, u8) {
        let (mut over, mut open) = (S::EMPTY, 0);
        for r in &self.castlings[us.index()] {
            if Self::may_castle(r, pos, occupied) {
                over |= r.over;
                open |= r.right;
            }
        }
        (over, open)
    }

    /// Castlings with these rights over safe squares.
    #[inline(always)]
    fn castle_over<K: Sink<S>>(&self, us: Side, open: u8, safe: S, sink: &mut K) {
        for r in &self.castlings[us.index()] {
            if open & r.right != 0 && !r.over.without(safe).any() {
                sink.one(r.castle());
            }
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
            self.next_to(pos.of::<C>(&self.royals) & scene.enemy)
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
            if !Self::may_castle(r, pos, scene.occupied)
                || (guard.royal != NO_SQUARE && !self.castles_safely(pos, r, safety, scene))
            {
                continue;
            }
            let near = self.ring(r.path.to) & pos.of_kinds(&self.royals) & scene.enemy;
            if !(self.apart::<C>() && near.any()) {
                sink.one(r.castle());
            }
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
        if (r.over & safety.struck).any() || (r.through & safety.attacked).any() {
            return false;
        }
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
