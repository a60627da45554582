//! Rows of moves with what is thought before and after them, and what is said of them.

use super::*;
use crate::values::estimate;
use husun::Status;

type Tested = Result<(), Box<dyn std::error::Error>>;

const CP: fn(i32) -> Score = Score::Cp;
const MATE: fn(i32) -> Score = Score::Mate;

/// Game, position text, score and best line before, the move, score and answer after, what is said.
type Row = (
    &'static str,
    &'static str,
    (Score, &'static [&'static str]),
    &'static str,
    (Score, &'static [&'static str]),
    Option<(Size, Said)>,
);

/// A kind of fault with pieces by their letters.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Said {
    Allowed(u32),
    Missed(u32),
    Draw(Status),
    Lost(char),
    Took(char),
    Slip,
    Hold,
    Worse,
}

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
/// Black's king can go to the citadel at l1.
const SAVING: &str =
    "1**********1/*4RgK2n*/*7e2*/*5R1e2*/*10*/*10*/*10*/*10*/*10*/*10*/*9k*/1**********1 b - - 0 1";
/// White's queen can be taken by the pawn of e6, Black's by nobody.
const HANGING: &str = "3qk3/8/4p3/8/8/8/8/3QK3 w - - 0 1";

#[test]
fn moves_are_judged() -> Tested {
    let rows: Vec<Row> = vec![
        (
            "chess",
            START,
            (CP(20), &["e2e4"]),
            "g1f3",
            (CP(-10), &["d7d5"]),
            None,
        ),
        // The engine's own choice is never blamed, however it turns out.
        (
            "chess",
            START,
            (CP(20), &["e2e4"]),
            "e2e4",
            (CP(300), &["d7d5"]),
            None,
        ),
        // 5, 10 and 15 percentage points.
        (
            "chess",
            START,
            (CP(20), &["e2e4"]),
            "a2a4",
            (CP(40), &["d7d5"]),
            Some((Size::Inaccuracy, Said::Worse)),
        ),
        (
            "chess",
            START,
            (CP(20), &["e2e4"]),
            "a2a4",
            (CP(100), &["d7d5"]),
            Some((Size::Mistake, Said::Worse)),
        ),
        (
            "chess",
            START,
            (CP(20), &["e2e4"]),
            "a2a4",
            (CP(160), &["d7d5"]),
            Some((Size::Blunder, Said::Worse)),
        ),
        // A forced win of the opponent's, one of the own.
        (
            "chess",
            START,
            (CP(20), &["e2e4"]),
            "a2a4",
            (MATE(3), &["d7d5"]),
            Some((Size::Blunder, Said::Allowed(3))),
        ),
        (
            "chess",
            START,
            (MATE(2), &["e2e4"]),
            "a2a4",
            (CP(0), &["d7d5"]),
            Some((Size::Blunder, Said::Missed(2))),
        ),
        // Nobody is blamed for a slower win, nor for a lost game that is lost sooner.
        (
            "chess",
            START,
            (MATE(2), &["e2e4"]),
            "a2a4",
            (CP(-1200), &["d7d5"]),
            None,
        ),
        (
            "chess",
            START,
            (MATE(-4), &["e2e4"]),
            "a2a4",
            (MATE(2), &["d7d5"]),
            None,
        ),
        // Pieces: lost, exchanged, not taken.
        (
            "chess",
            HANGING,
            (CP(0), &["d1d8"]),
            "d1d5",
            (CP(900), &["e6d5"]),
            Some((Size::Blunder, Said::Lost('Q'))),
        ),
        (
            "chess",
            HANGING,
            (CP(0), &["e1e2"]),
            "d1d8",
            (CP(200), &["e8d8"]),
            Some((Size::Blunder, Said::Worse)),
        ),
        (
            "chess",
            HANGING,
            (CP(900), &["d1d8"]),
            "d1d2",
            (CP(0), &["e8e7"]),
            Some((Size::Blunder, Said::Took('Q'))),
        ),
        (
            "chess",
            HANGING,
            (CP(500), &["e1e2"]),
            "e1f1",
            (CP(0), &["e8e7"]),
            Some((Size::Blunder, Said::Slip)),
        ),
        (
            "chess",
            HANGING,
            (CP(-100), &["e1e2"]),
            "e1f1",
            (CP(500), &["e8e7"]),
            Some((Size::Blunder, Said::Hold)),
        ),
        // A king that could have saved the game in the citadel, and one whose game was lost anyway.
        (
            "alhusun",
            SAVING,
            (CP(0), &["k2l1"]),
            "k2k3",
            (CP(700), &[]),
            Some((Size::Blunder, Said::Draw(Status::Citadel))),
        ),
        (
            "alhusun",
            SAVING,
            (CP(-100), &["k2j2"]),
            "k2k3",
            (CP(700), &[]),
            Some((Size::Blunder, Said::Hold)),
        ),
    ];
    for (row, (id, fen, before, uci, after, expected)) in rows.into_iter().enumerate() {
        let variant = games::variant(id).ok_or("no game")?;
        let Ok(position) = variant.position(fen) else {
            return Err(format!("row {row}: no position").into());
        };
        let m = position.parse_uci(uci)?;
        let next = position.play(m)?;
        let opinion = |position: &husun::Position, (score, line): (Score, &[&str])| {
            let first = line
                .first()
                .map(|uci| position.parse_uci(uci))
                .transpose()?;
            Ok::<_, husun::UciError>(Opinion {
                score,
                line: first.into_iter().collect(),
            })
        };
        let (before, after) = (opinion(&position, before)?, opinion(&next, after)?);
        let judged = Judged {
            position: &position,
            m,
            before: &before,
            after: &after,
            values: &estimate(&variant),
        };
        let letter = |kind| variant.piece(kind).letter;
        let said = judged.fault().map(|fault| {
            let kind = match fault.kind {
                FaultKind::AllowedWin(n) => Said::Allowed(n),
                FaultKind::MissedWin(n) => Said::Missed(n),
                FaultKind::MissedDraw(status) => Said::Draw(status),
                FaultKind::LostPiece(kind) => Said::Lost(letter(kind)),
                FaultKind::MissedPiece(kind) => Said::Took(letter(kind)),
                FaultKind::LetSlip => Said::Slip,
                FaultKind::LostHold => Said::Hold,
                FaultKind::Worse => Said::Worse,
            };
            (fault.size, kind)
        });
        assert_eq!(said, expected, "row {row}: {fen} {uci}");
    }
    Ok(())
}

#[test]
fn a_game_is_weighed_by_how_lively_it_was() -> Tested {
    let all = |accuracy: f64| -> Vec<(usize, f64)> { (0..10).map(|n| (2 * n, accuracy)).collect() };
    let quiet = [50.0; 21];
    let even = |moves: &[(usize, f64)]| accuracy_of_game(&quiet, moves).ok_or("no accuracy");
    assert!((even(&all(100.0))? - 100.0).abs() < 1e-9);
    assert!((even(&all(60.0))? - 60.0).abs() < 1e-9);
    // One bad move of ten: less than the mean, by the harmonic half.
    let mut one_bad = all(100.0);
    one_bad[4].1 = 10.0;
    let found = even(&one_bad)?;
    let (mean, harmonic) = (91.0, 10.0 / (9.0 / 100.0 + 1.0 / 10.0));
    assert!(
        (found - f64::midpoint(mean, harmonic)).abs() < 1e-9,
        "{found}"
    );
    // The same where the game swung at that move: it counts for more.
    let mut lively = quiet;
    lively[9] = 20.0;
    let swung = accuracy_of_game(&lively, &one_bad).ok_or("no accuracy")?;
    assert!(swung < found, "{swung} {found}");
    assert_eq!(accuracy_of_game(&quiet, &[]), None);
    Ok(())
}

#[test]
fn the_heaviest_mistakes_are_the_turning_points() -> Tested {
    let chess = games::variant("chess").ok_or("no chess")?;
    let mut game = Game::new(chess.start());
    let mut opinions = Vec::new();
    // White shuffles; every move of its gives something away, Black's give nothing.
    let losses = [60, 200, 10, 400, 150, 300, 250, 30];
    let round = ["g1f3", "g8f6", "f3g1", "f6g8"];
    for (n, loss) in losses.into_iter().enumerate() {
        let best = game.position().parse_uci("a2a3")?;
        opinions.push(Opinion {
            score: Score::Cp(0),
            line: vec![best],
        });
        game.play_on(game.position().parse_uci(round[2 * n % 4])?)?;
        // Black makes the engine's moves.
        let best = game.position().parse_uci(round[(2 * n + 1) % 4])?;
        opinions.push(Opinion {
            score: Score::Cp(loss),
            line: vec![best],
        });
        game.play_on(best)?;
    }
    opinions.push(Opinion {
        score: Score::Cp(0),
        line: Vec::new(),
    });
    let found = review(&game, &opinions, &estimate(&chess)).ok_or("no review")?;
    assert_eq!(found.turning, [2, 6, 10, 12]);
    let blunders = found
        .moves
        .iter()
        .filter(|m| m.fault.is_some_and(|f| f.size == Size::Blunder));
    assert_eq!(blunders.count(), 4);
    let [white, black] = found.accuracy;
    assert!(
        white.ok_or("none")? < 80.0 && black.ok_or("none")? > 99.0,
        "{white:?} {black:?}"
    );
    // An opinion too few is none.
    assert_eq!(review(&game, &opinions[1..], &estimate(&chess)), None);
    Ok(())
}
