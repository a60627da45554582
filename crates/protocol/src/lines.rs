//! Lines of any input: bounded in length, no matter what the bytes are.

use std::io::{BufRead, BufReader, Read};

/// The longest line that is read, in bytes. A game of ten thousand moves fits.
pub const MAX_LINE: usize = 1 << 17;

/// What was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InputLine {
    /// A line without its end; bytes that are not valid text are replaced.
    Text(String),
    /// A line longer than [`MAX_LINE`], which was skipped.
    TooLong,
}

/// Reads lines until the end of the input or a read error.
///
/// ```
/// use husun_protocol::{InputLine, Lines};
/// let lines: Vec<InputLine> = Lines::new(&b"uci\r\nquit"[..]).collect();
/// assert_eq!(lines, [InputLine::Text("uci".into()), InputLine::Text("quit".into())]);
/// ```
pub struct Lines<R> {
    input: BufReader<R>,
}

impl<R: Read> Lines<R> {
    /// The lines of an input.
    pub fn new(input: R) -> Lines<R> {
        Lines {
            input: BufReader::new(input),
        }
    }

    /// Skips the rest of the line; false at the end of the input.
    fn skip_line(&mut self) -> bool {
        loop {
            let Ok(buffer) = self.input.fill_buf() else {
                return false;
            };
            if buffer.is_empty() {
                return false;
            }
            let end = buffer.iter().position(|&b| b == b'\n');
            let used = end.map_or(buffer.len(), |i| i + 1);
            self.input.consume(used);
            if end.is_some() {
                return true;
            }
        }
    }
}

impl<R: Read> Iterator for Lines<R> {
    type Item = InputLine;

    fn next(&mut self) -> Option<InputLine> {
        let mut bytes = Vec::new();
        let limit = MAX_LINE as u64 + 1;
        let read = (&mut self.input)
            .take(limit)
            .read_until(b'\n', &mut bytes)
            .ok()?;
        if read == 0 {
            return None;
        }
        if bytes.last() != Some(&b'\n') && bytes.len() > MAX_LINE {
            self.skip_line();
            return Some(InputLine::TooLong);
        }
        while bytes.last().is_some_and(|b| matches!(b, b'\n' | b'\r')) {
            bytes.pop();
        }
        Some(InputLine::Text(
            String::from_utf8_lossy(&bytes).into_owned(),
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_and_strange_bytes() {
        let mut input = vec![b'x'; 3 * MAX_LINE];
        input.extend_from_slice(b"\n\xff\xfe\0\n\nlast");
        let lines: Vec<InputLine> = Lines::new(&input[..]).collect();
        let text = |s: &str| InputLine::Text(s.into());
        let expected = [
            InputLine::TooLong,
            text("\u{fffd}\u{fffd}\0"),
            text(""),
            text("last"),
        ];
        assert_eq!(lines, expected);
    }
}
