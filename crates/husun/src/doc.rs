//! The text of a game: `game.toml`, read strictly into a `GameDoc` with the place of every value, and completed from
//! the game that it inherits from. What the values mean is checked in `definition`; nothing here knows squares or
//! moves. The sections are in `sections`, inheritance is in `inherit`.

use crate::drawing::{Drawing, DrawingError};
use inherit::{complete, leave_out};
use toml::Spanned;

mod inherit;
mod sections;
mod text;

pub(crate) use sections::*;

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
    /// The key, such as `pieces.K.betza`.
    pub key: String,
    /// What is wrong there.
    pub problem: Problem,
}

/// What can be wrong with a value of a game's text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// Not TOML, an unknown key or a value of the wrong type; the message lists what is valid.
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
    /// A value that is not one of the valid ones.
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
    /// Not a square.
    #[error(transparent)]
    Square(#[from] crate::frame::SquareError),
    /// A way of moving that is not understood.
    #[error(transparent)]
    Betza(#[from] crate::betza::BetzaError),
    /// Not a picture.
    #[error(transparent)]
    Drawing(#[from] DrawingError),
    /// A picture's file that cannot be read.
    #[error("{file}: {reason}")]
    Picture {
        /// The file.
        file: String,
        /// Why not.
        reason: String,
    },
    /// A set-up that is not a position.
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
    /// A control character, which a terminal would act on.
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
    /// The `game.toml` of a reserved id: only this text itself, or a file that says `replaces = true`, may have the
    /// id.
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

/// The texts that a game was read from, to turn places into lines. The text of an inherited game is parsed
/// after as many blanks as all texts before it have bytes, so that an offset identifies the file too.
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

/// A game's text with the names of its pieces' picture files replaced by their contents, so that it needs no other
/// file. `read` is given the file names, which are plain ones.
///
/// ```
/// # let text = husun::doctest::MINI.replace("betza = \"R\"", "betza = \"R\"\npicture = \"rook.svg\"");
/// let svg = r#"<svg viewBox="0 0 100 100"><path class="body" d="M20 90H80V10H20Z"/></svg>"#;
/// let whole = husun::doc::with_pictures("mini.toml", &text, |_| Ok(svg.into())).unwrap();
/// let mini = husun::Variant::parse("mini.toml", &whole).unwrap();
/// let rook = mini.piece(mini.kind('R').unwrap());
/// assert_eq!(rook.drawing.as_ref().unwrap().body, "M20 90H80V10H20Z");
/// ```
pub fn with_pictures(
    file: &str,
    text: &str,
    read: impl Fn(&str) -> Result<String, String>,
) -> Result<String, GameError> {
    let mut sources = Sources::default();
    let doc = read_one(file, text, &mut sources)?;
    let mut whole = text.to_owned();
    for piece in doc.pieces.iter().rev().map(|p| p.get_ref()) {
        let Some(picture) = piece.picture.as_ref().filter(|p| is_file(p.get_ref())) else {
            continue;
        };
        let name = picture.get_ref();
        let wrong = |problem: Problem| {
            let key = format!("pieces.{}.picture", piece.letter.get_ref());
            sources.error(picture.span().start, key, problem)
        };
        let refused = |reason: String| {
            let file = name.clone();
            wrong(Problem::Picture { file, reason })
        };
        if !name.ends_with(".svg") || name.contains(['/', '\\', ':']) || name.starts_with('.') {
            let reason = "expected the name of a file beside this one, ending in .svg";
            return Err(refused(reason.into()));
        }
        let svg = read(name).map_err(refused)?;
        Drawing::parse(&svg).map_err(|e| refused(e.to_string()))?;
        // On one line, so that the line numbers of what follows stay right.
        let svg = svg.split_whitespace().collect::<Vec<_>>().join(" ");
        whole.replace_range(picture.span(), &toml::Value::String(svg).to_string());
    }
    Ok(whole)
}

/// Whether a piece's picture is the name of a file, and not the picture itself.
fn is_file(picture: &str) -> bool {
    !picture.trim_start().starts_with('<')
}

/// The picture that a piece's text holds.
pub(crate) fn drawing(picture: &str) -> Result<Drawing, Problem> {
    if is_file(picture) {
        let reason = "this file is not at hand: expected the picture itself, from <svg to </svg>";
        let file = picture.chars().take(40).collect();
        return Err(Problem::Picture {
            file,
            reason: reason.into(),
        });
    }
    Ok(Drawing::parse(picture)?)
}

/// A file must not silently replace a built-in game.
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
    // A byte order mark is blank, wherever the text comes to stand.
    let text = match text.strip_prefix('\u{feff}') {
        Some(rest) => format!("   {rest}"),
        None => text.to_owned(),
    };
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
