//! The cost of a search stays within bounds when much hangs.

use husun_engine::{Engine, Limits, Options};
use std::sync::atomic::AtomicBool;

/// From random play: without a bound to quiescence the first iteration visited 3.3 million positions.
#[test]
fn captures_without_end_end() {
    let game = games::variant("citadelir2020-played").unwrap();
    let position = game
        .position(
            "1r1d1H5r/2hsc1vks1m1/1nb2q1ci1n1/p1p2pp2ppp/2ppabp1vp2/1p5Pp3/PP1P1p3o2/2P2P1mPh1N/2P1PPP2PPP/\
             1NBA1QK1IB2/1M1S1VVCS1O1/2HDC4R1R w - - 9 28",
        )
        .unwrap();
    let mut engine = Engine::new(game, Options::default());
    let stop = AtomicBool::new(false);
    let found = engine.search(&position, &[], &Limits::depth(1), &stop, &mut |_| {});
    assert_eq!(found.depth, 1);
    assert!(found.nodes < 100_000, "{} positions", found.nodes);
}
