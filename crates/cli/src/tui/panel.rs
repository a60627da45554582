//! The panel beside the board: players with their clocks and captured pieces, the moves, the message.

use super::app::{App, Tone};
use super::board::dim;
use super::purpose_text;
use crate::play::timed_game::{Player, prisoners};
use crate::term::wrap;
use engine::Score;
use husun::clock::{Remaining, TimeControl};
use husun::{Kind, Side};
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span, Text};
use ratatui::widgets::{Block, Borders, Paragraph, Wrap};
use std::time::Duration;

/// Draws the panel.
pub fn draw(frame: &mut Frame<'_>, app: &App<'_>, area: Rect, now: Duration) {
    let top = players_text(app, app.view.opponent(), area.width, now);
    let bottom = players_text(app, app.view, area.width, now);
    let message = message(app);
    let [above, moves, below, said] = Layout::vertical([
        Constraint::Length(top.height() as u16),
        Constraint::Min(4),
        Constraint::Length(bottom.height() as u16),
        Constraint::Length(4),
    ])
    .areas(area);
    frame.render_widget(top, above);
    draw_moves(frame, app, moves);
    frame.render_widget(bottom, below);
    frame.render_widget(message, said);
}

/// A player's name, clock, prisoners and captures.
fn players_text(app: &App<'_>, side: Side, width: u16, now: Duration) -> Text<'static> {
    let timed = app.timed();
    let game = timed.game();
    let variant = game.variant();
    let turn = game.outcome().is_none() && game.turn() == side;
    let mut name = Style::new().add_modifier(Modifier::BOLD);
    if turn {
        name = name.fg(Color::Yellow);
    }
    let mark = if turn { "▶ " } else { "  " };
    let side_name = side.name();
    let looks = &variant.looks()[side.index()].name;
    let mut heading = vec![Span::styled(format!("{mark}{side_name}"), name)];
    if let computer @ Player::Computer(_) = timed.player(side) {
        heading.push(Span::raw(format!("  {}", computer.name())));
    }
    if !looks.eq_ignore_ascii_case(side_name) {
        heading.push(Span::styled(format!("  {looks}"), dim()));
    }
    let mut lines = vec![Line::from(heading)];
    if timed.control() != TimeControl::None {
        let left = timed.remaining(side, now);
        lines.push(clock_line(left, turn));
    }
    let letters = |kinds: &[Kind]| -> String {
        let mut kinds = kinds.to_vec();
        kinds.sort();
        kinds
            .iter()
            .map(|&k| side.cased(variant.piece(k).letter))
            .collect()
    };
    let lost = letters(&game.captured()[side.index()]);
    if !lost.is_empty() {
        let lost: String = lost
            .chars()
            .take(usize::from(width).saturating_sub(8))
            .collect();
        lines.push(Line::from(vec![
            Span::styled("  lost  ", dim()),
            Span::raw(lost),
        ]));
    }
    let held = prisoners(timed.position(), side);
    if !held.is_empty() {
        let names: Vec<&str> = held
            .iter()
            .map(|&k| variant.piece(k).name.as_str())
            .collect();
        let text = format!("in prison: {}", names.join(" and "));
        let rows = wrap(&text, usize::from(width).saturating_sub(4));
        lines.extend(rows.into_iter().map(|row| Line::raw(format!("  {row}"))));
    }
    Text::from(lines)
}

fn clock_line(left: Remaining, runs: bool) -> Line<'static> {
    let low = |time: Duration| time < Duration::from_secs(20);
    let style = |runs: bool, time: Duration| match (runs, low(time)) {
        (true, true) => Style::new().fg(Color::Red).add_modifier(Modifier::BOLD),
        (true, false) => Style::new().fg(Color::Green).add_modifier(Modifier::BOLD),
        (false, _) => dim(),
    };
    let mut spans = vec![Span::raw("  ")];
    let mut part = |name: &str, time: Duration, runs: bool| {
        if !name.is_empty() {
            spans.push(Span::styled(format!("{name} "), dim()));
        }
        spans.push(Span::styled(
            format!("{}  ", time_text(time)),
            style(runs, time),
        ));
    };
    match left {
        Remaining::Tiger {
            engagement,
            reserve,
        } => {
            let engaged = !engagement.is_zero();
            part("engaged", engagement, runs && engaged);
            part("reserve", reserve, runs && !engaged);
        }
        Remaining::Fischer { time } | Remaining::Correspondence { time } => part("", time, runs),
        Remaining::Delay { time, delay } => {
            part("", time, runs && delay.is_zero());
            part("delay", delay, runs && !delay.is_zero());
        }
        Remaining::Byoyomi {
            main,
            period,
            periods,
        } => {
            let in_main = !main.is_zero();
            part("main", main, runs && in_main);
            part(&format!("{periods} x"), period, runs && !in_main);
        }
        Remaining::Unlimited => {}
    }
    Line::from(spans)
}

/// A clock's time left, for people.
pub fn clock_text(left: Remaining) -> String {
    let line = clock_line(left, false);
    let text: String = line.spans.iter().map(|s| s.content.as_ref()).collect();
    text.trim().into()
}

/// Hours, minutes and seconds; tenths when time is short.
fn time_text(time: Duration) -> String {
    let all = time.as_secs();
    let (days, hours, minutes, seconds) = (all / 86_400, all / 3600 % 24, all / 60 % 60, all % 60);
    if days > 0 {
        format!("{days}d {hours:02}:{minutes:02}:{seconds:02}")
    } else if hours > 0 {
        format!("{hours}:{minutes:02}:{seconds:02}")
    } else if all >= 20 || time.is_zero() {
        format!("{minutes}:{seconds:02}")
    } else {
        format!("{minutes}:{seconds:02}.{}", time.subsec_millis() / 100)
    }
}

/// The moves in two columns, the last ones unless scrolled.
fn draw_moves(frame: &mut Frame<'_>, app: &App<'_>, area: Rect) {
    let game = app.timed().game();
    let sans = game.san_moves();
    let mut rows: Vec<Line> = Vec::new();
    let black_first = game.start().turn() == Side::Black;
    let shift = usize::from(black_first);
    let first = game.start().fullmove() as usize;
    let last = sans.len().wrapping_sub(1);
    let cell = |i: Option<usize>| match i.and_then(|i| sans.get(i).map(|san| (i, san))) {
        Some((i, san)) if i == last => Span::styled(
            format!("{san:<12}"),
            Style::new().fg(Color::Yellow).add_modifier(Modifier::BOLD),
        ),
        Some((_, san)) => Span::raw(format!("{san:<12}")),
        None => Span::raw(format!("{:<12}", "...")),
    };
    for row in 0..(sans.len() + shift).div_ceil(2) {
        let white = (2 * row).checked_sub(shift);
        let black = 2 * row + 1 - shift;
        let mut spans = vec![
            Span::styled(format!("{:>4} ", first + row), dim()),
            cell(white),
        ];
        if black < sans.len() {
            spans.push(cell(Some(black)));
        }
        rows.push(Line::from(spans));
    }
    let room = usize::from(area.height.saturating_sub(2));
    let hidden = rows.len().saturating_sub(room);
    let from = hidden - app.scroll.min(hidden);
    let title = match hidden {
        0 => " Moves ".to_string(),
        _ => format!(" Moves {}-{} of {} ", from + 1, from + room, rows.len()),
    };
    let shown: Vec<Line> = rows.into_iter().skip(from).take(room).collect();
    let block = Block::new()
        .borders(Borders::TOP | Borders::BOTTOM)
        .border_style(dim())
        .title(title);
    frame.render_widget(Paragraph::new(shown).block(block), area);
}

fn message(app: &App<'_>) -> Paragraph<'static> {
    let (tone, text) = &app.message;
    let over = app.timed().game().outcome().is_some();
    let style = match tone {
        Tone::Refusal => Style::new().fg(Color::Red),
        Tone::Plain if over => Style::new().fg(Color::Yellow).add_modifier(Modifier::BOLD),
        Tone::Plain => Style::new(),
    };
    let mut lines = vec![Line::styled(text.clone(), style)];
    if let Some(wish) = app.wish() {
        let mut thinking = format!("The computer is {}", purpose_text(wish.purpose));
        if let Some(info) = &app.progress {
            let score = match info.score {
                Score::Cp(cp) => format!("{:+.2}", f64::from(cp) / 100.0),
                Score::Mate(n) => format!("mate in {n}"),
            };
            thinking += &format!(", depth {}, {score}", info.depth);
        }
        lines.push(Line::styled(thinking, Style::new().fg(Color::Cyan)));
    }
    Paragraph::new(lines).wrap(Wrap { trim: true })
}
