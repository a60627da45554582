//! Lessons: tasks that are played on the board, and how they are judged. Those about a kind of piece are made from the game's
//! definition, for every game; those about its special rules are read from a text (`lessons.toml`). Nothing here knows a
//! server, a screen or an engine; `games` is named by [`built_in`] alone.
//!
//! A [`Course`] has [`Lesson`]s, a lesson has [`Task`]s, and an [`Attempt`] at a task takes moves and says how it goes.
//!
//! ```
//! let chess = games::variant("chess").unwrap();
//! let course = lessons::Course::generated(&chess);
//! let rook = course.lesson("rook").unwrap();
//! let mut attempt = rook.tasks[0].attempt();
//! for text in &rook.tasks[0].solution {
//!     attempt.play(text).unwrap();
//! }
//! assert_eq!(attempt.progress(), &lessons::Progress::Done);
//! ```

mod act;
mod attempt;
mod course;
mod doc;
mod generate;
mod scene;
mod solve;
mod task;

pub use act::{Act, of_move as acts};
pub use attempt::{ACCEPT, Attempt, MoveError, Progress};
pub use course::{About, Course, Courses, Lesson, built_in};
pub use doc::{LessonError, Problem};
pub use solve::{MOST_POSITIONS, fewest};
pub use task::{Deed, Goal, Opponent, Task};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
