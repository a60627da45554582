//! What of a game its files depend on, as a hash: of a network the board, the pieces and the rules, of positions to
//! train one and of tablebases the start as well. A name, a colour or a clock may change without it.

use husun::Variant;
use sha2::{Digest, Sha256};

/// The hash of a game's definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Identity(pub [u8; 32]);

impl Identity {
    /// That of a game.
    pub fn of(variant: &Variant) -> Identity {
        Identity::hash(&variant.canonical(true))
    }

    /// That of a game whatever its start: two games of which it is the same can share positions and a network.
    pub fn apart_from_start(variant: &Variant) -> Identity {
        Identity::hash(&variant.canonical(false))
    }

    fn hash(text: &str) -> Identity {
        Identity(Sha256::digest(text.as_bytes()).into())
    }
}
