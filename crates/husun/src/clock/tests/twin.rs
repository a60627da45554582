//! The slow twin: a clock that knows nothing of spans of time and takes one millisecond off at a time,
//! compared with the real one on random schedules, and other properties on random input.

use proptest::prelude::*;

use super::super::*;
use super::ms;
use crate::Side::{Black, White};

/// The slow twin: figures in milliseconds, and one of them goes at each tick.
#[derive(Clone, Debug)]
struct Twin {
    control: TimeControl,
    sides: [[u64; 3]; 2],
    turn: usize,
    thought: u64,
}

impl Twin {
    fn figures(control: TimeControl) -> [u64; 3] {
        let ms = |time: Duration| u64::try_from(time.as_millis()).unwrap();
        match control {
            TimeControl::Tiger { engagement, .. } => [ms(engagement), 0, 0],
            TimeControl::Fischer { base, .. } => [ms(base), 0, 0],
            TimeControl::Delay { base, delay } => [ms(base), ms(delay), 0],
            TimeControl::Byoyomi {
                base,
                periods,
                period,
            } => [ms(base), ms(period), periods.into()],
            TimeControl::Correspondence { .. } | TimeControl::None => {
                unreachable!("too slow to tick")
            }
        }
    }

    fn new(control: TimeControl) -> Self {
        Self {
            control,
            sides: [Self::figures(control); 2],
            turn: 0,
            thought: 0,
        }
    }

    fn tick(&mut self) {
        self.thought += 1;
        let full = Self::figures(self.control);
        let [a, b, c] = &mut self.sides[self.turn];
        match self.control {
            TimeControl::Tiger { .. } if *a > 0 => *a -= 1,
            TimeControl::Tiger { .. } => *b = b.saturating_sub(1),
            TimeControl::Delay { .. } if *b > 0 => *b -= 1,
            TimeControl::Fischer { .. } | TimeControl::Delay { .. } => *a = a.saturating_sub(1),
            _ if *a > 0 => *a -= 1,
            _ if *c == 0 => {}
            _ => {
                *b -= 1;
                if *b == 0 {
                    *c -= 1;
                    *b = if *c > 0 { full[1] } else { 0 };
                }
            }
        }
    }

    fn fallen(&self) -> bool {
        let [a, b, c] = self.sides[self.turn];
        a == 0
            && if matches!(self.control, TimeControl::Byoyomi { .. }) {
                c == 0
            } else {
                b == 0
            }
    }

    fn press(&mut self) {
        let full = Self::figures(self.control);
        let [a, b, c] = &mut self.sides[self.turn];
        match self.control {
            TimeControl::Tiger {
                reserve_per_move, ..
            } if *a > 0 => {
                *b += u64::try_from(reserve_per_move.as_millis()).unwrap();
            }
            TimeControl::Fischer { increment, .. } => {
                *a += u64::try_from(increment.as_millis()).unwrap();
            }
            TimeControl::Byoyomi { .. } if *c == 0 => {}
            TimeControl::Delay { .. } | TimeControl::Byoyomi { .. } => *b = full[1],
            _ => {}
        }
        self.turn ^= 1;
        self.thought = 0;
    }

    fn shown(&self, side: Side) -> Remaining {
        let [a, b, c] = self.sides[side.index()];
        let (a, b) = (ms(a), ms(b));
        match self.control {
            TimeControl::Tiger { .. } => Remaining::Tiger {
                engagement: a,
                reserve: b,
            },
            TimeControl::Fischer { .. } => Remaining::Fischer { time: a },
            TimeControl::Delay { .. } => Remaining::Delay { time: a, delay: b },
            _ => Remaining::Byoyomi {
                main: a,
                period: b,
                periods: u16::try_from(c).unwrap(),
            },
        }
    }

    fn ticks_to_fall(&self) -> u64 {
        let mut twin = self.clone();
        let mut ticks = 0;
        while !twin.fallen() {
            twin.tick();
            ticks += 1;
        }
        ticks
    }
}

#[derive(Clone, Copy, Debug)]
enum Step {
    Think(u64),
    Press,
    Pause(u64),
    Back(u64),
    Store,
}

fn controls() -> impl Strategy<Value = TimeControl> {
    let time = |most: u64| (1..most).prop_map(ms);
    prop_oneof![
        (time(60), (0..15u64).prop_map(ms)).prop_map(|(engagement, reserve_per_move)| {
            TimeControl::Tiger {
                engagement,
                reserve_per_move,
            }
        }),
        (time(40), (0..8u64).prop_map(ms))
            .prop_map(|(base, increment)| TimeControl::Fischer { base, increment }),
        ((0..40u64).prop_map(ms), time(8))
            .prop_map(|(base, delay)| TimeControl::Delay { base, delay }),
        ((0..40u64).prop_map(ms), 1..5u16, time(8)).prop_map(|(base, periods, period)| {
            TimeControl::Byoyomi {
                base,
                periods,
                period,
            }
        }),
    ]
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        4 => (0..12u64).prop_map(Step::Think),
        4 => Just(Step::Press),
        1 => (0..100u64).prop_map(Step::Pause),
        1 => (0..100u64).prop_map(Step::Back),
        1 => Just(Step::Store),
    ];
    prop::collection::vec(step, 0..60)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn agrees_with_the_slow_twin(control in controls(), steps in steps()) {
        let mut clock = Clock::new(control).unwrap();
        let mut twin = Twin::new(control);
        let mut now = 1000;
        clock.start(White, ms(now)).unwrap();
        for step in steps {
            match step {
                Step::Think(ticks) => {
                    now += ticks;
                    (0..ticks).for_each(|_| twin.tick());
                }
                Step::Press if twin.fallen() => {
                    let deadline = clock.deadline().unwrap();
                    prop_assert!(deadline <= ms(now));
                    let side = clock.turn().unwrap();
                    prop_assert_eq!(clock.press(ms(now)), Err(ClockError::Flagged { side, at: deadline }));
                }
                Step::Press => {
                    prop_assert_eq!(clock.press(ms(now)).unwrap().spent, ms(twin.thought));
                    twin.press();
                }
                Step::Pause(_) if twin.fallen() => prop_assert!(clock.pause(ms(now)).is_err()),
                Step::Pause(ticks) => {
                    clock.pause(ms(now)).unwrap();
                    now += ticks;
                    clock.resume(ms(now)).unwrap();
                }
                Step::Back(ticks) if !twin.fallen() => {
                    // the resume comes from the past, and still runs only from the pause on
                    clock.pause(ms(now)).unwrap();
                    clock.resume(ms(now.saturating_sub(ticks))).unwrap();
                }
                Step::Back(_) => {}
                Step::Store => {
                    let stored = toml::to_string(&clock).unwrap();
                    clock = toml::from_str(&stored).unwrap();
                }
            }
            for side in [White, Black] {
                prop_assert_eq!(clock.remaining(side, ms(now)), twin.shown(side));
            }
            prop_assert_eq!(clock.turn().unwrap().index(), twin.turn);
            prop_assert_eq!(clock.flagged(ms(now)).is_some(), twin.fallen());
            if !twin.fallen() {
                prop_assert_eq!(clock.deadline(), Some(ms(now + twin.ticks_to_fall())));
            }
        }
    }

    #[test]
    fn controls_print_and_read_back(control in controls()) {
        prop_assert_eq!(control.to_string().parse(), Ok(control));
    }

    #[test]
    fn any_text_is_read_or_refused(text in "(tiger|fischer|delay|byoyomi|days|none)?[:+x0-9hms.é ]{0,20}") {
        if let Ok(control) = text.parse::<TimeControl>() {
            prop_assert_eq!(control.to_string().parse(), Ok(control));
        }
        let _ = parse_duration(&text);
    }

    #[test]
    fn extreme_instants_do_not_panic(control in controls(), at in prop::collection::vec(any::<(u64, u32)>(), 0..20)) {
        let mut clock = Clock::new(control).unwrap();
        for (index, (secs, nanos)) in at.into_iter().enumerate() {
            let at = Duration::from_secs(secs).saturating_add(Duration::from_nanos(nanos.into()));
            let _ = clock.start(White, at);
            let _ = if index % 3 == 0 { clock.pause(at) } else { clock.press(at).map(drop) };
            let _ = clock.resume(at);
            let _ = (clock.deadline(), clock.flagged(at), clock.remaining(Black, at));
        }
    }
}
