//! How attempts are judged, and what is refused in a text of lessons.

use lessons::{Course, MoveError, Progress, Task};

fn task(game: &str, text: &str) -> Task {
    let variant = games::variant(game).unwrap();
    let text = format!(
        "[[lessons]]\nid = \"a\"\ntitle = \"A\"\ntext = \"A\"\n[[lessons.tasks]]\ntext = \"Do\"\nlearned = \"Done\"\n{text}"
    );
    let course = Course::read(&variant, "t.toml", &text).unwrap_or_else(|e| panic!("{e}"));
    course.lesson("a").unwrap().tasks[0].clone()
}

fn refused(text: &str) -> String {
    let chess = games::variant("chess").unwrap();
    Course::read(&chess, "t.toml", text)
        .unwrap_err()
        .to_string()
}

fn play(task: &Task, moves: &[&str]) -> Progress {
    let mut attempt = task.attempt();
    for text in moves {
        attempt.play(text).unwrap();
    }
    attempt.progress().clone()
}

fn why(progress: &Progress) -> &str {
    match progress {
        Progress::Failed(why) => why,
        other => panic!("{other:?}"),
    }
}

#[test]
fn stars_are_stopped_on_in_any_order_and_wrong_moves_count() {
    let task = task(
        "chess",
        "board = \"8/8/8/8/8/8/8/R7\"\ngoal = { stars = [\"a8\", \"h1\"] }\nsolution = [\"a1a8\", \"a8h8\", \"h8h1\"]\nwithin = 4",
    );
    assert_eq!(play(&task, &["a1h1", "h1h8", "h8a8"]), Progress::Done);
    assert_eq!(play(&task, &["a1a2", "a2a8", "a8h8"]), Progress::GoingOn);
    let late = play(&task, &["a1a2", "a2a3", "a3a4", "a4a5"]);
    assert_eq!(why(&late), "That took too long: 3 moves are enough.");
    let mut attempt = task.attempt();
    assert!(matches!(
        attempt.play("a1b2"),
        Err(MoveError::Illegal { number: 14, .. })
    ));
    assert!(matches!(
        attempt.play("accept"),
        Err(MoveError::Illegal { .. })
    ));
    assert_eq!(attempt.moves().len(), 0);
}

#[test]
fn an_opponent_that_captures_ends_the_attempt() {
    let task = task(
        "chess",
        "board = \"4r3/8/8/8/8/8/8/R7\"\ngoal = { stars = [\"h1\"] }\nopponent = \"captures\"\nsolution = [\"a1h1\"]\nwithin = 3",
    );
    let mut attempt = task.attempt();
    attempt.play("a1e1").unwrap();
    assert_eq!(
        why(attempt.progress()),
        "The Rook on e8 can capture your Rook there."
    );
    assert_eq!(attempt.reply(), Some("e8e1"));
    let (board, moved) = attempt.before_reply().unwrap();
    assert_eq!(moved, "a1e1");
    assert!(board.starts_with("4r3/8/8/8/8/8/8/4R3"), "{board}");
    assert!(attempt.fen().starts_with("8/8/8/8/8/8/8/4r3"));
    assert_eq!(attempt.play("e1e2"), Err(MoveError::Over));
}

#[test]
fn a_defence_leaves_no_luck() {
    // Two moves; any other first move lets the King walk.
    let task = task(
        "chess",
        "position = \"8/4k3/R7/7p/8/8/8/1R4K1 w - - 0 1\"\ngoal = { ending = \"checkmate\" }\nopponent = \"defends\"\n\
         solution = [\"b1b7\", \"a6a8\"]",
    );
    let first = task.attempt();
    for text in first.legal() {
        let mut attempt = first.clone();
        attempt.play(&text).unwrap();
        let done = attempt.legal().iter().any(|second| {
            let mut next = attempt.clone();
            next.play(second).unwrap() == &Progress::Done
        });
        assert_eq!(done, text == "b1b7", "{text}");
    }
}

#[test]
fn a_game_that_ends_otherwise_is_told() {
    let task = task(
        "chess",
        "position = \"7k/8/5KQ1/8/8/8/8/8 w - - 0 1\"\ngoal = { ending = \"checkmate\" }\nsolution = [\"g6g7\"]",
    );
    assert_eq!(
        why(&play(&task, &["f6f7"])),
        "The game ended by stalemate: it is a draw."
    );
    assert_eq!(
        why(&play(&task, &["g6g1"])),
        "That is not the move that was asked for."
    );
    assert_eq!(play(&task, &["g6g7"]), Progress::Done);
}

#[test]
fn texts_are_read_strictly() {
    let lesson = "[[lessons]]\nid = \"a\"\ntitle = \"A\"\ntext = \"A\"\n";
    let with = |task: &str| {
        format!("{lesson}[[lessons.tasks]]\ntext = \"Do\"\nlearned = \"Done\"\n{task}")
    };
    let rook = "board = \"8/8/8/8/8/8/8/R7\"\n";
    for (text, message) in [
        ("colour = 1", "t.toml: line 1: unknown field `colour`"),
        (
            "pieces = \"RX\"",
            "pieces: pieces: `X` is no piece of the game",
        ),
        (lesson, "lesson a: a task is missing"),
        (
            &format!("{lesson}[[lessons.tasks]]\n"),
            "missing field `text`",
        ),
        (
            &with("goal = {}\nsolution = []"),
            "task 1: position or board is missing",
        ),
        (
            &with(&format!("{rook}goal = {{}}\nsolution = [\"a1a2\"]")),
            "something to be reached",
        ),
        (
            &with(&format!(
                "{rook}goal = {{ stars = [\"i9\"] }}\nsolution = [\"a1a2\"]"
            )),
            "stars: `i9` is not a square",
        ),
        (
            &with(&format!(
                "{rook}goal = {{ stars = [\"a3\"] }}\nsolution = [\"a1a2\"]\nwithin = 3"
            )),
            "it does not reach the goal",
        ),
        (
            &with(&format!(
                "{rook}goal = {{ stars = [\"a3\"] }}\nsolution = [\"a1b2\"]"
            )),
            "move 1: `a1b2` cannot be played",
        ),
        (
            &with(&format!(
                "{rook}goal = {{ capture = [\"a3\"] }}\nsolution = [\"a1a3\"]"
            )),
            "no piece of the opponent stands on a3",
        ),
        (
            &with(&format!(
                "{rook}goal = {{ act = \"fly\" }}\nsolution = [\"a1a3\"]"
            )),
            "act: `fly`: expected one of castling,",
        ),
        (
            &with(&format!(
                "{rook}goal = {{ ending = \"checkmate\" }}\nsolution = [\"a1a3\"]"
            )),
            "expected a position, a board has neither",
        ),
        (
            &with(&format!(
                "{rook}goal = {{ stars = [\"a3\"] }}\nopponent = \"sleeps\"\nsolution = [\"a1a3\"]"
            )),
            "opponent: `sleeps`",
        ),
        (
            &with(&format!(
                "{rook}goal = {{ stars = [\"a3\"] }}\nsolution = [\"a1a3\"]\nwithin = 999"
            )),
            "999 moves: expected at most 30",
        ),
        (
            &with(
                "position = \"8/8/8/8/8/8/8/R7 w - - 0 1\"\ngoal = { stars = [\"a3\"] }\nsolution = [\"a1a3\"]",
            ),
            "position: board: White has 0 royal",
        ),
    ] {
        let found = refused(text);
        assert!(found.contains(message), "{text}\n{found}");
    }
    let huge = lesson.replace("text = \"A\"", &format!("text = \"{}\"", "x".repeat(700)));
    let one =
        with("board = \"8/8/8/8/8/8/8/R7\"\ngoal = { stars = [\"a3\"] }\nsolution = [\"a1a3\"]");
    assert!(refused(&one.replace(lesson, &huge)).contains("700 bytes of text"));
    assert!(refused(&format!("{one}\n{one}")).contains("id `a`"));
}
