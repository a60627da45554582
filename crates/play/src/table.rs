//! A game as a value: what was settled when it was made and everything that has happened. [`Table::decide`] says what
//! follows from a deed, [`Table::apply`] carries it out; a game read from storage is the same events applied again.

mod apply;
mod card;
mod counsel;
mod decide;
mod event;
mod plans;
mod settling;
#[cfg(test)]
mod tests;
mod waiting;

pub use apply::Misfit;
pub use card::{CardPlayer, StoredCard, StoredResult};
pub use counsel::{Counsellor, Counsels};
pub use event::{
    DELETED, Entry, Event, OfTournament, Opener, Person, SeatSpec, Spec, with_name, without_name,
};
pub use plans::{HALF_MOVES, LINES, Plan};
pub use settling::{Asked, Settling};

use crate::Games;
use crate::rating::{RatedGame, Speed, engine_id};
use crate::tournament::GameResult;
use crate::{Both, Who};
use husun::clock::{Clock, TimeControl};
use husun::{Game, Outcome, Side, Variant};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::time::Duration;

/// How long a player may leave a question of the customs unanswered.
pub const SILENCE: Duration = Duration::from_secs(60);
/// A game waiting for its second player, or for the first moves, is closed after this.
pub const WAITING: Duration = Duration::from_secs(24 * 3600);
/// A game without a clock is closed when nothing has happened for this long.
pub const SILENT: Duration = Duration::from_secs(30 * 24 * 3600);
/// Half-moves before which a game does not count yet: it can be called off, and clocks wait.
pub const FIRST_MOVES: usize = 2;
/// How much of a player's time may be network delay: this much at once; each move gives some back.
pub const LAG_BUDGET: Duration = Duration::from_millis(500);
/// How much of it each of the player's moves gives back.
pub const LAG_REFILL: Duration = Duration::from_millis(20);

/// Why events do not make a game: the storage is damaged, or was written by something else.
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

/// Everything left to chance.
pub trait Chance {
    /// Throws a die, 1 to 6.
    fn die(&mut self) -> u8;
    /// An unguessable number, from which a seat's key is derived.
    fn number(&mut self) -> String;
}

/// The stage of a game.
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
    /// Called off before it counted: no result.
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
    /// Square of the royal piece in check after it.
    pub check: Option<String>,
    /// Milliseconds used for it; missing without a clock.
    pub spent_ms: Option<u64>,
    /// What the engine thought of the position before it, in centipawns for its own side, if it made the move.
    pub thought: Option<i32>,
}

/// A line of chat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChatLine {
    /// Side of the one who wrote it.
    pub side: Side,
    /// The text; nothing if it was removed.
    pub text: String,
    /// Whether a moderator has removed it.
    pub removed: bool,
}

/// A side's seat: who may take it, and who has taken it.
#[derive(Clone, Debug)]
struct Seat {
    present: Option<Person>,
    opener: Opener,
    /// The key that opened it before it was taken.
    invitation: Option<Opener>,
    counsel: Counsellor,
}

/// What is on the board, once it is known which game is played.
#[derive(Clone, Debug)]
struct Board {
    game: Game,
    played: Vec<Played>,
    /// The clock before every move, for taking it back.
    clocks_before: Vec<Option<Clock>>,
    /// Who wishes to take a move back.
    takeback: Option<Side>,
    /// Half-moves played when a side last offered a draw.
    offered_at: Both<Option<usize>>,
    /// What is left of each side's budget for network delay.
    lag_left: Both<Duration>,
    /// When the mover's turn began.
    turned: Duration,
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
            turned: Duration::ZERO,
        }
    }
}

/// The phase of a game, with the data that exists only then.
#[derive(Clone, Debug)]
enum Phase {
    /// Somebody is missing, or it is not settled which game is played.
    Gathering(Option<Board>),
    /// Being played.
    Playing(Board),
    /// Over, with a result.
    Over(Board),
    /// Called off before it counted.
    Aborted(Option<Board>),
}

/// The state of a rematch.
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
    /// How the players agree on a game, if it was not chosen directly.
    customs: Option<Settling>,
    clock: Option<Clock>,
    phase: Phase,
    /// Number of the event by which moves were last taken back.
    cut: u64,
    /// Number of the event that ended it with a result.
    ended: Option<u64>,
    /// Number of offers, wishes and their consequences, which is bounded.
    offers: u32,
    rematch: Rematch,
    /// The answers that each player has prepared.
    plans: Both<Option<Plan>>,
    /// Who is on vacation and charged no time.
    vacation: Both<bool>,
    chat: Vec<ChatLine>,
    games: Arc<Games>,
}

impl Table {
    /// A newly made game in which nothing has happened.
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
            ended: None,
            offers: 0,
            rematch: Rematch::None,
            plans: Both::default(),
            vacation: Both::default(),
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

    /// The available games.
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

    /// Its stage.
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

    /// Number of the event that ended it with a result.
    pub fn ended(&self) -> Option<u64> {
        self.ended
    }

    /// Whose turn it is, while it is being played.
    pub fn turn(&self) -> Option<Side> {
        self.game_being_played().map(Game::turn)
    }

    /// Who sits at a side, or for whom the seat is reserved.
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

    /// What is to be rated, if it is over and counts for ratings.
    pub fn rated_game(&self) -> Option<RatedGame> {
        let outcome = self.outcome().filter(|_| self.spec.rated)?;
        let id = |side| match (self.level(side), self.person(side)) {
            (Some(level), _) => Some(engine_id(level)),
            // One who has deleted the account since has played it all the same.
            (None, person) => person.map(|p| p.guest.clone()),
        };
        let (white, black) = (id(Side::White)?, id(Side::Black)?);
        let differ = white != black;
        differ.then_some(RatedGame {
            variant: self.variant_name()?,
            speed: Speed::of(&self.spec.control)?,
            players: Both { white, black },
            winner: outcome.winner,
        })
    }

    /// How a game of a tournament has ended, once it is over.
    pub fn tournament_result(&self) -> Option<GameResult> {
        self.spec.tournament.as_ref().filter(|_| self.is_over())?;
        let outcome = self.outcome();
        let [white, black] = outcome.map_or([0.0; 2], |outcome| outcome.points);
        Some(GameResult {
            winner: outcome.and_then(|outcome| outcome.winner),
            points: Both { white, black },
            reason: outcome.map_or_else(String::new, |outcome| outcome.reason.name().into()),
            plies: self.ply() as u32,
            counts: outcome.is_some(),
        })
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

    /// What a side's engine thought of its positions: half-moves played, with centipawns for its own side.
    pub fn thoughts(&self, side: Side) -> impl Iterator<Item = (usize, i32)> {
        let played = self.played().iter().enumerate();
        let game = self.game();
        played.filter_map(move |(ply, played)| {
            let own = game?.position_at(ply)?.turn() == side;
            Some((ply, played.thought.filter(|_| own)?))
        })
    }

    /// How many half-moves had been played when a side last offered a draw.
    pub fn offered_at(&self, side: Side) -> Option<usize> {
        *self.board()?.offered_at.get(side)
    }

    /// The players' chat.
    pub fn chat(&self) -> &[ChatLine] {
        &self.chat
    }

    /// Removes the text of a line of chat that was deleted from storage. False if there is no such line.
    pub fn remove_chat(&mut self, line: usize) -> bool {
        let Some(line) = self.chat.get_mut(line) else {
            return false;
        };
        (line.text, line.removed) = (String::new(), true);
        true
    }

    /// Who has made a draw offer that still stands.
    pub fn draw_offer(&self) -> Option<Side> {
        self.game_being_played()?.draw_offer()
    }

    /// Who wishes to take a move back.
    pub fn takeback_wish(&self) -> Option<Side> {
        self.board()?.takeback
    }

    /// Who has proposed a rematch that is not made yet.
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

    /// Whether the engine has something to do.
    pub fn engine_is_asked(&self) -> bool {
        let to_move = self.turn().is_some_and(|side| self.level(side).is_some());
        to_move || self.engine_counsels().is_some()
    }

    /// The keys that open the seats now.
    pub fn openers(&self) -> impl Iterator<Item = (Who, &Opener)> {
        let players = Side::ALL.into_iter();
        let players = players.map(|side| (Who::Player(side), &self.seats.get(side).opener));
        let counsellors = Side::ALL.into_iter().filter_map(|side| {
            let opener = self.counsellor(side).opener.as_ref()?;
            Some((Who::Counsellor(side), opener))
        });
        players.chain(counsellors)
    }

    /// The keys that opened seats before they were taken.
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

    /// The key that opens a seat now.
    pub fn opener(&self, who: Who) -> Option<&Opener> {
        let mut openers = self.openers();
        openers.find(|(w, _)| *w == who).map(|(_, opener)| opener)
    }

    /// The seat that a guest has taken, or that is reserved for that guest.
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

    /// The guests who play, for their lists of games.
    pub fn guests(&self) -> impl Iterator<Item = &str> {
        let people = Side::ALL.into_iter().filter_map(|side| self.person(side));
        people.map(|p| p.guest.as_str())
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
