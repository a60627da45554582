//! Boards and diagrams as text, exactly.

use husun::Side;
use husun_render::text::{Colors, Symbols, TextStyle, board, lines, square_at};
use husun_render::{Diagram, Ink, Mark, Occupant, Picture, Rgb};

fn style(symbols: Symbols, colors: Colors) -> TextStyle {
    TextStyle {
        symbols,
        colors,
        ..TextStyle::default()
    }
}

/// Game, position if not the start, point of view, signs, the board.
const BOARDS: [(&str, Option<&str>, Side, Symbols, &str); 4] = [
    (
        "chess",
        Some("rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3"),
        Side::White,
        Symbols::Unicode,
        "\
8 ♜ ♞ ♝ · ♚ ♝ ♞ ♜
7 ♟ ♟ ♟ ♟ · ♟ ♟ ♟
6 · · · · · · · ·
5 · · · · ♟ · · ·
4 · · · · · · ♙ ♛
3 · · · · · ♙ · ·
2 ♙ ♙ ♙ ♙ ♙ · · ♙
1 ♖ ♘ ♗ ♕ ♔!♗ ♘ ♖
  a b c d e f g h
",
    ),
    (
        "chess",
        None,
        Side::Black,
        Symbols::Letters,
        "\
1 R N B K Q B N R
2 P P P P P P P P
3 . . . . . . . .
4 . . . . . . . .
5 . . . . . . . .
6 . . . . . . . .
7 p p p p p p p p
8 r n b k q b n r
  h g f e d c b a
",
    ),
    (
        "alhusun",
        None,
        Side::White,
        Symbols::Letters,
        "\
12 :                     :
11   r n e w k g w e n r
10   p p p p p p p p p p
 9   . . . . . . . . . .
 8   . . . . . . . . . .
 7   . . . . . . . . . .
 6   . . . . . . . . . .
 5   . . . . . . . . . .
 4   . . . . . . . . . .
 3   P P P P P P P P P P
 2   R N E W K G W E N R
 1 :                     :
   a b c d e f g h i j k l
",
    ),
    (
        "citadel8",
        Some("9/4k4/9/9/9/9/9/3K5 w - - CYcy 0 1"),
        Side::White,
        Symbols::Letters,
        "\
8 . . : : : : : . .
7 . . . : k : . . .
6 . . . . . . . . .
5 . . . . . . . . .
4 . . . . . . . . .
3 . . . . . . . . .
2 . . . : : : . . .
1 . . : K : : : . .
  a b c d e f g h i
",
    ),
];

#[test]
fn known_boards() {
    for (id, fen, view, symbols, expected) in BOARDS {
        let variant = games::variant(id).unwrap();
        let position = match fen {
            Some(fen) => variant.position(fen).unwrap(),
            None => variant.start(),
        };
        let picture = Picture::of(&position).view(view);
        assert_eq!(
            board(&picture, &style(symbols, Colors::None)),
            expected,
            "{id}"
        );
    }
}

#[test]
fn marks_without_colours() {
    let chess = games::variant("chess").unwrap();
    let square = |name| chess.frame().parse(name).unwrap();
    let position = chess
        .position("rnbqkbnr/ppp1pppp/8/3p4/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2")
        .unwrap();
    let picture = Picture::of(&position)
        .coordinates(false)
        .last_move_squares(square("d7"), square("d5"))
        .legal_targets(&position, square("e4"))
        .mark(square("a1"), Mark::Attack)
        .mark(square("a3"), Mark::Quiet)
        .arrow(square("g8"), square("f6"), Ink::Green)
        .put(square("h6"), Occupant::Blocker(Side::Black))
        .put(square("h3"), Occupant::Blocker(Side::White))
        .title("Title")
        .legend(true);
    let expected = "\
Title
r n b q k b n~r
p p p .'p p p p
. . . . . .~. #
. . . px* . . .
. . . . P . . .
o . . . . . . @
P P P P . P P P
RxN B Q K B N R
*  moves
o  moves without capturing
#x captures
x  attacks only
";
    assert_eq!(board(&picture, &TextStyle::default()), expected);
    assert_eq!(square_at(&picture, 1, 15), chess.frame().parse("h8").ok());
    assert_eq!(square_at(&picture, 0, 0), None);
    assert_eq!(square_at(&picture, 9, 0), None);
}

#[test]
fn every_board_has_one_span_a_square() {
    for id in games::ids() {
        let variant = games::variant(id).unwrap();
        let picture = Picture::of(&variant.start());
        for colors in [Colors::None, Colors::Ansi256, Colors::True] {
            let lines = lines(&picture, &style(Symbols::Unicode, colors));
            assert_eq!(
                lines.len(),
                usize::from(variant.frame().ranks()) + 1,
                "{id}"
            );
            for line in &lines {
                assert_eq!(line.len(), usize::from(variant.frame().files()) + 1, "{id}");
                assert!(
                    line[1..].iter().all(|s| s.text.chars().count() == 2),
                    "{id}"
                );
            }
            let painted = lines.iter().flatten().filter(|s| s.bg.is_some()).count();
            let expected = if colors == Colors::None {
                0
            } else {
                variant.frame().len()
            };
            assert_eq!(painted, expected, "{id}");
        }
    }
}

#[test]
fn pieces_stand_out_from_their_squares() {
    for id in games::ids() {
        let variant = games::variant(id).unwrap();
        for (theme, _) in husun_render::Theme::NAMES {
            let style = TextStyle {
                theme,
                ..style(Symbols::Letters, Colors::True)
            };
            let lines = lines(&Picture::of(&variant.start()), &style);
            let contrast = |s: &husun_render::text::Span| Some(s.fg?.contrast(s.bg?));
            let bold = lines.iter().flatten().filter(|s| s.bold);
            for (span, ratio) in bold.filter_map(|s| Some((s, contrast(s)?))) {
                assert!(ratio > 2.7, "{id}, {theme:?}: {span:?} {ratio}");
            }
            let colour = |letter: &str| {
                let span = lines.iter().flatten().find(|s| s.text.starts_with(letter));
                span.and_then(|s| s.fg).unwrap_or(Rgb::BLACK)
            };
            assert_ne!(colour("K"), colour("k"), "{id}");
        }
    }
}

/// Game, piece, square, own and enemy blockers, the diagram.
type Row = (
    &'static str,
    char,
    &'static str,
    &'static [&'static str],
    &'static [&'static str],
    &'static str,
);

const DIAGRAMS: [Row; 3] = [
    (
        "chess",
        'N',
        "b1",
        &["d2"],
        &["c3"],
        "\
Knight  N
8 . . . . . . . .
7 . . . . . . . .
6 . . . . . . . .
5 . . . . . . . .
4 . . . . . . . .
3 * . #x. . . . .
2 . . . @x. . . .
1 . N . . . . . .
  a b c d e f g h
*  moves
#x captures
x  attacks only
",
    ),
    (
        "shatranj",
        'P',
        "e2",
        &[],
        &[],
        "\
Pawn  mfWcfF
8 . . . . . . . .
7 . . . . . . . .
6 . . . . . . . .
5 . . . . . . . .
4 . . . . . . . .
3 . . . x o x . .
2 . . . . P . . .
1 . . . . . . . .
  a b c d e f g h
o  moves without capturing
x  attacks only
",
    ),
    (
        "alhusun",
        'K',
        "b2",
        &[],
        &[],
        "\
King  K
12 :                     :
11   . . . . . . . . . .
10   . . . . . . . . . .
 9   . . . . . . . . . .
 8   . . . . . . . . . .
 7   . . . . . . . . . .
 6   . . . . . . . . . .
 5   . . . . . . . . . .
 4   . . . . . . . . . .
 3   * * . . . . . . . .
 2   K * . . . . . . . .
 1 *                     :
   a b c d e f g h i j k l
*  moves
",
    ),
];

#[test]
fn known_diagrams() {
    for (id, letter, from, own, enemy, expected) in DIAGRAMS {
        let variant = games::variant(id).unwrap();
        let square = |name: &str| variant.frame().parse(name).unwrap();
        let kind = variant.kind(letter).unwrap();
        let mut diagram = Diagram::new(&variant, Side::White, kind, square(from));
        for name in own {
            diagram = diagram.blocker(square(name), Side::White);
        }
        for name in enemy {
            diagram = diagram.blocker(square(name), Side::Black);
        }
        assert_eq!(
            diagram.text(&TextStyle::default()),
            expected,
            "{id} {letter}"
        );
    }
}

#[test]
fn blacks_diagrams_are_whites_upside_down() {
    for id in games::ids() {
        let variant = games::variant(id).unwrap();
        let frame = variant.frame();
        let from = frame.square(frame.len() / 2 + 2).unwrap();
        let mirrored = frame.mirror(from).unwrap();
        for kind in variant.kinds() {
            let text = |side, from| {
                let diagram = Diagram::new(&variant, side, kind, from).legend(false);
                let text = board(&diagram.picture().coordinates(false), &TextStyle::default());
                text.lines().map(|l| l.to_lowercase()).collect::<Vec<_>>()
            };
            let white = text(Side::White, from);
            let mut black = text(Side::Black, mirrored);
            black.reverse();
            assert_eq!(white, black, "{id} {kind:?}");
        }
    }
}
