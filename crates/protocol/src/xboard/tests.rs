//! Sessions as scripts: input lines, and the lines that must come back.

use super::{Command, parse, piece_moves, read_position, run};
use crate::standard_host::StandardHost;
use crate::testing::{FakeHost, TestSession};
use std::time::Duration;
use tablebase::{Builder, Men};

fn talk() -> TestSession {
    TestSession::new(|input, output| run(FakeHost::default(), input, output))
}

#[test]
fn commands() {
    let level = |moves, base, increment| Command::Level {
        moves,
        base: Duration::from_secs(base),
        increment: Duration::from_millis(increment),
    };
    let rows = [
        ("", Command::Nothing),
        ("xboard", Command::Nothing),
        ("accepted done", Command::Nothing),
        ("protover 2", Command::Protover),
        ("level 40 5 0", level(40, 300, 0)),
        ("level 0 0:30 0.5", level(0, 30, 500)),
        ("level 0 2 12", level(0, 120, 12_000)),
        ("st 3", Command::St(Duration::from_secs(3))),
        ("time 150", Command::Time(Duration::from_millis(1500))),
        ("time -3", Command::Time(Duration::ZERO)),
        ("sd 4", Command::Sd(4)),
        ("usermove e7e8q", Command::Move("e7e8q".into())),
        ("a10b11q", Command::Move("a10b11q".into())),
        (
            "option Skill Level=3",
            Command::Option {
                name: "Skill Level".into(),
                value: Some("3".into()),
            },
        ),
        (
            "option Clear Hash",
            Command::Option {
                name: "Clear Hash".into(),
                value: None,
            },
        ),
        (
            "egtpath husun /two words",
            Command::Tables {
                kind: "husun".into(),
                folder: "/two words".into(),
            },
        ),
        (
            "egtpath syzygy",
            Command::Tables {
                kind: "syzygy".into(),
                folder: "".into(),
            },
        ),
        ("lift e2", Command::Lift("e2".into())),
        ("hard", Command::Ponder(true)),
    ];
    for (line, command) in rows {
        assert_eq!(parse(line).as_ref(), Ok(&command), "{line}");
    }
    for (line, error) in [
        ("joho", "Error (unknown command): joho"),
        ("e2", "Error (unknown command): e2"),
        ("e2e", "Error (unknown command): e2e"),
        (
            "level x",
            "Error (expected moves, minutes and an increment): level x",
        ),
        ("sd 0", "Error (expected a depth from 1 to 1000): sd 0"),
        ("time x", "Error (expected hundredths of a second): time x"),
    ] {
        assert_eq!(parse(line).unwrap_err().to_string(), error, "{line}");
    }
}

/// Sends and receives in turn; an empty entry sends or receives nothing.
fn script(talk: &TestSession, rows: &[(&str, &str)]) {
    for (said, heard) in rows {
        if !said.is_empty() {
            talk.say(said);
        }
        if !heard.is_empty() {
            assert_eq!(talk.hear(), *heard, "{said}");
        }
    }
}

#[test]
fn a_game() {
    let talk = talk();
    talk.say("protover 2");
    let lines = talk.until("feature done=1");
    let variants = lines.iter().find(|l| l.starts_with("feature variants="));
    assert!(
        variants
            .unwrap()
            .starts_with("feature variants=\"normal,alhusun,")
    );
    script(
        &talk,
        &[
            ("new", ""),
            ("ping 1", "pong 1"),
            ("level 0 1 0", ""),
            ("usermove e2e5", "Illegal move: e2e5"),
            ("usermove e2e4", "move a7a5"),
            ("post", ""),
            ("d2d4", "1 3 100 1000 2 1000 0\ta5a4"),
            ("", "move a5a4"),
            ("force", ""),
            ("undo", ""),
            ("usermove c7c5", ""),
            ("remove", ""),
            ("nopost", ""),
            ("playother", ""),
            ("usermove c2c4", "move a5a4"),
            ("hint", "Hint: a2a3"),
            ("hello world", "Error (unknown command): hello world"),
            ("draw", ""),
            ("result 1-0 {White mates}", ""),
            ("undo", ""),
            ("ping 2", "pong 2"),
        ],
    );
    assert!(talk.end().is_empty());
}

#[test]
fn tables_of_perfect_play_are_asked_where_egtpath_says() {
    let folder = std::env::temp_dir().join(format!("husun-xboard-tables-{}", std::process::id()));
    let chess = games::variant("chess").unwrap();
    let set = Men::named(&chess, "KRvK").unwrap();
    let builder = Builder::new(&chess, 2);
    let builder = builder.kept_in(&folder.join("chess"));
    builder.these(&[set], &mut |_| ()).unwrap();
    let talk = TestSession::new(|input, output| run(StandardHost::default(), input, output));
    talk.say("protover 2");
    let lines = talk.until("feature done=1");
    assert!(lines.iter().any(|line| line == "feature egt=\"husun\""));
    talk.say("new\nforce\negtpath syzygy /tables");
    assert_eq!(talk.hear(), "Error (no such tables): syzygy");
    talk.say("egtpath husun /no/such/folder");
    let heard = talk.hear();
    assert!(heard.starts_with("telluser /no/such/folder: "), "{heard}");
    talk.say(&format!("egtpath husun {}\npost\nsd 1", folder.display()));
    talk.say("setboard 8/8/8/3k4/8/8/8/KR6 w - - 0 1\ngo");
    let lines = talk.until("move ");
    // Fifteen moves to the mate, seen at the first depth.
    let seen = lines.iter().any(|line| line.starts_with("1 100015 "));
    assert!(seen, "{lines:?}");
    // The folder of a game itself has no folder of the game: it is said once.
    let inside = folder.join("chess");
    talk.say(&format!("egtpath husun {}", inside.display()));
    let none = format!("# {}: no tables of perfect play of chess", inside.display());
    let times = || {
        talk.say("force\nsetboard 8/8/8/3k4/8/8/8/KR6 w - - 0 1\ngo");
        let lines = talk.until("move ");
        lines.iter().filter(|line| line.starts_with(&none)).count()
    };
    assert_eq!([times(), times()], [1, 0]);
    talk.say("quit");
    talk.end();
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn ends_are_told() {
    let talk = talk();
    script(
        &talk,
        &[
            (
                "variant chaturanga",
                "Error (unsupported variant): chaturanga",
            ),
            ("force", ""),
            ("setboard 7k/8/6K1/8/8/8/Q7/8 w - - 0 1", ""),
            ("playother", ""),
            ("usermove a2a8", "1-0 {checkmate}"),
            ("force", ""),
            (
                "setboard 8/8 w - - 0 1",
                "tellusererror Illegal position: board: 2 ranks: expected 8",
            ),
            ("usermove a1a8", "Illegal move: a1a8"),
        ],
    );
}

/// A king on a citadel draws; between programs that is by agreement, since XBoard does not know the rule.
#[test]
fn draws_that_xboard_does_not_know() {
    let fen =
        "1**********1/*9K*/*10*/*10*/*10*/*10*/*10*/*10*/*5r4*/*10*/*k9*/1**********1 w - - 0 1";
    for (first, told) in [("", "1/2-1/2 {citadel}"), ("computer", "offer draw")] {
        let talk = talk();
        talk.say("variant alhusun");
        talk.until("piece P&");
        for line in [first, "force", &format!("setboard {fen}"), "playother"] {
            talk.say(line);
        }
        talk.say("usermove k11l12");
        assert_eq!(talk.hear(), told);
    }
}

#[test]
fn ten_ranks_are_counted_from_nought() {
    let talk = talk();
    talk.say("variant grand");
    talk.until("piece P&");
    script(
        &talk,
        &[
            ("force", ""),
            ("usermove e2e4", ""),
            ("usermove e7e8", "Illegal move: e7e8"),
            ("lift e7", "highlight 10/10/10/4Y5/4Y5/10/10/10/10/10"),
            ("usermove e7e5", ""),
            // Legal as we number ranks.
            ("usermove b2c4", "Illegal move: b2c4"),
            ("go", "move a0a1"),
        ],
    );
}

#[test]
fn a_move_that_is_pondered_on_counts_for_the_time_control() {
    let host = FakeHost {
        ponders: true,
        ..FakeHost::default()
    };
    let seen = host.seen.clone();
    let talk = TestSession::new(|input, output| run(host, input, output));
    for line in ["new", "level 3 1 0", "hard", "go"] {
        talk.say(line);
    }
    assert_eq!(talk.hear(), "move a2a3");
    // The hint is the move that it ponders on.
    talk.say("hint");
    let hint = talk.hear();
    let expected = hint.strip_prefix("Hint: ").expect(&hint);
    talk.say(&format!("usermove {expected}"));
    talk.until("move ");
    talk.say("force");
    talk.end();
    let left = |limits: &engine::Limits| limits.clock.and_then(|clock| clock.moves_to_go);
    let seen = seen.lock().unwrap();
    assert_eq!(
        seen.iter().take(2).map(left).collect::<Vec<_>>(),
        [Some(3), Some(2)]
    );
    assert!(seen[1].ponder.is_some());
}

#[test]
fn a_piece_in_hand() {
    let talk = talk();
    script(
        &talk,
        &[
            ("force", ""),
            ("setboard 4k3/2P5/8/3pP3/8/8/8/4K3 w - d6 0 1", ""),
            ("lift e5", "highlight 8/8/3RY3/8/8/8/8/8"),
            ("hover d6", "highlight 8/8/3RY3/3g4/8/8/8/8"),
            ("put d6", ""),
            ("lift c7", "highlight 2M5/8/8/8/8/8/8/8"),
            ("put c8", "choice QRBN"),
            ("lift z9", ""),
            ("lift", ""),
            ("ping 3", "pong 3"),
        ],
    );
}

#[test]
fn analysis() {
    let talk = talk();
    script(
        &talk,
        &[("post", ""), ("analyze", ""), ("ping 1", "pong 1")],
    );
    talk.say(".");
    assert!(talk.hear().starts_with("stat01: "));
    script(
        &talk,
        &[
            ("usermove e2e4", ""),
            ("undo", ""),
            ("exit", ""),
            ("ping 2", "pong 2"),
        ],
    );
    assert!(talk.end().is_empty());
}

#[test]
fn what_xboard_reads_of_the_games() {
    for (game, letter, moves) in [
        ("chess", 'P', Some("fmWfceFifmnD")),
        ("capablanca", 'K', Some("KisO3")),
        ("alhusun", 'P', Some("fmWfcF")),
        ("citadelir2024", 'L', Some("HC")),
        ("citadelir2024", 'O', Some("Z")),
        ("citadel9", 'P', Some("fmWfceFifmW3")),
        ("strike100", 'G', None),
    ] {
        let variant = games::variant(game).unwrap();
        let kind = variant.kind(letter).unwrap();
        assert_eq!(
            piece_moves(&variant, kind).as_deref(),
            moves,
            "{game} {letter}"
        );
    }
}

#[test]
fn every_position_of_a_walk_is_read_as_xboard_writes_it() {
    for id in games::ids() {
        let variant = games::variant(id).unwrap();
        let mut position = variant.start();
        for step in 0..40 {
            let fen = position.fen();
            assert_eq!(read_position(&variant, &fen).unwrap().fen(), fen, "{id}");
            let moves = position.legal_moves();
            if moves.is_empty() {
                break;
            }
            position = position.play_unchecked(moves[step * 7 % moves.len()]);
        }
    }
}

#[test]
fn garbage() {
    let talk = talk();
    for line in [
        "\u{0}\u{1}",
        "option",
        "variant \u{fffd}",
        "level",
        "memory x",
        "usermove",
        "st",
    ] {
        talk.say(line);
    }
    talk.say("ping 7");
    talk.until("pong 7");
}
