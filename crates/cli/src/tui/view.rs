//! Draws a game: title, board, panel, typed text, keys, and the popup in front.

use super::app::App;
use super::board::{Layout, dim};
use super::keys::{BAR, OTHERS};
use super::panel;
use super::popup::{PathFor, Popup, label};
use crate::play::command::WORDS;
use crate::show::text_style;
use husun::Side;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span, Text};
use ratatui::widgets::{Block, BorderType, Clear, Paragraph, Wrap};
use render::{Ink, Picture};
use std::time::Duration;

/// Draws everything.
pub fn draw(frame: &mut Frame<'_>, app: &mut App<'_>, now: Duration) {
    let area = frame.area();
    let board = app.position().variant().frame();
    match Layout::new(area, board.files(), board.ranks()) {
        Err(least) => {
            app.layout = None;
            match &app.popup {
                Some(popup @ Popup::Confirm(_)) => draw_popup(frame, app, popup, area),
                _ => too_small(frame, area, least),
            }
        }
        Ok(layout) => {
            game(frame, app, &layout, now);
            app.layout = Some(layout);
        }
    }
}

/// Says that the terminal is too small.
pub fn too_small(frame: &mut Frame<'_>, area: Rect, (width, height): (u16, u16)) {
    let text = format!(
        "This terminal has {} columns and {} rows. Please make it at least {width} by {height}, or \
         choose a smaller font. Ctrl-C leaves.",
        area.width, area.height
    );
    frame.render_widget(Paragraph::new(text).wrap(Wrap { trim: true }), area);
}

fn game(frame: &mut Frame<'_>, app: &App<'_>, layout: &Layout, now: Duration) {
    title(frame, app, layout.title);
    let picture = picture(app);
    let cursor = picture.place(app.cursor).filter(|_| app.cursor_shown);
    let style = text_style(app.look.signs, app.look.theme);
    layout.paint(&picture, &style, cursor, frame.buffer_mut());
    panel::draw(frame, app, layout.panel, now);
    entry(frame, app, layout.entry);
    bar(frame, layout.bar);
    if let Some(popup) = &app.popup {
        draw_popup(frame, app, popup, frame.area());
    }
}

/// The board with the last move, check, the selected piece with its targets, and the hint.
fn picture(app: &App<'_>) -> Picture {
    let mut picture = Picture::of(app.position()).view(app.view);
    if let Some(&m) = app.timed().game().moves().last() {
        picture = picture.last_move(m);
    }
    if let Some(from) = app.selected {
        picture = picture.legal_targets(app.position(), from);
    }
    if let Some(hint) = app.hint {
        picture = picture.arrow(hint.from(), hint.to(), Ink::Blue);
    }
    picture
}

fn title(frame: &mut Frame<'_>, app: &App<'_>, area: Rect) {
    let variant = app.position().variant();
    let over = app.timed().game().outcome().is_some();
    let status = match (over, app.position().turn()) {
        (true, _) => "game over".to_string(),
        (false, side) if app.position().in_check() => format!("{} to move, in check", side.name()),
        (false, side) => format!("{} to move", side.name()),
    };
    let name = Style::new().add_modifier(Modifier::BOLD);
    let line = Line::from(vec![
        Span::styled(format!(" {} ", variant.name()), name),
        Span::styled(format!(" {status}"), dim()),
    ]);
    frame.render_widget(line, area);
}

fn entry(frame: &mut Frame<'_>, app: &App<'_>, area: Rect) {
    let side = match app.timed().actor() {
        Side::White => "White",
        Side::Black => "Black",
    };
    let prompt = format!(" {side} › ");
    let line = Line::from(vec![
        Span::styled(prompt.clone(), Style::new().fg(Color::Cyan)),
        Span::raw(app.entry.clone()),
    ]);
    frame.render_widget(line, area);
    if app.popup.is_none() {
        let x = area.x + (prompt.chars().count() + app.entry.chars().count()) as u16;
        frame.set_cursor_position((x.min(area.right().saturating_sub(1)), area.y));
    }
}

fn bar(frame: &mut Frame<'_>, area: Rect) {
    let key = Style::new().add_modifier(Modifier::BOLD);
    let name = Style::new().fg(Color::Black).bg(Color::Cyan);
    let spans = BAR.iter().flat_map(|(k, n)| {
        [
            Span::styled(*k, key),
            Span::styled(*n, name),
            Span::raw(" "),
        ]
    });
    frame.render_widget(Line::from_iter(spans), area);
}

fn draw_popup(frame: &mut Frame<'_>, app: &App<'_>, popup: &Popup, area: Rect) {
    match popup {
        Popup::Help { scroll } => {
            let text = help();
            boxed(frame, area, " Help, any key closes ", text, *scroll);
        }
        Popup::Text { title, text } => {
            let title = format!(" {title}, any key closes ");
            boxed(frame, area, &title, Text::raw(text.clone()), 0);
        }
        Popup::Choice { moves, at } => {
            let lines = moves.iter().enumerate().map(|(i, &m)| {
                let text = format!(" {} ", label(m, app.position()));
                match i == *at {
                    true => Line::styled(text, Style::new().add_modifier(Modifier::REVERSED)),
                    false => Line::raw(text),
                }
            });
            let text = Text::from_iter(lines);
            boxed(frame, area, " Which? Enter or letter, Esc ", text, 0);
        }
        Popup::Confirm(confirm) => {
            let text = Text::raw(format!("{}  y / n", confirm.question()));
            boxed(frame, area, " ", text, 0);
        }
        Popup::Path { what, text } => {
            let title = match what {
                PathFor::Save => " Save as PGN file, Esc leaves ",
                PathFor::Load => " Load PGN file, Esc leaves ",
            };
            boxed(frame, area, title, Text::raw(format!("{text}▏")), 0);
        }
    }
}

/// A box in the middle of an area, as large as its text needs.
fn boxed(frame: &mut Frame<'_>, area: Rect, title: &str, text: Text<'_>, scroll: u16) {
    let most = area.width.saturating_sub(6).clamp(10, 76);
    let wanted = (text.width() + 4).max(title.chars().count() + 4) as u16;
    let width = wanted.clamp(24, most.max(24)).min(area.width);
    let inner = width.saturating_sub(4).max(1);
    let rows: u16 = text
        .lines
        .iter()
        .map(|line| (line.width() as u16).div_ceil(inner).max(1))
        .sum();
    // Breaking at words may need one row more than the number of letters suggests.
    let broken = u16::from(rows as usize > text.lines.len());
    let height = (rows + broken + 2).min(area.height);
    let place = Rect::new(
        area.x + (area.width - width) / 2,
        area.y + (area.height - height) / 2,
        width,
        height,
    );
    let block = Block::bordered()
        .border_type(BorderType::Rounded)
        .title(title.to_string())
        .padding(ratatui::widgets::Padding::horizontal(1));
    frame.render_widget(Clear, place);
    let text = Paragraph::new(text)
        .block(block)
        .wrap(Wrap { trim: false })
        .scroll((scroll, 0));
    frame.render_widget(text, place);
}

fn help() -> Text<'static> {
    let key = Style::new().fg(Color::Cyan);
    let row = |name: String, what: &'static str| {
        Line::from(vec![
            Span::styled(format!("{name:<11}"), key),
            Span::raw(what),
        ])
    };
    let mut lines: Vec<Line> = OTHERS
        .iter()
        .map(|(k, what)| row((*k).into(), what))
        .collect();
    lines.push(Line::raw(""));
    lines.push(Line::raw(
        "Words that can be typed, besides the keys below:",
    ));
    let words = WORDS
        .iter()
        .filter(|(word, ..)| *word != "go" && *word != "board");
    lines.extend(words.map(|(word, file, what)| row(format!("{word} {file}"), what)));
    Text::from(lines)
}
