//! UCI, the Universal Chess Interface, with the options that variants need. `command` reads, `reply`
//! writes, `session` holds a game and an engine.

mod command;
mod reply;
mod session;
#[cfg(test)]
mod tests;

pub use command::{Command, CommandError, Go, Start, parse};
pub use reply::{info, option, variant};
pub use session::run;
