//! Tuning values on self-play: games against itself give positions with results, and a logistic fit moves the values
//! so that the static evaluation predicts the results better (Texel's method, with the gradient of each position by
//! finite differences, and a pull towards the start). The target is half the result of the game and half the search's
//! opinion: the result is true but says little about one position. `docs/tuning.md` has the details.

use crate::engine::{Engine, Options};
use crate::selfplay::{Effort, OPEN, Seen, Terms, play};
use crate::values::Values;
use husun::{Position, Side, Variant};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc::channel;

/// A position with the outcome of its game.
#[derive(Clone, Debug)]
pub struct Sample {
    /// Not in check, and with nothing to capture at a profit.
    pub position: Position,
    /// What White scored in its game, 0 to 1.
    pub result: f64,
    /// What the search thought of it for White, in centipawns.
    pub score: i32,
}

/// Positions of a game with its values.
#[derive(Clone, Debug)]
pub struct Corpus {
    /// The game.
    pub variant: Arc<Variant>,
    /// Where the fit starts, and later what it found.
    pub values: Values,
    /// Positions.
    pub samples: Vec<Sample>,
    /// Number of games that they are from.
    pub games: usize,
}

/// Plies of random moves before a game.
const OPENING: u32 = 8;

/// Plays a game with this many nodes a move from a random opening and returns about half of its quiet positions.
pub fn self_play(engine: &mut Engine, nodes: u64, seed: u64) -> Vec<Sample> {
    let terms = Terms {
        effort: Effort::Exactly(nodes),
        opening: OPENING,
    };
    let mut played = play(engine, terms, seed);
    let open = |seen: &Seen| seen.quiet && seen.score.abs() < OPEN;
    let chosen = played.seen.into_iter();
    chosen
        .filter(|seen| open(seen) && played.random.below(2) == 0)
        .map(|seen| Sample {
            position: seen.position,
            result: played.result,
            score: seen.score,
        })
        .collect()
}

/// The numbers of a game's values as one list: features, which games fitted together may share, then pieces, the
/// weights of their moves, and places.
fn list(values: &Values) -> Vec<f64> {
    let mut all = Vec::new();
    values
        .clone()
        .each(&mut |_, &mut number| all.push(number.into()));
    all
}

fn with_list(values: &Values, list: &[f64]) -> Values {
    let mut numbers = list.iter().map(|x| x.round() as i32);
    let mut values = values.clone();
    values.each(&mut |_, number| *number = numbers.next().unwrap_or_default());
    values
}

/// How many numbers are shared by games fitted together.
fn shared(values: &Values) -> usize {
    let mut n = 0;
    values
        .clone()
        .each(&mut |key, _| n += usize::from(key.starts_with("terms.")));
    n
}

/// Step of the finite differences.
const STEP: f64 = 8.0;

/// One game's part of the model: evaluations and their gradients at the present values.
struct Linear {
    base: Vec<f64>,
    targets: Vec<f64>,
    /// By parameter and sample: the change with the parameter. None for one that changes nothing.
    slopes: Vec<Option<Vec<f32>>>,
}

fn evaluations(corpus: &Corpus, values: &Values) -> Vec<f64> {
    let options = Options {
        hash: 1,
        ..Options::default()
    };
    let engine = Engine::with_values(corpus.variant.clone(), values.clone(), options);
    let white = |s: &Sample| {
        let total = engine.evaluate(&s.position).map_or(0, |e| e.total);
        f64::from(if s.position.turn() == Side::White {
            total
        } else {
            -total
        })
    };
    corpus.samples.iter().map(white).collect()
}

/// The evaluations and how they change with each parameter, computed by several threads.
fn linear(corpus: &Corpus, targets: Vec<f64>, threads: usize) -> Linear {
    let at = list(&corpus.values);
    let base = evaluations(corpus, &corpus.values);
    let slope = |p: usize| {
        let mut moved = at.clone();
        moved[p] += STEP;
        let changed = evaluations(corpus, &with_list(&corpus.values, &moved));
        let pairs = changed.iter().zip(&base);
        let slopes: Vec<f32> = pairs.map(|(n, o)| ((n - o) / STEP) as f32).collect();
        slopes.iter().any(|s| *s != 0.0).then_some(slopes)
    };
    let mut slopes = vec![None; at.len()];
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        let (sender, found) = channel();
        for _ in 0..threads.max(1) {
            let (sender, next, slope, n) = (sender.clone(), &next, &slope, at.len());
            scope.spawn(move || {
                let numbers = std::iter::repeat_with(|| next.fetch_add(1, Relaxed));
                for p in numbers.take_while(|&p| p < n) {
                    // The receiver lives as long as the scope.
                    let _ = sender.send((p, slope(p)));
                }
            });
        }
        drop(sender);
        for (p, slope) in found {
            slopes[p] = slope;
        }
    });
    Linear {
        base,
        targets,
        slopes,
    }
}

fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

/// The scale from centipawns to chances that predicts the targets best, with the mean squared error.
pub fn best_scale<'a>(pairs: impl Iterator<Item = (f64, f64)> + Clone + 'a) -> (f64, f64) {
    let error = |scale: f64| {
        let (mut sum, mut n) = (0.0, 0.0);
        for (eval, target) in pairs.clone() {
            sum += (sigmoid(eval * scale) - target).powi(2);
            n += 1.0;
        }
        sum / f64::max(n, 1.0)
    };
    let scales = (10..120).map(|i| f64::from(i) * 0.0001);
    let found = scales.map(|scale| (scale, error(scale)));
    found
        .min_by(|a, b| a.1.total_cmp(&b.1))
        .unwrap_or((0.003, 0.25))
}

/// Share of the search's opinion in the target.
const OPINION: f64 = 0.5;

/// The target of each position: its result and the search's opinion of it.
fn targets(corpus: &Corpus) -> Vec<f64> {
    let samples = corpus.samples.iter();
    let (scale, _) = best_scale(samples.clone().map(|s| (f64::from(s.score), s.result)));
    samples
        .map(|s| OPINION * sigmoid(f64::from(s.score) * scale) + (1.0 - OPINION) * s.result)
        .collect()
}

/// How far the evaluation with the corpus' values is from the targets: the mean squared error at the scale that
/// suits it best.
pub fn error(corpus: &Corpus) -> f64 {
    let evals = evaluations(corpus, &corpus.values);
    let targets = targets(corpus);
    best_scale(evals.iter().copied().zip(targets.iter().copied())).1
}

/// Fits the values of all games together: features are shared, pieces are each game's own. `report` is given
/// the mean squared error before each round.
pub fn fit(
    corpora: &mut [Corpus],
    rounds: usize,
    threads: usize,
    report: &mut dyn FnMut(usize, f64),
) {
    let starts: Vec<Vec<f64>> = corpora.iter().map(|c| list(&c.values)).collect();
    let games: usize = corpora.iter().map(|c| c.games).sum();
    for round in 0..rounds {
        let parts: Vec<Linear> = corpora
            .iter()
            .map(|c| linear(c, targets(c), threads))
            .collect();
        let pairs = parts.iter().flat_map(|p| {
            let targets = p.targets.iter().copied();
            p.base.iter().copied().zip(targets)
        });
        let (scale, error) = best_scale(pairs);
        report(round, error);
        let mut at: Vec<Vec<f64>> = corpora.iter().map(|c| list(&c.values)).collect();
        let shared = corpora.first().map_or(0, |c| shared(&c.values));
        let pull = PULL / games.max(1) as f64;
        descend(&parts, &starts, &mut at, shared, scale, pull);
        for (corpus, at) in corpora.iter_mut().zip(&at) {
            corpus.values = with_list(&corpus.values, at);
        }
    }
}

/// Weight of the pull towards the start, for a parameter that is off by a hundred, for one game: the more
/// games, the less it counts.
const PULL: f64 = 0.12;
const STEPS: usize = 250;
/// Approximate largest change of a parameter in one step.
const RATE: f64 = 2.0;

/// Adam on the linear model.
fn descend(
    parts: &[Linear],
    starts: &[Vec<f64>],
    at: &mut [Vec<f64>],
    shared: usize,
    scale: f64,
    pull: f64,
) {
    let origin: Vec<Vec<f64>> = at.to_vec();
    let zero = || -> Vec<Vec<f64>> { origin.iter().map(|a| vec![0.0; a.len()]).collect() };
    let (mut mean, mut square) = (zero(), zero());
    let samples: f64 = parts.iter().map(|p| p.base.len() as f64).sum();
    for step in 1..=STEPS {
        let mut slope = zero();
        for (i, part) in parts.iter().enumerate() {
            let moved: Vec<f64> = at[i].iter().zip(&origin[i]).map(|(a, o)| a - o).collect();
            for (slope, g) in slope[i].iter_mut().zip(gradient(part, &moved, scale)) {
                // The pull is on the whole sum, so each sample gets its share.
                *slope = g / samples;
            }
        }
        for p in 0..shared {
            let sum: f64 = slope.iter().map(|s| s[p]).sum();
            slope.iter_mut().for_each(|s| s[p] = sum);
        }
        for i in 0..at.len() {
            for p in 0..at[i].len() {
                if p >= shared && parts[i].slopes[p].is_none() {
                    continue;
                }
                let g = slope[i][p] + 2.0 * pull * (at[i][p] - starts[i][p]) / 10_000.0;
                mean[i][p] = 0.9 * mean[i][p] + 0.1 * g;
                square[i][p] = 0.999 * square[i][p] + 0.001 * g * g;
                let m = mean[i][p] / (1.0 - 0.9_f64.powi(step as i32));
                let v = square[i][p] / (1.0 - 0.999_f64.powi(step as i32));
                at[i][p] -= RATE * m / (v.sqrt() + 1e-9);
            }
        }
    }
}

/// How the squared error of all samples changes with each parameter.
fn gradient(part: &Linear, moved: &[f64], scale: f64) -> Vec<f64> {
    let mut evals = part.base.clone();
    for (slopes, by) in part.slopes.iter().zip(moved) {
        let Some(slopes) = slopes.as_ref().filter(|_| *by != 0.0) else {
            continue;
        };
        for (eval, slope) in evals.iter_mut().zip(slopes) {
            *eval += f64::from(*slope) * by;
        }
    }
    let push: Vec<f64> = evals
        .iter()
        .zip(&part.targets)
        .map(|(eval, target)| {
            let chance = sigmoid(eval * scale);
            2.0 * (chance - target) * chance * (1.0 - chance) * scale
        })
        .collect();
    let sum = |slopes: &Vec<f32>| -> f64 {
        let pairs = slopes.iter().zip(&push);
        pairs.map(|(slope, push)| f64::from(*slope) * push).sum()
    };
    part.slopes
        .iter()
        .map(|slopes| slopes.as_ref().map_or(0.0, sum))
        .collect()
}
