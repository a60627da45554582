//! Customs being settled: what is asked, what was answered, and the result.

use crate::Both;
use crate::customs::{Family, Method, by_die};
use husun::{Side, Variant};
use std::sync::Arc;
use std::time::Duration;

use super::Misfit;

/// A question of the customs and its state.
#[derive(Clone, Debug)]
pub struct Asked {
    /// What is chosen, such as `ranks`.
    pub name: String,
    /// The values, the default first.
    pub values: Vec<String>,
    /// What each side chose.
    pub chosen: Both<Option<String>>,
    /// What was settled.
    pub settled: Option<String>,
}

/// Customs being settled, or settled.
#[derive(Clone, Debug)]
pub struct Settling {
    family: Arc<Family>,
    questions: Vec<Asked>,
    die: Option<u8>,
    since: Duration,
}

impl Settling {
    pub(super) fn new(family: Arc<Family>) -> Settling {
        let questions = family.questions.iter().map(|q| Asked {
            name: q.name.clone(),
            values: q.values.clone(),
            chosen: Both::default(),
            settled: None,
        });
        Settling {
            questions: questions.collect(),
            family,
            die: None,
            since: Duration::ZERO,
        }
    }

    /// The games to choose from.
    pub fn family(&self) -> &Family {
        &self.family
    }

    /// The questions, in order.
    pub fn questions(&self) -> &[Asked] {
        &self.questions
    }

    /// What the die showed, if it was thrown.
    pub fn die(&self) -> Option<u8> {
        self.die
    }

    /// Since when the current question has been open.
    pub fn since(&self) -> Duration {
        self.since
    }

    pub(super) fn begin_anew(&mut self, at: Duration) {
        self.since = at;
    }

    pub(super) fn question(&self, name: &str) -> Option<&Asked> {
        self.questions.iter().find(|q| q.name == name)
    }

    /// The question that is open now.
    pub(super) fn open(&self) -> Option<&Asked> {
        self.questions.iter().find(|q| q.settled.is_none())
    }

    /// Who still has to answer a question.
    pub fn asked(&self, name: &str) -> Vec<Side> {
        let open = self.questions.iter().position(|q| q.settled.is_none());
        let Some(at) = open.filter(|&at| self.questions[at].name == name) else {
            return Vec::new();
        };
        match self.family.method {
            Method::Turns => vec![Side::ALL[at % 2]],
            Method::Die => {
                let chosen = &self.questions[at].chosen;
                let silent = |side: &Side| chosen.get(*side).is_none();
                Side::ALL.into_iter().filter(silent).collect()
            }
        }
    }

    fn question_mut(&mut self, name: &str) -> Result<&mut Asked, Misfit> {
        let question = self.questions.iter_mut().find(|q| q.name == name);
        question.ok_or_else(|| Misfit::Question(name.into()))
    }

    pub(super) fn choose(
        &mut self,
        side: Side,
        name: &str,
        value: &str,
        at: Duration,
    ) -> Result<(), Misfit> {
        let method = self.family.method;
        let question = self.question_mut(name)?;
        *question.chosen.get_mut(side) = Some(value.into());
        let settled = match method {
            Method::Turns => true,
            Method::Die => question.chosen.white == question.chosen.black,
        };
        match settled {
            true => self.settle(name, value, at),
            false => Ok(()),
        }
    }

    pub(super) fn throw(&mut self, name: &str, die: u8, at: Duration) -> Result<(), Misfit> {
        let value = by_die(&self.question_mut(name)?.values, die);
        self.die = Some(die);
        self.settle(name, &value, at)
    }

    pub(super) fn settle(&mut self, name: &str, value: &str, at: Duration) -> Result<(), Misfit> {
        self.question_mut(name)?.settled = Some(value.into());
        self.since = at;
        Ok(())
    }

    /// The game that is settled on, once all questions are.
    pub(super) fn settled(&self) -> Option<&Arc<Variant>> {
        let values = self.questions.iter().map(|q| q.settled.clone());
        let values: Vec<Option<String>> = values.collect();
        let all = values.iter().all(Option::is_some);
        self.family.variant(&values).filter(|_| all)
    }
}
