//! `husun analyse`, `husun bench` and `husun tune` as users call them.

use serde_json::Value;
use std::error::Error;
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

type Done = Result<(), Box<dyn Error>>;

fn husun(args: &[&str]) -> std::io::Result<Output> {
    Command::new(env!("CARGO_BIN_EXE_husun"))
        .args(args)
        .output()
}

/// The output of a call that must succeed.
fn out(args: &[&str]) -> Result<String, Box<dyn Error>> {
    let run = husun(args)?;
    let err = String::from_utf8_lossy(&run.stderr);
    assert_eq!(run.status.code(), Some(0), "{args:?}: {err}");
    Ok(String::from_utf8(run.stdout)?)
}

fn folder(name: &str) -> std::io::Result<PathBuf> {
    let folder = std::env::temp_dir().join(format!("husun-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    Ok(folder)
}

#[test]
fn a_position_line_by_line() -> Done {
    // After 1. f3 e5 2. g4 Black mates.
    let text = out(&[
        "analyse", "chess", "--moves", "f3", "e7e5", "g4", "--depth", "4",
    ])?;
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.last(), Some(&"best: Qh4#"));
    let line = lines[lines.len() - 2];
    assert!(line.contains("#-1"), "{line}");
    assert!(line.ends_with("2... Qh4#"), "{line}");

    // Two lines, for White, the better one first.
    let fen = "k7/8/8/8/8/8/1r6/K2R4 w - - 0 1";
    let text = out(&[
        "analyse",
        "chess",
        "--fen",
        fen,
        "--multipv",
        "2",
        "--nodes",
        "20000",
        "--json",
    ])?;
    let all: Vec<Value> = text
        .lines()
        .map(serde_json::from_str)
        .collect::<Result<_, _>>()?;
    let last = all.last().ok_or("nothing")?;
    assert_eq!(last["san"], "Kxb2");
    assert_eq!(last["status"], "ongoing");
    let lines: Vec<&Value> = all.iter().filter(|v| v["line"] == 2).collect();
    assert!(!lines.is_empty());
    for line in lines {
        let wdl: u64 = line["wdl"]
            .as_array()
            .ok_or("no chances")?
            .iter()
            .filter_map(Value::as_u64)
            .sum();
        assert_eq!(wdl, 1000);
        let moves = line["san"].as_array().ok_or("no line")?.len();
        assert_eq!(line["uci"].as_array().map(Vec::len), Some(moves));
    }
    Ok(())
}

#[test]
fn positions_without_a_choice() -> Done {
    let text = out(&[
        "analyse",
        "chess",
        "--fen",
        "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1",
        "--depth",
        "2",
    ])?;
    assert_eq!(text, "no move: checkmate\n");
    for (args, told) in [
        (
            &["--moves", "e5"][..],
            "husun: --moves: move 1: `e5` fits no legal move",
        ),
        (
            &["--time", "0"],
            "husun: --time: 0 is out of bounds: expected seconds above 0, up to 1000000",
        ),
        (
            &["--pgn", "/no/such"],
            "husun: /no/such: cannot be read: No such file or directory (os error 2)",
        ),
    ] {
        let args = [&["analyse", "chess"], args].concat();
        let run = husun(&args)?;
        assert_eq!(run.status.code(), Some(2), "{args:?}");
        assert_eq!(String::from_utf8(run.stderr)?.trim(), told, "{args:?}");
    }
    Ok(())
}

const GAME: &str = "[Event \"a mate\"]\n[Variant \"chess\"]\n\n\
    1. f3 {careless} e5 2. g4 $2 Qh4# 0-1\n\n\
    [Event \"a bad one\"]\n\n1. e5 *\n\n\
    [Event \"a piece lost\"]\n\n1. e4 e5 2. Qg4 a6 3. Qxd7+ Bxd7 *\n";

#[test]
fn games_are_annotated() -> Done {
    let folder = folder("annotate")?;
    let path = |name: &str| folder.join(name).display().to_string();
    std::fs::write(path("in.pgn"), GAME)?;
    let (from, to) = (path("in.pgn"), path("out.pgn"));
    let args = [
        "analyse",
        "chess",
        "--pgn",
        &from,
        "--annotate",
        "--nodes",
        "4000",
        "--out",
        &to,
    ];
    let run = husun(&args)?;
    assert_eq!(run.status.code(), Some(1));
    let err = String::from_utf8(run.stderr)?;
    assert!(err.contains("in.pgn: game 2: move 1."), "{err}");
    let written = std::fs::read_to_string(&to)?;
    let text = written.split_whitespace().collect::<Vec<_>>().join(" ");
    // The comment and the judgement of the game stay, a mate in one is seen, and the better line is shown.
    for part in [
        "[Annotator \"Husun",
        "careless",
        "2. g4 $2 {[%eval #-1,",
        "Qh4# 0-1",
        "3. Qxd7+ $4 {[%eval -",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(!text.contains("$2 $"), "{text}");
    let (_, better) = text.split_once("2. g4").ok_or("no move")?;
    let (better, _) = better.split_once("Qh4#").ok_or("no mate")?;
    assert!(better.contains("(2. "), "{better}");
    // What was written can be read, and annotating it again adds nothing but depth.
    assert!(out(&["pgn", "check", &to])?.ends_with("2 games, 10 moves, 0 bad\n"));
    let again = out(&[
        "analyse",
        "chess",
        "--pgn",
        &to,
        "--annotate",
        "--nodes",
        "4000",
    ])?;
    assert_eq!(again.matches('(').count(), text.matches('(').count());
    // The last position of the first game.
    let last = out(&["analyse", "chess", "--pgn", &to, "--depth", "1"])?;
    assert_eq!(last, "no move: checkmate\n");
    // Another game's file, which leaves what was written before, and a file over itself.
    let over = |game: &str, from: &str| {
        husun(&[
            "analyse",
            game,
            "--pgn",
            from,
            "--annotate",
            "--depth",
            "1",
            "--out",
            &to,
        ])
    };
    let other = over("citadel8", &from)?;
    assert_eq!(other.status.code(), Some(1));
    assert_eq!(std::fs::read_to_string(&to)?, written);
    // A file without a game.
    std::fs::write(path("empty.pgn"), "\n")?;
    let none = over("chess", &path("empty.pgn"))?;
    assert_eq!(none.status.code(), Some(1));
    assert!(String::from_utf8(none.stderr)?.contains("there is no game in it"));
    assert_eq!(std::fs::read_to_string(&to)?, written);
    let same = husun(&[
        "analyse",
        "chess",
        "--pgn",
        &from,
        "--annotate",
        "--out",
        &from,
    ])?;
    assert_eq!(same.status.code(), Some(2));
    assert_eq!(std::fs::read_to_string(&from)?, GAME);
    std::fs::remove_dir_all(folder)?;
    Ok(())
}

#[test]
fn a_bench_counts_the_same() -> Done {
    let once: Value = serde_json::from_str(&out(&["bench", "--depth", "3", "--json"])?)?;
    let games = once["games"].as_object().ok_or("no games")?;
    assert_eq!(games.len(), games::ids().count());
    let sum: u64 = games.values().filter_map(Value::as_u64).sum();
    assert_eq!(once["nodes"], sum);
    let text = out(&["bench", "citadel9", "--depth", "3"])?;
    let nodes = games["citadel9"].to_string();
    for line in text.lines() {
        assert_eq!(line.split_whitespace().nth(1), Some(nodes.as_str()));
    }
    assert_eq!(text.lines().count(), 2);
    Ok(())
}

#[test]
fn values_are_tuned_written_and_read() -> Done {
    let folder = folder("tune")?;
    let to = folder.display().to_string();
    let args = [
        "tune",
        "shatranj",
        "--play",
        "20",
        "--nodes",
        "60",
        "--rounds",
        "1",
        "--threads",
        "2",
        "--out",
        &to,
    ];
    let run = husun(&args)?;
    let err = String::from_utf8(run.stderr)?;
    assert_eq!(run.status.code(), Some(0), "{err}");
    let errors: Vec<f64> = err
        .split_once("left out:")
        .ok_or("no errors told")?
        .1
        .split_whitespace()
        .filter_map(|word| word.parse().ok())
        .collect();
    assert!(
        errors.len() == 2 && errors.iter().all(|e| (0.0..0.25).contains(e)),
        "{err}"
    );
    let file = folder.join("shatranj/values.toml");
    assert_eq!(
        String::from_utf8(run.stdout)?.trim(),
        file.display().to_string()
    );
    let text = std::fs::read_to_string(&file)?;
    let game = games::variant("shatranj").ok_or("no game")?;
    let values = engine::values::Values::parse(&game, &text)?;
    assert_ne!(values, engine::values::estimate(&game));
    // The same games give the same fit.
    out(&args)?;
    assert_eq!(std::fs::read_to_string(&file)?, text);
    std::fs::remove_dir_all(folder)?;
    Ok(())
}

#[test]
fn the_search_is_tuned_and_goes_on_where_it_was_interrupted() -> Done {
    let folder = folder("tune-search")?;
    let file = folder.join("some.results");
    let results = file.display().to_string();
    let tune = |more: &[&'static str]| {
        let fixed = ["tune", "--search", "shatranj", "chess", "--nodes", "50"];
        let of = ["--pairs", "45", "--check", "10", "--results", &results];
        husun(&[&fixed[..], &of, more].concat())
    };
    let first = tune(&[])?;
    let err = String::from_utf8(first.stderr)?;
    assert_eq!(first.status.code(), Some(0), "{err}");
    let told = String::from_utf8(first.stdout)?;
    let games: Vec<&str> = told.lines().filter(|l| l.contains("20 games")).collect();
    let of = ["shatranj: ", "chess: "];
    assert!(games.len() == 2 && games.iter().zip(of).all(|(l, of)| l.starts_with(of)));
    for parameter in engine::SearchParameters::ALL {
        let line = told.lines().find(|line| line.starts_with(parameter.name));
        let numbers = line.ok_or(parameter.name)?.split_whitespace().skip(1);
        assert!(numbers.filter(|n| n.parse::<i32>().is_ok()).count() == 2);
    }
    let text = std::fs::read_to_string(&file)?;
    assert_eq!(text.lines().count(), 1 + 45);
    // Cut off in the midst of a line, played on by two threads: the same games, the same parameters.
    let at = text.match_indices('\n').nth(31).ok_or("a line")?.0;
    std::fs::write(&file, &text[..at])?;
    let again = tune(&["--threads", "2"])?;
    assert_eq!(String::from_utf8(again.stdout)?, told);
    assert_eq!(std::fs::read_to_string(&file)?, text);
    // What does not fit is told, and the file is left alone.
    let other = String::from_utf8(tune(&["--seed", "2"])?.stderr)?;
    assert!(other.contains("45 pairs of shatranj chess") && other.contains("--results"));
    let both = String::from_utf8(tune(&["--anew"])?.stderr)?;
    assert!(both.contains("--anew"), "{both}");
    for (damaged, told) in [
        (text.replacen('{', "", 1), "line 1"),
        (
            text.replacen("\"from\":[", "\"from\":[1,", 1),
            "other parameters",
        ),
        (text.replacen("\n", "\n7\n", 1), "line 2"),
    ] {
        std::fs::write(&file, &damaged)?;
        let err = String::from_utf8(tune(&[])?.stderr)?;
        assert!(err.contains(told) && err.contains("some.results"), "{err}");
        assert_eq!(std::fs::read_to_string(&file)?, damaged);
    }
    std::fs::remove_dir_all(folder)?;
    Ok(())
}

#[test]
fn values_are_fitted_to_positions_of_a_file() -> Done {
    let folder = folder("tune-data")?;
    let (to, data) = (folder.display().to_string(), folder.join("some.positions"));
    let data = data.display().to_string();
    let make = ["datagen", "shatranj", "--out", &data];
    let few = ["--nodes", "40", "--positions", "1500", "--opening", "8"];
    out(&[&make[..], &few].concat())?;
    let fit = ["tune", "shatranj", "--data", &data, "--rounds", "1"];
    let fit = [&fit[..], &["--out", &to]].concat();
    let run = husun(&fit)?;
    let err = String::from_utf8(run.stderr)?;
    assert_eq!(run.status.code(), Some(0), "{err}");
    let number = |word: &str| -> Result<u64, Box<dyn std::error::Error>> {
        let at = err.split_once(word).ok_or(word)?.0;
        Ok(at
            .rsplit(' ')
            .find(|w| !w.is_empty())
            .ok_or(word)?
            .parse()?)
    };
    let (learn, check) = (
        number(" positions of")?,
        number(" positions of games left")?,
    );
    assert!(learn > 1000 && check > 20 && learn > 4 * check, "{err}");
    let file = folder.join("shatranj/values.toml");
    let text = std::fs::read_to_string(&file)?;
    let game = games::variant("shatranj").ok_or("no game")?;
    let values = engine::values::Values::parse(&game, &text)?;
    assert_ne!(values, engine::values::estimate(&game));
    // The same positions give the same fit, and fewer another one.
    out(&fit)?;
    assert_eq!(std::fs::read_to_string(&file)?, text);
    out(&[&fit[..], &["--most", "200"]].concat())?;
    assert_ne!(std::fs::read_to_string(&file)?, text);
    // What does not fit is told.
    for (args, told) in [
        (vec!["tune", "chess", "--data", &data], "another game"),
        (vec!["tune", "chess", "grand", "--data", &data], "found 2"),
        (
            vec!["tune", "shatranj", "--data", &file.display().to_string()],
            "no file of positions",
        ),
        (
            vec!["tune", "shatranj", "--data", &data, "--play", "20"],
            "--play",
        ),
        (vec!["tune", "shatranj", "--most", "200"], "--data"),
    ] {
        let refused = husun(&args)?;
        let err = String::from_utf8(refused.stderr)?;
        assert_ne!(refused.status.code(), Some(0), "{args:?}");
        assert!(err.contains(told), "{args:?}: {err}");
    }
    std::fs::remove_dir_all(folder)?;
    Ok(())
}

/// An extra rook is worth about what the values say, whoever is asked.
const ROOK_MORE: &str = "4k3/p7/8/8/8/8/P7/R3K3 w - - 0 1";

/// What `husun uci` thinks of it, in centipawns.
fn uci_score(file: &str) -> Result<i32, Box<dyn Error>> {
    let mut run = Command::new(env!("CARGO_BIN_EXE_husun"))
        .args(["uci", "--game-file", file])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let mut to = run.stdin.take().ok_or("no input")?;
    writeln!(to, "setoption name UCI_Variant value own")?;
    writeln!(to, "position fen {ROOK_MORE}\ngo depth 1")?;
    let mut score = None;
    for line in BufReader::new(run.stdout.take().ok_or("no output")?).lines() {
        let line = line?;
        if let Some((_, rest)) = line.split_once(" score cp ") {
            score = rest.split(' ').next().map(str::parse).transpose()?;
        }
        if line.starts_with("bestmove") {
            break;
        }
    }
    writeln!(to, "quit")?;
    drop(to);
    assert!(run.wait()?.success());
    Ok(score.ok_or("no score told")?)
}

#[test]
fn values_beside_a_game_file_are_read_with_it() -> Done {
    let folder = folder("own-values")?;
    let file = folder.join("own.toml");
    std::fs::write(&file, "id = \"own\"\ninherits = \"chess\"\n")?;
    let beside = folder.join("own.values.toml");
    let name = file.display().to_string();
    let analyse = [
        "analyse",
        "own",
        "--game-file",
        &name,
        "--fen",
        ROOK_MORE,
        "--depth",
        "1",
        "--json",
    ];
    let analysed = || -> Result<f64, Box<dyn Error>> {
        let text = out(&analyse)?;
        let first: Value = serde_json::from_str(text.lines().next().ok_or("nothing")?)?;
        Ok(first["score"].as_str().ok_or("no score")?.parse()?)
    };
    // As in chess.
    assert!((3.0..10.0).contains(&analysed()?));
    assert!((300..1000).contains(&uci_score(&name)?));
    std::fs::write(&beside, "[pieces]\nR = [3000, 3000]\n")?;
    assert!(analysed()? > 20.0);
    assert!(uci_score(&name)? > 2000);

    // Values that do not fit the game are reported, not ignored.
    std::fs::write(&beside, "[pieces]\nZ = [1, 1]\n")?;
    let refused = husun(&analyse)?;
    assert_eq!(refused.status.code(), Some(2));
    let err = String::from_utf8(refused.stderr)?;
    let told = format!("{}: pieces.Z: no such piece here", beside.display());
    assert!(err.contains(&told), "{err}");
    std::fs::remove_file(&beside)?;

    // Tuning writes there what is then read.
    let tune = [
        "tune",
        "own",
        "--game-file",
        &name,
        "--play",
        "12",
        "--nodes",
        "150",
        "--rounds",
        "1",
    ];
    // The network of chess is not inherited any more, which is said once.
    for told in [true, false] {
        let run = husun(&tune)?;
        let written = String::from_utf8(run.stdout)?;
        assert_eq!(written.trim(), beside.display().to_string());
        let err = String::from_utf8(run.stderr)?;
        assert_eq!(err.contains("not by the network"), told, "{err}");
    }
    let game = games::parse(&name, &std::fs::read_to_string(&file)?)?;
    let text = std::fs::read_to_string(&beside)?;
    assert!(engine::values::Values::parse(&game, &text).is_ok());
    analysed()?;
    std::fs::remove_dir_all(folder)?;
    Ok(())
}
