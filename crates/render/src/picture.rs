//! What is shown: pieces on a board, point of view, marks. How it is drawn is up to [`crate::svg`] and
//! [`crate::text`].

use husun::{Kind, Move, Position, Setup, Side, Square, Variant};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What stands on a square.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Occupant {
    /// A piece.
    Piece(Side, Kind),
    /// Some piece of a side, no matter which: a disc.
    Blocker(Side),
}

/// A mark on a square to which a piece can go, or which it attacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Mark {
    /// It can go there.
    Move,
    /// It can go there, but could not capture there.
    Quiet,
    /// It can capture there.
    Capture,
    /// It attacks the square, but cannot go there now.
    Attack,
}

impl Mark {
    /// Every mark with its meaning in legends.
    pub const LEGEND: [(Mark, &'static str); 4] = [
        (Mark::Move, "moves"),
        (Mark::Quiet, "moves without capturing"),
        (Mark::Capture, "captures"),
        (Mark::Attack, "attacks only"),
    ];
}

/// Colour of arrows and highlighted squares.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Ink {
    /// The usual one.
    #[default]
    Green,
    /// Another.
    Red,
    /// Another.
    Blue,
    /// Another.
    Yellow,
}

impl Ink {
    /// Every colour with its name.
    pub const NAMES: [(Ink, &'static str); 4] = [
        (Ink::Green, "green"),
        (Ink::Red, "red"),
        (Ink::Blue, "blue"),
        (Ink::Yellow, "yellow"),
    ];

    /// The colour with a name.
    pub fn parse(name: &str) -> Option<Ink> {
        Self::NAMES
            .iter()
            .find(|(_, n)| *n == name)
            .map(|(i, _)| *i)
    }

    /// The colour itself.
    pub fn color(self) -> crate::Rgb {
        match self {
            Ink::Green => crate::Rgb(0x1a, 0x8a, 0x4a),
            Ink::Red => crate::Rgb(0xc6, 0x28, 0x28),
            Ink::Blue => crate::Rgb(0x1f, 0x5f, 0xc4),
            Ink::Yellow => crate::Rgb(0xe6, 0xa8, 0x17),
        }
    }
}

/// A board to be drawn. Squares and kinds that its game does not have are left out.
///
/// ```
/// use husun::Side;
/// use husun_render::{Ink, Picture};
/// let chess = games::variant("chess").unwrap();
/// let start = chess.start();
/// let m = start.parse_uci("e2e4").unwrap();
/// let square = |name| chess.frame().parse(name).unwrap();
/// let picture = Picture::of(&start.play(m).unwrap())
///     .view(Side::Black)
///     .last_move(m)
///     .arrow(square("e7"), square("e5"), Ink::Blue);
/// assert_eq!(picture.square_at(0, 0), Some(square("h1")));
/// ```
#[derive(Clone, Debug)]
pub struct Picture {
    pub(crate) variant: Arc<Variant>,
    pub(crate) occupants: Vec<Option<Occupant>>,
    pub(crate) view: Side,
    pub(crate) coordinates: bool,
    pub(crate) regions: bool,
    pub(crate) last_move: Option<(Square, Square)>,
    pub(crate) moved: Vec<Square>,
    pub(crate) selected: Option<Square>,
    pub(crate) check: Option<Square>,
    pub(crate) marks: BTreeMap<Square, Mark>,
    pub(crate) highlights: BTreeMap<Square, Ink>,
    pub(crate) arrows: Vec<(Square, Square, Ink)>,
    pub(crate) paths: Vec<(Vec<Square>, Ink)>,
    pub(crate) title: Option<String>,
    pub(crate) legend: bool,
}

impl Picture {
    /// An empty board, seen from White's side, with coordinates and regions.
    pub fn empty(variant: &Arc<Variant>) -> Picture {
        Picture {
            occupants: vec![None; variant.frame().len()],
            variant: variant.clone(),
            view: Side::White,
            coordinates: true,
            regions: true,
            last_move: None,
            moved: Vec::new(),
            selected: None,
            check: None,
            marks: BTreeMap::new(),
            highlights: BTreeMap::new(),
            arrows: Vec::new(),
            paths: Vec::new(),
            title: None,
            legend: false,
        }
    }

    /// The pieces of an arrangement, legal or not.
    pub fn of_setup(variant: &Arc<Variant>, setup: &Setup) -> Picture {
        let pieces = variant.frame().squares().filter_map(|square| {
            let (side, kind) = setup.piece_on(square)?;
            Some((square, Occupant::Piece(side, kind)))
        });
        pieces.fold(Picture::empty(variant), |p, (square, o)| p.put(square, o))
    }

    /// A position, with the royal piece in check shown if there is one.
    pub fn of(position: &Position) -> Picture {
        let royal = position.royal_square(position.turn());
        Picture::of_setup(position.variant(), &position.setup())
            .check(royal.filter(|_| position.in_check()))
    }

    /// Puts something on a square.
    #[must_use]
    pub fn put(mut self, square: Square, occupant: Occupant) -> Picture {
        let known = match occupant {
            Occupant::Piece(_, kind) => kind.index() < self.variant.pieces().len(),
            Occupant::Blocker(_) => true,
        };
        if let Some(place) = self.occupants.get_mut(square.index()).filter(|_| known) {
            *place = Some(occupant);
        }
        self
    }

    /// The side at the bottom.
    #[must_use]
    pub fn view(mut self, side: Side) -> Picture {
        self.view = side;
        self
    }

    /// Whether the names of files and ranks are shown.
    #[must_use]
    pub fn coordinates(mut self, shown: bool) -> Picture {
        self.coordinates = shown;
        self
    }

    /// Whether the game's regions are shaded.
    #[must_use]
    pub fn regions(mut self, shown: bool) -> Picture {
        self.regions = shown;
        self
    }

    /// Shows the squares of the last move.
    #[must_use]
    pub fn last_move(self, m: Move) -> Picture {
        self.last_move_squares(m.from(), m.to())
    }

    /// Shows two squares as those of the last move.
    #[must_use]
    pub fn last_move_squares(mut self, from: Square, to: Square) -> Picture {
        self.last_move = Some((from, to)).filter(|_| self.has(from) && self.has(to));
        self
    }

    /// Shows two more squares as those of a move: a castling has two such pairs.
    #[must_use]
    pub fn moved(mut self, from: Square, to: Square) -> Picture {
        let known = [from, to].into_iter().filter(|s| self.has(*s));
        let known: Vec<Square> = known.collect();
        self.moved.extend(known);
        self
    }

    /// Shows a square as the selected one.
    #[must_use]
    pub fn selected(mut self, square: Square) -> Picture {
        self.selected = Some(square).filter(|s| self.has(*s));
        self
    }

    /// The square to show as in check, if any.
    #[must_use]
    pub fn check(mut self, square: Option<Square>) -> Picture {
        self.check = square.filter(|s| self.has(*s));
        self
    }

    /// Marks a square.
    #[must_use]
    pub fn mark(mut self, square: Square, mark: Mark) -> Picture {
        if self.has(square) {
            self.marks.insert(square, mark);
        }
        self
    }

    /// Shows a square as the selected one and marks the legal targets from it in a position.
    ///
    /// ```
    /// use husun_render::{Picture, TextStyle};
    /// let chess = games::variant("chess").unwrap();
    /// let start = chess.start();
    /// let picture = Picture::of(&start).legal_targets(&start, chess.frame().parse("b1").unwrap());
    /// let text = husun_render::text::board(&picture, &TextStyle::default());
    /// assert!(text.contains("3 * . * . . . . ."));
    /// ```
    #[must_use]
    pub fn legal_targets(self, position: &Position, from: Square) -> Picture {
        let moves = position.legal_moves().into_iter();
        moves
            .filter(|m| m.from() == from)
            .fold(self.selected(from), |picture, m| {
                let capture = position.is_capture(m);
                picture.mark(m.to(), if capture { Mark::Capture } else { Mark::Move })
            })
    }

    /// Draws an arrow; in terminals, its two squares are highlighted.
    #[must_use]
    pub fn arrow(mut self, from: Square, to: Square, ink: Ink) -> Picture {
        if self.has(from) && self.has(to) {
            self.arrows.push((from, to, ink));
        }
        self
    }

    /// Draws a line through squares, with an arrowhead at its end; in terminals, they are highlighted. Squares that
    /// the board does not have are left out, and so is a line of fewer than two.
    #[must_use]
    pub fn path(mut self, squares: &[Square], ink: Ink) -> Picture {
        let known: Vec<Square> = squares.iter().copied().filter(|s| self.has(*s)).collect();
        if known.len() > 1 {
            self.paths.push((known, ink));
        }
        self
    }

    /// Highlights a square.
    #[must_use]
    pub fn highlight(mut self, square: Square, ink: Ink) -> Picture {
        if self.has(square) {
            self.highlights.insert(square, ink);
        }
        self
    }

    /// Writes a line above the board.
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Picture {
        self.title = Some(title.into());
        self
    }

    /// Whether the marks in use are explained below the board.
    #[must_use]
    pub fn legend(mut self, shown: bool) -> Picture {
        self.legend = shown;
        self
    }

    /// The same pieces with nothing drawn on the board.
    #[must_use]
    pub fn without_marks(&self) -> Picture {
        Picture {
            occupants: self.occupants.clone(),
            ..Picture::empty(&self.variant)
        }
    }

    /// The game.
    pub fn variant(&self) -> &Arc<Variant> {
        &self.variant
    }

    /// Column from the left and row from the top, both from 0, of a square as seen; `None` if the board does not have
    /// it.
    pub fn place(&self, square: Square) -> Option<(u8, u8)> {
        let frame = self.variant.frame();
        let square = frame.square(square.index())?;
        let (file, rank) = (frame.file(square), frame.rank(square));
        Some(match self.view {
            Side::White => (file, frame.ranks() - 1 - rank),
            Side::Black => (frame.files() - 1 - file, rank),
        })
    }

    /// The square on a column from the left and a row from the top, both from 0, as seen.
    pub fn square_at(&self, column: u8, row: u8) -> Option<Square> {
        let frame = self.variant.frame();
        let (column, row) = (i32::from(column), i32::from(row));
        match self.view {
            Side::White => frame.at(column, i32::from(frame.ranks()) - 1 - row),
            Side::Black => frame.at(i32::from(frame.files()) - 1 - column, row),
        }
    }

    /// What stands on a square.
    pub fn occupant(&self, square: Square) -> Option<Occupant> {
        self.occupants.get(square.index()).copied().flatten()
    }

    /// Whether a square belongs to a move shown.
    pub(crate) fn was_moved(&self, square: Square) -> bool {
        let last = self
            .last_move
            .is_some_and(|(a, b)| a == square || b == square);
        last || self.moved.contains(&square)
    }

    fn has(&self, square: Square) -> bool {
        square.index() < self.occupants.len()
    }

    /// How many pieces of royal kinds a side has.
    pub(crate) fn royals(&self, side: Side) -> usize {
        let royal = |o: &&Occupant| match **o {
            Occupant::Piece(own, kind) => own == side && self.variant.piece(kind).royal,
            Occupant::Blocker(_) => false,
        };
        self.occupants.iter().flatten().filter(royal).count()
    }

    /// Names of the files from left to right, as seen.
    pub(crate) fn file_names(&self) -> Vec<String> {
        let names =
            (0..self.variant.frame().files()).map(|f| husun::Frame::file_letter(f).to_string());
        match self.view {
            Side::White => names.collect(),
            Side::Black => names.rev().collect(),
        }
    }

    /// Names of the ranks from top to bottom, as seen.
    pub(crate) fn rank_names(&self) -> Vec<String> {
        let names = (1..=self.variant.frame().ranks()).map(|r| r.to_string());
        match self.view {
            Side::White => names.rev().collect(),
            Side::Black => names.collect(),
        }
    }

    /// Meanings of the marks in use.
    pub(crate) fn legend_rows(&self) -> Vec<(Mark, &'static str)> {
        let used = |(mark, _): &(Mark, &str)| self.marks.values().any(|m| m == mark);
        Mark::LEGEND.into_iter().filter(used).collect()
    }
}
