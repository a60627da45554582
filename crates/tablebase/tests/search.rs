//! The engine with tables: it plays what they say, and what they say is a score like any other.

use engine::{Engine, Level, Limits, Options, Score, SearchResult};
use husun::{Position, Side, Status, Variant};
use husun_tablebase::{Builder, Men, Outcome, Tablebase};
use std::error::Error;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, LazyLock};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// The tables of king and queen, and king and rook, against king.
static TABLES: LazyLock<Option<Arc<Tablebase>>> = LazyLock::new(|| {
    let chess = games::variant("chess")?;
    let man = |side, letter| Some((side, chess.kind(letter)?));
    let strong = |letter| {
        let (white, black) = (man(Side::White, 'K')?, man(Side::Black, 'K')?);
        Some(Men::new(vec![white, black, man(Side::White, letter)?]))
    };
    let sets = [strong('Q')?, strong('R')?];
    let builder = Builder::new(&chess, 2);
    builder.these(&sets, &mut |_| ()).ok().map(Arc::new)
});

fn tables() -> Result<Arc<Tablebase>> {
    TABLES.clone().ok_or_else(|| "no tables".into())
}

fn engine(chess: &Arc<Variant>, level: Level) -> Result<Engine> {
    let options = Options {
        level,
        ..Options::default()
    };
    let mut engine = Engine::new(chess.clone(), options);
    engine.set_endings(Some(tables()?));
    Ok(engine)
}

/// What is found of a position, and how many positions were found in the tables.
fn search(engine: &mut Engine, position: &Position, limits: &Limits) -> (SearchResult, u64) {
    let stop = AtomicBool::new(false);
    let mut hits = 0;
    let found = engine.search(position, &[], limits, &stop, &mut |info| {
        hits = info.table_hits;
    });
    (found, hits)
}

#[test]
fn scores_and_lines_are_those_of_the_tables() -> Result<()> {
    let tables = tables()?;
    let chess = tables.variant();
    let mut engine = engine(chess, Level::FULL)?;
    for fen in [
        "8/8/8/3k4/8/8/8/KQ6 w - - 0 1",
        "8/8/8/3k4/8/8/8/KR6 w - - 0 1",
        "8/8/3k4/8/8/8/1R6/K7 b - - 0 1",
        "7k/8/6K1/8/8/8/8/R7 w - - 0 1",
        // The rook falls, and the kings draw.
        "8/8/8/8/8/8/2k5/KR6 b - - 0 1",
        "8/8/8/8/8/3k4/2R5/K7 b - - 0 1",
    ] {
        let position = chess.position(fen)?;
        let verdict = tables.probe(&position)?;
        let plies = i32::from(verdict.distance);
        let expected = match verdict.outcome {
            Outcome::Won => Score::Mate((plies + 1) / 2),
            Outcome::Lost => Score::Mate(-plies / 2),
            Outcome::Drawn => Score::Cp(0),
        };
        engine.clear();
        let (found, hits) = search(&mut engine, &position, &Limits::depth(2));
        assert_eq!(found.score, expected, "{fen}");
        assert!(hits > 0, "{fen}");
        let best = found.best.ok_or("no move")?;
        let after = tables.probe(&position.play(best)?)?;
        assert_eq!(after.outcome, verdict.outcome.turned(), "{fen}");
        if verdict.outcome == Outcome::Drawn {
            continue;
        }
        // The line goes on to the mate, at every depth.
        assert_eq!(found.pv.len(), usize::from(verdict.distance), "{fen}");
        let mut last = position;
        for m in found.pv {
            last = last.play(m)?;
        }
        assert_eq!(last.status(), Status::Checkmate, "{fen}");
    }
    Ok(())
}

#[test]
fn a_win_that_comes_too_late_for_the_move_rule_is_none() -> Result<()> {
    let tables = tables()?;
    let chess = tables.variant();
    let mut engine = engine(chess, Level::FULL)?;
    // Seventeen half-moves, and the rule draws after a hundred.
    for (clock, wins) in [(0, true), (82, true), (88, false), (97, false)] {
        let fen = format!("8/8/8/3k4/8/8/8/KQ6 w - - {clock} 80");
        let position = chess.position(&fen)?;
        engine.clear();
        let (found, _) = search(&mut engine, &position, &Limits::depth(3));
        assert_eq!(found.score == Score::Mate(9), wins, "{fen}");
        assert_eq!(matches!(found.score, Score::Mate(_)), wins, "{fen}");
    }
    Ok(())
}

#[test]
fn four_men_are_played_by_what_three_come_to() -> Result<()> {
    let tables = tables()?;
    let chess = tables.variant();
    // The queen gives check and can be taken.
    let position = chess.position("8/8/8/3k4/8/8/1q6/K1R5 w - - 0 1")?;
    let mut with = engine(chess, Level::FULL)?;
    let (found, hits) = search(&mut with, &position, &Limits::depth(4));
    assert!(hits > 0);
    // King takes queen, and what is left is known.
    let best = found.best.ok_or("no move")?;
    assert_eq!(position.uci(best).to_string(), "a1b2");
    let left = tables.probe(&position.play(best)?)?;
    assert_eq!(found.score, Score::Mate(i32::from(left.distance) / 2 + 1));
    assert_eq!(found.pv.len(), usize::from(left.distance) + 1);
    // A lower level does not ask, and without tables there is nothing to ask.
    let lower = Level::new(7).ok_or("a level")?;
    let (_, hits) = search(&mut engine(chess, lower)?, &position, &Limits::depth(4));
    assert_eq!(hits, 0);
    with.set_endings(None);
    assert_eq!(search(&mut with, &position, &Limits::depth(4)).1, 0);
    Ok(())
}

#[test]
fn a_game_ends_when_the_tables_say() -> Result<()> {
    let tables = tables()?;
    let chess = tables.variant();
    let mut engine = engine(chess, Level::FULL)?;
    let mut position = chess.position("8/8/8/3k4/8/8/8/KR6 w - - 0 1")?;
    let distance = tables.probe(&position)?.distance;
    let (mut history, stop) = (vec![], AtomicBool::new(false));
    for _ in 0..distance {
        assert_eq!(position.status(), Status::Ongoing);
        let limits = Limits::depth(1);
        let found = engine.search(&position, &history, &limits, &stop, &mut |_| {});
        history.push(position.key());
        position = position.play(found.best.ok_or("no move")?)?;
    }
    assert_eq!(position.status(), Status::Checkmate);
    Ok(())
}
