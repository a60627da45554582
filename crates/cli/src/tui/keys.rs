//! Which key does what. One list serves for handling, help and the bar at the bottom.

use super::app::App;
use super::popup::{PathFor, Popup};
use crate::play::command::Command;
use ratatui::crossterm::event::{
    KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind,
};
use std::time::Duration;

/// What a key does.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Act {
    Do(Command),
    AskPath(PathFor),
}

/// Function keys from F1 on, with their names on the bar.
pub const BAR: [(&str, &str); 10] = [
    ("F1", "Help"),
    ("F2", "Save"),
    ("F3", "Load"),
    ("F4", "Flip"),
    ("F5", "Hint"),
    ("F6", "Undo"),
    ("F7", "Draw"),
    ("F8", "Resign"),
    ("F9", "Accept"),
    ("F10", "Quit"),
];

/// Keys besides those on the bar, for help.
pub const OTHERS: [(&str, &str); 8] = [
    ("arrows", "move the cursor over the board"),
    (
        "Enter",
        "take a piece up, put it down; or take what is typed",
    ),
    ("mouse", "click a piece, then its target"),
    (
        "letters",
        "type a move (Nf3, e2e4, b8=Q, O-O) or one of the words",
    ),
    ("Esc", "drop what is typed, selected or proposed"),
    ("Ctrl-K", "promote the Kings in lieu of a move (also K=X)"),
    ("PgUp PgDn", "scroll the moves"),
    ("Ctrl-C", "leave"),
];

fn function(n: u8) -> Option<Act> {
    Some(match n {
        1 => Act::Do(Command::Help),
        2 => Act::AskPath(PathFor::Save),
        3 => Act::AskPath(PathFor::Load),
        4 => Act::Do(Command::Flip),
        5 => Act::Do(Command::Hint),
        6 => Act::Do(Command::Undo),
        7 => Act::Do(Command::Draw),
        8 => Act::Do(Command::Resign),
        9 => Act::Do(Command::Accept),
        10 => Act::Do(Command::Quit),
        _ => return None,
    })
}

impl App<'_> {
    /// Handles a key.
    pub fn key(&mut self, key: KeyEvent, now: Duration) {
        if let Some(mut popup) = self.popup.take() {
            let verdict = popup.key(key, self.position());
            self.popup = Some(popup);
            return self.settle(verdict, now);
        }
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        match key.code {
            KeyCode::F(n) => self.act(function(n), now),
            KeyCode::Char('c') if control => self.carry_out(Command::Quit, now),
            KeyCode::Char('k') if control => self.carry_out(Command::Crown, now),
            KeyCode::Char(_) if control || key.modifiers.contains(KeyModifiers::ALT) => {}
            KeyCode::Left => self.step(-1, 0),
            KeyCode::Right => self.step(1, 0),
            KeyCode::Up => self.step(0, 1),
            KeyCode::Down => self.step(0, -1),
            KeyCode::PageUp => self.scroll = self.scroll.saturating_add(5),
            KeyCode::PageDown => self.scroll = self.scroll.saturating_sub(5),
            KeyCode::End => self.scroll = 0,
            KeyCode::Enter if self.entry.trim().is_empty() => self.press(now),
            KeyCode::Enter => self.submit(now),
            KeyCode::Char(' ') if self.entry.is_empty() => self.press(now),
            KeyCode::Char('?') if self.entry.is_empty() => self.carry_out(Command::Help, now),
            KeyCode::Char(c) => self.entry.push(c),
            KeyCode::Backspace => {
                self.entry.pop();
            }
            KeyCode::Esc => {
                self.entry.clear();
                self.selected = None;
                self.hint = None;
                self.say(String::new());
            }
            _ => {}
        }
    }

    fn press(&mut self, now: Duration) {
        self.cursor_shown = true;
        self.click(self.cursor, now);
    }

    fn act(&mut self, act: Option<Act>, now: Duration) {
        match act {
            Some(Act::Do(command)) => self.carry_out(command, now),
            Some(Act::AskPath(what)) => {
                let text = self.file_name();
                self.popup = Some(Popup::Path { what, text });
            }
            None => {}
        }
    }

    /// Handles a click or a turn of the wheel.
    pub fn mouse(&mut self, mouse: MouseEvent, now: Duration) {
        match mouse.kind {
            MouseEventKind::ScrollUp => self.scroll = self.scroll.saturating_add(2),
            MouseEventKind::ScrollDown => self.scroll = self.scroll.saturating_sub(2),
            MouseEventKind::Down(MouseButton::Left) if self.popup.is_none() => {
                let Some(layout) = &self.layout else { return };
                let (x, y) = (mouse.column, mouse.row);
                if let Some(n) = layout.bar_key(x, y) {
                    return self.act(function(n), now);
                }
                let place = layout.place(x, y);
                let view = self.view;
                let variant = self.position().variant().clone();
                let picture = render::Picture::empty(&variant).view(view);
                if let Some(square) = place.and_then(|(c, r)| picture.square_at(c, r)) {
                    self.cursor_shown = false;
                    self.click(square, now);
                }
            }
            _ => {}
        }
    }
}
