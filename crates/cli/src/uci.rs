//! `husun uci`: the engine for programs that speak UCI.

use anyhow::Result;
use protocol::Home;
use std::path::PathBuf;

/// The built-in games and those of the given files.
pub fn home(files: &[PathBuf]) -> Result<Home> {
    let mut home = Home::default();
    for file in files {
        home.load_file(file)?;
    }
    Ok(home)
}

/// Speaks UCI on standard input and output until `quit`.
pub fn run(files: &[PathBuf]) -> Result<()> {
    let home = home(files)?;
    protocol::uci::run(home, std::io::stdin(), std::io::stdout().lock())?;
    Ok(())
}
