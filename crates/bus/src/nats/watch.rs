//! Watches over the connection: asks NATS twice a second whether it answers, and tells everybody after it was away.

use super::Health;
use super::link::{Link, Phase};
use async_nats::Event;
use async_nats::connection::State as Connection;
use futures_util::future::BoxFuture;
use metrics::{counter, gauge, histogram};
use std::future::{Ready, ready};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};
use tokio::sync::{Notify, watch};
use tokio::time::MissedTickBehavior;

/// How often it is asked.
const EVERY: Duration = Duration::from_millis(500);
/// After this long without an answer it counts as gone.
const SILENT: Duration = Duration::from_secs(3);
/// After this long the connection is made anew, if it has not noticed by itself.
const DEAD: Duration = Duration::from_secs(10);

/// What the connection says of itself. It may forget to, so it is only a reason to look.
#[derive(Clone, Default)]
pub struct Events {
    wake: Arc<Notify>,
    slow: Arc<std::sync::atomic::AtomicBool>,
}

impl Events {
    pub fn callback(&self) -> impl Fn(Event) -> Ready<()> + Send + Sync + 'static {
        let events = self.clone();
        move |event| {
            if matches!(event, Event::SlowConsumer(_)) {
                events.slow.store(true, Relaxed);
            } else {
                events.wake.notify_one();
            }
            ready(())
        }
    }
}

/// A round trip that is under way.
struct Trip {
    since: Instant,
    generation: u64,
    ends: BoxFuture<'static, bool>,
}

pub struct Watch {
    link: Arc<Link>,
    events: Events,
    health: watch::Sender<Health>,
    /// Connections that were made, by the client's count.
    connects: u64,
    trip: Option<Trip>,
}

impl Watch {
    pub fn new(link: Arc<Link>, events: Events) -> (Watch, watch::Receiver<Health>) {
        let (health, seen) = watch::channel(Health::default());
        let watch = Watch {
            connects: link.client.statistics().connects.load(Relaxed),
            link,
            events,
            health,
            trip: None,
        };
        (watch, seen)
    }

    pub async fn run(mut self) {
        let mut tick = tokio::time::interval(EVERY);
        tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let wake = self.events.wake.clone();
        loop {
            tokio::select! {
                _ = tick.tick() => self.tick().await,
                () = wake.notified() => {}
                arrived = end(&mut self.trip) => self.arrived(arrived),
            }
            self.look();
        }
    }

    /// Sees how the connection is.
    fn look(&mut self) {
        let connected = self.link.client.connection_state() == Connection::Connected;
        let connects = self.link.client.statistics().connects.load(Relaxed);
        let again = connects.saturating_sub(std::mem::replace(&mut self.connects, connects));
        let mut gone = false;
        self.link.state.send_if_modified(|state| {
            let before = *state;
            if again > 0 || (!connected && state.phase != Phase::Down) {
                gone = true;
                state.generation += 1;
            }
            state.phase = match state.phase {
                _ if !connected => Phase::Down,
                Phase::Up if again == 0 => Phase::Up,
                _ => Phase::Joining,
            };
            *state != before
        });
        if gone {
            self.trip = None;
            self.link.forget_settled();
            self.link.changed.notify_one();
            self.set(|health| health.connected = false);
        }
        if again > 0 {
            tracing::info!("connected to NATS again");
            counter!("husun_bus_reconnects_total").increment(again);
            self.set(|health| health.reconnects += again);
            self.link.changed.notify_one();
        } else if gone {
            tracing::warn!("the connection to NATS is lost");
        }
        if self.trip.is_none() && self.link.state.borrow().phase == Phase::Joining {
            self.begin_trip();
        }
    }

    fn begin_trip(&mut self) {
        let link = self.link.clone();
        let generation = link.state.borrow().generation;
        self.trip = Some(Trip {
            since: Instant::now(),
            generation,
            ends: Box::pin(async move { link.trip().await }),
        });
    }

    async fn tick(&mut self) {
        if self.events.slow.swap(false, Relaxed) {
            tracing::warn!("messages from NATS came faster than they were heard");
            counter!("husun_bus_slow_total").increment(1);
            self.link.all_missed.store(true, Relaxed);
        }
        if self.link.all_missed.swap(false, Relaxed) {
            self.link.local.all_missed();
        }
        self.link.tell_lost();
        self.link.end_lingering();
        let Some(trip) = &self.trip else {
            if self.link.state.borrow().phase == Phase::Up {
                self.begin_trip();
            }
            return;
        };
        let silent = trip.since.elapsed();
        if silent > SILENT {
            self.set(|health| health.connected = false);
        }
        if silent > DEAD {
            tracing::warn!("NATS has not answered for {silent:?}: connecting anew");
            self.trip = None;
            // It waits for a place in the connection, which may be what has stopped.
            let again = self.link.client.force_reconnect();
            let _ = tokio::time::timeout(EVERY * 2, again).await;
        }
    }

    /// A round trip has ended.
    fn arrived(&mut self, arrived: bool) {
        let Some(trip) = self.trip.take() else {
            return;
        };
        if !arrived || trip.generation != self.link.state.borrow().generation {
            return;
        }
        let took = trip.since.elapsed();
        histogram!("husun_bus_round_trip_seconds").record(took.as_secs_f64());
        gauge!("husun_bus_subjects").set(super::lock(&self.link.interests).len() as f64);
        let first = self.link.state.borrow().phase == Phase::Joining;
        if first {
            self.link.state.send_modify(|state| state.phase = Phase::Up);
            if trip.generation > 1 {
                self.link.local.all_missed();
                self.link.tell_lost();
            }
        }
        self.set(|health| {
            health.connected = true;
            health.round_trip = took;
        });
    }

    fn set(&self, change: impl FnOnce(&mut Health)) {
        self.health.send_modify(change);
        gauge!("husun_bus_connected").set(f64::from(u8::from(self.health.borrow().connected)));
    }
}

async fn end(trip: &mut Option<Trip>) -> bool {
    match trip {
        Some(trip) => (&mut trip.ends).await,
        None => std::future::pending().await,
    }
}
