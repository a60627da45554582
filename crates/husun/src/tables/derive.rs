//! Building the tables from a definition.

use super::line::Builder;
use super::rider::{Lines, Ray, rider_table};
use super::*;
use crate::betza::{Mode, Part, Vector, Way};
use crate::cpu::Portable;
use crate::definition::{Arrival, Definition, SideSquares, Stalemate};
use crate::frame::{Frame, Square};
use crate::mechanisms::crowning::Crown;
use crate::movegen::Scene;
use crate::piece::Kind;
use crate::set::Set;
use crate::ways::{DIAGONAL, ORTHOGONAL, RiderShape, slides, without_slides};
use std::collections::HashMap;

/// Highest size of a table of both diagonals at once, in bytes: it should fit the second-level cache.
const DIAGONALS: u64 = 384 << 10;
/// A vector of White's as the side sees it.
pub(super) fn seen(side: Side, (x, y): Vector) -> (i32, i32) {
    let north = if side == Side::White { 1 } else { -1 };
    (i32::from(x), north * i32::from(y))
}

/// The squares of a ray in their order, without its start.
pub(super) fn walk(frame: &Frame, from: Square, (dx, dy): (i32, i32)) -> Vec<Square> {
    let mut squares = Vec::new();
    let mut at = from;
    while let Some(next) = frame.step(at, dx, dy) {
        squares.push(next);
        at = next;
    }
    squares
}

/// Tables of sets, each kept only once.
struct Pool<S> {
    entries: Vec<S>,
}

impl<S: Set> Pool<S> {
    /// The number of the table's first entry.
    fn add(&mut self, table: Vec<S>) -> u16 {
        let mut tables = self.entries.chunks(table.len().max(1));
        let found = tables.position(|t| *t == table);
        let start = match found {
            Some(i) => i * table.len(),
            None => {
                self.entries.extend(&table);
                self.entries.len() - table.len()
            }
        };
        start as u16
    }
}

/// By square: where the leaps of the given modes lead.
fn leap_table<S: Set>(frame: &Frame, side: Side, parts: &[Part], modes: &[Mode]) -> Option<Vec<S>> {
    let vectors: Vec<Vector> = parts
        .iter()
        .filter(|p| modes.contains(&p.mode))
        .filter_map(|p| match p.way {
            Way::Leap(v) => Some(v),
            _ => None,
        })
        .collect();
    let targets = |square| {
        S::from_squares(vectors.iter().filter_map(|&v| {
            let (dx, dy) = seen(side, v);
            frame.step(square, dx, dy)
        }))
    };
    (!vectors.is_empty()).then(|| frame.squares().map(targets).collect())
}

/// From where each square is reached.
fn reversed<S: Set>(table: &[S]) -> Vec<S> {
    let mut from = vec![S::EMPTY; table.len()];
    for (square, targets) in table.iter().enumerate() {
        for target in targets.iter() {
            from[usize::from(target)] |= S::bit(Square(square as u8));
        }
    }
    from
}

fn number(square: Square) -> i32 {
    square.0.into()
}

fn shift<S: Set>(frame: &Frame, side: Side, vector: Vector) -> Shift<S> {
    let (dx, dy) = seen(side, vector);
    let steps: Vec<(Square, Square)> = frame
        .squares()
        .filter_map(|from| frame.step(from, dx, dy).map(|to| (from, to)))
        .collect();
    let mut deltas: HashMap<i32, usize> = HashMap::new();
    for &(from, to) in &steps {
        *deltas.entry(number(to) - number(from)).or_default() += 1;
    }
    let delta = deltas
        .into_iter()
        .filter(|(d, _)| d.abs() < 64)
        .max_by_key(|&(d, n)| (n, d))
        .map_or(1, |(d, _)| d as i8);
    let is_regular = |&(from, to): &(Square, Square)| number(to) - number(from) == i32::from(delta);
    let mut origin = vec![Square(0); frame.len()];
    for &(from, to) in &steps {
        origin[usize::from(to)] = from;
    }
    let (regular, irregular): (Vec<_>, Vec<_>) = steps.into_iter().partition(is_regular);
    Shift {
        delta,
        regular: S::from_squares(regular.iter().map(|s| s.0)),
        odd: S::from_squares(irregular.iter().map(|s| s.0)),
        irregular,
        initial: S::EMPTY,
        further: S::EMPTY,
        origin,
    }
}

/// By side, the set of the squares.
fn sets<S: Set>(squares: &SideSquares) -> [S; 2] {
    [0, 1].map(|side| S::from_squares(squares[side].iter().copied()))
}

impl<S: Set> Tables<S> {
    /// The tables of a definition whose frame and pieces fit the width.
    pub(crate) fn new(definition: &Definition) -> Self {
        let mut t = Tables::empty();
        // Pieces that are not royal treat closed squares as missing.
        let frame = &definition
            .frame()
            .walled(&definition.rules().endings.closed);
        t.squares = frame.len();
        t.board = S::from_squares(frame.squares());
        let mut builder = Builder::default();
        t.lines_and_rays(frame, &mut builder);
        t.rings(definition.frame());
        let lines = t.ways_of_moving(definition, &mut builder);
        t.shapes = builder.shapes;
        t.mechanisms(definition);
        t.find_changers();
        t.passing();
        t.sort_atoms();
        // With rooks or bishops alone half of the directions would be filled for nothing.
        if !t.atoms.orthogonal.kinds.is_empty() && !t.atoms.diagonal.kinds.is_empty() {
            t.fill = Fill::new::<S>(frame, t.level);
        }
        t.look_around_royals();
        t.choose_planes();
        t.list_aims(&lines);
        t.keys = keys(definition);
        t.level = t.level.fitted(t.needs(), Self::COPIES);
        t
    }

    fn lines_and_rays(&mut self, frame: &Frame, builder: &mut Builder) {
        let n = frame.len();
        self.between = vec![S::EMPTY; n * n];
        for from in frame.squares() {
            let mut reach = [S::EMPTY; 8];
            let mut paths: [Vec<Square>; 8] = Default::default();
            for (i, &v) in ORTHOGONAL.iter().chain(&DIAGONAL).enumerate() {
                let mut passed = S::EMPTY;
                paths[i] = walk(frame, from, seen(Side::White, v));
                for &to in &paths[i] {
                    self.between[usize::from(from) * n + usize::from(to)] = passed;
                    passed |= S::bit(to);
                }
                reach[i] = passed;
            }
            // The first vector of a pair points to higher numbers: north or east, then the opposite.
            let pairs = [(0, 2), (1, 3), (4, 6), (5, 7)];
            let lines = pairs.map(|(up, down)| builder.line(&paths[down], &paths[up], false));
            self.spots.push(Spot {
                cross: lines[2],
                lines,
                orthogonal: reach[0] | reach[1] | reach[2] | reach[3],
                diagonal: reach[4] | reach[5] | reach[6] | reach[7],
                near: [S::EMPTY; 2],
                ring: S::EMPTY,
                aims: Default::default(),
                halves: pairs.map(|(up, down)| Halves {
                    up: reach[up],
                    down: reach[down],
                }),
            });
        }
        self.cross_diagonals(&builder.shapes);
    }

    /// The squares next to each square, no matter who may enter them.
    fn rings(&mut self, frame: &Frame) {
        for (spot, from) in self.spots.iter_mut().zip(frame.squares()) {
            let ring = ORTHOGONAL.iter().chain(&DIAGONAL);
            let ring = ring.filter_map(|&(x, y)| frame.step(from, x.into(), y.into()));
            spot.ring = S::from_squares(ring);
        }
    }

    /// Looks both diagonals up at once if that takes no more than [`DIAGONALS`] bytes.
    fn cross_diagonals(&mut self, shapes: &Shapes) {
        let entries = |spot: &Spot<S>| spot.lines[2].entries_with(&spot.lines[3]);
        let sum = |all: u64, spot| all.saturating_add(entries(spot));
        let bytes = self
            .spots
            .iter()
            .fold(0, sum)
            .saturating_mul(size_of::<S>() as u64);
        self.whole_diagonals = bytes <= DIAGONALS;
        if !self.whole_diagonals {
            return;
        }
        for spot in &mut self.spots {
            let lines = [&spot.lines[2], &spot.lines[3]];
            let (cross, reached) = line::cross(lines, shapes, self.diagonals.len() as u32);
            spot.cross = cross;
            self.diagonals.extend(reached);
        }
    }

    fn ways_of_moving(&mut self, definition: &Definition, builder: &mut Builder) -> Vec<Lines<S>> {
        let walled = definition
            .frame()
            .walled(&definition.rules().endings.closed);
        let mut pool = Pool {
            entries: Vec::new(),
        };
        let mut directions: Vec<(i32, i32)> = Vec::new();
        let mut shapes: Vec<RiderShape> = Vec::new();
        let mut lines = Vec::new();
        for (i, piece) in definition.pieces().iter().enumerate() {
            let kind = i as u8;
            let frame = if piece.royal {
                definition.frame()
            } else {
                &walled
            };
            let mut mover = Mover {
                orthogonal: slides(&piece.parts, &ORTHOGONAL),
                diagonal: slides(&piece.parts, &DIAGONAL),
                ..Mover::default()
            };
            let rest = without_slides(&piece.parts);
            if piece.pawn {
                self.pawn_mask |= 1 << kind;
                self.add_pawn(frame, kind, &rest, &mut pool);
            } else {
                for side in Side::ALL {
                    let mut table =
                        |mode| leap_table(frame, side, &rest, &[mode]).map(|t| pool.add(t));
                    mover.leaps[side.index()] = table(Mode::Both);
                    mover.quiet[side.index()] = table(Mode::MoveOnly);
                    mover.take[side.index()] = table(Mode::CaptureOnly);
                }
            }
            self.add_leap_attack(frame, kind, &rest, &mut pool);
            for shape in RiderShape::of(&rest) {
                let known = shapes.iter().position(|s| *s == shape);
                let rider = known.unwrap_or_else(|| {
                    let (rider, to) = rider_table(frame, &shape, &mut directions, builder);
                    self.riders.push(rider);
                    lines.push(to);
                    shapes.push(shape);
                    shapes.len() - 1
                });
                self.riders[rider].kinds.kinds.push(kind);
                mover.riders.push(rider as u8);
            }
            if mover.orthogonal {
                self.orthogonal.kinds.push(kind);
            }
            if mover.diagonal {
                self.diagonal.kinds.push(kind);
            }
            if piece.royal {
                self.royals.kinds.push(kind);
            } else if mover.moves() && !piece.pawn {
                self.common.push(kind);
            }
            self.movers.push(mover);
        }
        self.rays = directions.iter().map(|&d| Ray::new(&walled, d)).collect();
        self.leaps = pool.entries;
        lines
    }

    fn add_pawn(&mut self, frame: &Frame, kind: u8, parts: &[Part], pool: &mut Pool<S>) {
        let shifts = |side, wanted: fn(Mode) -> bool| {
            let leaps = parts.iter().filter(|p| wanted(p.mode));
            leaps
                .filter_map(|p| match p.way {
                    Way::Leap(v) => Some(shift(frame, side, v)),
                    _ => None,
                })
                .collect()
        };
        let from = |side| {
            let takes = leap_table(frame, side, parts, &[Mode::Both, Mode::CaptureOnly]);
            reversed(&takes.unwrap_or_else(|| vec![S::EMPTY; frame.len()]))
        };
        self.pawns.push(Pawn {
            kind,
            quiet: Side::ALL.map(|s| shifts(s, Mode::moves)),
            take: Side::ALL.map(|s| shifts(s, Mode::captures)),
            take_from: Side::ALL.map(|s| pool.add(from(s))),
            changers: [S::EMPTY; 2],
            rides: false,
        });
    }

    fn add_leap_attack(&mut self, frame: &Frame, kind: u8, parts: &[Part], pool: &mut Pool<S>) {
        let takes = |side| leap_table(frame, side, parts, &[Mode::Both, Mode::CaptureOnly]);
        let (Some(white), Some(black)) = (takes(Side::White), takes(Side::Black)) else {
            return;
        };
        let from = [pool.add(reversed(&white)), pool.add(reversed(&black))];
        let to = [pool.add(white), pool.add(black)];
        match self.leap_attacks.iter_mut().find(|a| a.from == from) {
            Some(group) => group.kinds.kinds.push(kind),
            None => self.leap_attacks.push(LeapAttack {
                from,
                to,
                near: Default::default(),
                kinds: Group::new(vec![kind]),
            }),
        }
    }

    fn mechanisms(&mut self, definition: &Definition) {
        let rules = definition.rules();
        for initial in &rules.initial {
            self.initial_steps = self.initial_steps.max(initial.steps);
            let squares: [S; 2] = sets(&initial.squares);
            let own = |p: &&mut Pawn<S>| initial.pieces.contains(&Kind(p.kind));
            for pawn in self.pawns.iter_mut().filter(own) {
                for (side, &squares) in squares.iter().enumerate() {
                    for shift in &mut pawn.quiet[side] {
                        let first = shift.apply::<Portable>(squares);
                        shift.initial |= first;
                        if initial.steps > 2 {
                            shift.further |= shift.apply::<Portable>(first);
                        }
                    }
                }
            }
        }
        self.zones = rules.promotion.as_ref().map(|p| Zones {
            kinds: p.pieces.iter().fold(0, |mask, k| mask | 1 << k.0),
            to: p.to.iter().map(|k| k.0).collect(),
            captured: p.captured.iter().map(|k| k.0).collect(),
            captured_optional: p.captured_optional.iter().map(|k| k.0).collect(),
            optional: sets(&p.optional),
            mandatory: sets(&p.mandatory),
        });
        let place = |a: &Arrival, prisoner: bool| Place {
            kind: a.piece.0,
            squares: sets(&a.squares),
            flag: Side::ALL.map(|side| {
                if prisoner {
                    definition.flag_bit(StateFlag::InPrison(side, a.piece))
                } else {
                    0
                }
            }),
        };
        self.places = rules.arrivals.iter().map(|a| place(a, false)).collect();
        self.places
            .extend(rules.prison.iter().map(|a| place(a, true)));
        for side in [0, 1] {
            for place in &self.places {
                self.changes[side] |= place.squares[side];
            }
            if let Some(zones) = &self.zones {
                self.changes[side] |= zones.optional[side] | zones.mandatory[side];
            }
        }
        self.setup_counts = Side::ALL.map(|side| {
            let kinds = definition.kinds();
            kinds
                .map(|kind| definition.setup_count(side, kind))
                .collect()
        });
        self.several_royals = rules.several_royals;
        self.apart = rules.apart;
        self.castle = rules.traverse.as_ref().map(|t| Castle {
            piece: t.piece.0,
            becomes: t.becomes.0,
            squares: sets(&t.castle),
            castled: Side::ALL.map(|s| definition.flag_bit(StateFlag::Castled(s))),
        });
        self.crown = Crown::of(definition);
        self.citadels = rules.endings.citadels.as_ref().map(sets);
        self.bare_king = rules.endings.bare_king;
        self.bare_royals = rules.endings.bare_royals;
        self.stalemate_wins = rules.endings.stalemate == Stalemate::Win;
        self.move_rule = rules.endings.move_rule.unwrap_or(u32::MAX);
        self.castlings(definition);
    }

    fn find_changers(&mut self) {
        for i in 0..self.pawns.len() {
            let pawn = &self.pawns[i];
            let rides = self.movers[usize::from(pawn.kind)].moves();
            let changers = Side::ALL.map(|side| {
                let changes = |square: &Square| {
                    let piece = S::bit(*square);
                    let alone = Scene::of(self, Portable, side, piece, S::EMPTY);
                    let (quiet, takes) = self.pawn_reach(pawn, piece, side, &alone);
                    ((quiet | takes) & self.changes[side.index()]).any()
                };
                S::from_squares(self.board.iter().filter(changes))
            });
            let pawn = &mut self.pawns[i];
            (pawn.rides, pawn.changers) = (rides, changers);
        }
    }

    /// What [`Tables::passing`] holds, once the leaps of pawn-type kinds are known.
    fn passing(&mut self) {
        for side in Side::ALL {
            let captors = |square: Square| {
                let them = side.opponent().index();
                let tables = self.pawns.iter().map(|p| p.take_from[them]);
                tables.fold(S::EMPTY, |all: S, table| all | self.leap(table, square))
            };
            let mut passing = vec![S::EMPTY; self.squares];
            for shift in self.pawns.iter().flat_map(|p| &p.quiet[side.index()]) {
                for square in self.board.iter() {
                    let mut at = square;
                    for _ in 1..self.initial_steps {
                        at = shift.origin[usize::from(at)];
                        passing[square.index()] |= captors(at);
                    }
                }
            }
            self.passing[side.index()] = passing;
        }
    }

    fn castlings(&mut self, definition: &Definition) {
        self.rights_lost = vec![0; self.squares];
        let Some(castling) = &definition.rules().castling else {
            return;
        };
        self.castlings_plain = self.is_royal(castling.piece.0);
        for side in Side::ALL {
            for wing in Wing::ALL {
                self.castlings_plain &= castling.paths(side, wing).len() < 2;
                for &path in castling.paths(side, wing) {
                    self.castlings_plain &= is_plain(path, wing, definition.frame());
                    for home in [path.from, path.partner_from] {
                        self.rights_lost[home.index()] |= CastlingRights::bit(side, wing);
                    }
                    let through = on_the_way(definition.frame(), path.from, path.to);
                    let empty: S = on_the_way(definition.frame(), path.from, path.partner_from);
                    self.doors[side.index()] |= match wing {
                        Wing::East => empty.first(),
                        Wing::West => empty.last(),
                    }
                    .map_or(S::EMPTY, S::bit);
                    self.castlings[side.index()].push(CastlingSquares {
                        piece: castling.piece.0,
                        partner: castling.partner.0,
                        wing,
                        right: CastlingRights::bit(side, wing),
                        path,
                        empty,
                        through,
                        over: through | S::bit(path.to),
                        moved: [path.from, path.to, path.partner_from, path.partner_to]
                            .into_iter()
                            .fold(S::EMPTY, |set, s| set ^ S::bit(s)),
                    });
                }
            }
        }
    }
}

/// Whether the partner comes from the end of the rank and goes to a square that the royal piece passes. No slider then attacks the
/// royal piece's target from behind the one, and from behind the other only one that gives check already.
fn is_plain(path: CastlePath, wing: Wing, frame: &Frame) -> bool {
    let outward = match wing {
        Wing::East => 1,
        Wing::West => -1,
    };
    let (low, high) = (path.from.min(path.to), path.from.max(path.to));
    let passed = low < path.partner_to && path.partner_to < high;
    passed && path.to != path.partner_from && frame.step(path.partner_from, outward, 0).is_none()
}

/// The squares between two squares of a rank.
fn on_the_way<S: Set>(frame: &Frame, a: Square, b: Square) -> S {
    let (low, high) = (a.min(b), a.max(b));
    S::from_squares(frame.squares().filter(|&s| low < s && s < high))
}

/// Keys from a fixed sequence (splitmix64), so that they are the same in every run.
fn keys(definition: &Definition) -> Keys {
    let mut seed = 0x4875_7375_6e00_2024_u64;
    let mut next = || {
        seed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = seed;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    };
    let squares = definition.frame().len();
    let mut rights = [0; 16];
    for key in rights.iter_mut().skip(1) {
        *key = next();
    }
    Keys {
        rights,
        state: std::array::from_fn(|_| next()),
        passed: (0..squares).map(|_| next()).collect(),
        black: next(),
        pieces: (0..2 * definition.pieces().len() * squares)
            .map(|_| next())
            .collect(),
        squares,
    }
}
