//! Legal moves. One scheme serves sliders, hoppers and bent riders: an enemy line aimed at the royal square
//! matters if the number of pieces on it is within one of the number that would give check. Moves that touch no
//! such line are legal without a test.

use crate::betza::Mode;
use crate::cpu::{Cpu, Kernel};
use crate::frame::Square;
use crate::moves::{Move, PackedMove, Special};
use crate::pos::{NO_SQUARE, Pos};
use crate::set::{Set, each};
use crate::side::Side;
use crate::tables::{Needs, Shift, Tables, Zones, if_needed};
use attack::Guard;
use royal::Safety;

pub(crate) use compiled::Compiled;

mod attack;
mod compiled;
mod pawn;
mod royal;

/// Where generated moves go.
pub(crate) trait Sink<S: Set> {
    /// Whether only the number of targets matters, so that pieces of several kinds are taken together.
    const BULK: bool = false;

    /// Pieces may go to each target and keep their kind; called if `BULK` is true.
    #[inline(always)]
    fn bulk(&mut self, _targets: S) {}
    /// That many more moves; called if `BULK` is true.
    #[inline(always)]
    fn number(&mut self, _moves: u32) {}
    /// Runs what is no part of the function that generates: a counter that it could reach would be in memory all the time.
    #[inline(always)]
    fn apart(&mut self, f: impl FnOnce(&mut Self))
    where
        Self: Sized,
    {
        f(self);
    }
    /// Whether no more moves are wanted.
    #[inline(always)]
    fn is_full(&self) -> bool {
        false
    }
    /// A piece may go to each target and is of kind `placed` there.
    fn piece(&mut self, from: Square, kind: u8, targets: S, placed: u8);
    /// Pawn-type pieces may go to each target, which the step reaches in `hops`.
    fn pawns(&mut self, shift: &Shift<S>, hops: u8, kind: u8, targets: S, placed: u8);
    /// One move.
    fn one(&mut self, m: Move);
}

/// Counts moves.
pub(crate) struct Count(pub u64);

impl<S: Set> Sink<S> for Count {
    const BULK: bool = true;

    #[inline(always)]
    fn apart(&mut self, f: impl FnOnce(&mut Self)) {
        let mut more = Count(0);
        f(&mut more);
        self.0 += more.0;
    }
    #[inline(always)]
    fn bulk(&mut self, targets: S) {
        self.0 += u64::from(targets.count());
    }
    #[inline(always)]
    fn number(&mut self, moves: u32) {
        self.0 += u64::from(moves);
    }
    #[inline(always)]
    fn piece(&mut self, _: Square, _: u8, targets: S, _: u8) {
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
    fn is_full(&self) -> bool {
        self.0
    }
    #[inline(always)]
    fn piece(&mut self, _: Square, _: u8, targets: S, _: u8) {
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
    fn piece(&mut self, from: Square, kind: u8, targets: S, placed: u8) {
        for to in targets.iter() {
            self.0
                .push(Move::new(from, to, kind, placed, Special::None));
        }
    }
    #[inline(always)]
    fn pawns(&mut self, shift: &Shift<S>, hops: u8, kind: u8, targets: S, placed: u8) {
        for to in targets.iter() {
            self.0.push(stepped(shift, hops, kind, to, placed));
        }
    }
    #[inline(always)]
    fn one(&mut self, m: Move) {
        self.0.push(m);
    }
}

/// Shows moves one by one until one is wanted. Not generic over the caller: generating moves is a lot of code.
struct Walk<'a> {
    wanted: &'a mut dyn FnMut(Move) -> bool,
    found: Option<Move>,
}

impl Walk<'_> {
    #[inline(always)]
    fn show(&mut self, m: Move) {
        if self.found.is_none() && (self.wanted)(m) {
            self.found = Some(m);
        }
    }
}

impl<S: Set> Sink<S> for Walk<'_> {
    #[inline(always)]
    fn is_full(&self) -> bool {
        self.found.is_some()
    }
    #[inline(always)]
    fn piece(&mut self, from: Square, kind: u8, targets: S, placed: u8) {
        for to in targets.iter() {
            self.show(Move::new(from, to, kind, placed, Special::None));
        }
    }
    #[inline(always)]
    fn pawns(&mut self, shift: &Shift<S>, hops: u8, kind: u8, targets: S, placed: u8) {
        for to in targets.iter() {
            self.show(stepped(shift, hops, kind, to, placed));
        }
    }
    #[inline(always)]
    fn one(&mut self, m: Move) {
        self.show(m);
    }
}

/// The move of a pawn-type piece to a square that a step reaches in `hops`.
#[inline(always)]
pub(crate) fn stepped<S: Set>(
    shift: &Shift<S>,
    hops: u8,
    kind: u8,
    to: Square,
    placed: u8,
) -> Move {
    let mut from = to;
    for _ in 0..hops {
        from = shift.origin[from.index()];
    }
    let special = if hops > 1 {
        Special::InitialStep
    } else {
        Special::None
    };
    Move::new(from, to, kind, placed, special)
}

/// Squares and sides during generation, and the processor.
pub(crate) struct Scene<S, C> {
    pub cpu: C,
    pub us: Side,
    pub own: S,
    pub enemy: S,
    pub occupied: S,
    pub empty: S,
}

impl<S: Set, C: Cpu> Scene<S, C> {
    #[inline(always)]
    pub fn new(tables: &Tables<S>, cpu: C, pos: &Pos<S>) -> Self {
        let us = pos.turn;
        Self::of(tables, cpu, us, pos.side(us), pos.side(us.opponent()))
    }

    /// For any two sets of pieces.
    #[inline(always)]
    pub fn of(tables: &Tables<S>, cpu: C, us: Side, own: S, enemy: S) -> Self {
        let occupied = own | enemy;
        Scene {
            cpu,
            us,
            own,
            enemy,
            occupied,
            empty: tables.board.without(occupied),
        }
    }

    /// The targets that a way of moving with the mode may have.
    #[inline(always)]
    fn allowed(&self, mode: Mode, targets: S) -> S {
        match mode {
            Mode::Both => targets,
            Mode::MoveOnly => targets & self.empty,
            Mode::CaptureOnly => targets & self.enemy,
        }
    }
}

impl<S: Set> Tables<S> {
    /// Whether a royal piece on an opposite citadel has drawn the game.
    #[inline(always)]
    pub(crate) fn on_citadel(&self, pos: &Pos<S>) -> bool {
        let Some(citadels) = &self.citadels else {
            return false;
        };
        let royals = pos.of_kinds(&self.royals);
        let there = (pos.sides[0] & citadels[0]) | (pos.sides[1] & citadels[1]);
        (royals & there).any()
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
    pub(crate) fn targets<C: Cpu>(
        &self,
        kind: u8,
        side: Side,
        from: Square,
        scene: &Scene<S, C>,
    ) -> S {
        let mover = &self.movers[usize::from(kind)];
        let i = side.index();
        let mut set = S::EMPTY;
        if let Some(table) = mover.leaps[i] {
            set |= self.leap(table, from);
        }
        if mover.orthogonal {
            set |= self.orthogonal(scene.cpu, from, scene.occupied);
        }
        if mover.diagonal {
            set |= self.diagonal(scene.cpu, from, scene.occupied);
        }
        if C::NEEDS.has(Needs::ODD) {
            if let Some(table) = mover.quiet[i] {
                set |= self.leap(table, from) & scene.empty;
            }
            if let Some(table) = mover.take[i] {
                set |= self.leap(table, from) & scene.enemy;
            }
        }
        for &number in if_needed::<C, _>(Needs::RIDERS, &mover.riders) {
            let rider = &self.riders[usize::from(number)];
            let reach = self.rider(scene.cpu, rider, side, from, scene.occupied);
            set |= scene.allowed(rider.mode, reach);
        }
        set.without(scene.own)
    }

    /// All legal moves of the side to move, into the sink.
    #[inline(always)]
    pub(crate) fn generate<K: Sink<S>>(&self, pos: &Pos<S>, sink: &mut K) {
        let tables = self;
        self.level.run(Generate { tables, pos, sink });
    }

    #[inline(always)]
    pub(crate) fn generate_on<C: Cpu, K: Sink<S>>(&self, cpu: C, pos: &Pos<S>, sink: &mut K) {
        if (C::NEEDS.has(Needs::ODD) && self.on_citadel(pos)) || self.has_bared(pos) {
            return;
        }
        let scene = Scene::new(self, cpu, pos);
        let (guard, safety) = match self.royal_on(pos, &scene) {
            Some(royal) => {
                let (checkers, struck) = self.leapers(pos, royal, &scene);
                let guard = self.guard(pos, royal, checkers, &scene);
                let safety = self.royal_moves(pos, &guard, struck, &scene, sink);
                (guard, safety)
            }
            None if !C::NEEDS.has(Needs::ROYALS) => (Guard::none(self.board), Safety::default()),
            None => {
                sink.apart(|sink| self.several_royal_moves(pos, &scene, sink));
                (Guard::none(self.board), Safety::default())
            }
        };
        if sink.is_full() {
            return;
        }
        if K::BULK {
            self.common_in_bulk(pos, &guard, &scene, sink);
        } else {
            self.common_moves(pos, &guard, &scene, sink);
        }
        if sink.is_full() {
            return;
        }
        for pawn in &self.pawns {
            let pieces = pos.kinds.as_ref()[usize::from(pawn.kind)] & scene.own;
            // First those that stay what they are and are on no line that matters, all at once; then
            // those that may change; then those on lines, one by one.
            let mut tied = pieces & guard.tied;
            let mut changers = pieces & pawn.changers[scene.us.index()].without(guard.tied);
            let (mut now, mut open) = (pieces ^ (tied | changers), guard.open);
            let mut change = false;
            loop {
                self.pawn_moves(pos, pawn, (now, change), open, &scene, sink);
                change = true;
                if changers.any() {
                    now = changers;
                    changers = S::EMPTY;
                } else {
                    let Some(from) = tied.pop_first() else { break };
                    now = S::bit(from);
                    open = self.tied_targets(pos, &guard, from, &scene);
                }
            }
        }
        if pos.passed[0] != NO_SQUARE {
            sink.apart(|sink| self.en_passant(pos, &scene, sink));
        }
        if pos.rights.0 != 0 && !C::NEEDS.castles_by_steps() {
            self.castlings_of(pos, &guard, &safety, &scene, sink);
        }
        if C::NEEDS.has(Needs::CASTLE)
            && let Some(m) = self.crowning(pos, scene.us)
        {
            sink.one(m);
        }
    }

    /// Moves of the pieces that are neither royal nor of pawn type, kind by kind.
    #[inline(always)]
    fn common_moves<C: Cpu, K: Sink<S>>(
        &self,
        pos: &Pos<S>,
        guard: &Guard<S>,
        scene: &Scene<S, C>,
        sink: &mut K,
    ) {
        for &kind in &self.common {
            for from in (pos.kinds.as_ref()[usize::from(kind)] & scene.own).iter() {
                self.common_piece(pos, kind, from, guard, scene, sink);
            }
        }
    }

    #[inline(always)]
    fn common_piece<C: Cpu, K: Sink<S>>(
        &self,
        pos: &Pos<S>,
        kind: u8,
        from: Square,
        guard: &Guard<S>,
        scene: &Scene<S, C>,
        sink: &mut K,
    ) {
        let open = if guard.tied.has(from) {
            self.tied_targets(pos, guard, from, scene)
        } else {
            guard.open
        };
        let targets = self.targets(kind, scene.us, from, scene) & open;
        let promotes = |z: &Zones<S>| z.kinds >> kind & 1 != 0;
        if self.zones.as_ref().is_some_and(promotes) {
            sink.apart(|sink| self.promoting_piece(pos, from, kind, targets, sink));
        } else {
            sink.piece(from, kind, targets, kind);
        }
    }

    /// The same moves for a sink that only counts: one way of moving at a time, over the pieces of all kinds that
    /// have it. A kind whose ways share targets is taken as a whole.
    #[inline(always)]
    fn common_in_bulk<C: Cpu, K: Sink<S>>(
        &self,
        pos: &Pos<S>,
        guard: &Guard<S>,
        scene: &Scene<S, C>,
        sink: &mut K,
    ) {
        let atoms = &self.atoms;
        let us = scene.us.index();
        let free = scene.own.without(guard.tied);
        let open = guard.open.without(scene.own);
        let orthogonal = pos.of::<C>(&atoms.orthogonal) & free;
        let diagonal = pos.of::<C>(&atoms.diagonal) & free;
        if C::FILLS
            && let Some(fill) = &self.fill
            && orthogonal.count() + diagonal.count() >= fill.least
        {
            sink.number(fill.count(scene.cpu, [orthogonal, diagonal], scene.occupied, open));
        } else {
            each!(S::WORDS, from in orthogonal => {
                sink.bulk(self.orthogonal(scene.cpu, from, scene.occupied) & open);
            });
            each!(S::WORDS, from in diagonal => {
                sink.bulk(self.diagonal(scene.cpu, from, scene.occupied) & open);
            });
        }
        for leap in &atoms.leaps {
            let open = scene.allowed(leap.mode, open);
            each!(S::WORDS, from in pos.of::<C>(&leap.kinds) & free => {
                sink.bulk(self.leap(leap.tables[us], from) & open);
            });
        }
        for way in if_needed::<C, _>(Needs::RIDERS, &atoms.riders) {
            let rider = &self.riders[usize::from(way.rider)];
            let open = scene.allowed(rider.mode, open);
            each!(S::WORDS, from in pos.of::<C>(&way.kinds) & free => {
                sink.bulk(self.rider(scene.cpu, rider, scene.us, from, scene.occupied) & open);
            });
        }
        for &kind in self.whole::<C>() {
            for from in (pos.kinds.as_ref()[usize::from(kind)] & free).iter() {
                self.common_piece(pos, kind, from, guard, scene, sink);
            }
        }
        if guard.tied.any() {
            let pawns = self
                .pawns
                .iter()
                .map(|p| pos.kinds.as_ref()[usize::from(p.kind)]);
            let tied = guard.tied.without(pawns.fold(S::EMPTY, |all, p| all | p));
            for from in tied.iter() {
                self.common_piece(pos, pos.kind_at(from), from, guard, scene, sink);
            }
        }
    }

    /// Calls `f` for every legal move, without a list.
    pub fn for_each_move(&self, pos: &Pos<S>, mut f: impl FnMut(Move)) {
        self.find_move(pos, |m| {
            f(m);
            false
        });
    }

    /// The first legal move, in no particular order, that `wanted` holds for; moves after it are not looked at.
    pub fn find_move(&self, pos: &Pos<S>, mut wanted: impl FnMut(Move) -> bool) -> Option<Move> {
        S::find_move(self, pos, &mut wanted)
    }

    /// The legal move that a packed move stands for, if any.
    pub fn unpack(&self, pos: &Pos<S>, packed: PackedMove) -> Option<Move> {
        self.find_move(pos, |m| m.packed() == packed)
    }

    /// Whether a move is legal, even if it is from another position or game, or made up.
    pub fn is_legal(&self, pos: &Pos<S>, m: Move) -> bool {
        self.find_move(pos, |legal| legal == m).is_some()
    }

    /// Adds all legal moves to the list.
    pub fn legal_moves(&self, pos: &Pos<S>, moves: &mut Vec<Move>) {
        S::legal_moves(self, pos, moves);
    }

    /// Number of legal moves.
    pub fn count_moves(&self, pos: &Pos<S>) -> u64 {
        S::count_moves(self, pos)
    }

    /// Whether there is a legal move.
    pub fn has_moves(&self, pos: &Pos<S>) -> bool {
        S::has_moves(self, pos)
    }
}

/// All legal moves, into a sink.
struct Generate<'a, S: Set, K> {
    tables: &'a Tables<S>,
    pos: &'a Pos<S>,
    sink: &'a mut K,
}

impl<S: Set, K: Sink<S>> Kernel for Generate<'_, S, K> {
    type Out = ();
    // Listing spends its time elsewhere.
    const COPIES: &'static [Needs] = if K::BULK { Tables::<S>::COPIES } else { &[] };
    #[inline(always)]
    fn run<C: Cpu>(self, cpu: C) {
        self.tables.generate_on(cpu, self.pos, self.sink);
    }
}
