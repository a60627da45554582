//! The games that live in this process: finds them, reads them from storage when someone comes to them, makes new ones. Those
//! that live at other nodes are found by `directory/across.rs`.
//! What is only looked at or listed is read from storage and wakes nothing.

mod across;
mod attend;
pub(crate) mod make;
mod stored;

pub use across::Place;
pub(crate) use attend::AHEAD;
pub use stored::ReadGame;

use crate::accounts::Accounts;
use crate::limits::Guard;
use crate::refusal::{Reason, Refused, refused};
use crate::services::{Services, secret};
use crate::task::messages::{Ask, Heard, asked_at};
use crate::task::{Command, GameTask, Handle};
use crate::wire::GameCard;
use crate::wire::show::{self, Moment, Presence};
use crate::work::{Weight, Work};
use bytes::Bytes;
use husun::Side;
use metrics::gauge;
use play::table::{Opener, SeatSpec, Spec, StoredCard, Table};
use play::{Both, Games, Who};
use rand::RngExt;
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use store::{CardRow, GameWrite, StoreError, StoredGame};
use tokio::sync::{OnceCell, watch};

/// Own games shown at most.
const OWN: u32 = 50;
/// How often a node looks whether it leads by now.
const LEADS: Duration = Duration::from_secs(1);
/// Longest wait for what a live game says of itself.
const ANSWER: Duration = Duration::from_millis(300);

/// A game made, with what opens its seats.
#[derive(Clone, Debug)]
pub struct Made {
    /// Its id.
    pub id: String,
    /// The words that open the seats.
    pub seats: Both<String>,
}

/// Who pays for taking a game from storage.
#[derive(Clone, Copy, Debug)]
pub enum Payer<'a> {
    /// Someone at an address, within limits.
    Address(&'a Guard, IpAddr),
    /// Someone at another node, where it was paid.
    Elsewhere,
    /// The server itself.
    Server,
}

impl Payer<'_> {
    fn pays(self) -> Result<(), Refused> {
        match self {
            Payer::Address(guard, address) if !guard.wake(address) => Err(refused(
                Reason::Rate,
                "too many games are being opened from your address; wait a little",
            )),
            _ => Ok(()),
        }
    }
}

/// The games that live in this process.
#[derive(Clone)]
pub struct Directory {
    inner: Arc<Inner>,
}

struct Inner {
    services: Arc<Services>,
    games: Mutex<HashMap<String, Arc<OnceCell<Handle>>>>,
    /// Most of them; 0 for any number.
    max_games: usize,
    closing: AtomicBool,
    /// Sockets end when it says so.
    sockets_end: watch::Sender<bool>,
}

/// Why a game is not live here.
#[derive(Debug)]
pub(crate) enum Failure {
    /// There is no such game.
    NoSuchGame,
    /// The node with this boot owns it.
    Of(i64),
    /// It is refused.
    Refused(Refused),
}

impl<E: Into<Refused>> From<E> for Failure {
    fn from(error: E) -> Failure {
        Failure::Refused(error.into())
    }
}

/// Tells a socket when it has to end, since its server does.
pub struct SocketsEnd(watch::Receiver<bool>);

impl SocketsEnd {
    /// Waits for that.
    pub async fn closed(&mut self) {
        if self.0.wait_for(|end| *end).await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}

/// One who waits until a game lives, at its place.
struct Waits<'a> {
    directory: &'a Directory,
    id: &'a str,
    cell: Arc<OnceCell<Handle>>,
}

impl Drop for Waits<'_> {
    /// An empty one that nobody waits for any more is none: the game could not be had, or was not waited for.
    fn drop(&mut self) {
        let cell = std::mem::take(&mut self.cell);
        if cell.initialized() {
            return;
        }
        // Nobody gets it while they are locked.
        let mut games = self.directory.games();
        let ours = games.get(self.id).is_some_and(|c| Arc::ptr_eq(c, &cell));
        if ours && Arc::strong_count(&cell) == 2 && !cell.initialized() {
            games.remove(self.id);
        }
        drop(cell);
    }
}

impl Directory {
    /// A directory without games. At most `max_games` live at once.
    pub fn new(services: Arc<Services>, max_games: usize) -> Directory {
        Directory {
            inner: Arc::new(Inner {
                services,
                games: Mutex::default(),
                max_games,
                closing: AtomicBool::new(false),
                sockets_end: watch::Sender::new(false),
            }),
        }
    }

    /// What all games share.
    pub fn services(&self) -> &Arc<Services> {
        &self.inner.services
    }

    /// The games that are played.
    pub fn variants(&self) -> &Arc<Games> {
        &self.inner.services.games
    }

    /// Whether the server runs alone.
    pub fn is_alone(&self) -> bool {
        self.inner.services.node.is_alone()
    }

    /// Whether the server goes down.
    pub fn is_closing(&self) -> bool {
        self.inner.closing.load(Relaxed)
    }

    /// Whether sockets do better at another node: this one cannot speak with the others, or has no lease while they have.
    pub fn is_cut_off(&self) -> bool {
        let node = &self.inner.services.node;
        node.is_cut_off() || node.is_stranded()
    }

    /// When sockets have to end.
    pub fn sockets_end(&self) -> SocketsEnd {
        SocketsEnd(self.inner.sockets_end.subscribe())
    }

    fn note_live(&self, games: usize) {
        gauge!("husun_live_games").set(games as f64);
        self.inner.services.node.set_load(games);
    }

    /// Where work is done that takes longer than a moment.
    pub fn work(&self) -> &Work {
        &self.inner.services.work
    }

    fn games(&self) -> std::sync::MutexGuard<'_, HashMap<String, Arc<OnceCell<Handle>>>> {
        self.inner
            .games
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// How many games are live.
    pub fn live(&self) -> usize {
        self.games().len()
    }

    pub(crate) fn find_live(&self, id: &str) -> Option<Handle> {
        let games = self.games();
        let handle = games.get(id).and_then(|cell| cell.get());
        handle.filter(|h| !h.is_closed()).cloned()
    }

    /// Lets a game leave memory, unless someone holds its handle.
    pub(crate) fn may_leave(&self, id: &str, life: u64) -> bool {
        let mut games = self.games();
        let handle = match games.get(id).map(|cell| cell.get()) {
            None => return true,
            // Its start has not been noted yet: someone is about to get it.
            Some(None) => return false,
            Some(Some(handle)) => handle,
        };
        if handle.life != life {
            return true;
        }
        // One of them is the directory's own, and nobody gets another while it is locked.
        if handle.is_held() {
            return false;
        }
        games.remove(id);
        self.note_live(games.len());
        true
    }

    /// Takes note that a game's task has ended, whoever holds its handle.
    pub(crate) fn left(&self, id: &str, life: u64) {
        let mut games = self.games();
        let handle = games.get(id).and_then(|cell| cell.get());
        if handle.is_some_and(|h| h.life == life) {
            games.remove(id);
        }
        self.note_live(games.len());
    }

    /// A game that lives here, brought to life from storage if it is not live. It stays so for as long as the handle is held.
    pub async fn get(&self, id: &str, payer: Payer<'_>) -> Result<Option<Handle>, Refused> {
        match self.here(id, payer).await {
            Ok(handle) => Ok(handle),
            Err(Failure::NoSuchGame) => Ok(None),
            Err(Failure::Refused(refused)) => Err(refused),
            Err(Failure::Of(_)) => Err(refused(Reason::Busy, "another node owns the game")),
        }
    }

    /// [`Self::get`] with its reasons: which of them lies with the game, and which with this node.
    async fn here(&self, id: &str, payer: Payer<'_>) -> Result<Option<Handle>, Failure> {
        if !is_id(id) {
            return Ok(None);
        }
        if let Some(handle) = self.find_live(id) {
            return Ok(Some(handle));
        }
        payer.pays()?;
        for _ in 0..3 {
            let place = self.place(id, payer)?;
            match place.cell.get_or_try_init(|| self.start(id)).await {
                Ok(_) => {}
                Err(Failure::NoSuchGame) => return Ok(None),
                Err(problem) => return Err(problem),
            }
            // The handle is taken while nobody can leave: it is held from then on, or the game has left already.
            let mut games = self.games();
            let ours = games.get(id).is_some_and(|c| Arc::ptr_eq(c, &place.cell));
            let handle = place.cell.get();
            let handle = handle.filter(|h| ours && !h.is_closed()).cloned();
            if handle.is_some() {
                return Ok(handle);
            }
            if ours {
                // Its task has ended without a word.
                games.remove(id);
            }
        }
        Err(no_answer().into())
    }

    /// The place of a game that lives or is to live.
    fn place<'a>(&'a self, id: &'a str, payer: Payer<'_>) -> Result<Waits<'a>, Refused> {
        if self.inner.closing.load(Relaxed) {
            return Err(refused(
                Reason::Busy,
                "the server is shutting down; try again in a moment",
            ));
        }
        let mut games = self.games();
        let most = self.inner.max_games;
        let full = most > 0 && games.len() >= most && !matches!(payer, Payer::Server);
        if full && !games.contains_key(id) {
            return Err(full_house());
        }
        let cell = games.entry(id.into()).or_default().clone();
        Ok(Waits {
            directory: self,
            id,
            cell,
        })
    }

    /// Starts a game's task.
    async fn start(&self, id: &str) -> Result<Handle, Failure> {
        let stored = across::own(self.services(), id).await?;
        let read = self.understand(stored).await?;
        let handle = GameTask::start(id, read, self.clone()).await;
        // One that has just ended may still be served for a moment.
        let handle = handle.map_err(|_| no_answer())?;
        self.note_live(self.live());
        Ok(handle)
    }

    /// A game as storage has it.
    pub async fn read(&self, id: &str) -> Result<Option<ReadGame>, Refused> {
        match self.inner.services.store.load(id).await? {
            Some(stored) => self.understand(stored).await.map(Some),
            None => Ok(None),
        }
    }

    /// Makes a game of what storage has.
    async fn understand(&self, stored: StoredGame) -> Result<ReadGame, Refused> {
        let services = self.inner.services.clone();
        // A spec that cannot be read is told by who reads the game.
        let spec: Option<Spec> = serde_json::from_str(&stored.spec).ok();
        if let Some(name) = spec.and_then(|spec| spec.variant) {
            let known = services.know(&name).await;
            known.map_err(|e| Refused {
                message: format!("game {}: {}", stored.id, e.message),
                ..e
            })?;
        }
        self.work()
            .run(Weight::Light, move || stored::read(&stored, &services))
            .await?
    }

    /// Takes the names of deleted accounts out of their games, in storage and then in memory.
    pub fn forget_deleted(&self, accounts: &Accounts) {
        let (directory, accounts) = (self.clone(), accounts.clone());
        tokio::spawn(async move {
            // Where there are several nodes, one does it.
            while !directory.services().node.leads() {
                tokio::time::sleep(LEADS).await;
            }
            let changed = match accounts.forget_deleted().await {
                Ok(changed) => changed,
                Err(error) => {
                    tracing::error!(%error, "games of deleted accounts are rewritten at the next start");
                    return;
                }
            };
            for id in changed {
                directory.tell_live(&id, &Ask::ReadAnew).await;
            }
        });
    }

    /// Tells a game something if it is live somewhere; what is stored tells it at any other time.
    pub async fn tell_live(&self, id: &str, ask: &Ask) {
        // While its handle is held it stays.
        let _live = self.find_live(id);
        if let Ok(message) = serde_json::to_vec(ask) {
            let bus = &self.inner.services.bus;
            // One that waits for the storage may take long.
            let _ = bus.request(&asked_at(id), message.into(), PATIENCE).await;
        }
    }

    /// Asks a live game something that it answers; nothing if the game is not live.
    async fn ask(&self, id: &str, ask: Ask) -> Option<Bytes> {
        // While its handle is held it stays.
        let live = self.find_live(id);
        if live.is_none() && self.is_alone() {
            return None;
        }
        let message = serde_json::to_vec(&ask).ok()?;
        let bus = &self.inner.services.bus;
        // A game that waits for the storage does not answer: then storage is asked.
        let answer = bus.request(&asked_at(id), message.into(), ANSWER).await;
        answer.ok()
    }

    /// What those say who watch a live game; nothing of one that is not live.
    pub async fn watchers_heard(&self, id: &str) -> Option<Vec<Heard>> {
        serde_json::from_slice(&self.ask(id, Ask::Watchers).await?).ok()
    }

    /// Removes a line of those who watch a live game, and tells them.
    pub async fn remove_watchers_line(&self, id: &str, n: u64) {
        self.ask(id, Ask::RemoveWatchersLine { n }).await;
    }

    async fn ask_card(&self, id: &str, guest: Option<&str>) -> Option<GameCard> {
        let guest = guest.map(Into::into);
        let card = self.ask(id, Ask::Card { guest }).await?;
        serde_json::from_slice(&card).ok()
    }

    /// Stores for a request, which does not wait as long as a game does.
    async fn store(&self, write: GameWrite) -> Result<(), Refused> {
        let stored = self.inner.services.writer.write(write);
        match tokio::time::timeout(PATIENCE, stored).await {
            Ok(stored) => Ok(stored?),
            Err(_) => Err(StoreError::Unavailable("it does not answer in time".into()).into()),
        }
    }

    /// A game like another with sides changed. Who has a seat keeps it, and what opens it.
    pub fn rematch_of(&self, table: &Table) -> Spec {
        let mut spec = table.spec().clone();
        for side in Side::ALL {
            let from = side.opponent();
            let old = table.spec().seats.get(from);
            let mut seat = SeatSpec {
                kept: table.person(from).cloned(),
                ..old.clone()
            };
            seat.secret = String::new();
            seat.number = match table.opener(Who::Player(from)) {
                Some(Opener::Number(number)) => number.clone(),
                // Words of the first version are known to the maker of the game, for the friend's seat too.
                _ => secret(16),
            };
            *spec.seats.get_mut(side) = seat;
        }
        spec.clocks_wait = true;
        spec.seed = rand::rng().random();
        spec
    }

    /// A game as it is now, for a guest who looks at it and does not want to read some people: a [`crate::wire::Snapshot`]
    /// as JSON.
    pub async fn look(
        &self,
        id: &str,
        guest: &str,
        muted: Vec<String>,
        payer: Payer<'_>,
    ) -> Result<Option<Bytes>, Refused> {
        let asks = Ask::Look {
            guest: guest.to_owned(),
            muted: muted.clone(),
        };
        let told = self.ask(id, asks);
        if let Some(snapshot) = told.await {
            return Ok(Some(snapshot));
        }
        let Some(read) = self.read_for(id, payer).await? else {
            return Ok(None);
        };
        let services = self.inner.services.clone();
        let (id, guest) = (id.to_owned(), guest.to_owned());
        let work = services.work.clone();
        let write = move || {
            let table = read.table;
            let who = table.seat_of_guest(&guest).unwrap_or(Who::Watcher);
            let moment = Moment {
                at: table.at() + services.clock.now().saturating_sub(read.since),
                presence: &Presence::default(),
                trouble: None,
                running: true,
            };
            let word = |opener: &_| services.keys.word(opener);
            let to = (who, show::mutes(&table, who, &muted));
            serde_json::to_vec(&show::snapshot(&id, &table, to, &moment, word))
        };
        let written = work.run(Weight::Light, write).await?;
        // A snapshot always is JSON.
        Ok(Some(written.unwrap_or_default().into()))
    }

    /// A game as storage has it, for someone who looks at it.
    pub async fn read_for(&self, id: &str, payer: Payer<'_>) -> Result<Option<ReadGame>, Refused> {
        if !is_id(id) {
            return Ok(None);
        }
        payer.pays()?;
        self.read(id).await
    }

    /// A guest's games, the newest first.
    pub async fn own(&self, guest: &str) -> Result<Vec<GameCard>, Refused> {
        let mut cards = Vec::new();
        // One that does not answer would keep each of the games waiting.
        let mut asks = true;
        for listed in self.inner.services.store.of_guest(guest, OWN).await? {
            let id = listed.id;
            if asks {
                let start = Instant::now();
                if let Some(card) = self.ask_card(&id, Some(guest)).await {
                    cards.push(card);
                    continue;
                }
                asks = start.elapsed() < ANSWER;
            }
            let card = listed.card.as_deref().and_then(StoredCard::read);
            let card = match card {
                Some(card) => card,
                None => match self.make_card(&id).await {
                    Ok(card) => card,
                    Err(refused) => {
                        tracing::warn!(game = %id, message = %refused.message, "not listed");
                        continue;
                    }
                },
            };
            cards.push(show::card(
                self.variants(),
                &card,
                &id,
                Some(guest),
                &Presence::default(),
            ));
        }
        Ok(cards)
    }

    /// Makes the card of a game whose own was not written, since the server was ended without warning or is of another
    /// version, and keeps it.
    pub(crate) async fn make_card(&self, id: &str) -> Result<StoredCard, Refused> {
        let read = self.read(id).await?;
        let read = read.ok_or_else(|| refused(Reason::NoSuchGame, "there is no such game"))?;
        let card = StoredCard::of(&read.table);
        let write = GameWrite {
            game: id.into(),
            epoch: read.epoch,
            card: Some(CardRow {
                seq: read.table.seq() as i64,
                text: card.to_text(),
            }),
            ..GameWrite::default()
        };
        self.store(write).await?;
        Ok(card)
    }

    /// Tells all games that the server goes down, and waits until they have stored what they are at. Where other nodes are
    /// alive, they have the games first.
    pub async fn close(&self, patience: Duration) {
        let start = Instant::now();
        if !self.is_alone() {
            self.hand_over_all().await;
        }
        self.inner.closing.store(true, Relaxed);
        while self.live() > 0 && start.elapsed() < patience {
            let handles: Vec<Handle> = {
                let games = self.games();
                games
                    .values()
                    .filter_map(|cell| cell.get().cloned())
                    .collect()
            };
            for handle in handles {
                // One whose queue is full is told in the next round.
                let _ = handle.commands.try_send(Box::new(Command::Shutdown));
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        if !self.is_alone() {
            // Those whose games are elsewhere come again at another node.
            self.inner.sockets_end.send_replace(true);
        }
    }
}

/// Longest wait of a request for the storage.
const PATIENCE: Duration = Duration::from_secs(8);

fn no_answer() -> Refused {
    refused(Reason::Busy, "the game does not answer; try again")
}

fn full_house() -> Refused {
    refused(
        Reason::Full,
        "this server has as many games as it can hold; try again later",
    )
}

/// Whether a text can be a game's id.
pub fn is_id(text: &str) -> bool {
    (4..=40).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_alphanumeric())
}
