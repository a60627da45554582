//! Limits, hostile texts, and streams that fail: all end in errors, within bounded memory and stack.

use std::io::{self, BufReader, Read};

use super::super::*;

#[rustfmt::skip]
/// A text, and its error under small limits.
const LIMITED: [(&str, &str); 13] = [
    ("Nf3xe4=Q *", "line 1, column 1: word of more than 7 bytes"),
    ("12345678. *", "line 1, column 1: word of more than 7 bytes"),
    ("[LongName \"\"]", "line 1, column 2: word of more than 7 bytes"),
    ("[A \"0123456789a\"]", "line 1, column 5: tag value of more than 10 bytes"),
    ("1. e4 {0123456789a} *", "line 1, column 7: comment of more than 10 bytes"),
    ("1. e4 ;éééééé\n*", "line 1, column 7: comment of more than 10 bytes"),
    ("[A \"\"][B \"\"][C \"\"][D \"\"]", "line 1, column 19: more than 3 tags in a game"),
    ("a b c d e f *", "line 1, column 11: more than 5 moves, variations, comments and commands in a game"),
    ("a (b) (c) {} *", "line 1, column 11: more than 5 moves, variations, comments and commands in a game"),
    ("a (b (c)) (d) *", "line 1, column 11: more than 5 moves, variations, comments and commands in a game"),
    ("a (b (c (d", "line 1, column 9: variations nested more than 2 deep"),
    ("1. e4 e5 2. d4 d5 3. Nf3 Nf6 4. Nc3 Nc6 *", "line 1, column 1: line of more than 40 bytes"),
    ("1. \n1. \n1. \n1. \n1. \n1. \n1. \n1. \n1. \n1. \n1. \n1. \n1. \n1. \n1. \n1. \n1. \n1. \n1. \n1. \n", "line 17, column 1: game of more than 60 bytes"),
];

#[test]
fn limits() {
    let limits = Limits {
        word: 7,
        text: 10,
        tags: 3,
        items: 5,
        depth: 2,
        line: 40,
        game: 60,
    };
    for (text, message) in LIMITED {
        let text = format!("{text}\n[Event \"next\"] *");
        let mut reader = Reader::with_limits(text.as_bytes(), limits);
        assert_eq!(
            reader.next_game().unwrap().unwrap_err().to_string(),
            message
        );
        assert_eq!(
            reader.next_game().unwrap().unwrap().tag("Event"),
            Some("next"),
            "for {text:?}"
        );
        assert!(reader.next_game().is_none());
    }
    // at each limit all is well
    let text = "[A \"0123456789\"][B \"\"] [C \"\"]\n1. a7xb8=Q (b (c)) *";
    assert!(
        Reader::with_limits(text.as_bytes(), limits)
            .next_game()
            .unwrap()
            .is_ok()
    );
}

#[test]
fn hostile_texts_end_in_errors() {
    let deep = format!("1. e4 {}", "(e4 ".repeat(1_000_000));
    let hostile = [
        deep,
        "(".repeat(3_000_000),
        "{".repeat(3_000_000),
        format!("e4 {}", "{[%a]}".repeat(500_000)),
        format!("{{{}}}", "[%a [%b".repeat(5000)),
        "a ".repeat(3_000_000),
        "a\n".repeat(6_000_000),
        "[A\"\"]".repeat(100_000),
        "[\n".repeat(100_000),
        "[Event \"\"]\n".repeat(100_000),
    ];
    for text in hostile {
        for game in Reader::new(text.as_bytes()) {
            game.unwrap_err();
        }
    }
}

#[test]
fn endless_lines_take_no_memory() {
    // a line of 64 MiB, then a game
    let rest = "\n[Event \"next\"]\n*".as_bytes();
    let long = io::repeat(b'x').take(64 << 20);
    let mut reader = Reader::new(BufReader::new(long).chain(rest));
    let error = reader.next_game().unwrap().unwrap_err();
    assert_eq!(
        error.to_string(),
        "line 1, column 1: line of more than 1048576 bytes"
    );
    assert_eq!(
        reader.next_game().unwrap().unwrap().tag("Event"),
        Some("next")
    );
}

#[test]
fn deepest_nesting_reads_and_writes() {
    let limits = Limits {
        depth: MAX_DEPTH,
        ..Limits::DEFAULT
    };
    let text = format!("{}{} *", "e4 (".repeat(255), ")".repeat(255));
    let mut game = Reader::with_limits(text.as_bytes(), limits)
        .next_game()
        .unwrap()
        .unwrap();
    let written = game.to_pgn().unwrap();
    game.complete_roster();
    assert_eq!(
        Reader::with_limits(written.as_bytes(), limits)
            .next_game()
            .unwrap()
            .unwrap(),
        game
    );
}

#[test]
fn io_errors_end_the_stream() {
    struct Failing;
    impl Read for Failing {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::other("disk on fire"))
        }
    }
    for text in ["", "* ", "1. e4\n", "[Event \"a\"]\n1. e4 ]\n"] {
        let mut reader = Reader::new(BufReader::new(text.as_bytes().chain(Failing)));
        let last = reader.by_ref().last().unwrap().unwrap_err();
        assert!(matches!(last.reason, SyntaxError::Io(_)), "{last}");
        assert!(last.to_string().ends_with("cannot read on: disk on fire"));
        assert!(reader.next_game().is_none());
    }
}
