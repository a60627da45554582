//! What a session needs around it: games, files of games, engines. Behind traits, so that a test can bring an engine
//! that does what the test wants.

use engine::{Engine, Info, Limits, Options, SearchResult};
use husun::{Position, Variant};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// What is to be searched.
#[derive(Clone, Debug)]
pub struct SearchRequest {
    /// The position.
    pub position: Position,
    /// Keys of the positions before it, the oldest first.
    pub history: Vec<u64>,
    /// What ends the search.
    pub limits: Limits,
}

/// An engine for one game.
pub trait Thinker: Send {
    /// Changes how it plays.
    fn configure(&mut self, options: &Options);
    /// Prepares what a search needs, so that the next one begins and ends at once.
    fn prepare(&mut self) {}
    /// Forgets all earlier searches.
    fn forget(&mut self);
    /// Searches; returns soon after `stop` has become true.
    fn think(
        &mut self,
        request: &SearchRequest,
        stop: &AtomicBool,
        report: &mut dyn FnMut(&Info),
    ) -> SearchResult;
    /// Says in a few lines how good a position is without looking ahead.
    fn assess(&self, position: &Position) -> String;
}

/// Why a file or a folder is refused: the file and the reason.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}: {reason}")]
pub struct HostError {
    /// Its name.
    pub file: String,
    /// What is wrong with it.
    pub reason: String,
}

/// The program around a session.
pub trait Host {
    /// Ids of all games.
    fn ids(&self) -> Vec<String>;
    /// The game with an id.
    fn variant(&self, id: &str) -> Option<Arc<Variant>>;
    /// Reads the user's own game files, several separated as the platform separates paths, and returns their ids.
    fn load(&mut self, paths: &str) -> Result<Vec<String>, HostError>;
    /// Remarks for users of a game of their own, one line each, such as that a picture is missing.
    fn remarks(&self, id: &str) -> Vec<String> {
        let _ = id;
        Vec::new()
    }
    /// Opens the tables of perfect play in a folder, instead of those opened before; an empty name opens none.
    fn open_tables(&mut self, folder: &str) -> Result<(), HostError> {
        match folder {
            "" => Ok(()),
            _ => Err(HostError {
                file: folder.into(),
                reason: "this program reads no tables of perfect play".into(),
            }),
        }
    }
    /// Why engines play a game without its tables of perfect play, if there are some that cannot be used.
    fn check_tables(&self, variant: &Arc<Variant>) -> Result<(), HostError> {
        let _ = variant;
        Ok(())
    }
    /// What to tell users who have named a folder of tables if it has none of a game.
    fn lacking_tables(&self, variant: &Arc<Variant>) -> Option<String> {
        let _ = variant;
        None
    }
    /// An engine for a game.
    fn thinker(&self, variant: &Arc<Variant>, options: &Options) -> Box<dyn Thinker>;
    /// The most mebibytes that an engine's table may have.
    fn max_hash(&self) -> usize {
        engine::MAX_HASH
    }
}

impl Thinker for Engine {
    fn configure(&mut self, options: &Options) {
        self.set_options(options.clone());
    }

    fn prepare(&mut self) {
        Engine::prepare(self);
    }

    fn forget(&mut self) {
        self.clear();
    }

    fn think(
        &mut self,
        request: &SearchRequest,
        stop: &AtomicBool,
        report: &mut dyn FnMut(&Info),
    ) -> SearchResult {
        self.search(
            &request.position,
            &request.history,
            &request.limits,
            stop,
            report,
        )
    }

    fn assess(&self, position: &Position) -> String {
        let Some(found) = self.evaluate(position) else {
            return "no evaluation: the position is of another game".into();
        };
        let side = position.turn().name();
        let total = format!("Total evaluation: {} centipawns for {side}", found.total);
        let Some(parts) = found.parts else {
            return "a network judges this game; it knows no parts\n".to_owned() + &total;
        };
        let [white, black] = parts.sides;
        let mut text = format!("early in the game {} of 256\n", parts.phase);
        text += &format!(
            "pieces and squares, White's less Black's: {}\n",
            pair(parts.squares)
        );
        for (name, of) in FEATURES {
            let (w, b) = (of(&white), of(&black));
            text += &format!("{name}: White {}, Black {}\n", pair(w), pair(b));
        }
        text + &total
    }
}

type Feature = fn(&engine::Features) -> engine::values::Pair;

const FEATURES: [(&str, Feature); 5] = [
    ("mobility", |f| f.mobility),
    ("pawns", |f| f.pawns),
    ("threats", |f| f.threats),
    ("royal safety", |f| f.safety),
    ("sets of pieces", |f| f.set),
];

fn pair(value: engine::values::Pair) -> String {
    format!("{} early {} late", value.mg, value.eg)
}
