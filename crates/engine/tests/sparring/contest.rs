//! Games between sparring partners and levels, from random openings that favour nobody, each opening played with
//! both colours; a player far ahead for long has won.

use super::bots::{Counter, Dice, grabber};
use husun::{Game, Move, Position, Side, Variant};
use husun_engine::{Engine, Level, Limits, Options};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Who plays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Player {
    Grabber,
    Counter,
    /// A level of the engine; full strength with so many positions a move.
    Level(Level, u64),
}

/// How games are played.
#[derive(Clone, Copy, Debug)]
pub struct Terms {
    /// Half-moves of the random openings.
    pub opening: usize,
    /// The most that an opening may favour a side, in centipawns.
    pub balance: i32,
    /// A side has won if the full engine, visiting `JUDGED` positions, sees it ahead by this much ...
    pub ahead: i32,
    /// ... for this many half-moves in a row.
    pub held: u32,
    /// Half-moves after which a game is drawn.
    pub longest: usize,
    /// Seed of everything random.
    pub seed: u64,
}

/// Positions visited to decide who is ahead.
const JUDGED: u64 = 150;

impl Default for Terms {
    fn default() -> Terms {
        Terms {
            opening: 4,
            balance: 100,
            ahead: 900,
            held: 10,
            longest: 400,
            seed: 1,
        }
    }
}

/// One of the two, ready to play a game.
struct Seat {
    player: Player,
    counter: Counter,
    engine: Option<Engine>,
    dice: Dice,
}

impl Seat {
    fn new(variant: &Arc<Variant>, player: Player, seed: u64) -> Seat {
        let engine = match player {
            Player::Level(level, _) => Some(engine(variant, level, seed)),
            _ => None,
        };
        Seat {
            player,
            counter: Counter::new(variant),
            engine,
            dice: Dice::new(seed),
        }
    }

    /// Gets ready for another game.
    fn reset(&mut self, seed: u64) {
        self.dice = Dice::new(seed);
        if let Some(engine) = &mut self.engine {
            let options = engine.options().clone();
            engine.set_options(Options { seed, ..options });
            engine.clear();
        }
    }

    /// Its move; none if it accepts a draw.
    fn choose(&mut self, game: &Game) -> Option<Move> {
        let position = game.position();
        match (self.player, &mut self.engine) {
            (Player::Level(_, nodes), Some(engine)) => {
                let keys: Vec<u64> = (0..game.moves().len())
                    .filter_map(|ply| game.position_at(ply).map(Position::key))
                    .collect();
                let stop = AtomicBool::new(false);
                let limits = Limits::nodes(nodes);
                let found = engine.search(position, &keys, &limits, &stop, &mut |_| {});
                found.best.filter(|_| !found.accept)
            }
            (Player::Counter, _) => self.counter.choose(position, &mut self.dice),
            _ => grabber(position, &mut self.dice),
        }
    }
}

fn engine(variant: &Arc<Variant>, level: Level, seed: u64) -> Engine {
    let options = Options {
        level,
        seed,
        ..Options::default()
    };
    let id = variant.id();
    Engine::tuned(
        variant.clone(),
        games::values(id),
        games::network(id),
        options,
    )
}

/// A match of two in a game.
pub struct Contest {
    variant: Arc<Variant>,
    terms: Terms,
    judge: Engine,
    seats: [Seat; 2],
}

impl Contest {
    pub fn new(variant: &Arc<Variant>, players: [Player; 2], terms: Terms) -> Contest {
        Contest {
            judge: engine(variant, Level::FULL, 0),
            seats: players.map(|player| Seat::new(variant, player, terms.seed)),
            variant: variant.clone(),
            terms,
        }
    }

    /// Plays an opening with both colours: what the first of the two players scores in each game.
    pub fn pair(&mut self, number: u64) -> [f64; 2] {
        let opening = self.opening(number);
        [Side::White, Side::Black].map(|first| {
            let white = self.play(&opening, first, number);
            match first {
                Side::White => white,
                Side::Black => 1.0 - white,
            }
        })
    }

    fn score(&mut self, position: &Position) -> i32 {
        let stop = AtomicBool::new(false);
        let limits = Limits::nodes(JUDGED);
        let found = self
            .judge
            .search(position, &[], &limits, &stop, &mut |_| {});
        let score = found.score.value();
        if position.turn() == Side::White {
            score
        } else {
            -score
        }
    }

    fn opening(&mut self, number: u64) -> Vec<Move> {
        let mut dice = Dice::new(self.terms.seed << 32 ^ (number + 1));
        let usual = self.score(&self.variant.start()).abs();
        loop {
            let mut game = Game::new(self.variant.start());
            for _ in 0..self.terms.opening {
                let Some(m) = dice.one_of(&game.position().legal_moves()) else {
                    break;
                };
                if game.play(m).is_err() {
                    break;
                }
            }
            let fair = self.score(game.position()).abs() <= self.terms.balance.max(usual);
            if game.outcome().is_none() && fair {
                return game.moves().to_vec();
            }
        }
    }

    /// What White scores, `first` being the side of the first player.
    fn play(&mut self, opening: &[Move], first: Side, number: u64) -> f64 {
        for (i, seat) in self.seats.iter_mut().enumerate() {
            seat.reset((self.terms.seed << 32) + 4 * number + 2 * first.index() as u64 + i as u64);
        }
        let mut game = Game::new(self.variant.start());
        for &m in opening {
            let _ = game.play(m);
        }
        let (mut ahead, mut held) = (0, 0);
        while game.outcome().is_none() && game.moves().len() < self.terms.longest {
            let turn = game.turn();
            let seat = &mut self.seats[usize::from(turn != first)];
            let done = match seat.choose(&game) {
                Some(m) => game.play(m).map(|_| ()),
                None => game.accept().map(|_| ()),
            };
            assert!(done.is_ok(), "a legal move: {}", game.position().fen());
            let score = self.score(game.position());
            let now = if score.abs() >= self.terms.ahead {
                score.signum()
            } else {
                0
            };
            held = if now != 0 && now == ahead {
                held + 1
            } else {
                u32::from(now != 0)
            };
            ahead = now;
            if held >= self.terms.held {
                return if ahead > 0 { 1.0 } else { 0.0 };
            }
        }
        match game.outcome().map(|o| o.winner) {
            Some(Some(Side::White)) => 1.0,
            Some(Some(Side::Black)) => 0.0,
            _ => 0.5,
        }
    }
}

/// Results of pairs of games.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// Pairs by points: 0, 0.5, 1, 1.5, 2.
    pairs: [u32; 5],
    /// Games lost, drawn, won.
    games: [u32; 3],
}

impl Tally {
    pub fn add(&mut self, scores: [f64; 2]) {
        self.pairs[((scores[0] + scores[1]) * 2.0) as usize] += 1;
        for score in scores {
            self.games[(score * 2.0) as usize] += 1;
        }
    }

    pub fn count(&self) -> u32 {
        self.games.iter().sum()
    }

    /// Share of the points.
    pub fn share(&self) -> f64 {
        let [_, drawn, won] = self.games.map(f64::from);
        (won + drawn / 2.0) / f64::from(self.count().max(1))
    }

    /// Half the width of the share's 95% interval, from the spread of the pairs.
    pub fn error(&self) -> f64 {
        let n = f64::from(self.pairs.iter().sum::<u32>().max(1));
        let mean = self.share();
        let spread =
            |(i, &count): (usize, &u32)| (i as f64 / 4.0 - mean).powi(2) * f64::from(count);
        let variance = self.pairs.iter().enumerate().map(spread).sum::<f64>() / n;
        1.96 * (variance / n).sqrt()
    }
}

impl std::fmt::Display for Tally {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (share, error) = (self.share(), self.error());
        let elo = |x: f64| {
            let x = x.clamp(0.01, 0.99);
            400.0 * (x / (1.0 - x)).log10()
        };
        let [lost, drawn, won] = self.games;
        write!(
            f,
            "{won}-{drawn}-{lost}  {:.1}%  Elo {:+.0} ({:+.0} to {:+.0})",
            100.0 * share,
            elo(share),
            elo(share - error),
            elo(share + error)
        )
    }
}
