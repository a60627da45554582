//! Review of a game: from what the engine thinks of each of its positions to the loss of each move, mistakes by kind
//! and size, each side's accuracy and the turning points. Nothing is searched here. The formulas are explained in
//! docs/review.md.

mod accuracy;
mod fault;
#[cfg(test)]
mod tests;

pub use accuracy::{accuracy_of_game, accuracy_of_move, win_chance};
pub use fault::{Fault, FaultKind, Size};

use crate::score::Score;
use crate::values::Values;
use fault::Judged;
use husun::{Game, Move, Side};

/// What the engine thinks of a position.
#[derive(Clone, Debug, PartialEq)]
pub struct Opinion {
    /// For the side to move. If the rules have ended the game: a mate in 0 if that side has lost, a mate in 1 if it
    /// has won, 0 for a draw.
    pub score: Score,
    /// The expected line; empty if the game has ended.
    pub line: Vec<Move>,
}

/// A move of a reviewed game.
#[derive(Clone, Debug, PartialEq)]
pub struct ReviewedMove {
    /// White's chance of winning after it, in percent.
    pub chance: f64,
    /// How much of the mover's chance it gave away, in percentage points.
    pub loss: f64,
    /// How good it was, from 0 to 100.
    pub accuracy: f64,
    /// Whether the engine would have made it.
    pub best: bool,
    /// What was wrong with it.
    pub fault: Option<Fault>,
}

/// A reviewed game.
#[derive(Clone, Debug, PartialEq)]
pub struct Review {
    /// White's chance of winning at the start, in percent.
    pub start: f64,
    /// The moves.
    pub moves: Vec<ReviewedMove>,
    /// White's and Black's accuracy from 0 to 100; none for a side that has not moved.
    pub accuracy: [Option<f64>; 2],
    /// Half-moves, from 0, at which the game turned: few, in order.
    pub turning: Vec<usize>,
}

/// The most turning points of one side.
const TURNS: usize = 4;

/// White's chance of winning.
fn for_white(turn: Side, score: Score) -> f64 {
    match turn {
        Side::White => win_chance(score),
        Side::Black => 100.0 - win_chance(score),
    }
}

/// Reviews a game. `opinions` are those of its positions, the start first; the result is none if there are too few
/// or too many.
///
/// ```
/// use husun::Game;
/// use husun_engine::review::{review, Opinion, Size};
/// use husun_engine::{values::estimate, Score};
///
/// let chess = games::variant("chess").unwrap();
/// let mut game = Game::new(chess.start());
/// for uci in ["f2f3", "e7e5", "g2g4", "d8h4"] {
///     game.play(game.position().parse_uci(uci).unwrap()).unwrap();
/// }
/// let thought = [Score::Cp(20), Score::Cp(90), Score::Cp(-90), Score::Mate(1), Score::Mate(0)];
/// let opinions = thought.map(|score| Opinion { score, line: Vec::new() });
/// let found = review(&game, &opinions, &estimate(&chess)).unwrap();
/// assert_eq!(found.moves[2].fault.unwrap().size, Size::Blunder);
/// ```
pub fn review(game: &Game, opinions: &[Opinion], values: &Values) -> Option<Review> {
    if opinions.len() != game.moves().len() + 1 {
        return None;
    }
    let mut moves = Vec::with_capacity(game.moves().len());
    let mut chances = vec![for_white(game.start().turn(), opinions[0].score)];
    for (ply, &m) in game.moves().iter().enumerate() {
        let position = game.position_at(ply)?;
        let after = game.position_at(ply + 1)?;
        let judged = Judged {
            position,
            m,
            before: &opinions[ply],
            after: &opinions[ply + 1],
            values,
        };
        let best = judged.is_best();
        let loss = judged.loss();
        chances.push(for_white(after.turn(), opinions[ply + 1].score));
        moves.push(ReviewedMove {
            chance: chances[ply + 1],
            loss,
            accuracy: accuracy_of_move(loss),
            best,
            fault: judged.fault(),
        });
    }
    let mover = |ply: usize| game.position_at(ply).map(|p| p.turn());
    let accuracy = Side::ALL.map(|side| {
        let own = |ply: &usize| mover(*ply) == Some(side);
        let own = (0..moves.len()).filter(own);
        let own: Vec<(usize, f64)> = own.map(|ply| (ply, moves[ply].accuracy)).collect();
        accuracy_of_game(&chances, &own)
    });
    let mut turning: Vec<usize> = Vec::new();
    for side in Side::ALL {
        turning.extend(turns(&moves, opinions, |ply| mover(ply) == Some(side)));
    }
    turning.sort_unstable();
    Some(Review {
        start: chances[0],
        moves,
        accuracy,
        turning,
    })
}

/// The moves of one side that cost it most: mistakes and blunders for which a better move is known.
fn turns(moves: &[ReviewedMove], opinions: &[Opinion], own: impl Fn(usize) -> bool) -> Vec<usize> {
    let turns = |ply: &usize| {
        let heavy = |fault: &Fault| fault.size >= Size::Mistake;
        own(*ply)
            && moves[*ply].fault.as_ref().is_some_and(heavy)
            && !opinions[*ply].line.is_empty()
    };
    let mut all: Vec<usize> = (0..moves.len()).filter(turns).collect();
    all.sort_by(|&a, &b| moves[b].loss.total_cmp(&moves[a].loss));
    all.truncate(TURNS);
    all
}
