//! What the lobby is asked by other nodes where it is led, and what a socket is told before it has the list.

use super::Lobby;
use crate::refusal::Refused;
use bus::Listener;
use bytes::Bytes;
use husun::clock::TimeControl;
use play::lobby::{Wanted, Wish};
use play::table::Person;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::sync::{Arc, Mutex, PoisonError};

/// What the lobby is asked.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "ask", rename_all = "snake_case")]
pub(super) enum Ask {
    /// The list, for somebody.
    Look { guest: String },
    /// Somebody wishes for an opponent.
    Seek { person: Person, wish: Wish },
    /// Somebody accepts a seek.
    Accept {
        id: String,
        person: Person,
        game: Option<Wanted>,
        clock: Option<TimeControl>,
    },
    /// Somebody takes a seek back.
    Withdraw { id: String, guest: String },
    /// Somebody does not play with another any more.
    KeepApart { guest: String, other: String },
    /// An account is deleted.
    Forget { guest: String },
}

impl Lobby {
    /// Answers other nodes.
    pub(super) async fn serve(&self) {
        let answer = |ask| {
            let lobby = self.clone();
            async move { lobby.answer(ask).await }
        };
        self.inner.led.serve(answer).await;
    }

    async fn answer(&self, ask: Ask) -> Result<Value, Refused> {
        match ask {
            Ask::Look { guest } => Ok(value(&self.look_here(&guest))),
            Ask::Seek { person, wish } => self.seek_here(&person, wish).await.map(|m| value(&m)),
            Ask::Accept {
                id,
                person,
                game,
                clock,
            } => {
                let paired = self.accept_here(&id, &person, game, clock).await;
                paired.map(|paired| value(&paired))
            }
            Ask::Withdraw { id, guest } => {
                self.withdraw_here(&id, &guest).await?;
                Ok(Value::Null)
            }
            Ask::KeepApart { guest, other } => {
                self.state().keep_apart(&guest, &other);
                Ok(Value::Null)
            }
            Ask::Forget { guest } => {
                self.forget_here(&guest);
                Ok(Value::Null)
            }
        }
    }
}

fn value(answer: &impl Serialize) -> Value {
    // What goes over the wire always is JSON.
    serde_json::to_value(answer).unwrap_or_default()
}

/// Keeps changes of the list back until the list itself is told.
pub(super) struct Held {
    listener: Arc<dyn Listener>,
    /// Changes that wait; nothing once the list is told.
    waiting: Mutex<Option<Vec<Bytes>>>,
}

/// The number of a change.
#[derive(Deserialize)]
struct Numbered {
    n: u64,
}

impl Held {
    pub fn new(listener: Arc<dyn Listener>) -> Held {
        Held {
            listener,
            waiting: Mutex::new(Some(Vec::new())),
        }
    }

    /// Has the list told, which has all up to a number, and then what has come since.
    pub fn release(&self, tell: impl FnOnce(), n: u64) {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        tell();
        for change in waiting.take().unwrap_or_default() {
            let number = serde_json::from_slice::<Numbered>(&change);
            if number.is_ok_and(|number| number.n > n) {
                self.listener.hear(&change);
            }
        }
    }
}

impl Listener for Held {
    fn hear(&self, message: &Bytes) -> bool {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        match &mut *waiting {
            Some(waiting) => waiting.push(message.clone()),
            None => {
                drop(waiting);
                return self.listener.hear(message);
            }
        }
        true
    }

    fn missed(&self) {
        self.listener.missed();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Default)]
    struct Hears(Mutex<Vec<String>>);

    impl Listener for Hears {
        fn hear(&self, message: &Bytes) -> bool {
            let text = String::from_utf8_lossy(message).into_owned();
            let heard = self.0.lock();
            heard.unwrap_or_else(PoisonError::into_inner).push(text);
            true
        }
    }

    #[test]
    fn messages_are_understood_as_they_were_ever_sent() {
        let kept = include_str!("../../tests/data/messages/lobby-asks.jsonl");
        crate::forms::keep::<Ask>(kept, Some("ask"));
    }

    #[test]
    fn the_list_is_told_before_its_changes() {
        let hears = Arc::new(Hears::default());
        let held = Held::new(hears.clone());
        let change = |n: u64| Bytes::from(format!("{{\"n\":{n}}}"));
        for n in [4, 5, 6] {
            assert!(held.hear(&change(n)));
        }
        let told = || {
            hears.hear(&"the list".into());
        };
        held.release(told, 5);
        held.hear(&change(7));
        let heard = hears.0.lock().unwrap_or_else(PoisonError::into_inner);
        assert_eq!(*heard, ["the list", "{\"n\":6}", "{\"n\":7}"]);
    }
}
