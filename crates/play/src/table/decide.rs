//! Who may do what: deeds become events, or are refused with a reason.

use super::{
    Board, Chance, Event, FIRST_MOVES, Person, Phase, Rematch, SILENCE, Stage, Table, WAITING,
};
use crate::customs::Method;
use crate::deed::{
    Circumstances, Claim, Deed, MAX_CHAT, MAX_CHAT_BYTES, MAX_OFFERS, MAX_TEXT, Refused, Who,
};
use crate::read_move;
use husun::Side;
use std::time::Duration;

impl Table {
    /// The events that follow from a deed. One that was carried out already has none.
    pub fn decide(
        &self,
        who: Who,
        deed: &Deed,
        circumstances: &Circumstances,
        chance: &mut dyn Chance,
    ) -> Result<Vec<Event>, Refused> {
        let side = match (who, deed) {
            (Who::Counsellor(side), Deed::Advise { text }) => return self.advise(side, text),
            (_, Deed::Advise { .. }) => return Err(Refused::NoCounsellor),
            // It is not an event of the game, whoever says it ([`Table::watchers_line`]).
            (_, Deed::WatchersChat { .. }) => return Err(Refused::NotWatching),
            (Who::Player(side), _) => side,
            (Who::Counsellor(_), _) => return Err(Refused::CounsellorOnly),
            (Who::Watcher, _) => return Err(Refused::Watching),
        };
        match deed {
            Deed::Move { ply, seq, text } => {
                self.not_cut(*seq)?;
                self.move_by(side, *ply, text, circumstances)
            }
            Deed::Accept { ply, seq } => {
                self.not_cut(*seq)?;
                self.accept(side, *ply)
            }
            Deed::Resign => self.going_on().map(|_| vec![Event::Resigned { side }]),
            Deed::Draw { ply, seq } => {
                self.not_cut(*seq)?;
                self.draw(side, *ply)
            }
            Deed::DeclineDraw { ply } => {
                let board = self.at_ply(*ply)?;
                match board.game.draw_offer() == Some(side.opponent()) {
                    true => Ok(vec![Event::DrawDeclined { side }]),
                    false => Err(Refused::NoDrawOffer),
                }
            }
            Deed::Takeback { ply, seq } => {
                self.not_cut(*seq)?;
                self.wish_back(side, *ply)
            }
            Deed::DeclineTakeback { ply } => {
                self.at_ply(*ply)?;
                match self.takeback_wish() == Some(side.opponent()) {
                    true => Ok(vec![Event::TakebackDeclined]),
                    false => Err(Refused::NoTakebackWish),
                }
            }
            Deed::Abort => match (self.is_over(), self.can_abort()) {
                (true, _) => Err(Refused::Over),
                (_, true) => Ok(vec![Event::Aborted]),
                _ if self.spec.tournament.is_some() => Err(Refused::InTournament),
                _ => Err(Refused::TooLateToAbort),
            },
            Deed::Claim { claim } => self.claim(side, *claim, circumstances),
            Deed::Rematch => self.propose_rematch(side),
            Deed::Chat { text } => self.say(side, text),
            Deed::Choose { name, value } => self.choose_by(side, name, value, chance),
            Deed::Appoint { engine } => self.appoint(side, *engine, chance),
            Deed::AskCounsel { ply } => {
                self.at_ply(*ply)?;
                match self.can_ask(side) {
                    true => Ok(vec![Event::CounselAsked { side }]),
                    false => Err(Refused::CannotAsk),
                }
            }
            Deed::Plan { ply, seq, lines } => {
                self.not_cut(*seq)?;
                self.at_ply(*ply)?;
                self.make_plan(side, lines)
            }
            Deed::Advise { .. } => Err(Refused::NoCounsellor),
            Deed::WatchersChat { .. } => Err(Refused::NotWatching),
        }
    }

    /// The line that someone says to the watchers, as it is passed on: only watchers can say one.
    pub fn watchers_line(&self, who: Who, text: &str) -> Result<String, Refused> {
        match who {
            Who::Watcher => checked(text),
            Who::Player(_) | Who::Counsellor(_) => Err(Refused::NotWatching),
        }
    }

    /// Whether someone may read the watchers' chat: those involved in the game may when it is over.
    pub fn reads_watchers(&self, who: Who) -> bool {
        who == Who::Watcher || self.is_over()
    }

    /// What follows when someone comes to a seat: the first arrival is recorded, and may begin the game. Someone who
    /// comes by an invitation gets a seat with a key of its own, derived from `number`.
    pub fn joined(&self, who: Who, person: Person, number: String) -> Vec<Event> {
        match who {
            Who::Player(side) if self.seats.get(side).present.is_none() && !self.is_over() => {
                let invited = self.spec.seats.get(side).kept.is_none();
                vec![Event::Joined {
                    side,
                    person,
                    number: invited.then_some(number),
                }]
            }
            Who::Counsellor(side) if self.counsellor(side).person.is_none() => {
                vec![Event::CounsellorJoined {
                    side,
                    person,
                    number: Some(number),
                }]
            }
            _ => Vec::new(),
        }
    }

    /// What follows when a player may no longer play: the game is resigned, or called off if it does not count yet.
    pub fn expelled(&self, guest: &str) -> Vec<Event> {
        let seat = self.seat_of_guest(guest);
        let Some(Who::Player(side)) = seat.filter(|_| !self.is_over()) else {
            return Vec::new();
        };
        match self.can_abort() {
            true => vec![Event::Aborted],
            false => vec![Event::Resigned { side }],
        }
    }

    /// Whether somebody without an account comes to a free seat of a rated game.
    pub fn lacks_account(&self, who: Who, person: &Person) -> bool {
        let free = |side| self.person(side).is_none();
        matches!(who, Who::Player(side) if self.spec.rated && free(side)) && !person.account
    }

    /// What follows from the state alone: a game in which everything is settled begins, a move with a prepared answer
    /// is answered.
    pub fn follow_up(&self) -> Option<Event> {
        let Phase::Gathering(board) = &self.phase else {
            return self.planned_reply();
        };
        if !self.all_there() {
            return None;
        }
        let variant = match &self.customs {
            Some(customs) => customs.settled()?,
            None => board.as_ref()?.game.variant(),
        };
        Some(Event::Begun {
            variant: variant.id().to_owned(),
        })
    }

    /// What follows from time alone: a flag has fallen (noticed `allowance` later, for moves still on the way), or
    /// someone was silent for too long. A game that nobody comes to is closed when `deserted`.
    pub fn overdue(
        &self,
        at: Duration,
        allowance: Duration,
        deserted: bool,
        chance: &mut dyn Chance,
    ) -> Option<Event> {
        match self.stage() {
            Stage::Waiting => (deserted && self.at + WAITING <= at).then_some(Event::Abandoned),
            Stage::Playing => {
                let Some(clock) = &self.clock else {
                    let closed = deserted && self.deadline()? <= at;
                    return closed.then_some(Event::Abandoned);
                };
                if let Some(missing) = self.missing_from() {
                    let side = self.turn()?.opponent();
                    let claim = Claim::Win;
                    return (missing <= at).then_some(Event::Claimed { side, claim });
                }
                if !self.clock_runs() {
                    let closed = deserted && self.deadline()? <= at;
                    return closed.then_some(Event::Aborted);
                }
                let late = clock.deadline()? + allowance <= at;
                let side = clock.flagged(at).filter(|_| late)?;
                Some(Event::Flagged { side })
            }
            Stage::Customs => self.silent(at, chance),
            _ => None,
        }
    }

    fn silent(&self, at: Duration, chance: &mut dyn Chance) -> Option<Event> {
        let customs = self.customs.as_ref()?;
        if customs.since() + SILENCE > at {
            return None;
        }
        let question = customs.open()?;
        let name = question.name.clone();
        let spoken = question
            .chosen
            .white
            .as_ref()
            .or(question.chosen.black.as_ref());
        Some(match (customs.family().method, spoken) {
            // One player has named a value and nobody objects.
            (Method::Die, Some(value)) => Event::Silent {
                name,
                value: value.clone(),
            },
            (Method::Die, None) => Event::Die {
                name,
                value: chance.die(),
            },
            (Method::Turns, _) => Event::Silent {
                name,
                value: question.values.first().cloned().unwrap_or_default(),
            },
        })
    }

    /// Refuses what was meant for a position that has since been taken back.
    fn not_cut(&self, seq: Option<u64>) -> Result<(), Refused> {
        match seq.is_some_and(|seq| seq < self.cut) {
            true => Err(Refused::TakenBack),
            false => Ok(()),
        }
    }

    /// Refuses offers beyond the limit for a game's log.
    pub(super) fn may_offer(&self) -> Result<(), Refused> {
        match self.offers < MAX_OFFERS {
            true => Ok(()),
            false => Err(Refused::TooManyOffers),
        }
    }

    pub(super) fn going_on(&self) -> Result<&Board, Refused> {
        match &self.phase {
            Phase::Playing(board) => Ok(board),
            Phase::Over(_) | Phase::Aborted(_) => Err(Refused::Over),
            Phase::Gathering(_) => Err(Refused::NotBegun),
        }
    }

    fn at_ply(&self, ply: u32) -> Result<&Board, Refused> {
        let board = self.going_on()?;
        let now = board.played.len();
        match ply as usize == now {
            true => Ok(board),
            false => Err(Refused::Stale { given: ply, now }),
        }
    }

    fn move_by(
        &self,
        side: Side,
        ply: u32,
        text: &str,
        &Circumstances { at, lag, .. }: &Circumstances,
    ) -> Result<Vec<Event>, Refused> {
        if self.is_repeated(side, ply, text) {
            return Ok(Vec::new());
        }
        let board = self.at_ply(ply)?;
        let game = &board.game;
        if game.turn() != side {
            return Err(Refused::Turn);
        }
        let position = game.position();
        let m = read_move(position, text)?;
        let lag = lag.min(*board.lag_left.get(side));
        let pressed = at.saturating_sub(lag);
        if let Some(clock) = &self.clock
            && clock.flagged(pressed).is_some()
        {
            return Err(Refused::Flagged);
        }
        Ok(vec![Event::Played {
            uci: position.uci(m).to_string(),
            lag: lag.as_millis() as u64,
            thought: None,
        }])
    }

    /// Whether this very move was already made there.
    fn is_repeated(&self, side: Side, ply: u32, text: &str) -> bool {
        let Some(game) = self.game() else {
            return false;
        };
        let Some(position) = game.position_at(ply as usize) else {
            return false;
        };
        let Some(played) = self.played().get(ply as usize) else {
            return false;
        };
        position.turn() == side && (played.uci == text || played.san == text)
    }

    fn accept(&self, side: Side, ply: u32) -> Result<Vec<Event>, Refused> {
        let board = self.at_ply(ply)?;
        let game = &board.game;
        if game.turn() != side {
            return Err(Refused::Turn);
        }
        match game.position().can_accept() {
            true => Ok(vec![Event::Accepted]),
            false => Err(Refused::NothingToAccept),
        }
    }

    fn draw(&self, side: Side, ply: u32) -> Result<Vec<Event>, Refused> {
        let board = self.at_ply(ply)?;
        let game = &board.game;
        match game.draw_offer() {
            Some(by) if by == side => Err(Refused::OfferedAlready),
            Some(_) => Ok(vec![Event::DrawAgreed { side }]),
            None if *board.offered_at.get(side) == Some(self.ply()) => Err(Refused::OfferedAlready),
            None => {
                self.may_offer()?;
                Ok(vec![Event::DrawOffered { side }])
            }
        }
    }

    fn wish_back(&self, side: Side, ply: u32) -> Result<Vec<Event>, Refused> {
        let board = self.at_ply(ply)?;
        let game = &board.game;
        let engine = self.level(side.opponent()).is_some();
        if !self.spec.takes_back() {
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
        match board.takeback {
            Some(by) if by == side => Err(Refused::AskedAlready),
            Some(by) => Ok(vec![Event::TakenBack { plies: plies(by) }]),
            None if self.ply() < plies(side) as usize => Err(Refused::NothingToTakeBack),
            None => Ok(vec![Event::TakebackAsked { side }]),
        }
    }

    /// Whether the game can still be called off without a result: before both have moved, outside tournaments.
    pub fn can_abort(&self) -> bool {
        !self.is_over() && self.ply() < FIRST_MOVES && self.spec.tournament.is_none()
    }

    fn propose_rematch(&self, side: Side) -> Result<Vec<Event>, Refused> {
        if !self.is_over() {
            return Err(Refused::NotOver);
        }
        match self.rematch {
            _ if self.spec.tournament.is_some() => Err(Refused::InTournament),
            Rematch::Made(_) => Err(Refused::RematchedAlready),
            Rematch::Offered(by) if by == side => Err(Refused::AskedAlready),
            _ => Ok(vec![Event::RematchOffered { side }]),
        }
    }

    /// Whether a rematch is agreed and must be made.
    pub fn wants_rematch(&self, by: Side) -> bool {
        let other = by.opponent();
        match self.rematch {
            _ if self.spec.tournament.is_some() => false,
            Rematch::Made(_) => false,
            Rematch::Offered(by) if by == other => true,
            _ => self.level(other).is_some(),
        }
    }

    fn say(&self, side: Side, text: &str) -> Result<Vec<Event>, Refused> {
        let text = checked(text)?;
        let said: usize = self.chat.iter().map(|line| line.text.len()).sum();
        match self.chat.len() < MAX_CHAT && said + text.len() <= MAX_CHAT_BYTES {
            true => Ok(vec![Event::Chat {
                side,
                text,
                removed: false,
            }]),
            false => Err(Refused::ChatFull),
        }
    }

    fn choose_by(
        &self,
        side: Side,
        name: &str,
        value: &str,
        chance: &mut dyn Chance,
    ) -> Result<Vec<Event>, Refused> {
        let refused = || Refused::NotAsked { name: name.into() };
        if self.stage() != Stage::Customs {
            return Err(refused());
        }
        let customs = self.customs.as_ref().ok_or_else(refused)?;
        if !customs.asked(name).contains(&side) {
            return Err(refused());
        }
        let question = customs.question(name).ok_or_else(refused)?;
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
        if customs.family().method == Method::Die
            && other.as_ref().is_some_and(|other| other != value)
        {
            events.push(Event::Die {
                name: name.into(),
                value: chance.die(),
            });
        }
        Ok(events)
    }

    fn appoint(
        &self,
        side: Side,
        engine: bool,
        chance: &mut dyn Chance,
    ) -> Result<Vec<Event>, Refused> {
        if !self.has_counsellors() {
            return Err(Refused::NoCounsellors);
        }
        if self.is_over() {
            return Err(Refused::Over);
        }
        self.may_offer()?;
        match self.counsellor(side).asked {
            Some(_) => Err(Refused::CounselSpent),
            None => Ok(vec![Event::Appointed {
                side,
                secret: None,
                number: (!engine).then(|| chance.number()),
            }]),
        }
    }

    fn advise(&self, side: Side, text: &str) -> Result<Vec<Event>, Refused> {
        let counsellor = self.counsellor(side);
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

/// A text written by a person, of valid length and without control characters.
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
