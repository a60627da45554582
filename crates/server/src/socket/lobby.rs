//! A socket's place in the lobby, and at a tournament: what is told there goes out as it comes.

use super::Session;
use super::outbox::Outbox;
use crate::refusal::Refused;
use crate::wire::ServerMessage;
use axum::extract::ws::Utf8Bytes;
use bus::Listener;
use bytes::Bytes;
use std::sync::Arc;

/// Sends what it hears: messages of the lobby are written for browsers.
pub(super) struct Texts(pub Outbox);

impl Listener for Texts {
    fn hear(&self, message: &Bytes) -> bool {
        match Utf8Bytes::try_from(message.clone()) {
            Ok(text) => self.0.send(text),
            Err(_) => true,
        }
    }
}

impl Session {
    /// Comes to the lobby, or is told all of it anew.
    pub(super) async fn enter_lobby(&mut self) -> Result<(), Refused> {
        let listener = Arc::new(Texts(self.outbox.clone()));
        let tell = |lobby| self.outbox.tell(&ServerMessage::Lobby(lobby));
        let place = self.app.lobby.enter(&self.person, listener, tell).await?;
        // The place before goes when this one is there, so that nobody seems to leave.
        self.place = Some(place);
        Ok(())
    }

    /// Comes to a tournament; the number of its last change is told, so that nothing falls between.
    pub(super) async fn enter_tournament(&mut self, id: &str) -> Result<(), Refused> {
        let listener = Arc::new(Texts(self.outbox.clone()));
        let tournaments = &self.app.tournaments;
        let place = tournaments.enter(id, &self.person, listener).await?;
        let change = place.change();
        self.outbox.tell(&ServerMessage::TournamentChange(change));
        self.tournament = Some(place);
        Ok(())
    }
}
