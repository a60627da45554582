//! What opens the seats of a game: words derived from the server's key and a number that stands in the game, so that
//! neither the database nor its backups hold any. Games of the first version keep their words in clear.

use crate::services::word;
use crate::table::{Opener, Table, Who};
use axum_extra::extract::cookie::Key;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

/// Bytes of a word: enough that nobody can guess it.
const BYTES: usize = 16;

/// The key from which words are derived.
#[derive(Clone)]
pub struct SeatKeys {
    key: Vec<u8>,
}

impl std::fmt::Debug for SeatKeys {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SeatKeys")
    }
}

impl SeatKeys {
    /// The words of a server with this key.
    pub fn new(key: &Key) -> SeatKeys {
        SeatKeys {
            key: key.master().to_vec(),
        }
    }

    /// The word that opens a seat.
    pub fn word(&self, opener: &Opener) -> String {
        match opener {
            Opener::Word(word) => word.clone(),
            Opener::Number(number) => {
                // A key may have any length.
                let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(&self.key) else {
                    return String::new();
                };
                mac.update(b"husun seat ");
                mac.update(number.as_bytes());
                word(&mac.finalize().into_bytes()[..BYTES])
            }
        }
    }

    /// Whose seat a word or, without one, a guest opens. An invitation that was taken opens nothing but for the one
    /// who took it.
    pub fn seat_of(&self, table: &Table, said: Option<&str>, guest: &str) -> Option<Who> {
        let Some(said) = said.filter(|s| !s.is_empty()) else {
            return table.seat_of_guest(guest);
        };
        let opens = |opener: &Opener| same(&self.word(opener), said);
        let seat = table.openers().find(|(_, opener)| opens(opener));
        if let Some((who, _)) = seat {
            return Some(who);
        }
        let own = table.seat_of_guest(guest)?;
        let invited = table.invitations().find(|(_, opener)| opens(opener));
        invited.map(|(who, _)| who).filter(|who| *who == own)
    }
}

/// Compares words in a time that does not tell how much of them agrees.
fn same(a: &str, b: &str) -> bool {
    !a.is_empty()
        && a.len() == b.len()
        && a.bytes().zip(b.bytes()).fold(0, |d, (x, y)| d | (x ^ y)) == 0
}
