//! Positions that the engine's values judge. No search is needed for these, so there can be as many as memory allows, of all
//! kinds that a search meets: a network that has first learned what the values know has only the rest to learn from games.

use crate::data::{DataError, GameRecords, OPEN, Record, scene};
use engine::{Engine, Random};
use husun::{Position, Side};

/// The most random moves that lead away from a position of a game.
const ASIDE: u64 = 3;

/// Those that judge.
pub(crate) struct Teachers {
    /// One for each thread.
    engines: Vec<Engine>,
    /// How many positions are judged for each position of a game: itself, then others to which random moves lead.
    each: usize,
}

impl Teachers {
    pub fn new(make: impl Fn() -> Engine, threads: usize, each: usize) -> Teachers {
        Teachers {
            engines: (0..threads.max(1)).map(|_| make()).collect(),
            each,
        }
    }

    /// Positions of a game and beside it, with what the values say of them instead of a search. The same for any number of
    /// threads.
    pub fn judge(&self, game: &GameRecords) -> Result<Vec<Record>, DataError> {
        let share = game.records.len().div_ceil(self.engines.len()).max(1);
        let parts = game.records.chunks(share).zip(&self.engines).enumerate();
        std::thread::scope(|scope| {
            let handles: Vec<_> = parts
                .map(|(part, (records, engine))| {
                    scope.spawn(move || {
                        let mut judged = Vec::new();
                        for (i, record) in (part * share..).zip(records) {
                            let start = record.position(engine.variant());
                            let damaged = || DataError::Damaged {
                                game: game.number,
                                position: i + 1,
                            };
                            let start = start.map_err(|_| damaged())?;
                            let seed = game.number.wrapping_mul(1 << 16).wrapping_add(i as u64);
                            judged.extend(self.around(engine, &start, seed));
                        }
                        Ok::<_, DataError>(judged)
                    })
                })
                .collect();
            let mut all = Vec::new();
            for handle in handles {
                let part = handle.join();
                all.extend(part.unwrap_or_else(|panic| std::panic::resume_unwind(panic))?);
            }
            Ok(all)
        })
    }

    /// A position and some beside it, judged; those in check, which a search never asks about, and those that are decided are
    /// left out.
    fn around(&self, engine: &Engine, start: &Position, seed: u64) -> impl Iterator<Item = Record> {
        let mut random = Random::new(seed);
        (0..self.each).filter_map(move |n| {
            let position = match n {
                0 => start.clone(),
                _ => {
                    let plies = 1 + random.below(ASIDE);
                    random.walk(start.clone(), plies, &mut |_| {})
                }
            };
            let total = engine.evaluate(&position)?.total;
            (!position.in_check() && total.abs() <= OPEN).then(|| Record {
                turn: position.turn(),
                scene: scene(&position),
                score: match position.turn() {
                    Side::White => total as i16,
                    Side::Black => -total as i16,
                },
            })
        })
    }
}
