//! Places that a few have at once for what takes long, and nobody more than one of them.

use crate::refusal::{Reason, Refused, refused};
use std::collections::HashSet;
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Places for what takes long.
#[derive(Clone, Debug)]
pub struct Places<W> {
    all: Arc<Semaphore>,
    held: Arc<Mutex<HashSet<W>>>,
}

/// A place, which is given back when this is dropped.
#[derive(Debug)]
pub struct Place<W: Eq + Hash> {
    who: W,
    held: Arc<Mutex<HashSet<W>>>,
    _permit: OwnedSemaphorePermit,
}

impl<W: Clone + Eq + Hash> Places<W> {
    /// So many places.
    pub fn new(places: usize) -> Places<W> {
        Places {
            all: Arc::new(Semaphore::new(places)),
            held: Arc::default(),
        }
    }

    /// A place for somebody; refused if all are taken, or one is held already. `what` is what they are for.
    pub fn take(&self, who: W, what: &str) -> Result<Place<W>, Refused> {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        if held.contains(&who) {
            let message = format!(
                "{what} goes on for you or your network already; try again when it is done"
            );
            return Err(refused(Reason::Limit, message));
        }
        let Ok(permit) = self.all.clone().try_acquire_owned() else {
            let message = format!("others are {what} at the moment; try again in a minute");
            return Err(refused(Reason::Busy, message));
        };
        held.insert(who.clone());
        Ok(Place {
            who,
            held: self.held.clone(),
            _permit: permit,
        })
    }
}

impl<W: Eq + Hash> Drop for Place<W> {
    fn drop(&mut self) {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        held.remove(&self.who);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_has_two() {
        let places = Places::new(2);
        let code = |taken: Result<Place<&str>, Refused>| taken.err().map(|e| e.reason.code());
        let ann = places.take("Ann", "saving games");
        assert!(ann.is_ok());
        assert_eq!(code(places.take("Ann", "saving games")), Some("limit"));
        let bob = places.take("Bob", "saving games");
        assert!(bob.is_ok());
        assert_eq!(code(places.take("Cid", "saving games")), Some("busy"));
        drop(ann);
        assert_eq!(code(places.take("Cid", "saving games")), None);
        assert_eq!(code(places.take("Ann", "saving games")), None);
    }
}
