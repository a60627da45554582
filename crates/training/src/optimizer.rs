//! Adam with decoupled weight decay (Kingma and Ba 2014, Loshchilov and Hutter 2017); weights stay where the engine's
//! whole numbers can follow.

use crate::gradient::Model;

const MEAN: f32 = 0.9;
const SQUARE: f32 = 0.999;
const DECAY: f32 = 0.01;
/// Keeps inputs that are seldom on, whose slopes are small, from moving as far as the others.
const SMALL: f32 = 1e-7;
/// The most that a weight of the output may be, which is one byte.
const MOST_OUTPUT: f32 = 1.98;
/// The most that another weight may be, so that the sums over 128 pieces fit 16 bits.
const MOST: f32 = 0.99;

/// What it keeps of each weight.
pub(crate) struct Adam {
    mean: Vec<f32>,
    square: Vec<f32>,
    steps: i32,
}

impl Adam {
    pub fn new(weights: usize) -> Adam {
        Adam {
            mean: vec![0.0; weights],
            square: vec![0.0; weights],
            steps: 0,
        }
    }

    /// Moves the weights against the gradient.
    pub fn step(&mut self, model: &mut Model, slope: &[f32], rate: f32) {
        self.steps = self.steps.saturating_add(1);
        let first = 1.0 - MEAN.powi(self.steps);
        let second = 1.0 - SQUARE.powi(self.steps);
        let [_, output, last] = model.places();
        let kept = self.mean.iter_mut().zip(&mut self.square);
        for (i, ((weight, g), (mean, square))) in
            model.weights.iter_mut().zip(slope).zip(kept).enumerate()
        {
            *mean = MEAN * *mean + (1.0 - MEAN) * g;
            *square = SQUARE * *square + (1.0 - SQUARE) * g * g;
            let step = (*mean / first) / ((*square / second).sqrt() + SMALL);
            let moved = *weight - rate * (step + DECAY * *weight);
            *weight = match i {
                i if i < output => moved.clamp(-MOST, MOST),
                i if i < last => moved.clamp(-MOST_OUTPUT, MOST_OUTPUT),
                _ => moved,
            };
        }
    }
}
