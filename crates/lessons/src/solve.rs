//! Finds how few moves a task takes, by trying all of them: for tests, and for those who write lessons.

use crate::attempt::{ACCEPT, Progress};
use crate::task::Task;
use std::collections::HashSet;

/// States of an attempt that are looked at, at most.
pub const MOST_POSITIONS: usize = 400_000;

/// The shortest line of moves that does a task, and how many states of it were looked at; no line if none does it within the
/// moves that an attempt may have, or if there are too many states.
pub fn fewest(task: &Task) -> (Option<Vec<String>>, usize) {
    let mut seen = HashSet::new();
    let start = task.attempt();
    seen.insert(start.state());
    let mut front = vec![start];
    for _ in 0..task.within {
        let mut next = Vec::new();
        for attempt in &front {
            let mut moves = attempt.legal();
            if attempt.can_accept() {
                moves.push(ACCEPT.into());
            }
            for text in moves {
                let mut after = attempt.clone();
                if after.play(&text).is_err() {
                    continue;
                }
                match after.progress() {
                    Progress::Done => return (Some(after.moves().to_vec()), seen.len()),
                    Progress::Failed(_) => continue,
                    Progress::GoingOn => {}
                }
                if seen.insert(after.state()) {
                    next.push(after);
                }
                if seen.len() >= MOST_POSITIONS {
                    return (None, seen.len());
                }
            }
        }
        front = next;
    }
    (None, seen.len())
}
