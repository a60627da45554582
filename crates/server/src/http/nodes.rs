//! The nodes of the server, for those who moderate and for who runs it.

use super::Failure;
use super::moderate::Moderates;
use crate::refusal::Refused;
use crate::state::App;
use crate::wire::{NodeNow, NodeState, NodesNow, Refusal, WorkerNow};
use axum::extract::State;
use store::nodes::NodeRow;

/// The nodes that share the database, with their loads, leases and versions, and the workers.
#[utoipa::path(get, path = "/api/moderate/nodes", responses((status = 200, body = NodesNow), (status = 403, body = Refusal),
        (status = 404, body = Refusal), (status = 503, body = Refusal)))]
pub async fn nodes(State(app): State<App>, _: Moderates) -> Result<axum::Json<NodesNow>, Failure> {
    let services = app.directory.services();
    let node = &services.node;
    let of = |n: i64| u64::try_from(n).unwrap_or_default();
    let workers = services.engines.workers().into_iter();
    let workers = workers.map(|worker| WorkerNow {
        name: worker.name,
        threads: worker.threads as u64,
        busy: worker.busy as u64,
    });
    let workers = workers.collect();
    let Some(leases) = node.leases() else {
        return Ok(axum::Json(NodesNow {
            asked: None,
            nodes: Vec::new(),
            unowned: 0,
            workers,
        }));
    };
    let shares = leases.owned().await.map_err(Refused::from)?;
    let leads = |row: &NodeRow| row.left_ms > 0 && !row.leaving;
    let rows = shares.nodes.iter().map(|(row, _)| row);
    let leader = rows.filter(|row| leads(row)).map(|row| row.boot).min();
    let nodes = shares.nodes.iter().map(|(row, owned)| NodeNow {
        name: row.id.clone(),
        boot: of(row.boot),
        address: row.address.clone(),
        version: row.version.clone(),
        protocol: of(row.protocol),
        state: match (row.left_ms > 0, row.leaving) {
            (false, _) => NodeState::Gone,
            (true, true) => NodeState::Leaving,
            (true, false) => NodeState::Alive,
        },
        leads: leader == Some(row.boot),
        lease_ms: of(row.left_ms),
        live: of(row.load),
        owned: of(*owned),
    });
    Ok(axum::Json(NodesNow {
        asked: Some(node.name().into()),
        nodes: nodes.collect(),
        unowned: of(shares.nobody),
        workers,
    }))
}
