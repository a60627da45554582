//! What follows from an act: sockets end, games are told, other nodes hear of it. What could not be told is told after the
//! next start.

use super::acts::Follows;
use super::{Live, Moderation};
use crate::leading;
use crate::refusal::{Reason, Refused};
use crate::services::wall_ms;
use crate::task::messages::Ask;
use bus::Listener;
use bytes::Bytes;
use play::table::with_name;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;
use store::moderation::Resign;

/// How often it is looked whether something is to be told that nobody has spoken of.
const LOOK: Duration = Duration::from_secs(60);
/// Where nodes are told that something else holds.
pub(super) const TOLD: &str = "moderation";
/// How often a node looks what others have changed of which it has not heard.
const LOOK_AT_OTHERS: Duration = Duration::from_secs(5);
/// Longest wait for what others have done to hold, looked at so often.
const SETTLE: Duration = Duration::from_secs(1);
const SETTLING: u32 = 50;
/// Pause after something went wrong.
const AGAIN: Duration = Duration::from_secs(2);

impl Moderation {
    /// Tells at once what cannot wait.
    pub(super) async fn after(&self, follows: &Follows) {
        match follows {
            Follows::Nothing => {}
            Follows::Ended(sessions) => self.inner.accounts.tell_ended(sessions.clone()),
            Follows::Gone(person, sessions) => {
                self.inner.accounts.tell_ended(sessions.clone());
                if let Some(live) = &self.inner.live {
                    live.lobby.forget(person).await;
                }
            }
            Follows::WatchersLine(game, n) => {
                if let Some(live) = &self.inner.live {
                    live.directory.remove_watchers_line(game, *n).await;
                }
            }
            Follows::Line(game, line) => {
                if let Some(live) = &self.inner.live {
                    live.directory
                        .tell_live(game, &Ask::ChatRemoved { line: *line })
                        .await;
                }
            }
        }
    }

    /// Has what all nodes have done hold here, announcements come and go, and games told, for as long as the server runs.
    pub async fn keep(self) {
        let Some(live) = &self.inner.live else { return };
        let services = live.directory.services();
        let listener: Arc<dyn Listener> = Arc::new(Nodes(self.clone()));
        let _changes = match services.is_alone() {
            true => None,
            // Until it hears of changes it looks for them.
            false => services.bus.subscribe(TOLD, listener).await.ok(),
        };
        let _heard = self.inner.waits.follow(services).await;
        let tells = leading::while_leading(services.clone(), || self.tell_ever(live));
        tokio::join!(self.hold(services.is_alone()), tells);
    }

    /// Has hold what is stored, as its time comes.
    async fn hold(&self, alone: bool) {
        let inner = &self.inner;
        loop {
            let heard = inner.heard.load(Relaxed);
            let mut longest = if alone { LOOK } else { LOOK_AT_OTHERS };
            if !alone || !self.is_settled() {
                match self.read().await {
                    Ok(()) => inner.known.store(heard, Relaxed),
                    Err(refused) => {
                        longest = AGAIN;
                        tracing::warn!(message = %refused.message, "what moderators have done is read again");
                    }
                }
            }
            let now_ms = wall_ms();
            let wait = inner.bans.pass(now_ms).map_or(longest, |at| {
                let ms = u64::try_from(at - now_ms).unwrap_or_default();
                Duration::from_millis(ms).min(longest)
            });
            let _ = tokio::time::timeout(wait, inner.changed.notified()).await;
        }
    }

    fn is_settled(&self) -> bool {
        self.inner.heard.load(Relaxed) == self.inner.known.load(Relaxed)
    }

    /// Waits, for a moment, until what other nodes have done holds here. That they have done something may be heard later
    /// than what followed from it, so storage is asked in any case.
    pub async fn settled(&self) {
        let live = self.inner.live.as_ref();
        if live.is_some_and(|live| !live.directory.services().is_alone()) {
            self.inner.heard.fetch_add(1, Relaxed);
            self.inner.changed.notify_one();
        }
        for _ in 0..SETTLING {
            if self.is_settled() {
                return;
            }
            tokio::time::sleep(SETTLE / SETTLING).await;
        }
    }

    /// Tells games what they do not know yet.
    async fn tell_ever(&self, live: &Live) {
        loop {
            let told = self.tell_all(live).await;
            if let Err(refused) = &told {
                tracing::warn!(message = %refused.message, "games are told later of what moderators do");
            }
            let longest = if told.is_ok() { LOOK } else { AGAIN };
            self.inner.waits.wait(longest).await;
        }
    }

    async fn tell_all(&self, live: &Live) -> Result<(), Refused> {
        let store = &self.inner.store;
        store.free_names(wall_ms()).await?;
        for ban in store.bans_in_force(wall_ms()).await? {
            if let (Resign::Wanted, Some(person)) = (ban.resign, &ban.person) {
                for game in live
                    .directory
                    .services()
                    .vacations
                    .running_games(person)
                    .await?
                {
                    self.expel(live, &game, person).await?;
                }
                store.resigned(&ban.id).await?;
            }
        }
        for account in store.renamed().await? {
            self.write_name(live, &account).await?;
            store.rename_told(&account).await?;
        }
        Ok(())
    }

    /// Has one game given up by a player; what it makes of that is stored when this is done.
    async fn expel(&self, live: &Live, game: &str, person: &str) -> Result<(), Refused> {
        let person = person.into();
        match live.directory.ask_game(game, &Ask::Expel { person }).await {
            Ok(_) => Ok(()),
            // It is left aside elsewhere, too.
            Err(refused) if refused.reason == Reason::Damaged => Ok(()),
            Err(refused) => Err(refused),
        }
    }

    /// Writes the name that an account bears now into its games, in storage and then in memory.
    async fn write_name(&self, live: &Live, id: &str) -> Result<(), Refused> {
        let accounts = self.inner.accounts.store();
        let Some(account) = accounts.account(id).await?.filter(|a| !a.deleted) else {
            return Ok(());
        };
        let renamed = |text: &str| with_name(text, id, &account.name);
        for game in accounts.rewrite_games(id, &renamed).await? {
            live.directory.tell_live(&game, &Ask::ReadAnew).await;
        }
        Ok(())
    }
}

/// Hears that another node has changed what holds.
struct Nodes(Moderation);

impl Listener for Nodes {
    fn hear(&self, _: &Bytes) -> bool {
        self.0.inner.heard.fetch_add(1, Relaxed);
        self.0.inner.changed.notify_one();
        true
    }

    fn missed(&self) {
        self.hear(&Bytes::new());
    }
}
