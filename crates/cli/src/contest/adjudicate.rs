//! Games that need not be played to their end, because both engines agree on the evaluation.

use anyhow::{Result, anyhow, ensure};
use husun::Side;

/// A win that both engines have seen for a while: one thinks itself this much better, the other this much worse.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Resign {
    pub cp: i32,
    /// Moves of each side in a row.
    pub moves: u32,
}

/// A draw that both engines have seen for a while.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Draw {
    /// The most that either side may think itself better or worse.
    pub cp: i32,
    /// Moves of each side in a row.
    pub moves: u32,
    /// Number of the move from which draws are considered.
    pub from: u32,
}

/// What ends games early.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rules {
    pub resign: Option<Resign>,
    pub draw: Option<Draw>,
}

impl Rules {
    /// These rules in a game that begins with an advantage: a win must be seen by that much more.
    pub fn beyond_lead(self, cp: i32) -> Rules {
        let raised = |r: Resign| Resign {
            cp: r.cp.saturating_add(cp),
            ..r
        };
        Rules {
            resign: self.resign.map(raised),
            ..self
        }
    }
}

/// Reads as many whole numbers as there are names, none below 0 and numbers of moves above 0.
fn numbers<const N: usize>(text: &str, names: &str) -> Result<[i32; N]> {
    let wrong = || anyhow!("`{text}`: expected {names} with commas between them");
    let all: Vec<i32> = text
        .split(',')
        .map(|word| word.trim().parse().map_err(|_| wrong()))
        .collect::<Result<_>>()?;
    ensure!(all.iter().all(|&n| n >= 0), "`{text}`: expected no minus");
    ensure!(
        all.get(1).is_none_or(|&n| n > 0),
        "`{text}`: expected at least one move"
    );
    all.try_into().map_err(|_| wrong())
}

/// Reads `CP,MOVES`.
pub fn resign(text: &str) -> Result<Resign> {
    let [cp, moves] = numbers(text, "CP,MOVES")?;
    Ok(Resign {
        cp,
        moves: moves.unsigned_abs(),
    })
}

/// Reads `CP,MOVES,FROM`.
pub fn draw(text: &str) -> Result<Draw> {
    let [cp, moves, from] = numbers(text, "CP,MOVES,FROM")?;
    Ok(Draw {
        cp,
        moves: moves.unsigned_abs(),
        from: from.unsigned_abs(),
    })
}

/// How a game ends early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    Won(Side),
    Drawn,
}

/// How many moves in a row a side has thought so.
#[derive(Clone, Copy, Debug, Default)]
struct Streak {
    better: u32,
    worse: u32,
    even: u32,
}

/// What both sides have reported in a game so far.
#[derive(Clone, Debug, Default)]
pub struct Opinions([Streak; 2]);

impl Opinions {
    /// Records what a side thinks of its position as it makes the move with this number, and returns the verdict if
    /// both agree by now. A side that reports no score agrees to nothing.
    pub fn add(
        &mut self,
        rules: &Rules,
        side: Side,
        score: Option<i32>,
        number: u32,
    ) -> Option<Verdict> {
        let own = &mut self.0[side.index()];
        let count = |n: u32, holds: bool| if holds { n + 1 } else { 0 };
        if let Some(resign) = rules.resign {
            own.better = count(own.better, score.is_some_and(|s| s >= resign.cp));
            own.worse = count(own.worse, score.is_some_and(|s| s <= -resign.cp));
        }
        if let Some(draw) = rules.draw {
            let even = number >= draw.from && score.is_some_and(|s| s.abs() <= draw.cp);
            own.even = count(own.even, even);
        }
        let won = |side: Side| {
            let (us, them) = (self.0[side.index()], self.0[side.opponent().index()]);
            let moves = rules.resign.map(|r| r.moves);
            moves.is_some_and(|n| us.better >= n && them.worse >= n)
        };
        if let Some(side) = Side::ALL.into_iter().find(|&side| won(side)) {
            return Some(Verdict::Won(side));
        }
        let drawn = rules
            .draw
            .is_some_and(|draw| self.0.iter().all(|s| s.even >= draw.moves));
        drawn.then_some(Verdict::Drawn)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_must_agree() {
        let rules = Rules {
            resign: Some(resign("500,2").unwrap()),
            draw: Some(draw("10, 2, 5").unwrap()),
        };
        let play = |scores: &[i32]| {
            let mut opinions = Opinions::default();
            let mut verdict = None;
            for (i, &score) in scores.iter().enumerate() {
                let side = Side::ALL[i % 2];
                assert_eq!(verdict, None, "{scores:?}");
                verdict = opinions.add(&rules, side, Some(score), 1 + i as u32 / 2);
            }
            verdict
        };
        // Black has yet to say a second time that it is lost.
        assert_eq!(play(&[600, -600, 600]), None);
        assert_eq!(
            play(&[600, -600, 600, -600]),
            Some(Verdict::Won(Side::White))
        );
        assert_eq!(
            play(&[-500, 500, -500, 31_000]),
            Some(Verdict::Won(Side::Black))
        );
        // One side disagrees, or both think that they are better.
        assert_eq!(play(&[600, -400, 600, -400, 600, -400]), None);
        assert_eq!(play(&[600, 600, 600, 600, 600, 600]), None);
        assert_eq!(play(&[600, -600, 400, -600, 600, -600]), None);
        // Even from move 5 on, for two moves of each side.
        let even = [0; 12];
        assert_eq!(play(&even[..11]), None);
        assert_eq!(play(&even), Some(Verdict::Drawn));
        let mut uneven = even;
        uneven[9] = -11;
        assert_eq!(play(&uneven), None);
        let mut opinions = Opinions::default();
        for i in 0..40 {
            assert_eq!(opinions.add(&rules, Side::ALL[i % 2], None, 9), None);
        }
    }

    #[test]
    fn an_advantage_from_the_start_decides_nothing() {
        let rules = Rules {
            resign: Some(resign("500,1").unwrap()),
            draw: Some(draw("10,2,5").unwrap()),
        };
        let uneven = rules.beyond_lead(900);
        assert_eq!(uneven.draw, rules.draw);
        let mut opinions = Opinions::default();
        assert_eq!(opinions.add(&uneven, Side::White, Some(1399), 1), None);
        assert_eq!(opinions.add(&uneven, Side::Black, Some(-1400), 1), None);
        let won = Some(Verdict::Won(Side::White));
        assert_eq!(opinions.add(&uneven, Side::White, Some(1400), 2), won);
        assert_eq!(Rules::default().beyond_lead(900), Rules::default());
    }

    #[test]
    fn texts() {
        for text in ["", "5", "5,0", "-5,3", "5,3,1", "a,b"] {
            assert!(resign(text).is_err(), "{text}");
        }
        assert!(draw("5,3").is_err() && draw("8,6,40").is_ok());
    }
}
