//! What pieces and features are worth in a game, as the text that tuning writes and people may change. The tables
//! of values are declared in `parameters`, estimates where no text gives values are in `estimate`; how a position
//! is judged with them is in `eval`.

use husun::{Kind, Variant};
use parameters::{Parameter, Visit};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

mod estimate;
mod parameters;

pub use crate::pair::Pair;
pub use estimate::estimate;
pub(crate) use estimate::{Mobility, mobilities};
pub use parameters::{Terms, Weights};

/// What a piece gains by its place, added to what the engine derives from its moves.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Places {
    /// By rank, the side's own first.
    pub ranks: Vec<Pair>,
    /// By distance from the middle files.
    pub files: Vec<Pair>,
}

impl Places {
    /// As many entries as the game's board requires, all zero.
    fn none(variant: &Variant) -> Places {
        let frame = variant.frame();
        Places {
            ranks: vec![Pair::default(); frame.ranks().into()],
            files: vec![Pair::default(); usize::from(frame.files()).div_ceil(2)],
        }
    }

    /// Whether there are as many entries as the game's board requires, the number in `full`.
    fn fits(&self, full: &Places, table: &str) -> Result<(), ValuesError> {
        for (what, own, full) in [
            ("ranks", &self.ranks, &full.ranks),
            ("files", &self.files, &full.files),
        ] {
            let (found, expected) = (own.len(), full.len());
            if found != expected {
                return Err(ValuesError::Length {
                    table: table.into(),
                    what,
                    found,
                    expected,
                });
            }
        }
        Ok(())
    }

    fn is_nought(&self) -> bool {
        let mut all = self.ranks.iter().chain(&self.files);
        all.all(|&p| p == Pair::default())
    }
}

impl Parameter for Places {
    fn each(&mut self, name: &str, f: Visit) {
        self.ranks.each(&format!("{name}.ranks"), f);
        self.files.each(&format!("{name}.files"), f);
    }
}

/// The values of a game.
///
/// ```
/// use husun_engine::values::{Values, estimate};
/// let chess = games::variant("chess").unwrap();
/// let values = estimate(&chess);
/// assert!(values.pieces["Q"].mg > values.pieces["R"].mg);
/// assert_eq!(Values::parse(&chess, &values.to_text()).unwrap(), values);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Values {
    /// Features.
    #[serde(default)]
    pub terms: Terms,
    /// Pieces by letter; a royal piece counts only where a side has several.
    #[serde(default)]
    pub pieces: BTreeMap<String, Pair>,
    /// By letter, the weights of pieces' moves; those of pawns and royal pieces are not used.
    #[serde(default)]
    pub weights: BTreeMap<String, Weights>,
    /// What a pawn without opposing pawns before it gains by its place.
    #[serde(default)]
    pub passed: Places,
    /// By letter, what pieces gain by their places.
    #[serde(default)]
    pub places: BTreeMap<String, Places>,
}

/// Why a text of values is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ValuesError {
    /// Not TOML, an unknown key or a value of the wrong type.
    #[error("{0}")]
    Syntax(String),
    /// A letter of no piece of the game, or of none that the table is about.
    #[error("{table}.{letter}: no such piece here: expected one of {expected}")]
    Piece {
        /// `pieces`, `weights` or `places`.
        table: &'static str,
        /// The letter read.
        letter: String,
        /// Letters that the table may have.
        expected: String,
    },
    /// More or fewer entries than the board has ranks, or files on one side of the middle.
    #[error("{table}.{what}: {found} entries: expected {expected}")]
    Length {
        /// `passed`, or `places` with a letter.
        table: String,
        /// `ranks` or `files`.
        what: &'static str,
        /// Entries read.
        found: usize,
        /// Entries that the board requires.
        expected: usize,
    },
    /// A value out of bounds.
    #[error("{key}: {found} is out of bounds: expected -{MAX_VALUE} to {MAX_VALUE}")]
    Bounds {
        /// Where.
        key: String,
        /// What was read.
        found: i32,
    },
}

/// Highest value that a text may give.
pub const MAX_VALUE: i32 = 5000;

impl Values {
    /// Reads values; a piece that the text leaves out gets its estimate.
    pub fn parse(variant: &Variant, text: &str) -> Result<Values, ValuesError> {
        let read: Values =
            toml::from_str(text).map_err(|e| ValuesError::Syntax(e.message().into()))?;
        let mut values = estimate(variant);
        values.terms = read.terms;
        replace("pieces", &mut values.pieces, read.pieces)?;
        replace("weights", &mut values.weights, read.weights)?;
        if read.passed != Places::default() {
            read.passed.fits(&values.passed, "passed")?;
            values.passed = read.passed;
        }
        for (letter, places) in &read.places {
            if let Some(full) = values.places.get(letter) {
                places.fits(full, &format!("places.{letter}"))?;
            }
        }
        replace("places", &mut values.places, read.places)?;
        values.bounded()
    }

    /// The values, unless one of them is beyond its bounds.
    fn bounded(mut self) -> Result<Values, ValuesError> {
        let mut beyond = None;
        self.each(&mut |key, found| {
            if !(-MAX_VALUE..=MAX_VALUE).contains(found) {
                beyond.get_or_insert(ValuesError::Bounds {
                    key: key.into(),
                    found: *found,
                });
            }
        });
        beyond.map_or(Ok(self), Err)
    }

    /// Calls `f` with every number and its key, always in the same order: features first.
    pub(crate) fn each(&mut self, f: Visit) {
        self.terms.each("terms", f);
        each_of("pieces", &mut self.pieces, f);
        each_of("weights", &mut self.weights, f);
        self.passed.each("passed", f);
        each_of("places", &mut self.places, f);
    }

    /// The text that [`Values::parse`] reads.
    pub fn to_text(&self) -> String {
        let mut shown = self.clone();
        shown.weights.retain(|_, w| *w != Weights::default());
        shown.places.retain(|_, places| !places.is_nought());
        toml::to_string(&shown).unwrap_or_default()
    }

    /// The weights of a kind's moves.
    pub fn weights(&self, variant: &Variant, kind: Kind) -> Weights {
        let letter = variant.piece(kind).letter.to_string();
        self.weights.get(&letter).copied().unwrap_or_default()
    }

    /// The value of a kind.
    pub fn piece(&self, variant: &Variant, kind: Kind) -> Pair {
        let letter = variant.piece(kind).letter.to_string();
        self.pieces.get(&letter).copied().unwrap_or_default()
    }
}

fn each_of<T: Parameter>(table: &str, all: &mut BTreeMap<String, T>, f: Visit) {
    for (letter, one) in all {
        one.each(&format!("{table}.{letter}"), f);
    }
}

/// Replaces what a table holds by what was read; the table must have that letter.
fn replace<T>(
    table: &'static str,
    all: &mut BTreeMap<String, T>,
    read: BTreeMap<String, T>,
) -> Result<(), ValuesError> {
    for (letter, one) in read {
        let Some(slot) = all.get_mut(&letter) else {
            let letters: Vec<&str> = all.keys().map(String::as_str).collect();
            return Err(ValuesError::Piece {
                table,
                letter,
                expected: letters.join(", "),
            });
        };
        *slot = one;
    }
    Ok(())
}
