//! What people report: bounded for each of them, by a day.

use super::Moderation;
use super::look::word_of;
use crate::refusal::{Reason, Refused, refused};
use crate::services::{secret, wall_ms};
use crate::wire::{NewReport, ReportReason};
use husun::Side;
use play::Who;
use play::moderation::text;
use play::table::{Person, Table};
use store::accounts::AccountRow;
use store::moderation::ReportRow;

const DAY_MS: i64 = 24 * 3_600_000;
/// Reports of a person a day.
const MOST: u32 = 10;
/// Characters of a report's text at most; the reason that says nothing needs some.
const TEXT: usize = 1000;

/// What is reported.
#[derive(Debug)]
pub enum About {
    /// A person with an account.
    Account(Box<AccountRow>),
    /// A game, as seen by one who plays in it or watches.
    Game {
        /// Its id.
        id: String,
        /// The game.
        table: Box<Table>,
        /// Who reports.
        who: Who,
    },
}

impl Moderation {
    /// Keeps a report of a person.
    pub async fn report(
        &self,
        person: &Person,
        about: About,
        wish: &NewReport,
    ) -> Result<(), Refused> {
        let least = usize::from(wish.reason == ReportReason::Other);
        let text = text("text", &wish.text, [least, TEXT]);
        let text = text.map_err(|fault| refused(Reason::Malformed, fault.to_string()))?;
        let now_ms = wall_ms();
        let mut row = ReportRow {
            id: secret(7),
            by_person: person.guest.clone(),
            by_name: match person.account {
                true => String::new(),
                false => person.name.clone(),
            },
            about: None,
            about_name: None,
            game: None,
            line: None,
            quoted: None,
            reason: word_of(&wish.reason),
            text,
            made_ms: now_ms,
            settled: None,
        };
        match about {
            About::Account(account) => row.about = Some(account.id),
            About::Game { id, table, who } => {
                let side = match wish.line {
                    Some(line) => Some(quote(&mut row, &table, who, line)?),
                    None => wish.side.map(Side::from),
                };
                let player = side.and_then(|side| table.person(side));
                row.about = player.map(|p| p.guest.clone());
                row.about_name = player.filter(|p| !p.account).map(|p| p.name.clone());
                row.game = Some(id);
                if side.is_some_and(|side| who == Who::Player(side)) {
                    return Err(oneself());
                }
            }
        }
        if row.about.as_ref() == Some(&person.guest) {
            return Err(oneself());
        }
        let kept = self.inner.store.keep_report(&row, MOST, now_ms - DAY_MS);
        match kept.await? {
            true => Ok(()),
            false => Err(refused(
                Reason::Limit,
                format!("you have made {MOST} reports within a day, which is the most allowed"),
            )),
        }
    }
}

fn oneself() -> Refused {
    refused(Reason::Oneself, "this is about yourself")
}

/// Takes a line of chat into a report; tells whose it is.
fn quote(row: &mut ReportRow, table: &Table, who: Who, line: u32) -> Result<Side, Refused> {
    if !matches!(who, Who::Player(_)) {
        let message = "a game's chat is for its players only: first open the game with your link";
        return Err(refused(Reason::Seat, message));
    }
    let said = table.chat().get(line as usize).ok_or_else(|| {
        let message = format!(
            "line: {line}, but the game has {} lines of chat, counted from 0",
            table.chat().len()
        );
        refused(Reason::NoSuchItem, message)
    })?;
    row.line = Some(i64::from(line));
    row.quoted = Some(said.text.clone());
    Ok(said.side)
}
