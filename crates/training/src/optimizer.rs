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

/// Counts a step; tells which part of their final weight the means have by now.
fn begin(steps: &mut i32) -> [f32; 2] {
    *steps = steps.saturating_add(1);
    [MEAN, SQUARE].map(|kept| 1.0 - kept.powi(*steps))
}

/// Takes a slope into its means; the step that follows from them, in units of the rate.
#[inline(always)]
fn adapted(mean: &mut f32, square: &mut f32, slope: f32, [first, second]: [f32; 2]) -> f32 {
    *mean = MEAN * *mean + (1.0 - MEAN) * slope;
    *square = SQUARE * *square + (1.0 - SQUARE) * slope * slope;
    (*mean / first) / ((*square / second).sqrt() + SMALL)
}

/// Rows of the first layer that move together, beside what each moves by itself. Two thirds of the inputs of a game with many
/// kinds and squares are on in less than one position of a thousand: what is learned of one of them is a first opinion of those
/// that mean about the same.
pub(crate) struct Alike {
    groups: Vec<Vec<usize>>,
    /// Of each group, as if it were one row.
    mean: Vec<f32>,
    square: Vec<f32>,
    steps: i32,
}

impl Alike {
    /// Groups of rows of so many units.
    pub fn new(groups: Vec<Vec<usize>>, hidden: usize) -> Alike {
        let weights = groups.len() * hidden;
        Alike {
            groups,
            mean: vec![0.0; weights],
            square: vec![0.0; weights],
            steps: 0,
        }
    }

    /// Moves the rows of each group against the sum of their gradients.
    pub fn step(&mut self, model: &mut Model, slope: &[f32], rate: f32) {
        let begun = begin(&mut self.steps);
        let hidden = model.hidden;
        let mut step = vec![0.0; hidden];
        let (means, squares) = (self.mean.chunks_mut(hidden), self.square.chunks_mut(hidden));
        for (group, (mean, square)) in self.groups.iter().zip(means.zip(squares)) {
            step.fill(0.0);
            for row in group {
                let slopes = slope.iter().skip(row * hidden);
                step.iter_mut().zip(slopes).for_each(|(sum, g)| *sum += g);
            }
            for (step, (mean, square)) in step.iter_mut().zip(mean.iter_mut().zip(square)) {
                *step = rate * adapted(mean, square, *step, begun);
            }
            for row in group {
                let weights = model.weights.iter_mut().skip(row * hidden);
                for (weight, step) in weights.zip(&step) {
                    *weight = (*weight - step).clamp(-MOST, MOST);
                }
            }
        }
    }
}

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
        let begun = begin(&mut self.steps);
        let [_, output, last] = model.places();
        let kept = self.mean.iter_mut().zip(&mut self.square);
        for (i, ((weight, g), (mean, square))) in
            model.weights.iter_mut().zip(slope).zip(kept).enumerate()
        {
            let step = adapted(mean, square, *g, begun);
            let moved = *weight - rate * (step + DECAY * *weight);
            *weight = match i {
                i if i < output => moved.clamp(-MOST, MOST),
                i if i < last => moved.clamp(-MOST_OUTPUT, MOST_OUTPUT),
                _ => moved,
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_that_are_alike_move_together() {
        let mut model = Model {
            hidden: 2,
            inputs: 4,
            weights: vec![0.0; 4 * 2 + 2 + 2 * 2 + 1],
        };
        let mut alike = Alike::new(vec![vec![0, 2], vec![3]], 2);
        // Only one row was on, and of that only one unit has to change.
        let mut slope = vec![0.0; model.weights.len()];
        slope[0] = 0.5;
        for _ in 0..3 {
            alike.step(&mut model, &slope, 0.1);
        }
        let [rows, rest] = [&model.weights[..8], &model.weights[8..]];
        let moved = rows[0];
        assert!((moved + 0.3).abs() < 1e-3, "{moved}");
        assert_eq!(rows, [moved, 0.0, 0.0, 0.0, moved, 0.0, 0.0, 0.0]);
        assert!(rest.iter().all(|weight| *weight == 0.0));
        for _ in 0..30 {
            alike.step(&mut model, &slope, 0.1);
        }
        assert_eq!(
            model.weights[4], -MOST,
            "it stays where whole numbers follow"
        );
    }
}
