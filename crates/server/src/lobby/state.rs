//! Who is in the lobby and who waits there: what is so now, and what has changed since it was told. Nothing here waits
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

#[derive(Debug)]
struct Presence {
    sockets: usize,
    /// Since when there is none, or since when the seek waits for its maker to come.
    gone: Option<Instant>,
}

/// The lobby.
#[derive(Debug, Default)]
pub struct State {
    /// The longest waiting first.
    seeks: Vec<Waiting>,
    people: HashMap<String, Presence>,
    here: usize,
    /// Number of the last change that was told.
    n: u64,
    added: HashSet<String>,
    gone: Vec<String>,
    told_here: usize,
}

impl State {
    /// Somebody has come, by one more socket.
    pub fn enter(&mut self, guest: &str) {
        let presence = self.people.entry(guest.into()).or_insert(Presence {
            sockets: 0,
            gone: None,
        });
        self.here += usize::from(presence.sockets == 0);
        presence.sockets += 1;
        presence.gone = None;
    }

    /// One socket of somebody has gone.
    pub fn leave(&mut self, guest: &str, now: Instant) {
        let Some(presence) = self.people.get_mut(guest) else {
            return;
        };
        presence.sockets = presence.sockets.saturating_sub(1);
        if presence.sockets == 0 && presence.gone.is_none() {
            presence.gone = Some(now);
            self.here -= 1;
        }
    }

    /// Whether somebody is here.
    pub fn is_here(&self, guest: &str) -> bool {
        self.people.get(guest).is_some_and(|p| p.sockets > 0)
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

    /// Has a seek wait.
    pub fn add(&mut self, seek: Waiting, now: Instant) -> Result<(), NoRoom> {
        let own = |w: &&Waiting| !w.kept && w.person.guest == seek.person.guest;
        if !seek.kept && self.seeks.iter().filter(own).count() >= EACH {
            return Err(NoRoom::Own);
        }
        if self.seeks.len() >= MOST {
            return Err(NoRoom::All);
        }
        if !seek.kept {
            let presence = self.people.entry(seek.person.guest.clone());
            presence.or_insert(Presence {
                sockets: 0,
                gone: Some(now),
            });
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

    fn note_gone(&mut self, id: &str) {
        // Nobody was told of one that goes before it was told.
        if !self.added.remove(id) {
            self.gone.push(id.into());
        }
    }

    /// Takes out seeks whose makers are gone for too long or whose time is over.
    pub fn sweep(&mut self, now: Instant, now_ms: i64) {
        let people = std::mem::take(&mut self.people);
        let waits = |guest: &str| {
            let gone = people.get(guest).map(|p| p.gone);
            gone.is_some_and(|gone| gone.is_none_or(|since| now.duration_since(since) < GRACE))
        };
        let over =
            |seek: &Waiting| seek.until_ms <= now_ms || !seek.kept && !waits(&seek.person.guest);
        self.remove_all(over);
        self.people = people;
        self.people
            .retain(|_, p| p.gone.is_none_or(|since| now.duration_since(since) < GRACE));
    }

    /// All that waits, as it was told last; who comes now is told what changes from here on.
    pub fn list(&self, guest: &str, show: impl Fn(&Waiting) -> wire::Seek) -> wire::Lobby {
        let own = self.seeks.iter().filter(|s| s.person.guest == guest);
        let own: Vec<String> = own.map(|s| s.id.clone()).collect();
        wire::Lobby {
            n: self.n,
            own,
            seeks: self.seeks.iter().take(SHOWN).map(show).collect(),
            here: self.here as u32,
        }
    }

    /// What has changed since it was told last; nothing if nothing has.
    pub fn change(&mut self, show: impl Fn(&Waiting) -> wire::Seek) -> Option<wire::LobbyChange> {
        if self.added.is_empty() && self.gone.is_empty() && self.here == self.told_here {
            return None;
        }
        self.n += 1;
        self.told_here = self.here;
        let added = std::mem::take(&mut self.added);
        let new = self.seeks.iter().filter(|seek| added.contains(&seek.id));
        Some(wire::LobbyChange {
            n: self.n,
            added: new.map(show).collect(),
            gone: std::mem::take(&mut self.gone),
            here: self.here as u32,
        })
    }
}

/// Whether one who waits plays with somebody, whoever of the two decides it.
pub fn may_play(waiting: &Waiting, guest: &str, apart: &HashSet<String>) -> bool {
    let own = waiting.person.guest == guest;
    !own && !apart.contains(&waiting.person.guest) && !waiting.apart.contains(guest)
}
