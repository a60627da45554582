//! Tables of perfect play: for every arrangement of a few men the outcome and how far the end is. They are made
//! by the rules library's own moves and endings alone, so that they hold for any game. Nothing here prints;
//! `docs/tablebases.md` says what is covered, and in which measure.

mod blocks;
mod builder;
mod error;
mod file;
mod files;
mod men;
mod probe;
mod scan;
mod solve;
mod table;
mod tablebases;

pub use builder::{Builder, Told};
pub use engine::{Outcome, Verdict};
pub use error::{BuildError, FileError, NoTables, ProbeError, TableError};
pub use men::{MOST_MEN, Men};
pub use probe::Tablebase;
pub use table::{Counts, Table};
pub use tablebases::Tablebases;
