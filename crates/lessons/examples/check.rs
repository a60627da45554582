//! Reads the lessons of a game from a file and does every task of them by search: `check GAME FILE [GAME.toml]`. For those who
//! write lessons: nothing has to be built anew after a change of the file.

use lessons::{Course, fewest};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [id, file, own @ ..] = &args[..] else {
        return Err("expected a game, a file with lessons and perhaps the game's own file".into());
    };
    let variant = match own {
        [path, ..] => games::parse(path, &std::fs::read_to_string(path)?)?,
        [] => games::variant(id).ok_or("no such game")?,
    };
    let text = match file.as_str() {
        "-" => String::new(),
        file => std::fs::read_to_string(file)?,
    };
    let course = Course::read(&variant, file, &text)?;
    let mut bad = 0;
    for lesson in course.lessons() {
        println!("{}: {}", lesson.id, lesson.title);
        for (number, task) in (1..).zip(&lesson.tasks) {
            let (found, looked) = fewest(task);
            let start = task.attempt();
            let right = found.as_ref().is_some_and(|f| f.len() == task.moves());
            bad += usize::from(!right);
            println!(
                "  {number} {}  {}  of {} moves, {looked} states, found {found:?}{}",
                start.fen(),
                task.solution.join(" "),
                start.legal().len(),
                if right { "" } else { "  WRONG" }
            );
        }
    }
    match bad {
        0 => Ok(()),
        bad => Err(format!("{bad} tasks take another number of moves than their solution").into()),
    }
}
