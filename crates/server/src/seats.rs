//! What opens the seats of a game: words derived from the server's key and a number that stands in the game, so that
//! neither the database nor its backups hold any. Games of the first version keep their words in clear.

use crate::services::word;
use axum_extra::extract::cookie::Key;
use hmac::{Hmac, KeyInit, Mac};
use play::Who;
use play::table::{Opener, Table};
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
            Opener::Number(number) => self.derived("seat", number),
        }
    }

    /// The word that stands for a text, for a purpose of one word: nobody without the key can make it.
    pub fn derived(&self, purpose: &str, text: &str) -> String {
        // A key may have any length.
        let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(&self.key) else {
            return String::new();
        };
        mac.update(format!("husun {purpose} ").as_bytes());
        mac.update(text.as_bytes());
        word(&mac.finalize().into_bytes()[..BYTES])
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
pub(crate) fn same(a: &str, b: &str) -> bool {
    !a.is_empty()
        && a.len() == b.len()
        && a.bytes().zip(b.bytes()).fold(0, |d, (x, y)| d | (x ^ y)) == 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use husun::Side;
    use husun::clock::TimeControl;
    use play::Both;
    use play::table::{Person, SeatSpec, Spec};
    use std::sync::Arc;
    use std::time::Duration;

    type Tested = Result<(), Box<dyn std::error::Error>>;

    const WHITE: Who = Who::Player(Side::White);
    const BLACK: Who = Who::Player(Side::Black);

    fn table(seat: impl Fn(Side) -> SeatSpec) -> Result<Table, Box<dyn std::error::Error>> {
        let mut table = Table::new(
            Spec {
                variant: Some(games::ORTHODOX.into()),
                family: None,
                fen: None,
                control: TimeControl::None,
                takebacks: false,
                public: None,
                clocks_wait: true,
                tournament: None,
                rated: false,
                engine_resigns: false,
                seats: Both::of(seat),
                seed: 1,
            },
            Arc::default(),
        )?;
        for (who, name) in [(WHITE, "Ann"), (BLACK, "Bob")] {
            let person = Person {
                guest: format!("guest{name}"),
                name: name.into(),
                ..Person::default()
            };
            for event in table.joined(who, person, format!("new {name}")) {
                table.apply(&event, Duration::ZERO)?;
            }
        }
        Ok(table)
    }

    #[test]
    fn only_the_seat_that_is_opened_is_taken() -> Tested {
        let table = table(|side| SeatSpec {
            number: format!("number of {side:?}"),
            ..SeatSpec::default()
        })?;
        let keys = SeatKeys::new(&Key::generate());
        let seat_of = |said, guest| keys.seat_of(&table, said, guest);
        let opener = table.opener(WHITE).ok_or("no opener")?;
        let white = keys.word(opener);
        assert_eq!(seat_of(Some(&white), "x"), Some(WHITE));
        assert_eq!(seat_of(Some(&white[1..]), "guestAnn"), None);
        let upper = white.to_uppercase();
        assert_eq!(seat_of(Some(&upper), "guestAnn"), None);
        assert_eq!(seat_of(None, "guestBob"), Some(BLACK));
        assert_eq!(seat_of(None, "guest"), None);
        // An invitation that was taken opens nothing, but for the one who took it; another key's word never does.
        let invitation = keys.word(&Opener::Number("number of Black".into()));
        assert_eq!(seat_of(Some(&invitation), "guestAnn"), None);
        assert_eq!(seat_of(Some(&invitation), "guestBob"), Some(BLACK));
        let foreign = SeatKeys::new(&Key::generate()).seat_of(&table, Some(&white), "x");
        assert_eq!(foreign, None);
        Ok(())
    }

    #[test]
    fn words_of_the_first_version_open_their_seats() -> Tested {
        let table = table(|side| SeatSpec {
            secret: format!("word of {side:?}"),
            kept: Some(Person {
                guest: format!("kept for {side:?}"),
                name: "Ann".into(),
                ..Person::default()
            }),
            ..SeatSpec::default()
        })?;
        let keys = SeatKeys::new(&Key::generate());
        assert_eq!(
            keys.seat_of(&table, Some("word of Black"), "x"),
            Some(BLACK)
        );
        Ok(())
    }
}
