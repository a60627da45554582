//! Input and output of a pairing: entrants with their history, rules, pairs, and why there may be none.

/// White or Black.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Colour {
    /// Moves first.
    White,
    /// Moves second.
    Black,
}

impl Colour {
    /// The opponent's colour.
    pub fn other(self) -> Self {
        match self {
            Self::White => Self::Black,
            Self::Black => Self::White,
        }
    }
}

/// A participant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entrant {
    /// The pairing number, from 1: by strength, the strongest first. It stays the same in all rounds.
    pub number: u32,
    /// What the tournament ranks by, in any unit. More is better.
    pub score: i64,
    /// Whether the entrant is to play in the round to be paired. An entrant who is away, or gone for good, belongs in
    /// the list too: the others' rounds refer to them.
    pub here: bool,
    /// All the earlier rounds, from the first.
    pub rounds: Vec<Past>,
}

/// An entrant's earlier round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Past {
    /// How the round was spent.
    pub spent: Spent,
    /// Points added to the score for it.
    pub points: i64,
}

/// How an entrant spent a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spent {
    /// A game was played.
    Game {
        /// Pairing number of the opponent.
        opponent: u32,
        /// The entrant's own colour.
        colour: Colour,
    },
    /// The bye of a round with an odd number of players, given by the pairing.
    Bye,
    /// No game, for any other reason: a game won or lost by forfeit, a requested bye, absence, not yet entered. The
    /// points for it are in [`Past::points`]. The two players of a forfeited game may be paired again.
    Unplayed,
}

/// What is the same for all entrants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    /// How many rounds the tournament has. In the last one colours matter less to the leaders.
    pub rounds: usize,
    /// The colour drawn for the entrant with pairing number 1.
    pub first: Colour,
    /// Points for a win.
    pub win: i64,
    /// Points for a loss: more than that without a game counts as a float.
    pub loss: i64,
}

impl Default for Rules {
    /// Nine rounds, White first, two points for a win and none for a loss.
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
    /// The player without an opponent, if the number is odd.
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
    /// An entrant has more or fewer earlier rounds than the others.
    #[error("entrant {number} has {found} earlier rounds, expected {expected} as all have")]
    Rounds {
        /// Pairing number.
        number: u32,
        /// Rounds given.
        found: usize,
        /// Rounds that the first entrant has.
        expected: usize,
    },
    /// All rounds have been played.
    #[error("{played} rounds are played, expected fewer than the tournament's {rounds}")]
    Over {
        /// Rounds given.
        played: usize,
        /// Rounds of the tournament.
        rounds: usize,
    },
    /// The two players of a game disagree about it.
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
    /// A score too large to compute with.
    #[error("entrant {number} has {score} points, expected at most {limit} either way")]
    Score {
        /// Pairing number.
        number: u32,
        /// The score, or the points of one round.
        score: i64,
        /// The limit.
        limit: i64,
    },
    /// More entrants than can be paired in reasonable time.
    #[error("{found} entrants, expected at most {limit}")]
    Many {
        /// Entrants given.
        found: usize,
        /// The limit.
        limit: usize,
    },
    /// The criteria need more than 128 bits. No known tournament comes near.
    #[error("scores and floats of one bracket are too many to be weighed against each other")]
    Tangled,
    /// Not all can be paired: those who could meet have met or must have the same colour, or nobody may have the bye.
    #[error("the rules allow no pairing of all; left without an opponent: {left:?}")]
    Impossible {
        /// Pairing numbers of those left without an opponent when as many as possible are paired.
        left: Vec<u32>,
    },
}
