//! `husun serve`: the play server, from its options to its end.

use anyhow::{Context, Result, bail};
use clap::Args;
use server::Config;
use std::io::Write;
use std::net::SocketAddr;
use std::path::PathBuf;

/// Play in the browser: serve games to people and the engine
#[derive(Args)]
pub struct Options {
    /// Address to listen at
    #[arg(long, value_name = "ADDRESS:PORT")]
    listen: Option<SocketAddr>,
    /// Folder for games and keys, made if it is missing
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// Database instead of a file in the data folder: sqlite://FILE or postgres://...
    #[arg(long, value_name = "URL")]
    database: Option<String>,
    /// Settings; what is said here on the command line comes first
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Serve the browser client's files from a folder instead of the program's own
    #[arg(long, value_name = "DIR")]
    client: Option<PathBuf>,
    /// Open the browser
    #[arg(long)]
    open: bool,
    /// Write log lines as JSON
    #[arg(long)]
    log_json: bool,
}

pub fn run(options: &Options, game_files: &[PathBuf]) -> Result<()> {
    if !game_files.is_empty() {
        // Games under way must be readable at every start, whatever files are there then.
        bail!(
            "the server plays the built-in games alone; try a game of your own with `husun play`"
        );
    }
    let config = settings(options)?;
    log_to_stderr(options.log_json);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .context("the server's threads cannot be started")?;
    runtime.block_on(serve(&config, options.open))
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
    if let Some(client) = &options.client {
        config.client = Some(client.clone());
    }
    Ok(config)
}

/// The log: what `HUSUN_LOG` names, as `debug` or `server=debug`, else what an operator should know.
fn log_to_stderr(json: bool) {
    use tracing_subscriber::EnvFilter;
    let filter = EnvFilter::try_from_env("HUSUN_LOG").unwrap_or_else(|_| EnvFilter::new("info"));
    let log = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr);
    // A second start within one process keeps the first log.
    let _ = match json {
        true => log.json().try_init(),
        false => log.with_target(false).try_init(),
    };
}

async fn serve(config: &Config, open: bool) -> Result<()> {
    let running = server::bind(config).await?;
    let address = running.address().context("the address is not known")?;
    let page = format!("http://{}/", reachable(address));
    let data = config.data.display().to_string();
    // Told when the storage is open: until then every answer is that the server starts.
    let ready = move || {
        let mut out = std::io::stdout();
        let told = writeln!(
            out,
            "Husun serves at {page}  (Ctrl+C ends it; games are kept in {data})"
        );
        // Nobody reads it: the server serves all the same.
        let _ = told.and_then(|()| out.flush());
        if open {
            open_browser(&page);
        }
    };
    running.serve(ready, ended()).await?;
    Ok(())
}

/// An address that a browser on this machine can open.
fn reachable(address: SocketAddr) -> SocketAddr {
    match address.ip().is_unspecified() {
        true => SocketAddr::from(([127, 0, 0, 1], address.port())),
        false => address,
    }
}

/// Waits for Ctrl+C, or for the system's request to end.
async fn ended() {
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

/// Opens the page where people have a browser; if that fails the address stands on the terminal.
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
