//! A practice board that is being drafted for one piece, with a search for the fewest moves over it. The same rules as
//! [`crate::scene::Practice`] keeps, on numbers instead of boards.

use super::{Chance, Maker};
use crate::act::{Act, of_way};
use husun::{Kind, Setup, Side, Square, Target};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// States that a search looks at, at most.
const MOST_STATES: usize = 20_000;

pub(super) struct Draft<'a> {
    maker: &'a Maker<'a>,
    pub start: Square,
    /// Own pieces that do not move.
    pub screens: Vec<(Square, Kind)>,
    pub enemies: Vec<(Square, Kind)>,
    pub stars: Vec<Square>,
    /// Whether the enemies need not be captured.
    pub spared: bool,
}

/// A move of the piece.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stride {
    pub from: Square,
    pub to: Square,
    pub becomes: Option<Kind>,
    /// What is characteristic about it, a bit each.
    features: u16,
}

/// The fewest moves.
#[derive(Clone, Debug)]
pub(super) struct Solution {
    pub moves: Vec<Stride>,
}

impl Solution {
    /// How many different things the piece does.
    pub fn variety(&self) -> i32 {
        let all = self.moves.iter().fold(0, |bits, m| bits | m.features);
        all.count_ones() as i32
    }
}

/// Where the piece is, what it is, which enemies and stars are left.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct State {
    at: Square,
    kind: Kind,
    enemies: u16,
    stars: u16,
}

type Moves = Rc<Vec<Stride>>;

#[derive(Default)]
struct Known {
    moves: HashMap<(Square, Kind, u16), Moves>,
    attacked: HashMap<u16, Rc<HashSet<Square>>>,
}

impl<'a> Draft<'a> {
    pub fn new(maker: &'a Maker<'a>, start: Square) -> Draft<'a> {
        Draft {
            maker,
            start,
            screens: Vec::new(),
            enemies: Vec::new(),
            stars: Vec::new(),
            spared: false,
        }
    }

    pub fn is_free(&self, square: Square) -> bool {
        square != self.start && self.standing(square, u16::MAX).is_none()
    }

    /// Who stands on a square, the piece itself aside.
    fn standing(&self, square: Square, enemies: u16) -> Option<Side> {
        if self.screens.iter().any(|(s, _)| *s == square) {
            return Some(self.maker.side);
        }
        let mut all = self.enemies.iter().enumerate();
        let enemy = all.any(|(i, (s, _))| *s == square && enemies >> i & 1 != 0);
        enemy.then_some(self.maker.side.opponent())
    }

    /// The arrangement.
    pub fn setup(&self) -> Setup {
        let maker = self.maker;
        let mut board = vec![None; maker.variant.frame().len()];
        board[self.start.index()] = Some((maker.side, maker.kind));
        for &(square, kind) in &self.screens {
            board[square.index()] = Some((maker.side, kind));
        }
        for &(square, kind) in &self.enemies {
            board[square.index()] = Some((maker.side.opponent(), kind));
        }
        Setup {
            board,
            turn: maker.side,
            rights: Default::default(),
            en_passant: Vec::new(),
            state: 0,
            halfmove: 0,
            fullmove: 1,
        }
    }

    fn targets(&self, at: Square, kind: Kind, on: impl Fn(Square) -> Option<Side>) -> Vec<Target> {
        let maker = self.maker;
        let mut all = maker.variant.targets(maker.side, kind, at, on);
        all.retain(|t| !maker.closed.contains(&t.to));
        all
    }

    fn strides(&self, at: Square, kind: Kind, enemies: u16) -> Vec<Stride> {
        let on = |s: Square| self.standing(s, enemies);
        let all = self.targets(at, kind, on).into_iter();
        all.map(|t| Stride {
            from: at,
            to: t.to,
            becomes: t.becomes.first().copied(),
            features: self.features(at, &t),
        })
        .collect()
    }

    fn features(&self, from: Square, target: &Target) -> u16 {
        let frame = self.maker.variant.frame();
        let gap = |a: u8, b: u8| a.abs_diff(b);
        let dx = gap(frame.file(from), frame.file(target.to));
        let dy = gap(frame.rank(from), frame.rank(target.to));
        let acts = of_way(self.maker.variant, from, target);
        let mut bits = 0;
        for (bit, act) in [Act::Hop, Act::Bend, Act::Traverse].iter().enumerate() {
            bits |= u16::from(acts.contains(act)) << bit;
        }
        let shape = match (dx, dy) {
            _ if bits != 0 => 3,
            (0, _) | (_, 0) => 4,
            (a, b) if a == b => 5,
            _ => 6,
        };
        let far = dx.max(dy) > 1;
        bits | 1 << shape | u16::from(far) << 7
    }

    /// Squares on which a walk of so many moves stops, all different, with a liking for what was not done before.
    pub fn walk(&self, moves: usize, chance: &mut Chance) -> Vec<Square> {
        let (mut at, mut kind, mut seen) = (self.start, self.maker.kind, 0);
        let mut stops: Vec<Square> = Vec::new();
        for _ in 0..moves {
            let mut all = self.strides(at, kind, u16::MAX);
            all.retain(|m| m.to != self.start && !stops.contains(&m.to));
            let tried = (0..4).filter_map(|_| chance.one_of(&all));
            let fresh = |m: &Stride| (m.features & !seen).count_ones();
            let Some(best) = tried.max_by_key(fresh) else {
                break;
            };
            seen |= best.features;
            at = best.to;
            kind = best.becomes.unwrap_or(kind);
            stops.push(at);
        }
        stops
    }

    /// Squares on which enemies could be captured one after the other; moves that cannot capture lie between.
    pub fn hunt(&self, moves: usize, chance: &mut Chance) -> Vec<Square> {
        let foe = self.maker.side.opponent();
        let (mut at, mut kind) = (self.start, self.maker.kind);
        let mut places: Vec<Square> = Vec::new();
        for _ in 0..moves {
            let on = |s: Square| self.standing(s, 0);
            let quiet = self.targets(at, kind, on);
            // What could be captured if an enemy stood there: next to it, or at the end of a way that is free.
            let mut prey: Vec<Target> = quiet.clone();
            prey.retain(|t| {
                let there = |s: Square| on(s).or((s == t.to).then_some(foe));
                let again = self.targets(at, kind, there);
                again.iter().any(|a| a.to == t.to && a.capture)
            });
            let near = self.targets(at, kind, |s| on(s).or((s != at).then_some(foe)));
            prey.extend(near.into_iter().filter(|t| t.capture && on(t.to).is_none()));
            let usable = |t: &Target| t.to != self.start && !places.contains(&t.to);
            prey.retain(usable);
            let step = match chance.below(4) {
                0 => quiet.get(chance.below(quiet.len())),
                _ => prey.get(chance.below(prey.len())),
            };
            let Some(step) = step else { break };
            if prey.iter().any(|t| t.to == step.to) {
                places.push(step.to);
            }
            at = step.to;
            kind = step.becomes.first().copied().unwrap_or(kind);
        }
        places
    }

    /// Squares on which the enemies that are left could capture the piece.
    fn attacked(&self, enemies: u16) -> HashSet<Square> {
        let foe = self.maker.side.opponent();
        let on = |s: Square| self.standing(s, enemies);
        let left = self.enemies.iter().enumerate();
        let left = left.filter(|(i, _)| enemies >> i & 1 != 0);
        let targets = left.flat_map(|(_, &(s, kind))| self.maker.variant.targets(foe, kind, s, on));
        targets.map(|t| t.to).collect()
    }

    pub fn is_attacked(&self, square: Square) -> bool {
        self.attacked(u16::MAX).contains(&square)
    }

    /// How many first moves lead where the piece is captured.
    pub fn dangers(&self) -> i32 {
        let attacked = self.attacked(u16::MAX);
        let first = self.strides(self.start, self.maker.kind, u16::MAX);
        first.iter().filter(|m| attacked.contains(&m.to)).count() as i32
    }

    /// The fewest moves, if there are at most so many; `careful`: never to where an enemy captures.
    pub fn solve(&self, careful: bool, most: usize) -> Option<Solution> {
        let all = |n: usize| (1_u16 << n) - 1;
        let start = State {
            at: self.start,
            kind: self.maker.kind,
            enemies: all(self.enemies.len()),
            stars: all(self.stars.len()),
        };
        let mut known = Known::default();
        let mut before: HashMap<State, (State, Stride)> = HashMap::new();
        let mut front = vec![start];
        for _ in 0..most {
            let mut next = Vec::new();
            for state in front {
                let moves = known.moves(self, state);
                for &m in moves.iter() {
                    let after = self.after(state, m);
                    if after == start || before.contains_key(&after) {
                        continue;
                    }
                    if careful && known.attacked(self, after.enemies).contains(&after.at) {
                        continue;
                    }
                    before.insert(after, (state, m));
                    if after.stars == 0 && (self.spared || after.enemies == 0) {
                        return Some(traced(&before, start, after));
                    }
                    next.push(after);
                }
            }
            if before.len() > MOST_STATES {
                return None;
            }
            front = next;
        }
        None
    }

    fn after(&self, state: State, m: Stride) -> State {
        let without = |squares: &mut dyn Iterator<Item = Square>, mask: u16| {
            squares
                .enumerate()
                .fold(mask, |mask, (i, s)| match s == m.to {
                    true => mask & !(1 << i),
                    false => mask,
                })
        };
        State {
            at: m.to,
            kind: m.becomes.unwrap_or(state.kind),
            enemies: without(&mut self.enemies.iter().map(|(s, _)| *s), state.enemies),
            stars: without(&mut self.stars.iter().copied(), state.stars),
        }
    }
}

impl Known {
    fn moves(&mut self, draft: &Draft<'_>, state: State) -> Moves {
        let key = (state.at, state.kind, state.enemies);
        let make = || Rc::new(draft.strides(state.at, state.kind, state.enemies));
        self.moves.entry(key).or_insert_with(make).clone()
    }

    fn attacked(&mut self, draft: &Draft<'_>, enemies: u16) -> Rc<HashSet<Square>> {
        let make = || Rc::new(draft.attacked(enemies));
        self.attacked.entry(enemies).or_insert_with(make).clone()
    }
}

fn traced(before: &HashMap<State, (State, Stride)>, start: State, end: State) -> Solution {
    let mut moves = Vec::new();
    let mut at = end;
    while at != start {
        let Some(&(state, stride)) = before.get(&at) else {
            break;
        };
        moves.push(stride);
        at = state;
    }
    moves.reverse();
    Solution { moves }
}
