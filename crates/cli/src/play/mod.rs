//! `husun play`: a game against the computer or between two people, in the terminal interface or line by line. Which
//! of the two, and the settings, are decided here.

pub mod command;
pub mod engine_thread;
pub mod plain;
pub mod store;
pub mod timed_game;

use crate::show::{Colours, Signs};
use crate::start::Start;
use crate::tables::TableOptions;
use crate::tui;
use anyhow::{Context, Result};
use clap::{Args, ValueEnum};
use engine::{Engine, Level};
use games::Catalogue;
use husun::clock::TimeControl;
use husun::record::Record;
use husun::{Position, Side, Variant};
use std::io::IsTerminal;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use timed_game::{Player, TimedGame};

/// Play a game against the computer, or between two people
#[derive(Args)]
pub struct Options {
    /// Id of the game; if not given, a menu in a terminal, otherwise the first built-in game
    game: Option<String>,
    /// Your side
    #[arg(long, value_enum, default_value_t, value_name = "SIDE")]
    side: SideName,
    /// The computer's strength: 1 (a beginner's equal) to 8 (full)
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u8).range(1..=8))]
    level: u8,
    /// Clock: tiger:120m+60s, fischer:5m+3s, delay:5m+2s, byoyomi:10m+5x30s, days:3 or none; without units, minutes
    /// and then seconds, such as 'tiger 120+60'
    #[arg(long, default_value = "none")]
    clock: TimeControl,
    /// Two people play; the computer only gives hints
    #[arg(long)]
    two_players: bool,
    #[command(flatten)]
    start: Start,
    /// Continue the first game of a PGN file
    #[arg(long, value_name = "FILE", conflicts_with_all = ["fen", "setup"])]
    load: Option<PathBuf>,
    /// Play line by line even in a terminal
    #[arg(long)]
    plain: bool,
    /// Signs for the pieces
    #[arg(long, value_enum, default_value_t)]
    signs: Signs,
    /// Colours of the board
    #[arg(long, value_enum, default_value_t)]
    theme: Colours,
    #[command(flatten)]
    tables: TableOptions,
}

/// A side on the command line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum SideName {
    /// White moves first
    #[default]
    #[value(name = "w", alias = "white")]
    White,
    /// Black
    #[value(name = "b", alias = "black")]
    Black,
}

/// Who plays, and with which clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terms {
    /// By side.
    pub players: [Player; 2],
    /// The clock.
    pub control: TimeControl,
}

impl Terms {
    /// One person against the computer.
    pub fn against(side: Side, level: Level, control: TimeControl) -> Terms {
        let players = Side::ALL.map(|s| match s == side {
            true => Player::Human,
            false => Player::Computer(level),
        });
        Terms { players, control }
    }

    /// Two people.
    pub fn two_players(control: TimeControl) -> Terms {
        let players = [Player::Human; 2];
        Terms { players, control }
    }
}

/// How boards look.
#[derive(Clone, Copy, Debug, Default)]
pub struct Look {
    /// Signs for the pieces.
    pub signs: Signs,
    /// Colours of the board.
    pub theme: Colours,
}

/// What the computer plays with.
#[derive(Clone, Copy)]
pub struct Computer<'a> {
    /// The games, with their values and networks.
    pub games: &'a Catalogue,
    /// Tables of perfect play.
    pub tables: &'a TableOptions,
}

impl Computer<'_> {
    /// An engine for a game.
    pub fn engine(&self, variant: &Arc<Variant>) -> Result<Engine> {
        let mut engine = crate::catalogue::engine(self.games, variant, engine::Options::default());
        self.tables.give(&mut engine)?;
        Ok(engine)
    }
}

/// How a game begins.
pub enum Beginning {
    /// A position.
    Position(Box<Position>),
    /// A game to be continued.
    Record(Box<Record>),
}

impl Beginning {
    /// The game with its clock and players, ready to play.
    pub fn timed(self, terms: Terms, now: Duration) -> Result<TimedGame> {
        match self {
            Beginning::Position(position) => TimedGame::new(*position, terms, now),
            Beginning::Record(record) => TimedGame::go_on(&record, terms, now),
        }
    }
}

impl Options {
    fn terms(&self) -> Terms {
        let side = match self.side {
            SideName::White => Side::White,
            SideName::Black => Side::Black,
        };
        match self.two_players {
            true => Terms::two_players(self.clock),
            false => Terms::against(
                side,
                Level::new(self.level).unwrap_or(Level::FULL),
                self.clock,
            ),
        }
    }

    fn beginning(&self, games: &Catalogue, game: &str) -> Result<Beginning> {
        if let Some(path) = &self.load {
            let record = store::load(games, path)?;
            return Ok(Beginning::Record(Box::new(record)));
        }
        let variant = games.game(game)?;
        Ok(Beginning::Position(Box::new(
            self.start.position(&variant)?,
        )))
    }
}

/// Whether the program is used at a terminal.
pub fn at_terminal() -> bool {
    std::io::stdout().is_terminal() && std::io::stdin().is_terminal()
}

/// Plays.
pub fn run(games: &Catalogue, options: &Options) -> Result<()> {
    options.clock.check().context("--clock")?;
    options.tables.open_for(games)?;
    let computer = Computer {
        games,
        tables: &options.tables,
    };
    let look = Look {
        signs: options.signs,
        theme: options.theme,
    };
    let whole_screen = at_terminal() && !options.plain;
    let chosen = options.game.is_some() || options.load.is_some();
    if whole_screen && !chosen && options.start.fen.is_none() {
        return tui::run(computer, None, options.terms(), look);
    }
    let game = options.game.as_deref().unwrap_or(games::FIRST);
    let beginning = options.beginning(games, game)?;
    match whole_screen {
        true => tui::run(computer, Some(beginning), options.terms(), look),
        false => plain::run(computer, beginning, options.terms(), look),
    }
}

/// Starts with the menu.
pub fn menu(games: &Catalogue) -> Result<()> {
    let terms = Terms::against(
        Side::White,
        Level::new(4).unwrap_or(Level::FULL),
        TimeControl::None,
    );
    let computer = Computer {
        games,
        tables: &TableOptions::default(),
    };
    tui::run(computer, None, terms, Look::default())
}
