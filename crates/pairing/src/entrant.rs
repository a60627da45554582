//! What a round is paired from and what comes out: entrants with what they have done so far, rules, pairs, and why there
//! may be none.

/// White or Black.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Colour {
    /// Moves first.
    White,
    /// Moves second.
    Black,
}

impl Colour {
    /// The opponent's.
    pub fn other(self) -> Self {
        match self {
            Self::White => Self::Black,
            Self::Black => Self::White,
        }
    }
}

/// One who takes part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entrant {
    /// The pairing number, from 1: by strength, the strongest first. It stays the same from the first round to the last.
    pub number: u32,
    /// What the tournament ranks by, in any unit. More is better.
    pub score: i64,
    /// Whether the entrant is to play in the round that is paired. One who is away, or gone for good, belongs in the
    /// list too: the others' rounds speak of them.
    pub here: bool,
    /// The earlier rounds, all of them, from the first.
    pub rounds: Vec<Past>,
}

/// What was of an entrant in an earlier round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Past {
    /// How the round was spent.
    pub spent: Spent,
    /// What was added to the score for it.
    pub points: i64,
}

/// How an entrant spent a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spent {
    /// A game was played.
    Game {
        /// Pairing number of the opponent.
        opponent: u32,
        /// The own colour.
        colour: Colour,
    },
    /// The bye of a round with an odd number of players, given by the pairing.
    Bye,
    /// No game, for any other reason: a game won or lost by forfeit, a bye that was asked for, absence, not yet there.
    /// What it brought is in [`Past::points`]. The two of a forfeited game may be paired again.
    Unplayed,
}

/// What is the same for all entrants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    /// How many rounds the tournament has. In the last one colours matter less to those in front.
    pub rounds: usize,
    /// The colour drawn for the entrant with pairing number 1.
    pub first: Colour,
    /// What a win brings.
    pub win: i64,
    /// What a loss brings: more than that without a game counts as a float.
    pub loss: i64,
}

impl Default for Rules {
    /// Nine rounds, White for the first, two for a win and nothing for a loss.
    fn default() -> Self {
        Self {
            rounds: 9,
            first: Colour::White,
            win: 2,
            loss: 0,
        }
    }
}

/// A round.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Round {
    /// Pairing numbers of White and Black, from the first board.
    pub games: Vec<(u32, u32)>,
    /// Who has no opponent, if their number is odd.
    pub bye: Option<u32>,
}

/// Why there is no round.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PairingError {
    /// Two entrants have one number, or one has none.
    #[error("pairing number {number}: expected every entrant to have one of its own, from 1")]
    Number {
        /// The number.
        number: u32,
    },
    /// One has more or fewer rounds behind it than the others.
    #[error("entrant {number} has {found} earlier rounds, expected {expected} as all have")]
    Rounds {
        /// Pairing number.
        number: u32,
        /// Rounds given.
        found: usize,
        /// Rounds that the first entrant has.
        expected: usize,
    },
    /// No round is left.
    #[error("{played} rounds are played, expected fewer than the tournament's {rounds}")]
    Over {
        /// Rounds given.
        played: usize,
        /// Rounds of the tournament.
        rounds: usize,
    },
    /// The two of a game tell different things of it.
    #[error(
        "round {round}: entrant {number} played {opponent}, expected {opponent} to have played {number} with the other colour"
    )]
    Opponent {
        /// The round, from 1.
        round: usize,
        /// Pairing number.
        number: u32,
        /// Pairing number of the opponent.
        opponent: u32,
    },
    /// A score that cannot be reckoned with.
    #[error("entrant {number} has {score} points, expected at most {limit} either way")]
    Score {
        /// Pairing number.
        number: u32,
        /// The score, or the points of one round.
        score: i64,
        /// The limit.
        limit: i64,
    },
    /// More entrants than can be paired in good time.
    #[error("{found} entrants, expected at most {limit}")]
    Many {
        /// Entrants given.
        found: usize,
        /// The limit.
        limit: usize,
    },
    /// The criteria are more than 128 bits can weigh. No tournament is known that comes near.
    #[error("scores and floats of one bracket are too many to be weighed against each other")]
    Tangled,
    /// Not all can be paired: whoever might meet has met, or has to have the same colour, or no one may have the bye.
    #[error("the rules allow no pairing of all; without opponent stay {left:?}")]
    Impossible {
        /// Pairing numbers of those who stay without opponent when as many as possible are paired.
        left: Vec<u32>,
    },
}
