//! The play server: live games, storage, HTTP and WebSocket, and the browser client's files.
//!
//! A game is a [`play::table::Table`], a value that events change; the task in `task.rs` owns it, has every event stored and
//! then tells the sockets. Rules, search and drawing are the libraries'.

pub mod accounts;
pub mod archive;
pub mod clock;
pub mod config;
pub mod directory;
pub mod engines;
#[cfg(test)]
mod forms;
pub mod http;
mod lasting;
pub mod leading;
pub mod limits;
pub mod lobby;
pub mod moderation;
pub mod net;
pub mod node;
pub mod notices;
pub mod operator;
pub mod outgoing;
mod pgn;
pub mod positions;
pub mod presence;
pub mod ratings;
pub mod refusal;
pub mod reviews;
pub mod seats;
mod serve;
pub mod services;
mod slow;
pub mod socket;
pub mod state;
pub mod task;
pub mod telemetry;
pub mod tournaments;
pub mod vacations;
pub mod visitor;
pub mod votes;
pub mod watching;
pub mod work;

pub use config::{Config, ConfigError, NodeConfig};
pub use serve::{Running, ServeError, bind, take_folder};
pub use wire;
