//! A second judge, which counts material by pushing and popping, driven through the search: it must find what a
//! judge finds that counts anew each time, and must only be called in the right order.

use super::{Parts, Result, all_games, at_width, random_positions};
use crate::Options;
use crate::engine::SearchResult;
use crate::eval::Evaluation;
use crate::exchange::Exchanges;
use crate::judge::Judge;
use crate::limits::Limits;
use crate::searcher::{AnySearcher, Ask, Searcher};
use crate::stopwatch::Stopwatch;
use crate::tt::Table;
use husun::pos::Pos;
use husun::set::Set;
use husun::tables::Tables;
use husun::{Move, Position, Side, Special, Variant};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

/// What a search's judges were asked, over all threads.
#[derive(Debug, Default)]
struct Asked {
    pushes: AtomicU64,
    passes: AtomicU64,
    pops: AtomicU64,
    evaluations: AtomicU64,
    /// Moves that a judge following pieces from square to square must know.
    castlings: AtomicU64,
    changes: AtomicU64,
}

/// White's material less Black's.
#[derive(Clone)]
struct Material<S: Set> {
    exchanges: Arc<Exchanges<S>>,
    kinds: Vec<husun::Kind>,
    asked: Arc<Asked>,
    /// Whether it counts anew instead of incrementally.
    anew: bool,
    /// Key and balance of each position from the root on.
    line: Vec<(u64, i32)>,
}

impl<S: Set> Material<S> {
    fn count(&self, pos: &Pos<S>) -> i32 {
        let one = |&kind: &husun::Kind| {
            let [white, black] = Side::ALL.map(|side| pos.pieces(side, kind).count() as i32);
            self.exchanges.price(kind) * (white - black)
        };
        self.kinds.iter().map(one).sum()
    }

    fn last(&self) -> (u64, i32) {
        *self.line.last().expect("a root before all else")
    }
}

fn for_white(side: Side) -> i32 {
    if side == Side::White { 1 } else { -1 }
}

impl<S: Set> Judge<S> for Material<S> {
    fn reset(&mut self, pos: &Pos<S>) {
        self.line.clear();
        self.line.push((pos.key(), self.count(pos)));
    }

    fn push(&mut self, pos: &Pos<S>, m: Move, next: &Pos<S>) {
        let (key, mut balance) = self.last();
        assert_eq!(key, pos.key(), "a move from another position than the last");
        let ours = for_white(pos.turn());
        if let Some((_, kind)) = pos.captured(m) {
            balance += ours * self.exchanges.price(kind);
        }
        match m.special() {
            Special::Crowning => balance = self.count(next),
            Special::CastleEast | Special::CastleWest => {
                self.asked.castlings.fetch_add(1, Relaxed);
            }
            _ => {
                let gained = self.exchanges.price(m.placed()) - self.exchanges.price(m.piece());
                balance += ours * gained;
            }
        }
        self.asked
            .changes
            .fetch_add(u64::from(m.changes_kind()), Relaxed);
        self.asked.pushes.fetch_add(1, Relaxed);
        self.line.push((next.key(), balance));
    }

    fn push_null(&mut self, next: &Pos<S>) {
        let (_, balance) = self.last();
        self.asked.passes.fetch_add(1, Relaxed);
        self.line.push((next.key(), balance));
    }

    fn pop(&mut self) {
        self.asked.pops.fetch_add(1, Relaxed);
        self.line.pop();
        assert!(!self.line.is_empty(), "the root is taken back");
    }

    fn evaluate(&mut self, pos: &Pos<S>) -> i32 {
        let (key, balance) = self.last();
        assert_eq!(key, pos.key(), "another position than the last");
        self.asked.evaluations.fetch_add(1, Relaxed);
        let counted = self.count(pos);
        assert_eq!(balance, counted);
        for_white(pos.turn()) * if self.anew { counted } else { balance }
    }

    fn explain(&self, pos: &Pos<S>) -> Evaluation {
        Evaluation::total(for_white(pos.turn()) * self.count(pos))
    }
}

/// Searches each of the positions twice, partly stopped in the middle.
fn search<S: Set>(
    variant: &Arc<Variant>,
    tables: &Arc<Tables<S>>,
    positions: &[Position],
    threads: usize,
    anew: bool,
    asked: &Arc<Asked>,
) -> Vec<SearchResult> {
    let parts = Parts::new(variant, tables);
    let judge = Material {
        exchanges: parts.exchanges.clone(),
        kinds: parts.facts.kinds.iter().map(|k| k.kind).collect(),
        asked: asked.clone(),
        anew,
        line: Vec::new(),
    };
    let mut searcher = Searcher::new(parts.facts, parts.exchanges, judge);
    let (table, stop) = (Table::new(1), AtomicBool::new(false));
    let options = Options {
        threads,
        ..Options::default()
    };
    let mut all = Vec::new();
    for position in positions {
        for limits in [Limits::nodes(300), Limits::depth(6)] {
            let ask = Ask {
                position,
                history: &[],
                limits: &limits,
                stop: &stop,
                options: &options,
                table: &table,
                endings: None,
                watch: Stopwatch::start(),
            };
            all.push(searcher.search(&ask, &mut |_| {}));
        }
    }
    all
}

#[test]
fn another_judge_is_driven_in_every_game() -> Result<()> {
    let (mut castlings, mut changes) = (0, 0);
    for game in all_games() {
        let positions = random_positions(&game, 4, 60);
        let kept = Arc::new(Asked::default());
        let anew = Arc::new(Asked::default());
        let found = at_width!(search, game, &positions, 1, false, &kept);
        let expected = at_width!(search, game, &positions, 1, true, &anew);
        assert_eq!(found, expected, "{}", game.id());
        let [pushes, passes, pops, evaluations] =
            [&kept.pushes, &kept.passes, &kept.pops, &kept.evaluations].map(|n| n.load(Relaxed));
        assert_eq!(pushes + passes, pops, "{}: {kept:?}", game.id());
        assert!(passes > 0 && evaluations > 0, "{}: {kept:?}", game.id());
        castlings += kept.castlings.load(Relaxed);
        changes += kept.changes.load(Relaxed);
    }
    assert!(castlings > 0 && changes > 0);
    Ok(())
}

#[test]
fn every_thread_has_a_judge_of_its_own() -> Result<()> {
    let game = games::variant("citadel8").ok_or("no such game")?;
    let positions = random_positions(&game, 6, 40);
    let asked = Arc::new(Asked::default());
    let found = at_width!(search, game, &positions, 3, false, &asked);
    assert!(found.iter().all(|outcome| outcome.best.is_some()));
    let made = asked.pushes.load(Relaxed) + asked.passes.load(Relaxed);
    assert_eq!(made, asked.pops.load(Relaxed));
    Ok(())
}
