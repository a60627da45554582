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
    /// By square.
    spots: Vec<RiderSpot<S>>,
    /// Whether some squares of rays, or of lines, are not destinations.
    limited: bool,
    masked: bool,
    /// For processors that gather bits: lines of all squares.
    lines: Vec<SliderLine<S>>,
}

/// What belongs to a square.
#[derive(Clone, Copy, Debug)]
struct RiderSpot<S> {
    /// All destinations there are.
    stops: S,
    /// Its first line and the first of the next square.
    lines: [u32; 2],
}

/// By side, or once if both move alike, and attacked square: origins and squares between.
pub(super) struct Lines<S>(Vec<Vec<Vec<(Square, S)>>>);

impl<S> Lines<S> {
    pub fn of_side(&self, side: usize) -> &[Vec<(Square, S)>] {
        &self.0[side % self.0.len()]
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
            set &= table.spots[i].stops;
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
        let spot = &table.spots[usize::from(from)];
        let [first, end] = spot.lines;
        let mut set = S::EMPTY;
        for line in &table.lines[first as usize..end as usize] {
            set |= line.attacks(cpu, occupied, shapes);
        }
        if table.masked {
            set &= spot.stops;
        }
        set
    }

    /// All destinations that there can be.
    pub fn destinations(&self, side: Side, from: Square) -> S {
        self.side(side).spots[usize::from(from)].stops
    }

    pub fn bytes(&self) -> usize {
        let side = |s: &RiderSide<S>| {
            s.legs.len() * size_of::<Leg>()
                + s.first.len() * 4
                + s.spots.len() * size_of::<RiderSpot<S>>()
                + s.lines.len() * size_of::<SliderLine<S>>()
        };
        self.sides.iter().map(side).sum()
    }
}

/// The table of a shape, for one side if both move alike, and its lines.
pub(super) fn rider_table<S: Set>(
    frame: &Frame,
    shape: &RiderShape,
    directions: &mut Vec<(i32, i32)>,
    builder: &mut Builder,
) -> (Rider<S>, Lines<S>) {
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
    let sides = sides.iter();
    let (sides, lines) = sides
        .map(|&side| rider_side(frame, shape, side, directions, builder))
        .unzip();
    let rider = Rider {
        mode: shape.mode,
        hop: shape.hop,
        stop: shape.stop,
        kinds: Group::default(),
        sides,
    };
    (rider, Lines(lines))
}

fn rider_side<S: Set>(
    frame: &Frame,
    shape: &RiderShape,
    side: Side,
    directions: &mut Vec<(i32, i32)>,
    builder: &mut Builder,
) -> (RiderSide<S>, Vec<Vec<(Square, S)>>) {
    let (mut all_lines, mut masked) = (Vec::new(), false);
    let mut legs = Vec::new();
    let mut first = vec![0];
    let mut spots = Vec::new();
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
        let first_line = all_lines.len() as u32;
        all_lines.extend(builder.lines::<S>(from, &paths, shape.hop));
        spots.push(RiderSpot {
            stops: destinations,
            lines: [first_line, all_lines.len() as u32],
        });
    }
    let side = RiderSide {
        legs,
        first,
        spots,
        limited: shape.max != 0 || shape.skip != 0,
        masked,
        lines: all_lines,
    };
    (side, lines)
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
