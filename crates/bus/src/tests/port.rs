//! Ports for servers that are killed and started again.

use std::io::{Error, ErrorKind};
use std::net::TcpListener;
use std::sync::atomic::{AtomicU16, Ordering};

/// A port of the loopback interface on which nobody listens. The system gives none of these to a connection, which could
/// take it before the server listens or while it is down: a client that tries again may even be connected to itself then.
pub fn free_port() -> Result<u16, Error> {
    const FIRST: u16 = 10_000;
    const MANY: u16 = 10_000;
    static NEXT: AtomicU16 = AtomicU16::new(0);
    // Programs of tests that run beside each other begin at different ones.
    let start = std::process::id().wrapping_mul(97) % u32::from(MANY);
    for _ in 0..MANY {
        let next = u32::from(NEXT.fetch_add(1, Ordering::Relaxed));
        let port = FIRST + ((start + next) % u32::from(MANY)) as u16;
        if TcpListener::bind(("127.0.0.1", port)).is_ok() {
            return Ok(port);
        }
    }
    Err(Error::new(ErrorKind::AddrInUse, "no port is free"))
}
