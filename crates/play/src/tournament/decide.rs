//! Who may join and leave, and what happens without anybody acting: the start, the next round, the end.

use super::{Event, GameResult, Kind, MOST_ROUND_ROBIN, Phase, Tournament};
use crate::rating::engine_id;

/// Least milliseconds between two pairings of an arena, so that more than two players are free when they are made.
pub const WAVE_MS: i64 = 3000;
/// Milliseconds that an arena's last free player waits before the engine joins.
const ALONE_MS: i64 = 10_000;
/// Joining a Swiss tournament after more than one in this many of its rounds is too late.
const LATE: u32 = 2;
/// How many times as many as may take part can have joined, with those who have left.
const LEAVERS: u32 = 4;

/// Why somebody cannot do something.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs)] // the messages say it
pub enum Refused {
    #[error("this tournament is over")]
    Over,
    #[error("this tournament is full: it has {0} players")]
    Full(u32),
    #[error("you already take part")]
    Joined,
    #[error("you do not take part")]
    NotJoined,
    #[error("a round robin cannot be joined once it has begun")]
    Begun,
    #[error("half of the rounds are over; it can no longer be joined")]
    Late,
    #[error("it has already begun")]
    Running,
}

/// What a tournament does next by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// It begins, or is cancelled if too few have joined.
    Start,
    /// A round is paired, or some players of an arena are.
    Pair,
    /// It is over.
    End,
}

impl Tournament {
    /// What follows when somebody joins.
    pub fn join(&self, id: &str, rating: i32) -> Result<Event, Refused> {
        if let Some(entrant) = self.number(id) {
            let known = self.entrants.get(entrant as usize);
            let left = known.is_some_and(|e| e.away);
            return match (self.phase, left) {
                (Phase::Over | Phase::Cancelled, _) => Err(Refused::Over),
                _ if known.is_some_and(|e| e.out) => Err(Refused::Begun),
                (_, true) => Ok(Event::Returned { entrant }),
                (_, false) => Err(Refused::Joined),
            };
        }
        let begun = self.phase == Phase::Running;
        match (self.phase, self.plan.kind) {
            (Phase::Over | Phase::Cancelled, _) => return Err(Refused::Over),
            (Phase::Running, Kind::RoundRobin { .. }) => return Err(Refused::Begun),
            (Phase::Running, Kind::Swiss { rounds }) if begun && self.rounds * LATE > rounds => {
                return Err(Refused::Late);
            }
            _ => {}
        }
        let most = match self.plan.kind {
            Kind::RoundRobin { .. } => self.plan.most.min(MOST_ROUND_ROBIN),
            _ => self.plan.most,
        };
        // Who has left takes nobody's place, but cannot be forgotten either: there is a bound on those, too.
        let people = || self.entrants.iter().filter(|e| e.level.is_none());
        let here = people().filter(|e| !e.away).count() as u32;
        if here >= most || people().count() as u32 >= LEAVERS * most {
            return Err(Refused::Full(most));
        }
        Ok(Event::Joined {
            id: id.into(),
            level: None,
            rating,
        })
    }

    /// What follows when somebody leaves: that player is no longer paired; a game in progress goes on.
    pub fn leave(&self, id: &str) -> Result<Event, Refused> {
        let entrant = self.number(id).ok_or(Refused::NotJoined)?;
        let known = self.entrants.get(entrant as usize);
        match (self.phase, known.is_some_and(|e| e.away)) {
            (Phase::Over | Phase::Cancelled, _) => Err(Refused::Over),
            (_, true) => Err(Refused::NotJoined),
            (_, false) => Ok(Event::Left { entrant }),
        }
    }

    /// What follows when its maker cancels it.
    pub fn cancel(&self) -> Result<Event, Refused> {
        match self.phase {
            Phase::Open => Ok(Event::Cancelled),
            Phase::Running => Err(Refused::Running),
            Phase::Over | Phase::Cancelled => Err(Refused::Over),
        }
    }

    /// What follows from a game's end; nothing if that is known already, or the game is not one of this tournament.
    pub fn end_of(&self, game: &str, result: GameResult) -> Option<Event> {
        let pairing = self.pairings.get(*self.games.get(game)?)?;
        let game = game.to_owned();
        pairing
            .result
            .is_none()
            .then_some(Event::Ended { game, result })
    }

    /// People who are still to be paired.
    pub(super) fn staying(&self) -> impl Iterator<Item = u32> {
        let entrants = (0..).zip(&self.entrants);
        entrants.filter(|(_, e)| !e.away).map(|(n, _)| n)
    }

    fn gone(&self) -> impl Iterator<Item = u32> {
        let entrants = (0..).zip(&self.entrants);
        entrants.filter(|(_, e)| e.away).map(|(n, _)| n)
    }

    /// What follows when it starts: the engine makes the number even, and stands by in an arena, where numbers change;
    /// with fewer than two players it is cancelled.
    pub fn start(&self, level_rating: impl FnOnce(u8) -> i32) -> Vec<Event> {
        let people = self.staying().count();
        let arena = matches!(self.plan.kind, Kind::Arena { .. });
        let odd = people % 2 == 1 || arena && people > 0;
        let mut events = Vec::new();
        let level = self.plan.level.filter(|_| odd);
        if let Some(level) = level.filter(|level| self.number(&engine_id(*level)).is_none()) {
            events.push(Event::Joined {
                id: engine_id(level),
                level: Some(level),
                rating: level_rating(level),
            });
        }
        match people + events.len() {
            0 | 1 => vec![Event::Cancelled],
            _ => {
                let without = match self.plan.kind {
                    Kind::RoundRobin { .. } => self.gone().collect(),
                    _ => Vec::new(),
                };
                events.push(Event::Started { without });
                events
            }
        }
    }

    /// What it does by itself at a time; `here` tells which of an arena's players have its page open.
    pub fn next(&self, now_ms: i64, here: impl Fn(&str) -> bool) -> Option<Step> {
        match self.phase {
            Phase::Open => (self.plan.starts_ms <= now_ms).then_some(Step::Start),
            Phase::Running => match self.plan.kind {
                Kind::Arena { .. } => self.next_of_arena(now_ms, here),
                _ => self.next_round(now_ms),
            },
            Phase::Over | Phase::Cancelled => None,
        }
    }

    fn next_of_arena(&self, now_ms: i64, here: impl Fn(&str) -> bool) -> Option<Step> {
        if self.closes_ms().is_some_and(|closes| closes <= now_ms) {
            return (self.running == 0).then_some(Step::End);
        }
        if now_ms < self.paired_ms + WAVE_MS {
            return None;
        }
        let free: Vec<u32> = self.free(here).collect();
        let alone = free.first().and_then(|n| self.entrants.get(*n as usize));
        let engine = self.engine_is_free() && alone.is_some_and(|e| e.free_ms + ALONE_MS <= now_ms);
        (free.len() >= 2 || engine).then_some(Step::Pair)
    }

    fn engine_is_free(&self) -> bool {
        let mut engines = self.entrants.iter().filter(|e| e.level.is_some());
        engines.any(|e| e.playing == 0)
    }

    /// People of an arena who can be paired now.
    pub(super) fn free(&self, here: impl Fn(&str) -> bool) -> impl Iterator<Item = u32> {
        self.staying().filter(move |n| {
            let entrant = self.entrants.get(*n as usize);
            entrant.is_some_and(|e| e.level.is_none() && e.playing == 0 && here(&e.id))
        })
    }

    fn next_round(&self, now_ms: i64) -> Option<Step> {
        let all = self.rounds_in_all().unwrap_or(0);
        // In a round robin over days all rounds are played at the same time.
        let at_once = self.plan.is_slow() && matches!(self.plan.kind, Kind::RoundRobin { .. });
        if self.rounds < all && (at_once || self.running == 0) {
            let waits = self.rounds > 0 && !at_once;
            let rest = if waits {
                i64::from(self.plan.break_s) * 1000
            } else {
                0
            };
            // When all but one have left there is nothing more to play.
            return match self.staying().count() {
                0 | 1 => (self.running == 0).then_some(Step::End),
                _ => (self.rested_ms + rest <= now_ms).then_some(Step::Pair),
            };
        }
        (self.running == 0).then_some(Step::End)
    }

    /// The earliest time at which it does something by itself, as far as time alone decides; nothing if it waits for
    /// games or people.
    pub fn next_ms(&self) -> Option<i64> {
        match self.phase {
            Phase::Open => Some(self.plan.starts_ms),
            Phase::Running if self.running == 0 => {
                Some(self.rested_ms + i64::from(self.plan.break_s) * 1000)
            }
            _ => None,
        }
    }
}
