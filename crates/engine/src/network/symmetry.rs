//! Whether left and right are alike in a game: the board, the moves of every piece and the squares of every rule.
//! Castling and the start may differ: they tell the two halves apart only as long as rights or pieces stand.

use crate::random::Random;
use husun::frame::Frame;
use husun::variant::{Rules, SideSquares};
use husun::{Side, Square, Variant};

/// Arrangements of blockers that moves are compared on: empty, full, and some that chance makes.
const BLOCKERS: usize = 4;

/// The square reflected left to right, if it exists.
pub(super) fn reflected(frame: &Frame, square: Square) -> Option<Square> {
    let (file, rank) = (frame.file(square), frame.rank(square));
    frame.at(i32::from(frame.files() - 1 - file), i32::from(rank))
}

/// Whether left and right are alike.
pub(super) fn left_right(variant: &Variant) -> bool {
    let frame = variant.frame();
    let turned: Option<Vec<Square>> = frame.squares().map(|s| reflected(frame, s)).collect();
    let Some(turned) = turned else {
        return false;
    };
    squares_are(variant.rules(), &turned) && moves_are(variant, &turned)
}

/// Whether the squares of all rules are.
fn squares_are(rules: &Rules, turned: &[Square]) -> bool {
    let alike = |squares: &[Square]| squares.iter().all(|s| squares.contains(&turned[s.index()]));
    let both = |squares: &SideSquares| squares.iter().all(|own| alike(own));
    let arrivals = |arrivals: &[husun::variant::Arrival]| arrivals.iter().all(|a| both(&a.squares));
    let promotion = rules.promotion.as_ref();
    let castle = rules.traverse.as_ref().map(|t| &t.castle);
    rules.initial.iter().all(|i| both(&i.squares))
        && promotion.is_none_or(|p| both(&p.optional) && both(&p.mandatory))
        && arrivals(&rules.arrivals)
        && arrivals(&rules.prison)
        && castle.is_none_or(both)
        && rules.endings.citadels.as_ref().is_none_or(both)
        && alike(&rules.endings.closed)
}

/// Whether every piece has the same moves, reflected, from a reflected square among reflected blockers.
fn moves_are(variant: &Variant, turned: &[Square]) -> bool {
    let mut random = Random::new(0x6d69_7272_6f72);
    let boards: Vec<Vec<Option<Side>>> = (0..BLOCKERS)
        .map(|i| {
            let one = |_: &Square| match i {
                0 => None,
                1 => Some(Side::Black),
                _ => [None, None, Some(Side::White), Some(Side::Black)][random.below(4) as usize],
            };
            turned.iter().map(one).collect()
        })
        .collect();
    let same = |kind, from: Square, board: &[Option<Side>]| {
        let own = variant.targets(Side::White, kind, from, |s| board[s.index()]);
        let other = variant.targets(Side::White, kind, turned[from.index()], |s| {
            board[turned[s.index()].index()]
        });
        own.len() == other.len()
            && own.iter().all(|a| {
                let to = turned[a.to.index()];
                other
                    .iter()
                    .any(|b| b.to == to && b.capture == a.capture && b.becomes == a.becomes)
            })
    };
    variant.kinds().all(|kind| {
        variant
            .frame()
            .squares()
            .all(|from| boards.iter().all(|board| same(kind, from, board)))
    })
}
