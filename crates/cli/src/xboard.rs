//! `husun xboard`: the engine for programs that speak the XBoard protocol.

use crate::uci::host;
use anyhow::Result;
use std::path::PathBuf;

/// Speaks XBoard on standard input and output until `quit`.
pub fn run(files: &[PathBuf]) -> Result<()> {
    let host = host(files)?;
    protocol::xboard::run(host, std::io::stdin(), std::io::stdout().lock())?;
    Ok(())
}
