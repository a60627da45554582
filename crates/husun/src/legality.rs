//! The gate from an arrangement to a position: everything that the rules say can never be.

use crate::cpu::Portable;
use crate::definition::StateFlag;
use crate::flaw::Flaw;
use crate::frame::Square;
use crate::piece::Kind;
use crate::pos::{NO_SQUARE, Pos};
use crate::set::Set;
use crate::setup::{CastlingRights, Setup};
use crate::side::{Side, Wing};
use crate::status::Status;
use crate::tables::Tables;
use crate::variant::Variant;
use crate::width::{AnyPos, AnyTables};

mod pawns;

pub(crate) use pawns::PawnSquares;

/// Why an arrangement is not a position of the game.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SetupError {
    /// The arrangement is of another game: it has another number of squares or kinds.
    #[error("the arrangement has {found} squares: expected {expected}")]
    OtherBoard {
        /// Number found.
        found: usize,
        /// Number of the board.
        expected: usize,
    },
    /// A piece, a square or a state flag of another game.
    #[error("the arrangement has {what} number {found}: the game has {number}")]
    Foreign {
        /// `a kind of piece`, `an en-passant square` or `a state flag`.
        what: &'static str,
        /// Its number, from 0.
        found: usize,
        /// How many the game has.
        number: usize,
    },
    /// A counter beyond what position text can express.
    #[error("{field}: {found}: expected a number from {low} to {high}")]
    Counter {
        /// Which of the two counters.
        field: &'static str,
        /// Its value.
        found: u32,
        /// Lowest value.
        low: u32,
        /// Highest value.
        high: u32,
    },
    /// Too many or too few royal pieces.
    #[error("board: {side} has {found} royal pieces ({letters}): expected {expected}")]
    Royals {
        /// Whose.
        side: &'static str,
        /// Number found.
        found: u32,
        /// Letters of the royal kinds.
        letters: String,
        /// Numbers that are valid.
        expected: &'static str,
    },
    /// Opposing royal pieces stand next to each other.
    #[error("board: opposing royal pieces stand next to each other at {square}")]
    RoyalsTouch {
        /// The square of one of them.
        square: String,
    },
    /// A pawn-type piece where it can never stand.
    #[error("board: {piece} can never stand on {square}")]
    Pawn {
        /// Its letter.
        piece: char,
        /// The square.
        square: String,
    },
    /// A piece that is not royal on a square that royal pieces alone may enter.
    #[error("board: {piece} can never stand on {square}, which royal pieces alone may enter")]
    Closed {
        /// Its letter.
        piece: char,
        /// The square.
        square: String,
    },
    /// The side that has just moved is in check.
    #[error("side: {side} is in check and not to move")]
    NotToMoveInCheck {
        /// Whose royal piece is attacked.
        side: &'static str,
    },
    /// A castling right without royal piece or partner at home.
    #[error("castling: right {right} without its pieces at home on {from} and {partner}")]
    Castling {
        /// The right's letter.
        right: char,
        /// Home of the royal piece.
        from: String,
        /// Home of the partner.
        partner: String,
    },
    /// A castling right in a game without castling to that side.
    #[error("castling: right {right} does not exist in this game")]
    NoCastling {
        /// The right's letter.
        right: char,
    },
    /// En-passant squares that no last move could have produced.
    #[error("en passant: no last move of {side} could have passed over {squares}")]
    EnPassant {
        /// Who would have moved.
        side: &'static str,
        /// The squares.
        squares: String,
    },
    /// A state letter that contradicts the board or the rest of the state.
    #[error("state: `{letter}` contradicts the position: {reason}")]
    State {
        /// The letter.
        letter: char,
        /// Why.
        reason: String,
    },
}

impl Variant {
    /// Whether an arrangement is a position of the game.
    pub fn check_setup(&self, setup: &Setup) -> Result<(), SetupError> {
        self.position_of(setup, &[]).map(|_| ())
    }

    /// The status of an arrangement, if it is a position of the game.
    pub(crate) fn status_of(&self, setup: &Setup) -> Result<Status, SetupError> {
        Ok(match self.tables() {
            AnyTables::W64(t) => t.status(&self.checked(t, setup, &[])?),
            AnyTables::W128(t) => t.status(&self.checked(t, setup, &[])?),
            AnyTables::W192(t) => t.status(&self.checked(t, setup, &[])?),
        })
    }

    /// The position of an arrangement, if it is one.
    pub(crate) fn position_of(
        &self,
        setup: &Setup,
        ignored: &[Flaw],
    ) -> Result<AnyPos, SetupError> {
        Ok(match self.tables() {
            AnyTables::W64(t) => self.checked(t, setup, ignored)?.into(),
            AnyTables::W128(t) => self.checked(t, setup, ignored)?.into(),
            AnyTables::W192(t) => self.checked(t, setup, ignored)?.into(),
        })
    }

    fn checked<S: Set>(
        &self,
        t: &Tables<S>,
        setup: &Setup,
        ignored: &[Flaw],
    ) -> Result<Pos<S>, SetupError> {
        if setup.board.len() != self.frame().len() {
            return Err(SetupError::OtherBoard {
                found: setup.board.len(),
                expected: self.frame().len(),
            });
        }
        self.check_own(setup)?;
        let mut pos = Pos::empty();
        for square in self.frame().squares() {
            if let Some((side, kind)) = setup.piece_on(square) {
                t.put(&mut pos, side, kind.0, square);
            }
        }
        pos.turn = setup.turn;
        pos.rights = setup.rights;
        pos.state = setup.state;
        pos.halfmove = setup.halfmove;
        pos.fullmove = setup.fullmove;
        self.check_royals(t, &pos)?;
        if !ignored.contains(&Flaw::Pawns) {
            self.check_pawns(setup)?;
        }
        self.check_closed(setup)?;
        self.check_castling(setup)?;
        let mover = setup.turn.opponent();
        if t.in_check(&pos, mover) {
            return Err(SetupError::NotToMoveInCheck { side: mover.name() });
        }
        self.check_state(t, &pos, setup)?;
        if !setup.en_passant.is_empty() {
            self.place_passed(t, &mut pos, setup)?;
        }
        pos.key = t.key_from_scratch(&pos);
        Ok(pos)
    }

    /// Whether everything the arrangement names belongs to this game and is within its bounds.
    fn check_own(&self, setup: &Setup) -> Result<(), SetupError> {
        let own = |what, found: Option<usize>, number| match found {
            Some(found) if found >= number => Err(SetupError::Foreign {
                what,
                found,
                number,
            }),
            _ => Ok(()),
        };
        let kinds = setup.board.iter().flatten().map(|(_, kind)| kind.index());
        own("a kind of piece", kinds.max(), self.pieces().len())?;
        let passed = setup.en_passant.iter().map(|s| s.index());
        own("an en-passant square", passed.max(), self.frame().len())?;
        let flag = (setup.state != 0).then(|| setup.state.ilog2() as usize);
        own("a state flag", flag, self.state_flags().len())?;
        for (field, found, low) in [
            ("half-move clock", setup.halfmove, 0),
            ("full-move number", setup.fullmove, 1),
        ] {
            let high = crate::fen::HIGHEST_COUNTER;
            if !(low..=high).contains(&found) {
                return Err(SetupError::Counter {
                    field,
                    found,
                    low,
                    high,
                });
            }
        }
        Ok(())
    }

    fn name(&self, square: Square) -> String {
        self.frame().name(square).to_string()
    }

    fn check_royals<S: Set>(&self, t: &Tables<S>, pos: &Pos<S>) -> Result<(), SetupError> {
        let royals = pos.of_kinds(&t.royals);
        for side in Side::ALL {
            let found = (royals & pos.side(side)).count();
            // With several royals, a side has at least one and at most one of each kind.
            let one_each = t
                .royals
                .kinds
                .iter()
                .all(|&k| pos.pieces(side, Kind(k)).count() <= 1);
            let (fits, expected) = match (t.royals.kinds.is_empty(), self.rules().several_royals) {
                (true, _) => (true, "none"),
                (false, false) => (found == 1, "one"),
                (false, true) => (
                    found >= 1 && one_each,
                    "one or more, of each kind one at most",
                ),
            };
            if !fits {
                return Err(SetupError::Royals {
                    side: side.name(),
                    found,
                    letters: t
                        .royals
                        .kinds
                        .iter()
                        .map(|&k| self.pieces()[usize::from(k)].letter)
                        .collect(),
                    expected,
                });
            }
        }
        if t.apart {
            for square in (royals & pos.side(Side::White)).iter() {
                if (t.ring(square) & royals & pos.side(Side::Black)).any() {
                    let square = self.name(square);
                    return Err(SetupError::RoyalsTouch { square });
                }
            }
        }
        Ok(())
    }

    fn check_pawns(&self, setup: &Setup) -> Result<(), SetupError> {
        for square in self.frame().squares() {
            let Some((side, kind)) = setup.piece_on(square) else {
                continue;
            };
            let possible = self.pawn_squares().has(side, kind, square);
            // Where a prisoner waits to be released no pawn-type piece can have stopped.
            let waiting = self.rules().prison.iter().any(|p| {
                let flag = self.flag_bit(StateFlag::InPrison(side, p.piece));
                p.squares[side.index()].contains(&square) && setup.state & flag != 0
            });
            if self.piece(kind).pawn && (!possible || waiting) {
                return Err(SetupError::Pawn {
                    piece: side.cased(self.piece(kind).letter),
                    square: self.name(square),
                });
            }
        }
        Ok(())
    }

    fn check_closed(&self, setup: &Setup) -> Result<(), SetupError> {
        for &square in &self.rules().endings.closed {
            if let Some((side, kind)) = setup.piece_on(square)
                && !self.piece(kind).royal
            {
                return Err(SetupError::Closed {
                    piece: side.cased(self.piece(kind).letter),
                    square: self.name(square),
                });
            }
        }
        Ok(())
    }

    fn check_castling(&self, setup: &Setup) -> Result<(), SetupError> {
        for (right, side, wing) in CastlingRights::LETTERS {
            if !setup.rights.has(side, wing) {
                continue;
            }
            let castling = self.rules().castling.as_ref();
            let path = castling.and_then(|c| Some((c, c.paths(side, wing).first()?)));
            let (castling, path) = path.ok_or(SetupError::NoCastling { right })?;
            let home = setup.piece_on(path.from) == Some((side, castling.piece))
                && setup.piece_on(path.partner_from) == Some((side, castling.partner));
            if !home {
                return Err(SetupError::Castling {
                    right,
                    from: self.name(path.from),
                    partner: self.name(path.partner_from),
                });
            }
        }
        Ok(())
    }

    fn check_state<S: Set>(
        &self,
        t: &Tables<S>,
        pos: &Pos<S>,
        setup: &Setup,
    ) -> Result<(), SetupError> {
        for (i, &(letter, flag)) in self.state_flags().iter().enumerate() {
            let set = setup.state >> i & 1 != 0;
            let wrong = |reason: String| Err(SetupError::State { letter, reason });
            match flag {
                StateFlag::InPrison(side, kind) if set && pos.pieces(side, kind).any() => {
                    return wrong(format!("the {} stands on the board", self.piece(kind).name));
                }
                StateFlag::Castled(side)
                    if set && Wing::ALL.iter().any(|&w| setup.rights.has(side, w)) =>
                {
                    return wrong(format!("{} still has a castling right", side.name()));
                }
                StateFlag::Castled(side) if set && self.has_traversed(pos, side) => {
                    let becomes = self
                        .rules()
                        .traverse
                        .as_ref()
                        .map(|t| self.piece(t.becomes));
                    let (name, letter) = becomes.map_or(("", ' '), |p| (&p.name, p.letter));
                    let side = side.name();
                    return wrong(format!(
                        "{side} has {name} ({letter}), which comes of a Traverse, and a castled side never traverses"
                    ));
                }
                StateFlag::Crowned => {
                    if let Some(reason) = self.crowned_contradicts(pos, set) {
                        return wrong(reason);
                    }
                }
                StateFlag::Offer if set => {
                    if let Some(reason) = self.offer_contradicts(t, pos) {
                        return wrong(reason);
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Whether the side has a piece that it can only have got by a Traverse.
    fn has_traversed<S: Set>(&self, pos: &Pos<S>, side: Side) -> bool {
        let Some(traverse) = &self.rules().traverse else {
            return false;
        };
        let becomes = traverse.becomes;
        let mut setups = self.setups().iter();
        let starts = setups.any(|s| s.setup.board.contains(&Some((side, becomes))));
        let freed = self.rules().prison.iter().any(|p| p.piece == becomes);
        traverse.piece != becomes && !starts && !freed && pos.pieces(side, becomes).any()
    }

    /// Finds the initial step that passed over the given squares, and keeps those of them on which a
    /// capture is legal.
    fn place_passed<S: Set>(
        &self,
        t: &Tables<S>,
        pos: &mut Pos<S>,
        setup: &Setup,
    ) -> Result<(), SetupError> {
        let mover = setup.turn.opponent();
        let wanted: Vec<Square> = setup.en_passant.clone();
        let victim = self.step_over(t, pos, mover, &wanted);
        let victim =
            victim
                .filter(|_| setup.halfmove == 0)
                .ok_or_else(|| SetupError::EnPassant {
                    side: mover.name(),
                    squares: setup.en_passant.iter().map(|&s| self.name(s)).collect(),
                })?;
        pos.victim = victim;
        let legal: Vec<Square> = wanted
            .into_iter()
            .filter(|&s| t.can_capture_passed(pos, s))
            .collect();
        for (slot, square) in pos.passed.iter_mut().zip(&legal) {
            *slot = *square;
        }
        if legal.is_empty() {
            pos.victim = NO_SQUARE;
        }
        Ok(())
    }

    /// The piece whose initial step could have been the last move and passed over all the squares.
    fn step_over<S: Set>(
        &self,
        t: &Tables<S>,
        pos: &Pos<S>,
        mover: Side,
        wanted: &[Square],
    ) -> Option<Square> {
        let side = mover.index();
        let occupied = pos.occupied();
        for pawn in &t.pawns {
            let pieces = pos.pieces(mover, Kind(pawn.kind));
            for shift in &pawn.quiet[side] {
                for from in t.board.without(occupied).iter() {
                    let mut at = S::bit(from);
                    let mut passed = Vec::new();
                    for hops in 1..=t.initial_steps {
                        // After the first hop it goes on only by an initial step.
                        at &= match hops {
                            1 => t.board,
                            2 => shift.initial,
                            _ => shift.further,
                        };
                        at = shift.apply::<Portable>(at);
                        let Some(to) = at.first() else { break };
                        let matches = wanted.iter().all(|w| passed.contains(w));
                        if hops > 1 && pieces.has(to) && matches {
                            return Some(to);
                        }
                        if occupied.has(to) {
                            break;
                        }
                        passed.push(to);
                    }
                }
            }
        }
        None
    }
}

/// The arrangement of a position.
pub(crate) fn setup_of<S: Set>(variant: &Variant, pos: &Pos<S>) -> Setup {
    let mut board = vec![None; variant.frame().len()];
    for side in Side::ALL {
        for (kind, plane) in pos.kinds.as_ref()[..S::KINDS].iter().enumerate() {
            for square in (*plane & pos.side(side)).iter() {
                board[square.index()] = Some((side, Kind(kind as u8)));
            }
        }
    }
    Setup {
        board,
        turn: pos.turn,
        rights: pos.rights,
        en_passant: pos.en_passant().collect(),
        state: pos.state,
        halfmove: pos.halfmove,
        fullmove: pos.fullmove,
    }
}
