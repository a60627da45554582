//! Puzzles: positions with a single solution. One side wins by force, or saves itself by the only move that does not lose; a solver
//! that knows nothing but the rules has tried everything else. They are mined from games that an engine plays against itself, and
//! kept in a text (`puzzles.toml`). No I/O; nothing here names a game.
//!
//! ```
//! let chess = games::variant("chess").unwrap();
//! let text = "[[puzzles]]\nid = \"back-rank\"\nposition = \"6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1\"\nline = \"a1a8\"";
//! let puzzles = puzzles::read(&chess, "puzzles.toml", text).unwrap();
//! assert_eq!(puzzles[0].goal(), puzzles::Goal::Win);
//! assert_eq!(puzzles[0].prove(&mut puzzles::Solver::new(10_000)), Ok(()));
//! ```

mod course;
mod doc;
mod ending;
mod mine;
mod proof;
mod puzzle;
mod solve;
mod theme;

pub use course::lessons;
pub use doc::{PuzzleError, read, write};
pub use mine::{Mined, Wanted, mine};
pub use proof::{Unproved, solve};
pub use puzzle::{Problem, Puzzle};
pub use solve::{Goal, Solver, TooMany};
pub use theme::Theme;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
