//! Pairing of players waiting in an arena: as many as possible, near in rank, nobody against the last opponent again,
//! fair colours, and those who have waited longest are not left over.

use integer_blossom::max_weight_matching;
use std::cmp::Reverse;
use std::collections::HashSet;

/// How many are paired at once. Larger numbers are cut into groups of this size by rank, so that the time grows
/// linearly instead of with the cube; since near ranks meet, only players next to a cut could be paired differently
/// without it.
pub const MAX_TOGETHER: usize = 48;

/// Colour imbalances beyond this count as this much.
const WORST_BALANCE: i64 = 4;

/// A player waiting for an opponent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// Identifies the player.
    pub number: u32,
    /// What the arena ranks by: score or rating, higher is better.
    pub rank: i64,
    /// Players not to be met again at once: the last opponent.
    pub recent: Vec<u32>,
    /// Games with White less games with Black.
    pub balance: i32,
    /// Since when, by any clock: a lower value means a longer wait.
    pub since: u64,
}

/// Pairs of waiting players, White first. A player in no pair keeps waiting: the one who came last, if the number is
/// odd. While others are still `playing`, nobody is paired with a recent opponent: somebody else will come. If nobody
/// is playing, and all who are left have just met, they play again.
///
/// ```
/// use pairing::{Waiting, arena};
///
/// let waits = |number, rank, last: &[u32]| Waiting { number, rank, recent: last.into(), balance: 0, since: 0 };
/// let four = [waits(1, 2400, &[2]), waits(2, 2300, &[1]), waits(3, 1900, &[4]), waits(4, 1800, &[3])];
/// let pairs = arena(&four, 10);
/// assert_eq!(pairs.len(), 2);
/// assert!(!pairs.contains(&(1, 2)) && !pairs.contains(&(2, 1)));
/// assert_eq!(arena(&four[..2], 10), []);
/// assert_eq!(arena(&four[..2], 0).len(), 1);
/// ```
pub fn arena(waiting: &[Waiting], playing: usize) -> Vec<(u32, u32)> {
    let mut seen = HashSet::new();
    let mut queue: Vec<&Waiting> = waiting.iter().filter(|w| seen.insert(w.number)).collect();
    queue.sort_by_key(|w| (Reverse(w.rank), w.number));
    if queue.len() > MAX_TOGETHER && queue.len() % 2 == 1 {
        let last = (0..queue.len()).max_by_key(|&i| (queue[i].since, i));
        last.map(|i| queue.remove(i));
    }
    let pairs = paired(&queue, Again::No);
    if pairs.is_empty() && playing == 0 {
        return paired(&queue, Again::Yes);
    }
    pairs
}

/// Whether recent opponents may meet again.
#[derive(Clone, Copy, PartialEq)]
enum Again {
    Yes,
    No,
}

/// Group by group from the top. Players left over in one belong to the next.
fn paired(queue: &[&Waiting], again: Again) -> Vec<(u32, u32)> {
    let mut pairs = Vec::with_capacity(queue.len() / 2);
    let mut group: Vec<&Waiting> = Vec::with_capacity(MAX_TOGETHER);
    let mut rest = queue.iter().copied();
    loop {
        let before = group.len();
        group.extend(
            rest.by_ref()
                .take(MAX_TOGETHER.saturating_sub(before).max(2)),
        );
        if group.len() == before {
            return pairs;
        }
        let mates = matched(&group, again);
        let both = |(i, mate): (usize, &Option<usize>)| mate.filter(|&j| i < j).map(|j| (i, j));
        let of = mates.iter().enumerate().filter_map(both);
        pairs.extend(of.map(|(i, j)| coloured(group[i], group[j])));
        let mut mates = mates.iter();
        group.retain(|_| mates.next().is_some_and(Option::is_none));
    }
}

/// The best pairs of one group: most pairs, then those who have waited longest, then nearness and colours.
fn matched(group: &[&Waiting], again: Again) -> Vec<Option<usize>> {
    if group.len().is_multiple_of(2) {
        // If all find an opponent it does not matter who waited longest: smaller weights take a tenth of the time.
        let mates = best(group, again, &vec![0; group.len()]);
        if mates.iter().all(Option::is_some) {
            return mates;
        }
    }
    let mut by_time: Vec<usize> = (0..group.len()).collect();
    by_time.sort_by_key(|&i| (Reverse(group[i].since), Reverse(i)));
    let mut patience = vec![0; group.len()];
    for (place, &i) in by_time.iter().enumerate() {
        patience[i] = place as i64;
    }
    best(group, again, &patience)
}

/// Most pairs, then most patience in them, then nearness and colours.
fn best(group: &[&Waiting], again: Again, patience: &[i64]) -> Vec<Option<usize>> {
    let n = group.len();
    // Each of the three wishes outweighs all that the later ones can add up to.
    let size = n as i64;
    let nearness = size * size + 2 * WORST_BALANCE * WORST_BALANCE;
    let wait = nearness * size;
    let pair = wait * size * size;
    let mut weights = vec![0i64; n * n];
    for i in 0..n {
        for j in i + 1..n {
            let (one, other) = (group[i], group[j]);
            if again == Again::No && one.met(other) {
                continue;
            }
            let distance = (j - i) as i64;
            let cost = distance * distance + 2 * one.clash(other);
            let waited = patience[i] + patience[j];
            weights[i * n + j] = pair + wait * waited + nearness - cost;
        }
    }
    max_weight_matching(&weights, n)
}

impl Waiting {
    fn met(&self, other: &Self) -> bool {
        self.recent.contains(&other.number) || other.recent.contains(&self.number)
    }

    /// How far colours stay out of balance for one of the two, squared.
    fn clash(&self, other: &Self) -> i64 {
        let (one, other) = (i64::from(self.balance), i64::from(other.balance));
        let both = if one.signum() == other.signum() {
            one.abs().min(other.abs()).min(WORST_BALANCE)
        } else {
            0
        };
        both * both
    }
}

/// White for the player who had it less often; between equals, for the lower ranked one.
fn coloured(higher: &Waiting, lower: &Waiting) -> (u32, u32) {
    if higher.balance < lower.balance {
        (higher.number, lower.number)
    } else {
        (lower.number, higher.number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Instant;

    fn waits(number: u32, rank: i64) -> Waiting {
        Waiting {
            number,
            rank,
            recent: Vec::new(),
            balance: 0,
            since: 0,
        }
    }

    fn sorted(pairs: Vec<(u32, u32)>) -> Vec<(u32, u32)> {
        let mut pairs: Vec<_> = pairs.iter().map(|&(a, b)| (a.min(b), a.max(b))).collect();
        pairs.sort_unstable();
        pairs
    }

    #[test]
    fn near_ranks_meet() {
        let four: Vec<_> = (1..=4).map(|n| waits(n, i64::from(n) * 100)).collect();
        assert_eq!(sorted(arena(&four, 0)), [(1, 2), (3, 4)]);
        assert_eq!(arena(&[], 0), []);
        assert_eq!(arena(&four[..1], 0), []);
        assert_eq!(arena(&[four[0].clone(), four[0].clone()], 0), []);
    }

    #[test]
    fn who_came_last_is_left_over() {
        for late in 0..5 {
            let mut five: Vec<_> = (0..5).map(|n| waits(n, i64::from(n))).collect();
            five[late].since = 9;
            let pairs = arena(&five, 0);
            assert_eq!(pairs.len(), 2);
            let there = |&(a, b): &(u32, u32)| a == late as u32 || b == late as u32;
            assert!(!pairs.iter().any(there), "{late}: {pairs:?}");
        }
    }

    #[test]
    fn last_opponents_meet_again_only_if_nobody_else_will_come() {
        let mut three: Vec<_> = (1..=3).map(|n| waits(n, 0)).collect();
        three[0].recent = vec![2];
        three[1].recent = vec![1];
        three[2].since = 5;
        // The player who came last plays all the same.
        let pairs = arena(&three, 0);
        assert_eq!(pairs.len(), 1);
        assert!(pairs[0].0 == 3 || pairs[0].1 == 3);
        assert_eq!(arena(&three[..2], 1), []);
        assert_eq!(sorted(arena(&three[..2], 0)), [(1, 2)]);
    }

    #[test]
    fn colours_even_out() {
        let mut four: Vec<_> = (1..=4).map(|n| waits(n, 100 - i64::from(n))).collect();
        for (one, balance) in four.iter_mut().zip([3, 3, -3, -3]) {
            one.balance = balance;
        }
        let pairs = arena(&four, 0);
        assert!(
            pairs.iter().all(|&(white, black)| white > 2 && black < 3),
            "{pairs:?}"
        );
    }

    /// Everybody who can be is paired, and nobody twice.
    #[test]
    fn a_whole_arena_is_paired_in_good_time() {
        let mut seed = 7u64;
        let mut random = |below: u64| {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            seed % below
        };
        for n in [63u32, 64, 65, 66, 127, 129, 499, 500] {
            let one = |number| Waiting {
                rank: random(3000) as i64,
                recent: vec![number ^ 1],
                balance: random(7) as i32 - 3,
                since: random(60),
                ..waits(number, 0)
            };
            let hall: Vec<Waiting> = (0..n).map(one).collect();
            let began = Instant::now();
            let pairs = arena(&hall, 0);
            let took = began.elapsed();
            let busy: HashSet<u32> = pairs.iter().flat_map(|&(a, b)| [a, b]).collect();
            assert_eq!(pairs.len(), n as usize / 2);
            assert_eq!(busy.len(), pairs.len() * 2);
            assert!(pairs.iter().all(|&(a, b)| a ^ 1 != b));
            assert!(took.as_millis() < 500, "{n}: {took:?}");
            println!("{n} waiting: {took:?}");
        }
    }
}
