//! The evaluation: White's view of a position is Black's of the reflected one, and every value counts somewhere.

use super::positions::reflected;
use super::{Result, all_games, random_positions};
use crate::engine::{Engine, Options};
use crate::values::{Values, estimate};
use husun::{Side, Variant};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Whether both sides may promote to the same: what was captured depends on what the set-up had.
fn promotes_alike(variant: &Variant) -> bool {
    let captured = variant.rules().promotion.iter().flat_map(|p| &p.captured);
    captured.copied().all(|kind| {
        let [white, black] = Side::ALL.map(|side| variant.setup_count(side, kind));
        white == black
    })
}

fn engines(game: &Arc<Variant>) -> [Engine; 2] {
    let tuned = games::values(game.id());
    [None, tuned].map(|values| Engine::tuned(game.clone(), values, None, Options::default()))
}

#[test]
fn colours_are_judged_alike() -> Result<()> {
    let mut games = 0;
    for game in all_games().filter(|game| promotes_alike(game)) {
        games += 1;
        let positions = random_positions(&game, 60, 120);
        for engine in engines(&game) {
            for position in &positions {
                let mirror = reflected(position)?;
                let here = engine.evaluate(position).ok_or("not judged")?;
                let there = engine.evaluate(&mirror).ok_or("not judged")?;
                let told = format!("{}: {} and {}", game.id(), position.fen(), mirror.fen());
                assert_eq!(here.total, there.total, "{told}");
                let [here, there] = [here, there].map(|found| found.parts.unwrap_or_default());
                assert_eq!(here.phase, there.phase, "{told}");
                assert_eq!(here.squares, there.squares * -1, "{told}");
                assert_eq!(here.sides, [there.sides[1], there.sides[0]], "{told}");
            }
        }
    }
    assert!(games >= 12, "{games} games");
    Ok(())
}

/// Positions that random play seldom reaches: a side has little more than its royal piece, where that loses; only
/// one side has a second royal piece.
const RARE: [(&str, &str); 2] = [
    ("shatranj", "7k/8/8/8/8/2n5/8/K1R5 w - - 0 1"),
    ("citadel8", "9/9/2p6/3p5/4K4/9/9/Y7k w - - - 0 1"),
];

#[test]
fn every_term_counts_somewhere() -> Result<()> {
    let mut silent: BTreeSet<(String, usize)> = BTreeSet::new();
    let numbers = |values: &Values| {
        let mut keys = Vec::new();
        values
            .clone()
            .each(&mut |key, _| keys.push(key.to_string()));
        keys
    };
    let wanted = |key: &str| key.starts_with("terms.");
    let mut heard = BTreeSet::new();
    for game in all_games() {
        let mut positions = random_positions(&game, 25, 120);
        for (_, fen) in RARE.iter().filter(|(id, _)| *id == game.id()) {
            positions.push(game.position(fen)?);
        }
        let values = estimate(&game);
        let judged = |values: Values| -> Vec<_> {
            let engine = Engine::with_values(game.clone(), values, Options::default());
            positions.iter().map(|p| engine.evaluate(p)).collect()
        };
        let usual = judged(values.clone());
        for (n, key) in numbers(&values).into_iter().enumerate() {
            let number = (key, n);
            if !wanted(&number.0) || heard.contains(&number) {
                continue;
            }
            let (mut changed, mut i) = (values.clone(), 0);
            changed.each(&mut |_, value| {
                *value += if i == n { 150 } else { 0 };
                i += 1;
            });
            if judged(changed) == usual {
                silent.insert(number);
            } else {
                silent.remove(&number);
                heard.insert(number);
            }
        }
    }
    assert!(silent.is_empty(), "no evaluation reads {silent:?}");
    // Both numbers of each pair, and the single ones.
    assert_eq!(heard.len(), 2 * 22 + 3);
    Ok(())
}
