//! The lobby: who waits for an opponent, challenges, and what comes of them.

use super::{NoticeKind, Side};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Who is welcome as an opponent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Opponents {
    /// People and programs.
    #[default]
    Anyone,
    /// People only.
    People,
}

impl Opponents {
    fn is_anyone(&self) -> bool {
        *self == Opponents::Anyone
    }
}

impl From<play::lobby::Opponents> for Opponents {
    fn from(opponents: play::lobby::Opponents) -> Opponents {
        match opponents {
            play::lobby::Opponents::Anyone => Opponents::Anyone,
            play::lobby::Opponents::People => Opponents::People,
        }
    }
}

impl From<Opponents> for play::lobby::Opponents {
    fn from(opponents: Opponents) -> play::lobby::Opponents {
        match opponents {
            Opponents::Anyone => play::lobby::Opponents::Anyone,
            Opponents::People => play::lobby::Opponents::People,
        }
    }
}

/// What somebody wishes to play with whoever comes. Two who wait and whose wishes overlap are paired by the server.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewSeek {
    /// Ids of games, any of which is welcome. Without games and families any game at all is.
    #[serde(default)]
    pub games: Vec<String>,
    /// Families whose match customs decide which game is played.
    #[serde(default)]
    pub families: Vec<String>,
    /// Clocks, any of which is welcome, as `fischer:5m+3s` or `days:3`: 1 to 12.
    pub clocks: Vec<String>,
    /// Whether it counts for ratings: for those who are signed in.
    #[serde(default)]
    pub rated: bool,
    /// The own side; by lot if missing.
    #[serde(default)]
    pub side: Option<Side>,
    /// Least rating of the opponent in the game that is played; who has none is taken for 1500.
    #[serde(default)]
    pub min_rating: Option<i32>,
    /// Greatest rating of the opponent.
    #[serde(default)]
    pub max_rating: Option<i32>,
    /// Who is welcome: anyone if missing.
    #[serde(default, skip_serializing_if = "Opponents::is_anyone")]
    pub opponents: Opponents,
}

/// What has come of a seek.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SeekMade {
    /// It waits, under this id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Somebody waited whom it fits: the game has begun.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paired: Option<Paired>,
}

/// A game that has come of a seek or a challenge, for one of its players.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Paired {
    /// Id of the game.
    pub game: String,
    /// The own side.
    pub side: Side,
    /// Name of the opponent.
    pub opponent: String,
    /// Name of the game, or of the family whose customs decide.
    pub name: String,
    /// Its clock.
    pub clock: String,
}

/// Which of what a seek offers is taken; by lot where nothing is said.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct TakeSeek {
    /// Id of the game.
    #[serde(default)]
    pub variant: Option<String>,
    /// The clock.
    #[serde(default)]
    pub clock: Option<String>,
}

/// A game, or a family of which the match customs choose one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct WantedGame {
    /// Id of the game.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variant: Option<String>,
    /// Name of the family.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub family: Option<String>,
    /// Name to show.
    pub name: String,
}

/// Somebody who waits for an opponent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Seek {
    /// Id of the seek.
    pub id: String,
    /// Name of the one who waits.
    pub name: String,
    /// Whether it is the name of an account.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub account: bool,
    /// Whether the account is a program's.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub bot: bool,
    /// The rating, where one game at one speed is wished for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rating: Option<i32>,
    /// The games; any if there is none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub games: Vec<WantedGame>,
    /// The clocks.
    pub clocks: Vec<String>,
    /// Whether it counts for ratings.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub rated: bool,
    /// The side of the one who waits; by lot if missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub side: Option<Side>,
    /// Least rating of the opponent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_rating: Option<i32>,
    /// Greatest rating of the opponent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_rating: Option<i32>,
    /// Who is welcome: anyone if missing.
    #[serde(default, skip_serializing_if = "Opponents::is_anyone")]
    pub opponents: Opponents,
    /// Since when, in milliseconds of Unix time.
    pub made_ms: i64,
}

/// The lobby as it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Lobby {
    /// Number of its last change.
    pub n: u64,
    /// Who waits, the longest first: 500 at most.
    pub seeks: Vec<Seek>,
    /// Ids of the own ones among them.
    pub own: Vec<String>,
    /// Own games at the board that have begun within the last minute, in case the connection was down when it was told.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub begun: Vec<Paired>,
    /// How many people are here now.
    pub here: u32,
}

/// What has changed in the lobby. Who misses a number asks for the whole anew.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LobbyChange {
    /// Number of the change.
    pub n: u64,
    /// Who waits now.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub added: Vec<Seek>,
    /// Seeks that are there no more.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gone: Vec<String>,
    /// How many people are here now.
    pub here: u32,
}

/// Somebody with an account who was here not long ago.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SeenPerson {
    /// The name.
    pub name: String,
    /// When, in milliseconds of Unix time, to the hour.
    pub seen_ms: i64,
    /// Whether that one is here now.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub here: bool,
    /// Whether the account is a program's.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub bot: bool,
}

/// A game that is offered to one person.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewChallenge {
    /// Id of the game.
    #[serde(default)]
    pub variant: Option<String>,
    /// Family whose match customs decide; instead of a game.
    #[serde(default)]
    pub family: Option<String>,
    /// The clock.
    pub clock: String,
    /// Whether it counts for ratings.
    #[serde(default)]
    pub rated: bool,
    /// The own side; by lot if missing.
    #[serde(default)]
    pub side: Option<Side>,
}

/// A challenge.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Challenge {
    /// Its id.
    pub id: String,
    /// Who has made it.
    pub from: String,
    /// Whether the one who has made it is a program.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub from_bot: bool,
    /// To whom it is made.
    pub to: String,
    /// Whether the one to whom it is made is a program.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub to_bot: bool,
    /// The game.
    pub game: WantedGame,
    /// The clock.
    pub clock: String,
    /// Whether it counts for ratings.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub rated: bool,
    /// The side of the one who has made it; by lot if missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub side: Option<Side>,
    /// When it was made, in milliseconds of Unix time.
    pub made_ms: i64,
    /// Until when it can be accepted.
    pub until_ms: i64,
    /// Why it was declined.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub declined: Option<DeclineReason>,
}

/// The challenges of a person of which no game has come.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Challenges {
    /// From others, which can be accepted.
    pub received: Vec<Challenge>,
    /// To others.
    pub sent: Vec<Challenge>,
    /// Kinds of notices that one wishes not to see in pages.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub quiet: Vec<NoticeKind>,
}

/// Why a challenge is declined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum DeclineReason {
    /// Not now.
    Later,
    /// In another game.
    AnotherGame,
    /// With a clock that leaves more time.
    Slower,
    /// With a clock that leaves less time.
    Faster,
    /// If it counts.
    Rated,
    /// If it does not count.
    Casual,
    /// With an opponent of another strength.
    Strength,
    /// With people: the one who has made it is a program.
    People,
    /// Without a reason.
    No,
}

/// A challenge declined.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Decline {
    /// Why.
    pub reason: DeclineReason,
}

/// Somebody with whom one does not play.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct BlockedPerson {
    /// The name.
    pub name: String,
}
