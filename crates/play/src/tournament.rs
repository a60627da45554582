//! A tournament as a value: what is settled when it is made, what has happened in it, and what follows. Its state is
//! its events in order, as for a game. No I/O, no time except what is given.

mod decide;
mod pair;
mod standings;
#[cfg(test)]
mod tests;

pub use decide::{Refused, Step};
pub use standings::{Standing, TieBreak};

use crate::Both;
use crate::lobby::Wanted;
use husun::Side;
use husun::clock::TimeControl;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// Most entrants of a tournament.
pub const MOST: u32 = 2000;
/// Most entrants of a Swiss tournament: more are not paired at once.
pub const MOST_SWISS: u32 = 1000;
/// Most entrants of a round robin, in which everybody meets everybody.
pub const MOST_ROUND_ROBIN: u32 = 40;
/// Least and most rounds of a Swiss tournament.
pub const ROUNDS: [u32; 2] = [1, 20];
/// Least and most minutes of an arena.
pub const MINUTES: [u32; 2] = [1, 24 * 60];
/// Most seconds between two rounds.
pub const BREAK: u32 = 24 * 3600;
/// Most games that are played in turn.
pub const GAMES: usize = 16;

/// How opponents are chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// For some time, everybody who is present and free meets somebody near in the standings.
    Arena {
        /// How long.
        minutes: u32,
    },
    /// Rounds in which players of equal score meet, by the Dutch rules of FIDE.
    Swiss {
        /// How many.
        rounds: u32,
    },
    /// Everybody meets everybody, by Berger's tables.
    RoundRobin {
        /// Twice, with sides changed.
        twice: bool,
    },
}

/// What a game counts for in the standings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scoring {
    /// 1 for a win and one half for a draw; in an arena 2 and 1, and twice that after two wins in a row.
    Standard,
    /// The game points of its rules, such as 5 for a Green Gem.
    GamePoints,
}

/// What is settled when a tournament is made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// Its name.
    pub name: String,
    /// How opponents are chosen.
    pub kind: Kind,
    /// What is played: the games in turn, then from the first again.
    pub games: Vec<Wanted>,
    /// Game points of a plain win in each of them: what a player without an opponent gets.
    pub wins: Vec<Both<f64>>,
    /// The clock of each game.
    pub control: TimeControl,
    /// Whether the games count for ratings.
    pub rated: bool,
    /// What a game counts for.
    pub scoring: Scoring,
    /// The tie-breaks for equal scores, in order.
    pub tie_breaks: Vec<TieBreak>,
    /// When it begins, in milliseconds of Unix time.
    pub starts_ms: i64,
    /// Seconds from the end of a round to the next.
    pub break_s: u32,
    /// Level of the engine that joins if the number is odd.
    pub level: Option<u8>,
    /// Most entrants.
    pub most: u32,
    /// Title of the winner, if the rules of what is played give one.
    pub champion: Option<String>,
}

impl Plan {
    /// Whether each move has days, so that nobody has to be there.
    pub fn is_slow(&self) -> bool {
        matches!(self.control, TimeControl::Correspondence { .. })
    }
}

/// A pairing with a game to be played.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewPairing {
    /// Id of the game.
    pub game: String,
    /// Number of the entrant with White.
    pub white: u32,
    /// Number of the entrant with Black.
    pub black: u32,
    /// Which of [`Plan::games`] is played.
    pub wanted: u32,
}

/// What happens in a tournament, as it is stored. Events are added to and never changed. Entrants are numbered from 0
/// in the order in which they came.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    /// Somebody joins.
    Joined {
        /// Id of the account, or of a level of the engine.
        id: String,
        /// Level of the engine.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        level: Option<u8>,
        /// Rating at the time of joining.
        rating: i32,
    },
    /// Somebody is no longer paired.
    Left {
        /// Who.
        entrant: u32,
    },
    /// Somebody who had left is paired again.
    Returned {
        /// Who.
        entrant: u32,
    },
    /// It begins.
    Started {
        /// Entrants who had left before a round robin began: they have no part in it.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        without: Vec<u32>,
    },
    /// A round begins, or some players waiting in an arena meet.
    Paired {
        /// Number of the round, from 1; in an arena, of the pairing.
        round: u32,
        /// The games, the first board first.
        games: Vec<NewPairing>,
        /// Players without an opponent, who get the points of a win.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        byes: Vec<u32>,
        /// Players who win without a game, each with the opponent who does not come.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        walkovers: Vec<[u32; 2]>,
    },
    /// A game is over.
    Ended {
        /// The game.
        game: String,
        /// Its result.
        #[serde(flatten)]
        result: GameResult,
    },
    /// All is over.
    Over,
    /// It does not take place.
    Cancelled,
}

impl Event {
    /// Its stored form.
    pub fn to_text(&self) -> String {
        // Only strings and numbers.
        serde_json::to_string(self).unwrap_or_default()
    }
}

/// How a game of a tournament has ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GameResult {
    /// Who has won; nobody after a draw, or if it was not played.
    pub winner: Option<Side>,
    /// Game points of its rules.
    pub points: Both<f64>,
    /// Why it ended, in the words of the rules.
    pub reason: String,
    /// Half-moves played.
    pub plies: u32,
    /// Whether it has ended with a result.
    pub counts: bool,
}

/// The phase of a tournament.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// It can be joined, and has not begun.
    Open,
    /// It is being played.
    Running,
    /// It is over.
    Over,
    /// It did not take place.
    Cancelled,
}

/// A participant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entrant {
    /// Id of the account, or of a level of the engine.
    pub id: String,
    /// Level of the engine.
    pub level: Option<u8>,
    /// Rating at the time of joining.
    pub rating: i32,
    /// Whether the entrant has left, and is not paired.
    pub away: bool,
    /// Whether the entrant had left before a round robin began, and has no part in it.
    pub out: bool,
    /// Rounds that were paired before the entrant joined.
    pub missed: u32,
    /// Games in progress: several in a tournament over days.
    pub playing: u32,
    /// Since when the entrant has been waiting, in milliseconds of Unix time.
    pub free_ms: i64,
}

/// What a round was for an entrant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// A game: its number.
    Game(usize),
    /// No opponent was there: the points of a win.
    Bye,
    /// The opponent did not come.
    WonWithoutGame(u32),
    /// The entrant did not come.
    LostWithoutGame(u32),
    /// Not paired.
    Away,
}

/// A game of a tournament.
#[derive(Clone, Debug, PartialEq)]
pub struct Pairing {
    /// Who meets in which game.
    pub new: NewPairing,
    /// In which round.
    pub round: u32,
    /// Its result, when it has one.
    pub result: Option<GameResult>,
}

impl Pairing {
    /// The entrant of a side.
    pub fn of(&self, side: Side) -> u32 {
        match side {
            Side::White => self.new.white,
            Side::Black => self.new.black,
        }
    }

    /// The side of an entrant who plays it.
    pub fn side_of(&self, entrant: u32) -> Side {
        match self.new.white == entrant {
            true => Side::White,
            false => Side::Black,
        }
    }
}

/// Why events do not make a tournament: the storage is damaged, or was written by something else.
#[derive(Debug, thiserror::Error)]
pub enum Misfit {
    /// The event is out of its order.
    #[error("{0} at a time when it cannot happen")]
    Order(&'static str),
    /// There is no such entrant.
    #[error("there is no entrant {0}")]
    Entrant(u32),
    /// There is no such game, or it has a result.
    #[error("there is no running game {0}")]
    Game(String),
    /// Somebody joins twice.
    #[error("{0} joins twice")]
    Twice(String),
    /// Not an event of this program.
    #[error("event {0}: {1}")]
    Json(u64, serde_json::Error),
}

/// A tournament.
#[derive(Clone, Debug)]
pub struct Tournament {
    plan: Plan,
    seq: u64,
    phase: Phase,
    entrants: Vec<Entrant>,
    numbers: HashMap<String, u32>,
    pairings: Vec<Pairing>,
    games: HashMap<String, usize>,
    /// What each round was for each entrant, by round; for an arena the games in order.
    turns: Vec<Vec<Turn>>,
    rounds: u32,
    running: usize,
    started_ms: Option<i64>,
    /// When the last round was paired, and when its last game ended.
    paired_ms: i64,
    rested_ms: i64,
}

impl Tournament {
    /// A new tournament, which nobody has joined.
    pub fn new(plan: Plan) -> Tournament {
        Tournament {
            plan,
            seq: 0,
            phase: Phase::Open,
            entrants: Vec::new(),
            numbers: HashMap::new(),
            pairings: Vec::new(),
            games: HashMap::new(),
            turns: Vec::new(),
            rounds: 0,
            running: 0,
            started_ms: None,
            paired_ms: 0,
            rested_ms: 0,
        }
    }

    /// The tournament that stored events make: each with its time in milliseconds of Unix time.
    pub fn replay<'a>(
        plan: Plan,
        events: impl Iterator<Item = (i64, &'a str)>,
    ) -> Result<Tournament, Misfit> {
        Tournament::new(plan).after(events)
    }

    /// As it is after more of what is stored.
    pub fn after<'a>(
        mut self,
        events: impl Iterator<Item = (i64, &'a str)>,
    ) -> Result<Tournament, Misfit> {
        for (ms, text) in events {
            let event = serde_json::from_str(text);
            let event = event.map_err(|e| Misfit::Json(self.seq + 1, e))?;
            self.apply(&event, ms)?;
        }
        Ok(self)
    }

    /// Applies an event.
    pub fn apply(&mut self, event: &Event, ms: i64) -> Result<(), Misfit> {
        match event {
            Event::Joined { id, level, rating } => {
                self.at_work("somebody joins")?;
                let number = self.entrants.len() as u32;
                if self.numbers.insert(id.clone(), number).is_some() {
                    return Err(Misfit::Twice(id.clone()));
                }
                self.entrants.push(Entrant {
                    id: id.clone(),
                    level: *level,
                    rating: *rating,
                    away: false,
                    out: false,
                    missed: self.rounds,
                    playing: 0,
                    free_ms: ms,
                });
                let missed = match self.plan.kind {
                    Kind::Arena { .. } => 0,
                    _ => self.rounds as usize,
                };
                self.turns.push(vec![Turn::Away; missed]);
            }
            Event::Left { entrant } => self.entrant_mut(*entrant)?.away = true,
            Event::Returned { entrant } => {
                let entrant = self.entrant_mut(*entrant)?;
                (entrant.away, entrant.free_ms) = (false, ms);
            }
            Event::Started { without } => {
                if self.phase != Phase::Open {
                    return Err(Misfit::Order("it starts"));
                }
                for &entrant in without {
                    let entrant = self.entrant_mut(entrant)?;
                    (entrant.out, entrant.away) = (true, true);
                }
                self.phase = Phase::Running;
                self.started_ms = Some(ms);
                for entrant in &mut self.entrants {
                    entrant.free_ms = ms;
                }
            }
            Event::Paired {
                round,
                games,
                byes,
                walkovers,
            } => self.take_round(*round, games, byes, walkovers, ms)?,
            Event::Ended { game, result } => self.take_result(game, result, ms)?,
            Event::Over => {
                if self.phase != Phase::Running || self.running > 0 {
                    return Err(Misfit::Order("it is over"));
                }
                self.phase = Phase::Over;
            }
            Event::Cancelled => {
                if self.phase != Phase::Open {
                    return Err(Misfit::Order("it is cancelled"));
                }
                self.phase = Phase::Cancelled;
            }
        }
        self.seq += 1;
        Ok(())
    }

    fn take_round(
        &mut self,
        round: u32,
        games: &[NewPairing],
        byes: &[u32],
        walkovers: &[[u32; 2]],
        ms: i64,
    ) -> Result<(), Misfit> {
        if self.phase != Phase::Running || round != self.rounds + 1 {
            return Err(Misfit::Order("a round begins"));
        }
        for new in games {
            let number = self.pairings.len();
            for entrant in [new.white, new.black] {
                self.entrant_mut(entrant)?.playing += 1;
                self.turn(entrant, Turn::Game(number));
            }
            if self.games.insert(new.game.clone(), number).is_some() {
                return Err(Misfit::Game(new.game.clone()));
            }
            self.pairings.push(Pairing {
                new: new.clone(),
                round,
                result: None,
            });
        }
        for &entrant in byes {
            self.entrant_mut(entrant)?;
            self.turn(entrant, Turn::Bye);
        }
        for &[winner, away] in walkovers {
            self.entrant_mut(winner)?;
            self.entrant_mut(away)?;
            self.turn(winner, Turn::WonWithoutGame(away));
            self.turn(away, Turn::LostWithoutGame(winner));
        }
        self.rounds = round;
        self.running += games.len();
        self.paired_ms = ms;
        self.rested_ms = ms;
        if !matches!(self.plan.kind, Kind::Arena { .. }) {
            for turns in &mut self.turns {
                if turns.len() < round as usize {
                    turns.push(Turn::Away);
                }
            }
        }
        Ok(())
    }

    fn take_result(&mut self, game: &str, result: &GameResult, ms: i64) -> Result<(), Misfit> {
        let none = || Misfit::Game(game.into());
        let number = *self.games.get(game).ok_or_else(none)?;
        let pairing = self.pairings.get_mut(number).ok_or_else(none)?;
        if pairing.result.is_some() {
            return Err(none());
        }
        pairing.result = Some(result.clone());
        let both = [pairing.new.white, pairing.new.black];
        for entrant in both {
            let entrant = self.entrant_mut(entrant)?;
            entrant.playing = entrant.playing.saturating_sub(1);
            entrant.free_ms = ms;
        }
        self.running -= 1;
        self.rested_ms = ms;
        Ok(())
    }

    fn turn(&mut self, entrant: u32, turn: Turn) {
        if let Some(turns) = self.turns.get_mut(entrant as usize) {
            turns.push(turn);
        }
    }

    fn at_work(&self, what: &'static str) -> Result<(), Misfit> {
        match self.phase {
            Phase::Open | Phase::Running => Ok(()),
            Phase::Over | Phase::Cancelled => Err(Misfit::Order(what)),
        }
    }

    fn entrant_mut(&mut self, entrant: u32) -> Result<&mut Entrant, Misfit> {
        let found = self.entrants.get_mut(entrant as usize);
        found.ok_or(Misfit::Entrant(entrant))
    }

    /// What was settled.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Number of the last event.
    pub fn seq(&self) -> u64 {
        self.seq
    }

    /// Its phase.
    pub fn phase(&self) -> Phase {
        self.phase
    }

    /// The participants, in the order in which they joined.
    pub fn entrants(&self) -> &[Entrant] {
        &self.entrants
    }

    /// The number of an entrant.
    pub fn number(&self, id: &str) -> Option<u32> {
        self.numbers.get(id).copied()
    }

    /// All games in order.
    pub fn pairings(&self) -> &[Pairing] {
        &self.pairings
    }

    /// What the rounds were for an entrant.
    pub fn turns(&self, entrant: u32) -> &[Turn] {
        self.turns.get(entrant as usize).map_or(&[], Vec::as_slice)
    }

    /// Rounds that were paired.
    pub fn rounds(&self) -> u32 {
        self.rounds
    }

    /// Games in progress.
    pub fn running(&self) -> usize {
        self.running
    }

    /// When it began, in milliseconds of Unix time.
    pub fn started_ms(&self) -> Option<i64> {
        self.started_ms
    }

    /// When an arena stops pairing; nothing for the other kinds.
    pub fn closes_ms(&self) -> Option<i64> {
        let Kind::Arena { minutes } = self.plan.kind else {
            return None;
        };
        let began = self.started_ms.unwrap_or(self.plan.starts_ms);
        Some(began + i64::from(minutes) * 60_000)
    }

    /// Entrants who have a part in a round robin.
    fn robins(&self) -> usize {
        let open = self.phase == Phase::Open;
        let has_part = |e: &&Entrant| if open { !e.away } else { !e.out };
        self.entrants.iter().filter(has_part).count()
    }

    /// Rounds in total, once that is known; nothing for an arena.
    pub fn rounds_in_all(&self) -> Option<u32> {
        match self.plan.kind {
            Kind::Arena { .. } => None,
            Kind::Swiss { rounds } => Some(rounds),
            Kind::RoundRobin { twice } => {
                let entrants = self.robins() as u32;
                let once = match entrants % 2 {
                    0 => entrants.saturating_sub(1),
                    _ => entrants,
                };
                Some(if twice { 2 * once } else { once })
            }
        }
    }
}
