//! What the rules say of the arrangements of some men: which are positions, where their moves lead, and where they may have come
//! from. Positions, endings and moves are those of the rules library.

use crate::error::BuildError;
use crate::men::{MOST_MEN, Men, known_state};
use crate::table::{DRAWN, decided};
use husun::pos::Pos;
use husun::set::Set;
use husun::tables::Tables;
use husun::{CastlingRights, Position, Setup, Side, Square, Status, Variant};
use std::sync::Arc;

/// Where a man may have come from: by man and square to which it went.
pub(crate) type Befores = Vec<Vec<Vec<Square>>>;

/// Where a move leads.
pub(crate) enum Next {
    /// Within the table: one man steps. Of equal men the first is named.
    Step {
        man: usize,
        from: Square,
        to: Square,
        number: usize,
    },
    /// Within the table in another way.
    Within { number: usize },
    /// Into another table; the squares are in the order of its men.
    Other {
        men: Men,
        turn: Side,
        at: Vec<Square>,
    },
    /// To a position with an en-passant capture, which is in no table: what has ended there, as a table keeps it, or where its
    /// own moves lead.
    Passing { ended: Option<u16>, next: Vec<Next> },
}

/// A thread's look at arrangements.
pub(crate) struct Looker<'a, S: Set> {
    variant: &'a Arc<Variant>,
    men: &'a Men,
    squares: &'a [Square],
    tables: &'a Tables<S>,
    /// The arrangement as the gate of the rules wants it; its board is empty between two looks.
    setup: Setup,
    /// The men's squares.
    at: Vec<Square>,
    /// By man: the first that is equal to it.
    first: Vec<usize>,
    /// The letters of state that tables know.
    known: u16,
}

impl<'a, S: Set> Looker<'a, S> {
    pub fn new(
        variant: &'a Arc<Variant>,
        men: &'a Men,
        squares: &'a [Square],
        tables: &'a Tables<S>,
    ) -> Self {
        let list = men.list();
        let first = |man| list.iter().position(|other| other == man).unwrap_or(0);
        Looker {
            variant,
            men,
            squares,
            tables,
            setup: Setup {
                board: vec![None; squares.len()],
                turn: Side::White,
                rights: CastlingRights::default(),
                en_passant: vec![],
                state: men.state(),
                halfmove: 0,
                fullmove: 1,
            },
            at: vec![squares[0]; list.len()],
            first: list.iter().map(first).collect(),
            known: known_state(variant),
        }
    }

    /// The position of an arrangement, if the rules allow it.
    pub fn position(&mut self, number: usize) -> Option<Position> {
        self.setup.turn = self.men.arrangement(self.squares, number, &mut self.at)?;
        for (&square, &man) in self.at.iter().zip(self.men.list()) {
            self.setup.board[square.index()] = Some(man);
        }
        let position = Position::from_setup(self.variant, &self.setup).ok();
        for square in &self.at {
            self.setup.board[square.index()] = None;
        }
        position
    }

    /// Whether the side to move of an arrangement that goes on may accept a stalemate that draws rather than move.
    pub fn may_accept_a_draw(&mut self, number: usize) -> bool {
        self.position(number).is_some_and(|position| {
            position.can_accept()
                && !position.in_check()
                && position.winner(Status::Stalemate).is_none()
        })
    }

    /// Makes all moves of the position of an arrangement.
    pub fn each_next(
        &mut self,
        number: usize,
        act: &mut dyn FnMut(Next),
    ) -> Result<(), BuildError> {
        let position = self.position(number);
        let Some((position, pos)) = position
            .as_ref()
            .and_then(|p| Some((p, p.at_width::<S>()?)))
        else {
            return Ok(());
        };
        let mut leaves = None;
        self.tables.for_each_move(pos, |m| {
            let next = self.tables.play_unchecked(pos, m);
            let passing = next.en_passant().next().is_some();
            let led = match is_plain(&next, self.known) {
                false => None,
                true if passing => self.passing(&position.play_unchecked(m), &next),
                true => Some(self.lead(pos, &next)),
            };
            match led {
                Some(next) => act(next),
                None => leaves = leaves.or(Some(m)),
            }
        });
        match leaves {
            Some(m) => Err(BuildError::Leaves {
                men: self.men.name(self.variant),
                fen: position.play_unchecked(m).fen(),
            }),
            None => Ok(()),
        }
    }

    /// Where the moves of a position with an en-passant capture lead; none if one leads to what no table can have.
    fn passing(&self, position: &Position, pos: &Pos<S>) -> Option<Next> {
        let mut next = vec![];
        let ended = ended(position);
        if ended.is_some() {
            return Some(Next::Passing { ended, next });
        }
        let mut stays = true;
        self.tables.for_each_move(pos, |m| {
            let then = self.tables.play_unchecked(pos, m);
            stays &= is_plain(&then, self.known) && then.en_passant().next().is_none();
            next.push(self.elsewhere(&then));
        });
        stays.then_some(Next::Passing { ended, next })
    }

    /// Where a move leads from one position to another.
    fn lead(&self, pos: &Pos<S>, next: &Pos<S>) -> Next {
        match self.one_moved(pos, next) {
            Some((man, to)) => Next::Step {
                man: self.first[man],
                from: self.at[man],
                to,
                number: self.moved(man, to, next.turn()),
            },
            None => self.elsewhere(next),
        }
    }

    /// The arrangement of a position, wherever it comes from.
    fn elsewhere(&self, next: &Pos<S>) -> Next {
        let (men, mut at) = Men::of(next);
        let turn = next.turn();
        match men == *self.men {
            true => Next::Within {
                number: men.number(self.squares.len(), turn, &mut at),
            },
            false => Next::Other { men, turn, at },
        }
    }

    /// The number of the arrangement with one man elsewhere.
    fn moved(&self, man: usize, square: Square, turn: Side) -> usize {
        let mut at = [square; MOST_MEN];
        let at = &mut at[..self.at.len()];
        at.copy_from_slice(&self.at);
        at[man] = square;
        self.men.number(self.squares.len(), turn, at)
    }

    /// The man that has gone to an empty square, and where, if nothing else has changed.
    fn one_moved(&self, pos: &Pos<S>, next: &Pos<S>) -> Option<(usize, Square)> {
        let changed = pos.occupied() ^ next.occupied();
        if changed.count() != 2 || pos.state() != next.state() {
            return None;
        }
        let to = (changed & next.occupied()).first()?;
        let from = (changed & pos.occupied()).first()?;
        let man = self.at.iter().position(|&square| square == from)?;
        (next.piece_on(to) == Some(self.men.list()[man])).then_some((man, to))
    }

    /// Goes through the arrangements from which one step may lead to an arrangement. Some of these steps may be
    /// blocked or forbidden there.
    pub fn each_before(&mut self, number: usize, befores: &Befores, act: &mut dyn FnMut(usize)) {
        let turn = self.men.arrangement(self.squares, number, &mut self.at);
        let Some(mover) = turn.map(Side::opponent) else {
            return;
        };
        for (man, &(side, _)) in self.men.list().iter().enumerate() {
            if side != mover {
                continue;
            }
            for &from in &befores[self.first[man]][self.at[man].index()] {
                if !self.at.contains(&from) {
                    act(self.moved(man, from, mover));
                }
            }
        }
    }
}

/// What a table keeps of a position in which the game is over.
pub(crate) fn ended(position: &Position) -> Option<u16> {
    let status = position.status();
    let won = |side| decided(side == position.turn(), 0);
    match status {
        Status::Ongoing => None,
        _ => Some(position.winner(status).map_or(DRAWN, won)),
    }
}

/// Whether nothing but the board, the side to move, letters of state that tables know and an en-passant capture belongs
/// to a position.
pub(crate) fn is_plain<S: Set>(pos: &Pos<S>, known: u16) -> bool {
    pos.state() & !known == 0 && pos.rights().is_empty()
}
