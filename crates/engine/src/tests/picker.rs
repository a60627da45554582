//! The order of moves: every stage in its turn, every move once.

use super::{Parts, Result, all_games, at_width, random_positions};
use crate::history::History;
use crate::search::picker::{Hints, MovePicker, Stage};
use husun::set::Set;
use husun::tables::Tables;
use husun::{Move, Position, Variant};
use std::sync::Arc;

/// White may win a pawn or capture a protected one at a loss, and has many other moves.
const MIXED: &str = "4k3/8/4p3/3p3p/8/8/3R4/4K2R w - - 0 1";

/// Moves in the order in which they are picked, each with its stage.
fn picked<S: Set>(
    variant: &Arc<Variant>,
    tables: &Arc<Tables<S>>,
    position: &Position,
    hints: &Hints,
    learn: &dyn Fn(&mut History),
    sound: bool,
) -> Vec<(String, Stage)> {
    let parts = Parts::new(variant, tables);
    let mut history = History::new(parts.facts.squares(), parts.facts.kinds.len());
    learn(&mut history);
    let pos = position.at_width().expect("of this width");
    let mut picker = MovePicker::default();
    let mut all = Vec::new();
    // A picker that was used before is as good as a new one.
    let legal = position.legal_moves();
    picker.fill(&legal, *hints);
    picker.next(pos, &parts.exchanges, &history);
    picker.ahead();
    for moves in [&legal[..1], &legal] {
        picker.fill(moves, *hints);
        assert_eq!(picker.len(), moves.len());
        all.clear();
        loop {
            // What will most likely be next is next, but for captures that turn out to lose.
            let ahead = picker.ahead();
            let next = match sound {
                true => picker.next_sound(pos, &parts.exchanges, &history),
                false => picker.next(pos, &parts.exchanges, &history),
            };
            let Some((m, stage)) = next else {
                break;
            };
            assert!(sound || ahead.is_none_or(|ahead| ahead == m));
            all.push((position.uci(m).to_string(), stage));
        }
    }
    all
}

#[test]
fn stages_follow_each_other() -> Result<()> {
    let chess = games::variant("chess").ok_or("no such game")?;
    let position = chess.position(MIXED)?;
    let parse = |uci: &str| position.parse_uci(uci).ok();
    let hints = Hints {
        table: parse("e1f2").map(Move::packed),
        killers: [parse("d2d3"), parse("h1h2")],
        counter: parse("d2a2"),
        before: [None; 2],
    };
    let liked = parse("h1g1").ok_or("no move")?;
    let learn = |history: &mut History| {
        history.learn_quiet(position.turn(), liked, [None; 2], 900);
    };
    let all = at_width!(picked, chess, &position, &hints, &learn, true);
    let front: Vec<(&str, Stage)> = all.iter().map(|(m, s)| (m.as_str(), *s)).collect();
    assert_eq!(
        front[..6],
        [
            ("e1f2", Stage::Table),
            ("h1h5", Stage::Gaining),
            ("d2d3", Stage::Killer),
            ("h1h2", Stage::SecondKiller),
            ("d2a2", Stage::Counter),
            ("h1g1", Stage::Quiet),
        ]
    );
    assert_eq!(front.last(), Some(&("d2d5", Stage::Losing)));

    // Without looking at exchanges both captures count as gaining.
    let all = at_width!(picked, chess, &position, &hints, &learn, false);
    let gaining = all.iter().filter(|(_, stage)| *stage == Stage::Gaining);
    assert_eq!(gaining.count(), 2);
    assert!(all.iter().all(|(_, stage)| *stage != Stage::Losing));

    // The table's move comes first even if it loses.
    let hints = Hints {
        table: parse("d2d5").map(Move::packed),
        ..hints
    };
    let all = at_width!(picked, chess, &position, &hints, &learn, true);
    assert_eq!(all[0], ("d2d5".into(), Stage::Table));
    Ok(())
}

/// What is left after the first quiet moves if only some are wanted.
fn left<S: Set>(
    variant: &Arc<Variant>,
    tables: &Arc<Tables<S>>,
    position: &Position,
    wanted: &str,
) -> Vec<(String, Stage)> {
    let parts = Parts::new(variant, tables);
    let history = History::new(parts.facts.squares(), parts.facts.kinds.len());
    let pos = position.at_width().expect("of this width");
    let mut picker = MovePicker::default();
    picker.fill(&position.legal_moves(), Hints::default());
    let mut all = Vec::new();
    while let Some((m, stage)) = picker.next_sound(pos, &parts.exchanges, &history) {
        if all.is_empty() {
            picker.ahead();
            picker.keep_quiets(|m| position.uci(m).to_string() == wanted);
        }
        all.push((position.uci(m).to_string(), stage));
    }
    all
}

#[test]
fn quiet_moves_that_are_not_wanted_are_dropped_and_captures_stay() -> Result<()> {
    let chess = games::variant("chess").ok_or("no such game")?;
    let position = chess.position(MIXED)?;
    let all = at_width!(left, chess, &position, "d2a2");
    let all: Vec<(&str, Stage)> = all.iter().map(|(m, s)| (m.as_str(), *s)).collect();
    let expected = [
        ("h1h5", Stage::Gaining),
        ("d2a2", Stage::Quiet),
        ("d2d5", Stage::Losing),
    ];
    assert_eq!(all, expected);
    Ok(())
}

#[test]
fn captures_come_by_what_they_take() -> Result<()> {
    let chess = games::variant("chess").ok_or("no such game")?;
    // The rook may take a queen, a knight and a pawn.
    let position = chess.position("3q3k/8/8/8/p2R2n1/8/8/K7 w - - 0 1")?;
    let taking = |learn: &dyn Fn(&mut History)| -> Vec<String> {
        let hints = Hints::default();
        let all = at_width!(picked, chess, &position, &hints, learn, true);
        let captures = all
            .iter()
            .filter(|(_, stage)| matches!(stage, Stage::Gaining | Stage::Losing));
        captures.map(|(m, _)| m.clone()).collect()
    };
    assert_eq!(taking(&|_| {}), ["d4d8", "d4g4", "d4a4"]);
    // Capture history brings a pawn before a knight, not before a queen.
    let pawn = position.parse_uci("d4a4")?;
    let taken = position.captured(pawn).map(|(_, _, kind)| kind);
    let praised = taking(&|history| {
        for _ in 0..3 {
            history.learn_capture(pawn, taken, 1700);
        }
    });
    assert_eq!(praised, ["d4d8", "d4a4", "d4g4"]);
    Ok(())
}

#[test]
fn every_move_is_picked_once() -> Result<()> {
    for game in all_games() {
        for position in random_positions(&game, 8, 80) {
            let moves = position.legal_moves();
            let hints = Hints {
                table: moves.last().map(|m| m.packed()),
                killers: [moves.first().copied(), None],
                counter: moves.get(1).copied(),
                before: [None; 2],
            };
            for sound in [true, false] {
                let all = at_width!(picked, game, &position, &hints, &|_| {}, sound);
                assert!(all.is_sorted_by(|a, b| a.1 >= b.1), "{all:?}");
                let mut found: Vec<String> = all.into_iter().map(|(m, _)| m).collect();
                let mut expected: Vec<String> =
                    moves.iter().map(|&m| position.uci(m).to_string()).collect();
                found.sort();
                expected.sort();
                assert_eq!(found, expected, "{} {}", game.id(), position.fen());
            }
        }
    }
    Ok(())
}
