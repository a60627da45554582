//! The Balanced Vote of the South Region (`games/strike80/rules.md` tells its story): each voter has one tick and one
//! cross, for and against are counted and declared for each candidate, and the greatest net wins.

use serde::{Deserialize, Serialize};

/// Least and most candidates of a vote.
pub const CANDIDATES: [usize; 2] = [2, 20];

/// What a voter has marked: both, either or neither.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Ballot {
    /// Number of the candidate who has the tick, from 0.
    pub tick: Option<usize>,
    /// Number of the candidate who has the cross.
    pub cross: Option<usize>,
}

/// Why a ballot is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BallotError {
    /// There is no such candidate.
    #[error("{mark}: candidate {number}, expected 0 to {last}")]
    Candidate {
        /// `tick` or `cross`.
        mark: &'static str,
        /// What was marked.
        number: usize,
        /// The last candidate.
        last: usize,
    },
    /// Tick and cross for one candidate cancel each other.
    #[error("tick and cross are for the same candidate; expected two candidates, or one mark")]
    Same,
}

impl Ballot {
    /// A ballot for a number of candidates.
    pub fn new(
        tick: Option<usize>,
        cross: Option<usize>,
        candidates: usize,
    ) -> Result<Ballot, BallotError> {
        for (mark, number) in [("tick", tick), ("cross", cross)] {
            if let Some(number) = number.filter(|n| *n >= candidates) {
                return Err(BallotError::Candidate {
                    mark,
                    number,
                    last: candidates.saturating_sub(1),
                });
            }
        }
        match tick.is_some() && tick == cross {
            true => Err(BallotError::Same),
            false => Ok(Ballot { tick, cross }),
        }
    }
}

/// What was counted for a candidate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Count {
    /// Ticks.
    pub ticks: u64,
    /// Crosses.
    pub crosses: u64,
}

impl Count {
    /// Ticks less crosses.
    pub fn net(&self) -> i64 {
        self.ticks as i64 - self.crosses as i64
    }
}

/// The declared result of a closed vote.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Declared {
    /// Number of voters, including those who marked nobody.
    pub voters: u64,
    /// Each candidate's count, in the order of the candidates.
    pub counts: Vec<Count>,
}

impl Declared {
    /// Counts ballots, each as often as it was given. Marks for candidates that do not exist count for nobody.
    pub fn of(candidates: usize, ballots: impl IntoIterator<Item = (Ballot, u64)>) -> Declared {
        let mut declared = Declared {
            voters: 0,
            counts: vec![Count::default(); candidates],
        };
        for (ballot, times) in ballots {
            declared.voters += times;
            if let Some(count) = ballot.tick.and_then(|n| declared.counts.get_mut(n)) {
                count.ticks += times;
            }
            if let Some(count) = ballot.cross.and_then(|n| declared.counts.get_mut(n)) {
                count.crosses += times;
            }
        }
        declared
    }

    /// The candidates with the greatest net, even if it is negative: several in a tie, none if nobody has voted.
    pub fn winners(&self) -> Vec<usize> {
        let best = self.counts.iter().map(Count::net).max();
        let won = |(n, count): (usize, &Count)| (Some(count.net()) == best).then_some(n);
        match self.voters {
            0 => Vec::new(),
            _ => self.counts.iter().enumerate().filter_map(won).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ballot(tick: Option<usize>, cross: Option<usize>) -> Ballot {
        Ballot { tick, cross }
    }

    #[test]
    fn the_greatest_net_wins_and_not_the_most_ticks() {
        // Eight like the first best and seven cannot bear it; the second is nobody's enemy.
        let ballots = [
            (ballot(Some(0), Some(2)), 8),
            (ballot(Some(1), Some(0)), 7),
            (ballot(Some(2), None), 2),
        ];
        let declared = Declared::of(3, ballots);
        assert_eq!(declared.voters, 17);
        let nets: Vec<i64> = declared.counts.iter().map(Count::net).collect();
        assert_eq!(nets, [1, 7, -6]);
        assert_eq!(declared.winners(), [1]);
    }

    #[test]
    fn the_least_bad_wins_and_ties_are_ties() {
        let all_against = [
            (ballot(None, Some(0)), 3),
            (ballot(None, Some(1)), 2),
            (ballot(None, Some(2)), 2),
        ];
        assert_eq!(Declared::of(3, all_against).winners(), [1, 2]);
        // A voter who marks nobody has voted too: all are equal.
        let declared = Declared::of(2, [(Ballot::default(), 1)]);
        assert_eq!((declared.voters, declared.winners()), (1, vec![0, 1]));
        assert!(Declared::of(2, []).winners().is_empty(), "nobody has voted");
    }

    #[test]
    fn a_ballot_has_one_of_each_for_two_candidates() {
        assert_eq!(
            Ballot::new(None, None, 2),
            Ok(Ballot::default()),
            "neither is allowed"
        );
        assert!(Ballot::new(Some(0), Some(1), 2).is_ok());
        assert!(Ballot::new(None, Some(1), 2).is_ok());
        assert_eq!(Ballot::new(Some(1), Some(1), 2), Err(BallotError::Same));
        let error = Ballot::new(Some(0), Some(2), 2);
        let error = error.map_err(|e| e.to_string());
        assert_eq!(error, Err("cross: candidate 2, expected 0 to 1".to_owned()));
    }
}
