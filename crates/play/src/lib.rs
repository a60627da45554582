//! What people may do in a game, as values and pure functions: making a game, its seats, what follows from a deed, and
//! the resulting state. No storage, no sockets, no time except what is given.

pub mod archive;
pub mod customs;
mod deed;
mod games;
pub mod lobby;
pub mod moderation;
pub mod names;
pub mod notice;
pub mod rating;
mod sides;
pub mod table;
pub mod tournament;
pub mod vote;

pub use deed::{Circumstances, Claim, Deed, MAX_TEXT, Refused, Who};
pub use games::{Definition, Games, KeptError, Tuning};
pub use sides::Both;

use husun::{Move, Position, UciError};

/// Reads a move in UCI form or algebraic notation. For a text that is neither, the error is the one for UCI form.
pub fn read_move(position: &Position, text: &str) -> Result<Move, UciError> {
    position
        .parse_uci(text)
        .or_else(|error| position.parse_san(text).map_err(|_| error))
}

/// Square of the royal piece in check, such as `e1`.
pub fn check(position: &Position) -> Option<String> {
    let square = position
        .in_check()
        .then(|| position.royal_square(position.turn()))??;
    Some(position.variant().frame().name(square).to_string())
}

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
