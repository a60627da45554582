//! The files of a folder as they are asked while a game is played: their heads are read once, their blocks when they are
//! needed.

use crate::blocks::Blocks;
use crate::builder::{EXTENSION, wrong};
use crate::error::{FileError, TableError};
use crate::file::Head;
use crate::men::{MOST_MEN, Men};
use husun::Variant;
use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// A file of which the head has been read.
pub(crate) struct TableFile {
    path: PathBuf,
    head: Head,
    /// The table's number among those whose blocks are kept.
    number: u32,
    blocks: Arc<Blocks>,
    /// Whether a block could not be read.
    damaged: AtomicBool,
}

/// The files of a game's tables in a folder. Other files are left alone.
pub(crate) fn open(
    variant: &Variant,
    folder: &Path,
    blocks: &Arc<Blocks>,
) -> Result<HashMap<Men, TableFile>, TableError> {
    let entries = fs::read_dir(folder).map_err(|error| wrong(folder, error.into()))?;
    let all = Men::all(variant, MOST_MEN).into_iter();
    let mut names: HashMap<String, Men> = all.map(|men| (men.name(variant), men)).collect();
    let mut files = HashMap::new();
    for entry in entries {
        let path = entry.map_err(|error| wrong(folder, error.into()))?.path();
        let is_table = path.extension().is_some_and(|e| e == EXTENSION);
        let name = path.file_stem().and_then(|stem| stem.to_str());
        if let Some(men) = name.filter(|_| is_table).and_then(|n| names.remove(n)) {
            let file = TableFile::open(variant, &men, path, blocks)?;
            files.insert(men, file);
        }
    }
    Ok(files)
}

impl TableFile {
    /// The file of the table of some men.
    pub fn open(
        variant: &Variant,
        men: &Men,
        path: PathBuf,
        blocks: &Arc<Blocks>,
    ) -> Result<TableFile, TableError> {
        let read = || -> Result<Head, FileError> {
            let file = File::open(&path)?;
            let length = file.metadata()?.len();
            let mut bytes = vec![];
            file.take(Head::bytes(variant, men) as u64)
                .read_to_end(&mut bytes)?;
            let head = Head::read(variant, men, &bytes)?;
            head.check_length(length)?;
            Ok(head)
        };
        let head = read().map_err(|problem| wrong(&path, problem))?;
        Ok(TableFile {
            path,
            head,
            number: blocks.table(),
            blocks: blocks.clone(),
            damaged: AtomicBool::new(false),
        })
    }

    /// Whether a block has been found that cannot be read.
    pub fn is_damaged(&self) -> bool {
        self.damaged.load(Relaxed)
    }

    /// The number kept for an arrangement; none if there is no such arrangement.
    pub fn kept(&self, arrangement: usize) -> Result<Option<u16>, TableError> {
        let (block, n) = self.head.block_of(arrangement);
        let place = (self.number, block);
        if let Some(kept) = self.blocks.get(place, n) {
            return Ok(Some(kept));
        }
        let numbers = self.block(block as usize).map_err(|problem| {
            self.damaged.store(true, Relaxed);
            wrong(&self.path, problem)
        })?;
        let kept = numbers.get(n).copied();
        self.blocks.keep(place, numbers);
        Ok(kept)
    }

    /// Reads a block. The file is opened for it: many tables may be there, and few blocks are read.
    fn block(&self, n: usize) -> Result<Vec<u16>, FileError> {
        let (at, length) = self.head.place(n);
        let mut file = File::open(&self.path)?;
        file.seek(SeekFrom::Start(at))?;
        let mut packed = vec![];
        file.take(length as u64).read_to_end(&mut packed)?;
        self.head.block(n, &packed)
    }
}
