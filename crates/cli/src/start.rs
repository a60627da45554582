//! Options for the position to begin with, shared by several subcommands.

use anyhow::{Context, Result, anyhow};
use clap::Args;
use husun::{Position, Variant};
use std::sync::Arc;

/// The position to begin with.
#[derive(Args, Clone, Debug, Default)]
pub struct Start {
    /// Begin with this position text instead of the set-up
    #[arg(long, value_name = "FEN", conflicts_with = "setup")]
    pub fen: Option<String>,
    /// Begin with a named set-up; `husun games` lists them
    #[arg(long, value_name = "NAME")]
    pub setup: Option<String>,
}

impl Start {
    /// The position chosen.
    pub fn position(&self, variant: &Arc<Variant>) -> Result<Position> {
        if let Some(fen) = &self.fen {
            return variant
                .position(fen)
                .with_context(|| format!("--fen: no position of {}", variant.id()));
        }
        let name = self.setup.as_deref().unwrap_or("standard");
        variant.start_of(name).ok_or_else(|| {
            let names: Vec<&str> = variant.setups().iter().map(|s| s.name.as_str()).collect();
            anyhow!(
                "--setup: {} has no set-up `{name}`: expected one of {}",
                variant.id(),
                names.join(", ")
            )
        })
    }
}
