//! A game under way or over.

use super::{Both, Choice, Customs, Side};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Wishes for a new game. Exactly one of `variant` and `family` is given.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewGame {
    /// Id of the game to play.
    #[serde(default)]
    pub variant: Option<String>,
    /// Family whose customs decide which game is played; friends' games only.
    #[serde(default)]
    pub family: Option<String>,
    /// Named set-up; the standard one if missing.
    #[serde(default)]
    pub setup: Option<String>,
    /// Position text to start from, instead of a set-up.
    #[serde(default)]
    pub fen: Option<String>,
    /// Level of the engine as opponent, 1 to 8; a friend plays if missing.
    #[serde(default)]
    pub level: Option<u8>,
    /// The side of the one who asks; by lot if missing.
    #[serde(default)]
    pub side: Option<Side>,
    /// Clock as `fischer:5m+3s`, `tiger:10m+5s` or `tiger 10+5`, `days:3`; none if missing.
    #[serde(default)]
    pub clock: Option<String>,
    /// Whether moves may be taken back with the opponent's consent. Always so against the engine; never in a rated
    /// game.
    #[serde(default)]
    pub takebacks: bool,
    /// Whether it counts for ratings: for those who are signed in, with a clock, from the standard set-up.
    #[serde(default)]
    pub rated: bool,
    /// Whether the engine, as opponent, may resign when it has lost; else it plays on to the end.
    #[serde(default)]
    pub engine_resigns: bool,
    /// Whether it is shown among the games to watch. If missing, games against the engine are and games of friends
    /// are not; who has a game's address can always watch.
    #[serde(default)]
    pub public: Option<bool>,
    /// Name to show, at most 30 characters.
    #[serde(default)]
    pub name: Option<String>,
}

/// A game made.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct GameMade {
    /// Public id of the game; `/game/{id}` shows it.
    pub id: String,
    /// Side of the one who asked.
    pub side: Side,
    /// Secret of that one's seat; `/game/{id}#{seat}` takes it on any device.
    pub seat: String,
    /// Invitation to the friend's seat, to be sent to the friend: `/game/{id}#{friend_seat}`. It opens the seat once;
    /// who comes by it is told a secret of the own, as `seat` of the snapshot.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub friend_seat: Option<String>,
}

/// What a player writes to himself about a game.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Note {
    /// The text, at most 4000 characters; nothing is kept of an empty one.
    pub text: String,
}

/// Answers that a player has prepared.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Plan {
    /// Half-moves played when they were prepared.
    pub ply: u32,
    /// Lines in UCI form from there on: a move of the opponent, the answer, and so on.
    pub lines: Vec<Vec<String>>,
}

/// A game in a list.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct GameCard {
    /// Its id.
    pub id: String,
    /// Id of the variant; missing while customs are being settled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub variant: Option<String>,
    /// Name of the variant or the family.
    pub name: String,
    /// The board part and more, as position text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fen: Option<String>,
    /// Last move in UCI form.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last: Option<String>,
    /// Who plays.
    pub players: Both<Player>,
    /// Its clock.
    pub clock: String,
    /// Half-moves played.
    pub ply: u32,
    /// Where it stands.
    pub stage: Stage,
    /// How it ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<GameResult>,
    /// The side of the one who asks, in the list of own games.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub own: Option<Side>,
    /// Whether it is the asker's turn.
    #[serde(default)]
    pub to_move: bool,
}

/// Where a game stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Stage {
    /// A seat is empty.
    Waiting,
    /// The players agree on which game to play.
    Customs,
    /// Being played.
    Playing,
    /// Over, with a result.
    Over,
    /// Given up before it counted: no result.
    Aborted,
}

/// Who sits at a side.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Player {
    /// Name to show. Guests can choose any name.
    pub name: String,
    /// Whether it is the name of an account, which nobody else can have.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub account: bool,
    /// Whether the account is a program's.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub bot: bool,
    /// Level of the engine, if it is the engine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub level: Option<u8>,
    /// Whether the seat is taken.
    pub seated: bool,
    /// Whether someone is there now.
    pub online: bool,
    /// Whether the player is on vacation: in a game over days the clock stands still.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub vacation: bool,
    /// Milliseconds until the opponent may claim the game, as this player has left it; 0 from then on. Missing while the
    /// player is there, and where a game cannot be claimed.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub claim_in_ms: Option<u64>,
}

/// How a game ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct GameResult {
    /// Who won; missing for a draw.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub winner: Option<Side>,
    /// Why, as `green gem`; the words of the rules.
    pub reason: String,
    /// Game points.
    pub points: Both<f64>,
}

/// A move as it was played.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Played {
    /// UCI form.
    pub uci: String,
    /// Algebraic notation.
    pub san: String,
    /// Position text after it.
    pub fen: String,
    /// Whether the side then to move is in check: the square of its royal piece.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub check: Option<String>,
    /// Milliseconds used for it; missing without a clock.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spent_ms: Option<u64>,
}

/// One side's time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Time {
    /// What runs first, in milliseconds: engagement time, main time or the only time.
    pub main_ms: u64,
    /// Tiger: the reserve. Byoyomi: what is left of the period. Delay: what is left of the delay.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub extra_ms: Option<u64>,
    /// Byoyomi: periods left.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub periods: Option<u16>,
}

/// Both clocks at the moment of sending.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Clocks {
    /// The times.
    pub times: Both<Time>,
    /// Whose time runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub running: Option<Side>,
    /// Whether they wait until both have moved.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub waiting: bool,
}

/// What is so now.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Now {
    /// Number of the last event: it grows with every change.
    pub seq: u64,
    /// Where the game stands.
    pub stage: Stage,
    /// Half-moves played.
    pub ply: u32,
    /// Whose turn it is, while playing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn: Option<Side>,
    /// All legal moves in UCI form, while playing. An Emperors move is a square twice.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub legal: Vec<String>,
    /// Whether the side to move may accept mate or stalemate.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub can_accept: bool,
    /// Who has offered a draw.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub draw_offer: Option<Side>,
    /// Who has asked to take a move back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub takeback_offer: Option<Side>,
    /// Who has proposed a rematch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rematch_offer: Option<Side>,
    /// Id of the rematch, once agreed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rematch: Option<String>,
    /// Milliseconds that the one who is to move has for a first move in a tournament.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub first_move_ms: Option<u64>,
    /// Whether the game can still be aborted.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub can_abort: bool,
    /// The clocks, if there are any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clocks: Option<Clocks>,
    /// How it ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<GameResult>,
    /// Letters of captured pieces of each side, in order of capture.
    pub captured: Both<String>,
    /// Who plays.
    pub players: Both<Player>,
    /// Customs being settled or settled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub customs: Option<CustomsNow>,
    /// Counsellors, in games that have them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub counsel: Option<Both<Counsel>>,
    /// How many watch.
    pub watchers: u32,
    /// How many questions the engine takes up before this game's, while it waits for a thread.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub engine_waits: Option<u32>,
    /// What is out of order at the server, as trouble with storage; play goes on when it is gone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trouble: Option<String>,
}

/// Customs being settled.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CustomsNow {
    /// The family.
    pub family: String,
    /// What can be chosen, in order.
    pub questions: Vec<CustomsQuestion>,
    /// What the die showed, if it was thrown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub die: Option<u8>,
    /// Milliseconds until the default is taken for the one who is silent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub silent_in_ms: Option<u64>,
}

/// A question of the customs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CustomsQuestion {
    /// What is chosen, as `ranks`.
    pub name: String,
    /// The values, the default first.
    pub values: Vec<String>,
    /// Who is asked now; with a die both are asked until they have answered.
    pub asked: Vec<Side>,
    /// What each side chose. With a die, a side's choice is hidden until both have chosen.
    pub chosen: Both<Option<String>>,
    /// What was settled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub settled: Option<String>,
}

/// A player's Counsellor.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Counsel {
    /// Who it is: `engine`, or a person's name once seated, or `invited`; missing if nobody is appointed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub counsellor: Option<String>,
    /// Whether the player may ask now.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub can_ask: bool,
    /// Whether the one question has been asked.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub asked: bool,
}

/// A line of chat.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ChatLine {
    /// Side of the one who wrote it.
    pub side: Side,
    /// The text; nothing if it was removed.
    pub text: String,
    /// Whether a moderator has removed it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub removed: bool,
    /// Whether one does not want to read who wrote it; then the text is left out.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub muted: bool,
}

/// A whole game, as told to one who comes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Snapshot {
    /// Its id.
    pub id: String,
    /// Id of the variant, once settled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub variant: Option<String>,
    /// Name of the variant or the family.
    pub name: String,
    /// Position text of the start, once settled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start: Option<String>,
    /// Square of the royal piece in check at the start.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub check: Option<String>,
    /// The clock.
    pub clock: String,
    /// Whether moves may be taken back.
    pub takebacks: bool,
    /// Whether it counts for ratings.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub rated: bool,
    /// Id of the tournament that it is part of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tournament: Option<String>,
    /// Whether it is shown among the games to watch; if not, it is watched by those who have its address.
    pub public: bool,
    /// The side of the one who is told; missing for those who watch and for Counsellors.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub own: Option<Side>,
    /// Secret of the own seat, for the link by which it is taken on another device.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seat: Option<String>,
    /// The player whose Counsellor is told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub counsels: Option<Side>,
    /// The moves.
    pub moves: Vec<Played>,
    /// What one has prepared to answer, if it holds still.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<Plan>,
    /// The players' chat; empty for all others.
    pub chat: Vec<ChatLine>,
    /// What the own Counsellor said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub advice: Option<String>,
    /// Secret of the seat of the person appointed as the own Counsellor.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub counsel_seat: Option<String>,
    /// The own answers to questions of the customs.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub chosen: Vec<Choice>,
    /// What is so now.
    pub now: Now,
}

/// Customs of a family, for the lobby.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct Family {
    /// Its name.
    pub name: String,
    /// Variants that belong to it.
    pub variants: Vec<String>,
    /// One variant's customs.
    pub customs: Customs,
    /// The defaults.
    pub defaults: Vec<Choice>,
}
