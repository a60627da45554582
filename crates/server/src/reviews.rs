//! Games looked back at by the engine: position by position, behind games and between analyses, kept as it goes. Who comes
//! second finds what the first one has asked for, on whichever node; what nobody asks for any more rests, and is gone on with
//! when somebody does.

mod elsewhere;
pub mod kept;
mod line;
pub mod tell;

use crate::engines::{Asked, Job, Purpose, Report};
use crate::refusal::{Reason, Refused, refused};
use crate::services::{Services, wall_ms};
use crate::wire::{ReviewStage, ReviewState};
use crate::work::Weight;
use elsewhere::Tells;
use kept::{Kept, KeptOpinion};
use line::Line;
use metrics::{counter, gauge};
use play::Games;
use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use store::ReviewRow;

/// Positions that the engine searches for each position of a game, and for a whole game at most: of long games it looks
/// less deeply at each.
const NODES: (u64, u64) = (40_000, 8_000_000);
/// Longest thought about a position, whatever the machine.
const LONGEST: Duration = Duration::from_secs(5);
/// Positions asked for at once, so that there is one when the engine has done one.
const AHEAD: usize = 2;
/// It is stored how far a review is after so many positions.
const KEEP: usize = 20;
/// Reviews under way at most.
const AT_ONCE: usize = 32;
/// Reviews of one guest under way at most.
const OF_GUEST: usize = 2;
/// A review that nobody has asked about for so long rests.
const PATIENCE: Duration = Duration::from_secs(30);
/// Wait before the engine is asked again when the pool was full, and the storage when it was out of order.
const AGAIN: Duration = Duration::from_secs(1);
/// Attempts to store what was found.
const ATTEMPTS: usize = 60;
/// For how long a game that was brought in as text is kept.
pub const KEPT_FOR: Duration = Duration::from_secs(180 * 24 * 3600);

/// All reviews.
#[derive(Clone, Debug)]
pub struct Reviews {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    services: Arc<Services>,
    under_way: Mutex<HashMap<String, Arc<UnderWay>>>,
    closing: AtomicBool,
}

/// A review that the engine is at.
#[derive(Debug)]
struct UnderWay {
    guest: String,
    done: AtomicUsize,
    of: usize,
    /// When somebody asked about it last.
    asked: Mutex<Instant>,
}

impl UnderWay {
    fn touch(&self) {
        *self.asked.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }

    fn is_left(&self) -> bool {
        let asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        asked.elapsed() > PATIENCE
    }
}

/// A review as it was found.
#[derive(Debug)]
pub enum Found {
    /// The engine is at it, or it rests.
    Begun(Box<ReviewState>),
    /// All has been looked at; until when it is kept if the game was brought in as text.
    Whole(Box<Kept>, Option<i64>),
}

/// Where a review comes from, if it has not been begun yet.
pub enum Source {
    /// A game that is over.
    Game(Box<Kept>),
    /// A game that was brought in as text.
    Text(Box<Kept>),
}

impl Reviews {
    /// No review under way.
    pub fn new(services: Arc<Services>) -> Reviews {
        Reviews {
            inner: Arc::new(Inner {
                services,
                under_way: Mutex::default(),
                closing: AtomicBool::new(false),
            }),
        }
    }

    fn under_way(&self) -> MutexGuard<'_, HashMap<String, Arc<UnderWay>>> {
        let all = &self.inner.under_way;
        all.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A review, as far as it is; nothing if it was never begun.
    pub async fn find(&self, id: &str) -> Result<Option<Found>, Refused> {
        if let Some(state) = self.running(id) {
            return Ok(Some(Found::Begun(state)));
        }
        if let Some(state) = self.running_elsewhere(id).await {
            return Ok(Some(Found::Begun(state)));
        }
        let Some((kept, until_ms)) = self.read(id).await? else {
            return Ok(None);
        };
        Ok(Some(match kept.is_complete() {
            true => Found::Whole(Box::new(kept), until_ms),
            false => {
                let (done, of) = (kept.opinions.len(), kept.positions());
                Found::Begun(state(id, ReviewStage::Paused, done, of))
            }
        }))
    }

    /// The state of one that the engine is at, and notes that somebody asks for it.
    fn running(&self, id: &str) -> Option<Box<ReviewState>> {
        let all = self.under_way();
        let one = all.get(id)?;
        one.touch();
        let done = one.done.load(Relaxed);
        Some(state(id, ReviewStage::Running, done, one.of))
    }

    async fn read(&self, id: &str) -> Result<Option<(Kept, Option<i64>)>, Refused> {
        let services = &self.inner.services;
        let Some(row) = services.store.review(id).await? else {
            return Ok(None);
        };
        let parse = move || Kept::parse(&row.id, &row.body).map(|kept| (kept, row.until_ms));
        let (kept, until_ms) = services.work.run(Weight::Light, parse).await??;
        services.know(&kept.variant).await?;
        let kept = match until_ms {
            Some(_) => kept,
            None => kept.without_names(),
        };
        Ok(Some((kept, until_ms)))
    }

    /// Begins a review, joins one that is under way, or goes on with one that rests. Without a source it must have been
    /// begun before. `pays` is asked when there is work for the engine.
    pub async fn begin(
        &self,
        id: &str,
        source: Option<Source>,
        guest: &str,
        pays: impl FnOnce() -> Result<(), Refused>,
    ) -> Result<Found, Refused> {
        if let Some(state) = self.running(id) {
            return Ok(Found::Begun(state));
        }
        if let Some(state) = self.running_elsewhere(id).await {
            return Ok(Found::Begun(state));
        }
        let (kept, until_ms) = match (self.read(id).await?, source) {
            (Some(read), _) => read,
            (None, Some(Source::Game(kept))) => (*kept, None),
            (None, Some(Source::Text(kept))) => {
                let until = wall_ms().saturating_add(store::millis(KEPT_FOR));
                (*kept, Some(until))
            }
            (None, None) => return Err(none_such()),
        };
        if kept.is_complete() {
            return Ok(Found::Whole(Box::new(kept), until_ms));
        }
        if self.is_closing() {
            let message = "the server is shutting down; try again in a moment";
            return Err(refused(Reason::Busy, message));
        }
        let Some(tells) = self.tells_others(id).await else {
            // Somebody else has begun it in the same moment.
            let state = self.running_elsewhere(id).await;
            let busy = || refused(Reason::Busy, "the review has just been begun; try again");
            return state.map(Found::Begun).ok_or_else(busy);
        };
        let (done, of) = (kept.opinions.len(), kept.positions());
        let one = Arc::new(UnderWay {
            guest: guest.into(),
            done: AtomicUsize::new(done),
            of,
            asked: Mutex::new(Instant::now()),
        });
        {
            let mut all = self.under_way();
            if !all.contains_key(id) {
                let own = all.values().filter(|other| other.guest == guest).count();
                if own >= OF_GUEST {
                    let message = format!(
                        "{OF_GUEST} of your games are already being reviewed; wait until one is done"
                    );
                    return Err(refused(Reason::Limit, message));
                }
                if all.len() >= AT_ONCE {
                    let message =
                        "the engine is already reviewing many games; try again in a minute";
                    return Err(refused(Reason::Busy, message));
                }
                pays()?;
                all.insert(id.into(), one.clone());
                gauge!("husun_reviews").set(all.len() as f64);
                let (reviews, id) = (self.clone(), id.to_owned());
                tokio::spawn(async move { reviews.run(id, kept, until_ms, one, tells).await });
            }
        }
        Ok(Found::Begun(state(id, ReviewStage::Running, done, of)))
    }

    /// Looks at what has not been looked at yet, stores it, and leaves.
    async fn run(
        &self,
        id: String,
        kept: Kept,
        until_ms: Option<i64>,
        one: Arc<UnderWay>,
        tells: Tells,
    ) {
        // Whatever ends it, its place is free then.
        let _leaves = Leaves {
            reviews: self,
            id: &id,
        };
        let services = &self.inner.services;
        let games = services.games.clone();
        let make = move || Line::of(&kept, &games).map(|line| (kept, line));
        let made = services.work.run(Weight::Light, make).await;
        match made.map_err(Refused::from).and_then(|made| made) {
            Ok((kept, line)) => {
                let look = self.look(&id, kept, until_ms, &line, &one);
                let kept = tokio::select! {
                    kept = look => kept,
                    () = self.answer(&id, tells) => return,
                };
                if kept.is_complete() {
                    counter!("husun_reviews_total").increment(1);
                }
            }
            Err(error) => tracing::error!(review = %id, %error, "a game cannot be looked back at"),
        }
    }

    /// From the last position backwards, as long as somebody waits for it.
    async fn look(
        &self,
        id: &str,
        mut kept: Kept,
        until_ms: Option<i64>,
        line: &Line,
        one: &UnderWay,
    ) -> Kept {
        let asker = format!("review {}", one.guest);
        let mut ahead: VecDeque<Ahead> = VecDeque::new();
        while !kept.is_complete() && !one.is_left() && !self.is_closing() {
            while ahead.len() < AHEAD && kept.opinions.len() + ahead.len() < one.of {
                let place = one.of - 1 - kept.opinions.len() - ahead.len();
                match self.ask(line, place, &asker) {
                    Some(next) => ahead.push_back(next),
                    None => break,
                }
            }
            let opinion = match ahead.pop_front() {
                // The pool is full.
                None => {
                    tokio::time::sleep(AGAIN).await;
                    continue;
                }
                Some(Ahead::Known(opinion)) => Some(opinion),
                Some(Ahead::Asked(mut asked)) => thought(&mut asked).await,
            };
            let Some(opinion) = opinion else {
                tracing::warn!(review = %id, "the engine gave no answer; the review rests");
                break;
            };
            kept.opinions.push(opinion);
            one.done.store(kept.opinions.len(), Relaxed);
            if kept.opinions.len().is_multiple_of(KEEP) {
                kept = self.keep(id, kept, until_ms, 1).await;
            }
        }
        let attempts = if self.is_closing() { 1 } else { ATTEMPTS };
        self.keep(id, kept, until_ms, attempts).await
    }

    /// Has a position looked at; nothing while the pool is full.
    fn ask(&self, line: &Line, place: usize, asker: &str) -> Option<Ahead> {
        if let Some(end) = line.end(place) {
            return Some(Ahead::Known(end.clone()));
        }
        let job = line.job(place, asker, nodes(line.len()));
        self.inner.services.engines.ask(job).ok().map(Ahead::Asked)
    }

    /// Stores what was found so far.
    async fn keep(&self, id: &str, kept: Kept, until_ms: Option<i64>, attempts: usize) -> Kept {
        let services = &self.inner.services;
        let spare = kept.clone();
        let write = move || (serde_json::to_string(&kept), kept);
        let (body, kept) = match services.work.run(Weight::Light, write).await {
            Ok((Ok(body), kept)) => (body, kept),
            _ => return spare,
        };
        let row = ReviewRow {
            id: id.into(),
            body,
            until_ms,
        };
        for attempt in 1..=attempts {
            match services.store.keep_review(&row).await {
                Ok(()) => break,
                Err(error) if attempt == attempts => {
                    tracing::error!(review = %id, %error, "what was found of a game is not stored");
                }
                Err(_) => tokio::time::sleep(AGAIN).await,
            }
        }
        kept
    }

    /// What the engine thinks of a position that is not in the game, with as much effort as for those that are.
    pub async fn judge(&self, job: Job) -> Result<KeptOpinion, Refused> {
        let busy = |_| {
            refused(
                Reason::Busy,
                "the engine is busy with others; try again later",
            )
        };
        let mut asked = self.inner.services.engines.ask(job).map_err(busy)?;
        let fault = || refused(Reason::Fault, "the engine gave no answer; try again");
        thought(&mut asked).await.ok_or_else(fault)
    }

    fn is_closing(&self) -> bool {
        self.inner.closing.load(Relaxed)
    }

    /// Lets all reviews rest, and waits until it is stored how far they are.
    pub async fn close(&self, patience: Duration) {
        self.inner.closing.store(true, Relaxed);
        let start = Instant::now();
        while !self.under_way().is_empty() && start.elapsed() < patience {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// Forgets the reviews whose time is over.
    pub async fn forget(&self) {
        match self.inner.services.store.forget_reviews(wall_ms()).await {
            Ok(0) => {}
            Ok(number) => tracing::info!(number, "reviews of games brought in are forgotten"),
            Err(error) => tracing::warn!(%error, "old reviews cannot be forgotten"),
        }
    }
}

/// Takes a review out of those under way when it ends, even by a fault of ours.
struct Leaves<'a> {
    reviews: &'a Reviews,
    id: &'a str,
}

impl Drop for Leaves<'_> {
    fn drop(&mut self) {
        let mut all = self.reviews.under_way();
        all.remove(self.id);
        gauge!("husun_reviews").set(all.len() as f64);
    }
}

/// A position that is asked about.
enum Ahead {
    /// The rules say it.
    Known(KeptOpinion),
    /// The engine is to say it.
    Asked(Asked),
}

/// The last line of a thought; nothing if it ended in a fault.
async fn thought(asked: &mut Asked) -> Option<KeptOpinion> {
    let mut last = None;
    loop {
        match asked.next().await? {
            Report::Lines { lines, .. } => last = lines.into_iter().next().or(last),
            Report::Done(done) => {
                let told = last.map(KeptOpinion::from);
                return Some(told.unwrap_or(KeptOpinion {
                    cp: Some(done.score),
                    mate: None,
                    line: done.best.into_iter().collect(),
                }));
            }
        }
    }
}

/// How much each position of a game of so many is looked at.
pub fn nodes(positions: usize) -> u64 {
    NODES.0.min(NODES.1 / positions.max(1) as u64)
}

/// A game as jobs name it.
struct Rules {
    /// The name under which the variant is stored.
    variant: String,
    definition: String,
}

impl Rules {
    fn of(variant: &str, games: &Games) -> Rules {
        Rules {
            variant: variant.into(),
            definition: games.hash(variant).unwrap_or_default(),
        }
    }

    /// A job for a position, given as its text and its key.
    fn job(&self, asker: &str, (fen, key): (&str, u64), history: &[u64], nodes: u64) -> Job {
        Job {
            asker: asker.into(),
            purpose: Purpose::Review,
            variant: self.variant.clone(),
            definition: self.definition.clone(),
            fen: fen.into(),
            key,
            history: history.to_vec(),
            level: engine::Level::FULL.number(),
            clock: None,
            most: LONGEST,
            nodes: Some(nodes),
            lines: 1,
            seed: 0,
        }
    }
}

fn state(id: &str, stage: ReviewStage, done: usize, of: usize) -> Box<ReviewState> {
    Box::new(ReviewState {
        id: id.into(),
        stage,
        done: done as u32,
        of: of as u32,
        review: None,
    })
}

/// Nobody has asked for it yet, or its time is over.
pub fn none_such() -> Refused {
    refused(
        Reason::NoReview,
        "this game has no review, or was brought in so long ago that it has been forgotten",
    )
}
