//! Tournaments: made, joined, looked at.

use super::{Side, WantedGame};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Who meets whom in a tournament.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum TournamentKind {
    /// For some time everybody who is there and free meets somebody near in the standings.
    Arena {
        /// How long: 1 to 1440.
        minutes: u32,
    },
    /// Rounds in which those of equal score meet, by the Dutch rules of FIDE.
    Swiss {
        /// How many: 1 to 20.
        rounds: u32,
    },
    /// Everybody meets everybody.
    RoundRobin {
        /// Twice, with sides changed.
        #[serde(default)]
        twice: bool,
    },
}

/// What a game counts in the standings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum TournamentScoring {
    /// 1 for a win and one half for a draw; in an arena 2 and 1, and twice that after two wins in a row.
    #[default]
    Standard,
    /// The game points of its rules, as 5 for a Green Gem.
    GamePoints,
}

/// What parts those of equal score.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum TieBreak {
    /// The sum of the opponents' scores.
    Buchholz,
    /// The same without the least of them.
    BuchholzCut1,
    /// The scores of those beaten, and half of those with whom it was a draw.
    SonnebornBerger,
    /// The score in the games of those of equal score with each other, if all of them have met.
    DirectEncounter,
    /// Games won.
    Wins,
    /// Games played with Black.
    Blacks,
}

/// A tournament as its maker wishes it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewTournament {
    /// Its name: 2 to 60 characters.
    pub name: String,
    /// Who meets whom.
    pub kind: TournamentKind,
    /// Ids of the games, which are played in turn: 16 at most with the families.
    #[serde(default)]
    pub games: Vec<String>,
    /// Families whose match customs decide which game is played.
    #[serde(default)]
    pub families: Vec<String>,
    /// The clock, as `fischer:5m+3s`; an arena has none over days.
    pub clock: String,
    /// Whether its games count for ratings.
    #[serde(default)]
    pub rated: bool,
    /// What a game counts.
    #[serde(default)]
    pub scoring: TournamentScoring,
    /// What parts those of equal score, the first before the next; the usual ones of its kind if missing.
    #[serde(default)]
    pub tie_breaks: Option<Vec<TieBreak>>,
    /// When it begins, in milliseconds of Unix time: at once to a year ahead.
    pub starts_ms: i64,
    /// Seconds from the end of a round to the next: 0 to 86400, 15 if missing.
    #[serde(default)]
    pub break_s: Option<u32>,
    /// Level of the engine, 1 to 8, that joins where the number of players is odd.
    #[serde(default)]
    pub level: Option<u8>,
    /// Players at most: 2 to 2000, of a Swiss tournament 1000, of a round robin 40.
    #[serde(default)]
    pub most: Option<u32>,
}

/// A tournament made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TournamentMade {
    /// Its id.
    pub id: String,
}

/// How far a tournament is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum TournamentPhase {
    /// One can join; it has not begun.
    Open,
    /// It is being played.
    Running,
    /// It is over.
    Over,
    /// It did not take place.
    Cancelled,
}

/// A tournament in a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TournamentCard {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Who meets whom.
    pub kind: TournamentKind,
    /// What is played, in turn.
    pub games: Vec<WantedGame>,
    /// The clock.
    pub clock: String,
    /// Whether its games count for ratings.
    pub rated: bool,
    /// How far it is.
    pub phase: TournamentPhase,
    /// When it begins or was to begin, in milliseconds of Unix time.
    pub starts_ms: i64,
    /// How many take part.
    pub people: u32,
    /// How many can.
    pub most: u32,
}

/// Tournaments.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Tournaments {
    /// Those that are not over, the one that begins first first.
    pub open: Vec<TournamentCard>,
    /// Those that are, the last first.
    pub past: Vec<TournamentCard>,
    /// What to ask with for the page of `past` that follows, as `before`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
    /// Whether the one who asks may make tournaments.
    pub may_make: bool,
}

/// Where somebody stands in a tournament.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct TournamentRow {
    /// The place; those whom nothing parts share one.
    pub rank: u32,
    /// The name.
    pub name: String,
    /// Level of the engine, if it is the engine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<u8>,
    /// Rating at the beginning.
    pub rating: i32,
    /// The score.
    pub score: f64,
    /// By each of the tie-breaks.
    pub ties: Vec<f64>,
    /// Games won.
    pub won: u32,
    /// Games drawn.
    pub drawn: u32,
    /// Games lost.
    pub lost: u32,
    /// What each round has given, missing where there was none; of an arena the last 20 games.
    pub points: Vec<Option<f64>>,
    /// The game that is being played.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub game: Option<String>,
    /// Whether the next game of an arena counts twice.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub streak: bool,
    /// Whether that one has left.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub away: bool,
}

/// What a tournament is to the one who asks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct TournamentOwn {
    /// The own row.
    pub row: TournamentRow,
    /// The own side in `row.game`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub side: Option<Side>,
    /// The page of the standings on which it is.
    pub page: u32,
}

/// A tournament as it is now.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct TournamentNow {
    /// What lists show.
    #[serde(flatten)]
    pub card: TournamentCard,
    /// Number of its last change.
    pub n: u64,
    /// Name of its maker.
    pub maker: String,
    /// What a game counts.
    pub scoring: TournamentScoring,
    /// What parts those of equal score.
    pub tie_breaks: Vec<TieBreak>,
    /// Seconds between rounds.
    pub break_s: u32,
    /// Level of the engine that makes up an odd number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<u8>,
    /// Title of the winner.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Rounds that were paired.
    pub round: u32,
    /// Rounds in all; missing in an arena.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rounds: Option<u32>,
    /// Games that are being played.
    pub running: u32,
    /// When an arena pairs nobody any more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub closes_ms: Option<i64>,
    /// When the next round begins, while none is played.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_ms: Option<i64>,
    /// The server's time, in milliseconds of Unix time.
    pub now_ms: i64,
    /// A page of the standings: 50 rows.
    pub standings: Vec<TournamentRow>,
    /// Which page, from 1.
    pub page: u32,
    /// How many pages there are.
    pub pages: u32,
    /// What it is to the one who asks, who takes part.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub own: Option<TournamentOwn>,
    /// Whether the one who asks has made it, and may call it off before it begins.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub may_cancel: bool,
}

/// A game of a tournament.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct TournamentGame {
    /// Id of the game.
    pub game: String,
    /// Its round; in an arena the number of the pairing.
    pub round: u32,
    /// Which game.
    pub name: String,
    /// Name of the player with White.
    pub white: String,
    /// Name of the player with Black.
    pub black: String,
    /// What it counts for White, missing as long as it is played; without what an arena adds after two wins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub white_points: Option<f64>,
    /// What it has given Black.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub black_points: Option<f64>,
    /// Why it ended, in the words of the rules.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// Games of a tournament, the last first.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct TournamentGames {
    /// 50 at most.
    pub games: Vec<TournamentGame>,
    /// Who has no opponent in the round that was asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub byes: Vec<String>,
    /// What to ask with for the page that follows, as `before`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<u32>,
}

/// Something has changed in a tournament: who shows it asks anew, once in two seconds at most.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TournamentChange {
    /// Its id.
    pub id: String,
    /// Number of its last change.
    pub n: u64,
}

/// A title that somebody has won.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Title {
    /// The title.
    pub title: String,
    /// Id of the tournament.
    pub tournament: String,
    /// Its name.
    pub name: String,
    /// When, in milliseconds of Unix time.
    pub at_ms: i64,
    /// Whether nobody has won it since.
    pub holds: bool,
}
