//! What the engine plays the game of a file by, values and network, as it goes from a server to a worker: in parts, since a
//! network is longer than one message may be.

use super::messages::{self, Ask, MOST_OF_A_NETWORK, PART, Reply, TuningPart};
use base64::prelude::{BASE64_STANDARD, Engine};
use bus::{Bus, BusError};
use play::Tuning;
use std::time::Duration;

/// A part of it, from a byte of the network on.
pub(super) fn part(tuning: &Tuning, from: usize) -> TuningPart {
    let network = tuning.network.as_deref();
    let rest = network.and_then(|bytes| bytes.get(from..));
    let rest = rest.unwrap_or_default();
    TuningPart {
        values: tuning.values.clone().filter(|_| from == 0),
        length: network.map(<[u8]>::len),
        network: BASE64_STANDARD.encode(&rest[..rest.len().min(PART)]),
    }
}

/// Fetches it from a server; nothing if that has nothing, or does not tell it.
pub(in crate::engines) async fn fetch(
    bus: &dyn Bus,
    node: &str,
    name: &str,
    patience: Duration,
) -> Result<Option<Tuning>, BusError> {
    let subject = messages::asked(node);
    let (mut tuning, mut network) = (Tuning::default(), Vec::new());
    loop {
        let ask = Ask::Tuning {
            name: name.into(),
            from: network.len(),
        };
        let asked = bus.request(&subject, messages::write(&ask), patience);
        let Some(Reply::Tuning(Some(part))) = messages::read(&asked.await?) else {
            return Ok(None);
        };
        tuning.values = tuning.values.or(part.values);
        let Some(length) = part.length else {
            return Ok(Some(tuning));
        };
        let Ok(bytes) = BASE64_STANDARD.decode(part.network) else {
            return Ok(None);
        };
        // It ends, whatever is said.
        if length > MOST_OF_A_NETWORK || bytes.is_empty() && network.len() < length {
            return Ok(None);
        }
        network.extend(bytes);
        if network.len() >= length {
            tuning.network = Some(network);
            return Ok(Some(tuning));
        }
    }
}
