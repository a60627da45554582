//! The standings: the score of each entrant, and the tie-breaks for equal scores (FIDE Handbook C.07).

use super::{Kind, Pairing, Phase, Scoring, Tournament, Turn};
use crate::Both;
use husun::Side;
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;

/// Wins in a row after which an arena's games count twice.
const STREAK: u32 = 2;

/// Tie-breaks for equal scores.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TieBreak {
    /// The sum of the opponents' scores. A round without a game counts as one against an opponent of one's own score.
    Buchholz,
    /// The same without the least of them.
    BuchholzCut1,
    /// The scores of the opponents beaten, and half those of opponents in drawn games.
    SonnebornBerger,
    /// The score in the games among players of equal score, if all of them have met.
    DirectEncounter,
    /// Games won.
    Wins,
    /// Games played with Black.
    Blacks,
}

impl TieBreak {
    /// All of them.
    pub const ALL: [TieBreak; 6] = [
        TieBreak::Buchholz,
        TieBreak::BuchholzCut1,
        TieBreak::SonnebornBerger,
        TieBreak::DirectEncounter,
        TieBreak::Wins,
        TieBreak::Blacks,
    ];

    /// The ones that a kind of tournament uses unless its maker chooses others.
    pub fn usual(kind: &Kind) -> Vec<TieBreak> {
        match kind {
            Kind::Arena { .. } => vec![TieBreak::Wins, TieBreak::SonnebornBerger],
            Kind::Swiss { .. } => vec![
                TieBreak::BuchholzCut1,
                TieBreak::Buchholz,
                TieBreak::SonnebornBerger,
            ],
            Kind::RoundRobin { .. } => vec![
                TieBreak::DirectEncounter,
                TieBreak::Wins,
                TieBreak::SonnebornBerger,
            ],
        }
    }
}

/// An entrant's place in the standings.
#[derive(Clone, Debug, PartialEq)]
pub struct Standing {
    /// Number of the entrant.
    pub entrant: u32,
    /// The place; entrants that no tie-break separates share one.
    pub rank: u32,
    /// The score in half points.
    pub half_points: i64,
    /// The value of each tie-break of the plan, in points.
    pub ties: Vec<f64>,
    /// Games won, drawn and lost, not counting those won or lost without playing.
    pub won: u32,
    /// Drawn.
    pub drawn: u32,
    /// Lost.
    pub lost: u32,
    /// Whether the next game of an arena counts twice.
    pub streak: bool,
}

/// What one game or round earned, in half points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Gain {
    /// Points for the score.
    pub half_points: i64,
    /// The opponent, if there was a game.
    opponent: Option<u32>,
    /// A win is 2, a draw 1.
    share: i64,
}

impl Tournament {
    /// What a game counts for an entrant, in half points; nothing while it is in progress, or if it has no result.
    pub fn half_points(&self, pairing: &Pairing, side: Side, streak: bool) -> Option<i64> {
        let result = pairing.result.as_ref().filter(|r| r.counts)?;
        let arena = matches!(self.plan.kind, Kind::Arena { .. });
        Some(match self.plan.scoring {
            Scoring::GamePoints => (result.points.get(side) * 2.0).round() as i64,
            Scoring::Standard => {
                let plain = match result.winner {
                    Some(winner) if winner == side => 2,
                    Some(_) => 0,
                    None => 1,
                };
                plain * if arena { 2 } else { 1 } * if streak { 2 } else { 1 }
            }
        })
    }

    /// The half points for winning a round without a game.
    pub(super) fn walkover(&self, wins: &Both<f64>) -> i64 {
        match self.plan.scoring {
            Scoring::Standard => 2,
            Scoring::GamePoints => (wins.white.max(wins.black) * 2.0).round() as i64,
        }
    }

    /// What each round was worth to an entrant, and whether the next one counts twice. `wins` are the points of a
    /// plain win in the game of a round.
    pub(super) fn gains(&self, entrant: u32) -> (Vec<Gain>, bool) {
        let arena = matches!(self.plan.kind, Kind::Arena { .. });
        let mut row = 0;
        let mut gains = Vec::new();
        for (round, turn) in self.turns(entrant).iter().enumerate() {
            let none = |half_points| Gain {
                half_points,
                opponent: None,
                share: 0,
            };
            let gain = match *turn {
                Turn::Away | Turn::LostWithoutGame(_) => none(0),
                Turn::Bye | Turn::WonWithoutGame(_) => none(self.walkover(&self.wins_of(round))),
                Turn::Game(number) => {
                    let Some(pairing) = self.pairings.get(number) else {
                        continue;
                    };
                    let side = pairing.side_of(entrant);
                    let twice = arena && self.plan.scoring == Scoring::Standard && row >= STREAK;
                    let half_points = match self.half_points(pairing, side, twice) {
                        Some(half_points) => half_points,
                        None if pairing.result.is_none() => continue,
                        None => {
                            gains.push(none(0));
                            continue;
                        }
                    };
                    let winner = pairing.result.as_ref().and_then(|r| r.winner);
                    let share = match winner {
                        Some(winner) if winner == side => 2,
                        Some(_) => 0,
                        None => 1,
                    };
                    row = if share == 2 { row + 1 } else { 0 };
                    Gain {
                        half_points,
                        opponent: Some(pairing.of(side.opponent())),
                        share,
                    }
                }
            };
            gains.push(gain);
        }
        let streak = arena && self.plan.scoring == Scoring::Standard && row >= STREAK;
        (gains, streak)
    }

    /// What each round earned an entrant, in half points: nothing if there was none, or if the game is in progress.
    pub fn given(&self, entrant: u32) -> Vec<Option<i64>> {
        let (gains, _) = self.gains(entrant);
        let mut gains = gains.into_iter();
        let turns = self.turns(entrant).iter().map(|turn| {
            let runs = match *turn {
                Turn::Game(game) => self.pairings.get(game).is_none_or(|p| p.result.is_none()),
                _ => false,
            };
            let gain = if runs { None } else { gains.next() };
            gain.filter(|_| *turn != Turn::Away).map(|g| g.half_points)
        });
        turns.collect()
    }

    /// The points of a plain win in the game of a round, counted from 0.
    fn wins_of(&self, round: usize) -> Both<f64> {
        let of = round.checked_rem(self.plan.wins.len()).unwrap_or(0);
        self.plan.wins.get(of).copied().unwrap_or(Both {
            white: 1.0,
            black: 1.0,
        })
    }

    /// The standings, best first.
    pub fn standings(&self) -> Vec<Standing> {
        let all: Vec<(Vec<Gain>, bool)> = (0..self.entrants.len() as u32)
            .map(|entrant| self.gains(entrant))
            .collect();
        let sum = |gains: &[Gain]| gains.iter().map(|g| g.half_points).sum::<i64>();
        let scores: Vec<i64> = all.iter().map(|(gains, _)| sum(gains)).collect();
        let score = |entrant: u32| scores.get(entrant as usize).copied().unwrap_or_default();
        let mut standings: Vec<Standing> = Vec::with_capacity(all.len());
        let part = |entrant: u32| self.entrants.get(entrant as usize).is_some_and(|e| !e.out);
        for (entrant, (gains, streak)) in (0..).zip(&all).filter(|(entrant, _)| part(*entrant)) {
            let games = || gains.iter().filter(|g| g.opponent.is_some());
            let of_share = |share| games().filter(|g| g.share == share).count() as u32;
            let own = score(entrant);
            let opponents = |cut: bool| {
                let scores = gains.iter().map(|g| g.opponent.map_or(own, score));
                let least = if cut { scores.clone().min() } else { None };
                (scores.sum::<i64>() - least.unwrap_or(0)) as f64 / 2.0
            };
            let tie = |by: &TieBreak| match by {
                TieBreak::Buchholz => opponents(false),
                TieBreak::BuchholzCut1 => opponents(true),
                TieBreak::SonnebornBerger => {
                    let sum: i64 = games().map(|g| g.share * g.opponent.map_or(0, score)).sum();
                    sum as f64 / 4.0
                }
                // Only computed once groups of equal score are known.
                TieBreak::DirectEncounter => 0.0,
                TieBreak::Wins => f64::from(of_share(2)),
                TieBreak::Blacks => {
                    let blacks = self.turns(entrant).iter().filter(|turn| {
                        let Turn::Game(number) = turn else {
                            return false;
                        };
                        let pairing = self.pairings.get(*number);
                        pairing.is_some_and(|p| p.result.is_some() && p.new.black == entrant)
                    });
                    blacks.count() as f64
                }
            };
            standings.push(Standing {
                entrant,
                rank: 0,
                half_points: own,
                ties: self.plan.tie_breaks.iter().map(tie).collect(),
                won: of_share(2),
                drawn: of_share(1),
                lost: of_share(0),
                streak: *streak && self.phase == Phase::Running,
            });
        }
        standings.sort_by_key(|s| (Reverse(s.half_points), s.entrant));
        self.meet(&mut standings, &all);
        // Sums of halves and quarters, so equal ones compare equal.
        let by_ties = |one: &Standing, other: &Standing| {
            let ties = one.ties.iter().zip(&other.ties);
            let mut orders = ties.map(|(one, other)| other.total_cmp(one));
            let apart = orders.find(|order| order.is_ne());
            other
                .half_points
                .cmp(&one.half_points)
                .then(apart.unwrap_or(std::cmp::Ordering::Equal))
        };
        standings.sort_by(|one, other| by_ties(one, other).then(one.entrant.cmp(&other.entrant)));
        for at in 0..standings.len() {
            let shared = match at.checked_sub(1).and_then(|before| {
                let (before, here) = (standings.get(before)?, standings.get(at)?);
                by_ties(before, here).is_eq().then_some(before.rank)
            }) {
                Some(rank) => rank,
                None => at as u32 + 1,
            };
            if let Some(standing) = standings.get_mut(at) {
                standing.rank = shared;
            }
        }
        standings
    }

    /// Sets the direct encounter of groups of equal score in which all have met.
    fn meet(&self, standings: &mut [Standing], all: &[(Vec<Gain>, bool)]) {
        let by = |t: &TieBreak| *t == TieBreak::DirectEncounter;
        let Some(place) = self.plan.tie_breaks.iter().position(by) else {
            return;
        };
        for group in standings.chunk_by_mut(|one, other| one.half_points == other.half_points) {
            let members: Vec<u32> = group.iter().map(|s| s.entrant).collect();
            // Larger groups cannot all have met except in round robins, whose limit this is.
            if members.len() < 2 || members.len() > super::MOST_ROUND_ROBIN as usize {
                continue;
            }
            let with = |entrant: u32| {
                let gains = all
                    .get(entrant as usize)
                    .map_or(&[][..], |(gains, _)| gains);
                gains
                    .iter()
                    .filter(|g| g.opponent.is_some_and(|o| members.contains(&o)))
            };
            let has_met = |one: u32| {
                let met =
                    |other: &u32| *other == one || with(one).any(|g| g.opponent == Some(*other));
                members.iter().all(met)
            };
            if !members.iter().all(|one| has_met(*one)) {
                continue;
            }
            for standing in group.iter_mut() {
                let sum: i64 = with(standing.entrant).map(|g| g.half_points).sum();
                if let Some(tie) = standing.ties.get_mut(place) {
                    *tie = sum as f64 / 2.0;
                }
            }
        }
    }
}
