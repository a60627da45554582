//! What nodes must have in common to play games together, and a bus on which those that speak otherwise are not heard: while
//! a new version takes the place of the one before, nodes of both are there.

use bus::{Answer, Bus, Listener, Requests, Subscription};
use bytes::Bytes;
use std::sync::Arc;
use std::time::Duration;

/// What this program's nodes say to each other and store of games. It is raised with a message, or an event of a game, that
/// the version before would not understand; fields that it does not know it ignores. Nodes of different numbers do not hear
/// each other, and a game that one of a higher number has owned is never given to one of a lower (`store::nodes`).
pub const PROTOCOL: i64 = 1;

/// The bus as a node has it that speaks this.
pub fn speaking(protocol: i64, bus: Arc<dyn Bus>) -> Arc<dyn Bus> {
    match protocol {
        1 => bus,
        // The first number has the names of those who knew no number.
        higher => Arc::new(Speaks {
            bus,
            prefix: format!("v{higher}."),
        }),
    }
}

/// Part of a bus: the subjects that begin with a prefix.
#[derive(Debug)]
struct Speaks {
    bus: Arc<dyn Bus>,
    prefix: String,
}

impl Speaks {
    fn name(&self, subject: &str) -> String {
        format!("{}{subject}", self.prefix)
    }
}

impl Bus for Speaks {
    fn publish(&self, subject: &str, message: Bytes) {
        self.bus.publish(&self.name(subject), message);
    }

    fn subscribe<'a>(
        &'a self,
        subject: &'a str,
        listener: Arc<dyn Listener>,
    ) -> Answer<'a, Subscription> {
        let name = self.name(subject);
        Box::pin(async move { self.bus.subscribe(&name, listener).await })
    }

    fn request<'a>(
        &'a self,
        subject: &'a str,
        message: Bytes,
        patience: Duration,
    ) -> Answer<'a, Bytes> {
        let name = self.name(subject);
        Box::pin(async move { self.bus.request(&name, message, patience).await })
    }

    fn serve<'a>(&'a self, subject: &'a str, waiting: usize) -> Answer<'a, Requests> {
        let name = self.name(subject);
        Box::pin(async move { self.bus.serve(&name, waiting).await })
    }
}
