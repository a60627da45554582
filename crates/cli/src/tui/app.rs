//! A game on the screen as a state machine: keys, clicks, time and the computer's answers come in, and the state says
//! what to draw and what to ask the computer. Does not touch the terminal.

use super::After;
use super::board::Layout;
use super::popup::{Confirm, Popup, Verdict};
use crate::play::Look;
use crate::play::command::{self, Command, Entry};
use crate::play::engine_thread::{Answer, Purpose};
use crate::play::store::{self, Store};
use crate::play::timed_game::{TimedGame, result_line};
use engine::{Info, SearchResult, Thoughts};
use games::Catalogue;
use husun::{ActionError, Frame, Move, Outcome, Position, Side, Square};
use std::path::Path;
use std::time::Duration;

/// What to ask the computer, and about which state of the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wish {
    /// The purpose.
    pub purpose: Purpose,
    /// After how many moves.
    ply: usize,
    /// Version of the game's state, so that the same ply after an undo is another question.
    version: u64,
}

/// How important a message is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// News.
    Plain,
    /// Something was refused.
    Refusal,
}

/// A game on the screen.
pub struct App<'a> {
    games: &'a Catalogue,
    timed: TimedGame,
    store: Store,
    /// Signs and colours.
    pub look: Look,
    /// Whose side is at the bottom.
    pub view: Side,
    /// The square under the cursor.
    pub cursor: Square,
    /// Whether the cursor is shown: only after a key has moved it.
    pub cursor_shown: bool,
    /// The piece that is about to move.
    pub selected: Option<Square>,
    /// The move that the computer has suggested.
    pub hint: Option<Move>,
    /// The text being typed.
    pub entry: String,
    /// What is in front of the board.
    pub popup: Option<Popup>,
    /// The last message.
    pub message: (Tone, String),
    /// How many rows the list of moves is scrolled up from its end.
    pub scroll: usize,
    /// What the computer has reported while thinking.
    pub progress: Option<Info>,
    /// Where the board was last drawn.
    pub layout: Option<Layout>,
    /// What the computer thought of its own position at its last turns.
    thoughts: Thoughts,
    hinting: bool,
    version: u64,
    other_game: bool,
    leaving: Option<Option<()>>,
}

impl<'a> App<'a> {
    /// A game on the screen.
    pub fn new(games: &'a Catalogue, timed: TimedGame, look: Look) -> App<'a> {
        let view = timed.actor();
        let mut app = App {
            games,
            cursor: first_cursor(&timed, view),
            timed,
            store: Store::default(),
            look,
            view,
            cursor_shown: false,
            selected: None,
            hint: None,
            entry: String::new(),
            popup: None,
            message: (Tone::Plain, String::new()),
            scroll: 0,
            progress: None,
            layout: None,
            thoughts: Thoughts::default(),
            hinting: false,
            version: 0,
            other_game: false,
            leaving: None,
        };
        app.greet();
        app
    }

    fn greet(&mut self) {
        match self.timed.game().outcome() {
            Some(outcome) => self.say(result_line(&outcome)),
            None => self.say("Arrows and Enter, the mouse, or type a move. F1 helps."),
        }
    }

    /// The game.
    pub fn timed(&self) -> &TimedGame {
        &self.timed
    }

    /// The position now.
    pub fn position(&self) -> &Position {
        self.timed.position()
    }

    /// What to ask the computer now, if anything.
    pub fn wish(&self) -> Option<Wish> {
        let purpose = match self.timed.computer_to_move() {
            Some(level) => Purpose::Move(level),
            None if self.hinting => Purpose::Hint,
            None => return None,
        };
        Some(Wish {
            purpose,
            ply: self.timed.ply(),
            version: self.version,
        })
    }

    /// What comes after this screen, if the player leaves it.
    pub fn leaving(&self) -> Option<After> {
        self.leaving.map(|quit| match quit {
            Some(()) => After::Quit,
            None => After::Menu,
        })
    }

    /// Whether a game of perhaps another kind has been loaded since the last call.
    pub fn take_other_game(&mut self) -> bool {
        std::mem::take(&mut self.other_game)
    }

    /// Shows a message.
    pub fn say(&mut self, text: impl Into<String>) {
        self.message = (Tone::Plain, text.into());
    }

    /// Shows why something is not done.
    pub fn refuse(&mut self, text: impl Into<String>) {
        self.message = (Tone::Refusal, text.into());
    }

    /// Drops everything that belonged to the previous position.
    fn moved_on(&mut self) {
        self.version += 1;
        self.selected = None;
        self.hint = None;
        self.hinting = false;
        self.progress = None;
        self.scroll = 0;
        self.popup = None;
    }

    /// Looks at the clock.
    pub fn look_at_clock(&mut self, now: Duration) {
        if let Some(outcome) = self.timed.look_at_clock(now) {
            self.moved_on();
            self.say(result_line(&outcome));
        }
    }

    /// Handles an answer of the computer to the last question.
    pub fn hear(&mut self, answer: Answer, now: Duration) {
        match answer {
            Answer::Progress(info) => self.progress = Some(info),
            Answer::Done(found) if self.timed.computer_to_move().is_some() => {
                self.answered(&found, now);
            }
            Answer::Done(found) if self.hinting => {
                self.hinting = false;
                self.progress = None;
                self.hint = found.best;
                match found.best.and_then(|m| self.position().san(m).ok()) {
                    Some(san) => self.say(format!("Hint: {san}")),
                    None => self.refuse("The computer has no answer."),
                }
            }
            Answer::Done(_) => {}
        }
    }

    fn answered(&mut self, found: &SearchResult, now: Duration) {
        self.thoughts.note(self.timed.ply(), found.score.value());
        if found.accept && self.position().can_accept() {
            let accepted = self.timed.accept(now);
            return self.done(accepted.map(Some));
        }
        match found.best {
            Some(m) => self.play(m, now),
            None => self.refuse("The computer has no answer."),
        }
    }

    /// Makes a move.
    pub fn play(&mut self, m: Move, now: Duration) {
        let side = self.position().turn();
        if let Ok(san) = self.position().san(m) {
            self.say(format!("{}: {san}", side.name()));
        }
        let played = self.timed.play(m, now);
        self.done(played);
    }

    /// Follows up on a change of the game.
    fn done(&mut self, result: Result<Option<Outcome>, ActionError>) {
        match result {
            Err(error) => self.refuse(error.to_string()),
            Ok(outcome) => {
                self.moved_on();
                match outcome {
                    Some(outcome) => self.say(result_line(&outcome)),
                    None => self.remind(),
                }
            }
        }
    }

    /// Tells the player to move what else is possible besides moving.
    fn remind(&mut self) {
        if !self.timed.human_to_move() {
            return;
        }
        let mut more = Vec::new();
        if self.position().in_check() {
            more.push("Check!");
        }
        let offer;
        if let Some(act) = self
            .crowning()
            .and_then(|_| self.position().variant().whole_act())
        {
            offer = format!("Instead of moving: {}? Ctrl-K.", act.offer);
            more.push(offer.as_str());
        }
        if self.position().can_accept() {
            more.push("You may accept the end of the game: F9.");
        }
        if self.timed.game().draw_offer() == Some(self.position().turn().opponent()) {
            more.push("A draw is offered: F7 agrees.");
        }
        if !more.is_empty() {
            let text = format!("{}  {}", self.message.1, more.join(" "));
            self.say(text);
        }
    }

    /// The promotion in lieu of a move, if it is legal now.
    pub fn crowning(&self) -> Option<Move> {
        let moves = self.position().legal_moves();
        moves.into_iter().find(|m| m.is_whole_act())
    }

    /// Selects a piece of the player's, or moves the selected one to the square.
    pub fn click(&mut self, square: Square, now: Duration) {
        self.cursor = square;
        self.hint = None;
        if !self.timed.human_to_move() {
            return match self.timed.game().outcome() {
                Some(_) => self.refuse("The game is over: F6 takes back, `new` begins anew."),
                None => self.refuse("The computer is to move."),
            };
        }
        let legal = self.position().legal_moves();
        let targets = |m: &&Move| Some(m.from()) == self.selected && m.to() == square;
        let moves: Vec<Move> = legal.iter().filter(targets).copied().collect();
        match moves[..] {
            [m] if !m.is_whole_act() => self.play(m, now),
            [_, ..] => self.popup = Some(Popup::choice(moves)),
            [] if self.selected == Some(square) => self.selected = None,
            [] => self.select(square, &legal),
        }
    }

    fn select(&mut self, square: Square, legal: &[Move]) {
        let turn = self.position().turn();
        let own = matches!(self.position().piece_on(square), Some((side, _)) if side == turn);
        let can_move = legal.iter().any(|m| m.from() == square);
        let name = self.position().variant().frame().name(square);
        self.selected = (own && can_move).then_some(square);
        match (own, can_move) {
            (true, true) => self.say(String::new()),
            (true, false) => self.refuse(format!("The piece on {name} has no legal move.")),
            _ => self.refuse(format!(
                "{name} is neither a piece of yours nor a legal target."
            )),
        }
    }

    /// Moves the cursor one step as seen, across missing squares, or to the nearest square that way.
    pub fn step(&mut self, dx: i32, dy: i32) {
        let away = match self.view {
            Side::White => 1,
            Side::Black => -1,
        };
        self.cursor_shown = true;
        let frame = self.position().variant().frame();
        if let Some(square) = towards(frame, self.cursor, dx * away, dy * away) {
            self.cursor = square;
        }
    }

    /// Handles what has been typed.
    pub fn submit(&mut self, now: Duration) {
        let text = std::mem::take(&mut self.entry);
        match command::read(&text, self.position()) {
            Err(error) => {
                self.refuse(error);
                self.entry = text;
            }
            Ok(Entry::Command(command)) => self.carry_out(command, now),
            Ok(Entry::Move(m)) if self.timed.human_to_move() => self.play(m, now),
            Ok(Entry::Move(_)) => self.refuse("You are not to move."),
        }
    }

    /// Carries a command out, or asks for confirmation first.
    pub fn carry_out(&mut self, command: Command, now: Duration) {
        let over = self.timed.game().outcome().is_some();
        match command {
            Command::Help => self.popup = Some(Popup::Help { scroll: 0 }),
            Command::Board => {}
            Command::Moves => self.list_moves(),
            Command::Hint if !self.timed.human_to_move() => self.refuse("You are not to move."),
            Command::Hint => {
                self.hinting = true;
                self.version += 1;
            }
            Command::Go => self.refuse("F5 proposes a move here; `go` is for play line by line."),
            Command::Undo => {
                let undone = self.timed.undo(now).map(|()| None);
                if undone.is_ok() {
                    self.thoughts = Thoughts::default();
                    self.say("Taken back.");
                }
                self.done(undone);
            }
            Command::Resign if over => self.refuse("The game is over."),
            Command::Resign => self.popup = Some(Popup::Confirm(Confirm::Resign)),
            Command::Draw => self.draw(now),
            Command::Accept if !self.position().can_accept() || !self.timed.human_to_move() => {
                self.refuse("Nothing to accept: only where all your legal moves are optional.");
            }
            Command::Accept => self.popup = Some(Popup::Confirm(Confirm::Accept)),
            Command::Crown => match self.crowning().filter(|_| self.timed.human_to_move()) {
                Some(m) => self.popup = Some(Popup::Confirm(Confirm::Crown(m))),
                None => self.refuse("There is nobody to promote in lieu of a move now."),
            },
            Command::Flip => self.view = self.view.opponent(),
            Command::Fen => self.say(self.position().fen()),
            Command::Save(path) => self.save(&path),
            Command::Load(path) => self.load(&path, now),
            Command::New if over || self.timed.ply() == 0 => self.leaving = Some(None),
            Command::New => self.popup = Some(Popup::Confirm(Confirm::New)),
            Command::Quit if over || self.timed.ply() == 0 => self.leaving = Some(Some(())),
            Command::Quit => self.popup = Some(Popup::Confirm(Confirm::Quit)),
        }
    }

    fn list_moves(&mut self) {
        let position = self.position();
        let legal = position.legal_moves();
        let mut moves: Vec<String> = legal
            .iter()
            .filter_map(|&m| position.san_among(m, &legal).ok())
            .collect();
        moves.sort();
        self.popup = Some(Popup::Text {
            title: format!("{} legal moves", moves.len()),
            text: moves.join("  "),
        });
    }

    fn draw(&mut self, now: Duration) {
        let idle = self.timed.position().halfmove();
        let agrees = self.thoughts.takes_draw(self.timed.ply(), idle);
        match self.timed.draw(agrees, now) {
            Ok(None) if self.timed.game().draw_offer().is_some() => {
                self.say("A draw is offered; the opponent may agree with F7 or move on.");
            }
            Ok(None) => self.say("The computer declines the draw."),
            other => self.done(other),
        }
    }

    /// Writes the game to a file.
    pub fn save(&mut self, path: &str) {
        match self.store.save(&self.timed, Path::new(path)) {
            Ok(()) => self.say(format!("Saved as {path}.")),
            Err(error) => self.refuse(format!("{error:#}")),
        }
    }

    /// Continues the game in a file.
    pub fn load(&mut self, path: &str, now: Duration) {
        let timed = store::load(self.games, Path::new(path))
            .and_then(|record| TimedGame::go_on(&record, self.timed.terms(), now));
        match timed {
            Err(error) => self.refuse(format!("{error:#}")),
            Ok(timed) => {
                self.timed = timed;
                self.other_game = true;
                self.thoughts = Thoughts::default();
                self.moved_on();
                self.view = self.timed.actor();
                self.cursor = first_cursor(&self.timed, self.view);
                self.say(format!("Loaded {path}."));
                if let Some(outcome) = self.timed.game().outcome() {
                    self.say(result_line(&outcome));
                }
            }
        }
    }

    /// Handles the answer to a popup.
    pub fn settle(&mut self, verdict: Verdict, now: Duration) {
        match verdict {
            Verdict::Open => {}
            Verdict::Close => self.popup = None,
            Verdict::Move(m) => {
                self.popup = None;
                self.play(m, now);
            }
            Verdict::Save(path) => {
                self.popup = None;
                self.save(&path);
            }
            Verdict::Load(path) => {
                self.popup = None;
                self.load(&path, now);
            }
            Verdict::Yes(confirm) => {
                self.popup = None;
                match confirm {
                    Confirm::Resign => {
                        let resigned = self.timed.resign(now).map(Some);
                        self.done(resigned);
                    }
                    Confirm::Accept => {
                        let accepted = self.timed.accept(now).map(Some);
                        self.done(accepted);
                    }
                    Confirm::Crown(m) => self.play(m, now),
                    Confirm::New => self.leaving = Some(None),
                    Confirm::Quit => self.leaving = Some(Some(())),
                }
            }
        }
    }

    /// Text from the clipboard is inserted where text is being typed.
    pub fn paste(&mut self, text: &str) {
        let text: String = text.chars().filter(|c| !c.is_control()).collect();
        match &mut self.popup {
            Some(Popup::Path { text: path, .. }) => path.push_str(&text),
            Some(_) => {}
            None => self.entry.push_str(&text),
        }
    }

    /// The default name for a file to save.
    pub fn file_name(&self) -> String {
        format!("{}.pgn", self.position().variant().id())
    }
}

/// Where the cursor begins: in front of the side's royal piece, or on any square.
fn first_cursor(timed: &TimedGame, side: Side) -> Square {
    let position = timed.position();
    let frame = position.variant().frame();
    let forward = if side == Side::White { 1 } else { -1 };
    let royal = position.royal_square(side);
    royal
        .and_then(|s| frame.step(s, 0, forward).or(Some(s)))
        .or_else(|| frame.squares().next())
        .unwrap_or_else(|| unreachable!("a board has at least one square"))
}

/// The next existing square in a direction; if there is none, the nearest one on that side.
fn towards(frame: &Frame, from: Square, dx: i32, dy: i32) -> Option<Square> {
    let straight = (1..16).find_map(|n| frame.step(from, dx * n, dy * n));
    let offset = |s: Square| {
        let x = i32::from(frame.file(s)) - i32::from(frame.file(from));
        let y = i32::from(frame.rank(s)) - i32::from(frame.rank(from));
        (x * dx + y * dy, (x * dy - y * dx).abs())
    };
    let ahead = frame.squares().filter(|&s| offset(s).0 > 0);
    straight.or_else(|| ahead.min_by_key(|&s| offset(s).0 + 2 * offset(s).1))
}
