//! Deriving the evaluator of a game from its rules and values.

use super::pawns::{PawnFacts, Way, part, prisoner_flag};
use super::{Evaluator, KindFacts, MOBILITY, Pair, ROOK, Shelter, pair};
use crate::values::{Mobility, Places, Values, mobilities};
use husun::set::Set;
use husun::tables::Tables;
use husun::variant::{SideSquares, Stalemate, StateFlag};
use husun::{Kind, Side, Square, Variant};
use std::sync::Arc;

impl<S: Set> Evaluator<S> {
    pub fn new(variant: &Arc<Variant>, tables: &Arc<Tables<S>>, values: &Values) -> Self {
        let moves = mobilities(variant, tables);
        let kinds: Vec<KindFacts> = variant
            .kinds()
            .map(|kind| facts(variant, values, kind, &moves[kind.index()]))
            .collect();
        let numbers = |wanted: fn(&KindFacts) -> bool| -> Vec<u8> {
            (0..kinds.len() as u8)
                .filter(|&i| wanted(&kinds[usize::from(i)]))
                .collect()
        };
        let mut officers = numbers(|k| !k.pawn && !k.royal);
        officers.sort_by_key(|&i| kinds[usize::from(i)].value.mg);
        let mut by_price = numbers(|_| true);
        by_price.sort_by_key(|&i| {
            let facts = &kinds[usize::from(i)];
            (facts.royal, facts.value.mg)
        });
        let geometry = Geometry::new(variant);
        let endings = &variant.rules().endings;
        let total = |k: Kind| {
            let count = Side::ALL.map(|s| variant.setup_count(s, k) as i32);
            kinds[k.index()].phase * (count[0] + count[1])
        };
        let mut evaluator = Evaluator {
            tables: tables.clone(),
            squares: tables.square_count(),
            terms: values.terms,
            minors: numbers(|k| !k.pawn && !k.royal && k.value.mg < ROOK),
            officers,
            by_price,
            royals: numbers(|k| k.royal),
            pawn_kinds: numbers(|k| k.pawn),
            psq: Vec::new(),
            phase_total: variant.kinds().map(total).sum(),
            zones: zones(&geometry.places),
            shelter: Side::ALL.map(|side| shelter(&geometry.places, side)),
            passed: geometry.by_side(|s| geometry.gain(&values.passed, s)),
            pawn_facts: pawn_facts(variant, tables, &kinds, &geometry.places),
            several_royals: variant.rules().several_royals,
            move_rule: endings.move_rule.map_or(1_000_000, |m| m.max(1) as i32),
            citadel_steps: endings
                .citadels
                .as_ref()
                .map(|squares| citadel_steps(variant, squares)),
            bare_loses: endings.bare_king,
            needs_material: !endings.bare_king && endings.stalemate == Stalemate::Draw,
            from_middle: geometry.from_middle.clone(),
            dark: S::from_squares(tables.board().iter().filter(|&s| {
                let (x, y) = geometry.places[usize::from(s)];
                (x + y) % 2 == 0
            })),
            places: geometry.places.clone(),
            kinds,
        };
        evaluator.psq = evaluator.squares_of(variant, values, &moves, &geometry);
        evaluator
    }

    /// Piece values with piece-square terms: pieces like squares from which they have many moves,
    /// royal pieces their own edge while there is danger and the middle later.
    fn squares_of(
        &self,
        variant: &Variant,
        values: &Values,
        moves: &[Mobility],
        geometry: &Geometry,
    ) -> Vec<Pair> {
        let n = self.squares;
        let mut all = vec![Pair::default(); 2 * self.kinds.len() * n];
        for (i, facts) in self.kinds.iter().enumerate() {
            let letter = variant.piece(facts.kind).letter.to_string();
            let places = values.places.get(&letter);
            let mean = mean(&moves[i].squares).max(0.5);
            for square in 0..n {
                let place = if facts.royal {
                    self.royal_place(square, geometry)
                } else if facts.pawn {
                    pair((4 - geometry.aside[square]).max(-2), 0)
                } else {
                    let more = (moves[i].squares[square] - mean) / mean;
                    let middle = f64::from(geometry.spread - 2 * self.from_middle[square]);
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
                    facts.value
                };
                let own = places.map_or(Pair::default(), |p| geometry.gain(p, square));
                let value = base + weighed + own;
                all[2 * i * n + square] = value;
                all[(2 * i + 1) * n + geometry.mirrored[square]] = value * -1;
            }
        }
        all
    }

    fn royal_place(&self, square: usize, geometry: &Geometry) -> Pair {
        let rank = self.places[square].1 - geometry.first_rank;
        let mg = -14 * rank.clamp(0, 5) + 3 * geometry.aside[square].min(4);
        let eg = 4 * (geometry.spread - 2 * self.from_middle[square]);
        pair(mg, eg)
    }
}

/// Where squares lie.
struct Geometry {
    /// File and rank, from 0.
    places: Vec<(i32, i32)>,
    from_middle: Vec<i32>,
    /// Distance from the middle files.
    aside: Vec<i32>,
    /// Twice the mean distance from the middle.
    spread: i32,
    /// The square reflected top to bottom.
    mirrored: Vec<usize>,
    /// The rank on which White's royal piece starts.
    first_rank: i32,
}

impl Geometry {
    fn new(variant: &Arc<Variant>) -> Geometry {
        let frame = variant.frame();
        let places: Vec<(i32, i32)> = frame
            .squares()
            .map(|s| (i32::from(frame.file(s)), i32::from(frame.rank(s))))
            .collect();
        let off = |x: i32, of: u8| (2 * x - (i32::from(of) - 1)).abs() / 2;
        let aside: Vec<i32> = places.iter().map(|p| off(p.0, frame.files())).collect();
        let from_middle: Vec<i32> = places
            .iter()
            .zip(&aside)
            .map(|(p, &aside)| aside.max(off(p.1, frame.ranks())))
            .collect();
        let spread = 2 * from_middle.iter().sum::<i32>() / places.len().max(1) as i32;
        let start = variant.start();
        let is_royal = |s: &Square| {
            start
                .piece_on(*s)
                .is_some_and(|(side, kind)| side == Side::White && variant.piece(kind).royal)
        };
        let first_rank = frame.squares().find(is_royal);
        Geometry {
            first_rank: first_rank.map_or(0, |s| i32::from(frame.rank(s))),
            mirrored: frame
                .squares()
                .map(|s| frame.mirror(s).unwrap_or(s).index())
                .collect(),
            places,
            from_middle,
            aside,
            spread,
        }
    }

    /// What places say of a square, for White.
    fn gain(&self, places: &Places, square: usize) -> Pair {
        let at = |all: &[Pair], i: i32| all.get(i as usize).copied().unwrap_or_default();
        at(&places.ranks, self.places[square].1) + at(&places.files, self.aside[square])
    }

    /// By side and square: what White has of a square, and Black of the mirrored one.
    fn by_side<T: Clone>(&self, of: impl Fn(usize) -> T) -> [Vec<T>; 2] {
        let white: Vec<T> = (0..self.places.len()).map(of).collect();
        let black = self.mirrored.iter().map(|&s| white[s].clone()).collect();
        [white, black]
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

fn facts(variant: &Variant, values: &Values, kind: Kind, moves: &Mobility) -> KindFacts {
    let piece = variant.piece(kind);
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
    let officer = !piece.pawn && !piece.royal;
    KindFacts {
        kind,
        value,
        phase: if officer { value.mg } else { 0 },
        mobility: (0..MOBILITY).map(curve).collect(),
        aggression: (f64::from(value.mg.max(1)).sqrt() / 3.0).round() as i32 * weights.attack,
        one_colour: officer && moves.one_colour,
        pawn: piece.pawn,
        royal: piece.royal,
    }
}

fn zones<S: Set>(places: &[(i32, i32)]) -> Vec<S> {
    let near = |&(x, y): &(i32, i32)| {
        let close = |&(a, b): &(i32, i32)| (a - x).abs().max((b - y).abs()) <= 1;
        let squares = S::lowest(places.len())
            .iter()
            .filter(|&s| close(&places[usize::from(s)]));
        S::from_squares(squares)
    };
    places.iter().map(near).collect()
}

/// By square: where pawns of the side shelter a royal piece.
fn shelter<S: Set>(places: &[(i32, i32)], side: Side) -> Vec<Shelter<S>> {
    let north = if side == Side::White { 1 } else { -1 };
    let of = |&(x, y): &(i32, i32)| {
        let set = |wanted: &dyn Fn(i32, i32) -> bool| {
            let inside = |&s: &Square| {
                let (a, b) = places[usize::from(s)];
                wanted(a - x, (b - y) * north)
            };
            S::from_squares(S::lowest(places.len()).iter().filter(inside))
        };
        Shelter {
            near: set(&|dx, dy| dx.abs() <= 1 && dy == 1),
            far: set(&|dx, dy| dx.abs() <= 1 && dy == 2),
            files: [-1, 0, 1].map(|file| set(&|dx, _| dx == file)),
        }
    };
    places.iter().map(of).collect()
}

/// Steps of a king to the nearest of the squares, by side.
fn citadel_steps(variant: &Variant, squares: &SideSquares) -> [Vec<u8>; 2] {
    Side::ALL.map(|side| {
        let mut steps = vec![u8::MAX; variant.frame().len()];
        let mut wave: Vec<Square> = squares[side.index()].clone();
        let mut n = 0;
        while !wave.is_empty() {
            let mut next = Vec::new();
            for s in wave.drain(..) {
                if steps[s.index()] <= n {
                    continue;
                }
                steps[s.index()] = n;
                for (dx, dy) in (-1..=1).flat_map(|dx| (-1..=1).map(move |dy| (dx, dy))) {
                    next.extend(variant.frame().step(s, dx, dy));
                }
            }
            wave = next;
            n += 1;
        }
        steps
    })
}

/// By square: steps that a pawn of the side needs to one of the goals, straight ahead.
fn pawn_steps<S: Set>(
    t: &Tables<S>,
    side: Side,
    pawns: &[Kind],
    places: &[(i32, i32)],
    goals: &[Square],
) -> Vec<Option<usize>> {
    let n = places.len();
    let ahead = |from: Square| {
        pawns.iter().fold(S::EMPTY, |set, &kind| {
            let all = t.piece_targets(side, kind, from, S::EMPTY, S::EMPTY);
            let single = |&to: &Square| (places[to.index()].1 - places[from.index()].1).abs() <= 1;
            set | S::from_squares(all.iter().filter(single))
        })
    };
    let next: Vec<S> = t.board().iter().map(ahead).collect();
    let mut steps: Vec<Option<usize>> = vec![None; n];
    for _ in 0..husun::frame::MAX_SIDE {
        for from in 0..n {
            let by = |to: Square| {
                let here = goals.iter().any(|g| g.index() == usize::from(to));
                if here {
                    Some(1)
                } else {
                    steps[usize::from(to)].map(|s| s + 1)
                }
            };
            steps[from] = next[from].iter().filter_map(by).min();
        }
    }
    steps
}

fn pawn_facts<S: Set>(
    variant: &Variant,
    t: &Tables<S>,
    kinds: &[KindFacts],
    places: &[(i32, i32)],
) -> PawnFacts<S> {
    let n = places.len();
    let pawns: Vec<Kind> = variant.kinds().filter(|&k| variant.piece(k).pawn).collect();
    let pawn_value = pawns.first().map_or(0, |k| kinds[k.index()].value.eg);
    let gain = |kind: Kind| {
        let facts = &kinds[kind.index()];
        let worth = if facts.royal { 300 } else { facts.value.eg };
        (worth - pawn_value).max(0)
    };
    let way = |side: Side, kind: Kind, goals: &[Square], flag: u16| Way {
        flag,
        worth: pawn_steps(t, side, &pawns, places, goals)
            .into_iter()
            .map(|s| gain(kind) * part(s) / 256)
            .collect(),
    };
    let flags = variant.state_flags();
    let rules = variant.rules();
    let ways = Side::ALL.map(|side| {
        let i = side.index();
        let arrivals = rules.arrivals.iter();
        let arrivals = arrivals.map(|a| way(side, a.piece, &a.squares[i], 0));
        let prison = rules.prison.iter().map(|a| {
            let flag = prisoner_flag(flags, StateFlag::InPrison(side, a.piece));
            way(side, a.piece, &a.squares[i], flag)
        });
        arrivals.chain(prison).collect()
    });
    let promotion = Side::ALL.map(|side| {
        let Some(p) = &rules.promotion else {
            return vec![0; n];
        };
        let i = side.index();
        let goals = p.optional[i].iter().chain(&p.mandatory[i]).copied();
        let goals: Vec<Square> = goals.collect();
        let steps = pawn_steps(t, side, &pawns, places, &goals);
        steps.into_iter().map(part).collect()
    });
    let mut captured: Vec<(u8, [u32; 2], i32)> = Vec::new();
    let mut always = 0;
    if let Some(p) = &rules.promotion {
        always = p.to.iter().map(|&k| gain(k)).max().unwrap_or(0);
        for &k in &p.captured {
            let counts = Side::ALL.map(|s| variant.setup_count(s, k));
            captured.push((k.index() as u8, counts, gain(k)));
        }
        captured.sort_by_key(|c| -c.2);
    }
    let ahead = |side: Side, width: i32| in_front(places, side, width);
    let ranks = i32::from(variant.frame().ranks());
    PawnFacts {
        file: Side::ALL.map(|s| ahead(s, 0)),
        span: Side::ALL.map(|s| ahead(s, 1)),
        beside: places
            .iter()
            .map(|&(x, _)| {
                let next = |&s: &Square| (places[usize::from(s)].0 - x).abs() == 1;
                S::from_squares(t.board().iter().filter(next))
            })
            .collect(),
        ways,
        promotion,
        always,
        captured,
        step: Side::ALL.map(|side| {
            let step = |&(_, y): &(i32, i32)| {
                let ahead = if side == Side::White {
                    y
                } else {
                    ranks - 1 - y
                };
                pair(2, 3) * ahead
            };
            places.iter().map(step).collect()
        }),
    }
}

/// By square: the squares before it, so many files wide to either side.
fn in_front<S: Set>(places: &[(i32, i32)], side: Side, width: i32) -> Vec<S> {
    let of = |&(x, y): &(i32, i32)| {
        let inside = |&s: &Square| {
            let (a, b) = places[usize::from(s)];
            let before = if side == Side::White { b > y } else { b < y };
            before && (a - x).abs() <= width
        };
        S::from_squares(S::lowest(places.len()).iter().filter(inside))
    };
    places.iter().map(of).collect()
}
