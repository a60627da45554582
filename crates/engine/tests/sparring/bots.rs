//! Two beginners as programs: one captures whatever it can, one counts.

use husun::{Kind, Move, Position, Side, Status, Variant};
use husun_engine::values::estimate;

/// A pseudo-random number generator (xorshift), the same in every run from the same seed.
pub struct Dice(u64);

impl Dice {
    /// From any seed.
    pub fn new(seed: u64) -> Dice {
        Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// A number below the bound, which is not 0.
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 20) as usize % bound
    }

    /// One of them; none if there are none.
    pub fn one_of(&mut self, moves: &[Move]) -> Option<Move> {
        (!moves.is_empty()).then(|| moves[self.below(moves.len())])
    }
}

/// Captures something if it can, no matter what and with what, all captures equally likely; otherwise it makes any
/// legal move, all equally likely.
pub fn grabber(position: &Position, dice: &mut Dice) -> Option<Move> {
    let moves = position.legal_moves();
    let captures: Vec<Move> = moves
        .iter()
        .copied()
        .filter(|&m| position.is_capture(m))
        .collect();
    dice.one_of(&captures).or_else(|| dice.one_of(&moves))
}

/// Counts material. The worth of a move is what it takes and what the piece gains by promotion, in the values that
/// the engine estimates for the game early in it; a move that wins at once is worth more than all pieces. In four
/// turns of five, drawn anew each turn, it sees immediate recaptures: if the opponent has a legal capture on the
/// square that the piece went to, the worth of that piece is subtracted. Of the moves of highest worth it makes one
/// that goes forward, not with a royal piece, all equally likely; if there is none, any of them.
pub struct Counter {
    /// By kind, in centipawns.
    worth: Vec<i32>,
    royal: Vec<bool>,
}

/// What winning at once is worth.
const ALL: i32 = 1_000_000;

impl Counter {
    /// For a game.
    pub fn new(variant: &Variant) -> Counter {
        let values = estimate(variant);
        Counter {
            worth: variant
                .kinds()
                .map(|k| values.piece(variant, k).mg)
                .collect(),
            royal: variant.kinds().map(|k| variant.piece(k).royal).collect(),
        }
    }

    /// Its move; none if there is no legal one.
    pub fn choose(&self, position: &Position, dice: &mut Dice) -> Option<Move> {
        let attentive = dice.below(5) < 4;
        let mut best: Vec<Move> = Vec::new();
        let mut highest = i32::MIN;
        for m in position.legal_moves() {
            let worth = self.worth_of(position, m, attentive);
            if worth > highest {
                (highest, best) = (worth, Vec::new());
            }
            if worth == highest {
                best.push(m);
            }
        }
        let forward: Vec<Move> = best
            .iter()
            .copied()
            .filter(|&m| !self.royal[m.piece().index()] && is_forward(position, m))
            .collect();
        dice.one_of(&forward).or_else(|| dice.one_of(&best))
    }

    fn worth_of(&self, position: &Position, m: Move, attentive: bool) -> i32 {
        let worth = |kind: Kind| self.worth[kind.index()];
        let taken = position.captured(m).map_or(0, |(_, _, kind)| worth(kind));
        let gained = match m.changes_kind() {
            true => worth(m.placed()) - worth(m.piece()),
            false => 0,
        };
        let after = position.play_unchecked(m);
        let won = match after.status() {
            Status::Ongoing => false,
            status => after.winner(status) == Some(position.turn()),
        };
        let back = attentive
            && after
                .find_move(|reply| {
                    after
                        .captured(reply)
                        .is_some_and(|(square, ..)| square == m.to())
                })
                .is_some();
        let lost = if back { worth(m.placed()) } else { 0 };
        taken + gained - lost + if won { ALL } else { 0 }
    }
}

fn is_forward(position: &Position, m: Move) -> bool {
    let frame = position.variant().frame();
    let (from, to) = (frame.rank(m.from()), frame.rank(m.to()));
    match position.turn() {
        Side::White => to > from,
        Side::Black => to < from,
    }
}
