//! Counting move paths with several threads and a table of known counts. The plain count is
//! [`Position::perft`]; the results are the same.

use crate::moves::Move;
use crate::pos::Pos;
use crate::position::Position;
use crate::set::Set;
use crate::tables::Tables;
use crate::width::at_width;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::thread;

/// How to count.
///
/// ```
/// use husun::perft::Perft;
/// # let mini = husun::Variant::parse("t.toml", husun::doctest::MINI).unwrap();
/// let counts = Perft { threads: 2, hash_mb: 1 }.divide(&mini.start(), 4);
/// let total: u64 = counts.iter().map(|c| c.1).sum();
/// assert_eq!(total, mini.start().perft(4));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Perft {
    /// Number of threads; 0 is taken as 1.
    pub threads: usize,
    /// Size of the table of known counts in mebibytes; 0 for none.
    pub hash_mb: usize,
}

impl Default for Perft {
    /// One thread and no table.
    fn default() -> Self {
        Perft {
            threads: 1,
            hash_mb: 0,
        }
    }
}

impl Perft {
    /// Number of legal move paths of a length.
    pub fn count(&self, position: &Position, depth: u32) -> u64 {
        match depth {
            0 => 1,
            _ => self.divide(position, depth).iter().map(|c| c.1).sum(),
        }
    }

    /// For every legal move, in the order of [`Position::legal_moves`], the number of legal move paths
    /// of the length that begin with it. Empty at depth 0.
    pub fn divide(&self, position: &Position, depth: u32) -> Vec<(Move, u64)> {
        at_width!(position, |t, p| self.run(t, p, depth))
    }

    fn run<S: Set>(&self, tables: &Tables<S>, pos: &Pos<S>, depth: u32) -> Vec<(Move, u64)> {
        let Some(below) = depth.checked_sub(1) else {
            return Vec::new();
        };
        let mut moves = Vec::new();
        tables.legal_moves(pos, &mut moves);
        let counts: Vec<AtomicU64> = moves.iter().map(|_| AtomicU64::new(0)).collect();
        let jobs = jobs(tables, pos, &moves, below);
        let next = AtomicUsize::new(0);
        let known = Known::new(self.hash_mb);
        let work = || {
            while let Some(job) = jobs.get(next.fetch_add(1, Relaxed)) {
                let nodes = known.perft(tables, &job.pos, job.depth);
                counts[job.root].fetch_add(nodes, Relaxed);
            }
        };
        thread::scope(|scope| {
            for _ in 1..self.threads.clamp(1, jobs.len().max(1)) {
                scope.spawn(work);
            }
            work();
        });
        let counts = counts.into_iter().map(AtomicU64::into_inner);
        moves.into_iter().zip(counts).collect()
    }
}

/// A part of the work.
struct Job<S: Set> {
    /// Number of the first move.
    root: usize,
    pos: Pos<S>,
    depth: u32,
}

/// The positions after two plies, or after one if the depth allows no more: enough for the threads to end at
/// about the same time.
fn jobs<S: Set>(tables: &Tables<S>, pos: &Pos<S>, moves: &[Move], below: u32) -> Vec<Job<S>> {
    let mut jobs = Vec::new();
    let mut replies = Vec::new();
    for (root, &m) in moves.iter().enumerate() {
        let pos = tables.play_unchecked(pos, m);
        match below.checked_sub(1) {
            None | Some(0) => jobs.push(Job {
                root,
                pos,
                depth: below,
            }),
            Some(depth) => {
                replies.clear();
                tables.legal_moves(&pos, &mut replies);
                jobs.extend(replies.iter().map(|&reply| Job {
                    root,
                    pos: tables.play_unchecked(&pos, reply),
                    depth,
                }));
            }
        }
    }
    jobs
}

/// Known counts, shared by all threads without a lock: an entry is the count and the key xored with it, so that
/// one half-written by another thread does not match.
struct Known {
    entries: Vec<[AtomicU64; 2]>,
}

impl Known {
    fn new(mib: usize) -> Known {
        let wanted = mib.saturating_mul(1 << 20) / size_of::<[AtomicU64; 2]>();
        let mut entries = Vec::new();
        // A table that memory has no room for is left out.
        if entries.try_reserve_exact(wanted).is_ok() {
            entries.resize_with(wanted, Default::default);
        }
        Known { entries }
    }

    /// The place for a position at a depth, with the mark that tells it from others.
    fn place<S: Set>(&self, pos: &Pos<S>, depth: u32) -> (&[AtomicU64; 2], u64) {
        let mark = pos.key() ^ u64::from(depth).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let place = (u128::from(mark.wrapping_mul(0xd6e8_feb8_6659_fd93))
            * self.entries.len() as u128)
            >> 64;
        (&self.entries[place as usize], mark)
    }

    fn perft<S: Set>(&self, tables: &Tables<S>, pos: &Pos<S>, depth: u32) -> u64 {
        if depth < 2 || self.entries.is_empty() {
            return tables.perft(pos, depth);
        }
        let (entry, mark) = self.place(pos, depth);
        let nodes = entry[1].load(Relaxed);
        if nodes != 0 && entry[0].load(Relaxed) ^ nodes == mark {
            return nodes;
        }
        let mut moves = Vec::with_capacity(128);
        tables.legal_moves(pos, &mut moves);
        let nodes = if depth == 2 {
            moves
                .iter()
                .map(|&m| tables.count_moves(&tables.play_unchecked(pos, m)))
                .sum()
        } else {
            moves
                .iter()
                .map(|&m| self.perft(tables, &tables.play_unchecked(pos, m), depth - 1))
                .sum()
        };
        entry[0].store(mark ^ nodes, Relaxed);
        entry[1].store(nodes, Relaxed);
        nodes
    }
}
