//! Ways of moving along paths that are not the plain lines of rook and bishop: hoppers, bent riders,
//! lances, limited and lame pieces. One table for all pieces that share a way.

use super::Group;
use super::derive::{seen, walk};
use super::line::{Builder, Shapes, SliderLine};
use crate::betza::{Mode, Vector};
use crate::cpu::Cpu;
use crate::frame::{Frame, Square};
use crate::pos::NO_SQUARE;
use crate::set::Set;
use crate::side::Side;
use crate::ways::RiderShape;

/// The squares in one direction from every square.
#[derive(Clone, Debug)]
pub(crate) struct Ray<S> {
    /// Whether square numbers rise along it.
    rising: bool,
    pub(super) sets: Vec<S>,
}

impl<S: Set> Ray<S> {
    pub fn new(frame: &Frame, direction: (i32, i32)) -> Self {
        Ray {
            rising: direction.1 > 0 || (direction.1 == 0 && direction.0 > 0),
            sets: frame
                .squares()
                .map(|s| S::from_squares(walk(frame, s, direction)))
                .collect(),
        }
    }

    /// Squares that a slider reaches, up to and including the first blocker.
    #[inline(always)]
    fn slide(&self, from: Square, occupied: S) -> S {
        let ray = self.sets[usize::from(from)];
        let met = ray & occupied;
        ray & if self.rising {
            met.through_first()
        } else {
            met.since_last()
        }
    }

    /// The first piece on the way.
    #[inline(always)]
    fn first(&self, from: Square, occupied: S) -> Option<Square> {
        let met = self.sets[usize::from(from)] & occupied;
        if self.rising { met.first() } else { met.last() }
    }
}

impl RiderShape {
    /// A leg's path from a square in order, with the index from which its squares are destinations.
    fn path(
        &self,
        frame: &Frame,
        side: Side,
        from: Square,
        leg: (Option<Vector>, Vector),
    ) -> (Vec<Square>, usize) {
        let (first, step) = leg;
        let limit = if self.max == 0 {
            usize::MAX
        } else {
            usize::from(self.max)
        };
        let Some(first) = first else {
            let squares = walk(frame, from, seen(side, step));
            return (
                squares.into_iter().take(limit).collect(),
                usize::from(self.skip),
            );
        };
        let (dx, dy) = seen(side, first);
        let Some(turn) = frame.step(from, dx, dy) else {
            return (Vec::new(), 0);
        };
        let mut squares = vec![turn];
        squares.extend(walk(frame, turn, seen(side, step)).into_iter().take(limit));
        (squares, usize::from(!self.stop))
    }
}

/// One leg from one square.
#[derive(Clone, Copy, Debug)]
struct Leg {
    /// The turning square, or no square for a straight ride.
    turn: Square,
    /// Where the ray starts: the turning square or the rider's own.
    start: Square,
    ray: u8,
}

/// A rider's table for one side.
#[derive(Clone, Debug)]
struct RiderSide<S> {
    /// Legs of all squares, those of square `i` from `first[i]` to `first[i + 1]`.
    legs: Vec<Leg>,
    first: Vec<u32>,
    /// By square: all destinations there are.
    stops: Vec<S>,
    /// Whether some squares of rays, or of lines, are not destinations.
    limited: bool,
    masked: bool,
    /// For processors that gather bits: lines of all squares, those of square `i` from
    /// `line[i]` to `line[i + 1]`.
    lines: Vec<SliderLine<S>>,
    line: Vec<u32>,
    /// Lines of attack; more than one where two paths lead to the same square.
    attacks: Vec<Attack<S>>,
}

/// Lines of attack on every square, at most one from each origin.
#[derive(Clone, Debug)]
struct Attack<S> {
    /// By attacked square: from where.
    origins: Vec<S>,
    /// By attacked square: number of the first line.
    first: Vec<u32>,
    /// The squares between, in the order of the origins.
    between: Vec<S>,
}

impl<S: Set> Attack<S> {
    #[inline(always)]
    fn between(&self, square: Square, origin: Square) -> S {
        // The origins below this one come first.
        let below = (S::bit(origin)).through_first() ^ S::bit(origin);
        let rank = (self.origins[usize::from(square)] & below).count();
        self.between[(self.first[usize::from(square)] + rank) as usize]
    }
}

/// A way along paths, with the kinds that have it.
#[derive(Clone, Debug)]
pub(crate) struct Rider<S> {
    pub mode: Mode,
    /// Whether exactly one piece must be jumped.
    pub hop: bool,
    /// Whether the turning square is a destination too.
    stop: bool,
    pub kinds: Group,
    sides: Vec<RiderSide<S>>,
}

impl<S: Set> Rider<S> {
    #[inline(always)]
    fn side(&self, side: Side) -> &RiderSide<S> {
        // One for both sides or one for each: a division would take as long as the look-up.
        &self.sides[side.index() & (self.sides.len() - 1)]
    }

    /// Squares that it reaches, including the first blockers.
    #[inline(always)]
    pub fn attacks(&self, rays: &[Ray<S>], side: Side, from: Square, occupied: S) -> S {
        let table = self.side(side);
        let i = usize::from(from);
        let legs = &table.legs[table.first[i] as usize..table.first[i + 1] as usize];
        let mut set = S::EMPTY;
        for leg in legs {
            let ray = &rays[usize::from(leg.ray)];
            if leg.turn != NO_SQUARE {
                if self.stop {
                    set |= S::bit(leg.turn);
                }
                if occupied.has(leg.turn) {
                    continue;
                }
            }
            if self.hop {
                if let Some(jumped) = ray.first(leg.start, occupied) {
                    set |= ray.slide(jumped, occupied);
                }
            } else {
                set |= ray.slide(leg.start, occupied);
            }
        }
        if table.limited {
            set &= table.stops[i];
        }
        set
    }

    /// Squares that it reaches, including the first blockers, looked up.
    #[inline(always)]
    pub fn line_attacks<C: Cpu>(
        &self,
        cpu: C,
        shapes: &Shapes,
        side: Side,
        from: Square,
        occupied: S,
    ) -> S {
        let table = self.side(side);
        let i = usize::from(from);
        let mut set = S::EMPTY;
        for line in &table.lines[table.line[i] as usize..table.line[i + 1] as usize] {
            set |= line.attacks(cpu, occupied, shapes);
        }
        if table.masked {
            set &= table.stops[i];
        }
        set
    }

    /// Calls `f(between, origin)` for every line on which a piece of `riders` aims at the square.
    #[inline(always)]
    pub fn lines_to(&self, side: Side, square: Square, riders: S, mut f: impl FnMut(S, Square)) {
        for attack in &self.side(side).attacks {
            for origin in (attack.origins[usize::from(square)] & riders).iter() {
                f(attack.between(square, origin), origin);
            }
        }
    }

    /// All destinations that there can be.
    pub fn destinations(&self, side: Side, from: Square) -> S {
        self.side(side).stops[usize::from(from)]
    }

    pub fn bytes(&self) -> usize {
        let set = size_of::<S>();
        let attack = |a: &Attack<S>| (a.origins.len() + a.between.len()) * set + a.first.len() * 4;
        let side = |s: &RiderSide<S>| {
            s.legs.len() * size_of::<Leg>()
                + (s.first.len() + s.line.len()) * 4
                + s.lines.len() * size_of::<SliderLine<S>>()
                + s.stops.len() * set
                + s.attacks.iter().map(attack).sum::<usize>()
        };
        self.sides.iter().map(side).sum()
    }
}

/// The table of a shape, for one side if both move alike.
pub(super) fn rider_table<S: Set>(
    frame: &Frame,
    shape: &RiderShape,
    directions: &mut Vec<(i32, i32)>,
    builder: &mut Builder,
) -> Rider<S> {
    let mirrored = |&(first, step): &(Option<Vector>, Vector)| {
        let turn = |(x, y): Vector| (x, -y);
        (first.map(turn), turn(step))
    };
    let symmetric = shape.legs.iter().all(|l| shape.legs.contains(&mirrored(l)));
    let sides = if symmetric {
        &Side::ALL[..1]
    } else {
        &Side::ALL[..]
    };
    Rider {
        mode: shape.mode,
        hop: shape.hop,
        stop: shape.stop,
        kinds: Group::default(),
        sides: sides
            .iter()
            .map(|&side| rider_side(frame, shape, side, directions, builder))
            .collect(),
    }
}

fn rider_side<S: Set>(
    frame: &Frame,
    shape: &RiderShape,
    side: Side,
    directions: &mut Vec<(i32, i32)>,
    builder: &mut Builder,
) -> RiderSide<S> {
    let (mut all_lines, mut line, mut masked) = (Vec::new(), vec![0], false);
    let mut legs = Vec::new();
    let mut first = vec![0];
    let mut stops = Vec::new();
    // By attacked square: origin and squares between.
    let mut lines: Vec<Vec<(Square, S)>> = vec![Vec::new(); frame.len()];
    for from in frame.squares() {
        let mut destinations = S::EMPTY;
        let mut paths = Vec::new();
        for &leg in &shape.legs {
            let (path, start) = shape.path(frame, side, from, leg);
            if path.is_empty() {
                continue;
            }
            let direction = seen(side, leg.1);
            let ray = directions
                .iter()
                .position(|&d| d == direction)
                .unwrap_or_else(|| {
                    directions.push(direction);
                    directions.len() - 1
                });
            let turn = if leg.0.is_some() { path[0] } else { NO_SQUARE };
            legs.push(Leg {
                turn,
                start: if leg.0.is_some() { path[0] } else { from },
                ray: ray as u8,
            });
            let mut passed = S::EMPTY;
            for (i, &to) in path.iter().enumerate() {
                if i >= start {
                    destinations |= S::bit(to);
                    let line = (from, passed);
                    // The turning square of several legs is one line.
                    if !lines[usize::from(to)].contains(&line) {
                        lines[usize::from(to)].push(line);
                    }
                }
                passed |= S::bit(to);
            }
            masked |= start > 0;
            paths.push(path);
        }
        first.push(legs.len() as u32);
        all_lines.extend(builder.lines::<S>(from, &paths, shape.hop));
        line.push(all_lines.len() as u32);
        stops.push(destinations);
    }
    RiderSide {
        legs,
        first,
        lines: all_lines,
        line,
        stops,
        limited: shape.max != 0 || shape.skip != 0,
        masked,
        attacks: if shape.mode.captures() {
            layers(lines)
        } else {
            Vec::new()
        },
    }
}

/// Splits lines so that in each layer an origin has at most one line to a square.
fn layers<S: Set>(mut lines: Vec<Vec<(Square, S)>>) -> Vec<Attack<S>> {
    let mut all = Vec::new();
    while lines.iter().any(|l| !l.is_empty()) {
        let mut attack = Attack {
            origins: Vec::new(),
            first: Vec::new(),
            between: Vec::new(),
        };
        for here in &mut lines {
            here.sort_by_key(|l| l.0);
            let mut rest = Vec::new();
            let mut origins = S::EMPTY;
            attack.first.push(attack.between.len() as u32);
            for (origin, between) in here.drain(..) {
                if origins.has(origin) {
                    rest.push((origin, between));
                } else {
                    origins |= S::bit(origin);
                    attack.between.push(between);
                }
            }
            attack.origins.push(origins);
            *here = rest;
        }
        all.push(attack);
    }
    all
}

impl<S: Set> super::Tables<S> {
    /// Squares that a rider of the number reaches, including the first blockers.
    #[inline(always)]
    pub(crate) fn rider_attacks(&self, rider: u8, side: Side, from: Square, occupied: S) -> S {
        self.riders[usize::from(rider)].attacks(&self.rays, side, from, occupied)
    }

    /// Squares that a rider reaches, found in the processor's best way.
    #[inline(always)]
    pub(crate) fn rider<C: Cpu>(
        &self,
        cpu: C,
        rider: &Rider<S>,
        side: Side,
        from: Square,
        occupied: S,
    ) -> S {
        if C::GATHERS {
            rider.line_attacks(cpu, &self.shapes, side, from, occupied)
        } else {
            rider.attacks(&self.rays, side, from, occupied)
        }
    }
}
