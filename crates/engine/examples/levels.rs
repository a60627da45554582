//! How strong the levels are: `levels PAIRS WHO WHO GAME..` plays pairs of games between two of `1` to `8`,
//! `grabber` and `counter`; `levels PAIRS all GAME..` plays the bots against levels 1 and 2, and each level against
//! the one below. A level of full strength visits 100,000 positions a move; `8:N` gives it another number. Progress
//! goes to stderr.

#[path = "../tests/sparring/mod.rs"]
mod sparring;

use husun_engine::Level;
use sparring::contest::{Contest, Player, Tally, Terms};
use std::error::Error;
use std::time::Instant;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Positions a move at full strength.
const FULL: u64 = 100_000;

fn player(text: &str) -> Result<Player> {
    Ok(match text {
        "grabber" => Player::Grabber,
        "counter" => Player::Counter,
        text => {
            let (level, nodes) = match text.split_once(':') {
                Some((level, nodes)) => (level, nodes.parse()?),
                None => (text, FULL),
            };
            let level = Level::new(level.parse()?).ok_or("expected a level from 1 to 8")?;
            Player::Level(level, nodes)
        }
    })
}

fn main() -> Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let usage = "usage: levels PAIRS all GAME.. | levels PAIRS WHO WHO GAME..";
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    let ladder = [
        ["grabber", "1"],
        ["counter", "1"],
        ["counter", "2"],
        ["2", "1"],
        ["3", "2"],
        ["4", "3"],
        ["5", "4"],
        ["6", "5"],
        ["7", "6"],
        ["8", "7"],
    ];
    let (pairs, matches, ids) = match words.as_slice() {
        [pairs, "all", ids @ ..] if !ids.is_empty() => (pairs, ladder.to_vec(), ids),
        [pairs, first, second, ids @ ..] if !ids.is_empty() => {
            (pairs, vec![[*first, *second]], ids)
        }
        _ => return Err(usage.into()),
    };
    let pairs: u64 = pairs.parse()?;
    for id in ids {
        let variant = games::variant(id).ok_or_else(|| format!("no game {id}"))?;
        for names in &matches {
            let players = [player(names[0])?, player(names[1])?];
            let mut contest = Contest::new(&variant, players, Terms::default());
            let (mut tally, since) = (Tally::default(), Instant::now());
            for pair in 0..pairs {
                tally.add(contest.pair(pair));
                eprint!(
                    "\r{id}: {} against {}: {tally}, {} of {} games   ",
                    names[0],
                    names[1],
                    tally.count(),
                    2 * pairs
                );
            }
            eprintln!();
            println!(
                "{id:14} {:>8} - {:8} {tally}  {:.0} s",
                names[0],
                names[1],
                since.elapsed().as_secs_f64()
            );
        }
    }
    Ok(())
}
