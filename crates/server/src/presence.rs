//! Who is where: people who have a page open in the lobby or at a tournament, on whichever node. Each node counts its own
//! pages and tells the others who comes and goes, in numbered messages; one that misses any asks for all of a part. What a
//! node has told goes with it.

use crate::services::Services;
use bus::{Bus, Listener};
use bytes::Bytes;
use rand::RngExt;
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{Notify, mpsc};

/// The lobby, as a place.
pub const LOBBY: &str = "lobby";
/// People are told in so many parts, so that a part goes in one message however many there are.
const PARTS: usize = 64;
/// Where it is told who comes and goes.
const TOLD: &str = "presence";
/// How often it is looked which nodes there are.
const LOOK: Duration = Duration::from_millis(500);
/// Longest wait for a part.
const ANSWER: Duration = Duration::from_secs(2);
/// Questions that wait: all parts, of several nodes.
const WAITING: usize = 1024;

/// A tournament, as a place.
pub fn tournament(id: &str) -> String {
    format!("tournament.{id}")
}

/// Where a node is asked who is there.
fn asked_at(boot: i64) -> String {
    format!("presence.{boot}")
}

/// People by their places.
type Places = HashMap<String, HashSet<String>>;

/// Somebody has come to a place of a node, or gone from there.
#[derive(Debug, Serialize, Deserialize)]
struct Told {
    /// Which process tells it: its own messages come back.
    from: u64,
    boot: i64,
    part: usize,
    n: u64,
    place: String,
    guest: String,
    here: bool,
}

/// All of a part, after the message of this number.
#[derive(Debug, Serialize, Deserialize)]
struct Whole {
    n: u64,
    places: Places,
}

/// A part of those who are on another node.
#[derive(Debug, Default)]
struct Part {
    /// Number of the last message, if none was missed.
    known: Option<u64>,
    heard: u64,
    places: Places,
}

#[derive(Debug, Default)]
struct State {
    /// Pages of this node.
    own: HashMap<String, HashMap<String, u32>>,
    /// Number of the last message of each part.
    told: Vec<u64>,
    others: HashMap<i64, Vec<Part>>,
}

/// Who is where.
#[derive(Clone, Debug)]
pub struct Presence {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    services: Arc<Services>,
    /// Number of this process, by chance.
    own: u64,
    state: Mutex<State>,
    /// Somebody has come or gone.
    changed: Notify,
    /// Something was missed.
    missed: Notify,
    /// What is told to the others, in the order in which it happens; it is told while nothing is locked, since whoever hears
    /// what others tell waits for the state.
    telling: mpsc::UnboundedSender<Told>,
    told: tokio::sync::Mutex<mpsc::UnboundedReceiver<Told>>,
}

/// Somebody's page, for as long as this is held.
#[derive(Debug)]
pub struct Here {
    presence: Presence,
    place: String,
    guest: String,
}

impl Drop for Here {
    fn drop(&mut self) {
        self.presence.leave(&self.place, &self.guest);
    }
}

/// The part in which a person is told.
fn part_of(guest: &str) -> usize {
    let hash = guest.bytes().fold(0_usize, |hash, byte| {
        hash.wrapping_mul(31).wrapping_add(byte.into())
    });
    hash % PARTS
}

impl Presence {
    /// Nobody is anywhere.
    pub fn new(services: Arc<Services>) -> Presence {
        let (telling, told) = mpsc::unbounded_channel();
        Presence {
            inner: Arc::new(Inner {
                services,
                own: rand::rng().random(),
                state: Mutex::new(State {
                    told: vec![0; PARTS],
                    ..State::default()
                }),
                changed: Notify::new(),
                missed: Notify::new(),
                telling,
                told: tokio::sync::Mutex::new(told),
            }),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        let state = self.inner.state.lock();
        state.unwrap_or_else(PoisonError::into_inner)
    }

    /// Somebody opens a page at a place.
    pub fn enter(&self, place: &str, guest: &str) -> Here {
        let mut state = self.state();
        let there = state.own.entry(place.into()).or_default();
        let pages = there.entry(guest.into()).or_default();
        *pages += 1;
        if *pages == 1 {
            self.tell(&mut state, place, guest, true);
        }
        Here {
            presence: self.clone(),
            place: place.into(),
            guest: guest.into(),
        }
    }

    fn leave(&self, place: &str, guest: &str) {
        let mut state = self.state();
        let Some(there) = state.own.get_mut(place) else {
            return;
        };
        crate::limits::less(there, &guest.to_owned());
        let gone = !there.contains_key(guest);
        if there.is_empty() {
            state.own.remove(place);
        }
        if gone {
            self.tell(&mut state, place, guest, false);
        }
    }

    /// Tells the others, in the order in which it happens: the state is locked.
    fn tell(&self, state: &mut State, place: &str, guest: &str, here: bool) {
        let services = &self.inner.services;
        if !services.is_alone() {
            let part = part_of(guest);
            state.told[part] += 1;
            let told = Told {
                from: self.inner.own,
                boot: services.node.boot(),
                part,
                n: state.told[part],
                place: place.into(),
                guest: guest.into(),
                here,
            };
            // Without a lease nobody knows this node: with the next one all is told anew.
            if told.boot != 0 {
                // It is told for as long as the server runs.
                let _ = self.inner.telling.send(told);
            }
        }
        self.inner.changed.notify_one();
    }

    /// Whether somebody has a page open at a place.
    pub fn is_here(&self, place: &str, guest: &str) -> bool {
        let state = self.state();
        let own = state.own.get(place).is_some_and(|p| p.contains_key(guest));
        own || state.others.values().any(|parts| {
            let part = parts.get(part_of(guest));
            part.is_some_and(|p| p.places.get(place).is_some_and(|p| p.contains(guest)))
        })
    }

    /// How many people are at a place.
    pub fn count(&self, place: &str) -> usize {
        let state = self.state();
        let own = state.own.get(place);
        if state.others.is_empty() {
            return own.map_or(0, HashMap::len);
        }
        let own = own.into_iter().flat_map(HashMap::keys);
        let others = state.others.values().flatten();
        let others = others.filter_map(|part| part.places.get(place)).flatten();
        own.chain(others).collect::<HashSet<_>>().len()
    }

    /// Waits until somebody has come or gone. One waits.
    pub async fn changed(&self) {
        self.inner.changed.notified().await;
    }

    /// Follows who is on other nodes, and tells them who is here, for as long as the server runs.
    pub async fn follow(self) {
        let services = self.inner.services.clone();
        if services.is_alone() {
            return;
        }
        let listener: Arc<dyn Listener> = Arc::new(Others(self.clone()));
        let _listens = loop {
            match services.bus.subscribe(TOLD, listener.clone()).await {
                Ok(listens) => break listens,
                Err(error) => {
                    tracing::warn!(%error, "it is not known yet who is on other nodes");
                    tokio::time::sleep(LOOK).await;
                }
            }
        };
        let bus = &services.bus;
        tokio::join!(self.answer(bus), self.look(bus), self.tell_ever(bus));
    }

    /// Tells the others who comes and goes.
    async fn tell_ever(&self, bus: &Arc<dyn Bus>) {
        let mut told = self.inner.told.lock().await;
        while let Some(told) = told.recv().await {
            bus.publish(TOLD, written(&told));
        }
    }

    /// Tells who asks all of a part, under the boot that this node has.
    async fn answer(&self, bus: &Arc<dyn Bus>) {
        let services = &self.inner.services;
        loop {
            let boot = services.node.boot();
            let asked = match boot {
                0 => None,
                boot => bus.serve(&asked_at(boot), WAITING).await.ok(),
            };
            let Some(mut asked) = asked else {
                tokio::time::sleep(LOOK).await;
                continue;
            };
            while services.node.boot() == boot {
                let next = tokio::time::timeout(LOOK, asked.next()).await;
                let request = match next {
                    Ok(Some(request)) => request,
                    Ok(None) => break,
                    Err(_) => continue,
                };
                if let Ok(part) = serde_json::from_slice::<usize>(&request.message) {
                    let whole = self.whole(part);
                    request.answer(written(&whole));
                }
            }
        }
    }

    fn whole(&self, part: usize) -> Whole {
        let state = self.state();
        let mut places = Places::new();
        for (place, people) in &state.own {
            let people = people.keys().filter(|guest| part_of(guest) == part);
            let people: HashSet<String> = people.cloned().collect();
            if !people.is_empty() {
                places.insert(place.clone(), people);
            }
        }
        Whole {
            n: state.told.get(part).copied().unwrap_or_default(),
            places,
        }
    }

    /// Asks for what was missed, and forgets nodes that are gone.
    async fn look(&self, bus: &Arc<dyn Bus>) {
        loop {
            let mut silent = HashSet::new();
            for (boot, part) in self.unknown() {
                if silent.contains(&boot) {
                    continue;
                }
                // Numbers alone: there is nothing in it that JSON cannot say.
                let question = written(&part);
                let answer = bus.request(&asked_at(boot), question, ANSWER).await;
                let whole = answer.ok().and_then(|a| serde_json::from_slice(&a).ok());
                match whole {
                    Some(whole) => self.learn(boot, part, whole),
                    // It is asked again in a moment.
                    None => {
                        silent.insert(boot);
                    }
                }
            }
            let _ = tokio::time::timeout(LOOK, self.inner.missed.notified()).await;
        }
    }

    /// Parts of other nodes that are not known; what is told by nodes that are gone is forgotten.
    fn unknown(&self) -> Vec<(i64, usize)> {
        let services = &self.inner.services;
        let own = services.node.boot();
        let alive = services.node.alive();
        let alive = alive.iter().map(|row| row.boot);
        let alive: HashSet<i64> = alive.filter(|boot| *boot != own).collect();
        let mut state = self.state();
        let before = state.others.len();
        state.others.retain(|boot, _| alive.contains(boot));
        if state.others.len() < before {
            self.inner.changed.notify_one();
        }
        for boot in alive {
            state.others.entry(boot).or_insert_with(parts);
        }
        let of = |(boot, parts): (&i64, &Vec<Part>)| {
            let boot = *boot;
            let unknown = (0..).zip(parts).filter(|(_, part)| part.known.is_none());
            unknown.map(|(n, _)| (boot, n)).collect::<Vec<_>>()
        };
        state.others.iter().flat_map(of).collect()
    }

    fn learn(&self, boot: i64, part: usize, whole: Whole) {
        let mut state = self.state();
        let part = state.others.get_mut(&boot).and_then(|p| p.get_mut(part));
        if let Some(part) = part {
            part.places = whole.places;
            // What was heard since then is not in it.
            part.known = (part.heard <= whole.n).then_some(whole.n);
            self.inner.changed.notify_one();
        }
    }

    fn hear(&self, told: Told) {
        // The state may be locked by who tells it.
        if told.from == self.inner.own {
            return;
        }
        let mut state = self.state();
        let parts = state.others.entry(told.boot).or_insert_with(parts);
        let Some(part) = parts.get_mut(told.part) else {
            return;
        };
        part.heard = part.heard.max(told.n);
        match part.known {
            Some(known) if told.n <= known => return,
            Some(known) if told.n == known + 1 => part.known = Some(told.n),
            _ => {
                part.known = None;
                self.inner.missed.notify_one();
            }
        }
        let people = part.places.entry(told.place.clone()).or_default();
        match told.here {
            true => people.insert(told.guest),
            false => people.remove(&told.guest),
        };
        if people.is_empty() {
            part.places.remove(&told.place);
        }
        self.inner.changed.notify_one();
    }

    fn miss(&self) {
        let mut state = self.state();
        for part in state.others.values_mut().flatten() {
            part.known = None;
        }
        self.inner.missed.notify_one();
    }
}

fn parts() -> Vec<Part> {
    (0..PARTS).map(|_| Part::default()).collect()
}

fn written(message: &impl Serialize) -> Bytes {
    // Numbers and texts alone: there is nothing in it that JSON cannot say.
    serde_json::to_vec(message).unwrap_or_default().into()
}

/// Hears what other nodes tell.
struct Others(Presence);

impl Listener for Others {
    fn hear(&self, message: &Bytes) -> bool {
        if let Ok(told) = serde_json::from_slice(message) {
            self.0.hear(told);
        }
        true
    }

    fn missed(&self) {
        self.0.miss();
    }
}

#[cfg(test)]
#[test]
fn messages_are_understood_as_they_were_ever_sent() {
    use crate::forms::keep;
    keep::<Told>(
        include_str!("../tests/data/messages/presence-told.jsonl"),
        None,
    );
    keep::<Whole>(
        include_str!("../tests/data/messages/presence-whole.jsonl"),
        None,
    );
}
