//! `husun xboard`: the engine for programs that speak the XBoard protocol.

use anyhow::Result;
use games::Catalogue;
use protocol::StandardHost;

/// Speaks XBoard on standard input and output until `quit`.
pub fn run(games: Catalogue) -> Result<()> {
    let host = StandardHost::new(games).remarking(crate::catalogue::missing_pictures);
    protocol::xboard::run(host, std::io::stdin(), std::io::stdout().lock())?;
    Ok(())
}
