//! `husun match` with engines that misbehave, and a match that continues after an interruption.
#![cfg(unix)]

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A folder of its own for each test.
fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("husun-match-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// An engine as a shell script that answers `go` with the given command.
fn engine(folder: &Path, answer: &str) -> String {
    let path = folder.join("engine.sh");
    let script = format!(
        "while read -r line; do case $line in\n\
         uci) echo 'option name UCI_Variant type combo default chess var chess var citadel8'; echo uciok;;\n\
         isready) echo readyok;;\n\
         go*) {answer};;\n\
         quit) exit 0;;\n\
         esac; done\n"
    );
    std::fs::write(&path, script).unwrap();
    format!("uci:/bin/sh {}", path.display())
}

fn play(args: &[&str]) -> Value {
    let output = Command::new(env!("CARGO_BIN_EXE_husun"))
        .arg("match")
        .args(args)
        .arg("--json")
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn misdeeds_lose_and_are_counted() {
    for (name, answer, tc, misdeed) in [
        ("crash", "exit 3", "nodes:2000", "crashes"),
        (
            "illegal",
            "echo bestmove a1a9",
            "nodes:2000",
            "illegal_moves",
        ),
        (
            "none",
            "echo 'bestmove (none)'",
            "nodes:2000",
            "illegal_moves",
        ),
        (
            "late",
            "sleep 2; echo bestmove a2a3",
            "movetime:1",
            "time_losses",
        ),
    ] {
        let folder = folder(name);
        let bad = engine(&folder, answer);
        let report = play(&[
            "citadel8", "husun", &bad, "--games", "2", "--tc", tc, "--margin", "500",
        ]);
        assert_eq!(report["won"], 2, "{name}: {report}");
        assert_eq!(report["misdeeds"][1][misdeed], 2, "{name}: {report}");
        assert_eq!(report["misdeeds"][0]["crashes"], 0, "{name}: {report}");
        std::fs::remove_dir_all(folder).unwrap();
    }
}

#[test]
fn a_match_goes_on() {
    let folder = folder("resume");
    let path = |name: &str| folder.join(name).display().to_string();
    let (state, pgn) = (path("state.jsonl"), path("games.pgn"));
    let run = |games: &str| {
        play(&[
            "shatranj",
            "husun",
            "husun-xboard",
            "--games",
            games,
            "--tc",
            "depth:1",
            "--max-plies",
            "60",
            "--concurrency",
            "2",
            "--state",
            &state,
            "--pgn",
            &pgn,
        ])
    };
    assert_eq!(run("2")["games"], 2);
    // A line cut off by an interruption is left out.
    let mut text = std::fs::read_to_string(&state).unwrap();
    text += "{\"number\":2,\"half_po";
    std::fs::write(&state, text).unwrap();
    let report = run("4");
    assert_eq!(report["games"], 4);
    for which in 0..2 {
        for (kind, count) in report["misdeeds"][which].as_object().unwrap() {
            assert_eq!(count, 0, "{kind}");
        }
    }
    let games = std::fs::read_to_string(&pgn).unwrap();
    assert_eq!(games.matches("[Event ").count(), 4);
    let checked = Command::new(env!("CARGO_BIN_EXE_husun"))
        .args(["pgn", "check", &pgn])
        .output()
        .unwrap();
    assert!(checked.status.success());
    let other = Command::new(env!("CARGO_BIN_EXE_husun"))
        .args(["match", "chess", "husun", "husun", "--state", &state])
        .output()
        .unwrap();
    assert!(!other.status.success());
    // Another program of the same name is another engine.
    let own = env!("CARGO_BIN_EXE_husun");
    let named = |protocol: &str| format!("{protocol}:{own} {protocol}");
    let with = |second: &str| {
        Command::new(own)
            .args(["match", "shatranj", "husun", second, "--games", "4"])
            .args(["--tc", "depth:1", "--max-plies", "60", "--state", &state])
            .output()
            .unwrap()
    };
    let text = |output: std::process::Output| String::from_utf8_lossy(&output.stderr).into_owned();
    std::fs::remove_file(&state).unwrap();
    assert!(with(&named("uci")).status.success());
    let other = with(&named("xboard"));
    assert_eq!(other.status.code(), Some(2), "{}", text(other));
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_decided_test_is_not_opened_again() {
    let folder = folder("sprt");
    let state = folder.join("state.jsonl").display().to_string();
    let run = || {
        play(&[
            "chess",
            "husun",
            "husun",
            "--games",
            "200",
            "--tc",
            "depth:4",
            "--tc2",
            "depth:1",
            "--sprt",
            "0,200",
            "--concurrency",
            "3",
            "--state",
            &state,
        ])
    };
    let report = run();
    assert_eq!(
        report["sprt"]["verdict"],
        "the higher hypothesis is accepted"
    );
    let games = report["games"].as_u64().unwrap();
    assert!(games < 200, "{games}");
    // Nothing more is played when it is continued.
    assert_eq!(run(), report);
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn every_clock_is_spoken() {
    for tc in ["tiger:1s+0.05s", "delay:0.3s+0.03s", "byoyomi:0s+2x0.08s"] {
        for second in ["husun", "husun-xboard"] {
            let report = play(&[
                "shatranj",
                "husun",
                second,
                "--games",
                "2",
                "--tc",
                tc,
                "--opening",
                "4",
                "--max-plies",
                "24",
                "--margin",
                "2000",
            ]);
            assert_eq!(report["games"], 2, "{tc} {second}");
            assert_eq!(report["control"], tc);
            for which in 0..2 {
                for (kind, count) in report["misdeeds"][which].as_object().unwrap() {
                    assert_eq!(count, 0, "{tc} {second}: {kind}: {report}");
                }
            }
        }
    }
}

#[test]
fn each_engine_has_its_own_time() {
    let report = play(&[
        "chess",
        "husun",
        "husun",
        "--games",
        "6",
        "--tc",
        "nodes:20000",
        "--tc2",
        "depth:1",
    ]);
    assert_eq!(report["control"], "nodes:20000 against depth:1");
    assert_eq!(report["won"], 6, "{report}");
}

#[test]
fn games_end_early_where_both_agree() {
    let fen = "7k/8/8/8/8/8/8/KQQ5 w - - 0 1";
    let common = [
        "chess",
        "husun",
        "husun",
        "--fen",
        fen,
        "--games",
        "2",
        "--tc",
        "depth:3",
        "--opening",
        "0",
    ];
    let folder = folder("agree");
    let state = folder.join("state.jsonl").display().to_string();
    let args = [&common[..], &["--state", &state]].concat();
    let report = play(&[&args[..], &["--resign", "400,1"]].concat());
    assert_eq!(
        report["endings"][0][0], "both engines see a win",
        "{report}"
    );
    assert_eq!((&report["won"], &report["lost"]), (&1.into(), &1.into()));
    // Other rules make another match.
    let other = Command::new(env!("CARGO_BIN_EXE_husun"))
        .args([&["match"], &args[..], &["--resign", "400,2"]].concat())
        .output()
        .unwrap();
    assert_eq!(other.status.code(), Some(2));
    let fen = "4k3/8/8/3pp3/3PP3/8/8/4K3 w - - 0 1";
    let mut drawn = common;
    drawn[4] = fen;
    let report = play(&[&drawn[..], &["--draw", "600,2,3"]].concat());
    assert_eq!(
        report["endings"][0][0], "both engines see a draw",
        "{report}"
    );
    assert_eq!(report["drawn"], 2);
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn engines_that_cannot_play_are_refused() {
    for second in ["uci:/no/such/engine", "uci:/bin/true", "stockfish"] {
        let output = Command::new(env!("CARGO_BIN_EXE_husun"))
            .args(["match", "chess", "husun", second, "--games", "1"])
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(2), "{second}");
        assert!(String::from_utf8_lossy(&output.stderr).starts_with("husun: "));
    }
}
