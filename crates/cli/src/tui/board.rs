//! The board on the screen: the size and place of its squares, and painting what [`render::text`] gives, with each of
//! its cells spread over a square.

use super::keys::BAR;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};
use render::text::{Colors, Span, TextStyle};
use render::{Picture, Rgb};

/// Columns that the panel beside the board needs.
pub const PANEL: u16 = 34;
/// Rows above and below the board: title, entry and bar.
const ROWS: u16 = 3;
/// Least rows for the panel and these.
const LEAST_ROWS: u16 = 18;
/// Sizes of a square, the best first.
const SIZES: [(u16, u16); 6] = [(8, 4), (6, 3), (5, 3), (4, 2), (3, 1), (2, 1)];

/// Where things are on the screen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// The line at the top.
    pub title: Rect,
    /// The board with the names of its files and ranks.
    pub board: Rect,
    /// Clocks, moves, messages.
    pub panel: Rect,
    /// What is typed.
    pub entry: Rect,
    /// The function keys.
    pub bar: Rect,
    /// Width and height of a square.
    pub cell: (u16, u16),
    /// Columns of the names of the ranks.
    margin: u16,
    files: u16,
    ranks: u16,
}

impl Layout {
    /// A layout for a board with that many files and ranks; if the screen is too small, the error is the least size.
    pub fn new(area: Rect, files: u8, ranks: u8) -> Result<Layout, (u16, u16)> {
        let (files, ranks) = (u16::from(files), u16::from(ranks));
        let margin = if ranks > 9 { 3 } else { 2 };
        let needs = |(w, h): (u16, u16)| {
            let height = (ranks * h + 1 + ROWS).max(LEAST_ROWS);
            (margin + files * w + 2 + PANEL, height)
        };
        let fits = |size: &&(u16, u16)| {
            let (w, h) = needs(**size);
            w <= area.width && h <= area.height
        };
        let cell = *SIZES.iter().find(fits).ok_or_else(|| needs(SIZES[5]))?;
        let width = margin + files * cell.0;
        let height = ranks * cell.1 + 1;
        let row = |y: u16| Rect::new(area.x, y, area.width, 1);
        let spare = area.height - ROWS - height;
        let board = Rect::new(area.x, area.y + 1 + spare / 2, width, height);
        Ok(Layout {
            title: row(area.y),
            board,
            panel: Rect::new(
                area.x + width + 2,
                area.y + 1,
                area.width - width - 2,
                area.height - ROWS,
            ),
            entry: row(area.bottom() - 2),
            bar: row(area.bottom() - 1),
            cell,
            margin,
            files,
            ranks,
        })
    }

    /// Column and row of the square at a point of the screen, as seen.
    pub fn place(&self, x: u16, y: u16) -> Option<(u8, u8)> {
        let x = x.checked_sub(self.board.x + self.margin)? / self.cell.0;
        let y = y.checked_sub(self.board.y)? / self.cell.1;
        let inside = x < self.files && y < self.ranks;
        Some((u8::try_from(x).ok()?, u8::try_from(y).ok()?)).filter(|_| inside)
    }

    /// The function key whose name on the bar is at a point of the screen.
    pub fn bar_key(&self, x: u16, y: u16) -> Option<u8> {
        if y != self.bar.y {
            return None;
        }
        let mut end = self.bar.x;
        let found = BAR.iter().position(|(key, name)| {
            end += (key.len() + name.len() + 1) as u16;
            x < end
        });
        found.and_then(|i| u8::try_from(i + 1).ok())
    }

    /// The area of a square as seen.
    fn square(&self, column: u16, row: u16) -> Rect {
        let (w, h) = self.cell;
        Rect::new(
            self.board.x + self.margin + column * w,
            self.board.y + row * h,
            w,
            h,
        )
    }

    /// Paints a picture.
    pub fn paint(
        &self,
        picture: &Picture,
        style: &TextStyle,
        cursor: Option<(u8, u8)>,
        buffer: &mut Buffer,
    ) {
        let lines = render::text::lines(picture, style);
        for (row, line) in (0..self.ranks).zip(&lines) {
            let Some((name, cells)) = line.split_first() else {
                continue;
            };
            let middle = self.board.y + row * self.cell.1 + (self.cell.1 - 1) / 2;
            buffer.set_string(self.board.x, middle, &name.text, dim());
            for (column, span) in (0..self.files).zip(cells) {
                let at = u8::try_from(column).ok().zip(u8::try_from(row).ok());
                let under_cursor = cursor.is_some() && at == cursor;
                self.paint_square(
                    self.square(column, row),
                    span,
                    style.colors,
                    under_cursor,
                    buffer,
                );
            }
        }
        let Some(names) = lines.get(usize::from(self.ranks)) else {
            return;
        };
        for (column, span) in (0..self.files).zip(names.iter().skip(1)) {
            let x = self.square(column, 0).x + (self.cell.0 - 1) / 2;
            let y = self.board.bottom() - 1;
            buffer.set_string(x, y, span.text.trim_end(), dim());
        }
    }

    fn paint_square(
        &self,
        area: Rect,
        span: &Span,
        colors: Colors,
        cursor: bool,
        buffer: &mut Buffer,
    ) {
        let mut look = look(span, colors);
        let missing = span.bg.is_none() && span.text.trim().is_empty();
        if cursor && !missing {
            look = look.bg(color(CURSOR, colors)).add_modifier(match colors {
                Colors::None => Modifier::REVERSED,
                _ => Modifier::BOLD,
            });
        }
        buffer.set_style(area, look);
        let x = area.x + (area.width - 1) / 2;
        let y = area.y + (area.height - 1) / 2;
        buffer.set_string(x, y, span.text.trim_end(), look);
        if let Some((sign, mark)) = span.mark
            && x + 1 < area.right()
        {
            buffer.set_string(x + 1, y, sign.to_string(), look.fg(color(mark, colors)));
        }
        if cursor && area.width >= 4 {
            buffer.set_string(area.x, y, "▐", look.fg(Color::Black));
            buffer.set_string(area.right() - 1, y, "▌", look.fg(Color::Black));
        }
    }
}

/// Colour of the square under the cursor.
const CURSOR: Rgb = Rgb(0x4f, 0xa8, 0xe0);

/// Text that is not important.
pub fn dim() -> Style {
    Style::new().add_modifier(Modifier::DIM)
}

fn look(span: &Span, colors: Colors) -> Style {
    let mut style = Style::new();
    if let Some(fg) = span.fg {
        style = style.fg(color(fg, colors));
    }
    if let Some(bg) = span.bg {
        style = style.bg(color(bg, colors));
    }
    if span.bold {
        style = style.add_modifier(Modifier::BOLD);
    }
    style
}

/// A colour in the terminal's form.
pub fn color(rgb: Rgb, colors: Colors) -> Color {
    match colors {
        Colors::None => Color::Reset,
        Colors::Ansi256 => Color::Indexed(rgb.ansi256()),
        Colors::True => Color::Rgb(rgb.0, rgb.1, rgb.2),
    }
}
