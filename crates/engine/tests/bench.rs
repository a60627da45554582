//! The search visits exactly the positions that it is known to visit: a change to that must be deliberate,
//! measured (docs/engine-record.md) and entered here as the new number.

use husun_engine::{BENCH_DEPTH, bench};

/// Positions visited by `husun bench`.
const NODES: u64 = 195_971;

#[test]
fn the_search_is_the_one_that_was_measured() {
    let games: Vec<_> = games::ids().filter_map(games::variant).collect();
    let mut told = Vec::new();
    let all = bench(&games, BENCH_DEPTH, &mut |game, bench| {
        told.push(format!("{} {}", game.id(), bench.nodes));
    });
    assert_eq!(all.nodes, NODES, "{told:?}");
}
