//! Which moves come first, stage by stage: the one that the table remembers, captures that gain, killers, the move that
//! answered the opponent's last one before, quiet moves by what earlier parts of the search say of them, captures
//! that lose. Both searches pick from it.

use crate::exchange::Exchanges;
use crate::history::{History, PieceTo};
use husun::pos::Pos;
use husun::set::Set;
use husun::{Kind, Move, PackedMove};

/// As what a move is tried, the last stage first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Stage {
    /// A capture or promotion that loses material.
    Losing,
    /// Any other move.
    Quiet,
    /// What refuted the opponent's last move elsewhere.
    Counter,
    /// What cut at this ply before the killer did.
    SecondKiller,
    /// The last quiet move that cut at this ply.
    Killer,
    /// A capture or promotion, as long as it is not known to lose.
    Gaining,
    /// What the table remembers.
    Table,
}

/// A move with its place: that of the higher stage comes first, then that of the higher score.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ranked {
    m: Move,
    stage: Stage,
    score: i32,
}

/// What earlier parts of the search propose at a node.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Hints {
    pub table: Option<PackedMove>,
    pub killers: [Option<Move>; 2],
    pub counter: Option<Move>,
    /// The opponent's last move and one's own last.
    pub before: [Option<PieceTo>; 2],
}

/// The moves of a node, the best first.
#[derive(Debug, Default)]
pub(crate) struct MovePicker {
    moves: Vec<Ranked>,
    /// How many have been picked.
    picked: usize,
}

/// Kind taken by a move, for histories.
#[inline(always)]
pub(crate) fn taken<S: Set>(pos: &Pos<S>, m: Move) -> Option<Kind> {
    pos.captured(m).map(|(_, kind)| kind)
}

impl MovePicker {
    /// Forgets its moves for those of another node.
    pub fn fill<S: Set>(
        &mut self,
        pos: &Pos<S>,
        moves: &[Move],
        hints: &Hints,
        exchanges: &Exchanges<S>,
        history: &History,
    ) {
        self.moves.clear();
        self.picked = 0;
        for &m in moves {
            let (stage, score) = if Some(m.packed()) == hints.table {
                (Stage::Table, 0)
            } else if pos.is_noisy(m) {
                let known = history.capture(m, taken(pos, m));
                (Stage::Gaining, 16 * exchanges.gain_of(pos, m) + known)
            } else if Some(m) == hints.killers[0] {
                (Stage::Killer, 0)
            } else if Some(m) == hints.killers[1] {
                (Stage::SecondKiller, 0)
            } else if Some(m) == hints.counter {
                (Stage::Counter, 0)
            } else {
                let score = history.quiet_after(pos.turn(), m, hints.before);
                (Stage::Quiet, score)
            };
            self.moves.push(Ranked { m, stage, score });
        }
    }

    /// Number of moves, picked ones included.
    pub fn len(&self) -> usize {
        self.moves.len()
    }

    pub fn is_empty(&self) -> bool {
        self.moves.is_empty()
    }

    /// The next move with its stage; a capture counts as gaining whatever it loses.
    #[inline(always)]
    pub fn next(&mut self) -> Option<(Move, Stage)> {
        let Ranked { m, stage, .. } = *self.best()?;
        self.picked += 1;
        Some((m, stage))
    }

    /// The next move with its stage; captures that lose are put off behind all quiet moves, found out when their turn
    /// comes. How captures have done moves the bar a little.
    #[inline(always)]
    pub fn next_sound<S: Set>(
        &mut self,
        pos: &Pos<S>,
        exchanges: &Exchanges<S>,
        history: &History,
    ) -> Option<(Move, Stage)> {
        loop {
            let Ranked { m, stage, .. } = *self.best()?;
            if stage == Stage::Gaining {
                let bar = -history.capture(m, taken(pos, m)) / 64;
                if !exchanges.see(pos, m, bar) {
                    self.moves[self.picked].stage = Stage::Losing;
                    continue;
                }
            }
            self.picked += 1;
            return Some((m, stage));
        }
    }

    /// Brings the best of the moves that are left to the front of them.
    #[inline(always)]
    fn best(&mut self) -> Option<&Ranked> {
        let left = self.moves.get_mut(self.picked..)?;
        let mut best = 0;
        for (i, ranked) in left.iter().enumerate().skip(1) {
            if (ranked.stage, ranked.score) > (left[best].stage, left[best].score) {
                best = i;
            }
        }
        if best != 0 {
            left.swap(0, best);
        }
        left.first()
    }
}
