//! What the engine is doing in an XBoard session, and with which limits.

use crate::events::Job;
use engine::{ClockSituation, Info, Limits, Score};
use husun::Move;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// How long a hint is looked for.
const HINT: Duration = Duration::from_millis(500);

/// What a search is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// The engine's move.
    Move,
    /// The engine's answer to a move that the opponent is expected to make.
    Ponder(Move),
    /// Analysis.
    Analyze,
    /// A hint for the other side.
    Hint,
}

/// A search under way.
pub(crate) struct Work {
    pub job: Job,
    pub purpose: Purpose,
    /// The result is no longer wanted.
    pub dropped: bool,
    pub since: Instant,
    /// What was reported last.
    pub last: Option<Info>,
}

/// The engine's clock and other limits.
#[derive(Clone, Debug)]
pub(crate) struct Clock {
    /// Moves to a time control; 0 for the whole game.
    pub moves: u32,
    pub base: Duration,
    pub increment: Duration,
    /// Time for each move.
    pub each: Option<Duration>,
    pub depth: Option<u32>,
    /// What the engine has left.
    pub left: Duration,
}

impl Default for Clock {
    fn default() -> Clock {
        let base = Duration::from_secs(300);
        Clock {
            moves: 40,
            base,
            increment: Duration::ZERO,
            each: None,
            depth: None,
            left: base,
        }
    }
}

impl Clock {
    /// Limits of a search; the engine has made `made` moves so far.
    pub fn limits(&self, purpose: Purpose, made: u32) -> Limits {
        let to_go = (self.moves > 0).then(|| self.moves - made % self.moves);
        let clock = ClockSituation::fischer(self.left, self.increment, to_go);
        let playing = Limits {
            depth: self.depth,
            movetime: self.each,
            clock: self.each.is_none().then_some(clock),
            ..Limits::default()
        };
        match purpose {
            Purpose::Move => playing,
            Purpose::Ponder(_) => Limits {
                ponder: Some(Arc::new(AtomicBool::new(true))),
                ..playing
            },
            Purpose::Analyze => Limits {
                infinite: true,
                ..Limits::default()
            },
            Purpose::Hint => Limits::movetime(HINT),
        }
    }

    /// Subtracts the time that a move has used; XBoard corrects it with `time`.
    pub fn used(&mut self, spent: Duration, made: u32) {
        self.left = self.left.saturating_sub(spent) + self.increment;
        if self.moves > 0 && made.is_multiple_of(self.moves) {
            self.left += self.base;
        }
    }
}

/// A score as XBoard writes it.
pub(crate) fn score_text(score: Score) -> String {
    match score {
        Score::Cp(cp) => cp.to_string(),
        Score::Mate(n) if n > 0 => (100_000 + n).to_string(),
        Score::Mate(n) => (-100_000 + n).to_string(),
    }
}

/// A line of thinking; the line itself is already text.
pub(crate) fn post_text(info: &Info, line: &str) -> String {
    let speed = info.nodes as f64 / info.time.as_secs_f64().max(1e-6);
    format!(
        "{} {} {} {} {} {} 0\t{line}",
        info.depth,
        score_text(info.score),
        info.time.as_millis() / 10,
        info.nodes,
        info.seldepth,
        speed as u64
    )
}
