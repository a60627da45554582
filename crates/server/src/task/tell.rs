//! What sockets are told: written once for all who are told the same.

use super::GameTask;
use crate::brains::Purpose;
use crate::table::{Event, Who};
use crate::wire::{ChatLine, Now, ServerMessage};
use axum::extract::ws::Utf8Bytes;

impl GameTask {
    pub(super) fn now_message(&self) -> Now {
        let mut now = self.table.now(self.now(), &self.presence(), self.trouble());
        self.still(&mut now);
        now.engine_waits = self.engine_waits();
        now
    }

    /// How many questions come before this game's, if the engine has not taken it up.
    pub(super) fn engine_waits(&self) -> Option<u32> {
        self.thinking.as_ref()?;
        let before = self.services.brains.before(Purpose::Play, &self.id)?;
        Some(u32::try_from(before).unwrap_or(u32::MAX))
    }

    /// While the server's time stands still, so do the clocks.
    pub(super) fn still(&self, now: &mut Now) {
        if let Some(clocks) = &mut now.clocks
            && self.halted.borrow().is_some()
        {
            clocks.running = None;
        }
    }

    /// Tells that the storage is out of order, or in order again, while something is being stored: no word of that.
    pub(super) fn tell_trouble(&mut self) {
        let trouble = self.trouble().map(Into::into);
        self.tell_all(&ServerMessage::Trouble { trouble });
    }

    /// Tells the players.
    pub(super) fn tell_players(&self, message: &ServerMessage) {
        self.tell_those(|who| matches!(who, Who::Player(_)), message);
    }

    /// Tells everyone what is so now, with the last `played` moves.
    pub(super) fn tell_now(&mut self, played: usize) {
        self.presence_due = None;
        let all = self.table.played();
        let message = ServerMessage::Update {
            played: all[all.len().saturating_sub(played)..].to_vec(),
            now: Box::new(self.now_message()),
        };
        self.tell_all(&message);
    }

    /// Tells everyone. A socket that does not keep up is dropped from the game; its client comes anew.
    pub(super) fn tell_all(&mut self, message: &ServerMessage) {
        if self.sockets.is_empty() {
            return;
        }
        let text: Utf8Bytes = match serde_json::to_string(message) {
            Ok(text) => text.into(),
            Err(error) => return tracing::error!(%error, "a message cannot be written"),
        };
        self.sockets
            .retain(|_, socket| socket.outbox.send(text.clone()));
    }

    fn tell_those(&self, which: impl Fn(Who) -> bool, message: &ServerMessage) {
        for socket in self.sockets.values().filter(|s| which(s.who)) {
            socket.outbox.tell(message);
        }
    }

    pub(super) fn tell_snapshots(&self) {
        for socket in self.sockets.values() {
            let snapshot = Box::new(self.snapshot(socket.who));
            socket.outbox.tell(&ServerMessage::Snapshot(snapshot));
        }
    }

    /// What is for some ears alone.
    pub(super) fn tell_private(&self, events: &[Event]) {
        for event in events {
            match event {
                Event::Chat { side, text } => {
                    let line = ChatLine {
                        side: (*side).into(),
                        text: text.clone(),
                    };
                    self.tell_players(&ServerMessage::Chat(line));
                }
                Event::CounselAsked { side } => {
                    let counsellor = |who| who == Who::Counsellor(*side);
                    self.tell_those(counsellor, &ServerMessage::CounselAsked);
                }
                Event::Advised { side, text } => {
                    let text = text.clone();
                    let player = |who| who == Who::Player(*side);
                    self.tell_those(player, &ServerMessage::Counsel { text });
                }
                _ => {}
            }
        }
    }
}
