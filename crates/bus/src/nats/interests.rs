//! What this process listens to and serves: one subscription at NATS for each subject, however many listen to it here.

use super::Asker;
use super::link::{Link, lock};
use super::names::{self, Wants};
use crate::{BusError, Request};
use async_nats::{Message, Subject, Subscriber};
use bytes::Bytes;
use futures_util::StreamExt;
use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio::sync::oneshot;

/// How long questions are still refused that come to a subject that is no longer served: who asks before NATS knows
/// that would wait in vain otherwise.
const LINGER: Duration = Duration::from_secs(1);

/// Why a subject is listened to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Somebody wants to hear what is told.
    Told,
    /// Somebody serves it.
    Asked,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Key {
    kind: Kind,
    subject: Arc<str>,
}

/// All that is listened to.
#[derive(Debug, Default)]
pub struct Interests {
    of: HashMap<Key, Interest>,
    /// What NATS may know otherwise. Whatever happens to a subject in between counts once.
    dirty: Vec<Key>,
    /// What is no longer served, with the time since when; it may be served again meanwhile.
    lingering: VecDeque<(Instant, Key)>,
    next: u64,
}

#[derive(Debug)]
struct Interest {
    number: u64,
    users: usize,
    /// In the list of what has changed.
    dirty: bool,
    /// NATS has known it once. After a connection has gone all listeners are told that they may have missed something.
    known: bool,
    serving: Arc<Serving>,
    /// When the last user went.
    idle: Option<Instant>,
    /// While it lasts there is a subscription.
    place: Option<oneshot::Sender<()>>,
}

/// Whether another process serves it already is not yet known.
const TRYING: u8 = 0;
/// It is served here.
const SURE: u8 = 1;
/// Another process that tried at the same time got it.
const CEDED: u8 = 2;

fn taken(is: bool) -> BusError {
    match is {
        true => BusError::Taken,
        false => BusError::Nobody,
    }
}

#[derive(Debug, Default)]
pub struct Serving {
    /// `TRYING`, `SURE` or `CEDED`.
    stage: AtomicU8,
    /// Questions from elsewhere that wait for a place in the queue.
    parked: AtomicUsize,
    /// The reply subjects of questions from elsewhere that are not yet answered.
    held: Mutex<HashSet<Bytes>>,
}

impl Serving {
    /// A question has come.
    pub fn hold(&self, to: &Subject) {
        lock(&self.held).insert(Bytes::copy_from_slice(to.as_bytes()));
    }

    /// Its answer is on its way: whoever asks about it later has that first.
    pub fn let_go(&self, to: &Subject) {
        lock(&self.held).remove(to.as_bytes());
    }

    /// Whether another process that wants to serve the subject is told that it is served here. Of two who try at the
    /// same time the first by name gets it.
    fn keeps(&self, is_before: bool) -> bool {
        if is_before {
            return self.stage.load(Relaxed) != CEDED;
        }
        let ceded = self.stage.compare_exchange(TRYING, CEDED, Relaxed, Relaxed);
        ceded == Err(SURE)
    }
}

impl Interests {
    fn touch(&mut self, key: &Key) {
        if let Some(interest) = self.of.get_mut(key)
            && !std::mem::replace(&mut interest.dirty, true)
        {
            self.dirty.push(key.clone());
        }
    }

    /// How many subjects there are.
    pub fn len(&self) -> usize {
        self.of.len()
    }
}

/// Somebody's interest in a subject, until it is dropped.
pub struct Want {
    link: Arc<Link>,
    key: Key,
    number: u64,
    known: bool,
}

impl Want {
    /// Whether NATS knew it before.
    pub fn is_known(&self) -> bool {
        self.known
    }

    /// NATS knows it. False if another process that tried to serve the subject at the same time got it.
    pub fn confirm(&self) -> bool {
        let mut interests = lock(&self.link.interests);
        let Some(interest) = interests.of.get_mut(&self.key) else {
            return true;
        };
        if interest.number != self.number {
            return true;
        }
        interest.known = true;
        let stage = &interest.serving.stage;
        let sure = stage.compare_exchange(TRYING, SURE, Relaxed, Relaxed);
        sure != Err(CEDED)
    }
}

impl Drop for Want {
    fn drop(&mut self) {
        let mut interests = lock(&self.link.interests);
        let Some(interest) = interests.of.get_mut(&self.key) else {
            return;
        };
        interest.users = interest.users.saturating_sub(1);
        if interest.users > 0 {
            return;
        }
        if self.key.kind == Kind::Asked {
            let now = Instant::now();
            interest.idle = Some(now);
            interests.lingering.push_back((now, self.key.clone()));
            return;
        }
        interests.touch(&self.key);
        drop(interests);
        self.link.changed.notify_one();
    }
}

impl Link {
    /// Listens to a subject from soon on; [`Link::settle`] tells when.
    pub fn want(self: &Arc<Link>, kind: Kind, subject: &str) -> Want {
        let key = Key {
            kind,
            subject: subject.into(),
        };
        let mut interests = lock(&self.interests);
        interests.next += 1;
        let next = interests.next;
        let interest = interests.of.entry(key.clone()).or_insert_with(|| Interest {
            number: next,
            users: 0,
            dirty: false,
            known: false,
            serving: Arc::default(),
            idle: None,
            place: None,
        });
        interest.users += 1;
        interest.idle = None;
        if kind == Kind::Asked {
            interest.serving.stage.store(TRYING, Relaxed);
        }
        let want = Want {
            link: self.clone(),
            number: interest.number,
            known: interest.known,
            key,
        };
        let place = interest.place.is_some();
        if !place {
            interests.touch(&want.key);
            drop(interests);
            self.changed.notify_one();
        }
        want
    }

    /// Ends what has not been served for long enough.
    pub fn end_lingering(&self) {
        let mut interests = lock(&self.interests);
        while let Some((since, _)) = interests.lingering.front()
            && since.elapsed() >= LINGER
            && let Some((since, key)) = interests.lingering.pop_front()
        {
            if interests
                .of
                .get(&key)
                .is_some_and(|of| of.idle == Some(since))
            {
                interests.touch(&key);
            }
        }
        if !interests.dirty.is_empty() {
            self.changed.notify_one();
        }
    }

    /// Ends everything.
    pub fn end_all(&self) {
        *lock(&self.interests) = Interests::default();
    }

    /// Tells NATS what has changed.
    pub async fn reconcile(self: &Arc<Link>, generation: u64) {
        let dirty = std::mem::take(&mut lock(&self.interests).dirty);
        for (at, key) in dirty.iter().enumerate() {
            let Some(serving) = self.begins(key) else {
                continue;
            };
            let name = match key.kind {
                Kind::Told => self.names.told(&key.subject),
                Kind::Asked => self.names.asked(&key.subject),
            };
            let subscribed = self.handed(generation, self.client.subscribe(name)).await;
            let mut interests = lock(&self.interests);
            let Some(Ok(subscriber)) = subscribed else {
                // The connection has gone: over the next one, then.
                for key in &dirty[at..] {
                    if let Some(interest) = interests.of.get_mut(key) {
                        interest.dirty = true;
                    }
                }
                interests.dirty.extend_from_slice(&dirty[at..]);
                return;
            };
            let Some(interest) = interests.of.get_mut(key) else {
                continue;
            };
            let (place, ended) = oneshot::channel();
            interest.place = Some(place);
            drop(interests);
            let link = self.clone();
            tokio::spawn(listen(link, key.clone(), serving, subscriber, ended));
        }
    }

    /// Looks at a subject that has changed: ends its subscription, or says that one is to be made.
    fn begins(&self, key: &Key) -> Option<Arc<Serving>> {
        let mut interests = lock(&self.interests);
        let interest = interests.of.get_mut(key)?;
        interest.dirty = false;
        if interest.users == 0 {
            interests.of.remove(key);
            return None;
        }
        interest.place.is_none().then(|| interest.serving.clone())
    }

    fn asked(self: &Arc<Link>, key: &Key, serving: &Arc<Serving>, message: Message) {
        // An answer goes where answers go: who may only ask must not have others speak for him anywhere else.
        let Some(to) = message.reply.clone().filter(|to| self.names.is_inbox(to)) else {
            return;
        };
        let server = self.local.server(&key.subject);
        let patience = match names::wants(&to) {
            Wants::Answer(patience) => patience,
            Wants::Server => {
                let served = server.is_some() && serving.keeps(self.names.is_before(&to));
                return self.answer(to, Err(taken(served)));
            }
            Wants::Held => {
                let held = lock(&serving.held).contains(&message.payload);
                return self.answer(to, Err(taken(held)));
            }
        };
        // Whoever only tries to serve it may find that another does, who has the question, too.
        let sure = serving.stage.load(Relaxed) == SURE;
        let Some(server) = server.filter(|_| sure) else {
            return self.answer(to, Err(BusError::Nobody));
        };
        // A slice of the connection's buffer would keep all of it.
        let question = Bytes::copy_from_slice(&message.payload);
        let asker = Asker::new(self.clone(), serving.clone(), to);
        let request = Request::new(question, crate::Asker::There(asker));
        let place = match server.clone().try_reserve_owned() {
            Ok(place) => {
                place.send(request);
                return;
            }
            Err(tokio::sync::mpsc::error::TrySendError::Closed(_)) => {
                request.refuse(BusError::Nobody);
                return;
            }
            Err(tokio::sync::mpsc::error::TrySendError::Full(server)) => server,
        };
        // As many as may be in the queue wait for a place in it, as askers of this process do.
        if serving.parked.fetch_add(1, Relaxed) >= place.max_capacity() {
            serving.parked.fetch_sub(1, Relaxed);
            request.refuse(BusError::Late);
            return;
        }
        let serving = serving.clone();
        tokio::spawn(async move {
            match tokio::time::timeout(patience, place.reserve_owned()).await {
                Ok(Ok(place)) => drop(place.send(request)),
                Ok(Err(_)) => request.refuse(BusError::Nobody),
                Err(_) => request.refuse(BusError::Late),
            }
            serving.parked.fetch_sub(1, Relaxed);
        });
    }
}

/// Hears what comes on a subject until its place ends.
async fn listen(
    link: Arc<Link>,
    key: Key,
    serving: Arc<Serving>,
    mut subscriber: Subscriber,
    mut ended: oneshot::Receiver<()>,
) {
    loop {
        let message = tokio::select! {
            biased;
            _ = &mut ended => break,
            message = subscriber.next() => message,
        };
        match (message, key.kind) {
            (None, _) => return,
            (Some(message), Kind::Asked) => link.asked(&key, &serving, message),
            (Some(message), Kind::Told) if names::is_lost(&message) => {
                link.local.missed(&key.subject)
            }
            (Some(message), Kind::Told) => link.told(&key.subject, &message),
        }
    }
    let _ = subscriber.unsubscribe().await;
}

impl Link {
    fn told(&self, subject: &str, message: &Message) {
        // A slice of the connection's buffer would keep all of it.
        let message = Bytes::copy_from_slice(&message.payload);
        crate::Bus::publish(&self.local, subject, message);
    }

    /// Hears on a subject of the bus itself.
    pub async fn listen(
        self: Arc<Link>,
        mut subscriber: Subscriber,
        hear: impl Fn(&Link, Message),
    ) {
        while let Some(message) = subscriber.next().await {
            hear(&self, message);
        }
    }
}
