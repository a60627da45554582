//! Characters of a PGN text with their place, line by line from any [`BufRead`], in constant memory.
//! Byte order mark, line ends and character encoding are settled here; what characters mean is not.

use std::io::{BufRead, ErrorKind};
use std::mem;

use super::error::{Location, PgnError, SyntaxError};

/// A place in the current line to come back to.
#[derive(Clone, Copy)]
pub(super) struct Mark {
    offset: usize,
    column: usize,
}

#[derive(Debug)]
pub(super) struct Source<R> {
    from: R,
    limit: usize,
    line: String,
    /// Whether `line` is the current line, or one that is all used up.
    loaded: bool,
    offset: usize,
    number: u64,
    column: usize,
    /// Whether the last line ended in CR, so that an LF now is part of that end.
    after_cr: bool,
    taken: u64,
}

impl<R: BufRead> Source<R> {
    /// Characters from `from`; a line of more than `limit` bytes is an error.
    pub(super) const fn new(from: R, limit: usize) -> Self {
        Self {
            from,
            limit,
            line: String::new(),
            loaded: false,
            offset: 0,
            number: 0,
            column: 1,
            after_cr: false,
            taken: 0,
        }
    }

    /// The next character, `\n` at each end of a line, `None` at the end of the text.
    pub(super) fn peek(&mut self) -> Result<Option<char>, PgnError> {
        if !self.loaded && !self.load()? {
            return Ok(None);
        }
        Ok(Some(self.rest().chars().next().unwrap_or('\n')))
    }

    /// Steps over the character that [`peek`](Self::peek) showed.
    pub(super) fn bump(&mut self) {
        match self.rest().chars().next() {
            Some(c) => {
                self.offset += c.len_utf8();
                self.column += 1;
            }
            None => self.loaded = false,
        }
    }

    /// What is left of the current line; nothing between lines.
    pub(super) fn rest(&self) -> &str {
        self.line.get(self.offset..).unwrap_or_default()
    }

    /// Steps over the rest of the current line and its end.
    pub(super) fn skip_line(&mut self) {
        self.loaded = false;
        self.offset = self.line.len();
    }

    /// Whether the next character is the first of a line.
    pub(super) const fn at_line_start(&self) -> bool {
        self.offset == 0
    }

    pub(super) const fn mark(&self) -> Mark {
        Mark {
            offset: self.offset,
            column: self.column,
        }
    }

    /// Goes back to a mark set in the current line.
    pub(super) const fn rewind(&mut self, mark: Mark) {
        self.offset = mark.offset;
        self.column = mark.column;
    }

    /// The place of the next character.
    pub(super) const fn location(&self) -> Location {
        let line = if self.number == 0 { 1 } else { self.number };
        Location {
            line,
            column: self.column,
        }
    }

    /// How many bytes have been taken so far, whole lines at a time.
    pub(super) const fn taken(&self) -> u64 {
        self.taken
    }

    /// Makes the next line the current one, if there is one.
    fn load(&mut self) -> Result<bool, PgnError> {
        self.line.clear();
        self.offset = 0;
        let mut bytes = mem::take(&mut self.line).into_bytes();
        let read = self.read_line(&mut bytes);
        // the end of the text is located after the last line
        let Some(complete) = read.map_err(|error| self.error(SyntaxError::Io(error)))? else {
            return Ok(false);
        };
        self.number += 1;
        self.column = 1;
        if !complete {
            return Err(self.error(SyntaxError::TooLong {
                what: "line",
                limit: self.limit,
            }));
        }
        // Latin-1 is the standard's own encoding, and what old files hold
        self.line = String::from_utf8(bytes)
            .unwrap_or_else(|wrong| wrong.as_bytes().iter().copied().map(char::from).collect());
        if self.number == 1 && self.line.starts_with('\u{feff}') {
            self.line.remove(0);
        }
        self.loaded = true;
        Ok(true)
    }

    /// Reads up to the end of the line: `None` at the end of the text, else whether all of it was within the
    /// limit. The excess is dropped.
    fn read_line(&mut self, bytes: &mut Vec<u8>) -> std::io::Result<Option<bool>> {
        let mut read = None;
        loop {
            let buffer = match self.from.fill_buf() {
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                buffer => buffer?,
            };
            let Some(&first) = buffer.first() else {
                return Ok(read);
            };
            if mem::take(&mut self.after_cr) && first == b'\n' {
                self.from.consume(1);
                continue;
            }
            let end = buffer.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
            let (text, ending) = buffer.split_at(end.unwrap_or(buffer.len()));
            let room = self.limit.saturating_sub(bytes.len());
            bytes.extend_from_slice(text.get(..room).unwrap_or(text));
            read = Some(read != Some(false) && text.len() <= room);
            self.after_cr = ending.first() == Some(&b'\r');
            let used = text.len() + usize::from(end.is_some());
            self.taken += used as u64;
            self.from.consume(used);
            if end.is_some() {
                return Ok(read);
            }
        }
    }

    const fn error(&self, reason: SyntaxError) -> PgnError {
        PgnError {
            at: self.location(),
            reason,
        }
    }
}
