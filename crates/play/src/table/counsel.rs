//! Counsellors: who advises a player, and whether they may be asked now.

use super::{Opener, Person, Table};
use husun::variant::StateFlag;
use husun::{Game, Side};

/// A player's Counsellor (games/strike80/rules.md).
#[derive(Clone, Debug, Default)]
pub struct Counsellor {
    pub(super) appointed: bool,
    /// The key to the person's seat; missing for the engine.
    pub(super) opener: Option<Opener>,
    /// The key that opened it before it was taken.
    pub(super) invitation: Option<Opener>,
    pub(super) person: Option<Person>,
    /// Half-moves played when asked.
    pub(super) asked: Option<usize>,
    pub(super) advice: Option<String>,
}

/// Who advises a player.
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

    /// The answer.
    pub fn advice(&self) -> Option<&str> {
        self.advice.as_deref()
    }
}

impl Table {
    /// A side's Counsellor.
    pub fn counsellor(&self, side: Side) -> &Counsellor {
        &self.seats.get(side).counsel
    }

    /// The key to the seat of a side's Counsellor, as long as nobody has taken it.
    pub fn counsel_invitation(&self, side: Side) -> Option<&Opener> {
        let counsellor = self.counsellor(side);
        let free = counsellor.person.is_none();
        counsellor.opener.as_ref().filter(|_| free)
    }

    /// Whether `side` has the choice of a promotion in lieu of a move and may ask its Counsellor.
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
