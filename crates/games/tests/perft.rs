//! Perft figures: those of two independent reference programs (perft.csv), up to a limit of nodes, and all public ones
//! for the well-known games (public.csv).

use std::error::Error;

const FIGURES: &str = include_str!("data/perft.csv");
const PUBLIC: &str = include_str!("data/public.csv");
/// Nodes up to which a reference figure is computed; HUSUN_PERFT_LIMIT sets another limit.
const LIMIT: u64 = 20_000_000;

/// Compares all figures up to the limit and returns how many there were.
fn compare(figures: &str, limit: u64) -> Result<usize, Box<dyn Error>> {
    let mut wrong = Vec::new();
    let mut done = 0;
    for line in figures.lines().skip(1) {
        let fields: Vec<&str> = line.split('"').collect();
        let [variant, fen, rest] = fields[..] else {
            return Err(format!("not a row: {line}").into());
        };
        let mut rest = rest.trim_start_matches(',').split(',');
        let depth: u32 = rest.next().unwrap_or_default().parse()?;
        let nodes: u64 = rest.next().unwrap_or_default().parse()?;
        if nodes > limit {
            continue;
        }
        let id = variant.trim_end_matches(',');
        let game = husun_games::variant(id).ok_or("no such game")?;
        let found = game.position(fen)?.perft(depth);
        done += 1;
        if found != nodes {
            wrong.push(format!(
                "{id} {fen} depth {depth}: {found}, expected {nodes}"
            ));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {done} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    Ok(done)
}

#[test]
fn reference_programs() -> Result<(), Box<dyn Error>> {
    let limit = match std::env::var("HUSUN_PERFT_LIMIT") {
        Ok(text) => text.parse()?,
        Err(_) => LIMIT,
    };
    let done = compare(FIGURES, limit)?;
    assert!(done > 500, "only {done} figures");
    Ok(())
}

#[test]
fn public_figures() -> Result<(), Box<dyn Error>> {
    assert_eq!(compare(PUBLIC, u64::MAX)?, 9);
    Ok(())
}
