//! Who may do what: actions become events, or are refused with a reason.

use super::{Event, Person, SILENCE, Table, WAITING};
use crate::positions::read_move;
use crate::wire::{CustomsMethod, Stage};
use husun::{Game, Side};
use std::time::Duration;

/// Longest text of chat and advice, in characters.
pub const MAX_TEXT: usize = 500;
/// Most lines of chat kept in a game.
const MAX_CHAT: usize = 1000;
/// Most offers, wishes and take-backs in a game: the log of a game is bounded.
const MAX_OFFERS: u32 = 1000;

/// Who acts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Who {
    /// The player of a side.
    Player(Side),
    /// The Counsellor of a side's player.
    Counsellor(Side),
    /// One who watches.
    Watcher,
}

/// What someone does. `ply` is the number of half-moves played when the deed was done, `seq` the number of the last
/// event that was known then.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // as the messages in `wire`
pub enum Action {
    Move {
        ply: u32,
        seq: Option<u64>,
        text: String,
    },
    Accept {
        ply: u32,
        seq: Option<u64>,
    },
    Resign,
    Draw {
        ply: u32,
        seq: Option<u64>,
    },
    DeclineDraw {
        ply: u32,
    },
    Takeback {
        ply: u32,
        seq: Option<u64>,
    },
    DeclineTakeback {
        ply: u32,
    },
    Abort,
    Rematch,
    Chat {
        text: String,
    },
    Choose {
        name: String,
        value: String,
    },
    Appoint {
        number: Option<String>,
    },
    AskCounsel {
        ply: u32,
    },
    Advise {
        text: String,
    },
}

/// Why an action is not taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs)] // the messages say it
pub enum Refused {
    #[error("you watch this game; only its players can do that")]
    Watching,
    #[error("only the players can do that, not a Counsellor")]
    CounsellorOnly,
    #[error("you are no Counsellor")]
    NoCounsellor,
    #[error("the game has not begun")]
    NotBegun,
    #[error("the game is over")]
    Over,
    #[error("the game is not over yet")]
    NotOver,
    #[error("it is not your turn")]
    Turn,
    #[error("that answers the position after {given} half-moves, the game is at {now}")]
    Stale { given: u32, now: usize },
    #[error("moves have been taken back since; look at the board again")]
    TakenBack,
    #[error("this game has had {MAX_OFFERS} offers, wishes and take-backs; play on or resign")]
    TooManyOffers,
    #[error("{0}")]
    Illegal(String),
    #[error("there is nothing to accept: that is for a player whose legal moves are all optional")]
    NothingToAccept,
    #[error("you have offered a draw already")]
    OfferedAlready,
    #[error("no draw has been offered to you")]
    NoDrawOffer,
    #[error("moves are not taken back in this game")]
    NoTakebacks,
    #[error("you have made no move that could be taken back")]
    NothingToTakeBack,
    #[error("you have asked already")]
    AskedAlready,
    #[error("nobody has asked to take a move back")]
    NoTakebackWish,
    #[error("both have moved; the game can only be resigned or drawn")]
    TooLateToAbort,
    #[error("a rematch has been agreed already")]
    RematchedAlready,
    #[error("a text has 1 to {MAX_TEXT} characters, this has {0}")]
    TextLength(usize),
    #[error("this game's chat is full")]
    ChatFull,
    #[error("{name:?} is not to be chosen by you now")]
    NotAsked { name: String },
    #[error("{value:?} cannot be chosen, expected one of {expected}")]
    Value { value: String, expected: String },
    #[error("this game has no Counsellors")]
    NoCounsellors,
    #[error("your Counsellor has been asked; another cannot be appointed")]
    CounselSpent,
    #[error(
        "the Counsellor can be asked once, when the choice of Emperors stands and your clock runs"
    )]
    CannotAsk,
    #[error("you have not been asked, or it is too late")]
    NotAskedForAdvice,
    #[error("your time has run out")]
    Flagged,
}

impl Refused {
    /// A word for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Refused::Watching | Refused::CounsellorOnly | Refused::NoCounsellor => "not_your_seat",
            Refused::NotBegun => "not_begun",
            Refused::Over => "over",
            Refused::NotOver => "not_over",
            Refused::Turn => "not_your_turn",
            Refused::Stale { .. } | Refused::TakenBack => "stale",
            Refused::Illegal(_) => "illegal_move",
            Refused::TextLength(_) | Refused::ChatFull => "text",
            Refused::NotAsked { .. } | Refused::Value { .. } => "choice",
            Refused::Flagged => "flagged",
            _ => "not_now",
        }
    }
}

impl Table {
    /// What follows from an action at a time. `lag` is how much of the mover's time was the way here; `die`
    /// throws one. An action that was carried out already has no events.
    pub fn decide(
        &self,
        who: Who,
        action: &Action,
        at: Duration,
        lag: Duration,
        die: &mut dyn FnMut() -> u8,
    ) -> Result<Vec<Event>, Refused> {
        let side = match (who, action) {
            (Who::Counsellor(side), Action::Advise { text }) => return self.advise(side, text),
            (_, Action::Advise { .. }) => return Err(Refused::NoCounsellor),
            (Who::Player(side), _) => side,
            (Who::Counsellor(_), _) => return Err(Refused::CounsellorOnly),
            (Who::Watcher, _) => return Err(Refused::Watching),
        };
        match action {
            Action::Move { ply, seq, text } => {
                self.not_cut(*seq)?;
                self.move_by(side, *ply, text, at, lag)
            }
            Action::Accept { ply, seq } => {
                self.not_cut(*seq)?;
                self.accept(side, *ply)
            }
            Action::Resign => self.going_on().map(|_| vec![Event::Resigned { side }]),
            Action::Draw { ply, seq } => {
                self.not_cut(*seq)?;
                self.draw(side, *ply)
            }
            Action::DeclineDraw { ply } => {
                let game = self.at_ply(*ply)?;
                match game.draw_offer() == Some(side.opponent()) {
                    true => Ok(vec![Event::DrawDeclined { side }]),
                    false => Err(Refused::NoDrawOffer),
                }
            }
            Action::Takeback { ply, seq } => {
                self.not_cut(*seq)?;
                self.wish_back(side, *ply)
            }
            Action::DeclineTakeback { ply } => {
                self.at_ply(*ply)?;
                match self.takeback == Some(side.opponent()) {
                    true => Ok(vec![Event::TakebackDeclined]),
                    false => Err(Refused::NoTakebackWish),
                }
            }
            Action::Abort => match (self.is_over(), self.can_abort()) {
                (true, _) => Err(Refused::Over),
                (_, true) => Ok(vec![Event::Aborted]),
                _ => Err(Refused::TooLateToAbort),
            },
            Action::Rematch => self.propose_rematch(side),
            Action::Chat { text } => self.say(side, text),
            Action::Choose { name, value } => self.choose_by(side, name, value, die),
            Action::Appoint { number } => self.appoint(side, number),
            Action::AskCounsel { ply } => {
                self.at_ply(*ply)?;
                match self.can_ask(side) {
                    true => Ok(vec![Event::CounselAsked { side }]),
                    false => Err(Refused::CannotAsk),
                }
            }
            Action::Advise { .. } => Err(Refused::NoCounsellor),
        }
    }

    /// What follows when someone comes to a seat: the first coming is noted, and may begin the game.
    /// One who comes by an invitation gets a seat that opens by a word of its own, derived from `number`.
    pub fn joined(&self, who: Who, person: Person, number: String) -> Vec<Event> {
        match who {
            Who::Player(side) if self.present.get(side).is_none() && !self.is_over() => {
                let invited = self.spec.seats.get(side).kept.is_none();
                vec![Event::Joined {
                    side,
                    person,
                    number: invited.then_some(number),
                }]
            }
            Who::Counsellor(side) if self.counsel.get(side).person.is_none() => {
                vec![Event::CounsellorJoined {
                    side,
                    person,
                    number: Some(number),
                }]
            }
            _ => Vec::new(),
        }
    }

    /// What follows of itself from the state alone: a game in which all is settled begins.
    pub fn follow_up(&self) -> Option<Event> {
        if self.begun || self.is_over() || !self.all_there() {
            return None;
        }
        let variant = match &self.customs {
            Some(_) => self.settled()?,
            None => self.variant.as_ref()?,
        };
        Some(Event::Begun {
            variant: variant.id().to_owned(),
        })
    }

    /// What follows from time alone: a flag has fallen (seen `allowance` after its time, for moves still on
    /// the way), or someone was silent for too long. A game that nobody comes to is closed when `deserted`.
    pub fn overdue(
        &self,
        at: Duration,
        allowance: Duration,
        deserted: bool,
        die: &mut dyn FnMut() -> u8,
    ) -> Option<Event> {
        match self.stage() {
            Stage::Waiting => (deserted && self.at + WAITING <= at).then_some(Event::Abandoned),
            Stage::Playing => {
                let Some(clock) = &self.clock else {
                    let closed = deserted && self.deadline()? <= at;
                    return closed.then_some(Event::Abandoned);
                };
                let late = clock.deadline()? + allowance <= at;
                let side = clock.flagged(at).filter(|_| late)?;
                Some(Event::Flagged { side })
            }
            Stage::Customs => self.silent(at, die),
            _ => None,
        }
    }

    fn silent(&self, at: Duration, die: &mut dyn FnMut() -> u8) -> Option<Event> {
        let customs = self.customs.as_ref()?;
        if customs.since + SILENCE > at {
            return None;
        }
        let question = customs.questions.iter().find(|q| q.settled.is_none())?;
        let name = question.name.clone();
        let spoken = question
            .chosen
            .white
            .as_ref()
            .or(question.chosen.black.as_ref());
        Some(match (customs.family.method, spoken) {
            // One has named a value and nobody objects.
            (CustomsMethod::Die, Some(value)) => Event::Silent {
                name,
                value: value.clone(),
            },
            (CustomsMethod::Die, None) => Event::Die { name, value: die() },
            (CustomsMethod::Turns, _) => Event::Silent {
                name,
                value: question.values.first().cloned().unwrap_or_default(),
            },
        })
    }

    /// Refuses what was meant for a position that was taken back since.
    fn not_cut(&self, seq: Option<u64>) -> Result<(), Refused> {
        match seq.is_some_and(|seq| seq < self.cut) {
            true => Err(Refused::TakenBack),
            false => Ok(()),
        }
    }

    /// Refuses offers beyond the bound of a game's log.
    fn may_offer(&self) -> Result<(), Refused> {
        match self.offers < MAX_OFFERS {
            true => Ok(()),
            false => Err(Refused::TooManyOffers),
        }
    }

    fn going_on(&self) -> Result<&Game, Refused> {
        match (self.stage(), &self.game) {
            (Stage::Playing, Some(game)) => Ok(game),
            (Stage::Over | Stage::Aborted, _) => Err(Refused::Over),
            _ => Err(Refused::NotBegun),
        }
    }

    fn at_ply(&self, ply: u32) -> Result<&Game, Refused> {
        let game = self.going_on()?;
        match ply as usize == self.ply() {
            true => Ok(game),
            false => Err(Refused::Stale {
                given: ply,
                now: self.ply(),
            }),
        }
    }

    fn move_by(
        &self,
        side: Side,
        ply: u32,
        text: &str,
        at: Duration,
        lag: Duration,
    ) -> Result<Vec<Event>, Refused> {
        if self.is_repeated(side, ply, text) {
            return Ok(Vec::new());
        }
        let game = self.at_ply(ply)?;
        if game.turn() != side {
            return Err(Refused::Turn);
        }
        let position = game.position();
        let m = read_move(position, text).map_err(|e| Refused::Illegal(e.to_string()))?;
        let lag = lag.min(*self.lag_left.get(side));
        let pressed = at.saturating_sub(lag);
        if let Some(clock) = &self.clock
            && clock.flagged(pressed).is_some()
        {
            return Err(Refused::Flagged);
        }
        Ok(vec![Event::Played {
            uci: position.uci(m).to_string(),
            lag: lag.as_millis() as u64,
        }])
    }

    /// Whether this very move was made there already.
    fn is_repeated(&self, side: Side, ply: u32, text: &str) -> bool {
        let Some(game) = &self.game else { return false };
        let Some(position) = game.position_at(ply as usize) else {
            return false;
        };
        let Some(played) = self.played.get(ply as usize) else {
            return false;
        };
        position.turn() == side && (played.uci == text || played.san == text)
    }

    fn accept(&self, side: Side, ply: u32) -> Result<Vec<Event>, Refused> {
        let game = self.at_ply(ply)?;
        if game.turn() != side {
            return Err(Refused::Turn);
        }
        match game.position().can_accept() {
            true => Ok(vec![Event::Accepted]),
            false => Err(Refused::NothingToAccept),
        }
    }

    fn draw(&self, side: Side, ply: u32) -> Result<Vec<Event>, Refused> {
        let game = self.at_ply(ply)?;
        match game.draw_offer() {
            Some(by) if by == side => Err(Refused::OfferedAlready),
            Some(_) => Ok(vec![Event::DrawAgreed { side }]),
            None if *self.offered_at.get(side) == Some(self.ply()) => Err(Refused::OfferedAlready),
            None => {
                self.may_offer()?;
                Ok(vec![Event::DrawOffered { side }])
            }
        }
    }

    fn wish_back(&self, side: Side, ply: u32) -> Result<Vec<Event>, Refused> {
        let game = self.at_ply(ply)?;
        let engine = self.level(side.opponent()).is_some();
        if !engine && !self.spec.takebacks {
            return Err(Refused::NoTakebacks);
        }
        self.may_offer()?;
        let plies = |by: Side| 1 + u32::from(game.turn() == by);
        if engine {
            let plies = plies(side);
            return match self.ply() >= plies as usize {
                true => Ok(vec![Event::TakenBack { plies }]),
                false => Err(Refused::NothingToTakeBack),
            };
        }
        match self.takeback {
            Some(by) if by == side => Err(Refused::AskedAlready),
            Some(by) => Ok(vec![Event::TakenBack { plies: plies(by) }]),
            None if self.ply() < plies(side) as usize => Err(Refused::NothingToTakeBack),
            None => Ok(vec![Event::TakebackAsked { side }]),
        }
    }

    /// Whether the game can still be given up without a result: before both have moved.
    pub fn can_abort(&self) -> bool {
        !self.is_over() && self.ply() < 2
    }

    fn propose_rematch(&self, side: Side) -> Result<Vec<Event>, Refused> {
        if !self.is_over() {
            return Err(Refused::NotOver);
        }
        if self.rematch.is_some() {
            return Err(Refused::RematchedAlready);
        }
        match self.rematch_offer {
            Some(by) if by == side => Err(Refused::AskedAlready),
            _ => Ok(vec![Event::RematchOffered { side }]),
        }
    }

    /// Whether a rematch is agreed and has to be made.
    pub fn wants_rematch(&self, by: Side) -> bool {
        self.rematch.is_none()
            && (self.level(by.opponent()).is_some() || self.rematch_offer == Some(by.opponent()))
    }

    fn say(&self, side: Side, text: &str) -> Result<Vec<Event>, Refused> {
        let text = checked(text)?;
        match self.chat.len() < MAX_CHAT {
            true => Ok(vec![Event::Chat { side, text }]),
            false => Err(Refused::ChatFull),
        }
    }

    fn choose_by(
        &self,
        side: Side,
        name: &str,
        value: &str,
        die: &mut dyn FnMut() -> u8,
    ) -> Result<Vec<Event>, Refused> {
        let refused = || Refused::NotAsked { name: name.into() };
        if self.stage() != Stage::Customs {
            return Err(refused());
        }
        let asked = self.asked(name);
        if !asked.contains(&side) {
            return Err(refused());
        }
        let customs = self.customs.as_ref().ok_or_else(refused)?;
        let question = customs.questions.iter().find(|q| q.name == name);
        let question = question.ok_or_else(refused)?;
        if !question.values.iter().any(|v| v == value) {
            return Err(Refused::Value {
                value: value.chars().take(40).collect(),
                expected: question.values.join(", "),
            });
        }
        let mut events = vec![Event::Chose {
            side,
            name: name.into(),
            value: value.into(),
        }];
        let other = question.chosen.get(side.opponent());
        if customs.family.method == CustomsMethod::Die
            && other.as_ref().is_some_and(|other| other != value)
        {
            events.push(Event::Die {
                name: name.into(),
                value: die(),
            });
        }
        Ok(events)
    }

    /// Who is asked a question now.
    pub(super) fn asked(&self, name: &str) -> Vec<Side> {
        let Some(customs) = &self.customs else {
            return Vec::new();
        };
        let open = customs.questions.iter().position(|q| q.settled.is_none());
        let Some(at) = open.filter(|&at| customs.questions[at].name == name) else {
            return Vec::new();
        };
        match customs.family.method {
            CustomsMethod::Turns => vec![Side::ALL[at % 2]],
            CustomsMethod::Die => {
                let chosen = &customs.questions[at].chosen;
                let silent = |side: &Side| chosen.get(*side).is_none();
                Side::ALL.into_iter().filter(silent).collect()
            }
        }
    }

    fn appoint(&self, side: Side, number: &Option<String>) -> Result<Vec<Event>, Refused> {
        if !self.has_counsellors() {
            return Err(Refused::NoCounsellors);
        }
        if self.is_over() {
            return Err(Refused::Over);
        }
        self.may_offer()?;
        match self.counsel.get(side).asked {
            Some(_) => Err(Refused::CounselSpent),
            None => Ok(vec![Event::Appointed {
                side,
                secret: None,
                number: number.clone(),
            }]),
        }
    }

    fn advise(&self, side: Side, text: &str) -> Result<Vec<Event>, Refused> {
        let counsellor = self.counsel.get(side);
        let open = counsellor.asked == Some(self.ply())
            && counsellor.advice.is_none()
            && self.turn() == Some(side);
        match open {
            true => Ok(vec![Event::Advised {
                side,
                text: checked(text)?,
            }]),
            false => Err(Refused::NotAskedForAdvice),
        }
    }
}

/// A text that people write, of a fitting length and without control characters.
fn checked(text: &str) -> Result<String, Refused> {
    let clean: String = text
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    let clean = clean.trim();
    match clean.chars().count() {
        1..=MAX_TEXT => Ok(clean.into()),
        n => Err(Refused::TextLength(n)),
    }
}
