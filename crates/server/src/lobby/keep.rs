//! The lobby where it is led: what waits in storage is taken over, and what changes is told.

use super::state::{State, Waiting};
use super::{HOUR_MS, KeptSeek, Lobby, PARTS, list_told};
use crate::leading;
use crate::presence::LOBBY;
use crate::refusal::Refused;
use crate::services::wall_ms;
use crate::wire::ServerMessage;
use bytes::Bytes;
use std::time::{Duration, Instant};

/// Changes of the list are told together, so often.
const TELL: Duration = Duration::from_millis(250);
/// How often it is looked for seeks whose time is over.
const SWEEP: Duration = Duration::from_secs(1);
/// What is over is forgotten after this.
const FORGOTTEN_MS: i64 = 24 * 3_600_000;
/// Where so many are here that it matters.
const MANY: usize = 100;

impl Lobby {
    /// Holds the lobby for as long as this node leads, whenever it does.
    pub async fn keep(self) {
        let services = self.inner.directory.services().clone();
        leading::while_leading(services, || self.hold()).await;
    }

    /// Takes over what waits in storage, then answers other nodes, tells what changes and forgets what is over.
    async fn hold(&self) {
        // Whoever knows another lobby comes anew.
        let n = u64::try_from(wall_ms()).unwrap_or_default();
        *self.state() = State::beginning_at(n);
        while let Err(refused) = self.read().await {
            tracing::warn!(message = %refused.message, "seeks cannot be read yet");
            tokio::time::sleep(SWEEP).await;
        }
        let _open = self.inner.led.open();
        tokio::join!(self.serve(), self.tell_changes());
    }

    async fn tell_changes(&self) {
        let mut sweeps = tokio::time::interval(SWEEP);
        let mut forgotten = Instant::now();
        loop {
            tokio::select! {
                () = self.inner.changed.notified() => {
                    self.tell_change().await;
                }
                () = self.inner.presence.changed() => {
                    self.tell_change().await;
                }
                _ = sweeps.tick() => {
                    let here = |guest: &str| self.is_here(guest);
                    self.state().sweep(Instant::now(), wall_ms(), here);
                    self.inner.changed.notify_one();
                }
            }
            if forgotten.elapsed() > Duration::from_millis(HOUR_MS as u64) {
                forgotten = Instant::now();
                let before = wall_ms() - FORGOTTEN_MS;
                if let Err(error) = self.inner.store.forget_offers(before).await {
                    tracing::warn!(%error, "old offers are forgotten later");
                }
            }
        }
    }

    async fn read(&self) -> Result<(), Refused> {
        for row in self.inner.store.open_offers(wall_ms()).await? {
            let kept: KeptSeek = match serde_json::from_str(&row.body) {
                Ok(kept) => kept,
                Err(error) => {
                    tracing::error!(offer = row.id, %error, "a seek cannot be read; it is left aside");
                    continue;
                }
            };
            let seek = Waiting {
                id: row.id,
                strength: self.strength(&kept.person).await?,
                apart: self.apart(&kept.person).await?,
                person: kept.person,
                wish: kept.wish,
                made_ms: row.made_ms,
                until_ms: row.until_ms,
                kept: true,
            };
            if self.state().find(&seek.id).is_none() {
                let _ = self.state().add(seek);
            }
        }
        Ok(())
    }

    /// Tells what has changed, and pauses.
    async fn tell_change(&self) {
        let here = self.inner.presence.count(LOBBY);
        let change = self.state().change(here, |seek| self.shown(seek));
        let Some(change) = change else {
            return;
        };
        let text = match serde_json::to_vec(&ServerMessage::LobbyChange(change)) {
            Ok(text) => Bytes::from(text),
            Err(error) => {
                tracing::error!(%error, "a message cannot be written");
                return;
            }
        };
        for part in 0..PARTS {
            self.bus().publish(&list_told(part), text.clone());
            if here > MANY {
                tokio::time::sleep(TELL / PARTS as u32).await;
            }
        }
        if here <= MANY {
            tokio::time::sleep(TELL).await;
        }
    }
}
