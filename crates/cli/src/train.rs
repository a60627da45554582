//! `husun train`: finds the weights of a network for a game from the positions that `husun datagen` has made
//! (`docs/networks.md`).

use crate::play::timed_game::today;
use crate::progress::Progress;
use crate::whole;
use anyhow::{Context, Result, ensure};
use clap::Args;
use engine::network::{Identity, Network, Origin};
use games::Catalogue;
use husun::Variant;
use std::fs::File;
use std::io::{BufReader, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use training::data::{DataError, Reader, Settings as Played};
use training::train::{self, Collection, Settings};

/// How much what came of a position counts where no game is drawn, in hundredths.
const USUAL_RESULT: f64 = 50.0;

/// Train a network for the engine on positions of a game
///
/// A network of one of your own games is written beside its file, where every command reads it.
#[derive(Args)]
pub struct Options {
    /// Id of the game
    game: String,
    /// Files of positions, from `husun datagen`; if none is given, ID.positions. They may be of another game that differs in its
    /// start alone
    #[arg(long, value_name = "FILE")]
    data: Vec<PathBuf>,
    /// Where the network is written. If not given, that of a game of your own is written beside its file, as
    /// GAME.network.bin, and that of another game as ID/network.bin
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Hidden units: a multiple of 16 from 16 to 256
    #[arg(long, default_value_t = 64)]
    hidden: usize,
    /// Passes over all positions
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u16).range(1..=10_000))]
    epochs: u16,
    /// Positions for each step
    #[arg(long, value_name = "POSITIONS", default_value_t = 4096, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    batch: u32,
    /// Learning rate at the beginning
    #[arg(long, default_value_t = 0.002, value_parser = rate)]
    rate: f32,
    /// How much what came of a position counts, in hundredths; the rest is what the search thought of it. If not given, half of the
    /// part of the games that were not drawn
    #[arg(long, value_name = "PERCENT", value_parser = clap::value_parser!(u8).range(0..=100))]
    result: Option<u8>,
    /// How far that looks ahead, in hundredths: how much each later search of the game counts beside the one before it. With 100 it
    /// is the game's result alone
    #[arg(long, value_name = "PERCENT", default_value_t = 80, value_parser = clap::value_parser!(u8).range(0..=100))]
    ahead: u8,
    /// Centipawns that make a chance of 73%; if not given, those at which scores predict the results of the games best, at most 400
    #[arg(long, value_name = "CENTIPAWNS", value_parser = clap::value_parser!(u16).range(50..=2000))]
    scale: Option<u16>,
    /// Seed of the first weights and of the order of the positions
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Train a network that judges alone, instead of one that corrects the game's values
    #[arg(long)]
    alone: bool,
    /// Positions whose judgement by the game's values a network that judges alone learns first, for each position of the files; each takes
    /// as much memory as these
    #[arg(long, value_name = "N", default_value_t = 3, requires = "alone", value_parser = clap::value_parser!(u8).range(0..=100))]
    imitate: u8,
    /// Threads
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: u16,
    /// Draw how the error falls, as SVG
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
}

fn rate(text: &str) -> Result<f32, String> {
    let rate = text.parse().ok().filter(|rate| *rate > 0.0 && *rate <= 1.0);
    rate.ok_or_else(|| "expected a number above 0, at most 1".into())
}

/// Reads, trains and writes.
pub fn run(games: &Catalogue, options: &Options) -> Result<()> {
    let variant = games.game(&options.game)?;
    let files = match options.data.is_empty() {
        true => &[PathBuf::from(format!("{}.positions", variant.id()))][..],
        false => &options.data,
    };
    let file = destination(games, &variant, options);
    let written: Vec<&PathBuf> = options.plot.iter().chain([&file]).collect();
    for (i, one) in written.iter().enumerate() {
        whole::check(one)?;
        let mut others = written[i + 1..].iter().copied().chain(files);
        ensure!(
            !others.any(|other| whole::same(one, other)),
            "{}: it is asked for twice: expected another file for the network, the plot or the positions",
            one.display()
        );
    }
    let values = || {
        let values = engine::Options {
            hash: 1,
            network: false,
            ..engine::Options::default()
        };
        crate::catalogue::engine(games, &variant, values)
    };
    let mut collection = match (options.alone, options.imitate) {
        (false, _) => Collection::correcting(values()),
        (true, 0) => Collection::new(&variant),
        (true, each) => {
            Collection::imitating(&variant, values, options.threads.into(), each.into())
        }
    };
    let rules = Identity::apart_from_start(&variant);
    let kin = games
        .games()
        .filter(|game| Identity::apart_from_start(game) == rules);
    let kin: Vec<_> = std::iter::once(variant.clone()).chain(kin).collect();
    let size = |file: &PathBuf| std::fs::metadata(file).map_or(0, |data| data.len());
    let bytes: u64 = files.iter().map(size).sum();
    let mut progress = Progress::new(variant.id(), "MiB read", bytes >> 20, 0);
    let (mut played, mut before) = (Vec::new(), 0);
    for file in files {
        let settings = read(file, &kin, &mut collection, &mut |bytes| {
            progress.reach((before + bytes) >> 20, String::new());
        });
        played.push(settings.with_context(|| file.display().to_string())?);
        before += size(file);
    }
    progress.finish();
    // Where most games are drawn, they end so from better and worse positions alike.
    let usual = (USUAL_RESULT * collection.decided()).round() as u8;
    let result = options.result.unwrap_or(usual);
    let settings = Settings {
        hidden: options.hidden,
        epochs: options.epochs.into(),
        judged_epochs: match collection.judged() {
            0 => 0,
            _ => Settings::default().judged_epochs,
        },
        batch: options.batch as usize,
        rate: options.rate,
        result: f32::from(result) / 100.0,
        ahead: f32::from(options.ahead) / 100.0,
        scale: options.scale.map(f32::from),
        seed: options.seed,
        threads: options.threads.into(),
    };
    let origin = origin(&variant, &collection, &played, options, result);
    let mut err = std::io::stderr();
    let [learn, check] = collection.positions();
    writeln!(
        err,
        "{}: {learn} positions to learn from, {check} held out, of {} games{}",
        variant.id(),
        collection.games(),
        match collection.judged() {
            0 => String::new(),
            judged => format!(", and {judged} judged by the values"),
        }
    )?;
    let all = settings.judged_epochs + settings.epochs;
    let mut progress = Progress::new(variant.id(), "epochs", all as u64, 0);
    let trained = train::run(&variant, &collection, settings, origin, &mut |epoch| {
        let learned = epoch.learned.unwrap_or_default();
        let told = format!("error {learned:.5}, held out {:.5}", epoch.held_out);
        progress.reach(epoch.number as u64, told);
        ControlFlow::Continue(())
    });
    progress.finish();
    let trained = trained?;
    if let Some(file) = &options.plot {
        let title = format!("{}: mean squared error", variant.name());
        whole::write(
            file,
            training::plot::svg(&title, &trained.epochs).as_bytes(),
        )?;
    }
    let held_out = trained.epochs.iter().map(|e| e.held_out);
    let best = held_out.clone().fold(f64::INFINITY, f64::min);
    writeln!(
        err,
        "{}: error on positions held out {:.5} before, {best:.5} after; {:.0} centipawns for an output of 1",
        variant.id(),
        held_out.clone().next().unwrap_or_default(),
        trained.scale
    )?;
    let bytes = trained.network.to_bytes(&variant)?;
    // What is written must be readable.
    Network::read(&variant, &bytes)?;
    whole::write(&file, &bytes)?;
    writeln!(std::io::stdout(), "{}", file.display())?;
    Ok(())
}

/// Adds the positions of a file, which may be of any of these games, and tells how they were played.
fn read(
    file: &Path,
    kin: &[Arc<Variant>],
    collection: &mut Collection,
    report: &mut dyn FnMut(u64),
) -> Result<Played> {
    let mut reader = open(file, kin)?;
    while let Some(game) = reader.next_game()? {
        collection.add(&game)?;
        report(reader.bytes_read());
    }
    Ok(reader.settings())
}

/// Begins to read a file of positions of one of these games. Whoever brings another is told of the first.
fn open(file: &Path, kin: &[Arc<Variant>]) -> Result<Reader<BufReader<File>>, DataError> {
    let mut refused = DataError::Magic;
    for variant in kin.iter().rev() {
        match Reader::new(BufReader::new(File::open(file)?), variant) {
            Err(other @ DataError::OtherGame { .. }) => refused = other,
            read => return read,
        }
    }
    Err(refused)
}

fn origin(
    variant: &Variant,
    collection: &Collection,
    played: &[Played],
    options: &Options,
    result: u8,
) -> Origin {
    let one = |p: &Played| {
        format!(
            "{} nodes a move, {} opening plies, seed {}",
            p.nodes, p.opening, p.seed
        )
    };
    let played: Vec<String> = played.iter().map(one).collect();
    let date = today();
    Origin {
        game: variant.id().into(),
        games: collection.games(),
        positions: collection.positions().iter().sum::<usize>() as u64,
        settings: format!(
            "{}; {}, {} epochs, batch {}, rate {}, outcome {} of 100 ({} ahead), seed {}",
            played.join("; "),
            match (options.alone, collection.judged()) {
                (false, _) => "corrects the values".to_owned(),
                (true, 0) => "judges alone".to_owned(),
                (true, judged) => format!("judges alone, first what the values say of {judged}"),
            },
            options.epochs,
            options.batch,
            options.rate,
            result,
            options.ahead,
            options.seed
        ),
        date: date[0].1.replace('.', "-"),
    }
}

/// Where the network of a game is written.
fn destination(games: &Catalogue, variant: &Arc<Variant>, options: &Options) -> PathBuf {
    match (&options.out, games.own_of(variant)) {
        (Some(out), _) => out.clone(),
        (None, Some(own)) => games::network_path(own.file()),
        (None, None) => Path::new(variant.id()).join("network.bin"),
    }
}
