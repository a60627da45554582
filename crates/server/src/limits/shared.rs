//! Limits that hold for all nodes together: what one has allowed is charged on the others as they hear of it. Where somebody
//! asks all of them in the same moment each may allow what it has left; while the bus is away each counts alone.

use super::{Guard, Network};
use crate::accounts::Attempts;
use crate::services::Services;
use bus::{Bus, Listener};
use bytes::Bytes;
use rand::RngExt;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::time::Duration;

/// Where it is told.
const TOLD: &str = "limits";
/// Pause after others could not be listened to.
const AGAIN: Duration = Duration::from_secs(1);

/// What was allowed to whom.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Spent {
    /// A game was made.
    Game(Network),
    /// A game was given to the engine for review.
    Review(Network),
    /// Something was reported.
    Report(Network),
    /// It was tried to open something.
    Attempt(Network),
    /// A password was tried for a name, which is told as a digest.
    Name(String),
    /// An account was made.
    Account(Network),
}

#[derive(Debug, Serialize, Deserialize)]
struct Told {
    /// Which process tells it: its own messages come back.
    from: u64,
    spent: Spent,
}

/// By which other nodes are told.
#[derive(Debug)]
pub(crate) struct Shared {
    from: u64,
    bus: Arc<dyn Bus>,
}

impl Shared {
    pub fn new(bus: Arc<dyn Bus>) -> Shared {
        Shared {
            from: rand::rng().random(),
            bus,
        }
    }

    /// Tells the others. Never waits.
    pub fn tell(&self, spent: Spent) {
        let told = Told {
            from: self.from,
            spent,
        };
        // Numbers and texts alone: there is nothing in it that JSON cannot say.
        let text = serde_json::to_vec(&told).unwrap_or_default();
        self.bus.publish(TOLD, text.into());
    }
}

/// Charges what others have allowed.
struct Others {
    own: u64,
    guard: Arc<Guard>,
    attempts: Arc<Attempts>,
}

impl Listener for Others {
    fn hear(&self, message: &Bytes) -> bool {
        let told = serde_json::from_slice::<Told>(message);
        if let Ok(told) = told
            && told.from != self.own
        {
            self.guard.charge(&told.spent);
            self.attempts.charge(&told.spent);
        }
        true
    }
}

/// Shares limits with other nodes, for as long as the server runs.
pub async fn follow(services: Arc<Services>, guard: Arc<Guard>, attempts: Arc<Attempts>) {
    if services.is_alone() {
        return;
    }
    let _hears = share(&services.bus, guard, attempts).await;
    std::future::pending().await
}

async fn share(
    bus: &Arc<dyn Bus>,
    guard: Arc<Guard>,
    attempts: Arc<Attempts>,
) -> bus::Subscription {
    let shared = Arc::new(Shared::new(bus.clone()));
    guard.share(shared.clone());
    attempts.share(shared.clone());
    let own = shared.from;
    let others: Arc<dyn Listener> = Arc::new(Others {
        own,
        guard,
        attempts,
    });
    loop {
        match bus.subscribe(TOLD, others.clone()).await {
            Ok(hears) => return hears,
            Err(error) => {
                tracing::warn!(%error, "what other nodes allow is not charged yet");
                tokio::time::sleep(AGAIN).await;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Limits;
    use bus::LocalBus;

    /// What one node allows.
    type Allows = (Arc<Guard>, Arc<Attempts>);

    /// Three nodes on one bus.
    async fn nodes() -> (Vec<Allows>, Vec<bus::Subscription>) {
        let bus: Arc<dyn Bus> = Arc::new(LocalBus::new());
        let limits = Limits {
            games_per_minute: 5,
            ..Limits::default()
        };
        let (mut nodes, mut hear) = (Vec::new(), Vec::new());
        for _ in 0..3 {
            let guard = Arc::new(Guard::new(limits));
            let attempts = Arc::new(Attempts::new(6, 3));
            hear.push(share(&bus, guard.clone(), attempts.clone()).await);
            nodes.push((guard, attempts));
        }
        (nodes, hear)
    }

    #[tokio::test]
    async fn what_one_node_allows_the_others_charge() -> Result<(), std::net::AddrParseError> {
        let (nodes, _hear) = nodes().await;
        let (ann, bob) = ("192.0.2.1".parse()?, "192.0.2.2".parse()?);
        // One after another, whichever node is asked.
        let allowed =
            |allow: &dyn Fn(&Allows) -> bool| (0..30).filter(|n| allow(&nodes[n % 3])).count();
        assert_eq!(allowed(&|(guard, _)| guard.game(ann)), 5);
        assert_eq!(allowed(&|(guard, _)| guard.game(bob)), 5);
        assert_eq!(allowed(&|(_, attempts)| attempts.account(ann)), 3);
        assert_eq!(allowed(&|(_, attempts)| attempts.by_address(ann)), 6);
        // By a name from many addresses.
        let mut from = 0_u32;
        let mut tried = 0;
        for n in 0..30 {
            from += 1;
            let address = std::net::Ipv4Addr::from_bits(0x0a00_0000 + from).into();
            tried += usize::from(nodes[n % 3].1.by_name(address, "Ann"));
        }
        assert_eq!(tried, 6);
        // What each node has to bear by itself is not shared.
        assert_eq!(allowed(&|(guard, _)| guard.positions(ann, 20_000)), 3);
        Ok(())
    }
}

#[cfg(test)]
#[test]
fn messages_are_understood_as_they_were_ever_sent() {
    use crate::forms::keep;
    keep::<Told>(
        include_str!("../../tests/data/messages/limits-told.jsonl"),
        None,
    );
}
