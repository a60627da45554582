//! Making a move: copy the position, change it, keep the key. With the slow twin of the key.

use crate::cpu::{Cpu, Kernel};
use crate::fen::HIGHEST_COUNTER;
use crate::frame::Square;
use crate::movegen::{Count, List};
use crate::moves::{IllegalMove, Move, PackedMove, Special};
use crate::pos::{NO_SQUARE, Pos};
use crate::set::Set;
use crate::side::{Side, Wing};
use crate::tables::{Needs, Tables};

impl<S: Set> Tables<S> {
    /// The position after a move, if it is legal; for moves known to be, [`Tables::play_unchecked`] skips the test.
    pub fn play(&self, pos: &Pos<S>, m: Move) -> Result<Pos<S>, IllegalMove> {
        match self.is_legal(pos, m) {
            true => Ok(self.play_unchecked(pos, m)),
            false => Err(IllegalMove),
        }
    }

    /// The position after a legal move. For any other move the result is unspecified.
    ///
    /// # Panics
    ///
    /// Some other moves panic: those with squares or kinds that the tables do not have.
    #[inline(always)]
    pub fn play_unchecked(&self, pos: &Pos<S>, m: Move) -> Pos<S> {
        let mut next = *pos;
        self.play_in_copy(pos, m, &mut next);
        next
    }

    /// Makes a legal move in a copy of its position: what [`Tables::play_unchecked`] returns is copied once more, which
    /// a loop over moves can spare. The result is unspecified for any other move, and if it is no copy.
    ///
    /// # Panics
    ///
    /// As [`Tables::play_unchecked`].
    #[inline(always)]
    pub fn play_in_copy(&self, pos: &Pos<S>, m: Move, next: &mut Pos<S>) {
        debug_assert_eq!(next, pos);
        self.make::<true>(pos, m, next);
        debug_assert_eq!(next.key, self.key_from_scratch(next));
    }

    /// The key of the position that a move most likely leads to, or nothing if the move has squares or kinds that the game
    /// lacks: changes of rights and state, and what special moves do, are left out. For fetching ahead what is known of
    /// that position.
    #[inline(always)]
    pub fn likely_key(&self, pos: &Pos<S>, m: PackedMove) -> Option<u64> {
        let m = m.unchecked();
        let (us, them) = (pos.turn, pos.turn.opponent());
        let (from, to) = (m.from(), m.to());
        if to.index() >= S::CAPACITY {
            return None;
        }
        let mut key = pos.key ^ self.keys.black;
        key ^= self.keys.any_piece(us, m.piece_index(), from)?;
        key ^= self.keys.any_piece(us, m.placed_index(), to)?;
        if pos.side(them).has(to) {
            key ^= self.keys.any_piece(them, pos.kind_at(to), to)?;
        }
        if pos.passed[0] != NO_SQUARE {
            for &square in pos.passed.iter().filter(|&&s| s != NO_SQUARE) {
                key ^= self.keys.passed[usize::from(square)];
            }
        }
        Some(key)
    }

    /// Makes a legal move in a copy of its position. If it is not `WHOLE`, key and counters, which no rule that
    /// generates moves looks at, are left as they may be.
    #[inline(always)]
    fn make<const WHOLE: bool>(&self, pos: &Pos<S>, m: Move, next: &mut Pos<S>) {
        let (us, them) = (pos.turn, pos.turn.opponent());
        if WHOLE {
            next.halfmove = (pos.halfmove + 1).min(HIGHEST_COUNTER);
            if us == Side::Black {
                next.fullmove = (pos.fullmove + 1).min(HIGHEST_COUNTER);
            }
            next.key ^= self.keys.black;
        }
        next.turn = them;
        self.forget_passed(next);
        self.forget_offer(pos, next);
        match m.special() {
            Special::Crowning => self.crown_all(next),
            Special::CastleEast => self.castle_to(next, us, Wing::East, m.to()),
            Special::CastleWest => self.castle_to(next, us, Wing::West, m.to()),
            special => {
                let (from, to) = (m.from(), m.to());
                let target = if special == Special::EnPassant {
                    pos.victim
                } else {
                    to
                };
                if pos.side(them).has(target) {
                    let taken = pos.kind_at(target);
                    self.toggle_all(next, them, taken, S::bit(target));
                    if WHOLE {
                        next.key ^= self.keys.piece(them, taken, target);
                    }
                    next.halfmove = 0;
                }
                let (piece, placed) = (m.piece_index(), m.placed_index());
                if piece == placed {
                    self.toggle_all(next, us, piece, S::bit(from) ^ S::bit(to));
                } else {
                    self.toggle_all(next, us, piece, S::bit(from));
                    self.toggle_all(next, us, placed, S::bit(to));
                }
                if WHOLE {
                    next.key ^= self.keys.piece(us, piece, from) ^ self.keys.piece(us, placed, to);
                }
                if WHOLE && self.is_pawn(m.piece_index()) {
                    next.halfmove = 0;
                }
                let lost = self.rights_lost[usize::from(from)] | self.rights_lost[usize::from(to)];
                if !WHOLE {
                    next.rights.0 &= !lost;
                } else if pos.rights.0 & lost != 0 {
                    self.lose_rights(next, lost);
                }
                if m.changes_kind() {
                    next.halfmove = 0;
                    self.after_change(next, us, m);
                }
                if special == Special::InitialStep
                    && (self.passing[us.index()][usize::from(to)] & pos.side(them)).any()
                {
                    self.remember_passed(next, us, m);
                }
            }
        }
    }

    /// The position with the other side to move instead, for search; meaningless in check. The counters
    /// advance; en passant and an offer lapse.
    pub fn pass(&self, pos: &Pos<S>) -> Pos<S> {
        let mut next = *pos;
        next.turn = pos.turn.opponent();
        next.key ^= self.keys.black;
        next.halfmove = (pos.halfmove + 1).min(HIGHEST_COUNTER);
        self.forget_passed(&mut next);
        self.forget_offer(pos, &mut next);
        next
    }

    /// Puts a piece on an empty square; the key is left as it is.
    pub(crate) fn put(&self, pos: &mut Pos<S>, side: Side, kind: u8, square: Square) {
        self.toggle_all(pos, side, kind, S::bit(square));
    }

    #[inline(always)]
    pub(crate) fn toggle(&self, pos: &mut Pos<S>, side: Side, kind: u8, square: Square) {
        self.toggle_all(pos, side, kind, S::bit(square));
        pos.key ^= self.keys.piece(side, kind, square);
    }

    /// Puts and removes pieces of a kind; the key is left as it is.
    #[inline(always)]
    fn toggle_all(&self, pos: &mut Pos<S>, side: Side, kind: u8, squares: S) {
        let planes = pos.kinds.as_mut();
        planes[usize::from(kind)] ^= squares;
        // Larger boards do better without asking.
        if S::WORDS > 1 || self.grouped >> kind & 1 != 0 {
            let extra = &self.extra[usize::from(kind)];
            for (plane, &all) in planes[S::KINDS..].iter_mut().zip(extra) {
                *plane ^= squares & all;
            }
        }
        pos.sides[side.index()] ^= squares;
    }

    #[inline(always)]
    pub(crate) fn change_state(&self, pos: &mut Pos<S>, flags: u16) {
        pos.state ^= flags;
        pos.key ^= self.keys.of_state(flags);
    }

    #[inline(always)]
    fn lose_rights(&self, pos: &mut Pos<S>, lost: u8) {
        pos.key ^= self.rights_key(pos.rights);
        pos.rights.0 &= !lost;
        pos.key ^= self.rights_key(pos.rights);
    }

    #[inline(always)]
    fn forget_passed(&self, pos: &mut Pos<S>) {
        if pos.passed[0] != NO_SQUARE {
            for &square in pos.passed.iter().filter(|&&s| s != NO_SQUARE) {
                pos.key ^= self.keys.passed[usize::from(square)];
            }
            pos.passed = [NO_SQUARE; 2];
            pos.victim = NO_SQUARE;
        }
    }

    fn castle_to(&self, next: &mut Pos<S>, us: Side, wing: Wing, to: Square) {
        let castlings = &self.castlings[us.index()];
        let Some(r) = castlings.iter().find(|r| r.wing == wing && r.path.to == to) else {
            return;
        };
        let path = r.path;
        self.toggle(next, us, r.piece, path.from);
        self.toggle(next, us, r.partner, path.partner_from);
        self.toggle(next, us, r.piece, path.to);
        self.toggle(next, us, r.partner, path.partner_to);
        self.lose_rights(next, self.rights_lost[path.from.index()]);
        if let Some(castle) = &self.castle {
            self.change_state(next, castle.castled[us.index()] & !next.state);
        }
    }

    /// What follows when a piece has become another: a prisoner is free, a Traverse makes an offer.
    fn after_change(&self, next: &mut Pos<S>, us: Side, m: Move) {
        if self.is_pawn(m.piece_index()) {
            let freed = |p: &&crate::tables::Place<S>| {
                p.kind == m.placed_index() && p.flag[us.index()] & next.state != 0
            };
            if let Some(place) = self.places.iter().find(freed) {
                self.change_state(next, place.flag[us.index()]);
            }
        }
        self.offer_crowning(next, m);
    }

    /// Notes the squares that an initial step passed over on which it can be captured legally.
    fn remember_passed(&self, next: &mut Pos<S>, us: Side, m: Move) {
        let passed = self.passed_by(us, m);
        next.victim = m.to();
        let mut legal = [NO_SQUARE; 2];
        let mut n = 0;
        for square in passed.into_iter().filter(|&s| s != NO_SQUARE) {
            if self.can_capture_passed(next, square) {
                legal[n] = square;
                next.key ^= self.keys.passed[usize::from(square)];
                n += 1;
            }
        }
        next.passed = legal;
        if n == 0 {
            next.victim = NO_SQUARE;
        }
    }

    /// The squares passed over by an initial step, lowest first.
    fn passed_by(&self, us: Side, m: Move) -> [Square; 2] {
        for pawn in self.pawns.iter().filter(|p| p.kind == m.piece_index()) {
            for shift in &pawn.quiet[us.index()] {
                let mut passed = [NO_SQUARE; 2];
                let mut at = m.to();
                for slot in &mut passed {
                    at = shift.origin[usize::from(at)];
                    if at == m.from() {
                        break;
                    }
                    *slot = at;
                }
                if passed[0] != NO_SQUARE {
                    let last = if passed[1] == NO_SQUARE {
                        passed[0]
                    } else {
                        passed[1]
                    };
                    let reached = shift.origin[usize::from(last)] == m.from();
                    if reached {
                        passed.sort_unstable();
                        return passed;
                    }
                }
            }
        }
        [NO_SQUARE; 2]
    }

    /// The key computed anew: the slow twin of what [`Tables::play_unchecked`] keeps up to date.
    pub fn key_from_scratch(&self, pos: &Pos<S>) -> u64 {
        let mut key = self.rights_key(pos.rights) ^ self.keys.of_state(pos.state);
        for side in Side::ALL {
            for square in pos.side(side).iter() {
                key ^= self.keys.piece(side, pos.kind_at(square), square);
            }
        }
        for &square in pos.passed.iter().filter(|&&s| s != NO_SQUARE) {
            key ^= self.keys.passed[usize::from(square)];
        }
        if pos.turn == Side::Black {
            key ^= self.keys.black;
        }
        key
    }

    /// Number of legal move paths of a length, counting the last ply in bulk.
    pub fn perft(&self, pos: &Pos<S>, depth: u32) -> u64 {
        match depth {
            0 => 1,
            1 => self.count_moves(pos),
            _ => {
                let mut lists: Vec<Vec<Move>> = vec![Vec::with_capacity(128); depth as usize - 1];
                S::perft(self, pos, &mut lists)
            }
        }
    }
}

/// Counting move paths, with a list for the moves of every ply but the last.
pub(crate) struct Perft<'a, S: Set> {
    pub tables: &'a Tables<S>,
    pub pos: &'a Pos<S>,
    pub lists: &'a mut [Vec<Move>],
}

impl<S: Set> Kernel for Perft<'_, S> {
    type Out = u64;
    const COPIES: &'static [Needs] = Tables::<S>::COPIES;

    #[inline(always)]
    fn run<C: Cpu>(self, cpu: C) -> u64 {
        let tables = self.tables;
        let Some((list, lists)) = self.lists.split_first_mut() else {
            return 0;
        };
        list.clear();
        tables.generate_on(cpu, self.pos, &mut List(list));
        let mut nodes = 0;
        let mut next = *self.pos;
        for &m in list.iter() {
            next.copy_from(self.pos);
            tables.make::<false>(self.pos, m, &mut next);
            let pos = &next;
            if lists.is_empty() {
                let mut count = Count(0);
                tables.generate_on(cpu, pos, &mut count);
                nodes += count.0;
            } else {
                nodes += tables.level.run(Perft { tables, pos, lists });
            }
        }
        nodes
    }
}
