//! Tells people of what happens while they do not look: in their pages, by push, by e-mail. Whatever happens is stored
//! first and comes here by a bounded queue, so that no game waits for it; what does not fit is lost. A notice is a help:
//! the truth is in the lists of one's games and challenges.

pub mod crypto;
pub mod mail;
pub mod push;
#[cfg(test)]
mod tests;
pub mod vapid;
pub mod words;

use crate::accounts::Accounts;
use crate::directory::Directory;
use crate::lasting::Inbox;
use crate::lobby::{Lobby, told_to};
use crate::refusal::{Reason, Refused};
use crate::services::Services;
use crate::wire::{self, ServerMessage};
use futures_util::{StreamExt, stream};
use mail::Mail;
use metrics::counter;
use play::notice::{Kind, Known, PAUSE, Reader, Ways, Wishes, ways};
use push::Push;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use store::millis;
use store::notices::NoticeStore;
use store::offers::OfferStore;
use tokio::sync::mpsc;

/// What waits to be told at most.
const QUEUE: usize = 2048;
/// Told at once.
const TELLING: usize = 4;
/// How often it is looked for games in which time runs out.
const LOOK: Duration = Duration::from_secs(2);
/// Games looked at at once.
const PORTION: u32 = 50;
/// A game that cannot be read is looked at again after this.
const AGAIN: Duration = Duration::from_secs(60);
/// People of whom is remembered when they were told by push of a game at the board.
const REMEMBERED: usize = 4096;
/// Those who have joined a tournament are told so long before its start.
pub const BEFORE_START: Duration = Duration::from_secs(5 * 60);

/// Something of which a person may be told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Happening {
    /// What it is.
    pub kind: Kind,
    /// Whom it concerns: id of the account, or number of the guest.
    pub person: String,
    /// What it is about, as `game.k3x9`: what comes later about the same takes its place.
    pub subject: String,
    /// What is said.
    pub text: String,
    /// The page that it leads to.
    pub address: String,
    /// Whether nobody has to be at the board.
    pub slow: bool,
    /// Whether the person has a page open at the very game.
    pub at_board: bool,
    /// Whether open pages are told of it by another message.
    pub shown: bool,
    /// Who has caused it, where that one may be unwelcome.
    pub by: Option<String>,
    /// For how long it is worth telling.
    pub lasts: Duration,
}

impl Happening {
    /// As people are told it.
    fn notice(&self) -> wire::Notice {
        wire::Notice {
            kind: self.kind.into(),
            title: words::title(self.kind).into(),
            text: self.text.clone(),
            address: self.address.clone(),
            tag: self.subject.clone(),
        }
    }
}

/// The way of what happens to those who tell it. Never waits.
#[derive(Debug)]
pub struct Happenings {
    queue: mpsc::Sender<Box<Happening>>,
    inbox: Inbox<Box<Happening>>,
    full: AtomicBool,
}

impl Default for Happenings {
    fn default() -> Happenings {
        Happenings::holding(QUEUE)
    }
}

impl Happenings {
    fn holding(most: usize) -> Happenings {
        let (queue, inbox) = mpsc::channel(most);
        Happenings {
            queue,
            inbox: Inbox::new(inbox),
            full: AtomicBool::new(false),
        }
    }

    /// Has a person be told of something, if there is room.
    pub fn tell(&self, happening: Happening) {
        let fits = self.queue.try_send(Box::new(happening)).is_ok();
        if !fits {
            counter!("husun_notices_lost_total").increment(1);
        }
        if self.full.swap(!fits, Relaxed) == fits && !fits {
            tracing::warn!("more happens than can be told; notices are lost");
        }
    }
}

/// All notices.
#[derive(Clone)]
pub struct Notices {
    inner: Arc<Inner>,
}

struct Inner {
    directory: Directory,
    accounts: Accounts,
    lobby: Lobby,
    store: Arc<dyn NoticeStore>,
    offers: Arc<dyn OfferStore>,
    push: Push,
    mail: Option<Mail>,
    /// When somebody was told by push of a game at the board.
    pushed: Mutex<HashMap<[String; 2], Instant>>,
}

/// What notices are told by.
pub struct Means {
    /// Push services.
    pub push: Push,
    /// E-mail, if the server sends any.
    pub mail: Option<Mail>,
}

impl Notices {
    /// Notices of a server.
    pub fn new<S: NoticeStore + OfferStore + Clone>(
        directory: Directory,
        accounts: Accounts,
        lobby: Lobby,
        store: &S,
        means: Means,
    ) -> Notices {
        Notices {
            inner: Arc::new(Inner {
                directory,
                accounts,
                lobby,
                store: Arc::new(store.clone()),
                offers: Arc::new(store.clone()),
                push: means.push,
                mail: means.mail,
                pushed: Mutex::default(),
            }),
        }
    }

    /// Where it is kept what people wish.
    pub fn store(&self) -> &Arc<dyn NoticeStore> {
        &self.inner.store
    }

    /// What is told by push.
    pub fn push(&self) -> &Push {
        &self.inner.push
    }

    /// What is told by e-mail, if the server sends any.
    pub fn mail(&self) -> Option<&Mail> {
        self.inner.mail.as_ref()
    }

    fn services(&self) -> &Arc<Services> {
        self.inner.directory.services()
    }

    /// Tells, for as long as the server runs.
    pub async fn keep(self) {
        let mail = async {
            match self.mail() {
                Some(mail) => mail.keep().await,
                None => std::future::pending().await,
            }
        };
        let push = self.inner.push.keep(&self.inner.store);
        tokio::join!(self.tell_all(), self.warn_all(), push, mail);
    }

    async fn tell_all(&self) {
        let inbox = &self.services().happenings.inbox;
        let next = |()| async { Some((inbox.next().await?, ())) };
        let all = stream::unfold((), next);
        all.for_each_concurrent(TELLING, |happening| async move {
            if let Err(refused) = self.tell(&happening).await {
                counter!("husun_notices_lost_total").increment(1);
                tracing::warn!(kind = ?happening.kind, message = %refused.message, "not told");
            }
        })
        .await;
    }

    /// What a person wishes.
    pub async fn wishes(&self, person: &str) -> Result<Wishes, Refused> {
        let kept = self.inner.store.wishes(person).await?;
        // What a later version has stored, and this one cannot read, is as by default.
        Ok(kept
            .and_then(|text| serde_json::from_str(&text).ok())
            .unwrap_or_default())
    }

    /// Decides how somebody is told, and has it told.
    async fn tell(&self, happening: &Happening) -> Result<(), Refused> {
        let person = &happening.person;
        let account = self.inner.accounts.store().account(person).await?;
        let reader = match account.filter(|account| !account.deleted) {
            None => Reader::Guest,
            Some(account) if account.bot => Reader::Program,
            Some(_) => Reader::Account,
        };
        let wishes = match reader {
            Reader::Account => self.wishes(person).await?,
            _ => Wishes::default(),
        };
        let apart = match &happening.by {
            Some(by) => self.inner.offers.apart_from(person).await?.contains(by),
            None => false,
        };
        let known = Known {
            reader,
            banned: self.inner.accounts.bans().may_play(person).is_err(),
            apart,
            at_board: happening.at_board,
            here: self.inner.lobby.is_here(person),
            shown: happening.shown,
            slow: happening.slow,
            pushed: self.last_pushed(happening),
        };
        let told = ways(happening.kind, &wishes, &known);
        self.hand_on(happening, told).await
    }

    async fn hand_on(&self, happening: &Happening, told: Ways) -> Result<(), Refused> {
        let notice = happening.notice();
        if told.page {
            let message = ServerMessage::Notice(notice.clone());
            match serde_json::to_vec(&message) {
                Ok(text) => {
                    let bus = &self.services().bus;
                    bus.publish(&told_to(&happening.person), text.into());
                }
                Err(error) => tracing::error!(%error, "a message cannot be written"),
            }
            counter!("husun_notices_total", "way" => "page").increment(1);
        }
        if told.push {
            let browsers = self.inner.store.pushes(&happening.person).await?;
            if !browsers.is_empty() {
                self.note_pushed(happening);
            }
            for browser in browsers {
                self.inner.push.tell(browser, happening, &notice);
            }
        }
        if told.mail
            && let Some(mail) = self.mail()
        {
            mail.tell(&self.inner.store, happening, &notice).await?;
        }
        Ok(())
    }

    fn pushed(&self) -> std::sync::MutexGuard<'_, HashMap<[String; 2], Instant>> {
        let pushed = self.inner.pushed.lock();
        pushed.unwrap_or_else(PoisonError::into_inner)
    }

    fn last_pushed(&self, happening: &Happening) -> Option<Duration> {
        let about = [happening.person.clone(), happening.subject.clone()];
        self.pushed().get(&about).map(Instant::elapsed)
    }

    fn note_pushed(&self, happening: &Happening) {
        // Over days each move is told.
        if happening.slow {
            return;
        }
        let mut pushed = self.pushed();
        if pushed.len() >= REMEMBERED {
            pushed.retain(|_, at| at.elapsed() < PAUSE);
        }
        if pushed.len() < REMEMBERED {
            let about = [happening.person.clone(), happening.subject.clone()];
            pushed.insert(about, Instant::now());
        }
    }

    /// Tells movers that time runs out, when storage says that it does.
    async fn warn_all(&self) {
        loop {
            tokio::time::sleep(LOOK).await;
            if self.services().clock.halted().borrow().is_some() {
                continue;
            }
            let now = millis(self.services().clock.now());
            let node = &self.services().node;
            if !node.has_lease() {
                continue;
            }
            let due = match node.leases() {
                // Each node has those of its own games.
                Some(leases) => leases.warnings_of(node.boot(), now, PORTION).await,
                None => self.inner.store.warnings(now, PORTION).await,
            };
            let due = match due {
                Ok(due) => due,
                Err(error) => {
                    tracing::warn!(%error, "games in which time runs out cannot be found");
                    continue;
                }
            };
            for (game, warn) in due {
                if let Err(refused) = self.warn(&game, warn).await {
                    tracing::warn!(game, message = %refused.message, "its mover is told later");
                    tokio::time::sleep(AGAIN).await;
                    break;
                }
            }
        }
    }

    /// Tells the mover of a game, once for each half-move: that it is told is stored before.
    async fn warn(&self, game: &str, warn: i64) -> Result<(), Refused> {
        let read = match self.inner.directory.read(game).await {
            Ok(read) => read,
            // It is left aside elsewhere, too.
            Err(refused) if refused.reason == Reason::Damaged => None,
            Err(refused) => return Err(refused),
        };
        let ply = read.as_ref().map_or(-1, |read| read.table.ply() as i64);
        let first = self.inner.store.take_warning(game, warn, ply).await?;
        let Some(read) = read.filter(|_| first) else {
            return Ok(());
        };
        let table = &read.table;
        let (turn, deadline) = (table.turn(), table.deadline());
        let (Some(turn), Some(deadline), true) = (turn, deadline, table.clock_runs()) else {
            return Ok(());
        };
        let at = read.time_at(self.services().clock.now());
        let left = deadline.saturating_sub(at);
        if left > Duration::ZERO
            && let Some(happening) = words::running_out(game, table, turn, left)
        {
            self.services().happenings.tell(happening);
        }
        Ok(())
    }
}
