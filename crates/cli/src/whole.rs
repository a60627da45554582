//! Files that are there as a whole at any time: what was there before stays until all of the new is written.

use anyhow::{Context, Result};
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

/// Writes a file, and its folder where it is missing.
pub fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    let beside = path.with_extension(format!("part{}", std::process::id()));
    let written = fill(&beside, bytes).and_then(|()| fs::rename(&beside, path));
    if written.is_err() {
        let _ = fs::remove_file(&beside);
    }
    written.with_context(|| format!("{}: cannot write", path.display()))
}

fn fill(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut file = File::create(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_there_stays_until_the_new_is_whole() -> Result<()> {
        let folder = std::env::temp_dir().join(format!("husun-whole-{}", std::process::id()));
        let path = folder.join("deep").join("values.toml");
        write(&path, b"first")?;
        write(&path, b"second")?;
        assert_eq!(fs::read(&path)?, b"second");
        // Where it would stand there is a folder: nothing of what was tried is left.
        let taken = folder.join("taken");
        fs::create_dir_all(taken.join("within"))?;
        let refused = write(&taken, b"third").err().map(|e| e.to_string());
        assert!(refused.is_some_and(|text| text.ends_with("taken: cannot write")));
        let left = fs::read_dir(&folder)?.count();
        assert_eq!(left, 2);
        fs::remove_dir_all(&folder)?;
        Ok(())
    }
}
