//! What a game has stored: its events, when it wants to be looked at, and its card when it leaves memory.

use super::GameTask;
use crate::archive;
use crate::directory::AHEAD;
use crate::node::Members;
use crate::services::wall_ms;
use crate::telemetry::span;
use crate::watching::row;
use metrics::counter;
use play::table::{Event, StoredCard};
use std::sync::Arc;
use std::time::Duration;
use store::nodes::Owned;
use store::running::Running;
use store::{CardRow, Due, EventRow, GameWrite, StoreError, millis};
use tokio::sync::watch;
use tracing::Instrument;

/// Time in storing from which on a game's time is noted anew, so that a sudden end does not charge it.
const DRIFT: Duration = Duration::from_millis(100);
/// A game in which nothing can happen while someone is there is looked at again after this.
const OCCUPIED: Duration = Duration::from_secs(3600);

/// Who waits for something to be stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum For {
    /// The players, who have not been told whose turn it is: the game's time stands still meanwhile.
    Players,
    /// Nobody: whoever thinks, thinks on, and is charged for it.
    Nobody,
}

/// Waits until this node is not the one that owns games by this boot; false if that is not told any more.
async fn ends(members: &mut watch::Receiver<Arc<Members>>, boot: i64) -> bool {
    members
        .wait_for(|members| members.boot != boot)
        .await
        .is_ok()
}

impl GameTask {
    /// Writes what lists show, and when the game wants to be looked at.
    pub(super) async fn note_leaving(&mut self) {
        let due = self.due_now();
        let due = (self.due != due).then_some(match due {
            Some(ms) => Due::At(ms),
            None => Due::Never,
        });
        let seq = self.table.seq();
        let card = (self.carded != Some(seq)).then(|| self.card_row());
        let running = self.rests_now();
        let rests = running.is_some();
        if due.is_none() && card.is_none() && !rests {
            return;
        }
        let write = GameWrite {
            due,
            card,
            running,
            ..self.write()
        };
        if self.store(write, For::Nobody).await {
            (self.due, self.carded) = (self.due_now(), Some(seq));
            if rests {
                self.watched.rests = Some(true);
            }
        }
    }

    /// Has storage know whether the game rests.
    pub(super) async fn store_rest(&mut self, rests: bool) {
        let write = GameWrite {
            running: Some(Running::Rests(rests)),
            ..self.write()
        };
        if self.store(write, For::Nobody).await {
            self.watched.rests = Some(rests);
        }
    }

    /// A time of the server before which nothing happens to the game of itself, in milliseconds.
    fn due_now(&self) -> Option<i64> {
        if self.table.engine_is_asked() {
            // If the server is ended before the engine has answered, it is asked again then.
            return Some(millis(self.services.clock.now() + AHEAD));
        }
        let earliest = self.table.earliest(self.now())?;
        let due = millis(self.server_at(earliest));
        match self.is_timed() {
            true => Some(due),
            // Nothing will happen while someone is there.
            false => Some(due.max(millis(self.services.clock.now() + OCCUPIED))),
        }
    }

    /// The change of what is stored about that. What is stored may be too early: then the game is looked at in vain.
    fn due_change(&self) -> Option<Due> {
        let Some(wanted) = self.due_now() else {
            return self.due.is_some().then_some(Due::Never);
        };
        let now = millis(self.services.clock.now());
        let holds = self.due.is_some_and(|due| due <= wanted && due > now);
        (!holds).then_some(Due::At(wanted))
    }

    /// Looks after the game since storage says that it is due.
    pub(super) async fn attend(&mut self) {
        self.overdue().await;
        if let Some(due) = self.due_change().filter(|_| !self.broken) {
            let write = GameWrite {
                due: Some(due),
                ..self.write()
            };
            if self.store(write, For::Nobody).await {
                self.due_is(Some(due));
            }
        }
    }

    fn write(&self) -> GameWrite {
        GameWrite {
            game: self.id.clone(),
            epoch: self.epoch,
            owner: self.owner,
            ..GameWrite::default()
        }
    }

    /// What the game's tournament is told of its end.
    fn tournament_end(&self) -> Option<[String; 2]> {
        let of = self.table.spec().tournament.as_ref()?;
        let result = self.table.tournament_result()?;
        // Strings and numbers alone.
        Some([
            of.id.clone(),
            serde_json::to_string(&result).unwrap_or_default(),
        ])
    }

    /// The game as lists show it now.
    fn card_row(&self) -> CardRow {
        CardRow {
            seq: self.table.seq() as i64,
            text: StoredCard::of(&self.table).to_text(),
        }
    }

    fn due_is(&mut self, due: Option<Due>) {
        match due {
            Some(Due::At(ms)) => self.due = Some(ms),
            Some(Due::Never) => self.due = None,
            None => {}
        }
    }

    /// Makes events so, stores them, and tells. An event that does not apply is not stored, and what is not stored is
    /// not seen: nobody asks the game in between, and if storing is refused the game is read anew.
    pub(super) async fn enact(&mut self, events: Vec<Event>, at: Duration) -> bool {
        if self.broken {
            // What stands here is not what is stored.
            return false;
        }
        let (first, server) = (self.table.seq() + 1, self.server_at(at));
        let numbered = (first..).zip(&events);
        let rows = numbered.map(|(seq, event)| self.services.row(seq, at, server, event));
        let rows: Vec<EventRow> = rows.collect();
        let (before, was_over) = (self.table.ply(), self.table.is_over());
        let (turn, runs) = (self.table.turn(), self.table.clock_runs());
        let was_shown = row::is_shown(&self.table);
        let table = Arc::make_mut(&mut self.table);
        for event in &events {
            if let Err(error) = table.apply(event, at) {
                // It was decided on this very table: a fault of ours, not of the players.
                tracing::error!(game = %self.id, %error, ?event, "what was decided does not apply");
                counter!("husun_faults_total").increment(1);
                self.broken = true;
                return false;
            }
        }
        let ends = self.table.is_over() && !was_over;
        let due = self.due_change();
        let seq = self.table.seq();
        let finished = self.table.finished().filter(|_| ends);
        let moved = self.table.ply() != before;
        let running = self.running_change(was_shown, moved);
        let begins = matches!(running, Some(Running::Begins(..)));
        let ended_ms = rows.last().map_or_else(wall_ms, |row| row.wall_ms);
        let write = GameWrite {
            events: rows,
            due,
            warn: self.warn_change(&events),
            over: ends,
            to_rate: self
                .table
                .rated_game()
                .filter(|_| ends)
                .map(|g| g.to_text()),
            tournament: self.tournament_end().filter(|_| ends),
            archive: finished.map(|game| archive::row(&game, ended_ms)),
            running,
            // Lists of finished games need not make it anew.
            card: ends.then(|| self.card_row()),
            ..self.write()
        };
        let (rates, finishes) = (write.to_rate.is_some(), write.archive.is_some());
        let tells = write.tournament.is_some();
        let table = &self.table;
        let as_before = (before, turn, runs) == (table.ply(), table.turn(), table.clock_runs());
        // A game that has just been read has told nobody yet.
        let waits = match as_before && !self.sockets.is_empty() {
            true => For::Nobody,
            false => For::Players,
        };
        if !self.store(write, waits).await {
            return false;
        }
        if rates {
            self.services.ratings.notice();
        }
        if finishes {
            self.services.archive.notice();
        }
        if tells {
            self.services.ended.notify_one();
        }
        if ends {
            self.carded = Some(seq);
        }
        if begins {
            self.watched.rests = Some(false);
        }
        self.due_is(due);
        self.tell_private(&events);
        let played = self.table.ply().saturating_sub(before);
        if played > 0 {
            counter!("husun_moves_total").increment(played as u64);
        }
        self.tell_now(played);
        self.tell_absent(&events, played);
        if moved || ends {
            self.board_changed();
        }
        if ends {
            self.open_watchers_chat();
            self.stop_thinking();
        }
        true
    }

    /// Stores, for as long as it takes; who is there is told of trouble.
    async fn store(&mut self, write: GameWrite, waits: For) -> bool {
        if self.trouble().is_some() {
            // It was told to this task before, and may not have been told on yet.
            self.tell_trouble();
        }
        let start = self.services.clock.now();
        let is_event = !write.events.is_empty();
        let writer = self.services.writer.clone();
        let span = span!("store", events = write.events.len());
        let mut stored = std::pin::pin!(writer.write(write).instrument(span));
        // What changes meanwhile is new still to the task's own loop.
        let (mut members, mut halted) = (self.members.clone(), self.halted.clone());
        let result = loop {
            tokio::select! {
                biased;
                result = &mut stored => break result,
                // Whatever comes of it: the game is another's, who reads it.
                true = ends(&mut members, self.owner) => {
                    self.broken = true;
                    return false;
                }
                Ok(()) = halted.changed() => self.tell_trouble(),
            }
        };
        let took = self.services.clock.now().saturating_sub(start);
        if is_event {
            self.storing = Duration::ZERO;
        }
        if waits == For::Players {
            self.since += took;
            self.storing += took;
        }
        match result {
            Ok(()) => true,
            Err(error) => {
                let refused = !matches!(error, StoreError::Unavailable(_));
                if self.owner != 0 && matches!(error, StoreError::Fenced { .. }) {
                    tracing::info!(game = %self.id, "another node owns the game now");
                } else if refused {
                    tracing::error!(game = %self.id, %error, "the game is read anew");
                    counter!("husun_faults_total").increment(1);
                }
                self.broken = true;
                false
            }
        }
    }

    /// Gives the game to another node; whether that owns it now. From then on nothing is done here.
    pub(super) async fn hand_over(&mut self, to: i64) -> bool {
        let Some(leases) = self.services.node.leases().cloned() else {
            return false;
        };
        let owned = Owned {
            game: self.id.clone(),
            epoch: self.epoch,
        };
        let now_ms = millis(self.services.clock.now().saturating_sub(self.storing));
        let (owner, game) = (self.owner, self.id.clone());
        // Nothing cancels it: a game is given away or not.
        let given = tokio::spawn(async move {
            let given = leases.hand_over(&owned, owner, to, now_ms).await;
            given.inspect_err(|error| tracing::warn!(%game, %error, "it is not handed over"))
        });
        let given = matches!(given.await, Ok(Ok(true)));
        // If it is not known whether it was, storage knows.
        self.broken = true;
        given
    }

    /// Notes the game's time if much of it went by in storing, which must not be charged after a sudden end.
    pub(super) async fn note_time(&mut self) {
        let runs = self
            .table
            .clock()
            .is_some_and(|clock| clock.turn().is_some());
        if self.storing >= DRIFT && runs && !self.broken && !self.table.is_over() {
            let now = self.now();
            self.enact(vec![Event::Resumed], now).await;
        }
    }
}
