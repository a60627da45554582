//! The file of an SQLite database: who uses it, whether it is still the same, who may read it.

use super::StoreError;
use crate::files;
use std::fs::{File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// A database file that this process uses alone.
#[derive(Debug)]
pub struct DatabaseFile {
    path: PathBuf,
    /// Which file it was when it was first seen.
    seen: Mutex<Option<Identity>>,
    /// Held for as long as the file is in use.
    _lock: File,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Identity(u64, u64);

fn identity(path: &Path) -> io::Result<Identity> {
    let found = std::fs::metadata(path)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        Ok(Identity(found.dev(), found.ino()))
    }
    #[cfg(not(unix))]
    {
        let made = found.created().ok();
        let since = made.and_then(|t| t.duration_since(std::time::UNIX_EPOCH).ok());
        Ok(Identity(0, since.map_or(0, |d| d.as_nanos() as u64)))
    }
}

impl DatabaseFile {
    /// Takes the file at a path for this process alone. The lock lies beside the file itself, wherever links to it are.
    pub fn take(path: &Path) -> Result<DatabaseFile, StoreError> {
        let failed = |error: io::Error| {
            let text = format!("database {}: {error}", path.display());
            match error.kind() {
                io::ErrorKind::NotFound
                | io::ErrorKind::PermissionDenied
                | io::ErrorKind::NotADirectory => StoreError::Unusable(text),
                _ => StoreError::Unavailable(text),
            }
        };
        let path = match std::fs::canonicalize(path) {
            Ok(path) => path,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let folder = path.parent().filter(|p| !p.as_os_str().is_empty());
                let folder =
                    std::fs::canonicalize(folder.unwrap_or(Path::new("."))).map_err(failed)?;
                let name = path.file_name().ok_or_else(|| {
                    StoreError::Unusable(format!("{} is no file name", path.display()))
                })?;
                folder.join(name)
            }
            Err(error) => return Err(failed(error)),
        };
        let mut lock = path.clone().into_os_string();
        lock.push(".lock");
        let lock = files::own(Path::new(&lock)).map_err(failed)?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(StoreError::InUse(path.display().to_string()));
            }
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
        files::own_database(&path).map_err(failed)?;
        Ok(DatabaseFile {
            path,
            seen: Mutex::default(),
            _lock: lock,
        })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether the file at the path is the one that was there first.
    pub fn check(&self) -> Result<(), StoreError> {
        let mut seen = self
            .seen
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        match (identity(&self.path), *seen) {
            (Ok(now), None) => {
                *seen = Some(now);
                Ok(())
            }
            (Ok(now), Some(first)) if now == first => Ok(()),
            // A path that cannot be looked at for another reason will be told by SQLite itself.
            (Err(error), _) if error.kind() != io::ErrorKind::NotFound => Ok(()),
            _ => Err(StoreError::Replaced(self.path.display().to_string())),
        }
    }
}
