//! What must hold, watched from outside: by what was asked and answered, not by the rules that are under test.

use super::{Broken, Question, State, World};
use crate::tests::model::rules::{Answer, Ask};
use crate::tests::nodes::lease_ms;
use std::collections::HashSet;

impl World {
    fn lease(&self, boot: i64) -> i64 {
        self.leases.get(&boot).copied().unwrap_or_default()
    }

    pub(super) fn watch(&mut self, ask: &Ask, answer: &Answer, former: i64) -> Result<(), Broken> {
        let until = self.time + lease_ms();
        match (ask, answer) {
            (Ask::Arrive { name }, Answer::Boot(boot)) => {
                // The lives before, as their node knows.
                let nodes = &self.database.nodes;
                let before: Vec<i64> = nodes
                    .iter()
                    .filter(|(other, node)| node.name == *name && *other != boot)
                    .map(|(other, _)| *other)
                    .collect();
                for other in before {
                    let time = self.time;
                    let lease = self.leases.entry(other).or_default();
                    *lease = (*lease).min(time);
                }
                self.leases.insert(*boot, until);
            }
            (Ask::Beat { boot }, Answer::Alive(_)) => {
                if self.lease(*boot) <= self.time {
                    return Err(format!("the lease of {boot} has come back"));
                }
                self.leases.insert(*boot, until);
            }
            (Ask::Leave { boot }, _) | (Ask::Expire { boot, .. }, Answer::Done(true)) => {
                let time = self.time;
                let lease = self.leases.entry(*boot).or_default();
                *lease = (*lease).min(time);
            }
            (Ask::Claim { game, boot }, Answer::Yours(epoch)) => {
                if former != *boot && self.lease(former) > self.time {
                    return Err(format!("{boot} takes game {game} from {former}, who lives"));
                }
                if former != *boot && former != 0 {
                    self.story.taken_over += 1;
                }
                self.give(*game, *epoch, *boot)?;
            }
            (Ask::Release { game, epoch, .. }, Answer::Done(true)) => {
                self.give(*game, epoch + 1, 0)?;
            }
            (
                Ask::HandOver {
                    game, epoch, to, ..
                },
                Answer::Done(true),
            ) => self.give(*game, epoch + 1, *to)?,
            _ => {}
        }
        Ok(())
    }

    fn give(&mut self, game: usize, epoch: i64, boot: i64) -> Result<(), Broken> {
        let given = &mut self.given[game];
        if let Some((last, owner)) = given.last_key_value()
            && *last >= epoch
        {
            let owner = *owner;
            return Err(format!(
                "game {game}: epoch {epoch} is given to {boot} after {last} to {owner}"
            ));
        }
        given.insert(epoch, boot);
        Ok(())
    }

    /// A write that is let in: its node lives.
    pub(super) fn watch_write(&self, question: &Question) -> Result<(), Broken> {
        if let Ask::Append { boot, game, .. } = question.ask
            && self.lease(boot) <= self.time
        {
            return Err(format!("{boot} writes to game {game} after its lease"));
        }
        Ok(())
    }

    /// A write that becomes visible: its node has the game, and has read all that is there.
    pub(super) fn watch_commit(&self, question: &Question) -> Result<(), Broken> {
        let Ask::Append {
            game,
            boot,
            epoch,
            seq,
            token,
        } = question.ask
        else {
            return Ok(());
        };
        if self.database.games[game].log.get(&seq) == Some(&(epoch, token)) {
            // It was asked for twice, and is there.
            return Ok(());
        }
        let last = self.given[game].last_key_value();
        if last != Some((&epoch, &boot)) {
            return Err(format!(
                "two writers of game {game}: {boot} with epoch {epoch}, and {last:?}"
            ));
        }
        let log = self.database.games[game].log.values();
        let log: Vec<u64> = log.map(|(_, token)| *token).collect();
        if log != question.believes {
            return Err(format!(
                "{boot} writes to game {game} and has not read it: {:?} is not {log:?}",
                question.believes
            ));
        }
        Ok(())
    }

    pub(super) fn is_there(&self, game: usize, token: u64) -> Result<(), Broken> {
        let log = self.database.games[game].log.values();
        match log.filter(|(_, other)| *other == token).count() {
            1 => Ok(()),
            n => Err(format!(
                "event {token} of game {game} is acknowledged and {n} times there"
            )),
        }
    }

    pub(super) fn acknowledged_in(&self, game: usize) -> usize {
        self.acknowledged.iter().filter(|(g, _)| *g == game).count()
    }

    pub(super) fn all_acknowledged_are_there(&self) -> Result<(), Broken> {
        let mut seen = HashSet::new();
        for (game, token) in &self.acknowledged {
            self.is_there(*game, *token)?;
            if !seen.insert(token) {
                return Err(format!("event {token} is acknowledged twice"));
            }
        }
        Ok(())
    }

    /// Every game has an owner that runs and knows its lease.
    pub(super) fn all_are_owned(&self) -> Result<(), Broken> {
        for (game, row) in self.database.games.iter().enumerate() {
            let owner = self
                .nodes
                .iter()
                .find(|node| node.boot == row.owner && node.state == State::Runs);
            if row.owner == 0 || owner.is_none() {
                return Err(format!(
                    "game {game} is nobody's who runs: {} at {}",
                    row.owner, self.time
                ));
            }
        }
        Ok(())
    }
}
