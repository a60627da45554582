//! On which subjects something was lost, or may have been: those who listen to them are told.

use async_nats::Subject;
use std::collections::BTreeSet;
use tokio::sync::oneshot;

/// Subjects that are known one by one to have lost something. If it is more, all are told.
const SUBJECTS: usize = 4096;

/// Subjects on which something was lost.
#[derive(Debug, Default)]
pub struct Lost {
    pub subjects: BTreeSet<Subject>,
    /// More than are kept.
    pub all: bool,
}

impl Lost {
    pub fn add(&mut self, subject: Subject) {
        if self.subjects.len() < SUBJECTS {
            self.subjects.insert(subject);
        } else {
            self.all = self.all || !self.subjects.contains(&subject);
        }
    }

    pub fn add_all(&mut self, other: Lost) {
        self.all |= other.all;
        for subject in other.subjects {
            self.add(subject);
        }
    }

    pub fn is_empty(&self) -> bool {
        self.subjects.is_empty() && !self.all
    }
}

/// On which subjects something was sent that may not have arrived, should the connection break.
#[derive(Debug, Default)]
pub struct Sent {
    pub generation: u64,
    pub fresh: Lost,
    /// Before the last round trip.
    aging: Lost,
    /// The last round trip's end.
    pub answered: Option<oneshot::Receiver<()>>,
}

impl Sent {
    /// A round trip begins: what was sent before the last one has arrived if that has ended.
    pub fn trip(&mut self) {
        let arrived = self.answered.take();
        if arrived.is_some_and(|mut told| told.try_recv().is_ok()) {
            self.aging = Lost::default();
        }
        let fresh = std::mem::take(&mut self.fresh);
        self.aging.add_all(fresh);
    }

    /// The connection has gone.
    pub fn gone(&mut self, generation: u64) -> Lost {
        let mut lost = std::mem::take(self);
        self.generation = generation;
        lost.fresh.add_all(lost.aging);
        lost.fresh
    }
}
