//! Every figure of perft.csv below a limit of nodes; the rest by `husun perft`.

use std::error::Error;

const FIGURES: &str = include_str!("data/perft.csv");
/// Nodes up to which a figure is computed in this test; all of them with HUSUN_PERFT_LIMIT set higher.
const LIMIT: u64 = 20_000_000;

#[test]
fn figures() -> Result<(), Box<dyn Error>> {
    let limit = match std::env::var("HUSUN_PERFT_LIMIT") {
        Ok(text) => text.parse()?,
        Err(_) => LIMIT,
    };
    let mut wrong = Vec::new();
    let mut done = 0;
    for line in FIGURES.lines().skip(1) {
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
        let game = games::variant(id).ok_or("no such game")?;
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
    assert!(done > 500, "only {done} figures");
    Ok(())
}
