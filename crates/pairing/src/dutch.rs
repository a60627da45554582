//! Swiss pairing by the Dutch rules: FIDE Handbook C.04.3 as applied from 1 February 2026, with the basic rules C.04.1
//! and the general handling rules C.04.2 of the same day. Article numbers in comments are those of C.04.3, C1 to C21
//! its criteria.

mod bracket;
mod colours;
mod completion;
mod field;
mod ladder;
mod order;
#[cfg(test)]
mod tests;

use crate::{Entrant, PairingError, Round, Rules};
use bracket::Bracket;
use completion::{completes, left_over, lowest_bye};
use field::Field;
use std::cmp::Reverse;

/// Pairs the next round of a Swiss tournament.
///
/// Those who are not [here](Entrant::here) are not paired. The order of the entrants does not matter.
///
/// # Errors
///
/// If the given earlier rounds are impossible, if there are too many entrants, or if the rules allow no pairing, which
/// the handbook leaves to the arbiter.
///
/// ```
/// use pairing::{Entrant, Rules, dutch};
///
/// let entrant = |number| Entrant { number, score: 0, here: true, rounds: vec![] };
/// let round = dutch(&[1, 2, 3, 4, 5].map(entrant), &Rules::default())?;
/// assert_eq!(round.games, [(1, 3), (4, 2)]);
/// assert_eq!(round.bye, Some(5));
/// # Ok::<(), pairing::PairingError>(())
/// ```
pub fn dutch(entrants: &[Entrant], rules: &Rules) -> Result<Round, PairingError> {
    let field = Field::new(entrants, rules)?;
    let (pairs, bye) = pairs(&field)?;
    let mut boards: Vec<(usize, usize)> =
        pairs.iter().map(|&(i, j)| (i.min(j), i.max(j))).collect();
    // C.04.2, 3.6: score of the higher one, sum of scores, number of the higher one.
    let key = |&(i, j): &(usize, usize)| {
        let (higher, lower) = (&field.players[i], &field.players[j]);
        let sum = higher.score + lower.score;
        (Reverse((higher.score, sum)), higher.number)
    };
    boards.sort_by_key(key);
    let number = |i: usize| field.players[i].number;
    let coloured = |&(i, j): &(usize, usize)| {
        let (white, black) = field.coloured(i, j, rules);
        (number(white), number(black))
    };
    Ok(Round {
        games: boards.iter().map(coloured).collect(),
        bye: bye.map(number),
    })
}

/// A pair, as positions in the order.
type Pair = (usize, usize);

/// The pairs, bracket by bracket from the top (article 1.9), and the player who has the bye.
fn pairs(field: &Field) -> Result<(Vec<Pair>, Option<usize>), PairingError> {
    let all: Vec<usize> = (0..field.players.len()).collect();
    let number = |i: usize| field.players[i].number;
    let impossible = || PairingError::Impossible {
        left: left_over(field).into_iter().map(number).collect(),
    };
    let bye = if all.len() % 2 == 1 {
        Some(lowest_bye(field).ok_or_else(impossible)?)
    } else if completes(field, &all, None) {
        None
    } else {
        return Err(impossible());
    };
    let groups: Vec<&[usize]> = all
        .chunk_by(|&i, &j| field.players[i].score == field.players[j].score)
        .collect();
    let mut pairs = Vec::with_capacity(all.len() / 2);
    let mut floaters: Vec<usize> = Vec::new();
    let mut begin = 0;
    for (place, residents) in groups.iter().enumerate() {
        begin += residents.len();
        let next = groups.get(place + 1).copied().unwrap_or_default();
        let here = [&floaters, *residents].concat();
        let bracket = Bracket {
            field,
            here: &here,
            moved: floaters.len(),
            next,
            below: &all[begin + next.len()..],
            bye,
        };
        let paired = bracket.pair().map_err(|_| PairingError::Tangled)?;
        pairs.extend(paired.pairs);
        floaters = paired.floaters;
    }
    match (floaters.as_slice(), bye) {
        ([], None) => Ok((pairs, None)),
        ([one], Some(_)) => Ok((pairs, Some(*one))),
        _ => Err(impossible()),
    }
}
