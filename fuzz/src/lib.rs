//! What the fuzz targets share: a game and a text from the fuzzer's bytes, an engine that does not search.

use engine::{Info, Options, SearchResult, Score};
use husun::{Position, Variant};
use protocol::{Host, HostError, SearchRequest, Thinker};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};

/// All games.
pub fn variants() -> &'static [Arc<Variant>] {
    static ALL: OnceLock<Vec<Arc<Variant>>> = OnceLock::new();
    ALL.get_or_init(|| games::ids().filter_map(games::variant).collect())
}

/// A game by the first byte, the rest as text if it is one.
pub fn game_and_text(data: &[u8]) -> Option<(&'static Arc<Variant>, &str)> {
    let (&first, rest) = data.split_first()?;
    let all = variants();
    let variant = &all[usize::from(first) % all.len()];
    Some((variant, std::str::from_utf8(rest).ok()?))
}

/// A position some random moves into a game: the second byte tells how many, the next ones which.
pub fn position_and_text(data: &[u8]) -> Option<(Position, &str)> {
    let (&first, rest) = data.split_first()?;
    let (&count, rest) = rest.split_first()?;
    let all = variants();
    let mut position = all[usize::from(first) % all.len()].start();
    let choices = usize::from(count % 64).min(rest.len());
    let (choices, text) = rest.split_at(choices);
    for &choice in choices {
        let moves = position.legal_moves();
        if moves.is_empty() {
            break;
        }
        position = position.play_unchecked(moves[usize::from(choice) % moves.len()]);
    }
    Some((position, std::str::from_utf8(text).ok()?))
}

/// The built-in games with an engine that plays the first legal move at once, and no files.
pub struct Idle;

impl Host for Idle {
    fn ids(&self) -> Vec<String> {
        games::ids().map(String::from).collect()
    }

    fn variant(&self, id: &str) -> Option<Arc<Variant>> {
        games::variant(id)
    }

    fn load(&mut self, _: &str) -> Result<Vec<String>, HostError> {
        Ok(Vec::new())
    }

    fn thinker(&self, _: &Arc<Variant>, _: &Options) -> Box<dyn Thinker> {
        Box::new(First)
    }
}

struct First;

impl Thinker for First {
    fn configure(&mut self, _: &Options) {}

    fn forget(&mut self) {}

    fn think(&mut self, request: &SearchRequest, _: &AtomicBool, _: &mut dyn FnMut(&Info)) -> SearchResult {
        let moves = request.position.legal_moves();
        let best = moves.first().copied();
        SearchResult {
            best,
            ponder: best.and_then(|m| request.position.play_unchecked(m).legal_moves().first().copied()),
            score: Score::Cp(0),
            pv: Vec::new(),
            accept: request.position.can_accept(),
            depth: 1,
            nodes: 1,
        }
    }

    fn assess(&self, _: &Position) -> String {
        String::new()
    }
}

/// The lines of an input but those that ask for long work without an engine: perft and bench.
pub fn without_work(data: &[u8]) -> Vec<u8> {
    let lines = data.split(|&b| b == b'\n').filter(|line| {
        let text = String::from_utf8_lossy(line);
        !text.contains("perft") && !text.contains("bench")
    });
    lines.collect::<Vec<_>>().join(&b'\n')
}
