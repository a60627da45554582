//! Servers under load, killed, or measured by a clock: a program of its own, since what else runs beside them would be
//! measured, too. Tests of one file may run beside each other, those of two files not ([`turn`]).

#[path = "../../server/tests/common/mod.rs"]
mod common;
#[path = "common/house.rs"]
mod house;
#[path = "common/process.rs"]
mod process;

mod faults;
mod flood;
mod lobby_load;
mod nodes;
mod serve;
mod soak;
mod start;
mod tournament_kills;

use std::sync::{Condvar, Mutex, PoisonError};

/// The file whose tests run now, and how many of them.
static RUNNING: Mutex<(&str, u32)> = Mutex::new(("", 0));
static NEXT: Condvar = Condvar::new();

/// Held by a test as long as it runs.
pub struct Turn;

/// Waits until no test of another file runs: every test here begins with `let _turn = crate::turn(module_path!());`.
pub fn turn(file: &'static str) -> Turn {
    let running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
    let taken = |now: &mut (&str, u32)| now.1 > 0 && now.0 != file;
    let mut running = NEXT
        .wait_while(running, taken)
        .unwrap_or_else(PoisonError::into_inner);
    *running = (file, running.1 + 1);
    Turn
}

impl Drop for Turn {
    fn drop(&mut self) {
        RUNNING.lock().unwrap_or_else(PoisonError::into_inner).1 -= 1;
        NEXT.notify_all();
    }
}
