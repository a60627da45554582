//! Who waits in the lobby: what is so now, and what has changed since it was told. Nothing here waits
//! for anything; whoever is taken out for a game is out before another can be paired with the same person.

use crate::wire;
use play::Games;
use play::lobby::{Seeker, Strength, Terms, Wish};
use play::table::Person;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Seeks in the lobby at most.
const MOST: usize = 5000;
/// Seeks of one person that wait for as long as that one is here.
const EACH: usize = 8;
/// How long a seek waits for its maker to come back: for a page that is loaded anew, a network that stalls.
const GRACE: Duration = Duration::from_secs(15);
/// How long whoever comes is told of games that have begun: longer than a seek waits for a connection that is lost, noticed or not.
const TOLD_AGAIN: Duration = Duration::from_secs(60);
/// Seeks shown in a list of all.
const SHOWN: usize = 500;

/// Somebody who waits.
#[derive(Clone, Debug)]
pub struct Waiting {
    /// Id of the seek.
    pub id: String,
    /// Who.
    pub person: Person,
    /// For what.
    pub wish: Wish,
    /// Ratings of that one when the seek was made.
    pub strength: Arc<Strength>,
    /// Those with whom that one does not play.
    pub apart: Arc<HashSet<String>>,
    /// Since when, in milliseconds of Unix time.
    pub made_ms: i64,
    /// Until when.
    pub until_ms: i64,
    /// Whether it waits in storage, whether its maker is here or not.
    pub kept: bool,
}

impl Waiting {
    /// What decides whether it fits another.
    pub fn seeker(&self) -> Seeker<'_> {
        Seeker {
            wish: &self.wish,
            strength: &self.strength,
            bot: self.person.bot,
        }
    }
}

/// Why a seek cannot wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoRoom {
    /// Its maker has enough of them.
    Own,
    /// There are enough of them.
    All,
}

/// The lobby.
#[derive(Debug, Default)]
pub struct State {
    /// The longest waiting first.
    seeks: Vec<Waiting>,
    /// Makers of seeks who are not here, since when.
    absent: HashMap<String, Instant>,
    /// Games that have come of seeks of late, by whose seeks they were; when they began.
    begun: HashMap<String, Vec<(Instant, wire::Paired)>>,
    /// Number of the last change that was told.
    n: u64,
    added: HashSet<String>,
    gone: Vec<String>,
    /// How many were told to be here last.
    told_here: Option<usize>,
}

impl State {
    /// An empty lobby whose changes are numbered from here: higher than those of any before, so that whoever knows
    /// another one sees that changes are missing.
    pub fn beginning_at(n: u64) -> State {
        State {
            n,
            ..State::default()
        }
    }

    /// The one who fits best: whose rating is nearest, and of those who has waited longest; with all that they can play
    /// with each other at that distance.
    pub fn best(&self, came: &Waiting, games: &Games) -> Option<(String, Vec<Terms>)> {
        let mut best: Option<(i32, &Waiting, Vec<Terms>)> = None;
        for waiting in &self.seeks {
            if !may_play(waiting, &came.person.guest, &came.apart) {
                continue;
            }
            let mut terms = waiting.seeker().fitting(&came.seeker(), games);
            let Some(distance) = terms.iter().map(|t| t.distance).min() else {
                continue;
            };
            if best.as_ref().is_none_or(|(least, ..)| distance < *least) {
                terms.retain(|t| t.distance == distance);
                best = Some((distance, waiting, terms));
            }
        }
        best.map(|(_, waiting, terms)| (waiting.id.clone(), terms))
    }

    /// A seek.
    pub fn find(&self, id: &str) -> Option<&Waiting> {
        self.seeks.iter().find(|seek| seek.id == id)
    }

    /// Has a seek wait, whose maker has time to come.
    pub fn add(&mut self, seek: Waiting) -> Result<(), NoRoom> {
        let own = |w: &&Waiting| !w.kept && w.person.guest == seek.person.guest;
        if !seek.kept && self.seeks.iter().filter(own).count() >= EACH {
            return Err(NoRoom::Own);
        }
        if self.seeks.len() >= MOST {
            return Err(NoRoom::All);
        }
        self.added.insert(seek.id.clone());
        let at = self.seeks.partition_point(|w| w.made_ms <= seek.made_ms);
        self.seeks.insert(at, seek);
        Ok(())
    }

    /// Takes a seek out.
    pub fn remove(&mut self, id: &str) -> Option<Waiting> {
        let at = self.seeks.iter().position(|seek| seek.id == id)?;
        self.note_gone(id);
        Some(self.seeks.remove(at))
    }

    /// Takes out all seeks of a person that do not wait in storage: who plays does not wait any more.
    pub fn remove_present(&mut self, guest: &str) -> Vec<Waiting> {
        self.remove_all(|seek| !seek.kept && seek.person.guest == guest)
    }

    /// Takes out all seeks of a person.
    pub fn forget(&mut self, guest: &str) {
        self.remove_all(|seek| seek.person.guest == guest);
    }

    /// Has somebody's seeks know another one with whom that one does not play.
    pub fn keep_apart(&mut self, guest: &str, other: &str) {
        let own = self.seeks.iter_mut().filter(|s| s.person.guest == guest);
        for seek in own {
            Arc::make_mut(&mut seek.apart).insert(other.into());
        }
    }

    fn remove_all(&mut self, goes: impl Fn(&Waiting) -> bool) -> Vec<Waiting> {
        let all = std::mem::take(&mut self.seeks);
        let (out, stay): (Vec<_>, Vec<_>) = all.into_iter().partition(|seek| goes(seek));
        self.seeks = stay;
        for seek in &out {
            self.note_gone(&seek.id);
        }
        out
    }

    /// A game has begun that somebody waited for.
    pub fn note_begun(&mut self, guest: &str, paired: wire::Paired, now: Instant) {
        let begun = self.begun.entry(guest.into()).or_default();
        if begun.len() >= EACH {
            begun.remove(0);
        }
        begun.push((now, paired));
    }

    fn note_gone(&mut self, id: &str) {
        // Nobody was told of one that goes before it was told.
        if !self.added.remove(id) {
            self.gone.push(id.into());
        }
    }

    /// Takes out seeks whose makers are gone for too long or whose time is over, and forgets games that began long ago. Whether somebody is here is asked each
    /// time: who goes and comes again in between was never gone.
    pub fn sweep(&mut self, now: Instant, now_ms: i64, is_here: impl Fn(&str) -> bool) {
        let makers = self.seeks.iter().filter(|seek| !seek.kept);
        let away = makers.map(|seek| seek.person.guest.as_str());
        let away: HashSet<&str> = away.filter(|guest| !is_here(guest)).collect();
        self.absent.retain(|guest, _| away.contains(guest.as_str()));
        for guest in away {
            self.absent.entry(guest.into()).or_insert(now);
        }
        let absent = std::mem::take(&mut self.absent);
        let gone = |guest: &str| {
            let since = absent.get(guest);
            since.is_some_and(|since| now.duration_since(*since) >= GRACE)
        };
        let over =
            |seek: &Waiting| seek.until_ms <= now_ms || !seek.kept && gone(&seek.person.guest);
        self.remove_all(over);
        self.absent = absent;
        self.begun.retain(|_, begun| {
            begun.retain(|(since, _)| now.duration_since(*since) < TOLD_AGAIN);
            !begun.is_empty()
        });
    }

    /// All that waits, as it was told last; who comes now is told what changes from here on.
    pub fn list(
        &self,
        guest: &str,
        here: usize,
        show: impl Fn(&Waiting) -> wire::Seek,
    ) -> wire::Lobby {
        let own = self.seeks.iter().filter(|s| s.person.guest == guest);
        let own: Vec<String> = own.map(|s| s.id.clone()).collect();
        let begun = self.begun.get(guest).into_iter().flatten();
        wire::Lobby {
            n: self.n,
            own,
            begun: begun.map(|(_, paired)| paired.clone()).collect(),
            seeks: self.seeks.iter().take(SHOWN).map(show).collect(),
            here: here as u32,
        }
    }

    /// What has changed since it was told last; nothing if nothing has.
    pub fn change(
        &mut self,
        here: usize,
        show: impl Fn(&Waiting) -> wire::Seek,
    ) -> Option<wire::LobbyChange> {
        if self.added.is_empty() && self.gone.is_empty() && self.told_here == Some(here) {
            return None;
        }
        self.n += 1;
        self.told_here = Some(here);
        let added = std::mem::take(&mut self.added);
        let new = self.seeks.iter().filter(|seek| added.contains(&seek.id));
        Some(wire::LobbyChange {
            n: self.n,
            added: new.map(show).collect(),
            gone: std::mem::take(&mut self.gone),
            here: here as u32,
        })
    }
}

/// Whether one who waits plays with somebody, whoever of the two decides it.
pub fn may_play(waiting: &Waiting, guest: &str, apart: &HashSet<String>) -> bool {
    let own = waiting.person.guest == guest;
    !own && !apart.contains(&waiting.person.guest) && !waiting.apart.contains(guest)
}
