//! A network as a judge of positions: one hidden layer over the pieces on their squares and the state beyond the board,
//! seen by each side as its own, in whole numbers. How it is made is not known here (`husun-training`).

mod file;
mod identity;
mod judge;
mod kernel;
mod layout;
mod symmetry;

pub use file::{HIDDEN, MOST_BYTES, NetworkError, VERSION};
pub use identity::Identity;
pub(crate) use judge::NetworkJudge;
pub use kernel::ONE;
pub use layout::{Layout, Scene};

use crate::score::clamp_eval;
use husun::Variant;
use kernel::Kernel;
use serde::{Deserialize, Serialize};

/// A weight of the output that counts as 1.
pub const OUTPUT_ONE: i16 = 64;

/// Where a network comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Origin {
    /// Id of the game.
    pub game: String,
    /// Games of self-play.
    pub games: u64,
    /// Positions of them.
    pub positions: u64,
    /// How the games were played and the network was trained.
    pub settings: String,
    /// The day on which it was trained, as `2026-01-31`.
    pub date: String,
}

/// The numbers of a network as training finds them.
#[derive(Clone, Debug, PartialEq)]
pub struct Weights {
    /// By input, then by hidden unit.
    pub rows: Vec<f32>,
    /// By hidden unit.
    pub bias: Vec<f32>,
    /// By hidden unit of the side to move, then of the other.
    pub output: Vec<f32>,
    /// Added to the output.
    pub output_bias: f32,
    /// Centipawns that an output of 1 stands for.
    pub scale: f32,
    /// Whether the output is added to what the values say, or stands for itself.
    pub corrects: bool,
}

/// A network for one game.
#[derive(Clone, Debug)]
pub struct Network {
    layout: Layout,
    hidden: usize,
    /// By input, then by hidden unit.
    rows: Vec<i16>,
    bias: Vec<i16>,
    /// Of the side to move, then of the other; each is one byte's worth.
    output: Vec<i16>,
    output_bias: i32,
    scale: u32,
    corrects: bool,
    origin: Origin,
    kernel: Kernel,
}

impl Network {
    /// The network with the given weights, rounded to whole numbers.
    pub fn new(
        variant: &Variant,
        weights: &Weights,
        origin: Origin,
    ) -> Result<Network, NetworkError> {
        let layout = Layout::of(variant);
        let hidden = weights.bias.len();
        if !file::is_hidden(hidden) {
            return Err(NetworkError::Hidden { found: hidden });
        }
        let sizes = [
            (weights.rows.len(), layout.inputs() * hidden),
            (weights.output.len(), 2 * hidden),
        ];
        for (found, expected) in sizes {
            if found != expected {
                return Err(NetworkError::Length { found, expected });
            }
        }
        let unit = |w: &f32| (w * f32::from(ONE)).round() as i16;
        let out = |w: &f32| i16::from((w * f32::from(OUTPUT_ONE)).round() as i8);
        let network = Network {
            layout,
            hidden,
            rows: weights.rows.iter().map(unit).collect(),
            bias: weights.bias.iter().map(unit).collect(),
            output: weights.output.iter().map(out).collect(),
            output_bias: (weights.output_bias * f32::from(ONE) * f32::from(OUTPUT_ONE)).round()
                as i32,
            scale: weights.scale.round().clamp(1.0, 10_000.0) as u32,
            corrects: weights.corrects,
            origin,
            kernel: Kernel::find(),
        };
        // It must be possible to keep it.
        network.to_bytes(variant)?;
        Ok(network)
    }

    /// The same network, computed with what every processor has: for tests and measurements that compare the two.
    #[doc(hidden)]
    pub fn portable(self) -> Network {
        Network {
            kernel: Kernel::PORTABLE,
            ..self
        }
    }

    /// Where it comes from.
    pub fn origin(&self) -> &Origin {
        &self.origin
    }

    /// How many hidden units it has for each side.
    pub fn hidden(&self) -> usize {
        self.hidden
    }

    /// Whether it corrects what the values say of a position; otherwise it judges alone.
    pub fn corrects(&self) -> bool {
        self.corrects
    }

    /// The numbers of its inputs.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The row sums of a side that sees these inputs, computed anew.
    fn sums(&self, active: &[u16]) -> Vec<i16> {
        let mut sums = vec![0; self.hidden];
        self.kernel
            .update(&mut sums, &self.bias, &self.rows, active, &[]);
        sums
    }

    /// Centipawns for the side to move from the sums of both sides, its own first.
    #[inline(always)]
    fn centipawns(&self, sums: [&[i16]; 2]) -> i32 {
        let weighed = self.kernel.output(sums, &self.output) / i64::from(ONE);
        let one = i64::from(ONE) * i64::from(OUTPUT_ONE);
        let found = (weighed + i64::from(self.output_bias)) * i64::from(self.scale) / one;
        clamp_eval(found.clamp(i32::MIN.into(), i32::MAX.into()) as i32)
    }

    /// Centipawns for the side to move, given what each side sees, the side to move first; computed anew. For a network
    /// that corrects the values, what it adds to them.
    pub fn evaluate(&self, active: [&[u16]; 2]) -> i32 {
        let [own, other] = active.map(|active| self.sums(active));
        self.centipawns([&own, &other])
    }
}
