//! An arrangement for each kind of piece in which it can do what it can: a screen before a hopper, somebody to capture for a
//! piece that captures in its own way, a castle around one that may traverse it.

use crate::wire::Example;
use husun::betza::{Mode, Part, Vector, Way};
use husun::{Kind, Side, Square, Variant};

/// The arrangement for a kind, White's.
pub(super) fn of(variant: &Variant, kind: Kind) -> Option<Example> {
    let piece = variant.piece(kind);
    let from = place(variant, kind)?;
    let (mut own, mut enemy) = (Vec::new(), Vec::new());
    let step = |at: Square, v: Vector| variant.frame().step(at, v.0.into(), v.1.into());
    if let Some(v) = hop(&piece.parts) {
        let screen = step(from, v).and_then(|s| step(s, v)).or(step(from, v));
        let beyond = screen.and_then(|s| step(step(s, v)?, v));
        own.extend(screen);
        enemy.extend(beyond);
    }
    for part in piece.parts.iter().filter(|p| p.mode == Mode::CaptureOnly) {
        if let (Way::Leap(v), true) = (part.way, enemy.is_empty()) {
            enemy.extend(step(from, v));
        }
    }
    let name = |square: Square| variant.frame().name(square).to_string();
    Some(Example {
        letter: piece.letter.to_string(),
        from: name(from),
        own: own.into_iter().map(name).collect(),
        enemy: enemy.into_iter().map(name).collect(),
    })
}

/// The direction in which a hopper is shown: forward if it can.
fn hop(parts: &[Part]) -> Option<Vector> {
    let hops = parts.iter().filter_map(|part| match part.way {
        Way::Ride {
            step, hop: true, ..
        } => Some(step),
        _ => None,
    });
    hops.max_by_key(|v| (v.1, v.0))
}

/// Where the piece shows most: at home for what depends on it, else near the middle.
fn place(variant: &Variant, kind: Kind) -> Option<Square> {
    let rules = variant.rules();
    if let Some(traverse) = &rules.traverse
        && (kind == traverse.piece || kind == traverse.becomes)
    {
        let castle = &traverse.castle[Side::White.index()];
        let castling = rules.castling.as_ref();
        let home = castling.and_then(|c| c.home(Side::White));
        let home = home.filter(|home| castle.contains(home));
        return home.or(castle.first().copied());
    }
    let frame = variant.frame();
    let middle_file = (f64::from(frame.files()) - 1.0) / 2.0;
    // A rank below the middle, where a forward move has more room.
    let mut middle_rank = ((f64::from(frame.ranks()) - 1.0) / 2.0).floor();
    let mut own = rules.initial.iter().filter(|i| i.pieces.contains(&kind));
    let all: Vec<Square> = match own.next() {
        Some(initial) => {
            let home = initial.squares[Side::White.index()].clone();
            middle_rank = home.first().map_or(middle_rank, |&s| frame.rank(s).into());
            home
        }
        _ => frame.squares().collect(),
    };
    let far = |s: &Square| {
        let dx = f64::from(frame.file(*s)) - middle_file + 0.1;
        let dy = f64::from(frame.rank(*s)) - middle_rank;
        dx * dx + dy * dy
    };
    all.into_iter().min_by(|a, b| far(a).total_cmp(&far(b)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether the piece captures in its example, and whether it jumps.
    fn shown(variant: &Variant, kind: Kind) -> (bool, bool) {
        let Some(example) = of(variant, kind) else {
            return (false, false);
        };
        let on = |s: Square| variant.frame().name(s).to_string();
        let from = variant.frame().parse(&example.from);
        let targets = from.map(|from| {
            variant.targets(Side::White, kind, from, |s| {
                let own = example.own.contains(&on(s)).then_some(Side::White);
                own.or(example.enemy.contains(&on(s)).then_some(Side::Black))
            })
        });
        let targets = targets.unwrap_or_default();
        assert!(!targets.is_empty(), "{} {example:?}", variant.id());
        (
            targets.iter().any(|t| t.capture),
            targets.iter().any(|t| t.over.is_some()),
        )
    }

    #[test]
    fn every_piece_shows_what_it_can() {
        for variant in games::ids().filter_map(games::variant) {
            for kind in variant.kinds() {
                let piece = variant.piece(kind);
                let (captures, jumps) = shown(&variant, kind);
                let hops = hop(&piece.parts).is_some();
                assert_eq!(jumps, hops, "{} {}", variant.id(), piece.name);
                assert_eq!(
                    captures,
                    hops || piece.pawn,
                    "{} {}",
                    variant.id(),
                    piece.name
                );
            }
        }
    }
}
