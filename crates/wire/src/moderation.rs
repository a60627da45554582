//! Reports, announcements, and what those who moderate do and see.

use super::Side;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A line at the top of every page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Announcement {
    /// Its id.
    pub id: String,
    /// What it says.
    pub text: String,
    /// From when on it is shown, in milliseconds of Unix time.
    pub from_ms: i64,
    /// Until when.
    pub until_ms: i64,
}

/// Why something is reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReportReason {
    /// Insults, threats, harassment.
    Abuse,
    /// Help by a program, or results made up.
    Cheating,
    /// Games left or dragged out on purpose.
    Stalling,
    /// A name that offends, or pretends to be somebody.
    Name,
    /// Advertising, or the same again and again.
    Spam,
    /// Something else, which the text tells.
    Other,
}

/// Something to report: either a person, or a game with what is wrong in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewReport {
    /// Name of an account.
    #[serde(default)]
    pub person: Option<String>,
    /// Id of a game.
    #[serde(default)]
    pub game: Option<String>,
    /// The player of the game whom it is about; the one who wrote the line, if one is named.
    #[serde(default)]
    pub side: Option<Side>,
    /// A line of the game's chat, counted from 0. For players of the game.
    #[serde(default)]
    pub line: Option<u32>,
    /// Secret of the own seat, for players who are known by nothing else.
    #[serde(default)]
    pub seat: Option<String>,
    /// Why.
    pub reason: ReportReason,
    /// What happened, at most 1,000 characters; needed where the reason says nothing.
    #[serde(default)]
    pub text: String,
}

/// A report of one's own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct OwnReport {
    /// When it was made, in milliseconds of Unix time.
    pub made_ms: i64,
    /// About whom.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about: Option<String>,
    /// About which game.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub game: Option<String>,
    /// Why.
    pub reason: ReportReason,
    /// What happened.
    pub text: String,
    /// The answer, once it is settled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
}

/// A person as those who moderate see one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Subject {
    /// Id of the account, or number of the guest.
    pub id: String,
    /// The name.
    pub name: String,
    /// Whether it is an account's.
    pub account: bool,
}

/// A report as those who moderate see it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Report {
    /// Its id.
    pub id: String,
    /// When it was made, in milliseconds of Unix time.
    pub made_ms: i64,
    /// Who has made it.
    pub by: Subject,
    /// About whom.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about: Option<Subject>,
    /// About which game.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub game: Option<String>,
    /// About which line of its chat, counted from 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// What the line said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quoted: Option<String>,
    /// Why.
    pub reason: ReportReason,
    /// What happened.
    pub text: String,
    /// How it was settled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settled: Option<ReportSettled>,
}

/// How a report was settled.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ReportSettled {
    /// When, in milliseconds of Unix time.
    pub at_ms: i64,
    /// By whom.
    pub by: String,
    /// The answer.
    pub answer: String,
}

/// A part of a list. `next` asks for what comes after it, as `before`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ReportPage {
    /// Reports, the newest first.
    pub reports: Vec<Report>,
    /// Where it goes on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

/// What is forbidden.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum BanKind {
    /// To sign in and to play.
    #[default]
    Play,
    /// To write in chat.
    Chat,
    /// The account is closed: nobody can sign in.
    Closed,
}

/// A ban.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Ban {
    /// Its id.
    pub id: String,
    /// Who is banned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub person: Option<Subject>,
    /// The range of addresses that is banned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub addresses: Option<String>,
    /// From what.
    pub kind: BanKind,
    /// Whether accounts may be used from those addresses all the same.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub only_new: bool,
    /// Why.
    pub reason: String,
    /// By whom.
    pub by: String,
    /// When it was made, in milliseconds of Unix time.
    pub made_ms: i64,
    /// Until when; for ever if missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until_ms: Option<i64>,
    /// Whether it holds now.
    pub holds: bool,
}

/// A part of the list of bans.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct BanPage {
    /// Bans, those made last first.
    pub bans: Vec<Ban>,
    /// Where it goes on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

/// An account as those who moderate see it in a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AccountListed {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// When it was made, in milliseconds of Unix time.
    pub made_ms: i64,
    /// When its owner was here last.
    pub seen_ms: i64,
    /// Whether it moderates.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub moderator: bool,
    /// What is forbidden to it now.
    pub bans: Vec<BanKind>,
}

/// A part of the list of accounts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AccountPage {
    /// Accounts.
    pub accounts: Vec<AccountListed>,
    /// Where it goes on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

/// An account with what there is about it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AccountSeen {
    /// The account.
    pub account: AccountListed,
    /// Its bans, those made last first, lifted ones too.
    pub bans: Vec<Ban>,
    /// Reports about it, the newest first.
    pub reports: Vec<Report>,
    /// What was done to it, the last first.
    pub log: Vec<LogEntry>,
}

/// An entry of the log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LogEntry {
    /// Its number.
    pub no: i64,
    /// When, in milliseconds of Unix time.
    pub at_ms: i64,
    /// By whom.
    pub by: String,
    /// What was done, as the acts are called.
    pub act: String,
    /// About whom.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about: Option<Subject>,
    /// What more is to be known of it.
    pub detail: String,
    /// Why.
    pub reason: String,
}

/// A part of the log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LogPage {
    /// Entries, the last first.
    pub log: Vec<LogEntry>,
    /// Where it goes on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

/// A line of a game's chat as those who moderate see it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ChatSeen {
    /// Its number, counted from 0.
    pub line: u32,
    /// Who wrote it.
    pub by: Subject,
    /// The text.
    pub text: String,
    /// Whether it was removed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub removed: bool,
    /// Whether it is what someone who watches has said, whose lines are numbered by themselves, from 1.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub watching: bool,
}

/// Who asks, among those who moderate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Moderating {
    /// The name.
    pub name: String,
    /// Whether it is who runs the server.
    pub operator: bool,
    /// Reports that are open.
    pub open: u32,
}

/// What those who moderate do. Each is entered in the log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "act", rename_all = "snake_case", deny_unknown_fields)]
pub enum ModerationAct {
    /// Bans an account, a guest or, if it is who runs the server, a range of addresses: exactly one of these.
    Ban {
        /// Name of an account.
        #[serde(default)]
        account: Option<String>,
        /// Number of a guest, as reports have it.
        #[serde(default)]
        guest: Option<String>,
        /// A range of addresses, as `192.0.2.0/24` or `2001:db8::/48`.
        #[serde(default)]
        addresses: Option<String>,
        /// From what: `play` or `chat`.
        #[serde(default)]
        kind: BanKind,
        /// Of addresses: accounts may be used from there all the same, but no guest plays and no account is made.
        #[serde(default)]
        only_new: bool,
        /// Of people: games under way are resigned. Otherwise they go on, and are lost on time.
        #[serde(default)]
        resign: bool,
        /// Until when, in milliseconds of Unix time; for ever if missing.
        #[serde(default)]
        until_ms: Option<i64>,
        /// Why, at most 500 characters: the one who is banned is told.
        reason: String,
    },
    /// Lifts bans: one by its id, or all of an account, also that it is closed, or of a range of addresses.
    Unban {
        /// Id of a ban.
        #[serde(default)]
        ban: Option<String>,
        /// Name of an account.
        #[serde(default)]
        account: Option<String>,
        /// A range of addresses.
        #[serde(default)]
        addresses: Option<String>,
        /// Why.
        #[serde(default)]
        reason: String,
    },
    /// Closes an account: nobody can sign in; nothing of it is deleted.
    Close {
        /// Its name.
        account: String,
        /// Why: the one whose account it is is told.
        reason: String,
    },
    /// Gives an account another name. The one before is nobody's for a year.
    Rename {
        /// Its name.
        account: String,
        /// The new one.
        name: String,
        /// Why.
        reason: String,
    },
    /// Removes a line of a game's chat.
    RemoveChat {
        /// Id of the game.
        game: String,
        /// The line, counted from 0.
        line: u32,
        /// Whether it is a line of those who watch, whose lines are numbered by themselves, from 1.
        #[serde(default)]
        watching: bool,
        /// Why.
        reason: String,
    },
    /// Shows a line at the top of every page. For who runs the server.
    Announce {
        /// What it says, at most 300 characters.
        text: String,
        /// From when on, in milliseconds of Unix time; at once if missing.
        #[serde(default)]
        from_ms: Option<i64>,
        /// Until when.
        until_ms: i64,
    },
    /// Ends an announcement. For who runs the server.
    EndAnnouncement {
        /// Its id.
        id: String,
    },
    /// Calls a vote off that is open.
    CallOffVote {
        /// Its id.
        vote: String,
        /// Why.
        reason: String,
    },
    /// Calls a tournament off that has not begun.
    CallOffTournament {
        /// Its id.
        tournament: String,
        /// Why.
        reason: String,
    },
    /// Settles a report.
    Settle {
        /// Its id.
        report: String,
        /// What came of it, at most 1,000 characters: the one who has made it can read this.
        answer: String,
    },
    /// Makes an account one that moderates. For who runs the server.
    AddModerator {
        /// Its name.
        account: String,
    },
    /// Takes that back. For who runs the server.
    RemoveModerator {
        /// Its name.
        account: String,
    },
}

/// What was done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ActDone {
    /// In words.
    pub told: String,
    /// Id of the ban or announcement that was made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
}
