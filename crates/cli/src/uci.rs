//! `husun uci`: the engine for programs that speak UCI.

use crate::tables::TableOptions;
use anyhow::Result;
use clap::Args;
use games::Catalogue;
use protocol::StandardHost;

/// Run as an engine for programs that speak UCI
#[derive(Args)]
pub struct Options {
    #[command(flatten)]
    tables: TableOptions,
}

/// Speaks UCI on standard input and output until `quit`.
pub fn run(games: Catalogue, options: &Options) -> Result<()> {
    let host = StandardHost::new(games)
        .remarking(crate::catalogue::missing_pictures)
        .with_tables(options.tables.open()?);
    protocol::uci::run(host, std::io::stdin(), std::io::stdout().lock())?;
    Ok(())
}
