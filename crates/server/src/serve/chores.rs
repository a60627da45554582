//! What a server does beside serving, for as long as it runs: notes the time, watches the storage, forgets what is over.

use crate::accounts::{Accounts, Attempts};
use crate::clock::{BEAT, Halt, ServerClock, TimeNote};
use crate::directory::Directory;
use crate::leading;
use crate::limits::Guard;
use crate::notices::Notices;
use crate::reviews::Reviews;
use crate::services::Services;
use metrics_exporter_prometheus::PrometheusHandle;
use std::sync::Arc;
use std::time::Duration;
use store::{Health, SqlStore, Store, millis};

/// How often quiet addresses are forgotten.
const SWEEP: Duration = Duration::from_secs(60);
/// How often it is looked for reviews whose time is over.
const FORGET: Duration = Duration::from_secs(3600);
/// How often the storage is asked whether it is there.
const PING: Duration = Duration::from_secs(2);

/// Notes the server's time in the data folder, on a thread of its own: a disk that fails keeps nobody else waiting.
/// Ends when `server` is gone.
pub(super) fn beat(
    mut note: TimeNote,
    run: i64,
    clock: ServerClock,
    server: std::sync::mpsc::Receiver<()>,
) {
    use std::sync::mpsc::RecvTimeoutError::Timeout;
    let mut ill = false;
    while server.recv_timeout(BEAT) == Err(Timeout) {
        match note.note(run, millis(clock.now())) {
            Ok(()) => ill = false,
            Err(error) if !ill => {
                ill = true;
                tracing::error!(%error, "the server's time cannot be noted");
            }
            Err(_) => {}
        }
    }
}

/// Stops the clocks while nothing can be stored.
pub(super) async fn follow_health(services: Arc<Services>) {
    let mut health = services.writer.health();
    loop {
        let well = matches!(&*health.borrow_and_update(), Health::Well);
        match well {
            true => services.clock.resume(&Halt::Storage),
            false => services.clock.halt(Halt::Storage),
        }
        if health.changed().await.is_err() {
            return;
        }
    }
}

/// Notices when the storage is gone though nobody stores anything.
pub(super) async fn watch_storage(store: SqlStore) {
    let mut told = String::new();
    loop {
        tokio::time::sleep(PING).await;
        let text = match store.ping().await {
            Ok(()) => String::new(),
            Err(error) => error.to_string(),
        };
        if text != told {
            match text.is_empty() {
                true => tracing::info!("the storage answers again"),
                false => tracing::error!(error = %text, "the storage does not answer"),
            }
            told = text;
        }
    }
}

/// Forgets reviews and sessions whose time is over, and browsers that are told nothing any more, where this node leads.
pub(super) async fn forget(
    directory: Directory,
    reviews: Reviews,
    accounts: Accounts,
    notices: Notices,
) {
    let services = directory.services().clone();
    let every_hour = || async {
        let mut hours = tokio::time::interval(FORGET);
        loop {
            hours.tick().await;
            reviews.forget().await;
            accounts.forget_sessions().await;
            if let Err(error) = notices.store().forget_pushes().await {
                tracing::warn!(%error, "browsers whose sessions have ended are not forgotten");
            }
            if !directory.services().is_alone() {
                // A node that has begun with one may have gone in the midst of it.
                directory.forget_deleted(&accounts);
            }
        }
    };
    leading::while_leading(services, every_hour).await;
}

/// Forgets quiet addresses.
pub(super) async fn sweep(guard: Arc<Guard>, attempts: Arc<Attempts>, metrics: PrometheusHandle) {
    let mut sweeps = tokio::time::interval(SWEEP);
    loop {
        sweeps.tick().await;
        guard.tidy();
        attempts.tidy();
        metrics.run_upkeep();
    }
}
