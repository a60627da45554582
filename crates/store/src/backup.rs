//! Backups of a data folder: the SQLite database, copied as it stands at one moment while the server goes on, and
//! the keys of cookies and of pushes. PostgreSQL has its own tools for this.

use crate::files;
use sqlx::any::AnyConnectOptions;
use sqlx::{AnyConnection, ConnectOptions, Connection, Row};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// Name of the database in a data folder.
pub const DATABASE: &str = "husun.sqlite";
/// Name of the key in a data folder.
pub const KEY: &str = "cookie.key";
/// Name of the key by which push services know the server.
pub const PUSH_KEY: &str = "push.key";
/// The keys in a data folder.
const KEYS: [&str; 2] = [KEY, PUSH_KEY];

/// Why there is no backup, or nothing was restored.
#[derive(Debug, thiserror::Error)]
pub enum BackupError {
    /// Something would be written over.
    #[error("{0} is there already; it is not written over")]
    Exists(PathBuf),
    /// There is nothing to be copied.
    #[error("{0} is not there")]
    Missing(PathBuf),
    /// A file cannot be read or written.
    #[error("{path}: {error}")]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// The database cannot be read.
    #[error("{path}: {error}")]
    Database {
        /// The file.
        path: PathBuf,
        /// Why.
        error: sqlx::Error,
    },
    /// The database is damaged.
    #[error("{path} is damaged: {problem}")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What SQLite says of it.
        problem: String,
    },
}

async fn open(path: &Path) -> Result<AnyConnection, BackupError> {
    sqlx::any::install_default_drivers();
    if !path.is_file() {
        return Err(BackupError::Missing(path.into()));
    }
    let wrong = |error| BackupError::Database {
        path: path.into(),
        error,
    };
    let url = format!("sqlite://{}?mode=rw", path.display());
    let options = AnyConnectOptions::from_str(&url).map_err(wrong)?;
    options.connect().await.map_err(wrong)
}

/// Checks a database and counts its games.
async fn check(path: &Path, connection: &mut AnyConnection) -> Result<i64, BackupError> {
    let wrong = |error| BackupError::Database {
        path: path.into(),
        error,
    };
    let row = sqlx::query("PRAGMA integrity_check(1)")
        .fetch_one(&mut *connection)
        .await;
    let said: String = row.and_then(|row| row.try_get(0)).map_err(wrong)?;
    if said != "ok" {
        return Err(BackupError::Damaged {
            path: path.into(),
            problem: said,
        });
    }
    let row = sqlx::query("SELECT COUNT(*) FROM games")
        .fetch_one(connection)
        .await;
    row.and_then(|row| row.try_get(0)).map_err(wrong)
}

fn free(path: PathBuf) -> Result<PathBuf, BackupError> {
    match path.exists() {
        true => Err(BackupError::Exists(path)),
        false => Ok(path),
    }
}

fn make(folder: &Path) -> Result<(), BackupError> {
    files::own_folder(folder).map_err(|error| BackupError::File {
        path: folder.into(),
        error,
    })
}

fn copy(from: &Path, to: &Path) -> Result<(), BackupError> {
    let copied = || {
        let (mut from, mut to) = (File::open(from)?, files::make(to)?);
        io::copy(&mut from, &mut to)?;
        to.sync_all()
    };
    copied().map_err(|error| BackupError::File {
        path: to.into(),
        error,
    })
}

/// Copies the games and the keys of `data` to the folder `to`; tells how many games.
pub async fn backup(data: &Path, to: &Path) -> Result<i64, BackupError> {
    let from = data.join(DATABASE);
    let mut connection = open(&from).await?;
    let games = check(&from, &mut connection).await?;
    make(to)?;
    let target = free(to.join(DATABASE))?;
    // An empty file is written into, and keeps who may read it.
    files::make(&target).map_err(|error| BackupError::File {
        path: target.clone(),
        error,
    })?;
    let copied = sqlx::query("VACUUM INTO $1")
        .bind(target.display().to_string())
        .execute(&mut connection)
        .await;
    if let Err(error) = copied {
        // Half a backup is worse than none.
        let _ = std::fs::remove_file(&target);
        return Err(BackupError::Database {
            path: target,
            error,
        });
    }
    for name in KEYS {
        let key = data.join(name);
        if key.is_file() {
            copy(&key, &to.join(name))?;
        }
    }
    Ok(games)
}

/// Makes the data folder `data` from the backup in `from`; tells how many games.
pub async fn restore(from: &Path, data: &Path) -> Result<i64, BackupError> {
    let source = from.join(DATABASE);
    let mut connection = open(&source).await?;
    let games = check(&source, &mut connection).await?;
    // What a reader left beside the file is written into it.
    connection
        .close()
        .await
        .map_err(|error| BackupError::Database {
            path: source.clone(),
            error,
        })?;
    make(data)?;
    let target = free(data.join(DATABASE))?;
    for name in KEYS {
        free(data.join(name))?;
    }
    copy(&source, &target)?;
    for name in KEYS {
        if from.join(name).is_file() {
            copy(&from.join(name), &data.join(name))?;
        }
    }
    Ok(games)
}
