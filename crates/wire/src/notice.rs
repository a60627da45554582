//! Notices, and what one wishes to be told of.

use play::notice;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// What one is told of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum NoticeKind {
    /// The opponent has moved.
    YourTurn,
    /// Somebody challenges.
    Challenge,
    /// A game has begun.
    GameStarted,
    /// Little time is left for a move in a game over days.
    TimeRunningOut,
    /// A tournament that one has joined is about to start.
    TournamentStarting,
}

impl From<notice::Kind> for NoticeKind {
    fn from(kind: notice::Kind) -> NoticeKind {
        match kind {
            notice::Kind::YourTurn => NoticeKind::YourTurn,
            notice::Kind::Challenge => NoticeKind::Challenge,
            notice::Kind::GameStarted => NoticeKind::GameStarted,
            notice::Kind::TimeRunningOut => NoticeKind::TimeRunningOut,
            notice::Kind::TournamentStarting => NoticeKind::TournamentStarting,
        }
    }
}

/// Something that has happened while one did not look: a message to open pages, and the text that is pushed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Notice {
    /// What it is.
    pub kind: NoticeKind,
    /// The line above it.
    pub title: String,
    /// What is said.
    pub text: String,
    /// The page that it leads to, as `/game/k3x9`.
    pub address: String,
    /// What it is about: a later notice with the same takes its place.
    pub tag: String,
}

/// On which ways something is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NoticeWays {
    /// In the pages that one has open.
    pub page: bool,
    /// By push, in the browsers in which one has turned that on.
    pub push: bool,
    /// By e-mail, to an address that one has confirmed.
    pub mail: bool,
}

/// Of what one wishes to be told, and on which ways.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NoticeWishes {
    /// The opponent has moved. By e-mail only in games over days; nothing by push or e-mail while one is at the board of
    /// a game with a clock for the board.
    pub your_turn: NoticeWays,
    /// Somebody challenges.
    pub challenge: NoticeWays,
    /// A game has begun.
    pub game_started: NoticeWays,
    /// Little time is left for a move in a game over days: once for each move.
    pub time_running_out: NoticeWays,
    /// A tournament that one has joined starts within five minutes.
    pub tournament_starting: NoticeWays,
}

impl From<notice::Ways> for NoticeWays {
    fn from(ways: notice::Ways) -> NoticeWays {
        let notice::Ways { page, push, mail } = ways;
        NoticeWays { page, push, mail }
    }
}

impl From<NoticeWays> for notice::Ways {
    fn from(ways: NoticeWays) -> notice::Ways {
        let NoticeWays { page, push, mail } = ways;
        notice::Ways { page, push, mail }
    }
}

impl From<notice::Wishes> for NoticeWishes {
    fn from(wishes: notice::Wishes) -> NoticeWishes {
        NoticeWishes {
            your_turn: wishes.your_turn.into(),
            challenge: wishes.challenge.into(),
            game_started: wishes.game_started.into(),
            time_running_out: wishes.time_running_out.into(),
            tournament_starting: wishes.tournament_starting.into(),
        }
    }
}

impl From<NoticeWishes> for notice::Wishes {
    fn from(wishes: NoticeWishes) -> notice::Wishes {
        notice::Wishes {
            your_turn: wishes.your_turn.into(),
            challenge: wishes.challenge.into(),
            game_started: wishes.game_started.into(),
            time_running_out: wishes.time_running_out.into(),
            tournament_starting: wishes.tournament_starting.into(),
        }
    }
}

/// How notices come to the one who asks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct NoticeSettings {
    /// What one wishes.
    pub wishes: NoticeWishes,
    /// The server's key for pushes: `applicationServerKey` of the browser's `subscribe`, as base64url.
    pub push_key: String,
    /// Browsers to which notices are pushed, the oldest first.
    pub browsers: Vec<PushBrowser>,
    /// E-mail; missing if the server sends none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mail: Option<NoticeMail>,
}

/// A browser to which notices are pushed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PushBrowser {
    /// Its id, by which it is turned off.
    pub id: String,
    /// What it says it is.
    pub agent: String,
    /// When it was turned on, in milliseconds of Unix time.
    pub made_ms: i64,
    /// Whether it was turned on in this session.
    pub current: bool,
}

/// E-mail for notices.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct NoticeMail {
    /// One's address, if one has given any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// Whether it is confirmed: before, nothing but the link for that is sent there.
    pub confirmed: bool,
}

/// A browser that turns pushes on: what its `PushSubscription` gives as JSON.
#[derive(Clone, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct NewPush {
    /// Where its push service is asked: https, on the open internet.
    pub endpoint: String,
    /// Its keys.
    pub keys: PushKeys,
}

/// The keys of a browser.
#[derive(Clone, Serialize, Deserialize, ToSchema)]
pub struct PushKeys {
    /// Its public key, 65 bytes as base64url.
    pub p256dh: String,
    /// Its secret, 16 bytes as base64url.
    pub auth: String,
}

/// An address for notices.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewMail {
    /// The address: a link to confirm it is sent there.
    pub address: String,
}

/// The word of a link.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct MailWord {
    /// The word.
    pub word: String,
}
