//! The archive: games that are over, as they are searched for. A game is entered with its last event; what its positions
//! are and which ratings its players had is found out by one task, which goes on after a restart where it was. The same
//! task enters the games that ended before there was an archive.

use crate::directory::Directory;
use crate::leading::{self, Wake};
use crate::limits::Network;
use crate::limits::places::{Place, Places};
use crate::refusal::{Reason, Refused, refused};
use crate::work::Weight;
use play::archive::{Finished, UNTIMED};
use play::rating::level_of;
use play::table::Table;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};
use store::archive::{ArchiveRow, ArchiveStore, Filled, Found, Search, Seat};
use tokio::sync::Semaphore;

/// Games taken at once.
const BATCH: u32 = 32;
/// Positions in one commit, if a single game has not more: the writer is not kept from games for long.
const ROWS: usize = 500;
/// How often it is looked whether games wait that nobody has told of.
const LOOK: Duration = Duration::from_secs(60);
/// Pause after a fault.
const AGAIN: Duration = Duration::from_secs(1);
/// Searches at once: the rest of the server reads from storage, too.
const SEARCHES: usize = 2;
/// Longest wait for a place among them.
const PATIENCE: Duration = Duration::from_secs(5);
/// Files with many games that are written at once.
const EXPORTS: usize = 4;

/// Games that are over.
#[derive(Clone, Debug)]
pub struct Archive {
    store: Arc<dyn ArchiveStore>,
    waits: Arc<Wake>,
    waiting: Arc<AtomicU64>,
    searches: Arc<Semaphore>,
    exports: Places<Network>,
}

/// The row of a game that has ended.
pub fn row(finished: &Finished, ended_ms: i64) -> ArchiveRow {
    ArchiveRow {
        variant: finished.variant.clone(),
        white: finished.players.white.clone(),
        black: finished.players.black.clone(),
        winner: finished.winner.map(seat),
        ending: finished.ending.name().into(),
        plies: i64::try_from(finished.plies).unwrap_or(i64::MAX),
        ended_ms,
        rated: finished.rated,
        speed: finished.speed_name().into(),
        open: finished.open,
    }
}

/// A side as storage knows it.
pub fn seat(side: husun::Side) -> Seat {
    match side {
        husun::Side::White => Seat::White,
        husun::Side::Black => Seat::Black,
    }
}

impl Archive {
    /// The archive in a storage.
    pub fn new(store: Arc<dyn ArchiveStore>) -> Archive {
        Archive {
            store,
            waits: Wake::new("archive"),
            waiting: Arc::default(),
            searches: Arc::new(Semaphore::new(SEARCHES)),
            exports: Places::new(EXPORTS),
        }
    }

    /// A game waits.
    pub fn notice(&self) {
        self.waits.wake();
    }

    /// Games that wait, as was last known: they are not found by their positions yet, and those of old not at all.
    pub fn waiting(&self) -> u64 {
        self.waiting.load(Relaxed)
    }

    /// A place among those who save many games, for as long as it is held: one for each network.
    pub fn may_export(&self, address: IpAddr) -> Result<Place<Network>, Refused> {
        self.exports.take(Network::of(address), "saving many games")
    }

    /// Looks for games.
    pub async fn search(&self, search: &Search) -> Result<Found, Refused> {
        let place = tokio::time::timeout(PATIENCE, self.searches.acquire()).await;
        let Ok(Ok(_place)) = place else {
            return Err(refused(
                Reason::Busy,
                "many people are searching at the moment; try again in a few seconds",
            ));
        };
        Ok(self.store.search(search).await?)
    }

    /// Writes what waits for as long as this node leads, whenever it does.
    pub async fn follow(self, directory: Directory) {
        let services = directory.services().clone();
        let _heard = self.waits.follow(&services).await;
        leading::while_leading(services, || self.fill_ever(&directory)).await;
    }

    async fn fill_ever(&self, directory: &Directory) {
        loop {
            match self.fill_all(directory).await {
                Ok(()) => self.waits.wait(LOOK).await,
                Err(error) => {
                    tracing::warn!(%error, "games wait for the archive");
                    tokio::time::sleep(AGAIN).await;
                }
            }
        }
    }

    /// Writes what waits now.
    async fn fill_all(&self, directory: &Directory) -> Result<(), Refused> {
        let waiting = self.store.waiting().await?;
        self.waiting
            .store(u64::try_from(waiting).unwrap_or_default(), Relaxed);
        loop {
            let games = self.store.to_archive(BATCH).await?;
            if games.is_empty() {
                self.waiting.store(0, Relaxed);
                return Ok(());
            }
            let (mut batch, mut rows) = (Vec::new(), 0);
            for game in games {
                let filled = self.prepare(directory, game).await?;
                rows += filled.positions.len();
                batch.push(filled);
                if rows >= ROWS {
                    self.fill(&std::mem::take(&mut batch)).await?;
                    rows = 0;
                }
            }
            self.fill(&batch).await?;
        }
    }

    async fn fill(&self, batch: &[Filled]) -> Result<(), Refused> {
        if batch.is_empty() {
            return Ok(());
        }
        let start = Instant::now();
        self.store.fill(batch).await?;
        let done = batch.len() as u64;
        metrics::counter!("husun_archived_total").increment(done);
        let less = |waiting: u64| Some(waiting.saturating_sub(done));
        // It always gives a number.
        let _ = self.waiting.fetch_update(Relaxed, Relaxed, less);
        // The writer is free for as long as it was taken.
        tokio::time::sleep(start.elapsed()).await;
        Ok(())
    }

    /// What is written of a game. One that cannot be read is told, and has no place in the archive.
    async fn prepare(&self, directory: &Directory, game: String) -> Result<Filled, Refused> {
        let none = |game: String| Filled {
            game,
            row: None,
            ratings: [None, None],
            positions: Vec::new(),
        };
        let read = match directory.read(&game).await {
            Ok(Some(read)) => read,
            Ok(None) => return Ok(none(game)),
            Err(refused) if matches!(refused.reason, Reason::Storage | Reason::Busy) => {
                return Err(refused);
            }
            Err(refused) => {
                tracing::error!(%game, message = %refused.message, "not in the archive");
                return Ok(none(game));
            }
        };
        let ended_ms = read.ended_ms;
        let look = move || (read.table.finished(), positions(&read.table));
        let (finished, positions) = directory.work().run(Weight::Light, look).await?;
        let Some((finished, ended_ms)) = finished.zip(ended_ms) else {
            return Ok(none(game));
        };
        let ratings = [
            self.rating(&finished.players.white, &finished, ended_ms)
                .await?,
            self.rating(&finished.players.black, &finished, ended_ms)
                .await?,
        ];
        Ok(Filled {
            row: Some(row(&finished, ended_ms)),
            game,
            ratings,
            positions,
        })
    }

    /// The rating that a player had when the game ended, if there was one.
    async fn rating(
        &self,
        person: &str,
        game: &Finished,
        ended_ms: i64,
    ) -> Result<Option<i64>, Refused> {
        let speed = game.speed_name();
        if speed == UNTIMED {
            return Ok(None);
        }
        let then = self.store.rating_at(person, &game.variant, speed, ended_ms);
        let first = || level_of(person).map(|_| crate::ratings::first(person, ended_ms).rating);
        let rating = then.await?.or_else(first);
        Ok(rating.map(|rating| rating.round() as i64))
    }
}

/// What stands for the positions of a game, each with the half-moves before it.
fn positions(table: &Table) -> Vec<(i64, i64)> {
    (table.position_keys().into_iter().zip(0..)).collect()
}
