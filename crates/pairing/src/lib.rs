//! Who plays whom: Swiss pairing by the Dutch rules of FIDE ([`dutch()`]), round-robin tables ([`round_robin()`]), and
//! pairing of players waiting in an arena ([`arena()`]). Pure functions of their arguments: no I/O, no time, no
//! chance, the same answer for the same question. It knows no game and no storage.

mod arena;
mod berger;
mod dutch;
mod entrant;

pub use arena::{MAX_TOGETHER, Waiting, arena};
pub use berger::{double_round_robin, round_robin};
pub use dutch::dutch;
pub use entrant::{Colour, Entrant, PairingError, Past, Round, Rules, Spent};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
