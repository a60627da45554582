//! `husun uci`: the engine for programs that speak UCI.

use anyhow::Result;
use games::Catalogue;
use protocol::StandardHost;

/// Speaks UCI on standard input and output until `quit`.
pub fn run(games: Catalogue) -> Result<()> {
    let host = StandardHost::new(games).remarking(crate::catalogue::missing_pictures);
    protocol::uci::run(host, std::io::stdin(), std::io::stdout().lock())?;
    Ok(())
}
