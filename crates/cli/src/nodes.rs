//! `husun nodes`: who owns how many games, as one of the nodes on this machine tells it.

use crate::admin::ask::Way;
use anyhow::{Result, bail};
use clap::Args;
use server::Config;
use server::wire::{NodeState, NodesNow};
use std::io::Write;
use std::path::PathBuf;

/// Show the nodes of a server: who owns how many games, loads, leases, versions
///
/// Asks the node that uses the data folder.
#[derive(Args)]
pub struct Options {
    /// The data folder of a node on this machine
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// The node's settings; options on the command line take precedence
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub fn run(options: &Options) -> Result<()> {
    let mut config = match &options.config {
        Some(path) => Config::read(path)?,
        None => Config::default(),
    };
    if let Some(data) = &options.data {
        config.data.clone_from(data);
    }
    let now = Way::running(&config)?.nodes()?;
    let mut out = std::io::stdout().lock();
    if options.json {
        serde_json::to_writer_pretty(&mut out, &now)?;
        writeln!(out)?;
        return Ok(());
    }
    if now.asked.is_none() && now.workers.is_empty() {
        bail!("this server runs alone: it owns all games");
    }
    write!(out, "{}", table(&now))?;
    Ok(())
}

/// The nodes as lines.
fn table(now: &NodesNow) -> String {
    let head = [
        "node", "state", "lease", "owned", "live", "version", "speaks", "address",
    ]
    .map(String::from);
    let mut rows = vec![head];
    for node in &now.nodes {
        let state = match (node.state, node.leads) {
            (NodeState::Alive, true) => "leads",
            (NodeState::Alive, false) => "alive",
            (NodeState::Leaving, _) => "leaving",
            (NodeState::Gone, _) => "gone",
        };
        rows.push([
            node.name.clone(),
            state.into(),
            format!("{:.1} s", node.lease_ms as f64 / 1000.0),
            node.owned.to_string(),
            node.live.to_string(),
            node.version.clone(),
            node.protocol.to_string(),
            node.address.clone(),
        ]);
    }
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max();
    let widths: Vec<usize> = (0..rows[0].len()).map(|c| width(c).unwrap_or(0)).collect();
    let mut text = String::new();
    // A server that runs alone may have workers.
    let rows = if now.asked.is_some() { &rows[..] } else { &[] };
    for row in rows {
        let cells = row.iter().zip(&widths);
        let line: Vec<String> = cells
            .map(|(cell, width)| format!("{cell:width$}"))
            .collect();
        text.push_str(line.join("  ").trim_end());
        text.push('\n');
    }
    if now.unowned > 0 {
        text.push_str(&format!("{} games wait for an owner\n", now.unowned));
    }
    for worker in &now.workers {
        text.push_str(&format!(
            "worker {}: {} of {} threads at work\n",
            worker.name, worker.busy, worker.threads
        ));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use server::wire::{NodeNow, WorkerNow};

    #[test]
    fn nodes_stand_in_columns() {
        let node = |name: &str, state, leads| NodeNow {
            name: name.into(),
            boot: 1,
            address: "10.0.0.5:8000".into(),
            version: "1.2.3".into(),
            protocol: 1,
            state,
            leads,
            lease_ms: 2500,
            live: 7,
            owned: 12,
        };
        let now = NodesNow {
            asked: Some("a".into()),
            nodes: vec![
                node("a", NodeState::Alive, true),
                node("longer", NodeState::Gone, false),
            ],
            unowned: 3,
            workers: vec![WorkerNow {
                name: "attic".into(),
                threads: 8,
                busy: 5,
            }],
        };
        let expected = "node    state  lease  owned  live  version  speaks  address\n\
                        a       leads  2.5 s  12     7     1.2.3    1       10.0.0.5:8000\n\
                        longer  gone   2.5 s  12     7     1.2.3    1       10.0.0.5:8000\n\
                        3 games wait for an owner\n\
                        worker attic: 5 of 8 threads at work\n";
        assert_eq!(table(&now), expected);
    }
}
