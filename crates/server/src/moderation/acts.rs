//! What those who moderate do: who may, to whom, and what of it is stored.

use super::bans::until;
use super::look::{OPERATOR, word_of};
use super::{Actor, Moderation};
use crate::accounts::gone;
use crate::refusal::{Reason, Refused, refused};
use crate::services::{secret, wall_ms};
use crate::wire::{ActDone, BanKind, ModerationAct};
use play::moderation::{Range, text};
use play::names::account::AccountName;
use store::accounts::AccountRow;
use store::moderation::{ActRow, AnnouncementRow, BanRow, Lifted, NewName, Resign, Settled};

const DAY_MS: i64 = 24 * 3_600_000;
/// A name that an account had before is nobody's for so long.
const KEPT_NAME_MS: i64 = 365 * DAY_MS;
/// A ban that ends at all ends within this.
const LONGEST_BAN_MS: i64 = 100 * 365 * DAY_MS;
/// An announcement begins and ends within this.
const LONGEST_ANNOUNCEMENT_MS: i64 = 365 * DAY_MS;
/// Ranges of addresses that are banned at once, and announcements, at most.
const MOST_RANGES: usize = 10_000;
const MOST_ANNOUNCEMENTS: usize = 5;
/// Characters of reasons, announcements and answers.
pub(super) const REASON: [usize; 2] = [1, 500];
const ANNOUNCEMENT: [usize; 2] = [1, 300];
const ANSWER: [usize; 2] = [1, 1000];

/// What is done, and what follows where a server runs.
pub(super) struct Done {
    pub told: ActDone,
    pub follows: Follows,
}

/// What has to be told at once.
pub(super) enum Follows {
    Nothing,
    /// Sessions have ended.
    Ended(Vec<String>),
    /// What a person offers is taken off the list.
    Gone(String, Vec<String>),
    /// A line of a game's chat is gone.
    Line(String, usize),
    /// A line of those who watch a game is to go.
    WatchersLine(String, u64),
}

pub(super) fn done(told: impl Into<String>, id: Option<String>, follows: Follows) -> Done {
    let told = ActDone {
        told: told.into(),
        id,
    };
    Done { told, follows }
}

fn malformed(message: impl Into<String>) -> Refused {
    refused(Reason::Malformed, message)
}

pub(super) fn bounded(
    what: &'static str,
    given: &str,
    bounds: [usize; 2],
) -> Result<String, Refused> {
    text(what, given, bounds).map_err(|fault| malformed(fault.to_string()))
}

pub(super) fn no_item(message: impl Into<String>) -> Refused {
    refused(Reason::NoSuchItem, message)
}

/// Whom a ban is for.
enum Whom {
    Person { id: String, name: String },
    Addresses(Range),
}

/// A ban as it is wished for.
struct NewBan {
    whom: Whom,
    kind: BanKind,
    only_new: bool,
    resign: bool,
    until_ms: Option<i64>,
    reason: String,
}

impl Moderation {
    pub(super) async fn perform(&self, actor: &Actor, act: ModerationAct) -> Result<Done, Refused> {
        match act {
            ModerationAct::Ban {
                account,
                guest,
                addresses,
                kind,
                only_new,
                resign,
                until_ms,
                reason,
            } => {
                let whom = match (account, guest, addresses) {
                    (Some(name), None, None) => self.account(actor, &name).await?,
                    (None, Some(id), None) => self.guest(id).await?,
                    (None, None, Some(range)) => self.addresses(actor, &range)?,
                    _ => {
                        let message = "exactly one of account, guest and addresses is needed";
                        return Err(malformed(message));
                    }
                };
                let ban = NewBan {
                    whom,
                    kind,
                    only_new,
                    resign,
                    until_ms,
                    reason: bounded("reason", &reason, REASON)?,
                };
                self.ban(actor, checked(ban)?).await
            }
            ModerationAct::Close { account, reason } => {
                let ban = NewBan {
                    whom: self.account(actor, &account).await?,
                    kind: BanKind::Closed,
                    only_new: false,
                    resign: false,
                    until_ms: None,
                    reason: bounded("reason", &reason, REASON)?,
                };
                self.ban(actor, ban).await
            }
            ModerationAct::Unban {
                ban,
                account,
                addresses,
                reason,
            } => {
                let reason = bounded("reason", &reason, [0, REASON[1]])?;
                match (ban, account, addresses) {
                    (Some(id), None, None) => self.lift(actor, &id, reason).await,
                    (None, Some(name), None) => self.lift_all(actor, &name, reason).await,
                    (None, None, Some(range)) => self.lift_range(actor, &range, reason).await,
                    _ => Err(malformed(
                        "exactly one of ban, account and addresses is needed",
                    )),
                }
            }
            ModerationAct::Rename {
                account,
                name,
                reason,
            } => self.rename(actor, &account, &name, &reason).await,
            ModerationAct::RemoveChat {
                game,
                line,
                watching: false,
                reason,
            } => self.remove_chat(actor, &game, line, &reason).await,
            ModerationAct::RemoveChat {
                game, line, reason, ..
            } => self.remove_watchers_line(actor, &game, line, &reason).await,
            ModerationAct::Announce {
                text,
                from_ms,
                until_ms,
            } => self.announce(actor, &text, from_ms, until_ms).await,
            ModerationAct::EndAnnouncement { id } => self.end_announcement(actor, &id).await,
            ModerationAct::CallOffVote { vote, reason } => {
                self.call_off_vote(actor, &vote, &reason).await
            }
            ModerationAct::CallOffTournament { tournament, reason } => {
                self.call_off_tournament(actor, &tournament, &reason).await
            }
            ModerationAct::Settle { report, answer } => self.settle(actor, &report, &answer).await,
            ModerationAct::AddModerator { account } => self.moderator(actor, &account, true).await,
            ModerationAct::RemoveModerator { account } => {
                self.moderator(actor, &account, false).await
            }
        }
    }

    /// An account that one may act on.
    async fn target(&self, actor: &Actor, name: &str) -> Result<AccountRow, Refused> {
        let account = self.inner.accounts.named(name).await?;
        let account = account.ok_or_else(|| {
            let name: String = name.chars().take(40).collect();
            refused(
                Reason::NoSuchPerson,
                format!("there is no account with the name {name:?}"),
            )
        })?;
        self.may_act_on(actor, &account.id, &account.name)?;
        Ok(account)
    }

    /// Moderators do not act on each other.
    pub(super) fn may_act_on(
        &self,
        actor: &Actor,
        person: &str,
        name: &str,
    ) -> Result<(), Refused> {
        match actor.is_operator() || !self.inner.bans.is_moderator(person) {
            true => Ok(()),
            false => Err(refused(
                Reason::Operator,
                format!("{name} is a moderator: only the server's operator can act here"),
            )),
        }
    }

    async fn account(&self, actor: &Actor, name: &str) -> Result<Whom, Refused> {
        let account = self.target(actor, name).await?;
        Ok(Whom::Person {
            id: account.id,
            name: account.name,
        })
    }

    async fn guest(&self, id: String) -> Result<Whom, Refused> {
        let fits = (8..=40).contains(&id.len()) && id.bytes().all(|b| b.is_ascii_alphanumeric());
        if !fits || self.inner.accounts.is_account(&id).await? {
            let message = "guest: this is not a guest's number; accounts are banned by their names";
            return Err(refused(Reason::NoSuchPerson, message));
        }
        let name = format!("guest {id}");
        Ok(Whom::Person { id, name })
    }

    fn addresses(&self, actor: &Actor, text: &str) -> Result<Whom, Refused> {
        actor.needs_operator()?;
        if self.inner.bans.ranges() >= MOST_RANGES {
            let message = format!(
                "{MOST_RANGES} ranges of addresses are already banned: lift some, or merge them into wider ones"
            );
            return Err(refused(Reason::Limit, message));
        }
        Ok(Whom::Addresses(range(text)?))
    }

    async fn ban(&self, actor: &Actor, new: NewBan) -> Result<Done, Refused> {
        let (person, addresses, named) = match new.whom {
            Whom::Person { id, name } => (Some(id), None, name),
            Whom::Addresses(range) => (None, Some(range.to_string()), range.to_string()),
        };
        let row = BanRow {
            id: secret(7),
            person,
            addresses,
            kind: word_of(&new.kind),
            only_new: new.only_new,
            reason: new.reason,
            by_person: actor.id().into(),
            made_ms: wall_ms(),
            until_ms: new.until_ms,
            lifted_ms: None,
            resign: match new.resign {
                true => Resign::Wanted,
                false => Resign::No,
            },
        };
        let term = until(new.until_ms);
        let (act, detail, told) = match new.kind {
            BanKind::Closed => ("close", String::new(), format!("{named} is closed")),
            BanKind::Chat => (
                "ban",
                format!("from chat, {term}"),
                format!("{named} may not write in chat, {term}"),
            ),
            BanKind::Play => {
                let mut detail = term.clone();
                if row.addresses.is_some() {
                    detail = format!("{named}, {detail}");
                }
                if new.only_new {
                    detail += ", accounts go on";
                }
                if new.resign {
                    detail += ", games resigned";
                }
                ("ban", detail, format!("{named} is banned, {term}"))
            }
        };
        let logged = self.logged(actor, act, row.person.as_deref(), detail, &row.reason);
        let ends = new.kind != BanKind::Chat;
        let ended = self.inner.store.ban(&row, ends, &logged).await?;
        let follows = match row.person.filter(|_| ends) {
            Some(person) => Follows::Gone(person, ended),
            None => Follows::Ended(ended),
        };
        Ok(done(told, Some(row.id), follows))
    }

    pub(super) fn logged(
        &self,
        actor: &Actor,
        act: &str,
        about: Option<&str>,
        detail: String,
        reason: &str,
    ) -> ActRow {
        ActRow {
            at_ms: wall_ms(),
            by_person: actor.id().into(),
            act: act.into(),
            about: about.map(Into::into),
            detail,
            reason: reason.into(),
        }
    }

    /// Moderators lift what moderators have made.
    fn may_lift(actor: &Actor, ban: &BanRow) -> Result<(), Refused> {
        match actor.is_operator() || !(ban.by_person.is_empty() || ban.addresses.is_some()) {
            true => Ok(()),
            false => Err(refused(
                Reason::Operator,
                format!("this ban was made by {OPERATOR}: only that one can lift it"),
            )),
        }
    }

    async fn lift(&self, actor: &Actor, id: &str, reason: String) -> Result<Done, Refused> {
        let ban = self.inner.store.find_ban(id).await?;
        let now_ms = wall_ms();
        let ban = ban.filter(|ban| ban.holds(now_ms));
        let ban = ban.ok_or_else(|| no_item("there is no ban in force with this id"))?;
        Self::may_lift(actor, &ban)?;
        if let Some(person) = &ban.person {
            self.may_act_on(actor, person, "the one who is banned")?;
        }
        let detail = ban.addresses.clone().unwrap_or_else(|| ban.kind.clone());
        let logged = self.logged(actor, "unban", ban.person.as_deref(), detail, &reason);
        let lifted = Lifted::One(&ban.id);
        self.inner.store.lift_bans(lifted, now_ms, &logged).await?;
        Ok(done("the ban is lifted", None, Follows::Nothing))
    }

    async fn lift_all(&self, actor: &Actor, name: &str, reason: String) -> Result<Done, Refused> {
        let account = self.target(actor, name).await?;
        let now_ms = wall_ms();
        let bans = self.inner.store.bans_of(&account.id).await?;
        for ban in bans.iter().filter(|ban| ban.holds(now_ms)) {
            Self::may_lift(actor, ban)?;
        }
        let about = Some(account.id.as_str());
        let logged = self.logged(actor, "unban", about, "all".into(), &reason);
        let lifted = Lifted::Person(&account.id);
        match self.inner.store.lift_bans(lifted, now_ms, &logged).await? {
            0 => Err(no_item(format!("no ban of {} holds", account.name))),
            _ => Ok(done(
                format!("{} is not banned any more", account.name),
                None,
                Follows::Nothing,
            )),
        }
    }

    async fn lift_range(&self, actor: &Actor, text: &str, reason: String) -> Result<Done, Refused> {
        actor.needs_operator()?;
        let range = range(text)?.to_string();
        let logged = self.logged(actor, "unban", None, range.clone(), &reason);
        let lifted = Lifted::Addresses(&range);
        match self
            .inner
            .store
            .lift_bans(lifted, wall_ms(), &logged)
            .await?
        {
            0 => Err(no_item(format!("no ban of {range} holds"))),
            _ => Ok(done(
                format!("{range} is not banned any more"),
                None,
                Follows::Nothing,
            )),
        }
    }

    async fn rename(
        &self,
        actor: &Actor,
        account: &str,
        name: &str,
        reason: &str,
    ) -> Result<Done, Refused> {
        let account = self.target(actor, account).await?;
        let reason = bounded("reason", reason, REASON)?;
        let new = self.inner.accounts.name(name).await?;
        if new.name() == account.name {
            let message = format!("{} already has that name", account.name);
            return Err(refused(Reason::Name, message));
        }
        let digests = |name: &AccountName| -> Vec<String> {
            name.readings().iter().map(|r| gone(r)).collect()
        };
        let former = AccountName::new(&account.name, "").map(|name| digests(&name));
        let (digests, former) = (digests(&new), former.unwrap_or_default());
        let row = NewName {
            account: &account.id,
            name: new.name(),
            readings: new.readings(),
            digests: &digests,
            former: &former,
            until_ms: wall_ms() + KEPT_NAME_MS,
        };
        let change = format!("{} to {}", account.name, new.name());
        let logged = self.logged(actor, "rename", Some(&account.id), change, &reason);
        if !self.inner.store.rename(row, &logged).await? {
            let text = format!(
                "{}, or a name that reads like it, is taken; please choose another",
                new.name()
            );
            return Err(refused(Reason::Taken, text));
        }
        let told = format!("{} is {} from now on", account.name, new.name());
        Ok(done(told, None, Follows::Gone(account.id, Vec::new())))
    }

    async fn announce(
        &self,
        actor: &Actor,
        text: &str,
        from_ms: Option<i64>,
        until_ms: i64,
    ) -> Result<Done, Refused> {
        actor.needs_operator()?;
        let text = bounded("text", text, ANNOUNCEMENT)?.replace('\n', " ");
        let now_ms = wall_ms();
        let from_ms = from_ms.unwrap_or(now_ms);
        let term = |what: &str| {
            let message = format!(
                "{what}: expected a time not in the past, with the end after the beginning and within a year"
            );
            refused(Reason::Term, message)
        };
        if until_ms <= from_ms.max(now_ms) || until_ms > now_ms + LONGEST_ANNOUNCEMENT_MS {
            return Err(term("until"));
        }
        if self.inner.bans.announcements().len() >= MOST_ANNOUNCEMENTS {
            let message = format!(
                "{MOST_ANNOUNCEMENTS} announcements are already shown or waiting: end one first"
            );
            return Err(refused(Reason::Limit, message));
        }
        let row = AnnouncementRow {
            id: secret(7),
            text,
            from_ms,
            until_ms,
        };
        let detail = format!("{} ({})", row.text, until(Some(until_ms)));
        let logged = self.logged(actor, "announce", None, detail, "");
        self.inner.store.announce(&row, &logged).await?;
        let told = format!("it is shown {}", until(Some(until_ms)));
        Ok(done(told, Some(row.id), Follows::Nothing))
    }

    async fn end_announcement(&self, actor: &Actor, id: &str) -> Result<Done, Refused> {
        actor.needs_operator()?;
        let rows = self.inner.bans.announcements();
        let row = rows.into_iter().find(|row| row.id == id);
        let nothing = || no_item("there is no announcement with this id that is shown or will be");
        let row = row.ok_or_else(nothing)?;
        let logged = self.logged(actor, "end_announcement", None, row.text, "");
        let ended = self.inner.store.end_announcement(id, wall_ms(), &logged);
        match ended.await? {
            true => Ok(done("it is not shown any more", None, Follows::Nothing)),
            false => Err(nothing()),
        }
    }

    async fn call_off_vote(&self, actor: &Actor, id: &str, reason: &str) -> Result<Done, Refused> {
        let reason = bounded("reason", reason, REASON)?;
        let logged = self.logged(actor, "call_off_vote", None, id.into(), &reason);
        let ended = self.inner.store.call_off_vote(id, wall_ms(), &logged);
        match ended.await? {
            true => Ok(done("the vote is called off", None, Follows::Nothing)),
            false => Err(no_item("there is no open vote with this id")),
        }
    }

    /// It stands in the log before it is done.
    async fn call_off_tournament(
        &self,
        actor: &Actor,
        id: &str,
        reason: &str,
    ) -> Result<Done, Refused> {
        let reason = bounded("reason", reason, REASON)?;
        let Some(live) = &self.inner.live else {
            let message = "a tournament is called off while the server runs: start it first";
            return Err(refused(Reason::Busy, message));
        };
        let maker = live.tournaments.maker_of_open(id).await?;
        self.may_act_on(actor, &maker, "the one who has made it")?;
        let logged = self.logged(
            actor,
            "call_off_tournament",
            Some(&maker),
            id.into(),
            &reason,
        );
        self.inner.store.note_act(&logged).await?;
        live.tournaments.call_off(id).await?;
        Ok(done("the tournament is called off", None, Follows::Nothing))
    }

    async fn settle(&self, actor: &Actor, id: &str, answer: &str) -> Result<Done, Refused> {
        let answer = bounded("answer", answer, ANSWER)?;
        let report = self.inner.store.report(id).await?;
        let report = report.ok_or_else(|| no_item("there is no report with this id"))?;
        if let Some(about) = &report.about {
            self.may_act_on(actor, about, "the one whom it is about")?;
        }
        let logged = self.logged(actor, "settle", report.about.as_deref(), id.into(), &answer);
        let settled = Settled {
            at_ms: logged.at_ms,
            by_person: actor.id().into(),
            answer,
        };
        match self.inner.store.settle(id, &settled, &logged).await? {
            true => Ok(done("the report is settled", None, Follows::Nothing)),
            false => Err(refused(
                Reason::Gone,
                "this report has already been settled",
            )),
        }
    }

    async fn moderator(&self, actor: &Actor, name: &str, on: bool) -> Result<Done, Refused> {
        actor.needs_operator()?;
        let account = self.target(actor, name).await?;
        let (act, told, otherwise) = match on {
            true => ("add_moderator", "moderates now", "moderates already"),
            false => (
                "remove_moderator",
                "moderates no longer",
                "does not moderate",
            ),
        };
        let logged = self.logged(actor, act, Some(&account.id), String::new(), "");
        let set = self.inner.store.set_moderator(&account.id, on, &logged);
        let say = |what: &str| format!("{} {what}", account.name);
        match set.await? {
            true => Ok(done(say(told), None, Follows::Nothing)),
            false => Err(refused(Reason::Gone, say(otherwise))),
        }
    }
}

fn range(text: &str) -> Result<Range, Refused> {
    text.parse().map_err(|fault: play::moderation::RangeFault| {
        refused(Reason::Addresses, fault.to_string())
    })
}

/// A ban that makes sense.
fn checked(ban: NewBan) -> Result<NewBan, Refused> {
    let of_addresses = matches!(ban.whom, Whom::Addresses(_));
    let wrong = match (&ban.kind, of_addresses) {
        (BanKind::Closed, _) => Some("kind: to close an account use the act close"),
        (BanKind::Chat, true) => Some("kind: addresses can only be banned from play"),
        (_, false) if ban.only_new => Some("only_new: this is for addresses"),
        (_, true) if ban.resign => Some("resign: this is for people"),
        (BanKind::Chat, _) if ban.resign => Some("resign: this is for bans from play"),
        _ => None,
    };
    if let Some(message) = wrong {
        return Err(malformed(message));
    }
    let now_ms = wall_ms();
    let fits = |until: &i64| *until > now_ms && *until <= now_ms + LONGEST_BAN_MS;
    match ban.until_ms.as_ref().is_none_or(fits) {
        true => Ok(ban),
        false => Err(refused(
            Reason::Term,
            "until: expected a time in the future, within a hundred years; leave it out for a ban without an end",
        )),
    }
}
