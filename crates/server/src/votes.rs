//! Votes: called by an account, voted in until they close, counted and declared. Ballots are secret, and nobody is told
//! how a vote stands before it closes; what is declared is stored in the commit that drops the ballots.

use crate::accounts::Accounts;
use crate::config::is_among;
use crate::directory::Directory;
use crate::leading;
use crate::lobby::wishes::games_of;
use crate::refusal::{Reason, Refused, refused};
use crate::services::{secret, wall_ms};
use crate::wire::{
    self, Candidate, CandidateCount, NewVote, OwnBallot, VoteCard, VoteNow, VotePhase,
};
use play::Games;
use play::lobby::Wanted;
use play::moderation::text;
use play::table::Person;
use play::vote::{Ballot, CANDIDATES, Declared};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;
use store::accounts::AccountRow;
use store::votes::{Marks, VoteRow, VoteStore};

/// How often it is looked which votes have closed.
const TICK: Duration = Duration::from_secs(1);
/// Votes of one account that are open, and of all.
const MOST: [u32; 2] = [3, 200];
/// Votes of a page of those that are over.
const PAST: u32 = 30;
/// Characters.
const QUESTION: [usize; 2] = [2, 120];
const TEXT: [usize; 2] = [0, 1000];
const CANDIDATE: [usize; 2] = [1, 60];
/// How far ahead a vote closes, in milliseconds.
const AHEAD_MS: [i64; 2] = [3000, 366 * 24 * 3_600_000];

/// What is voted on, as it is stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Asked {
    question: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    text: String,
    candidates: Vec<Choice>,
    #[serde(default)]
    newcomers: bool,
}

/// A candidate, as it is stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Choice {
    text: String,
    /// The stored name of a game.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    game: Option<String>,
}

/// All votes.
#[derive(Clone)]
pub struct Votes {
    inner: Arc<Inner>,
}

struct Inner {
    directory: Directory,
    accounts: Accounts,
    store: Arc<dyn VoteStore>,
    /// Names of those who may call votes; everybody with an account if missing.
    callers: Option<Vec<String>>,
}

fn none_such() -> Refused {
    refused(Reason::NoSuchVote, "there is no such vote")
}

fn closed() -> Refused {
    refused(Reason::Gone, "this vote is no longer open")
}

fn wrong(message: impl std::fmt::Display) -> Refused {
    refused(Reason::Vote, message.to_string())
}

fn read<T: for<'a> Deserialize<'a>>(row: &VoteRow, body: &str) -> Result<T, Refused> {
    serde_json::from_str(body).map_err(|error| {
        let message = format!("vote {} in the storage is damaged: {error}", row.id);
        refused(Reason::Damaged, message)
    })
}

/// A candidate as it is stored: with a game, by its name.
fn choice(games: &Games, n: usize, wished: &Candidate) -> Result<Choice, Refused> {
    let mut game = None;
    let mut words = wished.text.split_whitespace().collect::<Vec<_>>().join(" ");
    if let Some(id) = &wished.game {
        let wanted = games_of(games, std::slice::from_ref(id), &[])?;
        if let Some(Wanted::Variant(stored)) = wanted.into_iter().next() {
            if words.is_empty() {
                words = games.find(&stored).map_or(id.clone(), |v| v.name().into());
            }
            game = Some(stored);
        }
    }
    let words = text("candidate", &words, CANDIDATE)
        .map_err(|fault| wrong(format!("candidates[{n}]: {fault}")))?;
    Ok(Choice { text: words, game })
}

/// What is asked, as it is stored.
fn asked(games: &Games, wish: &NewVote, now_ms: i64) -> Result<Asked, Refused> {
    let [least, most] = CANDIDATES;
    if !(least..=most).contains(&wish.candidates.len()) {
        let found = wish.candidates.len();
        return Err(wrong(format!(
            "candidates: {found}, expected {least} to {most}"
        )));
    }
    let [soonest, latest] = AHEAD_MS;
    if !(now_ms + soonest..=now_ms + latest).contains(&wish.closes_ms) {
        let message = format!(
            "closes_ms: {}, expected milliseconds of Unix time from some seconds to a year ahead",
            wish.closes_ms
        );
        return Err(refused(Reason::Term, message));
    }
    let mut candidates = Vec::new();
    let mut known = HashSet::new();
    for (n, wished) in wish.candidates.iter().enumerate() {
        let choice = choice(games, n, wished)?;
        if !known.insert(choice.text.to_lowercase()) {
            let message = format!("candidates[{n}]: {:?} is there twice", choice.text);
            return Err(wrong(message));
        }
        candidates.push(choice);
    }
    let question = wish.question.split_whitespace().collect::<Vec<_>>();
    Ok(Asked {
        question: text("question", &question.join(" "), QUESTION).map_err(wrong)?,
        text: text("text", &wish.text, TEXT).map_err(wrong)?,
        candidates,
        newcomers: wish.newcomers,
    })
}

/// How far a vote is.
fn phase(row: &VoteRow, now_ms: i64) -> VotePhase {
    match (&row.off_ms, &row.declared) {
        (Some(_), _) => VotePhase::Off,
        (None, Some(_)) => VotePhase::Declared,
        (None, None) if row.closes_ms <= now_ms => VotePhase::Counting,
        (None, None) => VotePhase::Open,
    }
}

fn card(row: &VoteRow, now_ms: i64) -> Result<VoteCard, Refused> {
    let asked: Asked = read(row, &row.body)?;
    let mut winners = Vec::new();
    if let Some(declared) = &row.declared {
        let declared: Declared = read(row, declared)?;
        let won = declared.winners().into_iter();
        let won = won.filter_map(|n| asked.candidates.get(n));
        winners.extend(won.map(|choice| choice.text.clone()));
    }
    Ok(VoteCard {
        id: row.id.clone(),
        question: asked.question,
        phase: phase(row, now_ms),
        closes_ms: row.closes_ms,
        winners,
    })
}

/// A ballot as people mark it.
fn ballot_of(marks: Marks) -> wire::Ballot {
    let number = |n: Option<i64>| n.and_then(|n| u32::try_from(n).ok());
    wire::Ballot {
        tick: number(marks.tick),
        cross: number(marks.cross),
    }
}

/// What is declared of ballots that were read from the storage.
fn count(candidates: usize, ballots: &[(Marks, i64)]) -> Declared {
    let number = |n: Option<i64>| n.and_then(|n| usize::try_from(n).ok());
    let ballot = |marks: &Marks| Ballot {
        tick: number(marks.tick),
        cross: number(marks.cross),
    };
    let ballots = ballots.iter();
    Declared::of(
        candidates,
        ballots.map(|(marks, times)| (ballot(marks), (*times).max(0) as u64)),
    )
}

impl Votes {
    /// Votes in a storage.
    pub fn new(
        directory: Directory,
        accounts: Accounts,
        store: Arc<dyn VoteStore>,
        callers: Option<Vec<String>>,
    ) -> Votes {
        Votes {
            inner: Arc::new(Inner {
                directory,
                accounts,
                store,
                callers,
            }),
        }
    }

    /// Declares votes that have closed for as long as this node leads, whenever it does.
    pub async fn keep(self) {
        let services = self.inner.directory.services().clone();
        leading::while_leading(services, || self.declare_ever()).await;
    }

    async fn declare_ever(&self) {
        loop {
            if let Err(refused) = self.declare_all().await {
                tracing::warn!(message = %refused.message, "votes are declared later");
            }
            tokio::time::sleep(TICK).await;
        }
    }

    async fn declare_all(&self) -> Result<(), Refused> {
        let now_ms = wall_ms();
        for row in self.inner.store.votes_to_declare(now_ms).await? {
            match read::<Asked>(&row, &row.body) {
                Ok(asked) => self.declare(&row, &asked, now_ms).await?,
                Err(refused) => tracing::error!(message = %refused.message, "it is not declared"),
            }
        }
        Ok(())
    }

    async fn declare(&self, row: &VoteRow, asked: &Asked, now_ms: i64) -> Result<(), Refused> {
        let candidates = asked.candidates.len();
        let declared = move |ballots: &[(Marks, i64)]| {
            // Numbers alone: there is nothing in it that JSON cannot say.
            serde_json::to_string(&count(candidates, ballots)).unwrap_or_default()
        };
        let store = &self.inner.store;
        store.declare(&row.id, now_ms, &declared).await?;
        Ok(())
    }

    /// Whether somebody may call votes.
    fn may_call(&self, person: &Person) -> Result<(), Refused> {
        if !person.account || person.bot {
            let message = "you need an account to call a vote: sign in first";
            return Err(refused(Reason::SignIn, message));
        }
        match is_among(&self.inner.callers, &person.name) {
            true => Ok(()),
            false => {
                let message = "on this server only people named by its operator can call votes";
                Err(refused(Reason::NotYours, message))
            }
        }
    }

    /// Calls a vote.
    pub async fn call(&self, wish: &NewVote, person: &Person) -> Result<String, Refused> {
        self.may_call(person)?;
        let now_ms = wall_ms();
        let asked = asked(self.inner.directory.variants(), wish, now_ms)?;
        let row = VoteRow {
            id: secret(5),
            body: serde_json::to_string(&asked).map_err(wrong)?,
            caller: person.guest.clone(),
            made_ms: now_ms,
            closes_ms: wish.closes_ms,
            declared: None,
            off_ms: None,
        };
        match self.inner.store.call_vote(&row, MOST).await? {
            true => Ok(row.id),
            false => {
                let [of_one, of_all] = MOST;
                let message = format!(
                    "{of_one} of your votes are open, or {of_all} in all: wait until one has closed"
                );
                Err(refused(Reason::Limit, message))
            }
        }
    }

    /// What there is; of those that are over the ones from a place on.
    pub async fn list(
        &self,
        person: &Person,
        before: Option<&str>,
    ) -> Result<wire::Votes, Refused> {
        let before = match before {
            None => (i64::MAX, ""),
            Some(text) => text
                .split_once('.')
                .and_then(|(ms, id)| Some((ms.parse().ok()?, id)))
                .ok_or_else(|| {
                    let message = format!("before: {text:?}, expected the `next` of a page");
                    refused(Reason::Query, message)
                })?,
        };
        let now_ms = wall_ms();
        let open = self.inner.store.open_votes().await?;
        let past = self.inner.store.past_votes(before, PAST).await?;
        let next = past.last().filter(|_| past.len() as u32 == PAST);
        let next = next.map(|row| format!("{}.{}", row.closes_ms, row.id));
        let cards = |rows: &[VoteRow]| -> Vec<VoteCard> {
            let shown = |row| match card(row, now_ms) {
                Ok(card) => Some(card),
                Err(refused) => {
                    tracing::error!(message = %refused.message, "it is not listed");
                    None
                }
            };
            rows.iter().filter_map(shown).collect()
        };
        Ok(wire::Votes {
            open: cards(&open),
            past: cards(&past),
            next,
            may_call: self.may_call(person).is_ok(),
        })
    }

    async fn find(&self, id: &str) -> Result<(VoteRow, Asked), Refused> {
        let row = self.inner.store.vote(id).await?.ok_or_else(none_such)?;
        let asked = read(&row, &row.body)?;
        Ok((row, asked))
    }

    /// A vote as it is now, for one who may have an account.
    pub async fn look(&self, id: &str, account: Option<&AccountRow>) -> Result<VoteNow, Refused> {
        let (mut row, asked) = self.find(id).await?;
        let now_ms = wall_ms();
        if phase(&row, now_ms) == VotePhase::Counting {
            self.declare(&row, &asked, now_ms).await?;
            row = self.inner.store.vote(id).await?.ok_or_else(none_such)?;
        }
        let store = &self.inner.store;
        let declared: Option<Declared> = match &row.declared {
            Some(text) => Some(read(&row, text)?),
            None => None,
        };
        let voters = match &declared {
            Some(declared) => declared.voters,
            None => store.voters(id).await?.max(0) as u64,
        };
        let own = match account {
            Some(account) => store.ballot(id, &account.id).await?,
            None => None,
        };
        let names = self.inner.accounts.store();
        let caller = names.names_of(std::slice::from_ref(&row.caller)).await?;
        let card = card(&row, now_ms)?;
        let open = card.phase == VotePhase::Open;
        let games = self.inner.directory.variants();
        let candidates = asked.candidates.iter().map(|choice| Candidate {
            text: choice.text.clone(),
            game: choice.game.as_deref().map(|game| games.shown(game)),
        });
        Ok(VoteNow {
            candidates: candidates.collect(),
            text: asked.text.clone(),
            caller: caller.into_iter().next().map(|c| c.1).unwrap_or_default(),
            made_ms: row.made_ms,
            newcomers: asked.newcomers,
            voters,
            counts: declared.map(|declared| {
                let winners = declared.winners();
                let counts = declared.counts.iter().enumerate();
                let told = counts.map(|(n, count)| CandidateCount {
                    ticks: count.ticks,
                    crosses: count.crosses,
                    net: count.net(),
                    won: winners.contains(&n),
                });
                told.collect()
            }),
            own: own.map(ballot_of),
            may_vote: open && account.is_some_and(|a| may_vote(&row, &asked, a).is_ok()),
            may_call_off: open && account.is_some_and(|a| a.id == row.caller),
            now_ms,
            card,
        })
    }

    /// Takes a ballot, in the place of the one before.
    pub async fn cast(
        &self,
        id: &str,
        account: &AccountRow,
        ballot: wire::Ballot,
    ) -> Result<(), Refused> {
        let (row, asked) = self.find(id).await?;
        may_vote(&row, &asked, account)?;
        let number = |n: Option<u32>| n.map(|n| n as usize);
        let candidates = asked.candidates.len();
        let ballot = Ballot::new(number(ballot.tick), number(ballot.cross), candidates);
        let ballot = ballot.map_err(wrong)?;
        let marks = Marks {
            tick: ballot.tick.map(|n| n as i64),
            cross: ballot.cross.map(|n| n as i64),
        };
        let store = &self.inner.store;
        match store.cast(id, &account.id, marks, wall_ms()).await? {
            true => Ok(()),
            false => Err(closed()),
        }
    }

    /// Takes a ballot back.
    pub async fn uncast(&self, id: &str, account: &AccountRow) -> Result<(), Refused> {
        let (row, _) = self.find(id).await?;
        let now_ms = wall_ms();
        if phase(&row, now_ms) != VotePhase::Open {
            return Err(closed());
        }
        // Who has none has none afterwards, too.
        let store = &self.inner.store;
        store.uncast(id, &account.id, now_ms).await?;
        Ok(())
    }

    /// Calls a vote off, for the one who has called it.
    pub async fn call_off(&self, id: &str, account: &AccountRow) -> Result<(), Refused> {
        let (row, _) = self.find(id).await?;
        if row.caller != account.id {
            let message = "only the person who called a vote can call it off";
            return Err(refused(Reason::NotYours, message));
        }
        match self.inner.store.call_off(id, wall_ms()).await? {
            true => Ok(()),
            false => Err(closed()),
        }
    }

    /// A person's ballots that are not counted yet.
    pub async fn own_ballots(&self, account: &str) -> Result<Vec<OwnBallot>, Refused> {
        let mut own = Vec::new();
        for (row, marks) in self.inner.store.ballots_of(account).await? {
            let asked: Asked = read(&row, &row.body)?;
            let marked = |n: Option<i64>| {
                let choice = n.and_then(|n| asked.candidates.get(usize::try_from(n).ok()?));
                choice.map(|choice| choice.text.clone())
            };
            own.push(OwnBallot {
                tick: marked(marks.tick),
                cross: marked(marks.cross),
                question: asked.question.clone(),
                vote: row.id,
            });
        }
        Ok(own)
    }
}

/// Whether an account may vote, if the vote is open.
fn may_vote(row: &VoteRow, asked: &Asked, account: &AccountRow) -> Result<(), Refused> {
    match asked.newcomers || account.made_ms <= row.made_ms {
        true => Ok(()),
        false => {
            let message = "this vote is for people who had an account when it was called";
            Err(refused(Reason::NotYours, message))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wish(candidates: &[(&str, Option<&str>)]) -> NewVote {
        NewVote {
            question: "Game of the month?".into(),
            text: String::new(),
            candidates: candidates
                .iter()
                .map(|(text, game)| Candidate {
                    text: (*text).into(),
                    game: game.map(Into::into),
                })
                .collect(),
            closes_ms: 100_000,
            newcomers: false,
        }
    }

    #[test]
    fn a_vote_is_as_it_should_be_or_says_what_is_wrong() -> Result<(), Refused> {
        let games = Games::new(games::Catalogue::default());
        let good = wish(&[("", Some("strike80")), ("  Chess,  rapid ", Some("chess"))]);
        let asked_of = |wish: &NewVote| asked(&games, wish, 50_000);
        let asked = asked_of(&good)?;
        assert_eq!(asked.candidates[1].text, "Chess, rapid");
        assert!(asked.candidates[0].text.contains("Strike"), "{asked:?}");
        let many: Vec<String> = (0..21).map(|n| format!("c{n}")).collect();
        let many: Vec<(&str, Option<&str>)> = many.iter().map(|c| (&**c, None)).collect();
        let late = NewVote {
            closes_ms: 50_000 + AHEAD_MS[1] + 1,
            ..good.clone()
        };
        let soon = NewVote {
            closes_ms: 52_000,
            ..good.clone()
        };
        let short = NewVote {
            question: " ? ".into(),
            ..good
        };
        for (wish, says) in [
            (wish(&[("one", None)]), "candidates: 1, expected 2 to 20"),
            (wish(&many), "candidates: 21, expected 2 to 20"),
            (
                wish(&[("a", None), ("A", None)]),
                "candidates[1]: \"A\" is there twice",
            ),
            (
                wish(&[("a", None), (" ", None)]),
                "candidates[1]: candidate: 0 characters",
            ),
            (wish(&[("a", None), ("", Some("halma"))]), "halma"),
            (late, "closes_ms"),
            (soon, "closes_ms"),
            (short, "question: 1 character"),
        ] {
            let error = asked_of(&wish).err().map(|e| e.message).unwrap_or_default();
            assert!(error.contains(says), "{error:?} does not say {says:?}");
        }
        Ok(())
    }
}
