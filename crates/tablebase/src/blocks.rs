//! Blocks of tables that are kept decompressed: those needed last, so many at most, for all threads.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};
use std::sync::{PoisonError, RwLock};

/// A block: the number of its table, and its number there.
pub(crate) type Place = (u32, u32);

/// The blocks that are kept.
pub(crate) struct Blocks {
    kept: RwLock<Kept>,
    most: usize,
    tables: AtomicU32,
}

#[derive(Default)]
struct Kept {
    /// Where in `all` a block is.
    at: HashMap<Place, usize>,
    all: Vec<Block>,
    /// The next that is looked at when one must go.
    hand: usize,
}

struct Block {
    place: Place,
    /// Whether it was needed since it was last looked at.
    needed: AtomicBool,
    numbers: Vec<u16>,
}

impl Blocks {
    /// Room for so many blocks, at least one.
    pub fn new(most: usize) -> Blocks {
        Blocks {
            kept: RwLock::default(),
            most: most.max(1),
            tables: AtomicU32::new(0),
        }
    }

    /// A number for another table.
    pub fn table(&self) -> u32 {
        self.tables.fetch_add(1, Relaxed)
    }

    /// A number of a block, if the block is kept.
    pub fn get(&self, place: Place, n: usize) -> Option<u16> {
        let kept = self.kept.read().unwrap_or_else(PoisonError::into_inner);
        let block = &kept.all[*kept.at.get(&place)?];
        if !block.needed.load(Relaxed) {
            block.needed.store(true, Relaxed);
        }
        block.numbers.get(n).copied()
    }

    /// Keeps a block. Where there is no room one goes that was not needed for a while.
    pub fn keep(&self, place: Place, numbers: Vec<u16>) {
        let mut kept = self.kept.write().unwrap_or_else(PoisonError::into_inner);
        let kept = &mut *kept;
        if kept.at.contains_key(&place) {
            return;
        }
        let block = Block {
            place,
            needed: AtomicBool::new(false),
            numbers,
        };
        if kept.all.len() < self.most {
            kept.at.insert(place, kept.all.len());
            kept.all.push(block);
            return;
        }
        while kept.all[kept.hand].needed.swap(false, Relaxed) {
            kept.hand = (kept.hand + 1) % kept.all.len();
        }
        kept.at.remove(&kept.all[kept.hand].place);
        kept.at.insert(place, kept.hand);
        kept.all[kept.hand] = block;
        kept.hand = (kept.hand + 1) % kept.all.len();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_are_kept_as_may_be_and_what_is_needed_stays() {
        let blocks = Blocks::new(3);
        for n in 0..3 {
            blocks.keep((7, n), vec![n as u16, 10]);
        }
        assert_eq!(blocks.get((7, 0), 0), Some(0));
        assert_eq!(blocks.get((7, 2), 0), Some(2));
        assert_eq!(blocks.get((7, 2), 2), None);
        blocks.keep((8, 0), vec![8, 10]);
        let there = |place| blocks.get(place, 1).is_some();
        assert!(there((7, 0)) && there((7, 2)) && there((8, 0)));
        assert!(!there((7, 1)));
        for n in 0..1000 {
            blocks.keep((9, n), vec![0]);
            let kept = blocks.kept.read().unwrap_or_else(PoisonError::into_inner);
            assert_eq!((kept.all.len(), kept.at.len()), (3, 3));
        }
        // A block that came a second time, from another thread, is one.
        blocks.keep((9, 999), vec![1]);
        assert_eq!(blocks.get((9, 999), 0), Some(0));
    }
}
