//! What the program knows about the terminal: its width, whether there is one, and that a closed pipe is not an error.

use ratatui::crossterm::terminal;
use render::text::Colors;
use std::io::{self, IsTerminal};

/// Width of lines if there is no terminal to say otherwise.
const PLAIN_WIDTH: usize = 100;

/// Columns of standard output: the terminal's, within reason, or a fixed number for files and pipes.
pub fn width() -> usize {
    match terminal::size() {
        Ok((columns, _)) if io::stdout().is_terminal() => usize::from(columns).clamp(40, 120),
        _ => PLAIN_WIDTH,
    }
}

/// Whether colours may be written to standard output.
pub fn colour() -> bool {
    io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty())
}

/// How many colours standard output has.
pub fn colors() -> Colors {
    let all = ["truecolor", "24bit"];
    let says = std::env::var("COLORTERM").unwrap_or_default();
    match (colour(), all.contains(&says.as_str())) {
        (false, _) => Colors::None,
        (true, false) => Colors::Ansi256,
        (true, true) => Colors::True,
    }
}

/// Whether an error means that nobody reads standard output any more.
pub fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        let io = cause.downcast_ref::<io::Error>();
        let json = cause.downcast_ref::<serde_json::Error>();
        io.map(io::Error::kind)
            .or_else(|| json.and_then(serde_json::Error::io_error_kind))
            == Some(io::ErrorKind::BrokenPipe)
    })
}

/// Breaks a text at spaces into lines of at most `width` columns.
pub fn wrap(text: &str, width: usize) -> Vec<String> {
    use unicode_width::UnicodeWidthStr;
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let Some(line) = lines.last_mut() else { break };
        if line.is_empty() {
            line.push_str(word);
        } else if line.width() + 1 + word.width() <= width {
            line.push(' ');
            line.push_str(word);
        } else {
            lines.push(word.into());
        }
    }
    lines
}
