//! UCI and XBoard: text to commands and back, and the sessions that drive an engine by them.
//!
//! A session needs a [`Host`]: the games there are, files of games, engines for them. [`Home`] is the
//! one of this program; tests bring their own. Searching itself is the engine's.
//!
//! ```
//! use protocol::{Home, uci};
//!
//! let mut answer = Vec::new();
//! uci::run(Home::default(), &b"isready\nquit\n"[..], &mut answer).unwrap();
//! assert_eq!(answer, b"readyok\n");
//! ```

pub mod board;
mod events;
mod home;
mod host;
mod lines;
mod room;
pub mod settings;
#[cfg(test)]
mod talk;
pub mod uci;
pub mod xboard;

pub use home::{Home, own_values, values_path};
pub use host::{Host, HostError, Task, Thinker};
pub use lines::{Line, Lines, MAX_LINE};
