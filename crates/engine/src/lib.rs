//! Search and evaluation over the rules library: an [`Engine`] for any game that a game file can describe.
//!
//! Everything is derived from the game's data: piece values from the moves on its board, the way to promotion
//! from its zones, wins and draws from its endings. Nothing here prints, reads files or names a game.
//!
//! ```
//! use husun_engine::{Engine, Limits, Options};
//! use std::sync::atomic::AtomicBool;
//!
//! let game = games::variant("citadel8").unwrap();
//! let mut engine = Engine::new(game.clone(), Options::default());
//! let stop = AtomicBool::new(false);
//! let mut depth = 0;
//! let found = engine.search(&game.start(), &[], &Limits::nodes(5000), &stop, &mut |info| {
//!     depth = info.depth;
//! });
//! assert!(found.best.is_some() && depth > 1);
//! ```

mod bench;
mod correction;
mod endings;
mod engine;
mod eval;
mod exchange;
mod facts;
mod history;
mod judge;
mod level;
mod limits;
mod manners;
mod memory;
pub mod network;
pub mod pace;
mod pair;
mod random;
pub mod review;
mod root;
mod score;
mod search;
mod searcher;
pub mod selfplay;
mod sight;
pub mod spsa;
mod stopwatch;
#[cfg(test)]
mod tests;
mod tt;
pub mod tune;
pub mod values;

pub use bench::{BENCH_DEPTH, Bench, bench};
pub use endings::{Endings, Outcome, Verdict};
pub use engine::{
    Engine, Info, JudgeHash, MAX_HASH, MAX_LINES, MAX_THREADS, Options, SearchResult,
};
pub use eval::{Evaluation, Features, Parts};
pub use level::Level;
pub use limits::{ClockSituation, Limits};
pub use manners::Thoughts;
pub use random::Random;
pub use score::{Score, Wdl};
pub use search::parameters::{Parameter, SearchParameters};
