//! The network with real numbers: what it says of a position, and how the error of many positions changes with each
//! weight. The work of a batch is divided the same way for any number of threads, so that sums come out the same.

// Several slices are gone through at once.
#![allow(clippy::needless_range_loop)]

use crate::samples::{Sample, Samples};
use engine::network::Weights;

/// Parts of a batch, whose sums are added in their order.
const PARTS: usize = 8;

/// The weights in one list: rows, bias, output, bias of the output.
#[derive(Clone, Debug)]
pub(crate) struct Model {
    pub hidden: usize,
    pub inputs: usize,
    pub weights: Vec<f32>,
}

impl Model {
    /// Where bias, output and bias of the output begin.
    pub fn places(&self) -> [usize; 3] {
        let rows = self.inputs * self.hidden;
        [rows, rows + self.hidden, rows + 3 * self.hidden]
    }

    /// The weights as the engine takes them.
    pub fn to_weights(&self, scale: f32, corrects: bool) -> Weights {
        let [bias, output, last] = self.places();
        Weights {
            rows: self.weights[..bias].to_vec(),
            bias: self.weights[bias..output].to_vec(),
            output: self.weights[output..last].to_vec(),
            output_bias: self.weights[last],
            scale,
            corrects,
        }
    }

    /// The sums of the hidden units for a side that sees these inputs.
    #[inline(always)]
    fn sums(&self, active: &[u16], sums: &mut [f32]) {
        let [bias, output, _] = self.places();
        sums.copy_from_slice(&self.weights[bias..output]);
        for &input in active {
            let row = &self.weights[usize::from(input) * self.hidden..][..self.hidden];
            for (sum, weight) in sums.iter_mut().zip(row) {
                *sum += weight;
            }
        }
    }

    /// The chance that the side to move has, 0 to 1, by the sums of both sides, where the output is added to `base`.
    #[inline(always)]
    fn chance(&self, sums: &[Vec<f32>; 2], base: f32) -> f32 {
        sigmoid(self.output(sums, base))
    }

    #[inline(always)]
    fn output(&self, sums: &[Vec<f32>; 2], base: f32) -> f32 {
        let [_, output, last] = self.places();
        let mut out = self.weights[last] + base;
        for (sums, weights) in sums
            .iter()
            .zip(self.weights[output..last].chunks_exact(self.hidden))
        {
            let units = sums.iter().map(|sum| sum.clamp(0.0, 1.0));
            out += units
                .zip(weights)
                .map(|(unit, w)| unit * unit * w)
                .sum::<f32>();
        }
        out
    }

    /// The sum of the squared errors, and of their gradients, over some positions.
    fn part(&self, samples: &Samples, some: &[u32], targets: Targets, slope: &mut [f32]) -> f64 {
        slope.fill(0.0);
        let hidden = self.hidden;
        let [bias, output, last] = self.places();
        let mut sums = [vec![0.0; hidden], vec![0.0; hidden]];
        let mut push = vec![0.0; hidden];
        let mut error = 0.0;
        for &i in some {
            let sample = &samples.all[i as usize];
            let inputs = samples.inputs(sample);
            for (active, sums) in inputs.iter().zip(&mut sums) {
                self.sums(active, sums);
            }
            let chance = self.chance(&sums, targets.base(sample));
            let off = chance - targets.of(i as usize, sample);
            error += f64::from(off * off);
            let out = 2.0 * off * chance * (1.0 - chance);
            slope[last] += out;
            for (half, (active, sums)) in inputs.iter().zip(&sums).enumerate() {
                let at = output + half * hidden;
                let weights = &self.weights[at..at + hidden];
                let outputs = &mut slope[at..at + hidden];
                for k in 0..hidden {
                    let unit = sums[k].clamp(0.0, 1.0);
                    outputs[k] += out * unit * unit;
                    let open = if sums[k] > 0.0 && sums[k] < 1.0 {
                        1.0
                    } else {
                        0.0
                    };
                    push[k] = out * weights[k] * 2.0 * unit * open;
                }
                add(&mut slope[bias..output], &push);
                for &input in *active {
                    add(&mut slope[usize::from(input) * hidden..][..hidden], &push);
                }
            }
        }
        error
    }
}

#[inline(always)]
fn add(to: &mut [f32], what: &[f32]) {
    for (to, what) in to.iter_mut().zip(what) {
        *to += what;
    }
}

/// What is to be predicted: the chance that the search's score stands for, and what came of the position, mixed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Targets<'a> {
    /// Share of what came of it.
    pub result: f32,
    /// Centipawns that stand for an output of 1.
    pub scale: f32,
    /// What came of each position; where there are none, the score is all.
    pub outlooks: &'a [f32],
}

impl Targets<'_> {
    #[inline(always)]
    fn of(&self, number: usize, sample: &Sample) -> f32 {
        let chance = sigmoid(f32::from(sample.score) / self.scale);
        match self.outlooks.get(number) {
            Some(outlook) => self.result * outlook + (1.0 - self.result) * chance,
            None => chance,
        }
    }

    /// What the output of the network is added to.
    #[inline(always)]
    fn base(&self, sample: &Sample) -> f32 {
        f32::from(sample.base) / self.scale
    }
}

pub(crate) fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}

/// Computes gradients on several threads.
pub(crate) struct Gradient {
    threads: usize,
    parts: Vec<Vec<f32>>,
    /// The gradient of the last batch, of the mean error.
    pub slope: Vec<f32>,
}

impl Gradient {
    pub fn new(model: &Model, threads: usize) -> Gradient {
        Gradient {
            threads: threads.clamp(1, PARTS),
            parts: vec![vec![0.0; model.weights.len()]; PARTS],
            slope: vec![0.0; model.weights.len()],
        }
    }

    /// Computes the gradient of a batch and returns the sum of its squared errors.
    pub fn compute(
        &mut self,
        model: &Model,
        samples: &Samples,
        batch: &[u32],
        targets: Targets,
    ) -> f64 {
        let size = batch.len().div_ceil(PARTS).max(1);
        let work = self.parts.iter_mut().enumerate().map(|(i, slope)| {
            let begin = (i * size).min(batch.len());
            (&batch[begin..(begin + size).min(batch.len())], slope)
        });
        let mut work: Vec<_> = work.collect();
        let share = PARTS.div_ceil(self.threads);
        let errors: Vec<f64> = std::thread::scope(|scope| {
            let handles: Vec<_> = work
                .chunks_mut(share)
                .map(|parts| {
                    scope.spawn(move || {
                        let one = |(some, slope): &mut (&[u32], &mut Vec<f32>)| {
                            model.part(samples, some, targets, slope)
                        };
                        parts.iter_mut().map(one).collect::<Vec<f64>>()
                    })
                })
                .collect();
            let joined = handles.into_iter().map(|handle| handle.join());
            joined
                .flat_map(|part| part.unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
                .collect()
        });
        self.slope.fill(0.0);
        for part in &self.parts {
            add(&mut self.slope, part);
        }
        let each = 1.0 / batch.len().max(1) as f32;
        self.slope.iter_mut().for_each(|slope| *slope *= each);
        errors.iter().sum()
    }
}

/// What the network says of each position.
pub(crate) fn outputs(model: &Model, samples: &Samples) -> impl Iterator<Item = f32> {
    let mut sums = [vec![0.0; model.hidden], vec![0.0; model.hidden]];
    samples.all.iter().map(move |sample| {
        for (active, sums) in samples.inputs(sample).iter().zip(&mut sums) {
            model.sums(active, sums);
        }
        model.output(&sums, 0.0)
    })
}

/// The mean squared error over all positions.
pub(crate) fn error(model: &Model, samples: &Samples, targets: Targets) -> f64 {
    let mut sums = [vec![0.0; model.hidden], vec![0.0; model.hidden]];
    let mut error = 0.0;
    for (number, sample) in samples.all.iter().enumerate() {
        for (active, sums) in samples.inputs(sample).iter().zip(&mut sums) {
            model.sums(active, sums);
        }
        let off = model.chance(&sums, targets.base(sample)) - targets.of(number, sample);
        error += f64::from(off * off);
    }
    error / samples.all.len().max(1) as f64
}
