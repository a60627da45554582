//! The trainer: from positions to the weights that predict them best. The same positions and settings give the same
//! network, with any number of threads.

use crate::gradient::{Gradient, Model, Targets, error, outputs};
use crate::optimizer::{Adam, Alike};
pub use crate::samples::Collection;
use crate::samples::Samples;
use engine::Random;
use engine::network::{HIDDEN, Network, NetworkError, Origin};
use engine::tune::best_scale;
use husun::Variant;
use std::ops::ControlFlow;

/// Positions on which the scale of scores is fitted.
const FOR_SCALE: usize = 50_000;
/// The scale from centipawns to chances where results tell nothing.
const USUAL_SCALE: f32 = 250.0;
/// The largest scale. Where most games end drawn whatever the scores, that at which these predict the results best would make
/// what decides between moves, half a pawn in a level position, count for next to nothing.
const LARGEST_SCALE: f32 = 400.0;
/// In which part of a stage the learning rate rises, before it falls to nothing.
const WARM: f32 = 0.02;
/// Inputs on for a side for which the learning rate is meant: where there are more, one step moves the sums of the units further.
const USUAL_ACTIVE: f32 = 24.0;
/// Which part of the learning rate remains for games after what the values say has been learned.
const AFTERWARDS: f32 = 0.5;

/// Which part of the learning rate rows that are alike move by together while the values are imitated.
const TOGETHER: f32 = 0.25;
/// Up to how many centipawns of the values a position says how large the network's are.
const UNDECIDED: i16 = 900;
/// How much larger or smaller the network's centipawns may be made at most.
const CORRECTED: f32 = 1.25;

/// How a network is trained.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Hidden units: a multiple of 16 from 16 to 256.
    pub hidden: usize,
    /// Passes over all positions.
    pub epochs: usize,
    /// Passes over the positions that the values have judged, if there are any, before that.
    pub judged_epochs: usize,
    /// Positions for each step.
    pub batch: usize,
    /// The highest learning rate.
    pub rate: f32,
    /// Share of what came of the position in the target, 0 to 1; the rest is what the search thought.
    pub result: f32,
    /// How far that looks ahead, 0 to 1: how much each later search of the game counts beside the one before it. With 1 what came of
    /// a position is the game's result.
    pub ahead: f32,
    /// Centipawns that an output of 1 stands for; if not given, those at which scores predict the results best, at most 400.
    pub scale: Option<f32>,
    /// Seed of the first weights and of the order of the positions.
    pub seed: u64,
    /// Threads.
    pub threads: usize,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            hidden: 64,
            epochs: 20,
            judged_epochs: 5,
            batch: 4096,
            rate: 0.002,
            result: 0.5,
            ahead: 0.8,
            scale: None,
            seed: 1,
            threads: 1,
        }
    }
}

/// How far training has come.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Epoch {
    /// From 1; 0 is the network before training.
    pub number: usize,
    /// Mean squared error on the positions learned from, while they were learned; none before training.
    pub learned: Option<f64>,
    /// Mean squared error on the positions held out.
    pub held_out: f64,
    /// Learning rate at its end.
    pub rate: f32,
}

/// Why nothing can be trained.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum TrainError {
    /// An impossible number of hidden units, or a network that is too large.
    #[error(transparent)]
    Network(#[from] NetworkError),
    /// There are too few positions.
    #[error(
        "{learn} positions to learn from and {check} held out: expected some of both; make more with `husun datagen`"
    )]
    TooFew {
        /// To learn from.
        learn: usize,
        /// Held out.
        check: usize,
    },
    /// The caller broke off.
    #[error("training was broken off")]
    BrokenOff,
}

/// A trained network.
#[derive(Clone, Debug)]
pub struct Trained {
    /// The network.
    pub network: Network,
    /// Every epoch, the state before training first.
    pub epochs: Vec<Epoch>,
    /// Centipawns that an output of 1 stands for.
    pub scale: f32,
}

/// Trains a network. The epoch that predicts the positions held out best is kept. `report` is told of each epoch, and
/// breaks off.
pub fn run(
    variant: &Variant,
    collection: &Collection,
    settings: Settings,
    origin: Origin,
    report: &mut dyn FnMut(&Epoch) -> ControlFlow<()>,
) -> Result<Trained, TrainError> {
    let hidden = settings.hidden;
    if !HIDDEN.contains(&hidden) || !hidden.is_multiple_of(*HIDDEN.start()) {
        return Err(NetworkError::Hidden { found: hidden }.into());
    }
    let corrects = collection.corrects();
    let (learn, check) = (&collection.learn, &collection.check);
    if learn.all.is_empty() || check.all.is_empty() {
        let [learn, check] = collection.positions();
        return Err(TrainError::TooFew { learn, check });
    }
    let units = settings.scale.unwrap_or_else(|| scale(collection));
    let [to_learn, to_check] = [learn, check].map(|some| some.outlooks(settings.ahead, units));
    let targets = Targets {
        result: settings.result,
        scale: units,
        outlooks: &to_learn,
    };
    let checked = Targets {
        outlooks: &to_check,
        ..targets
    };
    let mut random = Random::new(settings.seed);
    let mut model = first(collection.layout.inputs(), hidden, &mut random);
    // Whether it can be kept is told before the work.
    Network::new(
        variant,
        &model.to_weights(targets.scale, corrects),
        origin.clone(),
    )?;
    let mut epochs = vec![Epoch {
        number: 0,
        learned: None,
        held_out: error(&model, check, checked),
        rate: settings.rate,
    }];
    let mut best = model.clone();
    let mut gradient = Gradient::new(&model, settings.threads);
    // Where the values have judged positions, these are learned first: what they say, whatever came of the game.
    let judged = Stage {
        samples: &collection.judged,
        epochs: settings.judged_epochs,
        rate: settings.rate,
        alike: true,
        targets: Targets {
            result: 0.0,
            outlooks: &[],
            ..targets
        },
    };
    let begun = !collection.judged.all.is_empty() && settings.judged_epochs > 0;
    let games = Stage {
        samples: learn,
        epochs: settings.epochs,
        rate: settings.rate * if begun { AFTERWARDS } else { 1.0 },
        alike: false,
        targets,
    };
    for stage in begun.then_some(judged).into_iter().chain([games]) {
        let some = stage.samples;
        let mut adam = Adam::new(model.weights.len());
        let groups = stage.alike.then(|| collection.layout.alike());
        let mut alike = groups.map(|groups| Alike::new(groups, hidden));
        let mut order: Vec<u32> = (0..some.all.len() as u32).collect();
        let size = settings.batch.max(1);
        let steps = stage.epochs * order.len().div_ceil(size);
        let mut step = 0;
        for _ in 0..stage.epochs {
            shuffle(&mut order, &mut random);
            let (mut sum, mut rate) = (0.0, 0.0);
            for batch in order.chunks(size) {
                step += 1;
                rate = stage.rate_at(step as f32 / (steps + 1) as f32);
                sum += gradient.compute(&model, some, batch, stage.targets);
                if let Some(alike) = &mut alike {
                    alike.step(&mut model, &gradient.slope, rate * TOGETHER);
                }
                adam.step(&mut model, &gradient.slope, rate);
            }
            let epoch = Epoch {
                number: epochs.len(),
                learned: Some(sum / some.all.len() as f64),
                held_out: error(&model, check, checked),
                rate,
            };
            if epochs
                .iter()
                .all(|earlier| epoch.held_out < earlier.held_out)
            {
                best.clone_from(&model);
            }
            epochs.push(epoch);
            if report(&epoch).is_break() {
                return Err(TrainError::BrokenOff);
            }
        }
    }
    // The search's margins are made for centipawns as the values count them.
    let said = check.said.iter().copied();
    let scale = match slope(outputs(&best, check).map(|out| out * targets.scale), said) {
        Some(slope) => targets.scale / slope.clamp(1.0 / CORRECTED, CORRECTED),
        None => targets.scale,
    };
    Ok(Trained {
        network: Network::new(variant, &best.to_weights(scale, corrects), origin)?,
        epochs,
        scale,
    })
}

/// How many centipawns of one are one of the other, where that is not decided.
fn slope(
    network: impl Iterator<Item = f32>,
    values: impl Iterator<Item = Option<i16>>,
) -> Option<f32> {
    let (mut both, mut square) = (0.0, 0.0);
    for (network, values) in network.zip(values) {
        if let Some(values) = values.filter(|values| values.abs() < UNDECIDED) {
            both += f64::from(network) * f64::from(values);
            square += f64::from(values) * f64::from(values);
        }
    }
    (square > 0.0).then(|| (both / square) as f32)
}

/// The first weights, by chance.
fn first(inputs: usize, hidden: usize, random: &mut Random) -> Model {
    let mut model = Model {
        hidden,
        inputs,
        weights: Vec::new(),
    };
    let [bias, output, last] = model.places();
    let mut around = |reach: f64| ((2.0 * random.unit() - 1.0) * reach) as f32;
    let outputs = 1.0 / (2.0 * hidden as f64).sqrt();
    let weight = |i: usize| match i {
        // Small, so that inputs that training seldom meets say little.
        i if i < bias => around(0.01),
        // Half of the units begin within the range in which they learn.
        i if i < output => 0.25,
        i if i < last => around(outputs),
        _ => 0.0,
    };
    model.weights = (0..=last).map(weight).collect();
    model
}

fn shuffle(order: &mut [u32], random: &mut Random) {
    for i in (1..order.len()).rev() {
        order.swap(i, random.below(i as u64 + 1) as usize);
    }
}

/// Passes over some positions.
struct Stage<'a> {
    samples: &'a Samples,
    epochs: usize,
    rate: f32,
    /// Whether rows that are alike move together, too.
    alike: bool,
    targets: Targets<'a>,
}

impl Stage<'_> {
    /// The learning rate when so much of the stage is done, 0 to 1.
    fn rate_at(&self, done: f32) -> f32 {
        let active = USUAL_ACTIVE / self.samples.active().max(USUAL_ACTIVE);
        self.rate * active * (done / WARM).min(1.0) * (1.0 - done)
    }
}

/// Centipawns that stand for an output of 1: those at which scores predict the results best, within reason.
fn scale(collection: &Collection) -> f32 {
    let all = &collection.learn.all;
    let every = all.len().div_ceil(FOR_SCALE).max(1);
    let some = all.iter().step_by(every);
    let decided = some.clone().any(|s| s.result != 0.5);
    let pairs = some.map(|s| (f64::from(s.score), f64::from(s.result)));
    match decided {
        true => (1.0 / best_scale(pairs).0).min(LARGEST_SCALE.into()) as f32,
        false => USUAL_SCALE,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn centipawns_are_compared_where_nothing_is_decided() {
        let values = [Some(100), Some(-200), None, Some(2000), Some(0)];
        let network = [80.0, -160.0, 5000.0, 5.0, 0.0];
        let found = slope(network.into_iter(), values.into_iter());
        assert!(found.is_some_and(|s| (s - 0.8).abs() < 1e-6), "{found:?}");
        let none = slope(network.into_iter(), [None; 5].into_iter());
        assert_eq!(none, None);
    }
}
