//! How long the lower levels take for a move if they are to take a natural time: as people do, neither at once nor
//! for ages. Obvious moves go quickly, and a choice between many moves takes longer; the clock is never lost by it.

use std::time::Duration;

/// For an obvious move: the only sensible one, or a recapture.
const OBVIOUS: Duration = Duration::from_millis(500);
/// For any other move ...
const LEAST: Duration = Duration::from_millis(800);
/// ... plus this for each move that there is to choose from ...
const EACH: Duration = Duration::from_millis(45);
/// ... up to this.
const MOST: Duration = Duration::from_millis(2600);
/// Half-moves that are played more quickly, as everybody knows some opening.
const OPENING: usize = 8;
/// Less than this on the clock, and it hurries.
const HURRY: Duration = Duration::from_secs(10);
/// The most that a move takes, as a fraction of the time left on the clock.
const PART: u32 = 50;

/// What matters about a move for its time.
#[derive(Clone, Copy, Debug)]
pub struct Choice {
    /// How many moves lose nothing at once.
    pub sensible: usize,
    /// Whether the move recaptures.
    pub recapture: bool,
    /// Half-moves played before.
    pub ply: usize,
    /// Time left before the flag falls, if there is a clock.
    pub left: Option<Duration>,
    /// Seed of its irregularity.
    pub seed: u64,
}

/// How long a move takes altogether, including the time for finding it.
pub fn natural(choice: Choice) -> Duration {
    let usual = match choice {
        _ if choice.recapture || choice.sensible <= 1 => OBVIOUS,
        _ => (LEAST + EACH * choice.sensible.min(1000) as u32).min(MOST),
    };
    let usual = match choice.ply < OPENING {
        true => usual * 2 / 3,
        false => usual,
    };
    // Three to five quarters of it.
    let drawn = choice.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 55;
    let taken = usual * (384 + drawn as u32 / 2) / 512;
    match choice.left {
        Some(left) if left < HURRY => Duration::ZERO,
        Some(left) => taken.min(left / PART),
        None => taken,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choice(sensible: usize) -> Choice {
        Choice {
            sensible,
            recapture: false,
            ply: 20,
            left: None,
            seed: 1,
        }
    }

    #[test]
    fn a_choice_takes_time_and_what_is_obvious_does_not() {
        let [one, few, many, all] = [1, 5, 30, usize::MAX].map(|n| natural(choice(n)));
        assert!(one < few && few < many && many <= all);
        let recapture = natural(Choice {
            recapture: true,
            ..choice(30)
        });
        assert_eq!(recapture, one);
        for seed in 0..1000 {
            for sensible in [0, 1, 20, 200] {
                let time = natural(Choice {
                    seed,
                    ..choice(sensible)
                });
                assert!(time >= OBVIOUS / 2 && time <= MOST * 5 / 4, "{time:?}");
            }
        }
        let opening = natural(Choice {
            ply: 2,
            ..choice(30)
        });
        assert!(opening < many);
    }

    #[test]
    fn no_clock_is_lost_by_it() {
        for left in [0, 1, 500, 9_999, 10_000, 60_000, 180_000] {
            let left = Duration::from_millis(left);
            let time = natural(Choice {
                left: Some(left),
                ..choice(40)
            });
            assert!(time <= left / 50, "{time:?} of {left:?}");
        }
    }
}
