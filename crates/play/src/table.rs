//! A game as a value: what was settled when it was made and everything that has happened. [`Table::decide`]
//! says what follows from a deed, [`Table::apply`] makes it so; a game read from storage is the same
//! events applied again.

mod apply;
mod card;
mod decide;
mod event;
mod settling;
#[cfg(test)]
mod tests;

pub use apply::Misfit;
pub use card::{CardPlayer, StoredCard, StoredResult};
pub use event::{DELETED, Entry, Event, Opener, Person, SeatSpec, Spec, without_name};
pub use settling::{Asked, Settling};

use crate::Games;
use crate::{Both, Who};
use husun::clock::{Clock, TimeControl};
use husun::variant::StateFlag;
use husun::{Game, Outcome, Side, Variant};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::time::Duration;

/// How long a player may be silent about a question of the customs.
pub const SILENCE: Duration = Duration::from_secs(60);
/// A game that waits for its second player is closed after this.
pub const WAITING: Duration = Duration::from_secs(24 * 3600);
/// A game without a clock is closed when nothing has happened for this long.
pub const SILENT: Duration = Duration::from_secs(30 * 24 * 3600);
/// How much of a player's time may be the way to the server: so much at once, and what comes back with each move.
pub const LAG_BUDGET: Duration = Duration::from_millis(500);
/// What comes back of it with each of the player's moves.
pub const LAG_REFILL: Duration = Duration::from_millis(20);

/// Why events make no game: the storage is damaged, or was written by something else.
#[derive(Debug, thiserror::Error)]
#[error("event {seq} ({event}): {problem}")]
pub struct Broken {
    /// Number of the event.
    pub seq: u64,
    /// The event as it is stored.
    pub event: String,
    /// What is wrong with it.
    pub problem: Misfit,
}

/// What is left to chance.
pub trait Chance {
    /// Throws a die, 1 to 6.
    fn die(&mut self) -> u8;
    /// A number that nobody can guess, from which what opens a seat is derived.
    fn number(&mut self) -> String;
}

/// Where a game stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Stage {
    /// A seat is empty.
    Waiting,
    /// The players agree on which game to play.
    Customs,
    /// Being played.
    Playing,
    /// Over, with a result.
    Over,
    /// Given up before it counted: no result.
    Aborted,
}

/// A move as it was played.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Played {
    /// UCI form.
    pub uci: String,
    /// Algebraic notation.
    pub san: String,
    /// Position text after it.
    pub fen: String,
    /// Square of the royal piece that is then in check.
    pub check: Option<String>,
    /// Milliseconds used for it; missing without a clock.
    pub spent_ms: Option<u64>,
}

/// A line of chat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChatLine {
    /// Side of the one who wrote it.
    pub side: Side,
    /// The text.
    pub text: String,
}

/// A player's Counsellor (games/strike80/rules.md).
#[derive(Clone, Debug, Default)]
pub struct Counsellor {
    appointed: bool,
    /// What opens the person's seat; the engine if missing.
    opener: Option<Opener>,
    /// What opened it before it was taken.
    invitation: Option<Opener>,
    person: Option<Person>,
    /// Half-moves played when asked.
    asked: Option<usize>,
    advice: Option<String>,
}

/// Who counsels a player.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counsels<'a> {
    /// The engine.
    Engine,
    /// A person who has not come yet.
    Invited,
    /// A person, by name.
    Person(&'a str),
}

impl Counsellor {
    /// Who it is; nobody if none was appointed.
    pub fn who(&self) -> Option<Counsels<'_>> {
        if !self.appointed {
            return None;
        }
        Some(match (&self.opener, &self.person) {
            (None, _) => Counsels::Engine,
            (Some(_), None) => Counsels::Invited,
            (Some(_), Some(person)) => Counsels::Person(&person.name),
        })
    }

    /// Whether the one question has been asked.
    pub fn was_asked(&self) -> bool {
        self.asked.is_some()
    }

    /// What was answered.
    pub fn advice(&self) -> Option<&str> {
        self.advice.as_deref()
    }
}

/// A side's seat: who may take it, and who has.
#[derive(Clone, Debug)]
struct Seat {
    present: Option<Person>,
    opener: Opener,
    /// What opened it before it was taken.
    invitation: Option<Opener>,
    counsel: Counsellor,
}

/// What is on the board, once it is known which game is played.
#[derive(Clone, Debug)]
struct Board {
    game: Game,
    played: Vec<Played>,
    /// The clock before every move, to take it back.
    clocks_before: Vec<Option<Clock>>,
    /// Who wishes to take a move back.
    takeback: Option<Side>,
    /// Half-moves played when a side last offered a draw.
    offered_at: Both<Option<usize>>,
    /// What is left of each side's budget for the way to the server.
    lag_left: Both<Duration>,
}

impl Board {
    fn new(game: Game) -> Board {
        Board {
            game,
            played: Vec::new(),
            clocks_before: Vec::new(),
            takeback: None,
            offered_at: Both::default(),
            lag_left: Both::of(|_| LAG_BUDGET),
        }
    }
}

/// How far a game is, with what there is only then.
#[derive(Clone, Debug)]
enum Phase {
    /// Somebody is missing, or it is not settled which game is played.
    Gathering(Option<Board>),
    /// Being played.
    Playing(Board),
    /// Over, with a result.
    Over(Board),
    /// Given up before it counted.
    Aborted(Option<Board>),
}

/// A wish for another game.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Rematch {
    /// Nobody has proposed one.
    None,
    /// A side has.
    Offered(Side),
    /// It was made, with this id.
    Made(String),
}

/// A game.
#[derive(Clone, Debug)]
pub struct Table {
    spec: Spec,
    seq: u64,
    at: Duration,
    seats: Both<Seat>,
    /// How the players agree on a game, if it was not chosen at once.
    customs: Option<Settling>,
    clock: Option<Clock>,
    phase: Phase,
    /// Number of the event by which moves were last taken back.
    cut: u64,
    /// Offers, wishes and what followed from them, which are bounded.
    offers: u32,
    rematch: Rematch,
    chat: Vec<ChatLine>,
    games: Arc<Games>,
}

impl Table {
    /// A game made and nothing happened yet.
    pub fn new(spec: Spec, games: Arc<Games>) -> Result<Table, Misfit> {
        let seat = |side| Seat {
            present: None,
            opener: spec.seats.get(side).opener(),
            invitation: None,
            counsel: Counsellor::default(),
        };
        let clock = match spec.control {
            TimeControl::None => None,
            control => Some(Clock::new(control)?),
        };
        let (phase, customs) = match (&spec.variant, &spec.family) {
            (Some(id), None) => {
                let variant = games
                    .stored(id)
                    .ok_or_else(|| Misfit::Variant(id.clone()))?;
                let board = board(&spec, &variant)?;
                let phase = match board.game.outcome() {
                    None => Phase::Gathering(Some(board)),
                    Some(_) => Phase::Over(board),
                };
                (phase, None)
            }
            (None, Some(name)) => {
                let family = games.family(name);
                let family = family.ok_or_else(|| Misfit::Family(name.clone()))?;
                (Phase::Gathering(None), Some(Settling::new(family.clone())))
            }
            _ => return Err(Misfit::Choice),
        };
        Ok(Table {
            seq: 0,
            at: Duration::ZERO,
            seats: Both::of(seat),
            customs,
            clock,
            phase,
            cut: 0,
            offers: 0,
            rematch: Rematch::None,
            chat: Vec::new(),
            games,
            spec,
        })
    }

    /// The game that events make.
    pub fn replay(spec: Spec, entries: &[Entry], games: Arc<Games>) -> Result<Table, Broken> {
        let broken = |seq: u64, event: String, problem: Misfit| Broken {
            seq,
            event,
            problem,
        };
        let mut table =
            Table::new(spec, games).map_err(|e| broken(0, "the game as it was made".into(), e))?;
        for entry in entries {
            let told = || format!("{:?}", entry.event);
            let expected = table.seq + 1;
            if entry.seq != expected {
                return Err(broken(entry.seq, told(), Misfit::Number { expected }));
            }
            table
                .apply(&entry.event, entry.at)
                .map_err(|e| broken(entry.seq, told(), e))?;
        }
        Ok(table)
    }

    /// The games that there are.
    pub fn games(&self) -> &Arc<Games> {
        &self.games
    }

    /// What was settled when it was made.
    pub fn spec(&self) -> &Spec {
        &self.spec
    }

    /// Number of the last event.
    pub fn seq(&self) -> u64 {
        self.seq
    }

    /// Time of the last event.
    pub fn at(&self) -> Duration {
        self.at
    }

    fn board(&self) -> Option<&Board> {
        match &self.phase {
            Phase::Gathering(board) | Phase::Aborted(board) => board.as_ref(),
            Phase::Playing(board) | Phase::Over(board) => Some(board),
        }
    }

    /// The board of a game that is being played.
    fn playing(&self) -> Option<&Board> {
        match &self.phase {
            Phase::Playing(board) => Some(board),
            _ => None,
        }
    }

    /// The game on the board, once it is known which.
    pub fn game(&self) -> Option<&Game> {
        self.board().map(|board| &board.game)
    }

    /// The game on the board while it is being played.
    pub fn game_being_played(&self) -> Option<&Game> {
        self.playing().map(|board| &board.game)
    }

    /// The name under which the variant is stored, once settled ([`Games::name`]).
    pub fn variant_name(&self) -> Option<String> {
        self.variant().map(|variant| self.games.name(variant))
    }

    /// The variant, once settled.
    pub fn variant(&self) -> Option<&Arc<Variant>> {
        self.game().map(Game::variant)
    }

    /// Name of the variant or the family.
    pub fn name(&self) -> &str {
        match (self.variant(), &self.spec.family) {
            (Some(variant), _) => variant.name(),
            (None, Some(family)) => family,
            (None, None) => "",
        }
    }

    /// How it ended.
    pub fn outcome(&self) -> Option<Outcome> {
        self.game()?.outcome()
    }

    /// Where it stands.
    pub fn stage(&self) -> Stage {
        match &self.phase {
            Phase::Gathering(_) if self.all_there() && self.customs.is_some() => Stage::Customs,
            Phase::Gathering(_) => Stage::Waiting,
            Phase::Playing(_) => Stage::Playing,
            Phase::Over(_) => Stage::Over,
            Phase::Aborted(_) => Stage::Aborted,
        }
    }

    /// Whether nothing can happen on the board any more.
    pub fn is_over(&self) -> bool {
        matches!(self.phase, Phase::Over(_) | Phase::Aborted(_))
    }

    /// Whose turn it is, while it is being played.
    pub fn turn(&self) -> Option<Side> {
        self.game_being_played().map(Game::turn)
    }

    /// Who sits at a side, or for whom the seat is kept.
    pub fn person(&self, side: Side) -> Option<&Person> {
        let kept = self.spec.seats.get(side).kept.as_ref();
        self.seats.get(side).present.as_ref().or(kept)
    }

    /// Name of a side's player; empty if nobody has come.
    pub fn player_name(&self, side: Side) -> String {
        match (self.level(side), self.person(side)) {
            (Some(level), _) => format!("Husun, level {level}"),
            (None, Some(person)) => person.name.clone(),
            (None, None) => String::new(),
        }
    }

    /// The moves so far.
    pub fn played(&self) -> &[Played] {
        self.board().map_or(&[], |board| &board.played)
    }

    /// Half-moves played.
    pub fn ply(&self) -> usize {
        self.played().len()
    }

    /// Level of the engine at a side.
    pub fn level(&self, side: Side) -> Option<u8> {
        self.spec.seats.get(side).level
    }

    /// Whether one of the players is the engine.
    pub fn has_engine(&self) -> bool {
        Side::ALL.into_iter().any(|side| self.level(side).is_some())
    }

    /// Whether a seat is taken.
    pub fn is_there(&self, side: Side) -> bool {
        self.level(side).is_some() || self.seats.get(side).present.is_some()
    }

    fn all_there(&self) -> bool {
        Side::ALL.into_iter().all(|side| self.is_there(side))
    }

    /// The clock.
    pub fn clock(&self) -> Option<&Clock> {
        self.clock.as_ref()
    }

    /// The players' chat.
    pub fn chat(&self) -> &[ChatLine] {
        &self.chat
    }

    /// Who has offered a draw that stands.
    pub fn draw_offer(&self) -> Option<Side> {
        self.game_being_played()?.draw_offer()
    }

    /// Who wishes to take a move back.
    pub fn takeback_wish(&self) -> Option<Side> {
        self.board()?.takeback
    }

    /// Who has proposed a rematch that was not made yet.
    pub fn rematch_offer(&self) -> Option<Side> {
        match self.rematch {
            Rematch::Offered(side) => Some(side),
            _ => None,
        }
    }

    /// Id of the rematch, once made.
    pub fn rematch(&self) -> Option<&str> {
        match &self.rematch {
            Rematch::Made(game) => Some(game),
            _ => None,
        }
    }

    /// How the players agree, or have agreed, on the game.
    pub fn customs(&self) -> Option<&Settling> {
        self.customs.as_ref()
    }

    /// When something happens of itself: a flag falls, or silence has lasted too long.
    pub fn deadline(&self) -> Option<Duration> {
        match (self.stage(), &self.clock) {
            (Stage::Playing, Some(clock)) => clock.deadline(),
            (Stage::Playing, None) => Some(self.at + SILENT),
            (Stage::Customs, _) => Some(self.customs.as_ref()?.since() + SILENCE),
            (Stage::Waiting, _) => Some(self.at + WAITING),
            (Stage::Over | Stage::Aborted, _) => None,
        }
    }

    /// A time before which nothing happens of itself, whatever the players do until then: what each has left only
    /// grows with moves.
    pub fn earliest(&self, at: Duration) -> Option<Duration> {
        let deadline = self.deadline()?;
        let running = self.clock.as_ref().filter(|_| self.playing().is_some());
        let Some(clock) = running else {
            return Some(deadline);
        };
        let left = |side| clock.remaining(side, at).total(clock.control());
        let least = Side::ALL.into_iter().filter_map(left).min();
        Some(least.map_or(deadline, |least| deadline.min(at + least)))
    }

    /// Whether the engine is to do something.
    pub fn engine_is_asked(&self) -> bool {
        let to_move = self.turn().is_some_and(|side| self.level(side).is_some());
        to_move || self.engine_counsels().is_some()
    }

    /// What opens the seats, as they are now.
    pub fn openers(&self) -> impl Iterator<Item = (Who, &Opener)> {
        let players = Side::ALL.into_iter();
        let players = players.map(|side| (Who::Player(side), &self.seats.get(side).opener));
        let counsellors = Side::ALL.into_iter().filter_map(|side| {
            let opener = self.counsellor(side).opener.as_ref()?;
            Some((Who::Counsellor(side), opener))
        });
        players.chain(counsellors)
    }

    /// What opened seats before they were taken.
    pub fn invitations(&self) -> impl Iterator<Item = (Who, &Opener)> {
        let players = Side::ALL.into_iter().filter_map(|side| {
            let opener = self.seats.get(side).invitation.as_ref()?;
            Some((Who::Player(side), opener))
        });
        let counsellors = Side::ALL.into_iter().filter_map(|side| {
            let opener = self.counsellor(side).invitation.as_ref()?;
            Some((Who::Counsellor(side), opener))
        });
        players.chain(counsellors)
    }

    /// What opens a seat now.
    pub fn opener(&self, who: Who) -> Option<&Opener> {
        let mut openers = self.openers();
        openers.find(|(w, _)| *w == who).map(|(_, opener)| opener)
    }

    /// A side's Counsellor.
    pub fn counsellor(&self, side: Side) -> &Counsellor {
        &self.seats.get(side).counsel
    }

    /// What opens the seat of a side's Counsellor, as long as nobody has taken it.
    pub fn counsel_invitation(&self, side: Side) -> Option<&Opener> {
        let counsellor = self.counsellor(side);
        let free = counsellor.person.is_none();
        counsellor.opener.as_ref().filter(|_| free)
    }

    /// The seat that a guest has taken or that is kept for that guest.
    pub fn seat_of_guest(&self, guest: &str) -> Option<Who> {
        let sits = |side: &Side| self.person(*side).is_some_and(|p| p.guest == guest);
        let player = Side::ALL.into_iter().find(sits).map(Who::Player);
        player.or_else(|| {
            let counsels = |side: &Side| {
                let person = self.counsellor(*side).person.as_ref();
                person.is_some_and(|p| p.guest == guest)
            };
            Side::ALL.into_iter().find(counsels).map(Who::Counsellor)
        })
    }

    /// Whether it is shown among the games to watch.
    pub fn is_public(&self) -> bool {
        self.spec.public.unwrap_or(self.has_engine())
    }

    /// The guests who play, for lists of own games.
    pub fn guests(&self) -> impl Iterator<Item = &str> {
        let people = Side::ALL.into_iter().filter_map(|side| self.person(side));
        people.map(|p| p.guest.as_str())
    }

    /// Whether the choice of a promotion in lieu of a move stands and `side` may ask its Counsellor.
    pub fn can_ask(&self, side: Side) -> bool {
        let counsellor = self.counsellor(side);
        let engine = counsellor.appointed && counsellor.opener.is_none();
        (engine || counsellor.person.is_some())
            && counsellor.asked.is_none()
            && self.turn() == Some(side)
            && self.has_counsellors()
            && self.offer_stands()
    }

    fn offer_stands(&self) -> bool {
        let position = self.game().map(Game::position);
        position.is_some_and(|p| p.has_flag(StateFlag::Offer))
    }

    /// Whether the players may appoint Counsellors.
    pub fn has_counsellors(&self) -> bool {
        match (self.variant(), &self.customs) {
            (Some(v), _) => v.customs().as_ref().is_some_and(|c| c.counsellor),
            (None, Some(c)) => c.family().has_counsellors(),
            _ => false,
        }
    }

    /// Whether `side`'s Counsellor is the engine and owes an answer.
    pub fn engine_counsels(&self) -> Option<Side> {
        Side::ALL.into_iter().find(|&side| {
            let c = self.counsellor(side);
            c.opener.is_none()
                && c.asked == Some(self.ply())
                && c.advice.is_none()
                && !self.is_over()
        })
    }
}

/// The board of a game, from the position that was agreed on.
fn board(spec: &Spec, variant: &Arc<Variant>) -> Result<Board, Misfit> {
    let start = match &spec.fen {
        Some(fen) => variant.position(fen)?,
        None => variant.start(),
    };
    Ok(Board::new(Game::new(start)))
}
