//! What a search is asked for and how long it may take, under every time control of `docs/game-file.md`.

use husun::Move;
use husun::clock::{Remaining, TimeControl};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

/// The state of the clock of the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockSituation {
    /// The time control.
    pub control: TimeControl,
    /// What the side to move has left.
    pub remaining: Remaining,
    /// Moves until the next time control, where there is one.
    pub moves_to_go: Option<u32>,
}

impl ClockSituation {
    /// Time left with an increment a move, as protocols give it.
    pub fn fischer(time: Duration, increment: Duration, moves_to_go: Option<u32>) -> Self {
        ClockSituation {
            control: TimeControl::Fischer {
                base: time,
                increment,
            },
            remaining: Remaining::Fischer { time },
            moves_to_go,
        }
    }
}

/// What ends a search. Several limits may be given; the first one reached ends it. Without any, and
/// without a clock, a move takes a few seconds.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// Depth in half-moves.
    pub depth: Option<u32>,
    /// Positions visited.
    pub nodes: Option<u64>,
    /// Time for this move; together with a clock the most that it may take.
    pub movetime: Option<Duration>,
    /// The clock.
    pub clock: Option<ClockSituation>,
    /// A forced win in this many moves ends the search, which then prunes no move on suspicion.
    pub mate: Option<u32>,
    /// Only the stop flag ends the search.
    pub infinite: bool,
    /// Moves to choose from; all if empty.
    pub searchmoves: Vec<Move>,
    /// While this is true the opponent is to move: time does not end the search, but it counts from the
    /// start once this becomes false.
    pub ponder: Option<Arc<AtomicBool>>,
}

impl Limits {
    /// A search to a depth.
    pub fn depth(depth: u32) -> Limits {
        Limits {
            depth: Some(depth),
            ..Limits::default()
        }
    }

    /// A search of a number of positions.
    pub fn nodes(nodes: u64) -> Limits {
        Limits {
            nodes: Some(nodes),
            ..Limits::default()
        }
    }

    /// A search for a length of time.
    pub fn movetime(time: Duration) -> Limits {
        Limits {
            movetime: Some(time),
            ..Limits::default()
        }
    }

    /// Whether the opponent's move is being thought about.
    pub(crate) fn pondering(&self) -> bool {
        self.ponder.as_ref().is_some_and(|p| p.load(Relaxed))
    }

    /// How long a search within these limits takes at most, where time bounds it. `overhead` is what a move loses on its
    /// way to the clock.
    pub fn longest(&self, overhead: Duration) -> Option<Duration> {
        self.budget(overhead).hard
    }

    pub(crate) fn budget(&self, overhead: Duration) -> Budget {
        let least = Duration::from_millis(1);
        let most = self
            .movetime
            .map(|time| time.saturating_sub(overhead).max(least));
        if let Some(clock) = &self.clock {
            let budget = of_clock(clock, overhead);
            let within = |time: Duration| most.map_or(time, |most| time.min(most));
            return Budget {
                soft: budget.soft.map(within),
                hard: budget.hard.map(within),
            };
        }
        if most.is_some() {
            return Budget {
                soft: None,
                hard: most,
            };
        }
        let bounded =
            self.infinite || self.depth.is_some() || self.nodes.is_some() || self.mate.is_some();
        Budget {
            soft: None,
            hard: (!bounded).then_some(NO_CLOCK),
        }
    }
}

/// What is left on the clock besides the overhead, since a thread that should be awake may be late by that much.
const LATE: Duration = Duration::from_millis(50);
/// Time for a move without any limit.
const NO_CLOCK: Duration = Duration::from_secs(5);
/// The longest time for a correspondence move.
const CORRESPONDENCE: Duration = Duration::from_secs(60);

/// When to stop: not to begin another iteration after `soft`, and never later than `hard`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Budget {
    pub soft: Option<Duration>,
    pub hard: Option<Duration>,
}

impl Budget {
    /// A share of the time with a bound, leaving a reserve of all the time available.
    fn of(share: Duration, bound: Duration, all: Duration, overhead: Duration) -> Budget {
        let least = Duration::from_millis(1);
        let bound = bound.saturating_sub(overhead);
        let bound = bound.min(all.saturating_sub(overhead + LATE)).max(least);
        let soft = share.min(bound).max(least);
        Budget {
            soft: Some(soft),
            hard: Some((soft * 4).min(bound)),
        }
    }
}

fn of_clock(clock: &ClockSituation, overhead: Duration) -> Budget {
    let moves = clock.moves_to_go.unwrap_or(32).clamp(1, 40);
    let each = |time: Duration| time / moves;
    // The most that a share may become when the position asks for more.
    let part = |time: Duration| {
        if moves == 1 { time } else { time * 2 / 5 }
    };
    match (clock.remaining, clock.control) {
        (
            Remaining::Tiger {
                engagement,
                reserve,
            },
            control,
        ) => {
            let gift = match control {
                TimeControl::Tiger {
                    reserve_per_move, ..
                } => reserve_per_move,
                _ => Duration::ZERO,
            };
            if engagement > overhead {
                // Every move that ends in engagement time adds to the reserve: make many of them, and
                // spend part of what they add later.
                let share = each(engagement + reserve) + gift.min(each(engagement) * 2) / 2;
                let bound = part(engagement).max(part(engagement + reserve).min(engagement));
                Budget::of(share, bound, engagement + reserve, overhead)
            } else {
                let all = engagement + reserve;
                Budget::of(each(reserve), part(reserve), all, overhead)
            }
        }
        (Remaining::Fischer { time }, control) => {
            let increment = match control {
                TimeControl::Fischer { increment, .. } => increment,
                _ => Duration::ZERO,
            };
            let share = each(time) + increment * 3 / 4;
            Budget::of(share, part(time), time, overhead)
        }
        (Remaining::Delay { time, delay }, _) => {
            let all = time + delay;
            Budget::of(each(time) + delay, part(time) + delay, all, overhead)
        }
        (Remaining::Byoyomi { main, period, .. }, _) => {
            // A period is free as long as the move ends within it; main time comes first.
            Budget::of(
                each(main) + period * 3 / 4,
                part(main) + period * 9 / 10,
                main + period,
                overhead,
            )
        }
        (Remaining::Correspondence { time }, _) => {
            let most = (time / 4).min(CORRESPONDENCE);
            Budget::of(most / 2, most, time, overhead)
        }
        (Remaining::Unlimited, _) => Budget {
            soft: None,
            hard: Some(NO_CLOCK),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Clocks and how they stand, in milliseconds: the parts of what is left, in their order.
    const ROWS: [(&str, &[u64]); 24] = [
        ("tiger:2m+1s", &[120_000, 0]),
        ("tiger:2m+1s", &[40, 30_000]),
        ("tiger:2m+1s", &[0, 500]),
        ("tiger:2m+1s", &[60, 60]),
        ("fischer:1s+0s", &[1000]),
        ("fischer:1s+0s", &[200]),
        ("fischer:1s+0s", &[100]),
        ("fischer:1s+0s", &[81]),
        ("fischer:1s+0s", &[10]),
        ("fischer:1s+0s", &[0]),
        ("fischer:3m+2s", &[180_000]),
        ("fischer:3m+2s", &[2000]),
        ("fischer:3m+2s", &[150]),
        ("delay:10s+2s", &[10_000, 2000]),
        ("delay:10s+2s", &[0, 2000]),
        ("delay:10s+1s", &[0, 90]),
        ("byoyomi:0s+3x5s", &[0, 5000]),
        ("byoyomi:0s+3x1s", &[0, 1000]),
        ("byoyomi:1s+3x1s", &[0, 120]),
        ("byoyomi:10m+1x30s", &[600_000, 30_000]),
        ("byoyomi:10m+1x30s", &[5, 30_000]),
        ("days:1", &[86_400_000]),
        ("days:1", &[300]),
        ("days:1", &[50]),
    ];

    fn situation(text: &str, left: &[u64], moves: Option<u32>) -> Option<ClockSituation> {
        let control: TimeControl = text.parse().ok()?;
        let ms = |i: usize| left.get(i).map(|&n| Duration::from_millis(n));
        let remaining = match control {
            TimeControl::Tiger { .. } => Remaining::Tiger {
                engagement: ms(0)?,
                reserve: ms(1)?,
            },
            TimeControl::Fischer { .. } => Remaining::Fischer { time: ms(0)? },
            TimeControl::Delay { .. } => Remaining::Delay {
                time: ms(0)?,
                delay: ms(1)?,
            },
            TimeControl::Byoyomi { .. } => Remaining::Byoyomi {
                main: ms(0)?,
                period: ms(1)?,
                periods: 1,
            },
            TimeControl::Correspondence { .. } => Remaining::Correspondence { time: ms(0)? },
            TimeControl::None => return None,
        };
        Some(ClockSituation {
            control,
            remaining,
            moves_to_go: moves,
        })
    }

    #[test]
    fn every_budget_leaves_a_reserve() -> Result<(), Box<dyn std::error::Error>> {
        let least = Duration::from_millis(1);
        for (text, left) in ROWS {
            for moves in [None, Some(1), Some(2), Some(40)] {
                for overhead in [0, 30, 200].map(Duration::from_millis) {
                    let row = format!("{text} {left:?} {moves:?} {overhead:?}");
                    let clock = situation(text, left, moves).ok_or("a row")?;
                    let budget = of_clock(&clock, overhead);
                    let (soft, hard) = (budget.soft.ok_or("soft")?, budget.hard.ok_or("hard")?);
                    let all = Duration::from_millis(left.iter().sum());
                    let most = all.saturating_sub(overhead + LATE).max(least);
                    assert!(soft <= hard && hard <= most, "{row}: {hard:?}");
                }
            }
        }
        Ok(())
    }

    #[test]
    fn a_full_clock_gives_time_to_think() -> Result<(), Box<dyn std::error::Error>> {
        let overhead = Duration::from_millis(30);
        for (text, left) in ROWS
            .iter()
            .filter(|(_, left)| left.iter().sum::<u64>() >= 1000)
        {
            let clock = situation(text, left, None).ok_or("a row")?;
            let soft = of_clock(&clock, overhead).soft.ok_or("soft")?;
            assert!(
                soft >= Duration::from_millis(10),
                "{text} {left:?}: {soft:?}"
            );
        }
        Ok(())
    }

    #[test]
    fn a_clock_and_a_time_for_the_move_both_hold() {
        let most = Duration::from_secs(5);
        let overhead = Duration::from_millis(20);
        let hour = Duration::from_secs(3600);
        for (left, bound) in [
            (hour, most),
            (Duration::from_secs(1), Duration::from_millis(400)),
        ] {
            let limits = Limits {
                clock: Some(ClockSituation::fischer(left, Duration::ZERO, None)),
                ..Limits::movetime(most)
            };
            let budget = limits.budget(overhead);
            assert_eq!(budget.hard.map(|hard| hard <= bound), Some(true));
            assert!(budget.soft <= budget.hard);
        }
    }
}
