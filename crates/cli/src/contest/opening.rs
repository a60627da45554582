//! Balanced openings: random moves from a start, kept if a short search finds neither side much better, or, if the
//! start itself favours a side by more, neither much better than there. The same seed and number give the same
//! opening.

use engine::{Engine, Limits, Options, Random, Score};
use husun::{Game, Move, Position, Side};
use std::sync::atomic::AtomicBool;

/// How many random beginnings are tried before the most even of them is used.
const TRIES: u32 = 100;
/// Positions visited by the judging search.
const NODES: u64 = 8000;

/// How openings are made.
#[derive(Clone, Debug)]
pub struct Openings {
    pub start: Position,
    pub plies: u32,
    /// The most that one side may be ahead, in centipawns.
    pub balance: i32,
    pub seed: u64,
}

/// An opening, and which side it favours.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Opening {
    pub moves: Vec<Move>,
    /// By how much it favours White, in centipawns.
    pub lead: i32,
}

impl Openings {
    /// The opening with a number.
    pub fn get(&self, number: u32) -> Opening {
        let mut random = Random::new(self.seed ^ (u64::from(number) + 1).wrapping_mul(0x9e37_79b9));
        let mut engine = Engine::new(self.start.variant().clone(), Options::default());
        let allowed = self.balance.unsigned_abs();
        // From White's point of view.
        let start = judged(&mut engine, &self.start).unwrap_or(0);
        let even = if start.unsigned_abs() > allowed {
            start
        } else {
            0
        };
        let mut best: Option<(u32, Opening)> = None;
        for _ in 0..TRIES {
            let Some(game) = self.walk(&mut random) else {
                continue;
            };
            let Some(score) = judged(&mut engine, game.position()) else {
                continue;
            };
            let lean = score.abs_diff(even);
            if best.as_ref().is_none_or(|(least, _)| lean < *least) {
                let moves = game.moves().to_vec();
                best = Some((lean, Opening { moves, lead: score }));
            }
            if lean <= allowed {
                break;
            }
        }
        best.map(|(_, opening)| opening).unwrap_or_default()
    }

    /// A random game that has not ended.
    fn walk(&self, random: &mut Random) -> Option<Game> {
        let mut game = Game::new(self.start.clone());
        for _ in 0..self.plies {
            let mut moves = game.position().legal_moves();
            moves.sort();
            let choice = random.below(moves.len().max(1) as u64);
            let m = *moves.get(choice as usize)?;
            game.play(m).ok()?;
        }
        game.outcome().is_none().then_some(game)
    }
}

/// What a short search says about a position, in centipawns for White; none for a forced win.
fn judged(engine: &mut Engine, position: &Position) -> Option<i32> {
    let stop = AtomicBool::new(false);
    engine.clear();
    let found = engine.search(position, &[], &Limits::nodes(NODES), &stop, &mut |_| {});
    let Score::Cp(score) = found.score else {
        return None;
    };
    Some(match position.turn() {
        Side::White => score,
        Side::Black => -score,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_uneven_start_sets_the_measure() {
        // White has two pieces more.
        let start = games::variant("citadelir2020-drawn").unwrap().start();
        let mut engine = Engine::new(start.variant().clone(), Options::default());
        let lead = judged(&mut engine, &start).unwrap();
        let openings = Openings {
            start: start.clone(),
            plies: 6,
            balance: 80,
            seed: 1,
        };
        assert!(lead > openings.balance, "{lead}");
        let opening = openings.get(0);
        assert!((opening.lead - lead).abs() <= 80, "{lead} {opening:?}");
        let mut game = Game::new(start);
        for &m in &opening.moves {
            game.play(m).unwrap();
        }
        let after = judged(&mut engine, game.position()).unwrap();
        assert_eq!(after, opening.lead);
    }

    #[test]
    fn the_same_number_gives_the_same_opening() {
        let openings = Openings {
            start: games::variant("citadel8").unwrap().start(),
            plies: 6,
            balance: 60,
            seed: 7,
        };
        let first = openings.get(0);
        assert_eq!(first.moves.len(), 6);
        assert_eq!(first, openings.get(0));
        assert_ne!(first, openings.get(1));
    }
}
