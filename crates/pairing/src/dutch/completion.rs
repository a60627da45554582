//! Whether all remaining players can be paired (C4), and how low the score of the player without an opponent can be
//! (C5).

use super::field::Field;
use integer_blossom::max_weight_matching;

/// For how many players leaving a bracket is tried before a matching is computed.
const LEAVERS: usize = 8;

/// Who can have the bye, if somebody must have it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bye {
    /// The score of whoever gets it.
    pub(super) score: i64,
}

impl Bye {
    /// Whether a player can have it.
    pub(super) fn fits(self, field: &Field, player: usize) -> bool {
        let player = &field.players[player];
        player.bye && player.score == self.score
    }
}

/// Whether a player belongs to the current bracket, to the next one, or further down.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Layer {
    Here,
    Next,
    Below,
}

/// A player or the bye: what can be paired.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Seat {
    Player(usize),
    Bye,
}

impl Seat {
    /// Whether the two can be a pair.
    pub(super) fn meets(self, other: Self, field: &Field, bye: Option<Bye>) -> bool {
        match (self, other) {
            (Self::Player(i), Self::Player(j)) => field.may_meet(i, j),
            (Self::Player(i), Self::Bye) | (Self::Bye, Self::Player(i)) => {
                bye.is_some_and(|bye| bye.fits(field, i))
            }
            (Self::Bye, Self::Bye) => false,
        }
    }
}

/// The lowest score with which a player can have the bye so that all others can be paired. None if there is none.
pub(super) fn lowest_bye(field: &Field) -> Option<Bye> {
    let all: Vec<usize> = (0..field.players.len()).collect();
    let eligible = field.players.iter().rev().filter(|p| p.bye);
    let mut scores: Vec<i64> = eligible.map(|p| p.score).collect();
    scores.dedup();
    let byes = scores.into_iter().map(|score| Bye { score });
    byes.into_iter()
        .find(|&bye| completes(field, &all, Some(bye)))
}

/// Whether all of `players` can be paired, one of them with the bye if their number is odd.
pub(super) fn completes(field: &Field, players: &[usize], bye: Option<Bye>) -> bool {
    // The bye comes first, as few can have it.
    let odd = (players.len() % 2 == 1).then_some(Seat::Bye);
    let players = players.iter().copied().map(Seat::Player);
    let seats: Vec<Seat> = odd.into_iter().chain(players).collect();
    let meets = |i: usize, j: usize| seats[i].meets(seats[j], field, bye);
    perfect(seats.len(), &meets)
}

/// Whether the floaters can all be paired in the next bracket, with the fewest floaters possible from there (none, or
/// one with the lowest score), so that those below can still be paired: the best that C8 asks for.
pub(super) fn next_is_ideal(
    field: &Field,
    floaters: &[usize],
    next: &[usize],
    below: &[usize],
    bye: Option<Bye>,
) -> bool {
    let mut seats: Vec<(Seat, Layer)> = Vec::new();
    for (players, layer) in [
        (floaters, Layer::Here),
        (next, Layer::Next),
        (below, Layer::Below),
    ] {
        seats.extend(players.iter().map(|&p| (Seat::Player(p), layer)));
    }
    if seats.len() % 2 == 1 {
        seats.push((Seat::Bye, Layer::Below));
    }
    let cost = |i: usize, j: usize| {
        let ((one, upper), (other, lower)) = (seats[i], seats[j]);
        let cost = match (upper.min(lower), upper.max(lower)) {
            (Layer::Here, Layer::Here) => None,
            (Layer::Next, Layer::Below) => Some(1),
            (Layer::Here, Layer::Below) => Some(2),
            _ => Some(0),
        };
        cost.filter(|_| one.meets(other, field, bye))
    };
    // One player of an odd bracket has to leave it: probably one of the last can.
    let near = floaters.len() + next.len();
    let odd = near % 2;
    let leaves = |leaver: Option<usize>| {
        let stays: Vec<usize> = (0..near).filter(|&v| Some(v) != leaver).collect();
        let others: Vec<usize> = (near..seats.len()).rev().chain(leaver).collect();
        [stays, others].iter().all(|of| {
            let meets = |i: usize, j: usize| cost(of[i], of[j]).is_some();
            greedy(of.len(), &meets)
        })
    };
    let found = match odd {
        0 => leaves(None),
        _ => {
            let mut last = (floaters.len()..near).rev().take(LEAVERS);
            last.any(|v| leaves(Some(v)))
        }
    };
    if found {
        return true;
    }
    // If not even the bracket alone can be paired, those below need not be examined.
    let within = |i: usize, j: usize| cost(i, j).is_some();
    let alone = matching(near, &within)
        .iter()
        .filter(|m| m.is_none())
        .count();
    alone <= odd && cheapest(seats.len(), &cost).is_some_and(|total| total <= odd)
}

/// Whether all vertices can be paired.
pub(super) fn perfect(len: usize, meets: &dyn Fn(usize, usize) -> bool) -> bool {
    greedy(len, meets) || matching(len, meets).iter().all(Option::is_some)
}

/// Players left without an opponent if as many as possible are paired.
pub(super) fn left_over(field: &Field) -> Vec<usize> {
    let len = field.players.len();
    let mates = matching(len, &|i, j| field.may_meet(i, j));
    (0..len).filter(|&i| mates[i].is_none()).collect()
}

/// A matching with as many pairs as possible.
fn matching(len: usize, meets: &dyn Fn(usize, usize) -> bool) -> Vec<Option<usize>> {
    let mut weights = vec![0i32; len * len];
    for i in 0..len {
        for j in i + 1..len {
            weights[i * len + j] = i32::from(meets(i, j));
        }
    }
    max_weight_matching(&weights, len)
}

/// The least total cost of pairing all vertices, if they can all be paired.
fn cheapest(len: usize, cost: &dyn Fn(usize, usize) -> Option<usize>) -> Option<usize> {
    let enough = 2 * len as i64 + 1;
    let mut weights = vec![0i64; len * len];
    for i in 0..len {
        for j in i + 1..len {
            weights[i * len + j] = cost(i, j).map_or(0, |c| enough - c as i64);
        }
    }
    let mates = max_weight_matching(&weights, len);
    let pairs = mates.iter().enumerate();
    pairs
        .filter(|(i, mate)| mate.is_none_or(|j| *i < j))
        .map(|(i, mate)| mate.and_then(|j| cost(i, j)))
        .sum()
}

/// Pairs each player in turn with the first possible one, and repairs what is left over by changing one pair. Most
/// players may meet most others, so this nearly always finds that all can be paired, and quickly; if it fails that
/// proves nothing.
fn greedy(len: usize, meets: &dyn Fn(usize, usize) -> bool) -> bool {
    let mut mates: Vec<Option<usize>> = vec![None; len];
    for i in 0..len {
        if mates[i].is_none()
            && let Some(j) = (i + 1..len).find(|&j| mates[j].is_none() && meets(i, j))
        {
            mates[i] = Some(j);
            mates[j] = Some(i);
        }
    }
    while let Some(i) = (0..len).find(|&i| mates[i].is_none()) {
        let Some(j) = (i + 1..len).find(|&j| mates[j].is_none()) else {
            return false;
        };
        let crossed = (0..len).find_map(|a| {
            let b = mates[a]?;
            (meets(i, a) && meets(j, b)).then_some((a, b))
        });
        let Some((a, b)) = crossed else { return false };
        for (one, other) in [(i, a), (j, b)] {
            mates[one] = Some(other);
            mates[other] = Some(one);
        }
    }
    true
}
