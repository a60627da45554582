//! `husun puzzles` as users call it.

use super::run::{Done, Folder, husun};
use std::fs;

#[test]
fn puzzles_are_mined_written_and_listed() -> Done {
    let folder = Folder::new("puzzles")?;
    let lagoon = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../docs/examples/lagoon.toml"
    );
    let own = folder.file("lagoon.toml", &fs::read_to_string(lagoon)?)?;
    let beside = folder.path("lagoon.puzzles.toml");
    let seed = ["--count", "1", "--nodes", "40", "--moves", "1"];
    let game = ["puzzles", "lagoon", "--game-file", &own];
    let run = husun(&[&game[..], &seed, &["--out", &beside]].concat())?;
    assert_eq!(run.code, Some(0), "{}", run.err);
    assert!(run.out.contains(": 1 puzzles of "), "{}", run.out);
    // The same command goes on with what is there; no file of another command is taken for its own.
    let text = fs::read_to_string(&beside)?;
    let again = husun(&[&game[..], &seed, &["--out", &beside]].concat())?;
    assert_eq!((again.code, again.out), (run.code, run.out));
    assert_eq!(fs::read_to_string(&beside)?, text);
    let cut = text.replace("line = ", "");
    fs::write(&beside, &cut)?;
    let refused = husun(&[&game[..], &seed, &["--out", &beside]].concat())?;
    assert_eq!(refused.code, Some(2));
    assert!(
        refused.err.contains("lagoon.puzzles.toml: line "),
        "{}",
        refused.err
    );
    fs::write(&beside, "")?;
    let anew = husun(&[&game[..], &seed, &["--out", &beside]].concat())?;
    assert_eq!(anew.code, Some(0), "{}", anew.err);
    assert_eq!(fs::read_to_string(&beside)?, text);
    let listed = husun(&[&game[..], &["--list"]].concat())?;
    assert_eq!(listed.code, Some(0), "{}", listed.err);
    assert!(listed.out.contains(" wins in 1 move "), "{}", listed.out);
    let lessons = husun(&["learn", "lagoon", "--game-file", &own])?;
    assert!(lessons.out.contains("puzzles-win-in-1"), "{}", lessons.out);
    let none = husun(&["puzzles", "chess", "--list"])?;
    assert_eq!(none.code, Some(2));
    assert!(
        none.err.contains("chess has no puzzles: expected"),
        "{}",
        none.err
    );
    fs::write(&beside, "[[puzzles]]\nid = 1")?;
    let damaged = husun(&game)?;
    assert_eq!(damaged.code, Some(2));
    assert!(
        damaged.err.contains("lagoon.puzzles.toml: line 2: "),
        "{}",
        damaged.err
    );
    Ok(())
}

#[test]
fn what_was_not_mined_is_not_replaced() -> Done {
    let folder = Folder::new("not-mined")?;
    let mine = [
        "puzzles", "shatranj", "--count", "1", "--games", "1", "--out",
    ];
    let by_hand = "# Puzzles of mine\n[[puzzles]]\nid = \"a\"\n";
    let lagoon = include_bytes!("../../../docs/examples/lagoon.toml");
    for (name, bytes) in [
        ("lagoon.toml", &lagoon[..]),
        ("hand.toml", by_hand.as_bytes()),
        ("network.bin", &[0xff, 0, 1]),
    ] {
        let path = folder.path(name);
        fs::write(&path, bytes)?;
        let run = husun(&[&mine[..], &[&path]].concat())?;
        assert_eq!((run.code, run.out.as_str()), (Some(2), ""), "{}", run.err);
        let told = format!(
            "{name}: it is no file of mined puzzles: expected one written by `husun puzzles`"
        );
        assert!(run.err.contains(&told), "{}", run.err);
        assert_eq!(fs::read(&path)?, bytes, "{name}");
    }
    // What another seed has found is replaced.
    let path = folder.path("mined.toml");
    let other = "# Puzzles of this game (docs/puzzles.md), mined by `husun puzzles shatranj --count 1 --seed 9`.\n";
    fs::write(&path, other)?;
    husun(&[&mine[..], &[&path]].concat())?;
    let text = fs::read_to_string(&path)?;
    assert!(
        text.contains("husun puzzles shatranj --count 1 --seed 1 "),
        "{text}"
    );
    Ok(())
}

#[test]
fn more_men_than_a_board_holds_are_refused_before_the_first_game() -> Done {
    let folder = Folder::new("ford")?;
    let ford = r#"
id = "ford"
name = "Ford"
[board]
files = 3
ranks = 4
[setups]
standard = "rkr/3/3/RKR w - - 0 1"
[[pieces]]
letter = "K"
betza = "K"
royal = true
[[pieces]]
letter = "R"
betza = "R"
"#;
    let own = folder.file("ford.toml", ford)?;
    for men in ["13", "32"] {
        let run = husun(&["puzzles", "ford", "--game-file", &own, "--men", men])?;
        assert_eq!((run.code, run.out.as_str()), (Some(2), ""), "{}", run.err);
        let told = format!("ford: no game begins with {men} men");
        assert!(run.err.contains(&told), "{}", run.err);
    }
    Ok(())
}
