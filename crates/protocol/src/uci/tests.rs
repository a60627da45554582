//! Sessions as scripts: input lines, and the lines that must come back.

use super::{Command, Go, Start, parse, run};
use crate::host::Host;
use crate::standard_host::StandardHost;
use crate::testing::{FakeHost, TestSession as AnyTalk};
use husun::Side;
use std::time::{Duration, Instant};
use tablebase::{Builder, Men};

struct TestSession;

impl TestSession {
    #[allow(clippy::new_ret_no_self)]
    fn new(host: impl Host + Send + 'static) -> AnyTalk {
        AnyTalk::new(|input, output| run(host, input, output))
    }
}

#[test]
fn commands() {
    let go = |change: fn(&mut Go)| {
        let mut go = Go::default();
        change(&mut go);
        Command::Go(Box::new(go))
    };
    let set = |name: &str, value: Option<&str>| Command::SetOption {
        name: name.into(),
        value: value.map(String::from),
    };
    let position = |start: Start, moves: &[&str]| Command::Position {
        start,
        moves: moves.iter().map(|&m| m.into()).collect(),
    };
    let rows = [
        ("", Command::Nothing),
        ("  \t ", Command::Nothing),
        ("uci", Command::Uci),
        ("  isready ", Command::IsReady),
        ("setoption name Clear Hash", set("Clear Hash", None)),
        (
            "setoption name Skill Level value 3",
            set("Skill Level", Some("3")),
        ),
        (
            "setoption name VariantPath value a b",
            set("VariantPath", Some("a b")),
        ),
        ("position startpos", position(Start::Setup, &[])),
        (
            "position startpos moves e2e4 e7e5",
            position(Start::Setup, &["e2e4", "e7e5"]),
        ),
        (
            "position fen 8/8 w - - moves a1a2",
            position(Start::Fen("8/8 w - -".into()), &["a1a2"]),
        ),
        ("go", go(|_| {})),
        ("go infinite", go(|g| g.infinite = true)),
        ("go perft 3", go(|g| g.perft = Some(3))),
        (
            "go wtime -5 btime 100 winc 1 binc 2 movestogo 0",
            go(|g| {
                let ms = Duration::from_millis;
                g.time = [Some(ms(0)), Some(ms(100))];
                g.increment = [ms(1), ms(2)];
            }),
        ),
        (
            "go searchmoves a1a2 b1b2 ponder mate 3",
            go(|g| {
                g.searchmoves = vec!["a1a2".into(), "b1b2".into()];
                g.ponder = true;
                g.mate = Some(3);
            }),
        ),
        ("bench", Command::Bench(None)),
        ("bench 3", Command::Bench(Some(3))),
    ];
    for (line, command) in rows {
        assert_eq!(parse(line).as_ref(), Ok(&command), "{line}");
    }
    for (line, error) in [
        ("joho", "unknown command `joho`"),
        ("position", "position: `startpos` or `fen` is missing"),
        ("position fen", "position fen: the position text is missing"),
        ("setoption", "setoption: `name` with a name is missing"),
        ("setoption name value 3", "setoption: the name is missing"),
        (
            "bench x",
            "bench depth: `x`: expected a number from 1 to 30",
        ),
    ] {
        assert_eq!(parse(line).unwrap_err().to_string(), error, "{line}");
    }
}

#[test]
fn a_script() {
    let talk = TestSession::new(FakeHost::default());
    for (said, heard) in [
        ("isready", "readyok"),
        (
            "position startpos moves e2e4 e9e5",
            "info string position: move 2: `e9e5` is no move: expected from-square, to-square and perhaps a small letter, as e2e4 or a10b11q",
        ),
        (
            "position fen 8/8 w - - 0 1",
            "info string position: board: 2 ranks: expected 8",
        ),
        (
            "go depth 1",
            "info string no position: the last one was refused: position: board: 2 ranks: expected 8",
        ),
        ("", "bestmove 0000"),
        ("position startpos", ""),
        (
            "go depth 1",
            "info depth 1 seldepth 2 multipv 1 score cp 0 nodes 1000 nps 1000 hashfull 3 tbhits 5 time 1000 pv a2a3",
        ),
        ("", "bestmove a2a3"),
        ("position startpos moves e2e4", ""),
        ("setoption name UCI_ShowWDL value true", ""),
        (
            "go depth 1",
            "info depth 1 seldepth 2 multipv 1 score cp 1 wdl 182 636 182 nodes 1000 nps 1000 hashfull 3 tbhits 5 time 1000 pv a7a5",
        ),
        ("", "bestmove a7a5"),
        ("eval", "fine"),
        ("blah blah", "info string unknown command `blah`"),
        ("setoption name Foo value 3", "info string no option `Foo`"),
        (
            "setoption name UCI_Variant value Citadel8",
            "info string variant citadel8 files 9 ranks 8 pocket 0 template fairy startpos whsbkgshw/ppppppppp/9/9/9/9/PPPPPPPPP/WHSTKMSHW w KQkq - CYcy 0 1",
        ),
        (
            "setoption name VariantPath value /no/such",
            "info string /no/such: cannot read the game file: No such file or directory (os error 2)",
        ),
        ("go perft 0", ""),
        ("", ""),
    ] {
        if !said.is_empty() {
            talk.say(said);
        }
        if !heard.is_empty() {
            assert_eq!(talk.hear(), heard, "{said}");
        }
    }
    assert_eq!(talk.end(), ["", "Nodes searched: 1", ""]);
}

#[test]
fn no_move_of_another_position() {
    let talk = TestSession::new(FakeHost::default());
    for line in [
        "position fen 8/8 w - - 0 1",
        "position fen 4k3/8/8/8/8/8/8/4K2R w K - 0 1 moves e1h1",
        "position startpos moves e2e4 e2e4",
        "position startpos e2e4",
        "position fen",
        "position",
        &"x".repeat(1 << 18),
    ] {
        talk.say("position startpos");
        talk.say(line);
        let refusal = talk.hear();
        let reason = refusal.strip_prefix("info string ").unwrap();
        let no_position = format!("info string no position: the last one was refused: {reason}");
        for asked in ["go depth 1", "go perft 2", "eval", "d"] {
            talk.say(asked);
            assert_eq!(talk.hear(), no_position, "{asked} after {line}");
            if asked == "go depth 1" {
                assert_eq!(talk.hear(), "bestmove 0000");
            }
        }
    }
    talk.say("position startpos moves e2e4");
    talk.say("go depth 1");
    talk.until("bestmove a7a5");
    // Another game has its own start.
    talk.say("position startpos moves e2e5");
    talk.hear();
    talk.say("setoption name UCI_Variant value shatranj");
    talk.say("go depth 1");
    talk.until("bestmove a2a3");
    assert!(talk.end().is_empty());
}

#[test]
fn every_go_has_its_move() {
    let talk = TestSession::new(FakeHost::default());
    let number = |word: &str, found: &str, high: &str| {
        format!("go {word}: `{found}`: expected a number from 1 to {high}")
    };
    for (line, told) in [
        ("go depth", number("depth", "", "1000")),
        ("go depth abc", number("depth", "abc", "1000")),
        ("go depth 0", number("depth", "0", "1000")),
        ("go depth movetime 5", number("depth", "", "1000")),
        ("go nodes 0", number("nodes", "0", "9223372036854775807")),
        ("go nodes -1", number("nodes", "-1", "9223372036854775807")),
        ("go mate x depth 3", number("mate", "x", "1000")),
        (
            "go movetime 99999999999999999999999",
            "go movetime: `99999999999999999999999`: expected a number from \
             -9223372036854775808 to 9223372036854775807"
                .into(),
        ),
        ("go deep", "go: unknown word `deep`: expected".into()),
        (
            "go depth 1 searchmoves a2a3 e2e5",
            "go searchmoves: `e2e5` is not legal here".into(),
        ),
        (
            "go depth 1 searchmoves e2e5",
            "go searchmoves: `e2e5` is not legal here".into(),
        ),
        ("go btime 1000", String::new()),
    ] {
        talk.say(line);
        let lines = talk.until("bestmove");
        assert!(
            lines[0].starts_with(&format!("info string {told}")) || told.is_empty(),
            "{line}: {lines:?}"
        );
        assert_eq!(lines.last().unwrap(), "bestmove a2a3", "{line}");
    }
    talk.say("go infinite depth x");
    talk.until("info string");
    talk.say("isready");
    assert_eq!(talk.hear(), "readyok");
    talk.say("stop");
    talk.until("bestmove a2a3");
}

#[test]
fn a_search_of_one_position_says_what_it_found() {
    let talk = TestSession::new(StandardHost::default());
    for game in ["chess", "citadelir2024", "strike80"] {
        talk.say(&format!("setoption name UCI_Variant value {game}"));
        talk.hear();
        talk.say("go nodes 1");
        let lines = talk.until("bestmove");
        let [info, best] = &lines[..] else {
            panic!("{game}: {lines:?}");
        };
        let played = best.split(' ').nth(1).unwrap();
        assert!(
            info.starts_with("info depth 1 ") && info.ends_with(&format!(" pv {played}")),
            "{game}: {info}"
        );
    }
}

#[test]
fn perft_counts_each_move() {
    let talk = TestSession::new(FakeHost::default());
    talk.say("go perft 4");
    let lines = talk.until("Nodes searched");
    assert_eq!(lines.len(), 22);
    assert_eq!(lines[0], "a2a3: 8457");
    assert_eq!(lines[21], "Nodes searched: 197281");
}

#[test]
fn stop_and_ponderhit_end_a_search() {
    let host = FakeHost::default();
    let seen = host.seen.clone();
    let talk = TestSession::new(host);
    talk.say("go infinite");
    talk.say("isready");
    assert_eq!(talk.hear(), "readyok");
    talk.say("stop");
    talk.until("bestmove a2a3");
    talk.say("go ponder wtime 1000 btime 2000 winc 30 movestogo 5");
    talk.say("isready");
    assert_eq!(talk.hear(), "readyok");
    talk.say("ponderhit");
    talk.until("bestmove a2a3");
    // A second search ends the first one.
    talk.say("go infinite");
    talk.say("go depth 1");
    talk.until("bestmove a2a3");
    talk.until("bestmove a2a3");
    // A stop for either, though all is said at once.
    for line in [
        "go infinite",
        "stop",
        "position startpos",
        "go infinite",
        "stop",
    ] {
        talk.say(line);
    }
    talk.until("bestmove a2a3");
    talk.until("bestmove a2a3");
    // The end of the input ends the last.
    talk.say("go infinite");
    let rest = talk.end();
    assert_eq!(rest.last().map(String::as_str), Some("bestmove a2a3"));
    let seen = seen.lock().unwrap();
    let clock = seen[1].clock.unwrap();
    assert_eq!(clock.moves_to_go, Some(5));
    assert_eq!(
        clock,
        engine::ClockSituation::fischer(Duration::from_secs(1), Duration::from_millis(30), Some(5))
    );
}

#[test]
fn clocks_that_time_left_does_not_describe() {
    use husun::clock::Remaining;
    let host = FakeHost::default();
    let seen = host.seen.clone();
    let talk = TestSession::new(host);
    let ms = Duration::from_millis;
    let rows = [
        (
            "tiger:2m+1s",
            "wtime 5000 btime 4000 wreserve 300 breserve 200",
            Remaining::Tiger {
                engagement: ms(5000),
                reserve: ms(300),
            },
        ),
        (
            "delay:1m+2s",
            "wtime 5000 btime 4000",
            Remaining::Delay {
                time: ms(5000),
                delay: ms(2000),
            },
        ),
        (
            "byoyomi:1m+3x5s",
            "wtime 0 btime 0 wperiods 2 bperiods 9",
            Remaining::Byoyomi {
                main: ms(0),
                period: ms(5000),
                periods: 2,
            },
        ),
        (
            "days:2",
            "wtime 9000",
            Remaining::Correspondence { time: ms(9000) },
        ),
    ];
    for (clock, go, remaining) in &rows {
        talk.say(&format!("setoption name Clock value {clock}"));
        talk.say(&format!("go {go}"));
        talk.until("bestmove");
        let found = seen.lock().unwrap().last().unwrap().clock.unwrap();
        assert_eq!(found.remaining, *remaining, "{clock}");
        assert_eq!(found.control, clock.parse().unwrap());
    }
    talk.say("setoption name Clock value sundial");
    assert!(
        talk.hear()
            .starts_with("info string Clock: `sundial`: expected")
    );
    talk.say("setoption name Clock value <empty>");
    talk.say("go wtime 1000 btime 1000 winc 30");
    talk.until("bestmove");
    let found = seen.lock().unwrap().last().unwrap().clock.unwrap();
    let usual = engine::ClockSituation::fischer(ms(1000), ms(30), None);
    assert_eq!(found, usual);
}

#[test]
fn a_failing_engine_does_not_take_the_session_with_it() {
    let host = FakeHost {
        fails: true,
        ..FakeHost::default()
    };
    let talk = TestSession::new(host);
    for _ in 0..2 {
        talk.say("go depth 3");
        let lines = talk.until("bestmove");
        assert_eq!(
            lines[0],
            "info string the engine has failed and starts anew"
        );
    }
    assert!(talk.end().is_empty());
}

#[test]
fn nothing_to_move() {
    let talk = TestSession::new(FakeHost::default());
    for (fen, score) in [
        ("7k/8/8/8/8/6q1/8/7K w - - 0 1", "cp 0"),
        ("7k/8/8/8/8/6q1/7q/7K w - - 0 1", "mate 0"),
    ] {
        talk.say(&format!("position fen {fen}"));
        talk.say("go depth 1");
        let lines = talk.until("bestmove");
        let end = [
            format!("info depth 0 score {score}"),
            "bestmove (none)".into(),
        ];
        assert_eq!(lines[lines.len() - 2..], end, "{fen}");
    }
}

#[test]
fn the_engine_stops_when_told() {
    let talk = TestSession::new(StandardHost::default());
    for game in ["chess", "citadelir2024", "citadel9"] {
        talk.say(&format!("setoption name UCI_Variant value {game}"));
        talk.hear();
        talk.say("go infinite");
        talk.until("info depth 4");
        let told = Instant::now();
        talk.say("stop");
        talk.until("bestmove");
        assert!(told.elapsed() < Duration::from_secs(2), "{game}");
    }
    talk.say("quit");
    talk.end();
}

#[test]
fn tables_of_perfect_play_are_asked_where_they_are_named() {
    let folder = std::env::temp_dir().join(format!("husun-uci-tables-{}", std::process::id()));
    let chess = games::variant("chess").unwrap();
    let man = |side, letter| (side, chess.kind(letter).unwrap());
    let men = [(Side::White, 'K'), (Side::White, 'R'), (Side::Black, 'K')];
    let men = Men::new(men.map(|(side, letter)| man(side, letter)).to_vec());
    let builder = Builder::new(&chess, 2).kept_in(&folder.join("chess"));
    builder.these(&[men], &mut |_| ()).unwrap();
    // Those of chess are none of shatranj.
    let other = folder.join("shatranj");
    std::fs::create_dir_all(&other).unwrap();
    let name = "KRvK.husuntable";
    std::fs::copy(folder.join("chess").join(name), other.join(name)).unwrap();

    let talk = TestSession::new(StandardHost::default());
    let path = "setoption name TablebasePath value";
    talk.say(&format!("{path} /no/such/folder"));
    let heard = talk.hear();
    assert!(
        heard.starts_with("info string /no/such/folder: "),
        "{heard}"
    );
    let said = |go: &str| {
        talk.say("position fen 8/8/8/3k4/8/8/8/KR6 w - - 0 1");
        talk.say(go);
        let lines = talk.until("bestmove");
        lines[lines.len() - 2].clone()
    };
    assert!(said("go depth 2").contains(" tbhits 0 "));
    talk.say(&format!("{path} {}", folder.display()));
    let heard = said("go depth 2");
    assert!(heard.contains(" score mate 15 "), "{heard}");
    assert!(!heard.contains(" tbhits 0 "), "{heard}");
    talk.say("setoption name UCI_Variant value shatranj");
    assert!(talk.hear().contains("variant shatranj"));
    let heard = talk.hear();
    assert!(
        heard.contains(name) && heard.contains("another game"),
        "{heard}"
    );
    // A game of which the folder has none: it is said once.
    talk.say("setoption name UCI_Variant value citadel8");
    talk.hear();
    let none = format!(
        "info string {}: no tables of perfect play of citadel8",
        folder.display()
    );
    let times = || {
        talk.say("position startpos\ngo depth 1");
        let lines = talk.until("bestmove");
        lines.iter().filter(|line| line.starts_with(&none)).count()
    };
    assert_eq!([times(), times()], [1, 0]);
    talk.say("setoption name UCI_Variant value chess");
    talk.hear();
    talk.say(&format!("{path} <empty>"));
    assert!(said("go depth 2").contains(" tbhits 0 "));
    talk.say("quit");
    talk.end();
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn garbage() {
    let talk = TestSession::new(FakeHost::default());
    for line in [
        "\u{0}\u{1}\u{2}",
        "position fen \u{fffd} moves e2e4",
        "position moves",
        "setoption name Hash value 99999999999999999999",
        "setoption name Hash value -1",
        "setoption name Threads",
        "setoption name UCI_Variant value nonsense",
        "setoption name UCI_Elo value x",
        "position startpos moves e2e4 e2e4",
        "position fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQ1BNR w KQkq - 0 1",
    ] {
        talk.say(line);
        let heard = talk.hear();
        assert!(heard.starts_with("info string "), "{line}: {heard}");
    }
    talk.say("isready");
    assert_eq!(talk.hear(), "readyok");
}
