//! `husun serve`: the play server, from its options to its end.

use crate::tables::TableOptions;
use anyhow::{Context, Result, bail};
use clap::Args;
use games::Catalogue;
use server::telemetry::{SPANS, Telemetry};
use server::{Config, NodeConfig};
use std::io::{IsTerminal, Write};
use std::net::SocketAddr;
use std::path::PathBuf;
use tracing_subscriber::filter::{EnvFilter, FilterExt, LevelFilter, filter_fn};
use tracing_subscriber::layer::Filter;

/// Play in the browser: serve games between people and against the engine
#[derive(Args)]
pub struct Options {
    /// Address to listen at
    #[arg(long, value_name = "ADDRESS:PORT")]
    listen: Option<SocketAddr>,
    /// Folder for games and keys, created if it is missing
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// Database instead of a file in the data folder: sqlite://FILE or postgres://...
    #[arg(long, value_name = "URL")]
    database: Option<String>,
    /// Serve as one of several nodes that share a PostgreSQL database: a name that no other node has
    #[arg(long, value_name = "NAME")]
    node: Option<String>,
    /// The NATS server by which nodes speak with each other and with workers that lend their cores (`husun work`):
    /// nats://HOST:PORT
    #[arg(long, value_name = "URL")]
    nats: Option<String>,
    /// Settings; options on the command line take precedence
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    #[command(flatten)]
    tables: TableOptions,
    /// Serve the browser client's files from a folder instead of the built-in ones
    #[arg(long, value_name = "DIR")]
    client: Option<PathBuf>,
    /// Open the browser
    #[arg(long)]
    open: bool,
    /// Write log lines as JSON
    #[arg(long)]
    log_json: bool,
}

/// The status of a node that has made way for another of its name: started again it would throw that one out.
pub const REPLACED: u8 = 3;

pub fn run(options: &Options, games: Catalogue) -> Result<()> {
    let mut config = settings(options)?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .context("the server's threads cannot be started")?;
    let telemetry = {
        let _within = runtime.enter();
        telemetry(&config)?
    };
    log_to_stderr(options.log_json, telemetry.as_ref());
    files_for(&mut config);
    let served = runtime.block_on(serve(&config, games, options.open));
    if let Some(telemetry) = telemetry {
        telemetry.end();
    }
    served
}

/// The way to a collector of traces, if there is one.
fn telemetry(config: &Config) -> Result<Option<Telemetry>> {
    let Some(otlp) = &config.telemetry.otlp else {
        return Ok(None);
    };
    let node = config.node.as_ref().map(|node| node.name.as_str());
    Ok(Some(Telemetry::start(
        otlp,
        node,
        config.telemetry.percent,
    )?))
}

fn settings(options: &Options) -> Result<Config> {
    let mut config = match &options.config {
        Some(path) => Config::read(path)?,
        None => Config::default(),
    };
    if let Some(listen) = options.listen {
        config.listen = listen;
    }
    if let Some(data) = &options.data {
        config.data.clone_from(data);
    }
    if let Some(url) = &options.database {
        config.database = Some(url.clone());
    }
    match (&options.node, &options.nats, &mut config.node) {
        (name, nats, Some(node)) => {
            node.name = name.clone().unwrap_or(std::mem::take(&mut node.name));
            node.nats = nats.clone().unwrap_or(std::mem::take(&mut node.nats));
        }
        (Some(name), Some(nats), None) => config.node = Some(NodeConfig::new(name, nats)),
        (Some(_), None, None) => {
            bail!("--node: nodes speak with each other by NATS: say where it is with --nats")
        }
        // A server that runs alone has workers there.
        (None, Some(nats), None) => config.workers.nats = Some(nats.clone()),
        (None, None, None) => {}
    }
    if let Some(folder) = options.tables.folder() {
        config.tablebases = Some(folder.clone());
    }
    if let Some(client) = &options.client {
        config.client = Some(client.clone());
    }
    Ok(config)
}

/// Files that the server needs besides its connections: database, keys, log, files being read.
const OTHER_FILES: u64 = 64;

/// Raises the limit of open files as far as allowed, since a connection is a file, and limits connections to what is
/// left.
fn files_for(config: &mut Config) {
    let most = match rlimit::increase_nofile_limit(u64::MAX) {
        Ok(most) => most,
        Err(error) => return tracing::warn!(%error, "the limit of open files is not known"),
    };
    let free = u32::try_from(most.saturating_sub(OTHER_FILES)).unwrap_or(u32::MAX);
    let wanted = config.limits.connections;
    if wanted == 0 || wanted > free {
        if wanted > free {
            tracing::warn!(
                wanted,
                open_files = most,
                connections = free,
                "fewer connections than configured: the process may not open more files (ulimit -n, LimitNOFILE=)"
            );
        }
        config.limits.connections = free.clamp(1, MOST_CONNECTIONS);
    }
}

/// Most connections if settings do not limit them further.
const MOST_CONNECTIONS: u32 = 10_000_000;

/// The log: what `HUSUN_LOG` names, such as `debug` or `server=debug`, or else what an operator should know. Details
/// of libraries are always left out: they log whole messages and headers, and with them the keys to seats and cookies.
pub fn log_to_stderr(json: bool, telemetry: Option<&Telemetry>) {
    use tracing_subscriber::prelude::*;
    let wanted = EnvFilter::try_from_env("HUSUN_LOG").unwrap_or_else(|_| EnvFilter::new("info"));
    let filter = logged(wanted);
    let log = tracing_subscriber::fmt::layer()
        .with_ansi(std::io::stderr().is_terminal())
        .with_writer(std::io::stderr);
    let log = match json {
        true => log.json().with_filter(filter).boxed(),
        false => log.with_target(false).with_filter(filter).boxed(),
    };
    // Where nothing is followed there is no layer for it: with one that takes nothing all spans would be made.
    let spans = telemetry.map(|telemetry| telemetry.layer().boxed());
    let layers: Vec<_> = spans.into_iter().chain([log]).collect();
    // A second start within one process keeps the first log.
    let _ = tracing_subscriber::registry().with(layers).try_init();
}

/// What is logged of what is wanted.
fn logged<S>(wanted: EnvFilter) -> impl Filter<S> {
    let ours = filter_fn(|event| {
        let target = event.target().split("::").next().unwrap_or_default();
        // The bus itself tells of its connection, and does so once.
        target != "async_nats" && (*event.level() <= tracing::Level::INFO || OURS.contains(&target))
    });
    let no_spans = filter_fn(|about| about.target() != SPANS);
    // They say of themselves that they let everything through at most: otherwise what is wanted would not be known to bound
    // them, and every detail of the libraries would be made, and looked at here, before it is dropped.
    let ours = ours.with_max_level_hint(LevelFilter::TRACE);
    let no_spans = no_spans.with_max_level_hint(LevelFilter::TRACE);
    wanted.and(ours).and(no_spans)
}

#[cfg(test)]
#[test]
fn details_that_are_not_wanted_are_not_made() {
    for (wanted, most) in [
        ("info", LevelFilter::INFO),
        ("server=debug", LevelFilter::DEBUG),
    ] {
        let filter = logged::<tracing_subscriber::Registry>(EnvFilter::new(wanted));
        assert_eq!(filter.max_level_hint(), Some(most));
    }
}

/// Names of our crates, as they appear in log lines.
const OURS: [&str; 4] = ["server", "husun", "engine", "games"];

async fn serve(config: &Config, games: Catalogue, open: bool) -> Result<()> {
    for own in games.own() {
        for remark in crate::catalogue::missing_pictures(own.variant()) {
            tracing::warn!(file = %own.file().display(), "{remark}");
        }
    }
    let running = server::bind(config, games).await?;
    let address = running.address().context("the address is not known")?;
    let page = format!("http://{}/", server::operator::reachable(address));
    let data = config.data.display().to_string();
    // Printed when the storage is open: until then every answer is that the server is starting.
    let ready = move || {
        let mut out = std::io::stdout();
        let told = writeln!(
            out,
            "Husun serves at {page}  (Ctrl+C ends it; games are kept in {data})"
        );
        // If nobody reads it, the server serves all the same.
        let _ = told.and_then(|()| out.flush());
        if open {
            open_browser(&page);
        }
    };
    running.serve(ready, ended()).await?;
    Ok(())
}

/// Waits for Ctrl+C, or for the system's request to end.
pub async fn ended() {
    let interrupt = tokio::signal::ctrl_c();
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut terminate) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = interrupt => {}
                _ = terminate.recv() => {}
            }
            return;
        }
    }
    let _ = interrupt.await;
}

/// Opens the page in the user's browser; if that fails, the address is on the terminal.
fn open_browser(page: &str) {
    let opener = match std::env::consts::OS {
        "macos" => "open",
        "windows" => "explorer",
        _ => "xdg-open",
    };
    let quiet = std::process::Stdio::null;
    let _ = std::process::Command::new(opener)
        .arg(page)
        .stdin(quiet())
        .stdout(quiet())
        .stderr(quiet())
        .spawn();
}

/// Prints the description of the HTTP interface and the socket's messages.
pub fn describe() -> Result<()> {
    let mut out = std::io::stdout().lock();
    serde_json::to_writer_pretty(&mut out, &server::http::document())?;
    writeln!(out)?;
    Ok(())
}
