//! What a thread does with a job: it searches and tells what it finds.

use super::{Job, KEPT, Report, Thought, ThoughtLine};
use crate::services::tables_of;
use engine::{ClockSituation, Engine, Info, Level, Limits, Options, Score};
use husun::{Move, Position, Variant};
use metrics::counter;
use play::{Games, Tuning};
use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};
use tablebase::Tablebases;

/// Stack of a thread in bytes: a search goes deep.
pub(super) const STACK: usize = 16 << 20;
/// Time that a move needs besides thinking.
pub(super) const OVERHEAD: Duration = Duration::from_millis(30);
/// Lines are told at most so often.
pub(super) const PAUSE: Duration = Duration::from_millis(100);
/// Moves told of a line.
pub(super) const SHOWN: usize = 24;

/// What came of a search.
pub(super) struct Found {
    pub thought: Thought,
    /// Positions searched.
    pub nodes: u64,
}

/// What one thread keeps.
pub(super) struct Thinker {
    /// The one used last at the end.
    engines: Vec<Kept>,
    games: Arc<Games>,
    hash: usize,
    tables: Option<Arc<Tablebases>>,
}

/// An engine, and what of a game's file it plays by.
struct Kept {
    engine: Engine,
    tuning: Option<Arc<Tuning>>,
}

impl Kept {
    fn is_of(&self, variant: &Arc<Variant>) -> bool {
        Arc::ptr_eq(self.engine.variant(), variant)
    }
}

/// When a job's search ends by itself.
pub(super) fn limits(job: &Job) -> Limits {
    Limits {
        clock: job.clock.map(|clock| ClockSituation {
            control: clock.control,
            remaining: clock.remaining,
            moves_to_go: None,
        }),
        nodes: job.nodes,
        ..Limits::movetime(job.most)
    }
}

/// What of a job's time thinking must leave.
pub(super) fn overhead(job: &Job, waited: Duration) -> Duration {
    // While a game with a clock waits its clock runs; a time for thinking alone begins with the thinking.
    match job.clock {
        Some(_) => OVERHEAD.saturating_add(waited),
        None => OVERHEAD,
    }
}

impl Thinker {
    pub fn new(games: Arc<Games>, hash: usize, tables: Option<Arc<Tablebases>>) -> Thinker {
        Thinker {
            engines: Vec::new(),
            games,
            hash: hash.max(1),
            tables,
        }
    }

    /// The position of a job; none if it is none.
    pub fn position(&self, job: &Job) -> Option<Position> {
        let variant = self.games.stored(&job.variant)?;
        variant.position(&job.fen).ok()
    }

    /// Searches, and tells the lines as they are found. None if the engine ends in a fault, which costs that engine.
    pub fn think(
        &mut self,
        job: &Job,
        position: &Position,
        waited: Duration,
        stop: &AtomicBool,
        makes_way: &dyn Fn() -> bool,
        tell: &mut dyn FnMut(Report),
    ) -> Option<Found> {
        let done = panic::catch_unwind(AssertUnwindSafe(|| {
            self.search(job, position, waited, stop, makes_way, tell)
        }));
        done.map_err(|_| {
            counter!("husun_faults_total").increment(1);
            tracing::error!(variant = %job.variant, fen = %job.fen, "the engine ended in a fault of ours");
            // What the one that was searching holds may be half done.
            self.engines
                .retain(|kept| !kept.is_of(position.variant()));
        })
        .ok()
    }

    fn search(
        &mut self,
        job: &Job,
        position: &Position,
        waited: Duration,
        stop: &AtomicBool,
        makes_way: &dyn Fn() -> bool,
        tell: &mut dyn FnMut(Report),
    ) -> Found {
        #[cfg(test)]
        assert_ne!(job.asker, super::tests::FAULTY, "on purpose");
        let mut telling = Telling::new(position, job.lines, tell);
        let hash = self.hash;
        let engine = self.engine_for(position.variant());
        engine.set_options(Options {
            hash,
            lines: job.lines,
            level: Level::new(job.level).unwrap_or(Level::FULL),
            points: true,
            overhead: overhead(job, waited),
            seed: job.seed,
            ..Options::default()
        });
        let outcome = engine.search(position, &job.history, &limits(job), stop, &mut |info| {
            telling.note(info);
            if makes_way() {
                stop.store(true, Relaxed);
            }
        });
        telling.tell_rest();
        Found {
            nodes: outcome.nodes,
            thought: Thought {
                best: outcome.best.map(|m| position.uci(m).to_string()),
                accept: outcome.accept,
                score: outcome.score.value(),
                sensible: engine.sensible_moves(position),
            },
        }
    }

    /// The engine of a game: one of those kept, the least used of which makes way for a new one.
    fn engine_for(&mut self, variant: &Arc<Variant>) -> &mut Engine {
        let tuning = self.games.tuning(&self.games.name(variant));
        let engines = &mut self.engines;
        // What a game is played by may come after its first job.
        engines.retain(|kept| !kept.is_of(variant) || kept.tuning == tuning);
        let at = engines.iter().position(|kept| kept.is_of(variant));
        let kept = match at {
            Some(at) => engines.remove(at),
            None => {
                if engines.len() >= KEPT {
                    engines.remove(0);
                }
                let options = Options {
                    hash: self.hash,
                    ..Options::default()
                };
                let games = self.games.catalogue();
                let (values, network) = match &tuning {
                    Some(tuning) => (tuning.values.as_deref(), tuning.network.as_deref()),
                    None => (games.values(variant), games.network(variant)),
                };
                let mut engine = Engine::tuned(variant.clone(), values, network, options);
                if let Some(tables) = tables_of(self.tables.as_deref(), variant) {
                    engine.set_endings(Some(tables));
                }
                Kept { engine, tuning }
            }
        };
        engines.push(kept);
        let last = engines.len() - 1;
        &mut engines[last].engine
    }
}

/// Lines as they are found, told now and then.
struct Telling<'a> {
    position: &'a Position,
    wanted: usize,
    lines: Vec<ThoughtLine>,
    depth: u32,
    nodes: u64,
    told: Option<Instant>,
    fresh: bool,
    tell: &'a mut dyn FnMut(Report),
}

impl<'a> Telling<'a> {
    fn new(position: &'a Position, wanted: usize, tell: &'a mut dyn FnMut(Report)) -> Telling<'a> {
        Telling {
            position,
            wanted,
            lines: Vec::new(),
            depth: 0,
            nodes: 0,
            told: None,
            fresh: false,
            tell,
        }
    }

    fn note(&mut self, info: &Info) {
        let line = line(self.position, info);
        match self.lines.get_mut(info.line - 1) {
            Some(place) => *place = line,
            None => self.lines.push(line),
        }
        (self.depth, self.nodes, self.fresh) = (info.depth, info.nodes, true);
        if info.line == self.wanted && self.told.is_none_or(|told| told.elapsed() >= PAUSE) {
            self.tell_rest();
        }
    }

    fn tell_rest(&mut self) {
        if !std::mem::take(&mut self.fresh) {
            return;
        }
        self.told = Some(Instant::now());
        (self.tell)(Report::Lines {
            depth: self.depth,
            nodes: self.nodes,
            lines: self.lines.clone(),
        });
    }
}

fn line(position: &Position, info: &Info) -> ThoughtLine {
    let (cp, mate) = match info.score {
        Score::Cp(cp) => (Some(cp), None),
        Score::Mate(n) => (None, Some(n)),
    };
    let (uci, san) = texts(position, &info.pv);
    ThoughtLine {
        cp,
        mate,
        expect: (f64::from(info.wdl.win) + f64::from(info.wdl.draw) / 2.0) / 1000.0,
        uci,
        san,
    }
}

fn texts(position: &Position, line: &[Move]) -> (Vec<String>, Vec<String>) {
    let mut position = position.clone();
    let (mut uci, mut san) = (Vec::new(), Vec::new());
    for &m in line.iter().take(SHOWN) {
        // A line that a worn table has spoilt ends where it is not legal any more.
        let (Ok(text), Ok(after)) = (position.san(m), position.play(m)) else {
            break;
        };
        uci.push(position.uci(m).to_string());
        san.push(text);
        position = after;
    }
    (uci, san)
}
