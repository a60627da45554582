//! From moves to outcomes: positions are decided in the order of their distance from the end, and whatever is never
//! decided is a draw.

use crate::error::BuildError;
use crate::men::Men;
use crate::scan::{Chunk, OPEN};
use crate::table::{DRAWN, FURTHEST, NONE, Table, decided, verdict};
use engine::Outcome;
use husun::Variant;
use std::collections::HashMap;
use std::sync::Arc;

/// What is still open of the arrangements of some men.
struct Solver {
    kept: Vec<u16>,
    /// By arrangement: moves that are not known to lose.
    left: Vec<u16>,
    /// By arrangement: the longest that the opponent needs after a move into another table.
    outside: Vec<u16>,
    /// By arrangement: where its predecessors begin.
    starts: Vec<usize>,
    befores: Vec<u32>,
    /// By distance: arrangements that may be decided there.
    due: Vec<Vec<(u32, bool)>>,
}

/// Decides all arrangements. The tables of all other men that moves lead to are there.
pub(crate) fn solve(
    variant: &Variant,
    men: &Men,
    chunks: Vec<Chunk>,
    others: &HashMap<Men, Arc<Table>>,
) -> Result<Table, BuildError> {
    let no_position = || BuildError::NoPosition {
        men: men.name(variant),
    };
    let mut solver = Solver::new(chunks, others).ok_or_else(no_position)?;
    let mut distance = 0;
    while distance < solver.due.len() {
        let d = u16::try_from(distance).ok().filter(|&d| d < FURTHEST);
        let d = d.ok_or_else(|| BuildError::Long {
            men: men.name(variant),
            most: FURTHEST,
        })?;
        for (n, won) in std::mem::take(&mut solver.due[distance]) {
            solver.decide(n as usize, won, d);
        }
        distance += 1;
    }
    for kept in &mut solver.kept {
        if *kept == OPEN {
            *kept = DRAWN;
        }
    }
    Ok(Table {
        men: men.clone(),
        kept: solver.kept,
    })
}

impl Solver {
    /// None if a move leads to an arrangement that is no position.
    fn new(chunks: Vec<Chunk>, others: &HashMap<Men, Arc<Table>>) -> Option<Solver> {
        let kept: Vec<u16> = chunks.iter().flat_map(|c| &c.kept).copied().collect();
        let mut edges = chunks.iter().flat_map(|c| &c.edges);
        if edges.any(|&to| kept[to as usize] == NONE) {
            return None;
        }
        let left: Vec<u16> = chunks.iter().flat_map(|c| &c.degrees).copied().collect();
        let (starts, befores) = predecessors(&chunks, &left);
        let all = kept.len();
        let mut solver = Solver {
            outside: vec![0; all],
            kept,
            left,
            starts,
            befores,
            due: vec![],
        };
        let mut leaves = vec![];
        for chunk in &chunks {
            for &(n, other, there) in &chunk.exits {
                let table = others.get(&chunk.others[usize::from(other)])?;
                let next = verdict(*table.kept.get(there as usize)?)?;
                let n = n as usize;
                // What does not lose is a move that will never be taken off.
                match next.outcome {
                    Outcome::Lost => {
                        solver.left[n] += 1;
                        solver.schedule(n, true, next.distance + 1);
                    }
                    Outcome::Drawn => solver.left[n] += 1,
                    Outcome::Won => {
                        solver.outside[n] = solver.outside[n].max(next.distance);
                        leaves.push(n);
                    }
                }
            }
        }
        drop(chunks);
        for n in leaves {
            // All moves lead outside, and all of them lose.
            if solver.left[n] == 0 {
                solver.schedule(n, false, solver.outside[n] + 1);
            }
        }
        for n in 0..all {
            if let Some(v) = verdict(solver.kept[n]).filter(|_| solver.kept[n] != OPEN)
                && v.outcome != Outcome::Drawn
            {
                solver.kept[n] = OPEN;
                solver.schedule(n, v.outcome == Outcome::Won, 0);
            }
        }
        Some(solver)
    }

    fn schedule(&mut self, n: usize, won: bool, distance: u16) {
        let at = usize::from(distance);
        if self.due.len() <= at {
            self.due.resize(at + 1, vec![]);
        }
        self.due[at].push((n as u32, won));
    }

    /// Decides an arrangement unless it has been decided, and tells its predecessors.
    fn decide(&mut self, n: usize, won: bool, distance: u16) {
        if self.kept[n] != OPEN {
            return;
        }
        self.kept[n] = decided(won, distance);
        for i in self.starts[n]..self.starts[n + 1] {
            let before = self.befores[i] as usize;
            if self.kept[before] != OPEN {
                continue;
            }
            if !won {
                self.schedule(before, true, distance + 1);
                continue;
            }
            self.left[before] -= 1;
            if self.left[before] == 0 {
                let longest = distance.max(self.outside[before]);
                self.schedule(before, false, longest + 1);
            }
        }
    }
}

/// For every arrangement those from which a move leads to it, one after another, and where each begins.
fn predecessors(chunks: &[Chunk], degrees: &[u16]) -> (Vec<usize>, Vec<u32>) {
    let mut starts = vec![0; degrees.len() + 1];
    for &to in chunks.iter().flat_map(|c| &c.edges) {
        starts[to as usize + 1] += 1;
    }
    for i in 1..starts.len() {
        starts[i] += starts[i - 1];
    }
    let mut next = starts.clone();
    let mut befores = vec![0; starts[degrees.len()]];
    let mut from = degrees
        .iter()
        .enumerate()
        .flat_map(|(n, &d)| std::iter::repeat_n(n as u32, d.into()));
    for &to in chunks.iter().flat_map(|c| &c.edges) {
        let place = &mut next[to as usize];
        befores[*place] = from.next().unwrap_or_default();
        *place += 1;
    }
    (starts, befores)
}
