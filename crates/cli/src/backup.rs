//! `husun backup` and `husun restore`: copy a server's games and keys to a safe place and back.

use anyhow::{Context, Result};
use clap::Args;
use std::io::Write;
use std::path::PathBuf;

/// Copy a server's games and keys to a folder, while it runs
#[derive(Args)]
pub struct BackupOptions {
    /// The server's data folder
    #[arg(long, value_name = "DIR", default_value = "husun-data")]
    data: PathBuf,
    /// Folder to write to, which must not contain a backup yet
    #[arg(value_name = "TO")]
    to: PathBuf,
}

/// Make a server's data folder from a backup
#[derive(Args)]
pub struct RestoreOptions {
    /// The data folder to make, which must not contain games yet
    #[arg(long, value_name = "DIR", default_value = "husun-data")]
    data: PathBuf,
    /// Folder of the backup
    #[arg(value_name = "FROM")]
    from: PathBuf,
}

fn wait<T>(work: impl Future<Output = Result<T, store::backup::BackupError>>) -> Result<T> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    Ok(runtime.context("no thread for the work")?.block_on(work)?)
}

pub fn backup(options: &BackupOptions) -> Result<()> {
    let games = wait(store::backup::backup(&options.data, &options.to))?;
    writeln!(
        std::io::stdout(),
        "{games} games are kept in {}",
        options.to.display()
    )?;
    Ok(())
}

pub fn restore(options: &RestoreOptions) -> Result<()> {
    let games = wait(store::backup::restore(&options.from, &options.data))?;
    writeln!(
        std::io::stdout(),
        "{games} games are restored to {}",
        options.data.display()
    )?;
    Ok(())
}
