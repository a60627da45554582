//! A network along a line of the search. The sums of its first layer are derived from those of an earlier position of
//! the line by what differs between the two, which is right for every move of every game, and only where a score is
//! wanted: many positions of a line are never judged.

use super::Network;
use super::layout::{Layout, Scene};
use crate::eval::{Evaluation, Handmade};
use crate::facts::Facts;
use crate::judge::Judge;
use crate::score::{MAX_PLY, clamp_eval};
use husun::pos::Pos;
use husun::set::Set;
use husun::{Kind, Move, Side, Square};
use std::sync::Arc;

/// A position of the line.
#[derive(Clone, Copy)]
struct Entry<S: Set> {
    pos: Pos<S>,
    /// By side: whether it sees the board reflected.
    reflected: [bool; 2],
    /// Whether its sums have been computed.
    known: bool,
}

/// Judges the positions of a line by a network.
#[derive(Clone)]
pub(crate) struct NetworkJudge<S: Set> {
    network: Arc<Network>,
    facts: Arc<Facts<S>>,
    kinds: Vec<Kind>,
    move_rule: i32,
    /// The left half of the board and the right.
    halves: [S; 2],
    /// What the network corrects, unless it judges alone.
    values: Option<Handmade<S>>,
    line: Vec<Entry<S>>,
    /// By place in the line, side and hidden unit.
    sums: Vec<i16>,
    /// Room for what differs, and for the inputs that do.
    changes: Changes,
    on: Vec<u16>,
    off: Vec<u16>,
}

/// What stands where, of one side.
type Placed = (Side, Kind, Square);

/// What differs between two positions.
#[derive(Clone, Debug, Default)]
struct Changes {
    on: Vec<Placed>,
    off: Vec<Placed>,
    /// Whether rights or state differ.
    beyond: bool,
}

impl<S: Set> NetworkJudge<S> {
    /// `values` judge the game by hand-made features: they are asked if the network corrects them.
    pub fn new(
        network: Arc<Network>,
        facts: Arc<Facts<S>>,
        values: impl FnOnce() -> Handmade<S>,
    ) -> NetworkJudge<S> {
        NetworkJudge {
            values: network.corrects.then(values),
            kinds: facts.kinds.iter().map(|k| k.kind).collect(),
            move_rule: facts.move_rule.map_or(1_000_000, |m| m.max(1) as i32),
            halves: std::array::from_fn(|half| {
                S::from_squares(network.layout.halves()[half].iter().copied())
            }),
            line: Vec::with_capacity(MAX_PLY + 1),
            sums: vec![0; 2 * network.hidden * (MAX_PLY + 1)],
            changes: Changes::default(),
            on: Vec::with_capacity(64),
            off: Vec::with_capacity(64),
            network,
            facts,
        }
    }

    /// Adds a position to the line. A side sees the board reflected if it has more royal pieces on the left.
    fn add(&mut self, pos: &Pos<S>) {
        let mut reflected = [false; 2];
        if self.network.layout.is_mirrored() {
            let all = self.facts.tables.royal_pieces(pos);
            reflected = Side::ALL.map(|side| {
                let [left, right] = self
                    .halves
                    .map(|half| (all & pos.side(side) & half).count());
                left > right
            });
        }
        self.line.push(Entry {
            pos: *pos,
            reflected,
            known: false,
        });
    }

    /// The position as its inputs are found anew.
    fn scene(&self, pos: &Pos<S>) -> Scene {
        let squares = pos.occupied().iter();
        let piece = |square| {
            pos.piece_on(square)
                .map(|(side, kind)| (side, kind, square))
        };
        Scene {
            pieces: squares.filter_map(piece).collect(),
            rights: pos.rights(),
            state: pos.state(),
        }
    }

    /// The network's score of any position, computed anew.
    fn anew(&self, pos: &Pos<S>) -> i32 {
        let scene = self.scene(pos);
        let turn = pos.turn();
        let [own, other] = [turn, turn.opponent()].map(|s| self.network.layout.active(s, &scene));
        self.fading(pos, self.network.evaluate([&own, &other]))
    }

    /// The network's score of the position last pushed.
    fn found(&mut self, pos: &Pos<S>) -> i32 {
        let Some(last) = self.line.len().checked_sub(1) else {
            return self.anew(pos);
        };
        if !self.line[last].known {
            self.compute(last);
        }
        let size = self.network.hidden;
        let both = &self.sums[2 * last * size..][..2 * size];
        let (white, black) = both.split_at(size);
        let sums = match pos.turn() {
            Side::White => [white, black],
            Side::Black => [black, white],
        };
        let score = self.fading(pos, self.network.centipawns(sums));
        debug_assert_eq!(score, self.anew(pos), "the sums of a line went wrong");
        score
    }

    /// What is left of a score as the game goes on without progress.
    #[inline(always)]
    fn fading(&self, pos: &Pos<S>, score: i32) -> i32 {
        let idle = pos.halfmove() as i32;
        let left = (2 * self.move_rule - idle).max(0) * 64 / (2 * self.move_rule);
        clamp_eval(score * left / 64)
    }

    /// Computes the sums of the last position from those of the nearest earlier one that a side sees the same way
    /// round, or anew.
    fn compute(&mut self, last: usize) {
        let size = self.network.hidden;
        let needed = 2 * size * (last + 1);
        if self.sums.len() < needed {
            self.sums.resize(needed, 0);
        }
        let nearest = Side::ALL.map(|side| self.nearest(last, side));
        let pos = &self.line[last].pos;
        let network = &*self.network;
        for (i, side) in Side::ALL.into_iter().enumerate() {
            let (before, rest) = self.sums.split_at_mut((2 * last + i) * size);
            let view = View {
                layout: &network.layout,
                side,
                reflected: self.line[last].reflected[i],
            };
            self.on.clear();
            self.off.clear();
            let base = match nearest[i] {
                Some(from) => {
                    let old = &self.line[from].pos;
                    if i == 0 || nearest[0] != nearest[1] {
                        self.changes.find(&self.kinds, old, pos);
                    }
                    view.differences(&self.changes, old, pos, &mut self.on, &mut self.off);
                    &before[(2 * from + i) * size..][..size]
                }
                None => {
                    view.all(&self.kinds, pos, &mut self.on);
                    &network.bias[..]
                }
            };
            let to = &mut rest[..size];
            network
                .kernel
                .update(to, base, &network.rows, &self.on, &self.off);
        }
        self.line[last].known = true;
    }

    /// The nearest earlier position of the line that a side sees the same way round and whose sums are known.
    #[inline(always)]
    fn nearest(&self, last: usize, side: Side) -> Option<usize> {
        let reflected = self.line[last].reflected[side.index()];
        self.line[..last]
            .iter()
            .rposition(|e| e.known && e.reflected[side.index()] == reflected)
    }
}

impl Changes {
    /// Finds what differs.
    #[inline(always)]
    fn find<S: Set>(&mut self, kinds: &[Kind], old: &Pos<S>, new: &Pos<S>) {
        self.on.clear();
        self.off.clear();
        let owner = |white: S, square| match white.has(square) {
            true => Side::White,
            false => Side::Black,
        };
        let (was_white, is_white) = (old.side(Side::White), new.side(Side::White));
        let turned = was_white ^ is_white;
        for &kind in kinds {
            let (before, after) = (old.kind(kind), new.kind(kind));
            let differ = (before ^ after) | (before & turned);
            for square in differ.iter() {
                if after.has(square) {
                    self.on.push((owner(is_white, square), kind, square));
                }
                if before.has(square) {
                    self.off.push((owner(was_white, square), kind, square));
                }
            }
        }
        self.beyond = (old.rights(), old.state()) != (new.rights(), new.state());
    }
}

/// How a side sees the board.
struct View<'a> {
    layout: &'a Layout,
    side: Side,
    reflected: bool,
}

impl View<'_> {
    #[inline(always)]
    fn input(&self, (owner, kind, square): Placed) -> u16 {
        self.layout
            .piece(self.side, self.reflected, owner, kind, square) as u16
    }

    /// The inputs beyond the board.
    #[inline(always)]
    fn beyond<S: Set>(&self, pos: &Pos<S>, to: &mut Vec<u16>) {
        self.layout
            .beyond(self.side, pos.rights(), pos.state(), |i| to.push(i as u16));
    }

    /// The inputs that are on in one position and not in the other.
    #[inline(always)]
    fn differences<S: Set>(
        &self,
        changes: &Changes,
        old: &Pos<S>,
        new: &Pos<S>,
        on: &mut Vec<u16>,
        off: &mut Vec<u16>,
    ) {
        on.extend(changes.on.iter().map(|&placed| self.input(placed)));
        off.extend(changes.off.iter().map(|&placed| self.input(placed)));
        if changes.beyond {
            // What is on in both is added and taken away again.
            self.beyond(new, on);
            self.beyond(old, off);
        }
    }

    /// All inputs of a position.
    fn all<S: Set>(&self, kinds: &[Kind], pos: &Pos<S>, on: &mut Vec<u16>) {
        for owner in Side::ALL {
            for &kind in kinds {
                let squares = pos.pieces(owner, kind);
                on.extend(squares.iter().map(|s| self.input((owner, kind, s))));
            }
        }
        self.beyond(pos, on);
    }
}

impl<S: Set> Judge<S> for NetworkJudge<S> {
    fn reset(&mut self, pos: &Pos<S>) {
        if let Some(values) = &mut self.values {
            values.reset(pos);
        }
        self.line.clear();
        self.add(pos);
        self.compute(0);
    }

    #[inline(always)]
    fn push(&mut self, pos: &Pos<S>, m: Move, next: &Pos<S>) {
        if let Some(values) = &mut self.values {
            values.push(pos, m, next);
        }
        self.add(next);
    }

    #[inline(always)]
    fn push_null(&mut self, next: &Pos<S>) {
        if let Some(values) = &mut self.values {
            values.push_null(next);
        }
        self.add(next);
    }

    #[inline(always)]
    fn pop(&mut self) {
        if let Some(values) = &mut self.values {
            values.pop();
        }
        self.line.pop();
    }

    fn evaluate(&mut self, pos: &Pos<S>) -> i32 {
        let score = self.found(pos);
        match &mut self.values {
            Some(values) => clamp_eval(score + values.evaluate(pos)),
            None => score,
        }
    }

    fn explain(&self, pos: &Pos<S>) -> Evaluation {
        let score = self.anew(pos);
        let total = match &self.values {
            Some(values) => clamp_eval(score + values.explain(pos).total),
            None => score,
        };
        Evaluation::total(total)
    }
}
