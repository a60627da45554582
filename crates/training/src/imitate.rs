//! Positions that the engine's values judge. No search is needed for these, so there can be as many as memory allows, of all
//! kinds that a search meets: a network that has first learned what the values know has only the rest to learn from games.

use crate::data::{DataError, GameRecords, OPEN, Record, scene};
use engine::{Engine, Random};
use husun::{Kind, Move, Position, Side, Square, Status};

/// The most random moves that lead away from a position of a game.
const ASIDE: u64 = 3;

/// Those that judge.
pub(crate) struct Teachers {
    /// One for each thread.
    engines: Vec<Engine>,
    /// How many positions are judged for each position of a game: itself, then others near it.
    each: usize,
}

impl Teachers {
    pub fn new(make: impl Fn() -> Engine, threads: usize, each: usize) -> Teachers {
        Teachers {
            engines: (0..threads.max(1)).map(|_| make()).collect(),
            each,
        }
    }

    /// One of them.
    pub fn one(&self) -> Option<&Engine> {
        self.engines.first()
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
                n => {
                    let plies = 1 + random.below(ASIDE);
                    match (n % 2, random.below(2)) {
                        (1, _) => clash(&mut random, start, plies),
                        (_, 0) => random.walk(start.clone(), plies, &mut |_| {}),
                        _ => {
                            let near = random.walk(start.clone(), plies, &mut |_| {});
                            elsewhere(&mut random, &near)?
                        }
                    }
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

/// The position after so many random moves, every other one a capture or a promotion where there is one: a search asks about
/// many positions in which men are missing.
fn clash(random: &mut Random, from: &Position, plies: u64) -> Position {
    let mut position = from.clone();
    for _ in 0..plies {
        let moves = position.legal_moves();
        let changes = |m: &&Move| position.captured(**m).is_some() || m.placed() != m.piece();
        let some: Vec<&Move> = match random.below(2) {
            0 => moves.iter().filter(changes).collect(),
            _ => Vec::new(),
        };
        let chosen = match some.is_empty() {
            true => random.of(&moves).copied(),
            false => random.of(&some).map(|m| **m),
        };
        let Some(next) = chosen.map(|m| position.play_unchecked(m)) else {
            break;
        };
        if next.status() != Status::Ongoing {
            break;
        }
        position = next;
    }
    position
}

/// The position with one man, of a kind drawn by lot, on another square: so every kind is seen everywhere, as it seldom is in
/// games. None if the rules don't allow that.
fn elsewhere(random: &mut Random, from: &Position) -> Option<Position> {
    let variant = from.variant();
    let mut setup = from.setup();
    let (mut men, mut empty) = (Vec::new(), Vec::new());
    for square in variant.frame().squares() {
        match setup.piece_on(square) {
            Some((_, kind)) if variant.piece(kind).royal => {}
            Some((_, kind)) => men.push((kind, square)),
            None => empty.push(square),
        }
    }
    let mut kinds: Vec<Kind> = men.iter().map(|(kind, _)| *kind).collect();
    kinds.sort_unstable_by_key(|kind| kind.index());
    kinds.dedup();
    let kind = *random.of(&kinds)?;
    let of_it: Vec<Square> = men
        .iter()
        .filter(|man| man.0 == kind)
        .map(|man| man.1)
        .collect();
    let (old, new) = (random.of(&of_it)?, random.of(&empty)?);
    setup.board.swap(old.index(), new.index());
    setup.en_passant.clear();
    Position::from_setup(variant, &setup).ok()
}
