//! Tuning values on self-play: games against oneself give positions with results, and a logistic fit
//! moves the values so that the static evaluation foretells the results better (Texel's method, with
//! the gradient of each position by finite differences, and a pull towards the start).

use crate::engine::{Engine, Options};
use crate::limits::Limits;
use crate::random::Random;
use crate::values::{Pair, Terms, Values};
use husun::{Position, Side, Status, Variant};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// A position with the result of the game that it stood in.
#[derive(Clone, Debug)]
pub struct Sample {
    /// Not in check, and nothing to capture with profit.
    pub position: Position,
    /// What White scored, 0 to 1.
    pub result: f64,
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
}

/// Plies of random moves before a game.
const OPENING: u64 = 8;
/// Longest game, in plies.
const LONGEST: usize = 300;
/// Score at which a game is decided if it stays there.
const DECIDED: i32 = 1200;

/// Plays a game of so many nodes a move from a random opening and gives its quiet positions.
pub fn self_play(engine: &mut Engine, nodes: u64, seed: u64) -> Vec<Sample> {
    let mut random = Random::new(seed);
    let mut position = engine.variant().start();
    let mut keys = Vec::new();
    for _ in 0..OPENING + random.below(4) {
        let moves = position.legal_moves();
        let next = position.play(moves[random.below(moves.len() as u64) as usize]);
        if next.status() != Status::Ongoing {
            break;
        }
        keys.push(position.key());
        position = next;
    }
    engine.clear();
    let mut quiet = Vec::new();
    let mut decided = 0;
    let result = loop {
        let status = position.status();
        if status != Status::Ongoing {
            break match position.winner(status) {
                Some(Side::White) => 1.0,
                Some(Side::Black) => 0.0,
                None => 0.5,
            };
        }
        let again = keys.iter().filter(|&&k| k == position.key()).count();
        if again >= 2 || keys.len() > LONGEST {
            break 0.5;
        }
        let stop = AtomicBool::new(false);
        let found = engine.search(&position, &keys, &Limits::nodes(nodes), &stop, &mut |_| {});
        let Some(best) = found.best else { break 0.5 };
        let score = found.score.value();
        decided = if score.abs() > DECIDED {
            decided + 1
        } else {
            0
        };
        if decided > 4 {
            let white = (score > 0) == (position.turn() == Side::White);
            break f64::from(u8::from(white));
        }
        let calm = !position.in_check() && !position.is_capture(best) && !best.changes_kind();
        if calm && score.abs() < 800 && random.below(3) == 0 {
            quiet.push(position.clone());
        }
        keys.push(position.key());
        position = position.play(best);
    };
    quiet
        .into_iter()
        .map(|position| Sample { position, result })
        .collect()
}

/// Parameters of a game's values as one list: features, shared by all games fitted together, then
/// pieces.
fn list(values: &Values) -> Vec<f64> {
    let pairs = features(&values.terms).into_iter();
    pairs
        .chain(values.pieces.values().copied())
        .flat_map(|p| [f64::from(p.mg), f64::from(p.eg)])
        .collect()
}

fn with_list(values: &Values, list: &[f64]) -> Values {
    let mut pairs = list.chunks(2).map(|c| Pair {
        mg: c[0].round() as i32,
        eg: c[1].round() as i32,
    });
    let mut next = || pairs.next().unwrap_or_default();
    let mut values = values.clone();
    values.terms.each(|pair| *pair = next());
    for pair in values.pieces.values_mut() {
        *pair = next();
    }
    values
}

fn features(terms: &Terms) -> Vec<Pair> {
    let mut all = Vec::new();
    let mut terms = *terms;
    terms.each(|pair| all.push(*pair));
    all
}

/// Step of the finite differences.
const STEP: f64 = 8.0;

/// One game's part of the model: evaluations and their gradients at the present values.
struct Linear {
    base: Vec<f64>,
    results: Vec<f64>,
    /// By sample: change with each parameter.
    slopes: Vec<Vec<f32>>,
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

fn linear(corpus: &Corpus) -> Linear {
    let at = list(&corpus.values);
    let base = evaluations(corpus, &corpus.values);
    let mut slopes = vec![vec![0.0; at.len()]; base.len()];
    for p in 0..at.len() {
        let mut moved = at.clone();
        moved[p] += STEP;
        let changed = evaluations(corpus, &with_list(&corpus.values, &moved));
        for (slope, (new, old)) in slopes.iter_mut().zip(changed.iter().zip(&base)) {
            slope[p] = ((new - old) / STEP) as f32;
        }
    }
    Linear {
        base,
        results: corpus.samples.iter().map(|s| s.result).collect(),
        slopes,
    }
}

fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

/// Error of a scale from centipawns to chances.
fn error(parts: &[Linear], scale: f64) -> f64 {
    let (mut sum, mut n) = (0.0, 0.0);
    for part in parts {
        for (eval, result) in part.base.iter().zip(&part.results) {
            sum += (sigmoid(eval * scale) - result).powi(2);
            n += 1.0;
        }
    }
    sum / f64::max(n, 1.0)
}

/// Fits the values of all games together: features are shared, pieces are each game's own. `report` is
/// told the mean squared error before each round.
pub fn fit(corpora: &mut [Corpus], rounds: usize, report: &mut dyn FnMut(usize, f64)) {
    let starts: Vec<Vec<f64>> = corpora.iter().map(|c| list(&c.values)).collect();
    let shared = 2 * features(&Terms::default()).len();
    for round in 0..rounds {
        let parts: Vec<Linear> = corpora.iter().map(linear).collect();
        let scales = (10..80).map(|i| f64::from(i) * 0.0001);
        let scale = scales
            .min_by(|a, b| error(&parts, *a).total_cmp(&error(&parts, *b)))
            .unwrap_or(0.003);
        report(round, error(&parts, scale));
        let mut at: Vec<Vec<f64>> = corpora.iter().map(|c| list(&c.values)).collect();
        descend(&parts, &starts, &mut at, shared, scale);
        for (corpus, at) in corpora.iter_mut().zip(&at) {
            corpus.values = with_list(&corpus.values, at);
        }
    }
}

/// Weight of the pull towards the start, for a parameter that is off by a hundred.
const PULL: f64 = 0.0004;
const STEPS: usize = 250;

/// Adam on the linear model.
fn descend(parts: &[Linear], starts: &[Vec<f64>], at: &mut [Vec<f64>], shared: usize, scale: f64) {
    let origin: Vec<Vec<f64>> = at.to_vec();
    let zero = || -> Vec<Vec<f64>> { at.iter().map(|a| vec![0.0; a.len()]).collect() };
    let (mut mean, mut square) = (zero(), zero());
    let samples: f64 = parts.iter().map(|p| p.base.len() as f64).sum();
    for step in 1..=STEPS {
        let mut slope: Vec<Vec<f64>> = at.iter().map(|a| vec![0.0; a.len()]).collect();
        for (i, part) in parts.iter().enumerate() {
            let moved: Vec<f64> = at[i].iter().zip(&origin[i]).map(|(a, o)| a - o).collect();
            for (s, eval) in part.base.iter().enumerate() {
                let slopes = &part.slopes[s];
                let shift: f64 = slopes
                    .iter()
                    .zip(&moved)
                    .map(|(g, m)| f64::from(*g) * m)
                    .sum();
                let chance = sigmoid((eval + shift) * scale);
                let push = 2.0 * (chance - part.results[s]) * chance * (1.0 - chance) * scale;
                for (p, g) in slopes.iter().enumerate() {
                    // The pull is of the whole sum, so each sample counts for its part.
                    slope[i][p] += push * f64::from(*g) / samples;
                }
            }
        }
        for p in 0..shared {
            let sum: f64 = slope.iter().map(|s| s[p]).sum();
            slope.iter_mut().for_each(|s| s[p] = sum);
        }
        let rate = 2.0;
        for i in 0..at.len() {
            for p in 0..at[i].len() {
                let g = slope[i][p] + 2.0 * PULL * (at[i][p] - starts[i][p]) / 10_000.0;
                mean[i][p] = 0.9 * mean[i][p] + 0.1 * g;
                square[i][p] = 0.999 * square[i][p] + 0.001 * g * g;
                let m = mean[i][p] / (1.0 - 0.9_f64.powi(step as i32));
                let v = square[i][p] / (1.0 - 0.999_f64.powi(step as i32));
                at[i][p] -= rate * m / (v.sqrt() + 1e-9);
            }
        }
    }
}
