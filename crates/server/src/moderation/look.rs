//! What those who moderate see: reports, accounts, bans, the log. Storage keeps ids; names are looked up for a page at
//! once, so that an account that was deleted has none here either.

use super::acts::no_item;
use super::bans::kind_of;
use super::{Actor, Moderation};
use crate::refusal::{Reason, Refused, refused};
use crate::services::wall_ms;
use crate::wire::{
    AccountListed, AccountPage, AccountSeen, Announcement, Ban, BanPage, LogEntry, LogPage,
    Moderating, OwnReport, Report, ReportPage, ReportReason, ReportSettled, Subject,
};
use std::collections::{HashMap, HashSet};
use store::accounts::AccountRow;
use store::moderation::{AnnouncementRow, BanRow, Before, LoggedAct, ReportRow, Role};

/// Rows of a page.
const PAGE: u32 = 50;
/// Rows about one account.
const ABOUT: u32 = 50;
/// Characters of a name that is searched for, at most.
const SEARCHED: usize = 40;
/// What the operator is called.
pub const OPERATOR: &str = "the operator";

/// The word of a value that is one of a list.
pub(super) fn word_of(value: &impl serde::Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(word)) => word,
        _ => String::new(),
    }
}

pub(super) fn announcement(row: &AnnouncementRow) -> Announcement {
    Announcement {
        id: row.id.clone(),
        text: row.text.clone(),
        from_ms: row.from_ms,
        until_ms: row.until_ms,
    }
}

/// Names of people on a page.
pub(super) struct Names(HashMap<String, String>);

impl Names {
    pub(super) async fn of<'a>(
        moderation: &Moderation,
        ids: impl Iterator<Item = Option<&'a str>>,
    ) -> Result<Names, Refused> {
        let ids: HashSet<&str> = ids.flatten().filter(|id| !id.is_empty()).collect();
        let ids: Vec<String> = ids.into_iter().map(Into::into).collect();
        Ok(Names(
            moderation
                .inner
                .accounts
                .store()
                .names_of(&ids)
                .await?
                .into_iter()
                .collect(),
        ))
    }

    /// A person, a guest under the name that was noted.
    pub(super) fn subject(&self, id: &str, noted: Option<&str>) -> Subject {
        let account = self.0.get(id);
        let guest = || noted.map_or_else(|| "a guest".into(), Into::into);
        Subject {
            id: id.into(),
            name: account.cloned().unwrap_or_else(guest),
            account: account.is_some(),
        }
    }

    /// One who acts.
    fn actor(&self, id: &str) -> String {
        match id {
            "" => OPERATOR.into(),
            id => self.0.get(id).cloned().unwrap_or_else(|| "deleted".into()),
        }
    }
}

/// A place in a list, as it goes over the wire.
fn next_of<T>(rows: &[T], at: impl Fn(&T) -> (i64, &str)) -> Option<String> {
    let last = rows.last().filter(|_| rows.len() >= PAGE as usize)?;
    let (made_ms, id) = at(last);
    Some(format!("{made_ms}-{id}"))
}

fn before(text: Option<&str>) -> Result<Option<Before>, Refused> {
    let read = |text: &str| {
        let (made_ms, id) = text.split_once('-')?;
        Some(Before {
            made_ms: made_ms.parse().ok()?,
            id: id.into(),
        })
    };
    match text {
        None | Some("") => Ok(None),
        Some(text) => match read(text) {
            Some(before) => Ok(Some(before)),
            None => Err(refused(
                Reason::Query,
                "before: expected the `next` of another page",
            )),
        },
    }
}

fn reason_of(word: &str) -> ReportReason {
    serde_json::from_value(word.into()).unwrap_or(ReportReason::Other)
}

fn report(row: ReportRow, names: &Names) -> Report {
    Report {
        by: names.subject(&row.by_person, Some(&row.by_name)),
        about: row
            .about
            .as_deref()
            .map(|about| names.subject(about, row.about_name.as_deref())),
        settled: row.settled.map(|settled| ReportSettled {
            at_ms: settled.at_ms,
            by: names.actor(&settled.by_person),
            answer: settled.answer,
        }),
        id: row.id,
        made_ms: row.made_ms,
        game: row.game,
        line: row.line.and_then(|line| u32::try_from(line).ok()),
        quoted: row.quoted,
        reason: reason_of(&row.reason),
        text: row.text,
    }
}

fn ban(row: BanRow, names: &Names, now_ms: i64) -> Ban {
    Ban {
        holds: row.holds(now_ms),
        kind: kind_of(&row.kind),
        person: row.person.as_deref().map(|id| names.subject(id, None)),
        by: names.actor(&row.by_person),
        id: row.id,
        addresses: row.addresses,
        only_new: row.only_new,
        reason: row.reason,
        made_ms: row.made_ms,
        until_ms: row.until_ms,
    }
}

fn entry(logged: LoggedAct, names: &Names) -> LogEntry {
    let act = logged.act;
    LogEntry {
        no: logged.no,
        at_ms: act.at_ms,
        by: names.actor(&act.by_person),
        act: act.act,
        about: act.about.as_deref().map(|id| names.subject(id, None)),
        detail: act.detail,
        reason: act.reason,
    }
}

fn people_of(row: &ReportRow) -> [Option<&str>; 3] {
    let settled = row.settled.as_ref().map(|s| s.by_person.as_str());
    [Some(row.by_person.as_str()), row.about.as_deref(), settled]
}

impl Moderation {
    /// Who asks.
    pub async fn state(&self, actor: &Actor) -> Result<Moderating, Refused> {
        let open = self.inner.store.open_reports().await?;
        Ok(Moderating {
            name: actor.name().into(),
            operator: actor.is_operator(),
            open: u32::try_from(open).unwrap_or(u32::MAX),
        })
    }

    async fn reports_seen(&self, rows: Vec<ReportRow>) -> Result<Vec<Report>, Refused> {
        let names = Names::of(self, rows.iter().flat_map(people_of)).await?;
        Ok(rows.into_iter().map(|row| report(row, &names)).collect())
    }

    async fn bans_seen(&self, rows: Vec<BanRow>) -> Result<Vec<Ban>, Refused> {
        let ids = rows
            .iter()
            .flat_map(|row| [row.person.as_deref(), Some(row.by_person.as_str())]);
        let names = Names::of(self, ids).await?;
        let now_ms = wall_ms();
        Ok(rows
            .into_iter()
            .map(|row| ban(row, &names, now_ms))
            .collect())
    }

    async fn log_seen(&self, rows: Vec<LoggedAct>) -> Result<Vec<LogEntry>, Refused> {
        let ids = rows.iter().flat_map(|row| {
            let act = &row.act;
            [act.about.as_deref(), Some(act.by_person.as_str())]
        });
        let names = Names::of(self, ids).await?;
        Ok(rows.into_iter().map(|row| entry(row, &names)).collect())
    }

    /// Reports that are open, or settled, the newest first.
    pub async fn reports(&self, open: bool, after: Option<&str>) -> Result<ReportPage, Refused> {
        let before = before(after)?;
        let rows = self
            .inner
            .store
            .reports(open, before.as_ref(), PAGE)
            .await?;
        Ok(ReportPage {
            next: next_of(&rows, |row| (row.made_ms, &row.id)),
            reports: self.reports_seen(rows).await?,
        })
    }

    /// A person's own reports, the newest first.
    pub async fn own_reports(&self, person: &str) -> Result<Vec<OwnReport>, Refused> {
        let rows = self
            .inner
            .store
            .reports_with(person, Role::By, ABOUT)
            .await?;
        let names = Names::of(self, rows.iter().map(|row| row.about.as_deref())).await?;
        let own = rows.into_iter().map(|row| OwnReport {
            made_ms: row.made_ms,
            about: row
                .about
                .as_deref()
                .map(|about| names.subject(about, row.about_name.as_deref()).name),
            game: row.game,
            reason: reason_of(&row.reason),
            text: row.text,
            answer: row.settled.map(|settled| settled.answer),
        });
        Ok(own.collect())
    }

    /// Bans, those made last first.
    pub async fn all_bans(&self, after: Option<&str>) -> Result<BanPage, Refused> {
        let before = before(after)?;
        let rows = self.inner.store.bans(before.as_ref(), PAGE).await?;
        Ok(BanPage {
            next: next_of(&rows, |row| (row.made_ms, &row.id)),
            bans: self.bans_seen(rows).await?,
        })
    }

    /// The log, the last entry first; of one account if named.
    pub async fn log(&self, about: Option<&str>, after: Option<&str>) -> Result<LogPage, Refused> {
        let before = match after {
            None | Some("") => i64::MAX,
            Some(text) => text
                .parse()
                .map_err(|_| refused(Reason::Query, "before: expected the number of an entry"))?,
        };
        let about = match about {
            None | Some("") => None,
            Some(name) => Some(self.find(name).await?.id),
        };
        let rows = self.inner.store.log(about.as_deref(), before, PAGE).await?;
        let last = rows.last().filter(|_| rows.len() >= PAGE as usize);
        Ok(LogPage {
            next: last.map(|row| row.no.to_string()),
            log: self.log_seen(rows).await?,
        })
    }

    fn listed(&self, row: AccountRow) -> AccountListed {
        let bans = &self.inner.bans;
        AccountListed {
            moderator: bans.is_moderator(&row.id),
            bans: bans.kinds(&row.id),
            id: row.id,
            name: row.name,
            made_ms: row.made_ms,
            seen_ms: row.seen_ms,
        }
    }

    /// Accounts whose names have a text in them; all without one.
    pub async fn accounts(&self, text: &str, after: &str) -> Result<AccountPage, Refused> {
        let searched: String = text.trim().chars().take(SEARCHED).collect();
        let store = &self.inner.store;
        let rows = store.accounts_like(&searched, after, PAGE).await?;
        let last = rows.last().filter(|_| rows.len() >= PAGE as usize);
        Ok(AccountPage {
            next: last.map(|row| row.id.clone()),
            accounts: rows.into_iter().map(|row| self.listed(row)).collect(),
        })
    }

    /// Accounts that moderate.
    pub async fn moderators(&self) -> Result<AccountPage, Refused> {
        let mut accounts = Vec::new();
        for id in self.inner.bans.moderators() {
            let row = self.inner.accounts.store().account(&id).await?;
            accounts.extend(row.map(|row| self.listed(row)));
        }
        accounts.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(AccountPage {
            accounts,
            next: None,
        })
    }

    async fn find(&self, name: &str) -> Result<AccountRow, Refused> {
        let found = self.inner.accounts.named(name).await?;
        found.ok_or_else(|| refused(Reason::NoSuchPerson, "there is nobody with this name"))
    }

    /// An account with what there is about it.
    pub async fn account_seen(&self, name: &str) -> Result<AccountSeen, Refused> {
        let account = self.find(name).await?;
        let (store, id) = (&self.inner.store, account.id.clone());
        let bans = store.bans_of(&id).await?;
        let reports = store.reports_with(&id, Role::About, ABOUT).await?;
        let log = store.log(Some(&id), i64::MAX, ABOUT).await?;
        Ok(AccountSeen {
            account: self.listed(account),
            bans: self.bans_seen(bans).await?,
            reports: self.reports_seen(reports).await?,
            log: self.log_seen(log).await?,
        })
    }

    /// A report.
    pub async fn report_seen(&self, id: &str) -> Result<Report, Refused> {
        let row = self.inner.store.report(id).await?;
        let row = row.ok_or_else(|| no_item("there is no report with this id"))?;
        let mut seen = self.reports_seen(vec![row]).await?;
        seen.pop()
            .ok_or_else(|| no_item("there is no report with this id"))
    }

    /// Announcements that are shown, or will be.
    pub fn announcements(&self) -> Vec<Announcement> {
        self.inner
            .bans
            .announcements()
            .iter()
            .map(announcement)
            .collect()
    }
}
