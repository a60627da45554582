//! Writes games in PGN export format: roster first, numeric annotations, lines of less than 80 columns.
//! What cannot be expressed in PGN is refused; everything written reads back as the same game.

use std::io;
use std::mem;

use super::comment::Comment;
use super::game::{Movetext, Node, ROSTER, RawGame};
use super::lexer::{excerpt, is_move, is_name_char};
use crate::Side;

/// The deepest nesting of variations that is written, and that any reader can be told to read.
pub const MAX_DEPTH: u8 = u8::MAX;

/// The longest line, except for longer words (PGN standard, 3.2.4: fewer than 80 columns).
const COLUMNS: usize = 79;

/// Why a game cannot be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WriteError {
    /// A tag name is not one.
    #[error("tag name {name:?}, expected letters, digits and underscores")]
    TagName {
        /// The name, cut short.
        name: String,
    },
    /// A tag name occurs twice.
    #[error("tag {name} a second time, expected each name once")]
    DuplicateTag {
        /// The name, cut short.
        name: String,
    },
    /// A tag value spans more than one line.
    #[error("line break in the value of tag {name}, expected a single line")]
    TagValue {
        /// The tag's name, cut short.
        name: String,
    },
    /// A move is not a word, or is one that PGN reads as something else.
    #[error("move {san:?} at {number}{}, expected a word that is no number, sign or result", dots(*.side))]
    Move {
        /// The move, cut short.
        san: String,
        /// The number it would have.
        number: u32,
        /// Whose move it would be by the count.
        side: Side,
    },
    /// A comment that would not read back as itself: line breaks or double spaces in its text, a command that
    /// is not well formed, or a command as text. [`Comment::new`] never makes one.
    #[error("comment {text:?} does not read back as itself, expected one as Comment::new makes it")]
    Comment {
        /// The comment, cut short.
        text: String,
    },
    /// Variations are nested too deep.
    #[error("variations nested more than {MAX_DEPTH} deep")]
    TooDeep,
    /// The text could not be written.
    #[error("cannot write on")]
    Io(#[from] io::Error),
}

const fn dots(side: Side) -> &'static str {
    match side {
        Side::White => ".",
        Side::Black => "...",
    }
}

/// Writes games to any [`io::Write`] in PGN export format, an empty line between them.
///
/// Tags come as [`RawGame::complete_roster`] orders and completes them, annotations as `$n`, move numbers from
/// the `FEN` tag if there is one (its second and last fields). A comment with a closing brace in it, which
/// PGN cannot have between braces, is written after a semicolon, on one line of any length. Reading the text
/// gives the game back, its roster completed.
///
/// ```
/// use husun::pgn::{Comment, Nag, Node, RawGame, Writer};
///
/// let mut node = Node::new("e8=Q");
/// node.nags.push(Nag(1));
/// node.after.push(Comment::new("forced"));
/// let mut game = RawGame::default();
/// game.line.moves.push(node);
///
/// let mut out = Vec::new();
/// Writer::new(&mut out).write(&game)?;
/// assert!(out.ends_with(b"\n\n1. e8=Q $1 {forced} *\n"));
/// # Ok::<(), husun::pgn::WriteError>(())
/// ```
#[derive(Debug)]
pub struct Writer<W> {
    to: W,
    begun: bool,
}

impl<W: io::Write> Writer<W> {
    /// A writer to `to`. It writes each game in one piece and does not flush.
    pub const fn new(to: W) -> Self {
        Self { to, begun: false }
    }

    /// Writes a game.
    ///
    /// # Errors
    ///
    /// A [`WriteError`]; unless it is [`WriteError::Io`], nothing has been written.
    pub fn write(&mut self, game: &RawGame) -> Result<(), WriteError> {
        let text = game_text(game)?;
        if mem::replace(&mut self.begun, true) {
            self.to.write_all(b"\n")?;
        }
        Ok(self.to.write_all(text.as_bytes())?)
    }

    /// What the games were written to.
    pub fn into_inner(self) -> W {
        self.to
    }
}

/// A game in PGN export format.
pub(super) fn game_text(game: &RawGame) -> Result<String, WriteError> {
    let mut text = String::new();
    let roster = ROSTER.map(|(name, unknown)| {
        let unknown = if name == "Result" {
            game.result.marker()
        } else {
            unknown
        };
        (name, game.tag(name).unwrap_or(unknown))
    });
    for (name, value) in roster {
        tag(&mut text, name, value)?;
    }
    for (index, (name, value)) in game.tags.iter().enumerate() {
        if game
            .tags
            .iter()
            .take(index)
            .any(|(earlier, _)| earlier == name)
        {
            let name = excerpt(name);
            return Err(WriteError::DuplicateTag { name });
        }
        if !ROSTER.iter().any(|(known, _)| known == name) {
            tag(&mut text, name, value)?;
        }
    }
    text.push('\n');
    let mut movetext = MovetextWriter::new(text);
    movetext.line(&game.line, Ply::first(game), 0)?;
    movetext.wrap.word(game.result.marker());
    movetext.wrap.end_line();
    Ok(movetext.wrap.out)
}

fn tag(text: &mut String, name: &str, value: &str) -> Result<(), WriteError> {
    if name.is_empty() || !name.chars().all(is_name_char) {
        let name = excerpt(name);
        return Err(WriteError::TagName { name });
    }
    if value.contains(['\n', '\r']) {
        let name = excerpt(name);
        return Err(WriteError::TagValue { name });
    }
    let value = value.replace('\\', "\\\\").replace('"', "\\\"");
    text.extend(["[", name, " \"", value.as_str(), "\"]\n"]);
    Ok(())
}

/// A half-move by its number.
#[derive(Clone, Copy)]
struct Ply {
    number: u32,
    side: Side,
}

impl Ply {
    /// The first of a game, by its FEN tag.
    fn first(game: &RawGame) -> Self {
        let fields: Vec<_> = game
            .tag("FEN")
            .unwrap_or_default()
            .split_whitespace()
            .collect();
        let number = fields.last().and_then(|field| field.parse().ok());
        let side = match fields.get(1) {
            Some(&"b") => Side::Black,
            _ => Side::White,
        };
        Self {
            number: number.unwrap_or(1),
            side,
        }
    }

    fn next(self) -> Self {
        let number = match self.side {
            Side::White => self.number,
            Side::Black => self.number.saturating_add(1),
        };
        let side = self.side.opponent();
        Self { number, side }
    }
}

struct MovetextWriter {
    wrap: Wrap,
}

impl MovetextWriter {
    const fn new(out: String) -> Self {
        Self {
            wrap: Wrap {
                out,
                column: 0,
                word: String::new(),
                opened: false,
            },
        }
    }

    fn line(&mut self, line: &Movetext, mut ply: Ply, depth: u8) -> Result<(), WriteError> {
        let mut previous: Option<&Node> = None;
        for node in &line.moves {
            self.lead(node, previous, ply)?;
            if !is_move(&node.san) {
                let (san, Ply { number, side }) = (excerpt(&node.san), ply);
                return Err(WriteError::Move { san, number, side });
            }
            self.wrap.word(&node.san);
            for nag in &node.nags {
                self.wrap.word(&nag.to_string());
            }
            self.comments(&node.after)?;
            for variation in &node.variations {
                let depth = depth.checked_add(1).ok_or(WriteError::TooDeep)?;
                self.wrap.open("(");
                self.line(variation, ply, depth)?;
                self.wrap.close(")");
            }
            previous = Some(node);
            ply = ply.next();
        }
        // without a number such comments would count as those after the last move
        if previous.is_some_and(|node| node.variations.is_empty()) && !line.tail.is_empty() {
            self.number(ply);
        }
        self.comments(&line.tail)
    }

    /// What stands before a move: its number where it needs one, and its comments.
    fn lead(&mut self, node: &Node, previous: Option<&Node>, ply: Ply) -> Result<(), WriteError> {
        let free = previous.is_none_or(|node| !node.variations.is_empty());
        let follows =
            previous.is_some_and(|node| node.after.is_empty() && node.variations.is_empty());
        if free {
            self.comments(&node.before)?;
        }
        // directly after a move, comments belong to the next only if its number stands before them
        if ply.side == Side::White || !follows || !node.before.is_empty() {
            self.number(ply);
        }
        if !free {
            self.comments(&node.before)?;
        }
        Ok(())
    }

    fn number(&mut self, ply: Ply) {
        self.wrap.word(&format!("{}{}", ply.number, dots(ply.side)));
    }

    fn comments(&mut self, comments: &[Comment]) -> Result<(), WriteError> {
        comments
            .iter()
            .try_for_each(|comment| self.comment(comment))
    }

    fn comment(&mut self, comment: &Comment) -> Result<(), WriteError> {
        let text = comment.to_string();
        if Comment::new(&text) != *comment {
            let text = excerpt(&text);
            return Err(WriteError::Comment { text });
        }
        if text.contains('}') {
            self.wrap.word(&format!("; {text}"));
            self.wrap.end_line();
            return Ok(());
        }
        self.wrap.open("{");
        for unit in comment.units() {
            // at the start of a line these would be an escaped line, or look like another game's tags
            if unit.starts_with('%') || unit.starts_with('[') && !unit.starts_with("[%") {
                self.wrap.bound(&unit);
            } else {
                self.wrap.word(&unit);
            }
        }
        self.wrap.close("}");
        Ok(())
    }
}

/// Breaks words into lines. The last word waits until what follows it is known.
struct Wrap {
    out: String,
    column: usize,
    word: String,
    /// Whether the word is so far only an opening sign, which the next word joins.
    opened: bool,
}

impl Wrap {
    fn word(&mut self, text: &str) {
        if !mem::take(&mut self.opened) {
            self.flush();
        }
        self.word.push_str(text);
    }

    /// A word that must not begin a line.
    fn bound(&mut self, text: &str) {
        if !mem::take(&mut self.opened) {
            self.word.push(' ');
        }
        self.word.push_str(text);
    }

    /// A sign that the next word joins.
    fn open(&mut self, sign: &str) {
        self.word(sign);
        self.opened = true;
    }

    /// A sign that joins the last word.
    fn close(&mut self, sign: &str) {
        self.word.push_str(sign);
        self.opened = false;
    }

    fn flush(&mut self) {
        let length = self.word.chars().count();
        if length == 0 {
            return;
        }
        if self.column > 0 {
            let fits = self.column + 1 + length <= COLUMNS;
            self.out.push(if fits { ' ' } else { '\n' });
            self.column = if fits { self.column + 1 } else { 0 };
        }
        self.out.push_str(&self.word);
        self.column += length;
        self.word.clear();
    }

    fn end_line(&mut self) {
        self.flush();
        if self.column > 0 {
            self.out.push('\n');
            self.column = 0;
        }
        self.opened = false;
    }
}
