//! A reader that keeps the text of the game being read, so that the place of a wrong move can be found.

use std::cell::RefCell;
use std::io::{self, BufRead, Read};
use std::rc::Rc;

/// Most bytes kept; a longer game is refused by the PGN reader.
const MOST: usize = 16 << 20;

/// What has been read since the game's first line.
struct Kept {
    text: Vec<u8>,
    /// Line number of the kept text's first line, from 1.
    line: u64,
}

/// The text read so far, for code other than the reader.
#[derive(Clone)]
pub struct Recording(Rc<RefCell<Kept>>);

/// A reader that keeps what it has read.
pub struct Tape<R> {
    from: R,
    kept: Recording,
}

impl<R: BufRead> Tape<R> {
    /// Keeps what is read from `from`.
    pub fn new(from: R) -> Tape<R> {
        let kept = Kept {
            text: Vec::new(),
            line: 1,
        };
        Tape {
            from,
            kept: Recording(Rc::new(RefCell::new(kept))),
        }
    }

    /// The kept text.
    pub fn recording(&self) -> Recording {
        self.kept.clone()
    }
}

impl Recording {
    /// Drops all lines before the given one.
    pub fn forget_before(&self, line: u64) {
        let mut kept = self.0.borrow_mut();
        let mut at = 0;
        while kept.line < line && at < kept.text.len() {
            at += line_length(&kept.text[at..]);
            kept.line += 1;
        }
        kept.text.drain(..at);
    }

    /// Shows the text with the number of its first line.
    pub fn with<T>(&self, show: impl FnOnce(&[u8], u64) -> T) -> T {
        let kept = self.0.borrow();
        show(&kept.text, kept.line)
    }
}

/// Length of the first line, including its LF, CR or both.
pub fn line_length(text: &[u8]) -> usize {
    let Some(end) = text.iter().position(|b| matches!(b, b'\n' | b'\r')) else {
        return text.len();
    };
    match text[end..] {
        [b'\r', b'\n', ..] => end + 2,
        _ => end + 1,
    }
}

impl<R: BufRead> Read for Tape<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let n = self.fill_buf()?.read(into)?;
        self.consume(n);
        Ok(n)
    }
}

impl<R: BufRead> BufRead for Tape<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.from.fill_buf()
    }

    fn consume(&mut self, n: usize) {
        let mut kept = self.kept.0.borrow_mut();
        // What is consumed was returned by `fill_buf` before, so it is still at hand.
        if let Ok(shown) = self.from.fill_buf()
            && kept.text.len() < MOST
        {
            kept.text.extend_from_slice(&shown[..n.min(shown.len())]);
        }
        self.from.consume(n);
    }
}
