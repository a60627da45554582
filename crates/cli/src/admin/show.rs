//! Results of `husun admin` as tables and words for people.

use server::moderation::moment;
use server::wire::{
    AccountListed, AccountSeen, Announcement, Ban, BanKind, ChatSeen, LogEntry, Report, Subject,
};
use unicode_width::UnicodeWidthStr;

/// Rows under a heading, each column as wide as needed; the last one is not padded.
fn table<const N: usize>(head: [&str; N], rows: &[[String; N]], nothing: &str) -> String {
    if rows.is_empty() {
        return format!("{nothing}\n");
    }
    let widths: [usize; N] = std::array::from_fn(|i| {
        let cells = rows.iter().map(|row| row[i].width());
        cells.chain([head[i].width()]).max().unwrap_or(0)
    });
    let mut text = String::new();
    let head = head.map(String::from);
    for row in std::iter::once(&head).chain(rows) {
        let mut line = String::new();
        for (cell, width) in row.iter().zip(widths) {
            line.push_str(cell);
            line.push_str(&" ".repeat(width - cell.width() + 2));
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

/// A text on one line.
fn line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn kind(kind: BanKind) -> &'static str {
    match kind {
        BanKind::Play => "banned",
        BanKind::Chat => "no chat",
        BanKind::Closed => "closed",
    }
}

fn subject(subject: &Subject) -> String {
    match subject.account {
        true => subject.name.clone(),
        false => format!("{} (guest {})", subject.name, subject.id),
    }
}

pub fn accounts(accounts: &[AccountListed]) -> String {
    let rows: Vec<[String; 4]> = accounts
        .iter()
        .map(|account| {
            let mut marks: Vec<&str> = account.bans.iter().map(|b| kind(*b)).collect();
            if account.moderator {
                marks.push("moderates");
            }
            [
                account.name.clone(),
                moment(account.made_ms),
                moment(account.seen_ms),
                marks.join(", "),
            ]
        })
        .collect();
    table(["NAME", "MADE", "SEEN LAST", ""], &rows, "No accounts.")
}

pub fn account(seen: &AccountSeen) -> String {
    let mut text = accounts(std::slice::from_ref(&seen.account));
    if !seen.bans.is_empty() {
        text += &format!("\n{}", bans(&seen.bans));
    }
    if !seen.reports.is_empty() {
        text += &format!("\n{}", reports(&seen.reports));
    }
    if !seen.log.is_empty() {
        text += &format!("\n{}", log(&seen.log));
    }
    text
}

pub fn bans(bans: &[Ban]) -> String {
    let rows: Vec<[String; 6]> = bans
        .iter()
        .map(|ban| {
            let whom = match (&ban.person, &ban.addresses) {
                (Some(person), _) => subject(person),
                (None, addresses) => addresses.clone().unwrap_or_default(),
            };
            let until = match (ban.holds, ban.until_ms) {
                (false, _) => "over".into(),
                (true, None) => "for ever".into(),
                (true, Some(until)) => moment(until),
            };
            let what = match ban.only_new {
                true => "banned, accounts go on",
                false => kind(ban.kind),
            };
            [
                ban.id.clone(),
                whom,
                what.into(),
                until,
                ban.by.clone(),
                line(&ban.reason),
            ]
        })
        .collect();
    let head = ["BAN", "WHOM", "WHAT", "UNTIL", "BY", "REASON"];
    table(head, &rows, "No bans.")
}

pub fn reports(reports: &[Report]) -> String {
    let mut text = String::new();
    for report in reports {
        let about = report.about.as_ref().map(subject);
        let about = about
            .map(|about| format!(" about {about}"))
            .unwrap_or_default();
        let game = report.game.as_ref();
        let game = game
            .map(|game| format!(", game {game}"))
            .unwrap_or_default();
        let reason = serde_json::to_value(report.reason).unwrap_or_default();
        text += &format!(
            "{}  {}  {}{about}{game}, by {}\n",
            report.id,
            moment(report.made_ms),
            reason.as_str().unwrap_or_default(),
            subject(&report.by)
        );
        if let Some(quoted) = &report.quoted {
            let number = report.line.unwrap_or_default();
            text += &format!("    line {number} of its chat: {}\n", line(quoted));
        }
        if !report.text.is_empty() {
            text += &format!("    {}\n", line(&report.text));
        }
        if let Some(settled) = &report.settled {
            let answer = line(&settled.answer);
            text += &format!(
                "    settled by {}, {}: {answer}\n",
                settled.by,
                moment(settled.at_ms)
            );
        }
    }
    match text.is_empty() {
        true => "No reports.\n".into(),
        false => text,
    }
}

pub fn chat(lines: &[ChatSeen]) -> String {
    let rows: Vec<[String; 3]> = lines
        .iter()
        .map(|said| {
            let text = match said.removed {
                true => "(removed)".into(),
                false => line(&said.text),
            };
            let watching = if said.watching { ", watching" } else { "" };
            let by = format!("{}{watching}", subject(&said.by));
            [said.line.to_string(), by, text]
        })
        .collect();
    table(
        ["LINE", "WHO", "WHAT"],
        &rows,
        "Nothing was said in this game.",
    )
}

pub fn announcements(announcements: &[Announcement]) -> String {
    let rows: Vec<[String; 4]> = announcements
        .iter()
        .map(|a| {
            [
                a.id.clone(),
                moment(a.from_ms),
                moment(a.until_ms),
                line(&a.text),
            ]
        })
        .collect();
    table(
        ["ID", "FROM", "UNTIL", "TEXT"],
        &rows,
        "Nothing is announced.",
    )
}

pub fn log(log: &[LogEntry]) -> String {
    let rows: Vec<[String; 7]> = log
        .iter()
        .map(|entry| {
            [
                entry.no.to_string(),
                moment(entry.at_ms),
                entry.by.clone(),
                entry.act.clone(),
                entry.about.as_ref().map(subject).unwrap_or_default(),
                line(&entry.detail),
                line(&entry.reason),
            ]
        })
        .collect();
    let head = ["NO", "WHEN", "BY", "ACT", "WHOM", "WHAT", "REASON"];
    table(head, &rows, "Nothing was done yet.")
}
