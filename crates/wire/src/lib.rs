//! What goes over the wire: every JSON shape of the HTTP interface and of the socket, in one place, from which the
//! OpenAPI document and the client's types are made, how a message is read ([`read`]), and how a game is told
//! ([`show`]). No I/O.

mod account;
mod analysis;
mod archive;
mod game;
mod lesson;
mod lobby;
mod moderation;
mod nodes;
mod notice;
mod rating;
pub mod read;
mod review;
pub mod show;
mod socket;
mod tablebase;
mod tournament;
mod variant;
mod vote;
mod watching;

pub use account::*;
pub use analysis::*;
pub use archive::*;
pub use game::*;
pub use lesson::*;
pub use lobby::*;
pub use moderation::*;
pub use nodes::*;
pub use notice::*;
pub use rating::*;
pub use review::*;
pub use socket::*;
pub use tablebase::*;
pub use tournament::*;
pub use variant::*;
pub use vote::*;
pub use watching::*;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// One of the two sides. White is also South or Pure-White, Black North or Blue-Stripe.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// Moves first.
    White,
    /// Moves second.
    Black,
}

impl From<husun::Side> for Side {
    fn from(side: husun::Side) -> Side {
        match side {
            husun::Side::White => Side::White,
            husun::Side::Black => Side::Black,
        }
    }
}

impl From<Side> for husun::Side {
    fn from(side: Side) -> husun::Side {
        match side {
            Side::White => husun::Side::White,
            Side::Black => husun::Side::Black,
        }
    }
}

/// A value for each side.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Both<T> {
    /// White's.
    pub white: T,
    /// Black's.
    pub black: T,
}

impl<T> Both<T> {
    /// Makes each side's value.
    pub fn of(mut f: impl FnMut(husun::Side) -> T) -> Both<T> {
        Both {
            white: f(husun::Side::White),
            black: f(husun::Side::Black),
        }
    }
}

impl<T> From<play::Both<T>> for Both<T> {
    fn from(both: play::Both<T>) -> Both<T> {
        let play::Both { white, black } = both;
        Both { white, black }
    }
}

/// Why a request was refused.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct Refusal {
    /// A word for programs, as `illegal_move`.
    pub code: String,
    /// What is wrong, where, and what was expected, for people.
    pub message: String,
}
