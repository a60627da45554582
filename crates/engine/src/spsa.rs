//! Tuning by matches: simultaneous perturbation stochastic approximation (Spall 1992), as engines are tuned with it. All
//! parameters of the search are moved at once, each up or down by chance; the one half of these moves plays a pair of games
//! against the other, and all go a little towards the side that won. `docs/tuning.md` says how it is used.

use crate::random::Random;
use crate::search::parameters::SearchParameters;

/// How fast the distance of the two sides shrinks, and how fast the parameters follow (the exponents that Spall recommends).
const DISTANCE: f64 = 0.101;
const FOLLOWING: f64 = 0.602;
/// The part of all pairs by which the first steps are slowed down.
const SLOWED: f64 = 0.1;
/// How far chance alone moves a parameter in all, in its own steps, about.
const WANDERING: f64 = 0.7;

/// A tuning under way.
#[derive(Clone, Debug, PartialEq)]
pub struct Spsa {
    pairs: u64,
    seed: u64,
    values: Vec<f64>,
    done: u64,
}

impl Spsa {
    /// Begins with the usual parameters, for so many pairs of games.
    pub fn new(pairs: u64, seed: u64) -> Spsa {
        let usual = SearchParameters::default().list();
        Spsa {
            pairs: pairs.max(1),
            seed,
            values: usual.into_iter().map(f64::from).collect(),
            done: 0,
        }
    }

    /// How many pairs have been learned from.
    pub fn done(&self) -> u64 {
        self.done
    }

    /// The parameters that were reached.
    pub fn parameters(&self) -> SearchParameters {
        rounded(self.values.iter().copied())
    }

    /// The two sides that play the pair with a number.
    pub fn sides(&self, number: u64) -> [SearchParameters; 2] {
        let moves = self.moves(number);
        [1.0, -1.0].map(|sign| {
            let each = self.values.iter().zip(&moves);
            rounded(each.map(|(value, by)| value + sign * by))
        })
    }

    /// Learns from the next pair: what the first side scored more than the second, -2 to 2. Pairs are learned from in the order
    /// of their numbers, so what was reached follows from the results alone.
    pub fn learn(&mut self, result: f64) {
        let (number, pairs) = (self.done, self.pairs as f64);
        let slowed = (1.0 + SLOWED) * pairs / (SLOWED * pairs + number as f64 + 1.0);
        let follow = WANDERING / pairs.sqrt() * slowed.powf(FOLLOWING);
        let moves = self.moves(number);
        for ((value, by), p) in self.values.iter_mut().zip(moves).zip(SearchParameters::ALL) {
            let moved = *value + follow * result * by;
            *value = moved.clamp(p.least.into(), p.most.into());
        }
        self.done += 1;
    }

    /// How far each parameter is moved for a pair.
    fn moves(&self, number: u64) -> Vec<f64> {
        let seed = self.seed.wrapping_mul(1 << 32).wrapping_add(number);
        // Another sequence than that of the game's opening.
        let mut random = Random::new(!seed);
        let far = (self.pairs as f64 / (number as f64 + 1.0)).powf(DISTANCE);
        let all = SearchParameters::ALL.iter();
        all.map(|p| match random.below(2) {
            0 => f64::from(p.step) * far,
            _ => -f64::from(p.step) * far,
        })
        .collect()
    }
}

fn rounded(values: impl Iterator<Item = f64>) -> SearchParameters {
    let list: Vec<i32> = values.map(|value| value.round() as i32).collect();
    SearchParameters::of_list(&list)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How far parameters are from the best ones, in squares of steps.
    fn off(parameters: &SearchParameters, best: &[i32]) -> f64 {
        let each = parameters.list().into_iter().zip(best);
        each.zip(SearchParameters::ALL)
            .map(|((value, best), p)| (f64::from(value - best) / f64::from(p.step)).powi(2))
            .sum()
    }

    /// Pairs of games that are decided by chance, but sooner for the side nearer to the best parameters.
    fn tuned(pairs: u64, seed: u64, best: &[i32]) -> Spsa {
        let mut spsa = Spsa::new(pairs, seed);
        let mut random = Random::new(seed + 7);
        for number in 0..pairs {
            let [first, second] = spsa.sides(number);
            let elo = 3.0 * (off(&second, best) - off(&first, best));
            let chance = 1.0 / (1.0 + 10_f64.powf(-elo / 400.0));
            let mut game = || f64::from(u8::from(random.unit() < chance)) * 2.0 - 1.0;
            let result = game() + game();
            spsa.learn(result);
        }
        spsa
    }

    #[test]
    fn it_finds_the_side_that_wins() {
        let usual = SearchParameters::default();
        // Every second parameter is best three steps higher, as far as its bounds let it.
        let each = usual
            .list()
            .into_iter()
            .zip(SearchParameters::ALL)
            .enumerate();
        let best: Vec<i32> = each
            .map(|(i, (value, p))| match i % 2 {
                0 => (value + 3 * p.step).min(p.most),
                _ => value,
            })
            .collect();
        let before = off(&usual, &best);
        for seed in 1..4 {
            let spsa = tuned(20_000, seed, &best);
            let after = off(&spsa.parameters(), &best);
            assert!(after < before / 3.0, "{before} {after}");
            assert_eq!(spsa.done(), 20_000);
        }
    }

    #[test]
    fn it_stays_in_its_bounds() {
        for sign in [2.0, -2.0] {
            let mut spsa = Spsa::new(300, 1);
            for _ in 0..300 {
                spsa.learn(sign);
            }
            for (value, p) in spsa.values.iter().zip(SearchParameters::ALL) {
                assert!((f64::from(p.least)..=f64::from(p.most)).contains(value));
            }
            assert_ne!(spsa.parameters(), SearchParameters::default());
        }
    }

    #[test]
    fn both_sides_move_apart_from_where_it_is() {
        let spsa = Spsa::new(1000, 3);
        let [first, second] = spsa.sides(999);
        let middle = SearchParameters::default().list();
        let each = first.list().into_iter().zip(second.list()).zip(middle);
        for (((a, b), middle), p) in each.zip(SearchParameters::ALL) {
            assert_eq!(
                ((a - b).abs(), a + b),
                (2 * p.step, 2 * middle),
                "{}",
                p.name
            );
        }
        assert_ne!(spsa.sides(0), spsa.sides(1));
        // Farther apart at the beginning.
        let far = spsa.sides(0);
        assert!((far[0].window - far[1].window).abs() > (first.window - second.window).abs());
    }
}
