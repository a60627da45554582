//! The terminal interface: takes over the terminal, passes keys, clicks and time to the menu or the game, and restores
//! the terminal whatever happens.

mod app;
mod board;
mod keys;
mod menu;
mod panel;
mod popup;
#[cfg(test)]
mod tests;
mod view;

use crate::play::engine_thread::{EngineThread, Purpose};
use crate::play::{Beginning, Computer, Look, Terms};
use anyhow::Result;
use app::{App, Wish};
use menu::{Choice, Menu};
use ratatui::DefaultTerminal;
use ratatui::crossterm::event::{
    self, DisableMouseCapture, EnableMouseCapture, Event, KeyEventKind,
};
use ratatui::crossterm::execute;
use std::io::stdout;
use std::time::{Duration, Instant};

pub use panel::clock_text;

/// How long to wait for a key before checking time and computer again.
const TICK: Duration = Duration::from_millis(50);

/// What comes after a screen.
enum After {
    Menu,
    Quit,
}

/// Plays in the terminal; without a beginning, a menu comes first.
pub fn run(
    computer: Computer,
    beginning: Option<Beginning>,
    terms: Terms,
    look: Look,
) -> Result<()> {
    let mut terminal = ratatui::try_init()?;
    // A terminal without a mouse works as well.
    let _ = execute!(stdout(), EnableMouseCapture);
    let result = screens(&mut terminal, computer, beginning, terms, look);
    let _ = execute!(stdout(), DisableMouseCapture);
    ratatui::try_restore()?;
    result
}

fn screens(
    terminal: &mut DefaultTerminal,
    computer: Computer,
    mut beginning: Option<Beginning>,
    terms: Terms,
    look: Look,
) -> Result<()> {
    let mut menu = Menu::new(computer.games, terms);
    loop {
        let (begin, terms) = match beginning.take() {
            Some(begin) => (begin, terms),
            None => match choose(terminal, &mut menu)? {
                Some(chosen) => chosen,
                None => return Ok(()),
            },
        };
        match play(terminal, computer, begin, terms, look)? {
            After::Menu => {}
            After::Quit => return Ok(()),
        }
    }
}

fn choose(terminal: &mut DefaultTerminal, menu: &mut Menu) -> Result<Option<(Beginning, Terms)>> {
    loop {
        terminal.draw(|frame| menu.draw(frame))?;
        let event = event::read()?;
        match menu.take(&event) {
            Choice::Open => {}
            Choice::Quit => return Ok(None),
            Choice::Play(position, terms) => {
                return Ok(Some((Beginning::Position(position), terms)));
            }
        }
    }
}

fn play(
    terminal: &mut DefaultTerminal,
    computer: Computer,
    beginning: Beginning,
    terms: Terms,
    look: Look,
) -> Result<After> {
    let origin = Instant::now();
    let timed = beginning.timed(terms, Duration::ZERO)?;
    let mut engine = EngineThread::new(computer.engine(timed.game().variant())?, true)?;
    let mut app = App::new(computer.games, timed, look);
    let mut asked: Option<Wish> = None;
    loop {
        terminal.draw(|frame| view::draw(frame, &mut app, origin.elapsed()))?;
        if event::poll(TICK)? {
            // Handles all waiting events at once, so that a held key does not lag behind.
            loop {
                take(&mut app, &event::read()?, origin.elapsed());
                if !event::poll(Duration::ZERO)? {
                    break;
                }
            }
        }
        app.look_at_clock(origin.elapsed());
        while let Some(answer) = engine.answer() {
            app.hear(answer, origin.elapsed());
        }
        if let Some(after) = app.leaving() {
            return Ok(after);
        }
        if app.take_other_game() {
            let variant = app.timed().game().variant();
            engine = EngineThread::new(computer.engine(variant)?, true)?;
            asked = None;
        }
        let wish = app.wish();
        if wish != asked {
            match &wish {
                Some(wish) => engine.ask(app.timed(), wish.purpose, origin.elapsed()),
                None => engine.stop(),
            }
            asked = wish;
        }
    }
}

fn take(app: &mut App<'_>, event: &Event, now: Duration) {
    match event {
        Event::Key(key) if key.kind != KeyEventKind::Release => app.key(*key, now),
        Event::Mouse(mouse) => app.mouse(*mouse, now),
        Event::Paste(text) => app.paste(text),
        _ => {}
    }
}

/// The purpose of a wish, for the status line.
fn purpose_text(purpose: Purpose) -> &'static str {
    match purpose {
        Purpose::Move(_) => "thinking",
        Purpose::Hint => "looking for a hint",
    }
}
