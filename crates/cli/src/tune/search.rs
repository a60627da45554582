//! `husun tune --search`: the parameters of the search, moved towards those that win more pairs of games.

use super::Options;
use crate::contest::stats::Tally;
use crate::progress::Progress;
use anyhow::{Context, Result, ensure};
use engine::selfplay::{self, Effort, Terms};
use engine::spsa::Spsa;
use engine::{Engine, SearchParameters};
use games::Catalogue;
use husun::Variant;
use serde::{Deserialize, Serialize};
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

/// Pairs that are played from the same parameters, whatever the number of threads.
const BATCH: usize = 20;
/// Mebibytes of each engine's table.
const HASH: usize = 4;
/// Half-moves of random moves before a pair; up to three more are made.
const OPENING: u32 = 8;
/// The seeds of the games that tell whether anything was gained are this far from those of the tuning.
const AFTERWARDS: u64 = 1 << 31;

/// What is tuned: results of another tuning are not gone on with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Heading {
    games: Vec<String>,
    nodes: u64,
    seed: u64,
    pairs: u64,
    /// The parameters that it began with.
    from: Vec<i32>,
}

/// The results so far in a file: what is tuned, then a line for each pair, with the half-points of its first side.
struct Results {
    file: File,
    found: Vec<u8>,
}

impl Results {
    fn open(path: &Path, heading: &Heading) -> Result<Results> {
        let mut options = OpenOptions::new();
        let open = options.read(true).append(true).create(true).open(path);
        let mut file = open.context("cannot be opened")?;
        let (mut found, mut read, mut whole) = (Vec::new(), 0, 0);
        let mut reader = BufReader::new(&file);
        for number in 1.. {
            let mut line = String::new();
            read += reader.read_line(&mut line).context("cannot be read")? as u64;
            let Some(text) = line.strip_suffix('\n') else {
                break;
            };
            if number == 1 {
                let other: Heading = serde_json::from_str(text)
                    .context("line 1: expected what was tuned, as husun tune --search writes it")?;
                ensure!(
                    other.from == heading.from,
                    "it was begun with other parameters than the search has now: name another file with --results"
                );
                ensure!(
                    other == *heading,
                    "it holds the results of {} pairs of {}, {} positions a move, seed {}: go on with these, or name another file with --results",
                    other.pairs,
                    other.games.join(" "),
                    other.nodes,
                    other.seed
                );
            } else {
                let points = text.parse().ok().filter(|points| *points <= 4);
                found.push(points.with_context(|| {
                    format!("line {number}: expected half-points from 0 to 4, found `{text}`")
                })?);
            }
            if found.len().is_multiple_of(BATCH) {
                whole = read;
            }
        }
        // A batch that was cut off is played anew.
        found.truncate(found.len() / BATCH * BATCH);
        file.set_len(whole)?;
        if whole == 0 {
            writeln!(file, "{}", serde_json::to_string(heading)?)?;
        }
        Ok(Results { file, found })
    }

    fn add(&mut self, batch: &[u8]) -> Result<()> {
        let lines: String = batch.iter().map(|points| format!("{points}\n")).collect();
        let written = self.file.write_all(lines.as_bytes());
        written.context("cannot be written")?;
        self.found.extend(batch);
        Ok(())
    }
}

/// Two engines for each game.
struct Players(Vec<[Engine; 2]>);

impl Players {
    fn new(games: &Catalogue, variants: &[Arc<Variant>]) -> Players {
        let ready = engine::Options {
            hash: HASH,
            ..engine::Options::default()
        };
        let engine = |variant| crate::catalogue::engine(games, variant, ready.clone());
        let both = |variant| [engine(variant), engine(variant)];
        Players(variants.iter().map(both).collect())
    }

    /// Two games from the same random opening; the half-points of the first side.
    fn pair(&mut self, game: usize, sides: [SearchParameters; 2], nodes: u64, seed: u64) -> u8 {
        let [first, second] = &mut self.0[game];
        for (engine, search) in [(&mut *first, sides[0]), (&mut *second, sides[1])] {
            let options = engine.options().clone();
            engine.set_options(engine::Options { search, ..options });
        }
        let terms = Terms {
            effort: Effort::Exactly(nodes),
            opening: OPENING,
        };
        let white = selfplay::duel([first, second], terms, seed);
        let black = 1.0 - selfplay::duel([second, first], terms, seed);
        (2.0 * (white + black)) as u8
    }
}

/// Plays, tells what was found and whether it wins.
pub fn run(games: &Catalogue, variants: &[Arc<Variant>], options: &Options) -> Result<()> {
    let heading = Heading {
        games: variants.iter().map(|v| v.id().to_owned()).collect(),
        nodes: options.nodes,
        seed: options.seed,
        pairs: options.pairs,
        from: SearchParameters::default().list(),
    };
    let name = || options.results.display().to_string();
    let mut results = Results::open(&options.results, &heading).with_context(name)?;
    let mut spsa = Spsa::new(options.pairs, options.seed);
    let learn = |spsa: &mut Spsa, batch: &[u8]| {
        let each = batch.iter().map(|&points| f64::from(points) - 2.0);
        each.for_each(|result| spsa.learn(result));
    };
    learn(&mut spsa, &results.found);
    let seed = |number: u64| options.seed.wrapping_mul(1 << 32).wrapping_add(number);
    let all = variants.len() as u64;
    let threads = 0..options.threads;
    let mut players: Vec<_> = threads.map(|_| Players::new(games, variants)).collect();
    let mut progress = Progress::new("", "pairs", options.pairs, spsa.done());
    while spsa.done() < options.pairs {
        let end = options.pairs.min(spsa.done() + BATCH as u64);
        let batch = in_order(&mut players, spsa.done()..end, |players, number| {
            let game = (number % all) as usize;
            players.pair(game, spsa.sides(number), options.nodes, seed(number))
        });
        results.add(&batch).with_context(name)?;
        learn(&mut spsa, &batch);
        progress.reach(spsa.done(), String::new());
    }
    progress.finish();
    let mut out = std::io::stdout();
    let usual = SearchParameters::default();
    let found = spsa.parameters();
    let each = usual.list().into_iter().zip(found.list());
    for (parameter, (before, after)) in SearchParameters::ALL.iter().zip(each) {
        writeln!(out, "{:<18} {before:>6} {after:>6}", parameter.name)?;
    }
    for (game, variant) in variants.iter().enumerate().filter(|_| options.check > 0) {
        let pairs = in_order(&mut players, 0..options.check, |players, number| {
            let seed = seed(AFTERWARDS + number);
            players.pair(game, [found, usual], options.nodes, seed)
        });
        let mut by_points = [0; 5];
        for points in pairs {
            by_points[usize::from(points)] += 1;
        }
        let tally = Tally::of_pairs(by_points);
        let (elo, low, high) = tally.elo();
        writeln!(
            out,
            "{}: {} games against the search before, {:.1}%, Elo difference {elo:+.1}, with 95% between {low:+.1} and {high:+.1}",
            variant.id(),
            tally.games(),
            100.0 * tally.score()
        )?;
    }
    Ok(())
}

/// Plays pairs, as many at once as there are players; their half-points in the order of their numbers.
fn in_order(
    players: &mut [Players],
    numbers: Range<u64>,
    play: impl Fn(&mut Players, u64) -> u8 + Sync,
) -> Vec<u8> {
    let (all, play) = (players.len(), &play);
    let mut played: Vec<(u64, u8)> = std::thread::scope(|scope| {
        let each = players.iter_mut().enumerate();
        let handles: Vec<_> = each
            .map(|(i, players)| {
                let own = numbers.clone().skip(i).step_by(all);
                scope.spawn(move || {
                    let each = own.map(|number| (number, play(players, number)));
                    each.collect::<Vec<_>>()
                })
            })
            .collect();
        let joined = handles.into_iter().map(|handle| handle.join());
        joined
            .flat_map(|part| part.unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
    });
    played.sort_unstable();
    played.into_iter().map(|(_, points)| points).collect()
}
