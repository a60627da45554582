//! The positions of a game as the engine is asked about them.

use super::Rules;
use super::kept::{Kept, KeptOpinion};
use crate::engines::Job;
use crate::refusal::Refused;
use engine::review::Opinion;
use husun::Position;
use play::Games;

/// The positions of a game, the start first.
pub struct Line {
    rules: Rules,
    fens: Vec<String>,
    keys: Vec<u64>,
    /// What the rules say of the last one.
    end: Option<KeptOpinion>,
}

impl Line {
    /// Of a game as it is kept.
    pub fn of(kept: &Kept, games: &Games) -> Result<Line, Refused> {
        let game = kept.game(games)?;
        let positions = || (0..=game.moves().len()).filter_map(|ply| game.position_at(ply));
        let turn = game.turn();
        // One that its players went on with past a draw is looked at as if it were none.
        let end = game.outcome();
        let end = end.map(|end| Opinion::of_end(turn, end.winner).score.into());
        Ok(Line {
            rules: Rules::of(&kept.variant, games),
            fens: positions().map(Position::fen).collect(),
            keys: positions().map(Position::key).collect(),
            end,
        })
    }

    /// How many positions there are.
    pub fn len(&self) -> usize {
        self.fens.len()
    }

    /// What the rules say of a position, if they have ended the game there.
    pub fn end(&self, place: usize) -> Option<&KeptOpinion> {
        self.end.as_ref().filter(|_| place + 1 == self.len())
    }

    /// A job for the engine.
    pub fn job(&self, place: usize, asker: &str, nodes: u64) -> Job {
        let position = (self.fens[place].as_str(), self.keys[place]);
        self.rules.job(asker, position, &self.keys[..place], nodes)
    }
}
