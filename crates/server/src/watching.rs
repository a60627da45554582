//! Games that everybody may watch, as storage has them: lists and small boards wake no game and make nobody one who
//! watches. And the people whom one follows or does not want to read.

mod people;
pub mod row;

pub use people::mutes_told;

use crate::directory::{Directory, is_id};
use crate::leading;
use crate::lobby::game_shown;
use crate::refusal::{Reason, Refused};
use crate::wire::{
    Both, ResultCounts, ResultsOfGame, RunningCount, RunningGame, RunningPage, RunningPlayer,
    WatchedBoard,
};
use bus::{Listener, Subscription};
use play::Games;
use play::archive::UNTIMED;
use play::lobby::Wanted;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::{Duration, Instant};
use store::SqlStore;
use store::archive::{ArchiveStore, ResultRow, Seat};
use store::people::PeopleStore;
use store::running::{After, BoardRow, RunningStore};
use tokio::sync::Mutex;

/// Boards that one socket watches at most.
pub const BOARDS: usize = 12;
/// Games of a page.
const PAGE: u32 = 24;
/// For how long it holds how many games there are.
const HOLDS: Duration = Duration::from_secs(1);
/// Games of the version before that are taken in at once.
const BATCH: u32 = 32;
/// Pause after a fault.
const AGAIN: Duration = Duration::from_secs(1);

/// Where the small board of a game is told.
pub fn boards_at(game: &str) -> String {
    format!("game.{game}.board")
}

/// How many games there are of each kind, and when that was known.
type Counts = Option<(Instant, Vec<RunningCount>)>;

/// What is watched, and by whom it is followed.
#[derive(Clone)]
pub struct Watching {
    inner: Arc<Inner>,
}

struct Inner {
    directory: Directory,
    store: Arc<dyn RunningStore>,
    people: Arc<dyn PeopleStore>,
    archive: Arc<dyn ArchiveStore>,
    counts: Mutex<Counts>,
}

/// A row's board as it is told.
fn board(game: String, row: BoardRow) -> WatchedBoard {
    WatchedBoard {
        game,
        seq: row.seq.max(0) as u64,
        ply: u32::try_from(row.ply).unwrap_or_default(),
        fen: row.fen,
        last: Some(row.last).filter(|last| !last.is_empty()),
        over: false,
        result: None,
    }
}

fn game(games: &Games, row: store::running::RunningGame) -> RunningGame {
    let shown = game_shown(games, &Wanted::Variant(row.variant));
    let rated = row.speed != UNTIMED;
    let [white, black] = row.players.map(|player| RunningPlayer {
        name: player.name,
        account: player.account,
        bot: player.bot,
        level: player.level.and_then(|level| u8::try_from(level).ok()),
        rating: player.rating.filter(|_| rated).map(|r| r as i32),
    });
    RunningGame {
        id: row.game.clone(),
        variant: shown.variant.unwrap_or_default(),
        name: shown.name,
        players: Both { white, black },
        clock: row.clock,
        rated: row.rated,
        began_ms: row.began_ms,
        board: board(row.game, row.board),
    }
}

/// Adds how games have ended to those of their kind; the kinds in which most was played come first.
fn results(games: &Games, rows: Vec<ResultRow>) -> Vec<ResultsOfGame> {
    let mut all: HashMap<String, ResultsOfGame> = HashMap::new();
    for row in rows {
        let shown = game_shown(games, &Wanted::Variant(row.variant));
        let variant = shown.variant.unwrap_or_default();
        let of = all.entry(variant.clone()).or_insert_with(|| ResultsOfGame {
            sides: match games.find(&variant) {
                Ok(known) => Both::of(|side| known.looks()[side.index()].name.clone()),
                Err(_) => Both::of(|side| format!("{side:?}")),
            },
            name: shown.name,
            variant,
            results: Both::default(),
        });
        let counts = match row.seat {
            Seat::White => &mut of.results.white,
            Seat::Black => &mut of.results.black,
        };
        let count = match row.winner {
            None => &mut counts.drawn,
            Some(winner) if winner == row.seat => &mut counts.won,
            Some(_) => &mut counts.lost,
        };
        *count = count.saturating_add(u32::try_from(row.games).unwrap_or(u32::MAX));
    }
    let played = |of: &ResultsOfGame| {
        let of_side = |c: &ResultCounts| u64::from(c.won) + u64::from(c.drawn) + u64::from(c.lost);
        of_side(&of.results.white) + of_side(&of.results.black)
    };
    let mut all: Vec<ResultsOfGame> = all.into_values().collect();
    all.sort_by(|a, b| played(b).cmp(&played(a)).then(a.name.cmp(&b.name)));
    all
}

impl Watching {
    /// What is watched in a storage.
    pub fn new(store: &SqlStore, directory: Directory) -> Watching {
        Watching {
            inner: Arc::new(Inner {
                directory,
                store: Arc::new(store.clone()),
                people: Arc::new(store.clone()),
                archive: Arc::new(store.clone()),
                counts: Mutex::default(),
            }),
        }
    }

    /// A page of games that are played, of variants by their stored names, or of all.
    pub async fn page(
        &self,
        variants: &[String],
        after: Option<&After>,
    ) -> Result<RunningPage, Refused> {
        let store = &self.inner.store;
        let rows = store.running(variants, after, PAGE).await?;
        let full = rows.len() == PAGE as usize;
        let next = rows.last().filter(|_| full);
        let next = next.map(|row| format!("{}.{}", row.rank, row.game));
        let games = self.inner.directory.variants();
        Ok(RunningPage {
            games: rows.into_iter().map(|row| game(games, row)).collect(),
            next,
            counts: self.counts().await?,
        })
    }

    async fn counts(&self) -> Result<Vec<RunningCount>, Refused> {
        let mut known = self.inner.counts.lock().await;
        if let Some((at, counts)) = &*known
            && at.elapsed() < HOLDS
        {
            return Ok(counts.clone());
        }
        let games = self.inner.directory.variants();
        let rows = self.inner.store.running_counts().await?;
        let counts = rows.into_iter().map(|(variant, count)| {
            let shown = game_shown(games, &Wanted::Variant(variant));
            RunningCount {
                variant: shown.variant.unwrap_or_default(),
                name: shown.name,
                games: u32::try_from(count).unwrap_or(u32::MAX),
            }
        });
        let counts: Vec<RunningCount> = counts.collect();
        *known = Some((Instant::now(), counts.clone()));
        Ok(counts)
    }

    /// Has a listener told of boards from now on, and gives them as they are, with the ids of games that are not to be
    /// watched. A place ends when it is dropped; those that there were before stay.
    pub async fn watch(
        &self,
        games: Vec<String>,
        before: HashMap<String, Subscription>,
        listener: &Arc<dyn Listener>,
    ) -> Result<
        (
            HashMap<String, Subscription>,
            Vec<WatchedBoard>,
            Vec<String>,
        ),
        Refused,
    > {
        let wanted: HashSet<String> = games.iter().filter(|id| is_id(id)).cloned().collect();
        let mut places = before;
        places.retain(|game, _| wanted.contains(game));
        let bus = &self.inner.directory.services().bus;
        // It listens before it looks, so that nothing falls between. A game that not everybody may watch tells nothing.
        for game in &wanted {
            if !places.contains_key(game) {
                let place = bus.subscribe(&boards_at(game), listener.clone()).await;
                let place = place.map_err(|_| Refused {
                    reason: Reason::Busy,
                    message: "boards cannot be watched now; try again".into(),
                })?;
                places.insert(game.clone(), place);
            }
        }
        let ids: Vec<String> = wanted.into_iter().collect();
        let rows = self.inner.store.running_boards(&ids).await?;
        let boards = rows.into_iter().map(|row| board(row.game, row.board));
        let boards: Vec<WatchedBoard> = boards.collect();
        let there: HashSet<&str> = boards.iter().map(|b| b.game.as_str()).collect();
        places.retain(|game, _| there.contains(game.as_str()));
        let gone = games.into_iter().filter(|id| !there.contains(id.as_str()));
        let gone = gone.collect();
        Ok((places, boards, gone))
    }

    /// How a person's games have ended that everybody may find, by game and side.
    pub async fn results(&self, person: &str) -> Result<Vec<ResultsOfGame>, Refused> {
        let rows = self.inner.archive.results(person).await?;
        for row in &rows {
            // Names and sides of a game whose file is gone are in storage.
            let known = self.inner.directory.services().know(&row.variant).await;
            if let Err(refused) = known
                && refused.reason != Reason::Damaged
            {
                return Err(refused);
            }
        }
        Ok(results(self.inner.directory.variants(), rows))
    }

    /// Has games without a clock rest at the start, to which nobody may come back, and takes in games of the version
    /// before.
    pub async fn begin(self) {
        leading::begins(self.inner.directory.services()).await;
        while let Err(refused) = self.take_in().await {
            tracing::warn!(message = %refused.message, "games to watch are taken in later");
            tokio::time::sleep(AGAIN).await;
        }
    }

    async fn take_in(&self) -> Result<(), Refused> {
        let store = &self.inner.store;
        loop {
            let games = store.to_watch(BATCH).await?;
            if games.is_empty() {
                return Ok(());
            }
            let mut rows = Vec::new();
            for id in games {
                let row = match self.inner.directory.read(&id).await {
                    Ok(Some(read)) => row::begins(&read.table, read.began_ms),
                    Ok(None) => None,
                    Err(refused) if matches!(refused.reason, Reason::Storage | Reason::Busy) => {
                        return Err(refused);
                    }
                    // It is told where it is looked after.
                    Err(_) => None,
                };
                rows.push((id, row));
            }
            store.begin_watching(&rows).await?;
        }
    }

    /// Has games rest to which nobody may come back after a start: those without a clock.
    pub async fn rest(&self) -> Result<(), Refused> {
        self.inner.store.rest_all(UNTIMED).await?;
        Ok(())
    }
}
