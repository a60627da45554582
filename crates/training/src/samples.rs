//! Positions as the trainer takes them: the inputs that are on for each side, and what is to be learned.

use crate::data::{DataError, GameRecords, Record};
use crate::gradient::sigmoid;
use crate::imitate::Teachers;
use engine::Engine;
use engine::network::Layout;
use husun::{Side, Variant};

/// One game in this many is left out of training and used to measure it.
const HELD_OUT: u64 = 20;

/// A position.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sample {
    /// Where its inputs begin.
    start: usize,
    /// How many inputs are on for each side.
    count: u16,
    /// Whether White is to move.
    white: bool,
    /// What the search thought of it for the side to move, in centipawns.
    pub score: i16,
    /// What the network's output is added to, in centipawns for the side to move.
    pub base: i16,
    /// What the side to move scored in its game, 0 to 1.
    pub result: f32,
}

/// Many positions.
#[derive(Clone, Debug, Default)]
pub(crate) struct Samples {
    /// Of one position after the other: those of the side to move, then those of the other.
    inputs: Vec<u16>,
    pub all: Vec<Sample>,
    /// Where each game ends among them.
    ends: Vec<usize>,
    /// What the values say of each, of those that are held out where a network imitates them.
    pub said: Vec<Option<i16>>,
}

impl Samples {
    /// The inputs that are on for the side to move and for the other.
    #[inline(always)]
    pub fn inputs(&self, sample: &Sample) -> [&[u16]; 2] {
        let (start, count) = (sample.start, usize::from(sample.count));
        let both = &self.inputs[start..start + 2 * count];
        let (own, other) = both.split_at(count);
        [own, other]
    }

    /// Inputs that are on for a side, in the mean.
    pub fn active(&self) -> f32 {
        self.inputs.len() as f32 / (2 * self.all.len()).max(1) as f32
    }

    /// What came of each position for its side to move, as a chance: the mean of what later searches of its game saw at this scale,
    /// each counting `keep` times as much as the one before it, and the game's result behind the last. With a `keep` of 1 it is the
    /// result.
    pub fn outlooks(&self, keep: f32, scale: f32) -> Vec<f32> {
        let mut outlooks = vec![0.0; self.all.len()];
        let mut begin = 0;
        for &end in &self.ends {
            let mut later: Option<f32> = None;
            for i in (begin..end).rev() {
                let sample = &self.all[i];
                // White's chance as that of the side to move, and back.
                let turned = |chance: f32| if sample.white { chance } else { 1.0 - chance };
                let after = later.unwrap_or_else(|| turned(sample.result));
                outlooks[i] = turned(after);
                let seen = turned(sigmoid(f32::from(sample.score) / scale));
                later = Some(keep * after + (1.0 - keep) * seen);
            }
            begin = end;
        }
        outlooks
    }

    fn add(&mut self, layout: &Layout, record: &Record, result: u8, base: i16) {
        let us = record.turn;
        let [own, other] = [us, us.opponent()].map(|side| layout.active(side, &record.scene));
        let for_white = f32::from(result) / 2.0;
        self.all.push(Sample {
            start: self.inputs.len(),
            count: own.len() as u16,
            white: us == Side::White,
            score: match us {
                Side::White => record.score,
                Side::Black => record.score.saturating_neg(),
            },
            base,
            result: match us {
                Side::White => for_white,
                Side::Black => 1.0 - for_white,
            },
        });
        self.inputs.extend(own);
        self.inputs.extend(other);
    }
}

/// The positions of a file: those to learn from, and those of games that are held out.
pub struct Collection {
    pub(crate) layout: Layout,
    pub(crate) learn: Samples,
    pub(crate) check: Samples,
    /// What the values say of more positions, which is learned first.
    pub(crate) judged: Samples,
    teachers: Option<Teachers>,
    pub(crate) games: u64,
    /// How many of them were not drawn.
    decided: u64,
    /// Says what a network is added to.
    values: Option<Engine>,
}

impl Collection {
    /// Without positions so far, for a network that judges alone.
    pub fn new(variant: &Variant) -> Collection {
        Collection {
            layout: Layout::of(variant),
            learn: Samples::default(),
            check: Samples::default(),
            judged: Samples::default(),
            teachers: None,
            games: 0,
            decided: 0,
            values: None,
        }
    }

    /// Without positions so far, for a network that judges alone and first learns what the values say of `each` positions for each
    /// one of a game: itself, and others to which a few random moves lead from there. `make` makes an engine that judges by its
    /// values, one for each thread.
    pub fn imitating(
        variant: &Variant,
        make: impl Fn() -> Engine,
        threads: usize,
        each: usize,
    ) -> Collection {
        Collection {
            teachers: Some(Teachers::new(make, threads, each)),
            ..Collection::new(variant)
        }
    }

    /// Without positions so far, for a network that corrects the values of an engine.
    pub fn correcting(values: Engine) -> Collection {
        let collection = Collection::new(values.variant());
        Collection {
            values: Some(values),
            ..collection
        }
    }

    /// Whether it is for a network that corrects values.
    pub fn corrects(&self) -> bool {
        self.values.is_some()
    }

    /// Adds the positions of a game. Errors if the game's rules do not allow one of them.
    pub fn add(&mut self, game: &GameRecords) -> Result<(), DataError> {
        self.games += 1;
        self.decided += u64::from(game.result != 1);
        let to = match game.number.is_multiple_of(HELD_OUT) {
            true => &mut self.check,
            false => &mut self.learn,
        };
        for (i, record) in game.records.iter().enumerate() {
            let base = match &self.values {
                Some(values) => said(values, record).ok_or(DataError::Damaged {
                    game: game.number,
                    position: i + 1,
                })?,
                None => 0,
            };
            to.add(&self.layout, record, game.result, base);
        }
        to.ends.push(to.all.len());
        let Some(teachers) = &self.teachers else {
            return Ok(());
        };
        if game.number.is_multiple_of(HELD_OUT) {
            let says = |record| teachers.one().and_then(|values| said(values, record));
            to.said.extend(game.records.iter().map(says));
            return Ok(());
        }
        for record in &teachers.judge(game)? {
            self.judged.add(&self.layout, record, game.result, 0);
        }
        Ok(())
    }

    /// How many games there are.
    pub fn games(&self) -> u64 {
        self.games
    }

    /// The part of the games that were not drawn, 0 to 1.
    pub fn decided(&self) -> f64 {
        self.decided as f64 / self.games.max(1) as f64
    }

    /// How many positions there are that the values have judged.
    pub fn judged(&self) -> usize {
        self.judged.all.len()
    }

    /// How many positions there are to learn from, and how many are held out.
    pub fn positions(&self) -> [usize; 2] {
        [self.learn.all.len(), self.check.all.len()]
    }
}

/// What an engine says of a position without looking ahead, in centipawns for the side to move.
fn said(values: &Engine, record: &Record) -> Option<i16> {
    let position = record.position(values.variant()).ok()?;
    let total = values.evaluate(&position)?.total;
    Some(total.clamp(i16::MIN.into(), i16::MAX.into()) as i16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_came_of_a_position_is_what_was_seen_later_in_its_game() {
        let sample = |white, score, result| Sample {
            start: 0,
            count: 0,
            white,
            score,
            base: 0,
            result,
        };
        // White wins the first game, in which things looked bad for long; the second is drawn.
        let samples = Samples {
            inputs: Vec::new(),
            all: vec![
                sample(true, -300, 1.0),
                sample(false, 300, 0.0),
                sample(true, 900, 1.0),
                sample(false, 0, 0.5),
            ],
            ends: vec![3, 4],
            said: Vec::new(),
        };
        assert_eq!(samples.outlooks(1.0, 300.0), [1.0, 0.0, 1.0, 0.5]);
        let near = |found: f32, expected: f32| (found - expected).abs() < 1e-6;
        let next = samples.outlooks(0.0, 300.0);
        let expected = [sigmoid(-1.0), 1.0 - sigmoid(3.0), 1.0, 0.5];
        assert!(
            next.iter().zip(expected).all(|(f, e)| near(*f, e)),
            "{next:?}"
        );
        let half = samples.outlooks(0.5, 300.0);
        let last = 0.5 + 0.5 * sigmoid(3.0);
        assert!(near(half[1], 1.0 - last), "{half:?}");
        assert!(near(half[0], 0.5 * last + 0.5 * sigmoid(-1.0)), "{half:?}");
    }
}
