//! What those who are there are told: written once for all who are told the same.

use super::GameTask;
use super::messages::{Audience, Told, told_at, write};
use crate::engines::Purpose;
use crate::wire::show::{self, Moment, Presence};
use crate::wire::{Now, ServerMessage, Snapshot};
use crate::work::Weight;
use bus::Request;
use bytes::Bytes;
use husun::Side;
use play::Who;
use play::table::{ChatLine, Event};

/// A longer game is written out where that delays nobody: a half-move takes some microseconds.
const LONG: usize = 200;

/// A message as it goes to a browser.
pub(super) fn text_of(message: &ServerMessage) -> String {
    // Names, numbers and texts alone: there is nothing in a message that JSON cannot say.
    serde_json::to_string(message).unwrap_or_default()
}

impl GameTask {
    pub(super) fn presence(&self) -> Presence {
        let mut presence = Presence {
            away: self.away,
            ..Presence::default()
        };
        for attendant in self.sockets.values() {
            match attendant.who {
                Who::Player(side) => *presence.online.get_mut(side) = true,
                Who::Counsellor(_) | Who::Watcher => presence.watchers += 1,
            }
        }
        presence
    }

    fn moment<'a>(&self, presence: &'a Presence) -> Moment<'a> {
        // The clock tells of its halts while it is locked: nothing of them is held while it is asked.
        let running = self.halted.borrow().is_none();
        Moment {
            at: self.now(),
            presence,
            trouble: self.trouble(),
            running,
        }
    }

    pub(super) fn now_message(&self) -> Now {
        let presence = self.presence();
        Now {
            engine_waits: self.engine_waits(),
            ..show::now(&self.table, &self.moment(&presence))
        }
    }

    pub(super) fn snapshot(&self, who: Who) -> Snapshot {
        let presence = self.presence();
        let word = |opener: &_| self.services.keys.word(opener);
        let to = (who, self.mutes(who));
        show::snapshot(&self.id, &self.table, to, &self.moment(&presence), word)
    }

    /// Whether a player who is there does not want to read the other one.
    pub(super) fn mutes(&self, who: Who) -> bool {
        let mut there = self.sockets.values().filter(|a| a.who == who);
        there.any(|attendant| show::mutes(&self.table, who, &attendant.muted))
    }

    /// Answers with the whole game as it is now for `who`, as `write` has it.
    pub(super) fn answer_snapshot(
        &self,
        request: Request,
        who: Who,
        mutes: bool,
        write: impl FnOnce(Snapshot) -> Bytes + Send + 'static,
    ) {
        let to = (who, mutes);
        if self.table.ply() <= LONG {
            let presence = self.presence();
            let moment = self.moment(&presence);
            let word = |opener: &_| self.services.keys.word(opener);
            let snapshot = show::snapshot(&self.id, &self.table, to, &moment, word);
            return request.answer(write(snapshot));
        }
        let (id, table) = (self.id.clone(), self.table.clone());
        let services = self.services.clone();
        let presence = self.presence();
        let (at, trouble) = (self.now(), self.trouble());
        let running = self.halted.borrow().is_none();
        let work = services.work.clone();
        let job = move || {
            let moment = Moment {
                at,
                presence: &presence,
                trouble,
                running,
            };
            let word = |opener: &_| services.keys.word(opener);
            write(show::snapshot(&id, &table, to, &moment, word))
        };
        tokio::spawn(async move {
            // Without an answer who asked comes anew.
            if let Ok(text) = work.run(Weight::Light, job).await {
                request.answer(text);
            }
        });
    }

    /// How many jobs come before this game's, if the engine has not taken it up.
    pub(super) fn engine_waits(&self) -> Option<u32> {
        self.thinking.as_ref()?;
        let before = self.services.engines.before(Purpose::Play, &self.id)?;
        Some(u32::try_from(before).unwrap_or(u32::MAX))
    }

    /// Tells that the storage is out of order, or in order again, while something is being stored: no word of that.
    pub(super) fn tell_trouble(&mut self) {
        let trouble = self.trouble().map(Into::into);
        self.tell(Audience::All, &ServerMessage::Trouble { trouble });
    }

    /// Tells everyone what is so now, with the last `played` moves.
    pub(super) fn tell_now(&mut self, played: usize) {
        self.presence_due = None;
        if self.sockets.is_empty() {
            return;
        }
        let from = self.table.ply().saturating_sub(played);
        let message = ServerMessage::Update {
            played: show::played(&self.table, from),
            now: Box::new(self.now_message()),
        };
        self.tell(Audience::All, &message);
    }

    /// Tells those of an audience. One who does not keep up comes anew and is told everything.
    pub(super) fn tell(&mut self, to: Audience, message: &ServerMessage) {
        if !self.sockets.is_empty() {
            self.publish(to, &text_of(message));
        }
    }

    pub(super) fn publish(&mut self, to: Audience, text: &str) {
        self.publish_but(to, Vec::new(), text);
    }

    /// Tells those of an audience but some.
    pub(super) fn publish_but(&mut self, to: Audience, but: Vec<u64>, text: &str) {
        self.told += 1;
        let head = Told {
            life: self.life,
            n: self.told,
            ply: self.table.ply() as u32,
            to,
            but,
        };
        let message = write(&head, text);
        self.services.bus.publish(&told_at(&self.id), message);
    }

    /// Tells everyone the whole game, each what is for that one.
    pub(super) fn tell_snapshots(&mut self) {
        let mut told: Vec<Who> = Vec::new();
        let all: Vec<Who> = self.sockets.values().map(|a| a.who).collect();
        for who in all {
            if !told.contains(&who) {
                told.push(who);
                let snapshot = Box::new(self.snapshot(who));
                self.tell(Audience::Who(who), &ServerMessage::Snapshot(snapshot));
            }
        }
    }

    /// What is for some ears alone.
    pub(super) fn tell_private(&mut self, events: &[Event]) {
        for event in events {
            match event {
                Event::Chat {
                    side,
                    text,
                    removed,
                } => {
                    let line = ChatLine {
                        side: *side,
                        text: text.clone(),
                        removed: *removed,
                    };
                    for to in Side::ALL {
                        let player = Who::Player(to);
                        let mutes = to != *side && self.mutes(player);
                        let line = show::chat_line(&line, mutes);
                        self.tell(Audience::Who(player), &ServerMessage::Chat(line));
                    }
                }
                Event::CounselAsked { side } => {
                    let counsellor = Audience::Who(Who::Counsellor(*side));
                    self.tell(counsellor, &ServerMessage::CounselAsked);
                }
                Event::Advised { side, text } => {
                    let text = text.clone();
                    let player = Audience::Who(Who::Player(*side));
                    self.tell(player, &ServerMessage::Counsel { text });
                }
                Event::Planned { side, .. } => {
                    let plan = show::plan(&self.table, *side);
                    let player = Audience::Who(Who::Player(*side));
                    self.tell(player, &ServerMessage::Plan(plan));
                }
                _ => {}
            }
        }
    }
}
