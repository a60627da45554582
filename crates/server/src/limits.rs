//! How much one guest or one address may ask: rates and numbers. Refused is what goes beyond, nothing is cut.

pub mod places;
pub mod shared;
#[cfg(test)]
mod tests;

use governor::clock::DefaultClock;
use governor::state::{InMemoryState, NotKeyed, keyed::DefaultKeyedStateStore};
use governor::{Quota, RateLimiter};
use metrics::counter;
use shared::{Shared, Spent};
use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::num::NonZeroU32;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

/// What is allowed. A value of 0 lifts a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// Requests a second and address, with bursts of ten times that.
    pub requests_per_second: u32,
    /// Games made a minute and address.
    pub games_per_minute: u32,
    /// Attempts to sign in a minute, for an address and for a name, as many at once.
    pub sign_ins_per_minute: u32,
    /// Accounts made an hour and address, as many at once.
    pub accounts_per_hour: u32,
    /// Games given to the engine to be looked back at, an hour and address, as many at once.
    pub reviews_per_hour: u32,
    /// Reports made a day and address, as many at once.
    pub reports_per_day: u32,
    /// Positions computed a second and address, with bursts of ten times that: texts are charged by their moves,
    /// pictures and lines of moves by what they cost.
    pub positions_per_second: u32,
    /// Connections in all, sockets among them.
    pub connections: u32,
    /// Connections of an address; not counted behind a proxy.
    pub connections_per_address: u32,
    /// Messages a second and socket, with bursts of four times that.
    pub messages_per_second: u32,
    /// Sockets an address.
    pub sockets_per_address: u32,
    /// Sockets a guest.
    pub sockets_per_guest: u32,
    /// Live games of the server.
    pub live_games: u32,
    /// Tournaments of the server that are not over.
    pub tournaments: u32,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            requests_per_second: 50,
            games_per_minute: 60,
            sign_ins_per_minute: 10,
            accounts_per_hour: 10,
            reviews_per_hour: 60,
            reports_per_day: 30,
            positions_per_second: 2000,
            connections: 10_000,
            connections_per_address: 256,
            messages_per_second: 10,
            sockets_per_address: 200,
            sockets_per_guest: 30,
            live_games: 20_000,
            tournaments: 500,
        }
    }
}

impl Limits {
    /// Each with its key in the settings.
    pub fn named(&self) -> [(&'static str, u32); 14] {
        [
            ("requests_per_second", self.requests_per_second),
            ("games_per_minute", self.games_per_minute),
            ("sign_ins_per_minute", self.sign_ins_per_minute),
            ("accounts_per_hour", self.accounts_per_hour),
            ("reviews_per_hour", self.reviews_per_hour),
            ("reports_per_day", self.reports_per_day),
            ("positions_per_second", self.positions_per_second),
            ("connections", self.connections),
            ("connections_per_address", self.connections_per_address),
            ("messages_per_second", self.messages_per_second),
            ("sockets_per_address", self.sockets_per_address),
            ("sockets_per_guest", self.sockets_per_guest),
            ("live_games", self.live_games),
            ("tournaments", self.tournaments),
        ]
    }
}

/// Who is limited: an IPv4 address, or the /64 network of an IPv6 address, since one customer has at least that.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub struct Network(IpAddr);

impl Network {
    /// The network that an address is counted in. An IPv4 address written as IPv6 is the same one.
    pub fn of(address: IpAddr) -> Network {
        Network(match address.to_canonical() {
            IpAddr::V6(address) => {
                let prefix = address.to_bits() & (u128::MAX << 64);
                IpAddr::V6(Ipv6Addr::from_bits(prefix))
            }
            address => address,
        })
    }
}

/// Games taken from storage a second and address, and at most at once.
const WAKES: (u32, u32) = (5, 300);
/// Signs of life asked for, by requests of other kinds.
const HEALTH: u32 = 10;

pub(crate) type Keyed = RateLimiter<Network, DefaultKeyedStateStore<Network>, DefaultClock>;

/// One socket's rate.
pub type Rate = RateLimiter<NotKeyed, InMemoryState, DefaultClock>;

/// The limits at work.
#[derive(Debug)]
pub struct Guard {
    limits: Limits,
    requests: Option<Keyed>,
    games: Option<Keyed>,
    reviews: Option<Keyed>,
    reports: Option<Keyed>,
    positions: Option<Keyed>,
    health: Option<Keyed>,
    wakes: Option<Keyed>,
    sockets: Mutex<Counts>,
    /// By which other nodes hear what is charged to an address.
    shared: OnceLock<Arc<Shared>>,
}

#[derive(Debug, Default)]
struct Counts {
    addresses: HashMap<Network, u32>,
    guests: HashMap<String, u32>,
}

/// A socket that is counted for as long as this lives.
#[derive(Debug)]
pub struct Ticket {
    guard: Arc<Guard>,
    network: Network,
    guest: String,
}

/// So many a second with bursts of `times` that; none if there is no limit.
fn per_second(rate: u32, times: u32) -> Option<Quota> {
    let burst = NonZeroU32::new(rate.saturating_mul(times))?;
    Some(Quota::per_second(NonZeroU32::new(rate)?).allow_burst(burst))
}

/// So many a day, as many at once.
pub(crate) fn per_day(most: NonZeroU32) -> Quota {
    const DAY: Duration = Duration::from_secs(24 * 3600);
    // A day has more nanoseconds than there are numbers for `most`: no period is zero.
    Quota::with_period(DAY / most.get())
        .map_or(Quota::per_hour(most), |quota| quota.allow_burst(most))
}

fn keyed(quota: Option<Quota>) -> Option<Keyed> {
    quota.map(RateLimiter::keyed)
}

impl Guard {
    /// Watches over limits.
    pub fn new(limits: Limits) -> Guard {
        let rate = limits.requests_per_second;
        let wakes = NonZeroU32::new(WAKES.0).zip(NonZeroU32::new(WAKES.1));
        Guard {
            limits,
            requests: keyed(per_second(rate, 10)),
            health: keyed(per_second(rate.saturating_mul(HEALTH), 10)),
            games: keyed(NonZeroU32::new(limits.games_per_minute).map(Quota::per_minute)),
            reviews: keyed(NonZeroU32::new(limits.reviews_per_hour).map(Quota::per_hour)),
            reports: keyed(NonZeroU32::new(limits.reports_per_day).map(per_day)),
            positions: keyed(per_second(limits.positions_per_second, 10)),
            // Lifted together with the limit that it stands beside.
            wakes: keyed(
                wakes
                    .filter(|_| rate > 0)
                    .map(|(rate, burst)| Quota::per_second(rate).allow_burst(burst)),
            ),
            sockets: Mutex::default(),
            shared: OnceLock::new(),
        }
    }

    /// Tells other nodes from now on what is charged here that is limited for all of them together.
    pub(crate) fn share(&self, shared: Arc<Shared>) {
        let _ = self.shared.set(shared);
    }

    /// Charges what another node has allowed.
    pub(crate) fn charge(&self, spent: &Spent) {
        let (limiter, network) = match spent {
            Spent::Game(network) => (&self.games, network),
            Spent::Review(network) => (&self.reviews, network),
            Spent::Report(network) => (&self.reports, network),
            _ => return,
        };
        if let Some(limiter) = limiter {
            // Where nothing is left nothing can be taken.
            let _ = limiter.check_key(network);
        }
    }

    fn check_for_all(
        &self,
        what: &'static str,
        limiter: &Option<Keyed>,
        address: IpAddr,
        spent: fn(Network) -> Spent,
    ) -> bool {
        let fits = check(what, limiter, address, 1);
        if let (true, Some(_), Some(shared)) = (fits, limiter, self.shared.get()) {
            shared.tell(spent(Network::of(address)));
        }
        fits
    }

    /// Whether an address may ask.
    pub fn request(&self, address: IpAddr) -> bool {
        check("requests", &self.requests, address, 1)
    }

    /// Whether an address may ask for a sign of life.
    pub fn health(&self, address: IpAddr) -> bool {
        check("health", &self.health, address, 1)
    }

    /// Whether an address may make a game.
    pub fn game(&self, address: IpAddr) -> bool {
        self.check_for_all("games", &self.games, address, Spent::Game)
    }

    /// Whether an address may have a game looked back at.
    pub fn review(&self, address: IpAddr) -> bool {
        self.check_for_all("reviews", &self.reviews, address, Spent::Review)
    }

    /// Whether an address may report something.
    pub fn report(&self, address: IpAddr) -> bool {
        self.check_for_all("reports", &self.reports, address, Spent::Report)
    }

    /// Whether an address may have `n` positions computed, which are charged to it. More than a whole burst is
    /// charged as a burst: what is allowed at all can be had by one who waits.
    pub fn positions(&self, address: IpAddr, n: u32) -> bool {
        let burst = self.limits.positions_per_second.saturating_mul(10);
        check("positions", &self.positions, address, n.min(burst))
    }

    /// Whether an address may have a game taken from storage.
    pub fn wake(&self, address: IpAddr) -> bool {
        check("wakes", &self.wakes, address, 1)
    }

    /// The rate of a new socket's messages.
    pub fn messages(&self) -> Option<Rate> {
        per_second(self.limits.messages_per_second, 4).map(RateLimiter::direct)
    }

    /// Counts a socket, unless there are too many.
    pub fn socket(self: &Arc<Self>, address: IpAddr, guest: &str) -> Option<Ticket> {
        let network = Network::of(address);
        let mut counts = self.sockets.lock().unwrap_or_else(PoisonError::into_inner);
        let within = |count: Option<&u32>, limit: u32| {
            limit == 0 || count.copied().unwrap_or_default() < limit
        };
        let fits = within(
            counts.addresses.get(&network),
            self.limits.sockets_per_address,
        ) && within(counts.guests.get(guest), self.limits.sockets_per_guest);
        if !allow("sockets", fits) {
            return None;
        }
        *counts.addresses.entry(network).or_default() += 1;
        *counts.guests.entry(guest.into()).or_default() += 1;
        Some(Ticket {
            guard: self.clone(),
            network,
            guest: guest.into(),
        })
    }

    /// Forgets addresses that have been quiet.
    pub fn tidy(&self) {
        let all = [
            &self.requests,
            &self.health,
            &self.games,
            &self.reviews,
            &self.reports,
            &self.positions,
            &self.wakes,
        ];
        for limiter in all.into_iter().flatten() {
            limiter.retain_recent();
            limiter.shrink_to_fit();
        }
    }
}

fn check(what: &'static str, limiter: &Option<Keyed>, address: IpAddr, n: u32) -> bool {
    let fits = match (limiter, NonZeroU32::new(n)) {
        (Some(limiter), Some(n)) => {
            matches!(limiter.check_key_n(&Network::of(address), n), Ok(Ok(())))
        }
        _ => true,
    };
    allow(what, fits)
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
        less(&mut counts.addresses, &self.network);
        less(&mut counts.guests, &self.guest);
    }
}

/// Counts one less, and forgets who has none.
pub(crate) fn less<K: std::hash::Hash + Eq>(counts: &mut HashMap<K, u32>, key: &K) {
    if let Some(count) = counts.get_mut(key) {
        *count = count.saturating_sub(1);
        if *count == 0 {
            counts.remove(key);
        }
    }
}
