//! Legal moves. One scheme serves sliders, hoppers and bent riders: enemy lines aimed at the royal
//! square matter where the pieces on them number within one of the number that would give check. Moves
//! that touch no such line are legal without a test.

use crate::moves::{Move, Special};
use crate::pos::{NO_SQUARE, Pos};
use crate::set::Set;
use crate::side::Side;
use crate::tables::{Castle, Pawn, Shift, Tables};

/// Where generated moves go.
pub(crate) trait Sink<S: Set> {
    /// A piece may go to each target and is of kind `placed` there.
    fn piece(&mut self, from: u8, kind: u8, targets: S, placed: u8);
    /// Pawn-type pieces may go to each target, which the step leads to in `hops`.
    fn pawns(&mut self, shift: &Shift<S>, hops: u8, kind: u8, targets: S, placed: u8);
    /// One move.
    fn one(&mut self, m: Move);
}

/// Counts moves.
pub(crate) struct Count(pub u64);

impl<S: Set> Sink<S> for Count {
    #[inline(always)]
    fn piece(&mut self, _: u8, _: u8, targets: S, _: u8) {
        self.0 += u64::from(targets.count());
    }
    #[inline(always)]
    fn pawns(&mut self, _: &Shift<S>, _: u8, _: u8, targets: S, _: u8) {
        self.0 += u64::from(targets.count());
    }
    #[inline(always)]
    fn one(&mut self, _: Move) {
        self.0 += 1;
    }
}

/// Tells whether there is a move at all.
pub(crate) struct Any(pub bool);

impl<S: Set> Sink<S> for Any {
    #[inline(always)]
    fn piece(&mut self, _: u8, _: u8, targets: S, _: u8) {
        self.0 |= targets.any();
    }
    #[inline(always)]
    fn pawns(&mut self, _: &Shift<S>, _: u8, _: u8, targets: S, _: u8) {
        self.0 |= targets.any();
    }
    #[inline(always)]
    fn one(&mut self, _: Move) {
        self.0 = true;
    }
}

/// Lists moves.
pub(crate) struct List<'a>(pub &'a mut Vec<Move>);

impl<S: Set> Sink<S> for List<'_> {
    #[inline(always)]
    fn piece(&mut self, from: u8, kind: u8, targets: S, placed: u8) {
        for to in targets.iter() {
            self.0
                .push(Move::new(from, to, kind, placed, Special::None));
        }
    }
    #[inline(always)]
    fn pawns(&mut self, shift: &Shift<S>, hops: u8, kind: u8, targets: S, placed: u8) {
        let special = if hops > 1 {
            Special::InitialStep
        } else {
            Special::None
        };
        for to in targets.iter() {
            let mut from = to;
            for _ in 0..hops {
                from = shift.origin[usize::from(from)];
            }
            self.0.push(Move::new(from, to, kind, placed, special));
        }
    }
    #[inline(always)]
    fn one(&mut self, m: Move) {
        self.0.push(m);
    }
}

/// What the lines aimed at a side's royal piece allow its other pieces.
struct Guard<S> {
    royal: u8,
    in_check: bool,
    /// Targets that answer checks by leaps: all if there are none.
    leaps: S,
    /// Targets open to pieces on no line that matters.
    open: S,
    /// Pieces on lines that matter.
    tied: S,
}

/// Squares and sides during generation.
pub(crate) struct Scene<S> {
    pub us: Side,
    pub own: S,
    pub enemy: S,
    pub occupied: S,
    pub empty: S,
}

impl<S: Set> Tables<S> {
    /// The square of the side's royal piece; none if it has several, of which none is royal then.
    #[inline(always)]
    pub fn royal_square(&self, pos: &Pos<S>, side: Side) -> Option<u8> {
        let royals = pos.of_kinds(&self.royals) & pos.side(side);
        let first = royals.first()?;
        (!self.several_royals || royals == S::bit(first)).then_some(first)
    }

    /// Whether the game is over on the board by a rule that leaves no moves: a royal piece on an
    /// opposite citadel, or a bared king.
    #[inline(always)]
    pub(crate) fn ended_on_board(&self, pos: &Pos<S>) -> bool {
        self.on_citadel(pos) || self.has_bared(pos)
    }

    #[inline(always)]
    pub(crate) fn on_citadel(&self, pos: &Pos<S>) -> bool {
        let Some(citadels) = &self.citadels else {
            return false;
        };
        let royals = pos.of_kinds(&self.royals);
        ((royals & pos.sides[0] & citadels[0]) | (royals & pos.sides[1] & citadels[1])).any()
    }

    /// Whether the side to move has won by having bared the opponent's king.
    #[inline(always)]
    pub(crate) fn has_bared(&self, pos: &Pos<S>) -> bool {
        self.bare_king
            && pos.side(pos.turn.opponent()).count() == 1
            && pos.side(pos.turn).count() > 1
    }

    /// Squares to which a piece of the side may go or on which it may capture, if nothing ties it.
    /// Not for the leaps of pawn-type kinds.
    #[inline(always)]
    pub(crate) fn targets(&self, kind: u8, side: Side, from: u8, scene: &Scene<S>) -> S {
        let mover = &self.movers[usize::from(kind)];
        let i = side.index();
        let mut set = S::EMPTY;
        if let Some(table) = mover.leaps[i] {
            set |= self.leap(table, from);
        }
        if mover.orthogonal {
            set |= self.orthogonal_attacks(from, scene.occupied);
        }
        if mover.diagonal {
            set |= self.diagonal_attacks(from, scene.occupied);
        }
        if let Some(table) = mover.quiet[i] {
            set |= self.leap(table, from) & scene.empty;
        }
        if let Some(table) = mover.take[i] {
            set |= self.leap(table, from) & scene.enemy;
        }
        for &number in &mover.riders {
            let rider = &self.riders[usize::from(number)];
            let mut reach = self.rider_attacks(number, side, from, scene.occupied);
            if !rider.mode.captures() {
                reach &= scene.empty;
            } else if !rider.mode.moves() {
                reach &= scene.enemy;
            }
            set |= reach;
        }
        set.without(scene.own)
    }

    /// Whether one of the `attackers` (a subset of the side's pieces) attacks the square on a board
    /// with these squares occupied.
    #[inline(always)]
    pub(crate) fn attacked(
        &self,
        pos: &Pos<S>,
        square: u8,
        side: Side,
        attackers: S,
        occupied: S,
    ) -> bool {
        let i = usize::from(square);
        for group in &self.leap_attacks {
            let from = self.leap(group.from[side.index()], square);
            if (from & pos.of_kinds(&group.kinds) & attackers).any() {
                return true;
            }
        }
        let orthogonal = pos.of_kinds(&self.orthogonal) & attackers & self.orthogonal_lines[i];
        if orthogonal.any() && (self.orthogonal_attacks(square, occupied) & orthogonal).any() {
            return true;
        }
        let diagonal = pos.of_kinds(&self.diagonal) & attackers & self.diagonal_lines[i];
        if diagonal.any() && (self.diagonal_attacks(square, occupied) & diagonal).any() {
            return true;
        }
        for rider in self.riders.iter().filter(|r| r.mode.captures()) {
            let riders = pos.of_kinds(&rider.kinds) & attackers;
            let needed = u32::from(rider.hop);
            let mut hit = false;
            rider.lines_to(side, square, riders, |between, _| {
                hit |= (between & occupied).count() == needed;
            });
            if hit {
                return true;
            }
        }
        match &self.castle {
            Some(castle) => (self.castle_attackers(castle, pos, square, side) & attackers).any(),
            None => false,
        }
    }

    /// The side's royal pieces that attack a square of their castle.
    #[inline(always)]
    fn castle_attackers(&self, castle: &Castle<S>, pos: &Pos<S>, square: u8, side: Side) -> S {
        let rooms = castle.squares[side.index()];
        if !rooms.has(square) {
            return S::EMPTY;
        }
        let planes = pos.kinds.as_ref();
        let mut kinds = planes[usize::from(castle.becomes)];
        if pos.state & castle.castled[side.index()] == 0 {
            kinds |= planes[usize::from(castle.piece)];
        }
        (kinds & rooms & pos.side(side)).without(S::bit(square))
    }

    /// Whether the side has a royal piece and it is attacked.
    #[inline(always)]
    pub fn in_check(&self, pos: &Pos<S>, side: Side) -> bool {
        let them = side.opponent();
        self.royal_square(pos, side)
            .is_some_and(|royal| self.attacked(pos, royal, them, pos.side(them), pos.occupied()))
    }

    /// Calls `f(between, origin, pieces between, pieces needed)` for all enemy lines aimed at a square.
    #[inline(always)]
    fn lines_to(
        &self,
        pos: &Pos<S>,
        square: u8,
        scene: &Scene<S>,
        mut f: impl FnMut(S, u8, u32, u32),
    ) {
        let i = usize::from(square);
        let orthogonal = pos.of_kinds(&self.orthogonal) & self.orthogonal_lines[i];
        let diagonal = pos.of_kinds(&self.diagonal) & self.diagonal_lines[i];
        for origin in ((orthogonal | diagonal) & scene.enemy).iter() {
            let between = self.between(square, origin);
            f(between, origin, (between & scene.occupied).count(), 0);
        }
        for rider in self.riders.iter().filter(|r| r.mode.captures()) {
            let riders = pos.of_kinds(&rider.kinds) & scene.enemy;
            let needed = u32::from(rider.hop);
            rider.lines_to(scene.us.opponent(), square, riders, |between, origin| {
                f(between, origin, (between & scene.occupied).count(), needed);
            });
        }
    }

    /// Pieces that attack the royal square by a leap.
    #[inline(always)]
    fn leap_checkers(&self, pos: &Pos<S>, royal: u8, scene: &Scene<S>) -> S {
        let them = scene.us.opponent();
        let mut checkers = S::EMPTY;
        for group in &self.leap_attacks {
            checkers |= self.leap(group.from[them.index()], royal) & pos.of_kinds(&group.kinds);
        }
        if let Some(castle) = &self.castle {
            checkers |= self.castle_attackers(castle, pos, royal, them);
        }
        checkers & scene.enemy
    }

    #[inline(always)]
    fn guard(&self, pos: &Pos<S>, royal: u8, scene: &Scene<S>) -> Guard<S> {
        let checkers = self.leap_checkers(pos, royal, scene);
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
    fn tied_targets(&self, pos: &Pos<S>, guard: &Guard<S>, from: u8, scene: &Scene<S>) -> S {
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

    /// All legal moves of the side to move, into the sink.
    #[inline(always)]
    pub(crate) fn generate<K: Sink<S>>(&self, pos: &Pos<S>, sink: &mut K) {
        if (self.citadels.is_some() || self.bare_king) && self.ended_on_board(pos) {
            return;
        }
        let us = pos.turn;
        let (own, enemy) = (pos.side(us), pos.side(us.opponent()));
        let occupied = own | enemy;
        let scene = Scene {
            us,
            own,
            enemy,
            occupied,
            empty: self.board.without(occupied),
        };
        let guard = match self.royal_square(pos, us) {
            Some(royal) => {
                let guard = self.guard(pos, royal, &scene);
                self.royal_moves(pos, royal, &scene, sink);
                guard
            }
            None => {
                self.several_royal_moves(pos, &scene, sink);
                Guard {
                    royal: NO_SQUARE,
                    in_check: false,
                    leaps: self.board,
                    open: self.board,
                    tied: S::EMPTY,
                }
            }
        };
        for &kind in &self.common {
            let promotes = self
                .zones
                .as_ref()
                .is_some_and(|z| z.kinds >> kind & 1 != 0);
            for from in (pos.kinds.as_ref()[usize::from(kind)] & own).iter() {
                let open = if guard.tied.has(from) {
                    self.tied_targets(pos, &guard, from, &scene)
                } else {
                    guard.open
                };
                let targets = self.targets(kind, us, from, &scene) & open;
                if promotes {
                    self.promoting_piece(pos, from, kind, targets, sink);
                } else {
                    sink.piece(from, kind, targets, kind);
                }
            }
        }
        for pawn in &self.pawns {
            let pieces = pos.kinds.as_ref()[usize::from(pawn.kind)] & own;
            self.pawn_moves(
                pos,
                pawn,
                pieces.without(guard.tied),
                guard.open,
                &scene,
                sink,
            );
            for from in (pieces & guard.tied).iter() {
                let open = self.tied_targets(pos, &guard, from, &scene);
                self.pawn_moves(pos, pawn, S::bit(from), open, &scene, sink);
            }
        }
        if pos.passed[0] != NO_SQUARE {
            self.en_passant(pos, &scene, sink);
        }
        if pos.rights.0 != 0 {
            self.castlings_of(pos, &guard, &scene, sink);
        }
        if let Some(crown) = &self.crown
            && pos.state & crown.offer != 0
            && let Some(royal) = self.royal_square(pos, us)
        {
            let kind = pos.kind_at(royal);
            sink.one(Move::new(royal, royal, kind, kind, Special::Crowning));
        }
    }

    /// Moves of the one royal piece: to squares that are not attacked once it stands there.
    #[inline(always)]
    fn royal_moves<K: Sink<S>>(&self, pos: &Pos<S>, royal: u8, scene: &Scene<S>, sink: &mut K) {
        let them = scene.us.opponent();
        let kind = pos.kind_at(royal);
        let safe = |targets: S| {
            let mut safe = S::EMPTY;
            let lifted = scene.occupied ^ S::bit(royal);
            for to in targets.iter() {
                let bit = S::bit(to);
                if !self.attacked(pos, to, them, scene.enemy.without(bit), lifted | bit) {
                    safe |= bit;
                }
            }
            safe
        };
        let mut steps = self.targets(kind, scene.us, royal, scene);
        if self.apart {
            steps &= !self.next_to(pos.of_kinds(&self.royals) & scene.enemy);
        }
        sink.piece(royal, kind, safe(steps), kind);
        let Some(castle) = &self.castle else { return };
        let rooms = castle.squares[scene.us.index()];
        let may = kind == castle.becomes
            || (kind == castle.piece && pos.state & castle.castled[scene.us.index()] == 0);
        if may && rooms.has(royal) {
            let far = rooms.without(scene.own | steps | S::bit(royal));
            sink.piece(royal, kind, safe(far), castle.becomes);
        }
    }

    /// All squares next to one of the set.
    #[inline(always)]
    fn next_to(&self, set: S) -> S {
        set.iter()
            .fold(S::EMPTY, |all, s| all | self.ring[usize::from(s)])
    }

    /// Moves of several royal pieces, none of which is royal now.
    fn several_royal_moves<K: Sink<S>>(&self, pos: &Pos<S>, scene: &Scene<S>, sink: &mut K) {
        let barred = if self.apart {
            self.next_to(pos.of_kinds(&self.royals) & scene.enemy)
        } else {
            S::EMPTY
        };
        for &kind in &self.royals {
            for from in (pos.kinds.as_ref()[usize::from(kind)] & scene.own).iter() {
                let targets = self.targets(kind, scene.us, from, scene).without(barred);
                sink.piece(from, kind, targets, kind);
            }
        }
    }

    /// Calls `f(kind, set-up count)` for every kind that a promotion may choose now.
    #[inline(always)]
    fn promotions(&self, pos: &Pos<S>, mut f: impl FnMut(u8)) {
        let Some(zones) = &self.zones else { return };
        for &kind in &zones.to {
            f(kind);
        }
        let us = pos.turn;
        for &kind in &zones.captured {
            let placed = match &self.crown {
                Some(crown) if kind == crown.piece && pos.state & crown.crowned != 0 => {
                    crown.becomes
                }
                _ => kind,
            };
            let standing = (pos.kinds.as_ref()[usize::from(placed)] & pos.side(us)).count();
            if standing < self.setup_counts[us.index()][usize::from(kind)] {
                f(placed);
            }
        }
    }

    /// Moves of a piece that is not of pawn type but promotes.
    fn promoting_piece<K: Sink<S>>(
        &self,
        pos: &Pos<S>,
        from: u8,
        kind: u8,
        targets: S,
        sink: &mut K,
    ) {
        let Some(zones) = &self.zones else { return };
        let us = pos.turn.index();
        sink.piece(from, kind, targets.without(zones.mandatory[us]), kind);
        let changing = targets & (zones.mandatory[us] | zones.optional[us]);
        if changing.any() {
            self.promotions(pos, |placed| sink.piece(from, kind, changing, placed));
        }
    }

    /// Moves of pawn-type pieces of a kind to the open squares, without en passant.
    #[inline(always)]
    fn pawn_moves<K: Sink<S>>(
        &self,
        pos: &Pos<S>,
        pawn: &Pawn<S>,
        pieces: S,
        open: S,
        scene: &Scene<S>,
        sink: &mut K,
    ) {
        let us = scene.us.index();
        let kind = pawn.kind;
        for shift in &pawn.quiet[us] {
            let one = shift.apply(pieces) & scene.empty;
            self.pawns_arrive(pos, shift, 1, kind, one & open, sink);
            if self.initial_steps > 1 {
                let mut far = shift.apply(pieces & self.initial[us]) & scene.empty;
                for hops in 2..=self.initial_steps {
                    far = shift.apply(far) & scene.empty;
                    self.pawns_arrive(pos, shift, hops, kind, far & open, sink);
                }
            }
        }
        for shift in &pawn.take[us] {
            let taken = shift.apply(pieces) & scene.enemy & open;
            self.pawns_arrive(pos, shift, 1, kind, taken, sink);
        }
        if self.movers[usize::from(kind)].moves() {
            self.pawns_ride(pos, kind, pieces, open, scene, sink);
        }
    }

    /// Squares that a pawn-type piece steps to, initial steps with them, and those that it attacks by
    /// a step.
    pub(crate) fn pawn_reach(
        &self,
        pawn: &Pawn<S>,
        piece: S,
        side: Side,
        scene: &Scene<S>,
    ) -> (S, S) {
        let us = side.index();
        let (mut quiet, mut takes) = (S::EMPTY, S::EMPTY);
        for shift in &pawn.quiet[us] {
            quiet |= shift.apply(piece) & scene.empty;
            let mut far = shift.apply(piece & self.initial[us]) & scene.empty;
            for _ in 2..=self.initial_steps {
                far = shift.apply(far) & scene.empty;
                quiet |= far;
            }
        }
        for shift in &pawn.take[us] {
            takes |= shift.apply(piece);
        }
        (quiet, takes)
    }

    /// Slides and the like of pawn-type pieces.
    fn pawns_ride<K: Sink<S>>(
        &self,
        pos: &Pos<S>,
        kind: u8,
        pieces: S,
        open: S,
        scene: &Scene<S>,
        sink: &mut K,
    ) {
        for from in pieces.iter() {
            let targets = self.targets(kind, scene.us, from, scene) & open;
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
        kind: u8,
        targets: S,
        sink: &mut K,
    ) {
        let changing = targets & self.changes[pos.turn.index()];
        sink.pawns(shift, hops, kind, targets ^ changing, kind);
        if changing.any() {
            self.pawns_change(pos, shift, hops, kind, changing, sink);
        }
    }

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
            self.promotions(pos, |placed| {
                sink.pawns(shift, hops, kind, changing, placed)
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
    pub(crate) fn changes_at(&self, pos: &Pos<S>, kind: u8, to: u8, mut f: impl FnMut(u8)) {
        let us = pos.turn.index();
        if let Some(zones) = &self.zones
            && zones.kinds >> kind & 1 != 0
            && (zones.mandatory[us] | zones.optional[us]).has(to)
        {
            if !zones.mandatory[us].has(to) {
                f(kind);
            }
            self.promotions(pos, f);
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
            // rules/citadel.md: no release next to an opposing royal piece, after any capture.
            if self.apart && self.is_royal(place.kind) {
                let enemy = pos.of_kinds(&self.royals) & pos.sides[us ^ 1];
                if (self.ring[usize::from(to)] & enemy).any() {
                    return;
                }
            }
            return f(place.kind);
        }
        f(kind);
    }

    /// En-passant captures, each tested on the board after it.
    fn en_passant<K: Sink<S>>(&self, pos: &Pos<S>, scene: &Scene<S>, sink: &mut K) {
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

    fn en_passant_is_legal(&self, pos: &Pos<S>, from: u8, to: u8, scene: &Scene<S>) -> bool {
        let victim = S::bit(pos.victim);
        let occupied = (scene.occupied ^ S::bit(from) ^ victim) | S::bit(to);
        self.royal_square(pos, scene.us).is_none_or(|royal| {
            let attackers = scene.enemy ^ victim;
            !self.attacked(pos, royal, scene.us.opponent(), attackers, occupied)
        })
    }

    /// Whether a pawn-type piece of the side to move could capture on a passed square now.
    pub(crate) fn can_capture_passed(&self, pos: &Pos<S>, to: u8) -> bool {
        let us = pos.turn;
        let (own, enemy) = (pos.side(us), pos.side(us.opponent()));
        let scene = Scene {
            us,
            own,
            enemy,
            occupied: own | enemy,
            empty: self.board.without(own | enemy),
        };
        self.pawns.iter().any(|pawn| {
            let from = self.leap(pawn.take_from[us.index()], to);
            let mut from = (from & pos.kinds.as_ref()[usize::from(pawn.kind)] & own).iter();
            from.any(|from| {
                let mut possible = false;
                self.changes_at(pos, pawn.kind, to, |_| possible = true);
                possible && self.en_passant_is_legal(pos, from, to, &scene)
            })
        })
    }

    #[inline(always)]
    fn castlings_of<K: Sink<S>>(
        &self,
        pos: &Pos<S>,
        guard: &Guard<S>,
        scene: &Scene<S>,
        sink: &mut K,
    ) {
        for r in &self.rochades {
            let wanted = r.side == scene.us && pos.rights.has(r.side, r.wing);
            if wanted && !guard.in_check && (r.empty & scene.occupied).is_empty() {
                let (from, to) = (r.path.from.0, r.path.to.0);
                let after = scene.occupied
                    ^ S::bit(from)
                    ^ S::bit(to)
                    ^ S::bit(r.path.partner_from.0)
                    ^ S::bit(r.path.partner_to.0);
                let lifted = scene.occupied ^ S::bit(from);
                let them = scene.us.opponent();
                let unsafe_way = guard.royal != NO_SQUARE
                    && (self.attacked(pos, to, them, scene.enemy, after)
                        || r.through
                            .iter()
                            .any(|s| self.attacked(pos, s, them, scene.enemy, lifted)));
                let near = self.apart
                    && (self.ring[usize::from(to)] & pos.of_kinds(&self.royals) & scene.enemy)
                        .any();
                if !unsafe_way && !near {
                    let special = match r.wing {
                        crate::side::Wing::East => Special::CastleEast,
                        crate::side::Wing::West => Special::CastleWest,
                    };
                    sink.one(Move::new(from, to, r.piece, r.piece, special));
                }
            }
        }
    }

    /// Adds all legal moves to the list.
    pub fn legal_moves(&self, pos: &Pos<S>, moves: &mut Vec<Move>) {
        self.generate(pos, &mut List(moves));
    }

    /// Number of legal moves.
    pub fn count_moves(&self, pos: &Pos<S>) -> u64 {
        let mut count = Count(0);
        self.generate(pos, &mut count);
        count.0
    }

    /// Whether there is a legal move.
    pub fn has_moves(&self, pos: &Pos<S>) -> bool {
        let mut any = Any(false);
        self.generate(pos, &mut any);
        any.0
    }
}
