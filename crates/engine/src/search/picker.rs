//! Which moves come first, stage by stage: the table's move, captures that gain, killers, the move that answered the
//! opponent's last one before, quiet moves by their history, captures that lose. Both searches pick from it.

use crate::exchange::Exchanges;
use crate::history::{History, PieceTo};
use husun::pos::Pos;
use husun::set::Set;
use husun::{Kind, Move, PackedMove};

/// The stage at which a move is tried, the last one first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Stage {
    /// A capture or promotion that loses material.
    Losing,
    /// Any other move.
    Quiet,
    /// The move that refuted the opponent's last move elsewhere.
    Counter,
    /// The move that caused a cutoff at this ply before the killer did.
    SecondKiller,
    /// The last quiet move that caused a cutoff at this ply.
    Killer,
    /// A capture or promotion, as long as it is not known to lose.
    Gaining,
    /// The transposition table's move.
    Table,
}

/// By number; one more entry than there are stages, so that three bits always find one.
const STAGES: [Stage; 8] = [
    Stage::Losing,
    Stage::Quiet,
    Stage::Counter,
    Stage::SecondKiller,
    Stage::Killer,
    Stage::Gaining,
    Stage::Table,
    Stage::Table,
];

/// Stage and score as one number, so that one comparison orders both: the higher stage first, then the higher score.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Rank(i32);

/// Bits below the stage. Scores use half of that range: values of pieces are at most [`crate::values::MAX_VALUE`].
const SCORE_BITS: u32 = 24;

impl Rank {
    #[inline(always)]
    fn new(stage: Stage, score: i32) -> Rank {
        debug_assert!(score.abs() < 1 << (SCORE_BITS - 1), "{score}");
        Rank(((stage as i32) << SCORE_BITS) + score)
    }

    /// Rounded to the nearest multiple, as scores lie on both sides of zero.
    #[inline(always)]
    fn stage(self) -> Stage {
        STAGES[((self.0 + (1 << (SCORE_BITS - 1))) >> SCORE_BITS) as usize & 7]
    }

    #[inline(always)]
    fn moved_to(self, stage: Stage) -> Rank {
        Rank(self.0 + ((stage as i32 - self.stage() as i32) << SCORE_BITS))
    }
}

/// A move with its rank.
#[derive(Clone, Copy, Debug)]
struct Ranked {
    m: Move,
    rank: Rank,
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

/// The moves of a node, best first.
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
    /// Replaces its moves by those of another node.
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
            let rank = Rank::new(stage, score);
            self.moves.push(Ranked { m, rank });
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
        let Ranked { m, rank } = self.best()?;
        self.picked += 1;
        Some((m, rank.stage()))
    }

    /// The next move with its stage; losing captures, found out when their turn comes, are put off until after all
    /// quiet moves. Capture history moves the threshold a little.
    #[inline(always)]
    pub fn next_sound<S: Set>(
        &mut self,
        pos: &Pos<S>,
        exchanges: &Exchanges<S>,
        history: &History,
    ) -> Option<(Move, Stage)> {
        loop {
            let Ranked { m, rank } = self.best()?;
            let stage = rank.stage();
            if stage == Stage::Gaining {
                let bar = -history.capture(m, taken(pos, m)) / 64;
                if !exchanges.see(pos, m, bar) {
                    self.moves[self.picked].rank = rank.moved_to(Stage::Losing);
                    continue;
                }
            }
            self.picked += 1;
            return Some((m, stage));
        }
    }

    /// Brings the best of the remaining moves to the front of them.
    #[inline(always)]
    fn best(&mut self) -> Option<Ranked> {
        let left = self.moves.get_mut(self.picked..)?;
        let (first, others) = left.split_first()?;
        let (mut best, mut highest) = (0, first.rank);
        for (i, other) in others.iter().enumerate() {
            if other.rank > highest {
                (best, highest) = (i + 1, other.rank);
            }
        }
        left.swap(0, best);
        left.first().copied()
    }
}
