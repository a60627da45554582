//! Algebraic notation: what is written, and what else is read as the same move; and the inventor's own
//! game of 55 moves.

use husun::Reason;
use husun::pgn::RawGame;
use husun::record::Record;
use husun::{SanError, Side};
use std::error::Error;

fn named(name: &str) -> Option<std::sync::Arc<husun::Variant>> {
    husun_games::Catalogue::default().named(name)
}

/// Game, position text, UCI move, how it is written, what else is read.
type Row = (
    &'static str,
    &'static str,
    &'static str,
    &'static str,
    &'static [&'static str],
);

const ROWS: &[Row] = &[
    (
        "chess",
        "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1",
        "e1g1",
        "O-O",
        &["0-0", "O-O!?"],
    ),
    (
        "chess",
        "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1",
        "e1c1",
        "O-O-O",
        &["0-0-0"],
    ),
    (
        "chess",
        "4k3/P7/8/8/8/8/8/4K3 w - - 0 1",
        "a7a8q",
        "a8=Q+",
        &["a8Q", "Pa8=Q", "a7a8q", "a7-a8=Q"],
    ),
    (
        "chess",
        "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1",
        "e5d6",
        "exd6",
        &["ed6", "e5d6", "Pe5xd6"],
    ),
    (
        "chess",
        "4k3/8/8/8/8/2N5/8/4K1N1 w - - 0 1",
        "g1e2",
        "Nge2",
        &["Ng1e2", "Ngxe2"],
    ),
    (
        "chess",
        "4k3/8/8/6N1/8/8/8/4K1N1 w - - 0 1",
        "g1f3",
        "N1f3",
        &["Ng1f3"],
    ),
    (
        "chess",
        "4k3/8/8/6N1/8/8/8/K3N1N1 w - - 0 1",
        "g1f3",
        "Ng1f3",
        &["Ng1-f3"],
    ),
    (
        "chess",
        "7k/R7/1R6/8/8/8/8/K7 w - - 0 1",
        "b6b8",
        "Rb8#",
        &["Rb8", "Rb8+", "Rb8??"],
    ),
    (
        "chess",
        "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1",
        "e2e4",
        "e4",
        &["Pe4", "e2-e4", "e2e4"],
    ),
    (
        "citadel8",
        "2k6/9/P8/9/9/9/9/4K4 w - - CYcy 0 1",
        "a6a7r",
        "a7=R",
        &["a7", "a7R", "Pa7=R"],
    ),
    (
        "citadel8",
        "k8/3P5/9/9/9/9/9/4K4 w - - CYcy 0 1",
        "d7d8c",
        "d8=C+",
        &["d8", "d8C+"],
    ),
    (
        "alhusun",
        "1**********1/*10*/*1P8*/*8k1*/*10*/*10*/*10*/*10*/*10*/*10*/*4K5*/1**********1 w - - 0 1",
        "c10c11g",
        "c11=G",
        &["c11"],
    ),
    (
        "citadelir2020",
        "5k6/12/12/L11/12/12/12/12/12/12/12/5K6 w - - 0 1",
        "a9a10",
        "La10",
        &["La9a10"],
    ),
    (
        "citadelir2020",
        "5k6/12/12/L11/12/12/12/12/12/12/12/5K6 w - - 0 1",
        "a9a10q",
        "La10=Q",
        &["La10Q"],
    ),
    (
        "strike80",
        "4q5/10/10/10/10/10/10/4Q5 w - - - 0 1",
        "e1g1e",
        "Qg1=E",
        &["Qg1", "e1g1e"],
    ),
    (
        "strike80",
        "4q5/10/10/9k/10/10/10/6E3 b - - ! 3 9",
        "e8e8",
        "K=X",
        &["e8e8"],
    ),
];

#[test]
fn written_and_read() -> Result<(), Box<dyn Error>> {
    for (id, fen, uci, san, others) in ROWS {
        let position = husun_games::variant(id)
            .ok_or("no such game")?
            .position(fen)?;
        let m = position
            .parse_uci(uci)
            .map_err(|e| format!("{id} {fen}: {e}"))?;
        assert_eq!(position.san(m)?, *san, "{id} {fen} {uci}");
        for text in others.iter().chain([san]) {
            assert_eq!(position.parse_san(text), Ok(m), "{id} {fen} {text}");
        }
    }
    Ok(())
}

#[test]
fn refused_with_a_reason() -> Result<(), Box<dyn Error>> {
    let chess = husun_games::variant("chess").ok_or("no chess")?;
    let position = chess.position("4k3/P7/8/8/8/2N5/8/4K1N1 w - - 0 1")?;
    let rows = [
        (
            "",
            "`` is no move: expected a form such as Nf3, exd5, Rae12, b8=Q, O-O or K=X",
        ),
        (
            "Ne",
            "`Ne` is no move: expected a form such as Nf3, exd5, Rae12, b8=Q, O-O or K=X",
        ),
        ("O-O", "`O-O` fits no legal move"),
        ("Nd4", "`Nd4` fits no legal move"),
        ("Ne2", "`Ne2` could be g1e2, c3e2"),
        ("a8", "`a8` could be a7a8q, a7a8r, a7a8b, a7a8n"),
    ];
    for (text, message) in rows {
        let error = position
            .parse_san(text)
            .map_err(|e: SanError| e.to_string());
        assert_eq!(error, Err(message.to_string()), "{text}");
    }
    Ok(())
}

#[test]
fn null_moves_are_kept_in_variations() -> Result<(), Box<dyn Error>> {
    let rows = [
        (
            "1. e4 (1. d4 -- 2. Bg5 $1 {pins} (2. c4 Z0)) 1... e5 2. Nf3 *",
            "1. e4 (1. d4 -- 2. Bg5 $1 {pins} (2. c4 Z0)) 1... e5 2. Nf3 *",
        ),
        ("1. e4 (1. @@@@ e5) *", "1. e4 (1. @@@@ e5) *"),
        // What follows a null move and cannot be played is not checked.
        ("1. e4 (1. d4 -- 2. Qh8) *", "1. e4 (1. d4 -- 2. Qh8) *"),
    ];
    for (text, written) in rows {
        let record = Record::from_raw(&text.parse()?, named, String::new)?;
        let pgn = record.to_raw()?.to_pgn()?;
        assert!(pgn.ends_with(&format!("\n\n{written}\n")), "{pgn}");
        let again = Record::from_raw(&pgn.parse()?, named, String::new)?;
        assert_eq!(again.main, record.main, "{text}");
    }
    for text in ["1. e4 -- *", "1. e4 (1. Nf9 --) *"] {
        let record = Record::from_raw(&text.parse()?, named, String::new);
        assert!(record.is_err(), "{text}");
    }
    Ok(())
}

#[test]
fn the_names_of_other_programs() -> Result<(), Box<dyn Error>> {
    for (name, id) in [
        ("Standard", "chess"),
        ("From Position", "chess"),
        ("chess", "chess"),
        ("Chess", "chess"),
        ("", "chess"),
        ("Capablanca", "capablanca"),
        ("Capablanca Chess", "capablanca"),
        ("Grand", "grand"),
        ("GRAND CHESS", "grand"),
        ("Shatranj", "shatranj"),
        ("Citadel 9 ranks", "citadel9"),
    ] {
        let raw: RawGame = format!("[Variant \"{name}\"]\n*").parse()?;
        let record = Record::from_raw(&raw, named, String::new)?;
        assert_eq!(record.start.variant().id(), id, "{name}");
    }
    // No name belongs to two games.
    let all: Vec<_> = husun_games::ids()
        .filter_map(husun_games::variant)
        .collect();
    for game in &all {
        let aliases = game.aliases().iter().map(String::as_str);
        for name in [game.id(), game.name()].into_iter().chain(aliases) {
            let called = all.iter().filter(|g| g.is_called(name));
            assert_eq!(called.count(), 1, "{name}");
        }
    }
    Ok(())
}

#[test]
fn the_inventors_game() -> Result<(), Box<dyn Error>> {
    let raw: RawGame = include_str!("data/citadelir-example.pgn").parse()?;
    let record = Record::from_raw(&raw, husun_games::variant, String::new)?;
    let wanted: Vec<&str> = include_str!("data/citadelir-example.uci").lines().collect();
    let mut position = record.start.clone();
    let mut found = Vec::new();
    for ply in &record.main.plies {
        found.push(position.uci(ply.m).to_string());
        position = position.play_unchecked(ply.m);
    }
    assert_eq!(found, wanted);
    let outcome = record.game().outcome().ok_or("it ends in checkmate")?;
    assert_eq!(
        (outcome.winner, outcome.reason),
        (Some(Side::White), Reason::Checkmate)
    );
    Ok(())
}
