//! Files that are there as a whole at any time: what was there before stays until all of the new is written.

use anyhow::{Context, Result};
use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// Writes a file, and its folder where it is missing.
pub fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    let beside = beside(path);
    let written = fill(&beside, bytes).and_then(|()| fs::rename(&beside, path));
    if written.is_err() {
        let _ = fs::remove_file(&beside);
    }
    written.with_context(|| format!("{}: cannot write", path.display()))
}

/// Refuses a file that cannot be written, before the work for it begins. Nothing is left of the attempt, and what stands there
/// stays.
pub fn check(path: &Path) -> Result<()> {
    let folders = path.ancestors().skip(1);
    let missing: Vec<&Path> = folders.take_while(|folder| !there(folder)).collect();
    let beside = beside(path);
    let tried = match path.is_dir() {
        true => Err(ErrorKind::IsADirectory.into()),
        false => fill(&beside, &[]).and_then(|()| fs::remove_file(&beside)),
    };
    if tried.is_err() {
        let _ = fs::remove_file(&beside);
    }
    for folder in missing {
        let _ = fs::remove_dir(folder);
    }
    tried.with_context(|| format!("{}: cannot write", path.display()))
}

/// Whether two paths are those of one file, whether it is there or not.
pub fn same(one: &Path, other: &Path) -> bool {
    let whole = |path: &Path| {
        if let Ok(there) = path.canonicalize() {
            return Some(there);
        }
        let (folder, name) = (path.parent()?, path.file_name()?);
        let folder = match folder.as_os_str().is_empty() {
            true => Path::new("."),
            false => folder,
        };
        Some(folder.canonicalize().ok()?.join(name))
    };
    one == other || whole(one).is_some_and(|one| Some(one) == whole(other))
}

fn there(folder: &Path) -> bool {
    folder.as_os_str().is_empty() || folder.exists()
}

/// Where the new is written first.
fn beside(path: &Path) -> PathBuf {
    path.with_extension(format!("part{}", std::process::id()))
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

    #[test]
    fn a_check_leaves_everything_as_it_is() -> Result<()> {
        let folder = std::env::temp_dir().join(format!("husun-check-{}", std::process::id()));
        let path = folder.join("deep").join("values.toml");
        check(&path)?;
        assert!(!folder.exists());
        write(&path, b"first")?;
        check(&path)?;
        check(&folder.join("other").join("values.toml"))?;
        assert_eq!(fs::read(&path)?, b"first");
        for wrong in [folder.join("deep"), path.join("network.bin")] {
            let refused = check(&wrong).err().map(|e| e.to_string());
            assert!(refused.is_some_and(|text| text.ends_with(": cannot write")));
        }
        let left = |folder| Ok::<_, io::Error>(fs::read_dir(folder)?.count());
        assert_eq!((left(&folder)?, left(&folder.join("deep"))?), (1, 1));
        fs::remove_dir_all(&folder)?;
        Ok(())
    }
}
