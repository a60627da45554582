//! What each of several changes to the search's numbers is worth, all tried at once: `effects PAIRS NODES NAME=VALUE..
//! GAME..` plays pairs of games. Each change is made, by chance, on one side of a pair or on the other, so that every
//! pair says something about every change (a factorial design). It prints for each the Elo that it adds, with 95% bounds.
//! What is no number yet becomes one for the time being, in `parameters.rs`: 0 as now, 1 otherwise.

use husun_engine::selfplay::{self, Effort, Terms};
use husun_engine::{Engine, Options, Random, SearchParameters};
use std::error::Error;
use std::ops::ControlFlow;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Half-moves of random moves before a pair; up to three more are made.
const OPENING: u32 = 6;
/// Mebibytes of each engine's table.
const HASH: usize = 8;
/// Elo for each point that a side scores more or less in a game, near equality.
const ELO: f64 = 4.0 * 400.0 / std::f64::consts::LN_10;

/// A number of the search with another value.
struct Change {
    text: String,
    place: usize,
    value: i32,
}

impl Change {
    fn parse(text: &str) -> Result<Change> {
        let (name, value) = text.split_once('=').ok_or("expected NAME=VALUE")?;
        let place = SearchParameters::ALL.iter().position(|p| p.name == name);
        Ok(Change {
            text: text.to_owned(),
            place: place.ok_or_else(|| format!("the search has no number {name}"))?,
            value: value.parse()?,
        })
    }
}

/// What came of the pairs so far: which changes the first side had, and by how much it scored more than half a point in
/// a game.
type Results = Vec<(u64, f64)>;

fn main() -> Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [pairs, nodes, rest @ ..] = &args[..] else {
        return Err("usage: effects PAIRS NODES NAME=VALUE.. GAME..".into());
    };
    let (pairs, nodes) = (pairs.parse()?, nodes.parse()?);
    let (changes, ids): (Vec<&String>, Vec<&String>) = rest.iter().partition(|t| t.contains('='));
    let changes: Vec<Change> = changes
        .into_iter()
        .map(|text| Change::parse(text))
        .collect::<Result<_>>()?;
    if changes.len() > 64 {
        return Err("expected at most 64 changes".into());
    }
    let mut all = Results::new();
    for id in ids {
        let results = play(id, pairs, nodes, &changes)?;
        show(id, &changes, &results);
        all.extend(results);
    }
    show("all", &changes, &all);
    Ok(())
}

/// Plays pairs of games of one game, on all processors.
fn play(id: &str, pairs: u64, nodes: u64, changes: &[Change]) -> Result<Results> {
    let game = games::variant(id).ok_or_else(|| format!("there is no game {id}"))?;
    let engine = |made: u64| {
        let mut numbers = SearchParameters::default().list();
        for (i, change) in changes.iter().enumerate() {
            if made >> i & 1 != 0 {
                numbers[change.place] = change.value;
            }
        }
        let options = Options {
            hash: HASH,
            search: SearchParameters::of_list(&numbers),
            ..Options::default()
        };
        Engine::tuned(game.clone(), games::values(id), games::network(id), options)
    };
    let terms = Terms {
        effort: Effort::Exactly(nodes),
        opening: OPENING,
    };
    let mut results = Results::new();
    let one = |_: &mut Engine, number: u64| {
        let made = Random::new(!number).next();
        let (mut with, mut without) = (engine(made), engine(!made));
        let first = selfplay::duel([&mut with, &mut without], terms, number);
        let second = selfplay::duel([&mut without, &mut with], terms, number);
        (made, (first - second) / 2.0)
    };
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get());
    selfplay::many(threads, 0..pairs, || engine(0), one, &mut |_, result| {
        results.push(result);
        if results.len().is_multiple_of(50) {
            eprint!("\r{id}: {} of {pairs} pairs", results.len());
        }
        ControlFlow::Continue(())
    });
    eprintln!();
    Ok(results)
}

fn show(what: &str, changes: &[Change], results: &Results) {
    println!("{what}, {} pairs", results.len());
    let n = results.len() as f64;
    for (i, change) in changes.iter().enumerate() {
        let with = |&(made, score): &(u64, f64)| match made >> i & 1 {
            0 => -score,
            _ => score,
        };
        let mean = results.iter().map(with).sum::<f64>() / n;
        let spread = results
            .iter()
            .map(|r| (with(r) - mean).powi(2))
            .sum::<f64>();
        let bound = 1.96 * (spread / n / n).sqrt();
        println!(
            "  {:32} {:+.1} ±{:.1}",
            change.text,
            ELO * mean,
            ELO * bound
        );
    }
}
