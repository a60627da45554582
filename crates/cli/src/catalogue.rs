//! The games of this run of the program: the built-in ones and those from files that the user names.

use anyhow::{Result, bail};
use engine::{Engine, Options};
use games::Catalogue;
use husun::Variant;
use std::path::PathBuf;
use std::sync::Arc;

/// Reads the user's own games, each of which may inherit from those before it, with the files beside them.
pub fn load(files: &[PathBuf]) -> Result<Catalogue> {
    let mut games = Catalogue::default();
    for file in files {
        let name = file.display();
        let before = games.own().count();
        let variant = protocol::load_game(&mut games, file)?;
        if games.own().count() == before {
            bail!("{name}: a second game with the id `{}`", variant.id());
        }
        if let Some(text) = games.lessons(&variant) {
            let name = games::lessons_path(file).display().to_string();
            lessons::Course::read(&variant, &name, text)?;
        }
        if let Some(text) = games.puzzles(&variant) {
            let name = games::puzzles_path(file).display().to_string();
            puzzles::read(&variant, &name, text)?;
        }
        for warning in missing_pictures(&variant) {
            eprintln!("husun: {name}: {warning}");
        }
    }
    Ok(games)
}

/// An engine for a game, with its tuned values and its network if it has them.
pub fn engine(games: &Catalogue, variant: &Arc<Variant>, options: Options) -> Engine {
    let (values, network) = (games.values(variant), games.network(variant));
    Engine::tuned(variant.clone(), values, network, options)
}

/// Pieces whose picture does not exist: a letter is drawn instead.
pub fn missing_pictures(variant: &Variant) -> Vec<String> {
    let names: Vec<&str> = render::images::all().iter().map(|i| i.name).collect();
    let names = names.join(", ");
    let missing = render::images::missing(variant).into_iter();
    missing
        .map(|(letter, image)| {
            format!("pieces.{letter}.image: there is no picture `{image}`, a letter is drawn: expected one of {names}")
        })
        .collect()
}
