//! Lessons: what there is to learn of a game, tasks, and how an attempt at one goes.

use super::Side;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A lesson in the list of a game's.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct LessonCard {
    /// For addresses, as `white-tiger-rider`.
    pub id: String,
    /// Its heading.
    pub title: String,
    /// What it is about, in a sentence or two.
    pub text: String,
    /// The capital letter of the piece that it is about, if it is about one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub letter: Option<String>,
    /// How many tasks it has.
    pub tasks: usize,
}

/// A lesson with its tasks.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct LessonDetail {
    /// For addresses.
    pub id: String,
    /// Its heading.
    pub title: String,
    /// What it is about.
    pub text: String,
    /// The capital letter of the piece that it is about, if it is about one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub letter: Option<String>,
    /// In their order.
    pub tasks: Vec<LessonTask>,
}

/// A task of a lesson.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct LessonTask {
    /// What is to be done.
    pub text: String,
    /// What was learned, in a sentence.
    pub learned: String,
    /// Words for one who does not find it.
    pub hint: String,
    /// Who moves.
    pub side: Side,
    /// Moves in UCI form, or `accept`, that do it in the fewest.
    pub solution: Vec<String>,
    /// Moves that an attempt may have.
    pub within: usize,
    /// How it begins.
    pub start: AttemptNow,
}

/// The moves of an attempt at a task.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AttemptRequest {
    /// The moves so far in UCI form, or `accept`; no more than the task allows. The opponent's answers are not among them.
    pub moves: Vec<String>,
}

/// How an attempt stands.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct AttemptNow {
    /// Position text. On a practice board it need not be a position of the game: royal pieces may be missing.
    pub fen: String,
    /// The moves that can be made, in UCI form.
    pub legal: Vec<String>,
    /// Whether mate or stalemate may be accepted.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub can_accept: bool,
    /// Stars that are to be reached.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stars: Vec<String>,
    /// Squares of the pieces that are to be captured.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub marked: Vec<String>,
    /// Square of the learner's royal piece in check.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub check: Option<String>,
    /// The last move on the board, either side's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last: Option<String>,
    /// The board after the learner's last move, where the opponent has answered it: shown for a moment before the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moved: Option<AttemptMoved>,
    /// How it goes.
    pub progress: AttemptProgress,
    /// Why it has failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

/// The board after the learner's move, before the opponent's answer.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct AttemptMoved {
    /// Position text, as in [`AttemptNow`].
    pub fen: String,
    /// The learner's move in UCI form.
    pub last: String,
}

/// How an attempt goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum AttemptProgress {
    /// It goes on.
    GoingOn,
    /// The goal is reached.
    Done,
    /// It cannot be reached any more.
    Failed,
}
