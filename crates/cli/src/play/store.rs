//! Games in files: writing a game as PGN, and reading one to go on with.

use super::timed_game::TimedGame;
use anyhow::{Context, Result, anyhow, bail};
use games::Catalogue;
use husun::pgn::Reader;
use husun::record::Record;
use std::fs::{self, File};
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Writes games, and remembers which files are its own, so that no other is overwritten.
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
        let text = timed.record(&today()).to_raw()?.to_pgn()?;
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

/// The date as PGN writes it, in universal time.
fn today() -> String {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    let days = since.map_or(0, |d| d.as_secs() / 86_400);
    let (year, month, day) = civil(days);
    format!("{year:04}.{month:02}.{day:02}")
}

/// Year, month and day of a number of days since 1970-01-01 (H. Hinnant, days_from_civil reversed).
fn civil(days: u64) -> (u64, u64, u64) {
    let days = days + 719_468;
    let era = days / 146_097;
    let of_era = days % 146_097;
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let shifted = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 {
        shifted + 3
    } else {
        shifted - 9
    };
    (year + era * 400 + u64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates() {
        assert_eq!(civil(0), (1970, 1, 1));
        assert_eq!(civil(11_016), (2000, 2, 29));
        assert_eq!(civil(20_454), (2026, 1, 1));
    }
}
