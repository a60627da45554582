//! Scores and lines as people read them, always from White's side.

use engine::{Info, Score, Wdl};
use husun::{Move, Position, Side};

/// A score for the side to move, from White's side.
pub fn for_white(turn: Side, score: Score) -> Score {
    match (turn, score) {
        (Side::White, score) => score,
        (Side::Black, Score::Cp(cp)) => Score::Cp(-cp),
        (Side::Black, Score::Mate(n)) => Score::Mate(-n),
    }
}

/// Chances for the side to move, from White's side: win, draw, loss.
pub fn chances_for_white(turn: Side, wdl: Wdl) -> [u16; 3] {
    match turn {
        Side::White => [wdl.win, wdl.draw, wdl.loss],
        Side::Black => [wdl.loss, wdl.draw, wdl.win],
    }
}

/// White's score, such as `+0.35` or `#-3`.
pub fn score(score: Score) -> String {
    match score {
        Score::Cp(cp) => format!("{:+.2}", f64::from(cp) / 100.0),
        Score::Mate(n) => format!("#{n}"),
    }
}

/// Moves with their numbers, such as `12... e5 13. Nf3`.
pub fn line(position: &Position, line: &[Move]) -> String {
    let mut words = Vec::with_capacity(2 * line.len());
    let mut position = position.clone();
    for (i, &m) in line.iter().enumerate() {
        match position.turn() {
            Side::White => words.push(format!("{}.", position.fullmove())),
            Side::Black if i == 0 => words.push(format!("{}...", position.fullmove())),
            Side::Black => {}
        }
        words.push(position.san(m).unwrap_or_default());
        position = position.play_unchecked(m);
    }
    words.join(" ")
}

/// What has been found so far, in one line.
pub fn info(position: &Position, info: &Info) -> String {
    let turn = position.turn();
    let [win, draw, loss] = chances_for_white(turn, info.wdl).map(|n| f64::from(n) / 10.0);
    format!(
        "{:>3}/{:<3} {:>7}  {win:>3.0}% {draw:>3.0}% {loss:>3.0}%  {:>11} nodes {:>8.2} s  {}",
        info.depth,
        info.seldepth,
        score(for_white(turn, info.score)),
        info.nodes,
        info.time.as_secs_f64(),
        line(position, &info.pv)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_and_lines() {
        let black = |s| score(for_white(Side::Black, s));
        assert_eq!(score(Score::Cp(35)), "+0.35");
        assert_eq!(black(Score::Cp(105)), "-1.05");
        assert_eq!(black(Score::Mate(2)), "#-2");
        let chess = games::variant("chess").unwrap();
        let mut position = chess.start();
        let mut moves = Vec::new();
        for san in ["e4", "e5", "Nf3"] {
            let m = position.parse_san(san).unwrap();
            position = position.play_unchecked(m);
            moves.push(m);
        }
        assert_eq!(line(&chess.start(), &moves), "1. e4 e5 2. Nf3");
        let after = chess.start().play_unchecked(moves[0]);
        assert_eq!(line(&after, &moves[1..]), "1... e5 2. Nf3");
        assert_eq!(line(&after, &[]), "");
    }
}
