//! Arrangements that are only slightly wrong: which flaws a caller may ignore, and how they are mended. What is beyond
//! mending, such as a missing royal piece, stays an error.

use crate::fen::HIGHEST_COUNTER;
use crate::legality::SetupError;
use crate::position::{Position, PositionError};
use crate::setup::{CastlingRights, Setup};
use crate::variant::Variant;
use std::sync::Arc;

/// A flaw of an arrangement that can be ignored and still leaves a position.
///
/// ```
/// use husun::{Flaw, SetupError, PositionError};
/// # let mini = husun::Variant::parse("t.toml", husun::doctest::MINI).unwrap();
/// let text = "1k1r/4/4/R1K1 w KQ b3 0 1";
/// let error = mini.position(text).unwrap_err();
/// let PositionError::Setup(error) = error else { panic!("the text is well formed") };
/// assert_eq!(error.flaw(), Some(Flaw::Castling));
/// let position = mini.position_ignoring(text, &[Flaw::Castling, Flaw::EnPassant]).unwrap();
/// assert_eq!(position.fen(), "1k1r/4/4/R1K1 w - - 0 1");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Flaw {
    /// Castling rights without the pieces that castle, or that the game does not have: they are removed.
    Castling,
    /// En-passant squares that no last move could have passed over: they are removed.
    EnPassant,
    /// Pawn-type pieces where they can never stand: they stay.
    Pawns,
    /// Counters out of bounds: they are brought within.
    Counters,
}

impl Flaw {
    /// All of them.
    pub const ALL: [Flaw; 4] = [Flaw::Castling, Flaw::EnPassant, Flaw::Pawns, Flaw::Counters];
}

impl SetupError {
    /// What would have to be ignored for this not to be an error; none if it always is one.
    pub fn flaw(&self) -> Option<Flaw> {
        match self {
            SetupError::Castling { .. } | SetupError::NoCastling { .. } => Some(Flaw::Castling),
            SetupError::EnPassant { .. } => Some(Flaw::EnPassant),
            SetupError::Pawn { .. } => Some(Flaw::Pawns),
            SetupError::Counter { .. } => Some(Flaw::Counters),
            _ => None,
        }
    }

    /// Removes what is wrong from the arrangement.
    fn mend(&self, setup: &mut Setup) {
        match self {
            SetupError::Castling { right, .. } | SetupError::NoCastling { right } => {
                for (letter, side, wing) in CastlingRights::LETTERS {
                    if letter == *right {
                        setup.rights.remove(side, wing);
                    }
                }
            }
            SetupError::EnPassant { .. } => setup.en_passant.clear(),
            SetupError::Counter { .. } => {
                setup.halfmove = setup.halfmove.min(HIGHEST_COUNTER);
                setup.fullmove = setup.fullmove.clamp(1, HIGHEST_COUNTER);
            }
            _ => {}
        }
    }
}

impl Position {
    /// The position of an arrangement, ignoring some flaws.
    pub fn from_setup_ignoring(
        variant: &Arc<Variant>,
        setup: &Setup,
        flaws: &[Flaw],
    ) -> Result<Position, SetupError> {
        let mut setup = setup.clone();
        // Each round removes a right or the squares, or mends a counter, so there are few.
        loop {
            match Position::checked(variant, &setup, flaws) {
                Err(error) if error.flaw().is_some_and(|f| flaws.contains(&f)) => {
                    error.mend(&mut setup);
                }
                result => return result,
            }
        }
    }
}

impl Variant {
    /// Reads a position text, ignoring some flaws; the text itself must be well formed.
    pub fn position_ignoring(
        self: &Arc<Self>,
        fen: &str,
        flaws: &[Flaw],
    ) -> Result<Position, PositionError> {
        let setup = crate::fen::read(self.notation(), fen)?;
        Ok(Position::from_setup_ignoring(self, &setup, flaws)?)
    }
}
