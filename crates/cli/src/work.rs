//! `husun work`: this machine's cores do engine jobs of servers elsewhere, which it reaches by NATS.

use crate::serve;
use crate::tables::TableOptions;
use anyhow::{Context, Result};
use bus::{NatsBus, NatsOptions, NatsRole};
use clap::Args;
use games::Catalogue;
use indicatif::{HumanCount, HumanDuration, ProgressBar, ProgressStyle};
use play::Games;
use server::engines::worker::{Tally, WorkerOptions, work};
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

/// Where the address may stand instead of on the command line, which other users of the machine can read.
const ADDRESS: &str = "HUSUN_NATS";
/// Most threads: beyond that it is a slip of the keyboard.
const MOST_THREADS: u16 = 1024;
/// Pause between looks at what was done.
const LOOK: Duration = Duration::from_millis(500);
/// Pause between lines where there is no terminal.
const EVERY: Duration = Duration::from_secs(60);

/// Lend this machine's cores to servers: think about moves and analyse for them
///
/// The servers and this program find each other by a NATS server (`husun serve --nats URL`). Ctrl+C ends it; what it is
/// at is given back and done by others. It needs no account and no disk, and may run on any number of machines.
#[derive(Args)]
pub struct Options {
    /// NATS server: nats://HOST:PORT, or tls://HOST:PORT; the variable HUSUN_NATS if missing, which nobody else can read
    #[arg(long, value_name = "URL")]
    nats: Option<String>,
    /// What the names of the servers' subjects begin with, as in their settings
    #[arg(long, value_name = "WORDS", default_value = "husun")]
    prefix: String,
    /// Certificates by which the NATS server is known, instead of the system's
    #[arg(long, value_name = "FILE")]
    certificates: Option<PathBuf>,
    /// Jobs at once; one for each core if missing
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=i64::from(MOST_THREADS)))]
    threads: Option<u16>,
    /// Mebibytes of a table, for each thread and up to four games
    #[arg(long, value_name = "MIB", default_value_t = 16, value_parser = clap::value_parser!(u16).range(1..))]
    hash: u16,
    #[command(flatten)]
    tables: TableOptions,
    /// Do only these games
    #[arg(long, value_name = "ID,..", value_delimiter = ',')]
    games: Option<Vec<String>>,
    /// Name by which operators know this worker; the machine's if missing
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Write log lines as JSON
    #[arg(long)]
    log_json: bool,
}

pub fn run(games: Catalogue, options: &Options) -> Result<()> {
    for id in options.games.iter().flatten() {
        games.game(id).context("--games")?;
    }
    let url = options.nats.clone().or_else(|| std::env::var(ADDRESS).ok());
    let url = url.with_context(|| {
        format!("where is the NATS server? Expected --nats nats://HOST:PORT, or {ADDRESS}")
    })?;
    serve::log_to_stderr(options.log_json, None);
    let name = options.name.clone().or_else(machine);
    let nats = NatsOptions {
        prefix: options.prefix.clone(),
        certificates: options.certificates.clone(),
        name: "husun worker".into(),
        role: NatsRole::Worker,
        ..NatsOptions::new(url)
    };
    let cores = || std::thread::available_parallelism().map_or(1, usize::from);
    let offer = WorkerOptions {
        name: name.unwrap_or_else(|| "worker".into()),
        threads: options.threads.map_or_else(cores, usize::from),
        hash: options.hash.into(),
        tables: options.tables.open_for(&games)?,
        games: options.games.clone(),
    };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .context("the threads cannot be started")?;
    let done = runtime.block_on(lend(games, nats, offer));
    // What is still thinking ends with the process.
    runtime.shutdown_background();
    done
}

async fn lend(games: Catalogue, nats: NatsOptions, offer: WorkerOptions) -> Result<()> {
    let bus = Arc::new(NatsBus::connect(nats).await?);
    let threads = offer.threads;
    say(&format!(
        "Connected, with {threads} thread{}; Ctrl+C ends it",
        if threads == 1 { "" } else { "s" }
    ));
    let tally: Arc<Tally> = Arc::default();
    let games = Arc::new(Games::new(games));
    let work = work(bus.clone(), games, offer, tally.clone(), serve::ended());
    let begun = Instant::now();
    let ended = tokio::select! {
        ended = work => ended,
        () = show(&bus, &tally) => Ok(()),
    };
    say(&format!("Done: {}", far(&tally, begun.elapsed())));
    Ok(ended?)
}

/// Shows what was done, for as long as it is waited for.
async fn show(bus: &NatsBus, tally: &Tally) {
    let bar = ProgressBar::new_spinner();
    let style = ProgressStyle::with_template("{spinner} {msg}");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
    bar.enable_steady_tick(LOOK);
    let begun = Instant::now();
    let (mut said, mut state_said) = (Instant::now(), String::new());
    loop {
        tokio::time::sleep(LOOK).await;
        let state = state(bus, tally, begun.elapsed());
        let line = far(tally, begun.elapsed());
        bar.set_message(format!("{line}; {state}"));
        // Where there is no terminal a line a minute is enough, and one whenever something is different.
        if bar.is_hidden() && (state != state_said || said.elapsed() >= EVERY) {
            (said, state_said) = (Instant::now(), state.clone());
            say(&format!("{line}; {state}"));
        }
    }
}

/// How it stands with the servers.
fn state(bus: &NatsBus, tally: &Tally, since: Duration) -> String {
    let (servers, strange) = (tally.servers.load(Relaxed), tally.strange.load(Relaxed));
    if !bus.health().connected {
        return "the NATS server does not answer; it is waited for".into();
    }
    match servers {
        0 if since < Duration::from_secs(5) => "looking for servers".into(),
        0 => "no server is there; do they have the same --nats and prefix?".into(),
        n if n == strange => {
            "the servers are of a version that this program cannot work for".into()
        }
        1 => "1 server".into(),
        n => format!("{n} servers"),
    }
}

/// What was done.
fn far(tally: &Tally, time: Duration) -> String {
    let count = |count: &std::sync::atomic::AtomicU64| count.load(Relaxed);
    format!(
        "{} moves, {} analyses, {} positions of reviews in {}, {} positions searched",
        HumanCount(count(&tally.moves)),
        HumanCount(count(&tally.analyses)),
        HumanCount(count(&tally.reviews)),
        HumanDuration(time),
        HumanCount(count(&tally.nodes)),
    )
}

/// The machine's name.
fn machine() -> Option<String> {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").ok()?;
    Some(name.trim().to_owned()).filter(|name| !name.is_empty())
}

/// Tells the user what happens, in plain words.
fn say(text: &str) {
    // Nobody is left to tell if this fails.
    let _ = writeln!(std::io::stderr(), "{text}");
}
