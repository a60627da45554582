//! Winning chances and accuracy. For a single position or move these are the published formulas of lichess
//! (<https://lichess.org/page/accuracy>); a whole game weighs its moves by how much was at stake.

use crate::score::Score;

/// Beyond this many centipawns, and with a forced win, a side has won: nobody is blamed for a slower win.
const WON: i32 = 1000;
/// How fast an advantage becomes a chance (lichess, from its own games).
const SLOPE: f64 = 0.003_682_08;

/// The chance of winning of the side that a score is for, in percent: 2.5 to 97.5.
///
/// ```
/// use husun_engine::{review::win_chance, Score};
/// assert_eq!(win_chance(Score::Cp(0)), 50.0);
/// assert!((win_chance(Score::Cp(100)) - 59.1).abs() < 0.1);
/// assert_eq!(win_chance(Score::Mate(3)), win_chance(Score::Cp(5000)));
/// ```
pub fn win_chance(score: Score) -> f64 {
    let cp = match score {
        Score::Cp(cp) => cp.clamp(-WON, WON),
        Score::Mate(n) if n > 0 => WON,
        Score::Mate(_) => -WON,
    };
    100.0 / (1.0 + (-SLOPE * f64::from(cp)).exp())
}

/// How good a move is that gives away this many percentage points of winning chance, from 0 to 100.
///
/// ```
/// use husun_engine::review::accuracy_of_move;
/// assert!(accuracy_of_move(0.0) > 99.9);
/// assert!((accuracy_of_move(10.0) - 63.6).abs() < 0.1);
/// assert_eq!(accuracy_of_move(95.0), 0.0);
/// ```
pub fn accuracy_of_move(loss: f64) -> f64 {
    (103.1668 * (-0.04354 * loss.max(0.0)).exp() - 3.1669).clamp(0.0, 100.0)
}

/// Least and most positions over which the liveliness of a game is measured: a tenth of the game, within these.
const WINDOW: (usize, usize) = (2, 8);
/// Least and most weight of a move.
const WEIGHT: (f64, f64) = (0.5, 12.0);
/// Least accuracy that enters a harmonic mean: otherwise one move of 0 would be all that counts.
const LEAST: f64 = 1.0;

/// A side's accuracy in a game from those of its moves, each with its half-move from 0. `chances` are those of the
/// positions, the start first. Half of it is the mean of the moves weighted by how lively the game was around each,
/// half their harmonic mean, in which a bad move counts for more than a good one. None for a side that has not moved.
pub fn accuracy_of_game(chances: &[f64], moves: &[(usize, f64)]) -> Option<f64> {
    if moves.is_empty() {
        return None;
    }
    let width = (chances.len() / 10).clamp(WINDOW.0, WINDOW.1);
    let (mut sum, mut weights, mut inverse) = (0.0, 0.0, 0.0);
    for &(ply, accuracy) in moves {
        // Up to the position after the move.
        let end = (ply + 2).min(chances.len());
        let window = &chances[end.saturating_sub(width)..end];
        let weight = deviation(window).clamp(WEIGHT.0, WEIGHT.1);
        sum += weight * accuracy;
        weights += weight;
        inverse += 1.0 / accuracy.max(LEAST);
    }
    let harmonic = moves.len() as f64 / inverse;
    Some(f64::midpoint(sum / weights, harmonic))
}

fn deviation(values: &[f64]) -> f64 {
    let n = values.len().max(1) as f64;
    let mean = values.iter().sum::<f64>() / n;
    let squares = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>();
    (squares / n).sqrt()
}
