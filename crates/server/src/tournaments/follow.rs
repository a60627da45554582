//! Tournaments as all nodes know them: whoever changes one tells the others, which read it again when they need it. What
//! was not heard is found by looking now and then.

use super::Tournaments;
use super::live::{Live, damaged};
use crate::refusal::{Reason, Refused};
use crate::work::Weight;
use bus::Listener;
use bytes::Bytes;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::time::Duration;

/// Where nodes are told that a tournament has changed.
const TOLD: &str = "tournaments";
/// How often it is looked what was not heard.
const LOOK: Duration = Duration::from_secs(2);

/// A tournament has come so far.
#[derive(Debug, Serialize, Deserialize)]
struct Changed {
    id: String,
    n: u64,
}

impl Tournaments {
    /// Knows what is not over, for as long as the server runs.
    pub async fn follow(self) {
        let services = self.inner.directory.services().clone();
        if services.is_alone() {
            // Who plays them reads them.
            return;
        }
        let listener: Arc<dyn Listener> = Arc::new(Nodes(self.clone()));
        let mut listens = None;
        loop {
            if listens.is_none() {
                // Until then they are looked at.
                listens = services.bus.subscribe(TOLD, listener.clone()).await.ok();
            }
            if let Err(refused) = self.look_again().await {
                tracing::warn!(message = %refused.message, "tournaments are looked at later");
            }
            let _ = tokio::time::timeout(LOOK, self.inner.told.notified()).await;
        }
    }

    /// Takes over what is not over.
    pub(super) async fn read_open(&self) -> Result<(), Refused> {
        for row in self.inner.store.open_tournaments().await? {
            let id = row.id.clone();
            if self.live().contains_key(&id) {
                continue;
            }
            match self.read(row).await {
                Ok(live) => {
                    self.live().entry(id).or_insert(live);
                }
                Err(refused) if refused.reason == Reason::Damaged => {
                    tracing::error!(tournament = id, message = %refused.message, "it is left aside");
                }
                Err(refused) => return Err(refused),
            }
        }
        Ok(())
    }

    /// Looks which tournaments others have made, changed or ended.
    async fn look_again(&self) -> Result<(), Refused> {
        let known = self.all_live();
        let stored = self.inner.store.tournaments_now().await?;
        for live in &known {
            match stored.iter().find(|(id, _)| *id == live.id) {
                Some((_, seq)) if u64::try_from(*seq) == Ok(live.now().seq()) => {}
                // It is read when it is needed.
                Some(_) => live.doubt(),
                None => {
                    live.doubt();
                    self.freshened(live).await?;
                }
            }
        }
        self.read_open().await
    }

    /// Reads what others have stored of a tournament, if it is not known whether that is here.
    pub(super) async fn freshened(&self, live: &Arc<Live>) -> Result<(), Refused> {
        if live.is_stale() {
            let _gate = live.gate.lock().await;
            self.freshen(live).await?;
        }
        Ok(())
    }

    /// [`Self::freshened`] for one who holds its gate.
    pub(super) async fn freshen(&self, live: &Arc<Live>) -> Result<(), Refused> {
        let Some(doubts) = live.doubts() else {
            return Ok(());
        };
        let before = live.now();
        let seq = i64::try_from(before.seq()).unwrap_or(i64::MAX);
        let new = self.inner.store.tournament_events(&live.id, seq).await?;
        if new.is_empty() {
            live.renew(doubts, (*before).clone());
            return Ok(());
        }
        let paired = before.pairings().len();
        let add = move || {
            let new = new.iter().map(|event| (event.wall_ms, event.body.as_str()));
            (*before).clone().after(new)
        };
        let work = self.inner.directory.work();
        let after = work.run(Weight::Light, add).await?;
        let after = after.map_err(|error| damaged(&live.id, &error))?;
        let unmade = self.unmade(&after, paired).await?;
        live.to_make(unmade.into_iter());
        live.renew(doubts, after);
        self.put_away(live);
        Ok(())
    }

    /// Takes over what this node plays from now on: others may have written until a moment ago, and have made games or not.
    pub(super) async fn take_over(&self) -> Result<(), Refused> {
        if !self.inner.directory.services().is_alone() {
            for live in self.all_live() {
                live.doubt();
                let _gate = live.gate.lock().await;
                self.freshen(&live).await?;
                live.to_make(self.unmade(&live.now(), 0).await?.into_iter());
                live.doubt_games();
            }
        }
        self.read_open().await
    }

    /// Tells other nodes how far a tournament is.
    pub(super) fn tell_nodes(&self, live: &Live) {
        let services = self.inner.directory.services();
        if services.is_alone() {
            return;
        }
        let changed = Changed {
            id: live.id.clone(),
            n: live.now().seq(),
        };
        // Numbers and texts alone: there is nothing in it that JSON cannot say.
        let text = serde_json::to_vec(&changed).unwrap_or_default();
        services.bus.publish(TOLD, text.into());
    }

    fn hear(&self, changed: &Changed) {
        let live = self.live().get(&changed.id).cloned();
        match live {
            // It is read when it is needed.
            Some(live) if live.now().seq() < changed.n => live.doubt(),
            Some(_) => {}
            None => self.inner.told.notify_one(),
        }
    }
}

/// Hears what other nodes tell.
struct Nodes(Tournaments);

impl Listener for Nodes {
    fn hear(&self, message: &Bytes) -> bool {
        if let Ok(changed) = serde_json::from_slice(message) {
            self.0.hear(&changed);
        }
        true
    }

    fn missed(&self) {
        self.0.inner.told.notify_one();
    }
}

#[cfg(test)]
#[test]
fn messages_are_understood_as_they_were_ever_sent() {
    use crate::forms::keep;
    keep::<Changed>(
        include_str!("../../tests/data/messages/tournaments-changed.jsonl"),
        None,
    );
}
