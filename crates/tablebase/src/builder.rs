//! Making the tables of a game: which comes before which, and where they are kept.

use crate::error::{BuildError, FileError, TableError};
use crate::men::{MOST_MEN, Men};
use crate::probe::{CACHE, Tablebase};
use crate::solve::{BYTES, Far, Solved, solve};
use crate::table::Table;
use husun::Variant;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What is told while tables are made.
#[derive(Clone, Copy, Debug)]
pub enum Told<'a> {
    /// How many arrangements of some men have been looked at.
    Looked {
        /// The men.
        men: &'a Men,
        /// Arrangements so far.
        done: usize,
        /// All of them.
        all: usize,
    },
    /// All ends of some men are known that are no further away.
    Decided {
        /// The men.
        men: &'a Men,
        /// Half-moves.
        distance: u16,
    },
    /// A table is there.
    Made {
        /// The men.
        men: &'a Men,
        /// Bytes of its file; none if it is kept in memory alone.
        bytes: Option<u64>,
        /// Whether its file was there before.
        read: bool,
    },
}

/// Makes tables of a game.
///
/// ```
/// use husun_tablebase::{Builder, Outcome};
/// let game = games::variant("shatranj").unwrap();
/// let tables = Builder::new(&game, 1).all(2, &mut |_| ()).unwrap();
/// // Two kings alone draw.
/// let bare = game.position("8/8/4k3/8/8/4K3/8/8 w - - 0 1").unwrap();
/// assert_eq!(tables.probe(&bare).unwrap().outcome, Outcome::Drawn);
/// ```
pub struct Builder {
    threads: usize,
    memory: u64,
    tables: Tablebase,
    /// Men whose table waits for others.
    waiting: Vec<Men>,
}

impl Builder {
    /// For a game. The tables are kept in memory.
    pub fn new(variant: &Arc<Variant>, threads: usize) -> Builder {
        Builder {
            threads: threads.max(1),
            memory: u64::MAX,
            tables: Tablebase::empty(variant, None),
            waiting: vec![],
        }
    }

    /// Keeps each table in a file of this folder rather than in memory, and reads those that are there already.
    #[must_use]
    pub fn kept_in(mut self, folder: &Path) -> Builder {
        self.tables = Tablebase::empty(self.tables.variant(), Some(folder.into()));
        self
    }

    /// Refuses what needs more memory than so many bytes.
    #[must_use]
    pub fn within(mut self, memory: u64) -> Builder {
        self.memory = memory;
        self
    }

    /// Bytes of memory that the table of some men needs while it is made: three for each of its arrangements, and those
    /// in which blocks of other tables are kept. Without a folder the tables made before come in addition.
    pub fn needs(&self, men: &Men) -> u64 {
        let squares = self.tables.variant().frame().len();
        CACHE + BYTES * men.arrangements(squares) as u64 + self.tables.bytes_made()
    }

    /// Makes the tables of all sets of up to so many men, and tells of it.
    pub fn all(self, most: usize, told: &mut dyn FnMut(Told)) -> Result<Tablebase, BuildError> {
        if !(2..=MOST_MEN).contains(&most) {
            return Err(BuildError::Men {
                found: most,
                most: MOST_MEN,
            });
        }
        let sets = Men::all(self.tables.variant(), most);
        self.these(&sets, told)
    }

    /// Makes the tables of some sets of men and of those that their moves lead to, and tells of it.
    pub fn these(
        mut self,
        sets: &[Men],
        told: &mut dyn FnMut(Told),
    ) -> Result<Tablebase, BuildError> {
        // What does not fit is known before anything is made: no move adds men.
        if let Some(most) = sets.iter().max_by_key(|men| men.list().len()) {
            self.check_memory(most)?;
        }
        for men in sets {
            let found = men.list().len();
            if found > MOST_MEN {
                let most = MOST_MEN;
                return Err(BuildError::Men { found, most });
            }
            self.make(men, told)?;
        }
        Ok(self.tables)
    }

    fn check_memory(&self, men: &Men) -> Result<(), BuildError> {
        let (needed, allowed) = (self.needs(men), self.memory);
        match needed <= allowed {
            true => Ok(()),
            false => Err(BuildError::Memory {
                men: men.name(self.tables.variant()),
                needed: needed.div_ceil(1 << 20),
                allowed: allowed >> 20,
            }),
        }
    }

    /// Makes the table of some men, after those that their moves lead to.
    fn make(&mut self, men: &Men, told: &mut dyn FnMut(Told)) -> Result<(), BuildError> {
        if self.tables.has(men) {
            return Ok(());
        }
        let variant = self.tables.variant().clone();
        if self.waiting.contains(men) {
            return Err(BuildError::Circle {
                men: men.name(&variant),
            });
        }
        let folder = self.tables.folder().map(Path::to_path_buf);
        let path = folder.map(|folder| path(&folder, &variant, men));
        let read = path.as_ref().is_some_and(|path| path.exists());
        let table = match path.as_ref().filter(|_| read) {
            Some(path) => self::read(path, &variant, men)?,
            None => self.solve(men, told)?,
        };
        let bytes = match &path {
            None => {
                self.tables.add(table);
                None
            }
            Some(path) => {
                if !read {
                    write(path, &variant, &table)?;
                }
                drop(table);
                self.tables.add_file(men, path)?;
                fs::metadata(path).ok().map(|file| file.len())
            }
        };
        told(Told::Made { men, bytes, read });
        Ok(())
    }

    fn solve(&mut self, men: &Men, told: &mut dyn FnMut(Told)) -> Result<Table, BuildError> {
        let variant = self.tables.variant().clone();
        loop {
            self.check_memory(men)?;
            let far = &mut |far| match far {
                Far::Looked(done, all) => told(Told::Looked { men, done, all }),
                Far::Decided(distance) => told(Told::Decided { men, distance }),
            };
            match solve(&variant, men, self.threads, &self.tables, far)? {
                Solved::Table(table) => return Ok(table),
                Solved::Needs(others) => {
                    self.waiting.push(men.clone());
                    for other in &others {
                        self.make(other, told)?;
                    }
                    self.waiting.pop();
                }
            }
        }
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
