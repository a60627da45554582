//! What can happen in a game, as it is stored: the state of a game is its events in order. Old databases must stay
//! readable for ever, so events are added to and never changed.

use crate::Both;
use crate::deed::Claim;
use husun::Side;
use husun::clock::TimeControl;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// What is settled when a game is made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Spec {
    /// Id of the variant, unless customs decide.
    pub variant: Option<String>,
    /// Family whose customs decide.
    pub family: Option<String>,
    /// Position text to start from; the standard set-up if missing.
    pub fen: Option<String>,
    /// The clock.
    pub control: TimeControl,
    /// Whether moves may be taken back.
    pub takebacks: bool,
    /// Whether it is shown among the games to watch; if missing, games against the engine are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub public: Option<bool>,
    /// Whether clocks wait until both sides have moved, as in all games that are made now; in older ones the clock of
    /// the first mover ran from the beginning.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub clocks_wait: bool,
    /// Whether the engine may resign when it has lost.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub engine_resigns: bool,
    /// Whether it counts for the ratings of both players.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub rated: bool,
    /// The tournament that it is part of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tournament: Option<OfTournament>,
    /// Who sits where.
    pub seats: Both<SeatSpec>,
    /// Seed of the engine's choices.
    pub seed: u64,
}

impl Spec {
    /// Whether moves may be taken back: against a person with the opponent's consent if that was agreed, against the
    /// engine always, and never in a game that is rated or part of a tournament.
    pub fn takes_back(&self) -> bool {
        let engine = Side::ALL
            .into_iter()
            .any(|side| self.seats.get(side).level.is_some());
        !self.rated && self.tournament.is_none() && (self.takebacks || engine)
    }
}

/// What a tournament requires of its games: they are not called off, and a player who does not come loses.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OfTournament {
    /// Id of the tournament.
    pub id: String,
    /// Milliseconds that each side has for its first move, if its clock waits for it.
    pub first_move_ms: u64,
}

/// A seat as it is made.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SeatSpec {
    /// The key that opens it, in games of the first version.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub secret: String,
    /// The number from which its key is derived.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub number: String,
    /// Level of the engine, if it is the engine's.
    pub level: Option<u8>,
    /// The guest for whom it is reserved, with the name to show.
    pub kept: Option<Person>,
}

/// The key to a seat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Opener {
    /// A key that is stored as it is.
    Word(String),
    /// A number from which the key is derived.
    Number(String),
}

/// The name shown for people who have deleted their account.
pub const DELETED: &str = "deleted";

/// A person with a cookie.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Person {
    /// Number of the guest, or id of the account.
    pub guest: String,
    /// Name to show.
    pub name: String,
    /// Whether the name is an account's: nobody else can have it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub account: bool,
    /// Whether the account is a program's.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub bot: bool,
}

impl Person {
    /// This person under another name, if a guest; an account's name stays.
    pub fn named(&self, name: Option<&str>) -> Person {
        let name = name
            .filter(|_| !self.account)
            .and_then(crate::names::name_of);
        Person {
            name: name.unwrap_or_else(|| self.name.clone()),
            ..self.clone()
        }
    }
}

/// A stored game without one person's name; nothing if it does not mention that person.
pub fn without_name(text: &str, guest: &str) -> Option<String> {
    let mut value: serde_json::Value = serde_json::from_str(text).ok()?;
    forget(&mut value, guest)
        .then(|| serde_json::to_string(&value).ok())
        .flatten()
}

/// A stored game with another name for one person with an account; nothing if that changes nothing.
pub fn with_name(text: &str, account: &str, name: &str) -> Option<String> {
    let mut value: serde_json::Value = serde_json::from_str(text).ok()?;
    rename(&mut value, account, name, true)
        .then(|| serde_json::to_string(&value).ok())
        .flatten()
}

fn forget(value: &mut serde_json::Value, guest: &str) -> bool {
    rename(value, guest, DELETED, false)
}

/// Gives one person another name, wherever it occurs; tells whether anything has changed. `stays` if it is still the
/// name of the account.
fn rename(value: &mut serde_json::Value, guest: &str, to: &str, stays: bool) -> bool {
    use serde_json::Value;
    let mut found = false;
    match value {
        Value::Object(fields) => {
            let account = fields.get("account") == Some(&Value::Bool(true));
            // Games played before there was an account keep the name of that time.
            found = fields.get("guest").and_then(Value::as_str) == Some(guest)
                && fields.get("name").is_some_and(|name| name != to)
                && (account || !stays);
            if found {
                fields.insert("name".into(), to.into());
            }
            if found && !stays {
                fields.remove("account");
                fields.remove("bot");
            }
            for value in fields.values_mut() {
                found |= rename(value, guest, to, stays);
            }
        }
        Value::Array(values) => {
            for value in values {
                found |= rename(value, guest, to, stays);
            }
        }
        _ => {}
    }
    found
}

/// What has happened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "e", rename_all = "snake_case")]
pub enum Event {
    /// A player has come for the first time.
    Joined {
        /// Where.
        side: Side,
        /// Who.
        person: Person,
        /// The seat's new number, if it was taken by an invitation, which opens nothing from now on.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        number: Option<String>,
    },
    /// A question of the customs was answered.
    Chose {
        /// By whom.
        side: Side,
        /// Which question.
        name: String,
        /// How.
        value: String,
    },
    /// A question was settled by a die.
    Die {
        /// Which question.
        name: String,
        /// What it showed.
        value: u8,
    },
    /// A question was settled by silence.
    Silent {
        /// Which question.
        name: String,
        /// The default.
        value: String,
    },
    /// Both are present and the game is known.
    Begun {
        /// Id of the variant.
        variant: String,
    },
    /// A move.
    Played {
        /// In UCI form.
        uci: String,
        /// How much of its time was network delay, in milliseconds, which is not charged.
        #[serde(default, skip_serializing_if = "is_zero")]
        lag: u64,
        /// What the engine thought of its position, in centipawns for its own side, if it made the move.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        thought: Option<i32>,
    },
    /// The side to move accepts mate or stalemate.
    Accepted,
    /// A player resigns.
    Resigned {
        /// Who.
        side: Side,
    },
    /// A player's time has run out.
    Flagged {
        /// Whose.
        side: Side,
    },
    /// The opponent had left, and the game was claimed.
    Claimed {
        /// By whom.
        side: Side,
        /// As what.
        claim: Claim,
    },
    /// A draw is offered.
    DrawOffered {
        /// By whom.
        side: Side,
    },
    /// The offer is accepted.
    DrawAgreed {
        /// By whom.
        side: Side,
    },
    /// The offer is declined.
    DrawDeclined {
        /// By whom.
        side: Side,
    },
    /// A player wishes to take a move back.
    TakebackAsked {
        /// Who.
        side: Side,
    },
    /// Moves are taken back.
    TakenBack {
        /// How many.
        plies: u32,
    },
    /// The wish is declined.
    TakebackDeclined,
    /// Called off before it counted.
    Aborted,
    /// Nobody came for so long that it was closed.
    Abandoned,
    /// A line of chat.
    Chat {
        /// By whom.
        side: Side,
        /// The text; nothing if it was removed.
        text: String,
        /// Whether a moderator has removed it.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        removed: bool,
    },
    /// A rematch is proposed.
    RematchOffered {
        /// By whom.
        side: Side,
    },
    /// A rematch is made.
    Rematched {
        /// Id of the new game.
        game: String,
    },
    /// No rematch could be made; it may be proposed again.
    RematchFailed,
    /// A Counsellor is appointed.
    Appointed {
        /// By whom.
        side: Side,
        /// The key that opens a person's seat, in games of the first version.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        secret: Option<String>,
        /// The number from which it is derived. With neither, it is the engine.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        number: Option<String>,
    },
    /// The Counsellor has come.
    CounsellorJoined {
        /// Whose.
        side: Side,
        /// Who.
        person: Person,
        /// The seat's new number: the invitation opens nothing from now on.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        number: Option<String>,
    },
    /// The Counsellor is asked.
    CounselAsked {
        /// By whom.
        side: Side,
    },
    /// The Counsellor has answered.
    Advised {
        /// Whose Counsellor.
        side: Side,
        /// What.
        text: String,
    },
    /// A player has prepared answers to moves of the opponent.
    Planned {
        /// Who.
        side: Side,
        /// Lines in UCI form from the position at that time: a move of the opponent, the answer, and so on. If empty,
        /// earlier ones no longer hold.
        lines: Vec<Vec<String>>,
    },
    /// A player goes on vacation or comes back: in between, that player's clock stands still.
    Vacation {
        /// Who.
        side: Side,
        /// Whether it begins.
        on: bool,
    },
    /// The server was down, or could not store, until now. Nobody is charged for that time.
    Resumed,
}

impl Event {
    /// Whether it is an offer, a wish, or a consequence of one: a game has a limited number of these.
    pub fn is_offer(&self) -> bool {
        matches!(
            self,
            Event::DrawOffered { .. }
                | Event::DrawDeclined { .. }
                | Event::TakebackAsked { .. }
                | Event::TakebackDeclined
                | Event::TakenBack { .. }
                | Event::Appointed { .. }
                | Event::Planned { .. }
        )
    }

    /// Its stored form, in JSON.
    pub fn to_text(&self) -> String {
        // Only names, numbers and texts: everything in an event can be written as JSON.
        serde_json::to_string(self).unwrap_or_default()
    }
}

impl SeatSpec {
    /// The key to the seat as it was made.
    pub fn opener(&self) -> Opener {
        match self.number.is_empty() {
            true => Opener::Word(self.secret.clone()),
            false => Opener::Number(self.number.clone()),
        }
    }
}

fn is_zero(n: &u64) -> bool {
    *n == 0
}

/// An event with its number and time.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// 1 for the first.
    pub seq: u64,
    /// Game time, which stands still while the server is down.
    pub at: Duration,
    /// What has happened.
    pub event: Event,
}
