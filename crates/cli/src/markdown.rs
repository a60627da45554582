//! Markdown rendered for a terminal: headings, paragraphs, lists, tables and code, wrapped to a width, with colours or
//! as plain text.

use pulldown_cmark::{Alignment, Event, HeadingLevel, Options, Parser, Tag, TagEnd};
use unicode_width::UnicodeWidthStr;

/// How a run of words looks.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Look {
    bold: bool,
    italic: bool,
    code: bool,
}

/// A stretch of text in one look.
type Run = (String, Look);

/// Renders a Markdown text.
pub fn render(text: &str, width: usize, colour: bool) -> String {
    let mut setter = Setter {
        out: String::new(),
        width,
        colour,
        runs: Vec::new(),
        look: Look::default(),
        lists: Vec::new(),
        item: None,
        code: false,
        table: None,
    };
    for event in Parser::new_ext(text, Options::ENABLE_TABLES) {
        setter.take(event);
    }
    setter.out
}

#[derive(Default)]
struct Table {
    alignments: Vec<Alignment>,
    rows: Vec<Vec<Vec<Run>>>,
}

struct Setter {
    out: String,
    width: usize,
    colour: bool,
    runs: Vec<Run>,
    look: Look,
    /// Next numbers of the open lists; none for bullets.
    lists: Vec<Option<u64>>,
    /// The mark of the item whose first paragraph is being read.
    item: Option<String>,
    code: bool,
    table: Option<Table>,
}

impl Setter {
    fn take(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) if self.code => self.preformatted(&text),
            Event::Text(text) => self.runs.push((text.to_string(), self.look)),
            Event::Code(text) => {
                let look = Look {
                    code: true,
                    ..self.look
                };
                self.runs.push((text.to_string(), look));
            }
            Event::SoftBreak | Event::HardBreak => self.runs.push((" ".into(), self.look)),
            Event::Rule => {
                self.out.push_str(&"─".repeat(self.width));
                self.out.push_str("\n\n");
            }
            _ => {}
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Strong => self.look.bold = true,
            Tag::Emphasis => self.look.italic = true,
            Tag::List(first) => {
                self.paragraph();
                self.lists.push(first);
            }
            Tag::Item => {
                self.paragraph();
                self.item = Some(match self.lists.last_mut() {
                    Some(Some(number)) => {
                        *number += 1;
                        format!("{}. ", *number - 1)
                    }
                    _ => "• ".into(),
                });
            }
            Tag::CodeBlock(_) => {
                self.paragraph();
                self.code = true;
            }
            Tag::Table(alignments) => {
                self.table = Some(Table {
                    alignments,
                    rows: Vec::new(),
                });
            }
            Tag::TableHead | Tag::TableRow => {
                if let Some(table) = &mut self.table {
                    table.rows.push(Vec::new());
                }
            }
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Strong => self.look.bold = false,
            TagEnd::Emphasis => self.look.italic = false,
            TagEnd::Heading(level) => self.heading(level),
            TagEnd::Paragraph => {
                self.paragraph();
                if self.lists.is_empty() {
                    self.out.push('\n');
                }
            }
            TagEnd::Item => self.paragraph(),
            TagEnd::List(_) => {
                self.lists.pop();
                if self.lists.is_empty() {
                    self.out.push('\n');
                }
            }
            TagEnd::CodeBlock => {
                self.code = false;
                self.out.push('\n');
            }
            TagEnd::TableCell => {
                let cell = std::mem::take(&mut self.runs);
                if let Some(row) = self.table.as_mut().and_then(|t| t.rows.last_mut()) {
                    row.push(cell);
                }
            }
            TagEnd::Table => {
                if let Some(table) = self.table.take() {
                    self.set_table(&table);
                }
            }
            _ => {}
        }
    }

    fn heading(&mut self, level: HeadingLevel) {
        let text: String = self.runs.drain(..).map(|(text, _)| text).collect();
        let (style, under) = match level {
            HeadingLevel::H1 => ("1;33", Some('═')),
            HeadingLevel::H2 => ("1;36", Some('─')),
            _ => ("1", None),
        };
        self.styled(&text, style);
        self.out.push('\n');
        if let Some(under) = under {
            let line = under.to_string().repeat(text.width());
            self.styled(&line, style);
            self.out.push('\n');
        }
        self.out.push('\n');
    }

    /// Writes the words gathered so far as a paragraph, after the mark of a list item if one is waiting.
    fn paragraph(&mut self) {
        if self.runs.is_empty() {
            return;
        }
        let runs = std::mem::take(&mut self.runs);
        let depth = self.lists.len().saturating_sub(1) * 2;
        let mark = self.item.take();
        let inset = match (&mark, self.lists.is_empty()) {
            (Some(mark), _) => depth + mark.width(),
            (None, true) => 0,
            (None, false) => depth + 2,
        };
        let lines = break_runs(&runs, self.width.saturating_sub(inset).max(20));
        for (i, line) in lines.iter().enumerate() {
            match (&mark, i) {
                (Some(mark), 0) => self.out.push_str(&format!("{:depth$}{mark}", "")),
                _ => self.out.push_str(&" ".repeat(inset)),
            }
            self.line(line);
            self.out.push('\n');
        }
    }

    fn preformatted(&mut self, text: &str) {
        for line in text.lines() {
            self.out.push_str("    ");
            self.styled(line, "36");
            self.out.push('\n');
        }
    }

    fn line(&mut self, runs: &[Run]) {
        for (text, look) in runs {
            let style = match look {
                Look { code: true, .. } => "36",
                Look { bold: true, .. } => "1",
                Look { italic: true, .. } => "3",
                _ => "",
            };
            self.styled(text, style);
        }
    }

    fn styled(&mut self, text: &str, style: &str) {
        if self.colour && !style.is_empty() {
            self.out.push_str(&format!("\x1b[{style}m{text}\x1b[0m"));
        } else {
            self.out.push_str(text);
        }
    }

    fn set_table(&mut self, table: &Table) {
        let columns = table.rows.iter().map(Vec::len).max().unwrap_or(0);
        let widths = column_widths(table, columns, self.width);
        for (number, row) in table.rows.iter().enumerate() {
            let cells: Vec<Vec<Vec<Run>>> = widths
                .iter()
                .enumerate()
                .map(|(i, &w)| break_runs(row.get(i).map_or(&[][..], Vec::as_slice), w))
                .collect();
            let height = cells.iter().map(Vec::len).max().unwrap_or(0);
            for y in 0..height {
                for (i, cell) in cells.iter().enumerate() {
                    let runs = cell.get(y).map_or(&[][..], Vec::as_slice);
                    let pad = widths[i].saturating_sub(runs_width(runs));
                    let right = table.alignments.get(i) == Some(&Alignment::Right);
                    if right {
                        self.out.push_str(&" ".repeat(pad));
                    }
                    let bold = number == 0;
                    let runs: Vec<Run> = runs
                        .iter()
                        .map(|(t, l)| {
                            (
                                t.clone(),
                                Look {
                                    bold: bold || l.bold,
                                    ..*l
                                },
                            )
                        })
                        .collect();
                    self.line(&runs);
                    let more = cells[i + 1..].iter().any(|c| y < c.len());
                    if more {
                        let after = if right { 0 } else { pad };
                        self.out.push_str(&" ".repeat(after + 2));
                    }
                }
                self.out.push('\n');
            }
            if number == 0 {
                let lines: Vec<String> = widths.iter().map(|&w| "─".repeat(w)).collect();
                self.out.push_str(&lines.join("  "));
                self.out.push('\n');
            }
        }
        self.out.push('\n');
    }
}

/// Natural widths, with the widest columns narrowed until the table fits.
fn column_widths(table: &Table, columns: usize, width: usize) -> Vec<usize> {
    let mut widths: Vec<usize> = (0..columns)
        .map(|i| {
            let cells = table.rows.iter().filter_map(|row| row.get(i));
            cells.map(|c| runs_width(c)).max().unwrap_or(0).max(1)
        })
        .collect();
    let room = width.saturating_sub(2 * columns.saturating_sub(1));
    while widths.iter().sum::<usize>() > room {
        match widths.iter_mut().max() {
            Some(widest) if *widest > 8 => *widest -= 1,
            _ => break,
        }
    }
    widths
}

fn runs_width(runs: &[Run]) -> usize {
    runs.iter().map(|(text, _)| text.width()).sum()
}

/// Breaks runs into lines at spaces. Code stays whole if it fits on a line.
fn break_runs(runs: &[Run], width: usize) -> Vec<Vec<Run>> {
    let mut lines: Vec<Vec<Run>> = vec![Vec::new()];
    for piece in unbreakable(runs) {
        let Some(line) = lines.last_mut() else { break };
        let space = usize::from(!line.is_empty());
        if !line.is_empty() && runs_width(line) + space + runs_width(&piece) > width {
            lines.push(piece);
        } else {
            if space == 1 {
                line.push((" ".into(), Look::default()));
            }
            line.extend(piece);
        }
    }
    lines
}

/// The words of runs, each of which may have several looks, such as `**bold**, then`.
fn unbreakable(runs: &[Run]) -> Vec<Vec<Run>> {
    let mut words: Vec<Vec<Run>> = Vec::new();
    let mut glue = false;
    for (text, look) in runs {
        if look.code {
            match words.last_mut().filter(|_| glue) {
                Some(word) => word.push((text.clone(), *look)),
                None => words.push(vec![(text.clone(), *look)]),
            }
            glue = true;
            continue;
        }
        glue &= !text.starts_with(char::is_whitespace);
        for word in text.split_whitespace() {
            match words.last_mut().filter(|_| glue) {
                Some(last) => last.push((word.into(), *look)),
                None => words.push(vec![(word.into(), *look)]),
            }
            glue = false;
        }
        glue = !text.ends_with(char::is_whitespace) && !text.is_empty();
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_text_is_broken_and_keeps_no_marks() {
        let text = "# Title\n\nSome **bold** words, `e2e4` and\nmore of them.\n\n1. one\n2. two is longer than the line\n";
        let set = render(text, 30, false);
        assert_eq!(
            set,
            "Title\n═════\n\nSome bold words, e2e4 and more\nof them.\n\n1. one\n2. two is longer than the line\n\n"
        );
        assert_eq!(
            render("- a b c d e f g h i j k l m n o p", 24, false)
                .lines()
                .count(),
            3
        );
    }

    #[test]
    fn tables_fit_the_width() {
        let text = "| A | B |\n| --- | --- |\n| `x` | many words that have no room in one line |\n";
        let set = render(text, 30, false);
        assert!(set.lines().all(|line| line.width() <= 30), "{set}");
        assert!(set.contains("x  many words"), "{set}");
    }

    #[test]
    fn every_game_has_rules_that_can_be_set() {
        let told = games::ids().filter_map(|id| Some((id, games::rules(id)?)));
        for (id, text) in told {
            let set = render(text, 80, false);
            // Preformatted text, such as a position, is not broken.
            let broken = set.lines().filter(|line| !line.starts_with("    "));
            let wrong =
                |line: &&str| line.width() > 80 || line.contains("**") || line.contains('`');
            let wide: Vec<&str> = broken.filter(wrong).collect();
            assert!(wide.is_empty(), "{id}: {wide:?}");
        }
    }
}
