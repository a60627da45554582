//! Random games go through writer and reader unchanged; random and damaged texts are read without panic, and
//! whatever is read of them can be written and read again.

use std::time::Duration;

use proptest::prelude::*;

use super::super::*;

fn comments() -> impl Strategy<Value = Vec<Comment>> {
    let raw = prop_oneof![
        3 => "[a-z %\\[\\];({]{0,30}",
        2 => "[\\[\\]%a: }]{0,16}",
        1 => "\\PC{0,12}",
        1 => any::<String>(),
        2 => "(\\[%(clk|emt|eval|cal|x_1) ?(0:00:01|1:02:03\\.5|-0\\.3,7|[\\[%a]{0,3})\\] ?[a\\[%]?){0,4}",
        1 => "([a-z]{1,9}[ \n]){20,60}",
        1 => "(%[a-z]{0,3} |\\[Event \"x\"\\] |[a-z]{1,9} ){10,40}",
    ];
    let comment = (raw, prop::option::of(any::<(u64, u32)>())).prop_map(|(raw, clk)| {
        let mut comment = Comment::new(&raw);
        if let (None, Some((secs, nanos))) = (comment.clk, clk) {
            comment.clk = Some(Duration::new(secs, nanos % 1_000_000_000));
            comment.commands.retain(|command| command.name != "clk");
        }
        comment
    });
    prop_oneof![
        6 => Just(Vec::new()),
        3 => prop::collection::vec(comment, 1..3),
    ]
}

fn nodes(inner: impl Strategy<Value = Movetext> + 'static) -> impl Strategy<Value = Node> {
    let san = prop_oneof![
        "[KQRBNa-l]?[a-l]?x?[a-l]1?[0-9](=[A-Z])?[+#]?",
        "(O-O|0-0-0|--|@@@@|K=X|e8e8|P@e4|♘f3|1-0-1|-+-a|a10xb11=Q\\+)",
        "[a-l+#=:/@_'~^&,-]{0,4}[A-Za-z][0-9+#=:/@_'~^&,-]{0,4}",
    ];
    let nags = prop::collection::vec(any::<u8>().prop_map(Nag), 0..3);
    let nags = prop_oneof![3 => Just(Vec::new()), 1 => nags];
    let variations =
        prop_oneof![3 => Just(Vec::new()).boxed(), 1 => prop::collection::vec(inner, 0..3).boxed()];
    (san, nags, comments(), comments(), variations).prop_map(
        |(san, nags, before, after, variations)| Node {
            san,
            nags,
            before,
            after,
            variations,
        },
    )
}

fn line_of(inner: impl Strategy<Value = Movetext> + 'static) -> impl Strategy<Value = Movetext> {
    let moves = prop::collection::vec(nodes(inner), 0..7);
    (moves, comments()).prop_map(|(moves, tail)| Movetext { moves, tail })
}

fn lines() -> impl Strategy<Value = Movetext> {
    let leaf = line_of(Just(Movetext::default()));
    line_of(leaf.prop_recursive(4, 24, 4, line_of))
}

fn games() -> impl Strategy<Value = RawGame> {
    let name = prop_oneof![
        "[A-Za-z0-9_]{1,10}",
        prop::sample::select(ROSTER.map(|(name, _)| name.to_owned()).to_vec()),
    ];
    let value = prop_oneof![
        4 => "[^\r\n]{0,20}",
        1 => "[\\\\\"a]{0,8}",
        1 => "[a-l0-9/]{5,12} [wb] - - [0-9]{1,2} [0-9]{1,9}",
    ];
    let tags = prop::collection::btree_map(name, value.clone(), 0..10);
    let fen = prop::option::of(value);
    let result = prop::sample::select(RESULTS.map(|(_, result)| result).to_vec());
    (tags, fen, lines(), result).prop_map(|(tags, fen, line, result)| {
        let tags = tags.into_iter().collect();
        let mut game = RawGame { tags, line, result };
        if let Some(fen) = fen {
            game.set_tag("FEN", fen);
        }
        game
    })
}

/// Texts that are nearly PGN.
fn damaged() -> impl Strategy<Value = Vec<u8>> {
    let token = prop_oneof![
        "[a-l][1-9]",
        "[0-9]{1,3}\\.{0,3}",
        "(1-0|0-1|1/2-1/2|\\*)",
        "\\{[^}]{0,9}\\}",
        "\n?\\[(Event|Site|A) \"[a-z\\\\\"]{0,4}\"\\]\n?",
        "[{}()\\[\\];%$!?\"*\n\r .-]",
        "\n%[a-z]*\n",
        "\\PC",
    ];
    let tokens =
        prop::collection::vec(token, 0..60).prop_map(|tokens| tokens.join(" ").into_bytes());
    let bytes = prop::collection::vec(any::<u8>(), 0..60);
    let cut =
        (games(), any::<prop::sample::Index>(), any::<u8>()).prop_map(|(game, index, byte)| {
            let mut text = game.to_pgn().unwrap_or_default().into_bytes();
            if !text.is_empty() {
                let index = index.index(text.len());
                text[index] = byte;
            }
            text
        });
    prop_oneof![4 => tokens, 1 => bytes, 2 => cut]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn written_games_read_back(game in games()) {
        let text = game.to_pgn().unwrap();
        let mut complete = game;
        complete.complete_roster();
        prop_assert_eq!(text.parse::<RawGame>().unwrap(), complete, "{}", text);
    }

    #[test]
    fn many_games_read_back_from_a_stream(games in prop::collection::vec(games(), 0..4)) {
        let mut writer = Writer::new(Vec::new());
        for game in &games {
            writer.write(game).unwrap();
        }
        let text = writer.into_inner();
        let read: Vec<_> = Reader::new(&text[..]).map(Result::unwrap).collect();
        let complete = games.into_iter().map(|mut game| {
            game.complete_roster();
            game
        });
        prop_assert_eq!(read, complete.collect::<Vec<_>>());
    }

    #[test]
    fn lines_are_short_unless_a_word_is_long(game in games()) {
        let text = game.to_pgn().unwrap();
        let (_, movetext) = text.split_once("\n\n").unwrap();
        for line in movetext.lines().filter(|line| line.chars().count() > 79) {
            prop_assert!(line.contains([';', '%', '[']) || !line.contains(' '), "{}", line);
        }
    }

    #[test]
    fn whatever_is_read_can_be_written(text in damaged()) {
        let mut at = Location { line: 0, column: 0 };
        for game in Reader::new(&text[..]) {
            match game {
                Ok(mut game) => {
                    let written = game.to_pgn().unwrap();
                    game.complete_roster();
                    prop_assert_eq!(written.parse::<RawGame>().unwrap(), game);
                }
                Err(error) => {
                    prop_assert!(error.at >= at, "{} after {}", error, at);
                    at = error.at;
                }
            }
        }
    }

    #[test]
    fn any_comment_is_stable(raw in any::<String>()) {
        let comment = Comment::new(&raw);
        prop_assert_eq!(Comment::new(&comment.to_string()), comment);
    }
}
