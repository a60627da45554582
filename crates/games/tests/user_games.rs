//! Users' own game files: the examples of the documentation, inheritance, and errors that say file, line, key and what
//! was expected.

use husun::{Side, Variant};
use husun_games::Catalogue;
use std::error::Error;
use std::sync::Arc;

const LAGOON: &str = include_str!("../../../docs/examples/lagoon.toml");
const MIRROR: &str = include_str!("../../../docs/examples/citadel-mirror.toml");

#[test]
fn lagoon_has_holes_and_bent_riders() -> Result<(), Box<dyn Error>> {
    let lagoon = husun_games::parse("lagoon.toml", LAGOON)?;
    assert_eq!(lagoon.frame().len(), 136);
    assert!(lagoon.frame().parse("f6").is_err());
    let start = lagoon.start();
    // The perft of the slow twin, which walks the frame square by square.
    fn slow(position: &husun::Position, depth: u32) -> u64 {
        let moves = husun::twin::legal_moves(position);
        match depth {
            1 => moves.len() as u64,
            _ => moves
                .iter()
                .map(|&m| slow(&position.play_unchecked(m), depth - 1))
                .sum(),
        }
    }
    for depth in 1..=2 {
        assert_eq!(start.perft(depth), slow(&start, depth), "depth {depth}");
    }
    // A Griffin on e5 turns north on d6 or goes on west; east of it lies the lagoon.
    let griffin = lagoon.kind('G').ok_or("no Griffin")?;
    let square = |name| lagoon.frame().parse(name);
    let reach = lagoon.reach(Side::White, griffin, square("e5")?, |_| None);
    for (name, wanted) in [
        ("d6", true),
        ("d12", true),
        ("b6", true),
        ("g5", false),
        ("h6", false),
    ] {
        assert_eq!(reach.moves.contains(&square(name)?), wanted, "{name}");
    }
    Ok(())
}

#[test]
fn heirs_have_what_they_do_not_say() -> Result<(), Box<dyn Error>> {
    let mirror = husun_games::parse("citadel-mirror.toml", MIRROR)?;
    let citadel = husun_games::variant("citadel8").ok_or("no citadel8")?;
    assert_eq!(mirror.id(), "citadel-mirror");
    assert_eq!(mirror.pieces().len(), citadel.pieces().len());
    assert_eq!(mirror.setups().len(), 1);
    assert_eq!(mirror.rules().points.green_gem, Some(2.0));
    assert!(mirror.rules().several_royals && mirror.customs().is_none());
    assert_eq!(mirror.start().perft(2), mirror.start().count_moves().pow(2));
    Ok(())
}

#[test]
fn a_byte_order_mark_is_no_part_of_a_game() -> Result<(), Box<dyn Error>> {
    struct Marked;
    impl husun::doc::Library for Marked {
        fn game_text(&self, id: &str) -> Option<String> {
            (id == "lagoon").then(|| format!("\u{feff}{LAGOON}"))
        }
        fn ids(&self) -> Vec<String> {
            vec!["lagoon".into()]
        }
    }
    let heir = "\u{feff}id = \"heir\"\nname = \"Heir\"\ninherits = \"lagoon\"\n";
    let read = |text: &str| husun::Variant::parse_with("heir.toml", text, &Marked);
    assert_eq!(read(heir)?.frame().len(), 136);
    let wrong = read(&format!("{heir}files = 3\n")).map(|v| v.id().to_owned());
    let text = wrong.map_err(|e| e.to_string()).unwrap_err();
    assert!(text.starts_with("heir.toml:4: "), "{text}");
    Ok(())
}

/// A game file with one line changed: the text to replace, its replacement, and the error.
const ERRORS: [(&str, &str, &str); 14] = [
    (
        "files = 12",
        "files = 17",
        "own.toml:10: board.files: 17 is out of bounds: expected 1 to 16",
    ),
    (
        "files = 12",
        "flies = 12",
        "own.toml:10: board.flies: unknown field `flies`, expected one of `files`, `ranks`, `missing`",
    ),
    (
        "files = 12",
        "files = \"x\"",
        "own.toml:10: board.files: found the text \"x\": expected a whole number",
    ),
    (
        "\"f6-g7\"",
        "\"f6-z7\"",
        "own.toml:13: board.missing: `z7` is not a square: expected a file letter a to l and a rank number 1 to 12",
    ),
    (
        "RNGBCQKCBFNR w",
        "RNGBCQXCBFNR w",
        "own.toml:16: setups.standard: board: rank 1 has unknown letter `X`: expected one of KQRBNCGFP in either case, a number or `*`",
    ),
    (
        "RNGBCQKCBFNR w",
        "RNGBCQQCBFNR w",
        "own.toml:16: setups.standard: board: White has 0 royal pieces (K): expected one",
    ),
    (
        "steps = 3",
        "steps = 4",
        "own.toml:19: initial.steps: 4 is out of bounds: expected 2 or 3",
    ),
    (
        "partner = \"R\"",
        "partner = \"Z\"",
        "own.toml:24: castling.partner: `Z` is unknown: expected the letter of a piece, one of K Q R B N C G F P",
    ),
    (
        "to = [\"Q\", \"N\"]",
        "to = [\"Q\", \"K\"]",
        "own.toml:31: promotion: K is royal and cannot be chosen",
    ),
    (
        "move_rule = 120",
        "move_rule = 1",
        "own.toml:38: endings.move_rule: 1 is out of bounds: expected 0 (off) or 2 to 10000",
    ),
    (
        "betza = \"mRcpR\"",
        "betza = \"mRcqR\"",
        "own.toml:74: pieces.C.betza: modifier `q` at character 4 is not understood: expected directions f b l r v s h, modes m c, p, n, or a chain such as yafs",
    ),
    (
        "letter = \"G\"",
        "letter = \"Q\"",
        "own.toml:79: pieces.Q.letter: `Q` is given twice",
    ),
    (
        "pawn = true",
        "royal = true\npawn = true",
        "own.toml:91: pieces.P.pawn: a piece cannot be both royal and of pawn type",
    ),
    (
        "id = \"lagoon\"",
        "id = \"La goon\"",
        "own.toml:4: id: `La goon` is out of bounds: expected 1 to 40 small letters, digits and -",
    ),
];

#[test]
fn errors_have_file_line_key_and_what_was_expected() {
    for (old, new, message) in ERRORS {
        assert!(LAGOON.contains(old), "{old}");
        let text = LAGOON.replacen(old, new, 1);
        let error = husun_games::parse("own.toml", &text).map(|v| v.id().to_owned());
        assert_eq!(error.map_err(|e| e.to_string()), Err(message.to_string()));
    }
}

#[test]
fn errors_of_inheritance() {
    let rows = [
        (
            "id = \"a\"\ninherits = \"checkers\"\n",
            "own.toml:2: inherits: `checkers` is unknown: expected one of ",
        ),
        (
            "id = \"a\"\ninherits = \"chess\"\nwithout = [\"pieces.Z\"]\n",
            "own.toml:3: without: `pieces.Z` is unknown: expected a section of the inherited game",
        ),
        // The fault is in the base's text, which the heir has made invalid.
        (
            "id = \"a\"\ninherits = \"chess\"\nwithout = [\"pieces.Q\"]\n",
            "chess/game.toml:",
        ),
        (
            "id = \"a\"\ninherits = \"a\"\n",
            "own.toml:2: inherits: `a` inherits from itself: expected the id of another game",
        ),
        (
            "inherits = \"chess\"\n",
            "own.toml:1: id: is missing: expected a short name",
        ),
        (
            "id = \"a\"\n",
            "own.toml:1: board: is missing: expected a section with files and ranks",
        ),
    ];
    for (text, start) in rows {
        let error = husun_games::parse("own.toml", text).map(|v| v.id().to_owned());
        let message = error.map_err(|e| e.to_string()).err().unwrap_or_default();
        assert!(message.starts_with(start), "{message}");
    }
}

/// Lines added to those of a small game, and what is wrong with them: rules that never apply, or not beside others.
const CONTRADICTIONS: [(&str, &str); 21] = [
    (
        "[[arrivals]]\npiece = \"K\"\nsquares = [\"a5\"]",
        "own.toml:26: arrivals.piece: K is royal: its side would have one more",
    ),
    (
        "[[arrivals]]\npiece = \"P\"\nsquares = [\"a5\"]",
        "own.toml:26: arrivals.piece: P would become what it is",
    ),
    (
        "[[arrivals]]\npiece = \"R\"\nsquares = [\"a5-b5\"]\n[[arrivals]]\npiece = \"S\"\nsquares = [\"b5\"]",
        "own.toml:30: arrivals.squares: b5 is an arrival of R already",
    ),
    (
        "[promotion]\npieces = [\"P\"]\nto = [\"R\"]\noptional_ranks = [4, 5]\nmandatory_ranks = [5]",
        "own.toml:29: promotion.mandatory_ranks: rank 5 is among the optional ranks too",
    ),
    (
        "[promotion]\npieces = [\"P\"]\nto = [\"R\"]\nmandatory_ranks = [5, 5]",
        "own.toml:28: promotion.mandatory_ranks: `5` is given twice",
    ),
    (
        "[promotion]\npieces = [\"P\"]\nto = [\"R\"]",
        "own.toml:25: promotion: is missing: expected ranks in optional_ranks or mandatory_ranks",
    ),
    (
        "[promotion]\npieces = []\nto = [\"R\"]\nmandatory_ranks = [5]",
        "own.toml:25: promotion.pieces: is missing",
    ),
    (
        "[promotion]\npieces = [\"P\"]\nto = [\"P\"]\nmandatory_ranks = [5]",
        "own.toml:27: promotion: P promotes itself and cannot be chosen",
    ),
    (
        "[promotion]\npieces = [\"P\"]\nto = [\"R\"]\nmandatory_ranks = [5]\n[[arrivals]]\npiece = \"S\"\nsquares = [\"c5\"]",
        "own.toml:25: promotion: a pawn-type piece on c5 becomes S by [[arrivals]]",
    ),
    (
        "[promotion]\npieces = [\"P\"]\nto = [\"S\"]\nmandatory_ranks = [5]\n[[prison]]\npiece = \"S\"\nsquares = [\"c4\"]",
        "own.toml:27: promotion.to: S is a prisoner, who is released on the squares of [[prison]]",
    ),
    (
        "[promotion]\npieces = [\"P\"]\nto = [\"R\"]\ncaptured_optional = [\"S\"]\noptional_ranks = [4]\nmandatory_ranks = [5]\n[[prison]]\npiece = \"S\"\nsquares = [\"c3\"]",
        "own.toml:28: promotion.captured_optional: S is a prisoner, who is released on the squares of [[prison]]",
    ),
    (
        "[[arrivals]]\npiece = \"R\"\nsquares = [\"a5\"]\n[[prison]]\npiece = \"S\"\nsquares = [\"a5\"]",
        "own.toml:30: prison.squares: a5 is an arrival of R: nobody is released there",
    ),
    (
        "[traverse]\npiece = \"K\"\nbecomes = \"K\"\nsquares = [\"a1-b2\"]",
        "own.toml:27: traverse.becomes: K would become K",
    ),
    (
        "[traverse]\npiece = \"K\"\nbecomes = \"E\"\nsquares = [\"a1-b2\"]\n[crowning]\npiece = \"R\"\nbecomes = \"R\"",
        "own.toml:31: crowning.becomes: R would become R",
    ),
    (
        "[traverse]\npiece = \"K\"\nbecomes = \"E\"\nsquares = [\"a1-b2\"]\n[[prison]]\npiece = \"S\"\nsquares = [\"c5\"]",
        "own.toml:30: prison.piece: the prisoner S needs another letter",
    ),
    (
        "[looks.white]\nname = \"\\u001b[2J\"",
        "own.toml:26: looks.white.name: the control character '\\u{1b}' cannot stand in a text",
    ),
    ("[setups]\n", "own.toml:25: [setups]: duplicate key"),
    ("[board.x]\n", "own.toml:25: [board.x]: unknown field `x`"),
    (
        "[royals]\nseveral = 1",
        "own.toml:26: royals.several: found the number 1: expected true or false",
    ),
    (
        "[initial]\nsteps = 2",
        "own.toml:25: [initial]: the key `ranks` is missing",
    ),
    (
        "[endings]\nstalemate = {}",
        "own.toml:26: endings.stalemate: found a section: expected a text in quotes",
    ),
];

const SMALL: &str = r#"id = "own"
[board]
files = 5
ranks = 5
[setups]
standard = "k4/p4/5/4P/4K w - - 0 1"
[[pieces]]
letter = "K"
betza = "K"
royal = true
[[pieces]]
letter = "E"
betza = "K"
royal = true
[[pieces]]
letter = "R"
betza = "R"
[[pieces]]
letter = "S"
betza = "F"
[[pieces]]
letter = "P"
betza = "mfWcfF"
pawn = true
"#;

#[test]
fn rules_that_contradict_each_other() -> Result<(), Box<dyn Error>> {
    husun_games::parse("own.toml", SMALL)?;
    for (lines, message) in CONTRADICTIONS {
        // A rule with state has its field in the set-up.
        let state = lines.contains("[traverse]") || lines.contains("[[prison]]");
        let setup = if state { "w - - - 0 1" } else { "w - - 0 1" };
        let text = format!("{}{lines}\n", SMALL.replace("w - - 0 1", setup));
        let error = husun_games::parse("own.toml", &text).map(|v| v.id().to_owned());
        let found = error.map_err(|e| e.to_string()).err().unwrap_or_default();
        assert!(found.starts_with(message), "{lines}\n{found}");
    }
    Ok(())
}

#[test]
fn ways_along_paths_are_bounded() -> Result<(), Box<dyn Error>> {
    let atoms = ["R", "mR", "cR", "pR", "mpR", "cpR"];
    let ways = |n: usize| -> String {
        let all = atoms
            .iter()
            .flat_map(|a| (2..14).map(move |range| format!("{a}{range}")));
        all.take(n).collect()
    };
    let text = |n| SMALL.replace("betza = \"R\"", &format!("betza = \"{}\"", ways(n)));
    husun_games::parse("own.toml", &text(64))?;
    let error = husun_games::parse("own.toml", &text(65)).map(|v| v.id().to_owned());
    let found = error.map_err(|e| e.to_string()).err().unwrap_or_default();
    assert!(
        found.starts_with("own.toml:15: pieces.R.betza: more than 64 different ways"),
        "{found}"
    );
    Ok(())
}

#[test]
fn no_game_begins_at_its_end() {
    let over = SMALL.replace("k4/p4/5/4P/4K", "k4/1K3/5/5/5");
    let mated = SMALL
        .replace("k4/p4/5/4P/4K", "k4/1R3/2K2/R4/5")
        .replace(" w ", " b ");
    for (text, reason) in [
        (over, "side: Black is in check"),
        (mated, "the game is over before it begins: checkmate"),
    ] {
        let error = husun_games::parse("own.toml", &text).map(|v| v.id().to_owned());
        let found = error.map_err(|e| e.to_string()).err().unwrap_or_default();
        let message = format!("own.toml:6: setups.standard: {reason}");
        assert!(found.starts_with(&message), "{found}");
    }
}

/// A pawn-type piece that also slides: no move is listed twice, no matter what its steps and slides share.
#[test]
fn a_pawn_that_slides_has_every_move_once() {
    for betza in ["QmfWcfF", "RmfWcfF", "BmfWcfF", "mfRcfF", "fRcfFmfW"] {
        let text = format!(
            "id = \"mixed\"\nname = \"Mixed\"\ninherits = \"shatranj\"\n[[pieces]]\nletter = \"P\"\nbetza = \"{betza}\"\npawn = true\n"
        );
        let variant = husun_games::parse("mixed.toml", &text).unwrap_or_else(|e| panic!("{e}"));
        let mut position = variant.start();
        for ply in 0..12 {
            let mut moves = position.legal_moves();
            let Some(&next) = moves.get(moves.len() * (ply + 1) / 14) else {
                break;
            };
            let listed = moves.len();
            assert_eq!(position.count_moves(), listed as u64, "{betza}, ply {ply}");
            assert_eq!(
                husun::twin::legal_moves(&position).len(),
                listed,
                "{betza}, ply {ply}"
            );
            moves.sort_unstable();
            moves.dedup();
            assert_eq!(moves.len(), listed, "{betza}, ply {ply}");
            position = position.play_unchecked(next);
        }
    }
}

/// Who judges games from files with and without values beside them.
#[test]
fn a_game_inherits_what_judges_it() -> Result<(), Box<dyn Error>> {
    let folder = std::env::temp_dir().join(format!("husun-judges-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let mut games = Catalogue::default();
    let mut read = |name: &str, text: &str| -> Result<Arc<Variant>, Box<dyn Error>> {
        let file = folder.join(format!("{name}.toml"));
        std::fs::write(&file, format!("id = \"{name}\"\n{text}"))?;
        let own = games.read(&file)?;
        let variant = own.variant().clone();
        games.insert(own);
        Ok(variant)
    };
    const CHANGED: &str = r#"
        inherits = "chess"
        without = ["pieces.B", "setups.standard"]
        [setups]
        standard = "rnzqkznr/pppppppp/8/8/8/8/PPPPPPPP/RNZQKZNR w KQkq - 0 1"
        [promotion]
        pieces = ["P"]
        to = ["Q", "R", "N"]
        mandatory_ranks = [8]
        [[pieces]]
        letter = "Q"
        betza = "QN"
        [[pieces]]
        letter = "Z"
        name = "Zebra"
        betza = "Z"
    "#;
    const WIDE: &str = r#"
        inherits = "chess"
        without = ["castling"]
        [board]
        files = 9
        ranks = 8
        [setups]
        standard = "rnbqkqbnr/ppppppppp/9/9/9/9/PPPPPPPPP/RNBQKQBNR w - - 0 1"
    "#;
    const SWAPPED: &str = "rbnqknbr/pppppppp/8/8/8/8/PPPPPPPP/RBNQKNBR w KQkq - 0 1";
    let start = format!("[setups]\nstandard = \"{SWAPPED}\"\n");
    let other = "[endings]\nbare_royals = true\nstalemate = \"win\"\n";
    let near = read("near", &format!("inherits = \"chess\"\n{start}"))?;
    let grandchild = read("grandchild", "inherits = \"near\"\nname = \"Grandchild\"\n")?;
    let far = read("far", &format!("inherits = \"chess\"\n{other}"))?;
    let back = read(
        "back",
        &format!("inherits = \"far\"\n{}", other.replace("win", "draw")),
    )?;
    let file = folder.join("tuned.values.toml");
    std::fs::write(file, "[pieces]\nQ = [1000, 1100]\n")?;
    let tuned = read("tuned", "inherits = \"chess\"\n")?;
    let kid = read("kid", "inherits = \"tuned\"\n")?;
    let changed = read("changed", CHANGED)?;
    let wide = read("wide", WIDE)?;
    std::fs::remove_dir_all(&folder)?;
    let chess = husun_games::variant("chess").ok_or("no chess")?;
    let table = |v: &Arc<Variant>| games.values(v).map(str::parse::<toml::Table>).transpose();
    let all = table(&chess)?.ok_or("no values")?;
    let network = games.network(&chess).ok_or("no network")?;
    for alike in [&near, &grandchild] {
        assert_eq!(table(alike)?.as_ref(), Some(&all));
        assert_eq!(games.network(alike), Some(network));
    }
    // Another ending: the same pieces, but no network; and back again.
    assert_eq!(table(&far)?.as_ref(), Some(&all));
    assert_eq!(games.network(&far), None);
    assert_eq!(games.network(&back), Some(network));
    assert_eq!(games.values(&tuned), Some("[pieces]\nQ = [1000, 1100]\n"));
    assert_eq!(games.network(&tuned), None);
    assert_eq!(table(&kid)?, table(&tuned)?);
    assert_eq!(games.network(&kid), None);

    // A piece that moves otherwise, one that is new, one that is missing; another board.
    assert_eq!(games.network(&changed), None);
    let table = |v: &Arc<Variant>| games.values(v).map(str::parse::<toml::Table>).transpose();
    let (all, some) = (
        table(&chess)?.ok_or("none")?,
        table(&changed)?.ok_or("none")?,
    );
    for name in ["pieces", "weights", "places"] {
        let of = |values: &toml::Table| values.get(name).and_then(|t| t.as_table()).cloned();
        let (all, some) = (of(&all).ok_or(name)?, of(&some).ok_or(name)?);
        assert!(some.get("Q").is_none() && some.get("B").is_none() && some.get("Z").is_none());
        assert_eq!(some.get("N"), all.get("N"), "{name}");
    }
    assert_eq!(some.get("terms"), all.get("terms"));
    assert_eq!(some.get("passed"), all.get("passed"));
    let wider = table(&wide)?.ok_or("no values")?;
    assert_eq!(wider.get("pieces"), all.get("pieces"));
    assert!(wider.get("places").is_none() && wider.get("passed").is_none());
    Ok(())
}
