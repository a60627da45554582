//! Rules that no built-in game has, given by a game file: several initial steps, castling with a choice, citadels for
//! royal pieces alone, promotion that the last rank does not offer. Each is played at random, generator against twin.

use husun::record::Record;
use husun::{Game, Position, Variant};
use std::error::Error;
use std::sync::Arc;

const WILDEBEEST: &str = include_str!("../../../docs/examples/wildebeest.toml");
const KINGS_ONLY: &str = include_str!("../../../games/readings/alhusun-kings-only.toml");
const LANCES: &str = include_str!("../../../games/readings/citadelir2020-lances.toml");

/// Two kinds of pawn type with initial steps of their own, and a choice of castlings, one to a square that is a step
/// of the King.
const TWO_PAWNS: &str = r#"id = "two-pawns"
[board]
files = 8
ranks = 9
[setups]
standard = "r3k2r/pspspsps/8/8/8/8/8/PSPSPSPS/R3K2R w KQkq - 0 1"
[[initial]]
pieces = ["P"]
steps = 3
ranks = [2]
[[initial]]
pieces = ["P", "S"]
steps = 2
ranks = [3]
[castling]
piece = "K"
partner = "R"
from = "e1"
east = { to = "f1-g1", partner_from = "h1", partner_to = "e1-f1" }
west = { to = "c1", partner_from = "a1", partner_to = "d1" }
[[pieces]]
letter = "K"
betza = "K"
royal = true
[[pieces]]
letter = "R"
betza = "R"
[[pieces]]
letter = "P"
betza = "mfWcfF"
pawn = true
[[pieces]]
letter = "S"
betza = "mfFcfW"
pawn = true
"#;

struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % n as u64) as usize
    }
}

fn slow(position: &Position, depth: u32) -> u64 {
    let moves = husun::twin::legal_moves(position);
    match depth {
        1 => moves.len() as u64,
        _ => moves
            .iter()
            .map(|&m| slow(&position.play_unchecked(m), depth - 1))
            .sum(),
    }
}

/// Moves as the twin gives them, each read back from both its texts, and the position from its own.
fn compare(position: &Position) -> Result<(), Box<dyn Error>> {
    let (mut fast, mut slow) = (position.legal_moves(), husun::twin::legal_moves(position));
    fast.sort();
    slow.sort();
    assert_eq!(fast, slow, "{position:?}");
    assert_eq!(position.count_moves(), fast.len() as u64, "{position:?}");
    for &m in &fast {
        let (san, uci) = (position.san(m)?, position.uci(m).to_string());
        assert_eq!(position.parse_san(&san)?, m, "{position:?} {san}");
        assert_eq!(position.parse_uci(&uci)?, m, "{position:?} {uci}");
        let after = position.play_unchecked(m).setup();
        assert_eq!(after, husun::twin::play(position, m), "{position:?} {san}");
    }
    assert_eq!(&position.variant().position(&position.fen())?, position);
    Ok(())
}

fn play_at_random(game: &Arc<Variant>, plies: usize) -> Result<(), Box<dyn Error>> {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut played = Game::new(game.start());
    for _ in 0..plies {
        let position = played.position().clone();
        compare(&position)?;
        let moves = position.legal_moves();
        if played.outcome().is_some() || moves.is_empty() || position.fullmove() > 80 {
            read_back(&played)?;
            played = Game::new(game.start());
            continue;
        }
        let rare = |m: &&husun::Move| m.special() != husun::Special::None || m.changes_kind();
        let rare: Vec<_> = moves.iter().filter(rare).copied().collect();
        let from = match random.below(3) == 0 && !rare.is_empty() {
            true => &rare,
            false => &moves,
        };
        played.play(from[random.below(from.len())])?;
    }
    read_back(&played)
}

fn read_back(played: &Game) -> Result<(), Box<dyn Error>> {
    let pgn = Record::of_game(played).to_raw()?.to_pgn()?;
    let game = played.position().variant();
    let record = Record::from_raw(&pgn.parse()?, |_| Some(game.clone()), String::new)?;
    assert_eq!(record.game().moves(), played.moves(), "{pgn}");
    Ok(())
}

#[test]
fn random_play() -> Result<(), Box<dyn Error>> {
    for text in [WILDEBEEST, TWO_PAWNS, KINGS_ONLY, LANCES] {
        let game = husun_games::parse("own.toml", text)?;
        for depth in 1..=2 {
            assert_eq!(game.start().perft(depth), slow(&game.start(), depth));
        }
        play_at_random(&game, 250)?;
    }
    Ok(())
}

/// Every other reading is a game, and is listed.
#[test]
fn readings() -> Result<(), Box<dyn Error>> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../games/readings");
    let listed = std::fs::read_to_string(format!("{folder}/README.md"))?;
    let mut number = 0;
    for entry in std::fs::read_dir(folder)? {
        let name = entry?
            .file_name()
            .into_string()
            .map_err(|_| "an odd name")?;
        let Some(id) = name.strip_suffix(".toml") else {
            continue;
        };
        let text = std::fs::read_to_string(format!("{folder}/{name}"))?;
        let game = husun_games::parse(&name, &text)?;
        assert_eq!(game.id(), id);
        assert!(listed.contains(&format!("`{name}`")), "{name}");
        compare(&game.start())?;
        number += 1;
    }
    assert!(number > 10);
    Ok(())
}

#[test]
fn wildebeest() -> Result<(), Box<dyn Error>> {
    let game = husun_games::parse("wildebeest.toml", WILDEBEEST)?;
    // Eleven Pawns with three steps each, and the Knights, Camels and the Wildebeest.
    let far = game.start().play(game.start().parse_san("e5")?)?;
    assert!(far.fen().contains(" b KQkq - 0 1"), "{}", far.fen());
    let third = game.position("5k5/11/11/11/11/5p5/11/4P6/11/5K5 w - - 0 1")?;
    assert!(third.parse_uci("e3e5").is_ok() && third.parse_uci("e3e6").is_err());
    let passed = third.play(third.parse_uci("e3e5")?)?;
    assert!(passed.fen().ends_with(" b - e4 0 1"), "{}", passed.fen());
    let open = game.position("r4k4r/11/11/11/11/11/11/11/11/R4K4R w KQkq - 0 1")?;
    let castlings = |p: &Position| -> Vec<(String, String)> {
        let all = p.legal_moves().into_iter();
        let castles = |m: &husun::Move| {
            matches!(
                m.special(),
                husun::Special::CastleEast | husun::Special::CastleWest
            )
        };
        let mut texts: Vec<_> = all
            .filter(castles)
            .map(|m| (p.uci(m).to_string(), p.san(m).unwrap_or_default()))
            .collect();
        texts.sort();
        texts
    };
    let rows = [
        ("f1b1", "O-O-O=b1"),
        ("f1c1", "O-O-O=c1"),
        ("f1d1", "O-O-O=d1"),
        ("f1e1r", "O-O-O=e1+"),
        ("f1g1r", "O-O=g1+"),
        ("f1h1", "O-O=h1"),
        ("f1i1", "O-O=i1"),
        ("f1j1", "O-O=j1"),
    ];
    let rows = rows.map(|(uci, san)| (uci.to_string(), san.to_string()));
    assert_eq!(castlings(&open), rows);
    // One square to the side is the King's own step unless the letter of the Rook says otherwise.
    let step = open.play(open.parse_uci("f1g1")?)?;
    assert!(
        step.fen()
            .starts_with("r4k4r/11/11/11/11/11/11/11/11/R5K3R b kq")
    );
    let castled = open.play(open.parse_uci("f1g1r")?)?;
    assert!(
        castled
            .fen()
            .starts_with("r4k4r/11/11/11/11/11/11/11/11/R4RK4 b kq")
    );
    let unclear = open.parse_san("O-O").map_err(|e| e.to_string());
    assert_eq!(
        unclear,
        Err("`O-O` could be f1g1r, f1h1, f1i1, f1j1".into())
    );
    // An attacked square ends the choice: h1 and all beyond.
    let barred = game.position("r4k4r/7r3/11/11/11/11/11/11/11/R4K4R w KQ - 0 1")?;
    assert_eq!(castlings(&barred).len(), 5);
    let sentence = game.sentence(game.kind('P').ok_or("no Pawn")?);
    let wanted = "or two or three squares from its second rank, or two squares from its third rank";
    assert!(sentence.contains(wanted), "{sentence}");
    Ok(())
}

#[test]
fn citadels_for_kings_alone() -> Result<(), Box<dyn Error>> {
    let closed = husun_games::parse("kings.toml", KINGS_ONLY)?;
    let open = husun_games::variant("alhusun").ok_or("no alhusun")?;
    // A War Machine on the long diagonal: in his own citadel the King is attacked in one game, and not in the other.
    let board = "1**********1/*5k4*/*10*/*10*/*10*/*10*/*4w5*/*10*/*10*/*10*/*10*/K**********1";
    let home = format!("{board} b - - 0 1");
    assert!(closed.position(&home).is_ok());
    let error = open.position(&home).map_err(|e| e.to_string()).err();
    assert_eq!(
        error.as_deref(),
        Some("side: White is in check and not to move")
    );
    // Nor can anybody but the King go there: the Knight on b3, the Elephant on c3.
    let leapers =
        "1**********1/*5k4*/*10*/*10*/*10*/*10*/*10*/*10*/*10*/*NE8*/*5K4*/1**********1 w - - 0 1";
    let leap = |game: &Arc<Variant>, uci| game.position(leapers).map(|p| p.parse_uci(uci).is_ok());
    for uci in ["b3a1", "c3a1"] {
        assert_eq!(
            (leap(&open, uci)?, leap(&closed, uci)?),
            (true, false),
            "{uci}"
        );
    }
    let stray =
        "1**********1/*5k4*/*10*/*10*/*10*/*10*/*10*/*10*/*10*/*10*/*5K4*/N**********1 w - - 0 1";
    assert!(open.position(stray).is_ok());
    let error = closed.position(stray).map_err(|e| e.to_string()).err();
    let wanted = "board: N can never stand on a1, which royal pieces alone may enter";
    assert_eq!(error.as_deref(), Some(wanted));
    Ok(())
}

#[test]
fn a_captured_lance_returns_before_the_last_rank() -> Result<(), Box<dyn Error>> {
    let game = husun_games::parse("lances.toml", LANCES)?;
    let becomes = |fen: &str, squares: &str| -> Result<Vec<char>, Box<dyn Error>> {
        let position = game.position(fen)?;
        let moves = position.legal_moves().into_iter();
        let here = moves.filter(|&m| position.uci(m).to_string().starts_with(squares));
        let mut letters: Vec<char> = here.map(|m| game.piece(m.placed()).letter).collect();
        letters.sort_unstable();
        Ok(letters)
    };
    let fen = |rank8: &str, rank11: &str, rank3: &str| {
        format!("12/{rank11}/12/12/{rank8}/12/12/2k9/12/{rank3}/12/6K5 w - - 0 1")
    };
    let all = "ABCDEHIMNOPQRSV".chars().collect::<Vec<_>>();
    let with_lance = "ABCDEHILMNOPQRSV".chars().collect::<Vec<_>>();
    assert_eq!(becomes(&fen("4P7", "12", "12"), "e8e9")?, with_lance);
    assert_eq!(becomes(&fen("4P7", "12", "L11"), "e8e9")?, with_lance);
    assert_eq!(becomes(&fen("4P7", "12", "L10L"), "e8e9")?, all);
    // On the last rank there is no Lance, and a piece that stays a Lance has not become one.
    let last: Vec<char> = all.iter().copied().filter(|c| *c != 'P').collect();
    assert_eq!(becomes(&fen("12", "4P7", "12"), "e11e12")?, last);
    let lance: Vec<char> = with_lance.iter().copied().filter(|c| *c != 'P').collect();
    assert_eq!(becomes(&fen("4L7", "12", "12"), "e8e9")?, lance);
    Ok(())
}

#[test]
fn what_a_file_gets_wrong() {
    let rows = [
        (
            "pieces = [\"P\"]\nsteps = 3\nranks = [2]",
            "pieces = [\"P\"]\nsteps = 3\nranks = [2, 3]",
            "own.toml:14: initial.ranks: P has initial steps from one of these ranks already",
        ),
        (
            "pieces = [\"P\"]\nsteps",
            "pieces = [\"R\"]\nsteps",
            "own.toml:8: initial.pieces: must be of pawn type",
        ),
        (
            "steps = 3",
            "stops = 3",
            "own.toml:9: initial.stops: unknown field `stops`, expected one of `pieces`, `steps`, `ranks`",
        ),
        (
            "partner_to = \"e1-f1\"",
            "partner_to = \"f1\"",
            "own.toml:19: castling.east.partner_to: 1 squares is out of bounds: expected 2, one for each square of to",
        ),
        (
            "partner_to = \"e1-f1\"",
            "partner_to = \"f1-g1\"",
            "own.toml:19: castling.east.to: castling goes along one rank",
        ),
    ];
    for (old, new, message) in rows {
        let text = TWO_PAWNS.replacen(old, new, 1);
        assert_ne!(text, TWO_PAWNS, "{old}");
        let error = husun_games::parse("own.toml", &text).map(|v| v.id().to_owned());
        let found = error.map_err(|e| e.to_string()).err().unwrap_or_default();
        assert!(found.starts_with(message), "{new}\n{found}");
    }
    let far = KINGS_ONLY.to_owned() + "[[pieces]]\nletter = \"K\"\nbetza = \"Q\"\nroyal = true\n";
    let odd = KINGS_ONLY.replace("\"royal\"", "\"kings\"");
    let rows = [
        (
            far,
            "own.toml:11: citadels.entry: the royal piece K goes further than a leap",
        ),
        (
            odd,
            "own.toml:11: citadels.entry: `kings` is unknown: expected all or royal",
        ),
        (
            LANCES.replace("[\"L\"]", "[\"K\"]"),
            "own.toml:12: promotion.captured_optional: K is royal and cannot be chosen",
        ),
    ];
    for (text, message) in rows {
        let error = husun_games::parse("own.toml", &text).map(|v| v.id().to_owned());
        let found = error.map_err(|e| e.to_string()).err().unwrap_or_default();
        assert!(found.starts_with(message), "{found}");
    }
}

#[test]
fn a_forgotten_state_field_is_named() -> Result<(), Box<dyn Error>> {
    let citadel = husun_games::variant("citadel8").ok_or("no citadel8")?;
    let board = "whsbkgshw/ppppppppp/9/9/9/9/PPPPPPPPP/WHSTKMSHW";
    for rest in ["w KQkq - 0 1", "w KQkq -"] {
        let error = citadel
            .position(&format!("{board} {rest}"))
            .map_err(|e| e.to_string())
            .err();
        let wanted = "state: the field is missing: expected letters of CYcy in that order, or -, behind the en-passant field";
        assert_eq!(error.as_deref(), Some(wanted));
    }
    assert!(citadel.position(&format!("{board} w KQkq - CYcy")).is_ok());
    Ok(())
}
