//! What moderation has made so at this moment, in memory, where every request and every act of a player can look: bans
//! that hold, who moderates, what is announced.

use crate::refusal::{Reason, Refused, refused};
use crate::services::wall_ms;
use crate::wire::{Announcement, BanKind, ServerMessage};
use axum::extract::ws::Utf8Bytes;
use play::moderation::Range;
use std::collections::{HashMap, HashSet};
use std::net::IpAddr;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};
use store::moderation::{AnnouncementRow, BanRow};
use time::OffsetDateTime;
use tokio::sync::watch;

/// All that holds.
#[derive(Debug)]
pub struct Bans {
    holds: RwLock<Holds>,
    changed: watch::Sender<u64>,
}

#[derive(Debug, Default)]
struct Holds {
    people: HashMap<String, Vec<Ban>>,
    ranges: Vec<(Range, Ban)>,
    moderators: HashSet<String>,
    announcements: Vec<AnnouncementRow>,
    shown: Announced,
}

/// A ban as it is looked at.
#[derive(Debug)]
struct Ban {
    kind: BanKind,
    only_new: bool,
    reason: String,
    until_ms: Option<i64>,
}

/// What is announced now: the list, and the message that tells it, made once for all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Announced {
    /// The list.
    pub list: Arc<[Announcement]>,
    /// The message.
    pub text: Utf8Bytes,
}

impl Announced {
    fn of(rows: &[AnnouncementRow], now_ms: i64) -> Announced {
        let shown = rows
            .iter()
            .filter(|row| row.from_ms <= now_ms && row.until_ms > now_ms);
        let list: Vec<Announcement> = shown.map(super::look::announcement).collect();
        let message = ServerMessage::Announcements {
            announcements: list.clone(),
        };
        // Numbers and texts alone: there is nothing in it that JSON cannot say.
        let text = serde_json::to_string(&message).unwrap_or_default();
        Announced {
            list: list.into(),
            text: text.into(),
        }
    }
}

impl Default for Bans {
    fn default() -> Bans {
        Bans {
            holds: RwLock::default(),
            changed: watch::channel(0).0,
        }
    }
}

/// The word of a ban's kind.
pub(super) fn kind_of(word: &str) -> BanKind {
    serde_json::from_value(word.into()).unwrap_or_default()
}

impl Bans {
    fn holds(&self) -> RwLockReadGuard<'_, Holds> {
        self.holds.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes over what the storage has.
    pub(super) fn set(
        &self,
        bans: Vec<BanRow>,
        moderators: Vec<String>,
        announcements: Vec<AnnouncementRow>,
    ) {
        let mut holds = Holds {
            moderators: moderators.into_iter().collect(),
            shown: Announced::of(&announcements, wall_ms()),
            announcements,
            ..Holds::default()
        };
        for row in bans {
            let ban = Ban {
                kind: kind_of(&row.kind),
                only_new: row.only_new,
                reason: row.reason,
                until_ms: row.until_ms,
            };
            match (row.person, row.addresses.as_deref().map(str::parse)) {
                (Some(person), _) => holds.people.entry(person).or_default().push(ban),
                (None, Some(Ok(range))) => holds.ranges.push((range, ban)),
                (None, _) => tracing::error!(ban = row.id, "a ban cannot be read"),
            }
        }
        *self.holds.write().unwrap_or_else(PoisonError::into_inner) = holds;
        self.tell();
    }

    fn tell(&self) {
        self.changed.send_modify(|n| *n = n.wrapping_add(1));
    }

    /// Shows what is to be shown by now. Tells when that will be something else.
    pub(super) fn pass(&self, now_ms: i64) -> Option<i64> {
        let (shown, next) = {
            let holds = self.holds();
            let times = holds
                .announcements
                .iter()
                .flat_map(|row| [row.from_ms, row.until_ms]);
            let next = times.filter(|at| *at > now_ms).min();
            let shown = Announced::of(&holds.announcements, now_ms);
            ((shown != holds.shown).then_some(shown), next)
        };
        if let Some(shown) = shown {
            let holds = self.holds.write();
            holds.unwrap_or_else(PoisonError::into_inner).shown = shown;
            self.tell();
        }
        next
    }

    /// Tells that something has changed, from now on.
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.changed.subscribe()
    }

    /// What is announced now.
    pub fn announced(&self) -> Announced {
        self.holds().shown.clone()
    }

    /// Whether an account moderates.
    pub fn is_moderator(&self, account: &str) -> bool {
        self.holds().moderators.contains(account)
    }

    /// Who moderates.
    pub(super) fn moderators(&self) -> Vec<String> {
        self.holds().moderators.iter().cloned().collect()
    }

    /// Announcements that are shown, or will be.
    pub(super) fn announcements(&self) -> Vec<AnnouncementRow> {
        self.holds().announcements.clone()
    }

    /// How many ranges of addresses are banned.
    pub(super) fn ranges(&self) -> usize {
        self.holds().ranges.len()
    }

    /// From what a person is banned.
    pub fn kinds(&self, person: &str) -> Vec<BanKind> {
        let now_ms = wall_ms();
        let holds = self.holds();
        let bans = holds.people.get(person).into_iter().flatten();
        let mut kinds = Vec::new();
        for ban in bans.filter(|ban| ban.holds(now_ms)) {
            if !kinds.contains(&ban.kind) {
                kinds.push(ban.kind);
            }
        }
        kinds
    }

    /// Whether a person (an account, or a guest by the cookie's number) may sign in and play.
    pub fn may_play(&self, person: &str) -> Result<(), Refused> {
        self.find(person, |kind| kind != BanKind::Chat)
    }

    /// Whether a person may write in chat.
    pub fn may_chat(&self, person: &str) -> Result<(), Refused> {
        self.find(person, |kind| kind == BanKind::Chat)
    }

    fn find(&self, person: &str, of: impl Fn(BanKind) -> bool) -> Result<(), Refused> {
        let now_ms = wall_ms();
        let holds = self.holds();
        let bans = holds.people.get(person).into_iter().flatten();
        let mut bans = bans.filter(|ban| of(ban.kind) && ban.holds(now_ms));
        // The one that holds longest is the one that counts.
        let longest = bans
            .by_ref()
            .max_by_key(|ban| ban.until_ms.unwrap_or(i64::MAX));
        match longest {
            None => Ok(()),
            Some(ban) => Err(ban.refusal()),
        }
    }

    /// Whether one may come from an address: to an account that is there already, or else as a guest, or to make one.
    pub fn may_come(&self, address: IpAddr, account: bool) -> Result<(), Refused> {
        let now_ms = wall_ms();
        let holds = self.holds();
        let bans = holds.ranges.iter().filter(|(range, ban)| {
            ban.holds(now_ms) && !(ban.only_new && account) && range.contains(address)
        });
        match bans.max_by_key(|(_, ban)| ban.until_ms.unwrap_or(i64::MAX)) {
            None => Ok(()),
            Some((_, ban)) => {
                let what = match ban.only_new {
                    true => {
                        "from your network you can only play with an existing account; guests cannot play and no account can be made"
                    }
                    false => "nobody can play here from your network",
                };
                let message = format!("{what}, {}: {}", until(ban.until_ms), ban.reason);
                Err(refused(Reason::Banned, message))
            }
        }
    }
}

impl Ban {
    fn holds(&self, now_ms: i64) -> bool {
        self.until_ms.is_none_or(|until| until > now_ms)
    }

    fn refusal(&self) -> Refused {
        let (reason, message) = match self.kind {
            BanKind::Play => (
                Reason::Banned,
                format!("this account is banned, {}", until(self.until_ms)),
            ),
            BanKind::Closed => (Reason::Banned, "this account is closed".into()),
            BanKind::Chat => (
                Reason::Muted,
                format!("you may not write in chat, {}", until(self.until_ms)),
            ),
        };
        refused(reason, format!("{message}: {}", self.reason))
    }
}

/// How long something holds, in words.
pub fn until(until_ms: Option<i64>) -> String {
    match until_ms {
        None => "for ever".into(),
        Some(ms) => format!("until {}", moment(ms)),
    }
}

/// A moment in words, as the server does not know where its reader is.
pub fn moment(ms: i64) -> String {
    let at = OffsetDateTime::from_unix_timestamp(ms.div_euclid(1000));
    let at = at.unwrap_or(OffsetDateTime::UNIX_EPOCH);
    let (date, time) = (at.date(), at.time());
    format!(
        "{}-{:02}-{:02} {:02}:{:02} UTC",
        date.year(),
        u8::from(date.month()),
        date.day(),
        time.hour(),
        time.minute()
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use store::moderation::Resign;

    fn row(person: Option<&str>, kind: &str, until_ms: Option<i64>) -> BanRow {
        BanRow {
            id: "ban".into(),
            person: person.map(Into::into),
            addresses: person.is_none().then(|| "192.0.2.0/24".into()),
            kind: kind.into(),
            only_new: kind == "new",
            reason: "because".into(),
            by_person: String::new(),
            made_ms: 0,
            until_ms,
            lifted_ms: None,
            resign: Resign::No,
        }
    }

    #[test]
    fn bans_hold_for_those_and_as_long_as_they_say() -> Result<(), Box<dyn std::error::Error>> {
        let bans = Bans::default();
        let (late, early) = (wall_ms() + 100_000, wall_ms() - 1);
        bans.set(
            vec![
                row(Some("ann"), "play", Some(late)),
                row(Some("ann"), "play", Some(early)),
                row(Some("bob"), "play", Some(early)),
                row(Some("cid"), "chat", None),
                row(Some("dan"), "closed", None),
                row(None, "play", None),
            ],
            vec!["eve".into()],
            Vec::new(),
        );
        let code = |result: Result<(), Refused>| result.err().map(|e| e.reason.code());
        for (person, play, chat) in [
            ("ann", Some("banned"), None),
            ("bob", None, None),
            ("cid", None, Some("muted")),
            ("dan", Some("banned"), None),
            ("eve", None, None),
        ] {
            let found = (code(bans.may_play(person)), code(bans.may_chat(person)));
            assert_eq!(found, (play, chat), "{person}");
        }
        let told = bans.may_play("ann").err().ok_or("not banned")?.message;
        assert!(
            told.contains(&moment(late)) && told.contains("because"),
            "{told}"
        );
        assert_eq!(bans.kinds("ann"), [BanKind::Play]);
        assert!(bans.is_moderator("eve") && !bans.is_moderator("ann"));
        let inside = "192.0.2.9".parse()?;
        assert!(bans.may_come(inside, true).is_err() && bans.may_come(inside, false).is_err());
        assert!(bans.may_come("192.0.3.9".parse()?, false).is_ok());
        // A school: those who have an account go on.
        bans.set(vec![row(None, "new", None)], Vec::new(), Vec::new());
        assert!(bans.may_come(inside, true).is_ok() && bans.may_come(inside, false).is_err());
        Ok(())
    }

    #[test]
    fn announcements_are_shown_in_their_time() {
        let bans = Bans::default();
        let changes = bans.changes();
        let now = wall_ms();
        let row = |id: &str, from_ms, until_ms| AnnouncementRow {
            id: id.into(),
            text: "hello".into(),
            from_ms,
            until_ms,
        };
        let rows = vec![
            row("a", now - 5, now + 10_000),
            row("b", now + 5000, now + 9000),
        ];
        bans.set(Vec::new(), Vec::new(), rows);
        let ids = |at: i64| {
            let next = bans.pass(at).map(|next| next - now);
            let shown: Vec<String> = bans.announced().list.iter().map(|a| a.id.clone()).collect();
            (shown.concat(), next)
        };
        assert_eq!(ids(now), ("a".into(), Some(5000)));
        assert_eq!(ids(now + 5000), ("ab".into(), Some(9000)));
        assert_eq!(ids(now + 9000), ("a".into(), Some(10_000)));
        assert_eq!(ids(now + 10_000), (String::new(), None));
        // Told once each time that it was something else.
        assert_eq!(*changes.borrow(), 4);
        assert_eq!(moment(1_795_000_000_000), "2026-11-18 11:06 UTC");
    }
}
