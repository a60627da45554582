//! Tests of the clocks: rows of texts, and each clock's rules move by move.
//! The slow twin and other random tests are in `tests/twin.rs`.

mod twin;

use std::time::Duration;

use super::*;
use crate::Side::{Black, White};

const fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

const fn secs(secs: u64) -> Duration {
    Duration::from_secs(secs)
}

fn clock(control: &str) -> Clock {
    let mut clock = Clock::new(control.parse().unwrap()).unwrap();
    clock.start(White, Duration::ZERO).unwrap();
    clock
}

#[rustfmt::skip]
/// As written, and as printed.
const TEXTS: [(&str, &str); 29] = [
    ("tiger:120m+60s", "tiger:120m+60s"),
    ("tiger:2h+1m", "tiger:120m+60s"),
    ("tiger:1s+0s", "tiger:1s+0s"),
    ("fischer:5m+3s", "fischer:5m+3s"),
    ("fischer:1h30m+1m", "fischer:90m+60s"),
    ("fischer:1m30s+0s", "fischer:1m30s+0s"),
    ("fischer:90s+500ms", "fischer:1m30s+0.5s"),
    ("fischer:1.5s+0.25s", "fischer:1.5s+0.25s"),
    ("fischer:2m0.050s+1ms", "fischer:2m0.05s+0.001s"),
    ("fischer:1s500ms+1s", "fischer:1.5s+1s"),
    ("fischer:168h+168h", "fischer:10080m+604800s"),
    ("delay:5m+2s", "delay:5m+2s"),
    ("delay:0s+2s", "delay:0s+2s"),
    ("delay:2m+0s", "delay:2m+0s"),
    ("byoyomi:10m+5x30s", "byoyomi:10m+5x30s"),
    ("byoyomi:0s+1x1m", "byoyomi:0s+1x60s"),
    ("byoyomi:1h+100x1s", "byoyomi:60m+100x1s"),
    ("byoyomi:1h+007x1s", "byoyomi:60m+7x1s"),
    ("days:3", "days:3"),
    ("days:365", "days:365"),
    ("none", "none"),
    ("fischer:0h5m+0m3s", "fischer:5m+3s"),
    ("tiger 120+60", "tiger:120m+60s"),
    ("tiger:120+60", "tiger:120m+60s"),
    ("tiger 2h+1m", "tiger:120m+60s"),
    ("fischer 5+3", "fischer:5m+3s"),
    ("delay 5+0.5", "delay:5m+0.5s"),
    ("byoyomi 10+5x30", "byoyomi:10m+5x30s"),
    ("days 3", "days:3"),
];

#[test]
fn control_texts() {
    for (text, printed) in TEXTS {
        let control: TimeControl = text.parse().unwrap_or_else(|e| panic!("{text}: {e}"));
        assert_eq!(control.to_string(), printed);
        assert_eq!(printed.parse(), Ok(control));
        let stored = toml::Value::try_from(control).unwrap();
        assert_eq!(stored.as_str(), Some(printed));
        assert_eq!(stored.try_into(), Ok(control));
    }
}

#[rustfmt::skip]
/// What is refused, with the message.
const BAD_TEXTS: [(&str, &str); 34] = [
    (
        "",
        "column 1: unknown clock \"\", expected tiger, fischer, delay, byoyomi, days or none",
    ),
    (
        "Tiger:1m+1s",
        "column 1: unknown clock \"Tiger\", expected tiger, fischer, delay, byoyomi, days or none",
    ),
    (
        " none",
        "column 1: unknown clock \" none\", expected tiger, fischer, delay, byoyomi, days or none",
    ),
    (
        "none ",
        "column 1: unknown clock \"none \", expected tiger, fischer, delay, byoyomi, days or none",
    ),
    (
        "none:1",
        "column 5: found \":1\", expected nothing more, as in none",
    ),
    (
        "tiger",
        "column 6: found \"\", expected :, as in tiger:120m+60s",
    ),
    (
        "tiger:120m",
        "column 11: found \"\", expected +, as in tiger:120m+60s",
    ),
    (
        "tiger:120m+60s+1s",
        "column 15: found \"+1s\", expected nothing more, as in tiger:120m+60s",
    ),
    ("tiger:0s+60s", "engagement is zero, expected some time"),
    ("tiger 0+60", "engagement is zero, expected some time"),
    (
        "tiger 120",
        "column 10: found \"\", expected +, as in tiger:120m+60s",
    ),
    (
        "tiger  120+60",
        "column 1: unknown clock \"tiger  120+60\", expected tiger, fischer, delay, byoyomi, days or none",
    ),
    (
        "fischer 1.5+3",
        "base: column 10: fraction \"5\", expected one to three digits, and only of seconds",
    ),
    (
        "fischer:+3s",
        "base: column 9: found \"\", expected a number with a unit, as in 1h30m, 90s or 250ms",
    ),
    (
        "fischer:5+3s",
        "base: column 10: found \"\" after a number, expected one of the units h, m, s, ms",
    ),
    (
        "fischer:5m+-3s",
        "increment: column 12: found \"-3s\", expected a number with a unit, as in 1h30m, 90s or 250ms",
    ),
    (
        "fischer:5min+3s",
        "base: column 10: found \"min\" after a number, expected one of the units h, m, s, ms",
    ),
    (
        "fischer:5m 1s+3s",
        "base: column 11: found \" 1s\", expected a number with a unit, as in 1h30m, 90s or 250ms",
    ),
    (
        "fischer:5s1m+3s",
        "base: column 12: unit \"m\" out of order, expected h, m, s, ms in this order, each at most once",
    ),
    (
        "fischer:5m5m+3s",
        "base: column 12: unit \"m\" out of order, expected h, m, s, ms in this order, each at most once",
    ),
    (
        "fischer:1.5m+3s",
        "base: column 10: fraction \"5\", expected one to three digits, and only of seconds",
    ),
    (
        "fischer:1.s+3s",
        "base: column 10: fraction \"\", expected one to three digits, and only of seconds",
    ),
    (
        "fischer:1.0005s+3s",
        "base: column 10: fraction \"0005\", expected one to three digits, and only of seconds",
    ),
    (
        "fischer:168h1ms+3s",
        "base: column 13: more than the limit of 168h",
    ),
    (
        "fischer:99999999999999999999999h+3s",
        "base: column 9: more than the limit of 168h",
    ),
    (
        "fischer:18446744073709551615ms+3s",
        "base: column 9: more than the limit of 168h",
    ),
    (
        "delay:0s+0s",
        "base and delay together is zero, expected some time",
    ),
    (
        "byoyomi:10m+30s",
        "column 15: found \"s\", expected x, as in byoyomi:10m+5x30s",
    ),
    (
        "byoyomi:10m+x30s",
        "column 13: found \"x30s\", expected a whole number, as in byoyomi:10m+5x30s",
    ),
    ("byoyomi:10m+101x30s", "101 periods, expected 1 to 100"),
    ("byoyomi:10m+5x0s", "period is zero, expected some time"),
    ("days:0", "0 days, expected 1 to 365"),
    ("days:99999", "99999 days, expected 1 to 365"),
    (
        "days:3d",
        "column 7: found \"d\", expected nothing more, as in days:3",
    ),
];

#[test]
fn control_errors() {
    for (text, message) in BAD_TEXTS {
        let error = text.parse::<TimeControl>().unwrap_err();
        assert_eq!(error.to_string(), message, "for {text:?}");
    }
}

#[test]
fn hand_made_controls_are_checked() {
    let too_fine = TimeControl::Fischer {
        base: Duration::from_nanos(1_000_001),
        increment: ms(0),
    };
    assert!(matches!(
        Clock::new(too_fine),
        Err(TimeControlError::TooFine { part: "base", .. })
    ));
    let too_long = TimeControl::Delay {
        base: ms(1),
        delay: Duration::MAX,
    };
    assert!(matches!(
        Clock::new(too_long),
        Err(TimeControlError::TooLong { part: "delay", .. })
    ));
    assert_eq!(too_fine.to_string(), "fischer:0.001000001s+0s");
}

#[test]
fn tiger_follows_the_rules() {
    let mut clock = clock("tiger:10s+3s");
    let tiger = |engagement, reserve| Remaining::Tiger {
        engagement: secs(engagement),
        reserve: secs(reserve),
    };
    assert_eq!(clock.press(secs(4)).unwrap().left, tiger(6, 3));
    clock.press(secs(4)).unwrap();
    // engagement runs out within the move and the reserve runs down from there
    assert_eq!(clock.remaining(White, secs(11)), tiger(0, 2));
    assert_eq!(clock.deadline(), Some(secs(13)));
    let pressed = clock.press(secs(11)).unwrap();
    assert_eq!((pressed.added, pressed.left), (secs(0), tiger(0, 2)));
    assert_eq!(pressed.spent, secs(7));
    clock.press(secs(11)).unwrap();
    // from then on moves run on the reserve and add nothing
    let pressed = clock.press(secs(12)).unwrap();
    assert_eq!((pressed.added, pressed.left), (secs(0), tiger(0, 1)));
    clock.press(secs(12)).unwrap();
    assert_eq!(
        clock.press(secs(13)),
        Err(ClockError::Flagged {
            side: White,
            at: secs(13)
        })
    );
    assert_eq!(clock.flagged(secs(13)), Some(White));
    // a refused press changes nothing
    assert_eq!(clock.turn(), Some(White));
}

#[test]
fn tiger_with_an_empty_reserve_falls_with_the_engagement_time() {
    let mut clock = clock("tiger:10s+3s");
    assert_eq!(clock.deadline(), Some(secs(10)));
    assert_eq!(clock.flagged(ms(9999)), None);
    assert_eq!(clock.flagged(secs(10)), Some(White));
    assert!(clock.press(secs(10)).is_err());
    // the last millisecond still earns the reserve
    assert_eq!(clock.press(ms(9999)).unwrap().added, secs(3));
}

#[test]
fn tiger_move_that_uses_engagement_to_the_last_is_no_engagement_move() {
    let mut clock = clock("tiger:10s+3s");
    clock.press(secs(1)).unwrap();
    clock.press(secs(1)).unwrap();
    let pressed = clock.press(secs(10)).unwrap();
    let left = Remaining::Tiger {
        engagement: secs(0),
        reserve: secs(3),
    };
    assert_eq!((pressed.added, pressed.left), (secs(0), left));
}

#[test]
fn byoyomi_periods() {
    let mut clock = clock("byoyomi:10s+3x5s");
    let byoyomi = |main, period, periods| Remaining::Byoyomi {
        main: secs(main),
        period: secs(period),
        periods,
    };
    assert_eq!(clock.deadline(), Some(secs(25)));
    assert_eq!(clock.remaining(White, secs(10)), byoyomi(0, 5, 3));
    assert_eq!(clock.remaining(White, secs(14)), byoyomi(0, 1, 3));
    assert_eq!(clock.remaining(White, secs(15)), byoyomi(0, 5, 2));
    assert_eq!(clock.remaining(White, secs(99)), byoyomi(0, 0, 0));
    assert_eq!(clock.press(secs(16)).unwrap().left, byoyomi(0, 5, 2));
    clock.press(secs(16)).unwrap();
    assert_eq!(clock.press(secs(20)).unwrap().left, byoyomi(0, 5, 2));
    clock.press(secs(20)).unwrap();
    assert_eq!(clock.deadline(), Some(secs(30)));
    assert_eq!(
        clock.press(secs(30)),
        Err(ClockError::Flagged {
            side: White,
            at: secs(30)
        })
    );
}

#[test]
fn delay_is_not_kept() {
    let mut clock = clock("delay:10s+2s");
    let delay = |time, delay| Remaining::Delay {
        time: secs(time),
        delay: secs(delay),
    };
    assert_eq!(clock.remaining(White, secs(1)), delay(10, 1));
    assert_eq!(clock.press(secs(1)).unwrap().left, delay(10, 2));
    clock.press(secs(1)).unwrap();
    assert_eq!(clock.press(secs(6)).unwrap().left, delay(7, 2));
    clock.press(secs(6)).unwrap();
    assert_eq!(clock.deadline(), Some(secs(15)));
}

#[test]
fn correspondence_gives_each_move_its_days() {
    let day = 24 * 60 * 60;
    let mut clock = clock("days:3");
    assert_eq!(clock.deadline(), Some(secs(3 * day)));
    let left = clock.press(secs(2 * day)).unwrap().left;
    assert_eq!(
        left,
        Remaining::Correspondence {
            time: secs(3 * day)
        }
    );
    assert_eq!(clock.deadline(), Some(secs(5 * day)));
    assert_eq!(clock.flagged(secs(5 * day)), Some(Black));
}

#[test]
fn without_a_clock_nobody_loses_on_time() {
    let mut clock = clock("none");
    assert_eq!(clock.press(Duration::MAX).unwrap().spent, Duration::MAX);
    assert_eq!(
        (clock.deadline(), clock.flagged(Duration::MAX)),
        (None, None)
    );
}

#[test]
fn phases_refuse_what_does_not_fit() {
    let mut clock = Clock::new("fischer:5s+1s".parse().unwrap()).unwrap();
    assert_eq!(
        clock.press(secs(0)),
        Err(ClockError::NotRunning { state: "stopped" })
    );
    assert_eq!(
        clock.resume(secs(0)),
        Err(ClockError::NotPaused { state: "stopped" })
    );
    assert_eq!(
        (clock.deadline(), clock.turn(), clock.flagged(Duration::MAX)),
        (None, None, None)
    );
    clock.start(Black, secs(1)).unwrap();
    assert_eq!(
        clock.start(White, secs(1)),
        Err(ClockError::AlreadyStarted { side: Black })
    );
    assert_eq!(
        clock.resume(secs(2)),
        Err(ClockError::NotPaused { state: "running" })
    );
    clock.pause(secs(2)).unwrap();
    assert_eq!(
        clock.pause(secs(2)),
        Err(ClockError::NotRunning { state: "paused" })
    );
    assert_eq!(
        clock.press(secs(2)),
        Err(ClockError::NotRunning { state: "paused" })
    );
    assert_eq!((clock.deadline(), clock.is_paused()), (None, true));
    clock.resume(secs(50)).unwrap();
    assert_eq!(clock.deadline(), Some(secs(54)));
    assert_eq!(
        clock.pause(secs(54)),
        Err(ClockError::Flagged {
            side: Black,
            at: secs(54)
        })
    );
    clock.stop(secs(53));
    assert_eq!(
        clock.remaining(Black, secs(99)),
        Remaining::Fischer { time: secs(1) }
    );
    clock.start(Black, secs(100)).unwrap();
    assert_eq!(clock.deadline(), Some(secs(101)));
}

#[test]
fn instants_that_go_backwards_take_no_time() {
    let mut clock = clock("fischer:5s+1s");
    clock.press(secs(3)).unwrap();
    let pressed = clock.press(secs(1)).unwrap();
    assert_eq!(
        (pressed.spent, pressed.left),
        (secs(0), Remaining::Fischer { time: secs(6) })
    );
    // White's turn counts from the latest instant seen, not from the earlier one
    assert_eq!(clock.deadline(), Some(secs(3 + 3)));
    clock.pause(secs(4)).unwrap();
    clock.resume(secs(2)).unwrap();
    assert_eq!(clock.deadline(), Some(secs(6)));
    assert_eq!(clock.flagged(secs(0)), None);
}

#[test]
fn take_back_restores_the_earlier_times() {
    let mut clock = clock("tiger:10s+3s");
    let before = clock.clone();
    clock.press(secs(4)).unwrap();
    clock = before;
    clock.restart_turn(secs(60));
    assert_eq!(
        clock.remaining(White, secs(61)),
        Remaining::Tiger {
            engagement: secs(9),
            reserve: secs(0)
        }
    );
}

#[test]
fn times_set_by_hand() {
    let mut clock = clock("byoyomi:10s+3x5s");
    let set = |main, period, periods| Remaining::Byoyomi {
        main,
        period,
        periods,
    };
    clock
        .set_remaining(White, set(secs(1), secs(5), 2), secs(8))
        .unwrap();
    assert_eq!(clock.deadline(), Some(secs(8 + 1 + 10)));
    clock
        .set_remaining(Black, set(secs(0), secs(0), 0), secs(8))
        .unwrap();
    assert_eq!(clock.flagged(secs(9)), None);
    clock.press(secs(9)).unwrap();
    assert_eq!(clock.flagged(secs(9)), Some(Black));
    let rows = [
        (
            set(secs(1), secs(5), 4),
            "times for White: 4 periods, the time control gives 3",
        ),
        (
            set(secs(1), secs(6), 3),
            "times for White: period is 6s, the time control allows 5s",
        ),
        (
            set(secs(1), secs(0), 3),
            "times for White: 0ns left of the current of 3 periods, expected some time exactly when there are periods",
        ),
        (
            Remaining::Unlimited,
            "times for White: they are of another kind of clock, expected those of byoyomi",
        ),
    ];
    for (left, message) in rows {
        let error = clock.set_remaining(White, left, secs(9)).unwrap_err();
        assert_eq!(error.to_string(), message);
    }
}

#[test]
fn stored_clocks_come_back_and_are_checked() {
    for (text, _) in TEXTS {
        let mut clock = Clock::new(text.parse().unwrap()).unwrap();
        for step in 0..4 {
            let stored = toml::to_string(&clock).unwrap();
            assert_eq!(toml::from_str::<Clock>(&stored).unwrap(), clock);
            let at = Duration::from_nanos(1234 + step);
            match step {
                0 => clock.start(White, at),
                1 => clock.press(at).map(drop),
                2 => clock.pause(at),
                _ => clock.resume(at),
            }
            .unwrap();
        }
    }
    let wrong = "control = 'none'\nwhite = 'unlimited'\nphase = 'stopped'\nblack.fischer.time = { secs = 1, nanos = 0 }";
    let error = toml::from_str::<Clock>(wrong).unwrap_err().to_string();
    assert!(
        error.contains("times for Black: they are of another kind"),
        "{error}"
    );
    let wrong = wrong.replace("none", "nine");
    assert!(toml::from_str::<Clock>(&wrong).is_err());
}
