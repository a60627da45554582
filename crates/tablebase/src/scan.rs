//! The moves of all positions of some men: what has ended, what leads where within the table, and what leads into
//! other tables. Positions, endings and moves are those of the rules library.

use crate::error::BuildError;
use crate::men::Men;
use crate::table::{DRAWN, NONE, decided};
use husun::pos::Pos;
use husun::set::Set;
use husun::tables::Tables;
use husun::variant::StateFlag;
use husun::{CastlingRights, Position, Setup, Side, Square, Status, Variant, VisitTables};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Arrangements that a thread takes at a time.
const CHUNK: usize = 1 << 15;

/// A number whose position goes on.
pub(crate) const OPEN: u16 = u16::MAX;

/// What was found of the arrangements of a chunk, in their order.
#[derive(Default)]
pub(crate) struct Chunk {
    first: usize,
    /// By arrangement: none, drawn or decided at distance 0, or open.
    pub kept: Vec<u16>,
    /// By arrangement: how many moves stay within the table.
    pub degrees: Vec<u16>,
    /// Where these moves lead.
    pub edges: Vec<u32>,
    /// Sets of men of other tables that moves lead into.
    pub others: Vec<Men>,
    /// Moves into other tables: the arrangement, the place in `others`, the arrangement there.
    pub exits: Vec<(u32, u16, u32)>,
}

/// Why a game has no tables at all.
pub(crate) fn check(variant: &Variant) -> Result<(), BuildError> {
    let rules = variant.rules();
    let flags = variant.state_flags().iter();
    let prison_alone = flags
        .map(|f| f.1)
        .all(|f| matches!(f, StateFlag::InPrison(..)));
    let what = if rules.crowning.is_some() {
        "its pieces may be crowned while an offer stands"
    } else if rules.traverse.is_some() {
        "a player may accept a mate or stalemate rather than traverse"
    } else if !prison_alone {
        "its positions have state of their own"
    } else {
        return Ok(());
    };
    Err(BuildError::Beyond {
        game: variant.id().into(),
        what,
    })
}

/// Looks at all arrangements of some men, with several threads.
pub(crate) fn scan(
    variant: &Arc<Variant>,
    men: &Men,
    threads: usize,
) -> Result<Vec<Chunk>, BuildError> {
    variant.visit(Scan {
        variant,
        men,
        threads,
    })
}

struct Scan<'a> {
    variant: &'a Arc<Variant>,
    men: &'a Men,
    threads: usize,
}

impl VisitTables for Scan<'_> {
    type Output = Result<Vec<Chunk>, BuildError>;

    fn visit<S: Set>(self, tables: &Arc<Tables<S>>) -> Self::Output {
        let squares: Vec<Square> = self.variant.frame().squares().collect();
        let all = self.men.arrangements(squares.len());
        let (next, failed) = (AtomicUsize::new(0), AtomicBool::new(false));
        let done = Mutex::new((vec![], None));
        let work = || {
            while !failed.load(Ordering::Relaxed) {
                let first = next.fetch_add(CHUNK, Ordering::Relaxed);
                if first >= all {
                    return;
                }
                let mut looker = Looker::new(self.variant, self.men, &squares, tables, first);
                let looked = (first..all.min(first + CHUNK)).try_for_each(|n| looker.look(n));
                let mut done = done.lock().unwrap_or_else(PoisonError::into_inner);
                match looked {
                    Ok(()) => done.0.push(looker.chunk),
                    Err(error) => {
                        failed.store(true, Ordering::Relaxed);
                        done.1 = Some(error);
                    }
                }
            }
        };
        std::thread::scope(|scope| {
            for _ in 1..self.threads {
                scope.spawn(work);
            }
            work();
        });
        let (mut chunks, error) = done.into_inner().unwrap_or_else(PoisonError::into_inner);
        chunks.sort_unstable_by_key(|chunk: &Chunk| chunk.first);
        match error {
            Some(error) => Err(error),
            None => Ok(chunks),
        }
    }
}

/// A thread's look at a chunk.
struct Looker<'a, S: Set> {
    variant: &'a Arc<Variant>,
    men: &'a Men,
    squares: &'a [Square],
    tables: &'a Tables<S>,
    /// The arrangement as the gate of the rules wants it; its board is empty between two looks.
    setup: Setup,
    /// The men's squares.
    at: Vec<Square>,
    chunk: Chunk,
}

impl<'a, S: Set> Looker<'a, S> {
    fn new(
        variant: &'a Arc<Variant>,
        men: &'a Men,
        squares: &'a [Square],
        tables: &'a Tables<S>,
        first: usize,
    ) -> Self {
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
                state: 0,
                halfmove: 0,
                fullmove: 1,
            },
            at: vec![squares[0]; men.list().len()],
            chunk: Chunk {
                first,
                ..Chunk::default()
            },
        }
    }

    /// The position of an arrangement, if the rules allow it.
    fn position(&mut self, number: usize) -> Option<Position> {
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

    fn look(&mut self, number: usize) -> Result<(), BuildError> {
        let position = self.position(number);
        let pos = position
            .as_ref()
            .and_then(|p| Some((p, p.at_width::<S>()?)));
        let Some((position, pos)) = pos else {
            self.chunk.kept.push(NONE);
            self.chunk.degrees.push(0);
            return Ok(());
        };
        let status = self.tables.status(pos);
        if status != Status::Ongoing {
            let winner = position.winner(status);
            let kept = winner.map_or(DRAWN, |side| decided(side == pos.turn(), 0));
            self.chunk.kept.push(kept);
            self.chunk.degrees.push(0);
            return Ok(());
        }
        let before = self.chunk.edges.len();
        let mut leaves = None;
        let tables = self.tables;
        tables.for_each_move(pos, |m| {
            let next = tables.play_unchecked(pos, m);
            let plain = next.state() == 0 && next.rights().is_empty();
            if !plain || next.en_passant().next().is_some() {
                leaves = leaves.or(Some(m));
                return;
            }
            self.lead(number, pos, &next);
        });
        if let Some(m) = leaves {
            return Err(BuildError::Leaves {
                men: self.men.name(self.variant),
                fen: position.play_unchecked(m).fen(),
            });
        }
        self.chunk.kept.push(OPEN);
        let degree = self.chunk.edges.len() - before;
        self.chunk.degrees.push(degree as u16);
        Ok(())
    }

    /// Notes that a move leads from one position to another.
    fn lead(&mut self, number: usize, pos: &Pos<S>, next: &Pos<S>) {
        let all = self.squares.len();
        if let Some((man, to)) = self.one_moved(pos, next) {
            let mut at = [to; crate::MOST_MEN];
            let at = &mut at[..self.at.len()];
            at.copy_from_slice(&self.at);
            at[man] = to;
            let there = self.men.number(all, next.turn(), at);
            self.chunk.edges.push(there as u32);
            return;
        }
        let (men, mut at) = Men::of(next);
        let there = men.number(all, next.turn(), &mut at) as u32;
        if men == *self.men {
            self.chunk.edges.push(there);
            return;
        }
        let known = self.chunk.others.iter().position(|other| *other == men);
        let other = known.unwrap_or_else(|| {
            self.chunk.others.push(men);
            self.chunk.others.len() - 1
        });
        self.chunk.exits.push((number as u32, other as u16, there));
    }

    /// The man that has gone to an empty square, and where, if nothing else has changed.
    fn one_moved(&self, pos: &Pos<S>, next: &Pos<S>) -> Option<(usize, Square)> {
        let changed = pos.occupied() ^ next.occupied();
        if changed.count() != 2 {
            return None;
        }
        let to = (changed & next.occupied()).first()?;
        let from = (changed & pos.occupied()).first()?;
        let man = self.at.iter().position(|&square| square == from)?;
        (next.piece_on(to) == Some(self.men.list()[man])).then_some((man, to))
    }
}
