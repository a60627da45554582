//! What one node does for all: the lobby is held, rounds are paired and games are rated where the node runs that leads, the
//! one with the lowest boot among those whose leases run. Others ask it over the bus, and wake it. A server that runs alone
//! leads always, and does at once what it would ask for.

use crate::refusal::{Reason, Refused, refused};
use crate::services::Services;
use bus::{BusError, Listener};
use bytes::Bytes;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::future::Future;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};
use tokio::sync::{Notify, Semaphore};

/// How often it is looked who leads: by a value in memory.
const LOOK: Duration = Duration::from_millis(50);
/// How long one waits for a node to lead, when the one before has gone, and for its answer.
const PATIENCE: Duration = Duration::from_secs(7);
const ANSWER: Duration = Duration::from_secs(10);
/// Questions that wait, and that are answered at once.
const WAITING: usize = 1024;
const AT_ONCE: usize = 64;

impl Services {
    /// Whether this server runs alone.
    pub fn is_alone(&self) -> bool {
        self.node.is_alone()
    }

    /// Whether it does what is done once for all.
    pub fn leads(&self) -> bool {
        self.node.leads()
    }
}

/// Waits until this node leads.
pub async fn begins(services: &Services) {
    while !services.leads() {
        tokio::time::sleep(LOOK).await;
    }
}

/// Waits until it does not lead any more.
pub async fn ends(services: &Services) {
    if services.is_alone() {
        return std::future::pending().await;
    }
    while services.leads() {
        tokio::time::sleep(LOOK).await;
    }
}

/// Does something for as long as this node leads, and begins it anew whenever it leads again.
pub async fn while_leading<F: Future<Output = ()>>(services: Arc<Services>, work: impl Fn() -> F) {
    loop {
        begins(&services).await;
        tokio::select! {
            () = work() => {}
            () = ends(&services) => {}
        }
        // Work that ends by itself is begun anew, and not at once.
        tokio::time::sleep(LOOK).await;
    }
}

/// What the node that leads is told on this subject when somebody has something for it to do.
fn woken_at(what: &str) -> String {
    format!("lead.{what}.wake")
}

/// Wakes a task of the node that leads, from whichever node.
#[derive(Debug)]
pub struct Wake {
    what: &'static str,
    here: Notify,
    bus: OnceLock<Arc<dyn bus::Bus>>,
}

impl Wake {
    /// For a task of this name.
    pub fn new(what: &'static str) -> Arc<Wake> {
        Arc::new(Wake {
            what,
            here: Notify::new(),
            bus: OnceLock::new(),
        })
    }

    /// There is something to do. Never waits.
    pub fn wake(&self) {
        self.here.notify_one();
        if let Some(bus) = self.bus.get() {
            bus.publish(&woken_at(self.what), Bytes::new());
        }
    }

    /// Hears what other nodes have for it, for as long as this is not dropped.
    pub async fn follow(self: &Arc<Self>, services: &Services) -> Option<bus::Subscription> {
        if services.is_alone() {
            return None;
        }
        let bus = self.bus.get_or_init(|| services.bus.clone());
        let listener = Arc::new(Woken(self.clone()));
        // Without it there is something to do only when it is looked at.
        let heard = bus.subscribe(&woken_at(self.what), listener).await;
        heard.ok()
    }

    /// Waits for something to do, and not for longer than that.
    pub async fn wait(&self, longest: Duration) {
        let _ = tokio::time::timeout(longest, self.here.notified()).await;
    }
}

struct Woken(Arc<Wake>);

impl Listener for Woken {
    fn hear(&self, _: &Bytes) -> bool {
        self.0.here.notify_one();
        true
    }

    fn missed(&self) {
        self.0.here.notify_one();
    }
}

/// An answer as it goes over the bus.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Answered<T> {
    Done(T),
    Refused {
        code: String,
        message: String,
    },
    /// This node does not lead (any more).
    NotHere,
}

/// Something that the node which leads does for all who ask.
#[derive(Debug)]
pub struct Led {
    services: Arc<Services>,
    what: &'static str,
    /// Whether it is done here: this node leads, and is prepared.
    open: AtomicBool,
}

/// It is done here for as long as this is held.
pub struct Open<'a>(&'a Led);

impl Drop for Open<'_> {
    fn drop(&mut self) {
        self.0.open.store(false, Relaxed);
    }
}

impl Led {
    /// Of this name, as people know it.
    pub fn new(services: Arc<Services>, what: &'static str) -> Led {
        Led {
            services,
            what,
            open: AtomicBool::new(false),
        }
    }

    /// From now on it is done here.
    pub fn open(&self) -> Open<'_> {
        self.open.store(true, Relaxed);
        Open(self)
    }

    /// Whether it is done here.
    pub fn is_here(&self) -> bool {
        self.open.load(Relaxed) && self.services.leads()
    }

    fn subject(&self) -> String {
        format!("lead.{}", self.what)
    }

    fn busy(&self) -> Refused {
        let message = format!("the {} does not answer; try again", self.what);
        refused(Reason::Busy, message)
    }

    /// Has something done: here, or by asking the node that leads. When that has just gone the next one is waited for.
    pub async fn done<Q, A, F>(
        &self,
        question: impl FnOnce() -> Q,
        here: impl FnOnce() -> F,
    ) -> Result<A, Refused>
    where
        Q: Serialize,
        A: DeserializeOwned,
        F: Future<Output = Result<A, Refused>>,
    {
        if self.is_here() {
            return here().await;
        }
        let start = Instant::now();
        let mut question = Some(question);
        let mut written: Option<Bytes> = None;
        while start.elapsed() < PATIENCE {
            if self.is_here() {
                return here().await;
            }
            if self.services.node.is_cut_off() {
                // Nobody leads while nobody can be asked: that may last, and games go on.
                let message = format!(
                    "the {} cannot be reached at the moment; games go on",
                    self.what
                );
                return Err(refused(Reason::Busy, message));
            }
            if !self.services.leads() {
                if let Some(question) = question.take() {
                    let text = serde_json::to_vec(&question());
                    written = Some(text.map_err(|_| self.busy())?.into());
                }
                let text = written.clone().unwrap_or_default();
                let bus = &self.services.bus;
                match bus.request(&self.subject(), text, ANSWER).await {
                    Ok(answer) => {
                        if let Some(answer) = read_answer(self.what, &answer)? {
                            return Ok(answer);
                        }
                    }
                    // Nobody has taken it up.
                    Err(BusError::Nobody) => {}
                    // It may have been done.
                    Err(_) => return Err(self.busy()),
                }
            }
            tokio::time::sleep(LOOK).await;
        }
        Err(self.busy())
    }

    /// Answers other nodes, for as long as it is called.
    pub async fn serve<Q, A, F>(&self, answer: impl Fn(Q) -> F)
    where
        Q: DeserializeOwned,
        A: Serialize + 'static,
        F: Future<Output = Result<A, Refused>> + Send + 'static,
    {
        let services = &self.services;
        if services.is_alone() {
            return std::future::pending().await;
        }
        let at_once = Arc::new(Semaphore::new(AT_ONCE));
        loop {
            let mut asked = match services.bus.serve(&self.subject(), WAITING).await {
                Ok(asked) => asked,
                Err(error) => {
                    // The one before has not noticed yet that it does not lead any more.
                    tracing::debug!(what = self.what, %error, "not served yet");
                    tokio::time::sleep(LOOK).await;
                    continue;
                }
            };
            while let Some(request) = asked.next().await {
                let read = serde_json::from_slice(&request.message);
                let question: Q = match read {
                    Ok(question) if self.is_here() => question,
                    Ok(_) => {
                        request.answer(written(&Answered::<()>::NotHere));
                        continue;
                    }
                    Err(error) => {
                        tracing::error!(what = self.what, %error, "a question cannot be read");
                        request.answer(write_answer::<()>(Err(fault())));
                        continue;
                    }
                };
                let Ok(place) = at_once.clone().acquire_owned().await else {
                    return;
                };
                let answered = answer(question);
                tokio::spawn(async move {
                    request.answer(write_answer(answered.await));
                    drop(place);
                });
            }
        }
    }
}

fn fault() -> Refused {
    refused(Reason::Fault, "a fault of the server; it has been noted")
}

/// An answer for another node.
pub(crate) fn write_answer<T: Serialize>(answer: Result<T, Refused>) -> Bytes {
    match answer {
        Ok(done) => written(&Answered::Done(done)),
        Err(refused) => written(&Answered::<()>::Refused {
            code: refused.reason.code().into(),
            message: refused.message,
        }),
    }
}

/// What another node has answered; nothing if it does not do what was asked.
pub(crate) fn read_answer<T: DeserializeOwned>(
    what: &str,
    answer: &Bytes,
) -> Result<Option<T>, Refused> {
    match serde_json::from_slice(answer) {
        Ok(Answered::Done(answer)) => Ok(Some(answer)),
        Ok(Answered::Refused { code, message }) => Err(refused(Reason::of(&code), message)),
        Ok(Answered::NotHere) => Ok(None),
        Err(error) => {
            tracing::error!(what, %error, "an answer cannot be read");
            Err(fault())
        }
    }
}

fn written<T: Serialize>(answer: &Answered<T>) -> Bytes {
    // Numbers and texts alone: there is nothing in it that JSON cannot say.
    serde_json::to_vec(answer).unwrap_or_default().into()
}

#[cfg(test)]
#[test]
fn messages_are_understood_as_they_were_ever_sent() {
    use crate::forms::keep;
    keep::<Answered<serde_json::Value>>(
        include_str!("../tests/data/messages/leading-answers.jsonl"),
        None,
    );
}
