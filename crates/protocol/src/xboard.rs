//! XBoard, version 2 of the Chess Engine Communication Protocol, with games that the engine defines. `command` reads,
//! `describe` tells XBoard what a game is, `setboard` reads its positions, `highlight` shows moves; `session` and
//! `think` hold a game and an engine. `feature` and `notation` serve the other end of the protocol too.

mod command;
mod describe;
mod feature;
mod highlight;
mod notation;
mod session;
mod setboard;
#[cfg(test)]
mod tests;
mod think;

pub use command::{Command, CommandError, parse};
pub use describe::{NORMAL, describe, id_of, name_of, piece_moves};
pub use feature::{Features, features};
pub use notation::{from_xboard, move_text, read_move, to_xboard};
pub use session::run;
pub use setboard::read_position;
