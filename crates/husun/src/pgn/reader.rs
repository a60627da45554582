//! Reads games one after the other from a stream, and finds the next game after one that cannot be read.
//! Memory is bounded by the limits, whatever the size and the content of the stream.

use std::io::BufRead;

use super::builder::Builder;
use super::error::{Location, PgnError, SyntaxError};
use super::game::{GameResult, RawGame};
use super::lexer::{Lexer, Token};

/// How large a game may be, so that no text can exhaust memory or stack. Lengths are in bytes of UTF-8.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Length of a move, a number or a tag name.
    pub word: usize,
    /// Length of a comment or a tag value.
    pub text: usize,
    /// Tags in a game.
    pub tags: usize,
    /// Moves, variations, comments and commands in a game, taken together.
    pub items: usize,
    /// Nesting of variations; a variation of the main line counts as 1.
    pub depth: u8,
    /// Length of a line, before its encoding is known.
    pub line: usize,
    /// Length of a game. Checked as whole lines are taken, so the last line can go beyond it.
    pub game: usize,
}

impl Limits {
    /// The limits of [`Reader::new`]: far above what people and engines write, and a game stays within some
    /// tens of megabytes of memory.
    pub const DEFAULT: Self = Self {
        word: 255,
        text: 64 << 10,
        tags: 255,
        items: 100_000,
        depth: 64,
        line: 1 << 20,
        game: 8 << 20,
    };
}

impl Default for Limits {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// How to find the next game after an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Search {
    /// It begins where the reader stands.
    Here,
    /// After this game's movetext.
    BehindMoves,
    /// After the rest of this game's tags, which an empty line ends, and its movetext.
    BehindTags,
    /// After this game's movetext; the empty line after its tags is passed already.
    BehindHead,
    /// A line has ended with a result: the next game begins after an empty line, or with a tag or a first move.
    BehindResult,
    /// An empty line in the movetext: another game begins after it with a tag or a first move.
    BehindGap,
}

/// Reads the games of a PGN text from any [`BufRead`], in constant memory.
///
/// What is read: the import format of the PGN standard (1994), with tag pairs on one line each or several on
/// a line, tags missing altogether, move numbers and dots anywhere or nowhere, any word with a letter or
/// digit in it as a move, annotations as `$n`, suffix or sign, escaped lines (`%`), LF, CR or both, a UTF-8
/// byte order mark, and line by line Latin-1 where it is not UTF-8. A game ends with its result marker. A
/// comment that stands before the tags goes to the first move; comments after the last game are dropped.
///
/// After a game that cannot be read, which gives its error, the reader goes on with the next line that begins with
/// a tag pair, or with a first move after a result or an empty line; if the error is in the tags, with the next
/// such line after the movetext, or with the next `Event`. After an I/O error it ends.
///
/// ```
/// use husun::pgn::{Reader, SyntaxError};
///
/// let text = "[Event \"A\"]\n1. e4 (1. d4 *\n\n[Event \"B\"]\n1. c4 c5 1/2-1/2\n";
/// let mut reader = Reader::new(text.as_bytes());
///
/// let error = reader.next_game().unwrap().unwrap_err();
/// assert!(matches!(error.reason, SyntaxError::ResultInVariation { .. }));
/// assert_eq!((error.at.line, error.at.column), (2, 14));
///
/// let game = reader.next_game().unwrap().unwrap();
/// assert_eq!(game.tag("Event"), Some("B"));
/// assert!(reader.next_game().is_none());
/// ```
#[derive(Debug)]
pub struct Reader<R> {
    lexer: Lexer<R>,
    limits: Limits,
    search: Search,
    failed: bool,
}

impl<R: BufRead> Reader<R> {
    /// A reader with the default limits.
    pub const fn new(from: R) -> Self {
        Self::with_limits(from, Limits::DEFAULT)
    }

    /// A reader with the caller's own limits.
    pub const fn with_limits(from: R, limits: Limits) -> Self {
        Self {
            lexer: Lexer::new(from, limits),
            limits,
            search: Search::Here,
            failed: false,
        }
    }

    /// The next game, or why it cannot be read; `None` at the end of the text.
    ///
    /// # Errors
    ///
    /// A [`PgnError`] for each game that cannot be read. The call after that gives the next game.
    pub fn next_game(&mut self) -> Option<Result<RawGame, PgnError>> {
        if self.failed {
            return None;
        }
        let game = self.find().and_then(|()| self.game());
        if let Err(error) = &game {
            self.failed = matches!(error.reason, SyntaxError::Io(_));
        }
        game.transpose()
    }

    /// Where the reader stands in the text.
    #[must_use]
    pub const fn location(&self) -> Location {
        self.lexer.source.location()
    }

    /// Goes on to where the next game may begin.
    fn find(&mut self) -> Result<(), PgnError> {
        loop {
            let next = match self.lexer.source.peek() {
                Err(error)
                    if self.search == Search::Here
                        || matches!(error.reason, SyntaxError::Io(_)) =>
                {
                    self.search = Search::BehindMoves;
                    return Err(error);
                }
                // an overlong line is not a tag pair, and has been skipped already
                Err(_) => continue,
                Ok(next) => next,
            };
            if self.search == Search::Here || next.is_none() {
                self.search = Search::Here;
                return Ok(());
            }
            self.search = self.behind_line();
            if self.search == Search::Here {
                return Ok(());
            }
            self.lexer.source.skip_line();
        }
    }

    /// How the search goes on after the rest of this line; `Here` if a game begins with it.
    fn behind_line(&self) -> Search {
        let rest = self.lexer.source.rest().trim_ascii();
        if self.lexer.source.at_line_start() {
            let begins = match self.search {
                Search::BehindTags => self.lexer.at_event(),
                Search::BehindResult | Search::BehindGap => {
                    self.lexer.at_tag() || is_first_move(rest)
                }
                _ => self.lexer.at_tag(),
            };
            if begins {
                return Search::Here;
            }
        }
        // the rest of a line, after an error, is not an empty line
        let empty = rest.is_empty() && self.lexer.source.at_line_start();
        match self.search {
            Search::BehindTags if !empty => Search::BehindTags,
            Search::BehindTags | Search::BehindHead if empty => Search::BehindHead,
            // what follows a result and an empty line begins a game, numbered or not
            Search::BehindResult if empty => Search::Here,
            Search::BehindResult if rest.is_empty() => Search::BehindResult,
            _ if ends_game(rest) => Search::BehindResult,
            _ if empty => Search::BehindGap,
            _ => Search::BehindMoves,
        }
    }

    /// Reads a game from here. On an error, `search` says how to go on.
    fn game(&mut self) -> Result<Option<RawGame>, PgnError> {
        let mut tags = Vec::new();
        let mut builder = Builder::new(self.limits);
        let mut in_moves = false;
        let begin = self.lexer.source.taken();
        loop {
            self.search = Search::BehindMoves;
            let (token, at) = self.lexer.next()?;
            if self.lexer.source.taken() - begin > self.limits.game as u64 {
                let (what, limit) = ("game", self.limits.game);
                return Err(at.error(SyntaxError::TooLong { what, limit }));
            }
            // a comment before the first tag does not end the tags
            in_moves |= match token {
                Token::Bracket | Token::End => false,
                Token::Comment(_) => !tags.is_empty(),
                _ => true,
            };
            match token {
                Token::Bracket if !in_moves => {
                    self.search = Search::BehindTags;
                    self.tag(&mut tags, at)?;
                }
                Token::Bracket if self.lexer.at_tag() => {
                    return Err(self.missing_result(&builder, at, "the tags of another game"));
                }
                Token::Bracket => {
                    let (found, expected) = ('[', "a move or the result");
                    return Err(at.error(SyntaxError::Unexpected { found, expected }));
                }
                Token::End if tags.is_empty() && !in_moves => return Ok(None),
                Token::End => return Err(self.missing_result(&builder, at, "the end of the text")),
                Token::Comment(raw) => builder.comment(&raw, at)?,
                Token::Move(san) => builder.add_move(san, at)?,
                Token::Number => builder.number(),
                Token::Nag(nag) => builder.nag(nag, at),
                Token::Open => builder.open(at)?,
                Token::Close => builder.close(at)?,
                Token::Result(result) if builder.open_variation().is_some() => {
                    let found = result.marker();
                    self.search = Search::BehindResult;
                    return Err(at.error(SyntaxError::ResultInVariation { found }));
                }
                Token::Result(result) => {
                    let line = builder.finish()?;
                    self.search = Search::Here;
                    return Ok(Some(RawGame { tags, line, result }));
                }
            }
        }
    }

    /// Reads a tag pair into `tags`.
    fn tag(&mut self, tags: &mut Vec<(String, String)>, at: Location) -> Result<(), PgnError> {
        if tags.len() >= self.limits.tags {
            let (what, limit) = ("tags in a game", self.limits.tags);
            return Err(at.error(SyntaxError::TooMany { what, limit }));
        }
        let bracket = self.lexer.source.mark();
        let name = self.lexer.tag_name()?;
        if tags.iter().any(|(known, _)| *known == name) {
            if name == "Event" {
                // another game's first tag: this game has no movetext at all
                self.lexer.source.rewind(bracket);
                self.search = Search::Here;
                let found = "the tags of another game";
                return Err(at.error(SyntaxError::MissingResult { found }));
            }
            return Err(at.error(SyntaxError::DuplicateTag { name }));
        }
        let value = self.lexer.tag_value()?;
        tags.push((name, value));
        Ok(())
    }

    fn missing_result(&mut self, builder: &Builder, at: Location, found: &'static str) -> PgnError {
        self.search = Search::Here;
        match builder.open_variation() {
            Some(at) => at.error(SyntaxError::UnterminatedVariation),
            None => at.error(SyntaxError::MissingResult { found }),
        }
    }
}

/// Whether a line without its outer blanks begins with the number of a first move.
fn is_first_move(line: &str) -> bool {
    line.starts_with("1.")
}

/// Whether a line without its outer blanks ends with a result.
fn ends_game(line: &str) -> bool {
    let last = line.split_ascii_whitespace().next_back();
    last.is_some_and(|word| GameResult::from_marker(word).is_some())
}

impl<R: BufRead> Iterator for Reader<R> {
    type Item = Result<RawGame, PgnError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_game()
    }
}
