//! The program `husun`: reads the command line and calls the subcommand's module.

mod admin;
mod analyse;
mod backup;
mod bench;
mod bot;
mod catalogue;
mod contest;
mod datagen;
mod inspect;
mod learn;
mod list;
mod markdown;
mod nodes;
mod perft;
mod pgn;
mod piece;
mod play;
mod progress;
mod puzzles;
mod rules;
mod serve;
mod show;

mod start;
mod tablebase;
mod tables;
mod term;
mod train;
mod tui;
mod tune;
mod uci;
mod whole;
mod work;
mod xboard;

use anyhow::Result;
use clap::{CommandFactory, Parser, Subcommand};
use server::ServeError;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

/// Returns some memory to the system after a server's games have left it; docs/server.md has figures.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const EXIT_CODES: &str = "\
Exit codes: 0 if all went well; 1 if `husun pgn` or `husun analyse --annotate` found a game \
that cannot be read or played; \
2 if the command could not be carried out (bad arguments, an unknown game, a position or a file \
that cannot be read).";

/// Citadel chess, Citadelir, Citadel, TigerSquares and their ancestors: rules, play, analysis.
#[derive(Parser)]
#[command(name = "husun", version, after_help = EXIT_CODES, max_term_width = 100)]
struct Args {
    /// Read a game of your own from a file; its id is then known everywhere. May be repeated
    #[arg(long, value_name = "FILE", global = true)]
    game_file: Vec<PathBuf>,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
enum Command {
    Games(list::Options),
    Rules(rules::Options),
    Learn(learn::Options),
    Show(show::Options),
    Piece(piece::Options),
    Play(Box<play::Options>),
    Analyse(Box<analyse::Options>),
    Perft(perft::Options),
    Bench(bench::Options),
    Tune(tune::Options),
    Datagen(datagen::Options),
    Train(train::Options),
    Tablebase(tablebase::Options),
    Puzzles(puzzles::Options),
    Pgn(pgn::Options),
    Match(Box<contest::Options>),
    Serve(serve::Options),
    Bot(Box<bot::Options>),
    Work(work::Options),
    Admin(admin::Options),
    Nodes(nodes::Options),
    Backup(backup::BackupOptions),
    Restore(backup::RestoreOptions),
    /// Print the OpenAPI description of the server, for generating clients
    Openapi,
    Uci(uci::Options),
    Xboard(xboard::Options),
    /// Answer JSON lines about positions: {"variant":..,"fen":..} in, moves and status out
    Inspect,
}

fn main() -> ExitCode {
    match run(Args::parse()) {
        Ok(code) => code,
        Err(error) if term::is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            // Nobody is left to tell if this fails.
            let _ = writeln!(std::io::stderr(), "husun: {error:#}");
            match error.downcast_ref() {
                Some(ServeError::Replaced(_)) => ExitCode::from(serve::REPLACED),
                _ => ExitCode::from(2),
            }
        }
    }
}

fn run(args: Args) -> Result<ExitCode> {
    let games = catalogue::load(&args.game_file)?;
    let done = match args.command {
        Some(Command::Games(options)) => list::run(&games, &options),
        Some(Command::Rules(options)) => rules::run(&games, &options),
        Some(Command::Learn(options)) => learn::run(&games, &options),
        Some(Command::Show(options)) => show::run(&games, &options),
        Some(Command::Piece(options)) => piece::run(&games, &options),
        Some(Command::Play(options)) => play::run(&games, &options),
        Some(Command::Analyse(options)) => return analyse::run(&games, &options),
        Some(Command::Bench(options)) => bench::run(&games, &options),
        Some(Command::Tune(options)) => tune::run(&games, &options),
        Some(Command::Datagen(options)) => datagen::run(&games, &options),
        Some(Command::Train(options)) => train::run(&games, &options),
        Some(Command::Tablebase(options)) => tablebase::run(&games, &options),
        Some(Command::Puzzles(options)) => puzzles::run(&games, &options),
        Some(Command::Perft(options)) => perft::run(&games, &options),
        Some(Command::Pgn(options)) => return pgn::run(&games, &options),
        Some(Command::Match(options)) => contest::run(&games, &options, &args.game_file),
        Some(Command::Serve(options)) => serve::run(&options, games),
        Some(Command::Bot(options)) => bot::run(games, &options, &args.game_file),
        Some(Command::Work(options)) => work::run(games, &options),
        Some(Command::Admin(options)) => admin::run(&options),
        Some(Command::Nodes(options)) => nodes::run(&options),
        Some(Command::Backup(options)) => backup::backup(&options),
        Some(Command::Restore(options)) => backup::restore(&options),
        Some(Command::Openapi) => serve::describe(),
        Some(Command::Uci(options)) => uci::run(games, &options),
        Some(Command::Xboard(options)) => xboard::run(games, &options),
        Some(Command::Inspect) => inspect::run(&games),
        None if play::at_terminal() => play::menu(&games),
        None => Ok(write!(
            std::io::stdout(),
            "{}",
            Args::command().render_help()
        )?),
    };
    done.map(|()| ExitCode::SUCCESS)
}
