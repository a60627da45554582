//! What those who moderate do: bans, reports, announcements, other names. Each of their acts is written together with its
//! entry in a log that is only added to.

mod sql;

use super::Answer;
use super::accounts::AccountRow;

/// Something that is forbidden to a person or to a range of addresses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BanRow {
    /// Its id.
    pub id: String,
    /// Id of the account, or number of the guest.
    pub person: Option<String>,
    /// The range of addresses.
    pub addresses: Option<String>,
    /// What is forbidden.
    pub kind: String,
    /// Whether accounts may be used from there all the same.
    pub only_new: bool,
    /// Why, as the one who is banned is told.
    pub reason: String,
    /// Who has made it: an account's id, or nothing for the operator.
    pub by_person: String,
    /// When, in milliseconds of Unix time.
    pub made_ms: i64,
    /// Until when; for ever if missing.
    pub until_ms: Option<i64>,
    /// When it was lifted.
    pub lifted_ms: Option<i64>,
    /// What becomes of games under way.
    pub resign: Resign,
}

impl BanRow {
    /// Whether it holds at a time.
    pub fn holds(&self, now_ms: i64) -> bool {
        self.lifted_ms.is_none() && self.until_ms.is_none_or(|until| until > now_ms)
    }
}

/// What becomes of the games under way of one who is banned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resign {
    /// They go on, and are lost on time.
    No,
    /// They are to be resigned.
    Wanted,
    /// They were.
    Done,
}

impl Resign {
    fn number(self) -> i64 {
        match self {
            Resign::No => 0,
            Resign::Wanted => 1,
            Resign::Done => 2,
        }
    }

    fn read(number: i64) -> Resign {
        match number {
            0 => Resign::No,
            1 => Resign::Wanted,
            _ => Resign::Done,
        }
    }
}

/// Which bans are lifted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lifted<'a> {
    /// The one of this id.
    One(&'a str),
    /// All of a person.
    Person(&'a str),
    /// All of a range of addresses.
    Addresses(&'a str),
}

/// Something that somebody has reported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReportRow {
    /// Its id.
    pub id: String,
    /// Who reports: an account's id or a guest's number.
    pub by_person: String,
    /// The name under which that one does.
    pub by_name: String,
    /// About whom.
    pub about: Option<String>,
    /// The name under which that one plays.
    pub about_name: Option<String>,
    /// About which game.
    pub game: Option<String>,
    /// About which line of its chat, counted from 0.
    pub line: Option<i64>,
    /// What the line said.
    pub quoted: Option<String>,
    /// Why, as a word of a list.
    pub reason: String,
    /// In the reporter's own words.
    pub text: String,
    /// When, in milliseconds of Unix time.
    pub made_ms: i64,
    /// How it was settled.
    pub settled: Option<Settled>,
}

/// How a report was settled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settled {
    /// When, in milliseconds of Unix time.
    pub at_ms: i64,
    /// By whom.
    pub by_person: String,
    /// The answer.
    pub answer: String,
}

/// A line at the top of every page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnnouncementRow {
    /// Its id.
    pub id: String,
    /// What it says.
    pub text: String,
    /// From when on it is shown, in milliseconds of Unix time.
    pub from_ms: i64,
    /// Until when.
    pub until_ms: i64,
}

/// Something that a moderator or the operator does, for the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActRow {
    /// When, in milliseconds of Unix time.
    pub at_ms: i64,
    /// By whom: an account's id, or nothing for the operator.
    pub by_person: String,
    /// What, as a word of a list.
    pub act: String,
    /// About whom.
    pub about: Option<String>,
    /// What more is to be known of it.
    pub detail: String,
    /// Why.
    pub reason: String,
}

/// An entry of the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoggedAct {
    /// Its number, from 1.
    pub no: i64,
    /// What was done.
    pub act: ActRow,
}

/// A new name of an account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NewName<'a> {
    /// The account.
    pub account: &'a str,
    /// The name as it is shown.
    pub name: &'a str,
    /// Readings of the name: none of them may be another's.
    pub readings: &'a [String],
    /// Digests of these, by which names are known that nobody may take.
    pub digests: &'a [String],
    /// Digests of the readings of the name before.
    pub former: &'a [String],
    /// Until when nobody else may take that, in milliseconds of Unix time.
    pub until_ms: i64,
}

/// Place in a list that is read in parts: what comes after it was made before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Before {
    /// When the last one seen was made, in milliseconds of Unix time.
    pub made_ms: i64,
    /// Its id.
    pub id: String,
}

/// Keeps what moderation needs. All is written when an answer comes, the entry in the log in the same commit.
pub trait ModerationStore: std::fmt::Debug + Send + Sync + 'static {
    /// Bans; tells which sessions of the person have ended, if they are to; what that one offers ends with them.
    fn ban<'a>(
        &'a self,
        ban: &'a BanRow,
        ends_sessions: bool,
        act: &'a ActRow,
    ) -> Answer<'a, Vec<String>>;
    /// Lifts bans that hold; tells how many. Nothing is logged if there are none.
    fn lift_bans<'a>(&'a self, which: Lifted<'a>, now_ms: i64, act: &'a ActRow) -> Answer<'a, u64>;
    /// A ban.
    fn find_ban<'a>(&'a self, id: &'a str) -> Answer<'a, Option<BanRow>>;
    /// All bans that hold.
    fn bans_in_force(&self, now_ms: i64) -> Answer<'_, Vec<BanRow>>;
    /// Bans, those made last first.
    fn bans<'a>(&'a self, before: Option<&'a Before>, limit: u32) -> Answer<'a, Vec<BanRow>>;
    /// Bans of a person, those made last first, lifted ones too.
    fn bans_of<'a>(&'a self, person: &'a str) -> Answer<'a, Vec<BanRow>>;
    /// Notes that the games of one who is banned were resigned.
    fn resigned<'a>(&'a self, ban: &'a str) -> Answer<'a, ()>;
    /// Gives an account another name; false if that is another's. What it offers under the one before is taken back.
    fn rename<'a>(&'a self, name: NewName<'a>, act: &'a ActRow) -> Answer<'a, bool>;
    /// The account that had a name before of which one of these is a digest, for as long as nobody else may take it.
    fn account_formerly<'a>(
        &'a self,
        digest: &'a str,
        now_ms: i64,
    ) -> Answer<'a, Option<AccountRow>>;
    /// Lets names be taken again whose time is over.
    fn free_names(&self, now_ms: i64) -> Answer<'_, u64>;
    /// Accounts whose games do not know their names yet.
    fn renamed(&self) -> Answer<'_, Vec<String>>;
    /// Notes that an account's games know its name.
    fn rename_told<'a>(&'a self, account: &'a str) -> Answer<'a, ()>;
    /// Notes an act of which nothing else is stored.
    fn note_act<'a>(&'a self, act: &'a ActRow) -> Answer<'a, ()>;
    /// Writes another text in the place of an event's; false if the game has none of that number.
    fn rewrite_event<'a>(
        &'a self,
        game: &'a str,
        seq: i64,
        body: &'a str,
        act: &'a ActRow,
    ) -> Answer<'a, bool>;
    /// Keeps an announcement.
    fn announce<'a>(&'a self, row: &'a AnnouncementRow, act: &'a ActRow) -> Answer<'a, ()>;
    /// Ends an announcement; false if it has ended before.
    fn end_announcement<'a>(
        &'a self,
        id: &'a str,
        now_ms: i64,
        act: &'a ActRow,
    ) -> Answer<'a, bool>;
    /// Calls a vote off; false if it is not open.
    fn call_off_vote<'a>(&'a self, id: &'a str, now_ms: i64, act: &'a ActRow) -> Answer<'a, bool>;
    /// Announcements that are not over, those shown first first.
    fn announcements(&self, now_ms: i64) -> Answer<'_, Vec<AnnouncementRow>>;
    /// Keeps a report, unless the person has made so many since a time; false then.
    fn keep_report<'a>(
        &'a self,
        report: &'a ReportRow,
        most: u32,
        since_ms: i64,
    ) -> Answer<'a, bool>;
    /// A report.
    fn report<'a>(&'a self, id: &'a str) -> Answer<'a, Option<ReportRow>>;
    /// Reports that are open, or those that are settled, the newest first.
    fn reports<'a>(
        &'a self,
        open: bool,
        before: Option<&'a Before>,
        limit: u32,
    ) -> Answer<'a, Vec<ReportRow>>;
    /// How many reports are open.
    fn open_reports(&self) -> Answer<'_, i64>;
    /// Reports about a person, or by one, the newest first.
    fn reports_with<'a>(
        &'a self,
        person: &'a str,
        role: Role,
        limit: u32,
    ) -> Answer<'a, Vec<ReportRow>>;
    /// Settles a report; false if it is not open.
    fn settle<'a>(&'a self, id: &'a str, settled: &'a Settled, act: &'a ActRow)
    -> Answer<'a, bool>;
    /// Makes an account one that moderates, or no longer; false if it is so already.
    fn set_moderator<'a>(&'a self, account: &'a str, on: bool, act: &'a ActRow)
    -> Answer<'a, bool>;
    /// Accounts that moderate.
    fn moderators(&self) -> Answer<'_, Vec<String>>;
    /// Entries of the log before one, the last first; of one person if named.
    fn log<'a>(
        &'a self,
        about: Option<&'a str>,
        before: i64,
        limit: u32,
    ) -> Answer<'a, Vec<LoggedAct>>;
    /// Accounts whose names have a text in them, after one, in the order of their ids.
    fn accounts_like<'a>(
        &'a self,
        text: &'a str,
        after: &'a str,
        limit: u32,
    ) -> Answer<'a, Vec<AccountRow>>;
}

/// What somebody has to do with a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// It is about that one.
    About,
    /// That one has made it.
    By,
}
