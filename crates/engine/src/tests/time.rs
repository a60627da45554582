//! The time of a search when the thread that watches the clock is woken late: nothing is measured, the test sets how
//! much time has passed.

use super::{Parts, Result, at_width};
use crate::engine::Options;
use crate::eval::{Evaluator, Handmade};
use crate::limits::{ClockSituation, Limits};
use crate::searcher::{AnySearcher, Ask, Searcher};
use crate::stopwatch::Stopwatch;
use crate::tt::Table;
use husun::Variant;
use husun::clock::{Remaining, TimeControl};
use husun::set::Set;
use husun::tables::Tables;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::Duration;

/// Microseconds between two looks at the clock.
const STEP: u64 = 3000;
/// Looks at the clock after the last one that finds time left: reporting counts as one, too.
const LOOKS: u64 = 4;
/// How late the thread is woken, once, in microseconds.
const LATE: u64 = 50_000;

const fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

/// How long a search takes by its own clock, which jumps once that much has passed.
fn search<S: Set>(
    variant: &Arc<Variant>,
    tables: &Arc<Tables<S>>,
    clock: ClockSituation,
    overhead: Duration,
    leap: u64,
) -> Duration {
    let parts = Parts::new(variant, tables);
    let eval = Evaluator::new(variant, &parts.facts, &parts.exchanges, &parts.values);
    let judge = Handmade::new(Arc::new(eval));
    let mut searcher = Searcher::new(parts.facts, parts.exchanges, judge);
    let passed = Arc::new(AtomicU64::new(0));
    let told = passed.clone();
    let watch = Stopwatch::Told(Arc::new(move || {
        let before = told.fetch_add(STEP, Relaxed);
        if (before..before + STEP).contains(&leap) {
            told.fetch_add(LATE, Relaxed);
        }
        Duration::from_micros(told.load(Relaxed))
    }));
    let limits = Limits {
        clock: Some(clock),
        ..Limits::default()
    };
    let options = Options {
        overhead,
        ..Options::default()
    };
    let position = variant.start();
    let ask = Ask {
        position: &position,
        history: &[],
        limits: &limits,
        stop: &AtomicBool::new(false),
        options: &options,
        table: &Table::new(1),
        endings: None,
        watch,
    };
    let found = searcher.search(&ask, &mut |_| {});
    assert!(found.best.is_some());
    Duration::from_micros(passed.load(Relaxed))
}

#[test]
fn a_late_scheduler_loses_no_game() -> Result<()> {
    let fischer = |time, increment| ClockSituation::fischer(ms(time), ms(increment), None);
    let byoyomi: TimeControl = "byoyomi:0s+3x1s".parse()?;
    let delay: TimeControl = "delay:10s+1s".parse()?;
    let tiger: TimeControl = "tiger:2m+1s".parse()?;
    let clock = |control, remaining| ClockSituation {
        control,
        remaining,
        moves_to_go: None,
    };
    let last = |clock: ClockSituation| ClockSituation {
        moves_to_go: Some(1),
        ..clock
    };
    let byoyomi = clock(
        byoyomi,
        Remaining::Byoyomi {
            main: ms(0),
            period: ms(300),
            periods: 1,
        },
    );
    let delay = clock(
        delay,
        Remaining::Delay {
            time: ms(0),
            delay: ms(250),
        },
    );
    let tiger = clock(
        tiger,
        Remaining::Tiger {
            engagement: ms(40),
            reserve: ms(200),
        },
    );
    let game = games::variant("chess").ok_or("no such game")?;
    for (clock, left) in [
        (last(fischer(300, 0)), 300),
        (fischer(150, 2000), 150),
        (fischer(90, 0), 90),
        (byoyomi, 300),
        (delay, 250),
        (last(tiger), 240),
    ] {
        let overhead = ms(30);
        let limits = Limits {
            clock: Some(clock),
            ..Limits::default()
        };
        let hard = limits.budget(overhead).hard.ok_or("a bound")?;
        let hard = u64::try_from(hard.as_micros())?;
        // At once, on the way, at the last look before the bound.
        for leap in [0, hard / 2, hard.saturating_sub(1)] {
            let took = at_width!(search, game, clock, overhead, leap);
            let most = ms(left) - overhead + Duration::from_micros(LOOKS * STEP);
            let told = format!("{clock:?}, late after {leap} µs");
            assert!(took <= most, "{told}: {took:?} of {left} ms");
        }
    }
    Ok(())
}
