//! People whom one follows, and those whose words in chat one does not want to read.

use super::Watching;
use crate::lobby::game_shown;
use crate::refusal::{Reason, Refused, refused};
use crate::services::wall_ms;
use crate::wire::{FollowedPerson, MutedPerson, PlayingGame};
use play::lobby::Wanted;
use play::table::Person;
use std::collections::HashMap;
use store::accounts::AccountRow;
use store::people::PeopleList;

/// People of a list at most.
const MOST: u32 = 200;
/// Milliseconds of an hour: nobody is told the minute at which a person was here.
const HOUR_MS: i64 = 3_600_000;

/// Where the sockets of a person are told whom that one does not want to read: ids as JSON.
pub fn mutes_told(person: &str) -> String {
    format!("person.{person}.mutes")
}

impl Watching {
    /// Puts somebody on a list of the one who asks.
    pub async fn add(
        &self,
        list: PeopleList,
        person: &Person,
        other: &AccountRow,
    ) -> Result<(), Refused> {
        let (act, what) = match list {
            PeopleList::Followed => ("follows", "follow"),
            PeopleList::Muted => ("mutes", "mute"),
        };
        if person.guest == other.id {
            return Err(refused(
                Reason::Oneself,
                format!("this is yourself: nobody {act} themselves"),
            ));
        }
        let people = &self.inner.people;
        let added = people.list_person(list, &person.guest, &other.id, wall_ms(), MOST);
        if !added.await? {
            let message = format!("you already {what} {MOST} people, which is the most allowed");
            return Err(refused(Reason::Limit, message));
        }
        self.changed(list, person).await
    }

    /// Takes somebody off it.
    pub async fn remove(
        &self,
        list: PeopleList,
        person: &Person,
        other: &AccountRow,
    ) -> Result<(), Refused> {
        let people = &self.inner.people;
        people.unlist_person(list, &person.guest, &other.id).await?;
        self.changed(list, person).await
    }

    /// Tells the person's sockets.
    async fn changed(&self, list: PeopleList, person: &Person) -> Result<(), Refused> {
        if list == PeopleList::Muted {
            let ids = self.muted_ids(person).await?;
            // Ids alone: there is nothing in them that JSON cannot say.
            let text = serde_json::to_vec(&ids).unwrap_or_default();
            let bus = &self.inner.directory.services().bus;
            bus.publish(&mutes_told(&person.guest), text.into());
        }
        Ok(())
    }

    /// Ids of those whom a person does not want to read.
    pub async fn muted_ids(&self, person: &Person) -> Result<Vec<String>, Refused> {
        if !person.account {
            return Ok(Vec::new());
        }
        let people = &self.inner.people;
        let muted = people.listed_people(PeopleList::Muted, &person.guest);
        Ok(muted.await?.into_iter().map(|other| other.id).collect())
    }

    /// Names of those on a list.
    pub async fn names(&self, list: PeopleList, person: &str) -> Result<Vec<String>, Refused> {
        let listed = self.inner.people.listed_people(list, person).await?;
        Ok(listed.into_iter().map(|other| other.name).collect())
    }

    /// Those whom a person does not want to read.
    pub async fn muted(&self, person: &str) -> Result<Vec<MutedPerson>, Refused> {
        let names = self.names(PeopleList::Muted, person).await?;
        Ok(names.into_iter().map(|name| MutedPerson { name }).collect())
    }

    /// Those whom a person follows, who plays just now first.
    pub async fn followed(&self, person: &str) -> Result<Vec<FollowedPerson>, Refused> {
        let people = &self.inner.people;
        let playing = people.followed_playing(person).await?;
        let mut playing: HashMap<String, PlayingGame> = playing
            .into_iter()
            .map(|row| {
                let games = self.inner.directory.variants();
                let name = game_shown(games, &Wanted::Variant(row.variant)).name;
                let (id, clock) = (row.game, row.clock);
                (row.person, PlayingGame { id, name, clock })
            })
            .collect();
        let listed = people.listed_people(PeopleList::Followed, person).await?;
        let followed = listed.into_iter().map(|other| FollowedPerson {
            playing: playing.remove(&other.id),
            name: other.name,
            bot: other.bot,
            seen_ms: other.seen_ms / HOUR_MS * HOUR_MS,
        });
        let mut followed: Vec<FollowedPerson> = followed.collect();
        followed.sort_by_key(|person| person.playing.is_none());
        Ok(followed)
    }
}
