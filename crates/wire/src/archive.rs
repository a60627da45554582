//! Finished games that were searched for.

use super::{Both, GameResult};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A page of finished games, those that ended last first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ArchivePage {
    /// The games.
    pub games: Vec<ArchivedGame>,
    /// `after` of the next page; missing if there is no other. A page may hold fewer games than were asked for, or none,
    /// and yet there is another: where what is rare is looked for among much, each page looks through a part.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<i64>,
    /// Games that ended at this time or later are all on this page or those before, in milliseconds of Unix time. Missing
    /// with `next`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub searched_to_ms: Option<i64>,
    /// Finished games that are still being taken in, after the server was brought to this version: they may be missing.
    pub waiting: u32,
}

/// A finished game.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ArchivedGame {
    /// Its id.
    pub id: String,
    /// Id of the variant.
    pub variant: String,
    /// Name of the variant.
    pub name: String,
    /// Who has played.
    pub players: Both<ArchivedPlayer>,
    /// How it ended.
    pub result: GameResult,
    /// Its clock.
    pub clock: String,
    /// Class of the clock; missing without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub speed: Option<String>,
    /// Whether it counts for ratings.
    pub rated: bool,
    /// Half-moves played.
    pub ply: u32,
    /// When it ended, in milliseconds of Unix time.
    pub ended_ms: i64,
    /// After how many half-moves it first reached the position that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reached: Option<u32>,
}

/// A player of a finished game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ArchivedPlayer {
    /// Name to show.
    pub name: String,
    /// Whether it is the name of an account.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub account: bool,
    /// Whether the account is a program's.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub bot: bool,
    /// Level of the engine, if it is the engine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<u8>,
    /// The rating in this game and speed when the game ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rating: Option<i32>,
}
