//! Those who moderate, and who runs the server: what they do, what they see, and what people report. Every act is stored
//! with its entry in the log; one follows another. It works without a server, too, on the storage alone: what games
//! have to be told then waits for the next start.

mod acts;
mod bans;
mod chat;
mod keep;
pub(crate) mod look;
mod reports;

pub use bans::{Announced, Bans, moment};
pub use reports::About;

use crate::accounts::Accounts;
use crate::directory::Directory;
use crate::leading::Wake;
use crate::lobby::Lobby;
use crate::refusal::{Reason, Refused, refused};
use crate::services::wall_ms;
use crate::tournaments::Tournaments;
use crate::wire::{ActDone, ModerationAct};
use crate::work::Work;
use bytes::Bytes;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use store::accounts::AccountRow;
use store::moderation::ModerationStore;
use store::{SqlStore, Store};
use tokio::sync::{Mutex, Notify};

/// Who acts.
#[derive(Clone, Debug)]
pub enum Actor {
    /// Who runs the server.
    Operator,
    /// An account that moderates.
    Moderator(Box<AccountRow>),
}

impl Actor {
    /// As the log knows the one who acts.
    fn id(&self) -> &str {
        match self {
            Actor::Operator => "",
            Actor::Moderator(account) => &account.id,
        }
    }

    /// The name.
    pub fn name(&self) -> &str {
        match self {
            Actor::Operator => look::OPERATOR,
            Actor::Moderator(account) => &account.name,
        }
    }

    /// Whether it is who runs the server.
    pub fn is_operator(&self) -> bool {
        matches!(self, Actor::Operator)
    }

    fn needs_operator(&self) -> Result<(), Refused> {
        match self {
            Actor::Operator => Ok(()),
            Actor::Moderator(_) => Err(refused(
                Reason::Operator,
                "only the server's operator can do that",
            )),
        }
    }
}

/// What moderation has to do with.
#[derive(Clone)]
pub struct Moderation {
    inner: Arc<Inner>,
}

struct Inner {
    store: Arc<dyn ModerationStore>,
    games: Arc<dyn Store>,
    accounts: Accounts,
    bans: Arc<Bans>,
    work: Work,
    live: Option<Live>,
    /// Held while something is done.
    acting: Mutex<()>,
    /// How often what holds was changed elsewhere, or could not be read, and how many of these changes have been read.
    heard: AtomicU64,
    known: AtomicU64,
    /// It is, or something else holds from now on.
    changed: Notify,
    /// Something is to be told to games.
    waits: Arc<Wake>,
}

/// The games and people of a server that runs.
struct Live {
    directory: Directory,
    lobby: Lobby,
    tournaments: Tournaments,
}

impl Moderation {
    /// Moderation beside a server that runs.
    pub fn new(
        store: &SqlStore,
        accounts: Accounts,
        directory: Directory,
        lobby: Lobby,
        tournaments: Tournaments,
    ) -> Moderation {
        let services = directory.services().clone();
        let bans = services.bans.clone();
        let work = services.work.clone();
        let live = Some(Live {
            directory,
            lobby,
            tournaments,
        });
        Moderation::over(store, accounts, bans, work, live)
    }

    /// Moderation of a storage whose server does not run.
    pub fn alone(store: &SqlStore, accounts: Accounts, work: Work) -> Moderation {
        let bans = accounts.bans().clone();
        Moderation::over(store, accounts, bans, work, None)
    }

    fn over(
        store: &SqlStore,
        accounts: Accounts,
        bans: Arc<Bans>,
        work: Work,
        live: Option<Live>,
    ) -> Moderation {
        Moderation {
            inner: Arc::new(Inner {
                store: Arc::new(store.clone()),
                games: Arc::new(store.clone()),
                accounts,
                bans,
                work,
                live,
                acting: Mutex::default(),
                heard: AtomicU64::new(0),
                known: AtomicU64::new(0),
                changed: Notify::new(),
                waits: Wake::new("moderation"),
            }),
        }
    }

    /// What holds now.
    pub fn bans(&self) -> &Arc<Bans> {
        &self.inner.bans
    }

    /// Reads what holds.
    pub async fn read(&self) -> Result<(), Refused> {
        let store = &self.inner.store;
        let now_ms = wall_ms();
        let bans = store.bans_in_force(now_ms).await?;
        let moderators = store.moderators().await?;
        let announcements = store.announcements(now_ms).await?;
        self.inner.bans.set(bans, moderators, announcements);
        Ok(())
    }

    /// Does something, and has it hold from then on.
    pub async fn act(&self, actor: &Actor, act: ModerationAct) -> Result<ActDone, Refused> {
        let _one = self.inner.acting.lock().await;
        let done = self.perform(actor, act).await?;
        if let Err(refused) = self.read().await {
            // It is stored, and read again in a moment.
            tracing::error!(message = %refused.message, "what was done does not hold yet");
            self.inner.heard.fetch_add(1, Relaxed);
        }
        self.inner.changed.notify_one();
        if let Some(live) = &self.inner.live {
            let services = live.directory.services();
            if !services.is_alone() {
                services.bus.publish(keep::TOLD, Bytes::new());
            }
        }
        self.after(&done.follows).await;
        self.inner.waits.wake();
        tracing::info!(by = actor.name(), told = %done.told.told, "moderation");
        Ok(done.told)
    }
}
