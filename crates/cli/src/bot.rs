//! `husun bot`: an engine plays on a server, over the interface that docs/bots.md describes.

mod clock;
mod engine;
mod game;
mod link;
mod lobby;
mod rules;

use anyhow::{Context, Result, ensure};
use clap::Args;
use engine::{Engine, EngineOptions};
use game::Table;
use games::Catalogue;
use husun::clock::TimeControl;
use link::{Link, token_of};
use lobby::Lobby;
use rules::Rules;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

/// Play on a server as a bot, with this program's engine or one that speaks UCI
///
/// The account must be marked as a program's on its page, which also shows the token. Challenges are accepted by the
/// rules given here and declined with a reason; games under way are resumed after a start, a network failure or a
/// restart of the server. Ctrl+C ends the bot when the games at the board are over; pressing it again ends it at once.
#[derive(Args)]
pub struct Options {
    /// Address of the server, such as https://play.example.org
    #[arg(long, value_name = "URL")]
    server: String,
    /// File that contains only the token
    #[arg(long, value_name = "FILE")]
    token: PathBuf,
    #[command(flatten)]
    engine: EngineOptions,
    #[command(flatten)]
    rules: Rules,
    /// Games at the same time
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=24))]
    at_once: u16,
    #[command(flatten)]
    own: Own,
    /// Leave games at the board as they are when the bot ends; they are resumed at the next start
    #[arg(long)]
    leave: bool,
}

/// Games that the bot starts itself.
#[derive(Args, Clone)]
pub struct Own {
    /// Clock for the bot's own offers, such as fischer:5m+3s; may be repeated
    #[arg(long, value_name = "CLOCK")]
    clock: Vec<TimeControl>,
    /// Wait in the lobby with an offer of these clocks whenever there is room for a game
    #[arg(long, requires = "clock")]
    seek: bool,
    /// Play against this level of the server's engine, one game after another, with sides in turn
    #[arg(long, value_name = "1-8", requires_all = ["clock", "game"], value_parser = clap::value_parser!(u8).range(1..=8))]
    level: Option<u8>,
    /// End after this many games
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    count: Option<u32>,
}

/// Tells the user what happens, in plain words.
fn say(text: &str) {
    // Nobody is left to tell if this fails.
    let _ = writeln!(std::io::stderr(), "{text}");
}

/// Plays until told to end.
pub fn run(games: Catalogue, options: &Options, files: &[PathBuf]) -> Result<()> {
    let slow = |clock: &TimeControl| matches!(clock, TimeControl::Correspondence { .. });
    let clocks = &options.own.clock;
    ensure!(
        clocks.iter().all(slow) || !clocks.iter().any(slow),
        "--clock: days for a move and a clock for the board are two offers; run two bots, or offer one of them"
    );
    let link = Link::new(&options.server, &token_of(&options.token)?)?;
    let engine = Engine::find(&options.engine, files)?;
    for id in &options.rules.game {
        games.game(id)?;
        ensure!(
            engine.plays(id),
            "the engine {} does not play `{id}`",
            engine.name()
        );
    }
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .context("the threads cannot be started")?;
    let table = Arc::new(Table {
        link,
        engine: Arc::new(engine),
        games,
    });
    let lobby = Lobby::new(
        table,
        options.rules.clone(),
        options.own.clone(),
        options.at_once.into(),
        options.leave,
    );
    let ended = runtime.block_on(lobby.run());
    // Engines that are still thinking end with the process.
    runtime.shutdown_background();
    ended
}
