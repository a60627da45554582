//! What can appear in front of the board: help, a choice of moves, a question, the name of a file.

use husun::{Move, Position, Special};
use ratatui::crossterm::event::{KeyCode, KeyEvent};

/// A yes-or-no question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Confirm {
    /// To resign the game.
    Resign,
    /// To accept mate or stalemate.
    Accept,
    /// To promote in lieu of a move.
    Crown(Move),
    /// To leave the game for the menu.
    New,
    /// To end the program.
    Quit,
}

impl Confirm {
    /// The question.
    pub fn question(self) -> &'static str {
        match self {
            Confirm::Resign => "Resign the game?",
            Confirm::Accept => "Accept the end of the game?",
            Confirm::Crown(_) => "Promote all Kings instead of moving?",
            Confirm::New => "Leave this game for the menu?",
            Confirm::Quit => "Leave the game?",
        }
    }
}

/// What a file name is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathFor {
    /// To write the game.
    Save,
    /// To read one.
    Load,
}

/// What is shown in front of the board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Popup {
    /// Keys and words.
    Help {
        /// Rows scrolled down.
        scroll: u16,
    },
    /// Some text.
    Text {
        /// Its title.
        title: String,
        /// The text.
        text: String,
    },
    /// Moves with the same squares.
    Choice {
        /// The moves.
        moves: Vec<Move>,
        /// Which is marked.
        at: usize,
    },
    /// A question.
    Confirm(Confirm),
    /// The name of a file.
    Path {
        /// What for.
        what: PathFor,
        /// As typed so far.
        text: String,
    },
}

/// What a key has done to a popup.
pub enum Verdict {
    /// It stays.
    Open,
    /// It goes.
    Close,
    /// A move was chosen.
    Move(Move),
    /// A question was answered with yes.
    Yes(Confirm),
    /// The game is to be written.
    Save(String),
    /// A game is to be read.
    Load(String),
}

impl Popup {
    /// A choice among moves.
    pub fn choice(mut moves: Vec<Move>) -> Popup {
        // Moves that change the piece come first: they are what players want most often.
        moves.sort_by_key(|m| (!m.changes_kind(), m.placed()));
        Popup::Choice { moves, at: 0 }
    }

    /// Handles a key.
    pub fn key(&mut self, key: KeyEvent, position: &Position) -> Verdict {
        if key.code == KeyCode::Esc {
            return Verdict::Close;
        }
        match self {
            Popup::Help { scroll } => match key.code {
                KeyCode::Down | KeyCode::PageDown => {
                    *scroll = scroll.saturating_add(1);
                    Verdict::Open
                }
                KeyCode::Up | KeyCode::PageUp => {
                    *scroll = scroll.saturating_sub(1);
                    Verdict::Open
                }
                _ => Verdict::Close,
            },
            Popup::Text { .. } => Verdict::Close,
            Popup::Choice { moves, at } => choose(moves, at, key, position),
            Popup::Confirm(confirm) => match key.code {
                KeyCode::Char('y' | 'Y') | KeyCode::Enter => Verdict::Yes(*confirm),
                KeyCode::Char('n' | 'N') => Verdict::Close,
                _ => Verdict::Open,
            },
            Popup::Path { what, text } => match key.code {
                KeyCode::Enter if text.trim().is_empty() => Verdict::Close,
                KeyCode::Enter => match what {
                    PathFor::Save => Verdict::Save(text.trim().into()),
                    PathFor::Load => Verdict::Load(text.trim().into()),
                },
                KeyCode::Backspace => {
                    text.pop();
                    Verdict::Open
                }
                KeyCode::Char(c) => {
                    text.push(c);
                    Verdict::Open
                }
                _ => Verdict::Open,
            },
        }
    }
}

fn choose(moves: &[Move], at: &mut usize, key: KeyEvent, position: &Position) -> Verdict {
    let count = moves.len().max(1);
    match key.code {
        KeyCode::Down | KeyCode::Right | KeyCode::Tab => *at = (*at + 1) % count,
        KeyCode::Up | KeyCode::Left => *at = (*at + count - 1) % count,
        KeyCode::Enter | KeyCode::Char(' ') => {
            return moves.get(*at).map_or(Verdict::Close, |&m| Verdict::Move(m));
        }
        KeyCode::Char(c) => {
            let letter = |m: &&Move| {
                let letter = position.variant().piece(m.placed()).letter;
                letter.eq_ignore_ascii_case(&c)
            };
            if let Some(&m) = moves.iter().find(letter) {
                return Verdict::Move(m);
            }
        }
        _ => {}
    }
    Verdict::Open
}

/// The label of a move in a choice of moves.
pub fn label(m: Move, position: &Position) -> String {
    let piece = |kind| position.variant().piece(kind);
    let placed = piece(m.placed());
    if m.is_whole_act() {
        let act = position.variant().whole_act();
        return act.map_or_else(String::new, |act| act.offer);
    }
    match m.special() {
        Special::CastleEast | Special::CastleWest => "castle".into(),
        _ if m.changes_kind() => format!("{}  {}", placed.letter, placed.name),
        _ => format!("{}  stays {}", placed.letter, placed.name),
    }
}
