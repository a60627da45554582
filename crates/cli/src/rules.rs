//! `husun rules`: the rules of a game for players, set in the terminal.

use crate::source::Source;
use crate::{describe, markdown, term};
use anyhow::Result;
use clap::Args;
use std::io::Write;

/// Explain a game
#[derive(Args)]
pub struct Options {
    /// Id of the game
    game: String,
    /// Print the Markdown text itself
    #[arg(long)]
    markdown: bool,
}

/// Prints the rules: those written for players, or for the user's own game what its data say.
pub fn run(source: &Source, options: &Options) -> Result<()> {
    let variant = source.variant(&options.game)?;
    let text = match games::rules(variant.id()).filter(|_| !source.is_own(variant.id())) {
        Some(text) => text.to_string(),
        None => describe::rules(&variant),
    };
    let mut out = std::io::stdout().lock();
    if options.markdown {
        out.write_all(text.as_bytes())?;
        return Ok(());
    }
    let set = markdown::render(&text, term::width(), term::colour());
    out.write_all(set.as_bytes())?;
    Ok(())
}
