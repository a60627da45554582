//! Figures of the rules pages: boards described by lines of text in a block of a game's `rules.md`, one picture or
//! several that show the steps of one act. Finding the blocks in the Markdown is up to the caller.
//!
//! ```text
//! position: 9/9/4p4/9/9/9/9/4K4
//! move: e1 e2
//! mark: d3 e3
//! caption: The Prince has stepped forward.
//! ```
//!
//! | key | value |
//! | --- | --- |
//! | `position` | the board field of a position text, `start` or `start NAME`; a later picture without one has the one before |
//! | `move` | from and to of a move, highlighted; may be repeated |
//! | `mark` | squares that a piece may go to |
//! | `take` | squares on which it may capture |
//! | `path` | squares that a way leads through, the first and the last with them; may be repeated |
//! | `area` | squares to be tinted |
//! | `caption` | what is shown; at least one picture of a block has it |
//!
//! Where squares are listed, `c8-g8` stands for a rectangle. A line `---` begins the next picture.

use crate::picture::{Ink, Mark, Picture};
use husun::frame::SquareError;
use husun::{Setup, Square, Variant};
use std::sync::Arc;

/// The word after the fence of a block that is a figure.
pub const INFO: &str = "diagram";

/// The keys that a picture may have.
const KEYS: [&str; 7] = [
    "position", "move", "mark", "take", "path", "area", "caption",
];

/// Why a figure is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {problem}")]
pub struct FigureError {
    /// Line within the block, from 1.
    pub line: usize,
    /// What is wrong there.
    pub problem: FigureProblem,
}

/// What can be wrong with a line of a figure.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FigureProblem {
    /// Not `key: value`.
    #[error("`{0}` is not a line of a diagram: expected `key: value` or `---`")]
    Line(String),
    /// An unknown key.
    #[error("`{0}` is unknown: expected one of position, move, mark, take, path, area, caption")]
    Key(String),
    /// A key given twice that may be given once.
    #[error("`{0}` is given twice in one picture")]
    Twice(&'static str),
    /// Nothing after the colon.
    #[error("`{0}` has no value")]
    Empty(&'static str),
    /// Not a board.
    #[error("{0}")]
    Board(#[from] husun::fen::FenError),
    /// A set-up that the game does not have.
    #[error("no set-up `{found}`: expected one of {known}")]
    Setup {
        /// What was read.
        found: String,
        /// Those of the game.
        known: String,
    },
    /// Not a square of the board.
    #[error("{0}")]
    Square(#[from] SquareError),
    /// Another number of squares than the key requires.
    #[error("{found} squares after `{key}`: expected {expected}")]
    Count {
        /// The key.
        key: &'static str,
        /// How many were read.
        found: usize,
        /// How many it takes.
        expected: &'static str,
    },
    /// A picture without a position.
    #[error("the first picture has no `position`")]
    NoPosition,
    /// No caption.
    #[error("the diagram has no `caption`")]
    NoCaption,
}

/// One picture of a figure.
#[derive(Clone, Debug)]
pub struct Panel {
    /// What is drawn.
    pub picture: Picture,
    /// What it shows, if it has a caption of its own.
    pub caption: Option<String>,
}

/// Pictures that belong together, in the order in which to look at them.
///
/// ```
/// let chess = games::variant("chess").unwrap();
/// let text = "position: start\nmove: e2 e4\ncaption: The pawn goes two squares.\n---\nmark: d5 e5\ncaption: And then.";
/// let figure = husun_render::Figure::parse(&chess, text).unwrap();
/// assert_eq!(figure.panels.len(), 2);
/// let error = husun_render::Figure::parse(&chess, "position: start\nmark: e9\ncaption: -").unwrap_err();
/// assert!(error.to_string().starts_with("line 2: "));
/// ```
#[derive(Clone, Debug)]
pub struct Figure {
    /// At least one.
    pub panels: Vec<Panel>,
}

impl Figure {
    /// Reads the text of a block.
    pub fn parse(variant: &Arc<Variant>, text: &str) -> Result<Figure, FigureError> {
        let mut reader = Reader {
            variant,
            panels: Vec::new(),
            now: Draft::default(),
        };
        let mut last = 1;
        for (line, text) in (1..).zip(text.lines()) {
            last = line;
            let text = text.trim();
            if text.is_empty() {
                continue;
            }
            let read = match text {
                "---" => reader.next(),
                text => reader.line(text),
            };
            read.map_err(|problem| FigureError { line, problem })?;
        }
        let at_end = |problem| FigureError {
            line: last,
            problem,
        };
        reader.next().map_err(at_end)?;
        if reader.panels.iter().all(|p| p.caption.is_none()) {
            return Err(at_end(FigureProblem::NoCaption));
        }
        Ok(Figure {
            panels: reader.panels,
        })
    }

    /// What a picture shows in words: its own caption, or the nearest one before it, or the first.
    pub fn caption(&self, panel: usize) -> &str {
        let before = self.panels.iter().take(panel + 1).rev();
        let mut all = before.chain(&self.panels);
        all.find_map(|p| p.caption.as_deref()).unwrap_or_default()
    }
}

/// A picture that is being read.
#[derive(Default)]
struct Draft {
    setup: Option<Setup>,
    moves: Vec<(Square, Square)>,
    marks: Vec<(Square, Mark)>,
    paths: Vec<Vec<Square>>,
    area: Vec<Square>,
    caption: Option<String>,
}

struct Reader<'a> {
    variant: &'a Arc<Variant>,
    panels: Vec<Panel>,
    now: Draft,
}

impl Reader<'_> {
    fn line(&mut self, text: &str) -> Result<(), FigureProblem> {
        let (key, value) = text
            .split_once(':')
            .ok_or_else(|| FigureProblem::Line(quote(text)))?;
        let key = key.trim();
        let known = KEYS.into_iter().find(|k| *k == key);
        let key = known.ok_or_else(|| FigureProblem::Key(quote(key)))?;
        let value = value.trim();
        if value.is_empty() {
            return Err(FigureProblem::Empty(key));
        }
        match key {
            "position" => {
                let setup = self.setup(value)?;
                once(key, &mut self.now.setup, setup)?;
            }
            "caption" => once(key, &mut self.now.caption, value.into())?,
            "move" => match self.squares(value)?[..] {
                [from, to] => self.now.moves.push((from, to)),
                ref other => return Err(count(key, other, "2")),
            },
            "path" => match self.squares(value)? {
                squares if squares.len() > 1 => self.now.paths.push(squares),
                few => return Err(count(key, &few, "2 or more")),
            },
            "area" => self.now.area.extend(self.squares(value)?),
            other => {
                let mark = if other == "take" {
                    Mark::Capture
                } else {
                    Mark::Move
                };
                let squares = self.squares(value)?;
                let marks = squares.into_iter().map(|s| (s, mark));
                self.now.marks.extend(marks);
            }
        }
        Ok(())
    }

    fn setup(&self, value: &str) -> Result<Setup, FigureProblem> {
        let mut words = value.split_whitespace();
        if words.next() != Some("start") {
            return Ok(self.variant.read_board(value)?);
        }
        let setups = self.variant.setups();
        let name = words.collect::<Vec<_>>().join(" ");
        let wanted = |s: &&husun::variant::NamedSetup| name.is_empty() || s.name == name;
        let found = setups.iter().find(wanted).map(|s| s.setup.clone());
        found.ok_or_else(|| FigureProblem::Setup {
            found: quote(&name),
            known: setups
                .iter()
                .map(|s| s.name.as_str())
                .collect::<Vec<_>>()
                .join(", "),
        })
    }

    /// Squares separated by spaces or commas; `a1-c2` stands for a rectangle.
    fn squares(&self, value: &str) -> Result<Vec<Square>, FigureProblem> {
        let frame = self.variant.frame();
        let mut all = Vec::new();
        let words = value.split([' ', ',']).filter(|w| !w.is_empty());
        for word in words {
            let Some((low, high)) = word.split_once('-') else {
                all.push(frame.parse(word)?);
                continue;
            };
            let (low, high) = (frame.parse(low)?, frame.parse(high)?);
            let between = |a: u8, b: u8| a.min(b)..=a.max(b);
            let files = between(frame.file(low), frame.file(high));
            let ranks = between(frame.rank(low), frame.rank(high));
            all.extend(
                frame
                    .squares()
                    .filter(|&s| files.contains(&frame.file(s)) && ranks.contains(&frame.rank(s))),
            );
        }
        Ok(all)
    }

    /// Ends the picture that is being read.
    fn next(&mut self) -> Result<(), FigureProblem> {
        let draft = std::mem::take(&mut self.now);
        let board = match (&draft.setup, self.panels.last()) {
            (Some(setup), _) => Picture::of_setup(self.variant, setup),
            (None, Some(before)) => before.picture.without_marks(),
            (None, None) => return Err(FigureProblem::NoPosition),
        };
        let picture = draft
            .area
            .iter()
            .fold(board, |p, &s| p.highlight(s, Ink::Blue));
        let picture = draft
            .moves
            .iter()
            .fold(picture, |p, &(from, to)| p.moved(from, to));
        let picture = draft
            .marks
            .iter()
            .fold(picture, |p, &(s, mark)| p.mark(s, mark));
        let picture = draft
            .paths
            .iter()
            .fold(picture, |p, path| p.path(path, Ink::Green));
        self.panels.push(Panel {
            picture,
            caption: draft.caption,
        });
        Ok(())
    }
}

fn once<T>(key: &'static str, place: &mut Option<T>, value: T) -> Result<(), FigureProblem> {
    match place.replace(value) {
        None => Ok(()),
        Some(_) => Err(FigureProblem::Twice(key)),
    }
}

fn count(key: &'static str, found: &[Square], expected: &'static str) -> FigureProblem {
    FigureProblem::Count {
        key,
        found: found.len(),
        expected,
    }
}

/// Shortens what was read for a message.
fn quote(text: &str) -> String {
    text.chars().take(40).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Figure, FigureError> {
        Figure::parse(&games::variant("citadel8").unwrap(), text)
    }

    #[test]
    fn everything_is_drawn_where_it_belongs() {
        let text = "position: 9/3P5/9/9/9/9/9/9\nmark: d8\ntake: c8, e8\npath: d7 d8\narea: c8-g8 d7-f7\ncaption: One.\n\n---\n\
                    position: 3C5/9/9/9/9/9/9/9\nmove: d7 d8\nmove: a1 a2\n---\nmark: a8\ncaption: Three.\n";
        let figure = read(text).unwrap();
        let [one, two, three] = &figure.panels[..] else {
            panic!("{}", figure.panels.len())
        };
        assert_eq!(one.picture.marks.len(), 3);
        assert_eq!(one.picture.highlights.len(), 8);
        assert_eq!(one.picture.paths[0].0.len(), 2);
        assert_eq!(two.picture.moved.len(), 4);
        // What stood on the board stays; what was drawn on it does not.
        assert_eq!(three.picture.occupants, two.picture.occupants);
        assert!(three.picture.moved.is_empty());
        let captions: Vec<&str> = (0..3).map(|i| figure.caption(i)).collect();
        assert_eq!(captions, ["One.", "One.", "Three."]);
        let svg = crate::svg::board(&one.picture, &crate::Style::default());
        assert_eq!(
            svg.matches("stroke-linejoin=\"round\" stroke-linecap")
                .count(),
            1
        );
        let letters = crate::text::board(&one.picture, &crate::TextStyle::default());
        assert!(letters.contains("8 . . x~*~x~:~:~. ."), "{letters}");
    }

    #[test]
    fn errors_say_what_where_and_what_was_expected() {
        for (text, expected) in [
            ("caption: x", "line 1: the first picture has no `position`"),
            ("position: start", "line 1: the diagram has no `caption`"),
            (
                "position: start\ncolour: red\ncaption: x",
                "line 2: `colour` is unknown: expected one of position, move, mark, take, path, area, caption",
            ),
            (
                "position: start\ne2\ncaption: x",
                "line 2: `e2` is not a line of a diagram: expected `key: value` or `---`",
            ),
            (
                "position: start\nmove: e2\ncaption: x",
                "line 2: 1 squares after `move`: expected 2",
            ),
            (
                "position: start\npath: e2\ncaption: x",
                "line 2: 1 squares after `path`: expected 2 or more",
            ),
            (
                "position: start\nposition: start\ncaption: x",
                "line 2: `position` is given twice in one picture",
            ),
            (
                "position: start\nmark:\ncaption: x",
                "line 2: `mark` has no value",
            ),
            (
                "position: start other\ncaption: x",
                "line 1: no set-up `other`: expected one of standard, swapped",
            ),
        ] {
            assert_eq!(read(text).unwrap_err().to_string(), expected, "{text}");
        }
        let unknown = read("position: 9/9/9/9/9/9/9/4Z4\ncaption: x").unwrap_err();
        assert!(
            unknown.to_string().contains("unknown letter `Z`"),
            "{unknown}"
        );
        let off = read("position: start\n\nmark: e9\ncaption: x").unwrap_err();
        assert_eq!(off.line, 3);
    }
}
