//! `husun xboard`: the engine for programs that speak the XBoard protocol.

use crate::tables::TableOptions;
use anyhow::Result;
use clap::Args;
use games::Catalogue;
use protocol::StandardHost;

/// Run as an engine for programs that speak XBoard
#[derive(Args)]
pub struct Options {
    #[command(flatten)]
    tables: TableOptions,
}

/// Speaks XBoard on standard input and output until `quit`.
pub fn run(games: Catalogue, options: &Options) -> Result<()> {
    let host = StandardHost::new(games)
        .remarking(crate::catalogue::missing_pictures)
        .with_tables(options.tables.open()?);
    protocol::xboard::run(host, std::io::stdin(), std::io::stdout().lock())?;
    Ok(())
}
