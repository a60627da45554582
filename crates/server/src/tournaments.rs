//! Tournaments: made, joined, paired, played to their end. What happens in one is stored before anything follows from
//! it: first that a round is paired, with the ids of its games, then the games. After a sudden end those that are
//! missing are made, and ends of games that were noted with their last events are taken, so that nobody is paired twice
//! and no game counts twice. Where there are several nodes the one that leads plays them, and all know them: whoever finds
//! that another has written what happens next reads it, and decides anew.

mod announce;
mod ends;
mod follow;
mod games;
mod live;
mod show;
mod wishes;

use crate::accounts::Accounts;
use crate::config::is_among;
use crate::directory::Directory;
use crate::leading;
use crate::lobby::told_to;
use crate::presence::{self, Here, Presence};
use crate::refusal::{Reason, Refused, refused};
use crate::services::{secret, wall_ms};
use crate::vacations::Vacations;
use crate::wire::{self, NewTournament, ServerMessage};
use crate::work::Weight;
use bus::{Listener, Subscription};
use futures_util::StreamExt;
use futures_util::stream;
use live::{Live, read_plan};
use play::rating;
use play::rating::{Speed, engine_id};
use play::table::Person;
use play::tournament::{Event, Phase, Step, Tournament};
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use store::StoreError;
use store::tournaments::{TitleRow, TournamentRow, TournamentStore};
use tokio::sync::Notify;

/// How often it is looked what time brings.
const TICK: Duration = Duration::from_millis(500);
/// Games made at once.
const MAKING: usize = 32;
/// Tournaments of one account that are not over.
const MOST_OF_ONE: u32 = 5;
/// Tournaments that are over and were looked at last.
const REMEMBERED: usize = 16;
/// How often something is decided anew because another node was faster.
const ATTEMPTS: usize = 5;
/// Steps of a tournament at one time: one that starts pairs at once.
const STEPS: usize = 4;
/// A year.
const AHEAD_MS: i64 = 366 * 24 * 3_600_000;

/// The subject on which is told that a tournament has changed.
fn told_at(id: &str) -> String {
    format!("tournament.{id}")
}

/// All tournaments.
#[derive(Clone)]
pub struct Tournaments {
    inner: Arc<Inner>,
}

struct Inner {
    directory: Directory,
    accounts: Accounts,
    vacations: Vacations,
    store: Arc<dyn TournamentStore>,
    /// Names of those who may make tournaments; everybody with an account if missing.
    makers: Option<Vec<String>>,
    /// Most of them that are not over; 0 for any number.
    most: usize,
    presence: Presence,
    live: Mutex<HashMap<String, Arc<Live>>>,
    past: Mutex<VecDeque<Arc<Live>>>,
    /// Another node has made a tournament, or changed one.
    told: Notify,
}

/// Somebody's place at a tournament, for as long as this is held.
pub struct Place {
    live: Arc<Live>,
    _here: Here,
    _listens: [Subscription; 2],
}

impl Place {
    /// The last change.
    pub fn change(&self) -> wire::TournamentChange {
        wire::TournamentChange {
            id: self.live.id.clone(),
            n: self.live.now().seq(),
        }
    }
}

/// Whether nothing more happens in it.
fn is_past(live: &Live) -> bool {
    matches!(live.now().phase(), Phase::Over | Phase::Cancelled)
}

fn none_such() -> Refused {
    refused(Reason::NoSuchTournament, "there is no such tournament")
}

impl From<play::tournament::Refused> for Refused {
    fn from(error: play::tournament::Refused) -> Refused {
        refused(Reason::Tournament, error.to_string())
    }
}

impl Tournaments {
    /// Tournaments in a storage.
    pub fn new(
        directory: Directory,
        accounts: Accounts,
        vacations: Vacations,
        presence: Presence,
        store: Arc<dyn TournamentStore>,
        makers: Option<Vec<String>>,
        most: usize,
    ) -> Tournaments {
        Tournaments {
            inner: Arc::new(Inner {
                directory,
                accounts,
                vacations,
                store,
                makers,
                most,
                presence,
                live: Mutex::default(),
                past: Mutex::default(),
                told: Notify::new(),
            }),
        }
    }

    fn live(&self) -> MutexGuard<'_, HashMap<String, Arc<Live>>> {
        let live = self.inner.live.lock();
        live.unwrap_or_else(PoisonError::into_inner)
    }

    fn past(&self) -> MutexGuard<'_, VecDeque<Arc<Live>>> {
        let past = self.inner.past.lock();
        past.unwrap_or_else(PoisonError::into_inner)
    }

    fn all_live(&self) -> Vec<Arc<Live>> {
        self.live().values().cloned().collect()
    }

    /// Plays all tournaments for as long as this node leads, whenever it does.
    pub async fn keep(self) {
        let services = self.inner.directory.services().clone();
        leading::while_leading(services, || self.play()).await;
    }

    async fn play(&self) {
        while let Err(refused) = self.take_over().await {
            tracing::warn!(message = %refused.message, "tournaments cannot be read yet");
            tokio::time::sleep(TICK).await;
        }
        let services = self.inner.directory.services().clone();
        if !services.is_alone() {
            self.tell_pairings_again().await;
        }
        let mut ticks = tokio::time::interval(TICK);
        ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                _ = ticks.tick() => {}
                // Several that end together are taken together.
                () = services.ended.notified() => tokio::time::sleep(TICK / 10).await,
            }
            if let Err(refused) = self.take_ends().await {
                tracing::warn!(message = %refused.message, "ends of games are taken later");
                continue;
            }
            let all = self.all_live();
            let steps = stream::iter(all).map(|live| self.go_on(live));
            steps.buffer_unordered(MAKING).collect::<Vec<()>>().await;
        }
    }

    async fn read(&self, row: TournamentRow) -> Result<Arc<Live>, Refused> {
        let tournament = self.replayed(&row).await?;
        let unmade = self.unmade(&tournament, 0).await?;
        Ok(Arc::new(Live::new(row, tournament, unmade)))
    }

    /// Games of the pairings from one on that were paired and are not made.
    async fn unmade(&self, tournament: &Tournament, from: usize) -> Result<Vec<String>, Refused> {
        let pairings = tournament.pairings().iter().skip(from);
        let asked: Vec<String> = pairings
            .filter(|p| p.result.is_none())
            .map(|p| p.new.game.clone())
            .collect();
        if asked.is_empty() {
            return Ok(asked);
        }
        let made = self.inner.store.games_made(&asked).await?;
        Ok(asked.into_iter().filter(|id| !made.contains(id)).collect())
    }

    async fn replayed(&self, row: &TournamentRow) -> Result<Tournament, Refused> {
        let plan = read_plan(row)?;
        let events = self.inner.store.tournament_events(&row.id, 0).await?;
        let replay = move || {
            let events = events.iter().map(|e| (e.wall_ms, e.body.as_str()));
            Tournament::replay(plan, events)
        };
        let work = self.inner.directory.work();
        let replayed = work.run(Weight::Light, replay).await?;
        replayed.map_err(|error| live::damaged(&row.id, &error))
    }

    /// A tournament.
    async fn find(&self, id: &str) -> Result<Arc<Live>, Refused> {
        let live = self.live().get(id).cloned();
        if let Some(live) = live {
            self.freshened(&live).await?;
            return Ok(live);
        }
        if let Some(live) = self.past().iter().find(|live| live.id == id) {
            return Ok(live.clone());
        }
        let row = self.inner.store.tournament(id).await?;
        let live = self.read(row.ok_or_else(none_such)?).await?;
        if is_past(&live) {
            self.remember(live.clone());
            return Ok(live);
        }
        // Another node has just made it, or it is about to be taken over.
        let mut all = self.live();
        Ok(all.entry(id.into()).or_insert(live).clone())
    }

    /// Takes one that is over out of those that are played.
    fn put_away(&self, live: &Arc<Live>) {
        if is_past(live) {
            self.live().remove(&live.id);
            self.remember(live.clone());
        }
    }

    fn remember(&self, live: Arc<Live>) {
        let mut past = self.past();
        past.retain(|known| known.id != live.id);
        past.push_front(live);
        past.truncate(REMEMBERED);
    }

    /// Whether somebody may make tournaments.
    pub fn may_make(&self, person: &Person) -> Result<(), Refused> {
        if !person.account {
            let message = "you need an account to make a tournament: sign in first";
            return Err(refused(Reason::SignIn, message));
        }
        match is_among(&self.inner.makers, &person.name) {
            true => Ok(()),
            false => {
                let message =
                    "on this server only people named by its operator can make tournaments";
                Err(refused(Reason::NotYours, message))
            }
        }
    }

    /// Makes a tournament.
    pub async fn make(&self, wish: &NewTournament, person: &Person) -> Result<String, Refused> {
        self.may_make(person)?;
        let now_ms = wall_ms();
        let plan = wishes::plan_of(self.inner.directory.variants(), wish, now_ms)?;
        let most = self.inner.most;
        if most > 0 && self.live().len() >= most {
            let message = "this server cannot hold any more open tournaments; try again later";
            return Err(refused(Reason::Limit, message));
        }
        let row = TournamentRow {
            id: secret(5),
            plan: serde_json::to_string(&plan).map_err(|e| refused(Reason::Game, e.to_string()))?,
            maker: person.guest.clone(),
            made_ms: now_ms,
            starts_ms: plan.starts_ms,
            phase: live::phase_name(Phase::Open).into(),
            people: 0,
            ended_ms: None,
        };
        let services = self.inner.directory.services();
        services.keep_rules(&plan.games).await?;
        if !self.inner.store.make_tournament(&row, MOST_OF_ONE).await? {
            let message = format!("{MOST_OF_ONE} of your tournaments are not over yet");
            return Err(refused(Reason::Limit, message));
        }
        let id = row.id.clone();
        let live = Arc::new(Live::new(row, Tournament::new(plan), Vec::new()));
        self.live().insert(id.clone(), live.clone());
        self.tell_nodes(&live);
        Ok(id)
    }

    /// Joins a tournament.
    pub async fn join(&self, id: &str, person: &Person) -> Result<(), Refused> {
        if !person.account {
            let message = "you need an account to play in a tournament: sign in first";
            return Err(refused(Reason::SignIn, message));
        }
        let live = self.find(id).await?;
        let rating = self.rating(&live, &person.guest).await?;
        self.change(&live, Vec::new(), |t| {
            Ok(vec![t.join(&person.guest, rating)?])
        })
        .await
    }

    /// Leaves it.
    pub async fn leave(&self, id: &str, person: &Person) -> Result<(), Refused> {
        let live = self.find(id).await?;
        self.change(&live, Vec::new(), |t| Ok(vec![t.leave(&person.guest)?]))
            .await
    }

    /// Calls it off, for its maker.
    pub async fn cancel(&self, id: &str, person: &Person) -> Result<(), Refused> {
        let live = self.find(id).await?;
        if live.maker != person.guest {
            let message = "only its maker can call a tournament off";
            return Err(refused(Reason::NotYours, message));
        }
        self.call_off(id).await
    }

    /// Calls it off, whoever has made it.
    pub async fn call_off(&self, id: &str) -> Result<(), Refused> {
        let live = self.find(id).await?;
        self.change(&live, Vec::new(), |t| Ok(vec![t.cancel()?]))
            .await
    }

    /// Who has made it; refused if it can no longer be called off.
    pub async fn maker_of_open(&self, id: &str) -> Result<String, Refused> {
        let live = self.find(id).await?;
        live.now().cancel()?;
        Ok(live.maker.clone())
    }

    /// Takes a deleted account out of what is not over.
    pub async fn forget(&self, account: &str) {
        for live in self.all_live() {
            live.forget_names();
            let left = self.change(&live, Vec::new(), |t| match t.number(account) {
                Some(_) => Ok(t.leave(account).into_iter().collect()),
                None => Ok(Vec::new()),
            });
            if let Err(refused) = left.await {
                tracing::warn!(tournament = live.id, message = %refused.message, "one who is gone stays in it");
            }
        }
        for live in self.past().iter() {
            live.forget_names();
        }
    }

    /// Comes to a tournament: what changes is told from then on.
    pub async fn enter(
        &self,
        id: &str,
        person: &Person,
        listener: Arc<dyn Listener>,
    ) -> Result<Place, Refused> {
        let live = self.find(id).await?;
        let busy = |_| refused(Reason::Busy, "the tournament does not answer; try again");
        let bus = &self.inner.directory.services().bus;
        let (told, own) = (told_at(id), told_to(&person.guest));
        let told = bus.subscribe(&told, listener.clone()).await.map_err(busy)?;
        let own = bus.subscribe(&own, listener).await.map_err(busy)?;
        let place = presence::tournament(id);
        let here = self.inner.presence.enter(&place, &person.guest);
        Ok(Place {
            live,
            _here: here,
            _listens: [told, own],
        })
    }

    /// The rating with which somebody comes: in the first game at the speed of the clock.
    async fn rating(&self, live: &Live, id: &str) -> Result<i32, Refused> {
        let tournament = live.now();
        let plan = tournament.plan();
        let directory = &self.inner.directory;
        let strength = directory.services().ratings.strength(id).await?;
        let Some(first) = plan.games.first() else {
            return Ok(play::lobby::UNRATED);
        };
        let speed = Speed::of(&plan.control);
        Ok(
            match (
                rating::level_of(id),
                strength.knows(first, speed, directory.variants()),
            ) {
                (Some(_), None) => crate::ratings::first(id, 0).rating.round() as i32,
                (_, known) => known.unwrap_or(play::lobby::UNRATED),
            },
        )
    }

    /// Has a tournament do what is decided of it as it is now: stored first, then seen. If another node has been faster
    /// it is decided anew of what that has stored.
    async fn change(
        &self,
        live: &Arc<Live>,
        known: Vec<String>,
        decide: impl Fn(&Tournament) -> Result<Vec<Event>, Refused>,
    ) -> Result<(), Refused> {
        let gate = live.gate.lock().await;
        for attempt in 1.. {
            self.freshen(live).await?;
            let before = live.now();
            let events = decide(&before)?;
            if events.is_empty() && known.is_empty() {
                return Ok(());
            }
            match self.write(live, &before, &events, known.clone()).await? {
                Ok(()) => break,
                Err(StoreError::Conflict { .. }) if attempt < ATTEMPTS => {}
                Err(error) => return Err(error.into()),
            }
        }
        drop(gate);
        self.tell(live);
        self.put_away(live);
        Ok(())
    }

    async fn write(
        &self,
        live: &Live,
        before: &Tournament,
        events: &[Event],
        known: Vec<String>,
    ) -> Result<Result<(), StoreError>, Refused> {
        let ms = wall_ms();
        let mut after = before.clone();
        for event in events {
            if let Err(error) = after.apply(event, ms) {
                tracing::error!(tournament = live.id, %error, ?event, "what was decided does not apply");
                metrics::counter!("husun_faults_total").increment(1);
                return Err(refused(
                    Reason::Fault,
                    "a fault of the server; it has been noted",
                ));
            }
        }
        let titles = self.titles_of(live, &after, ms);
        let write = live.write(before, &after, events, ms, known, titles);
        if let Err(error) = self.inner.store.write_tournament(&write).await {
            // It is not known whether it is stored, or another has stored something else.
            live.doubt();
            return Ok(Err(error));
        }
        let new = events.iter().filter_map(|event| match event {
            Event::Paired { games, .. } => Some(games.iter().map(|new| new.game.clone())),
            _ => None,
        });
        live.to_make(new.flatten());
        live.set(after);
        Ok(Ok(()))
    }

    /// Who has won a title, once it is over.
    fn titles_of(&self, live: &Live, tournament: &Tournament, at_ms: i64) -> Vec<TitleRow> {
        let over = tournament.phase() == Phase::Over && !tournament.pairings().is_empty();
        let Some(title) = tournament.plan().champion.clone().filter(|_| over) else {
            return Vec::new();
        };
        let standings = tournament.standings();
        let first = standings.iter().take_while(|s| s.rank == 1);
        let people = first.filter_map(|s| tournament.entrants().get(s.entrant as usize));
        people
            .filter(|e| e.level.is_none())
            .map(|entrant| TitleRow {
                person: entrant.id.clone(),
                tournament: live.id.clone(),
                title: title.clone(),
                at_ms,
            })
            .collect()
    }

    fn tell(&self, live: &Live) {
        self.tell_nodes(live);
        let n = live.now().seq();
        self.publish(
            &told_at(&live.id),
            &ServerMessage::TournamentChange(wire::TournamentChange {
                id: live.id.clone(),
                n,
            }),
        );
    }

    fn publish(&self, subject: &str, message: &ServerMessage) {
        match serde_json::to_vec(message) {
            Ok(text) => {
                let bus = &self.inner.directory.services().bus;
                bus.publish(subject, text.into());
            }
            Err(error) => tracing::error!(%error, "a message cannot be written"),
        }
    }

    /// What time brings to a tournament.
    async fn go_on(&self, live: Arc<Live>) {
        if let Err(refused) = self.freshened(&live).await {
            tracing::warn!(tournament = live.id, message = %refused.message, "it goes on later");
            return;
        }
        self.announce(&live).await;
        let place = presence::tournament(&live.id);
        for _ in 0..STEPS {
            let now_ms = wall_ms();
            let is_here = |id: &str| self.inner.presence.is_here(&place, id);
            let Some(step) = live.now().next(now_ms, is_here) else {
                break;
            };
            let done = match step {
                Step::Start => self.start(&live).await,
                Step::Pair => self.pair(&live, now_ms).await,
                Step::End => {
                    self.change(&live, Vec::new(), |_| Ok(vec![Event::Over]))
                        .await
                }
            };
            if let Err(refused) = done {
                tracing::warn!(tournament = live.id, ?step, message = %refused.message, "it goes on later");
                return;
            }
            if matches!(step, Step::Pair) {
                break;
            }
        }
        self.make_games(&live).await;
    }

    async fn start(&self, live: &Arc<Live>) -> Result<(), Refused> {
        let level = live.now().plan().level;
        let rating = match level {
            Some(level) => self.rating(live, &engine_id(level)).await?,
            None => play::lobby::UNRATED,
        };
        self.change(live, Vec::new(), |t| Ok(t.start(|_| rating)))
            .await
    }

    /// Pairs a round, in the pool.
    async fn pair(&self, live: &Arc<Live>, now_ms: i64) -> Result<(), Refused> {
        let (known, presence) = (live.now(), self.inner.presence.clone());
        let place = presence::tournament(&live.id);
        let seq = known.seq();
        let is_here = move |id: &str| presence.is_here(&place, id);
        let pair = move || known.pair(now_ms, is_here, || secret(7));
        let work = self.inner.directory.work();
        let events = work.run(Weight::Heavy, pair).await?;
        self.change(live, Vec::new(), |tournament| {
            // Somebody has left meanwhile, or come: it is paired anew.
            Ok(match tournament.seq() == seq {
                true => events.clone(),
                false => Vec::new(),
            })
        })
        .await
    }

    /// Brings the names of entrants.
    async fn know_names(&self, live: &Live, ids: &[String]) -> Result<(), Refused> {
        let missing = live.unnamed(ids);
        if !missing.is_empty() {
            let store = self.inner.accounts.store();
            live.learn(store.names_of(&missing).await?);
        }
        Ok(())
    }
}
