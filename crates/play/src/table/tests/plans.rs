//! Conditional moves.

use super::*;

fn moves(ply: u32, text: &str) -> Deed {
    Deed::Move {
        ply,
        seq: None,
        text: text.into(),
    }
}

fn plan(ply: u32, lines: &[&str]) -> Deed {
    let line = |line: &&str| line.split(' ').map(Into::into).collect();
    Deed::Plan {
        ply,
        seq: None,
        lines: lines.iter().map(line).collect(),
    }
}

fn played(kept: &Kept) -> Vec<String> {
    kept.table.played().iter().map(|p| p.san.clone()).collect()
}

#[test]
fn what_is_prepared_is_answered_at_once() -> Tested {
    let mut kept = Kept::both_come(spec(Some("chess"), None, "days:3"))?;
    kept.act(WHITE, moves(0, "e4"), ms(1000))?;
    kept.act(
        WHITE,
        plan(1, &["e5 Nf3 Nc6 Bb5", "c5 Nf3", "e7e5 g1f3 g8f6 f3e5"]),
        ms(2000),
    )?;
    assert_eq!(kept.table.plan(Side::White).map(|p| p.ply), Some(1));
    assert_eq!(kept.table.plan(Side::Black), None);
    kept.act(BLACK, moves(1, "e5"), ms(3000))?;
    assert_eq!(played(&kept), ["e4", "e5", "Nf3"]);
    assert_eq!(kept.table.played()[2].spent_ms, Some(0));
    // Black answers in turn, and both go on as far as both are prepared.
    kept.act(BLACK, moves(3, "Nf6"), ms(4000))?;
    assert_eq!(played(&kept), ["e4", "e5", "Nf3", "Nf6", "Nxe5"]);
    assert_eq!(kept.table.plan(Side::White), None, "it has come to its end");
    let again = Table::replay(kept.table.spec().clone(), &kept.entries, Arc::default())?;
    assert_eq!(state(&again, ms(5000)), state(&kept.table, ms(5000)));
    Ok(())
}

#[test]
fn both_may_prepare_and_all_is_told_together() -> Tested {
    let mut kept = Kept::both_come(spec(Some("chess"), None, "days:3"))?;
    kept.act(WHITE, moves(0, "e4"), ms(1000))?;
    kept.act(WHITE, plan(1, &["e5 Nf3 Nc6 Bb5 a6 Ba4"]), ms(2000))?;
    // What Black prepares is for the position after an own move: there is none yet.
    let refused = kept.act(BLACK, plan(1, &["e5 Nf3"]), ms(2000));
    assert_eq!(refused, Err(Refused::PlanOnTurn));
    let first = kept.table.decide(
        BLACK,
        &moves(1, "e5"),
        &Circumstances::at(ms(3000)),
        &mut Dice(1),
    )?;
    assert_eq!(kept.table.with_replies(first.clone(), ms(3000)).len(), 2);
    kept.store(first, ms(3000))?;
    assert_eq!(kept.table.ply(), 3);
    // Another answer than the one prepared for ends it, and it does not come back.
    kept.act(BLACK, moves(3, "d6"), ms(4000))?;
    assert_eq!((kept.table.ply(), kept.table.plan(Side::White)), (4, None));
    // It can be forgotten.
    kept.act(WHITE, moves(4, "d4"), ms(5000))?;
    kept.act(WHITE, plan(5, &["exd4 Nxd4"]), ms(6000))?;
    kept.act(WHITE, plan(5, &[]), ms(7000))?;
    kept.act(BLACK, moves(5, "exd4"), ms(8000))?;
    assert_eq!(kept.table.ply(), 6);
    Ok(())
}

#[test]
fn what_cannot_be_prepared_is_told() -> Tested {
    let mut quick = Kept::both_come(spec(Some("chess"), None, "fischer:5m+3s"))?;
    quick.act(WHITE, moves(0, "e4"), ms(1000))?;
    let refused = quick.act(WHITE, plan(1, &["e5 Nf3"]), ms(2000));
    assert_eq!(refused, Err(Refused::NoPlans));
    let mut kept = Kept::both_come(spec(Some("chess"), None, "days:3"))?;
    kept.act(WHITE, moves(0, "e4"), ms(1000))?;
    let line = |n: usize, lines: &[&str]| -> Result<String, Box<dyn std::error::Error>> {
        match kept.table.decide(
            WHITE,
            &plan(1, lines),
            &Circumstances::at(ms(2000)),
            &mut Dice(1),
        ) {
            Err(Refused::PlanLine { line, problem }) if line == n => Ok(problem),
            other => Err(format!("{lines:?} {other:?}").into()),
        }
    };
    assert!(line(1, &["e5"])?.contains("1 half-moves"));
    assert!(line(2, &["e5 Nf3", "c5 Nf6"])?.contains("Nf6"));
    assert_eq!(
        line(2, &["e5 Nf3 Nc6 Bb5", "e5 Nc3"])?,
        "two answers to e7e5: g1f3 and b1c3"
    );
    let many = vec!["e5 Nf3"; 51];
    let refused = kept.act(WHITE, plan(1, &many), ms(2000));
    assert!(matches!(
        refused,
        Err(Refused::PlanLength {
            lines: 51,
            half_moves: 102
        })
    ));
    let stale = kept.act(WHITE, plan(0, &["e5 Nf3"]), ms(2000));
    assert!(matches!(stale, Err(Refused::Stale { .. })));
    let watcher = kept.act(Who::Watcher, plan(1, &["e5 Nf3"]), ms(2000));
    assert_eq!(watcher, Err(Refused::Watching));
    Ok(())
}

/// A player on vacation is charged nothing, and may play all the same.
#[test]
fn on_vacation_the_clock_stands_still() -> Tested {
    const DAY: u64 = 24 * 3_600_000;
    let mut kept = Kept::both_come(spec(Some("chess"), None, "days:2"))?;
    let goes = |kept: &mut Kept, guest: &str, on: bool, at: u64| -> Result<usize, Misfit> {
        let events = kept.table.vacation(guest, on, ms(at));
        let n = events.len();
        kept.store(events, ms(at)).map(|()| n)
    };
    let bob = person("Bob").guest;
    kept.act(WHITE, moves(0, "e4"), ms(DAY))?;
    assert_eq!(kept.table.deadline(), Some(ms(3 * DAY)));
    // A day of his two has gone by.
    assert_eq!(goes(&mut kept, &bob, true, 2 * DAY)?, 1);
    assert_eq!(goes(&mut kept, &bob, true, 2 * DAY)?, 0, "it knows");
    assert_eq!(goes(&mut kept, "nobody", true, 2 * DAY)?, 0);
    assert_eq!(
        (kept.table.deadline(), kept.table.clock_runs()),
        (None, false)
    );
    let late = kept.table.overdue(ms(40 * DAY), ms(0), true, &mut Dice(1));
    assert_eq!(late, None);
    goes(&mut kept, &bob, false, 20 * DAY)?;
    assert_eq!(kept.table.deadline(), Some(ms(21 * DAY)));
    // On vacation again he moves; then Ann's time runs, and his stands still when it is his turn.
    goes(&mut kept, &bob, true, 20 * DAY)?;
    kept.act(BLACK, moves(1, "e5"), ms(25 * DAY))?;
    assert_eq!(kept.table.deadline(), Some(ms(27 * DAY)));
    kept.act(WHITE, moves(2, "Nf3"), ms(26 * DAY))?;
    assert_eq!(kept.table.deadline(), None);
    let again = Table::replay(kept.table.spec().clone(), &kept.entries, Arc::default())?;
    assert_eq!(
        state(&again, ms(29 * DAY)),
        state(&kept.table, ms(29 * DAY))
    );
    goes(&mut kept, &bob, false, 30 * DAY)?;
    assert_eq!(kept.table.deadline(), Some(ms(32 * DAY)));
    // A player whose time has run out cannot escape by a vacation.
    assert_eq!(goes(&mut kept, &bob, true, 33 * DAY)?, 0);
    // In a game at the board nothing happens.
    let mut quick = Kept::both_come(spec(Some("chess"), None, "fischer:5m+3s"))?;
    assert_eq!(goes(&mut quick, &bob, true, 10)?, 0);
    Ok(())
}
