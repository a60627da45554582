//! `husun datagen`: games against itself make the positions that a network is trained on (`docs/networks.md`), or values are
//! fitted to (`docs/tuning.md`).

use crate::progress::Progress;
use anyhow::{Context, Result};
use clap::Args;
use games::Catalogue;
use std::io::Write;
use std::ops::ControlFlow;
use std::path::PathBuf;
use training::data::{Openings, Settings};
use training::datagen::{self, Wanted};

/// Mebibytes of each engine's table, which every game empties: a few positions a move need no more.
const HASH: usize = 2;

/// Play games against itself and keep their positions, to train a network on or fit values to
///
/// The file is added to: the same command goes on where it was interrupted, and with more positions from there, while the same
/// values and network judge them.
#[derive(Args)]
pub struct Options {
    /// Id of the game
    game: String,
    /// The file of positions; if not given, ID.positions
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// How many positions the file shall have
    #[arg(long, value_name = "N", default_value_t = 200_000, value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    positions: u64,
    /// About how many positions are visited for each move: the depth that exceeds it is completed
    #[arg(long, default_value_t = 500, value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    nodes: u64,
    /// Half-moves of random moves before a game: a number, the fewest and the most, or two such ranges for half of the games each; up
    /// to three more are made
    #[arg(long, value_name = "PLIES", default_value = "2-8,8-60")]
    opening: Openings,
    /// Seed of the games
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Threads
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: u16,
    /// Let the game's values judge positions even if it has a network
    #[arg(long)]
    no_network: bool,
}

/// Plays and tells how far it is.
pub fn run(games: &Catalogue, options: &Options) -> Result<()> {
    let variant = games.game(&options.game)?;
    let path = options.out.clone();
    let path = path.unwrap_or_else(|| format!("{}.positions", variant.id()).into());
    let wanted = Wanted {
        settings: Settings {
            nodes: options.nodes,
            opening: options.opening,
            seed: options.seed,
        },
        positions: options.positions,
        threads: options.threads.into(),
    };
    let ready = engine::Options {
        hash: HASH,
        network: !options.no_network,
        ..engine::Options::default()
    };
    let maker = || crate::catalogue::engine(games, &variant, ready.clone());
    let mut progress = Progress::new(variant.id(), "positions", options.positions, 0);
    let made = datagen::run(&path, &variant, wanted, maker, &mut |positions| {
        progress.reach(positions.min(options.positions), String::new());
        ControlFlow::Continue(())
    });
    progress.finish();
    let made = made.with_context(|| path.display().to_string())?;
    writeln!(
        std::io::stdout(),
        "{}: {} positions of {} games",
        path.display(),
        made.positions,
        made.games.len()
    )?;
    Ok(())
}
