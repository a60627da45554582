//! The threads of a worker. A job goes to a free thread that has just played the same game, if there is one: its tables
//! are still of use.

use super::super::think::{Found, STACK, Thinker};
use super::super::{Job, Report};
use super::{WorkerOptions, lock};
use husun::Position;
use play::Games;
use std::io;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};

/// A job for a thread.
pub(super) struct Order {
    pub job: Job,
    pub position: Position,
    pub waited: Duration,
    pub stop: Arc<AtomicBool>,
    /// Lines; its end says that there is no more.
    pub reports: mpsc::UnboundedSender<Report>,
    /// What was found; nothing after a fault.
    pub done: oneshot::Sender<Option<Found>>,
}

/// The way to a thread that has nothing to do. While it is at a job it has this itself, and gives it back.
struct Idle {
    orders: Sender<(Order, Idle)>,
    /// The game that it played last.
    game: String,
}

/// All threads, which end with this.
pub(super) struct Threads {
    idle: Arc<Mutex<Vec<Idle>>>,
}

impl Threads {
    pub fn start(options: &WorkerOptions, games: &Arc<Games>) -> io::Result<Threads> {
        let idle: Arc<Mutex<Vec<Idle>>> = Arc::default();
        for number in 0..options.threads {
            let (orders, given) = channel::<(Order, Idle)>();
            let mut thinker = Thinker::new(games.clone(), options.hash, options.tables.clone());
            let free = Arc::downgrade(&idle);
            thread::Builder::new()
                .name(format!("engine-{number}"))
                .stack_size(STACK)
                .spawn(move || {
                    for (order, mut idle) in given {
                        idle.game.clone_from(&order.job.variant);
                        let is_free = || {
                            if let Some(free) = free.upgrade() {
                                lock(&free).push(idle);
                            }
                        };
                        carry_out(&mut thinker, order, is_free);
                    }
                })?;
            let game = String::new();
            lock(&idle).push(Idle { orders, game });
        }
        Ok(Threads { idle })
    }

    /// Gives a job to a free thread; it is undone if there is none.
    pub fn order(&self, order: Order) {
        let mut idle = lock(&self.idle);
        let same = idle.iter().position(|idle| idle.game == order.job.variant);
        let chosen = same.or_else(|| idle.len().checked_sub(1));
        if let Some(chosen) = chosen {
            let chosen = idle.swap_remove(chosen);
            // A thread waits as long as there is a way to it.
            let _ = chosen.orders.clone().send((order, chosen));
        }
    }
}

/// Does a job, and says that the thread is free before it tells what was found.
fn carry_out(thinker: &mut Thinker, order: Order, is_free: impl FnOnce()) {
    let Order {
        job,
        position,
        waited,
        stop,
        reports,
        done,
    } = order;
    let found = thinker.think(&job, &position, waited, &stop, &|| false, &mut |report| {
        let _ = reports.send(report);
    });
    is_free();
    drop(reports);
    let _ = done.send(found);
}
