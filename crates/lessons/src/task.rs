//! A task: where it begins, what is to be reached, how the opponent answers. How an attempt goes is for [`crate::attempt`].

use crate::act::Act;
use crate::attempt::Attempt;
use crate::scene::{Rules, Scene};
use husun::{Game, Kind, Reason, Side, Square, Variant};
use std::sync::Arc;

/// How the opponent answers a move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Opponent {
    /// Not at all, unless it must because it is in check.
    Still,
    /// It captures what it can, which ends the attempt; else not at all.
    Captures,
    /// By the move that keeps the goal away for as long as possible.
    Defends,
    /// By these moves in turn, in UCI form; where one is not legal, or none is left, not at all.
    Plays(Vec<String>),
    /// By these moves in turn, as long as the moves are those of the solution, which is the only one: any other ends the
    /// attempt, but for a last move that ends the game as well.
    Proved {
        /// The opponent's moves in UCI form, one fewer than the solution has.
        replies: Vec<String>,
        /// Whether the game is to be won; a draw is enough otherwise.
        win: bool,
    },
}

/// A move that does something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deed {
    /// What it does.
    pub act: Act,
    /// Which kind moves, if that matters.
    pub piece: Option<Kind>,
    /// Which kind stands there afterwards, if that matters.
    pub becomes: Option<Kind>,
    /// Where it arrives; anywhere if empty.
    pub to: Vec<Square>,
}

/// What is to be reached: all of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Goal {
    /// Squares to be stopped on.
    pub stars: Vec<Square>,
    /// Squares of enemy pieces to be captured.
    pub capture: Vec<Square>,
    /// A move to be made.
    pub deed: Option<Deed>,
    /// An ending to be brought about, without a loss.
    pub ending: Option<Reason>,
    /// Whether the last move must leave the opponent in check.
    pub check: bool,
}

/// A task of a lesson.
#[derive(Clone, Debug)]
pub struct Task {
    /// What is to be done, in words.
    pub text: String,
    /// What was learned, in a sentence.
    pub learned: String,
    /// Words for one who does not find it.
    pub hint: String,
    /// What is to be reached.
    pub goal: Goal,
    /// How the opponent answers.
    pub opponent: Opponent,
    /// Moves that reach it in the fewest.
    pub solution: Vec<String>,
    /// Moves that an attempt may have.
    pub within: usize,
    pub(crate) scene: Scene,
}

impl Task {
    /// The fewest moves in which it can be done.
    pub fn moves(&self) -> usize {
        self.solution.len()
    }

    /// Who learns: the side that the moves are made for.
    pub fn side(&self) -> Side {
        self.scene.learner()
    }

    /// The game.
    pub fn variant(&self) -> &Arc<Variant> {
        self.scene.variant()
    }

    /// A task in a position whose solution is the only one: the moves of both sides that end the game, the learner's first
    /// and last. None if the game does not end so, or is lost.
    pub fn proved(line: &Game, text: String, learned: String, hint: String) -> Option<Task> {
        let learner = line.start().turn();
        let outcome = line.outcome()?;
        if outcome.winner == Some(learner.opponent()) || line.moves().len().is_multiple_of(2) {
            return None;
        }
        let played = |first: usize| {
            let plies = (first..line.moves().len()).step_by(2);
            let one = |ply: usize| {
                let position = line.position_at(ply)?;
                Some(position.uci(line.moves()[ply]).to_string())
            };
            plies.filter_map(one).collect::<Vec<String>>()
        };
        let solution = played(0);
        Some(Task {
            text,
            learned,
            hint,
            goal: Goal {
                ending: Some(outcome.reason),
                ..Goal::default()
            },
            opponent: Opponent::Proved {
                replies: played(1),
                win: outcome.winner.is_some(),
            },
            within: solution.len(),
            solution,
            scene: Scene::Rules(Box::new(Rules {
                game: Game::new(line.start().clone()),
                learner,
            })),
        })
    }

    /// A first look at it, without a move.
    pub fn attempt(&self) -> Attempt<'_> {
        Attempt::new(self)
    }

    /// Positions that are looked at for a move, about: what a server charges for one.
    pub fn cost(&self) -> usize {
        match self.opponent {
            Opponent::Defends => 100 * self.moves(),
            _ => 2,
        }
    }
}
