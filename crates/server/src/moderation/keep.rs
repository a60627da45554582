//! What follows from an act: sockets end, games are told. What could not be told is told after the next start.

use super::acts::Follows;
use super::{Live, Moderation};
use crate::refusal::{Reason, Refused};
use crate::services::wall_ms;
use crate::task::messages::Ask;
use play::table::with_name;
use std::time::Duration;
use store::moderation::Resign;

/// How often it is looked whether something is to be told that nobody has spoken of.
const LOOK: Duration = Duration::from_secs(60);
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
                    live.lobby.forget(person);
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

    /// Tells games what they do not know yet, and has announcements come and go, for as long as the server runs.
    pub async fn keep(self) {
        let Some(live) = &self.inner.live else { return };
        let mut read = true;
        loop {
            let told = async {
                if !read {
                    self.read().await?;
                }
                self.tell_all(live).await
            };
            let told = told.await;
            if let Err(refused) = &told {
                tracing::warn!(message = %refused.message, "games are told later of what moderators do");
            }
            read = told.is_ok();
            let longest = if read { LOOK } else { AGAIN };
            let now_ms = wall_ms();
            let next = self.inner.bans.pass(now_ms);
            let wait = next.map_or(longest, |at| {
                let ms = u64::try_from(at - now_ms).unwrap_or_default();
                Duration::from_millis(ms).min(longest)
            });
            let _ = tokio::time::timeout(wait, self.inner.waits.notified()).await;
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
