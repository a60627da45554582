//! What a game is to those who are not its players: its row among the games that everybody may watch, its small board, and
//! what those say to each other who watch. That is in memory alone, and gone with the game's task.

use super::GameTask;
use super::messages::{Audience, Heard};
use super::tell::text_of;
use crate::refusal::Refused;
use crate::services::wall_ms;
use crate::watching::{boards_at, row};
use crate::wire::{ServerMessage, WatchedBoard, WatchedBoards, WatchersLine};
use bus::Request;
use play::Who;
use play::table::Person;
use std::collections::VecDeque;
use std::time::{Duration, Instant};
use store::running::Running;

/// Lines of those who watch that are kept.
const LINES: usize = 50;
/// A small board is told at most so often.
const BOARD: Duration = Duration::from_secs(1);

/// One who is there.
#[derive(Debug)]
pub(super) struct Attendant {
    /// Who it is to the game.
    pub who: Who,
    /// Boot of the node at which the socket is.
    pub node: i64,
    /// The person.
    pub person: Person,
    /// Ids of those whose words in chat that one is not to be told.
    pub muted: Vec<String>,
}

/// What those see who are not players.
#[derive(Debug, Default)]
pub(super) struct Watched {
    said: VecDeque<Heard>,
    /// Lines so far.
    count: u64,
    /// Whether storage has it that the game rests, as far as that is known.
    pub rests: Option<bool>,
    /// When the small board was told last.
    told: Option<Instant>,
    /// When it is to be told next.
    pub due: Option<Instant>,
}

impl GameTask {
    /// What follows for the game's row from what has just been made so.
    pub(super) fn running_change(&self, was_shown: bool, moved: bool) -> Option<Running> {
        match row::is_shown(&self.table) {
            false => None,
            true if !was_shown => {
                let (row, board) = row::begins(&self.table, wall_ms())?;
                Some(Running::Begins(Box::new(row), board))
            }
            true => moved.then(|| Running::Moves(row::board(&self.table))),
        }
    }

    /// That both players have left, if storage has to know that.
    pub(super) fn rests_now(&self) -> Option<Running> {
        let changes = row::may_rest(&self.table) && self.watched.rests != Some(true);
        changes.then_some(Running::Rests(true))
    }

    /// A player is back.
    pub(super) async fn player_is_back(&mut self) {
        if row::may_rest(&self.table) && self.watched.rests != Some(false) {
            self.store_rest(false).await;
        }
    }

    /// Another position stands on the board, or the game is over.
    pub(super) fn board_changed(&mut self) {
        if !self.table.is_public() {
            return;
        }
        let now = Instant::now();
        match self.watched.told.map(|told| told + BOARD) {
            Some(next) if next > now => self.watched.due = Some(next),
            _ => self.tell_board(),
        }
    }

    pub(super) fn tell_board(&mut self) {
        (self.watched.told, self.watched.due) = (Some(Instant::now()), None);
        let board = row::board(&self.table);
        let boards = vec![WatchedBoard {
            game: self.id.clone(),
            seq: self.table.seq(),
            ply: self.table.ply() as u32,
            fen: board.fen,
            last: Some(board.last).filter(|last| !last.is_empty()),
            over: self.table.is_over(),
            result: self.table.outcome().map(Into::into),
        }];
        let gone = Vec::new();
        let message = ServerMessage::Boards(WatchedBoards { boards, gone });
        let bus = &self.services.bus;
        bus.publish(&boards_at(&self.id), text_of(&message).into());
    }

    /// Numbers of those who play or counsel, wherever they sit just now: they are no spectators under another link.
    fn insiders(&self) -> Vec<&str> {
        let there = self.sockets.values().filter(|a| a.who != Who::Watcher);
        there.map(|a| a.person.guest.as_str()).collect()
    }

    /// Whether one who is there reads what those say who watch.
    fn reads_watchers(&self, attendant: &Attendant, insiders: &[&str]) -> bool {
        let guest = attendant.person.guest.as_str();
        let inside = || insiders.contains(&guest) || self.table.seat_of_guest(guest).is_some();
        self.table.reads_watchers(attendant.who) && (self.table.is_over() || !inside())
    }

    /// Takes a line of one who watches, and tells it to the others.
    pub(super) fn say_to_watchers(&mut self, socket: u64, text: &str) -> Result<(), Saying> {
        let Some(attendant) = self.sockets.get(&socket) else {
            return Ok(());
        };
        let insiders = self.insiders();
        let text = self.table.watchers_line(attendant.who, text)?;
        if !self.reads_watchers(attendant, &insiders) {
            return Err(play::Refused::NotWatching.into());
        }
        let person = &attendant.person;
        self.services.bans.may_chat(&person.guest)?;
        let by = person.guest.clone();
        let line = WatchersLine {
            n: self.watched.count + 1,
            name: person.name.clone(),
            account: person.account,
            bot: person.bot,
            text,
        };
        let to = match self.table.is_over() {
            true => Audience::All,
            false => Audience::Watchers,
        };
        let deaf = self.sockets.iter().filter(|(_, other)| {
            let muted = other.muted.contains(&by) && other.person.guest != by;
            muted || !self.reads_watchers(other, &insiders)
        });
        let but: Vec<u64> = deaf.map(|(number, _)| *number).collect();
        let message = ServerMessage::WatchersLine(line.clone());
        self.watched.count += 1;
        self.watched.said.push_back(Heard { by, line });
        if self.watched.said.len() > LINES {
            self.watched.said.pop_front();
        }
        self.publish_but(to, but, &text_of(&message));
        Ok(())
    }

    /// Tells one who is there what those have said who watch, if that one may read it.
    pub(super) fn tell_watchers_chat(&mut self, socket: u64) {
        if !self.watched.said.is_empty() {
            self.tell_watchers_lines(socket);
        }
    }

    fn tell_watchers_lines(&mut self, socket: u64) {
        let Some(attendant) = self.sockets.get(&socket) else {
            return;
        };
        if !self.reads_watchers(attendant, &self.insiders()) {
            return;
        }
        let heard = |said: &&Heard| !attendant.muted.contains(&said.by);
        let lines = self.watched.said.iter().filter(heard);
        let lines = lines.map(|said| said.line.clone()).collect();
        let to = Audience::Socket(socket, attendant.who);
        self.tell(to, &ServerMessage::WatchersChat { lines });
    }

    /// What was said by those who watch, for those who moderate.
    pub(super) fn watchers_heard(&self, request: Request) {
        let said: Vec<&Heard> = self.watched.said.iter().collect();
        // Texts and numbers alone: JSON can say them.
        request.answer(serde_json::to_vec(&said).unwrap_or_default().into());
    }

    /// Takes a line out of what was said by those who watch, and tells all who read it what is left.
    pub(super) fn remove_watchers_line(&mut self, n: u64) {
        let before = self.watched.said.len();
        self.watched.said.retain(|said| said.line.n != n);
        if self.watched.said.len() == before {
            return;
        }
        let sockets: Vec<u64> = self.sockets.keys().copied().collect();
        for socket in sockets {
            self.tell_watchers_lines(socket);
        }
    }

    /// The game is over: who has not read what those said who watch reads it now.
    pub(super) fn open_watchers_chat(&mut self) {
        let insiders = self.insiders();
        let waiting = self.sockets.iter().filter(|(_, attendant)| {
            let guest = attendant.person.guest.as_str();
            attendant.who != Who::Watcher
                || insiders.contains(&guest)
                || self.table.seat_of_guest(guest).is_some()
        });
        let waiting: Vec<u64> = waiting.map(|(number, _)| *number).collect();
        for number in waiting {
            self.tell_watchers_chat(number);
        }
    }
}

/// Why a line is not taken.
pub(super) enum Saying {
    /// By the game.
    Game(play::Refused),
    /// By those who moderate.
    Banned(Refused),
}

impl From<play::Refused> for Saying {
    fn from(refused: play::Refused) -> Saying {
        Saying::Game(refused)
    }
}

impl From<Refused> for Saying {
    fn from(refused: Refused) -> Saying {
        Saying::Banned(refused)
    }
}

impl Saying {
    /// The word for programs and the one for people.
    pub fn told(&self) -> (&'static str, String) {
        match self {
            Saying::Game(refused) => (refused.code(), refused.to_string()),
            Saying::Banned(refused) => (refused.reason.code(), refused.message.clone()),
        }
    }
}
