//! PGN as text: games as tags and a tree of move tokens, a streaming reader and an export-format writer.
//! Nothing here knows the rules of a game or whether a move exists; a move is a word, kept as written.

mod builder;
mod comment;
mod date;
mod error;
mod game;
mod lexer;
mod nag;
mod reader;
mod source;
#[cfg(test)]
mod tests;
mod writer;

pub use self::comment::{Command, Comment};
pub use self::date::date_tags;
pub use self::error::{Location, PgnError, SyntaxError};
pub use self::game::{GameResult, Movetext, Node, RESULTS, ROSTER, RawGame};
pub use self::nag::{Glyph, NAGS, Nag};
pub use self::reader::{Limits, Reader};
pub use self::writer::{MAX_DEPTH, WriteError, Writer};
