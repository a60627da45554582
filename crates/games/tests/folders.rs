//! What the folder of a game must have to be built in.

use std::error::Error;

#[path = "../build.rs"]
#[allow(dead_code)]
mod build;

#[test]
fn a_game_needs_no_file_but_its_definition() -> Result<(), Box<dyn Error>> {
    let root = std::env::temp_dir().join(format!("husun-folders-{}", std::process::id()));
    for (id, names) in [
        ("bare", &["game.toml"][..]),
        ("draft", &["rules.md"]),
        ("told", &["game.toml", "rules.md"]),
    ] {
        std::fs::create_dir_all(root.join(id))?;
        for name in names {
            std::fs::write(root.join(id).join(name), "")?;
        }
    }
    let list = build::list(&root)?;
    let of = |id: &str| {
        let lines = list
            .lines()
            .filter(|line| line.contains(&format!("id: \"{id}\"")));
        lines.collect::<String>()
    };
    let bare = of("bare");
    for name in ["rules", "values", "network", "lessons", "puzzles"] {
        assert!(bare.contains(&format!("{name}: None")), "{name}: {bare}");
    }
    assert!(of("told").contains("rules: Some(include_str!("), "{list}");
    assert_eq!(of("draft"), "", "without a definition it is no game");
    std::fs::remove_dir_all(root)?;
    Ok(())
}
