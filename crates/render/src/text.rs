//! Pictures as text for terminals: lines of spans with colours, which any terminal library can show, and the same as
//! one string, plain or with ANSI escapes. A square is two characters wide, so that it looks square: the piece, and a
//! sign beside it.

use crate::color::Rgb;
use crate::images;
use crate::picture::{Mark, Occupant, Picture};
use crate::style::{Palette, Theme};
use husun::{Side, Square};

mod print;

pub use print::print;

/// Which signs stand for pieces and marks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Symbols {
    /// Letters and signs of ASCII: White's pieces are capitals.
    #[default]
    Letters,
    /// Chess symbols of Unicode for the pieces that have one, letters for the others.
    Unicode,
}

/// How many colours the terminal has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Colors {
    /// None: signs alone tell everything.
    #[default]
    None,
    /// A palette of 256.
    Ansi256,
    /// All (24 bits).
    True,
}

/// How a picture is drawn as text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TextStyle {
    /// Which signs.
    pub symbols: Symbols,
    /// Which colours.
    pub colors: Colors,
    /// Their theme.
    pub theme: Theme,
}

/// A run of text in one style.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Span {
    /// The text.
    pub text: String,
    /// Its colour; none: the terminal's own.
    pub fg: Option<Rgb>,
    /// The colour behind it.
    pub bg: Option<Rgb>,
    /// Whether it is bold.
    pub bold: bool,
    /// A sign of another colour in place of its last character, which is a space.
    pub mark: Option<(char, Rgb)>,
}

impl Span {
    /// Text in the terminal's own colours.
    fn plain(text: impl Into<String>) -> Span {
        Span {
            text: text.into(),
            ..Span::default()
        }
    }
}

/// A line of text: one span for the rank's name, then one for each file of the frame.
pub type StyledLine = Vec<Span>;

/// A picture as one string: [`lines`], printed with the style's colours.
///
/// ```
/// use husun_render::text::{Symbols, TextStyle, board};
/// let chess = games::variant("chess").unwrap();
/// let picture = husun_render::Picture::of(&chess.start()).coordinates(false);
/// let unicode = TextStyle { symbols: Symbols::Unicode, ..TextStyle::default() };
/// assert!(board(&picture, &unicode).starts_with("♜ ♞ ♝ ♛ ♚ ♝ ♞ ♜\n"));
/// ```
pub fn board(picture: &Picture, style: &TextStyle) -> String {
    print(&lines(picture, style), style.colors)
}

/// A picture as lines: the title if there is one, the ranks as seen, the names of the files, the legend.
pub fn lines(picture: &Picture, style: &TextStyle) -> Vec<StyledLine> {
    let painter = Painter {
        picture,
        style,
        palette: style.theme.palette(),
    };
    let mut lines = Vec::new();
    if let Some(title) = &picture.title {
        lines.push(vec![Span::plain(title.clone())]);
    }
    let names = picture.rank_names();
    let width = margin(picture);
    for (row, name) in (0..).zip(&names) {
        let mut line = Vec::new();
        if picture.coordinates {
            line.push(Span::plain(format!("{name:>w$} ", w = width - 1)));
        }
        let columns = 0..picture.variant.frame().files();
        line.extend(columns.map(|c| match picture.square_at(c, row) {
            Some(square) => painter.cell(square),
            None => Span::plain("  "),
        }));
        lines.push(line);
    }
    if picture.coordinates {
        let mut line = vec![Span::plain(" ".repeat(width))];
        let files = picture.file_names().into_iter();
        line.extend(files.map(|f| Span::plain(format!("{f} "))));
        lines.push(line);
    }
    if picture.legend {
        lines.extend(painter.legend());
    }
    lines
}

/// The square shown at a line and a column of the text (both from 0), for a pointer.
///
/// ```
/// let chess = games::variant("chess").unwrap();
/// let picture = husun_render::Picture::of(&chess.start());
/// let square = husun_render::text::square_at(&picture, 7, 2);
/// assert_eq!(square, chess.frame().parse("a1").ok());
/// assert_eq!(husun_render::text::square_at(&picture, 7, 1), None);
/// ```
pub fn square_at(picture: &Picture, line: usize, column: usize) -> Option<Square> {
    let left = if picture.coordinates {
        margin(picture)
    } else {
        0
    };
    let top = usize::from(picture.title.is_some());
    let column = column.checked_sub(left)? / 2;
    let row = line.checked_sub(top)?;
    picture.square_at(u8::try_from(column).ok()?, u8::try_from(row).ok()?)
}

/// Width of the rank names with the space after them.
fn margin(picture: &Picture) -> usize {
    let ranks = picture.variant.frame().ranks();
    if ranks > 9 { 3 } else { 2 }
}

/// Signs by symbols: of marks, as in [`Mark::LEGEND`].
const MARKS: [(Mark, [char; 2]); 4] = [
    (Mark::Move, ['*', '•']),
    (Mark::Quiet, ['o', '∘']),
    (Mark::Capture, ['x', '×']),
    (Mark::Attack, ['x', '×']),
];

struct Painter<'a> {
    picture: &'a Picture,
    style: &'a TextStyle,
    palette: &'static Palette,
}

impl Painter<'_> {
    fn colored(&self) -> bool {
        self.style.colors != Colors::None
    }

    fn sign(&self, signs: [char; 2]) -> char {
        match self.style.symbols {
            Symbols::Letters => signs[0],
            Symbols::Unicode => signs[1],
        }
    }

    fn mark_sign(&self, mark: Mark) -> char {
        let found = MARKS.iter().find(|(m, _)| *m == mark);
        found.map_or(' ', |(_, signs)| self.sign(*signs))
    }

    fn cell(&self, square: Square) -> Span {
        let mark = self.picture.marks.get(&square).copied();
        let occupant = self.picture.occupant(square);
        let first = match (occupant, mark) {
            (Some(occupant), _) => self.occupant_sign(occupant),
            (None, Some(mark)) => self.mark_sign(mark),
            (None, None) => self.empty_sign(square),
        };
        let second = self.beside(square, occupant.is_some(), mark);
        let text = String::from_iter([first, second]);
        if !self.colored() {
            return Span::plain(text);
        }
        let bg = self.ground(square);
        let fg = match occupant {
            Some(Occupant::Piece(side, _) | Occupant::Blocker(side)) => self.side_color(side),
            None => Rgb::BLACK,
        };
        // A touch of the side's third colour beside its pieces, where there is nothing else.
        let mark = match occupant {
            Some(Occupant::Piece(side, _)) if second == ' ' => self.accent(side),
            _ => None,
        };
        Span {
            text,
            fg: Some(fg),
            bg: Some(bg),
            bold: occupant.is_some(),
            mark: mark.map(|color| (self.sign(['.', '▖']), color)),
        }
    }

    fn accent(&self, side: Side) -> Option<Rgb> {
        let looks = &self.picture.variant.looks()[side.index()];
        looks.accent.as_deref().and_then(Rgb::parse)
    }

    fn occupant_sign(&self, occupant: Occupant) -> char {
        let (side, kind) = match occupant {
            Occupant::Piece(side, kind) => (side, kind),
            Occupant::Blocker(Side::White) => return self.sign(['@', '○']),
            Occupant::Blocker(Side::Black) => return self.sign(['#', '●']),
        };
        let piece = self.picture.variant.piece(kind);
        // On colours the filled symbols look best for both sides.
        let drawn = if self.colored() { Side::Black } else { side };
        let symbol =
            images::symbol(&piece.image, drawn).filter(|_| self.style.symbols == Symbols::Unicode);
        symbol.unwrap_or(side.cased(piece.letter))
    }

    /// An empty square: without colours, squares of a region and those of the last move get other signs.
    fn empty_sign(&self, square: Square) -> char {
        match (
            self.colored(),
            self.picture.regions && self.region(square).is_some(),
        ) {
            (true, _) => ' ',
            (false, true) => self.sign([':', '∷']),
            (false, false) => self.sign(['.', '·']),
        }
    }

    fn region(&self, square: Square) -> Option<Rgb> {
        let regions = self.picture.variant.regions().iter();
        let own = regions.rev().find(|r| r.squares.contains(&square));
        own.and_then(|r| Rgb::parse(&r.color))
    }

    /// The second character: check, mark on a piece, and without colours what colours would show.
    fn beside(&self, square: Square, occupied: bool, mark: Option<Mark>) -> char {
        let picture = self.picture;
        let moved = picture.was_moved(square);
        let inked = picture.highlights.contains_key(&square)
            || picture
                .arrows
                .iter()
                .any(|&(a, b, _)| a == square || b == square)
            || picture
                .paths
                .iter()
                .any(|(squares, _)| squares.contains(&square));
        match mark.filter(|_| occupied) {
            Some(mark) => self.mark_sign(mark),
            None if picture.check == Some(square) => '!',
            None if self.colored() => ' ',
            None if moved => '\'',
            None if inked => '~',
            None => ' ',
        }
    }

    fn ground(&self, square: Square) -> Rgb {
        let (picture, palette) = (self.picture, self.palette);
        let frame = picture.variant.frame();
        let dark = usize::from((frame.file(square) + frame.rank(square)).is_multiple_of(2));
        let mut ground = palette.cells[dark];
        if let Some(color) = self.region(square).filter(|_| picture.regions) {
            ground = ground.mix(color, 55);
        }
        if picture.was_moved(square) {
            ground = ground.mix(palette.last_move, 50);
        }
        if let Some(ink) = picture.highlights.get(&square) {
            ground = ground.mix(ink.color(), 55);
        }
        for (from, to, ink) in &picture.arrows {
            if *from == square || *to == square {
                ground = ground.mix(ink.color(), 55);
            }
        }
        for (_, ink) in picture.paths.iter().filter(|(p, _)| p.contains(&square)) {
            ground = ground.mix(ink.color(), 35);
        }
        if picture.selected == Some(square) {
            ground = ground.mix(palette.selected, 60);
        }
        let taken = picture.marks.get(&square) == Some(&Mark::Capture);
        if picture.check == Some(square) || taken {
            ground = ground.mix(palette.check, if taken { 40 } else { 70 });
        }
        ground
    }

    /// A side's colour, moved towards white or black until it stands out from the squares.
    fn side_color(&self, side: Side) -> Rgb {
        let fill = |s: Side| Rgb::parse(&self.picture.variant.looks()[s.index()].fill);
        let (Some(own), Some(other)) = (fill(side), fill(side.opponent())) else {
            return if side == Side::White {
                Rgb::WHITE
            } else {
                Rgb::BLACK
            };
        };
        let lighter = own.luminance() > other.luminance()
            || (own.luminance() == other.luminance() && side == Side::White);
        let towards = if lighter { Rgb::WHITE } else { Rgb::BLACK };
        own.readable_on(&self.palette.cells, towards, 3.6)
    }

    fn legend(&self) -> Vec<StyledLine> {
        let rows = self.picture.legend_rows().into_iter();
        rows.map(|(mark, label)| {
            let sign = match mark {
                Mark::Capture => String::from_iter(['#', self.mark_sign(mark)]),
                _ => format!("{} ", self.mark_sign(mark)),
            };
            vec![Span::plain(format!("{sign} {label}"))]
        })
        .collect()
    }
}
