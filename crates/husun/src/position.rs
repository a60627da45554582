//! A position of some game, for code that does not care about the width of its sets: legal moves, making them,
//! texts, status. Engines work on [`crate::pos::Pos`] and [`crate::tables::Tables`] instead.

use crate::definition::StateFlag;
use crate::fen::FenError;
use crate::flaw::Flaw;
use crate::frame::Square;
use crate::legality::{SetupError, setup_of};
use crate::moves::{IllegalMove, Move, PackedMove, Special};
use crate::piece::Kind;
use crate::setup::{CastlingRights, Setup};
use crate::side::Side;
use crate::status::Status;
use crate::variant::Variant;
use crate::width::{AnyPos, VisitPosition, at_width};
use std::fmt::{self, Write as _};
use std::sync::Arc;

/// Why a position text is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PositionError {
    /// The text is not an arrangement.
    #[error(transparent)]
    Fen(#[from] FenError),
    /// The arrangement is not a position of the game.
    #[error(transparent)]
    Setup(#[from] SetupError),
}

/// Why a move text is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UciError {
    /// Not two squares with an optional lowercase letter.
    #[error(
        "`{0}` is no move: expected from-square, to-square and perhaps a small letter, as e2e4 or a10b11q"
    )]
    NotAMove(String),
    /// Squares that the board has, but no legal move.
    #[error("`{0}` is not legal here")]
    Illegal(String),
    /// Several moves have these squares.
    #[error(
        "`{text}` could be {choices}: expected the letter of the piece that stands there afterwards"
    )]
    Ambiguous {
        /// What was read.
        text: String,
        /// The legal moves with these squares.
        choices: String,
    },
}

/// A position of a game.
///
/// ```
/// # let mini = husun::Variant::parse("t.toml", husun::doctest::MINI).unwrap();
/// let start = mini.start();
/// assert_eq!(start.fen(), "1k1r/4/4/R1K1 w - - 0 1");
/// let error = start.parse_uci("c1d1").unwrap_err();
/// assert_eq!(error.to_string(), "`c1d1` is not legal here");
/// let next = start.play(start.parse_uci("c1c2").unwrap()).unwrap();
/// assert_eq!(next.fen(), "1k1r/4/2K1/R3 b - - 1 1");
/// ```
#[derive(Clone)]
pub struct Position {
    pub(crate) variant: Arc<Variant>,
    pub(crate) pos: AnyPos,
}

impl Variant {
    /// The position of the standard set-up.
    pub fn start(self: &Arc<Self>) -> Position {
        self.start_of("standard")
            .unwrap_or_else(|| unreachable!("a variant has a legal standard set-up"))
    }

    /// The position of a named set-up.
    pub fn start_of(self: &Arc<Self>, setup: &str) -> Option<Position> {
        Position::from_setup(self, self.setup(setup)?).ok()
    }

    /// Reads a position text.
    pub fn position(self: &Arc<Self>, fen: &str) -> Result<Position, PositionError> {
        let setup = crate::fen::read(self.notation(), fen)?;
        Ok(Position::from_setup(self, &setup)?)
    }
}

impl Position {
    /// The position of an arrangement, if the game's rules allow it.
    pub fn from_setup(variant: &Arc<Variant>, setup: &Setup) -> Result<Position, SetupError> {
        Position::checked(variant, setup, &[])
    }

    /// The position of an arrangement. The only flaw ignored here is the one that leaves the arrangement as it is.
    pub(crate) fn checked(
        variant: &Arc<Variant>,
        setup: &Setup,
        ignored: &[Flaw],
    ) -> Result<Position, SetupError> {
        Ok(Position {
            pos: variant.position_of(setup, ignored)?,
            variant: variant.clone(),
        })
    }

    /// The arrangement.
    pub fn setup(&self) -> Setup {
        at_width!(self, |_t, p| setup_of(&self.variant, p))
    }

    /// Canonical position text.
    pub fn fen(&self) -> String {
        crate::fen::write(&self.variant, &self.setup())
    }

    /// The game.
    pub fn variant(&self) -> &Arc<Variant> {
        &self.variant
    }

    /// Hands the position and its tables to code that is generic over their width.
    ///
    /// ```
    /// use husun::pos::Pos;
    /// use husun::set::Set;
    /// use husun::tables::Tables;
    /// use husun::VisitPosition;
    /// use std::sync::Arc;
    ///
    /// /// Counts the captures of the side to move, without a list of them.
    /// struct Captures;
    ///
    /// impl VisitPosition for Captures {
    ///     type Output = usize;
    ///     fn visit<S: Set>(self, tables: &Arc<Tables<S>>, pos: &Pos<S>) -> usize {
    ///         let mut n = 0;
    ///         tables.for_each_move(pos, |m| n += usize::from(pos.captured(m).is_some()));
    ///         n
    ///     }
    /// }
    ///
    /// # let mini = husun::Variant::parse("t.toml", husun::doctest::MINI).unwrap();
    /// assert_eq!(mini.position("1k1r/4/4/R2K w - - 0 1").unwrap().visit(Captures), 0);
    /// ```
    pub fn visit<V: VisitPosition>(&self, v: V) -> V::Output {
        at_width!(self, |t, p| v.visit(t, p))
    }

    /// The position at a width, if that is its own: for code that keeps [tables](Variant::visit) of the game.
    pub fn at_width<S: crate::set::Set>(&self) -> Option<&crate::pos::Pos<S>> {
        self.pos.get()
    }

    /// Who is to move.
    pub fn turn(&self) -> Side {
        at_width!(self, |_t, p| p.turn())
    }

    /// What stands on a square.
    pub fn piece_on(&self, square: Square) -> Option<(Side, Kind)> {
        at_width!(self, |_t, p| p.piece_on(square))
    }

    /// Castling rights.
    pub fn rights(&self) -> CastlingRights {
        at_width!(self, |_t, p| p.rights())
    }

    /// Half-moves since the last capture, pawn move or promotion.
    pub fn halfmove(&self) -> u32 {
        at_width!(self, |_t, p| p.halfmove())
    }

    /// Number of the full move.
    pub fn fullmove(&self) -> u32 {
        at_width!(self, |_t, p| p.fullmove())
    }

    /// Whether a state flag is set.
    pub fn has_flag(&self, flag: StateFlag) -> bool {
        let bit = self.variant.flag_bit(flag);
        at_width!(self, |_t, p| p.state() & bit != 0)
    }

    /// Zobrist key of all but the two counters.
    pub fn key(&self) -> u64 {
        at_width!(self, |_t, p| p.key())
    }

    /// Whether the two are the same position in all fields but the two counters.
    pub fn same_position(&self, other: &Position) -> bool {
        Arc::ptr_eq(&self.variant, &other.variant)
            && at_width!(self, |_t, a| other
                .pos
                .get()
                .is_some_and(|b| a.same_position(b)))
    }

    /// All legal moves, in no particular order.
    pub fn legal_moves(&self) -> Vec<Move> {
        let mut moves = Vec::with_capacity(64);
        at_width!(self, |t, p| t.legal_moves(p, &mut moves));
        moves
    }

    /// Calls `f` for every legal move, without a list.
    pub fn for_each_move(&self, f: impl FnMut(Move)) {
        at_width!(self, |t, p| t.for_each_move(p, f))
    }

    /// The first legal move, in no particular order, that `wanted` holds for; moves after it are not looked at.
    pub fn find_move(&self, wanted: impl FnMut(Move) -> bool) -> Option<Move> {
        at_width!(self, |t, p| t.find_move(p, wanted))
    }

    /// Whether a move is legal here, wherever it comes from.
    pub fn is_legal(&self, m: Move) -> bool {
        at_width!(self, |t, p| t.is_legal(p, m))
    }

    /// The legal move that a packed move stands for here, if any.
    pub fn unpack(&self, packed: PackedMove) -> Option<Move> {
        at_width!(self, |t, p| t.unpack(p, packed))
    }

    /// Number of legal moves.
    pub fn count_moves(&self) -> u64 {
        at_width!(self, |t, p| t.count_moves(p))
    }

    /// Number of legal move paths of a length (perft).
    pub fn perft(&self, depth: u32) -> u64 {
        at_width!(self, |t, p| t.perft(p, depth))
    }

    /// The position after a move, if it is legal here.
    pub fn play(&self, m: Move) -> Result<Position, IllegalMove> {
        match self.is_legal(m) {
            true => Ok(self.play_unchecked(m)),
            false => Err(IllegalMove),
        }
    }

    /// The position after a move that is known to be legal here, as one of [`Position::legal_moves`] or one that
    /// [`Position::parse_uci`] has read. For any other move the result is unspecified.
    ///
    /// # Panics
    ///
    /// Some other moves panic: those of a larger board, and those of kinds that the game does not have.
    #[must_use]
    pub fn play_unchecked(&self, m: Move) -> Position {
        let pos = at_width!(self, |t, p| AnyPos::from(t.play_unchecked(p, m)));
        Position {
            variant: self.variant.clone(),
            pos,
        }
    }

    /// Whether the side to move has a royal piece that is attacked.
    pub fn in_check(&self) -> bool {
        at_width!(self, |t, p| t.in_check(p, p.turn()))
    }

    /// The square of the side's royal piece, if it has one that counts as royal now.
    pub fn royal_square(&self, side: Side) -> Option<Square> {
        at_width!(self, |t, p| t.royal_square(p, side))
    }

    /// How many pieces of royal kinds the side has.
    pub fn royal_count(&self, side: Side) -> u32 {
        use crate::set::Set;
        at_width!(self, |t, p| (p.of_kinds(&t.royals) & p.side(side)).count())
    }

    /// Whether the move takes a piece.
    pub fn is_capture(&self, m: Move) -> bool {
        m.special() == Special::EnPassant
            || self
                .piece_on(m.to())
                .is_some_and(|(side, _)| side != self.turn())
    }

    /// What a move takes, with the square it stands on.
    pub fn captured(&self, m: Move) -> Option<(Square, Side, Kind)> {
        let square = match m.special() {
            Special::EnPassant => at_width!(self, |_t, p| p.victim),
            _ => m.to(),
        };
        let (side, kind) = self.piece_on(square)?;
        (side != self.turn()).then_some((square, side, kind))
    }

    /// Whether the side to move may accept its mate or stalemate: it has legal moves, and each is a Traverse
    /// that changes its royal piece, or the crowning.
    pub fn can_accept(&self) -> bool {
        let Some(traverse) = &self.variant.rules().traverse else {
            return false;
        };
        let moves = self.legal_moves();
        let optional = |m: &Move| {
            m.is_whole_act() || (m.piece() == traverse.piece && m.placed() == traverse.becomes)
        };
        !moves.is_empty() && moves.iter().all(optional)
    }

    /// The status: the first ending that holds, in the order of the rules.
    pub fn status(&self) -> Status {
        at_width!(self, |t, p| t.status(p))
    }

    /// The side that has won by the given status here; none for a draw or an ongoing game.
    pub fn winner(&self, status: Status) -> Option<Side> {
        let stalemate = self.variant.rules().endings.stalemate;
        match status {
            Status::Checkmate => Some(self.turn().opponent()),
            Status::Stalemate if stalemate == crate::variant::Stalemate::Win => {
                Some(self.turn().opponent())
            }
            Status::BareKing => Some(self.turn()),
            _ => None,
        }
    }

    /// Displays a move in UCI form. A move of another game, with squares or kinds that this one does not have, is
    /// displayed as `0000`, which is not a move.
    pub fn uci(&self, m: Move) -> UciMove<'_> {
        UciMove {
            variant: &self.variant,
            m,
        }
    }

    /// Reads a move in UCI form; the letter may be left out where only one move is possible.
    pub fn parse_uci(&self, text: &str) -> Result<Move, UciError> {
        let quoted = || text.chars().take(20).collect::<String>();
        let (from, to, letter) = self
            .split_uci(text)
            .ok_or_else(|| UciError::NotAMove(quoted()))?;
        let moves = self.legal_moves();
        let fits = |m: &&Move| m.from() == from && m.to() == to;
        let written = |m: &Move| self.variant.letter_of(*m).map(|l| l.to_ascii_lowercase());
        let exact = moves.iter().filter(fits).find(|m| written(m) == letter);
        if let Some(&m) = exact {
            return Ok(m);
        }
        let all: Vec<Move> = moves.iter().filter(fits).copied().collect();
        match all[..] {
            [only] if letter.is_none() => Ok(only),
            [_, _, ..] if letter.is_none() => Err(UciError::Ambiguous {
                text: quoted(),
                choices: all
                    .iter()
                    .map(|&m| self.uci(m).to_string())
                    .collect::<Vec<_>>()
                    .join(", "),
            }),
            _ => Err(UciError::Illegal(quoted())),
        }
    }

    fn split_uci(&self, text: &str) -> Option<(Square, Square, Option<char>)> {
        if !text.is_ascii() || text.len() > 7 {
            return None;
        }
        let second = text
            .char_indices()
            .skip(1)
            .find(|(_, c)| c.is_ascii_lowercase())
            .map(|(i, _)| i)?;
        let (from, rest) = text.split_at(second);
        let digits_end = rest
            .char_indices()
            .skip(1)
            .find(|(_, c)| !c.is_ascii_digit())
            .map_or(rest.len(), |(i, _)| i);
        let (to, letter) = rest.split_at(digits_end);
        let letter = match letter.as_bytes() {
            [] => None,
            [c] if c.is_ascii_lowercase() => Some(char::from(*c)),
            _ => return None,
        };
        let frame = self.variant.frame();
        Some((frame.parse(from).ok()?, frame.parse(to).ok()?, letter))
    }
}

impl PartialEq for Position {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.variant, &other.variant) && self.pos == other.pos
    }
}

impl fmt::Debug for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Position({}: {})", self.variant.id(), self.fen())
    }
}

impl Variant {
    /// The letter after a move's squares in UCI form: that of the kind that stands there afterwards, if it differs, or
    /// of the partner of a castling, if the royal piece may also go there by a move of its own.
    fn letter_of(&self, m: Move) -> Option<char> {
        if m.changes_kind() {
            return Some(self.piece(m.placed()).letter);
        }
        let castles = matches!(m.special(), Special::CastleEast | Special::CastleWest);
        let castling = self.rules().castling.as_ref().filter(|_| castles)?;
        let from = |side: &Side| castling.home(*side) == Some(m.from());
        let side = Side::ALL.into_iter().find(from)?;
        let own = self.targets(side, castling.piece, m.from(), |_| None);
        let same = |t: &crate::targets::Target| t.to == m.to() && t.becomes.is_empty();
        own.iter()
            .any(same)
            .then(|| self.piece(castling.partner).letter)
    }
}

/// A move in UCI form, for display.
#[derive(Clone, Copy, Debug)]
pub struct UciMove<'a> {
    variant: &'a Variant,
    m: Move,
}

impl fmt::Display for UciMove<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (variant, m) = (self.variant, self.m);
        let frame = variant.frame();
        let known = m.placed().index() < variant.pieces().len();
        if !frame.has(m.from()) || !frame.has(m.to()) || !known {
            return f.write_str("0000");
        }
        frame.name(m.from()).fmt(f)?;
        frame.name(m.to()).fmt(f)?;
        match variant.letter_of(m) {
            Some(letter) => f.write_char(letter.to_ascii_lowercase()),
            None => Ok(()),
        }
    }
}
