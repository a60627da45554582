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

/// The moves of a node, best first. They are ranked when one after the table's move is asked for.
#[derive(Debug, Default)]
pub(crate) struct MovePicker {
    moves: Vec<Ranked>,
    /// How many have been picked.
    picked: usize,
    hints: Hints,
    ranked: bool,
    /// Whether the best of those left is known to be the first of them.
    sorted: bool,
}

/// Kind taken by a move, for histories.
#[inline(always)]
pub(crate) fn taken<S: Set>(pos: &Pos<S>, m: Move) -> Option<Kind> {
    pos.captured(m).map(|(_, kind)| kind)
}

/// What a capture or promotion must win so as not to count as losing: a little less where such moves were good before.
#[inline(always)]
pub(crate) fn bar<S: Set>(pos: &Pos<S>, m: Move, history: &History) -> i32 {
    -history.capture(m, taken(pos, m)) / 64
}

impl MovePicker {
    /// Replaces its moves by those of another node.
    pub fn fill(&mut self, moves: &[Move], hints: Hints) {
        let unknown = Rank::new(Stage::Quiet, 0);
        self.moves.clear();
        let unranked = moves.iter().map(|&m| Ranked { m, rank: unknown });
        self.moves.extend(unranked);
        (self.picked, self.hints, self.ranked) = (0, hints, false);
        self.sorted = false;
        let first = |table| self.moves.iter().position(|r| r.m.packed() == table);
        if let Some(at) = hints.table.and_then(first) {
            self.moves.swap(0, at);
            self.moves[0].rank = Rank::new(Stage::Table, 0);
        }
    }

    #[inline(always)]
    fn rank<S: Set>(&mut self, pos: &Pos<S>, exchanges: &Exchanges<S>, history: &History) {
        self.ranked = true;
        let hints = &self.hints;
        for ranked in &mut self.moves[self.picked..] {
            let m = ranked.m;
            let (stage, score) = if pos.is_noisy(m) {
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
            ranked.rank = Rank::new(stage, score);
        }
    }

    /// Drops the quiet moves that are left but for those that are wanted.
    pub fn keep_quiets(&mut self, mut wanted: impl FnMut(Move) -> bool) {
        let mut kept = self.picked;
        for at in self.picked..self.moves.len() {
            let ranked = self.moves[at];
            let quiet = (Stage::Quiet..=Stage::Killer).contains(&ranked.rank.stage());
            if !quiet || wanted(ranked.m) {
                self.moves[kept] = ranked;
                kept += 1;
            }
        }
        self.moves.truncate(kept);
        self.sorted = false;
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
    pub fn next<S: Set>(
        &mut self,
        pos: &Pos<S>,
        exchanges: &Exchanges<S>,
        history: &History,
    ) -> Option<(Move, Stage)> {
        let Ranked { m, rank } = self.best(pos, exchanges, history)?;
        self.picked += 1;
        Some((m, rank.stage()))
    }

    /// The next move with its stage; losing captures, found out when their turn comes, are put off until after all
    /// quiet moves.
    #[inline(always)]
    pub fn next_sound<S: Set>(
        &mut self,
        pos: &Pos<S>,
        exchanges: &Exchanges<S>,
        history: &History,
    ) -> Option<(Move, Stage)> {
        loop {
            let Ranked { m, rank } = self.best(pos, exchanges, history)?;
            let stage = rank.stage();
            if stage == Stage::Gaining && !exchanges.see(pos, m, bar(pos, m, history)) {
                self.moves[self.picked].rank = rank.moved_to(Stage::Losing);
                continue;
            }
            self.picked += 1;
            return Some((m, stage));
        }
    }

    /// The move that will most likely be next, unless finding out would take long.
    #[inline(always)]
    pub fn ahead(&mut self) -> Option<Move> {
        if !self.ranked {
            return None;
        }
        self.sort();
        self.moves.get(self.picked).map(|ranked| ranked.m)
    }

    /// Brings the best of the remaining moves to the front of them.
    #[inline(always)]
    fn sort(&mut self) {
        if std::mem::replace(&mut self.sorted, true) {
            return;
        }
        let Some(left) = self.moves.get_mut(self.picked..) else {
            return;
        };
        let Some((first, others)) = left.split_first() else {
            return;
        };
        let (mut best, mut highest) = (0, first.rank);
        for (i, other) in others.iter().enumerate() {
            if other.rank > highest {
                (best, highest) = (i + 1, other.rank);
            }
        }
        left.swap(0, best);
    }

    /// The best of the remaining moves, at the front of them.
    #[inline(always)]
    fn best<S: Set>(
        &mut self,
        pos: &Pos<S>,
        exchanges: &Exchanges<S>,
        history: &History,
    ) -> Option<Ranked> {
        if !self.ranked {
            let first = self.moves.get(self.picked).copied();
            if first.is_none_or(|first| first.rank.stage() == Stage::Table) {
                return first;
            }
            self.rank(pos, exchanges, history);
        }
        self.sort();
        self.sorted = false;
        self.moves.get(self.picked).copied()
    }
}
