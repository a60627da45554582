//! What earlier parts of the search tell about moves: which quiet ones caused cutoffs, alone and after which
//! moves, and which captures. Values drift towards a bound, so that new results outweigh old ones.

use crate::memory;
use husun::{Kind, Move, Side};
use std::hint::black_box;

/// Bound of all values.
pub(crate) const BOUND: i32 = 16_384;

/// Kind and target of a move as one number; none for a null move or before the root.
pub(crate) type PieceTo = u32;

/// The tables of one thread.
pub(crate) struct History {
    squares: usize,
    kinds: usize,
    /// By side, origin and target.
    quiet: Vec<i16>,
    /// By kind, target and kind taken.
    capture: Vec<i16>,
    /// By side, an earlier move and this one: after the opponent's last move, after one's own.
    follow: [Vec<i16>; 2],
    /// By the opponent's last move: the move that refuted it.
    counter: Vec<Option<Move>>,
}

/// Lets a value drift towards a bound.
#[inline(always)]
pub(crate) fn update<const BOUND: i32>(value: &mut i16, bonus: i32) {
    let bonus = bonus.clamp(-BOUND, BOUND);
    let old = i32::from(*value);
    *value = (old + bonus - old * bonus.abs() / BOUND) as i16;
}

impl History {
    pub fn new(squares: usize, kinds: usize) -> History {
        let pairs = squares * kinds;
        let follow = [(); 2].map(|()| vec![0; 2 * pairs * pairs]);
        for table in &follow {
            memory::in_large_pages(table);
        }
        History {
            squares,
            kinds,
            quiet: vec![0; 2 * squares * squares],
            capture: vec![0; pairs * (kinds + 1)],
            follow,
            counter: vec![None; 2 * pairs],
        }
    }

    pub fn clear(&mut self) {
        for table in [&mut self.quiet, &mut self.capture]
            .into_iter()
            .chain(&mut self.follow)
        {
            // A compiler that knew a table to be fresh would leave this out.
            black_box(table).fill(0);
        }
        self.counter.fill(None);
    }

    #[inline(always)]
    pub fn piece_to(&self, m: Move) -> PieceTo {
        (m.piece().index() * self.squares + m.to().index()) as PieceTo
    }

    /// Number of the square that a move went to.
    #[inline(always)]
    pub fn target(&self, moved: PieceTo) -> usize {
        moved as usize % self.squares
    }

    #[inline(always)]
    fn quiet_at(&self, side: Side, m: Move) -> usize {
        (side.index() * self.squares + m.from().index()) * self.squares + m.to().index()
    }

    #[inline(always)]
    fn follow_at(&self, side: Side, before: PieceTo, now: PieceTo) -> usize {
        let pairs = self.squares * self.kinds;
        (side.index() * pairs + before as usize) * pairs + now as usize
    }

    #[inline(always)]
    fn capture_at(&self, m: Move, taken: Option<Kind>) -> usize {
        let taken = taken.map_or(self.kinds, Kind::index);
        self.piece_to(m) as usize * (self.kinds + 1) + taken
    }

    /// How a quiet move has done, alone.
    #[inline(always)]
    pub fn quiet(&self, side: Side, m: Move) -> i32 {
        i32::from(self.quiet[self.quiet_at(side, m)])
    }

    /// How a quiet move has done after the moves before it: the opponent's last, one's own last.
    #[inline(always)]
    pub fn quiet_after(&self, side: Side, m: Move, before: [Option<PieceTo>; 2]) -> i32 {
        let now = self.piece_to(m);
        let mut sum = self.quiet(side, m);
        for (table, earlier) in self.follow.iter().zip(before) {
            if let Some(earlier) = earlier {
                sum += i32::from(table[self.follow_at(side, earlier, now)]);
            }
        }
        sum
    }

    #[inline(always)]
    pub fn capture(&self, m: Move, taken: Option<Kind>) -> i32 {
        i32::from(self.capture[self.capture_at(m, taken)])
    }

    pub fn counter(&self, side: Side, before: Option<PieceTo>) -> Option<Move> {
        let pairs = self.squares * self.kinds;
        self.counter[side.index() * pairs + before? as usize]
    }

    pub fn set_counter(&mut self, side: Side, before: Option<PieceTo>, m: Move) {
        let pairs = self.squares * self.kinds;
        if let Some(before) = before {
            self.counter[side.index() * pairs + before as usize] = Some(m);
        }
    }

    pub fn learn_quiet(&mut self, side: Side, m: Move, before: [Option<PieceTo>; 2], bonus: i32) {
        let at = self.quiet_at(side, m);
        update::<BOUND>(&mut self.quiet[at], bonus);
        let now = self.piece_to(m);
        for (i, earlier) in before.into_iter().enumerate() {
            if let Some(earlier) = earlier {
                let at = self.follow_at(side, earlier, now);
                update::<BOUND>(&mut self.follow[i][at], bonus);
            }
        }
    }

    pub fn learn_capture(&mut self, m: Move, taken: Option<Kind>, bonus: i32) {
        let at = self.capture_at(m, taken);
        update::<BOUND>(&mut self.capture[at], bonus);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An empty history, and two moves of different pieces to different squares.
    fn two() -> (History, Move, Move) {
        let game = games::variant("chess").expect("a game");
        let moves = game.start().legal_moves();
        let kinds = game.kinds().count();
        let [first, .., last] = moves[..] else {
            unreachable!("there are twenty");
        };
        (History::new(64, kinds), first, last)
    }

    #[test]
    fn a_value_drifts_to_its_bound_and_back() {
        let mut value = 0;
        let mut before = 0;
        for _ in 0..200 {
            update::<BOUND>(&mut value, 1700);
            assert!(value >= before && i32::from(value) <= BOUND);
            before = value;
        }
        assert!(i32::from(value) > BOUND * 9 / 10, "{value}");
        // New results outweigh old ones: twenty failures undo two hundred successes.
        for _ in 0..20 {
            update::<BOUND>(&mut value, -1700);
        }
        assert!(value < 0, "{value}");
        update::<BOUND>(&mut value, -BOUND * 5);
        assert_eq!(i32::from(value), -BOUND);
    }

    #[test]
    fn moves_are_remembered_apart() {
        let (mut history, a, b) = two();
        assert_ne!(history.piece_to(a), history.piece_to(b));
        history.learn_quiet(Side::White, a, [None; 2], 500);
        assert_eq!(history.quiet(Side::White, a), 500);
        assert_eq!(history.quiet(Side::White, b), 0);
        assert_eq!(history.quiet(Side::Black, a), 0);
        history.learn_capture(a, Some(b.piece()), -300);
        assert_eq!(history.capture(a, Some(b.piece())), -300);
        assert_eq!(history.capture(a, None), 0);
        assert_eq!(history.capture(b, Some(b.piece())), 0);
        history.clear();
        assert_eq!(history.quiet(Side::White, a), 0);
        assert_eq!(history.capture(a, Some(b.piece())), 0);
    }

    #[test]
    fn moves_before_a_move_count_apart() {
        let (mut history, a, b) = two();
        let (after_a, after_b) = (Some(history.piece_to(a)), Some(history.piece_to(b)));
        history.learn_quiet(Side::White, b, [after_a, None], 400);
        // Alone, and after the opponent's move; not as an answer to one's own, nor to another move.
        let of = |history: &History, before| history.quiet_after(Side::White, b, before);
        assert_eq!(of(&history, [after_a, None]), 800);
        assert_eq!(of(&history, [None, after_a]), 400);
        assert_eq!(of(&history, [after_b, None]), 400);
        history.learn_quiet(Side::White, b, [after_a, after_b], 0);
        assert_eq!(of(&history, [after_a, after_b]), 800);
    }

    #[test]
    fn a_refutation_is_remembered_by_side_and_move() {
        let (mut history, a, b) = two();
        let before = Some(history.piece_to(a));
        assert_eq!(history.target(history.piece_to(a)), a.to().index());
        history.set_counter(Side::White, before, b);
        history.set_counter(Side::White, None, a);
        assert_eq!(history.counter(Side::White, before), Some(b));
        assert_eq!(history.counter(Side::Black, before), None);
        assert_eq!(history.counter(Side::White, None), None);
        assert_eq!(
            history.counter(Side::White, Some(history.piece_to(b))),
            None
        );
        history.clear();
        assert_eq!(history.counter(Side::White, before), None);
    }
}
