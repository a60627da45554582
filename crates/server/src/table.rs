//! A game as a value: what was settled when it was made and everything that has happened. [`Table::decide`]
//! says what follows from an action, [`Table::apply`] makes it so; a game read from storage is the same
//! events applied again. No storage, no sockets, no time but what is given.

pub mod card;
mod decide;
mod event;
pub mod show;
#[cfg(test)]
mod tests;

pub use decide::{Action, Refused, Who};
pub use event::{Entry, Event, Opener, Person, SeatSpec, Spec};

use crate::customs::{self, Family};
use crate::wire::{Both, ChatLine, CustomsMethod, Played, Stage};
use husun::clock::{Clock, TimeControl};
use husun::variant::StateFlag;
use husun::{ActionError, Game, Side, Variant};
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
    pub problem: String,
}

/// A question of the customs and how far it is.
#[derive(Clone, Debug)]
struct Asked {
    name: String,
    values: Vec<String>,
    chosen: Both<Option<String>>,
    settled: Option<String>,
}

/// Customs being settled.
#[derive(Clone, Debug)]
struct Settling {
    family: &'static Family,
    questions: Vec<Asked>,
    die: Option<u8>,
    /// Since when the present question stands.
    since: Duration,
}

/// A player's Counsellor.
#[derive(Clone, Debug, Default)]
struct Counsellor {
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

/// A game.
#[derive(Clone, Debug)]
pub struct Table {
    spec: Spec,
    seq: u64,
    at: Duration,
    present: Both<Option<Person>>,
    openers: Both<Opener>,
    /// What opened a seat before it was taken.
    invitations: Both<Option<Opener>>,
    variant: Option<Arc<Variant>>,
    game: Option<Game>,
    begun: bool,
    aborted: bool,
    clock: Option<Clock>,
    /// The clock before every move, to take it back.
    clocks_before: Vec<Option<Clock>>,
    played: Vec<Played>,
    customs: Option<Settling>,
    takeback: Option<Side>,
    /// Number of the event by which moves were last taken back.
    cut: u64,
    /// Offers, wishes and what followed from them, which are bounded.
    offers: u32,
    /// Half-moves played when a side last offered a draw.
    offered_at: Both<Option<usize>>,
    /// What is left of each side's budget for the way to the server.
    lag_left: Both<Duration>,
    rematch_offer: Option<Side>,
    rematch: Option<String>,
    chat: Vec<ChatLine>,
    counsel: Both<Counsellor>,
}

impl Table {
    /// A game made and nothing happened yet.
    pub fn new(spec: Spec) -> Result<Table, String> {
        let mut table = Table {
            seq: 0,
            at: Duration::ZERO,
            present: Both::default(),
            openers: Both::of(|side| spec.seats.get(side).opener()),
            invitations: Both::default(),
            variant: None,
            game: None,
            begun: false,
            aborted: false,
            clock: None,
            clocks_before: Vec::new(),
            played: Vec::new(),
            customs: None,
            takeback: None,
            cut: 0,
            offers: 0,
            offered_at: Both::default(),
            lag_left: Both::of(|_| LAG_BUDGET),
            rematch_offer: None,
            rematch: None,
            chat: Vec::new(),
            counsel: Both::default(),
            spec,
        };
        if table.spec.control != TimeControl::None {
            let clock = Clock::new(table.spec.control).map_err(|e| e.to_string())?;
            table.clock = Some(clock);
        }
        match (&table.spec.variant, &table.spec.family) {
            (Some(id), None) => {
                let id = id.clone();
                table.settle(&id)?;
            }
            (None, Some(name)) => {
                let family = customs::family(name).ok_or_else(|| format!("no family {name:?}"))?;
                let questions = family.questions.iter().map(|q| Asked {
                    name: q.name.clone(),
                    values: q.values.clone(),
                    chosen: Both::default(),
                    settled: None,
                });
                table.customs = Some(Settling {
                    family,
                    questions: questions.collect(),
                    die: None,
                    since: Duration::ZERO,
                });
            }
            _ => return Err("exactly one of variant and family is wanted".into()),
        }
        Ok(table)
    }

    fn settle(&mut self, id: &str) -> Result<(), String> {
        let variant = games::variant(id).ok_or_else(|| format!("no game {id:?}"))?;
        let start = match &self.spec.fen {
            Some(fen) => variant.position(fen).map_err(|e| e.to_string())?,
            None => variant.start(),
        };
        self.variant = Some(variant);
        self.game = Some(Game::new(start));
        Ok(())
    }

    /// The game that events make.
    pub fn replay(spec: Spec, entries: &[Entry]) -> Result<Table, Broken> {
        let broken = |seq: u64, event: String, problem: String| Broken {
            seq,
            event,
            problem,
        };
        let mut table =
            Table::new(spec).map_err(|e| broken(0, "the game as it was made".into(), e))?;
        for entry in entries {
            let told = || format!("{:?}", entry.event);
            if entry.seq != table.seq + 1 {
                let problem = format!("expected event {}", table.seq + 1);
                return Err(broken(entry.seq, told(), problem));
            }
            table
                .apply(&entry.event, entry.at)
                .map_err(|e| broken(entry.seq, told(), e))?;
        }
        Ok(table)
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

    /// The game on the board, once it is known which.
    pub fn game(&self) -> Option<&Game> {
        self.game.as_ref()
    }

    /// Where it stands.
    pub fn stage(&self) -> Stage {
        if self.aborted {
            return Stage::Aborted;
        }
        if self.game.as_ref().is_some_and(|g| g.outcome().is_some()) {
            return Stage::Over;
        }
        if self.begun {
            return Stage::Playing;
        }
        match self.all_there() && self.customs.is_some() {
            true => Stage::Customs,
            false => Stage::Waiting,
        }
    }

    /// Whether nothing can happen on the board any more.
    pub fn is_over(&self) -> bool {
        matches!(self.stage(), Stage::Over | Stage::Aborted)
    }

    /// Whose turn it is, while it is being played.
    pub fn turn(&self) -> Option<Side> {
        (self.stage() == Stage::Playing).then(|| self.game.as_ref().map(Game::turn))?
    }

    /// Who sits at a side, or for whom the seat is kept.
    pub fn person(&self, side: Side) -> Option<&Person> {
        let kept = self.spec.seats.get(side).kept.as_ref();
        self.present.get(side).as_ref().or(kept)
    }

    /// The moves so far.
    pub fn played(&self) -> &[Played] {
        &self.played
    }

    /// Half-moves played.
    pub fn ply(&self) -> usize {
        self.played.len()
    }

    /// Level of the engine at a side.
    pub fn level(&self, side: Side) -> Option<u8> {
        self.spec.seats.get(side).level
    }

    pub(crate) fn is_there(&self, side: Side) -> bool {
        self.level(side).is_some() || self.present.get(side).is_some()
    }

    fn all_there(&self) -> bool {
        Side::ALL.into_iter().all(|side| self.is_there(side))
    }

    /// The clock.
    pub fn clock(&self) -> Option<&Clock> {
        self.clock.as_ref()
    }

    /// When something happens of itself: a flag falls, or silence has lasted too long.
    pub fn deadline(&self) -> Option<Duration> {
        match (self.stage(), &self.clock) {
            (Stage::Playing, Some(clock)) => clock.deadline(),
            (Stage::Playing, None) => Some(self.at + SILENT),
            (Stage::Customs, _) => Some(self.customs.as_ref()?.since + SILENCE),
            (Stage::Waiting, _) => Some(self.at + WAITING),
            (Stage::Over | Stage::Aborted, _) => None,
        }
    }

    /// A time before which nothing happens of itself, whatever the players do until then: what each has left only
    /// grows with moves.
    pub fn earliest(&self, at: Duration) -> Option<Duration> {
        let deadline = self.deadline()?;
        let Some(clock) = self
            .clock
            .as_ref()
            .filter(|_| self.stage() == Stage::Playing)
        else {
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
    pub fn openers(&self) -> impl Iterator<Item = (Who, Opener)> {
        let players = Side::ALL.into_iter();
        let players = players.map(|side| (Who::Player(side), self.openers.get(side).clone()));
        let counsellors = Side::ALL.into_iter().filter_map(|side| {
            let opener = self.counsel.get(side).opener.clone()?;
            Some((Who::Counsellor(side), opener))
        });
        players.chain(counsellors)
    }

    /// What opened seats before they were taken.
    pub fn invitations(&self) -> impl Iterator<Item = (Who, Opener)> {
        let players = Side::ALL.into_iter().filter_map(|side| {
            let opener = self.invitations.get(side).clone()?;
            Some((Who::Player(side), opener))
        });
        let counsellors = Side::ALL.into_iter().filter_map(|side| {
            let opener = self.counsel.get(side).invitation.clone()?;
            Some((Who::Counsellor(side), opener))
        });
        players.chain(counsellors)
    }

    /// What opens a seat now.
    pub fn opener(&self, who: Who) -> Option<Opener> {
        self.openers()
            .find(|(w, _)| *w == who)
            .map(|(_, opener)| opener)
    }

    /// What opens the seat of a side's Counsellor, as long as nobody has taken it.
    pub fn counsel_invitation(&self, side: Side) -> Option<Opener> {
        let counsellor = self.counsel.get(side);
        let free = counsellor.person.is_none();
        counsellor.opener.clone().filter(|_| free)
    }

    /// The seat that a guest has taken or that is kept for that guest.
    pub fn seat_of_guest(&self, guest: &str) -> Option<Who> {
        let sits = |side: &Side| self.person(*side).is_some_and(|p| p.guest == guest);
        let player = Side::ALL.into_iter().find(sits).map(Who::Player);
        player.or_else(|| {
            let counsels = |side: &Side| {
                let person = self.counsel.get(*side).person.as_ref();
                person.is_some_and(|p| p.guest == guest)
            };
            Side::ALL.into_iter().find(counsels).map(Who::Counsellor)
        })
    }

    /// Whether it is shown among the games to watch.
    pub fn is_public(&self) -> bool {
        let with_engine = Side::ALL.into_iter().any(|side| self.level(side).is_some());
        self.spec.public.unwrap_or(with_engine)
    }

    /// The guests who play, for lists of own games.
    pub fn guests(&self) -> impl Iterator<Item = &str> {
        let people = Side::ALL.into_iter().filter_map(|side| self.person(side));
        people.map(|p| p.guest.as_str())
    }

    /// Whether the choice of a promotion in lieu of a move stands and `side` may ask its Counsellor.
    fn can_ask(&self, side: Side) -> bool {
        let counsellor = self.counsel.get(side);
        let engine = counsellor.appointed && counsellor.opener.is_none();
        (engine || counsellor.person.is_some())
            && counsellor.asked.is_none()
            && self.turn() == Some(side)
            && self.has_counsellors()
            && self.offer_stands()
    }

    fn offer_stands(&self) -> bool {
        let position = self.game.as_ref().map(Game::position);
        position.is_some_and(|p| p.has_flag(StateFlag::Offer))
    }

    fn has_counsellors(&self) -> bool {
        match (&self.variant, &self.customs) {
            (Some(v), _) => v.customs().as_ref().is_some_and(|c| c.counsellor),
            (None, Some(c)) => c.family.has_counsellors(),
            _ => false,
        }
    }

    /// Whether `side`'s Counsellor is the engine and owes an answer.
    pub fn engine_counsels(&self) -> Option<Side> {
        Side::ALL.into_iter().find(|&side| {
            let c = self.counsel.get(side);
            c.opener.is_none()
                && c.asked == Some(self.ply())
                && c.advice.is_none()
                && !self.is_over()
        })
    }

    /// Makes an event so. An error means that it does not fit the game: it came from a damaged storage.
    pub fn apply(&mut self, event: &Event, at: Duration) -> Result<(), String> {
        let at = at.max(self.at);
        match event {
            Event::Joined {
                side,
                person,
                number,
            } => {
                *self.present.get_mut(*side) = Some(person.clone());
                if let Some(number) = number {
                    let fresh = Opener::Number(number.clone());
                    let old = std::mem::replace(self.openers.get_mut(*side), fresh);
                    *self.invitations.get_mut(*side) = Some(old);
                }
                if let Some(customs) = &mut self.customs {
                    customs.since = at;
                }
            }
            Event::Chose { side, name, value } => self.choose(*side, name, value, at)?,
            Event::Die { name, value } => self.throw(name, *value, at)?,
            Event::Silent { name, value } => self.settle_question(name, value, at)?,
            Event::Begun { variant } => self.begin(variant, at)?,
            Event::Played { uci, lag } => self.play(uci, Duration::from_millis(*lag), at)?,
            Event::Accepted => self.end(at, Game::accept)?,
            Event::Resigned { side } => self.end(at, |g| g.resign(*side))?,
            Event::Flagged { side } => self.end(at, |g| g.lose_on_time(*side))?,
            Event::DrawOffered { side } => {
                self.on_board(|g| g.offer_draw(*side).map(drop))?;
                *self.offered_at.get_mut(*side) = Some(self.played.len());
            }
            Event::DrawAgreed { side } => self.end(at, |g| g.agree_to_draw(*side))?,
            Event::DrawDeclined { side } => self.on_board(|g| g.decline_draw(*side))?,
            Event::TakebackAsked { side } => self.takeback = Some(*side),
            Event::TakenBack { plies } => {
                self.take_back(*plies, at)?;
                self.cut = self.seq + 1;
                self.offered_at = Both::default();
            }
            Event::TakebackDeclined => self.takeback = None,
            Event::Aborted => {
                self.aborted = true;
                self.stop_clock(at);
            }
            Event::Abandoned => match self.begun {
                true => self.end(at, |g| g.abandon(None))?,
                false => self.aborted = true,
            },
            Event::Chat { side, text } => self.chat.push(ChatLine {
                side: (*side).into(),
                text: text.clone(),
            }),
            Event::RematchOffered { side } => self.rematch_offer = Some(*side),
            Event::RematchFailed => self.rematch_offer = None,
            Event::Rematched { game } => self.rematch = Some(game.clone()),
            Event::Appointed {
                side,
                secret,
                number,
            } => {
                let number = number.clone().map(Opener::Number);
                *self.counsel.get_mut(*side) = Counsellor {
                    appointed: true,
                    opener: number.or(secret.clone().map(Opener::Word)),
                    ..Counsellor::default()
                };
            }
            Event::CounsellorJoined {
                side,
                person,
                number,
            } => {
                let counsellor = self.counsel.get_mut(*side);
                counsellor.person = Some(person.clone());
                if let Some(number) = number {
                    let fresh = Some(Opener::Number(number.clone()));
                    counsellor.invitation = std::mem::replace(&mut counsellor.opener, fresh);
                }
            }
            Event::CounselAsked { side } => {
                self.counsel.get_mut(*side).asked = Some(self.played.len());
            }
            Event::Advised { side, text } => {
                self.counsel.get_mut(*side).advice = Some(text.clone());
            }
            Event::Resumed => {}
        }
        if event.is_offer() {
            self.offers += 1;
        }
        self.at = at;
        self.seq += 1;
        Ok(())
    }

    fn on_board<T>(
        &mut self,
        f: impl FnOnce(&mut Game) -> Result<T, ActionError>,
    ) -> Result<T, String> {
        let game = self.game.as_mut().ok_or("no game is on the board yet")?;
        f(game).map_err(|e| e.to_string())
    }

    fn end<T>(
        &mut self,
        at: Duration,
        f: impl FnOnce(&mut Game) -> Result<T, ActionError>,
    ) -> Result<(), String> {
        self.on_board(f)?;
        self.stop_clock(at);
        self.takeback = None;
        Ok(())
    }

    fn stop_clock(&mut self, at: Duration) {
        if let Some(clock) = &mut self.clock {
            clock.stop(at);
        }
    }

    fn question(&mut self, name: &str) -> Result<(&'static Family, &mut Asked), String> {
        let customs = self.customs.as_mut().ok_or("there are no customs")?;
        let family = customs.family;
        let question = customs.questions.iter_mut().find(|q| q.name == name);
        question
            .map(|q| (family, q))
            .ok_or_else(|| format!("there is no question {name:?}"))
    }

    fn choose(&mut self, side: Side, name: &str, value: &str, at: Duration) -> Result<(), String> {
        let (family, question) = self.question(name)?;
        *question.chosen.get_mut(side) = Some(value.into());
        let settled = match family.method {
            CustomsMethod::Turns => true,
            CustomsMethod::Die => question.chosen.white == question.chosen.black,
        };
        match settled {
            true => self.settle_question(name, value, at),
            false => Ok(()),
        }
    }

    fn throw(&mut self, name: &str, die: u8, at: Duration) -> Result<(), String> {
        let (_, question) = self.question(name)?;
        let asked = customs::Question {
            name: question.name.clone(),
            values: question.values.clone(),
        };
        let value = Family::by_die(&asked, die);
        if let Some(customs) = &mut self.customs {
            customs.die = Some(die);
        }
        self.settle_question(name, &value, at)
    }

    fn settle_question(&mut self, name: &str, value: &str, at: Duration) -> Result<(), String> {
        let (_, question) = self.question(name)?;
        question.settled = Some(value.into());
        if let Some(customs) = &mut self.customs {
            customs.since = at;
        }
        Ok(())
    }

    /// The game on which the customs have settled, once all questions are.
    fn settled(&self) -> Option<&Arc<Variant>> {
        let customs = self.customs.as_ref()?;
        let values: Vec<Option<String>> = customs
            .questions
            .iter()
            .map(|q| q.settled.clone())
            .collect();
        customs
            .family
            .variant(&values)
            .filter(|_| values.iter().all(Option::is_some))
    }

    fn begin(&mut self, variant: &str, at: Duration) -> Result<(), String> {
        if self.variant.as_ref().is_none_or(|v| v.id() != variant) {
            self.settle(variant)?;
        }
        self.begun = true;
        let turn = self.game.as_ref().map_or(Side::White, Game::turn);
        if let Some(clock) = &mut self.clock {
            clock.start(turn, at).map_err(|e| e.to_string())?;
        }
        Ok(())
    }

    fn play(&mut self, uci: &str, lag: Duration, at: Duration) -> Result<(), String> {
        let game = self.game.as_mut().ok_or("no game is on the board yet")?;
        let before = game.position();
        let m = before.parse_uci(uci).map_err(|e| e.to_string())?;
        let uci = before.uci(m).to_string();
        let san = before.san(m).map_err(|e| e.to_string())?;
        let side = before.turn();
        let kept = self.clock.clone();
        let mut spent_ms = None;
        if let Some(clock) = &mut self.clock {
            let pressed = clock
                .press(at.saturating_sub(lag))
                .map_err(|e| e.to_string())?;
            clock.restart_turn(at);
            spent_ms = Some(pressed.spent.as_millis() as u64);
        }
        let outcome = match game.play(m) {
            Ok(outcome) => outcome,
            Err(error) => {
                self.clock = kept;
                return Err(error.to_string());
            }
        };
        let after = game.position();
        self.played.push(Played {
            uci,
            san,
            fen: after.fen(),
            check: show::check(after),
            spent_ms,
        });
        self.clocks_before.push(kept);
        let left = self.lag_left.get_mut(side);
        *left = (left.saturating_sub(lag) + LAG_REFILL).min(LAG_BUDGET);
        self.takeback = None;
        if outcome.is_some() {
            self.stop_clock(at);
        }
        Ok(())
    }

    fn take_back(&mut self, plies: u32, at: Duration) -> Result<(), String> {
        for _ in 0..plies {
            self.on_board(|g| g.take_back().map(drop))?;
            self.played.pop();
            self.clock = self.clocks_before.pop().flatten();
        }
        if let Some(clock) = &mut self.clock {
            clock.restart_turn(at);
        }
        self.takeback = None;
        Ok(())
    }
}
