//! The ways of moving of a kind, sorted by how tables hold them: plain slides of rook and bishop, leaps, and ways along
//! paths, which several kinds may share. Which squares exist is not known here.

use crate::betza::{Mode, Part, Vector, Way};

pub(crate) const ORTHOGONAL: [Vector; 4] = [(0, 1), (1, 0), (0, -1), (-1, 0)];
pub(crate) const DIAGONAL: [Vector; 4] = [(1, 1), (-1, 1), (-1, -1), (1, -1)];

/// What is left of a kind's parts besides the plain slides of rook and bishop.
pub(crate) fn without_slides(parts: &[Part]) -> Vec<Part> {
    let plain: Vec<Part> = [&ORTHOGONAL, &DIAGONAL]
        .into_iter()
        .filter(|set| slides(parts, set))
        .flat_map(|set| set.iter().map(|&step| plain_slide(step)))
        .collect();
    let rest = parts.iter().filter(|p| !plain.contains(p));
    rest.copied().collect()
}

/// Adds the ways along paths that a kind's parts need a table for, where they are not known yet.
pub(crate) fn add_paths(parts: &[Part], known: &mut Vec<RiderShape>) {
    for shape in RiderShape::of(&without_slides(parts)) {
        if !known.contains(&shape) {
            known.push(shape);
        }
    }
}

/// Whether the parts hold an unlimited plain slide in all four directions.
pub(crate) fn slides(parts: &[Part], directions: &[Vector; 4]) -> bool {
    directions
        .iter()
        .all(|&step| parts.contains(&plain_slide(step)))
}

fn plain_slide(step: Vector) -> Part {
    Part {
        mode: Mode::Both,
        way: Way::Ride {
            step,
            max: 0,
            hop: false,
            skip: 0,
        },
    }
}

/// What pieces that share a rider have in common.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RiderShape {
    pub mode: Mode,
    pub hop: bool,
    /// First legs (none for a straight ride) with their directions.
    pub legs: Vec<(Option<Vector>, Vector)>,
    /// Whether the first leg may be the whole move.
    pub stop: bool,
    pub max: u8,
    pub skip: u8,
}

impl RiderShape {
    /// The shapes that a kind's parts make, leaps left out.
    pub fn of(parts: &[Part]) -> Vec<RiderShape> {
        let mut shapes: Vec<RiderShape> = Vec::new();
        for part in parts {
            let (hop, leg, stop, max, skip) = match part.way {
                Way::Leap(_) => continue,
                Way::Ride {
                    step,
                    max,
                    hop,
                    skip,
                } => (hop, (None, step), false, max, skip),
                Way::Bent {
                    first,
                    stop,
                    step,
                    max,
                } => (false, (Some(first), step), stop, max, 0),
            };
            let mode = part.mode;
            // A turning square must be no destination of another leg.
            let size = |(x, y): Vector| (x.abs().min(y.abs()), x.abs().max(y.abs()));
            let like = |s: &&mut RiderShape| {
                s.mode == mode
                    && s.hop == hop
                    && s.stop == stop
                    && s.max == max
                    && s.skip == skip
                    && s.legs[0].0.map(size) == leg.0.map(size)
            };
            match shapes.iter_mut().find(like) {
                Some(shape) => shape.legs.push(leg),
                None => shapes.push(RiderShape {
                    mode,
                    hop,
                    legs: vec![leg],
                    stop,
                    max,
                    skip,
                }),
            }
        }
        for shape in &mut shapes {
            shape.legs.sort();
        }
        shapes
    }
}
