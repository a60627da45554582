//! UCI and XBoard: text to commands and back, and the sessions that drive an engine with them.
//!
//! A session needs a [`Host`]: the available games, files of games, engines for them. [`StandardHost`] is the one of
//! this program; tests bring their own. Searching itself is the engine's job.
//!
//! ```
//! use husun_protocol::{StandardHost, uci};
//!
//! let mut answer = Vec::new();
//! uci::run(StandardHost::default(), &b"isready\nquit\n"[..], &mut answer).unwrap();
//! assert_eq!(answer, b"readyok\n");
//! ```

pub mod board;
mod events;
mod host;
mod lines;
mod session_core;
pub mod settings;
mod standard_host;
#[cfg(test)]
mod testing;
pub mod uci;
pub mod xboard;

pub use host::{Host, HostError, SearchRequest, Thinker};
pub use lines::{InputLine, Lines, MAX_LINE};
pub use standard_host::{StandardHost, load_game};
