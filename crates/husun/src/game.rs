//! A game being played: the moves so far, repetition, and every way in which it can end, with its reason and
//! game points. It never looks at a clock: clocks are separate ([`crate::clock`]).

use crate::moves::{IllegalMove, Move};
use crate::piece::Kind;
use crate::position::Position;
use crate::setup::Setup;
use crate::side::Side;
use crate::status::Status;
use crate::variant::Variant;
use std::sync::Arc;

/// Why a game has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reason {
    /// The royal piece is attacked and no legal move is left.
    Checkmate,
    /// Checkmate by the capture of one of two royal pieces.
    GreenGem,
    /// No legal move is left and there is no check; a draw or a win, as the game's rules say.
    Stalemate,
    /// A royal piece has reached an opposite citadel.
    Citadel,
    /// A side has been left with its royal piece alone.
    BareKing,
    /// Only royal pieces are left.
    BareRoyals,
    /// The same position has occurred as often as the rules allow.
    Repetition,
    /// Too many moves without capture, pawn move or promotion.
    MoveRule,
    /// A player has resigned.
    Resignation,
    /// A player's time has run out.
    Time,
    /// The players have agreed on a draw.
    Agreement,
    /// The game was given up by those running it.
    Abandoned,
}

impl Reason {
    /// Every reason with its name.
    pub const NAMES: [(Reason, &'static str); 12] = [
        (Reason::Checkmate, "checkmate"),
        (Reason::GreenGem, "green gem"),
        (Reason::Stalemate, "stalemate"),
        (Reason::Citadel, "citadel"),
        (Reason::BareKing, "bare king"),
        (Reason::BareRoyals, "bare royals"),
        (Reason::Repetition, "repetition"),
        (Reason::MoveRule, "move rule"),
        (Reason::Resignation, "resignation"),
        (Reason::Time, "time"),
        (Reason::Agreement, "agreement"),
        (Reason::Abandoned, "abandoned"),
    ];

    /// Its name, such as `green gem`.
    pub fn name(self) -> &'static str {
        Self::NAMES
            .iter()
            .find(|(r, _)| *r == self)
            .map_or("", |(_, name)| name)
    }

    /// The reason with a name.
    pub fn from_name(name: &str) -> Option<Reason> {
        Self::NAMES
            .iter()
            .find(|(_, n)| *n == name)
            .map(|(reason, _)| *reason)
    }
}

/// How a game has ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outcome {
    /// Who has won; none for a draw.
    pub winner: Option<Side>,
    /// Why.
    pub reason: Reason,
    /// Game points of White and Black.
    pub points: [f64; 2],
}

/// Why a game refuses an action.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ActionError {
    /// The game has ended.
    #[error("the game is over: {0}")]
    Over(&'static str),
    /// The move is not legal.
    #[error(transparent)]
    Illegal(#[from] IllegalMove),
    /// There is nothing to accept: some legal move is not optional, or there is none.
    #[error("nothing to accept: only a player whose legal moves are all optional may accept")]
    NothingToAccept,
    /// No draw has been offered, or only by the same player.
    #[error("no draw has been offered by the opponent")]
    NoOffer,
    /// There is no move to take back.
    #[error("there is no move to take back")]
    NoMove,
}

/// A game being played.
///
/// ```
/// use husun::{Game, Reason, Side};
/// # let mini = husun::Variant::parse("t.toml", husun::doctest::MINI).unwrap();
/// let mut game = Game::new(mini.start());
/// let m = game.position().parse_san("Ra3").unwrap();
/// game.play(m).unwrap();
/// let outcome = game.resign(Side::Black).unwrap();
/// assert_eq!((outcome.winner, outcome.reason), (Some(Side::White), Reason::Resignation));
/// assert!(game.play(m).is_err());
/// ```
#[derive(Clone, Debug)]
pub struct Game {
    /// The position before every move, then the present one.
    positions: Vec<Position>,
    moves: Vec<Move>,
    outcome: Option<Outcome>,
    offer: Option<Side>,
}

impl Game {
    /// A game from a position, in which it may already be over.
    pub fn new(start: Position) -> Game {
        let mut game = Game {
            positions: vec![start],
            moves: Vec::new(),
            outcome: None,
            offer: None,
        };
        game.outcome = game.ending();
        game
    }

    /// The game's variant.
    pub fn variant(&self) -> &Arc<Variant> {
        self.position().variant()
    }

    /// The present position.
    pub fn position(&self) -> &Position {
        &self.positions[self.moves.len()]
    }

    /// The position after `ply` moves; 0 is the start.
    pub fn position_at(&self, ply: usize) -> Option<&Position> {
        self.positions.get(ply)
    }

    /// The position in which the game started.
    pub fn start(&self) -> &Position {
        &self.positions[0]
    }

    /// The moves so far.
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// The moves so far in algebraic notation.
    pub fn san_moves(&self) -> Vec<String> {
        let played = self.positions.iter().zip(&self.moves);
        // All of them were legal when they were played.
        played.filter_map(|(p, &m)| p.san(m).ok()).collect()
    }

    /// How it has ended, if it has.
    pub fn outcome(&self) -> Option<Outcome> {
        self.outcome
    }

    /// Who is to move.
    pub fn turn(&self) -> Side {
        self.position().turn()
    }

    /// Who has offered a draw that can still be agreed on.
    pub fn draw_offer(&self) -> Option<Side> {
        self.offer
    }

    /// How often the present position has occurred, including now.
    pub fn occurrences(&self) -> u32 {
        let now = self.position();
        self.positions
            .iter()
            .filter(|p| p.same_position(now))
            .count() as u32
    }

    fn going_on(&self) -> Result<(), ActionError> {
        match self.outcome {
            None => Ok(()),
            Some(outcome) => Err(ActionError::Over(outcome.reason.name())),
        }
    }

    /// Makes a move, and says how the game has ended if it has. A draw offer by the opponent lapses.
    pub fn play(&mut self, m: Move) -> Result<Option<Outcome>, ActionError> {
        self.going_on()?;
        self.play_on(m)
    }

    /// Makes a move even after a draw, as analysis does; the outcome is then that of the position reached.
    /// Fails where no legal move is left.
    pub fn play_on(&mut self, m: Move) -> Result<Option<Outcome>, ActionError> {
        let next = self.position().play(m)?;
        if self.offer == Some(self.turn().opponent()) {
            self.offer = None;
        }
        self.positions.push(next);
        self.moves.push(m);
        self.outcome = self.ending();
        Ok(self.outcome)
    }

    /// Takes back the last move and any ending. The outcome is then that of the position reached: there is one if the
    /// game was continued past a draw ([`Game::play_on`]).
    pub fn take_back(&mut self) -> Result<Move, ActionError> {
        let m = self.moves.pop().ok_or(ActionError::NoMove)?;
        self.positions.pop();
        self.offer = None;
        self.outcome = self.ending();
        Ok(m)
    }

    /// The side resigns: its opponent scores as for a checkmate.
    pub fn resign(&mut self, side: Side) -> Result<Outcome, ActionError> {
        self.end(Some(side.opponent()), Reason::Resignation)
    }

    /// The side's time has run out. A loss, or a draw if the opponent has only royal pieces.
    pub fn lose_on_time(&mut self, side: Side) -> Result<Outcome, ActionError> {
        let position = self.position();
        let setup = position.setup();
        let royals = position.royal_count(side.opponent());
        let pieces = setup.board.iter().flatten();
        let all = pieces.filter(|(s, _)| *s == side.opponent()).count();
        let winner = (all > royals as usize).then_some(side.opponent());
        self.end(winner, Reason::Time)
    }

    /// The side offers a draw; if the opponent has offered one, the game is drawn.
    pub fn offer_draw(&mut self, side: Side) -> Result<Option<Outcome>, ActionError> {
        self.going_on()?;
        if self.offer == Some(side.opponent()) {
            return self.agree_to_draw(side).map(Some);
        }
        self.offer = Some(side);
        Ok(None)
    }

    /// The side agrees to the draw that its opponent has offered.
    pub fn agree_to_draw(&mut self, side: Side) -> Result<Outcome, ActionError> {
        self.going_on()?;
        if self.offer != Some(side.opponent()) {
            return Err(ActionError::NoOffer);
        }
        self.end(None, Reason::Agreement)
    }

    /// The side declines the draw that its opponent has offered.
    pub fn decline_draw(&mut self, side: Side) -> Result<(), ActionError> {
        self.going_on()?;
        if self.offer != Some(side.opponent()) {
            return Err(ActionError::NoOffer);
        }
        self.offer = None;
        Ok(())
    }

    /// The side to move accepts its mate or stalemate rather than play an optional move.
    pub fn accept(&mut self) -> Result<Outcome, ActionError> {
        self.going_on()?;
        if !self.position().can_accept() {
            return Err(ActionError::NothingToAccept);
        }
        let status = match self.position().in_check() {
            true => Status::Checkmate,
            false => Status::Stalemate,
        };
        let winner = self.position().winner(status);
        match status {
            Status::Checkmate => self.end(winner, Reason::Checkmate),
            _ => self.end(winner, Reason::Stalemate),
        }
    }

    /// The game is given up, as a win or a draw.
    pub fn abandon(&mut self, winner: Option<Side>) -> Result<Outcome, ActionError> {
        self.end(winner, Reason::Abandoned)
    }

    fn end(&mut self, winner: Option<Side>, reason: Reason) -> Result<Outcome, ActionError> {
        self.going_on()?;
        let outcome = self.scored(winner, reason);
        self.outcome = Some(outcome);
        Ok(outcome)
    }

    fn scored(&self, winner: Option<Side>, reason: Reason) -> Outcome {
        Outcome {
            winner,
            reason,
            points: points(self.position(), winner, reason),
        }
    }

    /// The first ending that holds in the present position, in the order of the rules.
    fn ending(&self) -> Option<Outcome> {
        let position = self.position();
        let status = position.status();
        let reason = match status {
            Status::Checkmate if self.is_green_gem() => Reason::GreenGem,
            Status::Checkmate => Reason::Checkmate,
            Status::Stalemate => Reason::Stalemate,
            Status::Citadel => Reason::Citadel,
            Status::BareKing => Reason::BareKing,
            Status::BareRoyals => Reason::BareRoyals,
            Status::Ongoing | Status::MoveRule => {
                let limit = self.variant().rules().endings.repetition;
                let repeated =
                    limit.is_some_and(|n| self.moves.len() > 2 && self.occurrences() >= n);
                match (repeated, status) {
                    (true, _) => Reason::Repetition,
                    (false, Status::MoveRule) => Reason::MoveRule,
                    _ => return None,
                }
            }
        };
        Some(self.scored(position.winner(status), reason))
    }

    /// Whether the last move took one of the mated side's royal pieces, of which it had several.
    fn is_green_gem(&self) -> bool {
        let rules = self.variant().rules();
        let Some(before) = self.moves.len().checked_sub(1) else {
            return false;
        };
        let mated = self.turn();
        rules.points.green_gem.is_some()
            && self.positions[before].royal_count(mated) > self.position().royal_count(mated)
    }

    /// Pieces of each side that have been captured, in order of capture.
    pub fn captured(&self) -> [Vec<Kind>; 2] {
        let mut captured = [Vec::new(), Vec::new()];
        for (position, &m) in self.positions.iter().zip(&self.moves) {
            if let Some((_, side, kind)) = position.captured(m) {
                captured[side.index()].push(kind);
            }
        }
        captured
    }
}

/// Game points of an ending in a position.
fn points(position: &Position, winner: Option<Side>, reason: Reason) -> [f64; 2] {
    let variant = position.variant();
    let points = &variant.rules().points;
    let setup = position.setup();
    let royal = |side: Side| royal_kind(&setup, variant, side);
    let change = |side: Side| {
        let kind = royal(side);
        points
            .royal
            .iter()
            .find(|(k, _, _)| Some(*k) == kind)
            .map_or((0.0, 0.0), |&(_, b, d)| (b, d))
    };
    Side::ALL.map(|side| {
        let own = points.side[side.index()];
        match winner {
            None => own.draw + change(side).1,
            Some(winner) if winner != side => own.loss,
            Some(_) => match points.green_gem.filter(|_| reason == Reason::GreenGem) {
                Some(gem) => gem,
                None => own.win + change(side.opponent()).0,
            },
        }
    })
}

fn royal_kind(setup: &Setup, variant: &Variant, side: Side) -> Option<Kind> {
    let pieces = setup.board.iter().flatten();
    pieces
        .filter(|(s, _)| *s == side)
        .map(|(_, kind)| *kind)
        .find(|&kind| variant.piece(kind).royal)
}
