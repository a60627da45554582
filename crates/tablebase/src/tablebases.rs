//! The tables of several games: a folder with a folder for each game.

use crate::blocks::Blocks;
use crate::error::{NoTables, TableError};
use crate::probe::{MOST_BLOCKS, Tablebase};
use engine::Endings;
use husun::Variant;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// What came of opening the tables of a game.
type Opened = Result<Option<Arc<Tablebase>>, Arc<TableError>>;

/// The tables in a folder that has a folder for each game, named by the game's id, as `husun tablebase build` makes
/// them. Those of a game are opened when they are first asked for; what is kept in memory they share.
pub struct Tablebases {
    folder: PathBuf,
    blocks: Arc<Blocks>,
    opened: Mutex<Vec<(Arc<Variant>, Opened)>>,
}

impl Tablebases {
    /// The tables in a folder, which must be there.
    ///
    /// ```
    /// use husun_tablebase::Tablebases;
    /// let error = Tablebases::new("/no/such/folder".as_ref()).err().unwrap();
    /// assert!(error.to_string().starts_with("/no/such/folder: "));
    /// ```
    pub fn new(folder: &Path) -> Result<Tablebases, TableError> {
        std::fs::read_dir(folder).map_err(|error| TableError {
            path: folder.into(),
            problem: error.into(),
        })?;
        Ok(Tablebases {
            folder: folder.into(),
            blocks: Arc::new(Blocks::new(MOST_BLOCKS)),
            opened: Mutex::default(),
        })
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The tables of a game; none if there is no folder of its own.
    pub fn of(&self, variant: &Arc<Variant>) -> Opened {
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        let mut known = opened.iter();
        if let Some((_, tables)) = known.find(|(known, _)| Arc::ptr_eq(known, variant)) {
            return tables.clone();
        }
        let folder = self.folder.join(variant.id());
        let tables = match folder.is_dir() {
            true => Tablebase::sharing(variant, &folder, self.blocks.clone())
                .map(|tables| Some(Arc::new(tables)))
                .map_err(Arc::new),
            false => Ok(None),
        };
        opened.push((variant.clone(), tables.clone()));
        tables
    }

    /// What to tell whoever has named the folder if it has no tables of a game. Tables that cannot be used are there.
    pub fn lacks(&self, variant: &Arc<Variant>) -> Option<NoTables> {
        match self.of(variant) {
            Ok(Some(tables)) if tables.most_men() > 0 => None,
            Err(_) => None,
            _ => Some(NoTables {
                folder: self.folder.clone(),
                game: variant.id().into(),
            }),
        }
    }
}

impl std::fmt::Debug for Tablebases {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut shown = f.debug_struct("Tablebases");
        shown.field("folder", &self.folder).finish_non_exhaustive()
    }
}
