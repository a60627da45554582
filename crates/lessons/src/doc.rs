//! The text of a game's lessons (`lessons.toml`), read strictly: unknown keys, squares that do not exist and positions that the
//! rules do not allow are errors that say where. Whether a goal can be reached is for [`crate::fewest`].

use crate::act::Act;
use crate::attempt::ACCEPT;
use crate::course::{About, Lesson};
use crate::scene::{Practice, Rules, Scene};
use crate::task::{Deed, Goal, Opponent, Task};
use husun::{Game, Kind, Reason, Square, Variant};
use serde::Deserialize;
use std::sync::Arc;

/// Most lessons of a game's text, tasks of a lesson, moves of an attempt and bytes of a sentence.
const LESSONS: usize = 40;
const TASKS: usize = 20;
const WITHIN: usize = 30;
const WORDS: usize = 600;
/// Moves over which an opponent that defends looks ahead, at most: beyond them it would take too long.
const DEFENDED: usize = 2;

/// Why a text of lessons is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}: {place}: {problem}")]
pub struct LessonError {
    /// The file as it was named.
    pub file: String,
    /// The lesson and task, as `lesson release, task 2`.
    pub place: String,
    /// What is wrong there.
    pub problem: Problem,
}

/// What can be wrong with a text of lessons.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// Not TOML, or an unknown key.
    #[error("{0}")]
    Toml(String),
    /// Too much of something.
    #[error("{found} {what}: expected at most {most}")]
    TooMany {
        /// What there is too much of.
        what: &'static str,
        /// How many.
        found: usize,
        /// How many are allowed.
        most: usize,
    },
    /// An id that is no word of an address, or given twice.
    #[error("id `{0}`: expected small letters, digits and -, different for each lesson")]
    Id(String),
    /// A value that is missing.
    #[error("{0} is missing")]
    Missing(&'static str),
    /// A letter that is no piece of the game.
    #[error("{key}: `{found}` is no piece of the game: expected one of {known}")]
    Letter {
        /// Where.
        key: &'static str,
        /// What was read.
        found: String,
        /// The game's letters.
        known: String,
    },
    /// A square that the board does not have.
    #[error("{key}: {problem}")]
    Square {
        /// Where.
        key: &'static str,
        /// Why not.
        problem: String,
    },
    /// A square on which no enemy piece stands.
    #[error("capture: no piece of the opponent stands on {0}")]
    Nobody(String),
    /// A word that is none of a list.
    #[error("{key}: `{found}`: expected one of {known}")]
    Word {
        /// Where.
        key: &'static str,
        /// What was read.
        found: String,
        /// What is known.
        known: String,
    },
    /// A position that is none.
    #[error("position: {0}")]
    Position(String),
    /// A board and a position, or a goal that a board cannot have.
    #[error("{0}")]
    Contradiction(&'static str),
    /// A solution that does not do the task.
    #[error("solution: {0}")]
    Solution(String),
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct CourseDoc {
    #[serde(default)]
    pieces: Option<String>,
    #[serde(default)]
    lessons: Vec<LessonDoc>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct LessonDoc {
    id: String,
    title: String,
    text: String,
    #[serde(default)]
    first: bool,
    #[serde(default)]
    tasks: Vec<TaskDoc>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct TaskDoc {
    text: String,
    learned: String,
    #[serde(default)]
    hint: String,
    position: Option<String>,
    board: Option<String>,
    goal: GoalDoc,
    opponent: Option<String>,
    #[serde(default)]
    replies: Vec<String>,
    solution: Vec<String>,
    within: Option<usize>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct GoalDoc {
    #[serde(default)]
    stars: Vec<String>,
    #[serde(default)]
    capture: Vec<String>,
    act: Option<String>,
    piece: Option<String>,
    becomes: Option<String>,
    #[serde(default)]
    to: Vec<String>,
    ending: Option<String>,
    #[serde(default)]
    check: bool,
}

/// What a text of lessons says.
#[derive(Clone, Debug, Default)]
pub(crate) struct Written {
    /// Those that come before the pieces.
    pub first: Vec<Lesson>,
    /// Those that come after them.
    pub later: Vec<Lesson>,
    /// The kinds whose lessons come first.
    pub pieces: Vec<Kind>,
}

/// Reads a text of lessons. `file` names it in errors.
pub(crate) fn read(variant: &Arc<Variant>, file: &str, text: &str) -> Result<Written, LessonError> {
    let wrong = |place: &str, problem| LessonError {
        file: file.into(),
        place: place.into(),
        problem,
    };
    let doc: CourseDoc = toml::from_str(text).map_err(|e| {
        let line = e.span().map_or(1, |s| {
            text[..s.start.min(text.len())].lines().count().max(1)
        });
        wrong(
            &format!("line {line}"),
            Problem::Toml(e.message().to_owned()),
        )
    })?;
    at_most("lessons", doc.lessons.len(), LESSONS).map_err(|p| wrong("lessons", p))?;
    let reader = Reader { variant };
    let mut written = Written::default();
    if let Some(letters) = &doc.pieces {
        let kinds = letters
            .chars()
            .map(|c| reader.kind("pieces", &c.to_string()));
        written.pieces = kinds
            .collect::<Result<_, _>>()
            .map_err(|p| wrong("pieces", p))?;
    }
    let mut ids: Vec<&str> = Vec::new();
    for lesson in &doc.lessons {
        let place = format!("lesson {}", lesson.id.chars().take(40).collect::<String>());
        if !is_id(&lesson.id) || ids.contains(&lesson.id.as_str()) {
            return Err(wrong(&place, Problem::Id(lesson.id.clone())));
        }
        ids.push(&lesson.id);
        let mut tasks = Vec::new();
        at_most("tasks", lesson.tasks.len(), TASKS).map_err(|p| wrong(&place, p))?;
        if lesson.tasks.is_empty() {
            return Err(wrong(&place, Problem::Missing("a task")));
        }
        for (number, task) in (1..).zip(&lesson.tasks) {
            let read = reader.task(task);
            tasks.push(read.map_err(|p| wrong(&format!("{place}, task {number}"), p))?);
        }
        let words = reader
            .words("title", &lesson.title)
            .and(reader.words("text", &lesson.text));
        words.map_err(|p| wrong(&place, p))?;
        let list = if lesson.first {
            &mut written.first
        } else {
            &mut written.later
        };
        list.push(Lesson {
            id: lesson.id.clone(),
            title: lesson.title.clone(),
            text: lesson.text.clone(),
            about: About::Rule,
            tasks,
        });
    }
    Ok(written)
}

fn at_most(what: &'static str, found: usize, most: usize) -> Result<(), Problem> {
    match found > most {
        true => Err(Problem::TooMany { what, found, most }),
        false => Ok(()),
    }
}

fn is_id(id: &str) -> bool {
    let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    !id.is_empty() && id.len() <= 40 && id.chars().all(fits)
}

struct Reader<'a> {
    variant: &'a Arc<Variant>,
}

impl Reader<'_> {
    fn words(&self, key: &'static str, text: &str) -> Result<(), Problem> {
        match text.trim().is_empty() {
            true => Err(Problem::Missing(key)),
            false => at_most("bytes of text", text.len(), WORDS),
        }
    }

    fn kind(&self, key: &'static str, text: &str) -> Result<Kind, Problem> {
        let mut chars = text.chars();
        let letter = chars.next().filter(|_| chars.next().is_none());
        letter
            .and_then(|c| self.variant.kind(c))
            .ok_or_else(|| Problem::Letter {
                key,
                found: text.chars().take(10).collect(),
                known: self.variant.pieces().iter().map(|p| p.letter).collect(),
            })
    }

    fn squares(&self, key: &'static str, texts: &[String]) -> Result<Vec<Square>, Problem> {
        let frame = self.variant.frame();
        let read = texts.iter().map(|text| {
            frame.parse(text).map_err(|e| Problem::Square {
                key,
                problem: e.to_string(),
            })
        });
        read.collect()
    }

    fn task(&self, doc: &TaskDoc) -> Result<Task, Problem> {
        self.words("text", &doc.text)?;
        self.words("learned", &doc.learned)?;
        let scene = self.scene(doc)?;
        let goal = self.goal(&doc.goal, &scene)?;
        let opponent = opponent(doc)?;
        if opponent == Opponent::Defends {
            at_most("moves against a defence", doc.solution.len(), DEFENDED)?;
        }
        let within = doc.within.unwrap_or(doc.solution.len());
        at_most("moves", within.max(doc.solution.len()), WITHIN)?;
        if doc.solution.is_empty() {
            return Err(Problem::Missing("solution"));
        }
        let task = Task {
            text: doc.text.clone(),
            learned: doc.learned.clone(),
            hint: doc.hint.clone(),
            goal,
            opponent,
            solution: doc.solution.clone(),
            within,
            scene,
        };
        solves(&task)?;
        Ok(task)
    }

    fn scene(&self, doc: &TaskDoc) -> Result<Scene, Problem> {
        match (&doc.position, &doc.board) {
            (Some(text), None) => {
                let position = self.variant.position(text);
                let position = position.map_err(|e| Problem::Position(e.to_string()))?;
                let game = Game::new(position);
                if game.outcome().is_some() {
                    let over = "the game is over before the first move".into();
                    return Err(Problem::Position(over));
                }
                let learner = game.turn();
                Ok(Scene::Rules(Box::new(Rules { game, learner })))
            }
            (None, Some(text)) => {
                let setup = self.variant.read_board(text);
                Ok(Scene::Practice(Practice {
                    variant: self.variant.clone(),
                    setup: setup.map_err(|e| Problem::Position(e.to_string()))?,
                    piece: None,
                }))
            }
            (Some(_), Some(_)) => Err(Problem::Contradiction(
                "position and board: expected one of the two",
            )),
            (None, None) => Err(Problem::Missing("position or board")),
        }
    }

    fn goal(&self, doc: &GoalDoc, scene: &Scene) -> Result<Goal, Problem> {
        let kind = |key, text: &Option<String>| {
            let read = text.as_deref().map(|text| self.kind(key, text));
            read.transpose()
        };
        let (piece, becomes) = (kind("piece", &doc.piece)?, kind("becomes", &doc.becomes)?);
        let to = self.squares("to", &doc.to)?;
        let deed = match &doc.act {
            Some(name) => Some(Deed {
                act: Act::from_name(name).ok_or_else(|| Problem::Word {
                    key: "act",
                    found: name.chars().take(40).collect(),
                    known: Act::NAMES.map(|(_, name)| name).join(", "),
                })?,
                piece,
                becomes,
                to,
            }),
            None if piece.is_some() || becomes.is_some() || !to.is_empty() => {
                return Err(Problem::Contradiction(
                    "piece, becomes and to: expected an act beside them",
                ));
            }
            None => None,
        };
        let ending = match &doc.ending {
            Some(name) => Some(Reason::from_name(name).ok_or_else(|| Problem::Word {
                key: "ending",
                found: name.chars().take(40).collect(),
                known: Reason::NAMES.map(|(_, name)| name).join(", "),
            })?),
            None => None,
        };
        let goal = Goal {
            stars: self.squares("stars", &doc.stars)?,
            capture: self.captured(&doc.capture, scene)?,
            deed,
            ending,
            check: doc.check,
        };
        if goal == Goal::default() {
            return Err(Problem::Missing("something to be reached in goal"));
        }
        let practice = matches!(scene, Scene::Practice(_));
        if practice && (goal.ending.is_some() || goal.check) {
            return Err(Problem::Contradiction(
                "ending and check: expected a position, a board has neither",
            ));
        }
        Ok(goal)
    }

    /// `all`, or squares.
    fn captured(&self, texts: &[String], scene: &Scene) -> Result<Vec<Square>, Problem> {
        let enemy = |s: &Square| {
            let piece = scene.piece_on(*s);
            piece.filter(|(side, _)| *side != scene.learner())
        };
        if let [all] = texts
            && all == "all"
        {
            let capturable =
                |s: &Square| enemy(s).is_some_and(|(_, k)| !self.variant.piece(k).royal);
            return Ok(self.variant.frame().squares().filter(capturable).collect());
        }
        let squares = self.squares("capture", texts)?;
        match squares.iter().find(|s| enemy(s).is_none()) {
            Some(&s) => Err(Problem::Nobody(self.variant.frame().name(s).to_string())),
            None => Ok(squares),
        }
    }
}

fn opponent(doc: &TaskDoc) -> Result<Opponent, Problem> {
    const NAMES: [&str; 4] = ["still", "captures", "defends", "plays"];
    if !doc.replies.is_empty() && doc.opponent.as_deref() != Some("plays") {
        return Err(Problem::Contradiction(
            "replies: expected opponent = \"plays\" beside them",
        ));
    }
    Ok(match doc.opponent.as_deref() {
        None | Some("still") => Opponent::Still,
        Some("captures") => Opponent::Captures,
        Some("defends") => Opponent::Defends,
        Some("plays") => Opponent::Plays(doc.replies.clone()),
        Some(other) => {
            return Err(Problem::Word {
                key: "opponent",
                found: other.chars().take(40).collect(),
                known: NAMES.join(", "),
            });
        }
    })
}

/// Plays the solution through.
fn solves(task: &Task) -> Result<(), Problem> {
    use crate::attempt::Progress;
    let mut attempt = task.attempt();
    for (number, text) in (1..).zip(&task.solution) {
        let known = text == ACCEPT || text.len() <= 7;
        let played = attempt.play(text).map_err(|e| e.to_string());
        let progress = played.map_err(|e| Problem::Solution(format!("move {number}: {e}")))?;
        let last = number == task.solution.len();
        match progress {
            Progress::Done if last && known => return Ok(()),
            Progress::GoingOn if !last => {}
            Progress::Done => {
                return Err(Problem::Solution(format!(
                    "move {number} does it already: expected no more moves"
                )));
            }
            Progress::GoingOn => break,
            Progress::Failed(why) => {
                return Err(Problem::Solution(format!("move {number}: {why}")));
            }
        }
    }
    Err(Problem::Solution(
        "it does not reach the goal: expected moves that do".into(),
    ))
}
