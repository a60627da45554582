//! The lobby: people who wait for an opponent, and challenges. Two whose wishes overlap are paired at once. What waits
//! over days is in storage, and a game that comes of it takes it in the commit that makes the game; what waits for
//! people who are here is in memory of the node that leads, and ends with it: their pages seek again.

mod asked;
mod challenges;
mod keep;
mod show;
mod state;
#[cfg(test)]
mod tests;
pub mod wishes;

pub use show::game_shown;
pub use wishes::wish_of;

use crate::accounts::Accounts;
use crate::directory::{Directory, make};
use crate::leading::Led;
use crate::notices::words;
use crate::presence::{Here, LOBBY, Presence};
use crate::refusal::{Reason, Refused, refused};
use crate::services::{secret, wall_ms};
use crate::vacations::Vacations;
use crate::wire::{self, Paired, SeekMade, SeenPerson, ServerMessage};
use asked::{Ask, Held};
use bus::{Listener, Subscription};
use husun::Side;
use husun::clock::TimeControl;
use play::lobby::{Opponents, Seeker, Strength, Terms, Wanted, Wish, seated};
use play::table::Person;
use rand::RngExt;
use serde::{Deserialize, Serialize};
use state::{NoRoom, State, Waiting, may_play};
use std::collections::HashSet;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;
use store::offers::{OfferRow, OfferStore};
use tokio::sync::Notify;

/// A seek waits so long at most.
const WAITS_MS: i64 = 30 * 24 * 3_600_000;
/// A challenge, and that it was declined, is kept so long.
const CHALLENGE_MS: i64 = 14 * 24 * 3_600_000;
/// Offers of a person that wait in storage at most.
const OFFERS: u32 = 30;
/// People told of who were here last, and since when.
const SEEN: (u32, i64) = (12, 30 * 24 * 3_600_000);
/// Nobody is told the minute at which a person was here.
const HOUR_MS: i64 = 3_600_000;
/// The list's changes are told on so many subjects, each to a part of those who are here, one after another: thousands
/// told at once would keep all others waiting.
const PARTS: usize = 32;

/// The subject on which a part is told of changes.
fn list_told(part: usize) -> String {
    format!("lobby.{part}")
}

/// The subject on which a person is told what concerns that one alone.
pub(crate) fn told_to(guest: &str) -> String {
    format!("person.{guest}")
}

/// A seek as it is stored.
#[derive(Debug, Serialize, Deserialize)]
struct KeptSeek {
    person: Person,
    wish: Wish,
}

/// The lobby.
#[derive(Clone)]
pub struct Lobby {
    inner: Arc<Inner>,
}

struct Inner {
    directory: Directory,
    vacations: Vacations,
    accounts: Accounts,
    store: Arc<dyn OfferStore>,
    presence: Presence,
    /// What waits, where it is led.
    state: Mutex<State>,
    led: Led,
    changed: Notify,
    /// How many have come, by which they are told in parts.
    came: AtomicUsize,
}

/// Somebody's place in the lobby, for as long as this is held.
pub struct Place {
    _here: Here,
    _listens: [Subscription; 2],
}

impl Lobby {
    /// An empty lobby.
    pub fn new(
        directory: Directory,
        vacations: Vacations,
        accounts: Accounts,
        presence: Presence,
        store: Arc<dyn OfferStore>,
    ) -> Lobby {
        Lobby {
            inner: Arc::new(Inner {
                vacations,
                accounts,
                store,
                presence,
                state: Mutex::default(),
                led: Led::new(directory.services().clone(), "lobby"),
                directory,
                changed: Notify::new(),
                came: AtomicUsize::new(0),
            }),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        let state = self.inner.state.lock();
        state.unwrap_or_else(PoisonError::into_inner)
    }

    fn publish(&self, subject: &str, message: &ServerMessage) {
        match serde_json::to_vec(message) {
            Ok(text) => self.bus().publish(subject, text.into()),
            Err(error) => tracing::error!(%error, "a message cannot be written"),
        }
    }

    fn bus(&self) -> &Arc<dyn bus::Bus> {
        &self.inner.directory.services().bus
    }

    /// Comes to the lobby: `tell` is given the whole list before any change of it is told.
    pub async fn enter(
        &self,
        person: &Person,
        listener: Arc<dyn Listener>,
        tell: impl FnOnce(wire::Lobby),
    ) -> Result<Place, Refused> {
        let busy = |_| refused(Reason::Busy, "the lobby does not answer; try again");
        let own = told_to(&person.guest);
        let part = list_told(self.inner.came.fetch_add(1, Relaxed) % PARTS);
        let held = Arc::new(Held::new(listener.clone()));
        let list = self.bus().subscribe(&part, held.clone()).await;
        let list = list.map_err(busy)?;
        let own = self.bus().subscribe(&own, listener).await.map_err(busy)?;
        let here = self.inner.presence.enter(LOBBY, &person.guest);
        let lobby = self.look(&person.guest).await?;
        let n = lobby.n;
        held.release(|| tell(lobby), n);
        Ok(Place {
            _here: here,
            _listens: [list, own],
        })
    }

    /// Whether somebody has a page open that is told what comes from others.
    pub fn is_here(&self, guest: &str) -> bool {
        self.inner.presence.is_here(LOBBY, guest)
    }

    /// The lobby as it is now, for one who only looks.
    pub async fn look(&self, guest: &str) -> Result<wire::Lobby, Refused> {
        let ask = || Ask::Look {
            guest: guest.into(),
        };
        let here = || async { Ok(self.look_here(guest)) };
        self.inner.led.done(ask, here).await
    }

    fn look_here(&self, guest: &str) -> wire::Lobby {
        let here = self.inner.presence.count(LOBBY);
        self.state().list(guest, here, |seek| self.shown(seek))
    }

    /// People with an account who were here last.
    pub async fn seen(&self) -> Result<Vec<SeenPerson>, Refused> {
        let store = self.inner.accounts.store();
        let since = wall_ms() - SEEN.1;
        let rows = store.seen_last(since, SEEN.0).await?;
        let seen = rows.into_iter().map(|account| SeenPerson {
            here: self.is_here(&account.id),
            bot: account.bot,
            name: account.name,
            seen_ms: account.seen_ms / HOUR_MS * HOUR_MS,
        });
        Ok(seen.collect())
    }

    /// Wishes for an opponent: somebody who waits, or else the wish waits.
    pub async fn seek(&self, person: &Person, wish: Wish) -> Result<SeekMade, Refused> {
        let (by, wished) = (person.clone(), wish.clone());
        let ask = || Ask::Seek {
            person: by,
            wish: wished,
        };
        let here = || self.seek_here(person, wish);
        self.inner.led.done(ask, here).await
    }

    async fn seek_here(&self, person: &Person, wish: Wish) -> Result<SeekMade, Refused> {
        let now_ms = wall_ms();
        let seek = Waiting {
            id: secret(7),
            strength: self.strength(person).await?,
            apart: self.apart(person).await?,
            person: person.clone(),
            kept: wish.is_slow(),
            wish,
            made_ms: now_ms,
            until_ms: now_ms + WAITS_MS,
        };
        if seek.kept {
            self.store(&seek).await?;
        }
        // One who fits may be lost to another while a game is made; then there may be the next.
        loop {
            let waits = self.take_best_or_wait(&seek);
            match waits {
                Ok(None) => {
                    self.inner.changed.notify_one();
                    return Ok(SeekMade {
                        id: Some(seek.id),
                        paired: None,
                    });
                }
                Ok(Some((waiting, terms))) => {
                    let own = seek.kept.then(|| seek.id.clone());
                    match self.pair(waiting, person, own, &terms).await {
                        // The other offer was taken; its own one is open still.
                        Err(refused)
                            if refused.reason == Reason::Gone && self.is_open(&seek).await? => {}
                        Ok(paired) => {
                            return Ok(SeekMade {
                                id: None,
                                paired: Some(paired),
                            });
                        }
                        Err(refused) => {
                            self.take_back(&seek).await;
                            return Err(refused);
                        }
                    }
                }
                Err(full) => {
                    self.take_back(&seek).await;
                    let message = match full {
                        NoRoom::Own => "you wait for enough already; withdraw something first",
                        NoRoom::All => "too many people wait at the moment; come again later",
                    };
                    return Err(refused(Reason::Limit, message));
                }
            }
        }
    }

    /// Whether a seek can be taken still.
    async fn is_open(&self, seek: &Waiting) -> Result<bool, Refused> {
        let row = match seek.kept {
            true => self.inner.store.offer(&seek.id).await?,
            false => return Ok(true),
        };
        Ok(row.is_some_and(|row| row.game.is_none() && row.answer.is_none()))
    }

    /// Takes a seek that comes to nothing out of storage.
    async fn take_back(&self, seek: &Waiting) {
        if !seek.kept {
            return;
        }
        let store = &self.inner.store;
        let withdrawn = store.withdraw_offer(&seek.id, &seek.person.guest).await;
        if let Err(error) = withdrawn {
            tracing::warn!(offer = seek.id, %error, "an offer that was refused waits in storage until the next start");
        }
    }

    async fn store(&self, seek: &Waiting) -> Result<(), Refused> {
        let kept = KeptSeek {
            person: seek.person.clone(),
            wish: seek.wish.clone(),
        };
        let row = OfferRow {
            id: seek.id.clone(),
            person: seek.person.guest.clone(),
            target: None,
            body: text_of(&kept)?,
            made_ms: seek.made_ms,
            until_ms: seek.until_ms,
            game: None,
            answer: None,
        };
        let services = self.inner.directory.services();
        services.keep_rules(&seek.wish.games).await?;
        self.keep_row(&row).await
    }

    async fn keep_row(&self, row: &OfferRow) -> Result<(), Refused> {
        match self.inner.store.keep_offer(row, OFFERS).await? {
            true => Ok(()),
            false => {
                let message = format!("{OFFERS} of your offers wait already; withdraw some first");
                Err(refused(Reason::Limit, message))
            }
        }
    }

    /// Takes out the one who fits best, before anybody else can; if nobody does, the seek waits from now on, so that
    /// two that come in the same moment do not pass each other by.
    fn take_best_or_wait(&self, seek: &Waiting) -> Result<Option<(Waiting, Terms)>, NoRoom> {
        let games = self.inner.directory.variants();
        let mut state = self.state();
        if let Some((id, terms)) = state.best(seek, games)
            && let Some(waiting) = state.remove(&id)
        {
            let chosen = rand::rng().random_range(0..terms.len().max(1));
            return Ok(terms.into_iter().nth(chosen).map(|terms| (waiting, terms)));
        }
        state.add(seek.clone())?;
        Ok(None)
    }

    /// Begins a game, of what storage has of both offers, between one who waited, and is out of the list, and one who
    /// has come. If it does not come to that who waited waits on.
    async fn pair(
        &self,
        waiting: Waiting,
        came: &Person,
        own: Option<String>,
        terms: &Terms,
    ) -> Result<Paired, Refused> {
        // Nobody who begins a game at the board waits for another.
        let mut out = Vec::new();
        if !waiting.kept {
            let mut state = self.state();
            out = state.remove_present(&waiting.person.guest);
            out.extend(state.remove_present(&came.guest));
        }
        self.inner.changed.notify_one();
        let kept = waiting.kept.then(|| waiting.id.clone());
        let offers = kept.into_iter().chain(own).collect();
        let begun = self.begin(&waiting.person, came, terms, offers).await;
        let waits_on = match &begun {
            Ok(_) => false,
            Err(refused) if refused.reason == Reason::Gone => {
                waiting.kept && self.is_open(&waiting).await?
            }
            Err(_) => true,
        };
        if waits_on {
            let mut state = self.state();
            for seek in std::iter::once(waiting).chain(out) {
                let _ = state.add(seek);
            }
            self.inner.changed.notify_one();
        }
        begun
    }

    /// Begins a game between one who has offered it and one who has taken it, tells the one and gives it to the other.
    async fn begin(
        &self,
        offered: &Person,
        came: &Person,
        terms: &Terms,
        offers: Vec<String>,
    ) -> Result<Paired, Refused> {
        let lot = || match rand::rng().random_bool(0.5) {
            true => Side::White,
            false => Side::Black,
        };
        let side = terms.side.unwrap_or_else(lot);
        let players = seated(side, offered.clone(), came.clone());
        let spec = make::agreed(terms, players);
        let game = self.inner.directory.begin(spec, offers).await?;
        metrics::counter!("husun_paired_total").increment(1);
        if let TimeControl::Correspondence { .. } = terms.control {
            let people = [offered.guest.as_str(), came.guest.as_str()];
            if let Err(refused) = self.inner.vacations.tell_new(&game, people).await {
                // The game is there; who is on vacation can say so again.
                tracing::warn!(%game, message = %refused.message, "a vacation is not told of");
            }
        }
        let told = |side: Side, opponent: &Person| Paired {
            game: game.clone(),
            side: side.into(),
            opponent: opponent.name.clone(),
            name: self.game_shown(&terms.wanted).name,
            clock: terms.control.to_string(),
        };
        let of_offer = told(side, came);
        let happenings = &self.inner.directory.services().happenings;
        happenings.tell(words::paired(&offered.guest, &of_offer));
        if !matches!(terms.control, TimeControl::Correspondence { .. }) {
            let told = of_offer.clone();
            self.state()
                .note_begun(&offered.guest, told, Instant::now());
        }
        self.publish(&told_to(&offered.guest), &ServerMessage::Paired(of_offer));
        // Other pages of the one who has come.
        let answer = told(side.opponent(), offered);
        let message = ServerMessage::Paired(answer.clone());
        self.publish(&told_to(&came.guest), &message);
        Ok(answer)
    }

    /// Accepts a seek, with one of the games and clocks that it offers.
    pub async fn accept(
        &self,
        id: &str,
        person: &Person,
        game: Option<Wanted>,
        clock: Option<TimeControl>,
    ) -> Result<Paired, Refused> {
        let ask = || Ask::Accept {
            id: id.into(),
            person: person.clone(),
            game: game.clone(),
            clock,
        };
        let here = || self.accept_here(id, person, game.clone(), clock);
        self.inner.led.done(ask, here).await
    }

    async fn accept_here(
        &self,
        id: &str,
        person: &Person,
        game: Option<Wanted>,
        clock: Option<TimeControl>,
    ) -> Result<Paired, Refused> {
        let (strength, apart) = (self.strength(person).await?, self.apart(person).await?);
        let games = self.inner.directory.variants();
        let (waiting, terms) = {
            let mut state = self.state();
            let none = || refused(Reason::Gone, "this offer is no longer open");
            let waiting = state.find(id).ok_or_else(none)?;
            if !may_play(waiting, &person.guest, &apart) {
                return Err(match waiting.person.guest == person.guest {
                    true => refused(Reason::Opponent, "this is your own offer"),
                    false => refused(Reason::Opponent, "you do not play with each other"),
                });
            }
            if waiting.wish.rated && !person.account {
                return Err(wishes::sign_in());
            }
            let wish = Wish {
                games: game.into_iter().collect(),
                clocks: clock.map_or_else(|| waiting.wish.clocks.clone(), |clock| vec![clock]),
                rated: waiting.wish.rated,
                side: None,
                range: None,
                opponents: Opponents::Anyone,
            };
            let came = Seeker {
                wish: &wish,
                strength: &strength,
                bot: person.bot,
            };
            if !waiting.seeker().welcomes(&came) {
                return Err(refused(Reason::Opponent, "this offer is for people only"));
            }
            let fitting = waiting.seeker().fitting(&came, games);
            let chosen = rand::rng().random_range(0..fitting.len().max(1));
            let Some(terms) = fitting.into_iter().nth(chosen) else {
                return Err(match waiting.wish.range {
                    Some([least, most]) => refused(
                        Reason::Range,
                        format!("an opponent rated {least} to {most} is wanted"),
                    ),
                    None => refused(Reason::Variant, "this game or clock is not offered"),
                });
            };
            (state.remove(id).ok_or_else(none)?, terms)
        };
        self.pair(waiting, person, None, &terms).await
    }

    /// Takes a seek of one's own back.
    pub async fn withdraw(&self, id: &str, person: &Person) -> Result<(), Refused> {
        let ask = || Ask::Withdraw {
            id: id.into(),
            guest: person.guest.clone(),
        };
        let here = || self.withdraw_here(id, &person.guest);
        self.inner.led.done(ask, here).await
    }

    async fn withdraw_here(&self, id: &str, guest: &str) -> Result<(), Refused> {
        let none = || refused(Reason::NoSuchOffer, "you have no such offer");
        let kept = {
            let mut state = self.state();
            let seek = state.find(id).filter(|s| s.person.guest == guest);
            let kept = seek.ok_or_else(none)?.kept;
            if !kept {
                state.remove(id);
            }
            kept
        };
        if kept {
            let withdrawn = self.inner.store.withdraw_offer(id, guest).await?;
            self.state().remove(id);
            if !withdrawn {
                return Err(refused(Reason::Gone, "its game has already begun"));
            }
        }
        self.inner.changed.notify_one();
        Ok(())
    }

    /// Has what somebody seeks pass by another one.
    async fn keep_apart(&self, guest: &str, other: &str) -> Result<(), Refused> {
        let ask = || Ask::KeepApart {
            guest: guest.into(),
            other: other.into(),
        };
        let here = || async {
            self.state().keep_apart(guest, other);
            Ok(())
        };
        self.inner.led.done(ask, here).await
    }

    /// Takes back all that a person has offered to whoever comes.
    pub async fn withdraw_all(&self, person: &Person) -> Result<(), Refused> {
        for id in self.look(&person.guest).await?.own {
            match self.withdraw(&id, person).await {
                // Somebody was faster.
                Err(refused) if matches!(refused.reason, Reason::Gone | Reason::NoSuchOffer) => {}
                done => done?,
            }
        }
        Ok(())
    }

    /// Takes all that a person has offered off the list: the account is deleted.
    pub async fn forget(&self, guest: &str) {
        let ask = || Ask::Forget {
            guest: guest.into(),
        };
        let here = || async {
            self.forget_here(guest);
            Ok(())
        };
        if let Err(refused) = self.inner.led.done(ask, here).await {
            // Nobody takes up what comes of it: the account is gone.
            tracing::warn!(message = %refused.message, "what somebody has offered who is gone stays on the list");
        }
    }

    fn forget_here(&self, guest: &str) {
        self.state().forget(guest);
        self.inner.changed.notify_one();
    }

    async fn strength(&self, person: &Person) -> Result<Arc<Strength>, Refused> {
        let ratings = &self.inner.directory.services().ratings;
        Ok(Arc::new(match person.account {
            true => ratings.strength(&person.guest).await?,
            false => Strength::default(),
        }))
    }

    async fn apart(&self, person: &Person) -> Result<Arc<HashSet<String>>, Refused> {
        let apart = self.inner.store.apart_from(&person.guest).await?;
        Ok(Arc::new(apart.into_iter().collect()))
    }
}

/// What is stored of an offer.
fn text_of(offer: &impl Serialize) -> Result<String, Refused> {
    serde_json::to_string(offer).map_err(|e| refused(Reason::Game, e.to_string()))
}
