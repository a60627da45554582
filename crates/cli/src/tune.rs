//! `husun tune`: plays games against itself, or takes those that `husun datagen` has played, and fits the engine's values to
//! them, or its search (`docs/tuning.md`).

use crate::progress::Progress;
use crate::whole;
use anyhow::{Context, Result, ensure};
use clap::Args;
use engine::selfplay;
use engine::tune::{self, Corpus, Sample, fit, self_play};
use engine::values::Values;
use games::Catalogue;
use husun::Variant;
use std::fs::File;
use std::io::{BufReader, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use training::data::{Reader, Record};

mod search;

/// Fit the engine's values for a game, or its search, to games that it plays against itself
#[derive(Args)]
pub struct Options {
    /// Ids of the games
    #[arg(required = true)]
    games: Vec<String>,
    /// A file of positions from `husun datagen`: the values are fitted to these, for one game, and nothing is played. May be
    /// given several times
    #[arg(long, value_name = "FILE", conflicts_with_all = ["play", "nodes", "seed"])]
    data: Vec<PathBuf>,
    /// The most positions of these files that are taken, evenly; each takes about a kilobyte of memory
    #[arg(long, value_name = "N", default_value_t = 500_000, requires = "data", value_parser = clap::value_parser!(u64).range(100..=100_000_000))]
    most: u64,
    /// Games of self-play, for each game
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u64).range(10..=10_000_000))]
    play: u64,
    /// Positions visited for each move
    #[arg(long, default_value_t = 2000, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
    /// Rounds of the fit
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u16).range(1..=100))]
    rounds: u16,
    /// Seed for the openings
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Threads
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: u16,
    /// Fit everything but values of pieces and places for all games together
    #[arg(long)]
    together: bool,
    /// Start from the values estimated from the rules, not from tuned or inherited ones
    #[arg(long)]
    anew: bool,
    /// Write FOLDER/ID/values.toml for each game. If not given, the values of a game of your own are written beside
    /// its file, as GAME.values.toml, where every command reads them; those of other games as ID/values.toml
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// Tune the search instead of values: pairs of games between slightly different searches
    #[arg(long, conflicts_with_all = ["data", "play", "rounds", "together", "anew", "out"])]
    search: bool,
    /// Pairs of games that the search is tuned by, of all games together
    #[arg(long, value_name = "N", default_value_t = 10_000, requires = "search", value_parser = clap::value_parser!(u64).range(10..=10_000_000))]
    pairs: u64,
    /// Pairs of each game that the tuned search then plays against the one before
    #[arg(long, value_name = "N", default_value_t = 200, requires = "search", value_parser = clap::value_parser!(u64).range(0..=1_000_000))]
    check: u64,
    /// The file with the results so far, from which the same command goes on where it was interrupted
    #[arg(
        long,
        value_name = "FILE",
        default_value = "search.results",
        requires = "search"
    )]
    results: PathBuf,
}

/// One in this many games is left out of the fit and used to measure it.
const HELD_OUT: u64 = 10;

/// The positions played for one game: those for fitting, and those for measuring.
struct Played {
    learn: Corpus,
    check: Corpus,
}

/// Plays, fits and writes.
pub fn run(games: &Catalogue, options: &Options) -> Result<()> {
    let ids = options.games.iter();
    let variants: Vec<_> = ids.map(|id| games.game(id)).collect::<Result<_, _>>()?;
    if options.search {
        return search::run(games, &variants, options);
    }
    let mut all = Vec::new();
    ensure!(
        options.data.is_empty() || variants.len() == 1,
        "positions of a file are of one game: expected one id, found {}",
        variants.len()
    );
    for variant in &variants {
        all.push(match options.data.is_empty() {
            true => play(games, variant, options)?,
            false => read(games, variant, options)?,
        });
    }
    match options.together {
        true => improve(&mut all, options)?,
        false => {
            for played in &mut all {
                improve(std::slice::from_mut(played), options)?;
            }
        }
    }
    for played in &all {
        let variant = &played.learn.variant;
        let file = destination(games, variant, options);
        write(&played.learn, &file)?;
        if ends_a_network(games, variant, &file) {
            writeln!(
                std::io::stderr(),
                "{}: it now plays by these values, not by the network that it inherited",
                variant.id()
            )?;
        }
    }
    Ok(())
}

/// The engine that the fit starts from.
fn start(games: &Catalogue, variant: &Arc<Variant>, anew: bool) -> engine::Engine {
    let ready = engine::Options::default();
    match anew {
        true => engine::Engine::new(variant.clone(), ready),
        false => crate::catalogue::engine(games, variant, ready),
    }
}

/// Goes through all positions of the files whose outcome is open; the game's number, and what White has scored.
fn each_open(
    variant: &Arc<Variant>,
    files: &[PathBuf],
    take: &mut dyn FnMut(u64, f64, Record) -> Result<()>,
) -> Result<()> {
    let is_open = |record: &Record| i32::from(record.score).abs() < selfplay::OPEN;
    let through = |n: u64, file: &PathBuf, take: &mut dyn FnMut(u64, f64, Record) -> Result<()>| {
        let mut reader = Reader::new(BufReader::new(File::open(file)?), variant)?;
        while let Some(game) = reader.next_game()? {
            // Games of several files have the same numbers.
            let (number, result) = (n << 48 | game.number, f64::from(game.result) / 2.0);
            for record in game.records.into_iter().filter(is_open) {
                take(number, result, record)?;
            }
        }
        anyhow::Ok(())
    };
    for (n, file) in (0..).zip(files) {
        through(n, file, take).with_context(|| file.display().to_string())?;
    }
    Ok(())
}

/// Takes positions from files, evenly if there are more than are wanted.
fn read(games: &Catalogue, variant: &Arc<Variant>, options: &Options) -> Result<Played> {
    let values = start(games, variant, options.anew).values().clone();
    let mut all = 0_u64;
    each_open(variant, &options.data, &mut |_, _, _| {
        all += 1;
        Ok(())
    })?;
    let every = all.div_ceil(options.most).max(1);
    let corpus = || Corpus {
        variant: variant.clone(),
        values: values.clone(),
        games: 0,
        samples: Vec::new(),
    };
    let mut played = Played {
        learn: corpus(),
        check: corpus(),
    };
    let (mut number, mut before) = (0, None);
    each_open(variant, &options.data, &mut |game, result, record| {
        let to = match game % HELD_OUT == 0 {
            true => &mut played.check,
            false => &mut played.learn,
        };
        to.games += usize::from(before.replace(game) != Some(game));
        number += 1;
        if number % every == 0 {
            to.samples.push(Sample {
                position: record.position(variant)?,
                result,
                score: record.score.into(),
            });
        }
        Ok(())
    })?;
    ensure!(
        !played.learn.samples.is_empty() && !played.check.samples.is_empty(),
        "{}: {} games gave too few positions: expected some to learn from and some to measure by; make more with `husun datagen`",
        variant.id(),
        played.learn.games + played.check.games
    );
    Ok(played)
}

/// Plays the games of self-play for one game, several at once. The same seed gives the same games.
fn play(games: &Catalogue, variant: &Arc<Variant>, options: &Options) -> Result<Played> {
    let maker = || start(games, variant, options.anew);
    let values = maker().values().clone();
    let mut progress = Progress::new(variant.id(), "games", options.play, 0);
    let mut games: Vec<(u64, Vec<Sample>)> = Vec::new();
    selfplay::many(
        options.threads.into(),
        0..options.play,
        maker,
        |engine, n| {
            let seed = options.seed.wrapping_mul(1 << 32).wrapping_add(n);
            self_play(engine, options.nodes, seed)
        },
        &mut |n, samples| {
            progress.step(String::new());
            games.push((n, samples));
            ControlFlow::Continue(())
        },
    );
    progress.finish();
    games.sort_by_key(|game| game.0);
    let corpus = |checks: bool| {
        let own = games.iter().filter(|g| (g.0 % HELD_OUT == 0) == checks);
        Corpus {
            variant: variant.clone(),
            values: values.clone(),
            games: own.clone().count(),
            samples: own.flat_map(|g| g.1.clone()).collect(),
        }
    };
    let played = Played {
        learn: corpus(false),
        check: corpus(true),
    };
    ensure!(
        !played.learn.samples.is_empty() && !played.check.samples.is_empty(),
        "{}: {} games gave no quiet position: expected some; play more games",
        variant.id(),
        options.play
    );
    Ok(played)
}

/// Fits and reports how well.
fn improve(all: &mut [Played], options: &Options) -> Result<()> {
    let mut err = std::io::stderr();
    let before: Vec<f64> = all.iter().map(|p| tune::error(&p.check)).collect();
    let mut corpora: Vec<Corpus> = all.iter().map(|p| p.learn.clone()).collect();
    let mut failed = Ok(());
    let threads = options.threads.into();
    fit(
        &mut corpora,
        options.rounds.into(),
        threads,
        &mut |round, error| {
            let told = writeln!(err, "round {}: error {error:.5}", round + 1);
            failed = std::mem::replace(&mut failed, Ok(())).and(told);
        },
    );
    failed?;
    for ((played, corpus), before) in all.iter_mut().zip(corpora).zip(before) {
        played.check.values = corpus.values.clone();
        played.learn = corpus;
        let white = played.learn.samples.iter().map(|s| s.result).sum::<f64>();
        writeln!(
            err,
            "{}: {} positions of {} games, White {:.1}%; error on {} positions of games left out: \
             {before:.5} before, {:.5} after",
            played.learn.variant.id(),
            played.learn.samples.len(),
            played.learn.games,
            100.0 * white / played.learn.samples.len() as f64,
            played.check.samples.len(),
            tune::error(&played.check)
        )?;
    }
    Ok(())
}

/// Where the values of a game are written.
fn destination(games: &Catalogue, variant: &Arc<Variant>, options: &Options) -> PathBuf {
    match (&options.out, games.own_of(variant)) {
        (None, Some(own)) => games::values_path(own.file()),
        (out, _) => {
            let folder = out.as_deref().unwrap_or(Path::new("."));
            folder.join(variant.id()).join("values.toml")
        }
    }
}

/// Whether values in that file are why a game of one's own inherits a network no more.
fn ends_a_network(games: &Catalogue, variant: &Arc<Variant>, file: &Path) -> bool {
    games.own_of(variant).is_some_and(|own| {
        let inherits = own.network().is_some() && !games::network_path(own.file()).exists();
        inherits && file == games::values_path(own.file())
    })
}

fn write(corpus: &Corpus, file: &Path) -> Result<()> {
    let text = corpus.values.to_text();
    // What is written must be readable.
    Values::parse(&corpus.variant, &text).with_context(|| {
        format!(
            "{}: the values found are out of bounds",
            corpus.variant.id()
        )
    })?;
    whole::write(file, text.as_bytes())?;
    writeln!(std::io::stdout(), "{}", file.display())?;
    Ok(())
}
