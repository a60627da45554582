//! Vacations: who is on one is charged no time in games over days. The games are told one after another, and told again
//! after a restart if not all were.

use crate::directory::Directory;
use crate::leading::{self, Wake};
use crate::refusal::{Reason, Refused, refused};
use crate::services::{secret, wall_ms};
use crate::task::messages::Ask;
use crate::wire;
use std::sync::Arc;
use std::time::Duration;
use store::vacations::{Applied, VacationRow, VacationStore};
use time::{Date, Month, OffsetDateTime, Time};

/// Days of vacation in a calendar year.
const DAYS: i64 = 30;
const DAY_MS: i64 = 24 * 3_600_000;
/// How often it is looked for vacations that are over.
const LOOK: Duration = Duration::from_secs(30);
/// Pause after something went wrong.
const AGAIN: Duration = Duration::from_secs(2);

/// All vacations.
#[derive(Clone)]
pub struct Vacations {
    store: Arc<dyn VacationStore>,
    directory: Directory,
    changed: Arc<Wake>,
}

/// The year's beginning, and that of the next one, around a time.
fn year_of(now_ms: i64) -> [i64; 2] {
    let now = OffsetDateTime::from_unix_timestamp(now_ms / 1000);
    let year = now.unwrap_or(OffsetDateTime::UNIX_EPOCH).year();
    [year, year + 1].map(|year| {
        let first = Date::from_calendar_date(year, Month::January, 1);
        let first = first.map(|date| date.with_time(Time::MIDNIGHT).assume_utc());
        first.map_or(i64::MAX, |first| first.unix_timestamp() * 1000)
    })
}

/// Milliseconds of a year that vacations leave.
fn left(rows: &[VacationRow], now_ms: i64) -> i64 {
    let [from, to] = year_of(now_ms);
    let used = rows.iter().map(|row| {
        let end = row.ended_ms.unwrap_or(now_ms).min(row.until_ms);
        (end.min(to) - row.begun_ms.max(from)).max(0)
    });
    (DAYS * DAY_MS - used.sum::<i64>()).max(0)
}

impl Vacations {
    /// Vacations in a storage.
    pub fn new(store: Arc<dyn VacationStore>, directory: Directory) -> Vacations {
        Vacations {
            store,
            directory,
            changed: Wake::new("vacations"),
        }
    }

    async fn rows(&self, person: &str, now_ms: i64) -> Result<Vec<VacationRow>, Refused> {
        let [from, _] = year_of(now_ms);
        Ok(self.store.vacations(person, from).await?)
    }

    /// Whether a person is on vacation, until when, and what is left of the year's days.
    pub async fn of(&self, person: &str) -> Result<wire::Vacation, Refused> {
        let now_ms = wall_ms();
        let rows = self.rows(person, now_ms).await?;
        let on = |row: &&VacationRow| row.ended_ms.is_none() && row.until_ms > now_ms;
        Ok(wire::Vacation {
            until_ms: rows.iter().find(on).map(|row| row.until_ms),
            days_left: (left(&rows, now_ms) / DAY_MS) as u32,
        })
    }

    /// Begins a vacation of so many days.
    pub async fn begin(&self, person: &str, days: u32) -> Result<wire::Vacation, Refused> {
        let now_ms = wall_ms();
        let left = left(&self.rows(person, now_ms).await?, now_ms);
        let most = left.div_euclid(DAY_MS);
        let days = i64::from(days);
        if !(1..=most).contains(&days) {
            let message = match most {
                0 => format!("days: {days}, but none of this year's {DAYS} are left"),
                most => {
                    format!("days: {days}, expected 1 to {most}, as many as are left this year")
                }
            };
            return Err(refused(Reason::Vacation, message));
        }
        let row = VacationRow {
            id: secret(7),
            person: person.into(),
            begun_ms: now_ms,
            until_ms: now_ms + days * DAY_MS,
            ended_ms: None,
        };
        if !self.store.begin_vacation(&row).await? {
            let message = "you are already on vacation; end it before you begin another";
            return Err(refused(Reason::Vacation, message));
        }
        self.changed.wake();
        self.of(person).await
    }

    /// Ends a person's vacation.
    pub async fn end(&self, person: &str) -> Result<(), Refused> {
        match self.store.end_vacation(person, wall_ms()).await? {
            true => self.changed.wake(),
            false => return Err(refused(Reason::Vacation, "you are not on vacation")),
        }
        Ok(())
    }

    /// Tells a game that has just begun of those of its players who are on vacation.
    pub async fn tell_new(&self, game: &str, people: [&str; 2]) -> Result<(), Refused> {
        for person in people {
            if self.of(person).await?.until_ms.is_some() {
                self.tell(game, person, true).await?;
            }
        }
        Ok(())
    }

    /// Tells games what they do not know yet, and ends what is over, for as long as this node leads, whenever it does.
    pub async fn keep(self) {
        let services = self.directory.services().clone();
        let _heard = self.changed.follow(&services).await;
        leading::while_leading(services, || self.tell_ever()).await;
    }

    async fn tell_ever(&self) {
        loop {
            match self.tell_all().await {
                Ok(()) => self.changed.wait(LOOK).await,
                Err(refused) => {
                    tracing::warn!(message = %refused.message, "vacations are told of later");
                    tokio::time::sleep(AGAIN).await;
                }
            }
        }
    }

    async fn tell_all(&self) -> Result<(), Refused> {
        self.store.end_vacations(wall_ms()).await?;
        for row in self.store.vacations_to_tell().await? {
            let on = row.ended_ms.is_none();
            for game in self.store.running_games(&row.person).await? {
                self.tell(&game, &row.person, on).await?;
            }
            let applied = match on {
                true => Applied::Begun,
                false => Applied::Ended,
            };
            self.store.vacation_told(&row.id, applied).await?;
        }
        Ok(())
    }

    /// Tells one game; what it makes of that is stored when this is done.
    async fn tell(&self, game: &str, person: &str, on: bool) -> Result<(), Refused> {
        let person = person.into();
        let ask = Ask::Vacation { person, on };
        match self.directory.ask_game(game, &ask).await {
            Ok(_) => Ok(()),
            // It is left aside elsewhere, too.
            Err(refused) if refused.reason == Reason::Damaged => Ok(()),
            Err(refused) => Err(refused),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_year_has_thirty_days() {
        let [from, to] = year_of(1_795_000_000_000);
        assert_eq!((to - from) / DAY_MS, 365);
        let row = |begun: i64, until: i64, ended: Option<i64>| VacationRow {
            id: String::new(),
            person: String::new(),
            begun_ms: from + begun * DAY_MS,
            until_ms: from + until * DAY_MS,
            ended_ms: ended.map(|day| from + day * DAY_MS),
        };
        let now = from + 100 * DAY_MS;
        assert_eq!(left(&[], now), DAYS * DAY_MS);
        // One of the turn of the year, one that was ended early, one that goes on.
        let rows = [
            row(-5, 3, Some(3)),
            row(50, 60, Some(52)),
            row(98, 110, None),
        ];
        assert_eq!(left(&rows, now), (DAYS - 3 - 2 - 2) * DAY_MS);
        assert_eq!(left(&[row(10, 60, Some(60))], now), 0);
    }
}
