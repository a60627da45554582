//! Positions that only a special rule decides, and simple mates: the search finds the move and tells
//! the exact distance.

use engine::{Engine, Level, Limits, Options, Score, values};
use std::error::Error;
use std::sync::atomic::AtomicBool;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn solve(id: &str, fen: &str, depth: u32, options: Options) -> Result<(String, Score, bool)> {
    let game = games::variant(id).ok_or("no such game")?;
    let position = game.position(fen)?;
    let mut engine = Engine::new(game, options);
    let stop = AtomicBool::new(false);
    let found = engine.search(&position, &[], &Limits::depth(depth), &stop, &mut |_| {});
    let best = found.best.map(|m| position.uci(m).to_string());
    Ok((best.unwrap_or_default(), found.score, found.accept))
}

const POSITIONS: &[(&str, &str, u32, &str, Score)] = &[
    // A queen mates.
    (
        "chess",
        "7k/8/5K2/6Q1/8/8/8/8 w - - 0 1",
        5,
        "g5g7",
        Score::Mate(1),
    ),
    // Baring the king wins although a piece more is all there is.
    (
        "shatranj",
        "7k/8/8/8/8/2n5/8/K1R5 w - - 0 1",
        4,
        "c1c3",
        Score::Mate(1),
    ),
    // Stalemate wins.
    (
        "alhusun",
        "1**********1/*3k6*/*10*/*3K6*/*7N2*/*10*/*10*/*2R7*/*10*/*10*/*10*/1**********1 w - - 0 1",
        4,
        "",
        Score::Mate(1),
    ),
    // A king beside an opposite citadel draws a lost game.
    (
        "alhusun",
        "1**********1/*K9*/*10*/*10*/*10*/*4k5*/*10*/*10*/*10*/*3r6*/*rr8*/1**********1 w - - 0 1",
        4,
        "b11a12",
        Score::Cp(0),
    ),
];

#[test]
fn special_rules() -> Result<()> {
    for &(id, fen, depth, best, score) in POSITIONS {
        let (found, value, _) = solve(id, fen, depth, Options::default())?;
        println!("{id} {fen}: {found} {value}");
        assert!(best.is_empty() || found == best, "{id} {fen}: {found}");
        assert_eq!(value, score, "{id} {fen}");
    }
    Ok(())
}

#[test]
fn every_level_mates_in_one() -> Result<()> {
    for level in Level::all() {
        for seed in 0..5 {
            let options = Options {
                level,
                seed,
                ..Options::default()
            };
            let fen = "6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1";
            let (best, ..) = solve("chess", fen, 20, options)?;
            assert_eq!(best, "a1a8", "level {}", level.number());
        }
    }
    Ok(())
}

/// The values printed on the 2020 page (`rules/citadelir.md`).
const PRINTED: [(&str, f64); 16] = [
    ("P", 1.0),
    ("L", 1.5),
    ("M", 2.5),
    ("V", 3.0),
    ("E", 3.0),
    ("N", 3.0),
    ("C", 3.5),
    ("S", 4.0),
    ("B", 4.0),
    ("H", 4.0),
    ("R", 5.5),
    ("I", 6.0),
    ("A", 7.5),
    ("D", 7.5),
    ("O", 9.5),
    ("Q", 11.0),
];

#[test]
fn estimates_agree_with_the_printed_values() -> Result<()> {
    let game = games::variant("citadelir2020").ok_or("no such game")?;
    let values = values::estimate(&game);
    let pairs: Vec<(f64, f64)> = PRINTED
        .iter()
        .map(|(letter, printed)| (f64::from(values.pieces[*letter].mg) / 100.0, *printed))
        .collect();
    for ((letter, _), (ours, printed)) in PRINTED.iter().zip(&pairs) {
        println!("{letter} {ours:.2} printed {printed}");
    }
    let n = pairs.len() as f64;
    let mean = |f: fn(&(f64, f64)) -> f64| pairs.iter().map(f).sum::<f64>() / n;
    let (a, b) = (mean(|p| p.0), mean(|p| p.1));
    let sum =
        |f: &dyn Fn(f64, f64) -> f64| -> f64 { pairs.iter().map(|p| f(p.0 - a, p.1 - b)).sum() };
    let correlation = sum(&|x, y| x * y) / (sum(&|x, _| x * x) * sum(&|_, y| y * y)).sqrt();
    println!("correlation {correlation:.3}");
    assert!(correlation > 0.9, "{correlation}");
    Ok(())
}
