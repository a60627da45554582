//! All lessons of a game in their order: those that its author puts first, its pieces, its special rules, a first game.

use crate::doc::{self, LessonError, Written};
use crate::generate;
use crate::task::Task;
use husun::{Kind, Variant};
use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, OnceLock, PoisonError};

/// What a lesson is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum About {
    /// A kind of piece.
    Piece(Kind),
    /// A rule of the game, or what its author wants to begin with.
    Rule,
}

/// A lesson.
#[derive(Clone, Debug)]
pub struct Lesson {
    /// For addresses, as `release`; no two of a course are the same.
    pub id: String,
    /// Its heading.
    pub title: String,
    /// What it is about, in a sentence or two.
    pub text: String,
    /// What it is about, for programs.
    pub about: About,
    /// At least one.
    pub tasks: Vec<Task>,
}

/// The lessons of a game.
#[derive(Clone, Debug)]
pub struct Course {
    variant: Arc<Variant>,
    lessons: Vec<Lesson>,
}

impl Course {
    /// The lessons that are made from a game's definition alone: its pieces.
    pub fn generated(variant: &Arc<Variant>) -> Course {
        Course::of(variant, Written::default())
    }

    /// The lessons of a game with those that a text (`lessons.toml`) adds. `file` names the text in errors.
    ///
    /// ```
    /// let chess = games::variant("chess").unwrap();
    /// let error = lessons::Course::read(&chess, "lessons.toml", "[[lessons]]\nid = 1").unwrap_err();
    /// assert!(error.to_string().starts_with("lessons.toml: line 2: "));
    /// ```
    pub fn read(variant: &Arc<Variant>, file: &str, text: &str) -> Result<Course, LessonError> {
        Ok(Course::of(variant, doc::read(variant, file, text)?))
    }

    fn of(variant: &Arc<Variant>, written: Written) -> Course {
        let Written {
            first,
            later,
            pieces,
        } = written;
        let mut kinds = pieces;
        for kind in generate::in_order(variant) {
            if !kinds.contains(&kind) {
                kinds.push(kind);
            }
        }
        let known = |id: &str| first.iter().chain(&later).any(|l: &Lesson| l.id == id);
        let mut made: Vec<Lesson> = Vec::new();
        for kind in kinds {
            let Some(mut lesson) = generate::lesson(variant, kind) else {
                continue;
            };
            let taken = |id: &str| known(id) || made.iter().any(|l| l.id == id);
            if taken(&lesson.id) {
                lesson.id = format!("{}-{}", lesson.id, variant.piece(kind).letter).to_lowercase();
            }
            made.push(lesson);
        }
        Course {
            variant: variant.clone(),
            lessons: first.into_iter().chain(made).chain(later).collect(),
        }
    }

    /// The course with more lessons at its end; those whose ids it has already are left out.
    pub fn with(mut self, more: Vec<Lesson>) -> Course {
        for lesson in more {
            if self.lesson(&lesson.id).is_none() {
                self.lessons.push(lesson);
            }
        }
        self
    }

    /// The game.
    pub fn variant(&self) -> &Arc<Variant> {
        &self.variant
    }

    /// All lessons in their order.
    pub fn lessons(&self) -> &[Lesson] {
        &self.lessons
    }

    /// The lesson of an id.
    pub fn lesson(&self, id: &str) -> Option<&Lesson> {
        self.lessons.iter().find(|l| l.id == id)
    }
}

type Place = Arc<OnceLock<Arc<Course>>>;

/// The courses of games, each made once.
#[derive(Debug, Default)]
pub struct Courses {
    places: Mutex<HashMap<String, Place>>,
}

impl Courses {
    fn places(&self) -> MutexGuard<'_, HashMap<String, Place>> {
        self.places.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The course kept under a name, if it has been made.
    pub fn made(&self, name: &str) -> Option<Arc<Course>> {
        self.places().get(name)?.get().cloned()
    }

    /// The course of a game, with the lessons that are written for it, if there are any that can be read, and more at its end:
    /// work of some tenths of a second at the first call for a name.
    pub fn make(
        &self,
        name: &str,
        variant: &Arc<Variant>,
        written: Option<&str>,
        more: impl FnOnce() -> Vec<Lesson>,
    ) -> Arc<Course> {
        let place = self.places().entry(name.to_owned()).or_default().clone();
        let make = || {
            let file = format!("{}/lessons.toml", variant.id());
            let read = written.map(|text| Course::read(variant, &file, text));
            // Those of the built-in games are read by a test, those of files when they are loaded.
            let course = read.and_then(Result::ok);
            let course = course.unwrap_or_else(|| Course::generated(variant));
            Arc::new(course.with(more()))
        };
        place.get_or_init(make).clone()
    }
}

/// The course of a built-in game, made once.
///
/// ```
/// assert!(lessons::built_in("chess").unwrap().lesson("knight").is_some());
/// assert!(lessons::built_in("checkers").is_none());
/// ```
pub fn built_in(id: &str) -> Option<Arc<Course>> {
    static COURSES: LazyLock<Courses> = LazyLock::new(Courses::default);
    let variant = games::variant(id)?;
    let made = COURSES.made(id);
    let make = || COURSES.make(id, &variant, games::lessons(id), Vec::new);
    Some(made.unwrap_or_else(make))
}
