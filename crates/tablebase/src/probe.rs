//! Asking the tables of a game: what is known of a position, and the play that proves it.

use crate::blocks::Blocks;
use crate::builder::{path, read};
use crate::error::{ProbeError, TableError};
use crate::files::{self, TableFile};
use crate::men::{MOST_MEN, Men, known_state};
use crate::scan::{ended, is_plain};
use crate::table::{Table, verdict};
use engine::{Endings, Outcome, Verdict};
use husun::pos::Pos;
use husun::set::Set;
use husun::tables::Tables;
use husun::{Kind, Move, Position, Side, Square, Status, Variant, VisitPosition};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Bytes of the blocks that are kept decompressed, for all games together: 64 MiB.
pub(crate) const CACHE: u64 = 64 << 20;
/// Blocks of 128 KiB that these are.
pub(crate) const MOST_BLOCKS: usize = (CACHE >> 17) as usize;

/// The tables of a game. Those of a folder are read block by block where a position needs it, and 64 MiB at most are kept;
/// threads may share them.
pub struct Tablebase {
    variant: Arc<Variant>,
    folder: Option<PathBuf>,
    /// Those that were made just now, as a whole.
    made: HashMap<Men, Arc<Table>>,
    files: HashMap<Men, TableFile>,
    blocks: Arc<Blocks>,
    most_men: u32,
}

impl Tablebase {
    /// Without tables yet; those that will be made are kept in the folder, if there is one.
    pub(crate) fn empty(variant: &Arc<Variant>, folder: Option<PathBuf>) -> Tablebase {
        Tablebase {
            variant: variant.clone(),
            folder,
            made: HashMap::new(),
            files: HashMap::new(),
            blocks: Arc::new(Blocks::new(MOST_BLOCKS)),
            most_men: 0,
        }
    }

    /// Adds a table that was made just now.
    pub(crate) fn add(&mut self, table: Table) {
        self.made.insert(table.men.clone(), Arc::new(table));
        self.count();
    }

    /// Adds the file of a table.
    pub(crate) fn add_file(&mut self, men: &Men, path: &Path) -> Result<(), TableError> {
        let file = TableFile::open(&self.variant, men, path.into(), &self.blocks)?;
        self.files.insert(men.clone(), file);
        self.count();
        Ok(())
    }

    fn count(&mut self) {
        let all = self.made.keys().chain(self.files.keys());
        self.most_men = all.map(|men| men.list().len()).max().unwrap_or(0) as u32;
    }

    /// Bytes of the tables that are kept as a whole.
    pub(crate) fn bytes_made(&self) -> u64 {
        let made = self.made.values();
        made.map(|table| size_of_val(&table.kept[..]) as u64).sum()
    }

    /// Where the files are.
    pub(crate) fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }

    /// The tables of a folder. The heads of all its tables are read and must be those of this game; a block is checked
    /// when it is read.
    pub fn open(variant: &Arc<Variant>, folder: &Path) -> Result<Tablebase, TableError> {
        Tablebase::sharing(variant, folder, Arc::new(Blocks::new(MOST_BLOCKS)))
    }

    /// The tables of a folder, with blocks that others keep theirs in, too.
    pub(crate) fn sharing(
        variant: &Arc<Variant>,
        folder: &Path,
        blocks: Arc<Blocks>,
    ) -> Result<Tablebase, TableError> {
        let mut tables = Tablebase::empty(variant, Some(folder.into()));
        tables.files = files::open(variant, folder, &blocks)?;
        tables.blocks = blocks;
        tables.count();
        Ok(tables)
    }

    /// The game.
    pub fn variant(&self) -> &Arc<Variant> {
        &self.variant
    }

    /// Whether there is a table of some men; a block of it may still be damaged.
    pub fn has(&self, men: &Men) -> bool {
        self.made.contains_key(men) || self.files.contains_key(men)
    }

    /// The whole table of some men.
    pub fn table(&self, men: &Men) -> Result<Arc<Table>, ProbeError> {
        if let Some(table) = self.made.get(men) {
            return Ok(table.clone());
        }
        if !self.files.contains_key(men) {
            return Err(self.no_table(men));
        }
        Ok(Arc::new(read(&self.path(men), &self.variant, men)?))
    }

    /// What perfect play leads to from a position, as if its half-move clock were 0 and it had occurred for the first
    /// time.
    pub fn probe(&self, position: &Position) -> Result<Verdict, ProbeError> {
        if !Arc::ptr_eq(position.variant(), &self.variant) {
            return Err(ProbeError::OtherGame {
                found: position.variant().id().into(),
                expected: self.variant.id().into(),
            });
        }
        if position.visit(Passing(known_state(&self.variant))) {
            return self.by_moves(position);
        }
        let (men, mut at) = self.standing(position)?;
        let kept = self.kept(&men, position.turn(), &mut at)?;
        kept.and_then(verdict)
            .ok_or_else(|| self.wrong(&men, position))
    }

    /// The men of a position and their squares, if it is one that tables can have.
    fn standing(&self, position: &Position) -> Result<(Men, Vec<Square>), ProbeError> {
        position.visit(Standing(known_state(&self.variant)))
    }

    /// What the moves of a position with an en-passant capture lead to, which is in no table itself.
    fn by_moves(&self, position: &Position) -> Result<Verdict, ProbeError> {
        if let Some(ended) = ended(position).and_then(verdict) {
            return Ok(ended);
        }
        let drawn = Verdict {
            outcome: Outcome::Drawn,
            distance: 0,
        };
        let mut best: Option<Verdict> = None;
        for m in position.legal_moves() {
            let next = position.play_unchecked(m);
            // No table has more than one such capture in a row.
            let (men, mut at) = self.standing(&next)?;
            let kept = self.kept(&men, next.turn(), &mut at)?;
            let next = kept.and_then(verdict);
            let next = counted(next.ok_or_else(|| self.wrong(&men, position))?);
            best = Some(best.map_or(next, |best| match worth(next) < worth(best) {
                true => next,
                false => best,
            }));
        }
        Ok(best.unwrap_or(drawn))
    }

    /// The same, or none if the position is not in the tables: too many men, no table of them, or more than board and side
    /// to move.
    pub fn find(&self, position: &Position) -> Result<Option<Verdict>, ProbeError> {
        match self.probe(position) {
            Ok(verdict) => Ok(Some(verdict)),
            Err(
                ProbeError::Men { .. } | ProbeError::Beyond { .. } | ProbeError::NoTable { .. },
            ) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The moves of which it is known what they lead to, the best first. A verdict is for the side that makes the move,
    /// and counts it.
    pub fn moves(&self, position: &Position) -> Result<Vec<(Move, Verdict)>, ProbeError> {
        let mut known = vec![];
        if position.status() != Status::Ongoing {
            return Ok(known);
        }
        // A move takes one man at most.
        if position.visit(Count) > self.most_men + 1 {
            return Ok(known);
        }
        for m in position.legal_moves() {
            if let Some(next) = self.find(&position.play_unchecked(m))? {
                known.push((m, counted(next)));
            }
        }
        known.sort_by_key(|&(m, verdict)| (worth(verdict), m));
        Ok(known)
    }

    /// Whether the move rule may draw a position before the end that tables see: they know no half-move clock.
    pub fn may_be_late(&self, position: &Position, verdict: Verdict) -> bool {
        let rule = self.variant.rules().endings.move_rule;
        let then = position.halfmove() + u32::from(verdict.distance);
        verdict.outcome != Outcome::Drawn && rule.is_some_and(|rule| then > rule)
    }

    /// The number kept for an arrangement.
    pub(crate) fn kept(
        &self,
        men: &Men,
        turn: Side,
        at: &mut [Square],
    ) -> Result<Option<u16>, ProbeError> {
        let number = men.number(self.variant.frame().len(), turn, at);
        if let Some(table) = self.made.get(men) {
            return Ok(table.kept.get(number).copied());
        }
        let file = self.files.get(men).ok_or_else(|| self.no_table(men))?;
        Ok(file.kept(number)?)
    }

    /// The moves by which the winner hurries and the loser delays, to the end; empty if neither side can win.
    pub fn line(&self, position: &Position) -> Result<Vec<Move>, ProbeError> {
        let mut line = vec![];
        let mut position = position.clone();
        let mut left = self.probe(&position)?.after_best();
        while let Some(wanted) = left {
            let mut moves = position.legal_moves();
            moves.sort_unstable();
            let mut best = None;
            for m in moves {
                let next = position.play_unchecked(m);
                if self.probe(&next)? == wanted {
                    best = Some((m, next));
                    break;
                }
            }
            let (men, _) = self.standing(&position)?;
            let (m, next) = best.ok_or_else(|| self.wrong(&men, &position))?;
            line.push(m);
            position = next;
            left = wanted.after_best();
        }
        Ok(line)
    }

    fn wrong(&self, men: &Men, position: &Position) -> ProbeError {
        ProbeError::Wrong {
            path: self.path(men),
            fen: position.fen(),
        }
    }

    fn no_table(&self, men: &Men) -> ProbeError {
        ProbeError::NoTable {
            path: self.path(men),
            game: self.variant.id().into(),
        }
    }

    fn path(&self, men: &Men) -> PathBuf {
        let folder = self.folder.as_deref().unwrap_or(Path::new(""));
        path(folder, &self.variant, men)
    }
}

impl Endings for Tablebase {
    fn most_men(&self) -> u32 {
        self.most_men
    }

    /// A table of which a block cannot be read is not asked again.
    fn verdict(&self, turn: Side, men: &[(Side, Kind, Square)], state: u16) -> Option<Verdict> {
        let (men, mut at) = Men::standing(men.into(), state);
        if self.files.get(&men).is_some_and(TableFile::is_damaged) {
            return None;
        }
        let kept = self.kept(&men, turn, &mut at).ok()?;
        kept.and_then(verdict)
    }
}

/// What a move to a position is for the side that makes it, with the move counted.
fn counted(next: Verdict) -> Verdict {
    let outcome = next.outcome.turned();
    let distance = match outcome {
        Outcome::Drawn => 0,
        _ => next.distance.saturating_add(1),
    };
    Verdict { outcome, distance }
}

/// Smaller is better.
fn worth(verdict: Verdict) -> (u8, i32) {
    let distance = i32::from(verdict.distance);
    match verdict.outcome {
        Outcome::Won => (0, distance),
        Outcome::Drawn => (1, 0),
        Outcome::Lost => (2, -distance),
    }
}

/// Whether there is an en-passant capture and nothing else that tables do not have, which know these letters of state.
struct Passing(u16);

impl VisitPosition for Passing {
    type Output = bool;

    fn visit<S: Set>(self, _: &Arc<Tables<S>>, pos: &Pos<S>) -> bool {
        is_plain(pos, self.0)
            && pos.en_passant().next().is_some()
            && pos.occupied().count() as usize <= MOST_MEN
    }
}

/// The number of a position's men.
struct Count;

impl VisitPosition for Count {
    type Output = u32;

    fn visit<S: Set>(self, _: &Arc<Tables<S>>, pos: &Pos<S>) -> u32 {
        pos.occupied().count()
    }
}

/// The men of a position and their squares, if it is one that tables can have, which know these letters of state.
struct Standing(u16);

impl VisitPosition for Standing {
    type Output = Result<(Men, Vec<Square>), ProbeError>;

    fn visit<S: Set>(self, _: &Arc<Tables<S>>, pos: &Pos<S>) -> Self::Output {
        let found = pos.occupied().count() as usize;
        if found > MOST_MEN {
            let most = MOST_MEN;
            return Err(ProbeError::Men { found, most });
        }
        let what = if !pos.rights().is_empty() {
            "castling rights"
        } else if pos.state() & !self.0 != 0 {
            "prisoners"
        } else if pos.en_passant().next().is_some() {
            "an en-passant square"
        } else {
            return Ok(Men::of(pos));
        };
        Err(ProbeError::Beyond { what })
    }
}
