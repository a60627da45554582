//! Texts of puzzles: what is read is written again, what is damaged is refused with its line and what was expected. And puzzles as
//! lessons, a save, mining by seed.

use engine::{Engine, Options};
use husun::Variant;
use lessons::Progress;
use puzzles::{Goal, Mined, Puzzle, Solver, Wanted};
use std::ops::ControlFlow;
use std::sync::Arc;

const LAGOON: &str = include_str!("../../../docs/examples/lagoon.toml");

const GOOD: &str = r#"
[[puzzles]]
id = "one"
position = "6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1"
line = "a1a8"

[[puzzles]]
id = "two"
position = "7k/8/8/8/8/8/R7/1R4K1 w - - 0 1"
line = "a2a7 h8g8 b1b8"
"#;

/// A piece of that text, what stands there instead, and what is said of it.
const DAMAGED: [(&str, &str, &str); 13] = [
    (
        "\"one\"",
        "\"One\"",
        "line 3: id `One`: expected small letters, digits and -, different for each puzzle",
    ),
    (
        "\"two\"",
        "\"one\"",
        "line 8: id `one`: expected small letters, digits and -, different for each puzzle",
    ),
    ("5ppp/", "", "line 4: position: "),
    ("5ppp", "5ppx", "line 4: position: "),
    (
        "R3K3 w",
        "R3K3 b",
        "line 5: line: move 1: `a1a8` is not legal here",
    ),
    (
        "8/R3K3 w",
        "R7/4K2Q w",
        "line 5: line: move 1: `a1a8` is not legal here",
    ),
    (
        "\"a1a8\"",
        "\"a1a7\"",
        "line 5: line: the game goes on after it: expected that it ends",
    ),
    (
        "\"a1a8\"",
        "\"\"",
        "line 5: line: 0 moves: expected an odd number of moves, at most 15",
    ),
    (
        " b1b8",
        "",
        "line 10: line: 2 moves: expected an odd number of moves, at most 15",
    ),
    (
        "h8g8",
        "h8h7",
        "line 10: line: move 2: `h8h7` is not legal here",
    ),
    (
        "line = \"a1a8\"",
        "line = \"a1a8\"\nrating = 3",
        "line 6: unknown field `rating`",
    ),
    ("id = \"two\"", "id = two", "line 8: "),
    ("\"two\"", "2", "line 8: "),
];

#[test]
fn what_is_damaged_is_refused_with_its_line() {
    let chess = games::variant("chess").unwrap();
    assert_eq!(puzzles::read(&chess, "p.toml", GOOD).unwrap().len(), 2);
    for (from, to, told) in DAMAGED {
        assert!(GOOD.contains(from), "{from}");
        let text = GOOD.replacen(from, to, 1);
        let error = puzzles::read(&chess, "p.toml", &text).unwrap_err();
        let error = error.to_string();
        assert!(
            error.starts_with(&format!("p.toml: {told}")),
            "{from}: {error}"
        );
    }
}

#[test]
fn what_is_written_is_read() {
    let chess = games::variant("chess").unwrap();
    let all = puzzles::read(&chess, "p.toml", GOOD).unwrap();
    let text = puzzles::write("two puzzles\nof chess", &all);
    assert!(text.starts_with("# two puzzles\n# of chess\n\n[[puzzles]]\n"));
    let again = puzzles::read(&chess, "p.toml", &text).unwrap();
    let told = |all: &[Puzzle]| {
        let one = |p: &Puzzle| (p.id().to_owned(), p.position().fen(), p.line().to_vec());
        all.iter().map(one).collect::<Vec<_>>()
    };
    assert_eq!(told(&all), told(&again));
}

#[test]
fn a_king_saves_himself_in_the_citadel() {
    let alhusun = games::variant("alhusun").unwrap();
    let fen =
        "1**********1/*K9*/*6r3*/*8r1*/*10*/*10*/*10*/*10*/*4k5*/*10*/*10*/1**********1 w - - 0 1";
    let position = alhusun.position(fen).unwrap();
    let found = puzzles::solve(&position, 2, &mut Solver::new(100_000)).unwrap();
    let line = found.unwrap();
    assert_eq!(line, [position.parse_uci("b11a12").unwrap()]);
    let puzzle = Puzzle::new("save", position, &line).unwrap();
    assert_eq!((puzzle.goal(), puzzle.moves()), (Goal::Draw, 1));
    assert_eq!(puzzle.prove(&mut Solver::new(100_000)), Ok(()));
    // Without the second Rook nothing is lost elsewhere, and nothing is to be saved.
    let fen = fen.replace("*8r1*", "*10*");
    let position = alhusun.position(&fen).unwrap();
    let found = puzzles::solve(&position, 2, &mut Solver::new(100_000));
    assert_eq!(found, Ok(None));
}

#[test]
fn a_proof_refuses_second_solutions_and_other_lines() {
    let chess = games::variant("chess").unwrap();
    let prove = |fen: &str, line: &str, most: u64| {
        let text = format!("[[puzzles]]\nid = \"a\"\nposition = \"{fen}\"\nline = \"{line}\"");
        let all = puzzles::read(&chess, "p.toml", &text).unwrap();
        all[0]
            .prove(&mut Solver::new(most))
            .map_err(|e| e.to_string())
    };
    let corner = "6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1";
    assert_eq!(prove(corner, "a1a8", 10_000), Ok(()));
    let two = "6k1/5ppp/8/8/8/8/8/RQ2K3 w - - 0 1";
    assert_eq!(
        prove(two, "a1a8", 10_000),
        Err("no single solution in 1 moves".into())
    );
    let slow = "7k/8/8/8/8/8/R7/1R4K1 w - - 0 1";
    let told = prove(slow, "a2a7 h8g8 b1b8", 100_000).unwrap_err();
    assert_eq!(told, "no single solution in 2 moves");
    let told = prove(slow, "a2a7 h8g8 b1b8", 10).unwrap_err();
    assert_eq!(
        told,
        "more than 10 positions: expected a position that is solved within them"
    );
}

#[test]
fn puzzles_are_played_as_lessons() {
    for id in games::ids().filter(|id| games::puzzles(id).is_some()) {
        let variant = games::variant(id).unwrap();
        let made = puzzles::lessons(&variant, games::puzzles(id), games::values(id));
        let tasks: usize = made.iter().map(|lesson| lesson.tasks.len()).sum();
        let read = puzzles::read(&variant, id, games::puzzles(id).unwrap());
        assert_eq!(tasks, read.unwrap().len(), "{id}");
        for lesson in &made {
            for (number, task) in (1..).zip(&lesson.tasks) {
                let place = format!("{id}, {}, task {number}", lesson.id);
                let mut attempt = task.attempt();
                for text in &task.solution {
                    assert_eq!(attempt.progress(), &Progress::GoingOn, "{place}");
                    attempt.play(text).unwrap();
                }
                assert_eq!(attempt.progress(), &Progress::Done, "{place}");
            }
            // Every other first move is refused.
            for task in lesson.tasks.iter().take(3) {
                let start = task.attempt();
                for text in start.legal().iter().filter(|t| **t != task.solution[0]) {
                    let mut attempt = start.clone();
                    let progress = attempt.play(text).unwrap();
                    assert!(matches!(progress, Progress::Failed(_)), "{id}: {text}");
                }
            }
        }
    }
}

#[test]
fn puzzles_lie_beside_a_game_of_ones_own() {
    let folder = std::env::temp_dir().join(format!("husun-puzzles-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("lagoon.toml");
    std::fs::write(&file, LAGOON).unwrap();
    let mut games = games::Catalogue::default();
    assert_eq!(games.read(&file).unwrap().puzzles(), None);
    std::fs::write(games::puzzles_path(&file), "# none yet").unwrap();
    games.insert(games.read(&file).unwrap());
    let lagoon = games.game("lagoon").unwrap();
    assert_eq!(games.puzzles(&lagoon), Some("# none yet"));
    assert!(games.puzzles(&games.game("citadel9").unwrap()).is_some());
    assert!(games.puzzles(&games.game("chess").unwrap()).is_none());
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn the_same_seed_gives_the_same_puzzles_on_any_number_of_threads() {
    let variant = games::parse("lagoon.toml", LAGOON).unwrap();
    the_same_seed_gives_the_same(&variant, None, 10);
}

#[test]
fn the_same_seed_gives_the_same_saves_on_any_number_of_threads() {
    let variant = games::variant("shatranj").unwrap();
    let text = the_same_seed_gives_the_same(&variant, Some(5), 1000);
    assert!(text.contains("id = \"e"), "{text}");
}

/// The puzzles of so many games from the set-up, or the saves of so many with few men.
fn the_same_seed_gives_the_same(variant: &Arc<Variant>, men: Option<u32>, games: u64) -> String {
    let mine = |threads: usize, before: Mined| {
        let wanted = Wanted {
            count: 10,
            seed: 3,
            nodes: 40,
            moves: 1,
            always: 1,
            ahead: 3,
            proof: 10_000,
            saves: men.is_some(),
            men,
            games,
            threads,
        };
        let options = Options {
            hash: 1,
            ..Options::default()
        };
        let make = || Engine::new(variant.clone(), options.clone());
        let mined = puzzles::mine(wanted, before, make, &mut |_| ControlFlow::Continue(()));
        assert_eq!(mined.games, games);
        let wins = mined.puzzles.iter().any(|p| p.goal() == Goal::Win);
        assert_eq!(wins, men.is_none());
        puzzles::write("", &mined.puzzles)
    };
    let one = mine(1, Mined::default());
    assert!(one.contains("[[puzzles]]"));
    assert_eq!(one, mine(2, Mined::default()));
    // A run that was interrupted after any puzzle comes to the same.
    let all = puzzles::read(variant, "mined.toml", &one).unwrap();
    for found in 0..=all.len() {
        let before = Mined::before(all[..found].to_vec());
        assert!(before.puzzles.len() <= found.saturating_sub(1));
        assert_eq!(mine(1, before), one, "{found} found before");
    }
    one
}
