//! What the rules end or forbid inside the search: draws, wins without mate, when not to pass.

use super::Worker;
use crate::judge::Judge;
use crate::score::MATE;
use husun::Move;
use husun::pos::Pos;
use husun::set::Set;

/// Officers' worth below which passing proves nothing where stalemate wins: there, having to move hurts even with
/// more left.
const LEAST_TO_PASS: i32 = 700;

impl<S: Set, J: Judge<S>> Worker<S, J> {
    /// The score of a position that the rules end, or that counts as a draw in the search. Mates and
    /// stalemates are found where moves are made.
    #[inline(always)]
    pub(super) fn ended(&self, pos: &Pos<S>, ply: usize, in_check: bool) -> Option<i32> {
        let t = &*self.tables;
        if t.citadel_reached(pos) {
            return Some(0);
        }
        if t.opponent_bared(pos) {
            return Some(MATE - ply as i32);
        }
        let drawn = self.repeated(pos) || t.only_royals(pos) || self.facts.is_idle(pos.halfmove());
        if drawn {
            // Mate and a stalemate that wins come first.
            let decided = (in_check || t.stalemate_wins()) && !t.has_moves(pos);
            return Some(if decided { self.lost(ply) } else { 0 });
        }
        None
    }

    /// Whether the position occurred before: once since the root, or as often as the rules require.
    #[inline(always)]
    fn repeated(&self, pos: &Pos<S>) -> bool {
        let Some(limit) = self.facts.repetition else {
            return false;
        };
        let here = self.path.len();
        let back = (pos.halfmove() as usize).min(here - self.floor.min(here));
        let mut seen = 1;
        let mut n = 4;
        while n <= back {
            let at = here - n;
            if self.path[at] == pos.key() {
                seen += 1;
                if at >= self.root_at || seen >= limit {
                    return true;
                }
            }
            n += 2;
        }
        false
    }

    /// Whether a null move is informative: the side has pieces to spare.
    #[inline(always)]
    pub(super) fn may_pass(&self, pos: &Pos<S>) -> bool {
        let least = if self.tables.stalemate_wins() {
            LEAST_TO_PASS
        } else {
            1
        };
        self.exchanges.officers_worth(pos, pos.turn()) >= least
    }

    /// Whether the side to move may accept a draw because it need not make any of its moves.
    #[inline(always)]
    pub(crate) fn may_accept(&self, in_check: bool, moves: &[Move]) -> bool {
        self.facts.traverse.is_some()
            && !in_check
            && !self.tables.stalemate_wins()
            && !moves.is_empty()
            && moves.iter().all(|&m| self.is_optional(m))
    }

    /// Whether a side need not make this move even if it has no other.
    fn is_optional(&self, m: Move) -> bool {
        m.is_whole_act()
            || self
                .facts
                .traverse
                .is_some_and(|(piece, becomes)| m.piece() == piece && m.placed() == becomes)
    }

    /// Score of a side without legal moves.
    #[inline(always)]
    pub(super) fn no_moves(&self, ply: usize, in_check: bool) -> i32 {
        if in_check || self.tables.stalemate_wins() {
            self.lost(ply)
        } else {
            0
        }
    }
}
