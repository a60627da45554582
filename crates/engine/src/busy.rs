//! Which moves other threads are searching, so that a thread looks at what is left first and finds the others' results
//! in the transposition table afterwards (Kerrigan, Simplified ABDADA, 2016; after Weill, The ABDADA distributed
//! minimax search algorithm, 1996). Threads never wait: a note that is lost, or left, costs time alone.

use husun::Move;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

const WAYS: usize = 4;
const CLUSTERS: usize = 1024;
/// Moves are put off from this depth on; below it the notes would cost more than they save.
const DEPTH: i32 = 3;

/// The moves that are being searched, by position.
pub(crate) struct Busy {
    /// None where one thread searches alone.
    slots: Vec<[AtomicU64; WAYS]>,
}

/// A move of a position that is noted.
#[derive(Clone, Copy)]
pub(crate) struct Mark(u64);

impl Busy {
    /// For a number of threads.
    pub fn new(threads: usize) -> Busy {
        let mut slots = Vec::new();
        if threads > 1 {
            slots.resize_with(CLUSTERS, Default::default);
        }
        Busy { slots }
    }

    /// The mark of a move, if marks are kept at this depth.
    #[inline(always)]
    pub fn mark(&self, key: u64, m: Move, depth: i32) -> Option<Mark> {
        if self.slots.is_empty() || depth < defer_depth() {
            return None;
        }
        let mixed = key ^ u64::from(m.bits() | 1 << 31).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        Some(Mark(mixed))
    }

    fn cluster(&self, mark: Mark) -> &[AtomicU64; WAYS] {
        &self.slots[(mark.0 >> 32) as usize % CLUSTERS]
    }

    /// Whether a thread is searching it.
    pub fn has(&self, mark: Mark) -> bool {
        let mut slots = self.cluster(mark).iter();
        slots.any(|slot| slot.load(Relaxed) == mark.0)
    }

    /// Notes that a thread searches it from now on.
    pub fn begin(&self, mark: Mark) {
        let cluster = self.cluster(mark);
        let free = cluster.iter().find(|slot| slot.load(Relaxed) == 0);
        free.unwrap_or(&cluster[0]).store(mark.0, Relaxed);
    }

    /// Notes that it has been searched.
    pub fn end(&self, mark: Mark) {
        for slot in self.cluster(mark) {
            if slot.load(Relaxed) == mark.0 {
                slot.store(0, Relaxed);
            }
        }
    }
}

fn defer_depth() -> i32 {
    static M: std::sync::LazyLock<i32> = std::sync::LazyLock::new(|| {
        std::env::var("DD").ok().and_then(|s| s.parse().ok()).unwrap_or(DEPTH)
    });
    *M
}
