//! `husun rules`: the rules of a game for players, rendered in the terminal.

use crate::{markdown, term};
use anyhow::Result;
use clap::Args;
use games::Catalogue;
use husun::Variant;
use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag};
use render::figure::INFO;
use render::{Figure, TextStyle};
use std::io::Write;
use std::sync::Arc;

/// Explain a game
#[derive(Args)]
pub struct Options {
    /// Id of the game
    game: String,
    /// Print the Markdown text itself
    #[arg(long)]
    markdown: bool,
}

/// Prints the rules: those written for players, or where nobody has written some what the game's data say.
pub fn run(games: &Catalogue, options: &Options) -> Result<()> {
    let variant = games.game(&options.game)?;
    let text = match games.rules(&variant) {
        Some(text) => text.to_string(),
        None => render::described::rules(&variant),
    };
    let mut out = std::io::stdout().lock();
    if options.markdown {
        out.write_all(text.as_bytes())?;
        return Ok(());
    }
    let set = markdown::render(
        &with_letters(&variant, &text),
        term::width(),
        term::colour(),
    );
    out.write_all(set.as_bytes())?;
    Ok(())
}

/// The text with its diagrams as boards of letters, each with its caption. One that cannot be read stays as it is.
fn with_letters(variant: &Arc<Variant>, markdown: &str) -> String {
    let mut text = String::new();
    let mut done = 0;
    for (event, range) in Parser::new(markdown).into_offset_iter() {
        let is_figure = matches!(&event, Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) if info.trim() == INFO);
        if !is_figure {
            continue;
        }
        let block: Vec<&str> = markdown[range.clone()].trim_end().lines().collect();
        // The fences.
        let inside = block
            .get(1..block.len().saturating_sub(1))
            .unwrap_or_default();
        if let Ok(figure) = Figure::parse(variant, &inside.join("\n")) {
            text += &markdown[done..range.start];
            text += &letters(&figure);
            done = range.end;
        }
    }
    text + &markdown[done..]
}

fn letters(figure: &Figure) -> String {
    let mut text = String::new();
    for (i, panel) in figure.panels.iter().enumerate() {
        let board = render::text::board(&panel.picture, &TextStyle::default());
        text += &format!("```text\n{board}```\n\n{}\n\n", figure.caption(i));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn diagrams_are_boards_of_letters() {
        let chess = games::variant("chess").unwrap();
        let text = "# T\n\nBefore.\n\n```diagram\nposition: start\nmark: e3 e4\ncaption: Its first step.\n```\n\nAfter.\n";
        let set = markdown::render(&with_letters(&chess, text), 60, false);
        assert!(set.contains("    4 . . . . * . . .\n"), "{set}");
        assert!(set.contains("Its first step."), "{set}");
        assert!(
            set.find("Before.") < set.find("Its first step.") && set.contains("After."),
            "{set}"
        );
        let wrong = "```diagram\nposition: e4\n```\n";
        assert_eq!(with_letters(&chess, wrong), wrong);
    }

    #[test]
    fn no_game_leaves_a_diagram_as_its_text() {
        let told = games::ids().filter_map(|id| Some((id, games::rules(id)?)));
        for (id, text) in told {
            let variant = games::variant(id).unwrap();
            let set = with_letters(&variant, text);
            assert!(!set.contains("```diagram"), "{id}");
        }
    }
}
