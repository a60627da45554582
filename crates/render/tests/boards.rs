//! Pictures of every game: images exist, and everything is drawn once and where it belongs.

use husun::{Kind, Side, Square, Variant};
use husun_render::{
    BoardColors, Ink, Mark, Occupant, Picture, PieceSet, SquareSize, Style, Theme, images, svg,
};
use resvg::usvg;
use std::sync::Arc;

fn all() -> impl Iterator<Item = Arc<Variant>> {
    games::ids().map(|id| games::variant(id).unwrap())
}

fn styles() -> Vec<Style> {
    let mut styles = Vec::new();
    for (set, _) in PieceSet::NAMES {
        for (theme, _) in Theme::NAMES {
            styles.push(Style {
                set,
                theme,
                ..Style::default()
            });
        }
    }
    styles
}

/// Pictures have the colours of the board that is chosen, the same as boards on which is played.
#[test]
fn boards_have_their_colours() {
    let client = concat!(env!("CARGO_MANIFEST_DIR"), "/../../web/src/board/ground.ts");
    let client = std::fs::read_to_string(client).unwrap();
    let chess = games::variant("chess").unwrap();
    let picture = Picture::of(&chess.start());
    for (board, name) in BoardColors::NAMES {
        let (_, drawn) = client.split_once(&format!("\n  {name}: {{\n")).unwrap();
        for (theme, page) in [(Theme::Light, "onLight"), (Theme::Dark, "onDark")] {
            let [light, dark, edge] = board.on(theme);
            let line = format!("{page}: {{ light: '{light}', dark: '{dark}', edge: '{edge}' }}");
            let own = drawn.split("\n  },").next().unwrap();
            assert!(own.contains(&line), "{name} in ground.ts: expected {line}");
            let style = Style {
                theme,
                board,
                ..Style::default()
            };
            for svg in [svg::board(&picture, &style), svg::squares(&picture, &style)] {
                for color in [light, dark, edge] {
                    assert!(svg.contains(&color.to_string()), "{name}: {color}");
                }
            }
        }
    }
}

fn parse(svg: &str) -> usvg::Tree {
    usvg::Tree::from_str(svg, &usvg::Options::default()).unwrap()
}

/// Value of an attribute in the element that the text begins with.
fn attribute<'a>(element: &'a str, name: &str) -> &'a str {
    let (_, rest) = element.split_once(&format!(" {name}=\"")).unwrap();
    rest.split_once('"').unwrap().0
}

/// Places (column and row) where each definition is used.
fn uses(svg: &str) -> Vec<(String, u32, u32)> {
    svg.split("<use")
        .skip(1)
        .map(|element| {
            let number = |name| attribute(element, name).parse::<u32>().unwrap();
            let id = attribute(element, "xlink:href").trim_start_matches('#');
            (id.into(), number("x") / 100, number("y") / 100)
        })
        .collect()
}

#[test]
fn every_piece_of_every_game_has_an_image() {
    for variant in all() {
        for piece in variant.pieces() {
            assert!(
                images::find(&piece.image).is_some(),
                "{}: {}",
                variant.id(),
                piece.image
            );
        }
    }
}

#[test]
fn images_are_sorted_and_found() {
    assert!(images::all().is_sorted_by(|a, b| a.name < b.name));
    for image in images::all() {
        assert_eq!(images::find(image.name), Some(image));
    }
}

#[test]
fn all_boards_are_svg_that_fits_the_frame() {
    for variant in all() {
        let picture = Picture::of(&variant.start()).coordinates(false);
        for style in styles() {
            let svg = svg::board(&picture, &style);
            let size = parse(&svg).size();
            let edges = 16.0;
            let side = |squares: u8| f32::from(squares) * 64.0 + edges;
            assert_eq!(
                size.width(),
                side(variant.frame().files()),
                "{}",
                variant.id()
            );
            assert_eq!(
                size.height(),
                side(variant.frame().ranks()),
                "{}",
                variant.id()
            );
            assert_eq!(svg, svg::board(&picture, &style), "deterministic");
        }
    }
}

#[test]
fn every_square_and_every_piece_is_drawn_once() {
    for variant in all() {
        let start = variant.start();
        let picture = Picture::of(&start).regions(false);
        for style in styles() {
            let svg = svg::board(&picture, &style);
            assert_eq!(svg.matches("h100v100h-100z").count(), variant.frame().len());
            let mut drawn: Vec<_> = uses(&svg).iter().map(|&(_, c, r)| (c, r)).collect();
            let mut expected: Vec<_> = variant
                .frame()
                .squares()
                .filter(|s| start.piece_on(*s).is_some())
                .map(|s| picture.place(s).unwrap())
                .map(|(c, r)| (u32::from(c), u32::from(r)))
                .collect();
            drawn.sort_unstable();
            expected.sort_unstable();
            assert_eq!(drawn, expected, "{}", variant.id());
        }
    }
}

#[test]
fn every_use_has_its_definition_and_every_definition_a_use() {
    for variant in all() {
        for style in styles() {
            let svg = svg::board(&Picture::of(&variant.start()), &style);
            let mut used: Vec<String> = uses(&svg).into_iter().map(|(id, ..)| id).collect();
            used.sort();
            used.dedup();
            let groups = svg.split("<g id=\"").skip(1);
            let mut defined: Vec<&str> = groups.map(|g| g.split_once('"').unwrap().0).collect();
            defined.sort();
            assert_eq!(used, defined, "{}", variant.id());
        }
    }
}

#[test]
fn blacks_view_is_turned_by_half() {
    for variant in all() {
        let start = variant.start();
        let (files, ranks) = (variant.frame().files(), variant.frame().ranks());
        let view = |side| svg::board(&Picture::of(&start).view(side), &Style::default());
        let turn = |(id, c, r): (String, u32, u32)| {
            (id, u32::from(files) - 1 - c, u32::from(ranks) - 1 - r)
        };
        let mut white = uses(&view(Side::White));
        let mut black: Vec<_> = uses(&view(Side::Black)).into_iter().map(turn).collect();
        white.sort();
        black.sort();
        assert_eq!(white, black, "{}", variant.id());
    }
}

#[test]
fn squares_are_found_where_they_are_placed() {
    for variant in all() {
        for side in Side::ALL {
            let picture = Picture::empty(&variant).view(side);
            for square in variant.frame().squares() {
                let (column, row) = picture.place(square).unwrap();
                assert_eq!(picture.square_at(column, row), Some(square));
            }
        }
    }
}

#[test]
fn a_prince_alone_is_drawn_royal() {
    let citadel = games::variant("citadel8").unwrap();
    let [elder, younger] = ['K', 'Y'].map(|letter| citadel.kind(letter).unwrap());
    let chess = games::variant("chess").unwrap();
    let rows = [
        (&citadel, elder, 1, "prince-elder-royal"),
        (&citadel, elder, 2, "prince-elder"),
        (&citadel, younger, 1, "prince-younger-royal"),
        (&citadel, younger, 3, "prince-younger"),
        (&chess, chess.kind('K').unwrap(), 1, "king"),
    ];
    for (variant, kind, royals, name) in rows {
        assert_eq!(images::of(variant, kind, royals).unwrap().name, name);
    }
    let royal = images::find("prince-elder-royal").unwrap();
    let alone = svg::board(&Picture::of(&citadel.start()), &Style::default());
    assert_eq!(
        alone.matches(royal.body).count(),
        2,
        "both sides have one Prince at first"
    );
    let free = citadel
        .frame()
        .squares()
        .find(|s| citadel.start().piece_on(*s).is_none());
    let two =
        Picture::of(&citadel.start()).put(free.unwrap(), Occupant::Piece(Side::White, younger));
    let svg = svg::board(&two, &Style::default());
    assert_eq!(svg.matches(royal.body).count(), 1, "Black's");
}

#[test]
fn everything_that_can_be_shown_parses() {
    for variant in all() {
        let square = |i: usize| variant.frame().square(i).unwrap();
        let (a, b) = (square(3), square(30));
        for side in Side::ALL {
            let mut picture = Picture::of(&variant.start())
                .view(side)
                .title("<a & \"b\"> \u{1} é")
                .legend(true)
                .last_move_squares(a, b)
                .selected(a)
                .check(Some(b))
                .arrow(a, b, Ink::Red)
                .arrow(a, a, Ink::Blue)
                .highlight(b, Ink::Yellow)
                .put(square(40), Occupant::Blocker(side));
            for (i, (mark, _)) in (0..).zip(Mark::LEGEND) {
                picture = picture.mark(square(i), mark).mark(square(36 + i), mark);
            }
            for mut style in styles() {
                style.page = false;
                style.square = SquareSize::new(16).unwrap();
                parse(&svg::board(&picture, &style));
            }
        }
    }
}

#[test]
fn pieces_alone_parse() {
    for variant in all() {
        for kind in variant.kinds() {
            for style in styles() {
                let svg = svg::piece(&variant, Side::Black, kind, 1, &style);
                assert_eq!(parse(&svg).size().width(), 64.0);
            }
        }
    }
}

#[test]
fn what_a_game_does_not_have_is_left_out() {
    let small = games::variant("chess").unwrap();
    let large = games::variant("citadelir2020").unwrap();
    let square: Square = large.frame().parse("l12").unwrap();
    let kind: Kind = large.kinds().next_back().unwrap();
    let known = small.frame().parse("e4").unwrap();
    let picture = Picture::of_setup(&small, &large.start().setup())
        .put(square, Occupant::Blocker(Side::White))
        .put(known, Occupant::Piece(Side::White, kind))
        .mark(square, Mark::Move)
        .highlight(square, Ink::Red)
        .arrow(known, square, Ink::Red)
        .last_move_squares(square, known)
        .selected(square)
        .check(Some(square));
    parse(&svg::board(&picture, &Style::default()));
    assert_eq!(picture.place(square), None);
    assert_eq!(
        svg::piece(&small, Side::White, kind, 2, &Style::default())
            .matches("<g")
            .count(),
        0
    );
    let diagram = husun_render::Diagram::new(&small, Side::White, kind, known);
    parse(&diagram.svg(&Style::default()));
    let diagram = husun_render::Diagram::new(&small, Side::White, small.kind('K').unwrap(), square);
    parse(&diagram.svg(&Style::default()));
}

const OWN_GAME: &str = r#"
id = "own"
name = "Own & <game>"
[board]
files = 4
ranks = 4
[setups]
standard = "1k1r/4/4/R1K1 w - - 0 1"
[[pieces]]
letter = "K"
betza = "K"
royal = true
image = "unicorn"
[[pieces]]
letter = "R"
betza = "R"
"#;

#[test]
fn a_game_with_unknown_images_is_drawn_with_letters() {
    let variant = games::parse("own.toml", OWN_GAME).unwrap();
    let svg = svg::board(&Picture::of(&variant.start()), &Style::default());
    parse(&svg);
    assert!(svg.contains(husun_render::glyph::of('K').path));
    assert!(svg.contains("<title>Own &amp; &lt;game&gt;</title>"));
}

#[test]
fn png_is_as_large_as_the_svg() {
    let rows = [
        ("chess", 20),
        ("alhusun", 32),
        ("citadel9", 16),
        ("citadelir2020", 16),
    ];
    for (id, pixels) in rows {
        let variant = games::variant(id).unwrap();
        let picture = Picture::of(&variant.start());
        let style = Style {
            square: SquareSize::new(pixels).unwrap(),
            ..Style::default()
        };
        let size = parse(&svg::board(&picture, &style)).size().to_int_size();
        let png = husun_render::png::board(&picture, &style).unwrap();
        // Width and height follow the signature and the head of the first chunk.
        let number = |at: usize| u32::from_be_bytes(png[at..at + 4].try_into().unwrap());
        assert_eq!(
            (number(16), number(20)),
            (size.width(), size.height()),
            "{id}"
        );
    }
}

#[test]
fn png_refuses_what_is_no_picture() {
    let error = husun_render::png::rasterise("<svg").unwrap_err();
    assert!(error.to_string().starts_with("the SVG cannot be read: "));
    let wide = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"9000\" height=\"10\"/>";
    let error = husun_render::png::rasterise(wide).unwrap_err();
    assert_eq!(
        error.to_string(),
        "a picture of 9000 by 10 pixels: expected at most 8192 by 8192"
    );
}

#[test]
fn both_sides_and_all_letters_can_be_told_apart() {
    for letter in ('A'..='Z').chain('a'..='z').chain('0'..='9') {
        assert!(husun_render::glyph::has(letter), "{letter}");
    }
    for variant in all() {
        let letters: Vec<&str> = variant
            .pieces()
            .iter()
            .map(|p| husun_render::glyph::of(p.letter).path)
            .collect();
        for (i, path) in letters.iter().enumerate() {
            assert!(!letters[..i].contains(path), "{}", variant.id());
        }
        let [white, black] = variant.looks();
        assert_ne!((&white.fill, white.stripes), (&black.fill, black.stripes));
    }
}
