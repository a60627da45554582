//! How late a thread is woken that does nothing but sleep: what the machine itself adds to every time.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

const NAP: Duration = Duration::from_millis(10);
/// Later than this is told.
const LATE: Duration = Duration::from_millis(50);

/// Sleeps until it is told to end.
pub struct Sleeper {
    end: Arc<AtomicBool>,
    thread: JoinHandle<Vec<(Instant, Duration)>>,
}

impl Sleeper {
    pub fn start() -> Sleeper {
        let end = Arc::new(AtomicBool::new(false));
        let over = end.clone();
        let thread = std::thread::spawn(move || {
            let mut late = Vec::new();
            while !over.load(Relaxed) {
                let wakes = Instant::now() + NAP;
                std::thread::sleep(NAP);
                let by = wakes.elapsed();
                if by > LATE {
                    late.push((wakes, by));
                }
            }
            late
        });
        Sleeper { end, thread }
    }

    /// Tells how late it was woken, and returns when.
    pub fn end(self) -> Vec<(Instant, Duration)> {
        self.end.store(true, Relaxed);
        let late = self.thread.join().unwrap_or_default();
        let most = late.iter().map(|(_, by)| *by).max().unwrap_or_default();
        println!(
            "a thread that only sleeps was woken more than {} ms late {} times, by at most {} ms",
            LATE.as_millis(),
            late.len(),
            most.as_millis()
        );
        late
    }
}
