//! Diagrams of how one piece moves: from any square of a game's board, past any blockers. Where it can go is computed
//! by [`Variant::reach`]; [`crate::svg`] and [`crate::text`] draw.

use crate::picture::{Mark, Occupant, Picture};
use crate::png::PngError;
use crate::style::Style;
use crate::text::TextStyle;
use husun::{Kind, Side, Square, Variant};
use std::sync::Arc;

/// A diagram of one piece's moves.
///
/// ```
/// use husun::Side;
/// use husun_render::{Diagram, TextStyle};
/// let chess = games::variant("chess").unwrap();
/// let square = |name| chess.frame().parse(name).unwrap();
/// let text = Diagram::new(&chess, Side::White, chess.kind('P').unwrap(), square("e2"))
///     .blocker(square("d3"), Side::Black)
///     .text(&TextStyle::default());
/// assert!(text.contains("4 . . . . o . . ."));
/// assert!(text.contains("3 . . . #xo x . ."));
/// ```
#[derive(Clone, Debug)]
pub struct Diagram {
    variant: Arc<Variant>,
    side: Side,
    kind: Kind,
    from: Square,
    others: Vec<(Square, Occupant)>,
    view: Side,
    legend: bool,
}

impl Diagram {
    /// The moves of a piece from a square of an otherwise empty board, with title and legend.
    pub fn new(variant: &Arc<Variant>, side: Side, kind: Kind, from: Square) -> Diagram {
        Diagram {
            variant: variant.clone(),
            side,
            kind,
            from,
            others: Vec::new(),
            view: Side::White,
            legend: true,
        }
    }

    /// Puts some piece of a side, shown as a disc, on a square.
    #[must_use]
    pub fn blocker(mut self, square: Square, side: Side) -> Diagram {
        self.others.push((square, Occupant::Blocker(side)));
        self
    }

    /// Puts a piece on a square.
    #[must_use]
    pub fn piece(mut self, square: Square, side: Side, kind: Kind) -> Diagram {
        self.others.push((square, Occupant::Piece(side, kind)));
        self
    }

    /// The side at the bottom.
    #[must_use]
    pub fn view(mut self, side: Side) -> Diagram {
        self.view = side;
        self
    }

    /// Whether the piece is named above the board and the marks are explained below it.
    #[must_use]
    pub fn legend(mut self, shown: bool) -> Diagram {
        self.legend = shown;
        self
    }

    /// The picture, to which more can be added. A piece or a square that the game does not have gives a board without
    /// marks.
    pub fn picture(&self) -> Picture {
        let others = self.others.iter();
        let board = others
            .filter(|(square, _)| *square != self.from)
            .fold(Picture::empty(&self.variant), |p, &(s, o)| p.put(s, o))
            .put(self.from, Occupant::Piece(self.side, self.kind))
            .view(self.view)
            .legend(self.legend);
        let known = board.occupant(self.from).is_some();
        let Some(piece) = self
            .variant
            .pieces()
            .get(self.kind.index())
            .filter(|_| known)
        else {
            return board;
        };
        let title = format!("{}  {}", piece.name, piece.betza);
        let board = if self.legend {
            board.title(title)
        } else {
            board
        };
        self.marks(&board)
            .into_iter()
            .fold(board, |p, (square, mark)| p.mark(square, mark))
            .selected(self.from)
    }

    fn marks(&self, board: &Picture) -> Vec<(Square, Mark)> {
        let standing = |square| match board.occupant(square) {
            Some(Occupant::Piece(side, _) | Occupant::Blocker(side)) => Some(side),
            None => None,
        };
        let reach = self
            .variant
            .reach(self.side, self.kind, self.from, standing);
        let moves = reach.moves.iter().map(|square| {
            let mark = if reach.attacks.contains(square) {
                Mark::Move
            } else {
                Mark::Quiet
            };
            (*square, mark)
        });
        let captures = reach.captures.iter().map(|s| (*s, Mark::Capture));
        let goes = |s: &Square| reach.moves.contains(s) || reach.captures.contains(s);
        let attacks = reach.attacks.iter().filter(|s| !goes(s));
        moves
            .chain(captures)
            .chain(attacks.map(|s| (*s, Mark::Attack)))
            .collect()
    }

    /// The diagram as a stand-alone SVG.
    pub fn svg(&self, style: &Style) -> String {
        crate::svg::board(&self.picture(), style)
    }

    /// The diagram as a PNG.
    pub fn png(&self, style: &Style) -> Result<Vec<u8>, PngError> {
        crate::png::board(&self.picture(), style)
    }

    /// The diagram as text.
    pub fn text(&self, style: &TextStyle) -> String {
        crate::text::board(&self.picture(), style)
    }
}
