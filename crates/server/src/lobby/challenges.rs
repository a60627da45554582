//! Challenges of one person to another: they wait in storage until they are accepted, declined or over.

use super::{CHALLENGE_MS, Lobby, text_of, told_to, wishes};
use crate::accounts::person_of;
use crate::notices::words;
use crate::refusal::{Reason, Refused, refused};
use crate::services::{secret, wall_ms};
use crate::wire::{self, Challenges, DeclineReason, NewChallenge, Paired, ServerMessage};
use husun::Side;
use husun::clock::TimeControl;
use play::lobby::{Terms, Wanted};
use play::table::Person;
use serde::{Deserialize, Serialize};
use store::accounts::AccountRow;
use store::offers::OfferRow;

/// A challenge as it is stored. Names are not kept with it: they are those of the accounts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct KeptChallenge {
    wanted: Wanted,
    control: TimeControl,
    rated: bool,
    side: Option<Side>,
}

impl Lobby {
    /// Challenges somebody.
    pub async fn challenge(
        &self,
        from: &Person,
        to: &AccountRow,
        wish: &NewChallenge,
    ) -> Result<wire::Challenge, Refused> {
        let games = self.inner.directory.variants();
        let (ids, families) = (wish.variant.clone(), wish.family.clone());
        let (ids, families): (Vec<_>, Vec<_>) =
            (ids.into_iter().collect(), families.into_iter().collect());
        let wanted = wishes::games_of(games, &ids, &families)?;
        let [wanted] = &wanted[..] else {
            let message = "exactly one of variant and family is needed";
            return Err(refused(Reason::Variant, message));
        };
        let control = wishes::clock_of(&wish.clock)?;
        wishes::may_count(wish.rated, &[control], from)?;
        if from.guest == to.id {
            return Err(refused(Reason::Opponent, "you cannot challenge yourself"));
        }
        if self.apart(from).await?.contains(&to.id) {
            let message = format!("{} does not take challenges from you", to.name);
            return Err(refused(Reason::Opponent, message));
        }
        let kept = KeptChallenge {
            wanted: wanted.clone(),
            control,
            rated: wish.rated,
            side: wish.side.map(Into::into),
        };
        let now_ms = wall_ms();
        let row = OfferRow {
            id: secret(7),
            person: from.guest.clone(),
            target: Some(to.id.clone()),
            body: text_of(&kept)?,
            made_ms: now_ms,
            until_ms: now_ms + CHALLENGE_MS,
            game: None,
            answer: None,
        };
        let services = self.inner.directory.services();
        services.keep_rules(std::slice::from_ref(wanted)).await?;
        self.keep_row(&row).await?;
        let told = self.told(&row, &kept, from, &person_of(to));
        let happenings = &self.inner.directory.services().happenings;
        happenings.tell(words::challenged(from, &to.id, &told));
        let message = ServerMessage::Challenged(told.clone());
        for person in [&to.id, &from.guest] {
            self.publish(&told_to(person), &message);
        }
        Ok(told)
    }

    fn told(
        &self,
        row: &OfferRow,
        kept: &KeptChallenge,
        from: &Person,
        to: &Person,
    ) -> wire::Challenge {
        wire::Challenge {
            id: row.id.clone(),
            from: from.name.clone(),
            from_bot: from.bot,
            to: to.name.clone(),
            to_bot: to.bot,
            game: self.game_shown(&kept.wanted),
            clock: kept.control.to_string(),
            rated: kept.rated,
            side: kept.side.map(Into::into),
            made_ms: row.made_ms,
            until_ms: row.until_ms,
            declined: row.answer.as_deref().map(reason_of),
        }
    }

    /// Challenges from and to somebody of which no game has come.
    pub async fn challenges(&self, person: &Person) -> Result<Challenges, Refused> {
        let mut all = Challenges::default();
        let accounts = self.inner.accounts.store();
        for row in self.inner.store.offers_of(&person.guest, wall_ms()).await? {
            let own = row.person == person.guest;
            let Some(target) = row.target.clone() else {
                continue;
            };
            // What one has declined is done with.
            if !own && row.answer.is_some() {
                continue;
            }
            let other = if own { &target } else { &row.person };
            let Some(other) = accounts.account(other).await?.filter(|a| !a.deleted) else {
                continue;
            };
            let (kept, other) = (read(&row)?, person_of(&other));
            match own {
                true => all.sent.push(self.told(&row, &kept, person, &other)),
                false => all.received.push(self.told(&row, &kept, &other, person)),
            }
        }
        Ok(all)
    }

    /// A challenge to a person that is open.
    async fn received(&self, id: &str, person: &Person) -> Result<(OfferRow, Person), Refused> {
        let none = || refused(Reason::NoSuchOffer, "there is no such challenge to you");
        let row = self.inner.store.offer(id).await?;
        let row = row.filter(|r| r.target.as_ref() == Some(&person.guest));
        let row = row.ok_or_else(none)?;
        if row.game.is_some() || row.answer.is_some() || row.until_ms <= wall_ms() {
            return Err(refused(Reason::Gone, "this challenge is no longer open"));
        }
        let from = self.inner.accounts.store().account(&row.person).await?;
        let from = from.filter(|a| !a.deleted).ok_or_else(none)?;
        Ok((row, person_of(&from)))
    }

    /// Accepts a challenge: the game begins.
    pub async fn accept_challenge(&self, id: &str, person: &Person) -> Result<Paired, Refused> {
        let (row, from) = self.received(id, person).await?;
        let kept = read(&row)?;
        let terms = Terms {
            wanted: kept.wanted,
            control: kept.control,
            rated: kept.rated,
            side: kept.side,
            distance: 0,
        };
        let offers = vec![row.id.clone()];
        let paired = self.begin(&from, person, &terms, offers).await?;
        self.tell_gone(&row, None);
        Ok(paired)
    }

    /// Declines a challenge, with a reason.
    pub async fn decline(
        &self,
        id: &str,
        person: &Person,
        reason: DeclineReason,
    ) -> Result<(), Refused> {
        let (row, _) = self.received(id, person).await?;
        let word = serde_json::to_value(reason).ok();
        let word = word.and_then(|v| v.as_str().map(str::to_owned));
        let answer = word.unwrap_or_default();
        if !self.inner.store.decline_offer(id, &answer).await? {
            return Err(refused(Reason::Gone, "this challenge is no longer open"));
        }
        self.tell_gone(&row, Some(reason));
        Ok(())
    }

    /// Takes a challenge of one's own back, or has it forgotten when it was declined.
    pub async fn withdraw_challenge(&self, id: &str, person: &Person) -> Result<(), Refused> {
        let row = self.inner.store.offer(id).await?;
        let own = row.filter(|r| r.person == person.guest && r.target.is_some());
        let row = own.ok_or_else(|| refused(Reason::NoSuchOffer, "you have no such challenge"))?;
        match self.inner.store.withdraw_offer(id, &person.guest).await? {
            true => self.tell_gone(&row, None),
            false => return Err(refused(Reason::Gone, "its game has already begun")),
        }
        Ok(())
    }

    fn tell_gone(&self, row: &OfferRow, declined: Option<DeclineReason>) {
        let id = row.id.clone();
        let message = ServerMessage::ChallengeGone { id, declined };
        for person in [Some(&row.person), row.target.as_ref()]
            .into_iter()
            .flatten()
        {
            self.publish(&told_to(person), &message);
        }
    }

    /// Wants nothing to do with somebody: no challenge, no pairing.
    pub async fn block(&self, person: &Person, other: &AccountRow) -> Result<(), Refused> {
        if person.guest == other.id {
            return Err(refused(Reason::Opponent, "you cannot block yourself"));
        }
        let store = &self.inner.store;
        store.block(&person.guest, &other.id, wall_ms()).await?;
        for row in store.offers_of(&person.guest, wall_ms()).await? {
            let open = row.person == other.id && row.answer.is_none();
            if open && store.decline_offer(&row.id, "no").await? {
                self.tell_gone(&row, Some(DeclineReason::No));
            }
        }
        self.keep_apart(&person.guest, &other.id).await
    }

    /// Takes that back.
    pub async fn unblock(&self, person: &Person, other: &AccountRow) -> Result<(), Refused> {
        Ok(self.inner.store.unblock(&person.guest, &other.id).await?)
    }

    /// Names of those whom somebody has blocked.
    pub async fn blocked(&self, person: &Person) -> Result<Vec<wire::BlockedPerson>, Refused> {
        let mut names = Vec::new();
        let accounts = self.inner.accounts.store();
        for id in self.inner.store.blocked_by(&person.guest).await? {
            let account = accounts.account(&id).await?.filter(|a| !a.deleted);
            names.extend(account.map(|a| wire::BlockedPerson { name: a.name }));
        }
        Ok(names)
    }
}

fn read(row: &OfferRow) -> Result<KeptChallenge, Refused> {
    serde_json::from_str(&row.body).map_err(|e| {
        let message = format!("challenge {} in the storage is damaged: {e}", row.id);
        refused(Reason::Damaged, message)
    })
}

fn reason_of(word: &str) -> DeclineReason {
    serde_json::from_value(word.into()).unwrap_or(DeclineReason::No)
}
