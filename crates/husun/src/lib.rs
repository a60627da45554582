//! The rules of the citadel family of chess variants, and of any game that a game file can describe.
//!
//! A [`Variant`] is read from a game's text and gives the [`Position`] of its set-up; a position knows its
//! legal moves, makes them and writes itself as text. A [`Game`] adds history and all endings. Engines use
//! [`pos::Pos`] and [`tables::Tables`], which are generic over the width of a set of squares.
//!
//! Nothing here reads files, prints or looks at a clock.

mod attacks;
pub mod betza;
pub mod clock;
mod cpu;
mod definition;
pub mod doc;
pub mod drawing;
pub mod fen;
mod flaw;
pub mod frame;
pub mod game;
pub mod legality;
mod mechanisms;
pub mod moments;
mod movegen;
pub mod moves;
pub mod perft;
pub mod pgn;
mod piece;
mod play;
pub mod pos;
pub mod position;
pub mod reach;
pub mod record;
pub mod san;
pub mod set;
pub mod setup;
pub mod side;
mod status;
pub mod tables;
pub mod targets;
#[cfg(feature = "twin")]
pub mod twin;
pub mod variant;
mod ways;
mod width;
mod words;

pub use flaw::Flaw;
pub use frame::{Frame, Square};
pub use game::{ActionError, Game, Outcome, Reason};
pub use legality::SetupError;
pub use moments::Moment;
pub use moves::{IllegalMove, Move, PackedMove, Special};
pub use position::{Position, PositionError, UciError};
pub use san::SanError;
pub use setup::{CastlingRights, Setup};
pub use side::{Side, Wing};
pub use status::Status;
pub use targets::{Act, Target};
pub use variant::{Kind, Variant};
pub use width::{VisitPosition, VisitTables};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

/// A small game for the examples in these docs.
#[doc(hidden)]
pub mod doctest {
    /// Kings and rooks on four files and ranks.
    pub const MINI: &str = r#"
id = "mini"
name = "Mini"
[board]
files = 4
ranks = 4
[setups]
standard = "1k1r/4/4/R1K1 w - - 0 1"
[[pieces]]
letter = "K"
betza = "K"
royal = true
[[pieces]]
letter = "R"
betza = "R"
"#;
}
