//! Asking the tables of a game: what is known of a position, and the play that proves it.

use crate::builder::{path, read};
use crate::error::ProbeError;
use crate::men::{MOST_MEN, Men};
use crate::table::{Outcome, Table, Verdict, verdict};
use husun::pos::Pos;
use husun::set::Set;
use husun::tables::Tables;
use husun::{Move, Position, Square, Variant, VisitPosition};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// The tables of a game, each read when it is first needed.
pub struct Tablebase {
    variant: Arc<Variant>,
    folder: Option<PathBuf>,
    tables: Mutex<HashMap<Men, Arc<Table>>>,
}

impl Tablebase {
    pub(crate) fn new(
        variant: &Arc<Variant>,
        folder: Option<PathBuf>,
        tables: HashMap<Men, Arc<Table>>,
    ) -> Tablebase {
        Tablebase {
            variant: variant.clone(),
            folder,
            tables: Mutex::new(tables),
        }
    }

    /// The tables of a folder.
    pub fn open(variant: &Arc<Variant>, folder: &Path) -> Tablebase {
        Tablebase::new(variant, Some(folder.into()), HashMap::new())
    }

    /// Whether there is a table of some men; it may still be damaged.
    pub fn has(&self, men: &Men) -> bool {
        let tables = self.tables.lock().unwrap_or_else(PoisonError::into_inner);
        let file = || {
            path(self.folder.as_deref()?, &self.variant, men)
                .exists()
                .then_some(())
        };
        tables.contains_key(men) || file().is_some()
    }

    /// The table of some men.
    pub fn table(&self, men: &Men) -> Result<Arc<Table>, ProbeError> {
        let mut tables = self.tables.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(table) = tables.get(men) {
            return Ok(table.clone());
        }
        let folder = self.folder.as_deref().unwrap_or(Path::new(""));
        let path = path(folder, &self.variant, men);
        if !path.exists() {
            let game = self.variant.id().into();
            return Err(ProbeError::NoTable { path, game });
        }
        let table = Arc::new(read(&path, &self.variant, men)?);
        tables.insert(men.clone(), table.clone());
        Ok(table)
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
        let (men, mut at) = position.visit(Standing)?;
        let table = self.table(&men)?;
        let number = men.number(self.variant.frame().len(), position.turn(), &mut at);
        let kept = table.kept.get(number).copied();
        kept.and_then(verdict)
            .ok_or_else(|| self.wrong(&men, position))
    }

    /// The moves by which the winner hurries and the loser delays, to the end; empty if neither side can win.
    pub fn line(&self, position: &Position) -> Result<Vec<Move>, ProbeError> {
        let mut line = vec![];
        let mut position = position.clone();
        let mut left = self.probe(&position)?;
        while left.outcome != Outcome::Drawn && left.distance > 0 {
            let wanted = Verdict {
                outcome: match left.outcome {
                    Outcome::Won => Outcome::Lost,
                    _ => Outcome::Won,
                },
                distance: left.distance - 1,
            };
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
            let (men, _) = position.visit(Standing)?;
            let (m, next) = best.ok_or_else(|| self.wrong(&men, &position))?;
            line.push(m);
            position = next;
            left = wanted;
        }
        Ok(line)
    }

    fn wrong(&self, men: &Men, position: &Position) -> ProbeError {
        let folder = self.folder.as_deref().unwrap_or(Path::new(""));
        ProbeError::Wrong {
            path: path(folder, &self.variant, men),
            fen: position.fen(),
        }
    }
}

/// The men of a position and their squares, if it is one that tables can have.
struct Standing;

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
        } else if pos.state() != 0 {
            "letters of state"
        } else if pos.en_passant().next().is_some() {
            "an en-passant square"
        } else {
            return Ok(Men::of(pos));
        };
        Err(ProbeError::Beyond { what })
    }
}
