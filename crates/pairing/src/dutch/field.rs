//! The players of a round as the criteria see them: order, colours, floats, who may meet, who may have the bye.

use super::colours::{Clashes, Colours};
use crate::{Colour, Entrant, PairingError, Past, Rules, Spent};
use std::cmp::Reverse;
use std::collections::HashMap;

/// Scores and points of a round are at most this far from 0, so that sums of them do not overflow.
const MAX_POINTS: i64 = 1 << 40;

/// Most players of a round: memory grows with the square of their number.
pub(super) const MAX_PLAYERS: usize = 1024;

/// Where a float went (article 1.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Float {
    Down,
    Up,
}

/// A player of this round.
#[derive(Clone, Debug)]
pub(super) struct Player {
    pub(super) number: u32,
    pub(super) score: i64,
    pub(super) colours: Colours,
    /// Floats of the round before and of the one before that.
    pub(super) floats: [Option<Float>; 2],
    /// Earlier rounds without a game.
    pub(super) unplayed: u64,
    /// Whether the bye may be given (C2).
    pub(super) bye: bool,
    /// Topscorer (article 1.8).
    pub(super) top: bool,
}

/// All players of the round in their order (article 1.2), and which of them may meet.
#[derive(Debug)]
pub(super) struct Field {
    pub(super) players: Vec<Player>,
    may_meet: Vec<bool>,
}

impl Field {
    pub(super) fn new(entrants: &[Entrant], rules: &Rules) -> Result<Self, PairingError> {
        let past = Pasts::new(entrants, rules)?;
        let mut here: Vec<&Entrant> = entrants.iter().filter(|e| e.here).collect();
        if here.len() > MAX_PLAYERS {
            return Err(PairingError::Many {
                found: here.len(),
                limit: MAX_PLAYERS,
            });
        }
        here.sort_by_key(|e| (Reverse(e.score), e.number));
        let place: HashMap<u32, usize> = here
            .iter()
            .enumerate()
            .map(|(i, e)| (e.number, i))
            .collect();
        let players: Vec<Player> = here.iter().map(|e| past.player(e, rules)).collect();
        let len = players.len();
        let mut may_meet = vec![true; len * len];
        for (i, one) in players.iter().enumerate() {
            may_meet[i * len + i] = false;
            for (j, other) in players.iter().enumerate().skip(i + 1) {
                let colour = one.colours.absolute();
                // C3.
                if colour.is_some() && colour == other.colours.absolute() && !one.top && !other.top
                {
                    may_meet[i * len + j] = false;
                    may_meet[j * len + i] = false;
                }
            }
            // C1.
            for opponent in opponents(&here[i].rounds) {
                if let Some(&j) = place.get(&opponent) {
                    may_meet[i * len + j] = false;
                }
            }
        }
        Ok(Self { players, may_meet })
    }

    /// Whether the two may meet (C1, C3).
    pub(super) fn may_meet(&self, i: usize, j: usize) -> bool {
        self.may_meet[i * self.players.len() + j]
    }

    /// The violated colour preferences if they do.
    pub(super) fn clashes(&self, i: usize, j: usize) -> Clashes {
        let (higher, lower) = (&self.players[i.min(j)], &self.players[i.max(j)]);
        higher
            .colours
            .clashes(&lower.colours, higher.top || lower.top)
    }

    /// Positions of White and Black in the order.
    pub(super) fn coloured(&self, i: usize, j: usize, rules: &Rules) -> (usize, usize) {
        let (higher, lower) = (i.min(j), i.max(j));
        let one = &self.players[higher];
        let otherwise = if one.number % 2 == 1 {
            rules.first
        } else {
            rules.first.other()
        };
        match one.colours.against(&self.players[lower].colours, otherwise) {
            Colour::White => (higher, lower),
            Colour::Black => (lower, higher),
        }
    }
}

fn opponents(rounds: &[Past]) -> impl Iterator<Item = u32> {
    rounds.iter().filter_map(|past| match past.spent {
        Spent::Game { opponent, .. } => Some(opponent),
        Spent::Bye | Spent::Unplayed => None,
    })
}

/// The earlier rounds of all players, checked.
struct Pasts<'a> {
    by_number: HashMap<u32, &'a Entrant>,
    played: usize,
}

impl<'a> Pasts<'a> {
    fn new(entrants: &'a [Entrant], rules: &Rules) -> Result<Self, PairingError> {
        let played = entrants.first().map_or(0, |e| e.rounds.len());
        if !entrants.is_empty() && played >= rules.rounds {
            return Err(PairingError::Over {
                played,
                rounds: rules.rounds,
            });
        }
        let mut by_number = HashMap::with_capacity(entrants.len());
        for entrant in entrants {
            let number = entrant.number;
            if number == 0 || by_number.insert(number, entrant).is_some() {
                return Err(PairingError::Number { number });
            }
            if entrant.rounds.len() != played {
                return Err(PairingError::Rounds {
                    number,
                    found: entrant.rounds.len(),
                    expected: played,
                });
            }
            let points = entrant.rounds.iter().map(|past| past.points);
            if let Some(score) = points
                .chain([entrant.score])
                .find(|p| p.unsigned_abs() > MAX_POINTS as u64)
            {
                return Err(PairingError::Score {
                    number,
                    score,
                    limit: MAX_POINTS,
                });
            }
        }
        let pasts = Self { by_number, played };
        entrants.iter().try_for_each(|e| pasts.check(e))?;
        Ok(pasts)
    }

    /// Checks that the opponents of each game agree about it.
    fn check(&self, entrant: &Entrant) -> Result<(), PairingError> {
        for (round, past) in entrant.rounds.iter().enumerate() {
            let Spent::Game { opponent, colour } = past.spent else {
                continue;
            };
            let answer = Spent::Game {
                opponent: entrant.number,
                colour: colour.other(),
            };
            let other = self.by_number.get(&opponent);
            if other.is_none_or(|o| o.number == entrant.number || o.rounds[round].spent != answer) {
                return Err(PairingError::Opponent {
                    round: round + 1,
                    number: entrant.number,
                    opponent,
                });
            }
        }
        Ok(())
    }

    fn player(&self, entrant: &Entrant, rules: &Rules) -> Player {
        let had = |past: &Past| match past.spent {
            Spent::Game { colour, .. } => Some(colour),
            Spent::Bye | Spent::Unplayed => None,
        };
        let colours: Vec<Colour> = entrant.rounds.iter().filter_map(had).collect();
        let gifts = entrant.rounds.iter().filter(|past| match past.spent {
            Spent::Game { .. } => false,
            Spent::Bye => true,
            Spent::Unplayed => past.points >= rules.win,
        });
        let last = self.played + 1 == rules.rounds;
        let half = i128::from(rules.win) * self.played as i128;
        Player {
            number: entrant.number,
            score: entrant.score,
            unplayed: (self.played - colours.len()) as u64,
            colours: Colours::new(colours),
            floats: [1, 2].map(|back| self.float(entrant, back, rules)),
            bye: gifts.count() == 0,
            top: last && i128::from(entrant.score) * 2 > half,
        }
    }

    /// The float of `back` rounds ago (articles 1.4.2 and 1.4.3).
    fn float(&self, entrant: &Entrant, back: usize, rules: &Rules) -> Option<Float> {
        let round = self.played.checked_sub(back)?;
        let past = entrant.rounds[round];
        match past.spent {
            Spent::Bye => Some(Float::Down),
            Spent::Unplayed => (past.points > rules.loss).then_some(Float::Down),
            Spent::Game { opponent, .. } => {
                let other = self.by_number.get(&opponent)?;
                let (own, theirs) = (before(entrant, round), before(other, round));
                match own.cmp(&theirs) {
                    std::cmp::Ordering::Greater => Some(Float::Down),
                    std::cmp::Ordering::Less => Some(Float::Up),
                    std::cmp::Ordering::Equal => None,
                }
            }
        }
    }
}

/// The score at the start of a round.
fn before(entrant: &Entrant, round: usize) -> i64 {
    let since: i64 = entrant.rounds[round..].iter().map(|past| past.points).sum();
    entrant.score - since
}
