//! Games in files: writing a game as PGN, and reading one to continue.

use super::timed_game::TimedGame;
use anyhow::{Context, Result, anyhow, bail};
use games::Catalogue;
use husun::pgn::Reader;
use husun::record::Record;
use std::fs::{self, File};
use std::io::BufReader;
use std::path::{Path, PathBuf};

/// Writes games, and remembers which files are its own, so that no others are overwritten.
#[derive(Debug, Default)]
pub struct Store {
    own: Vec<PathBuf>,
}

impl Store {
    /// Writes the game.
    pub fn save(&mut self, timed: &TimedGame, path: &Path) -> Result<()> {
        let name = path.display();
        if path.exists() && !self.own.iter().any(|own| own == path) {
            bail!("{name} exists already: expected the name of a new file");
        }
        let text = timed.record().to_raw()?.to_pgn()?;
        fs::write(path, text).with_context(|| format!("{name}: cannot be written"))?;
        self.own.push(path.into());
        Ok(())
    }
}

/// Reads the first game of a file.
pub fn load(games: &Catalogue, path: &Path) -> Result<Record> {
    let name = path.display();
    let file = File::open(path).with_context(|| format!("{name}: cannot be read"))?;
    let raw = Reader::new(BufReader::new(file))
        .next_game()
        .ok_or_else(|| anyhow!("{name}: no game in it"))?
        .with_context(|| name.to_string())?;
    Record::from_raw(
        &raw,
        |id| games.named(id),
        || games.ids().collect::<Vec<_>>().join(", "),
    )
    .with_context(|| name.to_string())
}
