//! What pieces and features are worth in a game: estimated from the moves on its board, or read from
//! a text that tuning wrote. How a position is judged with them is in `eval`.

use crate::random::Random;
use husun::set::Set;
use husun::tables::Tables;
use husun::{Kind, Side, Variant, VisitTables};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A value early and late in the game, in centipawns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "[i32; 2]", into = "[i32; 2]")]
pub struct Pair {
    /// With all pieces on the board.
    pub mg: i32,
    /// With few pieces left.
    pub eg: i32,
}

/// A pair of values.
pub(crate) const fn pair(mg: i32, eg: i32) -> Pair {
    Pair { mg, eg }
}

impl From<[i32; 2]> for Pair {
    fn from([mg, eg]: [i32; 2]) -> Pair {
        Pair { mg, eg }
    }
}

impl From<Pair> for [i32; 2] {
    fn from(pair: Pair) -> [i32; 2] {
        [pair.mg, pair.eg]
    }
}

impl std::ops::Add for Pair {
    type Output = Pair;
    #[inline(always)]
    fn add(self, other: Pair) -> Pair {
        pair(self.mg + other.mg, self.eg + other.eg)
    }
}

impl std::ops::Sub for Pair {
    type Output = Pair;
    #[inline(always)]
    fn sub(self, other: Pair) -> Pair {
        pair(self.mg - other.mg, self.eg - other.eg)
    }
}

impl std::ops::AddAssign for Pair {
    #[inline(always)]
    fn add_assign(&mut self, other: Pair) {
        *self = *self + other;
    }
}

impl std::ops::SubAssign for Pair {
    #[inline(always)]
    fn sub_assign(&mut self, other: Pair) {
        *self = *self - other;
    }
}

impl std::ops::Mul<i32> for Pair {
    type Output = Pair;
    #[inline(always)]
    fn mul(self, by: i32) -> Pair {
        pair(self.mg * by, self.eg * by)
    }
}

/// What features are worth, in centipawns unless said otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Terms {
    /// The right to move.
    pub tempo: Pair,
    /// Weight of mobility, in hundredths of the built-in curve.
    pub mobility: Pair,
    /// Weight of piece-square terms of pieces, in hundredths.
    pub squares: Pair,
    /// Weight of the pawns' way to promotion or release, in hundredths.
    pub advance: Pair,
    /// A pawn without opposing pawns before it, at its last step, in hundredths of what it may gain.
    pub passed: Pair,
    /// A pawn without fellows on the files beside it.
    pub isolated: Pair,
    /// A pawn behind another of its file.
    pub doubled: Pair,
    /// A pawn that a fellow protects.
    pub protected: Pair,
    /// An opposing piece that a pawn attacks.
    pub pawn_threat: Pair,
    /// An opposing piece that a lesser one attacks.
    pub lesser_threat: Pair,
    /// An opposing piece that is attacked and not protected.
    pub hanging: Pair,
    /// An opposing piece that a pawn could attack by a safe step.
    pub push_threat: Pair,
    /// A square that the opponent attacks once and without pawns, and the side attacks too.
    pub contested: Pair,
    /// A piece less than a rook, protected by a pawn, that no opposing pawn can drive away.
    pub outpost: Pair,
    /// By how many steps the royal piece is nearer than the opponent's to a pawn that no opposing pawn can stop, in
    /// hundredths of what the pawn may gain.
    pub escort: Pair,
    /// Weight of attacks near the royal piece, in hundredths.
    pub danger: Pair,
    /// Units of danger for a square from which a piece could give check unpunished.
    pub check: i32,
    /// Hundredths of a unit of danger for a square next to the royal piece that is attacked and that it alone protects.
    pub weak: i32,
    /// Hundredths of a unit of danger for a piece that attacks near the royal piece, whatever its kind.
    pub attacker: i32,
    /// A pawn before its royal piece, next to it.
    pub shield: Pair,
    /// A pawn before its royal piece, a step further.
    pub far_shield: Pair,
    /// A file at or beside the royal piece's without a pawn of its own.
    pub open_file: Pair,
    /// A second royal piece, with which none is royal.
    pub second_royal: Pair,
    /// Two pieces of a kind that is tied to squares of one colour.
    pub both_colours: Pair,
    /// Where a side left with its royal piece alone loses: the opponent's one piece left, in part also its
    /// two or three.
    pub nearly_bare: Pair,
}

impl Default for Terms {
    fn default() -> Terms {
        Terms {
            tempo: pair(18, 10),
            mobility: pair(100, 100),
            squares: pair(100, 70),
            advance: pair(100, 100),
            passed: pair(8, 30),
            isolated: pair(-8, -10),
            doubled: pair(-8, -14),
            protected: pair(8, 4),
            pawn_threat: pair(50, 35),
            lesser_threat: pair(28, 24),
            hanging: pair(30, 22),
            push_threat: pair(22, 18),
            contested: pair(3, 3),
            outpost: pair(18, 8),
            escort: pair(0, 8),
            danger: pair(100, 30),
            check: 14,
            weak: 300,
            attacker: 400,
            shield: pair(16, 0),
            far_shield: pair(9, 0),
            open_file: pair(-14, 0),
            second_royal: pair(150, 100),
            both_colours: pair(25, 45),
            nearly_bare: pair(120, 160),
        }
    }
}

impl Terms {
    /// Calls `f` with every feature, always in the same order.
    pub fn each(&mut self, mut f: impl FnMut(&mut Pair)) {
        for pair in [
            &mut self.tempo,
            &mut self.mobility,
            &mut self.squares,
            &mut self.advance,
            &mut self.passed,
            &mut self.isolated,
            &mut self.doubled,
            &mut self.protected,
            &mut self.pawn_threat,
            &mut self.lesser_threat,
            &mut self.hanging,
            &mut self.push_threat,
            &mut self.contested,
            &mut self.outpost,
            &mut self.escort,
            &mut self.danger,
            &mut self.shield,
            &mut self.far_shield,
            &mut self.open_file,
            &mut self.second_royal,
            &mut self.both_colours,
            &mut self.nearly_bare,
        ] {
            f(pair);
        }
        single(&mut self.check, &mut f);
        single(&mut self.weak, &mut f);
        single(&mut self.attacker, &mut f);
    }
}

/// Calls `f` with a value that is the same early and late.
fn single(value: &mut i32, f: &mut impl FnMut(&mut Pair)) {
    let mut both = pair(*value, 0);
    f(&mut both);
    *value = both.mg;
}

/// How much a piece's moves count beside what is built in, in hundredths of that.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Weights {
    /// The number of squares that it reaches.
    pub mobility: Pair,
    /// Its attacks near the opposing royal piece.
    pub attack: i32,
}

impl Default for Weights {
    fn default() -> Weights {
        Weights {
            mobility: pair(100, 100),
            attack: 100,
        }
    }
}

impl Weights {
    fn each(&mut self, mut f: impl FnMut(&mut Pair)) {
        f(&mut self.mobility);
        single(&mut self.attack, &mut f);
    }
}

/// What a piece gains by where it stands, added to what the engine derives from its moves.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Places {
    /// By rank, the side's own first.
    pub ranks: Vec<Pair>,
    /// By distance from the middle files.
    pub files: Vec<Pair>,
}

impl Places {
    /// As many entries as the game's board asks for, all nought.
    fn none(variant: &Variant) -> Places {
        let frame = variant.frame();
        Places {
            ranks: vec![Pair::default(); frame.ranks().into()],
            files: vec![Pair::default(); usize::from(frame.files()).div_ceil(2)],
        }
    }

    /// Calls `f` with every entry, always in the same order.
    fn each(&mut self, mut f: impl FnMut(&mut Pair)) {
        self.ranks
            .iter_mut()
            .chain(&mut self.files)
            .for_each(&mut f);
    }

    fn is_nought(&self) -> bool {
        let mut all = self.ranks.iter().chain(&self.files);
        all.all(|&p| p == Pair::default())
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
    /// By letter, what the moves of pieces count; those of pawns and royal pieces are not asked for.
    #[serde(default)]
    pub weights: BTreeMap<String, Weights>,
    /// What a pawn without opposing pawns before it gains by where it stands.
    #[serde(default)]
    pub passed: Places,
    /// By letter, what pieces gain by where they stand.
    #[serde(default)]
    pub places: BTreeMap<String, Places>,
}

/// Why a text of values is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ValuesError {
    /// No TOML, an unknown key or a value of another type.
    #[error("{0}")]
    Syntax(String),
    /// A letter that no piece of the game has, or none of those that the table is about.
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
        /// Entries that the board asks for.
        expected: usize,
    },
    /// A value beyond any sense.
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
    /// Reads values; a piece that the text leaves out has its estimate.
    pub fn parse(variant: &Variant, text: &str) -> Result<Values, ValuesError> {
        let read: Values =
            toml::from_str(text).map_err(|e| ValuesError::Syntax(e.message().into()))?;
        let mut values = estimate(variant);
        values.terms = read.terms;
        let mut sound = Ok(());
        let mut terms = read.terms;
        terms.each(|p| sound = sound.clone().and(within(*p, || "terms".into())));
        sound?;
        let pieces: Vec<String> = values.pieces.keys().cloned().collect();
        let officers: Vec<String> = values.weights.keys().cloned().collect();
        let unknown = |table, letter, letters: &[String]| ValuesError::Piece {
            table,
            letter,
            expected: letters.join(", "),
        };
        for (letter, value) in read.pieces {
            within(value, || format!("pieces.{letter}"))?;
            match values.pieces.get_mut(&letter) {
                Some(slot) => *slot = value,
                None => return Err(unknown("pieces", letter, &pieces)),
            }
        }
        for (letter, mut weights) in read.weights {
            let Some(slot) = values.weights.get_mut(&letter) else {
                return Err(unknown("weights", letter, &officers));
            };
            let mut sound = Ok(());
            weights.each(|p| {
                sound = sound
                    .clone()
                    .and(within(*p, || format!("weights.{letter}")))
            });
            sound?;
            *slot = weights;
        }
        if read.passed != Places::default() {
            values.passed = fitting(read.passed, &values.passed, "passed")?;
        }
        for (letter, places) in read.places {
            let Some(slot) = values.places.get_mut(&letter) else {
                return Err(unknown("places", letter, &pieces));
            };
            *slot = fitting(places, slot, &format!("places.{letter}"))?;
        }
        Ok(values)
    }

    /// Calls `f` with every value in hundredths of a pawn or of a built-in weight, always in the same order:
    /// features first.
    pub(crate) fn each(&mut self, mut f: impl FnMut(&mut Pair)) {
        self.terms.each(&mut f);
        self.pieces.values_mut().for_each(&mut f);
        self.weights.values_mut().for_each(|w| w.each(&mut f));
        self.passed.each(&mut f);
        self.places
            .values_mut()
            .for_each(|places| places.each(&mut f));
    }

    /// The text that [`Values::parse`] reads.
    pub fn to_text(&self) -> String {
        let mut shown = self.clone();
        shown.weights.retain(|_, w| *w != Weights::default());
        shown.places.retain(|_, places| !places.is_nought());
        toml::to_string(&shown).unwrap_or_default()
    }

    /// What the moves of a kind count.
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

/// Places that have as many entries as the game's board asks for, and none beyond its bounds.
fn fitting(mut read: Places, full: &Places, table: &str) -> Result<Places, ValuesError> {
    for (what, own, full) in [
        ("ranks", &read.ranks, &full.ranks),
        ("files", &read.files, &full.files),
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
    let mut sound = Ok(());
    read.each(|p| sound = sound.clone().and(within(*p, || table.into())));
    sound.map(|()| read)
}

/// Whether both values are within their bounds.
fn within(value: Pair, key: impl Fn() -> String) -> Result<(), ValuesError> {
    match [value.mg, value.eg]
        .into_iter()
        .find(|v| v.abs() > MAX_VALUE)
    {
        Some(found) => Err(ValuesError::Bounds { key: key(), found }),
        None => Ok(()),
    }
}

/// Piece values from the moves that each kind has on the game's board, averaged over squares and over
/// boards from nearly empty to half full, and the built-in features.
pub fn estimate(variant: &Variant) -> Values {
    let mobilities = variant.visit(Mobilities(variant));
    let mut pieces = BTreeMap::new();
    let (mut weights, mut places) = (BTreeMap::new(), BTreeMap::new());
    for kind in variant.kinds() {
        let piece = variant.piece(kind);
        let value = if piece.pawn {
            pair(85, 110)
        } else {
            worth(&mobilities[kind.index()])
        };
        pieces.insert(piece.letter.to_string(), value);
        if !piece.pawn && !piece.royal {
            weights.insert(piece.letter.to_string(), Weights::default());
        }
        places.insert(piece.letter.to_string(), Places::none(variant));
    }
    Values {
        terms: Terms::default(),
        pieces,
        weights,
        passed: Places::none(variant),
        places,
    }
}

/// Densities of the sampled boards in hundredths, with the weight of each early and late in the game.
const DENSITIES: [(u64, f64, f64); 4] = [
    (10, 0.2, 1.5),
    (20, 0.8, 1.0),
    (32, 1.0, 0.6),
    (45, 1.0, 0.2),
];
const SAMPLES: usize = 10;

/// Average numbers of targets of a kind.
#[derive(Clone, Debug, Default)]
pub(crate) struct Mobility {
    /// By density.
    pub targets: [f64; DENSITIES.len()],
    /// By square: average over densities.
    pub squares: Vec<f64>,
    /// Part of the targets that lie next to the piece.
    pub near: f64,
    /// Whether it never leaves the squares of one colour.
    pub one_colour: bool,
}

/// The value of a piece with the mobility: a power of it, as sliders and strong pieces gain more than
/// in proportion (their threats add up), less where most targets are close.
fn worth(mobility: &Mobility) -> Pair {
    let of = |weights: fn(&(u64, f64, f64)) -> f64| {
        let total: f64 = DENSITIES.iter().map(weights).sum();
        let targets = DENSITIES.iter().zip(&mobility.targets);
        let mean: f64 = targets.map(|(d, t)| weights(d) * t).sum::<f64>() / total;
        // Pieces of short steps take long to matter.
        let speed = 1.0 - 0.25 * mobility.near;
        let bound = if mobility.one_colour { 0.96 } else { 1.0 };
        48.0 * (mean * speed * bound).powf(1.25)
    };
    pair(of(|d| d.1).round() as i32, of(|d| d.2).round() as i32)
}

/// Asks for [`mobilities`] at the game's width.
struct Mobilities<'a>(&'a Variant);

impl VisitTables for Mobilities<'_> {
    type Output = Vec<Mobility>;

    fn visit<S: Set>(self, tables: &Arc<Tables<S>>) -> Vec<Mobility> {
        mobilities(self.0, tables)
    }
}

/// The mobility of every kind of the game, from a fixed sample of boards.
pub(crate) fn mobilities<S: Set>(variant: &Variant, t: &Tables<S>) -> Vec<Mobility> {
    let n = t.square_count();
    let mut random = Random::new(0x6d6f_6269_6c65);
    let mut boards = Vec::new();
    for &(density, ..) in &DENSITIES {
        for _ in 0..SAMPLES {
            let (mut own, mut enemy) = (S::EMPTY, S::EMPTY);
            for square in t.board().iter() {
                match random.below(200) {
                    x if x < density => own |= S::bit(square),
                    x if x < 2 * density => enemy |= S::bit(square),
                    _ => {}
                }
            }
            boards.push((own, enemy));
        }
    }
    let frame = variant.frame();
    let place = |s: usize| {
        let square = frame.square(s).unwrap_or(husun_first(variant));
        (i32::from(frame.file(square)), i32::from(frame.rank(square)))
    };
    let places: Vec<(i32, i32)> = (0..n).map(place).collect();
    let of = |kind: Kind| {
        let mut m = Mobility {
            squares: vec![0.0; n],
            one_colour: true,
            ..Mobility::default()
        };
        let (mut near, mut all) = (0.0, 0.0);
        for (i, &(own, enemy)) in boards.iter().enumerate() {
            for square in t.board().iter() {
                let from = square.index();
                let bit = S::bit(square);
                let targets = t.piece_targets(
                    Side::White,
                    kind,
                    square,
                    own.without(bit),
                    enemy.without(bit),
                );
                let count = f64::from(targets.count());
                m.targets[i / SAMPLES] += count / (n * SAMPLES) as f64;
                m.squares[from] += count / boards.len() as f64;
                for to in targets.iter() {
                    let ((x, y), (a, b)) = (places[from], places[usize::from(to)]);
                    near += f64::from(u8::from((x - a).abs().max((y - b).abs()) == 1));
                    all += 1.0;
                    m.one_colour &= (x + y + a + b) % 2 == 0;
                }
            }
        }
        m.near = if all > 0.0 { near / all } else { 0.0 };
        m
    };
    variant.kinds().map(of).collect()
}

fn husun_first(variant: &Variant) -> husun::Square {
    variant
        .frame()
        .squares()
        .next()
        .unwrap_or_else(|| unreachable!("a board has a square"))
}
