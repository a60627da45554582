//! Deriving the evaluator of a game from its rules and values.

use super::pawns::{PawnFacts, Way, part};
use super::{Evaluator, KindWorth, MOBILITY, ROOK, Shelter};
use crate::exchange::Exchanges;
use crate::facts::{Facts, Geometry, Goal};
use crate::pair::{Pair, pair};
use crate::values::{Mobility, Places, Values, mobilities};
use husun::set::Set;
use husun::{Kind, Side, Square, Variant};
use std::sync::Arc;

impl<S: Set> Evaluator<S> {
    pub fn new(
        variant: &Arc<Variant>,
        facts: &Arc<Facts<S>>,
        exchanges: &Arc<Exchanges<S>>,
        values: &Values,
    ) -> Self {
        let moves = mobilities(variant, &facts.tables);
        let kinds: Vec<KindWorth> = facts
            .kinds
            .iter()
            .map(|k| worth(variant, values, k.kind, k.officer(), &moves[k.kind.index()]))
            .collect();
        let value = |kind: Kind| kinds[kind.index()].value.mg;
        let mut officers = facts.kinds_that(|k| k.officer());
        officers.sort_by_key(|&kind| value(kind));
        let total = |k: &KindWorth| {
            let count = Side::ALL.map(|s| variant.setup_count(s, k.kind) as i32);
            k.phase * (count[0] + count[1])
        };
        let geometry = &facts.geometry;
        let mut evaluator = Evaluator {
            tables: facts.tables.clone(),
            exchanges: exchanges.clone(),
            terms: values.terms,
            minors: facts.kinds_that(|k| k.officer() && value(k.kind) < ROOK),
            officers,
            royals: facts.kinds_that(|k| k.royal),
            pawn_kinds: facts.kinds_that(|k| k.pawn),
            psq: Vec::new(),
            phase_total: kinds.iter().map(total).sum(),
            shelter: Side::ALL.map(|side| shelter(geometry, side)),
            passed: geometry.by_side(|s| gain(geometry, &values.passed, s)),
            pawn_facts: pawn_facts(facts, &kinds),
            move_rule: facts.move_rule.map_or(1_000_000, |m| m.max(1) as i32),
            citadel_steps: facts
                .citadels
                .map(|goals| goals.map(|goals| geometry.steps_to(goals))),
            needs_material: !facts.bare_loses && !facts.tables.stalemate_wins(),
            dark: geometry.squares_that(|x, y| (x + y) % 2 == 0),
            facts: facts.clone(),
            kinds,
        };
        evaluator.psq = evaluator.squares_of(variant, values, &moves);
        evaluator
    }

    /// Piece values with piece-square terms: pieces like squares from which they have many moves, royal pieces
    /// like their own edge while there is danger and the middle later.
    fn squares_of(&self, variant: &Variant, values: &Values, moves: &[Mobility]) -> Vec<Pair> {
        let geometry = &self.facts.geometry;
        let n = self.tables.square_count();
        let mut all = vec![Pair::default(); 2 * self.kinds.len() * n];
        for (i, facts) in self.facts.kinds.iter().enumerate() {
            let letter = variant.piece(facts.kind).letter.to_string();
            let places = values.places.get(&letter);
            let mean = mean(&moves[i].squares).max(0.5);
            for square in 0..n {
                let place = if facts.royal {
                    royal_place(square, geometry)
                } else if facts.pawn {
                    pair((4 - geometry.aside[square]).max(-2), 0)
                } else {
                    let more = (moves[i].squares[square] - mean) / mean;
                    let middle = f64::from(geometry.spread - 2 * geometry.from_middle[square]);
                    let mg = 34.0 * more + 1.2 * middle;
                    let eg = 24.0 * more + middle;
                    pair(mg.round() as i32, eg.round() as i32)
                };
                let weighed = pair(
                    place.mg * self.terms.squares.mg / 100,
                    place.eg * self.terms.squares.eg / 100,
                );
                let base = if facts.royal {
                    Pair::default()
                } else {
                    self.kinds[i].value
                };
                let own = places.map_or(Pair::default(), |p| gain(geometry, p, square));
                let value = base + weighed + own;
                all[2 * i * n + square] = value;
                all[(2 * i + 1) * n + geometry.mirrored[square]] = value * -1;
            }
        }
        all
    }
}

fn royal_place<S: Set>(square: usize, geometry: &Geometry<S>) -> Pair {
    let rank = geometry.places[square].1 - geometry.royal_rank;
    let mg = -14 * rank.clamp(0, 5) + 3 * geometry.aside[square].min(4);
    let eg = 4 * (geometry.spread - 2 * geometry.from_middle[square]);
    pair(mg, eg)
}

/// What the places give a square, for White.
fn gain<S: Set>(geometry: &Geometry<S>, places: &Places, square: usize) -> Pair {
    let at = |all: &[Pair], i: i32| all.get(i as usize).copied().unwrap_or_default();
    at(&places.ranks, geometry.places[square].1) + at(&places.files, geometry.aside[square])
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

fn worth(
    variant: &Variant,
    values: &Values,
    kind: Kind,
    officer: bool,
    moves: &Mobility,
) -> KindWorth {
    let value = values.piece(variant, kind);
    let weights = values.weights(variant, kind);
    let usual = mean(&moves.squares) * 0.9;
    let curve = |reach: usize| {
        // Each further square is worth less than the one before.
        let more = (reach as f64 + 0.5).sqrt() - (usual + 0.5).sqrt();
        let scale = |all: i32, own: i32, by: f64| {
            (more * by * f64::from(all) / 100.0 * f64::from(own) / 100.0).round() as i32
        };
        let (all, own) = (values.terms.mobility, weights.mobility);
        pair(scale(all.mg, own.mg, 18.0), scale(all.eg, own.eg, 20.0))
    };
    KindWorth {
        kind,
        value,
        phase: if officer { value.mg } else { 0 },
        mobility: (0..MOBILITY).map(curve).collect(),
        aggression: (f64::from(value.mg.max(1)).sqrt() / 3.0).round() as i32 * weights.attack,
        one_colour: officer && moves.one_colour,
    }
}

/// By square: where pawns of the side shelter a royal piece.
fn shelter<S: Set>(geometry: &Geometry<S>, side: Side) -> Vec<Shelter<S>> {
    let north = north(side);
    let of = |&(x, y): &(i32, i32)| {
        let set = |wanted: &dyn Fn(i32, i32) -> bool| {
            geometry.squares_that(|a, b| wanted(a - x, (b - y) * north))
        };
        Shelter {
            near: set(&|dx, dy| dx.abs() <= 1 && dy == 1),
            far: set(&|dx, dy| dx.abs() <= 1 && dy == 2),
            files: [-1, 0, 1].map(|file| set(&|dx, _| dx == file)),
        }
    };
    geometry.places.iter().map(of).collect()
}

/// The direction in which the side's pawns move.
fn north(side: Side) -> i32 {
    if side == Side::White { 1 } else { -1 }
}

/// By square: steps that a pawn of the side needs to one of the goals, straight ahead.
fn pawn_steps<S: Set>(facts: &Facts<S>, side: Side, goals: S) -> Vec<Option<usize>> {
    let places = &facts.geometry.places;
    let pawns = facts.kinds_that(|k| k.pawn);
    let n = places.len();
    let ahead = |from: Square| {
        pawns.iter().fold(S::EMPTY, |set, &kind| {
            let t = &facts.tables;
            let all = t.piece_targets(side, kind, from, S::EMPTY, S::EMPTY);
            let rank = |s: Square| places[s.index()].1;
            let single = |&to: &Square| (rank(to) - rank(from)).abs() <= 1;
            set | S::from_squares(all.iter().filter(single))
        })
    };
    let next: Vec<S> = facts.tables.board().iter().map(ahead).collect();
    let mut steps: Vec<Option<usize>> = vec![None; n];
    for _ in 0..husun::frame::MAX_SIDE {
        for from in 0..n {
            let by = |to: Square| match goals.has(to) {
                true => Some(1),
                false => steps[usize::from(to)].map(|s| s + 1),
            };
            steps[from] = next[from].iter().filter_map(by).min();
        }
    }
    steps
}

fn pawn_facts<S: Set>(facts: &Facts<S>, kinds: &[KindWorth]) -> PawnFacts<S> {
    let geometry = &facts.geometry;
    let n = facts.squares();
    let pawn = facts.kinds.iter().find(|k| k.pawn);
    let pawn_value = pawn.map_or(0, |k| kinds[k.kind.index()].value.eg);
    let gain = |kind: Kind| {
        let worth = match facts.kinds[kind.index()].royal {
            true => 300,
            false => kinds[kind.index()].value.eg,
        };
        (worth - pawn_value).max(0)
    };
    let way = |side: Side, goal: &Goal<S>| {
        let steps = pawn_steps(facts, side, goal.squares[side.index()]);
        let worth = steps.into_iter().map(|s| gain(goal.piece) * part(s) / 256);
        Way {
            flag: goal.flag[side.index()],
            worth: worth.collect(),
        }
    };
    let chosen = facts.promotion.as_ref();
    let captured = chosen.map_or(&[][..], |p| &p.captured);
    let captured = captured
        .iter()
        .map(|&(kind, counts)| (kind, counts, gain(kind)));
    let mut captured: Vec<_> = captured.collect();
    captured.sort_by_key(|c| -c.2);
    let always = chosen.and_then(|p| p.to.iter().map(|&k| gain(k)).max());
    let ahead = |side: Side, width: i32| in_front(geometry, side, width);
    PawnFacts {
        file: Side::ALL.map(|s| ahead(s, 0)),
        span: Side::ALL.map(|s| ahead(s, 1)),
        beside: geometry
            .places
            .iter()
            .map(|&(x, _)| geometry.squares_that(|a, _| (a - x).abs() == 1))
            .collect(),
        ways: Side::ALL.map(|side| facts.goals.iter().map(|goal| way(side, goal)).collect()),
        promotion: Side::ALL.map(|side| match chosen {
            Some(p) => {
                let steps = pawn_steps(facts, side, p.squares[side.index()]);
                steps.into_iter().map(part).collect()
            }
            None => vec![0; n],
        }),
        always: always.unwrap_or(0),
        captured,
        step: Side::ALL.map(|side| {
            let step = |&(_, y): &(i32, i32)| {
                let ahead = match side {
                    Side::White => y,
                    Side::Black => geometry.ranks - 1 - y,
                };
                pair(2, 3) * ahead
            };
            geometry.places.iter().map(step).collect()
        }),
    }
}

/// By square: the squares before it, `width` files wide to either side.
fn in_front<S: Set>(geometry: &Geometry<S>, side: Side, width: i32) -> Vec<S> {
    let of = |&(x, y): &(i32, i32)| {
        geometry.squares_that(|a, b| (b - y) * north(side) > 0 && (a - x).abs() <= width)
    };
    geometry.places.iter().map(of).collect()
}
