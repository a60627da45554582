//! Why a table cannot be made, read or asked.

use std::io;
use std::path::PathBuf;

/// Why tables of a game cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// A number of men that is not built.
    #[error("tables of {found} men: expected 2 to {most}")]
    Men {
        /// What was asked for.
        found: usize,
        /// The highest number.
        most: usize,
    },
    /// A table for which the memory allowed does not suffice.
    #[error(
        "the table of {men} needs {needed} MiB of memory while it is made: {allowed} are allowed"
    )]
    Memory {
        /// The men.
        men: String,
        /// What it needs, in MiB.
        needed: u64,
        /// The limit in MiB.
        allowed: u64,
    },
    /// A move leads to a position with more than board and side.
    #[error(
        "there can be no table of {men}: a move leads to `{fen}`, which is more than board and side to move"
    )]
    Leaves {
        /// The men.
        men: String,
        /// The position reached.
        fen: String,
    },
    /// A move leads to an arrangement that the rules do not allow.
    #[error("there can be no table of {men}: a move leads to what is no position of the game")]
    NoPosition {
        /// The men.
        men: String,
    },
    /// Men become each other, so that no table can be the first.
    #[error("there can be no table of {men}: its men become others that become them again")]
    Circle {
        /// The men.
        men: String,
    },
    /// The end is further away than a table can say.
    #[error("there can be no table of {men}: some end is more than {most} half-moves away")]
    Long {
        /// The men.
        men: String,
        /// The highest distance.
        most: u16,
    },
    /// A file cannot be read or written.
    #[error(transparent)]
    File(#[from] TableError),
}

/// A file that is no table, and why.
#[derive(Debug, thiserror::Error)]
#[error("{}: {problem}", path.display())]
pub struct TableError {
    /// The file.
    pub path: PathBuf,
    /// What is wrong with it.
    pub problem: FileError,
}

/// Why bytes are no table of some men.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// The file cannot be read or written.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// They do not begin as a table does.
    #[error("it is not a table of Husun: expected a file written by `husun tablebase build`")]
    Magic,
    /// Another version of the format.
    #[error("it is in version {found} of the format: expected {expected}")]
    Version {
        /// What was found.
        found: u16,
        /// What is read.
        expected: u16,
    },
    /// It was made for other rules.
    #[error(
        "it was made for another game, or for `{game}` before its rules or its start were changed: \
         remove it and make it anew with `husun tablebase build`"
    )]
    OtherGame {
        /// Id of the game that it should be for.
        game: String,
    },
    /// It is the table of other men.
    #[error("it is the table of {found}: expected {expected}")]
    OtherMen {
        /// What was found.
        found: String,
        /// What its name says.
        expected: String,
    },
    /// The file ends too early, or goes on after its end.
    #[error("it has {found} bytes where {expected} were expected")]
    Length {
        /// Its length.
        found: usize,
        /// The length that it should have.
        expected: usize,
    },
    /// The checksum of a part is not that of its bytes.
    #[error(
        "{part} is damaged, at byte {at}: its checksum is {found:08x}, expected {expected:08x}"
    )]
    Checksum {
        /// `the head` or `block 3`.
        part: String,
        /// Where it begins.
        at: usize,
        /// That of its bytes.
        found: u32,
        /// That in the file.
        expected: u32,
    },
    /// A block cannot be decompressed, or not to its length.
    #[error("{part} is damaged, at byte {at}: expected {expected} bytes of compressed numbers")]
    Block {
        /// `block 3`.
        part: String,
        /// Where it begins.
        at: usize,
        /// Bytes that it should have when decompressed.
        expected: usize,
    },
}

/// Why a position cannot be looked up.
#[derive(Debug, thiserror::Error)]
pub enum ProbeError {
    /// A position of another game than the tables are of.
    #[error("the position is one of {found}: expected {expected}")]
    OtherGame {
        /// Id of its game.
        found: String,
        /// Id of the tables' game.
        expected: String,
    },
    /// More men than any table has.
    #[error("the position has {found} men: expected at most {most}")]
    Men {
        /// How many there are.
        found: usize,
        /// The highest number.
        most: usize,
    },
    /// The position has more to it than board, side to move and letters of state that tables know.
    #[error("the position has {what}, which no position of the tables has")]
    Beyond {
        /// `castling rights`, `prisoners` or `an en-passant square`.
        what: &'static str,
    },
    /// The table of these men has not been made.
    #[error("{}: there is no such table: make it with `husun tablebase build {game}`", path.display())]
    NoTable {
        /// Where it should be.
        path: PathBuf,
        /// Id of the game.
        game: String,
    },
    /// The table says that the position is none, or what it says of it cannot be.
    #[error("{}: what it says of `{fen}` cannot be true: make it anew", path.display())]
    Wrong {
        /// The file.
        path: PathBuf,
        /// The position.
        fen: String,
    },
    /// The file is no table.
    #[error(transparent)]
    File(#[from] TableError),
}

/// That a folder has no tables of a game.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}: no tables of perfect play of {game}: expected them in its folder `{game}`", folder.display())]
pub struct NoTables {
    /// The folder with a folder for each game.
    pub folder: PathBuf,
    /// Id of the game.
    pub game: String,
}
