//! Clocks of a game: what is charged, what comes back, what runs out.

use super::*;

#[test]
fn a_tiger_clock_runs_into_the_reserve_and_out() -> Tested {
    let mut kept = Kept::both_come(spec(Some("chess"), None, "tiger:2s+1s"))?;
    let play = |kept: &mut Kept, text: &str, at| {
        let ply = kept.table.ply() as u32;
        let who = Who::Player(Side::ALL[kept.table.ply() % 2]);
        let text = text.into();
        kept.act(
            who,
            Deed::Move {
                ply,
                seq: None,
                text,
            },
            at,
        )
    };
    play(&mut kept, "e4", ms(1500))?;
    play(&mut kept, "e5", ms(1600))?;
    // Half a second of engagement and one of reserve are left.
    let clock = kept.table.clock().ok_or("no clock")?;
    assert_eq!(
        clock.remaining(Side::White, ms(2000)),
        Remaining::Tiger {
            engagement: ms(100),
            reserve: ms(1000)
        }
    );
    assert_eq!(kept.table.deadline(), Some(ms(3100)));
    assert_eq!(
        kept.table.overdue(ms(3150), ms(100), false, &mut Dice(1)),
        None,
        "moves may be on the way"
    );
    let late = Deed::Move {
        ply: 2,
        seq: None,
        text: "d4".into(),
    };
    let refused = kept
        .table
        .decide(WHITE, &late, &Circumstances::at(ms(3150)), &mut Dice(1));
    assert_eq!(refused, Err(Refused::Flagged));
    let on_the_way = Circumstances {
        lag: ms(60),
        ..Circumstances::at(ms(3150))
    };
    let saved = kept.table.decide(WHITE, &late, &on_the_way, &mut Dice(1));
    assert!(saved.is_ok(), "what was on the way is not charged");
    let event = kept
        .table
        .overdue(ms(3200), ms(100), false, &mut Dice(1))
        .ok_or("no flag")?;
    assert_eq!(event, Event::Flagged { side: Side::White });
    kept.store(vec![event], ms(3200))?;
    let outcome = kept.table.outcome().ok_or("no result")?;
    assert_eq!(outcome.reason.name(), "time");
    Ok(())
}

#[test]
fn takebacks_give_time_back_and_need_consent() -> Tested {
    let mut kept = Kept::both_come(spec(Some("chess"), None, "fischer:10s+0s"))?;
    let e4 = Deed::Move {
        ply: 0,
        seq: None,
        text: "e4".into(),
    };
    kept.act(WHITE, e4.clone(), ms(4000))?;
    let wish = Deed::Takeback { ply: 1, seq: None };
    assert_eq!(
        kept.act(BLACK, wish.clone(), ms(4500)),
        Err(Refused::NothingToTakeBack)
    );
    kept.act(WHITE, wish.clone(), ms(5000))?;
    assert_eq!(kept.table.ply(), 1);
    assert_eq!(
        kept.act(WHITE, wish.clone(), ms(5100)),
        Err(Refused::AskedAlready)
    );
    kept.act(BLACK, wish, ms(6000))?;
    assert_eq!(kept.table.ply(), 0);
    let clock = kept.table.clock().ok_or("no clock")?;
    let left = |side| clock.remaining(side, ms(7000));
    let time = |time| Remaining::Fischer { time };
    assert_eq!(left(Side::White), time(ms(9000)));
    assert_eq!(left(Side::Black), time(ms(10_000)));
    let mut strict = spec(Some("chess"), None, "none");
    strict.takebacks = false;
    let mut kept = Kept::both_come(strict)?;
    kept.act(WHITE, e4, ms(1))?;
    assert_eq!(
        kept.act(WHITE, Deed::Takeback { ply: 1, seq: None }, ms(2)),
        Err(Refused::NoTakebacks)
    );
    Ok(())
}

#[test]
fn what_is_not_charged_for_the_way_is_bounded() -> Tested {
    let mut kept = Kept::both_come(spec(Some("chess"), None, "fischer:10m+0s"))?;
    let (mut now, mut credited) = (ms(0), ms(0));
    for ply in 0..80_u32 {
        now += ms(1000);
        let who = Who::Player(Side::ALL[ply as usize % 2]);
        let position = kept.table.game().ok_or("no game")?.position();
        let legal = position.legal_moves();
        let text = position
            .uci(legal[ply as usize * 7 % legal.len()])
            .to_string();
        let deed = Deed::Move {
            ply,
            seq: None,
            text,
        };
        // White claims the most that is ever granted, on every move.
        let lag = if ply % 2 == 0 { ms(100) } else { ms(0) };
        let circumstances = Circumstances {
            lag,
            ..Circumstances::at(now)
        };
        let events = kept
            .table
            .decide(who, &deed, &circumstances, &mut Dice(1))?;
        for event in &events {
            if let Event::Played { lag, .. } = event {
                credited += ms(*lag);
            }
        }
        kept.store(events, now)?;
        if kept.table.is_over() {
            break;
        }
    }
    let own = kept.table.ply().div_ceil(2) as u32;
    assert!(
        credited <= LAG_BUDGET + LAG_REFILL * own,
        "{credited:?} in {own} moves"
    );
    assert!(
        credited >= LAG_BUDGET,
        "an honest player's way is not charged"
    );
    Ok(())
}
