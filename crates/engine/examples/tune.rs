//! `tune GAMES NODES GAME..`: plays so many games of each kind against itself and fits the values, the
//! features of all games together.

use engine::tune::{Corpus, fit, self_play};
use engine::{Engine, Options};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [games, nodes, ids @ ..] = &args[..] else {
        return Err("usage: tune GAMES NODES GAME..".into());
    };
    let (games_each, nodes): (u64, u64) = (games.parse()?, nodes.parse()?);
    let mut corpora = Vec::new();
    for id in ids {
        let variant = games::variant(id).ok_or("no such game")?;
        let mut engine = Engine::new(variant.clone(), Options::default());
        let samples: Vec<_> = (0..games_each)
            .flat_map(|seed| self_play(&mut engine, nodes, seed))
            .collect();
        let white = samples.iter().map(|s| s.result).sum::<f64>() / samples.len() as f64;
        eprintln!("{id}: {} positions, White {white:.2}", samples.len());
        let values = engine.values().clone();
        corpora.push(Corpus {
            variant,
            values,
            samples,
        });
    }
    fit(&mut corpora, 3, &mut |round, error| {
        eprintln!("round {round}: {error:.5}");
    });
    for corpus in &corpora {
        println!("# {}\n{}", corpus.variant.id, corpus.values.to_text());
    }
    Ok(())
}
