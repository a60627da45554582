//! Puzzles as lessons, so that they are played wherever lessons are: a lesson for each length, and one for saves.

use crate::doc::read;
use crate::puzzle::Puzzle;
use crate::solve::Goal;
use engine::values::{Values, estimate};
use husun::Variant;
use lessons::{About, Lesson, Task};
use std::sync::Arc;

/// The lessons of a text of puzzles, those of one move first, each with its puzzles in their order; `values` is the game's text of
/// tuned values. A text that cannot be read has none: those of files are read when they are loaded.
///
/// ```
/// let chess = games::variant("chess").unwrap();
/// let text = "[[puzzles]]\nid = \"one\"\nposition = \"6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1\"\nline = \"a1a8\"";
/// let lessons = puzzles::lessons(&chess, Some(text), None);
/// assert_eq!(lessons[0].id, "puzzles-win-in-1");
/// assert_eq!(lessons[0].tasks[0].text, "Find the win: White to move.");
/// let mut attempt = lessons[0].tasks[0].attempt();
/// assert_eq!(attempt.play("a1a8").unwrap(), &lessons::Progress::Done);
/// ```
pub fn lessons(variant: &Arc<Variant>, text: Option<&str>, values: Option<&str>) -> Vec<Lesson> {
    let read = text.and_then(|text| read(variant, "puzzles.toml", text).ok());
    let puzzles = read.unwrap_or_default();
    let Some(longest) = puzzles.iter().map(Puzzle::moves).max() else {
        return Vec::new();
    };
    let values = values.and_then(|text| Values::parse(variant, text).ok());
    let values = values.unwrap_or_else(|| estimate(variant));
    let wins = (1..=longest).map(|n| win_in(n, &puzzles, &values));
    let all = wins.chain([saves(&puzzles, &values)]);
    all.filter(|lesson| !lesson.tasks.is_empty()).collect()
}

/// A lesson of wins in so many moves.
fn win_in(moves: u32, puzzles: &[Puzzle], values: &Values) -> Lesson {
    let wanted = |p: &&Puzzle| p.goal() == Goal::Win && p.moves() == moves;
    let (how, text) = match moves {
        1 => (
            "one move".into(),
            "One move wins at once, and no other does.".into(),
        ),
        n => (
            format!("{n} moves"),
            format!(
                "One first move wins in {n} moves, whatever the answer, and no other does: every one of them was tried."
            ),
        ),
    };
    Lesson {
        id: format!("puzzles-win-in-{moves}"),
        title: format!("Win in {how}"),
        text,
        about: About::Rule,
        tasks: tasks(puzzles.iter().filter(wanted), values),
    }
}

/// The lesson of saves.
fn saves(puzzles: &[Puzzle], values: &Values) -> Lesson {
    let wanted = |p: &&Puzzle| p.goal() == Goal::Draw;
    Lesson {
        id: "puzzles-saves".into(),
        title: "Save the game".into(),
        text: "One first move draws, and every other one loses by force.".into(),
        about: About::Rule,
        tasks: tasks(puzzles.iter().filter(wanted), values),
    }
}

fn tasks<'a>(puzzles: impl Iterator<Item = &'a Puzzle>, values: &Values) -> Vec<Task> {
    puzzles.filter_map(|p| task(p, values)).collect()
}

fn task(puzzle: &Puzzle, values: &Values) -> Option<Task> {
    let variant = puzzle.variant();
    let side = &variant.looks()[puzzle.side().index()].name;
    let text = match puzzle.goal() {
        Goal::Win => format!("Find the win: {side} to move."),
        Goal::Draw => format!("Save the game: {side} to move."),
    };
    let themes = puzzle.themes(values).into_iter();
    let themes: Vec<String> = themes.map(|theme| theme.name(variant)).collect();
    let learned = format!("Themes: {}.", themes.join(", "));
    let first = *puzzle.line().first()?;
    let hint = match first.is_whole_act() {
        true => "No piece moves.".into(),
        false => format!(
            "The {} on {} begins.",
            variant.spoken_name(first.piece()),
            variant.frame().name(first.from())
        ),
    };
    Task::proved(puzzle.game(), text, learned, hint)
}
