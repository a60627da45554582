//! Where pawn-type pieces can ever stand.

use crate::betza::Way;
use crate::definition::{Definition, SideSquares};
use crate::frame::Square;
use crate::piece::Kind;
use crate::side::Side;

/// By kind and side: the squares on which a pawn-type piece can ever stand.
#[derive(Clone, Debug)]
pub(crate) struct PawnSquares(Vec<[Vec<bool>; 2]>);

impl PawnSquares {
    pub fn new(definition: &Definition) -> PawnSquares {
        PawnSquares(pawn_squares(definition))
    }

    /// Whether one of the kind can stand there; true of kinds that are not of pawn type.
    pub fn has(&self, side: Side, kind: Kind, square: Square) -> bool {
        self.0[kind.index()][side.index()][square.index()]
    }
}

/// What their moves and captures reach from the squares of the set-ups, short of those where they must become something
/// else. A kind that no set-up has can stand anywhere: it exists for hand-made positions.
fn pawn_squares(definition: &Definition) -> Vec<[Vec<bool>; 2]> {
    let n = definition.frame().len();
    let mut all = vec![[vec![true; n], vec![true; n]]; definition.pieces().len()];
    for kind in definition.kinds().filter(|&k| definition.piece(k).pawn) {
        for side in Side::ALL {
            let mut todo: Vec<Square> = Vec::new();
            for named in definition.setups() {
                let here = |s: &Square| named.setup.piece_on(*s) == Some((side, kind));
                todo.extend(definition.frame().squares().filter(here));
            }
            if todo.is_empty() {
                continue;
            }
            let mut reached = vec![false; n];
            while let Some(square) = todo.pop() {
                if std::mem::replace(&mut reached[square.index()], true) {
                    continue;
                }
                let next = empty_board_targets(definition, kind, side, square);
                let stays = |s: &Square| !must_change(definition, kind, side, *s);
                todo.extend(next.into_iter().filter(stays));
            }
            all[kind.index()][side.index()] = reached;
        }
    }
    all
}

/// Whether a piece of the kind always becomes another one on arriving there.
fn must_change(definition: &Definition, kind: Kind, side: Side, square: Square) -> bool {
    let within = |squares: &SideSquares| squares[side.index()].contains(&square);
    let promotion = definition.rules().promotion.as_ref();
    definition
        .rules()
        .arrivals
        .iter()
        .any(|a| within(&a.squares))
        || promotion.is_some_and(|p| p.pieces.contains(&kind) && within(&p.mandatory))
}

/// All squares that a piece can go to or capture on from a square of an otherwise empty board.
fn empty_board_targets(
    definition: &Definition,
    kind: Kind,
    side: Side,
    from: Square,
) -> Vec<Square> {
    let frame = definition.frame();
    let north = if side == Side::White { 1 } else { -1 };
    let go = |at: Square, (x, y): (i8, i8)| frame.step(at, i32::from(x), north * i32::from(y));
    let mut targets = Vec::new();
    let ride = |start: Square, step: (i8, i8), max: u8, targets: &mut Vec<Square>| {
        let (mut at, mut steps) = (start, 0);
        while let Some(next) = go(at, step).filter(|_| max == 0 || steps < max) {
            targets.push(next);
            (at, steps) = (next, steps + 1);
        }
    };
    for part in &definition.piece(kind).parts {
        match part.way {
            Way::Leap(v) => targets.extend(go(from, v)),
            Way::Ride { step, max, .. } => ride(from, step, max, &mut targets),
            Way::Bent {
                first, step, max, ..
            } => {
                if let Some(turn) = go(from, first) {
                    targets.push(turn);
                    ride(turn, step, max, &mut targets);
                }
            }
        }
    }
    targets
}
