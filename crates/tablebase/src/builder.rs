//! Making the tables of a game: which comes before which, and where they are kept.

use crate::error::{BuildError, FileError, TableError};
use crate::men::{MOST_MEN, Men};
use crate::probe::Tablebase;
use crate::scan::{check, scan};
use crate::solve::solve;
use crate::table::Table;
use husun::Variant;
use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What is told of a table that is there.
#[derive(Clone, Copy, Debug)]
pub struct Told<'a> {
    /// The table.
    pub table: &'a Table,
    /// Bytes of its file; none if it is kept in memory alone.
    pub bytes: Option<u64>,
    /// Whether its file was there before.
    pub read: bool,
}

/// Makes tables of a game.
///
/// ```
/// use husun_tablebase::{Builder, Outcome};
/// let game = games::variant("shatranj").unwrap();
/// let tables = Builder::new(&game, 1).unwrap().all(2, &mut |_| ()).unwrap();
/// // Two kings alone draw.
/// let bare = game.position("8/8/4k3/8/8/4K3/8/8 w - - 0 1").unwrap();
/// assert_eq!(tables.probe(&bare).unwrap().outcome, Outcome::Drawn);
/// ```
pub struct Builder {
    variant: Arc<Variant>,
    threads: usize,
    folder: Option<PathBuf>,
    made: HashMap<Men, Arc<Table>>,
    /// Men whose table waits for others.
    waiting: Vec<Men>,
}

impl Builder {
    /// For a game of which there can be tables.
    pub fn new(variant: &Arc<Variant>, threads: usize) -> Result<Builder, BuildError> {
        check(variant)?;
        Ok(Builder {
            variant: variant.clone(),
            threads: threads.max(1),
            folder: None,
            made: HashMap::new(),
            waiting: vec![],
        })
    }

    /// Keeps each table in a file of this folder, and reads those that are there already.
    #[must_use]
    pub fn kept_in(mut self, folder: &Path) -> Builder {
        self.folder = Some(folder.into());
        self
    }

    /// Makes the tables of all sets of up to so many men, and tells of each one.
    pub fn all(self, most: usize, told: &mut dyn FnMut(Told)) -> Result<Tablebase, BuildError> {
        if !(2..=MOST_MEN).contains(&most) {
            return Err(BuildError::Men {
                found: most,
                most: MOST_MEN,
            });
        }
        let sets = Men::all(&self.variant, most);
        self.these(&sets, told)
    }

    /// Makes the tables of some sets of men and of those that their moves lead to, and tells of each one.
    pub fn these(
        mut self,
        sets: &[Men],
        told: &mut dyn FnMut(Told),
    ) -> Result<Tablebase, BuildError> {
        for men in sets {
            let found = men.list().len();
            if found > MOST_MEN {
                let most = MOST_MEN;
                return Err(BuildError::Men { found, most });
            }
            self.make(men, told)?;
        }
        Ok(Tablebase::made(&self.variant, self.folder, self.made))
    }

    /// Makes the table of some men, after those that their moves lead to.
    fn make(&mut self, men: &Men, told: &mut dyn FnMut(Told)) -> Result<(), BuildError> {
        if self.made.contains_key(men) {
            return Ok(());
        }
        if self.waiting.contains(men) {
            return Err(BuildError::Circle {
                men: men.name(&self.variant),
            });
        }
        let path = self.folder.as_ref().map(|f| path(f, &self.variant, men));
        let there = path.as_ref().filter(|path| path.exists());
        let table = match there {
            Some(path) => Arc::new(read(path, &self.variant, men)?),
            None => {
                let chunks = scan(&self.variant, men, self.threads)?;
                self.waiting.push(men.clone());
                for chunk in &chunks {
                    for other in &chunk.others {
                        self.make(other, told)?;
                    }
                }
                self.waiting.pop();
                Arc::new(solve(&self.variant, men, chunks, &self.made)?)
            }
        };
        let read = there.is_some();
        if let Some(path) = path.as_ref().filter(|_| !read) {
            write(path, &self.variant, &table)?;
        }
        told(Told {
            table: &table,
            bytes: path.and_then(|path| Some(fs::metadata(path).ok()?.len())),
            read,
        });
        self.made.insert(men.clone(), table);
        Ok(())
    }
}

/// What the names of tables end with.
pub(crate) const EXTENSION: &str = "husuntable";

/// Where the table of some men is kept.
pub(crate) fn path(folder: &Path, variant: &Variant, men: &Men) -> PathBuf {
    folder.join(format!("{}.{EXTENSION}", men.name(variant)))
}

/// Reads the file of a table.
pub(crate) fn read(path: &Path, variant: &Variant, men: &Men) -> Result<Table, TableError> {
    let read = fs::read(path).map_err(FileError::from);
    let table = read.and_then(|bytes| Table::read(variant, men, &bytes));
    table.map_err(|problem| wrong(path, problem))
}

/// Writes the file of a table; it is there as a whole or not at all.
fn write(path: &Path, variant: &Variant, table: &Table) -> Result<(), TableError> {
    let write = || -> io::Result<()> {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        let beside = path.with_extension(format!("part{}", std::process::id()));
        fs::write(&beside, table.to_bytes(variant)?)?;
        fs::rename(beside, path)
    };
    write().map_err(|error| wrong(path, error.into()))
}

/// What is wrong with a file, or a folder of files.
pub(crate) fn wrong(path: &Path, problem: FileError) -> TableError {
    TableError {
        path: path.into(),
        problem,
    }
}
