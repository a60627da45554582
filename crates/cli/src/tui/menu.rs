//! The menu: which game, against whom, at which level, with which clock.

use super::board::dim;
use super::view::too_small;
use crate::play::Terms;
use crate::play::timed_game::Player;
use engine::Level;
use games::Catalogue;
use husun::clock::TimeControl;
use husun::{Position, Side, Variant};
use ratatui::Frame;
use ratatui::crossterm::event::{Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span, Text};
use ratatui::widgets::{Block, List, ListState, Padding, Paragraph, Wrap};
use render::described::board_size;
use render::{Picture, TextStyle};
use std::sync::Arc;

/// The outcome of the menu.
pub enum Choice {
    /// Nothing chosen yet.
    Open,
    /// A game with its terms.
    Play(Box<Position>, Terms),
    /// No game.
    Quit,
}

/// Who plays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Who {
    White,
    Black,
    Two,
}

/// The settings below the games, each with the key that changes it.
const SETTINGS: [(char, &str); 4] = [
    ('p', "Players"),
    ('l', "Level"),
    ('c', "Clock"),
    ('s', "Set-up"),
];

/// Clocks to choose from.
const CLOCKS: [&str; 6] = [
    "none",
    "tiger:120m+60s",
    "tiger:20m+15s",
    "fischer:10m+5s",
    "fischer:3m+2s",
    "byoyomi:10m+5x30s",
];

/// Least columns and rows.
const LEAST: (u16, u16) = (60, 18);

/// The menu.
pub struct Menu {
    games: Vec<Arc<Variant>>,
    at: usize,
    who: Who,
    level: u8,
    clocks: Vec<TimeControl>,
    clock: usize,
    setup: usize,
}

impl Menu {
    /// A menu of all games; `terms` are the initial settings.
    pub fn new(games: &Catalogue, terms: Terms) -> Menu {
        let mut clocks: Vec<TimeControl> = CLOCKS.iter().filter_map(|c| c.parse().ok()).collect();
        if !clocks.contains(&terms.control) {
            clocks.push(terms.control);
        }
        let clock = clocks.iter().position(|c| *c == terms.control);
        let (who, level) = match terms.players {
            [Player::Human, Player::Human] => (Who::Two, 4),
            [Player::Computer(level), _] => (Who::Black, level.number()),
            [Player::Human, Player::Computer(level)] => (Who::White, level.number()),
        };
        Menu {
            games: games.games().collect(),
            at: 0,
            who,
            level,
            clock: clock.unwrap_or(0),
            clocks,
            setup: 0,
        }
    }

    fn game(&self) -> Option<&Arc<Variant>> {
        self.games.get(self.at)
    }

    /// Handles an event.
    pub fn take(&mut self, event: &Event) -> Choice {
        let Event::Key(KeyEvent {
            code,
            modifiers,
            kind,
            ..
        }) = event
        else {
            return Choice::Open;
        };
        if *kind == KeyEventKind::Release {
            return Choice::Open;
        }
        let last = self.games.len().saturating_sub(1);
        let before = self.at;
        match code {
            KeyCode::Char('c') if modifiers.contains(KeyModifiers::CONTROL) => return Choice::Quit,
            KeyCode::Esc | KeyCode::F(10) | KeyCode::Char('q') => return Choice::Quit,
            KeyCode::Up | KeyCode::Char('k') => self.at = self.at.saturating_sub(1),
            KeyCode::Down | KeyCode::Char('j') => self.at = (self.at + 1).min(last),
            KeyCode::Home => self.at = 0,
            KeyCode::End => self.at = last,
            KeyCode::Right | KeyCode::Char('+') => self.level = (self.level + 1).min(8),
            KeyCode::Left | KeyCode::Char('-') => self.level = self.level.saturating_sub(1).max(1),
            KeyCode::Char('l') => self.level = self.level % 8 + 1,
            KeyCode::Char('c') => self.clock = (self.clock + 1) % self.clocks.len().max(1),
            KeyCode::Char('p') => {
                self.who = match self.who {
                    Who::White => Who::Black,
                    Who::Black => Who::Two,
                    Who::Two => Who::White,
                };
            }
            KeyCode::Char('s') => {
                let setups = self.game().map_or(1, |g| g.setups().len().max(1));
                self.setup = (self.setup + 1) % setups;
            }
            KeyCode::Enter => {
                if let Some(position) = self.position() {
                    return Choice::Play(Box::new(position), self.terms());
                }
            }
            _ => {}
        }
        if self.at != before {
            self.setup = 0;
        }
        Choice::Open
    }

    fn position(&self) -> Option<Position> {
        let game = self.game()?;
        let named = game.setups().get(self.setup)?;
        game.start_of(&named.name)
    }

    fn terms(&self) -> Terms {
        let control = self
            .clocks
            .get(self.clock)
            .copied()
            .unwrap_or(TimeControl::None);
        let level = Level::new(self.level).unwrap_or(Level::FULL);
        match self.who {
            Who::White => Terms::against(Side::White, level, control),
            Who::Black => Terms::against(Side::Black, level, control),
            Who::Two => Terms::two_players(control),
        }
    }

    /// Draws the menu.
    pub fn draw(&self, frame: &mut Frame<'_>) {
        let area = frame.area();
        if area.width < LEAST.0 || area.height < LEAST.1 {
            return too_small(frame, area, LEAST);
        }
        let [title, body, foot] = Layout::vertical([
            Constraint::Length(2),
            Constraint::Min(8),
            Constraint::Length(1),
        ])
        .areas(area);
        let [left, right] =
            Layout::horizontal([Constraint::Length(26), Constraint::Min(30)]).areas(body);
        let name = Style::new().fg(Color::Yellow).add_modifier(Modifier::BOLD);
        let head = Line::from(vec![
            Span::styled(" Husun", name),
            Span::raw("  citadel chess and its kin"),
        ]);
        frame.render_widget(head, title);
        let names = self.games.iter().map(|g| g.id().to_owned());
        let list = List::new(names)
            .block(Block::bordered().title(" Games "))
            .highlight_symbol("› ")
            .highlight_style(Style::new().add_modifier(Modifier::REVERSED));
        let mut state = ListState::default().with_selected(Some(self.at));
        frame.render_stateful_widget(list, left, &mut state);
        self.details(frame, right);
        let help = " ↑↓ game   ←→ level   p players   c clock   s set-up   Enter play   q quit";
        frame.render_widget(Line::styled(help, dim()), foot);
    }

    fn details(&self, frame: &mut Frame<'_>, area: Rect) {
        let Some(game) = self.game() else { return };
        let block = Block::bordered()
            .title(format!(" {} ", game.name()))
            .padding(Padding::horizontal(1));
        let inner = block.inner(area);
        frame.render_widget(block, area);
        let [words, settings, board] = Layout::vertical([
            Constraint::Length(5),
            Constraint::Length(5),
            Constraint::Min(0),
        ])
        .areas(inner);
        let text = format!(
            "{}\n{}, board {}",
            game.summary(),
            game.origin(),
            board_size(game)
        );
        frame.render_widget(Paragraph::new(text).wrap(Wrap { trim: true }), words);
        frame.render_widget(self.settings(), settings);
        let rows = u16::from(game.frame().ranks()) + 1;
        if let Some(position) = self.position().filter(|_| rows <= board.height) {
            let picture = Picture::of(&position);
            let style = TextStyle {
                colors: crate::term::colors(),
                ..TextStyle::default()
            };
            let lines = render::text::lines(&picture, &style);
            let lines = lines.iter().map(|line| {
                Line::from_iter(line.iter().map(|span| {
                    let color = |c| super::board::color(c, style.colors);
                    let mut look = Style::new();
                    look.fg = span.fg.map(color);
                    look.bg = span.bg.map(color);
                    Span::styled(span.text.clone(), look)
                }))
            });
            frame.render_widget(Text::from_iter(lines), board);
        }
    }

    fn settings(&self) -> Text<'static> {
        let value = |key: char| match key {
            'p' => match self.who {
                Who::White => "you play White".to_string(),
                Who::Black => "you play Black".into(),
                Who::Two => "two people".into(),
            },
            'l' => match self.who {
                Who::Two => "-".into(),
                _ => format!("{} {}", self.level, "█".repeat(self.level.into())),
            },
            'c' => self
                .clocks
                .get(self.clock)
                .map_or(String::new(), ToString::to_string),
            _ => {
                let setups = self.game().map(|g| g.setups());
                let named = setups.and_then(|s| s.get(self.setup));
                named.map_or(String::new(), |s| s.name.clone())
            }
        };
        let rows = SETTINGS.iter().map(|&(key, name)| {
            Line::from(vec![
                Span::styled(format!("{key} "), Style::new().fg(Color::Cyan)),
                Span::styled(format!("{name:8} "), dim()),
                Span::raw(value(key)),
            ])
        });
        Text::from_iter(rows)
    }
}
