//! How a picture is drawn: piece set, theme, size. What is drawn is in [`crate::picture`].

use crate::color::Rgb;
use husun::variant::Region;

/// Smallest and largest side of a square in pixels.
const SQUARE_LIMITS: (u32, u32) = (16, 256);

/// Why a size of squares is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a square of {found} pixels: expected {least} to {most}")]
pub struct SquareSizeError {
    /// What was asked for.
    pub found: u32,
    /// The smallest size.
    pub least: u32,
    /// The largest size.
    pub most: u32,
}

/// Side of a square in pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SquareSize(u32);

impl SquareSize {
    /// A size of 16 to 256 pixels.
    ///
    /// ```
    /// use husun_render::SquareSize;
    /// assert_eq!(SquareSize::new(60).unwrap().pixels(), 60);
    /// let error = SquareSize::new(1000).unwrap_err();
    /// assert_eq!(error.to_string(), "a square of 1000 pixels: expected 16 to 256");
    /// ```
    pub fn new(pixels: u32) -> Result<SquareSize, SquareSizeError> {
        let (least, most) = SQUARE_LIMITS;
        let error = SquareSizeError {
            found: pixels,
            least,
            most,
        };
        let fits = (least..=most).contains(&pixels);
        fits.then_some(SquareSize(pixels)).ok_or(error)
    }

    /// The size in pixels.
    pub fn pixels(self) -> u32 {
        self.0
    }
}

impl Default for SquareSize {
    fn default() -> Self {
        SquareSize(64)
    }
}

/// Which pieces are drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum PieceSet {
    /// The images of [`crate::images`]; a piece without one gets a letter.
    #[default]
    Themed,
    /// Each piece's letter in a shape: a disc for White, a square for Black.
    Letters,
}

impl PieceSet {
    /// Every set with its name.
    pub const NAMES: [(PieceSet, &'static str); 2] =
        [(PieceSet::Themed, "themed"), (PieceSet::Letters, "letters")];

    /// The set with a name.
    pub fn parse(name: &str) -> Option<PieceSet> {
        Self::NAMES
            .iter()
            .find(|(_, n)| *n == name)
            .map(|(s, _)| *s)
    }
}

/// Colours of board and page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Theme {
    /// For light pages.
    #[default]
    Light,
    /// For dark pages.
    Dark,
}

impl Theme {
    /// Every theme with its name.
    pub const NAMES: [(Theme, &'static str); 2] = [(Theme::Light, "light"), (Theme::Dark, "dark")];

    /// The theme with a name.
    ///
    /// ```
    /// assert_eq!(husun_render::Theme::parse("dark"), Some(husun_render::Theme::Dark));
    /// ```
    pub fn parse(name: &str) -> Option<Theme> {
        Self::NAMES
            .iter()
            .find(|(_, n)| *n == name)
            .map(|(t, _)| *t)
    }

    /// Its colours.
    pub fn palette(self) -> &'static Palette {
        match self {
            Theme::Light => &LIGHT,
            Theme::Dark => &DARK,
        }
    }
}

/// Colours of the squares, chosen apart from the page's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum BoardColors {
    /// Green.
    #[default]
    Green,
    /// As of wood.
    Wood,
    /// Blue.
    Blue,
    /// Grey.
    Stone,
    /// Nearly white and dark, told apart in any light.
    Contrast,
}

impl BoardColors {
    /// Every set of colours with its name.
    pub const NAMES: [(BoardColors, &'static str); 5] = [
        (BoardColors::Green, "green"),
        (BoardColors::Wood, "wood"),
        (BoardColors::Blue, "blue"),
        (BoardColors::Stone, "stone"),
        (BoardColors::Contrast, "contrast"),
    ];

    /// The colours with a name.
    ///
    /// ```
    /// use husun_render::BoardColors;
    /// assert_eq!(BoardColors::parse("wood"), Some(BoardColors::Wood));
    /// ```
    pub fn parse(name: &str) -> Option<BoardColors> {
        let known = Self::NAMES.iter().find(|(_, n)| *n == name);
        known.map(|(colors, _)| *colors)
    }

    /// Light squares, dark squares and the line around the board. The browser client draws the boards that are played on
    /// in the same (`web/src/board/ground.ts`).
    pub const fn on(self, theme: Theme) -> [Rgb; 3] {
        match (self, theme) {
            (BoardColors::Green, Theme::Light) => [
                Rgb(0xee, 0xf0, 0xe2),
                Rgb(0xa8, 0xbd, 0x9b),
                Rgb(0x5f, 0x6f, 0x58),
            ],
            (BoardColors::Green, Theme::Dark) => [
                Rgb(0xb9, 0xc4, 0xad),
                Rgb(0x71, 0x87, 0x6a),
                Rgb(0x0e, 0x11, 0x15),
            ],
            (BoardColors::Wood, Theme::Light) => [
                Rgb(0xf3, 0xe1, 0xc0),
                Rgb(0xc7, 0x9a, 0x68),
                Rgb(0x7b, 0x5a, 0x35),
            ],
            (BoardColors::Wood, Theme::Dark) => [
                Rgb(0xcd, 0xb1, 0x89),
                Rgb(0x8f, 0x6a, 0x45),
                Rgb(0x15, 0x10, 0x0a),
            ],
            (BoardColors::Blue, Theme::Light) => [
                Rgb(0xe9, 0xef, 0xf4),
                Rgb(0x9d, 0xb8, 0xcd),
                Rgb(0x53, 0x6b, 0x7f),
            ],
            (BoardColors::Blue, Theme::Dark) => [
                Rgb(0xa9, 0xb9, 0xc8),
                Rgb(0x64, 0x7b, 0x91),
                Rgb(0x0c, 0x11, 0x16),
            ],
            (BoardColors::Stone, Theme::Light) => [
                Rgb(0xef, 0xee, 0xea),
                Rgb(0xbd, 0xb9, 0xb0),
                Rgb(0x6f, 0x6b, 0x63),
            ],
            (BoardColors::Stone, Theme::Dark) => [
                Rgb(0xa3, 0xae, 0xbb),
                Rgb(0x6c, 0x79, 0x88),
                Rgb(0x0e, 0x11, 0x15),
            ],
            (BoardColors::Contrast, Theme::Light) => [
                Rgb(0xff, 0xff, 0xff),
                Rgb(0x8f, 0x9a, 0x8a),
                Rgb(0x20, 0x26, 0x1c),
            ],
            (BoardColors::Contrast, Theme::Dark) => [
                Rgb(0xd5, 0xdb, 0xe3),
                Rgb(0x5c, 0x67, 0x73),
                Rgb(0x00, 0x00, 0x00),
            ],
        }
    }
}

/// The colours of a theme.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Palette {
    /// The page, seen around the board and where squares are missing.
    pub page: Rgb,
    /// Coordinates, title, legend.
    pub ink: Rgb,
    /// Line around the board.
    pub border: Rgb,
    /// Light and dark squares in pictures.
    pub squares: [Rgb; 2],
    /// Light and dark squares in terminals, where pieces have no outline: White's are light, Black's dark.
    pub cells: [Rgb; 2],
    /// Squares of the last move.
    pub last_move: Rgb,
    /// The selected square.
    pub selected: Rgb,
    /// A royal piece in check.
    pub check: Rgb,
    /// Dots and rings on legal targets.
    pub target: Rgb,
    /// Crosses on squares that are only attacked.
    pub attack: Rgb,
}

impl Palette {
    /// A region's colour in pictures, darkened until it differs visibly from both colours of squares.
    pub fn region(&self, region: &Region) -> Rgb {
        /// Square of the distance that the eye needs.
        const APART: u32 = 5000;
        let color = Rgb::parse(&region.color).unwrap_or(self.border);
        let apart = |c: &Rgb| self.squares.iter().all(|s| c.distance(*s) >= APART);
        (0..=10)
            .map(|tenths| color.mix(Rgb::BLACK, tenths * 10))
            .find(apart)
            .unwrap_or(color)
    }
}

const LIGHT: Palette = Palette {
    page: Rgb(0xfb, 0xfa, 0xf5),
    ink: Rgb(0x4a, 0x52, 0x45),
    border: Rgb(0x5f, 0x6f, 0x58),
    squares: [Rgb(0xee, 0xf0, 0xe2), Rgb(0xa8, 0xbd, 0x9b)],
    cells: [Rgb(0x7f, 0x9a, 0x72), Rgb(0x66, 0x82, 0x5a)],
    last_move: Rgb(0xf2, 0xd0, 0x3c),
    selected: Rgb(0x2f, 0x9e, 0x55),
    check: Rgb(0xe0, 0x1b, 0x1b),
    target: Rgb(0x1d, 0x6b, 0x3a),
    attack: Rgb(0xb0, 0x2a, 0x37),
};

const DARK: Palette = Palette {
    page: Rgb(0x1a, 0x1e, 0x24),
    ink: Rgb(0xc3, 0xcb, 0xd6),
    border: Rgb(0x0e, 0x11, 0x15),
    squares: [Rgb(0xb9, 0xc4, 0xad), Rgb(0x71, 0x87, 0x6a)],
    cells: [Rgb(0x5f, 0x84, 0xa3), Rgb(0x4d, 0x71, 0x90)],
    last_move: Rgb(0xd9, 0xb4, 0x2c),
    selected: Rgb(0x2f, 0xa8, 0x6a),
    check: Rgb(0xe8, 0x1c, 0x1c),
    target: Rgb(0x0f, 0x4d, 0x33),
    attack: Rgb(0x9c, 0x12, 0x26),
};

/// How pictures are drawn as SVG and PNG.
///
/// ```
/// use husun_render::{PieceSet, SquareSize, Style, Theme};
/// let style = Style {
///     theme: Theme::Dark,
///     set: PieceSet::Letters,
///     square: SquareSize::new(40).unwrap(),
///     ..Style::default()
/// };
/// assert!(style.page);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// Which pieces.
    pub set: PieceSet,
    /// Which colours.
    pub theme: Theme,
    /// Which colours of the squares.
    pub board: BoardColors,
    /// Side of a square.
    pub square: SquareSize,
    /// Whether the page is painted; otherwise it is transparent.
    pub page: bool,
}

impl Style {
    /// The theme's colours with those of the board.
    pub fn palette(&self) -> Palette {
        let [light, dark, border] = self.board.on(self.theme);
        Palette {
            border,
            squares: [light, dark],
            ..*self.theme.palette()
        }
    }
}

impl Default for Style {
    fn default() -> Self {
        Style {
            set: PieceSet::default(),
            theme: Theme::default(),
            board: BoardColors::default(),
            square: SquareSize::default(),
            page: true,
        }
    }
}
