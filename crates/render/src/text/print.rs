//! Lines of spans as a string, plain or with ANSI escapes.

use super::{Colors, Span, StyledLine};
use crate::color::Rgb;

/// Prints lines, each ended by a line feed. Without colours, trailing spaces are left out.
///
/// ```
/// use husun_render::Rgb;
/// use husun_render::text::{Colors, Span, print};
/// let span = Span { text: "K ".into(), fg: Some(Rgb(255, 0, 0)), bg: None, bold: true, mark: None };
/// let lines = [vec![span]];
/// assert_eq!(print(&lines, Colors::None), "K\n");
/// assert_eq!(print(&lines, Colors::Ansi256), "\x1b[0;1;38;5;196mK \x1b[0m\n");
/// assert_eq!(print(&lines, Colors::True), "\x1b[0;1;38;2;255;0;0mK \x1b[0m\n");
/// ```
pub fn print(lines: &[StyledLine], colors: Colors) -> String {
    let mut text = String::new();
    for line in lines {
        match colors {
            Colors::None => {
                let line: String = line.iter().map(|s| s.text.as_str()).collect();
                text.push_str(line.trim_end());
            }
            Colors::Ansi256 | Colors::True => colored(line, colors, &mut text),
        }
        text.push('\n');
    }
    text
}

fn colored(line: &[Span], colors: Colors, text: &mut String) {
    let mut last = String::from("\x1b[0m");
    for span in line {
        let own = code(span, colors);
        if own != last {
            text.push_str(&own);
            last = own;
        }
        match span.mark {
            None => text.push_str(&span.text),
            Some((sign, color)) => {
                text.push_str(span.text.strip_suffix(' ').unwrap_or(&span.text));
                let fg = Some(color);
                last = code(&Span { fg, ..span.clone() }, colors);
                text.push_str(&last);
                text.push(sign);
            }
        }
    }
    if last != "\x1b[0m" {
        text.push_str("\x1b[0m");
    }
}

/// The escape that sets the span's look, whatever was set before.
fn code(span: &Span, colors: Colors) -> String {
    let number = |layer: u8, color: Rgb| match colors {
        Colors::True => format!(";{layer};2;{};{};{}", color.0, color.1, color.2),
        _ => format!(";{layer};5;{}", color.ansi256()),
    };
    let bold = if span.bold { ";1" } else { "" };
    let fg = span.fg.map_or(String::new(), |c| number(38, c));
    let bg = span.bg.map_or(String::new(), |c| number(48, c));
    format!("\x1b[0{bold}{fg}{bg}m")
}
