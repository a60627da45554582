//! What someone does in a game, in the form it is sent, and why it may be refused.

use crate::Both;
use crate::table::{HALF_MOVES, LINES};
use husun::{Side, UciError};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Longest text of chat and advice, in characters.
pub const MAX_TEXT: usize = 500;
/// Most lines of chat kept in a game.
pub(crate) const MAX_CHAT: usize = 1000;
/// Most bytes of them all, so that a game can be told in one message.
pub(crate) const MAX_CHAT_BYTES: usize = 128 << 10;
/// Most offers, wishes and take-backs in a game, so that a game's log is bounded.
pub(crate) const MAX_OFFERS: u32 = 1000;

/// Who acts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Who {
    /// The player of a side.
    Player(Side),
    /// The Counsellor of a side's player.
    Counsellor(Side),
    /// A watcher.
    Watcher,
}

/// What a player claims when the opponent has left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Claim {
    /// The game is won.
    Win,
    /// It is a draw.
    Draw,
}

/// What is known about a deed and the players, besides the game itself.
#[derive(Clone, Copy, Debug, Default)]
pub struct Circumstances {
    /// When it came, in the game's time.
    pub at: Duration,
    /// How much of the mover's time was network delay.
    pub lag: Duration,
    /// Since when each player has been away; nothing for one who is present.
    pub away: Both<Option<Duration>>,
}

impl Circumstances {
    /// Both are present, and there was no significant delay.
    pub fn at(at: Duration) -> Circumstances {
        Circumstances {
            at,
            ..Circumstances::default()
        }
    }
}

/// What someone does. `ply` is the number of half-moves played at the time of the deed, `seq` the number of the last
/// event known then.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "deed", rename_all = "snake_case")]
#[allow(missing_docs)] // as the messages of a socket, in docs/server.md
pub enum Deed {
    Move {
        ply: u32,
        seq: Option<u64>,
        text: String,
    },
    Accept {
        ply: u32,
        seq: Option<u64>,
    },
    Resign,
    Draw {
        ply: u32,
        seq: Option<u64>,
    },
    DeclineDraw {
        ply: u32,
    },
    Takeback {
        ply: u32,
        seq: Option<u64>,
    },
    DeclineTakeback {
        ply: u32,
    },
    Abort,
    /// The opponent has left: the game is to end.
    Claim {
        claim: Claim,
    },
    Rematch,
    Chat {
        text: String,
    },
    /// A line for the watchers' chat.
    WatchersChat {
        text: String,
    },
    Choose {
        name: String,
        value: String,
    },
    Appoint {
        engine: bool,
    },
    AskCounsel {
        ply: u32,
    },
    Advise {
        text: String,
    },
    Plan {
        ply: u32,
        seq: Option<u64>,
        lines: Vec<Vec<String>>,
    },
}

impl Deed {
    /// Whether others read its text.
    pub fn speaks(&self) -> bool {
        matches!(
            self,
            Deed::Chat { .. } | Deed::WatchersChat { .. } | Deed::Advise { .. }
        )
    }

    /// Its name, used when it is refused.
    pub fn name(&self) -> &'static str {
        match self {
            Deed::Move { .. } => "move",
            Deed::Accept { .. } => "accept",
            Deed::Resign => "resign",
            Deed::Draw { .. } => "draw",
            Deed::DeclineDraw { .. } => "decline_draw",
            Deed::Takeback { .. } => "takeback",
            Deed::DeclineTakeback { .. } => "decline_takeback",
            Deed::Abort => "abort",
            Deed::Claim { .. } => "claim",
            Deed::Rematch => "rematch",
            Deed::Chat { .. } => "chat",
            Deed::WatchersChat { .. } => "watchers_chat",
            Deed::Choose { .. } => "choose",
            Deed::Appoint { .. } => "appoint",
            Deed::AskCounsel { .. } => "ask_counsel",
            Deed::Advise { .. } => "advise",
            Deed::Plan { .. } => "plan",
        }
    }
}

/// Why a deed is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs)] // the messages say it
pub enum Refused {
    #[error("you watch this game; only its players can do that")]
    Watching,
    #[error("only watchers can write here; players can read it when the game is over")]
    NotWatching,
    #[error("only the players can do that, not a Counsellor")]
    CounsellorOnly,
    #[error("you are not a Counsellor")]
    NoCounsellor,
    #[error("the game has not begun")]
    NotBegun,
    #[error("the game is over")]
    Over,
    #[error("the game is not over yet")]
    NotOver,
    #[error("it is not your turn")]
    Turn,
    #[error("that answers the position after {given} half-moves, but the game is at {now}")]
    Stale { given: u32, now: usize },
    #[error("moves have been taken back since; look at the board again")]
    TakenBack,
    #[error("this game has had {MAX_OFFERS} offers, wishes and take-backs; play on or resign")]
    TooManyOffers,
    #[error(transparent)]
    Illegal(#[from] UciError),
    #[error("there is nothing to accept: that is for a player whose legal moves are all optional")]
    NothingToAccept,
    #[error("you have already offered a draw")]
    OfferedAlready,
    #[error("no draw has been offered to you")]
    NoDrawOffer,
    #[error("moves cannot be taken back in this game")]
    NoTakebacks,
    #[error("you have made no move that could be taken back")]
    NothingToTakeBack,
    #[error("you have already asked")]
    AskedAlready,
    #[error("nobody has asked to take a move back")]
    NoTakebackWish,
    #[error("both have moved; the game can only be resigned or drawn")]
    TooLateToAbort,
    #[error("a tournament's game is played once, and cannot be called off")]
    InTournament,
    #[error("a game can be claimed only when the opponent has left; nobody has left this one")]
    NobodyLeft,
    #[error(
        "without a clock, or with days for each move, nobody has to stay; the game cannot be claimed"
    )]
    NobodyWaits,
    #[error("before both have moved the game can be called off; it cannot be claimed")]
    NotCounting,
    #[error("your opponent has just left; the game can be claimed in {0} s")]
    LeftJustNow(u64),
    #[error("a rematch has already been agreed")]
    RematchedAlready,
    #[error("a text has 1 to {MAX_TEXT} characters, this has {0}")]
    TextLength(usize),
    #[error("this game's chat is full")]
    ChatFull,
    #[error("{name:?} is not for you to choose now")]
    NotAsked { name: String },
    #[error("{value:?} cannot be chosen, expected one of {expected}")]
    Value { value: String, expected: String },
    #[error("this game has no Counsellors")]
    NoCounsellors,
    #[error("your Counsellor has been asked; another cannot be appointed")]
    CounselSpent,
    #[error(
        "the Counsellor can be asked once, while you have the choice of Emperors and your clock is running"
    )]
    CannotAsk,
    #[error("you have not been asked, or it is too late")]
    NotAskedForAdvice,
    #[error("your time has run out")]
    Flagged,
    #[error("moves can be prepared only in games with days for each move")]
    NoPlans,
    #[error("it is your turn: there is no move to be answered yet")]
    PlanOnTurn,
    #[error(
        "{lines} lines with {half_moves} half-moves, expected at most {LINES} with {HALF_MOVES} together"
    )]
    PlanLength { lines: usize, half_moves: usize },
    #[error("line {line}: {problem}")]
    PlanLine { line: usize, problem: String },
}

impl Refused {
    /// A code for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Refused::Watching
            | Refused::NotWatching
            | Refused::CounsellorOnly
            | Refused::NoCounsellor => "not_your_seat",
            Refused::NotBegun => "not_begun",
            Refused::Over => "over",
            Refused::NotOver => "not_over",
            Refused::Turn => "not_your_turn",
            Refused::Stale { .. } | Refused::TakenBack => "stale",
            Refused::Illegal(_) => "illegal_move",
            Refused::TextLength(_) | Refused::ChatFull => "text",
            Refused::NotAsked { .. } | Refused::Value { .. } => "choice",
            Refused::Flagged => "flagged",
            Refused::PlanLength { .. } | Refused::PlanLine { .. } => "plan",
            _ => "not_now",
        }
    }
}
