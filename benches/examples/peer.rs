//! A chess library as a program that answers `position fen` and `go perft`, so that one that is built for the
//! processor can be measured beside the same one that is not: see `docs/speed.md`.

#[path = "../src/peers.rs"]
mod peers;

use anyhow::{Context, Result, bail};
use std::io::stdin;

fn main() -> Result<()> {
    let library = std::env::args().nth(1).context("cozy-chess or shakmaty")?;
    let count: fn(&str, u32) -> Result<u64> = match library.as_str() {
        "cozy-chess" => |fen, depth| Ok(peers::cozy(&peers::cozy_board(fen)?, depth)),
        "shakmaty" => |fen, depth| {
            let position = peers::shakmaty_position(fen)?;
            Ok(shakmaty::perft(&position, depth))
        },
        _ => bail!("{library}: `cozy-chess` or `shakmaty` was expected"),
    };
    let mut fen = String::new();
    for line in stdin().lines() {
        let line = line?;
        if let Some(text) = line.strip_prefix("position fen ") {
            fen = text.to_owned();
        } else if let Some(depth) = line.strip_prefix("go perft ") {
            println!("Nodes searched: {}", count(&fen, depth.parse()?)?);
        } else if line == "isready" {
            println!("readyok");
        } else if line == "quit" {
            break;
        }
    }
    Ok(())
}
