//! From arrangements to outcomes: positions are decided in the order of their distance from the end, and whatever is
//! never decided is a draw. No list of moves is kept: an arrangement takes three bytes, and moves are made anew
//! whenever a position may have been decided.

use crate::error::{BuildError, ProbeError};
use crate::men::Men;
use crate::probe::Tablebase;
use crate::scan::{Befores, Looker, Next, ended};
use crate::table::{DRAWN, FURTHEST, NONE, Table, decided, verdict};
use engine::{Outcome, Verdict};
use husun::set::Set;
use husun::tables::Tables;
use husun::{Square, Variant, VisitTables};
use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU16, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};

/// Arrangements that a thread takes at a time.
const CHUNK: usize = 1 << 15;
/// A position that goes on and of which nothing is known.
const OPEN: u16 = u16::MAX;
/// One that may have been decided by what was found last.
const MARKED: u16 = u16::MAX - 1;
/// Bytes of memory for each arrangement.
pub(crate) const BYTES: u64 = 3;
/// In place of a watched move: some move can never lose, or a draw may be accepted instead of all.
const SAFE: u8 = 0;

/// How far the making of a table has come.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Far {
    /// Arrangements that were looked at, of all.
    Looked(usize, usize),
    /// All ends up to this distance are known.
    Decided(u16),
}

/// What came of it.
pub(crate) enum Solved {
    /// The table.
    Table(Table),
    /// Moves lead to men whose table must be made first.
    Needs(Vec<Men>),
}

/// Decides all arrangements of some men with several threads, and tells of it in this one.
pub(crate) fn solve(
    variant: &Arc<Variant>,
    men: &Men,
    threads: usize,
    others: &Tablebase,
    told: &mut dyn FnMut(Far),
) -> Result<Solved, BuildError> {
    variant.visit(Solve {
        variant,
        men,
        threads,
        others,
        told,
    })
}

struct Solve<'a, 'b> {
    variant: &'a Arc<Variant>,
    men: &'a Men,
    threads: usize,
    others: &'a Tablebase,
    told: &'b mut dyn FnMut(Far),
}

impl VisitTables for Solve<'_, '_> {
    type Output = Result<Solved, BuildError>;

    fn visit<S: Set>(self, tables: &Arc<Tables<S>>) -> Self::Output {
        let squares: Vec<Square> = self.variant.frame().squares().collect();
        let work = Work::new(self.variant, self.men, self.others, &squares, tables);
        match work.decide_all(self.threads, self.told) {
            Ok(()) => Ok(Solved::Table(work.into_table())),
            Err(Stop::Needs(men)) => Ok(Solved::Needs(men)),
            Err(Stop::Failed(error)) => Err(error),
        }
    }
}

/// Why the work stops.
enum Stop {
    Needs(Vec<Men>),
    Failed(BuildError),
}

/// The arrangements of some men, which several threads decide.
///
/// What is kept of a position may be ahead of the distance that has been reached: a win at the latest, by a move into
/// another table, or a loss, since all moves are known. It counts when its distance comes.
struct Work<'a, S: Set> {
    variant: &'a Arc<Variant>,
    men: &'a Men,
    others: &'a Tablebase,
    squares: &'a [Square],
    tables: &'a Tables<S>,
    /// By arrangement: what a table keeps, or open, or marked.
    kept: Vec<AtomicU16>,
    /// By arrangement that is open: what tells a position that it leads to and that is not known to lose for it
    /// ([`tag`]). It must be looked at again only when that one is won.
    watched: Vec<AtomicU8>,
    /// By chunk: whether a position of it is marked.
    marked: Vec<AtomicBool>,
    /// By man, square to which it goes and square from which: whether there is such a move in any position.
    steps: Vec<AtomicBool>,
    /// Those of which some move is more than a step of one man within the table, or allows an en-passant capture. There are few,
    /// and they are looked at for every distance.
    odd: Mutex<HashSet<u32>>,
    /// The longest distance that is kept.
    longest: AtomicU16,
}

/// A byte that tells positions apart, not always, but mostly.
fn tag(number: usize) -> u8 {
    1 + ((number as u32).wrapping_mul(0x9e37_79b1) >> 16) as u8 % u8::MAX
}

impl<'a, S: Set> Work<'a, S> {
    fn new(
        variant: &'a Arc<Variant>,
        men: &'a Men,
        others: &'a Tablebase,
        squares: &'a [Square],
        tables: &'a Tables<S>,
    ) -> Self {
        let all = men.arrangements(squares.len());
        let steps = men.list().len() * squares.len() * squares.len();
        let no = |n: usize| (0..n).map(|_| AtomicBool::new(false)).collect();
        Work {
            variant,
            men,
            others,
            squares,
            tables,
            kept: (0..all).map(|_| AtomicU16::new(NONE)).collect(),
            watched: (0..all).map(|_| AtomicU8::new(SAFE)).collect(),
            marked: no(all.div_ceil(CHUNK)),
            steps: no(steps),
            odd: Mutex::default(),
            longest: AtomicU16::new(0),
        }
    }

    fn decide_all(&self, threads: usize, told: &mut dyn FnMut(Far)) -> Result<(), Stop> {
        // First what is a position and what has ended, then all moves of the others.
        let all = self.kept.len();
        let mut looked = |before: usize, chunks: usize| {
            let done = before + all.min(chunks * CHUNK);
            told(Far::Looked(done / 2, all));
        };
        self.each(threads, &mut |chunks| looked(0, chunks), |looker, chunk| {
            self.numbers(chunk).for_each(|n| self.begin(looker, n));
            Ok(())
        })?;
        self.each(
            threads,
            &mut |chunks| looked(all, chunks),
            |looker, chunk| {
                let mut open = self.numbers(chunk);
                open.try_for_each(|n| self.weigh_if(looker, n, OPEN, 1))
            },
        )?;
        let befores = self.befores();
        let odd = self
            .odd
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        let mut distance = 0;
        while distance <= self.longest.load(Relaxed) {
            told(Far::Decided(distance));
            self.each(threads, &mut |_| (), |looker, chunk| {
                let all = self.numbers(chunk);
                all.for_each(|n| self.tell(looker, &befores, n, distance));
                Ok(())
            })?;
            for &n in &odd {
                if self.may_be_sooner(self.kept[n as usize].load(Relaxed), distance) {
                    self.mark(n as usize);
                }
            }
            distance += 1;
            self.each(threads, &mut |_| (), |looker, chunk| {
                if !self.marked[chunk].swap(false, Relaxed) {
                    return Ok(());
                }
                let mut marked = self.numbers(chunk);
                marked.try_for_each(|n| self.weigh_if(looker, n, MARKED, distance))
            })?;
        }
        Ok(())
    }

    /// The arrangements of a chunk.
    fn numbers(&self, chunk: usize) -> std::ops::Range<usize> {
        chunk * CHUNK..self.kept.len().min((chunk + 1) * CHUNK)
    }

    /// Does something for each chunk, with several threads, and says in this one how many have been taken.
    fn each(
        &self,
        threads: usize,
        taken: &mut dyn FnMut(usize),
        act: impl Fn(&mut Looker<'a, S>, usize) -> Result<(), Stop> + Sync,
    ) -> Result<(), Stop> {
        let next = AtomicUsize::new(0);
        let stop: Mutex<Option<Stop>> = Mutex::new(None);
        let work = |taken: &mut dyn FnMut(usize)| {
            let mut looker = Looker::new(self.variant, self.men, self.squares, self.tables);
            loop {
                let chunk = next.fetch_add(1, Relaxed);
                if chunk >= self.marked.len() {
                    return;
                }
                if let Err(why) = act(&mut looker, chunk) {
                    next.store(self.marked.len(), Relaxed);
                    let mut stop = stop.lock().unwrap_or_else(PoisonError::into_inner);
                    *stop = Some(why);
                    return;
                }
                taken(chunk + 1);
            }
        };
        std::thread::scope(|scope| {
            for _ in 1..threads {
                scope.spawn(|| work(&mut |_| ()));
            }
            work(taken);
        });
        let stop = stop.into_inner().unwrap_or_else(PoisonError::into_inner);
        stop.map_or(Ok(()), Err)
    }

    /// Whether an arrangement is a position, and what has ended.
    fn begin(&self, looker: &mut Looker<'a, S>, n: usize) {
        if let Some(position) = looker.position(n) {
            let kept = ended(&position).unwrap_or(OPEN);
            self.kept[n].store(kept, Relaxed);
        }
    }

    fn weigh_if(
        &self,
        looker: &mut Looker<'a, S>,
        n: usize,
        kept: u16,
        distance: u16,
    ) -> Result<(), Stop> {
        match self.kept[n].load(Relaxed) == kept {
            true => self.weigh(looker, n, distance),
            false => Ok(()),
        }
    }

    /// Makes the moves of a position, when all that is decided below a distance is known. The first time is at distance 1.
    fn weigh(&self, looker: &mut Looker<'a, S>, n: usize, distance: u16) -> Result<(), Stop> {
        let mut found = Found::default();
        let looked = looker.each_next(n, &mut |next| self.see(&mut found, next, distance));
        looked.map_err(Stop::Failed)?;
        if let Some(error) = found.failed {
            return Err(Stop::Failed(error));
        }
        if !found.needs.is_empty() {
            found.needs.sort_unstable();
            found.needs.dedup();
            return Err(Stop::Needs(found.needs));
        }
        let men = || self.men.name(self.variant);
        if found.no_position {
            return Err(Stop::Failed(BuildError::NoPosition { men: men() }));
        }
        if found.beyond_steps {
            let mut odd = self.odd.lock().unwrap_or_else(PoisonError::into_inner);
            odd.insert(n as u32);
        }
        let (won, then) = match (found.lost, found.watched) {
            (Some(lost), _) => (true, lost + 1),
            (None, Some(watched)) => {
                self.watched[n].store(watched, Relaxed);
                self.kept[n].store(OPEN, Relaxed);
                return Ok(());
            }
            // Every move loses, but none need be made.
            (None, None) if looker.may_accept_a_draw(n) => {
                self.watched[n].store(SAFE, Relaxed);
                self.kept[n].store(OPEN, Relaxed);
                return Ok(());
            }
            (None, None) => (false, found.won + 1),
        };
        if then >= FURTHEST {
            let most = FURTHEST;
            return Err(Stop::Failed(BuildError::Long { men: men(), most }));
        }
        self.longest.fetch_max(then, Relaxed);
        self.kept[n].store(decided(won, then), Relaxed);
        Ok(())
    }

    /// Notes what a move leads to.
    fn see(&self, found: &mut Found, next: Next, distance: u16) {
        match next {
            Next::Step {
                man,
                from,
                to,
                number,
            } => {
                let step = &self.steps[self.step(man, to, from)];
                if !step.load(Relaxed) {
                    step.store(true, Relaxed);
                }
                found.within(number, self.kept[number].load(Relaxed), distance);
            }
            Next::Within { number } => {
                found.beyond_steps = true;
                found.within(number, self.kept[number].load(Relaxed), distance);
            }
            Next::Other { men, turn, mut at } => match self.others.kept(&men, turn, &mut at) {
                Ok(kept) => found.outside(kept.unwrap_or(NONE)),
                Err(ProbeError::NoTable { .. }) => found.needs.push(men),
                Err(ProbeError::File(error)) => found.failed = Some(error.into()),
                Err(_) => found.no_position = true,
            },
            Next::Passing {
                ended: Some(kept), ..
            } => found.outside(kept),
            Next::Passing { next, .. } => {
                let mut then = Found::default();
                for next in next {
                    self.see(&mut then, next, distance);
                }
                let sooner = found.passing(then, distance);
                self.longest.fetch_max(sooner, Relaxed);
            }
        }
    }

    /// If a position is decided at a distance, marks those before it that may be decided by that.
    fn tell(&self, looker: &mut Looker<'a, S>, befores: &Befores, n: usize, distance: u16) {
        let kept = self.kept[n].load(Relaxed);
        let won = kept == decided(true, distance);
        if !won && kept != decided(false, distance) {
            return;
        }
        looker.each_before(n, befores, &mut |before| {
            let kept = self.kept[before].load(Relaxed);
            let may = match won {
                true => kept == OPEN && self.watched[before].load(Relaxed) == tag(n),
                false => self.may_be_sooner(kept, distance),
            };
            if may {
                self.mark(before);
            }
        });
    }

    /// Whether a position of which this is kept may be won sooner by a move to one that is lost at a distance.
    fn may_be_sooner(&self, kept: u16, distance: u16) -> bool {
        let won = |v: Verdict| v.outcome == Outcome::Won && v.distance > distance + 1;
        match kept {
            OPEN => true,
            MARKED => false,
            _ => verdict(kept).is_some_and(won),
        }
    }

    fn mark(&self, n: usize) {
        self.kept[n].store(MARKED, Relaxed);
        self.marked[n / CHUNK].store(true, Relaxed);
    }

    /// The place in `steps` of a man's step.
    fn step(&self, man: usize, to: Square, from: Square) -> usize {
        let squares = self.squares.len();
        (man * squares + to.index()) * squares + from.index()
    }

    fn befores(&self) -> Befores {
        let from = |man: usize, to: Square| {
            let all = self.squares.iter().copied();
            all.filter(|&from| self.steps[self.step(man, to, from)].load(Relaxed))
                .collect()
        };
        let of = |man: usize| self.squares.iter().map(|&to| from(man, to)).collect();
        (0..self.men.list().len()).map(of).collect()
    }

    fn into_table(self) -> Table {
        drop(self.watched);
        let kept = self.kept.into_iter().map(|kept| match kept.into_inner() {
            OPEN => DRAWN,
            kept => kept,
        });
        Table {
            men: self.men.clone(),
            kept: kept.collect(),
        }
    }
}

/// What the moves of a position lead to.
#[derive(Default)]
struct Found {
    /// The shortest way to the end of those who are lost then.
    lost: Option<u16>,
    /// The longest of those who have won then.
    won: u16,
    /// A move that is not known to lose.
    watched: Option<u8>,
    /// Whether there is a move that is no step of one man.
    beyond_steps: bool,
    needs: Vec<Men>,
    no_position: bool,
    failed: Option<BuildError>,
}

impl Found {
    /// A move within the table.
    fn within(&mut self, number: usize, kept: u16, distance: u16) {
        let later = |v: Verdict| v.outcome == Outcome::Won && v.distance >= distance;
        match kept {
            OPEN | MARKED => self.watch(tag(number)),
            _ if verdict(kept).is_some_and(later) => self.watch(tag(number)),
            _ => self.outside(kept),
        }
    }

    /// A move into another table, or to what is known.
    fn outside(&mut self, kept: u16) {
        let Some(next) = verdict(kept) else {
            self.no_position = true;
            return;
        };
        match next.outcome {
            Outcome::Lost => {
                let lost = self.lost.unwrap_or(u16::MAX);
                self.lost = Some(lost.min(next.distance));
            }
            Outcome::Drawn => self.watch(SAFE),
            Outcome::Won => self.won = self.won.max(next.distance),
        }
    }

    /// A move to a position that is in no table, with what its moves lead to. Says at which distance more will be known.
    fn passing(&mut self, then: Found, distance: u16) -> u16 {
        self.beyond_steps = true;
        self.needs.extend(then.needs);
        self.no_position |= then.no_position;
        self.failed = self.failed.take().or(then.failed);
        match (then.lost, then.watched) {
            (Some(lost), _) if lost + 1 < distance => self.won = self.won.max(lost + 1),
            (Some(lost), _) => {
                self.watch(tag(0));
                return lost + 1;
            }
            (None, Some(_)) => self.watch(tag(0)),
            (None, None) => {
                let lost = self.lost.unwrap_or(u16::MAX);
                self.lost = Some(lost.min(then.won + 1));
            }
        }
        0
    }

    fn watch(&mut self, tag: u8) {
        if self.watched != Some(SAFE) {
            self.watched = Some(tag);
        }
    }
}
