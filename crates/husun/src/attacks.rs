//! What a search needs from the tables besides legal moves: noisy moves, what a piece attacks, who attacks a
//! square, endings on the board. All of it is derived from the data behind legal moves.

use crate::cpu::Portable;
use crate::frame::Square;
use crate::movegen::{Scene, Sink, stepped};
use crate::moves::{Move, Special};
use crate::piece::Kind;
use crate::pos::Pos;
use crate::set::Set;
use crate::side::Side;
use crate::tables::{Shift, Tables};

/// Lists captures and moves that change a piece's kind.
pub(crate) struct Noisy<'a, S> {
    pub moves: &'a mut Vec<Move>,
    pub enemy: S,
}

impl<S: Set> Noisy<'_, S> {
    #[inline(always)]
    fn wanted(&self, kind: u8, targets: S, placed: u8) -> S {
        if kind == placed {
            targets & self.enemy
        } else {
            targets
        }
    }
}

impl<S: Set> Sink<S> for Noisy<'_, S> {
    #[inline(always)]
    fn piece(&mut self, from: Square, kind: u8, targets: S, placed: u8) {
        for to in self.wanted(kind, targets, placed).iter() {
            self.moves
                .push(Move::new(from, to, kind, placed, Special::None));
        }
    }

    #[inline(always)]
    fn pawns(&mut self, shift: &Shift<S>, hops: u8, kind: u8, targets: S, placed: u8) {
        if hops > 1 {
            return;
        }
        for to in self.wanted(kind, targets, placed).iter() {
            self.moves.push(stepped(shift, hops, kind, to, placed));
        }
    }

    #[inline(always)]
    fn one(&mut self, m: Move) {
        let noisy = m.special() == Special::EnPassant
            || m.changes_kind()
            || (m.special() == Special::None && self.enemy.has(m.to()));
        if noisy {
            self.moves.push(m);
        }
    }
}

impl<S: Set> Pos<S> {
    /// What a legal move captures: the square of the piece and its kind.
    #[inline(always)]
    pub fn captured(&self, m: Move) -> Option<(Square, Kind)> {
        let square = match m.special() {
            Special::None => m.to(),
            Special::EnPassant => self.victim,
            _ => return None,
        };
        let taken = self.sides[self.turn.opponent().index()].has(square);
        taken.then(|| (square, Kind(self.kind_at(square))))
    }

    /// Whether a legal move captures a piece or changes a piece's kind.
    #[inline(always)]
    pub fn is_noisy(&self, m: Move) -> bool {
        m.changes_kind()
            || m.special() == Special::EnPassant
            || (m.special() == Special::None
                && self.sides[self.turn.opponent().index()].has(m.to()))
    }
}

impl<S: Set> Tables<S> {
    /// Adds all legal moves that capture or change a piece's kind, except initial steps.
    pub fn noisy_moves(&self, pos: &Pos<S>, moves: &mut Vec<Move>) {
        S::noisy_moves(self, pos, moves);
    }

    /// Whether a royal piece stands on an opposite citadel, which draws the game.
    #[inline(always)]
    pub fn citadel_reached(&self, pos: &Pos<S>) -> bool {
        self.on_citadel(pos)
    }

    /// Whether the side to move has won by having bared the opponent's king.
    #[inline(always)]
    pub fn opponent_bared(&self, pos: &Pos<S>) -> bool {
        self.has_bared(pos)
    }

    /// Whether the side to move wins by leaving its opponent without a move, check or not.
    #[inline(always)]
    pub fn stalemate_wins(&self) -> bool {
        self.stalemate_wins
    }

    /// All pieces of royal kinds.
    #[inline(always)]
    pub fn royal_pieces(&self, pos: &Pos<S>) -> S {
        pos.of_kinds(&self.royals)
    }

    /// Squares on which a piece of the kind could capture, and squares to which it can only move, with these
    /// squares occupied. Moves within a castle are left out; for pieces of pawn type see
    /// [`Tables::pawn_attacks`].
    ///
    /// # Panics
    ///
    /// If the board has no such square or the game no such kind.
    #[inline(always)]
    pub fn piece_attacks(&self, side: Side, kind: Kind, from: Square, occupied: S) -> (S, S) {
        let mover = &self.movers[kind.index()];
        let i = side.index();
        let mut takes = S::EMPTY;
        let mut quiet = S::EMPTY;
        if let Some(table) = mover.leaps[i] {
            takes |= self.leap(table, from);
        }
        if let Some(table) = mover.take[i] {
            takes |= self.leap(table, from);
        }
        if let Some(table) = mover.quiet[i] {
            quiet |= self.leap(table, from).without(occupied);
        }
        if mover.orthogonal {
            takes |= self.orthogonal_attacks(from, occupied);
        }
        if mover.diagonal {
            takes |= self.diagonal_attacks(from, occupied);
        }
        for &number in &mover.riders {
            let mode = self.riders[usize::from(number)].mode;
            let reach = self.rider_attacks(number, side, from, occupied);
            if mode.captures() {
                takes |= reach;
            } else {
                quiet |= reach.without(occupied);
            }
        }
        (takes, quiet)
    }

    /// Squares from which a piece of the kind and side would attack the square with these squares occupied, as
    /// far as its ways of moving can be traced backwards: bent ones are left out.
    ///
    /// # Panics
    ///
    /// If the board has no such square or the game no such kind.
    #[inline(always)]
    pub fn attack_squares(&self, side: Side, kind: Kind, square: Square, occupied: S) -> S {
        // What leads there is what leads away for a piece that faces the other way.
        let mover = &self.movers[kind.index()];
        let i = side.opponent().index();
        let mut from = S::EMPTY;
        if let Some(table) = mover.leaps[i] {
            from |= self.leap(table, square);
        }
        if let Some(table) = mover.take[i] {
            from |= self.leap(table, square);
        }
        if mover.orthogonal {
            from |= self.orthogonal_attacks(square, occupied);
        }
        if mover.diagonal {
            from |= self.diagonal_attacks(square, occupied);
        }
        for &number in &mover.riders {
            if self.riders[usize::from(number)].hop {
                from |= self.rider_attacks(number, side.opponent(), square, occupied);
            }
        }
        from
    }

    /// Squares to which a piece of any kind could go among own and enemy pieces, ignoring checks; moves within
    /// a castle are left out.
    ///
    /// # Panics
    ///
    /// If the board has no such square or the game no such kind.
    pub fn piece_targets(&self, side: Side, kind: Kind, from: Square, own: S, enemy: S) -> S {
        let bit = S::bit(from);
        let scene = Scene::of(self, Portable, side, own | bit, enemy);
        let mut targets = self.targets(kind.0, side, from, &scene);
        for pawn in self.pawns.iter().filter(|p| p.kind == kind.0) {
            let (quiet, takes) = self.pawn_reach(pawn, bit, side, &scene);
            targets |= quiet | (takes & enemy);
        }
        targets
    }

    /// Squares that any of the side's pieces of pawn type among `pieces` attacks by a step.
    #[inline(always)]
    pub fn pawn_attacks(&self, pos: &Pos<S>, side: Side, pieces: S) -> S {
        let mut attacked = S::EMPTY;
        for pawn in &self.pawns {
            let pawns = pos.kinds.as_ref()[usize::from(pawn.kind)] & pieces;
            for shift in &pawn.take[side.index()] {
                attacked |= shift.apply::<Portable>(pawns);
            }
        }
        attacked
    }

    /// Squares that the side's pieces of pawn type would attack after a non-capturing step to one of the squares
    /// `to`, which are empty.
    #[inline(always)]
    pub fn pawn_step_attacks(&self, pos: &Pos<S>, side: Side, to: S) -> S {
        let i = side.index();
        let mut attacked = S::EMPTY;
        for pawn in &self.pawns {
            let pawns = pos.kinds.as_ref()[usize::from(pawn.kind)] & pos.sides[i];
            let stepped = pawn.quiet[i]
                .iter()
                .fold(S::EMPTY, |all, shift| all | shift.apply::<Portable>(pawns));
            for shift in &pawn.take[i] {
                attacked |= shift.apply::<Portable>(stepped & to);
            }
        }
        attacked
    }

    /// Pieces of both sides that attack a square with these squares occupied; only pieces on occupied squares
    /// count. Moves within a castle are left out.
    ///
    /// # Panics
    ///
    /// If the board has no such square or the game no such kind.
    #[inline]
    pub fn attackers(&self, pos: &Pos<S>, square: Square, occupied: S) -> S {
        let i = usize::from(square);
        let mut all = S::EMPTY;
        for group in &self.leap_attacks {
            let kinds = pos.of_kinds(&group.kinds);
            all |= kinds
                & ((self.leap(group.from[0], square) & pos.sides[0])
                    | (self.leap(group.from[1], square) & pos.sides[1]));
        }
        let orthogonal = pos.of_kinds(&self.orthogonal) & self.spots[i].orthogonal;
        if (orthogonal & occupied).any() {
            all |= self.orthogonal_attacks(square, occupied) & orthogonal;
        }
        let diagonal = pos.of_kinds(&self.diagonal) & self.spots[i].diagonal;
        if (diagonal & occupied).any() {
            all |= self.diagonal_attacks(square, occupied) & diagonal;
        }
        for side in Side::ALL {
            let riders = occupied & pos.side(side);
            self.riders_to::<Portable>(pos, side, square, riders, |between, origin, needed| {
                if (between & occupied).count() == needed {
                    all |= S::bit(origin);
                }
            });
        }
        all & occupied
    }
}

#[cfg(test)]
mod tests {
    use crate::doctest::MINI;
    use crate::set::{Set, Words};
    use crate::variant::Variant;
    use crate::width::{AnyPos, AnyTables};

    #[test]
    fn noisy_are_the_captures() -> Result<(), Box<dyn std::error::Error>> {
        let mini = Variant::parse("t.toml", MINI)?;
        let position = mini.position("1k1r/4/4/R2K w - - 0 1")?;
        let (AnyTables::W64(t), AnyPos::W64(p)) = (mini.tables(), &position.pos) else {
            return Err("a small board is 64 bits wide".into());
        };
        let mut moves = Vec::new();
        t.noisy_moves(p, &mut moves);
        let all = position.legal_moves();
        let captures = all.iter().filter(|&&m| position.is_capture(m)).count();
        assert_eq!(moves.len(), captures);
        // White's rook from a1 and Black's from d4 look at d1.
        let [a1, d1, d4] = ["a1", "d1", "d4"].map(|name| mini.frame().parse(name));
        let attackers = t.attackers(p, d1?, p.occupied());
        assert_eq!(attackers, Words::bit(a1?) | Words::bit(d4?));
        Ok(())
    }
}
