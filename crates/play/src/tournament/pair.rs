//! Who meets whom next. `pairing` finds the pairs; here is what it has to know, and which game they play.

use super::{Event, Kind, NewPairing, Pairing, Tournament, Turn};
use crate::table::FIRST_MOVES;
use husun::Side;
use pairing::{Colour, Entrant, PairingError, Past, Rules, Spent, Waiting};
use std::collections::HashMap;

/// Number of last opponents in an arena whom a player does not meet again at once.
const RECENT: usize = 1;

/// Numbers of White and Black.
type Pair = (u32, u32);

impl Tournament {
    /// What follows when the players who can be are paired at a time; `id` gives each game its id, `here` tells which
    /// of an arena's players have its page open. If the rules allow no round, the tournament ends.
    pub fn pair(
        &self,
        now_ms: i64,
        here: impl Fn(&str) -> bool,
        mut id: impl FnMut() -> String,
    ) -> Vec<Event> {
        match self.plan.kind {
            Kind::Arena { .. } => {
                let pairs = self.arena_pairs(now_ms, here);
                match pairs.is_empty() {
                    true => Vec::new(),
                    false => vec![self.round(self.rounds + 1, pairs, &mut id)],
                }
            }
            Kind::Swiss { rounds } => match self.swiss_pairs(rounds) {
                Ok((pairs, bye)) => {
                    let mut event = self.round(self.rounds + 1, pairs, &mut id);
                    if let Event::Paired { byes, .. } = &mut event {
                        byes.extend(bye);
                    }
                    vec![event]
                }
                // All remaining players have met each other.
                Err(_) => vec![Event::Over],
            },
            Kind::RoundRobin { twice } => {
                let players = self.robins();
                let all = match twice {
                    true => pairing::double_round_robin(players),
                    false => pairing::round_robin(players),
                };
                let at_once = if self.plan.is_slow() { all.len() } else { 1 };
                let next = (1..).zip(&all).skip(self.rounds as usize).take(at_once);
                next.map(|(round, pairs)| self.berger_round(round, pairs, &mut id))
                    .collect()
            }
        }
    }

    /// A round's games. Each pair plays the game that it has played least, the first in turn if there are several.
    fn round(&self, round: u32, pairs: Vec<Pair>, id: &mut dyn FnMut() -> String) -> Event {
        let games = self.plan.games.len().max(1) as u32;
        let arena = matches!(self.plan.kind, Kind::Arena { .. });
        let new = |(white, black): Pair| {
            let wanted = match arena {
                true => {
                    let turns = self.turns(white).len() + self.turns(black).len();
                    (turns as u32 / 2) % games
                }
                false => (round - 1) % games,
            };
            NewPairing {
                game: id(),
                white,
                black,
                wanted,
            }
        };
        Event::Paired {
            round,
            games: pairs.into_iter().map(new).collect(),
            byes: Vec::new(),
            walkovers: Vec::new(),
        }
    }

    fn is_away(&self, entrant: u32) -> bool {
        self.entrants.get(entrant as usize).is_none_or(|e| e.away)
    }

    fn is_engine(&self, entrant: u32) -> bool {
        let known = self.entrants.get(entrant as usize);
        known.is_some_and(|e| e.level.is_some())
    }

    fn berger_round(
        &self,
        round: u32,
        pairs: &[(usize, usize)],
        id: &mut dyn FnMut() -> String,
    ) -> Event {
        let mut games = Vec::new();
        let mut without = Vec::new();
        let mut numbers = self.seeds();
        numbers.retain(|n| self.entrants.get(*n as usize).is_some_and(|e| !e.out));
        for &(white, black) in pairs {
            let number = |place: usize| numbers.get(place).copied();
            let (Some(white), Some(black)) = (number(white), number(black)) else {
                continue;
            };
            match (self.is_away(white), self.is_away(black)) {
                (false, false) => games.push((white, black)),
                (false, true) => without.push([white, black]),
                (true, false) => without.push([black, white]),
                (true, true) => {}
            }
        }
        let mut event = self.round(round, games, id);
        if let Event::Paired { walkovers, .. } = &mut event {
            *walkovers = without;
        }
        event
    }

    /// The entrants by strength, strongest first: their pairing numbers are their places, from 1.
    fn seeds(&self) -> Vec<u32> {
        let mut seeds: Vec<u32> = (0..self.entrants.len() as u32).collect();
        seeds.sort_by_key(|n| {
            let rating = self.entrants.get(*n as usize).map(|e| e.rating);
            (std::cmp::Reverse(rating), *n)
        });
        seeds
    }

    fn swiss_pairs(&self, rounds: u32) -> Result<(Vec<Pair>, Option<u32>), PairingError> {
        let seeds = self.seeds();
        let places = (1..).zip(&seeds).map(|(place, number)| (*number, place));
        let places: HashMap<u32, u32> = places.collect();
        let place = |number: u32| places.get(&number).copied().unwrap_or_default();
        let people = self.staying().filter(|n| !self.is_engine(*n)).count();
        let entrants: Vec<Entrant> = seeds
            .iter()
            .map(|&number| {
                let (gains, _) = self.gains(number);
                let past = self
                    .turns(number)
                    .iter()
                    .zip(&gains)
                    .map(|(turn, gain)| Past {
                        spent: match *turn {
                            Turn::Bye => Spent::Bye,
                            Turn::Game(game) => match self.pairings.get(game) {
                                Some(pairing) if !pairing.is_forfeit() => {
                                    let side = pairing.side_of(number);
                                    Spent::Game {
                                        opponent: place(pairing.of(side.opponent())),
                                        colour: colour(side),
                                    }
                                }
                                _ => Spent::Unplayed,
                            },
                            Turn::Away | Turn::WonWithoutGame(_) | Turn::LostWithoutGame(_) => {
                                Spent::Unplayed
                            }
                        },
                        points: gain.half_points,
                    });
                let rounds: Vec<Past> = past.collect();
                Entrant {
                    number: place(number),
                    score: rounds.iter().map(|r| r.points).sum(),
                    // The engine sits out if the others can be paired without it.
                    here: !self.is_away(number) && (people % 2 == 1 || !self.is_engine(number)),
                    rounds,
                }
            })
            .collect();
        let wins = self.plan.wins.iter();
        let win = wins.map(|w| self.walkover(w)).max().unwrap_or(2);
        let rules = Rules {
            rounds: rounds as usize,
            first: Colour::White,
            win,
            loss: 0,
        };
        let round = pairing::dutch(&entrants, &rules)?;
        let number = |place: u32| seeds.get(place as usize - 1).copied().unwrap_or_default();
        let pairs = round.games.iter().map(|(w, b)| (number(*w), number(*b)));
        Ok((pairs.collect(), round.bye.map(number)))
    }

    fn arena_pairs(&self, now_ms: i64, here: impl Fn(&str) -> bool) -> Vec<Pair> {
        let mut free: Vec<u32> = self.free(here).collect();
        let engine = (0..).zip(&self.entrants).find(|(_, e)| e.level.is_some());
        if let Some((engine, _)) = engine.filter(|(_, e)| e.playing == 0)
            && free.len() % 2 == 1
        {
            free.push(engine);
        }
        let waiting: Vec<Waiting> = free
            .iter()
            .filter_map(|&number| {
                let entrant = self.entrants.get(number as usize)?;
                let games = || {
                    let turns = self.turns(number).iter();
                    turns.filter_map(|turn| match turn {
                        Turn::Game(game) => self.pairings.get(*game),
                        _ => None,
                    })
                };
                let opponent = |p: &Pairing| p.of(p.side_of(number).opponent());
                let (gains, _) = self.gains(number);
                let score: i64 = gains.iter().map(|g| g.half_points).sum();
                let whites = games().filter(|p| p.new.white == number).count() as i32;
                let blacks = games().count() as i32 - whites;
                let recent = self
                    .turns(number)
                    .iter()
                    .rev()
                    .filter_map(|turn| match turn {
                        Turn::Game(game) => self.pairings.get(*game).map(opponent),
                        _ => None,
                    });
                Some(Waiting {
                    number,
                    // Among players of equal score, those of similar strength meet.
                    rank: score * 10_000 + i64::from(entrant.rating),
                    recent: recent.take(RECENT).collect(),
                    balance: whites - blacks,
                    since: entrant.free_ms.min(now_ms).max(0) as u64,
                })
            })
            .collect();
        pairing::arena(&waiting, self.running)
    }
}

impl Pairing {
    /// Whether it was decided before both had moved: somebody did not come.
    pub fn is_forfeit(&self) -> bool {
        let result = self.result.as_ref();
        result.is_some_and(|r| !r.counts || (r.plies as usize) < FIRST_MOVES)
    }
}

fn colour(side: Side) -> Colour {
    match side {
        Side::White => Colour::White,
        Side::Black => Colour::Black,
    }
}
