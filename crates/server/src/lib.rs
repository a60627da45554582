//! The play server: live games, storage, HTTP and WebSocket, and the browser client's files.
//!
//! A game is a [`table::Table`], a value that events change; the task in `live.rs` owns it, has every event stored and
//! then tells the sockets. Rules, search and drawing are the libraries'.

pub mod backup;
pub mod brains;
pub mod config;
pub mod customs;
mod files;
pub mod guest;
pub mod hall;
pub mod http;
pub mod limits;
pub mod live;
pub mod names;
pub mod net;
mod pgn;
pub mod positions;
mod serve;
pub mod socket;
pub mod state;
pub mod store;
pub mod table;
pub mod wire;
pub mod work;
pub mod world;

pub use config::{Config, ConfigError};
pub use serve::{Running, ServeError, bind};
