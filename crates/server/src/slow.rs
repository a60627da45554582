//! Work that keeps a thread of the runtime from everybody else: what a task does at one go is timed, and counted if it
//! takes more than a millisecond of the processor.

use metrics::{counter, histogram};
use std::cell::Cell;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

/// From here on a go is slow: everybody else on that thread waits as long, or longer where the thread has to wait for a
/// core, which no work of ours can help.
const SLOW: Duration = Duration::from_millis(1);
/// The processor's time is asked of the system, which costs more than most goes: what was asked last counts for so long.
const FRESH: Duration = Duration::from_micros(100);

thread_local! {
    /// When the processor's time on this thread was asked last, and what it was.
    static ASKED: Cell<Option<(Instant, Duration)>> = const { Cell::new(None) };
}

/// The beginning of a go.
#[derive(Clone, Copy, Debug)]
struct Go {
    start: Instant,
    /// When the processor's time was asked, at the start or a moment before.
    asked: Instant,
    worked: Duration,
}

impl Go {
    fn new() -> Go {
        let start = Instant::now();
        let fresh = |(asked, _): &(Instant, Duration)| start.duration_since(*asked) < FRESH;
        let (asked, worked) = ASKED.get().filter(fresh).unwrap_or_else(|| {
            let now = (start, worked());
            ASKED.set(Some(now));
            now
        });
        Go {
            start,
            asked,
            worked,
        }
    }

    /// The time of the processor that it has taken at least, if that is long. Nothing else is asked of the system where not
    /// even as much time has passed.
    fn slow(self) -> Option<Duration> {
        if self.start.elapsed() <= SLOW {
            return None;
        }
        let before = self.start.duration_since(self.asked);
        let took = worked().saturating_sub(self.worked + before);
        (took > SLOW).then_some(took)
    }
}

pin_project_lite::pin_project! {
    /// A future whose every go is timed.
    struct Watched<F> {
        of: &'static str,
        #[pin]
        inner: F,
    }
}

/// Times every go of a task; `of` is the kind of task, for the figures.
pub fn watched<F: Future>(of: &'static str, inner: F) -> impl Future<Output = F::Output> {
    Watched { of, inner }
}

impl<F: Future> Future for Watched<F> {
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        let this = self.project();
        let go = Go::new();
        let polled = this.inner.poll(context);
        if let Some(took) = go.slow() {
            counter!("husun_slow_goes_total", "of" => *this.of).increment(1);
            histogram!("husun_slow_go_seconds", "of" => *this.of).record(took.as_secs_f64());
            tracing::debug!(of = this.of, ?took, "a slow go");
        }
        polled
    }
}

/// Time that the processor has spent on this thread.
#[cfg(unix)]
fn worked() -> Duration {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::try_from(now).unwrap_or_default()
}

/// Time that has passed, where the processor's is not to be had.
#[cfg(not(unix))]
fn worked() -> Duration {
    static START: std::sync::LazyLock<std::time::Instant> =
        std::sync::LazyLock::new(std::time::Instant::now);
    START.elapsed()
}

#[cfg(test)]
mod tests {
    use super::{Go, SLOW, worked};
    use std::time::{Duration, Instant};

    /// Many short goes, one long one, and one that only waits.
    #[test]
    #[cfg(unix)]
    fn a_go_that_works_for_long_is_slow() {
        let at = Instant::now();
        for _ in 0..10_000 {
            let go = Go::new();
            assert!(go.worked <= worked(), "it has begun before it ends");
            let _ = go.slow();
        }
        let go = Go::new();
        std::thread::sleep(SLOW * 20);
        assert_eq!(go.slow(), None, "waiting is no work");
        let (go, start) = (Go::new(), worked());
        while worked() - start < SLOW * 2 {
            assert!(at.elapsed() < Duration::from_secs(60), "work is counted");
        }
        assert!(go.slow().is_some_and(|took| took > SLOW));
    }

    #[test]
    #[cfg(unix)]
    fn waiting_is_no_work() {
        let (start, at) = (worked(), Instant::now());
        std::thread::sleep(Duration::from_millis(50));
        assert!(worked() - start < Duration::from_millis(20));
        while worked() - start < Duration::from_millis(20) {
            assert!(at.elapsed() < Duration::from_secs(60), "work is counted");
        }
    }
}
