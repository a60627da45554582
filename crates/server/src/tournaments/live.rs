//! A tournament in memory: what is stored of it, and which games are still to be made.

use crate::refusal::{Reason, Refused, refused};
use play::tournament::{Event, Phase, Plan, Standing, Tournament};
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use store::tournaments::{TitleRow, TournamentEvent, TournamentRow, TournamentWrite};

/// For how long names hold: somebody may get another one.
const NAMES_HOLD: Duration = Duration::from_secs(60);

/// A tournament in memory.
pub(super) struct Live {
    pub id: String,
    pub maker: String,
    /// Held by who changes it.
    pub gate: tokio::sync::Mutex<()>,
    now: Mutex<Arc<Tournament>>,
    names: Mutex<Names>,
    unmade: Mutex<Vec<String>>,
    standings: Mutex<Option<(u64, Arc<Vec<Standing>>)>>,
    /// How often it came into doubt what is stored, and how often of that it was read again.
    doubts: AtomicU64,
    settled: AtomicU64,
    doubtful: AtomicBool,
    /// Whether those who have joined were told that it starts.
    announced: AtomicBool,
}

struct Names {
    since: Instant,
    known: HashMap<String, String>,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The refusal of a tournament that cannot be read.
pub(super) fn damaged(id: &str, problem: &dyn std::fmt::Display) -> Refused {
    let message = format!("tournament {id} in the storage is damaged: {problem}");
    refused(Reason::Damaged, message)
}

/// What was settled.
pub(super) fn read_plan(row: &TournamentRow) -> Result<Plan, Refused> {
    serde_json::from_str(&row.plan).map_err(|error| damaged(&row.id, &error))
}

/// How far a tournament is, as it is stored.
pub(super) fn phase_name(phase: Phase) -> &'static str {
    match phase {
        Phase::Open => "open",
        Phase::Running => "running",
        Phase::Over => "over",
        Phase::Cancelled => "cancelled",
    }
}

impl Live {
    pub fn new(row: TournamentRow, tournament: Tournament, unmade: Vec<String>) -> Live {
        Live {
            id: row.id,
            maker: row.maker,
            gate: tokio::sync::Mutex::default(),
            now: Mutex::new(Arc::new(tournament)),
            names: Mutex::new(Names {
                since: Instant::now(),
                known: HashMap::new(),
            }),
            unmade: Mutex::new(unmade),
            standings: Mutex::default(),
            doubts: AtomicU64::new(0),
            settled: AtomicU64::new(0),
            doubtful: AtomicBool::new(false),
            announced: AtomicBool::new(false),
        }
    }

    /// The tournament as it is stored.
    pub fn now(&self) -> Arc<Tournament> {
        locked(&self.now).clone()
    }

    /// Takes over what this node has stored.
    pub fn set(&self, tournament: Tournament) {
        *locked(&self.now) = Arc::new(tournament);
    }

    /// Takes over what was read when there had been so many doubts.
    pub fn renew(&self, doubts: u64, tournament: Tournament) {
        self.set(tournament);
        self.settled.store(doubts, Relaxed);
    }

    /// Who stands where, reckoned once.
    pub fn standings(&self) -> (Arc<Tournament>, Arc<Vec<Standing>>) {
        let now = self.now();
        let mut known = locked(&self.standings);
        if let Some((seq, standings)) = &*known
            && *seq == now.seq()
        {
            return (now, standings.clone());
        }
        let standings = Arc::new(now.standings());
        *known = Some((now.seq(), standings.clone()));
        (now, standings)
    }

    /// What is stored may be something else.
    pub fn doubt(&self) {
        self.doubts.fetch_add(1, Relaxed);
    }

    /// How many doubts there were, if it is in doubt.
    pub fn doubts(&self) -> Option<u64> {
        let doubts = self.doubts.load(Relaxed);
        (doubts != self.settled.load(Relaxed)).then_some(doubts)
    }

    pub fn is_stale(&self) -> bool {
        self.doubts().is_some()
    }

    /// Games that were to be made may be there or not.
    pub fn doubt_games(&self) {
        self.doubtful.store(true, Relaxed);
    }

    pub fn is_doubtful(&self) -> bool {
        self.doubtful.swap(false, Relaxed)
    }

    pub fn is_announced(&self) -> bool {
        self.announced.load(Relaxed)
    }

    pub fn announced(&self) {
        self.announced.store(true, Relaxed);
    }

    pub fn unmade(&self) -> Vec<String> {
        locked(&self.unmade).clone()
    }

    /// Whether a game that was paired may not be there yet.
    pub fn is_unmade(&self, game: &str) -> bool {
        locked(&self.unmade).iter().any(|id| id == game)
    }

    pub fn to_make(&self, games: impl Iterator<Item = String>) {
        let mut unmade = locked(&self.unmade);
        for game in games {
            if !unmade.contains(&game) {
                unmade.push(game);
            }
        }
    }

    pub fn made(&self, games: &[String]) {
        locked(&self.unmade).retain(|id| !games.contains(id));
    }

    /// Ids whose names are not known.
    pub fn unnamed(&self, ids: &[String]) -> Vec<String> {
        let mut names = locked(&self.names);
        if names.since.elapsed() > NAMES_HOLD {
            names.known.clear();
            names.since = Instant::now();
        }
        let unknown = ids.iter().filter(|id| !names.known.contains_key(*id));
        unknown.cloned().collect()
    }

    pub fn learn(&self, found: Vec<(String, String)>) {
        locked(&self.names).known.extend(found);
    }

    pub fn forget_names(&self) {
        locked(&self.names).known.clear();
    }

    pub fn name(&self, id: &str) -> Option<String> {
        locked(&self.names).known.get(id).cloned()
    }

    /// The name of an entrant as people see it.
    pub fn shown_name(&self, tournament: &Tournament, entrant: u32) -> String {
        let Some(entrant) = tournament.entrants().get(entrant as usize) else {
            return String::new();
        };
        match entrant.level {
            Some(level) => format!("Level {level}"),
            None => self.name(&entrant.id).unwrap_or_default(),
        }
    }

    /// What is written of what has happened.
    pub fn write(
        &self,
        before: &Tournament,
        after: &Tournament,
        events: &[Event],
        wall_ms: i64,
        known: Vec<String>,
        titles: Vec<TitleRow>,
    ) -> TournamentWrite {
        let numbered = (before.seq() as i64 + 1..).zip(events);
        let people = after.entrants().iter().filter(|e| !e.away);
        let over = matches!(after.phase(), Phase::Over | Phase::Cancelled);
        TournamentWrite {
            id: self.id.clone(),
            events: numbered
                .map(|(seq, event)| TournamentEvent {
                    seq,
                    wall_ms,
                    body: event.to_text(),
                })
                .collect(),
            known,
            phase: phase_name(after.phase()).into(),
            people: people.count() as i64,
            ended_ms: over.then_some(wall_ms),
            titles,
        }
    }
}
