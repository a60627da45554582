//! The chat of a game as it is stored: what was said, by whom, and where it stands.

use super::Moderation;
use super::look::Names;
use crate::refusal::{Reason, Refused, refused};
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

impl Moderation {
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
        let lines = (0..).zip(lines).map(|(line, said)| ChatSeen {
            line,
            by: names.subject(&said.by.id, Some(&said.by.name)),
            text: said.text,
            removed: said.removed,
        });
        Ok(lines.collect())
    }
}
