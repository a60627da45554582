//! Tests of PGN as text: rows of movetext as read and as written, of errors with their places, and of how
//! reading goes on after them. Hostile and failing input is in `tests/limits.rs`, random input in
//! `tests/random.rs`.

mod limits;
mod random;

use std::io::{BufRead, BufReader};
use std::time::Duration;

use super::*;

fn game(text: &str) -> RawGame {
    text.parse()
        .unwrap_or_else(|error| panic!("{text:?}: {error}"))
}

/// The movetext of a game as the writer gives it.
fn movetext(game: &RawGame) -> String {
    let text = game.to_pgn().unwrap();
    text.split_once("\n\n").unwrap().1.trim_end().to_owned()
}

/// Every game of a text in a line: its Event or `-`, or the error.
fn outline(text: &[u8]) -> Vec<String> {
    Reader::new(text)
        .map(|game| match game {
            Ok(game) => game.tag("Event").unwrap_or("-").to_owned(),
            Err(error) => error.to_string(),
        })
        .collect()
}

#[rustfmt::skip]
/// Movetext as read, and as written back.
const MOVETEXTS: [(&str, &str); 50] = [
    ("*", "*"),
    ("1. e4 e5 1-0", "1. e4 e5 1-0"),
    ("1.e4 e5 2.Nf3 0-1", "1. e4 e5 2. Nf3 0-1"),
    ("e4 e5 Nf3 1/2-1/2", "1. e4 e5 2. Nf3 1/2-1/2"),
    ("1 e4 1 ... e5 2. ..Nf3 *", "1. e4 e5 2. Nf3 *"),
    ("1. e4 1... e5 17. Nf3*", "1. e4 e5 2. Nf3 *"),
    ("...e5 *", "1. e5 *"),
    ("1. O-O 0-0-0 2. 0-0 *", "1. O-O 0-0-0 2. 0-0 *"),
    ("1. a10xb11=Q+ K=X 2. e8e8 -- *", "1. a10xb11=Q+ K=X 2. e8e8 -- *"),
    ("1. P@e4 @@@@ 2. Z0 e8=Q# *", "1. P@e4 @@@@ 2. Z0 e8=Q# *"),
    ("1. ♘f3 Сf6 *", "1. ♘f3 Сf6 *"),
    ("1. e4! e5? 2. d4!! d5?? 3. c4!? c5?! *", "1. e4 $1 e5 $2 2. d4 $3 d5 $4 3. c4 $5 c5 $6 *"),
    ("1. e4 ! $13 e5$0 2. d4 +- d5 = ∞ *", "1. e4 $1 $13 e5 $0 2. d4 $18 d5 $10 $13 *"),
    ("1. $142 e4 ( $140 1. d4 ) *", "1. e4 $142 (1. d4 $140) *"),
    ("1. e4 (1. d4) $1 e5 *", "1. e4 $1 (1. d4) 1... e5 *"),
    ("1. e4 {a} $1 {b} e5 *", "1. e4 $1 {a} {b} 1... e5 *"),
    ("{a} {b} 1. {c} e4 *", "{a} {b} {c} 1. e4 *"),
    ("1. e4 {a} 1... {b} e5 {c} 2. {d} Nf3 *", "1. e4 {a} 1... {b} e5 {c} 2. {d} Nf3 *"),
    ("1. e4 1... {b} e5 *", "1. e4 1... {b} e5 *"),
    ("1. e4 (1. d4) {b} e5 *", "1. e4 (1. d4) {b} 1... e5 *"),
    ("1. e4 (1. d4) {b} (1. c4) {c} 1... {d} e5 *", "1. e4 (1. d4) (1. c4) {b} {c} {d} 1... e5 *"),
    ("1. e4 (1. d4) {b} *", "1. e4 (1. d4) {b} *"),
    ("1. e4 {a} 1... {b} *", "1. e4 {a} 1... {b} *"),
    ("1. e4 e5 {a} 2. {b} *", "1. e4 e5 {a} 2. {b} *"),
    ("{a} *", "{a} *"),
    ("1. e4 () ({a}) *", "1. e4 () ({a}) *"),
    ("1. e4(1. d4(1. c4)(1. b4 b5)d5)e5 *", "1. e4 (1. d4 (1. c4) (1. b4 b5) 1... d5) 1... e5 *"),
    ("1. e4 ({x} 1. d4 {y}) *", "1. e4 ({x} 1. d4 {y}) *"),
    ("1. e4 e5 (1... c5 2. Nf3 (2. c3) d6) 2. d4 *", "1. e4 e5 (1... c5 2. Nf3 (2. c3) 2... d6) 2. d4 *"),
    ("1. e4 ; to the } end ( of $1 line\ne5 *", "1. e4 ; to the } end ( of $1 line\n1... e5 *"),
    ("1. e4 ; plain\ne5 *", "1. e4 {plain} 1... e5 *"),
    ("1. e4 ;*\n*", "1. e4 {*} *"),
    ("1. e4 {; no line comment} e5 *", "1. e4 {; no line comment} 1... e5 *"),
    ("1. e4 { { ( ; \" [ } e5 *", "1. e4 {{ ( ; \" [} 1... e5 *"),
    ("1. e4 {} e5 *", "1. e4 {} 1... e5 *"),
    ("1. e4 {  a\t\n\r\n  b } *", "1. e4 {a b} *"),
    ("1. e4\n% escaped { [Event \"no\"]\ne5 *", "1. e4 e5 *"),
    ("% all\r% escaped\r\n1. e4\r*", "1. e4 *"),
    ("{a\n% no escape\n} *", "{a % no escape} *"),
    ("1. e4 {[%clk 1:02:03.5]} *", "1. e4 {[%clk 1:02:03.5]} *"),
    ("1. e4 { a [%clk 0:00:01] b [%eval -0.3,12] c [%emt 0:07] d } *", "1. e4 {[%clk 0:00:01] [%emt 0:00:07] [%eval -0.3,12] a b c d} *"),
    ("1. e4 {[%clk 0:00:01][%clk 0:00:02]} *", "1. e4 {[%clk 0:00:01] [%clk 0:00:02]} *"),
    ("1. e4 {[%clk soon] [%clk 0:00:02.000]} *", "1. e4 {[%clk 0:00:02] [%clk soon]} *"),
    ("1. e4 {[%clk 0:60:00] [%clk 1:2:03] [%clk 5] [%emt 1:00:00:00]} *", "1. e4 {[%clk 0:60:00] [%clk 1:2:03] [%clk 5] [%emt 1:00:00:00]} *"),
    ("1. e4 {[%clk 99:00]} *", "1. e4 {[%clk 1:39:00]} *"),
    ("1. e4 {[%csl  Ga1,\nRb2 ] [%x]} *", "1. e4 {[%csl Ga1, Rb2] [%x]} *"),
    ("1. e4 {[%cl[%x 1]k 0:00:01]} *", "1. e4 {[%cl[%x 1]k 0:00:01]} *"),
    ("1. e4 {[%a] [% b] [%clk 0:00:01]} *", "1. e4 {[%a] [% b] [%clk 0:00:01]} *"),
    ("1. e4 {[%a [%b c] d]} *", "1. e4 {[%a [%b c] d]} *"),
    ("1. e4 {[%open 1} *", "1. e4 {[%open 1} *"),
];

#[test]
fn movetexts() {
    for (text, written) in MOVETEXTS {
        let read = game(text);
        assert_eq!(movetext(&read), written, "for {text:?}");
        let mut complete = read;
        complete.complete_roster();
        assert_eq!(game(&complete.to_pgn().unwrap()), complete, "for {text:?}");
    }
}

#[rustfmt::skip]
/// A text that is not a game, and why.
const ERRORS: [(&str, &str); 45] = [
    ("", "line 1, column 1: found no game, expected one"),
    ("{only a comment}", "line 1, column 1: found no game, expected one"),
    ("1. e4 * *", "line 1, column 8: found more text after the game, expected its end"),
    ("1. e4", "line 1, column 6: found the end of the text, expected the result of the game: 1-0, 0-1, 1/2-1/2 or *"),
    ("1. e4\n\n", "line 2, column 1: found the end of the text, expected the result of the game: 1-0, 0-1, 1/2-1/2 or *"),
    ("1.", "line 1, column 3: found the end of the text, expected the result of the game: 1-0, 0-1, 1/2-1/2 or *"),
    ("[A \"b\"]", "line 1, column 8: found the end of the text, expected the result of the game: 1-0, 0-1, 1/2-1/2 or *"),
    ("1. e4\n  [Event \"x\"]", "line 2, column 3: found the tags of another game, expected the result of the game: 1-0, 0-1, 1/2-1/2 or *"),
    ("1. e4 [x *", "line 1, column 7: found '[', expected a move or the result"),
    ("[Event \"a\"]\n[Event \"b\"]\n*", "line 2, column 1: found the tags of another game, expected the result of the game: 1-0, 0-1, 1/2-1/2 or *"),
    ("[A \"a\"] [B \"b\"]\n[A \"b\"] *", "line 2, column 1: tag A a second time, expected each name once"),
    ("[]", "line 1, column 2: found ']', expected a tag name of letters, digits and underscores"),
    ("[", "line 1, column 2: the line ends within a tag pair, expected a tag name of letters, digits and underscores"),
    ("[A\n\"b\"]", "line 1, column 3: the line ends within a tag pair, expected the tag's value in double quotes"),
    ("[A b]", "line 1, column 4: found 'b', expected the tag's value in double quotes"),
    ("[É \"b\"]", "line 1, column 2: found 'É', expected a tag name of letters, digits and underscores"),
    ("[A \"b\n\"]", "line 1, column 6: the line ends within a tag pair, expected the value's closing quote"),
    ("[A \"b\\\"]", "line 1, column 9: the line ends within a tag pair, expected the value's closing quote"),
    ("[A \"b\"", "line 1, column 7: the line ends within a tag pair, expected ] at the end of the tag pair, and quotes in the value as \\\""),
    ("[A \"é \"b\" c\"]", "line 1, column 8: found 'b', expected ] at the end of the tag pair, and quotes in the value as \\\""),
    ("1. e4 {\n", "line 1, column 7: the comment that begins here has no end, expected }"),
    ("1. e4 {\n[Event \"x\"] }", "line 1, column 7: the comment that begins here has no end, expected }"),
    ("1. e4 {lost\n\n[White \"x\"]\n\n1. d4 {found} *", "line 1, column 7: the comment that begins here has no end, expected }"),
    ("1. e4 } *", "line 1, column 7: found '}', expected a move, a comment, an annotation, a variation, a result or a tag"),
    ("1. e4 \"x\" *", "line 1, column 7: found '\"', expected a move, a comment, an annotation, a variation, a result or a tag"),
    ("1. e4 <x> *", "line 1, column 7: found '<', expected a move, a comment, an annotation, a variation, a result or a tag"),
    (" % *", "line 1, column 2: found '%', expected a move, a comment, an annotation, a variation, a result or a tag"),
    ("1. e4\0 *", "line 1, column 6: found '\\0', expected a move, a comment, an annotation, a variation, a result or a tag"),
    ("1. e4 (1. d4 (1. c4) *", "line 1, column 22: found the result * within a variation, expected ) first"),
    ("1. e4 (1. d4 (1. c4 1-0)) *", "line 1, column 21: found the result 1-0 within a variation, expected ) first"),
    ("1. e4 (1. d4\n(1. c4)", "line 1, column 7: the variation that begins here has no end, expected )"),
    ("1. e4 (1. d4\n[Event \"x\"]", "line 1, column 7: the variation that begins here has no end, expected )"),
    ("1. e4 ) *", "line 1, column 7: found ) outside any variation, expected a move or the result"),
    ("1. (e4) *", "line 1, column 4: found a variation before any move, expected the move it replaces"),
    ("1. e4 ((d4)) *", "line 1, column 8: found a variation before any move, expected the move it replaces"),
    ("$1 *", "line 1, column 1: found an annotation in a line without moves, expected the move it belongs to"),
    ("1. e4 ( $1 $2 ) *", "line 1, column 9: found an annotation in a line without moves, expected the move it belongs to"),
    ("1. e4 $ *", "line 1, column 7: found annotation $, expected $0 to $255"),
    ("1. e4 $256 *", "line 1, column 7: found annotation $256, expected $0 to $255"),
    ("1. e4 $99999999999999999999999999999 *", "line 1, column 7: found annotation $999999999999999999999999, expected $0 to $255"),
    ("1. e4!!! *", "line 1, column 6: found suffix \"!!!\", expected !, ?, !!, ??, !? or ?!"),
    ("1. e4 / *", "line 1, column 7: found \"/\", expected a move, a move number, an annotation or a result"),
    ("1. exd6 e.p. *", "line 1, column 10: found '.', expected dots only behind a move number"),
    ("1. e4 (((( *", "line 1, column 8: found a variation before any move, expected the move it replaces"),
    ("\u{feff}1. e4 ] *", "line 1, column 7: found ']', expected a move, a comment, an annotation, a variation, a result or a tag"),
];

#[test]
fn errors_say_what_and_where() {
    for (text, message) in ERRORS {
        let error = text.parse::<RawGame>().unwrap_err();
        assert_eq!(error.to_string(), message, "for {text:?}");
    }
}

#[rustfmt::skip]
/// A text of several games, and what comes of each: its event, or the start of its error.
const STREAMS: [(&str, &[&str]); 30] = [
    ("", &[]),
    ("\n % \n", &["line 2, column 2"]),
    ("* * 1. e4 *", &["-", "-", "-"]),
    ("[Event \"a\"]\n*\n\n[Event \"b\"] *[Event \"c\"] 1-0\n", &["a", "b", "c"]),
    ("{x}\n[Event \"a\"] [Site \"s\"]\n*\n; last\n", &["a"]),
    // the movetext is broken
    ("[Event \"a\"]\n1. e4 ] 1. [Event \"no\"]\n[Event \"b\"] *", &["line 2, column 7", "b"]),
    ("[Event \"a\"]\n1. e4 }\n%\n[Site \"b\"]\n[Event \"b\"]*", &["line 2, column 7", "b"]),
    // the result is missing: nothing of the next game is lost
    ("[Event \"a\"]\n1. e4 [Event \"b\"] * [Event \"c\"]\n*", &["line 2, column 7", "b", "c"]),
    ("[Event \"a\"]\n\n[Event \"b\"]\n\n[Event \"c\"] *", &["line 3, column 1", "line 5, column 1", "c"]),
    ("[Event \"a\"] [Site \"?\"] [Event \"b\"] [Site \"?\"] *", &["line 1, column 24", "b"]),
    ("[Event \"a\"]\n{x}\n[Event \"b\"] *", &["line 3, column 1", "b"]),
    ("[Event \"a\"]\n1. e4 (1. d4\n[Event \"b\"] *", &["line 2, column 7", "b"]),
    ("[Event \"a\"]\n1. e4 {never closed\n[Event \"b\"]\n1. e4 {closed} *", &["line 2, column 7", "b"]),
    // the tags are broken: the rest of them is not another game
    ("[Event \"a\"]\n[Site x]\n[Date \"d\"]\n\n1. e4 *\n\n[Event \"b\"] *", &["line 2, column 7", "b"]),
    ("[Event \"a\"]\n[Site x]\n[Date \"d\"]\n[Event \"b\"] *", &["line 2, column 7", "b"]),
    ("[Site \"a\"]\n[Site \"a\"]\n[Date \"d\"]\n\n[Site \"b\"]\n*", &["line 2, column 1", "-"]),
    ("[Site \"a\nb\"]\n[Date \"d\"]\n\n*\n[Site \"b\"]\n*", &["line 1, column 9", "-"]),
    ("[Site x]\n1. e4 *\n[Event \"b\"]\n*", &["line 1, column 7", "b"]),
    ("[Event a\n[Event b\n[Event \"c\"]*", &["line 1, column 8", "c"]),
    ("junk text\nbefore\n[Event \"a\"]*", &["line 3, column 1", "a"]),
    // games without tags
    ("1. e4 ] e5 1-0\n\n1. d4 d5 0-1\n\n1. c4 *\n", &["line 1, column 7", "-", "-"]),
    ("1. e4 ] e5 1-0\n1. d4 d5 0-1\n", &["line 1, column 7", "-"]),
    ("1. e4 ] e5\n\n1. d4 d5 0-1\n", &["line 1, column 7", "-"]),
    ("e4 ] e5 1-0\n\n\nd4 d5 0-1\n", &["line 1, column 4", "-"]),
    ("1. e4 ]\n2. d4 1-0 3. c4\n4. c5 *\n\n1. d4 *\n", &["line 1, column 7", "-"]),
    ("1. e4 (1. d4 *\n\n1. d4 *\n", &["line 1, column 14", "-"]),
    ("1. e4 (1. d4 *) e5\n2. d4 *\n\n1. d4 *\n", &["line 1, column 14", "-"]),
    ("1. e4 ]\n1. d4 ]\n*\n1. c4 ]\n1/2-1/2\n\n1. b4 *", &["line 1, column 7", "line 4, column 7", "-"]),
    ("[Event \"a\"]\n\n1. e4 ] 1-0\n\n1. d4 *\n\n[Event \"b\"]\n\n*", &["line 3, column 7", "-", "b"]),
    ("[Event \"a\"]\n[Site x]\n\n\n1. e4 e5\n2. d4 1-0\n\n1. d4 *", &["line 2, column 7", "-"]),
];

#[test]
fn reading_goes_on_with_the_next_game() {
    for (text, expected) in STREAMS {
        let found = outline(text.as_bytes());
        let matches = found
            .iter()
            .zip(expected)
            .all(|(found, start)| found.starts_with(start));
        assert!(
            found.len() == expected.len() && matches,
            "{text:?} gives {found:?}"
        );
        // neither line ends nor the size of the pieces in which the text comes change anything
        for end in ["\r\n", "\r"] {
            assert_eq!(
                outline(text.replace('\n', end).as_bytes()),
                found,
                "{text:?}"
            );
        }
        let pieces = Reader::new(BufReader::with_capacity(1, text.as_bytes()));
        assert_eq!(pieces.count(), found.len(), "{text:?}");
    }
}

#[test]
fn tags_keep_their_order_and_values() {
    let read = game("[ White\"a \\\"b\\\" \\\\ \\n\" ]\t[X \"\"][Event \"{;%(\"]\n[Y \"Ö\"] *");
    let expected = [
        ("White", "a \"b\" \\ \\n"),
        ("X", ""),
        ("Event", "{;%("),
        ("Y", "Ö"),
    ];
    assert_eq!(
        read.tags,
        expected.map(|(name, value)| (name.to_owned(), value.to_owned()))
    );
    let text = read.to_pgn().unwrap();
    assert_eq!(
        text,
        "[Event \"{;%(\"]\n[Site \"?\"]\n[Date \"????.??.??\"]\n[Round \"?\"]\n\
         [White \"a \\\"b\\\" \\\\ \\\\n\"]\n[Black \"?\"]\n[Result \"*\"]\n[X \"\"]\n[Y \"Ö\"]\n\n*\n"
    );
    let mut read = read;
    read.set_tag("X", "new");
    read.set_tag("Z", "last");
    assert_eq!(read.remove_tag("White").as_deref(), Some("a \"b\" \\ \\n"));
    assert_eq!((read.remove_tag("White"), read.tag("White")), (None, None));
    assert_eq!(read.tags[0], ("X".to_owned(), "new".to_owned()));
    assert_eq!(read.tags[3], ("Z".to_owned(), "last".to_owned()));
    read.result = GameResult::Draw;
    read.complete_roster();
    assert_eq!((read.tag("Result"), read.tags.len()), (Some("1/2-1/2"), 10));
}

#[test]
fn encodings() {
    let utf8 = Reader::new("\u{feff}[White \"Gödel ♔\"]\n*".as_bytes()).next_game();
    assert_eq!(utf8.unwrap().unwrap().tag("White"), Some("Gödel ♔"));
    // a line that is not UTF-8 is Latin-1, the others are not
    let mixed: &[u8] = b"[White \"G\xf6del\"]\n[Black \"G\xc3\xb6del\"]\n1. e4 {\xe9} *";
    let mixed = Reader::new(mixed).next_game().unwrap().unwrap();
    assert_eq!(
        (mixed.tag("White"), mixed.tag("Black")),
        (Some("Gödel"), Some("Gödel"))
    );
    assert_eq!(mixed.line.moves[0].after[0].text, "é");
}

#[test]
fn move_numbers_follow_the_fen() {
    let rows = [
        ("8/8/8 b - - 0 17", "17... e5 18. e4 *"),
        ("8/8/8 w - - - 0 17", "17. e5 e4 *"),
        ("8/8/8 b - -", "1... e5 2. e4 *"),
        ("", "1. e5 e4 *"),
        ("x b 4294967295", "4294967295... e5 4294967295. e4 *"),
    ];
    for (fen, expected) in rows {
        let mut game = game("e5 e4 *");
        game.set_tag("FEN", fen);
        assert_eq!(movetext(&game), expected);
    }
}

#[test]
fn lines_stay_below_80_columns() {
    let mut game = RawGame::default();
    let text = "% [Event \"a\"] some words that [fill % up] the line ".repeat(20);
    for index in 0..60 {
        let mut node = Node::new("Qa10xb11+");
        if index % 7 == 0 {
            node.after.push(Comment {
                clk: Some(Duration::from_millis(index * 1500)),
                ..Comment::new(&text)
            });
            node.variations.push(Movetext {
                moves: vec![Node::new("Kg1"); 30],
                tail: vec![Comment::new("tail")],
            });
        }
        game.line.moves.push(node);
    }
    game.complete_roster();
    let written = game.to_pgn().unwrap();
    for line in written.lines().skip(8) {
        assert!(
            line.len() < 80 && !line.starts_with("[E") && !line.starts_with('%'),
            "{line}"
        );
        assert_eq!(line.trim(), line);
    }
    assert_eq!(written.parse::<RawGame>().unwrap(), game);
}

#[test]
fn what_has_no_form_is_not_written() {
    fn with(change: impl FnOnce(&mut RawGame)) -> String {
        let mut game = game("1. e4 e5 {c} *");
        change(&mut game);
        let mut out = Vec::new();
        let message = Writer::new(&mut out).write(&game).unwrap_err().to_string();
        assert!(out.is_empty());
        message
    }
    for san in [
        "", "a b", "12", "1-0", "*", "e4!", "e4(", "=", "{", "e\n4", "%", "e.p.",
    ] {
        let message = with(|game| game.line.moves[1].san = san.to_owned());
        let expected =
            format!("move {san:?} at 1..., expected a word that is no number, sign or result");
        assert_eq!(message, expected);
    }
    for text in ["a  b", " a", "a\nb", "[%clk 0:00:01]", "[%x] y"] {
        let message = with(|game| game.line.moves[1].after[0].text = text.to_owned());
        assert!(
            message.contains("does not read back as itself"),
            "{message}"
        );
    }
    for (name, value) in [
        ("clk", "0:00:01"),
        ("a b", ""),
        ("", ""),
        ("a", " b"),
        ("a", "]"),
        ("a", "b\nc"),
    ] {
        let command = Command {
            name: name.to_owned(),
            value: value.to_owned(),
        };
        let message = with(|game| game.line.moves[1].after[0].commands.push(command));
        assert!(
            message.contains("does not read back as itself"),
            "{message}"
        );
    }
    let message = with(|game| game.set_tag("a b", ""));
    assert_eq!(
        message,
        "tag name \"a b\", expected letters, digits and underscores"
    );
    let message = with(|game| game.set_tag("A", "b\rc"));
    assert_eq!(
        message,
        "line break in the value of tag A, expected a single line"
    );
    let message = with(|game| game.tags = vec![("A".to_owned(), String::new()); 2]);
    assert_eq!(message, "tag A a second time, expected each name once");
    let message = with(|game| {
        for _ in 0..256 {
            let inner = std::mem::take(&mut game.line);
            let variations = vec![inner];
            game.line.moves = vec![Node {
                variations,
                ..Node::new("e4")
            }];
        }
    });
    assert_eq!(message, "variations nested more than 255 deep");
}

#[test]
fn several_games_are_written_apart() {
    let mut writer = Writer::new(Vec::new());
    writer.write(&game("[Event \"a\"] 1-0")).unwrap();
    writer.write(&game("[Event \"b\"] 0-1")).unwrap();
    let text = writer.into_inner();
    assert_eq!(outline(&text), ["a", "b"]);
    assert!(
        String::from_utf8(text)
            .unwrap()
            .contains("\n\n1-0\n\n[Event \"b\"]\n")
    );
}

#[test]
fn clock_times_are_exact() {
    let comment = Comment::with_clk(Duration::new(3_723, 500_000_001));
    assert_eq!(comment.to_string(), "[%clk 1:02:03.500000001]");
    assert_eq!(Comment::new(&comment.to_string()), comment);
    let comment = Comment::with_clk(Duration::MAX);
    assert_eq!(Comment::new(&comment.to_string()), comment);
    // too large or too fine stays as it is written
    for text in [
        "[%clk 99999999999999999999:00:00]",
        "[%clk 0:00:00.0000000001]",
        "[%clk 0:00:+1]",
        "[%clk :00]",
    ] {
        let comment = Comment::new(text);
        assert_eq!((comment.clk, comment.to_string().as_str()), (None, text));
    }
}

#[test]
fn annotation_signs_are_distinct() {
    for (nag, glyph, meaning) in NAGS {
        assert_eq!(Nag::from_glyph(glyph.text()), Some(nag));
        assert_eq!((nag.glyph(), nag.meaning()), (Some(glyph), Some(meaning)));
        let expected = format!("1. e4 {nag} *");
        assert_eq!(movetext(&game(&format!("e4 {} *", glyph.text()))), expected);
    }
    assert_eq!((Nag(255).glyph(), Nag(255).meaning()), (None, None));
}

/// A reader that gives out the text in pieces of one byte, as a slow network might.
#[test]
fn pieces_of_one_byte_are_enough() {
    let text = "[Event \"Ä\"]\r\n1. e4 {♔} e5 *\r\n";
    let mut pieces = BufReader::with_capacity(1, text.as_bytes());
    assert_eq!(pieces.fill_buf().unwrap().len(), 1);
    assert_eq!(
        Reader::new(pieces).next_game().unwrap().unwrap(),
        game(text)
    );
}
