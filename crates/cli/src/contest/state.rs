//! The state of a match so far, in a file from which a later run continues: first what the match is, then a line of
//! JSON for every finished game.

use super::play::Misdeed;
use super::stats::Tally;
use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;

/// What a match is. A run of another match does not continue from the file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Heading {
    pub game: String,
    pub start: String,
    pub engines: [String; 2],
    pub control: String,
    pub openings: String,
    pub terms: String,
}

/// One of the two engines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Which {
    First,
    Second,
}

/// A game.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FinishedGame {
    /// Its number, from 0. Games 2n and 2n + 1 share an opening; the first engine is White in 2n.
    pub number: u32,
    /// Half-points of the first engine.
    pub half_points: u8,
    pub reason: String,
    pub plies: usize,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub misdeed: Option<(Which, Misdeed, String)>,
}

/// All games so far.
#[derive(Default)]
pub struct State {
    pub finished: BTreeMap<u32, FinishedGame>,
    file: Option<File>,
}

impl State {
    /// Continues from a file, or begins one. Without a path nothing is kept.
    pub fn open(path: Option<&Path>, heading: &Heading) -> Result<State> {
        let Some(path) = path else {
            return Ok(State::default());
        };
        let name = path.display();
        let mut finished = BTreeMap::new();
        let mut whole = 0;
        if path.exists() {
            let file = File::open(path).with_context(|| format!("{name}: cannot read"))?;
            let mut file = BufReader::new(file);
            let mut text = String::new();
            while file.read_line(&mut text)? > 0 && text.ends_with('\n') {
                if whole == 0 {
                    let found: Heading = serde_json::from_str(&text)
                        .with_context(|| format!("{name}: line 1 is not the heading of a match"))?;
                    ensure!(
                        found == *heading,
                        "{name}: holds another match ({} against {} in {}, {}): \
                         give another file or the same arguments",
                        found.engines[0],
                        found.engines[1],
                        found.game,
                        found.control
                    );
                } else {
                    let game: FinishedGame = serde_json::from_str(&text)
                        .with_context(|| format!("{name}: cannot read a game"))?;
                    finished.insert(game.number, game);
                }
                whole += text.len() as u64;
                text.clear();
            }
        }
        let file = OpenOptions::new().create(true).append(true).open(path);
        let mut file = file.with_context(|| format!("{name}: cannot write"))?;
        // A line cut off by the interruption is written anew.
        file.set_len(whole)?;
        if whole == 0 {
            writeln!(file, "{}", serde_json::to_string(heading)?)?;
        }
        Ok(State {
            finished,
            file: Some(file),
        })
    }

    /// Adds a game.
    pub fn add(&mut self, game: FinishedGame) -> Result<()> {
        if let Some(file) = &mut self.file {
            writeln!(file, "{}", serde_json::to_string(&game)?)?;
            file.flush()?;
        }
        self.finished.insert(game.number, game);
        Ok(())
    }

    pub fn tally(&self) -> Tally {
        let mut tally = Tally::default();
        for game in self.finished.values() {
            match game.half_points {
                0 => tally.losses += 1,
                1 => tally.draws += 1,
                _ => tally.wins += 1,
            }
            let even = game.number.is_multiple_of(2);
            if let Some(other) = self.finished.get(&(game.number + 1)).filter(|_| even) {
                let both = usize::from(game.half_points + other.half_points);
                tally.pairs[both.min(4)] += 1;
            }
        }
        tally
    }

    /// How often an engine did something that it must not do.
    pub fn misdeeds(&self, which: Which, kind: Misdeed) -> usize {
        let all = self
            .finished
            .values()
            .filter_map(|game| game.misdeed.as_ref());
        all.filter(|(w, k, _)| *w == which && *k == kind).count()
    }

    /// How often games ended in each way, the most frequent first, not counting misdeeds.
    pub fn endings(&self) -> Vec<(String, usize)> {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for game in self.finished.values().filter(|game| game.misdeed.is_none()) {
            *counts.entry(&game.reason).or_default() += 1;
        }
        let mut all: Vec<_> = counts.into_iter().map(|(r, n)| (r.to_owned(), n)).collect();
        all.sort_by_key(|(_, n)| std::cmp::Reverse(*n));
        all
    }
}
