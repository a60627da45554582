//! Ratings, and people with an account as others see them.

use super::{Both, Title};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A rating as it is now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RatingNow {
    /// The rating by Glicko-2, 1500 for one who has not played.
    pub rating: i32,
    /// How uncertain it is: in 19 of 20 cases it is right within twice this.
    pub deviation: i32,
    /// Whether too little is known to compare it: its deviation is 110 or more.
    pub provisional: bool,
    /// Games that have made it.
    pub games: u32,
}

/// What a game is to the ratings of its players.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct GameRating {
    /// The rating as it is now.
    pub now: RatingNow,
    /// By how much the game has changed it; missing as long as it has not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub change: Option<i32>,
}

/// The ratings of both players of a game that counts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct GameRatings {
    /// Class of the clock: `blitz`, `rapid`, `slow`, `correspondence`.
    pub speed: String,
    /// Each side's; missing where nobody sits yet.
    pub players: Both<Option<GameRating>>,
}

/// A person with an account, as others see them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Profile {
    /// The name.
    pub name: String,
    /// Whether the account is a program's.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub bot: bool,
    /// When the account was made, in milliseconds of Unix time.
    pub made_ms: i64,
    /// When its owner was seen last, to the hour.
    pub seen_ms: i64,
    /// Ratings, those of most games first.
    pub ratings: Vec<ProfileRating>,
    /// Titles won in tournaments, the last first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub titles: Vec<Title>,
}

/// A rating of a person.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ProfileRating {
    /// Id of the game.
    pub variant: String,
    /// Name of the game.
    pub name: String,
    /// Class of the clock.
    pub speed: String,
    /// The rating.
    #[serde(flatten)]
    pub now: RatingNow,
}

/// A rating after a game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RatingPoint {
    /// Id of the game.
    pub game: String,
    /// When, in milliseconds of Unix time.
    pub at_ms: i64,
    /// The rating after it.
    pub rating: i32,
    /// How uncertain it was.
    pub deviation: i32,
}

/// A place in a list of the best.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RankedPlayer {
    /// The name.
    pub name: String,
    /// Level of the engine, if it is the engine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<u8>,
    /// Whether the account is a program's.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub bot: bool,
    /// The rating.
    #[serde(flatten)]
    pub now: RatingNow,
}
