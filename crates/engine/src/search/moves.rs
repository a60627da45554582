//! The loop over a node's moves: which are skipped, extended or reduced, and what is learned from them.

use super::picker::{self, MovePicker, Stage, taken};
use super::{BEFORE, Node, Plan, Run, Wanted, Window, Worker};
use crate::correction::Places;
use crate::judge::Judge;
use crate::score::{INFINITE, MATE_BOUND};
use crate::tt::Bound;
use husun::pos::Pos;
use husun::set::Set;
use husun::tables::Tables;
use husun::{Move, Square};
use std::ops::Range;

/// Up to this depth a check that loses nothing is searched a ply deeper, so that a mate or a gain behind it does not
/// fall beyond the last ply.
const CHECKED: i32 = 3;

/// From this depth on it is found out whether the table's move is much better than all others.
const SINGULAR: i32 = 6;

/// At these depths of the principal variation, moves after one that raised alpha are searched a ply less deep.
const AFTER_BETTER: Range<i32> = 3..12;

/// So many moves of a node are tried before captures that lose nothing are reduced, too, where no cutoff is expected.
const CAPTURES: usize = 3;

/// Tried moves that are remembered for learning.
const TRIED: usize = 48;

/// Which moves are not worth a search.
enum Skip {
    None,
    /// This one.
    This,
    /// This and all quiet ones after it.
    Quiets,
}

/// From where each kind of piece attacks the opponent's royal piece, computed when first asked for.
struct Aims<S: Set> {
    royal: Option<Square>,
    known: u32,
    from: S::Planes,
}

impl<S: Set> Aims<S> {
    fn new(tables: &Tables<S>, pos: &Pos<S>) -> Self {
        Aims {
            royal: tables.royal_square(pos, pos.turn().opponent()),
            known: 0,
            from: S::no_planes(),
        }
    }

    /// Whether the piece would attack it from its target square.
    fn hits(&mut self, tables: &Tables<S>, pos: &Pos<S>, m: Move) -> bool {
        let Some(royal) = self.royal else {
            return false;
        };
        let kind = m.placed();
        let from = &mut self.from.as_mut()[kind.index()];
        if self.known >> kind.index() & 1 == 0 {
            self.known |= 1 << kind.index();
            *from = tables.attack_squares(pos.turn(), kind, royal, pos.occupied());
        }
        from.has(m.to())
    }
}

/// Moves tried before the one that caused a cutoff.
struct Tried {
    moves: [Option<Move>; TRIED],
    n: usize,
}

impl Tried {
    fn new() -> Tried {
        Tried {
            moves: [None; TRIED],
            n: 0,
        }
    }

    fn push(&mut self, m: Move) {
        if self.n < TRIED {
            self.moves[self.n] = Some(m);
            self.n += 1;
        }
    }

    fn all(&self) -> impl Iterator<Item = Move> {
        self.moves[..self.n].iter().flatten().copied()
    }
}

/// What searching a node's moves has found.
struct Found {
    best: i32,
    best_move: Option<Move>,
    /// Number of moves visited, including skipped ones.
    n: usize,
    /// Moves that caused no cutoff, for learning.
    quiets: Tried,
    captures: Tried,
}

impl<S: Set, J: Judge<S>> Worker<S, J> {
    /// Searches the moves of a node.
    pub(super) fn moves<const PV: bool>(&mut self, run: &Run, node: &Node<S>, plan: &Plan) -> i32 {
        let (mut picker, accepted) = self.picker(node, plan.table_move(), plan.ply, Wanted::All);
        let score = if picker.is_empty() {
            self.no_moves(plan.ply, node.in_check)
        } else {
            let mut found = Found {
                best: if accepted { 0 } else { -INFINITE },
                best_move: None,
                n: 0,
                quiets: Tried::new(),
                captures: Tried::new(),
            };
            match self.try_moves::<PV>(run, node, plan, &mut picker, accepted, &mut found) {
                Some(score) => score,
                None => self.conclude::<PV>(run, node, plan, &found),
            }
        };
        self.put_back(picker);
        score
    }

    /// Searches one move after the other until one causes a cutoff. Returns the score if the node ends without a
    /// conclusion: the search is stopped, or the search without the table's move already cuts.
    #[inline(always)]
    fn try_moves<const PV: bool>(
        &mut self,
        run: &Run,
        node: &Node<S>,
        plan: &Plan,
        picker: &mut MovePicker,
        accepted: bool,
        found: &mut Found,
    ) -> Option<i32> {
        let Window { mut alpha, beta } = plan.window;
        let (pos, ply) = (node.pos, plan.ply);
        if accepted {
            alpha = alpha.max(0);
        }
        let (mut skip_quiets, mut aims) = (false, None);
        while !(accepted && alpha >= beta)
            && let Some((m, stage)) = picker.next_sound(pos, &self.exchanges, &self.history)
        {
            if Some(m) == plan.excluded {
                continue;
            }
            let noisy = pos.is_noisy(m);
            if !noisy && skip_quiets && !self.checks_soundly(pos, m, &mut aims) {
                continue;
            }
            found.n += 1;
            // A search for a mate must not miss a move.
            if found.best > -MATE_BOUND && found.n > 1 && run.limits.mate.is_none() {
                match self.skips(node, plan, (m, stage), found.n, alpha) {
                    Skip::None => {}
                    Skip::This => continue,
                    Skip::Quiets => {
                        skip_quiets = true;
                        picker.keep_quiets(|m| self.aims_at_royal(pos, m, &mut aims));
                        if !self.checks_soundly(pos, m, &mut aims) {
                            continue;
                        }
                    }
                }
            }
            let mut extension = match self.singular::<PV>(run, node, plan, m) {
                None => 0,
                Some(Singular::Extend(by)) => by,
                Some(Singular::Cut(score)) => return Some(score),
            };
            if self.stopped {
                return Some(0);
            }
            let losing = stage == Stage::Losing;
            let history = self.history_of(pos, m, noisy, ply);
            let mut next = *node.pos;
            let in_check = self.make(run, node, m, ply, &mut next);
            let child = Node {
                pos: &next,
                in_check,
            };
            if in_check
                && plan.depth <= CHECKED
                && !losing
                && (ply as i32) < 2 * self.root_depth
                && (noisy || self.exchanges.see(pos, m, 0))
            {
                extension = 1;
            }
            // What comes after a move that is better than expected is seldom better still.
            let after = PV
                && found.best_move.is_some()
                && AFTER_BETTER.contains(&plan.depth)
                && run.limits.mate.is_none();
            let depth = plan.depth - 1 + extension - i32::from(after);
            let late = Late {
                n: found.n,
                noisy,
                losing,
                history,
                killer: self.frames[ply + BEFORE].killers.contains(&Some(m)),
            };
            // After the first move of a node that is expected to be cut off there is mostly no other.
            if !(plan.cut && found.n == 1)
                && let Some(m) = picker.ahead()
            {
                self.fetch(run, pos, m.packed());
            }
            let score = self.child::<PV>(run, &child, Window::new(alpha, beta), depth, plan, &late);
            self.unmake();
            if self.stopped {
                return Some(0);
            }
            if score > found.best {
                found.best = score;
                if score > alpha {
                    found.best_move = Some(m);
                    if PV {
                        self.extend_line(ply, m);
                    }
                    if score >= beta {
                        break;
                    }
                    alpha = score;
                }
            }
            if Some(m) != found.best_move {
                if noisy {
                    found.captures.push(m);
                } else {
                    found.quiets.push(m);
                }
            }
        }
        None
    }

    /// Learns from what was found at a node, and stores it.
    #[inline(always)]
    fn conclude<const PV: bool>(
        &mut self,
        run: &Run,
        node: &Node<S>,
        plan: &Plan,
        found: &Found,
    ) -> i32 {
        let (best, beta) = (found.best, plan.window.beta);
        if found.n == 0 && best == -INFINITE {
            // There was nothing but the excluded move.
            return plan.window.alpha;
        }
        if best >= beta
            && let Some(m) = found.best_move
        {
            self.frame(plan.ply).cuts += 1;
            self.learn(node.pos, m, plan, &found.quiets, &found.captures);
        }
        if let Some(places) = plan.judged.places {
            self.correct(places, node.pos, plan, found);
        }
        if plan.excluded.is_none() {
            let bound = if best >= beta {
                Bound::Lower
            } else if PV && found.best_move.is_some() {
                Bound::Exact
            } else {
                Bound::Upper
            };
            self.note(run, node.pos, plan, best, found.best_move, bound);
        }
        best
    }

    /// Learns how far a quiet position was from what was said of it, where the search's bound tells.
    #[inline(always)]
    fn correct(&mut self, places: Places, pos: &Pos<S>, plan: &Plan, found: &Found) {
        let better = found.best - plan.judged.corrected;
        let known = match found.best_move {
            Some(m) if pos.is_noisy(m) => false,
            Some(_) => found.best < plan.window.beta || better > 0,
            None => better < 0,
        };
        if known && found.best.abs() < MATE_BOUND {
            self.corrections.learn(places, better, plan.depth);
        }
    }

    #[inline(always)]
    fn history_of(&self, pos: &Pos<S>, m: Move, noisy: bool, ply: usize) -> i32 {
        if noisy {
            self.history.capture(m, taken(pos, m))
        } else {
            self.history.quiet_after(pos.turn(), m, self.before(ply))
        }
    }

    /// Whether a move is not worth searching at low depth.
    #[inline(always)]
    fn skips(
        &self,
        node: &Node<S>,
        plan: &Plan,
        (m, stage): (Move, Stage),
        n: usize,
        alpha: i32,
    ) -> Skip {
        let pos = node.pos;
        let depth = plan.depth;
        let numbers = &self.parameters;
        let skip = |it: bool| if it { Skip::This } else { Skip::None };
        if pos.is_noisy(m) {
            let bar = -numbers.capture_exchange * depth;
            // A gaining one is known to win as much as the picker asks.
            let known = stage == Stage::Gaining && bar <= picker::bar(pos, m, &self.history);
            return skip(depth <= 6 && !known && !self.exchanges.see(pos, m, bar));
        }
        let enough = if plan.improving {
            (4 + depth * depth) * numbers.enough_moves
        } else {
            (4 + depth * depth) * numbers.enough_if_worse / 2
        };
        if depth <= 8 && 100 * n as i32 > enough && !node.in_check {
            return Skip::Quiets;
        }
        let reduced = (depth - self.reductions.of(depth, n) / 1024).max(0);
        let margin = numbers.quiet_margin + numbers.quiet_slope * reduced;
        if !node.in_check && reduced <= 7 && plan.eval() + margin <= alpha {
            return Skip::Quiets;
        }
        let history = self.history_of(pos, m, false, plan.ply);
        if reduced <= 3 && history < -numbers.quiet_history * depth {
            return Skip::This;
        }
        let loss = numbers.quiet_exchange * reduced * reduced + 10;
        skip(reduced <= 8 && !self.exchanges.see(pos, m, -loss))
    }

    /// Whether a quiet move gives check by the piece that moves.
    #[inline(always)]
    fn aims_at_royal(&self, pos: &Pos<S>, m: Move, aims: &mut Option<Aims<S>>) -> bool {
        let aims = aims.get_or_insert_with(|| Aims::new(&self.tables, pos));
        aims.hits(&self.tables, pos, m)
    }

    /// Whether it loses nothing, besides: such moves are tried no matter how many came before.
    #[inline(always)]
    fn checks_soundly(&self, pos: &Pos<S>, m: Move, aims: &mut Option<Aims<S>>) -> bool {
        self.aims_at_royal(pos, m, aims) && self.exchanges.see(pos, m, 0)
    }

    /// Whether the table's move is much better than all others, or others cause a cutoff too. At a node that is to be cut
    /// off it is taken back a ply even if neither is so.
    #[inline(always)]
    fn singular<const PV: bool>(
        &mut self,
        run: &Run,
        node: &Node<S>,
        plan: &Plan,
        m: Move,
    ) -> Option<Singular> {
        let entry = plan.known?;
        let wanted = plan.depth >= SINGULAR
            && entry.m == Some(m.packed())
            && plan.excluded.is_none()
            && entry.depth >= plan.depth - 3
            && matches!(entry.bound, Bound::Lower | Bound::Exact)
            && entry.score.abs() < MATE_BOUND
            // Whether a mate can be escaped is not left to shallow searches.
            && plan.window.beta > -MATE_BOUND
            && (plan.ply as i32) < 2 * self.root_depth;
        if !wanted {
            return None;
        }
        let bar = entry.score - self.parameters.singular_margin * plan.depth / 16;
        self.frame(plan.ply).excluded = Some(m);
        let w = Window::new(bar - 1, bar);
        let others = self.search::<false>(run, node, w, (plan.depth - 1) / 2, plan.ply, plan.cut);
        self.frame(plan.ply).excluded = None;
        if others < bar {
            let much = !PV && others < bar - self.parameters.singular_twice;
            return Some(Singular::Extend(if much { 2 } else { 1 }));
        }
        if bar >= plan.window.beta {
            return Some(Singular::Cut(bar));
        }
        if entry.score >= plan.window.beta {
            return Some(Singular::Extend(-2));
        }
        plan.cut.then_some(Singular::Extend(-1))
    }

    /// Searches the position after a move, late moves less deep and with a null window first.
    #[inline(always)]
    fn child<const PV: bool>(
        &mut self,
        run: &Run,
        child: &Node<S>,
        window: Window,
        depth: i32,
        plan: &Plan,
        late: &Late,
    ) -> i32 {
        let below = plan.ply + 1;
        let null = Window::null(window.alpha);
        let mut score = -INFINITE;
        let first = late.n == 1;
        if plan.depth >= 2
            && late.n > 1 + usize::from(PV)
            && (!late.noisy || late.losing || plan.cut || late.n > CAPTURES)
        {
            let numbers = &self.parameters;
            let mut r = self.reductions.of(plan.depth, late.n);
            r -= numbers.late_principal * i32::from(plan.was_pv);
            r += numbers.late_cut * i32::from(plan.cut);
            r += numbers.late_worse * i32::from(!plan.improving);
            r -= numbers.late_check * i32::from(child.in_check);
            r -= numbers.late_killer * i32::from(late.killer);
            r += numbers.late_cuts * i32::from(self.frames[below + BEFORE].cuts > 3);
            let share = match late.noisy {
                true => numbers.late_capture,
                false => numbers.late_history,
            };
            r -= late.history * share / 4096;
            let reduced = (depth - r / 1024).clamp(1, depth.max(1));
            score = -self.search::<false>(run, child, null, reduced, below, true);
            if score > window.alpha && reduced < depth && !self.stopped {
                score = -self.search::<false>(run, child, null, depth, below, !plan.cut);
            }
        } else if !PV || !first {
            score = -self.search::<false>(run, child, null, depth, below, !plan.cut);
        }
        if PV && (first || score > window.alpha) && !self.stopped {
            score = -self.search::<true>(run, child, window.flipped(), depth, below, false);
        }
        score
    }

    /// Records that a move caused a cutoff, and that those tried before it did not.
    fn learn(&mut self, pos: &Pos<S>, m: Move, plan: &Plan, quiets: &Tried, captures: &Tried) {
        let us = pos.turn();
        let before = self.before(plan.ply);
        let numbers = &self.parameters;
        let more = (numbers.history_slope * plan.depth - 90).min(numbers.history_most);
        if pos.is_noisy(m) {
            self.history.learn_capture(m, taken(pos, m), more);
        } else {
            let killers = &mut self.frame(plan.ply).killers;
            if killers[0] != Some(m) {
                *killers = [Some(m), killers[0]];
            }
            self.history.set_counter(us, before[0], m);
            self.history.learn_quiet(us, m, before, more);
            for other in quiets.all() {
                self.history.learn_quiet(us, other, before, -more);
            }
        }
        for other in captures.all() {
            self.history.learn_capture(other, taken(pos, other), -more);
        }
    }

    /// The best line from a ply: the move, then the best line after it.
    #[inline(always)]
    pub(crate) fn extend_line(&mut self, ply: usize, m: Move) {
        let (upper, lower) = self.lines.split_at_mut(ply + 1);
        let line = &mut upper[ply];
        line.clear();
        line.push(m);
        line.extend_from_slice(&lower[0]);
    }
}

/// What is known of a late move.
struct Late {
    n: usize,
    noisy: bool,
    losing: bool,
    history: i32,
    killer: bool,
}

/// The result of a search without the table's move.
enum Singular {
    Extend(i32),
    Cut(i32),
}
