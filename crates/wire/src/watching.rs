//! Games that are played and that everybody may watch, those who watch, and people whom one follows.

use super::{Both, GameResult};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A page of games that are played, the best first: games of two people before those against the engine, then by what the
/// players' ratings are together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct RunningPage {
    /// The games.
    pub games: Vec<RunningGame>,
    /// `after` of the next page; missing if there is no more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
    /// How many there are of each game, whatever was asked for, as of a moment ago.
    pub counts: Vec<RunningCount>,
}

/// How many games of a kind are played.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RunningCount {
    /// Id of the game.
    pub variant: String,
    /// Its name.
    pub name: String,
    /// How many.
    pub games: u32,
}

/// A game that is played.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct RunningGame {
    /// Its id.
    pub id: String,
    /// Id of the variant.
    pub variant: String,
    /// Name of the variant.
    pub name: String,
    /// Who plays.
    pub players: Both<RunningPlayer>,
    /// Its clock.
    pub clock: String,
    /// Whether it counts for ratings.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub rated: bool,
    /// When it began, in milliseconds of Unix time.
    pub began_ms: i64,
    /// What stands on the board.
    pub board: WatchedBoard,
}

/// A player of a game that is watched.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RunningPlayer {
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
    /// The rating in this game with such a clock when the game began.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rating: Option<i32>,
}

/// A small board.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct WatchedBoard {
    /// Id of the game.
    pub game: String,
    /// Number of the game's last event: of two boards of a game the one with the greater number holds.
    pub seq: u64,
    /// Half-moves played.
    pub ply: u32,
    /// Position text.
    pub fen: String,
    /// Last move in UCI form.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last: Option<String>,
    /// Whether the game is over: nothing more comes of it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub over: bool,
    /// How it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<GameResult>,
}

/// Boards that are watched: all of them in answer to `watch_boards`, later those that have changed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct WatchedBoards {
    /// The boards.
    pub boards: Vec<WatchedBoard>,
    /// Games that were asked for and are not to be watched (any more): they are over, or not for everybody, or not there.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gone: Vec<String>,
}

/// A line of what those say who watch a game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct WatchersLine {
    /// Number of the line, which grows.
    pub n: u64,
    /// Name of who wrote it.
    pub name: String,
    /// Whether it is the name of an account.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub account: bool,
    /// Whether the account is a program's.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub bot: bool,
    /// The text.
    pub text: String,
}

/// Somebody whom one follows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FollowedPerson {
    /// The name.
    pub name: String,
    /// Whether the account is a program's.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub bot: bool,
    /// When that one was seen last, to the hour, in milliseconds of Unix time.
    pub seen_ms: i64,
    /// What that one plays just now, as far as everybody may watch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub playing: Option<PlayingGame>,
}

/// A game that somebody plays.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PlayingGame {
    /// Its id.
    pub id: String,
    /// Name of the variant.
    pub name: String,
    /// Its clock.
    pub clock: String,
}

/// Somebody whose words in chat one does not want to read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct MutedPerson {
    /// The name.
    pub name: String,
}

/// How somebody's games of one kind have ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ResultsOfGame {
    /// Id of the game.
    pub variant: String,
    /// Its name.
    pub name: String,
    /// What its sides are called.
    pub sides: Both<String>,
    /// Results with each side.
    pub results: Both<ResultCounts>,
}

/// How many games have ended in which way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ResultCounts {
    /// Games won.
    pub won: u32,
    /// Games drawn.
    pub drawn: u32,
    /// Games lost.
    pub lost: u32,
}
