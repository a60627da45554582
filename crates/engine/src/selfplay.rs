//! Games that an engine plays against itself, as the tuning of values and the training of networks need them: from a
//! random opening, with few positions visited for each move, and not played on once they are decided.

use crate::engine::Engine;
use crate::limits::Limits;
use crate::random::Random;
use crate::score::Score;
use husun::{Move, Position, Side, Status};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::channel;
use std::sync::{Mutex, PoisonError};

/// Longest game, in plies.
const LONGEST: usize = 300;
/// From this score on, in centipawns, a position says nothing about values: the game is decided.
pub const OPEN: i32 = 1000;
/// Score at which a game counts as decided if it stays there.
const DECIDED: i32 = 1201;
/// So many times the wanted number of positions may be visited where the number is not a strict one.
const AT_MOST: u64 = 4;

/// How much is searched for each move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// This many positions.
    Exactly(u64),
    /// The depth at which this many positions have been visited is completed, within four times as many: what
    /// is known of a position is then the result of a whole iteration.
    About(u64),
}

/// How the games are played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terms {
    /// How much is searched for each move.
    pub effort: Effort,
    /// Plies of random moves before a game; up to three more are made.
    pub opening: u32,
}

/// A position of a game.
#[derive(Clone, Debug)]
pub struct Seen {
    /// The position.
    pub position: Position,
    /// What the search thought of it for White, in centipawns or as a mate score.
    pub score: i32,
    /// Whether neither is the side to move in check nor is its best move a capture or a promotion.
    pub quiet: bool,
}

impl Seen {
    /// What the search thought of it, for White.
    pub fn thought(&self) -> Score {
        Score::of(self.score)
    }
}

/// A finished game.
#[derive(Clone, Debug)]
pub struct Played {
    /// The positions that were searched, in their order.
    pub seen: Vec<Seen>,
    /// What White scored, 0 to 1.
    pub result: f64,
    /// The random numbers, as the game has left them.
    pub(crate) random: Random,
}

/// Plays a game of an engine against itself. The same engine, terms and seed give the same game.
pub fn play(engine: &mut Engine, terms: Terms, seed: u64) -> Played {
    let start = engine.variant().start();
    engine.clear();
    game(start, terms, seed, DECIDED, |position, keys| {
        think(engine, position, keys, terms.effort)
    })
}

/// Plays a game from a position as [`play`] does, but on to its end, however clearly it is decided.
pub fn play_out(engine: &mut Engine, start: Position, terms: Terms, seed: u64) -> Played {
    engine.clear();
    game(start, terms, seed, i32::MAX, |position, keys| {
        think(engine, position, keys, terms.effort)
    })
}

/// Plays a game of two engines for the same game, White's first, and returns what White scored, 0 to 1.
pub fn duel(engines: [&mut Engine; 2], terms: Terms, seed: u64) -> f64 {
    let [white, black] = engines;
    let start = white.variant().start();
    white.clear();
    black.clear();
    let played = game(start, terms, seed, DECIDED, |position, keys| {
        let engine = match position.turn() {
            Side::White => &mut *white,
            Side::Black => &mut *black,
        };
        think(engine, position, keys, terms.effort)
    });
    played.result
}

/// Plays a game whose moves, with their scores for the side to move, are found by `think`, until it is over or a score stays
/// at `enough` for one side.
fn game(
    start: Position,
    terms: Terms,
    seed: u64,
    enough: i32,
    mut think: impl FnMut(&Position, &[u64]) -> (Option<Move>, i32),
) -> Played {
    let mut random = Random::new(seed);
    let (mut position, mut keys) = opening(start, terms.opening, &mut random);
    let mut seen = Vec::new();
    // For how many plies White has been seen winning, or losing if that is below 0.
    let mut decided = 0_i32;
    let result = loop {
        if let Some(result) = result(&position, &keys) {
            break result;
        }
        let (best, score) = think(&position, &keys);
        let Some(best) = best else { break 0.5 };
        let white = match position.turn() {
            Side::White => score,
            Side::Black => -score,
        };
        decided = match white {
            _ if white >= enough => decided.max(0) + 1,
            _ if white <= -enough => decided.min(0) - 1,
            _ => 0,
        };
        if decided.abs() > 4 {
            break f64::from(u8::from(decided > 0));
        }
        let quiet = !position.in_check() && !position.is_capture(best) && !best.changes_kind();
        keys.push(position.key());
        let next = position.play_unchecked(best);
        seen.push(Seen {
            position: std::mem::replace(&mut position, next),
            score: white,
            quiet,
        });
    };
    Played {
        seen,
        result,
        random,
    }
}

/// Random moves from the start, with the keys of the positions passed.
fn opening(start: Position, plies: u32, random: &mut Random) -> (Position, Vec<u64>) {
    let mut keys = Vec::new();
    let plies = u64::from(plies) + random.below(4);
    let position = random.walk(start, plies, &mut |left| keys.push(left.key()));
    (position, keys)
}

/// What White has scored, if the game is over: by its rules, by a third occurrence of a position or because it is long.
fn result(position: &Position, keys: &[u64]) -> Option<f64> {
    let status = position.status();
    if status != Status::Ongoing {
        return Some(match position.winner(status) {
            Some(Side::White) => 1.0,
            Some(Side::Black) => 0.0,
            None => 0.5,
        });
    }
    let again = keys.iter().filter(|&&k| k == position.key()).count();
    (again >= 2 || keys.len() > LONGEST).then_some(0.5)
}

/// The best move, with its score for the side to move.
fn think(
    engine: &mut Engine,
    position: &Position,
    keys: &[u64],
    effort: Effort,
) -> (Option<Move>, i32) {
    let stop = AtomicBool::new(false);
    let (limits, enough) = match effort {
        Effort::Exactly(nodes) => (Limits::nodes(nodes), u64::MAX),
        Effort::About(nodes) => (Limits::nodes(nodes.saturating_mul(AT_MOST)), nodes),
    };
    let found = engine.search(position, keys, &limits, &stop, &mut |info| {
        if info.nodes >= enough {
            stop.store(true, Relaxed);
        }
    });
    (found.best, found.score.value())
}

/// Plays many games on several threads, each with an engine of its own. `one` plays the game with a number; `take` is
/// given what came of it, in the order in which games end, until it breaks off: games under way are then lost.
pub fn many<T: Send>(
    threads: usize,
    numbers: impl Iterator<Item = u64> + Send,
    make: impl Fn() -> Engine + Sync,
    one: impl Fn(&mut Engine, u64) -> T + Sync,
    take: &mut dyn FnMut(u64, T) -> ControlFlow<()>,
) {
    let (numbers, over) = (Mutex::new(numbers), AtomicBool::new(false));
    let next = || {
        let mut numbers = numbers.lock().unwrap_or_else(PoisonError::into_inner);
        numbers.next().filter(|_| !over.load(Relaxed))
    };
    std::thread::scope(|scope| {
        let (sender, found) = channel();
        for _ in 0..threads.max(1) {
            let (sender, next, make, one) = (sender.clone(), &next, &make, &one);
            scope.spawn(move || {
                let mut engine = make();
                while let Some(number) = next() {
                    let played = one(&mut engine, number);
                    if sender.send((number, played)).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        for (number, played) in found {
            if take(number, played).is_break() {
                over.store(true, Relaxed);
                break;
            }
        }
    });
}
