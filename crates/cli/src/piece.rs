//! `husun piece`: how a piece moves, in words and as a diagram.

use crate::show::Target;
use anyhow::{Result, anyhow};
use clap::Args;
use games::Catalogue;
use husun::{Frame, Kind, Side, Square, Variant};
use render::Diagram;
use std::io::Write;

/// Show how a piece moves
#[derive(Args)]
pub struct Options {
    /// Id of the game
    game: String,
    /// The piece's letter
    letter: String,
    /// The piece's square; if not given, one near the middle of the board
    square: Option<String>,
    /// Squares with other pieces, such as `d5,e6`: enemies, or with `=` before a square the piece's own side
    #[arg(long, value_name = "SQUARES", value_delimiter = ',')]
    blockers: Vec<String>,
    /// Show a black piece
    #[arg(long)]
    black: bool,
    #[command(flatten)]
    target: Target,
}

/// Shows the piece.
pub fn run(games: &Catalogue, options: &Options) -> Result<()> {
    let variant = games.game(&options.game)?;
    let kind = kind(&variant, &options.letter)?;
    let side = match options.black {
        true => Side::Black,
        false => Side::White,
    };
    let from = match &options.square {
        Some(text) => variant.frame().parse(text)?,
        None => near_middle(variant.frame()),
    };
    let mut diagram = Diagram::new(&variant, side, kind, from);
    for text in &options.blockers {
        let (name, owner) = match text.strip_prefix('=') {
            Some(own) => (own, side),
            None => (text.as_str(), side.opponent()),
        };
        diagram = diagram.blocker(variant.frame().parse(name)?, owner);
    }
    let in_file = options.target.show(&diagram.picture())?;
    if !in_file {
        let piece = variant.piece(kind);
        let mut out = std::io::stdout().lock();
        writeln!(
            out,
            "\n{} ({}) of {}",
            piece.name,
            piece.letter,
            variant.name()
        )?;
        let remarks = [(piece.royal, "royal"), (piece.pawn, "of pawn type")];
        for (_, remark) in remarks.iter().filter(|r| r.0) {
            writeln!(out, "{remark}")?;
        }
        writeln!(out, "Betza {}", piece.betza)?;
    }
    Ok(())
}

fn kind(variant: &Variant, text: &str) -> Result<Kind> {
    let mut letters = text.chars();
    let letter = letters.next().filter(|_| letters.next().is_none());
    let by_letter = letter.and_then(|c| variant.kind(c.to_ascii_uppercase()));
    let by_name = || {
        let mut kinds = variant.kinds();
        kinds.find(|&k| variant.piece(k).name.eq_ignore_ascii_case(text))
    };
    by_letter.or_else(by_name).ok_or_else(|| {
        let known = variant.pieces().iter();
        let known: Vec<String> = known.map(|p| format!("{} {}", p.letter, p.name)).collect();
        let text: String = text.chars().take(30).collect();
        anyhow!(
            "{} has no piece `{text}`: expected one of {}",
            variant.id(),
            known.join(", ")
        )
    })
}

/// The existing square nearest to the middle of the board, preferably south-west of it.
fn near_middle(frame: &Frame) -> Square {
    let middle = |size: u8| (i32::from(size) - 1) / 2;
    let (x, y) = (middle(frame.files()), middle(frame.ranks()));
    let distance = |s: &Square| {
        let (dx, dy) = (i32::from(frame.file(*s)) - x, i32::from(frame.rank(*s)) - y);
        dx * dx + dy * dy
    };
    let nearest = frame.squares().min_by_key(distance);
    nearest.unwrap_or_else(|| unreachable!("a board has at least one square"))
}
