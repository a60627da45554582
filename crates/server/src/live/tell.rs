//! What sockets are told: written once for all who are told the same.

use super::{Live, Outbox};
use crate::table::{Event, Who};
use crate::wire::{ChatLine, Now, ServerMessage};
use axum::extract::ws::Utf8Bytes;
use metrics::counter;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use tokio::sync::mpsc::{self, error::TrySendError};

impl Outbox {
    /// A way on which so many messages can wait, and its other end.
    pub fn new(capacity: usize) -> (Outbox, mpsc::Receiver<Utf8Bytes>) {
        let (queue, outgoing) = mpsc::channel(capacity);
        let lost = Arc::default();
        (Outbox { queue, lost }, outgoing)
    }

    /// Whether a message was lost, so that the socket must be closed.
    pub fn has_lost(&self) -> bool {
        self.lost.load(Relaxed)
    }

    /// Sends a message.
    pub fn tell(&self, message: &ServerMessage) {
        match serde_json::to_string(message) {
            Ok(text) => drop(self.send(text.into())),
            Err(error) => tracing::error!(%error, "a message cannot be written"),
        }
    }

    /// Sends a message that is written already; false if the socket is gone or does not keep up.
    fn send(&self, text: Utf8Bytes) -> bool {
        let sent = self.queue.try_send(text);
        if let Err(TrySendError::Full(_)) = sent
            && !self.lost.swap(true, Relaxed)
        {
            counter!("husun_slow_sockets_total").increment(1);
        }
        sent.is_ok()
    }
}

impl Live {
    pub(super) fn now_message(&self) -> Now {
        self.table
            .now(self.now(), &self.presence(), self.trouble.as_deref())
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
                    let players = |who| matches!(who, Who::Player(_));
                    self.tell_those(players, &ServerMessage::Chat(line));
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

    /// Tells the one who appoints a person the secret of the Counsellor's seat.
    pub(super) fn tell_link(&self, outbox: &Outbox, events: &[Event]) {
        for event in events {
            if let Event::Appointed {
                secret: Some(seat), ..
            } = event
            {
                let seat = seat.clone();
                outbox.tell(&ServerMessage::CounselLink { seat });
            }
        }
    }
}
