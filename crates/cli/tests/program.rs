//! The program as users call it: each subcommand, bad input, games in a pipe.

use super::run::{Done, Folder, husun, husun_with, told};
use serde_json::Value;
use std::fs;
use std::io::Write;
use std::process::{Command, Stdio};

#[test]
fn games_as_table_and_json() -> Done {
    let run = husun(&["games"])?;
    assert_eq!(run.code, Some(0));
    let all: Value = serde_json::from_str(&husun(&["games", "--json"])?.out)?;
    let all = all.as_array().ok_or("no list")?;
    assert_eq!(all.len(), games::ids().count());
    for game in all {
        let id = game["id"].as_str().ok_or("no id")?;
        assert!(run.out.contains(id), "{id}");
        assert!(game["setups"]["standard"].is_string(), "{id}");
        assert!(!game["pieces"][0]["betza"].is_null(), "{id}");
    }
    assert!(run.out.contains("swapped"));
    Ok(())
}

#[test]
fn rules_show_and_piece_of_every_game() -> Done {
    let all: Value = serde_json::from_str(&husun(&["games", "--json"])?.out)?;
    for game in all.as_array().ok_or("no list")? {
        let id = game["id"].as_str().ok_or("no id")?;
        let rules = husun(&["rules", id])?;
        assert!(
            rules.out.len() > 1000 && !rules.out.contains("\x1b["),
            "{id}"
        );
        let shown = husun(&["show", id])?;
        let fen = game["setups"]["standard"].as_str().ok_or("no set-up")?;
        assert!(
            shown.out.contains(fen) && shown.out.contains("White to move"),
            "{id}"
        );
        for piece in game["pieces"].as_array().ok_or("no pieces")? {
            let letter = piece["letter"].as_str().ok_or("no letter")?;
            let shown = husun(&["piece", id, letter])?;
            let betza = piece["betza"].as_str().ok_or("no betza")?;
            assert_eq!(shown.code, Some(0), "{id} {letter} {}", shown.err);
            assert!(shown.out.contains(betza), "{id} {letter}");
        }
    }
    Ok(())
}

#[test]
fn pictures_go_to_files() -> Done {
    let folder = Folder::new("pictures")?;
    let (svg, png) = (folder.path("a.svg"), folder.path("a.png"));
    let run = husun(&[
        "show", "citadel8", "--setup", "swapped", "--black", "--svg", &svg,
    ])?;
    assert_eq!((run.code, run.out.as_str()), (Some(0), ""));
    assert!(fs::read_to_string(&svg)?.starts_with("<svg"));
    husun(&[
        "piece",
        "strike80",
        "G",
        "d4",
        "--blockers",
        "e5,=c3",
        "--png",
        &png,
        "--size",
        "32",
    ])?;
    assert!(fs::read(&png)?.starts_with(b"\x89PNG"));
    Ok(())
}

#[test]
fn perft_counts() -> Done {
    let plain = husun(&["perft", "chess", "3"])?;
    assert!(plain.out.contains("8902 nodes"), "{}", plain.out);
    for extra in [
        &[][..],
        &["--threads", "2"],
        &["--threads", "2", "--hash", "4"],
    ] {
        let mut args = vec!["perft", "alhusun", "3", "--json", "--divide"];
        args.extend(extra);
        let answer: Value = serde_json::from_str(&husun(&args)?.out)?;
        let below = answer["divide"].as_object().ok_or("no divide")?;
        let total: u64 = below.values().filter_map(Value::as_u64).sum();
        assert_eq!(answer["nodes"].as_u64(), Some(total));
    }
    let fen = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
    let run = husun(&["perft", "chess", "3", "--fen", fen])?;
    assert!(run.out.contains("97862 nodes"), "{}", run.out);
    assert!(husun(&["perft", "chess", "0"])?.out.contains("1 nodes"));
    Ok(())
}

const GAMES: &str = "\
[Variant \"Capablanca\"]

1. e4 e5 2. Ne3 {x
y Zz} (2. Zf4) *

[Variant \"Foo\"]

1. e4 *

[Event \"fine\"]

1. f2-f3 e5 2. g4?? Qh4# 0-1

[Variant \"chess\"]
[FEN \"8/8 w - - 0 1\"]

*
";

#[test]
fn pgn_check_names_the_place_of_every_fault() -> Done {
    let folder = Folder::new("check")?;
    let path = folder.file("games.pgn", GAMES)?;
    let run = husun(&["pgn", "check", &path])?;
    assert_eq!(run.code, Some(1));
    let lines: Vec<&str> = run.out.lines().collect();
    let starts = [
        format!("{path}:3:13: game 1: move 2. `Ne3` fits no legal move"),
        format!("{path}:6:1: game 2: tag Variant: `Foo` is unknown: expected one of alhusun"),
        format!("{path}:15:1: game 4: tag FEN: "),
        "4 games, 4 moves, 3 bad".into(),
    ];
    assert_eq!(lines.len(), starts.len(), "{}", run.out);
    for (line, start) in lines.iter().zip(&starts) {
        assert!(line.starts_with(start), "{line}");
    }
    let run = husun_with(&["pgn", "check", "--json", "-"], GAMES)?;
    let faults: Vec<Value> = run
        .out
        .lines()
        .map(serde_json::from_str)
        .collect::<Result<_, _>>()?;
    assert_eq!(faults[0]["column"], 13);
    assert_eq!(faults[3]["bad"], 3);
    Ok(())
}

#[test]
fn pgn_convert_writes_all_forms() -> Done {
    let run = husun_with(&["pgn", "convert", "-"], GAMES)?;
    assert_eq!(run.code, Some(1));
    assert!(run.out.contains("1. f3 e5 2. g4 $4 Qh4# 0-1") || run.out.contains("g4?? Qh4# 0-1"));
    assert!(run.err.contains("game 1"), "{}", run.err);
    let again = husun_with(&["pgn", "convert", "-"], &run.out)?;
    assert_eq!((again.code, again.out), (Some(0), run.out));
    let uci = husun_with(&["pgn", "convert", "--uci", "-"], GAMES)?;
    assert_eq!(uci.out, "f2f3 e7e5 g2g4 d8h4\n");
    let fen = husun_with(&["pgn", "convert", "--fen", "-"], GAMES)?;
    assert!(fen.out.ends_with(" w KQkq - 1 3\n"));
    let json = husun_with(&["pgn", "convert", "--json", "-"], GAMES)?;
    let game: Value = serde_json::from_str(&json.out)?;
    assert_eq!(
        (game["variant"].as_str(), game["uci"][3].as_str()),
        (Some("chess"), Some("d8h4"))
    );
    let forced = husun_with(&["pgn", "check", "--game", "capablanca", "-"], "1. Nf3 *\n")?;
    assert_eq!(forced.code, Some(1));
    let forced = husun_with(
        &["pgn", "check", "--game", "capablanca", "-"],
        "1. Nh3 Nc6 *\n\n1. Nj3 *\n",
    )?;
    assert!(forced.out.contains("2 games"));
    Ok(())
}

#[test]
fn the_inventors_game_is_read() -> Done {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../games/tests/data");
    let pgn = format!("{folder}/citadelir-example.pgn");
    assert_eq!(husun(&["pgn", "check", &pgn])?.code, Some(0));
    let run = husun(&["pgn", "convert", "--uci", &pgn])?;
    let wanted = fs::read_to_string(format!("{folder}/citadelir-example.uci"))?;
    let words = |text: &str| -> Vec<String> { text.split_whitespace().map(String::from).collect() };
    assert_eq!(words(&run.out), words(&wanted));
    Ok(())
}

#[test]
fn bad_input_is_answered_with_what_was_expected() -> Done {
    let rows: [(&[&str], &str); 11] = [
        (&["show", "citadl8"], "did you mean `citadel8`?"),
        (
            &["show", "chess", "--fen", "8/8 w - - 0 1"],
            "2 ranks: expected 8",
        ),
        (
            &["show", "citadel8", "--setup", "x"],
            "expected one of standard, swapped",
        ),
        (&["show", "chess", "--size", "5"], "expected 16 to 256"),
        (
            &["show", "chess", "--svg", "/nowhere/x.svg"],
            "/nowhere/x.svg: cannot be written",
        ),
        (&["piece", "chess", "X"], "expected one of"),
        (&["piece", "chess", "K", "j9"], "`j9` is not a square"),
        (&["play", "chess", "--level", "9"], "1..=8"),
        (
            &["play", "chess", "--clock", "fischer:5m+3"],
            "expected one of the units",
        ),
        (
            &["pgn", "check", "/nowhere/x.pgn"],
            "/nowhere/x.pgn: cannot be read",
        ),
        (
            &["--game-file", "/nowhere/x.toml", "games"],
            "/nowhere/x.toml: cannot read the game file",
        ),
    ];
    for (args, expected) in rows {
        let run = husun(args)?;
        assert_eq!(run.code, Some(2), "{args:?}");
        assert!(run.err.contains(expected), "{args:?}: {}", run.err);
        assert_eq!(run.out, "", "{args:?}");
    }
    Ok(())
}

const OWN: &str = r#"
id = "mine"
inherits = "citadel8"
name = "Mine"
[setups]
standard = "wh1bkgshw/ppppppppp/9/9/9/9/PPPPPPPPP/WH1TKMSHW w KQkq - CYcy 0 1"
"#;

#[test]
fn a_game_of_ones_own_is_known_everywhere() -> Done {
    let folder = Folder::new("own")?;
    let file = folder.file("mine.toml", OWN)?;
    let other = "id = \"theirs\"\ninherits = \"mine\"\nname = \"Theirs\"\n";
    let other = folder.file("theirs.toml", other)?;
    let own = |args: &[&str], input: &str| {
        let mut all = vec!["--game-file", &file, "--game-file", &other];
        all.extend(args);
        husun_with(&all, input)
    };
    assert!(own(&["games"], "")?.out.starts_with("ID "));
    assert!(own(&["games"], "")?.out.contains("\nmine "));
    for id in ["mine", "theirs"] {
        assert!(own(&["show", id], "")?.out.contains("wh1bkgshw"), "{id}");
    }
    let rules = own(&["rules", "mine"], "")?.out;
    assert!(
        rules.contains("Castling: Prince, elder (K) e1 to g1"),
        "{rules}"
    );
    assert_eq!(own(&["perft", "mine", "2"], "")?.code, Some(0));
    let game = "[Variant \"Mine\"]\n\n1. e4 e5 *\n";
    assert_eq!(own(&["pgn", "check", "-"], game)?.code, Some(0));
    let line = "{\"variant\":\"mine\",\"fen\":\"4k4/9/9/9/9/9/9/4K4 w - - CYcy 0 1\"}";
    assert!(
        own(&["inspect"], line)?
            .out
            .contains("\"status\":\"bare royals\"")
    );
    assert!(
        own(&["play", "mine", "--level", "1"], "e4\nquit\n")?
            .out
            .contains("1. e4")
    );
    Ok(())
}

#[test]
fn a_wrong_game_file_is_answered_with_file_line_and_key() -> Done {
    let folder = Folder::new("wrong")?;
    let file = folder.file("wrong.toml", &OWN.replace("name", "nmae"))?;
    let run = husun(&["games", "--game-file", &file])?;
    assert_eq!(run.code, Some(2));
    let start = format!("husun: {file}:4: nmae: ");
    assert!(
        run.err.starts_with(&start) && run.err.contains("`name`"),
        "{}",
        run.err
    );
    Ok(())
}

#[test]
fn no_file_takes_the_place_of_a_built_in_game_in_silence() -> Done {
    let folder = Folder::new("place")?;
    let taken = OWN.replace("\"mine\"", "\"citadel9\"");
    let file = folder.file("taken.toml", &taken)?;
    let run = husun(&["games", "--game-file", &file])?;
    assert_eq!(run.code, Some(2));
    let error =
        format!("husun: {file}:2: id: `citadel9` is a built-in game: expected an id of its own");
    assert!(run.err.starts_with(&error), "{}", run.err);
    let file = folder.file("said.toml", &format!("replaces = true\n{taken}"))?;
    let run = husun(&["show", "citadel9", "--game-file", &file])?;
    assert_eq!((run.code, run.err.as_str()), (Some(0), ""));
    assert!(run.out.contains("wh1bkgshw"), "{}", run.out);
    Ok(())
}

#[test]
fn pictures_that_there_are_and_those_that_are_missing() -> Done {
    let folder = Folder::new("own-pictures")?;
    let text = format!("{OWN}[[pieces]]\nletter = \"W\"\nimage = \"catapult\"\n");
    let file = folder.file("mine.toml", &text)?;
    let run = husun(&["show", "mine", "--game-file", &file])?;
    assert_eq!(run.code, Some(0));
    let warning = format!(
        "husun: {file}: pieces.W.image: there is no picture `catapult`, a letter is drawn: expected one of alfil, "
    );
    assert!(run.err.starts_with(&warning), "{}", run.err);
    // The page lists them all; those of a single royal piece go by the name without -royal.
    let page = include_str!("../../../docs/game-file.md");
    let listed = |name: &str| page.contains(&format!("`{name}`"));
    for image in render::images::all() {
        let name = image.name.strip_suffix("-royal").unwrap_or(image.name);
        assert!(listed(name), "{name}");
    }
    Ok(())
}

#[test]
fn a_missing_picture_is_told_over_uci() -> Done {
    let folder = Folder::new("told")?;
    let text = format!("{OWN}[[pieces]]\nletter = \"W\"\nimage = \"catapult\"\n");
    let file = folder.file("mine.toml", &text)?;
    let told = "info string mine: pieces.W.image: there is no picture `catapult`";
    let later = husun_with(
        &["uci"],
        format!("setoption name VariantPath value {file}\nquit\n"),
    )?;
    assert!(later.out.contains(told), "{}", later.out);
    let first = husun_with(&["uci", "--game-file", &file], "uci\nquit\n")?;
    assert!(first.out.contains(told), "{}", first.out);
    Ok(())
}

#[test]
fn a_picture_beside_the_file_is_drawn() -> Done {
    let folder = Folder::new("beside")?;
    let data = "M20 90H80L50 10Z";
    let svg =
        format!("<svg viewBox=\"0 0 100 100\">\n<path class=\"body\" d=\"{data}\"/>\n</svg>\n");
    folder.file("catapult.svg", &svg)?;
    let text = format!("{OWN}[[pieces]]\nletter = \"W\"\npicture = \"catapult.svg\"\n");
    let file = folder.file("mine.toml", &text)?;
    let drawn = folder.path("board.svg");
    let run = husun(&["show", "mine", "--game-file", &file, "--svg", &drawn])?;
    assert_eq!((run.code, run.err.as_str()), (Some(0), ""));
    assert!(fs::read_to_string(&drawn)?.contains(data));
    // A picture containing a script is refused with the line and the key, and so is one that lies elsewhere.
    let line = text.lines().count();
    for (name, inner, reason) in [
        (
            "catapult.svg",
            "<script/>",
            "<script> cannot stand in a picture",
        ),
        (
            "../catapult.svg",
            "",
            "expected the name of a file beside this one",
        ),
        ("none.svg", "", "No such file or directory"),
    ] {
        folder.file(
            "catapult.svg",
            &svg.replace("</svg>", &format!("{inner}</svg>")),
        )?;
        let file = folder.file("mine.toml", &text.replace("catapult.svg", name))?;
        let run = husun(&["games", "--game-file", &file])?;
        let start = format!("husun: {file}:{line}: pieces.W.picture: {name}: {reason}");
        assert_eq!(run.code, Some(2));
        assert!(run.err.starts_with(&start), "{}", run.err);
    }
    Ok(())
}

#[test]
fn games_are_played_to_their_end_in_a_pipe() -> Done {
    for id in ["chess", "shatranj", "citadel8", "strike80", "alhusun"] {
        let run = husun_with(&["play", id, "--level", "1"], "go\n".repeat(1000))?;
        assert_eq!(run.code, Some(0), "{id}");
        let ends = run
            .out
            .lines()
            .filter(|line| line.contains("Points: White"))
            .count();
        assert_eq!(ends, 1, "{id}");
    }
    Ok(())
}

#[test]
fn a_game_in_a_pipe_takes_moves_and_words() -> Done {
    let folder = Folder::new("pipe")?;
    let path = folder.path("saved.pgn");
    let input = format!(
        "e4\nKe3\nnonsense words\nmoves\nfen\nundo\nd4\nsave {path}\nsave\ndraw\nflip\nhelp\nresign\na3\nundo\nhint\n"
    );
    let run = husun_with(
        &["play", "chess", "--level", "1", "--clock", "fischer:5m+3s"],
        &input,
    )?;
    assert_eq!((run.code, run.err.as_str()), (Some(0), ""));
    for expected in [
        "1. e4",
        "`Ke3` fits no legal move",
        "moves: ",
        "1. d4",
        "Saved as",
        "save: expected the name of a file",
        "declines",
        "let the computer make this move",
        "Black wins by resignation. Points: White 0, Black 1.",
        "the game is over: resignation",
        "The computer would play",
        "White: 5:0",
    ] {
        assert!(run.out.contains(expected), "{expected}:\n{}", run.out);
    }
    let saved = fs::read_to_string(&path)?;
    assert!(
        saved.contains("[White \"Player\"]") && saved.contains("[%clk 0:05:0"),
        "{saved}"
    );
    let run = husun_with(&["play", "--load", &path, "--level", "1"], "fen\n")?;
    assert!(run.out.contains("3P4"), "{}", run.out);
    Ok(())
}

#[test]
fn help_version_and_no_arguments() -> Done {
    let help = husun(&[])?;
    assert_eq!(help.code, Some(0));
    assert!(help.out.contains("Usage: husun") && help.out.contains("Exit codes:"));
    let version = husun(&["--version"])?;
    assert_eq!(
        version.out,
        format!("husun {}\n", env!("CARGO_PKG_VERSION"))
    );
    assert_eq!(husun(&["--nonsense"])?.code, Some(2));
    // If no game is named, the first one.
    assert!(husun(&["play"])?.out.starts_with("Shatranj al-husun"));
    Ok(())
}

#[test]
fn play_survives_bytes_that_are_no_text() -> Done {
    let run = husun_with(&["play", "chess", "--level", "1"], b"e2\xff4\nfen\nquit\n")?;
    assert_eq!((run.code, run.err.as_str()), (Some(0), ""));
    assert!(
        run.out.contains("`help` lists what can be typed"),
        "{}",
        run.out
    );
    Ok(())
}

#[test]
fn a_match_with_an_engine_that_does_not_start_has_no_result() -> Done {
    for json in [&[][..], &["--json"]] {
        let args = [
            "match",
            "chess",
            "husun",
            "uci:/no/such/engine",
            "--games",
            "2",
        ];
        let run = husun(&[&args[..], &["--tc", "depth:1"], json].concat())?;
        assert_eq!((run.code, run.out.as_str()), (Some(2), ""), "{}", run.out);
        assert!(run.err.contains("cannot be started"), "{}", run.err);
    }
    Ok(())
}

#[cfg(unix)]
#[test]
fn a_reader_who_goes_away_is_no_error() -> Done {
    for command in [
        "games --json",
        "rules alhusun",
        "perft chess 2 --divide",
        "inspect",
        "play chess",
    ] {
        let mut program = Command::new(env!("CARGO_BIN_EXE_husun"))
            .args(command.split(' '))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        drop(program.stdout.take());
        if let Some(mut input) = program.stdin.take() {
            let _ = input.write_all(b"{\"variant\":\"chess\"}\n");
        }
        let run = told(program.wait_with_output()?)?;
        assert_eq!((run.code, run.err.as_str()), (Some(0), ""), "{command}");
    }
    Ok(())
}
