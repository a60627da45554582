//! The chat of a game: what was said, by whom, where it stands, and how a line of it is removed.

use super::acts::{Done, Follows, REASON, bounded, done, no_item};
use super::look::Names;
use super::{Actor, Moderation};
use crate::refusal::{Reason, Refused, refused};
use crate::task::messages::Heard;
use crate::wire::{ChatSeen, Subject};
use crate::work::Weight;
use husun::Side;
use play::Both;
use play::table::{Event, Person, Spec};
use store::StoredGame;

/// A line of chat as it is stored.
pub(super) struct Line {
    /// Number of its event.
    pub seq: i64,
    pub side: Side,
    pub by: Subject,
    pub text: String,
    pub removed: bool,
}

/// Who plays, and what they have said.
type Chat = (Vec<Line>, Both<Option<Person>>);

pub(super) fn no_game() -> Refused {
    refused(Reason::NoSuchGame, "there is no such game")
}

fn read(stored: &StoredGame) -> Result<Chat, Refused> {
    let damaged = |error: serde_json::Error| {
        let message = format!("game {} in the storage is damaged: {error}", stored.id);
        refused(Reason::Damaged, message)
    };
    let spec: Spec = serde_json::from_str(&stored.spec).map_err(damaged)?;
    let mut people = Both::of(|side| spec.seats.get(side).kept.clone());
    let mut said = Vec::new();
    for row in &stored.events {
        match serde_json::from_str(&row.body).map_err(damaged)? {
            Event::Joined { side, person, .. } => *people.get_mut(side) = Some(person),
            Event::Chat {
                side,
                text,
                removed,
            } => said.push((row.seq, side, text, removed)),
            _ => {}
        }
    }
    let said = said.into_iter().map(|(seq, side, text, removed)| {
        let by = people.get(side).clone().unwrap_or_default();
        Line {
            seq,
            side,
            by: Subject {
                id: by.guest,
                name: by.name,
                account: by.account,
            },
            text,
            removed,
        }
    });
    Ok((said.collect(), people))
}

/// Who wrote a line of those who watch.
fn by(heard: &Heard) -> Subject {
    Subject {
        id: heard.by.clone(),
        name: heard.line.name.clone(),
        account: heard.line.account,
    }
}

impl Moderation {
    /// What those say who watch a game: it is in the memory of a game that is looked at, and nowhere else.
    pub(super) async fn heard(&self, game: &str) -> Vec<Heard> {
        match &self.inner.live {
            Some(live) => live
                .directory
                .watchers_heard(game)
                .await
                .unwrap_or_default(),
            None => Vec::new(),
        }
    }

    /// The lines of a game's chat, and its players.
    pub(super) async fn chat_of(&self, game: &str) -> Result<Chat, Refused> {
        let fits = crate::directory::is_id(game);
        let stored = match fits {
            true => self.inner.games.load(game).await?,
            false => None,
        };
        let stored = stored.ok_or_else(no_game)?;
        let work = &self.inner.work;
        work.run(Weight::Light, move || read(&stored)).await?
    }

    /// What was said in a game, for those who moderate.
    pub async fn chat(&self, game: &str) -> Result<Vec<ChatSeen>, Refused> {
        let (lines, people) = self.chat_of(game).await?;
        let people = Side::ALL
            .into_iter()
            .filter_map(|side| people.get(side).as_ref());
        let names = Names::of(self, people.map(|p| Some(p.guest.as_str()))).await?;
        let players = (0..).zip(lines).map(|(line, said)| ChatSeen {
            line,
            by: names.subject(&said.by.id, Some(&said.by.name)),
            text: said.text,
            removed: said.removed,
            watching: false,
        });
        let heard = self.heard(game).await;
        let watchers = heard.into_iter().map(|heard| ChatSeen {
            line: u32::try_from(heard.line.n).unwrap_or(u32::MAX),
            by: by(&heard),
            text: heard.line.text,
            removed: false,
            watching: true,
        });
        Ok(players.chain(watchers).collect())
    }

    /// Removes a line of the players' chat.
    pub(super) async fn remove_chat(
        &self,
        actor: &Actor,
        game: &str,
        line: u32,
        reason: &str,
    ) -> Result<Done, Refused> {
        let reason = bounded("reason", reason, REASON)?;
        let (chat, _) = self.chat_of(game).await?;
        let Some(found) = chat.get(line as usize) else {
            let message = format!(
                "line: {line}, but the game has {} lines of chat, counted from 0",
                chat.len()
            );
            return Err(no_item(message));
        };
        if found.removed {
            return Err(refused(Reason::Gone, "this line has already been removed"));
        }
        self.may_act_on(actor, &found.by.id, &found.by.name)?;
        let event = Event::Chat {
            side: found.side,
            text: String::new(),
            removed: true,
        };
        let detail = format!("line {line} of game {game}");
        let logged = self.logged(actor, "remove_chat", Some(&found.by.id), detail, &reason);
        let body = event.to_text();
        let rewritten = self
            .inner
            .store
            .rewrite_event(game, found.seq, &body, &logged);
        if !rewritten.await? {
            return Err(no_game());
        }
        let follows = Follows::Line(game.into(), line as usize);
        Ok(done("the line is removed", None, follows))
    }

    /// Removes a line of those who watch. Those who read it are told after it is in the log.
    pub(super) async fn remove_watchers_line(
        &self,
        actor: &Actor,
        game: &str,
        line: u32,
        reason: &str,
    ) -> Result<Done, Refused> {
        let reason = bounded("reason", reason, REASON)?;
        let heard = self.heard(game).await;
        let found = heard.iter().find(|heard| heard.line.n == u64::from(line));
        let found = found.ok_or_else(|| {
            no_item(format!("line: there is no line {line} of those who watch this game, or it is no longer kept"))
        })?;
        self.may_act_on(actor, &found.by, &found.line.name)?;
        let detail = format!("line {line} of those who watch game {game}");
        let logged = self.logged(actor, "remove_chat", Some(&found.by), detail, &reason);
        self.inner.store.note_act(&logged).await?;
        let follows = Follows::WatchersLine(game.into(), found.line.n);
        Ok(done("the line is removed", None, follows))
    }
}
