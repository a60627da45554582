//! A slow twin of whole tables: it knows nothing of their numbers, their order or how they are made.

use super::Result;
use husun::variant::StateFlag;
use husun::{Position, Side, Square, Status, Variant};
use husun_tablebase::{Counts, Men, Outcome, Tablebase, Verdict};
use std::collections::HashMap;
use std::sync::Arc;

/// Every position that can be reached from some, each with its moves, found by the rules' keys.
pub struct Twin {
    variant: Arc<Variant>,
    /// Millions of positions themselves would take gigabytes.
    texts: Vec<String>,
    /// By position: what moves lead to; none if the game is over there.
    moves: Vec<Option<Vec<u32>>>,
    known: Vec<Option<Verdict>>,
    /// By position: whether its side may accept a draw instead of moving.
    accepts: Vec<bool>,
}

impl Twin {
    pub fn new(variant: &Arc<Variant>, from: Vec<Position>) -> Result<Twin> {
        let mut numbers = HashMap::new();
        let (mut texts, mut moves, mut known, mut accepts) = (vec![], vec![], vec![], vec![]);
        let mut number = |position: &Position, texts: &mut Vec<String>| {
            *numbers.entry(position.key()).or_insert_with(|| {
                texts.push(position.fen());
                texts.len() as u32 - 1
            })
        };
        for position in &from {
            number(position, &mut texts);
        }
        drop(from);
        while moves.len() < texts.len() {
            let position = variant.position(&texts[moves.len()])?;
            let status = position.status();
            // Clocks are no part of a table, and none of these games has a move rule so short.
            assert_ne!(status, Status::MoveRule);
            let may = position.can_accept() && !position.in_check();
            accepts.push(may && position.winner(Status::Stalemate).is_none());
            if status == Status::Ongoing {
                let next = position.legal_moves().into_iter();
                let next = next.map(|m| number(&position.play_unchecked(m), &mut texts));
                moves.push(Some(next.collect()));
                known.push(None);
            } else {
                moves.push(None);
                let outcome = match position.winner(status) {
                    None => Outcome::Drawn,
                    Some(side) if side == position.turn() => Outcome::Won,
                    Some(_) => Outcome::Lost,
                };
                let distance = 0;
                known.push(Some(Verdict { outcome, distance }));
            }
        }
        let mut twin = Twin {
            variant: variant.clone(),
            texts,
            moves,
            known,
            accepts,
        };
        twin.settle();
        Ok(twin)
    }

    /// Looks at everything that is open again and again, with one half-move more each time, until nothing is found.
    fn settle(&mut self) {
        for distance in 1.. {
            let mut new = vec![];
            for (n, moves) in self.moves.iter().enumerate() {
                let Some(moves) = moves.as_ref().filter(|_| self.known[n].is_none()) else {
                    continue;
                };
                let next = || moves.iter().map(|&m| self.known[m as usize]);
                let is = |v: Option<Verdict>, outcome| v.is_some_and(|v| v.outcome == outcome);
                let outcome = if next().any(|v| is(v, Outcome::Lost)) {
                    Outcome::Won
                } else if !self.accepts[n] && next().all(|v| is(v, Outcome::Won)) {
                    Outcome::Lost
                } else {
                    continue;
                };
                new.push((n, Verdict { outcome, distance }));
            }
            if new.is_empty() {
                return;
            }
            for (n, verdict) in new {
                self.known[n] = Some(verdict);
            }
        }
    }

    /// How many positions are drawn because their side may accept it.
    pub fn accepted(&self) -> usize {
        let lost = |n: &usize| {
            let won = |m: &u32| self.known[*m as usize].map(|v| v.outcome) == Some(Outcome::Won);
            self.accepts[*n] && self.moves[*n].iter().flatten().all(won)
        };
        (0..self.moves.len()).filter(lost).count()
    }

    /// Every position of the twin has in the tables what it has here, and the tables of all men that it has seen
    /// have no other. Says how many tables these are.
    pub fn equals(&self, tables: &Tablebase) -> Result<usize> {
        let mut seen: HashMap<Men, [Counts; 2]> = HashMap::new();
        let drawn = Verdict {
            outcome: Outcome::Drawn,
            distance: 0,
        };
        for (text, known) in self.texts.iter().zip(&self.known) {
            let position = self.variant.position(text)?;
            let expected = known.unwrap_or(drawn);
            assert_eq!(tables.probe(&position)?, expected, "{text}");
            // Such a position has no entry of its own.
            if !position.setup().en_passant.is_empty() {
                continue;
            }
            let setup = position.setup();
            let board = setup.board.into_iter().flatten().collect();
            let men = Men::new(board).in_state(setup.state);
            let counts = seen.entry(men).or_default();
            let counts = &mut counts[position.turn().index()];
            match expected.outcome {
                Outcome::Won => {
                    counts.won += 1;
                    counts.longest = counts.longest.max(expected.distance);
                }
                Outcome::Drawn => counts.drawn += 1,
                Outcome::Lost => counts.lost += 1,
            }
        }
        for (men, counts) in &seen {
            let table = tables.table(men)?;
            for side in Side::ALL {
                let name = men.name(&self.variant);
                assert_eq!(table.counts(side), counts[side.index()], "{name} {side:?}");
            }
        }
        Ok(seen.len())
    }
}

/// All positions of some men, from texts.
pub fn positions(variant: &Arc<Variant>, letters: &str) -> Vec<Position> {
    let frame = variant.frame();
    let squares: Vec<Square> = frame.squares().collect();
    let mut boards: Vec<Vec<(Square, char)>> = vec![vec![]];
    for letter in letters.chars() {
        let with = |board: Vec<(Square, char)>| {
            let free = squares.clone().into_iter();
            let taken: Vec<Square> = board.iter().map(|man| man.0).collect();
            let free = free.filter(move |square| !taken.contains(square));
            free.map(move |square| [&board[..], &[(square, letter)]].concat())
        };
        boards = boards.into_iter().flat_map(with).collect();
    }
    let states = states(variant);
    let mut all = vec![];
    for board in &boards {
        let ranks = (0..i32::from(frame.ranks())).rev().map(|rank| {
            let on = |file| match frame.at(file, rank) {
                None => '*',
                Some(at) => board.iter().find(|m| m.0 == at).map_or('1', |m| m.1),
            };
            (0..i32::from(frame.files())).map(on).collect::<String>()
        });
        let text = ranks.collect::<Vec<_>>().join("/");
        let text = joined(&text);
        for state in &states {
            for turn in ['w', 'b'] {
                all.extend(variant.position(&format!("{text} {turn} - -{state} 0 1")));
            }
        }
    }
    all
}

/// All texts of the state field without prisoners, with a space before each; one that is empty if the game has no such field.
fn states(variant: &Variant) -> Vec<String> {
    let flags = variant.state_flags().iter();
    let flags = flags.filter(|f| !matches!(f.1, StateFlag::InPrison(..)));
    let letters: Vec<char> = flags.map(|f| f.0).collect();
    let texts = (0..1 << letters.len()).map(|set: u32| {
        let chosen = letters.iter().enumerate();
        let chosen = chosen.filter(|(i, _)| set >> i & 1 != 0);
        chosen.map(|(_, letter)| letter).collect::<String>()
    });
    let written = |text: String| match (variant.state_flags().is_empty(), text.is_empty()) {
        (true, _) => String::new(),
        (false, true) => " -".into(),
        (false, false) => format!(" {text}"),
    };
    texts.map(written).collect()
}

/// Runs of empty squares as one number, which position text wants.
fn joined(text: &str) -> String {
    let mut out = String::new();
    let mut run = 0;
    for c in text.chars().chain(['\n']) {
        if c == '1' {
            run += 1;
            continue;
        }
        if run > 0 {
            out += &run.to_string();
        }
        run = 0;
        out.push(c);
    }
    out.trim_end().into()
}
