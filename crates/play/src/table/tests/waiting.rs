//! Clocks that wait for the first moves, and games claimed from an opponent who has left.

use super::*;
use crate::Claim;

fn moves(ply: u32, text: &str) -> Deed {
    Deed::Move {
        ply,
        seq: None,
        text: text.into(),
    }
}

/// The friend who has opened the link may not be ready yet: nobody's time runs before both have moved.
#[test]
fn clocks_wait_until_both_have_moved() -> Tested {
    let waits = |control| Spec {
        clocks_wait: true,
        rated: false,
        ..spec(Some("chess"), None, control)
    };
    let mut kept = Kept::both_come(waits("tiger:2s+1s"))?;
    let left = |kept: &Kept, side, at| kept.table.clock().map(|c| c.remaining(side, ms(at)));
    let tiger = |engagement, reserve| {
        Some(Remaining::Tiger {
            engagement: ms(engagement),
            reserve: ms(reserve),
        })
    };
    assert!(!kept.table.clock_runs());
    let early = kept
        .table
        .overdue(ms(3_600_000), ms(100), false, &mut Dice(1));
    assert_eq!(early, None, "nobody loses on time by a first move");
    kept.act(WHITE, moves(0, "e4"), ms(10_000))?;
    assert!(!kept.table.clock_runs() && kept.table.can_abort());
    assert_eq!(
        left(&kept, Side::White, 20_000),
        tiger(2000, 1000),
        "the move earns what moves earn"
    );
    kept.act(WHITE, Deed::Takeback { ply: 1, seq: None }, ms(10_500))?;
    kept.act(BLACK, Deed::Takeback { ply: 1, seq: None }, ms(10_600))?;
    assert_eq!(left(&kept, Side::White, 20_000), tiger(2000, 0));
    kept.act(WHITE, moves(0, "e4"), ms(11_000))?;
    kept.act(BLACK, moves(1, "e5"), ms(20_000))?;
    assert!(kept.table.clock_runs() && !kept.table.can_abort());
    assert_eq!(kept.table.played()[1].spent_ms, Some(0));
    assert_eq!(left(&kept, Side::White, 20_500), tiger(1500, 1000));
    assert_eq!(kept.table.deadline(), Some(ms(23_000)));
    let again = Table::replay(kept.table.spec().clone(), &kept.entries, Arc::default())?;
    assert_eq!(
        state(&again, ms(20_500)),
        state(&kept.table, ms(20_500)),
        "the stored events make the same clocks"
    );

    // With days for a move they run from the beginning.
    let kept = Kept::both_come(waits("days:1"))?;
    assert!(kept.table.clock_runs());

    // Nobody has moved and nobody is there: it never counted.
    let kept = Kept::both_come(waits("fischer:1m+0s"))?;
    let day = 24 * 3_600_000;
    let chance = &mut Dice(1);
    assert_eq!(kept.table.deadline(), Some(ms(day)));
    assert_eq!(kept.table.overdue(ms(day), ms(100), false, chance), None);
    assert_eq!(kept.table.overdue(ms(day - 1), ms(100), true, chance), None);
    assert_eq!(
        kept.table.overdue(ms(day), ms(100), true, chance),
        Some(Event::Aborted)
    );
    Ok(())
}

/// A game of two after two half-moves, in which Black has been away since a given time.
fn left(kept: &Kept, at: u64, since: Option<u64>) -> Circumstances {
    assert_eq!(kept.table.ply(), 2);
    Circumstances {
        away: Both {
            white: None,
            black: since.map(ms),
        },
        ..Circumstances::at(ms(at))
    }
}

fn claim_of(
    kept: &Kept,
    who: Who,
    claim: Claim,
    with: &Circumstances,
) -> Result<Vec<Event>, Refused> {
    let deed = Deed::Claim { claim };
    kept.table.decide(who, &deed, with, &mut Dice(1))
}

#[test]
fn the_game_of_one_who_has_left_can_be_claimed_after_a_while() -> Tested {
    // A tenth of what forty moves get, within bounds.
    for (control, seconds) in [
        ("fischer:3m+2s", Some(60)),
        ("fischer:10m+5s", Some(80)),
        ("delay:20m+0s", Some(120)),
        ("byoyomi:10m+5x30s", Some(120)),
        ("tiger:120m+60s", Some(300)),
        ("days:1", None),
        ("none", None),
    ] {
        let mut kept = Kept::both_come(spec(Some("chess"), None, control))?;
        assert_eq!(
            kept.table.patience(),
            seconds.map(Duration::from_secs),
            "{control}"
        );
        let gone = Circumstances {
            away: Both::of(|_| Some(ms(0))),
            ..Circumstances::at(ms(3_000_000))
        };
        let early = claim_of(&kept, WHITE, Claim::Win, &gone);
        assert_eq!(early, Err(Refused::NotCounting), "{control}");
        kept.act(WHITE, moves(0, "e4"), ms(1000))?;
        kept.act(BLACK, moves(1, "e5"), ms(2000))?;
        let Some(seconds) = seconds else {
            let refused = claim_of(&kept, WHITE, Claim::Win, &gone);
            assert_eq!(refused, Err(Refused::NobodyWaits), "{control}");
            continue;
        };
        let due = 5000 + seconds * 1000;
        let here = left(&kept, due, None);
        let refused = claim_of(&kept, WHITE, Claim::Win, &here);
        assert_eq!(refused, Err(Refused::NobodyLeft), "{control}");
        let soon = left(&kept, due - 1500, Some(5000));
        let refused = claim_of(&kept, WHITE, Claim::Win, &soon);
        assert_eq!(refused, Err(Refused::LeftJustNow(2)), "{control}");
        let now = left(&kept, due, Some(5000));
        let refused = claim_of(&kept, BLACK, Claim::Win, &now);
        assert_eq!(refused, Err(Refused::NobodyLeft), "White is there");
        let refused = claim_of(&kept, Who::Watcher, Claim::Win, &now);
        assert_eq!(refused, Err(Refused::Watching));
        for (claim, winner) in [(Claim::Win, Some(Side::White)), (Claim::Draw, None)] {
            let mut kept = Kept {
                table: kept.table.clone(),
                entries: kept.entries.clone(),
            };
            let events = claim_of(&kept, WHITE, claim, &now)?;
            assert_eq!(
                events,
                [Event::Claimed {
                    side: Side::White,
                    claim
                }]
            );
            kept.store(events, ms(due))?;
            let outcome = kept.table.outcome().ok_or("no result")?;
            assert_eq!(
                (outcome.winner, outcome.reason.name()),
                (winner, "abandoned")
            );
            assert!(!kept.table.clock_runs());
            let again = Table::replay(kept.table.spec().clone(), &kept.entries, Arc::default())?;
            assert_eq!(state(&again, ms(due)), state(&kept.table, ms(due)));
            let refused = claim_of(&kept, WHITE, claim, &now);
            assert_eq!(refused, Err(Refused::Over));
        }
    }
    Ok(())
}

#[test]
fn who_has_only_a_king_claims_no_win() -> Tested {
    let mut bare = spec(Some("chess"), None, "fischer:5m+0s");
    bare.fen = Some("k6r/8/8/8/8/8/8/K7 w - - 0 1".into());
    let mut kept = Kept::both_come(bare)?;
    kept.act(WHITE, moves(0, "Ka2"), ms(1))?;
    kept.act(BLACK, moves(1, "Ka7"), ms(2))?;
    let now = left(&kept, 60_000, Some(0));
    let events = claim_of(&kept, WHITE, Claim::Win, &now)?;
    let claim = Claim::Draw;
    assert_eq!(
        events,
        [Event::Claimed {
            side: Side::White,
            claim
        }]
    );
    Ok(())
}

/// The engine waits for ever, and never leaves.
#[test]
fn the_engine_claims_nothing() -> Tested {
    let mut against = spec(Some("chess"), None, "fischer:5m+0s");
    against.seats.black.level = Some(1);
    let mut kept = Kept::new(against)?;
    let events = kept.table.joined(WHITE, person("Ann"), "new Ann".into());
    kept.store(events, ms(0))?;
    kept.act(WHITE, moves(0, "e4"), ms(1))?;
    kept.act(BLACK, moves(1, "e5"), ms(2))?;
    assert_eq!(kept.table.claimed_from(Some(ms(0))), None);
    Ok(())
}

/// What the engine thought is stored with its moves, and removed with them.
#[test]
fn what_the_engine_thought_is_kept() -> Tested {
    let mut kept = Kept::both_come(spec(Some("chess"), None, "none"))?;
    for (ply, (who, text, thought)) in [
        (WHITE, "e4", None),
        (BLACK, "e5", Some(-20)),
        (WHITE, "d4", None),
        (BLACK, "d6", Some(-35)),
    ]
    .into_iter()
    .enumerate()
    {
        let deed = moves(ply as u32, text);
        let mut events = kept
            .table
            .decide(who, &deed, &Circumstances::at(ms(1)), &mut Dice(1))?;
        if let Some(Event::Played { thought: kept, .. }) = events.first_mut() {
            *kept = thought;
        }
        kept.store(events, ms(1))?;
    }
    let thoughts = |table: &Table, side| table.thoughts(side).collect::<Vec<_>>();
    assert_eq!(thoughts(&kept.table, Side::Black), [(1, -20), (3, -35)]);
    assert_eq!(thoughts(&kept.table, Side::White), []);
    let texts: Vec<String> = kept.entries.iter().map(|e| e.event.to_text()).collect();
    let mut again = Vec::new();
    for (entry, text) in kept.entries.iter().zip(&texts) {
        let event = serde_json::from_str(text)?;
        again.push(Entry { event, ..*entry });
    }
    let again = Table::replay(kept.table.spec().clone(), &again, Arc::default())?;
    assert_eq!(thoughts(&again, Side::Black), [(1, -20), (3, -35)]);
    kept.act(WHITE, Deed::Takeback { ply: 4, seq: None }, ms(2))?;
    kept.act(BLACK, Deed::Takeback { ply: 4, seq: None }, ms(3))?;
    assert_eq!(thoughts(&kept.table, Side::Black), [(1, -20)]);
    Ok(())
}

/// A fifth of a move's days is left, and half a day at most; while the clock stands still there is nothing to tell.
#[test]
fn who_is_to_move_is_warned_in_time() -> Tested {
    const HOUR: u64 = 3_600_000;
    let day = 24 * HOUR;
    for (clock, left) in [
        ("days:1", day / 5),
        ("days:2", 2 * day / 5),
        ("days:3", 12 * HOUR),
        ("days:365", 12 * HOUR),
    ] {
        let kept = Kept::both_come(spec(Some("chess"), None, clock))?;
        let deadline = kept.table.deadline().ok_or("no deadline")?;
        assert_eq!(
            kept.table.warned_from(),
            Some(deadline - ms(left)),
            "{clock}"
        );
    }
    let mut kept = Kept::both_come(spec(Some("chess"), None, "days:1"))?;
    kept.act(WHITE, moves(0, "e4"), ms(HOUR))?;
    assert_eq!(kept.table.warned_from(), Some(ms(HOUR + day - day / 5)));
    let bob = kept
        .table
        .person(Side::Black)
        .ok_or("nobody")?
        .guest
        .clone();
    let away = kept.table.vacation(&bob, true, ms(2 * HOUR));
    kept.store(away, ms(2 * HOUR))?;
    assert_eq!(kept.table.warned_from(), None);
    let back = kept.table.vacation(&bob, false, ms(50 * HOUR));
    kept.store(back, ms(50 * HOUR))?;
    assert_eq!(
        kept.table.warned_from(),
        Some(ms(49 * HOUR + day - day / 5))
    );
    kept.act(BLACK, Deed::Resign, ms(51 * HOUR))?;
    assert_eq!(kept.table.warned_from(), None);
    // Not in a game at the board, nor for the engine.
    let mut quick = Kept::both_come(spec(Some("chess"), None, "fischer:90m+30s"))?;
    quick.act(WHITE, moves(0, "e4"), ms(1))?;
    quick.act(BLACK, moves(1, "e5"), ms(2))?;
    assert_eq!(quick.table.warned_from(), None);
    let mut against = spec(Some("chess"), None, "days:1");
    against.seats.white.level = Some(1);
    let mut kept = Kept::new(against)?;
    let events = kept.table.joined(BLACK, person("Bob"), "new Bob".into());
    kept.store(events, ms(0))?;
    assert_eq!(
        (kept.table.turn(), kept.table.warned_from()),
        (Some(Side::White), None)
    );
    Ok(())
}
