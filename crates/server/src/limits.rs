//! How much one guest or one address may ask: rates and numbers. Refused is what goes beyond, nothing is cut.

use governor::clock::DefaultClock;
use governor::state::{InMemoryState, NotKeyed, keyed::DefaultKeyedStateStore};
use governor::{Quota, RateLimiter};
use metrics::counter;
use std::collections::HashMap;
use std::net::IpAddr;
use std::num::NonZeroU32;
use std::sync::{Arc, Mutex, PoisonError};

/// What is allowed. A value of 0 lifts a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// Requests a second and address, with bursts of ten times that.
    pub requests_per_second: u32,
    /// Games made a minute and address.
    pub games_per_minute: u32,
    /// Messages a second and socket, with bursts of four times that.
    pub messages_per_second: u32,
    /// Sockets an address.
    pub sockets_per_address: u32,
    /// Sockets a guest.
    pub sockets_per_guest: u32,
    /// Live games of the server.
    pub live_games: u32,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            requests_per_second: 50,
            games_per_minute: 60,
            messages_per_second: 10,
            sockets_per_address: 200,
            sockets_per_guest: 30,
            live_games: 20_000,
        }
    }
}

type Keyed = RateLimiter<IpAddr, DefaultKeyedStateStore<IpAddr>, DefaultClock>;

/// One socket's rate.
pub type Rate = RateLimiter<NotKeyed, InMemoryState, DefaultClock>;

/// The limits at work.
#[derive(Debug)]
pub struct Guard {
    limits: Limits,
    requests: Option<Keyed>,
    games: Option<Keyed>,
    sockets: Mutex<Counts>,
}

#[derive(Debug, Default)]
struct Counts {
    addresses: HashMap<IpAddr, u32>,
    guests: HashMap<String, u32>,
}

/// A socket that is counted for as long as this lives.
#[derive(Debug)]
pub struct Ticket {
    guard: Arc<Guard>,
    address: IpAddr,
    guest: String,
}

fn keyed(quota: Option<Quota>) -> Option<Keyed> {
    quota.map(RateLimiter::keyed)
}

fn burst(n: u32, times: u32) -> Option<NonZeroU32> {
    NonZeroU32::new(n.saturating_mul(times))
}

impl Guard {
    /// Watches over limits.
    pub fn new(limits: Limits) -> Guard {
        let requests = NonZeroU32::new(limits.requests_per_second)
            .zip(burst(limits.requests_per_second, 10))
            .map(|(rate, burst)| Quota::per_second(rate).allow_burst(burst));
        let games = NonZeroU32::new(limits.games_per_minute).map(Quota::per_minute);
        Guard {
            limits,
            requests: keyed(requests),
            games: keyed(games),
            sockets: Mutex::default(),
        }
    }

    /// Whether an address may ask.
    pub fn request(&self, address: IpAddr) -> bool {
        allow(
            "requests",
            self.requests
                .as_ref()
                .is_none_or(|r| r.check_key(&address).is_ok()),
        )
    }

    /// Whether an address may make a game.
    pub fn game(&self, address: IpAddr) -> bool {
        allow(
            "games",
            self.games
                .as_ref()
                .is_none_or(|r| r.check_key(&address).is_ok()),
        )
    }

    /// The rate of a new socket's messages.
    pub fn messages(&self) -> Option<Rate> {
        let rate = NonZeroU32::new(self.limits.messages_per_second)?;
        let burst = burst(self.limits.messages_per_second, 4)?;
        Some(RateLimiter::direct(
            Quota::per_second(rate).allow_burst(burst),
        ))
    }

    /// Counts a socket, unless there are too many.
    pub fn socket(self: &Arc<Self>, address: IpAddr, guest: &str) -> Option<Ticket> {
        let mut counts = self.sockets.lock().unwrap_or_else(PoisonError::into_inner);
        let within = |count: Option<&u32>, limit: u32| {
            limit == 0 || count.copied().unwrap_or_default() < limit
        };
        let fits = within(
            counts.addresses.get(&address),
            self.limits.sockets_per_address,
        ) && within(counts.guests.get(guest), self.limits.sockets_per_guest);
        if !allow("sockets", fits) {
            return None;
        }
        *counts.addresses.entry(address).or_default() += 1;
        *counts.guests.entry(guest.into()).or_default() += 1;
        Some(Ticket {
            guard: self.clone(),
            address,
            guest: guest.into(),
        })
    }

    /// Forgets addresses that have been quiet.
    pub fn tidy(&self) {
        for limiter in [&self.requests, &self.games].into_iter().flatten() {
            limiter.retain_recent();
        }
    }
}

fn allow(what: &'static str, fits: bool) -> bool {
    if !fits {
        counter!("husun_limited_total", "what" => what).increment(1);
    }
    fits
}

impl Drop for Ticket {
    fn drop(&mut self) {
        let mut counts = self
            .guard
            .sockets
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let counts = &mut *counts;
        less(&mut counts.addresses, &self.address);
        less(&mut counts.guests, &self.guest);
    }
}

fn less<K: std::hash::Hash + Eq>(counts: &mut HashMap<K, u32>, key: &K) {
    if let Some(count) = counts.get_mut(key) {
        *count = count.saturating_sub(1);
        if *count == 0 {
            counts.remove(key);
        }
    }
}
