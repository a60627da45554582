//! The statistics of a match: Elo difference with its error, likelihood of superiority, and the sequential probability
//! ratio test. All of them use pairs of games with the same opening and both colours, whose spread is smaller than
//! that of single games.

/// Wins, draws and losses of the first engine, and the scores of pairs in half-points, 0 to 4.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    pub wins: u32,
    pub draws: u32,
    pub losses: u32,
    pub pairs: [u32; 5],
}

/// A test of two hypotheses about the Elo difference.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sprt {
    pub low: f64,
    pub high: f64,
    /// Probabilities of an error of either kind.
    pub alpha: f64,
    pub beta: f64,
}

/// What a test has found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The difference is at least the higher one.
    Higher,
    /// The difference is at most the lower one.
    Lower,
    /// Not enough games yet.
    Open,
}

/// Expected score of an Elo difference.
fn expected(elo: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-elo / 400.0))
}

/// Elo difference of a score.
fn elo(score: f64) -> f64 {
    -400.0 * (1.0 / score.clamp(1e-6, 1.0 - 1e-6) - 1.0).log10()
}

/// The area below the normal curve up to `x` (Abramowitz and Stegun 26.2.17).
fn normal(x: f64) -> f64 {
    let t = 1.0 / (1.0 + 0.231_641_9 * x.abs());
    let series = [
        0.319_381_530,
        -0.356_563_782,
        1.781_477_937,
        -1.821_255_978,
        1.330_274_429,
    ];
    let sum = series.iter().rev().fold(0.0, |sum, c| (sum + c) * t);
    let tail = (-x * x / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt() * sum;
    if x >= 0.0 { 1.0 - tail } else { tail }
}

impl Tally {
    /// From the scores of pairs alone: one win in a pair that is even counts as two draws.
    pub fn of_pairs(pairs: [u32; 5]) -> Tally {
        Tally {
            wins: pairs[3] + 2 * pairs[4],
            draws: 2 * pairs[2] + pairs[1] + pairs[3],
            losses: pairs[1] + 2 * pairs[0],
            pairs,
        }
    }

    pub fn games(&self) -> u32 {
        self.wins + self.draws + self.losses
    }

    /// Score of the first engine, 0 to 1.
    pub fn score(&self) -> f64 {
        let points = f64::from(self.wins) + f64::from(self.draws) / 2.0;
        points / f64::from(self.games().max(1))
    }

    fn pair_count(&self) -> f64 {
        self.pairs.iter().map(|&n| f64::from(n)).sum()
    }

    /// Mean and variance of a pair's score, each pair counting 0 to 1. A little of every result is assumed in advance,
    /// so that a few equal results do not pass for certainty.
    fn pair_moments(&self) -> (f64, f64) {
        const PRIOR: f64 = 0.1;
        let weight = |i: usize| f64::from(self.pairs[i]) + PRIOR;
        let total: f64 = (0..5).map(weight).sum();
        let value = |i: usize| i as f64 / 4.0;
        let mean = (0..5).map(|i| weight(i) * value(i)).sum::<f64>() / total;
        let spread = |i: usize| weight(i) * (value(i) - mean).powi(2);
        (mean, (0..5).map(spread).sum::<f64>() / total)
    }

    /// Elo difference with the bounds of its 95% interval.
    pub fn elo(&self) -> (f64, f64, f64) {
        let score = self.score();
        let (_, variance) = self.pair_moments();
        let error = 1.96 * (variance / self.pair_count().max(1.0)).sqrt();
        (elo(score), elo(score - error), elo(score + error))
    }

    /// The probability that the first engine is the stronger one.
    pub fn superiority(&self) -> f64 {
        let (mean, variance) = self.pair_moments();
        let error = (variance / self.pair_count().max(1.0)).sqrt();
        normal((mean - 0.5) / error.max(1e-9))
    }

    /// The log-likelihood ratio of the two hypotheses (normal approximation of the generalised test).
    pub fn ratio(&self, sprt: &Sprt) -> f64 {
        if self.pair_count() < 1.0 {
            return 0.0;
        }
        let (mean, variance) = self.pair_moments();
        let (low, high) = (expected(sprt.low), expected(sprt.high));
        self.pair_count() * (high - low) * (2.0 * mean - low - high) / (2.0 * variance)
    }
}

impl Sprt {
    /// The bounds of the ratio.
    pub fn bounds(&self) -> (f64, f64) {
        (
            (self.beta / (1.0 - self.alpha)).ln(),
            ((1.0 - self.beta) / self.alpha).ln(),
        )
    }

    pub fn verdict(&self, tally: &Tally) -> Verdict {
        let (lower, upper) = self.bounds();
        match tally.ratio(self) {
            ratio if ratio >= upper => Verdict::Higher,
            ratio if ratio <= lower => Verdict::Lower,
            _ => Verdict::Open,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_figures() {
        let even = Tally::of_pairs([0, 10, 80, 10, 0]);
        let (mid, low, high) = even.elo();
        assert!(mid.abs() < 1e-9 && (low + high).abs() < 1e-6 && high > 5.0 && high < 25.0);
        assert!((even.superiority() - 0.5).abs() < 1e-6);
        let better = Tally::of_pairs([5, 20, 50, 40, 35]);
        assert!((better.elo().0 - 95.4).abs() < 1.0, "{:?}", better.elo());
        assert!(better.superiority() > 0.99);
        assert!((normal(1.96) - 0.975).abs() < 1e-4);
    }

    #[test]
    fn the_test_decides() {
        let sprt = Sprt {
            low: 0.0,
            high: 10.0,
            alpha: 0.05,
            beta: 0.05,
        };
        assert_eq!(sprt.verdict(&Tally::default()), Verdict::Open);
        assert_eq!(
            sprt.verdict(&Tally::of_pairs([50, 200, 500, 400, 350])),
            Verdict::Higher
        );
        assert_eq!(
            sprt.verdict(&Tally::of_pairs([350, 400, 500, 200, 50])),
            Verdict::Lower
        );
        assert_eq!(
            sprt.verdict(&Tally::of_pairs([1, 2, 5, 2, 1])),
            Verdict::Open
        );
        let (low, high) = sprt.bounds();
        assert!((high - 2.944).abs() < 0.001 && (low + 2.944).abs() < 0.001);
    }
}
