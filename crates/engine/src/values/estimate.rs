//! Values estimated from a game's data: what the moves of each kind reach on sampled boards.

use super::{Places, Terms, Values, Weights};
use crate::pair::{Pair, pair};
use crate::random::Random;
use husun::set::Set;
use husun::tables::Tables;
use husun::{Kind, Side, Variant, VisitTables};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Asks for [`mobilities`] at the game's width.
struct Mobilities<'a>(&'a Variant);

impl VisitTables for Mobilities<'_> {
    type Output = Vec<Mobility>;

    fn visit<S: Set>(self, tables: &Arc<Tables<S>>) -> Vec<Mobility> {
        mobilities(self.0, tables)
    }
}

/// Piece values from the moves that each kind has on the game's board, averaged over squares and over boards
/// from nearly empty to half full, and the built-in features.
pub fn estimate(variant: &Variant) -> Values {
    let mobilities = variant.visit(Mobilities(variant));
    let mut pieces = BTreeMap::new();
    let (mut weights, mut places) = (BTreeMap::new(), BTreeMap::new());
    for kind in variant.kinds() {
        let piece = variant.piece(kind);
        let value = if piece.pawn {
            pair(85, 110)
        } else {
            worth(&mobilities[kind.index()])
        };
        pieces.insert(piece.letter.to_string(), value);
        if !piece.pawn && !piece.royal {
            weights.insert(piece.letter.to_string(), Weights::default());
        }
        places.insert(piece.letter.to_string(), Places::none(variant));
    }
    Values {
        terms: Terms::default(),
        pieces,
        weights,
        passed: Places::none(variant),
        places,
    }
}

/// Densities of the sampled boards in hundredths, with the weight of each early and late in the game.
const DENSITIES: [(u64, f64, f64); 4] = [
    (10, 0.2, 1.5),
    (20, 0.8, 1.0),
    (32, 1.0, 0.6),
    (45, 1.0, 0.2),
];
const SAMPLES: usize = 10;

/// Average numbers of targets of a kind.
#[derive(Clone, Debug, Default)]
pub(crate) struct Mobility {
    /// By density.
    pub targets: [f64; DENSITIES.len()],
    /// By square: average over densities.
    pub squares: Vec<f64>,
    /// Share of the targets that are next to the piece.
    pub near: f64,
    /// Whether it never leaves the squares of one colour.
    pub one_colour: bool,
}

/// The value of a piece by its mobility: a power of it, as sliders and strong pieces gain more than in
/// proportion (their threats add up), less if most targets are close.
fn worth(mobility: &Mobility) -> Pair {
    let of = |weights: fn(&(u64, f64, f64)) -> f64| {
        let total: f64 = DENSITIES.iter().map(weights).sum();
        let targets = DENSITIES.iter().zip(&mobility.targets);
        let mean: f64 = targets.map(|(d, t)| weights(d) * t).sum::<f64>() / total;
        // Pieces of short steps take long to matter.
        let speed = 1.0 - 0.25 * mobility.near;
        let bound = if mobility.one_colour { 0.96 } else { 1.0 };
        48.0 * (mean * speed * bound).powf(1.25)
    };
    pair(of(|d| d.1).round() as i32, of(|d| d.2).round() as i32)
}

/// The mobility of every kind of the game, from a fixed sample of boards.
pub(crate) fn mobilities<S: Set>(variant: &Variant, t: &Tables<S>) -> Vec<Mobility> {
    let n = t.square_count();
    let mut random = Random::new(0x6d6f_6269_6c65);
    let mut boards = Vec::new();
    for &(density, ..) in &DENSITIES {
        for _ in 0..SAMPLES {
            let (mut own, mut enemy) = (S::EMPTY, S::EMPTY);
            for square in t.board().iter() {
                match random.below(200) {
                    x if x < density => own |= S::bit(square),
                    x if x < 2 * density => enemy |= S::bit(square),
                    _ => {}
                }
            }
            boards.push((own, enemy));
        }
    }
    let frame = variant.frame();
    let places: Vec<(i32, i32)> = frame
        .squares()
        .map(|s| (i32::from(frame.file(s)), i32::from(frame.rank(s))))
        .collect();
    let of = |kind: Kind| {
        let mut m = Mobility {
            squares: vec![0.0; n],
            one_colour: true,
            ..Mobility::default()
        };
        let (mut near, mut all) = (0.0, 0.0);
        for (i, &(own, enemy)) in boards.iter().enumerate() {
            for square in t.board().iter() {
                let from = square.index();
                let bit = S::bit(square);
                let targets = t.piece_targets(
                    Side::White,
                    kind,
                    square,
                    own.without(bit),
                    enemy.without(bit),
                );
                let count = f64::from(targets.count());
                m.targets[i / SAMPLES] += count / (n * SAMPLES) as f64;
                m.squares[from] += count / boards.len() as f64;
                for to in targets.iter() {
                    let ((x, y), (a, b)) = (places[from], places[usize::from(to)]);
                    near += f64::from(u8::from((x - a).abs().max((y - b).abs()) == 1));
                    all += 1.0;
                    m.one_colour &= (x + y + a + b) % 2 == 0;
                }
            }
        }
        m.near = if all > 0.0 { near / all } else { 0.0 };
        m
    };
    variant.kinds().map(of).collect()
}
