//! Every lesson of every game is done by a search that knows only the library: no goal is out of reach, no stated number of moves is
//! wrong, and no task does itself.

use husun::{Side, Variant};
use lessons::{About, Course, Lesson, Progress, Task, fewest};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::thread::available_parallelism;

fn courses() -> impl Iterator<Item = Arc<Course>> {
    games::ids().filter_map(lessons::built_in)
}

/// A game file beside the documentation.
fn own(name: &str) -> Arc<Variant> {
    let path = format!("{}/../../docs/examples/{name}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap();
    games::parse(name, &text).unwrap()
}

fn each(course: &Course, mut f: impl FnMut(&str, &Lesson, &Task)) {
    for lesson in course.lessons() {
        for (number, task) in (1..).zip(&lesson.tasks) {
            let place = format!("{}, {}, task {number}", course.variant().id(), lesson.id);
            f(&place, lesson, task);
        }
    }
}

/// The task is done by its solution, in the fewest moves that there are, and not by any one that is as good as another.
fn check(place: &str, task: &Task) {
    let (found, looked) = fewest(task);
    let found = found.unwrap_or_else(|| panic!("{place}: not done, {looked} states"));
    assert_eq!(
        found.len(),
        task.moves(),
        "{place}: {found:?} is as few as it takes, not {:?}",
        task.solution
    );
    assert!(task.within >= task.moves(), "{place}");
    let mut attempt = task.attempt();
    for (number, text) in (1..).zip(&task.solution) {
        assert_eq!(attempt.progress(), &Progress::GoingOn, "{place}");
        let progress = attempt.play(text).unwrap();
        let done = number == task.moves();
        assert_eq!(progress == &Progress::Done, done, "{place}: {text}");
    }
    assert!(attempt.play(&task.solution[0]).is_err(), "{place}");
}

/// Of the first moves most do not lead to the goal in the fewest moves.
fn is_no_gift(place: &str, task: &Task) {
    let start = task.attempt();
    let legal = start.legal();
    let good = legal.iter().filter(|text| {
        let mut attempt = start.clone();
        attempt.play(text).unwrap();
        attempt.progress() == &Progress::Done
    });
    let good = good.count();
    if task.moves() == 1 && task.solution[0] != lessons::ACCEPT {
        assert!(good >= 1, "{place}");
        assert!(legal.len() >= 3, "{place}: only {legal:?}");
        assert!(
            2 * good <= legal.len(),
            "{place}: {good} of {}",
            legal.len()
        );
    } else {
        assert_eq!(good, 0, "{place}");
    }
}

#[test]
fn every_lesson_of_every_game_is_solved_by_search() {
    let ids: Mutex<Vec<&str>> = Mutex::new(games::ids().collect());
    let tasks = AtomicUsize::new(0);
    let work = || {
        while let Some(id) = { ids.lock().unwrap().pop() } {
            each(&lessons::built_in(id).unwrap(), |place, _, task| {
                tasks.fetch_add(1, Relaxed);
                check(place, task);
                is_no_gift(place, task);
            });
        }
    };
    let cores = available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..cores {
            scope.spawn(work);
        }
    });
    let tasks = tasks.into_inner();
    assert!(tasks > 600, "{tasks}");
}

#[test]
fn the_text_of_every_game_is_read_and_has_lessons_of_rules() {
    for id in games::ids() {
        let variant = games::variant(id).unwrap();
        let text = games::lessons(id).unwrap_or_else(|| panic!("{id} has no lessons.toml"));
        let course = Course::read(&variant, id, text).unwrap_or_else(|e| panic!("{e}"));
        let rules = course.lessons().iter().filter(|l| l.about == About::Rule);
        let tasks: usize = rules.map(|l| l.tasks.len()).sum();
        assert!(tasks >= 4, "{id}: {tasks}");
    }
}

#[test]
fn a_game_of_ones_own_has_lessons_for_its_pieces() {
    for name in ["lagoon.toml", "citadel-mirror.toml"] {
        let variant = own(name);
        let course = Course::generated(&variant);
        each(&course, |place, _, task| {
            check(place, task);
            is_no_gift(place, task);
        });
        assert_eq!(course.lessons().len(), variant.pieces().len(), "{name}");
    }
}

#[test]
fn every_piece_has_a_lesson_and_nearly_all_have_three_tasks() {
    let (mut few, mut pieces) = (Vec::new(), 0);
    for course in courses() {
        let variant = course.variant();
        for kind in variant.kinds() {
            let about = |l: &&Lesson| l.about == About::Piece(kind);
            let name = &variant.piece(kind).name;
            let lesson = course.lessons().iter().find(about);
            let lesson = lesson.unwrap_or_else(|| panic!("{}: {name}", variant.id()));
            assert!(lesson.tasks.len() >= 2, "{}: {name}", variant.id());
            pieces += 1;
            if lesson.tasks.len() < 3 {
                few.push(format!("{} {name}", variant.id()));
            }
        }
    }
    assert!(20 * few.len() <= pieces, "{few:?} of {pieces}");
}

#[test]
fn a_lesson_is_always_the_same() {
    let lagoon = own("lagoon.toml");
    let told = |course: &Course| {
        let mut all = Vec::new();
        each(course, |place, lesson, task| {
            let attempt = task.attempt();
            all.push(format!(
                "{place} {} {} {:?}",
                lesson.title,
                attempt.fen(),
                task.solution
            ));
        });
        all
    };
    let (one, two) = (Course::generated(&lagoon), Course::generated(&lagoon));
    assert_eq!(told(&one), told(&two));
    assert!(
        one.lessons()
            .iter()
            .all(|l| l.tasks[0].side() == Side::White)
    );
}
