//! A puzzle as a value: a position, and a line that ends the game. Whether the line is the only solution is for [`crate::proof`].

use crate::solve::Goal;
use crate::theme::{self, Theme};
use engine::values::Values;
use husun::{Game, Move, Outcome, Position, Side, Variant};
use std::sync::Arc;

/// The most moves of its solver that a puzzle has.
pub(crate) const LONGEST: usize = 8;

/// Why a position and a line are no puzzle.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// An id that is no word of an address, or given twice.
    #[error("id `{0}`: expected small letters, digits and -, different for each puzzle")]
    Id(String),
    /// A position that is none of the game.
    #[error("position: {0}")]
    Position(String),
    /// Too few moves or too many, or the opponent's last.
    #[error("line: {0} moves: expected an odd number of moves, at most {most}", most = 2 * LONGEST - 1)]
    Length(usize),
    /// A move that cannot be played.
    #[error("line: move {number}: {problem}")]
    Move {
        /// The number of the move in the line, from 1.
        number: usize,
        /// Why not.
        problem: String,
    },
    /// The game does not end.
    #[error("line: the game goes on after it: expected that it ends")]
    GoesOn,
    /// The solver's side loses.
    #[error("line: it loses by {0}: expected a win or a draw")]
    Loses(&'static str),
}

/// A position in which the side to move is to find the only move that wins, or that does not lose.
#[derive(Clone, Debug)]
pub struct Puzzle {
    id: String,
    game: Game,
    outcome: Outcome,
}

impl Puzzle {
    /// A puzzle of a position and the moves after it, which must end the game, and not by a loss of the side to move. They
    /// are not [proved](Puzzle::prove) here.
    pub fn new(id: &str, position: Position, line: &[Move]) -> Result<Puzzle, Problem> {
        let word = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        if id.is_empty() || id.len() > 40 || !id.chars().all(word) {
            return Err(Problem::Id(id.chars().take(40).collect()));
        }
        if line.len().is_multiple_of(2) || line.len() >= 2 * LONGEST {
            return Err(Problem::Length(line.len()));
        }
        let mut game = Game::new(position);
        if let Some(outcome) = game.outcome() {
            let name = outcome.reason.name();
            return Err(Problem::Position(format!(
                "the game is over by {name}: expected one that goes on"
            )));
        }
        for (number, &m) in (1..).zip(line) {
            let problem = |problem: String| Problem::Move { number, problem };
            game.play(m).map_err(|e| problem(e.to_string()))?;
        }
        let outcome = game.outcome().ok_or(Problem::GoesOn)?;
        if outcome.winner == Some(game.start().turn().opponent()) {
            return Err(Problem::Loses(outcome.reason.name()));
        }
        Ok(Puzzle {
            id: id.into(),
            game,
            outcome,
        })
    }

    /// For addresses, as `12-57`; no two of a game are the same.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The game.
    pub fn variant(&self) -> &Arc<Variant> {
        self.game.variant()
    }

    /// The position.
    pub fn position(&self) -> &Position {
        self.game.start()
    }

    /// Who solves it: the side to move.
    pub fn side(&self) -> Side {
        self.position().turn()
    }

    /// The moves of the solution with the opponent's defence that lasts longest, the solver's first and last.
    pub fn line(&self) -> &[Move] {
        self.game.moves()
    }

    /// The line played.
    pub fn game(&self) -> &Game {
        &self.game
    }

    /// How many moves the solver's side makes.
    pub fn moves(&self) -> u32 {
        self.line().len().div_ceil(2) as u32
    }

    /// What is to be found.
    pub fn goal(&self) -> Goal {
        match self.outcome.winner {
            Some(_) => Goal::Win,
            None => Goal::Draw,
        }
    }

    /// How the game ends.
    pub fn outcome(&self) -> Outcome {
        self.outcome
    }

    /// What it is about, from the moves of its line and what pieces are worth in the game.
    pub fn themes(&self, values: &Values) -> Vec<Theme> {
        theme::of(self, values)
    }
}
