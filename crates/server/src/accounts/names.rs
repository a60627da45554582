//! Names that no account may bear: a list in the data folder that the operator can edit.

use play::names::account::REFUSED;
use std::io;
use std::path::{Path, PathBuf};

/// The list's file in the data folder.
pub const FILE: &str = "refused-names.txt";

/// Where the list is.
#[derive(Clone, Debug)]
pub struct Names(PathBuf);

impl Names {
    /// The list of a data folder. It is made, with what is refused everywhere, if it is missing.
    pub fn of(folder: &Path) -> io::Result<Names> {
        let path = folder.join(FILE);
        if !path.exists() {
            std::fs::write(&path, REFUSED)?;
        }
        Ok(Names(path))
    }

    /// The list as it is now. What cannot be read refuses what is refused everywhere.
    pub fn refused(&self) -> String {
        match std::fs::read_to_string(&self.0) {
            Ok(text) => text,
            Err(error) => {
                tracing::warn!(file = %self.0.display(), %error, "the list of names that are refused cannot be read");
                REFUSED.into()
            }
        }
    }
}
