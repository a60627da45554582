//! Draws every game's start board in both sets and both themes, and some move diagrams, into a folder:
//! `cargo run -p husun-render --example gallery -- FOLDER`.

use husun::{Side, Variant};
use husun_render::{Diagram, Ink, Mark, Picture, PieceSet, SquareSize, Style, TextStyle, Theme};
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

type Row = (
    &'static str,
    char,
    &'static str,
    &'static [&'static str],
    &'static [&'static str],
);

/// Game, piece, its square, blockers of White, blockers of Black.
const DIAGRAMS: [Row; 8] = [
    ("chess", 'P', "e2", &[], &["d3"]),
    (
        "citadelir2020",
        'C',
        "f6",
        &["f9", "c6"],
        &["f11", "i6", "a6"],
    ),
    ("citadelir2020", 'A', "f6", &["h8"], &["d4", "e9"]),
    ("citadelir2020", 'H', "f6", &[], &["i7"]),
    ("strike100", 'G', "e5", &["g6"], &["e8", "b6"]),
    ("citadel9", 'T', "e5", &["g7"], &["c3"]),
    ("alhusun", 'W', "f6", &["h8"], &["c3"]),
    ("grand", 'C', "e5", &[], &["e8", "g6"]),
];

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args_os().nth(1).ok_or("expected a folder")?;
    let folder = PathBuf::from(folder);
    fs::create_dir_all(&folder)?;
    for id in games::ids() {
        let variant = games::variant(id).ok_or("a listed game is there")?;
        boards(&variant, &folder)?;
    }
    for (id, letter, from, white, black) in DIAGRAMS {
        let variant = games::variant(id).ok_or("no such game")?;
        let diagram = diagram(&variant, letter, from, white, black)?;
        let name = format!("diagram-{id}-{letter}");
        for (theme, name_of_theme) in Theme::NAMES {
            let style = Style {
                theme,
                square: SquareSize::new(48)?,
                ..Style::default()
            };
            fs::write(
                folder.join(format!("{name}-{name_of_theme}.svg")),
                diagram.svg(&style),
            )?;
            fs::write(
                folder.join(format!("{name}-{name_of_theme}.png")),
                diagram.png(&style)?,
            )?;
        }
        println!("{}", diagram.text(&TextStyle::default()));
    }
    marks(&folder)
}

fn boards(variant: &Arc<Variant>, folder: &Path) -> Result<(), Box<dyn Error>> {
    let picture = Picture::of(&variant.start());
    for (set, name_of_set) in PieceSet::NAMES {
        for (theme, name_of_theme) in Theme::NAMES {
            let style = Style {
                set,
                theme,
                ..Style::default()
            };
            let name = format!("{}-{name_of_set}-{name_of_theme}", variant.id());
            fs::write(
                folder.join(format!("{name}.svg")),
                husun_render::svg::board(&picture, &style),
            )?;
            fs::write(
                folder.join(format!("{name}.png")),
                husun_render::png::board(&picture, &style)?,
            )?;
        }
    }
    Ok(())
}

fn diagram(
    variant: &Arc<Variant>,
    letter: char,
    from: &str,
    white: &[&str],
    black: &[&str],
) -> Result<Diagram, Box<dyn Error>> {
    let kind = variant.kind(letter).ok_or("no such piece")?;
    let mut diagram = Diagram::new(variant, Side::White, kind, variant.frame().parse(from)?);
    for name in white {
        diagram = diagram.blocker(variant.frame().parse(name)?, Side::White);
    }
    for name in black {
        diagram = diagram.blocker(variant.frame().parse(name)?, Side::Black);
    }
    Ok(diagram)
}

/// A board with every kind of mark, from Black's side.
fn marks(folder: &Path) -> Result<(), Box<dyn Error>> {
    let chess = games::variant("chess").ok_or("no such game")?;
    let position =
        chess.position("rnbqk1nr/pppp1ppp/8/4p3/1b1P4/5N2/PPP1PPPP/RNBQKB1R w KQkq - 2 3")?;
    let square = |name| chess.frame().parse(name);
    let picture = Picture::of(&position)
        .view(Side::Black)
        .last_move_squares(square("f8")?, square("b4")?)
        .legal_targets(&position, square("f3")?)
        .mark(square("e5")?, Mark::Capture)
        .mark(square("g5")?, Mark::Attack)
        .mark(square("g1")?, Mark::Attack)
        .mark(square("h4")?, Mark::Quiet)
        .highlight(square("a6")?, Ink::Yellow)
        .arrow(square("d8")?, square("h4")?, Ink::Red)
        .arrow(square("b1")?, square("c3")?, Ink::Green)
        .arrow(square("a8")?, square("a8")?, Ink::Blue)
        .legend(true);
    for (theme, name) in Theme::NAMES {
        let style = Style {
            theme,
            ..Style::default()
        };
        fs::write(
            folder.join(format!("marks-{name}.png")),
            husun_render::png::board(&picture, &style)?,
        )?;
        let text = TextStyle {
            theme,
            colors: husun_render::text::Colors::True,
            symbols: husun_render::text::Symbols::Unicode,
        };
        println!("{}", husun_render::text::board(&picture, &text));
    }
    Ok(())
}
