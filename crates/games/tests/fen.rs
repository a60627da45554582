//! Position texts that are refused, with what the error says, and some that are accepted.

use husun::{Position, Setup, Side};
use std::error::Error;

/// Game, position text, beginning of the error.
const REFUSED: &[(&str, &str, &str)] = &[
    (
        "chess",
        "",
        "0 fields: expected 6 (or 4 without the two counters)",
    ),
    (
        "chess",
        "8/8/8/8/8/8/8/8 w - -  0 1",
        "6 fields: expected 6",
    ),
    (
        "chess",
        "4k3/8/8/8/8/8/8/4K3 w - - 0",
        "5 fields: expected 6",
    ),
    (
        "citadel8",
        "4k4/9/9/9/9/9/9/4K4 w - - 0 1",
        "state: the field is missing: expected letters of CYcy",
    ),
    (
        "chess",
        "4k3/8/8/8/8/8/4K3 w - - 0 1",
        "board: 7 ranks: expected 8",
    ),
    (
        "chess",
        "4k3/8/8/8/8/8/8/4K4 w - - 0 1",
        "board: rank 1 has 9 files: expected 8",
    ),
    (
        "chess",
        "4k3/8/8/8/8/7/8/4K3 w - - 0 1",
        "board: rank 3 has 7 files: expected 8",
    ),
    (
        "chess",
        "4k3/8/8/8/08/8/8/4K3 w - - 0 1",
        "board: rank 4 has the number 08",
    ),
    (
        "chess",
        "4k3/8/8/8/9/8/8/4K3 w - - 0 1",
        "board: rank 4 has the number 9",
    ),
    (
        "chess",
        "4k3/8/8/8/3x4/8/8/4K3 w - - 0 1",
        "board: rank 4 has unknown letter `x`: expected one of KQRBNP",
    ),
    (
        "chess",
        "4k3/8/8/8/3*4/8/8/4K3 w - - 0 1",
        "board: `*` on d4, which exists",
    ),
    (
        "alhusun",
        "1**********1/*10*/*10*/*4k5*/*10*/*10*/*10*/*10*/*10*/*10*/*4K5*/2*********1 w - - 0 1",
        "board: square b1 does not exist",
    ),
    (
        "alhusun",
        "1**********1/*10*/*10*/*4k5*/*10*/*10*/*10*/*10*/*10*/*10*/*4K5*/1R*********1 w - - 0 1",
        "board: square b1 does not exist",
    ),
    (
        "chess",
        "4k3/8/8/8/8/8/8/4K3 W - - 0 1",
        "side: `W`: expected w or b",
    ),
    (
        "chess",
        "r3k2r/8/8/8/8/8/8/R3K2R w QK - 0 1",
        "castling: `QK`: expected letters of KQkq in that order",
    ),
    (
        "chess",
        "r3k2r/8/8/8/8/8/8/R3K2R w KK - 0 1",
        "castling: `KK`",
    ),
    (
        "chess",
        "4k3/8/8/8/8/8/8/R3K3 w K - 0 1",
        "castling: right K without its pieces at home on e1 and h1",
    ),
    (
        "grand",
        "4k5/10/10/10/10/10/10/10/10/R3K5 w Q - 0 1",
        "castling: right Q does not exist in this game",
    ),
    (
        "chess",
        "4k3/8/8/8/8/8/8/4K3 w - x 0 1",
        "en passant: `x`: expected - or one or two squares",
    ),
    (
        "chess",
        "4k3/8/8/8/8/8/8/4K3 w - e9 0 1",
        "en passant: `e9`",
    ),
    (
        "chess",
        "4k3/8/8/8/8/8/8/4K3 w - e6 0 1",
        "en passant: no last move of Black could have passed over e6",
    ),
    (
        "chess",
        "4k3/8/8/4p3/8/8/8/4K3 w - e7 0 1",
        "en passant: no last move of Black could have passed over e7",
    ),
    (
        "chess",
        "4k3/4p3/8/4p3/8/8/8/4K3 w - e6 0 1",
        "en passant: no last move of Black could have passed over e6",
    ),
    (
        "chess",
        "4k3/8/8/3Pp3/8/8/8/4K3 w - e6 3 1",
        "en passant: no last move of Black could have passed over e6",
    ),
    (
        "citadel9",
        "4k4/9/9/9/9/4Pp3/9/9/4K4 b - e3e4 CYcy 0 1",
        "en passant: no last move of White could have passed over e3e4",
    ),
    (
        "chess",
        "4k3/8/8/8/8/8/8/4K3 w - - -1 1",
        "half-move clock: `-1`: expected a number from 0",
    ),
    (
        "chess",
        "4k3/8/8/8/8/8/8/4K3 w - - 01 1",
        "half-move clock: `01`",
    ),
    (
        "chess",
        "4k3/8/8/8/8/8/8/4K3 w - - 0 0",
        "full-move number: `0`: expected a number from 1",
    ),
    (
        "chess",
        "4k3/8/8/8/8/8/8/4K3 w - - 0 4294967296",
        "full-move number: `4294967296`",
    ),
    (
        "chess",
        "4k3/8/8/8/8/8/8/8 w - - 0 1",
        "board: White has 0 royal pieces (K): expected one",
    ),
    (
        "chess",
        "4k3/8/8/8/8/8/8/3KK3 w - - 0 1",
        "board: White has 2 royal pieces (K): expected one",
    ),
    (
        "chess",
        "4k3/8/8/8/8/8/8/P3K3 w - - 0 1",
        "board: P can never stand on a1",
    ),
    (
        "chess",
        "p3k3/8/8/8/8/8/8/4K3 w - - 0 1",
        "board: p can never stand on a8",
    ),
    (
        "citadelir2024",
        "5k6/12/12/12/12/12/12/12/12/P11/12/5K6 w - - 0 1",
        "board: P can never stand on a3",
    ),
    (
        "alhusun",
        "1**********1/*P9*/*10*/*4k5*/*10*/*10*/*10*/*10*/*10*/*10*/*4K5*/1**********1 w - - 0 1",
        "board: P can never stand on b11",
    ),
    (
        "citadel8",
        "4k4/2P6/9/9/9/9/9/4K4 w - - - 0 1",
        "board: P can never stand on c7",
    ),
    (
        "citadel8",
        "2k1P4/9/9/9/9/9/9/4K4 w - - Y 0 1",
        "board: P can never stand on e8",
    ),
    (
        "chess",
        "4k3/4R3/8/8/8/8/8/4K3 w - - 0 1",
        "side: Black is in check and not to move",
    ),
    (
        "citadel8",
        "4k4/9/9/9/9/4k4/9/4K4 w - - - 0 1",
        "board: Black has 2 royal pieces (KY): expected one or more, of each kind one at most",
    ),
    (
        "citadel8",
        "9/9/9/9/9/9/4k4/4K4 w - - - 0 1",
        "board: opposing royal pieces stand next to each other at e1",
    ),
    (
        "citadel8",
        "4k4/9/9/9/9/9/9/4K1Y2 w - - CY 0 1",
        "state: `Y` contradicts the position: the Prince, younger stands on the board",
    ),
    (
        "citadel8",
        "4k4/9/9/9/9/9/9/4K4 w - - YC 0 1",
        "state: `YC`: expected letters of CYcy in that order",
    ),
    (
        "strike80",
        "4q5/10/10/10/10/10/10/B3Q4B w K - S 0 1",
        "state: `S` contradicts the position: White still has a castling right",
    ),
    (
        "strike80",
        "4q5/10/10/10/10/10/10/4QK4 w - - X 0 1",
        "state: `X` contradicts the position: the crowning has taken place, yet a King (K) stands on the board",
    ),
    (
        "strike80",
        "4q5/10/10/10/10/10/10/4QX4 w - - - 0 1",
        "state: `X` contradicts the position: the crowning has not taken place, yet a Emperor (X) stands on the board",
    ),
    (
        "strike80",
        "4q5/10/10/10/10/10/10/4QK4 w - - ! 0 1",
        "state: `!` contradicts the position: no Empress of Black stands in her castle",
    ),
    // A side that has castled never traverses, and there is no other way to an Empress.
    (
        "strike80",
        "4q5/10/10/10/10/10/10/4E5 w - - S 0 1",
        "state: `S` contradicts the position: White has Empress (E), which comes of a Traverse",
    ),
    (
        "crossfire100",
        "e9/10/10/10/10/10/10/10/10/4Q5 w - - s 0 1",
        "state: `s` contradicts the position: Black has Empress (E)",
    ),
    (
        "strike80",
        "4q2E2/10/10/10/10/10/10/4Q5 w - - - 0 1",
        "board: White has 2 royal pieces (QE): expected one",
    ),
];

/// Game, position text, canonical text.
const ACCEPTED: &[(&str, &str, &str)] = &[
    (
        "chess",
        "4k3/8/8/8/8/8/8/4K3 w - -",
        "4k3/8/8/8/8/8/8/4K3 w - - 0 1",
    ),
    // A square that the last move could have passed over, on which nothing can be captured.
    (
        "chess",
        "4k3/8/8/8/4P3/8/8/4K3 b - e3 0 1",
        "4k3/8/8/8/4P3/8/8/4K3 b - - 0 1",
    ),
    // A capture that would leave the king in check.
    (
        "chess",
        "8/8/8/8/k2Pp2Q/8/8/4K3 b - d3 0 1",
        "8/8/8/8/k2Pp2Q/8/8/4K3 b - - 0 1",
    ),
    (
        "chess",
        "4k3/8/8/8/3Pp3/8/8/4K3 b - d3 0 1",
        "4k3/8/8/8/3Pp3/8/8/4K3 b - d3 0 1",
    ),
    // One square of a triple step.
    (
        "citadel9",
        "4k4/9/9/9/4Pp3/9/9/9/4K4 b - e4 CYcy 0 1",
        "4k4/9/9/9/4Pp3/9/9/9/4K4 b - e4 CYcy 0 1",
    ),
    (
        "citadel8",
        "2k1P4/9/9/9/9/9/9/4K4 w - - C 0 1",
        "2k1P4/9/9/9/9/9/9/4K4 w - - C 0 1",
    ),
    (
        "strike80",
        "4q5/10/10/10/10/10/10/C3Q4M w - - - 0 1",
        "4q5/10/10/10/10/10/10/C3Q4M w - - - 0 1",
    ),
    (
        "citadel8",
        "4k4/9/9/9/9/9/9/Y8 w - - - 7 12",
        "4k4/9/9/9/9/9/9/Y8 w - - - 7 12",
    ),
];

#[test]
fn refused_with_field_and_reason() {
    for (id, fen, message) in REFUSED {
        let game = husun_games::variant(id);
        let error = game.map(|g| g.position(fen).map(|p| p.fen()).map_err(|e| e.to_string()));
        let found = format!("{error:?}");
        assert!(
            matches!(&error, Some(Err(e)) if e.starts_with(message)),
            "{id} {fen}: {found}"
        );
    }
}

#[test]
fn arrangements_have_the_bounds_of_position_text() -> Result<(), Box<dyn Error>> {
    let chess = husun_games::variant("chess").ok_or("no chess")?;
    type Change = fn(&mut Setup);
    let rows: [(Change, &str); 5] = [
        (
            |s| s.halfmove = 1_000_000,
            "half-move clock: 1000000: expected a number from 0 to 999999",
        ),
        (
            |s| s.fullmove = 0,
            "full-move number: 0: expected a number from 1 to 999999",
        ),
        (
            |s| s.fullmove = u32::MAX,
            "full-move number: 4294967295: expected",
        ),
        (
            |s| s.state = 4,
            "the arrangement has a state flag number 2: the game has 0",
        ),
        (
            |s| s.board.clear(),
            "the arrangement has 0 squares: expected 64",
        ),
    ];
    for (change, message) in rows {
        let mut setup = chess.start().setup();
        change(&mut setup);
        let error = Position::from_setup(&chess, &setup).map_err(|e| e.to_string());
        assert!(
            matches!(&error, Err(e) if e.starts_with(message)),
            "{error:?}"
        );
    }
    // A kind and a square that only a larger game has.
    let strike = husun_games::variant("strike100").ok_or("no strike")?;
    let mut setup = chess.start().setup();
    setup.board[20] = strike.kind('F').map(|kind| (Side::White, kind));
    assert!(Position::from_setup(&chess, &setup).is_err());
    let mut setup = chess.start().setup();
    setup.en_passant = strike.frame().square(99).into_iter().collect();
    assert!(Position::from_setup(&chess, &setup).is_err());
    // Counters stay within what position text can express.
    let mut position = chess.position("4k3/8/8/8/8/8/8/4K3 b - - 999999 999999")?;
    for text in ["e8e7", "e1e2"] {
        position = position.play_unchecked(position.parse_uci(text)?);
        chess.position(&position.fen())?;
    }
    Ok(())
}

#[test]
fn accepted_as_canonical_text() -> Result<(), Box<dyn Error>> {
    for (id, fen, canonical) in ACCEPTED {
        let game = husun_games::variant(id).ok_or("no such game")?;
        assert_eq!(game.position(fen)?.fen(), *canonical, "{id} {fen}");
    }
    Ok(())
}
