//! All live games: makes them, finds them, reads them from storage when they are wanted.

use crate::customs;
use crate::live::{Command, Handle, Live, Pulse};
use crate::store::{NewGameRow, StoreError, StoredGame, millis};
use crate::table::{Entry, Event, Person, SeatSpec, Spec, Table};
use crate::wire::{Both, GameCard, NewGame, Refusal};
use crate::world::{Heart, World, secret, wall_ms};
use husun::Side;
use husun::clock::TimeControl;
use metrics::gauge;
use rand::RngExt;
use std::collections::HashMap;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::oneshot;

/// Own games shown at most.
const OWN: u32 = 50;
/// Games to watch shown at most.
const WATCHED: usize = 24;
/// Games waiting for a second player are closed after this.
const WAITING: Duration = Duration::from_secs(24 * 3600);
/// Games without a clock are closed when nothing has happened for this long.
const SILENT: Duration = Duration::from_secs(30 * 24 * 3600);

/// A game made, with what opens its seats.
#[derive(Clone, Debug)]
pub struct Made {
    /// Its id.
    pub id: String,
    /// What opens the seats.
    pub seats: Both<String>,
}

/// All live games.
#[derive(Clone)]
pub struct Hall {
    inner: Arc<Inner>,
}

struct Inner {
    world: Arc<World>,
    games: Mutex<HashMap<String, Handle>>,
    /// Held while a game is read, so that none is read twice.
    reading: tokio::sync::Mutex<()>,
    max_games: usize,
}

/// Makes a refusal.
pub fn refusal(code: &str, message: impl Into<String>) -> Refusal {
    Refusal {
        code: code.into(),
        message: message.into(),
    }
}

impl From<StoreError> for Refusal {
    fn from(error: StoreError) -> Refusal {
        tracing::error!(%error, "the storage does not answer");
        refusal(
            "storage",
            "the server cannot reach its storage at the moment; nothing was changed, try again",
        )
    }
}

impl Hall {
    /// A hall without games. At most `max_games` are live.
    pub fn new(world: Arc<World>, max_games: usize) -> Hall {
        Hall {
            inner: Arc::new(Inner {
                world,
                games: Mutex::default(),
                reading: tokio::sync::Mutex::default(),
                max_games,
            }),
        }
    }

    /// What all games share.
    pub fn world(&self) -> &Arc<World> {
        &self.inner.world
    }

    fn games(&self) -> std::sync::MutexGuard<'_, HashMap<String, Handle>> {
        self.inner
            .games
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn enter(&self, id: &str, handle: Handle) {
        let mut games = self.games();
        games.insert(id.into(), handle);
        gauge!("husun_live_games").set(games.len() as f64);
    }

    /// Takes note that a game's task has ended.
    pub(crate) fn left(&self, id: &str, pulse: &Arc<Pulse>) {
        let mut games = self.games();
        if games.get(id).is_some_and(|h| Arc::ptr_eq(&h.pulse, pulse)) {
            games.remove(id);
        }
        gauge!("husun_live_games").set(games.len() as f64);
    }

    /// How many games are live.
    pub fn live(&self) -> usize {
        self.games().len()
    }

    fn find_live(&self, id: &str) -> Option<Handle> {
        let games = self.games();
        games.get(id).filter(|h| !h.commands.is_closed()).cloned()
    }

    /// A game, read from storage if it is not live.
    pub async fn get(&self, id: &str) -> Result<Option<Handle>, Refusal> {
        if !is_id(id) {
            return Ok(None);
        }
        if let Some(handle) = self.find_live(id) {
            return Ok(Some(handle));
        }
        let _reading = self.inner.reading.lock().await;
        if let Some(handle) = self.find_live(id) {
            return Ok(Some(handle));
        }
        let Some(stored) = self.inner.world.store.load(id).await? else {
            return Ok(None);
        };
        let (table, base) = read(&stored, None)?;
        let world = self.inner.world.clone();
        let handle = Live::start(id.into(), table, base, world, self.clone());
        self.enter(id, handle.clone());
        Ok(Some(handle))
    }

    /// Asks a game something that it answers.
    pub async fn ask<T>(
        &self,
        id: &str,
        command: impl Fn(oneshot::Sender<T>) -> Command,
    ) -> Result<Option<T>, Refusal> {
        // A game that was just leaving memory is read anew.
        for _ in 0..3 {
            let Some(handle) = self.get(id).await? else {
                return Ok(None);
            };
            let (answer, told) = oneshot::channel();
            if handle.commands.send(command(answer)).await.is_ok()
                && let Ok(answer) = told.await
            {
                return Ok(Some(answer));
            }
        }
        Err(refusal("busy", "the game does not answer; try again"))
    }

    /// Makes a game from wishes, for a guest.
    pub async fn make(&self, wishes: &NewGame, person: &Person) -> Result<(Made, Side), Refusal> {
        let side = wishes.side.map(husun::Side::from).unwrap_or_else(|| {
            match rand::rng().random_bool(0.5) {
                true => Side::White,
                false => Side::Black,
            }
        });
        let spec = spec_of(wishes, side, person)?;
        Ok((self.create(spec).await?, side))
    }

    /// Makes a game.
    pub async fn create(&self, spec: Spec) -> Result<Made, Refusal> {
        if self.live() >= self.inner.max_games {
            return Err(refusal(
                "full",
                "this server has as many games as it can hold; try again later",
            ));
        }
        let id = secret(6);
        let table = Table::new(spec.clone()).map_err(|e| refusal("game", e))?;
        if table.is_over() {
            return Err(refusal("fen", "the game is over in that position"));
        }
        let text = serde_json::to_string(&spec).map_err(|e| refusal("game", e.to_string()))?;
        let row = NewGameRow {
            id: id.clone(),
            spec: text,
            made_ms: wall_ms(),
            guests: table.guests().map(Into::into).collect(),
        };
        self.inner.world.store.create(&row).await?;
        let world = self.inner.world.clone();
        let handle = Live::start(id.clone(), table, Duration::ZERO, world, self.clone());
        self.enter(&id, handle);
        metrics::counter!("husun_games_made_total").increment(1);
        Ok(Made {
            id,
            seats: Both {
                white: spec.seats.white.secret,
                black: spec.seats.black.secret,
            },
        })
    }

    /// The same game again with sides changed. The seats keep their secrets, so that a link goes on to hold.
    pub fn rematch_of(&self, table: &Table) -> Spec {
        let mut spec = table.spec().clone();
        std::mem::swap(&mut spec.seats.white, &mut spec.seats.black);
        for side in Side::ALL {
            spec.seats.get_mut(side).kept = table.person(side.opponent()).cloned();
        }
        spec.seed = rand::rng().random();
        spec
    }

    /// Reads all games that are not over, after a start. `progress` is told how many of how many are read.
    pub async fn resume(
        &self,
        heart: &Heart,
        mut progress: impl FnMut(usize, usize),
    ) -> Result<usize, StoreError> {
        let world = &self.inner.world;
        let last = heart.last();
        let ids = world.store.running().await?;
        let mut resumed = 0;
        for (at, id) in ids.iter().enumerate() {
            progress(at, ids.len());
            let Some(stored) = world.store.load(id).await? else {
                continue;
            };
            match read(&stored, last) {
                Ok((table, _)) if table.is_over() => world.store.finish(id).await?,
                Ok((mut table, base)) => {
                    if table.clock().is_some_and(|c| c.turn().is_some()) {
                        // From here on the time of this run counts.
                        let event = Event::Resumed;
                        let row = world.row(id, table.seq() + 1, base, &event);
                        world.store.append(&[row]).await?;
                        if let Err(error) = table.apply(&event, base) {
                            tracing::error!(game = %id, %error, "a game could not be resumed");
                            continue;
                        }
                    }
                    let handle = Live::start(id.clone(), table, base, world.clone(), self.clone());
                    self.enter(id, handle);
                    resumed += 1;
                }
                Err(refused) => {
                    tracing::error!(game = %id, message = %refused.message, "left aside");
                }
            }
        }
        progress(ids.len(), ids.len());
        Ok(resumed)
    }

    /// Closes games in which nothing has happened for too long.
    pub async fn sweep(&self) -> Result<usize, Refusal> {
        let before = |ago: Duration| wall_ms() - millis(ago);
        let mut closed = 0;
        for id in self.inner.world.store.idle_since(before(WAITING)).await? {
            let card = self.card(&id, None).await?;
            let waits = card.is_some_and(|c| c.ply == 0 && c.stage != crate::wire::Stage::Playing);
            if waits {
                self.close_idle(&id).await?;
                closed += 1;
            }
        }
        for id in self.inner.world.store.idle_since(before(SILENT)).await? {
            let card = self.card(&id, None).await?;
            if card.is_some_and(|c| c.clock == "none") {
                self.close_idle(&id).await?;
                closed += 1;
            }
        }
        Ok(closed)
    }

    async fn close_idle(&self, id: &str) -> Result<(), Refusal> {
        if let Some(handle) = self.get(id).await? {
            // If it has just left memory, the next sweep finds it.
            let _ = handle.commands.send(Command::CloseIdle).await;
        }
        Ok(())
    }

    /// A game's card.
    pub async fn card(&self, id: &str, guest: Option<&str>) -> Result<Option<GameCard>, Refusal> {
        let card = self
            .ask(id, |answer| Command::Card {
                guest: guest.map(Into::into),
                answer,
            })
            .await?;
        Ok(card.map(|c| *c))
    }

    /// Games being played, those moved last first.
    pub async fn watchable(&self) -> Result<Vec<GameCard>, Refusal> {
        let mut ids: Vec<(u64, String)> = {
            let games = self.games();
            let playing = games.iter().filter(|(_, h)| h.pulse.playing.load(Relaxed));
            playing
                .map(|(id, h)| (h.pulse.moved_ms.load(Relaxed), id.clone()))
                .collect()
        };
        ids.sort_unstable_by(|a, b| b.cmp(a));
        ids.truncate(WATCHED);
        let mut cards = Vec::with_capacity(ids.len());
        for (_, id) in ids {
            cards.extend(self.card(&id, None).await?);
        }
        Ok(cards)
    }

    /// A guest's games, the newest first.
    pub async fn own(&self, guest: &str) -> Result<Vec<GameCard>, Refusal> {
        let mut cards = Vec::new();
        for id in self.inner.world.store.of_guest(guest, OWN).await? {
            match self.card(&id, Some(guest)).await {
                Ok(card) => cards.extend(card),
                Err(refused) => {
                    tracing::warn!(game = %id, message = %refused.message, "not listed")
                }
            }
        }
        Ok(cards)
    }

    /// Tells all games that the server goes down, and waits until they have stored what they are at.
    pub async fn close(&self, patience: Duration) {
        let handles: Vec<Handle> = self.games().values().cloned().collect();
        for handle in handles {
            let _ = handle.commands.try_send(Command::Shutdown);
        }
        let start = std::time::Instant::now();
        while self.live() > 0 && start.elapsed() < patience {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}

/// Whether a text can be a game's id.
pub fn is_id(text: &str) -> bool {
    (4..=40).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_alphanumeric())
}

pub use crate::names::name_of;

fn spec_of(wishes: &NewGame, side: Side, person: &Person) -> Result<Spec, Refusal> {
    let control: TimeControl = match wishes.clock.as_deref() {
        None | Some("") => TimeControl::None,
        Some(text) => text
            .parse()
            .map_err(|e| refusal("clock", format!("clock: {e}")))?,
    };
    let level = match wishes.level {
        Some(level @ 1..=8) => Some(level),
        Some(level) => {
            return Err(refusal("level", format!("level {level}, expected 1 to 8")));
        }
        None => None,
    };
    let fen = match (&wishes.variant, &wishes.family) {
        (Some(id), None) => start_fen(id, wishes)?,
        (None, Some(family)) => {
            if customs::family(family).is_none() {
                let known: Vec<&str> = customs::families()
                    .iter()
                    .map(|f| f.name.as_str())
                    .collect();
                let message = format!("no family {family:?}, expected {}", known.join(" or "));
                return Err(refusal("family", message));
            }
            if level.is_some() || wishes.fen.is_some() || wishes.setup.is_some() {
                let message = "customs are settled between two people, from the standard set-up";
                return Err(refusal("family", message));
            }
            None
        }
        _ => {
            return Err(refusal(
                "variant",
                "exactly one of variant and family is wanted",
            ));
        }
    };
    let seat = |of: Side| SeatSpec {
        secret: secret(16),
        level: level.filter(|_| of != side),
        kept: (of == side).then(|| person.clone()),
    };
    Ok(Spec {
        variant: wishes.variant.clone(),
        family: wishes.family.clone(),
        fen,
        control,
        takebacks: wishes.takebacks,
        seats: Both::of(seat),
        seed: rand::rng().random(),
    })
}

fn start_fen(id: &str, wishes: &NewGame) -> Result<Option<String>, Refusal> {
    let variant = games::variant(id).ok_or_else(|| {
        let known: Vec<&str> = games::ids().collect();
        refusal(
            "variant",
            format!("no game {id:?}, expected one of {}", known.join(", ")),
        )
    })?;
    match (&wishes.fen, wishes.setup.as_deref()) {
        (Some(_), Some(_)) => Err(refusal(
            "fen",
            "a set-up and a position text exclude each other",
        )),
        (Some(fen), None) => {
            let position = variant
                .position(fen)
                .map_err(|e| refusal("fen", e.to_string()))?;
            Ok(Some(position.fen()))
        }
        (None, None | Some("standard")) => Ok(None),
        (None, Some(name)) => {
            let start = variant.start_of(name).ok_or_else(|| {
                let known: Vec<&str> = variant.setups.iter().map(|s| s.name.as_str()).collect();
                let message = format!("no set-up {name:?}, expected one of {}", known.join(", "));
                refusal("setup", message)
            })?;
            Ok(Some(start.fen()))
        }
    }
}

/// Makes a game of what is stored, with its time now. `last` is the last noted time of the server's last run.
fn read(stored: &StoredGame, last: Option<(i64, i64)>) -> Result<(Table, Duration), Refusal> {
    let damaged = |problem: String| {
        refusal(
            "damaged",
            format!(
                "game {} in the storage is damaged: {problem}",
                stored.made.id
            ),
        )
    };
    let spec: Spec =
        serde_json::from_str(&stored.made.spec).map_err(|e| damaged(format!("its making: {e}")))?;
    let mut entries = Vec::with_capacity(stored.events.len());
    for row in &stored.events {
        let event: Event = serde_json::from_str(&row.body)
            .map_err(|e| damaged(format!("event {}: {e}", row.seq)))?;
        entries.push(Entry {
            seq: row.seq as u64,
            at: Duration::from_millis(row.at_ms.max(0) as u64),
            event,
        });
    }
    let table = Table::replay(spec, &entries).map_err(|e| damaged(e.to_string()))?;
    let mut base = table.at();
    if let (Some((run, ms)), Some(row)) = (last, stored.events.last())
        && row.run == run
    {
        base += Duration::from_millis((ms - row.run_ms).max(0) as u64);
    }
    Ok((table, base))
}
