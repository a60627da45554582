//! Tables of perfect play that the engine asks: the option that several subcommands share, and what they say in words.

use ::tablebase::{Outcome, Tablebase, Tablebases, Verdict};
use anyhow::{Context, Result};
use clap::Args;
use engine::{Endings, Engine};
use games::Catalogue;
use husun::{Position, Variant};
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

/// Where tables of perfect play are.
#[derive(Args, Clone, Debug, Default)]
pub struct TableOptions {
    /// Let the engine ask tables of perfect play: a folder with one for each game, as `husun tablebase build` makes it
    #[arg(long, value_name = "DIR")]
    tablebases: Option<PathBuf>,
}

impl TableOptions {
    /// The folder, if one is named.
    pub fn folder(&self) -> Option<&PathBuf> {
        self.tablebases.as_ref()
    }

    /// The tables of the folder, if one is named.
    pub fn open(&self) -> Result<Option<Arc<Tablebases>>> {
        let opened = self.tablebases.as_deref().map(Tablebases::new);
        let opened = opened.transpose().context("--tablebases")?;
        Ok(opened.map(Arc::new))
    }

    /// The same for any of some games; says so on standard error if there are tables of none.
    pub fn open_for(&self, games: &Catalogue) -> Result<Option<Arc<Tablebases>>> {
        let opened = self.open()?;
        if let Some(tables) = &opened
            && games
                .games()
                .all(|variant| tables.lacks(&variant).is_some())
        {
            let folder = tables.folder().display();
            writeln!(
                std::io::stderr(),
                "--tablebases: {folder}: no tables of perfect play of any game: expected a folder for each, named by its id"
            )?;
        }
        Ok(opened)
    }

    /// Gives an engine the tables of its game and says which; says so on standard error if a folder is named that has none.
    pub fn give_or_say(&self, engine: &mut Engine) -> Result<Option<Arc<Tablebase>>> {
        let given = self.give(engine)?;
        if given.as_ref().is_none_or(|t| t.most_men() == 0)
            && let Some(none) = self.open()?.and_then(|all| all.lacks(engine.variant()))
        {
            writeln!(std::io::stderr(), "--tablebases: {none}")?;
        }
        Ok(given)
    }

    /// Gives an engine the tables of its game, if there are some, and says which.
    pub fn give(&self, engine: &mut Engine) -> Result<Option<Arc<Tablebase>>> {
        let variant = engine.variant().clone();
        let tables = self.of(&variant)?;
        if let Some(tables) = &tables {
            engine.set_endings(Some(tables.clone()));
        }
        Ok(tables)
    }

    fn of(&self, variant: &Arc<Variant>) -> Result<Option<Arc<Tablebase>>> {
        match self.open()? {
            Some(tables) => tables.of(variant).context("--tablebases"),
            None => Ok(None),
        }
    }
}

/// Who wins a position, by the game's own names.
pub fn sentence(tables: &Tablebase, position: &Position, verdict: Verdict) -> String {
    let winner = match verdict.outcome {
        Outcome::Won => position.turn(),
        Outcome::Lost => position.turn().opponent(),
        Outcome::Drawn => return "draw".into(),
    };
    let name = &position.variant().looks()[winner.index()].name;
    let late = match tables.may_be_late(position, verdict) {
        true => ", if the move rule does not draw before",
        false => "",
    };
    let distance = verdict.distance;
    format!("{name} wins; the game ends in {distance} half-moves{late}")
}
