//! Several threads give what one gives: every requested depth, no other, and the right move.

use husun_engine::{Engine, Limits, Options, Score};
use std::sync::atomic::AtomicBool;

const DEPTH: u32 = 7;

fn engine(game: &str, threads: usize) -> Engine {
    let options = Options {
        threads,
        ..Options::default()
    };
    Engine::new(games::variant(game).unwrap(), options)
}

#[test]
fn depths_rise_to_the_one_asked_for() {
    for game in ["chess", "strike80", "citadelir2024", "alhusun"] {
        for threads in [1, 2, 3, 5] {
            let mut engine = engine(game, threads);
            let start = engine.variant().start();
            for round in 0..4 {
                let mut depths = Vec::new();
                let mut nodes = Vec::new();
                let found = engine.search(
                    &start,
                    &[],
                    &Limits::depth(DEPTH),
                    &AtomicBool::new(false),
                    &mut |info| {
                        depths.push(info.depth);
                        nodes.push(info.nodes);
                        assert!(!info.pv.is_empty());
                    },
                );
                let here = format!("{game}, {threads} threads, round {round}: {depths:?}");
                assert!(depths.is_sorted_by(|a, b| a < b), "{here}");
                assert!(nodes.is_sorted(), "{here}: {nodes:?}");
                assert_eq!(depths.last(), Some(&DEPTH), "{here}");
                assert_eq!(found.depth, DEPTH, "{here}");
                assert!(start.legal_moves().contains(&found.best.unwrap()), "{here}");
            }
        }
    }
}

#[test]
fn each_line_has_a_move_of_its_own() {
    let mut engine = engine("capablanca", 2);
    engine.set_options(Options {
        lines: 3,
        ..engine.options().clone()
    });
    let start = engine.variant().start();
    let mut first = Vec::new();
    let stop = AtomicBool::new(false);
    engine.search(&start, &[], &Limits::depth(DEPTH), &stop, &mut |info| {
        if info.line == 1 {
            first.clear();
        }
        assert!(!first.contains(&info.pv[0]), "line {}", info.line);
        first.push(info.pv[0]);
    });
    assert_eq!(first.len(), 3);
}

#[test]
fn a_mate_is_as_near() {
    for threads in [2, 4] {
        let mut engine = engine("chess", threads);
        // White mates in two: 1.Kb6 Kb8 2.Rd8.
        let position = engine.variant().position("k7/8/2K5/8/8/8/8/3R4 w - - 0 1");
        let position = position.unwrap();
        let stop = AtomicBool::new(false);
        let found = engine.search(&position, &[], &Limits::depth(8), &stop, &mut |_| {});
        assert_eq!(found.score, Score::Mate(2), "{threads} threads");
    }
}

#[test]
fn what_is_prepared_is_searched_alike() {
    let search = |prepared: bool| {
        let mut engine = engine("citadel8", 1);
        if prepared {
            engine.prepare();
        }
        let start = engine.variant().start();
        let stop = AtomicBool::new(false);
        let mut found = engine.search(&start, &[], &Limits::depth(DEPTH), &stop, &mut |_| {});
        if prepared {
            // It loses no memory of earlier searches.
            engine.prepare();
        }
        let again = engine.search(&start, &[], &Limits::depth(DEPTH), &stop, &mut |_| {});
        found.nodes += again.nodes;
        found
    };
    assert_eq!(search(false), search(true));
}
