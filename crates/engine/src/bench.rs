//! A fixed amount of work over fixed positions: its number of nodes tells whether the search behaves
//! as before, its time how fast it is.

use crate::engine::{Engine, Options};
use crate::limits::Limits;
use crate::random::Random;
use husun::{Position, Status, Variant};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// Depth of [`bench()`] that programs use.
pub const BENCH_DEPTH: u32 = 7;

/// Plies of random moves that lead from the set-up to the other positions of a game.
const WALKS: [u32; 3] = [12, 30, 60];

/// What a bench has counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bench {
    /// Positions visited; the same in every run of the same program.
    pub nodes: u64,
    /// Time that it took.
    pub time: Duration,
}

/// Searches the set-up of each game, and positions some way into it, to a fixed depth. `report` is called with
/// the figures of each game.
///
/// ```
/// let games = [games::variant("shatranj").unwrap()];
/// let once = husun_engine::bench(&games, 3, &mut |_, _| {});
/// let again = husun_engine::bench(&games, 3, &mut |_, _| {});
/// assert_eq!(once.nodes, again.nodes);
/// ```
pub fn bench(games: &[Arc<Variant>], depth: u32, report: &mut dyn FnMut(&Variant, Bench)) -> Bench {
    let mut all = Bench::default();
    for game in games {
        let mut own = Bench::default();
        for position in positions(game) {
            let mut engine = Engine::new(game.clone(), Options::default());
            let start = Instant::now();
            let stop = AtomicBool::new(false);
            let found = engine.search(&position, &[], &Limits::depth(depth), &stop, &mut |_| {});
            own.nodes += found.nodes;
            own.time += start.elapsed();
        }
        report(game, own);
        all.nodes += own.nodes;
        all.time += own.time;
    }
    all
}

/// The set-up and positions that random moves from a fixed sequence lead to.
fn positions(game: &Arc<Variant>) -> Vec<Position> {
    let mut all = vec![game.start()];
    let mut random = Random::new(0x0062_656e_6368);
    for plies in WALKS {
        let mut position = game.start();
        for _ in 0..plies {
            let mut moves = position.legal_moves();
            moves.sort();
            if moves.is_empty() {
                break;
            }
            let next = position.play_unchecked(moves[random.below(moves.len() as u64) as usize]);
            if next.status() != Status::Ongoing {
                break;
            }
            position = next;
        }
        all.push(position);
    }
    all
}
