//! Lists the folders of games/ so that adding a game is adding a folder. In the repository, games/ beside this file is
//! a link to the one in the root; in a package it holds the files.

use std::fmt::Write;
use std::path::Path;
use std::{env, fs};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let root = Path::new(&env::var("CARGO_MANIFEST_DIR")?).join("games");
    let root = root.canonicalize()?;
    println!("cargo:rerun-if-changed={}", root.display());
    let out = Path::new(&env::var("OUT_DIR")?).join("list.rs");
    fs::write(out, list(&root)?)?;
    Ok(())
}

/// The texts of every game with a definition; all others may be missing.
pub(crate) fn list(root: &Path) -> Result<String, Box<dyn std::error::Error>> {
    let mut ids = Vec::new();
    for entry in fs::read_dir(root)? {
        let path = entry?.path();
        if path.join("game.toml").is_file() {
            println!("cargo:rerun-if-changed={}", path.display());
            ids.extend(path.file_name().and_then(|n| n.to_str()).map(String::from));
        }
    }
    ids.sort();
    let mut list = String::from("&[\n");
    for id in ids {
        let file = |name: &str| format!("{:?}", root.join(&id).join(name));
        let optional = |include: &str, name: &str| match root.join(&id).join(name).is_file() {
            true => format!("Some({include}!({}))", file(name)),
            false => "None".into(),
        };
        let text = |name: &str| optional("include_str", name);
        let (rules, values) = (text("rules.md"), text("values.toml"));
        let (lessons, puzzles) = (text("lessons.toml"), text("puzzles.toml"));
        let network = optional("include_bytes", "network.bin");
        writeln!(
            list,
            "Text {{ id: {id:?}, game: include_str!({}), rules: {rules}, values: {values}, network: {network}, lessons: {lessons}, puzzles: {puzzles} }},",
            file("game.toml"),
        )?;
    }
    list.push(']');
    Ok(list)
}
