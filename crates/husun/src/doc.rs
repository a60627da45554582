//! The text of a game: `game.toml`, read strictly into a `GameDoc` with the place of every value,
//! and completed from the game that it inherits from. What the values mean is checked in
//! [`crate::variant`]; nothing here knows squares or moves.

use crate::mechanisms::crowning::CrowningDoc;
use serde::Deserialize;
use std::collections::BTreeMap;
use toml::Spanned;

mod text;

/// A value with its place in the text.
pub(crate) type At<T> = Spanned<T>;

/// Why a game's text is refused: file, line, key, what was found and what was expected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}:{line}: {key}: {problem}")]
pub struct GameError {
    /// Name of the file as it was given.
    pub file: String,
    /// Line, from 1.
    pub line: usize,
    /// The key, as `pieces.K.betza`.
    pub key: String,
    /// What is wrong there.
    pub problem: Problem,
}

/// What can be wrong with a value of a game's text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// No TOML, an unknown key or a value of another type; the message lists what is valid.
    #[error("{0}")]
    Syntax(String),
    /// A key that must be there, here or in the inherited game.
    #[error("is missing: expected {0}")]
    Missing(&'static str),
    /// A value out of its bounds.
    #[error("{found} is out of bounds: expected {expected}")]
    Bounds {
        /// What was read.
        found: String,
        /// The limits.
        expected: String,
    },
    /// A value that is none of the valid ones.
    #[error("`{found}` is unknown: expected {expected}")]
    Unknown {
        /// What was read.
        found: String,
        /// The valid ones.
        expected: String,
    },
    /// Something given twice.
    #[error("`{0}` is given twice")]
    Twice(String),
    /// A square that is none.
    #[error(transparent)]
    Square(#[from] crate::frame::SquareError),
    /// A way of moving that is not understood.
    #[error(transparent)]
    Betza(#[from] crate::betza::BetzaError),
    /// A set-up that is no position.
    #[error("{0}")]
    Setup(String),
    /// Games that inherit from each other in a circle, or too deep.
    #[error("inherits in a circle or over more than 8 games")]
    Circle,
    /// A game that inherits from itself.
    #[error("`{0}` inherits from itself: expected the id of another game")]
    Itself(String),
    /// The id of a built-in game, which another file would replace everywhere.
    #[error("`{0}` is a built-in game: expected an id of its own, or `replaces = true`")]
    Reserved(String),
    /// A character that a terminal would obey.
    #[error("the control character {0:?} cannot stand in a text: expected letters and signs")]
    Control(char),
    /// Two values that contradict each other.
    #[error("{0}")]
    Conflict(String),
}

/// Reads the text of one game by its id, for `inherits`.
pub trait Library {
    /// The `game.toml` of the id, or `None`.
    fn game_text(&self, id: &str) -> Option<String>;
    /// All ids, for messages.
    fn ids(&self) -> Vec<String>;
    /// The `game.toml` of the id if only a file that says `replaces = true`, or this text itself, may have that id.
    fn reserved(&self, id: &str) -> Option<String> {
        let _ = id;
        None
    }
}

/// A library without games.
pub struct NoLibrary;

impl Library for NoLibrary {
    fn game_text(&self, _: &str) -> Option<String> {
        None
    }
    fn ids(&self) -> Vec<String> {
        Vec::new()
    }
}

/// A game's text as read: every key is optional, since another game may supply it.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct GameDoc {
    pub id: Option<At<String>>,
    pub name: Option<At<String>>,
    /// What others call the game; never inherited.
    pub aliases: Option<Vec<At<String>>>,
    /// Whether the file may take the place of a built-in game; never inherited.
    pub replaces: Option<At<bool>>,
    pub inherits: Option<At<String>>,
    /// Inherited sections, setups (`setups.NAME`) and pieces (`pieces.LETTER`) to leave out.
    pub without: Option<Vec<At<String>>>,
    pub summary: Option<At<String>>,
    pub origin: Option<At<String>>,
    pub clock: Option<At<String>>,
    pub about: Option<At<AboutDoc>>,
    pub board: Option<At<BoardDoc>>,
    pub setups: Option<BTreeMap<String, At<String>>>,
    #[serde(default)]
    pub pieces: Vec<At<PieceDoc>>,
    pub initial: Option<At<InitialDoc>>,
    pub castling: Option<At<CastlingDoc>>,
    pub promotion: Option<At<PromotionDoc>>,
    pub arrivals: Option<At<Vec<ArrivalDoc>>>,
    pub prison: Option<At<Vec<ArrivalDoc>>>,
    pub royals: Option<At<RoyalsDoc>>,
    pub citadels: Option<At<SquaresDoc>>,
    pub traverse: Option<At<TraverseDoc>>,
    pub crowning: Option<At<CrowningDoc>>,
    pub endings: Option<At<EndingsDoc>>,
    pub points: Option<At<PointsDoc>>,
    pub regions: Option<BTreeMap<String, At<RegionDoc>>>,
    pub looks: Option<At<LooksDoc>>,
    pub customs: Option<At<CustomsDoc>>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct BoardDoc {
    pub files: At<i64>,
    pub ranks: At<i64>,
    #[serde(default)]
    pub missing: Vec<At<String>>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PieceDoc {
    pub letter: At<String>,
    pub name: Option<At<String>>,
    pub betza: Option<At<String>>,
    pub royal: Option<bool>,
    pub pawn: Option<bool>,
    pub image: Option<At<String>>,
    pub text: Option<At<String>>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct InitialDoc {
    pub steps: At<i64>,
    pub ranks: Vec<At<i64>>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CastlingDoc {
    pub name: Option<At<String>>,
    pub piece: At<String>,
    pub partner: At<String>,
    pub from: At<String>,
    pub east: Option<CastleDoc>,
    pub west: Option<CastleDoc>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CastleDoc {
    pub to: At<String>,
    pub partner_from: At<String>,
    pub partner_to: At<String>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PromotionDoc {
    pub pieces: Vec<At<String>>,
    #[serde(default)]
    pub to: Vec<At<String>>,
    #[serde(default)]
    pub captured: Vec<At<String>>,
    #[serde(default)]
    pub optional_ranks: Vec<At<i64>>,
    #[serde(default)]
    pub mandatory_ranks: Vec<At<i64>>,
}

/// A piece with squares: what a pawn-type piece becomes there, or whom it releases.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ArrivalDoc {
    pub piece: At<String>,
    pub squares: Vec<At<String>>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RoyalsDoc {
    #[serde(default)]
    pub several: bool,
    #[serde(default)]
    pub apart: bool,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SquaresDoc {
    pub squares: Vec<At<String>>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TraverseDoc {
    pub name: Option<At<String>>,
    pub piece: At<String>,
    pub becomes: At<String>,
    pub squares: Vec<At<String>>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct EndingsDoc {
    pub stalemate: Option<At<String>>,
    #[serde(default)]
    pub bare_king: bool,
    #[serde(default)]
    pub bare_royals: bool,
    pub move_rule: Option<At<i64>>,
    pub repetition: Option<At<i64>>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PointsDoc {
    pub win: Option<At<f64>>,
    pub draw: Option<At<f64>>,
    pub loss: Option<At<f64>>,
    pub green_gem: Option<At<f64>>,
    pub white: Option<SidePointsDoc>,
    pub black: Option<SidePointsDoc>,
    #[serde(default)]
    pub royal: Vec<RoyalPointsDoc>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SidePointsDoc {
    pub win: Option<At<f64>>,
    pub draw: Option<At<f64>>,
    pub loss: Option<At<f64>>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RoyalPointsDoc {
    pub piece: At<String>,
    pub beaten: At<f64>,
    pub draw: At<f64>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RegionDoc {
    pub name: String,
    pub squares: Vec<At<String>>,
    pub color: At<String>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct LooksDoc {
    pub white: Option<SideLooksDoc>,
    pub black: Option<SideLooksDoc>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SideLooksDoc {
    pub name: Option<String>,
    pub fill: Option<At<String>>,
    pub detail: Option<At<String>>,
    #[serde(default)]
    pub stripes: bool,
}

/// What those are told who choose a game.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct AboutDoc {
    pub family: Option<String>,
    pub difficulty: Option<At<i64>>,
    pub minutes: Option<At<i64>>,
    pub from_chess: Option<String>,
    pub first_lesson: Option<String>,
}

/// What a server offers before a game: which games are chosen between, and how.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CustomsDoc {
    pub family: At<String>,
    pub method: At<String>,
    #[serde(default)]
    pub choice: BTreeMap<String, String>,
    /// Names of the choices in the order in which they are made; alphabetical if missing.
    #[serde(default)]
    pub order: Vec<At<String>>,
    /// Whether this game is played where nobody chooses.
    #[serde(default)]
    pub default: bool,
    #[serde(default)]
    pub counsellor: bool,
}

/// The texts that a game was read from, to turn places into lines. The text of an inherited game is
/// read behind as many blanks as all texts before it have bytes, so that an offset tells the file.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sources {
    files: Vec<(String, String, usize)>,
}

impl Sources {
    fn add(&mut self, name: &str, text: &str) -> usize {
        let start = self
            .files
            .last()
            .map_or(0, |(_, text, start)| start + text.len() + 1);
        self.files.push((name.into(), text.into(), start));
        start
    }

    /// File and line of an offset.
    fn place(&self, offset: usize) -> (String, usize) {
        let file = self
            .files
            .iter()
            .rev()
            .find(|(_, _, start)| *start <= offset);
        let Some((name, text, start)) = file else {
            return (String::new(), 1);
        };
        let end = (offset - start).min(text.len());
        let line = text.as_bytes()[..end]
            .iter()
            .filter(|&&b| b == b'\n')
            .count()
            + 1;
        (name.clone(), line)
    }

    /// An error at a value's place.
    pub fn error(
        &self,
        offset: usize,
        key: impl Into<String>,
        problem: impl Into<Problem>,
    ) -> GameError {
        let (file, line) = self.place(offset);
        GameError {
            file,
            line,
            key: key.into(),
            problem: problem.into(),
        }
    }
}

const MAX_TEXT: usize = 1 << 20;
const MAX_DEPTH: usize = 8;

/// Reads a game's text with all that it inherits.
pub(crate) fn read(
    name: &str,
    text: &str,
    library: &dyn Library,
) -> Result<(GameDoc, Sources), GameError> {
    let mut sources = Sources::default();
    let mut doc = read_one(name, text, &mut sources)?;
    may_have_its_id(&doc, text, library, &sources)?;
    let own = doc.id.as_ref().map(|id| id.get_ref().clone());
    let mut next = doc.inherits.take();
    for depth in 0.. {
        let Some(base) = next else { break };
        let at = base.span().start;
        let id = base.into_inner();
        if depth == MAX_DEPTH {
            return Err(sources.error(at, "inherits", Problem::Circle));
        }
        if depth == 0 && own.as_ref() == Some(&id) && library.reserved(&id).is_none() {
            return Err(sources.error(at, "inherits", Problem::Itself(id)));
        }
        let text = library.game_text(&id).ok_or_else(|| {
            let expected = format!("one of {}", library.ids().join(", "));
            sources.error(
                at,
                "inherits",
                Problem::Unknown {
                    found: id.clone(),
                    expected,
                },
            )
        })?;
        let mut base = read_one(&format!("{id}/game.toml"), &text, &mut sources)?;
        next = base.inherits.take();
        leave_out(&mut base, doc.without.take(), &sources)?;
        doc = complete(doc, base);
    }
    Ok((doc, sources))
}

/// A file does not take the place of a built-in game in silence.
fn may_have_its_id(
    doc: &GameDoc,
    text: &str,
    library: &dyn Library,
    sources: &Sources,
) -> Result<(), GameError> {
    let (Some(id), None | Some(false)) = (&doc.id, doc.replaces.as_ref().map(|r| *r.get_ref()))
    else {
        return Ok(());
    };
    match library.reserved(id.get_ref()) {
        Some(known) if known != text => {
            let problem = Problem::Reserved(id.get_ref().clone());
            Err(sources.error(id.span().start, "id", problem))
        }
        _ => Ok(()),
    }
}

fn read_one(name: &str, text: &str, sources: &mut Sources) -> Result<GameDoc, GameError> {
    let start = sources.add(name, text);
    if text.len() > MAX_TEXT {
        let problem = Problem::Bounds {
            found: format!("a text of {} bytes", text.len()),
            expected: format!("at most {MAX_TEXT}"),
        };
        return Err(sources.error(start, "file", problem));
    }
    let padded = format!("{:start$}{text}", "");
    if let Some((at, key, found)) = text::control_character(&padded) {
        return Err(sources.error(at, key, Problem::Control(found)));
    }
    toml::from_str(&padded).map_err(|error| {
        let at = error.span().map_or(start, |span| span.start);
        let key = key_near(&padded, at);
        sources.error(at, key, Problem::Syntax(text::plain(error.message())))
    })
}

/// The section and key in whose text an offset lies, for messages about the text itself.
fn key_near(text: &str, offset: usize) -> String {
    let end = offset.min(text.len());
    let before = String::from_utf8_lossy(&text.as_bytes()[..end]);
    let line_rest: String = String::from_utf8_lossy(&text.as_bytes()[end..])
        .lines()
        .next()
        .unwrap_or_default()
        .into();
    let line_start = before.rfind('\n').map_or(0, |i| i + 1);
    let line = format!("{}{line_rest}", &before[line_start..]);
    let section = before
        .lines()
        .rev()
        .find_map(|l| {
            l.trim()
                .strip_prefix('[')
                .map(|l| l.trim_matches(['[', ']']))
        })
        .unwrap_or_default();
    let key = line.split('=').next().unwrap_or_default().trim();
    let key: String = key.chars().take(40).collect();
    match (section.is_empty() || key.starts_with('['), key.is_empty()) {
        (_, true) => "text".into(),
        (true, false) => key,
        (false, false) => format!("{section}.{key}"),
    }
}

/// Drops what the heir does not want from its base.
fn leave_out(
    base: &mut GameDoc,
    without: Option<Vec<At<String>>>,
    sources: &Sources,
) -> Result<(), GameError> {
    for entry in without.unwrap_or_default() {
        let at = entry.span().start;
        let entry = entry.into_inner();
        let found = match entry.split_once('.') {
            Some(("pieces", letter)) => {
                let before = base.pieces.len();
                base.pieces
                    .retain(|p| p.get_ref().letter.get_ref() != letter);
                base.pieces.len() < before
            }
            Some(("setups", name)) => base
                .setups
                .as_mut()
                .is_some_and(|setups| setups.remove(name).is_some()),
            Some(("regions", name)) => base
                .regions
                .as_mut()
                .is_some_and(|regions| regions.remove(name).is_some()),
            _ => match entry.as_str() {
                "about" => base.about.take().is_some(),
                "setups" => base.setups.take().is_some(),
                "initial" => base.initial.take().is_some(),
                "castling" => base.castling.take().is_some(),
                "promotion" => base.promotion.take().is_some(),
                "arrivals" => base.arrivals.take().is_some(),
                "prison" => base.prison.take().is_some(),
                "royals" => base.royals.take().is_some(),
                "citadels" => base.citadels.take().is_some(),
                "traverse" => base.traverse.take().is_some(),
                "crowning" => base.crowning.take().is_some(),
                "endings" => base.endings.take().is_some(),
                "points" => base.points.take().is_some(),
                "regions" => base.regions.take().is_some(),
                "looks" => base.looks.take().is_some(),
                "customs" => base.customs.take().is_some(),
                _ => false,
            },
        };
        if !found {
            let problem = Problem::Unknown {
                found: entry,
                expected: "a section of the inherited game (about, setups, initial, castling, promotion, \
                           arrivals, prison, royals, citadels, traverse, crowning, endings, points, \
                           regions, looks, customs) or one of its pieces.LETTER, setups.NAME, \
                           regions.NAME"
                    .into(),
            };
            return Err(sources.error(at, "without", problem));
        }
    }
    Ok(())
}

/// The heir's values, with those of the base where the heir has none: sections as a whole, set-ups
/// and regions by name, pieces by letter and key.
fn complete(heir: GameDoc, base: GameDoc) -> GameDoc {
    let mut pieces = base.pieces;
    for piece in heir.pieces {
        let letter = piece.get_ref().letter.get_ref().clone();
        match pieces
            .iter_mut()
            .find(|p| p.get_ref().letter.get_ref() == &letter)
        {
            Some(old) => {
                let mut new = piece;
                let (given, inherited) = (new.get_mut(), old.get_ref().clone());
                let same_moves = given.betza.is_none();
                given.name = given.name.take().or(inherited.name);
                given.betza = given.betza.take().or(inherited.betza);
                given.royal = given.royal.or(inherited.royal);
                given.pawn = given.pawn.or(inherited.pawn);
                given.image = given.image.take().or(inherited.image);
                // A sentence about other moves would be wrong.
                if same_moves {
                    given.text = given.text.take().or(inherited.text);
                }
                *old = new;
            }
            None => pieces.push(piece),
        }
    }
    GameDoc {
        id: heir.id,
        replaces: heir.replaces,
        name: heir.name.or(base.name),
        aliases: heir.aliases,
        inherits: None,
        without: base.without,
        summary: heir.summary.or(base.summary),
        origin: heir.origin.or(base.origin),
        clock: heir.clock.or(base.clock),
        about: heir.about.or(base.about),
        board: heir.board.or(base.board),
        setups: merge(heir.setups, base.setups),
        pieces,
        initial: heir.initial.or(base.initial),
        castling: heir.castling.or(base.castling),
        promotion: heir.promotion.or(base.promotion),
        arrivals: heir.arrivals.or(base.arrivals),
        prison: heir.prison.or(base.prison),
        royals: heir.royals.or(base.royals),
        citadels: heir.citadels.or(base.citadels),
        traverse: heir.traverse.or(base.traverse),
        crowning: heir.crowning.or(base.crowning),
        endings: heir.endings.or(base.endings),
        points: heir.points.or(base.points),
        regions: merge(heir.regions, base.regions),
        looks: heir.looks.or(base.looks),
        customs: heir.customs.or(base.customs),
    }
}

fn merge<T>(
    heir: Option<BTreeMap<String, T>>,
    base: Option<BTreeMap<String, T>>,
) -> Option<BTreeMap<String, T>> {
    let mut all = base.unwrap_or_default();
    all.extend(heir.unwrap_or_default());
    Some(all)
}
