//! A socket's place in the lobby, and at a tournament: what is told there goes out as it comes.

use super::Session;
use super::boards::Mutes;
use super::outbox::Outbox;
use crate::refusal::Refused;
use crate::wire::ServerMessage;
use axum::extract::ws::Utf8Bytes;
use bus::Listener;
use bytes::Bytes;
use std::sync::Arc;
use tokio::sync::Notify;

/// Sends what it hears: messages of the lobby are written for browsers.
pub(super) struct Texts {
    outbox: Outbox,
    missed: Arc<Notify>,
}

impl Listener for Texts {
    fn hear(&self, message: &Bytes) -> bool {
        match Utf8Bytes::try_from(message.clone()) {
            Ok(text) => self.outbox.send(text),
            Err(_) => true,
        }
    }

    fn missed(&self) {
        self.missed.notify_one();
    }
}

impl Session {
    pub(super) fn texts(&self) -> Arc<dyn Listener> {
        Arc::new(Texts {
            outbox: self.outbox.clone(),
            missed: self.missed.clone(),
        })
    }

    /// Tells all anew of which something may have been missed.
    pub(super) async fn tell_anew(&mut self, mutes: &mut Mutes) {
        let told = async {
            if self.place.is_some() {
                self.enter_lobby().await?;
            }
            if let Some(id) = self.tournament.as_ref().map(|place| place.change().id) {
                self.enter_tournament(&id).await?;
            }
            if !self.boards.is_empty() {
                let games = self.boards.keys().cloned().collect();
                self.watch_boards(games).await?;
            }
            *mutes = Mutes::of(&self.app, &self.person, mutes.missed()).await?;
            Ok::<(), Refused>(())
        };
        match told.await {
            Ok(()) => self.game.mute(mutes.now()),
            // It is tried again.
            Err(_) => self.missed.notify_one(),
        }
    }

    /// Comes to the lobby, or is told all of it anew.
    pub(super) async fn enter_lobby(&mut self) -> Result<(), Refused> {
        let listener = self.texts();
        let tell = |lobby| self.outbox.tell(&ServerMessage::Lobby(lobby));
        let place = self.app.lobby.enter(&self.person, listener, tell).await?;
        // The place before goes when this one is there, so that nobody seems to leave.
        self.place = Some(place);
        Ok(())
    }

    /// Comes to a tournament; the number of its last change is told, so that nothing falls between.
    pub(super) async fn enter_tournament(&mut self, id: &str) -> Result<(), Refused> {
        let listener = self.texts();
        let tournaments = &self.app.tournaments;
        let place = tournaments.enter(id, &self.person, listener).await?;
        let change = place.change();
        self.outbox.tell(&ServerMessage::TournamentChange(change));
        self.tournament = Some(place);
        Ok(())
    }
}
