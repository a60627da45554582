//! Why a PGN text cannot be read, and where. Errors of writing are with the writer.

use std::{fmt, io};

/// A place in a text. Lines and columns count from 1, columns in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Location {
    /// The line; a line ends with LF, CR or both.
    pub line: u64,
    /// The character in the line.
    pub column: usize,
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}", self.line, self.column)
    }
}

/// Why a game could not be read, and where.
#[derive(Debug, thiserror::Error)]
#[error("{at}: {reason}")]
pub struct PgnError {
    /// Where the offending thing begins.
    pub at: Location,
    /// What is wrong there. Part of the message, hence not also its source.
    pub reason: SyntaxError,
}

/// What is wrong in a PGN text. Limits are those of [`Limits`](super::Limits).
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SyntaxError {
    /// A character that cannot stand where it is.
    #[error("found {found:?}, expected {expected}")]
    Unexpected {
        /// The character.
        found: char,
        /// What can stand there.
        expected: &'static str,
    },
    /// The line ends within a tag pair.
    #[error("the line ends within a tag pair, expected {expected}")]
    UnterminatedTag {
        /// What is missing.
        expected: &'static str,
    },
    /// A comment has no closing brace before the end of the text, or before a line that begins with a tag of another
    /// game, such as `Event`, `White` or `FEN`.
    #[error("the comment that begins here has no end, expected }}")]
    UnterminatedComment,
    /// A variation is still open when the game ends.
    #[error("the variation that begins here has no end, expected )")]
    UnterminatedVariation,
    /// A closing parenthesis without its opening one.
    #[error("found ) outside any variation, expected a move or the result")]
    StrayParenthesis,
    /// A variation with no move that it could replace.
    #[error("found a variation before any move, expected the move it replaces")]
    VariationWithoutMove,
    /// An annotation in a line that has no move.
    #[error("found an annotation in a line without moves, expected the move it belongs to")]
    NagWithoutMove,
    /// A numeric annotation glyph without a number, or beyond 255.
    #[error("found annotation ${found}, expected $0 to $255")]
    NagRange {
        /// The digits, cut short.
        found: String,
    },
    /// A suffix annotation that is not one of the six.
    #[error("found suffix {found:?}, expected !, ?, !!, ??, !? or ?!")]
    Suffix {
        /// The suffix, cut short.
        found: String,
    },
    /// A word without any letter or digit.
    #[error("found {found:?}, expected a move, a move number, an annotation or a result")]
    NotAMove {
        /// The word.
        found: String,
    },
    /// A result marker inside a variation.
    #[error("found the result {found} within a variation, expected ) first")]
    ResultInVariation {
        /// The marker.
        found: &'static str,
    },
    /// A game ends without a result marker.
    #[error("found {found}, expected the result of the game: 1-0, 0-1, 1/2-1/2 or *")]
    MissingResult {
        /// `the tags of another game` or `the end of the text`.
        found: &'static str,
    },
    /// A tag name occurs twice in a game.
    #[error("tag {name} a second time, expected each name once")]
    DuplicateTag {
        /// The name.
        name: String,
    },
    /// A part of the text, or a whole game, is too long.
    #[error("{what} of more than {limit} bytes")]
    TooLong {
        /// `word`, `tag value`, `comment`, `line` or `game`.
        what: &'static str,
        /// The limit.
        limit: usize,
    },
    /// There are too many of something.
    #[error("more than {limit} {what}")]
    TooMany {
        /// `tags in a game`, or `moves, variations, comments and commands in a game`.
        what: &'static str,
        /// The limit.
        limit: usize,
    },
    /// Variations are nested too deep.
    #[error("variations nested more than {limit} deep")]
    TooDeep {
        /// The limit.
        limit: u8,
    },
    /// A text that should be one game has none.
    #[error("found no game, expected one")]
    NoGame,
    /// A text that should be one game goes on after it.
    #[error("found more text after the game, expected its end")]
    SecondGame,
    /// The text could not be read.
    #[error("cannot read on: {0}")]
    Io(io::Error),
}
