//! Forced wins found by exhaustive search (`examples/mates.rs`): the engine finds each with its exact distance.
//! Those of more than two moves run only with `HUSUN_MATES=all`, best with `--release`.

use husun_engine::{Engine, Limits, Options, Score};
use std::error::Error;
use std::sync::atomic::AtomicBool;

const ROWS: &str = include_str!("data/mates.csv");

#[test]
fn exact_distances() -> Result<(), Box<dyn Error>> {
    let longest = if std::env::var_os("HUSUN_MATES").is_some() {
        4
    } else {
        2
    };
    let mut wrong = Vec::new();
    let mut done = 0;
    for row in ROWS.lines().skip(1) {
        let fields: Vec<&str> = row.split('"').collect();
        let [id, fen, moves] = fields[..] else {
            return Err(format!("not a row: {row}").into());
        };
        let moves: i32 = moves.trim_start_matches(',').parse()?;
        if moves > longest {
            continue;
        }
        let game = games::variant(id.trim_end_matches(',')).ok_or("no such game")?;
        let position = game.position(fen)?;
        let mut engine = Engine::new(game, Options::default());
        let stop = AtomicBool::new(false);
        let limits = Limits {
            mate: Some(moves as u32),
            nodes: Some(5_000_000),
            ..Limits::default()
        };
        let found = engine.search(&position, &[], &limits, &stop, &mut |_| {});
        done += 1;
        if found.score != Score::Mate(moves) {
            wrong.push(format!("{row}: {} at depth {}", found.score, found.depth));
        }
    }
    let n = wrong.len();
    assert!(n == 0, "{n} of {done} wrong:\n{}", wrong.join("\n"));
    Ok(())
}
