//! `husun uci`: the engine for programs that speak UCI.

use anyhow::Result;
use protocol::StandardHost;
use std::path::PathBuf;

/// The built-in games and those of the given files.
pub fn host(files: &[PathBuf]) -> Result<StandardHost> {
    let mut host = StandardHost::default();
    for file in files {
        host.load_file(file)?;
    }
    Ok(host)
}

/// Speaks UCI on standard input and output until `quit`.
pub fn run(files: &[PathBuf]) -> Result<()> {
    let host = host(files)?;
    protocol::uci::run(host, std::io::stdin(), std::io::stdout().lock())?;
    Ok(())
}
