//! A network along a line of the search. The sums of its first layer are derived from those of an earlier position of
//! the line by what the moves between the two have changed, and only where a score is wanted: many positions of a line
//! are never judged. After a move that does more than move a piece, take one and turn it into another, they are computed
//! anew.

use super::Network;
use super::layout::{Layout, Scene};
use crate::eval::{Evaluation, Handmade};
use crate::facts::Facts;
use crate::judge::Judge;
use crate::score::{MAX_PLY, clamp_eval};
use husun::pos::Pos;
use husun::set::Set;
use husun::{CastlingRights, Kind, Move, Side, Special, Square};
use std::sync::Arc;

/// A position of the line.
#[derive(Clone, Copy)]
struct Entry {
    /// What led here.
    step: Step,
    /// By side: whether it sees the board reflected.
    reflected: [bool; 2],
    /// Whether its sums have been computed.
    known: bool,
    rights: CastlingRights,
    state: u16,
}

/// What differs on the board from the position before.
#[derive(Clone, Copy)]
enum Step {
    /// Nothing on the board: the side to move has passed.
    None,
    /// A piece moved, and may have become another or have taken one.
    Move {
        off: Placed,
        on: Placed,
        taken: Option<Placed>,
    },
    /// Anything else: the sums are computed anew.
    Other,
}

/// Judges the positions of a line by a network.
#[derive(Clone)]
pub(crate) struct NetworkJudge<S: Set> {
    network: Arc<Network>,
    facts: Arc<Facts<S>>,
    kinds: Vec<Kind>,
    move_rule: i32,
    /// The kinds that are royal, by number.
    royal: u64,
    /// The left half of the board and the right.
    halves: [S; 2],
    /// What the network corrects, unless it judges alone.
    values: Option<Handmade<S>>,
    line: Vec<Entry>,
    /// By place in the line, side and hidden unit.
    sums: Vec<i16>,
    /// Room for the inputs that differ.
    on: Vec<u16>,
    off: Vec<u16>,
}

/// What stands where, of one side.
type Placed = (Side, Kind, Square);

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
            royal: facts
                .kinds
                .iter()
                .fold(0, |all, k| all | u64::from(k.royal) << k.kind.index()),
            move_rule: facts.move_rule.map_or(1_000_000, |m| m.max(1) as i32),
            halves: std::array::from_fn(|half| {
                S::from_squares(network.layout.halves()[half].iter().copied())
            }),
            line: Vec::with_capacity(MAX_PLY + 1),
            sums: vec![0; 2 * network.hidden * (MAX_PLY + 1)],
            on: Vec::with_capacity(64),
            off: Vec::with_capacity(64),
            network,
            facts,
        }
    }

    /// Adds a position to the line.
    #[inline(always)]
    fn add(&mut self, pos: &Pos<S>, step: Step, reflected: [bool; 2]) {
        debug_assert_eq!(
            reflected,
            self.reflected(pos),
            "a side sees the board another way round"
        );
        self.line.push(Entry {
            step,
            reflected,
            known: false,
            rights: pos.rights(),
            state: pos.state(),
        });
    }

    /// By side: a side sees the board reflected if it has more royal pieces on the left.
    fn reflected(&self, pos: &Pos<S>) -> [bool; 2] {
        if !self.network.layout.is_mirrored() {
            return [false; 2];
        }
        let all = self.facts.tables.royal_pieces(pos);
        Side::ALL.map(|side| {
            let royal = |half| (all & pos.side(side) & half).count();
            let [left, right] = self.halves.map(royal);
            left > right
        })
    }

    /// What a move changes on the board.
    #[inline(always)]
    fn step(pos: &Pos<S>, m: Move) -> Step {
        match m.special() {
            Special::None | Special::InitialStep | Special::EnPassant => {
                let (us, them) = (pos.turn(), pos.turn().opponent());
                Step::Move {
                    off: (us, m.piece(), m.from()),
                    on: (us, m.placed(), m.to()),
                    taken: pos.captured(m).map(|(square, kind)| (them, kind, square)),
                }
            }
            _ => Step::Other,
        }
    }

    /// Whether a step may change how a side sees the board.
    #[inline(always)]
    fn turns(&self, step: Step) -> bool {
        let royal = |(_, kind, _): Placed| self.royal >> kind.index() & 1 != 0;
        match step {
            Step::None => false,
            Step::Move { off, on, taken } => royal(off) || royal(on) || taken.is_some_and(royal),
            Step::Other => true,
        }
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
            self.compute(last, pos);
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

    /// Computes the sums of the last position, which is given, from those of the nearest earlier one that a side sees
    /// the same way round, or anew.
    fn compute(&mut self, last: usize, pos: &Pos<S>) {
        let size = self.network.hidden;
        let needed = 2 * size * (last + 1);
        if self.sums.len() < needed {
            self.sums.resize(needed, 0);
        }
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
            let base = match nearest(&self.line[..=last], side) {
                Some(from) => {
                    view.differences(&self.line[from..=last], &mut self.on, &mut self.off);
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
}

/// The nearest position before the last one of a line that a side sees the same way round, whose sums are known and
/// from which every step is known.
#[inline(always)]
fn nearest(line: &[Entry], side: Side) -> Option<usize> {
    let (last, before) = line.split_last()?;
    let mut step = last.step;
    for (at, entry) in before.iter().enumerate().rev() {
        if matches!(step, Step::Other) {
            return None;
        }
        if entry.known && entry.reflected[side.index()] == last.reflected[side.index()] {
            return Some(at);
        }
        step = entry.step;
    }
    None
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
    fn beyond(&self, rights: CastlingRights, state: u16, to: &mut Vec<u16>) {
        self.layout
            .beyond(self.side, rights, state, |i| to.push(i as u16));
    }

    /// The inputs that steps turn on and off, from the first position of a line to the last.
    #[inline(always)]
    fn differences(&self, line: &[Entry], on: &mut Vec<u16>, off: &mut Vec<u16>) {
        let [old, .., new] = line else {
            return;
        };
        for entry in &line[1..] {
            if let Step::Move {
                off: gone,
                on: come,
                taken,
            } = entry.step
            {
                on.push(self.input(come));
                off.push(self.input(gone));
                if let Some(taken) = taken {
                    off.push(self.input(taken));
                }
            }
        }
        if (old.rights, old.state) != (new.rights, new.state) {
            // What is on in both is added and taken away again.
            self.beyond(new.rights, new.state, on);
            self.beyond(old.rights, old.state, off);
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
        self.beyond(pos.rights(), pos.state(), on);
    }
}

impl<S: Set> Judge<S> for NetworkJudge<S> {
    fn reset(&mut self, pos: &Pos<S>) {
        if let Some(values) = &mut self.values {
            values.reset(pos);
        }
        self.line.clear();
        let reflected = self.reflected(pos);
        self.add(pos, Step::Other, reflected);
        self.compute(0, pos);
    }

    #[inline(always)]
    fn push(&mut self, pos: &Pos<S>, m: Move, next: &Pos<S>) {
        if let Some(values) = &mut self.values {
            values.push(pos, m, next);
        }
        let step = Self::step(pos, m);
        let reflected = match self.line.last() {
            Some(last) if !self.turns(step) => last.reflected,
            _ => self.reflected(next),
        };
        self.add(next, step, reflected);
    }

    #[inline(always)]
    fn push_null(&mut self, next: &Pos<S>) {
        if let Some(values) = &mut self.values {
            values.push_null(next);
        }
        let reflected = match self.line.last() {
            Some(last) => last.reflected,
            None => self.reflected(next),
        };
        self.add(next, Step::None, reflected);
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
