//! Makes a game of what storage has of it, and of its time.

use crate::refusal::{Reason, Refused, refused};
use crate::services::Services;
use play::table::{Entry, Event, Spec, Table, WAITING};
use std::time::Duration;
use store::StoredGame;
use store::nodes::Since;

/// A game read from storage.
#[derive(Clone, Debug)]
pub struct ReadGame {
    /// The game.
    pub table: Table,
    /// The server's time when its time was that of its last event.
    pub since: Duration,
    /// How long before the first moment of the server's time that was, if it was.
    pub before: Duration,
    /// Whether it is known; if not, it is now.
    pub anchored: bool,
    /// When it began, or was made if it has not begun, in milliseconds of Unix time.
    pub began_ms: i64,
    /// When it ended with a result, in milliseconds of Unix time.
    pub ended_ms: Option<i64>,
    /// Boot of the node that owns it; 0 if nobody does, as where a server runs alone.
    pub owner: i64,
    /// Epoch of its owner.
    pub epoch: i64,
    /// When it wants to be looked at, as it is stored.
    pub due: Option<i64>,
}

impl ReadGame {
    /// The game's time at a time of the server.
    pub fn time_at(&self, server: Duration) -> Duration {
        self.table.at() + self.before + server.saturating_sub(self.since)
    }
}

fn damaged(id: &str, problem: &str) -> Refused {
    refused(
        Reason::Damaged,
        format!("game {id} in the storage is damaged: {problem}"),
    )
}

/// Makes a game of what is stored.
pub(super) fn read(stored: &StoredGame, services: &Services) -> Result<ReadGame, Refused> {
    let damaged = |problem: String| damaged(&stored.id, &problem);
    let spec: Spec =
        serde_json::from_str(&stored.spec).map_err(|e| damaged(format!("its making: {e}")))?;
    let mut entries = Vec::with_capacity(stored.events.len());
    let mut began_ms = stored.made_ms;
    for row in &stored.events {
        let event: Event = serde_json::from_str(&row.body)
            .map_err(|e| damaged(format!("event {}: {e}", row.seq)))?;
        if matches!(event, Event::Begun { .. }) {
            began_ms = row.wall_ms;
        }
        entries.push(Entry {
            seq: row.seq as u64,
            at: Duration::from_millis(row.at_ms.max(0) as u64),
            event,
        });
    }
    let table = Table::replay(spec, &entries, services.games.clone())
        .map_err(|e| damaged(e.to_string()))?;
    let ended = stored
        .events
        .iter()
        .find(|row| table.ended() == Some(row.seq as u64));
    let now = services.clock.now();
    let shared = stored.since.map(|since| since_of(since, stored, services));
    let since = match (stored.events.last(), stored.due) {
        _ if shared.is_some() => shared.map(millis_back),
        (Some(row), _) if row.run >= services.counted_from => Some(millis_back(row.run_ms)),
        // Nothing has happened yet: it was made when its waiting began.
        (None, Some(due)) if due > 0 => Some(millis_back(due).saturating_sub(WAITING)),
        // Of a run whose times do not count on: its clock stood still then.
        _ => None,
    };
    Ok(ReadGame {
        table,
        anchored: since.is_some(),
        since: since.unwrap_or(now).min(now),
        before: millis_back(-shared.unwrap_or_default()),
        began_ms,
        ended_ms: ended.map(|row| row.wall_ms),
        owner: stored.owner,
        epoch: stored.epoch,
        due: stored.due,
    })
}

/// When, by this server's time, a game's time was that of its last event, where nodes have shared it, in milliseconds: less than
/// none if that is longer ago than this server's time.
fn since_of(since: Since, stored: &StoredGame, services: &Services) -> i64 {
    let now = services.clock.now().as_millis() as i64;
    let gone = match since {
        Since::Still(ms) => ms,
        Since::At(ms) if stored.owner == services.node.boot() => now - ms,
        // It runs by another's time.
        Since::At(ms) => {
            let there = services.node.time_of(stored.owner);
            there.map_or(0, |there| there.as_millis() as i64 - ms)
        }
    };
    now - gone.max(0)
}

fn millis_back(ms: i64) -> Duration {
    Duration::from_millis(ms.max(0) as u64)
}
