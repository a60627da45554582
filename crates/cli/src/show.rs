//! `husun show`: a board in the terminal, or as a picture in a file.

use crate::start::Start;
use crate::term;
use anyhow::{Context, Result};
use clap::{Args, ValueEnum};
use games::Catalogue;
use husun::Side;
use render::text::{Symbols, TextStyle};
use render::{Picture, PieceSet, SquareSize, Style, Theme};
use std::fs;
use std::io::Write;
use std::path::PathBuf;

/// Show a position
#[derive(Args)]
pub struct Options {
    /// Id of the game
    game: String,
    #[command(flatten)]
    start: Start,
    /// Show the board from Black's side
    #[arg(long)]
    black: bool,
    #[command(flatten)]
    target: Target,
}

/// Which signs stand for the pieces in the terminal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Signs {
    /// The letters of position text
    #[default]
    Letters,
    /// Chess symbols where a piece has one
    Unicode,
}

/// Which pieces are drawn in pictures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Set {
    /// Figures
    #[default]
    Themed,
    /// Letters in discs and squares
    Letters,
}

/// Which colours pictures have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Colours {
    /// For light pages
    #[default]
    Light,
    /// For dark pages
    Dark,
}

/// Where a board is shown, and in which style.
#[derive(Args)]
pub struct Target {
    /// Write an SVG picture
    #[arg(long, value_name = "FILE", conflicts_with = "png")]
    svg: Option<PathBuf>,
    /// Write a PNG picture
    #[arg(long, value_name = "FILE")]
    png: Option<PathBuf>,
    /// Pieces of the picture
    #[arg(long, value_enum, default_value_t)]
    set: Set,
    /// Colours of picture or terminal
    #[arg(long, value_enum, default_value_t)]
    theme: Colours,
    /// Side of a square of the picture in pixels
    #[arg(long, value_name = "PIXELS", default_value_t = SquareSize::default().pixels())]
    size: u32,
    /// Signs for the pieces in the terminal
    #[arg(long, value_enum, default_value_t)]
    signs: Signs,
}

impl Target {
    /// Shows a picture; returns whether it went to a file.
    pub fn show(&self, picture: &Picture) -> Result<bool> {
        let style = Style {
            set: match self.set {
                Set::Themed => PieceSet::Themed,
                Set::Letters => PieceSet::Letters,
            },
            theme: self.theme.theme(),
            square: SquareSize::new(self.size).context("--size")?,
            ..Style::default()
        };
        let (path, bytes) = match (&self.svg, &self.png) {
            (Some(path), _) => (path, render::svg::board(picture, &style).into_bytes()),
            (None, Some(path)) => (path, render::png::board(picture, &style)?),
            (None, None) => {
                let text = render::text::board(picture, &text_style(self.signs, self.theme));
                std::io::stdout().write_all(text.as_bytes())?;
                return Ok(false);
            }
        };
        fs::write(path, bytes).with_context(|| format!("{}: cannot be written", path.display()))?;
        Ok(true)
    }
}

impl Colours {
    /// The theme of that name.
    pub fn theme(self) -> Theme {
        match self {
            Colours::Light => Theme::Light,
            Colours::Dark => Theme::Dark,
        }
    }
}

/// The style of boards on standard output.
pub fn text_style(signs: Signs, colours: Colours) -> TextStyle {
    TextStyle {
        symbols: match signs {
            Signs::Letters => Symbols::Letters,
            Signs::Unicode => Symbols::Unicode,
        },
        colors: term::colors(),
        theme: colours.theme(),
    }
}

/// Shows the position.
pub fn run(games: &Catalogue, options: &Options) -> Result<()> {
    let variant = games.game(&options.game)?;
    let position = options.start.position(&variant)?;
    let view = match options.black {
        true => Side::Black,
        false => Side::White,
    };
    let in_file = options.target.show(&Picture::of(&position).view(view))?;
    if !in_file {
        let mut out = std::io::stdout().lock();
        writeln!(
            out,
            "\n{} to move\n{}",
            position.turn().name(),
            position.fen()
        )?;
    }
    Ok(())
}
