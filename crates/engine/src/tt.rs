//! The transposition table, shared by all threads without locks: every entry is two words, and the
//! first is stored mixed with the second, so that halves of two writes never match a key
//! (Hyatt and Mann, A lock-less transposition table, 2002).

use crate::memory;
use crate::score::{NONE, from_table, to_table};
use crate::search::Window;
use husun::PackedMove;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering::Relaxed};

const WAYS: usize = 4;

/// What a score is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bound {
    /// Nothing: the entry holds only a static evaluation.
    None,
    /// The true score is at most this.
    Upper,
    /// The true score is at least this.
    Lower,
    /// This is the true score.
    Exact,
}

const BOUNDS: [Bound; 4] = [Bound::None, Bound::Upper, Bound::Lower, Bound::Exact];

/// What is known of a position. Mates are counted from the root of the search, as everywhere in the search; only the
/// table counts them from the position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub m: Option<PackedMove>,
    pub score: i32,
    pub eval: i32,
    pub depth: i32,
    pub bound: Bound,
    pub pv: bool,
}

impl Entry {
    fn pack(self) -> u64 {
        // 29 bits of move, 16 of score, 16 of evaluation, 2 of bound, 1 of principal variation.
        let m = self.m.map_or(0, |m| u64::from(m.bits()) & MOVE);
        m | u64::from(self.score as i16 as u16) << 29
            | u64::from(self.eval as i16 as u16) << 45
            | (self.bound as u64) << 61
            | u64::from(self.pv) << 63
    }

    fn unpack(word: u64, depth: u8) -> Entry {
        let bits = (word & MOVE) as u32;
        Entry {
            m: (bits != 0).then(|| PackedMove::from_bits(bits)),
            score: i32::from((word >> 29) as u16 as i16),
            eval: i32::from((word >> 45) as u16 as i16),
            depth: i32::from(depth),
            bound: BOUNDS[(word >> 61) as usize & 3],
            pv: word >> 63 != 0,
        }
    }
}

const MOVE: u64 = (1 << PackedMove::BITS) - 1;
/// Bits of the key that an entry keeps; the others choose its place.
const KEY: u64 = (1 << 48) - 1;

#[repr(align(64))]
#[derive(Default)]
struct Cluster([[AtomicU64; 2]; WAYS]);

/// The table.
pub(crate) struct Table {
    clusters: Vec<Cluster>,
    age: AtomicU8,
}

impl Table {
    /// A table of about `mebibytes` mebibytes, at least one.
    pub fn new(mebibytes: usize) -> Table {
        let n = (mebibytes.max(1) << 20) / size_of::<Cluster>();
        let mut clusters = Vec::with_capacity(n);
        memory::in_large_pages(clusters.spare_capacity_mut());
        clusters.resize_with(n, Cluster::default);
        Table {
            clusters,
            age: AtomicU8::new(0),
        }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        for cluster in &mut self.clusters {
            *cluster = Cluster::default();
        }
        self.age.store(0, Relaxed);
    }

    /// From now on, entries of earlier searches give way to new ones.
    pub fn next_search(&self) {
        self.age
            .store(self.age.load(Relaxed).wrapping_add(1), Relaxed);
    }

    #[inline(always)]
    fn cluster(&self, key: u64) -> &Cluster {
        let i = (u128::from(key) * self.clusters.len() as u128) >> 64;
        &self.clusters[i as usize]
    }

    /// Begins to fetch what is known of the position with the key, which will be asked for soon.
    #[inline(always)]
    pub fn prefetch(&self, key: u64) {
        memory::prefetch(self.cluster(key));
    }

    /// What is known of the position with the key, at this ply.
    #[inline]
    pub fn get(&self, key: u64, ply: usize) -> Option<Entry> {
        for [first, second] in &self.cluster(key).0 {
            let data = second.load(Relaxed);
            let head = first.load(Relaxed) ^ data;
            if (head ^ key) & KEY == 0 && data != 0 {
                let mut entry = Entry::unpack(data, (head >> 48) as u8);
                if entry.bound != Bound::None {
                    entry.score = from_table(entry.score, ply);
                }
                return Some(entry);
            }
        }
        None
    }

    /// Stores what is known of a position at a ply; keeps an old move if the new entry has none, and an entry
    /// of greater depth for the same position.
    #[inline]
    pub fn put(&self, key: u64, ply: usize, mut entry: Entry) {
        if entry.bound != Bound::None {
            entry.score = to_table(entry.score, ply);
        }
        let age = self.age.load(Relaxed);
        let mut slot = None;
        let mut worst = i32::MAX;
        for [first, second] in &self.cluster(key).0 {
            let data = second.load(Relaxed);
            let head = first.load(Relaxed) ^ data;
            let depth = (head >> 48) as u8;
            let old = (head >> 56) as u8;
            if (head ^ key) & KEY == 0 && data != 0 {
                let known = Entry::unpack(data, depth);
                entry.m = entry.m.or(known.m);
                let keep = entry.bound != Bound::Exact
                    && old == age
                    && entry.depth + 4 + 2 * i32::from(entry.pv) <= known.depth;
                if keep {
                    return;
                }
                slot = Some((first, second));
                break;
            }
            let worth = if data == 0 {
                i32::MIN
            } else {
                i32::from(depth) - 8 * i32::from(age.wrapping_sub(old))
            };
            if worth < worst {
                worst = worth;
                slot = Some((first, second));
            }
        }
        if let Some((first, second)) = slot {
            let data = entry.pack();
            let depth = entry.depth.clamp(0, 255) as u64;
            let head = (key & KEY) | depth << 48 | u64::from(age) << 56;
            second.store(data, Relaxed);
            first.store(head ^ data, Relaxed);
        }
    }

    /// Thousandths of the table that this search has filled, from a sample.
    pub fn full(&self) -> u32 {
        let age = self.age.load(Relaxed);
        let sample = self.clusters.len().min(250);
        let mut n = 0;
        for cluster in &self.clusters[..sample] {
            for [first, second] in &cluster.0 {
                let data = second.load(Relaxed);
                let head = first.load(Relaxed) ^ data;
                n += u32::from(data != 0 && (head >> 56) as u8 == age);
            }
        }
        n * 1000 / (sample * WAYS) as u32
    }
}

impl Entry {
    /// An entry that holds only a static evaluation.
    pub fn of_eval(eval: i32, pv: bool) -> Entry {
        Entry {
            m: None,
            score: NONE,
            eval,
            depth: 0,
            bound: Bound::None,
            pv,
        }
    }

    /// The score, if it decides a search with this window; whether the entry is deep enough is for the caller to
    /// check.
    #[inline(always)]
    pub fn cuts(&self, window: Window) -> Option<i32> {
        let cuts = match self.bound {
            Bound::Exact => true,
            Bound::Lower => self.score >= window.beta,
            Bound::Upper => self.score <= window.alpha,
            Bound::None => false,
        };
        cuts.then_some(self.score)
    }

    /// A static evaluation of the position, or the score if that says more.
    #[inline(always)]
    pub fn sharpen(&self, eval: i32) -> i32 {
        let better = match self.bound {
            Bound::Exact => true,
            Bound::Lower => self.score > eval,
            Bound::Upper => self.score < eval,
            Bound::None => false,
        };
        if better { self.score } else { eval }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_what_it_is_given() {
        let table = Table::new(1);
        let entry = Entry {
            m: Some(PackedMove::from_bits(0x0123_4567)),
            score: -31_000,
            eval: 123,
            depth: 17,
            bound: Bound::Lower,
            pv: true,
        };
        let key = 0x0123_4567_89ab_cdef;
        table.put(key, 3, entry);
        assert_eq!(table.get(key, 3), Some(entry));
        assert_eq!(table.get(key ^ 1, 3), None);
        // Lost in as many plies from the position, which now stands two plies further from the root.
        let later = table.get(key, 5).map(|e| e.score);
        assert_eq!(later, Some(entry.score + 2));
        let known = Entry::of_eval(-7, false);
        table.put(key ^ (1 << 20), 200, known);
        assert_eq!(table.get(key ^ (1 << 20), 0), Some(known));
    }

    #[test]
    fn bounds_cut_and_sharpen() {
        let window = Window::new(10, 20);
        for (bound, score, cuts, sharpened) in [
            (Bound::Exact, 15, true, 15),
            (Bound::Lower, 20, true, 20),
            (Bound::Lower, 19, false, 19),
            (Bound::Lower, 9, false, 12),
            (Bound::Upper, 10, true, 10),
            (Bound::Upper, 11, false, 11),
            (Bound::Upper, 25, false, 12),
            (Bound::None, 15, false, 12),
        ] {
            let entry = Entry {
                score,
                bound,
                ..Entry::of_eval(12, false)
            };
            let here = format!("{bound:?} {score}");
            assert_eq!(entry.cuts(window), cuts.then_some(score), "{here}");
            assert_eq!(entry.sharpen(12), sharpened, "{here}");
        }
    }
}
