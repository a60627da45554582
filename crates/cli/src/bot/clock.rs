//! The clocks of a game as the server reports them, for an engine.

use crate::contest::player::Clocks;
use husun::Side;
use husun::clock::{Remaining, TimeControl};
use server::wire;
use std::time::Duration;

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

/// What a side has left.
fn remaining(control: TimeControl, time: &wire::Time) -> Remaining {
    let (main, extra) = (ms(time.main_ms), ms(time.extra_ms.unwrap_or(0)));
    match control {
        TimeControl::Tiger { .. } => Remaining::Tiger {
            engagement: main,
            reserve: extra,
        },
        TimeControl::Fischer { .. } => Remaining::Fischer { time: main },
        TimeControl::Delay { .. } => Remaining::Delay {
            time: main,
            delay: extra,
        },
        TimeControl::Byoyomi { .. } => Remaining::Byoyomi {
            main,
            period: extra,
            periods: time.periods.unwrap_or(0),
        },
        TimeControl::Correspondence { .. } => Remaining::Correspondence { time: main },
        TimeControl::None => Remaining::Unlimited,
    }
}

/// What is left after some more time, as the clock runs it down.
fn less(left: Remaining, by: Duration) -> Remaining {
    // What the first part cannot cover comes from the second.
    let both = |first: Duration, second: Duration| {
        let rest = by.saturating_sub(first);
        (first.saturating_sub(by), second.saturating_sub(rest))
    };
    match left {
        Remaining::Tiger {
            engagement,
            reserve,
        } => {
            let (engagement, reserve) = both(engagement, reserve);
            Remaining::Tiger {
                engagement,
                reserve,
            }
        }
        Remaining::Fischer { time } => Remaining::Fischer {
            time: time.saturating_sub(by),
        },
        Remaining::Delay { time, delay } => {
            let (delay, time) = both(delay, time);
            Remaining::Delay { time, delay }
        }
        Remaining::Byoyomi {
            main,
            period,
            periods,
        } => {
            let (main, period) = both(main, period);
            Remaining::Byoyomi {
                main,
                period,
                periods,
            }
        }
        Remaining::Correspondence { time } => Remaining::Correspondence {
            time: time.saturating_sub(by),
        },
        Remaining::Unlimited => Remaining::Unlimited,
    }
}

/// Both clocks, with the bot's own one run down by some time.
pub fn clocks(control: TimeControl, told: &wire::Clocks, own: Side, since: Duration) -> Clocks {
    let times = [&told.times.white, &told.times.black];
    let mut clocks = times.map(|time| remaining(control, time));
    let own = &mut clocks[own.index()];
    *own = less(*own, since);
    clocks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_runs_as_the_clock_has_it() {
        for (clock, time, by, left) in [
            ("fischer:1m+1s", (5000, None, None), 1000, 4000),
            ("fischer:1m+1s", (500, None, None), 1000, 0),
            ("tiger:1m+1s", (500, Some(2000), None), 1000, 1500),
            ("delay:1m+2s", (500, Some(2000), None), 1000, 1500),
            ("byoyomi:1m+3x5s", (500, Some(5000), Some(3)), 1000, 4500),
            ("days:1", (86_400_000, None, None), 1000, 86_399_000),
        ] {
            let (main_ms, extra_ms, periods) = time;
            let time = wire::Time {
                main_ms,
                extra_ms,
                periods,
            };
            let told = wire::Clocks {
                times: wire::Both {
                    white: time.clone(),
                    black: time,
                },
                running: Some(wire::Side::Black),
                waiting: false,
            };
            let control: TimeControl = clock.parse().unwrap();
            let [white, black] = clocks(control, &told, Side::Black, ms(by));
            let sum = |left: Remaining| match left {
                Remaining::Tiger {
                    engagement: first,
                    reserve: second,
                }
                | Remaining::Delay {
                    time: first,
                    delay: second,
                }
                | Remaining::Byoyomi {
                    main: first,
                    period: second,
                    ..
                } => first + second,
                Remaining::Fischer { time } | Remaining::Correspondence { time } => time,
                Remaining::Unlimited => Duration::ZERO,
            };
            assert_eq!(sum(black), ms(left), "{clock}");
            assert_eq!(sum(white), ms(main_ms + extra_ms.unwrap_or(0)), "{clock}");
        }
    }
}
