//! `husun learn`: lessons in the terminal, line by line, for built-in games and the user's own.

use crate::show::{Colours, Signs, text_style};
use crate::term;
use anyhow::{Result, anyhow};
use clap::Args;
use games::Catalogue;
use husun::Variant;
use lessons::{ACCEPT, Attempt, Course, Courses, Lesson, Progress, Task};
use protocol::{InputLine, Lines};
use render::text::TextStyle;
use render::{Mark, Picture};
use std::io::{self, BufRead, Write};
use std::sync::Arc;

/// Learn a game through small tasks
#[derive(Args)]
pub struct Options {
    /// Id of the game
    game: String,
    /// Id of a lesson; if not given, the lessons are listed
    lesson: Option<String>,
    /// Signs for the pieces
    #[arg(long, value_enum, default_value_t)]
    signs: Signs,
}

const WORDS: &str = "a move, as e2e4; `moves` lists them; `hint`, `again`, `skip`, `quit`";

/// Lists the lessons of a game, or teaches one.
pub fn run(games: &Catalogue, options: &Options) -> Result<()> {
    let variant = games.game(&options.game)?;
    let puzzles = || puzzles::lessons(&variant, games.puzzles(&variant), games.values(&variant));
    let written = games.lessons(&variant);
    let course = Courses::default().make(variant.id(), &variant, written, puzzles);
    let mut out = io::stdout().lock();
    let Some(id) = &options.lesson else {
        return list(&course, &mut out);
    };
    let lesson = course.lesson(id).ok_or_else(|| {
        let known: Vec<&str> = course.lessons().iter().map(|l| l.id.as_str()).collect();
        anyhow!(
            "no lesson `{}` of {}: expected one of {}",
            id.chars().take(40).collect::<String>(),
            variant.id(),
            known.join(", ")
        )
    })?;
    let style = text_style(options.signs, Colours::default());
    teach(&variant, lesson, &style, io::stdin().lock(), &mut out)
}

fn list(course: &Course, out: &mut impl Write) -> Result<()> {
    for lesson in course.lessons() {
        let tasks = lesson.tasks.len();
        let word = if tasks == 1 { "task" } else { "tasks" };
        writeln!(out, "{:24} {}, {tasks} {word}", lesson.id, lesson.title)?;
    }
    writeln!(
        out,
        "\n`husun learn {} LESSON` begins one.",
        course.variant().id()
    )?;
    Ok(())
}

/// Whether to go on.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Next {
    Task,
    End,
}

fn teach(
    variant: &Arc<Variant>,
    lesson: &Lesson,
    style: &TextStyle,
    input: impl BufRead,
    out: &mut impl Write,
) -> Result<()> {
    writeln!(out, "{}", lesson.title)?;
    said(&lesson.text, out)?;
    writeln!(out, "Type {WORDS}.")?;
    let mut lines = Lines::new(input);
    for (number, task) in (1..).zip(&lesson.tasks) {
        writeln!(out, "\nTask {number} of {}", lesson.tasks.len())?;
        said(&task.text, out)?;
        if one(variant, task, style, &mut lines, out)? == Next::End {
            return Ok(());
        }
    }
    writeln!(out, "\nThe lesson is done.")?;
    Ok(())
}

/// One task, until it is solved or left.
fn one(
    variant: &Arc<Variant>,
    task: &Task,
    style: &TextStyle,
    lines: &mut Lines<impl BufRead>,
    out: &mut impl Write,
) -> Result<Next> {
    let mut attempt = task.attempt();
    board(variant, &attempt, style, out)?;
    loop {
        write!(out, "> ")?;
        out.flush()?;
        let line = match lines.next() {
            None => return Ok(Next::End),
            Some(InputLine::TooLong) => continue,
            Some(InputLine::Text(line)) => line,
        };
        match line.trim() {
            "" => continue,
            "quit" => return Ok(Next::End),
            "skip" => return Ok(Next::Task),
            "again" => attempt = task.attempt(),
            "hint" => {
                said(&task.hint, out)?;
                writeln!(out, "{}", hint(task, &attempt))?;
                continue;
            }
            "moves" => {
                said(&attempt.legal().join(" "), out)?;
                if attempt.can_accept() {
                    writeln!(out, "{ACCEPT}")?;
                }
                continue;
            }
            text => {
                if let Err(error) = attempt.play(text) {
                    writeln!(out, "{error}; type {WORDS}")?;
                    continue;
                }
            }
        }
        board(variant, &attempt, style, out)?;
        match attempt.progress() {
            Progress::GoingOn => {}
            Progress::Done => {
                said(&format!("Done. {}", task.learned), out)?;
                return Ok(Next::Task);
            }
            Progress::Failed(why) => {
                said(&format!("{why} Once more:"), out)?;
                attempt = task.attempt();
                board(variant, &attempt, style, out)?;
            }
        }
    }
}

/// The next move of the solution, if it has been followed so far.
fn hint(task: &Task, attempt: &Attempt<'_>) -> String {
    match task.solution.strip_prefix(attempt.moves()) {
        Some([next, ..]) => format!("Try {next}."),
        _ => "Type `again`, and then `hint`.".into(),
    }
}

fn said(text: &str, out: &mut impl Write) -> Result<()> {
    for line in term::wrap(text, term::width()) {
        writeln!(out, "{line}")?;
    }
    Ok(())
}

/// The board with a sign on each target, and the opponent's answer.
fn board(
    variant: &Arc<Variant>,
    attempt: &Attempt<'_>,
    style: &TextStyle,
    out: &mut impl Write,
) -> Result<()> {
    let setup = variant.read_arrangement(&attempt.fen())?;
    let picture = Picture::of_setup(variant, &setup).view(attempt.side());
    let stars = attempt.stars().iter().map(|&s| (s, Mark::Move));
    let marked = attempt.marked().iter().map(|&s| (s, Mark::Capture));
    let picture = stars
        .chain(marked)
        .fold(picture, |p, (square, mark)| p.mark(square, mark));
    writeln!(out, "\n{}", render::text::board(&picture, style))?;
    if let Some(reply) = attempt.reply() {
        writeln!(out, "The opponent played {reply}.")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taught(game: &str, lesson: &str, typed: &str) -> String {
        let course = lessons::built_in(game).unwrap();
        let lesson = course.lesson(lesson).unwrap();
        let mut out = Vec::new();
        let style = TextStyle::default();
        teach(course.variant(), lesson, &style, typed.as_bytes(), &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_lesson_is_taught_line_by_line() {
        let solution: Vec<String> = {
            let course = lessons::built_in("chess").unwrap();
            let tasks = course.lesson("rook").unwrap().tasks.iter();
            tasks.flat_map(|t| t.solution.clone()).collect()
        };
        let typed = format!("hint\nmoves\nfly\nagain\n{}\n", solution.join("\n"));
        let told = taught("chess", "rook", &typed);
        assert!(told.contains(&format!("Try {}.", solution[0])), "{told}");
        assert!(told.contains("`fly` cannot be played here"), "{told}");
        assert!(told.ends_with("The lesson is done.\n"), "{told}");
        assert_eq!(told.matches("Done. ").count(), 3);
    }

    #[test]
    fn a_mistake_is_told_and_the_task_begins_again() {
        let told = taught("strike80", "accepting", "d1g1e\naccept\n");
        assert!(told.contains("That is not the move that was asked for. Once more:"));
        assert!(told.contains("Done. "), "{told}");
        assert!(!taught("chess", "rook", "quit\n").contains("Task 2"));
    }
}
