//! Accounts, and who asks.

use super::{NoticeSettings, OwnBallot, OwnReport};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A vacation from games over days.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Vacation {
    /// Until when, in milliseconds of Unix time; missing if one is not on vacation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until_ms: Option<i64>,
    /// Whole days that are left in this calendar year.
    pub days_left: u32,
}

/// A vacation to begin.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewVacation {
    /// How many days.
    pub days: u32,
}

/// Who asks.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct Me {
    /// Name to show.
    pub name: String,
    /// Whether it is the name of an account in which one is signed in; else one is a guest.
    #[serde(default)]
    pub account: bool,
    /// Whether the account is a program's.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub bot: bool,
}

/// Another name for a guest.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Rename {
    /// Name to show, 1 to 30 characters.
    pub name: String,
}

/// A name with a password.
#[derive(Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NameAndPassword {
    /// The account's name: 2 to 20 letters, digits, `_` and `-`.
    pub name: String,
    /// The password: 8 to 200 characters.
    pub password: String,
}

/// A recovery code, used in the place of a password that was lost.
#[derive(Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Recovery {
    /// The account's name.
    pub name: String,
    /// One of the codes that were shown when the account was made.
    pub code: String,
    /// The password that is set.
    pub password: String,
}

/// An account that was made; one is signed in. The codes are shown this once.
#[derive(Clone, Serialize, Deserialize, ToSchema)]
pub struct AccountMade {
    /// Its name.
    pub name: String,
    /// Recovery codes: each opens the account once.
    pub codes: Vec<String>,
}

/// New recovery codes; those before open nothing any more.
#[derive(Clone, Serialize, Deserialize, ToSchema)]
pub struct Codes {
    /// Each opens the account once.
    pub codes: Vec<String>,
}

/// One's own account.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct Account {
    /// Its name.
    pub name: String,
    /// Whether it is a program's: then it may have tokens, and stays so.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub bot: bool,
    /// When it was made, in milliseconds of Unix time.
    pub made_ms: i64,
    /// Whether it has a password.
    pub password: bool,
    /// Recovery codes that are left.
    pub codes: u32,
    /// Whether it moderates.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub moderator: bool,
    /// Its passkeys, the oldest first.
    pub passkeys: Vec<PasskeyInfo>,
    /// Where one is signed in, the last used first.
    pub sessions: Vec<SessionInfo>,
    /// What its program is known by, the oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tokens: Vec<TokenInfo>,
}

/// A token of one's own. The word itself is not kept.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct TokenInfo {
    /// Its id.
    pub id: String,
    /// What one calls it.
    pub name: String,
    /// When it was made, in milliseconds of Unix time.
    pub made_ms: i64,
    /// When it was used last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub used_ms: Option<i64>,
}

/// A token to be made.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewToken {
    /// What one calls it, 1 to 40 characters.
    pub name: String,
}

/// A token that was made. The word is shown this once.
#[derive(Clone, Serialize, Deserialize, ToSchema)]
pub struct TokenMade {
    /// Its id, by which it is taken back.
    pub id: String,
    /// What one calls it.
    pub name: String,
    /// The word: a program sends it as `Authorization: Bearer WORD` with every request and when it opens a socket.
    pub token: String,
}

/// All that is kept of an account.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct Exported {
    /// The account.
    pub account: Account,
    /// What one has reported.
    #[serde(default)]
    pub reports: Vec<OwnReport>,
    /// How notices come, with the address for e-mail.
    pub notices: NoticeSettings,
    /// Ballots that are not counted yet.
    #[serde(default)]
    pub ballots: Vec<OwnBallot>,
    /// Names of those whom one follows.
    #[serde(default)]
    pub followed: Vec<String>,
    /// Names of those whose words in chat one does not want to read.
    #[serde(default)]
    pub muted: Vec<String>,
    /// Its games.
    pub games: Vec<ExportedGame>,
}

/// A game of one's own.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct ExportedGame {
    /// Its id.
    pub id: String,
    /// Its moves as PGN text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pgn: Option<String>,
    /// One's note about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Why there are no moves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

/// A passkey of one's own.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct PasskeyInfo {
    /// Its id.
    pub id: String,
    /// What one calls it.
    pub name: String,
    /// When it was made, in milliseconds of Unix time.
    pub made_ms: i64,
    /// When it was used last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub used_ms: Option<i64>,
}

/// A place where one is signed in.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct SessionInfo {
    /// Its id.
    pub id: String,
    /// Whether it is the one that asks.
    pub current: bool,
    /// What the browser says it is.
    pub agent: String,
    /// Since when, in milliseconds of Unix time.
    pub made_ms: i64,
    /// When it was used last.
    pub seen_ms: i64,
}

/// What shows that the owner asks: the password of an account that has one.
#[derive(Clone, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Confirmation {
    /// The password; an account without one is asked to have signed in within ten minutes.
    #[serde(default)]
    pub password: Option<String>,
}

/// Another password.
#[derive(Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewPassword {
    /// The password so far; as in `Confirmation`.
    #[serde(default)]
    pub password: Option<String>,
    /// The one that takes its place.
    pub new: String,
}

/// Asks for a passkey to be made for a new account.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PasskeyWish {
    /// Name of the new account; missing if one is signed in and wants another passkey.
    #[serde(default)]
    pub name: Option<String>,
}

/// A question to the browser's `navigator.credentials`.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct PasskeyQuestion {
    /// Goes back with the answer, within five minutes, once.
    pub token: String,
    /// Options as the Web Authentication API takes them, bytes in base64url (`parseCreationOptionsFromJSON`,
    /// `parseRequestOptionsFromJSON`).
    #[schema(value_type = Object)]
    pub options: serde_json::Value,
}

/// A browser's answer.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PasskeyAnswer {
    /// The question's.
    pub token: String,
    /// The credential as the Web Authentication API writes it (`toJSON`).
    #[schema(value_type = Object)]
    pub credential: serde_json::Value,
    /// What one calls a passkey that was made, at most 40 characters.
    #[serde(default)]
    pub name: Option<String>,
}
