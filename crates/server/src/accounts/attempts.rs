//! How often one may try to sign in: slowed by address, and by name. A name that others try is slowed for its owner
//! too; recovery codes and passkeys are slowed by address alone, so that nobody can shut another out.

use super::digest;
use crate::limits::Network;
use crate::limits::shared::{Shared, Spent};
use governor::clock::DefaultClock;
use governor::state::keyed::DefaultKeyedStateStore;
use governor::{Quota, RateLimiter};
use metrics::counter;
use play::names::account::reading;
use std::hash::Hash;
use std::net::IpAddr;
use std::num::NonZeroU32;
use std::sync::{Arc, OnceLock};

type Keyed<K> = RateLimiter<K, DefaultKeyedStateStore<K>, DefaultClock>;

/// The limits of trying.
#[derive(Debug)]
pub struct Attempts {
    addresses: Option<Keyed<Network>>,
    /// Names by the digests of their readings: somebody may type a password there.
    names: Option<Keyed<String>>,
    accounts: Option<Keyed<Network>>,
    /// By which other nodes hear what is charged.
    shared: OnceLock<Arc<Shared>>,
}

fn limiter<K: Hash + Eq + Clone>(quota: Option<Quota>) -> Option<Keyed<K>> {
    quota.map(RateLimiter::keyed)
}

impl Attempts {
    /// So many attempts a minute for an address, and for a name; so many accounts an hour for an address. 0 lifts a
    /// limit.
    pub fn new(per_minute: u32, accounts_per_hour: u32) -> Attempts {
        let minute = NonZeroU32::new(per_minute);
        Attempts {
            addresses: limiter(minute.map(Quota::per_minute)),
            names: limiter(minute.map(Quota::per_minute)),
            accounts: limiter(NonZeroU32::new(accounts_per_hour).map(Quota::per_hour)),
            shared: OnceLock::new(),
        }
    }

    /// Tells other nodes from now on what is charged here.
    pub(crate) fn share(&self, shared: Arc<Shared>) {
        let _ = self.shared.set(shared);
    }

    /// Charges what another node has allowed. Where nothing is left nothing can be taken.
    pub(crate) fn charge(&self, spent: &Spent) {
        let _ = match spent {
            Spent::Attempt(network) => self.addresses.as_ref().map(|l| l.check_key(network)),
            Spent::Name(name) => self.names.as_ref().map(|l| l.check_key(name)),
            Spent::Account(network) => self.accounts.as_ref().map(|l| l.check_key(network)),
            _ => None,
        };
    }

    fn check<K: Hash + Eq + Clone>(
        &self,
        what: &'static str,
        limiter: &Option<Keyed<K>>,
        key: K,
        spent: fn(K) -> Spent,
    ) -> bool {
        let fits = check(what, limiter, &key);
        if let (true, Some(_), Some(shared)) = (fits, limiter, self.shared.get()) {
            shared.tell(spent(key));
        }
        fits
    }

    /// Whether an address may try to open something.
    pub fn by_address(&self, address: IpAddr) -> bool {
        let network = Network::of(address);
        self.check("sign_ins", &self.addresses, network, Spent::Attempt)
    }

    /// Whether an address may try a password for a name.
    pub fn by_name(&self, address: IpAddr, name: &str) -> bool {
        let name = || digest(&reading(name));
        self.by_address(address) && self.check("sign_ins", &self.names, name(), Spent::Name)
    }

    /// Whether an address may make an account.
    pub fn account(&self, address: IpAddr) -> bool {
        let network = Network::of(address);
        self.check("accounts", &self.accounts, network, Spent::Account)
    }

    /// Forgets who has been quiet.
    pub fn tidy(&self) {
        for limiter in [&self.addresses, &self.accounts].into_iter().flatten() {
            limiter.retain_recent();
            limiter.shrink_to_fit();
        }
        if let Some(limiter) = &self.names {
            limiter.retain_recent();
            limiter.shrink_to_fit();
        }
    }
}

fn check<K: Hash + Eq + Clone>(what: &'static str, limiter: &Option<Keyed<K>>, key: &K) -> bool {
    let fits = limiter.as_ref().is_none_or(|l| l.check_key(key).is_ok());
    if !fits {
        counter!("husun_limited_total", "what" => what).increment(1);
    }
    fits
}
