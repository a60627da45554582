//! Tokens of PGN: what kind of thing comes next, and the text of a tag pair.
//! The reader and the builder make a game of tokens and go on after an error.

use std::io::BufRead;

use super::error::{Location, PgnError, SyntaxError};
use super::game::GameResult;
use super::nag::{Glyph, Nag};
use super::reader::Limits;
use super::source::Source;

/// What comes next in a text.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// `[`, which is still to be read.
    Bracket,
    /// A comment, without its braces or semicolon.
    Comment(String),
    /// A move, as written.
    Move(String),
    /// A move number, or dots of one.
    Number,
    /// An annotation in any form.
    Nag(Nag),
    /// `(`
    Open,
    /// `)`
    Close,
    /// A result marker.
    Result(GameResult),
    /// The end of the text.
    End,
}

#[derive(Debug)]
pub(super) struct Lexer<R> {
    pub(super) source: Source<R>,
    limits: Limits,
}

impl<R: BufRead> Lexer<R> {
    pub(super) const fn new(from: R, limits: Limits) -> Self {
        Self {
            source: Source::new(from, limits.line),
            limits,
        }
    }

    /// The next token and where it begins.
    pub(super) fn next(&mut self) -> Result<(Token, Location), PgnError> {
        let first = self.skip_space()?;
        let at = self.source.location();
        let Some(first) = first else {
            return Ok((Token::End, at));
        };
        let token = match first {
            '[' => Token::Bracket,
            '{' => self.brace_comment(at)?,
            ';' => self.line_comment(at)?,
            '$' => self.nag(at)?,
            '!' | '?' => self.suffix(at)?,
            '(' => self.sign(Token::Open),
            ')' => self.sign(Token::Close),
            '*' => self.sign(Token::Result(GameResult::Unknown)),
            '.' => self.sign(Token::Number),
            c if is_word_char(c) => self.word(at)?,
            found => {
                let expected = "a move, a comment, an annotation, a variation, a result or a tag";
                return Err(at.error(SyntaxError::Unexpected { found, expected }));
            }
        };
        Ok((token, at))
    }

    fn sign(&mut self, token: Token) -> Token {
        self.source.bump();
        token
    }

    /// Skips white space and escaped lines (those with `%` in the first column).
    fn skip_space(&mut self) -> Result<Option<char>, PgnError> {
        loop {
            match self.source.peek()? {
                Some('%') if self.source.at_line_start() => self.source.skip_line(),
                Some(c) if c.is_whitespace() => self.source.bump(),
                other => return Ok(other),
            }
        }
    }

    fn brace_comment(&mut self, at: Location) -> Result<Token, PgnError> {
        let mut text = String::new();
        self.source.bump();
        loop {
            let next = self.source.peek()?;
            // a lost brace must not swallow the games that follow
            let lost = next.is_none() || self.source.at_line_start() && self.at_heading();
            let Some(next) = next.filter(|_| !lost) else {
                return Err(at.error(SyntaxError::UnterminatedComment));
            };
            self.source.bump();
            if next == '}' {
                return Ok(Token::Comment(text));
            }
            push(&mut text, next, "comment", self.limits.text, at)?;
        }
    }

    fn line_comment(&mut self, at: Location) -> Result<Token, PgnError> {
        self.source.bump();
        let text = self.source.rest().to_owned();
        self.source.skip_line();
        if text.len() > self.limits.text {
            let (what, limit) = ("comment", self.limits.text);
            return Err(at.error(SyntaxError::TooLong { what, limit }));
        }
        Ok(Token::Comment(text))
    }

    fn nag(&mut self, at: Location) -> Result<Token, PgnError> {
        self.source.bump();
        let digits = self.run(at, |c| c.is_ascii_digit())?;
        match digits.parse() {
            Ok(number) => Ok(Token::Nag(Nag(number))),
            Err(_) => Err(at.error(SyntaxError::NagRange {
                found: excerpt(&digits),
            })),
        }
    }

    fn suffix(&mut self, at: Location) -> Result<Token, PgnError> {
        let found = self.run(at, |c| matches!(c, '!' | '?'))?;
        match Nag::from_glyph(&found) {
            Some(nag) => Ok(Token::Nag(nag)),
            None => Err(at.error(SyntaxError::Suffix {
                found: excerpt(&found),
            })),
        }
    }

    fn word(&mut self, at: Location) -> Result<Token, PgnError> {
        let text = self.run(at, is_word_char)?;
        let token = word_token(text).map_err(|found| {
            let found = excerpt(&found);
            at.error(SyntaxError::NotAMove { found })
        })?;
        // "exd6 e.p." would otherwise come out as two more moves
        if matches!(token, Token::Move(_)) && self.source.peek()? == Some('.') {
            let (found, expected) = ('.', "dots only behind a move number");
            return Err(self
                .source
                .location()
                .error(SyntaxError::Unexpected { found, expected }));
        }
        Ok(token)
    }

    /// The characters from here on that satisfy `keep`.
    fn run(&mut self, at: Location, keep: impl Fn(char) -> bool) -> Result<String, PgnError> {
        let mut text = String::new();
        while let Some(next) = self.source.peek()?.filter(|&c| keep(c)) {
            self.source.bump();
            push(&mut text, next, "word", self.limits.word, at)?;
        }
        Ok(text)
    }

    /// The name in a tag pair, with the bracket before it and the quote after it stepped over.
    pub(super) fn tag_name(&mut self) -> Result<String, PgnError> {
        self.tag_sign('[', "[")?;
        self.skip_blanks()?;
        let at = self.source.location();
        let name = self.run(at, is_name_char)?;
        if name.is_empty() {
            return Err(self.tag_error("a tag name of letters, digits and underscores")?);
        }
        self.skip_blanks()?;
        self.tag_sign('"', "the tag's value in double quotes")?;
        Ok(name)
    }

    /// The value in a tag pair after its opening quote, with the closing bracket stepped over.
    pub(super) fn tag_value(&mut self) -> Result<String, PgnError> {
        let at = self.source.location();
        let mut value = String::new();
        loop {
            let mut next = match self.source.peek()? {
                None | Some('\n') => return Err(self.tag_error("the value's closing quote")?),
                Some(next) => next,
            };
            self.source.bump();
            if next == '"' {
                break;
            }
            if next == '\\'
                && let Some(escaped @ ('"' | '\\')) = self.source.peek()?
            {
                self.source.bump();
                next = escaped;
            }
            push(&mut value, next, "tag value", self.limits.text, at)?;
        }
        self.skip_blanks()?;
        self.tag_sign(
            ']',
            "] at the end of the tag pair, and quotes in the value as \\\"",
        )?;
        Ok(value)
    }

    fn skip_blanks(&mut self) -> Result<(), PgnError> {
        while self
            .source
            .peek()?
            .is_some_and(|c| c != '\n' && c.is_whitespace())
        {
            self.source.bump();
        }
        Ok(())
    }

    fn tag_sign(&mut self, sign: char, expected: &'static str) -> Result<(), PgnError> {
        if self.source.peek()? != Some(sign) {
            return Err(self.tag_error(expected)?);
        }
        self.source.bump();
        Ok(())
    }

    fn tag_error(&mut self, expected: &'static str) -> Result<PgnError, PgnError> {
        let reason = match self.source.peek()? {
            None | Some('\n') => SyntaxError::UnterminatedTag { expected },
            Some(found) => SyntaxError::Unexpected { found, expected },
        };
        Ok(self.source.location().error(reason))
    }

    /// Whether a tag pair seems to begin here.
    pub(super) fn at_tag(&self) -> bool {
        tag_name_at(self.source.rest()).is_some()
    }

    /// Whether a tag pair that stands above the moves of a game seems to begin here.
    fn at_heading(&self) -> bool {
        tag_name_at(self.source.rest()).is_some_and(|name| HEADING.contains(&name))
    }

    /// Whether the tag pair that opens a game seems to begin here.
    pub(super) fn at_event(&self) -> bool {
        tag_name_at(self.source.rest()) == Some("Event")
    }
}

impl Location {
    pub(super) const fn error(self, reason: SyntaxError) -> PgnError {
        PgnError { at: self, reason }
    }
}

/// Tags that nobody writes at the start of a line in a comment: the roster, and those that say where the game starts.
const HEADING: [&str; 10] = [
    "Event", "Site", "Date", "Round", "White", "Black", "Result", "Variant", "SetUp", "FEN",
];

/// The name, if a text begins with a tag pair as far as its opening quote.
fn tag_name_at(text: &str) -> Option<&str> {
    let text = text
        .trim_ascii_start()
        .strip_prefix('[')?
        .trim_ascii_start();
    let (name, rest) = text.split_at(text.find(|c| !is_name_char(c))?);
    (!name.is_empty() && rest.trim_ascii_start().starts_with('"')).then_some(name)
}

/// Whether tag names may contain a character: besides the standard's letters, digits and underscore, the other
/// signs that it allows in symbols.
pub(super) const fn is_name_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '+' | '#' | '=' | ':' | '-')
}

/// Whether moves, numbers and results may contain a character: letters, digits, some signs, and every visible
/// character that is not ASCII (piece figurines among them).
fn is_word_char(c: char) -> bool {
    match c {
        '+' | '#' | '=' | ':' | '-' | '/' | '@' | '_' | '\'' | '~' | '^' | '&' | ',' => true,
        _ if c.is_ascii() => c.is_ascii_alphanumeric(),
        _ => !(c.is_whitespace() || c.is_control()),
    }
}

/// Whether a text can stand as a move in PGN.
pub(super) fn is_move(text: &str) -> bool {
    text.chars().all(is_word_char) && matches!(word_token(text.to_owned()), Ok(Token::Move(_)))
}

/// What a word is. Gives the word back if it is nothing.
fn word_token(text: String) -> Result<Token, String> {
    if let Some(result) = GameResult::from_marker(&text) {
        return Ok(Token::Result(result));
    }
    if let Some(nag) = Nag::from_glyph(&text)
        && matches!(nag.glyph(), Some(Glyph::Word(_)))
    {
        return Ok(Token::Nag(nag));
    }
    if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Ok(Token::Number);
    }
    // null moves as common programs write them have neither letters nor digits
    if matches!(text.as_str(), "--" | "@@@@") || text.contains(char::is_alphanumeric) {
        return Ok(Token::Move(text));
    }
    Err(text)
}

/// Adds a character to a text that may have at most `limit` bytes.
fn push(
    text: &mut String,
    c: char,
    what: &'static str,
    limit: usize,
    at: Location,
) -> Result<(), PgnError> {
    if text.len() + c.len_utf8() > limit {
        return Err(at.error(SyntaxError::TooLong { what, limit }));
    }
    text.push(c);
    Ok(())
}

/// The start of a text, short enough for an error message.
pub(super) fn excerpt(text: &str) -> String {
    text.chars().take(24).collect()
}
