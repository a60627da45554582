//! Small boards that a socket watches, and those whose words in chat it is not told: both come from outside the game that it
//! may be in.

use super::Session;
use crate::refusal::{Reason, Refused, refused};
use crate::state::App;
use crate::watching::{BOARDS, mutes_told};
use crate::wire::{ServerMessage, WatchedBoards};
use bus::{Listener, Subscription};
use bytes::Bytes;
use play::table::Person;
use std::sync::Arc;
use tokio::sync::{Notify, watch};

impl Session {
    /// Watches boards instead of those before.
    pub(super) async fn watch_boards(&mut self, games: Vec<String>) -> Result<(), Refused> {
        if games.len() > BOARDS {
            let message = format!("{} boards, expected at most {BOARDS}", games.len());
            return Err(refused(Reason::Limit, message));
        }
        let listener = self.texts();
        let before = std::mem::take(&mut self.boards);
        let watching = &self.app.watching;
        let (places, boards, gone) = watching.watch(games, before, &listener).await?;
        self.boards = places;
        let boards = WatchedBoards { boards, gone };
        self.outbox.tell(&ServerMessage::Boards(boards));
        Ok(())
    }
}

/// Those whom the one at a socket does not want to read, as far as there can be any.
pub(super) struct Mutes {
    people: Option<(watch::Receiver<Vec<String>>, Subscription)>,
    missed: Arc<Notify>,
}

/// Takes over whom somebody does not want to read.
struct Taken(watch::Sender<Vec<String>>, Arc<Notify>);

impl Listener for Taken {
    fn hear(&self, message: &Bytes) -> bool {
        if let Ok(people) = serde_json::from_slice(message) {
            self.0.send_replace(people);
        }
        true
    }

    fn missed(&self) {
        self.1.notify_one();
    }
}

impl Mutes {
    /// Those of a person, who is listened to before the storage is asked. It is told where something may be missed.
    pub async fn of(app: &App, person: &Person, missed: Arc<Notify>) -> Result<Mutes, Refused> {
        if !person.account {
            return Ok(Mutes {
                people: None,
                missed,
            });
        }
        let (taken, people) = watch::channel(Vec::new());
        let bus = &app.directory.services().bus;
        let taken = Arc::new(Taken(taken, missed.clone()));
        let subject = mutes_told(&person.guest);
        let place = bus.subscribe(&subject, taken.clone());
        let busy = |_| refused(Reason::Busy, "the server is too busy; try again");
        let place = place.await.map_err(busy)?;
        let known = app.watching.muted_ids(person).await?;
        taken.0.send_if_modified(|now| {
            let first = now.is_empty() && !known.is_empty();
            if first {
                *now = known;
            }
            first
        });
        Ok(Mutes {
            people: Some((people, place)),
            missed,
        })
    }

    /// Told when something may have been missed.
    pub fn missed(&self) -> Arc<Notify> {
        self.missed.clone()
    }

    /// As they are.
    pub fn now(&mut self) -> Vec<String> {
        let people = self.people.as_mut();
        people.map_or_else(Vec::new, |(people, _)| people.borrow_and_update().clone())
    }

    /// Waits until they are others.
    pub async fn changed(&mut self) -> Vec<String> {
        let Some((people, _)) = &mut self.people else {
            return std::future::pending().await;
        };
        match people.changed().await {
            Ok(()) => people.borrow_and_update().clone(),
            Err(_) => std::future::pending().await,
        }
    }
}
