//! Matchings that are best by one wish, then among those by the next, and so on: what the criteria of a pairing ask
//! for.
//!
//! A maximum weight matching knows one weight per pair, so wishes become digits of one number. A digit can be narrower
//! once it is known how well its wish can be met: if the least cost is `v`, the radix `v + 1` is enough to tell the
//! best matchings from all others, since no matching is better and a worse one costs at least one more than the lower
//! digits of the best can add up to. Most criteria can be met in full; then `v` is 0 and the digit takes no room at
//! all. So wishes are settled a handful at a time, each time with as many new digits as there is room for, and any
//! number of them is settled exactly in 128 bits.

use integer_blossom::max_weight_matching;

/// The pair is impossible.
const NEVER: i128 = -1;

/// Weights stay below this: the matching doubles them and adds three of them.
const ROOM: i128 = 1 << 120;

/// Hints are below this.
pub(super) const HINT: u64 = 1 << 12;

/// Something to keep low: a cost for each pair, and for each vertex that is in none.
pub(super) struct Wish<'a> {
    pub(super) pair: Box<dyn Fn(usize, usize) -> u64 + 'a>,
    pub(super) alone: Box<dyn Fn(usize) -> u64 + 'a>,
    /// An upper bound of the sum of a matching's costs.
    pub(super) most: u64,
    /// A lower bound of that sum. If it is reached, there is nothing more to look for.
    pub(super) least: u64,
}

/// The costs of what is settled do not fit into 128 bits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Crowded;

/// A graph, and its matchings that meet all wishes settled so far as well as possible.
#[derive(Clone)]
pub(super) struct Ladder {
    len: usize,
    /// Costs of what is settled, by the lower and the higher vertex of a pair.
    cost: Vec<i128>,
    alone: Vec<i128>,
    /// Vertices that are neither joined nor left out.
    live: Vec<bool>,
    /// What the live part of each best matching costs.
    budget: i128,
    /// One of the best matchings.
    mates: Vec<Option<usize>>,
}

impl Ladder {
    /// Vertices that can be paired where `possible` says so (the lower one first), with an initial matching.
    pub(super) fn new(
        len: usize,
        possible: impl Fn(usize, usize) -> bool,
        mates: Vec<Option<usize>>,
    ) -> Self {
        let mut cost = vec![NEVER; len * len];
        for i in 0..len {
            for j in i + 1..len {
                if possible(i, j) {
                    cost[i * len + j] = 0;
                }
            }
        }
        Self {
            len,
            cost,
            alone: vec![0; len],
            live: vec![true; len],
            budget: 0,
            mates,
        }
    }

    /// The vertex's mate in one of the best matchings.
    pub(super) fn mate(&self, vertex: usize) -> Option<usize> {
        self.mates[vertex]
    }

    /// Whether the two can still be paired in a best matching, as far as is known.
    pub(super) fn possible(&self, i: usize, j: usize) -> bool {
        self.live[i] && self.live[j] && self.cost[i * self.len + j] != NEVER
    }

    /// Rules the pair out. The known matching must not contain it.
    pub(super) fn forbid(&mut self, i: usize, j: usize) {
        debug_assert!(!self.live[i] || self.mates[i] != Some(j));
        self.cost[i * self.len + j] = NEVER;
    }

    /// Fixes a pair of the known matching for good.
    pub(super) fn join(&mut self, i: usize, j: usize) {
        debug_assert_eq!(self.mates[i], Some(j));
        self.live[i] = false;
        self.live[j] = false;
        let cost = self.cost[i * self.len + j];
        self.spend(cost);
    }

    /// Keeps a vertex, which is in a pair of the known matching, in some pair.
    pub(super) fn keep(&mut self, vertex: usize) {
        debug_assert_ne!(self.mates[vertex], None);
        self.alone[vertex] = self.budget + 1;
    }

    fn spend(&mut self, cost: i128) {
        if cost > 0 {
            self.budget -= cost;
            self.prune();
        }
    }

    /// Settles wishes, the most important first. Among matchings that are equal by all of them, one with a low sum of
    /// `hint` is preferred as the known one, which saves a search later.
    pub(super) fn settle(
        &mut self,
        wishes: &[Wish<'_>],
        hint: &dyn Fn(usize, usize) -> u64,
    ) -> Result<(), Crowded> {
        let mut wishes = wishes;
        while let [first, rest @ ..] = wishes {
            if first.most == 0 {
                wishes = rest;
                continue;
            }
            let value = self.value(first);
            debug_assert!(value >= first.least && value <= first.most);
            if value == first.least {
                self.absorb(first, value)?;
                wishes = rest;
                continue;
            }
            let count = self.fitting(wishes);
            if count == 0 {
                return Err(Crowded);
            }
            let (now, later) = wishes.split_at(count);
            self.look(now, hint);
            for wish in now {
                self.absorb(wish, self.value(wish))?;
            }
            wishes = later;
        }
        Ok(())
    }

    /// How much can be added to the weights: the radix of a further digit divides it, and 0 is too little.
    pub(super) fn room(&self) -> i128 {
        let hints = i128::from(HINT) * (self.len as i128);
        ROOM / (2 * (self.budget + 2) * hints)
    }

    /// How many of the wishes fit into the weights besides what is settled.
    fn fitting(&self, wishes: &[Wish<'_>]) -> usize {
        let mut room = self.room();
        let fits = |wish: &&Wish<'_>| {
            room /= i128::from(wish.most) + 1;
            room > 0
        };
        wishes.iter().take_while(fits).count()
    }

    /// The cost of the known matching, by one wish.
    pub(super) fn value(&self, wish: &Wish<'_>) -> u64 {
        let of = |vertex: usize| match self.mates[vertex] {
            Some(mate) if mate > vertex => (wish.pair)(vertex, mate),
            Some(_) => 0,
            None => (wish.alone)(vertex),
        };
        (0..self.len).filter(|&v| self.live[v]).map(of).sum()
    }

    /// Makes a wish, whose best value is known, a digit of the costs, and rules out pairs too expensive for the best.
    fn absorb(&mut self, wish: &Wish<'_>, value: u64) -> Result<(), Crowded> {
        let radix = i128::from(value) + 1;
        if self.room() / radix == 0 {
            return Err(Crowded);
        }
        self.budget = self.budget * radix + i128::from(value);
        for i in (0..self.len).filter(|&i| self.live[i]) {
            let cost = self.alone[i] * radix + i128::from((wish.alone)(i));
            self.alone[i] = cost.min(self.budget + 1);
            for j in (i + 1..self.len).filter(|&j| self.live[j]) {
                let cell = &mut self.cost[i * self.len + j];
                if *cell != NEVER {
                    let cost = *cell * radix + i128::from((wish.pair)(i, j));
                    *cell = if cost > self.budget { NEVER } else { cost };
                }
            }
        }
        Ok(())
    }

    fn prune(&mut self) {
        for i in (0..self.len).filter(|&i| self.live[i]) {
            self.alone[i] = self.alone[i].min(self.budget + 1);
            for cell in &mut self.cost[i * self.len + i + 1..(i + 1) * self.len] {
                if *cell > self.budget {
                    *cell = NEVER;
                }
            }
        }
    }

    /// Takes over the known matching of another graph, which has no more pairs than this one.
    pub(super) fn adopt(&mut self, other: &Self) {
        self.mates.clone_from(&other.mates);
    }

    /// Number of vertices.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Finds a matching that is best by what is settled, then by the wishes, then by the hint.
    pub(super) fn look(&mut self, wishes: &[Wish<'_>], hint: &dyn Fn(usize, usize) -> u64) {
        let live: Vec<usize> = (0..self.len).filter(|&v| self.live[v]).collect();
        let alone: Vec<i128> = live
            .iter()
            .map(|&v| {
                let digit = |cost: i128, wish: &Wish<'_>| {
                    cost * (i128::from(wish.most) + 1) + i128::from((wish.alone)(v))
                };
                wishes.iter().fold(self.alone[v], digit)
            })
            .collect();
        let hints = i128::from(HINT) * (self.len as i128);
        let size = live.len();
        let mut weights = vec![0i128; size * size];
        for (a, &i) in live.iter().enumerate() {
            for (b, &j) in live.iter().enumerate().skip(a + 1) {
                let cost = self.cost[i * self.len + j];
                if cost == NEVER {
                    continue;
                }
                let digit = |cost: i128, wish: &Wish<'_>| {
                    cost * (i128::from(wish.most) + 1) + i128::from((wish.pair)(i, j))
                };
                // What a pair saves compared with leaving both unpaired.
                let saved = alone[a] + alone[b] - wishes.iter().fold(cost, digit);
                if saved > 0 {
                    weights[a * size + b] = saved * hints - i128::from(hint(i, j).min(HINT - 1));
                }
            }
        }
        for (&v, mate) in live.iter().zip(max_weight_matching(&weights, size)) {
            self.mates[v] = mate.map(|m| live[m]);
        }
        debug_assert_eq!(self.cost_of_known(), self.budget);
    }

    fn cost_of_known(&self) -> i128 {
        let of = |vertex: usize| match self.mates[vertex] {
            Some(mate) if mate > vertex => self.cost[vertex * self.len + mate],
            Some(_) => 0,
            None => self.alone[vertex],
        };
        (0..self.len).filter(|&v| self.live[v]).map(of).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The costs of the best matching, found by trying all of them.
    fn slow(len: usize, possible: &[bool], wishes: &[Wish<'_>]) -> Vec<u64> {
        fn all(
            len: usize,
            possible: &[bool],
            mates: &mut Vec<Option<usize>>,
            seen: &mut dyn FnMut(&[Option<usize>]),
            from: usize,
        ) {
            let Some(i) = (from..len).find(|&i| mates[i].is_none()) else {
                seen(mates);
                return;
            };
            // Left alone, or with each later one.
            all(len, possible, mates, seen, i + 1);
            for j in i + 1..len {
                if mates[j].is_none() && possible[i * len + j] {
                    mates[i] = Some(j);
                    mates[j] = Some(i);
                    all(len, possible, mates, seen, i + 1);
                    mates[i] = None;
                    mates[j] = None;
                }
            }
        }
        let mut best: Option<Vec<u64>> = None;
        let mut seen = |mates: &[Option<usize>]| {
            let value = |wish: &Wish<'_>| -> u64 {
                let of = |i: usize| match mates[i] {
                    Some(j) if j > i => (wish.pair)(i, j),
                    Some(_) => 0,
                    None => (wish.alone)(i),
                };
                (0..len).map(of).sum()
            };
            let values: Vec<u64> = wishes.iter().map(value).collect();
            if best.as_ref().is_none_or(|best| values < *best) {
                best = Some(values);
            }
        };
        all(len, possible, &mut vec![None; len], &mut seen, 0);
        best.unwrap_or_default()
    }

    #[test]
    fn the_best_is_found_as_by_trying_all() -> Result<(), Box<dyn std::error::Error>> {
        let mut seed = 99u64;
        let mut dice = move |below: u64| {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            seed % below
        };
        for round in 0..400 {
            let len = 2 + dice(7) as usize;
            let density = 1 + dice(4);
            let possible: Vec<bool> = (0..len * len).map(|_| dice(4) < density).collect();
            // Up to a dozen wishes, some of which need more room than 128 bits offer at once.
            let size = [2, 3, 50, 1 << 30][dice(4) as usize];
            let tables: Vec<(Vec<u64>, Vec<u64>)> = (0..1 + dice(12))
                .map(|_| {
                    let pairs = (0..len * len).map(|_| dice(size)).collect();
                    (pairs, (0..len).map(|_| dice(size)).collect())
                })
                .collect();
            let wishes: Vec<Wish<'_>> = tables
                .iter()
                .map(|(pairs, alone)| Wish {
                    pair: Box::new(move |i, j| pairs[i * len + j]),
                    alone: Box::new(move |i| alone[i]),
                    most: size * len as u64,
                    least: 0,
                })
                .collect();
            let mut ladder = Ladder::new(len, |i, j| possible[i * len + j], vec![None; len]);
            if ladder.settle(&wishes, &|i, j| (i * j) as u64).is_err() {
                assert!(size > 50, "{round}: crowded");
                continue;
            }
            let found: Vec<u64> = wishes.iter().map(|wish| ladder.value(wish)).collect();
            assert_eq!(found, slow(len, &possible, &wishes), "{round}");
        }
        Ok(())
    }
}
